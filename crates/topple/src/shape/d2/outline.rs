//! One view of every straight-edged shape of the plane: a convex polygon of two or more corners with a rounding radius.
//!
//! A segment is a polygon with two corners and two edges, there and back; a capsule is a rounded segment. Mass, rays,
//! distances and contacts are written once for this view.

use super::polygon::edge_normal;
use super::{LocalRay, LocalRayHit, Shape2};
use crate::math::*;

/// Squared lengths whose inverse roots are far inside the range of f32 [m²].
const LENGTHS_SQUARED: core::ops::Range<Real> = 1e-30..1e30;

/// Outward normals of a rectangle: bottom, right, top, left.
const RECTANGLE_NORMALS: [Vec2; 4] = [Vec2::NEG_Y, Vec2::X, Vec2::Y, Vec2::NEG_X];

/// Convex core, counter-clockwise, and the radius by which it is inflated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    /// Corners of the core [m], at least two.
    pub vertices: &'a [Vec2],
    /// Outward unit normals; number i belongs to the edge from vertex i to vertex i + 1.
    pub normals: &'a [Vec2],
    /// Rounding radius [m].
    pub radius: Real,
}

/// Room for the corners of shapes that do not store them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scratch {
    vertices: [Vec2; 4],
    normals: [Vec2; 2],
}

/// Nearest feature of a core to a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Distance to the core [m]; negative inside.
    pub separation: Real,
    /// Unit vector from the core to the point; outward normal of the nearest edge if inside.
    pub normal: Vec2,
}

impl Shape2 {
    /// The shape as a rounded polygon; None for circles and half-planes.
    #[inline]
    pub(crate) fn outline<'a>(&'a self, scratch: &'a mut Scratch) -> Option<Outline<'a>> {
        match self {
            Self::Rectangle { half, radius } => {
                scratch.vertices = rectangle_corners(*half);
                Some(rectangle_outline(&scratch.vertices, *radius))
            }
            Self::Polygon { data, radius } => Some(data.outline(*radius)),
            Self::Capsule { a, b, radius } => Some(scratch.segment(*a, *b, *radius)),
            Self::Segment { a, b } => Some(scratch.segment(*a, *b, 0.0)),
            Self::Circle { .. } | Self::HalfPlane { .. } | Self::Chain { .. } | Self::HeightField { .. } => {
                None
            }
        }
    }
}

/// Corners of a rectangle about the origin, counter-clockwise from the lower left.
#[inline]
pub(crate) fn rectangle_corners(half: Vec2) -> [Vec2; 4] {
    let (x, y) = (half.x, half.y);
    [Vec2::new(-x, -y), Vec2::new(x, -y), Vec2::new(x, y), Vec2::new(-x, y)]
}

/// A rectangle with the given corners, see [`rectangle_corners`].
#[inline]
pub(crate) fn rectangle_outline(vertices: &[Vec2; 4], radius: Real) -> Outline<'_> {
    Outline { vertices, normals: &RECTANGLE_NORMALS, radius }
}

impl Scratch {
    #[inline]
    fn segment(&mut self, a: Vec2, b: Vec2, radius: Real) -> Outline<'_> {
        let d = b - a;
        let length2 = d.length_squared();
        // In f32 where its range allows; the normals of long-lived polygons are worth f64, these are made per call.
        let n =
            if LENGTHS_SQUARED.contains(&length2) { -d.perp() / length2.sqrt() } else { edge_normal(a, b) };
        self.vertices[..2].copy_from_slice(&[a, b]);
        self.normals = [n, -n];
        Outline { vertices: &self.vertices[..2], normals: &self.normals, radius }
    }
}

impl Outline<'_> {
    /// Number of corners and of edges.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Index after `i`, around.
    #[inline]
    pub(crate) fn next(&self, i: usize) -> usize {
        if i + 1 == self.vertices.len() { 0 } else { i + 1 }
    }

    /// Index before `i`, around.
    #[inline]
    pub(crate) fn previous(&self, i: usize) -> usize {
        if i == 0 { self.vertices.len() - 1 } else { i - 1 }
    }

    /// Index of the corner farthest along `direction`; the first of equals.
    #[inline]
    pub(crate) fn support(&self, direction: Vec2) -> usize {
        let mut best = 0;
        let mut reach = direction.dot(self.vertices[0]);
        for (i, v) in self.vertices.iter().enumerate().skip(1) {
            let r = direction.dot(*v);
            if r > reach {
                (best, reach) = (i, r);
            }
        }
        best
    }

    /// The edge whose line is farthest from `p` on the outer side, and that distance [m].
    #[inline]
    pub(crate) fn best_edge(&self, p: Vec2) -> (usize, Real) {
        let mut best = (0, Real::NEG_INFINITY);
        for (i, (n, v)) in self.normals.iter().zip(self.vertices).enumerate() {
            let s = n.dot(p - *v);
            if s > best.1 {
                best = (i, s);
            }
        }
        best
    }

    /// Nearest feature of the core to `p`, given its best edge.
    ///
    /// The nearest corner is an end of the best edge: among edges whose normals lie on one side of the direction to
    /// `p`, the first one at the nearest corner sees `p` under the smallest angle, and all others start lower.
    #[inline]
    pub(crate) fn nearest(&self, p: Vec2, (edge, separation): (usize, Real)) -> Nearest {
        let normal = self.normals[edge];
        let (e1, e2) = (self.vertices[edge], self.vertices[self.next(edge)]);
        let face = Nearest { separation, normal };
        // Clearly inside. Not compared with 0: beyond the end of a segment, or the tip of a needle, only rounding
        // decides on which side of the lines a point is.
        if separation < -rounding_of(p.abs() + e1.abs()) {
            return face;
        }
        let along = normal.perp();
        let d = if along.dot(p - e1) < 0.0 {
            p - e1
        } else if along.dot(p - e2) > 0.0 {
            p - e2
        } else {
            return face;
        };
        let distance = d.length();
        if distance > Real::MIN_POSITIVE {
            Nearest { separation: distance, normal: d / distance }
        } else {
            face
        }
    }

    /// Signed distance from the inflated shape to `p` [m].
    pub(crate) fn distance(&self, p: Vec2) -> Real {
        self.nearest(p, self.best_edge(p)).separation - self.radius
    }

    /// First hit of a ray with the inflated outline. See [`crate::shape::ShapeOps::ray_cast`].
    pub(crate) fn ray_cast(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        if self.len() == 2 && self.radius == 0.0 {
            return self.ray_cast_segment(ray);
        }
        if self.distance(ray.origin) <= 0.0 {
            return (ray.max >= 0.0).then_some(LocalRayHit { t: 0.0, normal: Vec2::ZERO });
        }
        if self.radius == 0.0 { self.ray_cast_sharp(ray) } else { self.ray_cast_rounded(ray) }
    }

    /// Both sides count. A ray along the segment sees nothing.
    fn ray_cast_segment(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        let (a, b) = (self.vertices[0], self.vertices[1]);
        let n = self.normals[0];
        let approach = n.dot(ray.direction);
        let height = n.dot(ray.origin - a);
        let t = -height / approach;
        if approach == 0.0 || !(0.0..=ray.max).contains(&t) {
            return None;
        }
        let hit = ray.origin + ray.direction * t;
        let inside = (hit - a).dot(b - a) >= 0.0 && (hit - b).dot(a - b) >= 0.0;
        inside.then_some(LocalRayHit { t, normal: if approach < 0.0 { n } else { -n } })
    }

    /// Clips the ray by the line of every edge.
    fn ray_cast_sharp(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        let (mut enter, mut leave, mut edge) = (0.0, ray.max, None);
        for (i, (n, v)) in self.normals.iter().zip(self.vertices).enumerate() {
            let height = n.dot(ray.origin - *v);
            let approach = n.dot(ray.direction);
            if approach < 0.0 {
                let t = -height / approach;
                if t >= enter {
                    (enter, edge) = (t, Some(i));
                }
            } else if approach > 0.0 {
                leave = leave.min(-height / approach);
            } else if height > 0.0 {
                return None;
            }
        }
        // Both comparisons are false for a NaN.
        let is_hit = enter <= leave && enter <= ray.max;
        edge.filter(|_| is_hit).map(|i| LocalRayHit { t: enter, normal: self.normals[i] })
    }

    /// Nearest of the hits with the shifted edges and the circles about the corners: all of them lie inside the shape,
    /// and its surface is made of them.
    fn ray_cast_rounded(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        let mut best: Option<LocalRayHit<D2>> = None;
        let mut offer = |hit: LocalRayHit<D2>| {
            if best.is_none_or(|b| hit.t < b.t) {
                best = Some(hit);
            }
        };
        for i in 0..self.len() {
            let n = self.normals[i];
            let (e1, e2) = (self.vertices[i], self.vertices[self.next(i)]);
            let approach = n.dot(ray.direction);
            let height = n.dot(ray.origin - e1) - self.radius;
            if approach < 0.0 && height >= 0.0 {
                let t = -height / approach;
                let hit = ray.origin + ray.direction * t;
                let along = n.perp();
                if t <= ray.max && along.dot(hit - e1) >= 0.0 && along.dot(hit - e2) <= 0.0 {
                    offer(LocalRayHit { t, normal: n });
                }
            }
            if let Some(hit) = ray_cast_circle(e1, self.radius, ray) {
                offer(hit);
            }
        }
        best
    }
}

/// First hit of a ray with a circle, from outside or inside.
pub(super) fn ray_cast_circle(center: Vec2, radius: Real, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
    let m = ray.origin - center;
    if m.length_squared() <= radius * radius {
        return (ray.max >= 0.0).then_some(LocalRayHit { t: 0.0, normal: Vec2::ZERO });
    }
    let length = ray.direction.length();
    if length.is_nan() || length <= 0.0 {
        return None;
    }
    // From the point of closest approach, not from the quadratic formula: exact for far origins too.
    let d = ray.direction / length;
    let middle = -m.dot(d);
    let closest = m + d * middle;
    let half_chord2 = radius * radius - closest.length_squared();
    if half_chord2.is_nan() || half_chord2 < 0.0 || middle < 0.0 {
        return None;
    }
    let half_chord = half_chord2.sqrt();
    let t = ((middle - half_chord) / length).max(0.0);
    let normal = (closest - d * half_chord).normalize_or(-d);
    (t <= ray.max).then_some(LocalRayHit { t, normal })
}

/// Rounding errors to expect in products of unit vectors with coordinates of this size [m].
#[inline]
pub(crate) fn rounding_of(size: Vec2) -> Real {
    4.0 * Real::EPSILON * (size.x + size.y)
}
