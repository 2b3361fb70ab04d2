//! Falling asleep and waking, island by island.
//!
//! An island falls asleep when all its bodies have been slow for `Settings::sleep_time`. It wakes when one of its bodies
//! is pushed, moved or changed, when a support goes, or when something touches it faster than `wake_speed` or leans on
//! it with more than `wake_load` of its weight (`leaning.rs`); until then gentler visitors rest on it as on a wall.

use super::World;
use super::links::{grain, mix_materials};
use crate::body::{BodyKind, BodySet, NONE};
use crate::contact::{Grain, flags};
use crate::math::*;
use crate::store::{BodyId, room};

/// Steps from one look for islands to split to the next.
const SPLIT_STEPS: u64 = 16;
/// Larger islands wait as many times longer as they have this many bodies, so that looking costs the same in every world.
const SPLIT_BODIES: u64 = 256;

/// Steps from one look for low columns to the next. PERF: every 16 would take 3 % of a step of stacks of three to five.
pub(super) const LOOK_STEPS: u64 = 64;
/// Nothing of more bodies is looked at again as a column: it would have been found by what it bears.
const LOW: u32 = 64;

/// Smallest and largest time at rest among the bodies of each island, by island index.
#[derive(Default)]
pub(crate) struct RestTimes {
    least: Vec<Real>,
    most: Vec<Real>,
    seen: Vec<u32>,
}

impl RestTimes {
    fn clear(&mut self, count: usize) {
        self.seen.clear();
        if self.least.len() < count {
            self.least.resize(count, Real::INFINITY);
            self.most.resize(count, -1.0);
        }
    }

    fn add(&mut self, island: u32, time: Real) {
        let i = island as usize;
        if self.most[i] < 0.0 {
            self.seen.push(island);
        }
        self.least[i] = self.least[i].min(time);
        self.most[i] = self.most[i].max(time);
    }

    /// Forgets the entry of an island and returns (least, most).
    fn take(&mut self, island: u32) -> (Real, Real) {
        let i = island as usize;
        let least = core::mem::replace(&mut self.least[i], Real::INFINITY);
        (least, core::mem::replace(&mut self.most[i], -1.0))
    }
}

impl<D: Dim> World<D> {
    /// Wakes the island of a body, if it sleeps.
    pub(crate) fn wake_index(&mut self, body: u32) {
        let record = &self.bodies.records[body];
        if record.set == BodySet::Sleeping {
            self.wake_island(record.island);
        } else if record.set == BodySet::Awake {
            self.bodies.cores[body as usize].sleep_time = 0.0;
            self.forget_built(body);
        }
    }

    /// Wakes a sleeping body and its island.
    pub fn wake(&mut self, body: BodyId) -> Result<(), crate::Error> {
        let index = self.body_index(body)?;
        self.wake_index(index);
        Ok(())
    }

    /// Wakes everything.
    pub fn wake_all(&mut self) {
        while let Some(&body) = self.bodies.set(BodySet::Sleeping).as_slice().first() {
            self.wake_index(body);
        }
        for i in 0..self.bodies.set(BodySet::Awake).len() {
            let body = self.bodies.set(BodySet::Awake).as_slice()[i];
            self.bodies.cores[body as usize].sleep_time = 0.0;
        }
    }

    /// Number of bodies asleep.
    pub fn sleeping_count(&self) -> usize {
        self.bodies.set(BodySet::Sleeping).len()
    }

    /// Number of bodies awake.
    pub fn awake_count(&self) -> usize {
        self.bodies.set(BodySet::Awake).len()
    }

    pub(crate) fn wake_island(&mut self, island: u32) {
        let mut members = core::mem::take(&mut self.scratch.members);
        self.islands.bodies_of(&self.bodies, island, &mut members);
        for &body in &members {
            self.bodies.move_to(body, BodySet::Awake);
            self.bodies.forget_speed(body);
            self.bodies.cores[body as usize].sleep_time = 0.0;
        }
        // Joints first, as when they are made: colours are given in this order, and it decides who has the last word. Hinged dominoes whose
        // contacts with the ground came after the hinge ran 2 to 9 % slower.
        for &body in &members {
            self.wake_joints_of(body);
        }
        for &body in &members {
            self.wake_contacts_of(body);
        }
        // What leans on it now bears on all of it from the next step on.
        if let Some(&body) = members.first() {
            self.refine_grown(self.bodies.records[body].island, false);
        }
        self.scratch.members = members;
    }

    /// Contacts of a body that has just come awake: all are updated again, touching ones are solved again.
    fn wake_contacts_of(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            let index = edge / 2;
            edge = self.contacts.next_edge(edge);
            self.contacts.wake(index);
            self.remix(index);
            // A gentle visitor was solved against a wall; now both sides move.
            self.uncolor_contact(index);
            self.leaning.remove(index);
            if self.contacts.hot[index as usize].is_solid() {
                self.link_contact(index);
                self.color_contact(index);
                self.watch_leaning(index);
            }
        }
    }

    /// Forms anew what a contact knows of its surfaces: it may be solved before the narrow phase sees it, and then the state
    /// alone has to say how, not what a hook or another place made of it before it fell asleep.
    fn remix(&mut self, index: u32) {
        let contact = &mut self.contacts.hot[index as usize];
        if contact.flags & (flags::SURFACE | flags::GRAIN | flags::PRE_SOLVE) == 0 {
            return;
        }
        let [a, b] = contact.shapes.map(|shape| &self.shapes[shape]);
        mix_materials(contact, a, b, &self.bodies, &self.settings);
        if contact.has_grain() {
            let count = self.contacts.hot.len();
            self.contacts.grains.resize(count, Grain::default());
            self.contacts.grains[index as usize] = grain(&self.bodies, a, b);
        }
    }

    /// Puts an island to sleep that has been at rest for long enough, unless it falls, slides or is driven on, or leans on a sleeper for good: then that
    /// one wakes, and they come to rest together.
    fn try_to_sleep(&mut self, island: u32) {
        if self.is_falling(island) || self.is_sliding(island) || self.is_driven_on(island) {
            let mut body = self.islands.slots[island].head;
            while body != NONE {
                self.bodies.cores[body as usize].sleep_time = 0.0;
                body = self.bodies.records[body].island_next;
            }
        } else if !self.is_laid_down(island) {
            self.sleep_island(island);
        }
    }

    fn sleep_island(&mut self, island: u32) {
        let mut members = core::mem::take(&mut self.scratch.members);
        self.islands.bodies_of(&self.bodies, island, &mut members);
        for &body in &members {
            self.bodies.move_to(body, BodySet::Sleeping);
            let core = &mut self.bodies.cores[body as usize];
            core.motion = crate::Motion::ZERO;
        }
        for &body in &members {
            self.sleep_contacts_of(body);
            self.sleep_joints_of(body);
        }
        self.scratch.members = members;
    }

    /// Contacts of a body that has just fallen asleep leave the step, unless the other side is awake.
    fn sleep_contacts_of(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_contact;
        while edge != NONE {
            let (index, side) = (edge / 2, (edge & 1) as usize);
            edge = self.contacts.next_edge(edge);
            let other = self.contacts.hot[index as usize].bodies[1 - side];
            self.uncolor_contact(index);
            if self.bodies.is_awake(other) {
                self.color_contact(index);
                self.watch_leaning(index);
            } else {
                self.contacts.awake.remove(index);
                self.leaning.remove(index);
            }
        }
    }

    /// Speed at which the bodies of a touching contact approach each other, the fastest point [m/s].
    pub(crate) fn approach_speed(&self, index: u32) -> Real {
        self.approach_speeds(index).fold(0.0, Real::max)
    }

    /// How fast the points of a contact approach [m/s]; negative where they part.
    pub(crate) fn approach_speeds(&self, index: u32) -> impl Iterator<Item = Real> + '_ {
        let contact = &self.contacts.hot[index as usize];
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let motions = contact.bodies.map(|body| self.bodies.cores[body as usize].motion);
        let normal = contact.normal(places[0].rotation);
        (0..contact.manifold.count as usize).map(move |i| {
            let row = contact.row(i, &places[0], &places[1]);
            let v_a = motions[0].linear + D::cross_ang(motions[0].angular, row.r_a);
            let v_b = motions[1].linear + D::cross_ang(motions[1].angular, row.r_b);
            (v_a - v_b).dot(normal)
        })
    }

    /// A contact began between an awake and a sleeping body: wake the sleeper if it was hit, not touched.
    pub(crate) fn wake_by_touch(&mut self, index: u32) {
        let bodies = self.contacts.hot[index as usize].bodies;
        let Some(&sleeper) = bodies.iter().find(|&&b| self.bodies.records[b].set == BodySet::Sleeping) else {
            return;
        };
        if !bodies.iter().any(|&b| self.bodies.is_awake(b)) {
            return;
        }
        // A moving platform always counts; it does not give way.
        let kinematic = bodies.iter().any(|&b| self.bodies.records[b].kind == BodyKind::Kinematic);
        if kinematic || self.approach_speed(index) > self.settings.wake_speed {
            self.wake_index(sleeper);
        }
    }

    /// A pair is new although neither body is awake: something was created, moved by hand or allowed to collide beside a
    /// sleeper, which must look at it. A sleeper that is new itself stays asleep: it was meant to start like this.
    pub(crate) fn wake_by_arrival(&mut self, key: crate::broad_phase::PairKey, moved: &[u32]) {
        let pair = crate::broad_phase::Proxies::<D>::split(key);
        for shape in [pair.0, pair.1] {
            let body = self.shapes[shape].body;
            if self.bodies.records[body].set == BodySet::Sleeping && moved.binary_search(&shape).is_err() {
                let other = self.shapes[if shape == pair.0 { pair.1 } else { pair.0 }].body;
                if !self.bodies.is_awake(other) {
                    self.wake_index(body);
                }
            }
        }
    }

    /// `Settings::sleeping_contacts`: the new pairs of which no body is awake are computed in this step, as if one were.
    pub(crate) fn look_at_sleepers(&mut self) {
        let (contacts, asleep) = (&mut self.contacts, &mut self.scratch.asleep);
        // Those whose bodies an arrival has woken are there already.
        asleep.retain(|&index| !contacts.awake.contains(index));
        asleep.iter().for_each(|&index| contacts.awake.insert(index));
    }

    /// After that they leave the step again, unless a body has been woken meanwhile.
    pub(crate) fn leave_asleep(&mut self) {
        let mut asleep = core::mem::take(&mut self.scratch.asleep);
        for index in asleep.drain(..) {
            if self.contacts.records.get(index).is_none() {
                // The boxes overlapped no longer.
                continue;
            }
            let bodies = self.contacts.hot[index as usize].bodies;
            if bodies.iter().any(|&body| self.bodies.is_awake(body)) {
                continue;
            }
            self.contacts.awake.remove(index);
            let mut part = index;
            while part != NONE {
                let contact = &mut self.contacts.hot[part as usize];
                contact.is_found_asleep = contact.is_touching();
                part = contact.next_part;
            }
        }
        self.scratch.asleep = asleep;
    }

    /// Puts islands to sleep whose bodies have all been at rest long enough. An island that only partly wants to sleep is
    /// split if some of its links have ended.
    pub(crate) fn put_to_sleep(&mut self) {
        let limit = self.settings.sleep_time;
        let mut rest = core::mem::take(&mut self.scratch.rest);
        rest.clear(self.islands.slots.slot_count());
        for &body in self.bodies.set(BodySet::Awake).as_slice() {
            let record = &self.bodies.records[body];
            if record.island != NONE {
                rest.add(record.island, self.bodies.cores[body as usize].sleep_time);
                continue;
            }
            // A platform that moves, however slowly, would go through a sleeper.
            for (contact, side) in self.contacts.of_body(record.first_contact) {
                let contact = &self.contacts.hot[contact as usize];
                let other = &self.bodies.records[contact.bodies[1 - side]];
                if contact.is_solid() && other.island != NONE && other.set == BodySet::Awake {
                    rest.add(other.island, 0.0);
                }
            }
        }
        // DETERMINISM: islands in order of index, whatever the order of the awake list.
        let mut seen = core::mem::take(&mut rest.seen);
        seen.sort_unstable();
        for &island in &seen {
            let (least, most) = rest.take(island);
            if most < limit {
                continue;
            }
            if self.islands.slots[island].removed > 0 {
                self.split_and_sleep(island, limit);
            } else if least >= limit {
                self.try_to_sleep(island);
            }
        }
        rest.seen = seen;
        self.scratch.rest = rest;
        // Only now: islands merge by it.
        self.wake_laden();
    }

    /// True if a body of the island touches a kinematic one in motion.
    fn is_carried(&self, island: u32) -> bool {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let record = &self.bodies.records[body];
            let carried = self.contacts.of_body(record.first_contact).any(|(contact, side)| {
                let contact = &self.contacts.hot[contact as usize];
                let other = contact.bodies[1 - side];
                contact.is_solid()
                    && self.bodies.records[other].kind == BodyKind::Kinematic
                    && self.bodies.is_awake(other)
            });
            if carried {
                return true;
            }
            body = record.island_next;
        }
        false
    }

    /// Splits islands some of whose links have ended, from time to time, so that what once met does not count as one group for ever.
    /// Sleep splits what it puts to rest by itself; this is for whatever stays awake.
    pub(crate) fn split_islands(&mut self) {
        if !self.step_count.is_multiple_of(SPLIT_STEPS) {
            return;
        }
        let turn = self.step_count / SPLIT_STEPS;
        let mut found = core::mem::take(&mut self.scratch.split);
        found.clear();
        // Whatever flies about may touch in pairs at some time: room for all of them now, not one by one in steps that should allocate nothing.
        room::make_room(&mut found, self.bodies.set(BodySet::Awake).len() / 2);
        found.extend(self.islands.slots.iter().filter_map(|(index, island)| {
            let is_due = turn.is_multiple_of(1 + u64::from(island.count) / SPLIT_BODIES);
            (island.removed > 0 && is_due && self.bodies.is_awake(island.head)).then_some(index)
        }));
        for &island in &found {
            self.split(island);
        }
        found.clear();
        self.scratch.split = found;
        self.look_for_columns();
    }

    /// What has landed is looked at again, since it may rest.
    fn look_for_columns(&mut self) {
        if !self.step_count.is_multiple_of(LOOK_STEPS) || self.settings.max_refinement == 1 {
            return;
        }
        let mut found = core::mem::take(&mut self.scratch.split);
        found.clear();
        found.extend(self.islands.slots.iter().filter_map(|(index, island)| {
            let is_low = island.level == 0 && (2..=LOW).contains(&island.count);
            (is_low && self.bodies.is_awake(island.head)).then_some(index)
        }));
        for &island in &found {
            self.look_again(island);
        }
        self.scratch.split = found;
    }

    /// Splits an island into its parts, left in the scratch list.
    fn split(&mut self, island: u32) {
        let mut parts = core::mem::take(&mut self.scratch.parts);
        let mut members = core::mem::take(&mut self.scratch.members);
        parts.clear();
        let joints = &self.joints;
        self.islands.split(&mut self.bodies, &self.contacts, joints, island, &mut members, &mut parts);
        self.scratch.members = members;
        self.scratch.parts = parts;
    }

    fn split_and_sleep(&mut self, island: u32, limit: Real) {
        self.split(island);
        let parts = core::mem::take(&mut self.scratch.parts);
        for &part in &parts {
            if self.is_carried(part) {
                continue;
            }
            let mut least = Real::INFINITY;
            let mut body = self.islands.slots[part].head;
            while body != NONE {
                least = least.min(self.bodies.cores[body as usize].sleep_time);
                body = self.bodies.records[body].island_next;
            }
            if least >= limit {
                self.try_to_sleep(part);
            }
        }
        self.scratch.parts = parts;
    }
}
