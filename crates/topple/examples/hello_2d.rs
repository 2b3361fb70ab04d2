//! The smallest useful world in the plane: a ball falls on the ground and stays there.
//! `cargo run --example hello_2d`

use topple::{BodyDef2, Error, Shape2, Vec2, World2};

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world = World2::new();
    world.create_body_with(BodyDef2::fixed([0.0, 0.0]), [Shape2::half_plane(Vec2::Y, 0.0)])?;
    let ball = world.create_body_with(BodyDef2::dynamic([0.0, 3.0]), [Shape2::circle(0.5)])?;
    for step in 0..120 {
        world.step();
        if step % 20 == 0 {
            println!("{:.2} s: the ball is {:.3} m up", world.time(), world.body(ball)?.position().y);
        }
    }
    let height = world.body(ball)?.position().y;
    assert!((height - 0.5).abs() < 0.01, "it lies on the ground");
    Ok(())
}
