//! What is found deep in something after a step goes back the way it came in, not the shortest way out.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, Settings, ShapeDef, World};

/// How far the surfaces are from each other at the start [m]: more than contacts reach ahead, 0.02 m for boxes of 1 m.
const GAP: Real = 0.06;

fn place<D: Dim>(world: &World<D>, id: BodyId) -> D::Vec {
    world.body(id).unwrap().position().to_vec()
}

/// Without gravity, a heavy cube at the origin and another beside its middle by `aside` and above it by `height`, that comes down by `way` in a step [m].
fn dive<D: TestDim>(method: &str, aside: Real, height: Real, way: Real) -> (World<D>, [BodyId; 2]) {
    let mut world = World::<D>::new();
    world.set_narrow_phase_by_name(method).unwrap();
    weightless(&mut world);
    let still = ShapeDef::new(D::cube(1.0)).density(100.0).friction(0.0);
    let still = add_shaped(&mut world, 0.0, 0.0, still);
    let def = BodyDef {
        linear_velocity: D::vec(0.0, -way / world.settings().dt),
        ..BodyDef::dynamic(D::point(aside, height))
    };
    let shape = ShapeDef::new(D::cube(1.0)).friction(0.0);
    let moving = world.create_body_with(def, [shape]).unwrap();
    (world, [still, moving])
}

/// The overlap aside is smaller than that along the way in, and where the middles have passed each other the way on is shorter than the way
/// back: the cube was pushed aside, or on.
fn goes_back_the_way_it_came<D: TestDim>() {
    for method in methods::<D>("narrow phase") {
        // Where it is found, seen from the middle of the block [m].
        for (aside, height) in [(0.1, 0.05), (0.2, 0.15), (0.3, 0.1), (0.0, -0.05), (0.1, -0.2), (0.5, 0.2)] {
            let what = format!("{method}, found {aside} m aside and {height} m up");
            let (mut world, [still, moving]) = dive::<D>(method, aside, 1.0 + GAP, 1.0 + GAP - height);
            world.step();
            let found = place(&world, moving) - place(&world, still);
            assert_near(&what, found, D::vec(aside, height), 1e-3, "m");
            world.step();
            let contact = world.contacts().find(|c| c.is_touching()).unwrap();
            let normal = contact.normal();
            assert_close(format!("{what}: normal"), normal.get(1).abs(), 1.0, 1e-3, "1");
            for _ in 0..60 {
                world.step();
            }
            let out = place(&world, moving) - place(&world, still);
            assert!(out.get(1) > 0.9, "{what}: not back above it, but {out:?} m from its middle");
        }
    }
}

/// The same onto one that rests on the floor: both stay where they are, seen from above. They were pushed apart, by half a metre in this time.
fn stays_on_top<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    let below = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    run(&mut world, 0.5);
    let (aside, found, start) = (0.05, 0.53, 1.5 + GAP);
    let def = BodyDef {
        linear_velocity: D::vec(0.0, (found - start) / world.settings().dt),
        ..BodyDef::dynamic(D::point(aside, start))
    };
    let above = world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
    (0..12).for_each(|_| world.step());
    assert_close("the one below", place(&world, below).get(0), 0.0, 0.05, "m");
    assert_close("the one above", place(&world, above).get(0), aside, 0.05, "m");
    let height = place(&world, above).get(1);
    assert!(height > 1.45, "the one above is {height} m high");
}

/// Bodies that are created in each other and do not move part the shortest way.
fn what_was_created_overlapping_parts_the_shortest_way<D: TestDim>() {
    for method in methods::<D>("narrow phase") {
        let (mut world, [still, moving]) = dive::<D>(method, 0.6, 0.2, 0.0);
        run(&mut world, 2.0);
        let out = place(&world, moving) - place(&world, still);
        assert_close(format!("{method}: not moved up"), out.get(1), 0.2, 0.05, "m");
        assert!(out.get(0) > 0.98, "{method}: not moved aside, but {out:?} m from its middle");
    }
}

/// The way in is part of the state: a world restored while the two are deep in each other goes on in the same way.
fn restored_in_the_middle<D: TestDim>() {
    let (mut world, _) = dive::<D>("auto", 0.1, 1.0 + GAP, 1.0 + GAP - 0.05);
    for step in 0..20 {
        let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
        world.step();
        copy.step();
        assert_eq!(copy.state_hash(), world.state_hash(), "step {step}");
    }
}

both! {
    goes_back_the_way_it_came, goes_back_the_way_it_came_2d, goes_back_the_way_it_came_3d;
    stays_on_top, stays_on_top_2d, stays_on_top_3d;
    what_was_created_overlapping_parts_the_shortest_way,
        what_was_created_overlapping_parts_the_shortest_way_2d,
        what_was_created_overlapping_parts_the_shortest_way_3d;
    restored_in_the_middle, restored_in_the_middle_2d, restored_in_the_middle_3d;
}

/// A body that is put into another one is pushed out, in free space and in the air, however long the world has run.
fn placed_in_each_other<D: TestDim>() {
    for (gravity, steps) in [(0.0, 0), (0.0, 5), (-9.8, 0), (-9.8, 5)] {
        let settings = Settings { gravity: D::vec(0.0, gravity), ..Settings::default() };
        let mut world = World::<D>::with_settings(settings).unwrap();
        let one = add_body(&mut world, 0.0, 90.0, D::cube(1.0));
        let other = add_body(&mut world, 5.0, 90.0, D::cube(1.0));
        (0..steps).for_each(|_| world.step());
        let at = world.body(one).unwrap().position() + D::vec(0.7, 0.0);
        world.body_mut(other).unwrap().set_position(at).unwrap();
        (0..60).for_each(|_| world.step());
        let between = world.body(other).unwrap().position() - world.body(one).unwrap().position();
        assert!(between.get(0) > 0.99, "gravity {gravity}, {steps} steps: {between:?}");
    }
}

#[test]
fn placed_in_each_other_2d() {
    placed_in_each_other::<D2>();
}
#[test]
fn placed_in_each_other_3d() {
    placed_in_each_other::<D3>();
}
