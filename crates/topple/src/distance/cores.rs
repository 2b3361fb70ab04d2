//! Two cores as one set: the Minkowski difference B − A, known through its support points.

use super::wide::Wide;
use crate::math::*;
use crate::shape::ShapeOps;

/// Distance, relative to the size of the two, below which a point counts as inside of a box (no unit): its direction would be rounding.
const TOUCHING: f64 = 1e-7;

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
        // PERF: to ask for a supporting point instead is 3 % of the step of a heap of cylinders.
        if [a, b].iter().any(|shape| shape.composite().is_some() || shape.half_space().is_some()) {
            return None;
        }
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

    /// Distance of a point and a box, or of two points, in closed form; None for other cores, and for a point in the box. As exact as the
    /// rotation is a unit one.
    pub(crate) fn of_point_and_box(&self) -> Option<CoreDistance> {
        let [half_a, half_b] = [self.a.core_box()?, self.b.core_box()?];
        let clamped = |p: Wide, half: D::Vec| {
            let h = Wide::of(half);
            // Not `clamp`, which panics where there is no box.
            Wide::new(p.x.min(h.x).max(-h.x), p.y.min(h.y).max(-h.y), p.z.min(h.z).max(-h.z))
        };
        // From the point to the box, in the frame of the box: nothing at all for a point inside, whatever rounding made of the axes.
        let (on_a, between) = if half_b == D::Vec::ZERO {
            let on_a = clamped(self.position, half_a);
            (on_a, self.position - on_a)
        } else if half_a == D::Vec::ZERO {
            let [x, y, z] = self.axes;
            let p = Wide::new(-x.dot(self.position), -y.dot(self.position), -z.dot(self.position));
            let way = clamped(p, half_b) - p;
            (Wide::ZERO, x * way.x + y * way.y + z * way.z)
        } else {
            return None;
        };
        let (on_b, distance) = (on_a + between, between.length());
        let size =
            self.position.length_squared() + f64::from(half_a.length_squared() + half_b.length_squared());
        // As in the search: what touches has no direction.
        if distance * distance <= TOUCHING * TOUCHING * size {
            return None;
        }
        Some(CoreDistance { distance, normal: between.unit()?, on_a, on_b, iterations: [0, 0] })
    }

    /// Gap between the cores along the unit vector `n` from a to b; negative where they overlap.
    #[inline]
    pub(crate) fn gap(&self, n: Wide) -> f64 {
        let local = [n.dot(self.axes[0]), n.dot(self.axes[1]), n.dot(self.axes[2])];
        let reach = |shape: &D::Shape, d: [f64; 3]| shape.reach_wide(d).unwrap_or(0.0);
        n.dot(self.position) - reach(self.a, [n.x, n.y, n.z]) - reach(self.b, local.map(|x| -x))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::core_distance;
    use crate::shape::{Shape2, Shape3};

    /// The closed form agrees with the search, whichever of the two is the point.
    fn points_and_boxes_are_as_far_as_the_search_finds<D: Dim>(point: &D::Shape, cuboid: &D::Shape) {
        // Places of up to 5 m times what rounding makes of the axes of a rotation, a few units of the last digit.
        const TOLERANCE: f64 = 5e-6;
        let mut seed = 5_u32;
        let mut pick = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as Real / (1 << 22) as Real - 2.0
        };
        let mut outside = 0;
        for round in 0..2000 {
            let (mut at, mut turn) = (D::Vec::ZERO, D::Ang::ZERO);
            (0..D::N).for_each(|i| at.set(i, pick() * 1.5));
            (0..D::ANGULAR).for_each(|i| turn.set(i, pick()));
            let pose =
                Pose { position: D::Point::from_vec(at), rotation: D::Rot::from_ang(turn).normalized() };
            let [a, b] = [[point, cuboid], [cuboid, point], [point, point]][round % 3];
            let cores = Cores::<D>::new(a, b, &pose).unwrap();
            let searched = core_distance(&cores, cores.guess());
            let Some(found) = cores.of_point_and_box() else {
                assert!(searched.distance < TOLERANCE, "{} m is outside", searched.distance);
                continue;
            };
            outside += 1;
            let off = found.normal - searched.normal;
            assert!((found.distance - searched.distance).abs() < TOLERANCE, "{found:?}, {searched:?}");
            assert!(off.length() * found.distance < TOLERANCE, "{found:?}, {searched:?}");
            let ends = (found.on_a - searched.on_a).length().max((found.on_b - searched.on_b).length());
            assert!(ends < TOLERANCE, "{found:?}, {searched:?}");
        }
        assert!(outside > 1000, "{outside} points outside");
    }

    #[test]
    fn points_and_boxes_are_as_far_as_the_search_finds_2d() {
        let cuboid = Shape2::rectangle(1.0, 3.0);
        points_and_boxes_are_as_far_as_the_search_finds::<D2>(&Shape2::circle(0.5), &cuboid);
    }

    #[test]
    fn points_and_boxes_are_as_far_as_the_search_finds_3d() {
        let cuboid = Shape3::cuboid(1.0, 3.0, 2.0);
        points_and_boxes_are_as_far_as_the_search_finds::<D3>(&Shape3::sphere(0.5), &cuboid);
    }
}
