//! Faults found while the core was being proved right, one small scene each.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyKind, Locks, Mass, ShapeDef, World};

/// A snapshot taken when every contact had gone restored without room for the next one.
#[test]
fn restore_after_all_contacts_have_gone() {
    let mut world = World::<D2>::new();
    add_floor(&mut world, 0.5);
    let first = add_body(&mut world, 0.0, 0.5, D2::cube(1.0));
    world.step();
    assert_eq!(world.contacts().count(), 1);
    world.remove_body(first).unwrap();
    let mut copy = World::<D2>::restore(&world.snapshot()).unwrap();
    add_body(&mut copy, 0.0, 0.5, D2::cube(1.0));
    run(&mut copy, 1.0);
    assert_eq!(copy.contacts().count(), 1);
}

/// Negative zeros were not saved, and came back positive: another hash.
#[test]
fn negative_zero_survives_a_snapshot() {
    let mut world = World::<D3>::new();
    let body = add_body(&mut world, 0.0, 0.0, D3::ball(0.5));
    world.set_kind(body, BodyKind::Kinematic).unwrap();
    world.body_mut(body).unwrap().set_linear_velocity(Vec3::X).unwrap();
    world.body_mut(body).unwrap().set_linear_velocity(Vec3::new(-0.0, 0.0, -0.0)).unwrap();
    assert_eq!(World::<D3>::restore(&world.snapshot()).unwrap().state_hash(), world.state_hash());
}

/// A kinematic body that started or stopped left its contacts in the wrong list.
fn kinematic_starts_and_stops<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    let cube = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    let platform = world
        .create_body_with(BodyDef::kinematic(D::point(1.03, 0.5)), [ShapeDef::new(D::cube(1.0))])
        .unwrap();
    run(&mut world, 2.0);
    assert_eq!(world.awake_count(), 0);
    for speed in [-0.01, 0.0, 0.02, 0.0] {
        world.body_mut(platform).unwrap().set_linear_velocity(D::vec(speed, 0.0)).unwrap();
        run(&mut world, 1.0);
    }
    let _ = cube;
}

#[test]
fn kinematic_starts_and_stops_2d() {
    kinematic_starts_and_stops::<D2>();
}
#[test]
fn kinematic_starts_and_stops_3d() {
    kinematic_starts_and_stops::<D3>();
}

/// A platform slower than the sleep threshold went through the body it pushed, which had fallen asleep.
fn slow_platform_pushes<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.1);
    let cube = add_shaped(&mut world, 0.0, 0.5, ShapeDef::new(D::cube(1.0)).friction(0.1));
    let def = BodyDef { linear_velocity: D::vec(0.02, 0.0), ..BodyDef::kinematic(D::point(-1.0, 0.5)) };
    world.create_body_with(def, [ShapeDef::new(D::cube(1.0)).friction(0.0)]).unwrap();
    run(&mut world, 10.0);
    let x = world.body(cube).unwrap().position().to_vec().get(0);
    assert_close("pushed along", x, 0.2, 0.02, "m");
}

#[test]
fn slow_platform_pushes_2d() {
    slow_platform_pushes::<D2>();
}
#[test]
fn slow_platform_pushes_3d() {
    slow_platform_pushes::<D3>();
}

/// A disabled body that changed its kind was enabled by it.
#[test]
fn disabled_bodies_stay_disabled() {
    let mut world = World::<D2>::new();
    let body = add_body(&mut world, 0.0, 5.0, D2::ball(0.5));
    world.set_enabled(body, false).unwrap();
    world.set_kind(body, BodyKind::Static).unwrap();
    world.set_kind(body, BodyKind::Dynamic).unwrap();
    run(&mut world, 0.5);
    assert!(!world.body(body).unwrap().is_enabled());
    assert_eq!(world.body(body).unwrap().position(), Point2::new(0.0, 5.0));
}

/// A velocity given at creation moved a body along its locked axes.
#[test]
fn locks_hold_from_the_start() {
    let mut world = World::<D2>::new();
    let def = BodyDef { locks: Locks::PINNED, linear_velocity: Vec2::X, ..BodyDef::dynamic([1.0, 2.0]) };
    let body = world.create_body_with(def, [ShapeDef::new(D2::ball(0.5))]).unwrap();
    run(&mut world, 1.0);
    assert_eq!(world.body(body).unwrap().position(), Point2::new(1.0, 2.0));
}

/// A spinning body without shapes counted as being at rest and fell asleep.
#[test]
fn spinning_without_shapes_is_not_rest() {
    let mut world = World::<D3>::new();
    weightless(&mut world);
    let mass = Mass { mass: 1.0, center: Vec3::ZERO, inertia: SymMat3::from_diagonal(Vec3::ONE) };
    let def = BodyDef { mass: Some(mass), angular_velocity: Vec3::Y, ..BodyDef::dynamic([0.0; 3]) };
    let body = world.create_body(def).unwrap();
    run(&mut world, 2.0);
    assert!(world.body(body).unwrap().is_awake());
}

/// The empty name found the first body without a name.
#[test]
fn nothing_has_the_empty_name() {
    let mut world = World::<D2>::new();
    world.create_body(BodyDef::default()).unwrap();
    assert_eq!(world.find_body(""), None);
}

/// Sliding friction of boxes in space did not point against the slip: they turned, and slid too fast.
#[test]
fn sliding_boxes_do_not_turn() {
    let mut world = world_with_solver::<D3>("baumgarte");
    add_floor(&mut world, 0.4);
    let shape = ShapeDef::new(topple::Shape3::cuboid(1.0, 0.5, 0.7)).friction(0.4);
    let body = add_shaped(&mut world, 0.0, 0.25, shape);
    run(&mut world, 0.3);
    world.body_mut(body).unwrap().set_linear_velocity(Vec3::new(4.0, 0.0, 2.5)).unwrap();
    run(&mut world, 0.5);
    let body = world.body(body).unwrap();
    let v = body.linear_velocity();
    assert_close("direction", v.z / v.x, 2.5 / 4.0, 0.02, "");
    assert!(body.angular_velocity().length() < 0.1, "{:?}", body.angular_velocity());
}
