//! Heavy on light and heavy below light, at a ratio of masses of ten to the power of the scene's size. For the page of mass
//! ratios (`pages.rs`), not part of the table.

use super::support::{empty2, empty3, floor2, floor3};
use super::{Generator, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Dim, JointDef, JointKind, Shape2, Shape3};
use glam::{Vec2, Vec3};

/// Light boxes of a stack.
const BOXES: usize = 10;
/// Links of a chain, the heavy one included.
const LINKS: usize = 100;
/// Half the length of a link, from joint to joint [m].
pub const REACH: f32 = 0.25;

const fn scene(name: &'static str, about: &'static str, samples: u32, generator: Generator) -> Scene {
    Scene { name, about, size: 3, samples, workload: Workload::Step, metrics: &[], generator }
}

const STACK: &str = "a heavy cube on ten cubes of 1 kg, 60 s";
const HANGING: &str = "100 links with a heavy one at the end, hanging, 10 s";
const SWINGING: &str = "the same, held level and let go, 15 s";

/// Scenes of this file; the time is that of the page.
pub const SCENES: &[Scene] = &[
    scene("3d-ratio-stack", STACK, 3600, Generator::Three(stack3)),
    scene("3d-ratio-hanging", HANGING, 600, Generator::Three(|power| chain3(power, -Vec3::Y))),
    scene("3d-ratio-swinging", SWINGING, 900, Generator::Three(|power| chain3(power, Vec3::X))),
    scene("2d-ratio-stack", STACK, 3600, Generator::Two(stack2)),
    scene("2d-ratio-hanging", HANGING, 600, Generator::Two(|power| chain2(power, -Vec2::Y))),
    scene("2d-ratio-swinging", SWINGING, 900, Generator::Two(|power| chain2(power, Vec2::X))),
];

fn ratio(power: usize) -> f32 {
    10_f32.powi(power as i32)
}

fn stack<D: Dim>(mut spec: Spec<D>, power: usize, cube: impl Fn(f32) -> BodyDef<D>) -> Spec<D> {
    for i in 0..=BOXES {
        let density = if i == BOXES { ratio(power) } else { 1.0 };
        spec.bodies.push(BodyDef { density, ..cube(i as f32 + 0.5) });
    }
    spec
}

fn stack2(power: usize) -> Spec<D2> {
    let spec = Spec { bodies: vec![floor2(50.0)], ..empty2() };
    stack(spec, power, |y| BodyDef::dynamic(Vec2::new(0.0, y), Shape2::Box(Vec2::splat(0.5))))
}

fn stack3(power: usize) -> Spec<D3> {
    let spec = Spec { bodies: vec![floor3(50.0)], ..empty3() };
    stack(spec, power, |y| BodyDef::dynamic(Vec3::new(0.0, y, 0.0), Shape3::Box(Vec3::splat(0.5))))
}

/// Links that collide with nothing, so only the joints are tested. `at` tells a place along the chain, and half a link.
fn chain<D: Dim>(
    mut spec: Spec<D>,
    power: usize,
    shape: &D::Geometry,
    at: impl Fn(f32) -> D::Vec,
) -> Spec<D> {
    spec.bodies.push(BodyDef { ghost: true, ..BodyDef::fixed(at(0.0), shape.clone()) });
    for i in 1..=LINKS {
        let mut link = BodyDef::dynamic(at(2.0 * REACH * i as f32), shape.clone());
        link.ghost = true;
        if i == LINKS {
            link.density *= ratio(power);
        }
        spec.bodies.push(link);
        let (anchor_a, anchor_b) = (at(REACH), at(-REACH));
        spec.joints.push(JointDef { kind: JointKind::Ball, a: i - 1, b: i, anchor_a, anchor_b });
    }
    spec
}

fn chain2(power: usize, along: Vec2) -> Spec<D2> {
    let half = Vec2::splat(0.1) + along.abs() * 0.1;
    chain(empty2(), power, &Shape2::Box(half), |d| along * d)
}

fn chain3(power: usize, along: Vec3) -> Spec<D3> {
    let half = Vec3::splat(0.1) + along.abs() * 0.1;
    chain(empty3(), power, &Shape3::Box(half), |d| along * d)
}
