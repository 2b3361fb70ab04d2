//! Closed-form mechanics. Solver-dependent claims hold for every solver of the registry.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Drag, Locks, Mass, ShapeDef, World};

const G: Real = 9.8;

/// Position and velocity after `steps` by the exact discrete formula of semi-implicit Euler with step `h`:
/// x = x0 + v0·t + ½·g·t·(t + h).
fn thrown<D: TestDim>(start: D::Point, v0: D::Vec, t: Real, h: Real) -> (D::Point, D::Vec) {
    let g = D::vec(0.0, -G);
    (start + v0 * t + g * (0.5 * t * (t + h)), v0 + g * t)
}

/// Solvers integrate once per step or once per sub-step; both are exact in their own way.
#[track_caller]
fn assert_thrown<D: TestDim>(solver: &str, world: &World<D>, body: BodyId, start: D::Point, v0: D::Vec) {
    let (dt, substeps) = (world.settings().dt, world.settings().substeps as Real);
    let t = world.time() as Real;
    let body = world.body(body).unwrap();
    let errors = [dt, dt / substeps].map(|h| (body.position() - thrown::<D>(start, v0, t, h).0).length());
    // Sixty roundings of about 10 m and 10 m/s, half a unit in the last place each.
    let tolerance = 6e-5;
    assert!(errors[0].min(errors[1]) < tolerance, "{solver}: position off by {errors:?} m");
    assert_near(
        format!("{solver}: velocity"),
        body.linear_velocity(),
        thrown::<D>(start, v0, t, dt).1,
        2e-5,
        "m/s",
    );
}

fn free_fall<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let body = add_body(&mut world, 1.0, 20.0, D::ball(0.5));
        run(&mut world, 1.0);
        assert_thrown(solver, &world, body, D::point(1.0, 20.0), D::Vec::ZERO);
        // The error against continuous time is the one the scheme has: ½·g·h·t, with h at most the step.
        let exact = 20.0 - 0.5 * G;
        let error = exact - world.body(body).unwrap().position().to_vec().get(1);
        assert!(error > 0.0 && error < 0.5 * G / 60.0 + 1e-4, "{solver}: {error} m below the parabola");
    }
}

#[test]
fn free_fall_2d() {
    free_fall::<D2>();
}
#[test]
fn free_fall_3d() {
    free_fall::<D3>();
}

fn projectile<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let mut v0 = D::vec(6.0, 8.0);
        v0.set(D::N - 1, 5.0);
        let def = BodyDef { linear_velocity: v0, ..BodyDef::dynamic(D::point(-2.0, 1.0)) };
        let body = world.create_body_with(def, [ShapeDef::<D>::new(D::cube(0.3))]).unwrap();
        run(&mut world, 1.0);
        assert_thrown(solver, &world, body, D::point(-2.0, 1.0), v0);
        // Nothing turns it.
        assert_eq!(world.body(body).unwrap().angular_velocity(), D::Ang::ZERO, "{solver}");
    }
}

#[test]
fn projectile_2d() {
    projectile::<D2>();
}
#[test]
fn projectile_3d() {
    projectile::<D3>();
}

fn gravity_scale_and_drag_act_as_written<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let light = BodyDef { gravity_scale: 0.5, ..BodyDef::dynamic(D::point(0.0, 0.0)) };
        let light = world.create_body_with(light, [ShapeDef::<D>::new(D::ball(0.5))]).unwrap();
        let drag = Drag { linear: 2.0, quadratic: 0.0, angular_linear: 3.0, angular_quadratic: 0.0 };
        let (v, w) = (D::vec(4.0, 0.0), D::spin(5.0));
        let slowed = BodyDef {
            drag,
            gravity_scale: 0.0,
            linear_velocity: v,
            angular_velocity: w,
            ..BodyDef::dynamic(D::point(9.0, 0.0))
        };
        let slowed = world.create_body_with(slowed, [ShapeDef::<D>::new(D::ball(0.5))]).unwrap();
        let drag = Drag { linear: 0.0, quadratic: 0.5, angular_linear: 0.0, angular_quadratic: 0.4 };
        let blown = BodyDef {
            drag,
            gravity_scale: 0.0,
            linear_velocity: v,
            angular_velocity: w,
            ..BodyDef::dynamic(D::point(18.0, 0.0))
        };
        let blown = world.create_body_with(blown, [ShapeDef::<D>::new(D::ball(0.5))]).unwrap();
        run(&mut world, 1.0);
        // dv/dt = −k·v² has the solution v0/(1 + k·v0·t).
        let body = world.body(blown).unwrap();
        assert_close(solver, body.linear_velocity().get(0), 4.0 / 3.0, 0.02, "m/s");
        assert_close(solver, D::about_z(body.angular_velocity()), 5.0 / 3.0, 0.03, "rad/s");
        assert_near(solver, world.body(light).unwrap().linear_velocity(), D::vec(0.0, -0.5 * G), 1e-5, "m/s");
        // Implicit Euler lies between the exponential and its value for one large step: v0·e^(−kt) within O(h).
        let body = world.body(slowed).unwrap();
        assert_close(solver, body.linear_velocity().get(0), 4.0 * 0.135_335, 0.02, "m/s");
        assert_close(solver, D::about_z(body.angular_velocity()), 5.0 * 0.049_787, 0.02, "rad/s");
    }
}

#[test]
fn gravity_scale_and_drag_act_as_written_2d() {
    gravity_scale_and_drag_act_as_written::<D2>();
}
#[test]
fn gravity_scale_and_drag_act_as_written_3d() {
    gravity_scale_and_drag_act_as_written::<D3>();
}

/// A force at a point is the force at the centre and its moment; world and body points agree; an impulse does at once what
/// the force does in a step.
fn force_at_a_point<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        weightless(&mut world);
        let turn = D::turn(0.5);
        let mut place = |x: Real| {
            let def = BodyDef { rotation: turn, ..BodyDef::dynamic(D::point(x, 1.0)) };
            world.create_body_with(def, [ShapeDef::<D>::new(D::cube(1.0))]).unwrap()
        };
        let bodies = [place(0.0), place(5.0), place(10.0)];
        let (force, local) = (D::vec(3.0, -1.0), D::vec(0.4, 0.2));
        let dt = world.settings().dt;
        let point = world.body(bodies[0]).unwrap().to_world(local);
        world.body_mut(bodies[0]).unwrap().apply_force_at(force, point).unwrap();
        world.body_mut(bodies[1]).unwrap().apply_force_at_local(force, local).unwrap();
        world.body_mut(bodies[2]).unwrap().apply_impulse_at_local(force * dt, local).unwrap();
        let (mass, inertia) = {
            let body = world.body(bodies[0]).unwrap();
            (body.mass(), body.inertia())
        };
        world.step();
        for id in bodies {
            let body = world.body(id).unwrap();
            let torque = D::cross(turn.rotate(local), force);
            assert_near(solver, body.linear_velocity(), force * (dt / mass), 1e-7, "m/s");
            let w = D::about_z(body.angular_velocity());
            assert_close(solver, w, D::about_z(inertia.inverse().apply(torque)) * dt, 1e-6, "rad/s");
            assert_close(solver, D::about_z(body.angular_momentum()), D::about_z(torque) * dt, 1e-7, "N·m·s");
        }
        world.step();
        assert_near(
            "forces act for one step",
            world.body(bodies[0]).unwrap().momentum(),
            force * dt,
            1e-7,
            "N·s",
        );
    }
}

#[test]
fn force_at_a_point_2d() {
    force_at_a_point::<D2>();
}
#[test]
fn force_at_a_point_3d() {
    force_at_a_point::<D3>();
}

/// Two balls on a line: velocities after the impact from momentum and restitution.
fn impact<D: TestDim>(restitution: Real) {
    for solver in methods::<D>("solver") {
        for (radius_b, v_a, v_b) in [(0.5, 4.0, -2.0), (0.8, 3.0, 0.0), (0.25, 5.0, 1.0)] {
            let mut world = world_with_solver::<D>(solver);
            weightless(&mut world);
            let mut place = |x: Real, radius: Real, v: Real| {
                let def = BodyDef { linear_velocity: D::vec(v, 0.0), ..BodyDef::dynamic(D::point(x, 0.0)) };
                let shape = ShapeDef::<D>::new(D::ball(radius)).restitution(restitution);
                world.create_body_with(def, [shape]).unwrap()
            };
            let (a, b) = (place(-1.5, 0.5, v_a), place(1.5, radius_b, v_b));
            let (m_a, m_b) = (world.body(a).unwrap().mass(), world.body(b).unwrap().mass());
            let before = (momentum(&world), kinetic_energy(&world));
            run(&mut world, 2.0);
            let after = (momentum(&world), kinetic_energy(&world));
            let scale = m_a * v_a + m_b * v_b.abs();
            assert_near(format!("{solver}: momentum"), after.0, before.0, 1e-6 * scale, "kg·m/s");
            let common = (m_a * v_a + m_b * v_b) / (m_a + m_b);
            let part = restitution * (v_a - v_b) / (m_a + m_b);
            let [x_a, x_b] = [a, b].map(|id| world.body(id).unwrap().linear_velocity().get(0));
            // The bias of this solver pushes overlapping bodies apart, on top of what the impact gives.
            let tolerance = if solver == "baumgarte" { 0.2 } else { 2e-5 * v_a };
            assert_close(format!("{solver}: v_a"), x_a, common - part * m_b, tolerance, "m/s");
            assert_close(format!("{solver}: v_b"), x_b, common + part * m_a, tolerance, "m/s");
            if restitution == 1.0 {
                assert_close(format!("{solver}: energy"), after.1, before.1, 1e-5 * before.1, "J");
            }
        }
    }
}

#[test]
fn elastic_impact_2d() {
    impact::<D2>(1.0);
}
#[test]
fn elastic_impact_3d() {
    impact::<D3>(1.0);
}
#[test]
fn inelastic_impact_2d() {
    impact::<D2>(0.0);
}
#[test]
fn inelastic_impact_3d() {
    impact::<D3>(0.0);
}
#[test]
fn half_elastic_impact_2d() {
    impact::<D2>(0.5);
}
#[test]
fn half_elastic_impact_3d() {
    impact::<D3>(0.5);
}

/// A body on a plane that rises to the right by `angle`, at rest, just above it.
fn on_slope<D: TestDim>(
    solver: &str,
    angle: Real,
    friction: Real,
    shape: D::Shape,
    height: Real,
) -> (World<D>, BodyId) {
    let mut world = world_with_solver::<D>(solver);
    let (sin, cos) = sin_cos(angle);
    let slope = ShapeDef::new(D::half_space(-sin, cos, 0.0)).friction(friction);
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [slope]).unwrap();
    let def = BodyDef {
        rotation: D::turn(angle),
        can_sleep: false,
        ..BodyDef::dynamic(D::point(-sin * height, cos * height))
    };
    let body = world.create_body_with(def, [ShapeDef::new(shape).friction(friction)]).unwrap();
    (world, body)
}

/// How far the body went down the slope since it stood at `start`, and how fast it goes.
fn slide<D: TestDim>(world: &World<D>, body: BodyId, start: D::Point, angle: Real) -> (Real, Real) {
    let (sin, cos) = sin_cos(angle);
    let down = D::vec(-cos, -sin);
    let body = world.body(body).unwrap();
    ((body.position() - start).dot(down), body.linear_velocity().dot(down))
}

/// Sticks below the friction angle and slides above it, a quarter of a degree to each side; farther up the acceleration is
/// g·(sin θ − μ·cos θ).
fn block_on_slope<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let friction: Real = 0.5;
        let limit = atan2(friction, 1.0);
        let degree = core::f32::consts::PI / 180.0;
        for (angle, sticks) in
            [(limit - 5.0 * degree, true), (limit - 0.25 * degree, true), (limit + 0.25 * degree, false)]
        {
            let (mut world, body) = on_slope::<D>(solver, angle, friction, D::block(1.0, 0.5), 0.25);
            run(&mut world, 0.5);
            let start = world.body(body).unwrap().position();
            run(&mut world, 2.0);
            let (path, speed) = slide(&world, body, start, angle);
            let (sin, cos) = sin_cos(angle);
            if sticks {
                assert!(path.abs() < 2e-3 && speed.abs() < 1e-3, "{solver}: crept {path} m at {angle} rad");
            } else {
                let expected = G * (sin - friction * cos) * 2.5;
                assert!(
                    speed > 0.5 * expected,
                    "{solver}: {speed} m/s, expected about {expected} at {angle} rad"
                );
            }
        }
        let angle = limit + 12.0 * degree;
        let (mut world, body) = on_slope::<D>(solver, angle, friction, D::block(1.0, 0.5), 0.25);
        run(&mut world, 0.5);
        let start = world.body(body).unwrap().position();
        let (_, before) = slide(&world, body, start, angle);
        run(&mut world, 1.0);
        let (_, after) = slide(&world, body, start, angle);
        let (sin, cos) = sin_cos(angle);
        let expected = G * (sin - friction * cos);
        assert_close(format!("{solver}: acceleration"), after - before, expected, 0.01 * expected, "m/s²");
    }
}

#[test]
fn block_on_slope_2d() {
    block_on_slope::<D2>();
}
#[test]
fn block_on_slope_3d() {
    block_on_slope::<D3>();
}

/// A block thrown along the floor stops after v²/(2·μ·g).
fn stopping_distance<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.4);
        let shape = ShapeDef::new(D::block(1.0, 0.4)).friction(0.4);
        let body = add_shaped(&mut world, 0.0, 0.2, shape);
        run(&mut world, 0.5);
        let start = world.body(body).unwrap().position();
        world.body_mut(body).unwrap().set_linear_velocity(D::vec(4.0, 0.0)).unwrap();
        run(&mut world, 2.0);
        let path = (world.body(body).unwrap().position() - start).get(0);
        // One step of 4 m/s is 0.07 m: what the discrete sum may differ by.
        assert_close(solver, path, 16.0 / (2.0 * 0.4 * G), 0.04, "m");
    }
}

#[test]
fn stopping_distance_2d() {
    stopping_distance::<D2>();
}
#[test]
fn stopping_distance_3d() {
    stopping_distance::<D3>();
}

/// A solid ball rolls down with 5/7 (a disc with 2/3) of g·sin θ, without slipping.
fn rolling<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let angle = 0.3;
        let (mut world, body) = on_slope::<D>(solver, angle, 0.9, D::ball(0.5), 0.5);
        run(&mut world, 0.5);
        let start = world.body(body).unwrap().position();
        let (_, before) = slide(&world, body, start, angle);
        run(&mut world, 1.0);
        let (_, after) = slide(&world, body, start, angle);
        let expected = D::ROLLING * G * sin_cos(angle).0;
        assert_close(format!("{solver}: acceleration"), after - before, expected, 0.01 * expected, "m/s²");
        let spin = D::about_z(world.body(body).unwrap().angular_velocity());
        assert_close(format!("{solver}: rolls"), spin * 0.5, after, 0.01 * after, "m/s");
    }
}

#[test]
fn rolling_2d() {
    rolling::<D2>();
}
#[test]
fn rolling_3d() {
    rolling::<D3>();
}

/// A ball that slides at first rolls in the end with 5/7 (2/3) of its speed.
fn sliding_turns_into_rolling<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.3);
        let body = add_shaped(&mut world, 0.0, 0.5, ShapeDef::new(D::ball(0.5)).friction(0.3));
        run(&mut world, 0.2);
        world.body_mut(body).unwrap().set_linear_velocity(D::vec(7.0, 0.0)).unwrap();
        run(&mut world, 2.0);
        let body = world.body(body).unwrap();
        let v = body.linear_velocity().get(0);
        assert_close(solver, v, 7.0 * D::ROLLING, 0.07, "m/s");
        assert_close(solver, -D::about_z(body.angular_velocity()) * 0.5, v, 0.05, "m/s");
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

/// Angular momentum and energy that are lost in one second of free rotation, as shares.
fn rotation_loss<D: TestDim>(spin: D::Ang, dt: Real) -> (Real, Real) {
    let mut world = World::<D>::new();
    weightless(&mut world);
    adjust(&mut world, |s| s.dt = dt);
    let def = BodyDef { angular_velocity: spin, ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    let body = world.create_body_with(def, [ShapeDef::<D>::new(D::block(2.0, 1.0))]).unwrap();
    let measure = |world: &World<D>| {
        let body = world.body(body).unwrap();
        (body.angular_momentum(), body.kinetic_energy())
    };
    let before = measure(&world);
    run(&mut world, 1.0);
    let after = measure(&world);
    ((after.0 - before.0).length() / before.0.length(), (after.1 - before.1).abs() / before.1)
}

/// About a principal axis nothing changes at all; the same in the plane, where there is no other.
fn torque_free_rotation<D: TestDim>() {
    let (momentum, energy) = rotation_loss::<D>(D::spin(4.0), 1.0 / 60.0);
    assert!(momentum < 1e-5 && energy < 1e-5, "L off by {momentum}, E by {energy}");
}

#[test]
fn torque_free_rotation_2d() {
    torque_free_rotation::<D2>();
}
#[test]
fn torque_free_rotation_3d() {
    torque_free_rotation::<D3>();
}

/// Off the principal axes the default integrator is of first order: its losses are small and shrink with the step, down to what
/// rounding leaves.
#[test]
fn torque_free_tumbling_3d_loses_in_proportion_to_the_step() {
    let spin = Vec3::new(3.0, 0.5, 2.0);
    let coarse = rotation_loss::<D3>(spin, 1.0 / 120.0);
    let fine = rotation_loss::<D3>(spin, 1.0 / 480.0);
    assert!(coarse.0 < 0.03 && coarse.1 < 0.03, "{coarse:?}");
    let shrinks = |fine: Real, coarse: Real| fine < 0.4 * coarse || fine < 1e-4;
    assert!(shrinks(fine.0, coarse.0) && shrinks(fine.1, coarse.1), "fine {fine:?}, coarse {coarse:?}");
}

/// A symmetric body precesses in its own frame at (I3 − I1)·ω3 / I1.
#[test]
fn torque_free_precession_3d() {
    let mut world = World::<D3>::new();
    weightless(&mut world);
    adjust(&mut world, |s| s.dt = 1.0 / 1000.0);
    let inertia = SymMat3::from_diagonal(Vec3::new(1.0, 1.0, 1.6));
    let mass = Mass { mass: 1.0, center: Vec3::ZERO, inertia };
    let def = BodyDef {
        mass: Some(mass),
        angular_velocity: Vec3::new(0.2, 0.0, 3.0),
        ..BodyDef::dynamic([0.0; 3])
    };
    let body = world.create_body(def).unwrap();
    run(&mut world, 1.0);
    let body = world.body(body).unwrap();
    let w = RotOps::<D3>::rotate_inv(body.rotation(), body.angular_velocity());
    assert_close("precession", atan2(w.y, w.x), 0.6 * 3.0, 0.02, "rad");
}

/// A pinned body turns but does not move; a body with locked rotation moves but does not turn; one locked axis stays.
fn locks_hold<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.5);
        let mut place = |x: Real, y: Real, locks: Locks| {
            let def = BodyDef {
                locks,
                linear_velocity: D::vec(0.7, 0.3),
                angular_velocity: D::spin(1.0),
                ..BodyDef::dynamic(D::point(x, y))
            };
            world.create_body_with(def, [ShapeDef::<D>::new(D::cube(1.0))]).unwrap()
        };
        let pinned = place(0.0, 5.0, Locks::PINNED);
        let upright = place(5.0, 0.5, Locks::ROTATION);
        let rail = place(10.0, 4.0, Locks { translation: [true, false, false], ..Locks::NONE });
        world.body_mut(upright).unwrap().apply_force_at_local(D::vec(2.0, 0.0), D::vec(0.0, 0.5)).unwrap();
        run(&mut world, 1.0);
        let body = world.body(pinned).unwrap();
        assert_near(format!("{solver}: pinned"), body.position().to_vec(), D::vec(0.0, 5.0), 1e-6, "m");
        assert_close(solver, D::about_z(body.angular_velocity()), 1.0, 1e-5, "rad/s");
        let body = world.body(upright).unwrap();
        assert_eq!(body.rotation(), D::Rot::IDENTITY, "{solver}: rotation locked");
        let body = world.body(rail).unwrap();
        assert_eq!(body.position().to_vec().get(0), 10.0, "{solver}: x locked");
        assert!(body.position().to_vec().get(1) < 2.0, "{solver}: y free");
    }
}

#[test]
fn locks_hold_2d() {
    locks_hold::<D2>();
}
#[test]
fn locks_hold_3d() {
    locks_hold::<D3>();
}

/// A kinematic body goes where its velocity says and is not pushed; what stands on it is carried along.
fn platform_carries<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let def = BodyDef { linear_velocity: D::vec(0.5, 0.0), ..BodyDef::kinematic(D::point(0.0, 0.0)) };
        let platform = world.create_body_with(def, [ShapeDef::<D>::new(D::block(6.0, 0.5))]).unwrap();
        let rider = add_body(&mut world, 0.0, 0.75, D::cube(1.0));
        run(&mut world, 4.0);
        let [p, r] = [platform, rider].map(|id| world.body(id).unwrap());
        assert_eq!(p.kind(), BodyKind::Kinematic);
        assert_near(solver, p.position().to_vec(), D::vec(2.0, 0.0), 1e-4, "m");
        assert_near(solver, r.linear_velocity(), D::vec(0.5, 0.0), 0.01, "m/s");
        assert!(r.is_awake(), "{solver}: what is carried does not sleep");
    }
}

#[test]
fn platform_carries_2d() {
    platform_carries::<D2>();
}
#[test]
fn platform_carries_3d() {
    platform_carries::<D3>();
}
