//! What a solver is given.

use crate::Settings;
use crate::body::{AwakeBodies, BodyProps, BodyState, NO_SLOT, clamp_spins};
use crate::contact::{ConstraintGraph, Contact, Grain};
use crate::exec::Executor;
use crate::force::Forces;
use crate::integrator::Integrator;
use crate::joint::Joint;
use crate::math::*;

/// One step's work for a solver.
pub struct SolverContext<'a, D: Dim> {
    /// Settings of the world.
    pub settings: &'a Settings<D>,
    /// Time to solve for [s]: the step, or a part of it for groups that are refined.
    pub dt: Real,
    /// Sub-steps to take in that time.
    pub substeps: u32,
    /// Time over which the impulses left in the contacts act [s]. A solver with sub-steps sets it to their length.
    pub impulse_time: Real,
    /// How many times shorter the sub-steps are than the settings say (no unit): a power of two, 1 for ordinary groups.
    pub refinement: Real,
    /// True for chains with a heavy load: a solver that can solves their joints all at once.
    pub is_direct: bool,
    /// True if only some of the constraints of the graph are to be solved: those of [`SolverContext::takes`].
    pub is_partial: bool,
    /// How fast overlaps may be pushed out at least [m/s], for solvers that are more careful where they are refined.
    pub least_push: Real,
    /// Where a solver that can refine reports constraints that carry much: see [`HeavyLoad`].
    pub loads: &'a mut Vec<HeavyLoad>,
    /// Awake bodies.
    pub bodies: &'a mut AwakeBodies<D>,
    /// All contacts, at their index; the graph says which ones count.
    pub contacts: &'a mut [Contact<D>],
    /// Grains of contacts, at their index; only those of contacts with `Contact::has_grain` mean anything.
    pub grains: &'a [Grain<D>],
    /// All joints, at their index; the graph says which ones count.
    pub joints: &'a mut [Joint<D>],
    /// Touching contacts and joints by colour.
    pub graph: &'a ConstraintGraph,
    /// Places of all bodies at the start of the step, by stable index: for partners that are not awake.
    pub places: &'a [Pose<D>],
    /// The force generators of the world; None if there are none.
    pub forces: Option<Forces<'a, D>>,
    /// The scheme of time integration.
    pub integrator: &'a dyn Integrator<D>,
    /// Threads.
    pub executor: &'a dyn Executor,
}

/// A constraint that carries many times the weight of the lighter one of its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeavyLoad {
    /// Its bodies, by stable index.
    pub bodies: [u32; 2],
    /// Force over the weight of the lighter body (no unit).
    pub ratio: Real,
    /// True if the ratio is that of the masses: a weight that will come to bear, not one that was measured.
    pub is_weight: bool,
    /// True for a joint.
    pub is_joint: bool,
}

impl<D: Dim> SolverContext<'_, D> {
    /// True if a constraint between these bodies (stable indices) belongs to this solve.
    #[inline]
    pub fn takes(&self, bodies: [u32; 2]) -> bool {
        !self.is_partial
            || bodies.into_iter().any(|body| {
                let slot = self.bodies.slot(body);
                slot != NO_SLOT && self.bodies.props[slot as usize].is_dynamic
            })
    }

    /// Advances the velocities of all bodies by `h` [s].
    pub fn integrate_velocities(&mut self, h: Real) {
        let mut block = self.bodies.block(self.settings);
        match &mut self.forces {
            None => self.integrator.integrate_velocities(&mut block, h),
            Some(forces) => {
                self.integrator.integrate_velocities_under(&mut block, forces, h);
                forces.advance(h);
            }
        }
    }

    /// Advances the positions of all bodies by `h` [s].
    pub fn integrate_positions(&mut self, h: Real) {
        clamp_spins(&mut self.bodies.states, &self.bodies.props, self.settings, h, |_, _| {});
        self.integrator.integrate_positions(&mut self.bodies.block(self.settings), h);
    }

    /// Indices of the contacts to solve, in solving order: overflow, then colour by colour.
    pub fn contact_order(&self) -> impl Iterator<Item = u32> + '_ {
        let colors = core::iter::once(self.graph.overflow()).chain(self.graph.colors());
        let contacts = colors.flat_map(|color| color.contacts.iter().copied());
        contacts.filter(|&index| self.takes(self.contacts[index as usize].bodies))
    }

    /// Indices of the joints to solve, in the same order.
    pub fn joint_order(&self) -> impl Iterator<Item = u32> + '_ {
        let colors = core::iter::once(self.graph.overflow()).chain(self.graph.colors());
        let joints = colors.flat_map(|color| color.joints.iter().copied());
        joints.filter(|&index| self.takes(self.joints[index as usize].bodies))
    }

    /// Slots of the two bodies of a contact; [`NO_SLOT`] for one that the solver does not move.
    #[inline]
    pub fn slots(&self, contact: &Contact<D>) -> [u32; 2] {
        contact.bodies.map(|body| self.bodies.slot(body))
    }

    /// Place of the body with stable index `body` at the start of the step.
    #[inline]
    pub fn place(&self, body: u32) -> &Pose<D> {
        &self.places[body as usize]
    }

    /// State and constants of a slot; an unmoving body at rest for [`NO_SLOT`].
    #[inline]
    pub fn body(&self, slot: u32) -> (BodyState<D>, BodyProps<D>) {
        if slot == NO_SLOT {
            return (BodyState::default(), BodyProps::default());
        }
        (self.bodies.states[slot as usize], self.bodies.props[slot as usize])
    }

    /// Adds the impulse (`linear` [N·s], `angular` [N·m·s]) to the velocity of a slot. Bodies that are not dynamic ignore it.
    #[inline]
    pub fn push(&mut self, slot: u32, linear: D::Vec, angular: D::Ang) {
        if slot == NO_SLOT {
            return;
        }
        let props = &self.bodies.props[slot as usize];
        if !props.is_dynamic {
            return;
        }
        let state = &mut self.bodies.states[slot as usize];
        state.v += props.linear_response(linear);
        state.w += props.inv_inertia.apply(angular);
    }
}
