//! Contacts: pairs of shapes whose fat boxes overlap, owned by the world, with stable ids and impulses.
//!
//! `ContactRecord` (cold) links a pair to its bodies, colour and sets; [`Contact`] (hot) holds the manifold that the
//! narrow phase writes and the solver reads. `graph.rs` colours touching contacts so that no two of one colour share a
//! body: rows of one colour can be solved in any order, by any number of lanes and threads, with the same result.

mod graph;
mod manifold;
mod store;

pub(crate) use graph::{COLOR_COUNT, NO_COLOR};
pub use graph::{Color, ConstraintGraph};
pub(crate) use manifold::flags;
pub use manifold::{Contact, ContactPoint, Grain, Manifold, PointRow};
pub(crate) use store::{ContactRecord, Contacts};
