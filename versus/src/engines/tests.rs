//! Every adapter in this build, held to the same small expectations.

use super::*;
use crate::engine::{BodyDef, Engine, JointDef, JointKind, Shape2, Shape3, Unsupported};
use crate::fairness;
use crate::scenes;
use crate::world;
use glam::{Vec2, Vec3};
use std::sync::{Mutex, MutexGuard};

/// Jolt's set-up is not thread-safe, and tests run on many threads.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn built_in(two: bool) -> impl Iterator<Item = &'static str> {
    let fits = move |c: &&Contender| c.build.is_none() && if two { c.two } else { c.three };
    CONTENDERS.iter().filter(fits).map(|c| c.engine).filter(|engine| is_built_in(engine))
}

/// The value, or `None` if Topple does not have the feature yet. The others have all that is tested here.
fn or_not_yet<T>(engine: &str, result: Result<T, Unsupported>) -> Option<T> {
    result.map_err(|missing| assert_eq!(engine, crate::report::OURS, "lacks something: {}", missing.0)).ok()
}

fn world2(engine: &str, threads: usize) -> Box<dyn Engine<D2>> {
    let def = WorldDef { gravity: Vec2::new(0.0, -10.0), sleeping: false, threads, body_count: 16 };
    make2(engine, &def).expect("built in")
}

fn world3(engine: &str, threads: usize) -> Box<dyn Engine<D3>> {
    let def = WorldDef { gravity: Vec3::new(0.0, -10.0, 0.0), sleeping: false, threads, body_count: 16 };
    make3(engine, &def).expect("built in")
}

#[test]
fn every_engine_reads_back_what_it_was_told() {
    let _guard = alone();
    for (name, two) in
        [("2d-tumbler", true), ("2d-compounds", true), ("3d-ragdolls", false), ("3d-pile", false)]
    {
        let scene = scenes::find(name).expect("exists");
        for engine in built_in(two) {
            let Some(world) = or_not_yet(engine, world::load(&scene, engine, 1)) else { continue };
            let faults = fairness::compare(&world::intended(&scene), &world.read_back(), true);
            assert!(faults.is_empty(), "{engine}, {name}: {faults:?}");
        }
    }
}

#[test]
fn a_box_on_the_floor_stays_and_a_removed_one_is_gone() {
    let _guard = alone();
    for engine in built_in(false) {
        for threads in [1, 2] {
            let mut world = world3(engine, threads);
            let floor = BodyDef::fixed(Vec3::new(0.0, -1.0, 0.0), Shape3::Box(Vec3::new(9.0, 1.0, 9.0)));
            if or_not_yet(engine, world.add_body(&floor)).is_none() {
                continue;
            }
            let body = world
                .add_body(&BodyDef::dynamic(Vec3::new(0.0, 0.5, 0.0), Shape3::Box(Vec3::splat(0.5))))
                .expect("box");
            world.built();
            (0..60).for_each(|_| world.step(1.0 / 60.0));
            let y = world.state(body).position.y;
            assert!((y - 0.5).abs() < 0.02, "{engine}, {threads} threads: at {y} m instead of 0.5 m");
            assert_eq!(world.counts().bodies, 2, "{engine}");
            world.remove_body(body);
            world.step(1.0 / 60.0);
            assert_eq!(world.counts().bodies, 1, "{engine}");
        }
    }
}

#[test]
fn a_ray_finds_the_near_side() {
    let _guard = alone();
    for engine in built_in(false) {
        let mut world = world3(engine, 1);
        world.add_body(&BodyDef::fixed(Vec3::ZERO, Shape3::Box(Vec3::splat(1.0)))).expect("box");
        world.built();
        world.step(1.0 / 60.0);
        let hit = world.cast_ray(Vec3::new(-5.0, 0.0, 0.0), Vec3::new(10.0, 0.0, 0.0)).expect(engine);
        assert!((hit - 0.4).abs() < 1e-3, "{engine}: fraction {hit} instead of 0.4");
        assert!(world.cast_ray(Vec3::new(-5.0, 3.0, 0.0), Vec3::new(10.0, 0.0, 0.0)).is_none(), "{engine}");
    }
    for engine in built_in(true) {
        let mut world = world2(engine, 1);
        world.add_body(&BodyDef::fixed(Vec2::ZERO, Shape2::Circle(1.0))).expect("circle");
        world.built();
        world.step(1.0 / 60.0);
        let hit = world.cast_ray(Vec2::new(-5.0, 0.0), Vec2::new(10.0, 0.0)).expect(engine);
        assert!((hit - 0.4).abs() < 1e-3, "{engine}: fraction {hit} instead of 0.4");
    }
}

/// Joins a free body to a fixed one, one metre apart, and lets it swing in the plane z = 0 for some steps.
fn swing(engine: &str, kind: JointKind, steps: usize) {
    let mut world = world3(engine, 1);
    let ghost = |def: BodyDef<D3>| BodyDef { ghost: true, ..def };
    let a = world.add_body(&ghost(BodyDef::fixed(Vec3::ZERO, Shape3::Sphere(0.1)))).expect("sphere");
    let cube = BodyDef::dynamic(Vec3::X, Shape3::Box(Vec3::splat(0.2)));
    let b = world.add_body(&ghost(cube)).expect("box");
    let joint = JointDef { kind, a: 0, b: 1, anchor_a: Vec3::ZERO, anchor_b: -Vec3::X };
    if or_not_yet(engine, world.add_joint(&joint, a, b)).is_none() {
        return;
    }
    world.built();
    let mut lowest = 0.0_f32;
    for step in 0..steps {
        world.step(1.0 / 60.0);
        let state = world.state(b);
        let gap = (state.position + state.rotation * -Vec3::X).length();
        assert!(gap < 0.05, "{engine}, {kind:?}: anchor {gap} m off at step {step}");
        let z = state.position.z;
        assert!(z.abs() < 0.01, "{engine}, {kind:?}: {z} m out of its plane at step {step}");
        lowest = lowest.min(state.position.y);
    }
    let expected = if matches!(kind, JointKind::Ball) { -1.0 } else { -(0.5_f32.sin()) };
    assert!(
        (lowest - expected).abs() < 0.08,
        "{engine}, {kind:?}: lowest at {lowest} m instead of {expected} m"
    );
}

const LIMITED_HINGE: JointKind = JointKind::Hinge { axis: Vec3::Z, limits: Some((-0.5, 0.5)) };

#[test]
fn joints_hold_and_limits_stop() {
    let _guard = alone();
    for engine in built_in(false) {
        for kind in
            [JointKind::Ball, LIMITED_HINGE, JointKind::Cone { axis: Vec3::X, swing: 0.5, twist: 0.3 }]
        {
            swing(engine, kind, 60);
        }
    }
}

#[test]
#[ignore = "Topple's hinge: a rounding error out of the plane doubles every six steps if the anchor is 1 m from the centre"]
fn a_hinge_stays_in_its_plane_for_long() {
    let _guard = alone();
    for engine in built_in(false) {
        swing(engine, LIMITED_HINGE, 600);
    }
}

#[test]
fn ghosts_fall_through_the_floor() {
    let _guard = alone();
    for engine in built_in(true) {
        let mut world = world2(engine, 1);
        world.add_body(&BodyDef::fixed(Vec2::ZERO, Shape2::Box(Vec2::new(9.0, 1.0)))).expect("box");
        let ghost = BodyDef { ghost: true, ..BodyDef::dynamic(Vec2::new(0.0, 2.0), Shape2::Circle(0.5)) };
        let ghost = world.add_body(&ghost).expect("circle");
        let solid =
            world.add_body(&BodyDef::dynamic(Vec2::new(3.0, 2.0), Shape2::Circle(0.5))).expect("circle");
        world.built();
        (0..120).for_each(|_| world.step(1.0 / 60.0));
        assert!(world.state(ghost).position.y < -5.0, "{engine}: the ghost stands");
        assert!((world.state(solid).position.y - 1.5).abs() < 0.05, "{engine}: the other one does not");
    }
}

#[test]
fn unknown_engines_are_not_made() {
    let _guard = alone();
    let def = WorldDef { gravity: Vec3::ZERO, sleeping: false, threads: 1, body_count: 0 };
    assert!(make3("no such engine", &def).is_none());
    assert!(!is_built_in("no such engine"));
}
