//! Contacts between the shapes of the space, one file per family of pairs.
//!
//! `round.rs`: closed forms for spheres and capsules; `revolved.rs`: spheres against cylinders and cones. `plane.rs`: everything against a half-space. `boxes.rs`: two
//! boxes, the hottest path of the engine; their points are in `box_points.rs`. `hulls.rs`: hulls and boxes by separating axes. `convex.rs`: cylinders, cones and
//! whatever is left by GJK and EPA; `track.rs` follows cylinders from step to step instead. With `sat`, that rest is done by separating axes (`sat.rs`, over the features of `solid.rs`);
//! with `gjk`, all bounded pairs are done by `convex.rs`. The last two clip faces in `patch.rs`; `reduce.rs` chooses the final points.
//! `feature.rs` knows which patch of a shape looks along a direction. `probe.rs`: the triangles of a mesh near something convex, one by one in `triangle.rs` and `triangle_hull.rs`, `thick.rs` if that is a thin wall to a solid, with its outline from `lid.rs`,
//! `deep.rs` if it is inside; `triangles.rs`: two meshes. All work in
//! the frame of shape a and treat a shape as core plus rounding radius: the geometry is that of the cores,
//! the radii are taken off at the end.

mod box_points;
mod boxes;
mod convex;
mod deep;
mod feature;
mod hull_axes;
mod hulls;
mod lid;
mod patch;
mod plane;
mod probe;
mod reduce;
mod revolved;
mod round;
mod sat;
mod solid;
mod thick;
mod track;
mod triangle;
mod triangle_hull;
mod triangles;

pub(crate) use feature::face_along;
pub(crate) use probe::collide_children;
pub(crate) use triangles::collide_composites;

use convex::Last;

use super::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::math::*;
use crate::shape::d3::BoxHull;
use crate::shape::{Shape3, ShapeOps};

/// Sine below which two segments or edges count as parallel (no unit), so that a capsule rests on two points: about one degree.
const PARALLEL: Real = 0.02;
/// Squared sine below which two edges have no common normal (no unit): their cross product is noise, and a face
/// serves as well.
const NO_CROSS_SQUARED: Real = 1e-6;
/// Overlap up to which shapes count as resting on each other, in slops.
const RESTING: Real = 4.0;
/// Cosine between the common normal of two edges and a face above which the face counts as lying on the other shape (no unit;
/// 15°): points of the faces are then part of the contact, so that it does not rest on the crossing of the edges alone.
const NEARLY_FLAT: Real = 0.966;
/// A face of b is the reference only if it is flatter than that of a by this much cosine (no unit): hysteresis.
const CLEARLY_FLATTER: Real = 1e-3;
/// Hysteresis: a face of b has to be better than one of a by this many slops, so that equal ones do not take turns.
const SECOND_FACE: Real = 0.1;

/// Cosine of the angle up to which faces of both shapes count as looking the same way (no unit; 2.5°).
const SAME_WAY: Real = 0.999;
/// How much better a face may be than that of the ground and yet give the contact back to it, in slops.
const BACK_TO_GROUND: Real = 0.5;

/// Part of the depth up to which a face of the ground may be deeper than the best axis and yet be taken (no unit), if that is more than the slop: how far a floor gives way does not get less with the
/// size of a body, and what is small leans by more than its slop.
const GIVEN_WAY: Real = 0.5;

/// How much lower than the other points the lowest one of a curved surface, or the crossing of two edges, must be to count, in slops;
/// half of it if it did last time. Small against the slop, which is what a stack rests on.
const WITNESS_LEAD: Real = 0.1;
/// Sine by which another face may look more along the normal than the one that lay there last (no unit; 0.6°): a box that stands on
/// its edge does not take its two faces in turns.
const SAME_FACE: Real = 0.01;

/// True if a face whose normal has the cosine `last` with a direction may stay, although another has `best`.
fn stays(last: Real, best: Real) -> bool {
    let sine = |cos: Real| (1.0 - cos * cos).max(0.0).sqrt();
    last > 0.0 && sine(last) <= sine(best) + SAME_FACE
}

/// Order in which the contact functions want the two shapes. Polyhedra come first: their faces are exact in their
/// own frame, whatever the distance to the corner of a large one.
fn rank(shape: &Shape3) -> u32 {
    match shape {
        Shape3::Plane { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => 0,
        Shape3::Triangle { .. } => 1,
        Shape3::Hull { .. } => 2,
        Shape3::Box { .. } => 3,
        Shape3::Cylinder { .. } => 4,
        Shape3::Cone { .. } => 5,
        Shape3::Capsule { .. } => 6,
        Shape3::Sphere { .. } => 7,
    }
}

/// Contact of any pair, in either order.
pub(crate) fn collide(
    job: &CollideJob<'_, D3>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    out.clear();
    let ground = cache.take_ground();
    let is_bounded = |shape: &Shape3| shape.composite().is_none() && shape.half_space().is_none();
    if job.algorithm == Algorithm::Gjk && is_bounded(job.a) && is_bounded(job.b) {
        gjk(job, ground, cache, counters, out);
    } else if let (Shape3::Box { half: ha, radius: ra }, Shape3::Box { half: hb, radius: rb }) =
        (job.a, job.b)
    {
        boxes::collide(*ha, *hb, [*ra, *rb], job, ground, cache, counters, out);
    } else if job.a.composite().is_some() || job.b.composite().is_some() {
        super::composite::collide_single(job, ground, counters, out);
    } else if rank(job.a) <= rank(job.b) {
        ordered(job, ground, cache, counters, out);
    } else {
        ordered(&job.swapped(), ground.map(Side::other), cache, counters, out);
        out.flip(&job.b_in_a);
    }
    cache.lie_on(ground);
}

/// How much deeper than the best axis, whose gap is given, the face of the ground may be and yet be taken [m]. `slop`: at least so much.
fn reach_of_ground(gap: Real, slop: Real) -> Real {
    slop.max(-GIVEN_WAY * gap)
}

/// True if faces of b come before those of a where both are as good: those of the ground, because what slides over one tile after the other lies
/// on theirs, and its own lean by a little. With separating planes those of the larger shape.
fn is_b_first(job: &CollideJob<'_, D3>, ground: Option<Side>) -> bool {
    if job.algorithm == Algorithm::SeparatingPlanes { job.is_b_larger() } else { ground == Some(Side::B) }
}

/// Contact of a pair that is in the order of [`rank`].
fn ordered(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    match (job.a, job.b) {
        // These count and cache by themselves.
        (Shape3::Hull { data: a, radius: ra }, Shape3::Hull { data: b, radius: rb }) => {
            return hulls::collide(a.view(), b.view(), [*ra, *rb], job, ground, cache, counters, out);
        }
        (Shape3::Hull { data: a, radius: ra }, Shape3::Box { half, radius: rb }) => {
            let b = BoxHull::new(*half);
            return hulls::collide(a.view(), b.view(), [*ra, *rb], job, ground, cache, counters, out);
        }
        (Shape3::Cylinder { .. } | Shape3::Cone { .. }, Shape3::Sphere { .. }) if !job.algorithm.is_sat() => {
        }
        (Shape3::Plane { .. } | Shape3::Capsule { .. } | Shape3::Sphere { .. }, _)
        | (Shape3::Hull { .. }, Shape3::Sphere { .. })
        | (Shape3::Box { .. }, Shape3::Sphere { .. } | Shape3::Capsule { .. }) => {}
        _ => return collide_convex(job, ground, cache, counters, out),
    }
    if matches!((job.a, job.b), (Shape3::Hull { .. }, Shape3::Sphere { .. })) && job.algorithm.is_sat() {
        return sat::collide(job, ground, cache, counters, out);
    }
    counters.computed += 1;
    // One axis at least: across the plane, between the centres, to the closest point.
    counters.axes += 1;
    match (job.a, job.b) {
        (Shape3::Plane { normal, offset }, b) => plane::collide(*normal, *offset, b, job, cache, out),
        (Shape3::Hull { data, radius: ra }, Shape3::Sphere { radius: rb }) => {
            round::hull_sphere(data, *ra, *rb, job, counters, out);
        }
        (Shape3::Box { half, radius: ra }, Shape3::Sphere { radius: rb }) => {
            round::box_sphere(*half, *ra, *rb, job, out);
        }
        (Shape3::Box { half, radius: ra }, Shape3::Capsule { a, b, radius: rb }) => {
            round::box_capsule(*half, *ra, [*a, *b], *rb, job, counters, out);
        }
        (Shape3::Cylinder { half_height, radius, rounding }, Shape3::Sphere { radius: rb }) => {
            let profile = revolved::cylinder_profile(f64::from(*half_height), f64::from(*radius));
            revolved::revolved_sphere(&profile, [*rounding, *rb], job, out);
        }
        (Shape3::Cone { half_height, radius, rounding }, Shape3::Sphere { radius: rb }) => {
            let profile = revolved::cone_profile(f64::from(*half_height), f64::from(*radius));
            revolved::revolved_sphere(&profile, [*rounding, *rb], job, out);
        }
        (Shape3::Capsule { a, b, radius: ra }, Shape3::Sphere { radius: rb }) => {
            round::capsule_sphere([*a, *b], *ra, *rb, job, out);
        }
        (Shape3::Capsule { a: a0, b: a1, radius: ra }, Shape3::Capsule { a: b0, b: b1, radius: rb }) => {
            round::capsule_capsule([*a0, *a1], *ra, [*b0, *b1], *rb, job, out);
        }
        (Shape3::Sphere { radius: ra }, Shape3::Sphere { radius: rb }) => {
            round::sphere_sphere(*ra, *rb, job, out);
        }
        _ => {}
    }
}

/// Any two bounded pairs in the order of [`rank`] by closest points.
fn gjk(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    if rank(job.a) <= rank(job.b) {
        convex::collide(job, ground, cache, counters, out);
    } else {
        convex::collide(&job.swapped(), ground.map(Side::other), cache, counters, out);
        out.flip(&job.b_in_a);
    }
}

/// Two convex shapes that no other function knows: by closest points, or by separating axes if those are asked for.
fn collide_convex(
    job: &CollideJob<'_, D3>,
    ground: Option<Side>,
    cache: &mut PairCache,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) {
    if job.algorithm.is_sat() {
        sat::collide(job, ground, cache, counters, out);
    } else {
        convex::collide(job, ground, cache, counters, out);
    }
}

/// Two convex shapes whose cores are apart, given what is known of their last contact: by closest points, or by separating axes
/// if those are asked for. Returns what to remember.
fn collide_apart(
    job: &CollideJob<'_, D3>,
    last: Last,
    counters: &mut NarrowCounters,
    out: &mut LocalManifold<D3>,
) -> Last {
    if job.algorithm.is_sat() {
        sat::collide_apart(job, last, counters, out)
    } else {
        convex::collide_apart(job, last, counters, out)
    }
}

/// True if no point of a contact of shapes that are apart, by `gap` [m] along the best axis, is that close: then they are nearest beside it, at a corner.
fn is_beyond(gap: Real, job: &CollideJob<'_, D3>, out: &LocalManifold<D3>) -> bool {
    let lowest = out.points().iter().fold(Real::INFINITY, |low, point| low.min(point.separation));
    lowest > gap + job.slop
}

/// Adds a point where the cores have the points `on_a` and, `gap` further along the normal, on b, if the rounded
/// surfaces are close enough. The position is half-way between the surfaces.
#[inline]
fn push_core_point(
    out: &mut LocalManifold<D3>,
    on_a: Vec3,
    gap: Real,
    radii: [Real; 2],
    margin: Real,
    id: u32,
) {
    let separation = gap - radii[0] - radii[1];
    if separation <= margin {
        out.push(on_a + out.normal * (0.5 * (gap + radii[0] - radii[1])), separation, id);
    }
}
