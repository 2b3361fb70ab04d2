//! Joints between bodies.

use crate::math::*;
use core::marker::PhantomData;

/// All joints of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints<D: Dim> {
    dimension: PhantomData<D>,
}

impl<D: Dim> Joints<D> {
    /// Bodies joined to the body whose first edge is `first_joint`.
    pub(crate) fn neighbors(&self, _first_joint: u32, _out: &mut Vec<u32>) {}

    /// True if a joint between the two bodies says that they do not collide.
    pub(crate) fn forbid(&self, _bodies: &crate::body::Bodies<D>, _a: u32, _b: u32) -> bool {
        false
    }
}
