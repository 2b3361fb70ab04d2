//! From syntax to the checked scene: constants, repetition, groups, includes, then one builder per family.
//!
//! Order of business: parse everything that is included at the top; hoist constants, parameters and templates, so that
//! they may be used before they are written; read `world`, which decides how the rest is read; walk the statements;
//! look up references; close the events over the scene's constants and try each once.

mod body;
mod close;
mod director;
pub(crate) mod expander;
mod expr;
mod force;
mod joint;
mod mesh;
mod names;
mod query;
pub(crate) mod random;
mod record;
mod scene;
mod view;
mod walk;
mod world;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::Loader;
use crate::ast::{Declaration, Expr, Item};
use crate::diagnostics::{Diagnostic, Diagnostics, nearest};
use crate::limits::Limits;
use crate::model::{Action, Pose, Scene, World};
use crate::span::{FileId, Sources, Span};
use crate::value::Value;
use topple_mesh::Surface;

use names::{Level, Names};
use random::{Place, Sites};

/// The error is in the diagnostics; give up on this declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A constant or parameter of the scene, computed when first used.
enum Global {
    Pending(Arc<Expr>, (FileId, u32)),
    Busy,
    Ready(Value),
    Failed,
}

/// What has been spent of the limits.
#[derive(Clone, Copy, Default)]
struct Usage {
    work: u64,
    repetitions: u64,
    elements: u64,
    declarations: usize,
    mesh_bytes: u64,
    mesh_triangles: usize,
}

/// Where built things go.
enum Output {
    /// Into the scene.
    Scene,
    /// Into the list of an event's actions.
    Event(Vec<Action>),
}

pub(crate) struct Evaluator<'a> {
    limits: &'a Limits,
    sources: &'a mut Sources,
    diagnostics: &'a mut Diagnostics,
    loader: &'a mut dyn Loader,
    /// Values given from outside, by name.
    overrides: Vec<Override>,
    globals: HashMap<SmolStr, Global>,
    locals: Vec<(SmolStr, Value)>,
    /// Constants of the blocks around whose value is faulty: what uses them is skipped without another word.
    failed: Vec<SmolStr>,
    /// Values given to the templates and includes being expanded.
    frames: Vec<Vec<(SmolStr, Value)>>,
    /// Text loaded so far [bytes].
    source_bytes: usize,
    templates: HashMap<SmolStr, Arc<Declaration>>,
    /// Where those stand that were placed.
    placed_templates: HashSet<(FileId, u32, u32)>,
    files: HashMap<String, (FileId, Arc<Vec<Item>>)>,
    include_stack: Vec<FileId>,
    sites: Sites,
    place: Place,
    levels: Vec<Level>,
    pose: Pose,
    names: Names,
    usage: Usage,
    exhausted: bool,
    depth: usize,
    /// Repetitions around the current statement.
    rounds: usize,
    world: World,
    scene: Scene,
    pending: scene::Pending,
    output: Output,
    /// Mesh files that were read, or why not, by the text they are written in.
    meshes: HashMap<(FileId, SmolStr), Result<Arc<Surface>, String>>,
    /// Closed blocks keep the units of their numbers, for a trial.
    keeps_units: bool,
    /// The current statement has a fault that is gone once units are.
    has_unit_fault: bool,
    /// Places of such statements.
    unit_faults: Vec<Span>,
    /// What misspelt parameters may have meant, by kind and name.
    meant: HashMap<(&'static str, SmolStr), Option<&'static str>>,
    /// Groups around the current statement that are faulty themselves: what is in them is checked, but nothing is made.
    lost: usize,
}

/// One `--set`.
pub(crate) struct Override {
    pub name: String,
    pub value: Arc<Expr>,
    pub used: bool,
    pub span: Span,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        limits: &'a Limits,
        sources: &'a mut Sources,
        diagnostics: &'a mut Diagnostics,
        loader: &'a mut dyn Loader,
    ) -> Self {
        Self {
            limits,
            sources,
            diagnostics,
            loader,
            overrides: Vec::new(),
            globals: HashMap::new(),
            locals: Vec::new(),
            failed: Vec::new(),
            frames: Vec::new(),
            source_bytes: 0,
            templates: HashMap::new(),
            placed_templates: HashSet::new(),
            files: HashMap::new(),
            include_stack: Vec::new(),
            sites: Sites::new(),
            place: Place::default(),
            levels: vec![Level::default()],
            pose: Pose::IDENTITY,
            names: Names::default(),
            usage: Usage::default(),
            exhausted: false,
            depth: 0,
            rounds: 0,
            world: World::seed(),
            scene: Scene::default(),
            pending: scene::Pending::default(),
            keeps_units: false,
            has_unit_fault: false,
            unit_faults: Vec::new(),
            meant: HashMap::new(),
            lost: 0,
            output: Output::Scene,
            meshes: HashMap::new(),
        }
    }

    /// What comes with the text: values from outside, and its size.
    pub(crate) fn set_input(&mut self, overrides: Vec<Override>, bytes: usize) {
        self.overrides = overrides;
        self.source_bytes = bytes;
    }

    pub(crate) fn dimension(&self) -> u8 {
        self.world.dimension
    }

    /// Whether the current statement stands in something faulty.
    fn is_lost(&self) -> bool {
        self.lost > 0
    }

    /// The nearest name for the advice of a finding, if that will be shown: a repetition may have the same fault a million
    /// times.
    fn near<'k>(
        &self,
        finding: (Span, &'static str),
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<&'k str> {
        if self.diagnostics.wants(finding.0, finding.1) { nearest(name, known) } else { None }
    }

    /// Reports and gives the token to return.
    pub(crate) fn fail(&mut self, diagnostic: Diagnostic) -> Reported {
        self.note(diagnostic);
        Reported
    }

    /// Reports something that does not stop the declaration.
    pub(crate) fn note(&mut self, diagnostic: Diagnostic) {
        self.has_unit_fault |= diagnostic.code == "unit";
        self.diagnostics.push_from(diagnostic, self.rounds > 0);
    }

    // ---- limits -------------------------------------------------------------------------------------------

    /// Spends work; once it is used up, everything stops.
    fn work(&mut self, amount: u64, span: Span) -> Result<(), Reported> {
        self.usage.work += amount;
        if self.usage.work <= self.limits.work {
            return Ok(());
        }
        if !self.exhausted {
            self.exhausted = true;
            self.fail(Diagnostic::error("too-much-work", span, "the scene takes too long to expand"));
        }
        Err(Reported)
    }

    fn elements(&mut self, amount: u64, span: Span) -> Result<(), Reported> {
        self.usage.elements += amount;
        if self.usage.elements <= self.limits.list_elements {
            return Ok(());
        }
        let message = format!("more than {} list elements in one scene", self.limits.list_elements);
        if !self.exhausted {
            self.exhausted = true;
            self.fail(Diagnostic::error("too-many-elements", span, message));
        }
        Err(Reported)
    }

    fn repetitions_left(&self) -> u64 {
        self.limits.repetitions.saturating_sub(self.usage.repetitions)
    }

    fn use_repetitions(&mut self, count: u64) {
        self.usage.repetitions += count;
    }

    /// Counts a declaration of the expanded scene.
    fn count_declaration(&mut self, span: Span) -> Result<(), Reported> {
        self.usage.declarations += 1;
        if self.usage.declarations <= self.limits.declarations {
            return self.work(4, span);
        }
        if !self.exhausted {
            self.exhausted = true;
            let message = format!("more than {} declarations in one scene", self.limits.declarations);
            self.fail(Diagnostic::error("too-many-declarations", span, message));
        }
        Err(Reported)
    }

    // ---- names of values ----------------------------------------------------------------------------------

    fn push_local(&mut self, name: &SmolStr, value: Value) {
        self.locals.push((name.clone(), value));
    }

    /// A constant of a block: its value, or that it has none.
    fn define_local(&mut self, name: &SmolStr, value: Result<Value, Reported>) -> Result<(), Reported> {
        match value {
            Ok(value) => {
                self.push_local(name, value);
                Ok(())
            }
            Err(Reported) => {
                self.failed.push(name.clone());
                Err(Reported)
            }
        }
    }

    fn pop_local(&mut self) {
        self.locals.pop();
    }

    /// The value of a constant or variable; `None` if there is none of that name.
    fn lookup(&mut self, name: &SmolStr, span: Span) -> Option<Result<Value, Reported>> {
        if let Some((_, value)) = self.locals.iter().rev().find(|(known, _)| known == name) {
            return Some(Ok(value.clone()));
        }
        if self.failed.contains(name) {
            return Some(Err(Reported));
        }
        match self.globals.get(name)? {
            Global::Ready(value) => Some(Ok(value.clone())),
            Global::Failed => Some(Err(Reported)),
            Global::Busy => {
                let message = format!("'{name}' depends on itself");
                Some(Err(self.fail(Diagnostic::error("cycle", span, message))))
            }
            Global::Pending(..) => Some(self.compute_global(name)),
        }
    }

    fn compute_global(&mut self, name: &SmolStr) -> Result<Value, Reported> {
        let Some(Global::Pending(expr, site)) = self.globals.insert(name.clone(), Global::Busy) else {
            return Err(Reported);
        };
        // A chain of constants is a chain of calls: bounded like blocks.
        if self.depth >= self.limits.expansion_depth * 2 {
            self.globals.insert(name.clone(), Global::Failed);
            let message = "constants depend on each other too deeply";
            return Err(self.fail(Diagnostic::error("too-deep", expr.span, message)));
        }
        self.depth += 1;
        // A constant sees only other constants, and draws as itself, wherever it is first used.
        let locals = std::mem::take(&mut self.locals);
        let place = self.place;
        self.place = Place { context: self.seed_context(), site, parameter: 0, calls: 0 };
        let result = self.eval(&expr);
        self.place = place;
        self.locals = locals;
        self.depth -= 1;
        let state = result.as_ref().map_or(Global::Failed, |value| Global::Ready(value.clone()));
        self.globals.insert(name.clone(), state);
        result
    }

    /// Names that a misspelt one may have meant, in a fixed order.
    fn visible_names(&self) -> Vec<SmolStr> {
        let mut names: Vec<SmolStr> = self.locals.iter().map(|(name, _)| name.clone()).collect();
        names.extend(self.globals.keys().cloned());
        names.sort();
        names
    }

    // ---- random numbers -----------------------------------------------------------------------------------

    fn seed_context(&self) -> u64 {
        random::mix(0x746f_7070_6c65, self.world.seed)
    }

    /// Enters one round of a repetition; gives what `leave_loop` needs.
    fn enter_loop(&mut self, value: f64) -> u64 {
        let before = self.place.context;
        self.place.context = random::mix(before, value.to_bits());
        self.rounds += 1;
        before
    }

    fn leave_loop(&mut self, before: u64) {
        self.place.context = before;
        self.rounds -= 1;
    }

    /// Sets the statement whose expressions are evaluated next.
    fn at_site(&mut self, span: Span) {
        self.place.site = (span.file, span.start);
        self.place.parameter = 0;
        self.place.calls = 0;
    }

    /// Sets the parameter whose value is evaluated next.
    fn at_parameter(&mut self, name: &str) {
        self.place.parameter = random::mix_text(1, name);
        self.place.calls = 0;
    }

    /// Key of the current statement.
    fn site_key(&self) -> u64 {
        let site = self.sites.get(&self.place.site).copied().unwrap_or_default();
        random::mix(self.place.context, site)
    }

    /// Two random numbers for the next draw.
    fn draw(&mut self) -> (f64, f64) {
        let key = random::mix(random::mix(self.site_key(), self.place.parameter), self.place.calls);
        self.place.calls += 1;
        random::pair(key)
    }
}
