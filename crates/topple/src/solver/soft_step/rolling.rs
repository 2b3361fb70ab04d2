//! What few contacts have, done lane by lane after the wide part: rolling resistance, and friction with a grain.
//!
//! Rolling resistance is a torque against the relative spin, at most the lever arm times the normal load.
//!
//! C = w_b − w_a, K = I_a⁻¹ + I_b⁻¹, |λ| ≤ lever·Σλ_n. Friction with a grain is one pair of rows at the middle of the points; its limit
//! is an ellipse, see `solver/grain.rs`. The impulses of both live in the contact.

use super::dispatch::Pass;
use super::pack::{Packed, plain_spin, whiten_impulse};
use super::rows::{ColdRow, Row, WIDTH};
use super::turning::Turning;
use crate::body::BodyProps;
use crate::contact::{Contact, Grain};
use crate::math::*;
use crate::solver::grain::{GrainRows, middle};
use crate::trusted::{Crowd, Mine};

/// Bodies as rolling resistance needs them.
pub(super) struct Rolling<'a, D: Dim> {
    pub props: &'a [BodyProps<D>],
    pub turning: &'a Turning<'a, D>,
    pub places: &'a [Pose<D>],
    pub grains: &'a [Grain<D>],
}

impl<D: Dim> Rolling<'_, D> {
    /// Takes the impulses of the last step over, `warm` times as large, for all lanes of the rows that have any.
    pub(super) fn prepare<const N: usize, const A: usize, const P: usize>(
        rows: &[Row<N, A, P>],
        cold: &[ColdRow],
        contacts: &mut [Contact<D>],
        warm: Real,
    ) {
        for (row, cold) in rows.iter().zip(cold).filter(|(row, _)| row.rolls | row.grains != 0) {
            for lane in 0..WIDTH {
                let (rolls, has_grain) = (row.rolls >> lane & 1 == 1, row.grains >> lane & 1 == 1);
                let Some(contact) = contacts.get_mut(cold.contacts[lane] as usize) else { continue };
                if has_grain {
                    contact.manifold.friction_impulse = contact.manifold.friction_impulse * warm;
                }
                if rolls {
                    contact.manifold.rolling_impulse = contact.manifold.rolling_impulse * warm;
                }
            }
        }
    }

    /// Warm start or solve for all such lanes of a run of rows: rows `first..` of the crowd.
    pub(super) fn pass<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        (rows, cold, first): (&[Row<N, A, P>], &[ColdRow], usize),
        crowd: &mut Crowd<'_, Packed<S>>,
        contacts: &mut Mine<'_, Contact<D>>,
        pass: Pass,
    ) {
        if !matches!(pass, Pass::WarmStart | Pass::Solve) {
            return;
        }
        for (i, (row, cold)) in
            rows.iter().zip(cold).enumerate().filter(|(_, (row, _))| row.rolls | row.grains != 0)
        {
            for lane in 0..WIDTH {
                let at = (first + i, lane);
                if row.rolls >> lane & 1 == 1 {
                    self.lane(row, at, contacts.get(cold.contacts[lane] as usize), crowd, pass);
                }
                if row.grains >> lane & 1 == 1 {
                    let index = cold.contacts[lane] as usize;
                    self.grain(row, at, contacts.get(index), &self.grains[index], crowd, pass);
                }
            }
        }
    }

    /// Friction of one contact with a grain.
    #[cold]
    #[inline(never)]
    fn grain<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        row: &Row<N, A, P>,
        (at, lane): (usize, usize),
        contact: &mut Contact<D>,
        grain: &Grain<D>,
        crowd: &mut Crowd<'_, Packed<S>>,
        pass: Pass,
    ) {
        let places = contact.bodies.map(|body| &self.places[body as usize]);
        let slots = crowd.ends()[at].slots.map(|slots| slots[lane] as usize);
        let arms = middle(contact, places);
        let mut change = contact.manifold.friction_impulse;
        if pass == Pass::Solve {
            let mut motions = [(D::Vec::ZERO, D::Ang::ZERO); 2];
            let mut props = [BodyProps::default(); 2];
            for side in 0..2 {
                let Some(constants) = self.props.get(slots[side]) else { continue };
                let packed = crowd.get(at, side, lane);
                let inv_inertia = self.turning.inv_inertia_of(slots[side], packed);
                props[side] = BodyProps { inv_inertia, ..*constants };
                let (v, u) = packed.velocity::<D>();
                motions[side] = (v, plain_spin::<D>(&self.turning.whitening(slots[side]), u));
            }
            let load: Real = row.points[..row.count as usize].iter().map(|p| p.lambda.0[lane]).sum();
            let rows = GrainRows::new(contact, grain, contact.normal(places[0].rotation), arms, &props);
            let old = contact.manifold.friction_impulse;
            contact.manifold.friction_impulse = rows.solve(contact, old, motions, load);
            change = contact.manifold.friction_impulse - old;
        }
        for (side, &slot) in slots.iter().enumerate() {
            let Some(body) = crowd.get_mut(at, side, lane) else { continue };
            let signed = if side == 0 { -change } else { change };
            let l = self.turning.whitening(slot);
            let turn = whiten_impulse::<D>(&l, D::cross(arms[side], signed));
            let (v, u) = body.velocity::<D>();
            let v = v + self.props[slot].linear_response(signed);
            body.set_velocity::<D>(v, [u[0] + turn[0], u[1] + turn[1], u[2] + turn[2]]);
        }
    }

    fn lane<const N: usize, const A: usize, const P: usize, const S: usize>(
        &self,
        row: &Row<N, A, P>,
        (at, lane): (usize, usize),
        contact: &mut Contact<D>,
        crowd: &mut Crowd<'_, Packed<S>>,
        pass: Pass,
    ) {
        let slots = crowd.ends()[at].slots.map(|slots| slots[lane] as usize);
        let old = contact.manifold.rolling_impulse;
        let mut change = old;
        if pass == Pass::Solve {
            let (mut spin, mut inv) = (D::Ang::ZERO, D::Inertia::ZERO);
            for (side, &slot) in slots.iter().enumerate() {
                let Some(props) = self.props.get(slot) else { continue };
                let packed = crowd.get(at, side, lane);
                let (_, u) = packed.velocity::<D>();
                let w = plain_spin::<D>(&self.turning.whitening(slot), u);
                spin = if side == 0 { spin - w } else { spin + w };
                if props.is_dynamic {
                    inv = inv.plus(self.turning.inv_inertia_of(slot, packed));
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
            let Some(body) = crowd.get_mut(at, side, lane) else { continue };
            let signed = if side == 0 { -change } else { change };
            let l = self.turning.whitening(slot);
            let turn = whiten_impulse::<D>(&l, signed);
            let (v, u) = body.velocity::<D>();
            body.set_velocity::<D>(v, [u[0] + turn[0], u[1] + turn[1], u[2] + turn[2]]);
        }
    }
}
