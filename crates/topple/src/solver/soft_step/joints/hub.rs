//! All joints of one body at once.
//!
//! The partners of the joints of a star are not coupled with each other, but through the hub. With the velocities V of the hub, its answer W = M⁻¹, and for each joint the
//! Jacobian H of the hub and the answer D = J·M⁻¹·Jᵀ of the partner, the impulses −x obey D·x + H·W·ΣHᵀ·x = y, where y is what the rows want to change
//! (the law of hard rows, `joint/rows.rs`). The change of the hub, u = W·ΣHᵀ·x, is the only thing they share:
//!
//! (1 + W·ΣHᵀ·D⁻¹·H)·u = W·ΣHᵀ·D⁻¹·y, and then x = D⁻¹·(y − H·u) for each joint by itself.
//!
//! Six equations whatever the number of joints: the hub is as heavy as all that hangs on it. What does not move has no D, and gets a small share of the joint's own answer. Limits that are reached hold too, as
//! long as they push. What acts (springs, motors, limits that are not reached) is solved joint by joint before, as everywhere.

use super::JointPass;
use super::single::SingleRow;
use super::stars::{Star, Stars};
use crate::joint::{Answer, HardBlock, HardRow, MAX_HARD, MAX_ROWS, NO_PIVOT, Pair, PassLaw, Row};
use crate::math::*;
use crate::solver::soft_step::pack::{Packed, plain_spin, whiten_impulse};
use crate::solver::soft_step::turning::Turning;

/// Numbers of a velocity: linear, then angular; the plane uses three.
const WIDE: usize = 6;
/// Share of a joint's own answer that is added to that of the partner (no unit). More makes joints with the ground give way under many others, less makes those that
/// contradict each other pull harder.
const GIVE: f64 = 1e-3;

/// Times that limits are looked at again.
const LIMIT_ROUNDS: usize = 4;

type Wide = [f64; WIDE];

/// What a pass works on.
pub(crate) struct StarRun<'a, D: Dim, const S: usize> {
    /// With the ground behind the last one.
    pub bodies: &'a mut [Packed<S>],
    pub rotations: &'a [D::Rot],
    pub turning: &'a Turning<'a, D>,
    /// Length of the sub-step [s].
    pub h: Real,
}

impl<D: Dim> Stars<D> {
    /// One pass over all stars.
    pub(crate) fn run<const S: usize>(&mut self, mut run: StarRun<'_, D, S>, pass: JointPass) {
        let Self { rows, arms, stars, .. } = self;
        for Star { hub, rows: range } in stars.iter() {
            let (rows, arms) = (&mut rows[range.clone()], &mut arms[range.clone()]);
            run.begin(rows, arms, pass);
            if pass != JointPass::WarmStart {
                run.hold(rows, arms, *hub, pass == JointPass::Solve);
            }
        }
    }
}

impl<D: Dim, const S: usize> StarRun<'_, D, S> {
    /// Velocities of the bodies of a row.
    fn pair(&self, row: &SingleRow<D>) -> Pair<D> {
        let (mut v, mut w) = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2]);
        for side in (0..2).filter(|&side| (row.slots[side] as usize) < self.turning.len()) {
            let slot = row.slots[side] as usize;
            let (linear, spin) = self.bodies[slot].velocity::<D>();
            (v[side], w[side]) = (linear, plain_spin::<D>(&self.turning.whitening(slot), spin));
        }
        Pair::new(v, w, row.answer)
    }

    /// Writes what was done to the bodies of a row.
    fn put(&mut self, row: &mut SingleRow<D>, pair: &Pair<D>) {
        row.note(pair);
        for (side, slot) in row.dynamic_ends().into_iter().enumerate() {
            let Some(body) = self.bodies[..self.turning.len()].get_mut(slot as usize) else { continue };
            let change = whiten_impulse::<D>(&self.turning.whitening(slot as usize), pair.turned[side]);
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let (_, spin) = body.velocity::<D>();
            body.set_velocity::<D>(pair.v[side], core::array::from_fn(|i| spin[i] + sign * change[i]));
        }
    }

    /// Joint by joint: starts from the impulses, solves what acts, and finds the hard rows.
    fn begin(&mut self, rows: &mut [SingleRow<D>], arms: &mut [Arm<D>], pass: JointPass) {
        for (row, arm) in rows.iter_mut().zip(arms) {
            let (mut rotations, mut moved) = (row.rotations, [D::Vec::ZERO; 2]);
            for side in (0..2).filter(|&side| (row.slots[side] as usize) < self.turning.len()) {
                let slot = row.slots[side] as usize;
                rotations[side] = self.rotations[slot];
                moved[side] = self.bodies[slot].displacement::<D>();
                if self.turning.has(slot) {
                    row.answer[side].inv_inertia = self.turning.inv_inertia(slot, rotations[side]);
                }
            }
            let mut pair = self.pair(row);
            let sight = row.begin(&mut pair, pass, rotations, moved, self.h);
            row.levers = sight.r;
            if pass != JointPass::WarmStart {
                let law = row.law(self.h, pass == JointPass::Solve);
                row.joint.solve_acting(&sight, &mut pair, &law, &mut arm.hard);
            }
            self.put(row, &pair);
        }
    }

    /// Solves the rows of a star that hold. Limits that would have to pull let go, and the others are solved again.
    fn hold(&mut self, rows: &mut [SingleRow<D>], arms: &mut [Arm<D>], hub: u32, is_biased: bool) {
        let Some(first) = rows.first() else { return };
        let answer = first.answer[side_of(first, hub)];
        let mut change = [0.0; WIDE];
        for _ in 0..LIMIT_ROUNDS {
            let (mut matrix, mut right) = ([[0.0; WIDE]; WIDE], [0.0; WIDE]);
            for (row, arm) in rows.iter().zip(arms.iter_mut()) {
                arm.prepare(side_of(row, hub), &self.pair(row), &row.law(self.h, is_biased));
                arm.add_to(&mut matrix, &mut right);
            }
            change = answer_of_hub::<D>(&answer, &matrix, &right);
            let mut lets_go = false;
            for (row, arm) in rows.iter_mut().zip(arms.iter_mut()) {
                lets_go |= self.let_go(row, arm, &change, is_biased);
            }
            if !lets_go {
                break;
            }
        }
        for (row, arm) in rows.iter_mut().zip(arms) {
            let mut pair = self.pair(row);
            let law = row.law(self.h, is_biased);
            for i in 0..arm.hard.count {
                let (row_of, step) = (arm.hard.rows[i], arm.step(i, &change, &row.joint.impulses, &law));
                let lambda = &mut row.joint.impulses[row_of.at];
                let old = *lambda;
                *lambda = if row_of.is_limit { (old + step).max(0.0) } else { old + step };
                push_along(&mut pair, &row_of.row, *lambda - old);
            }
            self.put(row, &pair);
            if !is_biased {
                row.sum_up(row.levers[1]);
            }
        }
    }

    /// Takes limits that would have to pull out of the system; true if there are any.
    fn let_go(&mut self, row: &mut SingleRow<D>, arm: &mut Arm<D>, change: &Wide, is_biased: bool) -> bool {
        let law = row.law(self.h, is_biased);
        let mut lets_go = false;
        for i in 0..arm.hard.count {
            let HardRow { row: line, at, is_limit, .. } = arm.hard.rows[i];
            let old = row.joint.impulses[at];
            if !is_limit
                || line == Row::default()
                || old + arm.step(i, change, &row.joint.impulses, &law) >= 0.0
            {
                continue;
            }
            let mut pair = self.pair(row);
            push_along(&mut pair, &line, -old);
            self.put(row, &pair);
            row.joint.impulses[at] = 0.0;
            arm.hard.rows[i].row = Row::default();
            lets_go = true;
        }
        lets_go
    }
}

/// Applies an impulse along a row.
fn push_along<D: Dim>(pair: &mut Pair<D>, row: &Row<D>, impulse: Real) {
    pair.apply(row.d * impulse, [row.a * impulse, row.b * impulse]);
}

/// Which body of a joint is the hub.
fn side_of<D: Dim>(row: &SingleRow<D>, hub: u32) -> usize {
    usize::from(row.slots[1] == hub)
}

/// One joint of a star, while a pass is at work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm<D: Dim> {
    pub(super) hard: HardBlock<D>,
    /// H: a row for each hard row.
    jacobian: [Wide; MAX_HARD],
    /// D⁻¹·y.
    wanted: [f64; MAX_HARD],
    /// D⁻¹·H.
    shares: [Wide; MAX_HARD],
}

impl<D: Dim> Arm<D> {
    /// Finds H, D⁻¹·H and D⁻¹·y for the velocities of `pair`.
    fn prepare(&mut self, hub: usize, pair: &Pair<D>, law: &PassLaw) {
        let Self { hard, jacobian, wanted, shares } = self;
        let count = hard.count;
        let mut partner = pair.answer;
        partner[hub] = Answer::default();
        let mut k = [[0.0; MAX_HARD]; MAX_HARD];
        for j in 0..count {
            let row = &hard.rows[j].row;
            let (others, all) = (row.answers(&partner), row.answers(&pair.answer));
            for i in j..count {
                let row = &hard.rows[i].row;
                k[i][j] = f64::from(row.along(&others)) + GIVE * f64::from(row.along(&all));
            }
        }
        let factor = Factor::new(&k, count);
        for i in 0..count {
            let HardRow { row, error, drift, is_linear, .. } = &hard.rows[i];
            let speed = pair.speed(row);
            wanted[i] = f64::from(if hard.rows[i].is_open() {
                speed + error / law.h
            } else if law.is_biased {
                law.scale * (speed + drift) + law.pull(*is_linear, *error)
            } else {
                speed
            });
            jacobian[i] = if hub == 0 { wide::<D>(-row.d, -row.a) } else { wide::<D>(row.d, row.b) };
        }
        factor.solve(wanted);
        for axis in 0..WIDE {
            let mut column = jacobian.map(|row| row[axis]);
            factor.solve(&mut column);
            (0..count).for_each(|i| shares[i][axis] = column[i]);
        }
    }

    /// Change of the impulse of a row, once that of the hub is known [N·s or N·m·s].
    fn step(&self, i: usize, change: &Wide, impulses: &[Real; MAX_ROWS], law: &PassLaw) -> Real {
        let x = self.wanted[i] - dot(&self.shares[i], change);
        let leaks = law.is_biased && !self.hard.rows[i].is_open();
        let leak = if leaks { 1.0 - law.scale } else { 0.0 };
        -(x as Real) - leak * impulses[self.hard.rows[i].at]
    }

    /// Adds Hᵀ·D⁻¹·H and Hᵀ·D⁻¹·y.
    fn add_to(&self, matrix: &mut [Wide; WIDE], right: &mut Wide) {
        for i in 0..self.hard.count {
            for r in 0..WIDE {
                let h = self.jacobian[i][r];
                (0..WIDE).for_each(|c| matrix[r][c] += h * self.shares[i][c]);
                right[r] += h * self.wanted[i];
            }
        }
    }
}

fn wide<D: Dim>(linear: D::Vec, angular: D::Ang) -> Wide {
    let mut all = [0.0; WIDE];
    (0..D::N).for_each(|i| all[i] = f64::from(linear.get(i)));
    (0..D::ANGULAR).for_each(|i| all[3 + i] = f64::from(angular.get(i)));
    all
}

fn dot(a: &Wide, b: &Wide) -> f64 {
    (0..WIDE).map(|i| a[i] * b[i]).sum()
}

/// u with (1 + W·`matrix`)·u = W·`right`; W is the answer of the hub.
fn answer_of_hub<D: Dim>(answer: &Answer<D>, matrix: &[Wide; WIDE], right: &Wide) -> Wide {
    let mut w = [[0.0; WIDE]; WIDE];
    for i in (0..D::N).filter(|i| answer.locks >> i & 1 == 0) {
        w[i][i] = f64::from(answer.inv_mass);
    }
    for i in 0..D::ANGULAR {
        let mut axis = D::Ang::ZERO;
        axis.set(i, 1.0);
        let turn = answer.inv_inertia.apply(axis);
        (0..D::ANGULAR).for_each(|j| w[3 + j][3 + i] = f64::from(turn.get(j)));
    }
    let mut a = [[0.0; WIDE]; WIDE];
    let mut u = [0.0; WIDE];
    for i in 0..WIDE {
        for j in 0..WIDE {
            let one = if i == j { 1.0 } else { 0.0 };
            a[i][j] = one + (0..WIDE).map(|l| w[i][l] * matrix[l][j]).sum::<f64>();
        }
        u[i] = dot(&w[i], right);
    }
    // W·matrix has no negative eigenvalues, so there is always a pivot.
    for column in 0..WIDE {
        let larger =
            |best: usize, row: usize| if a[row][column].abs() > a[best][column].abs() { row } else { best };
        let pivot = (column + 1..WIDE).fold(column, larger);
        a.swap(column, pivot);
        u.swap(column, pivot);
        for row in column + 1..WIDE {
            let factor = a[row][column] / a[column][column];
            (column..WIDE).for_each(|i| a[row][i] -= factor * a[column][i]);
            u[row] -= factor * u[column];
        }
    }
    for row in (0..WIDE).rev() {
        let known: f64 = (row + 1..WIDE).map(|i| a[row][i] * u[i]).sum();
        u[row] = (u[row] - known) / a[row][row];
    }
    u
}

/// L·D·Lᵀ of a small symmetric matrix, of which the lower triangle is given. Where nothing can move there is no impulse.
struct Factor {
    count: usize,
    l: [[f64; MAX_HARD]; MAX_HARD],
    inverses: [f64; MAX_HARD],
}

impl Factor {
    fn new(k: &[[f64; MAX_HARD]; MAX_HARD], count: usize) -> Self {
        let mut factor = Self { count, l: *k, inverses: [0.0; MAX_HARD] };
        let mut pivots = [0.0; MAX_HARD];
        for j in 0..count {
            let pivot = (0..j).fold(k[j][j], |sum, i| sum - factor.l[j][i] * factor.l[j][i] * pivots[i]);
            if pivot > f64::from(NO_PIVOT) * k[j][j] {
                (pivots[j], factor.inverses[j]) = (pivot, 1.0 / pivot);
            }
            for r in j + 1..count {
                let entry = (0..j).fold(k[r][j], |sum, i| sum - factor.l[r][i] * factor.l[j][i] * pivots[i]);
                factor.l[r][j] = entry * factor.inverses[j];
            }
        }
        factor
    }

    fn solve(&self, x: &mut [f64; MAX_HARD]) {
        for j in 0..self.count {
            for i in 0..j {
                x[j] -= self.l[j][i] * x[i];
            }
        }
        for j in (0..self.count).rev() {
            x[j] *= self.inverses[j];
            for r in j + 1..self.count {
                x[j] -= self.l[r][j] * x[r];
            }
        }
    }
}
