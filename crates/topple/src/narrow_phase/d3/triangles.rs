//! Meshes against meshes and height fields, triangle by triangle; meshes against half-spaces, corner by corner.
//!
//! Two triangles are skins of two solids. The axis between them is one of the two normals or the common normal of two edges,
//! and it must be one that both triangles allow: then a corner of one solid on a face of the other, and two crossing
//! edges, each have exactly one axis, and faces that merely pass through each other have none.

use super::patch::{self, Patch, PatchJob};
use super::triangle::NEARLY_FLAT;
use super::{deep, round};
use crate::distance::triangle_intersection;
use crate::math::*;
use crate::narrow_phase::composite::body_of;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, Side};
use crate::shape::composite::turned_box;
use crate::shape::d3::triangle;
use crate::shape::{Composite, Shape3, ShapeOps};

/// Overlap beyond which two triangles no longer tell the way out, in slops, or in inner radii of the smaller body if that is more.
const MAX_DEPTH: Real = 50.0;
const MAX_INNER: Real = 2.0;
/// The same for two solids: beyond, the search over both surfaces takes over (`deep.rs`).
const MAX_INNER_SOLID: Real = 0.5;
/// Share of the slop by which an axis must be better than the one before.
const LEAD: Real = 0.1;
/// Squared sine below which two edges count as parallel.
const PARALLEL_SQUARED: Real = 1e-6;
/// First bit of ids of edge contacts.
const EDGE_ID: u32 = 1 << 31;

/// A composite shape a against a composite shape or half-space b; see the head of the file.
pub(crate) fn collide_composites(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>, bool),
) {
    let Some(a) = job.a.composite() else { return };
    if let Some((normal, offset)) = job.b.half_space() {
        let normal = job.b_in_a.rotation.rotate(normal);
        return on_plane(a, normal, offset + normal.dot(job.b_in_a.position.to_vec()), job, add);
    }
    let Some(b) = job.b.composite() else { return };
    let a_in_b = job.swapped().b_in_a;
    let reach = turned_box(&a.bounds(), &a_in_b).grown(job.margin);
    // Into an open surface, which has no other side to come out of, a body may sink deeper.
    let is_open = !(a.is_closed() && b.is_closed());
    let inner = job.a.inner_radius().min(job.b.inner_radius());
    let deep = if is_open && inner.is_finite() { MAX_INNER * inner } else { 0.0 };
    let max_depth = if is_open || !inner.is_finite() { deep } else { MAX_INNER_SOLID * inner };
    let max_depth = max_depth.max(MAX_DEPTH * job.slop);
    let own_depth = MAX_INNER * job.a.inner_radius();
    // Of two solids one of which cannot be pushed, triangles of that one push the other as deep as it may be in them, if its middle is in front of them.
    let body = body_of(job, ground);
    let mut out = LocalManifold::default();
    // Any contact, one that pushes, and triangles that cross without one.
    let (mut is_found, mut is_deep, mut is_crossed) = (false, false, false);
    b.visit(&reach, &mut |j| {
        let Some(other) = Skin::new(b, j, &job.b_in_a) else { return };
        // What has sunk below this triangle counts too, as deep as it may: its own box no longer meets that of the triangle.
        let bounds = triangle::bounds(other.corners);
        let is_before = body.is_some_and(|middle| other.normal.dot(middle - other.corners[0]) > 0.0);
        let (deep, max_depth) = if is_before { (own_depth, own_depth) } else { (deep, max_depth) };
        let below = other.normal * -deep;
        let sunk = Aabb { min: bounds.min + below, max: bounds.max + below };
        let near = bounds.union(&sunk).grown(job.margin);
        a.visit(&near, &mut |i| {
            let Some(own) = Skin::new(a, i, &Pose::IDENTITY) else { return };
            out.clear();
            counters.axes += 1;
            let is_known = pair([a, b], [&own, &other], max_depth, job, &mut out);
            is_found |= !out.is_empty();
            is_deep |= out.points().iter().any(|point| point.separation < 0.0);
            is_crossed |= !(is_known || is_deep || is_crossed)
                && triangle_intersection(own.corners, other.corners).is_some();
            let face = ground.map(|side| if side == Side::A { own.normal } else { -other.normal });
            let is_flat = face.is_some_and(|face| out.lie_on(face));
            // Which two triangles: neither number alone names the point.
            add(i.wrapping_mul(0x85EB_CA6B) ^ j, &out, is_flat);
        });
    });
    if !is_found || is_crossed && !is_deep {
        deep::collide(job, is_crossed, counters, &mut |key, local| add(key, local, false));
    }
}

/// The corners of a composite shape that are below the plane normal·x = `offset`, or nearly so.
fn on_plane(
    shape: &dyn Composite<D3>,
    normal: Vec3,
    offset: Real,
    job: &CollideJob<'_, D3>,
    add: &mut dyn FnMut(u32, &LocalManifold<D3>, bool),
) {
    let mut out = LocalManifold::default();
    shape.visit_below(normal, offset + job.margin, &mut |index| {
        let Shape3::Triangle { a, b, c } = shape.child(index) else { return };
        out.clear();
        out.normal = -normal;
        for corner in [a, b, c] {
            let height = normal.dot(corner) - offset;
            if height <= job.margin {
                out.push(corner - normal * (0.5 * height), height, place_id(corner));
            }
        }
        // The corner names the point, whichever of its triangles is met first.
        add(0, &out, false);
    });
}

/// A number for a corner of a mesh by its place, which never changes in the frame of the mesh.
fn place_id(corner: Vec3) -> u32 {
    let [x, y, z] = [corner.x, corner.y, corner.z].map(Real::to_bits);
    (x.wrapping_mul(0x9E37_79B1).rotate_left(11) ^ y).wrapping_mul(0x85EB_CA6B).rotate_left(13) ^ z
}

/// A triangle in the frame of a.
struct Skin {
    index: u32,
    corners: [Vec3; 3],
    normal: Vec3,
    /// Turns a direction into the frame of its shape.
    rotation: Quat,
}

impl Skin {
    fn new(shape: &dyn Composite<D3>, index: u32, pose: &Pose<D3>) -> Option<Self> {
        let Shape3::Triangle { a, b, c } = shape.child(index) else { return None };
        Some(Self {
            index,
            corners: [a, b, c].map(|v| pose.transform(v).to_vec()),
            normal: pose.rotation.rotate(shape.normal(index)),
            rotation: pose.rotation,
        })
    }

    fn allows(&self, shape: &dyn Composite<D3>, direction: Vec3) -> bool {
        direction.dot(self.normal) >= 0.0 && shape.allows(self.index, self.rotation.inverse() * direction)
    }

    /// Least of direction·x over the corners.
    fn lowest(&self, direction: Vec3) -> Real {
        let x = self.corners.map(|c| c.dot(direction));
        x[0].min(x[1]).min(x[2])
    }

    fn edge(&self, k: usize) -> [Vec3; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }
}

enum Kind {
    FaceA,
    FaceB,
    Edges(usize, usize),
}

/// Contact of two triangles that overlap by no more than `max_depth` [m], normal from a to b. False if they are not apart and yet have none.
fn pair(
    [shape_a, shape_b]: [&dyn Composite<D3>; 2],
    [a, b]: [&Skin; 2],
    max_depth: Real,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) -> bool {
    let gap_a = b.lowest(a.normal) - a.normal.dot(a.corners[0]);
    let gap_b = a.lowest(b.normal) - b.normal.dot(b.corners[0]);
    if gap_a > job.margin || gap_b > job.margin {
        return true;
    }
    // Two triangles that lie nearly flat on each other carry each other, whatever their neighbours in the same plane do: a face of
    // many triangles that rocks would otherwise rest on one half of them only.
    let is_flat = -a.normal.dot(b.normal) > NEARLY_FLAT;
    let allowed = |n: Vec3| a.allows(shape_a, n) && b.allows(shape_b, -n);
    let both = |n: Vec3| is_flat || allowed(n);
    let mut best: Option<(Real, Vec3, Kind)> = None;
    let better = |best: &Option<(Real, Vec3, Kind)>, gap: Real| {
        gap >= -max_depth && best.as_ref().is_none_or(|(g, ..)| gap > g + LEAD * job.slop)
    };
    if better(&best, gap_a) && both(a.normal) {
        best = Some((gap_a, a.normal, Kind::FaceA));
    }
    if better(&best, gap_b) && both(-b.normal) {
        best = Some((gap_b, -b.normal, Kind::FaceB));
    }
    for i in 0..3 {
        let [p, p1] = a.edge(i);
        let along_a = p1 - p;
        let out_a = along_a.cross(a.normal);
        for j in 0..3 {
            let [q, q1] = b.edge(j);
            let along_b = q1 - q;
            let cross = along_a.cross(along_b);
            let l2 = cross.length_squared();
            if l2 <= PARALLEL_SQUARED * along_a.length_squared() * along_b.length_squared() {
                continue;
            }
            let n = cross * (1.0 / l2.sqrt());
            let n = if n.dot(a.normal) < 0.0 { -n } else { n };
            // Over both edges outwards.
            if n.dot(out_a) < 0.0 || n.dot(along_b.cross(b.normal)) > 0.0 {
                continue;
            }
            let gap = n.dot(q - p);
            if gap > job.margin {
                return true;
            }
            if !better(&best, gap - job.slop) || !allowed(n) {
                continue;
            }
            // Crossing edges, not lines that meet beyond their ends.
            let [s, t] = round::closest_segments([p, p1], [q, q1]);
            let inner = |x: Real| x > 0.0 && x < 1.0;
            if inner(s) && inner(t) {
                best = Some((gap, n, Kind::Edges(i, j)));
            }
        }
    }
    let Some((gap, normal, kind)) = best else { return false };
    // Two faces that lie on each other and lean by a little. The deepest corner of one may be over the next triangle, so that the crossing of two edges seemed better
    // than both faces, but does not bear them alone.
    let lies = matches!(kind, Kind::Edges(..)) && is_flat && normal.dot(a.normal) > NEARLY_FLAT;
    if lies || !matches!(kind, Kind::Edges(..)) {
        let reference_is_b = matches!(kind, Kind::FaceB);
        let patch_job = PatchJob {
            normal,
            radii: [0.0; 2],
            margin: job.margin,
            slop: job.slop,
            lead: job.slop,
            is_witness_sure: true,
            used: u32::MAX,
            feature: u32::from(reference_is_b),
            reference_is_b,
        };
        let (pa, pb) = (
            Patch { points: &a.corners, normal: a.normal, cap: None },
            Patch { points: &b.corners, normal: b.normal, cap: None },
        );
        patch::contact::<10>(pa, pb, None, &patch_job, out);
    }
    if let Kind::Edges(i, j) = kind
        && out.is_empty()
    {
        let (side_a, side_b) = (a.edge(i), b.edge(j));
        let [s, t] = round::closest_segments(side_a, side_b);
        let p = side_a[0] + (side_a[1] - side_a[0]) * s;
        let q = side_b[0] + (side_b[1] - side_b[0]) * t;
        out.normal = normal;
        out.push((p + q) * 0.5, gap, EDGE_ID | (i as u32) << 2 | j as u32);
    }
    true
}
