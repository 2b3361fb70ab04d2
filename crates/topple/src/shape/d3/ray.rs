//! Rays against the shapes of the space.

use super::{HullData, Shape3, revolved, triangle};
use crate::distance::{Cores, Wide, core_distance};
use crate::math::*;
use crate::shape::{LocalRay, LocalRayHit, ShapeOps};
use glam::Vec3Swizzles;

/// A ray has arrived at a rounded surface when the rest of the way is this share of the place on it (no unit); f32 has no
/// more digits. The start of the ray counts with the second share.
const ARRIVED: Real = 2e-6;
const OFF_ORIGIN: Real = 1e-7;

pub(super) fn ray_cast(shape: &Shape3, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    if !(ray.max >= 0.0 && ray.origin.is_finite() && ray.direction.is_finite()) {
        return None;
    }
    match shape {
        // These find out by themselves whether the ray starts inside.
        Shape3::Mesh { data } => return data.ray_cast(ray),
        Shape3::HeightField { data } => return data.ray_cast(ray),
        _ => {}
    }
    if shape.contains(ray.origin) {
        return Some(LocalRayHit { t: 0.0, normal: Vec3::ZERO });
    }
    let hit = match shape {
        Shape3::Sphere { radius } => sphere(Vec3::ZERO, *radius, ray),
        Shape3::Box { half, radius: 0.0 } => cuboid(*half, ray),
        Shape3::Box { half, radius } => rounded(*radius, ray, |p| p.clamp(-*half, *half)),
        Shape3::Capsule { a, b, radius } => capsule(*a, *b, *radius, ray),
        Shape3::Plane { normal, offset } => plane(*normal, *offset, ray),
        Shape3::Cylinder { half_height, radius, rounding } => {
            let core = Vec2::new(*radius, *half_height);
            let hit = rounded(*rounding, ray, |p| revolve(p, |flat| flat.clamp(-core, core)));
            let sides = [(Vec2::X, *radius), (Vec2::Y, *half_height), (-Vec2::Y, *half_height)];
            if *rounding > 0.0 { hit } else { hit.map(|hit| upright(hit, ray, &sides)) }
        }
        Shape3::Cone { half_height, radius, rounding } => {
            let closest = |flat| revolved::closest_on_cone(*half_height, *radius, flat);
            let hit = rounded(*rounding, ray, |p| revolve(p, closest));
            let slope = Vec2::new(2.0 * *half_height, *radius).normalize_or(Vec2::X);
            let sides = [(slope, slope.y * *half_height), (-Vec2::Y, *half_height)];
            if *rounding > 0.0 { hit } else { hit.map(|hit| upright(hit, ray, &sides)) }
        }
        Shape3::Hull { data, radius: 0.0 } => polyhedron(data, ray),
        Shape3::Hull { radius, .. } => rounded(*radius, ray, |p| closest_on_core(shape, p)),
        Shape3::Triangle { a, b, c } => {
            let corners = [*a, *b, *c];
            let hit = triangle::crossing(corners, ray)?;
            let normal = triangle::normal(corners)?;
            Some(LocalRayHit { t: hit.t, normal: if hit.is_front { normal } else { -normal } })
        }
        Shape3::Mesh { .. } | Shape3::HeightField { .. } => None,
    }?;
    (hit.t >= 0.0 && hit.t <= ray.max).then_some(hit)
}

/// Entry into a ball that does not hold the origin of the ray.
fn sphere(center: Vec3, radius: Real, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    let length = ray.direction.length();
    if length <= 0.0 {
        return None;
    }
    let unit = ray.direction * (1.0 / length);
    let to_origin = ray.origin - center;
    let along = -to_origin.dot(unit);
    // Foot of the perpendicular from the centre: accurate even if the ray comes from far away.
    let foot = to_origin + unit * along;
    let inside = radius * radius - foot.length_squared();
    if along < 0.0 || inside < 0.0 {
        return None;
    }
    let distance = (along - inside.sqrt()).max(0.0);
    let normal = (to_origin + unit * distance).normalize_or(-unit);
    Some(LocalRayHit { t: distance / length, normal })
}

/// Entry into a sharp box by slabs.
fn cuboid(half: Vec3, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    let (mut enter, mut leave) = (0.0, ray.max);
    let mut entered = None;
    // PERF: arrays, for the loop to be unrolled.
    let (origin, direction, half) = (ray.origin.to_array(), ray.direction.to_array(), half.to_array());
    for axis in 0..3 {
        let (o, d, h) = (origin[axis], direction[axis], half[axis]);
        if d == 0.0 {
            if o.abs() > h {
                return None;
            }
            continue;
        }
        let last = h.copysign(d);
        let (near, far) = ((-last - o) / d, (last - o) / d);
        if near > enter {
            (enter, entered) = (near, Some(axis));
        }
        if far < leave {
            leave = far;
        }
    }
    // The origin is outside, so the entry is through a face; without one the ray leads away.
    let axis = entered.filter(|_| enter <= leave)?;
    let side = if direction[axis] > 0.0 { -1.0 } else { 1.0 };
    Some(LocalRayHit { t: enter, normal: Vec3::axis(axis) * side })
}

/// Steps of [`rounded`]; convex surfaces take 3 to 6, grazing rays more.
const MAX_STEPS: usize = 64;

/// Entry into a convex core inflated by `radius`, given the point of the core closest to a point outside of it. Newton's
/// method on the distance: the tangent plane at the closest point never lies behind the surface of a convex shape,
/// so the steps never overshoot.
fn rounded(radius: Real, ray: &LocalRay<D3>, closest: impl Fn(Vec3) -> Vec3) -> Option<LocalRayHit<D3>> {
    let mut t = 0.0;
    let mut normal = Vec3::ZERO;
    let far = OFF_ORIGIN * ray.origin.abs().max_element();
    for _ in 0..MAX_STEPS {
        let p = ray.origin + ray.direction * t;
        let away = p - closest(p);
        let length = away.length();
        let height = length - radius;
        let arrived = height <= ARRIVED * (radius + p.abs().max_element()) + far;
        // On a sharp surface the last bit of the way has no direction any more: the step before knew it.
        if normal == Vec3::ZERO || !arrived || (radius > 0.0 && length > 0.5 * radius) {
            normal = away.normalize_or(normal);
        }
        if arrived {
            return (normal != Vec3::ZERO).then_some(LocalRayHit { t, normal });
        }
        let speed = -normal.dot(ray.direction);
        if speed <= 0.0 {
            return None;
        }
        t += height / speed;
        if t > ray.max {
            return None;
        }
    }
    // Still closing in on a grazing hit: as good as touching.
    Some(LocalRayHit { t, normal })
}

/// The hit on a sharp body of revolution about y with the normal of the side that it is on. Sides are lines of the half profile: unit
/// normal and offset. The way to the closest point, which [`rounded`] goes by, is that of the step before the last: off by
/// some degrees where the surface bends.
fn upright(hit: LocalRayHit<D3>, ray: &LocalRay<D3>, sides: &[(Vec2, Real)]) -> LocalRayHit<D3> {
    let p = ray.origin + ray.direction * hit.t;
    let r = p.xz().length();
    let out = if r > 0.0 { p.xz() * (1.0 / r) } else { Vec2::ZERO };
    let mut highest = Real::NEG_INFINITY;
    let mut normal = hit.normal;
    for &(flat, offset) in sides {
        let height = flat.dot(Vec2::new(r, p.y)) - offset;
        let side = Vec3::new(flat.x * out.x, flat.y, flat.x * out.y);
        if height > highest && side.dot(ray.direction) < 0.0 {
            (highest, normal) = (height, side);
        }
    }
    LocalRayHit { t: hit.t, normal: normal.normalize_or(hit.normal) }
}

/// Closest point of a body of revolution about y, by its half profile (distance from the axis, height).
fn revolve(p: Vec3, closest: impl Fn(Vec2) -> Vec2) -> Vec3 {
    let r = p.xz().length();
    let c = closest(Vec2::new(r, p.y));
    let s = if r > 0.0 { c.x / r } else { 0.0 };
    Vec3::new(p.x * s, c.y, p.z * s)
}

/// Point of the core of a bounded convex shape that is closest to `p`, for points outside.
pub(super) fn closest_on_core(shape: &Shape3, p: Vec3) -> Vec3 {
    // A sphere without radius is a point.
    let point = Shape3::Sphere { radius: 0.0 };
    match Cores::<D3>::new(shape, &point, &Pose::at(p)) {
        Some(cores) => core_distance(&cores, Wide::of(p)).on_a.narrow(),
        None => p,
    }
}

/// Entry into a sharp polyhedron: the last of the planes the ray goes in through, if none is left before.
fn polyhedron(hull: &HullData, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    let (mut enter, mut leave) = (0.0, ray.max);
    let mut normal = Vec3::ZERO;
    for face in hull.faces() {
        let height = face.normal.dot(ray.origin) - face.offset;
        let speed = face.normal.dot(ray.direction);
        if speed < 0.0 {
            let t = height / -speed;
            if t > enter || (height > 0.0 && normal == Vec3::ZERO) {
                (enter, normal) = (t, face.normal);
            }
        } else if speed > 0.0 {
            leave = leave.min(-height / speed);
        } else if height > 0.0 {
            return None;
        }
    }
    (enter <= leave && normal != Vec3::ZERO).then_some(LocalRayHit { t: enter, normal })
}

/// Entry into a capsule: the side of its cylinder, or the ball at one of the ends, whichever comes first.
fn capsule(a: Vec3, b: Vec3, radius: Real, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    let axis = b - a;
    let length = axis.length();
    let ends = [sphere(a, radius, ray), sphere(b, radius, ray)];
    let mut best = ends.into_iter().flatten().reduce(|x, y| if y.t < x.t { y } else { x });
    if length > 0.0 {
        let u = axis * (1.0 / length);
        let flat = |v: Vec3| v - u * v.dot(u);
        let across = LocalRay { origin: flat(ray.origin - a), direction: flat(ray.direction), max: ray.max };
        if let Some(hit) = sphere(Vec3::ZERO, radius, &across) {
            let y = (ray.origin + ray.direction * hit.t - a).dot(u);
            if (0.0..=length).contains(&y) && best.is_none_or(|other| hit.t < other.t) {
                best = Some(hit);
            }
        }
    }
    best
}

fn plane(normal: Vec3, offset: Real, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
    let height = normal.dot(ray.origin) - offset;
    let speed = normal.dot(ray.direction);
    (speed < 0.0).then(|| LocalRayHit { t: height / -speed, normal })
}
