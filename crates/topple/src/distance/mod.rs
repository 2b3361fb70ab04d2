//! Distances between any two shapes, with or without a world: closest points, signed distance, shape casts.
//!
//! Shapes are cores inflated by a radius (see [`ShapeOps::support`]). Cores that are apart are measured by GJK
//! (`gjk.rs`), overlapping ones by EPA (`epa.rs`, in the plane `epa_flat.rs`), all in f64: thin simplices need the digits.
//! Written once for both dimensions; half-spaces are answered in closed form, meshes, height fields and chains child by
//! child (`composite.rs`).

mod composite;
mod cores;
mod elements;
mod epa;
mod epa_flat;
mod gjk;
mod wide;

pub(crate) use cores::{CoreDistance, Cores};
pub(crate) use elements::closest_lines;
pub use elements::{
    MAX_COMMON_CORNERS, Nearest, TriangleIntersection, point_plane, point_segment, point_triangle,
    segment_segment, segment_triangle, triangle_intersection, triangle_triangle,
};
pub(crate) use epa::{depth_near, overlaps_by};
pub(crate) use gjk::{
    distance as core_distance, distance_by as core_distance_by, distance_within as core_distance_within,
};
pub(crate) use wide::Wide;

use crate::math::*;
use crate::shape::ShapeOps;

/// The closest points of two shapes; of overlapping ones, the points to bring together to part them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest<D: Dim> {
    /// Distance of the surfaces [m]; negative: depth of the overlap.
    pub distance: Real,
    /// Point on the surface of a, in the world [m].
    pub point_a: D::Point,
    /// Point on the surface of b, in the world [m].
    pub point_b: D::Point,
    /// Unit vector from a to b, in the world.
    pub normal: D::Vec,
}

/// Where a moving shape first comes within the target distance of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit<D: Dim> {
    /// Fraction of the translation, in [0, max] (no unit).
    pub t: Real,
    /// Point on the surface of b, in the world [m].
    pub point: D::Point,
    /// Unit vector from a to b at that moment, in the world.
    pub normal: D::Vec,
    /// Distance of the surfaces at that moment [m]; negative if they overlap at the start.
    pub distance: Real,
}

/// Closest points and signed distance of two shapes. None for two half-spaces, which have none.
///
/// Meshes, height fields and chains are measured child by child: the nearest one counts, of overlapping ones the deepest.
/// A shape wholly inside a solid mesh, or below the surface of a height field and not below its lowest point, is as deep as the surface is far.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, Shape3, distance::closest_points};
/// let (a, b) = (Shape3::sphere(1.0), Shape3::cuboid(2.0, 2.0, 2.0));
/// let c = closest_points::<D3>(&a, &Pose::IDENTITY, &b, &Pose::at([5.0, 0.0, 0.0])).unwrap();
/// assert!((c.distance - 3.0).abs() < 1e-6 && c.normal.x > 0.999);
/// ```
pub fn closest_points<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    b: &D::Shape,
    pose_b: &Pose<D>,
) -> Option<Closest<D>> {
    if a.composite().is_some() || b.composite().is_some() {
        return composite::closest(a, pose_a, b, pose_b);
    }
    Pair::<D>::new(a, pose_a, b, pose_b)?.closest(pose_a)
}

/// Signed distance of a point `p` from a shape at `pose` [m], with the closest point of the surface as `point_b`; negative inside.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, Shape3, distance::point_shape};
/// let c = point_shape::<D3>([0.0, 3.0, 0.0].into(), &Shape3::cuboid(2.0, 2.0, 2.0), &Pose::IDENTITY).unwrap();
/// assert_eq!((c.distance, c.point_b), (2.0, [0.0, 1.0, 0.0].into()));
/// ```
pub fn point_shape<D: Dim>(p: D::Point, shape: &D::Shape, pose: &Pose<D>) -> Option<Closest<D>> {
    closest_points::<D>(&D::Shape::point(), &Pose { position: p, rotation: D::Rot::IDENTITY }, shape, pose)
}

/// Steps of [`shape_cast`]: a head-on approach takes two or three, a grazing one more.
const MAX_CAST_STEPS: usize = 64;
/// A cast has arrived when the rest is this share of the smaller inner radius (no unit) ...
const ARRIVED_OF_SIZE: Real = 1e-5;
/// ... or this share of the distance from the origin (no unit): what f32 positions can resolve.
const ARRIVED_OF_PLACE: Real = 1e-7;

/// Moves `a` from its pose by `translation` · t and finds the first t in [0, `max`] at which it is within
/// `target_distance` of `b` [m]. Shapes that start closer hit at t = 0. Neither shape turns.
///
/// Conservative advancement: the plane between the closest points bounds both shapes, so closing the distance
/// along its normal can never overshoot.
pub fn shape_cast<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    translation: D::Vec,
    b: &D::Shape,
    pose_b: &Pose<D>,
    max: Real,
    target_distance: Real,
) -> Option<CastHit<D>> {
    if !(max >= 0.0 && translation.is_finite()) {
        return None;
    }
    if a.composite().is_some() || b.composite().is_some() {
        return composite::cast(a, pose_a, translation, b, pose_b, max, target_distance);
    }
    let mut pair = Pair::<D>::new(a, pose_a, b, pose_b)?;
    let step = Wide::of(pose_a.rotation.rotate_inv(translation));
    let inner = a.inner_radius().min(b.inner_radius());
    let far = pose_a.position.to_vec().length().max(pose_b.position.to_vec().length());
    let of_size = if inner.is_finite() { inner * ARRIVED_OF_SIZE } else { 0.0 };
    let tolerance = f64::from(of_size) + f64::from(far) * f64::from(ARRIVED_OF_PLACE);
    let target = f64::from(target_distance);
    let mut t = 0.0_f64;
    for steps in 0..MAX_CAST_STEPS {
        let found = pair.surfaces()?;
        let excess = found.distance - target;
        if excess <= tolerance || steps + 1 == MAX_CAST_STEPS {
            // DETERMINISM: what is met a rounding later must not be taken for as near as what `max` was found at.
            if t as Real > max {
                return None;
            }
            let at =
                Pose::<D> { position: pose_a.position + translation * t as Real, rotation: pose_a.rotation };
            return Some(CastHit {
                t: t as Real,
                point: at.transform(found.on_b.narrow()),
                normal: pose_a.rotation.rotate(found.normal.narrow()),
                distance: found.distance as Real,
            });
        }
        let speed = step.dot(found.normal);
        if speed <= 0.0 || excess > speed * (f64::from(max) - t) + tolerance {
            return None;
        }
        let advance = excess / speed;
        t += advance;
        pair.shift(-(step * advance));
    }
    None
}

/// Signed distance of the surfaces [m], and the unit vector from a to b in the world. `guess` is where to look first, in the
/// frame of a; it is replaced by the direction found. None for pairs without distance.
pub(crate) fn separation<D: Dim>(
    a: &D::Shape,
    pose_a: &Pose<D>,
    b: &D::Shape,
    pose_b: &Pose<D>,
    guess: &mut Option<Wide>,
) -> Option<(f64, D::Vec)> {
    let pair = Pair::<D>::new(a, pose_a, b, pose_b)?;
    let found = pair.point_and_box().or_else(|| pair.surfaces_from(*guess))?;
    *guess = Some(found.normal);
    Some((found.distance, pose_a.rotation.rotate(found.normal.narrow())))
}

/// Distance of the surfaces of two cores with these radii [m].
fn inflated(found: CoreDistance, radii: [f64; 2]) -> CoreDistance {
    CoreDistance {
        distance: found.distance - (radii[0] + radii[1]),
        on_a: found.on_a + found.normal * radii[0],
        on_b: found.on_b - found.normal * radii[1],
        ..found
    }
}

/// A pair in the frame of a, ready to be measured.
enum Pair<'a, D: Dim> {
    Convex {
        cores: Cores<'a, D>,
        radii: [f64; 2],
    },
    /// A half-space n·x ≤ offset against a convex shape; `flip` if the half-space is b.
    HalfSpace {
        normal: Wide,
        offset: f64,
        shape: &'a D::Shape,
        shape_in_a: Pose<D>,
        moved: Wide,
        flip: bool,
    },
}

impl<'a, D: Dim> Pair<'a, D> {
    fn new(a: &'a D::Shape, pose_a: &Pose<D>, b: &'a D::Shape, pose_b: &Pose<D>) -> Option<Self> {
        let b_in_a = pose_a.relative(*pose_b);
        let any = D::Vec::axis(0);
        match (a.half_space(), b.half_space()) {
            (None, None) => {
                let radii = [f64::from(a.rounding()), f64::from(b.rounding())];
                Some(Self::Convex { cores: Cores::new(a, b, &b_in_a)?, radii })
            }
            (Some((normal, offset)), None) => {
                b.support(any)?;
                Some(Self::HalfSpace {
                    normal: Wide::of(normal),
                    offset: f64::from(offset),
                    shape: b,
                    shape_in_a: b_in_a,
                    moved: Wide::ZERO,
                    flip: false,
                })
            }
            (None, Some((normal, offset))) => {
                a.support(any)?;
                let normal = b_in_a.rotation.rotate(normal);
                let offset = offset + normal.dot(b_in_a.position.to_vec());
                Some(Self::HalfSpace {
                    normal: Wide::of(normal),
                    offset: f64::from(offset),
                    shape: a,
                    shape_in_a: Pose::IDENTITY,
                    moved: Wide::ZERO,
                    flip: true,
                })
            }
            (Some(_), Some(_)) => None,
        }
    }

    /// Moves b by `offset`, in the frame of a.
    fn shift(&mut self, offset: Wide) {
        match self {
            Self::Convex { cores, .. } => cores.shift(offset),
            // A half-space that moves by x is a shape that moves by −x.
            Self::HalfSpace { moved, flip, .. } => *moved = *moved + if *flip { -offset } else { offset },
        }
    }

    /// Signed distance of the rounded surfaces, in the frame of a.
    fn surfaces(&self) -> Option<CoreDistance> {
        self.surfaces_from(None)
    }

    /// The same in closed form, where there is one.
    fn point_and_box(&self) -> Option<CoreDistance> {
        let Self::Convex { cores, radii } = self else { return None };
        Some(inflated(cores.of_point_and_box()?, *radii))
    }

    /// The same, looking along `guess` first.
    fn surfaces_from(&self, guess: Option<Wide>) -> Option<CoreDistance> {
        match self {
            Self::Convex { cores, radii } => {
                Some(inflated(core_distance(cores, guess.unwrap_or(cores.guess())), *radii))
            }
            Self::HalfSpace { normal, offset, shape, shape_in_a, moved, flip } => {
                let down = shape_in_a.rotation.rotate_inv((-*normal).narrow());
                let core = shape_in_a.transform(shape.support(down)?).to_vec();
                let point = Wide::of(core) + *moved - *normal * f64::from(shape.rounding());
                let distance = point.dot(*normal) - offset;
                let foot = point - *normal * distance;
                // A half-space as b has moved the other way; back into the frame in which a stands still.
                let back = if *flip { -*moved } else { Wide::ZERO };
                let (normal, on_a, on_b) =
                    if *flip { (-*normal, point + back, foot + back) } else { (*normal, foot, point) };
                Some(CoreDistance { distance, normal, on_a, on_b, iterations: [0, 0] })
            }
        }
    }

    fn closest(&self, pose_a: &Pose<D>) -> Option<Closest<D>> {
        let found = self.surfaces()?;
        Some(Closest {
            distance: found.distance as Real,
            point_a: pose_a.transform(found.on_a.narrow()),
            point_b: pose_a.transform(found.on_b.narrow()),
            normal: pose_a.rotation.rotate(found.normal.narrow()),
        })
    }
}
