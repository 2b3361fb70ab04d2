//! The methods of a world, one per stage, and the registry that finds them by name.

use super::World;
use crate::Error;
use crate::broad_phase::BroadPhase;
use crate::integrator::{
    Integrator, IntegratorExplicitEuler, IntegratorMidpoint, IntegratorRk4, IntegratorSemiImplicitEuler,
    IntegratorVerlet,
};
use crate::math::*;
use crate::narrow_phase::{NarrowPhase, NarrowPhaseAuto, NarrowPhaseGjk, NarrowPhaseSat};
use crate::solver::{Solver, SolverBaumgarte, SolverSoftStep};

/// The method of every stage that has a choice.
pub struct Methods<D: Dim> {
    pub(crate) integrator: Box<dyn Integrator<D>>,
    pub(crate) broad_phase: Box<dyn BroadPhase<D>>,
    pub(crate) narrow_phase: Box<dyn NarrowPhase<D>>,
    pub(crate) solver: Box<dyn Solver<D>>,
}

/// A method that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Stage: `integrator`, `broad phase`, `narrow phase`, `solver`.
    pub stage: &'static str,
    /// Name in scene files and flags.
    pub name: &'static str,
    /// True for the default of its stage.
    pub is_default: bool,
    /// One line on what it is.
    pub summary: &'static str,
}

/// Builds a method.
type Make<T> = fn() -> Box<T>;

/// A registry of one stage: name, summary, constructor; the first one is the default.
type Registry<T> = &'static [(&'static str, &'static str, Make<T>)];

fn integrators<D: Dim>() -> Registry<dyn Integrator<D>> {
    &[
        ("semi-implicit-euler", "first order, symplectic; the default of games", || {
            Box::new(IntegratorSemiImplicitEuler)
        }),
        ("explicit-euler", "first order; gains energy, for comparison", || {
            Box::<IntegratorExplicitEuler<D>>::default()
        }),
        ("verlet", "second order, symplectic; velocity Verlet", || Box::<IntegratorVerlet<D>>::default()),
        ("rk4", "fourth order; classical Runge-Kutta, four evaluations", || {
            Box::<IntegratorRk4<D>>::default()
        }),
        ("midpoint", "second order, implicit; keeps energy and angular momentum of free bodies", || {
            Box::<IntegratorMidpoint<D>>::default()
        }),
    ]
}

fn broad_phases<D: Dim>() -> Registry<dyn BroadPhase<D>> {
    crate::broad_phase::all::<D>()
}

fn narrow_phases<D: Dim>() -> Registry<dyn NarrowPhase<D>> {
    &[
        ("auto", "the best contact function for each pair of shapes, with recycling", || {
            Box::new(NarrowPhaseAuto)
        }),
        ("sat", "separating axes and clipping for every pair of shapes", || Box::new(NarrowPhaseSat)),
        ("gjk", "closest points by GJK and EPA for every pair of shapes", || Box::new(NarrowPhaseGjk)),
    ]
}

fn solvers<D: Dim>() -> Registry<dyn Solver<D>> {
    &[
        ("soft-step", "sub-steps with soft contacts, wide and parallel", || {
            Box::<SolverSoftStep<D>>::default()
        }),
        ("baumgarte", "sequential impulses with position bias; the plain reference", || {
            Box::<SolverBaumgarte<D>>::default()
        }),
    ]
}

fn find<T: ?Sized>(kind: &'static str, registry: Registry<T>, name: &str) -> Result<Box<T>, Error> {
    match registry.iter().find(|(known, ..)| *known == name) {
        Some((_, _, make)) => Ok(make()),
        None => {
            let known = registry.iter().map(|(known, ..)| *known).collect::<Vec<_>>().join(", ");
            Err(Error::UnknownName { kind, name: name.into(), known })
        }
    }
}

fn list<T: ?Sized>(stage: &'static str, registry: Registry<T>, out: &mut Vec<MethodInfo>) {
    for (i, &(name, summary, _)) in registry.iter().enumerate() {
        out.push(MethodInfo { stage, name, is_default: i == 0, summary });
    }
}

impl<D: Dim> Methods<D> {
    /// The default of every stage.
    pub(crate) fn new() -> Self {
        Self {
            integrator: integrators::<D>()[0].2(),
            broad_phase: broad_phases::<D>()[0].2(),
            narrow_phase: narrow_phases::<D>()[0].2(),
            solver: solvers::<D>()[0].2(),
        }
    }

    /// Every method that can be chosen by name, stage by stage, defaults first.
    pub fn all() -> Vec<MethodInfo> {
        let mut out = Vec::new();
        list("integrator", integrators::<D>(), &mut out);
        list("broad phase", broad_phases::<D>(), &mut out);
        list("narrow phase", narrow_phases::<D>(), &mut out);
        list("solver", solvers::<D>(), &mut out);
        out
    }

    /// Name of the integrator.
    pub fn integrator(&self) -> &'static str {
        self.integrator.name()
    }

    /// Name of the broad phase.
    pub fn broad_phase(&self) -> &'static str {
        self.broad_phase.name()
    }

    /// Name of the narrow phase.
    pub fn narrow_phase(&self) -> &'static str {
        self.narrow_phase.name()
    }

    /// Name of the solver.
    pub fn solver(&self) -> &'static str {
        self.solver.name()
    }
}

impl<D: Dim> core::fmt::Debug for Methods<D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let names = [self.integrator(), self.broad_phase(), self.narrow_phase(), self.solver()];
        f.debug_list().entries(names).finish()
    }
}

impl<D: Dim> World<D> {
    /// The methods in use.
    pub fn methods(&self) -> &Methods<D> {
        &self.methods
    }

    /// Chooses the integrator by name; an unknown name changes nothing.
    pub fn set_integrator_by_name(&mut self, name: &str) -> Result<(), Error> {
        self.methods.integrator = find("integrator", integrators::<D>(), name)?;
        Ok(())
    }

    /// Chooses the broad phase by name; an unknown name changes nothing.
    pub fn set_broad_phase_by_name(&mut self, name: &str) -> Result<(), Error> {
        self.methods.broad_phase = find("broad phase", broad_phases::<D>(), name)?;
        self.methods.broad_phase.attach(&self.proxies);
        Ok(())
    }

    /// Chooses the narrow phase by name; an unknown name changes nothing.
    pub fn set_narrow_phase_by_name(&mut self, name: &str) -> Result<(), Error> {
        self.methods.narrow_phase = find("narrow phase", narrow_phases::<D>(), name)?;
        Ok(())
    }

    /// Chooses the solver by name; an unknown name changes nothing.
    pub fn set_solver_by_name(&mut self, name: &str) -> Result<(), Error> {
        self.methods.solver = find("solver", solvers::<D>(), name)?;
        Ok(())
    }
}
