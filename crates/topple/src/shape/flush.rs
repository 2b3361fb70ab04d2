//! Shapes that lie side by side in one plane, tiles in a floor: their faces, and what is below those.

use super::ShapeOps;
use crate::distance::point_shape;
use crate::math::*;

/// Cosine of the angle up to which two faces look the same way (no unit; 3.6°).
const SAME_WAY: Real = 0.998;

/// How far from a face a point may be and be part of it, in slops: a slop beyond the border, where contacts are cut off, or above the face, or both.
pub(crate) const INTO: Real = 1.5;
/// How far below a face it is asked whether a point is inside, in slops: more than rounding, and so little that sides that slant inwards below the face are still farther out.
const BELOW: Real = 0.1;
/// Inner radius up to which a shape is thin, in slops.
const THIN: Real = 2.0;

/// A shape at its place in the world.
pub(crate) struct Placed<'a, D: Dim> {
    pub shape: &'a D::Shape,
    pub pose: Pose<D>,
}

/// A face in the world: its outward unit normal, and its height along that, from the origin that was given [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face<D: Dim> {
    pub normal: D::Vec,
    pub height: Real,
}

impl<D: Dim> Face<D> {
    /// The point of the plane of the face that is next to `p`.
    pub(crate) fn onto(&self, p: D::Vec) -> D::Vec {
        p + self.normal * self.above(p, -1.0)
    }

    /// Height of a point above the plane [m], times `sign`.
    fn above(&self, p: D::Vec, sign: Real) -> Real {
        sign * (self.normal.dot(p) - self.height)
    }

    /// Height of a point above the plane [m].
    pub(crate) fn height_of(&self, p: D::Vec) -> Real {
        self.above(p, 1.0)
    }

    /// True if another face lies in the same plane, give or take `level` [m].
    pub(crate) fn is_level(&self, other: &Self, level: Real) -> bool {
        other.normal.dot(self.normal) >= SAME_WAY && (other.height - self.height).abs() <= level
    }
}

impl<D: Dim> Placed<'_, D> {
    /// A point well inside, in the world.
    pub(crate) fn middle(&self) -> D::Point {
        let is_composite = self.shape.composite().is_some();
        self.pose.transform(if is_composite { self.shape.mass(1.0).center } else { self.shape.middle() })
    }

    /// The face that looks along `way` the most, seen from `origin`. Of a mesh or chain, that of a child within `reach` [m] of there.
    pub(crate) fn face(&self, way: D::Vec, origin: D::Point, reach: Real) -> Option<Face<D>> {
        let way = self.pose.rotation.rotate_inv(way.normalize_or(D::Vec::ZERO));
        if way == D::Vec::ZERO {
            return None;
        }
        let placed = |normal: D::Vec, point: D::Vec| {
            let normal = self.pose.rotation.rotate(normal);
            Face { normal, height: normal.dot(self.pose.transform(point) - origin) }
        };
        if let Some((normal, offset)) = self.shape.half_space() {
            return Some(placed(normal, normal * offset));
        }
        let Some(composite) = self.shape.composite() else {
            let normal = self.shape.face_along(way)?;
            return Some(placed(normal, self.shape.support(normal)? + normal * self.shape.rounding()));
        };
        let mut best: Option<(Real, Face<D>)> = None;
        let here = D::Point::from_vec(self.pose.inverse_transform(origin));
        composite.visit(&Aabb { min: here, max: here }.grown(reach), &mut |index| {
            let normal = composite.normal(index);
            let along = normal.dot(way);
            if best.as_ref().is_none_or(|(known, _)| along > *known)
                && let Some(point) = composite.child(index).support(normal)
            {
                best = Some((along, placed(normal, point)));
            }
        });
        best.map(|(_, face)| face)
    }

    /// The sides of the box around the shape, in its own frame, that a point is outside of: unit vectors in the world.
    pub(crate) fn sides(&self, point: D::Point) -> impl Iterator<Item = D::Vec> {
        let bounds = self.shape.aabb(&Pose::IDENTITY);
        let p = self.pose.inverse_transform(point);
        let (above, below) = (p - bounds.max.to_vec(), bounds.min.to_vec() - p);
        let rotation = self.pose.rotation;
        (0..2 * D::N).filter_map(move |side| {
            let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
            let outside = if side % 2 == 0 { above.get(axis) } else { below.get(axis) };
            (outside > 0.0).then(|| rotation.rotate(D::Vec::axis(axis) * sign))
        })
    }

    /// True if the shape has no point more than `level` [m] above the plane of a face, as far as its box tells.
    pub(crate) fn is_below(&self, face: &Face<D>, origin: D::Point, level: Real) -> bool {
        let up = self.pose.rotation.rotate_inv(face.normal);
        let top = match self.shape.support(up) {
            Some(top) => top.dot(up) + self.shape.rounding(),
            None => -super::composite::lowest_in_box::<D>(&self.shape.aabb(&Pose::IDENTITY), -up),
        };
        face.normal.dot(self.pose.position - origin) + top <= face.height + level
    }

    /// The point `at` [m] from `origin` in the plane of a face with the given normal, a way of `by` [m] towards the middle of the shape along that plane. At the border of a face nobody can tell whether a neighbour covers it.
    pub(crate) fn inwards(&self, at: D::Vec, normal: D::Vec, origin: D::Point, by: Real) -> D::Vec {
        if self.shape.half_space().is_some() {
            return at;
        }
        let to_middle = self.middle() - (origin + at);
        let aside = to_middle - normal * to_middle.dot(normal);
        at + aside.normalize_or(D::Vec::ZERO) * by.min(aside.length())
    }

    /// True if the point `at`, which is in the plane of a face of the shape with the given normal, is part of that, give or take the slop.
    pub(crate) fn reaches(&self, at: D::Point, normal: D::Vec, slop: Real) -> bool {
        let p = self.pose.inverse_transform(at);
        if self.shape.half_space().is_some() {
            return true;
        }
        if let Some(composite) = self.shape.composite() {
            let (at, reach) = (D::Point::from_vec(p), INTO * slop);
            let mut found = false;
            composite.visit(&Aabb { min: at, max: at }.grown(reach), &mut |index| {
                found = found
                    || point_shape::<D>(at, &composite.child(index), &Pose::IDENTITY)
                        .is_some_and(|near| near.distance <= reach);
            });
            return found;
        }
        if is_over::<D>(self.shape, p, self.pose.rotation.rotate_inv(-normal), slop) {
            return true;
        }
        // What is so thin that this leads out at its other side. Shapes without thickness have no inner radius.
        let inner = self.shape.inner_radius();
        (inner <= THIN * slop || inner == Real::INFINITY)
            && point_shape::<D>(D::Point::from_vec(p), self.shape, &Pose::IDENTITY)
                .is_some_and(|near| near.distance <= INTO * slop)
    }

    /// True if the shape covers a face of another one at the point `p` of that, seen from `origin`: a point a little above it is inside, or here is a side that faces it.
    pub(crate) fn covers(&self, p: D::Vec, normal: D::Vec, origin: D::Point, slop: Real) -> bool {
        if self.shape.contains(self.pose.inverse_transform(origin + p + normal * (INTO * slop))) {
            return true;
        }
        // A chain contains nothing.
        let Some(composite) = self.shape.composite().filter(|composite| composite.is_closed()) else {
            return false;
        };
        let (at, reach) = (D::Point::from_vec(self.pose.inverse_transform(origin + p)), INTO * slop);
        let up = self.pose.rotation.rotate_inv(normal);
        let mut found = false;
        composite.visit(&Aabb { min: at, max: at }.grown(reach), &mut |index| {
            found = found
                || composite.normal(index).dot(up) <= -SAME_WAY
                    && point_shape::<D>(at, &composite.child(index), &Pose::IDENTITY)
                        .is_some_and(|near| near.distance <= reach);
        });
        found
    }

    /// The lowest point above the plane of a face, from `origin` [m]; of a mesh, if that is below the plane.
    pub(crate) fn lowest(&self, face: &Face<D>, origin: D::Point) -> Option<D::Vec> {
        let down = self.pose.rotation.rotate_inv(-face.normal);
        let placed = |p: D::Vec| self.pose.transform(p) - origin;
        let Some(composite) = self.shape.composite() else {
            return Some(placed(self.shape.support(down)? + down * self.shape.rounding()));
        };
        let mut best: Option<D::Vec> = None;
        let offset = face.height - face.normal.dot(self.pose.position - origin);
        composite.visit_below(-down, offset, &mut |index| {
            if let Some(point) = composite.child(index).support(down)
                && best.is_none_or(|best| point.dot(down) > best.dot(down))
            {
                best = Some(point);
            }
        });
        best.map(placed)
    }

    /// Where the shape ends along the unit vector `way`, from `origin` [m].
    pub(crate) fn end(&self, way: D::Vec, origin: D::Point) -> Option<Real> {
        let end = self.shape.support(self.pose.rotation.rotate_inv(way))?;
        Some(way.dot(self.pose.transform(end) - origin) + self.shape.rounding())
    }
}

/// True if the point `p` is over a face of a convex shape, give or take the slop, where `inwards` points into it: a point a little into the shape, and
/// away from its border, is inside. All in the frame of the shape [m].
pub(crate) fn is_over<D: Dim>(shape: &D::Shape, p: D::Vec, inwards: D::Vec, slop: Real) -> bool {
    let to_middle = shape.middle() - p;
    let aside = to_middle - inwards * to_middle.dot(inwards);
    let aside = p + aside.normalize_or(D::Vec::ZERO) * aside.length().min(slop);
    if shape.contains(aside + inwards * (INTO * slop)) {
        return true;
    }
    // Where sides slant inwards below the face, so far in may be outside again: asked just below the face.
    let Some(top) = shape.support(-inwards) else { return false };
    let height = inwards.dot(top - p) - shape.rounding();
    let height = height.max(0.0) + BELOW * slop;
    height < INTO * slop && shape.contains(aside + inwards * height)
}
