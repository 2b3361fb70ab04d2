//! The checked scene: flat, typed, in SI units and world coordinates, with every name resolved.
//!
//! It knows nothing of the engine; `lower` turns it into worlds. Vectors always have three components, z being 0 in
//! 2D. Bodies are referred to by their full names, because events add and remove them while the scene runs.

pub mod body;
pub mod director;
pub mod force;
pub mod geometry;
pub mod joint;
pub mod world;

use std::sync::Arc;

use smol_str::SmolStr;
use topple_mesh::Surface;

pub use body::{Body, BodyKind, Filter, Locks, Look, Material, MeshForm, Part, Shape};
pub use director::{Action, Event, Expectation, Moment, Query, Schedule, Scope, Target, Window};
pub use force::{Force, ForceKind};
pub use geometry::{Pose, Vec3};
pub use joint::{Drive, Joint, JointKind, Motor, Overload, Soft, Spring};
pub use world::{Defaults, Places, Setting, World};

use crate::ast::Declaration;
use crate::span::{FileId, Span};

/// A whole scene.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scene {
    /// Settings.
    pub world: World,
    /// What `--set` can change.
    pub parameters: Vec<Parameter>,
    /// Materials by name; bodies have theirs filled in already.
    pub materials: Vec<NamedMaterial>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Generators.
    pub forces: Vec<Force>,
    /// Pairs that pass through each other.
    pub ignores: Vec<Ignore>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Lights.
    pub lights: Vec<Light>,
    /// What is behind everything.
    pub background: Option<Background>,
    /// Things that happen.
    pub events: Vec<Event>,
    /// Statements about the outcome.
    pub expectations: Vec<Expectation>,
    /// Templates, closed over the scene's constants, for events that use them.
    pub templates: Vec<Declaration>,
    /// Meshes of files, for events that use them.
    pub meshes: Vec<MeshFile>,
    /// Names of what was faulty and is not here: events that refer to it do nothing.
    pub faulty: Vec<SmolStr>,
}

/// A `param` of the scene with the value it has in this load.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: SmolStr,
    /// Value, as text of the language.
    pub value: String,
    /// Allowed values.
    pub range: Option<(f64, f64)>,
    /// What it is.
    pub about: Option<SmolStr>,
}

/// What a `material` gives; what it leaves out stays open.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NamedMaterial {
    /// Name.
    pub name: SmolStr,
    /// Density [kg/m³, kg/m²].
    pub density: Option<f64>,
    /// Restitution.
    pub elastic: Option<f64>,
    /// Sliding friction.
    pub friction: Option<f64>,
    /// Sticking friction.
    pub static_friction: Option<f64>,
    /// Rolling friction, in radii of the shape.
    pub rolling_friction: Option<f64>,
    /// Spinning friction [m].
    pub spinning_friction: Option<f64>,
    /// Surface velocity [m/s].
    pub surface_velocity: Option<Vec3>,
    /// Direction of the grain.
    pub grain: Option<Vec3>,
    /// Factor on friction along it.
    pub grain_friction: Option<f64>,
    /// Rule for the friction of a pair.
    pub friction_mixing: Option<SmolStr>,
    /// Rule for its restitution.
    pub elastic_mixing: Option<SmolStr>,
    /// Colour.
    pub colour: Option<Vec3>,
    /// Image file.
    pub texture: Option<SmolStr>,
    /// Not drawn.
    pub hidden: bool,
}

/// A mesh that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The text it was written in.
    pub from: FileId,
    /// The file, as written there.
    pub path: SmolStr,
    /// What is in it.
    pub surface: Arc<Surface>,
}

/// Two bodies that pass through each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignore {
    /// One.
    pub a: SmolStr,
    /// The other.
    pub b: SmolStr,
    /// Where it was written.
    pub span: Span,
}

/// Where the scene is seen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Name.
    pub name: Option<SmolStr>,
    /// Place [m].
    pub at: Option<Vec3>,
    /// What it looks at [m].
    pub target: Option<Vec3>,
    /// Up in the picture.
    pub up: Vec3,
    /// Vertical field of view [rad].
    pub fov: f64,
    /// Height of the picture [m].
    pub height: Option<f64>,
    /// No perspective.
    pub orthographic: bool,
    /// Body kept in the middle.
    pub follow: Option<SmolStr>,
}

/// A light.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// Direction of a sun.
    pub direction: Option<Vec3>,
    /// Place of a lamp [m].
    pub at: Option<Vec3>,
    /// Colour.
    pub colour: Vec3,
    /// Brightness.
    pub intensity: f64,
    /// Casts shadows.
    pub shadows: bool,
}

/// What is behind everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Background {
    /// Colour.
    pub colour: Vec3,
    /// Light from everywhere.
    pub ambient: f64,
}

impl Scene {
    /// 2 or 3.
    #[must_use]
    pub fn dimension(&self) -> u8 {
        self.world.dimension
    }

    /// How many steps a run takes by the scene's own word: `frames`, else `duration`, else as long as its
    /// expectations need.
    #[must_use]
    pub fn frames(&self) -> Option<u64> {
        let dt = self.world.dt;
        let wanted = self.expectations.iter().filter_map(|expectation| expectation.window.last(dt)).max();
        self.world.frames.or_else(|| self.world.duration.map(|time| steps(time, dt))).or(wanted)
    }
}

/// Steps until a time has passed; a time that is a whole number of steps up to rounding is that number.
#[must_use]
pub fn steps(time: f64, dt: f64) -> u64 {
    let exact = time / dt;
    let near = libm::round(exact);
    let count = if (exact - near).abs() < 1e-6 { near } else { libm::ceil(exact) };
    // Saturates; NaN cannot occur, both are checked.
    count.max(0.0) as u64
}
