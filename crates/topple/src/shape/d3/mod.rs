//! The shapes of the space.

use super::{LocalRay, LocalRayHit, Mass, ShapeOps};
use crate::Error;
use crate::error::positive;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache};
use crate::store::{Reader, Writer};

/// A shape of the space, in its own frame.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape3 {
    /// Sphere about the origin.
    Sphere {
        /// Radius [m].
        radius: Real,
    },
}

impl Shape3 {
    /// A sphere of the given radius [m] about the origin.
    pub fn sphere(radius: Real) -> Self {
        Self::Sphere { radius }
    }
}

impl ShapeOps<D3> for Shape3 {
    fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
        }
    }

    fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Sphere { radius } => positive("Sphere.radius", *radius),
        }
    }

    fn can_move(&self) -> bool {
        true
    }

    fn is_solid(&self) -> bool {
        true
    }

    fn mass(&self, density: Real) -> Mass<D3> {
        match self {
            Self::Sphere { radius } => {
                let mass = density * (4.0 / 3.0) * core::f32::consts::PI * radius * radius * radius;
                Mass {
                    mass,
                    center: Vec3::ZERO,
                    inertia: SymMat3::from_diagonal(Vec3::splat(0.4 * mass * radius * radius)),
                }
            }
        }
    }

    fn aabb(&self, pose: &Pose<D3>) -> Aabb<D3> {
        match self {
            Self::Sphere { radius } => Aabb::around(pose.position, Vec3::splat(*radius)),
        }
    }

    fn vertices(&self) -> Vec<Vec3> {
        Vec::new()
    }

    fn farthest_from(&self, p: Vec3) -> Real {
        match self {
            Self::Sphere { radius } => p.length() + radius,
        }
    }

    fn inner_radius(&self) -> Real {
        match self {
            Self::Sphere { radius } => *radius,
        }
    }

    fn contains(&self, p: Vec3) -> bool {
        match self {
            Self::Sphere { radius } => p.length_squared() <= radius * radius,
        }
    }

    fn ray_cast(&self, _ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
        None
    }

    fn support(&self, _direction: Vec3) -> Option<Vec3> {
        Some(Vec3::ZERO)
    }

    fn rounding(&self) -> Real {
        match self {
            Self::Sphere { radius } => *radius,
        }
    }

    fn collides_with(&self, _other: &Self) -> bool {
        true
    }

    fn keeps_contacts(&self) -> bool {
        false
    }

    fn collide(
        job: &CollideJob<'_, D3>,
        _cache: &mut PairCache,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D3>,
    ) {
        out.clear();
        counters.computed += 1;
        let (Self::Sphere { radius: ra }, Self::Sphere { radius: rb }) = (job.a, job.b);
        let offset = job.b_in_a.position.to_vec();
        let distance = offset.length();
        let separation = distance - ra - rb;
        if separation <= job.margin {
            out.normal = offset.normalize_or(Vec3::Y);
            out.push(out.normal * (ra + 0.5 * separation), separation, 0);
        }
    }

    fn shared(&self) -> Option<usize> {
        None
    }

    fn save(&self, out: &mut Writer) {
        match self {
            Self::Sphere { radius } => out.real(*radius),
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self::Sphere { radius: input.real()? })
    }
}
