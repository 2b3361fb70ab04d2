//! Every kind, along and about each axis of its frame: what is free accelerates like a free body, what is locked gives way by what
//! its stiffness allows and answers the load.
//!
//! Both bodies have their centre of mass in the anchor, so that each push meets one degree of freedom. The frame is turned
//! against the world. The mate is static (joints in lanes), kinematic (one by one) or dynamic (pushed the opposite way).

use crate::support::*;
use topple::joint::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, D2, D3, JointDef, JointId, Motion, World};

/// Mass [kg] and moment of inertia [kg·m²] of the pushed body, and of a mate that can move.
pub(crate) const BODY: (f32, f32) = (2.0, 0.3);
pub(crate) const MATE: (f32, f32) = (5.0, 0.7);
/// Push [N] and turn [N·m].
pub(crate) const FORCE: f32 = 3.0;
pub(crate) const TORQUE: f32 = 0.4;
/// How long it is pushed [s].
const TIME: f32 = 0.5;
/// Share by which a free body's velocity may be missed.
pub(crate) const FREE: f32 = 1e-3;
/// Share by which the answer of a locked axis may miss the load.
pub(crate) const ANSWER: f32 = 5e-3;
/// Resting place of what is pushed where it may not go: rounding of half a metre [m or rad].
const ROUNDING: f32 = 2e-6;

/// How many axes a body of this dimension can turn about.
pub(crate) fn turns<D: TestDim>() -> usize {
    if D::N == 3 { 3 } else { 1 }
}

/// Force [N] and torque [N·m] at the centre of mass, world frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push<D: TestDim> {
    pub(crate) force: D::Vec,
    pub(crate) torque: D::Ang,
}

/// Along axis k of the frame, or about axis k − N.
pub(crate) fn push<D: TestDim>(frame: D::Rot, k: usize, sign: f32) -> Push<D> {
    if k < D::N {
        let force = frame.rotate(D::Vec::axis(k)) * (sign * FORCE);
        return Push { force, torque: D::Ang::ZERO };
    }
    let mut axis = D::Ang::ZERO;
    axis.set(k - D::N, sign * TORQUE);
    Push { force: D::Vec::ZERO, torque: frame.rotate_ang(axis) }
}

/// A joint between two bodies in the same place.
pub(crate) struct Joined<D: TestDim> {
    pub(crate) world: World<D>,
    pub(crate) joint: JointId,
    pub(crate) mate: BodyId,
    pub(crate) body: BodyId,
    pub(crate) frame: D::Rot,
}

impl<D: TestDim> Joined<D> {
    /// Anchors at both centres, or for kinds with a length 1 m apart along x of the frame.
    pub(crate) fn new(kind: JointKind<D>, mate: BodyKind) -> Self {
        let mut world = weightless::<D>();
        let frame = D::tilted();
        let center = at::<D>(0.3, -0.2);
        let def = BodyDef {
            kind: mate,
            mass: (mate == BodyKind::Dynamic).then(|| D::mass(MATE.0, MATE.1)),
            ..BodyDef::fixed(center)
        };
        let mate = world.create_body(def).unwrap();
        let apart = matches!(kind, JointKind::Distance(_) | JointKind::Spring(_));
        let place = center + frame.rotate(D::Vec::axis(0)) * if apart { 1.0 } else { 0.0 };
        let def = BodyDef { mass: Some(D::mass(BODY.0, BODY.1)), ..BodyDef::dynamic(place) };
        let body = world.create_body(def).unwrap();
        let mut def = JointDef::new(mate, body, kind);
        (def.local_a.rotation, def.local_b.rotation) = (frame, frame);
        let joint = world.create_joint(def).unwrap();
        Self { world, joint, mate, body, frame }
    }

    /// Pushes for `seconds`, the mate the opposite way.
    pub(crate) fn push(&mut self, push: Push<D>, seconds: f32) {
        for _ in 0..(seconds * 60.0).round() as u32 {
            for (id, sign) in [(self.body, 1.0), (self.mate, -1.0)] {
                if self.world.body(id).unwrap().kind() == BodyKind::Dynamic {
                    let mut body = self.world.body_mut(id).unwrap();
                    body.apply_force(push.force * sign).unwrap();
                    body.apply_torque(push.torque * sign).unwrap();
                }
            }
            self.world.step();
        }
    }

    pub(crate) fn motion(&self) -> Motion<D> {
        self.world.body(self.body).unwrap().motion()
    }

    /// 1/m and 1/I of the pair [1/kg, 1/(kg·m²)].
    pub(crate) fn ease(&self) -> (f32, f32) {
        let is_pair = self.world.body(self.mate).unwrap().kind() == BodyKind::Dynamic;
        let mate = if is_pair { (1.0 / MATE.0, 1.0 / MATE.1) } else { (0.0, 0.0) };
        (1.0 / BODY.0 + mate.0, 1.0 / BODY.1 + mate.1)
    }

    /// Place of frame b in frame a: how far it went along axis k, or turned about axis k − N.
    pub(crate) fn way(&self, k: usize) -> f32 {
        let [a, b] = self.world.joint(self.joint).unwrap().frames();
        let seen = a.relative(b);
        if k < D::N { seen.position.to_vec().get(k) } else { seen.rotation.to_ang().get(k - D::N) }
    }
}

/// Pushed along or about axis k, the body gains what a free body gains, and nothing else.
fn is_free<D: TestDim>(kind: JointKind<D>, mate: BodyKind, k: usize, sign: f32) {
    let what = format!("{kind:?}, {mate:?} mate, {}D, axis {k}, {sign:+}", D::N);
    let mut joined = Joined::new(kind, mate);
    let push = push::<D>(joined.frame, k, sign);
    joined.push(push, TIME);
    let motion = joined.motion();
    let (v, w) = (push.force * (TIME / BODY.0), push.torque * (TIME / BODY.1));
    let (miss_v, miss_w) = ((motion.linear - v).length(), (motion.angular - w).length());
    assert!(miss_v <= FREE * FORCE * TIME / BODY.0, "{what}: velocity {:?}, expected {v:?}", motion.linear);
    assert!(miss_w <= FREE * TORQUE * TIME / BODY.1, "{what}: spin {:?}, expected {w:?}", motion.angular);
    let joint = joined.world.joint(joined.joint).unwrap();
    assert!(joint.force().length() <= ANSWER * FORCE, "{what}: answers with {:?} N", joint.force());
    assert!(joint.torque().length() <= ANSWER * TORQUE, "{what}: answers with {:?} N·m", joint.torque());
}

/// Pushed along or about axis k, the body gives way by F/(m·ω²), ω that of the joint, and the joint answers the push.
fn is_locked<D: TestDim>(kind: JointKind<D>, mate: BodyKind, k: usize, sign: f32) {
    let what = format!("{kind:?}, {mate:?} mate, {}D, axis {k}, {sign:+}", D::N);
    let mut joined = Joined::new(kind, mate);
    let push = push::<D>(joined.frame, k, sign);
    let start = joined.way(k);
    joined.push(push, 1.0);
    let omega = core::f32::consts::TAU * joined.world.settings().joint_hertz;
    let (ease, load) = if k < D::N { (joined.ease().0, FORCE) } else { (joined.ease().1, TORQUE) };
    let way = (joined.way(k) - start) * sign;
    // A tenth more, because the last sub-step has not been relaxed when the step ends.
    let allowed = 1.1 * load * ease / (omega * omega) + ROUNDING;
    assert!(way >= -ROUNDING && way <= allowed, "{what}: gives way by {way}, allowed {allowed}");
    let joint = joined.world.joint(joined.joint).unwrap();
    // A mate that moves takes its share of nothing: it is pushed just as much.
    let (force, torque) = (joint.force() + push.force, joint.torque() + push.torque);
    assert!(force.length() <= ANSWER * FORCE, "{what}: answers with {:?} N", joint.force());
    assert!(torque.length() <= ANSWER * TORQUE, "{what}: answers with {:?} N·m", joint.torque());
    let motion = joined.motion();
    assert!(motion.linear.length() < 1e-3 && motion.angular.length() < 1e-3, "{what}: moves by {motion:?}");
}

/// Each axis of the frame both ways: those in `free` are free, all others locked.
fn check<D: TestDim>(kind: JointKind<D>, free: &[usize]) {
    for mate in [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic] {
        for k in 0..D::N + turns::<D>() {
            for sign in [1.0, -1.0] {
                match free.contains(&k) {
                    true => is_free(kind, mate, k, sign),
                    false => is_locked(kind, mate, k, sign),
                }
            }
        }
    }
}

#[test]
fn freedoms_2d() {
    let (turn, all) = (2, [0, 1, 2]);
    check::<D2>(JointKind::Ball(Ball::default()), &[turn]);
    check::<D2>(JointKind::Hinge(Hinge::default()), &[turn]);
    check::<D2>(JointKind::Slider(Slider::default()), &[0]);
    check::<D2>(JointKind::Fixed, &[]);
    check::<D2>(JointKind::Wheel(Wheel { spring: None, ..Wheel::default() }), &[0, turn]);
    check::<D2>(JointKind::Motor(Drive::default()), &all);
    // Idle: a motor of no force, limits far away.
    let motor = Some(Motor::Velocity { speed: 5.0, max: 0.0 });
    let limits = Some(Limits::new(-3.0, 3.0));
    check::<D2>(JointKind::Hinge(Hinge { motor, limits, spring: None }), &[turn]);
    check::<D2>(JointKind::Slider(Slider { motor, limits, spring: None }), &[0]);
}

#[test]
fn freedoms_3d() {
    let (x, y, z) = (3, 4, 5);
    check::<D3>(JointKind::Ball(Ball::default()), &[x, y, z]);
    check::<D3>(JointKind::Hinge(Hinge::default()), &[x]);
    check::<D3>(JointKind::Slider(Slider::default()), &[0]);
    check::<D3>(JointKind::Fixed, &[]);
    check::<D3>(JointKind::Wheel(Wheel { spring: None, ..Wheel::default() }), &[0, z]);
    check::<D3>(JointKind::Motor(Drive::default()), &[0, 1, 2, x, y, z]);
    let motor = Some(Motor::Velocity { speed: 5.0, max: 0.0 });
    let limits = Some(Limits::new(-3.0, 3.0));
    check::<D3>(JointKind::Ball(Ball { cone: Some(3.0), twist: limits }), &[x, y, z]);
    check::<D3>(JointKind::Hinge(Hinge { motor, limits, spring: None }), &[x]);
    check::<D3>(JointKind::Slider(Slider { motor, limits, spring: None }), &[0]);
}

/// A rod holds along its line both ways, a rope outwards, a strut inwards; all else is free. Pushed across for a moment only, because the
/// body leaves the line on a circle.
fn lines<D: TestDim>() {
    let line = |min: f32, max: f32| JointKind::Distance(Distance { min, max, spring: None });
    let kinds = [
        (line(1.0, 1.0), [true, true]),
        (line(0.0, 1.0), [true, false]),
        (line(1.0, f32::INFINITY), [false, true]),
    ];
    for mate in [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic] {
        for (kind, holds) in kinds {
            for (hold, sign) in holds.into_iter().zip([1.0, -1.0]) {
                match hold {
                    true => is_locked(kind, mate, 0, sign),
                    false => is_free(kind, mate, 0, sign),
                }
                // The body turns about its anchor as it likes.
                (D::N..D::N + turns::<D>()).for_each(|k| is_free(kind, mate, k, sign));
            }
            for k in 1..D::N {
                let mut joined = Joined::new(kind, mate);
                let push = push::<D>(joined.frame, k, 1.0);
                joined.push(push, 0.1);
                let expected = push.force * (0.1 / BODY.0);
                let miss = (joined.motion().linear - expected).length();
                // On the circle the velocity has turned by v·t/(2·r) = 0.75 %.
                assert!(miss < 0.02 * expected.length(), "{kind:?}, {mate:?}: across, off by {miss} m/s");
            }
        }
        // A spring at its rest length pulls neither across nor about the anchor.
        let spring = JointKind::Spring(SpringDamper { stiffness: 40.0, damping: 1.0, rest_length: 1.0 });
        for k in 1..D::N + turns::<D>() {
            let mut joined = Joined::new(spring, mate);
            let push = push::<D>(joined.frame, k, 1.0);
            joined.push(push, 0.1);
            let (v, w) = (push.force * (0.1 / BODY.0), push.torque * (0.1 / BODY.1));
            let miss = (joined.motion().linear - v).length() + (joined.motion().angular - w).length();
            assert!(miss < 1e-3, "spring, {mate:?}, axis {k}: off by {miss}");
        }
    }
}

#[test]
fn lines_2d() {
    lines::<D2>();
}

#[test]
fn lines_3d() {
    lines::<D3>();
}

/// The checks themselves: a locked axis is not taken for a free one, nor the other way round.
#[test]
#[should_panic(expected = "axis 1, +1: velocity")]
fn locked_is_not_free() {
    is_free::<D3>(JointKind::Slider(Slider::default()), BodyKind::Static, 1, 1.0);
}

#[test]
#[should_panic(expected = "axis 0, +1: gives way")]
fn free_is_not_locked() {
    is_locked::<D3>(JointKind::Slider(Slider::default()), BodyKind::Static, 0, 1.0);
}
