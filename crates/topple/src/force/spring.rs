//! A spring with a damper, between two bodies or to a point of the world.

use super::{Anchor, ForceField};
use crate::Error;
use crate::error::{finite, not_negative};
use crate::math::*;

/// F = −(stiffness·(length − rest_length) + damping·d length/dt) along the line between the anchors.
///
/// Explicit: the force is that of the moment, as the integrator's scheme wants it. Too stiff for the sub-step h it becomes
/// unstable: keep h·√(stiffness/mass) below 2 with `semi-implicit-euler` and `verlet`. A spring joint
/// ([`crate::joint::SpringDamper`]) is implicit and stable at any stiffness, but damps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<D: Dim> {
    /// One end.
    pub a: Anchor<D>,
    /// The other end. One of them at least must be on a body.
    pub b: Anchor<D>,
    /// Force per length [N/m].
    pub stiffness: Real,
    /// Force per speed along the spring [N·s/m]. Default 0.
    pub damping: Real,
    /// Length without force [m].
    pub rest_length: Real,
    /// True for a rope of rubber: no force when shorter than at rest. Default false.
    pub pulls_only: bool,
}

impl<D: Dim> Spring<D> {
    pub(super) const NAME: &'static str = "spring";

    /// Without damping.
    pub fn new(a: Anchor<D>, b: Anchor<D>, stiffness: Real, rest_length: Real) -> Self {
        Self { a, b, stiffness, damping: 0.0, rest_length, pulls_only: false }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        self.a.validate("Spring.a")?;
        self.b.validate("Spring.b")?;
        match (self.a.body_id(), self.b.body_id()) {
            (None, None) => return Err(Error::invalid("Spring.a", self.a, "on a body, if b is not")),
            (a, b) if a == b => return Err(Error::invalid("Spring.b", self.b, "on another body than a")),
            _ => {}
        }
        finite("Spring.stiffness", self.stiffness)?;
        not_negative("Spring.damping", self.damping)?;
        not_negative("Spring.rest_length", self.rest_length)
    }

    pub(super) fn apply(&self, field: &mut ForceField<'_, D>) {
        let (Some((p, v, a)), Some((q, w, b))) = (self.a.find(field), self.b.find(field)) else { return };
        let line = q - p;
        let length = line.length();
        let direction = line.normalize_or(D::Vec::ZERO);
        if self.pulls_only && length <= self.rest_length {
            return;
        }
        let mut tension =
            self.stiffness * (length - self.rest_length) + self.damping * (w - v).dot(direction);
        if self.pulls_only {
            tension = tension.max(0.0);
        }
        if let Some(a) = &a {
            field.push_at(a, direction * tension, p);
        }
        if let Some(b) = &b {
            field.push_at(b, direction * -tension, q);
        }
    }

    pub(super) fn energy(&self, field: &ForceField<'_, D>) -> Real {
        let (Some((p, ..)), Some((q, ..))) = (self.a.find(field), self.b.find(field)) else { return 0.0 };
        let stretch = (q - p).length() - self.rest_length;
        if self.pulls_only && stretch <= 0.0 { 0.0 } else { 0.5 * self.stiffness * stretch * stretch }
    }
}
