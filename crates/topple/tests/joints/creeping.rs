//! What a joint moves slowly does not fall asleep on its way; what has arrived, or is stalled, does. All of it was asleep after half a second.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, D2, D3, Drag, JointId, Settings, World};

/// A world with sleep and without gravity.
fn sleepy<D: TestDim>() -> World<D> {
    World::with_settings(Settings { gravity: D::Vec::ZERO, ..Settings::default() }).unwrap()
}

/// A box of 0.5 m at the origin, joined to a wall there.
fn box_on<D: TestDim>(world: &mut World<D>, kind: JointKind<D>) -> (BodyId, JointId) {
    let wall = ground(world);
    let body = world.create_body_with(BodyDef::dynamic(at::<D>(0.0, 0.0)), [D::block(0.5, 0.5)]).unwrap();
    let joint = match kind {
        JointKind::Hinge(kind) => hinge(world, wall, body, 0.0, 0.0, kind),
        kind => join(world, wall, body, 0.0, 0.0, kind),
    };
    (body, joint)
}

fn is_awake<D: Dim>(world: &World<D>, body: BodyId) -> bool {
    world.body(body).unwrap().is_awake()
}

fn x_of<D: Dim>(world: &World<D>, body: BodyId) -> f32 {
    world.body(body).unwrap().position().to_vec().get(0)
}

/// Steps until everything sleeps.
#[track_caller]
fn fall_asleep<D: Dim>(what: &str, world: &mut World<D>, seconds: f32) {
    for _ in 0..(seconds / world.settings().dt) as u32 {
        world.step();
        if world.awake_count() == 0 {
            return;
        }
    }
    panic!("{what}: awake after {seconds} s");
}

fn running_motors<D: TestDim>() {
    let motor = |speed: f32| Some(Motor::Velocity { speed, max: 100.0 });
    for speed in [0.1, 0.01, 0.002] {
        let mut world = sleepy::<D>();
        let kind = JointKind::Hinge(Hinge { motor: motor(speed), ..Hinge::default() });
        let (_, joint) = box_on(&mut world, kind);
        run(&mut world, 10.0);
        near("angle of a hinge [rad]", world.joint(joint).unwrap().angle(), 10.0 * speed, 1e-2);
    }
    for speed in [0.02, -0.005] {
        let mut world = sleepy::<D>();
        let kind = JointKind::Slider(Slider { motor: motor(speed), ..Slider::default() });
        let (_, joint) = box_on(&mut world, kind);
        run(&mut world, 10.0);
        near("way of a slider [m]", world.joint(joint).unwrap().translation(), 10.0 * speed, 1e-2);
    }
    let mut world = sleepy::<D>();
    let kind = JointKind::Wheel(Wheel { motor: motor(0.05), ..Wheel::default() });
    let (_, joint) = box_on(&mut world, kind);
    run(&mut world, 10.0);
    near("angle of a wheel [rad]", world.joint(joint).unwrap().angle(), 0.5, 1e-2);
    let mut world = sleepy::<D>();
    let drive = Drive { velocity: D::xy(0.01, 0.0), max_force: 10.0, ..Drive::default() };
    let (body, _) = box_on(&mut world, JointKind::Motor(drive));
    run(&mut world, 10.0);
    near("way of a motor joint [m]", x_of(&world, body), 0.1, 1e-2);
    // Switched off, they rest.
    let drive = Drive { max_force: 10.0, ..Drive::default() };
    let joint = world.joints_of(body).unwrap().next().unwrap();
    world.joint_mut(joint).unwrap().set_kind(JointKind::Motor(drive)).unwrap();
    fall_asleep("a brake", &mut world, 2.0);
}

fn slow_springs_arrive<D: TestDim>() {
    // Overdamped, from rest: x = (q·exp(−r·t) − r·exp(−q·t))/(q − r) with r, q = 1 ∓ √0.95.
    let mut world = sleepy::<D>();
    let wall = ground(&mut world);
    let body = world.create_body_with(BodyDef::dynamic(at::<D>(1.0, 0.0)), [D::ball(0.3)]).unwrap();
    let mass = world.body(body).unwrap().mass();
    let spring = SpringDamper { stiffness: 0.05 * mass, damping: 2.0 * mass, rest_length: 0.0 };
    world.create_joint(topple::JointDef::new(wall, body, JointKind::Spring(spring))).unwrap();
    run(&mut world, 60.0);
    near("a spring on its way [m]", x_of(&world, body), 0.2218, 2e-2);
    fall_asleep("a spring that has arrived", &mut world, 250.0);
    close("where it rests [m]", x_of(&world, body), 0.0, 4e-3);
    // A servo, the same with r, q = ω·(ζ ∓ √(ζ² − 1)).
    let mut world = sleepy::<D>();
    let servo = Some(Motor::Position { target: 1.0, hertz: 0.05, damping: 5.0, max: 100.0 });
    let (body, _) = box_on(&mut world, JointKind::Slider(Slider { motor: servo, ..Slider::default() }));
    run(&mut world, 30.0);
    near("a servo on its way [m]", 1.0 - x_of(&world, body), 0.39, 2e-2);
    fall_asleep("a servo that has arrived", &mut world, 250.0);
    close("where it rests [m]", x_of(&world, body), 1.0, 4e-3);
}

/// A stiff servo of little force pulls a body through something thick, at 5 mm/s.
fn weak_servos_arrive<D: TestDim>() {
    let mut world = sleepy::<D>();
    let max = 0.05 * {
        let body = world.create_body_with(BodyDef::dynamic(at::<D>(9.0, 0.0)), [D::block(0.5, 0.5)]).unwrap();
        let mass = world.body(body).unwrap().mass();
        world.remove_body(body).unwrap();
        mass
    };
    let servo = Some(Motor::Position { target: 0.2, hertz: 3.0, damping: 1.0, max });
    let (body, _) = box_on(&mut world, JointKind::Slider(Slider { motor: servo, ..Slider::default() }));
    world.body_mut(body).unwrap().set_drag(Drag { linear: 10.0, ..Drag::default() }).unwrap();
    run(&mut world, 20.0);
    near("on its way [m]", x_of(&world, body), 0.1, 5e-2);
    fall_asleep("arrived", &mut world, 60.0);
    close("where it rests [m]", x_of(&world, body), 0.2, 3e-3);
}

/// Motors that cannot go on let go, and so does what holds still.
fn stalled_motors_sleep<D: TestDim>() {
    let motor = Some(Motor::Velocity { speed: 0.5, max: 5.0 });
    let limits = Some(Limits::new(-0.2, 0.2));
    let mut world = sleepy::<D>();
    let (_, joint) = box_on(&mut world, JointKind::Hinge(Hinge { motor, limits, ..Hinge::default() }));
    fall_asleep("a hinge at its limit", &mut world, 5.0);
    close("angle [rad]", world.joint(joint).unwrap().angle(), 0.2, 1e-2);
    for speed in [0.5, 0.01] {
        let mut world = sleepy::<D>();
        let stop = world.create_body_with(BodyDef::fixed(at::<D>(0.55, 0.0)), [D::block(0.5, 0.5)]).unwrap();
        let motor = Some(Motor::Velocity { speed, max: 2.0 });
        let (body, _) = box_on(&mut world, JointKind::Slider(Slider { motor, ..Slider::default() }));
        fall_asleep("a slider against a wall", &mut world, 20.0);
        close("where it stands [m]", x_of(&world, body), 0.05, 1e-2);
        world.remove_body(stop).unwrap();
        run(&mut world, 2.0);
        assert!(is_awake(&world, body), "the wall is gone");
    }
    let mut world = World::<D>::new();
    let motor = Some(Motor::Velocity { speed: 1.0, max: 0.5 });
    let wall = ground(&mut world);
    let def =
        BodyDef { drag: Drag { linear: 2.0, ..Drag::default() }, ..BodyDef::dynamic(at::<D>(0.0, -1.0)) };
    let arm = world.create_body_with(def, [D::block(0.5, 0.5)]).unwrap();
    let joint = hinge(&mut world, wall, arm, 0.0, 0.0, Hinge { motor, ..Hinge::default() });
    fall_asleep("a motor too weak for its load", &mut world, 60.0);
    let lever = world.body(arm).unwrap().mass() * G;
    near("sine of where it hangs", sin_cos(world.joint(joint).unwrap().angle()).0, 0.5 / lever, 2e-2);
}

/// Servos, springs and brakes that hold a weight.
fn what_holds_still_sleeps<D: TestDim>() {
    let spring = Spring { rest: 0.0, hertz: 1.0, damping: 0.2 };
    let servo = Motor::Position { target: 0.3, hertz: 2.0, damping: 1.0, max: 50.0 };
    let brake = Motor::Velocity { speed: 0.0, max: 50.0 };
    let kinds = [(Some(spring), None), (None, Some(servo)), (None, Some(brake)), (Some(spring), Some(servo))];
    for (spring, motor) in kinds {
        let mut world = World::<D>::new();
        let wall = ground(&mut world);
        let arm = world.create_body_with(BodyDef::dynamic(at::<D>(0.5, 0.0)), [D::block(1.0, 0.2)]).unwrap();
        hinge(&mut world, wall, arm, 0.0, 0.0, Hinge { spring, motor, ..Hinge::default() });
        fall_asleep("an arm that is held", &mut world, 20.0);
    }
    let mut world = World::<D>::new();
    let wall = ground(&mut world);
    let bob = world.create_body_with(BodyDef::dynamic(at::<D>(0.0, -1.0)), [D::ball(0.2)]).unwrap();
    let spring = SpringDamper { stiffness: 10.0, damping: 0.1, rest_length: 0.5 };
    world.create_joint(topple::JointDef::new(wall, bob, JointKind::Spring(spring))).unwrap();
    fall_asleep("a weight on a spring", &mut world, 60.0);
}

both! {
    running_motors, running_motors_2d, running_motors_3d;
    slow_springs_arrive, slow_springs_arrive_2d, slow_springs_arrive_3d;
    weak_servos_arrive, weak_servos_arrive_2d, weak_servos_arrive_3d;
    stalled_motors_sleep, stalled_motors_sleep_2d, stalled_motors_sleep_3d;
    what_holds_still_sleeps, what_holds_still_sleeps_2d, what_holds_still_sleeps_3d;
}
