//! Depths that are not there. A child sees one face of a solid: where it looks past the other shape it reports a depth that nobody has, or the long way out, and on the far
//! side of a thin wall it pushes on through.

use super::{Part, Parts};
use crate::distance::point_shape;
use crate::math::*;
use crate::narrow_phase::{CollideJob, Side};
use crate::shape::{LocalRay, ShapeOps};

/// Depth in slops from which on points of two solids are looked at twice.
const DEEP: Real = 5.0;
/// How far from a surface a deep point may be that speaks of it, in slops.
const NEAR: Real = 1.5;
/// Share of the distance of the two frames by which a place on one shape is known in the frame of the other (no unit): some roundings of f32. On a
/// floor of a kilometre that is more than the slop of a small body.
const ROUNDING: Real = 5e-7;
/// A way out is long if another one is less than this share of it (no unit).
const LONG_WAY: Real = 0.5;
/// Cosine between the normals of two parts below which they push against each other (no unit; 120°).
const AGAINST: Real = -0.5;

impl<D: Dim> Parts<D> {
    /// Drops what is not true of two solids.
    pub(super) fn drop_untrue(&mut self, job: &CollideJob<'_, D>, ground: Option<Side>) {
        let in_b = |p: D::Vec| job.b.contains(job.b_in_a.inverse_transform(D::Point::from_vec(p)));
        let reach = NEAR * job.slop + ROUNDING * job.b_in_a.position.to_vec().length();
        // Patches are cut off a slop beyond their edges, where there is no surface any more.
        let is_near = |p: D::Vec, which: usize| {
            let (shape, pose) = [(job.a, Pose::IDENTITY), (job.b, job.b_in_a)][which];
            let closest = point_shape::<D>(D::Point::from_vec(p), shape, &pose);
            closest.is_some_and(|closest| closest.distance <= reach)
        };
        let body = super::body_of(job, ground);
        // From a point of b towards the surface of a that it came in by: through a thin wall it is outside of a again. Likewise from a point of the body a that came through b.
        let is_through = |on_b: D::Vec, on_a: D::Vec| match body {
            Some(middle) => {
                let [from, to] = [on_a, on_b].map(|p| job.b_in_a.inverse_transform(D::Point::from_vec(p)));
                let ray = LocalRay { origin: from, direction: to - from, max: 1.0 };
                (on_a - on_b).dot(middle - on_b) < 0.0 && job.b.ray_cast(&ray).is_some()
            }
            None => {
                let ray = LocalRay { origin: on_b, direction: on_a - on_b, max: 1.0 };
                job.b.composite().is_none() && job.a.ray_cast(&ray).is_some()
            }
        };
        if let Some(middle) = body {
            self.drop_behind(middle);
        }
        self.drop_false(&|p| job.a.contains(p), &in_b, &is_near, &is_through, body.is_some());
    }

    /// Drops deep points neither end of which is on one solid and in the other, unless b came out behind a (`is_through`; with `is_body` a behind b), and deep parts that a shorter push of another part frees. Both come
    /// from children that look past the other shape: the side of a plank that another one touches with its edge.
    fn drop_false(
        &mut self,
        in_a: &dyn Fn(D::Vec) -> bool,
        in_b: &dyn Fn(D::Vec) -> bool,
        is_near: &dyn Fn(D::Vec, usize) -> bool,
        is_through: &dyn Fn(D::Vec, D::Vec) -> bool,
        is_body: bool,
    ) {
        let deep = -DEEP * self.slop;
        if self.parts[..self.count].iter().all(|part| part.depth() > deep) {
            return;
        }
        let before = (self.parts, self.count);
        for part in &mut self.parts[..self.count] {
            let normal = part.normal;
            part.retain(|point| {
                let half = normal * (0.5 * point.separation);
                let (on_b, on_a) = (point.position + half, point.position - half);
                point.separation > deep
                    || in_a(on_b) && is_near(on_b, 1)
                    || in_b(on_a) && is_near(on_a, 0)
                    || is_through(on_b, on_a) && if is_body { is_near(on_a, 0) } else { is_near(on_b, 1) }
            });
        }
        self.retain(|part| part.count > 0);
        if self.parts[..self.count].iter().all(|part| part.depth() > 0.0) {
            // Nothing is left that pushes: better a doubtful contact than none, but a shallow one.
            (self.parts, self.count) = before;
            for part in &mut self.parts[..self.count] {
                part.points[..part.count].iter_mut().for_each(|p| p.separation = p.separation.max(deep));
            }
        }
        let (all, count, slop) = (self.parts, self.count, self.slop);
        self.retain(|part| {
            let Some(point) = part.deepest().filter(|point| point.separation <= deep) else { return true };
            let half = part.normal * (0.5 * point.separation);
            let (on_b, on_a) = (point.position + half, point.position - half);
            !all[..count].iter().any(|other| {
                let depth = -other.depth();
                let push = other.normal * (depth + slop);
                depth > 0.0
                    && depth < LONG_WAY * -point.separation
                    && !in_a(on_b + push)
                    && !in_b(on_a - push)
                    && !(is_body && is_through(on_b - push, on_a - push))
            })
        });
    }

    /// Drops the parts that push the body a, whose middle is given, on through b, where others push it back. Normals are those from a to b.
    fn drop_behind(&mut self, middle: D::Vec) {
        let deep = -DEEP * self.slop;
        if self.parts[..self.count].iter().all(|part| part.depth() > deep) {
            return;
        }
        let (all, count) = (self.parts, self.count);
        let is_before = |part: &Part<D>| {
            part.deepest().is_some_and(|point| {
                let on_b = point.position + part.normal * (0.5 * point.separation);
                part.normal.dot(middle - on_b) < 0.0
            })
        };
        self.retain(|part| {
            is_before(part)
                || !all[..count].iter().any(|other| {
                    other.normal.dot(part.normal) < AGAINST && other.depth() <= deep && is_before(other)
                })
        });
    }
}
