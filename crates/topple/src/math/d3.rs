//! Space: everything that is particular to three dimensions. Compare with `d2.rs`.

use super::dim::sealed::Sealed;
use super::{AngOps, Dim, PointOps, Quat, Real, RotOps, SymMat3, Vec3, VecOps, sin_cos};
use core::ops::{Add, AddAssign, Sub};

/// Three dimensions: right-handed, y up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3;

impl Sealed for D3 {}

/// A normal whose z is nothing beside its x times its y, by this share of their squares (no unit), has a frame of its own: what is mirrored along z
/// would else be pushed aside by friction. The frame of Duff is its own mirror image only if x or y is 0.
pub(crate) const LEVEL_NORMAL: Real = 1e30;

impl Dim for D3 {
    const N: usize = 3;
    const ANGULAR: usize = 3;
    const MAX_POINTS: usize = 4;
    type Vec = Vec3;
    type Ang = Vec3;
    type Point = Point3;
    type Rot = Quat;
    type Inertia = SymMat3;
    type PerPoint<T: Copy + Default + core::fmt::Debug + PartialEq + Send + Sync + 'static> = [T; 4];
    type Shape = crate::shape::Shape3;

    #[inline]
    fn rotation_floats(rotation: Quat) -> [Real; 4] {
        [rotation.x, rotation.y, rotation.z, rotation.w]
    }
    #[inline]
    fn rotation_from_floats([x, y, z, w]: [Real; 4]) -> Quat {
        RotOps::<D3>::normalized(Quat::from_xyzw(x, y, z, w))
    }
    #[inline]
    fn cross(a: Vec3, b: Vec3) -> Vec3 {
        a.cross(b)
    }
    #[inline]
    fn cross_ang(w: Vec3, r: Vec3) -> Vec3 {
        w.cross(r)
    }
    #[inline]
    fn tangent(n: Vec3) -> Vec3 {
        Self::tangent_basis(n)[0]
    }
    #[inline]
    fn tangent_basis(n: Vec3) -> [Vec3; 2] {
        let frame = Self::frame_across(n);
        // n_x n_y, but for a factor of 1/2 to 1.
        let b = frame[1].x;
        if b * b > n.z * n.z * LEVEL_NORMAL {
            return [Vec3::new(n.y, -n.x, 0.0), Vec3::new(0.0, 0.0, -1.0)];
        }
        frame
    }
    #[inline]
    fn frame_across(n: Vec3) -> [Vec3; 2] {
        // Frame of [Duff2017]: smooth but for a jump at z = 0, where the sign flips.
        let sign = if n.z < 0.0 { -1.0 } else { 1.0 };
        let a = -1.0 / (sign + n.z);
        let b = n.x * n.y * a;
        [
            Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
            Vec3::new(b, sign + n.y * n.y * a, -n.y),
        ]
    }
}

impl VecOps for Vec3 {
    const ZERO: Self = Vec3::ZERO;
    const N: usize = 3;
    #[inline]
    fn splat(value: Real) -> Self {
        Vec3::splat(value)
    }
    #[inline]
    fn axis(axis: usize) -> Self {
        [Vec3::X, Vec3::Y, Vec3::Z][axis.min(2)]
    }
    #[inline]
    fn get(self, axis: usize) -> Real {
        match axis {
            0 => self.x,
            1 => self.y,
            _ => self.z,
        }
    }
    #[inline]
    fn set(&mut self, axis: usize, value: Real) {
        match axis {
            0 => self.x = value,
            1 => self.y = value,
            _ => self.z = value,
        }
    }
    #[inline]
    fn dot(self, other: Self) -> Real {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    #[inline]
    fn scale(self, other: Self) -> Self {
        self * other
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        Vec3::new(self.x.min(other.x), self.y.min(other.y), self.z.min(other.z))
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        Vec3::new(self.x.max(other.x), self.y.max(other.y), self.z.max(other.z))
    }
    #[inline]
    fn abs(self) -> Self {
        Vec3::new(self.x.abs(), self.y.abs(), self.z.abs())
    }
    fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl AngOps for Vec3 {
    const ZERO: Self = Vec3::ZERO;
    const N: usize = 3;
    #[inline]
    fn get(self, axis: usize) -> Real {
        VecOps::get(self, axis)
    }
    #[inline]
    fn set(&mut self, axis: usize, value: Real) {
        VecOps::set(self, axis, value);
    }
    #[inline]
    fn dot(self, other: Self) -> Real {
        VecOps::dot(self, other)
    }
    #[inline]
    fn scale(self, other: Self) -> Self {
        self * other
    }
    fn is_finite(self) -> bool {
        VecOps::is_finite(self)
    }
}

/// A position in space [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Point3 {
    /// To the right [m].
    pub x: Real,
    /// Up [m].
    pub y: Real,
    /// Towards the viewer [m].
    pub z: Real,
}

impl Point3 {
    /// The point (x, y, z) [m].
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self { x, y, z }
    }
}

impl From<Vec3> for Point3 {
    fn from(v: Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}
impl From<[Real; 3]> for Point3 {
    fn from([x, y, z]: [Real; 3]) -> Self {
        Self { x, y, z }
    }
}
impl From<(Real, Real, Real)> for Point3 {
    fn from((x, y, z): (Real, Real, Real)) -> Self {
        Self { x, y, z }
    }
}
impl Add<Vec3> for Point3 {
    type Output = Self;
    #[inline]
    fn add(self, v: Vec3) -> Self {
        Self { x: self.x + v.x, y: self.y + v.y, z: self.z + v.z }
    }
}
impl AddAssign<Vec3> for Point3 {
    #[inline]
    fn add_assign(&mut self, v: Vec3) {
        *self = *self + v;
    }
}
impl Sub<Vec3> for Point3 {
    type Output = Self;
    #[inline]
    fn sub(self, v: Vec3) -> Self {
        Self { x: self.x - v.x, y: self.y - v.y, z: self.z - v.z }
    }
}
impl Sub for Point3 {
    type Output = Vec3;
    #[inline]
    fn sub(self, other: Self) -> Vec3 {
        Vec3::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl PointOps<D3> for Point3 {
    const ORIGIN: Self = Self { x: 0.0, y: 0.0, z: 0.0 };
    #[inline]
    fn from_vec(v: Vec3) -> Self {
        v.into()
    }
    #[inline]
    fn to_vec(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }
    fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl RotOps<D3> for Quat {
    const IDENTITY: Self = Quat::IDENTITY;
    fn from_ang(w: Vec3) -> Self {
        let angle = VecOps::length(w);
        if angle < super::SMALL_ANGLE {
            return RotOps::<D3>::normalized(Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 1.0));
        }
        let (s, c) = sin_cos(0.5 * angle);
        let v = w * (s / angle);
        Quat::from_xyzw(v.x, v.y, v.z, c)
    }
    #[inline]
    fn rotate(self, v: Vec3) -> Vec3 {
        let u = Vec3::new(self.x, self.y, self.z);
        let t = u.cross(v) * 2.0;
        v + t * self.w + u.cross(t)
    }
    #[inline]
    fn rotate_inv(self, v: Vec3) -> Vec3 {
        let u = Vec3::new(self.x, self.y, self.z);
        let t = u.cross(v) * 2.0;
        v - t * self.w + u.cross(t)
    }
    #[inline]
    fn rotate_ang(self, w: Vec3) -> Vec3 {
        RotOps::<D3>::rotate(self, w)
    }
    #[inline]
    fn rotate_ang_inv(self, w: Vec3) -> Vec3 {
        RotOps::<D3>::rotate_inv(self, w)
    }
    #[inline]
    fn then_after(self, first: Self) -> Self {
        let (a, b) = (self, first);
        Quat::from_xyzw(
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        )
    }
    #[inline]
    fn inverse(self) -> Self {
        Quat::from_xyzw(-self.x, -self.y, -self.z, self.w)
    }
    #[inline]
    fn integrate(self, w: Vec3) -> Self {
        // exp(w/2) by its series to fourth order, then normalised: no trigonometry in the sub-step.
        let a2 = VecOps::dot(w, w) * 0.25;
        let sinc = 0.5 * (1.0 - a2 * (1.0 / 6.0 - a2 * (1.0 / 120.0)));
        let cos = 1.0 - a2 * (0.5 - a2 * (1.0 / 24.0));
        let turn = Quat::from_xyzw(w.x * sinc, w.y * sinc, w.z * sinc, cos);
        RotOps::<D3>::normalized(RotOps::<D3>::then_after(turn, self))
    }
    #[inline]
    fn normalized(self) -> Self {
        let n = (self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w).sqrt();
        if n > 0.0 && n.is_finite() {
            let i = 1.0 / n;
            Quat::from_xyzw(self.x * i, self.y * i, self.z * i, self.w * i)
        } else {
            Quat::IDENTITY
        }
    }
    fn is_valid(self) -> bool {
        let n = self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w;
        (n - 1.0).abs() < 2.0 * super::UNIT_TOLERANCE
    }
    fn to_ang(self) -> Vec3 {
        // The shorter way round: q and −q are the same rotation.
        let q = if self.w < 0.0 { Quat::from_xyzw(-self.x, -self.y, -self.z, -self.w) } else { self };
        let v = Vec3::new(q.x, q.y, q.z);
        let s = VecOps::length(v);
        if s < super::SMALL_ANGLE { v * 2.0 } else { v * (2.0 * super::atan2(s, q.w) / s) }
    }
    #[inline]
    fn small_angle_to(self, other: Self) -> Real {
        // Twice the chord between the two unit quaternions, the nearer of q and −q.
        let dot = self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w;
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let d = [
            other.x - sign * self.x,
            other.y - sign * self.y,
            other.z - sign * self.z,
            other.w - sign * self.w,
        ];
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]).sqrt() * (2.0 * super::ARC_OVER_CHORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit vectors all around, many of them at right angles to an axis or two.
    fn directions() -> impl Iterator<Item = Vec3> {
        let steps = [-1.0, -0.6, -0.01, -1e-20, -0.0, 0.0, 1e-20, 0.01, 0.6, 1.0];
        let all = steps.into_iter().flat_map(move |x| {
            steps.into_iter().flat_map(move |y| steps.into_iter().map(move |z| Vec3::new(x, y, z)))
        });
        all.filter(|v| v.length() > 0.001).map(|v| v.normalize())
    }

    #[test]
    fn frames_are_at_right_angles_and_begin_with_the_tangent() {
        for n in directions() {
            assert_eq!(D3::tangent(n), D3::tangent_basis(n)[0]);
            for [t, u] in [D3::tangent_basis(n), D3::frame_across(n)] {
                let frame = glam::Mat3::from_cols(t, u, n);
                assert!((frame.determinant() - 1.0).abs() < 1e-6, "{n}: {t}, {u}");
                let off = frame.transpose() * frame - glam::Mat3::IDENTITY;
                assert!(off.to_cols_array().into_iter().all(|x| x.abs() < 1e-6), "{n}: {t}, {u}");
            }
        }
    }

    /// Mirrored along an axis at right angles to the normal, each direction of friction stays or is turned round.
    #[test]
    fn the_frame_of_friction_is_its_own_mirror_image() {
        for n in directions() {
            for axis in (0..3).filter(|&axis| VecOps::get(n, axis) == 0.0) {
                for t in D3::tangent_basis(n) {
                    let mut mirrored = t;
                    VecOps::set(&mut mirrored, axis, -VecOps::get(t, axis));
                    assert!(mirrored == t || mirrored == -t, "{n}: {t}");
                }
            }
        }
    }
}
