//! What every shape of the plane can do, case by case.

use super::outline::ray_cast_circle;
use super::{LocalRay, LocalRayHit, Scratch, Shape2, rectangle_corners, rounding_of};
use crate::Error;
use crate::error::{finite, not_negative, positive};
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::shape::composite::turned_box;
use crate::shape::{Composite, Facet, Mass, ShapeOps, Submerged};
use crate::store::{Reader, Writer};
use std::sync::Arc;

impl ShapeOps<D2> for Shape2 {
    fn kind(&self) -> &'static str {
        match self {
            Self::Circle { .. } => "circle",
            Self::Rectangle { .. } => "rectangle",
            Self::Polygon { .. } => "polygon",
            Self::Capsule { .. } => "capsule",
            Self::Segment { .. } => "segment",
            Self::HalfPlane { .. } => "half-plane",
            Self::Chain { .. } => "chain",
            Self::HeightField { .. } => "height-field",
        }
    }

    fn point() -> Self {
        Self::Circle { radius: 0.0 }
    }

    fn below(normal: Vec2) -> Self {
        Self::HalfPlane { normal, offset: 0.0 }
    }

    fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Circle { radius } => positive("Circle.radius", *radius),
            Self::Rectangle { half, radius } => {
                positive("Rectangle.half.x", half.x)?;
                positive("Rectangle.half.y", half.y)?;
                not_negative("Rectangle.radius", *radius)
            }
            // The corners were checked when the hull was built.
            Self::Polygon { radius, .. } => not_negative("Polygon.radius", *radius),
            Self::Capsule { a, b, radius } => {
                ends("Capsule.a", *a, "Capsule.b", *b)?;
                positive("Capsule.radius", *radius)
            }
            Self::Segment { a, b } => ends("Segment.a", *a, "Segment.b", *b),
            Self::HalfPlane { normal, offset } => {
                if !is_near(normal.length(), 1.0, UNIT_TOLERANCE) {
                    return Err(Error::invalid("HalfPlane.normal", *normal, "of unit length"));
                }
                finite("HalfPlane.offset", *offset)
            }
            // These were checked when they were built.
            Self::Chain { .. } | Self::HeightField { .. } => Ok(()),
        }
    }

    fn flattened(&self) -> Option<Self> {
        let Self::Rectangle { half, radius } = *self else { return None };
        let end = match (half.x == 0.0, half.y == 0.0) {
            (false, true) => Vec2::X * half.x,
            (true, false) => Vec2::Y * half.y,
            _ => return None,
        };
        Some(if radius == 0.0 { Self::segment(-end, end) } else { Self::capsule(-end, end, radius) })
    }

    fn composite(&self) -> Option<&dyn Composite<D2>> {
        match self {
            Self::Chain { data } => Some(&**data),
            Self::HeightField { data } => Some(&**data),
            _ => None,
        }
    }

    fn can_move(&self) -> bool {
        !matches!(self, Self::HalfPlane { .. } | Self::Chain { .. } | Self::HeightField { .. })
    }

    fn is_solid(&self) -> bool {
        self.can_move() && !matches!(self, Self::Segment { .. })
    }

    fn facets(&self, out: &mut Vec<Facet<D2>>) {
        super::fluid::facets(self, out);
    }

    fn submerged(&self, normal: Vec2, offset: Real) -> Submerged<D2> {
        super::fluid::submerged(self, normal, offset)
    }

    fn mass(&self, density: Real) -> Mass<D2> {
        match self {
            Self::Circle { radius } => {
                let mass = density * core::f32::consts::PI * radius * radius;
                Mass { mass, center: Vec2::ZERO, inertia: 0.5 * mass * radius * radius }
            }
            _ if !self.is_solid() => Mass::ZERO,
            _ => self.outline(&mut Scratch::default()).map_or(Mass::ZERO, |o| o.mass(density)),
        }
    }

    fn aabb(&self, pose: &Pose<D2>) -> Aabb<D2> {
        match self {
            Self::Circle { radius } => Aabb::around(pose.position, Vec2::splat(*radius)),
            Self::Rectangle { half, radius } => {
                let (c, s) = (pose.rotation.cos.abs(), pose.rotation.sin.abs());
                let reach = Vec2::new(c * half.x + s * half.y, s * half.x + c * half.y);
                Aabb::around(pose.position, reach + Vec2::splat(*radius))
            }
            Self::Polygon { data, radius } => {
                Aabb::of_points(data.vertices().iter().map(|v| pose.transform(*v))).grown(*radius)
            }
            Self::Capsule { a, b, radius } => {
                Aabb::of_points([pose.transform(*a), pose.transform(*b)]).grown(*radius)
            }
            Self::Segment { a, b } => Aabb::of_points([pose.transform(*a), pose.transform(*b)]),
            Self::HalfPlane { .. } => Aabb::infinite(),
            Self::Chain { data } => turned_box(&data.bounds(), pose),
            Self::HeightField { data } => turned_box(&data.bounds(), pose),
        }
    }

    /// Rounded rectangles and polygons give the corners of their core.
    fn vertices(&self) -> Vec<Vec2> {
        match self {
            Self::Rectangle { half, .. } => rectangle_corners(*half).to_vec(),
            Self::Polygon { data, .. } => data.vertices().to_vec(),
            Self::Segment { a, b } => vec![*a, *b],
            Self::Chain { data } => data.vertices().to_vec(),
            Self::HeightField { data } => data.vertices(),
            Self::Circle { .. } | Self::Capsule { .. } | Self::HalfPlane { .. } => Vec::new(),
        }
    }

    fn farthest_from(&self, p: Vec2) -> Real {
        match self {
            Self::Circle { radius } => p.length() + radius,
            Self::HalfPlane { .. } => Real::INFINITY,
            Self::Chain { .. } | Self::HeightField { .. } => {
                self.vertices().iter().fold(0.0, |far: Real, v| far.max((*v - p).length()))
            }
            _ => self.outline(&mut Scratch::default()).map_or(0.0, |o| {
                o.vertices.iter().fold(0.0, |far: Real, v| far.max((*v - p).length())) + o.radius
            }),
        }
    }

    fn inner_radius(&self) -> Real {
        match self {
            Self::Circle { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Rectangle { half, radius } => half.min_element() + radius,
            Self::Polygon { data, radius } => data.inner_radius() + radius,
            Self::Segment { .. } | Self::HalfPlane { .. } | Self::Chain { .. } | Self::HeightField { .. } => {
                Real::INFINITY
            }
        }
    }

    fn face_along(&self, direction: Vec2) -> Option<Vec2> {
        match self {
            Self::Rectangle { .. } => {
                let (x, y) = (direction.x, direction.y);
                Some(if x.abs() > y.abs() { Vec2::X * x.signum() } else { Vec2::Y * y.signum() })
            }
            Self::Polygon { data, .. } => {
                let along = |n: &&Vec2| n.dot(direction);
                data.normals().iter().max_by(|m, n| along(m).total_cmp(&along(n))).copied()
            }
            // Solid from both sides.
            Self::Segment { a, b } => {
                let normal = (*b - *a).perp().normalize_or(Vec2::Y);
                Some(if normal.dot(direction) < 0.0 { -normal } else { normal })
            }
            _ => None,
        }
    }

    fn middle(&self) -> Vec2 {
        match self {
            Self::Capsule { a, b, .. } | Self::Segment { a, b } => (*a + *b) * 0.5,
            Self::Polygon { data, .. } => data.center(),
            _ => Vec2::ZERO,
        }
    }

    /// A point is on a segment if it is so within rounding. A chain contains nothing: it has no thickness.
    fn contains(&self, p: Vec2) -> bool {
        match self {
            Self::Circle { radius } => p.length_squared() <= radius * radius,
            Self::HalfPlane { normal, offset } => normal.dot(p) <= *offset,
            Self::Chain { .. } => false,
            Self::HeightField { data } => data.contains(p),
            Self::Segment { .. } => {
                let mut scratch = Scratch::default();
                self.outline(&mut scratch).is_some_and(|o| o.distance(p) <= rounding_of(p.abs()))
            }
            _ => self.outline(&mut Scratch::default()).is_some_and(|o| o.distance(p) <= 0.0),
        }
    }

    fn ray_cast(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        match self {
            Self::Circle { radius } => ray_cast_circle(Vec2::ZERO, *radius, ray),
            Self::HalfPlane { normal, offset } => {
                let height = normal.dot(ray.origin) - offset;
                if height <= 0.0 {
                    return (ray.max >= 0.0).then_some(LocalRayHit { t: 0.0, normal: Vec2::ZERO });
                }
                let t = -height / normal.dot(ray.direction);
                (0.0..=ray.max).contains(&t).then_some(LocalRayHit { t, normal: *normal })
            }
            Self::Chain { data } => data.ray_cast(ray),
            Self::HeightField { data } => data.ray_cast(ray),
            _ => self.outline(&mut Scratch::default())?.ray_cast(ray),
        }
    }

    fn support(&self, direction: Vec2) -> Option<Vec2> {
        match self {
            Self::Circle { .. } => Some(Vec2::ZERO),
            Self::HalfPlane { .. } | Self::Chain { .. } | Self::HeightField { .. } => None,
            Self::Rectangle { half, .. } => {
                Some(Vec2::new(half.x.copysign(direction.x), half.y.copysign(direction.y)))
            }
            _ => self.outline(&mut Scratch::default()).map(|o| o.vertices[o.support(direction)]),
        }
    }

    #[inline]
    fn core_box(&self) -> Option<Vec2> {
        match self {
            Self::Circle { .. } => Some(Vec2::ZERO),
            Self::Rectangle { half, .. } => Some(*half),
            _ => None,
        }
    }

    fn half_space(&self) -> Option<(Vec2, Real)> {
        match self {
            Self::HalfPlane { normal, offset } => Some((*normal, *offset)),
            _ => None,
        }
    }

    fn rounding(&self) -> Real {
        match self {
            Self::Circle { radius }
            | Self::Rectangle { radius, .. }
            | Self::Polygon { radius, .. }
            | Self::Capsule { radius, .. } => *radius,
            Self::Segment { .. } | Self::HalfPlane { .. } | Self::Chain { .. } | Self::HeightField { .. } => {
                0.0
            }
        }
    }

    fn collides_with(&self, other: &Self) -> bool {
        // Shapes that can neither move nor touch each other in a bounded stretch.
        self.can_move() || other.can_move()
    }

    fn keeps_contacts(&self) -> bool {
        !matches!(self, Self::Circle { .. } | Self::Capsule { .. })
    }

    #[inline]
    fn collide(
        job: &CollideJob<'_, D2>,
        cache: &mut PairCache,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D2>,
    ) {
        crate::narrow_phase::d2::collide(job, cache, counters, out);
    }

    fn collide_children(
        shape: &dyn Composite<D2>,
        job: &CollideJob<'_, D2>,
        _ground: Option<Side>,
        counters: &mut NarrowCounters,
        add: &mut dyn FnMut(u32, &LocalManifold<D2>),
    ) -> bool {
        crate::narrow_phase::d2::collide_children(shape, job, counters, add)
    }

    /// Composite shapes of the plane cannot move, so that none meets another or a half-plane.
    fn collide_composites(
        _job: &CollideJob<'_, D2>,
        _ground: Option<Side>,
        _counters: &mut NarrowCounters,
        _add: &mut dyn FnMut(u32, &LocalManifold<D2>, bool),
    ) {
    }

    fn shared(&self) -> Option<usize> {
        match self {
            Self::Polygon { data, .. } => Some(Arc::as_ptr(data) as usize),
            Self::Chain { data } => Some(Arc::as_ptr(data) as usize),
            Self::HeightField { data } => Some(Arc::as_ptr(data) as usize),
            _ => None,
        }
    }

    fn save(&self, out: &mut Writer) {
        super::codec::save(self, out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        super::codec::load(input)
    }
}

/// Checks the ends of a segment: finite and apart.
fn ends(name_a: &'static str, a: Vec2, name_b: &'static str, b: Vec2) -> Result<(), Error> {
    if !a.is_finite() {
        return Err(Error::invalid(name_a, a, "finite"));
    }
    if !b.is_finite() {
        return Err(Error::invalid(name_b, b, "finite"));
    }
    if a == b {
        return Err(Error::invalid(name_b, b, "different from the other end"));
    }
    Ok(())
}
