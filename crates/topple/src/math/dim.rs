//! The contract of a dimension: one trait, sealed, with two implementations.
//!
//! All operator bounds sit on the associated types, so generic code writes `<D: Dim>` and nothing else. Vectors are
//! scaled from the right (`v * s`, never `s * v`): the reverse would need a `where` clause at every use.

use super::Real;
use crate::shape::ShapeOps;
use core::fmt::Debug;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

pub(crate) mod sealed {
    /// Keeps [`super::Dim`] to `D2` and `D3`.
    pub trait Sealed {}
}

/// A dimension of space: [`crate::D2`] or [`crate::D3`].
#[diagnostic::on_unimplemented(message = "use D2 or D3")]
pub trait Dim:
    sealed::Sealed
    + crate::world::Pinned
    + crate::solver::soft_step::SoftDim
    + crate::joint::JointDim
    + Copy
    + Debug
    + Default
    + PartialEq
    + Eq
    + Send
    + Sync
    + 'static
{
    /// Number of axes: 2 or 3.
    const N: usize;
    /// Rotational degrees of freedom: 1 or 3.
    const ANGULAR: usize;
    /// Contact points a manifold can hold: 2 or 4.
    const MAX_POINTS: usize;

    /// Displacement, velocity, force: a free vector.
    type Vec: VecOps + crate::store::Codec;
    /// Angular velocity, torque, rotation vector: a number in 2D, a vector in 3D.
    type Ang: AngOps + crate::store::Codec;
    /// A position in the world. Its own type, so that positions can become f64 without a change of the interface.
    type Point: PointOps<Self> + From<Self::Vec> + crate::store::Codec;
    /// Orientation: (cos, sin) in 2D, unit quaternion in 3D.
    type Rot: RotOps<Self> + crate::store::Codec;
    /// Moment of inertia: a number in 2D, a symmetric matrix in 3D.
    type Inertia: InertiaOps<Self> + crate::store::Codec;
    /// One value for each point of a manifold: `[T; 2]` or `[T; 4]`.
    type PerPoint<T: Copy + Default + Debug + PartialEq + Send + Sync + 'static>: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + AsRef<[T]>
        + AsMut<[T]>
        + 'static;
    /// The shapes of this dimension.
    type Shape: ShapeOps<Self>;

    /// The orientation as floats: (cos, sin, 0, 0) or (x, y, z, w); no unit.
    fn rotation_floats(rotation: Self::Rot) -> [Real; 4];
    /// The orientation of floats as [`Self::rotation_floats`] gives them, brought to unit length.
    fn rotation_from_floats(floats: [Real; 4]) -> Self::Rot;
    /// a × b: number or vector.
    fn cross(a: Self::Vec, b: Self::Vec) -> Self::Ang;
    /// w × r: velocity of a point at `r` from the axis.
    fn cross_ang(w: Self::Ang, r: Self::Vec) -> Self::Vec;
    /// A unit vector at right angles to the unit vector `n`. In 2D the right-hand perpendicular (n_y, −n_x).
    fn tangent(n: Self::Vec) -> Self::Vec;
    /// Tangent plane of the unit vector `n`: one direction in 2D (the second is zero), two in 3D, a smooth function
    /// of `n` almost everywhere.
    fn tangent_basis(n: Self::Vec) -> [Self::Vec; 2];
    /// The tangent plane again, for coordinates across `n` in geometry, where any directions will do. [`Dim::tangent_basis`] is for friction: some of its
    /// directions are chosen for their mirror images.
    fn frame_across(n: Self::Vec) -> [Self::Vec; 2];
}

/// Operations on `D::Vec`. Results are in the unit of the vector, or its square.
pub trait VecOps:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Real, Output = Self>
    + AddAssign
    + SubAssign
{
    /// The zero vector.
    const ZERO: Self;
    /// Number of components.
    const N: usize;
    /// Vector with all components equal.
    fn splat(value: Real) -> Self;
    /// Unit vector of axis `axis` (0 = x).
    fn axis(axis: usize) -> Self;
    /// Component `axis` (0 = x).
    fn get(self, axis: usize) -> Real;
    /// Replaces component `axis`.
    fn set(&mut self, axis: usize, value: Real);
    /// Dot product.
    fn dot(self, other: Self) -> Real;
    /// Component-wise product.
    fn scale(self, other: Self) -> Self;
    /// Component-wise minimum.
    fn min(self, other: Self) -> Self;
    /// Component-wise maximum.
    fn max(self, other: Self) -> Self;
    /// Component-wise absolute value.
    fn abs(self) -> Self;
    /// True if every component is finite.
    fn is_finite(self) -> bool;
    /// Squared length.
    fn length_squared(self) -> Real {
        self.dot(self)
    }
    /// Length.
    fn length(self) -> Real {
        self.dot(self).sqrt()
    }
    /// The unit vector along `self`, or `fallback` where that has no direction (shorter than 1e-12 in its own unit, or not finite).
    fn normalize_or(self, fallback: Self) -> Self {
        let length = self.length();
        if length > super::NO_DIRECTION && length.is_finite() { self * (1.0 / length) } else { fallback }
    }
    /// Largest component.
    fn max_component(self) -> Real {
        (1..Self::N).fold(self.get(0), |m, i| m.max(self.get(i)))
    }
    /// Smallest component.
    fn min_component(self) -> Real {
        (1..Self::N).fold(self.get(0), |m, i| m.min(self.get(i)))
    }
}

/// Operations on `D::Ang`. Results are in the unit of the vector, or its square.
pub trait AngOps:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Real, Output = Self>
    + AddAssign
    + SubAssign
{
    /// Zero.
    const ZERO: Self;
    /// Number of components.
    const N: usize;
    /// Component `axis`; in 2D axis 0 is the only one.
    fn get(self, axis: usize) -> Real;
    /// Replaces component `axis`.
    fn set(&mut self, axis: usize, value: Real);
    /// Dot product.
    fn dot(self, other: Self) -> Real;
    /// Component-wise product.
    fn scale(self, other: Self) -> Self;
    /// True if every component is finite.
    fn is_finite(self) -> bool;
    /// Length.
    fn length(self) -> Real {
        self.dot(self).sqrt()
    }
}

/// Operations on `D::Point`. All coordinates are in [m].
pub trait PointOps<D: Dim>:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<D::Vec, Output = Self>
    + Sub<D::Vec, Output = Self>
    + Sub<Self, Output = D::Vec>
    + AddAssign<D::Vec>
{
    /// The origin of the world.
    const ORIGIN: Self;
    /// The point at `v` [m] from the origin.
    fn from_vec(v: D::Vec) -> Self;
    /// The vector from the origin to this point [m].
    fn to_vec(self) -> D::Vec;
    /// True if every coordinate is finite.
    fn is_finite(self) -> bool;
    /// Component-wise minimum.
    fn min(self, other: Self) -> Self {
        Self::from_vec(VecOps::min(self.to_vec(), other.to_vec()))
    }
    /// Component-wise maximum.
    fn max(self, other: Self) -> Self {
        Self::from_vec(VecOps::max(self.to_vec(), other.to_vec()))
    }
}

/// Operations on `D::Rot`.
pub trait RotOps<D: Dim>: Copy + Debug + PartialEq + Default + Send + Sync + 'static {
    /// No rotation.
    const IDENTITY: Self;
    /// Rotation by the rotation vector `w` (angle = |w| [rad]): the exponential map.
    fn from_ang(w: D::Ang) -> Self;
    /// Rotates a vector from the local to the world frame.
    fn rotate(self, v: D::Vec) -> D::Vec;
    /// Rotates a vector from the world to the local frame.
    fn rotate_inv(self, v: D::Vec) -> D::Vec;
    /// Rotates an angular vector from the local to the world frame (2D: unchanged).
    fn rotate_ang(self, w: D::Ang) -> D::Ang;
    /// Rotates an angular vector from the world to the local frame (2D: unchanged).
    fn rotate_ang_inv(self, w: D::Ang) -> D::Ang;
    /// `self` after `first`.
    fn then_after(self, first: Self) -> Self;
    /// The opposite rotation.
    fn inverse(self) -> Self;
    /// Turns by the small world-frame rotation vector `w` [rad] and renormalises.
    fn integrate(self, w: D::Ang) -> Self;
    /// Rescaled to unit length; the identity where that is impossible.
    fn normalized(self) -> Self;
    /// True if finite and of unit length within 1e-3.
    fn is_valid(self) -> bool;
    /// The rotation vector of `self` [rad], of length at most π.
    fn to_ang(self) -> D::Ang;
    /// Upper bound of the angle to `other` [rad], good for small angles.
    fn small_angle_to(self, other: Self) -> Real;
}

/// Operations on `D::Inertia`, a symmetric positive semi-definite tensor [kg·m²], or its inverse.
pub trait InertiaOps<D: Dim>: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// No inertia; as an inverse, infinite inertia.
    const ZERO: Self;
    /// Tensor times angular vector.
    fn apply(self, w: D::Ang) -> D::Ang;
    /// Sum of two tensors.
    fn plus(self, other: Self) -> Self;
    /// Tensor times a number.
    fn scaled(self, factor: Real) -> Self;
    /// Inverse; zero where the tensor is singular.
    fn inverse(self) -> Self;
    /// R I Rᵀ.
    fn rotated(self, rot: D::Rot) -> Self;
    /// Inertia of a point mass `mass` [kg] at offset `r` [m] (the parallel-axis term).
    fn of_point(mass: Real, r: D::Vec) -> Self;
    /// Rows and columns of the axes whose flag is set become zero. Used on inverse tensors for locked axes.
    fn without_axes(self, locked: [bool; 3]) -> Self;
    /// True if finite, and positive on the diagonal (semi-definite is checked by the triangle inequality in 3D).
    fn is_valid(self) -> bool;
    /// True if all axes have the same moment, so that there is no gyroscopic torque.
    fn is_isotropic(self) -> bool;
    /// Angular velocity after time `h` [s] under the gyroscopic torque alone: solves I(w' − w) + h·x × I x = 0 with
    /// x = (w + w')/2 by one Newton step in the body frame [Catto2015]. The implicit midpoint keeps energy and angular
    /// momentum; with x = w' wobble would die out, and a spinning top sink. `self` is the inertia in the body frame
    /// [kg·m²], `w` in the world frame [rad/s].
    fn gyroscopic(self, rot: D::Rot, w: D::Ang, h: Real) -> D::Ang;
}
