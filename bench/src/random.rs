//! A seeded stream of numbers, so that every run measures the same.

use topple::math::*;

/// SplitMix64.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        (self.bits() >> 40) as Real / (1 << 24) as Real
    }

    /// In [low, high).
    pub(crate) fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    /// Every component in [low, high).
    pub(crate) fn vector<D: Dim>(&mut self, low: Real, high: Real) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, self.between(low, high)));
        v
    }

    /// Any rotation.
    pub(crate) fn rotation<D: Dim>(&mut self) -> D::Rot {
        let mut turn = D::Ang::ZERO;
        (0..D::ANGULAR).for_each(|i| turn.set(i, self.between(-3.0, 3.0)));
        D::Rot::from_ang(turn)
    }
}
