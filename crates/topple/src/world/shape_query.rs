//! Questions with a shape: what it overlaps, what it meets on its way, what is nearest. And many questions at once.

use super::World;
use super::query::{PointHit, QueryFilter, Ray, RayHit};
use crate::Error;
use crate::distance::{Closest, closest_points, shape_cast};
use crate::math::*;
use crate::query_log::{Answer, Query};
use crate::shape::ShapeOps;
use crate::store::{BodyId, ShapeId};
use crate::trusted::in_pieces;

/// Where a moving shape met another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit<D: Dim> {
    /// The shape that was met.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Share of the translation at which they touch, in [0, 1] (no unit).
    pub t: Real,
    /// Where they touch [m].
    pub point: D::Point,
    /// Unit vector from the moving shape to the one that was met; the direction to the nearest way out if they overlap at the start.
    pub normal: D::Vec,
}

/// Questions per piece of a batch.
const BATCH: usize = 64;

impl<D: Dim> World<D> {
    fn check_probe(shape: &D::Shape, pose: &Pose<D>) -> Result<(), Error> {
        crate::shape::check_shape::<D>(shape)?;
        pose.check("pose")?;
        if shape.support(D::Vec::axis(0)).is_none() {
            return Err(Error::NotPossible {
                what: "this query",
                reason: "the shape is not bounded and convex",
            });
        }
        Ok(())
    }

    /// Place of a shape in the world.
    fn shape_pose(&self, shape: u32) -> Pose<D> {
        let record = &self.shapes[shape];
        self.bodies.places[record.body as usize].compose(record.from_center)
    }

    /// Closest points of two shapes, recorded if queries are.
    fn measure(&self, a: &D::Shape, pose_a: &Pose<D>, b: &D::Shape, pose_b: &Pose<D>) -> Option<Closest<D>> {
        let found = closest_points::<D>(a, pose_a, b, pose_b);
        if let Some(log) = &self.query_log {
            let (a, b) = (a.clone(), b.clone());
            log.record(Query::Distance { a, pose_a: *pose_a, b, pose_b: *pose_b }, Answer::Distance(found));
        }
        found
    }

    /// Shapes that overlap or touch `shape` at `pose`, in order of id.
    pub fn overlap_shape(
        &self,
        shape: &D::Shape,
        pose: &Pose<D>,
        filter: &QueryFilter,
    ) -> Result<Vec<PointHit>, Error> {
        Self::check_probe(shape, pose)?;
        let mut hits = Vec::new();
        self.methods.broad_phase.query(&self.proxies, &shape.aabb(pose), &mut |index| {
            if self.sees(index, filter) {
                let other = &self.shapes[index].shape;
                let closest = self.measure(shape, pose, other, &self.shape_pose(index));
                if closest.is_some_and(|c| c.distance <= 0.0) {
                    let (shape, body) = self.ids_of(index);
                    hits.push(PointHit { shape, body });
                }
            }
            true
        });
        hits.sort_unstable_by_key(|hit| hit.shape);
        Ok(hits)
    }

    /// The first shape that `shape` meets when it moves from `pose` by `translation` [m] without turning. Shapes that it
    /// overlaps at the start are met at t = 0.
    pub fn cast_shape(
        &self,
        shape: &D::Shape,
        pose: &Pose<D>,
        translation: D::Vec,
        filter: &QueryFilter,
    ) -> Result<Option<ShapeHit<D>>, Error> {
        Self::check_probe(shape, pose)?;
        if !translation.is_finite() {
            return Err(Error::invalid("translation", translation, "finite"));
        }
        let start = shape.aabb(pose);
        let end = Aabb { min: start.min + translation, max: start.max + translation };
        let mut best: Option<ShapeHit<D>> = None;
        let mut consider = |index: u32, max: Real| {
            if !self.sees(index, filter) {
                return max;
            }
            let other = &self.shapes[index].shape;
            let pose_b = self.shape_pose(index);
            let hit = shape_cast::<D>(shape, pose, translation, other, &pose_b, max, 0.0);
            if let Some(log) = &self.query_log {
                let (a, b) = (shape.clone(), other.clone());
                log.record(Query::Cast { a, pose_a: *pose, translation, b, pose_b, max }, Answer::Cast(hit));
            }
            let Some(hit) = hit else { return max };
            let (id, body) = self.ids_of(index);
            // DETERMINISM: of equal hits the lower shape wins, whatever the order of the visits.
            if best.is_none_or(|b| (hit.t, id) < (b.t, b.shape)) {
                best = Some(ShapeHit { shape: id, body, t: hit.t, point: hit.point, normal: hit.normal });
            }
            hit.t.min(max)
        };
        let (center, half) = (start.center(), start.size() * 0.5);
        if translation == D::Vec::ZERO {
            self.methods.broad_phase.query(&self.proxies, &start.union(&end), &mut |index| {
                consider(index, 1.0);
                true
            });
        } else {
            let broad_phase = &self.methods.broad_phase;
            broad_phase.ray(&self.proxies, center, translation, 1.0, half, &mut consider);
        }
        Ok(best)
    }

    /// The shape nearest to `shape` at `pose` within `reach` [m], with the closest points; negative distances are
    /// overlaps.
    pub fn closest_shape(
        &self,
        shape: &D::Shape,
        pose: &Pose<D>,
        reach: Real,
        filter: &QueryFilter,
    ) -> Result<Option<(PointHit, Closest<D>)>, Error> {
        Self::check_probe(shape, pose)?;
        crate::error::not_negative("reach", reach)?;
        let mut best: Option<(PointHit, Closest<D>)> = None;
        self.methods.broad_phase.query(&self.proxies, &shape.aabb(pose).grown(reach), &mut |index| {
            if self.sees(index, filter) {
                let other = &self.shapes[index].shape;
                if let Some(closest) = self.measure(shape, pose, other, &self.shape_pose(index))
                    && closest.distance <= reach
                {
                    let (shape, body) = self.ids_of(index);
                    let nearer = |(hit, old): &(PointHit, Closest<D>)| {
                        (closest.distance, shape) < (old.distance, hit.shape)
                    };
                    if best.as_ref().is_none_or(nearer) {
                        best = Some((PointHit { shape, body }, closest));
                    }
                }
            }
            true
        });
        Ok(best)
    }

    /// Closest points and signed distance of two shapes of the world. None for pairs without: two planes.
    pub fn distance(&self, a: ShapeId, b: ShapeId) -> Result<Option<Closest<D>>, Error> {
        let (a, b) = (self.shape_index(a)?, self.shape_index(b)?);
        let (pose_a, pose_b) = (self.shape_pose(a), self.shape_pose(b));
        Ok(self.measure(&self.shapes[a].shape, &pose_a, &self.shapes[b].shape, &pose_b))
    }

    /// The first hit of each ray, on all threads of the world's executor. All rays are checked before any is cast.
    pub fn cast_rays(&self, rays: &[Ray<D>], filter: &QueryFilter) -> Result<Vec<Option<RayHit<D>>>, Error> {
        rays.iter().try_for_each(Ray::validate)?;
        self.query_batch(rays, |ray| self.cast_ray(ray, filter))
    }

    /// Asks the same question about many things, on all threads of the world's executor: any query of the world, a mix of them, or
    /// something of your own that only reads. Answers come in the order of `things`; if some question is refused, the error of the first
    /// one.
    ///
    /// ```
    /// use topple::world::QueryFilter;
    /// use topple::{BodyDef, D2, Pose, Shape2, World};
    ///
    /// let mut world = World::<D2>::new();
    /// world.create_body_with(BodyDef::fixed([3.0, 0.0]), [Shape2::circle(1.0)])?;
    /// let (ball, filter) = (Shape2::circle(0.5), QueryFilter::default());
    /// let places = [[0.0, 0.0], [1.6, 0.0], [4.4, 0.0]].map(Pose::<D2>::at);
    /// let overlaps = world.query_batch(&places, |place| world.overlap_shape(&ball, place, &filter))?;
    /// assert_eq!(overlaps.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1]);
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn query_batch<T: Sync, R: Send>(
        &self,
        things: &[T],
        ask: impl Fn(&T) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let mut answers: Vec<Option<Result<R, Error>>> = things.iter().map(|_| None).collect();
        in_pieces(&*self.executor, BATCH, &mut answers, |piece, answers| {
            for (answer, thing) in answers.iter_mut().zip(&things[piece * BATCH..]) {
                *answer = Some(ask(thing));
            }
        });
        // Every piece has run, so no answer is missing.
        answers.into_iter().flatten().collect()
    }
}
