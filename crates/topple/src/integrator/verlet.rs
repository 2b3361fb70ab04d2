//! `verlet`: velocity Verlet. x₁ = x₀ + h·v₀ + ½h²·a(x₀), v₁ = v₀ + ½h·(a(x₀) + a(x₁)).
//!
//! Second order, symplectic, two evaluations: the energy of an oscillator stays within (hω)²/4 of its value for all time, and
//! a parabola is exact. Rotations alike: half of the torque, a free turn that keeps energy and angular momentum (see
//! `flight.rs`), the other half. Forces that depend on the velocity see v₀ + h·a(x₀) at the end, which keeps the order, not
//! the symplecticity.

use super::Integrator;
use super::track::{self, Tracker, tracked};
use crate::body::{AwakeBodies, BodyBlock};
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// Velocity Verlet.
#[derive(Clone, Debug, Default)]
pub struct IntegratorVerlet<D: Dim> {
    tracker: Tracker<D>,
}

impl<D: Dim> Integrator<D> for IntegratorVerlet<D> {
    fn name(&self) -> &'static str {
        "verlet"
    }

    tracked!();
}

fn advance<D: Dim>(block: &mut BodyBlock<'_, D>, mut forces: Option<&mut Forces<'_, D>>, h: Real) {
    track::listen(block);
    track::feel(block, &mut forces, 0.0);
    let step = f64::from(h);
    for track in block.tracks.iter_mut() {
        let (now, frame, push) = (track.now, track.frame, track.push);
        let a = frame.acceleration(now.v, &push);
        let turning = frame.turning(now.q, now.w);
        let rate = frame.turning_rate(turning, now.w, &push);
        track.sums.a = a;
        // Half of the kick; the other half comes with the forces at the end.
        track.sums.rate = turning + rate * (0.5 * step);
        track.stage.p = now.p + now.v * step + a * (0.5 * step * step);
        track.stage.v = now.v + a * step;
        (track.stage.q, ..) = frame.turn(now.q, track.sums.rate, step);
        track.stage.w = frame.spin(track.stage.q, turning + rate * step);
    }
    track::feel(block, &mut forces, step);
    for track in block.tracks.iter_mut() {
        let (now, frame, stage) = (track.now, track.frame, track.stage);
        let a = frame.acceleration(stage.v, &track.push);
        let rate = frame.turning_rate(frame.turning(stage.q, stage.w), stage.w, &track.push);
        track.next = stage;
        track.next.v = now.v + (track.sums.a + a) * (0.5 * step);
        track.next.w = frame.spin(stage.q, track.sums.rate + rate * (0.5 * step));
    }
    track::send(block, h);
}
