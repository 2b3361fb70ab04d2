//! Finds pairs by walking two trees at once.
//!
//! The pairs within a tree are those between the two children of each of its inner nodes; the pairs between two nodes
//! are those between their children, if the boxes overlap. Subtrees in which nothing moved are skipped on sight, so the
//! work is that of the moved leaves; and neighbours share the way down to where they part.

use super::geometry::{area, overlaps};
use super::tree::{MOVED, Node};
use crate::broad_phase::{PairKey, Proxies};
use crate::math::*;

/// What one piece of the search finds and needs. Kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) pairs: Vec<PairKey>,
    /// Nodes of the first and the second tree whose boxes overlap, one of them moved, not both leaves. The first
    /// `open` count.
    stack: Vec<(u32, u32)>,
    open: usize,
    /// Proxies whose boxes overlap. The first `close` count.
    candidates: Vec<(u32, u32)>,
    close: usize,
    pub(super) visited: u64,
    pub(super) tested: u64,
}

/// Room that a round of the search may need.
const ROUND: usize = 2;
/// Candidates are looked at in batches: their proxies are anywhere in memory, and many loads can be under way at once.
const BATCH: usize = 256;

impl Search {
    /// Finds the pairs between the nodes `first` and `first + 1`.
    pub(super) fn within<D: Dim>(&mut self, proxies: &Proxies<D>, nodes: &[Node<D>], first: u32) {
        self.between(proxies, nodes, nodes, first, first + 1);
    }

    /// Finds the pairs between the contents of node `i` of `a` and node `j` of `b`.
    #[inline]
    pub(super) fn between<D: Dim>(
        &mut self,
        proxies: &Proxies<D>,
        a: &[Node<D>],
        b: &[Node<D>],
        i: u32,
        j: u32,
    ) {
        self.make_room(proxies);
        self.test(a, b, i, j);
        while self.open > 0 {
            self.open -= 1;
            let (i, j) = self.stack[self.open];
            self.visited += 1;
            self.make_room(proxies);
            let (p, q) = (&a[i as usize], &b[j as usize]);
            // The larger one is opened: its children are more likely to miss the other.
            let opens_p = q.is_leaf() | (!p.is_leaf() & (area(&p.bounds) > area(&q.bounds)));
            let (p_first, q_first) = (p.index(), q.index());
            let next = |k: u32| if opens_p { (p_first + k, j) } else { (i, q_first + k) };
            self.test(a, b, next(0).0, next(0).1);
            self.test(a, b, next(1).0, next(1).1);
        }
    }

    /// Puts a pair of nodes where it belongs, or nowhere.
    ///
    /// PERF: whether boxes overlap, and what is in them, cannot be foretold; a wrong guess of the processor costs more
    /// than all else here. Hence no branches: the pair is written to both lists, and the lengths say whether it counts.
    #[inline(always)]
    fn test<D: Dim>(&mut self, a: &[Node<D>], b: &[Node<D>], i: u32, j: u32) {
        let (p, q) = (&a[i as usize], &b[j as usize]);
        self.tested += 1;
        let hit = overlaps(&p.bounds, &q.bounds) & ((p.link | q.link) & MOVED != 0);
        let leaves = p.is_leaf() & q.is_leaf();
        self.stack[self.open] = (i, j);
        self.open += usize::from(hit & !leaves);
        self.candidates[self.close] = (p.index(), q.index());
        self.close += usize::from(hit & leaves);
    }

    /// Room for two more tests in both lists.
    #[inline(always)]
    fn make_room<D: Dim>(&mut self, proxies: &Proxies<D>) {
        if self.open + ROUND > self.stack.len() {
            self.stack.resize(2 * self.stack.len().max(32), (0, 0));
        }
        if self.close + ROUND > self.candidates.len() {
            self.finish(proxies);
            self.candidates.resize(BATCH, (0, 0));
        }
    }

    /// Keeps those candidates that may be pairs.
    pub(super) fn finish<D: Dim>(&mut self, proxies: &Proxies<D>) {
        let candidates = &self.candidates[..self.close];
        self.pairs.extend(
            candidates
                .iter()
                .filter(|(p, q)| proxies.may_pair(*p, *q))
                .map(|&(p, q)| Proxies::<D>::key(p, q)),
        );
        self.close = 0;
    }
}
