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
/// Slope of the direction in which the first point is the farthest (no unit): not parallel to the edges of common shapes.
const ASKEW: Real = 0.37;

/// Chooses up to four of `points`: large area, the deepest one among them. `was_used` tells which were chosen last
/// time. Returns indices and their number.
#[inline]
pub(super) fn reduce(
    points: &[FlatPoint],
    was_used: impl Fn(&FlatPoint) -> bool,
    slop: Real,
) -> ([usize; 4], usize) {
    if points.len() <= 4 {
        return ([0, 1, 2, 3], points.len());
    }
    // One bit per point; polygons with more corners than that have no favourites among the rest.
    let mut used = 0_u64;
    for (i, p) in points.iter().enumerate().take(64) {
        used |= u64::from(was_used(p)) << i;
    }
    choose(points, used, slop)
}

/// Index and value of the best score; the first one wins ties, so the order of the polygon decides, not chance.
#[inline]
fn best(points: &[FlatPoint], score: impl Fn(usize, &FlatPoint) -> Real) -> (usize, Real) {
    let mut found = (0, Real::NEG_INFINITY);
    for (i, p) in points.iter().enumerate() {
        let s = score(i, p);
        if s > found.1 {
            found = (i, s);
        }
    }
    found
}

fn choose(points: &[FlatPoint], used: u64, slop: Real) -> ([usize; 4], usize) {
    let weight = |i: usize| if i < 64 && used >> i & 1 == 1 { LOYALTY } else { 1.0 };
    let (mut low, mut high) = ([Real::INFINITY; 2], [Real::NEG_INFINITY; 2]);
    for p in points {
        low = [low[0].min(p.x), low[1].min(p.y)];
        high = [high[0].max(p.x), high[1].max(p.y)];
    }
    let reach = 0.5 * (high[0] - low[0]).max(high[1] - low[1]);
    let (first, _) = best(points, |i, p| p.x + ASKEW * p.y + (weight(i) - 1.0) * reach);
    let p = points[first];
    let (second, _) = best(points, |i, r| {
        let (dx, dy) = (r.x - p.x, r.y - p.y);
        (dx * dx + dy * dy) * weight(i)
    });
    let q = points[second];
    // Twice the area of the triangle on either side of the line p q.
    let side = |r: &FlatPoint| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    let sides = [best(points, |i, r| side(r) * weight(i)), best(points, |i, r| -side(r) * weight(i))];
    let mut chosen = [first, second, 0, 0];
    let mut count = 2;
    for (i, area) in sides {
        if area > 0.0 && !chosen[..count].contains(&i) {
            chosen[count] = i;
            count += 1;
        }
    }
    let (deepest, depth) = best(points, |_, r| -r.z);
    let shallow = chosen[..count].iter().fold(Real::INFINITY, |z, &i| z.min(points[i].z));
    if -depth < shallow - slop {
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
