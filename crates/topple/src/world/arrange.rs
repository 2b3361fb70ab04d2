//! Lists of contacts in the order of their bodies, brought about now and then.
//!
//! What a thread writes in one stage it should find in its cache in the next. Threads begin at opposite ends of every stage, so it is enough if the first
//! half of each list, bodies, contacts and contacts of a colour, is about the same half of the bodies. As long as contacts stay as they were made they are in
//! that order; new ones come at the ends of their lists, and fill the gaps that others leave.
//!
//! Nothing depends on the order of the lists but how fast they are worked off, and which of several blows at the same moment is looked at first.
//!
//! PERF: two threads on two cores without a cache in common, which need 0.18 µs to hand over a line: the solve takes a quarter less in
//! a turning square of 2 025 boxes (4 600 contacts), a sixth less on a terrain, a tenth less in a heap. The bodies themselves stay where they are: in order of place
//! (slices across the longest side) they took a tenth more in pyramids, with one thread and with two, since their columns are then read across.
//!
//! DETERMINISM: the orders follow from lists and the number of the step, and are part of snapshots.

use super::World;
use crate::BodyKind;
use crate::body::{BodySet, NONE};
use crate::contact::COLOR_COUNT;
use crate::math::*;
use crate::store::room;
use crate::trusted::{Each, Owned, Owners, in_pieces};

/// Contacts are arranged once in so many steps.
const ARRANGE_STEPS: u64 = 16;

/// Fewer contacts are done before it matters who does them.
const LEAST: usize = 1000;

/// Bodies that count as one place.
const PER_KEY: u32 = 16;

/// Contacts per piece of work.
const BATCH: usize = 256;

/// Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Arrange {
    /// Of each contact: where its bodies are in the list of bodies.
    keys: Vec<u32>,
    sort: Sort,
}

impl<D: Dim> World<D> {
    /// Brings the lists into order, in some steps.
    pub(super) fn arrange(&mut self) {
        if !self.step_count.is_multiple_of(ARRANGE_STEPS) {
            return;
        }
        if self.contacts.awake.len() >= LEAST {
            let mut arrange = core::mem::take(&mut self.scratch.arrange);
            self.arrange_contacts(&mut arrange);
            self.scratch.arrange = arrange;
        }
    }

    /// Contacts in the order of their bodies: all that are awake, and those of each colour.
    fn arrange_contacts(&mut self, arrange: &mut Arrange) {
        let bodies = &self.bodies;
        let slots = bodies.set(BodySet::Awake).positions();
        let count = bodies.set(BodySet::Awake).len() as u32;
        let key = |ends: [u32; 2]| {
            let slot = |body: u32| {
                let is_dynamic = bodies.records[body].kind == BodyKind::Dynamic;
                slots.get(body as usize).copied().filter(|&slot| is_dynamic && slot < count)
            };
            let [a, b] = ends.map(slot);
            let (a, b) = (a.or(b).unwrap_or(0), b.or(a).unwrap_or(0));
            (a + b) / 2 / PER_KEY
        };
        let Arrange { keys, sort } = arrange;
        room::fit(keys, self.contacts.hot.len(), 0);
        {
            let owners = Owners::new(self.contacts.awake.positions(), &self.contacts.heads);
            let (indices, hot) = (self.contacts.awake.as_slice(), &self.contacts.hot);
            let pieces = indices.len().div_ceil(BATCH);
            // Contacts do not tell how many pieces they are.
            let mut blank = vec![(); pieces];
            let arrays = (Each::of(&mut blank), Owned::new(keys, owners));
            in_pieces(&*self.executor, BATCH, arrays, |piece, (_, mut keys)| {
                for &index in &indices[piece * BATCH..indices.len().min((piece + 1) * BATCH)] {
                    let mut at = index;
                    while at != NONE {
                        let contact = &hot[at as usize];
                        *keys.get(at as usize) = key(contact.bodies);
                        at = contact.next_part;
                    }
                }
            });
        }
        let count = (count / PER_KEY) as usize + 1;
        let key = |contact: u32| keys[contact as usize].min(count as u32 - 1);
        if let Some(order) = sort.run(self.contacts.awake.as_slice(), count, key) {
            self.contacts.awake.reorder(order);
        }
        for color in &mut self.graph.colors[..COLOR_COUNT] {
            let Some(order) = sort.run(&color.contacts, count, key) else { continue };
            color.contacts.copy_from_slice(order);
            for (slot, &contact) in order.iter().enumerate() {
                self.contacts.records[contact].color_slot = slot as u32;
            }
        }
    }
}

/// Sorting by small numbers; what is equal keeps its order.
#[derive(Debug, Default)]
struct Sort {
    starts: Vec<u32>,
    sorted: Vec<u32>,
}

impl Sort {
    /// The items in order of their keys, all below `count`. None if they are in order already.
    fn run(&mut self, items: &[u32], count: usize, key: impl Fn(u32) -> u32) -> Option<&[u32]> {
        let keyed = || items.iter().map(|&item| key(item) as usize);
        if keyed().is_sorted() {
            return None;
        }
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        keyed().for_each(|key| self.starts[key + 1] += 1);
        (1..=count).for_each(|i| self.starts[i] += self.starts[i - 1]);
        room::fit(&mut self.sorted, items.len(), 0);
        for (key, &item) in keyed().zip(items) {
            self.sorted[self.starts[key] as usize] = item;
            self.starts[key] += 1;
        }
        Some(&self.sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Pool;
    use crate::{BodyDef, BodyDef2, Shape2, World2};

    /// Boxes in rows of 40 that touch each other, made in an order far from their places.
    fn boxes() -> World2 {
        let mut world = World2::new();
        world.settings.sleeping = false;
        world.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(200.0, 2.0)]).unwrap();
        for i in 0..800 {
            let at = (i * 317) % 800;
            let place = [(at % 40) as Real * 1.01, (at / 40) as Real * 0.999 + 0.5];
            world.create_body_with(BodyDef::dynamic(place), [Shape2::rectangle(1.0, 1.0)]).unwrap();
        }
        world
    }

    /// Where the contacts of a list are among the bodies.
    fn places(world: &World2, contacts: &[u32]) -> Vec<u32> {
        let slots = world.bodies.set(BodySet::Awake).positions();
        let slot = |body: u32| slots.get(body as usize).copied().filter(|&slot| slot != u32::MAX);
        let place = |&contact: &u32| {
            let [a, b] = world.contacts.hot[contact as usize].bodies.map(slot);
            a.into_iter().chain(b).sum::<u32>() / a.into_iter().chain(b).count() as u32
        };
        contacts.iter().map(place).collect()
    }

    #[test]
    fn every_list_follows_the_bodies_after_the_step_that_arranges() {
        let mut world = boxes();
        for _ in 1..ARRANGE_STEPS {
            world.step();
        }
        let lists = |world: &World2| {
            let colors = world.graph.colors().iter().map(|color| color.contacts.clone());
            let all = colors.chain([world.contacts.awake.as_slice().to_vec()]).filter(|list| list.len() > 99);
            all.map(|list| (list.clone(), places(world, &list))).collect::<Vec<_>>()
        };
        let climbs = |(_, places): &(Vec<u32>, Vec<u32>)| places.is_sorted_by_key(|place| place / PER_KEY);
        assert!(lists(&world).len() > 2 && !lists(&world).iter().any(climbs), "made in another order");
        let members = |world: &World2| {
            let mut all = lists(world);
            all.iter_mut().for_each(|(list, _)| list.sort_unstable());
            all.into_iter().map(|(list, _)| list).collect::<Vec<_>>()
        };
        let before = members(&world);
        world.step_count = ARRANGE_STEPS;
        world.arrange();
        assert!(lists(&world).iter().all(climbs), "{:?}", lists(&world));
        assert_eq!(members(&world), before, "nothing is lost");
        for (number, color) in world.graph.colors().iter().enumerate() {
            for (slot, &contact) in color.contacts.iter().enumerate() {
                let record = &world.contacts.records[contact];
                assert_eq!((record.color as usize, record.color_slot as usize), (number, slot));
            }
        }
    }

    #[test]
    fn the_order_is_the_same_on_any_number_of_threads() {
        let [mut one, mut three] = [boxes(), boxes()];
        three.set_executor(std::sync::Arc::new(Pool::new(3)));
        for _ in 0..3 * ARRANGE_STEPS {
            one.step();
            three.step();
        }
        assert_eq!(one.contacts.awake, three.contacts.awake);
        assert!(one.graph == three.graph && one.state_hash() == three.state_hash());
    }
}
