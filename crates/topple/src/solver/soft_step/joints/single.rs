//! One joint of any kind, one after the other within a piece of a colour: for kinds that are rare, and for bodies whose
//! answer the wide rows do not know.

use super::crowding::Crowding;
use super::{JointPass, JointScene};
use crate::body::NO_SLOT;
use crate::joint::{Answer, Joint, KEPT_MEMORY, Pair, PassLaw, Sight};
use crate::math::*;
use crate::solver::soft_step::pack::{Packed, plain_spin, whiten_impulse};
use crate::solver::soft_step::turning::Turning;
use crate::trusted::{Crowd, Ends};

/// A joint with all that the passes read and write, in the order of the colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleRow<D: Dim> {
    /// Index of the joint.
    pub(super) index: u32,
    /// Slots of the bodies; the slot after the last one is the ground.
    pub(super) slots: [u32; 2],
    is_dynamic: [bool; 2],
    /// Orientations at the start of the step, for bodies without slot.
    pub(super) rotations: [D::Rot; 2],
    /// Centre of b at the start of the step.
    pub(super) center_b: D::Point,
    /// From the centre of a to that of b at the start of the step.
    pub(super) between: D::Vec,
    pub(super) answer: [Answer<D>; 2],
    pub(super) joint: Joint<D>,
    /// s·r and s of hard rows.
    pub(super) rate: Real,
    pub(super) scale: Real,
    pub(super) push_speed: Real,
    max_speed: Real,
    /// How strong the other springs at its bodies are: see `crowding.rs`.
    beside: Real,
    /// What the joint did in this sub-step: impulse on b, angular impulses taken from a and given to b.
    pub(super) pushed: D::Vec,
    pub(super) turned: [D::Ang; 2],
    /// Impulse on b at its anchor, and angular impulse about it: the sums over the sub-steps [N·s, N·m·s].
    sum: (D::Vec, D::Ang),
    /// From the centres of mass to the anchors.
    pub(super) levers: [D::Vec; 2],
}

impl<D: Dim> SingleRow<D> {
    /// A place for the joint with the given index.
    pub(super) fn blank(index: u32, joint: &Joint<D>) -> Self {
        Self {
            index,
            slots: [0; 2],
            is_dynamic: [false; 2],
            rotations: [D::Rot::IDENTITY; 2],
            center_b: D::Point::ORIGIN,
            between: D::Vec::ZERO,
            answer: [Answer::default(); 2],
            joint: *joint,
            rate: 0.0,
            scale: 1.0,
            push_speed: 0.0,
            max_speed: 0.0,
            beside: 0.0,
            pushed: D::Vec::ZERO,
            turned: [D::Ang::ZERO; 2],
            sum: (D::Vec::ZERO, D::Ang::ZERO),
            levers: [D::Vec::ZERO; 2],
        }
    }

    /// Slots of the bodies that answer to impulses, NO_SLOT for others.
    pub(super) fn dynamic_ends(&self) -> [u32; 2] {
        [0, 1].map(|side| if self.is_dynamic[side] { self.slots[side] } else { NO_SLOT })
    }

    /// Fills the row at the start of the step.
    pub(super) fn prepare(&mut self, scene: &JointScene<'_, D>, crowding: &Crowding) {
        let bodies = self.joint.bodies;
        let places = bodies.map(|body| scene.places[body as usize]);
        for side in 0..2 {
            let slot = scene.slot(bodies[side]);
            self.rotations[side] = places[side].rotation;
            if slot == NO_SLOT {
                self.slots[side] = scene.props.len() as u32;
                continue;
            }
            let props = &scene.props[slot as usize];
            self.slots[side] = slot;
            self.is_dynamic[side] = props.is_dynamic;
            self.answer[side] = Answer::of(props);
        }
        self.center_b = places[1].position;
        self.between = places[1].position - places[0].position;
        (self.rate, self.scale) = self.joint.hard_law(scene.settings, scene.h, scene.refinement);
        (self.push_speed, self.max_speed) = (scene.settings.joint_push_speed, scene.settings.max_speed);
        self.beside = crowding.beside(&self.joint, scene);
        self.joint.clear_unused_impulses();
        self.joint.impulses = self.joint.impulses.map(|x| x * scene.warm);
    }

    /// The bodies, in lane 0.
    pub(super) fn ends(&self, ground: u32) -> Ends {
        let mut ends = Ends::on(ground);
        for side in 0..2 {
            ends.slots[side][0] = self.slots[side];
            ends.writes[side] = u8::from(self.is_dynamic[side]);
        }
        ends
    }

    /// Hands the impulses back. `share`: one over the number of sub-steps.
    pub(super) fn store(&self, joint: &mut Joint<D>, share: Real) {
        joint.impulses = self.joint.impulses;
        (joint.push, joint.turn) = (self.sum.0 * share, self.sum.1 * share);
    }

    /// Adds what was done in a sub-step, now that it is over; `lever`: from the centre of b to its anchor.
    pub(super) fn sum_up(&mut self, lever: D::Vec) {
        self.sum.0 += self.pushed;
        self.sum.1 += self.turned[1] - D::cross(lever, self.pushed);
    }
}

/// What a pass works on.
pub(crate) struct SingleRun<'a, D: Dim, const S: usize> {
    pub rows: &'a mut [SingleRow<D>],
    /// The bodies of lane 0 of each row.
    pub crowd: Crowd<'a, Packed<S>>,
    pub rotations: &'a [D::Rot],
    pub turning: &'a Turning<'a, D>,
    pub h: Real,
}

impl<D: Dim, const S: usize> SingleRun<'_, D, S> {
    /// One pass over a run of joints.
    pub(crate) fn run(mut self, pass: JointPass) {
        let count = self.turning.len();
        for (i, row) in self.rows.iter_mut().enumerate() {
            let slots = row.slots.map(|slot| slot as usize);
            let packed = [0, 1].map(|side| *self.crowd.get(i, side, 0));
            let mut rotations = row.rotations;
            let mut spins = [[0.0; 3]; 2];
            let (mut v, mut w, mut moved) = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2], [D::Vec::ZERO; 2]);
            let mut whitenings = [[0.0; 6]; 2];
            for side in (0..2).filter(|&side| slots[side] < count) {
                rotations[side] = self.rotations[slots[side]];
                (v[side], spins[side]) = packed[side].velocity::<D>();
                whitenings[side] = self.turning.whitening(slots[side]);
                if self.turning.has(slots[side]) {
                    row.answer[side].inv_inertia = self.turning.inv_inertia(slots[side], rotations[side]);
                }
                w[side] = plain_spin::<D>(&whitenings[side], spins[side]);
                moved[side] = packed[side].displacement::<D>();
            }
            let mut pair = Pair::new(v, w, row.answer);
            row.pass(&mut pair, pass, rotations, moved, self.h);
            for side in 0..2 {
                let Some(body) = self.crowd.get_mut(i, side, 0) else { continue };
                let change = whiten_impulse::<D>(&whitenings[side], pair.turned[side]);
                let sign = if side == 0 { -1.0 } else { 1.0 };
                let u = core::array::from_fn(|i| spins[side][i] + sign * change[i]);
                body.set_velocity::<D>(pair.v[side], u);
            }
        }
    }
}

impl<D: Dim> SingleRow<D> {
    #[inline]
    fn pass(
        &mut self,
        pair: &mut Pair<D>,
        pass: JointPass,
        rotations: [D::Rot; 2],
        moved: [D::Vec; 2],
        h: Real,
    ) {
        let sight = self.begin(pair, pass, rotations, moved, h);
        if pass != JointPass::WarmStart {
            self.joint.solve(&sight, pair, &self.law(h, pass == JointPass::Solve));
        }
        self.note(pair);
        if pass == JointPass::Relax {
            self.sum_up(sight.r[1]);
        }
    }

    /// Looks at the joint as it stands, and starts from its impulses.
    #[inline]
    pub(super) fn begin(
        &mut self,
        pair: &mut Pair<D>,
        pass: JointPass,
        rotations: [D::Rot; 2],
        moved: [D::Vec; 2],
        h: Real,
    ) -> Sight<D> {
        let (center_b, between) = (self.center_b + moved[1], self.between + (moved[1] - moved[0]));
        let sight = self.joint.sight(rotations, center_b, between, pair.v, pair.w, h);
        if pass != JointPass::Relax {
            // What the impulses do with today's lever arms, minus what is in the velocities already.
            let keep = sight.memory();
            if keep < KEPT_MEMORY {
                self.joint.impulses = self.joint.impulses.map(|x| x * keep);
            }
            let (push, turn) = self.joint.effect(&sight, &pair.answer);
            pair.apply(push - self.pushed, [0, 1].map(|side| turn[side] - self.turned[side]));
        }
        sight
    }

    /// Numbers of a pass.
    #[inline]
    pub(super) fn law(&self, h: Real, is_biased: bool) -> PassLaw {
        let (rate, scale, push_speed, max_speed, beside) =
            (self.rate, self.scale, self.push_speed, self.max_speed, self.beside);
        PassLaw { h, rate, scale, push_speed, max_speed, beside, is_biased }
    }

    /// Notes what was done to the bodies.
    #[inline]
    pub(super) fn note(&mut self, pair: &Pair<D>) {
        self.pushed += pair.pushed;
        (0..2).for_each(|side| self.turned[side] += pair.turned[side]);
    }
}
