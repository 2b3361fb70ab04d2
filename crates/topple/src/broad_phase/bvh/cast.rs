//! Questions to a tree: what overlaps a box, what does a ray meet.

use super::geometry::overlaps;
use super::tree::{Node, Tree};
use crate::math::*;

/// A stack that needs the heap only for trees of unusual depth.
struct Stack<T: Copy + Default, const N: usize> {
    near: [T; N],
    len: usize,
    far: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Stack<T, N> {
    fn new() -> Self {
        Self { near: [T::default(); N], len: 0, far: Vec::new() }
    }

    #[inline]
    fn push(&mut self, value: T) {
        if let Some(place) = self.near.get_mut(self.len) {
            *place = value;
            self.len += 1;
        } else {
            self.far.push(value);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        if self.len == N
            && let Some(value) = self.far.pop()
        {
            return Some(value);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.near[self.len])
    }
}

/// A ray as boxes are tested with it.
pub(super) struct Ray<D: Dim> {
    origin: D::Point,
    /// 1 / direction, component by component.
    inv: D::Vec,
    grow: D::Vec,
}

impl<D: Dim> Ray<D> {
    pub(super) fn new(origin: D::Point, direction: D::Vec, grow: D::Vec) -> Self {
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        Self { origin, inv, grow }
    }

    /// Where the ray enters the grown box, if it does so at `max` or before. A box in a box is never met earlier, to the
    /// last bit: every operation is monotonic.
    #[inline]
    pub(super) fn enter(&self, bounds: &Aabb<D>, max: Real) -> Option<Real> {
        let grown = Aabb::<D> { min: bounds.min - self.grow, max: bounds.max + self.grow };
        grown.ray(self.origin, self.inv, max).map(|(enter, _)| enter)
    }
}

impl<D: Dim> Tree<D> {
    /// Calls `visit` for every leaf that overlaps `bounds` until it returns false. False if it did.
    pub(super) fn query(&self, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) -> bool {
        let hit = |node: &Node<D>| overlaps(&node.bounds, bounds);
        let Some(root) = self.root().filter(|root| hit(root)) else { return true };
        if root.is_leaf() {
            return visit(root.index());
        }
        let mut stack = Stack::<u32, 64>::new();
        stack.push(root.index());
        while let Some(first) = stack.pop() {
            for node in &self.nodes[first as usize..first as usize + 2] {
                if !hit(node) {
                    continue;
                }
                if !node.is_leaf() {
                    stack.push(node.index());
                } else if !visit(node.index()) {
                    return false;
                }
            }
        }
        true
    }

    /// Calls `visit` for the leaves the ray meets before `max`, nearer boxes first; `max` becomes what it returns.
    pub(super) fn ray(&self, ray: &Ray<D>, max: &mut Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let Some(root) = self.root() else { return };
        let Some(enter) = ray.enter(&root.bounds, *max) else { return };
        let mut stack = Stack::<(u32, Real), 64>::new();
        let mut next = Some((root.link, enter));
        while let Some((link, enter)) = next {
            if enter > *max || max.is_nan() {
                next = stack.pop();
                continue;
            }
            let node = Node { link, ..Node::<D>::UNUSED };
            if node.is_leaf() {
                *max = visit(node.index(), *max);
                next = stack.pop();
                continue;
            }
            let first = node.index() as usize;
            let (a, b) = (&self.nodes[first], &self.nodes[first + 1]);
            next = match (ray.enter(&a.bounds, *max), ray.enter(&b.bounds, *max)) {
                (Some(s), Some(t)) => {
                    let (near, far) = if s <= t { ((a, s), (b, t)) } else { ((b, t), (a, s)) };
                    stack.push((far.0.link, far.1));
                    Some((near.0.link, near.1))
                }
                (Some(s), None) => Some((a.link, s)),
                (None, Some(t)) => Some((b.link, t)),
                (None, None) => stack.pop(),
            };
        }
    }
}
