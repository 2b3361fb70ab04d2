//! Bodies of revolution about the y axis: cylinder and cone.
//!
//! Everything is decided in the half plane (distance from the axis, height). Masses integrate over the outline of
//! the rounded body: with ρ the distance from the axis, V = π∫ρ² dy, ∫y = π∫ρ²y dy, ∫y² = π∫ρ²y² dy, and the moment about
//! the axis is π/2 ∫ρ⁴ dy. Straight pieces are polynomials, which the quadrature integrates exactly; on arcs its error is
//! below 1e-12.

use crate::math::*;
use crate::shape::Mass;
use core::f64::consts::PI;
use glam::Vec3Swizzles;

/// Reach of a unit disc across the unit vector `axis` along each coordinate axis.
pub(super) fn disc_reach(axis: Vec3) -> Vec3 {
    // Of the other two components: what is left of 1 − x² near 1 is rounding, centimetres at the rim of a large disc.
    let part = |y: Real, z: Real| (y * y + z * z).sqrt();
    Vec3::new(part(axis.y, axis.z), part(axis.z, axis.x), part(axis.x, axis.y))
}

/// Farthest point of the rim of a disc of `radius` at `height`; its middle if `d` is along the axis.
#[inline]
fn rim(radius: Real, height: Real, d: Vec3) -> Vec3 {
    let length = d.xz().length();
    let s = if length > 0.0 { radius / length } else { 0.0 };
    Vec3::new(d.x * s, height, d.z * s)
}

#[inline]
pub(super) fn cylinder_support(half_height: Real, radius: Real, d: Vec3) -> Vec3 {
    rim(radius, if d.y < 0.0 { -half_height } else { half_height }, d)
}

#[inline]
pub(super) fn cone_support(half_height: Real, radius: Real, d: Vec3) -> Vec3 {
    if 2.0 * half_height * d.y >= radius * d.xz().length() {
        Vec3::new(0.0, half_height, 0.0)
    } else {
        rim(radius, -half_height, d)
    }
}

/// Farthest point of a rim in f64.
#[inline]
fn rim_wide(radius: f64, height: f64, d: [f64; 3]) -> [f64; 3] {
    let length = (d[0] * d[0] + d[2] * d[2]).sqrt();
    let s = if length > 0.0 { radius / length } else { 0.0 };
    [d[0] * s, height, d[2] * s]
}

#[inline]
pub(super) fn cylinder_support_wide(half_height: Real, radius: Real, d: [f64; 3]) -> [f64; 3] {
    let half = f64::from(half_height);
    rim_wide(f64::from(radius), if d[1] < 0.0 { -half } else { half }, d)
}

/// How far a cylinder reaches along `d`, times its length.
#[inline]
pub(super) fn cylinder_reach_wide(half_height: Real, radius: Real, d: [f64; 3]) -> f64 {
    f64::from(half_height) * d[1].abs() + f64::from(radius) * (d[0] * d[0] + d[2] * d[2]).sqrt()
}

#[inline]
pub(super) fn cone_support_wide(half_height: Real, radius: Real, d: [f64; 3]) -> [f64; 3] {
    let (half, radius) = (f64::from(half_height), f64::from(radius));
    if 2.0 * half * d[1] >= radius * (d[0] * d[0] + d[2] * d[2]).sqrt() {
        [0.0, half, 0.0]
    } else {
        rim_wide(radius, -half, d)
    }
}

/// Closest point of a cone to `p` in the half plane (distance from the axis, height); `p` itself if inside.
pub(super) fn closest_on_cone(half_height: Real, radius: Real, p: Vec2) -> Vec2 {
    let (h, r) = (half_height, radius);
    let below_side = 2.0 * h * (p.x - r) + r * (p.y + h) <= 0.0;
    if p.y >= -h && below_side {
        return p;
    }
    let base = Vec2::new(p.x.min(r), -h);
    let (rim, side) = (Vec2::new(r, -h), Vec2::new(-r, 2.0 * h));
    let s = ((p - rim).dot(side) / side.length_squared()).clamp(0.0, 1.0);
    let slope = rim + side * s;
    if base.distance_squared(p) < slope.distance_squared(p) { base } else { slope }
}

/// A piece of the outline: an arc of radius r about `center` from unit normal to unit normal (at most a quarter turn), or
/// a straight line from the end of one arc to the start of the next.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) center: [f64; 2],
    pub(super) from: [f64; 2],
    pub(super) to: [f64; 2],
}

pub(super) fn cylinder_mass(half_height: Real, radius: Real, rounding: Real, density: Real) -> Mass<D3> {
    outline_mass(&cylinder_arcs(half_height, radius), f64::from(rounding), density)
}

/// Corners of the outline of a cylinder, or of a capsule if the radius is zero.
pub(super) fn cylinder_arcs(half_height: Real, radius: Real) -> [Arc; 2] {
    let (h, r) = (f64::from(half_height), f64::from(radius));
    let bottom = Arc { center: [r, -h], from: [0.0, -1.0], to: [1.0, 0.0] };
    let top = Arc { center: [r, h], from: [1.0, 0.0], to: [0.0, 1.0] };
    [bottom, top]
}

pub(super) fn cone_mass(half_height: Real, radius: Real, rounding: Real, density: Real) -> Mass<D3> {
    outline_mass(&cone_arcs(half_height, radius), f64::from(rounding), density)
}

/// Corners of the outline of a cone.
pub(super) fn cone_arcs(half_height: Real, radius: Real) -> [Arc; 3] {
    let (h, r) = (f64::from(half_height), f64::from(radius));
    let slant = (4.0 * h * h + r * r).sqrt();
    let side = [2.0 * h / slant, r / slant];
    let low = Arc { center: [r, -h], from: [0.0, -1.0], to: [1.0, 0.0] };
    let rim = Arc { center: [r, -h], from: [1.0, 0.0], to: side };
    let apex = Arc { center: [0.0, h], from: side, to: [0.0, 1.0] };
    [low, rim, apex]
}

/// Mass of the body inside arcs of radius `r` and the lines between them, listed from the bottom up.
fn outline_mass(arcs: &[Arc], r: f64, density: Real) -> Mass<D3> {
    let mut sums = [0.0; 4];
    let end = |c: [f64; 2], n: [f64; 2]| [c[0] + r * n[0], c[1] + r * n[1]];
    for (k, arc) in arcs.iter().enumerate() {
        if r > 0.0 {
            integrate(&mut sums, 8, |t| {
                // Between the normals: the direction of (1 − t) from + t to, and its derivative.
                let d = [arc.to[0] - arc.from[0], arc.to[1] - arc.from[1]];
                let v = [arc.from[0] + t * d[0], arc.from[1] + t * d[1]];
                let l = (v[0] * v[0] + v[1] * v[1]).sqrt();
                let n = [v[0] / l, v[1] / l];
                let along = n[0] * d[0] + n[1] * d[1];
                let p = end(arc.center, n);
                (p[0], p[1], r * (d[1] - n[1] * along) / l)
            });
        }
        if let Some(next) = arcs.get(k + 1) {
            let (p, q) = (end(arc.center, arc.to), end(next.center, next.from));
            integrate(&mut sums, 2, |t| (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), q[1] - p[1]));
        }
    }
    let [volume, first, second, axial] = sums;
    let density = f64::from(density);
    let center = first / volume;
    let along = axial * density;
    let across = 0.5 * along + (second - volume * center * center) * density;
    Mass {
        mass: (volume * density) as Real,
        center: Vec3::new(0.0, center as Real, 0.0),
        inertia: SymMat3::from_diagonal(Vec3::new(across as Real, along as Real, across as Real)),
    }
}

/// Gauss' five points on [−1, 1] with their weights.
pub(super) const NODES: [(f64, f64); 5] = [
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// Adds V, ∫y, ∫y² and the axial moment of a curve t in [0, 1] ↦ (ρ, y, dy/dt): Gauss' five points on each panel.
fn integrate(sums: &mut [f64; 4], panels: u32, curve: impl Fn(f64) -> (f64, f64, f64)) {
    let width = 1.0 / f64::from(panels);
    for panel in 0..panels {
        for (node, weight) in NODES {
            let (rho, y, dy) = curve((f64::from(panel) + 0.5 + 0.5 * node) * width);
            let part = PI * rho * rho * dy * 0.5 * weight * width;
            sums[0] += part;
            sums[1] += part * y;
            sums[2] += part * y * y;
            sums[3] += part * 0.5 * rho * rho;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Shape3, ShapeOps};

    /// The box around a disc that leans by a ten-thousandth lacked a centimetre at its rim, and bodies that lay there sank in.
    #[test]
    fn the_box_of_a_large_disc_that_leans_a_little_holds_its_rim() {
        let disc = Shape3::cylinder(0.01, 50.0);
        for k in 1..1000 {
            let pose =
                Pose { position: Point3::default(), rotation: Quat::from_rotation_x(1e-6 * k as Real) };
            let bounds = disc.aabb(&pose);
            let rim = pose.transform(Vec3::new(0.0, 0.005, -50.0));
            assert!((rim.y - bounds.max.y).abs() < 2e-5, "{} m, expected {} m", bounds.max.y, rim.y);
        }
    }
}
