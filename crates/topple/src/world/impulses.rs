//! What a solver of the user's own leaves behind is looked at before anything believes it.

use super::World;
use crate::contact::Manifold;
use crate::math::*;

impl<D: Dim> World<D> {
    /// Clears the impulses of contacts and joints in which a number is impossible: they are the start values of the next step, and part
    /// of snapshots.
    pub(super) fn clear_impossible_impulses(&mut self) {
        let Self { graph, contacts, joints, .. } = self;
        for color in &graph.colors {
            for &index in &color.contacts {
                let manifold = &mut contacts.hot[index as usize].manifold;
                if !is_possible(manifold) {
                    manifold.clear_impulses();
                }
            }
            for &index in &color.joints {
                let joint = &mut joints.hot[index as usize];
                let is_finite = joint.push.is_finite() && joint.turn.is_finite();
                if !is_finite || !joint.impulses.iter().all(|x| x.is_finite()) {
                    joint.clear_impulses();
                }
            }
        }
    }
}

/// True if all impulses are finite, and those along the normal push.
fn is_possible<D: Dim>(manifold: &Manifold<D>) -> bool {
    let pushes = |x: Real| x.is_finite() && x >= 0.0;
    manifold.points().iter().all(|point| pushes(point.normal_impulse) && pushes(point.load))
        && manifold.friction_impulse.is_finite()
        && manifold.rolling_impulse.is_finite()
        && manifold.twist_impulse.is_finite()
}
