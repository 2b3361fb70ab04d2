//! Joints in snapshots.

use super::World;
use crate::Error;
use crate::body::NONE;
use crate::contact::NO_COLOR;
use crate::island::MAX_LEVEL;
use crate::joint::*;
use crate::math::*;
use crate::store::{BitSet, Reader, Slots, Writer};

/// Writes records and hot parts.
pub(super) fn save<D: Dim>(world: &World<D>, out: &mut Writer) {
    let hot = &world.joints.hot;
    let mut order = world.joints.records.iter().map(|(index, _)| index);
    world.joints.records.save(out, |record, out| {
        let joint = &hot[order.next().unwrap_or(0) as usize];
        joint.bodies.iter().for_each(|&body| out.var(body));
        record.edges.iter().flatten().for_each(|&link| out.link(link));
        let flags = [
            record.colored[0],
            record.colored[1],
            record.is_linked,
            record.collide_connected,
            record.breaks,
            joint.softness.is_some(),
        ];
        out.u8(flags.iter().enumerate().fold(0, |bits, (i, &flag)| bits | u8::from(flag) << i));
        record.local.iter().for_each(|frame| out.put(frame));
        [record.max_force, record.max_torque].iter().for_each(|&x| out.real(x));
        out.text(&record.name);
        out.u64(record.user_data);
        if let Some(softness) = joint.softness {
            out.real(softness.hertz);
            out.real(softness.damping);
        }
        save_kind(&joint.kind, out);
        joint.impulses.iter().for_each(|&x| out.real(x));
        out.put(&joint.push);
        out.put(&joint.turn);
        out.u16(joint.stiffness);
    });
}

fn save_kind<D: Dim>(kind: &JointKind<D>, out: &mut Writer) {
    match kind {
        JointKind::Ball(ball) => {
            out.u8(0);
            out.bool(ball.cone.is_some());
            ball.cone.iter().for_each(|&cone| out.real(cone));
            save_limits(ball.twist, out);
        }
        JointKind::Hinge(hinge) => {
            out.u8(1);
            save_limits(hinge.limits, out);
            save_motor(hinge.motor, out);
            save_spring(hinge.spring, out);
        }
        JointKind::Slider(slider) => {
            out.u8(2);
            save_limits(slider.limits, out);
            save_motor(slider.motor, out);
            save_spring(slider.spring, out);
        }
        JointKind::Fixed => out.u8(3),
        JointKind::Distance(distance) => {
            out.u8(4);
            out.real(distance.min);
            out.real(distance.max);
            save_spring(distance.spring, out);
        }
        JointKind::Spring(spring) => {
            out.u8(5);
            [spring.stiffness, spring.damping, spring.rest_length].iter().for_each(|&x| out.real(x));
        }
        JointKind::Wheel(wheel) => {
            out.u8(6);
            save_limits(wheel.limits, out);
            save_motor(wheel.motor, out);
            save_spring(wheel.spring, out);
            out.real(wheel.steering);
        }
        JointKind::Motor(drive) => {
            out.u8(7);
            out.put(&drive.target);
            out.put(&drive.velocity);
            out.put(&drive.spin);
            let numbers = [drive.hertz, drive.damping, drive.max_force, drive.max_torque];
            numbers.iter().for_each(|&x| out.real(x));
        }
        JointKind::Mouse(mouse) => {
            out.u8(8);
            out.put(&mouse.target);
            [mouse.hertz, mouse.damping, mouse.max_force].iter().for_each(|&x| out.real(x));
        }
    }
}

fn save_limits(limits: Option<Limits>, out: &mut Writer) {
    out.bool(limits.is_some());
    if let Some(limits) = limits {
        out.real(limits.lower);
        out.real(limits.upper);
    }
}

fn save_spring(spring: Option<Spring>, out: &mut Writer) {
    out.bool(spring.is_some());
    if let Some(spring) = spring {
        [spring.rest, spring.hertz, spring.damping].iter().for_each(|&x| out.real(x));
    }
}

fn save_motor(motor: Option<Motor>, out: &mut Writer) {
    match motor {
        None => out.u8(0),
        Some(Motor::Velocity { speed, max }) => {
            out.u8(1);
            [speed, max].iter().for_each(|&x| out.real(x));
        }
        Some(Motor::Position { target, hertz, damping, max }) => {
            out.u8(2);
            [target, hertz, damping, max].iter().for_each(|&x| out.real(x));
        }
    }
}

fn load_kind<D: Dim>(input: &mut Reader<'_>) -> Result<JointKind<D>, Error> {
    Ok(match input.u8()? {
        0 => {
            let cone = if input.bool()? { Some(input.real()?) } else { None };
            JointKind::Ball(Ball { cone, twist: load_limits(input)? })
        }
        1 => JointKind::Hinge(Hinge {
            limits: load_limits(input)?,
            motor: load_motor(input)?,
            spring: load_spring(input)?,
        }),
        2 => JointKind::Slider(Slider {
            limits: load_limits(input)?,
            motor: load_motor(input)?,
            spring: load_spring(input)?,
        }),
        3 => JointKind::Fixed,
        4 => JointKind::Distance(Distance {
            min: input.real()?,
            max: input.real()?,
            spring: load_spring(input)?,
        }),
        5 => JointKind::Spring(SpringDamper {
            stiffness: input.real()?,
            damping: input.real()?,
            rest_length: input.real()?,
        }),
        6 => {
            let (limits, motor, spring) = (load_limits(input)?, load_motor(input)?, load_spring(input)?);
            JointKind::Wheel(Wheel { spring, limits, motor, steering: input.real()? })
        }
        7 => JointKind::Motor(Drive {
            target: input.get()?,
            velocity: input.get()?,
            spin: input.get()?,
            hertz: input.real()?,
            damping: input.real()?,
            max_force: input.real()?,
            max_torque: input.real()?,
        }),
        8 => JointKind::Mouse(Mouse {
            target: input.get()?,
            hertz: input.real()?,
            damping: input.real()?,
            max_force: input.real()?,
        }),
        _ => return Err(input.damaged("kind of joint")),
    })
}

fn load_limits(input: &mut Reader<'_>) -> Result<Option<Limits>, Error> {
    Ok(if input.bool()? { Some(Limits { lower: input.real()?, upper: input.real()? }) } else { None })
}

fn load_spring(input: &mut Reader<'_>) -> Result<Option<Spring>, Error> {
    if !input.bool()? {
        return Ok(None);
    }
    Ok(Some(Spring { rest: input.real()?, hertz: input.real()?, damping: input.real()? }))
}

fn load_motor(input: &mut Reader<'_>) -> Result<Option<Motor>, Error> {
    Ok(match input.u8()? {
        0 => None,
        1 => Some(Motor::Velocity { speed: input.real()?, max: input.real()? }),
        2 => Some(Motor::Position {
            target: input.real()?,
            hertz: input.real()?,
            damping: input.real()?,
            max: input.real()?,
        }),
        _ => return Err(input.damaged("motor of a joint")),
    })
}

fn load_joint<D: Dim>(world: &World<D>, input: &mut Reader<'_>) -> Result<(JointRecord<D>, Joint<D>), Error> {
    const ANY: usize = u32::MAX as usize;
    let bodies = [input.var()?, input.var()?];
    if bodies[0] == bodies[1] || bodies.iter().any(|&body| world.bodies.records.get(body).is_none()) {
        return Err(input.damaged("body of a joint"));
    }
    let mut edges = [[NONE; 2]; 2];
    for link in edges.iter_mut().flatten() {
        *link = input.link(ANY)?;
    }
    let bits = input.u8()?;
    let flag = |i: u32| bits >> i & 1 == 1;
    let local: [Pose<D>; 2] = [input.get()?, input.get()?];
    if !local.iter().all(|frame| frame.is_valid()) {
        return Err(input.damaged("frame of a joint"));
    }
    let (max_force, max_torque) = (input.real()?, input.real()?);
    let name = input.text()?.into();
    let user_data = input.u64()?;
    let softness = match flag(5) {
        true => Some(JointSoftness { hertz: input.real()?, damping: input.real()? }),
        false => None,
    };
    let kind = load_kind(input)?;
    let refuse = |error: Error| Error::Snapshot { reason: format!("holds an impossible joint: {error}") };
    kind.validate().map_err(refuse)?;
    softness.map_or(Ok(()), |softness| softness.validate()).map_err(refuse)?;
    let mut impulses = [0.0; MAX_ROWS];
    for impulse in &mut impulses {
        *impulse = input.real()?;
        if !impulse.is_finite() {
            return Err(input.damaged("impulse of a joint"));
        }
    }
    let record = JointRecord {
        edges,
        color: NO_COLOR,
        color_slot: NONE,
        colored: [flag(0), flag(1)],
        is_linked: flag(2),
        local,
        collide_connected: flag(3),
        max_force,
        max_torque,
        breaks: flag(4),
        name,
        user_data,
    };
    let (push, turn) = (input.get()?, input.get()?);
    let stiffness = input.u16()?;
    if u32::from(stiffness) > u32::from(OCTAVE) * MAX_LEVEL {
        return Err(input.damaged("stiffness of a joint"));
    }
    let mut joint = Joint { bodies, frames: local, kind, softness, impulses, push, turn, stiffness };
    joint.clear_unused_impulses();
    Ok((record, joint))
}

/// Reads what [`save`] wrote. Comes before the masses of the bodies, which move the frames.
pub(super) fn load<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    let mut loaded = Vec::new();
    world.joints.records = Slots::load(input, |input| {
        let (record, joint) = load_joint(world, input)?;
        loaded.push(joint);
        Ok(record)
    })?;
    if let Some(&blank) = loaded.first() {
        world.joints.hot = vec![blank; world.joints.records.slot_count()];
    }
    let indices = world.joints.records.iter().map(|(index, _)| index).collect::<Vec<_>>();
    for (&index, joint) in indices.iter().zip(loaded) {
        world.joints.hot[index as usize] = joint;
        if world.joints.records[index].is_watched() {
            world.joints.watched.insert(index);
        }
    }
    check_lists(world, input)
}

/// Every list of a body must hold joints of that body, each side once, and all of them together all joints.
fn check_lists<D: Dim>(world: &World<D>, input: &Reader<'_>) -> Result<(), Error> {
    let mut remaining = 2 * world.joints.records.len();
    for (body, record) in world.bodies.records.iter() {
        let (mut edge, mut previous) = (record.first_joint, NONE);
        while edge != NONE {
            let (index, side) = (edge / 2, (edge & 1) as usize);
            let links = match world.joints.records.get(index) {
                Some(joint) if remaining > 0 => joint.edges[side],
                _ => return Err(input.damaged("list of joints")),
            };
            if world.joints.hot[index as usize].bodies[side] != body || links[0] != previous {
                return Err(input.damaged("list of joints"));
            }
            (previous, edge, remaining) = (edge, links[1], remaining - 1);
        }
    }
    if remaining == 0 { Ok(()) } else { Err(input.damaged("list of joints")) }
}

/// Reads the joints of one colour and notes their bodies.
pub(super) fn load_color<D: Dim>(
    world: &mut World<D>,
    input: &mut Reader<'_>,
    number: usize,
    bits: &mut BitSet,
) -> Result<Vec<u32>, Error> {
    let joints = input.vars(world.joints.records.slot_count())?;
    for (slot, &index) in joints.iter().enumerate() {
        let Some(record) = world.joints.records.get_mut(index) else {
            return Err(input.damaged("coloured joint"));
        };
        (record.color, record.color_slot) = (number as u8, slot as u32);
        let bodies = world.joints.hot[index as usize].bodies;
        if number + 1 < world.graph.colors.len() {
            (0..2).filter(|&side| record.colored[side]).for_each(|side| bits.insert(bodies[side]));
        }
    }
    Ok(joints)
}
