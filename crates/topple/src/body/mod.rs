//! Bodies: what the user gives, what the world keeps.
//!
//! Three views of one body, each for the reader that needs it:
//! - `BodyRecord` (cold): names, links to shapes, contacts, joints and island; read when something is created,
//!   removed, woken or put to sleep;
//! - `BodyCore` and its place (warm), in dense columns at the body's stable index: read once or twice per step;
//! - [`BodyState`] and [`BodyProps`] (hot), dense in the order of the awake list: what solvers work on in every sub-step.
//!
//! A body never moves in memory when it falls asleep or wakes: the sets are lists of indices, and the hot arrays are
//! gathered from the awake list at the start of the solve. Cost follows what is awake, ids stay plain indices, and the
//! order of the hot arrays is free to follow locality.

mod awake;
mod core;
mod def;
mod record;
mod set;

pub(crate) use awake::clamp_spins;
pub use awake::{AwakeBodies, BodyBlock, BodyProps, BodyState, NO_SLOT};
pub use core::Motion;
pub(crate) use core::{BodyCore, Load};
pub use def::{BodyDef, BodyKind, Drag, Locks};
pub(crate) use record::{BodyRecord, NONE};
pub(crate) use set::{Bodies, BodySet, NO_SPEED};
