//! Shapes made of many convex children: triangles of a mesh or of a height field, segments of a chain.
//!
//! The children lie in the frame of the shape and are numbered. Every child has a front side, where its normal points,
//! and touches with that side only. Contact normals of a child may lean over one of its edges (in the plane: over one of
//! its ends) no further than the neighbour beyond it does: an edge between two children in one plane, or in a
//! valley, pushes nothing sideways. Without that rule, bodies that slide over a flat mesh would trip over its inner edges.

use super::{LocalRay, ShapeOps};
use crate::math::*;

/// How far a direction may lean over an edge that the neighbour continues straight (sine, dimensionless): rounding of
/// normals, a twentieth of a degree.
pub(crate) const LEAN_TOLERANCE: Real = 1e-3;

/// Share of the size of a shape by which boxes are grown for rays (dimensionless): they are cut in f32, the crossings are
/// decided in f64.
pub(crate) const BOX_ROUNDING: Real = 1e-6;
/// The same for grids, whose cells are found by a division more.
pub(crate) const GRID_ROUNDING: Real = 1e-5;

/// Cosine of the angle to a way out up to which a child faces it (no unit; 60°).
pub(crate) const FACING: Real = 0.5;
/// Cosines of the angles between two children that make a corner (no unit; 2.5° to 120°). Beyond that they are the two sides of a blade: the way out behind one is not round a corner.
pub(crate) const CORNERS: core::ops::Range<Real> = -0.5..0.999;

/// A shape with children. From [`super::ShapeOps::composite`].
pub trait Composite<D: Dim> {
    /// Number of children; they are numbered from 0.
    fn child_count(&self) -> u32;

    /// Child `index` as a shape of its own, solid from both sides, in the same frame.
    fn child(&self, index: u32) -> D::Shape;

    /// Bounds of child `index`, in the frame of the shape.
    fn child_bounds(&self, index: u32) -> Aabb<D>;

    /// Outward unit normal of child `index`: its front side.
    fn normal(&self, index: u32) -> D::Vec;

    /// True if something may be pushed along the unit vector `direction` by child `index`: along its normal, or
    /// leaning over an edge up to the normal of the neighbour there. Over an open edge: up to a right angle.
    fn allows(&self, index: u32, direction: D::Vec) -> bool;

    /// True if child `index` may push over its edge `edge` at all (in the plane: over its end 0 or 1): the neighbour there
    /// falls away, or there is none. May be true more often than needed.
    fn is_ridge(&self, _index: u32, _edge: usize) -> bool {
        true
    }

    /// Bounds of all children, in the frame of the shape.
    fn bounds(&self) -> Aabb<D>;

    /// True if the children enclose a volume without gaps.
    fn is_closed(&self) -> bool;

    /// True if everything below the children is solid, however deep: height fields.
    fn is_ground(&self) -> bool {
        false
    }

    /// Calls `visit` with every child whose bounds overlap `bounds`, each once, in an order that depends on the geometry
    /// alone.
    fn visit(&self, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32));

    /// True if `way`, a unit vector, leads out of child `index` into another one that overlaps `bounds` and stands on it: out of the foot of a wall the shortest way may be that into the floor.
    /// Both reach over each other's planes by more than `least` [m].
    fn is_blocked(&self, index: u32, way: D::Vec, bounds: &Aabb<D>, least: Real) -> bool {
        let own = self.normal(index);
        let top =
            |index: u32, up: D::Vec| self.child(index).support(up).map_or(Real::NEG_INFINITY, |p| p.dot(up));
        let mut found = false;
        self.visit(bounds, &mut |other| {
            let up = self.normal(other);
            found = found
                || up.dot(way) < -LEAN_TOLERANCE
                    && CORNERS.contains(&up.dot(own))
                    && top(other, own) > top(index, own) + least
                    && top(index, up) > top(other, up) + least;
        });
        found
    }

    /// Calls `visit` with every child that may reach below the plane normal·x = `offset`.
    fn visit_below(&self, normal: D::Vec, offset: Real, visit: &mut dyn FnMut(u32));

    /// Calls `visit` with children whose bounds, grown by `grow` on every side, the ray meets before the current end, which
    /// starts at `ray.max` and becomes what `visit` returns.
    fn visit_ray(&self, ray: &LocalRay<D>, grow: D::Vec, visit: &mut dyn FnMut(u32, Real) -> Real);

    /// Calls `visit` with children in an order of growing distance of their bounds from `bounds`, as far as that is
    /// below the current limit [m], which starts at `limit` and becomes what `visit` returns.
    fn visit_near(&self, bounds: &Aabb<D>, limit: Real, visit: &mut dyn FnMut(u32, Real) -> Real);
}

/// How far the contact normals of a child may lean over one of its edges: cosine and sine of the angle to the neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lean {
    pub cos: Real,
    pub sin: Real,
}

impl Lean {
    /// Not at all: a neighbour in the same plane or in a valley.
    pub(crate) const NONE: Self = Self { cos: 1.0, sin: 0.0 };
    /// An edge without a neighbour: up to a right angle.
    pub(crate) const OPEN: Self = Self { cos: 0.0, sin: 1.0 };

    /// The lean of a child with normal `n` over an edge towards `out` (unit, across the edge, in the plane of the child)
    /// to a neighbour with normal `other`.
    pub(crate) fn towards<V: VecOps>(n: V, out: V, other: V) -> Self {
        let (cos, sin) = (n.dot(other), out.dot(other));
        if sin > LEAN_TOLERANCE {
            let length = (cos * cos + sin * sin).sqrt();
            Self { cos: cos / length, sin: sin / length }
        } else if cos < 0.0 && sin > -LEAN_TOLERANCE {
            // A neighbour that folds back over this child is the other side of a blade.
            Self::OPEN
        } else {
            Self::NONE
        }
    }

    /// True if `direction`, to the front of the child, leans over the edge towards `out` by no more than this, `n` being the child's
    /// normal.
    #[inline]
    pub(crate) fn allows<V: VecOps>(self, n: V, out: V, direction: V) -> bool {
        // Over an edge that is sharper than a right angle nothing to the front of the child leans too far.
        direction.dot(out) * self.cos.max(0.0) - direction.dot(n) * self.sin <= LEAN_TOLERANCE
    }
}

/// Smallest distance of two boxes [m], 0 if they overlap.
pub(crate) fn box_distance<D: Dim>(a: &Aabb<D>, b: &Aabb<D>) -> Real {
    let (low, high) = (a.min - b.max, b.min - a.max);
    let mut sum = 0.0;
    for axis in 0..D::N {
        let gap = low.get(axis).max(high.get(axis)).max(0.0);
        sum += gap * gap;
    }
    sum.sqrt()
}

/// Least value of normal·x in a box.
pub(crate) fn lowest_in_box<D: Dim>(bounds: &Aabb<D>, normal: D::Vec) -> Real {
    let (low, high) = (bounds.min.to_vec(), bounds.max.to_vec());
    (0..D::N).fold(0.0, |sum, axis| {
        let n = normal.get(axis);
        sum + n * if n > 0.0 { low.get(axis) } else { high.get(axis) }
    })
}

/// Where a ray enters a box that is grown by `grow`; infinity if it misses.
pub(crate) fn ray_entry<D: Dim>(bounds: &Aabb<D>, ray: &LocalRay<D>, inverse: D::Vec, grow: D::Vec) -> Real {
    let grown = Aabb::<D> { min: bounds.min - grow, max: bounds.max + grow };
    let hit = grown.ray(D::Point::from_vec(ray.origin), inverse, ray.max);
    hit.map_or(Real::INFINITY, |(enter, _)| enter)
}

/// 1/x of every component.
pub(crate) fn inverse_of<D: Dim>(v: D::Vec) -> D::Vec {
    let mut inverse = D::Vec::ZERO;
    (0..D::N).for_each(|axis| inverse.set(axis, 1.0 / v.get(axis)));
    inverse
}

/// The box of a local box turned and moved to `pose`.
pub(crate) fn turned_box<D: Dim>(local: &Aabb<D>, pose: &Pose<D>) -> Aabb<D> {
    let half = local.size() * 0.5;
    let mut reach = D::Vec::ZERO;
    for axis in 0..D::N {
        reach += (pose.rotation.rotate(D::Vec::axis(axis)) * half.get(axis)).abs();
    }
    Aabb::around(pose.transform(local.center().to_vec()), reach)
}
