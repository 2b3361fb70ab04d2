//! `rk4`: the classical Runge–Kutta method, four evaluations.
//!
//! Fourth order for smooth forces; a contact or a joint that pushes takes a body back to first order for that sub-step. Not
//! symplectic: over very long times energy drifts, by the fifth power of the step. Orientations are integrated as quaternions
//! and brought back to unit length, angular momentum in the world frame.

use super::Integrator;
use super::flight::unit;
use super::track::{self, Sums, Tracker, tracked};
use crate::body::{AwakeBodies, BodyBlock};
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// Runge–Kutta of fourth order.
#[derive(Clone, Debug, Default)]
pub struct IntegratorRk4<D: Dim> {
    tracker: Tracker<D>,
}

impl<D: Dim> Integrator<D> for IntegratorRk4<D> {
    fn name(&self) -> &'static str {
        "rk4"
    }

    tracked!();
}

/// Of each stage: weight in the sum, and how far the stage after it looks ahead, in sub-steps.
const STAGES: [(f64, f64); 4] = [(1.0 / 6.0, 0.5), (1.0 / 3.0, 0.5), (1.0 / 3.0, 1.0), (1.0 / 6.0, 0.0)];

fn advance<D: Dim>(block: &mut BodyBlock<'_, D>, mut forces: Option<&mut Forces<'_, D>>, h: Real) {
    track::listen(block);
    let step = f64::from(h);
    let mut ahead = 0.0;
    for (number, (weight, next)) in STAGES.into_iter().enumerate() {
        track::feel(block, &mut forces, ahead * step);
        for track in block.tracks.iter_mut() {
            let (now, frame, stage, push) = (track.now, track.frame, track.stage, track.push);
            if number == 0 {
                track.sums = Sums::default();
            }
            let start = frame.turning(now.q, now.w);
            let turning = frame.turning(stage.q, stage.w);
            let a = frame.acceleration(stage.v, &push);
            let rate = frame.turning_rate(turning, stage.w, &push);
            // dq/dt = ½ w q.
            let (w, q) = (stage.w * 0.5, stage.q);
            let dq = super::flight::product([w.x, w.y, w.z, 0.0], q);
            let sums = &mut track.sums;
            sums.v = sums.v + stage.v * weight;
            sums.a = sums.a + a * weight;
            sums.rate = sums.rate + rate * weight;
            (0..4).for_each(|i| sums.q[i] += dq[i] * weight);
            let (reach, v, a, rate, dq) = if number == 3 {
                (step, sums.v, sums.a, sums.rate, sums.q)
            } else {
                (next * step, stage.v, a, rate, dq)
            };
            track.stage.p = now.p + v * reach;
            track.stage.v = now.v + a * reach;
            track.stage.q = unit([0, 1, 2, 3].map(|i| now.q[i] + dq[i] * reach));
            track.stage.w = frame.spin(track.stage.q, start + rate * reach);
        }
        ahead = next;
    }
    block.tracks.iter_mut().for_each(|track| track.next = track.stage);
    track::send(block, h);
}
