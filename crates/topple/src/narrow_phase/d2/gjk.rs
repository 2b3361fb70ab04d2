//! Any two bounded shapes of the plane by closest points: GJK where the cores are apart, EPA where they overlap.
//!
//! The search gives normal and distance; the points are where the two edges that look along the normal face each other, clipped
//! as for separating axes. Where the normal of one of these edges serves as well to within the slop, it is taken instead:
//! the search is good to its tolerance only, and a box on its side should stand still.
//!
//! Cache: `kind` = [`EDGE_A`], [`EDGE_B`] (whose edge gave the normal) or [`AXIS`] (none); `a` and `b` = the bits of the
//! last normal.

use super::super::{CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use super::clip::{self, Facing};
use crate::distance::{CoreDistance, Cores, Wide, core_distance};
use crate::math::*;
use crate::shape::d2::{Outline, Scratch};
use crate::shape::{Shape2, ShapeOps};

const AXIS: u32 = 16;
const EDGE_A: u32 = 17;
const EDGE_B: u32 = 18;

/// Hysteresis: an edge of b has to be better than one of a by this many slops, so that equal ones do not take turns; where b is the ground, one of
/// a better than one of b.
const SECOND_EDGE: f64 = 0.1;
/// The same where one side is the ground and both edges face the same way: what slides over one tile after the other lies on their edges, and its
/// own lean by a little.
const OFF_GROUND: f64 = 1.0;
/// Share of the slop up to which an edge's normal replaces that of the search when the contact is new, and when it was on
/// an edge before or the edge is the ground's (no unit): harder to enter than to keep.
const ENTER: f64 = 0.5;
const KEEP: f64 = 1.0;
/// Error of the distance that the search leaves, as a share of it (no unit).
const SEARCH_ERROR: f64 = 1e-6;

/// Cosine to the normal of the search from which on an edge may take over where the cores overlap (no unit; 60°).
const OVERLAPPING: Real = 0.5;

/// Contact of two bounded convex shapes, with the last normal as first guess.
pub(super) fn collide(
    job: &CollideJob<'_, D2>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let Some(cores) = Cores::<D2>::new(job.a, job.b, &job.b_in_a) else { return };
    let limit = f64::from(job.margin) + f64::from(job.a.rounding()) + f64::from(job.b.rounding());
    let mut guess = cores.guess();
    let known = (AXIS..=EDGE_B).contains(&cache.kind);
    if let Some(last) = recall(cache).filter(|_| known) {
        guess = last;
        if cores.gap(last) > limit {
            counters.cache_hits += 1;
            return;
        }
    }
    counters.computed += 1;
    let found = core_distance(&cores, guess);
    counters.gjk_iterations += u64::from(found.iterations[0]);
    counters.epa_iterations += u64::from(found.iterations[1]);
    let mut kind = AXIS;
    if found.distance <= limit {
        out.normal = found.normal.narrow();
        kind = points(&cores, &found, (if known { cache.kind } else { AXIS }, ground), job, out);
    }
    let normal: Vec2 = if kind == AXIS { found.normal.narrow() } else { out.normal };
    *cache = PairCache { kind, a: normal.x.to_bits(), b: normal.y.to_bits(), value: found.distance as Real };
}

/// The normal in a cache, if it holds one.
fn recall(cache: &PairCache) -> Option<Wide> {
    Wide::of(Vec2::new(Real::from_bits(cache.a), Real::from_bits(cache.b))).unit()
}

/// Fills in the points. Returns whose edge gave the normal.
fn points(
    cores: &Cores<'_, D2>,
    found: &CoreDistance,
    (last, ground): (u32, Option<Side>),
    job: &CollideJob<'_, D2>,
    out: &mut LocalManifold<D2>,
) -> u32 {
    let (mut room_a, mut room_b) = (Scratch::default(), Scratch::default());
    let (a, b) = (job.a.outline(&mut room_a), job.b.outline(&mut room_b));
    let rotation = job.b_in_a.rotation;
    // A face normal that is as good to within the slop; the last edge first.
    let slop = f64::from(job.slop);
    let normal = out.normal;
    let along_a = a.as_ref().map(|a| facing_edge(a, normal, found.on_a.narrow(), job.slop));
    let on_b = job.b_in_a.inverse_transform(found.on_b.narrow::<Vec2>().into());
    let along_b = b.as_ref().map(|b| facing_edge(b, rotation.rotate_inv(-normal), on_b, job.slop));
    let axis_a = a.as_ref().zip(along_a).map(|(a, i)| a.normals[i]);
    let axis_b = b.as_ref().zip(along_b).map(|(b, i)| -rotation.rotate(b.normals[i]));
    // Apart, the closest points give the direction: an edge may keep it, bent by little, but not take over, the ground's apart. What slides from one tile
    // to the next has a new contact there, which has to push the same way as the last one.
    let is_apart = found.distance > f64::from(clip::BLUR) * slop;
    let alike = if is_apart { clip::SAME_WAY } else { OVERLAPPING };
    let within = |is_ground: bool| match (last == AXIS, is_apart) {
        (true, _) if is_ground => KEEP * slop,
        (true, true) => 0.0,
        (true, false) => ENTER * slop,
        _ => KEEP * slop,
    };
    let rounding = SEARCH_ERROR * found.distance.abs();
    let (mut kind, mut best, mut gap_there) = (AXIS, f64::NEG_INFINITY, found.distance);
    let mut edges = [(axis_a, EDGE_A, Side::A), (axis_b, EDGE_B, Side::B)];
    if ground == Some(Side::B) {
        edges.swap(0, 1);
    }
    let are_alike = axis_a.zip(axis_b).is_some_and(|(a, b)| a.dot(b) >= clip::SAME_WAY);
    let lead = if ground.is_some() && are_alike { OFF_GROUND } else { SECOND_EDGE };
    for (axis, which, side) in edges {
        let Some(axis) = axis.filter(|n| n.dot(normal) >= alike) else { continue };
        let gap = cores.gap(Wide::of(axis));
        let is_ground = ground == Some(side) && axis.dot(normal) >= clip::SAME_WAY;
        let lowest = found.distance - within(is_ground).max(rounding);
        // What is lowest along the normal of the ground may lie beyond the end of its edge, over the next tile.
        let over = match (&a, &b, along_a, along_b) {
            (Some(a), Some(b), Some(i), Some(j)) if is_ground && gap < lowest => {
                let up = if side == Side::B { -axis } else { axis };
                f64::from(Facing::new(a, b, [i, j], axis, &job.b_in_a).lowest(side == Side::B, up))
            }
            _ => gap,
        };
        let score = over + if which == last { 0.5 * slop } else { 0.0 };
        if over >= lowest && score > best + lead * slop {
            (kind, best, gap_there) = (which, score, gap);
            out.normal = axis;
        }
    }
    let (Some(a), Some(b), Some(i), Some(j)) = (a, b, along_a, along_b) else {
        // A circle touches in one point.
        let (ra, rb) = (job.a.rounding(), job.b.rounding());
        let separation = gap_there as Real - ra - rb;
        if separation <= job.margin {
            // On the side of the circle, whose core is the point itself.
            let center = if matches!(job.b, Shape2::Circle { .. }) {
                job.b_in_a.position.to_vec() - out.normal * gap_there as Real
            } else {
                Vec2::ZERO
            };
            out.push(center + out.normal * (ra + 0.5 * separation), separation, 0);
        }
        return kind;
    };
    // What is lowest along the normal of an edge may lie beyond the end of it, over the next tile: the gap is not that of the edges then.
    if kind != AXIS && gap_there < found.distance - (f64::from(clip::BLUR) * slop).max(rounding) {
        let edges = Facing::new(&a, &b, [i, j], out.normal, &job.b_in_a);
        clip::clip(job, &a, &b, &edges, out.normal, None, out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        if deepest <= found.distance as Real - a.radius - b.radius + job.slop {
            return kind;
        }
        // The edge is a good axis and yet misses the deepest point: it ends too early.
        out.clear();
        (kind, gap_there, out.normal) = (AXIS, found.distance, normal);
    }
    let edges = Facing::new(&a, &b, [i, j], out.normal, &job.b_in_a);
    clip::clip(job, &a, &b, &edges, out.normal, Some(gap_there as Real), out);
    kind
}

/// Of the two edges at the corner farthest along `direction` the one that looks more that way; if both do, the one with the
/// closest point `on` it.
fn facing_edge(outline: &Outline<'_>, direction: Vec2, on: Vec2, slop: Real) -> usize {
    let corner = outline.support(direction);
    let before = outline.previous(corner);
    let lead = outline.normals[before].dot(direction) - outline.normals[corner].dot(direction);
    if lead.abs() > clip::TIE {
        return if lead > 0.0 { before } else { corner };
    }
    // How far back from the corner along either edge.
    let back = outline.vertices[corner] - on;
    let reach = |edge: Vec2| edge.normalize_or(Vec2::ZERO).dot(back);
    let along = reach(outline.vertices[corner] - outline.vertices[before]);
    let against = reach(outline.vertices[corner] - outline.vertices[outline.next(corner)]);
    if along > against + slop { before } else { corner }
}
