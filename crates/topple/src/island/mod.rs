//! Islands: groups of dynamic bodies that touch or are joined. They fall asleep and wake as a whole.
//!
//! Persistent: a new touch merges two islands (the smaller list into the larger); a touch that ends only makes a note.
//! When an island with such a note has bodies that want to sleep, it is split by walking its links. Static and kinematic
//! bodies belong to no island, so they connect nothing.

use crate::body::{Bodies, BodyKind, NONE};
use crate::contact::Contacts;
use crate::joint::Joints;
use crate::math::*;
use crate::store::Slots;

/// Finest level: 2^10 small steps, as `Settings::max_refinement` allows.
pub(crate) const MAX_LEVEL: u32 = 11;

/// Small steps that an island of a level takes its step in (no unit). At level 1 there is still one: only its joints are
/// solved in another way. From there on there are twice as many at each.
pub(crate) fn small_steps(level: u8) -> u32 {
    1 << level.saturating_sub(1)
}

/// A list of bodies, linked through their records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Island {
    /// First body.
    pub head: u32,
    /// Last body.
    pub tail: u32,
    /// Number of bodies.
    pub count: u32,
    /// Links that ended since the island was last known to be connected.
    pub removed: u32,
    /// How it is refined, 0 for not at all: see [`small_steps`] and `world/refine.rs`.
    pub level: u8,
    /// Steps since the level was last needed.
    pub calm: u16,
    /// Steps in a row with a heavy load, up to the length of a window.
    pub window: u16,
    /// Least of the largest loads in that window (no unit).
    pub least: Real,
}

impl Island {
    /// Of one body alone.
    pub(crate) fn of(body: u32) -> Self {
        Self { head: body, tail: body, count: 1, removed: 0, level: 0, calm: 0, window: 0, least: 0.0 }
    }
}

/// All islands of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    pub(crate) slots: Slots<Island>,
    /// Number of islands with a level above 0.
    pub(crate) refined: u32,
    stack: Vec<u32>,
    joined: Vec<u32>,
}

impl Islands {
    /// Gives a body an island of its own.
    pub(crate) fn add<D: Dim>(&mut self, bodies: &mut Bodies<D>, body: u32) {
        debug_assert_eq!(bodies.records[body].island, NONE);
        let island = self.slots.insert(Island::of(body)).index;
        let record = &mut bodies.records[body];
        (record.island, record.island_prev, record.island_next) = (island, NONE, NONE);
    }

    /// Takes a body out of its island, which goes when it was the last.
    pub(crate) fn remove<D: Dim>(&mut self, bodies: &mut Bodies<D>, body: u32) {
        let record = &mut bodies.records[body];
        let (index, previous, next) = (record.island, record.island_prev, record.island_next);
        if index == NONE {
            return;
        }
        (record.island, record.island_prev, record.island_next) = (NONE, NONE, NONE);
        let island = &mut self.slots[index];
        island.count -= 1;
        // Whatever hung together through this body may have fallen apart.
        island.removed += 1;
        if previous == NONE {
            island.head = next;
        } else {
            bodies.records[previous].island_next = next;
        }
        if next == NONE {
            island.tail = previous;
        } else {
            bodies.records[next].island_prev = previous;
        }
        if island.count == 0 {
            self.set_level(index, 0, 0);
            self.slots.remove(index);
        }
    }

    /// Merges the islands of two bodies. Does nothing if one has none or they are the same.
    pub(crate) fn link<D: Dim>(&mut self, bodies: &mut Bodies<D>, a: u32, b: u32) {
        let (i, j) = (bodies.records[a].island, bodies.records[b].island);
        if i == NONE || j == NONE || i == j {
            return;
        }
        // The smaller list changes hands; equal sizes: the lower index stays.
        let (large, small) = match self.slots[i].count.cmp(&self.slots[j].count) {
            core::cmp::Ordering::Less => (j, i),
            core::cmp::Ordering::Greater => (i, j),
            core::cmp::Ordering::Equal => (i.min(j), i.max(j)),
        };
        let finer = if self.slots[small].level > self.slots[large].level { small } else { large };
        let (level, calm) = (self.slots[finer].level, self.slots[finer].calm);
        self.set_level(small, 0, 0);
        self.set_level(large, level, calm);
        let Some(moved) = self.slots.remove(small) else { return };
        let mut body = moved.head;
        while body != NONE {
            let record = &mut bodies.records[body];
            record.island = large;
            body = record.island_next;
        }
        let island = &mut self.slots[large];
        bodies.records[island.tail].island_next = moved.head;
        bodies.records[moved.head].island_prev = island.tail;
        island.tail = moved.tail;
        island.count += moved.count;
        island.removed += moved.removed;
    }

    /// Notes that a link inside the island of `body` has ended.
    pub(crate) fn unlink<D: Dim>(&mut self, bodies: &Bodies<D>, body: u32) {
        let index = bodies.records[body].island;
        if index != NONE {
            self.slots[index].removed += 1;
        }
    }

    /// Bodies of an island, in list order.
    pub(crate) fn bodies_of<D: Dim>(&self, bodies: &Bodies<D>, island: u32, out: &mut Vec<u32>) {
        out.clear();
        let mut body = self.slots[island].head;
        while body != NONE {
            out.push(body);
            body = bodies.records[body].island_next;
        }
    }

    /// Splits an island into its connected parts. `members` is scratch; the new islands are pushed to `parts`.
    pub(crate) fn split<D: Dim>(
        &mut self,
        bodies: &mut Bodies<D>,
        contacts: &Contacts<D>,
        joints: &Joints<D>,
        island: u32,
        members: &mut Vec<u32>,
        parts: &mut Vec<u32>,
    ) {
        self.bodies_of(bodies, island, members);
        let (level, calm) = (self.slots[island].level, self.slots[island].calm);
        self.set_level(island, 0, 0);
        self.slots.remove(island);
        for &body in members.iter() {
            bodies.records[body].island = NONE;
        }
        let mut stack = core::mem::take(&mut self.stack);
        let mut joined = core::mem::take(&mut self.joined);
        for &seed in members.iter() {
            if bodies.records[seed].island != NONE {
                continue;
            }
            self.add(bodies, seed);
            let part = bodies.records[seed].island;
            self.set_level(part, level, calm);
            parts.push(part);
            stack.push(seed);
            while let Some(body) = stack.pop() {
                for (contact, side) in contacts.of_body(bodies.records[body].first_contact) {
                    if contacts.records[contact].is_linked {
                        joined.push(contacts.hot[contact as usize].bodies[1 - side]);
                    }
                }
                joints.linked_neighbors(bodies.records[body].first_joint, &mut joined);
                for other in joined.drain(..) {
                    let record = &bodies.records[other];
                    if record.island == NONE && record.kind == BodyKind::Dynamic {
                        self.append(bodies, part, other);
                        stack.push(other);
                    }
                }
            }
        }
        (self.stack, self.joined) = (stack, joined);
    }

    /// Changes the level of an island.
    pub(crate) fn set_level(&mut self, island: u32, level: u8, calm: u16) {
        let slot = &mut self.slots[island];
        self.refined += u32::from(level > 0);
        self.refined -= u32::from(slot.level > 0);
        (slot.level, slot.calm) = (level, calm);
    }

    /// Appends a body without island to the end of an island.
    fn append<D: Dim>(&mut self, bodies: &mut Bodies<D>, island: u32, body: u32) {
        let list = &mut self.slots[island];
        let tail = core::mem::replace(&mut list.tail, body);
        list.count += 1;
        bodies.records[tail].island_next = body;
        let record = &mut bodies.records[body];
        (record.island, record.island_prev, record.island_next) = (island, tail, NONE);
    }
}
