//! What methods with cells or nodes share: whose turn it is to find a pair, rays against boxes, and the boxes that fit nowhere.

use super::{PairKey, Proxies};
use crate::math::*;

/// Who moved, so that of two proxies that both did only the first one looks for the pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Marks {
    /// Remembers who moved and forgets who did before.
    pub(super) fn set(&mut self, slots: usize, moved: &[u32]) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamps.fill(0);
            self.now = 1;
        }
        self.stamps.resize(slots, 0);
        moved.iter().for_each(|&proxy| self.stamps[proxy as usize] = self.now);
    }

    /// True if the search from `a`, which moved, reports the pair with `b`.
    #[inline]
    pub(super) fn is_turn(&self, a: u32, b: u32) -> bool {
        a < b || a != b && self.stamps[b as usize] != self.now
    }
}

/// A ray as boxes are tested with it.
pub(super) struct BoxRay<D: Dim> {
    pub(super) origin: D::Point,
    pub(super) direction: D::Vec,
    pub(super) grow: D::Vec,
    inv: D::Vec,
}

impl<D: Dim> BoxRay<D> {
    pub(super) fn new(origin: D::Point, direction: D::Vec, grow: D::Vec) -> Self {
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        Self { origin, direction, grow, inv }
    }

    /// True if the ray meets the grown box at `max` or before. If it meets a box, it meets every box around that one:
    /// every operation is monotonic.
    #[inline]
    pub(super) fn meets(&self, bounds: &Aabb<D>, max: Real) -> bool {
        let grown = Aabb::<D> { min: bounds.min - self.grow, max: bounds.max + self.grow };
        grown.ray(self.origin, self.inv, max).is_some()
    }
}

/// Proxies in no particular order, each of which knows its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    list: Vec<u32>,
}

impl Members {
    /// Adds a proxy and returns its place.
    pub(super) fn add(&mut self, proxy: u32) -> u32 {
        self.list.push(proxy);
        self.list.len() as u32 - 1
    }

    /// Takes out the proxy at `place`. Returns the one that is there now, if any.
    pub(super) fn take(&mut self, place: u32) -> Option<u32> {
        self.list.swap_remove(place as usize);
        self.list.get(place as usize).copied()
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        &self.list
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// Pairs of members as of proxies that fit nowhere: a moved one with everything, the others with what moved. Returns
    /// how many boxes were tested.
    fn pairs<D: Dim>(&self, proxies: &Proxies<D>, moved: &[u32], out: &mut Vec<PairKey>) -> u64 {
        let mut tested = 0;
        for &a in &self.list {
            let mut test = |b: u32| {
                if b != a && proxies.is_pair(a, b) {
                    out.push(Proxies::<D>::key(a, b));
                }
            };
            if moved.binary_search(&a).is_ok() {
                let all = proxies.slots().len() as u32;
                tested += u64::from(all);
                (0..all).for_each(&mut test);
            } else {
                tested += moved.len() as u64;
                moved.iter().copied().for_each(&mut test);
            }
        }
        tested
    }
}

/// What `grid`, `hash`, `tree` and `bsp` have beside their cells or nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// Proxies that fit into no cell.
    pub(super) large: Members,
    marks: Marks,
    /// Cells or nodes looked at, and boxes tested, since they were last asked for.
    visited: u64,
    tested: u64,
}

impl Search {
    /// Begins to look for the pairs of what moved; those of the large ones are found at once.
    pub(super) fn begin<'a, D: Dim>(
        &'a mut self,
        proxies: &'a Proxies<D>,
        moved: &[u32],
        out: &'a mut Vec<PairKey>,
    ) -> Hunt<'a, D> {
        self.marks.set(proxies.slots().len(), moved);
        self.tested += self.large.pairs(proxies, moved, out);
        Hunt { search: self, proxies, out }
    }

    /// Calls `visit` for the large ones until it returns false. False if it did.
    pub(super) fn each_large(&self, visit: &mut impl FnMut(u32) -> bool) -> bool {
        self.large.as_slice().iter().all(|&proxy| visit(proxy))
    }

    /// How much was looked at since the last call: cells or nodes, boxes.
    pub(super) fn counters(&mut self, what: &'static str, out: &mut Vec<(&'static str, u64)>) {
        out.push((what, core::mem::take(&mut self.visited)));
        out.push(("boxes tested", core::mem::take(&mut self.tested)));
    }
}

/// A search for pairs.
pub(super) struct Hunt<'a, D: Dim> {
    search: &'a mut Search,
    proxies: &'a Proxies<D>,
    out: &'a mut Vec<PairKey>,
}

impl<D: Dim> Hunt<'_, D> {
    /// `b` is near `a`, which moved: a pair, if their boxes overlap and nobody else reports it. Always true: go on.
    #[inline]
    pub(super) fn meet(&mut self, a: u32, b: u32) -> bool {
        self.search.tested += 1;
        if self.search.marks.is_turn(a, b) && self.proxies.is_pair(a, b) {
            self.out.push(Proxies::<D>::key(a, b));
        }
        true
    }

    /// Counts cells or nodes that were looked at.
    pub(super) fn visited(&mut self, count: u64) {
        self.search.visited += count;
    }
}

/// Middle of a box along an axis; exact for all that fits in cells.
#[inline]
pub(super) fn middle<D: Dim>(bounds: &Aabb<D>, axis: usize) -> f64 {
    0.5 * (f64::from(bounds.min.to_vec().get(axis)) + f64::from(bounds.max.to_vec().get(axis)))
}

/// Longest edge of a box [m]; infinite or NaN where the box is.
#[inline]
pub(super) fn longest<D: Dim>(bounds: &Aabb<D>) -> f64 {
    let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
    (0..D::N)
        .map(|i| f64::from(max.get(i)) - f64::from(min.get(i)))
        .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// True if no bound is farther from the origin than `reach` [m].
#[inline]
pub(super) fn is_within<D: Dim>(bounds: &Aabb<D>, reach: Real) -> bool {
    let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
    // False for NaN too.
    (0..D::N).all(|i| min.get(i) >= -reach && max.get(i) <= reach && min.get(i) <= max.get(i))
}
