//! Torque and thrust on one body.

use super::ForceField;
use crate::Error;
use crate::error::positive;
use crate::math::*;
use crate::store::BodyId;

/// A torque on a body, and the opposite one on another if that carries the motor.
///
/// With a `free_speed` it behaves like an electric motor: the torque falls linearly with the speed about its axis, is zero at
/// `free_speed` and brakes beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor<D: Dim> {
    /// What is turned.
    pub body: BodyId,
    /// Torque, at rest if there is a free speed [N·m].
    pub torque: D::Ang,
    /// The torque is given in the body's frame and turns with it. Default false: world frame. No difference in 2D.
    pub is_local: bool,
    /// The body that carries the motor. Default None: the world does.
    pub reaction: Option<BodyId>,
    /// Speed about the axis of the torque at which nothing is left of it [rad/s]. Default None: constant torque.
    pub free_speed: Option<Real>,
}

impl<D: Dim> Motor<D> {
    pub(super) const NAME: &'static str = "motor";

    /// A constant torque in the world frame.
    pub fn new(body: BodyId, torque: D::Ang) -> Self {
        Self { body, torque, is_local: false, reaction: None, free_speed: None }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.torque.is_finite() {
            return Err(Error::invalid("Motor.torque", self.torque, "finite"));
        }
        if self.reaction == Some(self.body) {
            return Err(Error::invalid("Motor.reaction", self.reaction, "another body than the one turned"));
        }
        self.free_speed.map_or(Ok(()), |speed| positive("Motor.free_speed", speed))
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        let Some(body) = field.body(self.body) else { return };
        let carrier = self.reaction.and_then(|id| field.body(id));
        let mut torque = if self.is_local { body.rotation.rotate_ang(self.torque) } else { self.torque };
        let strength = torque.length();
        if let Some(free) = self.free_speed
            && strength > 0.0
        {
            let spin = body.spin - carrier.map_or(D::Ang::ZERO, |carrier| carrier.spin);
            torque = torque * (1.0 - spin.dot(torque) / (strength * free));
        }
        field.turn(body.id, torque);
        if let Some(carrier) = carrier {
            field.turn(carrier.id, -torque);
        }
    }
}

/// A constant force at a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thruster<D: Dim> {
    /// What is pushed.
    pub body: BodyId,
    /// Force [N].
    pub force: D::Vec,
    /// Where it acts, in the body's frame [m]. Default its origin.
    pub point: D::Vec,
    /// The force is given in the body's frame and turns with it. Default true: a rocket.
    pub is_local: bool,
}

impl<D: Dim> Thruster<D> {
    pub(super) const NAME: &'static str = "thruster";

    /// A rocket at the origin of the body.
    pub fn new(body: BodyId, force: D::Vec) -> Self {
        Self { body, force, point: D::Vec::ZERO, is_local: true }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.force.is_finite() {
            return Err(Error::invalid("Thruster.force", self.force, "finite"));
        }
        if !self.point.is_finite() {
            return Err(Error::invalid("Thruster.point", self.point, "finite"));
        }
        Ok(())
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        let Some(body) = field.body(self.body) else { return };
        let force = if self.is_local { body.rotation.rotate(self.force) } else { self.force };
        field.push_at(&body, force, body.to_world(self.point));
    }
}
