//! Bodies in snapshots: their links, and what differs from a plain body.

use super::World;
use crate::Error;
use crate::body::{Bodies, BodyCore, BodyDef, BodyKind, BodyRecord, BodySet, Drag, Load, Locks, NO_SPEED};
use crate::math::*;
use crate::shape::Mass;
use crate::store::{IndexList, Reader, Slots, Writer};

pub(super) fn save<D: Dim>(world: &World<D>, out: &mut Writer) {
    let mut last_shape = 0;
    world.bodies.records.save(out, |record, out| save_record(record, &mut last_shape, out));
    for (index, record) in world.bodies.records.iter() {
        save_columns(&world.bodies, index, record, out);
    }
    if world.settings.sleep_bias > 0.0 {
        for (index, _) in world.bodies.records.iter() {
            out.real(world.bodies.rest_speeds.get(index as usize).copied().unwrap_or(NO_SPEED));
        }
    }
    BodySet::ALL.iter().for_each(|&set| out.vars(world.bodies.set(set).as_slice()));
}

pub(super) fn load<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    let mut last_shape = 0;
    world.bodies.records = Slots::load(input, |input| load_record(input, &mut last_shape))?;
    let count = world.bodies.records.slot_count();
    let blank = BodyCore::new(&BodyDef::default());
    world.bodies.places = vec![Pose::IDENTITY; count];
    world.bodies.cores = vec![blank; count];
    for index in 0..count {
        if world.bodies.records.get(index as u32).is_some() {
            let (place, core) = load_columns(input)?;
            world.bodies.places[index] = place;
            world.bodies.cores[index] = core;
        }
    }
    if world.settings.sleep_bias > 0.0 {
        world.bodies.rest_speeds = vec![NO_SPEED; count];
        for index in 0..count {
            if world.bodies.records.get(index as u32).is_some() {
                let speed = input.real()?;
                if !speed.is_finite() {
                    return Err(input.damaged("speed of a body"));
                }
                world.bodies.rest_speeds[index] = speed;
            }
        }
    }
    let mut sets: [IndexList; 4] = Default::default();
    for (list, set) in sets.iter_mut().zip(BodySet::ALL) {
        for index in input.vars(count)? {
            match world.bodies.records.get(index) {
                Some(record) if record.set == set => list.insert(index),
                _ => return Err(input.damaged("set of a body")),
            }
        }
    }
    world.bodies.set_lists(sets);
    Ok(())
}

/// Optional parts of a body, one bit each, so that a plain body is small.
mod part {
    pub(super) const OWN_MASS: u8 = 1;
    pub(super) const LOCKS: u8 = 2;
    /// Of the columns, where there are no locks: time at rest.
    pub(super) const REST: u8 = 2;
    pub(super) const GRAVITY: u8 = 4;
    pub(super) const DRAG: u8 = 8;
    pub(super) const SLEEP_SPEED: u8 = 16;
    pub(super) const NAME: u8 = 32;
    pub(super) const USER: u8 = 64;
    pub(super) const LOAD: u8 = 128;
}

fn save_record<D: Dim>(record: &BodyRecord<D>, last_shape: &mut u32, out: &mut Writer) {
    let bits = record.kind as u8
        | (record.set as u8) << 2
        | u8::from(record.can_sleep) << 4
        | u8::from(record.is_bullet) << 5
        | u8::from(record.is_quarantined) << 6;
    out.u8(bits);
    let mut parts = 0;
    let mut note = |there: bool, bit: u8| parts |= if there { bit } else { 0 };
    note(record.has_own_mass, part::OWN_MASS);
    note(record.locks != Locks::NONE, part::LOCKS);
    note(record.sleep_speed.is_some(), part::SLEEP_SPEED);
    note(!record.name.is_empty(), part::NAME);
    note(record.user_data != 0, part::USER);
    out.u8(parts);
    if record.has_own_mass {
        out.real(record.mass.mass);
        out.put(&record.mass.center);
        out.put(&record.mass.inertia);
    }
    if record.locks != Locks::NONE {
        out.u8(record.locks.to_bits());
    }
    if let Some(speed) = record.sleep_speed {
        out.real(speed);
    }
    if !record.name.is_empty() {
        out.text(&record.name);
    }
    if record.user_data != 0 {
        out.u64(record.user_data);
    }
    out.var(record.shapes.len() as u32);
    record.shapes.iter().for_each(|&shape| out.near(shape, last_shape));
    for link in
        [record.first_contact, record.first_joint, record.island, record.island_prev, record.island_next]
    {
        out.link(link);
    }
}

fn load_record<D: Dim>(input: &mut Reader<'_>, last_shape: &mut u32) -> Result<BodyRecord<D>, Error> {
    const ANY: usize = u32::MAX as usize;
    let bits = input.u8()?;
    let mut record = BodyRecord::<D>::new(&BodyDef::default());
    record.kind = match bits & 3 {
        0 => BodyKind::Static,
        1 => BodyKind::Kinematic,
        2 => BodyKind::Dynamic,
        _ => return Err(input.damaged("kind of body")),
    };
    record.set = BodySet::ALL[(bits >> 2 & 3) as usize];
    record.can_sleep = bits >> 4 & 1 == 1;
    record.is_bullet = bits >> 5 & 1 == 1;
    record.is_quarantined = bits >> 6 & 1 == 1;
    let parts = input.u8()?;
    record.has_own_mass = parts & part::OWN_MASS != 0;
    if record.has_own_mass {
        record.mass = Mass { mass: input.real()?, center: input.get()?, inertia: input.get()? };
        record.mass.check_held().map_err(|_| input.damaged("mass of a body"))?;
    }
    if parts & part::LOCKS != 0 {
        record.locks = Locks::from_bits(input.u8()?);
    }
    if parts & part::SLEEP_SPEED != 0 {
        record.sleep_speed = Some(input.real()?);
    }
    if parts & part::NAME != 0 {
        record.name = input.text()?.into();
    }
    if parts & part::USER != 0 {
        record.user_data = input.u64()?;
    }
    // No length in advance: the input ends before a false count does harm.
    for _ in 0..input.var()? {
        record.shapes.push(input.near(last_shape)?);
    }
    let mut link = || input.link(ANY);
    record.first_contact = link()?;
    record.first_joint = link()?;
    record.island = link()?;
    record.island_prev = link()?;
    record.island_next = link()?;
    Ok(record)
}

/// True if every bit is zero. A negative zero is not: it would come back as a positive one, and the hash sees the bits.
pub(super) fn is_blank<D: Dim>(linear: D::Vec, angular: D::Ang) -> bool {
    (0..D::N).all(|i| linear.get(i).to_bits() == 0) && (0..D::ANGULAR).all(|i| angular.get(i).to_bits() == 0)
}

/// Columns of a body: place, velocity unless at rest for good, and what differs from the default.
fn save_columns<D: Dim>(bodies: &Bodies<D>, index: u32, record: &BodyRecord<D>, out: &mut Writer) {
    let core = &bodies.cores[index as usize];
    out.put(&bodies.places[index as usize]);
    let mut parts = 0;
    let mut note = |there: bool, bit: u8| parts |= if there { bit } else { 0 };
    note(core.gravity_scale != 1.0, part::GRAVITY);
    note(core.drag != Drag::default(), part::DRAG);
    note(!is_blank::<D>(core.load.force, core.load.torque), part::LOAD);
    note(!is_blank::<D>(core.motion.linear, core.motion.angular) || record.set == BodySet::Awake, 1);
    note(core.sleep_time.to_bits() != 0, part::REST);
    out.u8(parts);
    if parts & 1 != 0 {
        out.put(&core.motion.linear);
        out.put(&core.motion.angular);
    }
    if parts & part::REST != 0 {
        out.real(core.sleep_time);
    }
    if parts & part::GRAVITY != 0 {
        out.real(core.gravity_scale);
    }
    if parts & part::DRAG != 0 {
        let drag = &core.drag;
        [drag.linear, drag.quadratic, drag.angular_linear, drag.angular_quadratic]
            .iter()
            .for_each(|&x| out.real(x));
    }
    if parts & part::LOAD != 0 {
        out.put(&core.load.force);
        out.put(&core.load.torque);
    }
}

fn load_columns<D: Dim>(input: &mut Reader<'_>) -> Result<(Pose<D>, BodyCore<D>), Error> {
    let place: Pose<D> = input.get()?;
    if !place.is_valid() {
        return Err(input.damaged("place of a body"));
    }
    let mut core = BodyCore::new(&BodyDef::default());
    let parts = input.u8()?;
    if parts & 1 != 0 {
        core.motion = crate::Motion { linear: input.get()?, angular: input.get()? };
    }
    core.sleep_time = if parts & part::REST != 0 { input.real()? } else { 0.0 };
    if parts & part::GRAVITY != 0 {
        core.gravity_scale = input.real()?;
    }
    if parts & part::DRAG != 0 {
        core.drag = Drag {
            linear: input.real()?,
            quadratic: input.real()?,
            angular_linear: input.real()?,
            angular_quadratic: input.real()?,
        };
    }
    if parts & part::LOAD != 0 {
        core.load = Load { force: input.get()?, torque: input.get()? };
    }
    let possible = core.sleep_time >= 0.0 && core.gravity_scale.is_finite() && core.drag.validate().is_ok();
    if possible { Ok((place, core)) } else { Err(input.damaged("number of a body")) }
}
