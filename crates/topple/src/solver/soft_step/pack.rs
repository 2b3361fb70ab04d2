//! Bodies as the kernels see them: packed floats with whitened spins.
//!
//! I⁻¹ = L·Lᵀ (Cholesky, lower triangular, world frame, frozen for the step but for `turning.rs`); u = L⁻¹w. Locked axes have zero columns and
//! no spin. Kinematic bodies keep their plain spin (L = 1): their rows carry `turn = 0`, so impulses do not turn them.

use crate::body::{BodyProps, BodyState};
use crate::math::*;
use crate::trusted::{F4, Floats};

/// L of a body: entries 11, 21, 22, 31, 32, 33. In the plane only the first.
pub(crate) type Whitening = [f32; 6];

/// Packed state of a body, one or half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Packed<const S: usize>(pub(crate) [f32; S]);

/// What the dimension-free part needs to know about inertia.
pub(crate) trait Whiten: Dim {
    /// L for the inverse inertia `inv`.
    fn cholesky(inv: Self::Inertia) -> Whitening;
}

impl Whiten for D2 {
    #[inline]
    fn cholesky(inv: Real) -> Whitening {
        [inv.sqrt(), 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Whiten for D3 {
    #[inline]
    fn cholesky(inv: SymMat3) -> Whitening {
        let (d, o) = (inv.diagonal, inv.off);
        // A pivot that is zero, or negative by rounding, belongs to a locked axis: its column stays zero.
        let root = |x: f32| if x > 0.0 { x.sqrt() } else { 0.0 };
        let over = |x: f32, pivot: f32| if pivot > 0.0 { x / pivot } else { 0.0 };
        let l11 = root(d.x);
        let (l21, l31) = (over(o.x, l11), over(o.y, l11));
        let l22 = root(d.y - l21 * l21);
        let l32 = over(o.z - l31 * l21, l22);
        let l33 = root(d.z - l31 * l31 - l32 * l32);
        [l11, l21, l22, l31, l32, l33]
    }
}

/// L for a body: identity for those that are not turned by impulses.
#[inline]
pub(crate) fn whitening<D: Whiten>(props: &BodyProps<D>) -> Whitening {
    if props.is_dynamic { D::cholesky(props.inv_inertia) } else { [1.0, 0.0, 1.0, 0.0, 0.0, 1.0] }
}

/// Lᵀ·j: change of the whitened spin by an angular impulse j.
#[inline]
pub(crate) fn whiten_impulse<D: Dim>(l: &Whitening, j: D::Ang) -> [f32; 3] {
    if D::ANGULAR == 1 {
        return [l[0] * j.get(0), 0.0, 0.0];
    }
    let (x, y, z) = (j.get(0), j.get(1), j.get(2));
    [l[0] * x + l[1] * y + l[3] * z, l[2] * y + l[4] * z, l[5] * z]
}

/// L⁻¹·w: whitened spin.
#[inline]
pub(crate) fn whiten_spin<D: Dim>(l: &Whitening, w: D::Ang) -> [f32; 3] {
    let over = |x: f32, pivot: f32| if pivot > 0.0 { x / pivot } else { 0.0 };
    if D::ANGULAR == 1 {
        return [over(w.get(0), l[0]), 0.0, 0.0];
    }
    let u0 = over(w.get(0), l[0]);
    let u1 = over(w.get(1) - l[1] * u0, l[2]);
    let u2 = over(w.get(2) - l[3] * u0 - l[4] * u1, l[5]);
    [u0, u1, u2]
}

/// L·u: plain spin.
#[inline]
pub(crate) fn plain_spin<D: Dim>(l: &Whitening, u: [f32; 3]) -> D::Ang {
    let mut w = D::Ang::ZERO;
    if D::ANGULAR == 1 {
        w.set(0, l[0] * u[0]);
        return w;
    }
    w.set(0, l[0] * u[0]);
    w.set(1, l[1] * u[0] + l[2] * u[1]);
    w.set(2, l[3] * u[0] + l[4] * u[1] + l[5] * u[2]);
    w
}

/// L⁻ᵀ·u: the angular impulse that changes the whitened spin by u; in space.
pub(crate) fn plain_impulse(l: &Whitening, u: [f32; 3]) -> [f32; 3] {
    let over = |x: f32, pivot: f32| if pivot > 0.0 { x / pivot } else { 0.0 };
    let z = over(u[2], l[5]);
    let y = over(u[1] - l[4] * z, l[2]);
    [over(u[0] - l[1] * y - l[3] * z, l[0]), y, z]
}

/// Half of what the impulses of the last sub-step did to a spin [rad/s].
///
/// A torque and the gyroscopic torque that it brings about belong together: the integrator turns the spin that is there in
/// the middle of the sub-step. Without that half the tilt of a top would sink by h·w·(I₃/I₁ − 1)·τ/L.
#[inline]
pub(crate) fn half_of_impulses<D: Dim, const S: usize>(
    packed: &Packed<S>,
    after: &[f32; 6],
    l: &Whitening,
) -> D::Ang {
    let (_, u) = packed.velocity::<D>();
    let half = core::array::from_fn(|i| if i < D::ANGULAR { 0.5 * (u[i] - after[3 + i]) } else { 0.0 });
    plain_spin::<D>(l, half)
}

impl<const S: usize> Floats for Packed<S> {
    #[inline(always)]
    fn put(&mut self, offset: usize, four: F4) {
        four.store(self.0[offset..].first_chunk_mut().expect("four floats"));
    }
}

impl<const S: usize> Packed<S> {
    /// At rest at the start of the step: the ground, and the base for others.
    pub(crate) const ZERO: Self = Self([0.0; S]);

    /// Velocities (v, u).
    #[inline]
    pub(crate) fn velocity<D: Dim>(&self) -> (D::Vec, [f32; 3]) {
        let f = &self.0;
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, f[i]));
        let u = if D::N == 2 { [f[2], 0.0, 0.0] } else { [f[3], f[4], f[5]] };
        (v, u)
    }

    /// Motion of the centre of mass since the start of the step.
    #[inline]
    pub(crate) fn displacement<D: Dim>(&self) -> D::Vec {
        let from = if D::N == 2 { 4 } else { 6 };
        let mut dp = D::Vec::ZERO;
        (0..D::N).for_each(|i| dp.set(i, self.0[from + i]));
        dp
    }

    /// Replaces the velocities.
    #[inline]
    pub(crate) fn set_velocity<D: Dim>(&mut self, v: D::Vec, u: [f32; 3]) {
        (0..D::N).for_each(|i| self.0[i] = v.get(i));
        if D::N == 2 {
            self.0[2] = u[0];
        } else {
            self.0[3..6].copy_from_slice(&u);
        }
    }

    /// Replaces the orientation: the last floats, behind what contacts read.
    #[inline]
    pub(crate) fn set_rotation<D: Dim>(&mut self, rotation: D::Rot) {
        let q = D::rotation_floats(rotation);
        if D::N == 2 {
            self.0[6..8].copy_from_slice(&q[..2]);
        } else {
            self.0[12..16].copy_from_slice(&q);
        }
    }

    /// The orientation.
    pub(crate) fn rotation<D: Dim>(&self) -> D::Rot {
        let from = if D::N == 2 { 6 } else { 12 };
        let floats = [0, 1, 2, 3].map(|i| if i < S - from { self.0[from + i] } else { 0.0 });
        D::rotation_from_floats(floats)
    }

    /// Replaces θ, the whitened rotation since the start of the step; in space.
    pub(crate) fn set_turn<D: Dim>(&mut self, turn: [f32; 3]) {
        if D::N == 3 {
            self.0[9..12].copy_from_slice(&turn);
        }
    }

    /// Moves it by `back` [m] without speed.
    pub(crate) fn shift<D: Dim>(&mut self, back: D::Vec) {
        let from = if D::N == 2 { 4 } else { 6 };
        (0..D::N).for_each(|i| self.0[from + i] += back.get(i));
    }

    /// How far it has moved since the start of the step [m].
    pub(crate) fn moved<const N: usize>(&self) -> [f32; N] {
        let from = if N == 2 { 4 } else { 6 };
        core::array::from_fn(|i| self.0[from + i])
    }

    /// How far it has turned since the start of the step, whitened.
    pub(crate) fn turned<const N: usize, const A: usize>(&self) -> [f32; A] {
        let from = if N == 2 { 3 } else { 9 };
        core::array::from_fn(|i| self.0[from + i])
    }

    /// Moves on by `h`: Δp from the body, θ += h·u.
    #[inline]
    pub(crate) fn advance<D: Dim>(&mut self, state: &BodyState<D>, h: f32) {
        if D::N == 2 {
            self.0[3] += h * self.0[2];
            (0..2).for_each(|i| self.0[4 + i] = state.dp.get(i));
        } else {
            (0..3).for_each(|i| self.0[6 + i] = state.dp.get(i));
            (0..3).for_each(|i| self.0[9 + i] += h * self.0[3 + i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitened_products_equal_plain_ones() {
        let inv = SymMat3 { diagonal: Vec3::new(2.0, 3.0, 0.5), off: Vec3::new(0.3, -0.2, 0.1) };
        let l = D3::cholesky(inv);
        let (j, w) = (Vec3::new(1.0, -2.0, 0.7), Vec3::new(0.2, 0.9, -1.1));
        let jw = whiten_impulse::<D3>(&l, j);
        let u = whiten_spin::<D3>(&l, w);
        let plain = VecOps::dot(j, w);
        let white: f32 = (0..3).map(|i| jw[i] * u[i]).sum();
        assert!((plain - white).abs() < 1e-5, "j·w: {plain} and {white}");
        let back = Vec3::from_array(plain_impulse(&l, jw));
        assert!(VecOps::length(back - j) < 1e-5, "j: {back} and {j}");
        let turned = plain_spin::<D3>(&l, jw);
        let expected = inv.apply(j);
        assert!(VecOps::length(turned - expected) < 1e-5, "I⁻¹j: {turned} and {expected}");
        assert!(VecOps::length(plain_spin::<D3>(&l, u) - w) < 1e-5);
    }

    #[test]
    fn locked_axes_have_no_spin() {
        let inv = SymMat3::from_diagonal(Vec3::new(0.0, 3.0, 0.0));
        let l = D3::cholesky(inv);
        let u = whiten_spin::<D3>(&l, Vec3::new(5.0, 1.0, 5.0));
        let w = plain_spin::<D3>(&l, u);
        assert!((w - Vec3::Y).length() < 1e-6 && w.x == 0.0 && w.z == 0.0, "{w}");
    }
}
