//! From the best separating edge to contact points.
//!
//! The closest features are the best edge or one of its ends, and the corner below it or one of that corner's edges
//! (for why, see `Outline::nearest`; the same argument in the Minkowski difference). That fixes the normal. The points
//! are where the two edges, seen along the normal, begin and cease to face each other. Each has the corners at its end
//! of both edges as its id, whichever of the two cuts the other off: it stays the same while a body slides over the end
//! of another. A polygon that rolls over a corner changes it once, when its next edge faces the ground more.
//!
//! ```text
//!           q1 ────────────── q2      edge of b
//!           ·                 ·
//!   p2 ───────────────────────── p1   edge of a; both counter-clockwise
//!          low               high     the normal points up, from a to b; t to the right
//! ```

use super::super::{CollideJob, LocalManifold};
use super::sat::Axis;
use crate::math::*;
use crate::shape::d2::{Outline, rounding_of};

/// Part of the slop below which the direction between two corners counts as noise (no unit); the edge's normal is
/// taken instead.
pub(super) const BLUR: Real = 0.1;

/// Cosine of the angle up to which two edges count as facing the same way, so that the contact of separate cores may
/// stay on the edge it was on (dimensionless; 2.5°).
pub(super) const SAME_WAY: Real = 0.999;

/// Lead (of a cosine, dimensionless) that decides between the two edges at a corner. Keeps the ids of a square that
/// stands on its corner from changing with the last bit of its rotation; too small to matter for edges of 256-gons.
pub(super) const TIE: Real = 1e-4;

/// Two edges that face each other, in the frame of a. The edge of a runs from p1 to p2, that of b from q1 to q2.
pub(super) struct Facing {
    p1: Vec2,
    p2: Vec2,
    q1: Vec2,
    q2: Vec2,
    /// Numbers of the corners p1, p2, q1, q2.
    corners: [usize; 4],
    /// Normal of the axis' edge, from a to b.
    normal: Vec2,
}

/// Fills `out` for the pair whose best axis is `best`, preferring the axis `last` of the step before if it is as good
/// up to the slop. Returns the axis that was used.
pub(super) fn contact(
    job: &CollideJob<'_, D2>,
    a: &Outline<'_>,
    b: &Outline<'_>,
    best: Axis,
    last: Option<Axis>,
    out: &mut LocalManifold<D2>,
) -> Axis {
    let edges = facing(a, b, &best, &job.b_in_a);
    let noise = rounding_of(edges.p1.abs() + edges.q1.abs());
    let mut is_separate = false;
    // Not compared with 0: for two segments in line only rounding decides on which side of the lines they are.
    if best.separation > -noise {
        // Four times the noise: directions are right to a degree.
        let blur = (BLUR * job.slop).max(4.0 * noise);
        if let Some((normal, distance)) = corner_normal(&edges, best.on_b, blur) {
            if distance <= job.margin + a.radius + b.radius {
                clip(job, a, b, &edges, normal, Some(distance), out);
            }
            return best;
        }
        is_separate = best.separation > blur;
    }
    let radii = a.radius + b.radius;
    if let Some(last) = last.filter(|l| l.separation >= best.separation - job.slop) {
        let old = facing(a, b, &last, &job.b_in_a);
        if !is_separate || old.normal.dot(edges.normal) >= SAME_WAY {
            clip(job, a, b, &old, old.normal, None, out);
            // The old edge may still be a good axis and yet miss the deepest point: it ends too early.
            let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
            if deepest <= best.separation - radii + job.slop {
                return last;
            }
            out.clear();
        }
    }
    clip(job, a, b, &edges, edges.normal, Some(best.separation), out);
    best
}

/// The edge of the axis, and of the two edges at the other core's corner the one that faces it more.
// PERF: always inline, here and for `clip`: 55 ns instead of 60 for a rectangle at rest on another.
#[inline(always)]
fn facing(a: &Outline<'_>, b: &Outline<'_>, axis: &Axis, b_in_a: &Pose<D2>) -> Facing {
    let (x, y) = if axis.on_b { (b, a) } else { (a, b) };
    let n = x.normals[axis.edge];
    let normal = if axis.on_b { -b_in_a.rotation.rotate(n) } else { n };
    let n_in_y = if axis.on_b { -normal } else { b_in_a.rotation.rotate_inv(n) };
    let before = y.previous(axis.corner);
    let faces_more = y.normals[before].dot(n_in_y) < y.normals[axis.corner].dot(n_in_y) - TIE;
    let incident = if faces_more { before } else { axis.corner };
    let (ia, ib) = if axis.on_b { (incident, axis.edge) } else { (axis.edge, incident) };
    Facing::new(a, b, [ia, ib], normal, b_in_a)
}

impl Facing {
    /// Edges number `ia` of a and `ib` of b, b placed in the frame of a.
    #[inline(always)]
    pub(super) fn new(
        a: &Outline<'_>,
        b: &Outline<'_>,
        [ia, ib]: [usize; 2],
        normal: Vec2,
        b_in_a: &Pose<D2>,
    ) -> Self {
        let corners = [ia, a.next(ia), ib, b.next(ib)];
        let place = |v: Vec2| b_in_a.position.to_vec() + b_in_a.rotation.rotate(v);
        Self {
            p1: a.vertices[corners[0]],
            p2: a.vertices[corners[1]],
            q1: place(b.vertices[corners[2]]),
            q2: place(b.vertices[corners[3]]),
            corners,
            normal,
        }
    }

    /// Height along `up`, its outward normal, of the lowest point that the other edge has over the edge of b, or of a [m]; −∞ if there is none.
    pub(super) fn lowest(&self, on_b: bool, up: Vec2) -> Real {
        let (from, to, ends) = match on_b {
            true => (self.q1, self.q2, [self.p1, self.p2]),
            false => (self.p1, self.p2, [self.q1, self.q2]),
        };
        let along = (to - from).normalize_or(up.perp());
        let [p, q] = ends.map(|end| Vec2::new(along.dot(end - from), up.dot(end - from)));
        let (left, right) = if p.x <= q.x { (p, q) } else { (q, p) };
        let (low, high) = (left.x.max(0.0), right.x.min(along.dot(to - from)));
        if low > high {
            return Real::NEG_INFINITY;
        }
        height_at(left, right, low).min(height_at(left, right, high))
    }
}

/// Height of the lowest point that the edge of `other` has over the edge of `reference`, which belongs to the other core, along its normal [m]; −∞ if they do not face each other.
pub(super) fn height_over(
    a: &Outline<'_>,
    b: &Outline<'_>,
    reference: &Axis,
    other: &Axis,
    b_in_a: &Pose<D2>,
) -> Real {
    let (ia, ib) = if reference.on_b { (other.edge, reference.edge) } else { (reference.edge, other.edge) };
    let up = if reference.on_b { b_in_a.rotation.rotate(b.normals[ib]) } else { a.normals[ia] };
    Facing::new(a, b, [ia, ib], up, b_in_a).lowest(reference.on_b, up)
}

/// Direction from a to b and distance of the cores, if the closest point of the axis' edge is one of its ends; None if
/// it is not, or so close that the direction would be noise.
#[inline]
fn corner_normal(edges: &Facing, on_b: bool, blur: Real) -> Option<(Vec2, Real)> {
    let Facing { p1, p2, q1, q2, normal, .. } = *edges;
    // Reference edge from e1 to e2, other edge from i1 to i2; both in the frame of a.
    let (e1, e2, i1, i2) = if on_b { (q1, q2, p1, p2) } else { (p1, p2, q1, q2) };
    let outward = if on_b { -normal } else { normal };
    // The other edge's end that is lower above the reference edge, as the axis saw it.
    let lowest = if outward.dot(i2 - i1) < 0.0 { i2 } else { i1 };
    let along = outward.perp();
    let end = if along.dot(lowest - e1) < 0.0 {
        e1
    } else if along.dot(lowest - e2) > 0.0 {
        e2
    } else {
        return None;
    };
    let edge = i2 - i1;
    let length2 = edge.length_squared();
    let t = (end - i1).dot(edge);
    let foot = if t <= 0.0 {
        i1
    } else if t >= length2 {
        i2
    } else {
        // The end is above the middle of the other edge, which would be the better axis then: the two are parallel.
        return None;
    };
    let d = if on_b { end - foot } else { foot - end };
    let distance = d.length();
    (distance > blur).then(|| (d / distance, distance))
}

/// Points at both ends of the stretch over which the edges face each other along `normal`. `closest` is the separation
/// of the cores at the deepest point, if that is known to lie on these edges; they then give a point in any case,
/// otherwise only if they do not miss each other by more than the slop.
#[inline(always)]
pub(super) fn clip(
    job: &CollideJob<'_, D2>,
    a: &Outline<'_>,
    b: &Outline<'_>,
    edges: &Facing,
    normal: Vec2,
    closest: Option<Real>,
    out: &mut LocalManifold<D2>,
) {
    out.normal = normal;
    let t = -normal.perp();
    let radii = a.radius + b.radius;
    let [i1, i2, j1, j2] = edges.corners;
    // Coordinates (along t, along the normal) from p1, so that p1 is (0, 0).
    let from = edges.p1;
    let local = |d: Vec2| Vec2::new(t.dot(d), normal.dot(d));
    let p2 = local(edges.p2 - from);
    let (q1, q2) = (local(edges.q1 - from), local(edges.q2 - from));
    // The edge of a runs against t, that of b along it.
    let (low, high) = (p2.x.max(q1.x), q2.x.min(0.0));
    let mut push = |x: Real, y: Real, s: Real, i: usize, j: usize| {
        let separation = s - radii;
        if separation <= job.margin {
            let id = ((i as u32) << 16) | j as u32;
            out.push(from + t * x + normal * (y + a.radius + 0.5 * separation), separation, id);
        }
    };
    let height_a = |x: Real| height_at(p2, Vec2::ZERO, x);
    let height_b = |x: Real| height_at(q1, q2, x);
    // The flatter edge knows better where a point is.
    let is_a_flatter = p2.y.abs() * (q2.x - q1.x) <= (q2.y - q1.y).abs() * -p2.x;
    if high - low > job.slop {
        let (a_low, b_low) = (height_a(low), height_b(low));
        let (a_high, b_high) = (height_a(high), height_b(high));
        let (mut s_low, mut s_high) = (b_low - a_low, b_high - a_high);
        // The same but for rounding, which a steep edge multiplies: the axis knows better.
        if let Some(s) = closest {
            *(if s_low <= s_high { &mut s_low } else { &mut s_high }) = s;
        }
        push(low, if is_a_flatter { a_low } else { b_low - s_low }, s_low, i2, j1);
        push(high, if is_a_flatter { a_high } else { b_high - s_high }, s_high, i1, j2);
    } else if closest.is_some() || high >= low - job.slop {
        // One point. Where an edge is upright (or leans over: at corners), it is at the end that faces the other one.
        let is_upright_a = -p2.x <= job.slop;
        let is_upright_b = q2.x - q1.x <= job.slop;
        let top = if p2.y > 0.0 { p2 } else { Vec2::ZERO };
        let bottom = if q1.y < q2.y { q1 } else { q2 };
        let x = match (is_upright_a, is_upright_b) {
            (true, _) => top.x,
            (false, true) => bottom.x,
            (false, false) => 0.5 * (low + high),
        };
        let y_a = if is_upright_a { top.y } else { height_a(x) };
        let y_b = if is_upright_b { bottom.y } else { height_b(x) };
        let s = closest.unwrap_or(y_b - y_a);
        push(x, if is_a_flatter { y_a } else { y_b - s }, s, i1, j2);
    }
}

/// Height at `x` of the edge from `left` to `right`; exact at its ends.
#[inline]
fn height_at(left: Vec2, right: Vec2, x: Real) -> Real {
    let width = right.x - left.x;
    if x <= left.x || width <= 0.0 {
        left.y
    } else if x >= right.x {
        right.y
    } else {
        left.y + (right.y - left.y) * ((x - left.x) / width)
    }
}
