//! Loads on what a joint leaves free: limits hold one way, motors up to their force, springs by their law; reactions equal the
//! load, and events tell when it is too much. Bodies and mates are those of `freedoms.rs`.

use crate::freedoms::*;
use crate::motors::check_oscillation;
use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyKind, D2, D3, JointDef, World};

const MATES: [BodyKind; 3] = [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic];

/// The axis that a hinge turns about, and that of the axle of a wheel, counted as in `push`.
fn hinge_axis<D: TestDim>() -> usize {
    D::N
}
fn axle<D: TestDim>() -> usize {
    D::N + turns::<D>() - 1
}

/// Kinds with bounds from −0.2 to 0.3 [m or rad] of axis k, and the place where it starts.
fn bounded<D: TestDim>() -> Vec<(JointKind<D>, usize, f32)> {
    let limits = Some(Limits::new(-0.2, 0.3));
    let mut kinds = vec![
        (JointKind::Hinge(Hinge { limits, ..Hinge::default() }), hinge_axis::<D>(), 0.0),
        (JointKind::Slider(Slider { limits, ..Slider::default() }), 0, 0.0),
        (JointKind::Wheel(Wheel { limits, spring: None, ..Wheel::default() }), 0, 0.0),
        (JointKind::Distance(Distance { min: 0.8, max: 1.3, spring: None }), 0, 1.0),
    ];
    if D::N == 3 {
        kinds.push((JointKind::Ball(Ball { cone: None, twist: limits }), 3, 0.0));
    }
    kinds
}

/// Pushed to a limit, a body stops there and the joint answers the push; pushed back, it goes like a free body.
fn one_sided<D: TestDim>(kind: JointKind<D>, mate: BodyKind, k: usize, sign: f32, stop: f32) {
    let what = format!("{kind:?}, {mate:?} mate, {}D, axis {k}, {sign:+}", D::N);
    let mut joined = Joined::new(kind, mate);
    let there = push::<D>(joined.frame, k, sign);
    joined.push(there, 2.0);
    close(&format!("{what}: stops at"), joined.way(k), stop, 1e-3);
    let joint = joined.world.joint(joined.joint).unwrap();
    let (force, torque) = (joint.force() + there.force, joint.torque() + there.torque);
    assert!(force.length() <= ANSWER * FORCE, "{what}: answers with {:?} N", joint.force());
    assert!(torque.length() <= ANSWER * TORQUE, "{what}: answers with {:?} N·m", joint.torque());
    let back = push::<D>(joined.frame, k, -sign);
    joined.push(back, 0.2);
    let motion = joined.motion();
    let (v, w) = (back.force * (0.2 / BODY.0), back.torque * (0.2 / BODY.1));
    let miss = (motion.linear - v).length() / (FORCE * 0.2 / BODY.0)
        + (motion.angular - w).length() / (TORQUE * 0.2 / BODY.1);
    // What the limit gave way by, it gives back.
    assert!(miss < 0.01, "{what}: {motion:?} on the way back, expected {v:?} and {w:?}");
}

#[test]
fn limits_hold_one_way_2d() {
    for mate in MATES {
        for (kind, k, start) in bounded::<D2>() {
            one_sided(kind, mate, k, 1.0, start + 0.3);
            one_sided(kind, mate, k, -1.0, start - 0.2);
        }
    }
}

#[test]
fn limits_hold_one_way_3d() {
    for mate in MATES {
        for (kind, k, start) in bounded::<D3>() {
            one_sided(kind, mate, k, 1.0, start + 0.3);
            one_sided(kind, mate, k, -1.0, start - 0.2);
        }
        let cone = JointKind::<D3>::Ball(Ball { cone: Some(0.25), twist: None });
        for (k, sign) in [(4, 1.0), (4, -1.0), (5, 1.0), (5, -1.0)] {
            one_sided(cone, mate, k, sign, sign * 0.25);
        }
    }
}

/// Kinds with a motor along or about axis k.
fn driven<D: TestDim>(motor: Motor) -> Vec<(JointKind<D>, usize)> {
    let motor = Some(motor);
    vec![
        (JointKind::Hinge(Hinge { motor, ..Hinge::default() }), hinge_axis::<D>()),
        (JointKind::Slider(Slider { motor, ..Slider::default() }), 0),
        (JointKind::Wheel(Wheel { motor, spring: None, ..Wheel::default() }), axle::<D>()),
    ]
}

/// Velocity [m/s or rad/s] of the body against its mate along or about axis k.
fn speed<D: TestDim>(joined: &Joined<D>, k: usize) -> f32 {
    let [mate, body] = [joined.mate, joined.body].map(|id| joined.world.body(id).unwrap().motion());
    let (v, w) = (body.linear - mate.linear, body.angular - mate.angular);
    if k < D::N { joined.frame.rotate_inv(v).get(k) } else { joined.frame.rotate_ang_inv(w).get(k - D::N) }
}

/// A motor holds against four fifths of its force, to the place if it is a servo; against three halves it goes with what is left.
fn stall<D: TestDim>() {
    for mate in MATES {
        for is_servo in [false, true] {
            let motor = |max: f32| match is_servo {
                true => Motor::Position { target: 0.0, hertz: 2.0, damping: 1.0, max },
                false => Motor::Velocity { speed: 0.0, max },
            };
            for i in 0..3 {
                let load = if driven::<D>(motor(1.0))[i].1 < D::N { FORCE } else { TORQUE };
                let (kind, k) = driven::<D>(motor(load / 0.8))[i];
                let what = format!("{kind:?}, {mate:?} mate, {}D", D::N);
                let mut joined = Joined::new(kind, mate);
                let load_at = push::<D>(joined.frame, k, 1.0);
                joined.push(load_at, 3.0);
                close(&format!("{what}: holds"), speed(&joined, k), 0.0, 1e-3);
                let joint = joined.world.joint(joined.joint).unwrap();
                let answer =
                    (joint.force() + load_at.force).length() + (joint.torque() + load_at.torque).length();
                assert!(
                    answer <= 0.01 * load,
                    "{what}: answers with {:?}, {:?}",
                    joint.force(),
                    joint.torque()
                );
                let ease = if k < D::N { joined.ease().0 } else { joined.ease().1 };
                if is_servo {
                    let omega = core::f32::consts::TAU * 2.0;
                    near(
                        &format!("{what}: gives way by"),
                        joined.way(k),
                        load * ease / (omega * omega),
                        0.01,
                    );
                }
                let (kind, k) = driven::<D>(motor(load / 1.5))[i];
                let mut joined = Joined::new(kind, mate);
                joined.push(load_at, 0.5);
                let before = speed(&joined, k);
                joined.push(load_at, 0.25);
                let gained = (speed(&joined, k) - before) / 0.25;
                near(&format!("{what}: stalled, gains"), gained, (load - load / 1.5) * ease, 0.005);
            }
        }
    }
}

#[test]
fn stall_2d() {
    stall::<D2>();
}

#[test]
fn stall_3d() {
    stall::<D3>();
}

/// A drive holds against less than its force and torque, along and about every axis, and goes with what is left of more.
fn drive_stalls<D: TestDim>() {
    for mate in MATES {
        for k in 0..D::N + turns::<D>() {
            let (load, is_force) = if k < D::N { (FORCE, true) } else { (TORQUE, false) };
            let drive = |max: f32| {
                let (max_force, max_torque) = if is_force { (max, 1e3) } else { (1e3, max) };
                JointKind::Motor(Drive { max_force, max_torque, ..Drive::default() })
            };
            let mut joined = Joined::<D>::new(drive(load / 0.8), mate);
            let load_at = push::<D>(joined.frame, k, 1.0);
            joined.push(load_at, 1.0);
            close("a drive holds [m/s or rad/s]", speed(&joined, k), 0.0, 1e-3);
            let mut joined = Joined::<D>::new(drive(load / 1.5), mate);
            joined.push(load_at, 0.5);
            let ease = if is_force { joined.ease().0 } else { joined.ease().1 };
            near("a drive that stalls gains", speed(&joined, k), (load - load / 1.5) * ease * 0.5, 0.005);
        }
    }
}

#[test]
fn drive_stalls_2d() {
    drive_stalls::<D2>();
}

#[test]
fn drive_stalls_3d() {
    drive_stalls::<D3>();
}

/// Servos, drives and mouse are springs while their force lasts; the same frequency and damping between two bodies. A spring of k [N/m]
/// swings with √(k·(1/m_a + 1/m_b)).
fn swings<D: TestDim>() {
    let (hertz, zeta) = (2.0, 0.1);
    for mate in MATES {
        let motor = Motor::Position { target: 0.0, hertz, damping: zeta, max: f32::INFINITY };
        let drive = Drive { hertz, damping: zeta, max_force: 1e4, max_torque: 1e4, ..Drive::default() };
        let every = 0..D::N + turns::<D>();
        let drives = every.map(|k| (JointKind::Motor(drive), k));
        for (kind, k) in driven::<D>(motor).into_iter().chain(drives) {
            let mut joined = Joined::new(kind, mate);
            let start = push::<D>(joined.frame, k, 1.0);
            let mut body = joined.world.body_mut(joined.body).unwrap();
            body.apply_impulse(start.force * 0.3).unwrap();
            body.apply_angular_impulse(start.torque * 0.3).unwrap();
            // The mate gets the opposite, so that the pair stays where it is.
            if mate == BodyKind::Dynamic {
                let mut mate = joined.world.body_mut(joined.mate).unwrap();
                mate.apply_impulse(start.force * -0.3).unwrap();
                mate.apply_angular_impulse(start.torque * -0.3).unwrap();
            }
            let (joint, n) = (joined.joint, D::N);
            let way = move |world: &World<D>| {
                let [a, b] = world.joint(joint).unwrap().frames();
                let seen = a.relative(b);
                if k < n { seen.position.to_vec().get(k) } else { seen.rotation.to_ang().get(k - n) }
            };
            check_oscillation(&format!("{kind:?} along {k}"), &mut joined.world, hertz, zeta, way);
        }
    }
    let target = at::<D>(0.3, -0.2);
    let mouse = Mouse { hertz, damping: zeta, ..Mouse::to(target) };
    let mut joined = Joined::<D>::new(JointKind::Mouse(mouse), BodyKind::Static);
    let body = joined.body;
    joined.world.body_mut(body).unwrap().set_linear_velocity(D::xy(1.0, 0.0)).unwrap();
    check_oscillation("mouse", &mut joined.world, hertz, zeta, |world| {
        (world.body(body).unwrap().position() - target).get(0)
    });

    let ease = 1.0 / BODY.0 + 1.0 / MATE.0;
    let omega = core::f32::consts::TAU * hertz;
    let (k, c) = (omega * omega / ease, 2.0 * zeta * omega / ease);
    let kind = JointKind::Spring(SpringDamper { stiffness: k, damping: c, rest_length: 1.0 });
    let mut joined = Joined::<D>::new(kind, BodyKind::Dynamic);
    let axis = joined.frame.rotate(D::Vec::axis(0));
    joined.world.body_mut(joined.body).unwrap().apply_impulse(axis).unwrap();
    joined.world.body_mut(joined.mate).unwrap().apply_impulse(-axis).unwrap();
    let joint = joined.joint;
    check_oscillation("spring between two", &mut joined.world, hertz, zeta, |world| {
        world.joint(joint).unwrap().length() - 1.0
    });
}

#[test]
fn swings_2d() {
    swings::<D2>();
}

#[test]
fn swings_3d() {
    swings::<D3>();
}

/// Two welded bodies held by a weld, far from its anchor, under any force and torque: each weld answers all that hangs on it, about
/// its own anchor.
fn welds_answer_any_load<D: TestDim>() {
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        let mut world = world::<D>();
        let wall = world.create_body(BodyDef { kind, ..BodyDef::fixed(at::<D>(0.0, 0.0)) }).unwrap();
        let (near_one, far_one) =
            (body(&mut world, 0.5, 0.2, 2.0, 0.3), body(&mut world, 1.2, -0.1, 3.0, 0.5));
        let anchors = [at::<D>(0.1, 0.0), at::<D>(0.8, 0.3)];
        let inner = world.create_joint(JointDef::fixed(&world, wall, near_one, anchors[0]).unwrap()).unwrap();
        let outer =
            world.create_joint(JointDef::fixed(&world, near_one, far_one, anchors[1]).unwrap()).unwrap();
        let (mut force, mut torque) = (D::xy(4.0, -7.0), D::about_z(1.5));
        force.set(D::N - 1, 3.0);
        torque.set(0, -0.8);
        for _ in 0..180 {
            world.body_mut(far_one).unwrap().apply_force(force).unwrap();
            world.body_mut(far_one).unwrap().apply_torque(torque).unwrap();
            world.step();
        }
        let weight = |m: f32| D::xy(0.0, -m * G);
        let [x_near, x_far] = [near_one, far_one].map(|id| world.body(id).unwrap().center());
        let loads = [
            (inner, anchors[0], vec![(x_near, weight(2.0)), (x_far, weight(3.0) + force)]),
            (outer, anchors[1], vec![(x_far, weight(3.0) + force)]),
        ];
        for (joint, anchor, loads) in loads {
            let joint = world.joint(joint).unwrap();
            let push = loads.iter().fold(D::Vec::ZERO, |sum, load| sum + load.1);
            let turn = loads.iter().fold(torque, |sum, load| sum + D::cross(load.0 - anchor, load.1));
            let (off, askew) = ((joint.force() + push).length(), (joint.torque() + turn).length());
            assert!(off <= ANSWER * push.length(), "{kind:?}: {:?} N against {push:?}", joint.force());
            assert!(askew <= ANSWER * turn.length(), "{kind:?}: {:?} N·m against {turn:?}", joint.torque());
        }
    }
}

#[test]
fn welds_answer_any_load_2d() {
    welds_answer_any_load::<D2>();
}

#[test]
fn welds_answer_any_load_3d() {
    welds_answer_any_load::<D3>();
}

/// A load 1 % below the limit raises no event, 1 % above one in every step, with the load in it; so for force and torque.
fn events_begin_at_the_limit<D: TestDim>() {
    let (m, arm) = (3.0, 0.7);
    for (is_force, load) in [(true, m * G), (false, m * G * arm)] {
        for (share, expected) in [(1.01, 0), (0.99, 60)] {
            let mut world = world::<D>();
            let wall = ground(&mut world);
            let beam = body(&mut world, arm, 0.0, m, 0.5);
            let joint = join(&mut world, wall, beam, 0.0, 0.0, JointKind::Fixed);
            run(&mut world, 2.0);
            let limits = if is_force { (share * load, f32::INFINITY) } else { (f32::INFINITY, share * load) };
            world.joint_mut(joint).unwrap().set_break_limits(limits.0, limits.1, false).unwrap();
            // Changing limits must not disturb the rest.
            let mut count = 0;
            for _ in 0..60 {
                world.step();
                for event in &world.events().joint {
                    assert_eq!((event.joint, event.bodies, event.is_broken), (joint, [wall, beam], false));
                    near("force of the event [N]", event.force, m * G, ANSWER);
                    near("torque of the event [N·m]", event.torque, m * G * arm, ANSWER);
                    count += 1;
                }
            }
            assert_eq!(count, expected, "limit at {share} of the load");
            world.joint_mut(joint).unwrap().set_break_limits(limits.0, limits.1, true).unwrap();
            world.step();
            assert_eq!(world.contains_joint(joint), expected == 0, "limit at {share} of the load");
            assert_eq!(world.events().joint.iter().filter(|event| event.is_broken).count(), expected.min(1));
        }
    }
}

#[test]
fn events_begin_at_the_limit_2d() {
    events_begin_at_the_limit::<D2>();
}

#[test]
fn events_begin_at_the_limit_3d() {
    events_begin_at_the_limit::<D3>();
}
