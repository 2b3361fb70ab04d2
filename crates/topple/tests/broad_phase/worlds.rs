//! Random worlds: under every broad phase the same pairs, the same state and the same answers, step by step.

use crate::harness::{Random, cases};
use crate::shapes::Shapes;
use proptest::prelude::*;
use topple::joint::{Ball, Distance, Hinge, Slider};
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, BodyId, BodyKind, Filter, JointDef, JointKind, Settings, ShapeDef, ShapeId, World};

/// What happens between two steps; numbers choose targets and values.
#[derive(Clone, Debug)]
enum Op {
    Create {
        kind: u8,
        shape: u8,
        size: u8,
        place: [i8; 3],
        speed: [i8; 3],
        sensor: bool,
    },
    Plane {
        tilt: i8,
        top: i8,
    },
    /// A mesh, a height field, a chain: fixed or driven.
    Terrain {
        driven: bool,
        shape: u8,
        size: u8,
        place: [i8; 3],
    },
    /// A body of three shapes.
    Compound {
        shape: u8,
        size: u8,
        place: [i8; 3],
        turn: u8,
    },
    SecondShape {
        body: u8,
        shape: u8,
        size: u8,
    },
    RemoveShape(u8),
    Remove(u8),
    Teleport(u8, [i8; 3], u8),
    Kind(u8, u8),
    Bullet(u8, bool),
    /// A joint between two bodies, as they stand. Pairs that it holds collide or not.
    Join {
        bodies: [u8; 2],
        kind: u8,
        collide: bool,
    },
    /// A joint ends.
    Unjoin(u8),
    /// Whether a joint's bodies collide.
    Connected(u8, bool),
    /// The world is saved and continues as its copy.
    Restore,
    /// The method starts over from the proxies there are.
    Attach,
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
        1 => (any::<bool>(), id, id, three).prop_map(|(driven, shape, size, place)| {
            Op::Terrain { driven, shape, size, place }
        }),
        1 => (id, id, three, id).prop_map(|(shape, size, place, turn)| Op::Compound { shape, size, place, turn }),
        1 => (id, id, id).prop_map(|(body, shape, size)| Op::SecondShape { body, shape, size }),
        1 => id.prop_map(Op::RemoveShape),
        2 => id.prop_map(Op::Remove),
        1 => (id, three, id).prop_map(|(who, to, turn)| Op::Teleport(who, to, turn)),
        1 => (id, id).prop_map(|(who, kind)| Op::Kind(who, kind)),
        1 => (id, any::<bool>()).prop_map(|(who, on)| Op::Bullet(who, on)),
        2 => (any::<[u8; 2]>(), id, any::<bool>()).prop_map(|(bodies, kind, collide)| Op::Join { bodies, kind, collide }),
        1 => id.prop_map(Op::Unjoin),
        1 => (id, any::<bool>()).prop_map(|(who, on)| Op::Connected(who, on)),
        1 => Just(Op::Restore),
        1 => Just(Op::Attach),
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
        Op::Terrain { driven, shape, size: s, place } => {
            let make = if driven { BodyDef::<D>::kinematic } else { BodyDef::<D>::fixed };
            let def = BodyDef {
                linear_velocity: D::Vec::axis(0) * if driven { 0.5 } else { 0.0 },
                ..make(D::Point::from_vec(vector::<D>(place, 0.04)))
            };
            let shape = ShapeDef::new(D::terrain(shape, 10.0 * size(s).clamp(0.02, 20.0)));
            world.create_body_with(def, [shape]).is_ok()
        }
        Op::Compound { shape: first, size: s, place, turn } => {
            let part = |k: u8| ShapeDef {
                local: Pose {
                    position: D::Point::from_vec(D::Vec::axis(usize::from(k) % D::N) * size(s)),
                    rotation: D::turn(Real::from(k) + Real::from(turn) / 40.0),
                },
                ..ShapeDef::new(D::shape(first.wrapping_add(k), size(s)))
            };
            let def = BodyDef::<D>::dynamic(D::Point::from_vec(vector::<D>(place, 0.06)));
            world.create_body_with(def, [part(0), part(1), part(2)]).is_ok()
        }
        Op::SecondShape { body, shape, size: s } => pick(&bodies, body)
            .is_some_and(|body| world.add_shape(body, ShapeDef::new(D::shape(shape, size(s)))).is_ok()),
        Op::Remove(who) => pick(&bodies, who).is_some_and(|body| world.remove_body(body).is_ok()),
        Op::RemoveShape(who) => {
            let shapes: Vec<_> = world.shape_ids().collect();
            pick(&shapes, who).is_some_and(|shape| world.remove_shape(shape).is_ok())
        }
        Op::Teleport(who, to, turn) => pick(&bodies, who).is_some_and(|body| {
            let position = D::Point::from_vec(vector::<D>(to, 0.2));
            let rotation = D::turn(Real::from(turn) / 40.0);
            world.body_mut(body).unwrap().set_pose(Pose { position, rotation }).is_ok()
        }),
        Op::Kind(who, kind) => pick(&bodies, who).is_some_and(|body| {
            let kinds = [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic];
            world.set_kind(body, kinds[usize::from(kind) % 3]).is_ok()
        }),
        Op::Bullet(who, on) => pick(&bodies, who).is_some_and(|body| {
            world.body_mut(body).unwrap().set_bullet(on);
            true
        }),
        Op::Join { bodies: [a, b], kind, collide } => {
            let (Some(a), Some(b)) = (pick(&bodies, a), pick(&bodies, b)) else { return false };
            let kinds = [
                JointKind::Ball(Ball::default()),
                JointKind::Hinge(Hinge::default()),
                JointKind::Slider(Slider::default()),
                JointKind::Fixed,
                JointKind::Distance(Distance::default()),
            ];
            let frame = Pose::at(world.body(b).unwrap().position());
            // One body, or two that do not move, are refused.
            JointDef::at(world, a, b, kinds[usize::from(kind) % kinds.len()], frame)
                .map(|def| JointDef { collide_connected: collide, ..def })
                .and_then(|def| world.create_joint(def))
                .is_ok()
        }
        Op::Unjoin(who) => {
            let joints: Vec<_> = world.joint_ids().collect();
            pick(&joints, who).is_some_and(|joint| world.remove_joint(joint).is_ok())
        }
        Op::Connected(who, on) => {
            let joints: Vec<_> = world.joint_ids().collect();
            pick(&joints, who).is_some_and(|joint| {
                world.joint_mut(joint).unwrap().set_collide_connected(on);
                true
            })
        }
        Op::Restore => {
            *world = World::restore(&world.snapshot()).unwrap();
            true
        }
        Op::Attach => {
            let name = world.methods().broad_phase();
            world.set_broad_phase_by_name(name).is_ok()
        }
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

fn play<D: Shapes>(ops: &[Op], invariant: bool) {
    let methods: Vec<_> = topple::broad_phase::all::<D>().iter().map(|entry| entry.0).collect();
    // Rest comes soon, so that there are sleepers.
    let settings = Settings::<D> {
        sleep_time: 0.05,
        sleep_speed: 0.5,
        sleep_rate: 10.0,
        rotation_invariant_boxes: invariant,
        ..Settings::default()
    };
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
    #![proptest_config(ProptestConfig { cases: cases(40), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_world_2d(ops in prop::collection::vec(op(), 10..50), invariant: bool) {
        play::<D2>(&ops, invariant);
    }

    #[test]
    fn any_world_3d(ops in prop::collection::vec(op(), 10..50), invariant: bool) {
        play::<D3>(&ops, invariant);
    }
}

/// A body that only turns: its invariant box never changes, its tight one does; both hold it at all times.
fn turning<D: Shapes>() {
    let run = |invariant: bool| {
        let settings = Settings::<D> {
            gravity: D::Vec::ZERO,
            sleeping: false,
            rotation_invariant_boxes: invariant,
            ..Settings::default()
        };
        let mut world = World::<D>::with_settings(settings).unwrap();
        let mut spin = D::Ang::ZERO;
        spin.set(D::ANGULAR - 1, 2.0);
        let def = BodyDef { angular_velocity: spin, ..BodyDef::<D>::dynamic(D::Point::ORIGIN) };
        let body = world.create_body_with(def, [ShapeDef::new(D::shape(1, 2.0))]).unwrap();
        let mut moved = 0;
        world.step();
        for _ in 0..120 {
            world.step();
            moved += world.profile().counters.moved;
            let shape = world.body(body).unwrap().shapes().next().unwrap();
            let everything = Aabb::<D>::infinite();
            let found = world.shapes_in_box(&everything, &QueryFilter::default()).unwrap();
            assert!(found.iter().any(|hit| hit.shape == shape));
        }
        moved
    };
    assert_eq!(run(true), 0, "invariant boxes");
    // The body turns by 4 rad, and a margin is good for about half a radian.
    assert!(run(false) > 4, "tight boxes changed {} times", run(false));
}

#[test]
fn boxes_of_turning_bodies_2d() {
    turning::<D2>();
}

#[test]
fn boxes_of_turning_bodies_3d() {
    turning::<D3>();
}

/// Invariant boxes are larger, so they make more pairs, but never fewer; and the motion is the same.
fn invariant_boxes_lose_nothing<D: Shapes>() {
    let build = |invariant: bool| {
        let settings =
            Settings::<D> { rotation_invariant_boxes: invariant, sleeping: false, ..Settings::default() };
        let mut world = World::<D>::with_settings(settings).unwrap();
        let ground = ShapeDef::new(D::plane(0.0, 0.0));
        world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ground]).unwrap();
        let mut random = Random(31);
        for i in 0..25_u8 {
            let mut place = random.vector::<D>(-3.0, 3.0);
            place.set(1, 0.6 + 1.1 * Real::from(i / 5));
            let body = BodyDef::<D>::dynamic(D::Point::from_vec(place));
            world.create_body_with(body, [ShapeDef::new(D::shape(i, 0.8))]).unwrap();
        }
        world
    };
    let (mut tight, mut invariant) = (build(false), build(true));
    let mut more = 0;
    for step in 0..60 {
        tight.step();
        invariant.step();
        let (few, many) = (pairs(&tight), pairs(&invariant));
        if step == 0 {
            assert!(few.iter().all(|pair| many.contains(pair)));
            more = many.len() - few.len();
        }
        let lowest = |world: &World<D>| {
            let heights = world.body_ids().skip(1).map(|id| world.body(id).unwrap().center().to_vec().get(1));
            heights.fold(Real::INFINITY, Real::min)
        };
        assert!(lowest(&tight) > -0.05 && lowest(&invariant) > -0.05, "nothing falls through, step {step}");
    }
    assert!(more > 0, "larger boxes overlap more");
}

#[test]
fn invariant_boxes_lose_nothing_2d() {
    invariant_boxes_lose_nothing::<D2>();
}

#[test]
fn invariant_boxes_lose_nothing_3d() {
    invariant_boxes_lose_nothing::<D3>();
}
