//! Force generators: objects of a world that push bodies in every sub-step.
//!
//! A generator is asked for forces by the integrator, once per evaluation of its scheme: `semi-implicit-euler` asks once per
//! sub-step, `rk4` four times. What it adds acts beside gravity and the forces that were applied by hand. **In**: places and
//! velocities of all bodies at the time of the evaluation, through a [`ForceField`]. **Out**: forces and torques on bodies that
//! are awake and dynamic; pushing others does nothing. **Order**: by slot of the generator, in one thread. **To add one**:
//! implement [`Generator`] and hand it to [`crate::World::add_own_generator`]; `examples/custom_generator.rs` is a
//! complete one. The laws that come with the engine are plain data, one file per family, collected in [`GeneratorKind`].

mod codec;
mod field;
mod flow;
mod gravity;
mod kind;
mod motor;
mod spring;
mod store;
mod vortex;
mod water;

pub use field::{ForceBody, ForceField};
pub use flow::{Explosion, Wind};
pub use gravity::{Attraction, Charge, PairLaw, PointGravity, UniformGravity};
pub use kind::{Anchor, GeneratorKind, Scope};
pub use motor::{Motor, Thruster};
pub use spring::Spring;
pub use store::Forces;
pub(crate) use store::{GeneratorRecord, Generators};
pub use vortex::Vortex;
pub use water::Buoyancy;

use crate::Error;
use crate::math::*;
use crate::store::{BodyId, Reader, Writer};

/// On what the forces of a generator depend while nobody changes it. Decides whether sleeping bodies are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Varies {
    /// On the place and velocity of the pushed body alone: one that sleeps goes on sleeping.
    Never,
    /// On other bodies too: sleepers are looked at in every step in which something is awake.
    WithBodies,
    /// On the time: sleepers are looked at in every step.
    WithTime,
}

/// A force generator of the user's own.
pub trait Generator<D: Dim>: Send + Sync {
    /// Name in snapshots: how a restored world is told which generator was there.
    fn name(&self) -> &'static str;

    /// Adds forces and torques to the field. Called several times per step; must depend on the generator and the field
    /// alone.
    fn apply(&self, field: &mut ForceField<'_, D>);

    /// On what the forces depend. Default: on the time, which is always safe.
    fn varies(&self) -> Varies {
        Varies::WithTime
    }

    /// Potential energy of the bodies in this field [J]; None if it has none. Default None.
    fn energy(&self, _field: &ForceField<'_, D>) -> Option<Real> {
        None
    }

    /// Called after each step of `dt` [s]; false removes the generator. Default true.
    fn end_step(&mut self, _dt: Real) -> bool {
        true
    }

    /// Called when a body is removed; false removes the generator with it. Default true.
    fn forget(&mut self, _body: BodyId) -> bool {
        true
    }

    /// Writes parameters and state, for snapshots and the state hash.
    fn save(&self, _out: &mut Writer) {}

    /// Reads what [`Self::save`] wrote.
    fn load(&mut self, _input: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}
