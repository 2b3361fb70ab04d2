//! A binary tree of boxes with one proxy in every leaf: the nodes, and how single leaves come, move and go.
//!
//! Siblings are neighbours in memory: the root is node 0, pairs of children start at even indices. A node is 24 bytes
//! in 2D and 32 in 3D, so that two siblings fill one cache line. The boxes of leaves are exact; those of inner nodes may
//! be larger than what is in them, until they are rebuilt: a leaf that moves only widens its ancestors, as far up as
//! they do not hold it anyway. So a move touches a few nodes, not all up to the root.
//!
//! The nodes above leaves that moved, came or went since the last rebuild are *stale*: their splits are out of date.
//! Once enough moves have come together they are brought up to date (`tree/stale.rs`).

mod graft;
mod stale;

use super::build::{Item, build_in_place};
use super::geometry::{area, contains, girth, is_stride, overlaps, union};
use super::nodes::Nodes;
use super::quads::Quads;
use crate::exec::Executor;
use crate::math::*;
use crate::store::room;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

/// The link is a proxy, not a pair of nodes.
pub(super) const LEAF: u32 = 1 << 31;
/// The leaf changed since pairs were last found. In inner nodes: some leaf below did, if [`Tree::is_marked`].
pub(super) const MOVED: u32 = 1 << 30;
/// A leaf in the list of stale nodes; during a rebuild, inner nodes to be taken apart.
const STALE: u32 = 1 << 29;
/// What is left for the number of a proxy or node.
pub(super) const INDEX: u32 = STALE - 1;
/// The node at the top.
pub(super) const ROOT: u32 = 0;
/// Parent of the root, and of nodes that are not in use.
const NOBODY: u32 = u32::MAX;

/// A full rebuild is due when leaves have moved so often on average, and nodes have grown by [`WEAR`]: it costs as much as some ten sweeps, and
/// boxes grow little in one step.
const MOVES_PER_REBUILD: usize = 6;
/// What a move by more than a quarter of the box counts for.
const MOVES_PER_STRIDE: usize = 2;
/// What a leaf that jumped, and now stretches its ancestors, counts for in moves.
const MOVES_PER_JUMP: usize = 16;
/// By how much the nodes must have grown in all for that, as a share of what they were [1]: where everything moves alike, the tree stays as good as it was.
const WEAR: Real = 0.05;
/// Stale leaves that are fewer than one in so many are put in anew, one by one: to take apart what is above them would take apart much of
/// the tree, and the subtrees that hang there would come to lie side by side as they are, however they overlap. More of them would spoil the tree.
const FEW_STALE: usize = 64;
/// A full rebuild is due when one in so many leaves was inserted or removed by itself.
const CHANGES_PER_REBUILD: usize = 2;

/// One ray for so many leaves pays for making quads of the tree.
const LEAVES_PER_RAY: usize = 4;

/// A box and what is in it: a proxy or two nodes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Node<D: Dim> {
    pub(super) bounds: Aabb<D>,
    /// Flags, and the proxy or the first child.
    pub(super) link: u32,
    pub(super) parent: u32,
}

impl<D: Dim> Node<D> {
    pub(super) const UNUSED: Self =
        Self { bounds: Aabb::EMPTY_AT_ORIGIN, link: LEAF | INDEX, parent: NOBODY };

    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.link & LEAF != 0
    }

    #[inline]
    pub(super) fn is_moved(&self) -> bool {
        self.link & MOVED != 0
    }

    /// The proxy of a leaf, the first child of an inner node.
    #[inline]
    pub(super) fn index(&self) -> u32 {
        self.link & INDEX
    }
}

/// See the module head.
#[derive(Debug)]
pub(super) struct Tree<D: Dim> {
    /// Empty, or the root, an unused neighbour, and pairs.
    pub(super) nodes: Nodes<D>,
    leaves: usize,
    /// First nodes of unused pairs.
    free: Vec<u32>,
    /// Every node lies behind its parent in memory.
    ordered: bool,
    /// All ancestors of moved leaves are marked as moved.
    marked: bool,
    /// Many inner nodes are marked as moved.
    many_marks: bool,
    /// Leaves that moved, and nodes where leaves came and went, since the last rebuild. A hint: nodes may since have
    /// changed their place.
    stale: Vec<u32>,
    /// Moves since the last full rebuild.
    moves: usize,
    /// Of these, moves of what is in `stale`.
    stale_moves: usize,
    /// Insertions and removals since the last full rebuild.
    changes: usize,
    /// Girths of all inner nodes after the last full rebuild [m], and what sweeps have added to them since.
    cost: Real,
    grown: Real,
    /// Volumes of the trees that this one was joined of, since it was last built as a whole [m²], [m³].
    patches: Real,
    /// What this tree writes into the homes of its proxies beside the node.
    tag: u32,
    items: Vec<Item<D>>,
    /// Scratch: pairs to be reused.
    order: Vec<u32>,
    /// Scratch: memory for nodes that change their places.
    spare: Nodes<D>,
    /// The same tree with four children per node, while nothing changes.
    quads: OnceLock<Option<Quads>>,
    /// Rays since the last change, until there are quads.
    rays: AtomicU32,
    pub(super) refitted: u64,
    pub(super) rebuilt: u64,
}

impl<D: Dim> Tree<D> {
    pub(super) fn new(tag: u32) -> Self {
        Self {
            nodes: Nodes::new(),
            leaves: 0,
            free: Vec::new(),
            ordered: true,
            marked: true,
            many_marks: false,
            stale: Vec::new(),
            moves: 0,
            stale_moves: 0,
            changes: 0,
            cost: 0.0,
            grown: 0.0,
            patches: 0.0,
            tag,
            items: Vec::new(),
            order: Vec::new(),
            spare: Nodes::new(),
            quads: OnceLock::new(),
            rays: AtomicU32::new(0),
            refitted: 0,
            rebuilt: 0,
        }
    }

    /// The tree for rays, if so many were asked that it pays. Called once for every ray.
    pub(super) fn quads(&self) -> Option<&Quads> {
        if let Some(ready) = self.quads.get() {
            return ready.as_ref();
        }
        // PERF: counting locks the bus, which costs as much as a few boxes; a floor alone is never worth it.
        if self.leaves < 2 {
            return None;
        }
        let rays = self.rays.fetch_add(1, Ordering::Relaxed) as usize;
        if rays * LEAVES_PER_RAY < self.leaves {
            return None;
        }
        self.quads.get_or_init(|| Quads::new(&self.nodes)).as_ref()
    }

    /// True if there is a tree for rays now.
    #[cfg(test)]
    pub(super) fn is_collapsed(&self) -> bool {
        self.quads.get().is_some()
    }

    /// To be called before any box or link changes.
    #[inline]
    fn change(&mut self) {
        if self.quads.get().is_some() {
            self.quads.take();
        }
        *self.rays.get_mut() = 0;
    }

    pub(super) fn clear(&mut self) {
        self.change();
        self.nodes.clear();
        self.free.clear();
        self.stale.clear();
        (self.leaves, self.ordered, self.marked) = (0, true, true);
        (self.moves, self.stale_moves, self.changes) = (0, 0, 0);
        (self.cost, self.grown, self.patches) = (0.0, 0.0, 0.0);
    }

    pub(super) fn len(&self) -> usize {
        self.leaves
    }

    pub(super) fn root(&self) -> Option<&Node<D>> {
        self.nodes.first()
    }

    /// Adds a leaf beside the node where that costs the least area, and marks it moved.
    pub(super) fn insert(&mut self, proxy: u32, bounds: Aabb<D>, homes: &mut [u32]) {
        self.put(Node { bounds, link: proxy | LEAF | MOVED, parent: NOBODY }, ROOT, homes);
    }

    /// Adds a leaf beside the node, at `top` or below, where that costs the least area.
    fn put(&mut self, leaf: Node<D>, top: u32, homes: &mut [u32]) {
        self.change();
        let (proxy, bounds) = (leaf.index(), leaf.bounds);
        self.leaves += 1;
        if self.nodes.is_empty() {
            self.nodes.push_pair([leaf, Node::UNUSED]);
            homes[proxy as usize] = self.tag;
            return;
        }
        let at = self.best_sibling(top, proxy, &bounds);
        let pair = self.free.pop().unwrap_or_else(|| self.nodes.push_pair([Node::UNUSED; 2]));
        let mut old = self.nodes[at as usize];
        // Only leaves are stale in the list; the list now names their parent.
        old.link &= !STALE;
        self.ordered &= at < pair && old.is_leaf();
        self.nodes[pair as usize] = Node { parent: at, ..old };
        self.nodes[pair as usize + 1] = Node { parent: at, ..leaf };
        let joint = &mut self.nodes[at as usize];
        joint.link = pair;
        joint.bounds = union(&old.bounds, &bounds);
        self.adopt(pair, homes);
        self.adopt(pair + 1, homes);
        self.widen(old.parent, &bounds);
        let mut up = if leaf.is_moved() { at } else { NOBODY };
        while up != NOBODY && !self.nodes[up as usize].is_moved() {
            self.nodes[up as usize].link |= MOVED;
            up = self.nodes[up as usize].parent;
        }
        self.stale.push(at);
        self.changes += 1;
    }

    /// Descends as long as that adds less area than a new parent here.
    fn best_sibling(&self, top: u32, proxy: u32, bounds: &Aabb<D>) -> u32 {
        let mut at = top;
        let mut coin = proxy.wrapping_mul(0x9E37_79B9) | 1;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let here = area(&union(&node.bounds, bounds));
            let grown = here - area(&node.bounds);
            let cost = |child: u32| {
                let child = &self.nodes[child as usize];
                let with = area(&union(&child.bounds, bounds));
                grown + if child.is_leaf() { with } else { with - area(&child.bounds) }
            };
            let first = node.index();
            let (a, b) = (cost(first), cost(first + 1));
            if here < a && here < b {
                return at;
            }
            // Equal boxes: a fixed coin, lest they form a chain.
            coin = coin.rotate_left(1);
            at = if a < b || a == b && coin & 1 == 0 { first } else { first + 1 };
        }
    }

    /// Takes a leaf out; its sibling takes the place of their parent. Ancestors keep their boxes until they are rebuilt.
    pub(super) fn remove(&mut self, leaf: u32, homes: &mut [u32]) {
        debug_assert!(self.nodes[leaf as usize].is_leaf());
        self.change();
        self.leaves -= 1;
        let parent = self.nodes[leaf as usize].parent;
        if parent == NOBODY {
            return self.clear();
        }
        let sibling = self.nodes[leaf as usize ^ 1];
        let joint = &mut self.nodes[parent as usize];
        *joint = Node { parent: joint.parent, ..sibling };
        self.ordered &= sibling.is_leaf();
        self.adopt(parent, homes);
        let pair = leaf & !1;
        self.nodes[pair as usize..pair as usize + 2].fill(Node::UNUSED);
        self.free.push(pair);
        self.stale.push(parent);
        self.changes += 1;
    }

    /// Gives a leaf its new box. True if the box is so far from the old one that the leaf is better taken out and
    /// inserted again; nothing was changed then.
    #[must_use]
    pub(super) fn move_leaf(&mut self, leaf: u32, bounds: &Aabb<D>) -> bool {
        self.change();
        let node = &mut self.nodes[leaf as usize];
        if !overlaps(&node.bounds, bounds) {
            return true;
        }
        node.bounds = *bounds;
        if node.link & STALE == 0 {
            self.stale.push(leaf);
        }
        node.link |= MOVED | STALE;
        let parent = node.parent;
        self.widen(parent, bounds);
        self.marked = false;
        self.moves += 1;
        self.stale_moves += 1;
        false
    }

    /// Makes a node and its ancestors hold `bounds`.
    fn widen(&mut self, mut up: u32, bounds: &Aabb<D>) {
        while up != NOBODY && !contains(&self.nodes[up as usize].bounds, bounds) {
            let node = &mut self.nodes[up as usize];
            node.bounds = union(&node.bounds, bounds);
            up = node.parent;
            self.refitted += 1;
        }
    }

    /// Gives a leaf its new box and leaves its ancestors to [`Self::sweep`] or a rebuild, one of which must follow.
    #[inline]
    pub(super) fn set_leaf(&mut self, leaf: u32, bounds: &Aabb<D>) {
        self.change();
        let node = &mut self.nodes[leaf as usize];
        self.moves += if !overlaps(&node.bounds, bounds) {
            MOVES_PER_JUMP
        } else if is_stride(&node.bounds, bounds) {
            MOVES_PER_STRIDE
        } else {
            1
        };
        node.bounds = *bounds;
        node.link |= MOVED;
    }

    /// Marks a leaf as moved.
    pub(super) fn mark(&mut self, leaf: u32) {
        let link = &mut self.nodes[leaf as usize].link;
        // A leaf that is marked already has said so to its ancestors, if all have.
        self.marked &= *link & MOVED != 0;
        *link |= MOVED;
    }

    /// Forgets that these leaves, which are all that did, moved.
    pub(super) fn clear_moved(&mut self, leaves: &[u32]) {
        if self.many_marks {
            return self.clear_all_moved();
        }
        leaves.iter().for_each(|&leaf| self.nodes[leaf as usize].link &= !MOVED);
        self.marked = true;
    }

    /// True if all ancestors of moved leaves are marked as moved.
    pub(super) fn is_marked(&self) -> bool {
        self.marked
    }

    /// After node `at` got a new link: tells what it links to where it is now.
    fn adopt(&mut self, at: u32, homes: &mut [u32]) {
        let node = self.nodes[at as usize];
        let index = node.index() as usize;
        if node.is_leaf() {
            homes[index] = at | self.tag;
        } else {
            self.nodes[index].parent = at;
            self.nodes[index + 1].parent = at;
        }
    }

    /// After a few changes: rebuilds what is stale, if it is time.
    pub(super) fn refresh(&mut self, homes: &mut [u32], executor: &dyn Executor) {
        // To take a leaf out of n, of which m are stale, means to take apart about log2(n / m) nodes.
        let nodes_each = (self.leaves / self.stale.len().max(1)).max(1).ilog2() as usize;
        let is_due = self.stale_moves >= self.stale.len() * (MOVES_PER_REBUILD + nodes_each);
        if self.changes * CHANGES_PER_REBUILD > self.leaves || is_due && self.stale.len() * 2 > self.leaves {
            self.rebuild(0, core::iter::empty(), homes, executor);
        } else if is_due && self.stale.len() * FEW_STALE < self.leaves {
            self.reinsert_stale(homes);
        } else if is_due && !self.stale.is_empty() {
            self.rebuild_stale(homes);
        }
    }

    /// As [`Self::refresh`], after most leaves were set by [`Self::set_leaf`].
    pub(super) fn refresh_all(&mut self, homes: &mut [u32], executor: &dyn Executor) {
        let is_worn = self.moves >= self.leaves * MOVES_PER_REBUILD && self.grown > WEAR * self.cost;
        if is_worn || self.changes * CHANGES_PER_REBUILD > self.leaves {
            return self.rebuild(0, core::iter::empty(), homes, executor);
        }
        if !self.ordered {
            self.put_in_order(homes);
        }
        self.sweep();
    }

    /// Gives all pairs new places, so that every node lies behind its parent: that of the tree, left before right.
    ///
    /// PERF: where a few come in every step, as in rain, it is a copy instead of a build, which took 5 % of the instructions of a step.
    fn put_in_order(&mut self, homes: &mut [u32]) {
        self.change();
        let mut old = core::mem::replace(&mut self.nodes, core::mem::take(&mut self.spare));
        self.nodes.clear();
        self.nodes.resize(2 * self.leaves, Node::UNUSED);
        self.nodes[0] = Node { parent: NOBODY, ..old[0] };
        self.free.clear();
        self.stale.clear();
        let mut next = 2;
        let mut waiting = core::mem::take(&mut self.order);
        waiting.clear();
        waiting.push(ROOT);
        while let Some(at) = waiting.pop() {
            let node = &mut self.nodes[at as usize];
            let index = node.index();
            if node.is_leaf() {
                homes[index as usize] = at | self.tag;
                if node.link & STALE != 0 {
                    self.stale.push(at);
                }
                continue;
            }
            node.link = node.link & !INDEX | next;
            for side in 0..2 {
                self.nodes[(next + side) as usize] = Node { parent: at, ..old[(index + side) as usize] };
            }
            waiting.extend([next + 1, next]);
            next += 2;
        }
        self.ordered = true;
        self.order = waiting;
        old.clear();
        self.spare = old;
    }

    /// Refits every node with a moved child, from the end of memory to the start, and marks it.
    fn sweep(&mut self) {
        let (mut refitted, mut grown) = (0, 0.0);
        for pair in (1..self.nodes.len() / 2).rev() {
            let (rest, pair) = self.nodes.split_at_mut(2 * pair);
            let (a, b) = (&pair[0], &pair[1]);
            if (a.link | b.link) & MOVED == 0 {
                continue;
            }
            let parent = &mut rest[a.parent as usize];
            let bounds = union(&a.bounds, &b.bounds);
            grown += girth(&bounds) - girth(&parent.bounds);
            parent.bounds = bounds;
            parent.link |= MOVED;
            refitted += 1;
        }
        (self.marked, self.many_marks) = (true, true);
        self.refitted += refitted;
        self.grown += grown;
    }

    /// Forgets that anything moved.
    pub(super) fn clear_all_moved(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.link &= !MOVED);
        (self.marked, self.many_marks) = (true, false);
    }

    /// Builds the whole tree from its leaves and `more`, of which there are `most` or fewer.
    pub(super) fn rebuild(
        &mut self,
        most: usize,
        more: impl Iterator<Item = Item<D>>,
        homes: &mut [u32],
        executor: &dyn Executor,
    ) {
        self.items.clear();
        room::make_room(&mut self.items, self.leaves + most);
        // Leaves in the order of memory, which after the last rebuild was that of space.
        let leaves = self.nodes.iter().filter(|node| node.is_leaf() && node.index() != INDEX);
        self.items.extend(leaves.map(|node| Item { bounds: node.bounds, link: node.link & !STALE }));
        debug_assert_eq!(self.items.len(), self.leaves);
        self.items.extend(more);
        self.clear();
        self.leaves = self.items.len();
        if self.leaves == 0 {
            return;
        }
        self.nodes.resize(2 * self.leaves, Node::UNUSED);
        build_in_place(&mut self.items, &mut self.nodes, executor);
        for at in 0..self.nodes.len() {
            if at != 1 {
                self.adopt(at as u32, homes);
            }
        }
        self.nodes[0].parent = NOBODY;
        self.cost = self.nodes.iter().filter(|node| !node.is_leaf()).map(|node| girth(&node.bounds)).sum();
        self.many_marks = true;
        self.rebuilt += self.leaves as u64;
    }

    /// Panics unless the tree is one: links and parents agree, boxes hold their contents.
    pub(super) fn validate(&self, homes: &[u32]) {
        let mut leaves = 0;
        let mut stack = Vec::new();
        stack.extend(self.root().map(|_| 0_u32));
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                assert_eq!(homes[node.index() as usize], at | self.tag);
                leaves += 1;
                continue;
            }
            assert!(node.link & STALE == 0);
            for child in [node.index(), node.index() + 1] {
                let below = &self.nodes[child as usize];
                assert_eq!(below.parent, at);
                assert!(!self.ordered || child > at);
                assert!(node.bounds.contains(&below.bounds));
                assert!(!self.marked || node.is_moved() || !below.is_moved());
                stack.push(child);
            }
        }
        assert_eq!(leaves, self.leaves);
        assert_eq!(self.nodes.len(), 2 * (leaves + self.free.len()));
    }
}
