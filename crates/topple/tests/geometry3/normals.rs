//! Contacts of all pairs of convex shapes against the reference in f64: depth, normal, swapping, rigid motion.

use crate::reference::{Answer, CLEARLY, Cores, separation};
use crate::shapes::samples;
use crate::support::*;
use core::f32::consts::PI;
use topple::Shape3;
use topple::math::*;
use topple::narrow_phase::{Algorithm, LocalManifold};
use topple::shape::ShapeOps;

/// Separations agree to this [m]: 1e-4 of the size, which is about 1 m.
const TOLERANCE: f64 = 1e-4;
/// Normals agree to this where they are unique [degrees].
const ANGLE: f64 = 0.1;
const MARGIN: f32 = 0.05;
/// Far below the tolerances, so that no face is taken for an axis.
const SLOP: f32 = 1e-7;

/// True for shapes with sharp corners and flat sides, which report the gap of an axis where they are apart.
fn is_polyhedron(shape: &Shape3) -> bool {
    matches!(shape, Shape3::Box { .. } | Shape3::Hull { .. })
}

/// A pose in which the pair overlaps: as it comes, or brought to a shallow overlap or a small distance.
fn random_pose(random: &mut Random, a: &Shape3, b: &Shape3, case: usize) -> (Pose<D3>, Answer) {
    let pose = random.pose(0.9);
    let answer = separation(a, b, &pose);
    let target = match case % 4 {
        0 => return (pose, answer),
        1 => random.range(-0.02, 0.02),
        2 => random.range(-1e-3, 1e-3),
        _ => random.range(-0.2, 0.0),
    };
    let shift = f64::from(target) - answer.separation;
    let [x, y, z] = scale(answer.normal, shift).map(|c| c as f32);
    let pose = Pose::new(pose.position.to_vec() + Vec3::new(x, y, z), pose.rotation);
    (pose, separation(a, b, &pose))
}

/// The worst errors of a pair of kinds.
#[derive(Clone, Copy, Default)]
struct Worst {
    depth: f64,
    angle: f64,
    normals: u32,
    bad: u32,
}

/// What is wrong with a contact, against the answer of the reference: errors of depth [m] and normal [degrees].
fn errors(m: &LocalManifold<D3>, cores: &Cores<'_>, expected: &Answer) -> (f64, Option<f64>) {
    let depth = (f64::from(deepest(m)) - expected.separation).abs();
    let angle = angle_deg(m.normal, expected.normal);
    // A direction of its own that is as good shows that the best is not the only one.
    let is_tie = angle > 1.0 && cores.gap(wide(m.normal)) > expected.core - CLEARLY;
    (depth, (expected.is_unique && !is_tie).then_some(angle))
}

#[test]
fn depths_and_normals_of_all_pairs_agree_with_the_reference() {
    let mut random = Random::new(71);
    let shapes = samples();
    let mut failures = Vec::new();
    let mut normals = 0;
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            let mut worst = [Worst::default(); ALGORITHMS.len()];
            for case in 0..cases(16) {
                let (pose, expected) = random_pose(&mut random, a, b, case);
                // Apart, sharp polyhedra know the gap of an axis only; near the margin rounding decides.
                let is_apart = expected.core > -1e-6;
                if is_apart && is_polyhedron(a) && is_polyhedron(b) && a.rounding() + b.rounding() == 0.0
                    || expected.separation > f64::from(MARGIN) - TOLERANCE
                {
                    continue;
                }
                let cores = Cores::new(a, b, pose);
                for (algorithm, worst) in ALGORITHMS.into_iter().zip(&mut worst) {
                    let m = collide_by(algorithm, a, b, pose, MARGIN, SLOP);
                    let (depth, angle) = errors(&m, &cores, &expected);
                    worst.depth = worst.depth.max(depth);
                    worst.angle = worst.angle.max(angle.unwrap_or(0.0));
                    worst.normals += u32::from(angle.is_some());
                    if depth > TOLERANCE || angle.is_some_and(|x| x > ANGLE) {
                        worst.bad += 1;
                        if worst.bad <= 2 {
                            println!(
                                "{algorithm:?} {i} {j} case {case} {depth:e} {angle:?} {expected:?} {m:?} {pose:?}"
                            );
                        }
                    }
                }
            }
            for (algorithm, worst) in ALGORITHMS.into_iter().zip(worst) {
                normals += worst.normals;
                if worst.bad > 0 {
                    failures.push(format!(
                        "{algorithm:?} {} {} ({i}, {j}): {} off, depth by {:.1e} m, normal by {:.2} degrees",
                        a.kind(),
                        b.kind(),
                        worst.bad,
                        worst.depth,
                        worst.angle
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {normals}:\n{}", failures.len(), failures.join("\n"));
    assert!(normals > 8_000, "{normals} normals compared");
}

#[test]
fn swapping_and_rigid_motion_keep_depth_and_normal() {
    let mut random = Random::new(72);
    let shapes = samples();
    let mut compared = 0;
    let mut failures = Vec::new();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        for case in 0..cases(14) {
            let (pose, expected) = random_pose(&mut random, a, b, case);
            if expected.core > -1e-6 {
                continue;
            }
            let algorithm: Algorithm = ALGORITHMS[case % ALGORITHMS.len()];
            let cores = Cores::new(a, b, pose);
            let m = collide_by(algorithm, a, b, pose, MARGIN, SLOP);
            let mut swapped = collide_by(algorithm, b, a, inverse(&pose), MARGIN, SLOP);
            swapped.flip(&pose);
            let motion = random.pose(2.0);
            let moved = collide_by(algorithm, a, b, motion.relative(motion.compose(pose)), MARGIN, SLOP);
            for (other, what) in [(&swapped, "swapped"), (&moved, "moved")] {
                let depth = f64::from((deepest(&m) - deepest(other)).abs());
                let angle = angle_deg(m.normal, wide(other.normal));
                let is_tie = angle > 1.0 && {
                    let gap = |n: Vec3| cores.gap(wide(n));
                    (gap(m.normal) - gap(other.normal)).abs() < CLEARLY
                };
                compared += u32::from(expected.is_unique && !is_tie);
                if depth > TOLERANCE || expected.is_unique && !is_tie && angle > ANGLE {
                    failures.push(format!(
                        "{algorithm:?} {} {} {what}: {depth:e} m, {angle} degrees",
                        a.kind(),
                        b.kind()
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {compared}:\n{}", failures.len(), failures.join("\n"));
    assert!(compared > 1_000, "{compared}");
}

/// Largest gap of two cores over directions all around, the best of them improved by trying their neighbours, nearer and nearer. Needs no
/// direction to be better than all others, and is never more than the true one.
fn sampled(cores: &Cores<'_>) -> f64 {
    let mut random = Random::new(75);
    let unit = |v: V| scale(v, 1.0 / length(v));
    let mut best: Vec<(f64, V)> = (0..2_000)
        .map(|_| unit(wide(random.direction())))
        .chain([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        .map(|n| (cores.gap(n), n))
        .collect();
    best.sort_by(|x, y| y.0.total_cmp(&x.0));
    best.truncate(12);
    for (gap, n) in &mut best {
        let mut reach = 0.1;
        while reach > 1e-6 {
            let nearer = (0..24).fold((*gap, *n), |found, _| {
                let v = unit(add(*n, scale(wide(random.direction()), reach)));
                let x = cores.gap(v);
                if x > found.0 { (x, v) } else { found }
            });
            if nearer.0 > *gap {
                (*gap, *n) = nearer;
            } else {
                reach *= 0.6;
            }
        }
    }
    best.iter().fold(f64::NEG_INFINITY, |m, x| m.max(x.0))
}

#[test]
fn round_shapes_about_nearly_one_axis_have_no_shorter_way_out() {
    // All directions about the axis are as good, or nearly so: nothing for a search to hold on to.
    let mut random = Random::new(73);
    let shapes = [
        Shape3::cylinder(1.0, 0.5),
        Shape3::cylinder(2.0, 0.3),
        Shape3::cone(1.0, 0.5),
        Shape3::cone(3.0, 0.4),
        Shape3::rounded_cylinder(1.2, 0.4, 0.1),
        Shape3::capsule_y(1.0, 0.3),
        Shape3::cuboid(1.6, 0.9, 1.6),
    ];
    let mut failures = Vec::new();
    let mut count = 0;
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        for case in 0..cases(6) {
            // Up to a few degrees and a few centimetres off, or exactly about one axis, upright or upside down.
            let off = [0.0, 1e-4, 3e-3, 0.05][case % 4];
            let turn = Quat::from_ang(random.vec(off)) * Quat::from_ang(Vec3::X * [0.0, PI][case / 4 % 2]);
            let at = random.vec(off) + Vec3::Y * random.range(-0.5, 0.5);
            let pose = Pose::new(at, turn);
            let cores = Cores::new(a, b, pose);
            let rounding = f64::from(a.rounding()) + f64::from(b.rounding());
            let expected = sampled(&cores) - rounding;
            for algorithm in ALGORITHMS {
                let m = collide_by(algorithm, a, b, pose, MARGIN, SLOP);
                let got = f64::from(deepest(&m));
                // A way out as long as it claims, and none that is known is shorter.
                let along = cores.gap(wide(m.normal)) - rounding;
                count += 1;
                if (got - along).abs() > TOLERANCE || got < expected - TOLERANCE {
                    failures.push(format!(
                        "{algorithm:?} {} {}: {got}, {along} along the normal, of {expected}, {:?} {pose:?}",
                        a.kind(),
                        b.kind(),
                        m.normal
                    ));
                }
            }
        }
    }
    failures.iter().take(12).for_each(|f| println!("{f}"));
    assert!(failures.is_empty(), "{} of {count}", failures.len());
}

/// At the slop of bodies of 1 m: the lowest point of a rim and the crossing of two edges may be left out where others are as low to within
/// a tenth of the slop, no more.
#[test]
fn depths_at_the_usual_slop_are_good_to_a_tenth_of_it() {
    const USUAL: f32 = 5e-3;
    let mut random = Random::new(74);
    let cube = Shape3::cuboid(1.0, 0.8, 0.9);
    let floor = Shape3::plane(Vec3::Y, 0.0);
    let slab = Shape3::cuboid(6.0, 1.0, 6.0);
    let mut failures = Vec::new();
    for case in 0..cases(300) {
        let tilt = random.range(0.0, 0.3);
        let turn = Quat::from_ang(Vec3::Y * random.range(-3.0, 3.0))
            * Quat::from_ang(Vec3::Z * tilt)
            * Quat::from_ang(Vec3::Y * random.range(-3.0, 3.0));
        let disc = if case % 2 == 0 { Shape3::cylinder(0.2, 0.5) } else { Shape3::cone(0.4, 0.5) };
        // On the rim, 1 mm deep.
        let low = disc.support(turn.rotate_inv(-Vec3::Y)).unwrap();
        let at = Vec3::Y * (-turn.rotate(low).y - 1e-3);
        for (ground, height) in [(&floor, 0.0), (&slab, 0.5)] {
            let pose = Pose::new(at + Vec3::Y * height, turn);
            for algorithm in ALGORITHMS {
                let m = collide_by(algorithm, ground, &disc, pose, 0.02, USUAL);
                let got = deepest(&m);
                if (got + 1e-3).abs() > 0.11 * USUAL {
                    failures.push(format!("{algorithm:?} {} tilt {tilt}: {got}", ground.kind()));
                }
            }
        }
        // Two edges across each other.
        let pose = random.pose(0.9);
        let expected = separation(&cube, &cube, &pose);
        let [x, y, z] = scale(expected.normal, f64::from(random.range(-4e-3, 0.0)) - expected.separation)
            .map(|c| c as f32);
        let pose = Pose::new(pose.position.to_vec() + Vec3::new(x, y, z), pose.rotation);
        let expected = separation(&cube, &cube, &pose);
        let m = collide_by(Algorithm::Gjk, &cube, &cube, pose, 0.02, USUAL);
        // A face may be taken for the axis where it is worse by the slop, no more; along it the depth is right, unless the lowest corner hangs
        // over beyond the border of the face, where nothing touches: then it is less, by the slop at most.
        let gap = Cores::new(&cube, &cube, pose).gap(wide(m.normal));
        let got = f64::from(deepest(&m));
        let is_right = got - gap > -0.11 * f64::from(USUAL) && got - gap < 1.01 * f64::from(USUAL);
        if !is_right || gap < expected.core - 1.01 * f64::from(USUAL) {
            failures.push(format!("edges {pose:?}: {got}, {gap} along the normal, {}", expected.core));
        }
    }
    failures.iter().take(12).for_each(|f| println!("{f}"));
    assert!(failures.is_empty(), "{}", failures.len());
}
