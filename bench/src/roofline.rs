//! How near the default solver is to what the machine can do: operations and bytes of a sub-step against the machine's peak
//! rate of both, measured in the same run; and the time per contact point as worlds grow.
//!
//! The time of a sub-step is the difference between steps with many and with few of them, so that preparation, contacts and
//! everything else that happens once per step falls out.

use crate::clock::cpu;
use crate::report::{Page, group, is_wanted, number};
use std::hint::black_box;
use topple::math::*;
use topple::solver::SolverSoftStep;
use topple::{BodyDef, Settings, Shape2, Shape3, ShapeDef, World};

/// Steps before anything is measured: contacts are kept from then on.
const SETTLE: usize = 20;
/// Sub-steps of the two runs that are compared.
const FEW: u32 = 4;
const MANY: u32 = 12;
/// Steps per measurement, and measurements; the least counts.
const STEPS: usize = 5;
const ROUNDS: usize = 12;
/// Floats in a cache line.
const LINE: usize = 16;
/// The stream reads this many lines for each that it writes back: about what the passes do.
const READS: usize = 4;
/// The stream goes over its array until it has seen this many bytes.
const STREAM: usize = 256 << 20;

pub(crate) fn run() -> std::io::Result<()> {
    let mut page = Page::new(
        "solver",
        "The default solver and the machine",
        "Pyramids of boxes, sleeping off. A *point* is a contact point. What a sub-step computes and moves follows from the layout of the rows\n\
         (`solver/soft_step/cost.rs`, where a test counts the operations); what the machine can do is measured here: multiplications\n\
         and additions without memory, with the instructions that the solver uses, and a stream that reads four cache lines for each that it writes, over as\n\
         much memory as the sub-steps touch. The *roof* is the larger of the two times. *Measured* is the difference between steps\n\
         of 12 and of 4 sub-steps, integration of the bodies included. All in nanoseconds per point and sub-step.",
    );
    let peak = peak_flops();
    page.line(&format!("\nPeak: {} operations per nanosecond without fusing.", number(peak)));
    page.head(
        "A sub-step",
        &[
            "scene",
            "contacts",
            "MiB",
            "stream GB/s",
            "flops",
            "bytes",
            "by flops",
            "by bytes",
            "measured",
            "share of the roof",
        ],
    );
    for base in [50, 100, 200] {
        substep(&mut page, &format!("2D, base {base}"), &flat(base), peak);
    }
    for base in [10, 20, 30] {
        substep(&mut page, &format!("3D, base {base}"), &square(base), peak);
    }
    page.head("Bodies without contacts", &["scene", "bodies", "ns per body and sub-step"]);
    bodies(&mut page, "2D, in flight", &flying::<D2>(&Shape2::rectangle(1.0, 1.0)));
    bodies(&mut page, "3D, in flight", &flying::<D3>(&Shape3::cuboid(1.0, 1.0, 1.0)));
    page.line(
        "\nOf the instructions of the passes a fifth is arithmetic. The rest loads rows, turns bodies into lanes and lanes into bodies, and keeps in memory what\n\
         has no register. In the plane there are four points to a body, so that moving the bodies is more than a third of a sub-step.",
    );
    page.head(
        "A whole step",
        &[
            "scene",
            "bodies",
            "points",
            "ms",
            "ns per point",
            "ns per point and sub-step",
            "against the smallest",
        ],
    );
    let mut first = None;
    for base in [50, 100, 200] {
        whole(&mut page, &format!("2D, base {base}"), &flat(base), &mut first);
    }
    first = None;
    for base in [10, 20, 30] {
        whole(&mut page, &format!("3D, base {base}"), &square(base), &mut first);
    }
    page.write()
}

fn flat(base: usize) -> World<D2> {
    let mut world = World::<D2>::new();
    let floor = BodyDef::fixed([0.0, -1.0]);
    world.create_body_with(floor, [ShapeDef::new(Shape2::rectangle(1000.0, 2.0))]).expect("a floor");
    for row in 0..base {
        for i in 0..base - row {
            let x = (i as f32 - (base - row - 1) as f32 * 0.5) * 1.05;
            let def = BodyDef::dynamic([x, 0.5 + row as f32]);
            world.create_body_with(def, [ShapeDef::new(Shape2::rectangle(1.0, 1.0))]).expect("a box");
        }
    }
    world
}

fn square(base: usize) -> World<D3> {
    let mut world = World::<D3>::new();
    let floor = BodyDef::fixed([0.0, -1.0, 0.0]);
    world.create_body_with(floor, [ShapeDef::new(Shape3::cuboid(400.0, 2.0, 400.0))]).expect("a floor");
    for layer in 0..base {
        let count = base - layer;
        let along = |i: usize| (i as f32 - (count - 1) as f32 * 0.5) * 1.05;
        for i in 0..count * count {
            let def = BodyDef::dynamic([along(i % count), 0.5 + layer as f32, along(i / count)]);
            world.create_body_with(def, [ShapeDef::new(Shape3::cuboid(1.0, 1.0, 1.0))]).expect("a box");
        }
    }
    world
}

/// Bodies far from each other.
fn flying<D: Dim>(shape: &D::Shape) -> World<D> {
    let mut world = World::<D>::new();
    for i in 0..5000_usize {
        let mut at = D::Vec::ZERO;
        at.set(0, 3.0 * (i % 100) as Real);
        at.set(1, 3.0 * (i / 100) as Real);
        let def = BodyDef::dynamic(D::Point::from_vec(at));
        world.create_body_with(def, [ShapeDef::new(shape.clone())]).expect("a body");
    }
    world
}

fn bodies<D: Dim>(page: &mut Page, name: &str, start: &World<D>) {
    if !is_wanted(name) {
        return;
    }
    let [few, many] = least([settled(start, FEW), settled(start, MANY)]);
    let count = start.body_count() as f64;
    let time = (many - few) / f64::from(MANY - FEW) / count;
    page.row(&[name.into(), group(count), number(time)]);
}

/// The world after a while, with `substeps`.
fn settled<D: Dim>(world: &World<D>, substeps: u32) -> World<D> {
    let mut copy = World::<D>::restore(&world.snapshot()).expect("our own snapshot");
    let settings = Settings { sleeping: false, ..copy.settings().clone() };
    copy.set_settings(settings.clone()).expect("sleeping off");
    (0..SETTLE).for_each(|_| copy.step());
    copy.set_settings(Settings { substeps, ..settings }).expect("another number of sub-steps");
    (0..2).for_each(|_| copy.step());
    copy
}

/// Least time of a step [ns] of each world, taking turns.
fn least<D: Dim, const C: usize>(mut worlds: [World<D>; C]) -> [f64; C] {
    let mut best = [f64::INFINITY; C];
    for _ in 0..ROUNDS {
        for (world, best) in worlds.iter_mut().zip(&mut best) {
            let ((), time) = cpu(|| (0..STEPS).for_each(|_| world.step()));
            *best = best.min(time / STEPS as f64);
        }
    }
    best
}

fn substep<D: Dim>(page: &mut Page, name: &str, start: &World<D>, peak: f64) {
    if !is_wanted(name) {
        return;
    }
    let worlds = [settled(start, FEW), settled(start, MANY)];
    let counters = worlds[0].profile().counters;
    let [few, many] = least(worlds);
    let time = (many - few) / f64::from(MANY - FEW);
    let cost = SolverSoftStep::<D>::cost();
    let (contacts, points, bodies) =
        (f64::from(counters.contacts), f64::from(counters.points), f64::from(counters.awake));
    let flops = contacts * (cost.solve.flops + cost.relax.flops) as f64;
    let moved = |pass: topple::solver::soft_step::PassCost| (pass.read + pass.written) as f64;
    let bytes = contacts * (moved(cost.solve) + moved(cost.relax)) + bodies * moved(cost.bodies);
    let touched = contacts * cost.row_bytes as f64 + bodies * cost.body_bytes as f64;
    let stream = stream(touched as usize);
    let roof = (flops / peak).max(bytes / stream);
    page.row(&[
        name.into(),
        group(contacts),
        number(touched / f64::from(1 << 20)),
        number(stream),
        number(flops / points),
        number(bytes / points),
        number(flops / peak / points),
        number(bytes / stream / points),
        number(time / points),
        format!("{:.0} %", 100.0 * roof / time),
    ]);
}

fn whole<D: Dim>(page: &mut Page, name: &str, start: &World<D>, first: &mut Option<f64>) {
    if !is_wanted(name) {
        return;
    }
    let world = settled(start, FEW);
    let counters = world.profile().counters;
    let [time] = least([world]);
    let per_point = time / f64::from(counters.points);
    let first = *first.get_or_insert(per_point);
    page.row(&[
        name.into(),
        group(f64::from(counters.awake)),
        group(f64::from(counters.points)),
        number(time * 1e-6),
        number(per_point),
        number(per_point / f64::from(FEW)),
        format!("{:.2}×", per_point / first),
    ]);
}

/// Operations per nanosecond of multiplications and additions that wait for nothing.
fn peak_flops() -> f64 {
    const REPEATS: usize = 20_000;
    let mut best = 0.0_f64;
    for _ in 0..50 {
        let (count, time) = cpu(|| burn(REPEATS));
        best = best.max(count as f64 / time);
    }
    best
}

/// Does arithmetic in registers; returns how many operations that were.
#[cfg(target_arch = "x86_64")]
fn burn(repeats: usize) -> usize {
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn wide(repeats: usize) -> usize {
        lanes::<8>(repeats)
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: just asked for.
        unsafe { wide(repeats) }
    } else {
        lanes::<4>(repeats)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn burn(repeats: usize) -> usize {
    lanes::<4>(repeats)
}

/// Chains of multiplications and of additions, as many as hide their latency, `L` lanes each.
#[inline(always)]
fn lanes<const L: usize>(repeats: usize) -> usize {
    const CHAINS: usize = 6;
    let factor = black_box([1.000_000_1_f32; L]);
    let summand = black_box([1e-9_f32; L]);
    let mut products = [[1.0_f32; L]; CHAINS];
    let mut sums = [[1.0_f32; L]; CHAINS];
    for _ in 0..repeats {
        for chain in 0..CHAINS {
            for lane in 0..L {
                products[chain][lane] *= factor[lane];
                sums[chain][lane] += summand[lane];
            }
        }
    }
    black_box((products, sums));
    2 * CHAINS * L * repeats
}

/// Bytes per nanosecond, read and written together, of a stream over `bytes` of memory.
fn stream(bytes: usize) -> f64 {
    let mut lines = vec![[1.0_f32; LINE]; (bytes / size_of::<[f32; LINE]>()).max(READS)];
    let passes = (STREAM / bytes).max(2);
    let mut best = 0.0_f64;
    for _ in 0..8 {
        let (sum, time) = cpu(|| (0..passes).map(|_| pass(&mut lines)).sum::<f32>());
        black_box(sum);
        let moved = passes * lines.len() * size_of::<[f32; LINE]>() * (READS + 1) / READS;
        best = best.max(moved as f64 / time);
    }
    best
}

/// Reads all lines and writes every fourth, with the widest instructions that the solver would use.
#[inline(never)]
fn pass(lines: &mut [[f32; LINE]]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    {
        /// # Safety
        /// The processor has AVX2.
        #[target_feature(enable = "avx2")]
        unsafe fn wide(lines: &mut [[f32; LINE]]) -> f32 {
            lines_pass(lines)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: just asked for.
            return unsafe { wide(lines) };
        }
    }
    lines_pass(lines)
}

#[inline(always)]
fn lines_pass(lines: &mut [[f32; LINE]]) -> f32 {
    let same = black_box(1.0_f32);
    let mut sums = [[0.0_f32; LINE]; READS];
    let (blocks, _) = lines.as_chunks_mut::<READS>();
    for block in blocks {
        for i in 0..READS {
            for lane in 0..LINE {
                sums[i][lane] += block[i][lane];
            }
        }
        for lane in 0..LINE {
            block[0][lane] *= same;
        }
    }
    sums.iter().flatten().sum()
}
