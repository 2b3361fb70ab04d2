//! Invariants of the whole world. Checked after every step of debug builds, and on whatever a snapshot brings.
//!
//! Nothing here trusts an index: a snapshot may hold any numbers, and must be refused, not believed. Nothing allocates,
//! so that debug builds count allocations like release builds.

use super::World;
use crate::body::{BodyKind, BodySet, NONE};
use crate::broad_phase::ProxyKind;
use crate::contact::NO_COLOR;
use crate::math::*;

/// What is wrong, where.
type Finding = Result<(), (&'static str, u32)>;

fn ensure(holds: bool, what: &'static str, index: u32) -> Finding {
    if holds { Ok(()) } else { Err((what, index)) }
}

impl<D: Dim> World<D> {
    /// Panics if the world contradicts itself: a fault of the engine, never of its input.
    #[cfg(debug_assertions)]
    pub(crate) fn validate(&self) {
        if let Err((what, index)) = self.check() {
            panic!("the world contradicts itself: {what} (index {index})");
        }
    }

    /// The first invariant that does not hold, if any.
    pub(crate) fn check(&self) -> Finding {
        self.check_bodies()?;
        self.check_shapes()?;
        self.check_contacts()?;
        self.check_edges()?;
        self.check_joint_edges()?;
        self.check_colors()?;
        self.check_joint_links()?;
        self.check_islands()
    }

    fn check_bodies(&self) -> Finding {
        let in_sets: usize = BodySet::ALL.iter().map(|&set| self.bodies.set(set).len()).sum();
        ensure(in_sets == self.bodies.records.len(), "every body is in exactly one set", in_sets as u32)?;
        for (index, record) in self.bodies.records.iter() {
            ensure(self.bodies.set(record.set).contains(index), "a body is in the set of its record", index)?;
            ensure(self.bodies.places[index as usize].is_valid(), "a body has a finite place", index)?;
            let core = &self.bodies.cores[index as usize];
            ensure(core.motion.is_finite(), "a body has a finite velocity", index)?;
            ensure(core.load.force.is_finite() && core.load.torque.is_finite(), "forces are finite", index)?;
            let dynamic = record.kind == BodyKind::Dynamic;
            let possible = match record.set {
                BodySet::Static => !dynamic,
                BodySet::Sleeping => dynamic,
                BodySet::Awake => record.kind != BodyKind::Static,
                BodySet::Disabled => true,
            };
            ensure(possible, "the set of a body fits its kind", index)?;
            let in_island = dynamic && record.set != BodySet::Disabled;
            ensure(
                in_island == (record.island != NONE),
                "dynamic bodies have an island, others none",
                index,
            )?;
        }
        Ok(())
    }

    fn check_shapes(&self) -> Finding {
        let mut listed = 0;
        for (index, record) in self.bodies.records.iter() {
            listed += record.shapes.len();
            for &shape in &record.shapes {
                let known = self.shapes.get(shape).is_some_and(|s| s.body == index);
                ensure(known, "a shape knows its body", shape)?;
                let live = self.proxies.get(shape).kind != ProxyKind::None;
                ensure(live == (record.set != BodySet::Disabled), "enabled bodies have proxies", shape)?;
            }
        }
        ensure(listed == self.shapes.len(), "every shape is on a body", listed as u32)?;
        for &shape in self.moved.as_slice() {
            let live = self.shapes.get(shape).is_some() && self.proxies.get(shape).kind != ProxyKind::None;
            ensure(live, "moved proxies are live", shape)?;
        }
        Ok(())
    }

    /// Which sides of a contact solvers can move.
    fn movable_sides(&self, bodies: [u32; 2]) -> [bool; 2] {
        bodies.map(|body| {
            let record = self.bodies.records.get(body);
            record.is_some_and(|r| r.kind == BodyKind::Dynamic && r.set == BodySet::Awake)
        })
    }

    fn check_contacts(&self) -> Finding {
        for (index, record) in self.contacts.records.iter() {
            let contact = &self.contacts.hot[index as usize];
            self.check_parts(index)?;
            ensure(contact.shapes[0] != contact.shapes[1], "a pair is two shapes", index)?;
            for side in 0..2 {
                let shape = self.shapes.get(contact.shapes[side]);
                let fits = shape.is_some_and(|shape| shape.body == contact.bodies[side]);
                ensure(
                    fits && self.bodies.records.get(contact.bodies[side]).is_some(),
                    "shapes of a pair",
                    index,
                )?;
            }
            ensure(contact.bodies[0] != contact.bodies[1], "a pair has two bodies", index)?;
            let awake = contact.bodies.iter().any(|&body| self.bodies.is_awake(body));
            ensure(
                (awake && !contact.is_part()) == self.contacts.awake.contains(index),
                "contacts of awake bodies are awake",
                index,
            )?;
            let movable = self.movable_sides(contact.bodies);
            let solved = contact.is_solid() && movable != [false; 2];
            ensure(solved == (record.color != NO_COLOR), "solved contacts have a colour", index)?;
            if solved {
                let list = self.graph.colors.get(record.color as usize).map(|color| &color.contacts[..]);
                let listed = list.and_then(|list| list.get(record.color_slot as usize)) == Some(&index);
                ensure(listed, "the colour lists a contact", index)?;
                ensure(record.colored == movable, "coloured sides of a contact", index)?;
            }
            let finite = contact.manifold.points().iter().all(|p| {
                p.local_a.is_finite() && contact.local_b(p).is_finite() && p.base_separation.is_finite()
            });
            ensure(finite, "contact points are finite", index)?;
        }
        for &index in self.released.as_slice() {
            ensure(self.bodies.records.get(index).is_some(), "released bodies are live", index)?;
        }
        for &index in self.built.as_slice() {
            ensure(self.bodies.records.get(index).is_some(), "bodies put together are live", index)?;
        }
        for list in [&self.contacts.awake, &self.leaning, &self.watched] {
            for &index in list.as_slice() {
                ensure(self.contacts.records.get(index).is_some(), "listed contacts are live", index)?;
            }
        }
        Ok(())
    }

    /// A pair is known by its head, from which its further parts follow.
    fn check_parts(&self, index: u32) -> Finding {
        let contact = &self.contacts.hot[index as usize];
        let known = self.contacts.find(contact.key());
        let Some(owner) = known else {
            return ensure(false, "the pair table knows a contact", index);
        };
        ensure(contact.is_part() == (owner != index), "the pair table knows the head of a pair", index)?;
        if contact.is_part() {
            let mut at = owner;
            let found = (0..crate::narrow_phase::MAX_PARTS).any(|_| {
                at = self.contacts.hot.get(at as usize).map_or(NONE, |c| c.next_part);
                at == index
            });
            ensure(found, "the parts of a pair follow its head", index)?;
            let head = self.contacts.heads.get(index as usize).copied();
            ensure(head == Some(owner), "the parts of a pair know its head", index)?;
        }
        let mut end = owner;
        let ends = (0..=crate::narrow_phase::MAX_PARTS).any(|_| {
            end = self.contacts.hot.get(end as usize).map_or(NONE, |c| c.next_part);
            end == NONE
        });
        ensure(ends, "the parts of a pair end", index)?;
        let next = contact.next_part;
        if next != NONE {
            let fits = self.contacts.records.get(next).is_some()
                && self
                    .contacts
                    .hot
                    .get(next as usize)
                    .is_some_and(|c| c.is_part() && c.key() == contact.key());
            ensure(fits, "the next part of a pair", index)?;
        }
        Ok(())
    }

    /// The lists of contacts of each body: linked both ways, complete, without circles.
    fn check_edges(&self) -> Finding {
        let mut left = 2 * self.contacts.records.len();
        for (body, record) in self.bodies.records.iter() {
            let (mut edge, mut previous) = (record.first_contact, NONE);
            let before = left;
            while edge != NONE {
                ensure(left > 0, "contact lists of bodies end", body)?;
                left -= 1;
                let (index, side) = (edge / 2, (edge & 1) as usize);
                let Some(contact) = self.contacts.records.get(index) else {
                    return Err(("listed contacts are live", index));
                };
                let ours = self.contacts.hot[index as usize].bodies[side] == body;
                ensure(ours && contact.edges[side][0] == previous, "contact list of a body", body)?;
                (previous, edge) = (edge, contact.edges[side][1]);
            }
            ensure(before - left == record.contact_count as usize, "number of contacts of a body", body)?;
        }
        ensure(left == 0, "every contact is in the lists of its bodies", left as u32)
    }

    /// The same for joints.
    pub(crate) fn check_joint_edges(&self) -> Finding {
        let mut left = 2 * self.joints.records.len();
        for (body, record) in self.bodies.records.iter() {
            let (mut edge, mut previous) = (record.first_joint, NONE);
            while edge != NONE {
                ensure(left > 0, "joint lists of bodies end", body)?;
                left -= 1;
                let (index, side) = (edge / 2, (edge & 1) as usize);
                let Some(joint) = self.joints.records.get(index) else {
                    return Err(("listed joints are live", index));
                };
                let ours = self.joints.hot[index as usize].bodies[side] == body;
                ensure(ours && joint.edges[side][0] == previous, "joint list of a body", body)?;
                (previous, edge) = (edge, joint.edges[side][1]);
            }
        }
        ensure(left == 0, "every joint is in the lists of its bodies", left as u32)
    }

    fn check_colors(&self) -> Finding {
        for (number, color) in self.graph.colors.iter().enumerate() {
            let mut sides = 0;
            for (slot, &index) in color.contacts.iter().enumerate() {
                let Some(record) = self.contacts.records.get(index) else {
                    return Err(("coloured contacts are live", index));
                };
                let placed = record.color as usize == number && record.color_slot as usize == slot;
                ensure(placed, "a contact knows its place in the colour", index)?;
                let bodies = self.contacts.hot[index as usize].bodies;
                for side in (0..2).filter(|&side| record.colored[side]) {
                    sides += 1;
                    let noted = number >= self.graph.colors().len() || color.bodies.contains(bodies[side]);
                    ensure(noted, "a colour has the bits of its bodies", index)?;
                }
            }
            for (slot, &index) in color.joints.iter().enumerate() {
                let Some(record) = self.joints.records.get(index) else {
                    return Err(("coloured joints are live", index));
                };
                let placed = record.color as usize == number && record.color_slot as usize == slot;
                ensure(placed, "a joint knows its place in the colour", index)?;
                let bodies = self.joints.hot[index as usize].bodies;
                for side in (0..2).filter(|&side| record.colored[side]) {
                    sides += 1;
                    let noted = number >= self.graph.colors().len() || color.bodies.contains(bodies[side]);
                    ensure(noted, "a colour has the bits of its bodies", index)?;
                }
            }
            // As many bits as sides: no body twice.
            let bits = color.bodies.iter().count();
            let serial = number >= self.graph.colors().len();
            ensure(serial || bits == sides, "no body twice in a colour", number as u32)?;
        }
        Ok(())
    }

    fn check_joint_links(&self) -> Finding {
        let mut edges_left = 2 * self.joints.records.len();
        for (body, record) in self.bodies.records.iter() {
            let mut edge = record.first_joint;
            while edge != NONE {
                ensure(edges_left > 0, "lists of joints end", body)?;
                edges_left -= 1;
                let (joint, side) = (edge / 2, (edge & 1) as usize);
                let Some(record) = self.joints.records.get(joint) else {
                    return Err(("joints of bodies are live", joint));
                };
                ensure(
                    self.joints.hot[joint as usize].bodies[side] == body,
                    "a joint knows its bodies",
                    joint,
                )?;
                edge = record.edges[side][1];
            }
        }
        ensure(edges_left == 0, "every joint is in the lists of both bodies", edges_left as u32)?;
        let mut colored = 0;
        for (index, record) in self.joints.records.iter() {
            let joint = &self.joints.hot[index as usize];
            let [Some(a), Some(b)] = joint.bodies.map(|body| self.bodies.records.get(body)) else {
                return Err(("bodies of joints are live", index));
            };
            let movable = self.movable_sides(joint.bodies);
            let out = a.set == BodySet::Disabled || b.set == BodySet::Disabled;
            let solved = !out && movable != [false; 2];
            ensure(solved == (record.color != NO_COLOR), "joints that can move are coloured", index)?;
            ensure(!solved || record.colored == movable, "coloured sides of a joint", index)?;
            colored += usize::from(solved);
            let linked = a.island != NONE && b.island != NONE;
            ensure(linked == record.is_linked, "joints link islands", index)?;
            ensure(!linked || a.island == b.island, "a joint is inside an island", index)?;
            ensure(record.is_watched() == self.joints.watched.contains(index), "watched joints", index)?;
            ensure(joint.impulses.iter().all(|x| x.is_finite()), "impulses of joints are finite", index)?;
        }
        let listed: usize = self.graph.colors.iter().map(|color| color.joints.len()).sum();
        ensure(listed == colored, "joints in colours", listed as u32)
    }

    fn check_islands(&self) -> Finding {
        let mut left = self.bodies.records.iter().filter(|(_, record)| record.island != NONE).count();
        for (index, island) in self.islands.slots.iter() {
            let (mut body, mut previous, mut count) = (island.head, NONE, 0);
            let set = self.bodies.records.get(body).map(|record| record.set);
            while body != NONE {
                ensure(left > 0, "lists of islands end", index)?;
                left -= 1;
                let Some(record) = self.bodies.records.get(body) else {
                    return Err(("bodies of islands are live", body));
                };
                let linked = (record.island, record.island_prev) == (index, previous);
                ensure(linked, "a body knows its place in the island", body)?;
                ensure(Some(record.set) == set, "islands sleep as a whole", index)?;
                (previous, body, count) = (body, record.island_next, count + 1);
            }
            ensure(count > 0 && (previous, count) == (island.tail, island.count), "end of an island", index)?;
        }
        ensure(left == 0, "every body with an island is in its list", left as u32)
    }
}
