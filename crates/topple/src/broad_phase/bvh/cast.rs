//! Questions to a tree: what overlaps a box, what does a ray meet.

use super::geometry::overlaps;
use super::slabs::{Entry, Ray};
use super::tree::{INDEX, LEAF, Node, Tree};
use crate::math::*;
use crate::trusted::prefetch;

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

    /// [`Self::push`] that usually is no branch.
    #[inline(always)]
    fn push_if(&mut self, value: T, keep: bool) {
        if let Some(place) = self.near.get_mut(self.len) {
            *place = value;
            self.len += usize::from(keep);
        } else if keep {
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
        if !ray.is_plain {
            if ray.enter(&root.bounds, *max).is_some() {
                self.descend::<false>(root.link, ray, max, visit);
            }
        } else if let Some(quads) = self.quads() {
            quads.ray(ray, max, visit);
        } else if ray.enter_both::<true>(&[*root; 2], *max).hits != 0 {
            self.descend::<true>(root.link, ray, max, visit);
        }
    }

    /// [`Self::ray`] from the root on.
    fn descend<const PLAIN: bool>(
        &self,
        mut link: u32,
        ray: &Ray<D>,
        max: &mut Real,
        visit: &mut dyn FnMut(u32, Real) -> Real,
    ) {
        let mut stack = Stack::<(u32, Real), 64>::new();
        loop {
            let index = (link & INDEX) as usize;
            if link & LEAF != 0 {
                *max = visit(index as u32, *max);
            } else {
                let Some(pair) = self.nodes.get(index..).and_then(|nodes| nodes.first_chunk::<2>()) else {
                    return;
                };
                pair.iter().for_each(|node| prefetch(&self.nodes, node.index() as usize));
                let Entry { enter: [s, t], hits } = ray.enter_both::<PLAIN>(pair, *max);
                // PERF: without branches. Which boxes are met, and which is nearer, cannot be foretold.
                let both = hits & hits >> 1;
                let near = (hits >> 1 & (!hits | u32::from(t < s)) & 1) as usize;
                stack.push_if((pair[near ^ 1].link, if s < t { t } else { s }), both == 1);
                if hits != 0 {
                    link = pair[near].link;
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
