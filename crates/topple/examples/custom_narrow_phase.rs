//! A narrow phase of one's own: a closed form for two balls, the library's functions for all other pairs.
//! `cargo run --example custom_narrow_phase`
//!
//! The world hands out pairs in batches, several at once to different threads. For each pair the method may keep the
//! contact as it is, or compute points and normal in the frame of the first shape and hand them back.

use topple::math::*;
use topple::narrow_phase::{CollideJob, ContactBatch, LocalManifold, NarrowPhase};
use topple::shape::ShapeOps;
use topple::{BodyDef2, D2, Error, Shape2, World2};

/// Balls by hand, everything else by the library.
pub struct BallsByHand;

impl NarrowPhase<D2> for BallsByHand {
    fn name(&self) -> &'static str {
        "balls-by-hand"
    }

    fn update(&self, batch: &mut ContactBatch<'_, D2>) {
        let mut found = LocalManifold::default();
        while let Some(mut task) = batch.next_task() {
            // Good enough from the last step?
            if task.try_keep() {
                continue;
            }
            let (job, cache, counters) = task.job();
            match (job.a, job.b) {
                (&Shape2::Circle { radius: a }, &Shape2::Circle { radius: b }) => {
                    counters.computed += 1;
                    collide_balls(&job, a, b, &mut found);
                }
                _ => Shape2::collide(&job, cache, counters, &mut found),
            }
            task.finish(&found);
        }
    }
}

/// The point half-way between the surfaces, along the line of the centres.
fn collide_balls(job: &CollideJob<'_, D2>, a: Real, b: Real, out: &mut LocalManifold<D2>) {
    out.clear();
    let offset = job.b_in_a.position.to_vec();
    let distance = offset.length();
    let separation = distance - a - b;
    if separation > job.margin {
        return;
    }
    // Centres on each other: any direction will do.
    out.normal = offset.normalize_or(Vec2::Y);
    out.push(out.normal * (a + 0.5 * separation), separation, 1);
}

fn build() -> Result<World2, Error> {
    let mut world = World2::new();
    world.create_body_with(BodyDef2::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)])?;
    world.create_body_with(BodyDef2::fixed([-2.0, 0.0]), [Shape2::rectangle(1.0, 8.0)])?;
    world.create_body_with(BodyDef2::fixed([2.0, 0.0]), [Shape2::rectangle(1.0, 8.0)])?;
    for i in 0..12 {
        let place = [0.3 * (i % 3) as f32 - 0.3, 1.0 + 0.7 * i as f32];
        world.create_body_with(BodyDef2::dynamic(place), [Shape2::circle(0.3)])?;
    }
    Ok(world)
}

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let (mut usual, mut mine) = (build()?, build()?);
    mine.set_narrow_phase(BallsByHand);
    for _ in 0..300 {
        usual.step();
        mine.step();
    }
    let energy = |world: &World2| -> f32 {
        world
            .body_ids()
            .filter_map(|id| world.body(id).ok())
            .map(|body| 9.8 * body.mass() * body.position().y)
            .sum()
    };
    let (by_library, by_hand) = (energy(&usual), energy(&mine));
    println!("height energy of the pile: {by_library:.3} J by the library, {by_hand:.3} J by hand");
    assert!(
        (by_library - by_hand).abs() < 0.1 * by_library,
        "the pile is as high as with the library's contacts"
    );
    Ok(())
}
