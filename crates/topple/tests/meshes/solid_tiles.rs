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

/// Solids of triangles that spin as they slide over cubes. The walls of such a body meet the cube below as well, by the way to the far side of the cube, half a metre deep: it was thrown off by that.
#[test]
fn solids_of_triangles_slide_over_blocks() {
    for phase in 0..8 {
        let mut world = World3::new();
        world.set_narrow_phase_by_name("gjk").unwrap();
        let tile = 0.7 + 0.1 * phase as Real;
        for (i, k) in (-2..10).flat_map(|i| (-2..=2).map(move |k| (i, k))) {
            let at = [i as Real * tile, -0.5 * tile, k as Real * tile];
            let block = ShapeDef3::new(Shape3::cuboid(tile, tile, tile)).friction(0.0);
            world.create_body_with(BodyDef3::fixed(at), [block]).unwrap();
        }
        let size = Vec3::new(0.8, 0.5, 0.6) * 0.16;
        let mut def = BodyDef3::dynamic([0.1, 0.5 * size.y, 0.03 * phase as Real]);
        def.can_sleep = false;
        let solid = mesh(&box_surface(size, Vec3::ZERO));
        let body = world.create_body_with(def, [ShapeDef3::new(solid).friction(0.0)]).unwrap();
        (0..30).for_each(|_| world.step());
        let mut view = world.body_mut(body).unwrap();
        view.set_linear_velocity(Vec3::X).unwrap();
        view.set_angular_velocity(Vec3::Y * 0.92).unwrap();
        for step in 0..300 {
            world.step();
            let speed = world.body(body).unwrap().linear_velocity().x;
            assert!((speed - 1.0).abs() < 0.01, "phase {phase}, step {step}: {speed} m/s of 1");
        }
    }
}
