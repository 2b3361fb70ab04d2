//! Two boxes: fifteen separating axes, then the incident face clipped by the reference face.
//!
//! The hottest path of the engine: no allocation, everything on the stack, all projections from one table of absolute
//! dot products. Axes are numbered 0–2 (faces of a), 3–5 (faces of b), 6–14 (edge i of a × edge j of b, 6 + 3i + j).
//!
//! Cache: `kind` = 1 + axis of the last result; `a` = the four point labels of the last face contact, one per byte; `b` = which face lay on it
//! ([`Lay`]), or, where the cores of rounded boxes are apart, the kind of that contact ([`APART`]).

use super::box_points::{Lay, NEXT, corner_contact, edge_contact, face_contact};
use super::{CLEARLY_FLATTER, Last, NEARLY_FLAT, NO_CROSS_SQUARED, RESTING, SAME_WAY, SECOND_FACE};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};

/// Cosine above which the axis of an edge pair counts as the normal of a face: about 1.5 degrees.
const ALIKE: Real = 0.99966;

/// Marks a `b` of the cache that holds the kind of a contact of cores that are apart.
const APART: u32 = 1 << 31;

/// Relative placement of the two boxes, in the frame of a.
pub(super) struct Frame {
    /// Half sizes of a and b [m].
    pub h: [[Real; 3]; 2],
    /// Centre of b in the frame of a [m].
    pub t: [Real; 3],
    /// Centre of b along the axes of b, from a [m].
    pub tb: [Real; 3],
    /// `r[i][j]` = axis i of a · axis j of b.
    pub r: [[Real; 3]; 3],
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

    /// The cosine of the angle between the axis of an edge pair and the normals of the faces.
    fn along_edge(&self, edge: usize) -> impl Fn(usize) -> Real {
        let (i, j) = ((edge - 6) / 3, (edge - 6) % 3);
        let n = Vec3::axis(i).cross(self.b_axis(j)).normalize_or(Vec3::Y);
        move |face: usize| if face < 3 { n[face].abs() } else { n.dot(self.b_axis(face - 3)).abs() }
    }

    /// The face whose normal the axis of an edge pair hardly differs from, if there is one.
    fn face_along_edge(&self, edge: usize) -> Option<usize> {
        let along = self.along_edge(edge);
        (0..6).find(|&face| along(face) > ALIKE)
    }

    /// The same among the faces of the ground, as long as it looks the same way.
    fn ground_along_edge(&self, edge: usize, ground: Side) -> Option<usize> {
        let along = self.along_edge(edge);
        if ground == Side::A { 0..3 } else { 3..6 }.find(|&face| along(face) >= SAME_WAY)
    }

    /// The face of the ground that looks the same way as `face`, one of the other box: what slides over one tile after the other lies on their faces, and its own lean by a
    /// little.
    fn ground_face(&self, face: usize, ground: Side) -> Option<usize> {
        let alike = |ground: usize, own: usize| {
            if ground < 3 { self.q[ground][own - 3] } else { self.q[own][ground - 3] }
        };
        let mut faces = if ground == Side::A { 0..3 } else { 3..6 };
        if faces.contains(&face) { None } else { faces.find(|&ground| alike(ground, face) >= SAME_WAY) }
    }

    /// The face that lies nearly flat across the unit vector `n`, if there is one: of both boxes the flatter one, in doubt
    /// that of a.
    pub(super) fn face_across(&self, n: Vec3) -> Option<usize> {
        let along = |face: usize| if face < 3 { n[face].abs() } else { n.dot(self.b_axis(face - 3)).abs() };
        let mut best = (0, along(0));
        for face in 1..6 {
            let flat = along(face);
            if flat > best.1 + if face < 3 { 0.0 } else { CLEARLY_FLATTER } {
                best = (face, flat);
            }
        }
        (best.1 > NEARLY_FLAT).then_some(best.0)
    }

    /// Axis j of b in the frame of a.
    #[inline]
    pub(super) fn b_axis(&self, j: usize) -> Vec3 {
        Vec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }
}

/// Contact of two boxes; `radii` are their rounding radii.
#[expect(clippy::too_many_arguments, reason = "two boxes, and what all contact functions are given")]
pub(super) fn collide(
    ha: Vec3,
    hb: Vec3,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let before = *cache;
    let Some(gap) = by_axes(ha, hb, radii, job, ground, cache, counters, out) else { return };
    let is_rounded = radii[0] + radii[1] > 0.0;
    if gap > 0.0 && (is_rounded || super::is_beyond(gap, job, out)) {
        // The cores are apart: a corner or an edge may be closest, which no axis here knows.
        out.clear();
        let last =
            if before.b & APART != 0 { Last::of(before.b & !APART, before.a) } else { Last::first(job) };
        let next = super::collide_apart(job, last.on(ground), counters, out);
        (cache.a, cache.b) = (next.labels, APART | next.code());
    }
}

/// The contact as far as axes tell. Returns the gap along the best of them, if that does not end it.
#[expect(clippy::too_many_arguments, reason = "as above")]
fn by_axes(
    ha: Vec3,
    hb: Vec3,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) -> Option<Real> {
    let f = Frame::new(ha, hb, &job.b_in_a);
    let limit = job.margin + radii[0] + radii[1];
    let cached = if cache.kind <= 15 { (cache.kind as usize).wrapping_sub(1) } else { usize::MAX };
    if cached < 15 {
        counters.axes += 1;
        let gap = f.axis(cached);
        if gap > limit {
            counters.cache_hits += 1;
            cache.value = gap;
            return None;
        }
    }
    counters.computed += 1;
    let is_b_first = super::is_b_first(job, ground);
    if job.algorithm == Algorithm::SeparatingPlanes
        && let Some((axis, gap)) = first_plane(&f, cached, is_b_first, limit, counters)
    {
        *cache = PairCache { kind: axis as u32 + 1, a: u32::MAX, b: 0, value: gap };
        return None;
    }
    let axes = separating_axes(&f, cached, is_b_first, limit, job.slop, cache, counters)?;
    let best = axes.face_gap.max(axes.edge_gap);
    if radii[0] + radii[1] > 0.0 && best > 0.0 {
        *cache = PairCache { kind: axes.face as u32 + 1, a: u32::MAX, b: 0, value: axes.face_gap };
        return Some(best);
    }
    let (labels_before, lay) =
        if cache.b & APART == 0 { (cache.a, Lay::of(cache.b)) } else { (u32::MAX, Lay::NONE) };
    let before = |axis: usize| if cached == axis { (labels_before, lay) } else { (u32::MAX, Lay::NONE) };
    *cache = PairCache { kind: axes.face as u32 + 1, a: u32::MAX, b: 0, value: axes.face_gap };
    if !axes.prefer_edge {
        if let Some(face) = ground.and_then(|side| f.ground_face(axes.face, side)) {
            let (labels, lies) = face_contact(&f, face, radii, before(face), job, out);
            let lowest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
            let depth = axes.face_gap - radii[0] - radii[1];
            // As good up to the slop, where they face each other: what is lowest of all may lie beyond it, over the next tile.
            let reach = super::reach_of_ground(depth, job.slop);
            if (depth - reach..=depth + job.slop).contains(&lowest) {
                *cache = PairCache { kind: face as u32 + 1, a: labels, b: lies.code(), value: f.axis(face) };
                return Some(best);
            }
            out.clear();
        }
        let (labels, lies) = face_contact(&f, axes.face, radii, before(axes.face), job, out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        // Clipping may remove the deepest corner; then the crossing edges are what really touches.
        let missed =
            deepest + radii[0] + radii[1] > axes.edge_gap + job.slop && axes.edge_gap > axes.face_gap;
        if !(out.is_empty() || missed) {
            (cache.a, cache.b) = (labels, lies.code());
            return Some(best);
        }
        if axes.edge == usize::MAX || axes.edge_gap <= axes.face_gap {
            if out.is_empty() && axes.face_gap <= 0.0 {
                corner_contact(&f, axes.face, radii, job, out);
            }
            return Some(best);
        }
        out.clear();
    } else {
        let lowest = |out: &LocalManifold<D3>| {
            out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation)) + radii[0] + radii[1]
        };
        let lay_on = |face: usize, out: &mut LocalManifold<D3>| {
            let (labels, lies) = face_contact(&f, face, radii, before(face), job, out);
            PairCache { kind: face as u32 + 1, a: labels, b: lies.code(), value: f.axis(face) }
        };
        // At the end of a tile its edge is as good as its face, which counts how deep the body is over the next one.
        if let Some(face) = ground.and_then(|side| f.ground_along_edge(axes.edge, side)) {
            let next = lay_on(face, out);
            let reach = super::reach_of_ground(axes.edge_gap, job.slop);
            if (axes.edge_gap - reach..=axes.edge_gap + job.slop).contains(&lowest(out)) {
                *cache = next;
                return Some(best);
            }
            out.clear();
        }
        // Long boxes that rest on each other crosswise, slightly tilted: the gap of the face counts how far their ends dip,
        // so an edge wins. But where they overlap the face touches as well, and one point does not carry what four do.
        let is_resting = axes.edge_gap + radii[0] + radii[1] > -RESTING * job.slop;
        if let Some(face) = f.face_along_edge(axes.edge).filter(|_| is_resting) {
            let next = lay_on(face, out);
            if out.points().len() > 1 && lowest(out) > axes.edge_gap - job.slop {
                *cache = next;
                return Some(best);
            }
            out.clear();
        }
    }
    let (used, _) = before(axes.edge);
    let labels = edge_contact(&f, axes.edge, axes.edge_gap, radii, used, job, out);
    *cache = PairCache { kind: axes.edge as u32 + 1, a: labels, b: 0, value: axes.edge_gap };
    Some(best)
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
