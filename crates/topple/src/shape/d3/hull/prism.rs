//! Prisms for contact functions: triangles and other flat outlines that are given a thickness.

use super::{CornerBlock, EdgeLine, HalfEdge, HullEdge, HullFace, HullView, LineBlock};
use crate::math::*;

/// Corners that an outline can have.
pub(crate) const MAX_OUTLINE: usize = 16;
/// Vertices, faces, edges and half-edges of a prism over such an outline.
const VERTICES: usize = 2 * MAX_OUTLINE;
const FACES: usize = MAX_OUTLINE + 2;
const EDGES: usize = 3 * MAX_OUTLINE;
const HALF_EDGES: usize = 2 * EDGES;

/// A convex polygon drawn out along its normal, built on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrismHull {
    vertices: [Vec3; VERTICES],
    faces: [HullFace; FACES],
    half_edges: [HalfEdge; HALF_EDGES],
    lines: [EdgeLine; EDGES],
    blocks: [LineBlock; EDGES.div_ceil(4)],
    corner_blocks: [CornerBlock; VERTICES.div_ceil(4)],
    spokes: [u16; VERTICES],
    /// Corners of the outline.
    count: usize,
    center: Vec3,
    inner: Real,
}

impl PrismHull {
    /// The flat polygon `outline` of 3 to [`MAX_OUTLINE`] corners, counter-clockwise about its unit normal `normal`, drawn out against the normal by
    /// `depth` [m].
    pub(crate) fn new(outline: &[Vec3], normal: Vec3, depth: Real) -> Self {
        let outline = &outline[..outline.len().min(MAX_OUTLINE)];
        let n = outline.len();
        let sum = outline.iter().fold(Vec3::ZERO, |sum, p| sum + *p);
        let mut prism = Self {
            vertices: [Vec3::ZERO; VERTICES],
            faces: [HullFace::default(); FACES],
            half_edges: [HalfEdge::default(); HALF_EDGES],
            lines: [EdgeLine::default(); EDGES],
            blocks: [LineBlock::new(&[]); EDGES.div_ceil(4)],
            corner_blocks: [CornerBlock::new(&outline[..1]); VERTICES.div_ceil(4)],
            spokes: [0; VERTICES],
            count: n,
            center: sum * (1.0 / n as Real) - normal * (0.5 * depth),
            inner: 0.5 * depth,
        };
        let mut edges = [HullEdge::default(); EDGES];
        let mut sides = [Vec3::ZERO; MAX_OUTLINE];
        for k in 0..n {
            let next = (k + 1) % n;
            (prism.vertices[k], prism.vertices[n + k]) = (outline[k], outline[k] - normal * depth);
            sides[k] = (outline[next] - outline[k]).cross(normal).normalize_or_zero();
        }
        // Faces: the outline, the one below, the sides under its edges; half-edges in this order, counter-clockwise from outside.
        let normals = [normal, -normal].into_iter().chain(sides);
        let (mut first, firsts) = (0, [0, n].into_iter().chain(0..n));
        for ((face, normal), vertex) in prism.faces[..n + 2].iter_mut().zip(normals).zip(firsts) {
            let count = if first < 2 * n { n } else { 4 };
            let offset = normal.dot(prism.vertices[vertex]);
            *face = HullFace { normal, offset, first: first as u16, count: count as u16 };
            prism.inner = prism.inner.min(offset - normal.dot(prism.center));
            first += count;
        }
        for k in 0..n {
            let (next, last) = ((k + 1) % n, (k + n - 1) % n);
            let side = |k: usize| 2 * n + 4 * k;
            let mut set = |h: usize, vertex: usize, twin: usize, face: usize| {
                prism.half_edges[h] =
                    HalfEdge { vertex: vertex as u16, twin: twin as u16, face: face as u16 };
                prism.spokes[vertex] = h as u16;
            };
            set(k, k, side(k), 0);
            set(2 * n - 1 - k, n + next, side(k) + 2, 1);
            set(side(k), next, k, 2 + k);
            set(side(k) + 1, k, side(last) + 3, 2 + k);
            set(side(k) + 2, n + k, 2 * n - 1 - k, 2 + k);
            set(side(k) + 3, n + next, side(next) + 1, 2 + k);
            let edge = |p: usize, q: usize, left: usize, right: usize| HullEdge {
                vertices: [p as u16, q as u16],
                faces: [left as u16, right as u16],
            };
            edges[3 * k] = edge(k, next, 0, 2 + k);
            edges[3 * k + 1] = edge(n + k, n + next, 2 + k, 1);
            edges[3 * k + 2] = edge(k, n + k, 2 + k, 2 + last);
        }
        for (line, edge) in prism.lines.iter_mut().zip(&edges[..3 * n]) {
            *line = EdgeLine::new(edge, &prism.vertices, &prism.faces);
        }
        for (block, lines) in prism.blocks.iter_mut().zip(prism.lines[..3 * n].chunks(4)) {
            *block = LineBlock::new(lines);
        }
        for (block, corners) in prism.corner_blocks.iter_mut().zip(prism.vertices[..2 * n].chunks(4)) {
            *block = CornerBlock::new(corners);
        }
        prism
    }

    pub(crate) fn view(&self) -> HullView<'_> {
        let n = self.count;
        HullView {
            vertices: &self.vertices[..2 * n],
            faces: &self.faces[..n + 2],
            half_edges: &self.half_edges[..6 * n],
            lines: &self.lines[..3 * n],
            blocks: &self.blocks[..(3 * n).div_ceil(4)],
            corner_blocks: &self.corner_blocks[..(2 * n).div_ceil(4)],
            spokes: &self.spokes[..2 * n],
            center: self.center,
            inner: self.inner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::d3::triangle;

    #[test]
    fn a_prism_is_a_closed_convex_body() {
        let corners = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(1.3, 0.1, 0.4), Vec3::new(0.3, 1.1, -0.2)];
        let normal = triangle::normal(corners).unwrap();
        let prism = PrismHull::new(&corners, normal, 0.5);
        let view = prism.view();
        for (i, face) in view.faces.iter().enumerate() {
            let corners: Vec<Vec3> = view.corners(face).map(|v| view.vertices[v]).collect();
            let around = (corners[1] - corners[0]).cross(corners[2] - corners[1]).normalize();
            assert!(around.dot(face.normal) > 0.9999, "face {i} looks along {around}, not {}", face.normal);
            assert!(view.vertices.iter().all(|v| face.normal.dot(*v) <= face.offset + 1e-6), "face {i}");
        }
        for (h, edge) in view.half_edges.iter().enumerate() {
            assert_eq!(usize::from(view.half_edges[usize::from(edge.twin)].twin), h);
        }
        let along = view.faces[view.face_along(normal)].normal;
        assert!(along.dot(normal) > 0.9999 && prism.inner > 0.1, "{along} {}", prism.inner);
    }
}
