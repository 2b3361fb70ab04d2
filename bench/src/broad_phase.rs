//! What finding pairs costs per moved body, how that grows with the number of bodies, and which method wins where.

use crate::clock::{cpu, wall};
use crate::report::{Page, group, is_wanted, number};
use crate::scenes::{SCENES, Scene};
use topple::broad_phase::{BroadPhase, BroadPhaseBvh};
use topple::exec::{Executor, Pool, Serial};
use topple::math::*;

/// One run: ns of each update and search, and what they did.
#[derive(Default)]
struct Run {
    times: Vec<f64>,
    /// All steps together.
    moved: f64,
    found: f64,
    /// ns per body.
    build: f64,
}

impl Run {
    /// The faster time of every step.
    fn faster(mut self, other: Self) -> Self {
        self.times.iter_mut().zip(&other.times).for_each(|(a, b)| *a = a.min(*b));
        self.build = self.build.min(other.build);
        self
    }

    /// ns per moved body.
    fn per_moved(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.moved.max(1.0)
    }
}

type Make<D> = fn() -> Box<dyn BroadPhase<D>>;
/// Runs work and tells the time it took [ns].
type Clock = fn(&mut dyn FnMut()) -> f64;

fn run<D: Dim>(
    make: Make<D>,
    mut scene: Scene<D>,
    steps: usize,
    executor: &dyn Executor,
    clock: Clock,
) -> Run {
    let mut method = make();
    let (mut run, mut out) = (Run::default(), Vec::new());
    let all: Vec<u32> = (0..scene.proxies.slots().len() as u32).collect();
    run.build = clock(&mut || {
        all.iter().for_each(|&i| method.insert(&scene.proxies, i));
        method.update(&scene.proxies, &all, executor);
    }) / all.len() as f64;
    method.find_pairs(&scene.proxies, &all, executor, &mut out);
    let warm_up = steps / 3;
    for step in 0..steps + warm_up {
        scene.step();
        out.clear();
        let time = clock(&mut || {
            method.update(&scene.proxies, &scene.moved, executor);
            method.find_pairs(&scene.proxies, &scene.moved, executor, &mut out);
        });
        if step >= warm_up {
            run.times.push(time);
            run.moved += scene.moved.len() as f64;
            run.found += out.len() as f64;
        }
    }
    run
}

/// Repeats a run and keeps the fastest time of every step.
fn best<D: Dim>(make: Make<D>, which: usize, count: usize, executor: &dyn Executor, clock: Clock) -> Run {
    let scene = Scene::<D>::make(which, count);
    let steps = (1_500_000 / count).clamp(24, 90);
    let repeats = if count > 10_000 { 3 } else { 5 };
    (0..repeats)
        .map(|_| run(make, scene.clone(), steps, executor, clock))
        .reduce(Run::faster)
        .unwrap_or_default()
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
            let one = best(make, which, count, &Serial, |work| cpu(work).1);
            let one_wall = best(make, which, count, &Serial, |work| wall(work).1);
            let two = best(make, which, count, &pool, |work| wall(work).1);
            if count == 1_000 {
                first = one.per_moved();
            }
            page.row(&[
                (*name).into(),
                group(count as f64),
                group(one.moved / one.times.len() as f64),
                number(one.per_moved()),
                format!("{:.2}", one.per_moved() / first),
                number(one.found / one.moved.max(1.0)),
                number(two.per_moved()),
                format!("{:.2}", one_wall.per_moved() / two.per_moved()),
                number(one.build),
            ]);
        }
    }
}

/// Prints and writes the tables.
pub(crate) fn run_all() -> std::io::Result<()> {
    let mut page = Page::new(
        "broad-phase",
        "Broad phases",
        "What it costs to take in the boxes that moved and to find their pairs, in nanoseconds per body that moved. *Growth* is against the
same scene with 1 000 bodies. *First build* is per body. Numbers of two threads are times on the wall, all others CPU time.",
    );
    growth::<D2>(&mut page);
    growth::<D3>(&mut page);
    page.write()
}
