//! Motors against a = τ/I, springs against f and ζ, limits.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, D2, D3, JointDef, JointId, World};

/// A flywheel on a hinge at its centre, without gravity.
fn flywheel<D: TestDim>(inertia: f32, kind: Hinge) -> (World<D>, BodyId, JointId) {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let wheel = body(&mut world, 0.0, 0.0, 2.0, inertia);
    let joint = hinge(&mut world, wall, wheel, 0.0, 0.0, kind);
    (world, wheel, joint)
}

/// A cart on a rail along x, without gravity.
fn cart<D: TestDim>(mass: f32, kind: Slider) -> (World<D>, BodyId, JointId) {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let cart = body(&mut world, 0.0, 0.0, mass, 0.2);
    let joint = join(&mut world, wall, cart, 0.0, 0.0, JointKind::Slider(kind));
    (world, cart, joint)
}

fn motors<D: TestDim>() {
    let (inertia, torque) = (0.4, 2.0);
    let motor = Some(Motor::Velocity { speed: 10.0, max: torque });
    let (mut world, wheel, joint) = flywheel::<D>(inertia, Hinge { motor, ..Hinge::default() });
    run(&mut world, 1.0);
    let spin = D::z_of(world.body(wheel).unwrap().angular_velocity());
    near("spin after 1 s at full torque [rad/s]", spin, torque / inertia, 1e-3);
    near("torque of the motor [N·m]", D::z_of(world.joint(joint).unwrap().torque()), torque, 1e-3);
    run(&mut world, 2.0);
    let spin = D::z_of(world.body(wheel).unwrap().angular_velocity());
    near("spin in the end [rad/s]", spin, 10.0, 1e-3);
    close("torque in the end [N·m]", D::z_of(world.joint(joint).unwrap().torque()), 0.0, 1e-3);

    let motor = Some(Motor::Velocity { speed: -3.0, max: 6.0 });
    let (mut world, body, joint) = cart::<D>(3.0, Slider { motor, ..Slider::default() });
    run(&mut world, 0.5);
    near("speed at full force [m/s]", world.body(body).unwrap().linear_velocity().get(0), -1.0, 1e-3);
    near("force of the motor [N]", world.joint(joint).unwrap().force().get(0), -6.0, 1e-3);
    run(&mut world, 2.0);
    near("speed in the end [m/s]", world.body(body).unwrap().linear_velocity().get(0), -3.0, 1e-3);
    world.joint_mut(joint).unwrap().set_motor_target(1.0).unwrap();
    run(&mut world, 3.0);
    near("new speed [m/s]", world.body(body).unwrap().linear_velocity().get(0), 1.0, 1e-3);
}

#[test]
fn motors_2d() {
    motors::<D2>();
}

#[test]
fn motors_3d() {
    motors::<D3>();
}

fn servos<D: TestDim>() {
    let servo = |target: f32| Motor::Position { target, hertz: 3.0, damping: 1.0, max: 4.0 };
    let (mut world, wheel, joint) = flywheel::<D>(0.5, Hinge { motor: Some(servo(2.0)), ..Hinge::default() });
    run(&mut world, 0.1);
    let spin = D::z_of(world.body(wheel).unwrap().angular_velocity());
    near("spin under bounded torque [rad/s]", spin, 4.0 / 0.5 * 0.1, 1e-2);
    run(&mut world, 4.0);
    close("angle [rad]", world.joint(joint).unwrap().angle(), 2.0, 1e-3);
    world.joint_mut(joint).unwrap().set_motor_target(-3.0).unwrap();
    run(&mut world, 5.0);
    close("angle across the back [rad]", world.joint(joint).unwrap().angle(), -3.0, 1e-3);

    let (mut world, _, joint) = cart::<D>(2.0, Slider { motor: Some(servo(0.7)), ..Slider::default() });
    run(&mut world, 5.0);
    close("translation [m]", world.joint(joint).unwrap().translation(), 0.7, 1e-3);
}

#[test]
fn servos_2d() {
    servos::<D2>();
}

#[test]
fn servos_3d() {
    servos::<D3>();
}

/// Samples `value` for 4 s, and checks period and decay of an oscillation of `hertz` and damping ratio `zeta`.
pub(crate) fn check_oscillation<D: TestDim>(
    what: &str,
    world: &mut World<D>,
    hertz: f32,
    zeta: f32,
    value: impl Fn(&World<D>) -> f32,
) {
    let start = value(world);
    let mut samples = vec![start];
    for _ in 0..(8.0 / hertz * 60.0) as u32 {
        world.step();
        samples.push(value(world));
    }
    let damped = hertz * (1.0 - zeta * zeta).sqrt();
    let got = period(&samples, 1.0 / 60.0);
    near(&format!("{what}: period [s]"), got, 1.0 / damped, 0.01);
    // Amplitude after five periods: the envelope e^(−ζωt), read at the largest sample of the sixth.
    let per_period = 60.0 / damped;
    let window = |n: f32| (n * per_period) as usize..((n + 1.0) * per_period) as usize;
    let peak = |range: core::ops::Range<usize>| samples[range].iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let (first, sixth) = (peak(window(0.5)), peak(window(5.5)));
    let omega = 2.0 * std::f64::consts::PI * f64::from(hertz);
    let expected = (-f64::from(zeta) * omega * 5.0 / f64::from(damped)).exp() as f32;
    println!("{what} {}D: period {got} ({}), decay {} ({expected})", D::N, 1.0 / damped, sixth / first);
    close(&format!("{what}: decay over five periods"), sixth / first, expected, 0.02);
}

fn springs<D: TestDim>() {
    for zeta in [0.0, 0.05, 0.2] {
        let spring = |rest: f32, hertz: f32| Some(Spring { rest, hertz, damping: zeta });
        let (mut world, wheel, joint) =
            flywheel::<D>(0.4, Hinge { spring: spring(0.0, 2.0), ..Hinge::default() });
        world.body_mut(wheel).unwrap().set_angular_velocity(D::about_z(5.0)).unwrap();
        check_oscillation("hinge spring", &mut world, 2.0, zeta, |w| w.joint(joint).unwrap().angle());

        let (mut world, body, joint) =
            cart::<D>(2.0, Slider { spring: spring(0.0, 1.0), ..Slider::default() });
        world.body_mut(body).unwrap().set_linear_velocity(D::xy(2.0, 0.0)).unwrap();
        check_oscillation("slider spring", &mut world, 1.0, zeta, |w| w.joint(joint).unwrap().translation());

        // k/m = (2π·1.5)², c = 2·ζ·√(k·m); a spring along x, started stretched.
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let m = 0.7;
        let bob = crate::support::body(&mut world, 1.3, 0.0, m, 0.1);
        let k = m * (2.0 * core::f32::consts::PI * 1.5) * (2.0 * core::f32::consts::PI * 1.5);
        let c = 2.0 * zeta * (k * m).sqrt();
        let kind = JointKind::Spring(SpringDamper { stiffness: k, damping: c, rest_length: 1.0 });
        let anchors = [at::<D>(0.0, 0.0), at::<D>(1.3, 0.0)];
        let joint = world.create_joint(JointDef::between(&world, wall, bob, anchors, kind).unwrap()).unwrap();
        check_oscillation("spring-damper", &mut world, 1.5, zeta, |w| w.joint(joint).unwrap().length() - 1.0);

        let kind = JointKind::Distance(Distance { spring: spring(1.0, 1.5), ..Distance::default() });
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let bob = crate::support::body(&mut world, 1.3, 0.0, m, 0.1);
        let joint = world.create_joint(JointDef::between(&world, wall, bob, anchors, kind).unwrap()).unwrap();
        check_oscillation("distance spring", &mut world, 1.5, zeta, |w| {
            w.joint(joint).unwrap().length() - 1.0
        });

        let kind = JointKind::Wheel(Wheel { spring: spring(0.0, 1.5), ..Wheel::default() });
        let mut world = weightless::<D>();
        let wall = ground(&mut world);
        let wheel = crate::support::body(&mut world, 0.0, 0.0, m, 0.1);
        let joint = join(&mut world, wall, wheel, 0.0, 0.0, kind);
        world.body_mut(wheel).unwrap().set_linear_velocity(D::xy(1.0, 0.0)).unwrap();
        check_oscillation("suspension", &mut world, 1.5, zeta, |w| w.joint(joint).unwrap().translation());
    }
}

#[test]
fn springs_2d() {
    springs::<D2>();
}

#[test]
fn springs_3d() {
    springs::<D3>();
}

/// A hanging weight stretches a real spring by m·g/k; absurd stiffness stays finite and comes to rest.
fn static_stretch<D: TestDim>() {
    for k in [50.0, 5e3, 1e8] {
        let mut world = world::<D>();
        let wall = ground(&mut world);
        let bob = body(&mut world, 0.0, -1.0, 2.0, 0.1);
        let c = 2.0 * (k * 2.0_f32).sqrt() * 0.5;
        let kind = JointKind::Spring(SpringDamper { stiffness: k, damping: c, rest_length: 1.0 });
        let anchors = [at::<D>(0.0, 0.0), at::<D>(0.0, -1.0)];
        let joint = world.create_joint(JointDef::between(&world, wall, bob, anchors, kind).unwrap()).unwrap();
        run(&mut world, 8.0);
        close(
            "stretch [m]",
            world.joint(joint).unwrap().length() - 1.0,
            2.0 * G / k,
            1e-4 + 0.005 * 2.0 * G / k,
        );
        near("force of the spring [N]", world.joint(joint).unwrap().force().get(1), 2.0 * G, 0.005);
    }
}

#[test]
fn static_stretch_2d() {
    static_stretch::<D2>();
}

#[test]
fn static_stretch_3d() {
    static_stretch::<D3>();
}

/// A rod falls on its stop and rests there.
fn limits<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let flap = body(&mut world, 0.5, 0.0, 2.0, 0.1);
    let limits = Some(Limits::new(-0.4, 0.9));
    let stop = hinge(&mut world, wall, flap, 0.0, 0.0, Hinge { limits, ..Hinge::default() });
    let mut lowest = 0.0_f32;
    for _ in 0..300 {
        world.step();
        lowest = lowest.min(world.joint(stop).unwrap().angle());
    }
    println!("hinge limit {}D: lowest {lowest}", D::N);
    close("lowest angle [rad]", lowest, -0.4, 5e-3);
    close("angle at rest [rad]", world.joint(stop).unwrap().angle(), -0.4, 1e-3);
    let torque = 2.0 * G * 0.5 * sin_cos(0.4).1;
    near("torque of the stop [N·m]", D::z_of(world.joint(stop).unwrap().torque()), torque, 0.005);
    world.joint_mut(stop).unwrap().set_limits(None).unwrap();
    run(&mut world, 0.5);
    assert!(world.joint(stop).unwrap().angle() < -0.5, "free again");

    let mut world = crate::support::world::<D>();
    let wall = ground(&mut world);
    let lift = body(&mut world, 0.0, 0.0, 2.0, 0.1);
    let frame = Pose { position: at::<D>(0.0, 0.0), rotation: D::frame_along(D::xy(0.0, 1.0)) };
    let kind = JointKind::Slider(Slider { limits: Some(Limits::new(-0.5, 0.5)), ..Slider::default() });
    let joint = world.create_joint(JointDef::at(&world, wall, lift, kind, frame).unwrap()).unwrap();
    run(&mut world, 3.0);
    close("the lift stands on its lower stop [m]", world.joint(joint).unwrap().translation(), -0.5, 1e-3);
    near("the stop carries it [N]", world.joint(joint).unwrap().force().get(1), 2.0 * G, 0.005);
    world.body_mut(lift).unwrap().set_linear_velocity(D::xy(0.0, 20.0)).unwrap();
    let mut highest = 0.0_f32;
    for _ in 0..30 {
        world.step();
        highest = highest.max(world.joint(joint).unwrap().translation());
    }
    close("the upper stop holds a fast lift [m]", highest, 0.5, 5e-3);

    let kind = JointKind::Distance(Distance { min: 0.5, max: 1.0, spring: None });
    let mut world = crate::support::world::<D>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.7, 1.0, 0.1);
    let anchors = [at::<D>(0.0, 0.0), at::<D>(0.0, 0.7)];
    let joint = world.create_joint(JointDef::between(&world, wall, bob, anchors, kind).unwrap()).unwrap();
    for _ in 0..600 {
        world.step();
        let length = gap(&world, joint);
        assert!(length > 0.5 - 5e-3 && length < 1.0 + 5e-3, "length {length}");
    }
}

#[test]
fn limits_2d() {
    limits::<D2>();
}

#[test]
fn limits_3d() {
    limits::<D3>();
}

#[test]
fn cone_and_twist_hold_in_3d() {
    let mut world = world::<D3>();
    let wall = ground(&mut world);
    let kind = JointKind::Ball(Ball { cone: Some(0.5), twist: Some(Limits::new(-0.3, 0.2)) });
    let arm = body(&mut world, 1.0, 0.0, 1.0, 0.1);
    let joint = join(&mut world, wall, arm, 0.0, 0.0, kind);
    world.body_mut(arm).unwrap().set_angular_velocity(Vec3::new(8.0, 3.0, 0.0)).unwrap();
    let (mut swing, mut twist) = (0.0_f32, (0.0_f32, 0.0_f32));
    for _ in 0..600 {
        world.step();
        let view = world.joint(joint).unwrap();
        let [a, b] = view.frames().map(|f| RotOps::<D3>::rotate(f.rotation, Vec3::X));
        swing = swing.max(acos(a.dot(b)));
        twist = (twist.0.min(view.angle()), twist.1.max(view.angle()));
        // Hitting the cone at 3 rad/s is a blow of 3 N·s on a lever of 1 m.
        assert!(gap(&world, joint) < 0.015, "gap {}", gap(&world, joint));
    }
    println!("cone: swing {swing}, twist {twist:?}");
    close("largest swing [rad]", swing, 0.5, 0.01);
    assert!(twist.0 > -0.31 && twist.1 < 0.21, "twist {twist:?}");
    assert!(twist.1 > 0.19, "the twist reaches its limit");
}

fn mouse<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.0, 2.0, 0.1);
    let grip = at::<D>(0.0, 0.0);
    let def = JointDef::mouse(&world, wall, bob, grip).unwrap();
    let joint = world.create_joint(def).unwrap();
    world.joint_mut(joint).unwrap().set_target(at::<D>(2.0, 1.0)).unwrap();
    run(&mut world, 4.0);
    let held = world.joint(joint).unwrap().anchors()[1] - at::<D>(2.0, 1.0);
    // The spring gives way by g/ω² to the weight.
    let sag = G / (10.0 * core::f32::consts::PI) / (10.0 * core::f32::consts::PI);
    close("sag below the target [m]", held.length(), sag, 1e-3);
    near("force [N]", world.joint(joint).unwrap().force().get(1), 2.0 * G, 0.005);

    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.0, 2.0, 0.1);
    let kind = JointKind::Mouse(Mouse { max_force: 3.0, ..Mouse::to(at::<D>(50.0, 0.0)) });
    world.create_joint(JointDef::new(wall, bob, kind)).unwrap();
    run(&mut world, 1.0);
    near("speed at the largest force [m/s]", world.body(bob).unwrap().linear_velocity().get(0), 1.5, 2e-3);
}

#[test]
fn mouse_2d() {
    mouse::<D2>();
}

#[test]
fn mouse_3d() {
    mouse::<D3>();
}

fn drive<D: TestDim>() {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let bob = body(&mut world, 0.0, 0.0, 2.0, 0.5);
    let drive = Drive {
        velocity: D::xy(1.0, 0.0),
        spin: D::about_z(2.0),
        max_force: 4.0,
        max_torque: 0.5,
        ..Drive::default()
    };
    let joint = world.create_joint(JointDef::new(wall, bob, JointKind::Motor(drive))).unwrap();
    run(&mut world, 0.25);
    let motion = world.body(bob).unwrap().motion();
    near("speed at full force [m/s]", motion.linear.get(0), 0.5, 1e-3);
    near("spin at full torque [rad/s]", D::z_of(motion.angular), 0.25, 1e-3);
    run(&mut world, 3.0);
    let motion = world.body(bob).unwrap().motion();
    near("speed in the end [m/s]", motion.linear.get(0), 1.0, 1e-3);
    near("spin in the end [rad/s]", D::z_of(motion.angular), 2.0, 1e-3);
    let target = Pose { position: at::<D>(-1.0, 0.5), rotation: D::Rot::from_ang(D::about_z(1.2)) };
    let drive = Drive { target, hertz: 2.0, max_force: 100.0, max_torque: 50.0, ..Drive::default() };
    world.joint_mut(joint).unwrap().set_kind(JointKind::Motor(drive)).unwrap();
    run(&mut world, 5.0);
    let pose = world.body(bob).unwrap().pose();
    assert!((pose.position - target.position).length() < 1e-3, "{pose:?}");
    close("angle [rad]", D::z_of(pose.rotation.to_ang()), 1.2, 1e-3);
}

#[test]
fn drive_2d() {
    drive::<D2>();
}

#[test]
fn drive_3d() {
    drive::<D3>();
}

/// On a turning platform, a drive holds the pose in the platform's frame.
#[test]
fn drive_follows_a_kinematic_platform() {
    let mut world = weightless::<D3>();
    let def = BodyDef { angular_velocity: Vec3::Y * 0.5, ..BodyDef::kinematic([0.0; 3]) };
    let platform = world.create_body(def).unwrap();
    let bob = body(&mut world, 1.0, 0.0, 1.0, 0.1);
    let target = Pose::at([1.0, 0.0, 0.0]);
    let drive = Drive { target, hertz: 5.0, max_force: 100.0, max_torque: 100.0, ..Drive::default() };
    let joint = world.create_joint(JointDef::new(platform, bob, JointKind::Motor(drive))).unwrap();
    run(&mut world, 6.0);
    let [a, b] = world.joint(joint).unwrap().frames();
    let seen = a.relative(b);
    assert!((seen.position.to_vec() - Vec3::X).length() < 5e-3, "{seen:?}");
    assert!(seen.rotation.to_ang().length() < 5e-3, "{seen:?}");
}

/// No drive gets past `max_spin`: a hinge that wanted 500 rad/s of a light bar had them, where 188 rad/s are allowed, and one that wanted 5 000
/// turned it by 21 rad per sub-step, which no orientation tells from 2.
fn drives_keep_to_the_largest_spin<D: TestDim>() {
    let strong = 1e4;
    let drives = [500.0, -5000.0].map(|speed| Motor::Velocity { speed, max: strong });
    let servo = Motor::Position { target: 3.0, hertz: 100.0, damping: 0.0, max: strong };
    for solver in ["soft-step", "baumgarte"] {
        for (motor, kind) in drives.into_iter().chain([servo]).flat_map(|motor| {
            [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic].map(|kind| (motor, kind))
        }) {
            let mut world = weightless::<D>();
            world.set_solver_by_name(solver).unwrap();
            let mass = Some(D::mass(0.05, 1e-3));
            let def = BodyDef { kind, mass, ..BodyDef::fixed(at::<D>(0.0, 0.0)) };
            let holder = world.create_body(def).unwrap();
            // Aside of its middle: it is also pulled round.
            let bar = body(&mut world, 0.1, 0.0, 0.05, 1e-3);
            hinge(&mut world, holder, bar, 0.0, 0.0, Hinge { motor: Some(motor), ..Hinge::default() });
            let settings = world.settings();
            let sub_steps = if solver == "soft-step" { settings.substeps as f32 } else { 1.0 };
            let limit = settings.max_spin * sub_steps / settings.dt;
            let mut most: f32 = 0.0;
            for _ in 0..60 {
                world.step();
                let spin = world.body(bar).unwrap().angular_velocity().length();
                assert!(
                    spin <= 1.0001 * limit,
                    "{solver}, {kind:?}, {motor:?}: {spin} rad/s, allowed {limit}"
                );
                most = most.max(spin);
            }
            let is_driven = matches!(motor, Motor::Position { .. }) || most > 0.9 * limit;
            assert!(is_driven, "{solver}, {kind:?}, {motor:?}: {most} rad/s of {limit}");
        }
    }
}

#[test]
fn drives_keep_to_the_largest_spin_2d() {
    drives_keep_to_the_largest_spin::<D2>();
}

#[test]
fn drives_keep_to_the_largest_spin_3d() {
    drives_keep_to_the_largest_spin::<D3>();
}
