//! Hulls and boxes: separating axes of faces and of edge pairs, then clipping of faces.
//!
//! Only edge pairs whose arcs cross on the Gauss map (the sphere of normals) can be the closest ones: a cheap sign test
//! leaves a few pairs for which the axis is computed, after Gregorius (2013). A box is a hull on the stack.
//!
//! Cache: `kind` = face of a, face of b or edge pair; `a` = the two features; `b` = hashes of the points chosen last.

use super::patch::{self, Patch, PatchJob};
use super::{CLEARLY_FLATTER, NEARLY_FLAT, NO_CROSS_SQUARED, SECOND_FACE, convex};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::shape::d3::{EdgeLine, HullFace, HullView, LineBlock};

const FACE_A: u32 = 32;
const FACE_B: u32 = 33;
const EDGES: u32 = 34;
/// First bit of ids of edge contacts.
const EDGE_ID: u32 = 1 << 31;

/// Two hulls, b placed in the frame of a.
struct Pair<'a> {
    a: HullView<'a>,
    b: HullView<'a>,
    /// Rotation of b in the frame of a, as columns.
    r: Mat3,
    t: Vec3,
}

/// An axis that separates, or overlaps least: its kind, the features, and the gap.
#[derive(Clone, Copy)]
struct Axis {
    kind: u32,
    i: usize,
    j: usize,
    gap: Real,
}

impl Pair<'_> {
    fn to_b(&self, v: Vec3) -> Vec3 {
        self.r.transpose() * v
    }

    /// Gap between a face of a and the hull b.
    fn face_a_gap(&self, face: &HullFace) -> Real {
        face.normal.dot(self.t) + lowest(self.b.vertices, self.to_b(face.normal)) - face.offset
    }

    /// Gap between a face of b and the hull a.
    fn face_b_gap(&self, face: &HullFace) -> Real {
        let n = self.r * face.normal;
        lowest(self.a.vertices, n) - n.dot(self.t) - face.offset
    }

    /// Gap along any unit axis from a to b.
    fn gap(&self, n: Vec3) -> Real {
        n.dot(self.t) + lowest(self.b.vertices, self.to_b(n)) + lowest(self.a.vertices, -n)
    }

    /// Edge `j` of b in the frame of a: start, direction.
    fn edge_b(&self, j: usize) -> (Vec3, Vec3) {
        let line = &self.b.lines[j];
        (self.r * line.start + self.t, self.r * line.along)
    }

    /// The gap of a remembered axis; None if the cache holds none for these hulls.
    fn cached(&self, cache: &PairCache) -> Option<Axis> {
        let (i, j) = ((cache.a >> 16) as usize, (cache.a & 0xFFFF) as usize);
        let gap = match cache.kind {
            FACE_A => self.face_a_gap(self.a.faces.get(i)?),
            FACE_B => self.face_b_gap(self.b.faces.get(j)?),
            EDGES if i < self.a.lines.len() && j < self.b.lines.len() => {
                self.gap(edge_normal(&self.a.lines[i], self.edge_b(j).1)?)
            }
            _ => return None,
        };
        Some(Axis { kind: cache.kind, i, j, gap })
    }
}

/// Pairs of edges above which the search over all of them costs more than closest points do.
const MAX_EDGE_PAIRS: usize = 600;

/// Contact of two hulls or boxes.
pub(super) fn collide(
    a: HullView<'_>,
    b: HullView<'_>,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    if a.lines.len() * b.lines.len() > MAX_EDGE_PAIRS && !job.algorithm.is_sat() {
        return convex::collide(job, cache, counters, out);
    }
    let pair = Pair { a, b, r: Mat3::from_quat(job.b_in_a.rotation), t: job.b_in_a.position.to_vec() };
    let limit = job.margin + radii[0] + radii[1];
    let cached = pair.cached(cache);
    if let Some(axis) = cached {
        counters.axes += 1;
        if axis.gap > limit {
            counters.cache_hits += 1;
            return;
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
    let is_b_first = in_order && job.is_b_larger();
    let edges_first = in_order && cached.is_some_and(|c| c.kind != EDGES);
    let mut edge = None;
    if edges_first {
        edge = best_edge(&pair, limit, counters);
        if let Some(edge) = edge.filter(|e| e.gap > limit) {
            *cache = remember(&edge, u32::MAX);
            return;
        }
    }
    let face = best_face(&pair, cached, is_b_first, job.slop, limit, counters);
    if face.gap > limit {
        *cache = remember(&face, u32::MAX);
        return;
    }
    if !edges_first {
        edge = best_edge(&pair, limit, counters);
    }
    if let Some(edge) = edge.filter(|e| e.gap > limit) {
        *cache = remember(&edge, u32::MAX);
        return;
    }
    let best_gap = edge.map_or(face.gap, |e| e.gap.max(face.gap));
    if radii[0] + radii[1] > 0.0 && best_gap > 0.0 {
        // Rounded and the cores are apart: a corner or an edge may be closest, which no axis here knows.
        *cache = remember(&face, u32::MAX);
        super::collide_apart(job, counters, out);
        return;
    }
    let threshold = if cached.is_some_and(|c| c.kind == EDGES) { 0.0 } else { job.slop };
    // Labels of the last points, if they came from the same axis.
    let last = *cache;
    let used = |axis: &Axis| {
        let is_same = cached.is_some_and(|c| (c.kind, c.i, c.j) == (axis.kind, axis.i, axis.j));
        if is_same { last.b } else { u32::MAX }
    };
    if edge.is_none_or(|e| e.gap <= face.gap + threshold) {
        let labels = face_contact(&pair, &face, radii, used(&face), job, out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        // Clipping may remove the deepest corner; then the crossing edges are what really touches.
        let lost = deepest + radii[0] + radii[1];
        let better = edge.filter(|e| e.gap > face.gap && (out.is_empty() || lost > e.gap + job.slop));
        let Some(edge) = better else {
            if out.is_empty() && face.gap <= 0.0 {
                corner_contact(&pair, &face, radii, job, out);
            }
            *cache = remember(&face, labels);
            return;
        };
        out.clear();
        let labels = edge_contact(&pair, &edge, radii, used(&edge), job, out);
        *cache = remember(&edge, labels);
    } else if let Some(edge) = edge {
        let labels = edge_contact(&pair, &edge, radii, used(&edge), job, out);
        *cache = remember(&edge, labels);
    }
}

/// The face of largest gap; the first that separates by more than `limit` ends the search.
fn best_face(
    pair: &Pair<'_>,
    cached: Option<Axis>,
    is_b_first: bool,
    slop: Real,
    limit: Real,
    counters: &mut NarrowCounters,
) -> Axis {
    let mut best = Axis { kind: FACE_A, i: 0, j: 0, gap: Real::NEG_INFINITY };
    let mut best_score = Real::NEG_INFINITY;
    let mut offer = |axis: Axis, score: Real| {
        counters.axes += 1;
        if score > best_score {
            (best, best_score) = (axis, score);
        }
        axis.gap > limit
    };
    // Hysteresis: the cached face, then those of the first hull, win unless clearly worse.
    let bonus = |kind: u32, index: usize| {
        let same = |c: Axis| c.kind == kind && index == if kind == FACE_A { c.i } else { c.j };
        if cached.is_some_and(same) { 0.5 * slop } else { 0.0 }
    };
    let behind = |is_first: bool| if is_first { 0.0 } else { SECOND_FACE * slop };
    for of_b in [is_b_first, !is_b_first] {
        if of_b {
            for (j, face) in pair.b.faces.iter().enumerate() {
                let gap = pair.face_b_gap(face);
                let axis = Axis { kind: FACE_B, i: 0, j, gap };
                if offer(axis, gap + bonus(FACE_B, j) - behind(is_b_first)) {
                    return axis;
                }
            }
        } else {
            for (i, face) in pair.a.faces.iter().enumerate() {
                let gap = pair.face_a_gap(face);
                let axis = Axis { kind: FACE_A, i, j: 0, gap };
                if offer(axis, gap + bonus(FACE_A, i) - behind(!is_b_first)) {
                    return axis;
                }
            }
        }
    }
    best
}

/// The edge pair of largest gap among those that can be closest; None if there is none.
fn best_edge(pair: &Pair<'_>, limit: Real, counters: &mut NarrowCounters) -> Option<Axis> {
    let mut best: Option<Axis> = None;
    for j in 0..pair.b.lines.len() {
        let (pb, db) = pair.edge_b(j);
        // Normals of the faces of −b in the frame of a.
        let [c, d] = pair.b.lines[j].normals.map(|n| -(pair.r * n));
        for (k, block) in pair.a.blocks.iter().enumerate() {
            let mut crossing = crossings(block, c, d, db);
            while crossing != 0 {
                let i = 4 * k + crossing.trailing_zeros() as usize;
                crossing &= crossing - 1;
                let line = &pair.a.lines[i];
                counters.axes += 1;
                let Some(normal) = edge_normal(line, db) else { continue };
                let gap = normal.dot(pb - line.start);
                if best.is_none_or(|b| gap > b.gap) {
                    best = Some(Axis { kind: EDGES, i, j, gap });
                    if gap > limit {
                        return best;
                    }
                }
            }
        }
    }
    best
}

/// Which of four edges of a have arcs on the Gauss map that cross the arc from `c` to `d` of an edge along `db`, as
/// bits. The arcs a–b and c–d cross if each separates the ends of the other, on the same half of the sphere.
#[inline]
fn crossings(block: &LineBlock, c: Vec3, d: Vec3, db: Vec3) -> u32 {
    let (cba, dba) = (dot4(&block.along, c), dot4(&block.along, d));
    let (adc, bdc) = (dot4(&block.normals[0], db), dot4(&block.normals[1], db));
    // Crossing if negative: the largest of three products, all of which have to be. No short cuts, a branch per sign
    // would be guessed wrong half of the time.
    let mut worst = [0.0; 4];
    for k in 0..4 {
        let (x, y, z) = (cba[k] * dba[k], adc[k] * bdc[k], -(cba[k] * bdc[k]));
        let xy = if x > y { x } else { y };
        worst[k] = if xy > z { xy } else { z };
    }
    let mut bits = 0;
    for k in 0..4 {
        bits |= u32::from(worst[k] < 0.0) << k;
    }
    bits
}

/// Four dot products, in the order in which the compiler sees that they can be done at once.
#[inline]
pub(super) fn dot4(v: &[[Real; 4]; 3], u: Vec3) -> [Real; 4] {
    let mut sum = [0.0; 4];
    for k in 0..4 {
        sum[k] = v[0][k] * u.x;
    }
    for k in 0..4 {
        sum[k] += v[1][k] * u.y;
    }
    for k in 0..4 {
        sum[k] += v[2][k] * u.z;
    }
    sum
}

/// Smallest coordinate of the points along `n`.
#[inline]
fn lowest(points: &[Vec3], n: Vec3) -> Real {
    let mut low = Real::INFINITY;
    for p in points {
        let x = p.dot(n);
        // A plain comparison compiles to one instruction; `min` also has to look after NaN.
        low = if x < low { x } else { low };
    }
    low
}

/// Normal of an edge of a and a direction of b, on the side of the faces of a; None if they are parallel.
fn edge_normal(line: &EdgeLine, db: Vec3) -> Option<Vec3> {
    let cross = line.along.cross(db);
    let l2 = cross.length_squared();
    if l2 < NO_CROSS_SQUARED * line.along.length_squared() * db.length_squared() || l2 <= 0.0 {
        return None;
    }
    let unit = cross * (1.0 / l2.sqrt());
    Some(if unit.dot(line.normals[0] + line.normals[1]) < 0.0 { -unit } else { unit })
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
    let (i, j, normal) = faces_of(pair, axis);
    let patch_job = patch_job([i, j], normal, axis.kind == FACE_B, radii, used, job);
    clip_faces(pair, [i, j], None, &patch_job, out)
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

/// The two faces of a face contact and its normal from a to b.
fn faces_of(pair: &Pair<'_>, axis: &Axis) -> (usize, usize, Vec3) {
    if axis.kind == FACE_A {
        let normal = pair.a.faces[axis.i].normal;
        (axis.i, pair.b.face_along(-pair.to_b(normal)), normal)
    } else {
        let normal = -(pair.r * pair.b.faces[axis.j].normal);
        (pair.a.face_along(normal), axis.j, normal)
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
    let a = Patch { points: &pa[..usize::from(fa.count).min(FACE)], normal: fa.normal };
    let b = Patch { points: &pb[..usize::from(fb.count).min(FACE)], normal: pair.r * fb.normal };
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
    if axis.gap > 0.0 && on_a.distance(on_b) > job.margin + radii[0] + radii[1] {
        return u32::MAX;
    }
    out.normal = normal;
    let (i, j) = (pair.a.face_along(normal), pair.b.face_along(-pair.to_b(normal)));
    let flat_a = pair.a.faces[i].normal.dot(normal);
    let flat_b = -(pair.r * pair.b.faces[j].normal).dot(normal);
    if flat_a.max(flat_b) > NEARLY_FLAT {
        let is_b = flat_b > flat_a + CLEARLY_FLATTER;
        let patch_job = patch_job([i, j], normal, is_b, radii, used, job);
        return clip_faces(pair, [i, j], Some((on_a, axis.gap)), &patch_job, out);
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
    let (_, _, normal) = faces_of(pair, axis);
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
