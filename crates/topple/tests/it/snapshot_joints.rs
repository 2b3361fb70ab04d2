//! Worlds with joints of every kind go on after a snapshot as if there had been none.

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, JointDef, ShapeDef, World};

/// How long each world is followed.
const STEPS: usize = 120;
/// Share of the steps before which the copy is restored (no unit).
const RESTORED: Real = 0.3;

/// Every kind of joint, with and without limits, springs and motors.
fn kinds<D: TestDim>() -> Vec<JointKind<D>> {
    let limits = Some(Limits::new(-0.3, 0.2));
    let spring = Some(Spring { rest: 0.1, hertz: 3.0, damping: 0.2 });
    let servo = Some(Motor::Position { target: -0.4, hertz: 3.0, damping: 1.0, max: 40.0 });
    let motor = Some(Motor::Velocity { speed: 3.0, max: 5.0 });
    let rope = |max: Real| JointKind::Distance(Distance { max, ..Distance::default() });
    let mut all = vec![
        rope(0.5),
        rope(0.7),
        JointKind::Distance(Distance { min: 0.5, max: 0.5, spring: None }),
        JointKind::Distance(Distance { min: 0.4, max: 0.6, spring: None }),
        JointKind::Distance(Distance { min: 0.3, max: 0.8, spring }),
        JointKind::Distance(Distance { spring, ..Distance::default() }),
        JointKind::Ball(Ball::default()),
        JointKind::Hinge(Hinge::default()),
        JointKind::Hinge(Hinge { limits, ..Hinge::default() }),
        JointKind::Hinge(Hinge { limits, motor, spring: None }),
        JointKind::Hinge(Hinge { limits: None, motor: servo, spring }),
        JointKind::Slider(Slider::default()),
        JointKind::Slider(Slider { limits, ..Slider::default() }),
        JointKind::Slider(Slider { limits, motor, spring }),
        JointKind::Slider(Slider { limits: None, motor: servo, spring: None }),
        JointKind::Fixed,
        JointKind::Spring(SpringDamper { stiffness: 100.0, damping: 1.0, rest_length: 0.4 }),
        JointKind::Wheel(Wheel { limits, motor, ..Wheel::default() }),
        JointKind::Motor(Drive {
            velocity: D::vec(0.5, 0.2),
            hertz: 2.0,
            max_force: 30.0,
            max_torque: 5.0,
            ..Drive::default()
        }),
        JointKind::Mouse(Mouse::to(D::point(0.5, 1.5))),
    ];
    if D::N == 3 {
        all.push(JointKind::Ball(Ball { cone: Some(0.4), twist: limits }));
    }
    all
}

/// Chains of several bodies, some light with a heavy end, that hang, swing and fall among blocks; all joints of one kind, or each of another.
fn scene<D: TestDim>(kind: Option<JointKind<D>>, seed: u64, [restitution, friction]: [Real; 2]) -> World<D> {
    let mut world = World::<D>::new();
    let mut random = Random(seed * 7919 + 13);
    random.unit();
    let is_odd = seed % 2 == 1;
    adjust(&mut world, |s| s.sleeping = is_odd);
    let surface = |shape: D::Shape| ShapeDef::<D>::new(shape).restitution(restitution).friction(friction);
    let floor = surface(D::half_space(0.0, 1.0, 0.0));
    let floor = world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [floor]).unwrap();
    let carrier = BodyDef { linear_velocity: D::vec(0.2, 0.1), ..BodyDef::kinematic(D::point(0.0, 3.0)) };
    let carrier = world.create_body(carrier).unwrap();
    let all = kinds::<D>();
    for (chain, count) in [3, 6, 2, 12].into_iter().enumerate() {
        let (x, y) = (1.3 * chain as Real - 2.0, random.between(1.5, 4.0));
        let mut last = [Some(floor), None, Some(carrier), None][chain];
        for i in 0..count {
            let x = x + 0.45 * i as Real;
            let def = BodyDef {
                linear_velocity: D::vec(random.between(-3.0, 3.0), random.between(-3.0, 3.0)),
                angular_velocity: D::spin(random.between(-4.0, 4.0)),
                ..BodyDef::dynamic(D::point(x, y + random.between(-0.1, 0.1)))
            };
            let mut part = surface(if random.unit() < 0.5 { D::ball(0.15) } else { D::block(0.3, 0.2) });
            part.density = if i + 1 == count && is_odd { 40_000.0 } else { 1000.0 };
            let body = world.create_body_with(def, [part]).unwrap();
            if let Some(last) = last {
                let kind = kind.unwrap_or(all[(random.unit() * all.len() as Real) as usize]);
                let mut def =
                    JointDef::at(&world, last, body, kind, Pose::at(D::point(x - 0.22, y))).unwrap();
                // The anchors of lines are apart.
                if matches!(kind, JointKind::Distance(_) | JointKind::Spring(_)) {
                    def.local_b = Pose::IDENTITY;
                    def.local_a = if last == floor { def.local_a } else { Pose::IDENTITY };
                }
                if random.unit() < 0.1 {
                    def.softness = Some(JointSoftness { hertz: 20.0, damping: 1.0 });
                }
                world.create_joint(def).unwrap();
            }
            last = Some(body);
        }
    }
    for i in 0..6 {
        add_shaped(&mut world, random.between(-2.0, 4.0), 0.3 + 0.4 * i as Real, surface(D::cube(0.3)));
    }
    world
}

/// A copy that is restored at any time, saves the same bytes again and goes on with the same bits as the world that was never saved.
fn joints_go_on<D: TestDim>(kind: Option<JointKind<D>>, solver: &str, seed: u64, surface: [Real; 2]) {
    let mut world = scene(kind, seed, surface);
    world.set_solver_by_name(solver).unwrap();
    let mut random = Random(seed);
    let mut copy = scene(kind, seed, surface);
    copy.set_solver_by_name(solver).unwrap();
    for step in 0..STEPS {
        if random.unit() < RESTORED {
            let saved = world.snapshot();
            copy = World::restore(&saved).unwrap();
            let what = || format!("{kind:?}, {solver}, seed {seed}, {surface:?}, step {step}");
            assert!(copy.snapshot() == saved, "{}: what was restored is saved as other bytes", what());
        }
        world.step();
        copy.step();
        let what = || format!("{kind:?}, {solver}, seed {seed}, {surface:?}, step {step}");
        assert_eq!(copy.state_hash(), world.state_hash(), "{}", what());
    }
    assert!(copy.snapshot() == world.snapshot(), "{kind:?}, {solver}, seed {seed}, {surface:?}: the end");
}

fn all_joints_go_on<D: TestDim>() {
    for kind in kinds::<D>().into_iter().map(Some).chain([None]) {
        for (i, surface) in [[0.0, 0.5], [1.0, 0.0], [0.5, 0.5]].into_iter().enumerate() {
            joints_go_on(kind, "soft-step", i as u64, surface);
        }
        joints_go_on(kind, "baumgarte", 5, [0.5, 0.5]);
    }
}

#[test]
fn all_joints_go_on_2d() {
    all_joints_go_on::<D2>();
}
#[test]
fn all_joints_go_on_3d() {
    all_joints_go_on::<D3>();
}
