//! Masses, bounds, rays, bytes, and refusals of bad values.

use crate::support::*;
use topple::Shape3;
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};
use topple::store::{Reader, Writer};

/// One of each kind, and rounded ones.
pub(crate) fn samples() -> Vec<Shape3> {
    vec![
        Shape3::sphere(0.7),
        Shape3::cuboid(1.0, 0.6, 1.7),
        Shape3::rounded_cuboid(1.0, 0.8, 1.7, 0.15),
        Shape3::capsule(Vec3::new(0.1, -0.4, 0.2), Vec3::new(-0.3, 0.6, 0.5), 0.35),
        Shape3::capsule(Vec3::ZERO, Vec3::ZERO, 0.35),
        Shape3::cylinder(1.3, 0.6),
        Shape3::rounded_cylinder(1.3, 0.8, 0.2),
        Shape3::cone(1.4, 0.8),
        Shape3::rounded_cone(1.2, 0.6, 0.15),
        Shape3::hull(&cloud(1, 12)).unwrap(),
        Shape3::hull(&cloud(2, 60)).unwrap(),
        Shape3::rounded_hull(&cloud(3, 8), 0.2).unwrap(),
        Shape3::hull(&prism(7)).unwrap(),
    ]
}

/// Random points in a ball, away from the origin.
pub(crate) fn cloud(seed: u64, count: usize) -> Vec<Vec3> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.direction() * random.range(0.5, 0.9) + Vec3::new(0.1, -0.2, 0.05)).collect()
}

/// Corners of a prism with `n` sides.
pub(crate) fn prism(n: usize) -> Vec<Vec3> {
    let angle = |k: usize| sin_cos(core::f32::consts::TAU * k as f32 / n as f32);
    (0..2 * n)
        .map(|k| {
            let (s, c) = angle(k / 2);
            Vec3::new(0.7 * c, if k % 2 == 0 { -0.4 } else { 0.4 }, 0.7 * s)
        })
        .collect()
}

#[test]
fn masses_agree_with_sampling() {
    for shape in samples() {
        let bounds = shape.aabb(&Pose::IDENTITY);
        let (low, size) = (bounds.min.to_vec(), bounds.size());
        // Midpoint rule on a fine grid: error far below the tolerance for shapes this round.
        let n = if matches!(shape, Shape3::Hull { .. }) && shape.rounding() > 0.0 { 64 } else { 90 };
        let (mut volume, mut first, mut second) = (0.0_f64, [0.0_f64; 3], [[0.0_f64; 3]; 3]);
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let f = Vec3::new(i as f32 + 0.5, j as f32 + 0.5, k as f32 + 0.5) / n as f32;
                    let p = low + f * size;
                    if shape.contains(p) {
                        let p = wide(p);
                        volume += 1.0;
                        for a in 0..3 {
                            first[a] += p[a];
                            for b in 0..3 {
                                second[a][b] += p[a] * p[b];
                            }
                        }
                    }
                }
            }
        }
        let cell = f64::from(size.x * size.y * size.z) / f64::from(n * n * n);
        let center = first.map(|x| x / volume);
        let m = shape.mass(2.0);
        let mass = 2.0 * volume * cell;
        assert!((f64::from(m.mass) / mass - 1.0).abs() < 5e-3, "{shape:?}: {} {mass}", m.mass);
        assert!(length(sub(wide(m.center), center)) < 2e-3, "{shape:?}: {:?} {center:?}", m.center);
        let about = |a: usize, b: usize| 2.0 * cell * (second[a][b] - volume * center[a] * center[b]);
        let trace = about(0, 0) + about(1, 1) + about(2, 2);
        let columns = m.inertia.columns();
        for a in 0..3 {
            for b in 0..3 {
                let expected = if a == b { trace - about(a, a) } else { -about(a, b) };
                let got = f64::from(columns[a][b]);
                assert!((got - expected).abs() < 5e-3 * trace, "{shape:?} [{a}][{b}]: {got} {expected}");
            }
        }
    }
}

#[test]
fn masses_have_their_closed_forms() {
    let near = |a: f32, b: f32| assert!((a - b).abs() <= 1e-5 * b.abs(), "{a} instead of {b}");
    let m = Shape3::cuboid(2.0, 3.0, 4.0).mass(1.5);
    near(m.mass, 36.0);
    near(m.inertia.diagonal.x, 36.0 / 12.0 * 25.0);
    near(m.inertia.diagonal.y, 36.0 / 12.0 * 20.0);
    near(m.inertia.diagonal.z, 36.0 / 12.0 * 13.0);
    let m = Shape3::sphere(2.0).mass(3.0);
    near(m.mass, 32.0 * core::f32::consts::PI);
    near(m.inertia.diagonal.y, 0.4 * 32.0 * core::f32::consts::PI * 4.0);
    // A rounded box without a core is a ball, one with only a length a capsule.
    let tiny = 1e-7;
    let ball = Shape3::Box { half: Vec3::splat(tiny), radius: 2.0 }.mass(3.0);
    near(ball.mass, m.mass);
    near(ball.inertia.diagonal.x, m.inertia.diagonal.x);
    let rod = Shape3::Box { half: Vec3::new(tiny, 1.5, tiny), radius: 0.5 }.mass(1.0);
    let capsule = Shape3::capsule_y(3.0, 0.5).mass(1.0);
    near(rod.mass, capsule.mass);
    near(rod.inertia.diagonal.x, capsule.inertia.diagonal.x);
    near(rod.inertia.diagonal.y, capsule.inertia.diagonal.y);
    let m = Shape3::cylinder(3.0, 0.5).mass(2.0);
    near(m.mass, 2.0 * 0.75 * core::f32::consts::PI);
    near(m.inertia.diagonal.y, 0.5 * m.mass * 0.25);
    near(m.inertia.diagonal.x, m.mass * (3.0 * 0.25 + 9.0) / 12.0);
    let m = Shape3::cone(4.0, 1.5).mass(2.0);
    near(m.mass, 2.0 * core::f32::consts::PI * 2.25 * 4.0 / 3.0);
    near(m.center.y, -1.0);
    near(m.inertia.diagonal.y, 0.3 * m.mass * 2.25);
    near(m.inertia.diagonal.x, m.mass * (0.15 * 2.25 + 0.0375 * 16.0));
    // Rounded until nothing is left of the core: a ball.
    let ball = Shape3::Cylinder { half_height: tiny, radius: tiny, rounding: 2.0 }.mass(3.0);
    let sphere = Shape3::sphere(2.0).mass(3.0);
    near(ball.mass, sphere.mass);
    near(ball.inertia.diagonal.x, sphere.inertia.diagonal.x);
    near(ball.inertia.diagonal.y, sphere.inertia.diagonal.y);
    // A box as a hull, sharp and rounded, far from the origin.
    for radius in [0.0, 0.3] {
        let half = Vec3::new(0.5, 0.7, 1.1);
        let at = Vec3::new(3.0, -2.0, 5.0);
        let corners: Vec<Vec3> = Shape3::Box { half, radius: 0.0 }.vertices();
        let moved: Vec<Vec3> = corners.iter().map(|&c| c + at).collect();
        let expected = Shape3::Box { half, radius }.mass(1.7);
        let m = Shape3::rounded_hull(&moved, radius).unwrap().mass(1.7);
        near(m.mass, expected.mass);
        assert!((m.center - at).length() < 1e-5, "{:?}", m.center);
        for k in 0..3 {
            near(m.inertia.diagonal[k], expected.inertia.diagonal[k]);
            assert!(m.inertia.off[k].abs() < 1e-5 * m.mass, "{:?}", m.inertia);
        }
    }
}

#[test]
fn bounds_are_tight_and_hold_the_support_points() {
    let mut random = Random::new(11);
    for shape in samples() {
        for _ in 0..200 {
            let pose = random.pose(3.0);
            let bounds = shape.aabb(&pose);
            for axis in 0..3 {
                for side in [-1.0, 1.0] {
                    let d = <Vec3 as VecOps>::axis(axis) * side;
                    let local = pose.rotation.rotate_inv(d);
                    let core = shape.support(local).unwrap();
                    let reach = pose.transform(core).to_vec().dot(d) + shape.rounding();
                    let bound =
                        if side > 0.0 { bounds.max.to_vec()[axis] } else { -bounds.min.to_vec()[axis] };
                    assert!((reach - bound).abs() < 1e-5 * 4.0, "{shape:?}: {reach} {bound}");
                }
            }
        }
    }
}

#[test]
fn farthest_point_and_inner_ball_bound_the_shape() {
    let mut random = Random::new(12);
    for shape in samples() {
        let center = match &shape {
            Shape3::Hull { data, .. } => data.center(),
            _ => shape.mass(1.0).center,
        };
        for _ in 0..500 {
            let p = random.vec(2.0);
            let mut farthest = 0.0_f32;
            for _ in 0..50 {
                let d = random.direction();
                let s = shape.support(d).unwrap() + d * shape.rounding();
                farthest = farthest.max(s.distance(p));
            }
            let bound = shape.farthest_from(p);
            assert!(farthest <= bound * 1.00001, "{shape:?}: {farthest} beyond {bound}");
            let inner = center + random.direction() * (shape.inner_radius() * 0.97);
            assert!(shape.contains(inner), "{shape:?}: inner ball sticks out");
        }
    }
}

#[test]
fn rays_agree_with_bisection_on_contains() {
    let mut random = Random::new(13);
    for shape in samples() {
        let mut hits = 0;
        for case in 0..2_000 {
            let origin = random.vec(2.5);
            let target = random.vec(0.8);
            let ray = LocalRay { origin, direction: (target - origin) * random.range(0.1, 2.0), max: 3.0 };
            let hit = shape.ray_cast(&ray);
            if shape.contains(origin) {
                assert_eq!(hit.map(|h| (h.t, h.normal)), Some((0.0, Vec3::ZERO)), "{shape:?} {case}");
                continue;
            }
            // First sample inside on a fine march, then bisection for the entry.
            let n = 4_000;
            let at = |t: f32| ray.origin + ray.direction * t;
            let first = (0..=n).map(|i| 3.0 * i as f32 / n as f32).find(|&t| shape.contains(at(t)));
            let Some(high) = first else {
                // A hit without a sample inside can only graze.
                if let Some(h) = hit {
                    assert!(shape.contains(at(h.t) - h.normal * 1e-4), "{shape:?} {case}: {h:?}");
                }
                continue;
            };
            hits += 1;
            let (mut low, mut high) = ((high - 3.0 / n as f32).max(0.0), high);
            for _ in 0..30 {
                let mid = 0.5 * (low + high);
                if shape.contains(at(mid)) { high = mid } else { low = mid }
            }
            let h = hit.unwrap_or_else(|| panic!("{shape:?} {case}: missed at {high}"));
            let error = (h.t - high).abs() * ray.direction.length();
            assert!(error < 2e-4, "{shape:?} {case}: {} instead of {high}", h.t);
            assert!((h.normal.length() - 1.0).abs() < 1e-4 && h.normal.dot(ray.direction) <= 1e-5);
            // Just inside along the normal, just outside against it.
            assert!(shape.contains(at(h.t) - h.normal * 1e-3), "{shape:?} {case}: normal {:?}", h.normal);
            assert!(!shape.contains(at(h.t) + h.normal * 1e-3), "{shape:?} {case}: normal {:?}", h.normal);
        }
        assert!(hits > 300, "{shape:?}: {hits} hits");
    }
}

#[test]
fn rays_and_points_meet_the_half_space() {
    let plane = Shape3::plane(Vec3::Y * 3.0, 1.0);
    assert!(plane.contains(Vec3::new(5.0, 1.0, 0.0)) && !plane.contains(Vec3::new(5.0, 1.01, 0.0)));
    let ray = |y: f32, d: f32| {
        let ray = LocalRay { origin: Vec3::Y * y, direction: Vec3::Y * d, max: 10.0 };
        plane.ray_cast(&ray).map(|h| (h.t, h.normal))
    };
    assert_eq!(ray(3.0, -2.0), Some((1.0, Vec3::Y)));
    assert_eq!(ray(3.0, 2.0), None);
    assert_eq!(ray(0.5, 2.0), Some((0.0, Vec3::ZERO)));
    assert_eq!(ray(30.0, -2.0), None, "beyond the end of the ray");
}

#[test]
fn shapes_come_back_from_bytes_and_damage_is_refused() {
    let mut shapes = samples();
    shapes.push(Shape3::plane(Vec3::new(1.0, 2.0, 3.0), -0.5));
    for shape in shapes {
        let mut out = Writer::default();
        shape.save(&mut out);
        let bytes = out.into_bytes();
        let mut input = Reader::new(&bytes);
        let back = Shape3::load(&mut input).unwrap();
        assert!(input.is_at_end() && back == shape, "{shape:?} {back:?}");
        for end in 0..bytes.len() {
            assert!(Shape3::load(&mut Reader::new(&bytes[..end])).is_err(), "{shape:?} cut at {end}");
        }
        assert!(shape.validate().is_ok());
    }
    assert!(Shape3::load(&mut Reader::new(&[250; 64])).is_err());
}

#[test]
fn damaged_bytes_never_panic() {
    let mut random = Random::new(14);
    for shape in samples() {
        let mut out = Writer::default();
        shape.save(&mut out);
        let bytes = out.into_bytes();
        for _ in 0..500 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.bits() % 4 {
                let at = random.bits() as usize % damaged.len();
                damaged[at] = random.bits() as u8;
            }
            if let Ok(loaded) = Shape3::load(&mut Reader::new(&damaged))
                && loaded.validate().is_ok()
            {
                // Whatever was accepted can be used.
                let _ = (loaded.mass(1.0), loaded.aabb(&Pose::IDENTITY), loaded.support(Vec3::Y));
            }
        }
    }
}

#[test]
fn bad_values_are_refused_by_name() {
    let refused = |shape: Shape3, field: &str| {
        let message = shape.validate().expect_err(field).to_string();
        assert!(message.contains(field), "{message} does not name {field}");
    };
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused(Shape3::sphere(bad), "Sphere.radius");
        refused(Shape3::cuboid(1.0, bad, 1.0), "Box.half.y");
        refused(Shape3::capsule(Vec3::ZERO, Vec3::Y, bad), "Capsule.radius");
        refused(Shape3::cylinder(bad, 1.0), "Cylinder.half_height");
        refused(Shape3::cylinder(1.0, bad), "Cylinder.radius");
        refused(Shape3::cone(bad, 1.0), "Cone.half_height");
        refused(Shape3::cone(1.0, bad), "Cone.radius");
    }
    refused(Shape3::Box { half: Vec3::ONE, radius: -0.1 }, "Box.radius");
    refused(Shape3::rounded_cone(1.0, 1.0, -0.1), "Cone.rounding");
    refused(Shape3::rounded_cylinder(1.0, 1.0, -0.1), "Cylinder.rounding");
    refused(Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.6), "Box.half.x");
    refused(Shape3::capsule(Vec3::splat(f32::NAN), Vec3::Y, 1.0), "Capsule.a");
    refused(Shape3::plane(Vec3::ZERO, 1.0), "Plane.normal");
    refused(Shape3::plane(Vec3::splat(f32::NAN), 1.0), "Plane.normal");
    refused(Shape3::plane(Vec3::Y, f32::INFINITY), "Plane.offset");
}

/// The normal used to be the direction of the last step but one of the search: up to 18° off on cones, 1° on cylinders.
#[test]
fn rays_at_cones_and_cylinders_get_the_normal_of_the_side() {
    const ALLOWED: f32 = 0.05; // degrees
    let mut random = Random::new(88);
    let mut seen = [0; 2];
    for _ in 0..20_000 {
        let (height, radius) = (random.range(0.3, 2.0), random.range(0.2, 1.0));
        let origin = random.direction() * random.range(2.5, 5.0);
        let direction = random.direction() * 0.3 - origin;
        let is_cone = random.range(0.0, 1.0) < 0.5;
        let shape = if is_cone { Shape3::cone(height, radius) } else { Shape3::cylinder(height, radius) };
        let Some(hit) = shape.ray_cast(&LocalRay { origin, direction, max: 2.0 }) else { continue };
        let p = origin + direction * hit.t;
        let out = Vec3::new(p.x, 0.0, p.z);
        // Away from rim and tip, where the normal jumps.
        let near_end = if is_cone { p.y + 0.5 * height } else { 0.5 * height - p.y.abs() };
        if near_end < 0.02 || out.length() < 0.05 {
            continue;
        }
        let out = out.normalize();
        let expected = if is_cone { (out * height + Vec3::Y * radius).normalize() } else { out };
        // The sine of a small angle is the angle.
        let off = hit.normal.cross(expected).length().to_degrees();
        assert!(
            off < ALLOWED && hit.normal.dot(expected) > 0.0,
            "{shape:?} from {origin}: normal {} instead of {expected}, {off}° off, allowed {ALLOWED}°",
            hit.normal
        );
        seen[usize::from(is_cone)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 2000), "cylinders, cones: {seen:?}");
}
