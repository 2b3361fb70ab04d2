//! Two boxes: fifteen separating axes, then the incident face clipped by the reference face.
//!
//! The hottest path of the engine: no allocation, everything on the stack, all projections from one table of absolute
//! dot products. Axes are numbered 0–2 (faces of a), 3–5 (faces of b), 6–14 (edge i of a × edge j of b, 6 + 3i + j).
//!
//! Cache: `kind` = 1 + axis of the last result; `a` = the four point labels of the last face contact, one per byte.

use super::reduce::{FlatPoint, reduce};
use super::{NO_CROSS_SQUARED, SECOND_FACE};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};

/// Marks an unused byte of the packed labels.
const NO_LABEL: u32 = 0xFF;
/// Cosine above which the axis of an edge pair counts as the normal of a face: about 1.5 degrees.
const ALIKE: Real = 0.99966;

/// Overlap up to which boxes count as resting on each other, in slops.
const RESTING: Real = 4.0;

/// First bit of ids of edge contacts, to keep them apart from face contacts.
const EDGE_ID: u32 = 1 << 16;

/// Relative placement of the two boxes, in the frame of a.
struct Frame {
    /// Half sizes of a and b [m].
    h: [[Real; 3]; 2],
    /// Centre of b in the frame of a [m].
    t: [Real; 3],
    /// Centre of b along the axes of b, from a [m].
    tb: [Real; 3],
    /// `r[i][j]` = axis i of a · axis j of b.
    r: [[Real; 3]; 3],
    /// |r|.
    q: [[Real; 3]; 3],
}

impl Frame {
    fn new(ha: Vec3, hb: Vec3, b_in_a: &Pose<D3>) -> Self {
        let m = Mat3::from_quat(b_in_a.rotation);
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        let t = b_in_a.position.to_vec();
        let r = [[x.x, y.x, z.x], [x.y, y.y, z.y], [x.z, y.z, z.z]];
        Self {
            h: [ha.to_array(), hb.to_array()],
            t: t.to_array(),
            tb: [t.dot(x), t.dot(y), t.dot(z)],
            r,
            q: r.map(|row| row.map(Real::abs)),
        }
    }

    #[inline]
    fn face_a(&self, i: usize) -> Real {
        let (q, hb) = (&self.q[i], &self.h[1]);
        self.t[i].abs() - self.h[0][i] - (q[0] * hb[0] + q[1] * hb[1] + q[2] * hb[2])
    }

    #[inline]
    fn face_b(&self, j: usize) -> Real {
        let (q, ha) = (&self.q, &self.h[0]);
        self.tb[j].abs() - self.h[1][j] - (q[0][j] * ha[0] + q[1][j] * ha[1] + q[2][j] * ha[2])
    }

    /// Gap along the cross product of two edges; −∞ where they are parallel.
    #[inline]
    fn edge(&self, i: usize, j: usize) -> Real {
        let (i1, i2) = (NEXT[i], NEXT[i + 1]);
        let (j1, j2) = (NEXT[j], NEXT[j + 1]);
        let (r, q) = (&self.r, &self.q);
        // |e_i × b_j|² from the two small components: exact even when the edges are nearly parallel.
        let l2 = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
        if l2 < NO_CROSS_SQUARED {
            return Real::NEG_INFINITY;
        }
        let along = self.t[i2] * r[i1][j] - self.t[i1] * r[i2][j];
        let (ha, hb) = (&self.h[0], &self.h[1]);
        let reach = ha[i1] * q[i2][j] + ha[i2] * q[i1][j] + hb[j1] * q[i][j2] + hb[j2] * q[i][j1];
        (along.abs() - reach) / l2.sqrt()
    }

    #[inline]
    fn axis(&self, axis: usize) -> Real {
        match axis {
            0..3 => self.face_a(axis),
            3..6 => self.face_b(axis - 3),
            _ => self.edge((axis - 6) / 3, (axis - 6) % 3),
        }
    }

    /// The face whose normal the axis of an edge pair hardly differs from, if there is one.
    fn face_along_edge(&self, edge: usize) -> Option<usize> {
        let (i, j) = ((edge - 6) / 3, (edge - 6) % 3);
        let n = Vec3::axis(i).cross(self.b_axis(j)).normalize_or(Vec3::Y);
        let along = |face: usize| if face < 3 { n[face].abs() } else { n.dot(self.b_axis(face - 3)).abs() };
        (0..6).find(|&face| along(face) > ALIKE)
    }

    /// Axis j of b in the frame of a.
    #[inline]
    fn b_axis(&self, j: usize) -> Vec3 {
        Vec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }
}

/// `NEXT[i]`, `NEXT[i + 1]`: the two axes after i.
const NEXT: [usize; 4] = [1, 2, 0, 1];

/// Contact of two boxes; `radii` are their rounding radii.
pub(super) fn collide(
    ha: Vec3,
    hb: Vec3,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let f = Frame::new(ha, hb, &job.b_in_a);
    let limit = job.margin + radii[0] + radii[1];
    let cached = if cache.kind <= 15 { (cache.kind as usize).wrapping_sub(1) } else { usize::MAX };
    if cached < 15 {
        counters.axes += 1;
        let gap = f.axis(cached);
        if gap > limit {
            counters.cache_hits += 1;
            cache.value = gap;
            return;
        }
    }
    counters.computed += 1;
    let is_b_first =
        job.algorithm == Algorithm::SeparatingPlanes && hb.element_product() > ha.element_product();
    if job.algorithm == Algorithm::SeparatingPlanes
        && let Some((axis, gap)) = first_plane(&f, cached, is_b_first, limit, counters)
    {
        *cache = PairCache { kind: axis as u32 + 1, a: u32::MAX, b: 0, value: gap };
        return;
    }
    let Some(axes) = separating_axes(&f, cached, is_b_first, limit, job.slop, cache, counters) else {
        return;
    };
    if radii[0] + radii[1] > 0.0 && axes.face_gap.max(axes.edge_gap) > 0.0 {
        // Rounded and the cores are apart: a corner or an edge may be closest, which no axis here knows.
        *cache = PairCache { kind: axes.face as u32 + 1, a: u32::MAX, b: 0, value: axes.face_gap };
        return super::collide_apart(job, counters, out);
    }
    let labels_before = cache.a;
    let used = if cached == axes.face { labels_before } else { u32::MAX };
    *cache = PairCache { kind: axes.face as u32 + 1, a: u32::MAX, b: 0, value: axes.face_gap };
    if !axes.prefer_edge {
        let labels = face_contact(&f, axes.face, radii, used, job, out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        // Clipping may remove the deepest corner; then the crossing edges are what really touches.
        let missed =
            deepest + radii[0] + radii[1] > axes.edge_gap + job.slop && axes.edge_gap > axes.face_gap;
        if !(out.is_empty() || missed) {
            cache.a = labels;
            return;
        }
        if axes.edge == usize::MAX || axes.edge_gap <= axes.face_gap {
            if out.is_empty() && axes.face_gap <= 0.0 {
                corner_contact(&f, axes.face, radii, job, out);
            }
            return;
        }
        out.clear();
    } else if axes.edge_gap + radii[0] + radii[1] > -RESTING * job.slop
        && let Some(face) = f.face_along_edge(axes.edge)
    {
        // Long boxes that rest on each other crosswise, slightly tilted: the gap of the face counts how far their ends dip,
        // so an edge wins. But where they overlap the face touches as well, and one point does not carry what four do.
        let used = if cached == face { labels_before } else { u32::MAX };
        let labels = face_contact(&f, face, radii, used, job, out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        if out.points().len() > 1 && deepest + radii[0] + radii[1] > axes.edge_gap - job.slop {
            *cache = PairCache { kind: face as u32 + 1, a: labels, b: 0, value: f.axis(face) };
            return;
        }
        out.clear();
    }
    edge_contact(&f, axes.edge, axes.edge_gap, radii, job, out);
    cache.kind = axes.edge as u32 + 1;
    cache.value = axes.edge_gap;
}

/// Outcome of the axis search.
struct Axes {
    face: usize,
    face_gap: Real,
    /// `usize::MAX` if all edges are parallel.
    edge: usize,
    edge_gap: Real,
    prefer_edge: bool,
}

/// The first axis that separates by more than `limit`, in the order of [Yuksel2007]: if the last one was a face, edges first, and
/// the other way round; faces of the larger box, here b if `is_b_first`, before those of the smaller.
fn first_plane(
    f: &Frame,
    cached: usize,
    is_b_first: bool,
    limit: Real,
    counters: &mut NarrowCounters,
) -> Option<(usize, Real)> {
    let faces = if is_b_first { [3, 4, 5, 0, 1, 2] } else { [0, 1, 2, 3, 4, 5] };
    let mut test = |axis: usize| {
        counters.axes += 1;
        Some((axis, f.axis(axis))).filter(|found| found.1 > limit)
    };
    if cached < 6 {
        (6..15).chain(faces).find_map(&mut test)
    } else {
        faces.into_iter().chain(6..15).find_map(&mut test)
    }
}

/// The axes of largest gap. None if one of them separates by more than `limit`; the cache then remembers it.
#[inline]
fn separating_axes(
    f: &Frame,
    cached: usize,
    is_b_first: bool,
    limit: Real,
    slop: Real,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
) -> Option<Axes> {
    let separated = |axis: usize, gap: Real, cache: &mut PairCache| {
        *cache = PairCache { kind: axis as u32 + 1, a: u32::MAX, b: 0, value: gap };
    };
    // Hysteresis between faces: the cached one, then those of the first box, win unless clearly worse.
    let bonus = |axis: usize| if axis == cached { 0.5 * slop } else { 0.0 };
    let (mut face, mut face_gap, mut face_score) = (0, Real::NEG_INFINITY, Real::NEG_INFINITY);
    for axis in 0..6 {
        let gap = if axis < 3 { f.face_a(axis) } else { f.face_b(axis - 3) };
        if gap > limit {
            counters.axes += axis as u64 + 1;
            separated(axis, gap, cache);
            return None;
        }
        let score = gap + bonus(axis) - if (axis < 3) != is_b_first { 0.0 } else { SECOND_FACE * slop };
        if score > face_score {
            (face, face_gap, face_score) = (axis, gap, score);
        }
    }
    let (mut edge, mut edge_gap) = (usize::MAX, Real::NEG_INFINITY);
    for i in 0..3 {
        for j in 0..3 {
            let gap = f.edge(i, j);
            if gap > edge_gap {
                (edge, edge_gap) = (6 + 3 * i + j, gap);
            }
        }
        if edge_gap > limit {
            counters.axes += 9 + 3 * i as u64;
            separated(edge, edge_gap, cache);
            return None;
        }
    }
    counters.axes += 15;
    // An edge has to beat the face by the slop to take over, and to lose by nothing to hand back.
    let threshold = if (6..15).contains(&cached) { 0.0 } else { slop };
    let prefer_edge = edge != usize::MAX && edge_gap > face_gap + threshold;
    Some(Axes { face, face_gap, edge, edge_gap, prefer_edge })
}

/// The boxes as seen from the one that owns the reference face.
struct Reference {
    /// Half sizes of the reference and of the incident box [m].
    h: [[Real; 3]; 2],
    /// Axes of the incident box in the reference frame.
    axes: [[Real; 3]; 3],
    /// Centre of the incident box in the reference frame [m].
    t: [Real; 3],
    /// Axis of the reference face, and 1 or −1 for its side.
    axis: usize,
    side: Real,
    /// Rounding of the reference and of the incident box [m].
    radii: [Real; 2],
    /// True if the reference box is b.
    is_b: bool,
}

impl Reference {
    fn new(f: &Frame, face: usize, radii: [Real; 2]) -> Self {
        let is_b = face >= 3;
        let axis = if is_b { face - 3 } else { face };
        let r = &f.r;
        let (h, axes, t, radii) = if is_b {
            ([f.h[1], f.h[0]], *r, f.tb.map(|x| -x), [radii[1], radii[0]])
        } else {
            let columns =
                [[r[0][0], r[1][0], r[2][0]], [r[0][1], r[1][1], r[2][1]], [r[0][2], r[1][2], r[2][2]]];
            (f.h, columns, f.t, radii)
        };
        let side = if t[axis] < 0.0 { -1.0 } else { 1.0 };
        Self { h, axes, t, axis, side, radii, is_b }
    }

    /// Sets the normal of the manifold.
    fn set_normal(&self, f: &Frame, out: &mut LocalManifold<D3>) {
        out.normal =
            if self.is_b { f.b_axis(self.axis) * -self.side } else { Vec3::axis(self.axis) * self.side };
    }

    /// Adds a point at (x, y) in the face and `z` above it.
    #[inline]
    fn push(&self, f: &Frame, p: &FlatPoint, id: u32, out: &mut LocalManifold<D3>) {
        let (u, v) = (NEXT[self.axis], NEXT[self.axis + 1]);
        let mut at = [0.0; 3];
        at[u] = p.x;
        at[v] = p.y;
        at[self.axis] = self.side * (self.h[0][self.axis] + 0.5 * (p.z + self.radii[0] - self.radii[1]));
        let position = if self.is_b {
            let b = f.b_axis(0) * at[0] + f.b_axis(1) * at[1] + f.b_axis(2) * at[2];
            Vec3::from_array(f.t) + b
        } else {
            Vec3::from_array(at)
        };
        out.push(position, p.z - self.radii[0] - self.radii[1], id);
    }

    /// Incident face: its axis, its side, and its corners in order.
    #[inline]
    fn incident(&self) -> (usize, Real, [FlatPoint; 4]) {
        let axis = self.axis;
        let along = [self.axes[0][axis].abs(), self.axes[1][axis].abs(), self.axes[2][axis].abs()];
        let mut j = usize::from(along[1] > along[0]);
        if along[2] > along[j] {
            j = 2;
        }
        let side = if self.axes[j][axis] * self.side > 0.0 { -1.0 } else { 1.0 };
        let h = &self.h[1];
        let (j1, j2) = (NEXT[j], NEXT[j + 1]);
        let (u, v) = (NEXT[axis], NEXT[axis + 1]);
        let flat = |c: [Real; 3]| [c[u], c[v], self.side * c[axis]];
        let (t, n) = (flat(self.t), flat(self.axes[j]));
        let (e1, e2) = (flat(self.axes[j1]), flat(self.axes[j2]));
        let mut corners = [FlatPoint::default(); 4];
        // Corners in order (++, −+, −−, +−); edge k leads from corner k to corner k + 1.
        for (k, (s1, s2)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
            let at = |i: usize| t[i] + n[i] * (side * h[j]) + e1[i] * (s1 * h[j1]) + e2[i] * (s2 * h[j2]);
            corners[k] = FlatPoint {
                x: at(0),
                y: at(1),
                z: at(2) - self.h[0][axis],
                edge_in: (k as u16 + 3) & 3,
                edge_out: k as u16,
            };
        }
        (j, side, corners)
    }
}

/// Clips the incident face by the reference face. Returns the packed labels of the points.
fn face_contact(
    f: &Frame,
    face: usize,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let reference = Reference::new(f, face, radii);
    reference.set_normal(f, out);
    let (j, side, corners) = reference.incident();
    let mut polygon = Polygon::new(&corners);
    let (u, v) = (NEXT[reference.axis], NEXT[reference.axis + 1]);
    polygon.clip_to(reference.h[0][u], reference.h[0][v], job.slop);
    let limit = job.margin + radii[0] + radii[1];
    let mut candidates = [FlatPoint::default(); 8];
    let mut count = 0;
    for p in &polygon.points[..polygon.count] {
        if p.z <= limit {
            candidates[count] = *p;
            count += 1;
        }
    }
    let candidates = &candidates[..count];
    let was_used = |p: &FlatPoint| {
        let label = p.label(3);
        used.to_le_bytes().iter().any(|&b| u32::from(b) == label)
    };
    let (chosen, count) = reduce(candidates, was_used, job.slop);
    // Faces in the upper bits, so that a change of the faces renames the points.
    let faces =
        (face as u32) << 4 | (j as u32) << 2 | u32::from(side < 0.0) << 1 | u32::from(reference.side < 0.0);
    let mut labels = u32::MAX;
    for &i in &chosen[..count] {
        let p = &candidates[i];
        labels = labels << 8 | p.label(3);
        let id = faces << 6 | p.label(3);
        // A face smaller than the resolution of its position may come out of clipping with a corner twice.
        if out.points().iter().all(|q| q.id != id) {
            reference.push(f, p, id, out);
        }
    }
    // Shifted in from the right; the bytes left of the last point stay `NO_LABEL`.
    debug_assert!(count == 4 || labels >> 24 == NO_LABEL, "packed labels");
    labels
}

/// A convex polygon in the plane of the reference face: a quadrilateral cut by four lines has at most eight corners.
struct Polygon {
    points: [FlatPoint; 8],
    count: usize,
}

impl Polygon {
    fn new(corners: &[FlatPoint; 4]) -> Self {
        let mut points = [FlatPoint::default(); 8];
        points[..4].copy_from_slice(corners);
        Self { points, count: 4 }
    }

    /// Keeps the part with |x| ≤ `hx`, |y| ≤ `hy`. Corners that stick out by less than `slop` stay as they are: on
    /// boxes of equal size they would be cut on and off by rounding, and their ids would flicker.
    #[inline]
    fn clip_to(&mut self, hx: Real, hy: Real, slop: Real) {
        let (hx, hy) = (hx + slop, hy + slop);
        self.clip(4, |p| p.x - hx);
        self.clip(5, |p| -p.x - hx);
        self.clip(6, |p| p.y - hy);
        self.clip(7, |p| -p.y - hy);
    }

    /// Keeps the part where `outside` is not positive; the new edge gets the number `edge`.
    #[inline]
    fn clip(&mut self, edge: u16, outside: impl Fn(&FlatPoint) -> Real) {
        let mut distance = [0.0; 8];
        let mut any = false;
        for k in 0..self.count {
            distance[k] = outside(&self.points[k]);
            any |= distance[k] > 0.0;
        }
        if !any {
            return;
        }
        let mut kept = [FlatPoint::default(); 8];
        let mut count = 0;
        for k in 0..self.count {
            let next = if k + 1 == self.count { 0 } else { k + 1 };
            let (p, q) = (&self.points[k], &self.points[next]);
            let (dp, dq) = (distance[k], distance[next]);
            if dp <= 0.0 && count < 8 {
                kept[count] = *p;
                count += 1;
            }
            if (dp <= 0.0) != (dq <= 0.0) && count < 8 {
                // Leaving along the edge of p, the new edge follows; coming back in, the other way round.
                let (edge_in, edge_out) = if dp <= 0.0 { (p.edge_out, edge) } else { (edge, p.edge_out) };
                // From the end that stays to the one that goes, whichever comes first: what is its own mirror image is cut
                // alike on both sides, to the last bit.
                let (stays, goes, ds, dg) = if dp <= 0.0 { (p, q, dp, dq) } else { (q, p, dq, dp) };
                let s = ds / (ds - dg);
                kept[count] = FlatPoint {
                    x: stays.x + (goes.x - stays.x) * s,
                    y: stays.y + (goes.y - stays.y) * s,
                    z: stays.z + (goes.z - stays.z) * s,
                    edge_in,
                    edge_out,
                };
                count += 1;
            }
        }
        self.points = kept;
        self.count = count;
    }
}

/// Contact of two crossing edges: one point between them.
fn edge_contact(
    f: &Frame,
    axis: usize,
    gap: Real,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
    let t = Vec3::from_array(f.t);
    let dir_b = f.b_axis(j);
    let mut n = Vec3::axis(i).cross(dir_b).normalize_or(Vec3::Y);
    if n.dot(t) < 0.0 {
        n = -n;
    }
    // Middles of the supporting edges.
    let (mut on_a, mut on_b, mut signs) = (Vec3::ZERO, t, 0);
    for k in 0..3 {
        if k != i {
            let s = if n[k] < 0.0 { -1.0 } else { 1.0 };
            signs = signs << 1 | u32::from(s < 0.0);
            on_a += Vec3::axis(k) * (s * f.h[0][k]);
        }
    }
    for k in 0..3 {
        if k != j {
            let axis_b = f.b_axis(k);
            let s = if n.dot(axis_b) > 0.0 { -1.0 } else { 1.0 };
            signs = signs << 1 | u32::from(s < 0.0);
            on_b += axis_b * (s * f.h[1][k]);
        }
    }
    // Closest points of the lines on_a + x e_i and on_b + y b_j, both directions of unit length, kept on the edges.
    let d = on_b - on_a;
    let cos = f.r[i][j];
    let det = (1.0 - cos * cos).max(NO_CROSS_SQUARED);
    let (da, db) = (d[i], d.dot(dir_b));
    let x = ((da - cos * db) / det).clamp(-f.h[0][i], f.h[0][i]);
    let y = ((cos * da - db) / det).clamp(-f.h[1][j], f.h[1][j]);
    let (pa, pb) = (on_a + Vec3::axis(i) * x, on_b + dir_b * y);
    // Apart, and the lines cross beyond the ends: the axis separates by less than the true distance.
    if gap > 0.0 && pa.distance(pb) > job.margin + radii[0] + radii[1] {
        return;
    }
    out.normal = n;
    let mid = (pa + pb) * 0.5 + n * (0.5 * (radii[0] - radii[1]));
    out.push(mid, gap - radii[0] - radii[1], EDGE_ID | (axis as u32) << 4 | signs);
}

/// Last resort for overlapping boxes whose clipped face has no point left: the deepest corner.
fn corner_contact(
    f: &Frame,
    face: usize,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let reference = Reference::new(f, face, radii);
    reference.set_normal(f, out);
    let (_, _, corners) = reference.incident();
    let deepest = corners.iter().fold(&corners[0], |best, p| if p.z < best.z { p } else { best });
    if deepest.z - radii[0] - radii[1] <= job.margin {
        reference.push(f, deepest, EDGE_ID >> 1 | (face as u32) << 6 | deepest.label(3), out);
    }
}
