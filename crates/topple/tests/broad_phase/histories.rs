//! Histories with a story: each a situation in which some method is at its worst.

use crate::harness::{Method, Random, World, half_space, proxy};
use crate::methods;
use topple::broad_phase::ProxyKind::{Dynamic, Kinematic, Static};
use topple::math::*;
use topple::{D2, D3, Dim, Filter};

/// Runs a check for every method in both dimensions.
fn each(in_2d: fn(Method<D2>), in_3d: fn(Method<D3>)) {
    methods().into_iter().for_each(in_2d);
    methods().into_iter().for_each(in_3d);
}

fn boxes<D: Dim>(random: &mut Random, count: usize, reach: Real, size: Real) -> Vec<Aabb<D>> {
    (0..count)
        .map(|_| Aabb::around(random.point::<D>(-reach, reach), random.vector::<D>(0.1 * size, size)))
        .collect()
}

/// A world with static, kinematic and dynamic boxes in it.
fn mixed<D: Dim>(method: Method<D>, random: &mut Random, count: usize, reach: Real) -> World<D> {
    let mut world = World::new(method);
    for (i, fat) in boxes(random, count, reach, 0.6).into_iter().enumerate() {
        let kind = [Static, Kinematic, Dynamic, Dynamic, Dynamic][random.below(5)];
        world.insert(proxy(i as u32, kind, fat));
    }
    world
}

fn drift<D: Dim>(method: Method<D>) {
    let mut random = Random(1);
    let mut world = mixed::<D>(method, &mut random, 150, 5.0);
    world.step();
    for _ in 0..40 {
        for index in world.live() {
            if random.below(3) > 0 {
                world.shift(index, random.vector::<D>(-0.3, 0.3));
            }
        }
        world.step();
        world.ask(&mut random, 6.0);
    }
}

#[test]
fn drifting_boxes() {
    each(drift, drift);
}

fn come_and_go<D: Dim>(method: Method<D>) {
    let mut random = Random(2);
    let mut world = mixed::<D>(method, &mut random, 60, 4.0);
    for step in 0..80 {
        for _ in 0..random.below(6) {
            let fat = boxes(&mut random, 1, 4.0, 0.6)[0];
            world.insert(proxy(1000 + random.below(50) as u32, Dynamic, fat));
        }
        let live = world.live();
        for _ in 0..random.below(if step < 60 { 6 } else { 20 }).min(live.len()) {
            let index = live[random.below(live.len())];
            if world.proxies[index as usize].kind != topple::broad_phase::ProxyKind::None {
                world.remove(index);
            }
        }
        // What was inserted and removed is seen at once; what moves, after an update.
        if step % 3 == 0 {
            world.ask(&mut random, 5.0);
        }
        for index in world.live() {
            match random.below(12) {
                0 => world.shift(index, random.vector::<D>(-0.2, 0.2)),
                1 => world.shift(index, random.vector::<D>(-8.0, 8.0)),
                2 => world.change(index, |p| p.kind = [Static, Kinematic, Dynamic][step % 3]),
                3 => world.change(index, |p| p.filter = Filter { group: step as i32 % 3 - 1, ..p.filter }),
                4 => world.change(index, |p| p.is_sensor = !p.is_sensor),
                _ => {}
            }
        }
        if step % 4 == 0 {
            world.update();
            world.ask(&mut random, 5.0);
        }
        world.step();
    }
}

#[test]
fn boxes_come_go_and_change() {
    each(come_and_go, come_and_go);
}

fn teleport<D: Dim>(method: Method<D>) {
    let mut random = Random(3);
    let mut world = mixed::<D>(method, &mut random, 120, 4.0);
    world.step();
    for step in 0..30 {
        let live = world.live();
        let count = if step % 7 == 6 { live.len() } else { random.below(8) };
        for _ in 0..count {
            let index = live[random.below(live.len())];
            world.move_to(index, boxes(&mut random, 1, 40.0, 1.0)[0]);
        }
        world.step();
    }
}

#[test]
fn teleports() {
    each(teleport, teleport);
}

fn one_place<D: Dim>(method: Method<D>) {
    let fat = Aabb::<D>::around(D::Point::ORIGIN, D::Vec::splat(0.5));
    let mut world = World::new(method);
    for i in 0..90 {
        world.insert(proxy(i, if i % 9 == 0 { Static } else { Dynamic }, fat));
        if i % 10 == 5 {
            world.step();
        }
    }
    world.step();
    for index in (0..90).step_by(4) {
        world.shift(index, D::Vec::axis(0) * 0.5);
    }
    world.step();
    for index in (0..90).step_by(2) {
        world.remove(index);
    }
    world.step();
    world.ask(&mut Random(4), 1.0);
}

#[test]
fn everything_in_one_place() {
    each(one_place, one_place);
}

fn points_and_grid<D: Dim>(method: Method<D>) {
    // Boxes without size, and boxes that touch exactly.
    let mut world = World::<D>::new(method);
    for i in 0..64_u32 {
        let mut corner = D::Vec::ZERO;
        corner.set(0, (i % 8) as Real);
        corner.set(1, (i / 8) as Real);
        let size = if i % 3 == 0 { 0.0 } else { 1.0 };
        let min: D::Point = corner.into();
        world.insert(proxy(i, Dynamic, Aabb { min, max: min + D::Vec::splat(size) }));
    }
    world.step();
    (0..64).step_by(5).for_each(|i| world.shift(i, D::Vec::axis(1)));
    world.step();
    world.ask(&mut Random(5), 8.0);
}

#[test]
fn touching_boxes_and_points() {
    each(points_and_grid, points_and_grid);
}

fn huge_and_tiny<D: Dim>(method: Method<D>) {
    let mut random = Random(6);
    let mut world = World::<D>::new(method);
    world.insert(proxy(0, Dynamic, Aabb::around(D::Point::ORIGIN, D::Vec::splat(1e4))));
    world.insert(proxy(1, Static, Aabb::around(D::Point::ORIGIN, D::Vec::splat(1e18))));
    for (i, fat) in boxes(&mut random, 100, 20.0, 1e-3).into_iter().enumerate() {
        world.insert(proxy(2 + i as u32, Dynamic, fat));
    }
    world.step();
    for step in 0..20 {
        let by = random.vector::<D>(-5.0, 5.0);
        world.shift(if step % 2 == 0 { 0 } else { 5 + step }, by);
        if step % 5 == 0 {
            world.shift(1, by);
        }
        world.step();
        world.ask(&mut random, 30.0);
    }
}

#[test]
fn one_huge_and_many_tiny() {
    each(huge_and_tiny, huge_and_tiny);
}

fn planes<D: Dim>(method: Method<D>) {
    let mut random = Random(7);
    let mut world = World::<D>::new(method);
    let floor = world.insert(proxy(500, Static, half_space(0.0)));
    let lift = world.insert(proxy(501, Kinematic, half_space(-1.0)));
    world.insert(proxy(502, Static, Aabb::infinite()));
    for (i, fat) in boxes(&mut random, 60, 4.0, 0.5).into_iter().enumerate() {
        world.insert(proxy(i as u32, Dynamic, fat));
    }
    world.step();
    for step in 0..30 {
        for index in 3..63 {
            if random.below(4) == 0 {
                world.shift(index, random.vector::<D>(-0.5, 0.5));
            }
        }
        match step % 5 {
            1 => world.move_to(lift, half_space(random.between(-2.0, 2.0))),
            // A plane becomes a box, and a box a plane.
            2 => world.move_to(floor, boxes(&mut random, 1, 4.0, 3.0)[0]),
            3 => world.move_to(floor, half_space(0.5)),
            _ => {}
        }
        world.step();
        world.ask(&mut random, 5.0);
    }
    world.remove(lift);
    world.step();
}

#[test]
fn infinite_planes() {
    each(planes, planes);
}

fn one_and_none<D: Dim>(method: Method<D>) {
    let fat = Aabb::<D>::around(D::Point::ORIGIN, D::Vec::splat(0.5));
    let mut world = World::new(method);
    world.step();
    world.ask(&mut Random(8), 1.0);
    let first = world.insert(proxy(0, Dynamic, fat));
    world.step();
    world.ask(&mut Random(9), 1.0);
    let floor = world.insert(proxy(1, Static, fat));
    world.step();
    world.remove(first);
    world.step();
    world.change(floor, |p| p.kind = Dynamic);
    world.step();
    world.remove(floor);
    world.step();
    world.ask(&mut Random(10), 1.0);
}

#[test]
fn one_body_and_none() {
    each(one_and_none, one_and_none);
}

fn attach<D: Dim>(method: Method<D>) {
    let mut random = Random(11);
    let mut world = mixed::<D>(method, &mut random, 80, 4.0);
    world.step();
    for _ in 0..5 {
        let slots = topple::broad_phase::Proxies::from_slots(world.proxies.clone());
        world.method.attach(&slots);
        world.ask(&mut random, 5.0);
        for index in world.live().into_iter().step_by(3) {
            world.shift(index, random.vector::<D>(-0.5, 0.5));
        }
        world.step();
    }
}

#[test]
fn attached_again_in_the_middle() {
    each(attach, attach);
}

fn traveller<D: Dim>(method: Method<D>) {
    // One body crosses a field of resting ones: small steps, the rest never in `moved`.
    let mut random = Random(12);
    let mut world = mixed::<D>(method, &mut random, 200, 6.0);
    let start = Aabb::around((D::Vec::splat(0.0) - D::Vec::axis(0) * 8.0).into(), D::Vec::splat(0.4));
    let body = world.insert(proxy(999, Dynamic, start));
    world.step();
    for _ in 0..80 {
        world.shift(body, D::Vec::axis(0) * 0.2);
        world.step();
    }
    world.ask(&mut random, 7.0);
}

#[test]
fn a_traveller_among_sleepers() {
    each(traveller, traveller);
}

fn moving_ground<D: Dim>(method: Method<D>) {
    let mut random = Random(13);
    let mut world = mixed::<D>(method, &mut random, 100, 4.0);
    world.step();
    for _ in 0..20 {
        for index in world.live() {
            if world.proxies[index as usize].kind == Static {
                world.shift(index, random.vector::<D>(-0.4, 0.4));
            }
        }
        world.step();
    }
}

#[test]
fn moved_static_bodies_meet_resting_ones() {
    each(moving_ground, moving_ground);
}
