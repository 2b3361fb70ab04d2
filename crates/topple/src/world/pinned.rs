//! Heavy entry points, compiled once per dimension inside the library.
//!
//! Code generic over `D` would otherwise be compiled again in every crate that uses it. These functions are not generic:
//! their bodies live here, and generic callers link to them.

use super::snapshot::OwnMethods;
use super::{Methods, World};
use crate::Error;
use crate::math::{D2, D3, Dim};

/// What the library compiles per dimension. A supertrait of [`Dim`]; users call the methods of [`World`].
pub trait Pinned {
    #[doc(hidden)]
    fn step(world: &mut World<Self>)
    where
        Self: Dim;
    #[doc(hidden)]
    fn default_methods() -> Methods<Self>
    where
        Self: Dim;
    #[doc(hidden)]
    fn save(world: &World<Self>) -> Vec<u8>
    where
        Self: Dim;
    #[doc(hidden)]
    fn load(bytes: &[u8], own: OwnMethods<'_, Self>) -> Result<World<Self>, Error>
    where
        Self: Dim;
}

macro_rules! pin {
    ($dim:ty) => {
        impl Pinned for $dim {
            fn step(world: &mut World<Self>) {
                super::step::step(world);
            }
            fn default_methods() -> Methods<Self> {
                Methods::new()
            }
            fn save(world: &World<Self>) -> Vec<u8> {
                super::snapshot::save(world)
            }
            fn load(bytes: &[u8], own: OwnMethods<'_, Self>) -> Result<World<Self>, Error> {
                super::snapshot::load(bytes, own)
            }
        }
    };
}

pin!(D2);
pin!(D3);
