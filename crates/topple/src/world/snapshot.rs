//! The whole state as bytes, and as one number.
//!
//! A snapshot holds everything that decides how the world goes on, orders of lists included, and nothing that can be
//! computed from the rest: restored and stepped, the world continues bit for bit. Layout: magic, version, dimension,
//! body, checksum. Shared geometry is written once; numbers that are usually small take few bytes.

use super::World;
use super::events::{ContactEvent, SensorEvent};
use crate::Error;
use crate::body::{Load, NONE};
use crate::broad_phase::{Proxies, Proxy, ProxyKind};
use crate::contact::{Color, Contact};
use crate::island::Island;
use crate::math::*;
use crate::store::{BodyId, ContactId, RawId, Reader, ShapeId, Slots, StateHasher, Writer};

const MAGIC: &[u8; 8] = b"topple\r\n";
/// Puts a user's own methods into a world that is being restored, given stage and name.
pub type OwnMethods<'a, D> = &'a mut dyn FnMut(&mut World<D>, &str, &str);

/// Raised with every change of the layout; other versions are refused.
const VERSION: u16 = 7;

impl<D: Dim> World<D> {
    /// The whole state, for [`Self::restore`]. Executor and hooks are not part of it; users' own methods are named,
    /// with what they save: see [`Self::restore_with`].
    ///
    /// ```
    /// use topple::{BodyDef2, Shape2, World2};
    /// let mut world = World2::new();
    /// world.create_body_with(BodyDef2::dynamic([0.0, 3.0]), [Shape2::circle(0.5)])?;
    /// let saved = world.snapshot();
    /// world.step();
    /// let mut copy = World2::restore(&saved)?;
    /// copy.step();
    /// assert_eq!(copy.state_hash(), world.state_hash());
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        D::save(self)
    }

    /// A world that continues exactly where the one of the snapshot was.
    pub fn restore(bytes: &[u8]) -> Result<Self, Error> {
        D::load(bytes, &mut |_, _, _| {})
    }

    /// The same for worlds with methods of the user's own. `own` is called with the stage (`integrator`, `broad phase`, `narrow phase`,
    /// `solver`) and the name of every method that the library does not know, to put it in: it then gets back what it saved.
    ///
    /// ```
    /// use topple::solver::{Solver, SolverContext};
    /// use topple::store::{Reader, Writer};
    /// use topple::{D2, Error, World2};
    /// /// Does nothing but count.
    /// struct Counter(u32);
    /// impl Solver<D2> for Counter {
    ///     fn name(&self) -> &'static str {
    ///         "counter"
    ///     }
    ///     fn solve(&mut self, _: &mut SolverContext<'_, D2>) {
    ///         self.0 += 1;
    ///     }
    ///     fn save(&self, out: &mut Writer) {
    ///         out.u32(self.0);
    ///     }
    ///     fn load(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
    ///         self.0 = input.u32()?;
    ///         Ok(())
    ///     }
    /// }
    /// let mut world = World2::new();
    /// world.set_solver(Counter(7));
    /// let copy = World2::restore_with(&world.snapshot(), &mut |world, _stage, name| {
    ///     if name == "counter" {
    ///         world.set_solver(Counter(0));
    ///     }
    /// })?;
    /// assert_eq!(copy.snapshot(), world.snapshot(), "seven is still seven");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn restore_with(bytes: &[u8], own: OwnMethods<'_, D>) -> Result<Self, Error> {
        D::load(bytes, own)
    }

    /// A hash of the exact places, velocities and sets of all bodies, and of the force generators. Same input, same hash, on every platform, with any
    /// number of threads.
    pub fn state_hash(&self) -> u64 {
        let mut out = Writer::default();
        for (index, record) in self.bodies.records.iter() {
            out.u32(index);
            out.put(&self.bodies.places[index as usize]);
            out.put(&self.bodies.cores[index as usize].motion.linear);
            out.put(&self.bodies.cores[index as usize].motion.angular);
            out.u8(record.set as u8);
        }
        // Generators act on what comes, and some have a state of their own.
        for (index, record) in self.generators.slots.iter() {
            out.u32(index);
            record.save(&mut out);
        }
        let mut hasher = StateHasher::default();
        hasher.bytes(out.bytes());
        hasher.finish()
    }
}

pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = StateHasher::default();
    hasher.bytes(bytes);
    hasher.finish()
}

/// Writes a world.
pub(super) fn save<D: Dim>(world: &World<D>) -> Vec<u8> {
    let mut out = Writer::default();
    MAGIC.iter().for_each(|&byte| out.u8(byte));
    out.u16(VERSION);
    out.u8(D::N as u8);
    for info in crate::Settings::<D>::info() {
        out.text(info.name);
        out.text(&world.settings.get_by_name(info.name).unwrap_or_default());
    }
    out.text("");
    out.u64(world.step_count);
    out.u64(world.time.to_bits());
    out.real(world.impulse_time);
    super::snapshot_bodies::save(world, &mut out);
    super::snapshot_joints::save(world, &mut out);
    super::snapshot_shapes::save(world, &mut out);
    super::snapshot_contacts::save(world, &mut out);
    for color in &world.graph.colors {
        out.vars(&color.contacts);
        out.vars(&color.joints);
    }
    world.islands.slots.save(&mut out, |island, out| {
        let is_alone = island.head == island.tail && island.count == 1;
        let is_plain = (island.removed, island.level, island.calm, island.window) == (0, 0, 0, 0)
            && island.least.to_bits() == 0;
        out.u8(u8::from(is_alone) | u8::from(is_plain) << 1);
        out.link(island.head);
        if !is_alone {
            out.link(island.tail);
            out.var(island.count);
        }
        if !is_plain {
            out.var(island.removed);
            out.var(u32::from(island.level));
            out.var(u32::from(island.calm));
            out.var(u32::from(island.window));
            out.real(island.least);
        }
    });
    for list in [&world.moved, &world.leaning, &world.watched, &world.released, &world.built] {
        out.vars(list.as_slice());
    }
    save_pending(world, &mut out);
    save_generators(world, &mut out);
    let methods = &world.methods;
    save_method(&mut out, methods.integrator.name(), |out| methods.integrator.save(out));
    save_method(&mut out, methods.broad_phase.name(), |out| methods.broad_phase.save(out));
    save_method(&mut out, methods.narrow_phase.name(), |out| methods.narrow_phase.save(out));
    save_method(&mut out, methods.solver.name(), |out| methods.solver.save(out));
    let sum = checksum(out.bytes());
    out.u64(sum);
    out.into_bytes()
}

fn save_method(out: &mut Writer, name: &str, save: impl FnOnce(&mut Writer)) {
    out.text(name);
    let mut own = Writer::default();
    save(&mut own);
    out.blob(own.bytes());
}

fn save_raw(id: RawId, out: &mut Writer) {
    out.var(id.index);
    out.var(id.generation);
}

fn load_raw(input: &mut Reader<'_>) -> Result<RawId, Error> {
    Ok(RawId { index: input.var()?, generation: input.var()? })
}

fn save_pending<D: Dim>(world: &World<D>, out: &mut Writer) {
    out.u32(world.events.pending_end.len() as u32);
    for event in &world.events.pending_end {
        save_raw(event.contact.0, out);
        event.shapes.iter().for_each(|id| save_raw(id.0, out));
        event.bodies.iter().for_each(|id| save_raw(id.0, out));
    }
    out.u32(world.events.pending_sensor_end.len() as u32);
    for event in &world.events.pending_sensor_end {
        [event.sensor, event.visitor].iter().for_each(|id| save_raw(id.0, out));
        event.bodies.iter().for_each(|id| save_raw(id.0, out));
    }
}

fn load_pending<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    for _ in 0..input.length(10)? {
        let contact = ContactId(load_raw(input)?);
        let shapes = [ShapeId(load_raw(input)?), ShapeId(load_raw(input)?)];
        let bodies = [BodyId(load_raw(input)?), BodyId(load_raw(input)?)];
        world.events.pending_end.push(ContactEvent { contact, shapes, bodies });
    }
    for _ in 0..input.length(8)? {
        let (sensor, visitor) = (ShapeId(load_raw(input)?), ShapeId(load_raw(input)?));
        let bodies = [BodyId(load_raw(input)?), BodyId(load_raw(input)?)];
        world.events.pending_sensor_end.push(SensorEvent { sensor, visitor, bodies });
    }
    Ok(())
}

fn save_generators<D: Dim>(world: &World<D>, out: &mut Writer) {
    let generators = &world.generators;
    generators.slots.save(out, |record, out| record.save(out));
    let rest = generators.rest.iter().enumerate().filter_map(|(body, load)| Some((body as u32, (*load)?)));
    out.u32(rest.clone().count() as u32);
    for (body, load) in rest {
        out.var(body);
        out.put(&load.force);
        out.put(&load.torque);
    }
}

fn load_generators<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    world.generators.slots = Slots::load(input, crate::force::GeneratorRecord::load)?;
    let count = world.bodies.records.slot_count();
    for index in 0..world.generators.slots.slot_count() as u32 {
        let Some(record) = world.generators.slots.get(index) else { continue };
        if record.kind.bodies().any(|body| world.body_index(body).is_err()) {
            return Err(input.damaged("body of a generator"));
        }
        world.generators.enlist(index);
    }
    for _ in 0..input.length(1)? {
        let body = input.index(count)? as usize;
        world.generators.rest.resize(count, None);
        world.generators.rest[body] = Some(Load { force: input.get()?, torque: input.get()? });
    }
    Ok(())
}

/// Checks magic, version, dimension and checksum; the rest follows.
fn open<D: Dim>(bytes: &[u8]) -> Result<Reader<'_>, Error> {
    let refuse = |reason: String| Err(Error::Snapshot { reason });
    let head = MAGIC.len() + 3;
    if bytes.len() < head + 8 || &bytes[..MAGIC.len()] != MAGIC {
        return refuse("not a topple snapshot".into());
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if version != VERSION {
        return refuse(format!("version {version}, but this build reads version {VERSION}"));
    }
    if bytes[10] as usize != D::N {
        return refuse(format!("of a {}D world, but a {}D one was asked for", bytes[10], D::N));
    }
    let (content, sum) = bytes.split_at(bytes.len() - 8);
    if checksum(content).to_le_bytes() != sum {
        return refuse("damaged: its checksum does not match".into());
    }
    let mut input = Reader::new(content);
    for _ in 0..head {
        input.u8()?;
    }
    Ok(input)
}

/// Reads a world.
pub(super) fn load<D: Dim>(bytes: &[u8], own: OwnMethods<'_, D>) -> Result<World<D>, Error> {
    let mut input = open::<D>(bytes)?;
    let input = &mut input;
    let mut world = World::<D>::new();
    loop {
        let name = input.text()?;
        if name.is_empty() {
            break;
        }
        let value = input.text()?;
        let refuse =
            |error: Error| Error::Snapshot { reason: format!("holds an impossible setting: {error}") };
        world.settings.set_by_name(name, value).map_err(refuse)?;
    }
    world.step_count = input.u64()?;
    world.time = f64::from_bits(input.u64()?);
    world.impulse_time = input.real()?;
    if !world.time.is_finite() || !world.impulse_time.is_finite() || world.impulse_time < 0.0 {
        return Err(input.damaged("time"));
    }
    super::snapshot_bodies::load(&mut world, input)?;
    super::snapshot_joints::load(&mut world, input)?;
    super::snapshot_shapes::load(&mut world, input)?;
    let contradiction = |(what, index): (&str, u32)| Error::Snapshot {
        reason: format!("contradicts itself: does not hold that {what} (index {index})"),
    };
    // The lists of joints are walked when the mass is set.
    world.check_joint_edges().map_err(contradiction)?;
    let indices = world.bodies.records.iter().map(|(index, _)| index).collect::<Vec<_>>();
    let places = world.bodies.places.clone();
    let motions = world.bodies.cores.iter().map(|core| core.motion).collect::<Vec<_>>();
    for &index in &indices {
        // Mass follows from the shapes; places and velocities are those of the snapshot.
        if !world.bodies.records[index].has_own_mass {
            let mass = world.mass_of_shapes(index, super::bodies::Change::Nothing);
            mass.check_usable()
                .map_err(|error| Error::Snapshot { reason: format!("impossible: {error}") })?;
        }
        world.update_mass(index);
        world.bodies.places[index as usize] = places[index as usize];
        world.bodies.cores[index as usize].motion = motions[index as usize];
    }
    load_proxies(&mut world, input)?;
    load_contacts(&mut world, input)?;
    load_lists(&mut world, input)?;
    load_pending(&mut world, input)?;
    load_generators(&mut world, input)?;
    world.check().map_err(contradiction)?;
    load_methods(&mut world, input, own)?;
    if !input.is_at_end() {
        return Err(input.damaged("something follows the end"));
    }
    Ok(world)
}

fn load_proxies<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    world.proxies = Proxies::from_slots(vec![Proxy::default(); world.shapes.slot_count()]);
    for index in 0..world.shapes.slot_count() as u32 {
        let Some(shape) = world.shapes.get(index) else { continue };
        let fat: Aabb<D> = input.get()?;
        let kind = world.proxy_kind(shape.body);
        if kind != ProxyKind::None {
            let (low, high) = (fat.min.to_vec(), fat.max.to_vec());
            if !(0..D::N).all(|axis| low.get(axis) <= high.get(axis)) {
                return Err(input.damaged("box of a shape"));
            }
            let (body, filter, is_sensor) = (shape.body, shape.filter, shape.is_sensor);
            world.proxies.set(index, Proxy { fat, body, kind, filter, is_sensor });
        }
    }
    Ok(())
}

fn load_contacts<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    let mut loaded = Vec::new();
    world.contacts.records = Slots::load(input, |input| {
        let (record, contact) =
            super::snapshot_contacts::load(input, &world.shapes, &world.bodies, &world.settings)?;
        loaded.push(contact);
        Ok(record)
    })?;
    // Free slots have a hot part too: the next contact that takes one writes over it.
    let count = world.contacts.records.slot_count();
    world.contacts.hot = vec![Contact::new([NONE; 2], [NONE; 2], 0); count];
    let indices = world.contacts.records.iter().map(|(index, _)| index).collect::<Vec<_>>();
    for (&index, contact) in indices.iter().zip(loaded) {
        if !contact.is_part() {
            if world.contacts.find(contact.key()).is_some() {
                return Err(input.damaged("the same pair twice"));
            }
            world.contacts.pairs.insert(contact.key(), index);
        }
        for body in contact.bodies {
            world.bodies.records[body].contact_count += 1;
        }
        world.contacts.has_grain |= contact.has_grain();
        world.contacts.hot[index as usize] = contact;
    }
    for &index in &indices {
        let contact = &world.contacts.hot[index as usize];
        if let Some(head) = world.contacts.find(contact.key()).filter(|_| contact.is_part()) {
            world.contacts.set_head(index, head);
        }
    }
    let live = |index: u32| world.contacts.records.get(index).is_some();
    let awake = input.vars(count)?;
    if !awake.iter().all(|&index| live(index)) {
        return Err(input.damaged("awake contacts"));
    }
    world.contacts.awake = awake.into_iter().collect();
    Ok(())
}

fn load_lists<D: Dim>(world: &mut World<D>, input: &mut Reader<'_>) -> Result<(), Error> {
    let contact_count = world.contacts.records.slot_count();
    for number in 0..world.graph.colors.len() {
        let contacts = input.vars(contact_count)?;
        let mut color = Color::default();
        for (slot, &index) in contacts.iter().enumerate() {
            let Some(record) = world.contacts.records.get_mut(index) else {
                return Err(input.damaged("coloured contact"));
            };
            (record.color, record.color_slot) = (number as u8, slot as u32);
            let bodies = world.contacts.hot[index as usize].bodies;
            if number + 1 < world.graph.colors.len() {
                (0..2)
                    .filter(|&side| record.colored[side])
                    .for_each(|side| color.bodies.insert(bodies[side]));
            }
        }
        color.contacts = contacts;
        color.joints = super::snapshot_joints::load_color(world, input, number, &mut color.bodies)?;
        world.graph.colors[number] = color;
    }
    let body_count = world.bodies.records.slot_count();
    let steps =
        |input: &mut Reader<'_>| u16::try_from(input.var()?).map_err(|_| input.damaged("a count of steps"));
    let small = |input: &mut Reader<'_>| match input.var()? {
        level @ 0..=crate::island::MAX_LEVEL => Ok(level as u8),
        _ => Err(input.damaged("the level of an island")),
    };
    world.islands.slots = Slots::load(input, |input| {
        let bits = input.u8()?;
        if bits > 3 {
            return Err(input.damaged("island"));
        }
        let mut island = Island::of(input.link(body_count)?);
        if bits & 1 == 0 {
            (island.tail, island.count) = (input.link(body_count)?, input.var()?);
        }
        if bits & 2 == 0 {
            island.removed = input.var()?;
            island.level = small(input)?;
            (island.calm, island.window) = (steps(input)?, steps(input)?);
            island.least = input.real()?;
        }
        Ok(island)
    })?;
    let islands = world.islands.slots.iter();
    world.islands.refined = islands.filter(|(_, island)| island.level > 0).count() as u32;
    world.moved = input.vars(world.shapes.slot_count())?.into_iter().collect();
    world.leaning = input.vars(contact_count)?.into_iter().collect();
    world.watched = input.vars(contact_count)?.into_iter().collect();
    world.released = input.vars(world.bodies.records.slot_count())?.into_iter().collect();
    world.built = input.vars(world.bodies.records.slot_count())?.into_iter().collect();
    Ok(())
}

/// Chooses the methods by name; a user's own are put in by `own`, or leave the default.
fn load_methods<D: Dim>(
    world: &mut World<D>,
    input: &mut Reader<'_>,
    own: OwnMethods<'_, D>,
) -> Result<(), Error> {
    let (name, saved) = (input.text()?, input.blob()?);
    if world.set_integrator_by_name(name).is_err() {
        own(world, "integrator", name);
    }
    if world.methods.integrator.name() == name {
        world.methods.integrator.load(&mut Reader::new(saved))?;
    }
    let (name, saved) = (input.text()?, input.blob()?);
    // Attached by whoever puts it in; the default is not yet.
    world.methods.broad_phase.attach(&world.proxies);
    if world.set_broad_phase_by_name(name).is_err() {
        own(world, "broad phase", name);
    }
    if world.methods.broad_phase.name() == name {
        world.methods.broad_phase.load(&mut Reader::new(saved))?;
    }
    let (name, saved) = (input.text()?, input.blob()?);
    if world.set_narrow_phase_by_name(name).is_err() {
        own(world, "narrow phase", name);
    }
    if world.methods.narrow_phase.name() == name {
        world.methods.narrow_phase.load(&mut Reader::new(saved))?;
    }
    let (name, saved) = (input.text()?, input.blob()?);
    if world.set_solver_by_name(name).is_err() {
        own(world, "solver", name);
    }
    if world.methods.solver.name() == name {
        world.methods.solver.load(&mut Reader::new(saved))?;
    }
    Ok(())
}
