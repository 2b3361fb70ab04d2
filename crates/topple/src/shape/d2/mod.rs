//! The shapes of the plane.

use super::{LocalRay, LocalRayHit, Mass, ShapeOps};
use crate::Error;
use crate::error::positive;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::store::{Reader, Writer};

/// A shape of the plane, in its own frame.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape2 {
    /// Circle about the origin.
    Circle {
        /// Radius [m].
        radius: Real,
    },
}

impl Shape2 {
    /// A circle of the given radius [m] about the origin.
    pub fn circle(radius: Real) -> Self {
        Self::Circle { radius }
    }
}

impl ShapeOps<D2> for Shape2 {
    fn kind(&self) -> &'static str {
        match self {
            Self::Circle { .. } => "circle",
        }
    }

    fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Circle { radius } => positive("Circle.radius", *radius),
        }
    }

    fn can_move(&self) -> bool {
        true
    }

    fn is_solid(&self) -> bool {
        true
    }

    fn mass(&self, density: Real) -> Mass<D2> {
        match self {
            Self::Circle { radius } => {
                let mass = density * core::f32::consts::PI * radius * radius;
                Mass { mass, center: Vec2::ZERO, inertia: 0.5 * mass * radius * radius }
            }
        }
    }

    fn aabb(&self, pose: &Pose<D2>) -> Aabb<D2> {
        match self {
            Self::Circle { radius } => Aabb::around(pose.position, Vec2::splat(*radius)),
        }
    }

    fn vertices(&self) -> Vec<Vec2> {
        Vec::new()
    }

    fn farthest_from(&self, p: Vec2) -> Real {
        match self {
            Self::Circle { radius } => p.length() + radius,
        }
    }

    fn inner_radius(&self) -> Real {
        match self {
            Self::Circle { radius } => *radius,
        }
    }

    fn contains(&self, p: Vec2) -> bool {
        match self {
            Self::Circle { radius } => p.length_squared() <= radius * radius,
        }
    }

    fn ray_cast(&self, _ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        None
    }

    fn support(&self, _direction: Vec2) -> Option<Vec2> {
        Some(Vec2::ZERO)
    }

    fn rounding(&self) -> Real {
        match self {
            Self::Circle { radius } => *radius,
        }
    }

    fn collides_with(&self, _other: &Self) -> bool {
        true
    }

    fn keeps_contacts(&self) -> bool {
        false
    }

    fn collide(
        job: &CollideJob<'_, D2>,
        _cache: &mut PairCache,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D2>,
    ) {
        out.clear();
        counters.computed += 1;
        let (Self::Circle { radius: ra }, Self::Circle { radius: rb }) = (job.a, job.b);
        let offset = job.b_in_a.position.to_vec();
        let distance = offset.length();
        let separation = distance - ra - rb;
        if separation <= job.margin {
            out.normal = offset.normalize_or(Vec2::Y);
            out.push(out.normal * (ra + 0.5 * separation), separation, 0);
        }
    }

    fn shared(&self) -> Option<usize> {
        None
    }

    fn save(&self, out: &mut Writer) {
        match self {
            Self::Circle { radius } => out.real(*radius),
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self::Circle { radius: input.real()? })
    }
}
