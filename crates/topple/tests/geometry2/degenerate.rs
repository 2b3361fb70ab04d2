//! Input at the edge of sense: coincident, nested, parallel, tiny against huge, needles.

use super::reference;
use super::support::*;
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::PairCache;
use topple::shape::ShapeOps;
use topple::{D2, Shape2};

fn check(a: &Shape2, b: &Shape2, pose: Pose<D2>, margin: Real, slop: Real, size: Real) {
    let what = format!("{a:?}\n{b:?}\n{pose:?}");
    let got = collide_cached(a, b, pose, margin, slop, &mut PairCache::default());
    check_promises(&got, margin, &what);
    let expected = reference::separation(a, b, &pose);
    // Rounding of coordinates of this size, and what may be blurred.
    let tolerance = f64::from(1e-4 * size + 0.1 * slop);
    if expected.separation < f64::from(margin) - tolerance {
        assert!(!got.is_empty(), "{what}\nexpected {expected:?}");
        assert!(
            (f64::from(deepest(&got)) - expected.separation).abs() < tolerance,
            "{what}\n{expected:?}\n{got:?}"
        );
    } else if expected.separation > f64::from(margin) + tolerance {
        assert!(got.is_empty(), "{what}\n{expected:?}\n{got:?}");
    }
}

#[test]
fn coincident_shapes_have_a_usable_normal() {
    let mut random = Random::new(41);
    for kinds in 0..KINDS * KINDS - 1 {
        for size in [1e-4, 1.0, 1e4] {
            let a = random_shape(&mut random, kinds / KINDS, size);
            let b = random_shape(&mut random, kinds % KINDS, size);
            for shape in [&a, &b] {
                if shape.collides_with(shape) {
                    check(shape, shape, Pose::IDENTITY, 0.0, 1e-3 * size, size);
                    check(
                        shape,
                        shape,
                        Pose::new((0.0, 0.0), Rot2::from_angle(1e-7)),
                        0.0,
                        1e-3 * size,
                        size,
                    );
                }
            }
            check(&a, &b, Pose::IDENTITY, 0.0, 1e-3 * size, size);
        }
    }
}

#[test]
fn sizes_from_a_tenth_of_a_millimetre_to_ten_kilometres_meet_in_one_pair() {
    let mut random = Random::new(42);
    for _ in 0..20_000 {
        let power = |random: &mut Random| 10.0_f32.powi(random.below(9) as i32 - 4);
        let (sa, sb) = (power(&mut random), power(&mut random));
        let (ka, kb) = (random.below(KINDS), random.below(7));
        let a = random_shape(&mut random, ka, sa);
        let b = random_shape(&mut random, kb, sb);
        let reach = 2.0 * sa.max(sb);
        let mut pose = Pose::new(random.vec(reach), random.rotation());
        if random.below(2) == 0 {
            let answer = reference::separation(&a, &b, &pose);
            let n = Vec2::new(answer.normal[0] as Real, answer.normal[1] as Real);
            pose.position =
                pose.position - n * (answer.separation as Real + random.range(-0.5, 0.5) * sa.min(sb));
        }
        let small = sa.min(sb);
        check(&a, &b, pose, 0.02 * small, 5e-3 * small, sa.max(sb));
    }
}

#[test]
fn nested_shapes_are_pushed_out_the_shortest_way() {
    let outer = Shape2::rectangle(10.0, 10.0);
    for inner in [
        Shape2::circle(0.1),
        Shape2::rectangle(0.1, 0.1),
        Shape2::capsule(Vec2::ZERO, Vec2::new(0.1, 0.0), 0.05),
        Shape2::segment(Vec2::ZERO, Vec2::new(0.1, 0.0)),
    ] {
        let got = collide(&outer, &inner, Pose::at((1.0, -4.0)), 0.0);
        assert_eq!(got.normal, Vec2::NEG_Y, "{inner:?}");
        assert!(deepest(&got) <= -1.0, "{inner:?}: {got:?}");
        check(&outer, &inner, Pose::IDENTITY, 0.0, 1e-3, 10.0);
        check(&inner, &outer, Pose::IDENTITY, 0.0, 1e-3, 10.0);
    }
}

#[test]
fn segments_in_line_meet_only_if_they_touch() {
    for angle in [0.0, 0.3, 1.0, 2.0] {
        let r = Rot2::from_angle(angle);
        let (x, shift) = (r.rotate(Vec2::X), r.rotate(Vec2::new(0.3, 0.7)));
        let a = Shape2::segment(shift - x, shift + x);
        let b = Shape2::segment(shift + x, shift - x);
        let long = Shape2::capsule(shift + x, shift - x, 0.1);
        for gap in [0.005, 0.05, 0.5, 5.0] {
            let pose = Pose::at(x * (2.0 + gap));
            for (a, b, radii) in [(&a, &b, 0.0), (&a, &long, 0.1), (&long, &long, 0.2)] {
                let got = collide(a, b, pose, 0.01);
                assert_eq!(got.is_empty(), gap - radii > 0.01, "{angle} {gap}: {got:?}");
                if !got.is_empty() {
                    assert!((deepest(&got) - gap + radii).abs() < 1e-5, "{angle} {gap}: {got:?}");
                    assert!(got.normal.distance(x) < 1e-3, "{angle} {gap}: {got:?}");
                }
            }
        }
        assert!(!collide(&a, &b, Pose::at(x * 1.5), 0.01).is_empty());
    }
}

#[test]
fn crossing_segments_are_pushed_out_the_shortest_way() {
    let a = Shape2::segment(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.0));
    let got = collide(&a, &a, Pose::new((0.0, 0.8), Rot2 { cos: 0.0, sin: 1.0 }), 0.0);
    assert_eq!(got.normal, Vec2::Y);
    assert!((deepest(&got) + 0.2).abs() < 1e-6, "{got:?}");
}

/// Two corners of the lower edge are support points of one direction but for rounding: the search for the depth must not take one for the other and turn back.
#[test]
fn depths_over_the_end_of_a_parallel_edge_are_those_of_the_definition() {
    let mut random = Random::new(43);
    for round in 0..60_000 {
        let (size, sides) = (random.range(0.2, 1.5), 3 + random.below(6) as usize);
        let corner = |i: usize| {
            let (s, c) = sin_cos((i as Real - 0.5) * core::f32::consts::TAU / sides as Real);
            Vec2::new(s, -c) * (0.4 * size)
        };
        let corners: Vec<_> = (0..sides).map(corner).collect();
        let polygon = Shape2::polygon(&corners).unwrap();
        let half = 0.5 * [0.37, 1.0, 2.3][random.below(3) as usize];
        let (ground, top) = if round % 2 == 0 {
            (Shape2::segment(Vec2::new(-half, 0.0), Vec2::new(half, 0.0)), 0.0)
        } else {
            (Shape2::rectangle(2.0 * half, 2.0 * half), half)
        };
        let depth = 1e-3 * random.range(0.0, 1.0).powi(3);
        let height = top - corners[0].y.min(corners[1].y) - depth;
        // One end of the lower edge over that of the ground, tilted by the last bits of the rotation.
        let at = half * [-1.0, 1.0][random.below(2) as usize] + random.range(-0.3, 0.3) * size;
        let pose = Pose::<D2>::new((at, height), Rot2 { cos: 1.0, sin: random.range(-1e-7, 1e-7) });
        let expected = reference::separation(&ground, &polygon, &pose);
        for (a, b, place_a, place_b) in
            [(&ground, &polygon, Pose::IDENTITY, pose), (&polygon, &ground, pose, Pose::IDENTITY)]
        {
            let got = closest_points::<D2>(a, &place_a, b, &place_b).unwrap();
            assert!(
                (f64::from(got.distance) - expected.separation).abs() < 2e-6,
                "{a:?}\n{b:?}\n{pose:?}\nexpected {expected:?}\n{got:?}"
            );
        }
    }
}

#[test]
fn needles_do_not_reach_beyond_their_tips() {
    // Tips of a hundredth of a degree: all edges of both needles run along the gap.
    let needle =
        |s: Real| Shape2::polygon(&[Vec2::ZERO, Vec2::new(-s, 1e-4 * s), Vec2::new(-s, -1e-4 * s)]).unwrap();
    for size in [0.01, 1.0, 100.0] {
        let a = needle(size);
        for gap in [0.03, 0.3, 1.0] {
            let pose = Pose::new((gap * size, 0.0), Rot2 { cos: -1.0, sin: 0.0 });
            let got = collide_cached(&a, &a, pose, 0.02 * size, 1e-3 * size, &mut PairCache::default());
            assert!(got.is_empty(), "{size} {gap}: {got:?}");
        }
        let pose = Pose::new((0.01 * size, 0.0), Rot2 { cos: -1.0, sin: 0.0 });
        let got = collide_cached(&a, &a, pose, 0.02 * size, 1e-3 * size, &mut PairCache::default());
        assert!((deepest(&got) - 0.01 * size).abs() < 1e-4 * size && got.normal.x > 0.999, "{size}: {got:?}");
    }
}

#[test]
fn polygons_of_256_corners_agree_with_the_reference() {
    let points: Vec<Vec2> = (0..256)
        .map(|i| Rot2::from_angle(i as Real * core::f32::consts::PI / 128.0).rotate(Vec2::new(1.0, 0.0)))
        .map(|p| Vec2::new(p.x, 0.3 * p.y))
        .collect();
    let a = Shape2::polygon(&points).unwrap();
    let mut random = Random::new(43);
    for i in 0..60 {
        let b = random_shape(&mut random, i % 7, 1.0);
        let pose = Pose::new(random.vec(1.2), random.rotation());
        check(&a, &b, pose, 0.1, 1e-4, 1.0);
        check(&a, &a, pose, 0.1, 1e-4, 1.0);
    }
}

#[test]
fn nonsense_never_panics() {
    let mut random = Random::new(44);
    let odd = [0.0, -0.0, 1e-38, 1e-30, 1e30, 3e38, Real::INFINITY, Real::NAN, -1.0];
    for _ in 0..20_000 {
        let mut pick = || odd[random.below(odd.len() as u32) as usize];
        let mut shapes = [
            Shape2::circle(pick()),
            inflated(pick(), pick(), pick()),
            Shape2::capsule(Vec2::new(pick(), pick()), Vec2::new(pick(), pick()), pick()),
            Shape2::segment(Vec2::new(pick(), pick()), Vec2::new(pick(), pick())),
            Shape2::HalfPlane { normal: Vec2::new(pick(), pick()), offset: pick() },
            Shape2::polygon(&[Vec2::ZERO, Vec2::X, Vec2::Y]).unwrap(),
        ];
        let pose = Pose::new((pick(), pick()), Rot2::IDENTITY);
        shapes.rotate_left(random.below(6) as usize);
        let _ = collide(&shapes[0], &shapes[1], pose, 0.1);
        let _ = shapes[0].mass(1.0);
        let _ = shapes[0].aabb(&pose);
        let _ = shapes[0].contains(Vec2::X);
        let _ = shapes[0].validate();
    }
}
