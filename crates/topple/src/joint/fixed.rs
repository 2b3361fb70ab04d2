//! Fixed joint: nothing moves. The point rows of a ball joint and all angular rows (see `d2.rs` and `d3.rs`), solved as
//! one block: on a long lever point and rotation depend on each other so much that in turn they would not converge.

use super::{RowSink, Sight};
use crate::math::*;

/// Impulses: from 0 on the point, then the rotation.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(sight: &Sight<D>, sink: &mut S) {
    D::weld_block(sink, 0, sight);
}
