//! Height fields of the plane: heights at even distances along x, everything below solid.
//!
//! Segment i runs from height i + 1 back to height i, so that its front is up.

use super::Shape2;
use super::chain::{normal, out_at_start};
use crate::Error;
use crate::error::positive;
use crate::math::*;
use crate::shape::composite::{Composite, GRID_ROUNDING, Lean, box_distance};
use crate::shape::{LocalRay, LocalRayHit};
use crate::store::{Reader, Writer};

/// Most heights a field of the plane can have.
const MAX_HEIGHTS: usize = 1 << 26;

/// Heights at even distances.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightFieldData2 {
    /// Full width [m], about the origin.
    width: Real,
    heights: Vec<Real>,
    bounds: Aabb<D2>,
}

impl HeightFieldData2 {
    /// A field of the given full width [m] about the origin, heights [m] from left to right, at least two.
    pub fn new(width: Real, heights: &[Real]) -> Result<Self, Error> {
        Self::from_parts(width, heights.to_vec())
    }

    fn from_parts(width: Real, heights: Vec<Real>) -> Result<Self, Error> {
        positive("HeightField.width", width)?;
        let refuse = |reason: String| Err(Error::degenerate("height field", reason));
        if heights.len() < 2 || heights.len() > MAX_HEIGHTS {
            return refuse(format!("has {} heights, but takes from 2 to {MAX_HEIGHTS}", heights.len()));
        }
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return refuse(format!("height {index} is {:?}, but must be finite", heights[index]));
        }
        let (low, high) =
            heights.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), &y| (l.min(y), h.max(y)));
        let half = 0.5 * width;
        let bounds = Aabb { min: Vec2::new(-half, low).into(), max: Vec2::new(half, high).into() };
        Ok(Self { width, heights, bounds })
    }

    /// Full width [m].
    pub fn width(&self) -> Real {
        self.width
    }

    /// Heights from left to right [m].
    pub fn heights(&self) -> &[Real] {
        &self.heights
    }

    /// Height of the surface at x [m]; None beside the field.
    pub fn height_at(&self, x: Real) -> Option<Real> {
        let u = self.grid(x);
        let last = self.child_count();
        if !(0.0..=last as Real).contains(&u) {
            return None;
        }
        let i = (u as usize).min(last as usize - 1);
        Some(self.heights[i] + (self.heights[i + 1] - self.heights[i]) * (u - i as Real))
    }

    /// Corner points from left to right [m].
    pub fn vertices(&self) -> Vec<Vec2> {
        (0..self.heights.len()).map(|i| self.vertex(i as u32)).collect()
    }

    fn grid(&self, x: Real) -> Real {
        (x / self.width + 0.5) * self.child_count() as Real
    }

    #[inline]
    fn vertex(&self, i: u32) -> Vec2 {
        let x = self.width * (i as Real / (self.heights.len() - 1) as Real - 0.5);
        Vec2::new(x, self.heights[i as usize])
    }

    fn ends(&self, index: u32) -> [Vec2; 2] {
        [self.vertex(index + 1), self.vertex(index)]
    }

    fn range(&self, low: Real, high: Real) -> Option<(u32, u32)> {
        let last = self.child_count() - 1;
        let (from, to) = (self.grid(low), self.grid(high));
        if !(from <= (last + 1) as Real && to >= 0.0) {
            return None;
        }
        Some(((from.max(0.0) as u32).min(last), (to.max(0.0) as u32).min(last)))
    }

    pub(super) fn contains(&self, p: Vec2) -> bool {
        p.y >= self.bounds.min.y && self.height_at(p.x).is_some_and(|h| p.y <= h)
    }

    pub(super) fn ray_cast(&self, ray: &LocalRay<D2>) -> Option<LocalRayHit<D2>> {
        if self.contains(ray.origin) {
            return (ray.max >= 0.0).then_some(LocalRayHit { t: 0.0, normal: Vec2::ZERO });
        }
        super::chain::ray_cast(self, ray)
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.real(self.width);
        out.u32(self.heights.len() as u32);
        self.heights.iter().for_each(|&h| out.real(h));
    }

    pub(super) fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let width = input.real()?;
        let count = input.length(4)?;
        let heights = (0..count).map(|_| input.real()).collect::<Result<Vec<_>, _>>()?;
        Self::from_parts(width, heights).map_err(|error| input.damaged(&error.to_string()))
    }
}

impl Composite<D2> for HeightFieldData2 {
    fn child_count(&self) -> u32 {
        self.heights.len() as u32 - 1
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
        normal(self.ends(index))
    }

    fn allows(&self, index: u32, direction: Vec2) -> bool {
        let n = self.normal(index);
        let out = out_at_start(n);
        // The segment starts at its right end.
        let right = index + 1 < self.child_count();
        let lean = |there: bool, other: u32, out: Vec2| {
            if there { Lean::towards(n, out, self.normal(other)) } else { Lean::OPEN }
        };
        lean(right, index + 1, out).allows(n, out, direction)
            && lean(index > 0, index.wrapping_sub(1), -out).allows(n, -out, direction)
    }

    fn bounds(&self) -> Aabb<D2> {
        self.bounds
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn is_ground(&self) -> bool {
        true
    }

    /// Segments *below* which the box reaches count too: the ground is solid.
    fn visit(&self, bounds: &Aabb<D2>, visit: &mut dyn FnMut(u32)) {
        let Some((from, to)) = self.range(bounds.min.x, bounds.max.x) else { return };
        for index in from..=to {
            if bounds.min.y <= self.heights[index as usize].max(self.heights[index as usize + 1]) {
                visit(index);
            }
        }
    }

    fn visit_below(&self, normal: Vec2, offset: Real, visit: &mut dyn FnMut(u32)) {
        for index in 0..self.child_count() {
            if self.ends(index).iter().any(|v| normal.dot(*v) <= offset) {
                visit(index);
            }
        }
    }

    fn visit_ray(&self, ray: &LocalRay<D2>, grow: Vec2, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let grow = grow + Vec2::splat(GRID_ROUNDING * self.bounds.size().max_element());
        let grown = Aabb::<D2> { min: self.bounds.min - grow, max: self.bounds.max + grow };
        let inverse = crate::shape::composite::inverse_of::<D2>(ray.direction);
        let Some((enter, leave)) = grown.ray(ray.origin.into(), inverse, ray.max) else { return };
        let at = |t: Real| ray.origin.x + ray.direction.x * t;
        let (p, q) = (at(enter), at(leave.min(Real::MAX)));
        let Some((from, to)) = self.range(p.min(q) - grow.x, p.max(q) + grow.x) else { return };
        let mut max = ray.max;
        for step in 0..=to - from {
            let index = if ray.direction.x >= 0.0 { from + step } else { to - step };
            let bounds = self.child_bounds(index);
            let grown = Aabb::<D2> { min: bounds.min - grow, max: bounds.max + grow };
            if grown.ray(ray.origin.into(), inverse, max).is_some() {
                max = visit(index, max);
            }
        }
    }

    fn visit_near(&self, bounds: &Aabb<D2>, limit: Real, visit: &mut dyn FnMut(u32, Real) -> Real) {
        let mut limit = limit;
        let start = box_distance(&self.bounds, bounds);
        let far = start + self.bounds.size().length();
        let mut reach = start + self.width / self.child_count() as Real;
        // Stretches of doubled width, until what was found is nearer than what was not looked at.
        loop {
            self.visit(&bounds.grown(reach.min(limit)), &mut |index| limit = visit(index, limit));
            if limit <= reach || reach >= far {
                return;
            }
            reach *= 2.0;
        }
    }
}
