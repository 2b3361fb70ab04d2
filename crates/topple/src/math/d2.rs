//! The plane: everything that is particular to two dimensions. Compare with `d3.rs`.

use super::dim::sealed::Sealed;
use super::{AngOps, Dim, InertiaOps, PointOps, Real, RotOps, Vec2, VecOps, atan2, sin_cos};
use core::ops::{Add, AddAssign, Sub};

/// Two dimensions: x to the right, y up, angles counter-clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D2;

impl Sealed for D2 {}

impl Dim for D2 {
    const N: usize = 2;
    const ANGULAR: usize = 1;
    const MAX_POINTS: usize = 2;
    type Vec = Vec2;
    type Ang = Real;
    type Point = Point2;
    type Rot = Rot2;
    type Inertia = Real;
    type PerPoint<T: Copy + Default + core::fmt::Debug + PartialEq + Send + Sync + 'static> = [T; 2];
    type Shape = crate::shape::Shape2;

    #[inline]
    fn rotation_floats(rotation: Rot2) -> [Real; 4] {
        [rotation.cos, rotation.sin, 0.0, 0.0]
    }
    #[inline]
    fn rotation_from_floats([cos, sin, ..]: [Real; 4]) -> Rot2 {
        Rot2 { cos, sin }.normalized()
    }
    #[inline]
    fn cross(a: Vec2, b: Vec2) -> Real {
        a.x * b.y - a.y * b.x
    }
    #[inline]
    fn cross_ang(w: Real, r: Vec2) -> Vec2 {
        Vec2::new(-w * r.y, w * r.x)
    }
    #[inline]
    fn tangent(n: Vec2) -> Vec2 {
        Vec2::new(n.y, -n.x)
    }
    #[inline]
    fn tangent_basis(n: Vec2) -> [Vec2; 2] {
        [Self::tangent(n), Vec2::ZERO]
    }
    #[inline]
    fn frame_across(n: Vec2) -> [Vec2; 2] {
        Self::tangent_basis(n)
    }
}

impl VecOps for Vec2 {
    const ZERO: Self = Vec2::ZERO;
    const N: usize = 2;
    #[inline]
    fn splat(value: Real) -> Self {
        Vec2::splat(value)
    }
    #[inline]
    fn axis(axis: usize) -> Self {
        if axis == 0 { Vec2::X } else { Vec2::Y }
    }
    #[inline]
    fn get(self, axis: usize) -> Real {
        if axis == 0 { self.x } else { self.y }
    }
    #[inline]
    fn set(&mut self, axis: usize, value: Real) {
        if axis == 0 { self.x = value } else { self.y = value }
    }
    #[inline]
    fn dot(self, other: Self) -> Real {
        self.x * other.x + self.y * other.y
    }
    #[inline]
    fn scale(self, other: Self) -> Self {
        self * other
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        Vec2::new(self.x.min(other.x), self.y.min(other.y))
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        Vec2::new(self.x.max(other.x), self.y.max(other.y))
    }
    #[inline]
    fn abs(self) -> Self {
        Vec2::new(self.x.abs(), self.y.abs())
    }
    fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl AngOps for Real {
    const ZERO: Self = 0.0;
    const N: usize = 1;
    #[inline]
    fn get(self, _axis: usize) -> Real {
        self
    }
    #[inline]
    fn set(&mut self, _axis: usize, value: Real) {
        *self = value;
    }
    #[inline]
    fn dot(self, other: Self) -> Real {
        self * other
    }
    #[inline]
    fn scale(self, other: Self) -> Self {
        self * other
    }
    fn is_finite(self) -> bool {
        Real::is_finite(self)
    }
    #[inline]
    fn length(self) -> Real {
        self.abs()
    }
}

/// A position in the plane [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Point2 {
    /// To the right [m].
    pub x: Real,
    /// Up [m].
    pub y: Real,
}

impl Point2 {
    /// The point (x, y) [m].
    pub const fn new(x: Real, y: Real) -> Self {
        Self { x, y }
    }
}

impl From<Vec2> for Point2 {
    fn from(v: Vec2) -> Self {
        Self { x: v.x, y: v.y }
    }
}
impl From<[Real; 2]> for Point2 {
    fn from([x, y]: [Real; 2]) -> Self {
        Self { x, y }
    }
}
impl From<(Real, Real)> for Point2 {
    fn from((x, y): (Real, Real)) -> Self {
        Self { x, y }
    }
}
impl Add<Vec2> for Point2 {
    type Output = Self;
    #[inline]
    fn add(self, v: Vec2) -> Self {
        Self { x: self.x + v.x, y: self.y + v.y }
    }
}
impl AddAssign<Vec2> for Point2 {
    #[inline]
    fn add_assign(&mut self, v: Vec2) {
        *self = *self + v;
    }
}
impl Sub<Vec2> for Point2 {
    type Output = Self;
    #[inline]
    fn sub(self, v: Vec2) -> Self {
        Self { x: self.x - v.x, y: self.y - v.y }
    }
}
impl Sub for Point2 {
    type Output = Vec2;
    #[inline]
    fn sub(self, other: Self) -> Vec2 {
        Vec2::new(self.x - other.x, self.y - other.y)
    }
}

impl PointOps<D2> for Point2 {
    const ORIGIN: Self = Self { x: 0.0, y: 0.0 };
    #[inline]
    fn from_vec(v: Vec2) -> Self {
        v.into()
    }
    #[inline]
    fn to_vec(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }
    fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

/// A rotation of the plane as (cos, sin) of its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rot2 {
    /// Cosine of the angle (no unit).
    pub cos: Real,
    /// Sine of the angle (no unit).
    pub sin: Real,
}

impl Default for Rot2 {
    fn default() -> Self {
        Self { cos: 1.0, sin: 0.0 }
    }
}

impl Rot2 {
    /// Rotation by `angle` [rad], counter-clockwise.
    pub fn from_angle(angle: Real) -> Self {
        let (sin, cos) = sin_cos(angle);
        Self { cos, sin }
    }

    /// The angle [rad], in (−π, π].
    pub fn angle(self) -> Real {
        atan2(self.sin, self.cos)
    }
}

impl RotOps<D2> for Rot2 {
    const IDENTITY: Self = Self { cos: 1.0, sin: 0.0 };
    fn from_ang(w: Real) -> Self {
        Self::from_angle(w)
    }
    #[inline]
    fn rotate(self, v: Vec2) -> Vec2 {
        Vec2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }
    #[inline]
    fn rotate_inv(self, v: Vec2) -> Vec2 {
        Vec2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }
    #[inline]
    fn rotate_ang(self, w: Real) -> Real {
        w
    }
    #[inline]
    fn rotate_ang_inv(self, w: Real) -> Real {
        w
    }
    #[inline]
    fn then_after(self, first: Self) -> Self {
        Self {
            cos: self.cos * first.cos - self.sin * first.sin,
            sin: self.sin * first.cos + self.cos * first.sin,
        }
    }
    #[inline]
    fn inverse(self) -> Self {
        Self { cos: self.cos, sin: -self.sin }
    }
    #[inline]
    fn integrate(self, w: Real) -> Self {
        // Third-order series of (cos w, sin w), then normalised: exact to 1e-6 rad up to a quarter radian per step.
        let w2 = w * w;
        let turn = Self {
            cos: 1.0 - w2 * (0.5 - w2 * (1.0 / 24.0)),
            sin: w * (1.0 - w2 * (1.0 / 6.0 - w2 * (1.0 / 120.0))),
        };
        turn.then_after(self).normalized()
    }
    #[inline]
    fn normalized(self) -> Self {
        let length = (self.cos * self.cos + self.sin * self.sin).sqrt();
        if length > 0.0 && length.is_finite() {
            let inv = 1.0 / length;
            Self { cos: self.cos * inv, sin: self.sin * inv }
        } else {
            Self::IDENTITY
        }
    }
    fn is_valid(self) -> bool {
        let n = self.cos * self.cos + self.sin * self.sin;
        (n - 1.0).abs() < 2.0 * super::UNIT_TOLERANCE
    }
    fn to_ang(self) -> Real {
        self.angle()
    }
    #[inline]
    fn small_angle_to(self, other: Self) -> Real {
        let (dc, ds) = (other.cos - self.cos, other.sin - self.sin);
        (dc * dc + ds * ds).sqrt() * super::ARC_OVER_CHORD
    }
}

impl InertiaOps<D2> for Real {
    const ZERO: Self = 0.0;
    #[inline]
    fn apply(self, w: Real) -> Real {
        self * w
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn scaled(self, factor: Real) -> Self {
        self * factor
    }
    fn inverse(self) -> Self {
        if self > 0.0 { 1.0 / self } else { 0.0 }
    }
    #[inline]
    fn rotated(self, _rot: Rot2) -> Self {
        self
    }
    fn of_point(mass: Real, r: Vec2) -> Self {
        mass * r.length_squared()
    }
    fn without_axes(self, locked: [bool; 3]) -> Self {
        if locked[0] { 0.0 } else { self }
    }
    fn is_valid(self) -> bool {
        self.is_finite() && self > 0.0
    }
    fn is_isotropic(self) -> bool {
        true
    }
    #[inline]
    fn gyroscopic(self, _rot: Rot2, w: Real, _h: Real) -> Real {
        w
    }
}
