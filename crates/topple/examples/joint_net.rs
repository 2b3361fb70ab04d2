//! What joints cost per step, and how far they give way: nets, a chain with a heavy end, ragdolls on a heap.
//! `cargo run --release --example joint_net -- [scene] [steps] [max_refinement]`; the scenes are those of `versus`.

use std::time::Instant;
use topple::joint::{Ball, Hinge, Limits};
use topple::math::*;
use topple::{BodyDef, BodyId, D2, D3, Dim, JointDef, JointId, JointKind, Pose, Settings, Shape2, Shape3};
use topple::{ShapeDef, World};

/// A shape that collides with nothing.
fn ghost<D: Dim>(shape: impl Into<ShapeDef<D>>) -> ShapeDef<D> {
    let mut shape = shape.into();
    shape.filter.mask = 0;
    shape
}

fn empty<D: Dim>() -> World<D> {
    World::with_settings(Settings { sleeping: false, ..Settings::default() }).unwrap()
}

fn xy<D: Dim>(x: f32, y: f32) -> D::Vec {
    let mut v = D::Vec::ZERO;
    v.set(0, x);
    v.set(1, y);
    v
}

fn joint<D: Dim>(
    world: &mut World<D>,
    kind: JointKind<D>,
    (a, at_a): (BodyId, D::Vec),
    (b, at_b): (BodyId, D::Vec),
    turn: D::Rot,
) -> JointId {
    let frame = |at: D::Vec| Pose { position: D::Point::from_vec(at), rotation: turn };
    let def = JointDef { local_a: frame(at_a), local_b: frame(at_b), ..JointDef::new(a, b, kind) };
    world.create_joint(def).unwrap()
}

/// A square net; the middle third of its upper edge is fixed.
fn net<D: Dim>(side: usize, shape: ShapeDef<D>) -> World<D> {
    let mut world = empty::<D>();
    let mut knots = Vec::<BodyId>::new();
    for i in 0..side * side {
        let (column, row) = (i % side, i / side);
        let held = row == 0 && (side / 3..side - side / 3).contains(&column);
        let at = D::Point::from_vec(xy::<D>(column as f32, -(row as f32)));
        let def = if held { BodyDef::fixed(at) } else { BodyDef::dynamic(at) };
        let knot = world.create_body_with(def, [shape.clone()]).unwrap();
        let mut tie = |a: BodyId, x: f32, y: f32| {
            let kind = JointKind::Ball(Ball::default());
            let (at_a, at_b) = (xy::<D>(0.5 * x, 0.5 * y), xy::<D>(-0.5 * x, -0.5 * y));
            joint(&mut world, kind, (a, at_a), (knot, at_b), D::Rot::IDENTITY);
        };
        let both_held = held && column > side / 3;
        if column > 0 && !both_held {
            tie(knots[i - 1], 1.0, 0.0);
        }
        if row > 0 {
            tie(knots[i - side], 0.0, -1.0);
        }
        knots.push(knot);
    }
    world
}

/// Links hanging straight down, the last one a thousand times as heavy.
fn chain(links: usize) -> World<D3> {
    let mut world = empty::<D3>();
    let reach = 0.25;
    let link = || ghost::<D3>(Shape3::cuboid(0.2, 0.4, 0.2));
    let mut last = world.create_body_with(BodyDef::fixed(Point3::ORIGIN), [link()]).unwrap();
    for i in 1..=links {
        let heavy = if i == links { 1000.0 } else { 1.0 };
        let shape = link();
        let density = shape.density * heavy;
        let def = BodyDef::dynamic(Point3::new(0.0, -2.0 * reach * i as f32, 0.0));
        let next = world.create_body_with(def, [shape.density(density)]).unwrap();
        let ends = [Vec3::Y * -reach, Vec3::Y * reach];
        let kind = JointKind::Ball(Ball::default());
        joint(&mut world, kind, (last, ends[0]), (next, ends[1]), Quat::IDENTITY);
        last = next;
    }
    world
}

/// The shortest turn from x to a coordinate axis or its opposite.
fn x_to(axis: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::X, axis)
}

/// One limb: middle, half length and radius of its capsule, lies along x, parent, joint, kind and axis.
type Limb = (Vec3, f32, f32, bool, usize, Vec3, JointKind<D3>, Vec3);

fn limbs() -> Vec<Limb> {
    let p = Vec3::new;
    let cone = |swing: f32| JointKind::Ball(Ball { cone: Some(swing), twist: Some(Limits::new(-0.5, 0.5)) });
    let hinge = |low: f32, high: f32| {
        JointKind::Hinge(Hinge { limits: Some(Limits::new(low, high)), ..Hinge::default() })
    };
    let mut limbs = vec![
        (p(0.0, 0.0, 0.0), 0.08, 0.12, true, 0, Vec3::ZERO, cone(1.0), Vec3::Y),
        (p(0.0, 0.35, 0.0), 0.12, 0.15, false, 0, p(0.0, 0.12, 0.0), cone(0.4), Vec3::Y),
        (p(0.0, 0.78, 0.0), 0.03, 0.11, false, 1, p(0.0, 0.65, 0.0), cone(0.5), Vec3::Y),
    ];
    for s in [1.0, -1.0] {
        let arm = limbs.len();
        let out = p(s, 0.0, 0.0);
        limbs.push((p(s * 0.38, 0.5, 0.0), 0.11, 0.06, true, 1, p(s * 0.2, 0.5, 0.0), cone(1.2), out));
        let elbow = p(s * 0.55, 0.5, 0.0);
        limbs.push((p(s * 0.72, 0.5, 0.0), 0.11, 0.05, true, arm, elbow, hinge(-2.0, 0.0), Vec3::Y));
        let leg = limbs.len();
        let hip = p(s * 0.12, -0.14, 0.0);
        limbs.push((p(s * 0.12, -0.38, 0.0), 0.15, 0.08, false, 0, hip, cone(0.8), -Vec3::Y));
        let knee = p(s * 0.12, -0.6, 0.0);
        limbs.push((p(s * 0.12, -0.83, 0.0), 0.15, 0.06, false, leg, knee, hinge(0.0, 2.0), Vec3::X));
    }
    limbs
}

/// Ragdolls above each other in a few columns, so that they fall on a heap.
fn ragdolls(count: usize) -> World<D3> {
    let mut world = empty::<D3>();
    let floor = BodyDef::fixed(Point3::new(0.0, -1.0, 0.0));
    world.create_body_with(floor, [Shape3::cuboid(80.0, 2.0, 80.0)]).unwrap();
    let limbs = limbs();
    for doll in 0..count {
        let (column, level) = (doll % 16, doll / 16);
        let place = Vec3::new((column % 4) as f32 * 2.2, 2.0 + level as f32 * 2.2, (column / 4) as f32);
        let mut parts = Vec::<BodyId>::new();
        for (part, &(at, half, radius, along_x, parent, hold, kind, axis)) in limbs.iter().enumerate() {
            let shape = ShapeDef::from(Shape3::capsule_y(2.0 * half, radius));
            let turn =
                if along_x { Quat::from_rotation_z(core::f32::consts::FRAC_PI_2) } else { Quat::IDENTITY };
            let def = BodyDef::dynamic(Point3::from(place + at));
            let body = world.create_body_with(def, [shape.at(Pose::new(Vec3::ZERO, turn))]).unwrap();
            parts.push(body);
            if part > 0 {
                let (at_a, at_b) = (hold - limbs[parent].0, hold - at);
                joint(&mut world, kind, (parts[parent], at_a), (body, at_b), x_to(axis));
            }
        }
    }
    world
}

/// Largest and mean distance of anchors that should coincide [m].
fn stretch<D: Dim>(world: &World<D>) -> (f32, f32) {
    let lengths = world.joint_ids().map(|id| world.joint(id).unwrap().length()).collect::<Vec<_>>();
    (lengths.iter().fold(0.0, |m: f32, &x| m.max(x)), lengths.iter().sum::<f32>() / lengths.len() as f32)
}

fn measure<D: Dim>(name: &str, mut world: World<D>, steps: usize, refinement: Option<u32>) {
    if let Some(max_refinement) = refinement {
        let settings = Settings { max_refinement, ..world.settings().clone() };
        world.set_settings(settings).unwrap();
    }
    let mut times = Vec::with_capacity(steps);
    // The worst gap of all steps [m], and the sum of their means.
    let (mut widest, mut sum) = (0.0_f32, 0.0_f64);
    for _ in 0..steps {
        let start = Instant::now();
        world.step();
        times.push(start.elapsed().as_secs_f64());
        let (worst, mean) = stretch(&world);
        (widest, sum) = (widest.max(worst), sum + f64::from(mean));
    }
    times.sort_by(f64::total_cmp);
    let median = times[steps / 2];
    let joints = world.profile().counters.joints;
    let (worst, mean) = stretch(&world);
    println!(
        "{name}: {joints} joints, {:.3} ms per step (least {:.3}), {:.0} ns per joint; stretch at most {worst:.5} m, mean {mean:.6} m, \
         on the way {widest:.5} m and {:.6} m; hash {:016x}",
        median * 1e3,
        times[0] * 1e3,
        median * 1e9 / f64::from(joints),
        sum / steps as f64,
        world.state_hash()
    );
}

fn main() {
    let mut args = std::env::args().skip(1);
    let which = args.next().unwrap_or_else(|| "all".into());
    let steps = args.next().and_then(|n| n.parse().ok());
    let finest = args.next().and_then(|n| n.parse().ok());
    let is = |name: &str| which == "all" || which == name;
    if is("grid2") {
        measure("grid2", net::<D2>(60, ghost(Shape2::circle(0.4))), steps.unwrap_or(300), finest);
    }
    if is("grid3") {
        measure("grid3", net::<D3>(40, ghost(Shape3::sphere(0.4))), steps.unwrap_or(300), finest);
    }
    if is("chain") {
        measure("chain", chain(100), steps.unwrap_or(600), finest);
    }
    if is("ragdolls") {
        measure("ragdolls", ragdolls(100), steps.unwrap_or(300), finest);
    }
}
