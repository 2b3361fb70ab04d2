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

/// Most hard rows of a joint in which something acts: hinge and slider in space.
const MAX_HELD: usize = 5;

/// The hard rows of a joint, while those that act are looked at.
pub(super) struct Held<D: Dim> {
    count: usize,
    rows: [Row<D>; MAX_HELD],
}

impl<D: Dim> Held<D> {
    /// Of a joint in which nothing acts.
    #[inline]
    pub(super) fn none() -> Self {
        Self { count: 0, rows: [Row::default(); MAX_HELD] }
    }

    #[inline]
    fn take<const M: usize>(&mut self, rows: &[Row<D>; M]) {
        self.count = M;
        self.rows[..M].copy_from_slice(rows);
    }

    /// True for a row that acts beside the hard ones.
    #[inline]
    fn is_beside<const M: usize>(&self, law: Law) -> bool {
        law != Law::Hard && M == 1 && self.count > 0
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
