//! `sort-and-sweep`: the ends of all boxes in order along every axis, and a set of pairs that changes when ends pass each
//! other [Baraff1992], [vandenBergen2003 §5.4].
//!
//! Idea: bodies move little from step to step, so the ends, sorted in the last step, are nearly sorted in this one, and
//! insertion sort needs few swaps. Only when a lower end passes an upper end does the overlap of two boxes along that axis begin or
//! end; where it begins, the boxes are compared along all axes. Nothing else ever changes the set of pairs.
//!
//! Cost: O(m + swaps) for m moved. Swaps are few where motion is coherent, and many where many boxes lie over each other along one
//! axis: a pile of n bodies has stacks of boxes with nearly equal ends. The first sort is O(n²) swaps by insertion, as in the seed, or
//! O(n log n) followed by one sweep; see [`FirstSort`].
//!
//! Departures: the pairs are kept in a table with lists instead of a balanced tree (`pair_set.rs`); of few moved boxes only their
//! own ends are sorted in, not all looked at; boxes of one body, and of two static ones, are never pairs.

mod pair_set;

use super::{BroadPhase, PairKey, Proxies, ProxyKind};
use crate::exec::Executor;
use crate::math::*;
use pair_set::PairSet;

/// Place of an end that is not in the lists.
const NOWHERE: u32 = u32::MAX;
/// Owner of a lower end whose box was removed; that of an upper end is one more. Ends keep their kind, which is part of
/// the order.
const GONE: u32 = u32::MAX - 1;
/// If more than one in so many boxes moved, all ends are looked at in one pass; otherwise only those that moved.
const DENSE: usize = 8;
/// If more than one in so many boxes is new, everything is sorted afresh, if that is allowed.
const BULK: usize = 8;
/// Ends of removed boxes are swept out when they are one in so many.
const SWEEP: usize = 4;

/// How ends get into order that were never sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstSort {
    /// By insertion, as in the seed: quadratic in the number of new boxes.
    Insertion,
    /// n log n, then one sweep along an axis for the pairs.
    #[default]
    Merge,
}

/// One end of a box along an axis.
#[derive(Clone, Copy, Debug)]
struct End {
    value: Real,
    /// Twice the proxy, plus one for the upper end; from [`GONE`] on: nobody.
    owner: u32,
}

impl End {
    /// Lower ends before equal upper ones: boxes that touch overlap.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        self.value < other.value || self.value == other.value && self.owner & 1 < other.owner & 1
    }
}

/// Sorted ends along every axis, pairs by swaps.
#[derive(Clone, Debug, Default)]
pub struct BroadPhaseSortAndSweep<D: Dim> {
    first_sort: FirstSort,
    /// Ends along each axis, in order.
    axes: [Vec<End>; 3],
    /// Where the lower and the upper end of each proxy are, along each axis.
    places: [Vec<[u32; 2]>; 3],
    pairs: PairSet,
    /// Proxies without ends yet.
    new: Vec<u32>,
    /// Boxes in the lists, and ends of boxes that are gone.
    count: usize,
    gone: usize,
    swaps: u64,
    tested: u64,
    _dimension: core::marker::PhantomData<D>,
}

/// The parts of the method that a swap needs.
struct Sorter<'a, D: Dim> {
    ends: &'a mut [End],
    places: &'a mut [[u32; 2]],
    pairs: &'a mut PairSet,
    proxies: &'a Proxies<D>,
    swaps: u64,
    tested: u64,
}

impl<D: Dim> Sorter<'_, D> {
    #[inline]
    fn put(&mut self, at: usize, end: End) {
        self.ends[at] = end;
        if end.owner < GONE {
            self.places[(end.owner >> 1) as usize][(end.owner & 1) as usize] = at as u32;
        }
    }

    /// Moves the end at `at` towards the front until it is in order.
    fn sink(&mut self, mut at: usize) {
        let end = self.ends[at];
        while at > 0 && end.is_before(&self.ends[at - 1]) {
            let other = self.ends[at - 1];
            self.pass(end.owner, other.owner);
            self.put(at, other);
            at -= 1;
        }
        self.put(at, end);
    }

    /// Moves the end at `at` towards the back until it is in order.
    fn rise(&mut self, mut at: usize) {
        let end = self.ends[at];
        while at + 1 < self.ends.len() && self.ends[at + 1].is_before(&end) {
            let other = self.ends[at + 1];
            self.pass(other.owner, end.owner);
            self.put(at, other);
            at += 1;
        }
        self.put(at, end);
    }

    /// `low` has come to lie before `high`.
    #[inline]
    fn pass(&mut self, low: u32, high: u32) {
        self.swaps += 1;
        if (low ^ high) & 1 == 0 || low >= GONE || high >= GONE {
            return;
        }
        let (a, b) = (low >> 1, high >> 1);
        if low & 1 == 0 {
            // A lower end before an upper one: they begin to overlap along this axis.
            self.tested += 1;
            if may_ever_pair(self.proxies, a, b) && self.proxies.get(a).fat.overlaps(&self.proxies.get(b).fat)
            {
                self.pairs.insert(Proxies::<D>::key(a, b));
            }
        } else {
            self.pairs.remove(Proxies::<D>::key(a, b));
        }
    }
}

/// False for pairs that no change of filters makes one.
#[inline]
fn may_ever_pair<D: Dim>(proxies: &Proxies<D>, a: u32, b: u32) -> bool {
    let (p, q) = (proxies.get(a), proxies.get(b));
    p.body != q.body && (p.kind != ProxyKind::Static || q.kind != ProxyKind::Static)
}

/// The lower and the upper end of a box along an axis.
fn ends_of<D: Dim>(proxies: &Proxies<D>, proxy: u32, axis: usize) -> [End; 2] {
    let fat = &proxies.get(proxy).fat;
    // Plus zero: there are two zeros, which count as equal.
    [
        End { value: fat.min.to_vec().get(axis) + 0.0, owner: 2 * proxy },
        End { value: fat.max.to_vec().get(axis) + 0.0, owner: 2 * proxy + 1 },
    ]
}

impl<D: Dim> BroadPhaseSortAndSweep<D> {
    /// The method with a choice of the first sort.
    pub fn new(first_sort: FirstSort) -> Self {
        Self { first_sort, ..Self::default() }
    }

    /// Runs `work` on the ends along an axis.
    fn sort(&mut self, proxies: &Proxies<D>, axis: usize, work: impl FnOnce(&mut Sorter<'_, D>)) {
        let mut sorter = Sorter {
            ends: &mut self.axes[axis],
            places: &mut self.places[axis],
            pairs: &mut self.pairs,
            proxies,
            swaps: 0,
            tested: 0,
        };
        work(&mut sorter);
        let (swaps, tested) = (sorter.swaps, sorter.tested);
        self.swaps += swaps;
        self.tested += tested;
    }

    fn make_room(&mut self, slots: usize) {
        self.pairs.resize(slots);
        for places in &mut self.places[..D::N] {
            if places.len() < slots {
                places.resize(slots, [NOWHERE; 2]);
            }
        }
    }

    fn is_sorted_in(&self, proxy: u32) -> bool {
        self.places[0].get(proxy as usize).is_some_and(|place| place[0] != NOWHERE)
    }

    /// Sorts in what is new.
    fn take_in(&mut self, proxies: &Proxies<D>) {
        if self.new.is_empty() {
            return;
        }
        self.make_room(proxies.slots().len());
        let new = core::mem::take(&mut self.new);
        self.count += new.len();
        if self.first_sort == FirstSort::Merge && new.len() * BULK > self.count {
            self.sort_afresh(proxies, &new);
        } else {
            for axis in 0..D::N {
                for &proxy in &new {
                    // The lower end first: it sinks past upper ends only, its own is not there yet.
                    for end in ends_of(proxies, proxy, axis) {
                        self.axes[axis].push(end);
                        self.sort(proxies, axis, |sorter| sorter.sink(sorter.ends.len() - 1));
                    }
                }
            }
        }
        self.new = new;
        self.new.clear();
    }

    /// Sorts all ends, and finds all pairs by one sweep along the axis where boxes are spread the most.
    fn sort_afresh(&mut self, proxies: &Proxies<D>, new: &[u32]) {
        self.drop_gone();
        let mut old: Vec<u32> =
            self.axes[0].iter().filter(|e| e.owner & 1 == 0).map(|e| e.owner >> 1).collect();
        old.extend_from_slice(new);
        self.pairs.clear();
        self.make_room(proxies.slots().len());
        let mut widest = (0, f64::NEG_INFINITY);
        for axis in 0..D::N {
            let ends = &mut self.axes[axis];
            ends.clear();
            ends.extend(old.iter().flat_map(|&proxy| ends_of(proxies, proxy, axis)));
            // DETERMINISM: of equal ends the order does not show; the pairs are a set.
            ends.sort_by(|a, b| a.value.total_cmp(&b.value).then((a.owner & 1).cmp(&(b.owner & 1))));
            for (at, end) in ends.iter().enumerate() {
                self.places[axis][(end.owner >> 1) as usize][(end.owner & 1) as usize] = at as u32;
            }
            let finite = |end: &&End| end.value.is_finite();
            let (first, last) = (ends.iter().find(finite), ends.iter().rev().find(finite));
            let spread = first.zip(last).map_or(0.0, |(a, b)| f64::from(b.value) - f64::from(a.value));
            if spread > widest.1 {
                widest = (axis, spread);
            }
        }
        let mut open: Vec<u32> = Vec::new();
        let mut slots = vec![0_u32; proxies.slots().len()];
        for end in &self.axes[widest.0] {
            let a = end.owner >> 1;
            if end.owner & 1 == 1 {
                let at = slots[a as usize];
                open.swap_remove(at as usize);
                if let Some(&last) = open.get(at as usize) {
                    slots[last as usize] = at;
                }
                continue;
            }
            self.tested += open.len() as u64;
            for &b in &open {
                if may_ever_pair(proxies, a, b) && proxies.get(a).fat.overlaps(&proxies.get(b).fat) {
                    self.pairs.insert(Proxies::<D>::key(a, b));
                }
            }
            slots[a as usize] = open.len() as u32;
            open.push(a);
        }
    }

    /// Gives the boxes that moved their new ends, and sorts.
    fn move_ends(&mut self, proxies: &Proxies<D>, moved: &[u32]) {
        let dense = moved.len() * DENSE > self.count;
        for axis in 0..D::N {
            self.sort(proxies, axis, |sorter| {
                for &proxy in moved {
                    let [low, high] = sorter.places[proxy as usize];
                    if low == NOWHERE {
                        continue;
                    }
                    let [min, max] = ends_of(proxies, proxy, axis);
                    if dense {
                        sorter.ends[low as usize].value = min.value;
                        sorter.ends[high as usize].value = max.value;
                        continue;
                    }
                    // The end that leads goes first, so that a box never has its ends the wrong way round.
                    let up = max.value > sorter.ends[high as usize].value;
                    for end in if up { [max, min] } else { [min, max] } {
                        let at = sorter.places[proxy as usize][(end.owner & 1) as usize] as usize;
                        let rises = sorter.ends[at].value < end.value;
                        sorter.ends[at].value = end.value;
                        if rises { sorter.rise(at) } else { sorter.sink(at) }
                    }
                }
                if dense {
                    (1..sorter.ends.len()).for_each(|at| sorter.sink(at));
                }
            });
        }
    }

    /// Sweeps out the ends of boxes that are gone.
    fn drop_gone(&mut self) {
        for axis in 0..D::N {
            let (ends, places) = (&mut self.axes[axis], &mut self.places[axis]);
            ends.retain(|end| end.owner < GONE);
            for (at, end) in ends.iter().enumerate() {
                places[(end.owner >> 1) as usize][(end.owner & 1) as usize] = at as u32;
            }
        }
        self.gone = 0;
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseSortAndSweep<D> {
    fn name(&self) -> &'static str {
        match self.first_sort {
            FirstSort::Merge => "sort-and-sweep",
            FirstSort::Insertion => "sort-and-sweep-insertion",
        }
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        *self = Self::new(self.first_sort);
        self.new.extend(proxies.iter().map(|(proxy, _)| proxy));
        self.take_in(proxies);
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        self.remove(proxies, proxy);
        self.new.push(proxy);
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        if !self.is_sorted_in(proxy) {
            self.new.retain(|&other| other != proxy);
            return;
        }
        self.pairs.remove_all(proxy);
        for axis in 0..D::N {
            let places = core::mem::replace(&mut self.places[axis][proxy as usize], [NOWHERE; 2]);
            for (kind, at) in places.into_iter().enumerate() {
                self.axes[axis][at as usize].owner = GONE + kind as u32;
            }
        }
        self.count -= 1;
        self.gone += 1;
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], _executor: &dyn Executor) {
        if self.gone * SWEEP > self.count {
            self.drop_gone();
        }
        self.make_room(proxies.slots().len());
        self.take_in(proxies);
        self.move_ends(proxies, moved);
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        self.take_in(proxies);
        for &a in moved {
            let may_pair = |&key: &PairKey| {
                let (p, q) = Proxies::<D>::split(key);
                // Of two that moved, the first tells.
                (p == a || moved.binary_search(&p).is_err()) && proxies.may_pair(p, q)
            };
            out.extend(self.pairs.of(a).filter(may_pair));
        }
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        out.push(("swaps", core::mem::take(&mut self.swaps)));
        out.push(("boxes tested", core::mem::take(&mut self.tested)));
    }
}
