//! Settings against their formulas: defaults of shapes, the smoothed speed of sleep, contacts among sleepers, limits of force, and
//! orientations as matrices.

use crate::support::*;
use topple::force::{Anchor, UniformGravity};
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{BodyDef, BodyId, Drag, Locks, Mass, ShapeDef, World, World3};

both! {
    shapes_take_the_defaults_of_the_world, defaults_2d, defaults_3d;
    sleep_follows_the_smoothed_speed, smoothed_sleep_2d, smoothed_sleep_3d;
    a_smoothed_speed_survives_a_snapshot, smoothed_snapshot_2d, smoothed_snapshot_3d;
    sleepers_have_contacts_at_once, sleeping_contacts_2d, sleeping_contacts_3d;
    contacts_found_asleep_hold_when_they_wake, found_asleep_2d, found_asleep_3d;
    a_blow_wakes_a_touching_sleeper, blow_2d, blow_3d;
    forces_are_clamped_to_their_limit, max_force_2d, max_force_3d;
    a_sum_with_generators_is_clamped, max_force_of_generators_2d, max_force_of_generators_3d;
    matrices_turn_by_the_arc_tangent, matrix_rate_2d, matrix_rate_3d;
    matrices_are_deterministic, matrix_hash_2d, matrix_hash_3d;
    the_velocity_given_is_that_of_the_origin, origin_2d, origin_3d;
}

fn shapes_take_the_defaults_of_the_world<D: TestDim>() {
    let mut world = World::<D>::new();
    assert_eq!(world.shape_def(D::cube(1.0)), ShapeDef::new(D::cube(1.0)), "the library's own");
    adjust(&mut world, |s| {
        (s.default_density, s.default_friction, s.default_restitution) = (700.0, 0.3, 0.4);
    });
    let def = world.shape_def(D::cube(2.0));
    assert_eq!((def.density, def.material.friction, def.material.restitution), (700.0, 0.3, 0.4));
    assert_eq!(ShapeDef::<D>::new(D::cube(2.0)).density, 1.0, "a plain definition knows no world");
    let block = world.create_body_with(BodyDef::dynamic(D::point(0.0, 0.0)), [def]).unwrap();
    let volume = (2.0 as Real).powi(D::N as i32);
    assert_close("mass", world.body(block).unwrap().mass(), 700.0 * volume, 1e-2, "kg");
    let mut settings = world.settings().clone();
    settings.default_density = -1.0;
    let error = world.set_settings(settings).unwrap_err().to_string();
    assert!(error.contains("default_density"), "{error}");
}

/// A disc that drag brings to rest.
fn slowing<D: TestDim>(bias: Real) -> (World<D>, BodyId) {
    let mut world = World::<D>::new();
    weightless(&mut world);
    adjust(&mut world, |s| s.sleep_bias = bias);
    let drag = Drag { linear: 6.0, ..Drag::default() };
    let def = BodyDef { drag, linear_velocity: D::vec(3.0, 0.0), ..BodyDef::dynamic(D::point(0.0, 0.0)) };
    let body = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
    (world, body)
}

/// new = bias·old + (1 − bias)·speed, from twice the limit, at most ten limits; asleep when that has been within the limit for
/// `sleep_time`: the step in which the body falls asleep, by the speeds that the world shows.
fn sleep_follows_the_smoothed_speed<D: TestDim>() {
    let mut steps = Vec::new();
    for bias in [0.0, 0.5, 0.9, 0.98] {
        let (mut world, body) = slowing::<D>(bias);
        let settings = world.settings().clone();
        // The smaller of the speed limit and the rate of its size.
        let limit = settings.sleep_speed.min(settings.sleep_rate * 0.5);
        let (mut mean, mut rest, mut count) = (2.0 * limit, 0.0, 0);
        while world.awake_count() > 0 {
            let before = world.body(body).unwrap().linear_velocity().length();
            world.step();
            count += 1;
            assert!(count < 1000, "bias {bias}: it falls asleep");
            // In the step in which it falls asleep its speed is cleared; the last one was as small.
            let now = world.body(body).unwrap().linear_velocity().length();
            let speed = if world.awake_count() > 0 { now } else { before };
            mean = (bias * mean + (1.0 - bias) * speed).min(10.0 * limit);
            rest = if mean <= limit { rest + settings.dt } else { 0.0 };
            assert_eq!(rest >= settings.sleep_time, world.awake_count() == 0, "bias {bias}, step {count}");
        }
        steps.push(count);
    }
    assert!(steps.is_sorted() && steps[3] > steps[0] + 60, "history keeps awake: {steps:?}");
}

fn a_smoothed_speed_survives_a_snapshot<D: TestDim>() {
    let (mut world, _) = slowing::<D>(0.95);
    run(&mut world, 0.6);
    assert_eq!(world.awake_count(), 1, "still on its way");
    let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
    for step in 0..400 {
        world.step();
        copy.step();
        assert_eq!(
            (copy.state_hash(), copy.awake_count()),
            (world.state_hash(), world.awake_count()),
            "{step}"
        );
    }
    assert_eq!(world.awake_count(), 0, "it came to rest on the way");
    assert_eq!(copy.snapshot(), world.snapshot());
}

/// Two boxes created asleep on the floor, one on the other, and one beside them that touches nothing.
fn created_asleep<D: TestDim>(sleeping_contacts: bool) -> (World<D>, [BodyId; 2]) {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping_contacts = sleeping_contacts);
    add_floor(&mut world, 0.5);
    let mut place = |x: Real, y: Real| {
        let def = BodyDef { is_awake: false, ..BodyDef::dynamic(D::point(x, y)) };
        world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap()
    };
    let boxes = [place(0.0, 0.5), place(0.0, 1.5)];
    place(30.0, 6.0);
    (world, boxes)
}

fn touching<D: Dim>(world: &World<D>) -> usize {
    world.contacts().filter(|contact| contact.is_touching()).count()
}

fn sleepers_have_contacts_at_once<D: TestDim>() {
    let (mut world, _) = created_asleep::<D>(false);
    world.step();
    assert_eq!((touching(&world), world.events().begin.len()), (0, 0), "nobody has looked");
    let (mut world, boxes) = created_asleep::<D>(true);
    world.step();
    assert_eq!((touching(&world), world.events().begin.len()), (2, 2), "box on floor, box on box");
    assert_eq!((world.awake_count(), world.sleeping_count()), (0, 3), "nothing wakes by it");
    world.step();
    assert_eq!((touching(&world), world.events().begin.len()), (2, 0), "once is enough");
    let copy = World::<D>::restore(&world.snapshot()).unwrap();
    assert_eq!((touching(&copy), copy.snapshot()), (2, world.snapshot()));
    world.remove_body(boxes[0]).unwrap();
    world.step();
    assert_eq!(world.events().end.len(), 2, "what began ends");
    assert_eq!(world.awake_count(), 1, "the upper one was held by it; the far one was not");
}

/// After waking, contacts found asleep and contacts found on waking are the same world.
fn contacts_found_asleep_hold_when_they_wake<D: TestDim>() {
    let [mut early, mut late] = [true, false].map(|early| created_asleep::<D>(early).0);
    for world in [&mut early, &mut late] {
        run(world, 0.2);
        world.wake_all();
    }
    let mut copy = World::<D>::restore(&early.snapshot()).unwrap();
    for step in 0..200 {
        early.step();
        late.step();
        copy.step();
        assert_eq!(copy.state_hash(), early.state_hash(), "restored, step {step}");
        assert_eq!(early.state_hash(), late.state_hash(), "step {step}");
    }
    assert_eq!(early.profile().counters.islands, late.profile().counters.islands);
    assert!(deepest_overlap(&early) < 0.01, "they hold");
}

/// A sleeper that is found touching, then struck by its neighbour, takes part in the blow.
fn a_blow_wakes_a_touching_sleeper<D: TestDim>() {
    let mut results = Vec::new();
    for sleeping_contacts in [false, true] {
        let mut world = World::<D>::new();
        weightless(&mut world);
        adjust(&mut world, |s| s.sleeping_contacts = sleeping_contacts);
        let [a, b] = [0.0, 1.0].map(|x| {
            let def = BodyDef { is_awake: false, ..BodyDef::dynamic(D::point(x, 0.0)) };
            world.create_body_with(def, [ShapeDef::new(D::ball(0.5)).restitution(1.0)]).unwrap()
        });
        run(&mut world, 0.1);
        world.body_mut(a).unwrap().set_linear_velocity(D::vec(4.0, 0.0)).unwrap();
        assert!(!world.body(b).unwrap().is_awake());
        run(&mut world, 0.1);
        let speeds = [a, b].map(|id| world.body(id).unwrap().linear_velocity().get(0));
        assert_close("the struck ball takes it all", speeds[1], 4.0, 0.05, "m/s");
        results.push(world.state_hash());
    }
    assert_eq!(results[0], results[1], "the same as without the contact of before");
}

/// A body of 2 kg that is pushed and turned beyond the limits: v = dt·F/m and w = dt·T/I, with direction.
fn forces_are_clamped_to_their_limit<D: TestDim>() {
    for solver in methods::<D>("solver") {
        for integrator in methods::<D>("integrator") {
            let mut world = world_with_solver::<D>(solver);
            world.set_integrator_by_name(integrator).unwrap();
            weightless(&mut world);
            let def = BodyDef::dynamic(D::point(0.0, 0.0));
            let ball = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
            let mass = world.body(ball).unwrap().mass();
            let what = |unit: &str| format!("{solver}, {integrator}: {unit}");
            // Within the limits nothing changes.
            let push = D::vec(3.0, -4.0);
            let dt = world.settings().dt;
            let mut kick = |max_force: Real, max_torque: Real, push: D::Vec, turn: Real| {
                adjust(&mut world, |s| (s.max_force, s.max_torque) = (max_force, max_torque));
                let mut body = world.body_mut(ball).unwrap();
                body.set_motion(topple::Motion::ZERO).unwrap();
                body.apply_force(push).unwrap();
                body.apply_torque(D::spin(turn)).unwrap();
                world.step();
                let motion = world.body(ball).unwrap().motion();
                (motion.linear, D::about_z(motion.angular))
            };
            let free = kick(Real::MAX, Real::MAX, push, 2.0);
            assert_near(what("free"), free.0, push * (dt / mass), 1e-5, "m/s");
            let clamped = kick(2.5, 0.5, push, 2.0);
            assert_near(what("half"), clamped.0, free.0 * 0.5, 1e-5, "m/s");
            assert_close(what("quarter"), clamped.1, free.1 * 0.25, 1e-4, "rad/s");
            // Forces whose square is beyond f32 keep their direction too.
            let huge = kick(5.0, 2.0, push * 1e30, 2e30);
            assert_near(what("huge"), huge.0, free.0, 1e-5, "m/s");
            assert_close(what("huge turn"), huge.1, free.1, 1e-4, "rad/s");
        }
    }
}

/// The limit is for the sum of the user's force and the generators'.
fn a_sum_with_generators_is_clamped<D: TestDim>() {
    for integrator in methods::<D>("integrator") {
        let mut world = World::<D>::new();
        world.set_integrator_by_name(integrator).unwrap();
        weightless(&mut world);
        adjust(&mut world, |s| s.max_force = 5.0);
        let body = world.create_body(BodyDef::dynamic(D::point(0.0, 0.0))).unwrap();
        // 1 kg in a field of 8 m/s² along x, pushed along y by 6 N: 10 N together.
        world.add_generator(UniformGravity::new(D::vec(8.0, 0.0))).unwrap();
        world.body_mut(body).unwrap().apply_force(D::vec(0.0, 6.0)).unwrap();
        world.step();
        let dt = world.settings().dt;
        let v = world.body(body).unwrap().linear_velocity();
        assert_near(integrator, v, D::vec(4.0, 3.0) * dt, 1e-5, "m/s");
        // The user's alone is beyond the limit, the generator takes a part of it back: 12 − 8 = 4 N remain.
        world.body_mut(body).unwrap().set_motion(topple::Motion::ZERO).unwrap();
        world.body_mut(body).unwrap().apply_force(D::vec(-12.0, 0.0)).unwrap();
        world.step();
        let v = world.body(body).unwrap().linear_velocity();
        assert_near(integrator, v, D::vec(-4.0, 0.0) * dt, 1e-5, "m/s");
    }
}

/// About a fixed axis of the body, the matrix form turns by atan(h·w) in every sub-step.
fn matrices_turn_by_the_arc_tangent<D: TestDim>() {
    for integrator in methods::<D>("integrator") {
        let mut world = World::<D>::new();
        world.set_integrator_by_name(integrator).unwrap();
        weightless(&mut world);
        adjust(&mut world, |s| (s.matrix_rotation, s.sleeping) = (true, false));
        let def = BodyDef { angular_velocity: D::spin(20.0), ..BodyDef::dynamic(D::point(0.0, 0.0)) };
        let ball = world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap();
        let h = f64::from(world.settings().dt) / f64::from(world.settings().substeps);
        (0..30).for_each(|_| world.step());
        let angle = 120.0 * (20.0 * h).atan();
        let body = world.body(ball).unwrap();
        let expected = D::turn((angle % core::f64::consts::TAU) as Real);
        let away = body.rotation().small_angle_to(expected);
        assert!(away < 2e-4, "{integrator}: {away} rad from {angle}");
        assert_close(integrator, D::about_z(body.angular_velocity()), 20.0, 1e-4, "rad/s");
    }
}

fn matrices_are_deterministic<D: TestDim>() {
    let hash = |solver: &str, threads: usize| {
        let mut world = world_with_solver::<D>(solver);
        adjust(&mut world, |s| s.matrix_rotation = true);
        world.set_executor(std::sync::Arc::new(topple::exec::Pool::new(threads)));
        heap(&mut world, 4);
        run(&mut world, 1.5);
        assert!(deepest_overlap(&world) < 0.05, "{solver}: the heap is a heap");
        let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
        copy.step();
        world.step();
        assert_eq!(copy.state_hash(), world.state_hash(), "{solver}: restored");
        world.state_hash()
    };
    for solver in methods::<D>("solver") {
        assert_eq!(hash(solver, 1), hash(solver, 3), "{solver}");
    }
}

/// A ball of 3D that spins about an axis askew to all of its own; the angle to the exact orientation after a second [rad], and how far
/// its axes are from right angles.
fn askew(integrator: &str, is_matrix: bool, steps: usize) -> (f64, f64) {
    let mut world = World3::new();
    world.set_integrator_by_name(integrator).unwrap();
    adjust(&mut world, |s| {
        s.gravity = Vec3::ZERO;
        (s.matrix_rotation, s.sleeping) = (is_matrix, false);
        (s.dt, s.substeps) = (1.0 / steps as Real, 1);
    });
    let spin = Vec3::new(1.0, 2.0, 3.0);
    let def = BodyDef { angular_velocity: spin, ..BodyDef::dynamic([0.0, 0.0, 0.0]) };
    let ball = world.create_body_with(def, [ShapeDef::new(topple::Shape3::sphere(0.5))]).unwrap();
    (0..steps).for_each(|_| world.step());
    let found = world.body(ball).unwrap().rotation();
    let exact = Quat::from_ang(spin);
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| found.rotate(axis));
    let mut skew: Real = 0.0;
    for i in 0..3 {
        skew = skew.max((axes[i].dot(axes[i]) - 1.0).abs()).max(axes[i].dot(axes[(i + 1) % 3]).abs());
    }
    (f64::from(found.inverse().then_after(exact).to_ang().length()), f64::from(skew))
}

/// First order to the exact rotation, where the exponential is exact up to rounding; right angles either way.
#[test]
fn matrices_converge_to_first_order_and_stay_orthogonal() {
    for integrator in methods::<D3>("integrator") {
        let errors = [64, 128, 256, 512].map(|steps| askew(integrator, true, steps));
        for pair in errors.windows(2) {
            let order = (pair[0].0 / pair[1].0).log2();
            assert!((0.85..1.15).contains(&order), "{integrator}: order {order}, errors {errors:?}");
        }
        let (plain, _) = askew(integrator, false, 512);
        assert!(errors[3].0 > 10.0 * plain, "{integrator}: {errors:?} beside {plain} of the quaternion");
        for (_, skew) in errors {
            assert!(skew < 2e-6, "{integrator}: {skew} from right angles");
        }
    }
}

/// `BodyDef::linear_velocity` is that of the origin of the frame, with shapes or mass aside of it, at once or later; locks hold.
fn the_velocity_given_is_that_of_the_origin<D: TestDim>() {
    let def = BodyDef {
        linear_velocity: D::vec(1.0, 2.0),
        angular_velocity: D::spin(3.0),
        ..BodyDef::dynamic(D::point(5.0, 5.0))
    };
    let aside = || ShapeDef::new(D::ball(0.5)).at(Pose { position: D::point(2.0, 0.0), ..Pose::IDENTITY });
    let mut world = World::<D>::new();
    weightless(&mut world);
    let at_once = world.create_body_with(def.clone(), [aside()]).unwrap();
    let later = world.create_body(def.clone()).unwrap();
    world.add_shape(later, aside()).unwrap();
    let own = Mass::<D> { center: D::vec(2.0, 0.0), ..D::ball(0.5).mass(1.0) };
    let given = world.create_body(BodyDef { mass: Some(own), ..def.clone() }).unwrap();
    for id in [at_once, later, given] {
        let body = world.body(id).unwrap();
        assert_near("origin", body.velocity_at(D::point(5.0, 5.0)), D::vec(1.0, 2.0), 1e-6, "m/s");
        // ω × (2, 0) = (0, 6).
        assert_near("centre", body.linear_velocity(), D::vec(1.0, 8.0), 1e-6, "m/s");
    }
    let pinned = BodyDef { locks: Locks::PINNED, linear_velocity: D::Vec::ZERO, ..def };
    let pinned = world.create_body_with(pinned, [aside()]).unwrap();
    assert_eq!(world.body(pinned).unwrap().linear_velocity(), D::Vec::ZERO, "the centre is fixed");
    run(&mut world, 1.0);
    assert_near("place", world.body(pinned).unwrap().center().to_vec(), D::vec(7.0, 5.0), 0.0, "m");
}

/// A solver that leaves nonsense where the world looks for impulses, and moves bodies properly.
struct Nonsense(Real);

impl<D: Dim> topple::solver::Solver<D> for Nonsense {
    fn name(&self) -> &'static str {
        "nonsense"
    }

    fn solve(&mut self, context: &mut topple::solver::SolverContext<'_, D>) {
        context.integrate_velocities(context.dt);
        context.integrate_positions(context.dt);
        context.impulse_time = self.0;
        let contacts: Vec<u32> = context.contact_order().collect();
        for index in contacts {
            let manifold = &mut context.contacts[index as usize].manifold;
            manifold.points_mut().iter_mut().for_each(|point| point.normal_impulse = self.0);
            manifold.twist_impulse = self.0;
        }
        let joints: Vec<u32> = context.joint_order().collect();
        for index in joints {
            context.joints[index as usize].impulses = [self.0; topple::joint::MAX_ROWS];
            context.joints[index as usize].push.set(0, self.0);
        }
    }
}

both! { nonsense_does_not_spread, nonsense_2d, nonsense_3d; }

fn nonsense_does_not_spread<D: TestDim>() {
    for nonsense in [Real::NAN, Real::INFINITY, -1.0] {
        let mut world = World::<D>::new();
        // Solvers do not see what sleeps.
        adjust(&mut world, |s| s.sleeping = false);
        add_floor(&mut world, 0.5);
        let boxes = [0.5, 1.5].map(|y| add_body(&mut world, 0.0, y, D::cube(1.0)));
        let bob = add_body(&mut world, 5.0, 2.0, D::ball(0.5));
        let hook = world.create_body(BodyDef::fixed(D::point(5.0, 3.0))).unwrap();
        let joint = topple::JointDef::ball(&world, hook, bob, D::point(5.0, 3.0)).unwrap();
        let joint = world.create_joint(joint).unwrap();
        run(&mut world, 0.5);
        world.set_solver(Nonsense(nonsense));
        world.step();
        for contact in world.contacts() {
            assert!(contact.normal_force().is_finite() && contact.normal_force() >= 0.0, "{nonsense}");
        }
        assert!(world.joint(joint).unwrap().force().is_finite(), "{nonsense}");
        assert!(
            World::<D>::restore_with(&world.snapshot(), &mut |world, _, _| world
                .set_solver(Nonsense(nonsense)))
            .is_ok()
        );
        world.set_solver_by_name("soft-step").unwrap();
        run(&mut world, 1.0);
        assert!(world.events().fault.is_empty());
        for (id, y) in boxes.into_iter().zip([0.5, 1.5]) {
            assert_close("stands", world.body(id).unwrap().position().to_vec().get(1), y, 0.02, "m");
        }
        assert_near("hangs", world.body(bob).unwrap().center().to_vec(), D::vec(5.0, 2.0), 0.02, "m");
    }
}

/// An anchor on a body that goes takes its generator along, and only that one.
#[test]
fn generators_go_with_the_bodies_they_name() {
    let mut world = World::<D2>::new();
    let bodies: Vec<_> =
        (0..100).map(|i| add_body(&mut world, i as Real * 3.0, 0.0, D2::ball(0.5))).collect();
    for pair in bodies.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(Anchor::body);
        world.add_generator(topple::force::Spring::new(a, b, 1.0, 3.0)).unwrap();
    }
    let mut copy = World::<D2>::restore(&world.snapshot()).unwrap();
    for world in [&mut world, &mut copy] {
        world.remove_body(bodies[50]).unwrap();
        assert_eq!(world.generator_count(), 97);
        world.remove_body(bodies[0]).unwrap();
        assert_eq!(world.generator_count(), 96);
        world.step();
    }
    assert_eq!(copy.state_hash(), world.state_hash());
}
