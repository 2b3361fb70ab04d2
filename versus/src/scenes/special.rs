//! What is not stepping: sleep, creating and destroying, rays.

use super::piles::scattered_boxes;
use super::{Generator, Scene, Spec, Workload};
use crate::engine::D3;

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "3d-asleep",
        about: "20 000 sleeping cubes; a sample is one step",
        size: 20_000,
        samples: 2000,
        workload: Workload::Asleep,
        metrics: &[],
        generator: Generator::Three(asleep),
    },
    Scene {
        name: "3d-create-destroy",
        about: "20 000 cubes; a sample is creating all, one step, destroying all",
        size: 20_000,
        samples: 8,
        workload: Workload::CreateDestroy,
        metrics: &[],
        generator: Generator::Three(scattered),
    },
    Scene {
        name: "3d-rays",
        about: "rays against 5 000 cubes; a sample is 1 000 rays",
        size: 5_000,
        samples: 100,
        workload: Workload::Rays(1000),
        metrics: &[],
        generator: Generator::Three(scattered),
    },
];

fn scattered(count: usize) -> Spec<D3> {
    scattered_boxes(count, 2.0)
}

fn asleep(count: usize) -> Spec<D3> {
    Spec { sleeping: true, ..scattered_boxes(count, 2.0) }
}
