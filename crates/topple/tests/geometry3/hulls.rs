//! Convex hulls: construction, and contacts between hulls, boxes and round shapes.

use crate::shapes::{cloud, prism};
use crate::support::*;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::{HullData, MAX_HULL_VERTICES};
use topple::{Error, Shape3};

/// What holds for every hull of `points`; `tolerance` relative to the size.
fn check_hull(hull: &HullData, points: &[Vec3], tolerance: f32, what: &str) {
    let size = points.iter().fold(0.0_f32, |m, p| m.max((*p - points[0]).abs().max_element()));
    let (v, f, e) = (hull.vertices().len(), hull.faces().len(), hull.edges().len());
    assert_eq!(v + f, e + 2, "{what}: {v} vertices, {f} faces, {e} edges");
    for face in hull.faces() {
        for p in points {
            let height = f64::from(face.normal.dot(*p) - face.offset);
            assert!(height < f64::from(tolerance * size), "{what}: a point sticks out by {height}");
        }
        assert!(face.count >= 3 && (face.normal.length() - 1.0).abs() < 1e-5);
    }
    for edge in hull.edges() {
        let [p, q] = edge.vertices.map(|i| hull.vertices()[usize::from(i)]);
        for i in edge.faces {
            let face = &hull.faces()[usize::from(i)];
            for end in [p, q] {
                let height = (face.normal.dot(end) - face.offset).abs();
                assert!(height < tolerance * size, "{what}: a corner {height} off its face");
            }
        }
        let [m, n] = edge.faces.map(|i| hull.faces()[usize::from(i)].normal);
        assert!(m.cross(n).length() > 1e-6, "{what}: coplanar faces are not merged");
    }
    for v in hull.vertices() {
        assert!(points.contains(v), "{what}: a vertex that is no point");
    }
}

#[test]
fn hulls_of_random_clouds_hold_their_points() {
    for seed in 0..200 {
        let points = cloud(seed, 4 + (seed as usize * 7) % 150);
        let Ok(hull) = HullData::new(&points) else { panic!("seed {seed}") };
        check_hull(&hull, &points, 1e-5, &format!("cloud {seed}"));
    }
}

#[test]
fn flat_sides_become_single_faces() {
    // A grid of points on and in a cube, turned and moved.
    let mut random = Random::new(41);
    for case in 0..40 {
        let pose = random.pose(2.0);
        let n = 2 + case % 5;
        let at = |i: usize| i as f32 / (n - 1) as f32 * 2.0 - 1.0;
        let mut grid = Vec::new();
        for i in 0..n * n * n {
            let p = Vec3::new(at(i % n), at(i / n % n), at(i / n / n));
            grid.push(if case % 2 == 0 { p } else { pose.transform(p).to_vec() });
        }
        let hull = HullData::new(&grid).unwrap();
        check_hull(&hull, &grid, 1e-5, &format!("grid {case}"));
        let counts = (hull.vertices().len(), hull.faces().len(), hull.edges().len());
        assert_eq!(counts, (8, 6, 12), "grid {case} with {n} points a side");
    }
    for n in 3..100 {
        let points = prism(n);
        let hull = HullData::new(&points).unwrap();
        check_hull(&hull, &points, 1e-5, &format!("prism {n}"));
        assert_eq!((hull.vertices().len(), hull.faces().len()), (2 * n, n + 2), "prism {n}");
    }
}

#[test]
fn awkward_clouds_give_sound_hulls_or_an_error() {
    let mut random = Random::new(42);
    let mut built = 0;
    for case in 0..600 {
        // Few distinct coordinates, noise of the last digits, flat and long clouds, huge and tiny ones.
        let scale = [1e-4, 1.0, 1e4][case % 3];
        let squash = [Vec3::ONE, Vec3::new(1.0, 1e-3, 1.0), Vec3::new(1.0, 1e-2, 1e-2)][case / 3 % 3];
        let noise = [0.0, 1e-7, 1e-6, 1e-5, 1e-4][case / 9 % 5];
        let points: Vec<Vec3> = (0..60)
            .map(|_| {
                let coarse = (random.vec(1.0) * 2.0).round() * 0.5;
                (coarse * squash + random.vec(noise)) * scale
            })
            .collect();
        match HullData::new(&points) {
            Ok(hull) => {
                built += 1;
                check_hull(&hull, &points, 1e-4, &format!("case {case}"));
            }
            Err(Error::DegenerateShape { .. }) => {}
            Err(other) => panic!("case {case}: {other}"),
        }
    }
    assert!(built > 550, "only {built} of 600");
}

#[test]
fn clouds_without_volume_and_large_hulls_are_refused_with_a_reason() {
    let refused = |points: &[Vec3], reason: &str| {
        let message = Shape3::hull(points).expect_err(reason).to_string();
        assert!(message.contains(reason), "{message}");
    };
    let mut random = Random::new(43);
    refused(&[], "at least 4");
    refused(&[Vec3::ZERO; 3], "at least 4");
    refused(&[Vec3::ONE; 50], "coincide");
    let line: Vec<Vec3> = (0..20).map(|_| Vec3::new(1.0, 2.0, -1.0) * random.unit()).collect();
    refused(&line, "one line");
    let plane: Vec<Vec3> = (0..20).map(|_| Vec3::new(random.unit(), random.unit(), 0.0)).collect();
    refused(&plane, "one plane");
    refused(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(f32::NAN)], "finite");
    let sphere: Vec<Vec3> = (0..2000).map(|_| random.direction()).collect();
    refused(&sphere, &MAX_HULL_VERTICES.to_string());
    assert!(Shape3::rounded_hull(&cloud(1, 10), -1.0).is_err());
}

#[test]
fn shared_geometry_has_one_address() {
    let hull = Shape3::hull(&cloud(1, 10)).unwrap();
    assert_eq!(hull.shared(), hull.clone().shared());
    assert!(hull.shared().is_some() && Shape3::sphere(1.0).shared().is_none());
}

/// A hull, its f64 twin, and the size contacts are measured against.
fn random_hull(random: &mut Random) -> (Shape3, Polytope) {
    if random.unit() < 0.3 {
        let half = Vec3::new(random.range(0.2, 1.0), random.range(0.2, 1.0), random.range(0.2, 1.0));
        return (Shape3::Box { half, radius: 0.0 }, Polytope::cuboid(half));
    }
    let points = if random.unit() < 0.5 {
        cloud(random.bits() % 1000, 5 + random.bits() as usize % 20)
    } else {
        prism(3 + random.bits() as usize % 9)
    };
    let Ok(Shape3::Hull { data, radius }) = Shape3::hull(&points) else { panic!("hull of {points:?}") };
    let twin = Polytope::hull(&data);
    (Shape3::Hull { data, radius }, twin)
}

#[test]
fn hull_contacts_agree_with_brute_force() {
    let mut random = Random::new(44);
    let (mut overlapping, mut normals) = (0, 0);
    for case in 0..cases(4_000) {
        let ((a, pa), (b, pb)) = (random_hull(&mut random), random_hull(&mut random));
        let pose = random.pose(0.9);
        let (expected, axis, other) = brute_force(&pa, &pb.placed(&pose));
        overlapping += u32::from(expected <= 0.0);
        normals += u32::from(expected <= 0.0 && expected - other > 1e-4);
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, &a, &b, pose, 0.05, 1e-6);
            let what = format!("case {case}: {algorithm:?} {} {}", a.kind(), b.kind());
            check_overlap(&m, expected, axis, other, &what);
        }
    }
    assert!(overlapping > 2_000 && normals > 1_500, "{overlapping} {normals}");
}

#[test]
fn hull_contacts_are_symmetric_under_swapping() {
    let mut random = Random::new(45);
    for case in 0..2_000 {
        let ((a, pa), (b, pb)) = (random_hull(&mut random), random_hull(&mut random));
        let pose = random.pose(0.8);
        let (expected, _, other) = brute_force(&pa, &pb.placed(&pose));
        if expected - other < 1e-3 || expected > 0.0 {
            continue;
        }
        let m = collide(&a, &b, pose, 0.0, 1e-6);
        let mut w = collide(&b, &a, inverse(&pose), 0.0, 1e-6);
        w.flip(&pose);
        assert!((m.normal - w.normal).length() < 1e-3, "case {case}: {m:?} {w:?}");
        assert!((deepest(&m) - deepest(&w)).abs() < 1e-4, "case {case}");
    }
}

#[test]
fn the_box_as_a_hull_collides_like_the_box() {
    let mut random = Random::new(46);
    for case in 0..2_000 {
        let half = |r: &mut Random| Vec3::new(r.range(0.2, 1.0), r.range(0.2, 1.0), r.range(0.2, 1.0));
        let (ha, hb) = (half(&mut random), half(&mut random));
        let sharp = |half: Vec3| Shape3::Box { half, radius: 0.0 };
        let hull = |half: Vec3| Shape3::hull(&sharp(half).vertices()).unwrap();
        let pose = random.pose(1.0);
        let expected = collide(&sharp(ha), &sharp(hb), pose, 0.02, 1e-6);
        for (a, b) in [(hull(ha), hull(hb)), (hull(ha), sharp(hb)), (sharp(ha), hull(hb))] {
            let m = collide(&a, &b, pose, 0.02, 1e-6);
            let (d, e) = (deepest(&m), deepest(&expected));
            assert!(d == e || (d - e).abs() < 1e-4, "case {case}: {d} instead of {e}");
        }
    }
}

#[test]
fn a_hull_that_rocks_slightly_keeps_its_points() {
    let hexagon = Shape3::hull(&prism(6)).unwrap();
    let slab = Shape3::cuboid(4.0, 1.0, 4.0);
    let floor = Shape3::plane(Vec3::Y, 0.5);
    for ground in [&slab, &floor, &Shape3::hull(&slab.vertices()).unwrap()] {
        let mut random = Random::new(47);
        let mut cache = topple::narrow_phase::PairCache::default();
        let mut ids: Option<Vec<u32>> = None;
        for step in 0..500 {
            let turn = Quat::from_ang(random.vec(3e-4));
            let at = Vec3::new(0.0, 0.5 + 0.4 - 0.002, 0.0) + random.vec(3e-4);
            let m = collide_cached(ground, &hexagon, Pose::new(at, turn), 0.02, 5e-3, &mut cache);
            assert_eq!(m.points().len(), 4, "{} step {step}: {m:?}", ground.kind());
            let mut now: Vec<u32> = m.points().iter().map(|p| p.id).collect();
            now.sort_unstable();
            assert_eq!(*ids.get_or_insert(now.clone()), now, "{} step {step}", ground.kind());
        }
    }
}

#[test]
fn large_faces_are_clipped_too() {
    let disc = Shape3::hull(&prism(120)).unwrap();
    let m = collide(&disc, &disc, Pose::at([0.1, 0.79, 0.05]), 0.02, 5e-3);
    assert_eq!(m.points().len(), 4);
    assert!((deepest(&m) + 0.01).abs() < 1e-4 && m.normal.y > 0.999, "{m:?}");
}
