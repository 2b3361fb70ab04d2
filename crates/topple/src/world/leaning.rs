//! Loads on sleepers. What leans on a sleeping body is solved as if that were a wall; here it is judged whether the wall would give
//! way: by all that leans on it together, force and torque.

use super::World;
use crate::body::{BodySet, NONE};
use crate::contact::NO_COLOR;
use crate::math::*;

/// Share of `Settings::wake_load` that counts for torques, in weights times extents (no unit): what stands at the end of a plank may tip
/// it although it is light.
const TURNING: Real = 0.25;
/// The same for loads that have come to rest. A hinge gives way to any, and this wakes once for each load, not for each touch.
const LASTING_TURN: Real = 0.05;

/// Force and torque on a sleeping body.
struct Push<D: Dim> {
    force: D::Vec,
    torque: D::Ang,
    /// The strongest of the single forces [N]: those that cancel, as of a vice, wake too.
    most: Real,
}

impl<D: Dim> World<D> {
    /// Remembers a contact in which an awake body leans on a sleeping one.
    pub(crate) fn watch_leaning(&mut self, index: u32) {
        let bodies = self.contacts.hot[index as usize].bodies;
        let asleep = bodies.iter().any(|&b| self.bodies.records[b].set == BodySet::Sleeping);
        if asleep && self.contacts.records[index].color != NO_COLOR {
            self.leaning.insert(index);
        }
    }

    /// Wakes sleepers that carry more than their share.
    pub(crate) fn wake_by_load(&mut self) {
        if self.leaning.is_empty() {
            return;
        }
        let mut pairs = core::mem::take(&mut self.scratch.leaning);
        pairs.clear();
        for &index in self.leaning.as_slice() {
            let mut bodies = self.contacts.hot[index as usize].bodies.into_iter();
            let sleeper = bodies.find(|&body| self.bodies.records[body].set == BodySet::Sleeping);
            pairs.extend(sleeper.map(|sleeper| (sleeper, index)));
        }
        // DETERMINISM: sums in order of contacts.
        pairs.sort_unstable();
        for group in pairs.chunk_by(|x, y| x.0 == y.0) {
            let sleeper = group[0].0;
            if self.is_overloaded(sleeper, group.iter().map(|&(_, index)| index), TURNING) {
                let is_heavy = group.iter().any(|&(_, index)| self.is_heavier(index, sleeper));
                self.scratch.to_wake.push((sleeper, is_heavy));
            }
        }
        self.scratch.leaning = pairs;
        self.wake_laden();
    }

    /// Wakes the sleepers that were found to bear too much.
    pub(crate) fn wake_laden(&mut self) {
        let mut to_wake = core::mem::take(&mut self.scratch.to_wake);
        for (sleeper, is_heavy) in to_wake.drain(..) {
            self.wake_index(sleeper);
            if is_heavy {
                self.refine_grown(self.bodies.records[sleeper].island, true);
            }
        }
        self.scratch.to_wake = to_wake;
    }

    /// True if an island that has come to rest lies on sleepers that would give way to it in time: by force or torque of all
    /// that lies on them, asleep or not. They are noted, to be woken.
    pub(crate) fn is_laid_down(&mut self, island: u32) -> bool {
        let mut is_found = false;
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let record = &self.bodies.records[body];
            for (index, side) in self.contacts.of_body(record.first_contact) {
                let contact = &self.contacts.hot[index as usize];
                let sleeper = contact.bodies[1 - side];
                if !contact.is_solid() || self.bodies.records[sleeper].set != BodySet::Sleeping {
                    continue;
                }
                let all = self.contacts.of_body(self.bodies.records[sleeper].first_contact);
                let visitors =
                    all.map(|(index, _)| index).filter(|&index| self.is_of_visitor(index, sleeper));
                if self.is_overloaded(sleeper, visitors, LASTING_TURN) {
                    self.scratch.to_wake.push((sleeper, self.is_heavier(index, sleeper)));
                    is_found = true;
                }
            }
            body = record.island_next;
        }
        is_found
    }

    /// True if a contact of a sleeper is with a dynamic body of another island.
    fn is_of_visitor(&self, index: u32, sleeper: u32) -> bool {
        let contact = &self.contacts.hot[index as usize];
        let other = contact.bodies[usize::from(contact.bodies[0] == sleeper)];
        let island = self.bodies.records[other].island;
        contact.is_solid() && island != NONE && island != self.bodies.records[sleeper].island
    }

    /// True if the other body of a contact is so much heavier that they need small steps.
    fn is_heavier(&self, index: u32, sleeper: u32) -> bool {
        let bodies = self.contacts.hot[index as usize].bodies;
        let other = bodies[usize::from(bodies[0] == sleeper)];
        let [own, lies] = [sleeper, other].map(|body| self.bodies.cores[body as usize].inv_mass);
        lies > 0.0 && own > self.settings.refine_load * lies
    }

    /// True if these contacts push a sleeper by more than `wake_load` of its weight, or turn it by more than `turning` of that at
    /// its extent.
    fn is_overloaded(&self, sleeper: u32, contacts: impl Iterator<Item = u32>, turning: Real) -> bool {
        let mut push = Push { force: D::Vec::ZERO, torque: D::Ang::ZERO, most: 0.0 };
        contacts.for_each(|index| self.add_push(index, sleeper, &mut push));
        let weight = self.bodies.records[sleeper].mass.mass * self.settings.weight_scale();
        let limit = self.settings.wake_load * weight * self.impulse_time;
        let extent = self.bodies.cores[sleeper as usize].extent;
        push.most > limit || push.force.length() > limit || push.torque.length() > turning * limit * extent
    }

    /// Adds what a contact does to one of its bodies: impulses over `impulse_time` [N·s], [N·m·s] about its centre of mass.
    fn add_push(&self, index: u32, body: u32, push: &mut Push<D>) {
        let contact = &self.contacts.hot[index as usize];
        let points = contact.manifold.points();
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let normal = contact.normal(places[0].rotation);
        let is_a = contact.bodies[0] == body;
        let sign = if is_a { -1.0 } else { 1.0 };
        let (mut sum, mut middle) = (0.0, D::Vec::ZERO);
        for (i, point) in points.iter().enumerate() {
            let row = contact.row(i, &places[0], &places[1]);
            let arm = if is_a { row.r_a } else { row.r_b };
            sum += point.normal_impulse;
            middle += arm * point.normal_impulse;
            push.torque += D::cross(arm, normal * (sign * point.normal_impulse));
        }
        // Friction acts where the load is.
        let friction = contact.manifold.friction_impulse * sign;
        if sum > 0.0 {
            push.torque += D::cross(middle * (1.0 / sum), friction);
        }
        let force = normal * (sign * sum) + friction;
        push.force += force;
        push.most = push.most.max(force.length());
    }
}
