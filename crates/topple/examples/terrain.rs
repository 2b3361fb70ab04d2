//! Mixed bodies on hills of 20 000 triangles: `cargo run --release --example terrain -- [steps] [mesh|field]`.
//!
//! Prints what the steps cost and how much of it the contacts are. Under `valgrind --tool=callgrind` it tells where.

use std::time::Duration;
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::world::Stage;
use topple::{BodyDef3, Settings3, Shape3, World3};

fn height(x: Real, z: Real) -> Real {
    1.5 * sin_cos(0.25 * x).0 * sin_cos(0.2 * z).1 + 0.3 * sin_cos(x + 0.7 * z).0
}

/// A rock of 16 corners.
fn rock() -> Shape3 {
    let golden = core::f32::consts::TAU / 2.618_034;
    let point = |i: usize| {
        let y = 1.0 - 2.0 * (i as Real + 0.5) / 16.0;
        let (sin, cos) = sin_cos((golden * i as Real) % core::f32::consts::TAU);
        Vec3::new((1.0 - y * y).sqrt() * cos, y, (1.0 - y * y).sqrt() * sin) * Vec3::new(0.5, 0.35, 0.4)
    };
    Shape3::hull(&(0..16).map(point).collect::<Vec<_>>()).expect("a rock")
}

fn main() -> Result<(), topple::Error> {
    let mut arguments = std::env::args().skip(1);
    let steps: u32 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(300);
    let is_field = arguments.next().as_deref() == Some("field");
    let mut world = World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() })?;
    let hills = generate::terrain(Vec2::splat(100.0), [100; 2], height)?;
    let ground = if is_field {
        let heights: Vec<Real> = hills.vertices.iter().map(|v| v.y).collect();
        Shape3::height_field(Vec2::splat(100.0), 101, &heights)?
    } else {
        Shape3::mesh(&hills.vertices, &hills.triangles)?
    };
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [ground])?;
    let rock = rock();
    for i in 0..1000 {
        let (x, z) = (((i % 32) as Real - 15.5) * 2.0, ((i / 32) as Real - 15.5) * 2.0);
        let shape = match i % 4 {
            0 => Shape3::sphere(0.4),
            1 => Shape3::cuboid(0.9, 0.6, 0.7),
            2 => Shape3::capsule_y(0.6, 0.25),
            _ => rock.clone(),
        };
        let mut def = BodyDef3::dynamic([x, height(x, z) + 2.0, z]);
        def.rotation = Quat::from_ang(Vec3::new(i as Real * 0.7, i as Real * 1.3, i as Real * 0.3));
        world.create_body_with(def, [shape])?;
    }
    let (mut total, mut contacts) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..steps {
        world.step();
        total += world.profile().total;
        contacts += world.profile().stage(Stage::Contacts);
    }
    let counters = &world.profile().counters;
    println!(
        "{steps} steps: {:.3} ms each, contacts {:.3} ms; at the end {} pairs, {} contacts, {} points, hash {:016x}",
        total.as_secs_f64() * 1e3 / f64::from(steps),
        contacts.as_secs_f64() * 1e3 / f64::from(steps),
        counters.pairs,
        counters.contacts,
        counters.points,
        world.state_hash(),
    );
    Ok(())
}
