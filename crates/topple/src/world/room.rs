//! Room for the first step, made as bodies are created.
//!
//! PERF: the system hands out memory page by page, when it is first written. In the first step of a large world that is everything at
//! once: a third of its time. Memory that grows with the bodies is touched as they come; so is that of contacts, as many as a sample of
//! the shapes has neighbours, and as many as a heap of so many bodies would have.

use super::World;
use crate::body::BodySet;
use crate::broad_phase::ProxyKind;
use crate::math::*;
use crate::store::room;

/// Worlds with fewer awake bodies than this have a first step that nobody notices.
const MANY: usize = 1024;
/// Room grows by one part of so many. That of pairs by a quarter of it, that of touching ones not at all: they take the most, and what is too much is never used.
const GROWTH: usize = 16;
/// Shapes whose neighbours are counted. The numbers of 16 are within a tenth of those of all in a heap.
const SAMPLES: usize = 16;

/// Pairs that the next step will find, by a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Crowd {
    /// Pairs of fat boxes.
    pairs: usize,
    /// Of these, pairs that are so near that they may touch.
    touching: usize,
}

impl<D: Dim> World<D> {
    /// Makes room for the next step with the bodies that are awake now.
    pub(crate) fn make_room(&mut self) {
        let awake = self.bodies.set(BodySet::Awake).len();
        if awake < MANY || awake <= self.scratch.ready {
            return;
        }
        let bodies = awake + awake / GROWTH;
        self.scratch.ready = bodies;
        self.scratch.awake.warm(bodies);
        room::warm(&mut self.scratch.moved, bodies);
        let Crowd { pairs, touching } = self.crowd();
        // Heaps in the plane have two contacts per body, in space three or four. Bodies in flight have none, and cost their room until they land: 0.5 kB
        // per body in the plane, 1.0 kB in space.
        let pairs = pairs.max(D::N * awake);
        let pairs = pairs + pairs / (4 * GROWTH);
        room::warm(&mut self.scratch.pairs, pairs);
        room::warm(&mut self.scratch.refine.grown, touching);
        room::warm(&mut self.scratch.changed, touching);
        room::warm(&mut self.events.begin, touching);
        self.contacts.warm(pairs);
        self.methods.solver.expect(bodies, pairs, touching);
    }

    /// Counts the neighbours of a few shapes, and takes them for those of all.
    fn crowd(&self) -> Crowd {
        let slots = self.proxies.slots();
        let mut samples = [0_u32; SAMPLES];
        let (mut low, mut high) = ([[Real::INFINITY; SAMPLES]; 3], [[Real::NEG_INFINITY; SAMPLES]; 3]);
        let mut count = 0;
        for k in 0..SAMPLES {
            // In the middle of each part of the list.
            let at = slots.len() * (2 * k + 1) / (2 * SAMPLES);
            let Some(proxy) = slots.get(at).filter(|proxy| proxy.kind == ProxyKind::Dynamic) else {
                continue;
            };
            let (min, max) = (proxy.fat.min.to_vec(), proxy.fat.max.to_vec());
            for axis in 0..D::N {
                (low[axis][count], high[axis][count]) = (min.get(axis), max.get(axis));
            }
            samples[count] = at as u32;
            count += 1;
        }
        let (mut dynamic, mut pairs, mut touching) = (0, 0, 0);
        for (other, proxy) in slots.iter().enumerate() {
            dynamic += usize::from(proxy.kind == ProxyKind::Dynamic);
            let (min, max) = (proxy.fat.min.to_vec(), proxy.fat.max.to_vec());
            let mut meets = [true; SAMPLES];
            for axis in 0..D::N {
                for k in 0..SAMPLES {
                    meets[k] &= (low[axis][k] <= max.get(axis)) & (min.get(axis) <= high[axis][k]);
                }
            }
            if !meets.contains(&true) {
                continue;
            }
            // A pair of two that are counted is seen from both.
            let share = if proxy.kind == ProxyKind::Dynamic { 1 } else { 2 };
            for &sample in samples[..count].iter().filter(|&&sample| sample != other as u32) {
                if self.proxies.is_pair(sample, other as u32) {
                    let shape = &self.shapes[sample];
                    let extent = self.bodies.cores[shape.body as usize].extent;
                    let margin = (self.settings.box_margin * extent).min(self.settings.max_box_margin);
                    // Without the margins of both, taken to be alike.
                    let near = self.proxies.get(sample).fat.grown(-2.0 * margin);
                    pairs += share;
                    touching += if near.overlaps(&proxy.fat) { share } else { 0 };
                }
            }
        }
        let of_all = |sum: usize| sum * dynamic / (2 * count.max(1));
        Crowd { pairs: of_all(pairs), touching: of_all(touching) }
    }
}
