//! Bodies and their shapes.

use std::sync::Arc;

use smol_str::SmolStr;
use topple_mesh::Surface;

use super::{Pose, Vec3};
use crate::span::Span;

/// How a body takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// Moved by forces.
    #[default]
    Dynamic,
    /// Moved by its velocity only.
    Kinematic,
    /// Never moves.
    Static,
}

/// Directions in which a body cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Locks {
    /// Along x, y, z.
    pub linear: [bool; 3],
    /// About x, y, z; in 2D the last one.
    pub angular: [bool; 3],
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Full name.
    pub name: Option<SmolStr>,
    /// Full name of its group.
    pub group: Option<SmolStr>,
    /// How it takes part.
    pub kind: BodyKind,
    /// Pose of its frame in the world.
    pub pose: Pose,
    /// Velocity of the centre of mass [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s]; in 2D the z component.
    pub angular_velocity: Vec3,
    /// Mass [kg], if given.
    pub mass: Option<f64>,
    /// Principal moments of inertia in the body's frame [kg m²], if given; in 2D the z component.
    pub inertia: Option<Vec3>,
    /// Centre of mass in the body's frame [m], if given.
    pub mass_centre: Option<Vec3>,
    /// Inertia from the bounding box.
    pub inertia_from_bounds: bool,
    /// Directions in which it cannot move.
    pub locks: Locks,
    /// Share of gravity it feels.
    pub gravity_scale: f64,
    /// Linear drag [1/s].
    pub linear_drag: f64,
    /// Angular drag [1/s].
    pub angular_drag: f64,
    /// Continuous collision against moving bodies too.
    pub bullet: bool,
    /// Starts asleep.
    pub asleep: bool,
    /// Never sleeps.
    pub sleepless: bool,
    /// Its shapes.
    pub parts: Vec<Part>,
    /// Where it was written.
    pub span: Span,
}

/// A shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The shape.
    pub shape: Shape,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// What it is made of.
    pub material: Material,
    /// What it collides with.
    pub filter: Filter,
    /// How it looks.
    pub look: Look,
    /// Where it was written.
    pub span: Span,
}

/// A shape in its own frame. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// 3D ball, 2D disc.
    Ball {
        /// Radius.
        radius: f64,
    },
    /// Box, or rectangle.
    Cuboid {
        /// Full widths.
        size: Vec3,
        /// Radius of rounded edges, added outside.
        rounding: f64,
    },
    /// All points near a segment.
    Capsule {
        /// One end.
        from: Vec3,
        /// The other end.
        to: Vec3,
        /// Radius.
        radius: f64,
    },
    /// Cylinder about y.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full height.
        height: f64,
        /// Radius of rounded rims, added outside.
        rounding: f64,
    },
    /// Cone about y, tip up, halfway between base and tip at the origin.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Full height.
        height: f64,
        /// Radius of the rounded rim and tip, added outside.
        rounding: f64,
    },
    /// Convex hull of points; a polygon in 2D.
    Hull {
        /// Points.
        points: Vec<Vec3>,
        /// Radius of rounded corners, added outside.
        rounding: f64,
    },
    /// Line segment.
    Segment {
        /// One end.
        from: Vec3,
        /// The other end.
        to: Vec3,
    },
    /// Joined segments.
    Chain {
        /// Corners.
        points: Vec<Vec3>,
        /// Whether the last is joined to the first.
        closed: bool,
        /// Where an open chain goes on before its first and after its last corner, without being touched there.
        beyond: Option<[Vec3; 2]>,
    },
    /// All x with normal·x ≤ offset.
    HalfSpace {
        /// Unit normal, to the free side.
        normal: Vec3,
        /// Distance of the plane from the origin along the normal.
        offset: f64,
    },
    /// A flat triangle, solid from both sides.
    Triangle {
        /// Corners.
        corners: [Vec3; 3],
    },
    /// Triangles from a file.
    Mesh {
        /// File, as written.
        file: SmolStr,
        /// What is in it, in its own units.
        surface: Arc<Surface>,
        /// Factor on all coordinates.
        scale: f64,
        /// What is made of it.
        form: MeshForm,
    },
    /// Heights on a grid, centred.
    HeightField {
        /// Heights along x in a row; all of them in 2D.
        columns: u32,
        /// Extent along x and z; in 2D the second is 0.
        size: [f64; 2],
        /// Row by row.
        heights: Vec<f64>,
    },
}

impl Shape {
    /// Whether only a body that no force moves can have it.
    #[must_use]
    pub fn is_ground(&self) -> bool {
        matches!(self, Self::HalfSpace { .. } | Self::Chain { .. } | Self::HeightField { .. })
    }
}

/// What is made of the triangles of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshForm {
    /// The mesh itself.
    Triangles,
    /// Its convex hull.
    Hull,
    /// Convex pieces, at most so many.
    Pieces(u32),
}

/// What a shape is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Density [kg/m³, kg/m²].
    pub density: f64,
    /// Restitution.
    pub elastic: f64,
    /// Sliding friction.
    pub friction: f64,
    /// Sticking friction, if different.
    pub static_friction: Option<f64>,
    /// Rolling friction, in radii of the shape.
    pub rolling_friction: f64,
    /// Spinning friction [m].
    pub spinning_friction: f64,
    /// Surface velocity [m/s].
    pub surface_velocity: Vec3,
    /// Direction of the grain; zero for none.
    pub grain: Vec3,
    /// Factor on friction along it.
    pub grain_friction: f64,
    /// Rule for the friction of a pair; the world's if absent.
    pub friction_mixing: Option<SmolStr>,
    /// Rule for its restitution; the world's if absent.
    pub elastic_mixing: Option<SmolStr>,
}

/// What a shape collides with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Bits of its groups.
    pub category: u32,
    /// Bits it collides with.
    pub mask: u32,
    /// Same positive: always; same negative: never.
    pub group: i32,
    /// Reports, does not push.
    pub sensor: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self { category: 1, mask: u32::MAX, group: 0, sensor: false }
    }
}

/// How a shape looks.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Look {
    /// Colour; who draws it chooses one if absent.
    pub colour: Option<Vec3>,
    /// Image file.
    pub texture: Option<SmolStr>,
    /// Not drawn.
    pub hidden: bool,
}
