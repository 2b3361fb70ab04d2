//! Finds pairs by walking two trees at once.
//!
//! The pairs between two nodes are those between their children, if the boxes overlap. From there two ways part:
//! - Many leaves moved: the pairs within a tree are those between any two siblings in it. Subtrees in which nothing
//!   moved are skipped on sight, and neighbours share the way down to where they part.
//! - Few did: each of them climbs to the root. Whatever it may meet in its own tree is below the sibling of itself or of one of its
//!   ancestors, which are tested on the way; the ancestors themselves, which hold it anyway, are not. In the other tree it starts
//!   at the root.

use super::geometry::{girth, meet};
use super::tree::{INDEX, MOVED, Node, ROOT};
use crate::broad_phase::{PairKey, Proxies};
use crate::math::*;
use crate::trusted::prefetch;

/// What one piece of the search finds and needs. Kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) pairs: Vec<PairKey>,
    /// Nodes of the first and the second tree whose boxes overlap, one of them moved, not both leaves. In the search from single leaves: a
    /// leaf, and the first child of a node.
    stack: List,
    /// Proxies whose boxes overlap; the second one with the flags of its leaf.
    candidates: List,
    pub(super) visited: u64,
    pub(super) tested: u64,
}

/// Pairs of numbers, with room behind the last one.
#[derive(Clone, Debug, Default)]
struct List {
    items: Vec<(u32, u32)>,
    len: usize,
}

/// How many pairs of nodes are opened together. One alone is a chain of loads that wait for each other; many at once
/// keep the processor busy. Taking them from the end of the list bounds its length by the depth of the trees.
const BATCH: usize = 64;

/// What a batch may add to a list.
const ROOM: usize = 2 * BATCH;

impl List {
    /// Room for a batch behind the last one.
    fn room(&mut self) -> Room<'_> {
        if self.len + ROOM > self.items.len() {
            self.items.resize(2 * self.items.len() + ROOM, (0, 0));
        }
        let (_, rest) = self.items.split_at_mut(self.len);
        Room { items: rest.first_chunk_mut().expect("resized"), len: 0 }
    }
}

/// The free end of a list.
struct Room<'a> {
    items: &'a mut [(u32, u32); ROOM],
    len: usize,
}

impl Room<'_> {
    /// Writes behind the last one; counts it if `keep`.
    #[inline(always)]
    fn push_if(&mut self, item: (u32, u32), keep: bool) {
        // The remainder is for the compiler: two per item of a batch always fit.
        self.items[self.len % ROOM] = item;
        self.len += usize::from(keep);
    }
}

/// What the seeds of a search are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Seeds {
    /// Any two nodes.
    Nodes,
    /// A moved leaf and a node.
    Leaves,
    /// A moved leaf and a node of the same tree. Of two leaves that both moved, the search from the one with the lower
    /// number finds the pair.
    OwnLeaves,
}

/// Where the results of a batch of tests go.
struct Sink<'a, D: Dim> {
    a: &'a [Node<D>],
    b: &'a [Node<D>],
    seeds: Seeds,
    stack: Room<'a>,
    candidates: Room<'a>,
}

impl<D: Dim> Sink<'_, D> {
    /// Puts a pair of nodes where it belongs, or nowhere.
    ///
    /// PERF: whether boxes overlap, and what is in them, cannot be foretold; a wrong guess of the processor costs more
    /// than all else here. Hence no branches: the pair is written to both lists, and the lengths say whether it counts.
    #[inline(always)]
    fn test(&mut self, i: u32, j: u32) {
        let (p, q) = (&self.a[i as usize], &self.b[j as usize]);
        let (hit, leaves) = (meet(p, q) & ((p.link | q.link) & MOVED != 0), p.is_leaf() & q.is_leaf());
        prefetch(self.b, q.index() as usize);
        self.stack.push_if((i, j), hit & !leaves);
        self.candidates.push_if((p.index(), q.link), hit & leaves);
    }

    /// The same for leaf i, which is `leaf`. What goes to the stack is the first child.
    #[inline(always)]
    fn test_leaf(&mut self, leaf: &Node<D>, i: u32, j: u32) {
        let q = &self.b[j as usize];
        let (hit, is_leaf) = (meet(leaf, q), q.is_leaf());
        // What is not opened need not be fetched: `i` is at hand.
        let mask = u32::from(hit & !is_leaf).wrapping_neg();
        prefetch(self.b, (i & !mask | q.index() & mask) as usize);
        self.stack.push_if((i, q.index()), hit & !is_leaf);
        self.candidates.push_if((leaf.index(), q.link), hit & is_leaf);
    }

    /// Tests one of two nodes against the children of the other; a leaf against the pair that starts with j.
    #[inline(always)]
    fn open(&mut self, i: u32, j: u32) {
        if self.seeds != Seeds::Nodes {
            let nodes = self.a;
            let leaf = &nodes[i as usize];
            self.test_leaf(leaf, i, j);
            self.test_leaf(leaf, i, j + 1);
            return;
        }
        let (p, q) = (&self.a[i as usize], &self.b[j as usize]);
        // The larger one is opened: its children are more likely to miss the other.
        let opens_p = q.is_leaf() | (!p.is_leaf() & (girth(&p.bounds) > girth(&q.bounds)));
        // All ones to open p, all zeros to open q: again no branch.
        let mask = u32::from(opens_p).wrapping_neg();
        let i = i & !mask | p.index() & mask;
        let j = j & mask | q.index() & !mask;
        self.test(i, j);
        self.test(i + (mask & 1), j + (!mask & 1));
    }
}

impl Search {
    /// Finds the pairs of moved leaves with leaves of the same tree.
    ///
    /// PERF: all leaves of a batch climb abreast, so that none waits for the parents of another. What they meet on the way is
    /// opened at the end, when there is enough of it for full batches.
    pub(super) fn climb<D: Dim>(&mut self, proxies: &Proxies<D>, nodes: &[Node<D>], leaves: &[u32]) {
        for leaves in leaves.chunks(BATCH) {
            let mut climbers = [(0, 0); BATCH];
            let mut count = 0;
            // The root alone has no sibling.
            for &leaf in leaves.iter().filter(|&&leaf| leaf != ROOT) {
                climbers[count] = (leaf, leaf);
                count += 1;
            }
            while count > 0 {
                let (stack, candidates) = (self.stack.room(), self.candidates.room());
                let mut sink = Sink { a: nodes, b: nodes, seeds: Seeds::OwnLeaves, stack, candidates };
                let mut climbing = 0;
                for k in 0..count {
                    let (leaf, at) = climbers[k];
                    sink.test_leaf(&nodes[leaf as usize], leaf, at ^ 1);
                    let parent = nodes[at as usize].parent;
                    prefetch(nodes, parent as usize);
                    climbers[climbing] = (leaf, parent);
                    climbing += usize::from(parent != ROOT);
                }
                let (opened, found) = (sink.stack.len, sink.candidates.len);
                self.stack.len += opened;
                self.candidates.len += found;
                self.visited += count as u64;
                self.tested += count as u64;
                count = climbing;
            }
            self.run(proxies, nodes, nodes, Seeds::OwnLeaves, core::iter::empty());
        }
    }

    /// Finds the pairs between the contents of node i of `a` and node j of `b` for every seed (i, j), where something
    /// moved.
    #[inline(always)]
    pub(super) fn run<D: Dim>(
        &mut self,
        proxies: &Proxies<D>,
        a: &[Node<D>],
        b: &[Node<D>],
        kind: Seeds,
        mut seeds: impl Iterator<Item = (u32, u32)>,
    ) {
        let mut batch = [(0, 0); BATCH];
        loop {
            let from_stack = self.stack.len.min(BATCH);
            self.stack.len -= from_stack;
            let end = self.stack.len + from_stack;
            batch[..from_stack].copy_from_slice(&self.stack.items[self.stack.len..end]);
            let (stack, candidates) = (self.stack.room(), self.candidates.room());
            let mut sink = Sink { a, b, seeds: kind, stack, candidates };
            if from_stack > 0 {
                batch[..from_stack].iter().for_each(|&(i, j)| sink.open(i, j));
                self.visited += from_stack as u64;
                self.tested += 2 * from_stack as u64;
            } else {
                let mut count = 0;
                for (i, j) in seeds.by_ref().take(BATCH) {
                    if kind == Seeds::Nodes {
                        sink.test(i, j);
                    } else {
                        sink.test_leaf(&a[i as usize], i, j);
                    }
                    count += 1;
                }
                if count == 0 {
                    break;
                }
                self.tested += count;
            }
            let (opened, found) = (sink.stack.len, sink.candidates.len);
            self.stack.len += opened;
            self.candidates.len += found;
            if self.candidates.len > 4 * BATCH {
                self.keep_pairs(proxies, kind);
            }
        }
        self.keep_pairs(proxies, kind);
    }

    /// Moves the candidates that may be pairs to the result.
    fn keep_pairs<D: Dim>(&mut self, proxies: &Proxies<D>, kind: Seeds) {
        let candidates = self.candidates.items[..self.candidates.len].iter();
        for (p, q) in candidates.clone() {
            proxies.prefetch_pair(*p);
            proxies.prefetch_pair(*q & INDEX);
        }
        let is_turn = |p: u32, q: u32| kind != Seeds::OwnLeaves || q & MOVED == 0 || p < q & INDEX;
        self.pairs.extend(
            candidates
                .filter(|(p, q)| is_turn(*p, *q) && proxies.may_pair(*p, *q & INDEX))
                .map(|(p, q)| Proxies::<D>::key(*p, *q & INDEX)),
        );
        self.candidates.len = 0;
    }
}
