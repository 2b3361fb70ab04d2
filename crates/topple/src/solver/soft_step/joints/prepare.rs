//! Joints to lanes at the start of a step, and back at its end.
//!
//! What stays the same over the sub-steps is computed here once: anchors and axes in the frames of the bodies, masses, the coefficients of the laws (head
//! of `joint/rows.rs`), stiffness that follows the load, and the impulses of the last step, scaled to the length of this one's sub-steps. What turns
//! with the bodies, Jacobians and errors, is `sight.rs`, in every sub-step: joints hold points far from the centre of mass, where a frozen lever would be
//! off by its turn. Eight joints of one kind and colour make a row of lanes; those that few have go one by one (`single.rs`).

use super::JointScene;
use super::crowding::Crowding;
use super::layout::{Act, CONE, Class, Cold, Extra, LIMITS, MOTOR, NO_JOINT, SPRING, WideRow};
use crate::body::NO_SLOT;
use crate::joint::{Joint, JointKind, Limits, MAX_ROWS, Motor, Spring};
use crate::joint::{servo_target, tuned_law, tuned_reach, turn_limits, turn_near, wrap};
use crate::math::*;
use crate::solver::soft_step::lanes::F8;
use crate::solver::soft_step::pack::{Packed, plain_impulse, whiten_impulse};
use crate::solver::soft_step::rows::WIDTH;
use crate::solver::soft_step::turning::{Turning, is_far};
use crate::trusted::{Crowd, Ends};

/// The class of a joint, or None for those that go one by one: rare kinds, and bodies whose answer the lanes do not know
/// (kinematic, or locked along some axes).
pub(super) fn class_of<D: Dim>(joint: &Joint<D>, scene: &JointScene<'_, D>) -> Option<Class> {
    let class = match &joint.kind {
        JointKind::Ball(ball) if ball.cone.is_none() && ball.twist.is_none() => Class::Point,
        JointKind::Ball(_) => Class::Ball,
        JointKind::Hinge(hinge)
            if D::N == 2 && hinge.limits.is_none() && hinge.motor.is_none() && hinge.spring.is_none() =>
        {
            Class::Point
        }
        JointKind::Hinge(_) => Class::Hinge,
        JointKind::Slider(_) => Class::Slider,
        JointKind::Fixed => Class::Weld,
        JointKind::Distance(distance) if distance.min == distance.max => Class::Rod,
        JointKind::Distance(_) => Class::Rope,
        JointKind::Spring(_) | JointKind::Wheel(_) | JointKind::Motor(_) | JointKind::Mouse(_) => {
            return None;
        }
    };
    let is_plain = |body: u32| match scene.slot(body) {
        NO_SLOT => true,
        slot => {
            let props = &scene.props[slot as usize];
            props.is_dynamic && props.locks & TRANSLATION_LOCKS == 0
        }
    };
    joint.bodies.into_iter().all(is_plain).then_some(class)
}

/// Locks of translation in `BodyProps::locks`.
const TRANSLATION_LOCKS: u8 = 7;

/// True for classes that come with an [`Extra`].
pub(super) fn has_extra(class: Class) -> bool {
    class != Class::Point
}

/// Where a joint keeps the impulses of springs, motors and limits; `joint/` says so at each kind.
struct Places {
    spring: usize,
    motor: usize,
    bounds: usize,
    cone: usize,
}

fn places(class: Class) -> Places {
    match class {
        Class::Ball => Places { spring: 8, motor: 8, bounds: 4, cone: 3 },
        Class::Rod | Class::Rope => Places { spring: 2, motor: 8, bounds: 0, cone: 8 },
        _ => Places { spring: 5, motor: 6, bounds: 7, cone: 8 },
    }
}

/// Hard rows of a class; `sizes` are those of point, hinge, weld and slider.
fn hard_rows(class: Class, sizes: [usize; 4]) -> usize {
    match class {
        Class::Point | Class::Ball => sizes[0],
        Class::Hinge => sizes[1],
        Class::Weld => sizes[2],
        Class::Slider => sizes[3],
        Class::Rod => 1,
        Class::Rope => 0,
    }
}

/// Writes `values` to lane `lane`.
fn set<const M: usize>(to: &mut [F8; M], lane: usize, values: impl Fn(usize) -> Real) {
    (0..M).for_each(|i| to[i].0[lane] = values(i));
}

/// Fills a blank row whose joints are listed in `cold`.
pub(super) fn fill<D: Dim, const N: usize, const A: usize, const R: usize, const W: usize, const F: usize>(
    (row, extra, cold): (&mut WideRow<N, A, W, F>, Option<&mut Extra<R>>, &mut Cold),
    ends: &mut Ends,
    (scene, crowding): (&JointScene<'_, D>, &Crowding),
    joints: &[Joint<D>],
    sizes: [usize; 4],
) {
    // The slot after the last one is the ground.
    *ends = Ends::on(scene.props.len() as u32);
    let mut extra = extra;
    if let Some(extra) = extra.as_deref_mut() {
        *extra = Extra::default();
    }
    let warm = scene.warm;
    for lane in (0..WIDTH).filter(|&lane| cold.joints[lane] != NO_JOINT) {
        let joint = &joints[cold.joints[lane] as usize];
        let places = joint.bodies.map(|body| &scene.places[body as usize]);
        for side in 0..2 {
            let Pose { position, rotation } = joint.frames[side];
            let (mut anchor, mut frame) = (position.to_vec(), rotation);
            match scene.slot(joint.bodies[side]) {
                NO_SLOT => {
                    anchor = places[side].rotation.rotate(anchor);
                    frame = places[side].rotation.then_after(frame);
                }
                slot => {
                    ends.slots[side][lane] = slot;
                    ends.writes[side] |= 1 << lane;
                    row.inv_masses[side].0[lane] = scene.props[slot as usize].inv_mass;
                    row.turns[side] |= u8::from(is_far(scene.turning, slot)) << lane;
                    let l = &scene.whitenings[slot as usize];
                    set(&mut row.whitenings[side], lane, |i| l[i]);
                }
            }
            set(&mut row.anchors[side], lane, |i| anchor.get(i));
            if let Some(extra) = extra.as_deref_mut() {
                let floats = D::rotation_floats(frame);
                set(&mut extra.frames[side], lane, |i| floats[i]);
            }
        }
        let between = places[1].position - places[0].position;
        set(&mut row.between, lane, |i| between.get(i));
        (row.rate.0[lane], row.scale.0[lane]) = joint.hard_law(scene.settings, scene.h, scene.refinement);
        (0..hard_rows(row.class, sizes)).for_each(|i| row.lambda[i].0[lane] = warm * joint.impulses[i]);
        if let Some(extra) = extra.as_deref_mut() {
            let beside = crowding.beside(joint, scene);
            row.has |=
                fill_extra(extra, lane, row.class, joint, (scene.h, scene.settings.max_speed, beside), warm);
        }
    }
}

/// Bodies have turned: lanes of those that turn far get the whitening of their new orientation, and what the joint did in the sub-step
/// stays the same angular impulse.
#[cold]
#[inline(never)]
pub(super) fn turn<D: Dim, const N: usize, const A: usize, const W: usize, const F: usize, const S: usize>(
    rows: &mut [WideRow<N, A, W, F>],
    crowd: &Crowd<'_, Packed<S>>,
    turning: &Turning<'_, D>,
) {
    for (at, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.turns != [0; 2]) {
        let ends = &crowd.ends()[at];
        for (side, lane) in (0..2).flat_map(|side| (0..WIDTH).map(move |lane| (side, lane))) {
            if row.turns[side] >> lane & 1 == 0 {
                continue;
            }
            let value = |of: &[F8], i: usize| of.get(i).map_or(0.0, |lanes| lanes.0[lane]);
            let old = core::array::from_fn(|i| value(&row.whitenings[side], i));
            let done = plain_impulse(&old, [0, 1, 2].map(|i| value(&row.turned[side], i)));
            let mut impulse = D::Ang::ZERO;
            (0..D::ANGULAR).for_each(|i| impulse.set(i, done[i]));
            let new = turning.whitening(ends.slots[side][lane] as usize);
            let done = whiten_impulse::<D>(&new, impulse);
            set(&mut row.whitenings[side], lane, |i| new[i]);
            set(&mut row.turned[side], lane, |i| done[i]);
        }
    }
}

/// Springs, motors and limits of one joint; says which it has.
fn fill_extra<D: Dim, const R: usize>(
    extra: &mut Extra<R>,
    lane: usize,
    class: Class,
    joint: &Joint<D>,
    (h, max_speed, beside): (Real, Real, Real),
    warm: Real,
) -> u8 {
    let at = places(class);
    let impulse = |i: usize| warm * joint.impulses[i];
    let mut has = 0;
    let (spring, motor, limits) = match &joint.kind {
        JointKind::Hinge(hinge) => (hinge.spring, hinge.motor, turn_limits(hinge.limits)),
        JointKind::Slider(slider) => (slider.spring, slider.motor, slider.limits),
        JointKind::Distance(distance) => {
            // A rope has no shortest length: its anchors may pass each other.
            let lower = if distance.min > 0.0 { distance.min } else { Real::NEG_INFINITY };
            (distance.spring, None, Some(Limits { lower, upper: distance.max }))
        }
        JointKind::Ball(ball) => {
            if let Some(cone) = ball.cone {
                extra.cone.0[lane] = cone;
                extra.cone_lambda.0[lane] = impulse(at.cone);
                has |= CONE;
            }
            (None, None, turn_limits(ball.twist))
        }
        _ => (None, None, None),
    };
    // Differences of angles are brought into one turn; the kernel counts on targets within it.
    let turns = matches!(class, Class::Hinge | Class::Ball);
    let target = |x: Real| if turns { wrap(x) } else { x };
    let near = |x: Real, middle: Real| if turns { turn_near(x, middle) } else { x };
    let reach = |hertz: Real| if turns { Real::INFINITY } else { tuned_reach(hertz, max_speed) };
    if let Some(Spring { rest, hertz, damping }) = spring {
        tune(&mut extra.spring, lane, target(rest), (hertz, damping), Real::INFINITY, (h, beside));
        extra.spring.reach.0[lane] = reach(hertz);
        extra.spring.lambda.0[lane] = impulse(at.spring);
        has |= SPRING;
    }
    match motor {
        Some(Motor::Velocity { speed, max }) => {
            let act = &mut extra.motor;
            let speed = if turns { speed } else { speed.min(max_speed).max(-max_speed) };
            (act.s.0[lane], act.drift.0[lane], act.max.0[lane]) = (1.0, -speed, max * h);
            act.gain.iter_mut().for_each(|gain| gain.0[lane] = 1.0);
        }
        Some(Motor::Position { target: wanted, hertz, damping, max }) => {
            let wanted = limits.map_or(wanted, |limits| servo_target(wanted, limits, near));
            tune(&mut extra.motor, lane, target(wanted), (hertz, damping), max, (h, 0.0));
            extra.motor.reach.0[lane] = reach(hertz);
        }
        None => {}
    }
    if motor.is_some() {
        extra.motor.lambda.0[lane] = impulse(at.motor);
        has |= MOTOR;
    }
    if let Some(Limits { lower, upper }) = limits {
        (extra.bounds[0].0[lane], extra.bounds[1].0[lane]) = (lower, upper);
        if turns {
            extra.middle.0[lane] = 0.5 * (lower + upper);
        }
        if class != Class::Rod {
            (0..2).for_each(|i| extra.bound_lambda[i].0[lane] = impulse(at.bounds + i));
            has |= LIMITS;
        }
    }
    has
}

/// The law of a tuned spring, see `joint/rows.rs`.
fn tune(
    act: &mut Act,
    lane: usize,
    target: Real,
    (hertz, damping): (Real, Real),
    max: Real,
    (h, beside): (Real, Real),
) {
    let (s, stiff) = tuned_law(hertz, damping, h, beside);
    (act.s.0[lane], act.k.0[lane], act.target.0[lane]) = (s, stiff, target);
    (act.leak.0[lane], act.gain[0].0[lane], act.max.0[lane]) = (1.0, 1.0 / (1.0 + s), max * h);
}

/// Hands the impulses of a lane back. `share`: one over the number of sub-steps.
pub(super) fn store<
    D: Dim,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
>(
    row: &WideRow<N, A, W, F>,
    extra: Option<&Extra<R>>,
    (cold, lane, share): (&Cold, usize, Real),
    joint: &mut Joint<D>,
    sizes: [usize; 4],
) {
    debug_assert!(extra.is_some() == has_extra(row.class));
    // What no row has is nothing.
    joint.impulses = [0.0; MAX_ROWS];
    (0..hard_rows(row.class, sizes)).for_each(|i| joint.impulses[i] = row.lambda[i].0[lane]);
    (0..N).for_each(|i| joint.push.set(i, cold.push[i].0[lane] * share));
    (0..A).for_each(|i| joint.turn.set(i, cold.turn[i].0[lane] * share));
    let Some(extra) = extra else { return };
    let at = places(row.class);
    let mut put = |i: usize, value: Real| joint.impulses[i] = value;
    if row.has & SPRING != 0 {
        put(at.spring, extra.spring.lambda.0[lane]);
    }
    if row.has & MOTOR != 0 {
        put(at.motor, extra.motor.lambda.0[lane]);
    }
    if row.has & LIMITS != 0 {
        (0..2).for_each(|i| put(at.bounds + i, extra.bound_lambda[i].0[lane]));
    }
    if row.has & CONE != 0 {
        put(at.cone, extra.cone_lambda.0[lane]);
    }
}
