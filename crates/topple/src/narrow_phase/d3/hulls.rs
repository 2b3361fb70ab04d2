//! Hulls and boxes: separating axes of faces and of edge pairs (`hull_axes.rs`), then clipping of faces. A box is a hull on the stack.
//!
//! Cache: `kind` = face of a, face of b or edge pair, and where the cores of rounded hulls are apart the kind of that contact (`convex.rs`)
//! above it; `a` = the two features; `b` = hashes of the points chosen last.

use super::hull_axes::{Axis, EDGES, FACE_A, FACE_B, Pair, best_edge, best_face, edge_normal};
use super::patch::{self, Patch, PatchJob};
use super::{BACK_TO_GROUND, CLEARLY_FLATTER, Last, NEARLY_FLAT, SAME_WAY, convex};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::shape::d3::{HullFace, HullView};

/// First bit of ids of edge contacts.
const EDGE_ID: u32 = 1 << 31;

/// Pairs of edges above which the search over those of deep overlaps costs more than closest points do.
const MAX_EDGE_PAIRS: usize = 10_000;
/// How much better than a face two edges must be to stay, once they touch, in slops: flat on each other both are as good, up to rounding.
const KEEP_EDGES: Real = 0.1;
/// Bits of `kind` above those of the axis, for the contact of cores that are apart.
const APART_SHIFT: u32 = 8;

/// Contact of two hulls or boxes.
#[expect(clippy::too_many_arguments, reason = "two hulls, and what all contact functions are given")]
pub(super) fn collide(
    a: HullView<'_>,
    b: HullView<'_>,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    if a.lines.len() * b.lines.len() > MAX_EDGE_PAIRS && !job.algorithm.is_sat() {
        return convex::collide(job, ground, cache, counters, out);
    }
    let before = *cache;
    let Some(gap) = by_axes(a, b, radii, job, ground, cache, counters, out) else { return };
    let is_rounded = radii[0] + radii[1] > 0.0;
    if gap > 0.0 && (is_rounded || super::is_beyond(gap, job, out)) {
        // The cores are apart: a corner or an edge may be closest, which no axis here knows.
        out.clear();
        let last = match before.kind >> APART_SHIFT {
            0 => Last::first(job),
            code => Last::of(code, before.b),
        };
        let next = super::collide_apart(job, last.on(ground), counters, out);
        cache.b = next.labels;
        cache.kind |= next.code() << APART_SHIFT;
    }
}

/// The contact as far as axes tell. Returns the gap along the best of them, if that does not end it.
#[expect(clippy::too_many_arguments, reason = "as above")]
fn by_axes(
    a: HullView<'_>,
    b: HullView<'_>,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) -> Option<Real> {
    let pair = Pair { a, b, r: Mat3::from_quat(job.b_in_a.rotation), t: job.b_in_a.position.to_vec() };
    let limit = job.margin + radii[0] + radii[1];
    let cached = pair.cached(cache);
    if let Some(axis) = cached {
        counters.axes += 1;
        if axis.gap > limit {
            counters.cache_hits += 1;
            return None;
        }
    }
    counters.computed += 1;
    let remember = |axis: &Axis, labels: u32| PairCache {
        kind: axis.kind,
        a: (axis.i as u32) << 16 | axis.j as u32,
        b: labels,
        value: axis.gap,
    };
    // [Yuksel2007]: after a face the edges first, and faces of the larger body before those of the smaller.
    let in_order = job.algorithm == Algorithm::SeparatingPlanes;
    let is_b_first = super::is_b_first(job, ground);
    let edges_first = in_order && cached.is_some_and(|c| c.kind != EDGES);
    let mut edge = None;
    if edges_first {
        edge = best_edge(&pair, cached, Real::NEG_INFINITY, limit, counters);
        if let Some(edge) = edge.filter(|e| e.gap > limit) {
            *cache = remember(&edge, u32::MAX);
            return None;
        }
    }
    let mut face = best_face(&pair, cached, is_b_first, job.slop, limit, counters);
    if face.gap > limit {
        *cache = remember(&face, u32::MAX);
        return None;
    }
    if !edges_first {
        edge = best_edge(&pair, cached, face.gap, limit, counters);
    }
    if let Some(edge) = edge.filter(|e| e.gap > limit) {
        *cache = remember(&edge, u32::MAX);
        return None;
    }
    let best_gap = edge.map_or(face.gap, |e| e.gap.max(face.gap));
    if radii[0] + radii[1] > 0.0 && best_gap > 0.0 {
        *cache = remember(&face, u32::MAX);
        return Some(best_gap);
    }
    let threshold = job.slop * if cached.is_some_and(|c| c.kind == EDGES) { KEEP_EDGES } else { 1.0 };
    // Labels of the last points, if they came from the same axis.
    let labels_before = if cache.kind >> APART_SHIFT == 0 { cache.b } else { u32::MAX };
    let used = |axis: &Axis| match cached {
        Some(last) if last.is_same(axis) => labels_before,
        _ => u32::MAX,
    };
    let lowest = |out: &LocalManifold<D3>| {
        out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation)) + radii[0] + radii[1]
    };
    if let Some(edge) = edge.filter(|e| e.gap > face.gap + threshold) {
        // At the end of a tile its edge is as good as its face, which counts how deep the body is over the next one.
        let normal = edge_normal(&pair.a.lines[edge.i], pair.edge_b(edge.j).1);
        let flat = ground.zip(normal).and_then(|(side, normal)| ground_face(&pair, normal, side));
        if let Some(mut flat) = flat {
            flat.lay(&pair, cached);
            let labels = face_contact(&pair, &flat, radii, used(&flat), job, out);
            let reach = super::reach_of_ground(edge.gap, job.slop);
            if (edge.gap - reach..=edge.gap + job.slop).contains(&lowest(out)) {
                *cache = remember(&flat, labels);
                return Some(best_gap);
            }
            out.clear();
        }
        let labels = edge_contact(&pair, &edge, radii, used(&edge), job, out);
        *cache = remember(&edge, labels);
        if !out.is_empty() {
            return Some(best_gap);
        }
        // The lines cross beyond the ends of the edges: what touches, if anything, lies over a face.
    }
    let is_own = |side: &Side| face.kind == if *side == Side::A { FACE_A } else { FACE_B };
    let own = ground.filter(|side| !is_own(side));
    if let Some(mut flat) = own.and_then(|side| ground_face(&pair, pair.face_normal(&face), side)) {
        flat.lay(&pair, cached);
        let labels = face_contact(&pair, &flat, radii, used(&flat), job, out);
        let was_there = cached.is_none_or(|last| last.kind == flat.kind);
        let reach = if was_there { job.slop } else { BACK_TO_GROUND * job.slop };
        let reach = super::reach_of_ground(face.gap, reach);
        // As good up to the slop, where they face each other: what is lowest of all may lie beyond it, over the next tile.
        if (face.gap - reach..=face.gap + job.slop).contains(&lowest(out)) {
            *cache = remember(&flat, labels);
            return Some(best_gap);
        }
        // It ends too early, or the other hull leans too much.
        out.clear();
    }
    face.lay(&pair, cached);
    let labels = face_contact(&pair, &face, radii, used(&face), job, out);
    // Clipping may remove the deepest corner; then the crossing edges are what really touches.
    let lost = lowest(out);
    let better = edge.filter(|e| e.gap > face.gap && (out.is_empty() || lost > e.gap + job.slop));
    let Some(edge) = better else {
        if out.is_empty() && face.gap <= 0.0 {
            corner_contact(&pair, &face, radii, job, out);
        }
        *cache = remember(&face, labels);
        return Some(best_gap);
    };
    out.clear();
    let labels = edge_contact(&pair, &edge, radii, used(&edge), job, out);
    *cache = remember(&edge, labels);
    Some(best_gap)
}

/// The face of the ground that looks the same way as a normal, that of a face of the other hull or of two edges: what slides over one tile after the other
/// lies on their faces, and its own lean by a little.
fn ground_face(pair: &Pair<'_>, normal: Vec3, ground: Side) -> Option<Axis> {
    let kind = if ground == Side::A { FACE_A } else { FACE_B };
    let (i, j) = match ground {
        Side::A => (pair.a.face_along(normal), 0),
        Side::B => (0, pair.b.face_along(-pair.to_b(normal))),
    };
    let mut axis = Axis { kind, i, j, gap: 0.0 };
    let flat = pair.face_normal(&axis);
    if flat.dot(normal) < SAME_WAY {
        return None;
    }
    axis.gap = pair.gap(flat);
    Some(axis)
}

/// Clips the incident face by the reference face. Returns the hashed labels of the points.
fn face_contact(
    pair: &Pair<'_>,
    axis: &Axis,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let faces = [axis.i, axis.j];
    let patch_job = patch_job(faces, pair.face_normal(axis), axis.kind == FACE_B, radii, used, job);
    clip_faces(pair, faces, None, &patch_job, out)
}

/// The job of clipping face i of a and face j of b along a normal.
fn patch_job(
    [i, j]: [usize; 2],
    normal: Vec3,
    reference_is_b: bool,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
) -> PatchJob {
    let reference = if reference_is_b { FACE_B } else { FACE_A };
    PatchJob {
        normal,
        radii,
        margin: job.margin,
        slop: job.slop,
        lead: job.slop,
        is_witness_sure: true,
        used,
        feature: (i as u32).wrapping_mul(521) ^ (j as u32).wrapping_mul(19) ^ (reference << 12),
        reference_is_b,
    }
}

fn clip_faces(
    pair: &Pair<'_>,
    [i, j]: [usize; 2],
    witness: patch::Witness,
    job: &PatchJob,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let (fa, fb) = (&pair.a.faces[i], &pair.b.faces[j]);
    // Buffers for common faces, or for the largest a hull can have; one more for the witness.
    if usize::from(fa.count.max(fb.count)) <= 16 {
        patches::<16, 34>(pair, fa, fb, witness, job, out)
    } else {
        patches::<256, 514>(pair, fa, fb, witness, job, out)
    }
}

fn patches<const FACE: usize, const BOTH: usize>(
    pair: &Pair<'_>,
    fa: &HullFace,
    fb: &HullFace,
    witness: patch::Witness,
    job: &PatchJob,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let (mut pa, mut pb) = ([Vec3::ZERO; FACE], [Vec3::ZERO; FACE]);
    for (slot, i) in pa.iter_mut().zip(pair.a.corners(fa)) {
        *slot = pair.a.vertices[i];
    }
    for (slot, i) in pb.iter_mut().zip(pair.b.corners(fb)) {
        *slot = pair.r * pair.b.vertices[i] + pair.t;
    }
    let a = Patch { points: &pa[..usize::from(fa.count).min(FACE)], normal: fa.normal, cap: None };
    let b = Patch { points: &pb[..usize::from(fb.count).min(FACE)], normal: pair.r * fb.normal, cap: None };
    patch::contact::<BOTH>(a, b, witness, job, out)
}

/// Contact of two crossing edges: the point between them, and what the faces next to them have in common where one lies
/// nearly flat on the other hull; see `leaning_contact` in `box_points.rs`. Returns the hashed labels of the points.
fn edge_contact(
    pair: &Pair<'_>,
    axis: &Axis,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let (line, (q, db)) = (&pair.a.lines[axis.i], pair.edge_b(axis.j));
    let (p, da) = (line.start, line.along);
    let Some(normal) = edge_normal(line, db) else { return u32::MAX };
    let [s, t] = super::round::closest_segments([p, p + da], [q, q + db]);
    let (on_a, on_b) = (p + da * s, q + db * t);
    // Apart, and the lines cross beyond the ends: the axis separates by less than the true distance.
    if axis.gap > 0.0 && on_a.distance(on_b) > axis.gap + job.slop {
        return u32::MAX;
    }
    out.normal = normal;
    let (i, j) = (pair.a.face_along(normal), pair.b.face_along(-pair.to_b(normal)));
    let flat_a = pair.a.faces[i].normal.dot(normal);
    let flat_b = -(pair.r * pair.b.faces[j].normal).dot(normal);
    if flat_a.max(flat_b) > NEARLY_FLAT {
        let is_b = flat_b > flat_a + CLEARLY_FLATTER;
        let patch_job = patch_job([i, j], normal, is_b, radii, used, job);
        // Where the lines cross beyond the end of an edge, nothing touches.
        let is_crossing = (on_b - on_a - normal * axis.gap).length() <= job.slop;
        let crossing = Some((on_a, axis.gap));
        let labels = clip_faces(pair, [i, j], crossing.filter(|_| is_crossing), &patch_job, out);
        if !out.is_empty() {
            return labels;
        }
        return clip_faces(pair, [i, j], crossing, &patch_job, out);
    }
    let mid = (on_a + on_b) * 0.5 + normal * (0.5 * (radii[0] - radii[1]));
    out.push(mid, axis.gap - radii[0] - radii[1], EDGE_ID | (axis.i as u32) << 12 | axis.j as u32);
    u32::MAX
}

/// Last resort for overlapping hulls whose clipped face has no point left: the deepest corner.
fn corner_contact(
    pair: &Pair<'_>,
    axis: &Axis,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let normal = pair.face_normal(axis);
    let (point, id) = if axis.kind == FACE_A {
        let i = pair.b.support(-pair.to_b(normal));
        (pair.r * pair.b.vertices[i] + pair.t - normal * axis.gap, i)
    } else {
        let i = pair.a.support(normal);
        (pair.a.vertices[i], i)
    };
    out.normal = normal;
    super::push_core_point(out, point, axis.gap, radii, job.margin, EDGE_ID >> 1 | id as u32);
}
