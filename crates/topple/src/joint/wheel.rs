//! Wheel: moves along x of frame a (the suspension), spins about z of frame a (the axle).
//!
//! Line rows and the translation along x as for a slider. In space two angular rows keep the axles parallel, as for a hinge
//! but about z; steering turns frame a about x beforehand. The motor acts on φ̇ = n·(w_b − w_a), n the axle, J = n.

use super::hinge::{along, turn_near};
use super::rows::{Row, RowSink};
use super::{Sight, Wheel};
use crate::math::*;

/// Axis of the frames that is the axle.
pub(super) const AXLE: usize = 2;

/// Impulses: 0..4 line and axle, 4 the suspension, 5 free, 6 and 7 the limits, 8 the motor.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(wheel: &Wheel, sight: &Sight<D>, sink: &mut S) {
    let frames = [D::steered(sight.frames[0], wheel.steering), sight.frames[1]];
    D::wheel_block(sink, 0, sight, frames, |sink| {
        let row = super::slider::axis_row(sight);
        along(sink, 4, row, || sight.translation(), |x, _| x, wheel.spring, None, wheel.limits);
        if wheel.motor.is_some() {
            let row = Row::angular(D::turning_axis(frames[0], AXLE));
            along(sink, 7, row, || D::angle_about(frames, AXLE), turn_near, None, wheel.motor, None);
        }
    });
}
