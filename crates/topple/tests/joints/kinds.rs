//! Every kind: locked degrees of freedom stay locked, free ones stay free.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, D2, D3, JointDef, World};

/// Largest error of a locked degree of freedom in swinging tests [m or rad].
const LOCKED: f32 = 1e-3;

/// Angle between the orientations of two bodies, or of one body and the world [rad].
fn turn<D: topple::Dim>(a: D::Rot, b: D::Rot) -> f32 {
    a.inverse().then_after(b).to_ang().length()
}

/// A heavy cantilever, shaken.
fn fixed<D: TestDim>(solver: &str, tolerance: f32) {
    let mut world = world::<D>();
    world.set_solver_by_name(solver).unwrap();
    let wall = ground(&mut world);
    let beam = body(&mut world, 1.0, 0.0, 3.0, 0.5);
    join(&mut world, wall, beam, 0.0, 0.0, JointKind::Fixed);
    world.body_mut(beam).unwrap().apply_angular_impulse(D::about_z(1.0)).unwrap();
    for step in 0..600 {
        if step % 60 == 0 {
            world.body_mut(beam).unwrap().apply_impulse(D::xy(0.0, 3.0)).unwrap();
        }
        world.step();
        let beam = world.body(beam).unwrap();
        close("x of the beam [m]", beam.position().to_vec().get(0), 1.0, tolerance);
        close("y of the beam [m]", beam.position().to_vec().get(1), 0.0, tolerance);
        close("angle of the beam [rad]", turn::<D>(D::Rot::IDENTITY, beam.rotation()), 0.0, tolerance);
    }
}

#[test]
fn fixed_2d() {
    fixed::<D2>("soft-step", LOCKED);
    fixed::<D2>("baumgarte", 0.05);
}

#[test]
fn fixed_3d() {
    fixed::<D3>("soft-step", LOCKED);
    fixed::<D3>("baumgarte", 0.05);
}

/// A body on a horizontal rail: keeps its speed along it, does not fall, does not turn.
fn slider<D: TestDim>(solver: &str, tolerance: f32) {
    let mut world = world::<D>();
    world.set_solver_by_name(solver).unwrap();
    let wall = ground(&mut world);
    let cart = body(&mut world, 0.0, -0.3, 2.0, 0.1);
    join(&mut world, wall, cart, 0.0, 0.0, JointKind::Slider(Slider::default()));
    world.body_mut(cart).unwrap().set_linear_velocity(D::xy(1.5, 0.0)).unwrap();
    world.body_mut(cart).unwrap().apply_angular_impulse(D::about_z(0.5)).unwrap();
    run(&mut world, 4.0);
    let cart = world.body(cart).unwrap();
    // The angular kick is taken up by the rail; part of it pushes along the rail until the joint has answered.
    let speed = cart.linear_velocity().get(0);
    close("speed along the rail [m/s]", speed, 1.5, 0.02);
    close("height [m]", cart.position().to_vec().get(1), -0.3, tolerance);
    close("angle [rad]", turn::<D>(D::Rot::IDENTITY, cart.rotation()), 0.0, tolerance);
}

#[test]
fn slider_2d() {
    slider::<D2>("soft-step", LOCKED);
    slider::<D2>("baumgarte", 0.05);
}

#[test]
fn slider_3d() {
    slider::<D3>("soft-step", LOCKED);
    slider::<D3>("baumgarte", 0.05);
}

/// A bead slides outwards on a spinning rod: no torque from outside, so I·w is kept, and so is the energy.
fn spinning_slider<D: TestDim>() {
    let mut world = weightless::<D>();
    let wall = ground(&mut world);
    let rod = body(&mut world, 0.0, 0.0, 1.0, 1.0);
    let bead = body(&mut world, 0.2, 0.0, 0.5, 1e-3);
    hinge(&mut world, wall, rod, 0.0, 0.0, Hinge::default());
    let rail = join(&mut world, rod, bead, 0.2, 0.0, JointKind::Slider(Slider::default()));
    let w = 3.0;
    world.body_mut(rod).unwrap().set_angular_velocity(D::about_z(w)).unwrap();
    let motion = topple::Motion { linear: D::xy(0.0, 0.2 * w), angular: D::about_z(w) };
    world.body_mut(bead).unwrap().set_motion(motion).unwrap();
    let momentum = |world: &World<D>| {
        let (rod, bead) = (world.body(rod).unwrap(), world.body(bead).unwrap());
        let orbit = D::cross(bead.center().to_vec(), bead.momentum());
        D::z_of(rod.angular_momentum()) + D::z_of(bead.angular_momentum()) + D::z_of(orbit)
    };
    let (l, e) = (momentum(&world), energy(&world));
    run(&mut world, 1.5);
    let out = world.joint(rail).unwrap().translation();
    println!("bead {}D: out {out}, L {} ({l}), E {} ({e})", D::N, momentum(&world), energy(&world));
    assert!(out > 0.5, "the bead slides out: {out} m");
    near("angular momentum", momentum(&world), l, 2e-3);
    near("energy", energy(&world) as f32, e as f32, 0.01);
}

#[test]
fn spinning_slider_2d() {
    spinning_slider::<D2>();
}

#[test]
fn spinning_slider_3d() {
    spinning_slider::<D3>();
}

/// Joined at the centre of mass, a ball joint leaves every spin alone, a hinge the one about its axis.
fn spins_stay<D: TestDim>() {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let kinds = [JointKind::Ball(Ball::default()), JointKind::Hinge(Hinge::default())];
    for (i, kind) in kinds.into_iter().enumerate() {
        let wheel = body(&mut world, i as f32, 0.0, 2.0, 0.3);
        let frame = Pose { position: at::<D>(i as f32, 0.0), rotation: D::hinge_frame() };
        let joint = world.create_joint(JointDef::at(&world, wall, wheel, kind, frame).unwrap()).unwrap();
        world.body_mut(wheel).unwrap().set_angular_velocity(D::about_z(7.0)).unwrap();
        run(&mut world, 3.0);
        near("spin [rad/s]", D::z_of(world.body(wheel).unwrap().angular_velocity()), 7.0, 1e-4);
        near("speed of the joint [rad/s]", world.joint(joint).unwrap().angular_speed(), 7.0, 1e-4);
        assert!(gap(&world, joint) < LOCKED);
    }
}

#[test]
fn spins_stay_2d() {
    spins_stay::<D2>();
}

#[test]
fn spins_stay_3d() {
    spins_stay::<D3>();
}

#[test]
fn ball_joint_leaves_all_three_spins_and_hinge_only_its_own() {
    let mut world = weightless::<D3>();
    let wall = ground(&mut world);
    let spin = Vec3::new(1.0, 2.0, 3.0);
    let def =
        BodyDef { mass: Some(D3::mass(1.0, 0.2)), angular_velocity: spin, ..BodyDef::dynamic([0.0; 3]) };
    let (free, held) = (world.create_body(def.clone()).unwrap(), world.create_body(def).unwrap());
    world.create_joint(JointDef::<D3>::ball(&world, wall, free, [0.0; 3]).unwrap()).unwrap();
    let hinge = JointDef::<D3>::hinge(&world, wall, held, [0.0; 3], Vec3::Y).unwrap();
    world.create_joint(hinge).unwrap();
    run(&mut world, 2.0);
    let got = world.body(free).unwrap().angular_velocity();
    assert!((got - spin).length() < 1e-3, "ball: {got}");
    let got = world.body(held).unwrap().angular_velocity();
    assert!((got - Vec3::new(0.0, 2.0, 0.0)).length() < 1e-3, "hinge: {got}");
}

/// A hinged door swinging about a tilted axis keeps its axis: both locked rotations stay below a milliradian.
#[test]
fn hinge_axis_holds_in_3d() {
    let mut world = world::<D3>();
    let wall = ground(&mut world);
    let axis = Vec3::new(1.0, 2.0, 0.5).normalize();
    let inertia = SymMat3::from_diagonal(Vec3::new(0.1, 0.3, 0.25));
    let mass = topple::Mass { mass: 2.0, center: Vec3::ZERO, inertia };
    let door = world.create_body(BodyDef { mass: Some(mass), ..BodyDef::dynamic([0.8, 0.0, 0.3]) }).unwrap();
    let def = JointDef::<D3>::hinge(&world, wall, door, [0.0; 3], axis).unwrap();
    let joint = world.create_joint(def).unwrap();
    let mut worst = (0.0_f32, 0.0_f32);
    for _ in 0..600 {
        world.step();
        let [a, b] = world.joint(joint).unwrap().frames();
        let axes = [a, b].map(|f| RotOps::<D3>::rotate(f.rotation, Vec3::X));
        worst = (worst.0.max(gap(&world, joint)), worst.1.max(axes[0].cross(axes[1]).length()));
    }
    println!("door: gap {}, tilt {}", worst.0, worst.1);
    assert!(worst.0 < LOCKED && worst.1 < LOCKED, "gap and tilt: {worst:?}");
}

/// A swinging rod keeps its length, a rope only its greatest length.
fn distance<D: TestDim>(solver: &str, tolerance: f32) {
    let mut world = world::<D>();
    world.set_solver_by_name(solver).unwrap();
    let wall = ground(&mut world);
    let (bob, weight) = (body(&mut world, 1.0, 0.0, 1.0, 0.1), body(&mut world, 3.0, 0.0, 1.0, 0.1));
    let def = JointDef::rod(&world, wall, bob, at::<D>(0.0, 0.0), at::<D>(1.0, 0.0)).unwrap();
    let rod = world.create_joint(def).unwrap();
    let kind = JointKind::Distance(Distance { max: 2.0, ..Distance::default() });
    let anchors = [at::<D>(3.0, 0.0), at::<D>(3.0, 0.0)];
    let rope = world.create_joint(JointDef::between(&world, wall, weight, anchors, kind).unwrap()).unwrap();
    let (mut worst, mut longest) = (0.0_f32, 0.0_f32);
    for step in 0..600 {
        world.step();
        worst = worst.max((gap(&world, rod) - 1.0).abs());
        longest = longest.max(gap(&world, rope));
        if step == 30 {
            let expected = -0.5 * G * (31.0 / 60.0) * (31.0 / 60.0 + 1.0 / 240.0);
            near(
                "free fall on the rope [m]",
                world.body(weight).unwrap().center().to_vec().get(1),
                expected,
                1e-3,
            );
        }
    }
    println!("rod {}D {solver}: error {worst}, rope {longest}", D::N);
    assert!(worst < tolerance, "the rod's length is off by {worst} m");
    assert!(longest < 2.0 + tolerance, "the rope is {longest} m long");
    close("the weight hangs on the rope [m]", gap(&world, rope), 2.0, tolerance);
}

#[test]
fn distance_2d() {
    distance::<D2>("soft-step", LOCKED);
}

#[test]
fn distance_3d() {
    distance::<D3>("soft-step", LOCKED);
}

/// What flies through the anchor of its rope is not stopped there: a rope has no shortest length.
fn ropes_let_anchors_pass<D: TestDim>() {
    for solver in ["soft-step", "baumgarte"] {
        let mut world = weightless::<D>();
        world.set_solver_by_name(solver).unwrap();
        let wall = ground(&mut world);
        // Not at the end of a sub-step, where it would be over the anchor.
        let bob = body(&mut world, -0.98, 0.0, 1.0, 0.1);
        world.body_mut(bob).unwrap().set_linear_velocity(D::xy(10.0, 0.0)).unwrap();
        let kind = JointKind::Distance(Distance { max: 5.0, ..Distance::default() });
        world.create_joint(JointDef::new(wall, bob, kind)).unwrap();
        for step in 0..12 {
            let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
            world.step();
            copy.step();
            assert_eq!(copy.state_hash(), world.state_hash(), "{solver}: a copy restored before step {step}");
        }
        close("place of the bob [m]", world.body(bob).unwrap().center().to_vec().get(0), 1.02, 1e-3);
    }
}

#[test]
fn ropes_let_anchors_pass_2d() {
    ropes_let_anchors_pass::<D2>();
}

#[test]
fn ropes_let_anchors_pass_3d() {
    ropes_let_anchors_pass::<D3>();
}

#[test]
fn joints_hold_with_every_solver() {
    for solver in ["soft-step", "baumgarte"] {
        let mut world = world::<D3>();
        world.set_solver_by_name(solver).unwrap();
        let mut last = ground(&mut world);
        let mut joints = Vec::new();
        for i in 0..5 {
            let link = body(&mut world, i as f32 + 0.5, 0.0, 1.0, 0.1);
            joints.push(hinge(&mut world, last, link, i as f32, 0.0, Hinge::default()));
            last = link;
        }
        run(&mut world, 5.0);
        for joint in joints {
            let gap = gap(&world, joint);
            assert!(gap < 0.03, "{solver}: gap {gap}");
        }
    }
}
