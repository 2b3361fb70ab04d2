//! Triangular prisms for contact functions: triangles that are given a thickness.

use super::{CornerBlock, EdgeLine, HullFace, HullView, LineBlock, Topology};
use crate::math::*;
use crate::shape::d3::triangle;

/// A triangle drawn out along its normal, built on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrismHull {
    vertices: [Vec3; 6],
    faces: [HullFace; 5],
    lines: [EdgeLine; 9],
    blocks: [LineBlock; 3],
    corner_blocks: [CornerBlock; 2],
    center: Vec3,
    inner: Real,
}

impl PrismHull {
    /// The triangle `corners`, counter-clockwise about its unit normal `normal`, drawn out against the normal by `depth` [m].
    pub(crate) fn new(corners: [Vec3; 3], normal: Vec3, depth: Real) -> Self {
        let [a, b, c] = corners;
        let below = corners.map(|p| p - normal * depth);
        let vertices = [a, b, c, below[0], below[1], below[2]];
        let sides = triangle::outwards(corners, normal);
        let normals = [normal, -normal, sides[0], sides[1], sides[2]];
        let mut faces = [HullFace::default(); 5];
        let mut first = 0;
        for (k, face) in faces.iter_mut().enumerate() {
            let loop_ = LOOPS[k];
            let offset = normals[k].dot(vertices[usize::from(loop_[0])]);
            *face = HullFace { normal: normals[k], offset, first, count: loop_.len() as u16 };
            first += loop_.len() as u16;
        }
        let lines = PRISM.edges.map(|e| EdgeLine::new(&e, &vertices, &faces));
        let center = (a + b + c) * (1.0 / 3.0) - normal * (0.5 * depth);
        let inner = faces.iter().fold(Real::INFINITY, |r, f| r.min(f.offset - f.normal.dot(center)));
        Self {
            vertices,
            faces,
            lines,
            blocks: core::array::from_fn(|k| LineBlock::new(&lines[4 * k..(4 * k + 4).min(9)])),
            corner_blocks: [CornerBlock::new(&vertices[..4]), CornerBlock::new(&vertices[4..])],
            center,
            inner,
        }
    }

    pub(crate) fn view(&self) -> HullView<'_> {
        HullView {
            vertices: &self.vertices,
            faces: &self.faces,
            half_edges: &PRISM.half_edges,
            lines: &self.lines,
            blocks: &self.blocks,
            corner_blocks: &self.corner_blocks,
            spokes: &PRISM.spokes,
            center: self.center,
            inner: self.inner,
        }
    }
}

/// Corners of the faces: the triangle, the one below, the sides under its edges; counter-clockwise from outside.
const LOOPS: [&[u16]; 5] = [&[0, 1, 2], &[3, 5, 4], &[1, 0, 3, 4], &[2, 1, 4, 5], &[0, 2, 5, 3]];
const PRISM: Topology<18, 9, 6> = Topology::new(&LOOPS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prism_is_a_closed_convex_body() {
        let corners = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(1.3, 0.1, 0.4), Vec3::new(0.3, 1.1, -0.2)];
        let normal = triangle::normal(corners).unwrap();
        let prism = PrismHull::new(corners, normal, 0.5);
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
