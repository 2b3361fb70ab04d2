//! A rigid placement: position and orientation.

use super::{Dim, PointOps, Real, RotOps, VecOps};
use crate::Error;

/// Largest coordinate of anything that has a place [m]: sums and products of a few of them are still numbers.
pub const FARTHEST: Real = 1e18;

/// Position and orientation of a frame in its parent frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<D: Dim> {
    /// Origin of the frame [m].
    pub position: D::Point,
    /// Orientation of the frame.
    pub rotation: D::Rot,
}

impl<D: Dim> Default for Pose<D> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl<D: Dim> Pose<D> {
    /// The frame of the parent itself.
    pub const IDENTITY: Self = Self { position: D::Point::ORIGIN, rotation: D::Rot::IDENTITY };

    /// A frame at `position` [m], turned by `rotation`.
    pub fn new(position: impl Into<D::Point>, rotation: D::Rot) -> Self {
        Self { position: position.into(), rotation }
    }

    /// A frame at `position` [m] that is not turned.
    pub fn at(position: impl Into<D::Point>) -> Self {
        Self { position: position.into(), rotation: D::Rot::IDENTITY }
    }

    /// World position of the local point `p` [m].
    pub fn transform(self, p: D::Vec) -> D::Point {
        self.position + self.rotation.rotate(p)
    }

    /// Local coordinates of the world point `p` [m].
    pub fn inverse_transform(self, p: D::Point) -> D::Vec {
        self.rotation.rotate_inv(p - self.position)
    }

    /// The pose in the parent's parent of a frame that stands at `child` in this one.
    pub fn compose(self, child: Self) -> Self {
        Self {
            position: self.transform(child.position.to_vec()),
            rotation: self.rotation.then_after(child.rotation),
        }
    }

    /// `other` as seen from this frame.
    pub fn relative(self, other: Self) -> Self {
        Self {
            position: D::Point::from_vec(self.inverse_transform(other.position)),
            rotation: self.rotation.inverse().then_after(other.rotation),
        }
    }

    /// Ok, or the field with a place that is not one.
    pub(crate) fn check(self, field: &'static str) -> Result<(), Error> {
        if self.is_valid() {
            return Ok(());
        }
        Err(Error::invalid(field, self, "finite, within 1e18 m of the origin, with a unit rotation"))
    }

    /// True if the position is within [`FARTHEST`] of the origin and the rotation a unit one.
    pub fn is_valid(self) -> bool {
        is_within_reach::<D>(self.position.to_vec()) && self.rotation.is_valid()
    }
}

/// True if every coordinate is a number of at most [`FARTHEST`].
pub(crate) fn is_within_reach<D: Dim>(v: D::Vec) -> bool {
    v.is_finite() && v.abs().max_component() <= FARTHEST
}
