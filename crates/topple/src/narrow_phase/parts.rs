//! Bringing the parts of a pair up to date: which part goes to which contact, and with which impulses.
//!
//! The head of the pair and its further parts form a chain. A part goes to the contact whose normal was most like its
//! own, so that colours and impulses stay; the head always has points if any part has. Parts that find no contact are left for
//! the world, which makes contacts for them after all batches are done.

use super::batch::{ContactBatch, PairTask, write};
use super::{LocalManifold, LocalPoint, MAX_LOCAL_POINTS, MAX_PARTS, composite};
use crate::body::NONE;
use crate::contact::{Contact, ContactPoint, flags};
use crate::math::*;

/// Cosine below which the friction impulses of a contact do not fit its new normal any more (dimensionless; 26°).
const SAME_SURFACE: Real = 0.9;

/// The points a pair had, of all parts, each to be taken once.
pub(super) struct OldPoints<D: Dim> {
    /// With their places on b.
    points: [(ContactPoint<D>, D::Vec); MAX_PARTS * MAX_LOCAL_POINTS],
    count: usize,
    /// How far a point may have moved on one of the bodies and still be the same [m].
    reach: Real,
}

impl<D: Dim> Default for OldPoints<D> {
    fn default() -> Self {
        let nobody = (ContactPoint::default(), D::Vec::ZERO);
        Self { points: [nobody; MAX_PARTS * MAX_LOCAL_POINTS], count: 0, reach: 0.0 }
    }
}

impl<D: Dim> OldPoints<D> {
    fn add(&mut self, contact: &Contact<D>) {
        for point in contact.manifold.points() {
            if self.count < self.points.len() && point.normal_impulse > 0.0 {
                self.points[self.count] = (*point, contact.local_b(point));
                self.count += 1;
            }
        }
    }

    /// Impulse of the point with the same id, or of the nearest one: a corner that slides over a mesh meets another
    /// triangle every few steps and is the same corner still.
    fn take(&mut self, local: &LocalPoint<D>, new: &ContactPoint<D>, new_b: D::Vec) -> Real {
        let distance = |(old, old_b): &(ContactPoint<D>, D::Vec)| {
            let (a, b) = (old.local_a - new.local_a, *old_b - new_b);
            a.length_squared().min(b.length_squared())
        };
        let old = &self.points[..self.count];
        let same = old.iter().position(|(p, _)| p.id == local.id);
        let found = same.or_else(|| {
            let near = (0..old.len()).min_by(|&i, &j| distance(&old[i]).total_cmp(&distance(&old[j])));
            near.filter(|&i| distance(&old[i]) <= self.reach * self.reach)
        });
        let Some(index) = found else { return 0.0 };
        let impulse = self.points[index].0.normal_impulse;
        self.count -= 1;
        self.points[index] = self.points[self.count];
        impulse
    }
}

impl<D: Dim> ContactBatch<'_, D> {
    /// Brings the pair with head `head` up to date, all parts of it.
    pub(super) fn update_parts(&mut self, head: u32) {
        let contact = self.contacts.get(head as usize);
        let before = contact.cache;
        let mut task = PairTask::new(self.source, contact, &mut self.counters, before);
        if task.try_keep() {
            return;
        }
        let has_body = composite::has_body(&task.job().0);
        let (parts, old) = self.room.get_or_insert_default();
        parts.forget(has_body);
        let mut at = if has_body { head } else { NONE };
        while at != NONE {
            let part = self.contacts.get(at as usize);
            part.manifold.points().iter().for_each(|point| parts.remember(point.id));
            at = part.next_part;
        }
        let contact = self.contacts.get(head as usize);
        let mut task = PairTask::new(self.source, contact, &mut self.counters, before);
        let (job, _, counters) = task.job();
        let ground = before.ground();
        composite::collide(&job, ground, counters, parts);
        task.record(parts.remembered(), || (0..parts.len()).map(|i| parts.manifold(i)).collect());
        let relative = task.relative_place();
        let slop = contact.slop;
        let skin = self.source.skin(contact.shapes);
        let is_sensor = contact.is_sensor();
        let frame = self.source.shapes[contact.shapes[0]].from_center;
        let settings = self.source.settings;
        // Sensors only want to know whether.
        let count = if is_sensor { parts.len().min(1) } else { parts.len() };
        let first = if is_sensor { parts.deepest().unwrap_or(0) } else { 0 };

        let mut chain = [NONE; MAX_PARTS];
        let mut length = 0;
        (old.count, old.reach) = (0, settings.recycling * slop);
        let mut at = head;
        while at != NONE && length < MAX_PARTS {
            let contact = self.contacts.get(at as usize);
            chain[length] = at;
            length += 1;
            old.add(contact);
            at = contact.next_part;
        }

        // Contacts choose in the order of the chain; the head may not go without.
        let mut is_taken = [false; MAX_PARTS];
        let mut choice = [None; MAX_PARTS];
        for slot in 0..length {
            let contact = self.contacts.get(chain[slot] as usize);
            if contact.manifold.count == 0 {
                continue;
            }
            let was = frame.rotation.rotate_inv(contact.manifold.local_normal);
            let agree = |part: usize| parts.normal(part).dot(was);
            let best = (first..first + count)
                .filter(|&part| !is_taken[part] && agree(part) >= SAME_SURFACE)
                .max_by(|&i, &j| agree(i).total_cmp(&agree(j)).then(j.cmp(&i)));
            if let Some(part) = best {
                is_taken[part] = true;
                choice[slot] = Some(part);
            }
        }
        let mut left = (first..first + count).filter(|&part| !is_taken[part]);
        for slot in choice[..length].iter_mut().filter(|slot| slot.is_none()) {
            *slot = left.next();
        }
        if choice[0].is_none() {
            let last = (0..length).rev().find(|&slot| choice[slot].is_some());
            choice[0] = last.and_then(|slot| choice[slot].take());
        }
        for slot in 0..length {
            let mut local = choice[slot].map_or_else(LocalManifold::default, |part| parts.manifold(part));
            local.thicken(skin);
            let contact = self.contacts.get(chain[slot] as usize);
            let was = contact.manifold.local_normal;
            write(contact, &local, &relative, &frame, settings, |point, new| {
                let new_b = relative.inverse_transform(D::Point::from_vec(new.local_a));
                (old.take(point, new, new_b), 0.0)
            });
            if contact.manifold.local_normal.dot(was) < SAME_SURFACE {
                contact.manifold.friction_impulse = D::Vec::ZERO;
                contact.manifold.twist_impulse = 0.0;
                contact.manifold.rolling_impulse = D::Ang::ZERO;
            }
        }
        for part in left {
            let mut local = parts.manifold(part);
            local.thicken(skin);
            self.extra.push((head, local));
        }
    }
}

impl<D: Dim> Contact<D> {
    /// An empty further part of the pair of this contact.
    pub(crate) fn new_part(&self) -> Self {
        let inherited = self.flags
            & (flags::KEEPS | flags::PRE_SOLVE | flags::HIT_EVENTS | flags::SURFACE | flags::COMPOSITE);
        Self::new(self.bodies, self.shapes, inherited | flags::PART)
    }
}
