//! Convex shapes as walls: the directions in which they are thin, and what they look like along one of them.

use crate::math::*;
use crate::shape::d3::{MAX_OUTLINE, PrismHull, closest_on_segment};
use crate::shape::{LocalRay, Shape3, ShapeOps};

/// Directions in half a turn in which the width of a hull is measured across the direction in which it is thinnest.
const WIDTHS: usize = 8;
/// Corners of an outline that are closer than this share of its size count as one (no unit).
const SAME_CORNER: Real = 1e-5;
/// How far rays through a wall begin before it, as a share of its thickness (no unit).
const BEFORE: Real = 1.0;

/// How far a shape reaches along a direction.
#[derive(Clone, Copy, Default)]
pub(super) struct Thin {
    /// Unit vector in the frame of the shape.
    pub axis: Vec3,
    /// Where the middle of the shape is along it, and half of its thickness, its rounding included [m].
    pub middle: Real,
    pub half: Real,
}

impl Thin {
    fn along(shape: &Shape3, axis: Vec3) -> Option<Self> {
        let (high, low) = (shape.support(axis)?.dot(axis), shape.support(-axis)?.dot(axis));
        Some(Self { axis, middle: 0.5 * (high + low), half: 0.5 * (high - low) + shape.rounding() })
    }

    /// Two directions at right angles in which a shape is thin, if it is in any. `towards` is where the other shape is: what is round turns its side to it.
    pub(super) fn directions(shape: &Shape3, towards: Vec3) -> [Option<Self>; 2] {
        let along = |axis: Vec3| Self::along(shape, axis);
        match shape {
            Shape3::Cylinder { half_height, radius, .. } | Shape3::Cone { half_height, radius, .. }
                if half_height < radius =>
            {
                [along(Vec3::Y), None]
            }
            Shape3::Cylinder { .. } | Shape3::Cone { .. } => across(Vec3::Y, towards).map(along),
            Shape3::Capsule { a, b, .. } => {
                let Some(axis) = (*b - *a).try_normalize() else { return [None; 2] };
                across(axis, towards - *a).map(along)
            }
            Shape3::Hull { data, .. } => {
                let flat = data.flat();
                let [u, v] = D3::frame_across(flat);
                let aside = (0..WIDTHS).filter_map(|k| {
                    let (sin, cos) = sin_cos(core::f32::consts::PI * k as Real / WIDTHS as Real);
                    along(u * cos + v * sin)
                });
                let thinner = |a: Self, b: Self| if b.half < a.half { b } else { a };
                [along(flat), aside.reduce(thinner)]
            }
            _ => [None; 2],
        }
    }

    /// Where a line along the axis through `p` enters the shape and where it leaves it, as coordinates along the axis [m]. None if it misses it.
    pub(super) fn slab(&self, shape: &Shape3, p: Vec3) -> Option<[Real; 2]> {
        let reach = (1.0 + BEFORE) * self.half;
        let cast = |sign: Real| {
            let start = self.middle - sign * reach;
            let origin = p + self.axis * (start - self.axis.dot(p));
            let hit = shape.ray_cast(&LocalRay { origin, direction: self.axis * sign, max: 2.0 * reach })?;
            Some(start + sign * hit.t)
        };
        Some([cast(1.0)?, cast(-1.0)?])
    }
}

/// Unit vectors at right angles to `axis` and to each other, the first one towards a point.
fn across(axis: Vec3, towards: Vec3) -> [Vec3; 2] {
    let first = (towards - axis * axis.dot(towards)).try_normalize();
    first.map_or_else(|| D3::frame_across(axis), |first| [first, axis.cross(first)])
}

/// The outline of a shape: a flat convex polygon.
pub(super) struct Lid {
    corners: [Vec3; MAX_OUTLINE],
    count: usize,
    up: Vec3,
}

impl Lid {
    /// Outline of a shape, its rounding included, seen against the unit vector `up`, at the height `level` along it [m]; counter-clockwise. Corners of
    /// it are on the outline, and most of them where it is closest to `near`. None if it has no area.
    pub(super) fn new(shape: &Shape3, up: Vec3, level: Real, near: Vec3) -> Option<Self> {
        let [first, second] = across(up, near - shape.middle());
        let size = shape.farthest_from(shape.middle());
        let mut lid = Self { corners: [Vec3::ZERO; MAX_OUTLINE], count: 0, up };
        let half = (MAX_OUTLINE / 2) as i32;
        for k in 1 - half..=half {
            // Small steps next to what is near, large ones on the far side.
            let share = k as Real / half as Real;
            let (sin, cos) = sin_cos(core::f32::consts::PI * share * share.abs());
            let aside = first * cos + second * sin;
            let corner = shape.support(aside)? + aside * shape.rounding();
            lid.push(corner + up * (level - up.dot(corner)), SAME_CORNER * size);
        }
        if lid.count > 1 && lid.corners[0].distance(lid.corners[lid.count - 1]) <= SAME_CORNER * size {
            lid.count -= 1;
        }
        (lid.count >= 3).then_some(lid)
    }

    fn push(&mut self, corner: Vec3, same: Real) {
        let is_new = self.count == 0 || self.corners[self.count - 1].distance(corner) > same;
        if is_new && self.count < MAX_OUTLINE {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// A triangle, counter-clockwise about the unit vector `up`.
    pub(super) fn of(corners: [Vec3; 3], up: Vec3) -> Self {
        let mut lid = Self { corners: [Vec3::ZERO; MAX_OUTLINE], count: 3, up };
        lid.corners[..3].copy_from_slice(&corners);
        lid
    }

    /// Drawn out against its normal by `depth` [m].
    pub(super) fn drawn_out(&self, depth: Real) -> PrismHull {
        PrismHull::new(self.corners(), self.up, depth)
    }

    fn corners(&self) -> &[Vec3] {
        &self.corners[..self.count]
    }

    /// The point of the polygon next to `p`.
    pub(super) fn closest(&self, p: Vec3) -> Vec3 {
        let p = p + self.up * self.up.dot(self.corners[0] - p);
        let (mut best, mut is_inside) = ((Real::INFINITY, p), true);
        for (k, &q) in self.corners().iter().enumerate() {
            let next = self.corners[(k + 1) % self.count];
            is_inside &= (next - q).cross(self.up).dot(p - q) <= 0.0;
            let on_edge = closest_on_segment(q, next, p);
            let distance = on_edge.distance(p);
            if distance < best.0 {
                best = (distance, on_edge);
            }
        }
        if is_inside { p } else { best.1 }
    }
}
