//! What visits the blocks of a joint: the sum of what its impulses do, which impulses there are, and the solution block by block.

use super::MAX_ROWS;
use super::rows::{Answer, Law, NO_FREEDOM, Pair, PassLaw, Row, RowSink, solve_symmetric};
use crate::math::*;

/// Adds up what the impulses of a joint do to its bodies.
pub(super) struct Sum<'a, D: Dim> {
    pub impulses: &'a [Real; MAX_ROWS],
    pub answer: &'a [Answer<D>; 2],
    pub held: Held<D>,
    pub push: D::Vec,
    pub turn: [D::Ang; 2],
}

impl<D: Dim> RowSink<D> for Sum<'_, D> {
    #[inline]
    fn hold<const M: usize>(&mut self, _: usize, rows: &[Row<D>; M]) {
        self.held.take(rows);
    }

    #[inline]
    fn block<const M: usize>(&mut self, at: usize, law: Law, rows: [Row<D>; M], _: [Real; M], _: [Real; M]) {
        let is_beside = self.held.is_beside::<M>(law);
        for (i, row) in rows.iter().enumerate() {
            let lambda = self.impulses[at + i];
            let row = if is_beside && lambda != 0.0 { self.held.free_part(row, self.answer) } else { *row };
            self.push += row.d * lambda;
            self.turn[0] += row.a * lambda;
            self.turn[1] += row.b * lambda;
        }
    }
}

/// Notes which impulses belong to a row.
pub(super) struct Used(pub [bool; MAX_ROWS]);

impl<D: Dim> RowSink<D> for Used {
    #[inline]
    fn block<const M: usize>(&mut self, at: usize, _: Law, _: [Row<D>; M], _: [Real; M], _: [Real; M]) {
        self.0[at..at + M].fill(true);
    }
}

/// Solves each block as it comes.
pub(super) struct Solve<'a, D: Dim> {
    pub pair: &'a mut Pair<D>,
    pub pass: &'a PassLaw,
    pub impulses: &'a mut [Real; MAX_ROWS],
    pub held: Held<D>,
}

/// Most rows of a joint that are solved with those of other joints: a weld in space, or a hinge there at its limit.
pub(crate) const MAX_HARD: usize = 6;

/// A row that holds, put aside to be solved with those of other joints.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HardRow<D: Dim> {
    pub row: Row<D>,
    /// Its impulse among those of the joint.
    pub at: usize,
    /// [m or rad].
    pub error: Real,
    /// [m/s or rad/s].
    pub drift: Real,
    /// It pushes, and does not pull.
    pub is_limit: bool,
    /// It is one of translation, whatever is left of it.
    pub is_linear: bool,
}

impl<D: Dim> HardRow<D> {
    /// True for a limit that is about to be reached.
    pub(crate) fn is_open(&self) -> bool {
        self.is_limit && self.error > 0.0
    }
}

/// The hard rows of a joint, and the limits that are reached.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HardBlock<D: Dim> {
    pub count: usize,
    pub rows: [HardRow<D>; MAX_HARD],
}

/// Solves each block that acts as it comes, and puts aside what holds.
pub(super) struct SolveActing<'a, D: Dim> {
    pub solve: Solve<'a, D>,
    pub hard: &'a mut HardBlock<D>,
}

impl<D: Dim> SolveActing<'_, D> {
    fn put_aside(&mut self, row: HardRow<D>) {
        self.hard.rows[self.hard.count] = row;
        self.hard.count += 1;
    }
}

impl<D: Dim> RowSink<D> for SolveActing<'_, D> {
    fn hold<const M: usize>(&mut self, at: usize, rows: &[Row<D>; M]) {
        self.solve.hold(at, rows);
    }

    fn block<const M: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    ) {
        if law == Law::Hard {
            for i in 0..M {
                let is_linear = rows[i].d != D::Vec::ZERO;
                let (error, drift) = (error[i], drift[i]);
                self.put_aside(HardRow {
                    row: rows[i],
                    at: at + i,
                    error,
                    drift,
                    is_limit: false,
                    is_linear,
                });
            }
            return;
        }
        let has_room = self.hard.count + self.solve.held.count < MAX_HARD;
        if law == Law::Limit && M == 1 && has_room {
            let is_beside = self.solve.held.is_beside::<M>(law);
            let Solve { pair, pass, impulses, held } = &self.solve;
            let row = if is_beside { held.free_part(&rows[0], &pair.answer) } else { rows[0] };
            if impulses[at] > 0.0 || pair.speed(&row) * pass.h + error[0] < 0.0 {
                let is_linear = rows[0].d != D::Vec::ZERO;
                return self.put_aside(HardRow {
                    row,
                    at,
                    error: error[0],
                    drift: 0.0,
                    is_limit: true,
                    is_linear,
                });
            }
        }
        self.solve.block(at, law, rows, error, drift);
    }
}

/// Most hard rows of a joint in which something acts: hinge and slider in space.
const MAX_HELD: usize = 5;

/// The hard rows of a joint, while those that act are looked at.
pub(crate) struct Held<D: Dim> {
    count: usize,
    rows: [Row<D>; MAX_HELD],
}

impl<D: Dim> Held<D> {
    /// Of a joint in which nothing acts.
    #[inline]
    pub(crate) fn none() -> Self {
        Self { count: 0, rows: [Row::default(); MAX_HELD] }
    }

    #[inline]
    pub(crate) fn take<const M: usize>(&mut self, rows: &[Row<D>; M]) {
        self.count = M;
        self.rows[..M].copy_from_slice(rows);
    }

    /// True for a row that acts beside the hard ones.
    #[inline]
    fn is_beside<const M: usize>(&self, law: Law) -> bool {
        law != Law::Hard && M == 1 && self.count > 0
    }

    /// What is left of a row that acts: all of it where nothing holds.
    pub(crate) fn left_of(&self, row: &Row<D>, answer: &[Answer<D>; 2]) -> Row<D> {
        if self.count == 0 { *row } else { self.free_part(row, answer) }
    }

    /// What is left of `row` when the hard rows hold: J' of the head of the file. A row of which nothing is left is zero.
    #[inline]
    fn free_part(&self, row: &Row<D>, answer: &[Answer<D>; 2]) -> Row<D> {
        let mut k = [[0.0; MAX_HELD]; MAX_HELD];
        for j in 0..self.count {
            let answers = self.rows[j].answers(answer);
            (j..self.count).for_each(|i| k[i][j] = self.rows[i].along(&answers));
        }
        let answers = row.answers(answer);
        let share = solve_symmetric(&k, core::array::from_fn(|i| self.rows[i].along(&answers)));
        let mut left = *row;
        for (held, &share) in self.rows.iter().zip(&share).take(self.count) {
            left.d -= held.d * share;
            left.a -= held.a * share;
            left.b -= held.b * share;
        }
        let is_held = left.along(&left.answers(answer)) <= NO_FREEDOM * row.along(&answers);
        if is_held { Row::default() } else { left }
    }
}

impl<D: Dim> RowSink<D> for Solve<'_, D> {
    #[inline]
    fn hold<const M: usize>(&mut self, _: usize, rows: &[Row<D>; M]) {
        self.held.take(rows);
    }

    #[inline]
    fn block<const M: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    ) {
        if !self.held.is_beside::<M>(law) {
            return self.pair.solve(self.pass, law, &rows, &error, &drift, self.impulses, at);
        }
        let is_linear = rows[0].d != D::Vec::ZERO;
        let left = [self.held.free_part(&rows[0], &self.pair.answer); M];
        self.pair.solve_block(self.pass, law, &left, &error, &drift, self.impulses, (at, is_linear));
    }
}
