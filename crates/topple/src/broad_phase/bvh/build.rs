//! Builds trees from the top: splits a list of boxes in two until single ones are left.
//!
//! The split is the best of a few planes across the longest side of the middles, by the surface area heuristic: the
//! cost of a node is proportional to its area times what is in it.
//!
//! DETERMINISM: a tree over n items takes n − 1 pairs of nodes, numbered parents first, left before right. Every
//! subtree thus knows its place before it is built, and subtrees can be built at the same time.

use super::geometry::{area, high, low, middle, union};
use super::tree::{MOVED, Node};
use crate::exec::Executor;
use crate::math::*;
use std::sync::Mutex;

/// What is put into the tree: a leaf, or a whole subtree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<D: Dim> {
    pub(super) bounds: Aabb<D>,
    /// As in a node.
    pub(super) link: u32,
}

/// Planes that are tried per split, plus one.
const BINS: usize = 8;
/// Keeps the topmost centre in the last bin, whatever the rounding (no unit).
const BELOW_ONE: Real = 0.999_99;
/// So few items are cut in the middle of their middles: to compare planes would cost more than it brings.
const FEW: usize = 16;
/// Below this depth items are halved by number, so that no input makes a deep tree.
const MAX_DEPTH: u32 = 48;
/// Subtrees of at most this part of all items, and of at most `SMALL` items, are not cut further for threads.
const PARTS: usize = 16;
const SMALL: usize = 512;
/// Room for the subtrees that threads build.
const MAX_TASKS: usize = 64;

/// A range of items that becomes the contents of one node.
struct Range<'a, D: Dim> {
    items: &'a mut [Item<D>],
    bounds: Aabb<D>,
    depth: u32,
}

/// A subtree that one thread builds.
type Task<'a, D> = Mutex<Option<(Range<'a, D>, Block<'a, D>)>>;

/// Where the pairs of nodes go.
trait Place<D: Dim> {
    /// Writes the k-th pair.
    fn put(&mut self, k: usize, pair: [Node<D>; 2]);
    /// The first node of the k-th pair.
    fn id(&self, k: usize) -> u32;
}

/// Consecutive nodes.
struct Block<'a, D: Dim> {
    nodes: &'a mut [Node<D>],
    first: u32,
}

impl<D: Dim> Place<D> for Block<'_, D> {
    fn put(&mut self, k: usize, pair: [Node<D>; 2]) {
        self.nodes[2 * k..2 * k + 2].copy_from_slice(&pair);
    }
    fn id(&self, k: usize) -> u32 {
        self.first + 2 * k as u32
    }
}

/// Pairs given by a list.
struct List<'a, D: Dim> {
    nodes: &'a mut [Node<D>],
    pairs: &'a [u32],
}

impl<D: Dim> Place<D> for List<'_, D> {
    fn put(&mut self, k: usize, pair: [Node<D>; 2]) {
        let at = self.pairs[k] as usize;
        self.nodes[at..at + 2].copy_from_slice(&pair);
    }
    fn id(&self, k: usize) -> u32 {
        self.pairs[k]
    }
}

/// Builds into the given pairs, one fewer than items; returns the root. Parents are left to the caller.
pub(super) fn build_into<D: Dim>(items: &mut [Item<D>], pairs: &[u32], nodes: &mut [Node<D>]) -> Node<D> {
    let bounds = bounds_of(items);
    let mut place = List { nodes, pairs };
    build(Range { items, bounds, depth: 0 }, &mut place, 0)
}

/// Builds into `nodes`, consecutive ones from `first` on, two fewer than twice the items; returns the root. Parents are left to the caller.
pub(super) fn build_behind<D: Dim>(items: &mut [Item<D>], nodes: &mut [Node<D>], first: u32) -> Node<D> {
    let bounds = bounds_of(items);
    build(Range { items, bounds, depth: 0 }, &mut Block { nodes, first }, 0)
}

/// Builds into `nodes`, two for every item: the root, an unused one, pairs in the order of the tree. Parents are left to
/// the caller.
pub(super) fn build_in_place<D: Dim>(items: &mut [Item<D>], nodes: &mut [Node<D>], executor: &dyn Executor) {
    let small = (items.len() / PARTS).max(SMALL);
    let bounds = bounds_of(items);
    let range = Range { items, bounds, depth: 0 };
    let (root, pairs) = nodes.split_at_mut(2);
    let tasks: [Task<'_, D>; MAX_TASKS] = [const { Mutex::new(None) }; MAX_TASKS];
    let mut count = 0;
    root[0] = cut(range, Block { nodes: pairs, first: 2 }, small, &tasks, &mut count);
    executor.run(count, &|i| {
        let task = tasks[i].lock().ok().and_then(|mut task| task.take());
        if let Some((range, mut block)) = task {
            build(range, &mut block, 0);
        }
    });
}

/// Builds the top of the tree, down to subtrees that are small enough to be tasks. Returns the root.
fn cut<'a, D: Dim>(
    range: Range<'a, D>,
    block: Block<'a, D>,
    small: usize,
    tasks: &[Task<'a, D>],
    count: &mut usize,
) -> Node<D> {
    let root = node_of(&range, block.first);
    if range.items.len() < 2 {
        return root;
    }
    let first = block.first;
    if range.items.len() <= small {
        let Some(Ok(mut task)) = tasks.get(*count).map(Mutex::lock) else {
            let mut block = block;
            return build(range, &mut block, 0);
        };
        *task = Some((range, block));
        *count += 1;
        return root;
    }
    let (left, right) = split(range);
    let (own, rest) = block.nodes.split_at_mut(2);
    let (a, b) = rest.split_at_mut(2 * (left.items.len() - 1));
    let (a_first, b_first) = (first + 2, first + 2 + a.len() as u32);
    own[0] = cut(left, Block { nodes: a, first: a_first }, small, tasks, count);
    own[1] = cut(right, Block { nodes: b, first: b_first }, small, tasks, count);
    root
}

/// The node of a range whose children start at `first`; the item itself if there is only one.
fn node_of<D: Dim>(range: &Range<'_, D>, first: u32) -> Node<D> {
    if let [item] = &*range.items {
        return Node { bounds: item.bounds, link: item.link, ..Node::UNUSED };
    }
    let moved = range.items.iter().fold(0, |flags, item| flags | item.link) & MOVED;
    Node { bounds: range.bounds, link: first | moved, ..Node::UNUSED }
}

/// Builds the subtree of a range into the pairs from the k-th on; returns its root.
fn build<D: Dim>(range: Range<'_, D>, place: &mut impl Place<D>, k: usize) -> Node<D> {
    if let [item] = range.items {
        return Node { bounds: item.bounds, link: item.link, ..Node::UNUSED };
    }
    let bounds = range.bounds;
    let (left, right) = split(range);
    let after = k + left.items.len();
    let pair = [build(left, place, k + 1), build(right, place, after)];
    let moved = (pair[0].link | pair[1].link) & MOVED;
    place.put(k, pair);
    Node { bounds, link: place.id(k) | moved, ..Node::UNUSED }
}

fn bounds_of<D: Dim>(items: &[Item<D>]) -> Aabb<D> {
    items.iter().skip(1).fold(items[0].bounds, |b, item| union(&b, &item.bounds))
}

/// Cuts a range of at least two items in two that are not empty.
fn split<D: Dim>(range: Range<'_, D>) -> (Range<'_, D>, Range<'_, D>) {
    let Range { items, depth, .. } = range;
    let depth = depth + 1;
    if items.len() == 2 {
        let bounds = [items[0].bounds, items[1].bounds];
        let (a, b) = items.split_at_mut(1);
        return (Range { items: a, bounds: bounds[0], depth }, Range { items: b, bounds: bounds[1], depth });
    }
    let first = middle(&items[0].bounds);
    let (mut min, mut max) = (first, first);
    for item in items.iter() {
        let m = middle(&item.bounds);
        (min, max) = (low::<D>(min, m), high::<D>(max, m));
    }
    let size = max - min;
    let axis = (1..D::N).fold(0, |best, i| if size.get(i) > size.get(best) { i } else { best });
    let low = min.to_vec().get(axis);
    if items.len() <= FEW && depth < MAX_DEPTH {
        let half = low + 0.5 * size.get(axis);
        let mid = partition(items, |item| middle(&item.bounds).to_vec().get(axis) < half);
        if mid > 0 && mid < items.len() {
            return cut_at(items, mid, depth);
        }
    }
    let scale = BINS as Real * BELOW_ONE / size.get(axis);
    if items.len() > FEW && depth < MAX_DEPTH && scale.is_finite() {
        let bin = |item: &Item<D>| {
            // In 0..BINS by construction; `min` for the compiler.
            (((middle(&item.bounds).to_vec().get(axis) - low) * scale) as usize).min(BINS - 1)
        };
        if let Some((plane, bounds)) = best_plane(items, bin) {
            let mid = partition(items, |item| bin(item) <= plane);
            let (a, b) = items.split_at_mut(mid);
            return (
                Range { items: a, bounds: bounds[0], depth },
                Range { items: b, bounds: bounds[1], depth },
            );
        }
    }
    // All in one place, or too deep: halves.
    let key = |item: &Item<D>| middle(&item.bounds).to_vec().get(axis);
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.link.cmp(&b.link)));
    cut_at(items, half, depth)
}

fn cut_at<D: Dim>(items: &mut [Item<D>], mid: usize, depth: u32) -> (Range<'_, D>, Range<'_, D>) {
    let (a, b) = items.split_at_mut(mid);
    let bounds = [bounds_of(a), bounds_of(b)];
    (Range { items: a, bounds: bounds[0], depth }, Range { items: b, bounds: bounds[1], depth })
}

/// The last bin left of the best plane, and the boxes of both sides.
fn best_plane<D: Dim>(items: &[Item<D>], bin: impl Fn(&Item<D>) -> usize) -> Option<(usize, [Aabb<D>; 2])> {
    let nothing = Aabb::<D>::nothing();
    // PERF: neighbours in the list fall into the same bin more often than not, and each would wait for the one before. Two sets of bins
    // in turns.
    let (mut bins, mut others) = ([(nothing, 0_u32); BINS], [(nothing, 0_u32); BINS]);
    for pair in items.chunks(2) {
        for (item, bins) in pair.iter().zip([&mut bins, &mut others]) {
            let (bounds, count) = &mut bins[bin(item)];
            *bounds = union(bounds, &item.bounds);
            *count += 1;
        }
    }
    for (bin, other) in bins.iter_mut().zip(&others) {
        *bin = (union(&bin.0, &other.0), bin.1 + other.1);
    }
    // Boxes and counts of everything right of a plane.
    let mut right = [(nothing, 0_u32); BINS];
    for i in (0..BINS - 1).rev() {
        right[i] = (union(&right[i + 1].0, &bins[i + 1].0), right[i + 1].1 + bins[i + 1].1);
    }
    let (mut left, mut left_count) = (nothing, 0_u32);
    let mut best = None;
    let mut best_cost = Real::INFINITY;
    for i in 0..BINS - 1 {
        left = union(&left, &bins[i].0);
        left_count += bins[i].1;
        if left_count == 0 || right[i].1 == 0 {
            continue;
        }
        let cost = area(&left) * left_count as Real + area(&right[i].0) * right[i].1 as Real;
        if cost < best_cost {
            best_cost = cost;
            best = Some((i, [left, right[i].0]));
        }
    }
    best
}

/// Moves the items for which `is_left` holds to the front; returns how many they are.
///
/// PERF: every item is swapped to where the next left one belongs, itself included; the count says whether it stays. No
/// branch, so no wrong guesses, which cost more than the needless swaps.
fn partition<D: Dim>(items: &mut [Item<D>], is_left: impl Fn(&Item<D>) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        let stays = is_left(&items[i]);
        items.swap(i, left);
        left += usize::from(stays);
    }
    left
}
