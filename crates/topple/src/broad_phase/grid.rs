//! `grid`: a uniform grid over the occupied part of the world, each proxy in one cell. After LPC 3.5.1 and [Ericson2005 §7.1].
//!
//! Idea: what is in cells that are no neighbours cannot overlap, and in which cell a proxy is takes one division. A proxy is in the
//! cell of its middle; cells are as large as all but the largest boxes, and the largest are in a list of their own. Cells at the border hold what is
//! beyond, so that nothing is ever lost; when much is, or sizes have changed, the grid is laid out anew.
//!
//! Cost: O(1) per moved proxy and neighbour where boxes are of one size and evenly spread. It loses where sizes differ
//! much (the list of large ones, or crowded cells) and where the world is wide and empty: there are only so many cells per proxy,
//! so cells grow.

use super::cells::{Cell, Chains, END, Lattice, each_cell};
use super::search::{BoxRay, Search, is_within, longest, middle};
use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Boxes that reach farther than this [m] are in the list of large ones.
const REACH: Real = 1e15;
/// Share of the boxes that fit into a cell.
const FIT: f64 = 0.9;
/// Cells per proxy, and at least, that a grid has at most.
const CELLS_PER_PROXY: usize = 8;
const FEW_CELLS: usize = 4096;
/// The grid is laid out anew when one in so many proxies is beyond the border or too large, or as many came or went.
const STRAYS: usize = 8;

/// Home of a proxy that is not here.
const NOWHERE: u32 = u32::MAX;
/// Home of a large one: this bit and the place in the list.
const LARGE: u32 = 1 << 31;

/// A uniform grid.
#[derive(Clone, Debug)]
pub struct BroadPhaseGrid<D: Dim> {
    lattice: Lattice,
    /// Cells along each axis.
    counts: Cell,
    /// First proxy of each cell.
    heads: Vec<u32>,
    chains: Chains,
    homes: Vec<u32>,
    search: Search,
    live: usize,
    /// Since the grid was laid out: proxies beyond the border or too large that came, and all that came or went.
    strays: usize,
    changes: usize,
    laid_out: u64,
    _dimension: core::marker::PhantomData<D>,
}

impl<D: Dim> Default for BroadPhaseGrid<D> {
    fn default() -> Self {
        Self {
            lattice: Lattice { origin: [0.0; 3], size: 1.0 },
            counts: [1; 3],
            heads: vec![END],
            chains: Chains::default(),
            homes: Vec::new(),
            search: Search::default(),
            live: 0,
            strays: 0,
            changes: 0,
            laid_out: 0,
            _dimension: core::marker::PhantomData,
        }
    }
}

impl<D: Dim> BroadPhaseGrid<D> {
    fn last(&self) -> Cell {
        self.counts.map(|count| count - 1)
    }

    fn index(&self, cell: Cell) -> usize {
        ((cell[2] * self.counts[1] + cell[1]) * self.counts[0] + cell[0]) as usize
    }

    fn home(&self, proxy: u32) -> u32 {
        self.homes.get(proxy as usize).copied().unwrap_or(NOWHERE)
    }

    /// The cell a box belongs into; None if it is too large for one. True if it is beyond the border.
    fn cell_for(&self, bounds: &Aabb<D>) -> Option<(usize, bool)> {
        if !is_within(bounds, REACH) || longest(bounds) > self.lattice.size {
            return None;
        }
        let cell = self.lattice.cell_of(bounds);
        let last = self.last();
        let inside: Cell = core::array::from_fn(|axis| cell[axis].clamp(0, last[axis]));
        Some((self.index(inside), inside != cell))
    }

    fn put_in(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let slots = proxies.slots().len();
        if self.homes.len() < slots {
            self.homes.resize(slots, NOWHERE);
            self.chains.resize(slots);
        }
        self.homes[proxy as usize] = match self.cell_for(&proxies.get(proxy).fat) {
            Some((cell, is_beyond)) => {
                self.strays += usize::from(is_beyond);
                self.chains.push(&mut self.heads[cell], proxy);
                cell as u32
            }
            None => {
                self.strays += 1;
                self.search.large.add(proxy) | LARGE
            }
        };
        self.live += 1;
    }

    fn take_out(&mut self, proxy: u32) {
        let home = self.home(proxy);
        if home == NOWHERE {
            return;
        }
        self.homes[proxy as usize] = NOWHERE;
        if home & LARGE == 0 {
            self.chains.take(&mut self.heads[home as usize], proxy);
        } else if let Some(other) = self.search.large.take(home & !LARGE) {
            self.homes[other as usize] = home;
        }
        self.live -= 1;
    }

    /// Lays the grid out anew, if it is time.
    fn refresh(&mut self, proxies: &Proxies<D>) {
        if self.strays * STRAYS > self.live + FEW_CELLS / STRAYS || self.changes * STRAYS > self.live {
            self.lay_out(proxies);
        }
    }

    /// Chooses cells for what is there, and puts it into them.
    fn lay_out(&mut self, proxies: &Proxies<D>) {
        let mut sizes: Vec<f64> =
            proxies.iter().filter(|(_, p)| is_within(&p.fat, REACH)).map(|(_, p)| longest(&p.fat)).collect();
        let mut size = 1.0;
        if !sizes.is_empty() {
            let nth = ((sizes.len() - 1) as f64 * FIT) as usize;
            size = *sizes.select_nth_unstable_by(nth, f64::total_cmp).1;
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, proxy) in proxies.iter().filter(|(_, p)| is_within(&p.fat, REACH) && longest(&p.fat) <= size)
        {
            for axis in 0..D::N {
                let x = middle(&proxy.fat, axis);
                (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
            }
        }
        let limit = (proxies.iter().count() * CELLS_PER_PROXY).max(FEW_CELLS) as f64;
        // Points need cells too, of whatever size makes enough of them.
        let extent = (0..D::N).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        size = size.max(extent / limit).max(f64::from(Real::MIN_POSITIVE));
        let counts = |size: f64| -> Cell {
            core::array::from_fn(|axis| {
                if axis < D::N && high[axis] >= low[axis] {
                    ((high[axis] - low[axis]) / size) as i64 + 1
                } else {
                    1
                }
            })
        };
        while counts(size).iter().map(|&count| count as f64).product::<f64>() > limit {
            size *= 1.25;
        }
        self.lattice = Lattice { origin: low.map(|x| if x.is_finite() { x } else { 0.0 }), size };
        self.counts = counts(size);
        let cells = self.counts.iter().product::<i64>() as usize;
        self.heads.clear();
        self.heads.resize(cells, END);
        self.homes.fill(NOWHERE);
        self.search.large.clear();
        self.live = 0;
        proxies.iter().for_each(|(proxy, _)| self.put_in(proxies, proxy));
        (self.strays, self.changes) = (0, 0);
        self.laid_out += cells as u64;
    }

    /// Calls `visit` for every proxy in a range of cells, until it returns false. False if it did.
    fn each_in(&self, low: Cell, high: Cell, visit: &mut impl FnMut(u32) -> bool) -> bool {
        each_cell(low, high, |cell| {
            let mut proxy = self.heads[self.index(cell)];
            while proxy != END {
                if !visit(proxy) {
                    return false;
                }
                proxy = self.chains.next(proxy);
            }
            true
        })
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseGrid<D> {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        *self = Self::default();
        self.lay_out(proxies);
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
        self.put_in(proxies, proxy);
        self.changes += 1;
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
        self.changes += 1;
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], _executor: &dyn Executor) {
        for &proxy in moved {
            let home = self.home(proxy);
            let same = |(cell, _): (usize, bool)| cell as u32 == home;
            if !self.cell_for(&proxies.get(proxy).fat).is_some_and(same) {
                self.take_out(proxy);
                self.put_in(proxies, proxy);
            }
        }
        if !moved.is_empty() || self.changes > 0 {
            self.refresh(proxies);
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
        for &a in moved.iter().filter(|&&a| self.home(a) & LARGE == 0) {
            let (low, high) = self.lattice.around(&proxies.get(a).fat, [0; 3], self.last());
            hunt.visited((0..3).map(|axis| (high[axis] - low[axis] + 1) as u64).product());
            self.each_in(low, high, &mut |b| hunt.meet(a, b));
        }
        self.search = search;
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let mut test = |proxy: u32| !proxies.get(proxy).fat.overlaps(bounds) || visit(proxy);
        if self.search.each_large(&mut test) {
            let (low, high) = self.lattice.around(bounds, [0; 3], self.last());
            self.each_in(low, high, &mut test);
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
        self.lattice.march(&ray, &mut max, [0; 3], self.last(), true, &mut |low, high, max| {
            let mut max = max;
            self.each_in(low, high, &mut |proxy| {
                max = test(proxy, max);
                true
            });
            max
        });
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        self.search.counters("cells visited", out);
        out.push(("cells laid out", core::mem::take(&mut self.laid_out)));
    }
}
