//! Invariants of the whole world, checked after every step of debug builds.

use super::World;
use crate::body::{BodyKind, BodySet, NONE};
use crate::broad_phase::ProxyKind;
use crate::contact::NO_COLOR;
use crate::math::*;

impl<D: Dim> World<D> {
    /// Panics if the world contradicts itself: a fault of the engine, never of its input.
    pub(crate) fn validate(&self) {
        self.validate_bodies();
        self.validate_contacts();
        self.validate_joints();
        self.validate_islands();
    }

    fn validate_bodies(&self) {
        let in_sets: usize = BodySet::ALL.iter().map(|&set| self.bodies.set(set).len()).sum();
        assert_eq!(in_sets, self.bodies.records.len(), "every body is in exactly one set");
        for (index, record) in self.bodies.records.iter() {
            assert!(self.bodies.set(record.set).contains(index), "body {index} is in the set of its record");
            assert!(self.bodies.places[index as usize].is_valid(), "body {index} has a finite place");
            let in_island = record.kind == BodyKind::Dynamic && record.set != BodySet::Disabled;
            assert_eq!(in_island, record.island != NONE, "dynamic bodies have an island, body {index}");
            for &shape in &record.shapes {
                assert_eq!(self.shapes[shape].body, index, "shape {shape} knows its body");
                let live = self.proxies.get(shape).kind != ProxyKind::None;
                assert_eq!(live, record.set != BodySet::Disabled, "proxy of shape {shape}");
            }
        }
    }

    fn validate_contacts(&self) {
        for (index, record) in self.contacts.records.iter() {
            let contact = &self.contacts.hot[index as usize];
            assert_eq!(self.contacts.find(contact.key()), Some(index), "pair table knows contact {index}");
            let awake = contact.bodies.iter().any(|&body| self.bodies.is_awake(body));
            assert_eq!(awake, self.contacts.awake.contains(index), "awake list, contact {index}");
            let movable = contact.bodies.map(|body| {
                let record = &self.bodies.records[body];
                record.kind == BodyKind::Dynamic && record.set == BodySet::Awake
            });
            let solved = contact.is_solid() && movable != [false; 2];
            assert_eq!(solved, record.color != NO_COLOR, "colour of contact {index}");
            if solved {
                let list = &self.graph.colors[record.color as usize].contacts;
                assert_eq!(list[record.color_slot as usize], index, "colour list of contact {index}");
                assert_eq!(record.colored, movable, "coloured sides of contact {index}");
            }
        }
        for color in self.graph.colors() {
            let mut bodies = Vec::new();
            for &index in &color.contacts {
                let contact = &self.contacts.hot[index as usize];
                let colored = self.contacts.records[index].colored;
                bodies.extend((0..2).filter(|&side| colored[side]).map(|side| contact.bodies[side]));
            }
            for &index in &color.joints {
                let joint = &self.joints.hot[index as usize];
                let colored = self.joints.records[index].colored;
                bodies.extend((0..2).filter(|&side| colored[side]).map(|side| joint.bodies[side]));
            }
            let count = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert_eq!(bodies.len(), count, "no body twice in a colour");
            assert!(color.bodies.iter().eq(bodies.iter().copied()), "colour bits");
        }
    }

    fn validate_joints(&self) {
        let mut edges = 0;
        for (body, record) in self.bodies.records.iter() {
            for (joint, side) in self.joints.of_body(record.first_joint) {
                assert_eq!(self.joints.hot[joint as usize].bodies[side], body, "edge of joint {joint}");
                edges += 1;
            }
        }
        assert_eq!(edges, 2 * self.joints.records.len(), "every joint is in the lists of both bodies");
        for (index, record) in self.joints.records.iter() {
            let joint = &self.joints.hot[index as usize];
            let bodies = joint.bodies.map(|body| &self.bodies.records[body]);
            let movable = bodies.map(|body| body.kind == BodyKind::Dynamic && body.set == BodySet::Awake);
            let out = bodies.iter().any(|body| body.set == BodySet::Disabled);
            let solved = !out && movable != [false; 2];
            assert_eq!(solved, record.color != NO_COLOR, "colour of joint {index}");
            if solved {
                let list = &self.graph.colors[record.color as usize].joints;
                assert_eq!(list[record.color_slot as usize], index, "colour list of joint {index}");
                assert_eq!(record.colored, movable, "coloured sides of joint {index}");
            }
            let linked = bodies.iter().all(|body| body.island != NONE);
            assert_eq!(linked, record.is_linked, "link of joint {index}");
            assert!(!linked || bodies[0].island == bodies[1].island, "joint {index} is inside an island");
            assert_eq!(record.is_watched(), self.joints.watched.contains(index), "watched joint {index}");
            assert!(joint.impulses.iter().all(|x| x.is_finite()), "impulses of joint {index}");
            for side in 0..2 {
                let center = self.bodies.cores[joint.bodies[side] as usize].local_center;
                let expected = record.local[side].position - center;
                assert_eq!(joint.frames[side].position, expected, "frame of joint {index}");
            }
            if !record.collide_connected {
                let first = bodies[0].first_contact;
                let met = self.contacts.of_body(first).any(|(contact, side)| {
                    self.contacts.hot[contact as usize].bodies[1 - side] == joint.bodies[1]
                });
                assert!(!met, "bodies of joint {index} do not collide");
            }
        }
        let in_colors: usize = self.graph.colors.iter().map(|color| color.joints.len()).sum();
        let colored = self.joints.records.iter().filter(|(_, record)| record.color != NO_COLOR).count();
        assert_eq!(in_colors, colored, "joints in colours");
    }

    fn validate_islands(&self) {
        let mut total = 0;
        for (index, island) in self.islands.slots.iter() {
            let (mut body, mut previous, mut count) = (island.head, NONE, 0);
            let asleep = self.bodies.records[island.head].set == BodySet::Sleeping;
            while body != NONE {
                let record = &self.bodies.records[body];
                assert_eq!(
                    (record.island, record.island_prev),
                    (index, previous),
                    "island list, body {body}"
                );
                assert_eq!(record.set == BodySet::Sleeping, asleep, "islands sleep as a whole");
                (previous, body, count) = (body, record.island_next, count + 1);
            }
            assert_eq!((previous, count), (island.tail, island.count), "end of island {index}");
            total += count;
        }
        let dynamic = self.bodies.records.iter().filter(|(_, record)| record.island != NONE).count();
        assert_eq!(total as usize, dynamic, "every body with an island is in its list");
    }
}
