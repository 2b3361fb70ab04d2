//! Everything against a half-space, in closed form: the corners or rim points that look at the plane.
//!
//! Cache: of hulls `kind` = [`CORNERS`], `a` = the corners chosen last, one per byte; of caps `kind` = [`RIM`] if the lowest point of
//! the rim was one of the points.

use super::reduce::{FlatPoint, reduce};
use super::{WITNESS_LEAD, push_core_point};
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, PairCache};
use crate::shape::Shape3;
use crate::shape::d3::{HullData, MAX_HULL_VERTICES, box_corner};

const CORNERS: u32 = 48;
const RIM: u32 = 49;
/// Ids of the lowest point of a rim, its neighbours after it, and of the two ends of a side line.
const LOWEST: u32 = 4;
const SIDE: u32 = 8;
/// Cosine and sine of the angle between the lowest point of a rim and the points beside it: 22.5°.
const NEIGHBOUR: [Real; 2] = [0.923_879_5, 0.382_683_43];

/// A plane in the frame of a, and the shape b at its pose.
struct Floor<'a> {
    normal: Vec3,
    offset: Real,
    job: &'a CollideJob<'a, D3>,
}

impl Floor<'_> {
    /// Height of a point of b above the plane.
    fn height(&self, p: Vec3) -> Real {
        self.normal.dot(self.job.b_in_a.transform(p).to_vec()) - self.offset
    }

    /// A contact at the point `p` of the core of b, if it is close enough.
    fn touch(&self, p: Vec3, radius: Real, id: u32, out: &mut LocalManifold<D3>) {
        let point = self.job.b_in_a.transform(p).to_vec();
        let height = self.normal.dot(point) - self.offset;
        push_core_point(out, point - self.normal * height, height, [0.0, radius], self.job.margin, id);
    }
}

/// Plane n·x = `offset` in the frame of a against the shape b.
pub(super) fn collide(
    normal: Vec3,
    offset: Real,
    b: &Shape3,
    job: &CollideJob<'_, D3>,
    cache: &mut PairCache,
    out: &mut LocalManifold<D3>,
) {
    out.normal = normal;
    let floor = Floor { normal, offset, job };
    let down = -job.b_in_a.rotation.rotate_inv(normal);
    match b {
        Shape3::Sphere { radius } => floor.touch(Vec3::ZERO, *radius, 0, out),
        Shape3::Capsule { a, b, radius } => {
            floor.touch(*a, *radius, 0, out);
            // A capsule without length is a sphere: one point.
            if a != b {
                floor.touch(*b, *radius, 1, out);
            }
        }
        Shape3::Box { half, radius } => {
            // The lowest corner lies on the face whose normal is most opposed to the plane's; its four corners are the
            // candidates. Ids are corner numbers, so they stay while the box rocks from face to face.
            let axis = (0..3).fold(0, |best, i| if down[i].abs() > down[best].abs() { i } else { best });
            let side = usize::from(down[axis] > 0.0) << axis;
            for i in (0..8).filter(|i| i & (1 << axis) == side) {
                floor.touch(box_corner(*half, i), *radius, i as u32, out);
            }
        }
        Shape3::Cylinder { half_height, radius, rounding } => {
            let rim = lowest_direction(down);
            if down.y.abs() > core::f32::consts::FRAC_1_SQRT_2 {
                cap(&floor, half_height.copysign(down.y), *radius, *rounding, rim, cache, out);
            } else {
                for (id, y) in [(SIDE, -half_height), (SIDE + 1, *half_height)] {
                    floor.touch(rim * *radius + Vec3::Y * y, *rounding, id, out);
                }
            }
        }
        Shape3::Cone { half_height, radius, rounding } => {
            let rim = lowest_direction(down);
            // Base or side, whichever looks down more steeply.
            let slope = (rim * (2.0 * half_height) + Vec3::Y * *radius).normalize_or(rim);
            if -down.y > slope.dot(down) {
                cap(&floor, -half_height, *radius, *rounding, rim, cache, out);
            } else {
                floor.touch(rim * *radius - Vec3::Y * *half_height, *rounding, SIDE, out);
                floor.touch(Vec3::Y * *half_height, *rounding, SIDE + 1, out);
            }
        }
        Shape3::Hull { data, radius } => hull(&floor, data, *radius, cache, out),
        Shape3::Triangle { a, b, c } => {
            for (id, corner) in [a, b, c].into_iter().enumerate() {
                floor.touch(*corner, 0.0, id as u32, out);
            }
        }
        Shape3::Plane { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => {}
    }
}

/// Unit vector across y towards the lowest point of a rim; x if the rim is level.
fn lowest_direction(down: Vec3) -> Vec3 {
    let l = (down.x * down.x + down.z * down.z).sqrt();
    if l > 0.0 { Vec3::new(down.x / l, 0.0, down.z / l) } else { Vec3::X }
}

/// Four points of the rim of a cap, fixed in the body. The lowest point of the rim takes the place of its nearest
/// neighbour when the tilt makes it clearly lower.
fn cap(
    floor: &Floor<'_>,
    y: Real,
    radius: Real,
    rounding: Real,
    rim: Vec3,
    cache: &mut PairCache,
    out: &mut LocalManifold<D3>,
) {
    let fixed = [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z];
    let place = |d: Vec3| d * radius + Vec3::Y * y;
    let near = (1..4).fold(0, |best, k| if fixed[k].dot(rim) > fixed[best].dot(rim) { k } else { best });
    let lead = if cache.kind == RIM { 0.5 * WITNESS_LEAD } else { WITNESS_LEAD };
    let replace = floor.height(place(rim)) < floor.height(place(fixed[near])) - lead * floor.job.slop;
    *cache = PairCache { kind: if replace { RIM } else { 0 }, ..PairCache::default() };
    for (k, &d) in fixed.iter().enumerate() {
        if replace && k == near {
            floor.touch(place(rim), rounding, LOWEST, out);
        } else {
            floor.touch(place(d), rounding, k as u32, out);
        }
    }
    if replace && out.points().len() < 3 {
        // It stands on its rim, and as it turns other points of the rim come down: its neighbours hold them up.
        let across = Vec3::new(-rim.z, 0.0, rim.x);
        for (id, sin) in [(LOWEST + 1, -NEIGHBOUR[1]), (LOWEST + 2, NEIGHBOUR[1])] {
            floor.touch(place(rim * NEIGHBOUR[0] + across * sin), rounding, id, out);
        }
    }
}

/// The corners of a hull within reach of the plane, reduced to four.
fn hull(
    floor: &Floor<'_>,
    data: &HullData,
    radius: Real,
    cache: &mut PairCache,
    out: &mut LocalManifold<D3>,
) {
    let [u, v] = D3::frame_across(floor.normal);
    let mut points = [FlatPoint::default(); MAX_HULL_VERTICES];
    let mut count = 0;
    for (i, &corner) in data.vertices().iter().enumerate() {
        let p = floor.job.b_in_a.transform(corner).to_vec();
        let z = floor.normal.dot(p) - floor.offset;
        if z - radius <= floor.job.margin && count < points.len() {
            points[count] = FlatPoint { x: p.dot(u), y: p.dot(v), z, edge_in: i as u16, edge_out: 0 };
            count += 1;
        }
    }
    let used = if cache.kind == CORNERS { cache.a.to_le_bytes() } else { [0xFF; 4] };
    let was_used = |p: &FlatPoint| used.iter().any(|&b| u16::from(b) == p.edge_in);
    let (chosen, count) = reduce(&points[..count], was_used, floor.job.slop);
    let mut labels = u32::MAX;
    for &k in &chosen[..count] {
        let i = points[k].edge_in;
        labels = labels << 8 | u32::from(i);
        floor.touch(data.vertices()[usize::from(i)], radius, u32::from(i), out);
    }
    *cache = PairCache { kind: CORNERS, a: labels, ..PairCache::default() };
}
