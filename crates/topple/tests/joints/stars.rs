//! Bodies that bear many joints: however light they are for what hangs on them, it hangs still, swings without gain, and falls as one.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyId, D2, D3, JointDef, JointId, World};

/// How rods hang under a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hung {
    Hinge,
    Ball,
    Fixed,
    /// Along the vertical, at the end of its way.
    Slider,
    /// On a bar of 1 m.
    Bar,
    /// On a taut rope of 1 m.
    Rope,
}

const ALL: [Hung; 6] = [Hung::Hinge, Hung::Ball, Hung::Fixed, Hung::Slider, Hung::Bar, Hung::Rope];

struct Star<D: TestDim> {
    world: World<D>,
    weld: JointId,
    /// Those whose anchors have to stay together.
    joints: Vec<JointId>,
    rods: Vec<BodyId>,
}

/// `count` rods of `mass` kg and 1 m at rest under a beam of 1 kg and 3 m, which is welded to the ground.
fn star<D: TestDim>(count: usize, mass: f32, hung: Hung) -> Star<D> {
    let mut world = world::<D>();
    let wall = ground(&mut world);
    let beam = body(&mut world, 0.0, 0.0, 1.0, 0.75);
    let weld = join(&mut world, wall, beam, 0.0, 0.0, JointKind::Fixed);
    let (mut joints, mut rods) = (vec![weld], Vec::new());
    for i in 0..count {
        let x = -1.4 + 2.8 * i as f32 / (count - 1) as f32;
        let is_far = matches!(hung, Hung::Bar | Hung::Rope);
        let drop = if is_far { 1.0 } else { 0.0 };
        let rod = body(&mut world, x, -0.6 - drop, mass, mass / 12.0);
        let kind = match hung {
            Hung::Hinge => {
                joints.push(hinge(&mut world, beam, rod, x, -0.1, Hinge::default()));
                rods.push(rod);
                continue;
            }
            Hung::Ball => JointKind::Ball(Ball::default()),
            Hung::Fixed => JointKind::Fixed,
            Hung::Slider => {
                JointKind::Slider(Slider { limits: Some(Limits::new(-0.1, 0.0)), ..Slider::default() })
            }
            Hung::Bar => JointKind::Distance(Distance { min: 1.0, max: 1.0, spring: None }),
            Hung::Rope => JointKind::Distance(Distance { min: 0.0, max: 1.0, spring: None }),
        };
        let def = match hung {
            _ if is_far => JointDef::between(&world, beam, rod, [at::<D>(x, -0.1), at::<D>(x, -1.1)], kind),
            Hung::Slider => {
                let down = D::Rot::from_ang(D::about_z(-core::f32::consts::FRAC_PI_2));
                JointDef::at(&world, beam, rod, kind, Pose { position: at::<D>(x, -0.1), rotation: down })
            }
            _ => JointDef::at(&world, beam, rod, kind, Pose::at(at::<D>(x, -0.1))),
        };
        let joint = world.create_joint(def.unwrap()).unwrap();
        if !is_far && hung != Hung::Slider {
            joints.push(joint);
        }
        rods.push(rod);
    }
    Star { world, weld, joints, rods }
}

/// Widest gap of the joints that are still there [m].
fn widest<D: TestDim>(star: &Star<D>) -> f32 {
    let gaps = star.joints.iter().map(|&id| star.world.joint(id).map_or(0.0, |joint| joint.length()));
    gaps.fold(0.0, f32::max)
}

/// Everything hangs where it was made, and the weld bears the whole weight.
fn stars_hang_still<D: TestDim>() {
    for (count, mass) in
        [(6, 1.0), (8, 1.0), (12, 1.0), (16, 1.0), (40, 1.0), (120, 1.0), (12, 20.0), (60, 20.0), (100, 0.05)]
    {
        for hung in ALL {
            let what = format!("{count} of {mass} kg, {hung:?}, {}D", D::N);
            let mut star = star::<D>(count, mass, hung);
            let before = energy(&star.world);
            for _ in 0..120 {
                star.world.step();
                assert!(widest(&star) < 1e-3, "{what}: gap {} m", widest(&star));
            }
            let gained = energy(&star.world) - before;
            assert!(gained < 1e-3 * f64::from(1.0 + count as f32 * mass), "{what}: {gained} J from nothing");
            let weight = G * (1.0 + count as f32 * mass);
            near(
                &format!("{what}: force of the weld [N]"),
                star.world.joint(star.weld).unwrap().force().length(),
                weight,
                0.01,
            );
        }
    }
}

/// Pushed, they swing and do not gain; let go, they fall as one.
fn stars_swing_and_fall<D: TestDim>() {
    for (count, mass) in [(12, 1.0), (40, 1.0), (100, 1.0), (24, 20.0)] {
        for hung in ALL {
            let what = format!("{count} of {mass} kg, {hung:?}, {}D", D::N);
            let mut star = star::<D>(count, mass, hung);
            for (i, &rod) in star.rods.iter().enumerate() {
                let speed = 2.0 * sin_cos(0.7 * i as f32).0;
                star.world.body_mut(rod).unwrap().set_linear_velocity(D::xy(speed, 0.0)).unwrap();
            }
            star.world.step();
            let before = energy(&star.world);
            let mut gap = 0.0_f32;
            for _ in 0..120 {
                star.world.step();
                gap = gap.max(widest(&star));
            }
            let kick = f64::from(count as f32 * mass);
            // Twenty times the weight of the beam at each of its joints, struck at once, open the weld for a moment.
            let (most, left) = if mass > 1.0 { (0.05, 5e-3) } else { (0.01, 4e-3) };
            assert!(gap < most, "{what}: gap {gap} m when pushed");
            assert!(widest(&star) < left, "{what}: gap {} m after a push", widest(&star));
            let gained = energy(&star.world) - before;
            assert!(gained < 0.02 * kick, "{what}: {gained} J from nothing when pushed");
            star.world.remove_joint(star.weld).unwrap();
            let before = energy(&star.world);
            for _ in 0..60 {
                star.world.step();
                gap = gap.max(widest(&star));
            }
            assert!(gap < most.max(0.02), "{what}: gap {gap} m let go");
            let gained = energy(&star.world) - before;
            assert!(gained < 0.02 * kick, "{what}: {gained} J from nothing let go");
        }
    }
}

both! {
    stars_hang_still, stars_hang_still_2d, stars_hang_still_3d;
    stars_swing_and_fall, stars_swing_and_fall_2d, stars_swing_and_fall_3d;
}

/// A ball on an arm of 0.5 m falls onto the cone of its joint, however compact it is, and lies there with its weight.
#[test]
fn cones_hold_compact_bodies() {
    let arm = 0.5;
    for radius in [0.2, 0.1, 0.05, 0.03, 0.0158_f32] {
        let what = |part: &str| format!("{part}, radius {radius} m");
        let mut world = world::<D3>();
        let wall = ground(&mut world);
        let ball = body(&mut world, arm, 0.0, 1.0, 0.4 * radius * radius);
        let joint =
            join(&mut world, wall, ball, 0.0, 0.0, JointKind::Ball(Ball { cone: Some(0.6), twist: None }));
        let angle = |world: &World<D3>| {
            let [a, b] = world.joint(joint).unwrap().frames();
            (a.relative(b).rotation * Vec3::X).angle_between(Vec3::X)
        };
        for _ in 0..300 {
            world.step();
            assert!(angle(&world) < 0.61, "{}: {} rad", what("cone"), angle(&world));
            assert!(gap(&world, joint) < 2e-3, "{}: {} m", what("gap"), gap(&world, joint));
        }
        close(&what("angle at rest [rad]"), angle(&world), 0.6, 2e-3);
        let torque = G * arm * sin_cos(0.6).1;
        near(&what("torque of the cone [N·m]"), world.joint(joint).unwrap().torque().length(), torque, 0.01);
        near(&what("force [N]"), world.joint(joint).unwrap().force().length(), G, 0.01);
    }
}

/// The twist limit of a ball joint under a small ball aside of its axis.
#[test]
fn twists_hold_compact_bodies() {
    let arm = 0.5;
    for radius in [0.2, 0.05, 0.02_f32] {
        let what = |part: &str| format!("{part}, radius {radius} m");
        let mut world = world::<D3>();
        let wall = ground(&mut world);
        // On an arm along x, the frames of the joint turned so that gravity twists it about their x axis, which is z of the world.
        let ball = body(&mut world, arm, 0.0, 1.0, 0.4 * radius * radius);
        let kind = JointKind::Ball(Ball { cone: Some(0.05), twist: Some(Limits::new(-0.4, 0.4)) });
        let frame = Pose { position: at::<D3>(0.0, 0.0), rotation: D3::hinge_frame() };
        let def = JointDef::at(&world, wall, ball, kind, frame).unwrap();
        let joint = world.create_joint(def).unwrap();
        for _ in 0..300 {
            world.step();
            assert!(gap(&world, joint) < 5e-3, "{}: {} m", what("gap"), gap(&world, joint));
        }
        let place = world.body(ball).unwrap().position().to_vec();
        close(&what("height at rest [m]"), place.y, -arm * sin_cos(0.4).0, 3e-3);
    }
}
