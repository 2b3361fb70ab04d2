//! Convex hulls: shared geometry of many bodies.
//!
//! A half-edge structure in flat arrays: the half-edges of a face are neighbours in one array, counter-clockwise seen
//! from outside. Contact code sees hulls and boxes through the same [`HullView`]. Construction is in
//! `quickhull.rs`, masses are in `mass.rs`.

mod blocks;
mod mass;
mod prism;
mod quickhull;

pub(crate) use blocks::{CornerBlock, LineBlock};
pub(super) use mass::{Moments, rounded_mass};
pub(crate) use prism::{MAX_OUTLINE, PrismHull};

use crate::Error;
use crate::distance::Wide;
use crate::math::*;
use crate::store::{Reader, Writer};

/// Most vertices a hull can have: contact ids and caches number features in a few bits.
pub const MAX_HULL_VERTICES: usize = 255;

/// How far a corner may lie off the plane of its face: shares of the size of the hull and of its distance from the
/// origin of its frame (no unit). The first is what merging triangles leaves, the second the rounding of f32.
const OFF_PLANE_OF_SIZE: Real = 3e-5;
const OFF_PLANE_OF_PLACE: Real = 1e-6;

/// A face: outward plane n·x = offset, and its half-edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HullFace {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal [m].
    pub offset: Real,
    /// First half-edge.
    pub first: u16,
    /// Number of half-edges, equal to the number of corners.
    pub count: u16,
}

/// A directed edge; the next one of the face follows in the array, the first comes after the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfEdge {
    /// Vertex it starts at.
    pub vertex: u16,
    /// The same edge seen from the other face.
    pub twin: u16,
    /// The face to its left.
    pub face: u16,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullEdge {
    /// Vertices at its ends.
    pub vertices: [u16; 2],
    /// Faces to its left and to its right.
    pub faces: [u16; 2],
}

/// An edge as contact functions want it, side by side in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EdgeLine {
    /// First end [m], and from it to the other end [m].
    pub start: Vec3,
    pub along: Vec3,
    /// Normals of the faces to its left and to its right.
    pub normals: [Vec3; 2],
}

impl EdgeLine {
    fn new(edge: &HullEdge, vertices: &[Vec3], faces: &[HullFace]) -> Self {
        let [p, q] = edge.vertices.map(|i| vertices[usize::from(i)]);
        Self { start: p, along: q - p, normals: edge.faces.map(|i| faces[usize::from(i)].normal) }
    }
}

/// The geometry of a convex hull, without its rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct HullData {
    vertices: Vec<Vec3>,
    faces: Vec<HullFace>,
    half_edges: Vec<HalfEdge>,
    edges: Vec<HullEdge>,
    lines: Vec<EdgeLine>,
    blocks: Vec<LineBlock>,
    corner_blocks: Vec<CornerBlock>,
    /// For every vertex a half-edge that starts at it.
    spokes: Vec<u16>,
    /// Centre of mass [m].
    center: Vec3,
    /// Distance from the centre of mass to the nearest face [m].
    inner_radius: Real,
    /// Normal of the face across which the hull is thinnest.
    flat: Vec3,
}

/// What contact functions see of a hull or of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HullView<'a> {
    pub vertices: &'a [Vec3],
    pub faces: &'a [HullFace],
    pub half_edges: &'a [HalfEdge],
    pub lines: &'a [EdgeLine],
    pub blocks: &'a [LineBlock],
    pub corner_blocks: &'a [CornerBlock],
    /// For every vertex a half-edge that starts at it.
    pub spokes: &'a [u16],
    /// Middle and radius of a ball inside [m].
    pub center: Vec3,
    pub inner: Real,
}

impl HullData {
    /// The convex hull of `points` [m]. Points inside, doubled ones and ones in the middle of faces or edges are left
    /// out; faces in one plane are merged. Refuses clouds without volume and hulls of more than
    /// [`MAX_HULL_VERTICES`] vertices.
    pub fn new(points: &[Vec3]) -> Result<Self, Error> {
        quickhull::hull(points, MAX_HULL_VERTICES, |loops| Self::from_loops(loops.vertices, &loops.faces))
    }

    /// Corner points [m].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Faces.
    pub fn faces(&self) -> &[HullFace] {
        &self.faces
    }

    /// Edges.
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// Half-edges, those of a face side by side.
    pub fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    /// Centre of mass [m].
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Radius of the ball about the centre of mass that touches the nearest face [m].
    pub fn inner_radius(&self) -> Real {
        self.inner_radius
    }

    /// Normal of the face across which the hull is thinnest.
    pub(crate) fn flat(&self) -> Vec3 {
        self.flat
    }

    pub(crate) fn view(&self) -> HullView<'_> {
        HullView {
            vertices: &self.vertices,
            faces: &self.faces,
            half_edges: &self.half_edges,
            lines: &self.lines,
            blocks: &self.blocks,
            corner_blocks: &self.corner_blocks,
            spokes: &self.spokes,
            center: self.center,
            inner: self.inner_radius,
        }
    }

    /// Farthest vertex along `d`; the first of several.
    #[inline]
    pub(crate) fn support(&self, d: Vec3) -> Vec3 {
        self.vertices[self.view().support(d)]
    }

    /// Least and greatest coordinates of the turned hull [m].
    pub(super) fn bounds(&self, rotation: Mat3) -> [Vec3; 2] {
        CornerBlock::bounds(&self.corner_blocks, rotation)
    }

    /// True if `p` lies below every face.
    pub(crate) fn contains(&self, p: Vec3) -> bool {
        self.faces.iter().all(|f| f.normal.dot(p) <= f.offset)
    }

    /// Builds the half-edges and planes for loops of vertex numbers. None if the loops are no closed convex surface.
    fn from_loops(vertices: Vec<Vec3>, loops: &[Vec<u16>]) -> Option<Self> {
        // A closed surface of n corners has at most 3n − 6 edges: more are damaged data, and would not fit the indices.
        if loops.iter().map(Vec::len).sum::<usize>() > 6 * vertices.len() {
            return None;
        }
        let mut half_edges = Vec::new();
        let mut faces = Vec::new();
        for (face, corners) in loops.iter().enumerate() {
            let first = half_edges.len() as u16;
            let count = corners.len() as u16;
            let (normal, offset) = plane(&vertices, corners)?;
            half_edges.extend(corners.iter().map(|&vertex| HalfEdge {
                vertex,
                twin: u16::MAX,
                face: face as u16,
            }));
            faces.push(HullFace { normal, offset, first, count });
        }
        let mut hull = Self {
            vertices,
            faces,
            half_edges,
            edges: Vec::new(),
            lines: Vec::new(),
            blocks: Vec::new(),
            corner_blocks: Vec::new(),
            spokes: Vec::new(),
            center: Vec3::ZERO,
            inner_radius: 0.0,
            flat: Vec3::Y,
        };
        hull.link()?;
        let line = |e: &HullEdge| EdgeLine::new(e, &hull.vertices, &hull.faces);
        hull.lines = hull.edges.iter().map(line).collect();
        hull.blocks = hull.lines.chunks(4).map(LineBlock::new).collect();
        hull.corner_blocks = hull.vertices.chunks(4).map(CornerBlock::new).collect();
        hull.check_planes()?;
        // Euler: anything else is not the surface of a ball.
        if hull.vertices.len() + hull.faces.len() != hull.edges.len() + 2 {
            return None;
        }
        let whole = hull.mass(1.0);
        if !(whole.mass > 0.0 && whole.center.is_finite()) {
            return None;
        }
        hull.center = whole.center;
        let inner = |f: &HullFace| f.offset - f.normal.dot(hull.center);
        hull.inner_radius = hull.faces.iter().fold(Real::INFINITY, |r, f| r.min(inner(f)));
        let width = |f: &HullFace| f.offset - hull.view().lowest(f.normal);
        let thinner = |a: (Vec3, Real), f: &HullFace| {
            let width = width(f);
            if width < a.1 { (f.normal, width) } else { a }
        };
        hull.flat = hull.faces.iter().fold((Vec3::Y, Real::INFINITY), thinner).0;
        (hull.inner_radius > 0.0).then_some(hull)
    }

    /// Finds the twin of every half-edge and lists the edges.
    fn link(&mut self) -> Option<()> {
        let n = self.vertices.len();
        let ends: Vec<(u16, u16)> = (0..self.half_edges.len())
            .map(|h| (self.half_edges[h].vertex, self.half_edges[self.view().next(h)].vertex))
            .collect();
        self.spokes = vec![0; n];
        // Half-edge from one vertex to another, by the pair of vertices.
        let mut between = vec![u16::MAX; n * n];
        for (h, &(p, q)) in ends.iter().enumerate() {
            let slot = between.get_mut(usize::from(p) * n + usize::from(q))?;
            if *slot != u16::MAX || p == q {
                return None;
            }
            *slot = h as u16;
        }
        for (h, &(p, q)) in ends.iter().enumerate() {
            let twin = between[usize::from(q) * n + usize::from(p)];
            if twin == u16::MAX {
                return None;
            }
            self.half_edges[h].twin = twin;
            self.spokes[usize::from(p)] = h as u16;
            if p < q {
                let faces = [self.half_edges[h].face, self.half_edges[usize::from(twin)].face];
                self.edges.push(HullEdge { vertices: [p, q], faces });
            }
        }
        Some(())
    }

    /// None if a corner lies off the plane of one of its faces: the normal of a sliver that was all noise.
    fn check_planes(&self) -> Option<()> {
        let low = self.vertices.iter().fold(Vec3::splat(Real::INFINITY), |m, v| m.min(*v));
        let high = self.vertices.iter().fold(Vec3::splat(Real::NEG_INFINITY), |m, v| m.max(*v));
        let allowed = OFF_PLANE_OF_SIZE * (high - low).max_element()
            + OFF_PLANE_OF_PLACE * high.abs().max(low.abs()).max_element();
        let sound = self.faces.iter().all(|face| {
            let off = |i: usize| face.offset - face.normal.dot(self.vertices[i]);
            self.view().corners(face).all(|i| off(i) <= allowed)
        });
        sound.then_some(())
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.vertices.len() as u32);
        self.vertices.iter().for_each(|v| out.put(v));
        out.u32(self.faces.len() as u32);
        for face in &self.faces {
            let corners = self.view().corners(face).map(|v| v as u32).collect::<Vec<_>>();
            out.vars(&corners);
        }
    }

    pub(super) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let count = input.length(12)?;
        if count > MAX_HULL_VERTICES {
            return Err(input.damaged("vertices of a hull"));
        }
        let vertices = (0..count).map(|_| input.get()).collect::<Result<Vec<Vec3>, _>>()?;
        let face_count = input.length(7)?;
        if vertices.iter().any(|v| !v.is_finite()) || face_count > 2 * MAX_HULL_VERTICES {
            return Err(input.damaged("faces of a hull"));
        }
        let mut loops = Vec::new();
        for _ in 0..face_count {
            let corners = input.vars(count)?;
            if corners.len() < 3 || corners.len() > count {
                return Err(input.damaged("corners of a face"));
            }
            loops.push(corners.into_iter().map(|i| i as u16).collect());
        }
        Self::from_loops(vertices, &loops).ok_or_else(|| input.damaged("surface of a hull"))
    }
}

/// Plane of a polygon: Newell's normal, and the offset at which no vertex of the hull sticks out.
fn plane(vertices: &[Vec3], corners: &[u16]) -> Option<(Vec3, Real)> {
    let at = |k: usize| vertices.get(usize::from(corners[k % corners.len()])).map(|&v| Wide::of(v));
    let origin = at(0)?;
    let mut normal = Wide::ZERO;
    for k in 1..corners.len() - 1 {
        normal = normal + (at(k)? - origin).cross(at(k + 1)? - origin);
    }
    let normal: Vec3 = normal.unit()?.narrow();
    let offset = vertices.iter().fold(Real::NEG_INFINITY, |m, v| m.max(normal.dot(*v)));
    Some((normal, offset))
}

impl HullView<'_> {
    /// Half-edge after `h` in its face.
    #[inline]
    pub(crate) fn next(&self, h: usize) -> usize {
        let face = &self.faces[usize::from(self.half_edges[h].face)];
        let (first, count) = (usize::from(face.first), usize::from(face.count));
        if h + 1 == first + count { first } else { h + 1 }
    }

    /// Vertex numbers of a face, counter-clockwise.
    pub(crate) fn corners(&self, face: &HullFace) -> impl Iterator<Item = usize> + Clone + '_ {
        let (first, count) = (usize::from(face.first), usize::from(face.count));
        self.half_edges[first..first + count].iter().map(|h| usize::from(h.vertex))
    }

    /// Number of the farthest vertex along `d`; the first of several.
    #[inline]
    pub(crate) fn support(&self, d: Vec3) -> usize {
        CornerBlock::farthest(self.corner_blocks, d).min(self.vertices.len() - 1)
    }

    /// Smallest coordinate of the corners along `n` [m].
    #[inline]
    pub(crate) fn lowest(&self, n: Vec3) -> Real {
        CornerBlock::lowest(self.corner_blocks, n)
    }

    /// Number of the face that looks most along `d` among those that meet at the farthest corner along `d`. The face
    /// of all whose normal is closest to `d` need not have that corner.
    pub(crate) fn face_along(&self, d: Vec3) -> usize {
        let first = usize::from(self.spokes[self.support(d)]);
        let (mut best, mut along) = (0, Real::NEG_INFINITY);
        let mut h = first;
        loop {
            let face = usize::from(self.half_edges[h].face);
            let x = self.faces[face].normal.dot(d);
            if x > along || (x == along && face < best) {
                (best, along) = (face, x);
            }
            // Around the corner: back along the edge, and on in the face on its other side.
            h = self.next(usize::from(self.half_edges[h].twin));
            if h == first {
                return best;
            }
        }
    }
}

/// A box as a hull, on the stack: the topology is fixed, only corners and planes depend on the size.
pub(crate) struct BoxHull {
    vertices: [Vec3; 8],
    faces: [HullFace; 6],
    lines: [EdgeLine; 12],
    blocks: [LineBlock; 3],
    corner_blocks: [CornerBlock; 2],
    inner: Real,
}

impl BoxHull {
    /// Number of the face that looks most along `d`: 2·axis, plus one for the positive side.
    pub(crate) fn face_along(d: Vec3) -> usize {
        let axis = (1..3).fold(0, |best, k| if d[k].abs() > d[best].abs() { k } else { best });
        2 * axis + usize::from(d[axis] > 0.0)
    }

    /// Outward normal of face `i`.
    pub(crate) fn normal(i: usize) -> Vec3 {
        [Vec3::X, Vec3::Y, Vec3::Z][i / 2 % 3] * if i.is_multiple_of(2) { -1.0 } else { 1.0 }
    }

    /// Corners of face `i`, counter-clockwise from outside.
    pub(crate) fn corners(half: Vec3, i: usize) -> [Vec3; 4] {
        BOX_FACES[i % 6].map(|c| super::box_corner(half, usize::from(c)))
    }

    pub(crate) fn new(half: Vec3) -> Self {
        let mut faces = [HullFace::default(); 6];
        for (i, face) in faces.iter_mut().enumerate() {
            *face = HullFace { normal: Self::normal(i), offset: half[i / 2], first: 4 * i as u16, count: 4 };
        }
        let vertices: [Vec3; 8] = core::array::from_fn(|i| super::box_corner(half, i));
        let lines = BOX.edges.map(|e| EdgeLine::new(&e, &vertices, &faces));
        let blocks = core::array::from_fn(|k| LineBlock::new(&lines[4 * k..4 * k + 4]));
        let corner_blocks = core::array::from_fn(|k| CornerBlock::new(&vertices[4 * k..4 * k + 4]));
        Self { vertices, faces, lines, blocks, corner_blocks, inner: half.min_element() }
    }

    pub(crate) fn view(&self) -> HullView<'_> {
        HullView {
            vertices: &self.vertices,
            faces: &self.faces,
            half_edges: &BOX.half_edges,
            lines: &self.lines,
            blocks: &self.blocks,
            corner_blocks: &self.corner_blocks,
            spokes: &BOX.spokes,
            center: Vec3::ZERO,
            inner: self.inner,
        }
    }
}

/// Corners of the faces −x, +x, −y, +y, −z, +z, counter-clockwise from outside; corner numbers as in `box_corner`.
const BOX_FACES: [[u16; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

const BOX: Topology<24, 12, 8> = {
    let [a, b, c, d, e, f] = &BOX_FACES;
    Topology::new(&[a, b, c, d, e, f])
};

/// How the faces of a polyhedron of a fixed kind hang together.
struct Topology<const HALF_EDGES: usize, const EDGES: usize, const VERTICES: usize> {
    half_edges: [HalfEdge; HALF_EDGES],
    edges: [HullEdge; EDGES],
    /// For every vertex a half-edge that starts at it.
    spokes: [u16; VERTICES],
}

impl<const H: usize, const E: usize, const V: usize> Topology<H, E, V> {
    /// Of the corners of each face, counter-clockwise from outside.
    const fn new(loops: &[&[u16]]) -> Self {
        let mut half_edges = [HalfEdge { vertex: 0, twin: 0, face: 0 }; H];
        let mut ends = [0; H];
        let (mut h, mut face) = (0, 0);
        while face < loops.len() {
            let corners = loops[face];
            let mut k = 0;
            while k < corners.len() {
                half_edges[h] = HalfEdge { vertex: corners[k], twin: 0, face: face as u16 };
                ends[h] = corners[(k + 1) % corners.len()];
                h += 1;
                k += 1;
            }
            face += 1;
        }
        let mut edges = [HullEdge { vertices: [0; 2], faces: [0; 2] }; E];
        let mut spokes = [0; V];
        let (mut h, mut count) = (0, 0);
        while h < H {
            let (p, q) = (half_edges[h].vertex, ends[h]);
            spokes[p as usize] = h as u16;
            let mut t = 0;
            while t < H {
                if half_edges[t].vertex == q && ends[t] == p {
                    half_edges[h].twin = t as u16;
                    if p < q {
                        let faces = [half_edges[h].face, half_edges[t].face];
                        edges[count] = HullEdge { vertices: [p, q], faces };
                        count += 1;
                    }
                }
                t += 1;
            }
            h += 1;
        }
        Self { half_edges, edges, spokes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_as_a_hull_is_the_hull_of_its_corners() {
        let half = Vec3::new(1.0, 2.0, 3.0);
        let flat = BoxHull::new(half);
        let view = flat.view();
        let hull = HullData::new(view.vertices).unwrap();
        assert_eq!((hull.vertices.len(), hull.faces.len(), hull.edges.len()), (8, 6, 12));
        for (i, face) in view.faces.iter().enumerate() {
            let corners: Vec<u16> = view.corners(face).map(|c| c as u16).collect();
            let (normal, offset) = plane(view.vertices, &corners).unwrap();
            assert_eq!((normal, offset), (face.normal, face.offset), "face {i}");
        }
        for (h, half_edge) in view.half_edges.iter().enumerate() {
            let twin = &view.half_edges[usize::from(half_edge.twin)];
            assert_eq!(usize::from(twin.twin), h);
            assert_eq!(twin.vertex, view.half_edges[view.next(h)].vertex);
        }
        for view in [view, hull.view()] {
            let starts = |v: usize| usize::from(view.half_edges[usize::from(view.spokes[v])].vertex);
            assert!((0..8).all(|v| starts(v) == v), "{:?}", view.spokes);
        }
        assert!(BOX.edges.iter().all(|e| e.vertices[0] < e.vertices[1]));
    }
}
