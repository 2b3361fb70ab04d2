//! Motions with a known answer.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyKind, D2, D3, JointDef, Shape3, ShapeDef3, World};

/// How far the tilt of a top may wander in five seconds [rad].
const TILT_LOST: f32 = 0.05;

/// Complete elliptic integral K(k), by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    core::f64::consts::FRAC_PI_2 / a
}

/// A rod of length 1 and mass 2, hung at its end with amplitude `start`: T = 4·√(I/(m·g·d))·K(sin(θ₀/2)).
fn pendulum<D: TestDim>(start: f32, kind: JointKind<D>, seconds: f32) {
    let (m, d, i) = (2.0, 0.5, 2.0 / 12.0);
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let (s, c) = sin_cos(start);
    let rod = body(&mut world, d * s, -d * c, m, i);
    let frame = Pose { position: at::<D>(0.0, 0.0), rotation: D::hinge_frame() };
    let joint = world.create_joint(JointDef::at(&world, wall, rod, kind, frame).unwrap()).unwrap();
    let before = energy(&world);
    let floor = -f64::from(m * G * d);
    let (mut angles, mut worst) = (Vec::new(), 0.0_f32);
    for _ in 0..(seconds * 60.0) as u32 {
        world.step();
        let center = world.body(rod).unwrap().center().to_vec();
        angles.push(atan2(center.get(0), -center.get(1)));
        worst = worst.max(gap(&world, joint));
    }
    let inertia = f64::from(i + m * d * d);
    let omega = (f64::from(m * G * d) / inertia).sqrt();
    let expected = 4.0 / omega * elliptic_k(f64::from(sin_cos(0.5 * start).0));
    let got = period(&angles, 1.0 / 60.0);
    let drift = (energy(&world) - before) / (before - floor);
    println!("pendulum {}D {start} rad: T {got} ({expected}), gap {worst}, energy {drift:+.5}", D::N);
    near("period of the pendulum [s]", got, expected as f32, 0.005);
    assert!(worst < 1e-3, "the anchors part by {worst} m");
    assert!(drift.abs() < 0.05, "energy drifts by {drift}");
}

#[test]
fn pendulum_2d() {
    pendulum::<D2>(0.1, JointKind::Hinge(Hinge::default()), 20.0);
    pendulum::<D2>(1.5, JointKind::Ball(Ball::default()), 20.0);
    pendulum::<D2>(2.8, JointKind::Hinge(Hinge::default()), 20.0);
}

#[test]
fn pendulum_3d() {
    pendulum::<D3>(0.1, JointKind::Hinge(Hinge::default()), 20.0);
    pendulum::<D3>(1.5, JointKind::Ball(Ball::default()), 20.0);
    pendulum::<D3>(2.8, JointKind::Hinge(Hinge::default()), 20.0);
}

/// Two rods from the horizontal: chaotic, but the energy is known.
fn double_pendulum<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let upper = body(&mut world, 0.5, 0.0, 1.0, 1.0 / 12.0);
    let lower = body(&mut world, 1.5, 0.0, 1.0, 1.0 / 12.0);
    let joints = [
        hinge(&mut world, wall, upper, 0.0, 0.0, Hinge::default()),
        hinge(&mut world, upper, lower, 1.0, 0.0, Hinge::default()),
    ];
    // The deepest the two can hang: −1/2 and −3/2 m.
    let range = f64::from(2.0 * G);
    let before = energy(&world);
    let (mut worst, mut drift) = (0.0_f32, 0.0_f64);
    for _ in 0..1200 {
        world.step();
        worst = joints.iter().fold(worst, |m, &joint| m.max(gap(&world, joint)));
        drift = drift.max(((energy(&world) - before) / range).abs());
    }
    let end = (energy(&world) - before) / range;
    println!("double pendulum {}D: gap {worst}, energy at most {drift:.4}, in the end {end:+.4}", D::N);
    assert!(worst < 2e-3, "gap {worst}");
    assert!(drift < 0.04, "energy is off by {drift} of its range within 20 s");
}

#[test]
fn double_pendulum_2d() {
    double_pendulum::<D2>();
}

#[test]
fn double_pendulum_3d() {
    double_pendulum::<D3>();
}

/// A fast symmetric top on its tip, started in steady precession: I₁Ω²·cosθ − I₃·ω₃·Ω + m·g·l = 0, I₁ about the tip.
#[test]
fn top_precesses() {
    let (m, l, tilt, spin) = (1.0_f32, 0.15_f32, 0.5_f32, 90.0_f32);
    let (about_center, along) = (0.011_f32, 0.02_f32);
    let (sin, cos) = sin_cos(tilt);
    let i1 = about_center + m * l * l;
    let root = (along * spin) * (along * spin) - 4.0 * i1 * cos * m * G * l;
    let omega = 2.0 * m * G * l / (along * spin + root.sqrt());
    let axis = Vec3::new(sin, cos, 0.0);
    let mut world = world::<D3>();
    let floor = ground(&mut world);
    let inertia = SymMat3::from_diagonal(Vec3::new(about_center, along, about_center));
    let w = axis * spin + (Vec3::Y - axis * cos) * omega;
    let top = world
        .create_body(BodyDef {
            mass: Some(topple::Mass { mass: m, center: Vec3::ZERO, inertia }),
            rotation: RotOps::<D3>::from_ang(Vec3::Z * -tilt),
            angular_velocity: w,
            linear_velocity: w.cross(axis * l),
            ..BodyDef::dynamic(Point3::from(axis * l))
        })
        .unwrap();
    let joint = world.create_joint(JointDef::ball(&world, floor, top, [0.0; 3]).unwrap()).unwrap();
    let (mut azimuth, mut last, mut nutation) = (0.0_f32, 0.0_f32, 0.0_f32);
    let seconds = 5.0;
    for _ in 0..(seconds * 60.0) as u32 {
        world.step();
        let axis = RotOps::<D3>::rotate(world.body(top).unwrap().rotation(), Vec3::Y);
        let now = atan2(-axis.z, axis.x);
        let mut turn = now - last;
        if turn < -3.0 {
            turn += 2.0 * core::f32::consts::PI;
        }
        (azimuth, last) = (azimuth + turn, now);
        nutation = nutation.max((acos(axis.y) - tilt).abs());
        assert!(gap(&world, joint) < 1e-3);
    }
    println!("top: precession {} rad/s ({omega}), nutation {nutation} rad", azimuth / seconds);
    near("precession [rad/s]", azimuth / seconds, omega, 0.02);
    // In steady precession the tilt stays. What is left comes from the inertia, which is that of the start of the step.
    assert!(nutation < TILT_LOST, "the tilt changes by {nutation} rad in five seconds");
}

/// A limited hinge whose anchor is far from the centre stays in its plane: rounding errors across it must not grow. The wall
/// that is a kinematic body takes the way of joints that are solved one by one.
#[test]
fn hinge_stays_in_its_plane() {
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        for limits in [Some(Limits::new(-0.5, 0.5)), None] {
            let mut world = world::<D3>();
            let wall = world.create_body(BodyDef { kind, ..BodyDef::fixed([0.0; 3]) }).unwrap();
            let cube = ShapeDef3::from(Shape3::cuboid(0.4, 0.4, 0.4));
            let bob = world.create_body_with(BodyDef::dynamic([1.0, 0.0, 0.0]), [cube]).unwrap();
            let joint = hinge(&mut world, wall, bob, 0.0, 0.0, Hinge { limits, ..Hinge::default() });
            let mut lowest = 0.0_f32;
            for step in 0..600 {
                world.step();
                let center = world.body(bob).unwrap().center();
                assert!(
                    center.z.abs() < 1e-4,
                    "{kind:?}, {limits:?}: {} m out of its plane at {step}",
                    center.z
                );
                // The blow of the limit reaches the anchor in turn with the rows that hold it, and the lever is long.
                let largest = if limits.is_some() { 0.03 } else { 5e-4 };
                assert!(gap(&world, joint) < largest, "{kind:?}, {limits:?}: gap {}", gap(&world, joint));
                lowest = lowest.min(center.y);
            }
            // It falls to the limit, for the same reason a little beyond, or hangs straight down on its way.
            let expected = if limits.is_some() { -sin_cos(0.5).0 } else { -1.0 };
            close("lowest point [m]", lowest, expected, if limits.is_some() { 0.05 } else { 1e-3 });
        }
    }
}

/// The reaction of a joint that carries a body at rest: its weight, and for a cantilever its moment.
fn reaction<D: TestDim>(solver: &str) {
    let mut world = world::<D>();
    world.set_solver_by_name(solver).unwrap();
    let wall = ground(&mut world);
    let m = 3.0;
    let (hung, beam) = (body(&mut world, 0.0, -1.0, m, 0.5), body(&mut world, 5.7, 0.0, m, 0.5));
    let hook = join(&mut world, wall, hung, 0.0, 0.0, JointKind::Ball(Ball::default()));
    let clamp = join(&mut world, wall, beam, 5.0, 0.0, JointKind::Fixed);
    run(&mut world, 3.0);
    for joint in [hook, clamp] {
        near("weight [N]", world.joint(joint).unwrap().force().get(1), m * G, 0.005);
        close("no side force [N]", world.joint(joint).unwrap().force().get(0), 0.0, 0.05);
    }
    close("no torque in a ball joint [N·m]", D::z_of(world.joint(hook).unwrap().torque()), 0.0, 0.01);
    near("moment of the cantilever [N·m]", D::z_of(world.joint(clamp).unwrap().torque()), m * G * 0.7, 0.005);
}

#[test]
fn reaction_2d() {
    reaction::<D2>("soft-step");
    reaction::<D2>("baumgarte");
}

#[test]
fn reaction_3d() {
    reaction::<D3>("soft-step");
    reaction::<D3>("baumgarte");
}

/// A body held at rest by each way of holding: force m·g upwards, and m·g·0.7 m about the anchor where rotation is held.
fn held<D: TestDim>() {
    let m = 3.0;
    let reaction = |kind: JointKind<D>, arm: f32, drop: f32| {
        let mut world = world::<D>();
        let wall = ground(&mut world);
        let load = body(&mut world, arm, -drop, m, 0.5);
        let frame = Pose { position: at::<D>(0.0, 0.0), rotation: D::Rot::IDENTITY };
        let mut def = JointDef::at(&world, wall, load, kind, frame).unwrap();
        match kind {
            // Along the line between the anchors: that of b sits in the load.
            JointKind::Distance(_) => def.local_b = Pose::IDENTITY,
            JointKind::Hinge(_) => {
                let frame = Pose { rotation: D::hinge_frame(), ..frame };
                def = JointDef::at(&world, wall, load, kind, frame).unwrap();
            }
            _ => {}
        }
        let joint = world.create_joint(def).unwrap();
        run(&mut world, 4.0);
        let joint = world.joint(joint).unwrap();
        near("force [N]", joint.force().get(1), m * G, 0.01);
        D::z_of(joint.torque())
    };
    let rod = Distance { min: 1.0, max: 1.0, spring: None };
    let rope = Distance { min: 0.0, max: 1.0, spring: None };
    let spring = Some(Spring { rest: 1.0, hertz: 2.0, damping: 1.0 });
    for distance in [rod, rope, Distance { spring, ..Distance::default() }] {
        close("torque of a line [N·m]", reaction(JointKind::Distance(distance), 0.0, 1.0), 0.0, 1e-3);
    }
    let lower = Some(Limits::new(0.0, 1.0));
    let servo = Some(Motor::Position { target: 0.0, hertz: 20.0, damping: 1.0, max: 100.0 });
    let brake = Some(Motor::Velocity { speed: 0.0, max: 100.0 });
    let spring = Some(Spring { rest: 0.0, hertz: 20.0, damping: 1.0 });
    let hinges = [
        Hinge { limits: lower, ..Hinge::default() },
        Hinge { motor: servo, ..Hinge::default() },
        Hinge { motor: brake, ..Hinge::default() },
        Hinge { spring, ..Hinge::default() },
    ];
    for hinge in hinges {
        near("torque of a hinge [N·m]", reaction(JointKind::Hinge(hinge), 0.7, 0.0), m * G * 0.7, 0.02);
    }
    let slider = JointKind::Slider(Slider::default());
    near("torque of a slider [N·m]", reaction(slider, 0.7, 0.0), m * G * 0.7, 0.02);
    if D::N == 3 {
        let cone = JointKind::Ball(Ball { cone: Some(0.1), twist: None });
        near("torque of a cone [N·m]", reaction(cone, 0.7, 0.0), m * G * 0.7 * sin_cos(0.1).1, 0.03);
    }
}

#[test]
fn held_2d() {
    held::<D2>();
}

#[test]
fn held_3d() {
    held::<D3>();
}

/// Twenty links hanging from one end: settles, keeps its length, carries its weight.
fn chain<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let (mut last, mut joints) = (wall, Vec::new());
    for i in 0..20 {
        let y = -0.5 * i as f32;
        let link = body(&mut world, 0.0, y - 0.25, 1.0, 0.03);
        joints.push(hinge(&mut world, last, link, 0.0, y, Hinge::default()));
        last = link;
    }
    run(&mut world, 5.0);
    let worst = joints.iter().fold(0.0_f32, |m, &joint| m.max(gap(&world, joint)));
    let end = world.body(last).unwrap().center().to_vec().get(1);
    println!("chain {}D: gap {worst}, end at {end}", D::N);
    // A load F gives way by F·K/ω² at 60 Hz, K = 1/m + r²/I of both links: 2.6 mm under the whole chain.
    assert!(worst < 3e-3, "gap {worst}");
    close("end of the chain [m]", end, -9.75 - 0.028, 5e-3);
    near("weight of the chain [N]", world.joint(joints[0]).unwrap().force().get(1), 20.0 * G, 0.005);
    near("weight of the last link [N]", world.joint(joints[19]).unwrap().force().get(1), G, 0.005);
}

#[test]
fn chain_2d() {
    chain::<D2>();
}

#[test]
fn chain_3d() {
    chain::<D3>();
}

/// A bridge of twenty planks between two walls comes to rest in one piece; each end carries half.
fn bridge<D: TestDim>() {
    let mut world = world::<D>();
    let (left, right) = (ground(&mut world), ground(&mut world));
    let (mut last, mut joints) = (left, Vec::new());
    for i in 0..20 {
        let x = 0.5 * i as f32;
        let def = BodyDef {
            mass: Some(D::mass(1.0, 0.03)),
            drag: topple::Drag { linear: 0.3, angular_linear: 0.3, ..Default::default() },
            ..BodyDef::dynamic(at::<D>(x + 0.25, 0.0))
        };
        let plank = world.create_body(def).unwrap();
        joints.push(hinge(&mut world, last, plank, x, 0.0, Hinge::default()));
        last = plank;
    }
    joints.push(hinge(&mut world, last, right, 9.9, 0.0, Hinge::default()));
    let up = |world: &World<D>, joint| world.joint(joint).unwrap().force().get(1);
    // The ends still sway a little after half a minute: their mean over five seconds counts.
    let (mut worst, mut ends) = (0.0_f32, [0.0_f32; 2]);
    for step in 0..1800 {
        world.step();
        if step > 60 {
            worst = joints.iter().fold(worst, |m, &joint| m.max(gap(&world, joint)));
        }
        if step >= 1500 {
            ends[0] += up(&world, joints[0]) / 300.0;
            ends[1] -= up(&world, joints[20]) / 300.0;
        }
    }
    let rest = joints.iter().fold(0.0_f32, |m, &joint| m.max(gap(&world, joint)));
    println!("bridge {}D: gap at most {worst}, at rest {rest}", D::N);
    assert!(rest < 6e-3, "gap at rest {rest}");
    near("left end [N]", ends[0], 10.0 * G, 0.015);
    near("right end [N]", ends[1], 10.0 * G, 0.015);
}

#[test]
fn bridge_2d() {
    bridge::<D2>();
}

#[test]
fn bridge_3d() {
    bridge::<D3>();
}

/// A hundred times heavier ball at the end of ten light links: stays in one piece.
fn heavy_end<D: TestDim>() {
    let mut world = world::<D>();
    let (mut last, mut joints) = (ground(&mut world), Vec::new());
    for i in 0..10 {
        let link = body(&mut world, 0.5 * i as f32 + 0.25, 0.0, 1.0, 0.03);
        joints.push(join(&mut world, last, link, 0.5 * i as f32, 0.0, JointKind::Ball(Ball::default())));
        last = link;
    }
    let ball = body(&mut world, 5.5, 0.0, 100.0, 10.0);
    joints.push(join(&mut world, last, ball, 5.0, 0.0, JointKind::Ball(Ball::default())));
    let mut worst = 0.0_f32;
    for _ in 0..900 {
        world.step();
        worst = joints.iter().fold(worst, |m, &joint| m.max(gap(&world, joint)));
    }
    println!("heavy end {}D: gap at most {worst}", D::N);
    assert!(worst < 0.6, "gap {worst}");
}

#[test]
fn heavy_end_2d() {
    heavy_end::<D2>();
}

#[test]
fn heavy_end_3d() {
    heavy_end::<D3>();
}
