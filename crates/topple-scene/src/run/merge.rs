//! Bodies that become part of another, and come off again.

use std::collections::HashMap;

use topple::{Part, ShapeId};

use super::Run;
use crate::lower::Space;
use crate::model::{Look, Target};

/// A body that is part of another.
pub(super) struct Merged<D: Space> {
    /// Index of the body that took it in.
    host: usize,
    /// What makes it a body again.
    part: Part<D>,
}

impl<D: Space> Run<D> {
    /// The first takes the others into it.
    pub(super) fn merge(&mut self, on: &[Target]) {
        let Some((first, others)) = on.split_first() else { return };
        let &[host] = self.find(first).as_slice() else {
            return self.refuse(self.here, String::from("'merge' needs one body to take the others in"));
        };
        for guest in self.find_all(others) {
            let looks = self.looks(&[host, guest]);
            match self.world.merge(self.bodies[host].id, self.bodies[guest].id) {
                Ok(part) => {
                    self.bodies[guest].exists = false;
                    self.merged.insert(guest, Merged { host, part });
                    self.put_looks(host, &looks);
                }
                Err(error) => self.refuse(self.here, error.to_string()),
            }
        }
    }

    /// Bodies come off again that were taken in.
    pub(super) fn unmerge(&mut self, on: &[Target]) {
        let meant = |index: &usize| {
            let body = &self.bodies[*index];
            on.iter().any(|target| target.matches(body.name.as_deref(), body.group.as_deref()))
        };
        let mut guests: Vec<usize> = self.merged.keys().copied().filter(meant).collect();
        // The map has no order.
        guests.sort_unstable();
        if guests.is_empty() {
            self.refuse(self.here, String::from("there is no such part to take off"));
        }
        for guest in guests {
            let Some(Merged { mut host, part }) = self.merged.remove(&guest) else { continue };
            // The body that took it in may be part of another by now.
            while let Some(outer) = self.merged.get(&host) {
                host = outer.host;
            }
            let looks = self.looks(&[host]);
            match self.world.unmerge(self.bodies[host].id, part) {
                Ok(id) => {
                    let before = std::mem::replace(&mut self.bodies[guest].id, id);
                    self.bodies[guest].exists = true;
                    self.put_looks(host, &looks);
                    self.put_looks(guest, &looks);
                    self.pass_through_again(before, id);
                    self.widen_forces(guest);
                }
                Err(error) => self.refuse(self.here, error.to_string()),
            }
        }
    }

    /// The looks of the shapes of some bodies.
    fn looks(&self, indices: &[usize]) -> HashMap<ShapeId, Look> {
        let of = |index: &usize| {
            let body = &self.bodies[*index];
            let shapes: Vec<_> =
                self.world.body(body.id).map_or_else(|_| Vec::new(), |view| view.shapes().collect());
            shapes.into_iter().zip(body.looks.iter().cloned()).collect::<Vec<_>>()
        };
        indices.iter().flat_map(of).collect()
    }

    /// Gives a body the looks of the shapes that it has now.
    fn put_looks(&mut self, index: usize, looks: &HashMap<ShapeId, Look>) {
        let Ok(view) = self.world.body(self.bodies[index].id) else { return };
        let now: Vec<Look> =
            view.shapes().map(|shape| looks.get(&shape).cloned().unwrap_or_default()).collect();
        self.bodies[index].looks = now;
    }

    /// A body that is back has another id: the pairs it was in are those of the new one.
    fn pass_through_again(&mut self, before: topple::BodyId, now: topple::BodyId) {
        let Ok(mut pairs) = self.ignored.write() else { return };
        let renamed: Vec<_> = pairs
            .iter()
            .filter(|(a, b)| *a == before || *b == before)
            .map(|(a, b)| [*a, *b].map(|id| if id == before { now } else { id }))
            .collect();
        pairs.extend(renamed.into_iter().map(|[a, b]| (a, b)));
    }
}
