//! One engine, one scene, one process. The coordinator (`measure.rs`) tells it to advance block by block.
//!
//! A process per contender keeps peak memory apart, survives a crash of one engine, and lets contenders come from different
//! builds. While one advances, the others wait in a read and use no processor.
//!
//! Commands are lines on standard input (`run N`, `finish`, `poses`, `read-back`); every reply is one line of JSON.

use crate::engine::Counts;
use crate::scenes::{Scene, Workload};
use crate::world::{self, World};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Instant;

/// First line of a worker.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub enum Ready {
    /// The scene is loaded.
    Loaded {
        /// Version, settings, flags.
        version: String,
        /// Time to load the scene [ms].
        create_ms: f64,
        /// What was loaded.
        counts: Counts,
    },
    /// The engine lacks something the scene needs.
    Unsupported(String),
}

/// Times of the samples of one block.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Block {
    /// Wall-clock time per sample [ns].
    pub wall_ns: Vec<f64>,
    /// Processor time of all threads per sample [ns].
    pub cpu_ns: Vec<f64>,
}

/// Last line of a worker.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Finish {
    /// Quality figures.
    pub quality: BTreeMap<String, f64>,
    /// Growth of the resident size from before the world was made to its peak [KiB].
    pub memory_kib: u64,
    /// The world at the end.
    pub counts: Counts,
    /// Parts of a sample, where a sample has parts [ms].
    pub parts_ms: BTreeMap<String, f64>,
}

/// Steps per sample of a sleeping world: one alone is shorter than reading the clock.
const ASLEEP_STEPS: u32 = 100;

/// Serves one coordinator until it closes the pipe.
///
/// # Errors
/// If a pipe breaks or a command is unknown.
pub fn serve(scene: &Scene, engine: &str, threads: usize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let before_kib = memory_kib("VmRSS:");
    let mut world = match world::load(scene, engine, threads) {
        Ok(world) => world,
        Err(missing) => return reply(&mut out, &Ready::Unsupported(missing.0)),
    };
    prepare(scene, world.as_mut());
    let version = crate::engines::version(engine);
    reply(&mut out, &Ready::Loaded { version, create_ms: world.load_ms(), counts: world.counts() })?;

    let mut parts = Parts::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("run", count) => {
                let mut block = Block::default();
                for _ in 0..count.parse::<u32>()? {
                    sample(scene, world.as_mut(), &mut block, &mut parts);
                }
                reply(&mut out, &block)?;
            }
            ("finish", _) => {
                // Before the quality figures, whose own tables would count as the engine's memory.
                let memory_kib = memory_kib("VmHWM:").saturating_sub(before_kib);
                let counts = world.counts();
                let finish = Finish {
                    quality: world.quality(scene.metrics),
                    memory_kib,
                    counts,
                    parts_ms: parts.means(),
                };
                reply(&mut out, &finish)?;
            }
            ("poses", _) => reply(&mut out, &world.poses())?,
            ("read-back", _) => reply(&mut out, &world.read_back())?,
            (other, _) => anyhow::bail!("unknown command {other:?}"),
        }
    }
    Ok(())
}

/// Brings the world to the state in which its samples mean what they say.
fn prepare(scene: &Scene, world: &mut dyn World) {
    match scene.workload {
        Workload::Step | Workload::CreateDestroy => {}
        Workload::Rays(_) => (0..60).for_each(|_| world.step()),
        Workload::Asleep => {
            for _ in 0..600 {
                world.step();
                if world.counts().awake == Some(0) {
                    break;
                }
            }
        }
    }
}

fn sample(scene: &Scene, world: &mut dyn World, block: &mut Block, parts: &mut Parts) {
    match scene.workload {
        Workload::Step => {
            world.spawn();
            block.time(1, || world.step());
        }
        Workload::Asleep => block.time(ASLEEP_STEPS, || (0..ASLEEP_STEPS).for_each(|_| world.step())),
        Workload::Rays(count) => {
            let mut sum = 0.0;
            block.time(1, || sum = world.cast_rays(count));
            parts.add("mean fraction", sum / f64::from(count));
        }
        Workload::CreateDestroy => {
            world.renew();
            block.time(1, || {
                parts.time("create ms", || world.fill());
                parts.time("first step ms", || world.step());
                parts.time("destroy ms", || world.clear());
            });
        }
    }
}

impl Block {
    fn time(&mut self, divisor: u32, work: impl FnOnce()) {
        let (cpu, wall) = (cpu_ns(), Instant::now());
        work();
        let wall = wall.elapsed().as_nanos() as f64;
        self.wall_ns.push(wall / f64::from(divisor));
        self.cpu_ns.push((cpu_ns() - cpu) as f64 / f64::from(divisor));
    }
}

/// Sums of the parts of samples.
#[derive(Default)]
struct Parts(BTreeMap<String, (f64, u32)>);

impl Parts {
    fn add(&mut self, name: &str, value: f64) {
        let entry = self.0.entry(name.to_owned()).or_default();
        *entry = (entry.0 + value, entry.1 + 1);
    }

    fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed().as_secs_f64() * 1e3);
        result
    }

    fn means(&self) -> BTreeMap<String, f64> {
        self.0.iter().map(|(name, (sum, count))| (name.clone(), sum / f64::from(*count))).collect()
    }
}

fn reply(out: &mut impl Write, value: &impl serde::Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Processor time of this process, all threads [ns].
fn cpu_ns() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on Linux and the result goes to a live local.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A line of `/proc/self/status` [KiB]; 0 where there is none.
fn memory_kib(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status.lines().find_map(|text| text.strip_prefix(line));
    value.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
