//! The front of a child of a surface: from where it is met, and how deep below it a body is.
//!
//! Depth is the shortest way out of one convex shape. A child of a chain, mesh or height field has neighbours, and pushes only ways that those leave free (`shape/composite.rs`): where the
//! shortest way is closed, the depth is that along its normal. Two exceptions: round a corner the true distance counts, and in the corner with a neighbour that stands on the child
//! only the part of the body that is over the child.

use super::sweep::{Mover, Search, Sweep, TOLERANCE};
use crate::distance::separation;
use crate::math::*;
use crate::shape::composite::{CORNERS, FACING};
use crate::shape::{Composite, ShapeOps};

/// A child is behind another one if it gets over its plane by no more than this share of the distance at which a body touches it (no unit): rounding.
const BEHIND: Real = 0.1;

/// The front of a child of a surface, which pushes only ways that its neighbours leave free: out of a floor of triangles the way up counts, not the one over a seam to the next triangle.
#[derive(Clone, Copy)]
pub(super) struct Front<'a, D: Dim> {
    pub surface: &'a dyn Composite<D>,
    /// Number of the child.
    pub index: u32,
    /// Distance up to which a body counts as touching it [m].
    pub near: Real,
    /// What meets it is a child too, the skin of a solid, that was in front of it at the start: where it is wholly below, it has come through.
    pub is_skin: bool,
}

impl<D: Dim> Search<'_, D> {
    /// As [`Search::below`], but if the direction is closed by a neighbour that a would get into, of a only the part counts that is over the child b, along its normal: the tip of a wedge that slides
    /// over a floor gives way into that a little, and so gets below the end of a wall that stands on it. If nothing of a is over b yet, it may be at any moment: the distance counts, as if it were along the normal.
    pub(super) fn over(&self, t: Real, found: (f64, D::Vec)) -> Option<(f64, D::Vec)> {
        let near = self.front?.near;
        let (gap, down) = self.below(t, found)?;
        if gap >= f64::from(-near) || !self.is_blocked(t, found.1) {
            return Some((gap, down));
        }
        Some((self.under(t, gap, down).unwrap_or(found.0), down))
    }

    /// As [`Search::over`], if a is away from the child b because it has come through and is wholly below: a skin without thickness gets through another one between two looks.
    /// None if it is beside it.
    pub(super) fn through(&self, t: Real, found: (f64, D::Vec)) -> Option<(f64, D::Vec)> {
        let near = self.front.filter(|front| front.is_skin)?.near;
        let (gap, down) = self.below(t, found)?;
        if gap >= f64::from(-near) { None } else { Some((self.under(t, gap, down)?, down)) }
    }

    /// Gap of the part of a that is below the child b, whose normal is -`down`: less than none. Of all of a it is `gap` [m]. None if no part is.
    fn under(&self, t: Real, gap: f64, down: D::Vec) -> Option<f64> {
        let near = self.front?.near;
        // The child comes up from where a ends, until it meets it.
        let way = down * -gap as Real;
        let pose = self.b.pose(t);
        let from = Pose { position: pose.position + way, ..pose };
        let (still, rising) = (Sweep::still(self.a.pose(t)), Sweep::moving(from, -way, D::Ang::ZERO));
        let a = Mover::new(self.a.shape, Pose::IDENTITY, &still);
        let b = Mover::new(self.b.shape, Pose::IDENTITY, &rising);
        let met = Search::new(&a, &b).first([0.0, 1.0], 0.0, TOLERANCE * near);
        met.map(|met| gap * f64::from(1.0 - met.t))
    }

    /// Gap [m] along the normal of the child b, if the direction from a to b, of which the `distance` [m] is known, is one that its neighbours close, and the direction instead.
    pub(super) fn below(&self, t: Real, (distance, normal): (f64, D::Vec)) -> Option<(f64, D::Vec)> {
        let Front { surface, index, near, .. } = self.front?;
        let rotation = self.b.pose(t).rotation;
        let (up, away) = (surface.normal(index), rotation.rotate_inv(-normal));
        if up.dot(away) >= 0.0 && surface.allows(index, away) {
            return None;
        }
        let down = -rotation.rotate(up);
        let gap = self.gap(t, down)?;
        if gap < -near && distance >= -f64::from(near) && self.is_round_the_corner(t, distance, away) {
            return None;
        }
        Some((f64::from(gap), down))
    }

    /// True if the shortest way of a out of the child b, which it overlaps, leads into a neighbour of that.
    pub(super) fn is_cornered(&mut self, t: Real) -> bool {
        let (a, b) = (self.a, self.b);
        let found = separation::<D>(a.shape, &a.pose(t), b.shape, &b.pose(t), &mut self.guess);
        found.is_some_and(|(_, normal)| self.is_blocked(t, normal))
    }

    /// True if a, which touches b in the direction `normal`, would leave it into a neighbour.
    fn is_blocked(&self, t: Real, normal: D::Vec) -> bool {
        let Some(Front { surface, index, near, .. }) = self.front else { return false };
        let pose = self.b.pose(t);
        let around = self.a.shape.aabb(&pose.relative(self.a.pose(t))).grown(near);
        surface.is_blocked(index, pose.rotation.rotate_inv(-normal), &around, near)
    }

    /// True if `away`, unit vector in the frame of b, leads out of the child b round a corner near a: a neighbour looks that way, b ends behind it, and a is apart from b, or in front of that
    /// neighbour. What touches b there, be it on top of a block whose sides are children too, is not below b, however far it reaches over it.
    fn is_round_the_corner(&self, t: Real, distance: f64, away: D::Vec) -> bool {
        let Some(Front { surface, index, near, .. }) = self.front else { return false };
        let normal = surface.normal(index);
        let seen = self.b.pose(t).relative(self.a.pose(t));
        let (own, around) = (surface.child_bounds(index).grown(near), self.a.shape.aabb(&seen).grown(near));
        let both = Aabb { min: PointOps::max(own.min, around.min), max: PointOps::min(own.max, around.max) };
        let top = |index: u32, up: D::Vec| surface.child(index).support(up).map(|point| point.dot(up));
        let is_above = |up: D::Vec, plane: Real| {
            let lowest = self.a.shape.support(seen.rotation.rotate_inv(-up));
            lowest.is_some_and(|point| {
                seen.transform(point).to_vec().dot(up) - self.a.shape.rounding() >= plane - near
            })
        };
        let mut found = false;
        surface.visit(&both, &mut |other| {
            let up = surface.normal(other);
            if !found && up.dot(away) > FACING && CORNERS.contains(&up.dot(normal)) {
                found = top(other, up).zip(top(index, up)).is_some_and(|(plane, own)| {
                    own <= plane + BEHIND * near && (distance >= 0.0 || is_above(up, plane))
                });
            }
        });
        found
    }
}
