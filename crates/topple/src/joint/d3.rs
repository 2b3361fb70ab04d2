//! Joints in space. Compare with `d2.rs`.
//!
//! With q = q_a⁻¹·q_b, the orientation of frame b in frame a:
//! - **No turning** (three rows): C is the rotation vector of q, for small errors 2·(x, y, z) of q, turned to the world;
//!   Ċ = w_b − w_a, J = 1.
//! - **Parallel axes** n_a, n_b (two rows): C_i = t_i·(n_a × n_b) with t_i the two other axes of frame a. If b is turned
//!   against a by a small φ, n_b = n_a + φ × n_a and n_a × n_b = φ − n_a·(n_a·φ), so Ċ_i = t_i·(w_b − w_a), J = t_i.
//! - **Cone**: C = limit − α, α the angle between the x axes; with u = n_a × n_b / |n_a × n_b|: α̇ = u·(w_b − w_a).
//! - **Twist**: q = swing·twist about x; τ = 2·atan2(q_x, q_w), τ̇ = (n_a + n_b)·(w_b − w_a)/(1 + n_a·n_b).

use super::hinge::{turn_limits, turn_near};
use super::{Ball, JointDim, Law, Row, RowSink, Sight};
use crate::math::*;

/// Sine below which two axes are parallel, so that their cross product has no direction [rad]: some rounding errors.
pub(crate) const NO_TILT: Real = 1e-6;
/// Least 1 + cos of the swing at which the twist is held in full: 11° short of half a turn.
pub(crate) const TWIST_FLOOR: Real = 0.01;

/// The two axes of the frame other than `axis`.
#[inline]
fn others(frame: Quat, axis: usize) -> [Vec3; 2] {
    [1, 2].map(|i| RotOps::<D3>::rotate(frame, Vec3::axis((axis + i) % 3)))
}

#[inline]
fn relative(frames: [Quat; 2]) -> Quat {
    RotOps::<D3>::then_after(RotOps::<D3>::inverse(frames[0]), frames[1])
}

const AXES: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

/// Rows of the anchors.
#[inline]
fn point(sight: &Sight<D3>) -> [Row<D3>; 3] {
    AXES.map(|axis| Row::linear(axis, sight.r[0], sight.r[1]))
}

/// Rows, errors and drifts across the x axis of frame a.
#[inline]
fn line(sight: &Sight<D3>) -> ([Row<D3>; 2], [Real; 2], [Real; 2]) {
    let axes = others(sight.frames[0], 0);
    let rows = axes.map(|n| Row::linear(n, sight.r[0] + sight.d, sight.r[1]));
    (rows, axes.map(|n| VecOps::dot(n, sight.d)), axes.map(|n| sight.line_drift(n)))
}

/// Rows and errors that keep axis `axis` of the frames parallel.
#[inline]
fn tilt(frames: [Quat; 2], axis: usize) -> ([Row<D3>; 2], [Real; 2]) {
    let [n_a, n_b] = frames.map(|frame| D3::turning_axis(frame, axis));
    let (axes, tilt) = (others(frames[0], axis), n_a.cross(n_b));
    (axes.map(Row::angular), axes.map(|t| VecOps::dot(t, tilt)))
}

impl JointDim for D3 {
    #[inline]
    fn frame_along(axis: Vec3) -> Quat {
        // The shortest turn from x to the axis; half a turn about z if they are opposite.
        let w = 1.0 + axis.x;
        if w < NO_TILT {
            return Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
        }
        let v = Vec3::X.cross(axis);
        RotOps::<D3>::normalized(Quat::from_xyzw(v.x, v.y, v.z, w))
    }

    #[inline]
    fn angle_about(frames: [Quat; 2], axis: usize) -> Real {
        let q = relative(frames);
        let (s, c) = (VecOps::get(Vec3::new(q.x, q.y, q.z), axis), q.w);
        // The shorter way round: q and −q are the same rotation.
        2.0 * if c < 0.0 { atan2(-s, -c) } else { atan2(s, c) }
    }

    #[inline]
    fn turning_axis(frame: Quat, axis: usize) -> Vec3 {
        RotOps::<D3>::rotate(frame, Vec3::axis(axis))
    }

    #[inline]
    fn turn_error(frames: [Quat; 2]) -> Vec3 {
        let q = relative(frames);
        let sign = if q.w < 0.0 { -2.0 } else { 2.0 };
        RotOps::<D3>::rotate(frames[0], Vec3::new(q.x, q.y, q.z) * sign)
    }

    #[inline]
    fn steered(frame: Quat, angle: Real) -> Quat {
        if angle == 0.0 {
            return frame;
        }
        RotOps::<D3>::then_after(frame, RotOps::<D3>::from_ang(Vec3::X * angle))
    }

    #[inline]
    fn point_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        law: Law,
        r: [Vec3; 2],
        error: Vec3,
        drift: Vec3,
    ) {
        let rows = AXES.map(|axis| Row::linear(axis, r[0], r[1]));
        sink.block(at, law, rows, error.into(), drift.into());
    }

    #[inline]
    fn turn_block<S: RowSink<Self>>(sink: &mut S, at: usize, law: Law, error: Vec3, drift: Vec3) {
        let rows = AXES.map(Row::angular);
        sink.block(at, law, rows, error.into(), drift.into());
    }

    #[inline]
    fn weld_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>) {
        let ([x, y, z], turn) = (point(sight), Self::turn_error(sight.frames));
        let [u, v, w] = AXES.map(Row::angular);
        let (d, drift) = (sight.d, sight.point_drift());
        let error = [d.x, d.y, d.z, turn.x, turn.y, turn.z];
        sink.block(at, Law::Hard, [x, y, z, u, v, w], error, [drift.x, drift.y, drift.z, 0.0, 0.0, 0.0]);
    }

    #[inline]
    fn hinge_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>, act: impl FnOnce(&mut S)) {
        let ([x, y, z], ([u, v], tilt)) = (point(sight), tilt(sight.frames, 0));
        let (d, drift) = (sight.d, sight.point_drift());
        let error = [d.x, d.y, d.z, tilt[0], tilt[1]];
        let rows = [x, y, z, u, v];
        sink.hold(at, &rows);
        act(sink);
        sink.block(at, Law::Hard, rows, error, [drift.x, drift.y, drift.z, 0.0, 0.0]);
    }

    #[inline]
    fn slider_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        sight: &Sight<Self>,
        act: impl FnOnce(&mut S),
    ) {
        let (([x, y], error, drift), turn) = (line(sight), Self::turn_error(sight.frames));
        let [u, v, w] = AXES.map(Row::angular);
        let error = [error[0], error[1], turn.x, turn.y, turn.z];
        let rows = [x, y, u, v, w];
        sink.hold(at, &rows);
        act(sink);
        sink.block(at, Law::Hard, rows, error, [drift[0], drift[1], 0.0, 0.0, 0.0]);
    }

    #[inline]
    fn wheel_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        sight: &Sight<Self>,
        frames: [Quat; 2],
        act: impl FnOnce(&mut S),
    ) {
        let (([x, y], error, drift), ([u, v], tilt)) = (line(sight), tilt(frames, 2));
        let error = [error[0], error[1], tilt[0], tilt[1]];
        let rows = [x, y, u, v];
        sink.hold(at, &rows);
        act(sink);
        sink.block(at, Law::Hard, rows, error, [drift[0], drift[1], 0.0, 0.0]);
    }

    fn ball_limits<S: RowSink<Self>>(sink: &mut S, at: usize, ball: &Ball, sight: &Sight<Self>) {
        let (frames, twist) = (sight.frames, turn_limits(ball.twist));
        if ball.cone.is_none() && twist.is_none() {
            return;
        }
        sink.hold(0, &point(sight));
        let [n_a, n_b] = frames.map(|frame| Self::turning_axis(frame, 0));
        let cos = VecOps::dot(n_a, n_b);
        if let Some(cone) = ball.cone {
            let cross = n_a.cross(n_b);
            let sin = VecOps::length(cross);
            let axis = if sin > NO_TILT { cross * (1.0 / sin) } else { others(frames[0], 0)[0] };
            sink.block(at, Law::Limit, [Row::angular(-axis)], [cone - atan2(sin, cos)], [0.0]);
        }
        if let Some(limits) = twist {
            // At a swing of half a turn the twist is undefined; short of it the row grows, so it is held back.
            let axis = (n_a + n_b) * (1.0 / (1.0 + cos).max(TWIST_FLOOR));
            let twist = turn_near(Self::angle_about(frames, 0), limits.middle());
            sink.block(at + 1, Law::Limit, [Row::angular(axis)], [twist - limits.lower], [0.0]);
            sink.block(at + 2, Law::Limit, [Row::angular(-axis)], [limits.upper - twist], [0.0]);
        }
    }
}
