//! `topple render`: pictures without a graphics driver. Rays go through the engine's own queries, on all threads.
//!
//! `stage.rs` copies what is visible into a world of its own, `camera.rs` decides where it is seen from, `space.rs` and
//! `plane.rs` draw, `image.rs` writes PNG.

mod camera;
mod image;
mod paint;
mod plane;
mod shade;
mod space;
mod stage;
mod strokes;

use crate::args::{Effect, RenderArgs};
use crate::failure::{Failure, Outcome};
use crate::run::{Progress, count, seconds};
use crate::session::{self, Session};
use crate::{output, stop};
use camera::{Camera, Extent, View};
use image::Image;
use stage::Stage;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use topple_scene::model::Scene;
use topple_scene::run::Simulation;

/// What can be switched off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effects {
    pub shadows: bool,
    pub occlusion: bool,
    pub smooth: bool,
}

impl Effects {
    fn new(list: &[Effect]) -> Self {
        let has = |effect| list.contains(&effect) && !list.contains(&Effect::None);
        Self { shadows: has(Effect::Shadows), occlusion: has(Effect::Occlusion), smooth: has(Effect::Smooth) }
    }
}

/// Looks at the extent of a moving scene so many times before it is drawn.
const LOOKS: u64 = 24;

/// Half of the width of joints and springs in space [pixels].
const STROKE: f32 = 1.1;

/// Pixels of a picture; more would not fit into memory beside everything else.
const MAX_PIXELS: u64 = 40_000_000;

/// Draws a scene.
pub(crate) fn render(args: &RenderArgs) -> Outcome {
    let target = Target::new(&args.output)?;
    let (width, height) = args.size;
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Failure::usage(format_args!("--size {width}x{height}: more than {MAX_PIXELS} pixels")));
    }
    stop::listen();
    let start = Instant::now();
    let session = session::open(&args.scene)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(session.threads)
        .build()
        .map_err(|error| Failure::cannot(format_args!("cannot start threads: {error}")))?;
    let drawn = match &target {
        Target::Picture(path) => {
            let frame = args.frames.map_or(0, |(first, _)| first);
            let mut session = session;
            advance(&mut session.simulation, frame.saturating_sub(session.first))?;
            let extent = Extent::of(&session.simulation);
            let image = pool.install(|| draw(&session.simulation, &session.scene, &extent, args));
            output::write_whole(path, &image.png()?)?;
            1
        }
        Target::Folder(folder) => pool.install(|| frames(args, session, folder))?,
    };
    if !args.quiet {
        let took = seconds(start.elapsed().as_secs_f64());
        output::say(format_args!(
            "{}: {} of {width}x{height} in {took}",
            args.output.display(),
            count(drawn, "picture", "pictures")
        ));
    }
    Ok(())
}

/// Where pictures go.
enum Target {
    Picture(PathBuf),
    Folder(PathBuf),
}

impl Target {
    fn new(path: &Path) -> Outcome<Self> {
        let text = path.to_string_lossy();
        if text.ends_with(['/', std::path::MAIN_SEPARATOR]) || path.is_dir() {
            return Ok(Self::Folder(path.into()));
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            output::expect_folder(path)?;
            return Ok(Self::Picture(path.into()));
        }
        let name = path.display();
        Err(Failure::usage(format_args!("-o {name}: a picture ends in .png, a folder for frames in /")))
    }
}

/// Draws frames into a folder; how many.
fn frames(args: &RenderArgs, mut session: Session, folder: &Path) -> Outcome<usize> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("make the folder", folder, &error))?;
    let (first, last) = match args.frames {
        Some((first, last)) => (first, last.unwrap_or(first)),
        None => (session.first, session.first + session.default_frames()),
    };
    let step = (1.0 / (args.fps * session.scene.world.dt)).round().max(1.0) as u64;
    let extent = Extent::union(looks(&session, first, last)?);
    let total = (last - first) / step + 1;
    let progress = Progress::new(total, "pictures", args.quiet);
    advance(&mut session.simulation, first.saturating_sub(session.first))?;
    let mut drawn = 0;
    for index in 0..total {
        if stop::is_asked() {
            break;
        }
        let image = draw(&session.simulation, &session.scene, &extent, args);
        let path = folder.join(format!("frame_{index:05}.png"));
        output::write_whole(&path, &image.png()?)?;
        drawn += 1;
        progress.one_more();
        if index + 1 < total && session.simulation.run(step) == 0 {
            break;
        }
    }
    progress.end();
    Ok(drawn)
}

/// Simulates once without drawing, to see how much room the scene takes: the camera must not move.
fn looks(session: &Session, first: u64, last: u64) -> Outcome<Vec<Extent>> {
    let mut extents = Vec::new();
    let mut copy = session::again(session)?;
    advance(&mut copy, first.saturating_sub(session.first))?;
    if camera::is_given(&session.scene) || first == last {
        // One look at the first frame is enough.
        return Ok(vec![Extent::of(&copy)]);
    }
    let pause = ((last - first) / LOOKS).max(1);
    for _ in 0..=LOOKS {
        extents.push(Extent::of(&copy));
        if stop::is_asked() || copy.run(pause) == 0 {
            break;
        }
    }
    Ok(extents)
}

/// Goes on by some steps, or until the scene ends itself.
fn advance(simulation: &mut Simulation, steps: u64) -> Outcome {
    let mut left = steps;
    while left > 0 && simulation.run(1) == 1 {
        left -= 1;
        if stop::is_asked() {
            return Err(Failure::cannot("interrupted before there was a picture"));
        }
    }
    Ok(())
}

/// One picture of the world as it is.
fn draw(simulation: &Simulation, scene: &Scene, extent: &Extent, args: &RenderArgs) -> Image {
    let effects = Effects::new(&args.effects);
    let followed = camera::followed(scene, simulation);
    match simulation {
        Simulation::Two(run) => {
            let view = View::new(scene, extent, followed, args.size);
            let lines = strokes::strokes(run, view.scale);
            plane::draw(&Stage::new(run), &lines, scene, view, effects)
        }
        Simulation::Three(run) => {
            let camera = Camera::new(scene, extent, followed, args.size);
            let mut stage = Stage::new(run);
            let thickness = camera.pixel_at(extent, args.size.1);
            stage.add_strokes(&strokes::strokes(run, thickness), STROKE * thickness);
            space::draw(&stage, scene, &camera, extent.size(), args.size, effects)
        }
    }
}
