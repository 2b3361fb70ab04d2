//! Further parts of pairs with a mesh, height field or chain: contacts that come and go with their head.

use super::World;
use crate::body::NONE;
use crate::math::*;
use crate::narrow_phase::{LocalManifold, MAX_PARTS, write};

impl<D: Dim> World<D> {
    /// Makes a contact for a part that the pair with head `head` has no contact for yet. Returns its index; None if the pair
    /// has as many as it can have.
    pub(crate) fn add_part(&mut self, head: u32, local: &LocalManifold<D>) -> Option<u32> {
        let mut last = head;
        let mut count = 1;
        while self.contacts.hot[last as usize].next_part != NONE {
            last = self.contacts.hot[last as usize].next_part;
            count += 1;
        }
        if count >= MAX_PARTS {
            return None;
        }
        let owner = self.contacts.hot[head as usize];
        let mut part = owner.new_part();
        let [a, b] = owner.shapes.map(|shape| &self.shapes[shape]);
        super::links::mix_materials(&mut part, a, b, &self.bodies, &self.settings);
        let [place_a, place_b] = owner.bodies.map(|body| self.bodies.places[body as usize]);
        let relative = place_a.relative(place_b);
        write(&mut part, local, &relative, &a.from_center, &self.settings, |_, _| (0.0, 0.0));
        let index = self.contacts.insert(part, &mut self.bodies);
        self.contacts.hot[last as usize].next_part = index;
        self.contacts.set_head(index, head);
        Some(index)
    }

    /// The further parts of a pair, after its head.
    pub(crate) fn next_part(&self, index: u32) -> u32 {
        self.contacts.hot[index as usize].next_part
    }
}
