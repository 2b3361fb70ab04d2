//! Topple: a rigid-body physics engine you can question.

pub mod broad_phase;
pub mod distance;
mod error;
pub mod exec;
pub mod math;
pub mod narrow_phase;
pub mod shape;
pub mod store;
pub mod world;

pub use error::Error;
pub use math::{D2, D3, Dim, Real};
pub use shape::{Filter, Material, Mixing, Shape2, Shape3, ShapeDef};
pub use store::{BodyId, ContactId, JointId, ShapeId};

/// Creation input of a shape in the plane.
pub type ShapeDef2 = ShapeDef<D2>;
/// Creation input of a shape in space.
pub type ShapeDef3 = ShapeDef<D3>;
