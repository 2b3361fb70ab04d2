//! Distance joint: rod, rope, bounds and a spring along the line between the anchors.
//!
//! With n = d/|d|: C = |d| − length, Ċ = n·ḋ, J = (−n, −r_a × n, n, r_b × n),
//! K = 1/m_a + 1/m_b + (r_a × n)·I_a⁻¹(r_a × n) + (r_b × n)·I_b⁻¹(r_b × n). The line turns, so half a sub-step of
//! C̈ = (|ḋ|² − (n·ḋ)²)/|d| + n·d̈ is the drift of a rod. Anchors that coincide have no line: any direction serves.

use super::rows::{Law, Row, RowSink};
use super::sight::{NO_LENGTH, trust};
use super::{Distance, Limits, Sight, Spring};
use crate::math::*;

/// Row along the line between the anchors, and their distance [m].
#[inline]
pub(super) fn line<D: Dim>(sight: &Sight<D>) -> (Row<D>, Real) {
    let n = sight.d.normalize_or(D::Vec::axis(0));
    (Row::linear(n, sight.r[0], sight.r[1]), sight.d.length())
}

/// Impulses: 0 the rod or the shortest length, 1 the longest length, 2 the spring.
#[inline]
pub(super) fn blocks<D: Dim, S: RowSink<D>>(distance: &Distance, sight: &Sight<D>, sink: &mut S) {
    let (row, length) = line(sight);
    if let Some(Spring { rest, hertz, damping }) = distance.spring {
        sink.block(2, Law::Tuned { hertz, damping, max: Real::INFINITY }, [row], [length - rest], [0.0]);
    }
    let Limits { lower, upper } = Limits { lower: distance.min, upper: distance.max };
    // Of limits only those that are solved at once foresee it.
    let drift = || {
        let along = row.d.dot(sight.d_dot);
        let across = (sight.d_dot.dot(sight.d_dot) - along * along).max(0.0);
        let turn =
            if length > NO_LENGTH { 2.0 * sight.half * across.sqrt() / length } else { Real::INFINITY };
        let turning = if turn < 1.0 { sight.half * across / length * trust(turn) } else { 0.0 };
        turning + row.d.dot(sight.point_drift())
    };
    if lower == upper {
        return sink.block(0, Law::Hard, [row], [length - upper], [drift()]);
    }
    if lower > 0.0 {
        sink.block(0, Law::Limit, [row], [length - lower], [0.0]);
    }
    if upper < Real::INFINITY {
        sink.block(1, Law::Limit, [row.reversed()], [upper - length], [-drift()]);
    }
}
