//! Bodies that fall into heaps: narrow phases for every shape, contacts that come and go.

use super::support::{Random, empty2, empty3, fixed2, fixed3, floor3};
use super::{Generator, Metric, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Mesh, Part, Shape2, Shape3};
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;
use std::sync::Arc;

const HEAP: &[Metric] = &[Metric::Penetration, Metric::Tunnelled];

const fn scene(
    name: &'static str,
    about: &'static str,
    size: usize,
    samples: u32,
    generator: Generator,
) -> Scene {
    Scene { name, about, size, samples, workload: Workload::Step, metrics: HEAP, generator }
}

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    scene(
        "2d-rain",
        "2 000 circles, boxes, capsules and polygons, 10 every other step",
        2000,
        600,
        Generator::Two(rain),
    ),
    scene(
        "2d-compounds",
        "1 500 bodies of two boxes each, dropped into a pit",
        1500,
        400,
        Generator::Two(compounds),
    ),
    scene(
        "3d-pile",
        "3 000 spheres, boxes, capsules and hulls dropped into a pit",
        3000,
        200,
        Generator::Three(pile),
    ),
    scene(
        "3d-hull-pile",
        "1 500 hulls of 32 points dropped into a pit",
        1500,
        150,
        Generator::Three(hull_pile),
    ),
    scene("3d-cylinders", "500 cylinders dropped into a pit", 500, 300, Generator::Three(cylinders)),
    scene(
        "3d-terrain",
        "1 000 mixed bodies on a mesh of 20 000 triangles",
        1000,
        300,
        Generator::Three(terrain),
    ),
];

/// A U of walls, open at the top; the floor's top is y = 0.
fn pit2(half: f32, height: f32) -> BodyDef<D2> {
    let side = Shape2::Box(Vec2::new(0.5, height * 0.5));
    fixed2(
        Vec2::ZERO,
        vec![
            Part::at(Vec2::new(0.0, -0.5), Shape2::Box(Vec2::new(half + 1.0, 0.5))),
            Part::at(Vec2::new(half + 0.5, height * 0.5), side.clone()),
            Part::at(Vec2::new(-half - 0.5, height * 0.5), side),
        ],
    )
}

/// A floor and four walls, open at the top; the floor's top is y = 0.
fn pit3(half: f32, height: f32) -> BodyDef<D3> {
    let wall = |x: f32, z: f32| {
        let offset = Vec3::new(x * (half + 0.5), height * 0.5, z * (half + 0.5));
        let size = Vec3::new(
            if x == 0.0 { half + 1.0 } else { 0.5 },
            height * 0.5,
            if z == 0.0 { half } else { 0.5 },
        );
        Part::at(offset, Shape3::Box(size))
    };
    let floor = Part::at(Vec3::new(0.0, -0.5, 0.0), Shape3::Box(Vec3::new(half + 1.0, 0.5, half + 1.0)));
    fixed3(Vec3::ZERO, vec![floor, wall(1.0, 0.0), wall(-1.0, 0.0), wall(0.0, 1.0), wall(0.0, -1.0)])
}

/// Regular polygon of `corners` corners, counter-clockwise.
fn polygon(corners: usize, radius: f32) -> Shape2 {
    let corner = |i: usize| Vec2::from_angle(i as f32 / corners as f32 * TAU) * radius;
    Shape2::Polygon((0..corners).map(corner).collect())
}

fn rain(count: usize) -> Spec<D2> {
    let mut spec = empty2();
    let mut random = Random::new(1);
    spec.bodies.push(pit2(30.0, 80.0));
    spec.bounds = [Vec3::new(-30.5, -0.5, -1.0), Vec3::new(30.5, 1e6, 1.0)];
    let per_shower = 10;
    for i in 0..count {
        let shape = match i % 4 {
            0 => Shape2::Circle(0.4),
            1 => Shape2::Box(Vec2::new(0.5, 0.3)),
            2 => Shape2::Capsule(0.3, 0.25),
            _ => polygon(5 + i / 4 % 4, 0.45),
        };
        let x = ((i % per_shower) as f32 + 0.5) / per_shower as f32 * 56.0 - 28.0 + random.range(-1.0, 1.0);
        let mut body = BodyDef::<D2>::dynamic(Vec2::new(x, 50.0 + random.range(0.0, 1.0)), shape);
        body.rotation = random.range(0.0, TAU);
        body.velocity.y = -20.0;
        // The first shower is there at the start; every other step brings another.
        body.spawn_step = (i / per_shower) as u32 * 2;
        spec.bodies.push(body);
    }
    spec
}

/// Two boxes glued into a cross or an L, in turn.
fn compounds(count: usize) -> Spec<D2> {
    let mut spec = empty2();
    spec.bodies.push(pit2(30.0, 120.0));
    spec.bounds = [Vec3::new(-30.5, -0.5, -1.0), Vec3::new(30.5, 1e6, 1.0)];
    for i in 0..count {
        let position = Vec2::new((i % 30) as f32 * 1.9 - 27.5, (i / 30) as f32 * 1.9 + 2.0);
        let long = Part::at_origin(Shape2::Box(Vec2::new(0.75, 0.2)));
        let other = match i % 2 {
            0 => Part::at_origin(Shape2::Box(Vec2::new(0.2, 0.75))),
            _ => Part::at(Vec2::new(0.55, 0.5), Shape2::Box(Vec2::new(0.2, 0.3))),
        };
        let mut body =
            BodyDef { parts: vec![long, other], ..BodyDef::dynamic(position, Shape2::Circle(1.0)) };
        body.rotation = (i % 7) as f32;
        spec.bodies.push(body);
    }
    spec
}

/// Points spread evenly over an ellipsoid, so that all of them are corners.
fn rock(points: usize, radii: Vec3) -> Shape3 {
    let golden = TAU / 2.618_034;
    let point = |i: usize| {
        let y = 1.0 - 2.0 * (i as f32 + 0.5) / points as f32;
        let (sin, cos) = (golden * i as f32).sin_cos();
        Vec3::new((1.0 - y * y).sqrt() * cos, y, (1.0 - y * y).sqrt() * sin) * radii
    };
    Shape3::Hull((0..points).map(point).collect())
}

/// One of four kinds by number, about half a metre in radius.
fn mixed(i: usize) -> Shape3 {
    match i % 4 {
        0 => Shape3::Sphere(0.4),
        1 => Shape3::Box(Vec3::new(0.45, 0.3, 0.35)),
        2 => Shape3::Capsule(0.3, 0.25),
        _ => rock(16, Vec3::new(0.5, 0.35, 0.4)),
    }
}

/// Layers of turned bodies above a pit of half width `half`.
fn drop_into_pit(count: usize, half: f32, shape: impl Fn(usize) -> Shape3) -> Spec<D3> {
    let mut spec = empty3();
    let mut random = Random::new(2);
    let pitch = 1.25;
    let per_side = (2.0 * half / pitch) as usize;
    let layers = count / (per_side * per_side) + 1;
    spec.bodies.push(pit3(half, layers as f32 * pitch + 2.0));
    spec.bounds = [Vec3::new(-half - 0.5, -0.5, -half - 0.5), Vec3::new(half + 0.5, 1e6, half + 0.5)];
    for i in 0..count {
        let cell = Vec3::new(
            (i % per_side) as f32,
            (i / (per_side * per_side)) as f32,
            (i / per_side % per_side) as f32,
        );
        let corner = Vec3::new(-half, 0.0, -half) + Vec3::splat(pitch * 0.5);
        let jitter = Vec3::new(random.range(-0.05, 0.05), 0.0, random.range(-0.05, 0.05));
        let mut body = BodyDef::dynamic(corner + cell * pitch + jitter, shape(i));
        body.rotation = random.rotation();
        spec.bodies.push(body);
    }
    spec
}

fn pile(count: usize) -> Spec<D3> {
    drop_into_pit(count, 8.0, mixed)
}

fn hull_pile(count: usize) -> Spec<D3> {
    // Few different hulls, as a game has: engines that share shape data may do so.
    let radii = |i: usize| Vec3::new(0.4 + 0.05 * (i % 3) as f32, 0.5, 0.35 + 0.05 * (i % 2) as f32);
    drop_into_pit(count, 8.0, |i| rock(32, radii(i)))
}

fn cylinders(count: usize) -> Spec<D3> {
    drop_into_pit(count, 6.0, |i| Shape3::Cylinder(0.25 + 0.05 * (i % 3) as f32, 0.4))
}

/// Hills of a few metres, one hundred cells to a side, two triangles each.
fn terrain(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    let mut random = Random::new(3);
    let cells = 100;
    let height = |x: f32, z: f32| 1.5 * (0.25 * x).sin() * (0.2 * z).cos() + 0.3 * (x + 0.7 * z).sin();
    let half = cells as f32 * 0.5;
    let place = |i: usize| Vec2::new((i % (cells + 1)) as f32 - half, (i / (cells + 1)) as f32 - half);
    let vertices = (0..(cells + 1) * (cells + 1))
        .map(|i| Vec3::new(place(i).x, height(place(i).x, place(i).y), place(i).y))
        .collect();
    let triangles = (0..cells * cells)
        .flat_map(|cell| {
            let a = (cell / cells * (cells + 1) + cell % cells) as u32;
            let (b, c, d) = (a + 1, a + cells as u32 + 1, a + cells as u32 + 2);
            [[a, c, b], [b, c, d]]
        })
        .collect();
    spec.bodies.push(BodyDef::fixed(Vec3::ZERO, Shape3::Mesh(Arc::new(Mesh { vertices, triangles }))));
    spec.bounds = [Vec3::new(-1e6, -3.0, -1e6), Vec3::splat(1e6)];
    let per_side = (count as f32).sqrt().ceil() as usize;
    for i in 0..count {
        let middle = (per_side - 1) as f32 * 0.5;
        let (x, z) = (((i % per_side) as f32 - middle) * 2.0, ((i / per_side) as f32 - middle) * 2.0);
        let mut body = BodyDef::dynamic(Vec3::new(x, height(x, z) + 2.0, z), mixed(i));
        body.rotation = random.rotation();
        spec.bodies.push(body);
    }
    spec
}

/// Boxes lying apart on a floor, for scenes about sleep, creation and rays.
pub fn scattered_boxes(count: usize, pitch: f32) -> Spec<D3> {
    let mut spec = empty3();
    let side = (count as f32).sqrt().ceil() as usize;
    spec.bodies.push(floor3(side as f32 * pitch));
    for i in 0..count {
        let middle = (side - 1) as f32 * 0.5;
        let (x, z) = ((i % side) as f32 - middle, (i / side) as f32 - middle);
        let position = Vec3::new(x * pitch, 0.5, z * pitch);
        spec.bodies.push(BodyDef::dynamic(position, Shape3::Box(Vec3::splat(0.5))));
    }
    spec
}
