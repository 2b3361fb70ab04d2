//! Piles at rest.

use crate::support::*;
use topple::math::*;
use topple::{BodyId, ShapeDef, World};

/// Ten boxes on each other.
fn tower<D: TestDim>(world: &mut World<D>) -> Vec<BodyId> {
    add_floor(world, 0.6);
    (0..10).map(|i| add_body(world, 0.0, 0.5 + i as Real, D::cube(1.0))).collect()
}

/// They stand where they were put, to within the overlap that counts as nothing, and fall asleep.
fn stack_of_ten_rests<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let boxes = tower(&mut world);
        // The reference solver takes the points of a contact one by one, and its ten sweeps end before a tower of ten is
        // upright again.
        let lean = if solver == "baumgarte" { 0.02 } else { 0.01 };
        let mut asleep_after = None;
        for step in 0..600 {
            world.step();
            if asleep_after.is_none() && world.awake_count() == 0 {
                asleep_after = Some(step);
            }
        }
        assert!(asleep_after.is_some(), "{solver}: {} boxes awake after 10 s", world.awake_count());
        for (i, &id) in boxes.iter().enumerate() {
            let body = world.body(id).unwrap();
            let at = body.position().to_vec();
            // Each of the joints below may give by its slop, 5 mm.
            let sag = 0.005 * (i + 1) as Real + 0.002;
            assert_close(format!("{solver}: height of box {i}"), at.get(1), 0.5 + i as Real, sag, "m");
            assert_close(format!("{solver}: side of box {i}"), at.get(0), 0.0, lean, "m");
            assert_eq!(body.linear_velocity(), D::Vec::ZERO);
        }
        assert!(deepest_overlap(&world) < 0.0075, "{solver}: overlap {} m", deepest_overlap(&world));
    }
}

#[test]
fn stack_of_ten_rests_2d() {
    stack_of_ten_rests::<D2>();
}
#[test]
fn stack_of_ten_rests_3d() {
    stack_of_ten_rests::<D3>();
}

/// The floor carries the weight of the tower, and each box that of what is above it.
fn stack_weighs_what_it_weighs<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        adjust(&mut world, |s| s.sleeping = false);
        let boxes = tower(&mut world);
        run(&mut world, 5.0);
        for (i, &id) in boxes.iter().enumerate() {
            let below = |other: BodyId| {
                let others = boxes.iter().position(|&b| b == other);
                others.is_none_or(|j| j + 1 == i)
            };
            let contacts = world
                .contacts_of(id)
                .unwrap()
                .filter(|c| c.bodies().into_iter().any(|b| b != id && below(b)));
            let force: Real = contacts.map(|contact| contact.normal_force()).sum();
            let weight = (10 - i) as Real * world.body(id).unwrap().mass() * 9.8;
            assert_close(format!("{solver}: force under box {i}"), force, weight, 0.02 * weight, "N");
        }
    }
}

#[test]
fn stack_weighs_what_it_weighs_2d() {
    stack_weighs_what_it_weighs::<D2>();
}
#[test]
fn stack_weighs_what_it_weighs_3d() {
    stack_weighs_what_it_weighs::<D3>();
}

/// A heap of boxes, balls and capsules comes to rest, overlaps little and stays inside.
fn heap_comes_to_rest<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        heap(&mut world, 6);
        run(&mut world, 20.0);
        assert!(world.awake_count() <= 4, "{solver}: {} bodies still awake", world.awake_count());
        assert!(deepest_overlap(&world) < 0.02, "{solver}: overlap {} m", deepest_overlap(&world));
        for id in world.body_ids() {
            let height = world.body(id).unwrap().position().to_vec().get(1);
            assert!(height > -0.1, "{solver}: a body fell through to {height} m");
        }
    }
}

#[test]
fn heap_comes_to_rest_2d() {
    heap_comes_to_rest::<D2>();
}
#[test]
fn heap_comes_to_rest_3d() {
    heap_comes_to_rest::<D3>();
}

/// Dominoes of their real size, 7 mm thick: margins scale with them.
fn small_things_rest_too<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.5);
        let shape = || ShapeDef::new(D::block(0.007, 0.024)).density(D::pick(10.0, 1000.0));
        let dominoes: Vec<_> =
            (0..5).map(|i| add_shaped(&mut world, 0.03 * i as Real, 0.012, shape())).collect();
        run(&mut world, 3.0);
        for &id in &dominoes {
            let body = world.body(id).unwrap();
            assert_close(format!("{solver}: height"), body.position().to_vec().get(1), 0.012, 1e-4, "m");
        }
        assert_eq!(world.awake_count(), 0, "{solver}");
    }
}

#[test]
fn small_things_rest_too_2d() {
    small_things_rest_too::<D2>();
}
#[test]
fn small_things_rest_too_3d() {
    small_things_rest_too::<D3>();
}
