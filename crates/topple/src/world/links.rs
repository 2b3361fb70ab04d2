//! Contacts coming and going: creation for new pairs, colours, islands, events, removal.

use super::World;
use super::events::{ContactEvent, SensorEvent};
use crate::Settings;
use crate::body::{Bodies, BodyKind, BodySet, NONE};
use crate::broad_phase::{PairKey, Proxies};
use crate::contact::{Contact, Grain, NO_COLOR, flags};
use crate::math::*;
use crate::narrow_phase::{PairCache, Side};
use crate::shape::{Mixing, ShapeOps, ShapeRecord};
use crate::store::{BodyId, ContactId, IdText, ShapeId};

/// A contact, for reading. From [`World::contacts`].
pub struct ContactView<'a, D: Dim> {
    pub(super) world: &'a World<D>,
    pub(super) index: u32,
}

impl<D: Dim> ContactView<'_, D> {
    fn contact(&self) -> &Contact<D> {
        &self.world.contacts.hot[self.index as usize]
    }

    fn places(&self) -> [Pose<D>; 2] {
        self.contact().bodies.map(|body| self.world.bodies.places[body as usize])
    }

    /// Its id.
    pub fn id(&self) -> ContactId {
        ContactId(self.world.contacts.records.id_at(self.index).unwrap_or_default())
    }

    /// The two shapes.
    pub fn shapes(&self) -> [ShapeId; 2] {
        self.contact().shapes.map(|shape| ShapeId(self.world.shapes.id_at(shape).unwrap_or_default()))
    }

    /// Their bodies.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.contact().bodies.map(|body| BodyId(self.world.bodies.records.id_at(body).unwrap_or_default()))
    }

    /// True if the pair touches or is about to: it has contact points.
    pub fn is_touching(&self) -> bool {
        self.contact().is_touching()
    }

    /// True if one of the shapes is a sensor.
    pub fn is_sensor(&self) -> bool {
        self.contact().is_sensor()
    }

    /// Unit vector from the first to the second shape, world frame.
    pub fn normal(&self) -> D::Vec {
        self.contact().normal(self.places()[0].rotation)
    }

    /// Contact points as (place in the world, separation [m], impulse along the normal [N·s], feature id).
    pub fn points(&self) -> impl Iterator<Item = (D::Point, Real, Real, u32)> + '_ {
        let places = self.places();
        let contact = self.contact();
        contact.manifold.points().iter().enumerate().map(move |(i, point)| {
            let row = contact.row(i, &places[0], &places[1]);
            (places[0].position + row.r_a, row.separation, point.normal_impulse, point.id)
        })
    }

    /// Force of the second shape on the first along the normal, all points together [N]: that of the last sub-step. Blows that are over by
    /// then do not count; those of joints, which are means over the step, do.
    pub fn normal_force(&self) -> Real {
        let sum = self.contact().manifold.points().iter().fold(0.0, |sum, p| sum + p.normal_impulse);
        if self.world.impulse_time > 0.0 { sum / self.world.impulse_time } else { 0.0 }
    }

    /// Friction force on the second shape, world frame [N]: that of the last sub-step.
    pub fn friction_force(&self) -> D::Vec {
        let time = self.world.impulse_time;
        self.contact().manifold.friction_impulse * if time > 0.0 { 1.0 / time } else { 0.0 }
    }

    /// Mixed coefficients (friction, restitution), no unit.
    pub fn material(&self) -> (Real, Real) {
        (self.contact().friction, self.contact().restitution)
    }
}

impl<D: Dim> World<D> {
    /// All pairs of overlapping fat boxes, touching or not, in order of index. A pair with a mesh, height field or chain has one
    /// contact for every direction in which it is pushed.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView<'_, D>> + '_ {
        // A part without points is nothing but room for the next one.
        let is_shown = |index: u32| {
            let contact = &self.contacts.hot[index as usize];
            !contact.is_part() || contact.is_touching()
        };
        let all = self.contacts.records.iter().map(|(index, _)| index);
        all.filter(move |&index| is_shown(index)).map(|index| ContactView { world: self, index })
    }

    /// The contact with this id.
    pub fn contact(&self, id: ContactId) -> Result<ContactView<'_, D>, crate::Error> {
        let stale = || crate::Error::StaleId { kind: ContactId::KIND, id: IdText(id.0) };
        let index = self.contacts.records.resolve(id.0).ok_or_else(stale)?;
        Ok(ContactView { world: self, index })
    }

    /// Contacts of one body.
    pub fn contacts_of(
        &self,
        body: BodyId,
    ) -> Result<impl Iterator<Item = ContactView<'_, D>> + '_, crate::Error> {
        let index = self.body_index(body)?;
        let contacts = self.contacts.of_body(self.bodies.records[index].first_contact);
        let is_shown = |index: u32| {
            let contact = &self.contacts.hot[index as usize];
            !contact.is_part() || contact.is_touching()
        };
        Ok(contacts
            .filter(move |&(index, _)| is_shown(index))
            .map(|(index, _)| ContactView { world: self, index }))
    }

    /// True if two shapes collide as far as their kinds, filters, joints and hooks are concerned.
    pub(crate) fn may_touch(&self, a: u32, b: u32) -> bool {
        if !self.proxies.may_pair(a, b) {
            return false;
        }
        // A pair that is there has been asked for already; the pre-solve hook may have refused it.
        if let Some(index) = self.contacts.find(Proxies::<D>::key(a, b)) {
            return self.contacts.hot[index as usize].flags & flags::REFUSED == 0;
        }
        self.may_have_contact(a.min(b), a.max(b))
    }

    /// True unless the kinds of shapes, joints or the user's filter forbid contacts of a pair.
    fn may_have_contact(&self, first: u32, second: u32) -> bool {
        let (a, b) = (&self.shapes[first], &self.shapes[second]);
        if !a.shape.collides_with(&b.shape) || self.joints.forbid(&self.bodies, a.body, b.body) {
            return false;
        }
        let Some(filter) = &self.hooks.pair_filter else { return true };
        let id = |i: u32| ShapeId(self.shapes.id_at(i).unwrap_or_default());
        let body = |i: u32| BodyId(self.bodies.records.id_at(i).unwrap_or_default());
        filter([body(a.body), body(b.body)], [id(first), id(second)])
    }

    /// True if a pair of the broad phase gets a contact: unless the user or the kinds of shapes forbid it.
    pub(crate) fn is_contact(&self, key: PairKey) -> bool {
        let (a, b) = Proxies::<D>::split(key);
        // A user's broad phase may report anything: shapes that are gone, pairs of one body, the order turned round.
        let known = a < b && (b as usize) < self.proxies.slots().len();
        known && self.proxies.is_pair(a, b) && self.reaches_plane(a, b) && self.may_have_contact(a, b)
    }

    /// False for a plane and a shape whose fat box does not reach it.
    fn reaches_plane(&self, a: u32, b: u32) -> bool {
        let slots = self.proxies.slots();
        crate::narrow_phase::reaches_plane(&self.bodies, &self.shapes, slots, [a, b])
    }

    /// The contact of a new pair for which [`Self::is_contact`] holds, not yet in any list.
    pub(crate) fn draft_contact(&self, key: PairKey) -> Contact<D> {
        let mut contact = self.blank_contact(key);
        self.mix_contact(&mut contact);
        contact
    }

    /// The contact of a new pair, without its material.
    #[inline(always)]
    pub(crate) fn blank_contact(&self, key: PairKey) -> Contact<D> {
        let mut shapes = Proxies::<D>::split(key);
        // The frame of a contact is that of its first shape. In that of a body that slides, a normal that is kept for some steps would turn with it, so
        // the ground comes first, whichever was there first.
        let is_pushed = |shape: u32| self.bodies.records[self.shapes[shape].body].kind == BodyKind::Dynamic;
        if is_pushed(shapes.0) && !is_pushed(shapes.1) {
            shapes = (shapes.1, shapes.0);
        }
        let (a, b) = (&self.shapes[shapes.0], &self.shapes[shapes.1]);
        let mut bits = 0;
        let mut set = |wanted: bool, bit: u16| bits |= if wanted { bit } else { 0 };
        set(a.is_sensor || b.is_sensor, flags::SENSOR);
        set(a.shape.keeps_contacts() && b.shape.keeps_contacts(), flags::KEEPS);
        set(a.pre_solve || b.pre_solve, flags::PRE_SOLVE);
        set(a.persist_events || b.persist_events, flags::PERSIST_EVENTS);
        set(a.hit_events || b.hit_events, flags::HIT_EVENTS);
        set(a.shape.composite().is_some() || b.shape.composite().is_some(), flags::COMPOSITE);
        Contact::new([a.body, b.body], [shapes.0, shapes.1], bits)
    }

    /// Gives a contact the material of its shapes.
    #[inline]
    pub(crate) fn mix_contact(&self, contact: &mut Contact<D>) {
        let [a, b] = contact.shapes.map(|shape| &self.shapes[shape]);
        mix_materials(contact, a, b, &self.bodies, &self.settings);
    }

    /// Mixes the materials of a contact again, and its margins.
    pub(crate) fn refresh_contact(&mut self, index: u32) {
        let contact = &mut self.contacts.hot[index as usize];
        let [a, b] = contact.shapes.map(|shape| &self.shapes[shape]);
        mix_materials(contact, a, b, &self.bodies, &self.settings);
        self.contacts.has_grain |= contact.has_grain();
    }

    /// Forgets what was kept of the contacts of a body, whose shapes stand elsewhere in its centre-of-mass frame now.
    pub(crate) fn remake_contacts_of(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            self.contacts.hot[(edge / 2) as usize].flags &= !flags::HAS_KEPT;
            edge = self.contacts.next_edge(edge);
        }
    }

    pub(crate) fn refresh_contacts_of_shape(&mut self, shape: u32) {
        let mut edge = self.bodies.records[self.shapes[shape].body].first_contact;
        while edge != NONE {
            let index = edge / 2;
            edge = self.contacts.next_edge(edge);
            if self.contacts.hot[index as usize].shapes.contains(&shape) {
                self.refresh_contact(index);
            }
        }
    }

    /// Removes all contacts of a body; end events follow with the next step.
    pub(crate) fn remove_contacts_of(&mut self, body: u32) {
        while self.bodies.records[body].first_contact != NONE {
            self.remove_contact(self.bodies.records[body].first_contact / 2, true);
        }
    }

    pub(crate) fn remove_contacts_of_shape(&mut self, shape: u32) {
        let body = self.shapes[shape].body;
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            let index = edge / 2;
            edge = self.contacts.next_edge(edge);
            if self.contacts.hot[index as usize].shapes.contains(&shape) {
                self.remove_contact(index, true);
                // The next one may have been a part of the same pair.
                edge = self.bodies.records[body].first_contact;
            }
        }
    }

    /// Ends a pair for good, with all its parts. `between_steps`: its end event waits for the next step.
    pub(crate) fn remove_contact(&mut self, index: u32, between_steps: bool) {
        let contact = &self.contacts.hot[index as usize];
        let head = self.contacts.find(contact.key()).unwrap_or(index);
        let mut part = self.next_part(head);
        self.remove_one(head, between_steps);
        while part != NONE {
            let next = self.next_part(part);
            self.remove_one(part, between_steps);
            part = next;
        }
    }

    fn remove_one(&mut self, index: u32, between_steps: bool) {
        self.uncolor_contact(index);
        self.unlink_contact(index);
        self.report_end(index, between_steps);
        self.watched.remove(index);
        self.leaning.remove(index);
        self.contacts.remove(index, &mut self.bodies);
    }

    fn contact_event(&self, index: u32) -> ContactEvent {
        let contact = &self.contacts.hot[index as usize];
        ContactEvent {
            contact: ContactId(self.contacts.records.id_of_live(index)),
            shapes: contact.shapes.map(|shape| ShapeId(self.shapes.id_of_live(shape))),
            bodies: contact.bodies.map(|body| BodyId(self.bodies.records.id_of_live(body))),
        }
    }

    /// The event with the sensor first.
    fn sensor_event(&self, index: u32) -> SensorEvent {
        let ContactEvent { shapes, bodies, .. } = self.contact_event(index);
        let [a, b] = self.contacts.hot[index as usize].shapes;
        let flip = !self.shapes[a].is_sensor;
        debug_assert!(!flip || self.shapes[b].is_sensor);
        let [i, j] = if flip { [1, 0] } else { [0, 1] };
        SensorEvent { sensor: shapes[i], visitor: shapes[j], bodies: [bodies[i], bodies[j]] }
    }

    pub(crate) fn report_begin(&mut self, index: u32) {
        if core::mem::replace(&mut self.contacts.records[index].has_begun, true) {
            return;
        }
        if self.contacts.hot[index as usize].is_sensor() {
            self.events.sensor_begin.push(self.sensor_event(index));
        } else {
            self.events.begin.push(self.contact_event(index));
        }
    }

    pub(crate) fn report_end(&mut self, index: u32, between_steps: bool) {
        if !core::mem::replace(&mut self.contacts.records[index].has_begun, false) {
            return;
        }
        if self.contacts.hot[index as usize].is_sensor() {
            let event = self.sensor_event(index);
            let events = &mut self.events;
            if between_steps { &mut events.pending_sensor_end } else { &mut events.sensor_end }.push(event);
        } else {
            let event = self.contact_event(index);
            let events = &mut self.events;
            if between_steps { &mut events.pending_end } else { &mut events.end }.push(event);
        }
    }

    /// Persist events of watched contacts.
    pub(crate) fn report_persisting(&mut self) {
        for i in 0..self.watched.len() {
            let index = self.watched.as_slice()[i];
            if !self.contacts.awake.contains(index) {
                continue;
            }
            let contact = &self.contacts.hot[index as usize];
            let both = flags::PERSIST_EVENTS | flags::WAS_TOUCHING;
            if contact.flags & both == both && contact.is_touching() && !contact.is_sensor() {
                self.events.persist.push(self.contact_event(index));
            }
        }
    }

    /// A body that solvers move: dynamic and awake.
    fn is_movable(&self, body: u32) -> bool {
        let record = &self.bodies.records[body];
        record.kind == BodyKind::Dynamic && record.set == BodySet::Awake
    }

    /// Puts a solid contact into a colour. Does nothing if it is there already or no body of it can be moved.
    pub(crate) fn color_contact(&mut self, index: u32) {
        let contact = &self.contacts.hot[index as usize];
        if self.contacts.records[index].color != NO_COLOR || !contact.is_solid() {
            return;
        }
        let bodies = contact.bodies;
        let colored = bodies.map(|body| self.is_movable(body));
        if colored == [false; 2] {
            return;
        }
        let [a, b] = [0, 1].map(|side| colored[side].then_some(bodies[side]));
        let serial = (0..2).any(|side| colored[side] && self.is_partly_locked(bodies[side]));
        let color = self.graph.pick_color(a, b, serial);
        let list = &mut self.graph.colors[color as usize].contacts;
        let record = &mut self.contacts.records[index];
        (record.color, record.colored, record.color_slot) = (color, colored, list.len() as u32);
        list.push(index);
    }

    /// True if a body is locked along some axes of translation but not all.
    pub(crate) fn is_partly_locked(&self, body: u32) -> bool {
        let locks = self.bodies.records[body].locks.translation;
        let count = locks[..D::N].iter().filter(|&&locked| locked).count();
        count != 0 && count != D::N
    }

    /// Takes a contact out of its colour.
    pub(crate) fn uncolor_contact(&mut self, index: u32) {
        let record = self.contacts.records[index];
        if record.color == NO_COLOR {
            return;
        }
        let bodies = self.contacts.hot[index as usize].bodies;
        let [a, b] = [0, 1].map(|side| record.colored[side].then_some(bodies[side]));
        self.graph.release(record.color, a, b);
        let list = &mut self.graph.colors[record.color as usize].contacts;
        list.swap_remove(record.color_slot as usize);
        if let Some(&moved) = list.get(record.color_slot as usize) {
            self.contacts.records[moved].color_slot = record.color_slot;
        }
        self.contacts.records[index].color = NO_COLOR;
    }

    /// Colours the contacts of a body anew, after its freedom changed.
    pub(crate) fn recolor_contacts_of(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            let index = edge / 2;
            edge = self.contacts.next_edge(edge);
            if self.contacts.records[index].color != NO_COLOR {
                self.uncolor_contact(index);
                self.color_contact(index);
            }
        }
    }

    /// Merges the islands of two awake dynamic bodies that touch.
    pub(crate) fn link_contact(&mut self, index: u32) {
        let [a, b] = self.contacts.hot[index as usize].bodies;
        if !self.contacts.records[index].is_linked && self.is_movable(a) && self.is_movable(b) {
            self.contacts.records[index].is_linked = true;
            self.islands.link(&mut self.bodies, a, b);
        }
    }

    /// Notes in the island that this link is gone.
    pub(crate) fn unlink_contact(&mut self, index: u32) {
        if core::mem::replace(&mut self.contacts.records[index].is_linked, false) {
            let [a, _] = self.contacts.hot[index as usize].bodies;
            self.islands.unlink(&self.bodies, a);
        }
    }
}

/// Mixes the surfaces of two shapes into their contact, and takes margins from the smaller one that can be pushed: a wall may be
/// as thin as it likes.
pub(crate) fn mix_materials<D: Dim>(
    contact: &mut Contact<D>,
    a: &ShapeRecord<D>,
    b: &ShapeRecord<D>,
    bodies: &Bodies<D>,
    settings: &Settings<D>,
) {
    let (m, n) = (&a.material, &b.material);
    let friction = Mixing::pick(m.friction_mixing, n.friction_mixing, settings.friction_mixing);
    let restitution = Mixing::pick(m.restitution_mixing, n.restitution_mixing, settings.restitution_mixing);
    contact.friction = friction.mix(m.friction, n.friction);
    let sticking = |s: &crate::shape::Material<D>| s.static_friction.max(s.friction);
    // PERF: most surfaces do not stick, and a root is dear.
    contact.static_friction = if (sticking(m), sticking(n)) == (m.friction, n.friction) {
        contact.friction
    } else {
        friction.mix(sticking(m), sticking(n)).max(contact.friction)
    };
    contact.restitution = restitution.mix(m.restitution, n.restitution);
    // Rolling: the larger coefficient on the smaller radius. Planes have no radius; two of them never meet.
    let is_pushed = |shape: &ShapeRecord<D>| bodies.records[shape.body].kind == BodyKind::Dynamic;
    let (size, ground) = match (is_pushed(a), is_pushed(b)) {
        (true, false) => (a.size, Some(Side::B)),
        (false, true) => (b.size, Some(Side::A)),
        _ => (a.size.min(b.size), None),
    };
    contact.cache.lie_on(ground);
    // What cannot be pushed comes first.
    let is_on_surface = contact.flags & flags::COMPOSITE != 0 && b.shape.composite().is_none();
    if is_on_surface && ground == Some(Side::A) {
        contact.cache.kind |= PairCache::ON_SURFACE;
    } else {
        contact.cache.kind &= !PairCache::ON_SURFACE;
    }
    let radius = if size.is_finite() { size } else { 0.0 };
    contact.rolling = m.rolling_friction.max(n.rolling_friction) * radius;
    contact.spinning = m.spinning_friction.max(n.spinning_friction);
    contact.slop = settings.slop_for(match (is_pushed(a), is_pushed(b)) {
        (true, false) => a.margin_size(),
        (false, true) => b.margin_size(),
        (true, true) => a.margin_size().min(b.margin_size()),
        (false, false) => radius,
    });
    let moves = m.surface_velocity != D::Vec::ZERO || n.surface_velocity != D::Vec::ZERO;
    contact.flags = contact.flags & !(flags::SURFACE | flags::GRAIN) | if moves { flags::SURFACE } else { 0 };
    // In the plane there is only one direction to slide in.
    if D::N == 3 && (m.has_grain() || n.has_grain()) {
        contact.flags |= flags::GRAIN;
    }
    contact.surface_velocity = if moves { surface_velocity(bodies, a, b) } else { D::Vec::ZERO };
}

/// The grain of a pair: that of the surface with the smaller factor. The shapes' frames turn with their bodies, so this is
/// formed anew in every step.
pub(crate) fn grain<D: Dim>(bodies: &Bodies<D>, a: &ShapeRecord<D>, b: &ShapeRecord<D>) -> Grain<D> {
    let with = [a, b].into_iter().filter(|shape| shape.material.has_grain());
    let Some(shape) = with.min_by(|x, y| x.material.grain_friction.total_cmp(&y.material.grain_friction))
    else {
        return Grain::default();
    };
    let rotation = bodies.places[shape.body as usize].rotation.then_after(shape.from_center.rotation);
    let direction = rotation.rotate(shape.material.grain).normalize_or(D::Vec::ZERO);
    Grain { direction, factor: shape.material.grain_friction }
}

/// World velocity of surface b relative to surface a. The shapes' frames turn with their bodies, so this is formed anew in
/// every step.
pub(crate) fn surface_velocity<D: Dim>(bodies: &Bodies<D>, a: &ShapeRecord<D>, b: &ShapeRecord<D>) -> D::Vec {
    let [v_a, v_b] = [a, b].map(|shape| {
        let rotation = bodies.places[shape.body as usize].rotation.then_after(shape.from_center.rotation);
        rotation.rotate(shape.material.surface_velocity)
    });
    v_b - v_a
}
