//! What is refused, and with which words.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, D2, D3, Error, JointDef, JointId, World};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn bad_kinds<D: TestDim>() -> Vec<(&'static str, JointKind<D>)> {
    let hinge = |hinge: Hinge| JointKind::Hinge(hinge);
    let slider = |slider: Slider| JointKind::Slider(slider);
    let limits = |lower, upper| Some(Limits::new(lower, upper));
    let spring = |rest, hertz, damping| Some(Spring { rest, hertz, damping });
    let velocity = |speed, max| Some(Motor::Velocity { speed, max });
    let position = |target, hertz, damping, max| Some(Motor::Position { target, hertz, damping, max });
    let distance = |min, max| JointKind::Distance(Distance { min, max, spring: None });
    let damper =
        |stiffness, damping, rest_length| JointKind::Spring(SpringDamper { stiffness, damping, rest_length });
    let mouse = Mouse::to(at::<D>(0.0, 0.0));
    let drive = Drive::<D>::default();
    vec![
        ("Hinge.limits", hinge(Hinge { limits: limits(0.5, -0.5), ..Hinge::default() })),
        ("Hinge.limits", hinge(Hinge { limits: limits(NAN, 0.5), ..Hinge::default() })),
        ("Hinge.limits", hinge(Hinge { limits: limits(-4.0, 0.5), ..Hinge::default() })),
        ("Motor.speed", hinge(Hinge { motor: velocity(INF, 1.0), ..Hinge::default() })),
        ("Motor.max", hinge(Hinge { motor: velocity(1.0, -1.0), ..Hinge::default() })),
        ("Motor.max", hinge(Hinge { motor: velocity(1.0, NAN), ..Hinge::default() })),
        ("Motor.target", hinge(Hinge { motor: position(NAN, 1.0, 1.0, 1.0), ..Hinge::default() })),
        ("Motor.hertz", hinge(Hinge { motor: position(0.0, 0.0, 1.0, 1.0), ..Hinge::default() })),
        ("Motor.damping", hinge(Hinge { motor: position(0.0, 1.0, -1.0, 1.0), ..Hinge::default() })),
        ("Spring.rest", hinge(Hinge { spring: spring(INF, 1.0, 1.0), ..Hinge::default() })),
        ("Spring.hertz", hinge(Hinge { spring: spring(0.0, -1.0, 1.0), ..Hinge::default() })),
        ("Spring.damping", hinge(Hinge { spring: spring(0.0, 1.0, NAN), ..Hinge::default() })),
        ("Slider.limits", slider(Slider { limits: limits(1.0, 0.0), ..Slider::default() })),
        ("Slider.limits", slider(Slider { limits: limits(0.0, INF), ..Slider::default() })),
        ("Distance.min", distance(-1.0, 1.0)),
        ("Distance.min", distance(NAN, 1.0)),
        ("Distance.max", distance(1.0, 0.5)),
        ("Distance.max", distance(0.0, NAN)),
        ("Distance.max", distance(0.0, 0.0)),
        ("SpringDamper.stiffness", damper(-1.0, 0.0, 1.0)),
        ("SpringDamper.damping", damper(1.0, NAN, 1.0)),
        ("SpringDamper.rest_length", damper(1.0, 0.0, -1.0)),
        ("Wheel.steering", JointKind::Wheel(Wheel { steering: NAN, ..Wheel::default() })),
        ("Wheel.limits", JointKind::Wheel(Wheel { limits: limits(1.0, 0.0), ..Wheel::default() })),
        ("Mouse.target", JointKind::Mouse(Mouse { target: at::<D>(NAN, 0.0), ..mouse })),
        ("Mouse.hertz", JointKind::Mouse(Mouse { hertz: 0.0, ..mouse })),
        ("Mouse.max_force", JointKind::Mouse(Mouse { max_force: -1.0, ..mouse })),
        ("Drive.velocity", JointKind::Motor(Drive { velocity: D::xy(NAN, 0.0), ..drive })),
        ("Drive.spin", JointKind::Motor(Drive { spin: D::about_z(INF), ..drive })),
        ("Drive.hertz", JointKind::Motor(Drive { hertz: -1.0, ..drive })),
        ("Drive.max_force", JointKind::Motor(Drive { max_force: NAN, ..drive })),
        ("Drive.max_torque", JointKind::Motor(Drive { max_torque: -1.0, ..drive })),
        ("Drive.target", JointKind::Motor(Drive { target: Pose::at(at::<D>(INF, 0.0)), ..drive })),
    ]
}

fn refused<D: TestDim>() {
    let mut world = World::<D>::new();
    let (wall, other) = (ground(&mut world), ground(&mut world));
    let (a, b) = (body(&mut world, 0.0, 0.0, 1.0, 0.1), body(&mut world, 1.0, 0.0, 1.0, 0.1));
    let gone = body(&mut world, 1.0, 0.0, 1.0, 0.1);
    world.remove_body(gone).unwrap();
    let good = JointDef::new(a, b, JointKind::<D>::Fixed);
    let joint = world.create_joint(good.clone()).unwrap();
    let before = world.snapshot();
    let expect = |world: &mut World<D>, words: &str, def: JointDef<D>| {
        let error = world.create_joint(def).expect_err(words).to_string();
        assert!(error.contains(words), "'{error}' should say '{words}'");
    };
    for (field, kind) in bad_kinds::<D>() {
        expect(&mut world, field, JointDef::new(a, b, kind));
        let error = world.joint_mut(joint).unwrap().set_kind(kind).expect_err(field);
        assert!(matches!(error, Error::InvalidValue { field: name, .. } if name == field), "{error}");
    }
    expect(&mut world, "same body", JointDef { b: a, ..good.clone() });
    expect(&mut world, "does not exist", JointDef { a: gone, ..good.clone() });
    expect(&mut world, "does not exist", JointDef { b: BodyId::from_bits(u64::MAX), ..good.clone() });
    expect(&mut world, "neither body is dynamic", JointDef { a: wall, b: other, ..good.clone() });
    expect(&mut world, "JointDef.local_a", JointDef { local_a: Pose::at(at::<D>(NAN, 0.0)), ..good.clone() });
    expect(&mut world, "JointDef.local_b", JointDef { local_b: Pose::at(at::<D>(INF, 0.0)), ..good.clone() });
    expect(&mut world, "JointDef.max_force", JointDef { max_force: NAN, ..good.clone() });
    expect(&mut world, "JointDef.max_torque", JointDef { max_torque: -1.0, ..good.clone() });
    let soft = |hertz, damping| Some(JointSoftness { hertz, damping });
    expect(&mut world, "JointSoftness.hertz", JointDef { softness: soft(0.0, 1.0), ..good.clone() });
    expect(&mut world, "JointSoftness.damping", JointDef { softness: soft(1.0, NAN), ..good.clone() });
    assert!(JointDef::slider(&world, a, b, at::<D>(0.0, 0.0), D::Vec::ZERO).is_err(), "zero axis");
    assert!(JointDef::slider(&world, a, b, at::<D>(0.0, 0.0), D::xy(NAN, 1.0)).is_err(), "NaN axis");
    assert!(JointDef::ball(&world, a, b, at::<D>(NAN, 0.0)).is_err(), "NaN anchor");
    assert!(JointDef::ball(&world, a, gone, at::<D>(0.0, 0.0)).is_err(), "stale body");
    assert!(JointDef::rod(&world, a, b, at::<D>(0.0, 0.0), at::<D>(INF, 0.0)).is_err(), "infinite anchor");
    let zero = JointDef::rod(&world, a, b, at::<D>(0.0, 0.0), at::<D>(0.0, 0.0)).unwrap();
    expect(&mut world, "Distance.max", zero);
    let mut change = world.joint_mut(joint).unwrap();
    assert!(change.set_motor(None).is_err() && change.set_limits(None).is_err());
    assert!(change.set_spring(None).is_err() && change.set_target(at::<D>(0.0, 0.0)).is_err());
    assert!(change.set_motor_target(1.0).is_err() && change.set_steering(1.0).is_err());
    assert!(change.set_break_limits(NAN, 1.0, true).is_err() && change.set_softness(soft(NAN, 1.0)).is_err());
    assert!(change.set_local_frames([Pose::at(at::<D>(NAN, 0.0)), Pose::IDENTITY]).is_err());
    assert_eq!(world.snapshot(), before, "a refused call changes nothing");
    world.remove_joint(joint).unwrap();
    assert!(matches!(world.remove_joint(joint), Err(Error::StaleId { kind: "joint", .. })));
    assert!(world.joint(joint).is_err() && world.joint_mut(JointId::from_bits(99)).is_err());
    assert!(world.joints_of(gone).is_err());
}

#[test]
fn refused_2d() {
    refused::<D2>();
    let ball = JointKind::<D2>::Ball(Ball { cone: Some(0.5), twist: None });
    assert!(ball.validate().is_err(), "the plane has no cone");
}

#[test]
fn refused_3d() {
    refused::<D3>();
    for ball in [
        Ball { cone: Some(0.0), twist: None },
        Ball { cone: Some(NAN), twist: None },
        Ball { cone: Some(4.0), twist: None },
        Ball { cone: None, twist: Some(Limits::new(0.5, -0.5)) },
    ] {
        assert!(JointKind::<D3>::Ball(ball).validate().is_err(), "{ball:?}");
    }
    let mut world = World::<D3>::new();
    let (a, b) = (body(&mut world, 0.0, 0.0, 1.0, 0.1), ground(&mut world));
    assert!(JointDef::<D3>::hinge(&world, a, b, [0.0; 3], Vec3::ZERO).is_err());
    assert!(JointDef::<D3>::wheel(&world, a, b, [0.0; 3], Vec3::Y, Vec3::Y).is_err());
}

/// Joints that cannot be satisfied, or have nothing to act on, do no harm.
fn impossible_but_finite<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    // Anchors a hundred metres apart.
    let far = body(&mut world, 100.0, 0.0, 1.0, 0.1);
    world.create_joint(JointDef::new(wall, far, JointKind::Fixed)).unwrap();
    // A point mass without inertia, and a body that cannot move at all.
    let point = world.create_body(BodyDef::dynamic(at::<D>(5.0, 0.0))).unwrap();
    world
        .create_joint(
            JointDef::at(&world, wall, point, JointKind::Fixed, Pose::at(at::<D>(4.0, 0.0))).unwrap(),
        )
        .unwrap();
    let locks = topple::Locks { translation: [true; 3], rotation: [true; 3] };
    let stuck = BodyDef { locks, mass: Some(D::mass(1.0, 0.1)), ..BodyDef::dynamic(at::<D>(0.0, 9.0)) };
    let stuck = world.create_body(stuck).unwrap();
    join(&mut world, wall, stuck, 0.0, 8.0, JointKind::Ball(Ball::default()));
    // Anchors of a rod that coincide, and two rods that contradict each other.
    let bob = body(&mut world, 0.0, -1.0, 1.0, 0.1);
    for length in [1.0, 2.0] {
        let kind = JointKind::Distance(Distance { min: length, max: length, spring: None });
        world.create_joint(JointDef::new(wall, bob, kind)).unwrap();
    }
    let same = body(&mut world, 0.0, 0.0, 1.0, 0.1);
    let kind = JointKind::Distance(Distance { min: 1.0, max: 1.0, spring: None });
    world.create_joint(JointDef::new(wall, same, kind)).unwrap();
    run(&mut world, 5.0);
    assert!(world.events().fault.is_empty());
    for id in [far, point, bob, same] {
        let speed = world.body(id).unwrap().linear_velocity().length();
        assert!(speed < 20.0, "body {id:?} moves with {speed} m/s");
    }
    let anchored = world.body(far).unwrap().position().to_vec().length();
    close("the far body has come home [m]", anchored, 0.0, 0.01);
}

#[test]
fn impossible_but_finite_2d() {
    impossible_but_finite::<D2>();
}

#[test]
fn impossible_but_finite_3d() {
    impossible_but_finite::<D3>();
}
