//! Spring and damper between the anchors, with real stiffness and damping.
//!
//! The line of the distance joint, C = |d| − rest length, and the force −k·C − c·Ċ along it, integrated as the head of
//! `rows.rs` says: stable for any k, c and h.

use super::rows::{Law, RowSink};
use super::{Sight, SpringDamper};
use crate::math::*;

/// Impulse 0.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(spring: &SpringDamper, sight: &Sight<D>, sink: &mut S) {
    let (row, length) = super::distance::line(sight);
    let law = Law::Spring { k: spring.stiffness, c: spring.damping };
    sink.block(0, law, [row], [length - spring.rest_length], [0.0]);
}
