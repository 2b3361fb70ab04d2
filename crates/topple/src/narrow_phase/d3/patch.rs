//! Contact of two flat patches: faces, caps, side lines. The incident patch is clipped by the reference patch.
//!
//! All in the plane across the contact normal, as heights above the reference plane. Labels of points name the pair of
//! polygon edges that meet there, so they stay while the same features touch.

use super::PARALLEL;
use super::feature::CIRCLE;
use super::reduce::{FlatPoint, reduce};
use crate::math::*;
use crate::narrow_phase::LocalManifold;

/// Bits of a label: an edge of one of two polygons with up to 255 corners each.
const LABEL_BITS: u32 = 9;
/// Edge number of the point that closest-point search found, beyond all others.
const WITNESS: u16 = 0x1FF;
/// Cosine between contact normal and face below which a face is too steep to measure heights over it.
const STEEP: Real = 0.2;

/// How far the rim of a disc stands out over the polygon that stands for it, as a share of its width (no unit), with room to spare.
const SAGITTA: Real = 0.02;

/// A convex polygon, a segment or a point, in the frame of a. `normal` points out of the shape; zero unless a polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch<'a> {
    pub points: &'a [Vec3],
    pub normal: Vec3,
    /// Of a cap that a segment lies on, the corners instead of `points`, of which there is but the first.
    pub cap: Option<CapCorners>,
}

/// A polygon that stands for a disc: its middle, and from there its first corner and the one at a quarter of the turn [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct CapCorners {
    pub middle: Vec3,
    pub first: Vec3,
    pub quarter: Vec3,
}

impl Patch<'_> {
    pub(super) fn is_polygon(&self) -> bool {
        self.points.len() >= 3 || self.cap.is_some()
    }
}

/// What a patch contact needs besides the patches.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchJob {
    /// Unit normal from a to b.
    pub normal: Vec3,
    /// Rounding of a and b [m].
    pub radii: [Real; 2],
    /// Points closer than this count [m].
    pub margin: Real,
    /// Length that counts as nothing [m].
    pub slop: Real,
    /// How much lower than the chosen points the witness must be to take the place of one [m]; half of it if it did last time.
    pub lead: Real,
    /// The witness is on both shapes. Otherwise it is the lowest point of the incident one, which may hang over beyond the border of the
    /// reference patch, where nothing is: then it does not count.
    pub is_witness_sure: bool,
    /// Labels chosen last time, a hash per byte.
    pub used: u32,
    /// Names the two features; goes into the upper bits of the ids.
    pub feature: u32,
    /// True if b is the reference.
    pub reference_is_b: bool,
}

/// A point, on the core of a, where a and b are closest along the normal, and the gap there.
pub(super) type Witness = Option<(Vec3, Real)>;

/// Contact between patch `a` and patch `b`, with up to `N` corners together. Returns the hashed labels of the points.
pub(super) fn contact<const N: usize>(
    a: Patch<'_>,
    b: Patch<'_>,
    witness: Witness,
    job: &PatchJob,
    out: &mut LocalManifold<D3>,
) -> u32 {
    out.normal = job.normal;
    let mut points = [FlatPoint::default(); N];
    let (reference, incident) = if job.reference_is_b { (b, a) } else { (a, b) };
    // Direction from the reference towards the incident patch.
    let up = if job.reference_is_b { -job.normal } else { job.normal };
    let Some(&origin) = reference.points.first() else { return u32::MAX };
    let frame =
        Frame { rise: rise(origin, up, reference.points), ..Frame::new(origin, up, reference.normal) };
    let cap = reference.cap.map(|cap| frame.cap(&cap));
    let count = if !reference.is_polygon() {
        along_segment(&frame, reference.points, incident.points, job.slop, &mut points)
    } else if frame.slope < STEEP || room(incident.points.len(), reference.points.len()) > N {
        0
    } else if let Some(cap) = &cap {
        over_cap(&frame, cap, incident.points, job.slop, &mut points)
    } else {
        let mut spare = [FlatPoint::default(); N];
        over_polygon(&frame, reference.points, incident.points, job.slop, &mut points, &mut spare)
    };
    let limit = job.margin + job.radii[0] + job.radii[1];
    let mut kept = 0;
    // Nothing is lower than the witness: what seems so lies beyond the border of a slanted reference, where the slop lets it.
    let least = witness.map_or(Real::NEG_INFINITY, |(_, gap)| gap);
    for i in 0..count {
        if points[i].z <= limit {
            points[kept] = points[i];
            points[kept].z = points[kept].z.max(least);
            kept += 1;
        }
    }
    let was_used = |p: &FlatPoint| {
        let hash = hash8(p.label(LABEL_BITS));
        job.used.to_le_bytes().contains(&hash)
    };
    let (mut chosen, mut chosen_count) = reduce(&points[..kept], was_used, job.slop);
    if let Some((on_a, gap)) = witness {
        let on_reference = if job.reference_is_b { on_a + job.normal * gap } else { on_a };
        let mut point = frame.flat(on_reference);
        (point.z, point.edge_in, point.edge_out) = (gap, WITNESS, WITNESS);
        let lead = if was_used(&point) { 0.5 * job.lead } else { job.lead };
        let lowest = chosen[..chosen_count].iter().fold(Real::INFINITY, |z, &i| z.min(points[i].z));
        let counts = || {
            job.is_witness_sure
                || match (&cap, reference.cap) {
                    (Some(flat), Some(cap)) => {
                        flat.is_under(&point, job.slop + 2.0 * SAGITTA * cap.first.length())
                    }
                    _ => frame.is_over(reference.points, &point, job.slop),
                }
        };
        if gap < lowest - lead && gap <= limit && kept < N && counts() {
            points[kept] = point;
            let aside = |i: usize| {
                let (x, y) = (points[i].x - point.x, points[i].y - point.y);
                x * x + y * y
            };
            let nearest =
                (1..chosen_count).fold(0, |k, j| if aside(chosen[j]) < aside(chosen[k]) { j } else { k });
            let slot = if chosen_count < chosen.len() { chosen_count } else { nearest };
            chosen[slot] = kept;
            chosen_count = chosen_count.max(slot + 1);
        }
    }
    let mut labels = u32::MAX;
    let [own, other] = if job.reference_is_b { [job.radii[1], job.radii[0]] } else { job.radii };
    for &i in &chosen[..chosen_count] {
        let p = &points[i];
        let label = p.label(LABEL_BITS);
        labels = labels << 8 | u32::from(hash8(label));
        let id = (job.feature & 0x1FFF) << (2 * LABEL_BITS) | label;
        // Polygons smaller than the resolution of their position may come out of clipping with a corner twice.
        if out.points().iter().any(|q| q.id == id) {
            continue;
        }
        let height =
            if p.edge_in == WITNESS { frame.witness_height(p, witness, job) } else { frame.height(p) };
        let position = frame.at(p) + up * (height + 0.5 * (p.z + own - other));
        out.push(position, p.z - own - other, id);
    }
    labels
}

/// Most points that clipping leaves of a patch, the witness included: a segment stays one.
fn room(incident: usize, reference: usize) -> usize {
    if incident <= 2 { 3 } else { incident + reference }
}

/// A byte for a label; 255 is kept for "none".
fn hash8(label: u32) -> u8 {
    ((label ^ label >> 7 ^ label >> 13) % 255) as u8
}

/// Coordinates across the normal, about a point of the reference patch.
struct Frame {
    origin: Vec3,
    up: Vec3,
    axes: [Vec3; 2],
    /// Normal of the reference plane, and its cosine with `up`.
    plane: Vec3,
    slope: Real,
    /// Where the reference is a segment: its rise per length across the normal, along it (no unit).
    rise: Vec3,
}

impl Frame {
    fn new(origin: Vec3, up: Vec3, plane: Vec3) -> Self {
        Self { origin, up, axes: D3::frame_across(up), plane, slope: plane.dot(up), rise: Vec3::ZERO }
    }

    /// A point in the plane, with its height above the origin as z.
    #[inline]
    fn flat(&self, p: Vec3) -> FlatPoint {
        let d = p - self.origin;
        FlatPoint {
            x: d.dot(self.axes[0]),
            y: d.dot(self.axes[1]),
            z: d.dot(self.up),
            ..FlatPoint::default()
        }
    }

    /// The corners of a cap, seen along the normal.
    fn cap(&self, cap: &CapCorners) -> FlatCap {
        let seen = |axis: Vec3| {
            let (m, u, v) =
                ((cap.middle - self.origin).dot(axis), cap.first.dot(axis), cap.quarter.dot(axis));
            CIRCLE.map(|(cos, sin)| m + u * cos + v * sin)
        };
        FlatCap { x: seen(self.axes[0]), y: seen(self.axes[1]) }
    }

    #[inline]
    fn at(&self, p: &FlatPoint) -> Vec3 {
        self.origin + self.axes[0] * p.x + self.axes[1] * p.y
    }

    /// Height of the reference plane or segment at a point, along `up`. Zero where there is neither.
    #[inline]
    fn height(&self, p: &FlatPoint) -> Real {
        let aside = self.axes[0] * p.x + self.axes[1] * p.y;
        if self.slope < STEEP { aside.dot(self.rise) } else { -aside.dot(self.plane) / self.slope }
    }

    /// True if a point is over the polygon, or beside it by less than the slop and what a polygon lacks that stands for a disc.
    fn is_over(&self, polygon: &[Vec3], point: &FlatPoint, slop: Real) -> bool {
        let width = polygon.iter().fold(0.0, |width: Real, &p| width.max((p - self.origin).length()));
        let slop = slop + SAGITTA * width;
        let last = polygon.iter().skip(polygon.len().saturating_sub(1));
        let mut edges = last.chain(polygon).map(|&corner| self.flat(corner));
        let Some(mut from) = edges.next() else { return false };
        edges.all(|to| {
            let (ex, ey) = (to.x - from.x, to.y - from.y);
            let outside = ey * (point.x - from.x) - ex * (point.y - from.y);
            from = to;
            outside <= slop * (ex * ex + ey * ey).sqrt()
        })
    }

    /// Height of the reference surface at the witness.
    fn witness_height(&self, p: &FlatPoint, witness: Witness, job: &PatchJob) -> Real {
        let Some((on_a, gap)) = witness else { return self.height(p) };
        let on_reference = if job.reference_is_b { on_a + job.normal * gap } else { on_a };
        (on_reference - self.origin).dot(self.up)
    }
}

/// How a segment rises along `up`, per length across it and in its direction: the side of a cone that touches with its rim or its tip leans. Zero for what is no segment, or upright.
fn rise(origin: Vec3, up: Vec3, reference: &[Vec3]) -> Vec3 {
    let [_, end] = reference else { return Vec3::ZERO };
    let along = *end - origin;
    let height = along.dot(up);
    let across = along - up * height;
    let square = across.length_squared();
    if square > 0.0 { across * (height / square) } else { Vec3::ZERO }
}

/// Corners of a cap in the plane across the normal [m].
struct FlatCap {
    x: [Real; CIRCLE.len()],
    y: [Real; CIRCLE.len()],
}

impl FlatCap {
    /// The corner from which edge `k` leads to corner `k`, and the edge.
    #[inline]
    fn edge(&self, k: usize) -> ([Real; 2], [Real; 2]) {
        let last = if k == 0 { CIRCLE.len() - 1 } else { k - 1 };
        let from = [self.x[last], self.y[last]];
        (from, [self.x[k] - from[0], self.y[k] - from[1]])
    }

    /// True if a point is beyond no edge by more than `slack` [m].
    fn is_under(&self, point: &FlatPoint, slack: Real) -> bool {
        (0..CIRCLE.len()).all(|k| {
            let (from, [ex, ey]) = self.edge(k);
            let outside = ey * (point.x - from[0]) - ex * (point.y - from[1]);
            outside <= 0.0 || outside * outside <= slack * slack * (ex * ex + ey * ey)
        })
    }
}

/// Clips a segment by the corners of a cap.
fn over_cap(frame: &Frame, cap: &FlatCap, incident: &[Vec3], slop: Real, points: &mut [FlatPoint]) -> usize {
    let n = lay(frame, incident, points);
    // PERF: what is inside an edge stays so, however the segment is cut. Most edges cut nothing, which takes no unit normal to tell.
    let ends = [0, 1].map(|k| [points[k].x, points[k].y]);
    for k in 0..CIRCLE.len() {
        let (from, [ex, ey]) = cap.edge(k);
        let is_beyond = |p: [Real; 2]| ey * (p[0] - from[0]) > ex * (p[1] - from[1]);
        if is_beyond(ends[0]) | is_beyond(ends[1]) {
            let length = (ex * ex + ey * ey).sqrt();
            let (nx, ny) = (ey / length, -ex / length);
            let offset = nx * from[0] + ny * from[1] + slop;
            let outside = |p: &FlatPoint| nx * p.x + ny * p.y - offset;
            if clip_segment(points, n, (n + k) as u16, outside) == 0 {
                return 0;
            }
        }
    }
    n
}

/// Writes the corners of the incident patch as heights over the reference plane; returns their number.
fn lay(frame: &Frame, incident: &[Vec3], points: &mut [FlatPoint]) -> usize {
    let n = incident.len();
    for (k, &p) in incident.iter().enumerate() {
        let mut point = frame.flat(p);
        point.z -= frame.height(&point);
        point.edge_in = (if k == 0 { n - 1 } else { k - 1 }) as u16;
        point.edge_out = k as u16;
        points[k] = point;
    }
    n
}

/// Clips the incident patch by the edges of a reference polygon. Heights become gaps over the reference plane.
fn over_polygon(
    frame: &Frame,
    reference: &[Vec3],
    incident: &[Vec3],
    slop: Real,
    points: &mut [FlatPoint],
    spare: &mut [FlatPoint],
) -> usize {
    let n = lay(frame, incident, points);
    let mut count = n;
    let mut from = frame.flat(reference[reference.len() - 1]);
    for (k, &corner) in reference.iter().enumerate() {
        let to = frame.flat(corner);
        let (ex, ey) = (to.x - from.x, to.y - from.y);
        // PERF: most edges of a cap cut nothing, which needs no unit normal to tell: two divisions and a root for each.
        let is_beyond = |p: &FlatPoint| ey * (p.x - from.x) > ex * (p.y - from.y);
        let length = if points[..count].iter().any(is_beyond) { (ex * ex + ey * ey).sqrt() } else { 0.0 };
        if length > 0.0 {
            let (nx, ny) = (ey / length, -ex / length);
            let offset = nx * from.x + ny * from.y + slop;
            let edge = (n + k) as u16;
            let outside = |p: &FlatPoint| nx * p.x + ny * p.y - offset;
            if n == 2 {
                count = clip_segment(points, count, edge, outside);
            } else {
                count = clip_polygon(points, count, spare, edge, outside);
            }
        }
        from = to;
    }
    count
}

fn between(p: &FlatPoint, q: &FlatPoint, s: Real, edge_in: u16, edge_out: u16) -> FlatPoint {
    FlatPoint {
        x: p.x + (q.x - p.x) * s,
        y: p.y + (q.y - p.y) * s,
        z: p.z + (q.z - p.z) * s,
        edge_in,
        edge_out,
    }
}

/// Keeps the part of a segment where `outside` is not positive.
fn clip_segment(
    points: &mut [FlatPoint],
    count: usize,
    edge: u16,
    outside: impl Fn(&FlatPoint) -> Real,
) -> usize {
    if count < 2 {
        return 0;
    }
    let (p, q) = (points[0], points[1]);
    let (dp, dq) = (outside(&p), outside(&q));
    match (dp > 0.0, dq > 0.0) {
        (true, true) => return 0,
        (true, false) => points[0] = between(&p, &q, dp / (dp - dq), edge, p.edge_out),
        (false, true) => points[1] = between(&p, &q, dp / (dp - dq), q.edge_in, edge),
        (false, false) => {}
    }
    2
}

/// Keeps the part of a polygon where `outside` is not positive.
fn clip_polygon(
    points: &mut [FlatPoint],
    count: usize,
    spare: &mut [FlatPoint],
    edge: u16,
    outside: impl Fn(&FlatPoint) -> Real,
) -> usize {
    if !points[..count].iter().any(|p| outside(p) > 0.0) {
        return count;
    }
    let mut kept = 0;
    for k in 0..count {
        let (p, q) = (points[k], points[if k + 1 == count { 0 } else { k + 1 }]);
        let (dp, dq) = (outside(&p), outside(&q));
        if dp <= 0.0 && kept < spare.len() {
            spare[kept] = p;
            kept += 1;
        }
        if (dp <= 0.0) != (dq <= 0.0) && kept < spare.len() {
            // Leaving along the edge of p, the new edge follows; coming back in, the other way round.
            let (edge_in, edge_out) = if dp <= 0.0 { (p.edge_out, edge) } else { (edge, p.edge_out) };
            spare[kept] = between(&p, &q, dp / (dp - dq), edge_in, edge_out);
            kept += 1;
        }
    }
    points[..kept].copy_from_slice(&spare[..kept]);
    kept
}

/// Two segments side by side touch along their common stretch; crossing ones only at the witness.
fn along_segment(
    frame: &Frame,
    reference: &[Vec3],
    incident: &[Vec3],
    slop: Real,
    points: &mut [FlatPoint],
) -> usize {
    let ([_, _], [_, _]) = (reference, incident) else { return 0 };
    let [a, b] = [frame.flat(reference[0]), frame.flat(reference[1])];
    let [p, q] = [frame.flat(incident[0]), frame.flat(incident[1])];
    let (ux, uy) = (b.x - a.x, b.y - a.y);
    let (vx, vy) = (q.x - p.x, q.y - p.y);
    let (uu, vv) = (ux * ux + uy * uy, vx * vx + vy * vy);
    let cross = ux * vy - uy * vx;
    if uu <= slop * slop || vv <= slop * slop || cross * cross > PARALLEL * PARALLEL * uu * vv {
        return 0;
    }
    // Positions along the reference, heights of both segments there.
    let along = |x: &FlatPoint| ((x.x - a.x) * ux + (x.y - a.y) * uy) / uu;
    let (sp, sq) = (along(&p), along(&q));
    let (low, high) = if sp <= sq { (sp.max(0.0), sq.min(1.0)) } else { (sq.max(0.0), sp.min(1.0)) };
    if low > high {
        return 0;
    }
    for (k, s) in [low, high].into_iter().enumerate() {
        let t = (s - sp) / (sq - sp);
        let gap = (p.z + (q.z - p.z) * t) - (a.z + (b.z - a.z) * s);
        let label = k as u16;
        points[k] = FlatPoint { x: a.x + ux * s, y: a.y + uy * s, z: gap, edge_in: label, edge_out: label };
    }
    2
}
