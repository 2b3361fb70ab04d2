//! Hinge: the anchors stay together, and in space the x axes of the frames stay parallel.
//!
//! Point rows as for a ball joint; two angular rows in space, see `d3.rs`. About the axis n_a of frame a, with the angle
//! φ of frame b in frame a: Ċ = φ̇ = n_a·(w_b − w_a), J = n_a; spring and servo have C = φ − rest, brought into ±π, the limits
//! C = φ − lower and C = upper − φ. Limits count φ within half a turn of their middle, so that they may end at ±π.

use super::rows::{Law, Row, RowSink};
use super::{Hinge, Limits, Motor, Sight, Spring};
use crate::math::*;
use core::f32::consts::PI;

/// Impulses: 0..5 point and axis, 5 the spring, 6 the motor, 7 and 8 the limits.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(hinge: &Hinge, sight: &Sight<D>, sink: &mut S) {
    D::hinge_block(sink, 0, sight, |sink| {
        let limits = turn_limits(hinge.limits);
        if hinge.spring.is_some() || hinge.motor.is_some() || limits.is_some() {
            let row = Row::angular(D::turning_axis(sight.frames[0], 0));
            let angle = || D::angle_about(sight.frames, 0);
            along(sink, 5, row, angle, turn_near, hinge.spring, hinge.motor, limits);
        }
    });
}

/// Spring, motor and limits along one degree of freedom whose value is `value()`; four impulses from `at` on. `near` brings
/// a value as near as it can be to another one, of which it counts as a part.
#[inline]
pub(super) fn along<D: Dim, S: RowSink<D>>(
    sink: &mut S,
    at: usize,
    row: Row<D>,
    value: impl Fn() -> Real,
    near: impl Fn(Real, Real) -> Real,
    spring: Option<Spring>,
    motor: Option<Motor>,
    limits: Option<Limits>,
) {
    let is_free = spring.is_none() && limits.is_none() && !matches!(motor, Some(Motor::Position { .. }));
    let value = if is_free { 0.0 } else { value() };
    let value = limits.map_or(value, |limits| near(value, limits.middle()));
    if let Some(Spring { rest, hertz, damping }) = spring {
        sink.block(
            at,
            Law::Tuned { hertz, damping, max: Real::INFINITY },
            [row],
            [near(value - rest, 0.0)],
            [0.0],
        );
    }
    match motor {
        Some(Motor::Velocity { speed, max }) => {
            let room = limits.map_or([Real::INFINITY; 2], |l| [value - l.lower, l.upper - value]);
            sink.block(at + 1, Law::Motor { max, room }, [row], [0.0], [-speed]);
        }
        Some(Motor::Position { target, hertz, damping, max }) => {
            let target = limits.map_or(target, |limits| servo_target(target, limits, &near));
            let error = near(value - target, 0.0);
            sink.block(at + 1, Law::Tuned { hertz, damping, max }, [row], [error], [0.0]);
        }
        None => {}
    }
    if let Some(Limits { lower, upper }) = limits {
        sink.block(at + 2, Law::Limit, [row], [value - lower], [0.0]);
        sink.block(at + 3, Law::Limit, [row.reversed()], [upper - value], [0.0]);
    }
}

/// Where a servo with limits goes: it does not push against them.
#[inline]
pub(crate) fn servo_target(target: Real, limits: Limits, near: impl Fn(Real, Real) -> Real) -> Real {
    near(target, limits.middle()).max(limits.lower).min(limits.upper)
}

/// Share of the circle from which on limits hold nothing: what is left is rounding noise.
const WHOLE_TURN: Real = 0.999_999;

/// Limits of an angle that hold something: those of the whole circle do not.
#[inline]
pub(crate) fn turn_limits(limits: Option<Limits>) -> Option<Limits> {
    limits.filter(|limits| limits.upper - limits.lower < 2.0 * PI * WHOLE_TURN)
}

/// The same angle within half a turn of `middle`.
#[inline]
pub(crate) fn turn_near(angle: Real, middle: Real) -> Real {
    middle + wrap(angle - middle)
}

/// The same angle in [−π, π]. Of numbers so large that they do not resolve a turn, any angle.
#[inline]
pub(crate) fn wrap(angle: Real) -> Real {
    let turn = 2.0 * PI;
    (angle - turn * (angle / turn + 0.5).floor()).clamp(-PI, PI)
}
