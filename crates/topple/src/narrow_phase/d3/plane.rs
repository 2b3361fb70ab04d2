//! Everything against a half-space: the vertices of the face that looks at the plane.

use super::push_core_point;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold};
use crate::shape::Shape3;
use crate::shape::d3::box_corner;

/// Plane n·x = `offset` in the frame of a against the shape b.
pub(super) fn collide(
    normal: Vec3,
    offset: Real,
    b: &Shape3,
    job: &CollideJob<'_, D3>,
    out: &mut LocalManifold<D3>,
) {
    out.normal = normal;
    let mut touch = |p: Vec3, radius: Real, id: u32| {
        let point = job.b_in_a.transform(p).to_vec();
        let height = normal.dot(point) - offset;
        push_core_point(out, point - normal * height, height, [0.0, radius], job.margin, id);
    };
    match b {
        Shape3::Sphere { radius } => touch(Vec3::ZERO, *radius, 0),
        Shape3::Capsule { a, b, radius } => {
            touch(*a, *radius, 0);
            // A capsule without length is a sphere: one point.
            if a != b {
                touch(*b, *radius, 1);
            }
        }
        Shape3::Box { half, radius } => {
            // The lowest corner lies on the face whose normal is most opposed to the plane's; its four corners are the
            // candidates. Ids are corner numbers, so they stay while the box rocks from face to face.
            let down = -job.b_in_a.rotation.rotate_inv(normal);
            let axis = (0..3).fold(0, |best, i| if down[i].abs() > down[best].abs() { i } else { best });
            let side = usize::from(down[axis] > 0.0) << axis;
            for i in (0..8).filter(|i| i & (1 << axis) == side) {
                touch(box_corner(*half, i), *radius, i as u32);
            }
        }
        Shape3::Plane { .. } => {}
    }
}
