//! Closed-form cases for the default solver at default settings, 60 Hz, within the tolerances that it promises: 1 % for sliding,
//! rolling and bouncing, 0.1 % for forces at rest, rounding for momentum. What holds for every solver is in `analytic.rs`.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, Mass, Material, ShapeDef, World};

const G: Real = 9.8;

/// A block that slides stops after v²/(2·μ·g), a slow one and a fast one, and falls asleep there.
fn sliding_to_rest<D: TestDim>() {
    for (speed, friction) in [(4.0, 0.4), (9.0, 0.4), (3.0, 0.15), (6.0, 0.9)] {
        let mut world = World::<D>::new();
        add_floor(&mut world, friction);
        // Flat, so that it does not tumble.
        let block = add_shaped(&mut world, 0.0, 0.1, ShapeDef::new(D::block(1.5, 0.2)).friction(friction));
        run(&mut world, 0.5);
        let start = world.body(block).unwrap().position();
        world.body_mut(block).unwrap().set_linear_velocity(D::vec(speed, 0.0)).unwrap();
        let mut steps = 0;
        while world.awake_count() > 0 {
            world.step();
            steps += 1;
            assert!(steps < 600, "{speed} m/s, μ {friction}: does not fall asleep");
        }
        let path = (world.body(block).unwrap().position() - start).get(0);
        let expected = speed * speed / (2.0 * friction * G);
        println!("{}D {speed} m/s, μ {friction}: {path} m, expected {expected}", D::N);
        assert_close(format!("{speed} m/s, μ {friction}: path"), path, expected, 0.01 * expected, "m");
    }
}

#[test]
fn sliding_to_rest_2d() {
    sliding_to_rest::<D2>();
}
#[test]
fn sliding_to_rest_3d() {
    sliding_to_rest::<D3>();
}

/// A ball or ring on a slope, not turned: what it gains along the slope in a second, and how fast its rim goes.
fn rolls<D: TestDim>(angle: Real, friction: Real, share: Real) -> (Real, Real) {
    let mut world = World::<D>::new();
    let (sin, cos) = sin_cos(angle);
    let slope = ShapeDef::new(D::half_space(-sin, cos, 0.0)).friction(friction);
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [slope]).unwrap();
    let ball = add_shaped(&mut world, -sin * 0.5, cos * 0.5, ShapeDef::new(D::ball(0.5)).friction(friction));
    // I = share·m·r² about every axis.
    let Mass { mass, center, inertia } = world.body(ball).unwrap().mass_properties();
    let own = D::about_z(inertia.apply(D::spin(1.0)));
    let inertia = inertia.scaled(share * mass * 0.25 / own);
    world.body_mut(ball).unwrap().set_mass(Some(Mass { mass, center, inertia })).unwrap();
    let down = D::vec(-cos, -sin);
    run(&mut world, 0.5);
    let before = world.body(ball).unwrap().linear_velocity().dot(down);
    run(&mut world, 1.0);
    let body = world.body(ball).unwrap();
    let after = body.linear_velocity().dot(down);
    (after - before, after - D::about_z(body.angular_velocity()) * 0.5)
}

/// Solid and hollow balls, discs and rings: a = g·sin θ/(1 + k), I = k·m·r². They slip if μ is below tan θ·k/(1 + k), with
/// a = g·(sin θ − μ·cos θ) then.
fn rolling_and_slipping<D: TestDim>() {
    let angle = 0.4;
    let (sin, cos) = sin_cos(angle);
    for k in D::pick([0.5, 1.0], [0.4, 2.0 / 3.0]) {
        let limit = sin / cos * k / (1.0 + k);
        let (a, slip) = rolls::<D>(angle, 1.05 * limit, k);
        let expected = G * sin / (1.0 + k);
        assert_close(format!("k {k}: rolls"), a, expected, 0.01 * expected, "m/s²");
        assert_close(format!("k {k}: does not slip"), slip, 0.0, 0.01, "m/s");
        let friction = 0.8 * limit;
        let (a, slip) = rolls::<D>(angle, friction, k);
        let expected = G * (sin - friction * cos);
        assert_close(format!("k {k}: slides"), a, expected, 0.01 * expected, "m/s²");
        // The spin gains μ·g·cos θ·r/(k·r²) meanwhile.
        let expected = 1.5 * (expected - friction * G * cos / k);
        assert_close(format!("k {k}: slips"), slip, expected, 0.02 * expected + 0.01, "m/s");
    }
}

#[test]
fn rolling_and_slipping_2d() {
    rolling_and_slipping::<D2>();
}
#[test]
fn rolling_and_slipping_3d() {
    rolling_and_slipping::<D3>();
}

/// A ball that slides at first rolls in the end with v/(1 + k), k = 2/5 (disc 1/2); with backspin −v/r it keeps (1 − k)/(1 + k) of v.
/// It then rolls on for as long as nothing slows it.
fn sliding_turns_into_rolling<D: TestDim>() {
    let k = 1.0 / D::ROLLING - 1.0;
    for (spin, expected) in [(0.0, 1.0 / (1.0 + k)), (1.0, (1.0 - k) / (1.0 + k))] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.3);
        let ball = add_shaped(&mut world, 0.0, 0.5, ShapeDef::new(D::ball(0.5)).friction(0.3));
        run(&mut world, 0.2);
        let v = 7.0;
        world.body_mut(ball).unwrap().set_linear_velocity(D::vec(v, 0.0)).unwrap();
        world.body_mut(ball).unwrap().set_angular_velocity(D::spin(spin * v / 0.5)).unwrap();
        run(&mut world, 3.0);
        for when in ["rolls", "rolls on"] {
            let body = world.body(ball).unwrap();
            let (got, rim) = (body.linear_velocity().get(0), -D::about_z(body.angular_velocity()) * 0.5);
            assert_close(format!("spin {spin}: {when}"), got, expected * v, 0.01 * expected * v, "m/s");
            assert_close(format!("spin {spin}: {when}, rim"), rim, got, 0.005 * got, "m/s");
            run(&mut world, 2.0);
        }
    }
}

#[test]
fn sliding_turns_into_rolling_2d() {
    sliding_turns_into_rolling::<D2>();
}
#[test]
fn sliding_turns_into_rolling_3d() {
    sliding_turns_into_rolling::<D3>();
}

/// With rolling friction a ball slows by that share of g/(1 + k), stops and sleeps.
fn rolling_to_rest<D: TestDim>() {
    let (v, share) = (2.0, 0.1);
    let mut world = World::<D>::new();
    add_floor(&mut world, 1.0);
    let mut shape = ShapeDef::new(D::ball(0.5)).friction(1.0);
    shape.material = Material { rolling_friction: share, ..shape.material };
    let ball = add_shaped(&mut world, 0.0, 0.5, shape);
    run(&mut world, 0.2);
    world.body_mut(ball).unwrap().set_linear_velocity(D::vec(v, 0.0)).unwrap();
    world.body_mut(ball).unwrap().set_angular_velocity(D::spin(-v / 0.5)).unwrap();
    let start = world.body(ball).unwrap().position();
    let mut steps = 0;
    while world.awake_count() > 0 {
        world.step();
        steps += 1;
        assert!(steps < 900, "rolls on at {:?}", world.body(ball).unwrap().linear_velocity());
    }
    let path = (world.body(ball).unwrap().position() - start).get(0);
    println!("{}D: rolled {path} m", D::N);
    // Material::rolling_friction is a length over the radius: the torque share·N·r stops m·v·(1 + k)·r.
    let expected = v * v / (2.0 * share * G * D::ROLLING);
    assert_close("rolled", path, expected, 0.02 * expected, "m");
}

#[test]
fn rolling_to_rest_2d() {
    rolling_to_rest::<D2>();
}
#[test]
fn rolling_to_rest_3d() {
    rolling_to_rest::<D3>();
}

/// Apexes of a bouncing ball: e²·h each, within 1 % per bounce.
fn bouncing<D: TestDim>() {
    for restitution in [0.5, 0.8, 0.95] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.5);
        let ball = add_shaped(&mut world, 0.0, 3.5, ShapeDef::new(D::ball(0.5)).restitution(restitution));
        let mut expected = 3.0;
        let mut rising = false;
        let mut bounces = 0;
        for _ in 0..900 {
            world.step();
            let body = world.body(ball).unwrap();
            let v = body.linear_velocity().get(1);
            if rising && v <= 0.0 {
                // Where it would turn in continuous time.
                let apex = body.position().to_vec().get(1) - 0.5 + v * v / (2.0 * G);
                expected *= restitution * restitution;
                bounces += 1;
                println!("{}D e {restitution}, bounce {bounces}: {apex} ({expected})", D::N);
                let tolerance = 0.01 * bounces as Real * expected;
                assert_close(format!("e {restitution}, bounce {bounces}"), apex, expected, tolerance, "m");
                // Lower ones are slower than what bounces at all.
                if bounces == 4 || expected < 0.3 {
                    break;
                }
            }
            rising = v > 0.0;
        }
        assert!(bounces > 0, "e {restitution}: it bounces");
    }
}

#[test]
fn bouncing_2d() {
    bouncing::<D2>();
}
#[test]
fn bouncing_3d() {
    bouncing::<D3>();
}

/// Sum of the normal forces between these bodies [N].
fn force_between<D: Dim>(world: &World<D>, a: BodyId, b: BodyId) -> Real {
    let contacts = world.contacts_of(a).unwrap().filter(|contact| contact.bodies().contains(&b));
    contacts.map(|contact| contact.normal_force()).sum()
}

/// At rest, each contact of a stack bears what is above it; the two boxes under a third one half each.
fn forces_at_rest<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let floor = add_floor(&mut world, 0.6);
    let stack = (0..8).map(|i| add_body(&mut world, 0.0, 0.5 + i as Real, D::cube(1.0))).collect::<Vec<_>>();
    let feet = [5.0, 6.5].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    let heavy = add_shaped(&mut world, 5.75, 1.25, ShapeDef::new(D::block(2.5, 0.5)).density(4.0));
    run(&mut world, 8.0);
    let mass = |id: BodyId| world.body(id).unwrap().mass();
    for (i, &id) in stack.iter().enumerate() {
        let below = if i == 0 { floor } else { stack[i - 1] };
        let weight = (stack.len() - i) as Real * mass(id) * G;
        assert_close(format!("under box {i}"), force_between(&world, id, below), weight, 0.001 * weight, "N");
    }
    for foot in feet {
        let half = 0.5 * mass(heavy) * G;
        assert_close("half of the table", force_between(&world, heavy, foot), half, 0.001 * half, "N");
        let whole = half + mass(foot) * G;
        assert_close("under a foot", force_between(&world, foot, floor), whole, 0.001 * whole, "N");
    }
}

#[test]
fn forces_at_rest_2d() {
    forces_at_rest::<D2>();
}
#[test]
fn forces_at_rest_3d() {
    forces_at_rest::<D3>();
}

/// A table with four legs in one body: the same force in each, together its weight.
#[test]
fn four_legs_share_alike_3d() {
    let mut world = World::<D3>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let floor = add_floor(&mut world, 0.6);
    let leg = |x: Real, z: Real| {
        ShapeDef::new(topple::Shape3::cuboid(0.1, 0.8, 0.1)).at(Pose::at([0.5 * x, 0.4, 0.5 * z]))
    };
    let plate = ShapeDef::new(topple::Shape3::cuboid(1.2, 0.1, 1.2)).at(Pose::at([0.0, 0.85, 0.0]));
    let shapes = [plate, leg(1.0, 1.0), leg(1.0, -1.0), leg(-1.0, 1.0), leg(-1.0, -1.0)];
    let table = world.create_body_with(BodyDef::dynamic([0.0, 0.0, 0.0]), shapes).unwrap();
    run(&mut world, 5.0);
    let contacts = world.contacts_of(table).unwrap().filter(|contact| contact.is_touching());
    let forces: Vec<Real> = contacts.map(|contact| contact.normal_force()).collect();
    let weight = world.body(table).unwrap().mass() * G;
    assert_eq!(forces.len(), 4, "one contact per leg");
    assert_close("the floor bears", force_between(&world, table, floor), weight, 0.001 * weight, "N");
    for force in forces {
        assert_close("each leg", force, 0.25 * weight, 0.001 * weight, "N");
    }
}

/// Boxes and balls that meet off-centre, spinning, far from everything: momentum to rounding, whatever the bounce and the
/// friction. The angular momentum changes by how far the two anchors of a contact are apart.
fn free_collisions<D: TestDim>() {
    let mut random = Random(3);
    for case in 0..40 {
        let mut world = World::<D>::new();
        weightless(&mut world);
        let restitution = [0.0, 0.5, 1.0][case % 3];
        let mut place = |x: Real, shape: D::Shape| {
            let mut off = D::vec(x, random.between(-0.3, 0.3));
            off.set(D::N - 1, random.between(-0.3, 0.3));
            let mut spin = D::spin(random.between(-4.0, 4.0));
            spin.set(0, random.between(-4.0, 4.0));
            let def = BodyDef {
                linear_velocity: D::vec(-2.0 * x, random.between(-0.5, 0.5)),
                angular_velocity: spin,
                ..BodyDef::dynamic(D::Point::from_vec(off))
            };
            let shape = ShapeDef::new(shape).restitution(restitution).friction(0.6);
            world.create_body_with(def, [shape.density(random.between(0.5, 5.0))]).unwrap()
        };
        let ids =
            [place(-1.5, D::cube(1.0)), place(1.5, if case % 2 == 0 { D::cube(0.7) } else { D::ball(0.5) })];
        let (p, l) = (momentum(&world), angular_momentum(&world));
        let scale: Real = ids.iter().map(|&id| world.body(id).unwrap().momentum().length()).sum();
        let mut touched = false;
        for _ in 0..90 {
            world.step();
            touched |= !world.events().begin.is_empty();
        }
        assert!(touched, "case {case}: they meet");
        // Each of some dozens of impulses is rounded once on each side: 2⁻²⁴ of the momentum each.
        assert_near(format!("case {case}: P"), momentum(&world), p, 3e-6 * scale, "kg·m/s");
        let drift = (angular_momentum(&world) - l).length();
        println!("{}D case {case}: L off by {:e}", D::N, drift / scale);
        assert!(drift < 0.01 * scale, "case {case}: L off by {drift} kg·m²/s of {scale}");
    }
}

#[test]
fn free_collisions_2d() {
    free_collisions::<D2>();
}
#[test]
fn free_collisions_3d() {
    free_collisions::<D3>();
}
