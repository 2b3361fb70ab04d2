//! Finds the pairs of a tree in which everything is new: the first step of a world.
//!
//! To walk two trees at once pays where little has moved, or boxes are far apart. In a heap that comes into being at once each box meets a dozen
//! others, and on the way there some two hundred nodes. Instead the boxes are sorted by their lower bounds along the longest side of the
//! world, and each is compared with those after it, four at a time, until one starts behind its end (sort and sweep, [Baraff1992]).
//!
//! PERF: a pair of boxes costs some four instructions, a pair of nodes twenty-five. So a box may have a few hundred others beside it along
//! the axis; if they are more, the trees are walked.

use super::nodes::Nodes;
use super::tree::INDEX;
use crate::broad_phase::{PairKey, Proxies};
use crate::math::*;
use crate::trusted::F4;

/// Boxes that one is compared with at a time.
const LANES: usize = 4;
/// Mean number of boxes beside one along the axis beyond which the trees are walked.
const MOST_BESIDE: usize = 512;
/// Boxes of which those beside are counted, to find the mean.
const SAMPLES: usize = 64;

/// Boxes side by side: bounds along the axis, then along the others. Unused lanes start behind everything.
#[derive(Clone, Copy, Debug)]
struct Block {
    low: [[Real; LANES]; 3],
    high: [[Real; LANES]; 3],
}

/// Boxes in order of their lower bounds along an axis.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    blocks: Vec<Block>,
    proxies: Vec<u32>,
}

impl Sweep {
    /// How many boxes there are.
    pub(super) fn len(&self) -> usize {
        self.proxies.len()
    }

    /// Takes in all leaves of a tree. None if one has not moved, or too many are beside each other.
    pub(super) fn of<D: Dim>(nodes: &Nodes<D>) -> Option<Self> {
        let size = nodes.first()?.bounds.size();
        let axis = (1..D::N).fold(0, |best, i| if size.get(i) > size.get(best) { i } else { best });
        let mut order = Vec::with_capacity(nodes.len() / 2);
        for (at, node) in nodes.iter().enumerate() {
            if node.is_leaf() && node.index() != INDEX {
                if !node.is_moved() {
                    return None;
                }
                order.push(u64::from(in_order(node.bounds.min.to_vec().get(axis))) << 32 | at as u64);
            }
        }
        order.sort_unstable();
        let mut sweep = Self { blocks: Vec::with_capacity(order.len().div_ceil(LANES)), proxies: Vec::new() };
        sweep.proxies.extend(order.iter().map(|&key| nodes[key as u32 as usize].index()));
        for keys in order.chunks(LANES) {
            let mut block = Block { low: [[Real::INFINITY; LANES]; 3], high: [[Real::INFINITY; LANES]; 3] };
            for (lane, &key) in keys.iter().enumerate() {
                let bounds = &nodes[key as u32 as usize].bounds;
                for i in 0..D::N {
                    let along = (axis + i) % D::N;
                    block.low[i][lane] = bounds.min.to_vec().get(along);
                    block.high[i][lane] = bounds.max.to_vec().get(along);
                }
            }
            sweep.blocks.push(block);
        }
        (sweep.beside() <= MOST_BESIDE).then_some(sweep)
    }

    /// Mean number of boxes that start beside one, by a sample.
    fn beside(&self) -> usize {
        let samples = SAMPLES.min(self.blocks.len());
        let count = |at: usize| {
            let end = self.blocks[at].high[0][0];
            self.blocks.partition_point(|block| block.low[0][0] <= end).saturating_sub(at)
        };
        let sum: usize = (0..samples).map(|k| count(k * self.blocks.len() / samples)).sum();
        LANES * sum / samples.max(1)
    }

    /// Adds the pairs of the boxes in `range` with those after them. Returns how many boxes were compared.
    pub(super) fn run<D: Dim>(
        &self,
        range: core::ops::Range<usize>,
        proxies: &Proxies<D>,
        pairs: &mut Vec<PairKey>,
    ) -> u64 {
        let mut compared = 0;
        for i in range {
            let (first, lane) = (i / LANES, i % LANES);
            let own = &self.blocks[first];
            let (low, high) = (own.low.map(|l| F4::splat(l[lane])), own.high.map(|h| F4::splat(h[lane])));
            // Of its own block, those after it.
            let mut lanes = ALL & !((2 << lane) - 1);
            for (at, block) in self.blocks[first..].iter().enumerate() {
                let starts = F4::load(&block.low[0]).at_most(high[0]);
                let mut meets = starts;
                for k in 1..D::N {
                    meets = meets.and(F4::load(&block.low[k]).at_most(high[k]));
                    meets = meets.and(low[k].at_most(F4::load(&block.high[k])));
                }
                let mut bits = meets.signs() & lanes;
                while bits != 0 {
                    let other = (first + at) * LANES + bits.trailing_zeros() as usize;
                    let (a, b) = (self.proxies[i], self.proxies[other]);
                    if proxies.may_pair(a, b) {
                        pairs.push(Proxies::<D>::key(a, b));
                    }
                    bits &= bits - 1;
                }
                lanes = ALL;
                compared += LANES as u64;
                if starts.signs() != ALL {
                    break;
                }
            }
        }
        compared
    }
}

/// A bit for every lane.
const ALL: u32 = (1 << LANES) - 1;

/// A number that is ordered as `x` is, for finite `x`.
fn in_order(x: Real) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad_phase::bvh::tree::{LEAF, MOVED, Node};
    use crate::broad_phase::{Proxy, ProxyKind};
    use std::collections::BTreeSet;

    /// Boxes on a coarse lattice, so that many touch: each pair that overlaps is found once.
    fn finds_what_overlaps<D: Dim>(count: usize) {
        let mut seed = 3_u32;
        let mut pick = |steps: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 16) % steps) as Real
        };
        let mut nodes = Nodes::<D>::new();
        let mut slots = Vec::new();
        for i in 0..count {
            let (mut min, mut size) = (D::Vec::ZERO, D::Vec::ZERO);
            (0..D::N).for_each(|k| {
                min.set(k, pick(31) - 15.0);
                size.set(k, pick(4));
            });
            let bounds = Aabb { min: D::Point::from_vec(min), max: D::Point::from_vec(min + size) };
            let link = i as u32 | LEAF | MOVED;
            nodes.push_pair([Node::<D> { bounds, link, ..Node::UNUSED }, Node::UNUSED]);
            slots.push(Proxy { fat: bounds, body: i as u32, kind: ProxyKind::Dynamic, ..Proxy::default() });
        }
        let proxies = Proxies::from_slots(slots);
        let Some(sweep) = Sweep::of(&nodes) else {
            assert!(count == 0, "a few boxes");
            return;
        };
        assert_eq!(sweep.len(), count);
        let mut pairs = Vec::new();
        for start in (0..count).step_by(7) {
            sweep.run(start..count.min(start + 7), &proxies, &mut pairs);
        }
        let mut expected = BTreeSet::new();
        for a in 0..count as u32 {
            expected.extend((0..a).filter(|&b| proxies.is_pair(a, b)).map(|b| Proxies::<D>::key(a, b)));
        }
        assert_eq!(pairs.len(), expected.len());
        assert_eq!(pairs.into_iter().collect::<BTreeSet<_>>(), expected);
        nodes[0].link &= !MOVED;
        assert!(Sweep::of(&nodes).is_none(), "not all of it moved");
    }

    #[test]
    fn finds_what_overlaps_2d() {
        [0, 1, 3, 4, 5, 300].into_iter().for_each(finds_what_overlaps::<D2>);
    }

    #[test]
    fn finds_what_overlaps_3d() {
        [0, 1, 3, 4, 5, 300].into_iter().for_each(finds_what_overlaps::<D3>);
    }

    #[test]
    fn crowds_are_left_to_the_tree() {
        let mut nodes = Nodes::<D2>::new();
        let node = Node { link: LEAF | MOVED, ..Node::UNUSED };
        (0..2 * MOST_BESIDE + 10).for_each(|_| _ = nodes.push_pair([node, Node::UNUSED]));
        assert!(Sweep::of(&nodes).is_none());
    }

    #[test]
    fn numbers_in_order() {
        let numbers = [-1e15, -2.0, -1.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, 3.0, 1e15];
        assert!(numbers.windows(2).all(|two| in_order(two[0]) < in_order(two[1])));
    }
}
