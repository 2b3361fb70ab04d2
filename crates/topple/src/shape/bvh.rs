//! A bounding volume tree over things that never move against each other: the triangles of a mesh, the segments of a
//! chain.
//!
//! Built once, by the surface area heuristic over bins; walked without recursion and without allocation. Nodes lie in
//! depth-first order: the first child follows its parent. The order of the visits depends on the geometry alone.

use crate::math::*;

/// Items in a leaf at most.
pub(super) const LEAF_SIZE: usize = 4;
/// Bins per axis in which splits are sought.
const BINS: usize = 12;
/// From this depth on ranges are halved, whatever the heuristic says, so that the stack below suffices.
const MAX_UNEVEN_DEPTH: usize = 48;
/// No tree is deeper: uneven depth, and as many halvings as an index has bits.
pub(super) const MAX_DEPTH: usize = MAX_UNEVEN_DEPTH + 32;
/// Room for the nodes still to visit.
const STACK: usize = MAX_DEPTH;

/// A node: a leaf with `count` items from `first` on, or an inner node (`count` 0) whose second child is `first`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node<D: Dim> {
    bounds: Aabb<D>,
    first: u32,
    count: u32,
}

/// The tree. Item numbers are those of the boxes it was built from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StaticBvh<D: Dim> {
    nodes: Vec<Node<D>>,
    items: Vec<u32>,
}

impl<D: Dim> StaticBvh<D> {
    /// A tree over `boxes`, which must be finite.
    pub(crate) fn new(boxes: &[Aabb<D>]) -> Self {
        let mut builder = Builder {
            boxes,
            centers: boxes.iter().map(|b| b.center().to_vec()).collect(),
            nodes: Vec::with_capacity(2 * boxes.len() / LEAF_SIZE + 1),
            items: (0..boxes.len() as u32).collect(),
        };
        if !boxes.is_empty() {
            builder.build(0, boxes.len(), 0);
        }
        Self { nodes: builder.nodes, items: builder.items }
    }

    /// Box around everything; nothing for an empty tree.
    pub(crate) fn bounds(&self) -> Aabb<D> {
        self.nodes.first().map_or_else(Aabb::nothing, |node| node.bounds)
    }

    /// The items of node `index`, of which 0 is the root; None for one that has two halves.
    pub(crate) fn items_of(&self, index: u32) -> Option<&[u32]> {
        let node = &self.nodes[index as usize];
        let first = node.first as usize;
        (node.count > 0).then(|| &self.items[first..first + node.count as usize])
    }

    /// The two halves of a node that has no items of its own.
    pub(crate) fn halves_of(&self, index: u32) -> [u32; 2] {
        [index + 1, self.nodes[index as usize].first]
    }

    /// Box around a node.
    pub(crate) fn bounds_of(&self, index: u32) -> Aabb<D> {
        self.nodes[index as usize].bounds
    }

    /// Calls `visit` for the items of all leaves whose boxes, and those of all nodes above, `enter` accepts.
    #[inline]
    pub(crate) fn walk(&self, mut enter: impl FnMut(&Aabb<D>) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack = [0_u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let index = stack[height];
            let node = &self.nodes[index as usize];
            if !enter(&node.bounds) {
                continue;
            }
            if node.count > 0 {
                let first = node.first as usize;
                self.items[first..first + node.count as usize].iter().for_each(|&item| visit(item));
            } else {
                // The first child on top: items come in the order of the tree.
                stack[height] = node.first;
                stack[height + 1] = index + 1;
                height += 2;
            }
        }
    }

    /// Nearest first: `bound` is a lower limit of the cost of everything in a box; `visit` is given an item and the best
    /// cost so far and returns the new best. Boxes whose limit is above the best are passed over.
    pub(crate) fn search(
        &self,
        start: Real,
        bound: impl Fn(&Aabb<D>) -> Real,
        mut visit: impl FnMut(u32, Real) -> Real,
    ) {
        let mut stack = [(0_u32, 0.0); STACK];
        let mut height = 0;
        let mut best = start;
        if let Some(root) = self.nodes.first() {
            stack[0] = (0, bound(&root.bounds));
            height = 1;
        }
        while height > 0 {
            height -= 1;
            let (index, limit) = stack[height];
            // Boxes out of reach have an infinite limit; the comparison is false for one that is not a number.
            if !(limit <= best && limit < Real::INFINITY) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                let first = node.first as usize;
                for &item in &self.items[first..first + node.count as usize] {
                    best = visit(item, best);
                }
                continue;
            }
            let near = (index + 1, bound(&self.nodes[index as usize + 1].bounds));
            let far = (node.first, bound(&self.nodes[node.first as usize].bounds));
            let (near, far) = if far.1 < near.1 { (far, near) } else { (near, far) };
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
    }
}

struct Builder<'a, D: Dim> {
    boxes: &'a [Aabb<D>],
    centers: Vec<D::Vec>,
    nodes: Vec<Node<D>>,
    items: Vec<u32>,
}

impl<D: Dim> Builder<'_, D> {
    fn build(&mut self, from: usize, to: usize, depth: usize) {
        let bounds = self.union(from, to);
        let index = self.nodes.len();
        self.nodes.push(Node { bounds, first: from as u32, count: (to - from) as u32 });
        if to - from <= LEAF_SIZE {
            return;
        }
        let middle = self.split(from, to, depth);
        self.nodes[index].count = 0;
        self.build(from, middle, depth + 1);
        self.nodes[index].first = self.nodes.len() as u32;
        self.build(middle, to, depth + 1);
    }

    fn union(&self, from: usize, to: usize) -> Aabb<D> {
        let boxes = self.items[from..to].iter().map(|&i| &self.boxes[i as usize]);
        boxes.fold(Aabb::nothing(), |sum, b| sum.union(b))
    }

    /// Reorders a range and returns where its second half starts.
    fn split(&mut self, from: usize, to: usize, depth: usize) -> usize {
        let centers = self.items[from..to].iter().map(|&i| D::Point::from_vec(self.centers[i as usize]));
        let spread = Aabb::<D>::of_points(centers);
        let size = spread.size();
        let axis = (1..D::N).fold(0, |best, i| if size.get(i) > size.get(best) { i } else { best });
        if depth < MAX_UNEVEN_DEPTH
            && size.get(axis) > 0.0
            && let Some(limit) = self.best_bin(from, to, axis, &spread)
        {
            let bin_of = binning::<D>(&spread, axis);
            let centers = &self.centers;
            let part = &mut self.items[from..to];
            // A stable partition, so that the order does not depend on the details of a sort.
            let (low, high): (Vec<u32>, Vec<u32>) =
                part.iter().partition(|&&i| bin_of(centers[i as usize]) < limit);
            if !low.is_empty() && !high.is_empty() {
                part[..low.len()].copy_from_slice(&low);
                part[low.len()..].copy_from_slice(&high);
                return from + low.len();
            }
        }
        let centers = &self.centers;
        let by_center = |&i: &u32, &j: &u32| {
            let (x, y) = (centers[i as usize].get(axis), centers[j as usize].get(axis));
            x.total_cmp(&y).then(i.cmp(&j))
        };
        self.items[from..to].sort_unstable_by(by_center);
        from + (to - from) / 2
    }

    /// First bin of the second half for the split of least cost; None if all items are in one bin.
    fn best_bin(&self, from: usize, to: usize, axis: usize, spread: &Aabb<D>) -> Option<usize> {
        let bin_of = binning::<D>(spread, axis);
        let mut bins = [(Aabb::<D>::nothing(), 0_usize); BINS];
        for &item in &self.items[from..to] {
            let (bounds, count) = &mut bins[bin_of(self.centers[item as usize])];
            *bounds = bounds.union(&self.boxes[item as usize]);
            *count += 1;
        }
        let cost = |range: &[(Aabb<D>, usize)]| {
            let (bounds, count) =
                range.iter().fold((Aabb::nothing(), 0), |(b, n), (bin, count)| (b.union(bin), n + count));
            if count == 0 { None } else { Some(bounds.surface() * count as Real) }
        };
        let mut best: Option<(usize, Real)> = None;
        for limit in 1..BINS {
            let (Some(low), Some(high)) = (cost(&bins[..limit]), cost(&bins[limit..])) else { continue };
            if best.is_none_or(|(_, c)| low + high < c) {
                best = Some((limit, low + high));
            }
        }
        best.map(|(limit, _)| limit)
    }
}

/// The bin of a centre along `axis`.
fn binning<D: Dim>(spread: &Aabb<D>, axis: usize) -> impl Fn(D::Vec) -> usize {
    let low = spread.min.to_vec().get(axis);
    let scale = BINS as Real / spread.size().get(axis);
    move |center| (((center.get(axis) - low) * scale) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(count: usize) -> Vec<Aabb<D3>> {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as Real / (1 << 24) as Real
        };
        (0..count)
            .map(|_| {
                let center = Vec3::new(next(), next(), next()) * 20.0;
                Aabb::around(center.into(), Vec3::new(next(), next(), next()) * 0.5)
            })
            .collect()
    }

    #[test]
    fn finds_exactly_the_overlapping_boxes() {
        let all = boxes(1000);
        let tree = StaticBvh::<D3>::new(&all);
        assert_eq!(tree.bounds(), all.iter().fold(Aabb::nothing(), |s, b| s.union(b)));
        for query in boxes(50) {
            let mut found = Vec::new();
            tree.walk(
                |b| b.overlaps(&query),
                |i| {
                    if all[i as usize].overlaps(&query) {
                        found.push(i as usize);
                    }
                },
            );
            found.sort_unstable();
            let expected: Vec<usize> = (0..all.len()).filter(|&i| all[i].overlaps(&query)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn search_finds_the_nearest_and_does_not_look_everywhere() {
        let all = boxes(4000);
        let tree = StaticBvh::<D3>::new(&all);
        let p = Vec3::new(3.0, 12.0, 7.0);
        let distance = |b: &Aabb<D3>| (b.center().to_vec() - p).length();
        let near = |b: &Aabb<D3>| {
            let (low, high) = (b.min.to_vec(), b.max.to_vec());
            (p.clamp(low, high) - p).length()
        };
        let mut looked = 0;
        let mut best = (0, Real::INFINITY);
        tree.search(Real::INFINITY, near, |i, so_far| {
            looked += 1;
            let d = distance(&all[i as usize]);
            if d < best.1 {
                best = (i as usize, d);
            }
            d.min(so_far)
        });
        let expected = (0..all.len()).min_by(|&i, &j| distance(&all[i]).total_cmp(&distance(&all[j])));
        assert_eq!(Some(best.0), expected);
        assert!(looked < 400, "{looked} of 4000 looked at");
    }

    #[test]
    fn equal_boxes_are_halved() {
        let same = vec![Aabb::<D2>::around(Vec2::ONE.into(), Vec2::ONE); 1000];
        let tree = StaticBvh::<D2>::new(&same);
        let mut count = 0;
        tree.walk(|_| true, |_| count += 1);
        assert_eq!(count, 1000);
        assert_eq!(StaticBvh::<D2>::new(&[]).nodes.len(), 0);
    }
}
