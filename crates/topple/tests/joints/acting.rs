//! What acts along the freedom of a joint: parts switched off, motors against their own limits, limits that end at half a turn, and
//! levers that must not matter.

use crate::support::*;
use core::f32::consts::PI;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, D2, D3, Dim, JointDef, JointId, Settings, World};

/// An arm on a hinge, with a load a hundred times heavier at its end: small steps.
fn loaded_arm<D: TestDim>(kind: Hinge) -> (World<D>, JointId) {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let arm = body(&mut world, 0.5, 0.0, 1.0, 0.1);
    let load = body(&mut world, 1.0, 0.0, 100.0, 10.0);
    let joint = hinge(&mut world, wall, arm, 0.0, 0.0, kind);
    join(&mut world, arm, load, 1.0, 0.0, JointKind::Ball(Ball::default()));
    (world, joint)
}

/// What is switched off leaves nothing behind: stored impulses stay finite, and it starts anew when it is switched on.
fn switched_off<D: TestDim>() {
    let limits = Some(Limits::new(-0.1, 0.1));
    let motor = Some(Motor::Velocity { speed: 0.0, max: 3.0 });
    let spring = Some(Spring { rest: 0.0, hertz: 2.0, damping: 0.5 });
    for (motor, spring) in [(motor, None), (None, spring)] {
        let what = format!("{motor:?}, {spring:?}, {}D", D::N);
        let (mut world, joint) = loaded_arm::<D>(Hinge { limits, motor, spring });
        run(&mut world, 0.25);
        world
            .joint_mut(joint)
            .unwrap()
            .set_kind(JointKind::Hinge(Hinge { limits, ..Hinge::default() }))
            .unwrap();
        run(&mut world, 5.0);
        let again = World::<D>::restore(&world.snapshot()).unwrap();
        assert_eq!(again.state_hash(), world.state_hash(), "{what}");
        let before = energy(&world);
        world.joint_mut(joint).unwrap().set_kind(JointKind::Hinge(Hinge { limits, motor, spring })).unwrap();
        run(&mut world, 0.25);
        assert!(energy(&world) < before + 1.0, "{what}: {before} J, then {} J", energy(&world));
    }
}

/// A cart on a rail, without gravity: the farthest translations it reached [m].
fn cart_range<D: TestDim>(kind: Slider, seconds: f32) -> (World<D>, JointId, [f32; 2]) {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let cart = body(&mut world, 0.0, 0.0, 1.7, 0.2);
    let joint = join(&mut world, wall, cart, 0.0, 0.0, JointKind::Slider(kind));
    let range = range_of(&mut world, seconds, |world| world.joint(joint).unwrap().translation());
    (world, joint, range)
}

fn range_of<D: Dim>(world: &mut World<D>, seconds: f32, value: impl Fn(&World<D>) -> f32) -> [f32; 2] {
    let mut range = [0.0_f32; 2];
    for _ in 0..(seconds / world.settings().dt).round() as u32 {
        world.step();
        let x = value(world);
        range = [range[0].min(x), range[1].max(x)];
    }
    range
}

/// However strong, a motor stops at the limits of its joint and holds there without force.
fn motor_and_limits<D: TestDim>() {
    let limits = Some(Limits::new(-1.0, 2.0));
    let inf = f32::INFINITY;
    let servo = |target: f32, hertz: f32| Motor::Position { target, hertz, damping: 1.0, max: inf };
    let motors = [
        Motor::Velocity { speed: 1.0, max: inf },
        Motor::Velocity { speed: 5.0, max: 1e6 },
        Motor::Velocity { speed: 300.0, max: inf },
        Motor::Velocity { speed: 2.0, max: 3.0 },
        servo(5.0, 3.0),
        servo(9.0, 60.0),
    ];
    for motor in motors {
        let what = format!("{motor:?}, {}D", D::N);
        let (world, joint, range) =
            cart_range::<D>(Slider { limits, motor: Some(motor), spring: None }, 10.0);
        // A servo of a quarter of the sub-step rate comes too fast to be stopped at once.
        let slop = if motor == servo(9.0, 60.0) { 0.02 } else { 0.005 };
        assert!(range[1] < 2.0 + slop && range[0] > -1.0 - slop, "{what}: {range:?} m");
        let joint = world.joint(joint).unwrap();
        close(&format!("{what}: end [m]"), joint.translation(), 2.0, 2e-3);
        close(&format!("{what}: force [N]"), joint.force().length(), 0.0, 0.05);
    }
    let spin = Some(Motor::Velocity { speed: 4.0, max: 1e4 });
    for (limits, end) in [(Limits::new(-0.5, 0.5), 0.5), (Limits::new(0.2, 0.2), 0.2)] {
        let what = format!("hinge, {limits:?}, {}D", D::N);
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let wheel = body(&mut world, 0.0, 0.0, 1.0, 0.3);
        let kind = Hinge { limits: Some(limits), motor: spin, spring: None };
        let joint = hinge(&mut world, wall, wheel, 0.0, 0.0, kind);
        let range = range_of(&mut world, 5.0, |world| world.joint(joint).unwrap().angle());
        assert!(range[1] < end + 0.005, "{what}: {range:?} rad");
        let joint = world.joint(joint).unwrap();
        close(&format!("{what}: end [rad]"), joint.angle(), end, 2e-3);
        close(&format!("{what}: torque [N·m]"), D::z_of(joint.torque()), 0.0, 0.05);
    }
}

/// A wheel on a hinge that stands at `start` [rad].
fn turned_wheel<D: TestDim>(start: f32, kind: Hinge) -> (World<D>, BodyId, JointId) {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let wheel = body(&mut world, 0.0, 0.0, 1.0, 0.3);
    let turned = D::Rot::from_ang(D::about_z(start)).then_after(D::hinge_frame());
    let frame = |rotation: D::Rot| Pose { position: at::<D>(0.0, 0.0), rotation };
    let def = JointDef {
        local_a: frame(D::hinge_frame()),
        local_b: frame(turned),
        ..JointDef::new(wall, wheel, JointKind::Hinge(kind))
    };
    let joint = world.create_joint(def).unwrap();
    (world, wheel, joint)
}

/// Limits that end at half a turn hold there; those of the whole circle hold nothing.
fn half_turns<D: TestDim>() {
    let motor = |speed: f32| Some(Motor::Velocity { speed, max: 4.0 });
    for (lower, upper, start, speed) in [
        (2.8, PI, 3.0, 3.0),
        (2.8, PI, 0.0, 3.0),
        (2.8, PI, 3.0, 0.0),
        (-PI, -2.8, -3.0, -3.0),
        (-PI, 1.0, 0.0, -3.0),
    ] {
        let what = format!("{lower}..{upper} from {start}, {speed} rad/s, {}D", D::N);
        let kind = Hinge { limits: Some(Limits::new(lower, upper)), motor: motor(speed), spring: None };
        let (mut world, wheel, joint) = turned_wheel::<D>(start, kind);
        run(&mut world, 4.0);
        let middle = 0.5 * (lower + upper);
        for _ in 0..60 {
            world.step();
            let mut angle = world.joint(joint).unwrap().angle();
            angle -= 2.0 * PI * ((angle - middle) / (2.0 * PI)).round();
            assert!(angle > lower - 0.01 && angle < upper + 0.01, "{what}: at {angle}");
        }
        let spin = D::z_of(world.body(wheel).unwrap().angular_velocity());
        close(&format!("{what}: spin [rad/s]"), spin, 0.0, 0.02);
        close(&format!("{what}: torque [N·m]"), D::z_of(world.joint(joint).unwrap().torque()), 0.0, 0.05);
    }
    let kind = Hinge { limits: Some(Limits::new(-PI, PI)), motor: motor(3.0), spring: None };
    let (mut world, wheel, _) = turned_wheel::<D>(0.0, kind);
    run(&mut world, 5.0);
    near("spin through [rad/s]", D::z_of(world.body(wheel).unwrap().angular_velocity()), 3.0, 1e-3);
}

#[test]
fn twist_limits_may_end_at_half_a_turn() {
    let mut world = weightless::<D3>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.0, 1.0, 0.3);
    let kind = Ball { cone: None, twist: Some(Limits::new(2.8, PI)) };
    let turned = RotOps::<D3>::from_ang(Vec3::X * 3.0);
    let local_b = Pose { position: at::<D3>(0.0, 0.0), rotation: turned };
    let def = JointDef { local_b, ..JointDef::new(wall, bob, JointKind::Ball(kind)) };
    world.create_joint(def).unwrap();
    let mut turn = 0.0;
    for _ in 0..240 {
        world.body_mut(bob).unwrap().apply_torque(Vec3::X * 2.0).unwrap();
        world.step();
        turn += world.body(bob).unwrap().angular_velocity().x * world.settings().dt;
    }
    close("turned up to the limit [rad]", turn, PI - 3.0, 0.02);
}

/// Mean frequency of the joint's value about `rest` over 8 s [Hz].
fn frequency<D: Dim>(world: &mut World<D>, rest: f32, value: impl Fn(&World<D>) -> f32) -> f32 {
    let steps = (8.0 / world.settings().dt) as u32;
    let mut samples = Vec::new();
    for _ in 0..steps {
        world.step();
        samples.push(value(world) - rest);
    }
    1.0 / period(&samples, world.settings().dt)
}

/// Springs have their frequency wherever the anchors are.
fn levers_of_springs<D: TestDim>() {
    let spring = Some(Spring { rest: 0.1, hertz: 1.0, damping: 0.0 });
    for lever in [0.0, 0.5, 3.0, 10.0] {
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let door = body(&mut world, lever, 0.0, 2.0, 2.0 / 12.0);
        let joint = hinge(&mut world, wall, door, 0.0, 0.0, Hinge { spring, ..Hinge::default() });
        let found = frequency(&mut world, 0.1, |world| world.joint(joint).unwrap().angle());
        near(&format!("hinge, lever {lever} m, {}D [Hz]", D::N), found, 1.0, 0.01);
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let cart = body(&mut world, 0.0, 0.0, 2.0, 0.3);
        let kind = JointKind::Slider(Slider { spring, ..Slider::default() });
        let joint = join(&mut world, wall, cart, 0.0, lever, kind);
        let found = frequency(&mut world, 0.1, |world| world.joint(joint).unwrap().translation());
        near(&format!("slider, lever {lever} m, {}D [Hz]", D::N), found, 1.0, 0.01);
    }
}

/// A small ball on a long arm: motor, limits, spring and servo do what they do to any other body.
fn arms<D: TestDim>() {
    let arm = 0.5;
    for radius in [0.01, 0.03, 0.05_f32] {
        let what = |part: &str| format!("{part}, radius {radius} m, {}D", D::N);
        let made = |world: World<D>, kind: Hinge| {
            let mut world = world;
            let wall = ground(&mut world);
            let ball = body(&mut world, arm, 0.0, 1.0, 0.4 * radius * radius);
            let joint = hinge(&mut world, wall, ball, 0.0, 0.0, kind);
            (world, ball, joint)
        };
        let motor = Some(Motor::Velocity { speed: 2.0, max: 20.0 });
        let (mut moved, ball, joint) = made(world(), Hinge { motor, ..Hinge::default() });
        run(&mut moved, 3.0);
        near(&what("spin [rad/s]"), D::z_of(moved.body(ball).unwrap().angular_velocity()), 2.0, 0.01);
        assert!(gap(&moved, joint) < 1e-3, "{}", what("motor"));

        let limits = Some(Limits::new(-0.3, 0.3));
        let (mut held, ball, joint) = made(world(), Hinge { limits, ..Hinge::default() });
        run(&mut held, 3.0);
        close(&what("angle at the limit [rad]"), held.joint(joint).unwrap().angle(), -0.3, 2e-3);
        close(
            &what("spin at the limit [rad/s]"),
            D::z_of(held.body(ball).unwrap().angular_velocity()),
            0.0,
            1e-2,
        );
        let torque = G * arm * sin_cos(0.3).1;
        near(&what("torque of the limit [N·m]"), D::z_of(held.joint(joint).unwrap().torque()), torque, 0.01);

        let spring = Some(Spring { rest: 0.2, hertz: 2.0, damping: 0.0 });
        let (mut free, _, joint) = made(weightless::<D>(), Hinge { spring, ..Hinge::default() });
        let found = frequency(&mut free, 0.2, |world| world.joint(joint).unwrap().angle());
        near(&what("spring [Hz]"), found, 2.0, 0.01);

        let hertz = 3.0;
        let motor = Some(Motor::Position { target: 0.0, hertz, damping: 1.0, max: f32::INFINITY });
        let (mut sagged, _, joint) = made(world(), Hinge { motor, ..Hinge::default() });
        run(&mut sagged, 3.0);
        let omega = 2.0 * PI * hertz;
        let sag = G * arm / ((arm * arm + 0.4 * radius * radius) * omega * omega);
        near(&what("sag of a servo [rad]"), -sagged.joint(joint).unwrap().angle(), sag, 0.02);
    }
}

/// Motors and mice want no more than the largest speed, and what is no place on earth is refused.
fn speeds<D: TestDim>() {
    let most = Settings::<D>::default().max_speed;
    for motor in [
        Motor::Velocity { speed: 20_000.0, max: f32::INFINITY },
        Motor::Position { target: 1e9, hertz: 5.0, damping: 0.0, max: f32::INFINITY },
    ] {
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let cart = body(&mut world, 0.0, 0.0, 1.7, 0.2);
        let kind = JointKind::Slider(Slider { motor: Some(motor), ..Slider::default() });
        join(&mut world, wall, cart, 0.0, 0.0, kind);
        for _ in 0..120 {
            world.step();
            let speed = world.body(cart).unwrap().linear_velocity().length();
            // The pull of one sub-step comes on top.
            assert!(speed <= 1.15 * most, "{motor:?}, {}D: {speed} m/s", D::N);
        }
    }
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.0, 1.0, 0.1);
    join(&mut world, wall, bob, 0.0, 0.0, JointKind::Mouse(Mouse::to(at::<D>(1e10, 0.0))));
    for _ in 0..120 {
        world.step();
        let speed = world.body(bob).unwrap().linear_velocity().length();
        assert!(speed <= 1.05 * most, "mouse, {}D: {speed} m/s", D::N);
    }
    let servo = |target: f32| Motor::Position { target, hertz: 1.0, damping: 1.0, max: 1.0 };
    let refused: [JointKind<D>; 6] = [
        JointKind::Mouse(Mouse::to(at::<D>(1e30, 0.0))),
        JointKind::Slider(Slider { motor: Some(servo(1e30)), ..Slider::default() }),
        JointKind::Slider(Slider {
            motor: Some(Motor::Velocity { speed: 1e30, max: 1.0 }),
            ..Slider::default()
        }),
        JointKind::Slider(Slider { limits: Some(Limits::new(0.0, 1e30)), ..Slider::default() }),
        JointKind::Hinge(Hinge { motor: Some(servo(1e30)), ..Hinge::default() }),
        JointKind::Motor(Drive { velocity: D::xy(1e30, 0.0), ..Drive::default() }),
    ];
    for kind in refused {
        assert!(kind.validate().is_err(), "{kind:?}");
    }
}

/// A load on a lift that goes up faster and faster: the force, and what is told of it, are the same for every number of sub-steps.
fn reactions_of_a_lift<D: TestDim>() {
    let rise = 2.0;
    for (substeps, max_force) in [(1, 12.5), (2, 12.5), (4, 12.5), (8, 12.5), (4, 11.0)] {
        let what = format!("{substeps} sub-steps, {}D", D::N);
        let settings = Settings { sleeping: false, substeps, ..Settings::default() };
        let mut world = World::<D>::with_settings(settings).unwrap();
        let lift = BodyDef { kind: BodyKind::Kinematic, ..BodyDef::dynamic(at::<D>(0.0, 0.0)) };
        let lift = world.create_body(lift).unwrap();
        let load = body(&mut world, 0.0, -0.5, 1.0, 0.1);
        let frame = Pose { position: at::<D>(0.0, 0.0), rotation: D::hinge_frame() };
        let def = JointDef::at(&world, lift, load, JointKind::Fixed, frame).unwrap();
        let joint = world.create_joint(JointDef { max_force, ..def }).unwrap();
        let (dt, mut told) = (world.settings().dt, 0);
        for step in 1..=120 {
            world.body_mut(lift).unwrap().set_linear_velocity(D::xy(0.0, rise * dt * step as f32)).unwrap();
            world.step();
            if step <= 30 {
                // The load is still being caught.
                continue;
            }
            let force = world.joint(joint).unwrap().force().length();
            near(&format!("{what}: force [N]"), force, G + rise, 0.01);
            for event in &world.events().joint {
                near(&format!("{what}: force told [N]"), event.force, G + rise, 0.01);
                told += 1;
            }
        }
        assert_eq!(told, if max_force < 11.8 { 90 } else { 0 }, "{what}");
    }
}

both! {
    switched_off, what_is_switched_off_leaves_nothing_2d, what_is_switched_off_leaves_nothing_3d;
    motor_and_limits, motors_stop_at_their_limits_2d, motors_stop_at_their_limits_3d;
    half_turns, limits_may_end_at_half_a_turn_2d, limits_may_end_at_half_a_turn_3d;
    levers_of_springs, springs_have_their_frequency_off_the_centre_2d, springs_have_their_frequency_off_the_centre_3d;
    arms, small_bodies_on_long_arms_2d, small_bodies_on_long_arms_3d;
    reactions_of_a_lift, reactions_are_means_over_the_step_2d, reactions_are_means_over_the_step_3d;
    speeds, joints_know_the_largest_speed_2d, joints_know_the_largest_speed_3d;
}
