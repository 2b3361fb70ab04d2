//! Worlds with meshes: events, sleep, snapshots, threads, shapes that come and go.

use crate::support::{Random, hills, mesh};
use std::sync::Arc;
use topple::exec::Pool;
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef3, BodyId, Shape3, ShapeDef3, World3};

/// Mixed bodies over hills, animals among them.
fn rubble(threads: usize) -> (World3, Vec<BodyId>) {
    let mut world = World3::new();
    if threads > 1 {
        world.set_executor(Arc::new(Pool::new(threads)));
    }
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [mesh(&hills(16.0, 32))]).unwrap();
    let animal = mesh(&generate::animal(12).unwrap());
    let mut random = Random(77);
    let mut bodies = Vec::new();
    for i in 0..40 {
        let pose = random.pose::<D3>(8.0);
        let mut def = BodyDef3::dynamic([pose.position.x, 3.0 + 0.1 * i as Real, pose.position.z]);
        def.rotation = pose.rotation;
        let shape = match i % 6 {
            0 => Shape3::sphere(0.3),
            1 => Shape3::cuboid(0.5, 0.4, 0.6),
            2 => Shape3::capsule_y(0.5, 0.2),
            3 => Shape3::cylinder(0.5, 0.3),
            4 => animal.clone(),
            _ => Shape3::cone(0.6, 0.3),
        };
        bodies.push(world.create_body_with(def, [shape]).unwrap());
    }
    (world, bodies)
}

#[test]
fn nothing_falls_through_hills_and_threads_change_nothing() {
    let (mut world, bodies) = rubble(1);
    let (mut other, _) = rubble(3);
    let mut saved = None;
    for step in 0..240 {
        world.step();
        other.step();
        assert_eq!(world.state_hash(), other.state_hash(), "step {step}");
        if step == 100 {
            saved = Some(world.snapshot());
        }
    }
    let mut copy = World3::restore(&saved.unwrap()).unwrap();
    (101..240).for_each(|_| copy.step());
    assert_eq!(copy.state_hash(), world.state_hash(), "restored in the middle");
    for body in bodies {
        let p = world.body(body).unwrap().position();
        let inside = p.x.abs() < 7.9 && p.z.abs() < 7.9;
        assert!(!inside || p.y > -1.2, "{p:?} is below the hills");
    }
}

#[test]
fn a_pair_with_a_mesh_begins_and_ends_once() {
    let groove = generate::terrain(Vec2::splat(8.0), [8, 4], |x, _| 0.8 * x.abs()).unwrap();
    let mut world = World3::new();
    let ground = world.create_body_with(BodyDef3::fixed([0.0; 3]), [mesh(&groove)]).unwrap();
    let body =
        world.create_body_with(BodyDef3::dynamic([0.0, 2.0, 0.0]), [Shape3::cuboid(1.0, 1.0, 1.0)]).unwrap();
    let (mut begun, mut ended) = (0, 0);
    for _ in 0..200 {
        world.step();
        begun += world.events().begin.len();
        ended += world.events().end.len();
    }
    assert_eq!((begun - ended, world.contacts_of(body).unwrap().count() >= 2), (1, true));
    world.remove_body(ground).unwrap();
    world.step();
    assert_eq!(world.events().end.len(), 1, "the parts of a pair end together");
    assert_eq!(world.contacts().count(), 0);
    assert!(world.body(body).unwrap().linear_velocity().y < 0.0, "and it falls");
}

#[test]
fn bodies_fall_asleep_on_hills_and_wake_when_pushed() {
    let (mut world, bodies) = rubble(1);
    // Those that roll off the edge never rest.
    for _ in 0..1500 {
        world.step();
    }
    assert!(world.sleeping_count() > 10, "{} asleep", world.sleeping_count());
    let asleep = bodies.into_iter().find(|&b| !world.body(b).unwrap().is_awake()).unwrap();
    world.body_mut(asleep).unwrap().set_linear_velocity(Vec3::Y * 3.0).unwrap();
    for _ in 0..10 {
        world.step();
    }
    assert!(world.body(asleep).unwrap().is_awake());
}

#[test]
fn shapes_with_parts_come_and_go_on_living_bodies() {
    let mut world = World3::new();
    let hills = mesh(&hills(10.0, 20));
    let ground = world.create_body(BodyDef3::fixed([0.0; 3])).unwrap();
    let mut shape = world.add_shape(ground, hills.clone()).unwrap();
    let animal = mesh(&generate::animal(16).unwrap());
    for i in 0..6 {
        let at = [1.2 * i as Real - 3.0, 2.0, 0.4 * i as Real];
        world.create_body_with(BodyDef3::dynamic(at), [animal.clone()]).unwrap();
    }
    for round in 0..6 {
        (0..50).for_each(|_| world.step());
        world.remove_shape(shape).unwrap();
        world.step();
        // Animals may part from each other in the same step.
        let mut pairs: Vec<_> = world.events().end.iter().map(|event| event.shapes).collect();
        let count = pairs.len();
        pairs.dedup();
        assert_eq!(pairs.len(), count, "one per pair in round {round}: {pairs:?}");
        let of_ground = pairs.iter().filter(|pair| pair.contains(&shape)).count();
        assert!(of_ground <= 6, "{of_ground} with the ground in round {round}");
        let def = ShapeDef3::new(hills.clone()).at(Pose::at(Vec3::new(0.01 * round as Real, 0.0, 0.0)));
        shape = world.add_shape(ground, def).unwrap();
    }
    assert_eq!(world.body_count(), 7);
}

#[test]
fn a_sensor_notices_what_passes_through_a_mesh() {
    let mut world = World3::new();
    let net = generate::terrain(Vec2::splat(4.0), [6, 6], |_, _| 0.0).unwrap();
    let mut def = ShapeDef3::new(mesh(&net));
    def.is_sensor = true;
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [def]).unwrap();
    let ball = world.create_body_with(BodyDef3::dynamic([0.3, 1.0, 0.2]), [Shape3::sphere(0.2)]).unwrap();
    let (mut entered, mut left) = (0, 0);
    for _ in 0..90 {
        world.step();
        entered += world.events().sensor_begin.len();
        left += world.events().sensor_end.len();
    }
    assert_eq!((entered, left), (1, 1));
    assert!(world.body(ball).unwrap().position().y < -1.0, "a sensor holds nothing");
}

#[test]
fn a_push_at_a_point_of_an_animal_turns_it() {
    // Force at a point [TCD]: an impulse J at r from the centre of mass gives v = J/m and w = I⁻¹ (r × J).
    let mut world = World3::new();
    world.set_settings(topple::Settings3 { gravity: Vec3::ZERO, ..topple::Settings3::default() }).unwrap();
    let animal = mesh(&generate::animal(24).unwrap());
    let body = world.create_body_with(BodyDef3::dynamic([0.0; 3]), [animal.clone()]).unwrap();
    use topple::shape::ShapeOps;
    let mass = animal.mass(1.0);
    let point = Vec3::new(0.1, 0.95, 0.1);
    let push = Vec3::new(0.02, 0.01, -0.04);
    world.body_mut(body).unwrap().apply_impulse_at(push, point.into()).unwrap();
    let view = world.body(body).unwrap();
    let v = push * (1.0 / mass.mass);
    let w = mass.inertia.inverse().apply((point - mass.center).cross(push));
    assert!(
        (view.linear_velocity() - v).length() < 1e-4 * v.length(),
        "{:?} and {v}",
        view.linear_velocity()
    );
    assert!(
        (view.angular_velocity() - w).length() < 1e-4 * w.length(),
        "{:?} and {w}",
        view.angular_velocity()
    );
}
