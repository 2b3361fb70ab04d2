//! A closed surface where a sum of soft blobs has one value, cut from a grid of tetrahedra.
//!
//! Every cube of the grid is cut in six tetrahedra around its diagonal, alike in all cubes, so that neighbours meet in
//! whole faces. In a tetrahedron the surface is a triangle or two, with corners on the edges that lead from inside to
//! outside; corners are shared by their edge. The result is closed by construction, as long as the blobs stay inside
//! the grid.

use super::generate::Surface;
use crate::math::*;
use std::collections::BTreeMap;

/// All points near a segment, softly: weight (1 − d²/R²)³ at distance d.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blob {
    pub a: Vec3,
    pub b: Vec3,
    /// Distance at which the weight ends [m].
    pub radius: Real,
}

/// Weight at which the surface lies.
const LEVEL: Real = 0.25;
/// Corners keep this share of an edge from its ends, so that no triangle gets too thin.
const END_SHARE: Real = 0.08;

impl Blob {
    fn weight(&self, p: Vec3) -> Real {
        let d = crate::shape::d3::closest_on_segment(self.a, self.b, p).distance_squared(p);
        let w = (1.0 - d / (self.radius * self.radius)).max(0.0);
        w * w * w
    }
}

/// Corners of the six tetrahedra of a cube, as bits x, y, z: the six ways from corner 0 to corner 7 along the axes.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

struct Grid<'a> {
    blobs: &'a [Blob],
    low: Vec3,
    cell: Real,
    /// Grid points along each axis.
    size: [usize; 3],
    values: Vec<Real>,
}

impl Grid<'_> {
    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    fn place(&self, index: usize) -> Vec3 {
        let (x, rest) = (index % self.size[0], index / self.size[0]);
        let (y, z) = (rest % self.size[1], rest / self.size[1]);
        self.low + Vec3::new(x as Real, y as Real, z as Real) * self.cell
    }

    fn value(&self, p: Vec3) -> Real {
        self.blobs.iter().map(|b| b.weight(p)).sum::<Real>() - LEVEL
    }
}

/// The surface of the blobs inside `bounds`, in cells of the given size [m].
pub(super) fn polygonise(blobs: &[Blob], bounds: &Aabb<D3>, cell: Real) -> Surface {
    let extent = bounds.size() * (1.0 / cell);
    let count = |x: Real| x.ceil() as usize + 1;
    let size = [count(extent.x), count(extent.y), count(extent.z)];
    let mut grid = Grid { blobs, low: bounds.min.to_vec(), cell, size, values: Vec::new() };
    grid.values = (0..size[0] * size[1] * size[2]).map(|i| grid.value(grid.place(i))).collect();
    let mut surface = Surface::default();
    let mut corners = BTreeMap::new();
    for z in 0..size[2] - 1 {
        for y in 0..size[1] - 1 {
            for x in 0..size[0] - 1 {
                let cube: [usize; 8] =
                    core::array::from_fn(|k| grid.index([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2 & 1)]));
                for tetrahedron in TETRAHEDRA {
                    cut(&grid, tetrahedron.map(|k| cube[k]), &mut corners, &mut surface);
                }
            }
        }
    }
    surface
}

/// The part of the surface in one tetrahedron.
fn cut(
    grid: &Grid<'_>,
    corners: [usize; 4],
    known: &mut BTreeMap<(usize, usize), u32>,
    surface: &mut Surface,
) {
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        corners.iter().copied().partition(|&i| grid.values[i] > 0.0);
    if inside.is_empty() || outside.is_empty() {
        return;
    }
    let mut point = |p: usize, q: usize| {
        *known.entry((p.min(q), p.max(q))).or_insert_with(|| {
            let (p, q) = (p.min(q), p.max(q));
            let (a, b) = (grid.values[p], grid.values[q]);
            let t = (a / (a - b)).clamp(END_SHARE, 1.0 - END_SHARE);
            surface.vertices.push(grid.place(p) + (grid.place(q) - grid.place(p)) * t);
            surface.vertices.len() as u32 - 1
        })
    };
    let mut polygon = Vec::with_capacity(4);
    match (&inside[..], &outside[..]) {
        ([i], [a, b, c]) => polygon.extend([point(*i, *a), point(*i, *b), point(*i, *c)]),
        ([a, b, c], [o]) => polygon.extend([point(*a, *o), point(*b, *o), point(*c, *o)]),
        ([i, j], [a, b]) => polygon.extend([point(*i, *a), point(*i, *b), point(*j, *b), point(*j, *a)]),
        _ => {}
    }
    // Outwards: from the corners inside to those outside.
    let mean =
        |list: &[usize]| list.iter().fold(Vec3::ZERO, |s, &i| s + grid.place(i)) * (1.0 / list.len() as Real);
    let out = mean(&outside) - mean(&inside);
    let [p, q, r] = [polygon[0], polygon[1], polygon[2]].map(|v| surface.vertices[v as usize]);
    if (q - p).cross(r - p).dot(out) < 0.0 {
        polygon.reverse();
    }
    for k in 1..polygon.len() - 1 {
        surface.triangles.push([polygon[0], polygon[k], polygon[k + 1]]);
    }
}
