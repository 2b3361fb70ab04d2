//! How soft contacts are: frequency and damping ratio to the numbers of the biased pass.
//!
//! A contact is a spring and a damper stepped implicitly [Catto2011]. With the angular frequency ω, the damping ratio ζ and the sub-step h,
//! a1 = 2ζ + hω and a2 = hω·a1: it closes an overlap s at the speed biasRate·s with biasRate = ω/a1, answers with the share
//! massScale = a2/(1 + a2) of the rigid impulse, and forgets the share 1/(1 + a2) of what it holds already. The last two add up to 1, and
//! the bias is only used as massScale·biasRate: two numbers are enough.

use crate::Settings;
use crate::math::*;

/// Cycles of a soft contact per sub-step, at most (no unit): stiffer ones would ring.
const MAX_CONTACT_RATE: Real = 0.125;

/// Softness of a contact for sub-steps of length h: see the head of `kernel.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// massScale·biasRate [1/s].
    pub rate: Real,
    /// massScale (no unit).
    pub mass_scale: Real,
}

impl Softness {
    /// From frequency [Hz] and damping ratio.
    pub(crate) fn new(hertz: Real, damping: Real, h: Real) -> Self {
        let omega = 2.0 * core::f32::consts::PI * hertz;
        let a1 = 2.0 * damping + h * omega;
        let a2 = h * omega * a1;
        let mass_scale = a2 / (1.0 + a2);
        Self { rate: mass_scale * omega / a1, mass_scale }
    }

    /// Of contacts between moving bodies, and of those with the ground, for sub-steps of length h [s] that are `refinement` times
    /// finer than usual.
    pub(crate) fn of_contacts<D: Dim>(settings: &Settings<D>, refinement: Real, h: Real) -> [Self; 2] {
        let hertz = (settings.contact_hertz * refinement).min(MAX_CONTACT_RATE / h);
        [hertz, 2.0 * hertz].map(|hertz| Self::new(hertz, settings.contact_damping, h))
    }

    /// Angular frequency of contacts with the usual sub-steps [rad/s].
    pub(crate) fn usual_omega<D: Dim>(settings: &Settings<D>) -> Real {
        let most = MAX_CONTACT_RATE * settings.substeps as Real / settings.dt;
        2.0 * core::f32::consts::PI * settings.contact_hertz.min(most)
    }

    /// How far a contact point of the effective mass 1/k [kg] gives way at rest under an impulse per sub-step [N·s]: where the pull
    /// of its bias and what its softness gives up of the impulse are equal [m].
    pub(crate) fn sag(&self, impulse: Real, k: Real) -> Real {
        (1.0 - self.mass_scale) * impulse * k / self.rate
    }
}
