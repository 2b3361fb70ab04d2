//! Contacts against the f64 reference.

use super::reference::{self, dot, wide};
use super::support::*;
use topple::math::*;
use topple::narrow_phase::{Algorithm, LocalManifold, PairCache};
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

/// Separations agree to this part of the size (dimensionless).
const TOLERANCE: f64 = 1e-4;
/// Sine of the largest angle between normals: 0.1°.
const NORMAL_SINE: f64 = 1.745e-3;

/// A pair of random kinds at a random relative pose, mostly touching or nearly so.
fn random_pair(random: &mut Random, kind_a: u32, kind_b: u32) -> (Shape2, Shape2, Pose<D2>) {
    let a = random_shape(random, kind_a, 1.0);
    let b = random_shape(random, kind_b, 1.0);
    let pose = Pose::new(random.vec(2.0), random.rotation());
    // Bring the surfaces close together along a random direction in half of the cases.
    let answer = reference::separation(&a, &b, &pose);
    let pull = match random.below(4) {
        0 => answer.separation as Real,
        1 => answer.separation as Real - random.range(-0.05, 0.05),
        _ => 0.0,
    };
    let n = Vec2::new(answer.normal[0] as Real, answer.normal[1] as Real);
    (a, b, Pose::new(pose.position - n * pull, pose.rotation))
}

/// The contact by every algorithm against the reference.
fn check(a: &Shape2, b: &Shape2, pose: Pose<D2>, margin: Real) {
    for algorithm in ALGORITHMS {
        check_by(algorithm, a, b, pose, margin);
    }
}

fn check_by(algorithm: Algorithm, a: &Shape2, b: &Shape2, pose: Pose<D2>, margin: Real) {
    let what = format!("{algorithm:?}\n{a:?}\n{b:?}\n{pose:?}");
    let expected = reference::separation(a, b, &pose);
    let got = collide_by(algorithm, a, b, pose, margin);
    check_promises(&got, margin, &what);
    if expected.separation > f64::from(margin) + TOLERANCE {
        assert!(got.is_empty(), "{what}\nno contact expected at {expected:?}, got {got:?}");
        return;
    }
    if expected.separation < f64::from(margin) - TOLERANCE {
        assert!(!got.is_empty(), "{what}\ncontact expected: {expected:?}");
        let error = (f64::from(deepest(&got)) - expected.separation).abs();
        assert!(error < TOLERANCE, "{what}\n{expected:?}\n{got:?}");
        // Directions of short distances and of ties are not unique.
        if expected.lead > 1e-3 {
            let cosine = dot(wide(got.normal), expected.normal);
            let sine = reference::cross(wide(got.normal), expected.normal).abs();
            assert!(cosine > 0.0 && sine < NORMAL_SINE, "{what}\n{expected:?}\n{got:?}");
        }
        for point in got.points() {
            check_point(a, b, &pose, &got, point.position, point.separation, &what);
        }
    }
}

/// The two surface points at half the separation to either side must lie in the inflated shapes.
fn check_point(
    a: &Shape2,
    b: &Shape2,
    pose: &Pose<D2>,
    manifold: &LocalManifold<D2>,
    position: Vec2,
    separation: Real,
    what: &str,
) {
    let on_a = position - manifold.normal * (0.5 * separation);
    let on_b = pose.inverse_transform((position + manifold.normal * (0.5 * separation)).into());
    // A point of a rounded shape's second end lies off the surface by the tilt of the edge; never outside by more.
    let slack = 2e-4 + 0.05 * a.rounding().max(b.rounding());
    for (shape, p) in [(a, on_a), (b, on_b)] {
        let dot_shape = Shape2::circle(1e-9);
        let distance = reference::separation(shape, &dot_shape, &Pose::at(p)).separation;
        assert!(distance < f64::from(slack), "{what}\n{manifold:?}\npoint {p} is {distance} outside");
    }
}

#[test]
fn contacts_of_all_pairs_agree_with_the_reference() {
    let mut random = Random::new(1);
    for round in 0..400 {
        for kinds in 0..KINDS * KINDS {
            let (ka, kb) = (kinds / KINDS, kinds % KINDS);
            if ka == 7 && kb == 7 {
                continue;
            }
            let (a, b, pose) = random_pair(&mut random, ka, kb);
            check(&a, &b, pose, [0.0, 0.02, 0.5][round % 3]);
        }
    }
}

#[test]
fn a_segment_nearly_square_to_the_edge_it_ends_at_touches_there() {
    // Found by long runs of the test above: interpolating along the steep segment multiplied rounding by thousands.
    let cases = [
        (
            Shape2::segment(Vec2::new(0.083_625_2, 0.052_536_13), Vec2::new(0.083_625_2, 0.766_653_5)),
            Shape2::Rectangle { half: Vec2::new(0.052_384_86, 0.237_503_41), radius: 0.0 },
            Pose::new((0.136_048_44, -0.184_958_93), Rot2 { cos: 1.0, sin: 0.000_161_499_37 }),
        ),
        (
            Shape2::segment(Vec2::new(-0.100_957_036, -0.402_784_35), Vec2::new(0.184_516_31, -0.402_795_82)),
            Shape2::Rectangle { half: Vec2::new(0.381_645_47, 0.175_999_66), radius: 0.0 },
            Pose::new((0.566_078_07, -0.226_614_36), Rot2 { cos: 0.999_999_9, sin: 0.000_476_110_7 }),
        ),
        (
            Shape2::segment(Vec2::new(-0.654_243_35, -0.894_320_96), Vec2::new(0.057_823_777, -0.894_346)),
            Shape2::Rectangle { half: Vec2::new(0.130_661_26, 0.334_600_15), radius: 0.0 },
            Pose::at((-0.784_904_6, -0.559_720_9)),
        ),
    ];
    for (a, b, pose) in cases {
        for margin in [0.02, 0.5] {
            check(&a, &b, pose, margin);
            check(&b, &a, pose.relative(Pose::IDENTITY), margin);
        }
    }
}

#[test]
fn swapping_the_shapes_flips_the_contact() {
    let mut random = Random::new(2);
    for case in 0..5000 {
        let algorithm = ALGORITHMS[case % ALGORITHMS.len()];
        let (ka, kb) = (random.below(7), random.below(KINDS));
        let (a, b, pose) = random_pair(&mut random, ka, kb);
        let margin = 0.1;
        let one = collide_by(algorithm, &a, &b, pose, margin);
        let back = Pose::IDENTITY;
        let back = pose.relative(back);
        let mut two = collide_by(algorithm, &b, &a, back, margin);
        two.flip(&pose);
        let what = format!("{a:?}\n{b:?}\n{pose:?}\n{one:?}\n{two:?}");
        let answer = reference::separation(&a, &b, &pose);
        if (answer.separation - f64::from(margin)).abs() < 1e-4 {
            continue;
        }
        assert_eq!(one.is_empty(), two.is_empty(), "{what}");
        if one.is_empty() {
            continue;
        }
        assert!((deepest(&one) - deepest(&two)).abs() < 1e-4, "{what}");
        if answer.lead > 1e-3 {
            assert!(one.normal.distance(two.normal) < 2e-3, "{what}");
        }
    }
}

#[test]
fn moving_both_shapes_rigidly_moves_the_contact() {
    let mut random = Random::new(3);
    for case in 0..5000 {
        let algorithm = ALGORITHMS[case % ALGORITHMS.len()];
        let (ka, kb) = (random.below(7), random.below(KINDS));
        let (a, b, pose) = random_pair(&mut random, ka, kb);
        let motion = Pose::<D2>::new(random.vec(5.0), random.rotation());
        let (world_a, world_b) = (motion, motion.compose(pose));
        let one = collide_by(algorithm, &a, &b, pose, 0.1);
        let two = collide_by(algorithm, &a, &b, world_a.relative(world_b), 0.1);
        let answer = reference::separation(&a, &b, &pose);
        if (answer.separation - 0.1).abs() < 1e-4 || answer.lead < 1e-3 {
            continue;
        }
        let what = format!("{a:?}\n{b:?}\n{pose:?}\n{one:?}\n{two:?}");
        assert_eq!(one.is_empty(), two.is_empty(), "{what}");
        if !one.is_empty() {
            assert!((deepest(&one) - deepest(&two)).abs() < 1e-4, "{what}");
            assert!(one.normal.distance(two.normal) < 2e-3, "{what}");
        }
    }
}

#[test]
fn a_cache_from_anywhere_changes_the_result_by_at_most_the_slop() {
    let mut random = Random::new(4);
    let slop = 1e-3;
    for _ in 0..20_000 {
        let (ka, kb) = (random.below(KINDS), random.below(7));
        let (a, b, pose) = random_pair(&mut random, ka, kb);
        let mut cache = PairCache {
            kind: [random.below(5), 16 + random.below(3)][random.below(2) as usize],
            a: random.below(12),
            b: random.below(12),
            value: random.range(-1.0, 1.0),
        };
        let margin = 0.02;
        let algorithm = ALGORITHMS[random.below(4) as usize];
        let got = collide_cached_by(algorithm, &a, &b, pose, margin, slop, &mut cache);
        let expected = reference::separation(&a, &b, &pose);
        let what = format!("{algorithm:?}\n{a:?}\n{b:?}\n{pose:?}\n{expected:?}\n{got:?}");
        check_promises(&got, margin, &what);
        if expected.separation < f64::from(margin - slop) - TOLERANCE {
            let error = (f64::from(deepest(&got)) - expected.separation).abs();
            assert!(error < f64::from(1.5 * slop) + TOLERANCE, "{what}");
            if expected.core > f64::from(slop) {
                // Apart, the direction is given by the closest points; an old edge may bend it by 2.6° at most.
                assert!(dot(wide(got.normal), expected.normal) > 0.998_9, "{what}");
            }
        } else if expected.separation > f64::from(margin + slop) + TOLERANCE {
            assert!(got.is_empty(), "{what}");
        }
    }
}

#[test]
fn faces_that_lie_on_each_other_have_two_points_at_the_ends_of_the_common_stretch() {
    let floor = Shape2::rectangle(10.0, 1.0);
    let brick = Shape2::rectangle(1.0, 0.5);
    for (x, left, right) in [(0.0, -0.5, 0.5), (4.8, 4.3, 5.0), (-5.2, -5.0, -4.7)] {
        for gap in [-0.01, 0.0, 0.01] {
            for algorithm in ALGORITHMS {
                let got = collide_by(algorithm, &floor, &brick, Pose::at((x, 0.75 + gap)), 0.02);
                let mut xs: Vec<Real> = got.points().iter().map(|p| p.position.x).collect();
                xs.sort_by(Real::total_cmp);
                assert_eq!(xs.len(), 2, "{got:?}");
                assert!((xs[0] - left).abs() < 1e-5 && (xs[1] - right).abs() < 1e-5, "{got:?}");
                for p in got.points() {
                    assert!((p.separation - gap).abs() < 1e-5, "{got:?}");
                    assert!((p.position.y - 0.5 - 0.5 * gap).abs() < 1e-5, "{got:?}");
                }
                assert_eq!(got.normal, Vec2::Y);
            }
        }
    }
}

#[test]
fn a_capsule_lies_on_a_box_a_plane_and_a_capsule_with_two_points() {
    let capsule = Shape2::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.2);
    let grounds = [
        (Shape2::rectangle(4.0, 2.0), 1.2),
        (Shape2::half_plane(Vec2::Y, 1.0), 1.2),
        (Shape2::capsule(Vec2::new(-1.0, 0.8), Vec2::new(1.0, 0.8), 0.2), 1.2),
        (capsule.clone(), 0.4),
        (Shape2::segment(Vec2::new(2.0, 1.0), Vec2::new(-2.0, 1.0)), 1.2),
        (inflated(4.0, 1.0, 0.5), 1.2),
    ];
    for (ground, height) in grounds {
        for tilt in [-1e-4, 0.0, 1e-4] {
            let pose = Pose::new((0.0, height - 0.01), Rot2::from_angle(tilt));
            for algorithm in ALGORITHMS {
                let got = collide_by(algorithm, &ground, &capsule, pose, 0.01);
                let what = format!("{algorithm:?} {ground:?} {got:?}");
                assert_eq!(got.points().len(), 2, "{what}");
                assert!(got.points().iter().all(|p| (p.separation + 0.01).abs() < 1e-3), "{what}");
            }
        }
    }
}
