//! Elastic contacts of bodies on joints that part are left alone, in small steps.
//!
//! A contact stops what approaches, and pushes overlaps out, without a bounce. That is right for what rests. But what has bounced may come back within the same step, because the tree of joints that it belongs to turns:
//! its next impact is for the next small step, a millisecond later, which gives it its bounce. What overlaps, because it was found late, leaves with the speed that it has.

use super::impacts::REST_STEPS;
use super::joined::Joined;
use super::joints::JointScene;
use super::pack::Packed;
use super::rows::{ColdRow, NO_CONTACT, Row, WIDTH};
use crate::math::*;
use crate::trusted::Ends;

/// What is that far apart does not act in this step [m].
pub(crate) const FAR_APART: Real = 1000.0;

/// What parts faster than `threshold` [m/s] and what acceleration brings up in some steps of length `dt` [s], is left alone.
pub(super) fn leave_parting<D: Dim, const N: usize, const A: usize, const P: usize, const S: usize>(
    (rows, cold, ends): (&mut [Row<N, A, P>], &[ColdRow], &[Ends]),
    bodies: &[Packed<S>],
    (scene, joined): (&JointScene<'_, D>, &Joined),
    (dt, threshold): (Real, Real),
) {
    for ((row, cold), ends) in rows.iter_mut().zip(cold).zip(ends).filter(|((row, _), _)| row.bounces) {
        for lane in 0..WIDTH {
            let slots = ends.slots.map(|slots| slots[lane]);
            let may_bounce = cold.contacts[lane] != NO_CONTACT && cold.restitution.0[lane] > 0.0;
            if !may_bounce || !joined.has(slots) {
                continue;
            }
            let pull: Real = slots
                .map(|slot| scene.props.get(slot as usize).map_or(0.0, |p| p.acceleration.length()))
                .iter()
                .sum();
            let rest = threshold + REST_STEPS * dt * pull;
            let [a, b] = slots.map(|slot| &bodies[slot as usize].0);
            let linear: Real = (0..N).map(|i| row.n[i].0[lane] * (b[i] - a[i])).sum();
            for point in &mut row.points[..row.count as usize] {
                let turning: Real =
                    (0..A).map(|i| point.jb[i].0[lane] * b[N + i] - point.ja[i].0[lane] * a[N + i]).sum();
                if linear + turning > rest {
                    (point.s0.0[lane], point.lambda.0[lane]) = (FAR_APART, 0.0);
                }
            }
        }
    }
}
