//! Jointed bodies: grids, a chain with a heavy end, ragdolls.

use super::support::{empty2, empty3, floor3};
use super::{Generator, Metric, Scene, Spec, Workload};
use crate::engine::{BodyDef, D2, D3, Dim, JointDef, JointKind, Kind, Part, Shape2, Shape3};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::FRAC_PI_2;

const fn scene(
    name: &'static str,
    about: &'static str,
    size: usize,
    samples: u32,
    generator: Generator,
) -> Scene {
    Scene { name, about, size, samples, workload: Workload::Step, metrics: &[Metric::Stretch], generator }
}

/// Scenes of this file.
pub const SCENES: &[Scene] = &[
    scene(
        "2d-joint-grid",
        "60 × 60 circles pinned to their neighbours, hanging",
        60,
        300,
        Generator::Two(grid2),
    ),
    scene(
        "3d-joint-grid",
        "40 × 40 spheres balled to their neighbours, hanging",
        40,
        300,
        Generator::Three(grid3),
    ),
    scene("3d-chain", "100 links, the last one 1 000 times as heavy", 100, 600, Generator::Three(chain)),
    Scene {
        metrics: &[Metric::Stretch, Metric::Penetration, Metric::Tunnelled],
        ..scene("3d-ragdolls", "100 ragdolls of 11 parts on a heap", 100, 300, Generator::Three(ragdolls))
    },
];

/// A square net; the middle third of its upper edge is fixed. The bodies collide with nothing.
fn net<D: Dim>(
    side: usize,
    mut push: impl FnMut(BodyDef<D>, Vec<JointDef<D>>),
    shape: D::Geometry,
    vec: impl Fn(f32, f32) -> D::Vec,
) {
    for i in 0..side * side {
        let (column, row) = (i % side, i / side);
        let held = row == 0 && (side / 3..side - side / 3).contains(&column);
        let mut body = BodyDef::dynamic(vec(column as f32, -(row as f32)), shape.clone());
        body.kind = if held { Kind::Static } else { Kind::Dynamic };
        body.ghost = true;
        let joint = |a: usize, x: f32, y: f32| JointDef {
            kind: JointKind::Ball,
            a,
            b: i,
            anchor_a: vec(x * 0.5, y * 0.5),
            anchor_b: vec(-x * 0.5, -y * 0.5),
        };
        let mut joints = Vec::new();
        if column > 0 {
            joints.push(joint(i - 1, 1.0, 0.0));
        }
        if row > 0 {
            joints.push(joint(i - side, 0.0, -1.0));
        }
        // A joint between two static bodies has nothing to do, and some engines refuse it.
        joints.retain(|_| !(held && row == 0 && column > side / 3));
        push(body, joints);
    }
}

fn grid2(side: usize) -> Spec<D2> {
    let mut spec = empty2();
    let (bodies, joints) = (&mut spec.bodies, &mut spec.joints);
    net::<D2>(side, |b, j| (bodies.push(b), joints.extend(j)).1, Shape2::Circle(0.4), Vec2::new);
    spec
}

fn grid3(side: usize) -> Spec<D3> {
    let mut spec = empty3();
    let (bodies, joints) = (&mut spec.bodies, &mut spec.joints);
    net::<D3>(
        side,
        |b, j| (bodies.push(b), joints.extend(j)).1,
        Shape3::Sphere(0.4),
        |x, y| Vec3::new(x, y, 0.0),
    );
    spec
}

/// Links hanging straight down, at rest. They collide with nothing, so only the joints are tested.
fn chain(links: usize) -> Spec<D3> {
    let mut spec = empty3();
    let (half, reach) = (Vec3::new(0.1, 0.2, 0.1), 0.25);
    spec.bodies.push(BodyDef { ghost: true, ..BodyDef::fixed(Vec3::ZERO, Shape3::Box(half)) });
    for i in 1..=links {
        let mut link = BodyDef::dynamic(Vec3::new(0.0, -2.0 * reach * i as f32, 0.0), Shape3::Box(half));
        link.ghost = true;
        spec.bodies.push(link);
        let (down, up) = (Vec3::new(0.0, -reach, 0.0), Vec3::new(0.0, reach, 0.0));
        spec.joints.push(JointDef { kind: JointKind::Ball, a: i - 1, b: i, anchor_a: down, anchor_b: up });
    }
    spec.bodies[links].density *= 1000.0;
    spec
}

/// One part of a ragdoll: place of its middle, half length and radius of its capsule, which axis it lies along.
struct Limb {
    at: Vec3,
    half: f32,
    radius: f32,
    along_x: bool,
    parent: usize,
    joint: Vec3,
    kind: JointKind,
}

/// Arms stretched out, so that only parts with a joint between them are close.
fn limbs() -> Vec<Limb> {
    let cone = |axis: Vec3, swing: f32| JointKind::Cone { axis, swing, twist: 0.5 };
    let hinge = |axis: Vec3, low: f32, high: f32| JointKind::Hinge { axis, limits: Some((low, high)) };
    let y = |at: Vec3, half: f32, radius: f32, parent: usize, joint: Vec3, kind: JointKind| Limb {
        at,
        half,
        radius,
        along_x: false,
        parent,
        joint,
        kind,
    };
    let p = Vec3::new;
    let mut limbs = vec![
        Limb { along_x: true, ..y(p(0.0, 0.0, 0.0), 0.08, 0.12, 0, Vec3::ZERO, JointKind::Ball) },
        y(p(0.0, 0.35, 0.0), 0.12, 0.15, 0, p(0.0, 0.12, 0.0), cone(Vec3::Y, 0.4)),
        y(p(0.0, 0.78, 0.0), 0.03, 0.11, 1, p(0.0, 0.65, 0.0), cone(Vec3::Y, 0.5)),
    ];
    for side in [1.0, -1.0] {
        let out = Vec3::new(side, 0.0, 0.0);
        let arm = limbs.len();
        let x = |limb: Limb| Limb { along_x: true, ..limb };
        limbs.push(x(y(p(side * 0.38, 0.5, 0.0), 0.11, 0.06, 1, p(side * 0.2, 0.5, 0.0), cone(out, 1.2))));
        limbs.push(x(y(
            p(side * 0.72, 0.5, 0.0),
            0.11,
            0.05,
            arm,
            p(side * 0.55, 0.5, 0.0),
            hinge(Vec3::Y, -2.0, 0.0),
        )));
        let leg = limbs.len();
        limbs.push(y(
            p(side * 0.12, -0.38, 0.0),
            0.15,
            0.08,
            0,
            p(side * 0.12, -0.14, 0.0),
            cone(-Vec3::Y, 0.8),
        ));
        limbs.push(y(
            p(side * 0.12, -0.83, 0.0),
            0.15,
            0.06,
            leg,
            p(side * 0.12, -0.6, 0.0),
            hinge(Vec3::X, 0.0, 2.0),
        ));
    }
    limbs
}

/// Ragdolls above each other in a few columns, so that they fall on a heap.
fn ragdolls(count: usize) -> Spec<D3> {
    let mut spec = empty3();
    spec.bodies.push(floor3(40.0));
    let limbs = limbs();
    let columns = 16;
    for doll in 0..count {
        let (column, level) = (doll % columns, doll / columns);
        let place = Vec3::new((column % 4) as f32 * 2.2, 2.0 + level as f32 * 2.2, (column / 4) as f32 * 1.0);
        let first = spec.bodies.len();
        for (part, limb) in limbs.iter().enumerate() {
            let mut body = BodyDef::dynamic(place + limb.at, Shape3::Sphere(1.0));
            let turn = if limb.along_x { Quat::from_rotation_z(FRAC_PI_2) } else { Quat::IDENTITY };
            let geometry = Shape3::Capsule(limb.half, limb.radius);
            body.parts = vec![Part { geometry, offset: Vec3::ZERO, rotation: turn }];
            body.group = Some((doll as u32, part as u32));
            spec.bodies.push(body);
            if part > 0 {
                spec.joints.push(JointDef {
                    kind: limb.kind,
                    a: first + limb.parent,
                    b: first + part,
                    anchor_a: limb.joint - limbs[limb.parent].at,
                    anchor_b: limb.joint - limb.at,
                });
            }
        }
    }
    spec
}
