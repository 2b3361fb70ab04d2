//! Which of the points of a part bear: few, wide apart, and those of last time if others are not clearly better.

use super::{Part, ROOM, Used};
use crate::math::*;

/// Slope of the direction in which the first point is chosen (dimensionless): not parallel to the edges of common shapes.
const ASKEW: Real = 0.37;
/// Advantage of a point that was used last time, as a factor on lengths squared and areas (no unit).
const LOYALTY: Real = 1.1;
/// How much less a point counts that is higher than the lowest by more than a slop: the inverse square of 1 + this, per slop (no unit). On a
/// ball the height grows with the square of the distance, so that without this the highest points within reach would win.
const HIGHER: Real = 2.0;
/// Share of the greatest depth that counts as a slop there if it is more (no unit): all corners of what has sunk in have to come out.
const SUNK: Real = 0.5;
/// Slope from a point down to another one from which on they are on two faces of a body of triangles (no unit; 6°): what lies on one of its faces leans by less.
const NEXT_FACE: Real = 0.1;
/// Advantage of a point opposite to the end of the line between the first two over one opposite to its middle (no unit): more than [`LOYALTY`] gives.
const OUTER: Real = 0.4;

impl<D: Dim> Part<D> {
    /// Keeps at most `D::MAX_POINTS` points: wide apart, the deepest one among them, those of last time unless others are
    /// clearly better.
    pub(super) fn reduce(&mut self, slop: Real, used: &Used) {
        let count = self.count;
        if count <= D::MAX_POINTS {
            return;
        }
        let [t, u] = D::frame_across(self.normal);
        let origin = self.points[0].position;
        let mut flat = [(0.0, 0.0); ROOM];
        for (place, point) in flat.iter_mut().zip(&self.points[..count]) {
            let d = point.position - origin;
            *place = (d.dot(t), d.dot(u));
        }
        let best = |score: &dyn Fn(usize) -> Real| {
            let mut found = (0, Real::NEG_INFINITY);
            for i in 0..count {
                let s = score(i);
                if s > found.1 {
                    found = (i, s);
                }
            }
            found
        };
        let mut weight = [1.0; ROOM];
        let (mut low, mut high) = (flat[0], flat[0]);
        let lowest = self.points[..count].iter().fold(Real::INFINITY, |z, p| z.min(p.separation));
        let level = slop.max(-SUNK * lowest);
        for i in 0..count {
            if used.contains(self.points[i].id) {
                weight[i] = LOYALTY;
            }
            // A round body of triangles rests on what is lowest, not on the border of what is within reach.
            if used.is_body {
                let over = HIGHER * ((self.points[i].separation - lowest) / level - 1.0).max(0.0);
                weight[i] /= (1.0 + over) * (1.0 + over);
            }
            low = (flat[i].0.min(low.0), flat[i].1.min(low.1));
            high = (flat[i].0.max(high.0), flat[i].1.max(high.1));
        }
        let reach = 0.5 * (high.0 - low.0).max(high.1 - low.1);
        let (first, _) = best(&|i| match used.is_body {
            true => (flat[i].0 - low.0 + ASKEW * (flat[i].1 - low.1)) * weight[i],
            false => flat[i].0 + ASKEW * flat[i].1 + (weight[i] - 1.0) * reach,
        });
        let p = flat[first];
        let (second, _) = best(&|i| {
            let (x, y) = (flat[i].0 - p.0, flat[i].1 - p.1);
            (x * x + y * y) * weight[i]
        });
        // Twice the area of the triangle on the left of a line; always 0 in the plane.
        let left = |from: usize, to: usize, i: usize| {
            let (p, q, x) = (flat[from], flat[to], flat[i]);
            (q.0 - p.0) * (x.1 - p.1) - (q.1 - p.1) * (x.0 - p.0)
        };
        let mut chosen = [first, second, 0, 0];
        let mut kept = 2;
        if used.is_body {
            // Opposite to an edge of a face that rocks, all points between two corners are as far away: the corners bear.
            let q = flat[second];
            let (along, length) = ((q.0 - p.0, q.1 - p.1), (q.0 - p.0).powi(2) + (q.1 - p.1).powi(2));
            let outer = |i: usize| {
                let x = (flat[i].0 - p.0) * along.0 + (flat[i].1 - p.1) * along.1;
                1.0 + OUTER * (x - 0.5 * length).abs() / length.max(Real::MIN_POSITIVE)
            };
            let (third, area) = best(&|i| left(first, second, i).abs() * outer(i) * weight[i]);
            if area > 0.0 && kept < D::MAX_POINTS {
                chosen[2] = third;
                kept = 3;
                let turn = if left(first, second, third) < 0.0 { -1.0 } else { 1.0 };
                let sides = [(first, second), (second, third), (third, first)];
                let outside = |i: usize| {
                    sides.iter().map(|&(p, q)| -turn * left(p, q, i)).fold(0.0, Real::max) * weight[i]
                };
                let (fourth, area) = best(&outside);
                if area > 0.0 && kept < D::MAX_POINTS {
                    chosen[3] = fourth;
                    kept = 4;
                }
            }
        } else {
            for sign in [1.0, -1.0] {
                let (i, area) = best(&|i| sign * left(first, second, i) * weight[i]);
                if area > 0.0 && kept < D::MAX_POINTS && !chosen[..kept].contains(&i) {
                    chosen[kept] = i;
                    kept += 1;
                }
            }
        }
        // Of a corner and a point beside it on the next face, which leans away, the corner bears.
        for slot in (0..kept).filter(|_| used.is_body) {
            let (at, high) = (flat[chosen[slot]], self.points[chosen[slot]].separation);
            let below = |i: usize| {
                let (x, y) = (flat[i].0 - at.0, flat[i].1 - at.1);
                high - self.points[i].separation - NEXT_FACE * (x * x + y * y).sqrt()
            };
            let (lower, lead) =
                best(&|i| if chosen[..kept].contains(&i) { Real::NEG_INFINITY } else { below(i) });
            if lead > 0.0 {
                chosen[slot] = lower;
            }
        }
        let (deepest, depth) = best(&|i| -self.points[i].separation);
        let shallow =
            chosen[..kept].iter().fold(Real::INFINITY, |z: Real, &i| z.min(self.points[i].separation));
        if -depth < shallow - slop {
            let d = flat[deepest];
            let near = |i: usize| {
                let (x, y) = (flat[i].0 - d.0, flat[i].1 - d.1);
                x * x + y * y
            };
            let swap = (1..kept).fold(0, |k, j| if near(chosen[j]) < near(chosen[k]) { j } else { k });
            chosen[swap] = deepest;
        }
        let old = self.points;
        for (slot, &i) in self.points.iter_mut().zip(&chosen[..kept]) {
            *slot = old[i];
        }
        self.count = kept;
    }
}
