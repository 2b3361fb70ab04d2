//! Closest points, signed distances and shape casts.

use crate::shapes::samples;
use crate::support::*;
use topple::distance::{closest_points, shape_cast};
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{D2, D3, Shape2, Shape3};

fn closest(a: &Shape3, pa: &Pose<D3>, b: &Shape3, pb: &Pose<D3>) -> topple::distance::Closest<D3> {
    closest_points::<D3>(a, pa, b, pb).unwrap()
}

/// Gap of the rounded shapes along `n`, in f64 from f32 support points.
fn support_gap(a: &Shape3, pa: &Pose<D3>, b: &Shape3, pb: &Pose<D3>, n: Vec3) -> f64 {
    let reach = |shape: &Shape3, pose: &Pose<D3>, n: Vec3| {
        let core = shape.support(pose.rotation.rotate_inv(n)).unwrap();
        dot(place(pose, wide(core)), wide(n)) + f64::from(shape.rounding())
    };
    -reach(b, pb, -n) - reach(a, pa, n)
}

#[test]
fn distances_are_proven_by_their_own_points_and_normal() {
    let mut random = Random::new(31);
    let shapes = samples();
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..20_000 {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        let (pa, pb) = (random.pose(1.2), random.pose(1.2));
        let c = closest(a, &pa, b, &pb);
        let what = format!("case {case}: {} {} {c:?}", a.kind(), b.kind());
        assert!((c.normal.length() - 1.0).abs() < 1e-5, "{what}");
        // No axis separates by more than the distance; this one separates by as much: it is the distance.
        let gap = support_gap(a, &pa, b, &pb, c.normal);
        assert!((gap - f64::from(c.distance)).abs() < 1e-5, "{what}: gap {gap}");
        // The points are where they claim to be.
        let along = (c.point_b - c.point_a).dot(c.normal);
        assert!((along - c.distance).abs() < 1e-5, "{what}");
        assert!((c.point_b - c.point_a - c.normal * along).length() < 1e-4, "{what}: sideways");
        for (shape, pose, point, outward) in [(a, &pa, c.point_a, c.normal), (b, &pb, c.point_b, -c.normal)] {
            let inward = shape.mass(1.0).center - pose.inverse_transform(point);
            assert!(shape.contains(pose.inverse_transform(point) + inward * 1e-4), "{what}: not in");
            assert!(!shape.contains(pose.inverse_transform(point + outward * 1e-4)), "{what}: not out");
        }
        if c.distance > 0.0 {
            apart += 1;
        } else {
            overlapping += 1;
            for _ in 0..20 {
                let n = random.direction();
                let other = support_gap(a, &pa, b, &pb, n);
                assert!(other <= f64::from(c.distance) + 1e-5, "{what}: {other} along {n:?}");
            }
        }
    }
    assert!(apart > 3_000 && overlapping > 3_000, "{apart} {overlapping}");
}

#[test]
fn depth_of_overlapping_boxes_is_that_of_the_separating_axes() {
    let mut random = Random::new(32);
    let mut count = 0;
    for case in 0..10_000 {
        let half = |r: &mut Random| Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0));
        let (ha, hb) = (half(&mut random), half(&mut random));
        let pose = random.pose(0.8);
        let (expected, axis, other) = brute_force(&Polytope::cuboid(ha), &Polytope::cuboid(hb).placed(&pose));
        let sharp = |half| Shape3::Box { half, radius: 0.0 };
        let c = closest(&sharp(ha), &Pose::IDENTITY, &sharp(hb), &pose);
        if expected >= 0.0 {
            assert!(f64::from(c.distance) >= expected - 1e-5, "case {case}");
            continue;
        }
        count += 1;
        assert!((f64::from(c.distance) - expected).abs() < 1e-5, "case {case}: {c:?} {expected}");
        if expected - other > 1e-4 {
            let angle = angle_deg(c.normal, axis);
            assert!(angle < 0.1, "case {case}: normal off by {angle} degrees");
        }
    }
    assert!(count > 3_000, "{count}");
}

#[test]
fn distances_survive_extreme_sizes_and_coincident_centres() {
    let sizes = [1e-4, 1e-2, 1.0, 1e2, 1e4];
    let shape = |kind: usize, s: f32| match kind {
        0 => Shape3::sphere(0.5 * s),
        1 => Shape3::cuboid(s, s, s),
        2 => Shape3::capsule_y(s, 0.3 * s),
        _ => Shape3::rounded_cuboid(s, s, s, 0.2 * s),
    };
    for (sa, sb) in sizes.iter().flat_map(|&x| sizes.iter().map(move |&y| (x, y))) {
        for (ka, kb) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            for at in [Vec3::ZERO, Vec3::X * sa, Vec3::Y * (0.5 * (sa + sb)), Vec3::splat(0.3 * sa)] {
                for turn in [Quat::IDENTITY, Quat::from_ang(Vec3::new(1.0, 0.4, 0.2))] {
                    let (a, b) = (shape(ka, sa), shape(kb, sb));
                    let c = closest(&a, &Pose::IDENTITY, &b, &Pose::new(at, turn));
                    let what = format!("{a:?} {b:?} {at:?} {turn:?}: {c:?}");
                    assert!((c.normal.length() - 1.0).abs() < 1e-5, "{what}");
                    assert!(
                        c.distance.is_finite() && c.point_a.is_finite() && c.point_b.is_finite(),
                        "{what}"
                    );
                    let gap = support_gap(&a, &Pose::IDENTITY, &b, &Pose::new(at, turn), c.normal);
                    assert!(
                        (gap - f64::from(c.distance)).abs() < 1e-5 * f64::from(sa.max(sb)),
                        "{what} {gap}"
                    );
                }
            }
        }
    }
}

#[test]
fn half_spaces_have_distances_too() {
    let floor = Shape3::plane(Vec3::Y, 1.0);
    let cube = Shape3::cuboid(2.0, 2.0, 2.0);
    let pose = Pose::at([3.0, 4.0, 0.0]);
    let c = closest(&floor, &Pose::IDENTITY, &cube, &pose);
    assert_eq!((c.distance, c.normal), (2.0, Vec3::Y));
    let c = closest(&cube, &pose, &floor, &Pose::IDENTITY);
    assert_eq!((c.distance, c.normal), (2.0, -Vec3::Y));
    assert_eq!((c.point_a.y, c.point_b.y), (3.0, 1.0));
    assert!(closest_points::<D3>(&floor, &pose, &floor, &pose).is_none());
    let hit = shape_cast::<D3>(&cube, &pose, Vec3::Y * -4.0, &floor, &Pose::IDENTITY, 1.0, 0.0).unwrap();
    assert!((hit.t - 0.5).abs() < 1e-5 && (hit.point.y - 1.0).abs() < 1e-4, "{hit:?}");
    let hit = shape_cast::<D3>(&floor, &Pose::IDENTITY, Vec3::Y * 4.0, &cube, &pose, 1.0, 0.0).unwrap();
    assert!((hit.t - 0.5).abs() < 1e-5 && (hit.point.y - 3.0).abs() < 1e-4, "{hit:?}");
}

#[test]
fn casts_stop_at_the_first_touch() {
    let mut random = Random::new(33);
    let shapes = samples();
    let mut hits = 0;
    for case in 0..5_000 {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        let (pa, pb) = (random.pose(4.0), random.pose(0.5));
        let way = (pb.position - pa.position) * 1.2 + random.vec(1.5);
        let target = random.range(0.0, 0.1);
        let distance_at = |t: f32| {
            let at = Pose { position: pa.position + way * t, rotation: pa.rotation };
            closest(a, &at, b, &pb).distance
        };
        let what = format!("case {case}: {} {}", a.kind(), b.kind());
        match shape_cast::<D3>(a, &pa, way, b, &pb, 1.0, target) {
            Some(hit) if hit.t > 0.0 => {
                hits += 1;
                let d = distance_at(hit.t);
                assert!((d - target).abs() < 1e-4, "{what}: {d} away instead of {target}");
                for k in 1..20 {
                    let t = hit.t * k as f32 / 20.0;
                    assert!(distance_at(t) > target - 1e-4, "{what}: touched before");
                }
            }
            Some(_) => assert!(distance_at(0.0) < target + 1e-4, "{what}: hit at once"),
            None => {
                for k in 0..=40 {
                    let d = distance_at(k as f32 / 40.0);
                    assert!(d > target - 1e-4, "{what}: missed a touch, {d}");
                }
            }
        }
    }
    assert!(hits > 400, "{hits}");
}

#[test]
fn the_same_functions_serve_the_plane() {
    let (a, b) = (Shape2::circle(1.0), Shape2::circle(0.5));
    let at = |x: f32| Pose::<D2>::at([x, 0.0]);
    let c = closest_points::<D2>(&a, &at(0.0), &b, &at(4.0)).unwrap();
    assert_eq!((c.distance, c.normal), (2.5, Vec2::X));
    let c = closest_points::<D2>(&a, &at(0.0), &b, &at(1.0)).unwrap();
    assert_eq!((c.distance, c.normal), (-0.5, Vec2::X));
    let c = closest_points::<D2>(&a, &at(0.0), &b, &at(0.0)).unwrap();
    assert_eq!((c.distance, c.normal.length()), (-1.5, 1.0));
    let hit = shape_cast::<D2>(&a, &at(0.0), Vec2::X * 5.0, &b, &at(4.0), 1.0, 0.0).unwrap();
    assert!((hit.t - 0.5).abs() < 1e-5, "{hit:?}");
}
