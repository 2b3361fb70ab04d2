//! Cylinders that keep touching are followed from step to step: the result is that of a search from nothing.

use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;

const SLOP: f32 = 5e-3;
const MARGIN: f32 = 0.02;

/// Both ways to compute a contact: with what is known from the last step, and from nothing.
fn both(
    a: &Shape3,
    b: &Shape3,
    b_in_a: Pose<D3>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
) -> [LocalManifold<D3>; 2] {
    let job = CollideJob { a, b, b_in_a, margin: MARGIN, slop: SLOP, algorithm: Algorithm::Auto };
    let mut warm = LocalManifold::default();
    Shape3::collide(&job, cache, counters, &mut warm);
    check_sane(&warm, MARGIN, &format!("{a:?} {b:?} {b_in_a:?}"));
    [warm, collide(a, b, b_in_a, MARGIN, SLOP)]
}

/// A pair that touches by `depth` along some direction.
fn touching(random: &mut Random, a: &Shape3, b: &Shape3, depth: f32) -> Pose<D3> {
    let turn = random.rotation();
    let (mut near, mut far) = (0.0_f32, 8.0_f32);
    let direction = random.direction();
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        let pose = Pose::new(direction * middle, turn);
        let d = topple::distance::closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap().distance;
        if d < -depth {
            near = middle;
        } else {
            far = middle;
        }
    }
    Pose::new(direction * far, turn)
}

/// How far two shapes overlap along a unit vector from a to b [m].
fn overlap_along(a: &Shape3, b: &Shape3, b_in_a: &Pose<D3>, n: Vec3) -> f32 {
    let on_a = ShapeOps::<D3>::support(a, n).unwrap();
    let down = b_in_a.rotation.inverse() * -n;
    let on_b = b_in_a.transform(ShapeOps::<D3>::support(b, down).unwrap()).to_vec();
    (on_a - on_b).dot(n) + ShapeOps::<D3>::rounding(a) + ShapeOps::<D3>::rounding(b)
}

/// Pairs that touch by a depth between `depths` [m] and move on: their contacts are those found anew, up to `allowed` slops. Returns the steps, those that were searched by closest points, and those in
/// which the pair overlapped.
fn follow(seed: u64, depths: [f32; 2], allowed: f32) -> [u32; 3] {
    let mut random = Random::new(seed);
    let shapes = [
        Shape3::cylinder(0.5, 0.4),
        Shape3::cylinder(0.1, 0.5),
        Shape3::cylinder(1.5, 0.2),
        Shape3::cuboid(0.8, 0.5, 0.6),
        Shape3::cuboid(4.0, 0.5, 4.0),
        Shape3::rounded_cylinder(0.6, 0.4, 0.05),
    ];
    let (mut steps, mut searched, mut touched) = (0, 0, 0);
    for case in 0..1_500 {
        let pick = |random: &mut Random| random.bits() as usize % shapes.len();
        let (i, j) = (pick(&mut random), pick(&mut random));
        let (a, b) = (&shapes[i], &shapes[j]);
        if [a, b].iter().all(|s| matches!(s, Shape3::Box { .. })) {
            continue;
        }
        let depth = random.range(depths[0], depths[1]);
        let mut pose = touching(&mut random, a, b, depth);
        let mut cache = PairCache::default();
        let mut counters = NarrowCounters::default();
        both(a, b, pose, &mut cache, &mut counters);
        let (way, turn) = (random.vec(1e-3), random.vec(0.01));
        for step in 0..12 {
            let before = counters.gjk_iterations;
            pose = Pose::new(pose.position.to_vec() + way, Quat::from_ang(turn) * pose.rotation);
            let [warm, cold] = both(a, b, pose, &mut cache, &mut counters);
            let what = format!("case {case} step {step}: {} {} {pose:?}", a.kind(), b.kind());
            let (w, c) = (deepest(&warm), deepest(&cold));
            if w.is_infinite() && c.is_infinite() {
                continue;
            }
            steps += 1;
            searched += u32::from(counters.gjk_iterations > before);
            if w.is_infinite() || c.is_infinite() {
                // At the very margin rounding decides.
                assert!(w.min(c) > MARGIN - SLOP, "{what}: {warm:?} {cold:?}");
                continue;
            }
            touched += u32::from(c < 0.0);
            // The axis itself: one slop for the search that is left out, one for the face that is taken instead.
            let depth =
                -topple::distance::closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap().distance;
            let along = overlap_along(a, b, &pose, warm.normal);
            assert!(along < depth + 2.1 * SLOP, "{what}: {along} m along {}, {depth} m deep", warm.normal);
            // A face is taken for the axis if it is as good to within the slop, and the lowest point is left out if another is as low
            // to within the slop; both depend on the last step.
            assert!((w - c).abs() < allowed * SLOP, "{what}: {w} instead of {c}\n{warm:?}\n{cold:?}");
        }
    }
    [steps, searched, touched]
}

#[test]
fn contacts_of_cylinders_that_are_followed_equal_those_found_anew() {
    let [steps, searched, touched] = follow(95, [-0.01, 0.012], 2.0);
    println!("{searched} of {steps} searched anew, {touched} touch");
    assert!(touched > 3_000 && steps > 6_000, "{touched} {steps}");
    assert!(searched * 5 < steps, "{searched} of {steps} searched anew");
}

/// Of overlaps deeper than those of bodies at rest no axis may be better than the one that is followed by more than a slop. Points may be less deep: those over a face count up to four slops
/// (`RESTING`), and a face is taken within one.
#[test]
fn deep_overlaps_of_cylinders_are_followed_too() {
    let [steps, searched, touched] = follow(96, [0.02, 0.08], 6.0);
    println!("{searched} of {steps} searched anew, {touched} touch");
    assert!(touched > 6_000, "{touched}");
    assert!(searched * 5 < steps, "{searched} of {steps} searched anew");
}

/// An upright cylinder beside the vertical edge of a box, its cap level with the upper face, had its point at the other cap, where no box is.
#[test]
fn the_point_of_an_upright_cylinder_beside_a_box_is_on_both() {
    let (a, b) = (Shape3::cuboid(0.75, 1.0, 0.75), Shape3::cylinder(0.727_100_7, 0.581_680_6));
    for z in [0.381_252_17, 0.37, 0.36] {
        let rotation = Quat::from_xyzw(-4.480_283_5e-7, 0.037_494_984, 1.669_122e-6, 0.999_296_84);
        let b_in_a = Pose { position: [0.966_634_04, 0.863_550_2, z].into(), rotation };
        for algorithm in [Algorithm::Auto, Algorithm::Sat, Algorithm::Gjk] {
            let job = CollideJob { a: &a, b: &b, b_in_a, margin: 0.0145, slop: 0.0036, algorithm };
            let mut out = LocalManifold::<D3>::default();
            let (mut cache, mut counters) = (PairCache::default(), NarrowCounters::default());
            <Shape3 as ShapeOps<D3>>::collide(&job, &mut cache, &mut counters, &mut out);
            assert!(!out.is_empty(), "z {z}, {algorithm:?}");
            for point in out.points() {
                let y = point.position.y;
                assert!(
                    (y - 0.5).abs() <= 2.0 * job.slop,
                    "z {z}, {algorithm:?}: y {y} m, the box ends at 0.5 m"
                );
            }
        }
    }
}

/// From beside a box to above its edge in one step: the side was followed, 8 mm deep, where the cap is 0.04 mm deep.
#[test]
fn an_axis_is_not_followed_where_a_face_has_become_better() {
    let (a, b) = (Shape3::cuboid(0.75, 1.0, 0.75), Shape3::cylinder(0.4, 0.32));
    let mut cache = PairCache::default();
    let mut out = LocalManifold::<D3>::default();
    for (x, y, z) in [(-0.702_449_4, 0.699_968_5, -0.405_484_53), (-0.687_098_4, 0.699_967_74, -0.398_994_2)]
    {
        let rotation = Quat::from_xyzw(-9.652_886e-6, 0.149_438_14, -1.059_621_8e-5, 0.988_771_1);
        let b_in_a = Pose { position: [x, y, z].into(), rotation };
        let job = CollideJob { a: &a, b: &b, b_in_a, margin: 0.008, slop: 0.002, algorithm: Algorithm::Auto };
        <Shape3 as ShapeOps<D3>>::collide(&job, &mut cache, &mut NarrowCounters::default(), &mut out);
    }
    let depth = out.points().iter().fold(0.0, |depth: Real, point| depth.max(-point.separation));
    assert!(
        out.normal.y > 0.999 && depth < 1e-4,
        "normal {:?}, {depth} m deep instead of 0.037 mm",
        out.normal
    );
}
