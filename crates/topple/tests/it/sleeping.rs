//! What falls asleep, and what wakes it.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Filter, Locks, Material, ShapeDef, World};

/// A box asleep on a box asleep on the floor, and the floor: (world, floor, lower, upper).
fn sleepers<D: TestDim>() -> (World<D>, BodyId, BodyId, BodyId) {
    let mut world = World::new();
    let floor = add_floor(&mut world, 0.6);
    let lower = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    let upper = add_body(&mut world, 0.0, 1.5, D::cube(1.0));
    run(&mut world, 3.0);
    assert_eq!((world.awake_count(), world.sleeping_count()), (0, 2), "everything came to rest");
    (world, floor, lower, upper)
}

fn is_awake<D: Dim>(world: &World<D>, id: BodyId) -> bool {
    world.body(id).unwrap().is_awake()
}

/// Every change that could move a sleeper wakes it, and its neighbours with it; readings and names do not.
fn changes_wake<D: TestDim>() {
    type Change<D> = fn(&mut World<D>, BodyId, BodyId);
    let cases: Vec<(&str, Change<D>)> = vec![
        ("force", |w, b, _| w.body_mut(b).unwrap().apply_force(D::vec(1.0, 0.0)).unwrap()),
        ("torque", |w, b, _| w.body_mut(b).unwrap().apply_torque(D::spin(0.1)).unwrap()),
        ("impulse", |w, b, _| w.body_mut(b).unwrap().apply_impulse(D::vec(0.1, 0.0)).unwrap()),
        ("angular impulse", |w, b, _| w.body_mut(b).unwrap().apply_angular_impulse(D::spin(0.1)).unwrap()),
        ("velocity", |w, b, _| w.body_mut(b).unwrap().set_linear_velocity(D::vec(0.5, 0.0)).unwrap()),
        ("teleport", |w, b, _| w.body_mut(b).unwrap().set_position(D::point(0.1, 0.5)).unwrap()),
        ("rotation", |w, b, _| w.body_mut(b).unwrap().set_rotation(D::turn(0.1)).unwrap()),
        ("gravity", |w, _, _| adjust(w, |s| s.gravity = D::vec(1.0, -9.8))),
        ("sleeping off", |w, _, _| adjust(w, |s| s.sleeping = false)),
        ("gravity scale", |w, b, _| w.body_mut(b).unwrap().set_gravity_scale(-1.0).unwrap()),
        ("locks", |w, b, _| w.body_mut(b).unwrap().set_locks(Locks::ROTATION)),
        ("kind", |w, b, _| w.set_kind(b, BodyKind::Kinematic).unwrap()),
        ("floor removed", |w, _, floor| w.remove_body(floor).unwrap()),
        ("floor disabled", |w, _, floor| w.set_enabled(floor, false).unwrap()),
        ("floor moved", |w, _, floor| w.body_mut(floor).unwrap().set_position(D::point(0.0, -1.0)).unwrap()),
        ("floor kinematic", |w, _, floor| w.set_kind(floor, BodyKind::Kinematic).unwrap()),
        ("filter of the floor", |w, _, floor| {
            let shape = w.body(floor).unwrap().shapes().next().unwrap();
            w.set_filter(shape, Filter { mask: 0, ..Filter::default() }).unwrap();
        }),
        ("material", |w, b, _| {
            let shape = w.body(b).unwrap().shapes().next().unwrap();
            w.set_material(shape, Material { friction: 0.1, ..Material::default() }).unwrap();
        }),
        ("density", |w, b, _| {
            let shape = w.body(b).unwrap().shapes().next().unwrap();
            w.set_density(shape, 5.0).unwrap();
        }),
        ("new shape", |w, b, _| {
            w.add_shape(b, ShapeDef::new(D::ball(0.2))).unwrap();
        }),
        ("shape removed", |w, b, _| {
            let shape = w.body(b).unwrap().shapes().next().unwrap();
            w.remove_shape(shape).unwrap();
        }),
        ("mass", |w, b, _| {
            let mut mass = w.body(b).unwrap().mass_properties();
            mass.mass *= 2.0;
            w.body_mut(b).unwrap().set_mass(Some(mass)).unwrap();
        }),
        ("wake", |w, b, _| w.wake(b).unwrap()),
        ("no sleep for this one", |w, b, _| w.body_mut(b).unwrap().set_sleep(false, None).unwrap()),
    ];
    for (what, change) in cases {
        let (mut world, floor, lower, upper) = sleepers::<D>();
        change(&mut world, lower, floor);
        assert!(is_awake(&world, lower) || world.body(lower).unwrap().kind() != BodyKind::Dynamic, "{what}");
        assert!(is_awake(&world, upper), "{what} wakes what stands on it");
        world.step();
    }
    let (mut world, _, lower, _) = sleepers::<D>();
    world.body_mut(lower).unwrap().set_name("lower");
    world.body_mut(lower).unwrap().set_user_data(7);
    world.body_mut(lower).unwrap().apply_force(D::Vec::ZERO).unwrap();
    world.body_mut(lower).unwrap().apply_impulse(D::Vec::ZERO).unwrap();
    let _ = (world.state_hash(), world.snapshot(), world.body(lower).unwrap().pose());
    world.step();
    assert_eq!(world.awake_count(), 0, "nothing that could move it happened");
}

#[test]
fn changes_wake_2d() {
    changes_wake::<D2>();
}
#[test]
fn changes_wake_3d() {
    changes_wake::<D3>();
}

/// Without its support a sleeper falls.
fn support_removed<D: TestDim>() {
    let (mut world, _, lower, upper) = sleepers::<D>();
    world.remove_body(lower).unwrap();
    run(&mut world, 2.0);
    assert_close("fell one box down", world.body(upper).unwrap().position().to_vec().get(1), 0.5, 0.02, "m");
}

#[test]
fn support_removed_2d() {
    support_removed::<D2>();
}
#[test]
fn support_removed_3d() {
    support_removed::<D3>();
}

/// Bodies that were created asleep hang in the air until something happens; what they stand on counts even though nobody
/// has looked at it yet.
fn created_asleep<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    let mut place = |y: Real| {
        let def = BodyDef { is_awake: false, ..BodyDef::dynamic(D::point(0.0, y)) };
        world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap()
    };
    let (lower, upper, hanging) = (place(0.5), place(1.5), place(6.0));
    run(&mut world, 0.5);
    assert_eq!(world.sleeping_count(), 3);
    world.remove_body(lower).unwrap();
    run(&mut world, 2.0);
    assert_close("fell", world.body(upper).unwrap().position().to_vec().get(1), 0.5, 0.02, "m");
    assert_close("hangs", world.body(hanging).unwrap().position().to_vec().get(1), 6.0, 0.0, "m");
}

#[test]
fn created_asleep_2d() {
    created_asleep::<D2>();
}
#[test]
fn created_asleep_3d() {
    created_asleep::<D3>();
}

/// A feather does not wake a sleeper, a hit does; so does something heavy that was put down gently.
fn touch<D: TestDim>(density: Real, speed: Real, height: Real) -> bool {
    let (mut world, _, lower, _) = sleepers::<D>();
    let def =
        BodyDef { linear_velocity: D::vec(0.0, -speed), ..BodyDef::dynamic(D::point(0.0, 2.25 + height)) };
    world.create_body_with(def, [ShapeDef::new(D::cube(0.5)).density(density)]).unwrap();
    for _ in 0..60 {
        world.step();
        if is_awake(&world, lower) {
            return true;
        }
    }
    false
}

fn gentle_touches_do_not_wake<D: TestDim>() {
    assert!(!touch::<D>(0.01, 0.0, 0.0), "a feather laid down");
    assert!(touch::<D>(1.0, 2.0, 0.1), "a hard hit");
    assert!(touch::<D>(1.0, 0.0, 0.0), "a weight laid down");
}

#[test]
fn gentle_touches_do_not_wake_2d() {
    gentle_touches_do_not_wake::<D2>();
}
#[test]
fn gentle_touches_do_not_wake_3d() {
    gentle_touches_do_not_wake::<D3>();
}

/// What is put, turned on or moved into a sleeper wakes it, static things too.
fn arrivals_wake<D: TestDim>() {
    let (mut world, ..) = sleepers::<D>();
    let wall =
        world.create_body_with(BodyDef::fixed(D::point(0.9, 0.5)), [ShapeDef::new(D::cube(1.0))]).unwrap();
    world.step();
    assert_eq!(world.awake_count(), 2, "a wall was built into it");
    world.remove_body(wall).unwrap();

    let (mut world, ..) = sleepers::<D>();
    let wall =
        world.create_body_with(BodyDef::fixed(D::point(9.0, 0.5)), [ShapeDef::new(D::cube(1.0))]).unwrap();
    world.step();
    assert_eq!(world.awake_count(), 0, "a wall far away does not matter");
    world.body_mut(wall).unwrap().set_position(D::point(0.9, 0.5)).unwrap();
    world.step();
    assert_eq!(world.awake_count(), 2, "the wall was moved into it");

    let (mut world, ..) = sleepers::<D>();
    let def = BodyDef { linear_velocity: D::vec(-1.0, 0.0), ..BodyDef::kinematic(D::point(1.5, 0.5)) };
    world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
    // It is half a second away.
    run(&mut world, 0.6);
    assert!(world.awake_count() >= 3, "a platform pushes it");
}

#[test]
fn arrivals_wake_2d() {
    arrivals_wake::<D2>();
}
#[test]
fn arrivals_wake_3d() {
    arrivals_wake::<D3>();
}

/// An island sleeps as a whole, and falls into parts when its links have gone.
fn islands_sleep_as_a_whole<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let still = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    let restless = add_body(&mut world, 0.0, 1.5, D::cube(1.0));
    world.body_mut(restless).unwrap().set_sleep(false, None).unwrap();
    run(&mut world, 3.0);
    assert_eq!(world.awake_count(), 2, "one that cannot sleep keeps the other awake");
    world.body_mut(restless).unwrap().set_position(D::point(8.0, 3.0)).unwrap();
    run(&mut world, 3.0);
    assert!(!is_awake(&world, still) && is_awake(&world, restless), "apart, each for itself");
}

#[test]
fn islands_sleep_as_a_whole_2d() {
    islands_sleep_as_a_whole::<D2>();
}
#[test]
fn islands_sleep_as_a_whole_3d() {
    islands_sleep_as_a_whole::<D3>();
}

/// A sleeping world costs no work.
fn sleeping_costs_nothing<D: TestDim>() {
    let (mut world, ..) = sleepers::<D>();
    world.step();
    let counters = world.profile().counters;
    assert_eq!((counters.awake, counters.moved, counters.contacts), (0, 0, 0));
    assert_eq!(world.profile().narrow.computed + world.profile().narrow.recycled, 0);
}

#[test]
fn sleeping_costs_nothing_2d() {
    sleeping_costs_nothing::<D2>();
}
#[test]
fn sleeping_costs_nothing_3d() {
    sleeping_costs_nothing::<D3>();
}

/// A light box falls asleep on a sleeper without waking it. Woken and pressed down, it wakes what it leans on.
fn a_load_wakes_across_islands<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let lower = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    run(&mut world, 2.0);
    assert!(!is_awake(&world, lower));
    let light = ShapeDef::new(D::cube(1.0)).density(0.05);
    let upper = add_shaped(&mut world, 0.0, 1.501, light);
    run(&mut world, 2.0);
    assert!(!is_awake(&world, upper) && !is_awake(&world, lower), "both asleep");
    for _ in 0..5 {
        assert!(!is_awake(&world, lower), "the upper one alone is pushed");
        world.body_mut(upper).unwrap().apply_force(D::vec(0.0, -5.0)).unwrap();
        world.step();
        if is_awake(&world, lower) {
            return;
        }
    }
    panic!("five newtons on a body of one kilogram are more than a tenth of its weight");
}

#[test]
fn a_load_wakes_across_islands_2d() {
    a_load_wakes_across_islands::<D2>();
}
#[test]
fn a_load_wakes_across_islands_3d() {
    a_load_wakes_across_islands::<D3>();
}

/// With nothing awake the step returns before the stages: none of them runs, and nothing of 20 000 bodies is visited. What that
/// costs is a figure of the benchmarks.
fn sleepers_are_not_visited<D: TestDim>() {
    let mut world = World::<D>::new();
    for i in 0..20_000 {
        let at = D::point(2.0 * (i % 200) as Real, 2.0 * (i / 200) as Real);
        let def = topple::BodyDef { is_awake: false, ..topple::BodyDef::dynamic(at) };
        world.create_body_with(def, [topple::ShapeDef::new(D::cube(1.0))]).unwrap();
    }
    world.step();
    assert_eq!((world.awake_count(), world.sleeping_count()), (0, 20_000));
    for _ in 0..50 {
        world.step();
        let profile = world.profile();
        for (stage, name) in topple::world::STAGES {
            assert!(profile.stage(stage).is_zero(), "stage {name} ran");
        }
        let counters = profile.counters;
        assert_eq!((counters.awake, counters.moved, counters.new_pairs, counters.constraints), (0, 0, 0, 0));
        assert_eq!(profile.narrow, topple::narrow_phase::NarrowCounters::default());
        assert!(
            !profile.broad.is_empty() && profile.broad.iter().all(|&(_, work)| work == 0),
            "{:?}",
            profile.broad
        );
    }
}

#[test]
fn sleepers_are_not_visited_2d() {
    sleepers_are_not_visited::<D2>();
}
#[test]
fn sleepers_are_not_visited_3d() {
    sleepers_are_not_visited::<D3>();
}

/// What a slow belt carries stays awake, what it rubs along in vain does not. It stopped after half a second.
fn slow_belts<D: TestDim>() {
    let mut world = World::<D>::new();
    let material = Material { surface_velocity: D::vec(0.02, 0.0), ..Material::default() };
    let belt = ShapeDef { material, ..ShapeDef::new(D::half_space(0.0, 1.0, 0.0)) };
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [belt]).unwrap();
    let carried = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    run(&mut world, 10.0);
    let x = |world: &World<D>| world.body(carried).unwrap().position().to_vec().get(0);
    assert_close("way on a belt", x(&world), 0.2, 0.004, "m");
    world.create_body_with(BodyDef::fixed(D::point(1.25, 0.5)), [ShapeDef::new(D::cube(1.0))]).unwrap();
    run(&mut world, 10.0);
    assert_close("way to the wall", x(&world), 0.25, 0.01, "m");
    assert_eq!(world.awake_count(), 0, "the wall holds it");
}

#[test]
fn slow_belts_2d() {
    slow_belts::<D2>();
}
#[test]
fn slow_belts_3d() {
    slow_belts::<D3>();
}
