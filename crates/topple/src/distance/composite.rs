//! Distances and casts of shapes with children: the nearest, or first, of the children that are near enough.

use super::{CastHit, Closest, closest_points, shape_cast};
use crate::math::*;
use crate::shape::{Composite, LocalRay, ShapeOps};

/// Closest points where at least one shape has children; `inner` of a pair where `a` has them.
pub(super) fn closest<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    b: &D::Shape,
    pose_b: &Pose<D>,
) -> Option<Closest<D>> {
    match (a.composite(), b.composite()) {
        (Some(composite), _) => to_children(a, composite, pose_a, b, pose_b),
        (None, Some(composite)) => to_children(b, composite, pose_b, a, pose_a).map(flipped),
        (None, None) => None,
    }
}

fn flipped<D: Dim>(c: Closest<D>) -> Closest<D> {
    Closest { point_a: c.point_b, point_b: c.point_a, normal: -c.normal, ..c }
}

/// The child of `shape` nearest to `other`, which may have children itself.
fn to_children<D: Dim>(
    shape: &D::Shape,
    composite: &dyn Composite<D>,
    pose: &Pose<D>,
    other: &D::Shape,
    pose_other: &Pose<D>,
) -> Option<Closest<D>> {
    let bounds = other.aabb(&pose.relative(*pose_other));
    let mut best: Option<Closest<D>> = None;
    composite.visit_near(&bounds, Real::INFINITY, &mut |index, limit| {
        let found = closest_points::<D>(&composite.child(index), pose, other, pose_other);
        if let Some(found) = found
            && best.is_none_or(|b| found.distance < b.distance)
        {
            best = Some(found);
            // Overlapping boxes are all looked at: the deepest child counts.
            return found.distance.max(0.0);
        }
        limit
    });
    let mut best = best?;
    // Wholly inside a solid: no child is touched, and yet they overlap.
    let inside = |p: D::Point| shape.contains(pose.inverse_transform(p));
    if best.distance > 0.0 && (composite.is_closed() || composite.is_ground()) && inside(best.point_b) {
        best.distance = -best.distance;
        best.normal = -best.normal;
    }
    Some(best)
}

/// First child that is met, where at least one shape has children.
pub(super) fn cast<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    translation: D::Vec,
    b: &D::Shape,
    pose_b: &Pose<D>,
    max: Real,
    target_distance: Real,
) -> Option<CastHit<D>> {
    if let Some(composite) = b.composite() {
        return onto_children(a, pose_a, translation, composite, pose_b, max, target_distance);
    }
    // Seen from a, b comes the other way.
    let composite = a.composite()?;
    let hit = onto_children(b, pose_b, -translation, composite, pose_a, max, target_distance)?;
    Some(CastHit { point: hit.point + translation * hit.t, normal: -hit.normal, ..hit })
}

fn onto_children<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    translation: D::Vec,
    composite: &dyn Composite<D>,
    pose_b: &Pose<D>,
    max: Real,
    target_distance: Real,
) -> Option<CastHit<D>> {
    let bounds = a.aabb(&pose_b.relative(*pose_a));
    let mut best: Option<CastHit<D>> = None;
    let mut visit = |index: u32, end: Real| {
        let child = composite.child(index);
        let hit = shape_cast::<D>(a, pose_a, translation, &child, pose_b, end, target_distance);
        let Some(hit) = hit else { return end };
        // Of the children that overlap at the start the deepest counts.
        let better = |old: &CastHit<D>| hit.t < old.t || (hit.t == old.t && hit.distance < old.distance);
        if best.as_ref().is_none_or(better) {
            best = Some(hit);
        }
        hit.t.min(end)
    };
    if !bounds.is_finite() {
        // A half-space meets everything in its way; it has no box to sweep.
        let mut end = max;
        (0..composite.child_count()).for_each(|index| end = visit(index, end));
        return best;
    }
    let ray = LocalRay {
        origin: bounds.center().to_vec(),
        direction: pose_b.rotation.rotate_inv(translation),
        max,
    };
    let grow = bounds.size() * 0.5 + D::Vec::splat(target_distance.max(0.0));
    if ray.direction == D::Vec::ZERO {
        composite.visit(&bounds.grown(target_distance.max(0.0)), &mut |index| {
            visit(index, max);
        });
    } else {
        composite.visit_ray(&ray, grow, &mut visit);
    }
    best
}
