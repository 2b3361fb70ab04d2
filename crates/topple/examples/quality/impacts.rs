//! Bounces over many drops and sizes, impacts of what is joined, rows that stick.

use crate::stacks::{Boxes, point, put};
use crate::{Case, Found, case};
use topple::joint::Ball;
use topple::math::*;
use topple::*;

/// Largest departure of ten heights from e^(2n)·h0, by parabolas through three places each; infinite if one is missing.
fn bounces<D: Boxes>(drop: f32, radius: f32, restitution: f32) -> f64 {
    let mut world = World::<D>::new();
    let slab = D::cuboid([50.0, 2.0, 50.0]).restitution(restitution);
    world.create_body_with(BodyDef::fixed(point::<D>([0.0, -1.0, 0.0])), [slab]).expect("a floor");
    let ball = put(&mut world, [0.0, radius + drop, 0.0], D::ball(radius).restitution(restitution));
    let (mut worst, mut count, mut has_landed) = (0.0_f64, 0, false);
    let mut last = [f64::from(drop); 2];
    let share = f64::from(restitution).powi(2);
    for _ in 0..6000 {
        world.step();
        let Ok(body) = world.body(ball) else { break };
        let height = f64::from((body.position() - D::Point::ORIGIN).get(1) - radius);
        let [before, top] = last;
        has_landed |= height > top;
        if has_landed && top >= before && top > height {
            let (slope, bend) = (0.5 * (height - before), before - 2.0 * top + height);
            count += 1;
            let right = f64::from(drop) * share.powi(count);
            worst = worst.max(((top - slope * slope / (2.0 * bend)) / right - 1.0).abs());
            if count == 10 {
                return worst;
            }
        }
        last = [top, height];
    }
    f64::INFINITY
}

/// How many of 24 drops per radius have a height that is off by more than 1 %, of how many, and the worst.
fn sweep<D: Boxes>(radii: &[f32], restitution: f32) -> (usize, usize, f64) {
    let (mut worst, mut bad, mut all) = (0.0_f64, 0, 0);
    let low = (0..16).map(|i| 0.5 + 0.1 * i as f32);
    let drops: Vec<f32> = low.chain([2.5, 3.0, 4.0, 5.0, 7.3, 10.0, 20.0, 50.0]).collect();
    for &radius in radii {
        for &drop in &drops {
            let off = bounces::<D>(drop, radius, restitution);
            all += 1;
            bad += usize::from(off > 0.01);
            worst = worst.max(off);
        }
    }
    (bad, all, 100.0 * worst)
}

fn sweep_case<D: Boxes>(restitution: f32) -> Found {
    let (bad, all, worst) = sweep::<D>(&[0.05, 0.1, 0.25, 0.5, 1.0], restitution);
    Found::new(format!("{bad} of {all} off by more, worst {worst:.2} %"), bad == 0)
}

/// Balls that continuous collision stops.
fn small_balls<D: Boxes>() -> Found {
    let (bad, all, worst) = sweep::<D>(&[0.02], 0.8);
    Found::figure(format!("{bad} of {all} off by more than 1 %, worst {worst:.2} %"))
}

/// Kinetic and potential energy, from the lowest place on [J].
fn energy<D: Boxes>(world: &World<D>, ids: &[BodyId], length: f32) -> f64 {
    let bodies = ids.iter().filter_map(|&id| world.body(id).ok());
    bodies
        .map(|body| {
            let height = (body.center() - D::Point::ORIGIN).get(1) + length;
            f64::from(body.kinetic_energy()) + 9.8 * f64::from(body.mass()) * f64::from(height)
        })
        .sum()
}

/// A smooth elastic ball at angle `angle` on an arm from (x, 0).
fn hang<D: Boxes>(
    world: &mut World<D>,
    hook: BodyId,
    x: f32,
    length: f32,
    angle: f32,
    radius: f32,
) -> BodyId {
    let (sin, cos) = sin_cos(angle);
    let ball = D::ball(radius).friction(0.0).restitution(1.0);
    let id = put(world, [x + length * sin, -length * cos, 0.0], ball);
    let kind = JointKind::Ball(Ball::default());
    let def = JointDef::at(world, hook, id, kind, Pose::at(point::<D>([x, 0.0, 0.0]))).expect("a joint");
    world.create_joint(def).expect("a joint");
    id
}

/// A pendulum that swings against a wall for 20 s, and the same without the wall.
fn pendulum<D: Boxes>() -> Found {
    let (mut text, mut worst) = (Vec::new(), 0.0_f64);
    for (length, radius) in [(5.0, 0.5), (1.0, 0.1), (1.0, 0.3), (0.3, 0.03)] {
        let change = [false, true].map(|has_wall| {
            let mut world = crate::awake::<D>();
            let hook = world.create_body(BodyDef::fixed(D::Point::ORIGIN)).expect("a hook");
            let id = hang(&mut world, hook, 0.0, length, -0.3, radius);
            if has_wall {
                let wall = D::cuboid([1.0, 4.0 * radius, 1.0]).friction(0.0).restitution(1.0);
                let at = BodyDef::fixed(point::<D>([radius + 0.5, -length, 0.0]));
                world.create_body_with(at, [wall]).expect("a wall");
            }
            let start = energy(&world, &[id], length);
            (0..1200).for_each(|_| world.step());
            energy(&world, &[id], length) / start - 1.0
        });
        text.push(format!("{length} m: {:+.2} % ({:+.2} %)", 100.0 * change[1], 100.0 * change[0]));
        worst = worst.max(change[1].abs());
    }
    Found::new(text.join(", "), worst < 0.05)
}

/// Newton's cradle on ball joints: how far the balls swing out first, and the energy after 20 s.
fn cradle<D: Boxes>(coming: usize) -> Found {
    let (mut text, mut holds) = (Vec::new(), true);
    for radius in [0.03, 0.1, 0.5] {
        let length = 10.0 * radius;
        let mut world = crate::awake::<D>();
        let hook = world.create_body(BodyDef::fixed(D::Point::ORIGIN)).expect("a hook");
        let ids: Vec<BodyId> = (0..5)
            .map(|i| {
                let angle = if i < coming { -0.3 } else { 0.0 };
                hang(&mut world, hook, 2.0 * radius * i as f32, length, angle, radius)
            })
            .collect();
        let start = energy(&world, &ids, length);
        let period = 2.0 * core::f32::consts::PI * (length / 9.8).sqrt() * 60.0;
        let mut out = [0.0_f32; 5];
        for step in 0..1200 {
            world.step();
            if (step as f32) < 0.7 * period {
                for (i, &id) in ids.iter().enumerate() {
                    let Ok(body) = world.body(id) else { continue };
                    let x = (body.position() - D::Point::ORIGIN).get(0) - 2.0 * radius * i as f32;
                    out[i] = out[i].max(x / (length * sin_cos(0.3).0));
                }
            }
        }
        let change = energy(&world, &ids, length) / start - 1.0;
        let right = |(i, x): (usize, &f32)| (x - if i + coming >= 5 { 1.0 } else { 0.0 }).abs() < 0.05;
        holds &= out.iter().enumerate().all(right) && change.abs() < 0.05;
        text.push(format!("r {radius} m: {:+.1} %, out {out:.2?}", 100.0 * change));
    }
    Found::new(text.join("; "), holds)
}

/// Largest departure from the common speed of `count` like bodies without restitution in a row, `gap` apart, of which the first comes from
/// `start` behind its place at 5 m/s (no unit).
fn unlike<D: Boxes>(shape: &ShapeDef<D>, count: usize, gap: f32, start: f32) -> f32 {
    let mut settings = Settings::<D> { sleeping: false, ..Settings::default() };
    settings.gravity = D::Vec::ZERO;
    let mut world = World::with_settings(settings).expect("valid settings");
    let mut ids = Vec::new();
    for i in 0..count {
        let x = i as f32 * (1.0 + gap) - if i == 0 { start } else { 0.0 };
        let mut def = BodyDef::<D>::dynamic(point::<D>([x, 0.0, 0.0]));
        def.linear_velocity.set(0, if i == 0 { 5.0 } else { 0.0 });
        ids.push(world.create_body_with(def, [shape.clone()]).expect("a body"));
    }
    (0..90).for_each(|_| world.step());
    let right = 5.0 / count as f32;
    let speeds = ids.iter().filter_map(|&id| world.body(id).ok()).map(|b| b.linear_velocity().get(0));
    speeds.map(|v| (v / right - 1.0).abs()).fold(0.0, f32::max)
}

/// A row without restitution, hit by one of its kind: all go on together, whether they touch or nearly do, wherever in a step they meet.
fn sticky<D: Boxes>(shape: ShapeDef<D>) -> Found {
    let shape = shape.friction(0.0).restitution(0.0);
    let (mut text, mut worst) = (Vec::new(), 0.0_f32);
    for count in [2, 3, 5, 10] {
        let starts = [0.0, 0.50, 0.52, 0.54, 0.56];
        let rows = [0.0, 0.001, 0.01].into_iter().flat_map(|gap| starts.map(|start| (gap, start)));
        let off = rows.map(|(gap, start)| unlike(&shape, count, gap, start)).fold(0.0, f32::max);
        text.push(format!("{count}: {:.1} %", 100.0 * off));
        worst = worst.max(off);
    }
    Found::new(format!("speeds off by {}", text.join(", ")), worst < 0.03)
}

pub(crate) fn cases() -> Vec<Case> {
    let bounce = "ten heights each within 1 %, 24 drops of 0.5 … 50 m, radii 0.05 … 1 m";
    let swings = "energy within 5 % in 20 s (in brackets: without the wall)";
    let stick = "all at the common speed within 3 %, gaps of 0 … 1 cm";
    let out = "swing out within 5 %, energy within 5 % in 20 s";
    vec![
        case("bounces of many balls, e = 1, 2D", bounce, || sweep_case::<D2>(1.0)),
        case("bounces of many balls, e = 1, 3D", bounce, || sweep_case::<D3>(1.0)),
        case("bounces of many balls, e = 0.8, 2D", bounce, || sweep_case::<D2>(0.8)),
        case("bounces of many balls, e = 0.8, 3D", bounce, || sweep_case::<D3>(0.8)),
        case("bounces of balls of 2 cm, e = 0.8, 3D", "–", small_balls::<D3>),
        case("pendulum against a wall, 2D", swings, pendulum::<D2>),
        case("pendulum against a wall, 3D", swings, pendulum::<D3>),
        case("cradle on ball joints, one in, 2D", out, || cradle::<D2>(1)),
        case("cradle on ball joints, one in, 3D", out, || cradle::<D3>(1)),
        case("cradle on ball joints, two in, 2D", out, || cradle::<D2>(2)),
        case("cradle on ball joints, two in, 3D", out, || cradle::<D3>(2)),
        case("row of balls that sticks, 2D", stick, || sticky(D2::ball(0.5))),
        case("row of balls that sticks, 3D", stick, || sticky(D3::ball(0.5))),
        case("row of boxes that sticks, 2D", stick, || sticky(D2::cuboid([1.0; 3]))),
        case("row of boxes that sticks, 3D", stick, || sticky(D3::cuboid([1.0; 3]))),
    ]
}
