//! Refinement gives no energy: what an island has got in a refined step beyond the work of gravity and forces is taken from it again.
//!
//! Contacts and joints give way under a load and are let out again, by velocities that the solver takes back at the end of each sub-step. It takes back what a sweep reaches. Of a body a thousand times as heavy as
//! what bears it a sweep reaches next to nothing: a box on a bridge of light planks keeps the velocity with which they come up, and small steps make the push as much harder as
//! they are finer. Such a bridge was a catapult: 25 m high. Nothing in an island without motors, springs and moving neighbours can give energy, so that
//! its energy is counted before the step and after it, and what is too much is taken.
//!
//! Only velocities are changed, and never made larger. Of an island that nothing else touches the motion of its bodies against each other is slowed, so that its momentum and its
//! angular momentum stay; of others all but the motion across what pushed them.

use super::World;
use super::ledger::{Change, kinetic};
use crate::body::{AwakeBodies, BodyKind, NONE};
use crate::contact::flags;
use crate::math::*;

/// A gain of less than this share of the energy is rounding, or what a soft joint has kept for a moment (no unit).
const LEAST_GAIN: f64 = 1e-3;
/// What is slower than this many steps of gravity, root of the mean square, is no throw, but an overlap that is let out (no unit): it rises by millimetres.
const SLOW: f64 = 2.0;
/// Restitution from which on impacts give energy (no unit).
const MOST_ELASTIC: Real = 1.0001;

/// A refined island before the step.
#[derive(Clone, Copy, Debug)]
struct Count<D: Dim> {
    island: u32,
    /// Kinetic energy [J].
    energy: f64,
    /// [kg·m/s].
    momentum: D::Vec,
    /// Something else touches or holds it.
    is_touched: bool,
}

/// The counts of one step. Lives from step to step to keep its memory.
#[derive(Debug)]
pub(crate) struct Passive<D: Dim> {
    counts: Vec<Count<D>>,
}

impl<D: Dim> Default for Passive<D> {
    fn default() -> Self {
        Self { counts: Vec::new() }
    }
}

impl<D: Dim> World<D> {
    /// Counts the energy of the refined islands that nothing gives energy, before the step.
    pub(super) fn count_refined(&mut self, awake: &AwakeBodies<D>) {
        let mut passive = core::mem::take(&mut self.scratch.passive);
        passive.counts.clear();
        if self.settings.keep_energy && self.islands.refined > 0 && self.has_usual_energy(awake) {
            for props in &awake.props {
                let island = self.bodies.records[props.body].island;
                let is_first = island != NONE && self.islands.slots[island].head == props.body;
                if is_first && self.islands.slots[island].level > 0 {
                    passive.counts.extend(self.count(awake, island));
                }
            }
        }
        self.scratch.passive = passive;
    }

    /// The count of an island; None if something in it may give energy.
    fn count(&self, awake: &AwakeBodies<D>, island: u32) -> Option<Count<D>> {
        let stands = |body: u32| {
            self.bodies.records[body].kind != BodyKind::Dynamic
                && self.bodies.cores[body as usize].motion == crate::Motion::ZERO
        };
        let (mut energy, mut momentum, mut is_touched) = (0.0, D::Vec::ZERO, false);
        let (mut heaviest, mut lightest) = (Real::INFINITY, 0.0_f32);
        for body in self.members(island) {
            let slot = awake.slot(body) as usize;
            let props = &awake.props[slot];
            if props.locks != 0 || props.inv_mass <= 0.0 || props.angular_acceleration != D::Ang::ZERO {
                return None;
            }
            let record = &self.bodies.records[body];
            for (index, side) in self.joints.of_body(record.first_joint) {
                let joint = &self.joints.hot[index as usize];
                let other = joint.bodies[1 - side];
                let is_inside = self.bodies.records[other].island == island;
                if joint.drives() || joint.softness.is_some() || !is_inside && !stands(other) {
                    return None;
                }
                is_touched |= !is_inside;
            }
            for (index, side) in self.contacts.of_body(record.first_contact) {
                let contact = &self.contacts.hot[index as usize];
                if !contact.is_solid() {
                    continue;
                }
                let other = contact.bodies[1 - side];
                let is_inside = self.bodies.records[other].island == island;
                let is_driven = contact.flags & flags::SURFACE != 0 || contact.restitution > MOST_ELASTIC;
                if !is_inside && !stands(other) || is_driven {
                    return None;
                }
                is_touched |= !is_inside;
            }
            let state = &awake.states[slot];
            energy += kinetic(awake, slot, state.v, state.w);
            momentum += state.v * (1.0 / props.inv_mass);
            (heaviest, lightest) = (heaviest.min(props.inv_mass), lightest.max(props.inv_mass));
        }
        // Sweeps reach bodies of like mass.
        (lightest > self.settings.refine_load * heaviest).then_some(Count {
            island,
            energy,
            momentum,
            is_touched,
        })
    }

    /// Takes from refined islands what the step gave them, after it.
    pub(super) fn take_gains(&mut self) {
        if self.scratch.passive.counts.is_empty() {
            return;
        }
        let passive = core::mem::take(&mut self.scratch.passive);
        let mut awake = core::mem::take(&mut self.scratch.awake);
        for count in &passive.counts {
            if self.take_gain(count, &mut awake) {
                self.profile.counters.slowed += 1;
            }
        }
        self.scratch.awake = awake;
        self.scratch.passive = passive;
    }

    /// Takes from an island what the step gave it. True if that was something.
    fn take_gain(&self, count: &Count<D>, awake: &mut AwakeBodies<D>) -> bool {
        let (mut energy, mut work, mut pull) = (0.0, 0.0, D::Vec::ZERO);
        for body in self.members(count.island) {
            let slot = awake.slot(body) as usize;
            let (state, props) = (&awake.states[slot], &awake.props[slot]);
            energy += kinetic(awake, slot, state.v, state.w);
            let weight = props.acceleration * (1.0 / props.inv_mass);
            // What continuous collision has stopped has the velocity of the whole way.
            let mean = (self.bodies.cores[body as usize].motion.linear + state.v) * (0.5 * self.settings.dt);
            work += f64::from(weight.dot(state.dp).max(weight.dot(mean)));
            pull += weight * self.settings.dt;
        }
        if !energy.is_finite() {
            return false;
        }
        let due = count.energy + work;
        let mut gain = energy - due;
        if gain <= LEAST_GAIN * energy {
            return false;
        }
        let whole = self.whole(count.island, awake);
        let fall = 0.5 * f64::from(pull.length_squared()) / whole.mass;
        gain = gain.min(energy - SLOW * SLOW * fall);
        if gain <= 0.0 {
            return false;
        }
        let (mut kept, mut kept_spin, mut part) = (whole.v, whole.spin, whole.inner);
        if count.is_touched {
            let push = whole.v * whole.mass as Real - count.momentum - pull;
            let along = push.normalize_or(D::Vec::ZERO);
            let speed = whole.v.dot(along);
            (kept, kept_spin) = (whole.v - along * speed, D::Ang::ZERO);
            part += whole.spinning + 0.5 * whole.mass * f64::from(speed * speed);
        }
        let factor = if part > 0.0 { (1.0 - gain / part).max(0.0).sqrt() as Real } else { 1.0 };
        let change = Change { kept, kept_spin, factor, turn: D::Ang::ZERO, bounce: D::Vec::ZERO };
        self.change(count.island, awake, &whole, change);
        true
    }
}
