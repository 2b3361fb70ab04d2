//! A segment of a chain or height field against a convex shape: one side, and no normal that its neighbours would not
//! allow.
//!
//! The contact is that of the two-sided segment, as long as its normal may be. Otherwise the segment's own normal is taken, with
//! the points of the shape that lie over it: what leans over the end of the segment is the business of its neighbour.

use super::super::{CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::math::*;
use crate::shape::d2::Scratch;
use crate::shape::{Composite, Shape2, ShapeOps};

/// Cosine between a contact normal and the segment's own from which on they are the same.
const SAME: Real = 0.999_99;

/// The segments of `shape`, which is a, near the convex shape b; see the head of the file.
pub(crate) fn collide_children(
    shape: &dyn Composite<D2>,
    job: &CollideJob<'_, D2>,
    counters: &mut NarrowCounters,
    add: &mut dyn FnMut(u32, &LocalManifold<D2>),
) -> bool {
    let bounds = job.b.aabb(&job.b_in_a).grown(job.margin);
    let middle = job.b_in_a.transform(job.b.middle()).to_vec();
    let mut out = LocalManifold::default();
    shape.visit(&bounds, &mut |index| {
        out.clear();
        one_segment(shape, index, middle, job, counters, &mut out);
        add(index, &out);
    });
    false
}

/// Contact of one segment. `middle` is a point well inside b: nothing is pushed to the other side of a segment than it.
fn one_segment(
    shape: &dyn Composite<D2>,
    index: u32,
    middle: Vec2,
    job: &CollideJob<'_, D2>,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let Shape2::Segment { a, b } = shape.child(index) else { return };
    let normal = shape.normal(index);
    let height = normal.dot(middle - a);
    if height < 0.0 && !shape.is_ground() {
        return;
    }
    if height >= 0.0 {
        let segment = Shape2::Segment { a, b };
        let pair = CollideJob { a: &segment, ..*job };
        super::collide(&pair, &mut PairCache::default(), counters, out);
        if out.is_empty() {
            return;
        }
        if out.normal.dot(normal) >= SAME {
            out.normal = normal;
            return;
        }
        if out.normal.dot(normal) >= 0.0 && shape.allows(index, out.normal) {
            return;
        }
        out.clear();
    }
    along_normal(job, [a, b], normal, out);
}

/// The points of b over the segment, along the segment's normal.
fn along_normal(job: &CollideJob<'_, D2>, [a, b]: [Vec2; 2], normal: Vec2, out: &mut LocalManifold<D2>) {
    out.normal = normal;
    let along = (b - a).normalize_or(normal.perp());
    let length = along.dot(b - a);
    let mut push = |p: Vec2, radius: Real, id: u32| {
        let separation = normal.dot(p - a) - radius;
        if separation <= job.margin {
            out.push(p - normal * (radius + 0.5 * separation), separation, id);
        }
    };
    let place = |v: Vec2| job.b_in_a.transform(v).to_vec();
    if let Shape2::Circle { radius } = job.b {
        let center = place(Vec2::ZERO);
        if (0.0..=length).contains(&along.dot(center - a)) {
            push(center, *radius, 0);
        }
        return;
    }
    let mut room = Scratch::default();
    let Some(outline) = job.b.outline(&mut room) else { return };
    let down = job.b_in_a.rotation.rotate_inv(-normal);
    let corner = outline.support(down);
    let before = outline.previous(corner);
    // Of the two edges at the lowest corner the one that faces the segment more.
    let edge =
        if outline.normals[before].dot(down) > outline.normals[corner].dot(down) { before } else { corner };
    let ends = [outline.vertices[edge], outline.vertices[outline.next(edge)]].map(place);
    let x = ends.map(|p| along.dot(p - a));
    // The edge of b faces the other way, so that it runs from the far end to the near one, or is upright.
    let (low, high) = if x[0] <= x[1] { (0, 1) } else { (1, 0) };
    let (from, to) = (x[low].max(0.0), x[high].min(length));
    if from > to {
        return;
    }
    let at = |s: Real| {
        let width = x[high] - x[low];
        if width > 0.0 { ends[low] + (ends[high] - ends[low]) * ((s - x[low]) / width) } else { ends[low] }
    };
    push(at(from), outline.radius, 1 + low as u32);
    if to - from > job.slop {
        push(at(to), outline.radius, 1 + high as u32);
    }
}
