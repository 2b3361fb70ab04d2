//! What finding pairs costs per moved body: `cargo run --release --example broad_phase_bench -- [filter [most bodies]]`.
//!
//! Prints ns per moved proxy for update and pair search, the growth from 1 000 bodies on, the first build, and rays per
//! second. Every run is the same, so each step is timed as the fastest of a few runs: what else the machine does falls
//! out.

use std::time::Instant;
use topple::broad_phase::{BroadPhase, BroadPhaseBvh, Proxies, Proxy, ProxyKind};
use topple::exec::{Executor, Pool, Serial};
use topple::math::*;
use topple::{D2, D3, Dim, Filter};

const MARGIN: Real = 0.1;
const DT: Real = 1.0 / 60.0;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as Real / (1 << 24) as Real
    }
    fn vector<D: Dim>(&mut self, low: Real, high: Real) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, low + (high - low) * self.unit()));
        v
    }
}

/// Bodies of one box each that fly straight and bounce off the walls of a cube.
struct Scene<D: Dim> {
    slots: Vec<Proxy<D>>,
    position: Vec<D::Vec>,
    velocity: Vec<D::Vec>,
    half: Vec<Real>,
    room: Real,
    /// One in so many bodies stirs in a step; others lie still. Zero: all fly.
    jitter: usize,
    random: Random,
}

impl<D: Dim> Scene<D> {
    /// `spacing` [m] between bodies of 1 m, speeds up to `speed` [m/s].
    fn new(count: usize, spacing: Real, speed: Real) -> Self {
        let side = (1..).find(|s: &usize| s.pow(D::N as u32) >= count).unwrap_or(1);
        let room = side as Real * spacing;
        let mut random = Random(7);
        let mut order: Vec<usize> = (0..count).collect();
        // In a gas, numbers of bodies say nothing about where they are; a pile was built in some order.
        for i in (1..count).rev().filter(|_| spacing > 1.0) {
            order.swap(i, (random.unit() * (i + 1) as Real) as usize % (i + 1));
        }
        let position: Vec<_> = order
            .iter()
            .map(|&i| {
                let mut p = D::Vec::ZERO;
                (0..D::N).for_each(|axis| p.set(axis, (i / side.pow(axis as u32) % side) as Real * spacing));
                p + random.vector::<D>(-0.2, 0.2) * (spacing - 1.0)
            })
            .collect();
        let velocity = (0..count).map(|_| random.vector::<D>(-speed, speed)).collect();
        let mut scene =
            Self { slots: Vec::new(), position, velocity, half: vec![0.5; count], room, jitter: 0, random };
        scene.slots = (0..count)
            .map(|i| Proxy {
                fat: scene.tight(i).grown(MARGIN),
                body: i as u32,
                kind: ProxyKind::Dynamic,
                filter: Filter::default(),
                is_sensor: false,
            })
            .collect();
        scene
    }

    fn tight(&self, i: usize) -> Aabb<D> {
        Aabb::around(self.position[i].into(), D::Vec::splat(self.half[i]))
    }

    /// Moves the bodies; returns whose fat box changed.
    fn step(&mut self) -> Vec<u32> {
        let mut moved = Vec::new();
        for i in 0..self.slots.len() {
            if self.jitter > 0 {
                if self.random.unit() * self.jitter as Real >= 1.0 {
                    continue;
                }
                self.position[i] += self.random.vector::<D>(-0.05, 0.05);
                self.slots[i].fat = self.tight(i).grown(MARGIN);
                moved.push(i as u32);
                continue;
            }
            let v = self.velocity[i];
            if v == D::Vec::ZERO {
                continue;
            }
            self.position[i] += v * DT;
            for axis in 0..D::N {
                let p = self.position[i].get(axis);
                if p < 0.0 && v.get(axis) < 0.0 || p > self.room && v.get(axis) > 0.0 {
                    self.velocity[i].set(axis, -v.get(axis));
                }
            }
            let tight = self.tight(i);
            if !self.slots[i].fat.contains(&tight) {
                self.slots[i].fat = tight.grown(MARGIN);
                moved.push(i as u32);
            }
        }
        moved
    }
}

/// One run: ns of each update and search, and what they did.
#[derive(Default)]
struct Run {
    update: Vec<f64>,
    pairs: Vec<f64>,
    /// Per step.
    moved: f64,
    /// Per moved body.
    found: f64,
    counters: [f64; 4],
    /// Per body.
    build: f64,
}

impl Run {
    /// The faster time of every step.
    fn faster(mut self, other: Self) -> Self {
        self.update.iter_mut().zip(&other.update).for_each(|(a, b)| *a = a.min(*b));
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(a, b)| *a = a.min(*b));
        self.build = self.build.min(other.build);
        self
    }

    /// ns per moved body of update and search.
    fn per_moved(&self) -> (f64, f64) {
        let moved = (self.moved * self.update.len() as f64).max(1.0);
        (self.update.iter().sum::<f64>() / moved, self.pairs.iter().sum::<f64>() / moved)
    }
}

fn run<D: Dim>(mut scene: Scene<D>, steps: usize, executor: &dyn Executor) -> Run {
    let mut method = BroadPhaseBvh::<D>::default();
    let mut run = Run::default();
    let mut out = Vec::new();
    let all: Vec<u32> = (0..scene.slots.len() as u32).collect();
    let proxies = Proxies::from_slots(scene.slots.clone());
    let start = Instant::now();
    all.iter().for_each(|&i| method.insert(&proxies, i));
    method.update(&proxies, &all, executor);
    run.build = start.elapsed().as_secs_f64() * 1e9 / all.len() as f64;
    method.find_pairs(&proxies, &all, executor, &mut out);
    let warm_up = steps / 3;
    let mut counters = Vec::new();
    let (mut moved_sum, mut found) = (0, 0);
    for step in 0..steps + warm_up {
        let moved = scene.step();
        let proxies = Proxies::from_slots(scene.slots.clone());
        if step == warm_up {
            method.counters(&mut counters);
            counters.clear();
        }
        out.clear();
        let start = Instant::now();
        method.update(&proxies, &moved, executor);
        let middle = Instant::now();
        method.find_pairs(&proxies, &moved, executor, &mut out);
        let end = Instant::now();
        if step >= warm_up {
            run.update.push((middle - start).as_secs_f64() * 1e9);
            run.pairs.push((end - middle).as_secs_f64() * 1e9);
            moved_sum += moved.len();
            found += out.len();
        }
    }
    method.counters(&mut counters);
    let moved = (moved_sum as f64).max(1.0);
    for (sum, (_, value)) in run.counters.iter_mut().zip(&counters) {
        *sum = *value as f64 / moved;
    }
    run.found = found as f64 / moved;
    run.moved = moved / steps as f64;
    run
}

fn sizes() -> impl Iterator<Item = usize> {
    let most = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    [1_000, 10_000, 100_000].into_iter().filter(move |&count| count <= most)
}

fn table<D: Dim>(title: &str, filter: &str, make: impl Fn(usize) -> Scene<D>) {
    let title = format!("{title} {}D", D::N);
    if !title.contains(filter) {
        return;
    }
    let pool = Pool::new(2);
    let mut first = 0.0;
    println!("\n{title}");
    println!(
        "{:>8} {:>9} {:>8} {:>8} {:>8} {:>7} | {:>9} | {:>8} {:>7} {:>7} | {:>7} {:>6} {:>6} {:>6} {:>6}",
        "bodies",
        "moved",
        "update",
        "pairs",
        "sum",
        "growth",
        "us/step",
        "2 thr.",
        "speedup",
        "build",
        "visited",
        "tested",
        "refit",
        "built",
        "found"
    );
    for count in sizes() {
        let steps = (3_000_000 / count).clamp(30, 100);
        let best = |executor: &dyn Executor| {
            (0..if count > 10_000 { 3 } else { 5 })
                .map(|_| run(make(count), steps, executor))
                .reduce(Run::faster)
                .unwrap_or_default()
        };
        let (one, two) = (best(&Serial), best(&pool));
        let (update, pairs) = one.per_moved();
        let sum = update + pairs;
        if count == 1_000 {
            first = sum;
        }
        let two_sum = two.per_moved().0 + two.per_moved().1;
        let [visited, tested, refitted, rebuilt] = one.counters;
        println!(
            "{count:8} {:9.0} {update:8.1} {pairs:8.1} {sum:8.1} {:6.2}x | {:9.1} | {two_sum:8.1} {:6.2}x {:7.1} | \
             {visited:7.1} {tested:6.1} {refitted:6.2} {rebuilt:6.2} {:6.2}",
            one.moved,
            sum / first,
            sum * one.moved * 1e-3,
            sum / two_sum,
            one.build,
            one.found,
        );
    }
}

fn rays<D: Dim>(filter: &str) {
    let title = format!("rays {}D", D::N);
    if !title.contains(filter) {
        return;
    }
    println!("\n{title}: nearest box, length of the room, in a gas");
    for count in sizes() {
        let scene = Scene::<D>::new(count, 2.0, 0.0);
        let proxies = Proxies::from_slots(scene.slots.clone());
        let mut method = BroadPhaseBvh::<D>::default();
        method.attach(&proxies);
        let mut random = Random(3);
        let rays: Vec<_> = (0..20_000)
            .map(|_| {
                (
                    random.vector::<D>(0.0, scene.room),
                    random.vector::<D>(-1.0, 1.0).normalize_or(D::Vec::axis(0)),
                )
            })
            .collect();
        let mut best = f64::INFINITY;
        let mut hits = 0;
        for _ in 0..5 {
            hits = 0;
            let start = Instant::now();
            for &(origin, direction) in &rays {
                let mut hit = false;
                let mut inv = D::Vec::ZERO;
                (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
                method.ray(
                    &proxies,
                    origin.into(),
                    direction,
                    scene.room,
                    D::Vec::ZERO,
                    &mut |index, max| {
                        let fat = &proxies.get(index).fat;
                        let (enter, _) = fat.ray(origin.into(), inv, max).unwrap_or((max, max));
                        hit = true;
                        enter.min(max)
                    },
                );
                hits += usize::from(hit);
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{count:8} bodies: {:6.2} million rays/s, {:.0} % hit",
            rays.len() as f64 / best * 1e-6,
            hits as f64 / rays.len() as f64 * 100.0
        );
    }
}

fn all<D: Dim>(filter: &str) {
    table::<D>("slow gas", filter, |n| Scene::new(n, 2.0, 4.0));
    table::<D>("fast gas", filter, |n| Scene::new(n, 2.0, 30.0));
    table::<D>("settled pile, 2 % stir", filter, |n| Scene { jitter: 50, ..Scene::new(n, 1.0, 0.0) });
    table::<D>("tumbling pile, 30 % stir", filter, |n| Scene { jitter: 3, ..Scene::new(n, 1.0, 0.0) });
    table::<D>("one big, many small", filter, |n| {
        let mut scene = Scene::<D>::new(n, 2.0, 4.0);
        scene.half[0] = scene.room * 0.25;
        scene.position[0] = D::Vec::splat(scene.room * 0.5);
        scene.slots[0].fat = scene.tight(0).grown(MARGIN);
        scene
    });
    table::<D>("100 awake, rest asleep", filter, |n| {
        let mut scene = Scene::<D>::new(n, 2.0, 4.0);
        scene.velocity[100..].fill(D::Vec::ZERO);
        scene
    });
    table::<D>("100 awake, rest static", filter, |n| {
        let mut scene = Scene::<D>::new(n, 2.0, 4.0);
        scene.velocity[100..].fill(D::Vec::ZERO);
        scene.slots[100..].iter_mut().for_each(|p| p.kind = ProxyKind::Static);
        scene
    });
    rays::<D>(filter);
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!(
        "ns per moved body; `found`: pairs reported per moved body; `build`: ns per body of the first step"
    );
    all::<D2>(&filter);
    all::<D3>(&filter);
}
