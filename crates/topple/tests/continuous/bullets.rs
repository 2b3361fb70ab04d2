//! Bullets against what moves, and against each other.

use crate::support::*;
use std::sync::Arc;
use topple::exec::Pool;
use topple::math::*;
use topple::{BodyDef, BodyId, Methods, ShapeDef, World};

/// Pairs shot at each other, each pair in a lane of its own.
const PAIRS: usize = 400;

/// Two bodies per lane that fly at each other, and a third that comes later. Returns how often one got through another, and
/// how often one was stopped.
fn passes<D: Kit>(is_bullet: bool) -> (usize, usize) {
    let mut random = Random(4);
    let mut world = weightless::<D>();
    let mut lanes: Vec<[BodyId; 3]> = Vec::new();
    let mut sizes = Vec::new();
    for i in 0..PAIRS {
        let size = random.scale(0.02, 0.5);
        let y = D::Vec::axis(1) * (i as Real * 3.0);
        let mut make = |x: Real, speed: Real, kind: usize| {
            let mut def = thrown::<D>(y + D::Vec::axis(0) * x, D::Vec::axis(0) * speed);
            def.is_bullet = is_bullet;
            def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
            def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 20.0);
            world.create_body_with(def, D::body(kind, size)).unwrap()
        };
        let speed = 10.0 + 390.0 * (i as Real / PAIRS as Real);
        let lane = [
            make(-3.0, speed, i % D::CONVEX),
            make(3.0, -speed, (i / 3) % D::CONVEX),
            make(5.0, -speed, (i / 5) % D::CONVEX),
        ];
        lanes.push(lane);
        sizes.push(size);
    }
    let mut apart = [[D::Vec::axis(0); 2]; PAIRS];
    let (mut passed, mut stopped) = (0, 0);
    for _ in 0..60 {
        world.step();
        stopped += world.profile().counters.stopped as usize;
        for (lane, ids) in lanes.iter().enumerate() {
            let place = |i: usize| world.body(ids[i]).unwrap().center().to_vec();
            for pair in 0..2 {
                let now = place(pair + 1) - place(pair);
                let before = core::mem::replace(&mut apart[lane][pair], now);
                // Once they have glanced off each other they may fly past, but not through: the thinnest is a tenth of its size
                // thick, so their middles are about that far apart when they do. Half of it, because plates that slide along each
                // other at 130 m/s and turn by a tenth within a step are pressed into each other by a third of their thickness.
                let aside = |mut v: D::Vec| {
                    v.set(0, 0.0);
                    v.length()
                };
                let in_line = aside(before).max(aside(now)) < 0.05 * sizes[lane];
                let turned = before.get(0) > 0.0 && now.get(0) < 0.0;
                passed += usize::from(turned && in_line);
            }
        }
    }
    (passed, stopped)
}

/// Nobody gets through anybody; ordinary bodies do, to see that it matters.
fn bullets_do_not_pass_bullets<D: Kit>() {
    let (passed, stopped) = passes::<D>(true);
    assert_eq!(passed, 0, "bullets that got through");
    assert!(stopped > PAIRS, "{stopped} stops");
    let (passed, _) = passes::<D>(false);
    assert!(passed > PAIRS / 4, "only {passed} ordinary bodies got through");
}

#[test]
fn bullets_do_not_pass_bullets_2d() {
    bullets_do_not_pass_bullets::<D2>();
}
#[test]
fn bullets_do_not_pass_bullets_3d() {
    bullets_do_not_pass_bullets::<D3>();
}

/// Bullets against plates that move: free and heavy ones, kinematic ones that come or go and turn, resting ones. Ordinary bodies go
/// through, to see that it matters.
fn bullets_do_not_pass_moving_plates<D: Kit>() {
    for is_bullet in [true, false] {
        let mut random = Random(9);
        let mut world = weightless::<D>();
        let mut ranges = Vec::new();
        for i in 0..240 {
            let place = D::Vec::axis(0) * (i as Real * 20.0);
            let plate = ShapeDef { density: 1e5, ..ShapeDef::new(D::block(9.0, 0.02)) };
            let plate_speed = random.range(-40.0, 40.0);
            let mut def = thrown::<D>(place, D::Vec::axis(1) * if i % 3 == 0 { plate_speed } else { 0.0 });
            if i % 3 == 0 {
                def.kind = topple::BodyKind::Kinematic;
                def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 3.0);
            } else if i % 3 == 1 {
                def.linear_velocity = D::Vec::axis(1) * 0.2;
            }
            let plate = world.create_body_with(def, [plate]).unwrap();
            let speed = random.scale(90.0, 400.0);
            let mut def = thrown::<D>(place + D::Vec::axis(1) * 6.0, D::Vec::axis(1) * -speed);
            def.is_bullet = is_bullet;
            def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 30.0);
            let shot = world.create_body_with(def, D::body(i % D::BODIES, 0.1)).unwrap();
            ranges.push((plate, shot));
        }
        let passed = |world: &World<D>, &(plate, shot): &(BodyId, BodyId)| {
            let [a, b] = [plate, shot].map(|id| world.body(id).unwrap().pose());
            let mut aside = a.inverse_transform(b.position);
            let height = aside.get(1);
            aside.set(1, 0.0);
            // Over the edge is not through.
            height < 0.0 && aside.length() < 4.0
        };
        let mut behind = 0;
        for step in 0..12 {
            world.step();
            behind = ranges.iter().filter(|range| passed(&world, range)).count();
            assert!(!is_bullet || behind == 0, "{behind} of {} are through after step {step}", ranges.len());
        }
        assert!(is_bullet || behind > ranges.len() / 4, "only {behind} ordinary bodies got through");
    }
}

#[test]
fn bullets_do_not_pass_moving_plates_2d() {
    bullets_do_not_pass_moving_plates::<D2>();
}
#[test]
fn bullets_do_not_pass_moving_plates_3d() {
    bullets_do_not_pass_moving_plates::<D3>();
}

/// A crowd of bullets and others in a box of walls.
fn swarm<D: Kit>(count: usize) -> World<D> {
    let mut random = Random(11);
    let mut world = weightless::<D>();
    for axis in 0..D::N {
        for side in [-1.0, 1.0] {
            let wall = D::block(60.0, 0.02);
            let mut turn = D::Ang::ZERO;
            // y to the axis, about z for x and about x for z.
            match (D::N, axis) {
                (_, 0) => turn.set(D::ANGULAR - 1, core::f32::consts::FRAC_PI_2),
                (3, 2) => turn.set(0, core::f32::consts::FRAC_PI_2),
                _ => {}
            }
            let place = D::Point::from_vec(D::Vec::axis(axis) * (side * 10.0));
            let def = BodyDef { rotation: D::Rot::from_ang(turn), ..BodyDef::fixed(place) };
            world.create_body_with(def, [ShapeDef::new(wall).restitution(0.9)]).unwrap();
        }
    }
    for i in 0..count {
        let mut place = D::Vec::ZERO;
        (0..D::N).for_each(|axis| place.set(axis, random.range(-9.0, 9.0)));
        let mut def = thrown::<D>(place, random.direction::<D>(1.0) * random.scale(1.0, 300.0));
        def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 30.0);
        def.is_bullet = i % 2 == 0;
        let size = random.scale(0.05, 0.6);
        let shapes = D::body(i % D::SHOTS, size).into_iter().map(|shape| shape.restitution(0.8));
        world.create_body_with(def, shapes).unwrap();
    }
    world
}

/// The same bits on any number of threads, and after a restore; nobody leaves the box.
fn swarms_are_deterministic<D: Kit>() {
    let mut worlds: Vec<_> = [0, 2, 3].iter().map(|_| swarm::<D>(150)).collect();
    worlds[1].set_executor(Arc::new(Pool::new(2)));
    worlds[2].set_executor(Arc::new(Pool::new(3)));
    let mut stopped = 0;
    for step in 0..120 {
        worlds.iter_mut().for_each(World::step);
        stopped += worlds[0].profile().counters.stopped;
        assert_eq!(worlds[0].state_hash(), worlds[1].state_hash(), "step {step}");
        assert_eq!(worlds[0].state_hash(), worlds[2].state_hash(), "step {step}");
        if step % 40 == 20 {
            worlds[1] = World::restore(&worlds[0].snapshot()).unwrap();
        }
        for id in worlds[0].body_ids().skip(2 * D::N) {
            let place = worlds[0].body(id).unwrap().center().to_vec();
            assert!(place.abs().max_component() < 10.0, "step {step}: {id:?} is out at {place:?}");
        }
    }
    assert!(stopped > 500, "{stopped} stops");
}

#[test]
fn swarms_are_deterministic_2d() {
    swarms_are_deterministic::<D2>();
}
#[test]
fn swarms_are_deterministic_3d() {
    swarms_are_deterministic::<D3>();
}

/// Whatever finds the pairs, the same bodies are stopped at the same place: statics that overlap each other, and a platform that
/// stands still, are in everybody's way.
fn every_broad_phase_stops_alike<D: Kit>() {
    let scene = |broad_phase: &str| {
        let mut world = swarm::<D>(60);
        let mut random = Random(5);
        for i in 0..24 {
            let place = D::Point::from_vec(random.direction::<D>(0.3 * i as Real));
            let def = if i % 6 == 0 { BodyDef::kinematic(place) } else { BodyDef::fixed(place) };
            let def = BodyDef { rotation: D::facing(0.4 * i as Real), ..def };
            world.create_body_with(def, [ShapeDef::new(D::block(2.0, 0.01))]).unwrap();
        }
        world.set_broad_phase_by_name(broad_phase).unwrap();
        world
    };
    let names: Vec<_> =
        Methods::<D>::all().into_iter().filter(|method| method.stage == "broad phase").collect();
    assert!(names.len() >= 8, "all broad phases take part: {names:?}");
    let mut reference = scene("all-pairs");
    let hashes: Vec<u64> = (0..40).map(|_| (reference.step(), reference.state_hash()).1).collect();
    for method in names {
        let mut world = scene(method.name);
        for (step, &hash) in hashes.iter().enumerate() {
            world.step();
            assert_eq!(world.state_hash(), hash, "{}, step {step}", method.name);
        }
    }
}

#[test]
fn every_broad_phase_stops_alike_2d() {
    every_broad_phase_stops_alike::<D2>();
}
#[test]
fn every_broad_phase_stops_alike_3d() {
    every_broad_phase_stops_alike::<D3>();
}

/// Balls of triangles of very different size at each other, off-centre: none gets into the other. The middle of the larger one alone was watched; the smaller one passed
/// beside that, through triangles that are never deep in each other. `is_bullet`: both are; otherwise the small one stands still.
fn solid_meshes_at_each_other(is_bullet: bool) {
    let mut random = Random(17);
    for case in 0..cases(200) {
        let small = random.scale(0.03, 0.2);
        let big = small * random.scale(1.2, 8.0);
        let speed = random.scale(10.0, 300.0);
        let mut world = weightless::<D3>();
        let aside = Vec3::Y * (random.range(0.0, 0.7) * (small + big));
        let ahead = Vec3::X * (small + big + random.range(0.1, 2.0) * speed / 60.0);
        let mut def = thrown::<D3>(-ahead, Vec3::X * speed);
        (def.is_bullet, def.rotation) = (is_bullet, Quat::from_ang(random.turn::<D3>(3.0)));
        let large = world.create_body_with(def, [ShapeDef::new(closed_mesh(big))]).unwrap();
        let mut def = if is_bullet {
            thrown::<D3>(aside, Vec3::X * (-0.1 * speed))
        } else {
            BodyDef::fixed(Point3::from_vec(aside))
        };
        def.is_bullet = is_bullet;
        let other = world.create_body_with(def, [ShapeDef::new(closed_mesh(small))]).unwrap();
        let between =
            |world: &World<D3>| world.body(other).unwrap().center() - world.body(large).unwrap().center();
        for step in 0..6 {
            let from = between(&world);
            world.step();
            let to = between(&world);
            let text =
                || format!("case {case}, step {step}: {small} m and {big} m, {speed} m/s: {from} {to}");
            // They have corners and faces, and the smaller one may be deep by three quarters.
            assert!(to.length() > 0.8 * big, "in each other: {}", text());
            if from.x > 0.0 && to.x <= 0.0 {
                let crossed = from + (to - from) * (from.x / (from.x - to.x));
                assert!(crossed.length() > 0.6 * (small + big), "through each other: {}", text());
            }
        }
    }
}

#[test]
fn solid_mesh_bullets_do_not_pass_each_other() {
    solid_meshes_at_each_other(true);
}

#[test]
fn solid_meshes_do_not_pass_small_ones_that_stand() {
    solid_meshes_at_each_other(false);
}
