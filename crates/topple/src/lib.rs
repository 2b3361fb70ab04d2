//! Topple: a rigid-body physics engine you can question.
//!
//! One world type, [`World`], in two dimensions: [`World2`] and [`World3`]. Create bodies from plain `Def` structs, attach
//! shapes, and step:
//!
//! ```
//! use topple::{BodyDef3, Shape3, Vec3, World3};
//! let mut world = World3::new();
//! world.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), [Shape3::plane(Vec3::Y, 0.0)])?;
//! let ball = world.create_body_with(BodyDef3::dynamic([0.0, 2.0, 0.0]), [Shape3::sphere(0.5)])?;
//! for _ in 0..60 {
//!     world.step();
//! }
//! println!("the ball is at {:?}", world.body(ball)?.position());
//! # Ok::<(), topple::Error>(())
//! ```
//!
//! Every stage of the step is a method that can be swapped at run time, by value or by name: see [`Methods`]. The modules
//! below are listed in reading order: [`world`] first, then the stages in the order of the step.
#![deny(unsafe_code)]
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units and papers in square brackets, such as [m] and [Catto2005], look like links; \
              `cargo xtask ci` refuses all others that lead nowhere"
)]

pub mod body;
pub mod broad_phase;
pub mod contact;
pub mod continuous;
pub mod distance;
mod error;
pub mod force;
pub mod integrator;
mod island;
pub mod joint;
pub mod math;
pub mod narrow_phase;
pub mod query_log;
mod settings;
pub mod shape;
pub mod solver;
pub mod store;
#[allow(unsafe_code, reason = "all of it is here, with the argument")]
mod trusted;
pub mod world;

pub use body::{BodyDef, BodyKind, Drag, Locks, Motion};
pub use error::Error;
pub use joint::{JointDef, JointKind};
pub use math::{Aabb, D2, D3, Dim, Point2, Point3, Pose, Quat, Real, Rot2, SymMat3, Vec2, Vec3};
pub use settings::{SettingInfo, SettingValue, Settings};
pub use shape::{Filter, Mass, Material, Mixing, Shape2, Shape3, ShapeDef};
pub use store::{BodyId, ContactId, GeneratorId, JointId, ShapeId};
pub use trusted::exec;
pub use world::{Body, BodyMut, Events, JointMut, JointView, Methods, Part, Profile, World};

/// A world in the plane.
pub type World2 = World<D2>;
/// A world in space.
pub type World3 = World<D3>;
/// Creation input of a body in the plane.
pub type BodyDef2 = BodyDef<D2>;
/// Creation input of a body in space.
pub type BodyDef3 = BodyDef<D3>;
/// Creation input of a shape in the plane.
pub type ShapeDef2 = ShapeDef<D2>;
/// Creation input of a shape in space.
pub type ShapeDef3 = ShapeDef<D3>;
/// Creation input of a joint in the plane.
pub type JointDef2 = JointDef<D2>;
/// Creation input of a joint in space.
pub type JointDef3 = JointDef<D3>;
/// Settings of a world in the plane.
pub type Settings2 = Settings<D2>;
/// Settings of a world in space.
pub type Settings3 = Settings<D3>;
/// Position and orientation in the plane.
pub type Pose2 = Pose<D2>;
/// Position and orientation in space.
pub type Pose3 = Pose<D3>;

/// The code in the readme and the guide, run as tests. `cargo xtask tidy` sees to it that no page with code is left out.
#[cfg(doctest)]
mod written {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/concepts.md")]
    struct Concepts;
    #[doc = include_str!("../../../docs/guide/distances.md")]
    struct Distances;
    #[doc = include_str!("../../../docs/guide/forces.md")]
    struct Forces;
    #[doc = include_str!("../../../docs/guide/joints.md")]
    struct Joints;
    #[doc = include_str!("../../../docs/guide/materials.md")]
    struct Materials;
    #[doc = include_str!("../../../docs/guide/profile.md")]
    struct Profile;
    #[doc = include_str!("../../../docs/guide/queries.md")]
    struct Queries;
    #[doc = include_str!("../../../docs/guide/query-log.md")]
    struct QueryLog;
    #[doc = include_str!("../../../docs/guide/snapshot.md")]
    struct Snapshot;
}
