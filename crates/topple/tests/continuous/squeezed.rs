//! Bullets that something takes along: into walls, into other bodies, and what runs into bullets at rest.

use crate::support::*;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{BodyId, BodyKind, ShapeDef, World};

/// What pushes a bullet about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pusher {
    /// A heavy ball, slow for its size.
    Ball,
    /// A driven one that flies past the wall without touching it.
    Driven,
}

/// Radius of the ball [m], and of the bullet.
const BALL: Real = 1.0;
const BULLET: Real = 0.02;

/// What is on the other side of the bullet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wall {
    Static(usize),
    Heavy,
    Sleeping,
}

/// A bullet between a ball and a wall below it. Returns the number of bullets that get behind the wall, and of all.
fn squeeze<D: Kit>(pusher: Pusher, wall: Wall) -> (usize, usize) {
    let mut world = weightless::<D>();
    let mut bullets = Vec::new();
    for i in 0..160 {
        let middle = D::Vec::axis(0) * (20.0 * (i as Real - 80.0));
        let (gap, speed, dive) =
            (0.05 + 0.04 * (i % 10) as Real, 2.0 + (i / 10 % 8) as Real, 4.0 * (i / 80) as Real);
        let shape = match wall {
            Wall::Static(kind) => D::wall(kind, 8.0).1,
            _ => D::block(8.0, 0.01),
        };
        let mut def = thrown::<D>(middle, D::Vec::ZERO);
        match wall {
            Wall::Static(_) => def.kind = BodyKind::Static,
            Wall::Heavy => {}
            Wall::Sleeping => def.is_awake = false,
        }
        let wall = world.create_body_with(def, [ShapeDef { density: 1e6, ..ShapeDef::new(shape) }]).unwrap();
        let (up, along) = (D::Vec::axis(1), D::Vec::axis(0));
        let drop = match pusher {
            Pusher::Ball => speed,
            // Past the wall, a bullet's width above it in the end.
            Pusher::Driven => 0.0,
        };
        let height = match pusher {
            Pusher::Ball => gap,
            Pusher::Driven => 1.2 * BULLET,
        };
        let mut def = thrown::<D>(middle + up * (BALL + height) - along * 0.4, along * 5.0 - up * drop);
        if pusher == Pusher::Driven {
            def.kind = BodyKind::Kinematic;
            def.position = D::Point::from_vec(middle + up * (BALL + height) - along * 1.2);
            def.linear_velocity = along * (3.0 + speed);
        }
        world.create_body_with(def, [ShapeDef::new(D::ball(BALL))]).unwrap();
        let mut def = thrown::<D>(middle + up * 0.03 + along * (0.025 * dive), up * 3.0 - along * dive);
        def.is_bullet = true;
        let bullet = world.create_body_with(def, [ShapeDef::new(D::ball(BULLET))]).unwrap();
        bullets.push((wall, bullet));
    }
    let mut behind = vec![false; bullets.len()];
    for _ in 0..40 {
        world.step();
        for (behind, &(wall, bullet)) in behind.iter_mut().zip(&bullets) {
            let place = seen_from(&world, wall, bullet);
            *behind |= place.get(1) < 0.0 && place.length() < 3.5;
        }
    }
    (behind.iter().filter(|&&behind| behind).count(), bullets.len())
}

/// Place of a body in the frame of another one.
fn seen_from<D: Dim>(world: &World<D>, from: BodyId, id: BodyId) -> D::Vec {
    world.body(from).unwrap().pose().inverse_transform(world.body(id).unwrap().pose().position)
}

/// A bullet that goes along with what it meets does not get through what is on its other side. It used to go along whatever was there.
fn what_is_squeezed_stays_in_front<D: Kit>() {
    // Planes have no end: all bodies would be above all of them.
    let has_end = |kind: &usize| D::wall(*kind, 8.0).1.half_space().is_none();
    let mut walls: Vec<_> = (0..D::WALLS).filter(has_end).map(Wall::Static).collect();
    walls.extend([Wall::Heavy, Wall::Sleeping]);
    for pusher in [Pusher::Ball, Pusher::Driven] {
        for &wall in &walls {
            let (behind, count) = squeeze::<D>(pusher, wall);
            assert_eq!(behind, 0, "{pusher:?}, {wall:?}: {behind} of {count} are behind");
        }
    }
}

#[test]
fn what_is_squeezed_stays_in_front_2d() {
    what_is_squeezed_stays_in_front::<D2>();
}
#[test]
fn what_is_squeezed_stays_in_front_3d() {
    what_is_squeezed_stays_in_front::<D3>();
}

/// A sheet without thickness that is driven through bullets at rest, slowly for its own size. Such bullets used to be looked at by nobody.
fn slow_sheets_do_not_pass_bullets_at_rest<D: Kit>() {
    let sheet = if D::N == 2 { 0 } else { 5 };
    for is_bullet in [true, false] {
        let mut world = weightless::<D>();
        let mut pairs = Vec::new();
        for i in 0..60 {
            let middle = D::Vec::axis(0) * (60.0 * (i as Real - 30.0));
            let speed = 1.0 + 0.05 * i as Real;
            let mut def = thrown::<D>(middle, D::Vec::axis(1) * speed);
            def.kind = BodyKind::Kinematic;
            let shape = D::wall(sheet, 20.0).1;
            let sheet = world.create_body_with(def, [ShapeDef::new(shape)]).unwrap();
            let mut def = thrown::<D>(middle + D::Vec::axis(1) * 0.05, D::Vec::ZERO);
            def.is_bullet = is_bullet;
            let radius = 0.003 + 0.001 * (i % 5) as Real;
            let bullet = world.create_body_with(def, [ShapeDef::new(D::ball(radius))]).unwrap();
            pairs.push((sheet, bullet, speed));
        }
        let mut behind = 0;
        for _ in 0..30 {
            world.step();
            behind = pairs.iter().filter(|pair| seen_from(&world, pair.0, pair.1).get(1) < 0.0).count();
            assert!(!is_bullet || behind == 0, "{behind} of {} are through", pairs.len());
        }
        assert!(is_bullet || behind > 10, "only {behind} ordinary bodies are through");
    }
}

#[test]
fn slow_sheets_do_not_pass_bullets_at_rest_2d() {
    slow_sheets_do_not_pass_bullets_at_rest::<D2>();
}
#[test]
fn slow_sheets_do_not_pass_bullets_at_rest_3d() {
    slow_sheets_do_not_pass_bullets_at_rest::<D3>();
}

/// Balls that meet a bullet, driven ones and free ones, at rest or head on: neither gets deeper into the other than the thinner one is thick. Driven
/// ones used to count as if they had no thickness, so that thin ones went into the bullet up to three quarters of its own.
fn nobody_is_deeper_than_the_thinner_one<D: Kit>() {
    let cases: [(Real, Real, Real, Real); 7] = [
        (0.1, 0.3, 20.0, 3.0),
        (0.03, 0.3, 20.0, 10.0),
        (0.1, 0.3, 100.0, 30.0),
        (0.3, 0.05, 20.0, 10.0),
        // Slow for their own sizes, not for that of the other one.
        (0.02, 1.0, 0.0, 12.0),
        (1.0, 0.1, 10.0, 0.0),
        (0.02, 1.0, 0.1, 5.0),
    ];
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        // What is kinematic and stands is like a wall.
        for (radius, other, speed, back) in
            cases.into_iter().filter(|case| kind == BodyKind::Dynamic || case.3 > 0.0)
        {
            let mut world = weightless::<D>();
            let mut pairs = Vec::new();
            for i in 0..150 {
                let middle = D::Vec::axis(1) * (6.0 * (i as Real - 75.0));
                let aside = D::Vec::axis(1) * (0.3 * (i % 3) as Real * (radius + other));
                let apart = D::Vec::axis(0) * (radius + other + 0.1 + 0.013 * (i / 3) as Real);
                let mut def = thrown::<D>(middle + apart, D::Vec::axis(0) * -back);
                def.kind = kind;
                let target = world.create_body_with(def, [ShapeDef::new(D::ball(other))]).unwrap();
                let mut def = thrown::<D>(middle + aside, D::Vec::axis(0) * speed);
                def.is_bullet = true;
                let bullet = world.create_body_with(def, [ShapeDef::new(D::ball(radius))]).unwrap();
                pairs.push((target, bullet));
            }
            let mut worst: Real = 0.0;
            for _ in 0..30 {
                world.step();
                for &(target, bullet) in &pairs {
                    let apart = seen_from(&world, target, bullet).length();
                    worst = worst.max((radius + other - apart) / radius.min(other));
                }
            }
            assert!(
                worst < 1.0,
                "{kind:?}: a bullet of {radius} m at {speed} m/s and a ball of {other} m at {back} m/s: {worst}"
            );
        }
    }
}

#[test]
fn nobody_is_deeper_than_the_thinner_one_2d() {
    nobody_is_deeper_than_the_thinner_one::<D2>();
}
#[test]
fn nobody_is_deeper_than_the_thinner_one_3d() {
    nobody_is_deeper_than_the_thinner_one::<D3>();
}
