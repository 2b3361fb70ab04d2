//! Joints: what the user gives, what the world keeps, and the rows that solvers see.
//!
//! A joint holds two frames together, one on each body. Every kind is described once, dimension-free, as a list of
//! *blocks* of up to six rows: Jacobian, error, and the law that the impulse follows (hard, spring, motor, limit). A
//! solver visits the blocks at the current poses with [`Joint::visit`] and solves each with [`Pair::solve`]; it needs to
//! know nothing about kinds. Only what truly differs between plane and space is written twice, in `d2.rs` and `d3.rs`.
//!
//! Reading order: `def.rs` the kinds and their parameters, `rows.rs` rows, laws and the solution of a block, `visitors.rs` what visits the blocks, `sight.rs`
//! the geometry of a joint at this moment, then one file per kind, with C, Ċ and J at its head; `store.rs` the list.
//!
//! **Frames.** x of frame a is the axis of hinge (3D), slider and suspension; z of frame a the axle of a wheel (3D). In
//! the plane everything turns about the z axis that points out of it. Angles and translations are those of frame b in
//! frame a.

mod ball;
mod d2;
mod d3;
mod def;
mod distance;
mod drive;
mod fixed;
mod hinge;
mod mouse;
mod rows;
mod sight;
mod slider;
mod spring;
mod store;
mod visitors;
mod wheel;

pub(crate) use d3::{NO_TILT, TWIST_FLOOR};
pub(crate) use def::bound as check_bound;
pub use def::{
    Ball, Distance, Drive, Hinge, JointDef, JointKind, JointSoftness, Limits, Motor, Mouse, Slider, Spring,
    SpringDamper, Wheel,
};
pub(crate) use hinge::{servo_target, turn_limits, turn_near, wrap};
pub use rows::{Answer, Law, Pair, PassLaw, Row, RowSink};
pub(crate) use rows::{NO_FREEDOM, NO_PIVOT, tuned_along, tuned_law, tuned_reach};
pub(crate) use sight::{FORGOTTEN_TURN2, KEPT_MEMORY, NO_LENGTH, SHORT_ARM2, TRUSTED_TURN};
pub use sight::{JointDim, Sight};
pub use store::{Joint, MAX_ROWS};
pub(crate) use store::{JointRecord, Joints, OCTAVE};
pub(crate) use visitors::{HardBlock, HardRow, Held, MAX_HARD};
