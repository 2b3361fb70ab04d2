//! The shapes of the space.
//!
//! Every bounded shape is a convex *core* inflated by a rounding radius: a sphere is a point, a capsule a segment, a
//! rounded box a box. Sizes in the variants are those of the core; the constructors take outer sizes. The functions of
//! [`ShapeOps`] dispatch here; masses are in `mass.rs`, hulls in `hull/`, cylinders and cones in `revolved.rs`,
//! rays in `ray.rs`, bytes in `codec.rs`, and the contacts in `narrow_phase/d3/`.

mod codec;
mod fluid;
mod height_field;
mod hull;
mod mass;
pub mod mesh;
mod ray;
mod revolved;
pub(crate) mod triangle;

pub use height_field::HeightFieldData;
pub(crate) use hull::{BoxHull, EdgeLine, HullView, MAX_OUTLINE, PrismHull};
pub use hull::{HalfEdge, HullData, HullEdge, HullFace, MAX_HULL_VERTICES};
pub use mesh::{Degenerate, MeshData, MeshMass, MeshOptions};

use super::composite::turned_box;
use super::{Composite, Facet, LocalRay, LocalRayHit, Mass, ShapeOps, Submerged};
use crate::Error;
use crate::error::{finite, not_negative, positive};
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::store::{Reader, Writer};
use glam::Vec3Swizzles;
use std::sync::Arc;

/// A shape of the space, in its own frame.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape3 {
    /// Sphere about the origin.
    Sphere {
        /// Radius [m].
        radius: Real,
    },
    /// Box about the origin, edges along the axes.
    Box {
        /// Half of the edge lengths of the core [m].
        half: Vec3,
        /// Rounding radius added on all sides [m]; 0 for sharp edges.
        radius: Real,
    },
    /// All points within `radius` of the segment from `a` to `b`.
    Capsule {
        /// One end of the segment [m].
        a: Vec3,
        /// The other end [m].
        b: Vec3,
        /// Radius [m].
        radius: Real,
    },
    /// Half-space n·x ≤ offset; the free side is the one `normal` points to. Cannot move.
    Plane {
        /// Unit normal.
        normal: Vec3,
        /// Distance of the surface from the origin along the normal [m].
        offset: Real,
    },
    /// Cylinder about the origin, axis along y.
    Cylinder {
        /// Half of the height of the core [m].
        half_height: Real,
        /// Radius of the core [m].
        radius: Real,
        /// Rounding radius added on all sides [m]; 0 for sharp rims.
        rounding: Real,
    },
    /// Cone, axis along y: apex at +`half_height`, base at −`half_height`.
    Cone {
        /// Half of the height of the core [m].
        half_height: Real,
        /// Radius of the base of the core [m].
        radius: Real,
        /// Rounding radius added on all sides [m]; 0 for a sharp rim and apex.
        rounding: Real,
    },
    /// Convex hull of points.
    Hull {
        /// The polyhedron, shared between shapes.
        data: Arc<HullData>,
        /// Rounding radius added on all sides [m]; 0 for sharp edges.
        radius: Real,
    },
    /// A flat triangle, solid from both sides. It has no mass of its own.
    Triangle {
        /// First corner [m].
        a: Vec3,
        /// Second corner [m].
        b: Vec3,
        /// Third corner [m].
        c: Vec3,
    },
    /// Triangle mesh; touches with the front sides of its triangles. Can be dynamic if it encloses a volume.
    Mesh {
        /// The triangles, shared between shapes.
        data: Arc<MeshData>,
    },
    /// Grid of heights over x and z, solid below. Cannot move.
    HeightField {
        /// The heights, shared between shapes.
        data: Arc<HeightFieldData>,
    },
}

impl Shape3 {
    /// A sphere of the given radius [m] about the origin.
    pub fn sphere(radius: Real) -> Self {
        Self::Sphere { radius }
    }

    /// A box of the given full sizes along x, y, z [m] about the origin.
    pub fn cuboid(width: Real, height: Real, depth: Real) -> Self {
        Self::rounded_cuboid(width, height, depth, 0.0)
    }

    /// A box of the given full outer sizes [m] whose edges are rounded with `radius`.
    pub fn rounded_cuboid(width: Real, height: Real, depth: Real, radius: Real) -> Self {
        Self::Box { half: Vec3::new(width, height, depth) * 0.5 - Vec3::splat(radius), radius }
    }

    /// A capsule about the segment from `a` to `b` [m].
    pub fn capsule(a: Vec3, b: Vec3, radius: Real) -> Self {
        Self::Capsule { a, b, radius }
    }

    /// An upright capsule about the origin, its segment of the given full length [m] along y.
    pub fn capsule_y(length: Real, radius: Real) -> Self {
        let end = Vec3::new(0.0, 0.5 * length, 0.0);
        Self::Capsule { a: -end, b: end, radius }
    }

    /// The half-space below the plane n̂·x = `offset` [m], n̂ = `normal`/|`normal`|. A normal without direction is
    /// kept as it is and refused when the shape is attached.
    pub fn plane(normal: Vec3, offset: Real) -> Self {
        Self::Plane { normal: super::unit_normal(normal), offset }
    }
}

impl Shape3 {
    /// A cylinder of the given full height [m] and radius [m] about the origin, axis along y.
    pub fn cylinder(height: Real, radius: Real) -> Self {
        Self::rounded_cylinder(height, radius, 0.0)
    }

    /// A cylinder of the given outer height and radius [m] whose rims are rounded.
    pub fn rounded_cylinder(height: Real, radius: Real, rounding: Real) -> Self {
        Self::Cylinder { half_height: 0.5 * height - rounding, radius: radius - rounding, rounding }
    }

    /// A cone of the given full height [m] and base radius [m], axis along y, apex up, the origin at half height.
    pub fn cone(height: Real, radius: Real) -> Self {
        Self::Cone { half_height: 0.5 * height, radius, rounding: 0.0 }
    }

    /// A cone of the given height and base radius [m], then inflated by `rounding` on all sides.
    pub fn rounded_cone(height: Real, radius: Real, rounding: Real) -> Self {
        Self::Cone { half_height: 0.5 * height, radius, rounding }
    }

    /// The convex hull of points [m]. Refuses clouds without volume and more than [`MAX_HULL_VERTICES`] corners.
    pub fn hull(points: &[Vec3]) -> Result<Self, Error> {
        Self::rounded_hull(points, 0.0)
    }

    /// The convex hull of points [m], inflated by `radius` on all sides.
    pub fn rounded_hull(points: &[Vec3], radius: Real) -> Result<Self, Error> {
        not_negative("Hull.radius", radius)?;
        Ok(Self::Hull { data: Arc::new(HullData::new(points)?), radius })
    }
}

impl Shape3 {
    /// A triangle, solid from both sides [m].
    pub fn triangle(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self::Triangle { a, b, c }
    }

    /// A mesh of triangles that name three vertices [m] each, counter-clockwise seen from outside. See
    /// [`MeshData::with_options`] for what is refused, and for options.
    pub fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, Error> {
        Ok(Self::Mesh { data: Arc::new(MeshData::new(vertices, triangles)?) })
    }

    /// Terrain: heights [m] over a rectangle of `size` along x and z [m] about the origin, `columns` heights along x in
    /// every row.
    pub fn height_field(size: Vec2, columns: u32, heights: &[Real]) -> Result<Self, Error> {
        Ok(Self::HeightField { data: Arc::new(HeightFieldData::new(size, columns, heights)?) })
    }
}

/// Checks that every component of `v` is finite.
fn finite_vec(field: &'static str, v: Vec3) -> Result<(), Error> {
    if v.is_finite() { Ok(()) } else { Err(Error::invalid(field, v, "finite")) }
}

impl ShapeOps<D3> for Shape3 {
    fn kind(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Plane { .. } => "plane",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Hull { .. } => "hull",
            Self::Triangle { .. } => "triangle",
            Self::Mesh { .. } => "mesh",
            Self::HeightField { .. } => "height-field",
        }
    }

    fn point() -> Self {
        Self::Sphere { radius: 0.0 }
    }

    fn below(normal: Vec3) -> Self {
        Self::Plane { normal, offset: 0.0 }
    }

    fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Sphere { radius } => positive("Sphere.radius", *radius),
            Self::Box { half, radius } => {
                positive("Box.half.x", half.x)?;
                positive("Box.half.y", half.y)?;
                positive("Box.half.z", half.z)?;
                not_negative("Box.radius", *radius)
            }
            Self::Capsule { a, b, radius } => {
                finite_vec("Capsule.a", *a)?;
                finite_vec("Capsule.b", *b)?;
                positive("Capsule.radius", *radius)
            }
            Self::Plane { normal, offset } => {
                if !is_near(normal.length(), 1.0, UNIT_TOLERANCE) {
                    return Err(Error::invalid("Plane.normal", normal, "a finite vector of length 1"));
                }
                finite("Plane.offset", *offset)
            }
            Self::Cylinder { half_height, radius, rounding } => {
                positive("Cylinder.half_height", *half_height)?;
                positive("Cylinder.radius", *radius)?;
                not_negative("Cylinder.rounding", *rounding)
            }
            Self::Cone { half_height, radius, rounding } => {
                positive("Cone.half_height", *half_height)?;
                positive("Cone.radius", *radius)?;
                not_negative("Cone.rounding", *rounding)
            }
            // The polyhedron was checked when it was built.
            Self::Hull { radius, .. } => not_negative("Hull.radius", *radius),
            Self::Triangle { a, b, c } => {
                finite_vec("Triangle.a", *a)?;
                finite_vec("Triangle.b", *b)?;
                finite_vec("Triangle.c", *c)?;
                if triangle::normal([*a, *b, *c]).is_none() {
                    return Err(Error::degenerate("triangle", "its corners lie on one line"));
                }
                Ok(())
            }
            // These were checked when they were built.
            Self::Mesh { .. } | Self::HeightField { .. } => Ok(()),
        }
    }

    fn composite(&self) -> Option<&dyn Composite<D3>> {
        match self {
            Self::Mesh { data } => Some(&**data),
            Self::HeightField { data } => Some(&**data),
            _ => None,
        }
    }

    fn can_move(&self) -> bool {
        match self {
            Self::Plane { .. } | Self::HeightField { .. } => false,
            Self::Mesh { data } => data.is_solid(),
            _ => true,
        }
    }

    fn is_solid(&self) -> bool {
        match self {
            Self::Plane { .. } | Self::HeightField { .. } | Self::Triangle { .. } => false,
            Self::Mesh { data } => data.is_solid(),
            _ => true,
        }
    }

    fn facets(&self, out: &mut Vec<Facet<D3>>) {
        fluid::facets(self, out);
    }

    fn submerged(&self, normal: Vec3, offset: Real) -> Submerged<D3> {
        fluid::submerged(self, normal, offset)
    }

    fn mass(&self, density: Real) -> Mass<D3> {
        mass::mass(self, density)
    }

    fn aabb(&self, pose: &Pose<D3>) -> Aabb<D3> {
        match self {
            Self::Sphere { radius } => Aabb::around(pose.position, Vec3::splat(*radius)),
            Self::Box { half, radius } => {
                let r = Mat3::from_quat(pose.rotation);
                let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
                Aabb::around(pose.position, reach + Vec3::splat(*radius))
            }
            Self::Capsule { a, b, radius } => {
                Aabb::of_points([pose.transform(*a), pose.transform(*b)]).grown(*radius)
            }
            Self::Plane { .. } => Aabb::infinite(),
            Self::Cylinder { half_height, radius, rounding } => {
                let axis = pose.rotation.rotate(Vec3::Y);
                let reach = axis.abs() * *half_height + revolved::disc_reach(axis) * *radius;
                Aabb::around(pose.position, reach + Vec3::splat(*rounding))
            }
            Self::Cone { half_height, radius, rounding } => {
                let axis = pose.rotation.rotate(Vec3::Y);
                let (apex, base) = (pose.position + axis * *half_height, pose.position - axis * *half_height);
                let disc = revolved::disc_reach(axis) * *radius;
                Aabb::of_points([apex, base + disc, base - disc]).grown(*rounding)
            }
            Self::Hull { data, radius } => {
                let [min, max] = data.bounds(Mat3::from_quat(pose.rotation));
                Aabb::of_points([pose.position + min, pose.position + max]).grown(*radius)
            }
            Self::Triangle { a, b, c } => Aabb::of_points([*a, *b, *c].map(|v| pose.transform(v))),
            // Of the turned box around the shape, not of all its vertices: meshes are large.
            Self::Mesh { data } => turned_box(&data.bounds(), pose),
            Self::HeightField { data } => turned_box(&data.bounds(), pose),
        }
    }

    fn vertices(&self) -> Vec<Vec3> {
        match self {
            Self::Box { half, radius: 0.0 } => (0..8).map(|i| box_corner(*half, i)).collect(),
            Self::Hull { data, radius: 0.0 } => data.vertices().to_vec(),
            Self::Cone { half_height, rounding: 0.0, .. } => vec![Vec3::Y * *half_height],
            Self::Triangle { a, b, c } => vec![*a, *b, *c],
            Self::Mesh { data } => data.vertices().to_vec(),
            Self::HeightField { data } => data.vertices(),
            _ => Vec::new(),
        }
    }

    fn farthest_from(&self, p: Vec3) -> Real {
        match self {
            Self::Sphere { radius } => p.length() + radius,
            Self::Box { half, radius } => (p.abs() + *half).length() + radius,
            Self::Capsule { a, b, radius } => p.distance(*a).max(p.distance(*b)) + radius,
            Self::Plane { .. } => Real::INFINITY,
            Self::Cylinder { half_height, radius, rounding } => {
                Vec2::new(p.xz().length() + radius, p.y.abs() + half_height).length() + rounding
            }
            Self::Cone { half_height, radius, rounding } => {
                let rim = Vec2::new(p.xz().length() + radius, p.y + half_height).length();
                rim.max(p.distance(Vec3::Y * *half_height)) + rounding
            }
            Self::Hull { data, radius } => {
                data.vertices().iter().fold(0.0, |d: Real, v| d.max(v.distance_squared(p))).sqrt() + radius
            }
            Self::Triangle { .. } | Self::Mesh { .. } | Self::HeightField { .. } => {
                self.vertices().iter().fold(0.0, |d: Real, v| d.max(v.distance_squared(p))).sqrt()
            }
        }
    }

    fn inner_radius(&self) -> Real {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Box { half, radius } => half.min_element() + radius,
            Self::Plane { .. } => Real::INFINITY,
            Self::Cylinder { half_height, radius, rounding } => half_height.min(*radius) + rounding,
            Self::Cone { half_height, radius, rounding } => {
                // About the centre of mass, a quarter of the height above the base.
                let slant = Vec2::new(2.0 * half_height, *radius).length();
                (0.5 * half_height).min(1.5 * half_height * radius / slant) + rounding
            }
            Self::Hull { data, radius } => data.inner_radius() + radius,
            Self::Triangle { .. } | Self::HeightField { .. } => Real::INFINITY,
            Self::Mesh { data } => data.inner_radius(),
        }
    }

    fn middle(&self) -> Vec3 {
        match self {
            Self::Capsule { a, b, .. } => (*a + *b) * 0.5,
            Self::Cone { half_height, .. } => Vec3::Y * (-0.5 * half_height),
            Self::Hull { data, .. } => data.center(),
            Self::Triangle { a, b, c } => (*a + *b + *c) * (1.0 / 3.0),
            _ => Vec3::ZERO,
        }
    }

    fn contains(&self, p: Vec3) -> bool {
        match self {
            Self::Sphere { radius } => p.length_squared() <= radius * radius,
            Self::Box { half, radius } => {
                let outside = (p.abs() - *half).max(Vec3::ZERO);
                outside.length_squared() <= radius * radius
            }
            Self::Capsule { a, b, radius } => {
                closest_on_segment(*a, *b, p).distance_squared(p) <= radius * radius
            }
            Self::Plane { normal, offset } => normal.dot(p) <= *offset,
            Self::Cylinder { half_height, radius, rounding } => {
                let outside = Vec2::new(p.xz().length() - radius, p.y.abs() - half_height).max(Vec2::ZERO);
                outside.length_squared() <= rounding * rounding
            }
            Self::Cone { half_height, radius, rounding } => {
                let flat = Vec2::new(p.xz().length(), p.y);
                let closest = revolved::closest_on_cone(*half_height, *radius, flat);
                closest.distance_squared(flat) <= rounding * rounding
            }
            Self::Hull { data, radius } => {
                let inside = data.contains(p);
                inside
                    || (*radius > 0.0 && ray::closest_on_core(self, p).distance_squared(p) <= radius * radius)
            }
            Self::Triangle { a, b, c } => {
                // On it within rounding.
                let reach = 4.0 * Real::EPSILON * (p.abs() + a.abs()).max_element();
                triangle::closest([*a, *b, *c], p).0.distance_squared(p) <= reach * reach
            }
            Self::Mesh { data } => data.contains(p),
            Self::HeightField { data } => data.contains(p),
        }
    }

    fn ray_cast(&self, ray: &LocalRay<D3>) -> Option<LocalRayHit<D3>> {
        ray::ray_cast(self, ray)
    }

    #[inline]
    fn support(&self, d: Vec3) -> Option<Vec3> {
        match self {
            Self::Sphere { .. } => Some(Vec3::ZERO),
            Self::Box { half, .. } => {
                let pick = |h: Real, d: Real| if d < 0.0 { -h } else { h };
                Some(Vec3::new(pick(half.x, d.x), pick(half.y, d.y), pick(half.z, d.z)))
            }
            Self::Capsule { a, b, .. } => Some(if (*b - *a).dot(d) > 0.0 { *b } else { *a }),
            Self::Plane { .. } | Self::Mesh { .. } | Self::HeightField { .. } => None,
            Self::Cylinder { half_height, radius, .. } => {
                Some(revolved::cylinder_support(*half_height, *radius, d))
            }
            Self::Cone { half_height, radius, .. } => Some(revolved::cone_support(*half_height, *radius, d)),
            Self::Hull { data, .. } => Some(data.support(d)),
            Self::Triangle { a, b, c } => {
                let farther = |p: Vec3, q: Vec3| if q.dot(d) > p.dot(d) { q } else { p };
                Some(farther(farther(*a, *b), *c))
            }
        }
    }

    #[inline]
    fn support_wide(&self, d: [f64; 3]) -> Option<[f64; 3]> {
        match self {
            Self::Cylinder { half_height, radius, .. } => {
                Some(revolved::cylinder_support_wide(*half_height, *radius, d))
            }
            Self::Cone { half_height, radius, .. } => {
                Some(revolved::cone_support_wide(*half_height, *radius, d))
            }
            _ => super::rounded_support::<D3>(|d| self.support(d), d),
        }
    }

    #[inline]
    fn reach_wide(&self, d: [f64; 3]) -> Option<f64> {
        if let Self::Cylinder { half_height, radius, .. } = self {
            return Some(revolved::cylinder_reach_wide(*half_height, *radius, d));
        }
        Some(super::along(ShapeOps::<D3>::support_wide(self, d)?, d))
    }

    #[inline]
    fn rounding(&self) -> Real {
        match self {
            Self::Sphere { radius } | Self::Box { radius, .. } | Self::Capsule { radius, .. } => *radius,
            Self::Cylinder { rounding, .. } | Self::Cone { rounding, .. } => *rounding,
            Self::Hull { radius, .. } => *radius,
            Self::Plane { .. } | Self::Triangle { .. } | Self::Mesh { .. } | Self::HeightField { .. } => 0.0,
        }
    }

    #[inline]
    fn core_box(&self) -> Option<Vec3> {
        match self {
            Self::Sphere { .. } => Some(Vec3::ZERO),
            Self::Box { half, .. } => Some(*half),
            _ => None,
        }
    }

    fn half_space(&self) -> Option<(Vec3, Real)> {
        match self {
            Self::Plane { normal, offset } => Some((*normal, *offset)),
            _ => None,
        }
    }

    fn collides_with(&self, other: &Self) -> bool {
        // Planes and height fields can neither move nor touch each other in a bounded patch.
        let is_ground = |shape: &Self| matches!(shape, Self::Plane { .. } | Self::HeightField { .. });
        !(is_ground(self) && is_ground(other))
    }

    fn keeps_contacts(&self) -> bool {
        !matches!(
            self,
            Self::Sphere { .. } | Self::Capsule { .. } | Self::Cylinder { .. } | Self::Cone { .. }
        )
    }

    fn collide(
        job: &CollideJob<'_, D3>,
        cache: &mut PairCache,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D3>,
    ) {
        crate::narrow_phase::d3::collide(job, cache, counters, out);
    }

    fn collide_children(
        _shape: &dyn Composite<D3>,
        job: &CollideJob<'_, D3>,
        ground: Option<Side>,
        counters: &mut NarrowCounters,
        add: &mut dyn FnMut(u32, &LocalManifold<D3>),
    ) -> bool {
        crate::narrow_phase::d3::collide_children(job, ground, counters, add)
    }

    fn collide_composites(
        job: &CollideJob<'_, D3>,
        ground: Option<Side>,
        counters: &mut NarrowCounters,
        add: &mut dyn FnMut(u32, &LocalManifold<D3>, bool),
    ) {
        crate::narrow_phase::d3::collide_composites(job, ground, counters, add);
    }

    fn face_along(&self, direction: Vec3) -> Option<Vec3> {
        crate::narrow_phase::d3::face_along(self, direction)
    }

    fn shared(&self) -> Option<usize> {
        match self {
            Self::Hull { data, .. } => Some(Arc::as_ptr(data) as usize),
            Self::Mesh { data } => Some(Arc::as_ptr(data) as usize),
            Self::HeightField { data } => Some(Arc::as_ptr(data) as usize),
            _ => None,
        }
    }

    fn save(&self, out: &mut Writer) {
        codec::save(self, out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        codec::load(input)
    }
}

/// Corner `i` (0..8) of a box: bit k set means the positive side of axis k.
#[inline]
pub(crate) fn box_corner(half: Vec3, i: usize) -> Vec3 {
    let pick = |h: Real, bit: usize| if i & bit == 0 { -h } else { h };
    Vec3::new(pick(half.x, 1), pick(half.y, 2), pick(half.z, 4))
}

/// Fraction in [0, 1] of the point of the segment from `a` to `b` that is closest to `p`.
#[inline]
pub(crate) fn segment_fraction(a: Vec3, b: Vec3, p: Vec3) -> Real {
    let ab = b - a;
    let length_squared = ab.length_squared();
    if length_squared > 0.0 { ((p - a).dot(ab) / length_squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// Point of the segment from `a` to `b` that is closest to `p`.
#[inline]
pub(crate) fn closest_on_segment(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    a + (b - a) * segment_fraction(a, b, p)
}
