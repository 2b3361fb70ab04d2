//! Random histories: whatever is done to a world, in whatever order, it neither panics nor contradicts itself (debug
//! builds check every invariant after each step), and a copy restored in the middle goes on bit for bit.

use crate::support::*;
use proptest::prelude::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Drag, Filter, Locks, Material, ShapeDef, World};

/// One thing that can be done to a world; numbers choose targets and values.
#[derive(Clone, Debug)]
enum Operation {
    Create { kind: u8, shape: u8, x: Real, y: Real, asleep: bool, sensor: bool },
    Remove(u8),
    AddShape { body: u8, shape: u8, x: Real },
    RemoveShape(u8),
    Push { body: u8, x: Real, y: Real, impulse: bool },
    Move { body: u8, x: Real, y: Real },
    Speed { body: u8, x: Real, spin: Real },
    Kind { body: u8, kind: u8 },
    Enable { body: u8, on: bool },
    Filter { shape: u8, mask: u8, group: i8 },
    Material { shape: u8, friction: Real, belt: Real },
    Density { shape: u8, density: Real },
    Locks { body: u8, bits: u8 },
    Drag { body: u8, drag: Real },
    Sleep { body: u8, on: bool },
    Gravity { x: Real, y: Real },
    Broad(u8),
    Solver(u8),
    Step(u8),
    Restore,
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let (id, small, place) = (any::<u8>(), -5.0..5.0_f32, -4.0..4.0_f32);
    prop_oneof![
        5 => (id, id, place.clone(), 0.0..6.0_f32, any::<bool>(), any::<u8>())
            .prop_map(|(kind, shape, x, y, asleep, s)| O::Create { kind, shape, x, y, asleep, sensor: s % 5 == 0 }),
        2 => id.prop_map(O::Remove),
        1 => (id, id, -1.0..1.0_f32).prop_map(|(body, shape, x)| O::AddShape { body, shape, x }),
        1 => id.prop_map(O::RemoveShape),
        2 => (id, small.clone(), small.clone(), any::<bool>())
            .prop_map(|(body, x, y, impulse)| O::Push { body, x, y, impulse }),
        1 => (id, place.clone(), 0.0..6.0_f32).prop_map(|(body, x, y)| O::Move { body, x, y }),
        2 => (id, small.clone(), small.clone()).prop_map(|(body, x, spin)| O::Speed { body, x, spin }),
        1 => (id, id).prop_map(|(body, kind)| O::Kind { body, kind }),
        1 => (id, any::<bool>()).prop_map(|(body, on)| O::Enable { body, on }),
        1 => (id, id, -1..2_i8).prop_map(|(shape, mask, group)| O::Filter { shape, mask, group }),
        1 => (id, 0.0..1.0_f32, small.clone())
            .prop_map(|(shape, friction, belt)| O::Material { shape, friction, belt }),
        1 => (id, 0.0..5.0_f32).prop_map(|(shape, density)| O::Density { shape, density }),
        1 => (id, id).prop_map(|(body, bits)| O::Locks { body, bits }),
        1 => (id, 0.0..1.0_f32).prop_map(|(body, drag)| O::Drag { body, drag }),
        1 => (id, any::<bool>()).prop_map(|(body, on)| O::Sleep { body, on }),
        1 => (small.clone(), small).prop_map(|(x, y)| O::Gravity { x, y }),
        1 => id.prop_map(O::Broad),
        1 => id.prop_map(O::Solver),
        8 => (1..40_u8).prop_map(O::Step),
        2 => Just(O::Restore),
    ]
}

fn shape_of<D: TestDim>(choice: u8) -> D::Shape {
    match choice % 4 {
        0 => D::ball(0.4),
        1 => D::cube(0.7),
        2 => D::capsule(0.6, 0.2),
        _ => D::block(1.5, 0.4),
    }
}

fn kind_of(choice: u8) -> BodyKind {
    match choice % 5 {
        0 => BodyKind::Static,
        1 => BodyKind::Kinematic,
        _ => BodyKind::Dynamic,
    }
}

/// Does one thing to a world. Refusals are fine; the floor (body 0) is left alone, so that everything has something to meet.
fn perform<D: TestDim>(world: &mut World<D>, operation: &Operation) {
    let bodies: Vec<BodyId> = world.body_ids().skip(1).collect();
    let body = |choice: u8| bodies.get(choice as usize % bodies.len().max(1)).copied();
    let shapes: Vec<_> = world.shape_ids().skip(1).collect();
    let shape = |choice: u8| shapes.get(choice as usize % shapes.len().max(1)).copied();
    match *operation {
        Operation::Create { kind, shape, x, y, asleep, sensor } => {
            let def = BodyDef { kind: kind_of(kind), is_awake: !asleep, ..BodyDef::fixed(D::point(x, y)) };
            let flags = shape & 64 != 0;
            let shape = ShapeDef {
                is_sensor: sensor,
                persist_events: flags,
                hit_events: flags,
                pre_solve: flags,
                ..ShapeDef::new(shape_of::<D>(shape))
            };
            world.create_body_with(def, [shape]).unwrap();
        }
        Operation::Remove(choice) => {
            if let Some(id) = body(choice) {
                world.remove_body(id).unwrap();
                assert!(world.remove_body(id).is_err(), "stale");
            }
        }
        Operation::AddShape { body: choice, shape, x } => {
            if let Some(id) = body(choice) {
                let shape = ShapeDef::new(shape_of::<D>(shape)).at(Pose::at(D::point(x, 0.0)));
                world.add_shape(id, shape).unwrap();
            }
        }
        Operation::RemoveShape(choice) => {
            if let Some(id) = shape(choice) {
                world.remove_shape(id).unwrap();
            }
        }
        Operation::Push { body: choice, x, y, impulse } => {
            if let Some(id) = body(choice) {
                let (mut body, v) = (world.body_mut(id).unwrap(), D::vec(x, y));
                let local = D::vec(0.2, 0.1);
                let _ = if impulse {
                    body.apply_impulse_at_local(v, local)
                } else {
                    body.apply_force_at_local(v * 10.0, local)
                };
            }
        }
        Operation::Move { body: choice, x, y } => {
            if let Some(id) = body(choice) {
                world.body_mut(id).unwrap().set_position(D::point(x, y)).unwrap();
            }
        }
        Operation::Speed { body: choice, x, spin } => {
            if let Some(id) = body(choice) {
                // Zero now and then: kinematic bodies stop.
                let (x, spin) = if x < -2.0 { (0.0, 0.0) } else { (x, spin) };
                let _ = world.body_mut(id).unwrap().set_linear_velocity(D::vec(x, 0.0));
                let _ = world.body_mut(id).unwrap().set_angular_velocity(D::spin(spin));
            }
        }
        Operation::Kind { body: choice, kind } => {
            if let Some(id) = body(choice) {
                world.set_kind(id, kind_of(kind)).unwrap();
            }
        }
        Operation::Enable { body: choice, on } => {
            if let Some(id) = body(choice) {
                world.set_enabled(id, on).unwrap();
            }
        }
        Operation::Filter { shape: choice, mask, group } => {
            if let Some(id) = shape(choice) {
                let mask = if mask < 128 { u64::MAX } else { 0 };
                world.set_filter(id, Filter { category: 1, mask, group: group.into() }).unwrap();
            }
        }
        Operation::Material { shape: choice, friction, belt } => {
            if let Some(id) = shape(choice) {
                let belt = if belt > 2.0 { D::vec(belt, 0.0) } else { D::Vec::ZERO };
                let material = Material { friction, surface_velocity: belt, ..Material::default() };
                world.set_material(id, material).unwrap();
            }
        }
        Operation::Density { shape: choice, density } => {
            if let Some(id) = shape(choice) {
                world.set_density(id, density).unwrap();
            }
        }
        Operation::Locks { body: choice, bits } => {
            if let Some(id) = body(choice) {
                let bit = |i: u8| bits >> i & 1 == 1;
                let locks = Locks {
                    translation: [bit(0), bit(1) && bit(6), bit(2)],
                    rotation: [bit(3), bit(4), bit(5)],
                };
                world.body_mut(id).unwrap().set_locks(locks);
            }
        }
        Operation::Drag { body: choice, drag } => {
            if let Some(id) = body(choice) {
                world.body_mut(id).unwrap().set_drag(Drag { linear: drag, ..Drag::default() }).unwrap();
            }
        }
        Operation::Sleep { body: choice, on } => {
            if let Some(id) = body(choice) {
                world.body_mut(id).unwrap().set_sleep(on, None).unwrap();
            }
        }
        Operation::Gravity { x, y } => adjust(world, |s| s.gravity = D::vec(x, y - 5.0)),
        Operation::Broad(choice) => {
            let names = methods::<D>("broad phase");
            world.set_broad_phase_by_name(names[choice as usize % names.len()]).unwrap();
        }
        Operation::Solver(choice) => {
            let names = methods::<D>("solver");
            world.set_solver_by_name(names[choice as usize % names.len()]).unwrap();
        }
        Operation::Step(count) => (0..count).for_each(|_| world.step()),
        Operation::Restore => {
            let bytes = world.snapshot();
            *world = World::restore(&bytes).unwrap();
            assert_eq!(world.snapshot(), bytes);
        }
    }
}

fn history<D: TestDim>(operations: &[Operation]) {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    // Short naps, so that short histories have them.
    adjust(&mut world, |s| s.sleep_time = 0.1);
    let half = operations.len() / 2;
    operations[..half].iter().for_each(|operation| perform(&mut world, operation));
    let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
    for operation in &operations[half..] {
        perform(&mut world, operation);
        perform(&mut copy, operation);
        assert_eq!(world.state_hash(), copy.state_hash(), "the restored world went another way");
    }
    world.step();
    copy.step();
    assert_eq!(world.events(), copy.events());
    assert_eq!(world.snapshot(), copy.snapshot());
    // What is left must be fine to take apart.
    let ids: Vec<_> = world.body_ids().collect();
    for id in ids {
        world.remove_body(id).unwrap();
    }
    world.step();
    assert_eq!((world.body_count(), world.contacts().count(), world.shape_ids().count()), (0, 0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn histories_2d(operations in prop::collection::vec(operation(), 1..70)) {
        history::<D2>(&operations);
    }

    #[test]
    fn histories_3d(operations in prop::collection::vec(operation(), 1..70)) {
        history::<D3>(&operations);
    }
}
