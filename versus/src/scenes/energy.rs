//! Elastic collisions: nothing may be lost, nothing may be won.

use super::support::{Random, empty2, empty3, fixed2, fixed3, floor3, frame2, shell3};
use super::{Generator, Metric, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Shape2, Shape3};
use glam::{Vec2, Vec3};

const GAS: &[Metric] = &[Metric::Energy, Metric::Penetration, Metric::Tunnelled];

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "2d-gas",
        about: "2 025 discs without friction or loss in a closed box, no gravity",
        size: 45,
        samples: 600,
        workload: Workload::Step,
        metrics: GAS,
        generator: Generator::Two(gas2),
    },
    Scene {
        name: "3d-gas",
        about: "1 728 spheres without friction or loss in a closed box, no gravity",
        size: 12,
        samples: 600,
        workload: Workload::Step,
        metrics: GAS,
        generator: Generator::Three(gas3),
    },
    Scene {
        name: "3d-pool",
        about: "100 pool breaks of 15 balls and a cue ball",
        size: 100,
        samples: 300,
        workload: Workload::Step,
        metrics: &[Metric::Penetration, Metric::Tunnelled],
        generator: Generator::Three(pool),
    },
];

/// Speed of every molecule at the start [m/s]; well above the thresholds below which engines stop bouncing.
const SPEED: f32 = 10.0;

fn gas2(side: usize) -> Spec<D2> {
    let mut spec = empty2();
    let mut random = Random::new(5);
    spec.gravity = Vec2::ZERO;
    let half = Vec2::splat(side as f32);
    spec.bodies.push(fixed2(Vec2::ZERO, frame2(half)));
    spec.bounds = [(-half).extend(-1.0), half.extend(1.0)];
    for i in 0..side * side {
        let cell = Vec2::new((i % side) as f32, (i / side) as f32) - Vec2::splat((side - 1) as f32 * 0.5);
        let mut body = BodyDef::dynamic(cell * 2.0, Shape2::Circle(0.4));
        body.velocity = Vec2::from_angle(random.range(0.0, std::f32::consts::TAU)) * SPEED;
        spec.bodies.push(body);
    }
    for body in &mut spec.bodies {
        (body.friction, body.restitution) = (0.0, 1.0);
    }
    spec
}

fn gas3(side: usize) -> Spec<D3> {
    let mut spec = empty3();
    let mut random = Random::new(6);
    spec.gravity = Vec3::ZERO;
    let half = Vec3::splat(side as f32);
    spec.bodies.push(fixed3(Vec3::ZERO, shell3(half, 1.0)));
    spec.bounds = [-half, half];
    for i in 0..side * side * side {
        let cell = Vec3::new((i % side) as f32, (i / side % side) as f32, (i / (side * side)) as f32);
        let position = (cell - Vec3::splat((side - 1) as f32 * 0.5)) * 2.0;
        let mut body = BodyDef::dynamic(position, Shape3::Sphere(0.4));
        body.velocity = random.direction() * SPEED;
        spec.bodies.push(body);
    }
    for body in &mut spec.bodies {
        (body.friction, body.restitution) = (0.0, 1.0);
    }
    spec
}

/// Racks of balls as wide as real ones are, ten times as large, on one floor without cushions.
fn pool(tables: usize) -> Spec<D3> {
    let mut spec = empty3();
    let mut random = Random::new(7);
    let side = (tables as f32).sqrt().ceil() as usize;
    spec.bodies.push(floor3(side as f32 * 12.0));
    let radius = 0.28;
    for table in 0..tables {
        let middle = (side - 1) as f32 * 0.5;
        let at = Vec3::new((table % side) as f32 - middle, 0.0, (table / side) as f32 - middle) * 20.0;
        for row in 0..5 {
            for i in 0..=row {
                let x = row as f32 * radius * 3_f32.sqrt() * 1.01;
                let z = (i as f32 - row as f32 * 0.5) * radius * 2.02;
                let jitter = Vec3::new(random.range(-1.0, 1.0), 0.0, random.range(-1.0, 1.0)) * 0.001;
                let position = at + Vec3::new(x, radius, z) + jitter;
                spec.bodies.push(BodyDef::dynamic(position, Shape3::Sphere(radius)));
            }
        }
        let cue =
            BodyDef::dynamic(at + Vec3::new(-5.0, radius, random.range(-0.02, 0.02)), Shape3::Sphere(radius));
        spec.bodies.push(BodyDef { velocity: Vec3::new(15.0, 0.0, 0.0), ..cue });
    }
    for body in &mut spec.bodies {
        (body.friction, body.restitution) = (0.2, 0.95);
    }
    spec
}
