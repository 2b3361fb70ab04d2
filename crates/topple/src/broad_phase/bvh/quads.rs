//! The tree as rays like it: four children per node, whose boxes are tested at once.
//!
//! Made from the binary tree by leaving out every other level, when so many rays were asked since the tree last changed that
//! it pays; until then, and after any change, rays go through the binary tree. Both meet the same leaves.
//!
//! PERF: first hits among 1 000 to 10 000 bodies take two thirds of the time; to make the nodes costs about as much as a ray per four bodies
//! wins. For pairs the binary tree stays: nodes of it can move by themselves.

use super::slabs::Ray;
use super::tree::{INDEX, LEAF, Node};
use crate::math::*;
use crate::trusted::{prefetch, prefetch_end};

/// Children of a node.
pub(super) const LANES: usize = 4;

/// Room of the stack of a ray. Every quad on the way down leaves three others there at most.
const STACK: usize = 96;
/// The deepest tree for which that is enough.
const MAX_DEPTH: usize = STACK / (LANES - 1) - 1;

/// Four boxes and what is in them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Quad {
    /// As in a node; the first child of an inner node is the number of its quad.
    links: [u32; LANES],
    /// Lower and upper bounds by axis: of x, of y, of z [m].
    pub(super) bounds: [[Real; LANES]; 6],
    /// Bits of the lanes in use.
    pub(super) used: u32,
}

impl Quad {
    /// Of at most four nodes. Links of inner ones are left to the caller.
    pub(super) fn of<D: Dim>(nodes: &[Node<D>]) -> Self {
        let mut quad = Self { links: [LEAF | INDEX; LANES], bounds: [[0.0; LANES]; 6], used: 0 };
        for (lane, node) in nodes.iter().enumerate() {
            let (min, max) = (node.bounds.min.to_vec(), node.bounds.max.to_vec());
            for axis in 0..D::N {
                quad.bounds[2 * axis][lane] = min.get(axis);
                quad.bounds[2 * axis + 1][lane] = max.get(axis);
            }
            if node.is_leaf() {
                quad.links[lane] = node.index() | LEAF;
            }
            quad.used |= 1 << lane;
        }
        quad
    }
}

/// An inner node that is to become a quad.
struct Open {
    node: u32,
    /// The quad, and the lane of it, where the new one is to be named.
    place: Option<(usize, usize)>,
    depth: usize,
}

/// See the head of the file. The root is the first one.
#[derive(Clone, Debug)]
pub(super) struct Quads {
    quads: Vec<Quad>,
}

impl Quads {
    /// From the nodes of a tree whose root is not a leaf; None if the tree is so deep that the stack of a ray might not do.
    pub(super) fn new<D: Dim>(nodes: &[Node<D>]) -> Option<Self> {
        let mut quads: Vec<Quad> = Vec::with_capacity(nodes.len() / LANES + 1);
        let mut open = vec![Open { node: 0, place: None, depth: 1 }];
        while let Some(Open { node, place, depth }) = open.pop() {
            if depth > MAX_DEPTH {
                return None;
            }
            let at = quads.len();
            if let Some((quad, lane)) = place {
                quads[quad].links[lane] = at as u32;
            }
            let (children, count) = grandchildren(nodes, node);
            let mut boxes = [Node::UNUSED; LANES];
            for (lane, &child) in children[..count].iter().enumerate() {
                boxes[lane] = nodes[child as usize];
                if !boxes[lane].is_leaf() {
                    open.push(Open { node: child, place: Some((at, lane)), depth: depth + 1 });
                }
            }
            quads.push(Quad::of(&boxes[..count]));
        }
        Some(Self { quads })
    }

    /// Calls `visit` for the leaves the plain ray meets before `max`, nearer boxes first; `max` becomes what it returns.
    pub(super) fn ray<D: Dim>(&self, ray: &Ray<D>, max: &mut Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let mut stack = [(0_u32, 0.0); STACK];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (link, enter) = stack[len];
            if enter > *max {
                continue;
            }
            if link & LEAF != 0 {
                *max = visit(link & INDEX, *max);
                continue;
            }
            let quad = &self.quads[link as usize];
            let (enter, mut hits) = ray.enter_four(quad, *max);
            let bottom = len;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize % LANES;
                hits &= hits - 1;
                let new = (quad.links[lane], enter[lane]);
                self.fetch(new.0);
                // The nearest one on top, so that it comes out first. PERF: sorting all four without branches was 4 % slower, because one or two are
                // met as a rule.
                let mut at = len;
                while at > bottom && stack[at - 1].1 < new.1 {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = new;
                len += 1;
            }
        }
    }

    /// Has the processor fetch the two cache lines of a quad. Any link will do.
    #[inline(always)]
    fn fetch(&self, link: u32) {
        prefetch(&self.quads, link as usize);
        prefetch_end(&self.quads, link as usize);
    }
}

/// The children of an inner node, of which the largest are replaced by their children while there is room.
fn grandchildren<D: Dim>(nodes: &[Node<D>], node: u32) -> ([u32; LANES], usize) {
    let first = nodes[node as usize].index();
    let (mut out, mut count) = ([first, first + 1, 0, 0], 2);
    while count < LANES {
        let size = |k: usize| {
            let node = &nodes[out[k] as usize];
            if node.is_leaf() { -1.0 } else { node.bounds.surface() }
        };
        let largest = (1..count).fold(0, |best, k| if size(k) > size(best) { k } else { best });
        let opened = &nodes[out[largest] as usize];
        if opened.is_leaf() {
            break;
        }
        out[largest] = opened.index();
        out[count] = opened.index() + 1;
        count += 1;
    }
    (out, count)
}

#[cfg(test)]
mod tests {
    use crate::broad_phase::{BroadPhase, BroadPhaseBvh, Proxies, Proxy, ProxyKind};
    use crate::exec::Serial;
    use crate::math::*;

    /// Rays meet the leaves that looking at every box finds, however often they are asked, before and after boxes moved.
    fn rays_meet_every_box<D: Dim>() {
        const COUNT: usize = 60;
        let mut seed = 3_u32;
        let mut pick = |low: Real, high: Real| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            low + (high - low) * (seed >> 8) as Real / (1 << 24) as Real
        };
        let mut vector = |low: Real, high: Real| {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|i| v.set(i, pick(low, high)));
            v
        };
        let mut random_box = || Aabb::<D>::around(D::Point::from_vec(vector(-9.0, 9.0)), vector(0.1, 2.5));
        let slots = (0..COUNT).map(|i| Proxy::<D> {
            fat: random_box(),
            body: i as u32,
            kind: if i % 3 == 0 { ProxyKind::Static } else { ProxyKind::Dynamic },
            ..Proxy::default()
        });
        let mut proxies = Proxies::from_slots(slots.collect());
        let mut method = BroadPhaseBvh::<D>::default();
        method.attach(&proxies);
        let (mut met, mut collapsed) = (0, 0);
        for round in 0..6 {
            for ray in 0..60 {
                let origin = random_box().min;
                let direction = random_box().max - origin;
                let max = if ray % 2 == 0 { 1.0 } else { 4.0 };
                let mut found = Vec::new();
                method.ray(&proxies, origin, direction, max, D::Vec::ZERO, &mut |proxy, max| {
                    found.push(proxy);
                    max
                });
                found.sort_unstable();
                let mut inverse = D::Vec::ZERO;
                (0..D::N).for_each(|i| inverse.set(i, 1.0 / direction.get(i)));
                let hit = |proxy: &Proxy<D>| proxy.fat.ray(origin, inverse, max).is_some();
                let expected: Vec<u32> =
                    proxies.iter().filter(|(_, proxy)| hit(proxy)).map(|(index, _)| index).collect();
                assert_eq!(found, expected, "round {round}, ray {ray}");
                met += found.len();
                collapsed += usize::from(method.is_collapsed());
            }
            let moved: Vec<u32> = (0..COUNT as u32).filter(|i| (i + round) % 5 < 2).collect();
            moved.iter().for_each(|&i| proxies.set_box(i, random_box()));
            method.update(&proxies, &moved, &Serial);
            assert!(!method.is_collapsed(), "what moved is not where it was");
            method.validate();
        }
        assert!(met > 400 && collapsed > 100, "{met} boxes met, {collapsed} times with four at once");
    }

    #[test]
    fn rays_meet_every_box_2d() {
        rays_meet_every_box::<D2>();
    }

    #[test]
    fn rays_meet_every_box_3d() {
        rays_meet_every_box::<D3>();
    }
}
