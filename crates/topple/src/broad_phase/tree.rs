//! `tree`: a loose quadtree, in space an octree. After LPC 3.5.1 and [Ulrich2000].
//!
//! Idea: a cube is cut into halves along every axis, these again, and so on; a proxy is in the node whose cube is just
//! larger than its box and holds its middle. Its box then is in the *loose* cube, twice as large, of that node and of all
//! nodes above; a search goes down where loose cubes meet the box it asks for. No box is ever cut or stuck at the top because it
//! lies across a boundary, which is what ails the plain tree. The root grows upwards when something is outside.
//!
//! Cost: O(log(extent / size)) per moved proxy, whatever the mix of sizes; one that stays in its cube costs nothing to move. Loose cubes
//! overlap, so a search visits more nodes than in a hierarchy of tight boxes.

use super::cells::{Chains, END};
use super::search::{BoxRay, Search, is_within, longest, middle};
use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Boxes that reach farther than this [m] are in a list of their own.
const REACH: Real = 1e12;
/// Edge of the smallest and the largest cube of a proxy, as powers of two [m].
const SMALLEST: i32 = -18;
const LARGEST: i32 = 41;
/// Cubes are numbered from minus two to this power [m] on, farther out than any proxy. One of twice that edge holds all.
const START: i32 = 43;

const NOBODY: u32 = u32::MAX;
/// Home of a large one: this bit and the place in the list.
const LARGE: u32 = 1 << 31;

/// A cube by its edge and its number along each axis; numbers are not negative, so that halving them is all it takes to
/// find the cube around.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cube {
    /// The edge is two to this power [m].
    level: i32,
    number: [u64; 3],
}

impl Cube {
    fn size(self) -> f64 {
        f64::from_bits(((self.level + 1023) as u64) << 52)
    }

    /// Number of the cube that starts at the origin.
    fn middle_number(self) -> i64 {
        1 << (START - self.level)
    }

    /// Where the cube starts along an axis [m].
    fn start(self, axis: usize) -> f64 {
        if self.level > START {
            return -0.5 * self.size();
        }
        // As whole numbers first: they have more digits than f64.
        (self.number[axis] as i64 - self.middle_number()) as f64 * self.size()
    }

    /// The cube of a box.
    fn of<D: Dim>(bounds: &Aabb<D>) -> Self {
        let size = longest(bounds);
        let exponent = ((size.to_bits() >> 52) & 0x7FF) as i32 - 1023;
        let mut cube = Self { level: exponent.clamp(SMALLEST, LARGEST), number: [0; 3] };
        if cube.size() < size {
            cube.level += 1;
        }
        let (edge, offset) = (cube.size(), cube.middle_number());
        for axis in 0..D::N {
            cube.number[axis] = ((middle(bounds, axis) / edge).floor() as i64 + offset) as u64;
        }
        cube
    }

    /// The cube of that level around this one.
    fn at_level(self, level: i32) -> Self {
        Self { level, number: self.number.map(|n| n >> (level - self.level)) }
    }

    /// Which child of its parent this cube is.
    fn corner(self) -> usize {
        (self.number[0] & 1 | (self.number[1] & 1) << 1 | (self.number[2] & 1) << 2) as usize
    }

    /// The loose cube, twice as large about the same middle, rounded outwards: a box around all that is in the node.
    fn loose<D: Dim>(self) -> Aabb<D> {
        let edge = self.size();
        let (mut min, mut max) = (D::Vec::ZERO, D::Vec::ZERO);
        for axis in 0..D::N {
            let low = self.start(axis);
            min.set(axis, ((low - 0.5 * edge) as Real).next_down());
            max.set(axis, ((low + 1.5 * edge) as Real).next_up());
        }
        Aabb { min: min.into(), max: max.into() }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node<D: Dim> {
    /// The loose cube.
    loose: Aabb<D>,
    children: [u32; 8],
    parent: u32,
    /// First proxy in this very node.
    head: u32,
    /// Proxies here and below.
    count: u32,
    cube: Cube,
}

/// A loose quadtree or octree.
#[derive(Clone, Debug, Default)]
pub struct BroadPhaseTree<D: Dim> {
    nodes: Vec<Node<D>>,
    free: Vec<u32>,
    /// None while there is nothing.
    root: Option<u32>,
    /// Node of each proxy.
    homes: Vec<u32>,
    chains: Chains,
    search: Search,
    /// Scratch of the search.
    stack: Vec<u32>,
    made: u64,
}

impl<D: Dim> BroadPhaseTree<D> {
    fn new_node(&mut self, cube: Cube, parent: u32) -> u32 {
        let node = Node { loose: cube.loose(), children: [NOBODY; 8], parent, head: END, count: 0, cube };
        self.made += 1;
        match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// The node of a cube, made with all nodes above it if need be.
    fn node_for(&mut self, cube: Cube) -> u32 {
        let mut root = match self.root {
            Some(root) => root,
            None => self.new_node(cube, NOBODY),
        };
        // Upwards until the root is around it.
        loop {
            let top = self.nodes[root as usize].cube;
            if top.level >= cube.level && cube.at_level(top.level) == top {
                break;
            }
            let above = self.new_node(top.at_level(top.level + 1), NOBODY);
            let (count, corner) = (self.nodes[root as usize].count, top.corner());
            self.nodes[above as usize].children[corner] = root;
            self.nodes[above as usize].count = count;
            self.nodes[root as usize].parent = above;
            root = above;
        }
        self.root = Some(root);
        // Downwards to it.
        let mut at = root;
        while self.nodes[at as usize].cube.level > cube.level {
            let below = cube.at_level(self.nodes[at as usize].cube.level - 1);
            let corner = below.corner();
            at = match self.nodes[at as usize].children[corner] {
                NOBODY => {
                    let child = self.new_node(below, at);
                    self.nodes[at as usize].children[corner] = child;
                    child
                }
                child => child,
            };
        }
        at
    }

    fn home(&self, proxy: u32) -> u32 {
        self.homes.get(proxy as usize).copied().unwrap_or(NOBODY)
    }

    fn put_in(&mut self, proxies: &Proxies<D>, proxy: u32) {
        let slots = proxies.slots().len();
        if self.homes.len() < slots {
            self.homes.resize(slots, NOBODY);
            self.chains.resize(slots);
        }
        let bounds = &proxies.get(proxy).fat;
        if !is_within(bounds, REACH) {
            self.homes[proxy as usize] = self.search.large.add(proxy) | LARGE;
            return;
        }
        let home = self.node_for(Cube::of(bounds));
        self.homes[proxy as usize] = home;
        self.chains.push(&mut self.nodes[home as usize].head, proxy);
        let mut at = home;
        while at != NOBODY {
            self.nodes[at as usize].count += 1;
            at = self.nodes[at as usize].parent;
        }
    }

    fn take_out(&mut self, proxy: u32) {
        let home = self.home(proxy);
        if home == NOBODY {
            return;
        }
        self.homes[proxy as usize] = NOBODY;
        if home & LARGE != 0 {
            if let Some(other) = self.search.large.take(home & !LARGE) {
                self.homes[other as usize] = home;
            }
            return;
        }
        self.chains.take(&mut self.nodes[home as usize].head, proxy);
        let mut at = home;
        while at != NOBODY {
            let node = &mut self.nodes[at as usize];
            node.count -= 1;
            let (count, parent, corner) = (node.count, node.parent, node.cube.corner());
            if count == 0 {
                self.free.push(at);
                if parent == NOBODY {
                    self.root = None;
                } else {
                    self.nodes[parent as usize].children[corner] = NOBODY;
                }
            }
            at = parent;
        }
        self.lower_root();
    }

    /// A root with one child and nothing of its own is not needed.
    fn lower_root(&mut self) {
        while let Some(root) = self.root {
            let node = self.nodes[root as usize];
            let mut children = node.children.into_iter().filter(|&child| child != NOBODY);
            let (Some(child), None) = (children.next(), children.next()) else { return };
            if node.head != END {
                return;
            }
            self.nodes[child as usize].parent = NOBODY;
            self.free.push(root);
            self.root = Some(child);
        }
    }

    /// Calls `visit` for all proxies in nodes whose loose cubes pass `enter`, until it returns false. Returns the nodes
    /// looked at. `stack` is scratch.
    fn walk(
        &self,
        stack: &mut Vec<u32>,
        mut enter: impl FnMut(&Aabb<D>) -> bool,
        visit: &mut impl FnMut(u32) -> bool,
    ) -> u64 {
        let mut visited = 0;
        stack.clear();
        stack.extend(self.root);
        while let Some(at) = stack.pop() {
            visited += 1;
            let node = &self.nodes[at as usize];
            let mut proxy = node.head;
            while proxy != END {
                if !visit(proxy) {
                    return visited;
                }
                proxy = self.chains.next(proxy);
            }
            for &child in &node.children[..1 << D::N] {
                if child != NOBODY && enter(&self.nodes[child as usize].loose) {
                    stack.push(child);
                }
            }
        }
        visited
    }
}

impl<D: Dim> BroadPhase<D> for BroadPhaseTree<D> {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn attach(&mut self, proxies: &Proxies<D>) {
        *self = Self::default();
        proxies.iter().for_each(|(proxy, _)| self.put_in(proxies, proxy));
    }

    fn insert(&mut self, proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
        self.put_in(proxies, proxy);
    }

    fn remove(&mut self, _proxies: &Proxies<D>, proxy: u32) {
        self.take_out(proxy);
    }

    fn update(&mut self, proxies: &Proxies<D>, moved: &[u32], _executor: &dyn Executor) {
        for &proxy in moved {
            let (home, bounds) = (self.home(proxy), &proxies.get(proxy).fat);
            let stays = home != NOBODY
                && home & LARGE == 0
                && is_within(bounds, REACH)
                && self.nodes[home as usize].cube == Cube::of(bounds);
            if !stays {
                self.take_out(proxy);
                self.put_in(proxies, proxy);
            }
        }
    }

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        let mut search = core::mem::take(&mut self.search);
        let mut stack = core::mem::take(&mut self.stack);
        let mut hunt = search.begin(proxies, moved, out);
        for &a in moved.iter().filter(|&&a| self.home(a) & LARGE == 0) {
            let bounds = proxies.get(a).fat;
            let nodes = self.walk(&mut stack, |cube| cube.overlaps(&bounds), &mut |b| hunt.meet(a, b));
            hunt.visited(nodes);
        }
        (self.search, self.stack) = (search, stack);
    }

    fn query(&self, proxies: &Proxies<D>, bounds: &Aabb<D>, visit: &mut dyn FnMut(u32) -> bool) {
        let mut test = |proxy: u32| !proxies.get(proxy).fat.overlaps(bounds) || visit(proxy);
        if self.search.each_large(&mut test) {
            self.walk(&mut Vec::new(), |cube| cube.overlaps(bounds), &mut test);
        }
    }

    fn ray(
        &self,
        proxies: &Proxies<D>,
        origin: D::Point,
        direction: D::Vec,
        max: Real,
        grow: D::Vec,
        visit: &mut dyn FnMut(u32, Real) -> Real,
    ) {
        let ray = BoxRay::<D>::new(origin, direction, grow);
        let max = core::cell::Cell::new(max);
        let mut test = |proxy: u32| {
            if ray.meets(&proxies.get(proxy).fat, max.get()) {
                max.set(visit(proxy, max.get()));
            }
            true
        };
        self.search.each_large(&mut test);
        self.walk(&mut Vec::new(), |cube| ray.meets(cube, max.get()), &mut test);
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        self.search.counters("nodes visited", out);
        out.push(("nodes made", core::mem::take(&mut self.made)));
    }
}
