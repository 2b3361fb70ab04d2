//! All contacts: records at stable indices, hot parts beside them, pair table, list of awake ones.

use super::{Contact, Grain, NO_COLOR, flags};
use crate::body::{Bodies, NONE};
use crate::broad_phase::PairKey;
use crate::math::*;
use crate::store::{IndexList, PairTable, Slots, room};

/// The cold part of a contact: links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContactRecord {
    /// Previous and next edge in the contact lists of bodies a and b; an edge is 2·contact + side.
    pub edges: [[u32; 2]; 2],
    /// Colour, or NO_COLOR.
    pub color: u8,
    /// Place in the colour's list.
    pub color_slot: u32,
    /// Which bodies' bits it holds in its colour: they were dynamic and awake when it was coloured.
    pub colored: [bool; 2],
    /// Links the islands of its two bodies.
    pub is_linked: bool,
    /// Was reported as touching: an end event is due when it stops.
    pub has_begun: bool,
}

/// Contacts of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts<D: Dim> {
    /// Links.
    pub records: Slots<ContactRecord>,
    /// Manifolds, at the index of the record.
    pub hot: Vec<Contact<D>>,
    /// Pair → contact.
    pub pairs: PairTable,
    /// Contacts with at least one awake body.
    pub awake: IndexList,
    /// Of further parts of a pair: its head. Not kept for others; shorter than the list where there are no such parts.
    pub heads: Vec<u32>,
    /// Grains of the contacts that have one, at the index of the record; empty while there is none.
    pub grains: Vec<Grain<D>>,
    /// Some contact has, or had, a grain.
    pub has_grain: bool,
}

impl<D: Dim> Contacts<D> {
    /// Makes room for `additional` more contacts.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.records.reserve(additional);
        let more = (self.records.len() + additional).saturating_sub(self.hot.len());
        room::make_room(&mut self.hot, more);
        self.pairs.reserve(additional);
        self.awake.reserve(additional, self.hot.len() + more);
    }

    /// Makes room for `count` contacts in all, and touches it.
    pub(crate) fn warm(&mut self, count: usize) {
        self.records.warm(count);
        room::warm(&mut self.hot, count);
        self.pairs.reserve(count.saturating_sub(self.pairs.len()));
        self.awake.warm(count);
    }

    /// Adds a contact and hooks it into the lists of its two bodies.
    pub(crate) fn insert(&mut self, contact: Contact<D>, bodies: &mut Bodies<D>) -> u32 {
        let index = self.records.next_id().index;
        if index as usize == self.hot.len() {
            room::push(&mut self.hot, contact);
        } else {
            self.hot[index as usize] = contact;
        }
        self.adopt(bodies)
    }

    /// True if the next contacts get the indices from the end of `hot` on.
    pub(crate) fn is_packed(&self) -> bool {
        self.records.len() == self.hot.len()
    }

    /// Takes in the contact that stands at the next index already: hooks it into the lists of its two bodies.
    pub(crate) fn adopt(&mut self, bodies: &mut Bodies<D>) -> u32 {
        let index = self.records.next_id().index;
        let contact = &self.hot[index as usize];
        self.has_grain |= contact.flags & flags::GRAIN != 0;
        if !contact.is_part() {
            self.pairs.insert(contact.key(), index);
        }
        let mut record = ContactRecord {
            edges: [[NONE; 2]; 2],
            color: NO_COLOR,
            color_slot: NONE,
            colored: [false; 2],
            is_linked: false,
            has_begun: false,
        };
        for (side, body) in contact.bodies.into_iter().enumerate() {
            let edge = 2 * index + side as u32;
            let body = &mut bodies.records[body];
            body.contact_count += 1;
            let next = core::mem::replace(&mut body.first_contact, edge);
            record.edges[side] = [NONE, next];
            if next != NONE {
                self.edge_mut(next)[0] = edge;
            }
        }
        self.records.insert(record);
        index
    }

    /// Takes a contact out of the lists and frees its slot. It must have left its colour before.
    pub(crate) fn remove(&mut self, index: u32, bodies: &mut Bodies<D>) {
        debug_assert_eq!(self.records[index].color, NO_COLOR);
        let contact = self.hot[index as usize];
        for side in 0..2 {
            let [previous, next] = self.records[index].edges[side];
            let body = &mut bodies.records[contact.bodies[side]];
            body.contact_count -= 1;
            if previous == NONE {
                body.first_contact = next;
            } else {
                self.edge_mut(previous)[1] = next;
            }
            if next != NONE {
                self.edge_mut(next)[0] = previous;
            }
        }
        if !contact.is_part() {
            self.pairs.remove(contact.key());
        }
        self.awake.remove(index);
        self.records.remove(index);
    }

    /// Puts a contact on the list of those to bring up to date. Further parts follow their head and are never on it.
    pub(crate) fn wake(&mut self, index: u32) {
        if !self.hot[index as usize].is_part() {
            self.awake.insert(index);
        }
    }

    /// Notes that `part` is a further part of the pair with head `head`.
    pub(crate) fn set_head(&mut self, part: u32, head: u32) {
        if self.heads.len() <= part as usize {
            room::fit(&mut self.heads, part as usize + 1, NONE);
        }
        self.heads[part as usize] = head;
    }

    /// Number of pairs: further parts are not counted.
    pub(crate) fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Links of an edge.
    fn edge_mut(&mut self, edge: u32) -> &mut [u32; 2] {
        &mut self.records[edge / 2].edges[(edge & 1) as usize]
    }

    /// Edge after `edge` in its body's list.
    #[inline]
    pub(crate) fn next_edge(&self, edge: u32) -> u32 {
        self.records[edge / 2].edges[(edge & 1) as usize][1]
    }

    /// Contacts of a body, as (contact, side of the body), newest first.
    pub(crate) fn of_body(&self, first_edge: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let mut edge = first_edge;
        core::iter::from_fn(move || {
            let current = edge;
            if current == NONE {
                return None;
            }
            edge = self.next_edge(current);
            Some((current / 2, (current & 1) as usize))
        })
    }

    /// The contact of two shapes.
    pub(crate) fn find(&self, key: PairKey) -> Option<u32> {
        self.pairs.get(key)
    }
}
