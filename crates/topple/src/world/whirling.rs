//! Elastic bodies on joints that whirl take small steps.
//!
//! Energy is kept where it moves to and fro between the flight, the whirl and the bends of a tree of joints, thousands of times, and every one of these may take some. Joints foresee arcs of some hundredths of a radian
//! per sub-step (`joint/sight.rs`), are soft, and so give way to what a whirl pulls with; and what turns by a radian per step may strike with one end, then with the other, and with the first one again
//! before the step is over. Two balls of 0.3 m on a joint at 10 m/s turn by that much. In small steps (`small_steps.rs`) all of it is resolved: arcs, joints as many times stiffer, and
//! impacts before each small step. Contacts that part, or overlap by more than they bear, are left alone there: what bounces leaves by itself, and pushing it out would be energy from nothing.
//!
//! Nobody else pays: what does not bounce, what hangs on no joint and what turns slowly is as it was.

use super::World;
use crate::body::{BodySet, NONE};
use crate::joint::JointKind;
use crate::math::*;

/// Turn per sub-step that is resolved [rad].
const RESOLVED: Real = 0.01;

/// Speed of the surface of a body that was struck at its end, by its own turn, over the speed of the blow (no unit): 1.5 for a thin rod by itself.
const STRUCK: Real = 1.5;

/// Bodies of an island that takes small steps because it whirls, at most. More of them are a heap, in which whirls end soon.
const MOST_WHIRLING: u32 = 24;

/// True if what turns so fast, or would if it were struck, is not resolved by sub-steps of length `h` [s]. `extent`: see [`struck_spin`] [m].
pub(super) fn may_whirl<D: Dim>(v: D::Vec, w: D::Ang, extent: Real, h: Real) -> bool {
    w.length() + struck_spin(v.length(), extent) > RESOLVED / h
}

/// How fast a blow at a speed [m/s] may turn a body whose farthest point is `extent` [m] from its centre of mass [rad/s].
fn struck_spin(speed: Real, extent: Real) -> Real {
    if speed > 0.0 { STRUCK * speed / extent.max(Real::MIN_POSITIVE) } else { 0.0 }
}

impl<D: Dim> World<D> {
    /// Gives islands that whirl the level they need, before the step in which they do.
    pub(super) fn refine_whirling(&mut self) {
        // Other solvers take their impulses for those of whole steps.
        if self.settings.max_refinement == 1 || !self.methods.solver.leaves_standing() {
            return;
        }
        let h = self.settings.dt / self.settings.substeps as Real;
        for i in 0..self.bodies.set(BodySet::Awake).len() {
            let body = self.bodies.set(BodySet::Awake).as_slice()[i];
            let (island, core) = (self.bodies.records[body].island, &self.bodies.cores[body as usize]);
            let motion = core.motion;
            if island == NONE || !may_whirl::<D>(motion.linear, motion.angular, core.extent, h) {
                continue;
            }
            let level = self.whirl_level(island);
            if level > self.islands.slots[island].level {
                self.stiffen_at_once(island, level);
                self.islands.set_level(island, level, 0);
            }
        }
    }

    /// The level at which the whirl of an island is resolved; 0 if it needs none, or its joints are more than trees: those may contradict each other.
    pub(super) fn whirl_level(&self, island: u32) -> u8 {
        if !self.bounces_about(island) {
            return 0;
        }
        let (mut turn2, mut halves): (Real, u32) = (0.0, 0);
        let h = self.settings.dt / self.settings.substeps as Real;
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let first = self.bodies.records[body].first_joint;
            let motion = self.bodies.cores[body as usize].motion;
            if first != NONE {
                turn2 = turn2.max(motion.angular.dot(motion.angular));
            }
            for (joint, side) in self.joints.of_body(first) {
                let joint = &self.joints.hot[joint as usize];
                let other = &self.bodies.cores[joint.bodies[1 - side] as usize];
                halves += if other.inv_mass > 0.0 { 1 } else { 2 };
                if let JointKind::Distance(_) = joint.kind {
                    // A rod turns, whatever the bodies at its ends do.
                    let line = super::small_steps::between_anchors(joint, &self.bodies.places);
                    let (speed, length2) =
                        (motion.linear - other.motion.linear, line.length_squared().max(Real::MIN_POSITIVE));
                    let along = line.dot(speed);
                    turn2 = turn2.max((speed.length_squared() - along * along / length2) / length2);
                }
            }
            // A blow turns it within the step in which it comes.
            for (contact, _) in self.contacts.of_body(self.bodies.records[body].first_contact) {
                let hot = &self.contacts.hot[contact as usize];
                if hot.is_solid() && hot.restitution > 0.0 {
                    let extents = hot.bodies.map(|body| self.bodies.cores[body as usize]).map(|core| {
                        match core.inv_mass > 0.0 {
                            true => core.extent,
                            false => Real::INFINITY,
                        }
                    });
                    let spin = struck_spin(self.approach_speed(contact), extents[0].min(extents[1]));
                    turn2 = turn2.max(spin * spin);
                }
            }
            body = self.bodies.records[body].island_next;
        }
        if halves > 2 * self.islands.slots[island].count {
            return 0;
        }
        let turn = turn2.sqrt() * h;
        let mut steps = 1_u32;
        while turn > RESOLVED * steps as Real && 2 * steps <= self.settings.max_refinement {
            steps *= 2;
        }
        if steps == 1 { 0 } else { steps.ilog2() as u8 + 1 }
    }

    /// True if an island is a small one in which an elastic body hangs on a joint.
    pub(super) fn bounces_about(&self, island: u32) -> bool {
        if self.islands.slots[island].count > MOST_WHIRLING {
            return false;
        }
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            if self.is_sprung(body) {
                return true;
            }
            body = self.bodies.records[body].island_next;
        }
        false
    }

    /// True if a body is elastic and hangs on a joint.
    pub(super) fn is_sprung(&self, body: u32) -> bool {
        self.bodies.cores[body as usize].is_elastic && self.bodies.records[body].first_joint != NONE
    }
}
