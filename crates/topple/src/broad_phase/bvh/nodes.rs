//! The memory of a tree: a list of nodes that starts with a cache line.
//!
//! PERF: two siblings in space are 64 bytes. From the allocator they begin anywhere, so that the two of nearly every pair lie in two
//! lines, and each visit is two ways to memory. At 100 000 bodies that was a seventh of the time in a gas and a quarter in a pile.

use super::tree::Node;
use crate::math::*;
use crate::store::room;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// Bytes of a cache line.
const LINE: usize = 64;

/// A list of nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes<D: Dim> {
    lines: Vec<Line>,
    /// How many nodes the lines hold: all of them written.
    len: usize,
    of: PhantomData<Node<D>>,
}

impl<D: Dim> Nodes<D> {
    /// A node may begin wherever a line does.
    const FITS: () = assert!(align_of::<Node<D>>() <= LINE && LINE.is_multiple_of(align_of::<Node<D>>()));

    pub(super) fn new() -> Self {
        let () = Self::FITS;
        Self { lines: Vec::new(), len: 0, of: PhantomData }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds copies of `node`, or forgets the last ones.
    pub(super) fn resize(&mut self, len: usize, node: Node<D>) {
        let lines = (len * size_of::<Node<D>>()).div_ceil(LINE);
        if lines > self.lines.len() {
            room::fit(&mut self.lines, lines, Line([0; LINE]));
        }
        let first: *mut Node<D> = self.lines.as_mut_ptr().cast();
        for at in self.len..len {
            // SAFETY: `at` is below `len`, for which there are lines, and nodes may begin there.
            unsafe { first.add(at).write(node) };
        }
        self.len = len;
    }

    /// Adds two siblings; returns where the first one is.
    pub(super) fn push_pair(&mut self, pair: [Node<D>; 2]) -> u32 {
        let at = self.len;
        self.resize(at + 2, pair[1]);
        self[at] = pair[0];
        at as u32
    }
}

impl<D: Dim> Deref for Nodes<D> {
    type Target = [Node<D>];

    #[inline(always)]
    fn deref(&self) -> &[Node<D>] {
        // SAFETY: `len` nodes were written from the start of the lines on, which are aligned for nodes. An empty list of lines has an
        // aligned pointer too.
        unsafe { core::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<D: Dim> DerefMut for Nodes<D> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Node<D>] {
        // SAFETY: as above, and the list is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps_what_is_put_in<D: Dim>() {
        let mut nodes = Nodes::<D>::new();
        assert!(nodes.is_empty());
        for i in 0..100 {
            let pair = [2 * i, 2 * i + 1].map(|parent| Node { parent, ..Node::UNUSED });
            assert_eq!(nodes.push_pair(pair), 2 * i);
        }
        assert!(nodes.iter().enumerate().all(|(i, node)| node.parent == i as u32));
        nodes.resize(7, Node::UNUSED);
        nodes.resize(300, Node { parent: 5, ..Node::UNUSED });
        assert_eq!(nodes.len(), 300);
        assert!(nodes.iter().enumerate().all(|(i, node)| node.parent == if i < 7 { i as u32 } else { 5 }));
        assert!(nodes.as_ptr().addr().is_multiple_of(LINE), "starts with a line");
        nodes.clear();
        assert!(nodes.is_empty());
    }

    #[test]
    fn keeps_what_is_put_in_2d() {
        keeps_what_is_put_in::<D2>();
    }

    #[test]
    fn keeps_what_is_put_in_3d() {
        keeps_what_is_put_in::<D3>();
    }
}
