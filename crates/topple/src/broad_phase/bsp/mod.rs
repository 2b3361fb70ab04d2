//! `bsp`: a tree of planes that part space. [Fuchs1980] for boxes in motion; [Ericson2005 §8].
//!
//! Idea: a plane parts what is wholly on one side of it from what is wholly on the other; whatever meets one side only need not
//! look at the other. What the plane cuts is a third part, with planes of its own along the other axes, so that nothing is ever stored twice
//! and nothing crowds at the top. Planes stand across the axes, where boxes have their faces, and go through the median of
//! the middles. Moved boxes are sorted in from the top; crowded leaves are parted; when half of the tree has been made since it
//! was built, it is built anew.
//!
//! Cost: O(log n) to sort a box in; a search also goes into every part that was cut on its way down, which is more the denser
//! things lie. It wins where bodies come in groups with space between, as rooms of a building do.

mod cast;

use super::cells::{Chains, END};
use super::search::{BoxRay, Search, is_within, middle};
use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Boxes that reach farther than this [m] are in a list of their own.
const REACH: Real = 1e15;
/// Leaves with more proxies are parted.
const CROWD: u32 = 8;
/// A plane that cuts more than this share of a leaf is no use; it also bounds the depth of the tree.
const MOST_CUT: f64 = 0.75;
/// The tree is built anew when it has so many times the nodes it had, and these more, or as many proxies came or went.
const GROWTH: usize = 2;
const FEW_NODES: usize = 64;

const NOBODY: u32 = u32::MAX;
/// Home of a large one: this bit and the place in the list.
const LARGE: u32 = 1 << 31;
/// Axis of a leaf.
const LEAF: u8 = u8::MAX;

/// Parts of an inner node: below the plane, cut by it, above it.
const LOW: usize = 0;
const CUT: usize = 1;
const HIGH: usize = 2;

#[derive(Clone, Copy, Debug)]
struct Node {
    axis: u8,
    /// The plane: this coordinate along the axis [m].
    plane: Real,
    /// First of three parts, which are neighbours.
    parts: u32,
    /// Of a leaf: the first proxy, their number, and at how many it is to be parted.
    head: u32,
    count: u32,
    limit: u32,
}

impl Node {
    const EMPTY: Self = Self { axis: LEAF, plane: 0.0, parts: NOBODY, head: END, count: 0, limit: CROWD };

    /// In which part of an inner node a box is.
    #[inline]
    fn side<D: Dim>(&self, bounds: &Aabb<D>) -> usize {
        let axis = usize::from(self.axis);
        if bounds.max.to_vec().get(axis) < self.plane {
            LOW
        } else if bounds.min.to_vec().get(axis) > self.plane {
            HIGH
        } else {
            CUT
        }
    }
}

/// A binary space partition with a third part for what is cut.
#[derive(Clone, Debug)]
pub struct BroadPhaseBsp<D: Dim> {
    /// The root first.
    nodes: Vec<Node>,
    /// Leaf of each proxy.
    homes: Vec<u32>,
    chains: Chains,
    search: Search,
    live: usize,
    /// Nodes when the tree was built; what came and went since.
    built: usize,
    changes: usize,
    /// Scratch: proxies of a leaf that is parted, leaves to be parted.
    members: Vec<u32>,
    crowded: Vec<u32>,
    /// Scratch of the search.
    stack: Vec<u32>,
    parted: u64,
    _dimension: core::marker::PhantomData<D>,
}

impl<D: Dim> Default for BroadPhaseBsp<D> {
    fn default() -> Self {
        Self {
            nodes: vec![Node::EMPTY],
            homes: Vec::new(),
            chains: Chains::default(),
            search: Search::default(),
            live: 0,
            built: 1,
            changes: 0,
            members: Vec::new(),
            crowded: Vec::new(),
            stack: Vec::new(),
            parted: 0,
            _dimension: core::marker::PhantomData,
        }
    }
}

impl<D: Dim> BroadPhaseBsp<D> {
    fn home(&self, proxy: u32) -> u32 {
        self.homes.get(proxy as usize).copied().unwrap_or(NOBODY)
    }

    /// The leaf of a box.
    fn leaf_for(&self, bounds: &Aabb<D>) -> u32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at as usize];
            if node.axis == LEAF {
                return at;
            }
            at = node.parts + node.side(bounds) as u32;
        }
    }

    fn add_to_leaf(&mut self, leaf: u32, proxy: u32) {
        let node = &mut self.nodes[leaf as usize];
        self.chains.push(&mut node.head, proxy);
        node.count += 1;
        if node.count == node.limit + 1 {
            self.crowded.push(leaf);
        }
        self.homes[proxy as usize] = leaf;
    }

    fn put_in(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let slots = proxies.slots().len();
        if self.homes.len() < slots {
            self.homes.resize(slots, NOBODY);
            self.chains.resize(slots);
        }
        self.live += 1;
        let bounds = &proxies.get(proxy).fat;
        if is_within(bounds, REACH) {
            let leaf = self.leaf_for(bounds);
            self.add_to_leaf(leaf, proxy);
        } else {
            self.homes[proxy as usize] = self.search.large.add(proxy) | LARGE;
        }
    }

    fn take_out(&mut self, proxy: u32) {
        let home = self.home(proxy);
        if home == NOBODY {
            return;
        }
        self.live -= 1;
        self.homes[proxy as usize] = NOBODY;
        if home & LARGE != 0 {
            if let Some(other) = self.search.large.take(home & !LARGE) {
                self.homes[other as usize] = home;
            }
            return;
        }
        let node = &mut self.nodes[home as usize];
        self.chains.take(&mut node.head, proxy);
        node.count -= 1;
    }

    /// Parts crowded leaves until none is left, or builds the tree anew if it is time.
    fn refresh(&mut self, proxies: &Proxies<D>) {
        if self.nodes.len() > self.built * GROWTH + FEW_NODES || self.changes > self.live / 2 + FEW_NODES {
            self.rebuild(proxies);
            return;
        }
        while let Some(leaf) = self.crowded.pop() {
            self.part(proxies, leaf);
        }
    }

    fn rebuild(&mut self, proxies: &Proxies<D>) {
        self.nodes.clear();
        self.nodes.push(Node::EMPTY);
        self.search.large.clear();
        self.homes.fill(NOBODY);
        self.crowded.clear();
        self.live = 0;
        proxies.iter().for_each(|(proxy, _)| self.put_in(proxies, proxy));
        while let Some(leaf) = self.crowded.pop() {
            self.part(proxies, leaf);
        }
        self.built = self.nodes.len();
        self.changes = 0;
    }

    /// The plane through the median of the middles that leaves the most pairs of proxies on different sides.
    fn best_plane(&self, proxies: &Proxies<D>) -> Option<(u8, Real)> {
        let mut best = (0.0, None);
        let mut middles: Vec<f64> = Vec::with_capacity(self.members.len());
        for axis in 0..D::N {
            middles.clear();
            middles.extend(self.members.iter().map(|&proxy| middle(&proxies.get(proxy).fat, axis)));
            let half = middles.len() / 2;
            let plane = *middles.select_nth_unstable_by(half, f64::total_cmp).1 as Real;
            let node = Node { axis: axis as u8, plane, ..Node::EMPTY };
            let mut counts = [0.0; 3];
            self.members.iter().for_each(|&proxy| counts[node.side(&proxies.get(proxy).fat)] += 1.0);
            let parted = counts[LOW] * counts[HIGH];
            if parted > best.0 && counts[CUT] <= MOST_CUT * self.members.len() as f64 {
                best = (parted, Some((axis as u8, plane)));
            }
        }
        best.1
    }

    /// Parts a crowded leaf, if there is a plane for it.
    fn part(&mut self, proxies: &Proxies<D>, leaf: u32) {
        let node = self.nodes[leaf as usize];
        if node.axis != LEAF || node.count <= node.limit {
            return;
        }
        self.members.clear();
        let mut proxy = node.head;
        while proxy != END {
            self.members.push(proxy);
            proxy = self.chains.next(proxy);
        }
        let Some((axis, plane)) = self.best_plane(proxies) else {
            // Not before there are twice as many.
            self.nodes[leaf as usize].limit = 2 * node.count;
            return;
        };
        self.parted += 1;
        let parts = self.nodes.len() as u32;
        self.nodes.extend([Node::EMPTY; 3]);
        self.nodes[leaf as usize] = Node { axis, plane, parts, ..Node::EMPTY };
        let members = core::mem::take(&mut self.members);
        for &proxy in &members {
            let side = self.nodes[leaf as usize].side(&proxies.get(proxy).fat);
            self.add_to_leaf(parts + side as u32, proxy);
        }
        self.members = members;
    }

    /// Calls `visit` for the proxies of a leaf, until it returns false. False if it did.
    #[inline]
    fn each_in_leaf(&self, leaf: &Node, visit: &mut impl FnMut(u32) -> bool) -> bool {
        let mut proxy = leaf.head;
        while proxy != END {
            if !visit(proxy) {
                return false;
            }
            proxy = self.chains.next(proxy);
        }
        true
    }

    /// Calls `visit` for all proxies that may overlap `bounds` but for the large ones, until it returns false. Returns the nodes
    /// looked at. `stack` is scratch.
    fn walk(&self, stack: &mut Vec<u32>, bounds: &Aabb<D>, visit: &mut impl FnMut(u32) -> bool) -> u64 {
        let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
        let mut visited = 0;
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            visited += 1;
            let node: &Node = &self.nodes[at as usize];
            if node.axis == LEAF {
                if !self.each_in_leaf(node, visit) {
                    break;
                }
                continue;
            }
            let axis = usize::from(node.axis);
            stack.push(node.parts + CUT as u32);
            if min.get(axis) < node.plane {
                stack.push(node.parts + LOW as u32);
            }
            if max.get(axis) > node.plane {
                stack.push(node.parts + HIGH as u32);
            }
        }
        visited
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseBsp<D> {
    fn name(&self) -> &'static str {
        "bsp"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        *self = Self::default();
        self.rebuild(proxies);
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
            let (home, bounds) = (self.home(proxy), &proxies.get(proxy).fat);
            let stays = home != NOBODY
                && home & LARGE == 0
                && is_within(bounds, REACH)
                && self.leaf_for(bounds) == home;
            if !stays {
                self.take_out(proxy);
                self.put_in(proxies, proxy);
            }
        }
        self.refresh(proxies);
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        let mut search = core::mem::take(&mut self.search);
        let mut stack = core::mem::take(&mut self.stack);
        let mut hunt = search.begin(proxies, moved, out);
        for &a in moved.iter().filter(|&&a| self.home(a) & LARGE == 0) {
            let nodes = self.walk(&mut stack, &proxies.get(a).fat, &mut |b| hunt.meet(a, b));
            hunt.visited(nodes);
        }
        (self.search, self.stack) = (search, stack);
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let mut test = |proxy: u32| !proxies.get(proxy).fat.overlaps(bounds) || visit(proxy);
        if self.search.each_large(&mut test) {
            self.walk(&mut Vec::new(), bounds, &mut test);
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
        self.cast(&ray, &mut max, &mut test);
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        self.search.counters("nodes visited", out);
        out.push(("leaves parted", core::mem::take(&mut self.parted)));
    }
}
