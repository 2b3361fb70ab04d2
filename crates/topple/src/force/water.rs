//! Buoyancy: water below a plane.

use super::{ForceField, Scope};
use crate::Error;
use crate::error::{finite, not_negative};
use crate::math::*;
use crate::shape::ShapeOps;

/// Water below the plane normal·x = offset. Each shape is pushed against gravity by the weight of the water it displaces, at
/// the centroid of the part that is under water; both are computed from the real geometry. Water also drags: with
/// V the volume under water, −density·V·drag·(v − flow) at that point, and −spin_drag·(share under water)·I·w.
#[derive(Clone, Debug, PartialEq)]
pub struct Buoyancy<D: Dim> {
    /// Unit vector out of the water. Default up.
    pub normal: D::Vec,
    /// Height of the surface along the normal [m].
    pub offset: Real,
    /// Density of the water [kg/m³, in 2D kg/m²]. Default 1000.
    pub density: Real,
    /// Velocity of the water [m/s]. Default 0.
    pub flow: D::Vec,
    /// Share of the velocity against the water lost per second by a body as dense as water [1/s]. Default 0.5.
    pub drag: Real,
    /// Share of the spin lost per second when all of a body is under water [1/s]. Default 0.5.
    pub spin_drag: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> Buoyancy<D> {
    pub(super) const NAME: &'static str = "buoyancy";

    /// Water up to the height y = `level` [m].
    pub fn new(level: Real) -> Self {
        Self {
            normal: D::Vec::axis(1),
            offset: level,
            density: 1000.0,
            flow: D::Vec::ZERO,
            drag: 0.5,
            spin_drag: 0.5,
            scope: Scope::default(),
        }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !is_near(self.normal.length(), 1.0, UNIT_TOLERANCE) {
            return Err(Error::invalid("Buoyancy.normal", self.normal, "of unit length"));
        }
        finite("Buoyancy.offset", self.offset)?;
        not_negative("Buoyancy.density", self.density)?;
        if !self.flow.is_finite() {
            return Err(Error::invalid("Buoyancy.flow", self.flow, "finite"));
        }
        not_negative("Buoyancy.drag", self.drag)?;
        not_negative("Buoyancy.spin_drag", self.spin_drag)?;
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        for i in 0..self.scope.count(field) {
            let Some(body) = self.scope.pick(field, i) else { continue };
            let (mut force, mut torque, mut wet, mut whole) = (D::Vec::ZERO, D::Ang::ZERO, 0.0, 0.0);
            for (shape, pose) in field.shapes(&body).filter(|(shape, _)| shape.is_solid()) {
                let level = self.offset - self.normal.dot(pose.position.to_vec());
                let part = shape.submerged(pose.rotation.rotate_inv(self.normal), level);
                if part.volume <= 0.0 {
                    continue;
                }
                let center = pose.transform(part.center);
                let slip = body.velocity_at(center) - self.flow;
                let push = (field.settings.gravity + slip * self.drag) * (-self.density * part.volume);
                force += push;
                torque += D::cross(center - body.center, push);
                wet += part.volume;
                if self.spin_drag > 0.0 {
                    whole += shape.mass(1.0).mass;
                }
            }
            if wet <= 0.0 {
                continue;
            }
            if whole > 0.0 {
                let index = body.id.index() as usize;
                let inertia = field.bodies.cores[index].inertia.rotated(body.rotation);
                torque -= inertia.apply(body.spin) * (self.spin_drag * wet / whole);
            }
            field.push(body.id, force);
            field.turn(body.id, torque);
        }
    }
}
