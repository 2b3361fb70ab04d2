//! Floors of closed meshes side by side, each a body of its own. What goes over them is not held up by the walls between them, at any speed: not by contacts, and not by continuous collision.

use crate::support::{box_surface, mesh};
use topple::math::*;
use topple::{BodyDef3, Shape3, ShapeDef3, World3};

/// Size of the tiles [m].
const TILE: Real = 0.25;
const STEPS: usize = 60;

/// Share of its way, along x, that a body misses, and how far it leaves its height [m].
fn slide(shape: Shape3, rotation: Quat, height: Real, speed: Real) -> [Real; 2] {
    let mut world = World3::new();
    let columns = 8 + (speed * STEPS as Real / 60.0 / TILE) as i32;
    for (i, k) in (-4..columns).flat_map(|i| (-4..=4).map(move |k| (i, k))) {
        let tile = mesh(&box_surface(Vec3::splat(TILE), Vec3::ZERO));
        let at = [i as Real * TILE, -0.5 * TILE, k as Real * TILE];
        world.create_body_with(BodyDef3::fixed(at), [ShapeDef3::new(tile).friction(0.0)]).unwrap();
    }
    let mut def = BodyDef3::dynamic([0.05, height, 0.07]);
    def.rotation = rotation;
    def.can_sleep = false;
    let body = world.create_body_with(def, [ShapeDef3::new(shape).friction(0.0)]).unwrap();
    (0..30).for_each(|_| world.step());
    let start = world.body(body).unwrap().position();
    world.body_mut(body).unwrap().set_linear_velocity(Vec3::X * speed).unwrap();
    (0..STEPS).for_each(|_| world.step());
    let way = world.body(body).unwrap().position() - start;
    let expected = speed * STEPS as Real * world.settings().dt;
    [(1.0 - way.x / expected).abs(), way.y.abs()]
}

/// Before: a ball missed three quarters of its way at 19 m/s, a cone and a lying cylinder stood still while their velocity said otherwise. The side of a tile ahead of them was taken
/// for a floor that they are below as soon as they were over its upper edge.
#[test]
fn blocks_of_triangles_hold_nobody_up() {
    let lying = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    let bodies = [
        ("ball", Shape3::sphere(0.14), Quat::IDENTITY, 0.14),
        ("box", Shape3::cuboid(0.15, 0.08, 0.1), Quat::from_rotation_y(0.3), 0.04),
        ("rounded box", Shape3::rounded_cuboid(0.5, 0.3, 0.4, 0.05), Quat::from_rotation_y(1.0), 0.15),
        ("cone", Shape3::cone(0.6, 0.5), Quat::IDENTITY, 0.3),
        ("cylinder", Shape3::cylinder(0.5, 0.4), Quat::from_rotation_y(0.8), 0.25),
        ("lying cylinder", Shape3::cylinder(0.8, 0.3), Quat::from_rotation_y(0.4) * lying, 0.3),
        ("capsule", Shape3::capsule(Vec3::X * -0.2, Vec3::X * 0.2, 0.1), Quat::from_rotation_y(0.4), 0.1),
    ];
    for (name, shape, rotation, height) in bodies {
        for speed in [0.5, 3.0, 19.0] {
            let [late, lifted] = slide(shape.clone(), rotation, height, speed);
            assert!(late < 1e-3, "{name} at {speed} m/s misses {late} of its way");
            assert!(lifted < 1e-3, "{name} at {speed} m/s gets {lifted} m off");
        }
    }
}
