//! A triangle of a mesh or height field against a convex shape: one side, and no normal that its neighbours would not
//! allow.
//!
//! Spheres and capsules are closed forms. Boxes and hulls are tested along separating axes (`triangle_hull.rs`). All other shapes are measured by closest points, and
//! fall back on the triangle's normal where an axis is not allowed.

use super::probe::{Face, Probe};
use super::{convex, push_core_point, round};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::shape::d3::triangle;
use crate::shape::{Composite, Shape3, ShapeOps};

/// Cosine between a contact normal and the triangle's own from which on they are the same.
const SAME: Real = 0.999_99;
/// Cosine between the normal of a triangle and a face of a floor above which they lie flat on each other (no unit; 2.5°).
pub(super) const NEARLY_FLAT: Real = 0.999;
/// Depth in slops up to which a corner over a triangle is pushed out along its normal without looking at edges.
pub(super) const SHALLOW: Real = 2.0;
/// Depth in slops from which on a triangle of a solid pushes only if that is not a long way.
pub(super) const DEEP: Real = 10.0;
/// A way out is long if another one is less than this share of it (no unit).
pub(super) const LONG_WAY: Real = 0.5;

/// Cosine between a contact normal and the triangle's own below which it pushes aside (no unit; 60°).
const STEEP: Real = 0.5;

impl<C: Composite<D3>> Probe<'_, C> {
    pub(super) fn sphere(&self, face: &Face, radius: Real, out: &mut LocalManifold<D3>) {
        let center = self.position;
        let height = face.normal.dot(center - face.corners[0]);
        if height > radius + self.job.margin {
            return;
        }
        let (closest, is_inside) = triangle::closest(face.corners, center);
        let (normal, gap) = if is_inside {
            (face.normal, height)
        } else {
            let offset = center - closest;
            let gap = offset.length();
            if gap > radius + self.job.margin {
                return;
            }
            let normal = offset.normalize_or(face.normal);
            if normal.dot(face.normal) >= SAME {
                (face.normal, gap)
            } else if self.allows(face, normal) {
                (normal, gap)
            } else {
                return;
            }
        };
        out.normal = normal;
        push_core_point(out, closest, gap, [0.0, radius], self.job.margin, 0);
    }

    pub(super) fn capsule(&self, face: &Face, ends: [Vec3; 2], radius: Real, out: &mut LocalManifold<D3>) {
        let limit = radius + self.job.margin;
        let heights = ends.map(|p| face.normal.dot(p - face.corners[0]));
        if heights[0].min(heights[1]) > limit {
            return;
        }
        let stretch = over_face(face, ends);
        // Lowest height over the inside of the triangle.
        let at = |s: Real| heights[0] + (heights[1] - heights[0]) * s;
        let lowest = stretch.map_or(Real::INFINITY, |[s, t]| at(s).min(at(t)));
        let mut edge = (Real::INFINITY, Vec3::ZERO, Vec3::ZERO);
        // PERF: the edges are in the plane. Where the end that is nearest to it is over the inside, none of them is nearer.
        let may_be_edge = lowest > heights[0].min(heights[1]).max(0.0) + self.job.slop;
        for k in (0..3).filter(|_| may_be_edge) {
            let side = [face.corners[k], face.corners[(k + 1) % 3]];
            let [p, q] = nearest(side, ends);
            let distance = p.distance(q);
            if distance < edge.0 {
                edge = (distance, p, q);
            }
        }
        if lowest > edge.0 + self.job.slop && edge.0 <= limit {
            let normal = (edge.2 - edge.1).normalize_or(face.normal);
            if normal.dot(face.normal) < SAME && self.allows(face, normal) {
                out.normal = normal;
                push_core_point(out, edge.1, edge.0, [0.0, radius], self.job.margin, 4);
                return;
            }
        }
        let Some([s, t]) = stretch else { return };
        out.normal = face.normal;
        for (id, x) in [(1, s), (2, t)] {
            let p = ends[0] + (ends[1] - ends[0]) * x;
            push_core_point(out, p - face.normal * at(x), at(x), [0.0, radius], self.job.margin, id);
            if (t - s) * ends[0].distance(ends[1]) <= self.job.slop {
                break;
            }
        }
    }

    /// Any other convex shape: by closest points.
    pub(super) fn any(&self, face: &Face, counters: &mut NarrowCounters, out: &mut LocalManifold<D3>) {
        let down = self.job.b_in_a.rotation.rotate_inv(-face.normal);
        let Some(lowest) = self.job.b.support(down) else { return };
        let lowest = self.job.b_in_a.transform(lowest).to_vec();
        let height = face.normal.dot(lowest - face.corners[0]);
        let gap = height - self.job.b.rounding();
        if gap > self.job.margin || self.is_beside(face) || self.lies_on_cap(face, out) {
            return;
        }
        let [a, b, c] = face.corners;
        let child = Shape3::Triangle { a, b, c };
        let pair = CollideJob { a: &child, ..*self.job };
        if self.job.algorithm == Algorithm::Auto {
            // A triangle none of whose edges stands out pushes along its normal alone. And if the lowest point of b is over
            // the triangle and hardly below, no other direction knows better.
            let is_over = triangle::closest(face.corners, lowest).1;
            let is_inner = (0..3).all(|k| !self.shape.is_ridge(face.index, k));
            if is_inner || is_over && gap > -SHALLOW * self.job.slop {
                let witness = is_over.then_some((lowest - face.normal * height, height));
                return convex::over_triangle(&pair, face.normal, witness, out);
            }
        }
        super::collide_convex(&pair, None, &mut PairCache::default(), counters, out);
        if out.is_empty() {
            return;
        }
        if out.normal.dot(face.normal) >= SAME {
            out.normal = face.normal;
        } else if !self.allows(face, out.normal) {
            let shortest = deepest(out);
            out.clear();
            let is_long = gap < -DEEP * self.job.slop && shortest > LONG_WAY * gap;
            if self.is_body && !self.is_thin && is_long {
                // It looks past the ground: another triangle at the same corner allows the short way. That out of a thin wall may lead through it.
                return self.is_lost.set(true);
            }
            convex::over_triangle(&pair, face.normal, None, out);
        } else if out.normal.dot(face.normal) < STEEP && !self.shape.is_closed() {
            // Pushed aside by the border of a skin: what is farther back is no surface, and would hide that a neighbour covers the border.
            let found = *out;
            out.clear();
            out.normal = found.normal;
            let top = -lowest_of(face.corners, -found.normal);
            for point in found.points() {
                let on_a = point.position - found.normal * (0.5 * point.separation);
                if top - found.normal.dot(on_a) <= self.job.slop {
                    out.push(point.position, point.separation, point.id);
                }
            }
        }
    }

    /// A triangle that lies nearly flat on the flat end of a large disc, all of it within the rim: its corners over the disc. Closest points of something
    /// so large are not known as exactly as thin bodies need it. False if it is not so.
    fn lies_on_cap(&self, face: &Face, out: &mut LocalManifold<D3>) -> bool {
        let (half_height, radius) = match self.job.b {
            Shape3::Cylinder { half_height, radius, .. } | Shape3::Cone { half_height, radius, .. } => {
                (*half_height, *radius)
            }
            _ => return false,
        };
        let axis = self.rotation.y_axis;
        let along = axis.dot(face.normal);
        // Of a cone the base alone is flat.
        let is_flat =
            along.abs() > NEARLY_FLAT && (along > 0.0 || matches!(self.job.b, Shape3::Cylinder { .. }));
        if !self.is_floor || !is_flat {
            return false;
        }
        let normal = if along > 0.0 { axis } else { -axis };
        let heights = face.corners.map(|p| -normal.dot(p - self.position) - half_height);
        let is_within = |p: Vec3| (p - self.position).reject_from_normalized(axis).length() <= radius;
        if lowest(heights) < -half_height || !face.corners.into_iter().all(is_within) {
            return false;
        }
        out.normal = normal;
        for (id, (p, height)) in (0..).zip(face.corners.into_iter().zip(heights)) {
            push_core_point(out, p, height, [0.0, self.job.b.rounding()], self.job.margin, id);
        }
        true
    }

    /// True if b is apart from the triangle in the direction from its middle to the nearest point, which parts most that are near and not
    /// touched.
    fn is_beside(&self, face: &Face) -> bool {
        let way = triangle::closest(face.corners, self.middle).0 - self.middle;
        let along = self.job.b_in_a.rotation.rotate_inv(way);
        let Some(farthest) = self.job.b.support(along) else { return false };
        let limit = (self.job.margin + self.job.b.rounding()) * way.length();
        lowest_of(face.corners, way) - way.dot(self.job.b_in_a.transform(farthest).to_vec()) > limit
    }

    /// The points of b over the triangle, along the triangle's normal.
    pub(super) fn along_normal(&self, face: &Face, out: &mut LocalManifold<D3>) {
        let [a, b, c] = face.corners;
        let child = Shape3::Triangle { a, b, c };
        convex::over_triangle(&CollideJob { a: &child, ..*self.job }, face.normal, None, out);
    }
}

/// Least separation of the points; infinite if there are none.
pub(super) fn deepest(out: &LocalManifold<D3>) -> Real {
    out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
}

/// Least of direction·x over the corners.
#[inline]
pub(super) fn lowest_of(corners: [Vec3; 3], direction: Vec3) -> Real {
    lowest(corners.map(|p| p.dot(direction)))
}

#[inline]
fn lowest(x: [Real; 3]) -> Real {
    x[0].min(x[1]).min(x[2])
}

/// Closest points of two segments.
pub(super) fn nearest(a: [Vec3; 2], b: [Vec3; 2]) -> [Vec3; 2] {
    let [s, t] = round::closest_segments(a, b);
    [a[0] + (a[1] - a[0]) * s, b[0] + (b[1] - b[0]) * t]
}

/// The part of a segment that lies over the inside of the triangle, as fractions; None if there is none.
fn over_face(face: &Face, ends: [Vec3; 2]) -> Option<[Real; 2]> {
    let (mut start, mut end) = (0.0, 1.0);
    for k in 0..3 {
        let (p, q) = (face.corners[k], face.corners[(k + 1) % 3]);
        let out = (q - p).cross(face.normal);
        let x = ends.map(|e| out.dot(e - p));
        if x[0] > 0.0 && x[1] > 0.0 {
            return None;
        }
        let crossing = x[0] / (x[0] - x[1]);
        if x[0] > 0.0 {
            start = crossing.max(start);
        } else if x[1] > 0.0 {
            end = crossing.min(end);
        }
    }
    (start <= end).then_some([start, end])
}
