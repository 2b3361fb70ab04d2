//! Taking a contact home: the last queries of a world as text, and the text as a test.
//! `cargo run --example query_log`
//!
//! When a contact looks wrong, record the queries, write them to a file, and keep the line in question in a test: it has the
//! exact bits of everything that the answer depended on.

use topple::math::*;
use topple::query_log::Recorded;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef3, D3, Error, Shape3, World3};

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world = World3::new();
    let heights: Vec<f32> = (0..81).map(|i| 0.05 * (i % 7) as f32).collect();
    let ground = Shape3::height_field(Vec2::splat(8.0), 9, &heights)?;
    world.create_body_with(BodyDef3::fixed([0.0, 0.0, 0.0]), [ground])?;
    for (i, shape) in [Shape3::sphere(0.3), Shape3::cuboid(0.6, 0.4, 0.5), Shape3::cylinder(0.6, 0.3)]
        .into_iter()
        .cycle()
        .take(9)
        .enumerate()
    {
        let place = [0.4 * (i % 3) as f32 - 0.4, 1.0 + 0.6 * i as f32, 0.2 * (i % 2) as f32];
        world.create_body_with(BodyDef3::dynamic(place), [shape])?;
    }
    (0..100).for_each(|_| world.step());

    // From here on the last 200 queries are kept.
    world.record_queries(200);
    (0..5).for_each(|_| world.step());
    let down = Ray::<D3>::between([0.1, 5.0, 0.1], [0.1, -1.0, 0.1]);
    world.cast_ray(&down, &QueryFilter::default())?;
    let probe = Shape3::capsule_y(0.5, 0.2);
    world.cast_shape(&probe, &Pose::at([0.0, 4.0, 0.0]), Vec3::Y * -5.0, &QueryFilter::default())?;
    world.closest_shape(&probe, &Pose::at([0.0, 2.0, 0.0]), 3.0, &QueryFilter::default())?;
    let Some(log) = world.query_log() else { return Ok(()) };
    let text = log.dump();
    println!("{} lines, {} bytes; the first one:\n{:.200} …", text.lines().count(), text.len(), text);

    // In a test: parse the text, ask again, compare.
    let replays = Recorded::<D3>::parse(&text)?;
    assert_eq!(replays.len(), log.entries().len());
    for kind in ["contacts", "distance", "cast", "ray"] {
        assert!(text.lines().any(|line| line.starts_with(kind)), "there is a query of kind {kind}");
    }
    for replay in &replays {
        let (answer, is_same) = replay.run();
        assert!(is_same, "{:?} now gives {answer:?}", replay.query);
    }
    println!("{} queries replayed, all with the same bits", replays.len());
    world.record_queries(0);
    assert!(world.query_log().is_none(), "off again");
    Ok(())
}
