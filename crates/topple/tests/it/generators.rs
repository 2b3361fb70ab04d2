//! Force generators: each against its formula, in both dimensions; what they wake; what a snapshot keeps of them.

use crate::examples::custom_generator::Tide;
use crate::support::*;
use topple::force::{
    Anchor, Attraction, Buoyancy, Charge, Explosion, GeneratorKind, Motor, PairLaw, PointGravity, Scope,
    Spring, Thruster, UniformGravity, Vortex, Wind,
};
use topple::math::*;
use topple::{BodyDef, BodyId, Error, ShapeDef, World};

/// A world without gravity whose step is short and one sub-step: after it, velocities are accelerations times dt.
fn quiet<D: TestDim>() -> World<D> {
    let mut world = World::new();
    adjust(&mut world, |s| {
        s.gravity = D::Vec::ZERO;
        (s.dt, s.substeps) = (1e-3, 1);
    });
    world
}

/// Force on a body that was at rest before the first step [N].
fn force_on<D: Dim>(world: &World<D>, body: BodyId) -> D::Vec {
    let body = world.body(body).unwrap();
    body.momentum() * (1.0 / world.settings().dt)
}

/// Torque on a body that was at rest before the first step [N·m].
fn torque_on<D: Dim>(world: &World<D>, body: BodyId) -> D::Ang {
    let body = world.body(body).unwrap();
    body.angular_momentum() * (1.0 / world.settings().dt)
}

fn ball<D: TestDim>(world: &mut World<D>, x: Real, y: Real, radius: Real) -> BodyId {
    add_body(world, x, y, D::ball(radius))
}

/// Area of the cross-section of a ball, and its volume.
fn ball_sizes<D: Dim>(r: Real) -> (Real, Real) {
    let pi = core::f32::consts::PI;
    if D::N == 2 { (2.0 * r, pi * r * r) } else { (pi * r * r, 4.0 / 3.0 * pi * r * r * r) }
}

fn uniform_gravity_pulls_what_is_in_scope<D: TestDim>() {
    let mut world = quiet::<D>();
    let bodies = [0.0, 5.0, 10.0].map(|x| ball(&mut world, x, 0.0, 0.5));
    let region = Aabb { min: D::point(4.0, -1.0), max: D::point(6.0, 1.0) };
    // In 3D the box must have depth: bodies are at z = 0.
    let law = UniformGravity {
        scope: Scope { region: Some(region), bodies: None },
        ..UniformGravity::new(D::vec(1.0, 2.0))
    };
    world.add_generator(law).unwrap();
    let listed = Scope { bodies: Some(vec![bodies[2]]), region: None };
    world.add_generator(UniformGravity { scope: listed, ..UniformGravity::new(D::vec(0.0, -3.0)) }).unwrap();
    world.step();
    let v = bodies.map(|id| world.body(id).unwrap().linear_velocity() * (1.0 / world.settings().dt));
    assert_eq!(v[0], D::Vec::ZERO);
    assert_near("in the region", v[1], D::vec(1.0, 2.0), 1e-5, "m/s²");
    assert_near("in the list", v[2], D::vec(0.0, -3.0), 1e-5, "m/s²");
}

fn point_gravity_is_inverse_square_and_pulls_back<D: TestDim>() {
    let mut world = quiet::<D>();
    let (sun, planet) = (ball(&mut world, 0.0, 0.0, 0.5), ball(&mut world, 3.0, 4.0, 0.25));
    world.add_generator(PointGravity::new(Anchor::body(sun), 50.0)).unwrap();
    world.step();
    // 50 / 5² = 2 m/s², along (−3, −4) / 5.
    let m = world.body(planet).unwrap().mass();
    assert_near("planet", force_on(&world, planet), D::vec(-1.2, -1.6) * m, 2e-5 * m, "N");
    assert_near("sun", force_on(&world, sun), D::vec(1.2, 1.6) * m, 2e-5 * m, "N");

    let mut world = quiet::<D>();
    let planet = ball(&mut world, 3.0, 4.0, 0.25);
    let center = Anchor::World(D::point(0.0, 0.0));
    world.add_generator(PointGravity { exponent: 1, ..PointGravity::new(center, 2.0) }).unwrap();
    world.step();
    assert_near("a field like a spring", force_on(&world, planet), D::vec(-6.0, -8.0) * m, 1e-4 * m, "N");
}

fn bodies_attract_each_other<D: TestDim>() {
    let mut world = quiet::<D>();
    let places = [(0.0, 0.0), (2.0, 0.5), (-1.0, 3.0), (4.0, -2.0)];
    let bodies = places.map(|(x, y)| ball(&mut world, x, y, 0.3));
    world.add_generator(Attraction { softening: 0.1, ..Attraction::gravity(7.0) }).unwrap();
    world.step();
    let m = world.body(bodies[0]).unwrap().mass();
    let mut total = D::Vec::ZERO;
    for (i, &body) in bodies.iter().enumerate() {
        let mut expected = D::Vec::ZERO;
        for (j, other) in places.iter().enumerate().filter(|&(j, _)| j != i) {
            let _ = j;
            let r = D::vec(other.0 - places[i].0, other.1 - places[i].1);
            let s = (r.length_squared() + 0.01).sqrt();
            expected += r * (7.0 * m * m / (s * s * s));
        }
        assert_near(format!("body {i}"), force_on(&world, body), expected, 1e-4 * m * m, "N");
        total += world.body(body).unwrap().momentum();
    }
    assert!(total.length() < 1e-7, "nothing pulls from outside: {total:?}");
}

fn molecules_repel_near_by_and_attract_farther_out<D: TestDim>() {
    let law = PairLaw::LennardJones { depth: 2.0, distance: 1.0 };
    for (distance, range) in [(0.9_f32, Real::INFINITY), (1.122_462, 5.0), (1.5, 5.0), (1.5, 1.4)] {
        let mut world = quiet::<D>();
        let [a, _] = [ball(&mut world, 0.0, 0.0, 0.1), ball(&mut world, distance, 0.0, 0.1)];
        let attraction = Attraction { law, charge: Charge::One, range, ..Attraction::gravity(0.0) };
        world.add_generator(attraction).unwrap();
        let energy = |d: Real| 8.0 * (d.powi(-12) - d.powi(-6));
        if distance <= range {
            assert_close("energy", world.generator_energy(), energy(distance), 1e-4, "J");
        }
        world.step();
        let slope = (energy(distance + 1e-3) - energy(distance - 1e-3)) / 2e-3;
        let expected = if distance <= range { slope } else { 0.0 };
        let got = force_on(&world, a).get(0);
        assert_close(format!("at {distance}"), got, expected, 0.02 + 1e-3 * slope.abs(), "N");
    }
}

fn springs_follow_hooke_and_damp<D: TestDim>() {
    let mut world = quiet::<D>();
    let [a, b] = [ball(&mut world, 0.0, 0.0, 0.5), ball(&mut world, 3.0, 4.0, 0.5)];
    let grip = Anchor::Body { body: a, local: D::vec(0.0, 0.5) };
    let spring = Spring { damping: 3.0, ..Spring::new(grip, Anchor::body(b), 20.0, 2.0) };
    world.add_generator(spring).unwrap();
    let v = D::vec(0.4, -0.2);
    world.body_mut(b).unwrap().set_linear_velocity(v).unwrap();
    let line = D::vec(3.0, 3.5);
    let direction = line * (1.0 / line.length());
    let tension = 20.0 * (line.length() - 2.0) + 3.0 * v.dot(direction);
    assert_close(
        "energy",
        world.generator_energy(),
        10.0 * (line.length() - 2.0) * (line.length() - 2.0),
        1e-3,
        "J",
    );
    world.step();
    assert_near("a", force_on(&world, a), direction * tension, 1e-3 * tension, "N");
    let lever = D::about_z(D::cross(D::vec(0.0, 0.5), direction * tension));
    assert_close("turn of a", D::about_z(torque_on(&world, a)), lever, 1e-3 * lever.abs(), "N·m");
    let change = (world.body(b).unwrap().linear_velocity() - v) * (world.body(b).unwrap().mass() / 1e-3);
    assert_near("b", change, direction * -tension, 1e-3 * tension, "N");

    // A rubber rope does not push.
    let mut world = quiet::<D>();
    let b = ball(&mut world, 1.0, 0.0, 0.5);
    let rope = Spring::new(Anchor::World(D::point(0.0, 0.0)), Anchor::body(b), 20.0, 2.0);
    world.add_generator(Spring { pulls_only: true, ..rope }).unwrap();
    world.step();
    assert_eq!(force_on(&world, b), D::Vec::ZERO);
    assert_eq!(world.generator_energy(), 0.0);
}

fn motors_turn_and_react<D: TestDim>() {
    let mut world = quiet::<D>();
    let [rotor, stator] = [ball(&mut world, 0.0, 0.0, 0.5), ball(&mut world, 3.0, 0.0, 0.7)];
    let motor = Motor { reaction: Some(stator), ..Motor::new(rotor, D::spin(2.0)) };
    let id = world.add_generator(motor).unwrap();
    world.step();
    assert_close("rotor", D::about_z(torque_on(&world, rotor)), 2.0, 1e-5, "N·m");
    assert_close("stator", D::about_z(torque_on(&world, stator)), -2.0, 1e-5, "N·m");
    // At half of the free speed half of the torque; it settles at the free speed.
    adjust(&mut world, |s| s.dt = 1.0 / 60.0);
    world.remove_generator(id).unwrap();
    world.body_mut(rotor).unwrap().set_angular_velocity(D::spin(0.0)).unwrap();
    world.add_generator(Motor { free_speed: Some(4.0), ..Motor::new(rotor, D::spin(2.0)) }).unwrap();
    run(&mut world, 5.0);
    assert_close("free speed", D::about_z(world.body(rotor).unwrap().angular_velocity()), 4.0, 1e-2, "rad/s");
}

fn thrusters_push_where_they_sit<D: TestDim>() {
    let mut world = quiet::<D>();
    let def =
        BodyDef { rotation: D::turn(0.5 * core::f32::consts::PI), ..BodyDef::dynamic(D::point(1.0, 1.0)) };
    let rocket = world.create_body_with(def, [ShapeDef::new(D::block(2.0, 1.0))]).unwrap();
    let thruster = Thruster { point: D::vec(0.0, 0.5), ..Thruster::new(rocket, D::vec(3.0, 0.0)) };
    world.add_generator(thruster).unwrap();
    world.step();
    assert_near("force", force_on(&world, rocket), D::vec(0.0, 3.0), 1e-4, "N");
    assert_close("torque", D::about_z(torque_on(&world, rocket)), -1.5, 1e-4, "N·m");
}

fn wind_drags_balls_and_turns_plates<D: TestDim>() {
    let mut world = quiet::<D>();
    let (ball, plate) = (ball(&mut world, 0.0, 0.0, 0.5), add_body(&mut world, 5.0, 0.0, D::cube(2.0)));
    let wind = Wind { density: 1.5, drag: 0.8, lift: 0.6, ..Wind::new(D::vec(4.0, 0.0)) };
    world.add_generator(wind).unwrap();
    world.step();
    let (area, _) = ball_sizes::<D>(0.5);
    let expected = 0.5 * 1.5 * 16.0 * 0.8 * area;
    assert_near("ball", force_on(&world, ball), D::vec(expected, 0.0), 1e-4 * expected, "N");
    let face: Real = if D::N == 2 { 2.0 } else { 4.0 };
    let expected = 0.5 * 1.5 * 16.0 * 0.8 * face;
    assert_near("face", force_on(&world, plate), D::vec(expected, 0.0), 1e-4 * expected, "N");

    // Turned by 30°, two faces show themselves: the short one with normal −(c, s) shows c, the long one with normal (−s, c)
    // shows s of twice the area, and pushes down as much as the short one lifts, twice.
    let mut world = quiet::<D>();
    let angle = core::f32::consts::PI / 6.0;
    let def = BodyDef { rotation: D::turn(angle), ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    let plate = world.create_body_with(def, [ShapeDef::new(D::block(2.0, 1.0))]).unwrap();
    world.add_generator(Wind { density: 1.5, drag: 0.8, lift: 0.6, ..Wind::new(D::vec(4.0, 0.0)) }).unwrap();
    world.step();
    let (s, c) = (0.5, 0.75_f32.sqrt());
    let expected = D::vec(12.0 * 0.8 * (c + 2.0 * s), 12.0 * 0.6 * (c * s - 2.0 * s * c));
    assert_near("slanted", force_on(&world, plate), expected, 1e-3, "N");
    // The forces act at the middles of the faces, at −(c, s) and ½·(−s, c).
    let short = D::vec(0.8, 0.6 * s) * (12.0 * c);
    let long = D::vec(0.8, -0.6 * c) * (24.0 * s);
    let torque = D::cross(D::vec(-c, -s), short) + D::cross(D::vec(-0.5 * s, 0.5 * c), long);
    assert_close("turn", D::about_z(torque_on(&world, plate)), D::about_z(torque), 1e-3, "N·m");
    // A body that flies with the wind feels nothing.
    let mut world = quiet::<D>();
    let leaf = ball_at_speed(&mut world, D::vec(4.0, 0.0));
    world.add_generator(Wind::new(D::vec(4.0, 0.0))).unwrap();
    world.step();
    assert_eq!(world.body(leaf).unwrap().linear_velocity(), D::vec(4.0, 0.0));
}

fn ball_at_speed<D: TestDim>(world: &mut World<D>, v: D::Vec) -> BodyId {
    let def = BodyDef { linear_velocity: v, ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap()
}

/// A long thin plate at an angle to the wind is lifted: the big face decides.
fn a_wing_is_lifted<D: TestDim>() {
    let mut world = quiet::<D>();
    let def = BodyDef { rotation: D::turn(-0.3), ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    let wing = world.create_body_with(def, [ShapeDef::new(D::block(2.0, 0.02))]).unwrap();
    world.add_generator(Wind::new(D::vec(10.0, 0.0))).unwrap();
    world.step();
    let force = force_on(&world, wing);
    assert!(force.get(1) > 0.5 * force.get(0) && force.get(0) > 0.0, "{force:?}");
}

fn things_float_at_their_density<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    world
        .add_generator(Buoyancy { density: 1000.0, drag: 3.0, spin_drag: 3.0, ..Buoyancy::new(2.0) })
        .unwrap();
    let cube = add_shaped(&mut world, 0.0, 2.0, ShapeDef::new(D::cube(1.0)).density(400.0));
    let light = add_shaped(&mut world, 5.0, 1.5, ShapeDef::new(D::ball(0.5)).density(500.0));
    let heavy = add_shaped(&mut world, 9.0, 1.0, ShapeDef::new(D::ball(0.5)).density(2500.0));
    run(&mut world, 12.0);
    let y = |id: BodyId| world.body(id).unwrap().position().to_vec().get(1);
    // 40 % of the cube below y = 2 (in whatever way up it floats, its centre is above by symmetry): flat it is 0.4 deep.
    assert!(y(cube) > 2.0 && y(cube) < 2.3, "cube at {}", y(cube));
    assert_close("half of a ball of half the density", y(light), 2.0, 2e-3, "m");
    // Terminal fall: weight less lift equals drag. (ρ_b − ρ_w)·g = ρ_w·drag·v.
    let v = world.body(heavy).unwrap().linear_velocity().get(1);
    assert_close("sinking", v, -1.5 * 9.8 / 3.0, 0.01, "m/s");
}

fn buoyancy_is_the_weight_of_the_water<D: TestDim>() {
    let mut world = quiet::<D>();
    adjust(&mut world, |s| s.gravity = D::vec(0.0, -10.0));
    let (_, volume) = ball_sizes::<D>(0.5);
    let def = BodyDef { gravity_scale: 0.0, ..BodyDef::dynamic(D::point(0.0, -3.0)) };
    let under = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
    // A block whose right half is cut away sits half in the water and wants to turn.
    let def = BodyDef { gravity_scale: 0.0, rotation: D::turn(0.2), ..BodyDef::dynamic(D::point(5.0, 0.0)) };
    let block = world.create_body_with(def, [ShapeDef::new(D::block(3.0, 1.0))]).unwrap();
    let water = Buoyancy { density: 100.0, drag: 0.0, spin_drag: 0.0, ..Buoyancy::new(0.0) };
    world.add_generator(water).unwrap();
    world.step();
    let lift = 100.0 * 10.0 * volume;
    assert_near("under water", force_on(&world, under), D::vec(0.0, lift), 1e-4 * lift, "N");
    // Half of the area 3 × 1 (depth 1) is wet.
    assert_near("floating", force_on(&world, block), D::vec(0.0, 1500.0), 0.5, "N");
    // It rights itself: metacentric height I/V − ½·h at small angles: torque ≈ −ρ·g·V·sin φ·(b²/(12·h_wet) − h_wet/2).
    let torque = D::about_z(torque_on(&world, block));
    let expected = -1500.0 * sin_cos(0.2).0 * (9.0 / (12.0 * 0.5) - 0.25);
    assert!(
        (torque / expected - 1.0).abs() < 0.05,
        "righting torque {torque} N·m, metacentre says {expected} N·m"
    );
}

fn an_explosion_gives_its_impulse_and_ends<D: TestDim>() {
    let mut world = World::<D>::new();
    weightless(&mut world);
    let ball = ball(&mut world, 2.0, 0.0, 0.5);
    let far = add_body(&mut world, 40.0, 0.0, D::ball(0.5));
    let block = add_body(&mut world, 0.0, 3.0, D::cube(1.0));
    let blast = Explosion { duration: 0.04, ..Explosion::new(D::point(0.0, 0.0), 10.0, 8.0) };
    let id = world.add_generator(blast).unwrap();
    run(&mut world, 0.1);
    assert!(!world.contains_generator(id), "it is over");
    let (area, _) = ball_sizes::<D>(0.5);
    // It hardly moves meanwhile.
    let expected = 10.0 * 0.75 * area * 0.04;
    assert_near("ball", world.body(ball).unwrap().momentum(), D::vec(expected, 0.0), 2e-2 * expected, "N·s");
    assert_eq!(world.body(far).unwrap().linear_velocity(), D::Vec::ZERO);
    // Its face stands at 2.5 m.
    let expected = 10.0 * (1.0 - 2.5 / 8.0) * 0.04;
    assert_near(
        "block",
        world.body(block).unwrap().momentum(),
        D::vec(0.0, expected),
        2e-2 * expected,
        "N·s",
    );
}

fn a_vortex_turns_things_round<D: TestDim>() {
    let mut world = quiet::<D>();
    let ball = ball(&mut world, 3.0, 1.0, 0.5);
    let whirl = Vortex { pull: 2.0, ..Vortex::new(D::point(1.0, 1.0), D::spin(1.0), 5.0, 4.0) };
    world.add_generator(whirl).unwrap();
    world.step();
    let m = world.body(ball).unwrap().mass();
    assert_near("at half of the radius", force_on(&world, ball), D::vec(-1.0, 2.5) * m, 1e-4 * m, "N");
}

/// Springs that change wake; springs that do not, do not.
fn sleepers_wake_when_the_force_on_them_changes<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let sleeper = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    let def = BodyDef { ..BodyDef::kinematic(D::point(0.0, 4.0)) };
    let hand = world.create_body_with(def, [ShapeDef::new(D::ball(0.1))]).unwrap();
    let m = world.body(sleeper).unwrap().mass();
    // Pulls with half of the weight.
    let spring = Spring::new(Anchor::body(hand), Anchor::body(sleeper), 1.0 * m, 3.5 - 0.5 * 9.8);
    let spring = Spring { rest_length: 0.0, stiffness: 0.5 * m * 9.8 / 3.5, ..spring };
    world.add_generator(spring).unwrap();
    run(&mut world, 2.0);
    assert!(!world.body(sleeper).unwrap().is_awake(), "a steady pull lets it sleep");
    // Up by a little: within 10 % of the weight, still asleep.
    world.body_mut(hand).unwrap().set_linear_velocity(D::vec(0.0, 0.5)).unwrap();
    run(&mut world, 0.5);
    assert!(!world.body(sleeper).unwrap().is_awake(), "a small change lets it sleep");
    run(&mut world, 1.0);
    assert!(world.body(sleeper).unwrap().is_awake(), "a greater change wakes it");
    run(&mut world, 10.0);
    assert!(world.body(sleeper).unwrap().position().to_vec().get(1) > 0.8, "and lifts it");
}

fn adding_and_removing_wakes_who_is_concerned<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let [a, b] = [0.0, 5.0].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    run(&mut world, 2.0);
    let awake = |world: &World<D>| [a, b].map(|id| world.body(id).unwrap().is_awake());
    assert_eq!(awake(&world), [false; 2]);
    let id = world.add_generator(Thruster::new(a, D::vec(0.1, 0.0))).unwrap();
    assert_eq!(awake(&world), [true, false]);
    run(&mut world, 2.0);
    world.remove_generator(id).unwrap();
    assert_eq!(awake(&world), [true, false]);
    run(&mut world, 2.0);
    assert_eq!(awake(&world), [false; 2]);
    world.add_generator(Wind::new(D::vec(0.01, 0.0))).unwrap();
    assert_eq!(awake(&world), [true; 2]);
    run(&mut world, 2.0);
    assert_eq!(awake(&world), [false; 2], "a steady wind lets them sleep");
    // An explosion beside sleepers, with nothing awake.
    world.add_generator(Explosion::new(D::point(-1.0, 0.5), 1e3, 3.0)).unwrap();
    world.step();
    assert!(world.body(a).unwrap().linear_velocity().get(0) > 0.1);
}

fn generators_survive_a_snapshot<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let bodies: Vec<_> = (0..6).map(|i| add_body(&mut world, i as Real * 1.3, 2.0, D::cube(1.0))).collect();
    let end = Anchor::World(D::point(0.0, 5.0));
    let all: Vec<GeneratorKind<D>> = vec![
        UniformGravity::new(D::vec(0.1, 0.0)).into(),
        PointGravity::new(Anchor::body(bodies[5]), 1.0).into(),
        Attraction { softening: 0.5, ..Attraction::gravity(0.3) }.into(),
        Spring { damping: 0.2, ..Spring::new(end, Anchor::body(bodies[0]), 5.0, 1.0) }.into(),
        Motor { free_speed: Some(3.0), ..Motor::new(bodies[1], D::spin(0.5)) }.into(),
        Thruster::new(bodies[2], D::vec(0.0, 1.0)).into(),
        Wind::new(D::vec(2.0, 0.0)).into(),
        Buoyancy { density: 0.5, ..Buoyancy::new(1.0) }.into(),
        Explosion { duration: 0.5, ..Explosion::new(D::point(3.0, 0.0), 2.0, 5.0) }.into(),
        Vortex::new(D::point(3.0, 0.0), D::spin(1.0), 1.0, 10.0).into(),
    ];
    let names: Vec<String> = all.iter().map(|kind| kind.name().into()).collect();
    let ids: Vec<_> = all.into_iter().map(|kind| world.add_generator(kind).unwrap()).collect();
    let own = world.add_own_generator(Tide { strength: D::vec(0.0, 3.0), period: 2.0, applied: 0 }).unwrap();
    world.set_generator_name(own, "tide").unwrap();
    // A free slot in the middle must come back as one.
    world.remove_generator(ids[5]).unwrap();
    run(&mut world, 0.3);
    let bytes = world.snapshot();
    let mut copy = World::<D>::restore(&bytes).unwrap();
    assert_eq!(copy.snapshot(), bytes);
    assert_eq!(copy.state_hash(), world.state_hash());
    for (id, name) in ids.iter().zip(&names).filter(|&(&id, _)| id != ids[5]) {
        assert_eq!(copy.generator(*id).unwrap().name(), name);
    }
    assert_eq!(copy.find_generator("tide"), Some(own));
    assert!(matches!(copy.generator(own).unwrap(), GeneratorKind::Absent { .. }));
    let other = Tide { strength: D::Vec::ZERO, period: 1.0, applied: 0 };
    copy.attach_generator(own, other).unwrap();
    let again = copy.add_generator(Thruster::new(bodies[2], D::vec(0.0, 1.0))).unwrap();
    assert_eq!(again, world.add_generator(Thruster::new(bodies[2], D::vec(0.0, 1.0))).unwrap());
    for _ in 0..60 {
        world.step();
        copy.step();
        assert_eq!(copy.state_hash(), world.state_hash());
    }
    // The hash knows the generators.
    let before = world.state_hash();
    world.set_generator(ids[0], UniformGravity::new(D::vec(0.2, 0.0))).unwrap();
    assert_ne!(world.state_hash(), before);
}

fn generators_go_with_their_bodies<D: TestDim>() {
    let mut world = quiet::<D>();
    let bodies = [0.0, 2.0, 4.0].map(|x| ball(&mut world, x, 0.0, 0.5));
    let spring =
        world.add_generator(Spring::new(Anchor::body(bodies[0]), Anchor::body(bodies[1]), 1.0, 1.0)).unwrap();
    let listed = Scope { bodies: Some(vec![bodies[0], bodies[2]]), region: None };
    let field = world
        .add_generator(UniformGravity { scope: listed, ..UniformGravity::new(D::vec(0.0, 1.0)) })
        .unwrap();
    world.remove_body(bodies[0]).unwrap();
    assert!(!world.contains_generator(spring));
    assert!(matches!(world.generator(spring), Err(Error::StaleId { kind: "generator", .. })));
    world.step();
    assert_eq!(world.body(bodies[1]).unwrap().linear_velocity(), D::Vec::ZERO);
    assert!(world.body(bodies[2]).unwrap().linear_velocity().get(1) > 0.0);
    // An empty list is not the same as no list.
    world.remove_body(bodies[2]).unwrap();
    world.step();
    assert_eq!(world.body(bodies[1]).unwrap().linear_velocity(), D::Vec::ZERO);
    assert!(world.contains_generator(field));
}

/// A generator that gives nonsense: the body leaves, its neighbours do not notice.
struct Nonsense(BodyId);

impl<D: Dim> topple::force::Generator<D> for Nonsense {
    fn name(&self) -> &'static str {
        "nonsense"
    }
    fn apply(&self, field: &mut topple::force::ForceField<'_, D>) {
        field.push(self.0, D::Vec::splat(Real::NAN));
    }
}

fn impossible_forces_are_contained<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.6);
        let [a, b] = [0.5, 1.5].map(|y| add_body(&mut world, 0.0, y, D::cube(1.0)));
        world.add_own_generator(Nonsense(a)).unwrap();
        run(&mut world, 3.0);
        assert!(world.body(a).unwrap().is_quarantined(), "{solver}");
        let body = world.body(b).unwrap();
        assert_close(solver, body.position().to_vec().get(1), 0.5, 0.02, "m");
    }
}

fn wrong_generators_are_refused<D: TestDim>() {
    let mut world = World::<D>::new();
    let [a, gone] = [0.0, 2.0].map(|x| ball(&mut world, x, 0.0, 0.5));
    world.remove_body(gone).unwrap();
    let nan = Real::NAN;
    let place = Anchor::World(D::point(0.0, 0.0));
    let wrong: Vec<GeneratorKind<D>> = vec![
        UniformGravity::new(D::vec(nan, 0.0)).into(),
        UniformGravity {
            scope: Scope {
                bodies: None,
                region: Some(Aabb { min: D::point(1.0, 0.0), max: D::point(0.0, 1.0) }),
            },
            ..UniformGravity::new(D::Vec::ZERO)
        }
        .into(),
        PointGravity::new(place, nan).into(),
        PointGravity { exponent: 9, ..PointGravity::new(place, 1.0) }.into(),
        PointGravity { softening: -1.0, ..PointGravity::new(place, 1.0) }.into(),
        Attraction { range: nan, ..Attraction::gravity(1.0) }.into(),
        Attraction { law: PairLaw::LennardJones { depth: 1.0, distance: 0.0 }, ..Attraction::gravity(1.0) }
            .into(),
        Spring::new(place, place, 1.0, 1.0).into(),
        Spring::new(Anchor::body(a), Anchor::body(a), 1.0, 1.0).into(),
        Spring { damping: -1.0, ..Spring::new(place, Anchor::body(a), 1.0, 1.0) }.into(),
        Spring::new(place, Anchor::body(gone), 1.0, 1.0).into(),
        Motor { free_speed: Some(0.0), ..Motor::new(a, D::spin(1.0)) }.into(),
        Motor { reaction: Some(a), ..Motor::new(a, D::spin(1.0)) }.into(),
        Motor::new(gone, D::spin(1.0)).into(),
        Thruster::new(a, D::vec(Real::INFINITY, 0.0)).into(),
        Wind { drag: -1.0, ..Wind::new(D::Vec::ZERO) }.into(),
        Buoyancy { normal: D::vec(2.0, 0.0), ..Buoyancy::new(0.0) }.into(),
        Buoyancy { density: -1.0, ..Buoyancy::new(0.0) }.into(),
        Explosion::new(D::point(0.0, 0.0), 1.0, 0.0).into(),
        Vortex::new(D::point(0.0, 0.0), D::spin(0.0), 1.0, 1.0).into(),
    ];
    let fine = world.add_generator(Wind::new(D::Vec::ZERO)).unwrap();
    let before = world.snapshot();
    for kind in wrong {
        let text = format!("{kind:?}");
        let error = world.add_generator(kind).expect_err(&text);
        assert!(!error.to_string().is_empty());
    }
    assert!(world.set_generator(fine, Wind::new(D::vec(nan, 0.0))).is_err());
    let tide = Tide { strength: D::Vec::ZERO, period: 1.0, applied: 0 };
    assert!(world.attach_generator(fine, tide).is_err());
    assert_eq!(world.snapshot(), before, "refused calls change nothing");
}

/// A step with generators costs no allocation once it has settled, and one without any has no trace of them in the hash.
fn a_disabled_generator_does_nothing<D: TestDim>() {
    let mut world = quiet::<D>();
    let body = ball(&mut world, 0.0, 0.0, 0.5);
    let id = world.add_generator(UniformGravity::new(D::vec(1.0, 0.0))).unwrap();
    world.set_generator_enabled(id, false).unwrap();
    world.step();
    assert_eq!(world.body(body).unwrap().linear_velocity(), D::Vec::ZERO);
    assert!(!world.is_generator_enabled(id).unwrap());
    world.set_generator_enabled(id, true).unwrap();
    world.step();
    assert!(world.body(body).unwrap().linear_velocity().get(0) > 0.0);
}

both! {
    uniform_gravity_pulls_what_is_in_scope, uniform_gravity_2d, uniform_gravity_3d;
    point_gravity_is_inverse_square_and_pulls_back, point_gravity_2d, point_gravity_3d;
    bodies_attract_each_other, attraction_2d, attraction_3d;
    molecules_repel_near_by_and_attract_farther_out, molecules_2d, molecules_3d;
    springs_follow_hooke_and_damp, springs_2d, springs_3d;
    motors_turn_and_react, motors_2d, motors_3d;
    thrusters_push_where_they_sit, thrusters_2d, thrusters_3d;
    wind_drags_balls_and_turns_plates, wind_2d, wind_3d;
    a_wing_is_lifted, a_wing_is_lifted_2d, a_wing_is_lifted_3d;
    things_float_at_their_density, floating_2d, floating_3d;
    buoyancy_is_the_weight_of_the_water, buoyancy_2d, buoyancy_3d;
    an_explosion_gives_its_impulse_and_ends, explosion_2d, explosion_3d;
    a_vortex_turns_things_round, vortex_2d, vortex_3d;
    sleepers_wake_when_the_force_on_them_changes, sleepers_wake_2d, sleepers_wake_3d;
    adding_and_removing_wakes_who_is_concerned, adding_wakes_2d, adding_wakes_3d;
    generators_survive_a_snapshot, generators_survive_a_snapshot_2d, generators_survive_a_snapshot_3d;
    generators_go_with_their_bodies, generators_go_with_their_bodies_2d, generators_go_with_their_bodies_3d;
    impossible_forces_are_contained, impossible_forces_2d, impossible_forces_3d;
    wrong_generators_are_refused, wrong_generators_2d, wrong_generators_3d;
    a_disabled_generator_does_nothing, a_disabled_generator_2d, a_disabled_generator_3d;
}
