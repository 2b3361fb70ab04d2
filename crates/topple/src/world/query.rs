//! Questions to the world: what is at a point, what a ray meets first, what lies in a box.

use super::World;
use crate::Error;
use crate::broad_phase::ProxyKind;
use crate::math::*;
use crate::query_log::{Answer, Query};
use crate::shape::{Filter, LocalRay, LocalRayHit, ShapeOps};
use crate::store::{BodyId, ShapeId};

/// Which shapes a query sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryFilter {
    /// Category and mask of the query itself; a shape is seen if both filters agree. Default: everything.
    pub filter: Filter,
    /// Sees sensors too. Default false.
    pub sensors: bool,
    /// A body that is not seen, for rays that start inside it. Default none.
    pub ignore: Option<BodyId>,
}

impl Default for QueryFilter {
    fn default() -> Self {
        Self { filter: Filter { category: u64::MAX, ..Filter::default() }, sensors: false, ignore: None }
    }
}

/// A ray: points `origin + direction · t` for t in [0, `max`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray<D: Dim> {
    /// Start [m].
    pub origin: D::Point,
    /// Way per unit of t [m]; need not be of unit length, but not zero.
    pub direction: D::Vec,
    /// Largest t that counts (no unit).
    pub max: Real,
}

impl<D: Dim> Ray<D> {
    /// The segment between two points [m].
    pub fn between(from: impl Into<D::Point>, to: impl Into<D::Point>) -> Self {
        let from = from.into();
        Self { origin: from, direction: to.into() - from, max: 1.0 }
    }

    /// Point at parameter `t` [m].
    pub fn at(&self, t: Real) -> D::Point {
        self.origin + self.direction * t
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if !self.origin.is_finite() {
            return Err(Error::invalid("Ray.origin", self.origin, "finite"));
        }
        if !self.direction.is_finite() || self.direction == D::Vec::ZERO {
            return Err(Error::invalid("Ray.direction", self.direction, "finite and not zero"));
        }
        if self.max.is_nan() || self.max < 0.0 {
            return Err(Error::invalid("Ray.max", self.max, "at least 0"));
        }
        Ok(())
    }
}

/// Where a ray met a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit<D: Dim> {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Parameter of the ray (no unit).
    pub t: Real,
    /// The point [m].
    pub point: D::Point,
    /// Outward unit normal of the shape, world frame; zero if the ray starts inside.
    pub normal: D::Vec,
}

/// A shape with a point inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointHit {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
}

impl<D: Dim> World<D> {
    pub(crate) fn sees(&self, shape: u32, filter: &QueryFilter) -> bool {
        let proxy = self.proxies.get(shape);
        proxy.kind != ProxyKind::None
            && (filter.sensors || !proxy.is_sensor)
            && filter.ignore.is_none_or(|id| self.bodies.records.id_at(proxy.body) != Some(id.0))
            && filter.filter.allows(&proxy.filter)
    }

    pub(crate) fn ids_of(&self, shape: u32) -> (ShapeId, BodyId) {
        let body = self.shapes[shape].body;
        (
            ShapeId(self.shapes.id_at(shape).unwrap_or_default()),
            BodyId(self.bodies.records.id_at(body).unwrap_or_default()),
        )
    }

    /// Where the ray meets a shape, in the shape's frame.
    fn hit_shape(&self, shape: u32, ray: &Ray<D>, max: Real) -> Option<LocalRayHit<D>> {
        let record = &self.shapes[shape];
        let pose = record.place_on(self.bodies.places[record.body as usize]);
        let local = LocalRay {
            origin: pose.inverse_transform(ray.origin),
            direction: pose.rotation.rotate_inv(ray.direction),
            max,
        };
        let hit = record.shape.ray_cast(&local);
        if let Some(log) = &self.query_log {
            log.record(Query::Ray { shape: record.shape.clone(), ray: local }, Answer::Ray(hit));
        }
        hit
    }

    /// A hit as the caller sees it.
    fn finish_hit(&self, index: u32, ray: &Ray<D>, hit: &LocalRayHit<D>) -> RayHit<D> {
        let record = &self.shapes[index];
        let rotation = record.place_on(self.bodies.places[record.body as usize]).rotation;
        let (shape, body) = self.ids_of(index);
        RayHit { shape, body, t: hit.t, point: ray.at(hit.t), normal: rotation.rotate(hit.normal) }
    }

    /// The first shape that the ray meets.
    pub fn cast_ray(&self, ray: &Ray<D>, filter: &QueryFilter) -> Result<Option<RayHit<D>>, Error> {
        ray.validate()?;
        let mut best: Option<(u32, LocalRayHit<D>)> = None;
        let mut visit = |shape: u32, max: Real| {
            if self.sees(shape, filter)
                && let Some(hit) = self.hit_shape(shape, ray, max)
            {
                // DETERMINISM: of equal hits the lower shape wins, whatever the order of the visits.
                if best.is_none_or(|(other, b)| (hit.t, shape) < (b.t, other)) {
                    best = Some((shape, hit));
                }
                return hit.t.min(max);
            }
            max
        };
        let (origin, direction) = (ray.origin, ray.direction);
        self.methods.broad_phase.ray(&self.proxies, origin, direction, ray.max, D::Vec::ZERO, &mut visit);
        Ok(best.map(|(shape, hit)| self.finish_hit(shape, ray, &hit)))
    }

    /// All shapes that the ray meets, nearest first.
    pub fn cast_ray_all(&self, ray: &Ray<D>, filter: &QueryFilter) -> Result<Vec<RayHit<D>>, Error> {
        ray.validate()?;
        let mut hits = Vec::new();
        let mut visit = |shape: u32, max: Real| {
            if self.sees(shape, filter) {
                let hit = self.hit_shape(shape, ray, ray.max);
                hits.extend(hit.map(|hit| self.finish_hit(shape, ray, &hit)));
            }
            max
        };
        let (origin, direction) = (ray.origin, ray.direction);
        self.methods.broad_phase.ray(&self.proxies, origin, direction, ray.max, D::Vec::ZERO, &mut visit);
        hits.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.shape.cmp(&y.shape)));
        Ok(hits)
    }

    /// True if the ray meets anything.
    pub fn cast_ray_any(&self, ray: &Ray<D>, filter: &QueryFilter) -> Result<bool, Error> {
        ray.validate()?;
        let mut found = false;
        let mut visit = |shape: u32, max: Real| {
            found = found || (self.sees(shape, filter) && self.hit_shape(shape, ray, max).is_some());
            // A negative maximum ends the search.
            if found { -1.0 } else { max }
        };
        let (origin, direction) = (ray.origin, ray.direction);
        self.methods.broad_phase.ray(&self.proxies, origin, direction, ray.max, D::Vec::ZERO, &mut visit);
        Ok(found)
    }

    /// Shapes with the point [m] inside, in order of id: what is under the cursor.
    pub fn shapes_at(
        &self,
        point: impl Into<D::Point>,
        filter: &QueryFilter,
    ) -> Result<Vec<PointHit>, Error> {
        let point = point.into();
        if !point.is_finite() {
            return Err(Error::invalid("point", point, "finite"));
        }
        let mut hits = Vec::new();
        self.methods.broad_phase.query(&self.proxies, &Aabb { min: point, max: point }, &mut |shape| {
            let record = &self.shapes[shape];
            let pose = self.bodies.places[record.body as usize].compose(record.from_center);
            if self.sees(shape, filter) && record.shape.contains(pose.inverse_transform(point)) {
                let (shape, body) = self.ids_of(shape);
                hits.push(PointHit { shape, body });
            }
            true
        });
        hits.sort_unstable_by_key(|hit| hit.shape);
        Ok(hits)
    }

    /// Shapes whose tight bounds overlap the box, in order of id.
    pub fn shapes_in_box(&self, bounds: &Aabb<D>, filter: &QueryFilter) -> Result<Vec<PointHit>, Error> {
        let ordered = (0..D::N).all(|i| bounds.size().get(i) >= 0.0);
        if !ordered {
            return Err(Error::invalid("box", bounds, "ordered corners, no NaN"));
        }
        let mut hits = Vec::new();
        self.methods.broad_phase.query(&self.proxies, bounds, &mut |shape| {
            let record = &self.shapes[shape];
            let pose = self.bodies.places[record.body as usize].compose(record.from_center);
            if self.sees(shape, filter) && record.shape.aabb(&pose).overlaps(bounds) {
                let (shape, body) = self.ids_of(shape);
                hits.push(PointHit { shape, body });
            }
            true
        });
        hits.sort_unstable_by_key(|hit| hit.shape);
        Ok(hits)
    }
}
