//! Creating, changing and removing bodies.

use super::World;
use crate::Error;
use crate::body::{BodyCore, BodyDef, BodyKind, BodyRecord, BodySet, NONE};
use crate::broad_phase::ProxyKind;
use crate::contact::flags;
use crate::math::*;
use crate::shape::{Mass, ShapeDef, ShapeOps};
use crate::store::{BodyId, IdText};

impl<D: Dim> World<D> {
    /// Creates a body. It has no shapes yet; a dynamic body without mass counts as a point of 1 kg that does not turn.
    pub fn create_body(&mut self, def: BodyDef<D>) -> Result<BodyId, Error> {
        def.validate()?;
        Ok(self.insert_body(&def))
    }

    /// Creates a body with shapes, all or nothing.
    ///
    /// ```
    /// use topple::{BodyDef3, Shape3, World3};
    /// let mut world = World3::new();
    /// let ball = world.create_body_with(BodyDef3::dynamic([0.0, 5.0, 0.0]), [Shape3::sphere(0.5)])?;
    /// assert!(world.body(ball)?.mass() > 0.5);
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn create_body_with<S: Into<ShapeDef<D>>>(
        &mut self,
        def: BodyDef<D>,
        shapes: impl IntoIterator<Item = S>,
    ) -> Result<BodyId, Error> {
        def.validate()?;
        let shapes = shapes.into_iter().map(Into::into).collect::<Vec<ShapeDef<D>>>();
        let shapes = shapes.into_iter().map(|shape| Self::check_shape(shape, def.kind));
        let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
        if def.mass.is_none() {
            let mass = shapes.iter().map(mass_of).fold(Mass::ZERO, Mass::plus);
            mass.check_usable()?;
            def.check_center(mass.center)?;
        }
        let index = self.insert_bare_body(&def);
        for shape in &shapes {
            self.insert_shape(index, shape);
        }
        self.update_mass(index);
        // Only now are the sizes known that the boxes grow with.
        for i in 0..shapes.len() {
            self.show_shape(self.bodies.records[index].shapes[i]);
        }
        Ok(BodyId(self.bodies.records.id_at(index).unwrap_or_default()))
    }

    /// A body without shapes.
    pub(crate) fn insert_body(&mut self, def: &BodyDef<D>) -> BodyId {
        let index = self.insert_bare_body(def);
        self.update_mass(index);
        BodyId(self.bodies.records.id_at(index).unwrap_or_default())
    }

    /// A body without shapes and mass. The caller updates the mass.
    fn insert_bare_body(&mut self, def: &BodyDef<D>) -> u32 {
        let mut record = BodyRecord::new(def);
        record.set = if !def.is_enabled {
            BodySet::Disabled
        } else {
            match def.kind {
                BodyKind::Dynamic if def.is_awake || !def.can_sleep => BodySet::Awake,
                BodyKind::Dynamic => BodySet::Sleeping,
                BodyKind::Kinematic if is_moving::<D>(def.linear_velocity, def.angular_velocity) => {
                    BodySet::Awake
                }
                _ => BodySet::Static,
            }
        };
        let mut core = BodyCore::new(def);
        if def.kind == BodyKind::Static || record.set == BodySet::Sleeping {
            core.motion = crate::Motion::ZERO;
        }
        if def.kind == BodyKind::Dynamic {
            core.motion = core.motion.without_locked(def.locks);
        }
        let place = Pose { position: def.position, rotation: def.rotation.normalized() };
        let in_island = def.kind == BodyKind::Dynamic && def.is_enabled;
        let index = self.bodies.insert(record, place, core);
        if in_island {
            self.islands.add(&mut self.bodies, index);
        }
        self.make_room();
        index
    }

    /// Removes a body with its shapes, contacts and joints. What rested on it wakes.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), Error> {
        let index = self.body_index(id)?;
        self.wake_neighbors(index);
        self.remove_joints_of(index);
        self.remove_contacts_of(index);
        while let Some(shape) = self.bodies.records[index].shapes.pop() {
            self.remove_proxy(shape);
            self.shapes.remove(shape);
        }
        self.islands.remove(&mut self.bodies, index);
        self.released.remove(index);
        self.built.remove(index);
        self.forget_in_generators(id);
        self.bodies.remove(index);
        Ok(())
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.records.len()
    }

    /// All bodies, in order of index.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let ids = self.bodies.records.iter().filter_map(|(index, _)| self.bodies.records.id_at(index));
        ids.map(BodyId)
    }

    /// The first body with this name, by index. Looks at every body. Nothing has the empty name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        if name.is_empty() {
            return None;
        }
        let found = self.bodies.records.iter().find(|(_, record)| record.name == name)?;
        self.bodies.records.id_at(found.0).map(BodyId)
    }

    /// True if the id names a body.
    pub fn contains_body(&self, id: BodyId) -> bool {
        self.bodies.records.resolve(id.0).is_some()
    }

    /// Slot of a live id.
    pub(crate) fn body_index(&self, id: BodyId) -> Result<u32, Error> {
        let stale = || Error::StaleId { kind: BodyId::KIND, id: IdText(id.0) };
        self.bodies.records.resolve(id.0).ok_or_else(stale)
    }

    /// Changes how a body moves. Velocities of bodies that become static are lost, and forces gathered so far; what touches
    /// it wakes. A disabled body stays disabled.
    pub fn set_kind(&mut self, id: BodyId, kind: BodyKind) -> Result<(), Error> {
        let index = self.body_index(id)?;
        if kind == self.bodies.records[index].kind {
            return Ok(());
        }
        if kind == BodyKind::Dynamic {
            let fixed = self.bodies.records[index].shapes.iter().any(|&s| !self.shapes[s].shape.can_move());
            if fixed {
                return Err(Error::NotPossible {
                    what: "a dynamic body",
                    reason: "it has a shape that cannot move (plane, chain or height field)",
                });
            }
        }
        let enabled = self.bodies.records[index].set != BodySet::Disabled;
        self.take_out(index);
        let record = &mut self.bodies.records[index];
        record.kind = kind;
        let core = &mut self.bodies.cores[index as usize];
        core.load = crate::body::Load::ZERO;
        core.motion = match kind {
            BodyKind::Static => crate::Motion::ZERO,
            BodyKind::Kinematic => core.motion,
            BodyKind::Dynamic => core.motion.without_locked(record.locks),
        };
        self.update_mass(index);
        if enabled {
            self.put_in(index);
        }
        Ok(())
    }

    /// Takes a body out of the simulation, or puts it back. Its state is kept.
    pub fn set_enabled(&mut self, id: BodyId, enabled: bool) -> Result<(), Error> {
        let index = self.body_index(id)?;
        if enabled == (self.bodies.records[index].set != BodySet::Disabled) {
            return Ok(());
        }
        self.take_out(index);
        if enabled {
            self.bodies.records[index].is_quarantined = false;
            self.put_in(index);
        }
        Ok(())
    }

    /// Removes contacts, island and proxies; the body is then disabled.
    pub(crate) fn take_out(&mut self, index: u32) {
        self.wake_neighbors(index);
        self.remove_contacts_of(index);
        self.uncolor_joints_of(index);
        self.islands.remove(&mut self.bodies, index);
        for i in 0..self.bodies.records[index].shapes.len() {
            let shape = self.bodies.records[index].shapes[i];
            self.remove_proxy(shape);
        }
        self.bodies.move_to(index, BodySet::Disabled);
    }

    /// The reverse of [`Self::take_out`]: the body takes part again, awake.
    fn put_in(&mut self, index: u32) {
        let motion = self.bodies.cores[index as usize].motion;
        let set = match self.bodies.records[index].kind {
            BodyKind::Dynamic => BodySet::Awake,
            BodyKind::Kinematic if is_moving::<D>(motion.linear, motion.angular) => BodySet::Awake,
            _ => BodySet::Static,
        };
        self.bodies.move_to(index, set);
        self.bodies.forget_speed(index);
        self.bodies.cores[index as usize].sleep_time = 0.0;
        if self.bodies.records[index].kind == BodyKind::Dynamic {
            self.islands.add(&mut self.bodies, index);
        }
        for i in 0..self.bodies.records[index].shapes.len() {
            let shape = self.bodies.records[index].shapes[i];
            self.insert_proxy(shape);
        }
        self.color_joints_of(index);
    }

    /// Ok if the body stays possible when its shapes change like this.
    pub(crate) fn check_mass(&self, body: u32, change: Change<'_, D>) -> Result<(), Error> {
        if self.bodies.records[body].has_own_mass {
            return Ok(());
        }
        self.check_new_mass(body, self.mass_of_shapes(body, change))
    }

    /// Ok if the body can have this mass: it can be divided by, and the centre, at its new place, is a finite point that moves
    /// with a finite velocity.
    pub(crate) fn check_new_mass(&self, body: u32, mass: Mass<D>) -> Result<(), Error> {
        let shift = self.check_place(body, mass)?;
        if !self.bodies.cores[body as usize].motion.seen_from(shift).is_finite() {
            let allowed = "such that its velocity is finite at the spin of the body";
            return Err(Error::invalid("Mass.center", mass.center, allowed));
        }
        Ok(())
    }

    /// The way that the centre of mass goes when the body gets this mass [m], if it can have it there.
    pub(crate) fn check_place(&self, body: u32, mass: Mass<D>) -> Result<D::Vec, Error> {
        mass.check_usable()?;
        let (place, core) = (self.bodies.places[body as usize], &self.bodies.cores[body as usize]);
        let shift = place.rotation.rotate(mass.center - core.local_center);
        if (place.position + shift).is_finite() {
            return Ok(shift);
        }
        Err(Error::invalid("Mass.center", mass.center, "such that the centre of mass is finite in the world"))
    }

    /// Mass of all shapes together, in order of attachment, after a change.
    pub(crate) fn mass_of_shapes(&self, body: u32, change: Change<'_, D>) -> Mass<D> {
        let (mut extra, mut denser, mut gone): (Option<&ShapeDef<D>>, _, &[u32]) = (None, None, &[]);
        match change {
            Change::Nothing => {}
            Change::Add(def) => extra = Some(def),
            Change::Density(index, density) => denser = Some((index, density)),
            Change::Remove(indices) => gone = indices,
        }
        let record = &self.bodies.records[body];
        if let Some(def) = extra
            && !record.has_own_mass
            && !record.mass.is_like_a_point()
        {
            // PERF: the sum so far is known, to the bit. Shapes that are added one by one would be summed up anew every time.
            return record.mass.plus(mass_of(def));
        }
        let stay = record.shapes.iter().filter(|index| !gone.contains(index));
        let parts = stay.map(|&index| {
            let shape = &self.shapes[index];
            let density = denser.filter(|&(which, _)| which == index).map_or(shape.density, |(_, new)| new);
            shape.shape.mass(density).placed(&shape.local)
        });
        parts.chain(extra.map(mass_of)).fold(Mass::ZERO, Mass::plus)
    }

    /// Mass from the shapes (or the user's own), and everything that follows from it. The body's frame stays where it is.
    pub(crate) fn update_mass(&mut self, index: u32) {
        self.take_mass(index, self.mass_of_shapes(index, Change::Nothing));
    }

    /// The same, if the mass of the shapes is known.
    pub(crate) fn take_mass(&mut self, index: u32, of_shapes: Mass<D>) {
        let record = &mut self.bodies.records[index];
        if !record.has_own_mass {
            record.mass = if record.kind == BodyKind::Dynamic { of_shapes.or_a_point() } else { of_shapes };
        }
        let (mass, locks, kind) = (record.mass, record.locks, record.kind);
        let core = &mut self.bodies.cores[index as usize];
        let old_center = core.local_center;
        core.local_center = mass.center;
        core.locks = locks.to_bits();
        core.inertia = mass.inertia;
        core.is_gyroscopic = !mass.inertia.is_isotropic();
        let mut shapes = self.bodies.records[index].shapes.iter();
        core.is_elastic = shapes.any(|&shape| self.shapes[shape].material.restitution > 0.0);
        core.inv_inertia = D::Inertia::ZERO;
        core.inv_mass = 0.0;
        if kind == BodyKind::Dynamic {
            let pinned = locks.translation[..D::N].iter().all(|&locked| locked);
            core.inv_mass = if pinned { 0.0 } else { 1.0 / mass.mass.max(Real::MIN_POSITIVE) };
            if !locks.rotation[..D::ANGULAR].iter().all(|&locked| locked) {
                core.inv_inertia = mass.inertia.inverse();
            }
        }
        let place = &mut self.bodies.places[index as usize];
        let shift = place.rotation.rotate(mass.center - old_center);
        place.position += shift;
        core.motion = core.motion.seen_from(shift);
        if kind == BodyKind::Dynamic {
            // A pinned centre stays where it is, wherever the spin of the old one would take it.
            core.motion = core.motion.without_locked(locks);
        }
        self.update_extent(index);
        self.refresh_joint_frames(index);
    }

    /// Places of the shapes relative to the centre of mass, and the sizes that margins scale with.
    pub(crate) fn update_extent(&mut self, index: u32) {
        let record = &self.bodies.records[index];
        let center = record.mass.center;
        let mut extent: Real = 0.0;
        let mut thickness = Real::INFINITY;
        for &i in &record.shapes {
            let shape = &mut self.shapes[i];
            shape.from_center =
                Pose { position: shape.local.position - center, rotation: shape.local.rotation };
            extent =
                extent.max(shape.shape.farthest_from(shape.from_center.inverse_transform(D::Point::ORIGIN)));
            if !shape.is_sensor {
                thickness = thickness.min(crate::continuous::thickness::<D>(shape, &self.settings));
            }
        }
        if record.shapes.is_empty() && record.mass.mass > 0.0 {
            // Nothing to see, but it may turn: the radius of gyration stands for the size.
            let largest = (0..D::ANGULAR).fold(0.0, |largest: Real, axis| {
                let mut unit = D::Ang::ZERO;
                unit.set(axis, 1.0);
                largest.max(record.mass.inertia.apply(unit).length())
            });
            extent = (largest / record.mass.mass).sqrt();
        }
        let core = &mut self.bodies.cores[index as usize];
        core.extent = extent;
        core.thickness = thickness;
        let settings = &self.settings;
        core.sleep_speed = if !record.can_sleep {
            -1.0
        } else {
            let scaled = if extent > 0.0 { settings.sleep_rate * extent } else { settings.sleep_speed };
            record.sleep_speed.unwrap_or(settings.sleep_speed.min(scaled))
        };
        self.bodies.note_size(index);
    }

    /// Sizes and margins of all bodies, after a change of settings.
    pub(crate) fn refresh_margins(&mut self) {
        let indices = self.bodies.records.iter().map(|(index, _)| index).collect::<Vec<_>>();
        for index in indices {
            self.update_extent(index);
        }
        for index in 0..self.contacts.records.slot_count() as u32 {
            if self.contacts.records.get(index).is_some() {
                self.refresh_contact(index);
            }
        }
    }

    /// Kind of the proxies of a body.
    pub(crate) fn proxy_kind(&self, body: u32) -> ProxyKind {
        let record = &self.bodies.records[body];
        match (record.set, record.kind) {
            (BodySet::Disabled, _) => ProxyKind::None,
            (_, BodyKind::Static) => ProxyKind::Static,
            (_, BodyKind::Kinematic) => ProxyKind::Kinematic,
            (_, BodyKind::Dynamic) => ProxyKind::Dynamic,
        }
    }

    /// A kinematic body changes set when it starts or stops; what touches it wakes when its motion changes.
    pub(crate) fn update_kinematic(&mut self, index: u32) {
        let record = &self.bodies.records[index];
        if record.kind != BodyKind::Kinematic || record.set == BodySet::Disabled {
            return;
        }
        let motion = self.bodies.cores[index as usize].motion;
        let moving = is_moving::<D>(motion.linear, motion.angular);
        self.bodies.move_to(index, if moving { BodySet::Awake } else { BodySet::Static });
        let mut edge = self.bodies.records[index].first_contact;
        while edge != NONE {
            let contact = edge / 2;
            edge = self.contacts.next_edge(edge);
            let bodies = self.contacts.hot[contact as usize].bodies;
            if bodies.iter().any(|&body| self.bodies.is_awake(body)) {
                self.contacts.wake(contact);
            } else {
                self.contacts.awake.remove(contact);
            }
        }
        self.wake_neighbors(index);
    }

    /// Wakes everything whose fat box meets the body's, touching or not: for bodies that are moved by hand.
    pub(crate) fn wake_surroundings(&mut self, index: u32) {
        self.wake_neighbors(index);
        let mut edge = self.bodies.records[index].first_contact;
        while edge != NONE {
            let (contact, side) = (edge / 2, (edge & 1) as usize);
            edge = self.contacts.next_edge(edge);
            self.wake_index(self.contacts.hot[contact as usize].bodies[1 - side]);
        }
    }

    /// Wakes everything that touches or is joined to the body, and the body itself: it may be about to leave them.
    pub(crate) fn wake_neighbors(&mut self, index: u32) {
        self.wake_index(index);
        self.note_release(index);
        let mut edge = self.bodies.records[index].first_contact;
        while edge != NONE {
            let (contact, side) = (edge / 2, (edge & 1) as usize);
            edge = self.contacts.next_edge(edge);
            let contact = &self.contacts.hot[contact as usize];
            // Bodies that were created asleep may touch without anybody having looked.
            let unknown = contact.flags & (flags::HAS_KEPT | flags::SENSOR) == 0;
            if contact.is_solid() || unknown {
                let other = contact.bodies[1 - side];
                self.wake_index(other);
                self.note_release(other);
            }
        }
        let mut joined = Vec::new();
        self.joints.neighbors(self.bodies.records[index].first_joint, &mut joined);
        for other in joined {
            self.wake_index(other);
            self.note_release(other);
        }
    }
}

/// What becomes of the shapes of a body, by which its mass changes.
#[derive(Clone, Copy)]
pub(crate) enum Change<'a, D: Dim> {
    /// They stay as they are.
    Nothing,
    /// One more.
    Add(&'a ShapeDef<D>),
    /// The shape with this index gets this density [kg/m³, in 2D kg/m²].
    Density(u32, Real),
    /// The shapes with these indices go.
    Remove(&'a [u32]),
}

/// Mass of a shape where it stands on its body.
fn mass_of<D: Dim>(def: &ShapeDef<D>) -> Mass<D> {
    def.shape.mass(def.density).placed(&def.local)
}

/// True if a velocity is not exactly zero.
fn is_moving<D: Dim>(linear: D::Vec, angular: D::Ang) -> bool {
    linear != D::Vec::ZERO || angular != D::Ang::ZERO
}
