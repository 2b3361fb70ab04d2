//! Adding, changing and removing force generators, and what they wake.
//!
//! Generators push awake bodies only. A sleeping body came to rest under the forces of then, so it may go on sleeping until
//! they change: adding, changing or removing a generator wakes the bodies it acts on, and where forces can change by
//! themselves (springs between bodies, attraction, explosions, the user's own) sleepers are looked at in every step and wake when
//! the force on them differs by more than `wake_load` of their weight from what it was when they fell asleep.

use super::World;
use crate::Error;
use crate::body::{AwakeBodies, BodyKind, BodySet, Load};
use crate::force::{ForceField, Forces, Generator, GeneratorKind, GeneratorRecord, Varies};
use crate::math::*;
use crate::store::{BodyId, GeneratorId, IdText, Reader};

impl<D: Dim> World<D> {
    /// Adds a force generator, and wakes the bodies it acts on.
    ///
    /// ```
    /// use topple::force::{Anchor, Spring};
    /// use topple::{BodyDef2, Point2, Shape2, World2};
    /// let mut world = World2::new();
    /// let bob = world.create_body_with(BodyDef2::dynamic([0.0, 0.0]), [Shape2::circle(0.5)])?;
    /// let hook = Anchor::World(Point2::new(0.0, 2.0));
    /// let spring = world.add_generator(Spring { damping: 0.5, ..Spring::new(hook, Anchor::body(bob), 20.0, 1.0) })?;
    /// world.step();
    /// world.remove_generator(spring)?;
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn add_generator(&mut self, kind: impl Into<GeneratorKind<D>>) -> Result<GeneratorId, Error> {
        let kind = kind.into();
        self.check_generator(&kind)?;
        let record = GeneratorRecord { kind, is_enabled: true, name: String::new(), user_data: 0 };
        let id = GeneratorId(self.generators.insert(record));
        self.wake_under(id.index());
        Ok(id)
    }

    /// Adds a force generator of the user's own.
    pub fn add_own_generator(&mut self, own: impl Generator<D> + 'static) -> Result<GeneratorId, Error> {
        self.add_generator(GeneratorKind::Own(Box::new(own)))
    }

    /// Puts a generator of the user's own back into a restored world, where it is [`GeneratorKind::Absent`]: it reads what it
    /// saved. The name must be the one of then.
    pub fn attach_generator(
        &mut self,
        id: GeneratorId,
        mut own: impl Generator<D> + 'static,
    ) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        let GeneratorKind::Absent { name, bytes } = &self.generators.slots[index].kind else {
            return Err(Error::NotPossible {
                what: "attaching a generator",
                reason: "this one is not absent",
            });
        };
        if name != own.name() {
            return Err(Error::UnknownName {
                kind: "generator",
                name: own.name().into(),
                known: name.clone(),
            });
        }
        own.load(&mut Reader::new(bytes))?;
        self.generators.replace(index, GeneratorKind::Own(Box::new(own)));
        Ok(())
    }

    /// Removes a force generator, and wakes the bodies it acted on.
    pub fn remove_generator(&mut self, id: GeneratorId) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        self.wake_under(index);
        self.generators.remove(index);
        Ok(())
    }

    /// What a generator does.
    pub fn generator(&self, id: GeneratorId) -> Result<&GeneratorKind<D>, Error> {
        Ok(&self.generators.slots[self.generator_index(id)?].kind)
    }

    /// Replaces what a generator does; bodies under the old or the new one wake.
    pub fn set_generator(&mut self, id: GeneratorId, kind: impl Into<GeneratorKind<D>>) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        let kind = kind.into();
        self.check_generator(&kind)?;
        self.wake_under(index);
        self.generators.replace(index, kind);
        self.wake_under(index);
        Ok(())
    }

    /// True if the generator acts.
    pub fn is_generator_enabled(&self, id: GeneratorId) -> Result<bool, Error> {
        Ok(self.generators.slots[self.generator_index(id)?].is_enabled)
    }

    /// Switches a generator on or off.
    pub fn set_generator_enabled(&mut self, id: GeneratorId, is_enabled: bool) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        if is_enabled != self.generators.slots[index].is_enabled {
            self.wake_under(index);
            self.generators.slots[index].is_enabled = is_enabled;
        }
        Ok(())
    }

    /// Name of a generator; empty: none.
    pub fn generator_name(&self, id: GeneratorId) -> Result<&str, Error> {
        Ok(&self.generators.slots[self.generator_index(id)?].name)
    }

    /// Names a generator.
    pub fn set_generator_name(&mut self, id: GeneratorId, name: impl Into<String>) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        self.generators.slots[index].name = name.into();
        Ok(())
    }

    /// The first generator with this name, by index. Nothing has the empty name.
    pub fn find_generator(&self, name: &str) -> Option<GeneratorId> {
        let (index, _) =
            self.generators.slots.iter().find(|(_, record)| !name.is_empty() && record.name == name)?;
        self.generators.slots.id_at(index).map(GeneratorId)
    }

    /// The user's number of a generator; kept in snapshots.
    pub fn generator_user_data(&self, id: GeneratorId) -> Result<u64, Error> {
        Ok(self.generators.slots[self.generator_index(id)?].user_data)
    }

    /// Sets the user's number of a generator.
    pub fn set_generator_user_data(&mut self, id: GeneratorId, data: u64) -> Result<(), Error> {
        let index = self.generator_index(id)?;
        self.generators.slots[index].user_data = data;
        Ok(())
    }

    /// Number of generators.
    pub fn generator_count(&self) -> usize {
        self.generators.slots.len()
    }

    /// All generators, in order of index.
    pub fn generator_ids(&self) -> impl Iterator<Item = GeneratorId> + '_ {
        let slots = &self.generators.slots;
        slots.iter().filter_map(|(index, _)| slots.id_at(index)).map(GeneratorId)
    }

    /// True if the id names a generator.
    pub fn contains_generator(&self, id: GeneratorId) -> bool {
        self.generators.slots.resolve(id.0).is_some()
    }

    /// Potential energy of the bodies under the generators that have one [J]; the world's own gravity is not in it.
    pub fn generator_energy(&self) -> Real {
        let (mut room, mut loads) = (Default::default(), Vec::new());
        let mut field = ForceField {
            bodies: &self.bodies,
            shapes: &self.shapes,
            settings: &self.settings,
            now: (&[], &[]),
            part: None,
            set: BodySet::Awake,
            loads: &mut loads,
            time: self.time,
            room: &mut room,
        };
        let enabled = self.generators.slots.iter().filter(|(_, record)| record.is_enabled);
        enabled.filter_map(|(_, record)| record.kind.energy(&mut field)).sum()
    }

    fn generator_index(&self, id: GeneratorId) -> Result<u32, Error> {
        let stale = || Error::StaleId { kind: GeneratorId::KIND, id: IdText(id.0) };
        self.generators.slots.resolve(id.0).ok_or_else(stale)
    }

    /// Numbers must be possible and bodies alive.
    fn check_generator(&self, kind: &GeneratorKind<D>) -> Result<(), Error> {
        kind.validate()?;
        for id in kind.bodies() {
            self.body_index(id)?;
        }
        Ok(())
    }

    /// Wakes the bodies that a generator acts on.
    fn wake_under(&mut self, index: u32) {
        let kind = &self.generators.slots[index].kind;
        let named = kind.named();
        let listed = match kind.scope() {
            Some(scope) => scope.bodies.clone(),
            // The user's own may act on anything.
            None if named == [None; 2] => None,
            None => Some(Vec::new()),
        };
        let region = kind.scope().and_then(|scope| scope.region);
        let inside = |world: &Self, body: u32| {
            let p = world.bodies.places[body as usize].position.to_vec();
            region.is_none_or(|region: Aabb<D>| {
                let (low, high) = (region.min.to_vec(), region.max.to_vec());
                (0..D::N).all(|axis| low.get(axis) <= p.get(axis) && p.get(axis) <= high.get(axis))
            })
        };
        match listed {
            Some(listed) => {
                for id in named.into_iter().flatten().chain(listed) {
                    if let Ok(body) = self.body_index(id) {
                        self.wake_index(body);
                    }
                }
            }
            None => {
                let bodies = self.bodies.set(BodySet::Sleeping).as_slice().to_vec();
                bodies
                    .into_iter()
                    .filter(|&body| inside(self, body))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|body| self.wake_index(body));
                for i in 0..self.bodies.set(BodySet::Awake).len() {
                    let body = self.bodies.set(BodySet::Awake).as_slice()[i];
                    if inside(self, body) {
                        self.bodies.cores[body as usize].sleep_time = 0.0;
                    }
                }
            }
        }
    }

    /// Generators that named a removed body go with it, lists lose it. Only those that name it are looked at, and the user's own.
    pub(crate) fn forget_in_generators(&mut self, body: BodyId) {
        for index in self.generators.forget(body) {
            self.wake_under(index);
            self.generators.remove(index);
        }
    }

    /// True if a generator can change the forces on sleepers while nothing is awake.
    pub(crate) fn has_clockwork(&self) -> bool {
        !self.generators.slots.is_empty() && self.generators.varies() == Varies::WithTime
    }

    /// Wakes sleepers on which the forces have changed.
    pub(crate) fn wake_by_generators(&mut self) {
        if self.generators.slots.is_empty() || self.generators.varies() == Varies::Never {
            return;
        }
        let mut generators = core::mem::take(&mut self.generators);
        let count = self.bodies.records.slot_count();
        generators.rest.resize(count, None);
        let work = &mut generators.work;
        work.loads.clear();
        work.loads.resize(count, Load::ZERO);
        let mut field = ForceField {
            bodies: &self.bodies,
            shapes: &self.shapes,
            settings: &self.settings,
            now: (&[], &[]),
            part: None,
            set: BodySet::Sleeping,
            loads: &mut work.loads,
            time: self.time,
            room: &mut work.room,
        };
        for (_, record) in generators.slots.iter() {
            if record.is_enabled && record.kind.varies() != Varies::Never {
                record.kind.apply(&mut field);
            }
        }
        for body in 0..count as u32 {
            let asleep = self.bodies.records.get(body).is_some_and(|record| record.set == BodySet::Sleeping);
            let (now, at) = (generators.work.loads[body as usize], body as usize);
            let known = core::mem::replace(&mut generators.rest[at], asleep.then_some(now));
            if let (true, Some(then)) = (asleep, known) {
                generators.rest[at] = Some(then);
                let weight = self.bodies.records[body].mass.mass * self.settings.weight_scale();
                let limit = self.settings.wake_load * weight;
                let (push, turn) = ((now.force - then.force).length(), (now.torque - then.torque).length());
                // Written so that a NaN wakes too: the body then leaves the simulation.
                if !(push <= limit && turn <= limit * self.bodies.cores[at].extent) {
                    generators.rest[at] = None;
                    self.wake_index(body);
                }
            }
        }
        self.generators = generators;
    }

    /// The end of a step for the generators: those that are done go, bodies with impossible forces leave.
    pub(crate) fn finish_generators(&mut self) {
        if self.generators.slots.is_empty() {
            return;
        }
        let dt = self.settings.dt;
        for index in 0..self.generators.slots.slot_count() as u32 {
            let record = self.generators.slots.get_mut(index);
            if !record.is_none_or(|record| !record.is_enabled || record.kind.end_step(dt)) {
                self.generators.remove(index);
            }
        }
        let mut faults = core::mem::take(&mut self.generators.work.faults);
        for &body in &faults {
            let there = self.bodies.records.get(body).is_some_and(|record| record.set != BodySet::Disabled);
            if there && self.bodies.records[body].kind == BodyKind::Dynamic {
                super::finalize::quarantine(self, body);
            }
        }
        faults.clear();
        self.generators.work.faults = faults;
    }
}

impl<D: Dim> World<D> {
    /// Advances the velocities of a few of the awake bodies by `h` [s] from where the step began, under all forces.
    pub(super) fn integrate_velocities_of(&mut self, bodies: &mut AwakeBodies<D>, h: Real) {
        self.generators.choose_part(bodies, &self.bodies, |_| true);
        let time = self.time - f64::from(self.settings.dt);
        let Self { generators, bodies: all, shapes, settings, methods, .. } = self;
        let mut block = bodies.block(settings);
        match &mut forces(generators, all, shapes, settings, time) {
            None => methods.integrator.integrate_velocities(&mut block, h),
            Some(forces) => methods.integrator.integrate_velocities_under(&mut block, forces, h),
        }
    }
}

/// The generators of a world for its solver; None if there are none.
pub(super) fn forces<'a, D: Dim>(
    generators: &'a mut crate::force::Generators<D>,
    bodies: &'a crate::body::Bodies<D>,
    shapes: &'a crate::store::Slots<crate::shape::ShapeRecord<D>>,
    settings: &'a crate::Settings<D>,
    time: f64,
) -> Option<Forces<'a, D>> {
    if generators.slots.is_empty() {
        return None;
    }
    let (generators, work) = (&generators.slots, &mut generators.work);
    Some(Forces { generators, bodies, shapes, settings, time, work })
}
