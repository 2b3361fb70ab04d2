//! Axis-aligned bounding boxes.

use super::{Dim, PointOps, Real, VecOps};

/// An axis-aligned box, in world coordinates [m]. Bounds may be infinite (planes).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Aabb<D: Dim> {
    /// Lowest corner [m].
    pub min: D::Point,
    /// Highest corner [m].
    pub max: D::Point,
}

impl<D: Dim> Default for Aabb<D> {
    fn default() -> Self {
        Self::EMPTY_AT_ORIGIN
    }
}

impl<D: Dim> Aabb<D> {
    /// The degenerate box that holds only the origin.
    pub const EMPTY_AT_ORIGIN: Self = Self { min: D::Point::ORIGIN, max: D::Point::ORIGIN };

    /// The box with everything in it.
    pub fn infinite() -> Self {
        Self {
            min: D::Point::from_vec(D::Vec::splat(Real::NEG_INFINITY)),
            max: D::Point::from_vec(D::Vec::splat(Real::INFINITY)),
        }
    }

    /// The box with nothing in it: the neutral element of [`Self::union`].
    pub fn nothing() -> Self {
        Self {
            min: D::Point::from_vec(D::Vec::splat(Real::INFINITY)),
            max: D::Point::from_vec(D::Vec::splat(Real::NEG_INFINITY)),
        }
    }

    /// Box around `center` that reaches `half` to each side [m].
    pub fn around(center: D::Point, half: D::Vec) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// Smallest box that holds all `points` [m].
    pub fn of_points(points: impl IntoIterator<Item = D::Point>) -> Self {
        points
            .into_iter()
            .fold(Self::nothing(), |b, p| Self { min: PointOps::min(b.min, p), max: PointOps::max(b.max, p) })
    }

    /// True if the boxes share at least a point (touching counts).
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let gap_low = self.min - other.max;
        let gap_high = other.min - self.max;
        // A comparison that is false for NaN (∞ − ∞): two infinite boxes overlap.
        !(0..D::N).any(|i| gap_low.get(i) > 0.0 || gap_high.get(i) > 0.0)
    }

    /// True if `inner` lies wholly inside.
    #[inline]
    pub fn contains(&self, inner: &Self) -> bool {
        let low = inner.min.to_vec();
        let high = inner.max.to_vec();
        let (min, max) = (self.min.to_vec(), self.max.to_vec());
        (0..D::N).all(|i| min.get(i) <= low.get(i) && high.get(i) <= max.get(i))
    }

    /// True if the point [m] lies inside or on the border.
    pub fn contains_point(&self, p: D::Point) -> bool {
        self.contains(&Self { min: p, max: p })
    }

    /// Smallest box that holds both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: PointOps::min(self.min, other.min), max: PointOps::max(self.max, other.max) }
    }

    /// Box grown by `margin` [m] on every side.
    #[inline]
    #[must_use]
    pub fn grown(&self, margin: Real) -> Self {
        let m = D::Vec::splat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// Middle of the box [m].
    pub fn center(&self) -> D::Point {
        self.min + (self.max - self.min) * 0.5
    }

    /// Edge lengths [m].
    pub fn size(&self) -> D::Vec {
        self.max - self.min
    }

    /// True if every bound is finite.
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Half of the surface [m²] (2D: half of the perimeter [m]): the cost measure of bounding volume trees.
    #[inline]
    pub fn surface(&self) -> Real {
        let s = self.max - self.min;
        if D::N == 2 {
            s.get(0) + s.get(1)
        } else {
            s.get(0) * s.get(1) + s.get(1) * s.get(2) + s.get(2) * s.get(0)
        }
    }

    /// Where the ray enters and leaves the box, as fractions of `direction`, clipped to [0, `max`]. None if it misses.
    #[inline]
    pub fn ray(&self, origin: D::Point, inv_direction: D::Vec, max: Real) -> Option<(Real, Real)> {
        let low = self.min - origin;
        let high = self.max - origin;
        let (mut enter, mut leave) = (0.0, max);
        for i in 0..D::N {
            let inv = inv_direction.get(i);
            if inv.is_infinite() {
                // Parallel to the slab: inside or never.
                if low.get(i) > 0.0 || high.get(i) < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (low.get(i) * inv, high.get(i) * inv);
            enter = a.min(b).max(enter);
            leave = a.max(b).min(leave);
        }
        (enter <= leave).then_some((enter, leave))
    }
}
