//! Contacts of all pairs of shapes, against signed distances that carry their own proof (see `distance.rs`).

use crate::shapes::samples;
use crate::support::*;
use topple::Shape3;
use topple::distance::{closest_points, point_shape};
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;

#[test]
fn contacts_of_all_pairs_agree_with_the_signed_distance() {
    let mut random = Random::new(51);
    let mut shapes = samples();
    shapes.push(Shape3::plane(Vec3::new(0.2, 1.0, -0.3), -0.4));
    let mut overlapping = 0;
    for case in 0..cases(3_000) {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        if !a.collides_with(b) {
            continue;
        }
        let pose = random.pose(1.1);
        let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, a, b, pose, 0.05, 1e-6);
            let what = format!("case {case}: {algorithm:?} {} {} {c:?} {m:?}", a.kind(), b.kind());
            if c.distance > 0.0501 {
                assert!(m.is_empty(), "{what}: contact without closeness");
            } else if c.distance > 0.0 {
                // Sharp polyhedra that are apart report the gap of an axis, which may be less than the distance.
                let sharp =
                    |s: &Shape3| matches!(s, Shape3::Box { .. } | Shape3::Hull { .. }) && s.rounding() == 0.0;
                let least =
                    if sharp(a) && sharp(b) && algorithm != Algorithm::Gjk { 0.0 } else { c.distance };
                assert!(deepest(&m) >= least - 2e-4, "{what}");
            } else {
                overlapping += 1;
                assert!((deepest(&m) - c.distance).abs() < 1e-4, "{what}: {} instead", deepest(&m));
            }
        }
    }
    assert!(overlapping > 5_000, "{overlapping}");
}

#[test]
fn rounded_shapes_touch_at_their_true_distance() {
    let mut random = Random::new(52);
    let shapes = samples();
    let rounded: Vec<&Shape3> = shapes.iter().filter(|s| s.rounding() > 0.0).collect();
    let mut close = 0;
    for case in 0..cases(20_000) {
        let a = rounded[random.bits() as usize % rounded.len()];
        let b = rounded[random.bits() as usize % rounded.len()];
        let pose = random.pose(1.5);
        let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
        if !(0.0..0.05).contains(&c.distance) {
            continue;
        }
        close += 1;
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, a, b, pose, 0.0501, 1e-6);
            let what = format!("case {case}: {algorithm:?} {a:?} {b:?} {c:?} {m:?}");
            assert!((deepest(&m) - c.distance).abs() < 1e-4, "{what}");
            assert!((m.normal - c.normal).length() < 5e-3, "{what}");
        }
    }
    assert!(close > 300, "{close}");
}

#[test]
fn all_pairs_are_symmetric_under_swapping() {
    let mut random = Random::new(53);
    let shapes = samples();
    for case in 0..cases(3_000) {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        let pose = random.pose(1.0);
        let algorithm = ALGORITHMS[case % 4];
        let m = collide_by(algorithm, a, b, pose, 0.01, 1e-6);
        let w = collide_by(algorithm, b, a, inverse(&pose), 0.01, 1e-6);
        let what = format!("case {case}: {algorithm:?} {} {} {m:?} {w:?}", a.kind(), b.kind());
        assert_eq!(m.is_empty(), w.is_empty(), "{what}");
        if !m.is_empty() && deepest(&m) < 0.0 {
            assert!((deepest(&m) - deepest(&w)).abs() < 1e-4, "{what}");
        }
    }
}

#[test]
fn moving_both_shapes_rigidly_moves_the_contact() {
    let mut random = Random::new(55);
    let shapes = samples();
    let mut compared = 0;
    for case in 0..1_200 {
        let a = &shapes[random.bits() as usize % shapes.len()];
        let b = &shapes[random.bits() as usize % shapes.len()];
        let (pose, motion) = (random.pose(1.0), random.pose(5.0));
        let algorithm = ALGORITHMS[case % 4];
        let m = collide_by(algorithm, a, b, pose, 0.05, 1e-6);
        let w = collide_by(algorithm, a, b, motion.relative(motion.compose(pose)), 0.05, 1e-6);
        let c = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap();
        let what = format!("case {case}: {algorithm:?} {} {} {c:?} {m:?} {w:?}", a.kind(), b.kind());
        if (c.distance - 0.05).abs() < 1e-4 {
            continue;
        }
        // Sharp polyhedra that are apart may have a contact along an axis or none: rounding decides.
        if c.distance <= 0.0 {
            compared += 1;
            assert_eq!(m.is_empty(), w.is_empty(), "{what}");
            assert!((deepest(&m) - deepest(&w)).abs() < 1e-4, "{what}");
            // Where the next best direction is as good, either may be taken.
            let moved = closest_points::<D3>(a, &motion, b, &motion.compose(pose)).unwrap();
            if (motion.rotation.rotate_inv(moved.normal) - c.normal).length() < 1e-3 && c.distance > -0.05 {
                assert!((m.normal - w.normal).length() < 5e-3, "{what}");
            }
        }
    }
    assert!(compared > 400, "{compared}");
}

/// `count` steps of small motions about a resting pose; the contact keeps its points and normal.
fn rests(ground: &Shape3, shape: &Shape3, at: Vec3, turn: Quat, points: usize) {
    for algorithm in ALGORITHMS {
        rests_by(algorithm, ground, shape, at, turn, points);
    }
}

fn rests_by(algorithm: Algorithm, ground: &Shape3, shape: &Shape3, at: Vec3, turn: Quat, points: usize) {
    let mut random = Random::new(54);
    let mut cache = PairCache::default();
    let mut ids: Option<Vec<u32>> = None;
    for step in 0..200 {
        let shake = Quat::from_ang(random.vec(3e-4));
        let pose = Pose::new(at + random.vec(3e-4), RotOps::<D3>::then_after(shake, turn));
        let m = collide_cached_by(algorithm, ground, shape, pose, 0.02, 5e-3, &mut cache);
        let what = format!("{algorithm:?}: {} on {} step {step}: {m:?}", shape.kind(), ground.kind());
        assert_eq!(m.points().len(), points, "{what}");
        assert!((m.normal - Vec3::Y).length() < 2e-3, "{what}");
        let mut now: Vec<u32> = m.points().iter().map(|p| p.id).collect();
        now.sort_unstable();
        assert_eq!(*ids.get_or_insert(now.clone()), now, "{what}");
    }
}

#[test]
fn cylinders_and_cones_stand_and_lie_with_constant_points() {
    let lying = Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_2);
    let floor = Shape3::plane(Vec3::Y, 0.5);
    let slab = Shape3::cuboid(4.0, 1.0, 4.0);
    let pillar = Shape3::cylinder(1.0, 2.0);
    for ground in [&floor, &slab, &pillar] {
        for rounding in [0.0, 0.1] {
            let cylinder = Shape3::rounded_cylinder(1.2, 0.4, rounding);
            rests(ground, &cylinder, Vec3::Y * (0.5 + 0.6 - 0.002), Quat::IDENTITY, 4);
            rests(ground, &cylinder, Vec3::Y * (0.5 + 0.4 - 0.002), lying, 2);
            let cone = Shape3::rounded_cone(1.2, 0.4, rounding);
            rests(ground, &cone, Vec3::Y * (0.5 + 0.6 + rounding - 0.002), Quat::IDENTITY, 4);
        }
    }
    // Upside down on its apex, and on its side.
    let cone = Shape3::cone(1.2, 0.4);
    let upside_down = Quat::from_ang(Vec3::Z * core::f32::consts::PI);
    rests(&slab, &cone, Vec3::Y * (0.5 + 0.6 - 0.002), upside_down, 1);
    // The side rises with slope 0.4 / 1.2: turn it down to the ground.
    let tilt = core::f32::consts::FRAC_PI_2 + atan2(0.4, 1.2);
    let height = 0.6 * 0.4 / (0.4_f32 * 0.4 + 1.2 * 1.2).sqrt();
    for ground in [&slab, &floor] {
        rests(ground, &cone, Vec3::Y * (0.5 + height - 0.002), Quat::from_ang(Vec3::Z * -tilt), 2);
    }
}

#[test]
fn cylinders_meet_at_any_angle() {
    let cylinder = Shape3::cylinder(2.0, 0.3);
    let lying = Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_2);
    for (degrees, algorithm) in (0..=90).flat_map(|d| ALGORITHMS.map(|x| (d, x))) {
        // Two lying cylinders, one turned about the vertical, 1 mm deep in each other.
        let turn = Quat::from_ang(Vec3::Y * (degrees as f32).to_radians());
        let world = RotOps::<D3>::then_after(turn, lying);
        let pose_a = Pose::new(Vec3::ZERO, lying);
        let b_in_a = pose_a.relative(Pose::new(Vec3::Y * 0.599, world));
        let m = collide_by(algorithm, &cylinder, &cylinder, b_in_a, 0.01, 5e-3);
        let up = lying.rotate(m.normal);
        assert!((up - Vec3::Y).length() < 5e-3, "{degrees} degrees: normal {up:?}");
        assert!((deepest(&m) + 0.001).abs() < 1e-4, "{degrees} degrees: {m:?}");
        let expected = if degrees == 0 { 2 } else { 1 };
        if degrees == 0 || degrees > 2 {
            assert_eq!(m.points().len(), expected, "{degrees} degrees: {m:?}");
        }
    }
}

#[test]
fn a_rolling_cylinder_keeps_its_two_points_under_it() {
    let cylinder = Shape3::cylinder(1.0, 0.4);
    let lying = Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_2);
    let grounds = [Shape3::plane(Vec3::Y, 0.5), Shape3::cuboid(40.0, 1.0, 40.0)];
    for (ground, algorithm) in grounds.into_iter().flat_map(|g| ALGORITHMS.map(|x| (g.clone(), x))) {
        let mut cache = PairCache::default();
        for step in 0..1_000 {
            let angle = 0.01 * step as f32;
            let roll = Quat::from_ang(Vec3::X * angle);
            let at = Vec3::new(0.0, 0.899, 0.4 * angle);
            let pose = Pose::new(at, RotOps::<D3>::then_after(roll, lying));
            let m = collide_cached_by(algorithm, &ground, &cylinder, pose, 0.02, 5e-3, &mut cache);
            assert_eq!(m.points().len(), 2, "{algorithm:?} step {step}: {m:?}");
            assert!((m.normal - Vec3::Y).length() < 1e-5, "step {step}: {:?}", m.normal);
            for p in m.points() {
                assert!((p.separation + 0.001).abs() < 1e-5, "step {step}: {p:?}");
                assert!((p.position.z - at.z).abs() < 1e-3, "step {step}: not below the axis, {p:?}");
            }
        }
    }
}

#[test]
fn degenerate_pairs_of_all_kinds_give_usable_contacts() {
    let sizes = [1e-4, 1e-2, 1.0, 1e2, 1e4];
    let points = crate::shapes::cloud(5, 12);
    let shape = |kind: usize, s: f32| match kind {
        0 => Shape3::sphere(0.5 * s),
        1 => Shape3::cuboid(s, s, s),
        2 => Shape3::capsule_y(s, 0.3 * s),
        3 => Shape3::rounded_cuboid(s, s, s, 0.2 * s),
        4 => Shape3::cylinder(s, 0.5 * s),
        5 => Shape3::cone(s, 0.5 * s),
        6 => Shape3::rounded_cylinder(s, 0.5 * s, 0.1 * s),
        _ => Shape3::hull(&points.iter().map(|&p| p * s).collect::<Vec<_>>()).unwrap(),
    };
    for (sa, sb) in sizes.iter().flat_map(|&x| sizes.iter().map(move |&y| (x, y))) {
        for (ka, kb) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
            for at in [Vec3::ZERO, Vec3::X * (0.1 * sa), Vec3::Y * (0.5 * (sa + sb)), Vec3::splat(0.3 * sa)] {
                for turn in [Quat::IDENTITY, Quat::from_ang(Vec3::new(1.0, 0.4, 0.2))] {
                    let (a, b) = (shape(ka, sa), shape(kb, sb));
                    let small = sa.min(sb);
                    for algorithm in [Algorithm::Auto, Algorithm::Sat, Algorithm::Gjk] {
                        let pose = Pose::new(at, turn);
                        let m = collide_by(algorithm, &a, &b, pose, 0.02 * small, 5e-3 * small);
                        if at == Vec3::ZERO {
                            assert!(
                                !m.is_empty() && deepest(&m) < 0.0,
                                "{algorithm:?} {a:?} {b:?} {turn:?}: {m:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_cached_axis_answers_for_shapes_that_stay_apart() {
    let shapes = samples();
    for a in &shapes {
        for b in &shapes {
            let mut cache = PairCache::default();
            let mut counters = NarrowCounters::default();
            let mut out = LocalManifold::default();
            for step in 0..10 {
                let b_in_a = Pose::at([2.5, 0.01 * step as f32, 1.5]);
                let job = CollideJob { a, b, b_in_a, margin: 0.02, slop: 5e-3, algorithm: Algorithm::Auto };
                Shape3::collide(&job, &mut cache, &mut counters, &mut out);
                assert!(out.is_empty());
            }
            let round = |s: &Shape3| matches!(s, Shape3::Sphere { .. } | Shape3::Capsule { .. });
            if !round(a) && !round(b) {
                assert!(counters.cache_hits >= 8, "{} {}: {counters:?}", a.kind(), b.kind());
            }
        }
    }
}

/// The side of a cone that touches with its rim or its tip leans along the normal: its points are on it, and on the side of the other shape.
#[test]
fn points_of_two_sides_are_on_both_shapes() {
    let turned = |x, y, z, w| Quat::from_xyzw(x, y, z, w).normalize();
    let pairs = [
        (
            Shape3::Cone { half_height: 0.481_321, radius: 0.462_2, rounding: 0.0 },
            Shape3::Cylinder { half_height: 0.696_563, radius: 0.660_778, rounding: 0.04 },
            Pose::<D3>::new([0.379_846, 0.170_353, 0.079_78], turned(0.0, 0.382_683, 0.0, 0.923_88)),
        ),
        (
            Shape3::Cone { half_height: 0.512_251, radius: 0.336_895, rounding: 0.0 },
            Shape3::Cone { half_height: 0.284_595, radius: 0.119_893, rounding: 0.0 },
            Pose::new([0.0, 0.601_562, 0.0], turned(0.866_053, -0.410_36, 0.267_545, 0.099_881)),
        ),
        (
            Shape3::Cylinder { half_height: 0.527_297, radius: 0.158_903, rounding: 0.0 },
            Shape3::Cylinder { half_height: 0.492_418, radius: 0.306_961, rounding: 0.0 },
            Pose::new([0.0, 0.620_186, 0.0], turned(0.001_519, 0.302_189, -0.946_145, 0.116_145)),
        ),
    ];
    for (a, b, pose) in &pairs {
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, a, b, *pose, 0.05, 1e-6);
            assert!(!m.is_empty());
            for point in m.points() {
                let half = m.normal * (0.5 * point.separation);
                let ends = [(point.position - half, a, Pose::IDENTITY), (point.position + half, b, *pose)];
                for (at, shape, place) in ends {
                    let distance = point_shape::<D3>(at.into(), shape, &place).unwrap().distance;
                    assert!(distance < 5e-3, "{algorithm:?}: {distance} m outside of {shape:?}: {m:?}");
                }
            }
        }
    }
}
