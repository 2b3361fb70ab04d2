//! Questions to a tree: what overlaps a box, what does a ray meet.

use super::geometry::overlaps;
use super::tree::{INDEX, LEAF, Node, Tree};
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
    /// Parallel to no side of a box.
    is_oblique: bool,
}

impl<D: Dim> Ray<D> {
    pub(super) fn new(origin: D::Point, direction: D::Vec, grow: D::Vec) -> Self {
        let mut inv = D::Vec::ZERO;
        (0..D::N).for_each(|i| inv.set(i, 1.0 / direction.get(i)));
        Self { origin, inv, grow, is_oblique: inv.is_finite() }
    }

    /// Where the ray enters the grown box, if it does so at `max` or before: as [`Aabb::ray`], to the last bit. A box in
    /// a box is never met earlier, since every operation is monotonic.
    pub(super) fn enter_any(&self, bounds: &Aabb<D>, max: Real) -> Option<Real> {
        let grown = Aabb::<D> { min: bounds.min - self.grow, max: bounds.max + self.grow };
        grown.ray(self.origin, self.inv, max).map(|(enter, _)| enter)
    }

    /// The same for finite boxes; ∞ is a miss.
    #[inline(always)]
    fn enter(&self, bounds: &Aabb<D>, max: Real) -> Real {
        if !self.is_oblique {
            return self.enter_any(bounds, max).unwrap_or(Real::INFINITY);
        }
        let low = (bounds.min - self.grow) - self.origin;
        let high = (bounds.max + self.grow) - self.origin;
        let (mut enter, mut leave) = (0.0, max);
        for i in 0..D::N {
            let (a, b) = (low.get(i) * self.inv.get(i), high.get(i) * self.inv.get(i));
            enter = a.min(b).max(enter);
            leave = a.max(b).min(leave);
        }
        if enter <= leave { enter } else { Real::INFINITY }
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
        if ray.enter(&root.bounds, *max) == Real::INFINITY {
            return;
        }
        let mut stack = Stack::<(u32, Real), 64>::new();
        let mut link = root.link;
        loop {
            let index = link & INDEX;
            if link & LEAF != 0 {
                *max = visit(index, *max);
            } else {
                let (a, b) = (&self.nodes[index as usize], &self.nodes[index as usize + 1]);
                let (s, t) = (ray.enter(&a.bounds, *max), ray.enter(&b.bounds, *max));
                let (near, far) =
                    if s <= t { ((a.link, s), (b.link, t)) } else { ((b.link, t), (a.link, s)) };
                if far.1 < Real::INFINITY {
                    stack.push(far);
                }
                if near.1 < Real::INFINITY {
                    link = near.0;
                    continue;
                }
            }
            // The next one that is still near enough.
            link = loop {
                let Some((link, enter)) = stack.pop() else { return };
                if enter <= *max {
                    break link;
                }
            };
        }
    }
}
