//! Velocities between the bodies and their packed form, and the warm start by extrapolation.

use super::pack::{Packed, Whitening, plain_spin, whiten_spin};
use crate::body::BodyState;
use crate::math::*;

/// Velocities back from the kernels.
#[inline]
pub(super) fn unpack<D: Dim, const S: usize>(
    states: &mut [BodyState<D>],
    packed: &[Packed<S>],
    whitenings: &[Whitening],
) {
    for ((state, packed), l) in states.iter_mut().zip(packed).zip(whitenings) {
        let (v, u) = packed.velocity::<D>();
        (state.v, state.w) = (v, plain_spin::<D>(l, u));
    }
}

/// The same, but bodies that nothing has pushed since they were packed keep the bits that the integrator gave them: its
/// double precision counts on that.
pub(super) fn unpack_changed<D: Dim, const S: usize>(
    states: &mut [BodyState<D>],
    packed: &[Packed<S>],
    after: &[[f32; 6]],
    whitenings: &[Whitening],
) {
    for (((state, packed), after), l) in states.iter_mut().zip(packed).zip(after).zip(whitenings) {
        let (v, u) = packed.velocity::<D>();
        let same = (0..D::N).all(|i| v.get(i) == after[i]) && (0..D::ANGULAR).all(|i| u[i] == after[3 + i]);
        if !same {
            (state.v, state.w) = (v, plain_spin::<D>(l, u));
        }
    }
}

/// Takes the integrated velocity over, and adds what the impulses of the last sub-step did: the warm start.
#[inline]
pub(super) fn extrapolate<D: Dim, const S: usize>(
    packed: &mut Packed<S>,
    after: &mut [f32; 6],
    state: &crate::body::BodyState<D>,
    l: &Whitening,
    first: bool,
) {
    let (end_v, end_u) = packed.velocity::<D>();
    let mut v = state.v;
    let mut u = whiten_spin::<D>(l, state.w);
    let fresh = [0, 1, 2].map(|i| if i < D::N { v.get(i) } else { 0.0 });
    let fresh_u = u;
    if !first {
        for i in 0..D::N {
            v.set(i, v.get(i) + (end_v.get(i) - after[i]));
        }
        for i in 0..D::ANGULAR {
            u[i] += end_u[i] - after[3 + i];
        }
    }
    after[..3].copy_from_slice(&fresh);
    after[3..].copy_from_slice(&fresh_u);
    packed.set_velocity::<D>(v, u);
}
