//! Bodies that are kept in motion: drums, impacts, bullets, and the tilted grid of cubes.

use super::support::{Random, empty2, empty3, fixed3, floor3, frame2};
use super::{Generator, Metric, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Kind, Part, Shape2, Shape3};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{FRAC_PI_4, TAU};

const MOVING: &[Metric] = &[Metric::Penetration, Metric::Tunnelled];

const fn scene(
    name: &'static str,
    about: &'static str,
    size: usize,
    samples: u32,
    generator: Generator,
) -> Scene {
    Scene { name, about, size, samples, workload: Workload::Step, metrics: MOVING, generator }
}

const fn grid(name: &'static str, about: &'static str, side: usize) -> Scene {
    let metrics = &[Metric::Asymmetry, Metric::Penetration, Metric::Tunnelled];
    Scene { metrics, ..scene(name, about, side, 150, Generator::Three(grid45)) }
}

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    scene("2d-tumbler", "2 025 boxes in a turning square", 45, 400, Generator::Two(tumbler)),
    scene("2d-washer", "8 100 boxes in a turning drum with paddles", 90, 300, Generator::Two(washer2)),
    Scene {
        metrics: &[Metric::Penetration],
        ..scene(
            "2d-smash",
            "9 600 boxes without gravity, hit by a heavy one",
            120,
            200,
            Generator::Two(smash),
        )
    },
    scene("3d-washer", "8 000 boxes in a turning drum with paddles", 20, 200, Generator::Three(washer3)),
    grid("3d-grid45-400", "400 cubes in a sheet tilted by 45°, dt 1/30", 20),
    grid("3d-grid45-1600", "1 600 cubes in a sheet tilted by 45°, dt 1/30", 40),
    grid("3d-grid45-6400", "6 400 cubes in a sheet tilted by 45°, dt 1/30", 80),
    Scene {
        metrics: &[Metric::Tunnelled],
        ..scene(
            "3d-bullets",
            "400 small spheres and cubes at 20–380 m/s against a 5 cm wall",
            400,
            120,
            Generator::Three(bullets_at_static),
        )
    },
    Scene {
        metrics: &[Metric::Tunnelled],
        ..scene(
            "3d-bullets-moving",
            "the same bullets against a free, heavy 5 cm plate",
            400,
            120,
            Generator::Three(bullets_at_plate),
        )
    },
];

fn tumbler(side: usize) -> Spec<D2> {
    let mut spec = empty2();
    spec.bodies.push(BodyDef {
        kind: Kind::Kinematic,
        spin: 25_f32.to_radians(),
        parts: frame2(Vec2::splat(10.0)),
        ..BodyDef::fixed(Vec2::ZERO, Shape2::Circle(1.0))
    });
    let reach = 10.5 * 2_f32.sqrt();
    spec.bounds = [Vec3::new(-reach, -reach, -1.0), Vec3::new(reach, reach, 1.0)];
    push_block2(&mut spec, side, side, 0.4, Vec2::splat(0.125));
    spec
}

/// A grid of equal boxes around the origin.
fn push_block2(spec: &mut Spec<D2>, columns: usize, rows: usize, pitch: f32, half: Vec2) {
    for i in 0..columns * rows {
        let x = (i % columns) as f32 - (columns - 1) as f32 * 0.5;
        let y = (i / columns) as f32 - (rows - 1) as f32 * 0.5;
        spec.bodies.push(BodyDef::dynamic(Vec2::new(x, y) * pitch, Shape2::Box(half)));
    }
}

/// Ring of flat segments, every eighth with a paddle pointing inwards.
fn washer2(side: usize) -> Spec<D2> {
    let mut spec = empty2();
    let (radius, segments) = (20.0, 40);
    let length = radius * (TAU / segments as f32 * 0.5).tan() * 1.1;
    let mut parts = Vec::new();
    for i in 0..segments {
        let angle = i as f32 / segments as f32 * TAU;
        let out = Vec2::from_angle(angle);
        let part = |distance: f32, half: Vec2| Part {
            offset: out * distance,
            rotation: angle,
            geometry: Shape2::Box(half),
        };
        parts.push(part(radius + 0.5, Vec2::new(0.5, length)));
        if i % 8 == 0 {
            parts.push(part(radius - 1.0, Vec2::new(1.0, 0.25)));
        }
    }
    spec.bodies.push(BodyDef {
        kind: Kind::Kinematic,
        spin: 25_f32.to_radians(),
        parts,
        ..BodyDef::fixed(Vec2::ZERO, Shape2::Circle(1.0))
    });
    spec.bounds = [Vec3::new(-radius - 1.0, -radius - 1.0, -1.0), Vec3::new(radius + 1.0, radius + 1.0, 1.0)];
    push_block2(&mut spec, side, side, 0.28, Vec2::splat(0.1));
    spec
}

/// The same drum in space, about z, closed by two still walls.
fn washer3(side: usize) -> Spec<D3> {
    let mut spec = empty3();
    let (radius, depth, segments) = (9.0, 6.5, 32);
    let width = radius * (TAU / segments as f32 * 0.5).tan() * 1.1;
    let mut parts = Vec::new();
    for i in 0..segments {
        let turn = Quat::from_rotation_z(i as f32 / segments as f32 * TAU);
        let part = |distance: f32, half: Vec3| Part {
            offset: turn * Vec3::new(distance, 0.0, 0.0),
            rotation: turn,
            geometry: Shape3::Box(half),
        };
        parts.push(part(radius + 0.5, Vec3::new(0.5, width, depth)));
        if i % 8 == 0 {
            parts.push(part(radius - 0.75, Vec3::new(0.75, 0.25, depth)));
        }
    }
    spec.bodies.push(BodyDef {
        kind: Kind::Kinematic,
        spin: Vec3::new(0.0, 0.0, 25_f32.to_radians()),
        parts,
        ..BodyDef::fixed(Vec3::ZERO, Shape3::Sphere(1.0))
    });
    let cap = Shape3::Box(Vec3::new(radius + 1.0, radius + 1.0, 0.5));
    let at = |z: f32| Part::at(Vec3::new(0.0, 0.0, z), cap.clone());
    spec.bodies.push(fixed3(Vec3::ZERO, vec![at(depth + 0.5), at(-depth - 0.5)]));
    let reach = Vec3::new(radius + 1.0, radius + 1.0, depth + 0.5);
    spec.bounds = [-reach, reach];
    let middle = Vec3::splat((side - 1) as f32 * 0.5);
    for i in 0..side * side * side {
        let cell = Vec3::new((i % side) as f32, (i / side % side) as f32, (i / (side * side)) as f32);
        spec.bodies.push(BodyDef::dynamic((cell - middle) * 0.5, Shape3::Box(Vec3::splat(0.2))));
    }
    spec
}

fn smash(columns: usize) -> Spec<D2> {
    let mut spec = empty2();
    spec.gravity = Vec2::ZERO;
    push_block2(&mut spec, columns, columns * 2 / 3, 0.4, Vec2::splat(0.2));
    let position = Vec2::new(columns as f32 * -0.2 - 6.0, 0.0);
    let hammer = BodyDef::dynamic(position, Shape2::Box(Vec2::splat(4.0)));
    spec.bodies.push(BodyDef { velocity: Vec2::new(40.0, 0.0), density: 8000.0, ..hammer });
    spec
}

/// The tilted sheet with ten times as many steps; for the page of the grid (`pages.rs`), not part of the table.
pub const FINE: &[Scene] = &[Scene {
    samples: 1500,
    generator: Generator::Three(grid45_fine),
    ..grid("3d-grid45-fine", "400 cubes in a sheet tilted by 45°, dt 1/300", 20)
}];

fn grid45_fine(side: usize) -> Spec<D3> {
    Spec { dt: 1.0 / 300.0, ..grid45(side) }
}

/// A sheet of cubes in a plane at 45° to the floor, the cubes aligned with it. It is its own mirror image in x, and nothing
/// pushes along x: every sideways motion is an error of the engine.
fn grid45(side: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.dt = 1.0 / 30.0;
    spec.bodies.push(floor3(side as f32 * 8.0));
    let tilt = Quat::from_rotation_x(-FRAC_PI_4);
    let pitch = 1.5;
    for i in 0..side * side {
        let across = ((i % side) as f32 - (side - 1) as f32 * 0.5) * pitch;
        let along = (i / side) as f32 * pitch;
        let position = Vec3::new(across, 0.8, 0.0) + tilt * Vec3::new(0.0, 0.0, along);
        let mut body = BodyDef::dynamic(position, Shape3::Box(Vec3::splat(0.5)));
        body.rotation = tilt;
        spec.bodies.push(body);
    }
    spec
}

fn bullets_at_static(count: usize) -> Spec<D3> {
    // The wall's near side is x = 0; a centre beyond its far side has gone through.
    let wall = Shape3::Box(Vec3::new(0.025, 30.0, 30.0));
    bullets(count, BodyDef::fixed(Vec3::new(0.025, 0.0, 0.0), wall), 0.05)
}

/// Fourteen hundred tonnes against half a kilogram: all bullets together move the plate by a tenth of a metre.
fn bullets_at_plate(count: usize) -> Spec<D3> {
    let plate = Shape3::Box(Vec3::new(0.025, 30.0, 30.0));
    let mut plate = BodyDef::dynamic(Vec3::new(0.025, 0.0, 0.0), plate);
    plate.density = 8000.0;
    bullets(count, plate, 0.5)
}

/// Bullets in front of a target at the origin; a centre beyond `limit` [m] has gone through it.
fn bullets(count: usize, target: BodyDef<D3>, limit: f32) -> Spec<D3> {
    let mut spec = empty3();
    let mut random = Random::new(4);
    spec.gravity = Vec3::ZERO;
    spec.bodies.push(target);
    spec.bounds = [Vec3::splat(-1e6), Vec3::new(limit, 1e6, 1e6)];
    let side = (count as f32).sqrt().ceil() as usize;
    for i in 0..count {
        let middle = (side - 1) as f32 * 0.5;
        let (y, z) = ((i % side) as f32 - middle, (i / side) as f32 - middle);
        let shape = match (i + i / side) % 2 {
            0 => Shape3::Sphere(0.05),
            _ => Shape3::Box(Vec3::splat(0.05)),
        };
        let mut body = BodyDef::dynamic(Vec3::new(-random.range(5.0, 8.0), y * 2.0, z * 2.0), shape);
        body.velocity = Vec3::new(20.0 + 360.0 * i as f32 / count as f32, 0.0, 0.0);
        body.bullet = true;
        spec.bodies.push(body);
    }
    spec
}
