//! Wheels: cars that drive, brake and steer.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyDef2, BodyDef3, JointDef2, JointDef3, Shape2, Shape3, ShapeDef, World2, World3};

#[test]
fn car_drives_in_the_plane() {
    let mut world: World2 = world();
    world.create_body_with(BodyDef2::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)]).unwrap();
    let chassis =
        world.create_body_with(BodyDef2::dynamic([0.0, 0.8]), [Shape2::rectangle(2.0, 0.4)]).unwrap();
    let mut joints = Vec::new();
    for x in [-0.7, 0.7] {
        let shape = ShapeDef::new(Shape2::circle(0.3)).friction(1.0);
        let wheel = world.create_body_with(BodyDef::dynamic([x, 0.4]), [shape]).unwrap();
        let def = JointDef2::wheel(&world, chassis, wheel, [x, 0.4], Vec2::Y).unwrap();
        let kind = JointKind::Wheel(Wheel {
            limits: Some(Limits::new(-0.2, 0.2)),
            motor: Some(Motor::Velocity { speed: -10.0, max: 2.0 }),
            ..Wheel::default()
        });
        joints.push(world.create_joint(def.kind(kind)).unwrap());
    }
    run(&mut world, 6.0);
    let body = world.body(chassis).unwrap();
    println!("car: x {}, v {}", body.position().x, body.linear_velocity().x);
    // Rolling without slip: v = −w·r.
    near("speed [m/s]", body.linear_velocity().x, 3.0, 0.02);
    assert!(body.rotation().angle().abs() < 0.1, "upright: {}", body.rotation().angle());
    for &joint in &joints {
        let view = world.joint(joint).unwrap();
        near("wheel speed [rad/s]", view.angular_speed(), -10.0, 0.02);
        assert!(view.translation().abs() < 0.2, "suspension {}", view.translation());
        // The wheel stays below its mount.
        let [a, b] = view.frames();
        assert!(a.relative(b).position.y.abs() < 1e-3, "off the line: {:?}", a.relative(b));
    }
    for &joint in &joints {
        world.joint_mut(joint).unwrap().set_motor_target(0.0).unwrap();
    }
    run(&mut world, 4.0);
    close("braked [m/s]", world.body(chassis).unwrap().linear_velocity().x, 0.0, 0.01);
}

#[test]
fn car_drives_and_steers_in_space() {
    let mut world: World3 = world();
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [Shape3::plane(Vec3::Y, 0.0)]).unwrap();
    let def = BodyDef3::dynamic([0.0, 0.8, 0.0]);
    let chassis = world.create_body_with(def, [Shape3::cuboid(2.0, 0.4, 1.0)]).unwrap();
    let (mut front, mut all) = (Vec::new(), Vec::new());
    for (x, z) in [(-0.7, -0.5), (-0.7, 0.5), (0.7, -0.5), (0.7, 0.5)] {
        let shape = ShapeDef::new(Shape3::sphere(0.3)).friction(1.0);
        let wheel = world.create_body_with(BodyDef::dynamic([x, 0.4, z]), [shape]).unwrap();
        let def = JointDef3::wheel(&world, chassis, wheel, [x, 0.4, z], Vec3::Y, Vec3::Z).unwrap();
        let kind = JointKind::Wheel(Wheel {
            limits: Some(Limits::new(-0.2, 0.2)),
            motor: Some(Motor::Velocity { speed: -10.0, max: 1.0 }),
            ..Wheel::default()
        });
        let joint = world.create_joint(def.kind(kind)).unwrap();
        all.push(joint);
        if x > 0.0 {
            front.push(joint);
        }
    }
    run(&mut world, 5.0);
    let body = world.body(chassis).unwrap();
    println!("car: at {:?}, v {}", body.position(), body.linear_velocity());
    near("speed [m/s]", body.linear_velocity().x, 3.0, 0.02);
    close("straight ahead [m]", body.position().z, 0.0, 0.05);
    for &joint in &all {
        let [a, b] = world.joint(joint).unwrap().frames();
        let axles = [a, b].map(|f| RotOps::<topple::D3>::rotate(f.rotation, Vec3::Z));
        assert!(axles[0].cross(axles[1]).length() < 1e-3, "axles are parallel");
    }
    for &joint in &front {
        world.joint_mut(joint).unwrap().set_steering(0.3).unwrap();
    }
    run(&mut world, 2.0);
    let body = world.body(chassis).unwrap();
    let forward = RotOps::<topple::D3>::rotate(body.rotation(), Vec3::X);
    println!("steered: at {:?}, forward {forward}", body.position());
    assert!(forward.z < -0.3 && forward.y.abs() < 0.1, "turns about y: forward is {forward}");
}
