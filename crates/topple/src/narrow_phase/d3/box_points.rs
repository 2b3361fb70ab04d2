//! Contact points of two boxes, once an axis is known: the incident face clipped by the reference face, or two crossing edges.

use super::boxes::Frame;
use super::reduce::{FlatPoint, reduce};
use super::{NO_CROSS_SQUARED, stays};
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold};

/// Marks an unused byte of the packed labels.
const NO_LABEL: u32 = 0xFF;
/// Edge number of the crossing of two edges: no corner of a polygon has the same edge on both sides.
const CROSSING: u16 = 7;
/// First bit of ids of edge contacts, to keep them apart from face contacts.
const EDGE_ID: u32 = 1 << 16;
/// `NEXT[i]`, `NEXT[i + 1]`: the two axes after i.
pub(super) const NEXT: [usize; 4] = [1, 2, 0, 1];

/// A face of a box: its axis and 1 or −1 for its side.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Lay(Option<(usize, Real)>);

impl Lay {
    pub(super) const NONE: Self = Self(None);

    /// In a few bits, 0 for none, and back.
    pub(super) fn code(self) -> u32 {
        self.0.map_or(0, |(axis, side)| 1 + ((2 * axis as u32) | u32::from(side < 0.0)))
    }

    pub(super) fn of(code: u32) -> Self {
        let face = |code: u32| ((code / 2) as usize, if code % 2 == 1 { -1.0 } else { 1.0 });
        Self(code.checked_sub(1).filter(|c| *c < 6).map(face))
    }
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
    /// Contact normal out of the reference box: along the two axes after that of the face, and out of the face. The last is 1
    /// unless it leans.
    up: [Real; 3],
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
        Self { h, axes, t, axis, side, up: [0.0, 0.0, 1.0], radii, is_b }
    }

    /// The same with a contact normal `n` from a to b, in the frame of a, that leans against the normal of the face.
    fn leaning(f: &Frame, face: usize, n: Vec3, radii: [Real; 2]) -> Self {
        let mut reference = Self::new(f, face, radii);
        let up = if reference.is_b {
            [-n.dot(f.b_axis(0)), -n.dot(f.b_axis(1)), -n.dot(f.b_axis(2))]
        } else {
            n.to_array()
        };
        let axis = reference.axis;
        reference.side = if up[axis] < 0.0 { -1.0 } else { 1.0 };
        reference.up = [up[NEXT[axis]], up[NEXT[axis + 1]], reference.side * up[axis]];
        reference
    }

    /// Normal of the face from a to b, in the frame of a.
    fn face_normal(&self, f: &Frame) -> Vec3 {
        if self.is_b { f.b_axis(self.axis) * -self.side } else { Vec3::axis(self.axis) * self.side }
    }

    /// A point given in the frame of a, at (x, y) in the face.
    fn flat(&self, f: &Frame, p: Vec3) -> (Real, Real) {
        let at = if self.is_b {
            let d = p - Vec3::from_array(f.t);
            [d.dot(f.b_axis(0)), d.dot(f.b_axis(1)), d.dot(f.b_axis(2))]
        } else {
            p.to_array()
        };
        (at[NEXT[self.axis]], at[NEXT[self.axis + 1]])
    }

    /// Adds a point over (x, y) of the face, with `z` as gap along the contact normal.
    #[inline]
    fn push(&self, f: &Frame, p: &FlatPoint, id: u32, out: &mut LocalManifold<D3>) {
        let (u, v) = (NEXT[self.axis], NEXT[self.axis + 1]);
        let half_way = 0.5 * (p.z + self.radii[0] - self.radii[1]);
        let mut at = [0.0; 3];
        at[u] = p.x + self.up[0] * half_way;
        at[v] = p.y + self.up[1] * half_way;
        at[self.axis] = self.side * (self.h[0][self.axis] + self.up[2] * half_way);
        let position = if self.is_b {
            let b = f.b_axis(0) * at[0] + f.b_axis(1) * at[1] + f.b_axis(2) * at[2];
            Vec3::from_array(f.t) + b
        } else {
            Vec3::from_array(at)
        };
        out.push(position, p.z - self.radii[0] - self.radii[1], id);
    }

    /// Incident face: its axis, its side, and its corners in order, as heights over the reference face. The `last` one, if it
    /// still looks at the reference face nearly as much as the best.
    #[inline]
    fn incident(&self, last: Lay) -> (usize, Real, [FlatPoint; 4]) {
        let axis = self.axis;
        let along = [self.axes[0][axis], self.axes[1][axis], self.axes[2][axis]];
        let mut j = usize::from(along[1].abs() > along[0].abs());
        if along[2].abs() > along[j].abs() {
            j = 2;
        }
        let mut side = if along[j] * self.side > 0.0 { -1.0 } else { 1.0 };
        if let Some((k, s)) = last.0
            && (k, s) != (j, side)
            && stays(-along[k] * s * self.side, along[j].abs())
        {
            (j, side) = (k, s);
        }
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

/// Clips the incident face by the reference face. Returns the packed labels of the points and the incident face; `used` and `last`
/// are those of last time.
pub(super) fn face_contact(
    f: &Frame,
    face: usize,
    radii: [Real; 2],
    (used, last): (u32, Lay),
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> (u32, Lay) {
    let reference = Reference::new(f, face, radii);
    out.normal = reference.face_normal(f);
    let (j, side, corners) = reference.incident(last);
    let (candidates, count) = clipped(&reference, &corners, job);
    let labels = push_best(f, &reference, (j, side), &candidates[..count], used, None, job, out);
    (labels, Lay(Some((j, side))))
}

/// Clips the corners of the incident face by the reference face, and keeps what is close enough.
#[inline]
fn clipped(
    reference: &Reference,
    corners: &[FlatPoint; 4],
    job: &CollideJob<'_, D3>,
) -> ([FlatPoint; 9], usize) {
    let mut polygon = Polygon::new(corners);
    let (u, v) = (NEXT[reference.axis], NEXT[reference.axis + 1]);
    polygon.clip_to(reference.h[0][u], reference.h[0][v], job.slop);
    let limit = job.margin + reference.radii[0] + reference.radii[1];
    let mut candidates = [FlatPoint::default(); 9];
    let mut count = 0;
    for p in &polygon.points[..polygon.count] {
        if p.z <= limit {
            candidates[count] = *p;
            count += 1;
        }
    }
    (candidates, count)
}

/// Adds the best of the candidates. `incident` is the axis and side of the incident face, `crossing` the id of the crossing of
/// two edges if that is among them. Returns the packed labels.
#[inline]
#[expect(clippy::too_many_arguments, reason = "all that names the faces and the points")]
fn push_best(
    f: &Frame,
    reference: &Reference,
    incident: (usize, Real),
    candidates: &[FlatPoint],
    used: u32,
    crossing: Option<u32>,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let was_used = |p: &FlatPoint| {
        let label = p.label(3);
        used.to_le_bytes().iter().any(|&b| u32::from(b) == label)
    };
    let (chosen, count) = reduce(candidates, was_used, job.slop);
    // Faces in the upper bits, so that a change of the faces renames the points.
    let (j, side) = incident;
    let face = reference.axis + if reference.is_b { 3 } else { 0 };
    let faces =
        (face as u32) << 4 | (j as u32) << 2 | u32::from(side < 0.0) << 1 | u32::from(reference.side < 0.0);
    let mut labels = u32::MAX;
    for &i in &chosen[..count] {
        let p = &candidates[i];
        labels = labels << 8 | p.label(3);
        let id = match crossing {
            Some(id) if p.edge_in == p.edge_out => id,
            _ => faces << 6 | p.label(3),
        };
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

/// Contact of two crossing edges: the point between them, and what the faces next to them have in common where one lies
/// nearly flat on the other box. Returns the packed labels of the points; `used` are the last ones.
pub(super) fn edge_contact(
    f: &Frame,
    axis: usize,
    gap: Real,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
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
    // Not `clamp`: it panics for a box with negative sizes, which no world accepts but a caller without one may bring.
    let x = ((da - cos * db) / det).max(-f.h[0][i]).min(f.h[0][i]);
    let y = ((cos * da - db) / det).max(-f.h[1][j]).min(f.h[1][j]);
    let (pa, pb) = (on_a + Vec3::axis(i) * x, on_b + dir_b * y);
    // Apart, and the lines cross beyond the ends: the axis separates by less than the true distance.
    if gap > 0.0 && pa.distance(pb) > gap + job.slop {
        return u32::MAX;
    }
    out.normal = n;
    let id = EDGE_ID | (axis as u32) << 4 | signs;
    if let Some(face) = f.face_across(n) {
        return leaning_contact(f, face, [pa, pb], gap, id, radii, used, job, out);
    }
    let mid = (pa + pb) * 0.5 + n * (0.5 * (radii[0] - radii[1]));
    out.push(mid, gap - radii[0] - radii[1], id);
    u32::MAX
}

/// Clips the incident face by the reference face along the normal of the manifold, which leans against that of the face.
/// `crossing` is where the edges that gave the normal cross, on a and on b, `gap` from each other, with the id `id`.
///
/// Boxes pressed together nearly face to face touch with the crossing of two edges first, but carry each other with the
/// faces: a single point, another one in every step, would let them sink into each other.
#[expect(clippy::too_many_arguments, reason = "a contact of faces and one of edges in one")]
fn leaning_contact(
    f: &Frame,
    face: usize,
    crossing: [Vec3; 2],
    gap: Real,
    id: u32,
    radii: [Real; 2],
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let reference = Reference::leaning(f, face, out.normal, radii);
    let (j, side, mut corners) = reference.incident(Lay::NONE);
    // Along the normal down to the face: z becomes the gap along the normal. No point is closer than the edges are.
    for p in &mut corners {
        let z = p.z / reference.up[2];
        (p.x, p.y, p.z) = (p.x - reference.up[0] * z, p.y - reference.up[1] * z, z);
    }
    let (mut candidates, mut count) = clipped(&reference, &corners, job);
    let lowest = candidates[..count].iter().fold(Real::INFINITY, |z, p| z.min(p.z));
    // Where the lines cross beyond the end of an edge, nothing touches.
    let is_crossing = (crossing[1] - crossing[0] - out.normal * gap).length() <= job.slop;
    if gap < lowest - job.slop && gap <= job.margin + radii[0] + radii[1] && (is_crossing || count == 0) {
        let (x, y) = reference.flat(f, crossing[usize::from(reference.is_b)]);
        candidates[count] = FlatPoint { x, y, z: gap, edge_in: CROSSING, edge_out: CROSSING };
        count += 1;
    }
    push_best(f, &reference, (j, side), &candidates[..count], used, Some(id), job, out)
}

/// Last resort for overlapping boxes whose clipped face has no point left: the deepest corner.
pub(super) fn corner_contact(
    f: &Frame,
    face: usize,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let reference = Reference::new(f, face, radii);
    out.normal = reference.face_normal(f);
    let (_, _, corners) = reference.incident(Lay::NONE);
    let deepest = corners.iter().fold(&corners[0], |best, p| if p.z < best.z { p } else { best });
    if deepest.z - radii[0] - radii[1] <= job.margin {
        reference.push(f, deepest, EDGE_ID >> 1 | (face as u32) << 6 | deepest.label(3), out);
    }
}
