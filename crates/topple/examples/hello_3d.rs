//! The smallest useful world in space: a tower of boxes, a ball that flies into it, and a question to the world.
//! `cargo run --example hello_3d`

use topple::world::{QueryFilter, Ray};
use topple::{BodyDef3, Error, Shape3, ShapeDef3, Vec3, World3};

#[allow(missing_docs, reason = "the entry point")]
pub fn main() -> Result<(), Error> {
    let mut world = World3::new();
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [Shape3::plane(Vec3::Y, 0.0)])?;
    let tower: Vec<_> = (0..5)
        .map(|i| {
            let place = [0.0, 0.5 + i as f32, 0.0];
            world.create_body_with(BodyDef3::dynamic(place), [Shape3::cuboid(1.0, 1.0, 1.0)])
        })
        .collect::<Result<_, _>>()?;
    let shot = BodyDef3 {
        linear_velocity: Vec3::new(15.0, 2.0, 0.0),
        name: "ball".into(),
        ..BodyDef3::dynamic([-8.0, 2.5, 0.1])
    };
    world.create_body_with(shot, [ShapeDef3::from(Shape3::sphere(0.5)).density(5.0).restitution(0.2)])?;

    let mut touches = 0;
    for _ in 0..240 {
        world.step();
        touches += world.events().begin.len();
    }
    println!("{touches} touches in {:.0} s; the step took {:?}", world.time(), world.profile().total);

    // Straight down from above where the tower was: what is there now?
    let ray = Ray::between([0.0, 20.0, 0.0], [0.0, -1.0, 0.0]);
    let hit = world.cast_ray(&ray, &QueryFilter::default())?.expect("the ground at least");
    println!("under (0, 0): something {:.2} m up", hit.point.y);
    let top = world.body(tower[4])?.position();
    assert!(top.y < 4.0, "the top box came down, it is at {top:?}");
    assert!(world.find_body("ball").is_some());
    Ok(())
}
