//! A settled step allocates nothing, and a large world takes no more memory than promised. A binary of its own, because it
//! counts every allocation of the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use topple::exec::{Executor, Pool};
use topple::joint::Hinge;
use topple::math::*;
use topple::{BodyDef, JointDef, JointKind, Methods, Settings, Shape2, Shape3, ShapeDef, World};

/// The system's allocator, counting.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Bytes in use, and the most that ever were.
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Notes `new` bytes in place of `old` ones.
fn note(old: usize, new: usize) {
    let now = IN_USE.fetch_add(new, Ordering::Relaxed) + new - old;
    IN_USE.fetch_sub(old, Ordering::Relaxed);
    PEAK.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        note(0, layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(layout.size(), 0);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        note(layout.size(), size);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// 5 000 boxes in columns of five on the ground, with hit and persist events on some of them.
fn columns<D: Dim>(plane: D::Shape, cube: &D::Shape) -> World<D> {
    let mut world = World::new();
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(plane)]).unwrap();
    for i in 0..1000 {
        for level in 0..5 {
            let mut at = D::Vec::ZERO;
            at.set(0, 1.5 * if D::N == 3 { (i % 32) as Real } else { i as Real });
            at.set(D::N - 1, if D::N == 3 { 1.5 * (i / 32) as Real } else { 0.0 });
            at.set(1, 0.5 + level as Real);
            let shape = ShapeDef {
                persist_events: i % 10 == 0,
                hit_events: i % 10 == 1,
                ..ShapeDef::new(cube.clone())
            };
            world.create_body_with(BodyDef::dynamic(D::Point::from_vec(at)), [shape]).unwrap();
        }
    }
    world
}

/// A pool of three threads, all of which have begun: starting a thread allocates, in its own time.
fn three_threads() -> Arc<Pool> {
    let pool = Arc::new(Pool::new(3));
    let seen = Mutex::new(BTreeSet::new());
    while seen.lock().unwrap().len() < 3 {
        pool.run(64, &|_| {
            seen.lock().unwrap().insert(format!("{:?}", std::thread::current().id()));
            std::thread::sleep(std::time::Duration::from_millis(1));
        });
    }
    pool
}

/// Allocations in `steps` steps.
fn count<D: Dim>(world: &mut World<D>, steps: usize) -> usize {
    let before = COUNT.load(Ordering::Relaxed);
    (0..steps).for_each(|_| world.step());
    COUNT.load(Ordering::Relaxed) - before
}

fn settled_steps_allocate_nothing<D: Dim>(plane: D::Shape, cube: D::Shape) {
    for method in Methods::<D>::all().into_iter().filter(|method| method.stage == "solver") {
        let mut world = columns::<D>(plane.clone(), &cube);
        world.set_solver_by_name(method.name).unwrap();
        // Awake and at rest: every stage does its full work.
        let mut settings = world.settings().clone();
        settings.sleeping = false;
        world.set_settings(settings.clone()).unwrap();
        (0..150).for_each(|_| world.step());
        assert_eq!(world.awake_count(), 5000);
        assert!(world.profile().counters.contacts >= 5000, "{:?}", world.profile().counters);
        assert!(!world.events().persist.is_empty());
        assert_eq!(count(&mut world, 20), 0, "{}: awake", method.name);
        // On threads: the pool hands work out without allocating either.
        world.set_executor(three_threads());
        world.step();
        assert_eq!(count(&mut world, 20), 0, "{}: awake, on three threads", method.name);
        // Asleep.
        settings.sleeping = true;
        world.set_settings(settings).unwrap();
        let mut steps = 0;
        while world.awake_count() > 0 {
            world.step();
            steps += 1;
            assert!(steps < 600, "{}: {} bodies do not come to rest", method.name, world.awake_count());
        }
        assert_eq!(count(&mut world, 20), 0, "{}: asleep", method.name);
    }
}

/// Hanging chains of hinges and welds, with a force limit to watch, awake: preparing and solving joints allocates nothing.
fn settled_joints_allocate_nothing<D: Dim>(cube: &D::Shape) {
    for method in Methods::<D>::all().into_iter().filter(|method| method.stage == "solver") {
        let mut world =
            World::<D>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
        world.set_solver_by_name(method.name).unwrap();
        for column in 0..40 {
            let mut above = world.create_body(BodyDef::fixed(at::<D>(column as f32, 0.0))).unwrap();
            for row in 1..10 {
                let mut shape = ShapeDef::new(cube.clone());
                shape.filter.mask = 0;
                let def = BodyDef::dynamic(at::<D>(column as f32, -(row as f32)));
                let link = world.create_body_with(def, [shape]).unwrap();
                let kind = if row % 2 == 0 { JointKind::Fixed } else { JointKind::Hinge(Hinge::default()) };
                let frame = Pose::at(at::<D>(column as f32, 0.5 - row as f32));
                let def = JointDef::at(&world, above, link, kind, frame).unwrap();
                world.create_joint(JointDef { max_force: 1e6, ..def }).unwrap();
                above = link;
            }
        }
        (0..30).for_each(|_| world.step());
        assert_eq!(count(&mut world, 20), 0, "{}: joints", method.name);
        world.set_executor(three_threads());
        (0..30).for_each(|_| world.step());
        assert_eq!(count(&mut world, 20), 0, "{}: joints on three threads", method.name);
    }
}

/// The point (x, y) or (x, y, 0).
fn at<D: Dim>(x: Real, y: Real) -> D::Point {
    let mut v = D::Vec::ZERO;
    v.set(0, x);
    v.set(1, y);
    D::Point::from_vec(v)
}

/// After so many steps: 60 on one thread allocate nothing, nor do 60 on three. `works`: it is the case that it should be.
fn no_allocation<D: Dim>(what: &str, mut world: World<D>, settle: usize, works: impl Fn(&World<D>) -> bool) {
    (0..settle).for_each(|_| world.step());
    assert!(works(&world), "{what}: {:?}", world.profile().counters);
    assert_eq!(count(&mut world, 60), 0, "{what}");
    world.set_executor(three_threads());
    (0..10).for_each(|_| world.step());
    assert_eq!(count(&mut world, 60), 0, "{what}, on three threads");
    assert!(works(&world), "{what}: {:?}", world.profile().counters);
}

/// What takes its own way through the solver: chains solved at once, towers by statics, columns in small steps.
fn refined_steps_allocate_nothing<D: Dim>(plane: D::Shape, cube: &D::Shape) {
    let empty = || {
        let mut world =
            World::<D>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
        world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(plane.clone())]).unwrap();
        world
    };
    let mut world = empty();
    let mut last = world.create_body(BodyDef::fixed(at::<D>(0.0, 90.0))).unwrap();
    for i in 0..40 {
        let density = if i == 39 { 1000.0 } else { 1.0 };
        let shape = ShapeDef::new(cube.clone()).density(density);
        // A little askew, so that it swings.
        let place = |length: Real| at::<D>(0.1 * length, 90.0 - length);
        let link = world.create_body_with(BodyDef::dynamic(place(2.0 * i as Real + 1.0)), [shape]).unwrap();
        let def = JointDef::ball(&world, last, link, place(2.0 * i as Real)).unwrap();
        world.create_joint(def).unwrap();
        last = link;
    }
    no_allocation("chain with a heavy end, swinging", world, 120, |w| w.profile().counters.at_once > 0);

    let tower = |world: &mut World<D>, x: Real| {
        for i in 0..40 {
            let def = BodyDef::dynamic(at::<D>(x, 0.5 + i as Real));
            world.create_body_with(def, [ShapeDef::new(cube.clone())]).unwrap();
        }
    };
    let mut world = empty();
    (0..5).for_each(|i| tower(&mut world, 3.0 * i as Real));
    no_allocation("towers by statics", world, 240, |w| w.profile().counters.standing > 0);

    let mut world = empty();
    (0..5).for_each(|i| tower(&mut world, 3.0 * i as Real));
    let settings = Settings { statics: false, ..world.settings().clone() };
    world.set_settings(settings).unwrap();
    no_allocation("towers in small steps", world, 240, |w| w.profile().counters.refined > 0);
}

/// A semicircular arch of 27 voussoirs of centreline radius 10 m, 1.2 m thick, in small steps.
fn arch() -> World<D2> {
    let mut world = World::<D2>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
    world.create_body_with(BodyDef::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)]).unwrap();
    for i in 0..27 {
        let corner = |radius: Real, k: usize| {
            let (sin, cos) = sin_cos(core::f32::consts::PI * k as Real / 27.0);
            Vec2::new(radius * cos, radius * sin)
        };
        let corners = [corner(9.4, i), corner(10.6, i), corner(10.6, i + 1), corner(9.4, i + 1)];
        let middle = corners.iter().fold(Vec2::ZERO, |sum, &c| sum + c) * 0.25;
        let shape = ShapeDef::new(Shape2::polygon(&corners.map(|c| c - middle)).unwrap()).friction(1.0);
        world.create_body_with(BodyDef::dynamic([middle.x, middle.y]), [shape]).unwrap();
    }
    world
}

/// Elastic balls in a closed room without gravity: contacts come and go in every step. Settled is what has seen the most of
/// everything at once that it will see.
fn gas<D: Dim>(walls: &[(D::Shape, D::Vec)], ball: &D::Shape) -> World<D> {
    let settings = Settings { gravity: D::Vec::ZERO, sleeping: false, ..Settings::default() };
    let mut world = World::<D>::with_settings(settings).unwrap();
    for (wall, normal) in walls {
        let shape = ShapeDef::new(wall.clone()).restitution(1.0).friction(0.0);
        world.create_body_with(BodyDef::fixed(D::Point::from_vec(*normal * -6.0)), [shape]).unwrap();
    }
    let side = if D::N == 3 { 6 } else { 15 };
    for i in 0..side * side * if D::N == 3 { side } else { 1 } {
        let mut place = D::Vec::ZERO;
        let mut rest = i;
        for axis in 0..D::N {
            place.set(axis, ((rest % side) as Real - 0.5 * (side - 1) as Real) * 10.0 / side as Real);
            rest /= side;
        }
        let mut velocity = place * -0.5;
        velocity.set(0, ((i * 7919) % 11) as Real - 5.0);
        let def = BodyDef { linear_velocity: velocity, ..BodyDef::dynamic(D::Point::from_vec(place)) };
        let shape = ShapeDef::new(ball.clone()).restitution(1.0).friction(0.0);
        world.create_body_with(def, [shape]).unwrap();
    }
    world
}

/// The square pyramid of 9 455 boxes that engines are compared by: 70 210 pairs, 35 120 contacts, 140 480 points.
fn a_large_pyramid_takes_less_than_50_mib() {
    const BASE: usize = 30;
    const MIB: f64 = 1_048_576.0;
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let mut world = World::<D3>::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap();
    world.create_body_with(BodyDef::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(400.0, 2.0, 400.0)]).unwrap();
    for layer in 0..BASE {
        let count = BASE - layer;
        let along = |i: usize| (i as f32 - (count - 1) as f32 * 0.5) * 1.05;
        for i in 0..count * count {
            let at = [along(i % count), layer as f32 + 0.5, along(i / count)];
            world.create_body_with(BodyDef::dynamic(at), [Shape3::cuboid(1.0, 1.0, 1.0)]).unwrap();
        }
    }
    (0..5).for_each(|_| world.step());
    let counters = world.profile().counters;
    assert_eq!((counters.awake, counters.points), (9455, 140_480), "{counters:?}");
    let most = (PEAK.load(Ordering::Relaxed) - before) as f64 / MIB;
    println!("pyramid of 9 455 boxes: {most:.1} MiB at most");
    assert!(most < 50.0, "{most:.1} MiB");
}

/// One test without the usual harness, because the count belongs to the whole process: the harness allocates when it has to say
/// that a test takes long.
fn main() {
    a_large_pyramid_takes_less_than_50_mib();
    settled_joints_allocate_nothing::<D2>(&Shape2::rectangle(0.5, 0.5));
    settled_joints_allocate_nothing::<D3>(&Shape3::cuboid(0.5, 0.5, 0.5));
    refined_steps_allocate_nothing::<D2>(Shape2::half_plane(Vec2::Y, 0.0), &Shape2::rectangle(1.0, 1.0));
    refined_steps_allocate_nothing::<D3>(Shape3::plane(Vec3::Y, 0.0), &Shape3::cuboid(1.0, 1.0, 1.0));
    no_allocation("arch", arch(), 240, |w| w.profile().counters.refined > 0);
    let walls = [Vec2::X, -Vec2::X, Vec2::Y, -Vec2::Y].map(|n| (Shape2::half_plane(n, 0.0), n));
    no_allocation("gas of discs", gas::<D2>(&walls, &Shape2::circle(0.2)), 900, |w| w.awake_count() > 200);
    let walls = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z].map(|n| (Shape3::plane(n, 0.0), n));
    no_allocation("gas of spheres", gas::<D3>(&walls, &Shape3::sphere(0.4)), 900, |w| w.awake_count() > 200);
    settled_steps_allocate_nothing::<D2>(Shape2::half_plane(Vec2::Y, 0.0), Shape2::rectangle(1.0, 1.0));
    settled_steps_allocate_nothing::<D3>(Shape3::plane(Vec3::Y, 0.0), Shape3::cuboid(1.0, 1.0, 1.0));
    println!("settled worlds of 5000 bodies allocate nothing");
}
