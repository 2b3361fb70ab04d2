//! The edge that separates two rounded polygons best.
//!
//! Every edge of both cores is an axis; its separation is the height of the other core's lowest corner above it. As the
//! normals of one polygon turn counter-clockwise, so does the lowest corner of the other, so that a walk around both
//! finds all of them in time linear in the corners; edges that cannot win are passed over. Whether the contact is on
//! that edge or at its end is decided in `clip.rs`.

use super::super::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use super::clip;
use crate::math::*;
use crate::shape::d2::{Outline, rectangle_corners, rectangle_outline};

/// Marks a [`PairCache`] with an edge of a in field `a` and the corner of b below it in field `b`.
const EDGE_OF_A: u32 = 1;
/// Marks a [`PairCache`] with an edge of b in field `b` and the corner of a below it in field `a`.
const EDGE_OF_B: u32 = 2;

/// How much better an edge of a body may be than that of the ground and yet give the contact back to it, in slops.
const BACK_TO_GROUND: Real = 0.5;

/// A separating axis: an edge of one core, the corner of the other core that is lowest above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The edge belongs to b, the corner to a.
    pub on_b: bool,
    /// Number of the edge.
    pub edge: usize,
    /// Number of the other core's corner.
    pub corner: usize,
    /// Height of the corner above the edge's line [m], without the radii.
    pub separation: Real,
}

impl Axis {
    fn load(cache: &PairCache, a: &Outline<'_>, b: &Outline<'_>) -> Option<Self> {
        let (ia, ib) = (cache.a as usize, cache.b as usize);
        if !matches!(cache.kind, EDGE_OF_A | EDGE_OF_B) || ia >= a.len() || ib >= b.len() {
            return None;
        }
        let on_b = cache.kind == EDGE_OF_B;
        let (edge, corner) = if on_b { (ib, ia) } else { (ia, ib) };
        Some(Self { on_b, edge, corner, separation: 0.0 })
    }

    fn store(&self, cache: &mut PairCache) {
        let (edge, corner) = (self.edge as u32, self.corner as u32);
        *cache = if self.on_b {
            PairCache { kind: EDGE_OF_B, a: corner, b: edge, value: self.separation }
        } else {
            PairCache { kind: EDGE_OF_A, a: edge, b: corner, value: self.separation }
        };
    }

    /// True for axes of the same edge, whatever the corner.
    #[inline]
    fn is_same_edge(&self, other: &Self) -> bool {
        self.on_b == other.on_b && self.edge == other.edge
    }

    /// The same edge at the present poses. Walks from the remembered corner, usually no step at all.
    #[inline]
    fn updated(mut self, a: &Outline<'_>, b: &Outline<'_>, b_in_a: &Pose<D2>, a_in_b: &Pose<D2>) -> Self {
        let (x, y, y_in_x) = if self.on_b { (b, a, a_in_b) } else { (a, b, b_in_a) };
        let up = y_in_x.rotation.rotate_inv(x.normals[self.edge]);
        self.corner = lowest_from(y, self.corner, up);
        self.separation = height(x, self.edge, y, self.corner, up, y_in_x);
        self
    }
}

/// Two rounded polygons.
pub(super) fn outlines(
    job: &CollideJob<'_, D2>,
    a: &Outline<'_>,
    b: &Outline<'_>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let b_in_a = job.b_in_a;
    let a_in_b = job.swapped().b_in_a;
    let limit = job.margin + a.radius + b.radius;
    let was_apart = cache.value > limit;
    let last = Axis::load(cache, a, b).map(|axis| axis.updated(a, b, &b_in_a, &a_in_b));
    if let Some(axis) = last {
        counters.axes += 1;
        if axis.separation > limit {
            counters.cache_hits += 1;
            axis.store(cache);
            return;
        }
    }
    counters.computed += 1;
    let nothing = Axis { on_b: false, edge: 0, corner: 0, separation: Real::NEG_INFINITY };
    let mut best = last.unwrap_or(nothing);
    // Planes on the larger body last longer; of equal axes that of the body searched first wins.
    let b_first = job.algorithm == Algorithm::SeparatingPlanes && job.is_b_larger();
    let mut of_ground = ground.map(|_| nothing);
    for on_b in [b_first, !b_first] {
        if best.separation > limit {
            break;
        }
        let (x, y, y_in_x) = if on_b { (b, a, &a_in_b) } else { (a, b, &b_in_a) };
        best = best_edge(x, y, y_in_x, on_b, best);
        if ground == Some(if on_b { Side::B } else { Side::A }) {
            of_ground = Some(if best.on_b == on_b { best } else { best_edge(x, y, y_in_x, on_b, nothing) });
        }
        counters.axes += x.len() as u64;
    }
    if best.separation > limit {
        best.store(cache);
        return;
    }
    // An axis that has only kept them apart so far is no better than others now that they touch.
    let last = last.filter(|_| !was_apart);
    let alike = |x: &Axis, y: &Axis| is_alike(x, y, a, b, &b_in_a);
    let over = |ground: &Axis, best: &Axis| clip::height_over(a, b, ground, best, &b_in_a);
    let last = preferred(&best, last, of_ground, (alike, over), job.slop);
    clip::contact(job, a, b, best, last, out).store(cache);
}

/// Two rounded rectangles (half sizes, radius): the most common pair, with its four axes in closed form.
pub(super) fn rectangles(
    job: &CollideJob<'_, D2>,
    (half_a, radius_a): (Vec2, Real),
    (half_b, radius_b): (Vec2, Real),
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let rotation = job.b_in_a.rotation;
    let from_a = job.b_in_a.position.to_vec();
    let from_b = rotation.rotate_inv(from_a);
    let (c, s) = (rotation.cos.abs(), rotation.sin.abs());
    let limit = job.margin + radius_a + radius_b;
    let gap_a = from_a.abs() - half_a - Vec2::new(c * half_b.x + s * half_b.y, s * half_b.x + c * half_b.y);
    let gap_b = from_b.abs() - half_b - Vec2::new(c * half_a.x + s * half_a.y, s * half_a.x + c * half_a.y);
    let in_order = job.algorithm == Algorithm::SeparatingPlanes;
    if !in_order {
        counters.computed += 1;
        counters.axes += 4;
        if gap_a.max(gap_b).max_element() > limit {
            // Nothing to remember: the test of all axes is as cheap as that of one.
            return;
        }
    }
    let (va, vb) = (rectangle_corners(half_a), rectangle_corners(half_b));
    let a = rectangle_outline(&va, radius_a);
    let b = rectangle_outline(&vb, radius_b);
    // Bottom, right, top, left are edges 0 to 3.
    let edge = |along_x: bool, d: Vec2| match (along_x, if along_x { d.x } else { d.y } >= 0.0) {
        (false, false) => 0,
        (true, true) => 1,
        (false, true) => 2,
        (true, false) => 3,
    };
    let in_a = gap_a.x.max(gap_a.y);
    let in_b = gap_b.x.max(gap_b.y);
    let best_of = |on_b: bool| {
        if on_b {
            let edge = edge(gap_b.x >= gap_b.y, -from_b);
            let corner = rectangle_corner(rotation.rotate(-b.normals[edge]));
            Axis { on_b, edge, corner, separation: in_b }
        } else {
            let edge = edge(gap_a.x >= gap_a.y, from_a);
            let corner = rectangle_corner(rotation.rotate_inv(-a.normals[edge]));
            Axis { on_b, edge, corner, separation: in_a }
        }
    };
    if in_order {
        // [Yuksel2007]: the last plane first, then those of the larger body, and the first that separates will do.
        let last = Axis::load(cache, &a, &b).map(|l| l.updated(&a, &b, &job.b_in_a, &job.swapped().b_in_a));
        counters.axes += u64::from(last.is_some());
        if let Some(last) = last.filter(|l| l.separation > limit) {
            counters.cache_hits += 1;
            return last.store(cache);
        }
        counters.computed += 1;
        let b_first = job.is_b_larger();
        for on_b in [b_first, !b_first] {
            counters.axes += 2;
            let plane = best_of(on_b);
            if plane.separation > limit {
                return plane.store(cache);
            }
        }
    }
    let best = best_of(in_b > in_a);
    let last = Axis::load(cache, &a, &b).filter(|_| cache.value <= limit).map(|l| {
        if l.is_same_edge(&best) { l } else { l.updated(&a, &b, &job.b_in_a, &job.swapped().b_in_a) }
    });
    let of_ground = ground.map(|side| best_of(side == Side::B));
    let alike = |x: &Axis, y: &Axis| is_alike(x, y, &a, &b, &job.b_in_a);
    let over = |ground: &Axis, best: &Axis| clip::height_over(&a, &b, ground, best, &job.b_in_a);
    let last = preferred(&best, last, of_ground, (alike, over), job.slop);
    clip::contact(job, &a, &b, best, last, out).store(cache);
}

/// The axis that is taken instead of `best`, if it is as good up to the slop: that of the ground if it looks the same way, else that of the
/// last time. What slides over one tile after the other has to lie on the tiles' edges: its own lean by a little. `of_ground` is the best axis of
/// the ground's edges; `over` tells how low an edge of the body is over an edge of the ground.
fn preferred(
    best: &Axis,
    last: Option<Axis>,
    of_ground: Option<Axis>,
    (is_alike, over): (impl Fn(&Axis, &Axis) -> bool, impl Fn(&Axis, &Axis) -> Real),
    slop: Real,
) -> Option<Axis> {
    let Some(ground) = of_ground else { return last.filter(|last| !last.is_same_edge(best)) };
    if best.on_b != ground.on_b && is_alike(&ground, best) {
        let was_there = last.is_none_or(|last| last.on_b == ground.on_b);
        let reach = if was_there { slop } else { BACK_TO_GROUND * slop };
        if ground.separation >= best.separation - reach {
            return Some(ground);
        }
        // What is lowest may lie beyond the end of the edge, over the next tile.
        let separation = over(&ground, best);
        if separation >= best.separation - reach {
            return Some(Axis { separation, ..ground });
        }
    }
    last.filter(|last| {
        let is_off = best.on_b == ground.on_b && last.on_b != ground.on_b;
        !(last.is_same_edge(best) || is_off && is_alike(last, best))
    })
}

/// True if the edges of two axes, of a and of b, face the same way.
fn is_alike(x: &Axis, y: &Axis, a: &Outline<'_>, b: &Outline<'_>, b_in_a: &Pose<D2>) -> bool {
    let normal = |axis: &Axis| match axis.on_b {
        true => -b_in_a.rotation.rotate(b.normals[axis.edge]),
        false => a.normals[axis.edge],
    };
    normal(x).dot(normal(y)) >= clip::SAME_WAY
}

/// The corner of a rectangle farthest along `direction`.
#[inline]
fn rectangle_corner(direction: Vec2) -> usize {
    match (direction.x >= 0.0, direction.y >= 0.0) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

/// The better of `best` and the edges of `x`, which belong to b if `on_b`.
#[inline]
fn best_edge(x: &Outline<'_>, y: &Outline<'_>, y_in_x: &Pose<D2>, on_b: bool, mut best: Axis) -> Axis {
    let mut corner = 0;
    for edge in 0..x.len() {
        let up = y_in_x.rotation.rotate_inv(x.normals[edge]);
        // Any corner is at least as high as the lowest: most edges are out after this one, all that face away.
        if height(x, edge, y, corner, up, y_in_x) <= best.separation {
            continue;
        }
        corner = lowest_from(y, corner, up);
        let separation = height(x, edge, y, corner, up, y_in_x);
        if separation > best.separation {
            best = Axis { on_b, edge, corner, separation };
        }
    }
    best
}

/// Height of corner `corner` of `y` above edge `edge` of `x`, whose normal in the frame of y is `up` [m].
#[inline]
fn height(x: &Outline<'_>, edge: usize, y: &Outline<'_>, corner: usize, up: Vec2, y_in_x: &Pose<D2>) -> Real {
    x.normals[edge].dot(y_in_x.position.to_vec() - x.vertices[edge]) + up.dot(y.vertices[corner])
}

/// The lowest corner along `up`, searched from `corner` in both directions. Decided by the edges' directions, not by the
/// corners' heights: short edges would drown in rounding.
#[inline]
fn lowest_from(y: &Outline<'_>, corner: usize, up: Vec2) -> usize {
    let mut found = corner;
    // The bound on the steps is for normals that are not numbers.
    for _ in 0..y.len() {
        if y.normals[found].perp_dot(up) >= 0.0 {
            break;
        }
        found = y.next(found);
    }
    if found == corner {
        for _ in 0..y.len() {
            let before = y.previous(found);
            if y.normals[before].perp_dot(up) <= 0.0 {
                break;
            }
            found = before;
        }
    }
    found
}
