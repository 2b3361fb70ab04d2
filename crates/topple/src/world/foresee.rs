//! Loads foreseen: a heap that is put together at rest, a pyramid or a wall, begins with what its contacts will bear.
//!
//! Sweeps carry a load down one contact at a time, and soft contacts get used to it slowly (settled loads, `solver/soft_step/kernel.rs`). Until then
//! what is above sinks, in a pyramid of base 100 by 0.9 m within half a second, and shears on the way: which contacts of a row are solved first
//! decides where. It is pushed up again within seconds, but not together, and the flanks creep apart from then on. So a heap that was put together gets the
//! impulses and settled loads of its contacts from statics, if it stands (`statics.rs`), and the solver goes on with them.
//!
//! That is done in the second step, since the first has enough to do: it makes all contacts. What has fallen in between, by 2 mm at 60 Hz, is
//! stopped, as the ground would have done.

use super::{World, statics};
use crate::body::{AwakeBodies, NONE};
use crate::island::Island;
use crate::math::*;

/// New contacts of an island in a step below which it is not looked at: what is low hardly sinks.
const LEAST: usize = 32;
/// Points that they may have, above which it is not: statics remembers some 100 bytes for each, beside the rows of the solver.
const MOST: usize = 1 << 17;

impl<D: Dim> World<D> {
    /// Notes islands that got at least as many contacts in this step as they have bodies, none of which moves: they were put together just now. `grown` is the
    /// island of each new contact, ascending. So looking at them costs as much per new contact at most, however heaps grow.
    pub(super) fn note_built(&mut self, grown: &[(u32, bool)]) {
        let settings = &self.settings;
        let is_wanted = settings.statics && settings.max_refinement > 1 && settings.warm_starting;
        if grown.len() < LEAST || !is_wanted || !self.methods.solver.leaves_standing() {
            return;
        }
        for run in grown.chunk_by(|a, b| a.0 == b.0) {
            let (island, count) = (run[0].0, run.len());
            if island == NONE || count < LEAST || count * D::MAX_POINTS > MOST {
                continue;
            }
            let Island { head, count: bodies, .. } = self.islands.slots[island];
            if count >= bodies as usize && self.is_at_rest(island) {
                self.scratch.built.push(head);
            }
        }
    }

    /// True if nothing in an island moves at all.
    fn is_at_rest(&self, island: u32) -> bool {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let motion = &self.bodies.cores[body as usize].motion;
            if motion.linear != D::Vec::ZERO || motion.angular != D::Ang::ZERO {
                return false;
            }
            body = self.bodies.records[body].island_next;
        }
        true
    }

    /// What is pushed or changed by hand after its first step has the motion that it was given: nothing is foreseen for its island.
    pub(super) fn forget_built(&mut self, body: u32) {
        if self.built.is_empty() {
            return;
        }
        let records = &self.bodies.records;
        let is_kept = |&other: &u32| records[other].island != records[body].island;
        self.built = self.built.as_slice().iter().copied().filter(is_kept).collect();
    }

    /// Gives the contacts of what was put together in the last step what they will bear. Not with force generators, which are asked by the solver alone, nor for
    /// integrators with a memory of their own.
    pub(super) fn foresee_loads(&mut self, awake: &mut AwakeBodies<D>) {
        if self.built.is_empty() && self.scratch.built.is_empty() {
            return;
        }
        let built = core::mem::take(&mut self.built);
        self.built = self.scratch.built.drain(..).collect();
        let is_plain = self.generator_count() == 0 && awake.tracks.is_empty();
        if built.is_empty() || !is_plain {
            return;
        }
        // Not kept: it is large, and seldom needed.
        let mut statics = statics::Scratch::default();
        statics.begin(awake);
        for &body in built.as_slice() {
            let island = self.bodies.records[body].island;
            // What is refined is left to statics in every step.
            if island != NONE && self.islands.slots[island].level == 0 {
                statics.foresee(self, awake, island);
            }
        }
    }
}
