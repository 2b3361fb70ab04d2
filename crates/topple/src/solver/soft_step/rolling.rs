//! What few contacts have, done lane by lane after the wide part: rolling resistance, and friction with a grain.
//!
//! Rolling resistance is a torque against the relative spin, at most the lever arm times the normal load.
//!
//! C = w_b − w_a, K = I_a⁻¹ + I_b⁻¹, |λ| ≤ lever·Σλ_n. Friction with a grain is one pair of rows at the middle of the points; its limit
//! is an ellipse, see `solver/grain.rs`. The impulses of both live in the contact.

use super::dispatch::Pass;
use super::pack::{Packed, Whitening, plain_spin, whiten_impulse};
use super::rows::{ColdRow, Row, WIDTH};
use crate::body::BodyProps;
use crate::contact::{Contact, Grain};
use crate::math::*;
use crate::solver::grain::{GrainRows, middle};
use crate::store::Disjoint;

/// Bodies as rolling resistance needs them.
pub(super) struct Rolling<'a, D: Dim> {
    pub props: &'a [BodyProps<D>],
    pub whitenings: &'a [Whitening],
    pub contacts: Disjoint<'a, Contact<D>>,
    pub places: &'a [Pose<D>],
    pub grains: &'a [Grain<D>],
}

impl<D: Dim> Rolling<'_, D> {
    /// Warm start or solve for all rolling lanes of a run of rows.
    ///
    /// # Safety
    /// No other thread works on the dynamic bodies and the contacts of these rows.
    pub(super) unsafe fn pass<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        rows: &[Row<N, A, P>],
        cold: &[ColdRow],
        bodies: Disjoint<'_, Packed<S>>,
        pass: Pass,
    ) {
        if !matches!(pass, Pass::WarmStart | Pass::Solve) {
            return;
        }
        for (row, cold) in rows.iter().zip(cold).filter(|(row, _)| row.rolls | row.grains != 0) {
            for lane in 0..WIDTH {
                // SAFETY: by the caller.
                unsafe {
                    if row.rolls >> lane & 1 == 1 {
                        self.lane(row, cold.contacts[lane], lane, bodies, pass);
                    }
                    if row.grains >> lane & 1 == 1 {
                        self.grain(row, cold.contacts[lane], lane, bodies, pass);
                    }
                }
            }
        }
    }

    /// Friction of one contact with a grain.
    #[cold]
    #[inline(never)]
    unsafe fn grain<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        row: &Row<N, A, P>,
        index: u32,
        lane: usize,
        bodies: Disjoint<'_, Packed<S>>,
        pass: Pass,
    ) {
        // SAFETY: by the caller; a contact is in one row.
        let contact = unsafe { self.contacts.get(index as usize) };
        let places = contact.bodies.map(|body| &self.places[body as usize]);
        let slots = [row.a[lane] as usize, row.b[lane] as usize];
        let arms = middle(contact, places);
        let mut change = contact.manifold.friction_impulse;
        if pass == Pass::Solve {
            let mut motions = [(D::Vec::ZERO, D::Ang::ZERO); 2];
            let mut props = [BodyProps::default(); 2];
            for side in 0..2 {
                let Some(constants) = self.props.get(slots[side]) else { continue };
                props[side] = *constants;
                // SAFETY: by the caller; the reference ends at once.
                let (v, u) = unsafe { bodies.get(slots[side]) }.velocity::<D>();
                motions[side] = (v, plain_spin::<D>(&self.whitenings[slots[side]], u));
            }
            let load: Real = row.points[..row.count as usize].iter().map(|p| p.lambda.0[lane]).sum();
            let grain = &self.grains[index as usize];
            let rows = GrainRows::new(contact, grain, contact.normal(places[0].rotation), arms, &props);
            let old = contact.manifold.friction_impulse;
            contact.manifold.friction_impulse = rows.solve(contact, old, motions, load);
            change = contact.manifold.friction_impulse - old;
        }
        for (side, &slot) in slots.iter().enumerate() {
            if !self.props.get(slot).is_some_and(|props| props.is_dynamic) {
                continue;
            }
            let signed = if side == 0 { -change } else { change };
            let turn = whiten_impulse::<D>(&self.whitenings[slot], D::cross(arms[side], signed));
            // SAFETY: by the caller.
            let body = unsafe { bodies.get(slot) };
            let (v, u) = body.velocity::<D>();
            let v = v + self.props[slot].linear_response(signed);
            body.set_velocity::<D>(v, [u[0] + turn[0], u[1] + turn[1], u[2] + turn[2]]);
        }
    }

    unsafe fn lane<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        row: &Row<N, A, P>,
        index: u32,
        lane: usize,
        bodies: Disjoint<'_, Packed<S>>,
        pass: Pass,
    ) {
        // SAFETY: by the caller; a contact is in one row.
        let contact = unsafe { self.contacts.get(index as usize) };
        let slots = [row.a[lane] as usize, row.b[lane] as usize];
        let old = contact.manifold.rolling_impulse;
        let mut change = old;
        if pass == Pass::Solve {
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
            let limit = contact.rolling * load;
            let mut new = old - inv.inverse().apply(spin);
            let length = new.length();
            if length > limit {
                new = new * (limit / length);
            }
            change = new - old;
            contact.manifold.rolling_impulse = new;
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
