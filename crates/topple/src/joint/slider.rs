//! Slider: anchor b stays on the x axis of frame a, and nothing turns.
//!
//! For an axis n fixed to a: C = n·d, Ċ = n·(v_b + w_b × r_b − v_a − w_a × r_a) + (w_a × n)·d, so that
//! J = (−n, −(r_a + d) × n, n, r_b × n). The axes other than x are held at C = 0; along x act spring, motor and limits.

use super::hinge::along;
use super::rows::{Row, RowSink};
use super::{Sight, Slider};
use crate::math::*;

/// Impulses: 0..5 line and rotation, 5 the spring, 6 the motor, 7 and 8 the limits.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(slider: &Slider, sight: &Sight<D>, sink: &mut S) {
    D::slider_block(sink, 0, sight, |sink| {
        let row = axis_row(sight);
        along(sink, 5, row, || sight.translation(), |x, _| x, slider.spring, slider.motor, slider.limits);
    });
}

/// The row of the translation along x of frame a.
#[inline]
pub(super) fn axis_row<D: Dim>(sight: &Sight<D>) -> Row<D> {
    Row::linear(sight.axis(0), sight.r[0] + sight.d, sight.r[1])
}
