//! Fast landings on floors of tiles, each a body of its own: without friction they take nothing of the speed along the floor, as one large box does not. What is no floor is met as before.

use crate::support::{box_surface, flat_chain, flat_field, flat_mesh, mesh};
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef2, BodyDef3, Shape2, Shape3, ShapeDef2, ShapeDef3, World2, World3};

/// Thickness of the floors [m].
const THICK: Real = 0.5;
/// Height of the lowest point above the floor at the start [m].
const GAP: Real = 0.05;
const STEPS: usize = 20;

/// A throw: size of the tiles, where their joints are [m], speed along the floor and down [m/s].
type Throw = (Real, Real, Real, Real);
/// The shape of a tile of the given size [m], and of the next ones by turns.
type Tile<S> = fn(Real, i32) -> S;
/// Thickness of tiles that are thin [m].
const THIN: Real = 0.003;

const THROWS: [Throw; 8] = [
    (0.5, 0.25, 20.0, 10.0),
    (0.31, 0.1, 16.0, 4.0),
    (0.5, 0.12, 1.0, 3.0),
    (0.93, 0.4, 15.8, 4.0),
    (0.36, 0.2, 9.9, 8.9),
    (1.03, 0.7, 14.1, 16.4),
    (0.29, 0.05, 19.4, 1.2),
    (0.42, 0.0, 6.0, 14.0),
];

/// Largest change of the speed along the floor [m/s], and the height at the end [m]. `tile`: the shape of a tile of the given size; none: one box.
fn land_3d(body: &Shape3, tilt: Real, throw: Throw, tile: Option<Tile<Shape3>>) -> [Real; 2] {
    let (size, phase, along, down) = throw;
    let mut world = World3::new();
    let fix = |world: &mut World3, shape: Shape3, at: Vec3| {
        world.create_body_with(BodyDef3::fixed(at), [ShapeDef3::new(shape).friction(0.0)]).unwrap();
    };
    match tile {
        None => fix(&mut world, Shape3::cuboid(100.0, THICK, 100.0), Vec3::Y * (-0.5 * THICK)),
        Some(tile) => {
            let rows = 3 + ((along * STEPS as Real / 60.0 + 1.0) / size) as i32;
            for (i, k) in (-3..rows).flat_map(|i| (-3..=3).map(move |k| (i, k))) {
                let at = Vec3::new(i as Real * size - phase, -0.5 * THICK, (k as Real + 0.3) * size);
                fix(&mut world, tile(size, i + k), at);
            }
        }
    }
    let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), tilt);
    let lowest = topple::shape::ShapeOps::aabb(body, &Pose::<topple::D3> { rotation, ..Pose::IDENTITY }).min;
    let mut def = BodyDef3::dynamic([0.0, GAP - lowest.to_vec().y, 0.0]);
    (def.rotation, def.can_sleep) = (rotation, false);
    def.linear_velocity = Vec3::new(along, -down, 0.0);
    let id = world.create_body_with(def, [ShapeDef3::new(body.clone()).friction(0.0)]).unwrap();
    let mut worst: Real = 0.0;
    for _ in 0..STEPS {
        world.step();
        let v = world.body(id).unwrap().linear_velocity();
        worst = worst.max(Vec3::new(v.x - along, 0.0, v.z).length());
    }
    [worst, world.body(id).unwrap().center().to_vec().y]
}

fn solid_tile(size: Real, _: i32) -> Shape3 {
    mesh(&box_surface(Vec3::new(size, THICK, size), Vec3::ZERO))
}

/// A tile between two heights, of another width below [m].
fn frustum(size: Real, top: Real, bottom: Real, below: Real) -> Shape3 {
    let corner = |i: usize| {
        let (y, width) = if i & 2 == 0 { (bottom, below) } else { (top, size) };
        let side = |bit: usize| if i & bit == 0 { -0.5 } else { 0.5 };
        Vec3::new(side(1) * width, y, side(4) * width)
    };
    Shape3::hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

fn hull_tile(size: Real, _: i32) -> Shape3 {
    frustum(size, 0.5 * THICK, -0.5 * THICK, size)
}

fn slanting_tile(size: Real, _: i32) -> Shape3 {
    frustum(size, 0.5 * THICK, -0.5 * THICK, 0.8 * size)
}

fn thin_tile(size: Real, _: i32) -> Shape3 {
    frustum(size, 0.5 * THICK, 0.5 * THICK - THIN, size)
}

/// Every third tile is thick; of the others one is thin, one has no thickness.
fn mixed_tile(size: Real, turn: i32) -> Shape3 {
    match turn.rem_euclid(3) {
        0 => hull_tile(size, turn),
        1 => thin_tile(size, turn),
        _ => mesh(&generate::terrain(Vec2::splat(size), [1; 2], |_, _| 0.5 * THICK).unwrap()),
    }
}

/// Before: a ball lost 12 % of its speed and got 9.9 rad/s, boxes lost up to 75 %, and on closed meshes boxes and cylinders hung at the joints. On tiles that are thin or slant, beside which there is
/// room below the joint, one in ten stopped.
#[test]
fn fast_landings_on_tiles_keep_their_speed_3d() {
    let bodies = [
        ("ball", Shape3::sphere(0.25), 0.0),
        ("box", Shape3::cuboid(0.5, 0.3, 0.4), 0.0),
        ("tilted box", Shape3::cuboid(0.5, 0.3, 0.4), 0.05),
        ("rounded box", Shape3::rounded_cuboid(0.4, 0.2, 0.3, 0.02), 0.12),
        ("cylinder", Shape3::cylinder(0.3, 0.25), 0.1),
        ("cone", Shape3::cone(0.6, 0.3), 0.08),
        ("capsule", Shape3::capsule(Vec3::X * -0.15, Vec3::X * 0.15, 0.15), 0.1),
    ];
    let floors: [(&str, Tile<Shape3>); 6] = [
        ("boxes", |size, _| Shape3::cuboid(size, THICK, size)),
        ("hulls", hull_tile),
        ("meshes", solid_tile),
        ("slanting hulls", slanting_tile),
        ("thin hulls", thin_tile),
        ("sheets beside hulls", mixed_tile),
    ];
    for (name, body, tilt) in &bodies {
        for throw in THROWS {
            let [usual, _] = land_3d(body, *tilt, throw, None);
            for (floor, tile) in floors {
                let [change, height] = land_3d(body, *tilt, throw, Some(tile));
                assert!(height > 0.0, "{name} at {throw:?} went through {floor}");
                assert!(
                    change <= usual + 0.01 * throw.2 + 0.02,
                    "{name} at {throw:?} on {floor}: {change} m/s off, {usual} on one box"
                );
            }
        }
    }
}

/// A ball without friction never turns, however deep it lands and near whatever joint.
#[test]
fn balls_land_on_tiles_without_spin() {
    for phase in 0..10 {
        let mut world = World3::new();
        for (i, k) in (-3..12).flat_map(|i| (-3..=3).map(move |k| (i, k))) {
            let at = [i as Real * 0.5 - 0.05 * phase as Real, -0.25, k as Real * 0.5];
            let tile = ShapeDef3::new(Shape3::cuboid(0.5, 0.5, 0.5)).friction(0.0);
            world.create_body_with(BodyDef3::fixed(at), [tile]).unwrap();
        }
        let mut def = BodyDef3::dynamic([0.0, 0.3, 0.0]);
        def.linear_velocity = Vec3::new(20.0, -10.0, 0.0);
        let ball = ShapeDef3::new(Shape3::sphere(0.25)).friction(0.0);
        let id = world.create_body_with(def, [ball]).unwrap();
        (0..12).for_each(|_| world.step());
        let spin = world.body(id).unwrap().angular_velocity().length();
        assert!(spin < 0.01, "phase {phase}: {spin} rad/s");
    }
}

fn land_2d(body: &Shape2, tilt: Real, throw: Throw, tile: Option<Tile<Shape2>>) -> [Real; 2] {
    let (size, phase, along, down) = throw;
    let mut world = World2::new();
    let fix = |world: &mut World2, shape: Shape2, at: Vec2| {
        world.create_body_with(BodyDef2::fixed(at), [ShapeDef2::new(shape).friction(0.0)]).unwrap();
    };
    match tile {
        None => fix(&mut world, Shape2::rectangle(100.0, THICK), Vec2::Y * (-0.5 * THICK)),
        Some(tile) => {
            for i in -3..3 + ((along * STEPS as Real / 60.0 + 1.0) / size) as i32 {
                fix(&mut world, tile(size, i), Vec2::new(i as Real * size - phase, -0.5 * THICK));
            }
        }
    }
    let rotation = Rot2::from_angle(tilt);
    let lowest = topple::shape::ShapeOps::aabb(body, &Pose::<topple::D2> { rotation, ..Pose::IDENTITY }).min;
    let mut def = BodyDef2::dynamic([0.0, GAP - lowest.to_vec().y]);
    (def.rotation, def.can_sleep) = (rotation, false);
    def.linear_velocity = Vec2::new(along, -down);
    let id = world.create_body_with(def, [ShapeDef2::new(body.clone()).friction(0.0)]).unwrap();
    let mut worst: Real = 0.0;
    for _ in 0..STEPS {
        world.step();
        worst = worst.max((world.body(id).unwrap().linear_velocity().x - along).abs());
    }
    [worst, world.body(id).unwrap().center().to_vec().y]
}

fn thin_rectangle(size: Real, _: i32) -> Shape2 {
    let (a, b) = (0.5 * size, 0.5 * THICK);
    let corners = [[-a, b], [-a, b - THIN], [a, b - THIN], [a, b]].map(Vec2::from_array);
    Shape2::polygon(&corners).unwrap()
}

#[test]
fn fast_landings_on_tiles_keep_their_speed_2d() {
    let bodies = [
        ("circle", Shape2::circle(0.14), 0.0),
        ("rectangle", Shape2::rectangle(0.45, 0.13), 0.0),
        ("tilted rectangle", Shape2::rectangle(0.45, 0.13), -0.12),
        ("steep rectangle", Shape2::rectangle(0.3, 0.2), 0.5),
        ("rounded rectangle", Shape2::rounded_rectangle(0.3, 0.1, 0.02), -0.1),
        ("capsule", Shape2::capsule(Vec2::X * -0.1, Vec2::X * 0.1, 0.08), 0.1),
    ];
    let floors: [(&str, Tile<Shape2>); 4] = [
        ("rectangles", |size, _| Shape2::rectangle(size, THICK)),
        ("thin rectangles", thin_rectangle),
        ("thin rectangles beside thick ones", |size, turn| match turn.rem_euclid(3) {
            0 => Shape2::rectangle(size, THICK),
            1 => thin_rectangle(size, turn),
            _ => Shape2::segment(Vec2::new(-0.5 * size, 0.5 * THICK), Vec2::new(0.5 * size, 0.5 * THICK)),
        }),
        ("polygons", |size, _| {
            let (a, b) = (0.5 * size, 0.5 * THICK);
            let corners = [[-a, b], [a, b], [0.6 * a, -b], [-0.6 * a, -b]].map(Vec2::from_array);
            Shape2::polygon(&corners).unwrap()
        }),
    ];
    for (name, body, tilt) in &bodies {
        for throw in THROWS {
            let [usual, _] = land_2d(body, *tilt, throw, None);
            for (floor, tile) in floors {
                let [change, height] = land_2d(body, *tilt, throw, Some(tile));
                assert!(height > 0.0, "{name} at {throw:?} went through {floor}");
                assert!(
                    change <= usual + 0.01 * throw.2 + 0.02,
                    "{name} at {throw:?} on {floor}: {change} m/s off, {usual} on one box"
                );
            }
        }
    }
}

/// What lands fast beside a wall of tiles on a floor of tiles, at 12 m/s towards it, does not get past it, nor over a step.
#[test]
fn walls_and_steps_of_tiles_are_met_by_what_lands() {
    const TILE: Real = 0.4;
    for (rise, phase) in [(1.2, 0), (1.2, 1), (1.2, 2), (0.2, 0), (0.2, 1), (0.2, 2)] {
        let mut world = World3::new();
        let mut fix = |at: Vec3, size: Vec3| {
            let tile = ShapeDef3::new(Shape3::cuboid(size.x, size.y, size.z)).friction(0.0);
            world.create_body_with(BodyDef3::fixed(at), [tile]).unwrap();
        };
        for (i, k) in (-5..5).flat_map(|i| (-3..=3).map(move |k| (i, k))) {
            let at = Vec3::new((i as Real + 0.5) * TILE, 0.0, k as Real * TILE);
            fix(at - Vec3::Y * (0.5 * THICK), Vec3::new(TILE, THICK, TILE));
            if i == 0 {
                fix(at + Vec3::Y * (0.5 * rise), Vec3::new(TILE, rise, TILE));
            }
        }
        let mut def = BodyDef3::dynamic([-0.9 + 0.07 * phase as Real, 0.3, 0.05]);
        def.linear_velocity = Vec3::new(12.0, -8.0, 0.0);
        def.can_sleep = false;
        let body = ShapeDef3::new(Shape3::cuboid(0.5, 0.3, 0.4)).friction(0.0);
        let id = world.create_body_with(def, [body]).unwrap();
        for _ in 0..30 {
            world.step();
            let x = world.body(id).unwrap().center().to_vec().x;
            // Its half length before the wall, less three quarters of its inner radius.
            assert!(x < -0.13, "{rise} m high, phase {phase}: at {x} m");
        }
        let speed = world.body(id).unwrap().linear_velocity().x;
        assert!(speed < 1.0, "{rise} m high, phase {phase}: {speed} m/s towards it still");
    }
}

/// A ball that lands fast between two tiles that stand apart comes to lie in the gap.
#[test]
fn gaps_between_tiles_are_gaps() {
    for side in [-0.02, 0.0, 0.03] {
        let mut world = World3::new();
        for x in [-0.65, 0.65] {
            let tile = ShapeDef3::new(Shape3::cuboid(1.0, 0.5, 1.0));
            world.create_body_with(BodyDef3::fixed([x, -0.25, 0.0]), [tile]).unwrap();
        }
        let mut def = BodyDef3::dynamic([side, 0.35, 0.0]);
        def.linear_velocity = Vec3::Y * -10.0;
        let id = world.create_body_with(def, [ShapeDef3::new(Shape3::sphere(0.25))]).unwrap();
        (0..180).for_each(|_| world.step());
        let at = world.body(id).unwrap().center().to_vec();
        assert!((at.y - 0.2).abs() < 0.01 && at.x.abs() < 0.01, "from {side} m: lies at {at:?}");
    }
}

/// The foot of a wall that stands on a floor of tiles stops what is sharp: the side of the tile below it, which the next tile covers, is no floor to lie on.
#[test]
fn walls_on_tiles_stop_triangles() {
    let (r, speed) = (0.1, 12.0);
    let triangle =
        Shape2::polygon(&[(-r, -0.6 * r), (r, -0.6 * r), (0.0, 1.2 * r)].map(|(x, y)| Vec2::new(x, y)));
    let triangle = triangle.unwrap();
    for (i, falls) in (0..40).flat_map(|i| [(i, false), (i, true)]) {
        for wall in [0.0, 0.1, 0.2] {
            let settings = topple::Settings2 { gravity: Vec2::ZERO, ..Default::default() };
            let mut world = World2::with_settings(settings).unwrap();
            let mut fix = |x: Real, y: Real, width: Real, height: Real| {
                let part = ShapeDef2::new(Shape2::rectangle(width, height)).friction(0.0);
                world.create_body_with(BodyDef2::fixed([x, y]), [part]).unwrap();
            };
            (0..8).for_each(|k| fix(-1.75 + 0.5 * k as Real, -0.05, 0.5, 0.1));
            (0..2).for_each(|k| fix(wall + 0.05, 0.25 + 0.5 * k as Real, 0.1, 0.5));
            let x = -0.5 - 0.011 * i as Real;
            let (y, down) = if falls { (0.6 * r + 0.2, 6.0) } else { (0.6 * r + 0.0005, 0.0) };
            let mut def = BodyDef2::dynamic([x, y]);
            (def.linear_velocity, def.can_sleep) = (Vec2::new(speed, -down), false);
            let body = world.create_body_with(def, [ShapeDef2::new(triangle.clone()).friction(0.0)]).unwrap();
            (0..60).for_each(|_| world.step());
            let v = world.body(body).unwrap().linear_velocity();
            assert!(v.x < 0.5 * speed, "from {x} m, wall at {wall} m, falls: {falls}: {v:?}");
        }
    }
}

/// Velocity upwards with which a plate of the given height leaves a floor on which it lands flat [m/s].
fn leaves_3d(floor: Shape3, height: Real, speed: Real) -> Real {
    let settings = topple::Settings3 { gravity: Vec3::ZERO, sleeping: false, ..Default::default() };
    let mut world = World3::with_settings(settings).unwrap();
    world.create_body_with(BodyDef3::fixed(Vec3::ZERO), [ShapeDef3::new(floor).friction(0.0)]).unwrap();
    let mut def = BodyDef3::dynamic([0.1, 0.5 * height + 0.055 * speed, 0.07]);
    def.linear_velocity = Vec3::new(1.0, -speed, 0.0);
    let plate = ShapeDef3::new(Shape3::cuboid(1.0, height, 0.7)).friction(0.0);
    let id = world.create_body_with(def, [plate]).unwrap();
    (0..40).for_each(|_| world.step());
    world.body(id).unwrap().linear_velocity().y
}

fn leaves_2d(floor: Shape2, height: Real, speed: Real) -> Real {
    let settings = topple::Settings2 { gravity: Vec2::ZERO, sleeping: false, ..Default::default() };
    let mut world = World2::with_settings(settings).unwrap();
    world.create_body_with(BodyDef2::fixed(Vec2::ZERO), [ShapeDef2::new(floor).friction(0.0)]).unwrap();
    let mut def = BodyDef2::dynamic([0.1, 0.5 * height + 0.055 * speed]);
    def.linear_velocity = Vec2::new(1.0, -speed);
    let plate = ShapeDef2::new(Shape2::rectangle(1.0, height)).friction(0.0);
    let id = world.create_body_with(def, [plate]).unwrap();
    (0..40).for_each(|_| world.step());
    world.body(id).unwrap().linear_velocity().y
}

/// What lands flat and without restitution on a flat mesh, height field or chain stays there, as on one box. It left with up to 9 % of its speed.
#[test]
fn flat_landings_on_surfaces_stick() {
    for (height, speed) in [(0.5, 3.0), (0.5, 12.0), (0.08, 3.0), (0.08, 12.0), (0.08, 20.0)] {
        let leaves = [
            ("mesh", leaves_3d(flat_mesh(20, 0.4), height, speed)),
            ("height field", leaves_3d(flat_field(20, 0.4), height, speed)),
            ("chain", leaves_2d(flat_chain(20, 0.4), height, speed)),
        ];
        for (floor, leaves) in leaves {
            assert!(leaves.abs() < 0.01, "{height} m high at {speed} m/s leaves a {floor} with {leaves} m/s");
        }
    }
}
