//! Separating planes kept from step to step (`Algorithm::SeparatingPlanes`) are sought in their own order, which the counters show.

use crate::support::Random;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::{Shape2, Shape3};

/// Runs one pair; returns the axes that were tested, and whether there was no contact.
fn axes<D: Dim>(
    [a, b]: [&D::Shape; 2],
    b_in_a: Pose<D>,
    algorithm: Algorithm,
    cache: &mut PairCache,
) -> (u64, bool) {
    let job = CollideJob { a, b, b_in_a, margin: 0.01, slop: 1e-3, algorithm };
    let (mut counters, mut out) = (NarrowCounters::default(), LocalManifold::default());
    D::Shape::collide(&job, cache, &mut counters, &mut out);
    (counters.axes, out.is_empty())
}

/// A pair that stays apart costs one axis per step, rectangles of the plane too, which otherwise try all four.
#[test]
fn a_pair_that_stays_apart_costs_one_axis() {
    let boxes = [Shape3::cuboid(1.0, 1.0, 1.0), Shape3::cuboid(2.0, 1.0, 1.0)];
    let rectangles = [Shape2::rectangle(1.0, 1.0), Shape2::rectangle(2.0, 1.0)];
    let (mut spatial, mut flat) = (PairCache::default(), PairCache::default());
    for step in 0..50 {
        let angle = 0.01 * step as Real;
        let pose = Pose { position: [0.3, 1.7, 0.1].into(), rotation: Quat::from_rotation_z(angle) };
        let found = axes::<D3>([&boxes[0], &boxes[1]], pose, Algorithm::SeparatingPlanes, &mut spatial);
        assert!(found.1 && (step == 0 || found.0 == 1), "boxes, step {step}: {found:?}");
        let pose = Pose { position: [0.3, 1.7].into(), rotation: Rot2::from_angle(angle) };
        let found =
            axes::<D2>([&rectangles[0], &rectangles[1]], pose, Algorithm::SeparatingPlanes, &mut flat);
        assert!(found.1 && (step == 0 || found.0 == 1), "rectangles, step {step}: {found:?}");
        let by_sat =
            axes::<D2>([&rectangles[0], &rectangles[1]], pose, Algorithm::Sat, &mut PairCache::default());
        assert_eq!(by_sat, (4, true));
    }
}

/// Faces of two boxes are kinds 1 to 6 of the cache, pairs of edges 7 to 15.
const LAST_FACE: u32 = 6;

/// After a face that fails the edges come first, and after an edge the faces: the other kind is found without trying its own again.
#[test]
fn the_kind_of_plane_alternates() {
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    let mut random = Random(8);
    let (mut edges, mut faces) = (0, 0);
    for _ in 0..4000 {
        let mut pose = random.pose::<D3>(1.0);
        pose.position = Point3::from_vec(random.vector::<D3>(1.0).normalize() * 1.4);
        let mut fresh = PairCache::default();
        if !axes::<D3>([&cube, &cube], pose, Algorithm::Sat, &mut fresh).1 {
            continue;
        }
        // `sat` tries faces first: if it remembers an edge, no face separates.
        if fresh.kind > LAST_FACE {
            edges += 1;
            let mut cache = PairCache { kind: 1, ..PairCache::default() };
            let by_sat = axes::<D3>([&cube, &cube], pose, Algorithm::Sat, &mut cache.clone()).0;
            let (found, is_apart) = axes::<D3>([&cube, &cube], pose, Algorithm::SeparatingPlanes, &mut cache);
            assert!(is_apart && cache.kind > LAST_FACE && found <= 10, "{found} axes, kind {}", cache.kind);
            assert!(found < by_sat, "{found} axes, {by_sat} with faces first");
        } else {
            let mut cache = PairCache { kind: LAST_FACE + 1, ..PairCache::default() };
            let (found, is_apart) = axes::<D3>([&cube, &cube], pose, Algorithm::SeparatingPlanes, &mut cache);
            assert!(is_apart);
            if found > 1 {
                faces += 1;
                assert!(cache.kind <= LAST_FACE && found <= 7, "{found} axes, kind {}", cache.kind);
            }
        }
    }
    assert!(edges > 10 && faces > 100, "{edges} pairs apart by edges, {faces} by faces");
}

/// Of a small body beside a large one the plane is sought on the large one, whichever comes first; `sat` begins with the first.
#[test]
fn planes_are_sought_on_the_larger_body() {
    // Larger by volume, though thinner.
    let (small, large) = (Shape3::cuboid(1.0, 1.0, 1.0), Shape3::cuboid(9.0, 0.5, 9.0));
    let above = Pose::at([0.0, 2.0, 0.0]);
    let kind3 = |pair: [&Shape3; 2], algorithm: Algorithm| {
        let mut cache = PairCache::default();
        assert!(axes::<D3>(pair, above, algorithm, &mut cache).1);
        cache.kind
    };
    assert!((4..=6).contains(&kind3([&small, &large], Algorithm::SeparatingPlanes)));
    assert!((1..=3).contains(&kind3([&large, &small], Algorithm::SeparatingPlanes)));
    assert!((1..=3).contains(&kind3([&small, &large], Algorithm::Sat)));
    // In the plane: kind 1 is an edge of the first, 2 of the second; triangles for the general case.
    let triangle =
        |s: Real| Shape2::polygon(&[Vec2::new(-s, -0.4), Vec2::new(s, -0.4), Vec2::new(0.0, 0.4)]).unwrap();
    for (small, large) in [
        (Shape2::rectangle(1.0, 1.0), Shape2::rectangle(9.0, 0.5)),
        (Shape2::rectangle(1.0, 1.0), triangle(9.0)),
    ] {
        let kind2 = |pair: [&Shape2; 2]| {
            let mut cache = PairCache::default();
            let apart = axes::<D2>(pair, Pose::at([0.0, 2.0]), Algorithm::SeparatingPlanes, &mut cache);
            assert!(apart.1);
            cache.kind
        };
        assert_eq!([kind2([&small, &large]), kind2([&large, &small])], [2, 1]);
    }
}
