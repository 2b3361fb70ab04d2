//! Ball joint: the anchors stay together. In the plane: a pivot.
//!
//! C = x_b + r_b − x_a − r_a = d, Ċ = v_b + w_b × r_b − v_a − w_a × r_a, J = (−1, [r_a]×, 1, −[r_b]×),
//! K = (1/m_a + 1/m_b)·1 − [r_a]× I_a⁻¹ [r_a]× − [r_b]× I_b⁻¹ [r_b]×. Limits: see `d3.rs`.

use super::{Ball, Law, RowSink, Sight};
use crate::math::*;

/// Impulses: 0..3 the point, 3 the cone, 4 and 5 the twist.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(ball: &Ball, sight: &Sight<D>, sink: &mut S) {
    D::ball_limits(sink, 3, ball, sight);
    D::point_block(sink, 0, Law::Hard, sight.r, sight.d, sight.point_drift());
}
