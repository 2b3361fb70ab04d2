//! Joints in the plane. Compare with `d3.rs`.
//!
//! Rotation has one axis and one number: C = φ_b − φ_a, Ċ = w_b − w_a, J = 1, K = I_a⁻¹ + I_b⁻¹.

use super::{Ball, JointDim, Law, Row, RowSink, Sight};
use crate::math::*;

/// Up to here the first two terms of the arc sine are exact to 10⁻⁶ rad.
const SMALL_TURN: Real = 0.1;

/// Row, error and drift across the x axis of frame a.
#[inline]
fn line(sight: &Sight<D2>) -> (Row<D2>, Real, Real) {
    let n = sight.axis(1);
    (Row::linear(n, sight.r[0] + sight.d, sight.r[1]), n.dot(sight.d), sight.line_drift(n))
}

impl JointDim for D2 {
    #[inline]
    fn frame_along(axis: Vec2) -> Rot2 {
        Rot2 { cos: axis.x, sin: axis.y }
    }

    #[inline]
    fn angle_about(frames: [Rot2; 2], _axis: usize) -> Real {
        frames[0].inverse().then_after(frames[1]).angle()
    }

    #[inline]
    fn turning_axis(_frame: Rot2, _axis: usize) -> Real {
        1.0
    }

    #[inline]
    fn turn_error(frames: [Rot2; 2]) -> Real {
        let turn = frames[0].inverse().then_after(frames[1]);
        let s = turn.sin;
        if turn.cos > 0.0 && s.abs() < SMALL_TURN { s * (1.0 + s * s * (1.0 / 6.0)) } else { turn.angle() }
    }

    #[inline]
    fn steered(frame: Rot2, _angle: Real) -> Rot2 {
        frame
    }

    #[inline]
    fn point_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        law: Law,
        r: [Vec2; 2],
        error: Vec2,
        drift: Vec2,
    ) {
        let rows = [Vec2::X, Vec2::Y].map(|axis| Row::linear(axis, r[0], r[1]));
        sink.block(at, law, rows, [error.x, error.y], [drift.x, drift.y]);
    }

    #[inline]
    fn turn_block<S: RowSink<Self>>(sink: &mut S, at: usize, law: Law, error: Real, drift: Real) {
        sink.block(at, law, [Row::angular(1.0)], [error], [drift]);
    }

    #[inline]
    fn weld_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>) {
        let [x, y] = [Vec2::X, Vec2::Y].map(|axis| Row::linear(axis, sight.r[0], sight.r[1]));
        let drift = sight.point_drift();
        let error = [sight.d.x, sight.d.y, Self::turn_error(sight.frames)];
        sink.block(at, Law::Hard, [x, y, Row::angular(1.0)], error, [drift.x, drift.y, 0.0]);
    }

    #[inline]
    fn hinge_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>, act: impl FnOnce(&mut S)) {
        let rows = [Vec2::X, Vec2::Y].map(|axis| Row::linear(axis, sight.r[0], sight.r[1]));
        sink.hold(at, &rows);
        act(sink);
        let (d, drift) = (sight.d, sight.point_drift());
        sink.block(at, Law::Hard, rows, [d.x, d.y], [drift.x, drift.y]);
    }

    #[inline]
    fn slider_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        sight: &Sight<Self>,
        act: impl FnOnce(&mut S),
    ) {
        let (row, error, drift) = line(sight);
        let rows = [row, Row::angular(1.0)];
        sink.hold(at, &rows);
        act(sink);
        sink.block(at, Law::Hard, rows, [error, Self::turn_error(sight.frames)], [drift, 0.0]);
    }

    #[inline]
    fn wheel_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        sight: &Sight<Self>,
        _frames: [Rot2; 2],
        act: impl FnOnce(&mut S),
    ) {
        let (row, error, drift) = line(sight);
        sink.hold(at, &[row]);
        act(sink);
        sink.block(at, Law::Hard, [row], [error], [drift]);
    }

    #[inline]
    fn ball_limits<S: RowSink<Self>>(_sink: &mut S, _at: usize, _ball: &Ball, _sight: &Sight<Self>) {}
}
