//! From a clipped polygon to at most four contact points.
//!
//! The choice must not flicker: a stack shakes if its contact points jump while nothing moves. Points that were
//! chosen last time get a bonus in every comparison, and depth only counts where it differs by more than the slop.

use crate::math::*;

/// A candidate in the plane of the reference face.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlatPoint {
    /// Position in the plane of the reference face [m].
    pub x: Real,
    /// Position in the plane of the reference face [m].
    pub y: Real,
    /// Height above the face, negative below [m].
    pub z: Real,
    /// Polygon edge that leads to this point.
    pub edge_in: u16,
    /// Polygon edge that leaves it. The pair is unique in a convex polygon and names the two features that meet.
    pub edge_out: u16,
}

impl FlatPoint {
    /// The pair of edges as one number.
    #[inline]
    pub(super) fn label(&self, bits: u32) -> u32 {
        (u32::from(self.edge_in) << bits) | u32::from(self.edge_out)
    }
}

/// Advantage of a point that was used last time, as a factor on lengths squared and areas.
const LOYALTY: Real = 1.1;

/// Chooses up to four of `points`: large area, the deepest one among them. `was_used` tells which were chosen last
/// time. Returns indices and their number.
pub(super) fn reduce(
    points: &[FlatPoint],
    was_used: impl Fn(&FlatPoint) -> bool,
    slop: Real,
) -> ([usize; 4], usize) {
    let n = points.len();
    if n <= 4 {
        return ([0, 1, 2, 3], n);
    }
    let weight = |i: usize| if was_used(&points[i]) { LOYALTY } else { 1.0 };
    // The best index by a score; the first one wins ties, so the order of the polygon decides, not chance.
    let best = |score: &dyn Fn(usize) -> Real| {
        (1..n).fold((0, score(0)), |(k, s), i| {
            let t = score(i);
            if t > s { (i, t) } else { (k, s) }
        })
    };
    let mean = points.iter().fold([0.0, 0.0], |m, p| [m[0] + p.x, m[1] + p.y]).map(|s| s / n as Real);
    let reach = points.iter().fold(0.0, |m: Real, p| m.max((p.x - mean[0]).abs().max((p.y - mean[1]).abs())));
    // A direction that is not parallel to the edges of common shapes.
    let (first, _) = best(&|i| points[i].x + 0.37 * points[i].y + (weight(i) - 1.0) * reach);
    let p = points[first];
    let (second, _) = best(&|i| {
        let (dx, dy) = (points[i].x - p.x, points[i].y - p.y);
        (dx * dx + dy * dy) * weight(i)
    });
    let q = points[second];
    let side = |i: usize| (q.x - p.x) * (points[i].y - p.y) - (q.y - p.y) * (points[i].x - p.x);
    let (left, left_area) = best(&|i| side(i) * weight(i));
    let (right, right_area) = best(&|i| -side(i) * weight(i));
    let mut chosen = [first, second, 0, 0];
    let mut count = 2;
    for (i, area) in [(left, left_area), (right, right_area)] {
        if area > 0.0 && !chosen[..count].contains(&i) {
            chosen[count] = i;
            count += 1;
        }
    }
    let deepest = (1..n).fold(0, |k, i| if points[i].z < points[k].z { i } else { k });
    let shallow = chosen[..count].iter().fold(Real::INFINITY, |z, &i| z.min(points[i].z));
    if points[deepest].z < shallow - slop {
        let d = points[deepest];
        let near = |i: usize| {
            let (dx, dy) = (points[i].x - d.x, points[i].y - d.y);
            dx * dx + dy * dy
        };
        let swap = (1..count).fold(0, |k, j| if near(chosen[j]) < near(chosen[k]) { j } else { k });
        chosen[swap] = deepest;
    }
    (chosen, count)
}
