//! Bodies that spin fast and may bounce: they precess before the impacts.
//!
//! Impacts leave no two surfaces approaching at the start of a step, and a body that keeps its spin keeps that so. But the spin of a
//! long or flat body changes by itself within the step, its corners come back, and the sub-steps stop them without a bounce, with an
//! inertia of another orientation: a gas of plates or rods gained many times its energy, or lost it. So what such a body does to its own
//! spin within the step is done before its impacts, in its own frame, where that costs no energy; then the spin stays.
//!
//! Not for what bears a load: a top that spins on a table precesses under it, sub-step by sub-step.

use super::pack::{Packed, Whitening, plain_spin, whiten_spin};
use super::rows::{ColdRow, NO_CONTACT, Row, WIDTH};
use super::turning::{Turn, Turners};
use crate::body::AwakeBodies;
use crate::math::*;
use crate::trusted::Ends;

/// The bodies whose gyroscopic torque is not that of the integrator in this step.
#[derive(Debug, Default)]
pub(super) struct Spinners {
    slots: Vec<u32>,
    /// Those of them that bear something.
    loaded: Vec<u32>,
}

impl Spinners {
    /// Lets those precess by a step of `substeps` times `h` [s] that may bounce and bear nothing, in any of their contacts. True if
    /// there are any.
    pub(super) fn precess<D: Dim, const N: usize, const A: usize, const P: usize, const S: usize>(
        &mut self,
        (rows, cold, ends): (&[Row<N, A, P>], &[ColdRow], &[Ends]),
        bodies: &mut AwakeBodies<D>,
        (packed, whitenings, turning): (&mut [Packed<S>], &[Whitening], &[Turn]),
        (h, substeps): (Real, u32),
    ) -> bool {
        let lanes = || {
            let rows = rows.iter().zip(cold).zip(ends).map(|((row, cold), ends)| (row, cold, ends));
            rows.flat_map(|(row, cold, ends)| (0..WIDTH).map(move |lane| (row, cold, ends, lane)))
                .filter(|(_, cold, _, lane)| cold.contacts[*lane] != NO_CONTACT)
        };
        for (_, _, ends, lane) in
            lanes().filter(|(row, cold, _, lane)| row.bounces && cold.restitution.0[*lane] > 0.0)
        {
            for slot in ends.slots.map(|slots| slots[lane]) {
                let Some(props) = bodies.props.get(slot as usize) else { continue };
                if turning[slot as usize] != Turn::Little && props.locks >> 3 == 0 {
                    self.slots.push(slot);
                }
            }
        }
        if self.slots.is_empty() {
            return false;
        }
        self.slots.sort_unstable();
        self.slots.dedup();
        self.loaded.clear();
        for (row, _, ends, lane) in lanes() {
            if row.points[..row.count as usize].iter().any(|point| point.lambda.0[lane] > 0.0) {
                let ends = ends.slots.map(|slots| slots[lane]).into_iter();
                self.loaded.extend(ends.filter(|slot| self.slots.binary_search(slot).is_ok()));
            }
        }
        self.loaded.sort_unstable();
        self.slots.retain(|slot| self.loaded.binary_search(slot).is_err());
        for slot in self.slots.iter().map(|&slot| slot as usize) {
            let props = &mut bodies.props[slot];
            let (v, u) = packed[slot].velocity::<D>();
            let mut w = plain_spin::<D>(&whitenings[slot], u);
            for _ in 0..substeps {
                w = props.inertia.gyroscopic(bodies.rotations[slot], w, h);
            }
            packed[slot].set_velocity::<D>(v, whiten_spin::<D>(&whitenings[slot], w));
            props.is_gyroscopic = false;
        }
        !self.slots.is_empty()
    }

    /// Lets those that turn far, and have not precessed, tumble: their gyroscopic torque is no longer that of the integrator.
    pub(super) fn tumble<D: Dim>(&mut self, bodies: &mut AwakeBodies<D>, turners: &mut Turners) {
        let (slots, flags) = turners.split();
        for &slot in slots {
            let (props, turn) = (&mut bodies.props[slot as usize], &mut flags[slot as usize]);
            if *turn == Turn::Follows && props.is_gyroscopic && props.locks >> 3 == 0 {
                (*turn, props.is_gyroscopic) = (Turn::Tumbles, false);
                self.slots.push(slot);
            }
        }
    }

    /// The step is over: they may precess again.
    pub(super) fn end<D: Dim>(&mut self, bodies: &mut AwakeBodies<D>) {
        for slot in self.slots.drain(..) {
            bodies.props[slot as usize].is_gyroscopic = true;
        }
    }
}
