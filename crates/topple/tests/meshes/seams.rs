//! Floors of separate pieces whose seams do not line up are floors; steps, walls, wedges and hooks are what they were.

use crate::support::{Random, box_surface, mesh};
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef, BodyId, Shape2, Shape3, ShapeDef, World, World2, World3};

/// Heights may change by this much [m].
const HEIGHT: Real = 1e-3;
/// Share of the speed that may be lost or gained.
const LOSS: Real = 1e-3;
const STEPS: usize = 120;

fn fixed<D: Dim>(world: &mut World<D>, shape: D::Shape, at: D::Vec) {
    world.create_body_with(BodyDef::<D>::fixed(at), [ShapeDef::<D>::new(shape).friction(0.0)]).unwrap();
}

/// A body that has settled without friction and is pushed then.
fn pushed<D: Dim>(world: &mut World<D>, shape: D::Shape, at: D::Vec, velocity: D::Vec) -> BodyId {
    let mut def = BodyDef::<D>::dynamic(at);
    def.can_sleep = false;
    let body = world.create_body_with(def, [ShapeDef::<D>::new(shape).friction(0.0)]).unwrap();
    (0..60).for_each(|_| world.step());
    let mut view = world.body_mut(body).unwrap();
    view.set_linear_velocity(velocity).unwrap();
    view.set_angular_velocity(D::Ang::ZERO).unwrap();
    body
}

/// The body keeps its height and its speed.
fn slides<D: Dim>(
    name: &str,
    world: &mut World<D>,
    shape: D::Shape,
    at: D::Vec,
    velocity: D::Vec,
    steps: usize,
) {
    let body = pushed(world, shape, at, velocity);
    let height = world.body(body).unwrap().position().to_vec().get(1);
    for step in 0..steps {
        world.step();
        let view = world.body(body).unwrap();
        let y = view.position().to_vec().get(1);
        let share = view.linear_velocity().dot(velocity) / velocity.length_squared();
        assert!(
            (y - height).abs() <= HEIGHT && (share - 1.0).abs() <= LOSS,
            "{name} at {velocity:?}, step {step}: height {y} m after {height} m, {share} of the speed; allowed {HEIGHT} m, {LOSS}"
        );
    }
}

/// A box over several rows came to two new bricks at once, a millimetre after each other: the corner of one lay beyond all that could cover it.
#[test]
fn a_box_slides_over_rows_whose_seams_differ_by_millimetres() {
    for narrow_phase in ["auto", "gjk"] {
        for shift in [0.0, 1e-3, 2e-3, 5e-3] {
            for speed in [0.5, 1.3, 2.2, 3.4] {
                let mut world = World3::new();
                world.set_narrow_phase_by_name(narrow_phase).unwrap();
                for row in -3..=3_i32 {
                    let first = shift * row.rem_euclid(3) as Real;
                    for i in -2..17 {
                        let at = Vec3::new(i as Real * 0.5 + first, -0.1, row as Real * 0.25);
                        fixed(&mut world, Shape3::cuboid(0.5, 0.2, 0.25), at);
                    }
                }
                let name = format!("box by {narrow_phase} over seams {shift} m apart");
                let body = Shape3::cuboid(0.5, 0.3, 0.9);
                slides(&name, &mut world, body, Vec3::Y * 0.15, Vec3::X * speed, STEPS);
            }
        }
    }
}

#[test]
fn boxes_slide_over_rows_of_bricks_of_any_length_and_thickness() {
    for seed in 0..16 {
        let mut random = Random(seed);
        let mut world = World3::new();
        let speed = 0.3 + 3.0 * random.next();
        for row in -6..=6 {
            let mut x = -2.0;
            while x < 2.0 * speed + 2.0 {
                let size = Vec3::new(0.12 + 0.4 * random.next(), 0.1 + 0.2 * random.next(), 0.25);
                let at = Vec3::new(x + 0.5 * size.x, -0.5 * size.y, row as Real * 0.25);
                fixed(&mut world, Shape3::cuboid(size.x, size.y, size.z), at);
                x += size.x;
            }
        }
        let size = Vec3::new(0.3, 0.2, 0.3) + Vec3::new(1.2, 0.6, 1.2) * random.next();
        let body = Shape3::cuboid(size.x, size.y, size.z);
        let at = Vec3::Y * (0.5 * size.y);
        slides(&format!("box of floor {seed}"), &mut world, body, at, Vec3::X * speed, STEPS);
    }
}

#[test]
fn boxes_slide_over_closed_meshes_side_by_side() {
    for (size, speed) in
        [(Vec3::new(1.5, 0.5, 1.2), 0.5), (Vec3::new(1.5, 0.5, 1.2), 2.0), (Vec3::new(0.5, 0.3, 0.4), 2.0)]
    {
        let mut world = World3::new();
        let cube = mesh(&box_surface(Vec3::ONE, Vec3::ZERO));
        for i in -3..8 {
            (-2..=2).for_each(|k| fixed(&mut world, cube.clone(), Vec3::new(i as Real, -0.5, k as Real)));
        }
        let at = Vec3::new(0.1, 0.5 * size.y, 0.05);
        slides(
            "box on mesh cubes",
            &mut world,
            Shape3::cuboid(size.x, size.y, size.z),
            at,
            Vec3::X * speed,
            STEPS,
        );
    }
}

#[test]
fn boxes_slide_over_separate_triangles_by_closest_points() {
    let h = 0.125;
    let at = |x: Real, z: Real| Vec3::new(h * x, 0.0, h * z);
    let halves = [
        Shape3::triangle(at(-1.0, -1.0), at(-1.0, 1.0), at(1.0, -1.0)),
        Shape3::triangle(at(1.0, 1.0), at(1.0, -1.0), at(-1.0, 1.0)),
    ];
    for (narrow_phase, speed) in [("gjk", 2.65), ("gjk", 1.0), ("auto", 2.65)] {
        let mut world = World3::new();
        world.set_narrow_phase_by_name(narrow_phase).unwrap();
        for i in -6..26 {
            for k in -6..=6 {
                let at = Vec3::new(2.0 * h * i as Real, 0.0, 2.0 * h * k as Real);
                halves.iter().for_each(|half| fixed(&mut world, half.clone(), at));
            }
        }
        let velocity = Vec3::new(1.0, 0.0, -0.07) * speed;
        let body = Shape3::cuboid(1.6, 0.94, 1.1);
        slides("box on triangles", &mut world, body, Vec3::new(0.02, 0.47, 0.17), velocity, STEPS);
    }
}

/// A regular polygon that lies on a side, and the height of its middle.
fn regular(corners: usize, radius: Real) -> (Shape2, Real) {
    let turn = core::f32::consts::PI / corners as Real;
    let corner = |i: usize| {
        let (s, c) = sin_cos(-core::f32::consts::FRAC_PI_2 + turn * (2 * i + 1) as Real);
        Vec2::new(c, s) * radius
    };
    let corners: Vec<Vec2> = (0..corners).map(corner).collect();
    (Shape2::polygon(&corners).unwrap(), radius * sin_cos(turn).1)
}

#[test]
fn polygons_slide_over_tiles() {
    for narrow_phase in ["auto", "sat", "gjk"] {
        for tile in 0..3 {
            for corners in [3, 5, 6, 8] {
                for (radius, width, speed) in [(0.3, 1.0, 1.58), (0.65, 0.05, -0.44), (0.7, 0.25, 2.6)] {
                    let mut world = World2::new();
                    world.set_narrow_phase_by_name(narrow_phase).unwrap();
                    let count = (12.0 / width) as i32;
                    for i in -count..=count {
                        let (h, at) = (0.5 * width, Vec2::new(i as Real * width, 0.0));
                        match if tile == 2 { i.rem_euclid(2) } else { tile } {
                            0 => fixed(&mut world, Shape2::rectangle(width, 0.1), at - Vec2::Y * 0.05),
                            _ => fixed(&mut world, Shape2::segment(Vec2::X * -h, Vec2::X * h), at),
                        }
                    }
                    let (shape, rest) = regular(corners, radius);
                    let name = format!("{corners} corners by {narrow_phase} on tiles {tile} of {width} m");
                    slides(&name, &mut world, shape, Vec2::new(0.03, rest), Vec2::X * speed, 2 * STEPS);
                }
            }
        }
    }
}

/// Tiles along x at the heights that `height` gives, as boxes of the dimension.
fn tiles2(world: &mut World2, height: &dyn Fn(i32) -> Real) {
    (-4..12)
        .for_each(|i| fixed(world, Shape2::rectangle(0.5, 1.0), Vec2::new(0.5 * i as Real, height(i) - 0.5)));
}

fn tiles3(world: &mut World3, height: &dyn Fn(i32) -> Real) {
    for i in -4..12 {
        for k in -2..=2 {
            let at = Vec3::new(0.5 * i as Real, height(i) - 0.5, 0.5 * k as Real);
            fixed(world, Shape3::cuboid(0.5, 1.0, 0.5), at);
        }
    }
}

/// The body is stopped by what begins at x = 1.75 m, its half length before it.
fn is_stopped<D: Dim>(name: &str, world: &mut World<D>, shape: D::Shape) {
    let body = pushed(world, shape, D::Vec::axis(1) * 0.15, D::Vec::axis(0));
    (0..240).for_each(|_| world.step());
    let view = world.body(body).unwrap();
    let (x, v) = (view.position().to_vec().get(0), view.linear_velocity().get(0));
    assert!(x < 1.75 && v < 0.5, "{name}: at {x} m with {v} m/s; allowed 1.75 m, 0.5 m/s");
}

#[test]
fn steps_and_walls_stop_what_slides() {
    for step in [3e-3, 1e-2, 0.5] {
        let height = |i: i32| if i >= 4 { step } else { 0.0 };
        let mut world = World2::new();
        tiles2(&mut world, &height);
        is_stopped(&format!("rectangle, step of {step} m"), &mut world, Shape2::rectangle(0.5, 0.3));
        let mut world = World3::new();
        tiles3(&mut world, &height);
        is_stopped(&format!("box, step of {step} m"), &mut world, Shape3::cuboid(0.5, 0.3, 0.9));
    }
}

/// The same for solids of triangles, on blocks and on solids of triangles.
#[test]
fn steps_and_walls_stop_solids_of_triangles() {
    for narrow_phase in ["auto", "sat", "gjk"] {
        for step in [3e-3, 1e-2, 0.5] {
            for (kind, tile) in
                [Shape3::cuboid(0.5, 1.0, 0.5), mesh(&box_surface(Vec3::new(0.5, 1.0, 0.5), Vec3::ZERO))]
                    .into_iter()
                    .enumerate()
            {
                let mut world = World3::new();
                world.set_narrow_phase_by_name(narrow_phase).unwrap();
                for (i, k) in (-4..12).flat_map(|i| (-2..=2).map(move |k| (i, k))) {
                    let height = if i >= 4 { step } else { 0.0 };
                    fixed(
                        &mut world,
                        tile.clone(),
                        Vec3::new(0.5 * i as Real, height - 0.5, 0.5 * k as Real),
                    );
                }
                let name = format!("solid by {narrow_phase} on tiles {kind}, step of {step} m");
                is_stopped(&name, &mut world, mesh(&box_surface(Vec3::new(0.5, 0.3, 0.9), Vec3::ZERO)));
            }
        }
    }
}

/// A ramp that rises by 3 in 100 lifts a solid of triangles, and so does a ridge of a mesh, 1 cm high, whose sides lean by 2.3°.
#[test]
fn ramps_and_ridges_lift_solids_of_triangles() {
    let solid = || mesh(&box_surface(Vec3::new(0.5, 0.3, 0.9), Vec3::ZERO));
    let ground = |height: &dyn Fn(Real, Real) -> Real| {
        let ground = generate::terrain(Vec2::new(8.0, 4.0), [32, 4], height).unwrap();
        let mut world = World3::new();
        fixed(&mut world, mesh(&ground), Vec3::ZERO);
        world
    };
    let mut world = ground(&|x, _| 0.03 * (x - 1.0).max(0.0));
    let body = pushed(&mut world, solid(), Vec3::Y * 0.15, Vec3::X);
    (0..180).for_each(|_| world.step());
    let at = world.body(body).unwrap().position();
    let expected = 0.15 + 0.03 * (at.x - 1.0);
    assert!(
        at.x > 2.0 && (at.y - expected).abs() < 5e-3,
        "at {at:?}, expected {expected} m up, allowed 5e-3 m"
    );
    let mut world = ground(&|x, _| if (x - 1.75).abs() < 0.1 { 0.01 } else { 0.0 });
    let body = pushed(&mut world, solid(), Vec3::Y * 0.15, Vec3::X);
    let mut highest: Real = 0.0;
    for _ in 0..180 {
        world.step();
        highest = highest.max(world.body(body).unwrap().position().y);
    }
    assert!(highest > 0.158, "{highest} m up over a ridge of 10 mm; at least 0.158 m");
}

/// Two walls of tiles that make a right angle, its edge down: what lies between them stays.
#[test]
fn what_is_wedged_between_walls_of_tiles_stays() {
    let half = core::f32::consts::FRAC_PI_4;
    let (s, c) = sin_cos(half);
    let mut world = World2::new();
    for (way, turn) in [(Vec2::new(c, s), half), (Vec2::new(-c, s), -half)] {
        for i in 0..6 {
            let mut def =
                BodyDef::<D2>::fixed(way * (0.2 * i as Real + 0.1) + Vec2::new(way.x.signum() * s, -c) * 0.1);
            def.rotation = <D2 as Dim>::Rot::from_ang(turn);
            let tile = ShapeDef::new(Shape2::rectangle(0.2, 0.2)).friction(0.0);
            world.create_body_with(def, [tile]).unwrap();
        }
    }
    let mut def = BodyDef::<D2>::dynamic([0.0, 0.5 * core::f32::consts::SQRT_2 * 0.6]);
    def.rotation = <D2 as Dim>::Rot::from_ang(half);
    let square = ShapeDef::new(Shape2::rectangle(0.6, 0.6)).friction(0.0);
    let body = world.create_body_with(def, [square]).unwrap();
    let before = world.body(body).unwrap().position();
    (0..STEPS).for_each(|_| world.step());
    let moved = (world.body(body).unwrap().position() - before).length();
    assert!(moved < 5e-3, "moved by {moved} m, allowed 5e-3 m");
}

/// A hook on the top brick of a wall: its leg stands beside the lower ones, which lie below the plane that bears it.
#[test]
fn the_leg_of_a_hook_meets_the_wall_below_the_brick_that_bears_it() {
    let mut world = World2::new();
    fixed(&mut world, Shape2::rectangle(0.4, 0.02), Vec2::new(0.0, -0.01));
    fixed(&mut world, Shape2::rectangle(0.4, 1.0), Vec2::new(0.0, -0.52));
    let part = |width: Real, height: Real, x: Real, y: Real| {
        ShapeDef::new(Shape2::rectangle(width, height)).friction(0.0).at(Pose::at([x, y]))
    };
    let def = BodyDef::<D2> { can_sleep: false, ..BodyDef::dynamic([0.0, 0.0]) };
    let bar = part(0.8, 0.1, 0.0, 0.05);
    let legs = [part(0.1, 0.6, 0.26, -0.3), part(0.1, 0.6, -0.26, -0.3)];
    let body = world.create_body_with(def, [bar].into_iter().chain(legs)).unwrap();
    (0..30).for_each(|_| world.step());
    for speed in [1.0, -1.0] {
        world.body_mut(body).unwrap().set_linear_velocity(Vec2::X * speed).unwrap();
        (0..STEPS).for_each(|_| world.step());
        let x = world.body(body).unwrap().position().x;
        assert!(x.abs() < 0.02, "at {x} m, allowed ±0.02 m");
    }
}

/// What falls along a wall of bricks does not land on the lower ones, and what falls beside a step lands on it.
#[test]
fn what_falls_along_a_wall_of_bricks_falls_freely() {
    let mut world = World2::new();
    (0..20).for_each(|i| {
        fixed(&mut world, Shape2::rectangle(0.4, 0.2), Vec2::new(-0.2, -0.2 * i as Real - 0.1))
    });
    fixed(&mut world, Shape2::rectangle(4.0, 0.5), Vec2::new(0.0, -4.25));
    let def = BodyDef::<D2> { can_sleep: false, ..BodyDef::dynamic([0.15, -0.2]) };
    let body =
        world.create_body_with(def, [ShapeDef::new(Shape2::rectangle(0.3, 0.3)).friction(0.0)]).unwrap();
    let gravity = world.settings().gravity.y;
    (0..30).for_each(|_| world.step());
    let (expected, got) = (0.5 * gravity, world.body(body).unwrap().linear_velocity().y);
    assert!((got - expected).abs() < 1e-3 * expected.abs(), "{got} m/s instead of {expected} m/s");
    (0..200).for_each(|_| world.step());
    let y = world.body(body).unwrap().position().y;
    assert!((y + 3.85).abs() < 5e-3, "at {y} m instead of -3.85 m");
}

/// A flat mesh with a fold, as jittered grids have it: one triangle lies upside down over its neighbours. Its edges have nothing beside them and may lean,
/// but nothing leans over what lies in one plane.
#[test]
fn a_capsule_slides_over_a_fold_in_a_flat_mesh() {
    // Four vertices per row, rows along x; the triangle of the third quad is turned over.
    let rows = [
        [[9.75, -1.0], [9.773_201, -0.822_587_9], [9.690_586, -0.494_369_27], [9.781_198, -0.228_749_9]],
        [
            [9.992_029, -1.038_208_6],
            [10.020_299, -0.690_998_44],
            [10.031_260_5, -0.425_851_7],
            [9.936_971, -0.320_143_9],
        ],
        [
            [10.251_457, -1.002_163_8],
            [10.287_822, -0.728_056_7],
            [10.324_659, -0.428_950_73],
            [10.177_349, -0.320_634_57],
        ],
        [
            [10.493_505, -1.049_802],
            [10.526_744, -0.720_384_1],
            [10.438_07, -0.537_313_04],
            [10.527_647, -0.259_830_74],
        ],
        [
            [10.727_158, -0.989_925_9],
            [10.690_207_5, -0.683_576_3],
            [10.685_7, -0.472_222_92],
            [10.748_324, -0.198_892_98],
        ],
    ];
    let vertices: Vec<Vec3> =
        rows.as_flattened().iter().map(|&[x, z]: &[Real; 2]| Vec3::new(x, 0.0, z)).collect();
    let quads = (0..4).flat_map(|i| (0..3).map(move |k| 4 * i + k));
    let triangles: Vec<[u32; 3]> = quads.flat_map(|a| [[a, a + 1, a + 4], [a + 4, a + 1, a + 5]]).collect();
    for phase in -4..=4 {
        let mut world = World3::new();
        fixed(&mut world, Shape3::mesh(&vertices, &triangles).unwrap(), Vec3::ZERO);
        let (s, c) = sin_cos(1.418_616_3);
        let half = Vec3::new(c, 0.0, -s) * 0.109_283_97;
        let body = Shape3::capsule(-half, half, 0.061_648_59);
        let at = Vec3::new(10.063_305 + phase as Real * 0.003, 0.061_648_59, -0.547_786_06);
        slides("capsule", &mut world, body, at, Vec3::new(8.199_223, 0.0, -0.318_795_68), 4);
    }
}

/// A thin plank sinks by more than its slop and leans by a little over each seam: the tiles give the normals all the same, not its own face, which would push it back.
#[test]
fn thin_planks_slide_over_tiles() {
    for narrow_phase in ["auto", "sat", "gjk"] {
        for (length, tile, speed) in [(0.271_72, 0.5, 0.2206), (0.222_96, 0.25, 0.2766), (0.2, 0.5, 0.3)] {
            let floors = [
                (Shape2::segment(Vec2::new(-0.5 * tile, 0.0), Vec2::new(0.5 * tile, 0.0)), 0.0),
                (Shape2::rectangle(tile, 0.1), -0.05),
            ];
            for (kind, (shape, height)) in floors.into_iter().enumerate() {
                let mut world = World2::new();
                world.set_narrow_phase_by_name(narrow_phase).unwrap();
                for i in -20..=20 {
                    fixed(&mut world, shape.clone(), Vec2::new(i as Real * tile, height));
                }
                let name = format!("plank of {length} m by {narrow_phase} over floor {kind}");
                let plank = Shape2::rectangle(length, 0.05 * length);
                let at = Vec2::new(0.1, 0.025 * length);
                slides(&name, &mut world, plank, at, Vec2::X * speed, 400);
            }
        }
    }
}
