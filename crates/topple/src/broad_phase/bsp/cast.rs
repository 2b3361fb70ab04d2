//! Rays through a tree of planes: the part of the ray on each side of a plane goes on there.

use super::{BroadPhaseBsp, CUT, HIGH, LEAF, LOW, Node};
use crate::broad_phase::search::BoxRay;
use crate::math::*;

/// Room for the rounding of rays, relative to the coordinates [1]: far above that of f32, far below what costs time.
const ROUNDING: f64 = 1e-5;

impl<D: Dim> BroadPhaseBsp<D> {
    /// Calls `visit` for the proxies the ray may meet, nearer parts first; it returns the new maximum.
    pub(super) fn cast(&self, ray: &BoxRay<D>, max: &mut Real, visit: &mut impl FnMut(u32, Real) -> Real) {
        let mut stack = vec![(0, 0.0_f64, f64::from(*max))];
        while let Some((at, enter, leave)) = stack.pop() {
            let leave = leave.min(f64::from(*max) * (1.0 + ROUNDING));
            if enter > leave {
                continue;
            }
            let node: &Node = &self.nodes[at as usize];
            if node.axis == LEAF {
                self.each_in_leaf(node, &mut |proxy| {
                    *max = visit(proxy, *max);
                    true
                });
                continue;
            }
            let axis = usize::from(node.axis);
            let get = |v: D::Vec| f64::from(v.get(axis));
            let (o, d, grow) = (get(ray.origin.to_vec()), get(ray.direction), get(ray.grow));
            let plane = f64::from(node.plane);
            let mut room = grow + ROUNDING * (plane.abs() + o.abs() + grow);
            if leave.is_finite() {
                room += ROUNDING * d.abs() * leave;
            }
            // The part of the ray on the low side, and that on the high side.
            let (low, high) = if d == 0.0 {
                let is_low = o <= plane + room;
                let is_high = o >= plane - room;
                (is_low.then_some((enter, leave)), is_high.then_some((enter, leave)))
            } else {
                let (until, from) = ((plane + room - o) / d, (plane - room - o) / d);
                if d > 0.0 {
                    (Some((enter, leave.min(until))), Some((enter.max(from), leave)))
                } else {
                    (Some((enter.max(until), leave)), Some((enter, leave.min(from))))
                }
            };
            let mut push = |part: usize, range: Option<(f64, f64)>| {
                if let Some((enter, leave)) = range.filter(|(enter, leave)| enter <= leave) {
                    stack.push((node.parts + part as u32, enter, leave));
                }
            };
            let ways = [(LOW, low), (HIGH, high)];
            let [near, far] = if d < 0.0 { [ways[1], ways[0]] } else { ways };
            push(far.0, far.1);
            push(CUT, Some((enter, leave)));
            push(near.0, near.1);
        }
    }
}
