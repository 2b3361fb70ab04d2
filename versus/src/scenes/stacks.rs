//! Bodies at rest on each other: what a solver has to hold up, and what it costs.

use super::support::{empty2, empty3, floor2, floor3};
use super::{Generator, Metric, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Shape2, Shape3};
use glam::{Quat, Vec2, Vec3};

const STAND: &[Metric] = &[Metric::Drift, Metric::Drop, Metric::Penetration, Metric::Fallen];

const fn scene(
    name: &'static str,
    about: &'static str,
    size: usize,
    samples: u32,
    generator: Generator,
) -> Scene {
    Scene { name, about, size, samples, workload: Workload::Step, metrics: STAND, generator }
}

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    scene("2d-pyramid", "one pyramid of boxes, base 100: 5 050 boxes", 100, 200, Generator::Two(pyramid2)),
    scene(
        "2d-many-pyramids",
        "400 pyramids of base 10: 22 000 boxes",
        400,
        100,
        Generator::Two(many_pyramids2),
    ),
    scene("3d-pyramid-10", "square pyramid, base 10: 385 cubes", 10, 300, Generator::Three(pyramid3)),
    scene("3d-pyramid-20", "square pyramid, base 20: 2 870 cubes", 20, 150, Generator::Three(pyramid3)),
    scene("3d-pyramid-30", "square pyramid, base 30: 9 455 cubes", 30, 60, Generator::Three(pyramid3)),
    scene(
        "3d-many-pyramids",
        "196 upright pyramids of base 10: 10 780 cubes",
        196,
        60,
        Generator::Three(many_pyramids3),
    ),
    scene("3d-tall-stack", "a tower of 60 cubes", 60, 600, Generator::Three(tall_stack)),
    scene("3d-mass-ratio", "1 000 kg on a stack of ten 1 kg cubes", 10, 600, Generator::Three(mass_ratio)),
    Scene {
        metrics: &[Metric::Penetration, Metric::Tunnelled],
        ..scene(
            "3d-dominoes",
            "500 dominoes in a row, the first one tipped",
            500,
            600,
            Generator::Three(dominoes),
        )
    },
    Scene {
        metrics: &[Metric::Penetration, Metric::Tunnelled],
        ..scene(
            "3d-brick-wall",
            "1 000 bricks in bond, hit by a heavy ball",
            1000,
            300,
            Generator::Three(brick_wall),
        )
    },
];

fn pyramid2(base: usize) -> Spec<D2> {
    let mut spec = empty2();
    spec.bodies.push(floor2(base as f32 * 2.0));
    push_pyramid2(&mut spec, base, 0.0);
    spec
}

/// A pyramid of unit boxes around `x`. A hair of room between neighbours, none between rows: it starts at rest.
fn push_pyramid2(spec: &mut Spec<D2>, base: usize, x: f32) {
    let pitch = 1.05;
    for row in 0..base {
        let count = base - row;
        for i in 0..count {
            let across = (i as f32 - (count - 1) as f32 * 0.5) * pitch;
            let position = Vec2::new(x + across, row as f32 + 0.5);
            spec.bodies.push(BodyDef::dynamic(position, Shape2::Box(Vec2::splat(0.5))));
        }
    }
}

fn many_pyramids2(count: usize) -> Spec<D2> {
    let mut spec = empty2();
    // Twenty shelves rather than one endless floor: keeps coordinates small enough for single precision.
    let shelves = (count as f32).sqrt().ceil() as usize;
    let (pitch, height) = (14.0, 14.0);
    for shelf in 0..shelves {
        let y = shelf as f32 * height;
        let half = shelves as f32 * pitch * 0.5;
        spec.bodies.push(BodyDef::fixed(Vec2::new(0.0, y - 0.5), Shape2::Box(Vec2::new(half, 0.5))));
        for i in 0..shelves.min(count - (shelf * shelves).min(count)) {
            let first = spec.bodies.len();
            push_pyramid2(&mut spec, 10, (i as f32 - (shelves - 1) as f32 * 0.5) * pitch);
            for body in &mut spec.bodies[first..] {
                body.position.y += y;
            }
        }
    }
    spec
}

/// Square layers of unit cubes, each one smaller than the one below and centred on it.
fn pyramid3(base: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.bodies.push(floor3(base as f32 * 2.0));
    let pitch = 1.05;
    for layer in 0..base {
        let count = base - layer;
        let middle = (count - 1) as f32 * 0.5;
        for i in 0..count * count {
            let (x, z) = ((i % count) as f32 - middle, (i / count) as f32 - middle);
            let position = Vec3::new(x * pitch, layer as f32 + 0.5, z * pitch);
            spec.bodies.push(BodyDef::dynamic(position, Shape3::Box(Vec3::splat(0.5))));
        }
    }
    spec
}

/// Upright pyramids, one cube thick, as in Box3D's scene of that name.
fn many_pyramids3(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    let side = (count as f32).sqrt().ceil() as usize;
    spec.bodies.push(floor3(side as f32 * 8.0));
    for p in 0..count {
        let middle = (side - 1) as f32 * 0.5;
        let at = Vec3::new((p % side) as f32 - middle, 0.0, (p / side) as f32 - middle)
            * Vec3::new(14.0, 0.0, 3.0);
        for row in 0..10 {
            let in_row = 10 - row;
            for i in 0..in_row {
                let x = (i as f32 - (in_row - 1) as f32 * 0.5) * 1.05;
                let position = at + Vec3::new(x, row as f32 + 0.5, 0.0);
                spec.bodies.push(BodyDef::dynamic(position, Shape3::Box(Vec3::splat(0.5))));
            }
        }
    }
    spec
}

fn tall_stack(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.bodies.push(floor3(50.0));
    for i in 0..count {
        let position = Vec3::new(0.0, i as f32 + 0.5, 0.0);
        spec.bodies.push(BodyDef::dynamic(position, Shape3::Box(Vec3::splat(0.5))));
    }
    spec
}

/// Ten cubes of 1 kg under a cube of the same size and 1 000 kg.
fn mass_ratio(count: usize) -> Spec<D3> {
    let mut spec = tall_stack(count + 1);
    for body in &mut spec.bodies[1..] {
        body.density = 1.0;
    }
    spec.bodies.last_mut().expect("the stack is not empty").density = 1000.0;
    spec
}

/// Dominoes of the usual proportions, ten times as large, on a straight line.
fn dominoes(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    let (half, pitch) = (Vec3::new(0.035, 0.24, 0.12), 0.25);
    let length = count as f32 * pitch;
    spec.bodies.push(floor3(length));
    for i in 0..count {
        let position = Vec3::new(i as f32 * pitch - length * 0.5, half.y, 0.0);
        spec.bodies.push(BodyDef::dynamic(position, Shape3::Box(half)));
    }
    // Tipped past its balance, standing on its lower edge.
    let tilt = Quat::from_rotation_z(-0.3);
    let corner = tilt * Vec3::new(half.x, -half.y, 0.0);
    let first = &mut spec.bodies[1];
    first.rotation = tilt;
    first.position.y = -corner.y;
    spec
}

/// Ten rows of a hundred would be a fence; twenty-five rows of forty are a wall.
fn brick_wall(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.bodies.push(floor3(60.0));
    let half = Vec3::new(0.5, 0.25, 0.25);
    let columns = 40;
    for i in 0..count {
        let (row, column) = (i / columns, i % columns);
        let shift = if row % 2 == 0 { 0.0 } else { half.x };
        let x = (column as f32 - columns as f32 * 0.5) * 2.0 * half.x + shift;
        spec.bodies
            .push(BodyDef::dynamic(Vec3::new(x, (2 * row + 1) as f32 * half.y, 0.0), Shape3::Box(half)));
    }
    let ball = BodyDef::dynamic(Vec3::new(0.0, 5.0, 15.0), Shape3::Sphere(1.0));
    spec.bodies.push(BodyDef { velocity: Vec3::new(0.0, 0.0, -30.0), density: 5000.0, ..ball });
    spec
}
