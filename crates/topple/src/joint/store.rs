//! All joints: records at stable indices, hot parts beside them.

use super::visitors::{HardBlock, Held, Solve, SolveActing, Sum, Used};
use super::{Answer, JointKind, JointSoftness, Pair, PassLaw, RowSink, Sight};
use crate::body::{Bodies, NONE};
use crate::contact::NO_COLOR;
use crate::math::*;
use crate::store::{IndexList, Slots};

/// Most impulses that a joint has.
pub const MAX_ROWS: usize = 9;

/// Highest frequency of hard rows as a share of the sub-step rate (no unit): above it one sweep per pass does not converge.
const STIFFEST: Real = 0.25;

/// Steps of `Joint::stiffness` per octave.
pub(crate) const OCTAVE: u16 = 4096;

/// The hot part of a joint: what solvers read and write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint<D: Dim> {
    /// Stable indices of the bodies.
    pub bodies: [u32; 2],
    /// Frames of the joint relative to the centres of mass, in the bodies' axes.
    pub frames: [Pose<D>; 2],
    /// What is free and what acts.
    pub kind: JointKind<D>,
    /// Own stiffness; None: the world's.
    pub softness: Option<JointSoftness>,
    /// Accumulated impulses of the rows [N·s or N·m·s].
    pub impulses: [Real; MAX_ROWS],
    /// Impulse on b at its anchor in a sub-step, the mean over those of the last step [N·s]. Written by the solver.
    pub push: D::Vec,
    /// Angular impulse on b about its anchor in a sub-step, the mean over those of the last step [N·m·s]. Written by the solver.
    pub turn: D::Ang,
    /// How stiff the joint is in a refined group, in parts of an octave above the usual frequency: see `world/small_steps.rs`.
    pub(crate) stiffness: u16,
}

impl<D: Dim> Joint<D> {
    /// The joint as it stands: `rotations` of the bodies, `between` the vector from the centre of a to that of b,
    /// velocities and the sub-step h.
    #[inline]
    pub fn sight(
        &self,
        rotations: [D::Rot; 2],
        center_b: D::Point,
        between: D::Vec,
        v: [D::Vec; 2],
        w: [D::Ang; 2],
        h: Real,
    ) -> Sight<D> {
        let frames = [0, 1].map(|side| rotations[side].then_after(self.frames[side].rotation));
        Sight { frames, ..self.point_sight(rotations, center_b, between, v, w, h) }
    }

    /// The same without the frames, for joints that hold points only.
    #[inline(always)]
    pub(crate) fn point_sight(
        &self,
        rotations: [D::Rot; 2],
        center_b: D::Point,
        between: D::Vec,
        v: [D::Vec; 2],
        w: [D::Ang; 2],
        h: Real,
    ) -> Sight<D> {
        // PERF: no closures. See `dispatch.rs` for what they cost in wide code.
        let r_a = rotations[0].rotate(self.frames[0].position.to_vec());
        let r_b = rotations[1].rotate(self.frames[1].position.to_vec());
        let r = [r_a, r_b];
        let d_dot = v[1] + D::cross_ang(w[1], r_b) - (v[0] + D::cross_ang(w[0], r_a));
        let turn = h * w[0].length().max(w[1].length());
        let half = 0.5 * h * super::sight::trust(turn);
        Sight { frames: rotations, r, d: between + r[1] - r[0], center_b, between, d_dot, w, h, half }
    }

    /// True for a ball without limits: nothing looks at its frames.
    pub(crate) fn is_plain_ball(&self) -> bool {
        matches!(&self.kind, JointKind::Ball(ball) if ball.cone.is_none() && ball.twist.is_none())
    }

    /// True for a joint without springs, motors and limits.
    pub(crate) fn only_holds(&self) -> bool {
        match &self.kind {
            JointKind::Ball(_) => self.is_plain_ball(),
            JointKind::Fixed => true,
            JointKind::Hinge(hinge) => {
                hinge.spring.is_none() && hinge.motor.is_none() && hinge.limits.is_none()
            }
            JointKind::Slider(slider) => {
                slider.spring.is_none() && slider.motor.is_none() && slider.limits.is_none()
            }
            _ => false,
        }
    }

    /// True for a rod or a rope: bounds of the distance, and no spring.
    pub(crate) fn is_line(&self) -> bool {
        matches!(&self.kind, JointKind::Distance(distance) if distance.spring.is_none())
    }

    /// True for a joint with a spring or a motor.
    pub(crate) fn drives(&self) -> bool {
        match &self.kind {
            JointKind::Hinge(hinge) => hinge.spring.is_some() || hinge.motor.is_some(),
            JointKind::Slider(slider) => slider.spring.is_some() || slider.motor.is_some(),
            JointKind::Distance(distance) => distance.spring.is_some(),
            JointKind::Ball(_) | JointKind::Fixed => false,
            _ => true,
        }
    }

    /// True for a joint that holds a point of one body to a point of the other.
    pub(crate) fn holds_point(&self) -> bool {
        matches!(&self.kind, JointKind::Ball(_) | JointKind::Hinge(_) | JointKind::Fixed)
    }

    /// True for a joint that can be solved together with others, with all that acts in it.
    pub(crate) fn fits_at_once(&self) -> bool {
        use JointKind::{Ball, Distance, Fixed, Hinge, Slider};
        matches!(&self.kind, Ball(_) | Hinge(_) | Slider(_) | Fixed | Distance(_))
    }

    /// Pull of the last sub-step between the anchors [N·s].
    pub(crate) fn last_pull(&self) -> Real {
        let x = &self.impulses;
        match &self.kind {
            JointKind::Distance(distance) if distance.min == distance.max => x[0].abs(),
            JointKind::Distance(_) => (x[0] - x[1] + x[2]).abs(),
            JointKind::Slider(_) => {
                let along = x[5] + x[6] + x[7] - x[8];
                x[..D::N - 1].iter().fold(along * along, |sum, x| sum + x * x).sqrt()
            }
            _ => x[..D::N].iter().fold(0.0, |sum: Real, x| sum + x * x).sqrt(),
        }
    }

    /// True for a joint with a limit of an angle or a translation.
    pub(crate) fn has_limits(&self) -> bool {
        match &self.kind {
            JointKind::Ball(ball) => ball.cone.is_some() || ball.twist.is_some(),
            JointKind::Hinge(hinge) => hinge.limits.is_some(),
            JointKind::Slider(slider) => slider.limits.is_some(),
            _ => false,
        }
    }

    /// Hands the blocks of the joint to `sink`, what acts first, what holds last.
    #[inline]
    pub fn visit<S: RowSink<D>>(&self, sight: &Sight<D>, sink: &mut S) {
        match &self.kind {
            JointKind::Ball(ball) => super::ball::blocks(ball, sight, sink),
            JointKind::Hinge(hinge) => super::hinge::blocks(hinge, sight, sink),
            JointKind::Slider(slider) => super::slider::blocks(slider, sight, sink),
            JointKind::Fixed => super::fixed::blocks(sight, sink),
            JointKind::Distance(distance) => super::distance::blocks(distance, sight, sink),
            JointKind::Spring(spring) => super::spring::blocks(spring, sight, sink),
            JointKind::Wheel(wheel) => super::wheel::blocks(wheel, sight, sink),
            JointKind::Motor(drive) => super::drive::blocks(drive, sight, sink),
            JointKind::Mouse(mouse) => super::mouse::blocks(mouse, sight, sink),
        }
    }

    /// What the accumulated impulses do to bodies with the given answers: impulse on b [N·s], angular impulses taken from a and
    /// given to b [N·m·s].
    #[inline]
    pub fn effect(&self, sight: &Sight<D>, answer: &[Answer<D>; 2]) -> (D::Vec, [D::Ang; 2]) {
        let (impulses, held) = (&self.impulses, Held::none());
        let mut sum = Sum { impulses, answer, held, push: D::Vec::ZERO, turn: [D::Ang::ZERO; 2] };
        self.visit(sight, &mut sum);
        (sum.push, sum.turn)
    }

    /// Solves all blocks once.
    #[inline]
    pub fn solve(&mut self, sight: &Sight<D>, pair: &mut Pair<D>, pass: &PassLaw) {
        let mut impulses = self.impulses;
        self.visit(sight, &mut Solve { pair, pass, impulses: &mut impulses, held: Held::none() });
        self.impulses = impulses;
    }

    /// Solves all blocks that act once, and puts the hard one aside.
    pub(crate) fn solve_acting(
        &mut self,
        sight: &Sight<D>,
        pair: &mut Pair<D>,
        pass: &PassLaw,
        hard: &mut HardBlock<D>,
    ) {
        let mut impulses = self.impulses;
        hard.count = 0;
        let solve = Solve { pair, pass, impulses: &mut impulses, held: Held::none() };
        self.visit(sight, &mut SolveActing { solve, hard });
        self.impulses = impulses;
    }

    /// How hard rows are held with sub-steps of length h: s·r and s of the head of `rows.rs`.
    ///
    /// The impulse must leak, s < 1. One sweep per pass does not converge in a chain, so what the bias adds to the impulse
    /// is not fully taken back by the relaxing pass, and the impulse integrates the error: λ̇ = −k·C − d·Ċ with C̈ = λ/m
    /// has the characteristic polynomial x³ + d·x + k, which always has an unstable root; with a leak l it is
    /// x³ + l·x² + d·x + k, stable for l·d > k. Measured at four sub-steps with twenty links: stable up to 80 Hz, not at
    /// 120 Hz. The price is that a load F gives way by F/(m·ω²), like a spring of 60 Hz.
    pub(crate) fn hard_law(&self, settings: &crate::Settings<D>, h: Real, refinement: Real) -> (Real, Real) {
        let stiffer = self.stiffer().min(refinement.max(1.0));
        let (hertz, damping) = match self.softness {
            Some(softness) => (softness.hertz, softness.damping),
            None => (settings.joint_hertz * stiffer, settings.joint_damping),
        };
        let omega = 2.0 * core::f32::consts::PI * hertz.min(STIFFEST / h);
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let scale = a2 / (1.0 + a2);
        // In refined groups errors need not vanish so much faster: a joint made with a gap would throw its bodies about.
        let rate = scale * omega / (a1 * stiffer.sqrt());
        (rate, scale)
    }

    /// How many times the usual frequency the joint has (no unit): linear within an octave.
    fn stiffer(&self) -> Real {
        let (octave, part) = (self.stiffness / OCTAVE, self.stiffness % OCTAVE);
        (1_u32 << octave) as Real * (1.0 + Real::from(part) / Real::from(OCTAVE))
    }

    /// Multiplies the impulses: they are kept for sub-steps of the usual length.
    pub(crate) fn scale_impulses(&mut self, scale: Real) {
        self.impulses = self.impulses.map(|x| x * scale);
        (self.push, self.turn) = (self.push * scale, self.turn * scale);
    }

    /// Forgets the impulses that no row of the kind has. What a motor left when it was switched off would otherwise be scaled
    /// with the others from step to step, until it is no number any more, and act at once when there is a motor again.
    pub(crate) fn clear_unused_impulses(&mut self) {
        // Which rows there are follows from the kind alone.
        let (v, w) = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2]);
        let sight = self.sight([D::Rot::IDENTITY; 2], D::Point::ORIGIN, D::Vec::ZERO, v, w, 0.0);
        let mut used = Used([false; MAX_ROWS]);
        self.visit(&sight, &mut used);
        (0..MAX_ROWS).filter(|&i| !used.0[i]).for_each(|i| self.impulses[i] = 0.0);
    }

    /// Forgets what the last step left.
    pub(crate) fn clear_impulses(&mut self) {
        self.impulses = [0.0; MAX_ROWS];
        (self.push, self.turn) = (D::Vec::ZERO, D::Ang::ZERO);
    }
}

/// The cold part of a joint: links, and what only the user reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointRecord<D: Dim> {
    /// Previous and next edge in the joint lists of bodies a and b; an edge is 2·joint + side.
    pub edges: [[u32; 2]; 2],
    /// Colour, or NO_COLOR.
    pub color: u8,
    /// Place in the colour's list.
    pub color_slot: u32,
    /// Which bodies' bits it holds in its colour.
    pub colored: [bool; 2],
    /// Links the islands of its two bodies.
    pub is_linked: bool,
    /// Frames in the bodies' frames, as the user gave them.
    pub local: [Pose<D>; 2],
    /// The bodies collide.
    pub collide_connected: bool,
    /// Force that raises an event [N].
    pub max_force: Real,
    /// Torque that raises an event [N·m].
    pub max_torque: Real,
    /// Is removed above these.
    pub breaks: bool,
    /// Name; empty: none.
    pub name: String,
    /// The user's.
    pub user_data: u64,
}

impl<D: Dim> JointRecord<D> {
    /// True if forces have to be compared with limits.
    pub(crate) fn is_watched(&self) -> bool {
        self.max_force < Real::INFINITY || self.max_torque < Real::INFINITY
    }
}

/// Joints of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints<D: Dim> {
    /// Links.
    pub records: Slots<JointRecord<D>>,
    /// Frames, kinds and impulses, at the index of the record.
    pub hot: Vec<Joint<D>>,
    /// Joints with limits of force or torque. Its order does not matter: events are sorted.
    pub watched: IndexList,
}

impl<D: Dim> Joints<D> {
    /// Adds a joint and hooks it into the lists of its two bodies.
    pub(crate) fn insert(&mut self, record: JointRecord<D>, joint: Joint<D>, bodies: &mut Bodies<D>) -> u32 {
        let is_watched = record.is_watched();
        let index = self.records.insert(record).index;
        // A restored list may have free slots without hot parts.
        if index as usize >= self.hot.len() {
            self.hot.resize(index as usize + 1, joint);
        }
        self.hot[index as usize] = joint;
        if is_watched {
            self.watched.insert(index);
        }
        for side in 0..2 {
            let edge = 2 * index + side as u32;
            let head = &mut bodies.records[joint.bodies[side]].first_joint;
            let next = core::mem::replace(head, edge);
            self.records[index].edges[side] = [NONE, next];
            if next != NONE {
                self.edge_mut(next)[0] = edge;
            }
        }
        index
    }

    /// Takes a joint out of the lists and frees its slot. It must have left its colour before.
    pub(crate) fn remove(&mut self, index: u32, bodies: &mut Bodies<D>) {
        debug_assert_eq!(self.records[index].color, NO_COLOR);
        for side in 0..2 {
            let [previous, next] = self.records[index].edges[side];
            if previous == NONE {
                bodies.records[self.hot[index as usize].bodies[side]].first_joint = next;
            } else {
                self.edge_mut(previous)[1] = next;
            }
            if next != NONE {
                self.edge_mut(next)[0] = previous;
            }
        }
        self.watched.remove(index);
        self.records.remove(index);
    }

    /// Links of an edge.
    fn edge_mut(&mut self, edge: u32) -> &mut [u32; 2] {
        &mut self.records[edge / 2].edges[(edge & 1) as usize]
    }

    /// Edge after `edge` in its body's list.
    #[inline]
    pub(crate) fn next_edge(&self, edge: u32) -> u32 {
        self.records[edge / 2].edges[(edge & 1) as usize][1]
    }

    /// Joints of a body, as (joint, side of the body), newest first.
    pub(crate) fn of_body(&self, first_edge: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let mut edge = first_edge;
        core::iter::from_fn(move || {
            let current = edge;
            if current == NONE {
                return None;
            }
            edge = self.next_edge(current);
            Some((current / 2, (current & 1) as usize))
        })
    }

    /// Bodies joined to the body whose first edge is `first_joint`.
    pub(crate) fn neighbors(&self, first_joint: u32, out: &mut Vec<u32>) {
        out.extend(self.of_body(first_joint).map(|(joint, side)| self.hot[joint as usize].bodies[1 - side]));
    }

    /// The same for joints that link islands: both bodies are dynamic and take part.
    pub(crate) fn linked_neighbors(&self, first_joint: u32, out: &mut Vec<u32>) {
        let linked = self.of_body(first_joint).filter(|&(joint, _)| self.records[joint].is_linked);
        out.extend(linked.map(|(joint, side)| self.hot[joint as usize].bodies[1 - side]));
    }

    /// True if a joint between the two bodies says that they do not collide.
    pub(crate) fn forbid(&self, bodies: &Bodies<D>, a: u32, b: u32) -> bool {
        let (first_a, first_b) = (bodies.records[a].first_joint, bodies.records[b].first_joint);
        if first_a == NONE || first_b == NONE {
            return false;
        }
        self.of_body(first_a).any(|(joint, side)| {
            self.hot[joint as usize].bodies[1 - side] == b && !self.records[joint].collide_connected
        })
    }
}
