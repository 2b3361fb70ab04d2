//! Rolling resistance: a torque against the relative spin, at most the lever arm times the normal load.
//!
//! C = w_b − w_a, K = I_a⁻¹ + I_b⁻¹, |λ| ≤ lever·Σλ_n. Few contacts have it, so it is done lane by lane, after the wide
//! part of the relaxing pass.

use super::pack::{Packed, Whitening, plain_spin, whiten_impulse};
use super::rows::{ColdRow, Row, WIDTH};
use super::stages::Pass;
use crate::body::BodyProps;
use crate::math::*;
use crate::store::Disjoint;

/// Bodies as rolling resistance needs them.
pub(super) struct Rolling<'a, D: Dim> {
    pub props: &'a [BodyProps<D>],
    pub whitenings: &'a [Whitening],
}

impl<D: Dim> Rolling<'_, D> {
    /// Warm start or relax for all rolling lanes of a run of rows.
    ///
    /// # Safety
    /// No other thread works on the dynamic bodies of these rows.
    pub(super) unsafe fn pass<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        rows: &[Row<N, A, P>],
        cold: &mut [ColdRow<P>],
        bodies: Disjoint<'_, Packed<S>>,
        pass: Pass,
    ) {
        if !matches!(pass, Pass::WarmStart | Pass::Relax) {
            return;
        }
        for (row, cold) in rows.iter().zip(cold).filter(|(_, cold)| cold.rolls != 0) {
            let lanes = cold.rolls;
            for lane in (0..WIDTH).filter(|lane| lanes >> lane & 1 == 1) {
                // SAFETY: by the caller.
                unsafe { self.lane(row, cold, lane, bodies, pass) };
            }
        }
    }

    unsafe fn lane<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        row: &Row<N, A, P>,
        cold: &mut ColdRow<P>,
        lane: usize,
        bodies: Disjoint<'_, Packed<S>>,
        pass: Pass,
    ) {
        let slots = [row.a[lane] as usize, row.b[lane] as usize];
        let mut old = D::Ang::ZERO;
        (0..A).for_each(|i| old.set(i, cold.rolling_lambda[i].0[lane]));
        let mut change = old;
        if pass == Pass::Relax {
            let (mut spin, mut inv) = (D::Ang::ZERO, D::Inertia::ZERO);
            for (side, &slot) in slots.iter().enumerate() {
                let Some(props) = self.props.get(slot) else { continue };
                // SAFETY: by the caller; the reference ends at once.
                let (_, u) = unsafe { bodies.get(slot) }.velocity::<D>();
                let w = plain_spin::<D>(&self.whitenings[slot], u);
                spin = if side == 0 { spin - w } else { spin + w };
                if props.is_dynamic {
                    inv = inv.plus(props.inv_inertia);
                }
            }
            let load: Real = row.points[..row.count as usize].iter().map(|p| p.lambda.0[lane]).sum();
            let limit = cold.rolling.0[lane] * load;
            let mut new = old - inv.inverse().apply(spin);
            let length = new.length();
            if length > limit {
                new = new * (limit / length);
            }
            change = new - old;
            (0..A).for_each(|i| cold.rolling_lambda[i].0[lane] = new.get(i));
        }
        for (side, &slot) in slots.iter().enumerate() {
            if !self.props.get(slot).is_some_and(|props| props.is_dynamic) {
                continue;
            }
            let signed = if side == 0 { -change } else { change };
            let turn = whiten_impulse::<D>(&self.whitenings[slot], signed);
            // SAFETY: by the caller.
            let body = unsafe { bodies.get(slot) };
            let (v, u) = body.velocity::<D>();
            body.set_velocity::<D>(v, [u[0] + turn[0], u[1] + turn[1], u[2] + turn[2]]);
        }
    }
}
