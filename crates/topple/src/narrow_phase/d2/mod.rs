//! Contacts between shapes of the plane.
//!
//! Round against anything is a closed form (`round.rs`), half-planes look for the lowest corners (`half_plane.rs`),
//! everything else is a pair of rounded convex polygons: the best separating edge (`sat.rs`), then clipping two edges
//! against each other (`clip.rs`). That is the way of `auto` and of `sat`; `gjk` takes closest points for all bounded
//! pairs (`gjk.rs`), with the same clipping. All functions work in the frame of one of the shapes and allocate nothing.

mod clip;
mod gjk;
mod half_plane;
mod round;
mod sat;
mod segment;

pub(crate) use segment::collide_children;

use super::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::math::*;
use crate::shape::d2::Scratch;
use crate::shape::{Shape2, ShapeOps};

/// Marks the [`PairCache`] of two circles, of a capsule or segment and a circle, and of a circle and a capsule or segment. Nothing is remembered of them; the world
/// brings up to date together what has the same mark.
const CIRCLES: u32 = 4;
const LINE_AND_CIRCLE: u32 = 5;
const CIRCLE_AND_LINE: u32 = 6;

/// Contact of the pair in `job`; see [`LocalManifold`].
pub(crate) fn collide(
    job: &CollideJob<'_, D2>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    out.clear();
    let ground = cache.take_ground();
    contact(job, ground, cache, counters, out);
    cache.lie_on(ground);
}

fn contact(
    job: &CollideJob<'_, D2>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D2>,
) {
    if job.algorithm == Algorithm::Gjk && is_bounded(job.a) && is_bounded(job.b) {
        return gjk::collide(job, ground, cache, counters, out);
    }
    match (job.a, job.b) {
        (Shape2::Rectangle { half: ha, radius: ra }, Shape2::Rectangle { half: hb, radius: rb }) => {
            sat::rectangles(job, (*ha, *ra), (*hb, *rb), ground, cache, counters, out);
        }
        (Shape2::Chain { .. } | Shape2::HeightField { .. }, _)
        | (_, Shape2::Chain { .. } | Shape2::HeightField { .. }) => {
            super::composite::collide_single(job, ground, counters, out);
        }
        (Shape2::Circle { radius: ra }, Shape2::Circle { radius: rb }) => {
            counters.computed += 1;
            counters.axes += 1;
            cache.kind = CIRCLES;
            round::circles(job, *ra, *rb, out);
        }
        (_, Shape2::Circle { radius }) => {
            counters.computed += 1;
            if is_line(job.a) {
                cache.kind = LINE_AND_CIRCLE;
            }
            round::circle_on(job, *radius, cache, counters, out);
        }
        (Shape2::Circle { radius }, _) => {
            counters.computed += 1;
            if is_line(job.b) {
                cache.kind = CIRCLE_AND_LINE;
            }
            round::circle_on(&job.swapped(), *radius, cache, counters, out);
            out.flip(&job.b_in_a);
        }
        (Shape2::HalfPlane { normal, offset }, _) => {
            counters.computed += 1;
            half_plane::outline_on(job, *normal, *offset, out);
        }
        (_, Shape2::HalfPlane { normal, offset }) => {
            counters.computed += 1;
            half_plane::outline_on(&job.swapped(), *normal, *offset, out);
            out.flip(&job.b_in_a);
        }
        _ => {
            let (mut room_a, mut room_b) = (Scratch::default(), Scratch::default());
            if let (Some(a), Some(b)) = (job.a.outline(&mut room_a), job.b.outline(&mut room_b)) {
                sat::outlines(job, &a, &b, ground, cache, counters, out);
            }
        }
    }
}

/// True for what circles meet without remembering anything.
fn is_line(shape: &Shape2) -> bool {
    matches!(shape, Shape2::Capsule { .. } | Shape2::Segment { .. })
}

/// True for convex shapes with an end.
fn is_bounded(shape: &Shape2) -> bool {
    shape.composite().is_none() && shape.half_space().is_none()
}
