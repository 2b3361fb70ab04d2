//! `explicit-euler`: x += h·v, v += h·a, both from the start of the sub-step.
//!
//! First order, and the one scheme here that gains energy in everything that swings or spins: an oscillator grows by a factor of
//! √(1 + (hω)²) per sub-step. It is here to be compared with.

use super::Integrator;
use super::flight::turned;
use super::track::{self, Tracker, tracked};
use crate::body::{AwakeBodies, BodyBlock};
use crate::force::Forces;
use crate::math::*;
use crate::store::{Reader, Writer};
use crate::{Error, Settings};

/// Explicit Euler.
#[derive(Clone, Debug, Default)]
pub struct IntegratorExplicitEuler<D: Dim> {
    tracker: Tracker<D>,
}

impl<D: Dim> Integrator<D> for IntegratorExplicitEuler<D> {
    fn name(&self) -> &'static str {
        "explicit-euler"
    }

    tracked!();
}

fn advance<D: Dim>(block: &mut BodyBlock<'_, D>, mut forces: Option<&mut Forces<'_, D>>, h: Real) {
    track::listen(block);
    track::feel(block, &mut forces, 0.0);
    let step = f64::from(h);
    for track in block.tracks.iter_mut() {
        let (now, push) = (track.now, track.push);
        track.next.p = now.p + now.v * step;
        track.next.q = turned(now.q, now.w * step);
        track.next.v = now.v + track.frame.acceleration(now.v, &push) * step;
        track.next.w = now.w + track.frame.spin_rate(&now, &push) * step;
    }
    track::send(block, h);
}
