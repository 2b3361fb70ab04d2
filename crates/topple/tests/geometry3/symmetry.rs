//! The contact of a pair does not depend on which shape comes first, nor on where the pair is.

use crate::shapes::samples;
use crate::support::*;
use topple::Shape3;
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::{Algorithm, LocalManifold};
use topple::shape::ShapeOps;

/// Depths that are compared [m]: where the shapes touch, or are about to.
const DEEPEST: f32 = -0.05;

/// A pair at a random pose with the contact that is to be reproduced.
struct Case {
    a: Shape3,
    b: Shape3,
    pose: Pose<D3>,
    /// Distance of the second best way out, other than by less than 3°, is this much worse [m].
    lead: f64,
    what: String,
}

/// Gap of the rounded shapes along `n`.
fn gap(a: &Shape3, b: &Shape3, pose: &Pose<D3>, n: Vec3) -> f64 {
    let top = f64::from(a.support(n).unwrap().dot(n) + a.rounding());
    let low = b.support(pose.rotation.rotate_inv(-n)).unwrap();
    dot(place(pose, wide(low)), wide(n)) - f64::from(b.rounding()) - top
}

/// Overlapping pairs of all kinds, pushed together from all sides.
fn each(seed: u64, count: usize, mut check: impl FnMut(&Case)) {
    let mut random = Random::new(seed);
    let shapes = samples();
    let mut pairs = std::collections::BTreeSet::new();
    for case in 0..count {
        let (i, j) = (case % shapes.len(), case / shapes.len() % shapes.len());
        let (a, b) = (shapes[i].clone(), shapes[j].clone());
        let (q, direction) = (random.rotation(), random.direction());
        let depth = random.range(0.002, -DEEPEST);
        let (mut near, mut far) = (0.0_f32, 6.0_f32);
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            let d = closest_points::<D3>(&a, &Pose::IDENTITY, &b, &Pose::new(direction * middle, q)).unwrap();
            if d.distance < -depth { near = middle } else { far = middle }
        }
        let pose = Pose::new(direction * far, q);
        let c = closest_points::<D3>(&a, &Pose::IDENTITY, &b, &pose).unwrap();
        // Directions near and far: where one of them is nearly as good the normal is not unique.
        let mut best = f64::NEG_INFINITY;
        for k in 0..120 {
            let other = c.normal + random.direction() * if k % 2 == 0 { 0.15 } else { 2.0 };
            let n = other.normalize_or(Vec3::X);
            if n.dot(c.normal) < 0.9986 {
                best = best.max(gap(&a, &b, &pose, n));
            }
        }
        pairs.insert((a.kind(), b.kind()));
        let what = format!("case {case}: {} {} {pose:?} {c:?}", a.kind(), b.kind());
        check(&Case { a, b, pose, lead: f64::from(c.distance) - best, what });
    }
    assert!(pairs.len() >= 36, "{} pairs of kinds", pairs.len());
}

/// Depths and, where they are unique, normals agree. True if they are.
fn same(case: &Case, algorithm: Algorithm, m: &LocalManifold<D3>, w: &LocalManifold<D3>) -> bool {
    let what = format!("{algorithm:?} {}\n{m:?}\n{w:?}", case.what);
    assert!(!m.is_empty() && !w.is_empty(), "{what}");
    assert!((deepest(m) - deepest(w)).abs() < 1e-4, "{what}");
    let is_unique = case.lead > 1e-4;
    if is_unique {
        let angle = angle_deg(m.normal, wide(w.normal));
        assert!(angle < 0.1, "{what}: normals {angle} degrees apart");
    }
    is_unique
}

#[test]
fn swapping_the_shapes_turns_the_normal_round() {
    let mut unique = 0;
    each(101, 1_200, |case| {
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, &case.a, &case.b, case.pose, 0.01, 1e-6);
            let mut w = collide_by(algorithm, &case.b, &case.a, inverse(&case.pose), 0.01, 1e-6);
            w.flip(&case.pose);
            unique += usize::from(same(case, algorithm, &m, &w));
        }
    });
    assert!(unique > 2_000, "{unique}");
}

#[test]
fn a_motion_of_both_shapes_moves_the_contact_with_them() {
    let mut random = Random::new(103);
    let mut unique = 0;
    each(102, 1_200, |case| {
        let motion = random.pose(5.0);
        let moved = motion.relative(motion.compose(case.pose));
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, &case.a, &case.b, case.pose, 0.01, 1e-6);
            let w = collide_by(algorithm, &case.a, &case.b, moved, 0.01, 1e-6);
            unique += usize::from(same(case, algorithm, &m, &w));
        }
    });
    assert!(unique > 2_000, "{unique}");
}
