//! Construction, mass, bounds, points and the byte form of shapes.

use super::reference::{self, P, wide};
use super::support::*;
use core::f32::consts::PI;
use proptest::prelude::*;
use std::sync::Arc;
use topple::math::*;
use topple::shape::{Mass, ShapeOps};
use topple::store::{Reader, Writer};
use topple::{D2, Error, Shape2};

fn near(got: Real, expected: Real, what: &str) {
    let tolerance = 1e-5 * expected.abs() + 1e-12;
    assert!((got - expected).abs() <= tolerance, "{what}: expected {expected}, got {got} ± {tolerance}");
}

fn octagon() -> Vec<Vec2> {
    (0..8).map(|i| Rot2::from_angle(PI * 0.25 * i as Real).rotate(Vec2::X)).collect()
}

#[test]
fn hull_is_counter_clockwise_and_without_inner_double_and_collinear_points() {
    let mut points = vec![Vec2::ZERO, Vec2::new(0.5, 0.5), Vec2::new(0.3, 0.9)];
    for i in 0..=10 {
        let t = i as Real * 0.1;
        points.extend([
            Vec2::new(t, 0.0),
            Vec2::new(1.0, t),
            Vec2::new(1.0 - t, 1.0),
            Vec2::new(0.0, 1.0 - t),
        ]);
    }
    let Shape2::Polygon { data, radius } = Shape2::polygon(&points).unwrap() else { panic!("not a polygon") };
    assert_eq!(radius, 0.0);
    assert_eq!(data.vertices().len(), 4);
    let area: Real = (0..4).map(|i| data.vertices()[i].perp_dot(data.vertices()[(i + 1) % 4])).sum();
    near(0.5 * area, 1.0, "area");
    for (n, v) in data.normals().iter().zip(data.vertices()) {
        near(n.length(), 1.0, "normal");
        assert!(data.vertices().iter().all(|w| n.dot(*w - *v) <= 1e-6));
    }
}

#[test]
fn hull_of_points_on_a_tilted_square_has_four_corners_in_spite_of_rounding() {
    let mut random = Random::new(11);
    for _ in 0..100 {
        let r = random.rotation();
        let (size, at) = (random.range(0.01, 100.0), random.vec(10.0));
        let points: Vec<Vec2> = (0..400)
            .map(|i| {
                let t = (i / 4) as Real / 99.0 * 2.0 - 1.0;
                let p = [Vec2::new(t, -1.0), Vec2::new(1.0, t), Vec2::new(t, 1.0), Vec2::new(-1.0, t)][i % 4];
                // The rounding of the shift must stay small against the size.
                r.rotate(p * size) + at * size * 0.1
            })
            .collect();
        assert_eq!(Shape2::polygon(&points).unwrap().vertices().len(), 4);
    }
}

#[test]
fn impossible_polygons_are_refused_with_the_reason() {
    let line: Vec<Vec2> = (0..9).map(|i| Vec2::new(i as Real * 0.1, i as Real * 0.3)).collect();
    let circle: Vec<Vec2> =
        (0..1000).map(|i| Rot2::from_angle(i as Real * PI / 500.0).rotate(Vec2::X)).collect();
    for (points, word) in [
        (vec![], "at least 3"),
        (vec![Vec2::ZERO, Vec2::X], "got 2"),
        (line, "one line"),
        (vec![Vec2::ONE; 5], "one place"),
        (circle, "at most 256"),
    ] {
        match Shape2::polygon(&points) {
            Err(error @ Error::DegenerateShape { .. }) => {
                assert!(error.to_string().contains(word), "{error}");
            }
            other => panic!("{word}: {other:?}"),
        }
    }
    for bad in [Real::NAN, Real::INFINITY] {
        let points = [Vec2::ZERO, Vec2::X, Vec2::new(0.0, bad)];
        assert!(matches!(Shape2::polygon(&points), Err(Error::InvalidValue { field: "Polygon.points", .. })));
    }
    assert!(Shape2::rounded_polygon(&octagon(), -1.0).is_err());
}

#[test]
fn a_hull_of_256_corners_is_accepted() {
    let points: Vec<Vec2> =
        (0..256).map(|i| Rot2::from_angle(i as Real * PI / 128.0).rotate(Vec2::X)).collect();
    assert_eq!(Shape2::polygon(&points).unwrap().vertices().len(), 256);
}

#[test]
fn impossible_sizes_are_refused_and_the_field_named() {
    let nan = Real::NAN;
    let cases = [
        (Shape2::circle(0.0), "Circle.radius"),
        (Shape2::circle(nan), "Circle.radius"),
        (Shape2::rectangle(-1.0, 1.0), "Rectangle.half.x"),
        (Shape2::rectangle(1.0, 0.0), "Rectangle.half.y"),
        (Shape2::rectangle(1.0, Real::INFINITY), "Rectangle.half.y"),
        (inflated(1.0, 1.0, -0.1), "Rectangle.radius"),
        (Shape2::capsule(Vec2::ZERO, Vec2::X, 0.0), "Capsule.radius"),
        (Shape2::capsule(Vec2::X, Vec2::X, 1.0), "Capsule.b"),
        (Shape2::segment(Vec2::new(nan, 0.0), Vec2::X), "Segment.a"),
        (Shape2::segment(Vec2::X, Vec2::X), "Segment.b"),
        (Shape2::HalfPlane { normal: Vec2::new(0.0, 2.0), offset: 0.0 }, "HalfPlane.normal"),
        (Shape2::HalfPlane { normal: Vec2::new(0.0, nan), offset: 0.0 }, "HalfPlane.normal"),
        (Shape2::HalfPlane { normal: Vec2::Y, offset: nan }, "HalfPlane.offset"),
    ];
    for (shape, name) in cases {
        match shape.validate() {
            Err(Error::InvalidValue { field, .. }) => assert_eq!(field, name),
            other => panic!("{shape:?}: {other:?}"),
        }
    }
    assert!(Shape2::half_plane(Vec2::ZERO, 0.0).validate().is_err());
    for small in [1e-30, 1e30] {
        let found = Shape2::half_plane(Vec2::new(0.0, small), 2.0);
        assert_eq!(found, Shape2::HalfPlane { normal: Vec2::Y, offset: 2.0 });
    }
}

#[test]
fn a_flat_rectangle_becomes_a_segment_and_no_other_shape_does() {
    let flat = Shape2::rectangle(4.0, 0.0);
    assert_eq!(flat.flattened(), Some(Shape2::segment(Vec2::new(-2.0, 0.0), Vec2::new(2.0, 0.0))));
    assert!(flat.flattened().unwrap().validate().is_ok());
    let upright = Shape2::rectangle(0.0, 2.0).flattened();
    assert_eq!(upright, Some(Shape2::segment(Vec2::NEG_Y, Vec2::Y)));
    assert!(matches!(inflated(4.0, 0.0, 0.5).flattened(), Some(Shape2::Capsule { .. })));
    for other in [Shape2::rectangle(0.0, 0.0), Shape2::rectangle(1.0, 1.0), Shape2::circle(1.0)] {
        assert_eq!(other.flattened(), None);
    }
}

#[test]
fn masses_equal_the_closed_forms() {
    let check = |shape: Shape2, area: Real, center: Vec2, inertia: Real| {
        let got = shape.mass(3.0);
        near(got.mass, 3.0 * area, &format!("mass of {shape:?}"));
        near(got.inertia, 3.0 * inertia, &format!("inertia of {shape:?}"));
        assert!(got.center.distance(center) < 1e-5, "centre of {shape:?}: {}", got.center);
    };
    check(Shape2::circle(0.5), PI * 0.25, Vec2::ZERO, PI * 0.0625 * 0.5);
    check(Shape2::rectangle(2.0, 3.0), 6.0, Vec2::ZERO, 6.0 * 13.0 / 12.0);
    // Right triangle with legs b, h: I about the centroid = A (b² + h²) / 18.
    let triangle = [Vec2::ZERO, Vec2::new(3.0, 0.0), Vec2::new(0.0, 2.0)];
    check(Shape2::polygon(&triangle).unwrap(), 3.0, Vec2::new(1.0, 2.0 / 3.0), 3.0 * 13.0 / 18.0);
    // Far away from the origin nothing is lost.
    let far = Vec2::new(1000.0, -500.0);
    check(
        Shape2::polygon(&triangle.map(|p| p + far)).unwrap(),
        3.0,
        far + Vec2::new(1.0, 2.0 / 3.0),
        3.0 * 13.0 / 18.0,
    );
    // Capsule: rectangle l × 2r and two half discs whose centroids lie 4r/3π beyond the ends.
    let (l, r) = (1.5, 0.4);
    let disc = PI * r * r;
    let ends = 0.5 * disc * r * r - disc * (4.0 * r / (3.0 * PI)).powi(2)
        + disc * (0.5 * l + 4.0 * r / (3.0 * PI)).powi(2);
    let strip = 2.0 * l * r;
    let along = Vec2::new(0.6, 0.8) * l;
    let at = Vec2::new(2.0, 1.0);
    check(
        Shape2::capsule(at, at + along, r),
        strip + disc,
        at + along * 0.5,
        strip * (l * l + 4.0 * r * r) / 12.0 + ends,
    );
    assert_eq!(Shape2::segment(Vec2::X, Vec2::Y).mass(1.0), Mass::ZERO);
    assert_eq!(Shape2::half_plane(Vec2::Y, 0.0).mass(1.0), Mass::ZERO);
}

#[test]
fn rounding_a_polygon_more_and_more_makes_it_a_disc() {
    let shape =
        Shape2::rounded_polygon(&octagon().iter().map(|p| *p * 1e-3).collect::<Vec<_>>(), 1.0).unwrap();
    let (got, disc) = (shape.mass(1.0), Shape2::circle(1.0).mass(1.0));
    assert!((got.mass - disc.mass).abs() < 0.01 && (got.inertia - disc.inertia).abs() < 0.01);
}

#[test]
fn masses_agree_with_counting_grid_points() {
    let mut random = Random::new(12);
    for kind in [1, 2, 3, 4, 5, 3, 4, 5] {
        let shape = random_shape(&mut random, kind, 1.0);
        let got = shape.mass(1.0);
        let bounds = shape.aabb(&Pose::IDENTITY);
        let n = 600;
        let step = bounds.size() / n as Real;
        let cell = f64::from(step.x) * f64::from(step.y);
        let (mut area, mut first, mut second) = (0.0, [0.0; 2], 0.0);
        for i in 0..n * n {
            let p = bounds.min.to_vec() + step * Vec2::new((i % n) as Real + 0.5, (i / n) as Real + 0.5);
            if shape.contains(p) {
                let d = wide(p - got.center);
                area += cell;
                first = [first[0] + cell * d[0], first[1] + cell * d[1]];
                second += cell * reference::dot(d, d);
            }
        }
        let what = format!("{shape:?}");
        assert!((area - f64::from(got.mass)).abs() < 3e-3 * area, "{what}: area {area}, {got:?}");
        assert!(reference::length(first) < 2e-3 * area, "{what}: centre off by {first:?}");
        assert!((second - f64::from(got.inertia)).abs() < 6e-3 * second, "{what}: {second}, {got:?}");
    }
}

/// Points of the surface and inside, from the core and its radius.
fn samples(random: &mut Random, shape: &Shape2, pose: &Pose<D2>) -> Vec<P> {
    let (corners, radius) = reference::core(shape, pose);
    (0..50)
        .map(|_| {
            // A random convex combination of two corners, then up to a radius in a random direction.
            let (p, q) = (
                corners[random.below(corners.len() as u32) as usize],
                corners[random.below(corners.len() as u32) as usize],
            );
            let t = f64::from(random.unit());
            let d = wide(Rot2::from_angle(random.range(-3.2, 3.2)).rotate(Vec2::X));
            let r = radius * if random.below(2) == 0 { 1.0 } else { f64::from(random.unit()) };
            [p[0] + t * (q[0] - p[0]) + r * d[0], p[1] + t * (q[1] - p[1]) + r * d[1]]
        })
        .collect()
}

#[test]
fn bounds_hold_the_shape_and_touch_it() {
    let mut random = Random::new(13);
    for i in 0..700 {
        let shape = random_shape(&mut random, i % 7, 1.0);
        let pose = Pose::new(random.vec(3.0), random.rotation());
        let bounds = shape.aabb(&pose);
        for p in samples(&mut random, &shape, &pose) {
            assert!(bounds.grown(1e-5).contains_point(Point2::new(p[0] as Real, p[1] as Real)), "{shape:?}");
        }
        // Tight: the support point in each direction is on the border.
        let (corners, radius) = reference::core(&shape, &pose);
        let reach =
            |d: P| corners.iter().map(|p| reference::dot(*p, d)).fold(f64::NEG_INFINITY, f64::max) + radius;
        for (d, bound) in [
            ([1.0, 0.0], bounds.max.x),
            ([0.0, 1.0], bounds.max.y),
            ([-1.0, 0.0], -bounds.min.x),
            ([0.0, -1.0], -bounds.min.y),
        ] {
            assert!((reach(d) - f64::from(bound)).abs() < 1e-5, "{shape:?}");
        }
    }
    let plane = Shape2::half_plane(Vec2::Y, 0.0);
    assert!(
        !plane.aabb(&Pose::IDENTITY).is_finite()
            && plane.aabb(&Pose::IDENTITY).contains_point(Point2::new(9.0, 9.0))
    );
}

#[test]
fn support_contains_farthest_point_and_inner_radius_agree_with_the_reference() {
    let mut random = Random::new(14);
    for i in 0..1400 {
        let shape = random_shape(&mut random, i % 7, 1.0);
        let (corners, radius) = reference::core(&shape, &Pose::IDENTITY);
        let p = random.vec(1.5);
        let far = corners.iter().map(|c| reference::length(reference::sub(*c, wide(p)))).fold(0.0, f64::max)
            + radius;
        assert!((f64::from(shape.farthest_from(p)) - far).abs() < 1e-5, "{shape:?}");
        let d = random.vec(1.0);
        let reach = corners.iter().map(|c| reference::dot(*c, wide(d))).fold(f64::NEG_INFINITY, f64::max);
        assert!((f64::from(shape.support(d).unwrap().dot(d)) - reach).abs() < 1e-5, "{shape:?}");
        assert_eq!(f64::from(shape.rounding()), radius);
        let distance = reference::separation(&shape, &Shape2::circle(1e-12), &Pose::at(p)).separation;
        if distance.abs() > 1e-5 {
            assert_eq!(shape.contains(p), distance < 0.0, "{shape:?} {p}: {distance}");
        }
        if shape.is_solid() {
            let ball = Shape2::circle(1e-12);
            // About the middle of the core.
            let center = match &shape {
                Shape2::Polygon { data, .. } => Shape2::Polygon { data: data.clone(), radius: 0.0 },
                other => other.clone(),
            }
            .mass(1.0)
            .center;
            let depth = -reference::separation(&shape, &ball, &Pose::at(center)).separation;
            assert!((f64::from(shape.inner_radius()) - depth).abs() < 1e-5, "{shape:?}: {depth}");
        } else {
            assert_eq!(shape.inner_radius(), Real::INFINITY);
        }
    }
    let plane = Shape2::half_plane(Vec2::new(3.0, 4.0), 2.0);
    assert!(plane.contains(Vec2::new(1.2, 1.59)) && !plane.contains(Vec2::new(1.2, 1.61)));
    assert!(plane.support(Vec2::X).is_none() && plane.farthest_from(Vec2::ZERO).is_infinite());
    assert!(!plane.can_move() && !plane.is_solid() && !plane.collides_with(&plane));
    let segment = Shape2::segment(Vec2::ZERO, Vec2::new(2.0, 2.0));
    assert!(segment.contains(Vec2::ONE) && !segment.contains(Vec2::new(1.0, 1.001)) && segment.can_move());
    assert!(!segment.contains(Vec2::new(2.1, 2.1)));
}

#[test]
fn a_segment_ends_at_its_ends_in_every_direction() {
    let mut random = Random::new(16);
    for _ in 0..5000 {
        let (a, d) = (random.vec(3.0), random.rotation().rotate(Vec2::X));
        let segment = Shape2::segment(a, a + d);
        for (t, is_on) in [(-0.01, false), (0.0, true), (0.5, true), (1.0, true), (1.01, false), (9.0, false)]
        {
            assert_eq!(segment.contains(a + d * t), is_on, "{segment:?} {t}");
        }
    }
}

fn bytes_of(shape: &Shape2) -> Vec<u8> {
    let mut out = Writer::default();
    shape.save(&mut out);
    out.into_bytes()
}

#[test]
fn saved_shapes_come_back_bit_by_bit() {
    let mut random = Random::new(15);
    for i in 0..400 {
        let shape = random_shape(&mut random, i, 1.0);
        let bytes = bytes_of(&shape);
        let mut input = Reader::new(&bytes);
        let back = Shape2::load(&mut input).unwrap();
        assert!(input.is_at_end());
        assert_eq!(back, shape);
        assert_eq!(bytes_of(&back), bytes);
        assert!(back.validate().is_ok());
    }
}

#[test]
fn damaged_polygons_are_refused() {
    let clockwise = [Vec2::ZERO, Vec2::Y, Vec2::X];
    let star: Vec<Vec2> = (0..5).map(|i| Rot2::from_angle(i as Real * PI * 0.8).rotate(Vec2::X)).collect();
    let flat = [Vec2::ZERO, Vec2::X, Vec2::X * 2.0];
    for corners in [&clockwise[..], &star, &flat, &[], &[Vec2::ZERO, Vec2::NAN, Vec2::Y]] {
        let mut out = Writer::default();
        out.u8(2);
        out.u32(corners.len() as u32);
        corners.iter().for_each(|c| out.put(c));
        out.real(0.0);
        assert!(
            matches!(Shape2::load(&mut Reader::new(out.bytes())), Err(Error::Snapshot { .. })),
            "{corners:?}"
        );
    }
    assert!(Shape2::load(&mut Reader::new(&[99])).is_err() && Shape2::load(&mut Reader::new(&[])).is_err());
}

#[test]
fn copies_of_a_polygon_share_their_corners() {
    let one = Shape2::polygon(&octagon()).unwrap();
    assert_eq!(one.shared(), one.clone().shared());
    assert_ne!(one.shared(), Shape2::polygon(&octagon()).unwrap().shared());
    let Shape2::Polygon { data, .. } = &one else { panic!("not a polygon") };
    assert_eq!(one.shared(), Some(Arc::as_ptr(data) as usize));
    assert_eq!(Shape2::circle(1.0).shared(), None);
}

proptest! {
    #[test]
    fn any_bytes_load_or_fail_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = Shape2::load(&mut Reader::new(&bytes));
        // The same behind a polygon's tag and a small count.
        let mut polygon = vec![2, (bytes.len() / 9) as u8, 0, 0, 0];
        polygon.extend(bytes);
        let _ = Shape2::load(&mut Reader::new(&polygon));
    }

    #[test]
    fn hulls_hold_all_their_points(
        coordinates in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 3..60),
        power in -4_i32..5,
        snap in proptest::bool::ANY,
    ) {
        let size = 10.0_f32.powi(power);
        let points: Vec<Vec2> = coordinates
            .into_iter()
            .map(|(x, y)| Vec2::new(x, y))
            // On a coarse grid: many double and collinear points.
            .map(|p| if snap { (p * 3.0).round() } else { p } * size)
            .collect();
        if let Ok(shape) = Shape2::polygon(&points) {
            for p in points {
                let Shape2::Polygon { data, .. } = &shape else { unreachable!() };
                let outside = data.normals().iter().zip(data.vertices())
                    .map(|(n, v)| n.dot(p - *v)).fold(Real::NEG_INFINITY, Real::max);
                prop_assert!(outside < 1e-5 * size, "{p} is {outside} outside");
            }
            let corners = shape.vertices();
            prop_assert_eq!(&Shape2::polygon(&corners).unwrap(), &shape, "the hull of a hull");
        }
    }
}
