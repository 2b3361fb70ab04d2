//! Something heavy on light things that give way is not thrown: refinement gives no energy.

use crate::support::*;
use topple::joint::{Hinge, JointDim};
use topple::math::*;
use topple::{BodyDef, BodyId, JointDef, JointKind, Pose, ShapeDef, World};

/// Kinetic energy and that of height [J].
fn energy<D: Dim>(world: &World<D>, bodies: &[BodyId]) -> f64 {
    let gravity = -world.settings().gravity;
    let of = |&id: &BodyId| {
        let body = world.body(id).unwrap();
        f64::from(body.kinetic_energy() + body.mass() * gravity.dot(body.center().to_vec()))
    };
    bodies.iter().map(of).sum()
}

/// By how much the energy of some bodies grows within some steps, as a height of all of them [m], and what was slowed.
fn rise<D: Dim>(world: &mut World<D>, bodies: &[BodyId], steps: usize) -> (f64, u32) {
    let weight: f64 = bodies.iter().map(|&id| f64::from(world.body(id).unwrap().mass())).sum::<f64>()
        * f64::from(world.settings().gravity.length());
    let start = energy(world, bodies);
    let (mut most, mut slowed) = (0.0_f64, 0);
    for _ in 0..steps {
        world.step();
        most = most.max((energy(world, bodies) - start) / weight);
        slowed += world.profile().counters.slowed;
    }
    (most, slowed)
}

/// A box of 1 m put on the middle of a bridge of hinged planks of 1 kg that has come to rest. It was thrown up to 45 m high.
fn a_plank_bridge_is_no_catapult<D: TestDim + JointDim>() {
    for (planks, ratio) in [(20, 300.0), (20, 3000.0), (40, 1000.0)] {
        let (most, sag, slowed) = loaded_bridge::<D>(planks, ratio, true);
        // Joints that get stiffer under it lift it to where a bridge that does not stretch would hold it.
        assert!(
            most < sag.max(0.3),
            "{planks} planks, 1:{ratio}: {most} m high, the bridge sagged by {sag} m"
        );
        assert!(slowed > 0, "{planks} planks, 1:{ratio}: something was slowed");
    }
}

/// A setting turns it off.
fn a_plank_bridge_is_a_catapult_if_energy_is_not_kept<D: TestDim + JointDim>() {
    let (most, _, slowed) = loaded_bridge::<D>(20, 300.0, false);
    assert!(most > 1.5, "{most} m high");
    assert_eq!(slowed, 0);
}

/// How high a bridge lifts a box put on its middle, how far it sagged before [m], and how often it was slowed.
fn loaded_bridge<D: TestDim + JointDim>(planks: usize, ratio: Real, keep_energy: bool) -> (f64, f64, u32) {
    const PITCH: Real = 0.5; // m
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.keep_energy = keep_energy);
    let length = PITCH * planks as Real;
    let post = |world: &mut World<D>, x: Real| {
        let shape = ShapeDef::new(D::block(1.0, 0.2));
        world.create_body_with(BodyDef::fixed(D::point(x, 0.0)), [shape]).unwrap()
    };
    let axis = if D::N == 3 { D::frame_along(D::Vec::axis(D::N - 1)) } else { D::Rot::IDENTITY };
    let join = |world: &mut World<D>, a: BodyId, b: BodyId, x: Real| {
        let frame = Pose { position: D::point(x, 0.0), rotation: axis };
        let def = JointDef::at(world, a, b, JointKind::Hinge(Hinge::default()), frame).unwrap();
        world.create_joint(def).unwrap();
    };
    let mut last = post(&mut world, -1.0);
    let end = post(&mut world, length + 1.0);
    let mut bodies = Vec::new();
    for i in 0..planks {
        let x = PITCH * i as Real;
        let plank = ShapeDef::new(D::block(0.46, 0.1));
        let volume = if D::N == 2 { 0.046 } else { 0.0046 };
        let plank = add_shaped(&mut world, x + 0.5 * PITCH, 0.0, plank.density(1.0 / volume));
        join(&mut world, last, plank, x);
        bodies.push(plank);
        last = plank;
    }
    join(&mut world, last, end, length);
    for _ in 0..200 {
        world.step();
    }
    let low = bodies.iter().map(|&id| world.body(id).unwrap().position().to_vec().get(1));
    let low = low.fold(Real::INFINITY, Real::min);
    let load = ShapeDef::new(D::cube(1.0)).density(ratio);
    bodies.push(add_shaped(&mut world, 0.5 * length, low + 0.56, load));
    let (most, slowed) = rise(&mut world, &bodies, 400);
    (most, f64::from(-low), slowed)
}

/// A piston on sixty balls in a shaft. In the plane it was shot 4 to 11 m up.
fn a_piston_on_balls_stays_down<D: TestDim>() {
    let ratio = 3000.0;
    for seed in 1..=D::pick(2, 1) {
        let mut random = Random(seed);
        let mut world = World::<D>::new();
        adjust(&mut world, |s| s.sleeping = false);
        add_floor(&mut world, 0.6);
        // Half of the shaft's width and depth [m].
        for (axis, half) in [(0, 1.5), (2, 1.05)].into_iter().filter(|&(axis, _)| axis < D::N) {
            for side in [-1.0, 1.0] {
                let mut at = D::vec(0.0, 5.0);
                at.set(axis, side * (half + 10.0));
                let def = BodyDef::fixed(D::Point::from_vec(at));
                world.create_body_with(def, [ShapeDef::new(D::cube(20.0))]).unwrap();
            }
        }
        let volume = if D::N == 2 { 0.1257 } else { 0.0335 };
        let ball = || ShapeDef::new(D::ball(0.2)).density(1.0 / volume);
        let mut add = |i| add_shaped(&mut world, random.between(-1.0, 1.0), 0.5 + 0.5 * i as Real, ball());
        let mut bodies: Vec<BodyId> = (0..60).map(&mut add).collect();
        for _ in 0..400 {
            world.step();
        }
        let top = bodies.iter().map(|&id| world.body(id).unwrap().position().to_vec().get(1) + 0.2);
        let top = top.fold(0.0, Real::max);
        let area = if D::N == 2 { 2.9 * 2.0 } else { 2.9 * 2.0 * 2.0 };
        let piston = ShapeDef::new(D::block(2.9, 2.0)).density(ratio / area);
        bodies.push(add_shaped(&mut world, 0.0, top + 1.0, piston));
        let (most, _) = rise(&mut world, &bodies, 240);
        assert!(most < 0.1, "heap {seed}: {most} m high");
    }
}

both! {
    a_plank_bridge_is_no_catapult, a_plank_bridge_is_no_catapult_2d, a_plank_bridge_is_no_catapult_3d;
    a_plank_bridge_is_a_catapult_if_energy_is_not_kept, a_plank_bridge_is_a_catapult_if_energy_is_not_kept_2d, a_plank_bridge_is_a_catapult_if_energy_is_not_kept_3d;
    a_piston_on_balls_stays_down, a_piston_on_balls_stays_down_2d, a_piston_on_balls_stays_down_3d;
}
