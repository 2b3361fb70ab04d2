//! Velocities into the packed form, and the warm start by extrapolation. The way back is in `turning.rs`.
//!
//! A warm start applies the impulses λ of the last sub-step again: V ← V + M⁻¹Jᵀλ. J and M are frozen for the step, so M⁻¹Jᵀλ is what the same
//! impulses did to the body the last time, and nobody has to sum them up row by row:
//!
//! ```text
//! V_start = V_integrated + (V_end − V_integrated) of the last sub-step
//! ```
//!
//! One subtraction and one addition per body instead of a pass over all rows. Only the first sub-step of a step, whose rows are new, has that pass.

use super::pack::{Packed, Whitening, whiten_spin};
use crate::math::*;

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
