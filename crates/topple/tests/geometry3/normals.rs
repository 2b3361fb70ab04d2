//! Contacts of all pairs of convex shapes against the reference in f64: depth, normal, swapping, rigid motion.

use crate::reference::{Answer, CLEARLY, Cores, separation};
use crate::shapes::samples;
use crate::support::*;
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
