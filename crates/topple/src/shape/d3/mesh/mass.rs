//! Mass of the volume that triangles enclose, in f64: the sum of signed tetrahedra from a point in their middle
//! [Mirtich1996], [Eberly2002]. Exact for any closed surface, convex or not.

use crate::distance::Wide;
use crate::math::*;
use crate::shape::Mass;
use crate::shape::d3::hull::Moments;

/// Mass properties for density 1, and the area of the surface [m²].
pub(super) fn integrate(triangles: impl Iterator<Item = [Vec3; 3]> + Clone) -> (Mass<D3>, Real) {
    let (mut middle, mut count) = (Wide::ZERO, 0.0);
    for corner in triangles.clone().flatten() {
        middle = middle + Wide::of(corner);
        count += 1.0;
    }
    // From a point near the middle: far from the origin the moments would cancel.
    let origin = middle * (1.0 / f64::max(count, 1.0));
    let mut sum = Moments::default();
    let mut area = 0.0;
    for corners in triangles {
        let [a, b, c] = corners.map(|v| Wide::of(v) - origin);
        area += 0.5 * (b - a).cross(c - a).length();
        sum.add_cone([a, b, c]);
    }
    (sum.finish(origin, 1.0), area as Real)
}

/// Mass of a filled box for density 1.
pub(super) fn of_box(bounds: &Aabb<D3>) -> Mass<D3> {
    let s = bounds.size();
    let mass = s.x * s.y * s.z;
    let square = s * s;
    let inertia = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
    Mass { mass, center: bounds.center().to_vec(), inertia: SymMat3::from_diagonal(inertia) }
}
