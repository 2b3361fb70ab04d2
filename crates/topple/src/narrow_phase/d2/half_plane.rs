//! Half-planes against rounded polygons: the deepest corner and the deeper of its neighbours.

use super::super::{CollideJob, LocalManifold};
use crate::math::*;
use crate::shape::d2::Scratch;

/// A rounded polygon (b) on a half-plane (a). The id of a point is the number of its corner.
pub(super) fn outline_on(job: &CollideJob<'_, D2>, normal: Vec2, offset: Real, out: &mut LocalManifold<D2>) {
    let mut room = Scratch::default();
    let Some(outline) = job.b.outline(&mut room) else { return };
    let position = job.b_in_a.position.to_vec();
    // Everything in the frame of b: one rotation instead of one per corner.
    let up = job.b_in_a.rotation.rotate_inv(normal);
    let base = normal.dot(position) - offset - outline.radius;
    let height = |i: usize| base + up.dot(outline.vertices[i]);
    let deepest = outline.support(-up);
    if height(deepest) > job.margin {
        return;
    }
    let (before, after) = (outline.previous(deepest), outline.next(deepest));
    let second = if height(before) < height(after) { before } else { after };
    out.normal = normal;
    // In the order of the corners, so that two equal depths do not make the points change places.
    for i in [deepest.min(second), deepest.max(second)] {
        let separation = height(i);
        if separation <= job.margin {
            let corner = position + job.b_in_a.rotation.rotate(outline.vertices[i]);
            out.push(corner - normal * (outline.radius + 0.5 * separation), separation, i as u32);
        }
    }
}
