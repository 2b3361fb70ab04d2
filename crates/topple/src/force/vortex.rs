//! A whirl about an axis.

use super::{ForceField, Scope};
use crate::Error;
use crate::error::{finite, positive};
use crate::math::*;

/// Accelerations round an axis, towards it and along it, falling linearly to nothing at the radius: with d the distance from
/// the axis, F = m·(1 − d/radius)·(swirl·round + pull·inwards + lift·along).
#[derive(Clone, Debug, PartialEq)]
pub struct Vortex<D: Dim> {
    /// A point of the axis [m].
    pub center: D::Point,
    /// Direction of the axis, of unit length; in 2D 1 or −1 (no unit).
    pub axis: D::Ang,
    /// Acceleration round the axis, counter-clockwise seen from its tip [m/s²].
    pub swirl: Real,
    /// Acceleration towards the axis [m/s²].
    pub pull: Real,
    /// Acceleration along the axis [m/s²]; nothing in 2D.
    pub lift: Real,
    /// Where it ends [m].
    pub radius: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> Vortex<D> {
    pub(super) const NAME: &'static str = "vortex";

    /// A whirl without pull and lift.
    pub fn new(center: D::Point, axis: D::Ang, swirl: Real, radius: Real) -> Self {
        Self { center, axis, swirl, pull: 0.0, lift: 0.0, radius, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.center.is_finite() {
            return Err(Error::invalid("Vortex.center", self.center, "finite"));
        }
        if !is_near(self.axis.length(), 1.0, UNIT_TOLERANCE) {
            return Err(Error::invalid("Vortex.axis", self.axis, "of unit length"));
        }
        finite("Vortex.swirl", self.swirl)?;
        finite("Vortex.pull", self.pull)?;
        finite("Vortex.lift", self.lift)?;
        positive("Vortex.radius", self.radius)?;
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        let mut along = D::Vec::ZERO;
        if D::N == 3 {
            (0..3).for_each(|i| along.set(i, self.axis.get(i)));
        }
        for i in 0..self.scope.count(field) {
            let Some(body) = self.scope.pick(field, i) else { continue };
            // Round the axis, as long as the distance; and once more round it: inwards.
            let round = D::cross_ang(self.axis, body.center - self.center);
            let distance = round.length();
            if distance >= self.radius {
                continue;
            }
            let round = round.normalize_or(D::Vec::ZERO);
            let inwards = D::cross_ang(self.axis, round);
            let strength = body.mass * (1.0 - distance / self.radius);
            field.push(body.id, (round * self.swirl + inwards * self.pull + along * self.lift) * strength);
        }
    }
}
