//! Solvers: from contacts and joints to velocities and positions at the end of the step.
//!
//! **In**: awake bodies, touching contacts and joints in their colours, the integrator. **Out**: new velocities, `dp`,
//! `dr` and orientations of the bodies, impulses in the contacts. **Writes** nothing else. **Must** call the integrator
//! for all bodies so that together its calls advance them by `dt`. **Order**: overflow first, then the colours; within a
//! colour any order. **To add one**: implement [`Solver`], pass `tests/it/conformance/solver.rs`.

mod baumgarte;
mod context;
mod grain;
mod prepare;
pub mod soft_step;

pub use baumgarte::SolverBaumgarte;
pub use context::{HeavyLoad, SolverContext};
pub use prepare::{ContactRow, NormalRow, prepare_contact};
pub(crate) use soft_step::{Heavy, REST_STEPS, Softness};
pub use soft_step::{SimdWidth, SolverSoftStep};

use crate::Error;
use crate::math::*;
use crate::store::{Reader, Writer};

/// A method of resolving contacts and joints.
pub trait Solver<D: Dim>: Send + Sync {
    /// Name in scene files, flags and profiles.
    fn name(&self) -> &'static str;

    /// Advances the awake bodies by one step. Called once per step.
    fn solve(&mut self, context: &mut SolverContext<'_, D>);

    /// So many awake bodies are to be expected, and about so many pairs, of which so many touch: memory that is asked for now need not be
    /// in the next step. Called as bodies are created, now and then. Default: nothing.
    fn expect(&mut self, _bodies: usize, _pairs: usize, _touching: usize) {}

    /// True if impulses and `impulse_time` are finite after every solve, normal impulses not negative. Otherwise the world looks at
    /// what was left in contacts and joints, and clears those with impossible numbers, so that they poison neither the next step nor
    /// a snapshot. Bodies are looked at in any case. Default false.
    fn leaves_finite(&self) -> bool {
        false
    }

    /// True if towers at rest may be left to statics (`Settings::statics`): the solver does not see them then. Default false.
    fn leaves_standing(&self) -> bool {
        false
    }

    /// Writes state that lives from step to step; impulses live in the contacts. Most solvers have none.
    fn save(&self, _out: &mut Writer) {}

    /// Reads what [`Self::save`] wrote.
    fn load(&mut self, _input: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }
}
