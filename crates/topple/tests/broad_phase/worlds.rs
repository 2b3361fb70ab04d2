//! Random worlds: under every broad phase the same pairs, the same state and the same answers, step by step.

use crate::harness::Random;
use proptest::prelude::*;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, BodyId, Filter, Settings, Shape2, Shape3, ShapeDef, ShapeId, World};

/// Shapes of both dimensions by number.
trait Shapes: Dim {
    fn shape(number: u8, size: Real) -> Self::Shape;
    fn plane(tilt: Real, offset: Real) -> Self::Shape;
}

impl Shapes for D2 {
    fn shape(number: u8, size: Real) -> Shape2 {
        match number % 3 {
            0 => Shape2::circle(0.5 * size),
            1 => Shape2::rectangle(size, 0.7 * size),
            _ => Shape2::capsule(Vec2::ZERO, Vec2::new(size, 0.2 * size), 0.3 * size),
        }
    }
    fn plane(tilt: Real, offset: Real) -> Shape2 {
        Shape2::half_plane(Vec2::new(tilt, 1.0), offset)
    }
}

impl Shapes for D3 {
    fn shape(number: u8, size: Real) -> Shape3 {
        match number % 4 {
            0 => Shape3::sphere(0.5 * size),
            1 => Shape3::cuboid(size, 0.7 * size, 0.8 * size),
            2 => Shape3::cylinder(size, 0.4 * size),
            _ => Shape3::capsule(Vec3::ZERO, Vec3::new(size, 0.2 * size, 0.1 * size), 0.3 * size),
        }
    }
    fn plane(tilt: Real, offset: Real) -> Shape3 {
        Shape3::plane(Vec3::new(tilt, 1.0, -0.5 * tilt).normalize(), offset)
    }
}

/// What happens between two steps; numbers choose targets and values.
#[derive(Clone, Debug)]
enum Op {
    Create { kind: u8, shape: u8, size: u8, place: [i8; 3], speed: [i8; 3], sensor: bool },
    Plane { tilt: i8, top: i8 },
    SecondShape { body: u8, shape: u8, size: u8 },
    Remove(u8),
    Teleport(u8, [i8; 3]),
    Kick(u8, [i8; 3]),
    Enable(u8, bool),
    Mask(u8, bool),
    Ask(u8),
    Step(u8),
}

fn op() -> impl Strategy<Value = Op> {
    let (id, three) = (any::<u8>(), any::<[i8; 3]>());
    prop_oneof![
        6 => (id, id, id, three, three, id).prop_map(|(kind, shape, size, place, speed, s)| {
            Op::Create { kind, shape, size, place, speed, sensor: s % 8 == 0 }
        }),
        1 => (any::<i8>(), any::<i8>()).prop_map(|(tilt, top)| Op::Plane { tilt, top }),
        1 => (id, id, id).prop_map(|(body, shape, size)| Op::SecondShape { body, shape, size }),
        2 => id.prop_map(Op::Remove),
        1 => (id, three).prop_map(|(who, to)| Op::Teleport(who, to)),
        1 => (id, three).prop_map(|(who, by)| Op::Kick(who, by)),
        1 => (id, any::<bool>()).prop_map(|(who, on)| Op::Enable(who, on)),
        1 => (id, any::<bool>()).prop_map(|(who, on)| Op::Mask(who, on)),
        2 => id.prop_map(Op::Ask),
        8 => (1..16_u8).prop_map(Op::Step),
    ]
}

/// From a grain of 2 mm to a hall of 400 m.
fn size(number: u8) -> Real {
    match number % 16 {
        0 => 0.002,
        1 => 400.0,
        2 => 20.0,
        n => 0.2 + 0.1 * Real::from(n),
    }
}

fn vector<D: Dim>(numbers: [i8; 3], scale: Real) -> D::Vec {
    let mut v = D::Vec::ZERO;
    (0..D::N).for_each(|i| v.set(i, Real::from(numbers[i]) * scale));
    v
}

fn pick<T: Copy>(list: &[T], number: u8) -> Option<T> {
    list.get(usize::from(number) % list.len().max(1)).copied()
}

fn pairs<D: Dim>(world: &World<D>) -> Vec<[ShapeId; 2]> {
    let mut pairs: Vec<_> = world.contacts().map(|contact| contact.shapes()).collect();
    pairs.sort_unstable();
    pairs
}

/// Applies a change. What a world refuses, all refuse.
fn apply<D: Shapes>(world: &mut World<D>, op: &Op) -> bool {
    let bodies: Vec<BodyId> = world.body_ids().collect();
    match *op {
        Op::Create { kind, shape, size: s, place, speed, sensor } => {
            let make = [BodyDef::<D>::fixed, BodyDef::<D>::kinematic, BodyDef::<D>::dynamic]
                [usize::from(kind % 8).min(2)];
            let def = BodyDef {
                linear_velocity: if kind % 8 == 0 { D::Vec::ZERO } else { vector::<D>(speed, 0.05) },
                ..make(D::Point::from_vec(vector::<D>(place, 0.06)))
            };
            let shape = ShapeDef { is_sensor: sensor, ..ShapeDef::new(D::shape(shape, size(s))) };
            world.create_body_with(def, [shape]).is_ok()
        }
        Op::Plane { tilt, top } => {
            let shape = ShapeDef::new(D::plane(Real::from(tilt) / 256.0, Real::from(top) / 32.0 - 4.0));
            world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [shape]).is_ok()
        }
        Op::SecondShape { body, shape, size: s } => pick(&bodies, body)
            .is_some_and(|body| world.add_shape(body, ShapeDef::new(D::shape(shape, size(s)))).is_ok()),
        Op::Remove(who) => pick(&bodies, who).is_some_and(|body| world.remove_body(body).is_ok()),
        Op::Teleport(who, to) => pick(&bodies, who).is_some_and(|body| {
            let place = D::Point::from_vec(vector::<D>(to, 0.2));
            world.body_mut(body).unwrap().set_position(place).is_ok()
        }),
        Op::Kick(who, by) => pick(&bodies, who).is_some_and(|body| {
            world.body_mut(body).unwrap().set_linear_velocity(vector::<D>(by, 0.2)).is_ok()
        }),
        Op::Enable(who, on) => pick(&bodies, who).is_some_and(|body| world.set_enabled(body, on).is_ok()),
        Op::Mask(who, on) => {
            let shapes: Vec<_> = world.shape_ids().collect();
            let mask = if on { u64::MAX } else { 0 };
            pick(&shapes, who)
                .is_some_and(|shape| world.set_filter(shape, Filter { mask, ..Filter::default() }).is_ok())
        }
        Op::Ask(_) | Op::Step(_) => true,
    }
}

/// The answers to some questions of each kind, as text.
fn answers<D: Shapes>(world: &World<D>, seed: u8) -> String {
    let mut random = Random(seed.into());
    let filter = QueryFilter { sensors: seed.is_multiple_of(2), ..QueryFilter::default() };
    let mut out = String::new();
    for _ in 0..3 {
        let place = random.point::<D>(-8.0, 8.0);
        let mut way = random.vector::<D>(-12.0, 12.0);
        if random.below(3) == 0 {
            // Straight down, as rays often are.
            way = D::Vec::axis(1) * -12.0;
        }
        let ray = Ray::<D> { origin: place, direction: way, max: 1.0 };
        let shape = D::shape(random.below(12) as u8, random.between(0.1, 2.0));
        let pose = Pose::<D>::at(place);
        let bounds = Aabb::<D>::around(place, random.vector::<D>(0.0, 3.0));
        out += &format!(
            "{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n",
            world.cast_ray(&ray, &filter),
            world.cast_ray_all(&ray, &filter),
            world.cast_ray_any(&ray, &filter),
            world.shapes_at(place, &filter),
            world.shapes_in_box(&bounds, &filter),
            world.overlap_shape(&shape, &pose, &filter),
            world.cast_shape(&shape, &pose, way, &filter),
            world.closest_shape(&shape, &pose, 2.0, &filter),
        );
    }
    out
}

fn play<D: Shapes>(ops: &[Op]) {
    let methods: Vec<_> = topple::broad_phase::all::<D>().iter().map(|entry| entry.0).collect();
    // Rest comes soon, so that there are sleepers.
    let settings =
        Settings::<D> { sleep_time: 0.05, sleep_speed: 0.5, sleep_rate: 10.0, ..Settings::default() };
    let mut worlds: Vec<World<D>> = methods
        .iter()
        .map(|name| {
            let mut world = World::with_settings(settings.clone()).unwrap();
            world.set_broad_phase_by_name(name).unwrap();
            world
        })
        .collect();
    let reference = methods.iter().position(|&name| name == "all-pairs").unwrap();
    for op in ops {
        let done: Vec<bool> = worlds.iter_mut().map(|world| apply(world, op)).collect();
        assert!(done.iter().all(|&d| d == done[0]), "{op:?}: {done:?}");
        match *op {
            Op::Step(count) => {
                for step in 0..count {
                    worlds.iter_mut().for_each(World::step);
                    let expected = (pairs(&worlds[reference]), worlds[reference].state_hash());
                    for (world, name) in worlds.iter().zip(&methods) {
                        assert_eq!(pairs(world), expected.0, "{name}, step {step} of {count}: pairs");
                        assert_eq!(world.state_hash(), expected.1, "{name}, step {step} of {count}: state");
                    }
                }
            }
            Op::Ask(seed) => {
                let expected = answers(&worlds[reference], seed);
                for (world, name) in worlds.iter().zip(&methods) {
                    assert_eq!(answers(world, seed), expected, "{name}");
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_world_2d(ops in prop::collection::vec(op(), 10..50)) {
        play::<D2>(&ops);
    }

    #[test]
    fn any_world_3d(ops in prop::collection::vec(op(), 10..50)) {
        play::<D3>(&ops);
    }
}
