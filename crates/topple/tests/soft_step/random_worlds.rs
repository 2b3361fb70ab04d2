//! Random worlds with random histories: the same hash for 1, 2, 4 and 8 threads, for pieces of work in any order, for all widths, and
//! across snapshots that are restored at random steps.

use crate::makings::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use topple::exec::{Executor, Pool};
use topple::math::*;
use topple::solver::{SimdWidth, SolverSoftStep};
use topple::{
    BodyDef, BodyId, BodyKind, Drag, Events, Filter, JointDef, Locks, Material, Settings, ShapeDef, World,
};

/// Worlds per dimension in the ordinary run, the last one crowded. `TOPPLE_LONG_TESTS` makes ten times as many, each in all
/// combinations of threads and widths.
const SEEDS: u64 = 4;
/// Steps of a history, and of one in a crowded world.
const STEPS: usize = 60;
const CROWDED_STEPS: usize = 8;

fn is_long() -> bool {
    std::env::var_os("TOPPLE_LONG_TESTS").is_some()
}

/// A body with one or two shapes, and anything that can be said of it.
fn any_body<D: Making>(world: &mut World<D>, random: &mut Random, place: D::Point) -> BodyId {
    let kind = if random.once_in(12) { BodyKind::Kinematic } else { BodyKind::Dynamic };
    // Platforms creep, so that what stands on them is not thrown about all the time.
    let speed = if kind == BodyKind::Kinematic { 0.3 } else { 2.0 };
    let def = BodyDef {
        kind,
        rotation: D::Rot::from_ang(D::spin(random, 3.0)),
        linear_velocity: D::vector(random, speed),
        angular_velocity: D::spin(random, speed),
        is_awake: !random.once_in(8),
        is_bullet: random.once_in(10),
        drag: Drag { linear: 0.2, angular_linear: 1.0, ..Drag::default() },
        locks: if random.once_in(15) { Locks::ROTATION } else { Locks::NONE },
        ..BodyDef::dynamic(place)
    };
    let shapes = (0..1 + usize::from(random.once_in(5))).map(|_| {
        let mut shape = ShapeDef::new(D::moving(random)).friction(random.pick(&[0.0, 0.4, 1.0]));
        shape.local = Pose::at(D::Point::from_vec(D::vector(random, 0.2)));
        shape.material.restitution = random.pick(&[0.0, 0.0, 0.6]);
        shape.material.rolling_friction = random.pick(&[0.0, 0.05]);
        shape.is_sensor = random.once_in(20);
        shape.hit_events = random.once_in(3);
        shape.persist_events = random.once_in(10);
        shape.density = random.pick(&[1.0, 1.0, 1.0, 20.0]);
        shape
    });
    let shapes = shapes.collect::<Vec<_>>();
    world.create_body_with(def, shapes).unwrap()
}

/// A heap, chains with a heavy end, towers, and joints between whatever there is. Crowded: enough touching at once that the
/// stages of the solver have something to share.
fn any_world<D: Making>(random: &mut Random, is_crowded: bool) -> World<D> {
    // Quick to sleep, so that short histories have some of it.
    let sleep_time = random.pick(&[0.05, 0.2]);
    let settings = Settings { sleep_time, sleep_speed: 0.3, sleep_rate: 1.0, ..Settings::default() };
    let mut world = World::with_settings(settings).unwrap();
    for (i, ground) in D::grounds().into_iter().enumerate() {
        let x = [0.0, -2.0, 0.0, 3.0][i];
        world.create_body_with(BodyDef::fixed(D::at(x, 0.0)), [ShapeDef::new(ground)]).unwrap();
    }
    let count = if is_crowded { 40 } else { random.pick(&[60, 120, 200]) };
    // As dense in the plane as in space.
    let (width, height) = if D::N == 3 { (3.0, 6.0) } else { (9.0, 8.0) };
    for _ in 0..count {
        let place = D::place(random, width, height);
        any_body(&mut world, random, place);
    }
    for place in D::pyramid().into_iter().filter(|_| is_crowded) {
        let shape = ShapeDef::new(D::cube(1.0)).friction(random.within(0.3, 0.9));
        world.create_body_with(BodyDef::dynamic(place), [shape]).unwrap();
    }
    for x in [-14.0, 14.0] {
        let mut last = world.create_body(BodyDef::fixed(D::at(x, 9.0))).unwrap();
        for i in 0..random.below(10) {
            let density = if i == 6 { 500.0 } else { 1.0 };
            let shape = ShapeDef::new(D::cube(0.3)).density(density);
            let link = world
                .create_body_with(BodyDef::dynamic(D::at(x + 0.4 * (i + 1) as Real, 9.0)), [shape])
                .unwrap();
            let pivot = D::at(x + 0.4 * i as Real + 0.2, 9.0);
            world.create_joint(JointDef::ball(&world, last, link, pivot).unwrap()).unwrap();
            last = link;
        }
        for i in 0..random.below(14) {
            let place = D::at(x - 3.0, 0.4 + 0.8 * i as Real);
            world.create_body_with(BodyDef::dynamic(place), [ShapeDef::new(D::cube(0.8))]).unwrap();
        }
    }
    for _ in 0..count {
        join_any(&mut world, random);
    }
    // What lies quietly until something happens to it: pairs that sleep soon.
    for i in 0..24 {
        let place = D::at(-30.0 - (i / 2) as Real, 0.2 + 0.4 * (i % 2) as Real);
        world.create_body_with(BodyDef::dynamic(place), [ShapeDef::new(D::cube(0.4))]).unwrap();
    }
    world
}

/// A joint between two bodies that happen to be near each other.
fn join_any<D: Making>(world: &mut World<D>, random: &mut Random) {
    let bodies = world.body_ids().collect::<Vec<_>>();
    let first = random.below(bodies.len());
    let (a, b) = (bodies[first], bodies[(first + 1 + random.below(3)) % bodies.len()]);
    let [x_a, x_b] = [a, b].map(|id| world.body(id).unwrap().position());
    if (x_a - x_b).length() > 4.0 {
        return;
    }
    let frame = Pose { position: x_b, rotation: D::Rot::from_ang(D::spin(random, 1.5)) };
    let Ok(mut def) = JointDef::at(world, a, b, any_joint(random), frame) else { return };
    def.collide_connected = random.once_in(2);
    def.max_force = random.pick(&[Real::INFINITY, 60.0]);
    def.breaks = random.once_in(2);
    // Two static ends are refused, and that is fine.
    let _ = world.create_joint(def);
}

/// Something happens to some body, shape or joint, or to the world.
fn anything<D: Making>(world: &mut World<D>, random: &mut Random) {
    let bodies = world.body_ids().skip(D::grounds().len()).collect::<Vec<_>>();
    let joints = world.joint_ids().collect::<Vec<_>>();
    if bodies.len() < 10 || joints.is_empty() {
        join_any(world, random);
        let place = D::place(random, 3.0, 6.0);
        any_body(world, random, place);
        return;
    }
    let (body, joint) = (random.pick(&bodies), random.pick(&joints));
    let shape = world.body(body).unwrap().shapes().next();
    let (push, turn) = (D::vector(random, 3.0), D::spin(random, 3.0));
    let place = D::place(random, 3.0, 6.0);
    match random.below(18) {
        0 | 1 => drop(any_body(world, random, place)),
        2 => world.remove_body(body).unwrap(),
        3 => world.body_mut(body).unwrap().set_position(place).unwrap(),
        // Whether kinematic and static bodies take them is for other tests.
        4 => drop(world.body_mut(body).unwrap().apply_impulse(push)),
        5 => drop(world.body_mut(body).unwrap().apply_angular_impulse(turn * 0.1)),
        6 => drop(world.body_mut(body).unwrap().set_linear_velocity(push)),
        7 => drop(world.body_mut(body).unwrap().apply_force(push * 20.0)),
        8 => join_any(world, random),
        9 => world.remove_joint(joint).unwrap(),
        10 => drop(world.joint_mut(joint).unwrap().set_motor_target(random.within(-1.0, 1.0))),
        11 => world.joint_mut(joint).unwrap().set_kind(any_joint(random)).unwrap(),
        12 => {
            let kinds = [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Static, BodyKind::Kinematic];
            world.set_kind(body, random.pick(&kinds)).unwrap();
        }
        13 => {
            let is_enabled = world.body(body).unwrap().is_enabled();
            world.set_enabled(body, !is_enabled).unwrap();
        }
        14 => {
            let gravity = world.settings().gravity;
            let gravity = gravity + D::vector(random, 0.5);
            let settings = Settings { gravity, ..world.settings().clone() };
            world.set_settings(settings).unwrap();
        }
        15 => {
            let mask = random.pick(&[0, u64::MAX]);
            let filter = Filter { mask, ..Filter::default() };
            shape.into_iter().for_each(|shape| world.set_filter(shape, filter).unwrap());
        }
        16 => {
            let belt = random.pick(&[D::Vec::ZERO, push * 0.2]);
            let material = Material { friction: 0.5, surface_velocity: belt, ..Material::default() };
            shape.into_iter().for_each(|shape| world.set_material(shape, material).unwrap());
        }
        _ => {
            let speed = random.pick(&[None, Some(0.5)]);
            world.body_mut(body).unwrap().set_sleep(!random.once_in(4), speed).unwrap();
        }
    }
}

/// Every piece of work on the calling thread, in another order each time: what depends on the order shows at once, not once in a
/// thousand runs.
struct Shuffled {
    state: AtomicU64,
    /// How often the stages of a solver were worth sharing.
    shared: AtomicUsize,
}

// SAFETY: a permutation has every piece once; the stages come one after the other.
unsafe impl Executor for Shuffled {
    fn threads(&self) -> usize {
        4
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        let mut random = Random(self.state.load(Ordering::Relaxed));
        let mut order = (0..pieces).collect::<Vec<_>>();
        (1..pieces).rev().for_each(|i| order.swap(i, random.below(i + 1)));
        self.state.store(random.0, Ordering::Relaxed);
        order.into_iter().for_each(work);
    }

    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        self.shared.fetch_add(1, Ordering::Relaxed);
        for (stage, &count) in pieces.iter().enumerate() {
            // Up to three pieces at once, and which ones differs from stage to stage.
            let length = 1 + stage % 3;
            self.run(count.div_ceil(length), &|part| {
                work(stage, part * length..((part + 1) * length).min(count));
            });
        }
    }
}

/// How a history is run; the world must not notice.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// 0: shuffled.
    threads: usize,
    width: SimdWidth,
    /// Saved and restored before one step in so many; 0: never.
    restored: usize,
}

/// What a history shows: hash and events of every step, and how much of everything there was.
struct Record<D: Dim> {
    steps: Vec<(u64, Events<D>)>,
    contacts: u32,
    joints: u32,
    slept: usize,
    restored: usize,
    shared: usize,
}

fn history<D: Making>(seed: u64, is_crowded: bool, manner: Manner) -> Record<D> {
    let mut random = Random(seed);
    let mut world = any_world::<D>(&mut random, is_crowded);
    let shuffled = Arc::new(Shuffled { state: AtomicU64::new(seed), shared: AtomicUsize::new(0) });
    let pool = Arc::new(Pool::new(manner.threads.max(1)));
    let prepare = |world: &mut World<D>| {
        world.set_solver(SolverSoftStep::with_width(manner.width));
        world.set_executor(if manner.threads == 0 { shuffled.clone() } else { pool.clone() });
    };
    prepare(&mut world);
    // Not from the same numbers, or the history would depend on it.
    let mut moments = Random(seed ^ 0x5eed_0000 ^ manner.threads as u64);
    let mut record = Record { steps: Vec::new(), contacts: 0, joints: 0, slept: 0, restored: 0, shared: 0 };
    let steps = if is_crowded { CROWDED_STEPS } else { STEPS };
    for step in 0..steps {
        // Something happens in the first two thirds, in bursts, so that there is quiet in between.
        if step < 2 * steps / 3 && step % 20 < 8 {
            (0..random.below(4)).for_each(|_| anything(&mut world, &mut random));
        }
        if manner.restored > 0 && moments.once_in(manner.restored) {
            world = World::restore(&world.snapshot()).unwrap();
            prepare(&mut world);
            record.restored += 1;
        }
        world.step();
        let counters = world.profile().counters;
        record.contacts = record.contacts.max(counters.contacts);
        record.joints = record.joints.max(counters.joints);
        record.slept = record.slept.max(world.sleeping_count());
        record.steps.push((world.state_hash(), world.events().clone()));
    }
    record.shared = shuffled.shared.load(Ordering::Relaxed);
    record
}

/// The manners that one seed is held against. Each seed takes other pairs of threads and widths, all together take all.
fn manners(seed: u64) -> Vec<Manner> {
    let widths = [SimdWidth::Scalar, SimdWidth::Four, SimdWidth::Eight];
    let all = [0, 1, 2, 4, 8].into_iter().enumerate().flat_map(|(i, threads)| {
        widths.into_iter().enumerate().map(move |(k, width)| (i, k, Manner { threads, width, restored: 10 }))
    });
    let chosen = all.filter(|&(i, k, _)| is_long() || (i + k) % 3 == seed as usize % 3);
    chosen.map(|(.., manner)| manner).collect()
}

fn random_worlds<D: Making>(first: u64) {
    let (mut contacts, mut joints, mut slept, mut restored, mut shared) = (0, 0, 0, 0, 0);
    for seed in first..first + SEEDS * if is_long() { 10 } else { 1 } {
        let is_crowded = (seed - first) % SEEDS == SEEDS - 1;
        let reference = Manner { threads: 1, width: SimdWidth::Scalar, restored: 0 };
        let expected = history::<D>(seed, is_crowded, reference);
        for manner in manners(seed) {
            let got = history::<D>(seed, is_crowded, manner);
            for (step, (got, expected)) in got.steps.iter().zip(&expected.steps).enumerate() {
                assert_eq!(got.0, expected.0, "state: seed {seed}, step {step}, {manner:?}");
                assert_eq!(got.1, expected.1, "events: seed {seed}, step {step}, {manner:?}");
            }
            (restored, shared) = (restored + got.restored, shared + got.shared);
        }
        let faults = expected.steps.iter().map(|(_, events)| events.fault.len()).sum::<usize>();
        assert_eq!(faults, 0, "seed {seed}: bodies left the finite");
        contacts = contacts.max(expected.contacts);
        joints = joints.max(expected.joints);
        slept = slept.max(expected.slept);
    }
    let found = format!(
        "{}D: at most {contacts} contacts, {joints} joints, {slept} asleep; {restored} times restored, {shared} steps shared",
        D::N
    );
    println!("{found}");
    assert!(contacts > 1500 && joints > 50 && slept > 10 && restored > 10, "{found}");
    // Most steps of the crowded world, shuffled once or twice.
    assert!(2 * shared > CROWDED_STEPS, "{found}");
}

#[test]
fn random_worlds_2d() {
    random_worlds::<D2>(1);
}

#[test]
fn random_worlds_3d() {
    random_worlds::<D3>(101);
}
