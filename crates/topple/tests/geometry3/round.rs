//! Spheres, capsules and planes.

use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::shape::ShapeOps;

/// Distance of a point from a box in f64, 0 inside.
fn to_box(h: V, p: V) -> f64 {
    length([0, 1, 2].map(|k| (p[k].abs() - h[k]).max(0.0)))
}

#[test]
fn capsule_and_box_agree_with_a_fine_search_along_the_segment() {
    let mut random = Random::new(21);
    for case in 0..5_000 {
        let half = Vec3::new(random.range(0.2, 1.0), random.range(0.2, 1.0), random.range(0.2, 1.0));
        let (p, q, radius) = (random.vec(0.8), random.vec(0.8), random.range(0.1, 0.4));
        let pose = random.pose(1.6);
        let capsule = Shape3::capsule(p, q, radius);
        let m = collide(&Shape3::Box { half, radius: 0.0 }, &capsule, pose, 0.1, 1e-6);
        // The distance is convex along the segment: ternary search.
        let (p, q) = (place(&pose, wide(p)), place(&pose, wide(q)));
        let at = |s: f64| to_box(wide(half), add(p, scale(sub(q, p), s)));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(x) < at(y) { high = y } else { low = x }
        }
        let distance = at(0.5 * (low + high));
        let separation = distance - f64::from(radius);
        if separation > 0.1001 {
            assert!(m.is_empty(), "case {case}: contact at {separation}");
        } else if separation > 0.0999 {
            // On the margin: rounding decides.
        } else if distance > 1e-3 {
            let got = f64::from(deepest(&m));
            assert!((got - separation).abs() < 1e-4, "case {case}: {got} instead of {separation}, {m:?}");
        } else {
            assert!(f64::from(deepest(&m)) <= separation + 1e-3, "case {case}: {m:?}");
        }
    }
}

#[test]
fn capsules_agree_with_a_fine_search() {
    let mut random = Random::new(22);
    for case in 0..5_000 {
        let shape = |random: &mut Random| {
            let short = if random.unit() < 0.1 { 0.0 } else { 1.0 };
            (random.vec(0.8) * short, random.vec(0.8) * short, random.range(0.1, 0.4))
        };
        let ((a0, a1, ra), (b0, b1, rb)) = (shape(&mut random), shape(&mut random));
        let pose = random.pose(1.0);
        let m = collide(&Shape3::capsule(a0, a1, ra), &Shape3::capsule(b0, b1, rb), pose, 0.1, 1e-6);
        let (a0, a1) = (wide(a0), wide(a1));
        let (b0, b1) = (place(&pose, wide(b0)), place(&pose, wide(b1)));
        let to_a = |p: V| {
            let d = sub(a1, a0);
            let l = dot(d, d);
            let s = if l > 0.0 { (dot(sub(p, a0), d) / l).clamp(0.0, 1.0) } else { 0.0 };
            length(sub(p, add(a0, scale(d, s))))
        };
        let at = |s: f64| to_a(add(b0, scale(sub(b1, b0), s)));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(x) < at(y) { high = y } else { low = x }
        }
        let separation = at(0.5 * (low + high)) - f64::from(ra + rb);
        if separation > 0.1001 {
            assert!(m.is_empty());
        } else if separation < 0.0999 {
            let got = f64::from(deepest(&m));
            assert!((got - separation).abs() < 1e-4, "case {case}: {got} instead of {separation}, {m:?}");
        }
    }
}

#[test]
fn a_lying_capsule_has_two_points_and_keeps_them() {
    let capsule = Shape3::capsule(Vec3::X * -0.5, Vec3::X * 0.5, 0.2);
    let floor = Shape3::plane(Vec3::Y, 0.0);
    let slab = Shape3::cuboid(4.0, 1.0, 4.0);
    let other = Shape3::capsule(Vec3::X * -0.6, Vec3::X * 0.4, 0.3);
    for (ground, height) in [(&floor, 0.0), (&slab, 0.5), (&other, 0.3)] {
        let mut ids: Option<Vec<u32>> = None;
        for step in 0..100 {
            let turn = Quat::from_ang(Vec3::Z * 1e-4 * (step as f32 - 50.0));
            let m = collide(ground, &capsule, Pose::new([0.0, height + 0.199, 0.0], turn), 0.02, 5e-3);
            assert_eq!(m.points().len(), 2, "{} step {step}: {m:?}", ground.kind());
            assert!(m.normal.y > 0.99);
            let now: Vec<u32> = m.points().iter().map(|p| p.id).collect();
            assert_eq!(*ids.get_or_insert(now.clone()), now);
        }
    }
}

#[test]
fn a_sphere_meets_each_shape_at_its_surface() {
    let mut random = Random::new(23);
    let shapes = [
        Shape3::sphere(0.5),
        Shape3::cuboid(1.0, 1.4, 0.8),
        Shape3::rounded_cuboid(1.0, 1.4, 0.8, 0.2),
        Shape3::capsule_y(1.0, 0.3),
        Shape3::plane(Vec3::Y, 0.2),
    ];
    for shape in &shapes {
        for _ in 0..2_000 {
            let (center, radius) = (random.vec(1.2), random.range(0.01, 0.5));
            let m = collide(shape, &Shape3::sphere(radius), Pose::at(center), 0.05, 1e-5);
            if let [p] = m.points() {
                // Along the normal from the mid-point lie the two surfaces.
                let on_sphere = p.position + m.normal * (0.5 * p.separation);
                assert!((on_sphere.distance(center) - radius).abs() < 1e-4, "{shape:?} {m:?}");
                let on_shape = p.position - m.normal * (0.5 * p.separation);
                assert!(shape.contains(on_shape - m.normal * 1e-4), "{shape:?} {m:?}");
                assert!(!shape.contains(on_shape + m.normal * 1e-4), "{shape:?} {m:?}");
            } else {
                assert!(m.is_empty(), "{shape:?}: more than one point");
                assert!(!shape.contains(center));
            }
        }
    }
}

#[test]
fn a_box_on_a_plane_keeps_its_corners() {
    let floor = Shape3::plane(Vec3::Y, 0.0);
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    let flat = collide(&floor, &cube, Pose::at([3.0, 0.499, -2.0]), 0.02, 5e-3);
    assert_eq!(flat.points().len(), 4);
    assert!((deepest(&flat) + 0.001).abs() < 1e-6);
    let edge = Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_4);
    let m = collide(&floor, &cube, Pose::new([0.0, 0.705, 0.0], edge), 0.02, 5e-3);
    assert_eq!(m.points().len(), 2, "on an edge");
}

#[test]
fn coincident_centres_give_usable_normals() {
    let shapes = [
        Shape3::sphere(0.5),
        Shape3::cuboid(1.0, 1.0, 1.0),
        Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.1),
        Shape3::capsule_y(1.0, 0.3),
        Shape3::capsule(Vec3::ZERO, Vec3::ZERO, 0.3),
        Shape3::sphere(1e-4),
        Shape3::sphere(1e4),
        Shape3::cuboid(1e-4, 1e-4, 1e-4),
        Shape3::cuboid(1e4, 1e4, 1e4),
    ];
    for a in &shapes {
        for b in &shapes {
            for turn in [Quat::IDENTITY, Quat::from_ang(Vec3::new(0.4, 0.8, -1.2))] {
                let m = collide(a, b, Pose::new(Vec3::ZERO, turn), 0.0, 0.0);
                assert!(!m.is_empty() && deepest(&m) < 0.0, "{a:?} {b:?}: {m:?}");
            }
        }
        assert!(a.collides_with(&Shape3::plane(Vec3::Y, 0.0)));
        let m = collide(a, &Shape3::plane(Vec3::Y, 0.0), Pose::IDENTITY, 0.0, 0.0);
        assert!(!m.is_empty() && (m.normal + Vec3::Y).length() < 1e-6, "{a:?}: {m:?}");
    }
}
