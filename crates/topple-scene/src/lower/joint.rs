//! Joints of a scene as joints of the engine.
//!
//! In a scene `a` is the body that moves and `b` what it moves against; the engine measures frame b in frame a. So the two
//! change places here: the engine's a is the scene's `b`, or the world.

use topple::joint::{
    Ball, Distance, Drive, Hinge, JointSoftness, Limits, Motor, Mouse, Slider, Spring, SpringDamper, Wheel,
};
use topple::math::{RotOps, VecOps};
use topple::{BodyId, JointDef, JointId, JointKind, Pose, Real, World};

use super::Space;
use crate::model::director::{Change, JointChange};
use crate::model::{self, Vec3};

fn bound(value: Option<f64>) -> Real {
    value.map_or(Real::INFINITY, |value| value as Real)
}

fn limits(limits: Option<[f64; 2]>) -> Option<Limits> {
    limits.map(|[lower, upper]| Limits::new(lower as Real, upper as Real))
}

fn spring(spring: Option<model::Spring>) -> Option<Spring> {
    spring.map(|model::Spring { rest, soft }| Spring {
        rest: rest as Real,
        hertz: soft.frequency as Real,
        damping: soft.damping_ratio as Real,
    })
}

fn motor(motor: Option<model::Motor>) -> Option<Motor> {
    motor.map(|model::Motor { drive, strength }| match drive {
        model::Drive::Speed(speed) => Motor::Velocity { speed: speed as Real, max: bound(strength) },
        model::Drive::Target(target, soft) => Motor::Position {
            target: target as Real,
            hertz: soft.frequency as Real,
            damping: soft.damping_ratio as Real,
            max: bound(strength),
        },
    })
}

/// Whether a joint holds a length between two places, not one place in common.
fn is_long(kind: &model::JointKind) -> bool {
    use model::JointKind::{Distance, Rope, Spring};
    matches!(kind, Distance { .. } | Rope { .. } | Spring { .. })
}

/// Adds a joint between two bodies as they stand now; `tag` is kept as its user data.
pub fn joint<D: Space>(
    world: &mut World<D>,
    joint: &model::Joint,
    [a, b]: [BodyId; 2],
    tag: u64,
) -> Result<JointId, String> {
    let text = |error: topple::Error| error.to_string();
    let center = |body: BodyId| world.body(body).map(|body| body.center()).map_err(text);
    let at_a = match joint.at_a {
        Some(at) => D::point(at),
        None => center(a)?,
    };
    let at_b = match joint.at_b {
        Some(at) => D::point(at),
        None if is_long(&joint.kind) => center(b)?,
        None => at_a,
    };
    let placed = f64::from((at_b - at_a).length());
    let (kind, rotation) = kind::<D>(&joint.kind, placed)?;
    let local = |body: BodyId, position: D::Point| {
        let pose = world.body(body).map_err(text)?.pose();
        Ok::<_, String>(pose.relative(Pose { position, rotation }))
    };
    let def = JointDef {
        local_a: local(b, at_b)?,
        local_b: local(a, at_a)?,
        collide_connected: joint.collide,
        softness: joint
            .hold
            .map(|hold| JointSoftness { hertz: hold.frequency as Real, damping: hold.damping_ratio as Real }),
        max_force: bound(joint.overload.force),
        max_torque: bound(joint.overload.torque),
        breaks: joint.overload.breaks,
        name: joint.name.as_ref().map_or_else(String::new, ToString::to_string),
        user_data: tag,
        ..JointDef::new(b, a, kind)
    };
    world.create_joint(def).map_err(text)
}

/// The kind with its parameters, and the orientation of its frames in the world. `placed`: how far the two places are
/// apart [m].
fn kind<D: Space>(kind: &model::JointKind, placed: f64) -> Result<(JointKind<D>, D::Rot), String> {
    use model::JointKind as Kind;
    // In the plane everything turns about z, and the frames of hinges may lie as they like.
    let turning = |axis: Vec3| if D::N == 2 { D::Rot::IDENTITY } else { D::frame(axis, None) };
    let unturned = D::Rot::IDENTITY;
    Ok(match kind {
        Kind::Ball { axis, cone_limit, twist_limits } => {
            let cone = cone_limit.map(|cone| cone as Real);
            (JointKind::Ball(Ball { cone, twist: limits(*twist_limits) }), turning(*axis))
        }
        Kind::Hinge { axis, limits: bounds, motor: drive, spring: soft } => {
            let hinge = Hinge { limits: limits(*bounds), motor: motor(*drive), spring: spring(*soft) };
            (JointKind::Hinge(hinge), turning(*axis))
        }
        Kind::Slider { axis, limits: bounds, motor: drive, spring: soft } => {
            let slider = Slider { limits: limits(*bounds), motor: motor(*drive), spring: spring(*soft) };
            (JointKind::Slider(slider), D::frame(*axis, None))
        }
        Kind::Fixed => (JointKind::Fixed, unturned),
        Kind::Distance { length, limits: bounds, soft } => {
            let length = length.unwrap_or(placed);
            let free = if soft.is_some() { [0.0, f64::INFINITY] } else { [length; 2] };
            let [min, max] = bounds.unwrap_or(free).map(|bound| bound as Real);
            let rest = soft.map(|soft| model::Spring { rest: length, soft });
            (JointKind::Distance(Distance { min, max, spring: spring(rest) }), unturned)
        }
        Kind::Rope { length } => {
            let max = length.unwrap_or(placed) as Real;
            (JointKind::Distance(Distance { min: 0.0, max, spring: None }), unturned)
        }
        Kind::Spring { length, stiffness, damping } => {
            let spring = SpringDamper {
                stiffness: *stiffness as Real,
                damping: *damping as Real,
                rest_length: length.unwrap_or(placed) as Real,
            };
            (JointKind::Spring(spring), unturned)
        }
        Kind::Wheel { axis, axle, limits: bounds, motor: drive, spring: soft, steering } => {
            let wheel = Wheel {
                spring: spring(*soft),
                limits: limits(*bounds),
                motor: motor(*drive),
                steering: *steering as Real,
            };
            (JointKind::Wheel(wheel), D::frame(*axis, Some(*axle)))
        }
        Kind::Gear { .. } => return Err(String::from("the engine has no gears yet")),
        Kind::Motor { velocity, angular_velocity, offset, turn, soft, max_force, max_torque } => {
            // Nothing said about moving or turning: that stays free.
            let strength = |bound: Option<f64>, wanted: bool| {
                let unlimited = if wanted { Real::INFINITY } else { 0.0 };
                bound.map_or(unlimited, |bound| bound as Real)
            };
            let drive = Drive {
                target: Pose {
                    position: D::point(offset.unwrap_or_default()),
                    rotation: D::Rot::from_ang(D::ang(turn.unwrap_or_default())),
                },
                velocity: D::vec(velocity.unwrap_or_default()),
                spin: D::ang(angular_velocity.unwrap_or_default()),
                hertz: soft.map_or(0.0, |soft| soft.frequency as Real),
                damping: soft.map_or(1.0, |soft| soft.damping_ratio as Real),
                max_force: strength(*max_force, velocity.is_some() || offset.is_some()),
                max_torque: strength(*max_torque, angular_velocity.is_some() || turn.is_some()),
            };
            (JointKind::Motor(drive), unturned)
        }
        Kind::Mouse { target, max_force, soft } => {
            let mouse = Mouse {
                target: D::point(*target),
                hertz: soft.frequency as Real,
                damping: soft.damping_ratio as Real,
                max_force: bound(*max_force),
            };
            (JointKind::Mouse(mouse), unturned)
        }
    })
}

/// Stiffness of a motor that gets a target and had none before [Hz].
const SERVO: Real = 5.0;

/// Changes a joint that exists. Says what it does not have.
pub fn change_joint<D: Space>(world: &mut World<D>, id: JointId, change: &Change) -> Result<(), String> {
    let text = |error: topple::Error| error.to_string();
    let mut joint = world.joint_mut(id).map_err(text)?;
    let mut kind = *joint.as_ref().kind();
    let new = &change.joint;
    change_motor(&mut kind, change)?;
    if let Some([lower, upper]) = new.limits {
        let bounds = Some(Limits::new(lower as Real, upper as Real));
        match &mut kind {
            JointKind::Hinge(hinge) => hinge.limits = bounds,
            JointKind::Slider(slider) => slider.limits = bounds,
            JointKind::Wheel(wheel) => wheel.limits = bounds,
            JointKind::Distance(distance) => {
                (distance.min, distance.max) = (lower as Real, upper as Real);
            }
            _ => return lacks(&kind, "limits"),
        }
    }
    if let Some(angle) = new.steering {
        let JointKind::Wheel(wheel) = &mut kind else { return lacks(&kind, "steering") };
        wheel.steering = angle as Real;
    }
    if let Some(place) = new.place {
        let JointKind::Mouse(mouse) = &mut kind else { return lacks(&kind, "place to draw to") };
        mouse.target = D::point(place);
    }
    change_spring(&mut kind, new)?;
    joint.set_kind(kind).map_err(text)
}

fn lacks<D: Space>(kind: &JointKind<D>, what: &str) -> Result<(), String> {
    Err(format!("a {} joint has no {what}", kind.name()))
}

/// What drives: speed or target and strength of motors, velocity and strength of motor joints, strength of a mouse.
fn change_motor<D: Space>(kind: &mut JointKind<D>, change: &Change) -> Result<(), String> {
    let new = &change.joint;
    let strength = new.max_torque.or(new.max_force).map(|strength| strength as Real);
    let is_driven = new.speed.is_some() || new.target.is_some() || new.motor_off;
    let motor = match kind {
        JointKind::Hinge(hinge) => &mut hinge.motor,
        JointKind::Slider(slider) => &mut slider.motor,
        JointKind::Wheel(wheel) => &mut wheel.motor,
        JointKind::Motor(drive) if !is_driven => {
            let set = |old: &mut Real, new: Option<f64>| *old = new.map_or(*old, |new| new as Real);
            set(&mut drive.max_force, new.max_force);
            set(&mut drive.max_torque, new.max_torque);
            drive.velocity = change.velocity.map_or(drive.velocity, D::vec);
            drive.spin = change.angular_velocity.map_or(drive.spin, D::ang);
            return Ok(());
        }
        JointKind::Mouse(mouse) if !is_driven => {
            mouse.max_force = strength.unwrap_or(mouse.max_force);
            return Ok(());
        }
        _ if is_driven || strength.is_some() => return lacks(kind, "motor"),
        _ => return Ok(()),
    };
    let (hertz, damping, old) = match *motor {
        Some(Motor::Position { hertz, damping, max, .. }) => (hertz, damping, max),
        Some(Motor::Velocity { max, .. }) => (SERVO, 1.0, max),
        None => (SERVO, 1.0, Real::INFINITY),
    };
    let max = strength.unwrap_or(old);
    *motor = match (new.speed, new.target, *motor) {
        _ if new.motor_off => None,
        (Some(speed), ..) => Some(Motor::Velocity { speed: speed as Real, max }),
        (_, Some(target), _) => Some(Motor::Position { target: target as Real, hertz, damping, max }),
        (.., Some(Motor::Velocity { speed, .. })) => Some(Motor::Velocity { speed, max }),
        (.., Some(Motor::Position { target, .. })) => Some(Motor::Position { target, hertz, damping, max }),
        (.., None) if strength.is_some() => return lacks(kind, "motor that could be so strong"),
        (.., None) => None,
    };
    Ok(())
}

/// Lengths and stiffnesses.
fn change_spring<D: Space>(kind: &mut JointKind<D>, new: &JointChange) -> Result<(), String> {
    if let Some(length) = new.length.map(|length| length as Real) {
        match kind {
            JointKind::Distance(distance) => match &mut distance.spring {
                Some(spring) => spring.rest = length,
                None if distance.min == distance.max => (distance.min, distance.max) = (length, length),
                None => distance.max = length,
            },
            JointKind::Spring(spring) => spring.rest_length = length,
            _ => return lacks(kind, "length"),
        }
    }
    let Some(hertz) = new.frequency.map(|hertz| hertz as Real) else { return Ok(()) };
    let stiffness = match kind {
        JointKind::Hinge(Hinge { spring, .. })
        | JointKind::Slider(Slider { spring, .. })
        | JointKind::Wheel(Wheel { spring, .. })
        | JointKind::Distance(Distance { spring, .. }) => spring.as_mut().map(|spring| &mut spring.hertz),
        JointKind::Mouse(mouse) => Some(&mut mouse.hertz),
        JointKind::Motor(drive) => Some(&mut drive.hertz),
        _ => None,
    };
    match stiffness {
        Some(stiffness) => *stiffness = hertz,
        None => return lacks(kind, "spring"),
    }
    Ok(())
}
