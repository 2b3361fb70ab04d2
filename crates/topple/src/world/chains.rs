//! Chains and trees of joints: which of them bear so much that their joints are solved all at once. `refine.rs` asks.

use super::World;
use super::refine::{JOINT_EASE, SWING};
use crate::body::NONE;
use crate::island::Island;
use crate::math::*;

/// Joints of one body that can be solved all at once with the others.
const MOST_JOINTS: usize = 6;

/// A chain or tree of joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// Mass of a body over that of one it is joined to, at most (no unit).
    heaviest: Real,
    /// Springs, motors or limits act in it.
    acts: bool,
    /// All its joints hold, and do nothing else; rods and ropes let their ends turn.
    only_holds: bool,
    /// Something that does not move by itself holds it.
    is_held: bool,
    /// The largest pull of a joint in the last step, in weights of its lighter body (no unit).
    pull: Real,
    count: u32,
    island: u32,
}

impl<D: Dim> World<D> {
    /// What bears how much in a chain or tree of joints that is held at one place at most. None for anything else. Joints of chains can be
    /// solved all at once.
    pub(super) fn chain_of(&self, island: u32) -> Option<Chain> {
        if !self.settings.direct_joints {
            return None;
        }
        let mut chain = Chain {
            heaviest: 0.0,
            acts: false,
            only_holds: true,
            is_held: false,
            pull: 0.0,
            count: 0,
            island,
        };
        let per_weight = 1.0 / (self.settings.weight_scale() * self.impulse_time).max(Real::MIN_POSITIVE);
        // Each joint between two bodies is met twice.
        let (mut halves, mut pull2): (u32, Real) = (0, 0.0);
        let Island { head: mut body, count: size, .. } = self.islands.slots[island];
        while body != NONE {
            // PERF: nets are known for none half-way.
            if halves > 2 * size {
                return None;
            }
            let inv_mass = self.bodies.cores[body as usize].inv_mass;
            if inv_mass == 0.0 {
                // Pinned by locks: not heavy, but held.
                return None;
            }
            let mut count = 0;
            for (joint, side) in self.joints.of_body(self.bodies.records[body].first_joint) {
                let joint = &self.joints.hot[joint as usize];
                let other = self.bodies.cores[joint.bodies[1 - side] as usize].inv_mass;
                halves += if other > 0.0 { 1 } else { 2 };
                chain.is_held |= other == 0.0;
                chain.heaviest = chain.heaviest.max(other / inv_mass);
                if side == 0 || other == 0.0 {
                    // PERF: what is true of the joint is looked at once.
                    let load = inv_mass.max(other) * per_weight;
                    pull2 = pull2.max(joint.push.length_squared() * (load * load));
                    let only_holds = joint.only_holds();
                    chain.acts |= !only_holds && !joint.is_line();
                    chain.only_holds &= only_holds;
                }
                count += 1;
                if count > MOST_JOINTS || !joint.fits_at_once() {
                    return None;
                }
            }
            chain.count += 1;
            body = self.bodies.records[body].island_next;
        }
        chain.pull = pull2.sqrt();
        (halves > 0 && halves <= 2 * chain.count).then_some(chain)
    }

    /// True if some body of a chain is so much heavier than the one it is joined to that its joints are solved at once. Those that do more than
    /// hold are not while something touches: in sweeps contacts take turns with them, and gain nothing. Nor while they fly, as ragdolls
    /// do, unless what is heavy is so by more than sweeps can hold, or they are refined because they were found to pull: what nothing holds bears no weight.
    pub(super) fn is_heavy_chain(&self, chain: &Chain, touches: bool, is_refined: bool) -> bool {
        let limit = self.settings.refine_load;
        let bears = || {
            chain.is_held
                || chain.heaviest > JOINT_EASE * limit
                || is_refined && SWING * self.pull_of(chain, touches) > limit
                || self.whirl_of(chain) > limit
        };
        chain.heaviest > limit && (chain.only_holds || !touches && bears())
    }

    /// What the heavy bodies of a chain that flies pull with because it whirls, in weights of the lighter ones they are joined to (no unit): m·v²/r about the centre of mass of
    /// all. It is there from the first step on; to wait until joints are found to pull tears them.
    fn whirl_of(&self, chain: &Chain) -> Real {
        let is_one = |body: &u32| *body != NONE;
        let members = || {
            let first = Some(self.islands.slots[chain.island].head).filter(is_one);
            core::iter::successors(first, |&body| Some(self.bodies.records[body].island_next).filter(is_one))
        };
        let core_of = |body: u32| &self.bodies.cores[body as usize];
        let place_of = |body: u32| self.bodies.places[body as usize].position;
        let origin = place_of(self.islands.slots[chain.island].head);
        let (mut mass, mut middle, mut drift) = (0.0, D::Vec::ZERO, D::Vec::ZERO);
        for body in members().filter(|&body| core_of(body).inv_mass > 0.0) {
            let own = 1.0 / core_of(body).inv_mass;
            mass += own;
            middle += (place_of(body) - origin) * own;
            drift += core_of(body).motion.linear * own;
        }
        let (middle, drift) = (middle * (1.0 / mass), drift * (1.0 / mass));
        let mut most: Real = 0.0;
        for body in members() {
            let core = core_of(body);
            let mut lightest: Real = 0.0;
            for (joint, side) in self.joints.of_body(self.bodies.records[body].first_joint) {
                let other = self.joints.hot[joint as usize].bodies[1 - side];
                lightest = lightest.max(core_of(other).inv_mass / core.inv_mass.max(Real::MIN_POSITIVE));
            }
            if lightest <= self.settings.refine_load {
                continue;
            }
            let (lever, speed) = (place_of(body) - origin - middle, core.motion.linear - drift);
            let out = lever.normalize_or(D::Vec::ZERO);
            let across = speed - out * speed.dot(out);
            // What is near the middle goes on no circle about it.
            let radius = lever.length().max(core.extent);
            most = most.max(lightest * across.length_squared() / (radius * self.settings.weight_scale()));
        }
        most
    }

    /// What a chain that flies was found to pull with, if some body of it is heavy, in weights of the lighter body (no unit). Something carries it, such as a
    /// force of the user's: that counts if it lasts. Blows are over in a step or two.
    pub(super) fn pull_of(&self, chain: &Chain, touches: bool) -> Real {
        let is_heavy = chain.heaviest > self.settings.refine_load;
        if is_heavy && !touches && !chain.is_held { chain.pull } else { 0.0 }
    }

    /// True if the joints of a chain are solved at once as soon as they pull with many times the weight of a link, without any heavy body.
    pub(super) fn is_long_chain(&self, chain: &Chain, touches: bool) -> bool {
        !touches && (!chain.acts || chain.count as Real > self.settings.direct_load)
    }

    /// True if the joints of an island that is refined are solved all at once: those with a heavy body always, long ones as long as
    /// nothing touches them.
    pub(super) fn is_direct_chain(&self, island: u32) -> bool {
        self.chain_of(island).is_some_and(|chain| {
            let (touches, level) = (self.touches(island), self.islands.slots[island].level);
            if !chain.only_holds && level > 1 {
                // In sweeps until it has been calm for a while: changing back and forth gains energy.
                return false;
            }
            // What begins to touch is held at once for one more step, in which it gets the level that sweeps need.
            let begins = !chain.only_holds && chain.heaviest > JOINT_EASE * self.settings.refine_load;
            self.is_heavy_chain(&chain, touches && !begins, true) || self.is_long_chain(&chain, touches)
        })
    }
}
