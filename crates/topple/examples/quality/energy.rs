//! Elastic gases, bouncing balls, cradles.

use crate::stacks::{Boxes, floor, point, put};
use crate::{Case, Found, case};
use topple::math::*;
use topple::*;

const RADIUS: f32 = 0.1;

/// A small generator of its own: figures must not change with a library.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// Mean 0, variance 1: the sum of twelve.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }
}

/// What a gas is made of.
struct Kind<D: Dim> {
    shape: ShapeDef<D>,
    /// Of one of them [m³], in 2D [m²].
    volume: f32,
    count: usize,
}

fn balls<D: Boxes>() -> Kind<D> {
    let pi = core::f32::consts::PI;
    let volume = if D::N == 2 { pi * RADIUS.powi(2) } else { 4.0 / 3.0 * pi * RADIUS.powi(3) };
    Kind { shape: D::ball(RADIUS), volume, count: 2000 }
}

fn boxes<D: Boxes>(edges: [f32; 3]) -> Kind<D> {
    Kind { shape: D::cuboid(edges), volume: edges[..D::N].iter().product(), count: 512 }
}

/// Frictionless elastic bodies, 5 % of the volume, 600 steps: relative change of energy.
fn gas<D: Boxes>(kind: &Kind<D>, rms: f32, gravity: f32, seed: u64) -> f64 {
    let mut settings = Settings::<D> { sleeping: false, ..Settings::default() };
    settings.gravity = D::Vec::ZERO;
    settings.gravity.set(1, -gravity);
    let mut world = World::with_settings(settings).expect("valid settings");
    let count = kind.count;
    let room = f64::from(count as f32 * kind.volume / 0.05);
    let side = (if D::N == 2 { room.sqrt() } else { room.powf(1.0 / 3.0) }) as f32;
    for axis in 0..D::N {
        for sign in [-1.0_f32, 1.0] {
            let mut edges = [2.0 * side; 3];
            edges[axis] = 1.0;
            let mut at = [0.0; 3];
            at[axis] = sign * (0.5 * side + 0.5);
            let wall = D::cuboid(edges).friction(0.0).restitution(1.0);
            world.create_body_with(BodyDef::fixed(point::<D>(at)), [wall]).expect("a wall");
        }
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (seed + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
    let per = (1..=count).find(|per| per.pow(D::N as u32) >= count).unwrap_or(count);
    let mut ids = Vec::new();
    for i in 0..count {
        let (mut at, mut rest) = ([0.0; 3], i);
        for x in at.iter_mut().take(D::N) {
            *x = ((rest % per) as f32 + 0.5) / per as f32 * side - 0.5 * side;
            rest /= per;
        }
        let mut def = BodyDef::<D>::dynamic(point::<D>(at));
        for axis in 0..D::N {
            def.linear_velocity.set(axis, random.normal() * rms / (D::N as f32).sqrt());
        }
        let shape = kind.shape.clone().friction(0.0).restitution(1.0);
        ids.push(world.create_body_with(def, [shape]).expect("a body"));
    }
    let energy = |world: &World<D>| -> f64 {
        let bodies = ids.iter().filter_map(|&id| world.body(id).ok());
        bodies
            .map(|body| {
                let height = (body.position() - D::Point::ORIGIN).get(1) + 0.5 * side;
                f64::from(body.kinetic_energy()) + f64::from(body.mass() * gravity * height)
            })
            .sum()
    };
    let start = energy(&world);
    (0..600).for_each(|_| world.step());
    energy(&world) / start - 1.0
}

/// Asked for from 0.5 m/s on; a cold gas should be no exception.
fn gas_case<D: Boxes>(gravity: f32, limit: f64) -> Found {
    gas_table::<D>(&balls(), [0.1, 0.5, 2.0, 10.0], gravity, limit)
}

/// At the highest speed a box turns by more than half a radian per sub-step.
fn box_gas<D: Boxes>(edges: [f32; 3]) -> Found {
    gas_table::<D>(&boxes(edges), [0.5, 5.0, 10.0, 20.0], 0.0, 0.01)
}

fn gas_table<D: Boxes>(kind: &Kind<D>, speeds: [f32; 4], gravity: f32, limit: f64) -> Found {
    let mut worst = 0.0_f64;
    let mut text = Vec::new();
    for rms in speeds {
        let changes = (0..5).map(|seed| gas(kind, rms, gravity, seed));
        let largest = changes.fold(0.0_f64, |a, b| if b.abs() > a.abs() { b } else { a });
        text.push(format!("{rms} m/s: {:+.2} %", 100.0 * largest));
        worst = worst.max(largest.abs());
    }
    Found::new(text.join(", "), worst < limit)
}

/// Heights of ten bounces against e^(2n)·h0.
fn bounces<D: Boxes>(restitution: f32) -> Found {
    let mut world = floor_that_bounces::<D>(restitution);
    let (radius, drop) = (0.25, 5.0_f32);
    let ball = put(&mut world, [0.0, radius + drop, 0.0], D::ball(radius).restitution(restitution));
    let (mut falls, mut heights) = (true, Vec::new());
    let mut last = drop;
    for _ in 0..4000 {
        world.step();
        let Ok(body) = world.body(ball) else { break };
        let height = (body.position() - D::Point::ORIGIN).get(1) - radius;
        if falls && height > last {
            falls = false;
        } else if !falls && height < last {
            heights.push(last);
            falls = true;
        }
        last = height;
    }
    let mut worst = 0.0_f32;
    let mut count = 0;
    for (n, height) in heights.iter().take(10).enumerate() {
        let right = drop * restitution.powi(2 * (n as i32 + 1));
        worst = worst.max((height / right - 1.0).abs());
        count += 1;
    }
    Found::new(
        format!("{count} bounces, worst height {:.2} % off", 100.0 * worst),
        count == 10 && worst < 0.01,
    )
}

fn floor_that_bounces<D: Boxes>(restitution: f32) -> World<D> {
    let mut world = crate::awake::<D>();
    let slab = D::cuboid([50.0, 2.0, 50.0]).restitution(restitution);
    world.create_body_with(BodyDef::fixed(point::<D>([0.0, -1.0, 0.0])), [slab]).expect("a floor");
    world
}

/// Five balls in a row, `count` of them coming in. Says how the speeds came out.
fn cradle<D: Boxes>(count: usize) -> Found {
    let mut settings = Settings::<D> { sleeping: false, ..Settings::default() };
    settings.gravity = D::Vec::ZERO;
    let mut world = World::with_settings(settings).expect("valid settings");
    let mut ids = Vec::new();
    for i in 0..5 {
        let gap = if i < count { -0.5 } else { 0.0 };
        let mut def = BodyDef::<D>::dynamic(point::<D>([i as f32 + gap, 0.0, 0.0]));
        if i < count {
            def.linear_velocity.set(0, 1.0);
        }
        let ball = D::ball(0.5).friction(0.0).restitution(1.0);
        ids.push(world.create_body_with(def, [ball]).expect("a ball"));
    }
    (0..120).for_each(|_| world.step());
    let speeds: Vec<f32> =
        ids.iter().filter_map(|&id| world.body(id).ok()).map(|body| body.linear_velocity().get(0)).collect();
    let right =
        speeds.iter().enumerate().all(|(i, v)| (v - if i + count >= 5 { 1.0 } else { 0.0 }).abs() < 0.01);
    Found::new(format!("speeds {speeds:.3?}"), right)
}

/// A stack with restitution 1 that was put down at rest must stay so.
fn quiet<D: Boxes>() -> Found {
    let mut world = floor::<D>();
    let ids: Vec<_> = (0..8)
        .map(|i| put(&mut world, [0.0, 0.5 + i as f32, 0.0], D::cuboid([1.0; 3]).restitution(1.0)))
        .collect();
    (0..600).for_each(|_| world.step());
    let speed = ids.iter().filter_map(|&id| world.body(id).ok()).map(|b| b.linear_velocity().length());
    let speed = speed.fold(0.0, f32::max);
    Found::new(format!("fastest {:.1e} m/s", speed), speed < 1e-3)
}

pub(crate) fn cases() -> Vec<Case> {
    let (without, with) =
        ("energy within 1 %, worst of five seeds", "energy within 3 %, worst of five seeds");
    vec![
        case("gas of 2 000 discs", without, || gas_case::<D2>(0.0, 0.01)),
        case("gas of 2 000 spheres", without, || gas_case::<D3>(0.0, 0.01)),
        case("gas of 2 000 discs under gravity", with, || gas_case::<D2>(9.8, 0.03)),
        case("gas of 2 000 spheres under gravity", with, || gas_case::<D3>(9.8, 0.03)),
        case("gas of 512 squares", without, || box_gas::<D2>([0.17; 3])),
        case("gas of 512 cubes", without, || box_gas::<D3>([0.17; 3])),
        case("gas of 512 rectangles, 5 : 1", without, || box_gas::<D2>([0.3, 0.06, 0.2])),
        case("gas of 512 plates, 15 : 10 : 3", without, || box_gas::<D3>([0.3, 0.06, 0.2])),
        case("ball that bounces, e = 1, 3D", "ten heights within 1 %", || bounces::<D3>(1.0)),
        case("ball that bounces, e = 0.8, 3D", "ten heights within 1 %", || bounces::<D3>(0.8)),
        case("disc that bounces, e = 1, 2D", "ten heights within 1 %", || bounces::<D2>(1.0)),
        case("disc that bounces, e = 0.8, 2D", "ten heights within 1 %", || bounces::<D2>(0.8)),
        case("cradle, one in, 2D", "one out", || cradle::<D2>(1)),
        case("cradle, two in, 2D", "two out", || cradle::<D2>(2)),
        case("cradle, one in, 3D", "one out", || cradle::<D3>(1)),
        case("cradle, two in, 3D", "two out", || cradle::<D3>(2)),
        case("stack with restitution 1 at rest, 2D", "stays quiet", quiet::<D2>),
        case("stack with restitution 1 at rest, 3D", "stays quiet", quiet::<D3>),
    ]
}
