//! Mass, centre of mass and inertia, and how they add up.

use crate::Error;
use crate::math::*;

/// Mass properties of a shape or body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass<D: Dim> {
    /// Mass [kg].
    pub mass: Real,
    /// Centre of mass in the frame of the shape or body [m].
    pub center: D::Vec,
    /// Inertia about the centre of mass, axes of the frame [kg·m²].
    pub inertia: D::Inertia,
}

/// How far below zero a moment of inertia may come by rounding, relative to the largest (no unit): a few bits of an f32, from turning
/// the tensor of a rod.
const MOMENT_ROUNDING: Real = 1e-6;

impl<D: Dim> Default for Mass<D> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<D: Dim> Mass<D> {
    /// Nothing.
    pub const ZERO: Self = Self { mass: 0.0, center: D::Vec::ZERO, inertia: D::Inertia::ZERO };

    /// The same mass distribution seen from the frame in which this one stands at `pose`.
    #[must_use]
    pub fn placed(self, pose: &Pose<D>) -> Self {
        Self {
            mass: self.mass,
            center: pose.position.to_vec() + pose.rotation.rotate(self.center),
            inertia: self.inertia.rotated(pose.rotation),
        }
    }

    /// Both together, by the parallel-axis theorem.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let center = (self.center * self.mass + other.center * other.mass) * (1.0 / mass);
        let about = |part: Self| part.inertia.plus(D::Inertia::of_point(part.mass, part.center - center));
        Self { mass, center, inertia: about(self).plus(about(other)) }
    }

    /// What is left without `part`: the reverse of [`Self::plus`].
    #[must_use]
    pub fn minus(self, part: Self) -> Self {
        let mass = self.mass - part.mass;
        if mass <= 0.0 {
            return Self::ZERO;
        }
        let center = (self.center * self.mass - part.center * part.mass) * (1.0 / mass);
        let away = part.inertia.plus(D::Inertia::of_point(part.mass, part.center - self.center));
        let away = away.plus(D::Inertia::of_point(mass, center - self.center));
        Self { mass, center, inertia: self.inertia.plus(away.scaled(-1.0)) }
    }

    /// This mass, or in place of none a point of 1 kg that does not turn: what a dynamic body without mass counts as.
    pub(crate) fn or_a_point(self) -> Self {
        if self.mass <= 0.0 { Self { mass: 1.0, ..Self::ZERO } } else { self }
    }

    /// True for what may be [`Self::or_a_point`] of none.
    pub(crate) fn is_like_a_point(&self) -> bool {
        self.mass == 1.0 && self.inertia == D::Inertia::ZERO
    }

    /// Ok if a body can have this mass and be simulated: nothing overflows, and what is there can be divided by. Zero is
    /// fine: such a body is given mass of its own by the world.
    pub(crate) fn check_usable(&self) -> Result<(), Error> {
        let usable = self.mass.is_finite()
            && is_within_reach::<D>(self.center)
            && (self.mass == 0.0 || (1.0 / self.mass).is_finite())
            && (0..D::ANGULAR).all(|axis| {
                let mut unit = D::Ang::ZERO;
                unit.set(axis, 1.0);
                self.inertia.apply(unit).is_finite() && self.inertia.inverse().apply(unit).is_finite()
            });
        if usable {
            return Ok(());
        }
        Err(Error::invalid(
            "mass of the body",
            self,
            "finite, with a finite inverse; check sizes and densities",
        ))
    }

    /// Ok if a dynamic body can hold this as mass of its own. Merged bodies hold what [`Self::validate`] does not take from
    /// callers: points, and rods that do not turn about their axis.
    pub(crate) fn check_held(&self) -> Result<(), Error> {
        crate::error::positive("Mass.mass", self.mass)?;
        self.check_usable()?;
        let moments = (0..D::ANGULAR).map(|axis| {
            let mut unit = D::Ang::ZERO;
            unit.set(axis, 1.0);
            self.inertia.apply(unit).get(axis)
        });
        let largest = moments.clone().fold(0.0, Real::max);
        if moments.clone().all(|moment| moment >= -MOMENT_ROUNDING * largest) {
            return Ok(());
        }
        Err(Error::invalid("Mass.inertia", self.inertia, "without negative moments"))
    }

    /// Ok, or which value is impossible.
    pub fn validate(&self) -> Result<(), Error> {
        crate::error::positive("Mass.mass", self.mass)?;
        if !is_within_reach::<D>(self.center) {
            return Err(Error::invalid("Mass.center", self.center, "finite, within 1e18 m of the origin"));
        }
        if !self.inertia.is_valid() {
            return Err(Error::invalid(
                "Mass.inertia",
                self.inertia,
                "positive definite, each moment at most the sum of the others",
            ));
        }
        self.check_usable()
    }
}
