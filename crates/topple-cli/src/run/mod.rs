//! `topple run`: the loop over the frames, with everything that looks at them.

mod plot;
mod profile;
mod progress;
mod report;
mod statistics;
mod summary;
mod trajectory;

pub(crate) use progress::Progress;
pub(crate) use summary::{count, seconds};

use crate::args::RunArgs;
use crate::failure::{Failure, Outcome};
use crate::measure::{self, Energy};
use crate::session::{self, Session, each};
use crate::{output, stop};
use plot::Curves;
use profile::ProfileFile;
use report::Report;
use statistics::Statistics;
use std::path::Path;
use std::time::Instant;
use topple_scene::lower::Space;
use topple_scene::run::{Run, Simulation};
use trajectory::Trajectory;

/// Simulates a scene.
pub(crate) fn run(args: &RunArgs) -> Outcome {
    let mut outputs = Outputs::check(args)?;
    stop::listen();
    let mut session = session::open(&args.scene)?;
    let frames = args.frames.unwrap_or_else(|| session.default_frames());
    outputs.open(args, &session)?;
    let progress = Progress::new(frames, "steps", args.quiet);
    let mut watch = Watch::new(&session.simulation);
    outputs.look(&session.simulation, session.first, None)?;
    while watch.steps < frames && !stop::is_asked() {
        if !watch.step(&mut session.simulation) {
            break;
        }
        outputs.look(&session.simulation, session.first + watch.steps, Some(&watch))?;
        progress.advance(watch.steps);
    }
    progress.end();
    session.tell_engine();
    outputs.close(args, &session, watch.steps)?;
    let interrupted = stop::is_asked() && watch.steps < frames;
    let report = Report::new(&mut session, watch, frames, interrupted);
    if args.json {
        output::print(&report.json()?)?;
    } else if !args.quiet {
        output::print(&summary::text(&report))?;
    }
    if report.faults > 0 {
        let taken = count(report.faults, "body was", "bodies were");
        return Err(Failure::cannot(format_args!("{taken} taken out because motion was no longer finite")));
    }
    Ok(())
}

/// What is followed over the whole run.
pub(crate) struct Watch {
    /// Steps taken.
    pub steps: u64,
    /// Times of the steps.
    pub statistics: Statistics,
    /// Energy before the first step.
    pub initial: Energy,
    /// Deepest overlap of the last step [m].
    pub overlap: f32,
    /// Deepest overlap of all steps [m].
    pub max_overlap: f32,
    /// Step at which it was.
    pub max_overlap_step: u64,
    /// Bodies taken out.
    pub faults: usize,
    /// When the run began.
    start: Instant,
}

impl Watch {
    fn new(simulation: &Simulation) -> Self {
        Self {
            steps: 0,
            statistics: Statistics::default(),
            initial: each!(simulation, run => measure::energy(&run.world)),
            overlap: 0.0,
            max_overlap: 0.0,
            max_overlap_step: 0,
            faults: 0,
            start: Instant::now(),
        }
    }

    /// One step; false if the scene has ended itself.
    fn step(&mut self, simulation: &mut Simulation) -> bool {
        let start = Instant::now();
        let before = simulation.steps();
        simulation.step();
        if simulation.steps() == before {
            return false;
        }
        let time = start.elapsed();
        self.steps += 1;
        each!(simulation, run => self.look(run, time));
        true
    }

    fn look<D: Space>(&mut self, run: &Run<D>, time: std::time::Duration) {
        self.statistics.add(time, run.world.profile());
        self.faults += run.world.events().fault.len();
        self.overlap = measure::deepest(&run.world);
        if self.overlap > self.max_overlap {
            self.max_overlap = self.overlap;
            self.max_overlap_step = self.steps;
        }
    }

    /// Time since the run began [s].
    fn wall(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// Files that are filled while the simulation runs, or written at its end.
#[derive(Default)]
struct Outputs {
    trajectory: Option<Trajectory>,
    profile: Option<ProfileFile>,
    curves: Option<Curves>,
}

/// The extension of an output, which decides its format.
fn format(path: &Path, flag: &str, known: &[&'static str]) -> Outcome<&'static str> {
    let found = path.extension().map(|extension| extension.to_ascii_lowercase());
    let format = known.iter().find(|known| found.as_ref().is_some_and(|found| found == **known));
    format.copied().ok_or_else(|| {
        let wanted = known.iter().map(|known| format!(".{known}")).collect::<Vec<_>>().join(" or ");
        Failure::usage(format_args!("{flag} {}: the name must end in {wanted}", path.display()))
    })
}

impl Outputs {
    /// Refuses what cannot be written before anything is simulated.
    fn check(args: &RunArgs) -> Outcome<Self> {
        let known: [(&Option<_>, &str, &[&'static str]); 3] = [
            (&args.trajectory, "--trajectory", &trajectory::FORMATS),
            (&args.profile, "--profile", &profile::FORMATS),
            (&args.plot, "--plot", &plot::FORMATS),
        ];
        for (path, flag, formats) in known {
            if let Some(path) = path {
                format(path, flag, formats)?;
                output::expect_folder(path)?;
            }
        }
        if let Some(path) = &args.save {
            output::expect_folder(path)?;
        }
        Ok(Self::default())
    }

    fn open(&mut self, args: &RunArgs, session: &Session) -> Outcome {
        if let Some(path) = &args.trajectory {
            let dimension = session.scene.dimension();
            self.trajectory = Some(Trajectory::create(path, dimension)?);
        }
        if let Some(path) = &args.profile {
            self.profile = Some(ProfileFile::create(path)?);
        }
        self.curves = args.plot.is_some().then(Curves::default);
        Ok(())
    }

    /// Looks at the world after a step; before the first one there is no watch.
    fn look(&mut self, simulation: &Simulation, frame: u64, watch: Option<&Watch>) -> Outcome {
        each!(simulation, run => self.look_in(run, frame, watch))
    }

    fn look_in<D: Space>(&mut self, run: &Run<D>, frame: u64, watch: Option<&Watch>) -> Outcome {
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.add(run, frame)?;
        }
        let Some(watch) = watch else { return Ok(()) };
        if self.profile.is_none() && self.curves.is_none() {
            return Ok(());
        }
        let energy = measure::energy(&run.world);
        if let Some(profile) = &mut self.profile {
            profile.add(frame, run.world.time(), run.world.profile(), energy, watch.overlap)?;
        }
        if let Some(curves) = &mut self.curves {
            curves.add(run.world.time(), run.world.profile(), energy, watch.overlap);
        }
        Ok(())
    }

    fn close(&mut self, args: &RunArgs, session: &Session, steps: u64) -> Outcome {
        if let Some(trajectory) = self.trajectory.take() {
            trajectory.close()?;
        }
        if let Some(profile) = self.profile.take() {
            profile.close()?;
        }
        if let (Some(path), Some(curves)) = (&args.plot, self.curves.take()) {
            plot::write(path, &session.title(), &curves)?;
        }
        if let Some(path) = &args.save {
            output::write_whole(path, &session.save(steps)?)?;
        }
        Ok(())
    }
}
