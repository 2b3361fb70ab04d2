//! Motor joint: drives frame b in frame a, all degrees of freedom at once, with bounded force and torque.
//!
//! Seen from the turning frame a: C = d − R_a·p (p the wanted position), Ċ = v_b + w_b × r_b − v_a − w_a × (r_a + d), so the
//! rows of a point with the anchor of a moved to that of b; the rotation vector from the wanted to the real orientation with
//! Ċ = w_b − w_a. Wanted velocities are drifts. With a frequency the law is a spring, without it a motor; forces and torques
//! are bounded as vectors.

use super::rows::{Law, RowSink};
use super::{Drive, Sight};
use crate::math::*;

/// Impulses: 0..3 the position, 3..6 the rotation.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(drive: &Drive<D>, sight: &Sight<D>, sink: &mut S) {
    let law = |max: Real| match drive.hertz > 0.0 {
        true => Law::Tuned { hertz: drive.hertz, damping: drive.damping, max },
        false => Law::Motor { max, room: [Real::INFINITY; 2] },
    };
    let [frame_a, frame_b] = sight.frames;
    if drive.max_torque > 0.0 {
        let wanted = frame_a.then_after(drive.target.rotation);
        let turn = wanted.inverse().then_after(frame_b).to_ang();
        let error = wanted.rotate_ang(turn);
        D::turn_block(sink, 3, law(drive.max_torque), error, -frame_a.rotate_ang(drive.spin));
    }
    if drive.max_force > 0.0 {
        let error = sight.d - frame_a.rotate(drive.target.position.to_vec());
        let drift = -frame_a.rotate(drive.velocity);
        D::point_block(sink, 0, law(drive.max_force), [sight.r[0] + sight.d, sight.r[1]], error, drift);
    }
}
