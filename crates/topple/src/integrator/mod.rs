//! Integrators: how velocities follow from forces, and positions from velocities.
//!
//! A solver calls the integrator twice in each of its sub-steps: velocities first, then constraints act on them, then
//! positions. **Writes** only the block it is given. **To add one**: implement [`Integrator`].
//!
//! `semi-implicit-euler` is one file and fits that order by nature. The others decide the free motion of the whole sub-step in the
//! first call and keep it in double precision: read `track.rs` for how they live with constraints, `flight.rs` for
//! rotations, then one file per scheme. `matrix.rs` turns bodies the old way, if `Settings::matrix_rotation` wants to see it.

mod explicit_euler;
mod flight;
mod matrix;
mod midpoint;
mod rk4;
mod semi_implicit_euler;
mod track;
mod verlet;

pub use explicit_euler::IntegratorExplicitEuler;
pub use midpoint::IntegratorMidpoint;
pub use rk4::IntegratorRk4;
pub use semi_implicit_euler::IntegratorSemiImplicitEuler;
pub use track::Track;
pub use verlet::IntegratorVerlet;

use crate::body::{AwakeBodies, BodyBlock};
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// A scheme of time integration.
pub trait Integrator<D: Dim>: Send + Sync {
    /// Name in scene files, flags and profiles.
    fn name(&self) -> &'static str;

    /// Advances the velocities of the block by `h` [s] under the accelerations of its bodies. May be called for several
    /// blocks at once from different threads.
    fn integrate_velocities(&self, block: &mut BodyBlock<'_, D>, h: Real);

    /// The same for all awake bodies at once, where force generators act. By default they are asked once, at the start, and
    /// what they give is added to the accelerations of the block. Schemes of higher order ask as often as they need.
    fn integrate_velocities_under(&self, block: &mut BodyBlock<'_, D>, forces: &mut Forces<'_, D>, h: Real) {
        forces.with_accelerations(block, |block| self.integrate_velocities(block, h));
    }

    /// Advances `dp`, `dr` and the orientations of the block by `h` [s] with the current velocities. May be called for
    /// several blocks at once.
    fn integrate_positions(&self, block: &mut BodyBlock<'_, D>, h: Real);

    /// Called before the solve of each step, with all awake bodies. Most schemes need no preparation.
    fn begin_step(&mut self, _bodies: &mut AwakeBodies<D>, _settings: &Settings<D>) {}

    /// Called after the solve of each step, before places and velocities go back to the world.
    fn end_step(&mut self, _bodies: &mut AwakeBodies<D>) {}

    /// Writes state that lives from step to step. Most schemes have none.
    fn save(&self, _out: &mut Writer) {}

    /// Reads what [`Self::save`] wrote.
    fn load(&mut self, _input: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}
