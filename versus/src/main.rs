//! Runs the same scenes in Topple and in other engines, side by side. See README.md.

mod builds;
mod engine;
mod engines;
mod fairness;
mod hull;
mod machine;
mod measure;
mod overlap;
mod pages;
mod picture;
mod plot;
mod quality;
mod report;
mod scenes;
mod worker;
mod world;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use machine::Machine;
use measure::{Effort, Entry, Row};
use report::Report;
use scenes::Scene;
use std::path::PathBuf;

/// The same scenes in Topple and in other engines, side by side.
#[derive(Parser)]
#[command(name = "versus", version)]
struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Measure and print the table; write it, JSON and plots to the results folder.
    Table(Choice),
    /// Time against the number of bodies, one and two threads: pyramid, pile, tilted grid.
    Scaling(Choice),
    /// Compare two versions of Topple, interleaved in one run.
    Ab {
        /// Commit, branch or tag; `.` is the working tree.
        a: String,
        /// The other one.
        b: String,
        /// Use each revision's own harness instead of the running one.
        #[arg(long)]
        own_harness: bool,
        /// Build another engine than Topple (to try the command itself).
        #[arg(long, default_value = report::OURS, hide = true)]
        contender: String,
        #[command(flatten)]
        choice: Choice,
    },
    /// Mass ratios 1:10 … 1:10⁶ in all engines: a stack with a heavy cube on top, chains with a heavy end. No times.
    Ratios(Page),
    /// Sideways motion of the tilted grid in all engines, 36 to 6 400 cubes, dt 1/30 and 1/300. No times.
    Grid(Page),
    /// The pyramids of base 20 (3D) and 100 (2D) in all engines after 300 and 3 000 steps: drift, drop. No times.
    Stand(Page),
    /// What choosing stiff groups costs ordinary piles: default settings against `max_refinement = 1`, interleaved.
    Refinement(Choice),
    /// Check that every engine has the same scene; write trajectories and pictures.
    Fairness {
        /// Steps until the second picture.
        #[arg(long, default_value_t = 120)]
        steps: u32,
        #[command(flatten)]
        choice: Choice,
    },
    /// Build the variants that need an executable of their own (Rapier's features).
    Build,
    /// List scenes and contenders.
    List,
    /// Print a saved report again.
    Show {
        /// A JSON file of the results folder.
        file: PathBuf,
    },
    /// One contender in its own process; started by the others.
    #[command(hide = true)]
    Worker {
        /// Engine.
        engine: String,
        /// Scene, or scene@size.
        scene: String,
        /// Threads.
        threads: usize,
    },
}

/// A page of quality figures.
#[derive(Args, Clone)]
struct Page {
    /// Only these contenders (comma separated).
    #[arg(long, value_delimiter = ',')]
    engine: Vec<String>,
    /// Print only, write nothing.
    #[arg(long)]
    dry: bool,
}

impl Page {
    fn publish(
        &self,
        name: &str,
        page: impl Fn(&pages::Wanted<'_>) -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let text = page(&|engine| self.engine.is_empty() || self.engine.iter().any(|name| name == engine))?;
        println!("{text}");
        if self.dry { Ok(()) } else { pages::write(name, &text) }
    }
}

/// What to run, and how much.
#[derive(Args, Clone)]
struct Choice {
    /// Only scenes whose name contains one of these (comma separated).
    #[arg(long, value_delimiter = ',')]
    scene: Vec<String>,
    /// Only these contenders (comma separated).
    #[arg(long, value_delimiter = ',')]
    engine: Vec<String>,
    /// Thread counts (comma separated).
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Rounds: fresh processes per contender and row.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Divide the number of samples by this.
    #[arg(long, default_value_t = 1)]
    shorten: u32,
    /// Folder for results.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/results"))]
    out: PathBuf,
    /// Print only, write nothing.
    #[arg(long)]
    dry: bool,
}

impl Choice {
    fn scenes(&self) -> Vec<Scene> {
        let wanted =
            |scene: &Scene| self.scene.is_empty() || self.scene.iter().any(|part| scene.name.contains(part));
        scenes::all().into_iter().filter(wanted).collect()
    }

    fn wants(&self, engine: &str) -> bool {
        self.engine.is_empty() || self.engine.iter().any(|name| name == engine)
    }

    fn entries(&self, scene: &Scene, threads: usize) -> anyhow::Result<Vec<Entry>> {
        measure::entries(scene, threads, &|name| self.wants(name))
    }

    fn effort(&self) -> Effort {
        Effort { rounds: self.rounds.max(1), shorten: self.shorten.max(1), turns: 10 }
    }

    fn report(&self, machine: Machine, rows: Vec<Row>) -> Report {
        Report { machine, rounds: self.rounds, shortened: self.shorten, rows }
    }

    /// Prints a report and, unless told not to, writes it.
    fn publish(&self, mut report: Report, kind: &str) -> anyhow::Result<Option<PathBuf>> {
        report.machine.finish();
        println!("{}", report.markdown());
        if self.dry {
            return Ok(None);
        }
        let base = report.save(&self.out, kind)?;
        println!("written to {}.{{md,json,plots}}", base.display());
        Ok(Some(base))
    }
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Action::Table(choice) => table(&choice),
        Action::Scaling(choice) => scaling(&choice),
        Action::Ab { a, b, own_harness, contender, choice } => ab(&[a, b], own_harness, &contender, &choice),
        Action::Ratios(page) => page.publish("mass-ratios", pages::ratios),
        Action::Grid(page) => page.publish("grid45", pages::grid),
        Action::Stand(page) => page.publish("stand", pages::stand),
        Action::Refinement(choice) => refinement(&choice),
        Action::Fairness { steps, choice } => fairness(steps, &choice),
        Action::Build => {
            let mut done = Vec::new();
            for build in engines::CONTENDERS.iter().filter_map(|contender| contender.build) {
                if !done.contains(&build.name) {
                    builds::build_variant(build)?;
                    done.push(build.name);
                }
            }
            Ok(())
        }
        Action::List => {
            for scene in scenes::all() {
                println!("{:20} {}", scene.name, scene.about);
            }
            println!();
            for contender in engines::CONTENDERS {
                let there = measure::program_of(contender).is_ok_and(|program| program.is_file());
                let built = there && (contender.build.is_some() || engines::is_built_in(contender.engine));
                println!("{:24} {}", contender.name, if built { "built" } else { "not built" });
            }
            Ok(())
        }
        Action::Show { file } => {
            let report: Report = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
            println!("{}", report.markdown());
            Ok(())
        }
        Action::Worker { engine, scene, threads } => {
            if let Ok(expected) = std::env::var(measure::SOURCES_VARIABLE) {
                anyhow::ensure!(
                    expected == measure::SOURCES,
                    "built from an older harness: run `versus build` again"
                );
            }
            let scene = scenes::find(&scene).with_context(|| format!("no scene {scene:?}"))?;
            worker::serve(&scene, &engine, threads)
        }
    }
}

fn table(choice: &Choice) -> anyhow::Result<()> {
    let machine = Machine::look();
    let mut rows = Vec::new();
    for scene in choice.scenes() {
        for &threads in &choice.threads {
            // What is not stepping runs on one thread in every engine.
            if threads > 1 && scene.workload != scenes::Workload::Step {
                continue;
            }
            let entries = choice.entries(&scene, threads)?;
            eprintln!("{} × {threads}", scene.name);
            rows.push(measure::run_row(&scene, scene.name, threads, &entries, choice.effort())?);
        }
    }
    choice.publish(choice.report(machine, rows), "table")?;
    Ok(())
}

/// Scenes of the scaling plots with their sizes (the size is a base or a side where the scene's is).
const SCALING: &[(&str, &[usize])] = &[
    ("2d-pyramid", &[20, 40, 70, 100]),
    ("3d-pyramid-20", &[8, 12, 16, 20, 25, 30]),
    ("3d-pile", &[375, 750, 1500, 3000]),
    ("3d-grid45-400", &[10, 20, 40, 80]),
];

fn scaling(choice: &Choice) -> anyhow::Result<()> {
    let machine = Machine::look();
    let threads = if choice.threads == [1] { vec![1, 2] } else { choice.threads.clone() };
    let mut rows = Vec::new();
    for (name, sizes) in SCALING {
        if !choice.scene.is_empty() && !choice.scene.iter().any(|part| name.contains(part)) {
            continue;
        }
        for (&size, &threads) in
            sizes.iter().flat_map(|size| threads.iter().map(move |threads| (size, threads)))
        {
            let label = format!("{name}@{size}");
            let scene = scenes::find(&label).context("scaling scenes exist")?;
            eprintln!("{label} × {threads}");
            rows.push(measure::run_row(
                &scene,
                &label,
                threads,
                &choice.entries(&scene, threads)?,
                choice.effort(),
            )?);
        }
    }
    let report = choice.report(machine, rows);
    if let Some(base) = choice.publish(report.clone(), "scaling")? {
        for (name, _) in SCALING {
            for &count in &threads {
                let part: Vec<&Row> = report
                    .rows
                    .iter()
                    .filter(|row| row.threads == count && row.scene.starts_with(&format!("{name}@")))
                    .collect();
                let path = base.with_extension("plots").join(format!("scaling-{name}-{count}t.svg"));
                plot::scaling(&part, &format!("{name}, {count} thread(s)"), &path)?;
            }
        }
    }
    Ok(())
}

fn ab(revisions: &[String], own_harness: bool, contender: &str, choice: &Choice) -> anyhow::Result<()> {
    let mut entries = Vec::new();
    for (letter, revision) in ["a", "b"].iter().zip(revisions) {
        let version = builds::build_version(revision, contender, own_harness)?;
        entries.push(Entry {
            name: format!("{letter} {}", version.name),
            engine: contender.into(),
            program: version.program,
            same_sources: !own_harness,
        });
    }
    let machine = Machine::look();
    let mut rows = Vec::new();
    for scene in choice.scenes() {
        for &threads in &choice.threads {
            eprintln!("{} × {threads}", scene.name);
            let row = measure::run_row(&scene, scene.name, threads, &entries, choice.effort())?;
            // A version that lacks a feature has nothing to compare.
            if row.cells.iter().any(|cell| cell.missing.is_none()) {
                rows.push(row);
            }
        }
    }
    println!("{}", report::ab_table(&rows));
    choice.publish(choice.report(machine, rows), "ab")?;
    Ok(())
}

fn refinement(choice: &Choice) -> anyhow::Result<()> {
    let machine = Machine::look();
    let entry = |name: &str, engine: &str| Entry {
        name: name.into(),
        engine: engine.into(),
        program: "/proc/self/exe".into(),
        same_sources: true,
    };
    let entries = [entry("max_refinement = 1", engines::UNREFINED), entry("default", report::OURS)];
    let mut rows = Vec::new();
    for scene in choice.scenes().iter().filter(|scene| pages::PILES.contains(&scene.name)) {
        for &threads in &choice.threads {
            eprintln!("{} × {threads}", scene.name);
            rows.push(measure::run_row(scene, scene.name, threads, &entries, choice.effort())?);
        }
    }
    let text = pages::refinement(&choice.report(machine, rows));
    println!("{text}");
    if choice.dry { Ok(()) } else { pages::write("refinement", &text) }
}

fn fairness(steps: u32, choice: &Choice) -> anyhow::Result<()> {
    let folder = choice.out.join("fairness");
    std::fs::create_dir_all(&folder)?;
    let (mut checks, mut faulty) = (0, 0);
    let mut tell = |findings: Vec<fairness::Finding>| {
        for finding in findings {
            let verdict = match finding.missing {
                true => "n/a".into(),
                false if finding.faults.is_empty() => "same".into(),
                false => finding.faults.join("; "),
            };
            checks += 1;
            faulty += usize::from(!finding.faults.is_empty());
            println!("{:22} {:24} {verdict}", finding.scene, finding.engine);
        }
    };
    for dimension in [2, 3] {
        let scene = scenes::find(&format!("{dimension}d-free-fall")).context("check scenes exist")?;
        for threads in [1, 2] {
            for entry in choice.entries(&scene, threads)? {
                tell(fairness::check_flight(&entry, dimension, threads)?);
            }
        }
    }
    for scene in choice.scenes() {
        let entries = choice.entries(&scene, 1)?;
        tell(fairness::check_scene(&scene, &entries, steps, &folder)?);
    }
    println!(
        "pictures (first row: start, second row: after {steps} steps) and trajectories: {}",
        folder.display()
    );
    anyhow::ensure!(faulty == 0, "{faulty} of {checks} checks failed");
    Ok(())
}
