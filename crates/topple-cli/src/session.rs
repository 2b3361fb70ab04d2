//! A scene opened for a command: read, checked, built, with the flags of the command line put in.

use crate::args::SceneArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Input};
use crate::output;
use crate::saved::{self, Header, Mesh, Origin, Part, Saved};
use std::sync::Arc;
use topple::exec::{Executor, Pool, Serial};
use topple::{D2, D3, Settings, World};
use topple_scene::diagnostics::{Diagnostic, Severity};
use topple_scene::lower::{Space, apply_setting};
use topple_scene::model::{Scene, Setting};
use topple_scene::run::{Run, Simulation};
use topple_scene::schema::world::setting_key;
use topple_scene::span::Sources;
use topple_scene::{FileLoader, Loaded, Loader, Options, Surface, schema};

/// Simulated time of a scene that does not say how long it is [s].
const DEFAULT_TIME: f64 = 10.0;

/// A scene ready to run.
pub(crate) struct Session {
    /// The file, or `standard input`.
    pub name: String,
    /// The checked scene.
    pub scene: Scene,
    /// The running world.
    pub simulation: Simulation,
    /// Errors in the scene and refusals of the engine.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Threads in use.
    pub threads: usize,
    /// Steps taken before this session, by the runs that saved the world.
    pub first: u64,
    /// What a saved world needs to know.
    header: Header,
    executor: Arc<dyn Executor>,
    sources: Sources,
    /// Findings of the engine that have been told.
    told: usize,
}

/// Calls the same code in both dimensions.
macro_rules! each {
    ($simulation:expr, $run:ident => $body:expr) => {
        match $simulation {
            topple_scene::run::Simulation::Two($run) => $body,
            topple_scene::run::Simulation::Three($run) => $body,
        }
    };
}
pub(crate) use each;

/// Opens the scene of a command, tells its diagnostics, and builds its world.
pub(crate) fn open(args: &SceneArgs) -> Outcome<Session> {
    let (origin, saved) = match input::read(args.scene.as_deref())? {
        Input::Text { name, text } => {
            let mut overrides = args.set.clone();
            overrides.extend(args.seed.map(|seed| (String::from("seed"), seed.to_string())));
            (Origin { name, text, overrides, ..Origin::default() }, None)
        }
        Input::Saved { name, bytes } => {
            let saved = saved::decode(&name, &bytes)?;
            if args.seed.is_some() {
                return Err(Failure::usage("--seed has no meaning for a saved world: its numbers are drawn"));
            }
            (saved.header.origin.clone(), Some((name, saved)))
        }
    };
    let mut opened = load(origin)?;
    tell(&opened.loaded);
    let (errors, warnings) = (opened.loaded.diagnostics.errors(), opened.loaded.diagnostics.warnings());
    if args.strict && errors > 0 {
        return Err(refused(&opened.origin.name, errors));
    }
    // Of two values for the same setting, the one of the flag counts.
    let mut settings = if saved.is_some() { args.set.clone() } else { std::mem::take(&mut opened.engine) };
    settings.extend(flags(args));
    let (simulation, parts, name) = match saved {
        None => (Simulation::new(&opened.loaded.scene), Vec::new(), opened.origin.name.clone()),
        Some((name, saved)) => {
            let simulation = resume(&name, &saved, &opened.loaded.scene)?;
            (simulation, saved.header.parts, name)
        }
    };
    let mut session = Session {
        name,
        simulation,
        errors,
        warnings,
        threads: 1,
        first: parts.iter().map(|part| part.steps).sum(),
        header: Header { dimension: opened.loaded.scene.dimension(), origin: opened.origin, parts },
        scene: opened.loaded.scene,
        executor: Arc::new(Serial),
        sources: opened.loaded.sources,
        told: 0,
    };
    session.tell_engine();
    if args.strict && session.errors > 0 {
        return Err(refused(&session.name, session.errors));
    }
    session.begin(settings)?;
    let threads = args.threads.unwrap_or_else(cores);
    session.set_threads(threads);
    Ok(session)
}

/// A second simulation of the same scene, from the same moment. The result of `open` is given to save another look at
/// the diagnostics.
pub(crate) fn again(session: &Session) -> Outcome<Simulation> {
    let saved = saved::decode(&session.name, &session.save(0)?)?;
    let mut simulation = resume(&session.name, &saved, &session.scene)?;
    each!(&mut simulation, run => run.world.set_executor(session.executor.clone()));
    Ok(simulation)
}

/// Cores of the machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The failure of a scene with errors.
pub(crate) fn refused(name: &str, errors: usize) -> Failure {
    let plural = if errors == 1 { "" } else { "s" };
    Failure::Scene(format!("{name} has {errors} error{plural}"))
}

/// Shows the findings about a scene.
pub(crate) fn tell(loaded: &Loaded) {
    let report = loaded.report(output::colour());
    if !report.is_empty() {
        output::say(report.trim_end());
    }
}

impl Session {
    /// Puts settings into the world, from the command line.
    fn begin(&mut self, settings: Vec<(String, String)>) -> Outcome {
        apply(&mut self.simulation, &settings)?;
        self.header.parts.push(Part { settings, steps: 0 });
        // The length of a scene in steps depends on it.
        let mut given = self.header.parts.iter().flat_map(|part| &part.settings).rev();
        let last = given.find(|(key, _)| key == "dt");
        if let Some(Ok(dt)) = last.map(|(_, value)| value.parse()) {
            self.scene.world.dt = dt;
        }
        Ok(())
    }

    /// Tells what the engine refused since the last time: while the world was built, or when an event came.
    pub(crate) fn tell_engine(&mut self) {
        let found = self.simulation.diagnostics();
        let report = found.render_from(self.told, &self.sources, output::colour());
        if found.iter().len() > self.told {
            output::say(report.trim_end());
        }
        for finding in found.iter().skip(self.told) {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
        }
        self.told = found.iter().len();
    }

    fn set_threads(&mut self, threads: usize) {
        if threads > 1 {
            self.executor = Arc::new(Pool::new(threads));
        }
        self.threads = self.executor.threads();
        let executor = self.executor.clone();
        each!(&mut self.simulation, run => run.world.set_executor(executor));
    }

    /// Steps that a run takes if nobody says otherwise.
    pub(crate) fn default_frames(&self) -> u64 {
        let whole = self.scene.frames().filter(|frames| *frames > self.first);
        let usual = topple_scene::model::steps(DEFAULT_TIME, self.scene.world.dt);
        whole.map_or(usual, |frames| frames - self.first)
    }

    /// What is being simulated, for a person: the scene's title, or the name of the file.
    pub(crate) fn title(&self) -> String {
        self.scene.world.title.as_ref().map_or_else(|| self.name.clone(), ToString::to_string)
    }

    /// The file of the world as it is now, after `steps` of this session.
    pub(crate) fn save(&self, steps: u64) -> Outcome<Vec<u8>> {
        let mut header = self.header.clone();
        if let Some(part) = header.parts.last_mut() {
            part.steps = steps;
        }
        let snapshot = each!(&self.simulation, run => run.world.snapshot());
        saved::encode(&header, &snapshot)
    }
}

/// Settings of the world given by flags, by key.
fn flags(args: &SceneArgs) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut add = |key: &str, value: Option<String>| settings.extend(value.map(|value| (key.into(), value)));
    add("dt", args.dt.map(|dt| dt.to_string()));
    add("integrator", args.integrator.clone());
    add("broadPhase", args.broad_phase.clone());
    add("narrowPhase", args.narrow_phase.clone());
    add("solver", args.solver.clone());
    add("substeps", args.substeps.map(|count| count.to_string()));
    add("sleeping", args.no_sleeping.then(|| String::from("false")));
    settings
}

/// Puts settings of the engine into a world.
pub(crate) fn apply(simulation: &mut Simulation, settings: &[(String, String)]) -> Outcome {
    settings.iter().try_for_each(|(key, value)| set(simulation, key, value))
}

fn set(simulation: &mut Simulation, key: &str, value: &str) -> Outcome {
    // The engine's spelling is good too.
    let key = if key.contains('_') { setting_key(key) } else { key.into() };
    let result = each!(simulation, run => apply_setting(&mut run.world, &key, &Setting::Text(value.into())));
    result.map_err(|reason| Failure::usage(format_args!("{key}={value}: {reason}")))
}

/// A loaded scene and where it came from.
pub(crate) struct Opened {
    /// The scene.
    pub loaded: Loaded,
    /// Where it came from; includes filled in, values for the engine alone taken out.
    pub origin: Origin,
    /// Values given from outside that are neither parameters nor settings of the language, but of the engine.
    pub engine: Vec<(String, String)>,
}

/// Loads a scene with its includes. Wrong values given from outside are wrong usage.
pub(crate) fn load(mut origin: Origin) -> Outcome<Opened> {
    let mut loaded = load_once(&mut origin);
    let engine = take_engine_settings(&mut origin.overrides, &loaded.scene);
    if !engine.is_empty() {
        loaded = load_once(&mut origin);
    }
    let outside = |found: &&Diagnostic| {
        let file = loaded.sources.get(found.span.file);
        found.severity == Severity::Error && file.is_some_and(|file| file.name.starts_with("--set "))
    };
    if let Some(found) = loaded.diagnostics.iter().find(outside) {
        let given = loaded.sources.get(found.span.file).map_or("--set", |file| file.name.as_str());
        let help = found.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
        return Err(Failure::usage(format_args!("{given}: {}{help}", found.message)));
    }
    Ok(Opened { loaded, origin, engine })
}

fn load_once(origin: &mut Origin) -> Loaded {
    let (known, meshes) = (std::mem::take(&mut origin.includes), std::mem::take(&mut origin.meshes));
    let mut loader = Library { known, meshes, files: FileLoader::default() };
    let options = Options {
        name: origin.name.clone(),
        overrides: origin.overrides.clone(),
        loader: Some(&mut loader),
        ..Options::default()
    };
    let loaded = topple_scene::load(&origin.text, options);
    origin.includes = loader.known;
    origin.meshes = loader.meshes;
    loaded
}

/// Takes out of the given values those that only the engine knows.
fn take_engine_settings(overrides: &mut Vec<(String, String)>, scene: &Scene) -> Vec<(String, String)> {
    let world = schema::kind("world");
    let engine = Settings::<D3>::info();
    let mut taken = Vec::new();
    overrides.retain(|(key, value)| {
        let in_language = world.is_some_and(|world| world.param(key).is_some());
        let in_scene = scene.parameters.iter().any(|known| known.name == key.as_str());
        let in_engine = engine.iter().any(|known| known.name == key || setting_key(known.name) == *key);
        let take = in_engine && !in_language && !in_scene;
        if take {
            taken.push((key.clone(), value.clone()));
        }
        !take
    });
    taken
}

/// Includes and meshes from memory where they are known, else from disk, and then known.
struct Library {
    known: Vec<(String, String, String, String)>,
    meshes: Vec<Mesh>,
    files: FileLoader,
}

impl Loader for Library {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let found = self.known.iter().find(|(known, place, ..)| known == path && place == from);
        if let Some((_, _, name, text)) = found {
            return Ok((name.clone(), text.clone()));
        }
        let (name, text) = self.files.load(path, from)?;
        self.known.push((path.into(), from.into(), name.clone(), text.clone()));
        Ok((name, text))
    }

    fn mesh(&mut self, path: &str, from: &str, limits: &topple_mesh::Limits) -> Result<Surface, String> {
        let found = self.meshes.iter().find(|known| known.path == path && known.from == from);
        if let Some(mesh) = found {
            return Ok(mesh.surface());
        }
        let surface = self.files.mesh(path, from, limits)?;
        self.meshes.push(Mesh::new(path, from, &surface));
        Ok(surface)
    }
}

/// The simulation of a saved world. Where the scene has nothing but bodies and generators, the snapshot is all there
/// is to know. Events and filters have a past of their own, so such scenes are simulated again, which gives the same
/// bits; the hash proves it.
fn resume(name: &str, saved: &Saved, scene: &Scene) -> Outcome<Simulation> {
    let damaged = |reason: String| Failure::cannot(format_args!("{name}: {reason}"));
    let mut simulation = Simulation::new(scene);
    let hash = match &mut simulation {
        Simulation::Two(run) => restore::<D2>(run, &saved.snapshot, scene),
        Simulation::Three(run) => restore::<D3>(run, &saved.snapshot, scene),
    };
    let hash = hash.map_err(|error| damaged(error.to_string()))?;
    if !needs_its_past(scene) {
        return Ok(simulation);
    }
    for part in &saved.header.parts {
        apply(&mut simulation, &part.settings)?;
        simulation.run(part.steps);
    }
    if simulation.hash() != hash {
        return Err(damaged("the scene does not lead to the saved world again".into()));
    }
    Ok(simulation)
}

/// Whether the world of the snapshot alone cannot go on.
fn needs_its_past(scene: &Scene) -> bool {
    !scene.events.is_empty() || !scene.ignores.is_empty()
}

/// Puts the world of a snapshot into a run whose scene needs no past; the hash of the snapshot.
fn restore<D: Space>(run: &mut Run<D>, snapshot: &[u8], scene: &Scene) -> Result<u64, topple::Error> {
    let world = World::<D>::restore(snapshot)?;
    let hash = world.state_hash();
    if !needs_its_past(scene) {
        run.adopt(world)?;
    }
    Ok(hash)
}
