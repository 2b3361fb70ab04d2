//! Circles against everything: one point, in closed form.
//!
//! The point always has id 0: there is only one, and its impulse stays useful while the circle rolls from an edge to a
//! corner and on.

use super::super::{CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::math::*;
use crate::shape::Shape2;
use crate::shape::d2::{Outline, Scratch, rounding_of};

/// Marks a [`PairCache`] whose field `a` is the polygon's edge that pushed the circle out last.
const EDGE_UNDER_CIRCLE: u32 = 3;

/// Two circles.
#[inline]
pub(super) fn circles(job: &CollideJob<'_, D2>, ra: Real, rb: Real, out: &mut LocalManifold<D2>) {
    let offset = job.b_in_a.position.to_vec();
    let limit = ra + rb + job.margin;
    if offset.length_squared() > limit * limit {
        return;
    }
    let distance = offset.length();
    let separation = distance - ra - rb;
    // Coincident centres: any direction is as good.
    out.normal = if distance > Real::MIN_POSITIVE { offset / distance } else { Vec2::Y };
    push(out, Vec2::ZERO, ra, separation, job.margin);
}

/// A circle (b) on any shape but a circle (a).
pub(super) fn circle_on(
    job: &CollideJob<'_, D2>,
    radius: Real,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let center = job.b_in_a.position.to_vec();
    counters.axes += 1;
    match job.a {
        Shape2::HalfPlane { normal, offset } => {
            let height = normal.dot(center) - offset;
            out.normal = *normal;
            push(out, center, -height, height - radius, job.margin);
        }
        Shape2::Capsule { a, b, radius: thickness } => {
            on_segment(job, *a, *b, *thickness, radius, out);
        }
        Shape2::Segment { a, b } => on_segment(job, *a, *b, 0.0, radius, out),
        Shape2::Rectangle { half, radius: rounding } if is_outside(center, *half) => {
            // The common case of a rectangle; a centre inside goes on to the general one.
            on_rectangle(job, *half, *rounding, radius, out);
        }
        _ => {
            let mut room = Scratch::default();
            if let Some(outline) = job.a.outline(&mut room) {
                on_outline(job, &outline, radius, cache, counters, out);
            }
        }
    }
}

/// A circle on a segment of half thickness `thickness` [m].
#[inline]
fn on_segment(
    job: &CollideJob<'_, D2>,
    a: Vec2,
    b: Vec2,
    thickness: Real,
    radius: Real,
    out: &mut LocalManifold<D2>,
) {
    let center = job.b_in_a.position.to_vec();
    let along = b - a;
    let length2 = along.length_squared();
    let t = if length2 > 0.0 { ((center - a).dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    // From the nearer end: exact at both ends, however long the segment.
    let foot = if t <= 0.5 { a + along * t } else { b - along * (1.0 - t) };
    let d = center - foot;
    let distance = d.length();
    let separation = distance - thickness - radius;
    if separation > job.margin {
        return;
    }
    out.normal =
        if distance > Real::MIN_POSITIVE { d / distance } else { along.perp().normalize_or(Vec2::Y) };
    push(out, foot, thickness, separation, job.margin);
}

/// True if `p` is clearly outside of the rectangle.
#[inline]
fn is_outside(p: Vec2, half: Vec2) -> bool {
    (p.abs() - half).max_element() > rounding_of(p.abs())
}

/// A circle with its centre outside of a rectangle inflated by `rounding` [m].
#[inline]
fn on_rectangle(
    job: &CollideJob<'_, D2>,
    half: Vec2,
    rounding: Real,
    radius: Real,
    out: &mut LocalManifold<D2>,
) {
    let center = job.b_in_a.position.to_vec();
    let foot = center.clamp(-half, half);
    let d = center - foot;
    let distance = d.length();
    let separation = distance - rounding - radius;
    if separation <= job.margin {
        out.normal = d / distance;
        push(out, foot, rounding, separation, job.margin);
    }
}

/// A circle on a rounded polygon with an inside.
fn on_outline(
    job: &CollideJob<'_, D2>,
    outline: &Outline<'_>,
    radius: Real,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    let center = job.b_in_a.position.to_vec();
    let (mut edge, mut height) = outline.best_edge(center);
    counters.axes += outline.len() as u64;
    let limit = job.margin + radius + outline.radius;
    if height > limit {
        cache.kind = 0;
        return;
    }
    // A centre deep inside: stay with the edge it was pushed to before, unless another is clearly nearer.
    let last = cache.a as usize;
    if height < 0.0 && cache.kind == EDGE_UNDER_CIRCLE && last < outline.len() && last != edge {
        let h = outline.normals[last].dot(center - outline.vertices[last]);
        if h >= height - job.slop {
            (edge, height) = (last, h);
        }
    }
    *cache = PairCache { kind: EDGE_UNDER_CIRCLE, a: edge as u32, b: 0, value: height };
    let nearest = outline.nearest(center, (edge, height));
    out.normal = nearest.normal;
    let foot = -nearest.separation;
    push(out, center, foot + outline.radius, nearest.separation - outline.radius - radius, job.margin);
}

/// Adds the point of a contact whose surface of a lies at `from + normal · height`.
#[inline]
fn push(out: &mut LocalManifold<D2>, from: Vec2, height: Real, separation: Real, margin: Real) {
    if separation <= margin {
        out.push(from + out.normal * (height + 0.5 * separation), separation, 0);
    }
}
