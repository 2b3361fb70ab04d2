//! What holds bodies up: contacts and joints with things that do not give way.
//!
//! A stack that loses its last hold falls freely, and then nothing in it presses on anything. The impulses that its contacts start the
//! next step with are those of the weight that they bore: as start values they would tear it apart, because one sweep per sub-step does
//! not take all of them back.

use super::World;
use crate::body::{BodyKind, BodySet, Drag, Load, NONE};
use crate::math::*;
use crate::store::BitSet;

/// Share of its sleep threshold above which a body slides (no unit): what hardly overcomes its friction, by 0.02 m/s², is a fifth of the
/// usual threshold fast after the usual time at rest.
const SLIDING: Real = 0.15;
/// Least slope of a way downhill (no unit). On flatter ground without friction bodies leave their threshold within the time at rest.
const DOWNHILL: Real = 0.02;
/// Share of the possible friction from which it does all it can (no unit): the last sweep may change the load a little.
const ALL_FRICTION: Real = 0.9;

/// Room for walks over bodies that hang together.
#[derive(Default)]
pub(crate) struct Walk {
    seen: BitSet,
    /// Bodies of walks that ended at a hold.
    held: BitSet,
    /// Bodies of this walk.
    found: Vec<u32>,
    joined: Vec<u32>,
}

impl<D: Dim> World<D> {
    /// Remembers a body that may have lost its hold by a change from outside: the next step looks.
    pub(crate) fn note_release(&mut self, body: u32) {
        if self.bodies.records[body].kind == BodyKind::Dynamic {
            self.released.insert(body);
        }
    }

    /// Clears the impulses of contacts in groups that have lost their last hold by changes from outside.
    pub(crate) fn release_groups(&mut self) {
        if self.released.is_empty() {
            return;
        }
        let mut walk = core::mem::take(&mut self.scratch.walk);
        // DETERMINISM: what hangs together and what is held does not depend on where the walk begins.
        for i in 0..self.released.len() {
            let body = self.released.as_slice()[i];
            if !self.bodies.is_awake(body) || walk.seen.contains(body) {
                continue;
            }
            if self.is_group_held(&mut walk, body) {
                walk.found.iter().for_each(|&body| walk.held.insert(body));
            } else {
                walk.found.iter().for_each(|&body| self.clear_contacts_of(body));
            }
        }
        walk.seen.clear();
        walk.held.clear();
        self.scratch.walk = walk;
        self.released.clear();
    }

    /// True if something holds the awake bodies that hang together with this one. If not, all of them have been found.
    fn is_group_held(&self, walk: &mut Walk, body: u32) -> bool {
        let Walk { seen, held, found, joined } = walk;
        found.clear();
        found.push(body);
        seen.insert(body);
        let fall = self.bodies.cores[body as usize].gravity_scale;
        let mut at = 0;
        while let Some(&body) = found.get(at) {
            at += 1;
            if self.is_driven(body) || self.bodies.cores[body as usize].gravity_scale != fall {
                return true;
            }
            let record = &self.bodies.records[body];
            joined.clear();
            for (contact, side) in self.contacts.of_body(record.first_contact) {
                let contact = &self.contacts.hot[contact as usize];
                if contact.is_solid() {
                    joined.push(contact.bodies[1 - side]);
                }
            }
            self.joints.neighbors(record.first_joint, joined);
            for &other in joined.iter() {
                let record = &self.bodies.records[other];
                if record.set == BodySet::Disabled {
                    continue;
                }
                if record.kind != BodyKind::Dynamic || record.set != BodySet::Awake {
                    return true;
                }
                if !seen.contains(other) {
                    seen.insert(other);
                    found.push(other);
                } else if held.contains(other) {
                    return true;
                }
            }
        }
        false
    }

    /// True if more than gravity acts on a body: then it does not fall like its neighbours.
    fn is_driven(&self, body: u32) -> bool {
        let core = &self.bodies.cores[body as usize];
        let locks = crate::Locks::from_bits(core.locks);
        locks.translation[..D::N].contains(&true)
            || core.load != Load::ZERO
            || core.drag != Drag::default()
            || !self.generators.slots.is_empty()
    }

    /// True if nothing but gravity acts on an island and it touches nothing outside: it falls, however slowly. Asked when it is about to
    /// fall asleep.
    pub(crate) fn is_falling(&self, island: u32) -> bool {
        if self.settings.gravity == D::Vec::ZERO {
            return false;
        }
        let mut falls = false;
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let record = &self.bodies.records[body];
            if self.is_driven(body) {
                return false;
            }
            falls |= self.bodies.cores[body as usize].gravity_scale != 0.0;
            let is_hold = |other: u32| {
                let other = &self.bodies.records[other];
                other.set != BodySet::Disabled && other.island != island
            };
            let mut contacts = self.contacts.of_body(record.first_contact);
            let touches = contacts.any(|(contact, side)| {
                let contact = &self.contacts.hot[contact as usize];
                contact.is_solid() && is_hold(contact.bodies[1 - side])
            });
            let mut joints = self.joints.of_body(record.first_joint);
            if touches
                || joints.any(|(joint, side)| is_hold(self.joints.hot[joint as usize].bodies[1 - side]))
            {
                return false;
            }
            body = record.island_next;
        }
        falls
    }

    /// True if a body of an island slides downhill: friction does all it can and does not hold it, so it gets faster, however slowly. Asked
    /// when the island is about to fall asleep.
    pub(crate) fn is_sliding(&self, island: u32) -> bool {
        let down = self.settings.gravity.normalize_or(D::Vec::ZERO);
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let (record, core) = (&self.bodies.records[body], &self.bodies.cores[body as usize]);
            let v = core.motion.linear;
            let (speed, least) = (v.length(), SLIDING * core.sleep_speed);
            let sinks = v.dot(down) * core.gravity_scale > DOWNHILL * speed;
            if speed > least && sinks {
                let mut contacts = self.contacts.of_body(record.first_contact);
                if contacts.any(|(contact, _)| self.is_slipping(contact, least)) {
                    return true;
                }
            }
            body = record.island_next;
        }
        false
    }

    /// True if the surfaces of a contact move along each other faster than `least` [m/s], with all the friction that there is.
    fn is_slipping(&self, index: u32, least: Real) -> bool {
        let contact = &self.contacts.hot[index as usize];
        let load: Real = contact.manifold.points().iter().map(|p| p.normal_impulse).sum();
        if !contact.is_solid() || load <= 0.0 {
            return false;
        }
        let friction = if self.settings.friction { contact.friction * load } else { 0.0 };
        if contact.manifold.friction_impulse.length() < ALL_FRICTION * friction {
            return false;
        }
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let [a, b] = contact.bodies.map(|body| self.bodies.cores[body as usize].motion);
        let row = contact.row(0, &places[0], &places[1]);
        let v = b.seen_from(row.r_b).linear - a.seen_from(row.r_a).linear;
        let normal = contact.normal(places[0].rotation);
        (v - normal * v.dot(normal)).length() > least
    }

    /// Forgets what the contacts of a body bore. They rest as deep in each other as their load made them: until they are computed anew that
    /// counts as no overlap, or it would be pushed out at once where nothing holds it together. What bore nothing, such as a body that was just put
    /// into another one, is pushed out as usual.
    fn clear_contacts_of(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            let index = (edge / 2) as usize;
            edge = self.contacts.next_edge(edge);
            let contact = &mut self.contacts.hot[index];
            let [a, b] = contact.bodies.map(|body| self.bodies.places[body as usize]);
            let is_loaded = contact.manifold.points().iter().any(|point| point.normal_impulse > 0.0);
            for i in 0..if is_loaded { contact.manifold.count as usize } else { 0 } {
                let overlap = contact.row(i, &a, &b).separation.min(0.0);
                contact.manifold.points_mut()[i].base_separation -= overlap;
            }
            contact.manifold.clear_impulses();
        }
    }
}
