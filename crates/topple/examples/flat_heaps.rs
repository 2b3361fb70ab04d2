//! Worlds of the plane in which bodies fall, lie in heaps and are turned over, to profile: `flat_heaps <world> <from> <steps>` runs `from` steps, then `steps`
//! that count, and prints their shortest and mean time [ms], the shortest of every stage [µs] and the hash of the state.
//!
//! Instructions of these steps alone: `valgrind --tool=callgrind --toggle-collect='*counted*' target/release/examples/flat_heaps rain 560 10`.
//! Worlds: `rain` (pours until step 400, has fallen at 560), `pyramids`, `washer`, `compounds`, `pyramid`.
use std::time::{Duration, Instant};
use topple::math::{Vec2, sin_cos};
use topple::world::STAGES;
use topple::*;

fn arg(i: usize, default: usize) -> usize {
    std::env::args().nth(i).and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "rain".into());
    let (from, steps) = (arg(2, 560), arg(3, 10));
    let mut world = World2::with_settings(Settings2 {
        sleeping: false,
        gravity: Vec2::new(0.0, -9.8),
        ..Settings2::default()
    })?;
    let mut rain = None;
    match name.as_str() {
        "rain" => rain = Some(Rain::over(&mut world)?),
        "pyramids" => pyramids(&mut world)?,
        "pyramid" => {
            world
                .create_body_with(BodyDef2::fixed([0.0, -1.0]), [material(Shape2::rectangle(400.0, 2.0))])?;
            pyramid(&mut world, 100, [0.0, 0.0])?;
        }
        "washer" => washer(&mut world)?,
        "compounds" => compounds(&mut world)?,
        _ => eprintln!("no such world: {name}"),
    }
    let mut times = Vec::new();
    let mut stages = STAGES.map(|_| Duration::MAX);
    for step in 0..from + steps {
        if let Some(rain) = &mut rain {
            rain.pour(&mut world, step)?;
        }
        if step < from {
            world.step();
        } else {
            times.push(counted(&mut world));
            for (least, (stage, _)) in stages.iter_mut().zip(STAGES) {
                *least = world.profile().stage(stage).min(*least);
            }
        }
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name} {from} {steps}: shortest {:.3} ms, mean {:.3} ms, {} pairs, {} contacts, state {:016x}",
        times.iter().min().copied().map_or(0.0, ms),
        times.iter().copied().map(ms).sum::<f64>() / times.len().max(1) as f64,
        world.profile().counters.pairs,
        world.profile().counters.contacts,
        world.state_hash()
    );
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let by_stage = stages.iter().zip(STAGES).map(|(time, (_, name))| format!("{name} {:.0}", us(*time)));
    println!("{}", by_stage.collect::<Vec<_>>().join(", "));
    Ok(())
}

/// A step that is to be measured: a name for profilers to find.
#[inline(never)]
fn counted(world: &mut World2) -> Duration {
    let start = Instant::now();
    world.step();
    start.elapsed()
}

fn material(shape: Shape2) -> ShapeDef2 {
    ShapeDef2::new(shape).density(1000.0).friction(0.5)
}

/// PCG-XSH-RR.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        let old = self.0;
        self.0 = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let shifted = ((old >> 18 ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

/// A U of walls, open at the top; the floor's top is y = 0.
fn pit(world: &mut World2, half: f32, height: f32) -> Result<(), Error> {
    let floor = material(Shape2::rectangle(2.0 * (half + 1.0), 1.0)).at(Pose::at([0.0, -0.5]));
    let wall = |x: f32| material(Shape2::rectangle(1.0, height)).at(Pose::at([x, height * 0.5]));
    world.create_body_with(BodyDef2::fixed([0.0, 0.0]), [floor, wall(half + 0.5), wall(-half - 0.5)])?;
    Ok(())
}

/// 2 000 discs, boxes, capsules and polygons, ten every other step.
struct Rain {
    random: Random,
    count: usize,
}

impl Rain {
    fn over(world: &mut World2) -> Result<Self, Error> {
        pit(world, 30.0, 80.0)?;
        Ok(Self { random: Random(0x1234_5678_9abc_def1), count: 0 })
    }

    fn pour(&mut self, world: &mut World2, step: usize) -> Result<(), Error> {
        const SHOWER: usize = 10;
        while self.count < 2000 && self.count / SHOWER * 2 <= step {
            let (i, random) = (self.count, &mut self.random);
            let shape = match i % 4 {
                0 => Shape2::circle(0.4),
                1 => Shape2::rectangle(1.0, 0.6),
                2 => Shape2::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.25),
                _ => regular(5 + i / 4 % 4, 0.45)?,
            };
            let column = ((i % SHOWER) as f32 + 0.5) / SHOWER as f32;
            let x = column * 56.0 - 28.0 + random.range(-1.0, 1.0);
            let y = 50.0 + random.range(0.0, 1.0);
            let (sin, cos) = sin_cos(random.range(-3.0, 3.0));
            let body = BodyDef2 {
                rotation: Rot2 { cos, sin },
                linear_velocity: Vec2::new(0.0, -20.0),
                ..BodyDef2::dynamic([x, y])
            };
            world.create_body_with(body, [material(shape)])?;
            self.count += 1;
        }
        Ok(())
    }
}

fn turned(turns: f32) -> Rot2 {
    let (sin, cos) = sin_cos(turns * core::f32::consts::TAU);
    Rot2 { cos, sin }
}

fn regular(corners: usize, radius: f32) -> Result<Shape2, Error> {
    let corner = |i: usize| {
        let at = turned(i as f32 / corners as f32);
        Vec2::new(at.cos, at.sin) * radius
    };
    Shape2::polygon(&(0..corners).map(corner).collect::<Vec<_>>())
}

fn pyramid(world: &mut World2, base: usize, [x, y]: [f32; 2]) -> Result<(), Error> {
    for row in 0..base {
        let count = base - row;
        for i in 0..count {
            let across = (i as f32 - (count - 1) as f32 * 0.5) * 1.05;
            let body = BodyDef2::dynamic([x + across, y + row as f32 + 0.5]);
            world.create_body_with(body, [material(Shape2::rectangle(1.0, 1.0))])?;
        }
    }
    Ok(())
}

/// 400 pyramids of base 10 on twenty shelves.
fn pyramids(world: &mut World2) -> Result<(), Error> {
    for shelf in 0..20 {
        let y = shelf as f32 * 14.0;
        let floor = material(Shape2::rectangle(280.0, 1.0));
        world.create_body_with(BodyDef2::fixed([0.0, y - 0.5]), [floor])?;
        for i in 0..20 {
            pyramid(world, 10, [(i as f32 - 9.5) * 14.0, y])?;
        }
    }
    Ok(())
}

/// 8 100 boxes in a turning drum with paddles.
fn washer(world: &mut World2) -> Result<(), Error> {
    const SIDES: usize = 40;
    let mut parts = Vec::new();
    for i in 0..SIDES {
        let way = turned(i as f32 / SIDES as f32);
        let mut part = |distance: f32, size: [f32; 2]| {
            let at = Pose::new(Vec2::new(way.cos, way.sin) * distance, way);
            parts.push(material(Shape2::rectangle(size[0], size[1])).at(at));
        };
        part(20.5, [1.0, 3.46]);
        if i % 8 == 0 {
            part(19.0, [2.0, 0.5]);
        }
    }
    let drum = BodyDef2 { kind: BodyKind::Kinematic, angular_velocity: 0.436, ..BodyDef2::default() };
    world.create_body_with(drum, parts)?;
    for i in 0..90 * 90 {
        let at = [((i % 90) as f32 - 44.5) * 0.28, ((i / 90) as f32 - 44.5) * 0.28];
        world.create_body_with(BodyDef2::dynamic(at), [material(Shape2::rectangle(0.2, 0.2))])?;
    }
    Ok(())
}

/// 1 500 crosses and Ls of two boxes in a pit.
fn compounds(world: &mut World2) -> Result<(), Error> {
    pit(world, 30.0, 120.0)?;
    for i in 0..1500 {
        let at = [(i % 30) as f32 * 1.9 - 27.5, (i / 30) as f32 * 1.9 + 2.0];
        let long = material(Shape2::rectangle(1.5, 0.4));
        let other = match i % 2 {
            0 => material(Shape2::rectangle(0.4, 1.5)),
            _ => material(Shape2::rectangle(0.4, 0.6)).at(Pose::at([0.55, 0.5])),
        };
        world.create_body_with(BodyDef2::dynamic(at), [long, other])?;
    }
    Ok(())
}
