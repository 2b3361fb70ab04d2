//! The world: everything that exists, and the step that moves it on.

use crate::math::{D2, D3};

/// Entry points compiled once per dimension inside the library; see `pinned.rs`.
pub trait Pinned {}
impl Pinned for D2 {}
impl Pinned for D3 {}
