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
