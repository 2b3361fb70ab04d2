//! `hash`: a hierarchy of spatial hashes, one lattice of cells for every power of two of sizes. [Teschner2003], [Ericson2005 §7.2].
//!
//! Idea: a grid without borders, whose cells exist only where something is: a cell is a number that is hashed to a list.
//! A proxy is in the lattice whose cells are just larger than its box, in the cell of its middle; so a grain and a hall each find cells of
//! their own size. Whoever looks for partners looks, in every lattice that is in use, into the cells around its box; where these
//! would be more than the lattice has members, the members are looked at instead.
//!
//! Cost: O(levels) per moved proxy and neighbour, whatever the extent of the world. It loses against trees where there
//! are many levels in use, and where a large box moves among many small ones.

use super::cells::{Cell, Chains, END, Lattice, each_cell};
use super::search::{BoxRay, Members, Search, is_within, longest};
use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Boxes that reach farther than this [m] are in a list of their own.
const REACH: Real = 1e15;
/// Smallest and largest cell, as powers of two [m].
const SMALLEST: i32 = -24;
const LARGEST: i32 = 52;
const LEVELS: usize = (LARGEST - SMALLEST + 1) as usize;
/// Cells are no smaller than coordinates divided by two to this power: below, f32 has no digits left.
const DIGITS: i32 = 24;
/// Buckets per proxy, at least; the table is doubled when there are fewer.
const BUCKETS_PER_PROXY: usize = 2;

/// Level of a proxy that is not here, and of one that is in the list of large ones.
const NOWHERE: u8 = u8::MAX;
const LARGE: u8 = u8::MAX - 1;

/// Where a proxy is.
#[derive(Clone, Copy, Debug)]
struct Home {
    cell: Cell,
    /// Place among the members of the level, or in the list of large ones.
    place: u32,
    level: u8,
}

/// One lattice.
#[derive(Clone, Debug)]
struct Level {
    members: Members,
    /// First and last cell that ever was in use.
    first: Cell,
    last: Cell,
}

impl Level {
    const EMPTY: (Cell, Cell) = ([i64::MAX; 3], [i64::MIN; 3]);
}

/// Spatial hashes for all sizes.
#[derive(Clone, Debug)]
pub struct BroadPhaseHash<D: Dim> {
    levels: Vec<Level>,
    /// Levels with members, ascending.
    used: Vec<u8>,
    /// First proxy of each bucket; a power of two of them.
    buckets: Vec<u32>,
    chains: Chains,
    homes: Vec<Home>,
    search: Search,
    live: usize,
    _dimension: core::marker::PhantomData<D>,
}

impl<D: Dim> Default for BroadPhaseHash<D> {
    fn default() -> Self {
        let level = Level { members: Members::default(), first: Level::EMPTY.0, last: Level::EMPTY.1 };
        Self {
            levels: vec![level; LEVELS],
            used: Vec::new(),
            buckets: vec![END; 64],
            chains: Chains::default(),
            homes: Vec::new(),
            search: Search::default(),
            live: 0,
            _dimension: core::marker::PhantomData,
        }
    }
}

/// The lattice of a level.
#[inline]
fn lattice(level: u8) -> Lattice {
    Lattice { origin: [0.0; 3], size: power(SMALLEST + i32::from(level)) }
}

/// Two to the power `n`, exactly.
#[inline]
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The smallest n with 2ⁿ ≥ x, for positive x.
fn level_above(x: f64) -> i32 {
    let exponent = ((x.to_bits() >> 52) & 0x7FF) as i32 - 1023;
    exponent + i32::from(power(exponent.clamp(-1022, 1023)) < x)
}

/// Level and cell of a box.
fn level_of<D: Dim>(bounds: &Aabb<D>) -> u8 {
    let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
    let far = (0..D::N).map(|i| f64::from(min.get(i).abs().max(max.get(i).abs()))).fold(0.0, f64::max);
    let exponent = level_above(longest(bounds)).max(level_above(far) - DIGITS);
    (exponent.clamp(SMALLEST, LARGEST) - SMALLEST) as u8
}

impl<D: Dim> BroadPhaseHash<D> {
    #[inline]
    fn bucket(&self, level: u8, cell: Cell) -> usize {
        let mut h = u64::from(level).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for x in &cell[..D::N] {
            h = (h ^ *x as u64).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
            h ^= h >> 32;
        }
        h as usize & (self.buckets.len() - 1)
    }

    fn home(&self, proxy: u32) -> Home {
        let nowhere = Home { cell: [0; 3], place: 0, level: NOWHERE };
        self.homes.get(proxy as usize).copied().unwrap_or(nowhere)
    }

    fn put_in(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let slots = proxies.slots().len();
        if self.homes.len() < slots {
            self.homes.resize(slots, Home { cell: [0; 3], place: 0, level: NOWHERE });
            self.chains.resize(slots);
        }
        self.live += 1;
        if self.live * BUCKETS_PER_PROXY > self.buckets.len() {
            self.grow();
        }
        let bounds = &proxies.get(proxy).fat;
        if !is_within(bounds, REACH) {
            let place = self.search.large.add(proxy);
            self.homes[proxy as usize] = Home { cell: [0; 3], place, level: LARGE };
            return;
        }
        let level = level_of(bounds);
        let cell = lattice(level).cell_of(bounds);
        let here = &mut self.levels[usize::from(level)];
        if here.members.as_slice().is_empty() {
            (here.first, here.last) = Level::EMPTY;
            let at = self.used.partition_point(|&other| other < level);
            self.used.insert(at, level);
        }
        for axis in 0..3 {
            here.first[axis] = here.first[axis].min(cell[axis]);
            here.last[axis] = here.last[axis].max(cell[axis]);
        }
        let place = here.members.add(proxy);
        self.homes[proxy as usize] = Home { cell, place, level };
        let bucket = self.bucket(level, cell);
        self.chains.push(&mut self.buckets[bucket], proxy);
    }

    fn take_out(&mut self, proxy: u32) {
        let home = self.home(proxy);
        if home.level == NOWHERE {
            return;
        }
        self.homes[proxy as usize].level = NOWHERE;
        self.live -= 1;
        let members = if home.level == LARGE {
            &mut self.search.large
        } else {
            let bucket = self.bucket(home.level, home.cell);
            self.chains.take(&mut self.buckets[bucket], proxy);
            &mut self.levels[usize::from(home.level)].members
        };
        if let Some(other) = members.take(home.place) {
            self.homes[other as usize].place = home.place;
        }
        if home.level != LARGE && members.as_slice().is_empty() {
            self.used.retain(|&level| level != home.level);
        }
    }

    /// More buckets.
    fn grow(&mut self) {
        let count = self.buckets.len() * 4;
        self.buckets.clear();
        self.buckets.resize(count, END);
        for index in 0..self.used.len() {
            let level = self.used[index];
            for at in 0..self.levels[usize::from(level)].members.as_slice().len() {
                let proxy = self.levels[usize::from(level)].members.as_slice()[at];
                let bucket = self.bucket(level, self.homes[proxy as usize].cell);
                self.chains.push(&mut self.buckets[bucket], proxy);
            }
        }
    }

    /// Calls `visit` for the proxies in one cell, until it returns false. False if it did.
    #[inline]
    fn each_in_cell(&self, level: u8, cell: Cell, visit: &mut impl FnMut(u32) -> bool) -> bool {
        let mut proxy = self.buckets[self.bucket(level, cell)];
        while proxy != END {
            let home = &self.homes[proxy as usize];
            // Other cells may share the bucket.
            if home.level == level && home.cell == cell && !visit(proxy) {
                return false;
            }
            proxy = self.chains.next(proxy);
        }
        true
    }

    /// Calls `visit` for all proxies of a level in a range of cells; for all members, if these are fewer. Adds to the
    /// number of cells. False if `visit` returned false, which ends it.
    fn each_in_range(
        &self,
        level: u8,
        low: Cell,
        high: Cell,
        cells: &mut u64,
        visit: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let members = self.levels[usize::from(level)].members.as_slice();
        let count = (0..D::N).map(|axis| (high[axis] - low[axis] + 1) as f64).product::<f64>();
        if count > members.len() as f64 {
            *cells += 1;
            let is_in =
                |cell: Cell| (0..D::N).all(|axis| low[axis] <= cell[axis] && cell[axis] <= high[axis]);
            return members.iter().all(|&proxy| !is_in(self.homes[proxy as usize].cell) || visit(proxy));
        }
        *cells += count as u64;
        each_cell(low, high, |cell| self.each_in_cell(level, cell, visit))
    }

    /// Calls `visit` for all that may overlap `bounds` but for the large ones, until it returns false. False if it did.
    fn each(&self, bounds: &Aabb<D>, cells: &mut u64, visit: &mut impl FnMut(u32) -> bool) -> bool {
        self.used.iter().all(|&level| {
            let here = &self.levels[usize::from(level)];
            let (low, high) = lattice(level).around(bounds, here.first, here.last);
            self.each_in_range(level, low, high, cells, visit)
        })
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseHash<D> {
    fn name(&self) -> &'static str {
        "hash"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        *self = Self::default();
        proxies.iter().for_each(|(proxy, _)| self.put_in(proxies, proxy));
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
        self.put_in(proxies, proxy);
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], _executor: &dyn Executor) {
        for &proxy in moved {
            let (home, bounds) = (self.home(proxy), &proxies.get(proxy).fat);
            let stays = home.level < LARGE
                && is_within(bounds, REACH)
                && level_of(bounds) == home.level
                && lattice(home.level).cell_of(bounds) == home.cell;
            if !stays {
                self.take_out(proxy);
                self.put_in(proxies, proxy);
            }
        }
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        let mut search = core::mem::take(&mut self.search);
        let mut hunt = search.begin(proxies, moved, out);
        for &a in moved.iter().filter(|&&a| self.home(a).level != LARGE) {
            let mut cells = 0;
            self.each(&proxies.get(a).fat, &mut cells, &mut |b| hunt.meet(a, b));
            hunt.visited(cells);
        }
        self.search = search;
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let mut test = |proxy: u32| !proxies.get(proxy).fat.overlaps(bounds) || visit(proxy);
        if self.search.each_large(&mut test) {
            self.each(bounds, &mut 0, &mut test);
        }
    }

    fn ray(
        &self,
        proxies: &Proxies<D>,
        origin: D::Point,
        direction: D::Vec,
        max: Real,
        grow: D::Vec,
        visit: &mut dyn FnMut(u32, Real) -> Real,
    ) {
        let ray = BoxRay::<D>::new(origin, direction, grow);
        let mut max = max;
        let mut test = |proxy: u32, max: Real| {
            if ray.meets(&proxies.get(proxy).fat, max) { visit(proxy, max) } else { max }
        };
        self.search.large.as_slice().iter().for_each(|&proxy| max = test(proxy, max));
        for &level in &self.used {
            let here = &self.levels[usize::from(level)];
            let members = here.members.as_slice();
            let slabs = (0..D::N).map(|axis| here.last[axis] - here.first[axis]).max().unwrap_or(0);
            if slabs > members.len() as i64 {
                members.iter().for_each(|&proxy| max = test(proxy, max));
                continue;
            }
            lattice(level).march(&ray, &mut max, here.first, here.last, false, &mut |low, high, max| {
                let mut max = max;
                self.each_in_range(level, low, high, &mut 0, &mut |proxy| {
                    max = test(proxy, max);
                    true
                });
                max
            });
        }
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        self.search.counters("cells visited", out);
    }
}
