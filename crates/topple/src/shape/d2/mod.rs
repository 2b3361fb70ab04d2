//! The shapes of the plane.
//!
//! Circles and half-planes are handled in closed form; all others are rounded convex polygons, seen through
//! `outline.rs`, and share their mass (`mass.rs`), rays and distances. Contacts: `narrow_phase/d2/`.

mod chain;
mod codec;
mod fluid;
mod height_field;
mod mass;
mod ops;
mod outline;
mod polygon;

pub use chain::ChainData;
pub use height_field::HeightFieldData2;
pub(crate) use outline::{Outline, Scratch, rectangle_corners, rectangle_outline, rounding_of};
pub use polygon::{MAX_POLYGON_VERTICES, PolygonData};

use super::{LocalRay, LocalRayHit};
use crate::Error;
use crate::math::*;
use std::sync::Arc;

/// A shape of the plane, in its own frame.
///
/// Sizes are checked when the shape is attached to a body; constructors that have to build something check at once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape2 {
    /// Circle about the origin.
    Circle {
        /// Radius [m].
        radius: Real,
    },
    /// Rectangle about the origin, sides along the axes.
    Rectangle {
        /// Half of the width and of the height, without the rounding [m].
        half: Vec2,
        /// Rounding [m]: the rectangle is inflated by this much, its corners become quarter circles.
        radius: Real,
    },
    /// Convex polygon.
    Polygon {
        /// Corners and normals, shared between shapes.
        data: Arc<PolygonData>,
        /// Rounding [m]: the polygon is inflated by this much.
        radius: Real,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// One end of the middle line [m].
        a: Vec2,
        /// Other end of the middle line [m].
        b: Vec2,
        /// Radius [m].
        radius: Real,
    },
    /// A line without thickness, solid from both sides. It has no mass of its own.
    Segment {
        /// One end [m].
        a: Vec2,
        /// Other end [m].
        b: Vec2,
    },
    /// Everything on one side of a line: the points x with normal·x ≤ offset. It cannot move.
    HalfPlane {
        /// Unit vector towards the free side.
        normal: Vec2,
        /// Distance of the line from the origin, along the normal [m].
        offset: Real,
    },
    /// Segments end to end, solid from the right side of their direction only. It cannot move.
    Chain {
        /// Vertices and neighbours, shared between shapes.
        data: Arc<ChainData>,
    },
    /// Heights at even distances along x, solid below. It cannot move.
    HeightField {
        /// The heights, shared between shapes.
        data: Arc<HeightFieldData2>,
    },
}

impl Shape2 {
    /// A circle of the given radius [m] about the origin.
    pub fn circle(radius: Real) -> Self {
        Self::Circle { radius }
    }

    /// A rectangle about the origin, full sizes [m].
    pub fn rectangle(width: Real, height: Real) -> Self {
        Self::rounded_rectangle(width, height, 0.0)
    }

    /// A rectangle of the given full outer sizes [m] whose corners are rounded with `radius`.
    pub fn rounded_rectangle(width: Real, height: Real, radius: Real) -> Self {
        Self::Rectangle { half: Vec2::new(0.5 * width, 0.5 * height) - Vec2::splat(radius), radius }
    }

    /// The convex hull of any number of points [m], with at most [`MAX_POLYGON_VERTICES`] corners.
    ///
    /// ```
    /// use topple::{Shape2, math::Vec2};
    /// let triangle = Shape2::polygon(&[Vec2::ZERO, Vec2::X, Vec2::Y])?;
    /// assert!(Shape2::polygon(&[Vec2::ZERO, Vec2::X, Vec2::X * 2.0]).is_err());
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn polygon(points: &[Vec2]) -> Result<Self, Error> {
        Self::rounded_polygon(points, 0.0)
    }

    /// The convex hull of `points`, then inflated by `radius` [m].
    pub fn rounded_polygon(points: &[Vec2], radius: Real) -> Result<Self, Error> {
        crate::error::not_negative("Polygon.radius", radius)?;
        Ok(Self::Polygon { data: Arc::new(PolygonData::hull(points)?), radius })
    }

    /// A capsule along the segment from `a` to `b` [m].
    pub fn capsule(a: Vec2, b: Vec2, radius: Real) -> Self {
        Self::Capsule { a, b, radius }
    }

    /// A segment from `a` to `b` [m].
    pub fn segment(a: Vec2, b: Vec2) -> Self {
        Self::Segment { a, b }
    }

    /// An open chain through `vertices` [m] that is solid to its right: list a floor from right to left. See
    /// [`ChainData`] for chains that are parts of longer outlines.
    pub fn chain(vertices: &[Vec2]) -> Result<Self, Error> {
        Ok(Self::Chain { data: Arc::new(ChainData::open(vertices)?) })
    }

    /// A closed chain through `vertices` [m]; listed counter-clockwise it keeps bodies out, clockwise it keeps them in.
    pub fn chain_loop(vertices: &[Vec2]) -> Result<Self, Error> {
        Ok(Self::Chain { data: Arc::new(ChainData::closed(vertices)?) })
    }

    /// Terrain: heights [m] at even distances over the given full width [m] about the origin, from left to right.
    pub fn height_field(width: Real, heights: &[Real]) -> Result<Self, Error> {
        Ok(Self::HeightField { data: Arc::new(HeightFieldData2::new(width, heights)?) })
    }

    /// The half-plane below the line n̂·x = `offset` [m], n̂ = `normal`/|`normal`|. A normal without direction is
    /// kept as it is and refused when the shape is attached.
    pub fn half_plane(normal: Vec2, offset: Real) -> Self {
        Self::HalfPlane { normal: super::unit_normal(normal), offset }
    }
}
