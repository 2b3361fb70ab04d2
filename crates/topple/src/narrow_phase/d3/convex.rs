//! Any two bounded convex shapes: the axis from GJK and EPA, the points from the patches that face each other.
//!
//! The way of cylinders and cones, and of rounded boxes and hulls whose cores are apart. The search finds a normal that is
//! good to its tolerance only; where the normal of a flat face serves as well to within the slop, it is taken instead:
//! a cylinder on its cap or on its side then stands still.
//!
//! Cache: `kind` = [`FACE_A`], [`FACE_B`] (whose face gave the normal) or [`AXIS`] (none), and above it one more than the number of the face that lay on
//! that face; `a` = the last normal in two times 16 bits, `b` = hashes of the points chosen last.

use super::feature::{
    Feature, cap_corners, corner_count, corners, feature, feature_code, flat_normal, incident,
};
use super::patch::{self, Patch, PatchJob};
use super::track::Followed;
use super::{BACK_TO_GROUND, CLEARLY_FLATTER, RESTING, SAME_WAY, SECOND_FACE, WITNESS_LEAD};
use crate::distance::{CoreDistance, Cores, Wide, core_distance_by, core_distance_within, depth_near};
use crate::math::*;
use crate::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::shape::{Shape3, ShapeOps};

/// Error of the distance that the search leaves, as a share of it (no unit).
const SEARCH_ERROR: f64 = 1e-6;

/// The search for an axis ends early at a gap of this many limits (no unit): it should separate in the next steps too.
const SPARE: f64 = 2.0;

/// How near to the true depth the search comes before its direction is handed to what follows axes, in slops: no other axis can be better by more.
const ROUGHLY: Real = 0.25;

/// Cosine above which an axis is the one of last time (no unit; 8°), as far as two bodies turn in a step.
const NEAR_LAST: f64 = 0.99;
/// How much worse other directions count when the last axis is looked for, in slops times 1 − cosine: an axis 20° away that is better
/// by half a slop is passed over.
const KEEP_PULL: f64 = 10.0;
/// Cosine above which two normals of one shape are those of one face (no unit; 1.5°).
const SAME_NORMAL: Real = 0.99966;

pub(super) const AXIS: u32 = 64;
pub(super) const FACE_A: u32 = 65;
pub(super) const FACE_B: u32 = 66;

/// Contact by closest points, with the last normal as first guess.
pub(super) fn collide(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    let Some(cores) = Cores::<D3>::new(job.a, job.b, &job.b_in_a) else { return };
    let limit = f64::from(job.margin) + f64::from(job.a.rounding()) + f64::from(job.b.rounding());
    let is_known = Last::is_known(cache);
    let mut guess = cores.guess();
    if is_known {
        guess = unpack(cache.a);
        if cores.gap(guess) > limit {
            counters.cache_hits += 1;
            return;
        }
    }
    counters.computed += 1;
    let followed = match is_known && job.algorithm == Algorithm::Auto {
        true => Followed::new(&cores, job),
        false => None,
    };
    let found = match &followed {
        Some(followed) => match followed.track(guess, counters) {
            Some(found) => found,
            None => {
                let mut finish = |near| followed.near(near, counters);
                let shortcut = (f64::from(ROUGHLY * job.slop), &mut finish as _);
                let found = core_distance_by(&cores, guess, SPARE * limit, Some(shortcut));
                count(&found, counters);
                found
            }
        },
        None => measure(&cores, guess, limit, counters),
    };
    let found = match is_known {
        true => keep_axis(&cores, found, Last::recall(cache), job, counters),
        false => found,
    };
    if found.distance > limit {
        *cache = PairCache { kind: AXIS, a: pack(found.normal), b: u32::MAX, value: found.distance as Real };
        return;
    }
    let last = manifold(&cores, &found, Last::recall(cache).on(ground), job, out);
    *cache = last.remember(Wide::of(out.normal), found.distance as Real);
}

/// The last axis instead of one that was found, where both overlap by as much to within half of the slop: of polyhedra two axes in
/// quite different directions can be as good, and would take turns.
fn keep_axis(
    cores: &Cores<'_, D3>,
    found: CoreDistance,
    last: Last,
    job: &CollideJob<'_, D3>,
    counters: &mut NarrowCounters,
) -> CoreDistance {
    let has_flat_sides = |shape: &Shape3| matches!(shape, Shape3::Box { .. } | Shape3::Hull { .. });
    let Some(normal) = last.normal.filter(|_| last.kind == AXIS && found.distance < 0.0) else {
        return found;
    };
    if !has_flat_sides(job.a) || !has_flat_sides(job.b) || found.normal.dot(Wide::of(normal)) > NEAR_LAST {
        return found;
    }
    let slop = f64::from(job.slop);
    let Some(old) = depth_near(cores, Wide::of(normal), KEEP_PULL * slop) else { return found };
    counters.epa_iterations += u64::from(old.iterations[1]);
    let is_last = old.normal.dot(Wide::of(normal)) > NEAR_LAST;
    if is_last && old.distance >= found.distance - 0.5 * slop { old } else { found }
}

/// What is known of the last contact of two shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    /// [`FACE_A`], [`FACE_B`] or [`AXIS`].
    pub kind: u32,
    /// The face that lay on the face of `kind`.
    pub incident: Option<u16>,
    /// Hashes of the points, one per byte.
    pub labels: u32,
    /// The normal, if it is known.
    normal: Option<Vec3>,
    /// Which of them cannot be pushed, while the other can.
    ground: Option<Side>,
}

impl Last {
    /// Nothing is known of an axis.
    pub(super) const NONE: Self =
        Self { kind: AXIS, incident: None, labels: u32::MAX, normal: None, ground: None };

    /// Nothing is known of two shapes that are apart: faces of the larger one are as good as those of last time. What leans on a large
    /// floor by a little reaches far down on it.
    pub(super) fn first(job: &CollideJob<'_, D3>) -> Self {
        let is_b = job.b.farthest_from(Vec3::ZERO) > job.a.farthest_from(Vec3::ZERO);
        Self { kind: if is_b { FACE_B } else { FACE_A }, ..Self::NONE }
    }

    /// The same on a ground.
    pub(super) fn on(self, ground: Option<Side>) -> Self {
        Self { ground, ..self }
    }

    /// True if the cache is of this kind.
    pub(super) fn is_known(cache: &PairCache) -> bool {
        (AXIS..=FACE_B).contains(&(cache.kind & 0xFF))
    }

    pub(super) fn recall(cache: &PairCache) -> Self {
        if !Self::is_known(cache) {
            return Self::NONE;
        }
        let (kind, incident) = Self::split(cache.kind);
        Self { kind, incident, labels: cache.b, normal: Some(unpack(cache.a).narrow()), ground: None }
    }

    /// Kind and face in 32 bits, and back.
    pub(super) fn code(&self) -> u32 {
        self.kind | self.incident.map_or(0, |i| u32::from(i) + 1) << 8
    }

    pub(super) fn split(code: u32) -> (u32, Option<u16>) {
        (code & 0xFF, (code >> 8).checked_sub(1).map(|i| i as u16))
    }

    /// What [`Self::code`] and the labels tell.
    pub(super) fn of(code: u32, labels: u32) -> Self {
        let (kind, incident) = Self::split(code);
        Self { kind, incident, labels, normal: None, ground: None }
    }

    pub(super) fn remember(&self, normal: Wide, distance: Real) -> PairCache {
        PairCache { kind: self.code(), a: pack(normal), b: self.labels, value: distance }
    }
}

/// The same without a cache, for shapes whose cores are known to be apart.
pub(super) fn collide_apart(
    job: &CollideJob<'_, D3>,
    last: Last,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) -> Last {
    let Some(cores) = Cores::<D3>::new(job.a, job.b, &job.b_in_a) else { return last };
    let limit = f64::from(job.margin) + f64::from(job.a.rounding()) + f64::from(job.b.rounding());
    let found = measure(&cores, cores.guess(), limit, counters);
    if found.distance > limit {
        return Last::first(job);
    }
    manifold(&cores, &found, last, job, out)
}

/// Signed distance of the cores; where it is more than `limit`, the gap along an axis that tells so with some to spare.
fn measure(cores: &Cores<'_, D3>, guess: Wide, limit: f64, counters: &mut NarrowCounters) -> CoreDistance {
    let found = core_distance_within(cores, guess, SPARE * limit);
    count(&found, counters);
    found
}

fn count(found: &CoreDistance, counters: &mut NarrowCounters) {
    counters.gjk_iterations += u64::from(found.iterations[0]);
    counters.epa_iterations += u64::from(found.iterations[1]);
}

/// Normal of the face of a kind that looks along `normal`, from a to b in the frame of a.
fn face_normal(job: &CollideJob<'_, D3>, kind: u32, normal: Vec3) -> Option<Vec3> {
    let rotation = job.b_in_a.rotation;
    match kind {
        FACE_A => flat_normal(job.a, &feature(job.a, normal)),
        FACE_B => {
            let down = rotation.rotate_inv(-normal);
            flat_normal(job.b, &feature(job.b, down)).map(|n| -rotation.rotate(n))
        }
        _ => None,
    }
}

/// Points of the contact, given the last one. Returns what to remember.
pub(super) fn manifold(
    cores: &Cores<'_, D3>,
    found: &CoreDistance,
    last: Last,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> Last {
    let rotation = job.b_in_a.rotation;
    let normal: Vec3 = found.normal.narrow();
    let (on_a, on_b) = (feature(job.a, normal), feature(job.b, rotation.rotate_inv(-normal)));
    let flat_a = flat_normal(job.a, &on_a);
    let flat_b = flat_normal(job.b, &on_b).map(|n| rotation.rotate(n));
    // A face normal that is as good to within the slop; harder to enter than to keep, and the last face first, wherever it
    // looks by now.
    let (slop, rounding) = (f64::from(job.slop), job.a.rounding() + job.b.rounding());
    let enter = if last.kind == AXIS { 0.5 * slop } else { slop };
    let lowest = found.distance - enter.max(SEARCH_ERROR * found.distance.abs());
    let kept = last.normal.and_then(|n| face_normal(job, last.kind, n));
    let is_last = |axis: Vec3, kind: u32| kind == last.kind && kept.is_none_or(|n| n.dot(axis) > SAME_NORMAL);
    let near = |n: &Vec3| n.dot(normal) > 0.5;
    let mut best = f64::NEG_INFINITY;
    let mut chosen = None;
    let candidates =
        [(kept, last.kind), (flat_a.filter(near), FACE_A), (flat_b.map(|n| -n).filter(near), FACE_B)];
    for (k, (axis, kind)) in candidates.into_iter().enumerate() {
        let Some(axis) = axis.filter(|&n| k == 0 || kept.is_none() || !is_last(n, kind)) else { continue };
        let gap = cores.gap(Wide::of(axis));
        let score = gap + if is_last(axis, kind) { 0.5 * slop } else { 0.0 };
        if gap >= lowest && score > best + f64::from(SECOND_FACE) * slop {
            best = score;
            chosen = Some((axis, kind, gap));
        }
    }
    // Where the face of the ground looks the same way and is as good, it is taken: see `ground_face` in `hulls.rs`.
    let best = chosen.unwrap_or((normal, AXIS, found.distance));
    let on_ground = last.ground.and_then(|side| {
        let (flat, own) = match side {
            Side::A => (flat_a?, FACE_A),
            Side::B => (-flat_b?, FACE_B),
        };
        (best.1 != own && flat.dot(best.0) >= SAME_WAY).then(|| (flat, own, cores.gap(Wide::of(flat))))
    });
    for (axis, kind, gap) in [on_ground, chosen].into_iter().flatten() {
        let reference_is_b = kind == FACE_B;
        let deepest = cores.support(-Wide::of(axis));
        let at: Vec3 =
            if reference_is_b { deepest.a.narrow() } else { (deepest.b - Wide::of(axis) * gap).narrow() };
        let lay = if is_last(axis, kind) { last.incident } else { None };
        let (of_a, of_b) = if reference_is_b { (lay, None) } else { (None, lay) };
        let on_a = incident(job.a, axis, of_a);
        let on_b = incident(job.b, rotation.rotate_inv(-axis), of_b);
        let lies = if reference_is_b { &on_a } else { &on_b };
        let incident = if let Feature::Face(i) = lies { Some(*i as u16) } else { None };
        let along =
            Along { normal: axis, reference_is_b, witness: (at, gap as Real), is_witness_sure: false };
        let labels = points_along(&along, &on_a, &on_b, last.labels, job, out);
        let lowest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        // Not as good up to the slop, where they face each other: what is lowest of all may lie beyond it, over the next tile.
        let depth = best.2 as Real - rounding;
        let reach =
            super::reach_of_ground(depth, job.slop * if last.kind == kind { 1.0 } else { BACK_TO_GROUND });
        let is_off = kind != best.1 && !(depth - reach..=depth + job.slop).contains(&lowest);
        // Of what lies over the face nothing is as deep as the shapes are: they touch beside it.
        let is_beside = lowest > found.distance as Real - rounding + RESTING * job.slop;
        if !out.is_empty() && !is_off && !is_beside {
            return Last { kind, incident, labels, ..Last::NONE };
        }
        // Nothing lies over the face: its plane was good enough, but the other shape touches beside it.
        out.clear();
    }
    let mut next = Last::NONE;
    let mut reference_is_b = flat_a.is_none() && flat_b.is_some();
    if let (Some(m), Some(n)) = (flat_a, flat_b) {
        reference_is_b = -n.dot(normal) > m.dot(normal) + CLEARLY_FLATTER;
    }
    let witness = (found.on_a.narrow(), found.distance as Real);
    let along = Along { normal, reference_is_b, witness, is_witness_sure: true };
    next.labels = points_along(&along, &on_a, &on_b, last.labels, job, out);
    next
}

/// A direction along which two features are laid on each other.
struct Along {
    /// From a to b.
    normal: Vec3,
    reference_is_b: bool,
    /// See [`PatchJob`].
    witness: (Vec3, Real),
    is_witness_sure: bool,
}

/// Points of two features laid on each other; `used` are the labels of last time. Returns those of this time.
fn points_along(
    along: &Along,
    on_a: &Feature,
    on_b: &Feature,
    used: u32,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let patch_job = PatchJob {
        normal: along.normal,
        radii: [job.a.rounding(), job.b.rounding()],
        margin: job.margin,
        slop: job.slop,
        lead: WITNESS_LEAD * job.slop,
        is_witness_sure: along.is_witness_sure,
        used,
        feature: feature_code(on_a).wrapping_mul(521)
            ^ feature_code(on_b).wrapping_mul(19)
            ^ u32::from(along.reference_is_b),
        reference_is_b: along.reference_is_b,
    };
    let size = corner_count(job.a, on_a).max(corner_count(job.b, on_b));
    if size <= 16 {
        patches::<16, 34>(on_a, on_b, Some(along.witness), &patch_job, job, out)
    } else {
        patches::<256, 514>(on_a, on_b, Some(along.witness), &patch_job, job, out)
    }
}

/// The points of b that lie over the front of the triangle a, along the unit vector `normal`. The `witness` is the lowest point of b, if that does.
pub(super) fn over_triangle(
    job: &CollideJob<'_, D3>,
    normal: Vec3,
    witness: patch::Witness,
    out: &mut LocalManifold<D3>,
) {
    let (on_a, on_b) = (Feature::Face(0), feature(job.b, job.b_in_a.rotation.rotate_inv(-normal)));
    let patch_job = PatchJob {
        normal,
        radii: [0.0, job.b.rounding()],
        margin: job.margin,
        slop: job.slop,
        lead: job.slop,
        is_witness_sure: true,
        used: u32::MAX,
        feature: feature_code(&on_b).wrapping_mul(19),
        reference_is_b: false,
    };
    if corner_count(job.b, &on_b) <= 16 {
        patches::<16, 34>(&on_a, &on_b, witness, &patch_job, job, out);
    } else {
        patches::<256, 514>(&on_a, &on_b, witness, &patch_job, job, out);
    }
}

fn patches<const FACE: usize, const BOTH: usize>(
    on_a: &Feature,
    on_b: &Feature,
    witness: patch::Witness,
    patch_job: &PatchJob,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> u32 {
    let turned = flat_normal(job.b, on_b).map_or(Vec3::ZERO, |n| job.b_in_a.rotation.rotate(n));
    let normals = [flat_normal(job.a, on_a).unwrap_or(Vec3::ZERO), turned];
    // PERF: a side that lies on a cap, or leans on its rim: half of what cylinders touch with, and most of what their points cost.
    if let (Feature::Segment(line), Feature::Cap(..)) | (Feature::Cap(..), Feature::Segment(line)) =
        (on_a, on_b)
    {
        let is_b = matches!(on_b, Feature::Segment(_));
        let line = line.map(|p| if is_b { job.b_in_a.transform(p).to_vec() } else { p });
        let cap = match is_b {
            true => cap_corners(on_a, |p| p, |v| v),
            false => {
                cap_corners(on_b, |p| job.b_in_a.transform(p).to_vec(), |v| job.b_in_a.rotation.rotate(v))
            }
        };
        let corner = [cap.map_or(Vec3::ZERO, |cap| cap.middle + cap.first)];
        let patch = |k: usize| match (k == 1) == is_b {
            true => Patch { points: &line, normal: normals[k], cap: None },
            false => Patch { points: &corner, normal: normals[k], cap },
        };
        return patch::contact::<4>(patch(0), patch(1), witness, patch_job, out);
    }
    let (mut pa, mut pb) = ([Vec3::ZERO; FACE], [Vec3::ZERO; FACE]);
    let na = corners(job.a, on_a, |p| p, &mut pa);
    let nb = corners(job.b, on_b, |p| job.b_in_a.transform(p).to_vec(), &mut pb);
    let a = Patch { points: &pa[..na], normal: normals[0], cap: None };
    let b = Patch { points: &pb[..nb], normal: normals[1], cap: None };
    // PERF: a line on whatever else needs little room.
    if a.points.len().min(b.points.len()) <= 2 {
        return patch::contact::<4>(a, b, witness, patch_job, out);
    }
    patch::contact::<BOTH>(a, b, witness, patch_job, out)
}

/// A unit vector in 32 bits: the octahedron unfolded to a square of 16 bit coordinates.
pub(super) fn pack(n: Wide) -> u32 {
    let sum = n.x.abs() + n.y.abs() + n.z.abs();
    let (mut x, mut y) = (n.x / sum, n.y / sum);
    if n.z < 0.0 {
        (x, y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
    }
    let bits = |v: f64| ((v * 32767.0).round() as i32 as u32) & 0xFFFF;
    bits(x) << 16 | bits(y)
}

pub(super) fn unpack(packed: u32) -> Wide {
    let part = |bits: u32| f64::from(bits as u16 as i16) / 32767.0;
    let (mut x, mut y) = (part(packed >> 16), part(packed));
    let z = 1.0 - x.abs() - y.abs();
    if z < 0.0 {
        (x, y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
    }
    Wide::new(x, y, z).unit().unwrap_or(Wide::new(0.0, 1.0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_normals_come_back() {
        for i in 0..1_000 {
            let f = f64::from(i);
            let n = Wide::new(f * 0.37 % 2.0 - 1.0, f * 0.71 % 2.0 - 1.0, f * 0.113 % 2.0 - 1.0);
            let Some(n) = n.unit() else { continue };
            assert!((unpack(pack(n)) - n).length() < 1e-4, "{n:?}");
        }
    }
}
