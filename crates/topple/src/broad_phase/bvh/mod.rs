//! `bvh`: bounding volume hierarchies, the default. One tree for static proxies and one for those that move.
//!
//! Moved leaves widen their ancestors; now and then what is stale is put in anew, or taken apart and built anew, or the whole tree, if
//! most of it moved (`tree.rs`, `build.rs`). Pairs are found from what moved alone (`pairs.rs`), so static and sleeping
//! bodies cost nothing; those of a world that begins, in which all is new, by sort and sweep (`sweep.rs`). Questions are answered in `cast.rs`, many rays in
//! `quads.rs`. New proxies wait in a list until the next update, or until they are many: then they are built into a tree of their own, which is
//! grafted onto the large one (`tree/graft.rs`), so that a world is built as it is filled, not in its first step. Boxes without bounds (planes) are in a list of their own.
//!
//! Complexity: update O(m) amortised, pairs O(m log n + pairs) for m moved of n; O(n + pairs) if most moved.
//!
//! DETERMINISM: trees depend on the history of boxes alone, never on threads. The pairs depend on neither, once sorted.
//!
//! PERF: `docs/benchmarks/broad-phase.md`, by `cargo run --release -p topple-bench -- broad-phase`. What grows with the
//! number of bodies is mostly the way to memory, and in piles the share of bodies that have neighbours on all sides.
//!
//! Tried without gain: a cache line of its own for each pair of siblings in 2D (10 % slower); siblings compared in a
//! pile of which 30 % moves (twice the time); `f32::min` in unions (builds 5–10 % slower).

mod build;
mod cast;
mod geometry;
mod nodes;
mod pairs;
mod quads;
mod slabs;
mod sweep;
mod tree;

use super::{BroadPhase, PairKey, Proxies, ProxyKind};
use crate::exec::{Executor, Serial};
use crate::math::*;
use crate::store::room;
use crate::trusted::prefetch;
use build::Item;
use core::ops::Range;
use geometry::is_bounded;
use pairs::{Search, Seeds};
use slabs::Ray;
use std::sync::Mutex;
use sweep::Sweep;
use tree::{INDEX, LEAF, MOVED, Tree};

/// Where a proxy is: the two high bits of its home; the rest says where there.
const MOVING: u32 = 0;
const STATIC: u32 = 1 << 30;
const PENDING: u32 = 2 << 30;
const UNBOUNDED: u32 = 3 << 30;
const KIND: u32 = 3 << 30;
/// Not here at all.
const NOWHERE: u32 = u32::MAX;

/// One in so many leaves must be new, or far from where it was, for the tree to be built as a whole.
const BULK: usize = 8;
/// So many proxies do not wait any longer in a list that queries must read through.
const MAX_PENDING: usize = 512;
/// When more than one in so many leaves moved, all nodes are refitted, in the order of memory, and siblings are compared
/// instead of single leaves with the root.
const DENSE: usize = 4;
/// The latter pays later where bodies are crowded, which means that a moved one has so many pairs in the plane, and in space.
const DENSE_CROWD: usize = 2;
const CROWD: [Real; 2] = [3.0, 0.5];
/// How many moves ahead memory is asked for what a move needs next.
const AHEAD: usize = 6;
/// Pairs of nodes per piece of the search. Those near the root have many times as much to look at as others.
const PIECE: usize = 128;

/// A part of the search.
enum Piece {
    /// Pairs of nodes of the moving tree.
    Siblings(Range<usize>),
    /// Boxes of the moving tree in order along an axis.
    Sweep(Range<usize>),
    /// Moved leaves of the moving tree, against that tree.
    Within(Range<usize>),
    /// Moved leaves of the moving tree, against the static tree.
    OnStatic(Range<usize>),
    /// Moved leaves of the static tree, against the moving tree.
    Static(Range<usize>),
}

/// Bounding volume hierarchies, one for static proxies and one for those that move: the default. Static and sleeping
/// bodies cost nothing per step; any mix of sizes, planes, jumps and crowds is fine.
#[derive(Debug)]
pub struct BroadPhaseBvh<D: Dim> {
    moving: Tree<D>,
    fixed: Tree<D>,
    /// Where each proxy is.
    homes: Vec<u32>,
    pending: Vec<u32>,
    unbounded: Vec<u32>,
    /// Scratch: proxies that went far.
    far: Vec<u32>,
    /// What the last update was told.
    updated: Vec<u32>,
    /// Scratch of the search: moved leaves, per tree; what pieces find.
    leaves: [Vec<u32>; 2],
    searches: Vec<Mutex<Search>>,
    /// Leaves that came into the moving tree many at once since the last search.
    fresh: usize,
    /// The boxes of the moving tree in order, if all of it is new; only during the search.
    sweep: Option<Sweep>,
    /// In the last search that tells.
    is_crowded: bool,
    visited: u64,
    tested: u64,
}

impl<D: Dim> Default for BroadPhaseBvh<D> {
    fn default() -> Self {
        Self {
            moving: Tree::new(MOVING),
            fixed: Tree::new(STATIC),
            homes: Vec::new(),
            pending: Vec::new(),
            unbounded: Vec::new(),
            far: Vec::new(),
            updated: Vec::new(),
            leaves: [Vec::new(), Vec::new()],
            searches: Vec::new(),
            fresh: 0,
            sweep: None,
            is_crowded: false,
            visited: 0,
            tested: 0,
        }
    }
}

impl<D: Dim> BroadPhaseBvh<D> {
    fn home(&self, proxy: u32) -> u32 {
        self.homes.get(proxy as usize).copied().unwrap_or(NOWHERE)
    }

    fn set_home(&mut self, proxy: u32, home: u32) {
        let index = proxy as usize;
        if index >= self.homes.len() {
            self.homes.resize(index + 1, NOWHERE);
        }
        self.homes[index] = home;
    }

    /// Takes a proxy out of wherever it is.
    fn take_out(&mut self, proxy: u32) {
        let home = self.home(proxy);
        if home == NOWHERE {
            return;
        }
        self.homes[proxy as usize] = NOWHERE;
        let at = home & !KIND;
        match home & KIND {
            MOVING => self.moving.remove(at, &mut self.homes),
            STATIC => self.fixed.remove(at, &mut self.homes),
            kind => {
                let list = if kind == PENDING { &mut self.pending } else { &mut self.unbounded };
                list.swap_remove(at as usize);
                if let Some(&last) = list.get(at as usize) {
                    self.homes[last as usize] = home;
                }
            }
        }
    }

    /// Puts a proxy that is nowhere into the list it belongs to.
    fn put_in(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let (list, kind) = if is_bounded(&proxies.get(proxy).fat) {
            (&mut self.pending, PENDING)
        } else {
            (&mut self.unbounded, UNBOUNDED)
        };
        list.push(proxy);
        let home = kind | (list.len() as u32 - 1);
        self.set_home(proxy, home);
    }

    /// Has the processor fetch what the next moves touch: boxes and homes first, then the leaves, then their parents.
    ///
    /// PERF: each waits for the one before, and where the tree is larger than the caches every one of them is a wait for memory.
    #[inline(always)]
    fn look_ahead(&self, proxies: &Proxies<D>, moved: &[u32]) {
        let leaf = |ahead: usize| {
            let home = moved.get(ahead).map_or(NOWHERE, |&proxy| self.home(proxy));
            let nodes = if home & KIND == STATIC { &self.fixed.nodes } else { &self.moving.nodes };
            (&nodes[..], home & !KIND)
        };
        if let Some(&proxy) = moved.get(3 * AHEAD) {
            proxies.prefetch_box(proxy);
            prefetch(&self.homes, proxy as usize);
        }
        let (nodes, at) = leaf(2 * AHEAD);
        prefetch(nodes, at as usize);
        let (nodes, at) = leaf(AHEAD);
        if let Some(node) = nodes.get(at as usize) {
            prefetch(nodes, node.parent as usize);
        }
    }

    /// Gives moved proxies their boxes; those that went far are left to `far`, others change their list. In `dense` mode
    /// leaves of the moving tree are left to [`Tree::refresh_all`].
    fn move_leaves(&mut self, proxies: &Proxies<D>, moved: &[u32], dense: bool) {
        self.far.clear();
        for (k, &proxy) in moved.iter().enumerate() {
            self.look_ahead(proxies, &moved[k..]);
            let home = self.home(proxy);
            let fat = &proxies.get(proxy).fat;
            let in_tree = home & KIND == MOVING || home & KIND == STATIC;
            if home == NOWHERE || is_bounded(fat) == (home & KIND == UNBOUNDED) {
                self.take_out(proxy);
                self.put_in(proxies, proxy);
            } else if dense && home & KIND == MOVING {
                self.moving.set_leaf(home & !KIND, fat);
            } else if in_tree {
                let tree = if home & KIND == MOVING { &mut self.moving } else { &mut self.fixed };
                if tree.move_leaf(home & !KIND, fat) {
                    self.far.push(proxy);
                }
            }
        }
    }

    /// Builds the proxies that wait into trees of their own and joins them with the large ones.
    fn graft(&mut self, proxies: &Proxies<D>) {
        let mut pending = core::mem::take(&mut self.pending);
        for is_static in [false, true] {
            let mine = |proxy: &&u32| (proxies.get(**proxy).kind == ProxyKind::Static) == is_static;
            let item = |&proxy: &u32| Item { bounds: proxies.get(proxy).fat, link: proxy | LEAF | MOVED };
            let tree = if is_static { &mut self.fixed } else { &mut self.moving };
            let before = tree.len();
            tree.graft(pending.iter().filter(mine).map(item), &mut self.homes);
            self.fresh += if is_static { 0 } else { tree.len() - before };
        }
        pending.clear();
        self.pending = pending;
    }

    /// Brings far and pending proxies into their trees, one by one or all at once, and refreshes the trees.
    fn flush(&mut self, proxies: &Proxies<D>, dense: bool, executor: &dyn Executor) {
        let mut far = core::mem::take(&mut self.far);
        let mut pending = core::mem::take(&mut self.pending);
        for is_static in [false, true] {
            let mine = |proxy: &&u32| (proxies.get(**proxy).kind == ProxyKind::Static) == is_static;
            let tree = if is_static { &mut self.fixed } else { &mut self.moving };
            let tag = if is_static { STATIC } else { MOVING };
            let far_here = |homes: &[u32], proxy: u32| homes[proxy as usize] & KIND == tag;
            let changed = far.iter().filter(|&&proxy| far_here(&self.homes, proxy)).count()
                + pending.iter().filter(mine).count();
            if changed * BULK > tree.len() || tree.is_patchwork() {
                if !is_static {
                    self.fresh += changed;
                }
                for &proxy in &far {
                    if far_here(&self.homes, proxy) {
                        tree.set_leaf(self.homes[proxy as usize] & !KIND, &proxies.get(proxy).fat);
                    }
                }
                let item = |&proxy: &u32| Item { bounds: proxies.get(proxy).fat, link: proxy | LEAF | MOVED };
                tree.rebuild(changed, pending.iter().filter(mine).map(item), &mut self.homes, executor);
                continue;
            }
            if dense && !is_static {
                tree.refresh_all(&mut self.homes, executor);
            }
            for &proxy in &far {
                let home = self.homes[proxy as usize];
                if home & KIND == tag {
                    tree.remove(home & !KIND, &mut self.homes);
                    tree.insert(proxy, proxies.get(proxy).fat, &mut self.homes);
                }
            }
            for &proxy in pending.iter().filter(mine) {
                tree.insert(proxy, proxies.get(proxy).fat, &mut self.homes);
            }
            if !dense || is_static {
                tree.refresh(&mut self.homes, executor);
            }
        }
        far.clear();
        pending.clear();
        (self.far, self.pending) = (far, pending);
    }

    /// Marks leaves as moved that no update has seen.
    fn mark(&mut self, moved: &[u32]) {
        for &proxy in moved {
            let home = self.home(proxy);
            let tree = match home & KIND {
                MOVING => &mut self.moving,
                STATIC => &mut self.fixed,
                _ => continue,
            };
            tree.mark(home & !KIND);
        }
    }

    /// Lists the leaves of moved proxies per tree; if they are many, in the order of memory, which is about that of space.
    fn list_leaves(&mut self, moved: &[u32], dense: bool) {
        self.leaves.iter_mut().for_each(Vec::clear);
        room::make_room(&mut self.leaves[0], moved.len());
        if dense && !moved.is_empty() {
            // So many that to look at every node takes less time than to sort them.
            let nodes = self.moving.nodes.iter().enumerate();
            let leaves = nodes.filter(|(_, node)| node.is_leaf() && node.is_moved() && node.index() != INDEX);
            self.leaves[0].extend(leaves.map(|(at, _)| at as u32));
        }
        for &proxy in moved {
            let home = self.home(proxy);
            match home & KIND {
                MOVING if !dense => self.leaves[0].push(home & !KIND),
                STATIC => self.leaves[1].push(home & !KIND),
                _ => {}
            }
        }
        // PERF: to sort the leaves of one piece costs more than it brings.
        self.leaves
            .iter_mut()
            .filter(|leaves| leaves.len() > PIECE)
            .for_each(|leaves| leaves.sort_unstable());
    }

    /// Pairs of proxies without bounds: a moved one with everything, the others with what moved.
    fn unbounded_pairs(&mut self, proxies: &Proxies<D>, moved: &[u32], out: &mut Vec<PairKey>) {
        for &a in &self.unbounded {
            let mut test = |b: u32| {
                if b != a && proxies.is_pair(a, b) {
                    out.push(Proxies::<D>::key(a, b));
                }
            };
            if moved.binary_search(&a).is_ok() {
                let all = proxies.slots().len() as u32;
                self.tested += u64::from(all);
                (0..all).for_each(&mut test);
            } else {
                self.tested += moved.len() as u64;
                moved.iter().copied().for_each(&mut test);
            }
        }
    }

    /// Calls `visit` for proxies in no tree that overlap `bounds`; false if it did not want to go on.
    fn query_listed(
        &self,
        proxies: &Proxies<D>,
        bounds: &Aabb<D>,
        visit: &mut dyn FnMut(u32) -> bool,
    ) -> bool {
        let mut listed = self.unbounded.iter().chain(&self.pending);
        listed.all(|&proxy| !proxies.get(proxy).fat.overlaps(bounds) || visit(proxy))
    }

    /// Runs one piece of the search. All pieces together look at everything that moved.
    fn search(&self, proxies: &Proxies<D>, piece: Piece, search: &mut Search) {
        let (moving, fixed) = (&self.moving.nodes[..], &self.fixed.nodes[..]);
        match piece {
            Piece::Siblings(pairs) => {
                let pairs = pairs.map(|pair| 2 * pair as u32);
                search.run(proxies, moving, moving, Seeds::Nodes, pairs.map(|first| (first, first + 1)));
            }
            Piece::Sweep(boxes) => {
                if let Some(sweep) = &self.sweep {
                    search.tested += sweep.run(boxes, proxies, &mut search.pairs);
                }
            }
            Piece::Within(leaves) => {
                search.climb(proxies, moving, &self.leaves[0][leaves]);
            }
            Piece::OnStatic(leaves) => {
                let seeds = self.leaves[0][leaves].iter().map(|&at| (at, 0));
                search.run(proxies, moving, fixed, Seeds::Leaves, seeds);
            }
            Piece::Static(leaves) => {
                let seeds = self.leaves[1][leaves].iter().map(|&at| (at, 0));
                search.run(proxies, fixed, moving, Seeds::Leaves, seeds);
            }
        }
    }

    /// The pieces of the search, by number; their cut depends on the numbers of nodes and leaves alone.
    fn piece(&self, dense: bool, mut number: usize) -> Option<Piece> {
        let mut part = |len: usize| {
            let start = number * PIECE;
            let range = (start < len).then(|| start..len.min(start + PIECE));
            number = number.wrapping_sub(len.div_ceil(PIECE));
            range
        };
        if let Some(sweep) = &self.sweep {
            if let Some(range) = part(sweep.len()) {
                return Some(Piece::Sweep(range));
            }
        } else if dense {
            // Not the root and its unused neighbour.
            if let Some(range) = part(self.moving.nodes.len() / 2) {
                return Some(Piece::Siblings(range.start.max(1)..range.end));
            }
        } else if let Some(range) = part(self.leaves[0].len()) {
            return Some(Piece::Within(range));
        }
        if self.moving.len() == 0 || self.fixed.len() == 0 {
            return None;
        }
        part(self.leaves[0].len())
            .map(Piece::OnStatic)
            .or_else(|| part(self.leaves[1].len()).map(Piece::Static))
    }

    #[cfg(test)]
    fn is_collapsed(&self) -> bool {
        self.moving.is_collapsed() || self.fixed.is_collapsed()
    }

    /// For tests: panics unless all lists and trees are consistent.
    #[doc(hidden)]
    pub fn validate(&self) {
        self.moving.validate(&self.homes);
        self.fixed.validate(&self.homes);
        for (list, kind) in [(&self.pending, PENDING), (&self.unbounded, UNBOUNDED)] {
            for (at, &proxy) in list.iter().enumerate() {
                assert_eq!(self.homes[proxy as usize], kind | at as u32);
            }
        }
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseBvh<D> {
    fn name(&self) -> &'static str {
        "bvh"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        self.moving.clear();
        self.fixed.clear();
        self.homes.clear();
        self.homes.resize(proxies.slots().len(), NOWHERE);
        self.pending.clear();
        self.unbounded.clear();
        assert!(proxies.slots().len() < INDEX as usize, "more proxies than a node can number");
        for (proxy, _) in proxies.iter() {
            self.put_in(proxies, proxy);
        }
        self.far.clear();
        self.flush(proxies, false, &Serial);
        // Nothing has moved: the world knows which pairs there are.
        self.moving.clear_all_moved();
        self.fixed.clear_all_moved();
        self.fresh = 0;
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        assert!(proxy < INDEX, "more proxies than a node can number");
        self.take_out(proxy);
        self.put_in(proxies, proxy);
        if self.pending.len() >= MAX_PENDING {
            self.graft(proxies);
        }
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], executor: &dyn Executor) {
        self.updated.clear();
        self.updated.extend_from_slice(moved);
        let dense = moved.len() * DENSE > self.moving.len();
        self.move_leaves(proxies, moved, dense);
        self.flush(proxies, dense, executor);
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        // Of a world that is being filled, the last ones too.
        if self.fresh * 2 > self.moving.len() && self.pending.len() > 1 {
            self.graft(proxies);
        }
        if !self.pending.is_empty() || self.moving.is_patchwork() || self.fixed.is_patchwork() {
            self.update(proxies, &[], executor);
        }
        if self.updated != moved {
            self.mark(moved);
        }
        self.unbounded_pairs(proxies, moved, out);
        let share = if self.is_crowded { DENSE_CROWD } else { DENSE };
        let dense = moved.len() * share > self.moving.len() && self.moving.is_marked();
        let before = out.len();
        let is_new = core::mem::take(&mut self.fresh) * 2 > self.moving.len();
        self.sweep = if dense && is_new { Sweep::of(&self.moving.nodes) } else { None };
        self.list_leaves(if dense && self.fixed.len() == 0 { &[] } else { moved }, dense);
        let pieces = (0..).take_while(|&number| self.piece(dense, number).is_some()).count();
        let mut searches = core::mem::take(&mut self.searches);
        if searches.len() < pieces {
            searches.resize_with(pieces, Mutex::default);
        }
        executor.run(pieces, &|number| {
            // Never contended: one piece, one search.
            if let (Some(piece), Ok(mut search)) = (self.piece(dense, number), searches[number].lock()) {
                self.search(proxies, piece, &mut search);
            }
        });
        // So many pairs come when a world begins, and not again.
        let is_first = self.sweep.take().is_some();
        let found = searches[..pieces].iter_mut().filter_map(|search| search.get_mut().ok());
        room::make_room(out, found.map(|search| search.pairs.len()).sum());
        for search in &mut searches[..pieces] {
            let Ok(search) = search.get_mut() else { continue };
            out.append(&mut search.pairs);
            if is_first {
                search.pairs = Vec::new();
            }
            self.visited += core::mem::take(&mut search.visited);
            self.tested += core::mem::take(&mut search.tested);
        }
        self.searches = searches;
        if moved.len() * 2 * DENSE > self.moving.len() {
            self.is_crowded = (out.len() - before) as Real > moved.len() as Real * CROWD[D::N - 2];
        }
        if dense {
            self.moving.clear_all_moved();
        } else {
            self.moving.clear_moved(&self.leaves[0]);
        }
        self.fixed.clear_moved(&self.leaves[1]);
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let _ = self.query_listed(proxies, bounds, visit)
            && self.moving.query(bounds, visit)
            && self.fixed.query(bounds, visit);
    }

    fn query_static(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let _ = self.query_listed(proxies, bounds, visit) && self.fixed.query(bounds, visit);
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
        let ray = Ray::new(origin, direction, grow);
        let mut max = max;
        for &proxy in self.unbounded.iter().chain(&self.pending) {
            if ray.enter(&proxies.get(proxy).fat, max).is_some() {
                max = visit(proxy, max);
            }
        }
        self.moving.ray(&ray, &mut max, visit);
        self.fixed.ray(&ray, &mut max, visit);
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        let mut take = |name, counter: &mut u64| out.push((name, core::mem::take(counter)));
        take("nodes visited", &mut self.visited);
        take("boxes tested", &mut self.tested);
        let (a, b) = (&mut self.moving, &mut self.fixed);
        (a.refitted, a.rebuilt) = (a.refitted + b.refitted, a.rebuilt + b.rebuilt);
        (b.refitted, b.rebuilt) = (0, 0);
        take("nodes refitted", &mut a.refitted);
        take("leaves rebuilt", &mut a.rebuilt);
    }
}
