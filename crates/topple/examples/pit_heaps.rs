//! Heaps of one kind of body that fall into a pit, to profile: `pit_heaps <world> <from> <steps>` runs `from` steps, then `steps` that count, and prints their
//! mean, median and shortest time [ms], the mean of every stage [µs], what the narrow phase did per step, the overlaps of all pairs at the end and the hash of the state.
//!
//! Instructions of these steps alone: `valgrind --tool=callgrind --toggle-collect='*counted*' target/release/examples/pit_heaps cylinders 0 300`.
//! Worlds: `cylinders` (500), `hulls` (1 500 of 32 corners), `boxes` (1 500).
use std::time::{Duration, Instant};
use topple::math::{Quat, Vec3, sin_cos};
use topple::world::STAGES;
use topple::*;

fn arg(i: usize, default: usize) -> usize {
    std::env::args().nth(i).and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cylinders".into());
    let (from, steps) = (arg(2, 0), arg(3, 300));
    let mut world = World3::with_settings(Settings3 {
        sleeping: false,
        gravity: Vec3::new(0.0, -9.8, 0.0),
        dt: 1.0 / 60.0,
        ..Settings3::default()
    })?;
    let bodies = match name.as_str() {
        "cylinders" => {
            drop_into_pit(&mut world, 500, 6.0, |i| Ok(Shape3::cylinder(0.8, 0.25 + 0.05 * (i % 3) as f32)))?
        }
        "hulls" => drop_into_pit(&mut world, 1500, 8.0, |i| {
            rock(32, Vec3::new(0.4 + 0.05 * (i % 3) as f32, 0.5, 0.35 + 0.05 * (i % 2) as f32))
        })?,
        "boxes" => drop_into_pit(&mut world, 1500, 8.0, |_| Ok(Shape3::cuboid(0.9, 0.6, 0.7)))?,
        _ => Vec::new(),
    };
    (0..from).for_each(|_| world.step());
    let mut times = Vec::new();
    let mut stages = STAGES.map(|_| Duration::ZERO);
    let mut work = [0_u64; 6];
    for _ in 0..steps {
        times.push(counted(&mut world));
        for (sum, (stage, _)) in stages.iter_mut().zip(STAGES) {
            *sum += world.profile().stage(stage);
        }
        let narrow = &world.profile().narrow;
        let of_step = [
            narrow.computed,
            narrow.recycled,
            narrow.cache_hits,
            narrow.axes,
            narrow.gjk_iterations,
            narrow.epa_iterations,
        ];
        work.iter_mut().zip(of_step).for_each(|(sum, count)| *sum += count);
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let count = times.len().max(1);
    println!(
        "{name} {from} {steps}: mean {:.3} ms, median {:.3}, shortest {:.3}; {} pairs, {} contacts, {} points, state {:016x}",
        times.iter().copied().map(ms).sum::<f64>() / count as f64,
        times.get(count / 2).copied().map_or(0.0, ms),
        times.first().copied().map_or(0.0, ms),
        world.profile().counters.pairs,
        world.profile().counters.contacts,
        world.profile().counters.points,
        world.state_hash()
    );
    let us = |time: Duration| time.as_secs_f64() * 1e6 / count as f64;
    let by_stage = stages.iter().zip(STAGES).map(|(time, (_, name))| format!("{name} {:.0}", us(*time)));
    println!("{}", by_stage.collect::<Vec<_>>().join(", "));
    let names = ["computed", "recycled", "cache hits", "axes", "gjk iterations", "epa iterations"];
    let per_step =
        work.iter().zip(names).map(|(sum, name)| format!("{name} {:.0}", *sum as f64 / count as f64));
    println!("{}", per_step.collect::<Vec<_>>().join(", "));
    let overlaps = overlaps(&world, &bodies)?;
    let (deepest, sum) =
        overlaps.iter().fold((0.0, 0.0), |(most, sum): (f32, f32), &x| (most.max(x), sum + x));
    let mean = 1e3 * sum / overlaps.len().max(1) as f32;
    println!("overlaps: {}, mean {mean:.3} mm, deepest {:.3} mm", overlaps.len(), 1e3 * deepest);
    Ok(())
}

/// How deep the bodies are in each other [m], by their shapes alone.
fn overlaps(world: &World3, bodies: &[(BodyId, Shape3)]) -> Result<Vec<f32>, Error> {
    let mut found = Vec::new();
    for (i, (a, shape_a)) in bodies.iter().enumerate() {
        let pose_a = world.body(*a)?.pose();
        for (b, shape_b) in &bodies[..i] {
            let pose_b = world.body(*b)?.pose();
            if (pose_a.position - pose_b.position).length() > 1.5 {
                continue;
            }
            let closest = topple::distance::closest_points::<D3>(shape_a, &pose_a, shape_b, &pose_b);
            found.extend(closest.map(|closest| -closest.distance).filter(|&depth| depth > 0.0));
        }
    }
    Ok(found)
}

/// A step that is to be measured: a name for profilers to find.
#[inline(never)]
fn counted(world: &mut World3) -> Duration {
    let start = Instant::now();
    world.step();
    start.elapsed()
}

fn material(shape: Shape3) -> ShapeDef3 {
    ShapeDef3::new(shape).density(1000.0).friction(0.5)
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

    fn rotation(&mut self) -> Quat {
        loop {
            let v = Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if (0.01..1.0).contains(&v.length_squared()) {
                let (sin, cos) = sin_cos(0.5 * self.range(-3.1, 3.1));
                let v = v.normalize() * sin;
                return Quat::from_xyzw(v.x, v.y, v.z, cos);
            }
        }
    }
}

/// Points spread evenly over an ellipsoid, so that all of them are corners.
fn rock(points: usize, radii: Vec3) -> Result<Shape3, Error> {
    let point = |i: usize| {
        let y = 1.0 - 2.0 * (i as f32 + 0.5) / points as f32;
        let turns = 0.381_966 * i as f32;
        let (sin, cos) = sin_cos((turns - turns.round()) * core::f32::consts::TAU);
        let across = (1.0 - y * y).sqrt();
        Vec3::new(across * cos, y, across * sin) * radii
    };
    Shape3::hull(&(0..points).map(point).collect::<Vec<_>>())
}

/// Layers of turned bodies above a pit of half width `half`, whose floor's top is y = 0.
fn drop_into_pit(
    world: &mut World3,
    count: usize,
    half: f32,
    shape: impl Fn(usize) -> Result<Shape3, Error>,
) -> Result<Vec<(BodyId, Shape3)>, Error> {
    let pitch = 1.25;
    let per_side = (2.0 * half / pitch) as usize;
    let height = (count / (per_side * per_side) + 1) as f32 * pitch + 2.0;
    let part =
        |at: [f32; 3], size: [f32; 3]| material(Shape3::cuboid(size[0], size[1], size[2])).at(Pose::at(at));
    let out = half + 0.5;
    let wide = 2.0 * (half + 1.0);
    let pit = [
        part([0.0, -0.5, 0.0], [wide, 1.0, wide]),
        part([out, height * 0.5, 0.0], [1.0, height, 2.0 * half]),
        part([-out, height * 0.5, 0.0], [1.0, height, 2.0 * half]),
        part([0.0, height * 0.5, out], [wide, height, 1.0]),
        part([0.0, height * 0.5, -out], [wide, height, 1.0]),
    ];
    world.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), pit)?;
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut bodies = Vec::new();
    for i in 0..count {
        let cell = [i % per_side, i / (per_side * per_side), i / per_side % per_side].map(|k| k as f32);
        let jitter = [random.range(-0.05, 0.05), random.range(-0.05, 0.05)];
        let at = [
            -half + pitch * (cell[0] + 0.5) + jitter[0],
            pitch * (cell[1] + 0.5),
            -half + pitch * (cell[2] + 0.5) + jitter[1],
        ];
        let body = BodyDef3 { rotation: random.rotation(), ..BodyDef3::dynamic(at) };
        let shape = shape(i)?;
        bodies.push((world.create_body_with(body, [material(shape.clone())])?, shape));
    }
    Ok(bodies)
}
