//! Hinge: the anchors stay together, and in space the x axes of the frames stay parallel.
//!
//! Point rows as for a ball joint; two angular rows in space, see `d3.rs`. About the axis n_a of frame a, with the angle
//! φ of frame b in frame a: Ċ = φ̇ = n_a·(w_b − w_a), J = n_a, K = n_a·(I_a⁻¹ + I_b⁻¹)·n_a; spring and servo have
//! C = φ − rest, brought into ±π, the limits C = φ − lower and C = upper − φ.

use super::rows::{Law, Row, RowSink};
use super::{Hinge, Limits, Motor, Sight, Spring};
use crate::math::*;

/// Impulses: 0..5 point and axis, 5 the spring, 6 the motor, 7 and 8 the limits.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(hinge: &Hinge, sight: &Sight<D>, sink: &mut S) {
    if hinge.spring.is_some() || hinge.motor.is_some() || hinge.limits.is_some() {
        let row = Row::angular(D::turning_axis(sight.frames[0], 0));
        let angle = || D::angle_about(sight.frames, 0);
        along(sink, 5, row, angle, wrap, hinge.spring, hinge.motor, hinge.limits);
    }
    D::hinge_block(sink, 0, sight);
}

/// Spring, motor and limits along one degree of freedom whose value is `value()`; four impulses from `at` on. `wrap`
/// brings differences of the value into their range.
#[inline]
pub(super) fn along<D: Dim, S: RowSink<D>>(
    sink: &mut S,
    at: usize,
    row: Row<D>,
    value: impl Fn() -> Real,
    wrap: impl Fn(Real) -> Real,
    spring: Option<Spring>,
    motor: Option<Motor>,
    limits: Option<Limits>,
) {
    let is_free = spring.is_none() && limits.is_none() && !matches!(motor, Some(Motor::Position { .. }));
    let value = if is_free { 0.0 } else { value() };
    if let Some(Spring { rest, hertz, damping }) = spring {
        sink.block(
            at,
            Law::Tuned { hertz, damping, max: Real::INFINITY },
            [row],
            [wrap(value - rest)],
            [0.0],
        );
    }
    match motor {
        Some(Motor::Velocity { speed, max }) => {
            sink.block(at + 1, Law::Motor { max }, [row], [0.0], [-speed]);
        }
        Some(Motor::Position { target, hertz, damping, max }) => {
            sink.block(at + 1, Law::Tuned { hertz, damping, max }, [row], [wrap(value - target)], [0.0]);
        }
        None => {}
    }
    if let Some(Limits { lower, upper }) = limits {
        sink.block(at + 2, Law::Limit, [row], [value - lower], [0.0]);
        sink.block(at + 3, Law::Limit, [row.reversed()], [upper - value], [0.0]);
    }
}

/// The same angle in [−π, π).
#[inline]
pub(crate) fn wrap(angle: Real) -> Real {
    let turn = 2.0 * core::f32::consts::PI;
    angle - turn * (angle / turn + 0.5).floor()
}
