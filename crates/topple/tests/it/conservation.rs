//! Momentum, angular momentum and energy of whole worlds.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// A cloud of balls and boxes that fly into each other, without gravity.
fn cloud<D: TestDim>(world: &mut World<D>, restitution: Real, friction: Real) {
    weightless(world);
    adjust(world, |s| s.sleeping = false);
    let mut random = Random(7);
    for i in 0..60 {
        let mut place = D::vec(random.between(-3.0, 3.0), random.between(-3.0, 3.0));
        place.set(D::N - 1, random.between(-3.0, 3.0));
        let linear_velocity = place * -1.0 + D::vec(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let angular_velocity = D::spin(random.between(-3.0, 3.0));
        let shape = if i % 2 == 0 { D::ball(0.3) } else { D::cube(0.5) };
        let shape = ShapeDef::<D>::new(shape).restitution(restitution).friction(friction);
        let position = D::Point::from_vec(place * 1.5);
        let def = BodyDef { linear_velocity, angular_velocity, ..BodyDef::dynamic(position) };
        world.create_body_with(def, [shape]).unwrap();
    }
}

/// Impulses come in pairs: the momentum of a world without outside forces changes by rounding alone, its angular momentum
/// by how far the anchors of a contact part within a step.
fn momentum_is_kept<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        cloud(&mut world, 0.5, 0.5);
        let scale: Real = world.body_ids().map(|id| world.body(id).unwrap().momentum().length()).sum();
        let (p, l) = (momentum(&world), angular_momentum(&world));
        let mut touches = 0;
        for _ in 0..240 {
            world.step();
            touches += world.events().begin.len();
        }
        assert!(touches > 60, "{solver}: only {touches} impacts");
        assert_near(format!("{solver}: P"), momentum(&world), p, 2e-5 * scale, "kg·m/s");
        let drift = (angular_momentum(&world) - l).length();
        assert!(drift < 0.01 * scale, "{solver}: L off by {drift} kg·m²/s of about {scale}");
    }
}

#[test]
fn momentum_is_kept_2d() {
    momentum_is_kept::<D2>();
}
#[test]
fn momentum_is_kept_3d() {
    momentum_is_kept::<D3>();
}

/// Inelastic worlds lose energy, frictionless elastic ones hardly gain any.
fn energy_is_not_made<D: TestDim>() {
    for solver in methods::<D>("solver") {
        // The position bias of this solver adds energy to elastic impacts that begin with an overlap.
        let elastic = if solver == "baumgarte" { 1.4 } else { 1.15 };
        for (restitution, friction, limit) in [(0.0, 0.5, 1.0), (1.0, 0.0, elastic)] {
            let mut world = world_with_solver::<D>(solver);
            cloud(&mut world, restitution, friction);
            let before = kinetic_energy(&world);
            run(&mut world, 3.0);
            let share = kinetic_energy(&world) / before;
            assert!(share < limit, "{solver}, restitution {restitution}: energy times {share}");
            assert!(restitution == 0.0 || share > 0.6, "{solver}: elastic cloud kept only {share}");
        }
    }
}

#[test]
fn energy_is_not_made_2d() {
    energy_is_not_made::<D2>();
}
#[test]
fn energy_is_not_made_3d() {
    energy_is_not_made::<D3>();
}

/// A ball dropped on the floor comes back to e²·h.
fn bouncing_ball<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        adjust(&mut world, |s| s.dt = 1.0 / 240.0);
        add_floor(&mut world, 0.5);
        let ball = add_shaped(&mut world, 0.0, 2.5, ShapeDef::new(D::ball(0.5)).restitution(0.8));
        let height = |world: &World<D>| world.body(ball).unwrap().position().to_vec().get(1) - 0.5;
        let mut lowest = Real::MAX;
        let mut highest_after: Real = 0.0;
        for _ in 0..300 {
            world.step();
            lowest = lowest.min(height(&world));
            if lowest < 0.05 {
                highest_after = highest_after.max(height(&world));
            }
        }
        // First order in the step: 2 % of the height at 240 Hz.
        assert_close(solver, highest_after, 0.64 * 2.0, 0.03, "m");
        assert!(lowest > -0.06, "{solver}: sank in by {} m", -lowest);
    }
}

#[test]
fn bouncing_ball_2d() {
    bouncing_ball::<D2>();
}
#[test]
fn bouncing_ball_3d() {
    bouncing_ball::<D3>();
}

/// Change of the energy of 64 frictionless elastic bodies that fly about in a closed room with `speed` [m/s] for four seconds, as a
/// share of it.
fn elastic_change<D: TestDim>(shape: &D::Shape, speed: Real) -> Real {
    let mut world = World::<D>::new();
    weightless(&mut world);
    adjust(&mut world, |s| s.sleeping = false);
    let elastic = |shape: &D::Shape| ShapeDef::<D>::new(shape.clone()).restitution(1.0).friction(0.0);
    let per = if D::N == 2 { 8 } else { 4 };
    let side = 0.5 * per as Real;
    for axis in 0..D::N {
        for sign in [-1.0, 1.0] {
            let mut at = D::Vec::ZERO;
            at.set(axis, sign * (0.5 * side + 2.0 * side));
            world
                .create_body_with(BodyDef::fixed(D::Point::from_vec(at)), [elastic(&D::cube(4.0 * side))])
                .unwrap();
        }
    }
    let mut random = Random(11);
    let mut ids = Vec::new();
    for mut i in 0..64 {
        let mut def = BodyDef::<D>::dynamic(D::Point::ORIGIN);
        let mut at = D::Vec::ZERO;
        for axis in 0..D::N {
            at.set(axis, (0.5 + (i % per) as Real) * 0.5 - 0.5 * side);
            def.linear_velocity.set(axis, speed * random.between(-1.0, 1.0));
            i /= per;
        }
        def.position = D::Point::from_vec(at);
        ids.push(world.create_body_with(def, [elastic(shape)]).unwrap());
    }
    let start = kinetic_energy(&world);
    run(&mut world, 4.0);
    for &id in &ids {
        let at = world.body(id).unwrap().position();
        assert!((0..D::N).all(|axis| at.to_vec().get(axis).abs() < 0.5 * side), "at {at:?}");
    }
    kinetic_energy(&world) / start - 1.0
}

/// Elastic boxes that spin by radians per sub-step keep their energy, long ones too, though their spin changes by itself.
fn elastic_boxes_keep_their_energy<D: TestDim>() {
    for speed in [5.0, 20.0] {
        for (name, shape) in [("cubes", D::cube(0.17)), ("rods", D::block(0.3, 0.1))] {
            let change = elastic_change::<D>(&shape, speed);
            assert!(change.abs() < 0.01, "{name} at {speed} m/s: {} %", 100.0 * change);
        }
    }
}

#[test]
fn elastic_boxes_keep_their_energy_2d() {
    elastic_boxes_keep_their_energy::<D2>();
}
#[test]
fn elastic_boxes_keep_their_energy_3d() {
    elastic_boxes_keep_their_energy::<D3>();
}
