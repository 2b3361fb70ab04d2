//! Height fields: a grid of heights, everything below it solid. Terrain without the memory of a mesh.
//!
//! Heights stand at the corners of a grid over x and z; each cell is two triangles, front side up. Triangle 2·cell has the
//! corners (x, z), (x, z + 1), (x + 1, z); triangle 2·cell + 1 the other three. Nothing but the heights is stored:
//! normals and neighbours are formed when asked for, cells are found by division.

use super::{Shape3, triangle};
use crate::Error;
use crate::error::positive;
use crate::math::*;
use crate::shape::composite::{Composite, GRID_ROUNDING, Lean, inverse_of};
use crate::shape::{LocalRay, LocalRayHit};
use crate::store::{Reader, Writer};

/// Most heights a field can have.
const MAX_HEIGHTS: usize = 1 << 26;

/// A grid of heights.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightFieldData {
    /// Full extent along x and z [m], about the origin.
    size: Vec2,
    /// Heights along x and along z.
    counts: [u32; 2],
    /// Rows along x, one after the other along z [m].
    heights: Vec<Real>,
    bounds: Aabb<D3>,
}

impl HeightFieldData {
    /// A field over a rectangle of `size` along x and z [m] about the origin, with `columns` heights [m] along x in every
    /// row, rows along z. At least two columns and two rows.
    pub fn new(size: Vec2, columns: u32, heights: &[Real]) -> Result<Self, Error> {
        Self::from_parts(size, columns, heights.to_vec())
    }

    fn from_parts(size: Vec2, columns: u32, heights: Vec<Real>) -> Result<Self, Error> {
        positive("HeightField.size.x", size.x)?;
        positive("HeightField.size.y", size.y)?;
        let refuse = |reason: String| Err(Error::degenerate("height field", reason));
        if columns < 2 || heights.len() < 2 * columns as usize {
            return refuse(format!(
                "has {} heights in rows of {columns}, but needs at least two rows of two",
                heights.len()
            ));
        }
        if !heights.len().is_multiple_of(columns as usize) {
            return refuse(format!("has {} heights, which is no multiple of {columns}", heights.len()));
        }
        if heights.len() > MAX_HEIGHTS {
            return refuse(format!("has {} heights, but at most {MAX_HEIGHTS} fit", heights.len()));
        }
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return refuse(format!("height {index} is {:?}, but must be finite", heights[index]));
        }
        let (low, high) =
            heights.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), &y| (l.min(y), h.max(y)));
        let half = size * 0.5;
        let bounds = Aabb {
            min: Vec3::new(-half.x, low, -half.y).into(),
            max: Vec3::new(half.x, high, half.y).into(),
        };
        let rows = heights.len() / columns as usize;
        Ok(Self { size, counts: [columns, rows as u32], heights, bounds })
    }

    /// Full extent along x and z [m].
    pub fn size(&self) -> Vec2 {
        self.size
    }

    /// Number of heights along x and along z.
    pub fn counts(&self) -> [u32; 2] {
        self.counts
    }

    /// All heights [m], row by row.
    pub fn heights(&self) -> &[Real] {
        &self.heights
    }

    /// Height of the surface at (x, z) [m]; None beside the field.
    pub fn height_at(&self, x: Real, z: Real) -> Option<Real> {
        let (u, v) = (self.grid(0, x), self.grid(1, z));
        let last = [self.counts[0] - 1, self.counts[1] - 1];
        if !((0.0..=last[0] as Real).contains(&u) && (0.0..=last[1] as Real).contains(&v)) {
            return None;
        }
        let (i, k) = ((u as u32).min(last[0] - 1), (v as u32).min(last[1] - 1));
        let (s, t) = (u - i as Real, v - k as Real);
        let h = |di: u32, dk: u32| self.heights[((k + dk) * self.counts[0] + i + di) as usize];
        Some(if s + t <= 1.0 {
            h(0, 0) + (h(1, 0) - h(0, 0)) * s + (h(0, 1) - h(0, 0)) * t
        } else {
            h(1, 1) + (h(0, 1) - h(1, 1)) * (1.0 - s) + (h(1, 0) - h(1, 1)) * (1.0 - t)
        })
    }

    /// Corner points [m].
    pub fn vertices(&self) -> Vec<Vec3> {
        (0..self.counts[1]).flat_map(|k| (0..self.counts[0]).map(move |i| self.vertex(i, k))).collect()
    }

    /// Grid coordinate of a position along axis 0 (x) or 1 (z).
    fn grid(&self, axis: usize, position: Real) -> Real {
        (position / self.size[axis] + 0.5) * (self.counts[axis] - 1) as Real
    }

    #[inline]
    fn vertex(&self, i: u32, k: u32) -> Vec3 {
        let x = self.size.x * (i as Real / (self.counts[0] - 1) as Real - 0.5);
        let z = self.size.y * (k as Real / (self.counts[1] - 1) as Real - 0.5);
        Vec3::new(x, self.heights[(k * self.counts[0] + i) as usize], z)
    }

    /// Cells along x and z.
    fn cells(&self) -> [u32; 2] {
        [self.counts[0] - 1, self.counts[1] - 1]
    }

    /// Column, row and half of a triangle.
    #[inline]
    fn place(&self, index: u32) -> (u32, u32, bool) {
        let cell = index / 2;
        (cell % self.cells()[0], cell / self.cells()[0], index & 1 == 1)
    }

    /// Corners of triangle `index` [m].
    #[inline]
    pub fn corners(&self, index: u32) -> [Vec3; 3] {
        let (i, k, upper) = self.place(index);
        let (b, c) = (self.vertex(i + 1, k), self.vertex(i, k + 1));
        if upper { [b, c, self.vertex(i + 1, k + 1)] } else { [self.vertex(i, k), c, b] }
    }

    /// Triangle beyond edge `edge` of triangle `index`; None at the border.
    fn neighbor(&self, index: u32, edge: usize) -> Option<u32> {
        let (i, k, upper) = self.place(index);
        let [columns, rows] = self.cells();
        let number = |i: u32, k: u32, upper: bool| 2 * (k * columns + i) + u32::from(upper);
        match (upper, edge) {
            (false, 0) => (i > 0).then(|| number(i - 1, k, true)),
            (false, 1) => Some(number(i, k, true)),
            (false, _) => (k > 0).then(|| number(i, k - 1, true)),
            (true, 0) => Some(number(i, k, false)),
            (true, 1) => (k + 1 < rows).then(|| number(i, k + 1, false)),
            (true, _) => (i + 1 < columns).then(|| number(i + 1, k, false)),
        }
    }

    /// Cells along `axis` that the stretch from `low` to `high` [m] meets; None if it lies beside the field.
    fn cell_range(&self, axis: usize, low: Real, high: Real) -> Option<(u32, u32)> {
        let last = self.cells()[axis] - 1;
        let (from, to) = (self.grid(axis, low), self.grid(axis, high));
        if !(from <= (last + 1) as Real && to >= 0.0) {
            return None;
        }
        Some(((from.max(0.0) as u32).min(last), (to.max(0.0) as u32).min(last)))
    }

    /// Lowest and highest corner of a cell [m].
    fn cell_heights(&self, i: u32, k: u32) -> (Real, Real) {
        let at = (k * self.counts[0] + i) as usize;
        let row = self.counts[0] as usize;
        let h = [self.heights[at], self.heights[at + 1], self.heights[at + row], self.heights[at + row + 1]];
        h.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, m), &y| (l.min(y), m.max(y)))
    }

    /// True if `p` is below the surface and not below its lowest point.
    pub(crate) fn contains(&self, p: Vec3) -> bool {
        p.y >= self.bounds.min.y && self.height_at(p.x, p.z).is_some_and(|h| p.y <= h)
    }

    pub(crate) fn ray_cast(&self, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
        if self.contains(ray.origin) {
            return Some(LocalRayHit { t: 0.0, normal: Vec3::ZERO });
        }
        let mut best: Option<LocalRayHit<D3>> = None;
        self.visit_ray(ray, Vec3::ZERO, &mut |index, max| {
            let Some(hit) = triangle::crossing(self.corners(index), &LocalRay { max, ..*ray }) else {
                return max;
            };
            if best.is_none_or(|b| hit.t < b.t) {
                let normal = self.normal(index);
                best = Some(LocalRayHit { t: hit.t, normal: if hit.is_front { normal } else { -normal } });
            }
            hit.t.min(max)
        });
        best
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.put(&self.size);
        out.u32(self.counts[0]);
        out.u32(self.heights.len() as u32);
        self.heights.iter().for_each(|&h| out.real(h));
    }

    pub(super) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let size = input.get()?;
        let columns = input.u32()?;
        let count = input.length(4)?;
        let heights = (0..count).map(|_| input.real()).collect::<Result<Vec<_>, _>>()?;
        Self::from_parts(size, columns, heights).map_err(|error| input.damaged(&error.to_string()))
    }
}

impl Composite<D3> for HeightFieldData {
    fn child_count(&self) -> u32 {
        2 * self.cells()[0] * self.cells()[1]
    }

    fn child(&self, index: u32) -> Shape3 {
        let [a, b, c] = self.corners(index);
        Shape3::Triangle { a, b, c }
    }

    fn child_bounds(&self, index: u32) -> Aabb<D3> {
        triangle::bounds(self.corners(index))
    }

    fn normal(&self, index: u32) -> Vec3 {
        triangle::normal(self.corners(index)).unwrap_or(Vec3::Y)
    }

    fn allows(&self, index: u32, direction: Vec3) -> bool {
        let n = self.normal(index);
        let out = triangle::outwards(self.corners(index), n);
        (0..3).all(|k| {
            let lean = match self.neighbor(index, k) {
                Some(other) => Lean::towards(n, out[k], self.normal(other)),
                None => Lean::OPEN,
            };
            lean.allows(n, out[k], direction)
        })
    }

    fn bounds(&self) -> Aabb<D3> {
        self.bounds
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn is_ground(&self) -> bool {
        true
    }

    /// Triangles *below* which the box reaches count too: the ground is solid.
    fn visit(&self, bounds: &Aabb<D3>, visit: &mut dyn FnMut(u32)) {
        let Some((i0, i1)) = self.cell_range(0, bounds.min.x, bounds.max.x) else { return };
        let Some((k0, k1)) = self.cell_range(1, bounds.min.z, bounds.max.z) else { return };
        for k in k0..=k1 {
            for i in i0..=i1 {
                if bounds.min.y <= self.cell_heights(i, k).1 {
                    let first = 2 * (k * self.cells()[0] + i);
                    visit(first);
                    visit(first + 1);
                }
            }
        }
    }

    fn visit_below(&self, normal: Vec3, offset: Real, visit: &mut dyn FnMut(u32)) {
        for index in 0..self.child_count() {
            if self.corners(index).iter().any(|v| normal.dot(*v) <= offset) {
                visit(index);
            }
        }
    }

    fn visit_ray(&self, ray: &LocalRay<D3>, grow: Vec3, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let grow = grow + Vec3::splat(GRID_ROUNDING * self.bounds.size().max_element());
        let grown = Aabb::<D3> { min: self.bounds.min - grow, max: self.bounds.max + grow };
        let inverse = inverse_of::<D3>(ray.direction);
        let Some((enter, leave)) = grown.ray(ray.origin.into(), inverse, ray.max) else { return };
        // Slab by slab along the axis of more cells.
        let steps = |axis: usize, d: Real| d.abs() * (self.cells()[axis] as Real) / self.size[axis];
        let along = usize::from(steps(1, ray.direction.z) > steps(0, ray.direction.x));
        let (main, side) = if along == 0 { (0, 2) } else { (2, 0) };
        let reach = |axis: usize, t0: Real, t1: Real| {
            let (p, q) =
                (ray.origin[axis] + ray.direction[axis] * t0, ray.origin[axis] + ray.direction[axis] * t1);
            (p.min(q) - grow[axis], p.max(q) + grow[axis])
        };
        // An unbounded end, for rays of infinite length along y alone.
        let leave = leave.min(Real::MAX);
        let (low, high) = reach(main, enter, leave);
        let Some((first, last)) = self.cell_range(along, low, high) else { return };
        let mut max = ray.max;
        let count = last - first + 1;
        for step in 0..count {
            let slab = if ray.direction[main] >= 0.0 { first + step } else { last - step };
            let cell = self.size[along] / self.cells()[along] as Real;
            let edge = slab as Real * cell - 0.5 * self.size[along];
            let (mut t0, mut t1) = (enter, leave.min(max));
            if ray.direction[main] != 0.0 {
                let inv = 1.0 / ray.direction[main];
                let a = (edge - grow[main] - ray.origin[main]) * inv;
                let b = (edge + cell + grow[main] - ray.origin[main]) * inv;
                (t0, t1) = (t0.max(a.min(b)), t1.min(a.max(b)));
            }
            if t0 > t1 {
                continue;
            }
            let (low, high) = reach(side, t0, t1);
            let Some((k0, k1)) = self.cell_range(1 - along, low, high) else { continue };
            let (bottom, top) = reach(1, t0, t1);
            for k in k0..=k1 {
                let (i, k) = if along == 0 { (slab, k) } else { (k, slab) };
                let (l, h) = self.cell_heights(i, k);
                if bottom <= h && top >= l {
                    let index = 2 * (k * self.cells()[0] + i);
                    max = visit(index, max);
                    max = visit(index + 1, max);
                }
            }
        }
    }

    fn visit_near(&self, bounds: &Aabb<D3>, limit: Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let mut limit = limit;
        let far = crate::shape::composite::box_distance(&self.bounds, bounds) + self.bounds.size().length();
        let cell = self.size / Vec2::new(self.cells()[0] as Real, self.cells()[1] as Real);
        let mut reach = crate::shape::composite::box_distance(&self.bounds, bounds) + cell.max_element();
        // Rings of doubled width, until what was found is nearer than what was not looked at.
        loop {
            let ring = bounds.grown(reach.min(limit));
            self.visit(&ring, &mut |index| limit = visit(index, limit));
            if limit <= reach || reach >= far {
                return;
            }
            reach *= 2.0;
        }
    }
}
