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
    /// Nodes of the first and the second tree whose boxes overlap, one of them moved, not both leaves.
    stack: Vec<(u32, u32)>,
    pub(super) visited: u64,
    pub(super) tested: u64,
}

impl Search {
    /// Finds the pairs between the two children of inner node `at`.
    pub(super) fn within<D: Dim>(&mut self, proxies: &Proxies<D>, nodes: &[Node<D>], at: u32) {
        let first = nodes[at as usize].index();
        self.test(proxies, nodes, nodes, first, first + 1);
        self.run(proxies, nodes, nodes);
    }

    /// Finds the pairs between the contents of node `i` of `a` and node `j` of `b`.
    pub(super) fn between<D: Dim>(
        &mut self,
        proxies: &Proxies<D>,
        a: &[Node<D>],
        b: &[Node<D>],
        i: u32,
        j: u32,
    ) {
        self.test(proxies, a, b, i, j);
        self.run(proxies, a, b);
    }

    fn run<D: Dim>(&mut self, proxies: &Proxies<D>, a: &[Node<D>], b: &[Node<D>]) {
        while let Some((i, j)) = self.stack.pop() {
            self.visited += 1;
            let (p, q) = (&a[i as usize], &b[j as usize]);
            // The larger one is opened: its children are more likely to miss the other.
            if q.is_leaf() || !p.is_leaf() && area(&p.bounds) > area(&q.bounds) {
                let first = p.index();
                self.test(proxies, a, b, first, j);
                self.test(proxies, a, b, first + 1, j);
            } else {
                let first = q.index();
                self.test(proxies, a, b, i, first);
                self.test(proxies, a, b, i, first + 1);
            }
        }
    }

    #[inline(always)]
    fn test<D: Dim>(&mut self, proxies: &Proxies<D>, a: &[Node<D>], b: &[Node<D>], i: u32, j: u32) {
        let (p, q) = (&a[i as usize], &b[j as usize]);
        self.tested += 1;
        if !overlaps(&p.bounds, &q.bounds) || (p.link | q.link) & MOVED == 0 {
            return;
        }
        if p.is_leaf() && q.is_leaf() {
            if proxies.may_pair(p.index(), q.index()) {
                self.pairs.push(Proxies::<D>::key(p.index(), q.index()));
            }
        } else {
            self.stack.push((i, j));
        }
    }
}
