//! Two cores as one set: the Minkowski difference B − A, known through its support points.

use super::wide::Wide;
use crate::math::*;
use crate::shape::ShapeOps;

/// A point of B − A and the points of the two cores it comes from, in the frame of a.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    pub w: Wide,
    pub a: Wide,
    pub b: Wide,
}

/// The cores of two bounded convex shapes (without their rounding), in the frame of a.
pub(crate) struct Cores<'a, D: Dim> {
    a: &'a D::Shape,
    b: &'a D::Shape,
    /// Axes of b in the frame of a.
    axes: [Wide; 3],
    /// Origin of b in the frame of a [m].
    position: Wide,
}

impl<'a, D: Dim> Cores<'a, D> {
    /// None if one of the shapes has no support function (planes, meshes).
    pub(crate) fn new(a: &'a D::Shape, b: &'a D::Shape, b_in_a: &Pose<D>) -> Option<Self> {
        a.support(D::Vec::axis(0))?;
        b.support(D::Vec::axis(0))?;
        let axis = |i: usize| {
            if i < D::N {
                Wide::of(b_in_a.rotation.rotate(D::Vec::axis(i)))
            } else {
                Wide::new(0.0, 0.0, 1.0)
            }
        };
        Some(Self { a, b, axes: [axis(0), axis(1), axis(2)], position: Wide::of(b_in_a.position.to_vec()) })
    }

    /// Moves b by `offset` [m], in the frame of a.
    pub(crate) fn shift(&mut self, offset: Wide) {
        self.position = self.position + offset;
    }

    /// Axes of b in the frame of a.
    pub(crate) fn axes(&self) -> &[Wide; 3] {
        &self.axes
    }

    /// From a to b, roughly: where to look first. The origin of b in the frame of a.
    pub(crate) fn guess(&self) -> Wide {
        self.position
    }

    /// Farthest point of B − A along `direction`.
    #[inline]
    pub(crate) fn support(&self, direction: Wide) -> Vertex {
        // Only the direction matters; in the range of f32 whatever its length.
        let reach = direction.reach();
        let d = if reach > 0.0 { direction * (1.0 / reach) } else { Wide::new(1.0, 0.0, 0.0) };
        let local = Wide::new(d.dot(self.axes[0]), d.dot(self.axes[1]), d.dot(self.axes[2]));
        let a = self.a.support_wide([-d.x, -d.y, -d.z]).map_or(Wide::ZERO, Wide::from);
        let b = self.b.support_wide([local.x, local.y, local.z]).map_or(Wide::ZERO, Wide::from);
        let b = self.position + self.axes[0] * b.x + self.axes[1] * b.y + self.axes[2] * b.z;
        Vertex { w: b - a, a, b }
    }

    /// Gap between the cores along the unit vector `n` from a to b; negative where they overlap.
    #[inline]
    pub(crate) fn gap(&self, n: Wide) -> f64 {
        self.support(-n).w.dot(n)
    }
}

/// How two cores lie to each other, in the frame of a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreDistance {
    /// Distance; negative: depth of the overlap [m].
    pub distance: f64,
    /// Unit vector from a to b.
    pub normal: Wide,
    /// Closest (or deepest) point of a.
    pub on_a: Wide,
    /// Closest (or deepest) point of b.
    pub on_b: Wide,
    /// GJK and EPA iterations spent.
    pub iterations: [u32; 2],
}
