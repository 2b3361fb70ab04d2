//! Fixed joint: nothing moves. The point rows of a ball joint, and all angular rows: see `d2.rs` and `d3.rs`.

use super::{Law, RowSink, Sight};
use crate::math::*;

/// Impulses: 0..3 the point, 3..6 the rotation.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(sight: &Sight<D>, sink: &mut S) {
    D::turn_block(sink, 3, Law::Hard, D::turn_error(sight.frames), D::Ang::ZERO);
    D::point_block(sink, 0, Law::Hard, sight.r, sight.d, sight.point_drift());
}
