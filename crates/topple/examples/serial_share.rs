//! How much of a step only one thread can do, and how fast two could be at most: measured on one thread, which tells more on a machine
//! with other work to do than timing two.
//!
//! `serial_share [steps]`. A stage of p pieces takes two threads ⌈p/2⌉/p of its time at best; what is not handed out, all of it.
//!
//! `serial_share [steps] measured`: how fast two are, beside one in turns. For machines with nothing else to do. A third word picks worlds by their names.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use topple::exec::{Executor, Pool};
use topple::math::{Vec2, sin_cos};
use topple::world::STAGES;
use topple::*;

/// Does everything itself, and notes how long that took [ns].
#[derive(Default)]
struct Clocked {
    /// In stages that were handed out.
    inside: AtomicU64,
    /// What two threads would have needed for them at best.
    halved: AtomicU64,
    /// When each of them began, and how long it took.
    calls: Mutex<Vec<(Instant, Duration)>>,
}

impl Clocked {
    fn time(&self, pieces: usize, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        let elapsed = start.elapsed();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push((start, elapsed));
        let time = elapsed.as_nanos() as u64;
        self.inside.fetch_add(time, Ordering::Relaxed);
        let halved = if pieces == 0 { time } else { time * pieces.div_ceil(2) as u64 / pieces as u64 };
        self.halved.fetch_add(halved, Ordering::Relaxed);
    }
}

// SAFETY: one piece after the other, each once.
unsafe impl Executor for Clocked {
    fn threads(&self) -> usize {
        // It stands for two.
        2
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        self.time(pieces, || (0..pieces).for_each(work));
    }
}

fn main() -> Result<(), Error> {
    let steps = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let is_measured = std::env::args().nth(2).is_some_and(|text| text == "measured");
    if is_measured {
        println!(
            "{:<22} {:>8} {:>9} {:>9} {:>8} {:>8}",
            "world", "contacts", "one [ms]", "two [ms]", "medians", "minima"
        );
    } else {
        println!(
            "{:<22} {:>8} {:>9} {:>8} {:>8}   what is not handed out, by stage [% of the step]",
            "world", "contacts", "step [ms]", "serial", "2 thr."
        );
    }
    let only = std::env::args().nth(3).unwrap_or_default();
    let run = Run { steps, is_measured, only: &only };
    run.show("plane: pyramid", flat_pyramid)?;
    run.show("plane: turning square", tumbler)?;
    run.show("space: pyramid", square_pyramid)?;
    run.show("space: wall, struck", wall)?;
    run.show("space: heap", heap)?;
    run.show("space: terrain", terrain)?;
    Run { steps: steps / 4, ..run }.show("space: drum, falling", drum)?;
    run.show("space: drum", drum)
}

/// What to do with each world.
#[derive(Clone, Copy)]
struct Run<'a> {
    steps: usize,
    is_measured: bool,
    /// Only worlds with this in their names.
    only: &'a str,
}

impl Run<'_> {
    fn show<D: Dim>(self, name: &str, make: impl Fn() -> Result<World<D>, Error>) -> Result<(), Error> {
        if !name.contains(self.only) {
            return Ok(());
        }
        if self.is_measured {
            measure(name, [make()?, make()?], self.steps);
        } else {
            show(name, make()?, self.steps);
        }
        Ok(())
    }
}

/// Steps that one world takes before it is the other's turn.
const TURN: usize = 10;

/// One thread and two in turns, the second half of the steps. The first step of a turn is left out: the second thread has to wake.
fn measure<D: Dim>(name: &str, mut worlds: [World<D>; 2], steps: usize) {
    worlds[1].set_executor(Arc::new(Pool::new(2)));
    let mut times = [Vec::new(), Vec::new()];
    let mut stages = [const { Vec::new() }; STAGES.len()].map(|none: Vec<f64>| [none.clone(), none]);
    for from in (0..steps).step_by(TURN) {
        for (which, (world, times)) in worlds.iter_mut().zip(&mut times).enumerate() {
            for step in from..from + TURN {
                world.step();
                if step > from && step >= steps / 2 {
                    times.push(world.profile().total.as_secs_f64() * 1e3);
                    for (times, (stage, _)) in stages.iter_mut().zip(STAGES) {
                        times[which].push(world.profile().stage(stage).as_secs_f64() * 1e6);
                    }
                }
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let at =
        |times: &[f64], share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(1.0);
    let [one, two] = [at(&times[0], 0.5), at(&times[1], 0.5)];
    let by_stage = stages.iter_mut().zip(STAGES).map(|(times, (_, name))| {
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        format!("{name} {:.0} {:.0}", at(&times[0], 0.25), at(&times[1], 0.25))
    });
    let by_stage = by_stage.collect::<Vec<_>>().join(", ");
    println!(
        "{name:<22} {:>8} {one:>9.3} {two:>9.3} {:>8.2} {:>8.2}   {by_stage}",
        worlds[0].profile().counters.contacts,
        one / two,
        at(&times[0], 0.0) / at(&times[1], 0.0)
    );
}

fn show<D: Dim>(name: &str, mut world: World<D>, steps: usize) {
    let clock = Arc::new(Clocked::default());
    world.set_executor(clock.clone());
    let mut samples = Vec::new();
    let mut serial_stages = [0.0; STAGES.len()];
    for step in 0..steps {
        let before = (clock.inside.load(Ordering::Relaxed), clock.halved.load(Ordering::Relaxed));
        clock.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let start = Instant::now();
        world.step();
        let inside = (clock.inside.load(Ordering::Relaxed) - before.0) as f64 * 1e-6;
        let halved = (clock.halved.load(Ordering::Relaxed) - before.1) as f64 * 1e-6;
        if step < steps / 2 {
            continue;
        }
        let total = world.profile().total.as_secs_f64() * 1e3;
        samples.push((total, (total - inside) / total, total / (total - inside + halved)));
        let calls = clock.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut end = start;
        for (sum, (stage, _)) in serial_stages.iter_mut().zip(STAGES) {
            let (from, time) = (end, world.profile().stage(stage));
            end += time;
            let is_within = |(at, _): &&(Instant, Duration)| (from..end).contains(at);
            let shared: Duration = calls.iter().filter(is_within).map(|(_, time)| *time).sum();
            *sum += time.saturating_sub(shared).as_secs_f64() * 1e3 / total;
        }
    }
    let median = |of: fn(&(f64, f64, f64)) -> f64| {
        let mut values = samples.iter().map(of).collect::<Vec<_>>();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let (total, serial, speed) = (median(|s| s.0), median(|s| s.1), median(|s| s.2));
    let contacts = world.profile().counters.contacts;
    let alone = STAGES.iter().zip(serial_stages);
    let alone =
        alone.map(|((_, name), sum)| format!("{name} {:.1}", 100.0 * sum / samples.len().max(1) as f64));
    println!(
        "{name:<22} {contacts:>8} {total:>9.3} {:>6.1} % {speed:>8.2}   {}",
        serial * 100.0,
        alone.collect::<Vec<_>>().join(", ")
    );
}

fn settings<D: Dim>() -> Settings<D> {
    Settings { sleeping: false, ..Settings::default() }
}

fn flat_pyramid() -> Result<World2, Error> {
    let mut world = World2::with_settings(settings())?;
    world.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(400.0, 2.0)])?;
    for row in 0..100 {
        for i in 0..100 - row {
            let x = (i as f32 - (100 - row) as f32 * 0.5 + 0.5) * 1.05;
            let at = BodyDef2::dynamic([x, 0.5 + row as f32]);
            world.create_body_with(at, [Shape2::rectangle(1.0, 1.0)])?;
        }
    }
    Ok(world)
}

/// 2 025 boxes in a square that turns.
fn tumbler() -> Result<World2, Error> {
    let mut world = World2::with_settings(settings())?;
    let mut def = BodyDef2::kinematic([0.0, 0.0]);
    def.angular_velocity = 0.44;
    let wall = |x: f32, y: f32, w: f32, h: f32| ShapeDef::new(Shape2::rectangle(w, h)).at(Pose2::at([x, y]));
    let walls = [
        wall(10.0, 0.0, 1.0, 20.0),
        wall(-10.0, 0.0, 1.0, 20.0),
        wall(0.0, 10.0, 20.0, 1.0),
        wall(0.0, -10.0, 20.0, 1.0),
    ];
    world.create_body_with(def, walls)?;
    for i in 0..45 * 45 {
        let at = [-8.0 + (i % 45) as f32 * 0.36, -8.0 + (i / 45) as f32 * 0.36];
        world.create_body_with(BodyDef2::dynamic(at), [Shape2::rectangle(0.25, 0.25)])?;
    }
    Ok(world)
}

fn square_pyramid() -> Result<World3, Error> {
    let mut world = World3::with_settings(settings())?;
    world.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)])?;
    for layer in 0..20 {
        let count = 20 - layer;
        let along = |i: usize| (i as f32 - count as f32 * 0.5 + 0.5) * 1.05;
        for i in 0..count * count {
            let at = [along(i % count), 0.5 + layer as f32, along(i / count)];
            world.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(1.0, 1.0, 1.0)])?;
        }
    }
    Ok(world)
}

/// 2 744 spheres, boxes and capsules on a heap.
fn heap() -> Result<World3, Error> {
    let mut world = World3::with_settings(settings())?;
    world.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)])?;
    for i in 0..14 * 14 * 14 {
        let (x, y, z) = (i % 14, i / 196, i / 14 % 14);
        let at = [x as f32 + 0.01 * (y % 3) as f32, 0.5 + y as f32, z as f32];
        let shape = match i % 3 {
            0 => Shape3::sphere(0.5),
            1 => Shape3::cuboid(1.0, 1.0, 1.0),
            _ => Shape3::capsule_y(0.5, 0.25),
        };
        world.create_body_with(BodyDef3::dynamic(at), [shape])?;
    }
    Ok(world)
}

/// 1 000 spheres, boxes and capsules on hills of 20 000 triangles.
fn terrain() -> Result<World3, Error> {
    let height =
        |x: f32, z: f32| 1.5 * sin_cos(0.25 * x).0 * sin_cos(0.2 * z).1 + 0.3 * sin_cos(x + 0.7 * z).0;
    let hills = shape::d3::mesh::generate::terrain(Vec2::splat(100.0), [100; 2], height)?;
    let mut world = World3::with_settings(settings())?;
    let ground = Shape3::mesh(&hills.vertices, &hills.triangles)?;
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [ground])?;
    for i in 0..1000 {
        let (x, z) = (((i % 32) as f32 - 15.5) * 2.0, ((i / 32) as f32 - 15.5) * 2.0);
        let shape = match i % 3 {
            0 => Shape3::sphere(0.4),
            1 => Shape3::cuboid(0.9, 0.6, 0.7),
            _ => Shape3::capsule_y(0.6, 0.25),
        };
        world.create_body_with(BodyDef3::dynamic([x, height(x, z) + 2.0, z]), [shape])?;
    }
    Ok(world)
}

/// 1 000 bricks that a heavy ball has struck.
fn wall() -> Result<World3, Error> {
    let mut world = World3::with_settings(settings())?;
    world.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(120.0, 2.0, 120.0)])?;
    for i in 0..1000 {
        let (row, column) = (i / 40, i % 40);
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        let at = [column as f32 - 20.0 + shift, 0.25 + 0.5 * row as f32, 0.0];
        world.create_body_with(BodyDef3::dynamic(at), [Shape3::cuboid(1.0, 0.5, 0.5)])?;
    }
    let mut def = BodyDef3::dynamic([0.0, 5.0, 15.0]);
    def.linear_velocity = Vec3::new(0.0, 0.0, -30.0);
    let mut ball = ShapeDef::new(Shape3::sphere(1.0));
    ball.density = 5.0;
    world.create_body_with(def, [ball])?;
    Ok(world)
}

/// 8 000 boxes in a drum with paddles that turns about z.
fn drum() -> Result<World3, Error> {
    let mut world = World3::with_settings(settings())?;
    let (radius, depth) = (9.0_f32, 6.5);
    let mut walls = Vec::new();
    for i in 0..32 {
        let turn = Quat::from_rotation_z(i as f32 / 32.0 * core::f32::consts::TAU);
        let mut wall = |distance: f32, size: [f32; 3]| {
            let place = Pose3::new(turn * Vec3::new(distance, 0.0, 0.0), turn);
            walls.push(ShapeDef::new(Shape3::cuboid(size[0], size[1], size[2])).at(place));
        };
        wall(radius + 0.5, [1.0, 1.95, 2.0 * depth]);
        if i % 8 == 0 {
            wall(radius - 0.75, [1.5, 0.5, 2.0 * depth]);
        }
    }
    let mut def = BodyDef3::kinematic([0.0, 0.0, 0.0]);
    def.angular_velocity = Vec3::new(0.0, 0.0, 25_f32.to_radians());
    world.create_body_with(def, walls)?;
    let cap = |z: f32| ShapeDef::new(Shape3::cuboid(20.0, 20.0, 1.0)).at(Pose3::at([0.0, 0.0, z]));
    world.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), [cap(depth + 0.5), cap(-depth - 0.5)])?;
    for i in 0..20 * 20 * 20 {
        let cell = [i % 20, i / 20 % 20, i / 400].map(|k| (k as f32 - 9.5) * 0.5);
        world.create_body_with(BodyDef3::dynamic(cell), [Shape3::cuboid(0.4, 0.4, 0.4)])?;
    }
    Ok(world)
}
