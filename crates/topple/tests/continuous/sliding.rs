//! What continuous collision must leave alone: sliding, rolling, bouncing, resting.

use crate::support::*;
use topple::math::*;
use topple::world::PreSolve;
use topple::{BodyDef, Settings, Shape2, ShapeDef, Vec2, World};

/// Tiles of the floor, and their length [m].
const TILES: usize = 60;
const TILE: Real = 2.0;

/// A floor of static blocks side by side, their tops at y = 0, without friction.
fn tiled_floor<D: Kit>() -> World<D> {
    let mut world = World::<D>::with_settings(Settings { continuous: true, ..Settings::default() }).unwrap();
    for i in 0..TILES {
        let place = D::Vec::axis(0) * (i as Real * TILE) - D::Vec::axis(1);
        let tile = ShapeDef::new(D::block(TILE, 2.0)).friction(0.0);
        world.create_body_with(BodyDef::fixed(D::Point::from_vec(place)), [tile]).unwrap();
    }
    world
}

/// Balls and boxes slide over tiles at 30 to 100 m/s without being stopped once, and with the very bits that they have
/// without continuous collision.
fn sliding_is_not_stopped<D: Kit>() {
    for (kind, height) in [(0, 0.25), (1, 0.25)] {
        for speed in [30.0, 60.0, 100.0] {
            let run = |continuous: bool| {
                let mut world = tiled_floor::<D>();
                let mut settings = world.settings().clone();
                settings.continuous = continuous;
                world.set_settings(settings).unwrap();
                let def = thrown::<D>(D::Vec::axis(1) * height, D::Vec::axis(0) * speed);
                let shapes = D::body(kind, 0.5).into_iter().map(|shape| shape.friction(0.0));
                let body = world.create_body_with(def, shapes).unwrap();
                let (mut stops, mut sweeps) = (0, 0);
                while world.body(body).unwrap().position().to_vec().get(0) < (TILES as Real - 3.0) * TILE {
                    world.step();
                    stops += world.profile().counters.stopped;
                    sweeps += world.profile().counters.fast;
                    assert!(world.step_count() < 600, "{speed} m/s, shape {kind}: it does not get there");
                }
                assert_eq!(stops, 0, "{speed} m/s, shape {kind}");
                assert!(!continuous || u64::from(sweeps) >= world.step_count(), "it was fast all the way");
                world.state_hash()
            };
            assert_eq!(run(true), run(false), "{speed} m/s, shape {kind}");
        }
    }
}

#[test]
fn sliding_is_not_stopped_2d() {
    sliding_is_not_stopped::<D2>();
}
#[test]
fn sliding_is_not_stopped_3d() {
    sliding_is_not_stopped::<D3>();
}

/// A ball against a thin wall at any speed comes back with the restitution it has, and loses at most two steps on the way.
fn bounces_are_true<D: Kit>() {
    for speed in [2.0, 20.0, 97.0, 400.0] {
        for restitution in [0.0, 0.5, 1.0] {
            let mut world = weightless::<D>();
            let wall = ShapeDef::new(D::block(50.0, 0.01)).restitution(restitution).friction(0.0);
            world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [wall]).unwrap();
            let start = 3.0;
            let def = thrown::<D>(D::Vec::axis(1) * start, D::Vec::axis(1) * -speed);
            let ball = ShapeDef::new(D::ball(0.1)).restitution(0.0).friction(0.0);
            let ball = world.create_body_with(def, [ball]).unwrap();
            let dt = world.settings().dt;
            let arrival = (start - 0.105) / speed;
            let steps = (arrival / dt).ceil() as usize + 3;
            (0..steps).for_each(|_| world.step());
            let body = world.body(ball).unwrap();
            let (v, y) = (body.linear_velocity().get(1), body.position().to_vec().get(1));
            assert!(
                (v - restitution * speed).abs() < 0.01 * speed + 0.02,
                "{speed} m/s, e {restitution}: {v} m/s"
            );
            let flown = steps as Real * dt - arrival;
            let expected = 0.105 + restitution * speed * flown;
            let lost = (expected - y) / speed;
            assert!(
                lost < 2.0 * dt + 0.005 && y > 0.1,
                "{speed} m/s, e {restitution}: at {y} m, not {expected} m"
            );
        }
    }
}

#[test]
fn bounces_are_true_2d() {
    bounces_are_true::<D2>();
}
#[test]
fn bounces_are_true_3d() {
    bounces_are_true::<D3>();
}

/// What has got as deep as anything can is free to leave and to slide: only deeper it must not get.
fn what_is_deep_may_leave<D: Kit>() {
    for (direction, way) in [(D::Vec::axis(1), 0.06), (D::Vec::axis(0), 0.06), (D::Vec::axis(1) * -1.0, 0.0)]
    {
        let mut world = weightless::<D>();
        // Contacts would push the ball out by themselves.
        let mut settings = world.settings().clone();
        settings.push_speed = 1e-3;
        world.set_settings(settings).unwrap();
        let floor = ShapeDef::new(D::block(50.0, 2.0)).friction(0.0);
        world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [floor]).unwrap();
        let start = D::Vec::axis(1) * (1.0 + 0.0253);
        let ball = ShapeDef::new(D::ball(0.1)).friction(0.0);
        let ball = world.create_body_with(thrown::<D>(start, direction * 4.0), [ball]).unwrap();
        world.step();
        let moved = (world.body(ball).unwrap().position().to_vec() - start).dot(direction);
        assert!((moved - way).abs() < 0.01, "{direction:?}: moved by {moved} m, not {way} m");
    }
}

#[test]
fn what_is_deep_may_leave_2d() {
    what_is_deep_may_leave::<D2>();
}
#[test]
fn what_is_deep_may_leave_3d() {
    what_is_deep_may_leave::<D3>();
}

/// A small elastic ball that is stopped at every bounce keeps its energy under gravity: what gravity gives on the part of the way
/// that is missing is no gift.
fn bounces_keep_energy<D: Kit>() {
    let mut world = weightless::<D>();
    let mut settings = world.settings().clone();
    settings.gravity = D::Vec::axis(1) * -9.8;
    world.set_settings(settings).unwrap();
    let floor = ShapeDef::new(D::block(50.0, 0.02)).restitution(1.0).friction(0.0);
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [floor]).unwrap();
    let ball = ShapeDef::new(D::ball(0.02)).restitution(1.0).friction(0.0);
    let ball = world.create_body_with(thrown::<D>(D::Vec::axis(1) * 3.0, D::Vec::ZERO), [ball]).unwrap();
    let energy = |world: &World<D>| {
        let body = world.body(ball).unwrap();
        0.5 * body.linear_velocity().length_squared() + 9.8 * body.position().to_vec().get(1)
    };
    let (start, mut stopped) = (energy(&world), 0);
    for step in 0..1800 {
        world.step();
        stopped += world.profile().counters.stopped;
        let change = energy(&world) / start - 1.0;
        assert!(change.abs() < 0.01, "step {step}: energy off by {:.2} %", 100.0 * change);
    }
    assert!(stopped > 10, "{stopped} stops");
}

#[test]
fn bounces_keep_energy_2d() {
    bounces_keep_energy::<D2>();
}
#[test]
fn bounces_keep_energy_3d() {
    bounces_keep_energy::<D3>();
}

/// Where nothing is fast, nothing is looked at: a stack that settles has the same bits with and without.
fn slow_bodies_are_left_alone<D: Kit>() {
    let run = |continuous: bool| {
        let mut world = tiled_floor::<D>();
        let mut settings = world.settings().clone();
        settings.continuous = continuous;
        world.set_settings(settings).unwrap();
        for i in 0..8 {
            let place = D::Vec::axis(0) * 10.0 + D::Vec::axis(1) * (0.5 + i as Real * 1.01);
            let def = BodyDef::dynamic(D::Point::from_vec(place));
            world.create_body_with(def, [ShapeDef::new(D::block(1.0, 1.0))]).unwrap();
        }
        for _ in 0..120 {
            world.step();
            let counters = world.profile().counters;
            assert_eq!([counters.fast, counters.stopped], [0, 0]);
        }
        world.state_hash()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn slow_bodies_are_left_alone_2d() {
    slow_bodies_are_left_alone::<D2>();
}
#[test]
fn slow_bodies_are_left_alone_3d() {
    slow_bodies_are_left_alone::<D3>();
}

/// A platform that a hook opens from below: fast bodies go up through it, and do not fall back.
#[test]
fn one_way_platforms_stay_open() {
    let mut world = World::<D2>::with_settings(Settings { continuous: true, ..Settings::default() }).unwrap();
    let platform =
        ShapeDef { pre_solve: true, ..ShapeDef::new(Shape2::segment(Vec2::X * -5.0, Vec2::X * 5.0)) };
    let ground = world.create_body_with(BodyDef::fixed([0.0, 0.0]), [platform]).unwrap();
    world.set_pre_solve(Some(std::sync::Arc::new(move |touch: &mut PreSolve<'_, D2>| {
        // Solid for what is above: the normal from the platform points up.
        let up = if touch.bodies[0] == ground { touch.normal.y } else { -touch.normal.y };
        up > 0.5
    })));
    let def = thrown::<D2>(Vec2::new(0.0, -1.0), Vec2::Y * 30.0);
    let ball = world.create_body_with(def, [Shape2::circle(0.05)]).unwrap();
    (0..12).for_each(|_| world.step());
    let height = world.body(ball).unwrap().position().y;
    assert!(height > 3.0, "it got to {height} m");
    world.body_mut(ball).unwrap().set_linear_velocity(Vec2::Y * -100.0).unwrap();
    for _ in 0..60 {
        world.step();
        assert!(world.body(ball).unwrap().position().y > 0.0);
    }
}

/// Filters, sensors, joints and the pair filter are asked as for contacts.
#[test]
fn what_does_not_collide_does_not_stop() {
    let wall = || ShapeDef::new(Shape2::segment(Vec2::Y * -5.0, Vec2::Y * 5.0));
    let shot = |change: &dyn Fn(&mut World<D2>, &mut ShapeDef<D2>)| {
        let mut world = weightless::<D2>();
        let mut shape = wall();
        change(&mut world, &mut shape);
        world.create_body_with(BodyDef::fixed([0.0, 0.0]), [shape]).unwrap();
        let def = thrown::<D2>(Vec2::X * -2.0, Vec2::X * 100.0);
        let ball = world.create_body_with(def, [Shape2::circle(0.1)]).unwrap();
        (0..5).for_each(|_| world.step());
        world.body(ball).unwrap().position().x > 1.0
    };
    assert!(!shot(&|_, _| {}), "a wall is a wall");
    assert!(shot(&|_, shape| shape.is_sensor = true), "through a sensor");
    assert!(shot(&|_, shape| shape.filter.mask = 0), "through what the filter lets pass");
    assert!(
        shot(&|world, _| world.set_pair_filter(Some(std::sync::Arc::new(|_, _| false)))),
        "through what the hook lets pass"
    );
}
