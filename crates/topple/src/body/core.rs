//! The warm columns of a body: what the world reads once per step.

use super::{BodyDef, Drag};
use crate::Settings;
use crate::math::*;

/// Velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<D: Dim> {
    /// Velocity of the centre of mass, world frame [m/s].
    pub linear: D::Vec,
    /// Angular velocity, world frame [rad/s].
    pub angular: D::Ang,
}

impl<D: Dim> Motion<D> {
    /// At rest.
    pub const ZERO: Self = Self { linear: D::Vec::ZERO, angular: D::Ang::ZERO };

    /// The same without the parts that the locks take away.
    #[must_use]
    pub fn without_locked(mut self, locks: super::Locks) -> Self {
        (0..D::N).filter(|&i| locks.translation[i]).for_each(|i| self.linear.set(i, 0.0));
        (0..D::ANGULAR).filter(|&i| locks.rotation[i]).for_each(|i| self.angular.set(i, 0.0));
        self
    }

    /// The motion of a point at `arm` from the one whose velocity this is [m], on the same rigid body.
    pub(crate) fn seen_from(self, arm: D::Vec) -> Self {
        Self { linear: self.linear + D::cross_ang(self.angular, arm), angular: self.angular }
    }

    /// True if both parts are finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// Force and torque gathered until the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load<D: Dim> {
    /// Force on the centre of mass [N].
    pub force: D::Vec,
    /// Torque about the centre of mass [N·m].
    pub torque: D::Ang,
}

impl<D: Dim> Load<D> {
    pub(crate) const ZERO: Self = Self { force: D::Vec::ZERO, torque: D::Ang::ZERO };

    /// The same within `Settings::max_force` and `max_torque`, directions kept. What is not finite stays so, to be found.
    #[inline]
    pub(crate) fn clamped(mut self, settings: &Settings<D>) -> Self {
        let force = self.force.abs().max_component();
        // The length is at most √3 times the largest component: most bodies need no square root.
        if force > 0.5 * settings.max_force {
            self.force =
                self.force * shrink(force, (self.force * (1.0 / force)).length(), settings.max_force);
        }
        let torque = (0..D::ANGULAR).fold(0.0, |most: Real, i| most.max(self.torque.get(i).abs()));
        if torque > 0.5 * settings.max_torque {
            let length = (self.torque * (1.0 / torque)).length();
            self.torque = self.torque * shrink(torque, length, settings.max_torque);
        }
        self
    }
}

/// The factor that brings a vector with the largest component `largest`, and the length `unit` in units of it, down to
/// `limit`; 1 if it is within. Formed so that the length itself, which may be beyond f32, is never needed.
fn shrink(largest: Real, unit: Real, limit: Real) -> Real {
    (limit / largest / unit).min(1.0)
}

/// Per-body data at the body's stable index. The place of the centre of mass has a column of its own, because the
/// narrow phase reads nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyCore<D: Dim> {
    /// Velocities.
    pub motion: Motion<D>,
    /// Accumulated force and torque.
    pub load: Load<D>,
    /// 1 / mass [1/kg]; 0 for bodies that are not pushed and for pinned ones.
    pub inv_mass: Real,
    /// Inverse inertia in the body's frame [1/(kg·m²)]; locks about world axes are applied when it is rotated.
    pub inv_inertia: D::Inertia,
    /// Inertia in the body's frame [kg·m²], for the gyroscopic torque.
    pub inertia: D::Inertia,
    /// The inertia differs between axes: the body precesses.
    pub is_gyroscopic: bool,
    /// Some shape of it has restitution.
    pub is_elastic: bool,
    /// Centre of mass in the body's frame [m].
    pub local_center: D::Vec,
    /// Distance from the centre of mass to the farthest point of a shape [m].
    pub extent: Real,
    /// Inner radius of the thinnest shape that touches things [m]; infinity without any.
    pub thickness: Real,
    /// Factor on gravity (no unit).
    pub gravity_scale: Real,
    /// Air resistance.
    pub drag: Drag,
    /// Locked axes, as `Locks::to_bits`.
    pub locks: u8,
    /// Time below the sleep threshold [s].
    pub sleep_time: Real,
    /// Speed below which the body may fall asleep [m/s]; negative: never.
    pub sleep_speed: Real,
}

impl<D: Dim> BodyCore<D> {
    pub(crate) fn new(def: &BodyDef<D>) -> Self {
        Self {
            motion: Motion { linear: def.linear_velocity, angular: def.angular_velocity },
            load: Load::ZERO,
            inv_mass: 0.0,
            inv_inertia: D::Inertia::ZERO,
            inertia: D::Inertia::ZERO,
            is_gyroscopic: false,
            is_elastic: false,
            local_center: D::Vec::ZERO,
            extent: 0.0,
            thickness: Real::INFINITY,
            gravity_scale: def.gravity_scale,
            drag: def.drag,
            locks: def.locks.to_bits(),
            sleep_time: 0.0,
            sleep_speed: -1.0,
        }
    }
}
