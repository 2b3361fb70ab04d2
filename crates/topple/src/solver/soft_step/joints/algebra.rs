//! Numbers and vectors in lanes, with operators, so that the kernels read like the formulas of `joint/`.
//!
//! What differs between plane and space is in [`LaneDim`]; compare the two implementations. Sizes: `N` axes, `A` angular
//! axes, `R` floats of an orientation (cos and sin, or a quaternion), `W` entries of a whitening (see `pack.rs`).

use crate::math::{D2, D3};
use crate::solver::soft_step::lanes::{F8, Lanes};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// One number per lane.
#[derive(Clone, Copy)]
pub(super) struct X<L>(pub L);

impl<L: Lanes> X<L> {
    #[inline(always)]
    pub(super) fn splat(x: f32) -> Self {
        Self(L::splat(x))
    }
    #[inline(always)]
    pub(super) fn load(from: &F8) -> Self {
        Self(L::load(from))
    }
    #[inline(always)]
    pub(super) fn store(self, to: &mut F8) {
        self.0.store(to);
    }
    #[inline(always)]
    pub(super) fn over(self, other: Self) -> Self {
        Self(self.0.div(other.0))
    }
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    /// True if `self > limit` in some lane.
    #[inline(always)]
    pub(super) fn any_above(self, limit: Self) -> bool {
        L::any(self.0.greater(limit.0))
    }
    /// `self > limit ? yes : no`.
    #[inline(always)]
    pub(super) fn if_above(self, limit: Self, yes: Self, no: Self) -> Self {
        Self(L::select(self.0.greater(limit.0), yes.0, no.0))
    }
}

impl<L: Lanes> Add for X<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0))
    }
}

impl<L: Lanes> Sub for X<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.sub(other.0))
    }
}

impl<L: Lanes> Mul for X<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0.mul(other.0))
    }
}

impl<L: Lanes> Neg for X<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::splat(0.0) - self
    }
}

/// A vector per lane.
#[derive(Clone, Copy)]
pub(super) struct V<L, const N: usize>(pub [X<L>; N]);

impl<L: Lanes, const N: usize> V<L, N> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self([X::splat(0.0); N])
    }
    #[inline(always)]
    pub(super) fn load(from: &[F8; N]) -> Self {
        let mut to = Self::zero();
        for i in 0..N {
            to.0[i] = X::load(&from[i]);
        }
        to
    }
    #[inline(always)]
    pub(super) fn store(self, to: &mut [F8; N]) {
        for i in 0..N {
            self.0[i].store(&mut to[i]);
        }
    }
    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> X<L> {
        let mut sum = self.0[0] * other.0[0];
        for i in 1..N {
            sum = sum + self.0[i] * other.0[i];
        }
        sum
    }
}

impl<L: Lanes, const N: usize> Add for V<L, N> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] + other.0[i];
        }
        self
    }
}

impl<L: Lanes, const N: usize> Sub for V<L, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] - other.0[i];
        }
        self
    }
}

impl<L: Lanes, const N: usize> AddAssign for V<L, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<L: Lanes, const N: usize> SubAssign for V<L, N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<L: Lanes, const N: usize> Mul<X<L>> for V<L, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, factor: X<L>) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i] * factor;
        }
        self
    }
}

/// Angle of the vector (x, y) with y ≥ 0 [rad], in [0, π], to some units in the last place. One half-angle step brings the
/// ratio below tan(π/8) = 0.41; the series ends where its terms fall below the rounding error: 0.41¹⁷/17 = 2·10⁻⁸.
#[inline(always)]
pub(super) fn upper_angle<L: Lanes>(y: X<L>, x: X<L>) -> X<L> {
    use core::f32::consts::{FRAC_PI_2, PI};
    let (one, zero) = (X::splat(1.0), X::splat(0.0));
    let flat = x.max(-x);
    let (small, large) = (flat.min(y), flat.max(y));
    let ratio = large.if_above(zero, small.over(large), zero);
    let t = ratio.over(one + (one + ratio * ratio).sqrt());
    let t2 = t * t;
    let mut sum = X::splat(1.0 / 15.0);
    for odd in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = X::splat(1.0 / odd) - t2 * sum;
    }
    let angle = (t + t) * sum;
    let angle = y.if_above(flat, X::splat(FRAC_PI_2) - angle, angle);
    zero.if_above(x, X::splat(PI) - angle, angle)
}

/// A pivot below this share of its diagonal entry is rounding noise: nothing can move in that direction.
const NO_PIVOT: f32 = crate::joint::NO_PIVOT;

/// K = L·D·Lᵀ of a symmetric positive semi-definite matrix given by its lower triangle.
#[derive(Clone, Copy)]
pub(super) struct Factor<L, const M: usize> {
    l: [[X<L>; M]; M],
    /// 1/D, or 0 for directions in which nothing can move.
    inverses: [X<L>; M],
}

impl<L: Lanes, const M: usize> Factor<L, M> {
    #[inline(always)]
    pub(super) fn new(k: &[[X<L>; M]; M]) -> Self {
        let (zero, one) = (X::splat(0.0), X::splat(1.0));
        let mut l = [[zero; M]; M];
        let mut inverses = [zero; M];
        // Entry (r, j) of L·D; dividing it by the pivot gives L.
        let mut scaled = [[zero; M]; M];
        for j in 0..M {
            let mut pivot = k[j][j];
            for i in 0..j {
                pivot = pivot - l[j][i] * scaled[j][i];
            }
            inverses[j] = pivot.if_above(k[j][j] * X::splat(NO_PIVOT), one.over(pivot), zero);
            for r in j + 1..M {
                let mut entry = k[r][j];
                for i in 0..j {
                    entry = entry - l[r][i] * scaled[j][i];
                }
                scaled[r][j] = entry;
                l[r][j] = entry * inverses[j];
            }
        }
        Self { l, inverses }
    }

    /// x with K·x = y.
    #[inline(always)]
    pub(super) fn solve(&self, y: [X<L>; M]) -> [X<L>; M] {
        let mut x = y;
        for j in 0..M {
            for i in 0..j {
                x[j] = x[j] - self.l[j][i] * x[i];
            }
        }
        for j in (0..M).rev() {
            x[j] = x[j] * self.inverses[j];
            for r in j + 1..M {
                x[j] = x[j] - self.l[r][j] * x[r];
            }
        }
        x
    }
}

/// What a dimension gives to the wide kernels of joints.
pub(super) trait LaneDim<const N: usize, const A: usize, const R: usize, const W: usize> {
    /// r × d.
    fn cross<L: Lanes>(r: V<L, N>, d: V<L, N>) -> V<L, A>;
    /// w × r.
    fn cross_ang<L: Lanes>(w: V<L, A>, r: V<L, N>) -> V<L, N>;
    /// v turned by q.
    fn rotate<L: Lanes>(q: V<L, R>, v: V<L, N>) -> V<L, N>;
    /// First `second`, then `first`.
    fn then_after<L: Lanes>(first: V<L, R>, second: V<L, R>) -> V<L, R>;
    /// The axes of the frame q.
    fn axes<L: Lanes>(q: V<L, R>) -> [V<L, N>; N];
    /// Axis i of the axes as an axis of rotation; in the plane there is only the one that points out of it.
    fn turning_axis<L: Lanes>(axes: &[V<L, N>; N], i: usize) -> V<L, A>;
    /// Lᵀ·j: whitened Jacobian of an angular one.
    fn whiten<L: Lanes>(l: &V<L, W>, j: V<L, A>) -> V<L, A>;
    /// L·u: plain spin of a whitened one.
    fn plain<L: Lanes>(l: &V<L, W>, u: V<L, A>) -> V<L, A>;
    /// Lᵀ(r × e) for the axes e of the world.
    fn point_rows<L: Lanes>(l: &V<L, W>, r: V<L, N>) -> [V<L, A>; N];
    /// Lᵀ·e for the angular axes e of the world.
    fn turn_rows<L: Lanes>(l: &V<L, W>) -> [V<L, A>; A];
    /// Rotation vector from frame a to frame b, world axes [rad]; of small ones.
    fn turn_error<L: Lanes>(a: V<L, R>, b: V<L, R>) -> V<L, A>;
    /// Angle of frame b in frame a about their x axes [rad], in [−π, π].
    fn angle<L: Lanes>(a: V<L, R>, b: V<L, R>) -> X<L>;
}

impl LaneDim<2, 1, 2, 1> for D2 {
    #[inline(always)]
    fn cross<L: Lanes>(r: V<L, 2>, d: V<L, 2>) -> V<L, 1> {
        V([r.0[0] * d.0[1] - r.0[1] * d.0[0]])
    }
    #[inline(always)]
    fn cross_ang<L: Lanes>(w: V<L, 1>, r: V<L, 2>) -> V<L, 2> {
        V([-(w.0[0] * r.0[1]), w.0[0] * r.0[0]])
    }
    #[inline(always)]
    fn rotate<L: Lanes>(q: V<L, 2>, v: V<L, 2>) -> V<L, 2> {
        let ([c, s], [x, y]) = (q.0, v.0);
        V([c * x - s * y, s * x + c * y])
    }
    #[inline(always)]
    fn then_after<L: Lanes>(first: V<L, 2>, second: V<L, 2>) -> V<L, 2> {
        Self::rotate(first, second)
    }
    #[inline(always)]
    fn axes<L: Lanes>(q: V<L, 2>) -> [V<L, 2>; 2] {
        let [c, s] = q.0;
        [V([c, s]), V([-s, c])]
    }
    #[inline(always)]
    fn turning_axis<L: Lanes>(_axes: &[V<L, 2>; 2], _i: usize) -> V<L, 1> {
        V([X::splat(1.0)])
    }
    #[inline(always)]
    fn whiten<L: Lanes>(l: &V<L, 1>, j: V<L, 1>) -> V<L, 1> {
        V([l.0[0] * j.0[0]])
    }
    #[inline(always)]
    fn plain<L: Lanes>(l: &V<L, 1>, u: V<L, 1>) -> V<L, 1> {
        V([l.0[0] * u.0[0]])
    }
    #[inline(always)]
    fn point_rows<L: Lanes>(l: &V<L, 1>, r: V<L, 2>) -> [V<L, 1>; 2] {
        [V([-(l.0[0] * r.0[1])]), V([l.0[0] * r.0[0]])]
    }
    #[inline(always)]
    fn turn_rows<L: Lanes>(l: &V<L, 1>) -> [V<L, 1>; 1] {
        [V([l.0[0]])]
    }
    #[inline(always)]
    fn turn_error<L: Lanes>(a: V<L, 2>, b: V<L, 2>) -> V<L, 1> {
        V([Self::angle(a, b)])
    }
    #[inline(always)]
    fn angle<L: Lanes>(a: V<L, 2>, b: V<L, 2>) -> X<L> {
        let cos = a.0[0] * b.0[0] + a.0[1] * b.0[1];
        let sin = a.0[0] * b.0[1] - a.0[1] * b.0[0];
        let angle = upper_angle(sin.max(-sin), cos);
        X::splat(0.0).if_above(sin, -angle, angle)
    }
}

#[inline(always)]
fn cross3<L: Lanes>([ax, ay, az]: [X<L>; 3], [bx, by, bz]: [X<L>; 3]) -> V<L, 3> {
    V([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
}

/// q_a⁻¹·q_b.
#[inline(always)]
fn relative<L: Lanes>(a: V<L, 4>, b: V<L, 4>) -> V<L, 4> {
    let [x, y, z, w] = a.0;
    <D3 as LaneDim<3, 3, 4, 6>>::then_after(V([-x, -y, -z, w]), b)
}

impl LaneDim<3, 3, 4, 6> for D3 {
    #[inline(always)]
    fn cross<L: Lanes>(r: V<L, 3>, d: V<L, 3>) -> V<L, 3> {
        cross3(r.0, d.0)
    }
    #[inline(always)]
    fn cross_ang<L: Lanes>(w: V<L, 3>, r: V<L, 3>) -> V<L, 3> {
        cross3(w.0, r.0)
    }
    #[inline(always)]
    fn rotate<L: Lanes>(q: V<L, 4>, v: V<L, 3>) -> V<L, 3> {
        let [x, y, z, w] = q.0;
        let t = cross3([x, y, z], v.0);
        let t = t + t;
        v + t * w + cross3([x, y, z], t.0)
    }
    #[inline(always)]
    fn then_after<L: Lanes>(first: V<L, 4>, second: V<L, 4>) -> V<L, 4> {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (first.0, second.0);
        V([
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ])
    }
    #[inline(always)]
    fn axes<L: Lanes>(q: V<L, 4>) -> [V<L, 3>; 3] {
        let [x, y, z, w] = q.0;
        let (one, x2, y2, z2) = (X::splat(1.0), x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        [
            V([one - (yy + zz), xy + wz, xz - wy]),
            V([xy - wz, one - (xx + zz), yz + wx]),
            V([xz + wy, yz - wx, one - (xx + yy)]),
        ]
    }
    #[inline(always)]
    fn turning_axis<L: Lanes>(axes: &[V<L, 3>; 3], i: usize) -> V<L, 3> {
        axes[i]
    }
    #[inline(always)]
    fn whiten<L: Lanes>(l: &V<L, 6>, j: V<L, 3>) -> V<L, 3> {
        let ([l11, l21, l22, l31, l32, l33], [x, y, z]) = (l.0, j.0);
        V([l11 * x + l21 * y + l31 * z, l22 * y + l32 * z, l33 * z])
    }
    #[inline(always)]
    fn plain<L: Lanes>(l: &V<L, 6>, u: V<L, 3>) -> V<L, 3> {
        let ([l11, l21, l22, l31, l32, l33], [x, y, z]) = (l.0, u.0);
        V([l11 * x, l21 * x + l22 * y, l31 * x + l32 * y + l33 * z])
    }
    #[inline(always)]
    fn point_rows<L: Lanes>(l: &V<L, 6>, r: V<L, 3>) -> [V<L, 3>; 3] {
        // Whitened (0, z, −y), (−z, 0, x) and (y, −x, 0).
        let ([l11, l21, l22, l31, l32, l33], [x, y, z]) = (l.0, r.0);
        [
            V([l21 * z - l31 * y, l22 * z - l32 * y, -(l33 * y)]),
            V([l31 * x - l11 * z, l32 * x, l33 * x]),
            V([l11 * y - l21 * x, -(l22 * x), X::splat(0.0)]),
        ]
    }
    #[inline(always)]
    fn turn_rows<L: Lanes>(l: &V<L, 6>) -> [V<L, 3>; 3] {
        let ([l11, l21, l22, l31, l32, l33], zero) = (l.0, X::splat(0.0));
        [V([l11, zero, zero]), V([l21, l22, zero]), V([l31, l32, l33])]
    }
    #[inline(always)]
    fn turn_error<L: Lanes>(a: V<L, 4>, b: V<L, 4>) -> V<L, 3> {
        let [x, y, z, w] = relative(a, b).0;
        let sign = X::splat(0.0).if_above(w, X::splat(-2.0), X::splat(2.0));
        Self::rotate(a, V([x, y, z]) * sign)
    }
    #[inline(always)]
    fn angle<L: Lanes>(a: V<L, 4>, b: V<L, 4>) -> X<L> {
        let [s, _, _, c] = relative(a, b).0;
        // The shorter way round: q and −q are the same rotation.
        let angle = upper_angle(s.max(-s), c.max(-c));
        let angle = angle + angle;
        X::splat(0.0).if_above(s * c, -angle, angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, RotOps, Vec3, atan2};
    use crate::solver::soft_step::lanes::Scalar;

    type N = X<Scalar>;

    fn number(x: N) -> f32 {
        let mut out = F8::default();
        x.store(&mut out);
        out.0[0]
    }

    fn wide<const M: usize>(x: [f32; M]) -> V<Scalar, M> {
        V(x.map(X::splat))
    }

    #[test]
    fn angles_are_those_of_the_scalar_function() {
        for i in 0..=2000 {
            let angle = core::f32::consts::PI * i as f32 / 2000.0;
            let (s, c) = crate::math::sin_cos(angle);
            let got = number(upper_angle(N::splat(s.abs() * 3.0), N::splat(c * 3.0)));
            let expected = atan2(s.abs(), c);
            assert!((got - expected).abs() < 6e-7, "{got} and {expected} at {angle}");
        }
        assert_eq!(number(upper_angle(N::splat(0.0), N::splat(0.0))), 0.0);
    }

    #[test]
    fn factors_solve_and_leave_locked_axes() {
        let k = [[4.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.5, -1.0, 2.0]];
        let x = [1.0, -2.0, 0.5];
        let full = |i: usize, j: usize| if i >= j { k[i][j] } else { k[j][i] };
        let y = core::array::from_fn(|i| N::splat((0..3).map(|j| full(i, j) * x[j]).sum()));
        let found = Factor::new(&k.map(|row| row.map(N::splat))).solve(y);
        assert!((0..3).all(|i| (number(found[i]) - x[i]).abs() < 1e-5));
        let locked = [[2.0, 0.0], [0.0, 0.0]].map(|row| row.map(N::splat));
        let found = Factor::new(&locked).solve([1.0, 5.0].map(N::splat));
        assert_eq!(found.map(number), [0.5, 0.0]);
    }

    #[test]
    fn frames_are_those_of_the_scalar_functions() {
        let a = RotOps::<D3>::normalized(Quat::from_xyzw(0.3, -0.2, 0.5, 0.7));
        let b = RotOps::<D3>::normalized(Quat::from_xyzw(0.1, 0.4, -0.3, 0.6));
        let (wide_a, wide_b) = (wide::<4>(a.into()), wide::<4>(b.into()));
        let v = Vec3::new(1.0, -2.0, 0.5);
        let near = |got: V<Scalar, 3>, expected: Vec3| {
            let got = Vec3::from(got.0.map(number));
            assert!((got - expected).length() < 1e-6, "{got} and {expected}");
        };
        near(D3::rotate(wide_a, wide(v.into())), RotOps::<D3>::rotate(a, v));
        let axes = D3::axes(wide_a);
        for (axis, e) in axes.into_iter().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
            near(axis, RotOps::<D3>::rotate(a, e));
        }
        let ab = RotOps::<D3>::then_after(a, b);
        near(D3::rotate(D3::then_after(wide_a, wide_b), wide(v.into())), RotOps::<D3>::rotate(ab, v));
        let angle = <D3 as crate::joint::JointDim>::angle_about([a, b], 0);
        assert!((number(D3::angle(wide_a, wide_b)) - angle).abs() < 1e-6);
        let error = <D3 as crate::joint::JointDim>::turn_error([a, b]);
        near(D3::turn_error(wide_a, wide_b), error);
    }
}
