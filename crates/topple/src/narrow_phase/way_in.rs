//! Where bodies met that are found deep in each other: the normal of a new contact is the way they came in by, not the shortest way out.
//!
//! What falls by its own length in a step is found in the middle of what it met, and the shortest way out from there leads aside, or on
//! through. So a new overlap that is deep is looked at again: the relative motion of the last step is taken back, and the first touch
//! on the way in tells the normal. If that differs from the ordinary one, the contact is *held*: it keeps its normal from step to step until the
//! shapes are nearly out of each other, or the shortest way out is the same.
//!
//! A contact along a given axis is what the ordinary contact function finds where b, moved out along it, just touches a; the distance
//! it was moved is taken off the separations. So every pair of shapes and every method has it, without functions of their own.
//!
//! Two balls that have passed each other aslant have no point in common that the axis and both middles lead to. A push there would spin them, whatever
//! their friction, and small ones faster than a body may spin: an elastic gas lost its energy so. So each gets an anchor of its own, on the axis through its
//! middle, where it was struck when they met.
//!
//! Overlaps that the motion does not explain, those of bodies that were created in each other, are left to the shortest way out.

use super::batch::PairTask;
use super::{CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::contact::flags;
use crate::distance::{Cores, Wide, separation, shape_cast};
use crate::math::*;
use crate::shape::ShapeOps;

/// Overlap of a new contact from which on it is looked at again, as a share of the smaller inner radius (no unit). What is less deep is found
/// near the side it came in by, unless it came over an edge, where the shortest way out does no harm.
const DEEP: Real = 0.25;
/// Overlap below which a held contact is an ordinary one again, as a share of the smaller inner radius (no unit): less than [`DEEP`], so that it does not begin
/// anew.
const OUT: Real = 0.1;
/// Cosine up to which the normal that the shapes met along and the ordinary one are two sides (no unit; 45°).
const OTHER_SIDE: Real = 0.7;
/// Cosine that the normal of a held contact must have with the one it had (no unit; 45°); otherwise that side is gone: the shapes have turned, or slid past it.
const SAME_SIDE: Real = 0.7;
/// Share of the step to within which the moment is found at which shapes met (no unit): a power of two.
const ROUGHLY: Real = 1.0 / 1024.0;

impl<D: Dim> PairTask<'_, D> {
    /// Puts the contact along the way in in place of `local`, the ordinary one, if the shapes are deep in each other and have come in another way.
    #[inline]
    pub(super) fn mind_way_in(&mut self, local: &mut LocalManifold<D>) {
        let is_new = self.contact.flags & (flags::WAS_TOUCHING | flags::SENSOR) == 0;
        // One that was dropped or is out has nothing to hold on to.
        self.contact.is_held &= !is_new;
        if !is_new && !self.contact.is_held {
            return;
        }
        // PERF: a third of the pairs of a heap have boxes that overlap, and no contact.
        if local.is_empty() {
            self.contact.is_held = false;
            return;
        }
        let depth = depth(local);
        let [a, b] = self.contact.shapes.map(|shape| self.source.shapes[shape].size);
        let size = a.min(b);
        if depth > size * if is_new { DEEP } else { OUT } {
            self.look_again(local, depth, size);
        } else {
            self.contact.is_held = false;
        }
    }

    /// The rest of [`Self::mind_way_in`], for the few that are deep.
    #[cold]
    fn look_again(&mut self, local: &mut LocalManifold<D>, depth: Real, size: Real) {
        let normal = if core::mem::take(&mut self.contact.is_held) {
            let frame = self.source.shapes[self.contact.shapes[0]].from_center.rotation;
            Some(frame.rotate_inv(self.contact.manifold.local_normal))
        } else {
            self.met_along(depth, OUT * size)
        };
        let Some(normal) = normal.filter(|n| n.dot(local.normal) < OTHER_SIDE) else { return };
        let ground = self.contact.cache.kind & PairCache::GROUND;
        let (job, _, counters) = self.job();
        let balls = balls_along(&job, normal);
        let found = match &balls {
            Some((found, _)) => Some(*found),
            None => contact_along(&job, normal, ground, counters),
        };
        let Some(found) = found.filter(|found| self::depth(found) > OUT * size) else { return };
        if let Some((_, aside)) = balls {
            let frame = self.source.shapes[self.contact.shapes[0]].from_center.rotation;
            self.anchor_aside(frame.rotate(aside));
        }
        *local = found;
        self.contact.is_held = true;
    }

    /// The normal along which the shapes met in the last step, in the frame of a. None if their motion does not explain an overlap of `depth` [m]: they
    /// overlapped before, by more than `shallow` [m].
    fn met_along(&mut self, depth: Real, shallow: Real) -> Option<D::Vec> {
        let (before, now) = (self.place_before(), self.relative_place());
        let extents = self.contact.bodies.map(|body| self.source.bodies.cores[body as usize].extent);
        let turn = now.rotation.then_after(before.rotation.inverse()).to_ang();
        // Nothing gets deeper than it moves.
        let motion = (now.position - before.position).length() + turn.length() * extents[0].max(extents[1]);
        if motion + shallow < depth {
            return None;
        }
        let [frame_a, frame_b] = self.contact.shapes.map(|shape| self.source.shapes[shape].from_center);
        let (job, ..) = self.job();
        let mut guess = None;
        let mut distance = |t: Real| {
            let place = Pose {
                position: before.position + (now.position - before.position) * t,
                rotation: D::Rot::from_ang(turn * t).then_after(before.rotation),
            };
            let b_in_a = frame_a.relative(place.compose(frame_b));
            separation::<D>(job.a, &Pose::IDENTITY, job.b, &b_in_a, &mut guess)
        };
        let (start, mut normal) = distance(0.0)?;
        if start < -f64::from(shallow) {
            return None;
        }
        let (mut apart, mut together) = (0.0, if start > 0.0 { 1.0 } else { 0.0 });
        while together - apart > ROUGHLY {
            let t = 0.5 * (apart + together);
            let (found, axis) = distance(t)?;
            if found > 0.0 {
                (apart, normal) = (t, axis);
            } else {
                together = t;
            }
        }
        Some(normal)
    }

    /// Place of b's centre of mass as seen from a's, a step ago: where the pair was last looked at, or where the velocities say.
    fn place_before(&self) -> Pose<D> {
        if self.contact.flags & flags::HAS_KEPT != 0 {
            return self.contact.kept;
        }
        let dt = self.source.settings.dt;
        let [a, b] = self.contact.bodies.map(|body| {
            let (place, core) =
                (self.source.bodies.places[body as usize], &self.source.bodies.cores[body as usize]);
            let (v, w) = (core.motion.linear, core.motion.angular);
            Pose::<D> {
                position: place.position - v * dt,
                rotation: D::Rot::from_ang(w * -dt).then_after(place.rotation),
            }
        });
        a.relative(b)
    }
}

/// The deepest overlap of a contact [m]; negative if there is none.
fn depth<D: Dim>(local: &LocalManifold<D>) -> Real {
    -local.points().iter().fold(Real::INFINITY, |lowest, point| lowest.min(point.separation))
}

/// The contact of two shapes along an axis: the ordinary one where b, moved out along `normal`, just overlaps a, brought back. None if there is none like it.
fn contact_along<D: Dim>(
    job: &CollideJob<'_, D>,
    normal: D::Vec,
    ground: u32,
    counters: &mut NarrowCounters,
) -> Option<LocalManifold<D>> {
    let cores = Cores::<D>::new(job.a, job.b, &job.b_in_a)?;
    let rounding = job.a.rounding() + job.b.rounding();
    // Out as far as the normal tells; sloping sides part earlier.
    let out = rounding - cores.gap(Wide::of(normal)) as Real;
    let moved =
        |by: Real| Pose { position: job.b_in_a.position + normal * by, rotation: job.b_in_a.rotation };
    let back = normal * -out;
    let hit = shape_cast::<D>(job.b, &moved(out), back, job.a, &Pose::IDENTITY, 1.0, 0.0)?;
    let by = out * (1.0 - hit.t) - job.slop;
    let mut cache = PairCache { kind: ground, ..PairCache::default() };
    let mut found = LocalManifold::default();
    D::Shape::collide(&CollideJob { b_in_a: moved(by), ..*job }, &mut cache, counters, &mut found);
    let along = found.normal.dot(normal);
    if found.is_empty() || along < SAME_SIDE {
        return None;
    }
    bring_back(&mut found, normal, by, cache.ground());
    Some(found)
}

/// The contact of two balls along an axis, and how far the middle of b is beside that axis through the middle of a [m]; both in the frame of a. None for other
/// shapes.
fn balls_along<D: Dim>(job: &CollideJob<'_, D>, normal: D::Vec) -> Option<(LocalManifold<D>, D::Vec)> {
    let is_ball = |shape: &D::Shape| shape.core_box() == Some(D::Vec::ZERO);
    if !is_ball(job.a) || !is_ball(job.b) {
        return None;
    }
    let middle = job.b_in_a.position.to_vec();
    let along = normal.dot(middle);
    let separation = along - job.a.rounding() - job.b.rounding();
    let mut found = LocalManifold::default();
    found.normal = normal;
    found.push(normal * (job.a.rounding() + 0.5 * separation), separation, 0);
    Some((found, middle - normal * along))
}

/// Brings a contact that was found with b moved by the unit vector `way` times `by` [m] back to where b is. The points go with the surface that can be pushed: the line along which a ball is pushed, where it met a corner,
/// leads through its middle still.
pub(crate) fn bring_back<D: Dim>(found: &mut LocalManifold<D>, way: D::Vec, by: Real, ground: Option<Side>) {
    let normal = found.normal;
    let along = normal.dot(way);
    let shift = match ground {
        Some(Side::A) => way * by - normal * (0.5 * by * along),
        Some(Side::B) => normal * (0.5 * by * along),
        None => way * (0.5 * by),
    };
    for point in found.points_mut() {
        point.separation -= by * along;
        point.position -= shift;
    }
}
