//! A running scene: the world, the director, the expectations.
//!
//! One [`Simulation::step`] is: what the director has for this moment → the engine steps → expectations look.

mod actions;
mod expect;
mod forces;
mod joints;
mod merge;
mod query;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, RwLock};

use smol_str::SmolStr;
use topple::{BodyId, D2, D3, World};

pub use expect::Outcome;
pub use forces::ForceInfo;
pub use joints::JointInfo;

use crate::Expander;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::lower::{self, Meshes, Space};
use crate::model::{Event, Look, Pose, Query, Scene, Schedule, Target, Vec3};
use crate::span::Span;

/// A scene that runs, in either dimension.
pub enum Simulation {
    /// In the plane.
    Two(Box<Run<D2>>),
    /// In space.
    Three(Box<Run<D3>>),
}

/// Calls the same method in both dimensions.
macro_rules! each {
    ($self:expr, $run:ident => $body:expr) => {
        match $self {
            Simulation::Two($run) => $body,
            Simulation::Three($run) => $body,
        }
    };
}

impl Simulation {
    /// Builds the world of a scene. What the engine refuses is in [`Simulation::diagnostics`]; the rest runs.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        if scene.world.dimension == 2 {
            Self::Two(Box::new(Run::new(scene)))
        } else {
            Self::Three(Box::new(Run::new(scene)))
        }
    }

    /// One step of the scene. Does nothing once the director has said stop.
    pub fn step(&mut self) {
        each!(self, run => run.step());
    }

    /// Runs a number of steps, or until the director says stop; how many were taken.
    pub fn run(&mut self, steps: u64) -> u64 {
        let before = self.steps();
        for _ in 0..steps {
            if self.is_stopped() {
                break;
            }
            self.step();
        }
        self.steps() - before
    }

    /// Steps taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        each!(self, run => run.steps)
    }

    /// Whether the director has said stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        each!(self, run => run.stopped)
    }

    /// What went wrong while building and running.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        each!(self, run => &run.diagnostics)
    }

    /// The expectations as they stand; call after the last step, with whether the run is over.
    pub fn outcomes(&mut self, over: bool) -> Vec<Outcome> {
        each!(self, run => run.outcomes(over))
    }

    /// Value of a formula now, one number per body where it speaks of several.
    #[must_use]
    pub fn value(&self, query: &Query) -> Vec<f64> {
        each!(self, run => run.evaluate(query).numbers())
    }

    /// Hash of the exact state.
    #[must_use]
    pub fn hash(&self) -> u64 {
        each!(self, run => run.world.state_hash())
    }
}

/// What the scene knows of a body that the engine does not.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Its id in the engine.
    pub id: BodyId,
    /// Full name.
    pub name: Option<SmolStr>,
    /// Full name of its group.
    pub group: Option<SmolStr>,
    /// Looks of its shapes, in order.
    pub looks: Vec<Look>,
    /// Whether it still exists.
    pub exists: bool,
    /// Whether it is dynamic: `all` means these.
    pub dynamic: bool,
    /// Where it was when it came into the world [m].
    start: Vec3,
    /// The direction in its frame that was up then.
    up: Vec3,
    /// Its frame then.
    frame: Pose,
}

fn counts_turns(scene: &Scene) -> bool {
    let conditions = scene.expectations.iter().flat_map(|expectation| &expectation.conditions);
    let whens = scene.events.iter().filter_map(|event| match &event.schedule {
        Schedule::When(condition) => Some(condition),
        _ => None,
    });
    conditions.chain(whens).any(joints::asks_for_turns)
}

impl BodyInfo {
    /// Where its centre was when it came into the world [m].
    #[must_use]
    pub fn start(&self) -> Vec3 {
        self.start
    }
}

/// Pairs that do not collide, shared with the engine's filter.
type Ignored = Arc<RwLock<HashSet<(BodyId, BodyId)>>>;

/// A scene that runs in one dimension.
pub struct Run<D: Space> {
    /// The engine's world.
    pub world: World<D>,
    /// Every body there ever was, in order of creation; a body's user data is its index here.
    pub bodies: Vec<BodyInfo>,
    /// Every joint there ever was, in order of creation; a joint's user data is its index here.
    pub joints: Vec<JointInfo>,
    /// The body without shapes that joints to the world hang on, once there is one.
    ground: Option<BodyId>,
    /// Whether an expectation or event asks for turns.
    counts_turns: bool,
    names: HashMap<SmolStr, usize>,
    /// Generators that the scene has added and nobody has removed by name.
    forces: Vec<ForceInfo>,
    events: Vec<Event>,
    fired: Vec<bool>,
    expander: Expander,
    expectations: Vec<expect::Watch>,
    drag: Vec3,
    meshes: Meshes,
    ignored: Ignored,
    /// Bodies that are part of another now.
    merged: HashMap<usize, merge::Merged<D>>,
    steps: u64,
    stopped: bool,
    limits: Limits,
    /// An event wanted more than the limits allow.
    is_full: bool,
    /// Where what is being carried out was written.
    here: Span,
    diagnostics: Diagnostics,
}

impl<D: Space> Run<D> {
    /// Builds the world of a scene.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let (world, refused) = lower::world::<D>(&scene.world);
        let limits = Limits::default();
        let mut run = Self {
            world,
            bodies: Vec::with_capacity(scene.bodies.len()),
            joints: Vec::with_capacity(scene.joints.len()),
            ground: None,
            counts_turns: counts_turns(scene),
            names: HashMap::new(),
            forces: Vec::new(),
            events: scene.events.clone(),
            fired: vec![false; scene.events.len()],
            expander: Expander::new(scene, limits.clone()),
            limits: limits.clone(),
            expectations: Vec::new(),
            drag: lower::world_drag(&scene.world),
            meshes: Meshes::default(),
            ignored: Ignored::default(),
            merged: HashMap::new(),
            steps: 0,
            stopped: false,
            is_full: false,
            here: Span::default(),
            diagnostics: Diagnostics::new(limits.diagnostics),
        };
        for (key, reason) in refused {
            // One that nobody wrote is a default of the scene; the key tells several of them apart.
            let span = scene.world.places.get(key).unwrap_or_default();
            run.diagnostics.push(Diagnostic::error("setting", span, reason).detail(key));
        }
        for body in &scene.bodies {
            run.add_body(body);
        }
        for joint in &scene.joints {
            run.add_joint(joint);
        }
        for ignore in &scene.ignores {
            run.ignore(&ignore.a, &ignore.b);
        }
        for force in &scene.forces {
            run.add_force(force);
        }
        run.watch(&scene.expectations);
        run
    }

    /// One step.
    pub fn step(&mut self) {
        if self.stopped {
            return;
        }
        self.direct();
        if self.stopped {
            return;
        }
        self.world.step();
        self.steps += 1;
        self.count_overloads();
        self.count_turns();
        self.check_expectations();
    }

    /// Bodies of the scene that exist.
    #[must_use]
    pub fn body_count(&self) -> usize {
        self.world.body_count() - usize::from(self.ground.is_some())
    }

    /// Whether this is the body without shapes that stands for the world where joints hang on it.
    #[must_use]
    pub fn is_ground(&self, id: BodyId) -> bool {
        self.ground == Some(id)
    }

    /// What the director has for this moment.
    fn direct(&mut self) {
        let dt = f64::from(self.world.settings().dt);
        for index in 0..self.events.len() {
            let occurrence = match &self.events[index].schedule {
                Schedule::When(_) if self.fired[index] => None,
                Schedule::When(condition) => self.evaluate(condition).holds().then_some(0),
                schedule => schedule.occurrence(self.steps, dt),
            };
            let Some(occurrence) = occurrence else { continue };
            self.fired[index] = true;
            self.here = self.events[index].span;
            let fired = self.expander.fire(&self.events[index], occurrence);
            for found in fired.diagnostics.iter() {
                self.diagnostics.push(found.clone());
            }
            for action in fired.actions {
                self.act(action);
            }
        }
    }

    /// Indices of the bodies that a target means and that still exist.
    fn find(&self, target: &Target) -> Vec<usize> {
        if let Target::Named(name) = target
            && let Some(index) = self.names.get(name)
            && self.bodies[*index].exists
        {
            return vec![*index];
        }
        let meant = |body: &BodyInfo| match target {
            Target::All => body.dynamic,
            Target::Named(_) => target.matches(body.name.as_deref(), body.group.as_deref()),
        };
        let indices = self.bodies.iter().enumerate().filter(|(_, body)| body.exists && meant(body));
        indices.map(|(index, _)| index).collect()
    }

    fn find_all(&self, targets: &[Target]) -> Vec<usize> {
        let mut indices: Vec<usize> = targets.iter().flat_map(|target| self.find(target)).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}
