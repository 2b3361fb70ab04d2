//! The laws that come with the engine, as one type.

use super::{
    Attraction, Buoyancy, Explosion, ForceBody, ForceField, Generator, Motor, PointGravity, Spring, Thruster,
    UniformGravity, Varies, Vortex, Wind,
};
use crate::Error;
use crate::math::*;
use crate::store::BodyId;

/// Place and velocity of an anchor, and the body it is on.
pub(super) type Found<D> = (<D as Dim>::Point, <D as Dim>::Vec, Option<ForceBody<D>>);

/// A point that springs and attraction hang on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor<D: Dim> {
    /// A point of the world [m].
    World(D::Point),
    /// A point of a body.
    Body {
        /// The body.
        body: BodyId,
        /// The point in its frame [m].
        local: D::Vec,
    },
}

impl<D: Dim> Anchor<D> {
    /// The centre of the frame of a body.
    pub fn body(body: BodyId) -> Self {
        Self::Body { body, local: D::Vec::ZERO }
    }

    /// The body, if it is on one.
    pub fn body_id(&self) -> Option<BodyId> {
        match self {
            Self::World(_) => None,
            Self::Body { body, .. } => Some(*body),
        }
    }

    pub(super) fn validate(&self, field: &'static str) -> Result<(), Error> {
        let is_finite = match self {
            Self::World(point) => point.is_finite(),
            Self::Body { local, .. } => local.is_finite(),
        };
        if is_finite { Ok(()) } else { Err(Error::invalid(field, self, "finite")) }
    }

    /// Place, velocity and body of the anchor now; None if its body is gone.
    pub(super) fn find(&self, field: &ForceField<'_, D>) -> Option<Found<D>> {
        match self {
            Self::World(point) => Some((*point, D::Vec::ZERO, None)),
            Self::Body { body, local } => {
                let body = field.body(*body)?;
                let point = body.to_world(*local);
                Some((point, body.velocity_at(point), Some(body)))
            }
        }
    }
}

/// Which bodies a field of force acts on. Default: all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope<D: Dim> {
    /// These bodies only. None: all. Default None.
    pub bodies: Option<Vec<BodyId>>,
    /// Only bodies whose centre of mass is in this box [m]. Default None: everywhere.
    pub region: Option<Aabb<D>>,
}

impl<D: Dim> Default for Scope<D> {
    fn default() -> Self {
        Self { bodies: None, region: None }
    }
}

impl<D: Dim> Scope<D> {
    pub(super) fn validate(&self) -> Result<(), Error> {
        let Some(region) = &self.region else { return Ok(()) };
        let (low, high) = (region.min.to_vec(), region.max.to_vec());
        // Infinite sides are fine, NaN and turned ones are not.
        if (0..D::N).all(|axis| low.get(axis) <= high.get(axis)) {
            return Ok(());
        }
        Err(Error::invalid("Scope.region", region, "a box whose low corner is not above its high corner"))
    }

    /// Number of bodies to offer to [`Self::pick`].
    pub(super) fn count(&self, field: &ForceField<'_, D>) -> usize {
        self.bodies.as_ref().map_or_else(|| field.target_count(), Vec::len)
    }

    /// Number `i` of the bodies in scope, if the field acts on it.
    pub(super) fn pick(&self, field: &ForceField<'_, D>, i: usize) -> Option<ForceBody<D>> {
        let body = match &self.bodies {
            Some(bodies) => field.body(bodies[i])?,
            None => field.target(i),
        };
        (body.is_dynamic && self.holds(&body)).then_some(body)
    }

    /// All dynamic bodies in scope, asleep or not.
    pub(super) fn members<'a>(
        &'a self,
        field: &'a ForceField<'_, D>,
    ) -> impl Iterator<Item = ForceBody<D>> + 'a {
        let named = |id: BodyId| self.bodies.as_ref().is_none_or(|bodies| bodies.contains(&id));
        field.dynamic_bodies().filter(move |body| named(body.id) && self.holds(body))
    }

    /// True if the place of the body is in the region.
    pub(super) fn holds(&self, body: &ForceBody<D>) -> bool {
        let Some(region) = &self.region else { return true };
        let (low, high, p) = (region.min.to_vec(), region.max.to_vec(), body.center.to_vec());
        (0..D::N).all(|axis| low.get(axis) <= p.get(axis) && p.get(axis) <= high.get(axis))
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident, $scope:ident;)*) => {
        /// A force generator: one of the laws that come with the engine, or the user's own.
        #[non_exhaustive]
        pub enum GeneratorKind<D: Dim> {
            $($(#[doc = $doc])* $name($name<D>),)*
            /// The user's own.
            Own(Box<dyn Generator<D>>),
            /// A generator of the user's own in a restored world, before it was put in again with
            /// [`crate::World::attach_generator`]. It does nothing.
            Absent {
                /// Its name.
                name: String,
                /// What it saved.
                bytes: Vec<u8>,
            },
        }

        $(impl<D: Dim> From<$name<D>> for GeneratorKind<D> {
            fn from(law: $name<D>) -> Self {
                Self::$name(law)
            }
        })*

        impl<D: Dim> GeneratorKind<D> {
            /// The word for it in scene files and snapshots.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$name(_) => $name::<D>::NAME,)*
                    Self::Own(own) => own.name(),
                    Self::Absent { name, .. } => name,
                }
            }

            /// Ok, or the first field with an impossible value.
            pub fn validate(&self) -> Result<(), Error> {
                match self {
                    $(Self::$name(law) => law.validate(),)*
                    Self::Own(_) | Self::Absent { .. } => Ok(()),
                }
            }

            pub(crate) fn apply(&self, field: &mut ForceField<'_, D>) {
                match self {
                    $(Self::$name(law) => law.apply(field),)*
                    Self::Own(own) => own.apply(field),
                    Self::Absent { .. } => {}
                }
            }

            /// Which bodies it acts on; None: only those that it names itself, or nobody knows.
            pub(crate) fn scope(&self) -> Option<&Scope<D>> {
                match self {
                    $(Self::$name(law) => kinds!(@scope $scope law),)*
                    Self::Own(_) | Self::Absent { .. } => None,
                }
            }

            pub(crate) fn scope_mut(&mut self) -> Option<&mut Scope<D>> {
                match self {
                    $(Self::$name(law) => kinds!(@scope_mut $scope law),)*
                    Self::Own(_) | Self::Absent { .. } => None,
                }
            }
        }

        impl<D: Dim> core::fmt::Debug for GeneratorKind<D> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $(Self::$name(law) => law.fmt(f),)*
                    Self::Own(own) => write!(f, "Own({})", own.name()),
                    Self::Absent { name, .. } => write!(f, "Absent({name})"),
                }
            }
        }
    };
    (@scope scoped $law:ident) => { Some(&$law.scope) };
    (@scope named $law:ident) => {{ let _ = $law; None }};
    (@scope_mut scoped $law:ident) => { Some(&mut $law.scope) };
    (@scope_mut named $law:ident) => {{ let _ = $law; None }};
}

kinds! {
    /// The same acceleration everywhere.
    UniformGravity, scoped;
    /// A pull towards a point or a body.
    PointGravity, scoped;
    /// Every body pulls or pushes every other.
    Attraction, scoped;
    /// A spring with a damper.
    Spring, named;
    /// A torque on a body.
    Motor, named;
    /// A force on a body.
    Thruster, named;
    /// Moving air.
    Wind, scoped;
    /// Water below a plane.
    Buoyancy, scoped;
    /// A blast.
    Explosion, scoped;
    /// A whirl.
    Vortex, scoped;
}

impl<D: Dim> GeneratorKind<D> {
    /// Potential energy of the bodies in this field [J], for laws that have one.
    pub(crate) fn energy(&self, field: &mut ForceField<'_, D>) -> Option<Real> {
        match self {
            Self::UniformGravity(law) => Some(law.energy(field)),
            Self::PointGravity(law) => law.energy(field),
            Self::Attraction(law) => law.energy(field),
            Self::Spring(law) => Some(law.energy(field)),
            Self::Own(own) => own.energy(field),
            _ => None,
        }
    }

    pub(crate) fn varies(&self) -> Varies {
        match self {
            Self::PointGravity(law) if law.center.body_id().is_some() => Varies::WithBodies,
            Self::Attraction(_) => Varies::WithBodies,
            Self::Spring(law) if law.a.body_id().is_some() && law.b.body_id().is_some() => Varies::WithBodies,
            Self::Explosion(_) => Varies::WithTime,
            Self::Own(own) => own.varies(),
            _ => Varies::Never,
        }
    }

    /// Bodies that it names.
    pub(crate) fn named(&self) -> [Option<BodyId>; 2] {
        match self {
            Self::PointGravity(law) => [law.center.body_id(), None],
            Self::Spring(law) => [law.a.body_id(), law.b.body_id()],
            Self::Motor(law) => [Some(law.body), law.reaction],
            Self::Thruster(law) => [Some(law.body), None],
            _ => [None; 2],
        }
    }

    /// All bodies that it names: those it needs, and those on the list of its scope.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.named().into_iter().flatten().chain(self.listed().iter().copied())
    }

    /// The bodies on the list of its scope.
    pub(crate) fn listed(&self) -> &[BodyId] {
        self.scope().and_then(|scope| scope.bodies.as_deref()).unwrap_or_default()
    }

    /// Takes the body at `place` off the list of its scope; the last one takes its place and is returned, with where it was.
    pub(crate) fn strike(&mut self, place: u32) -> Option<(BodyId, u32)> {
        let bodies = self.scope_mut()?.bodies.as_mut()?;
        bodies.swap_remove(place as usize);
        bodies.get(place as usize).map(|&moved| (moved, bodies.len() as u32))
    }

    /// A body goes, and is on no list any more; false if the generator goes with it.
    pub(crate) fn forget(&mut self, body: BodyId) -> bool {
        match self {
            Self::Own(own) => own.forget(body),
            _ => !self.named().contains(&Some(body)),
        }
    }

    /// The end of a step; false if the generator has done its work.
    pub(crate) fn end_step(&mut self, dt: Real) -> bool {
        match self {
            Self::Explosion(law) => law.end_step(dt),
            Self::Own(own) => own.end_step(dt),
            _ => true,
        }
    }
}
