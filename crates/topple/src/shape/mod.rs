//! Shapes: geometry with a local frame, and what is attached to it (material, filter).
//!
//! A shape knows its mass, its bounds, its vertices, and how a ray meets it; contacts between two shapes are the
//! business of `narrow_phase/`. The shapes of the plane are in `d2/`, those of space in `d3/`. Large geometry (hulls,
//! polygons, meshes) sits behind an `Arc`, shared between bodies and written once per snapshot.

pub(crate) mod bvh;
pub(crate) mod composite;
pub mod d2;
pub mod d3;
mod def;
mod flush;
mod forks;
mod mass;
mod record;

pub use composite::Composite;
pub use d2::Shape2;
pub use d3::Shape3;
pub(crate) use def::check_shape;
pub use def::{Filter, Material, Mixing, ShapeDef};
pub(crate) use flush::{INTO, Placed, is_over};
pub use mass::Mass;
pub(crate) use record::ShapeRecord;

use crate::Error;
use crate::math::*;
use crate::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache, Side};
use crate::store::{Reader, Writer};
use core::fmt::Debug;

/// A ray or segment in the frame of a shape: points `origin + direction · t` for t in [0, `max`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalRay<D: Dim> {
    /// Start, in the shape's frame [m].
    pub origin: D::Vec,
    /// Way per unit of t [m]; need not be of unit length.
    pub direction: D::Vec,
    /// Largest t that counts (no unit).
    pub max: Real,
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalRayHit<D: Dim> {
    /// Parameter of the hit, in [0, max] (no unit).
    pub t: Real,
    /// Outward unit normal in the shape's frame; zero if the ray starts inside.
    pub normal: D::Vec,
}

/// A piece of the surface, as wind and blasts see it, in the frame of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet<D: Dim> {
    /// Middle of the piece [m].
    pub center: D::Vec,
    /// Outward unit normal. Zero for something round: it turns its whole cross-section towards any wind.
    pub normal: D::Vec,
    /// Area [m², in 2D the length in m]; of something round its cross-section.
    pub area: Real,
}

/// The part of a shape on one side of a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submerged<D: Dim> {
    /// Volume [m³, in 2D the area in m²].
    pub volume: Real,
    /// Its centroid, in the shape's frame [m]; the origin if there is none.
    pub center: D::Vec,
}

/// `normal` brought to unit length, in f64: the square of a small or large one would leave the range of f32. One without
/// direction stays as it is, for `validate` to refuse.
fn unit_normal<V: VecOps>(normal: V) -> V {
    crate::distance::Wide::of(normal).unit().map_or(normal, crate::distance::Wide::narrow)
}

/// What every shape can do. Implemented by [`Shape2`] and [`Shape3`].
pub trait ShapeOps<D: Dim>: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The word for this shape in scene files and messages: `circle`, `box`.
    fn kind(&self) -> &'static str;

    /// A single point, at the origin: a ball without radius. For distances only, it cannot be attached.
    fn point() -> Self;

    /// All that is below the plane through the origin with the given unit normal.
    fn below(normal: D::Vec) -> Self;

    /// Ok, or which field has which impossible value. Shapes are plain values, so they are checked when attached.
    fn validate(&self) -> Result<(), Error>;

    /// The thinner shape that a flat one really is: a rectangle without height is a segment. None for all others.
    fn flattened(&self) -> Option<Self> {
        None
    }

    /// The children of a mesh, height field or chain; None for convex shapes and half-spaces.
    fn composite(&self) -> Option<&dyn Composite<D>> {
        None
    }

    /// True if bodies with this shape can move. Planes, chains, height fields and meshes that are not closed are
    /// static or kinematic only.
    fn can_move(&self) -> bool;

    /// True if the shape encloses an area or volume and so can carry mass.
    fn is_solid(&self) -> bool;

    /// Mass properties for `density` [kg/m³, in 2D kg/m²], about the shape's own centre of mass, in its frame.
    fn mass(&self, density: Real) -> Mass<D>;

    /// Tight bounds of the shape at `pose`; infinite for planes.
    fn aabb(&self, pose: &Pose<D>) -> Aabb<D>;

    /// Corner points in the shape's frame [m]; empty for round shapes without corners and for planes.
    fn vertices(&self) -> Vec<D::Vec>;

    /// Distance from `p` (shape's frame) to the farthest point of the shape [m]; infinite for planes.
    fn farthest_from(&self, p: D::Vec) -> Real;

    /// Radius of the largest ball that fits inside about the middle [m]: the size that margins scale with. Planes and
    /// other shapes without inside give infinity, so that the partner's size decides.
    fn inner_radius(&self) -> Real;

    /// True if `p` (shape's frame) [m] is inside or on the surface.
    fn contains(&self, p: D::Vec) -> bool;

    /// First hit of the ray, None if it misses. A ray that starts inside hits at t = 0 with zero normal.
    fn ray_cast(&self, ray: &LocalRay<D>) -> Option<LocalRayHit<D>>;

    /// Farthest point along `direction` of the shape *without* its rounding radius; see [`Self::rounding`].
    /// None for shapes that are not bounded and convex.
    fn support(&self, direction: D::Vec) -> Option<D::Vec>;

    /// The same in f64, for searches whose last steps are shorter than f32 can tell: curved shapes answer to full accuracy. The
    /// plane is z = 0.
    #[inline]
    fn support_wide(&self, direction: [f64; 3]) -> Option<[f64; 3]> {
        rounded_support::<D>(|d| self.support(d), direction)
    }

    /// How far the core reaches along a direction, times the length of that: the product of both with [`ShapeOps::support_wide`], without the point.
    #[inline]
    fn reach_wide(&self, direction: [f64; 3]) -> Option<f64> {
        Some(along(self.support_wide(direction)?, direction))
    }

    /// Radius by which the supported core is inflated [m]: the whole radius of a sphere or capsule.
    fn rounding(&self) -> Real;

    /// Half of the edges of a core that is a box about the origin, sides along the axes [m]; zero for a ball or disc, whose core is a point. None for all
    /// other shapes.
    #[inline]
    fn core_box(&self) -> Option<D::Vec> {
        None
    }

    /// Unit normal n and offset of a half-space n·x ≤ offset, in the shape's frame; None for all other shapes.
    fn half_space(&self) -> Option<(D::Vec, Real)> {
        None
    }

    /// True if there is a contact function for the pair, in either order.
    fn collides_with(&self, other: &Self) -> bool;

    /// True if contacts of this shape may be kept while the bodies move a little (recycling). False for shapes that
    /// roll: their contact point slides along the surface as they turn.
    fn keeps_contacts(&self) -> bool;

    /// Contact of the pair in `job`, both orders allowed. See [`LocalManifold`] for what the result means.
    fn collide(
        job: &CollideJob<'_, D>,
        cache: &mut PairCache,
        counters: &mut NarrowCounters,
        out: &mut LocalManifold<D>,
    );

    /// Contacts of the children of a composite shape, which is a, with a convex shape b: one manifold per child, handed to
    /// `add` with its number. True if deep points may be such as only the children understand, and are not to be looked at twice.
    fn collide_children(
        shape: &dyn Composite<D>,
        job: &CollideJob<'_, D>,
        ground: Option<Side>,
        counters: &mut NarrowCounters,
        add: &mut dyn FnMut(u32, &LocalManifold<D>),
    ) -> bool;

    /// All contacts of two composite shapes, or of a composite shape (a) and a half-space (b), one manifold for every pair
    /// of children, handed to `add`, and whether its normal is that of a child of `ground`, the shape that cannot be pushed while the other can.
    fn collide_composites(
        job: &CollideJob<'_, D>,
        ground: Option<Side>,
        counters: &mut NarrowCounters,
        add: &mut dyn FnMut(u32, &LocalManifold<D>, bool),
    );

    /// Outward normal of the flat face of a convex shape that looks along the unit vector `direction`, as far as any does; both in its frame.
    fn face_along(&self, _direction: D::Vec) -> Option<D::Vec> {
        None
    }

    /// A point well inside a convex shape, in its frame: decides on which side of a triangle or segment it is.
    fn middle(&self) -> D::Vec {
        D::Vec::ZERO
    }

    /// Adds the pieces of the surface that wind presses on. Flat faces are exact; curved sides come in strips, which show
    /// the wind their true area within one percent; rounded edges of boxes and hulls count as sharp.
    fn facets(&self, _out: &mut Vec<Facet<D>>) {}

    /// The part of the shape with `normal`·x ≤ `offset`, both in its frame; the normal is of unit length. Nothing for
    /// shapes that enclose nothing.
    fn submerged(&self, _normal: D::Vec, _offset: Real) -> Submerged<D> {
        Submerged::default()
    }

    /// Address of shared geometry, so that a snapshot writes it once; None for shapes that are stored whole.
    fn shared(&self) -> Option<usize>;

    /// Writes the shape, shared geometry included.
    fn save(&self, out: &mut Writer);

    /// Reads what [`Self::save`] wrote; the result is validated by the caller.
    fn load(input: &mut Reader<'_>) -> Result<Self, Error>;
}

/// A support function of f32 for a direction of f64.
#[inline]
fn along(p: [f64; 3], direction: [f64; 3]) -> f64 {
    p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2]
}

fn rounded_support<D: Dim>(
    support: impl Fn(D::Vec) -> Option<D::Vec>,
    direction: [f64; 3],
) -> Option<[f64; 3]> {
    let mut d = D::Vec::ZERO;
    (0..D::N).for_each(|i| d.set(i, direction[i] as Real));
    let p = support(d)?;
    Some([f64::from(p.get(0)), f64::from(p.get(1)), if D::N == 3 { f64::from(p.get(2)) } else { 0.0 }])
}
