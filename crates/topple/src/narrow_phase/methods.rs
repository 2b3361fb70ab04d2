//! The narrow phases that can be chosen: they differ in the contact functions they ask for, and in nothing else.
//!
//! `auto`, the default, takes the quickest function for each pair of shapes. `sat` and `gjk` use one algorithm for all
//! pairs: to compare their cost, and as each other's check. Contacts that hardly moved are kept by all of them.

use super::{Algorithm, ContactBatch, NarrowPhase};
use crate::math::*;

/// Closed forms, separating axes or GJK, whichever fits the pair.
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowPhaseAuto;

/// Separating axes for every pair; see `docs/narrow-phases/sat.md`. With the setting `separating_planes` they are searched in
/// the order of [Yuksel2007].
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowPhaseSat;

/// GJK and EPA for every pair; see `docs/narrow-phases/gjk.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NarrowPhaseGjk;

impl<D: Dim> NarrowPhase<D> for NarrowPhaseAuto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn update(&self, batch: &mut ContactBatch<'_, D>) {
        batch.update_all();
    }
}

impl<D: Dim> NarrowPhase<D> for NarrowPhaseSat {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Sat
    }

    fn update(&self, batch: &mut ContactBatch<'_, D>) {
        batch.update_all();
    }
}

impl<D: Dim> NarrowPhase<D> for NarrowPhaseGjk {
    fn name(&self) -> &'static str {
        "gjk"
    }

    fn algorithm(&self) -> Algorithm {
        Algorithm::Gjk
    }

    fn update(&self, batch: &mut ContactBatch<'_, D>) {
        batch.update_all();
    }
}
