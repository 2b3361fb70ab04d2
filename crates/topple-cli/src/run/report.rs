//! Everything there is to say at the end, and the JSON object of the contract.

use super::Watch;
use crate::failure::{Failure, Outcome};
use crate::measure::{self, Energy, Momentum};
use crate::session::{Session, each};
use serde_json::{Map, Value, json};
use topple::BodyKind;
use topple::world::Counters;
use topple_scene::run::Outcome as Expectation;

/// The end of a run.
pub(crate) struct Report {
    pub title: String,
    pub scene: String,
    pub dimension: u8,
    pub asked: u64,
    pub interrupted: bool,
    pub stopped: bool,
    pub first: u64,
    pub dt: f64,
    pub threads: usize,
    pub bodies: usize,
    pub dynamic: usize,
    pub awake: usize,
    pub methods: [(&'static str, &'static str); 4],
    pub wall: f64,
    pub watch: Watch,
    pub counters: Counters,
    pub energy: Energy,
    pub momentum: Momentum,
    pub errors: usize,
    pub warnings: usize,
    pub faults: usize,
    pub expectations: Vec<Expectation>,
    pub hash: u64,
}

impl Report {
    pub(super) fn new(session: &mut Session, watch: Watch, asked: u64, interrupted: bool) -> Self {
        let wall = watch.wall();
        // A continued world does not know what was seen before.
        let expectations =
            if session.first == 0 { session.simulation.outcomes(!interrupted) } else { Vec::new() };
        each!(&session.simulation, run => {
            let world = &run.world;
            let methods = world.methods();
            let bodies = world.body_ids().filter_map(|id| world.body(id).ok());
            Self {
                title: session.title(),
                scene: session.name.clone(),
                dimension: session.scene.dimension(),
                asked,
                interrupted,
                stopped: session.simulation.is_stopped(),
                first: session.first,
                dt: step_time(session.scene.world.dt, world.settings().dt),
                threads: session.threads,
                bodies: run.body_count(),
                dynamic: bodies.filter(|body| body.kind() == BodyKind::Dynamic).count(),
                awake: world.awake_count(),
                methods: [
                    ("integrator", methods.integrator()),
                    ("broad_phase", methods.broad_phase()),
                    ("narrow_phase", methods.narrow_phase()),
                    ("solver", methods.solver()),
                ],
                wall,
                counters: world.profile().counters,
                energy: measure::energy(world),
                momentum: measure::momentum(world),
                errors: session.errors,
                warnings: session.warnings,
                faults: watch.faults,
                expectations,
                hash: world.state_hash(),
                watch,
            }
        })
    }

    /// The object of `--json`.
    pub(super) fn json(&self) -> Outcome<String> {
        let statistics = &self.watch.statistics;
        let methods: Map<_, _> =
            self.methods.iter().map(|(stage, name)| ((*stage).into(), Value::from(*name))).collect();
        let stages: Map<_, _> =
            statistics.stages().iter().map(|(name, ms)| ((*name).into(), Value::from(*ms))).collect();
        let object = json!({
            "scene": self.scene,
            "dimension": self.dimension,
            "frames": self.watch.steps,
            "dt": self.dt,
            "threads": self.threads,
            "bodies": self.bodies,
            "awake": self.awake,
            "methods": methods,
            "wall_s": self.wall,
            "step_ms": {
                "mean": statistics.mean(),
                "p50": statistics.percentile(0.5),
                "p99": statistics.percentile(0.99),
                "max": statistics.max(),
            },
            "stage_ms": stages,
            "pairs": self.counters.pairs,
            "contacts": self.counters.contacts,
            "islands": self.counters.islands,
            "energy": {
                "kinetic": self.energy.kinetic,
                "potential": self.energy.potential,
                "total": self.energy.total(),
                "initial_total": self.watch.initial.total(),
            },
            "momentum": self.momentum.linear,
            "angular_momentum": self.momentum.angular,
            "max_penetration": exact(self.watch.max_overlap),
            "scene_errors": self.errors,
            "hash": format!("{:016x}", self.hash),
        });
        let text = serde_json::to_string_pretty(&object)
            .map_err(|error| Failure::cannot(format_args!("cannot write JSON: {error}")))?;
        Ok(text + "\n")
    }
}

/// Time of a step as it was written; as the engine has it, if something changed it since.
fn step_time(written: f64, current: f32) -> f64 {
    if written as f32 == current { written } else { exact(current) }
}

/// The double with the same shortest digits, so that 0.1 is printed as 0.1.
fn exact(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}
