//! How strong the springs are that meet at each body: what one of them may do depends on the others. See the head of `joint/rows.rs`.
//!
//! A spring of stiffness k and damping c changes the speed of a body of mass m within a sub-step h by (h²·k + h·c)/m of what it is: that is its strength. One sweep solves each spring as if the
//! others stood still, so the errors of those beside it come back multiplied by the sum of their strengths. This file makes the sums: per body over all its springs, and for a joint
//! what is left of them without its own.

use super::JointScene;
use crate::body::NO_SLOT;
use crate::joint::{Distance, Joint, JointKind};
use crate::math::*;
use crate::store::room;

/// A smaller share of a sum that is left when the own part is taken out is rounding (no unit).
const NOBODY: Real = 1e-3;

/// Lives from step to step to keep its memory.
#[derive(Debug, Default)]
pub(crate) struct Crowding {
    /// Joints with a spring along a line.
    springs: Vec<u32>,
    /// (h²·k + h·c)/m of all springs at each body; empty without springs (no unit).
    sums: Vec<Real>,
}

impl Crowding {
    pub(super) fn clear(&mut self) {
        self.springs.clear();
        self.sums.clear();
    }

    /// Notes a joint of the step, if it has a spring along a line.
    #[inline]
    pub(super) fn note<D: Dim>(&mut self, index: u32, joint: &Joint<D>) {
        if has_spring(joint) {
            self.springs.push(index);
        }
    }

    /// After the last joint was noted.
    pub(super) fn sum_up<D: Dim>(&mut self, scene: &JointScene<'_, D>, joints: &[Joint<D>]) {
        if self.springs.is_empty() {
            return;
        }
        room::fit(&mut self.sums, scene.props.len(), 0.0);
        for &index in &self.springs {
            let joint = &joints[index as usize];
            let slots = joint.bodies.map(|body| scene.slot(body));
            for (slot, own) in slots.into_iter().zip(own(joint, scene)).filter(|&(slot, _)| slot != NO_SLOT) {
                self.sums[slot as usize] += own;
            }
        }
    }

    /// (h²·k + h·c)/m of the other springs at the bodies of a joint (no unit).
    pub(super) fn beside<D: Dim>(&self, joint: &Joint<D>, scene: &JointScene<'_, D>) -> Real {
        if self.sums.is_empty() || !has_spring(joint) {
            return 0.0;
        }
        let slots = joint.bodies.map(|body| scene.slot(body));
        let others = |(slot, own): (u32, Real)| match self.sums.get(slot as usize) {
            Some(&all) if all - own > NOBODY * all => all - own,
            _ => 0.0,
        };
        slots.into_iter().zip(own(joint, scene)).map(others).sum()
    }
}

fn has_spring<D: Dim>(joint: &Joint<D>) -> bool {
    match &joint.kind {
        JointKind::Spring(_) => true,
        JointKind::Distance(distance) => distance.spring.is_some(),
        _ => false,
    }
}

/// (h²·k + h·c)/m of a spring for each of its bodies; zero for those that do not answer (no unit).
fn own<D: Dim>(joint: &Joint<D>, scene: &JointScene<'_, D>) -> [Real; 2] {
    let inv_masses = joint.bodies.map(|body| match scene.props.get(scene.slot(body) as usize) {
        Some(props) if props.is_dynamic => props.inv_mass,
        _ => 0.0,
    });
    let both = (inv_masses[0] + inv_masses[1]).max(Real::MIN_POSITIVE);
    let h = scene.h;
    let strength = match &joint.kind {
        JointKind::Spring(spring) => h * (h * spring.stiffness + spring.damping) * both,
        JointKind::Distance(Distance { spring: Some(spring), .. }) => {
            let turn = h * 2.0 * core::f32::consts::PI * spring.hertz;
            turn * (turn + 2.0 * spring.damping)
        }
        _ => 0.0,
    };
    // Beside others it acts with no more.
    inv_masses.map(|inv_mass| strength.min(1.0) * (inv_mass / both))
}
