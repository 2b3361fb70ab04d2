//! All broad phases beside each other: what each costs per moved body, where it wins, how its cost grows.

use crate::clock::cpu;
use crate::report::{Page, group, is_wanted, number};
use crate::scenes::{SCENES, Scene};
use topple::broad_phase::MakeBroadPhase;
use topple::exec::Serial;
use topple::math::*;

/// Numbers of bodies.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// Steps of the scene before the bodies are put in: at the start they are all in the middle of their boxes.
const SETTLE: usize = 5;
/// Steps before the clock starts, and how many are measured at least and at most.
const WARM_UP: usize = 2;
const STEPS: [usize; 2] = [4, 60];
/// Runs of every method; they take turns.
const RUNS: usize = 2;
/// Time per run after which no further step is measured [ns].
const BUDGET: f64 = 1e8;
/// A step that takes longer than this [ns] is the only one that is measured.
const SLOW: f64 = 5e8;
/// Where a step, or to put all bodies in, would take longer than this [ns], the size is left out.
const PATIENCE: f64 = 8e9;
/// `bvh` is to be within this factor of the best.
const TARGET: f64 = 1.2;

/// What a run cost [ns].
#[derive(Clone, Copy)]
struct Cost {
    per_moved: f64,
    per_step: f64,
    /// To put all bodies in.
    attach: f64,
}

const UNKNOWN: Cost = Cost { per_moved: f64::INFINITY, per_step: f64::INFINITY, attach: f64::INFINITY };

impl Cost {
    fn min(self, other: Self) -> Self {
        if other.per_moved < self.per_moved { other } else { self }
    }
}

/// Runs a method in a scene for as many steps as the budget allows, or for a single one.
fn run<D: Dim>(make: MakeBroadPhase<D>, mut scene: Scene<D>) -> Cost {
    let mut method = make();
    let mut out = Vec::new();
    let ((), attach) = cpu(|| method.attach(&scene.proxies));
    let (mut sum, mut moved, mut count) = (0.0, 0.0, 0_usize);
    for step in 0..WARM_UP + STEPS[1] {
        scene.step();
        out.clear();
        let ((), time) = cpu(|| {
            method.update(&scene.proxies, &scene.moved, &Serial);
            method.find_pairs(&scene.proxies, &scene.moved, &Serial, &mut out);
        });
        if step >= WARM_UP || time > SLOW {
            (sum, moved, count) = (sum + time, moved + scene.moved.len() as f64, count + 1);
        }
        if time > SLOW || count >= STEPS[0] && sum > BUDGET {
            break;
        }
    }
    Cost { per_moved: sum / f64::max(moved, 1.0), per_step: sum / count.max(1) as f64, attach }
}

/// The costs of all methods with `count` bodies; `last` are those with a tenth of them.
fn costs<D: Dim>(which: usize, count: usize, last: &[Cost]) -> Vec<Cost> {
    let mut scene = Scene::<D>::make(which, count);
    (0..SETTLE).for_each(|_| scene.step());
    let mut costs = vec![UNKNOWN; last.len()];
    for turn in 0..RUNS {
        for ((&(.., make), cost), last) in topple::broad_phase::all::<D>().iter().zip(&mut costs).zip(last) {
            // Ten times the bodies are a hundred times the time, at worst.
            let worst = 100.0 * last.per_step.max(last.attach);
            let is_slow = cost.per_step > SLOW;
            if worst < PATIENCE && (turn == 0 || !is_slow) {
                *cost = cost.min(run(make, scene.clone()));
            }
        }
    }
    costs
}

/// Everything that was measured: by scene, by size, by method.
type Table = Vec<Vec<Vec<Cost>>>;

fn comparison<D: Dim>(page: &mut Page) -> Table {
    let methods = topple::broad_phase::all::<D>();
    let mut columns = vec!["scene", "bodies"];
    columns.extend(methods.iter().map(|entry| entry.0));
    columns.push("bvh / best");
    page.head(&format!("ns per moved body, {}D", D::N), &columns);
    let mut table = Table::new();
    for (which, name) in SCENES.iter().enumerate() {
        let nothing = Cost { per_moved: 0.0, per_step: 0.0, attach: 0.0 };
        let mut rows = Vec::new();
        let mut last = vec![nothing; methods.len()];
        if is_wanted(&format!("methods, {name}, {}D", D::N)) {
            for count in SIZES {
                last = costs::<D>(which, count, &last);
                page.row(&row(name, count, &last));
                rows.push(last.clone());
            }
        }
        table.push(rows);
    }
    table
}

fn best(costs: &[Cost]) -> f64 {
    costs.iter().map(|cost| cost.per_moved).fold(f64::INFINITY, f64::min)
}

fn row(name: &str, count: usize, costs: &[Cost]) -> Vec<String> {
    let best = best(costs);
    let mut cells = vec![name.to_string(), group(count as f64)];
    cells.extend(costs.iter().map(|cost| match cost.per_moved {
        cost if cost.is_infinite() => "–".into(),
        cost if cost == best => format!("**{}**", number(cost)),
        cost => number(cost),
    }));
    cells.push(format!("{:.2}", costs[0].per_moved / best));
    cells
}

/// Where each method is the best or within [`TARGET`] of it, and how the time of its steps grows.
fn summary<D: Dim>(page: &mut Page, table: &Table) {
    if table.iter().any(Vec::is_empty) {
        return;
    }
    let from = 10_000;
    let mut columns =
        vec!["method".to_string(), "best in".into(), format!("within {TARGET} × of the best in")];
    let growing = ["gas", "convoy", "pile, 2 % moving"];
    columns.extend(growing.iter().map(|name| format!("exponent, {name}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    page.head(&format!("Which wins where, {}D", D::N), &columns);
    for (method, (name, ..)) in topple::broad_phase::all::<D>().iter().enumerate() {
        let mut wins = Vec::new();
        let mut close = 0;
        for (scene, rows) in SCENES.iter().zip(table) {
            let sizes: Vec<String> = SIZES
                .iter()
                .zip(rows)
                .filter(|(_, costs)| costs[method].per_moved == best(costs))
                .map(|(&size, _)| group(size as f64))
                .collect();
            close += rows.iter().filter(|costs| costs[method].per_moved <= TARGET * best(costs)).count();
            if !sizes.is_empty() {
                wins.push(format!("{scene} ({})", sizes.join("; ")));
            }
        }
        let exponent = |scene: &&str| {
            let rows = &table[SCENES.iter().position(|name| name == scene)?];
            let at = SIZES.iter().position(|&size| size == from)?;
            let ratio = rows[at][method].per_step / rows[at - 1][method].per_step;
            ratio.is_finite().then(|| format!("{:.2}", ratio.log10()))
        };
        let mut cells = vec![format!("`{name}`")];
        cells.push(if wins.is_empty() { "–".into() } else { wins.join(", ") });
        cells.push(format!("{close} of {}", SCENES.len() * SIZES.len()));
        cells.extend(growing.iter().map(|scene| exponent(scene).unwrap_or_else(|| "–".into())));
        page.row(&cells);
    }
    let mut worst = (0.0, String::new());
    let mut in_convoy: f64 = 0.0;
    for (scene, rows) in SCENES.iter().zip(table) {
        for (&size, costs) in SIZES.iter().zip(rows).filter(|(size, _)| **size >= from) {
            let ratio = costs[0].per_moved / best(costs);
            if *scene == "convoy" {
                in_convoy = in_convoy.max(ratio);
            } else if ratio > worst.0 {
                worst = (ratio, format!("{scene}, {} bodies", group(size as f64)));
            }
        }
    }
    page.line(&format!(
        "\nFrom {} bodies on `bvh` takes at most {:.2} times what the best takes ({}); in the convoy, which is as `sort-and-sweep` likes it, {in_convoy:.2} times.",
        group(from as f64),
        worst.0,
        worst.1,
    ));
}

/// Prints and writes the tables.
pub(crate) fn run_all() -> std::io::Result<()> {
    let mut page = Page::new(
        "methods",
        "Every broad phase",
        "What it costs to take in the boxes that moved and to find their pairs, in nanoseconds of CPU time per body that moved. All methods find
the same pairs. The best is bold; a dash means that a step, or to put all bodies in, would take many seconds. The *exponent* is that of the time of a step
between 1 000 and 10 000 bodies: 1 is linear, 2 quadratic; the number of moved bodies grows with all bodies in these scenes. What the methods are:
[broad phases](../broad-phases/README.md).",
    );
    let plane = comparison::<D2>(&mut page);
    let space = comparison::<D3>(&mut page);
    summary::<D2>(&mut page, &plane);
    summary::<D3>(&mut page, &space);
    page.write()
}
