//! What a dimension is: scalars, vectors, rotations, poses, boxes, and the trait [`Dim`] that ties them together.
//!
//! The library is written once over `D: Dim`; [`D2`] and [`D3`] are the only two implementations. Read `dim.rs` for
//! the contract, then `d2.rs` and `d3.rs` side by side: together they are the complete list of what differs.
//! `use crate::math::*` is the one glob import of the house, because the methods of `D::Vec` live on traits.

mod aabb;
mod d2;
mod d3;
mod dim;
mod inertia;
mod pose;
mod scalar;

pub use aabb::Aabb;
pub use d2::{D2, Point2, Rot2};
pub(crate) use d3::LEVEL_NORMAL;
pub use d3::{D3, Point3};
pub use dim::{AngOps, Dim, InertiaOps, PointOps, RotOps, VecOps};
pub use glam::{Mat3, Quat, Vec2, Vec3};
pub use inertia::SymMat3;
pub(crate) use pose::is_within_reach;
pub use pose::{FARTHEST, Pose};
pub(crate) use scalar::{ARC_OVER_CHORD, NO_DIRECTION, SMALL_ANGLE, UNIT_TOLERANCE};
pub use scalar::{Real, acos, atan2, is_near, sin_cos};
pub(crate) use scalar::{atan2_f64, sin_cos_f64};
