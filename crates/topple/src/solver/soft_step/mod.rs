//! `soft-step`, the default: sub-steps with soft contacts, coloured, wide and parallel.
//!
//! ```text
//! prepare bodies, prepare rows
//! impacts                     (contacts that strike and bounce)
//! trains                      (bodies in a row that are struck and stick)
//! repeat `substeps` times with h = dt / substeps:
//!     integrate velocities
//!     warm start              (first sub-step: impulses of the last step; later ones: by extrapolation)
//!     solve                   (normals, with bias: overlaps are pushed out; then friction)
//!     integrate positions
//!     relax                   (normals without bias: takes the push velocity back)
//! store impulses
//! ```
//!
//! Sub-steps instead of iterations, because the error of a step falls with h² [Macklin2019]; soft instead of rigid
//! contacts, because a bounded push does not overshoot and does not depend on the order of the rows [Catto2011].
//!
//! **Warm start by extrapolation.** With Jacobians frozen over the step, what all impulses of a sub-step did to a body is
//! W = v_end − v_(after integration). The next warm start would add exactly W again, so it is added body by body, and
//! the rows are not touched: three of four warm-start sweeps disappear.
//!
//! **Friction before the bodies move.** Pushing a tilted contact out also pushes sideways. If friction waits for the relaxing pass, the
//! bodies have already gone that way, step after step, and a pyramid creeps apart. So friction comes right after the push. It
//! needs no second turn: at rest the relaxing pass changes nothing along the surfaces.
//!
//! **Files**, in the order of a step: `step.rs` the whole of it, `pack.rs` the bodies, `plan.rs` colours to rows and the order of the stages,
//! `rows.rs` the layout, `flat.rs` and `prepare.rs` manifolds to rows, `softness.rs` how soft, `impacts.rs` what bounces, `joined.rs` what is joined to it, `trains.rs` rows that are struck and stick, `coupling.rs` one of them, `landings.rs` what strikes the ground and sticks, `spinners.rs` what precesses before that, `stages.rs` the stages of a sub-step,
//! `velocities.rs` what goes in, `turning.rs` what comes out, and bodies that turn far in a step, `dispatch.rs` rows by width, `kernel.rs` the passes with their formulas, `normals.rs` the points of a
//! manifold, `rolling.rs` rolling resistance and grains, `joints/` the joints, `store.rs` rows back to manifolds, `heavy.rs` who bears much, `cost.rs` operations and bytes.
//! The arithmetic of the lanes is `trusted/lanes.rs`; why threads may share the bodies is said in `trusted/crowd.rs`.

mod cost;
mod coupling;
mod dispatch;
mod flat;
mod heavy;
mod impacts;
mod joined;
mod joints;
mod kernel;
mod landings;
mod normals;
mod pack;
mod plan;
mod prepare;
mod rolling;
pub(crate) mod rows;
mod softness;
mod spinners;
mod stages;
mod step;
mod store;
mod trains;
mod turning;
mod velocities;

pub(crate) use crate::trusted::lanes;
pub use crate::trusted::lanes::SimdWidth;
pub use cost::{PassCost, SubstepCost};
pub(crate) use heavy::Heavy;
pub(crate) use impacts::REST_STEPS;
pub(crate) use softness::Softness;
pub use step::SoftDim;

use super::{Solver, SolverContext};
use crate::math::*;

/// Sub-stepped soft constraints.
#[derive(Debug)]
pub struct SolverSoftStep<D: Dim> {
    core: D::Core,
    joints: joints::JointRows<D>,
    width: SimdWidth,
}

impl<D: Dim> Default for SolverSoftStep<D> {
    fn default() -> Self {
        Self::with_width(SimdWidth::best())
    }
}

impl<D: Dim> SolverSoftStep<D> {
    /// With a given width of instructions, for tests and comparisons; falls back to one lane where the machine lacks it.
    pub fn with_width(width: SimdWidth) -> Self {
        let width = if width.is_available() { width } else { SimdWidth::Scalar };
        Self { core: D::Core::default(), joints: joints::JointRows::default(), width }
    }
}

impl<D: Dim> Solver<D> for SolverSoftStep<D> {
    fn name(&self) -> &'static str {
        "soft-step"
    }

    fn expect(&mut self, bodies: usize, pairs: usize, touching: usize) {
        D::expect(&mut self.core, bodies, [pairs, touching]);
    }

    fn leaves_finite(&self) -> bool {
        true
    }

    fn leaves_standing(&self) -> bool {
        true
    }

    fn solve(&mut self, context: &mut SolverContext<'_, D>) {
        D::soft_solve(&mut self.core, &mut self.joints, context, self.width);
    }
}
