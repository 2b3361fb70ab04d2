//! Moving air: wind on the surfaces of bodies, and the blast of an explosion.

use super::{ForceBody, ForceField, Scope};
use crate::Error;
use crate::error::{finite, not_negative, positive};
use crate::math::*;
use crate::shape::{Facet, ShapeOps};

/// Adds the force on every piece of the surface of a body: `law` gives it from (centre in the world, outward normal or zero,
/// area).
fn press<D: Dim>(
    field: &mut ForceField<'_, D>,
    body: &ForceBody<D>,
    law: impl Fn(D::Point, D::Vec, Real) -> D::Vec,
) {
    let mut facets: Vec<Facet<D>> = core::mem::take(&mut field.room.facets);
    let (mut force, mut torque) = (D::Vec::ZERO, D::Ang::ZERO);
    for (shape, pose) in field.shapes(body) {
        facets.clear();
        shape.facets(&mut facets);
        for facet in &facets {
            let center = pose.transform(facet.center);
            let push = law(center, pose.rotation.rotate(facet.normal), facet.area);
            force += push;
            torque += D::cross(center - body.center, push);
        }
    }
    field.room.facets = facets;
    field.push(body.id, force);
    field.turn(body.id, torque);
}

/// Density of air at sea level [kg/m³].
const AIR: Real = 1.2;
/// Share of a step that may be left of an explosion by rounding when it is over.
const LAST_SHARE: Real = 1e-4;

/// Moving air. Every piece of surface that faces the relative wind u gets, per area A′ = A·|n·û| that it shows,
/// ½·density·u²·A′·(drag·û + lift·ℓ), with ℓ the part of −n across the wind: plates turn, wings lift, spheres are dragged with
/// ½·density·drag·π·r²·u².
#[derive(Clone, Debug, PartialEq)]
pub struct Wind<D: Dim> {
    /// Velocity of the air [m/s]; zero for still air that only resists.
    pub velocity: D::Vec,
    /// Density of the air [kg/m³, in 2D kg/m²]. Default 1.2.
    pub density: Real,
    /// Drag coefficient (no unit). Default 1.
    pub drag: Real,
    /// Lift coefficient (no unit). Default 1.
    pub lift: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> Wind<D> {
    pub(super) const NAME: &'static str = "wind";

    /// Air at sea level.
    pub fn new(velocity: D::Vec) -> Self {
        Self { velocity, density: AIR, drag: 1.0, lift: 1.0, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.velocity.is_finite() {
            return Err(Error::invalid("Wind.velocity", self.velocity, "finite"));
        }
        not_negative("Wind.density", self.density)?;
        not_negative("Wind.drag", self.drag)?;
        finite("Wind.lift", self.lift)?;
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        for i in 0..self.scope.count(field) {
            let Some(body) = self.scope.pick(field, i) else { continue };
            press(field, &body, |center, normal, area| {
                let wind = self.velocity - body.velocity_at(center);
                let speed = wind.length();
                if speed <= 0.0 {
                    return D::Vec::ZERO;
                }
                let along = wind * (1.0 / speed);
                let pressure = 0.5 * self.density * speed * speed;
                if normal == D::Vec::ZERO {
                    return along * (pressure * self.drag * area);
                }
                let facing = -normal.dot(along);
                if facing <= 0.0 {
                    return D::Vec::ZERO;
                }
                let across = -normal - along * facing;
                (along * self.drag + across * self.lift) * (pressure * area * facing)
            });
        }
    }
}

/// A blast: for a while, pressure away from a centre on all surfaces that face it, falling linearly to nothing at the
/// radius. A ball at distance d gets pressure·(1 − d/radius)·π·r². When its time is over it removes itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Explosion<D: Dim> {
    /// Where [m].
    pub center: D::Point,
    /// Pressure at the centre [Pa, in 2D N/m].
    pub pressure: Real,
    /// Where it ends [m].
    pub radius: Real,
    /// How long it still lasts [s].
    pub duration: Real,
    /// Which bodies.
    pub scope: Scope<D>,
}

impl<D: Dim> Explosion<D> {
    pub(super) const NAME: &'static str = "explosion";

    /// On all bodies, for a sixtieth of a second.
    pub fn new(center: D::Point, pressure: Real, radius: Real) -> Self {
        Self { center, pressure, radius, duration: 1.0 / 60.0, scope: Scope::default() }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        if !self.center.is_finite() {
            return Err(Error::invalid("Explosion.center", self.center, "finite"));
        }
        finite("Explosion.pressure", self.pressure)?;
        positive("Explosion.radius", self.radius)?;
        positive("Explosion.duration", self.duration)?;
        self.scope.validate()
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        // A last step that is only partly used is weaker, so that the impulse comes out right.
        let pressure = self.pressure * (self.duration / field.settings.dt).min(1.0);
        for i in 0..self.scope.count(field) {
            let Some(body) = self.scope.pick(field, i) else { continue };
            press(field, &body, |center, normal, area| {
                let line = center - self.center;
                let distance = line.length();
                if distance >= self.radius {
                    return D::Vec::ZERO;
                }
                let push = pressure * (1.0 - distance / self.radius) * area;
                if normal == D::Vec::ZERO {
                    return line.normalize_or(D::Vec::ZERO) * push;
                }
                if normal.dot(line) >= 0.0 { D::Vec::ZERO } else { normal * -push }
            });
        }
    }

    pub(super) fn end_step(&mut self, dt: Real) -> bool {
        self.duration -= dt;
        self.duration > LAST_SHARE * dt
    }
}
