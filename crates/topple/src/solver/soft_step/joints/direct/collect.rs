//! From a joint to its link: its hard rows as they are, and what acts beside them as axes (`axis.rs`).

use super::axis::{Axes, Axis, LOWER, MOTOR, SPRING, Soft, UPPER, Wanted};
use super::link::{Link, jacobian_of};
use crate::joint::{Answer, Held, Law, PassLaw, Row, RowSink, tuned_along};
use crate::math::*;

/// The impulse of the servo of a hinge or a slider.
const SERVO: usize = 6;

/// Takes the hard rows, and what acts beside them.
pub(super) struct Collect<'a, D: Dim, const M: usize> {
    pub link: &'a mut Link<M>,
    pub axes: &'a mut Axes,
    pub pass: PassLaw,
    pub answer: &'a [Answer<D>; 2],
    pub held: Held<D>,
}

impl<D: Dim, const M: usize> Collect<'_, D, M> {
    /// What acts along `row`, and whether it is the other way round.
    fn axis_of(&mut self, row: &Row<D>) -> Option<(&mut Axis, bool)> {
        let jacobian = jacobian_of(row);
        let reversed = jacobian_of(&row.reversed());
        for axis in self.axes.iter_mut() {
            let axis = axis.get_or_insert_with(|| Axis::new(jacobian, row.d != D::Vec::ZERO));
            if axis.jacobian == jacobian || axis.jacobian == reversed {
                let is_reversed = axis.jacobian != jacobian;
                return Some((axis, is_reversed));
            }
        }
        None
    }

    /// The mass that a spring along a row feels, as the hard rows leave it [kg or kg·m²].
    fn mass_along(&self, row: &Row<D>) -> f64 {
        let left = self.held.left_of(row, self.answer);
        let k = left.along(&left.answers(self.answer));
        if k > 0.0 { f64::from(1.0 / k) } else { 0.0 }
    }

    /// One row that acts.
    fn act(&mut self, at: usize, law: Law, row: &Row<D>, error: Real, drift: Real) {
        let (pass, mass) =
            (self.pass, if matches!(law, Law::Tuned { .. }) { self.mass_along(row) } else { 0.0 });
        let Some((axis, is_reversed)) = self.axis_of(row) else { return };
        let is_linear = axis.is_linear;
        match law {
            Law::Tuned { hertz, damping, max } => {
                let (s, stiff) = tuned_along(is_linear, hertz, damping, error, &pass);
                let (s, stiff) = (f64::from(s), f64::from(stiff));
                let soft = Soft { s: mass * s, b: mass * (stiff * f64::from(error) + s * f64::from(drift)) };
                if at == SERVO {
                    axis.motor = Some((Wanted::Place(soft), f64::from(max * pass.h)));
                    axis.at[MOTOR] = at as u8;
                } else {
                    axis.spring = Some(soft);
                    axis.at[SPRING] = at as u8;
                }
            }
            Law::Motor { max, room } => {
                let speed = pass.motor_speed(is_linear, -drift, room);
                axis.motor = Some((Wanted::Speed(f64::from(speed)), f64::from(max * pass.h)));
                axis.at[MOTOR] = at as u8;
            }
            Law::Limit => {
                let (which, impulse) = if is_reversed { (1, UPPER) } else { (0, LOWER) };
                (axis.gaps[which], axis.drifts[which]) = (f64::from(error), f64::from(drift));
                axis.at[impulse] = at as u8;
            }
            Law::Hard | Law::Spring { .. } => {}
        }
    }
}

impl<D: Dim, const M: usize> RowSink<D> for Collect<'_, D, M> {
    #[inline(always)]
    fn hold<const B: usize>(&mut self, _: usize, rows: &[Row<D>; B]) {
        self.held.take(rows);
    }

    #[inline(always)]
    fn block<const B: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; B],
        error: [Real; B],
        drift: [Real; B],
    ) {
        if law != Law::Hard {
            (0..B).for_each(|i| self.act(at + i, law, &rows[i], error[i], drift[i]));
            return;
        }
        for i in 0..B {
            let to = self.link.count;
            self.link.add_row(jacobian_of(&rows[i]), at + i, rows[i].d != D::Vec::ZERO);
            (self.link.error[to], self.link.drift[to]) = (f64::from(error[i]), f64::from(drift[i]));
        }
    }
}
