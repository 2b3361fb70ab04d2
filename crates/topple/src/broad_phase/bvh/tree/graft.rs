//! Many leaves come at once: they are built into a tree of their own, which is joined with the one that is there.
//!
//! What is created one after the other mostly stands close together, so that the parts of a world that is being filled are trees side by side.
//! Where they are not, because bodies are strewn at random, they overlap: the tree is a patchwork, and is built as a whole before the next search.

use super::{MOVED, NOBODY, Node, ROOT, STALE, Tree};
use crate::broad_phase::bvh::build::{Item, build_behind};
use crate::broad_phase::bvh::geometry::union;
use crate::math::*;

/// How many times the volume of the whole (in the plane: the area) its patches may fill [1]. Side by side they fill less than one, layers of a heap with
/// their margins a little more.
const PATCHES: Real = 1.5;

impl<D: Dim> Tree<D> {
    /// Adds leaves, as a tree of their own beside the node where that costs the least area.
    pub(in crate::broad_phase::bvh) fn graft(
        &mut self,
        leaves: impl Iterator<Item = Item<D>>,
        homes: &mut [u32],
    ) {
        self.items.clear();
        self.items.extend(leaves);
        let count = self.items.len();
        if count == 0 {
            return;
        }
        self.change();
        if self.nodes.is_empty() {
            self.nodes.resize(2, Node::UNUSED);
            self.leaves = 0;
        }
        // The pair that joins both comes first, then those of the new tree; alone, it hangs on the root.
        let pair = self.nodes.len();
        let joins = usize::from(self.leaves > 0);
        let more = 2 * (count - 1 + joins);
        // With room for as many again: the last ones, in the first step, are fewer.
        self.nodes.warm(pair + 2 * more);
        self.nodes.resize(pair + more, Node::UNUSED);
        let first = pair + 2 * joins;
        let root = build_behind(&mut self.items, &mut self.nodes[first..], first as u32);
        self.patches += volume(&root.bounds);
        if joins == 0 {
            self.nodes[ROOT as usize] = root;
            self.adopt(ROOT, homes);
        } else {
            let pair = pair as u32;
            let at = self.best_sibling(ROOT, pair, &root.bounds);
            let old = self.nodes[at as usize];
            let link = old.link & !STALE;
            self.nodes[pair as usize] = Node { parent: at, link, ..old };
            self.nodes[pair as usize + 1] = Node { parent: at, ..root };
            let joint = &mut self.nodes[at as usize];
            (joint.link, joint.bounds) = (pair, union(&old.bounds, &root.bounds));
            self.adopt(pair, homes);
            self.adopt(pair + 1, homes);
            self.widen(old.parent, &root.bounds);
            self.ordered &= old.is_leaf();
            let mut up = at;
            while up != NOBODY && !self.nodes[up as usize].is_moved() {
                self.nodes[up as usize].link |= MOVED;
                up = self.nodes[up as usize].parent;
            }
        }
        (first..self.nodes.len()).for_each(|at| self.adopt(at as u32, homes));
        self.leaves += count;
        self.many_marks = true;
        self.rebuilt += count as u64;
    }

    /// True if the parts that the tree was joined of lie across each other.
    pub(in crate::broad_phase::bvh) fn is_patchwork(&self) -> bool {
        self.root().is_some_and(|root| self.patches > PATCHES * volume(&root.bounds))
    }
}

/// Product of the sides [m²], [m³].
fn volume<D: Dim>(bounds: &Aabb<D>) -> Real {
    let size = bounds.size();
    (1..D::N).fold(size.get(0), |product, i| product * size.get(i))
}

#[cfg(test)]
mod tests {
    use crate::broad_phase::{BroadPhase, BroadPhaseBvh, Proxies, Proxy, ProxyKind};
    use crate::exec::Serial;
    use crate::math::*;

    /// More than three patches, and a rest.
    const COUNT: u32 = 1900;

    /// A world that is filled proxy by proxy, static ones among them, some taken out again: what waits in the list, hangs in a patch or is built as a whole is found
    /// alike, by queries and as pairs. Returns the leaves that were built in the first search.
    fn is_filled_bit_by_bit<D: Dim>(place: impl Fn(u32) -> D::Vec) -> u64 {
        let bounds = |i: u32| Aabb::<D>::around(place(i).into(), D::Vec::splat(0.6));
        let slots = (0..COUNT).map(|i| Proxy::<D> {
            fat: bounds(i),
            body: i,
            kind: if i % 9 == 4 { ProxyKind::Static } else { ProxyKind::Dynamic },
            ..Proxy::default()
        });
        let proxies = Proxies::from_slots(slots.collect());
        let mut method = BroadPhaseBvh::<D>::default();
        method.attach(&Proxies::from_slots(Vec::new()));
        let mut is_in = vec![false; COUNT as usize];
        for i in 0..COUNT {
            method.insert(&proxies, i);
            is_in[i as usize] = true;
            if i % 37 == 20 {
                method.remove(&proxies, i - 15);
                is_in[i as usize - 15] = false;
            }
            if i % 100 == 3 {
                method.validate();
                let around = bounds(i / 2).grown(2.0);
                let mut found = Vec::new();
                method.query(&proxies, &around, &mut |proxy| {
                    found.push(proxy);
                    true
                });
                found.sort_unstable();
                let is_met = |&j: &u32| is_in[j as usize] && proxies.get(j).fat.overlaps(&around);
                assert_eq!(found, (0..COUNT).filter(is_met).collect::<Vec<_>>(), "after {i}");
            }
        }
        method.counters(&mut Vec::new());
        let moved: Vec<u32> = (0..COUNT).filter(|&i| is_in[i as usize]).collect();
        let mut found = Vec::new();
        method.find_pairs(&proxies, &moved, &Serial, &mut found);
        method.validate();
        found.sort_unstable();
        // If both moved, a static one and another find each other.
        found.dedup();
        let mut expected = Vec::new();
        for (at, &b) in moved.iter().enumerate() {
            let pairs = moved[..at].iter().filter(|&&a| proxies.is_pair(a, b));
            expected.extend(pairs.map(|&a| Proxies::<D>::key(a, b)));
        }
        expected.sort_unstable();
        assert!(expected.len() > COUNT as usize / 2, "{} pairs", expected.len());
        assert!(found == expected, "{} pairs instead of {}", found.len(), expected.len());
        let mut counters = Vec::new();
        method.counters(&mut counters);
        counters.iter().find(|(name, _)| *name == "leaves rebuilt").unwrap().1
    }

    /// Layer by layer the patches stand on each other, and the first search builds the last one alone; strewn in any order, they are no tree.
    fn layers_are_kept_and_a_muddle_is_built_anew<D: Dim>() {
        let side = if D::N == 2 { 60_u32 } else { 16 };
        let at = |i: u32| {
            let mut at = D::Vec::ZERO;
            at.set(0, (i % side) as Real);
            at.set(1, (i / side.pow(D::N as u32 - 1)) as Real);
            if D::N == 3 {
                at.set(2, (i / side % side) as Real);
            }
            at
        };
        let built = is_filled_bit_by_bit::<D>(at);
        assert!(built < 512, "{built} leaves built in the first search");
        // 1 009 and the number of proxies have no common factor.
        let built = is_filled_bit_by_bit::<D>(|i| at(i * 1009 % COUNT));
        assert!(built > 1500, "{built} leaves built in the first search");
    }

    #[test]
    fn layers_are_kept_and_a_muddle_is_built_anew_2d() {
        layers_are_kept_and_a_muddle_is_built_anew::<D2>();
    }

    #[test]
    fn layers_are_kept_and_a_muddle_is_built_anew_3d() {
        layers_are_kept_and_a_muddle_is_built_anew::<D3>();
    }
}
