//! Small scenes of the fairness check. Not part of the table; the size is the number of steps per second.

use super::support::{empty2, empty3};
use super::{Generator, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Shape2, Shape3};
use glam::{Vec2, Vec3};

/// Free fall of a spinning body, in both dimensions.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "2d-free-fall",
        about: "a turning box thrown upwards",
        size: 60,
        samples: 60,
        workload: Workload::Step,
        metrics: &[],
        generator: Generator::Two(fall2),
    },
    Scene {
        name: "3d-free-fall",
        about: "a turning cube thrown upwards",
        size: 60,
        samples: 60,
        workload: Workload::Step,
        metrics: &[],
        generator: Generator::Three(fall3),
    },
];

fn fall2(steps_per_second: usize) -> Spec<D2> {
    let mut spec = empty2();
    spec.dt = 1.0 / steps_per_second as f32;
    let body = BodyDef::dynamic(Vec2::new(1.0, 50.0), Shape2::Box(Vec2::new(0.5, 0.5)));
    spec.bodies.push(BodyDef { velocity: Vec2::new(3.0, 4.0), spin: 1.0, ..body });
    spec
}

fn fall3(steps_per_second: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.dt = 1.0 / steps_per_second as f32;
    let body = BodyDef::dynamic(Vec3::new(1.0, 50.0, -2.0), Shape3::Box(Vec3::splat(0.5)));
    let spin = Vec3::new(0.0, 1.0, 0.0);
    spec.bodies.push(BodyDef { velocity: Vec3::new(3.0, 4.0, -1.0), spin, ..body });
    spec
}
