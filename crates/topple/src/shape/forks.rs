//! The boxes of a static tree four at a time, for the question which items overlap a box: the mid phase of every contact with a mesh.
//!
//! Two levels of the binary tree make one fork, so that a walk takes half the steps and tests four boxes with the instructions
//! of one. The items have their own boxes in the last forks: nobody has to look at a triangle that is not near.

use super::bvh::{LEAF_SIZE, MAX_DEPTH, StaticBvh};
use crate::math::*;
use crate::trusted::F4;

/// Boxes in a fork.
const WIDTH: usize = 4;
/// Room for the forks still to visit: three more for every two levels of the binary tree.
const STACK: usize = (WIDTH - 1) * (MAX_DEPTH / 2 + 1) + 1;
// The items of a leaf make one fork.
const _: () = assert!(LEAF_SIZE <= WIDTH);

/// Up to four boxes. Those of lanes that are not in use are never met.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Fork {
    /// By axis, then lane [m].
    low: [[Real; WIDTH]; 3],
    high: [[Real; WIDTH]; 3],
    /// Numbers of the forks, or of the items, in the boxes.
    next: [u32; WIDTH],
    /// Lanes in use, as bits.
    used: u32,
    has_items: bool,
}

impl Fork {
    fn new<D: Dim>(boxes: &[Aabb<D>], has_items: bool) -> Self {
        let mut fork = Self {
            low: [[0.0; WIDTH]; 3],
            high: [[0.0; WIDTH]; 3],
            next: [0; WIDTH],
            used: (1 << boxes.len()) - 1,
            has_items,
        };
        for (lane, bounds) in boxes.iter().enumerate() {
            for axis in 0..D::N {
                fork.low[axis][lane] = bounds.min.to_vec().get(axis);
                fork.high[axis][lane] = bounds.max.to_vec().get(axis);
            }
        }
        fork
    }
}

/// Forks over the items of a tree, the first one on top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Forks(Vec<Fork>);

impl Forks {
    /// The forks of `tree`, which was made of `boxes`.
    pub(crate) fn new<D: Dim>(tree: &StaticBvh<D>, boxes: &[Aabb<D>]) -> Self {
        let mut forks = Self(Vec::new());
        if !boxes.is_empty() {
            forks.add(tree, boxes, 0);
        }
        forks
    }

    /// Adds the fork of a node of the tree and all below; returns its number.
    fn add<D: Dim>(&mut self, tree: &StaticBvh<D>, boxes: &[Aabb<D>], node: u32) -> u32 {
        let number = self.0.len() as u32;
        if let Some(items) = tree.items_of(node) {
            let mut own = [Aabb::<D>::nothing(); WIDTH];
            own.iter_mut().zip(items).for_each(|(own, &item)| *own = boxes[item as usize]);
            let mut fork = Fork::new(&own[..items.len()], true);
            fork.next[..items.len()].copy_from_slice(items);
            self.0.push(fork);
            return number;
        }
        let mut children = [0_u32; WIDTH];
        let mut count = 0;
        for half in tree.halves_of(node) {
            // What has two halves itself takes two lanes.
            if tree.items_of(half).is_some() {
                children[count] = half;
                count += 1;
            } else {
                let quarters = tree.halves_of(half);
                children[count..count + 2].copy_from_slice(&quarters);
                count += 2;
            }
        }
        let own = children.map(|child| tree.bounds_of(child));
        self.0.push(Fork::new(&own[..count], false));
        for lane in 0..count {
            let next = self.add(tree, boxes, children[lane]);
            self.0[number as usize].next[lane] = next;
        }
        number
    }

    /// Calls `visit` with every item whose box overlaps `bounds`, in the order of the tree.
    #[inline]
    pub(crate) fn visit<D: Dim>(&self, bounds: &Aabb<D>, mut visit: impl FnMut(u32)) {
        let (min, max) = (bounds.min.to_vec(), bounds.max.to_vec());
        let corner = |v: D::Vec| [0, 1, 2].map(|axis| F4::splat(v.get(if axis < D::N { axis } else { 0 })));
        let (low, high) = (corner(min), corner(max));
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!self.0.is_empty());
        while height > 0 {
            height -= 1;
            let fork = &self.0[stack[height] as usize];
            // Comparisons that are false for what is no number: such a box overlaps everything, as in `Aabb::overlaps`.
            let mut apart =
                F4::load(&fork.low[0]).greater(high[0]).or(low[0].greater(F4::load(&fork.high[0])));
            for axis in 1..D::N {
                let beyond = F4::load(&fork.low[axis]).greater(high[axis]);
                let before = low[axis].greater(F4::load(&fork.high[axis]));
                apart = apart.or(beyond.or(before));
            }
            let mut met = fork.used & !apart.signs();
            if fork.has_items {
                while met != 0 {
                    visit(fork.next[met.trailing_zeros() as usize]);
                    met &= met - 1;
                }
                continue;
            }
            // The first one on top: items come in the order of the tree.
            while met != 0 {
                let lane = 31 - met.leading_zeros();
                stack[height] = fork.next[lane as usize];
                height += 1;
                met ^= 1 << lane;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes<D: Dim>(count: usize, size: Real) -> Vec<Aabb<D>> {
        let mut seed = 11_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as Real / (1 << 24) as Real
        };
        let mut vector = |scale: Real| {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|axis| v.set(axis, next() * scale));
            v
        };
        (0..count).map(|_| Aabb::around(D::Point::from_vec(vector(20.0)), vector(size))).collect()
    }

    fn same_items_in_the_same_order<D: Dim>() {
        for count in [0, 1, 2, 4, 5, 9, 700] {
            let all = boxes::<D>(count, 0.7);
            let tree = StaticBvh::<D>::new(&all);
            let forks = Forks::new(&tree, &all);
            let mut queries = boxes::<D>(40, 3.0);
            let everywhere = D::Vec::splat(Real::INFINITY);
            queries.push(Aabb { min: D::Point::from_vec(-everywhere), max: D::Point::from_vec(everywhere) });
            for query in queries {
                let (mut found, mut expected) = (Vec::new(), Vec::new());
                forks.visit(&query, |item| found.push(item));
                tree.walk(|_| true, |item| expected.push(item));
                expected.retain(|&item| all[item as usize].overlaps(&query));
                assert_eq!(found, expected, "{count} boxes, {query:?}");
            }
        }
    }

    #[test]
    fn forks_find_what_the_tree_has() {
        same_items_in_the_same_order::<D2>();
        same_items_in_the_same_order::<D3>();
    }
}
