//! The printer: scenes and syntax trees as text of the language.

mod force;
mod scene;
mod syntax;

pub use scene::{query, scene};
pub(crate) use syntax::write_items;
pub use syntax::{expression, schedule};
