//! Mouse joint: a spring of bounded force that pulls anchor b to a point of the world.
//!
//! The rows of a point, with the anchor of a at the target: C = x_b + r_b − target. The target is where the user wants it,
//! not on body a, but the counter-force acts there, so that momentum is kept.

use super::rows::{Law, RowSink};
use super::{Mouse, Sight};
use crate::math::*;

/// Impulses: 0..3 the point.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(mouse: &Mouse<D>, sight: &Sight<D>, sink: &mut S) {
    let Mouse { target, hertz, damping, max_force } = *mouse;
    let error = sight.center_b - target + sight.r[1];
    let at_target = sight.between + sight.r[1] - error;
    let law = Law::Tuned { hertz, damping, max: max_force };
    D::point_block(sink, 0, law, [at_target, sight.r[1]], error, D::Vec::ZERO);
}
