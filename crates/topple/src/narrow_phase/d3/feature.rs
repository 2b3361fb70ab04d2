//! Which patch of a convex shape looks along a direction: a face, the flat end of a cylinder or cone, a line, a point, with their corners.

use super::patch::CapCorners;
use super::stays;
use crate::math::*;
use crate::shape::Shape3;
use crate::shape::d3::{BoxHull, triangle};

/// Unit circle in sixteen steps: caps are polygons fixed in the body, so that their corners can be recognised.
pub(super) const CIRCLE: [(Real, Real); 16] = [
    (1.0, 0.0),
    (C1, S1),
    (C2, C2),
    (S1, C1),
    (0.0, 1.0),
    (-S1, C1),
    (-C2, C2),
    (-C1, S1),
    (-1.0, 0.0),
    (-C1, -S1),
    (-C2, -C2),
    (-S1, -C1),
    (0.0, -1.0),
    (S1, -C1),
    (C2, -C2),
    (C1, -S1),
];
/// cos and sin of π/8, and of π/4.
const C1: Real = 0.923_879_5;
const S1: Real = 0.382_683_43;
const C2: Real = core::f32::consts::FRAC_1_SQRT_2;

/// The patch of a shape that looks along a direction: where its corners are, and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feature {
    Point(Vec3),
    Segment([Vec3; 2]),
    /// Face of a hull or box, by number.
    Face(usize),
    /// Flat end of a cylinder or cone: radius, height.
    Cap(Real, Real),
}

/// The patch of `shape` that looks along the unit vector `d` (frame of the shape).
pub(super) fn feature(shape: &Shape3, d: Vec3) -> Feature {
    let azimuth = || {
        let l = (d.x * d.x + d.z * d.z).sqrt();
        if l > 0.0 { Vec3::new(d.x / l, 0.0, d.z / l) } else { Vec3::X }
    };
    match shape {
        Shape3::Sphere { .. } | Shape3::Plane { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => {
            Feature::Point(Vec3::ZERO)
        }
        // Face 0 is the front, face 1 the back.
        Shape3::Triangle { a, b, c } => Feature::Face(usize::from((*b - *a).cross(*c - *a).dot(d) < 0.0)),
        Shape3::Capsule { a, b, .. } => Feature::Segment([*a, *b]),
        Shape3::Box { .. } => Feature::Face(BoxHull::face_along(d)),
        Shape3::Hull { data, .. } => Feature::Face(data.view().face_along(d)),
        Shape3::Cylinder { half_height, radius, .. } => {
            if d.y.abs() > C2 {
                Feature::Cap(*radius, half_height.copysign(d.y))
            } else {
                let (side, up) = (azimuth() * *radius, Vec3::Y * *half_height);
                Feature::Segment([side - up, side + up])
            }
        }
        Shape3::Cone { half_height, radius, .. } => {
            let out = azimuth();
            let slope = (out * (2.0 * half_height) + Vec3::Y * *radius).normalize_or(out);
            let (apex, rim) = (Vec3::Y * *half_height, out * *radius - Vec3::Y * *half_height);
            if -d.y > slope.dot(d) {
                Feature::Cap(*radius, -half_height)
            } else if d.y > slope.y && slope.dot(d) < C2 {
                Feature::Point(apex)
            } else {
                Feature::Segment([rim, apex])
            }
        }
    }
}

/// The outward normal of a flat feature, in the frame of the shape.
pub(super) fn flat_normal(shape: &Shape3, feature: &Feature) -> Option<Vec3> {
    match (feature, shape) {
        (Feature::Face(i), Shape3::Box { .. }) => Some(BoxHull::normal(*i)),
        (Feature::Face(i), Shape3::Hull { data, .. }) => data.faces().get(*i).map(|f| f.normal),
        (Feature::Face(i), Shape3::Triangle { a, b, c }) => {
            let front = triangle::normal([*a, *b, *c]);
            front.map(|n| if *i == 0 { n } else { -n })
        }
        (Feature::Cap(_, y), _) => Some(Vec3::Y * y.signum()),
        _ => None,
    }
}

/// Outward normal of the flat face that looks along the unit vector `d`, all in the frame of the shape; None if what looks that way is curved.
pub(crate) fn face_along(shape: &Shape3, d: Vec3) -> Option<Vec3> {
    flat_normal(shape, &feature(shape, d))
}

/// Corners of a feature, placed by `place`; returns their number. Seen from outside, counter-clockwise.
pub(super) fn corners<const N: usize>(
    shape: &Shape3,
    feature: &Feature,
    place: impl Fn(Vec3) -> Vec3,
    out: &mut [Vec3; N],
) -> usize {
    match feature {
        Feature::Point(p) => {
            out[0] = place(*p);
            1
        }
        Feature::Segment([p, q]) => {
            (out[0], out[1]) = (place(*p), place(*q));
            2
        }
        Feature::Face(i) => match shape {
            Shape3::Box { half, .. } => {
                for (slot, v) in out.iter_mut().zip(BoxHull::corners(*half, *i)) {
                    *slot = place(v);
                }
                4.min(N)
            }
            Shape3::Hull { data, .. } => {
                let face = &data.faces()[*i];
                for (slot, v) in out.iter_mut().zip(data.view().corners(face)) {
                    *slot = place(data.vertices()[v]);
                }
                usize::from(face.count).min(N)
            }
            Shape3::Triangle { a, b, c } => {
                let corners = if *i == 0 { [*a, *b, *c] } else { [*a, *c, *b] };
                for (slot, v) in out.iter_mut().zip(corners) {
                    *slot = place(v);
                }
                3.min(N)
            }
            _ => 0,
        },
        Feature::Cap(radius, y) => {
            for (slot, (c, s)) in out.iter_mut().zip(CIRCLE) {
                // From x to z is clockwise seen from above.
                let s = if *y > 0.0 { -s } else { s };
                *slot = place(Vec3::new(radius * c, *y, radius * s));
            }
            CIRCLE.len().min(N)
        }
    }
}

/// The corners of a cap by three vectors, as [`corners`] has them.
pub(super) fn cap_corners(
    feature: &Feature,
    place: impl Fn(Vec3) -> Vec3,
    turn: impl Fn(Vec3) -> Vec3,
) -> Option<CapCorners> {
    let Feature::Cap(radius, y) = *feature else { return None };
    let (first, quarter) = (turn(Vec3::X * radius), turn(Vec3::Z * if y > 0.0 { -radius } else { radius }));
    Some(CapCorners { middle: place(Vec3::Y * y), first, quarter })
}

/// Most corners the feature can have.
pub(super) fn corner_count(shape: &Shape3, feature: &Feature) -> usize {
    match (feature, shape) {
        (Feature::Face(i), Shape3::Hull { data, .. }) => usize::from(data.faces()[*i].count),
        _ => CIRCLE.len(),
    }
}

/// A number for the kind of feature, for ids.
pub(super) fn feature_code(feature: &Feature) -> u32 {
    match feature {
        Feature::Point(_) => 1000,
        Feature::Segment(_) => 1001,
        Feature::Face(i) => *i as u32,
        Feature::Cap(_, y) => 1002 + u32::from(*y > 0.0),
    }
}

/// The feature of `shape` that looks along the unit vector `d`; the face `last` if that does so nearly as well.
pub(super) fn incident(shape: &Shape3, d: Vec3, last: Option<u16>) -> Feature {
    let now = feature(shape, d);
    let (Feature::Face(i), Some(last)) = (now, last) else { return now };
    let old = Feature::Face(usize::from(last));
    let along = |feature: &Feature| flat_normal(shape, feature).map_or(0.0, |n| n.dot(d));
    if i != usize::from(last) && stays(along(&old), along(&now)) { old } else { now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_turn_counter_clockwise_seen_from_outside() {
        let shape = Shape3::cylinder(2.0, 1.0);
        for y in [-1.0, 1.0] {
            let mut points = [Vec3::ZERO; 16];
            let n = corners(&shape, &Feature::Cap(1.0, y), |p| p, &mut points);
            let turn = (points[1] - points[0]).cross(points[2] - points[1]);
            assert!(n == 16 && turn.y * y > 0.0, "{turn:?}");
        }
    }
}
