//! Impacts of bodies that are joined to others.
//!
//! What strikes a joined body strikes all it is joined to. If it bounced as if it were free, the joints would take the mismatch out of the
//! velocities afterwards, and its energy with it: a ball of 0.4 m on an arm of 0.5 m lost 65 % in one impact. So an impulse along
//! a row c of a contact is answered by c together with the rows J of the joints, which hold the velocities that they allow:
//!
//! r = M⁻¹·(cᵀ + Jᵀ·x) with J·r = 0, that is (J·M⁻¹·Jᵀ)·x = −J·M⁻¹·cᵀ.
//!
//! The system is small, sparse and positive, and has a solution even where joints contradict each other: conjugate gradients. For a
//! ball joint they need three steps, for a chain some more per joint. Whatever the rows, r is M⁻¹-orthogonal to what the joints hold, so the impulse
//! for which surfaces part as fast as they met keeps the energy.
//!
//! Springs and motors have no say in an impact: their forces are finite, and it takes no time. Limits hold what is pushed against them: those that a blow by all points of
//! the contact alike pushes against, for all of its rows. If every row chose its own, the answers would be no longer those of one mass: boxes on hinges with limits got 400 000 times their
//! energy in one step.

use super::joints::JointScene;
use super::pack::{Whitening, whiten_impulse};
use crate::body::NO_SLOT;
use crate::joint::{Joint, Law, Row, RowSink};
use crate::math::*;
use crate::store::room;
use core::ops::Range;

/// Numbers of a body's velocity: linear, then angular and whitened; the plane uses three.
pub(super) const WIDE: usize = 6;
/// Rows of a contact: points and tangents.
pub(super) const MOST_ROWS: usize = 6;
/// Joints nearest to a contact that answer with it, at most. What is further off feels little of an impulse across a chain.
const MOST_JOINTS: usize = 24;
/// Steps of the conjugate gradients at most; they end when the square of the error has come down to the share `CONVERGED` (no unit).
const MOST_STEPS: usize = 120;
const CONVERGED: f64 = 1e-10;
/// Times that limits are looked at again.
const LIMIT_ROUNDS: usize = 4;
/// Limits closer than this are reached [m or rad].
const LIMIT_SLOP: Real = 1e-3;
/// Below this share of what it would be without joints, nothing moves along a row (no unit).
const HELD: f64 = 1e-6;
const NONE: u32 = u32::MAX;

type Wide = [f64; WIDE];

/// A contact whose bodies are joined to something.
#[derive(Debug)]
pub(super) struct Answer {
    bodies: Range<usize>,
    first: usize,
    /// Change of the speed along row i by an impulse along row j [1/kg].
    pub(super) k: [[f64; MOST_ROWS]; MOST_ROWS],
    /// Acceleration along each row, joints at work [m/s²].
    pub(super) acceleration: [f64; MOST_ROWS],
}

/// One row of a contact, as the bodies a and b feel it: signs included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContactRow {
    pub(super) sides: [Wide; 2],
}

/// What the joints hold; lives from step to step to keep its memory.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// Where the joints of each slot begin in `edges`; one more than slots. Empty if nothing is joined.
    starts: Vec<u32>,
    edges: Vec<u32>,
    /// The answer of each lane, or NONE.
    table: Vec<u32>,
    answers: Vec<Answer>,
    /// Slots of the bodies of all answers, and what each row does to each of them.
    bodies: Vec<u32>,
    responses: Vec<Wide>,
    near: Near,
}

/// Bodies and joints near a contact.
#[derive(Debug, Default)]
struct Near {
    slots: Vec<u32>,
    /// 1/m along the axes that are free, then 1: whitened.
    inverses: Vec<Wide>,
    joints: Vec<u32>,
    rows: Vec<HeldRow>,
    /// Impulses of the rows, and what conjugate gradients need besides.
    x: Vec<f64>,
    error: Vec<f64>,
    along: Vec<f64>,
    image: Vec<f64>,
    moved: Vec<Wide>,
}

/// One row of a joint.
#[derive(Clone, Copy, Debug)]
struct HeldRow {
    /// Places in `Near::slots`, or NONE.
    ends: [u32; 2],
    j: [Wide; 2],
    is_limit: bool,
    is_active: bool,
    /// 1 over its diagonal entry, 0 where nothing moves.
    inverse: f64,
}

pub(super) fn dot(a: &Wide, b: &Wide) -> f64 {
    (0..WIDE).map(|i| a[i] * b[i]).sum()
}

/// Linear, then angular numbers, times `sign`.
pub(super) fn wide<const N: usize, const A: usize>(
    linear: &[Real; N],
    angular: &[Real; A],
    sign: f64,
) -> Wide {
    let mut out = [0.0; WIDE];
    (0..N).for_each(|i| out[i] = sign * f64::from(linear[i]));
    (0..A).for_each(|i| out[N + i] = sign * f64::from(angular[i]));
    out
}

/// Takes rows that hold.
struct Hold<'a> {
    rows: &'a mut Vec<HeldRow>,
    ends: [u32; 2],
    whitenings: [Whitening; 2],
}

impl<D: Dim> RowSink<D> for Hold<'_> {
    fn block<const M: usize>(
        &mut self,
        _: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        _: [Real; M],
    ) {
        for (row, error) in rows.iter().zip(error) {
            let is_limit = law == Law::Limit;
            if law != Law::Hard && !(is_limit && error <= LIMIT_SLOP) {
                continue;
            }
            let side = |side: usize, sign: f64, turn: D::Ang| {
                let mut out = [0.0; WIDE];
                let turn = whiten_impulse::<D>(&self.whitenings[side], turn);
                (0..D::N).for_each(|i| out[i] = sign * f64::from(row.d.get(i)));
                (0..D::ANGULAR).for_each(|i| out[D::N + i] = sign * f64::from(turn[i]));
                out
            };
            let j = [side(0, -1.0, row.a), side(1, 1.0, row.b)];
            self.rows.push(HeldRow { ends: self.ends, j, is_limit, is_active: false, inverse: 0.0 });
        }
    }
}

impl Joined {
    /// Notes who is joined to whom. `indices`: all joints of the step; `lanes`: of all contacts.
    pub(super) fn prepare<D: Dim>(
        &mut self,
        indices: impl Iterator<Item = u32> + Clone,
        scene: &JointScene<'_, D>,
        joints: &[Joint<D>],
        lanes: usize,
    ) {
        self.starts.clear();
        self.answers.clear();
        self.bodies.clear();
        self.responses.clear();
        // What is soft by itself gives way.
        let indices = indices.filter(|&index| joints[index as usize].softness.is_none());
        if indices.clone().next().is_none() {
            return;
        }
        let ends = |index: u32| joints[index as usize].bodies.map(|body| scene.slot(body));
        room::fit(&mut self.starts, scene.props.len() + 1, 0);
        for slot in indices.clone().flat_map(ends).filter(|&slot| slot != NO_SLOT) {
            self.starts[slot as usize + 1] += 1;
        }
        (1..self.starts.len()).for_each(|i| self.starts[i] += self.starts[i - 1]);
        let total = self.starts[scene.props.len()] as usize;
        room::fit(&mut self.edges, total, NONE);
        self.edges.fill(NONE);
        for index in indices {
            for slot in ends(index).into_iter().filter(|&slot| slot != NO_SLOT) {
                let range = self.starts[slot as usize] as usize..self.starts[slot as usize + 1] as usize;
                if let Some(free) = self.edges[range].iter_mut().find(|edge| **edge == NONE) {
                    *free = index;
                }
            }
        }
        room::fit(&mut self.table, lanes, NONE);
        self.table.fill(NONE);
    }

    /// True if a joint holds one of the bodies.
    pub(super) fn has(&self, slots: [u32; 2]) -> bool {
        let is_joined = |slot: u32| match self.starts.get(slot as usize..slot as usize + 2) {
            Some(range) => range[0] < range[1],
            None => false,
        };
        slots.into_iter().any(is_joined)
    }

    /// How the bodies `slots` and all they are joined to answer to the contact in `lane`. `rows`: its rows, zero where it has none; so many points first.
    pub(super) fn answer<D: Dim>(
        &mut self,
        lane: usize,
        slots: [u32; 2],
        (rows, points): (&[ContactRow; MOST_ROWS], usize),
        scene: &JointScene<'_, D>,
        joints: &[Joint<D>],
    ) -> &Answer {
        if self.table[lane] == NONE {
            self.near.gather((&self.starts, &self.edges), slots, scene, joints);
            let (first, start, count) = (self.responses.len(), self.bodies.len(), self.near.slots.len());
            self.bodies.extend_from_slice(&self.near.slots);
            let ends = slots.map(|slot| self.near.slots.iter().position(|&near| near == slot));
            let (mut k, mut acceleration) = ([[0.0; MOST_ROWS]; MOST_ROWS], [0.0; MOST_ROWS]);
            self.near.choose_limits(&rows[..points], ends);
            for (j, row) in rows.iter().enumerate() {
                self.near.respond(row, ends);
                let near = &self.near;
                let speed = |i: usize| -> f64 {
                    let of = |side: usize| {
                        ends[side].map_or(0.0, |end| dot(&rows[i].sides[side], &near.moved[end]))
                    };
                    of(0) + of(1)
                };
                (0..MOST_ROWS).for_each(|i| k[i][j] = speed(i));
                let free: f64 = (0..2)
                    .filter_map(|side| ends[side].map(|end| (row.sides[side], near.inverses[end])))
                    .map(|(side, inverse)| (0..WIDE).map(|i| side[i] * side[i] * inverse[i]).sum::<f64>())
                    .sum();
                if k[j][j] <= HELD * free {
                    k[j][j] = 0.0;
                }
                // r = M⁻¹·Pᵀ·cᵀ, so c·P·a = r·M·a.
                for ((slot, inverse), moved) in near.slots.iter().zip(&near.inverses).zip(&near.moved) {
                    let pull = scene.props[*slot as usize].acceleration;
                    for i in (0..D::N).filter(|&i| inverse[i] > 0.0) {
                        acceleration[j] += moved[i] * f64::from(pull.get(i)) / inverse[i];
                    }
                }
                self.responses.extend_from_slice(&near.moved);
            }
            self.table[lane] = self.answers.len() as u32;
            self.answers.push(Answer { bodies: start..start + count, first, k, acceleration });
        }
        &self.answers[self.table[lane] as usize]
    }

    /// What the given impulses along the rows of an answered contact do, body by body: slot and change of its velocity.
    pub(super) fn changes(
        &self,
        lane: usize,
        impulses: [f64; MOST_ROWS],
    ) -> impl Iterator<Item = (usize, Wide)> + '_ {
        let answer = &self.answers[self.table[lane] as usize];
        let bodies = &self.bodies[answer.bodies.clone()];
        bodies.iter().enumerate().map(move |(i, &slot)| {
            let mut change = [0.0; WIDE];
            for (row, impulse) in impulses.iter().enumerate() {
                let response = &self.responses[answer.first + row * bodies.len() + i];
                (0..WIDE).for_each(|k| change[k] += impulse * response[k]);
            }
            (slot as usize, change)
        })
    }
}

impl Near {
    /// Finds the bodies and joints near the bodies `slots`, breadth first.
    fn gather<D: Dim>(
        &mut self,
        (starts, edges): (&[u32], &[u32]),
        slots: [u32; 2],
        scene: &JointScene<'_, D>,
        joints: &[Joint<D>],
    ) {
        self.slots.clear();
        self.joints.clear();
        self.rows.clear();
        self.inverses.clear();
        let is_dynamic = |slot: u32| scene.props.get(slot as usize).is_some_and(|props| props.is_dynamic);
        self.slots.extend(slots.into_iter().filter(|&slot| is_dynamic(slot)));
        let mut next = 0;
        while let Some(&slot) = self.slots.get(next) {
            next += 1;
            let range = starts[slot as usize] as usize..starts[slot as usize + 1] as usize;
            for &index in &edges[range] {
                if self.joints.len() == MOST_JOINTS || self.joints.contains(&index) {
                    continue;
                }
                self.joints.push(index);
                for end in joints[index as usize].bodies.map(|body| scene.slot(body)) {
                    if is_dynamic(end) && !self.slots.contains(&end) {
                        self.slots.push(end);
                    }
                }
            }
        }
        for &slot in &self.slots {
            let props = &scene.props[slot as usize];
            let mut inverse = [1.0; WIDE];
            for i in 0..D::N {
                inverse[i] = if props.locks >> i & 1 == 0 { f64::from(props.inv_mass) } else { 0.0 };
            }
            self.inverses.push(inverse);
        }
        for &index in &self.joints {
            let joint = &joints[index as usize];
            let places = joint.bodies.map(|body| scene.places[body as usize]);
            let sight = joint.sight(
                places.map(|place| place.rotation),
                places[1].position,
                places[1].position - places[0].position,
                [D::Vec::ZERO; 2],
                [D::Ang::ZERO; 2],
                scene.h,
            );
            let slots = joint.bodies.map(|body| scene.slot(body));
            let place = |slot: u32| self.slots.iter().position(|&near| near == slot);
            let ends = slots.map(|slot| place(slot).map_or(NONE, |place| place as u32));
            let whitenings =
                slots.map(|slot| scene.whitenings.get(slot as usize).copied().unwrap_or_default());
            joint.visit(&sight, &mut Hold { rows: &mut self.rows, ends, whitenings });
        }
        for row in &mut self.rows {
            let mut diagonal = 0.0;
            for side in (0..2).filter(|&side| row.ends[side] != NONE) {
                let (j, inverse) = (&row.j[side], &self.inverses[row.ends[side] as usize]);
                diagonal += (0..WIDE).map(|i| j[i] * j[i] * inverse[i]).sum::<f64>();
            }
            row.inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
    }

    /// Fills `moved` with what an impulse of 1 along a row of the contact between `ends` does to all bodies, held by the active rows.
    fn respond(&mut self, contact: &ContactRow, ends: [Option<usize>; 2]) {
        self.moved.clear();
        self.moved.resize(self.slots.len(), [0.0; WIDE]);
        for (side, end) in ends.into_iter().enumerate() {
            let Some(end) = end else { continue };
            for i in 0..WIDE {
                self.moved[end][i] += contact.sides[side][i] * self.inverses[end][i];
            }
        }
        self.hold();
    }

    /// Finds the limits that hold if all points of the contact push alike.
    fn choose_limits(&mut self, points: &[ContactRow], ends: [Option<usize>; 2]) {
        self.rows.iter_mut().for_each(|row| row.is_active = !row.is_limit);
        if self.rows.iter().all(|row| row.is_active) {
            return;
        }
        let mut all = ContactRow::default();
        for row in points {
            for (to, from) in all.sides.iter_mut().zip(&row.sides) {
                (0..WIDE).for_each(|i| to[i] += from[i]);
            }
        }
        for _ in 0..LIMIT_ROUNDS {
            self.respond(&all, ends);
            let (mut is_changed, moved) = (false, &self.moved);
            for (row, x) in self.rows.iter_mut().zip(&self.x).filter(|(row, _)| row.is_limit) {
                let is_active = if row.is_active { *x > 0.0 } else { row.speed(moved) < 0.0 };
                is_changed |= is_active != row.is_active;
                row.is_active = is_active;
            }
            if !is_changed {
                break;
            }
        }
    }

    /// Takes out of `moved` what the active rows do not allow: conjugate gradients, scaled by the diagonal.
    fn hold(&mut self) {
        let Self { rows, x, error, along, image, moved, inverses, .. } = self;
        let count = rows.len();
        x.clear();
        x.resize(count, 0.0);
        error.clear();
        error.extend(rows.iter().map(|row| if row.is_active { -row.speed(moved) } else { 0.0 }));
        along.clear();
        along.extend(rows.iter().zip(error.iter()).map(|(row, error)| row.inverse * error));
        let size = |rows: &[HeldRow], error: &[f64]| -> f64 {
            rows.iter().zip(error).map(|(row, error)| row.inverse * error * error).sum()
        };
        let start = size(rows, error);
        let mut left = start;
        for _ in 0..MOST_STEPS {
            if left <= CONVERGED * start || left <= 0.0 {
                break;
            }
            // The velocities go along: moved + M⁻¹·Jᵀ·x.
            image.clear();
            image.resize(WIDE * moved.len(), 0.0);
            for (row, along) in rows.iter().zip(along.iter()).filter(|(row, _)| row.is_active) {
                for side in (0..2).filter(|&side| row.ends[side] != NONE) {
                    let end = row.ends[side] as usize;
                    for i in 0..WIDE {
                        image[WIDE * end + i] += row.j[side][i] * inverses[end][i] * along;
                    }
                }
            }
            let image = |end: usize| -> Wide { core::array::from_fn(|i| image[WIDE * end + i]) };
            let speed = |row: &HeldRow| -> f64 {
                let sides = (0..2).filter(|&side| row.ends[side] != NONE);
                sides.map(|side| dot(&row.j[side], &image(row.ends[side] as usize))).sum()
            };
            let bend: f64 = rows.iter().zip(along.iter()).map(|(row, along)| along * speed(row)).sum();
            if bend <= 0.0 {
                break;
            }
            let length = left / bend;
            for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.is_active) {
                x[i] += length * along[i];
                error[i] -= length * speed(row);
            }
            for (end, moved) in moved.iter_mut().enumerate() {
                let image = image(end);
                (0..WIDE).for_each(|i| moved[i] += length * image[i]);
            }
            let new = size(rows, error);
            let keep = new / left;
            left = new;
            for (i, row) in rows.iter().enumerate() {
                along[i] = row.inverse * error[i] + keep * along[i];
            }
        }
    }
}

impl HeldRow {
    /// Speed along the row.
    fn speed(&self, moved: &[Wide]) -> f64 {
        let sides = (0..2).filter(|&side| self.ends[side] != NONE);
        sides.map(|side| dot(&self.j[side], &moved[self.ends[side] as usize])).sum()
    }
}
