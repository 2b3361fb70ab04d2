//! Box against box.

use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;

fn random_half(random: &mut Random) -> Vec3 {
    Vec3::new(random.range(0.2, 1.5), random.range(0.2, 1.5), random.range(0.2, 1.5))
}

fn sharp(half: Vec3) -> Shape3 {
    Shape3::Box { half, radius: 0.0 }
}

#[test]
fn box_contacts_agree_with_brute_force() {
    let mut random = Random::new(1);
    let (mut overlapping, mut normals) = (0, 0);
    for case in 0..cases(20_000) {
        let (ha, hb) = (random_half(&mut random), random_half(&mut random));
        let pose = random.pose(1.5);
        let (a, b) = (Polytope::cuboid(ha), Polytope::cuboid(hb).placed(&pose));
        let (expected, axis, other) = brute_force(&a, &b);
        overlapping += u32::from(expected <= 0.0);
        normals += u32::from(expected <= 0.0 && expected - other > 1e-4);
        for algorithm in ALGORITHMS {
            let m = collide_by(algorithm, &sharp(ha), &sharp(hb), pose, 0.05, 1e-6);
            check_overlap(&m, expected, axis, other, &format!("case {case}: {algorithm:?}"));
            // Of boxes all axes are looked at.
            assert!(
                expected <= 0.0 || f64::from(deepest(&m)) >= expected - 1e-4,
                "case {case}: {algorithm:?}"
            );
        }
    }
    assert!(overlapping > 5_000 && normals > 4_000, "{overlapping} {normals}");
}

#[test]
fn every_point_lies_between_the_boxes() {
    let mut random = Random::new(2);
    for case in 0..5_000 {
        let (ha, hb) = (random_half(&mut random), random_half(&mut random));
        let pose = random.pose(1.5);
        let m = collide(&sharp(ha), &sharp(hb), pose, 0.02, 1e-5);
        // Apart, the ends of edges may keep a contact from its exact place; overlapping ones are exact.
        for p in m.points().iter().filter(|p| p.separation <= 0.0) {
            // The two surface points of a contact point: on or in a, on or in b.
            let on_b = p.position + m.normal * (0.5 * p.separation);
            let on_a = p.position - m.normal * (0.5 * p.separation);
            let in_b = pose.inverse_transform(on_b.into());
            let out_of_a = (on_a.abs() - ha).max_element();
            let out_of_b = (in_b.abs() - hb).max_element();
            assert!(out_of_a < 1e-3 && out_of_b < 1e-3, "case {case}: {out_of_a} {out_of_b} {m:?}");
        }
    }
}

#[test]
fn box_contacts_are_symmetric_under_swapping() {
    let mut random = Random::new(3);
    for case in 0..5_000 {
        let (ha, hb) = (random_half(&mut random), random_half(&mut random));
        let pose = random.pose(1.2);
        let (a, b) = (Polytope::cuboid(ha), Polytope::cuboid(hb).placed(&pose));
        let (expected, _, other) = brute_force(&a, &b);
        if expected - other < 1e-3 || expected > 0.0 {
            continue;
        }
        let m = collide(&sharp(ha), &sharp(hb), pose, 0.0, 1e-6);
        let mut w = collide(&sharp(hb), &sharp(ha), inverse(&pose), 0.0, 1e-6);
        w.flip(&pose);
        assert!((m.normal - w.normal).length() < 1e-3, "case {case}: {m:?} {w:?}");
        assert!((deepest(&m) - deepest(&w)).abs() < 1e-4, "case {case}");
        assert_eq!(m.points().len(), w.points().len(), "case {case}");
    }
}

#[test]
fn a_box_that_slides_and_turns_slightly_on_a_box_keeps_four_points_with_constant_ids() {
    for (top, bottom) in [(Vec3::splat(0.5), Vec3::new(4.0, 0.5, 4.0)), (Vec3::splat(0.5), Vec3::splat(0.5))]
    {
        let mut random = Random::new(4);
        let mut cache = PairCache::default();
        let mut ids: Option<Vec<u32>> = None;
        for step in 0..1_000 {
            let turn = Quat::from_ang(random.vec(5e-4));
            let at = Vec3::new(0.0, bottom.y + top.y - 0.002, 0.0) + random.vec(5e-4);
            let m = collide_cached(&sharp(bottom), &sharp(top), Pose::new(at, turn), 0.02, 5e-3, &mut cache);
            assert_eq!(m.points().len(), 4, "step {step}: {m:?}");
            assert!(m.normal.y > 0.999, "step {step}: {:?}", m.normal);
            let mut now: Vec<u32> = m.points().iter().map(|p| p.id).collect();
            now.sort_unstable();
            assert_eq!(*ids.get_or_insert(now.clone()), now, "step {step}");
        }
    }
}

#[test]
fn crossed_boxes_turned_by_any_angle_keep_four_points_and_the_face_normal() {
    for step in 0..=90 {
        let turn = Quat::from_ang(Vec3::Y * (step as f32).to_radians());
        let half = Vec3::splat(0.5);
        let m = collide(&sharp(half), &sharp(half), Pose::new([0.0, 0.99, 0.0], turn), 0.02, 5e-3);
        assert_eq!(m.points().len(), 4, "{step} degrees: {m:?}");
        let low = m.points().iter().fold(Vec3::splat(9.0), |v, p| v.min(p.position));
        let high = m.points().iter().fold(Vec3::splat(-9.0), |v, p| v.max(p.position));
        assert!((high - low).x > 0.75 && (high - low).z > 0.75, "{step} degrees: a small patch, {m:?}");
        assert!(m.normal.y > 0.999);
    }
}

#[test]
fn a_cached_axis_answers_for_boxes_that_stay_apart() {
    let (a, b) = (Shape3::cuboid(1.0, 1.0, 1.0), Shape3::cuboid(1.0, 1.0, 1.0));
    let mut cache = PairCache::default();
    let mut counters = NarrowCounters::default();
    let mut out = LocalManifold::default();
    for step in 0..10 {
        let b_in_a = Pose::at([1.5, 0.01 * step as f32, 0.2]);
        let job = CollideJob { a: &a, b: &b, b_in_a, margin: 0.02, slop: 5e-3, algorithm: Algorithm::Auto };
        Shape3::collide(&job, &mut cache, &mut counters, &mut out);
        assert!(out.is_empty());
    }
    assert_eq!((counters.computed, counters.cache_hits), (1, 9), "{counters:?}");
    assert!(counters.axes <= 15 + 9, "{counters:?}");
}

#[test]
fn degenerate_box_pairs_give_usable_contacts() {
    let sizes = [1e-4, 1e-2, 1.0, 1e2, 1e4];
    let turns = [
        Quat::IDENTITY,
        Quat::from_ang(Vec3::Y * core::f32::consts::FRAC_PI_4),
        Quat::from_ang(Vec3::new(0.3, 1.0, -0.5)),
        Quat::from_ang(Vec3::Z * 1e-5),
    ];
    for sa in sizes {
        for sb in sizes {
            for turn in turns {
                for at in
                    [Vec3::ZERO, Vec3::X * (0.25 * sa), Vec3::splat(0.5 * sa), Vec3::Y * (0.5 * (sa + sb))]
                {
                    let small = sa.min(sb);
                    let m = collide(
                        &Shape3::cuboid(sa, sa, sa),
                        &Shape3::cuboid(sb, sb, sb),
                        Pose::new(at, turn),
                        0.02 * small,
                        5e-3 * small,
                    );
                    // Wherever the centre of b is well inside a there has to be a contact.
                    if at.abs().max_element() < 0.4 * sa {
                        assert!(!m.is_empty(), "{sa} {sb} {turn:?} {at:?}");
                        assert!(deepest(&m) < 0.0);
                    }
                }
            }
        }
    }
}
