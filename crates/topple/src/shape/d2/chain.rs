//! Chains: many segments end to end, open or as a loop, that touch on one side only.
//!
//! The front of a segment is to its right, seen along the order of the vertices. A loop that is listed counter-clockwise, like
//! the corners of a polygon, keeps bodies out; a floor is listed from right to left. Bodies pass a chain
//! from behind. A chain cannot move and has no mass.

use super::Shape2;
use crate::Error;
use crate::math::*;
use crate::shape::bvh::StaticBvh;
use crate::shape::composite::{
    BOX_ROUNDING, Composite, Lean, box_distance, inverse_of, lowest_in_box, ray_entry,
};
use crate::shape::forks::Forks;
use crate::shape::{LocalRay, LocalRayHit};
use crate::store::{Reader, Writer};

/// Most vertices a chain can have.
const MAX_CHAIN_VERTICES: usize = 1 << 26;

/// Vertices of a chain and what surrounds its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainData {
    /// The loop is closed by a segment from the last vertex to the first.
    is_loop: bool,
    /// Vertices [m], neighbours apart.
    vertices: Vec<Vec2>,
    /// Where the outline goes on before the first and after the last vertex of an open chain [m].
    ghosts: [Option<Vec2>; 2],
    normals: Vec<Vec2>,
    leans: Vec<[Lean; 2]>,
    bvh: StaticBvh<D2>,
    forks: Forks,
}

impl ChainData {
    /// An open chain. Consecutive equal vertices count once; at least two are needed.
    pub fn open(vertices: &[Vec2]) -> Result<Self, Error> {
        Self::build(vertices, false, [None; 2])
    }

    /// An open chain that is a part of a longer outline: `before` and `after` say where that goes on [m], so that nothing
    /// trips over the ends. They are not touched themselves.
    pub fn open_between(before: Vec2, vertices: &[Vec2], after: Vec2) -> Result<Self, Error> {
        Self::build(vertices, false, [Some(before), Some(after)])
    }

    /// A closed loop of at least three vertices.
    pub fn closed(vertices: &[Vec2]) -> Result<Self, Error> {
        Self::build(vertices, true, [None; 2])
    }

    fn build(points: &[Vec2], is_loop: bool, ghosts: [Option<Vec2>; 2]) -> Result<Self, Error> {
        let refuse = |reason: String| Err(Error::degenerate("chain", reason));
        if let Some(index) = points.iter().position(|v| !v.is_finite()) {
            return refuse(format!("vertex {index} is {:?}, but must be finite", points[index]));
        }
        if ghosts.iter().flatten().any(|g| !g.is_finite()) {
            return refuse(format!("the outline goes on at {ghosts:?}, but must do so at finite places"));
        }
        if points.len() > MAX_CHAIN_VERTICES {
            return refuse(format!("has {} vertices, but at most {MAX_CHAIN_VERTICES} fit", points.len()));
        }
        let mut vertices = points.to_vec();
        vertices.dedup();
        if is_loop && vertices.len() > 1 && vertices.first() == vertices.last() {
            vertices.pop();
        }
        let least = if is_loop { 3 } else { 2 };
        if vertices.len() < least {
            return refuse(format!("has {} different vertices, but needs at least {least}", vertices.len()));
        }
        let mut chain = Self {
            is_loop,
            vertices,
            ghosts,
            normals: Vec::new(),
            leans: Vec::new(),
            bvh: StaticBvh::new(&[]),
            forks: Forks::new::<D2>(&StaticBvh::new(&[]), &[]),
        };
        let count = chain.child_count();
        chain.normals = (0..count).map(|i| normal(chain.ends(i))).collect();
        if let Some(index) = chain.normals.iter().position(|n| !n.is_finite() || *n == Vec2::ZERO) {
            return refuse(format!("segment {index} has no direction"));
        }
        chain.leans = (0..count).map(|i| chain.leans_of(i)).collect();
        let boxes: Vec<Aabb<D2>> = (0..count).map(|i| chain.child_bounds(i)).collect();
        chain.bvh = StaticBvh::new(&boxes);
        chain.forks = Forks::new(&chain.bvh, &boxes);
        Ok(chain)
    }

    /// Vertices [m].
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices
    }

    /// True for a closed loop.
    pub fn is_loop(&self) -> bool {
        self.is_loop
    }

    /// Where the outline goes on before the first and after the last vertex of an open chain [m].
    pub fn ghosts(&self) -> [Option<Vec2>; 2] {
        self.ghosts
    }

    /// The two ends of segment `index` [m].
    #[inline]
    pub fn ends(&self, index: u32) -> [Vec2; 2] {
        let i = index as usize;
        [self.vertices[i], self.vertices[if i + 1 == self.vertices.len() { 0 } else { i + 1 }]]
    }

    fn leans_of(&self, index: u32) -> [Lean; 2] {
        let count = self.child_count();
        let n = self.normals[index as usize];
        let [a, b] = self.ends(index);
        let along = -out_at_start(n);
        let before = match index {
            0 if self.is_loop => Some(self.normals[count as usize - 1]),
            0 => self.ghosts[0].filter(|g| *g != a).map(|g| normal([g, a])),
            i => Some(self.normals[i as usize - 1]),
        };
        let after = match index + 1 {
            i if i < count => Some(self.normals[i as usize]),
            _ if self.is_loop => Some(self.normals[0]),
            _ => self.ghosts[1].filter(|g| *g != b).map(|g| normal([b, g])),
        };
        let lean = |out: Vec2, other: Option<Vec2>| other.map_or(Lean::OPEN, |m| Lean::towards(n, out, m));
        [lean(-along, before), lean(along, after)]
    }

    pub(super) fn ray_cast(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        ray_cast(self, ray)
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.bool(self.is_loop);
        out.u32(self.vertices.len() as u32);
        self.vertices.iter().for_each(|v| out.put(v));
        for ghost in &self.ghosts {
            out.bool(ghost.is_some());
            out.put(&ghost.unwrap_or(Vec2::ZERO));
        }
    }

    pub(super) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let is_loop = input.bool()?;
        let count = input.length(8)?;
        let vertices = (0..count).map(|_| input.get()).collect::<Result<Vec<Vec2>, _>>()?;
        let mut ghosts = [None; 2];
        for ghost in &mut ghosts {
            let there = input.bool()?;
            let place = input.get()?;
            *ghost = there.then_some(place);
        }
        Self::build(&vertices, is_loop, ghosts).map_err(|error| input.damaged(&error.to_string()))
    }
}

/// Unit normal to the right of a segment.
pub(super) fn normal([a, b]: [Vec2; 2]) -> Vec2 {
    super::polygon::edge_normal(a, b)
}

/// Along the segment, away from it at its start; the segment has normal `n`.
#[inline]
pub(super) fn out_at_start(n: Vec2) -> Vec2 {
    // The normal is to the right of the direction, so the direction is to the left of the normal.
    -n.perp()
}

/// First hit of a ray with the segments of a composite, from either side.
pub(super) fn ray_cast(shape: &dyn Composite<D2>, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
    use crate::shape::ShapeOps;
    let mut best: Option<LocalRayHit<D2>> = None;
    let grow = Vec2::splat(BOX_ROUNDING * shape.bounds().size().max_element());
    shape.visit_ray(ray, grow, &mut |index, max| {
        let Some(hit) = shape.child(index).ray_cast(&LocalRay { max, ..*ray }) else { return max };
        if best.is_none_or(|b| hit.t < b.t) {
            best = Some(hit);
        }
        hit.t.min(max)
    });
    best
}

impl Composite<D2> for ChainData {
    fn child_count(&self) -> u32 {
        (self.vertices.len() - usize::from(!self.is_loop)) as u32
    }

    fn child(&self, index: u32) -> Shape2 {
        let [a, b] = self.ends(index);
        Shape2::Segment { a, b }
    }

    fn child_bounds(&self, index: u32) -> Aabb<D2> {
        let [a, b] = self.ends(index);
        Aabb { min: a.min(b).into(), max: a.max(b).into() }
    }

    fn normal(&self, index: u32) -> Vec2 {
        self.normals[index as usize]
    }

    fn allows(&self, index: u32, direction: Vec2) -> bool {
        let n = self.normals[index as usize];
        let out = out_at_start(n);
        let [before, after] = self.leans[index as usize];
        before.allows(n, out, direction) && after.allows(n, -out, direction)
    }

    fn bounds(&self) -> Aabb<D2> {
        self.bvh.bounds()
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn visit(&self, bounds: &Aabb<D2>, visit: &mut dyn FnMut(u32)) {
        self.forks.visit(bounds, visit);
    }

    fn visit_below(&self, normal: Vec2, offset: Real, visit: &mut dyn FnMut(u32)) {
        self.bvh.walk(|node| lowest_in_box(node, normal) <= offset, visit);
    }

    fn visit_ray(&self, ray: &LocalRay<D2>, grow: Vec2, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let inverse = inverse_of::<D2>(ray.direction);
        self.bvh.search(ray.max, |node| ray_entry(node, ray, inverse, grow), visit);
    }

    fn visit_near(&self, bounds: &Aabb<D2>, limit: Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        self.bvh.search(limit, |node| box_distance(node, bounds), visit);
    }
}
