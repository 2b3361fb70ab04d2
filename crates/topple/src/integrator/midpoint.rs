//! `midpoint`: the implicit midpoint rule. x₁ = x₀ + h·v̄, v₁ = v₀ + h·a(x̄, v̄), with x̄ and v̄ the means of start and end.
//!
//! Second order, symplectic, and it keeps quadratic invariants: energy and angular momentum of free bodies to the rounding of
//! f64 (see `flight.rs`), the energy of springs without rest length, momentum of anything that attracts in pairs. Forces are solved
//! for by repetition, up to [`SWEEPS`] evaluations; without generators and drag one is enough.

use super::Integrator;
use super::track::{self, Tracker, tracked};
use crate::body::{AwakeBodies, BodyBlock};
use crate::distance::Wide;
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// Most repetitions. Each makes the error smaller by (hω)²/4: for h·ω = 0.3 eight reach the rounding of f64.
const SWEEPS: usize = 8;
/// Relative change of the velocities below which the repetition ends: well below the f32 of the forces.
const TOLERANCE: f64 = 1e-11;

/// Implicit midpoint.
#[derive(Clone, Debug, Default)]
pub struct IntegratorMidpoint<D: Dim> {
    tracker: Tracker<D>,
}

impl<D: Dim> Integrator<D> for IntegratorMidpoint<D> {
    fn name(&self) -> &'static str {
        "midpoint"
    }

    tracked!();
}

fn advance<D: Dim>(block: &mut BodyBlock<'_, D>, mut forces: Option<&mut Forces<'_, D>>, h: Real) {
    track::listen(block);
    let step = f64::from(h);
    let is_steady = forces.is_none() && block.tracks.iter().all(|track| track.frame.is_steady());
    for track in block.tracks.iter_mut() {
        track.stage.p = track.now.p + track.now.v * (0.5 * step);
    }
    for _ in 0..if is_steady { 1 } else { SWEEPS } {
        track::feel(block, &mut forces, 0.5 * step);
        let mut has_settled = true;
        for track in block.tracks.iter_mut() {
            let (now, frame, stage, push) = (track.now, track.frame, track.stage, track.push);
            let v = now.v + frame.acceleration(stage.v, &push) * step;
            let turning = frame.turning(now.q, now.w);
            let rate = frame.turning_rate(frame.turning(stage.q, stage.w), stage.w, &push);
            let (q, middle, spin) = frame.turn(now.q, turning + rate * (0.5 * step), step);
            let w = frame.spin(q, turning + rate * step);
            let change = |new: Wide, old: Wide| (new - old).reach() > TOLERANCE * (new.reach() + old.reach());
            has_settled &= !change(v, track.next.v) && !change(w, track.next.w);
            track.stage.v = (now.v + v) * 0.5;
            track.stage.p = now.p + track.stage.v * (0.5 * step);
            (track.stage.q, track.stage.w) = (middle, spin);
            (track.next.p, track.next.v) = (now.p + track.stage.v * step, v);
            (track.next.q, track.next.w) = (q, w);
        }
        if has_settled {
            break;
        }
    }
    track::send(block, h);
}
