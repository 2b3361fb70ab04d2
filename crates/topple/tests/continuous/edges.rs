//! What lies down on the two edges of a gap.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef3, Shape3, ShapeDef, World3};

/// Capsules of 10 to 67 cm along a gap of half to nine tenths of their width, let go at up to 2 m/s from just above, with friction and without: each is held by both edges. With one point on
/// each edge they spun about it and fell through.
#[test]
fn capsules_lie_on_the_edges_of_a_gap() {
    let mut random = Random(0x5EED_0007);
    for (gap, friction) in [(0.5, 0.0), (0.5, 0.5), (0.7, 0.0), (0.7, 0.5), (0.8, 0.0), (0.8, 0.5)] {
        for speed in [0.0, 0.5, 1.0, 2.0] {
            for _ in 0..6 {
                let radius = random.range(0.05, 0.33);
                let length = random.range(2.0, 4.0) * radius;
                let mut world = World3::new();
                for side in [-1.0, 1.0] {
                    let block = ShapeDef::new(Shape3::cuboid(4.0, 4.0, 8.0)).friction(friction);
                    let place = [side * (2.0 + gap * radius), -2.0, 0.0];
                    world.create_body_with(BodyDef3::fixed(place), [block]).unwrap();
                }
                // Where it meets both edges at once.
                let height = radius * (1.0_f32 - gap * gap).sqrt();
                let axis = Vec3::Z * (0.5 * length);
                let capsule = Shape3::capsule(-axis, axis, radius);
                let mut def = BodyDef3::dynamic([0.0, height + 0.01 * radius, random.range(-0.5, 0.5)]);
                def.linear_velocity = Vec3::new(0.0, -speed, 0.0);
                let id = world.create_body_with(def, [ShapeDef::new(capsule).friction(friction)]).unwrap();
                for _ in 0..120 {
                    world.step();
                }
                let body = world.body(id).unwrap();
                let sunk = 1.0 - body.position().y / height;
                assert!(
                    sunk < 0.25 && body.angular_velocity().length() < 0.1,
                    "radius {radius}, gap {gap}, {speed} m/s, friction {friction}: {sunk} of its height sunk, {:?}",
                    body.angular_velocity()
                );
            }
        }
    }
}
