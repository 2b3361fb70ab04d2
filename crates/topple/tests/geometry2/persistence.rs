//! What a contact keeps from step to step: ids, axes, number of points.

use super::support::*;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

const SLOP_REAL: Real = 5e-3;

/// In their order: points that change places would be a change too.
fn ids(manifold: &LocalManifold<D2>) -> Vec<u32> {
    manifold.points().iter().map(|p| p.id).collect()
}

/// Shapes with a flat lower side of width 1 at y = −0.5.
fn bricks() -> Vec<Shape2> {
    let house =
        [(-0.5, -0.5), (0.5, -0.5), (0.4, 0.3), (0.0, 0.6), (-0.4, 0.3)].map(|(x, y)| Vec2::new(x, y));
    vec![
        Shape2::rectangle(1.0, 1.0),
        inflated(0.8, 0.8, 0.1),
        Shape2::polygon(&house).unwrap(),
        Shape2::capsule(Vec2::new(-0.5, -0.3), Vec2::new(0.5, -0.3), 0.2),
        Shape2::segment(Vec2::new(-0.5, -0.5), Vec2::new(0.5, -0.5)),
    ]
}

/// Shapes with a flat upper side at y = 0 from x = −5 to 5.
fn grounds() -> Vec<Shape2> {
    let ramp = [(-5.0, 0.0), (5.0, 0.0), (3.0, -2.0), (-4.0, -3.0)].map(|(x, y)| Vec2::new(x, y));
    vec![
        Shape2::Polygon {
            data: polygon_data(&[(-5.0, 0.0), (5.0, 0.0), (5.0, -1.0), (-5.0, -1.0)]),
            radius: 0.0,
        },
        Shape2::polygon(&ramp).unwrap(),
        Shape2::segment(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0)),
        Shape2::capsule(Vec2::new(-5.0, -0.3), Vec2::new(5.0, -0.3), 0.3),
        Shape2::half_plane(Vec2::Y, 0.0),
    ]
}

fn polygon_data(corners: &[(Real, Real)]) -> std::sync::Arc<topple::shape::d2::PolygonData> {
    let points: Vec<Vec2> = corners.iter().map(|c| Vec2::new(c.0, c.1)).collect();
    let Ok(Shape2::Polygon { data, .. }) = Shape2::polygon(&points) else { panic!("not a polygon") };
    data
}

#[test]
fn ids_and_both_points_persist_while_sliding_with_jitter() {
    for (ground, algorithm) in grounds().into_iter().flat_map(|g| ALGORITHMS.map(|x| (g.clone(), x))) {
        for brick in bricks() {
            if !ground.is_solid() && ground.can_move() && !brick.is_solid() {
                // Two lines that cross within the slop have no inner side to come back to.
                continue;
            }
            let mut random = Random::new(31);
            let mut cache = PairCache::default();
            let mut first: Option<Vec<u32>> = None;
            for step in 0..1000 {
                // Along the ground, hovering and sinking by less than the slop, tilting by fractions of a degree.
                let x = -3.0 + step as Real * 6e-3;
                let pose = Pose::new(
                    (x, 0.5 + random.range(-2e-3, 1e-3)),
                    Rot2::from_angle(random.range(-1e-3, 1e-3)),
                );
                let got = collide_cached_by(algorithm, &ground, &brick, pose, 0.02, SLOP_REAL, &mut cache);
                let what = format!("{algorithm:?}, step {step}: {brick:?} on {ground:?}: {got:?}");
                assert_eq!(got.points().len(), 2, "{what}");
                assert!(got.normal.y > 0.99999, "{what}");
                let ids = ids(&got);
                assert_eq!(&ids, first.get_or_insert_with(|| ids.clone()), "{what}");
            }
        }
    }
}

#[test]
fn a_brick_that_slides_over_the_edge_keeps_its_ids() {
    let (ground, brick) = (Shape2::rectangle(2.0, 1.0), Shape2::rectangle(1.0, 1.0));
    for algorithm in ALGORITHMS {
        let mut cache = PairCache::default();
        let mut first = None;
        for step in 0..140 {
            let pose = Pose::at((step as Real * 0.01, 0.999));
            let got = collide_cached_by(algorithm, &ground, &brick, pose, 0.02, SLOP_REAL, &mut cache);
            let ids = ids(&got);
            assert_eq!(&ids, first.get_or_insert_with(|| ids.clone()), "{algorithm:?}, step {step}: {got:?}");
        }
    }
}

#[test]
fn a_square_on_its_corner_keeps_its_id() {
    let (ground, square) = (Shape2::rectangle(10.0, 1.0), Shape2::rectangle(1.0, 1.0));
    for (quarter, algorithm) in [1.0, 3.0, -1.0, -3.0].into_iter().flat_map(|q| ALGORITHMS.map(|x| (q, x))) {
        let mut random = Random::new(35);
        let mut cache = PairCache::default();
        let mut first = None;
        for step in 0..200 {
            let angle = core::f32::consts::FRAC_PI_4 * quarter + random.range(-2e-5, 2e-5);
            let pose =
                Pose::new((0.0, 0.5 + 0.5 * core::f32::consts::SQRT_2 - 1e-3), Rot2::from_angle(angle));
            let got = collide_cached_by(algorithm, &ground, &square, pose, 0.02, SLOP_REAL, &mut cache);
            assert_eq!(got.points().len(), 1, "{algorithm:?}: {got:?}");
            let ids = ids(&got);
            assert_eq!(&ids, first.get_or_insert_with(|| ids.clone()), "{algorithm:?}, step {step}");
        }
    }
}

#[test]
fn the_axis_does_not_flicker_at_a_tie() {
    // Corner in corner, equally deep in x and y up to jitter below the slop.
    let square = Shape2::rectangle(1.0, 1.0);
    let polygon = Shape2::Polygon {
        data: polygon_data(&[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]),
        radius: 0.0,
    };
    // Deep; less deep than the slop; apart by next to nothing.
    for (a, b, offset, jitter) in
        [(&square, &square), (&square, &polygon), (&polygon, &square), (&polygon, &polygon)]
            .into_iter()
            .flat_map(|(a, b)| [(a, b, 0.9, 2e-3), (a, b, 0.998, 1e-3), (a, b, 1.000_2, 1e-4)])
    {
        {
            let mut random = Random::new(32);
            let mut cache = PairCache::default();
            let mut first = None;
            for step in 0..500 {
                let d = random.vec(jitter);
                let pose = Pose::at((offset + d.x, offset + d.y));
                let got = collide_cached(a, b, pose, 0.02, SLOP_REAL, &mut cache);
                assert!(!got.is_empty());
                let n = *first.get_or_insert(got.normal);
                assert!(n.distance(got.normal) < 1e-6, "step {step}: {n} became {}", got.normal);
            }
        }
    }
    // A circle whose centre is deep inside.
    let ball = Shape2::circle(0.2);
    let mut random = Random::new(33);
    let mut cache = PairCache::default();
    let mut first = None;
    for _ in 0..500 {
        let d = random.vec(2e-3);
        let got =
            collide_cached(&square, &ball, Pose::at((0.3 + d.x, 0.3 + d.y)), 0.02, SLOP_REAL, &mut cache);
        assert_eq!(got.normal, *first.get_or_insert(got.normal));
    }
}

#[test]
fn the_normal_of_rounded_shapes_at_rest_does_not_change_between_their_edges() {
    // Of the same width: which edge is the better axis depends on the sign of the tilt.
    let (a, b) = (inflated(1.0, 1.0, 0.1), inflated(1.0, 0.5, 0.1));
    let mut random = Random::new(34);
    let mut cache = PairCache::default();
    let mut changes = 0;
    let mut was_on_a = None;
    for _ in 0..500 {
        let tilt = random.range(-1e-3, 1e-3);
        let pose = Pose::new((random.range(0.05, 0.1), 0.948), Rot2::from_angle(tilt));
        let got = collide_cached(&a, &b, pose, 0.02, SLOP_REAL, &mut cache);
        let is_on_a = got.normal == Vec2::Y;
        changes += u32::from(was_on_a.replace(is_on_a).is_some_and(|was| was != is_on_a));
    }
    assert_eq!(changes, 0);
}

#[test]
fn normals_turn_continuously_when_a_rounded_shape_is_pushed_around_a_corner() {
    let (a, b) = (inflated(1.0, 1.0, 0.1), inflated(0.5, 0.5, 0.1));
    let mut cache = PairCache::default();
    let mut last: Option<(Vec2, Real)> = None;
    for step in 0..2000 {
        // Quarter circle of the corner distance 0.1 + 0.1 around the corner (0.5, 0.5).
        let angle = -0.3 + step as Real * 1e-3;
        let d = Rot2::from_angle(angle).rotate(Vec2::X) * 0.195;
        let pose = Pose::at(Vec2::new(0.75, 0.75) + d);
        let got = collide_cached(&a, &b, pose, 0.02, 1e-3, &mut cache);
        let depth = deepest(&got);
        if let Some((n, s)) = last {
            assert!(n.distance(got.normal) < 3e-3, "step {step}: {n} became {}", got.normal);
            assert!((s - depth).abs() < 1e-3, "step {step}: {s} became {depth}");
        }
        last = Some((got.normal, depth));
    }
}

#[test]
fn the_normal_of_separate_shapes_follows_the_closest_points_whatever_the_cache_says() {
    let points: Vec<Vec2> =
        (0..64).map(|i| Rot2::from_angle(i as Real * core::f32::consts::PI / 32.0).rotate(Vec2::X)).collect();
    let wheel = Shape2::polygon(&points).unwrap();
    // A corner that points at edge 0, close to its end: the next edge is nearly as good an axis.
    let n = Rot2::from_angle(core::f32::consts::PI / 64.0);
    let half_diagonal = 0.5 * core::f32::consts::SQRT_2;
    let pose = Pose::new(
        n.rotate(Vec2::new(n.cos + 0.01 + half_diagonal, n.sin - 1e-3)),
        n.then_after(Rot2::from_angle(core::f32::consts::FRAC_PI_4)),
    );
    let square = Shape2::rectangle(1.0, 1.0);
    for edge in 0..64 {
        let mut cache = PairCache { kind: 1, a: edge, b: 0, value: 0.0 };
        let got = collide_cached(&wheel, &square, pose, 0.02, SLOP_REAL, &mut cache);
        assert!(
            got.normal.dot(n.rotate(Vec2::X)) > 0.999 && (deepest(&got) - 0.01).abs() < 1e-4,
            "{edge}: {got:?}"
        );
    }
}

#[test]
fn separate_polygons_are_answered_from_the_cached_axis() {
    let a = Shape2::polygon(&[Vec2::ZERO, Vec2::X, Vec2::new(1.0, 1.0), Vec2::new(0.2, 1.3)]).unwrap();
    let mut cache = PairCache::default();
    let mut counters = NarrowCounters::default();
    let mut out = LocalManifold::default();
    for step in 0..100 {
        let pose = Pose::new((2.0, 0.01 * step as Real), Rot2::from_angle(0.01 * step as Real));
        let job = CollideJob {
            a: &a,
            b: &a,
            b_in_a: pose,
            margin: 0.02,
            slop: SLOP_REAL,
            algorithm: Algorithm::Auto,
        };
        Shape2::collide(&job, &mut cache, &mut counters, &mut out);
        assert!(out.is_empty());
    }
    assert!(counters.computed <= 3 && counters.cache_hits >= 97, "{counters:?}");
    assert!(counters.axes < 140, "{counters:?}");
}
