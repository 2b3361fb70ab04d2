//! One triangle: bounds, closest point, crossing rays.

use crate::distance::Wide;
use crate::math::*;
use crate::shape::LocalRay;

/// Box around three corners.
#[inline]
pub(crate) fn bounds([a, b, c]: [Vec3; 3]) -> Aabb<D3> {
    Aabb { min: a.min(b).min(c).into(), max: a.max(b).max(c).into() }
}

/// Unit normal, counter-clockwise corners seen from its tip; None without area.
pub(crate) fn normal([a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let cross = (Wide::of(b) - Wide::of(a)).cross(Wide::of(c) - Wide::of(a));
    cross.unit().map(|n| n.narrow())
}

/// Unit vectors in the plane of the triangle, across its edges, outwards; edge k runs from corner k to k + 1.
#[inline]
pub(crate) fn outwards([a, b, c]: [Vec3; 3], normal: Vec3) -> [Vec3; 3] {
    let out = |p: Vec3, q: Vec3| (q - p).cross(normal).normalize_or(Vec3::ZERO);
    [out(a, b), out(b, c), out(c, a)]
}

/// Point of the triangle closest to `p`, and whether it lies in the inside of the face.
#[inline]
pub(crate) fn closest([a, b, c]: [Vec3; 3], p: Vec3) -> (Vec3, bool) {
    // Voronoi regions by dot products [Ericson2005 §5.1.5].
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, false);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, false);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), false);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, false);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), false);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), false);
    }
    let sum = 1.0 / (va + vb + vc);
    (a + ab * (vb * sum) + ac * (vc * sum), true)
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub t: Real,
    /// It comes from the side the normal points to.
    pub is_front: bool,
}

/// The crossing of a ray, from either side; borders count. Rays along the plane meet nothing.
///
/// Three signed volumes decide on which side of the edges the ray passes. For two triangles that share an edge
/// they are exact opposites, so that no ray slips through between them.
pub(crate) fn crossing(corners: [Vec3; 3], ray: &LocalRay<D3>) -> Option<Crossing> {
    let [a, b, c] = corners.map(|v| Wide::of(v) - Wide::of(ray.origin));
    let d = Wide::of(ray.direction);
    let (u, v, w) = (d.dot(b.cross(c)), d.dot(c.cross(a)), d.dot(a.cross(b)));
    let inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    if !inside || u + v + w == 0.0 {
        return None;
    }
    let n = (b - a).cross(c - a);
    let along = n.dot(d);
    let t = n.dot(a) / along;
    (t >= 0.0 && t <= f64::from(ray.max)).then_some(Crossing { t: t as Real, is_front: along < 0.0 })
}

/// How often a surface winds around the origin, the share of one triangle: 1 if the ray from the origin along `d` leaves
/// through it, −1 if it enters. `keys` are the numbers of the corners: they settle rays that pass exactly through an edge
/// for both of its triangles alike.
pub(crate) fn winding([a, b, c]: [Wide; 3], keys: [u32; 3], d: Wide) -> i32 {
    let side = |p: Wide, q: Wide, from: u32, to: u32| {
        let volume = d.dot(p.cross(q));
        if volume == 0.0 { from < to } else { volume > 0.0 }
    };
    let (u, v, w) =
        (side(b, c, keys[1], keys[2]), side(c, a, keys[2], keys[0]), side(a, b, keys[0], keys[1]));
    if u != v || v != w {
        return 0;
    }
    let n = (b - a).cross(c - a);
    let (height, along) = (n.dot(a), n.dot(d));
    // Behind the origin, or beside it.
    if along == 0.0 || (height < 0.0) != (along < 0.0) {
        return 0;
    }
    if along > 0.0 { 1 } else { -1 }
}
