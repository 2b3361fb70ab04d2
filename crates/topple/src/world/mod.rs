//! The world: everything that exists, and the step that moves it on. Start reading at `step.rs`.

mod arrange;
mod bodies;
mod body_view;
mod chains;
mod compound;
mod contacts;
mod driven;
mod events;
mod finalize;
mod foresee;
mod gather;
mod generators;
mod ghosts;
mod hits;
mod hold;
mod hooks;
mod impulses;
mod joint_defs;
mod joint_view;
mod joints;
mod landing;
mod lean;
mod leaning;
mod ledger;
mod links;
mod methods;
mod pairs;
mod parts;
mod passive;
mod pinned;
mod profile;
mod query;
mod refine;
mod room;
mod shape_query;
mod shapes;
mod sleep;
mod small_steps;
mod snapshot;
mod snapshot_bodies;
mod snapshot_contacts;
mod snapshot_joints;
mod snapshot_shapes;
mod spread;
mod statics;
mod step;
mod structure;
mod validate;

pub use body_view::{Body, BodyMut};
pub use compound::Part;
pub use events::{BodyFault, ContactEvent, Events, HitEvent, JointEvent, SensorEvent};
pub use hooks::{PairFilter, PreSolve, PreSolveHook};
pub use joint_view::{JointMut, JointView};
pub use links::ContactView;
pub use methods::{MethodInfo, Methods};
pub use pinned::Pinned;
pub use profile::{Counters, Profile, STAGES, Stage};
pub use query::{PointHit, QueryFilter, Ray, RayHit};
pub use shape_query::ShapeHit;
pub use shapes::ShapeView;
pub use snapshot::OwnMethods;

use crate::Error;
use crate::body::{AwakeBodies, Bodies};
use crate::broad_phase::{BroadPhase, PairKey, Proxies};
use crate::contact::{ConstraintGraph, Contacts};
use crate::exec::{Executor, Serial};
use crate::integrator::Integrator;
use crate::island::Islands;
use crate::math::*;
use crate::narrow_phase::NarrowPhase;
use crate::settings::Settings;
use crate::shape::{ShapeDef, ShapeRecord};
use crate::solver::Solver;
use crate::store::{IndexList, Slots};
use std::sync::Arc;

/// A world of rigid bodies in dimension `D`. See [`crate::World2`] and [`crate::World3`].
///
/// ```
/// use topple::{BodyDef2, Shape2, Vec2, World2};
/// let mut world = World2::new();
/// let ground = world.create_body(BodyDef2::fixed([0.0, 0.0]))?;
/// world.add_shape(ground, Shape2::half_plane(Vec2::Y, 0.0))?;
/// let ball = world.create_body(BodyDef2::dynamic([0.0, 3.0]))?;
/// world.add_shape(ball, Shape2::circle(0.5))?;
/// for _ in 0..120 {
///     world.step();
/// }
/// assert!((world.body(ball)?.position().y - 0.5).abs() < 0.01);
/// # Ok::<(), topple::Error>(())
/// ```
pub struct World<D: Dim> {
    pub(crate) settings: Settings<D>,
    /// Steps since the beginning.
    pub(crate) step_count: u64,
    /// Simulated time [s].
    pub(crate) time: f64,
    pub(crate) bodies: Bodies<D>,
    pub(crate) shapes: Slots<ShapeRecord<D>>,
    pub(crate) proxies: Proxies<D>,
    /// Proxies whose fat box changed since the last search for pairs.
    pub(crate) moved: IndexList,
    pub(crate) contacts: Contacts<D>,
    pub(crate) graph: ConstraintGraph,
    pub(crate) islands: Islands,
    /// Contacts in which an awake body leans on a sleeping one.
    pub(crate) leaning: IndexList,
    /// Touching contacts whose shapes want persist or hit events.
    pub(crate) watched: IndexList,
    /// Bodies that may have lost their hold since the last step: see `hold.rs`.
    pub(crate) released: IndexList,
    /// A body of each island that was put together at rest in the last step: see `foresee.rs`.
    pub(crate) built: IndexList,
    pub(crate) joints: crate::joint::Joints<D>,
    pub(crate) generators: crate::force::Generators<D>,
    /// Time over which the stored impulses act [s]; set by the solver.
    pub(crate) impulse_time: Real,
    pub(crate) methods: Methods<D>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) hooks: hooks::Hooks<D>,
    pub(crate) events: Events<D>,
    pub(crate) profile: Profile,
    /// The last queries, if they are recorded. Not part of the state.
    pub(crate) query_log: Option<crate::query_log::QueryLog<D>>,
    pub(crate) scratch: Scratch<D>,
}

/// Buffers that live from step to step so that a settled step allocates nothing. Not part of the state.
#[derive(Default)]
pub(crate) struct Scratch<D: Dim> {
    /// Awake bodies for which there is room; see `room.rs`.
    pub ready: usize,
    pub awake: AwakeBodies<D>,
    pub arrange: arrange::Arrange,
    /// The constraints of a group that takes small steps; which bodies they have is not kept.
    pub part: ConstraintGraph,
    pub moved: Vec<u32>,
    pub pairs: Vec<PairKey>,
    /// Contacts that were made in one go while there were no others.
    pub drafted_alone: usize,
    /// How many pairs of each piece are new.
    pub kept: Vec<usize>,
    /// What each batch of the narrow phase found.
    pub changes: Vec<contacts::BatchResult<D>>,
    pub changed: Vec<u32>,
    /// New contacts between bodies of which none is awake, if they are to be computed.
    pub asleep: Vec<u32>,
    /// Contacts made for parts in this step, then all that may not be there.
    pub new_parts: Vec<u32>,
    /// Parts of pairs for which there is no contact yet: head, manifold.
    pub extra: Vec<(u32, crate::narrow_phase::LocalManifold<D>)>,
    /// Per block of bodies: what finalising found.
    pub finals: Vec<finalize::BlockResult<D>>,
    pub approach: Vec<hits::Approach<D>>,
    pub continuous: crate::continuous::Scratch<D>,
    /// Bodies that are deep in something that cannot be pushed, one or more times each.
    pub deep: Vec<u32>,
    /// Bodies that have a new contact deep in something that cannot be pushed, one or more times each, and what is put in the place of such contacts.
    pub landed: Vec<u32>,
    pub lifts: Vec<landing::Lifts<D>>,
    pub members: Vec<u32>,
    pub parts: Vec<u32>,
    /// Islands to split.
    pub split: Vec<u32>,
    pub rest: sleep::RestTimes,
    pub walk: hold::Walk,
    /// Sleeping bodies and the contacts by which others lean on them.
    pub leaning: Vec<(u32, u32)>,
    /// Sleeping bodies that are to wake, and whether something heavy lies on them.
    pub to_wake: Vec<(u32, bool)>,
    pub refine: refine::Groups<D>,
    /// True if an elastic body on a joint is awake.
    pub has_sprung: bool,
    pub ledger: ledger::Ledger<D>,
    pub passive: passive::Passive<D>,
    /// A body of each island that was put together at rest in this step.
    pub built: Vec<u32>,
}

impl<D: Dim> Default for World<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Dim> World<D> {
    /// An empty world with default settings and methods.
    pub fn new() -> Self {
        Self {
            settings: Settings::default(),
            step_count: 0,
            time: 0.0,
            bodies: Bodies::default(),
            shapes: Slots::default(),
            proxies: Proxies::default(),
            moved: IndexList::default(),
            contacts: Contacts::default(),
            graph: ConstraintGraph::default(),
            islands: Islands::default(),
            leaning: IndexList::default(),
            watched: IndexList::default(),
            released: IndexList::default(),
            built: IndexList::default(),
            joints: crate::joint::Joints::default(),
            generators: crate::force::Generators::default(),
            impulse_time: 0.0,
            methods: D::default_methods(),
            executor: Arc::new(Serial),
            hooks: hooks::Hooks::default(),
            events: Events::default(),
            query_log: None,
            profile: Profile::default(),
            scratch: Scratch::default(),
        }
    }

    /// An empty world with the given settings.
    pub fn with_settings(settings: Settings<D>) -> Result<Self, Error> {
        settings.validate()?;
        Ok(Self { settings, ..Self::new() })
    }

    /// A shape with the density, friction and restitution that the settings give by default ([`Settings::shape_def`]).
    pub fn shape_def(&self, shape: D::Shape) -> ShapeDef<D> {
        self.settings.shape_def(shape)
    }

    /// Advances the world by `Settings::dt`.
    #[inline]
    pub fn step(&mut self) {
        D::step(self);
    }

    /// The settings.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// Replaces the settings, if all are possible. A change of gravity wakes everything.
    pub fn set_settings(&mut self, settings: Settings<D>) -> Result<(), Error> {
        settings.validate()?;
        let wake =
            settings.moves_what_rests(&self.settings) || (self.settings.sleeping && !settings.sleeping);
        let margins_changed = settings != self.settings;
        self.settings = settings;
        if margins_changed {
            self.refresh_margins();
        }
        if wake {
            self.wake_all();
        }
        Ok(())
    }

    /// Steps since the beginning.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// Simulated time since the beginning [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Hands the world threads to work on. The result of a step does not depend on them.
    pub fn set_executor(&mut self, executor: Arc<dyn Executor>) {
        self.executor = executor;
    }

    /// What happened in the last step.
    pub fn events(&self) -> &Events<D> {
        &self.events
    }

    /// What the last step cost.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// For user-named timers and values, which stay until the next step.
    pub fn profile_mut(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// Swaps the integrator; the state is kept.
    pub fn set_integrator(&mut self, integrator: impl Integrator<D> + 'static) {
        self.methods.integrator = Box::new(integrator);
    }

    /// Swaps the broad phase; the state is kept.
    pub fn set_broad_phase(&mut self, broad_phase: impl BroadPhase<D> + 'static) {
        self.methods.broad_phase = Box::new(broad_phase);
        self.methods.broad_phase.attach(&self.proxies);
    }

    /// Keeps the last `count` collision queries (contacts of pairs, distances, casts, rays) with inputs and results, to dump and
    /// replay; 0 stops it and forgets them. See [`crate::query_log`].
    pub fn record_queries(&mut self, count: usize) {
        self.query_log = (count > 0).then(|| crate::query_log::QueryLog::new(count));
    }

    /// The recorded queries; None unless [`Self::record_queries`] asked for them.
    pub fn query_log(&self) -> Option<&crate::query_log::QueryLog<D>> {
        self.query_log.as_ref()
    }

    /// Swaps the narrow phase; the state is kept.
    pub fn set_narrow_phase(&mut self, narrow_phase: impl NarrowPhase<D> + 'static) {
        self.methods.narrow_phase = Box::new(narrow_phase);
    }

    /// Swaps the solver; the state is kept, impulses included.
    pub fn set_solver(&mut self, solver: impl Solver<D> + 'static) {
        self.methods.solver = Box::new(solver);
    }
}

impl<D: Dim> core::fmt::Debug for World<D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("World")
            .field("step", &self.step_count)
            .field("bodies", &self.bodies.records.len())
            .field("contacts", &self.contacts.records.len())
            .field("methods", &self.methods)
            .finish_non_exhaustive()
    }
}
