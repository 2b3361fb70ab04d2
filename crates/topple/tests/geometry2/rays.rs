//! Rays against the f64 distance: closed forms have no say here, the surface is found by marching.

use super::reference;
use super::support::*;
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};
use topple::{D2, Shape2};

fn distance(shape: &Shape2, p: Vec2) -> f64 {
    reference::separation(shape, &Shape2::circle(1e-15), &Pose::at(p)).separation
}

/// First t at which the ray is within `reach` of the shape, by steps of the distance; None if it never is.
fn march(shape: &Shape2, ray: &LocalRay<D2>, reach: f64) -> Option<f64> {
    let speed = f64::from(ray.direction.length());
    let mut t = 0.0;
    for _ in 0..5000 {
        let d = distance(shape, ray.origin + ray.direction * t as Real);
        if d < reach {
            return Some(t);
        }
        t += (d - 0.5 * reach).max(0.0) / speed;
        if t > f64::from(ray.max) {
            return None;
        }
    }
    // Grazing: neither hit nor miss.
    Some(f64::NAN)
}

/// Smallest signed distance of 4000 points of the ray.
fn deepest_along(shape: &Shape2, ray: &LocalRay<D2>) -> f64 {
    (0..4000)
        .map(|k| distance(shape, ray.origin + ray.direction * (ray.max * k as Real / 4000.0)))
        .fold(f64::INFINITY, f64::min)
}

/// True if the ray passes the segment from one side to the other, clearly between its ends.
fn crosses(ray: &LocalRay<D2>, a: Vec2, b: Vec2) -> bool {
    let (o, d) = (reference::wide(ray.origin), reference::wide(ray.direction));
    let (a, b) = (reference::wide(a), reference::wide(b));
    let e = reference::sub(b, a);
    let det = reference::cross(d, e);
    let t = reference::cross(reference::sub(a, o), e) / det;
    let s = reference::cross(reference::sub(a, o), d) / det;
    (0.0..=f64::from(ray.max)).contains(&t) && (1e-3..1.0 - 1e-3).contains(&s)
}

#[test]
fn rays_hit_where_marching_along_the_distance_arrives() {
    let mut random = Random::new(21);
    let (mut hits, mut misses) = (0, 0);
    for i in 0..8000 {
        let shape = random_shape(&mut random, i % 7, 1.0);
        let origin = random.vec(3.0);
        let target = random.vec(0.8);
        let ray = LocalRay::<D2> {
            origin,
            direction: (target - origin) * random.range(0.2, 3.0),
            max: random.range(0.5, 4.0),
        };
        if ray.direction.length() < 0.1 {
            continue;
        }
        let what = format!("{shape:?}\n{ray:?}");
        let got = shape.ray_cast(&ray);
        match (march(&shape, &ray, 2e-5), got) {
            (None, None) => misses += 1,
            (Some(t), Some(hit)) => {
                hits += 1;
                let p = ray.origin + ray.direction * hit.t;
                assert!((0.0..=ray.max).contains(&hit.t), "{what}\n{hit:?}");
                if hit.normal == Vec2::ZERO {
                    assert!(hit.t == 0.0 && distance(&shape, ray.origin) < 1e-5, "{what}\n{hit:?}");
                    continue;
                }
                assert!(distance(&shape, p).abs() < 1e-4, "{what}\n{hit:?}: {}", distance(&shape, p));
                assert!(hit.normal.dot(ray.direction) <= 0.0, "{what}\n{hit:?}");
                assert!((hit.normal.length() - 1.0).abs() < 1e-5, "{what}\n{hit:?}");
                // Grazing rays come near long before they touch.
                let slope = -f64::from(hit.normal.dot(ray.direction.normalize()));
                if slope > 0.05 && t.is_finite() {
                    let gap = (f64::from(hit.t) - t) * f64::from(ray.direction.length());
                    assert!(gap.abs() < 5e-5 / slope + 1e-4, "{what}\n{hit:?}, marched to {t}");
                    // The normal is the gradient of the distance.
                    let up = distance(&shape, p + hit.normal * 1e-2);
                    assert!(up > 0.8e-2, "{what}\n{hit:?}: {up}");
                }
            }
            // Only a graze may be seen differently.
            (Some(t), None) => {
                let is_graze = match &shape {
                    Shape2::Segment { a, b } => !crosses(&ray, *a, *b),
                    _ => deepest_along(&shape, &ray) > -1e-4,
                };
                assert!(is_graze || f64::from(ray.max) - t < 1e-3, "{what}\nmarched to {t}");
            }
            (None, Some(hit)) => {
                let p = ray.origin + ray.direction * hit.t;
                assert!(distance(&shape, p).abs() < 1e-4 && ray.max - hit.t < 1e-3, "{what}\n{hit:?}");
            }
        }
    }
    assert!(hits > 1500 && misses > 1500, "{hits} hits, {misses} misses");
}

#[test]
fn a_ray_that_starts_inside_hits_at_once_without_normal() {
    let mut random = Random::new(22);
    for kind in 0..6 {
        let shape = random_shape(&mut random, kind, 1.0);
        let ray = LocalRay { origin: shape.mass(1.0).center, direction: random.vec(1.0), max: 10.0 };
        let hit = shape.ray_cast(&ray).unwrap();
        assert_eq!((hit.t, hit.normal), (0.0, Vec2::ZERO), "{shape:?}");
    }
    let plane = Shape2::half_plane(Vec2::Y, 1.0);
    let ray = LocalRay { origin: Vec2::ZERO, direction: Vec2::Y, max: 10.0 };
    assert_eq!(plane.ray_cast(&ray).map(|h| (h.t, h.normal)), Some((0.0, Vec2::ZERO)));
}

#[test]
fn half_planes_are_hit_from_the_free_side_only() {
    let plane = Shape2::half_plane(Vec2::new(0.0, 2.0), 1.0);
    let cast = |direction, max| plane.ray_cast(&LocalRay { origin: Vec2::new(5.0, 3.0), direction, max });
    assert_eq!(cast(Vec2::new(1.0, -4.0), 1.0).map(|h| (h.t, h.normal)), Some((0.5, Vec2::Y)));
    assert_eq!(cast(Vec2::new(1.0, -4.0), 0.4), None);
    assert_eq!(cast(Vec2::Y, 100.0), None);
    assert_eq!(cast(Vec2::X, 100.0), None);
}

#[test]
fn segments_are_hit_from_both_sides_with_the_normal_against_the_ray() {
    let segment = Shape2::segment(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.0));
    for side in [-1.0, 1.0] {
        let cast = |x: Real| {
            let ray =
                LocalRay { origin: Vec2::new(x, 2.0 * side), direction: Vec2::new(0.0, -side), max: 9.0 };
            segment.ray_cast(&ray)
        };
        assert_eq!(cast(0.5).map(|h| (h.t, h.normal)), Some((2.0, Vec2::new(0.0, side))));
        assert_eq!(cast(1.5), None);
    }
    let along = LocalRay { origin: Vec2::new(-3.0, 0.0), direction: Vec2::X, max: 9.0 };
    assert_eq!(segment.ray_cast(&along), None);
}

#[test]
fn senseless_rays_neither_panic_nor_hit_from_outside() {
    let mut random = Random::new(23);
    for kind in 0..KINDS {
        let shape = random_shape(&mut random, kind, 1.0);
        let far = Vec2::new(3.0, 50.0);
        let origin = if shape.contains(far) { -far } else { far };
        for (direction, max) in [
            (Vec2::ZERO, 1.0),
            (Vec2::NAN, 1.0),
            (-origin, -1.0),
            (-origin, Real::NAN),
            (origin * Real::INFINITY, 1.0),
        ] {
            assert_eq!(
                shape.ray_cast(&LocalRay { origin, direction, max }),
                None,
                "{shape:?} {direction} {max}"
            );
        }
        let _ = shape.ray_cast(&LocalRay { origin: Vec2::NAN, direction: Vec2::X, max: 1.0 });
    }
}
