//! Closed forms: spheres and capsules against each other and against boxes.

use super::{PARALLEL, push_core_point};
use crate::distance::{Cores, Wide, core_distance};
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters};
use crate::shape::d3::{HullData, closest_on_segment, segment_fraction};

/// How far outside of a face, as a share of the height above it, a point still counts as above it (no unit): rounding.
const ABOVE_FACE: Real = 1e-6;
/// Squared sine below which the closest points of two segments are anywhere along them (no unit): the middle is taken.
const PARALLEL_LINES: Real = 1e-10;
/// Distance of two axes as a share of the longer one that counts as none (no unit): a few roundings of f32 coordinates.
const COINCIDENT: Real = 1e-6;
/// Sine below which an edge of a box and a segment have no common normal (no unit): the faces cover that direction.
const NO_CROSS: Real = 1e-3;
/// Cosine above which the true direction counts as the normal of the face (no unit): about 0.8 degrees.
const SAME_WAY: Real = 0.9999;

pub(super) fn sphere_sphere(ra: Real, rb: Real, job: &CollideJob<'_, D3>, out: &mut LocalManifold<D3>) {
    let offset = job.b_in_a.position.to_vec();
    points(Vec3::ZERO, offset, Vec3::Y, [ra, rb], job, out);
}

pub(super) fn capsule_sphere(
    a: [Vec3; 2],
    ra: Real,
    rb: Real,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let center = job.b_in_a.position.to_vec();
    let on_a = closest_on_segment(a[0], a[1], center);
    let away = across(a[1] - a[0]);
    points(on_a, center, away, [ra, rb], job, out);
}

/// Contact of two balls about core points; `fallback` is the normal if the points coincide.
fn points(
    on_a: Vec3,
    on_b: Vec3,
    fallback: Vec3,
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let offset = on_b - on_a;
    let gap = offset.length();
    if gap - radii[0] - radii[1] <= job.margin {
        out.normal = offset.normalize_or(fallback);
        push_core_point(out, on_a, gap, radii, job.margin, 0);
    }
}

/// A unit vector at right angles to `v`; up for the zero vector.
pub(super) fn across(v: Vec3) -> Vec3 {
    let length = v.length();
    if length > 0.0 && length.is_finite() { D3::frame_across(v * (1.0 / length))[0] } else { Vec3::Y }
}

pub(super) fn box_sphere(
    half: Vec3,
    ra: Real,
    rb: Real,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let center = job.b_in_a.position.to_vec();
    let closest = center.clamp(-half, half);
    let offset = center - closest;
    let gap = offset.length();
    if gap > 0.0 {
        if gap - ra - rb <= job.margin {
            out.normal = offset.normalize_or(Vec3::Y);
            push_core_point(out, closest, gap, [ra, rb], job.margin, 0);
        }
        return;
    }
    // The centre is inside: out through the nearest face, upwards if several are equally near.
    let depth = half - center.abs();
    let axis = [1, 0, 2].into_iter().fold(1, |best, i| if depth[i] < depth[best] { i } else { best });
    let side = if center[axis] < 0.0 { -1.0 } else { 1.0 };
    out.normal = Vec3::axis(axis) * side;
    let on_a = center + out.normal * depth[axis];
    push_core_point(out, on_a, -depth[axis], [ra, rb], job.margin, 0);
}

/// Hull against a point core: the deepest face if the centre is inside, closest points if it is outside.
pub(super) fn hull_sphere(
    hull: &HullData,
    ra: Real,
    rb: Real,
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let center = job.b_in_a.position.to_vec();
    counters.axes += hull.faces().len() as u64;
    let (mut face, mut height) = (&hull.faces()[0], Real::NEG_INFINITY);
    for f in hull.faces() {
        let gap = f.normal.dot(center) - f.offset;
        if gap > height {
            (face, height) = (f, gap);
        }
    }
    if height > ra + rb + job.margin {
        return;
    }
    // Above the middle of the face, or inside: its plane is the surface.
    let on_face = center - face.normal * height;
    if height <= 0.0 || hull.faces().iter().all(|f| f.normal.dot(on_face) <= f.offset + ABOVE_FACE * height) {
        out.normal = face.normal;
        push_core_point(out, on_face, height, [ra, rb], job.margin, 0);
        return;
    }
    let Some(cores) = Cores::<D3>::new(job.a, job.b, &job.b_in_a) else { return };
    let found = core_distance(&cores, Wide::of(face.normal));
    counters.gjk_iterations += u64::from(found.iterations[0]);
    out.normal = found.normal.narrow();
    push_core_point(out, found.on_a.narrow(), found.distance as Real, [ra, rb], job.margin, 0);
}

/// Fractions of the closest points of two segments, each clamped to [0, 1].
pub(super) fn closest_segments(a: [Vec3; 2], b: [Vec3; 2]) -> [Real; 2] {
    let (da, db, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (aa, bb, ab) = (da.length_squared(), db.length_squared(), da.dot(db));
    if aa <= 0.0 {
        return [0.0, segment_fraction(b[0], b[1], a[0])];
    }
    if bb <= 0.0 {
        return [segment_fraction(a[0], a[1], b[0]), 0.0];
    }
    let (ar, br) = (da.dot(r), db.dot(r));
    // |da × db|² from the cross product: aa·bb − ab² would cancel for nearly parallel segments.
    let det = da.cross(db).length_squared();
    let mut s =
        if det > PARALLEL_LINES * aa * bb { ((ab * br - ar * bb) / det).clamp(0.0, 1.0) } else { 0.5 };
    let mut t = (ab * s + br) / bb;
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = ((ab * t - ar) / aa).clamp(0.0, 1.0);
    }
    [s, t]
}

pub(super) fn capsule_capsule(
    a: [Vec3; 2],
    ra: Real,
    b: [Vec3; 2],
    rb: Real,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let b = b.map(|p| job.b_in_a.transform(p).to_vec());
    let (da, db) = (a[1] - a[0], b[1] - b[0]);
    let [s, t] = closest_segments(a, b);
    let (on_a, on_b) = (a[0] + da * s, b[0] + db * t);
    let offset = on_b - on_a;
    let gap = offset.length();
    if gap - ra - rb > job.margin {
        return;
    }
    let cross = da.cross(db);
    let lengths = da.length() * db.length();
    let skew = cross.length() > PARALLEL * lengths;
    // Crossing axes: push along their common normal; otherwise anywhere across the longer one.
    let fallback = if skew {
        cross.normalize_or(Vec3::Y)
    } else if da.length_squared() >= db.length_squared() {
        across(da)
    } else {
        across(db)
    };
    // Axes that meet to within rounding have no direction between them: what is left of one may point along them.
    let is_direction = gap > COINCIDENT * da.length().max(db.length());
    let towards_b = if fallback.dot(offset) < 0.0 { -fallback } else { fallback };
    out.normal = if is_direction { offset.normalize_or(fallback) } else { towards_b };
    if !skew && lengths > 0.0 {
        // Side by side: the two ends of the common stretch, as seen along a.
        let aa = da.length_squared();
        let u = [(b[0] - a[0]).dot(da) / aa, (b[1] - a[0]).dot(da) / aa];
        let (low, high) = if u[0] <= u[1] { (0, 1) } else { (1, 0) };
        let (start, end) = (u[low].max(0.0), u[high].min(1.0));
        if end - start > PARALLEL && (out.normal.dot(da)).abs() < PARALLEL * da.length() {
            for (k, x) in [(low as u32, start), (high as u32, end)] {
                let pa = a[0] + da * x;
                let w = (x - u[0]) / (u[1] - u[0]);
                let pb = b[0] + db * w.clamp(0.0, 1.0);
                push_core_point(out, pa, (pb - pa).dot(out.normal), [ra, rb], job.margin, k + 1);
            }
            if !out.is_empty() {
                return;
            }
        }
    }
    push_core_point(out, on_a, gap, [ra, rb], job.margin, 0);
}

/// Box against the segment core of a capsule: separating axes first, closest features only for a near miss.
pub(super) fn box_capsule(
    half: Vec3,
    ra: Real,
    core: [Vec3; 2],
    rb: Real,
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let p = core.map(|p| job.b_in_a.transform(p).to_vec());
    let (center, reach) = ((p[0] + p[1]) * 0.5, (p[1] - p[0]) * 0.5);
    let limit = ra + rb + job.margin;
    // Three faces and the three directions across an edge and the segment.
    let gaps = center.abs() - half - reach.abs();
    let face = (0..3).fold(0, |best, i| if gaps[i] > gaps[best] { i } else { best });
    counters.axes += 3;
    if gaps[face] > limit {
        return;
    }
    let side = if center[face] < 0.0 { -1.0 } else { 1.0 };
    let mut best = (gaps[face], Vec3::axis(face) * side, true);
    let length = reach.length();
    for i in 0..3 {
        let cross = Vec3::axis(i).cross(reach);
        let l = cross.length();
        if l <= NO_CROSS * length || l <= 0.0 {
            continue;
        }
        counters.axes += 1;
        let n = cross * (1.0 / l);
        let along = n.dot(center);
        let gap = along.abs() - n.abs().dot(half);
        if gap > limit {
            return;
        }
        if gap > best.0 + job.slop {
            best = (gap, if along < 0.0 { -n } else { n }, false);
        }
    }
    let (mut gap, mut normal, mut is_face) = best;
    let mut on_a = None;
    if gap > 0.0 {
        // The cores are apart: the true direction may go through a corner, an edge or an end.
        let (x, y) = closest_outside(half, p);
        let d = y - x;
        let distance = d.length();
        if distance > limit {
            return;
        }
        if distance > gap + job.slop || !is_face {
            normal = d.normalize_or(normal);
            gap = distance;
            is_face = is_face && normal.dot(best.1) > SAME_WAY;
            on_a = Some(x);
        }
    }
    out.normal = normal;
    let steep = normal.dot(reach).abs() > PARALLEL * length * 2.0 || !is_face;
    if !steep && length > 0.0 {
        clip_segment(half, face, side, p, [ra, rb], job, out);
        if !out.is_empty() {
            return;
        }
    }
    if let Some(closest) = on_a
        && !is_face
        && along_edge(half, closest, normal, p, [ra, rb], job, out)
    {
        return;
    }
    let on_a = on_a.unwrap_or_else(|| {
        if is_face {
            // The deeper end, moved out to the face.
            let end = if normal.dot(reach) > 0.0 { p[0] } else { p[1] };
            let inside = end.clamp(-half, half);
            inside - normal * (normal.dot(inside) - half[face])
        } else {
            edge_point(half, normal, p)
        }
    });
    push_core_point(out, on_a, gap, [ra, rb], job.margin, 0);
}

/// Part of the segment `p` above the face `axis`/`side` of the box: its two ends become points.
fn clip_segment(
    half: Vec3,
    axis: usize,
    side: Real,
    p: [Vec3; 2],
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    let d = p[1] - p[0];
    let (mut start, mut end) = (0.0, 1.0);
    for i in (0..3).filter(|&i| i != axis) {
        let (o, v, h) = (p[0][i], d[i], half[i]);
        if v == 0.0 {
            if o.abs() > h {
                return;
            }
            continue;
        }
        let (t0, t1) = ((-h - o) / v, (h - o) / v);
        start = t0.min(t1).max(start);
        end = t0.max(t1).min(end);
    }
    if start > end {
        return;
    }
    for (id, t) in [(1, start), (2, end)] {
        let point = p[0] + d * t;
        let gap = side * point[axis] - half[axis];
        push_core_point(out, point - out.normal * gap, gap, radii, job.margin, id);
    }
}

/// The contact of the segment `p` that lies along the edge of the box on which the `closest` point is: the two ends of their common stretch. With one point only a capsule that falls on the edges of a gap would
/// spin about that instead of being held. False, and nothing found, if it lies along no edge.
fn along_edge(
    half: Vec3,
    closest: Vec3,
    normal: Vec3,
    p: [Vec3; 2],
    radii: [Real; 2],
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> bool {
    let d = p[1] - p[0];
    let length = d.length();
    let axis = (0..3).fold(0, |best, i| if d[i].abs() > d[best].abs() { i } else { best });
    let aside = d - Vec3::axis(axis) * d[axis];
    if length <= 0.0 || aside.length() > PARALLEL * length || normal[axis].abs() > PARALLEL {
        return false;
    }
    // What lies on a face, across an edge, has its closest point inside of that face.
    if (0..3).any(|i| i != axis && closest[i].abs() < half[i]) {
        return false;
    }
    let at = |x: Real| (x - p[0][axis]) / d[axis];
    let (low, high) = if d[axis] > 0.0 { (-half[axis], half[axis]) } else { (half[axis], -half[axis]) };
    let (start, end) = (at(low).max(0.0), at(high).min(1.0));
    if end - start <= PARALLEL {
        return false;
    }
    let mut corner = closest;
    for (id, t) in [(1, start), (2, end)] {
        let on_b = p[0] + d * t;
        corner[axis] = on_b[axis];
        push_core_point(out, corner, normal.dot(on_b - corner), radii, job.margin, id);
    }
    !out.is_empty()
}

/// Point on the edge of the box that supports `normal` and crosses the segment `p` (the two overlap).
fn edge_point(half: Vec3, normal: Vec3, p: [Vec3; 2]) -> Vec3 {
    let axis = (0..3).fold(0, |best, i| if normal[i].abs() < normal[best].abs() { i } else { best });
    let corner = |end: Real| {
        let mut c = Vec3::ZERO;
        for i in 0..3 {
            let s = if i == axis { end } else { normal[i].signum() };
            c[i] = s * half[i];
        }
        c
    };
    let edge = [corner(-1.0), corner(1.0)];
    let [s, _] = closest_segments(edge, p);
    edge[0] + (edge[1] - edge[0]) * s
}

/// Closest points of the box and a segment that does not meet it, on the box and on the segment. One of them is an end
/// of the segment, or the pair lies on an edge of the box.
fn closest_outside(half: Vec3, p: [Vec3; 2]) -> (Vec3, Vec3) {
    let mut best = (p[0].clamp(-half, half), p[0]);
    let mut distance = best.0.distance_squared(best.1);
    let mut offer = |x: Vec3, y: Vec3| {
        let d = x.distance_squared(y);
        if d < distance {
            distance = d;
            best = (x, y);
        }
    };
    offer(p[1].clamp(-half, half), p[1]);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for corner in 0..4 {
            let mut start = Vec3::axis(axis) * -half[axis];
            start[u] = if corner & 1 == 0 { -half[u] } else { half[u] };
            start[v] = if corner & 2 == 0 { -half[v] } else { half[v] };
            let edge = [start, start + Vec3::axis(axis) * (2.0 * half[axis])];
            let [s, t] = closest_segments(edge, p);
            offer(edge[0] + (edge[1] - edge[0]) * s, p[0] + (p[1] - p[0]) * t);
        }
    }
    best
}
