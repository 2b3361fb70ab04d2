//! What finding pairs costs per moved body with `bvh`, and how that grows with the number of bodies.

use crate::clock::{cpu, wall};
use crate::report::{Page, group, is_wanted, number};
use crate::scenes::{SCENES, Scene};
use topple::broad_phase::{BroadPhase, BroadPhaseBvh};
use topple::exec::{Executor, Pool, Serial};
use topple::math::*;

/// One run: ns of each update and search, by CPU time and on the wall, and what they did.
#[derive(Default)]
struct Run {
    times: Vec<[f64; 2]>,
    /// All steps together.
    moved: f64,
    found: f64,
    /// ns per body.
    build: f64,
}

impl Run {
    /// The faster time of every step.
    fn faster(mut self, other: Self) -> Self {
        for (a, b) in self.times.iter_mut().zip(&other.times) {
            *a = [a[0].min(b[0]), a[1].min(b[1])];
        }
        self.build = self.build.min(other.build);
        self
    }

    /// ns per moved body, by [`CPU`] or [`WALL`].
    fn per_moved(&self, clock: usize) -> f64 {
        self.times.iter().map(|times| times[clock]).sum::<f64>() / self.moved.max(1.0)
    }
}

/// Which of the two times.
const CPU: usize = 0;
const WALL: usize = 1;
/// Moved bodies per run, and the least and the most steps: rebuilds must fall into the window in their share.
const MOVED: usize = 700_000;
const STEPS: [usize; 2] = [24, 180];

type Make<D> = fn() -> Box<dyn BroadPhase<D>>;

fn run<D: Dim>(make: Make<D>, mut scene: Scene<D>, steps: usize, executor: &dyn Executor) -> Run {
    let mut method = make();
    let (mut run, mut out) = (Run::default(), Vec::new());
    let all: Vec<u32> = (0..scene.proxies.slots().len() as u32).collect();
    let ((), build) = cpu(|| {
        all.iter().for_each(|&i| method.insert(&scene.proxies, i));
        method.update(&scene.proxies, &all, executor);
    });
    run.build = build / all.len() as f64;
    method.find_pairs(&scene.proxies, &all, executor, &mut out);
    let warm_up = steps / 3;
    for step in 0..steps + warm_up {
        scene.step();
        out.clear();
        let (((), cpu), wall) = wall(|| {
            cpu(|| {
                method.update(&scene.proxies, &scene.moved, executor);
                method.find_pairs(&scene.proxies, &scene.moved, executor, &mut out);
            })
        });
        if step >= warm_up {
            run.times.push([cpu, wall]);
            run.moved += scene.moved.len() as f64;
            run.found += out.len() as f64;
        }
    }
    run
}

/// Runs on one thread and on several, in turns; keeps the fastest time of every step.
fn best<D: Dim>(make: Make<D>, which: usize, count: usize, pool: &Pool) -> [Run; 2] {
    let scene = Scene::<D>::make(which, count);
    let mut probe = scene.clone();
    // In some scenes all bodies start in the middle of their boxes.
    (0..STEPS[0]).for_each(|_| probe.step());
    let steps = (MOVED / probe.moved.len().max(1)).clamp(STEPS[0], STEPS[1]);
    let repeats = if count > 10_000 { 3 } else { 5 };
    let turn = || [run(make, scene.clone(), steps, &Serial), run(make, scene.clone(), steps, pool)];
    let mut best = turn();
    for _ in 1..repeats {
        let [a, b] = turn();
        let [best_a, best_b] = best;
        best = [best_a.faster(a), best_b.faster(b)];
    }
    best
}

fn growth<D: Dim>(page: &mut Page) {
    let make: Make<D> = || Box::<BroadPhaseBvh<D>>::default();
    let pool = Pool::new(2);
    page.head(
        &format!("`bvh`, {}D", D::N),
        &[
            "scene",
            "bodies",
            "moved per step",
            "ns per moved",
            "growth",
            "pairs per moved",
            "2 threads",
            "speed-up",
            "first build",
        ],
    );
    for (which, name) in SCENES.iter().enumerate() {
        let mut first = 0.0;
        for count in [1_000, 10_000, 100_000] {
            if !is_wanted(&format!("bvh, {name}, {}D", D::N)) {
                continue;
            }
            let [one, two] = best(make, which, count, &pool);
            if count == 1_000 {
                first = one.per_moved(CPU);
            }
            page.row(&[
                (*name).into(),
                group(count as f64),
                group(one.moved / one.times.len() as f64),
                number(one.per_moved(CPU)),
                format!("{:.2}", one.per_moved(CPU) / first),
                number(one.found / one.moved.max(1.0)),
                number(two.per_moved(WALL)),
                format!("{:.2}", one.per_moved(WALL) / two.per_moved(WALL)),
                number(one.build),
            ]);
        }
    }
}

/// Prints and writes the tables.
pub(crate) fn run_all() -> std::io::Result<()> {
    let mut page = Page::new(
        "broad-phase",
        "Growth of the broad phase",
        "What it costs `bvh`, the default, to take in the boxes that moved and to find their pairs, in nanoseconds per body that moved. *Growth* is
against the same scene with 1 000 bodies; in piles it includes that of the pairs per body, since fewer bodies are at the surface. Bodies asleep
are in the tree and cost nothing. *First build* is per body. Numbers of two threads are times on the wall, all others CPU time. Beside the
other methods: [every broad phase](methods.md).",
    );
    growth::<D2>(&mut page);
    growth::<D3>(&mut page);
    page.write()
}
