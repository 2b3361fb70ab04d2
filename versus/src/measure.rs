//! The coordinator: runs the contenders of a row in turns and gathers their figures.
//!
//! Absolute times on shared machines drift by tens of percent within minutes. So nobody runs alone: in every round each
//! contender advances a block of samples, then the next one, and so on until all are done; the next round starts with
//! another contender. What is reported is the median over rounds, with the spread.

use crate::engines::{CONTENDERS, Contender};
use crate::scenes::Scene;
use crate::worker::{Block, Finish, Ready};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// How much to run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Fresh processes per contender and row.
    pub rounds: u32,
    /// Samples are divided by this.
    pub shorten: u32,
    /// Turns per round: a round of n samples is run in blocks of n / turns.
    pub turns: u32,
}

/// Which clock a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Processor time: rows of one thread, where it is the same as the wall's on a quiet machine and steadier on a busy one.
    Cpu,
    /// The wall's: rows of several threads.
    Wall,
}

/// One row of the table: a scene at a number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Scene name, with size if it is not the usual one.
    pub scene: String,
    /// 2 or 3.
    pub dimension: u32,
    /// Threads.
    pub threads: usize,
    /// Clock of all times in this row.
    pub clock: Clock,
    /// One per contender.
    pub cells: Vec<Cell>,
}

/// One contender in one row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Contender.
    pub name: String,
    /// Why there are no figures; `None` if there are.
    pub missing: Option<String>,
    /// Version, settings, flags.
    pub version: String,
    /// Bodies loaded.
    pub bodies: usize,
    /// Mean time per sample without the first [ms]: median, lowest and highest over the rounds.
    pub ms: [f64; 3],
    /// The same mean by the wall's clock, median over the rounds [ms]; for speed-ups.
    pub wall_ms: f64,
    /// Median sample, all rounds [ms].
    pub p50_ms: f64,
    /// 99th percentile, all rounds [ms].
    pub p99_ms: f64,
    /// First sample, median over rounds [ms].
    pub first_ms: f64,
    /// Loading the scene, median over rounds [ms].
    pub create_ms: f64,
    /// Peak memory of the world, median over rounds [MiB].
    pub memory_mib: f64,
    /// Contacts and awake bodies at the end, as the engine counts them.
    pub counts: crate::engine::Counts,
    /// Quality figures of the first round; engines here repeat themselves.
    pub quality: BTreeMap<String, f64>,
    /// Parts of a sample [ms].
    pub parts: BTreeMap<String, f64>,
    /// Time of every sample, median over rounds [ms].
    pub series_ms: Vec<f32>,
}

/// Fingerprint of the harness this program was built from.
pub const SOURCES: &str = env!("VERSUS_SOURCES");

/// Tells a worker which fingerprint is expected.
pub const SOURCES_VARIABLE: &str = "VERSUS_EXPECTED_SOURCES";

/// A contender with the program to run it in.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name in the table.
    pub name: String,
    /// Engine asked for.
    pub engine: String,
    /// Executable.
    pub program: PathBuf,
    /// Must it be built from the same harness as this program.
    pub same_sources: bool,
}

/// Contenders of a row that pass the filter and whose executable exists.
pub fn entries(scene: &Scene, threads: usize, wanted: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for contender in CONTENDERS {
        let takes_part = if scene.dimension() == 2 { contender.two } else { contender.three };
        let fits = if threads == 1 { contender.one_thread } else { contender.many_threads };
        if takes_part && fits && wanted(contender.name) && is_there(contender) {
            entries.push(Entry {
                name: contender.name.into(),
                engine: contender.engine.into(),
                program: program_of(contender)?,
                same_sources: true,
            });
        }
    }
    Ok(entries)
}

fn is_there(contender: &Contender) -> bool {
    match contender.build {
        None => crate::engines::is_built_in(contender.engine),
        Some(_) => program_of(contender).is_ok_and(|path| path.is_file()),
    }
}

/// The executable of a contender: this one, or that of its variant (`versus build` makes them).
pub fn program_of(contender: &Contender) -> anyhow::Result<PathBuf> {
    match contender.build {
        // The link keeps working when the file behind it is built again during a long run.
        None => Ok("/proc/self/exe".into()),
        Some(build) => Ok(variant_dir(build.name).join("release").join(env!("CARGO_PKG_NAME"))),
    }
}

/// Target folder of a variant build.
pub fn variant_dir(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join("variants").join(name)
}

/// Runs one row.
///
/// # Errors
/// If a program cannot be started. An engine that lacks a feature or crashes only loses its cell.
pub fn run_row(
    scene: &Scene,
    label: &str,
    threads: usize,
    entries: &[Entry],
    effort: Effort,
) -> anyhow::Result<Row> {
    let clock = if threads == 1 { Clock::Cpu } else { Clock::Wall };
    let samples = (scene.samples / effort.shorten).max(2);
    let block = samples.div_ceil(effort.turns);
    let mut gathered: Vec<Gathered> = entries.iter().map(|_| Gathered::default()).collect();
    for round in 0..effort.rounds as usize {
        // Another one starts in each round, so that nobody always follows the same neighbour.
        let order: Vec<usize> = (0..entries.len()).map(|i| (i + round) % entries.len()).collect();
        let mut workers: Vec<Option<Worker>> = entries.iter().map(|_| None).collect();
        for &i in &order {
            workers[i] = gathered[i].start(&entries[i], label, threads)?;
        }
        let mut done = 0;
        while done < samples {
            let count = block.min(samples - done);
            for &i in &order {
                gathered[i].advance(&mut workers[i], count, clock);
            }
            done += count;
        }
        for &i in &order {
            gathered[i].finish(&mut workers[i]);
        }
    }
    let cells = entries.iter().zip(gathered).map(|(entry, gathered)| gathered.into_cell(entry)).collect();
    Ok(Row { scene: label.into(), dimension: scene.dimension(), threads, clock, cells })
}

/// A running worker process.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(entry: &Entry, scene: &str, threads: usize) -> anyhow::Result<Self> {
        let mut child = Command::new(&entry.program)
            .args(["worker", &entry.engine, scene, &threads.to_string()])
            // The last line of a worker's errors is its message only without these.
            .env("RUST_BACKTRACE", "0")
            .envs(entry.same_sources.then_some((SOURCES_VARIABLE, SOURCES)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", entry.program.display()))?;
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Ok(Self { child, input, output })
    }

    /// Reads one reply.
    ///
    /// # Errors
    /// With the worker's last words, if it died.
    pub fn receive<T: serde::de::DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            let status = self.child.wait()?;
            let mut words = String::new();
            if let Some(mut errors) = self.child.stderr.take() {
                errors.read_to_string(&mut words)?;
            }
            let last = words.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with("note:"));
            anyhow::bail!("{}: {}", status, last.unwrap_or("no message").trim());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// Sends a command and reads the reply.
    ///
    /// # Errors
    /// If the worker died.
    pub fn ask<T: serde::de::DeserializeOwned>(&mut self, command: &str) -> anyhow::Result<T> {
        // A dead worker's pipe is closed; its last words come from `receive`.
        let _ = writeln!(self.input, "{command}");
        self.receive()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The world may take long to tear down, and nobody needs it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the rounds of one contender have brought so far.
#[derive(Default)]
struct Gathered {
    missing: Option<String>,
    version: String,
    bodies: usize,
    create_ms: Vec<f64>,
    rounds: Vec<Vec<f64>>,
    wall: Vec<Vec<f64>>,
    memory_mib: Vec<f64>,
    finish: Option<Finish>,
}

impl Gathered {
    fn start(&mut self, entry: &Entry, scene: &str, threads: usize) -> anyhow::Result<Option<Worker>> {
        if self.missing.is_some() {
            return Ok(None);
        }
        let mut worker = Worker::start(entry, scene, threads)?;
        match worker.receive() {
            Ok(Ready::Loaded { version, create_ms, counts }) => {
                (self.version, self.bodies) = (version, counts.bodies);
                self.create_ms.push(create_ms);
                self.rounds.push(Vec::new());
                self.wall.push(Vec::new());
                return Ok(Some(worker));
            }
            Ok(Ready::Unsupported(reason)) => self.missing = Some(format!("n/a: {reason}")),
            Err(error) => self.missing = Some(format!("failed: {error}")),
        }
        Ok(None)
    }

    fn advance(&mut self, worker: &mut Option<Worker>, count: u32, clock: Clock) {
        let Some(running) = worker else { return };
        match running.ask::<Block>(&format!("run {count}")) {
            Ok(block) => {
                self.wall
                    .last_mut()
                    .expect("a round is open")
                    .extend(block.wall_ns.iter().map(|ns| ns / 1e6));
                let times = if clock == Clock::Cpu { block.cpu_ns } else { block.wall_ns };
                self.rounds.last_mut().expect("a round is open").extend(times.iter().map(|ns| ns / 1e6));
            }
            Err(error) => {
                self.missing = Some(format!("failed: {error}"));
                *worker = None;
            }
        }
    }

    fn finish(&mut self, worker: &mut Option<Worker>) {
        let Some(running) = worker else { return };
        match running.ask::<Finish>("finish") {
            Ok(finish) => {
                self.memory_mib.push(finish.memory_kib as f64 / 1024.0);
                self.finish.get_or_insert(finish);
            }
            Err(error) => self.missing = Some(format!("failed: {error}")),
        }
    }

    fn into_cell(self, entry: &Entry) -> Cell {
        let mut all: Vec<f64> = self.rounds.iter().flat_map(|round| round.iter().skip(1)).copied().collect();
        all.sort_by(f64::total_cmp);
        let means_of = |rounds: &[Vec<f64>]| -> Vec<f64> {
            rounds.iter().map(|round| mean(&round[1.min(round.len())..])).collect()
        };
        let means = means_of(&self.rounds);
        let firsts: Vec<f64> = self.rounds.iter().filter_map(|round| round.first().copied()).collect();
        let length = self.rounds.iter().map(Vec::len).min().unwrap_or(0);
        let sample =
            |i: usize| median(&self.rounds.iter().map(|round| round[i]).collect::<Vec<f64>>()) as f32;
        let counts = self.finish.as_ref().map(|finish| finish.counts).unwrap_or_default();
        Cell {
            name: entry.name.clone(),
            missing: self.missing,
            version: self.version,
            bodies: self.bodies,
            ms: [median(&means), lowest(&means), highest(&means)],
            wall_ms: median(&means_of(&self.wall)),
            p50_ms: percentile(&all, 0.5),
            p99_ms: percentile(&all, 0.99),
            first_ms: median(&firsts),
            create_ms: median(&self.create_ms),
            memory_mib: median(&self.memory_mib),
            counts,
            series_ms: (0..length).map(sample).collect(),
            quality: self.finish.as_ref().map(|finish| finish.quality.clone()).unwrap_or_default(),
            parts: self.finish.map(|finish| finish.parts_ms).unwrap_or_default(),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::min).unwrap_or(0.0)
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::max).unwrap_or(0.0)
}

/// Middle value, or the mean of the two middle ones; 0 for none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) * 0.5,
    }
}

/// Nearest-rank percentile of sorted values; 0 for none.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_known_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&hundred, 0.5), 50.0);
        assert_eq!(percentile(&hundred, 0.99), 99.0);
    }

    #[test]
    fn the_first_sample_is_reported_apart() {
        let gathered =
            Gathered { rounds: vec![vec![100.0, 1.0, 3.0], vec![90.0, 2.0, 4.0]], ..Gathered::default() };
        let entry =
            Entry { name: "x".into(), engine: "x".into(), program: PathBuf::new(), same_sources: true };
        let cell = gathered.into_cell(&entry);
        assert_eq!(cell.ms, [2.5, 2.0, 3.0]);
        assert_eq!(cell.first_ms, 95.0);
        assert_eq!(cell.series_ms, [95.0, 1.5, 3.5]);
    }

    #[test]
    fn two_thread_rows_have_no_serial_contender() {
        let scene = crate::scenes::find("3d-pyramid-10").expect("exists");
        let names = |threads| entries(&scene, threads, &|_| true).expect("entries");
        assert!(!names(2).iter().any(|entry| entry.name == "rapier"));
        assert!(names(1).iter().all(|entry| entry.name != "rapier-parallel"));
        assert!(names(1).iter().all(|entry| entry.name != "box2d"), "Box2D has no 3D");
    }
}
