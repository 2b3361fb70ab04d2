//! Bodies that slide over a flat floor made of pieces do not notice the pieces.

use crate::support::{flat_chain, flat_field, flat_mesh};
use topple::math::*;
use topple::world::Methods;
use topple::{BodyDef, Settings, Shape2, Shape3, ShapeDef, World, World2};

/// Heights may change by this much [m].
const HEIGHT: Real = 1e-3;
/// Share of the speed that may be lost or gained.
const LOSS: Real = 1e-3;
/// Speeds to try [m/s]: less than a tile per second to several tiles per step.
const SPEEDS: [Real; 4] = [0.3, 2.0, 5.0, 20.0];

/// Every narrow phase, `sat` with separating planes too.
fn narrow_phases<D: Dim>() -> Vec<(&'static str, bool)> {
    let all = Methods::<D>::all().into_iter().filter(|method| method.stage == "narrow phase");
    all.map(|method| (method.name, false)).chain([("sat", true)]).collect()
}

/// Slides `body` over `floor` at every speed along x (and askew), frictionless, for two seconds, under every narrow phase.
fn slides<D: Dim>(name: &str, floor: &dyn Fn(&mut World<D>), shape: &D::Shape, rest: Real, askew: Real) {
    for (narrow_phase, planes) in narrow_phases::<D>() {
        let name = format!("{name} by {narrow_phase}");
        slides_by(&name, (narrow_phase, planes), floor, shape, rest, askew);
    }
}

fn slides_by<D: Dim>(
    name: &str,
    (narrow_phase, planes): (&str, bool),
    floor: &dyn Fn(&mut World<D>),
    shape: &D::Shape,
    rest: Real,
    askew: Real,
) {
    // The whole range under the default; the others have the same functions below them.
    let speeds = if narrow_phase == "auto" { &SPEEDS[..] } else { &SPEEDS[1..4] };
    let step_by = if narrow_phase == "auto" { 1 } else { 2 };
    for &speed in speeds.iter().step_by(step_by) {
        let settings = Settings { separating_planes: planes, ..Settings::default() };
        let mut world = World::<D>::with_settings(settings).unwrap();
        world.set_narrow_phase_by_name(narrow_phase).unwrap();
        floor(&mut world);
        let mut start = D::Vec::ZERO;
        start.set(0, -0.45 * speed.max(1.0) * 2.0);
        start.set(1, rest);
        let mut velocity = D::Vec::ZERO;
        velocity.set(0, speed);
        if D::N == 3 {
            velocity.set(2, askew * speed);
        }
        let mut def = BodyDef::<D>::dynamic(start);
        def.can_sleep = false;
        let shape = ShapeDef::<D>::new(shape.clone()).friction(0.0);
        let body = world.create_body_with(def, [shape]).unwrap();
        // Settled first, then pushed: falling onto the floor is another matter.
        for _ in 0..60 {
            world.step();
        }
        world.body_mut(body).unwrap().set_linear_velocity(velocity).unwrap();
        let height = world.body(body).unwrap().position().to_vec().get(1);
        for step in 0..120 {
            world.step();
            let view = world.body(body).unwrap();
            let y = view.position().to_vec().get(1);
            assert!(
                (y - height).abs() <= HEIGHT,
                "{name} at {speed} m/s, step {step}: height {y} m after {height} m"
            );
            let v = view.linear_velocity();
            let share = v.dot(velocity) / velocity.length_squared();
            assert!((share - 1.0).abs() <= LOSS, "{name} at {speed} m/s, step {step}: velocity {v:?}");
        }
    }
}

fn fixed<D: Dim>(world: &mut World<D>, shape: D::Shape, at: D::Vec) {
    let shape = ShapeDef::<D>::new(shape).friction(0.0);
    world.create_body_with(BodyDef::<D>::fixed(at), [shape]).unwrap();
}

fn shapes3() -> [(&'static str, Shape3, Real); 5] {
    let lying = Shape3::capsule(Vec3::new(-0.4, 0.0, 0.0), Vec3::new(0.4, 0.0, 0.0), 0.25);
    let across = Shape3::capsule(Vec3::new(0.0, 0.0, -0.4), Vec3::new(0.0, 0.0, 0.4), 0.25);
    [
        ("box", Shape3::cuboid(0.8, 0.5, 0.6), 0.25),
        ("sphere", Shape3::sphere(0.4), 0.4),
        ("lying capsule", lying, 0.25),
        ("capsule across", across, 0.25),
        ("cylinder", Shape3::cylinder(0.5, 0.4), 0.25),
    ]
}

fn shapes2() -> [(&'static str, Shape2, Real); 4] {
    let hexagon: Vec<Vec2> = (0..6)
        .map(|i| sin_cos(i as Real * core::f32::consts::FRAC_PI_3))
        .map(|(s, c)| Vec2::new(0.4 * c, 0.4 * s))
        .collect();
    [
        ("rectangle", Shape2::rectangle(0.8, 0.5), 0.25),
        ("circle", Shape2::circle(0.4), 0.4),
        ("capsule", Shape2::capsule(Vec2::new(-0.4, 0.0), Vec2::new(0.4, 0.0), 0.25), 0.25),
        ("hexagon", Shape2::polygon(&hexagon).unwrap(), 0.4 * 0.866_025_4),
    ]
}

fn on_3d(ground: &str, floor: &dyn Fn(&mut World<D3>)) {
    for (name, shape, rest) in shapes3() {
        for askew in [0.0, 0.37] {
            slides::<D3>(&format!("{name} on {ground}"), floor, &shape, rest, askew);
        }
    }
}

fn on_2d(ground: &str, floor: &dyn Fn(&mut World<D2>)) {
    for (name, shape, rest) in shapes2() {
        slides::<D2>(&format!("{name} on {ground}"), floor, &shape, rest, 0.0);
    }
}

#[test]
fn nothing_trips_over_the_inner_edges_of_a_mesh() {
    on_3d("a mesh", &|world| fixed(world, flat_mesh(120, 0.75), Vec3::ZERO));
}

#[test]
fn nothing_trips_over_the_inner_edges_of_a_height_field() {
    on_3d("a height field", &|world| fixed(world, flat_field(120, 0.75), Vec3::ZERO));
}

#[test]
fn nothing_trips_over_the_inner_corners_of_a_chain() {
    on_2d("a chain", &|world| fixed(world, flat_chain(120, 0.75), Vec2::ZERO));
}

#[test]
fn nothing_trips_over_the_inner_corners_of_a_height_field_of_the_plane() {
    on_2d("a height field", &|world| {
        fixed(world, Shape2::height_field(90.0, &[0.0; 121]).unwrap(), Vec2::ZERO);
    });
}

#[test]
fn nothing_trips_over_static_boxes_side_by_side() {
    on_3d("static boxes", &|world| {
        for i in -44..44 {
            for k in -1..20 {
                let at = Vec3::new(i as Real, -0.5, k as Real * 1.0);
                fixed(world, Shape3::cuboid(1.0, 1.0, 1.0), at);
            }
        }
    });
}

#[test]
fn nothing_trips_over_static_rectangles_side_by_side() {
    on_2d("static rectangles", &|world| {
        for i in -60..60 {
            fixed(world, Shape2::rectangle(0.75, 1.0), Vec2::new(0.75 * i as Real, -0.5));
        }
    });
}

/// Bodies over tiles, under the search for closest points; each of them tripped or was lifted once.
#[test]
fn polygons_slide_over_tiles_by_closest_points() {
    let hexagon = |size: Real| {
        let corners: Vec<Vec2> = (0..6)
            .map(|i| sin_cos(i as Real * core::f32::consts::FRAC_PI_3))
            .map(|(s, c)| Vec2::new(0.4 * size * c, 0.4 * size * s))
            .collect();
        (Shape2::polygon(&corners).unwrap(), 0.4 * 0.866_025_4 * size)
    };
    let segment = |width: Real| Shape2::segment(Vec2::X * (-0.5 * width), Vec2::X * (0.5 * width));
    let slab = |width: Real| Shape2::rectangle(width, 1.0);
    let rounded = |s: Real| (Shape2::rounded_rectangle(0.8 * s, 0.5 * s, 0.1 * s), 0.25 * s);
    let plank = |s: Real| (Shape2::rectangle(2.0 * s, 0.1 * s), 0.05 * s);
    for ((shape, rest), tile, width, below, speed, steps) in [
        (hexagon(0.275_025_7), segment(1.0), 1.0, 0.0, -1.483_491_8, 100),
        (hexagon(1.093_390_6), slab(0.1), 0.1, 0.5, -3.084_753, 600),
        (rounded(0.203_615_89), slab(0.1), 0.1, 0.5, 12.284_5, 120),
        (plank(0.216_019_15), segment(0.37), 0.37, 0.0, -0.853_482_96, 600),
    ] {
        let mut world = World2::new();
        world.set_narrow_phase_by_name("gjk").unwrap();
        let count = ((Real::abs(speed) * steps as Real / 60.0 + 4.0) / width) as i32 + 1;
        (-count..=count).for_each(|i| fixed(&mut world, tile.clone(), Vec2::new(i as Real * width, -below)));
        let def = BodyDef { can_sleep: false, ..BodyDef::dynamic([0.03, rest]) };
        let body = world.create_body_with(def, [ShapeDef::new(shape.clone()).friction(0.0)]).unwrap();
        (0..60).for_each(|_| world.step());
        world.body_mut(body).unwrap().set_linear_velocity(Vec2::X * speed).unwrap();
        let height = world.body(body).unwrap().position().y;
        for step in 0..steps {
            world.step();
            let view = world.body(body).unwrap();
            let (y, share) = (view.position().y, view.linear_velocity().x / speed);
            let is_kept = (y - height).abs() <= HEIGHT && (share - 1.0).abs() <= LOSS;
            assert!(is_kept, "{shape:?}, step {step}: height {y} m after {height} m, {share} of the speed");
        }
    }
}

/// A body that slides slowly for half a minute, or fast for some seconds, over tiles that stand in its way before it is there, or are laid under it afterwards.
fn far<D: Dim>(
    name: &str,
    floor: &dyn Fn(&mut World<D>),
    shape: &D::Shape,
    rest: Real,
    (speed, steps): (Real, usize),
    is_first: bool,
) {
    let mut world = World::<D>::new();
    let mut velocity = D::Vec::ZERO;
    velocity.set(0, speed);
    let mut start = D::Vec::ZERO;
    start.set(0, 0.03);
    start.set(1, rest);
    if D::N == 3 {
        velocity.set(2, 0.4 * speed);
        start.set(2, 0.02);
    }
    let mut def = BodyDef::<D>::dynamic(start);
    def.can_sleep = false;
    let shape = ShapeDef::<D>::new(shape.clone()).friction(0.0);
    if !is_first {
        floor(&mut world);
    }
    let body = world.create_body_with(def, [shape]).unwrap();
    if is_first {
        floor(&mut world);
    }
    for _ in 0..60 {
        world.step();
    }
    world.body_mut(body).unwrap().set_linear_velocity(velocity).unwrap();
    let height = world.body(body).unwrap().position().to_vec().get(1);
    for step in 0..steps {
        world.step();
        let view = world.body(body).unwrap();
        let y = view.position().to_vec().get(1);
        let share = view.linear_velocity().dot(velocity) / velocity.length_squared();
        let is_kept = (y - height).abs() <= HEIGHT && (share - 1.0).abs() <= LOSS;
        let order = if is_first { "body first" } else { "floor first" };
        assert!(
            is_kept,
            "{name}, {order}, {speed} m/s, step {step}: height {y} m after {height} m, {share} of the speed"
        );
    }
}

/// Tiles along the way of `far`.
fn tiles2(shape: Shape2, width: Real, below: Real, length: Real) -> impl Fn(&mut World<D2>) {
    let count = ((length + 2.0) / width) as i32;
    move |world| {
        (-count / 4..count).for_each(|i| fixed(world, shape.clone(), Vec2::new(width * i as Real, -below)))
    }
}

fn tiles3(shapes: Vec<Shape3>, width: Real, below: Real, length: Real) -> impl Fn(&mut World<D3>) {
    let count = ((length + 2.0) / width) as i32;
    let near = (1.5 / width) as i32 + 2;
    move |world| {
        for i in -near..count {
            let middle = (0.4 * i as Real) as i32;
            for k in middle - near..=middle + near {
                let at = Vec3::new(width * i as Real, -below, width * k as Real);
                shapes.iter().for_each(|shape| fixed(world, shape.clone(), at));
            }
        }
    }
}

#[test]
fn slow_bodies_lose_nothing_on_static_rectangles() {
    for is_first in [false, true] {
        for (width, speed, steps) in [(0.75, 0.3, 1_800), (0.75, 1.0, 600), (0.1, 1.0, 600)] {
            let floor = tiles2(Shape2::rectangle(width, 1.0), width, 0.5, speed * steps as Real / 60.0);
            for (size, half) in
                [(Vec2::new(0.24, 0.15), 0.075), (Vec2::new(0.2, 0.2), 0.1), (Vec2::new(0.8, 0.5), 0.25)]
            {
                let name = format!("rectangle {size:?} on tiles of {width} m");
                far::<D2>(&name, &floor, &Shape2::rectangle(size.x, size.y), half, (speed, steps), is_first);
            }
        }
    }
}

#[test]
fn a_hexagon_does_not_trip_over_narrow_rectangles() {
    let size = 0.740_407_35;
    let hexagon: Vec<Vec2> = (0..6)
        .map(|i| sin_cos(i as Real * core::f32::consts::FRAC_PI_3))
        .map(|(s, c)| Vec2::new(0.4 * size * c, 0.4 * size * s))
        .collect();
    let floor = tiles2(Shape2::rectangle(0.1, 1.0), 0.1, 0.5, 5.0);
    let hexagon = Shape2::polygon(&hexagon).unwrap();
    for speed in [0.5, 2.059_155, 5.0] {
        let steps = (200.0 / speed) as usize;
        far::<D2>("hexagon", &floor, &hexagon, 0.4 * 0.866_025_4 * size, (speed, steps), false);
    }
}

#[test]
fn nothing_trips_over_thin_plates_side_by_side() {
    for thickness in [0.01, 0.005, 0.002, 0.001, 1e-4] {
        let floor = tiles2(Shape2::rectangle(0.75, thickness), 0.75, 0.5 * thickness, 10.0);
        for (name, shape, rest) in shapes2() {
            let name = format!("{name} on plates of {thickness} m");
            far::<D2>(&name, &floor, &shape, rest, (3.0, 200), false);
        }
        let floor = tiles3(vec![Shape3::cuboid(0.75, thickness, 0.75)], 0.75, 0.5 * thickness, 10.0);
        for (name, shape, rest) in shapes3() {
            let name = format!("{name} on plates of {thickness} m");
            far::<D3>(&name, &floor, &shape, rest, (3.0, 200), false);
        }
    }
}

#[test]
fn nothing_trips_over_separate_segments() {
    let floor = tiles2(Shape2::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0)), 1.0, 0.0, 12.0);
    for (name, shape, rest) in shapes2() {
        for speed in [0.8, 3.0] {
            far::<D2>(&format!("{name} on segments"), &floor, &shape, rest, (speed, 200), false);
        }
    }
}

/// Thin planks, fast, with 30 steps per second: each step takes them past a seam, and they are found in the next tile by a third of what they are thick, which is
/// more than what touches it may be. They came over the end of a tile without thickness, and its end stopped them dead.
fn planks<D: Dim>(plank: &D::Shape, rest: Real, floor: &dyn Fn(&mut World<D>)) {
    for speed in [17.0, 19.3, 21.0, 22.68, 24.1, 27.9] {
        let mut world = World::<D>::new();
        let settings = Settings { dt: 1.0 / 30.0, ..world.settings().clone() };
        world.set_settings(settings).unwrap();
        floor(&mut world);
        let mut def = BodyDef::<D>::dynamic(D::Vec::axis(1) * rest);
        def.can_sleep = false;
        let shape = ShapeDef::<D>::new(plank.clone()).friction(0.0);
        let body = world.create_body_with(def, [shape]).unwrap();
        (0..60).for_each(|_| world.step());
        let velocity = D::Vec::axis(0) * speed;
        world.body_mut(body).unwrap().set_linear_velocity(velocity).unwrap();
        for step in 0..48 {
            world.step();
            let share = world.body(body).unwrap().linear_velocity().get(0) / speed;
            assert!((share - 1.0).abs() <= LOSS, "{speed} m/s, step {step}: {share} of the speed");
        }
    }
}

#[test]
fn thin_planks_do_not_meet_the_ends_of_segments() {
    let floor = tiles2(Shape2::segment(Vec2::X * -1.08, Vec2::X * 1.08), 2.16, 0.0, 50.0);
    for thick in [0.0056, 0.008, 0.012] {
        planks::<D2>(&Shape2::rectangle(0.111, thick), 0.5 * thick, &floor);
    }
}

#[test]
fn thin_planks_do_not_meet_the_edges_of_triangles() {
    let corner = |x: Real, z: Real| Vec3::new(1.08 * x, 0.0, 1.08 * z);
    let halves = [
        Shape3::triangle(corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, -1.0)),
        Shape3::triangle(corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0)),
    ];
    let floor = |world: &mut World<D3>| {
        (-2..25).for_each(|i| {
            halves.iter().for_each(|half| fixed(world, half.clone(), Vec3::X * (2.16 * i as Real)))
        });
    };
    for thick in [0.0056, 0.008, 0.012] {
        planks::<D3>(&Shape3::cuboid(0.111, thick, 0.08), 0.5 * thick, &floor);
    }
}

#[test]
fn nothing_trips_over_separate_triangles() {
    let h = 0.375;
    let at = |x: Real, z: Real| Vec3::new(h * x, 0.0, h * z);
    let halves = vec![
        Shape3::triangle(at(-1.0, -1.0), at(-1.0, 1.0), at(1.0, -1.0)),
        Shape3::triangle(at(1.0, 1.0), at(1.0, -1.0), at(-1.0, 1.0)),
    ];
    let floor = tiles3(halves, 0.75, 0.0, 10.0);
    for (name, shape, rest) in shapes3() {
        far::<D3>(&format!("{name} on triangles"), &floor, &shape, rest, (3.0, 200), false);
    }
}

#[test]
fn slow_boxes_and_cylinders_lose_nothing_on_static_boxes() {
    for is_first in [false, true] {
        for (speed, steps) in [(0.3, 1_200), (1.0, 600), (3.7, 120)] {
            let floor =
                tiles3(vec![Shape3::cuboid(0.75, 1.0, 0.75)], 0.75, 0.5, speed * steps as Real / 60.0);
            let body = Shape3::cuboid(0.24, 0.15, 0.18);
            far::<D3>("small box", &floor, &body, 0.075, (speed, steps), is_first);
            for size in [0.3, 0.8, 1.454_201_5] {
                let body = Shape3::cylinder(0.5 * size, 0.4 * size);
                far::<D3>(&format!("cylinder {size}"), &floor, &body, 0.25 * size, (speed, steps), is_first);
            }
        }
    }
}

/// Sides that slant inwards below a flush top: what lies a little below the border of one tile is outside of it. A circle was thrown 0.2 m into the air at
/// 30 m/s.
#[test]
fn nothing_round_trips_over_tiles_with_slanting_sides() {
    let corners = [[-0.677, 0.0], [0.677, 0.0], [0.271, -0.5], [-0.271, -0.5]];
    let trapezoid = Shape2::polygon(&corners.map(Vec2::from)).unwrap();
    let frustum: Vec<Vec3> =
        corners.iter().flat_map(|[x, y]| [-1.0, 1.0].map(|side| Vec3::new(*x, *y, side * *x))).collect();
    let frustum = Shape3::hull(&frustum).unwrap();
    for (speed, steps) in [(0.66, 200), (5.1, 120), (13.37, 60), (30.417, 60)] {
        let length = speed * steps as Real / 60.0;
        let floor = tiles2(trapezoid.clone(), 1.354, 0.0, length);
        far::<D2>("circle", &floor, &Shape2::circle(0.41), 0.41, (speed, steps), false);
        let floor = tiles3(vec![frustum.clone()], 1.354, 0.0, length);
        far::<D3>("sphere", &floor, &Shape3::sphere(0.41), 0.41, (speed, steps), false);
    }
}

/// Tops that differ by a hundredth of a millimetre, as by rounding far from the origin: the face of one tile and the edge of the next cover each other and are
/// flush with each other. Both were dropped, and the body fell freely for a step: 1.7 mm and more.
#[test]
fn one_of_two_tiles_that_cover_each_other_bears() {
    let size = 0.1;
    for uneven in [7e-6, 1e-5] {
        let below = |i: i32| 0.05 + if i % 2 == 0 { uneven } else { 0.0 };
        for speed in [0.51, 2.03, 4.47] {
            let width = 0.015_625;
            let floor = |world: &mut World<D2>| {
                let tile = Shape2::rectangle(width, 0.1);
                (-20..(speed / width) as i32 + 20)
                    .for_each(|i| fixed(world, tile.clone(), Vec2::new(width * i as Real, -below(i))));
            };
            far::<D2>("circle", &floor, &Shape2::circle(0.5 * size), 0.5 * size, (speed, 60), false);
            let width = 0.031_25;
            let floor = |world: &mut World<D3>| {
                let tile = Shape3::cuboid(width, 0.1, width);
                for i in -4..(speed / width) as i32 + 6 {
                    let middle = (0.4 * i as Real) as i32;
                    for k in middle - 4..=middle + 4 {
                        let at = Vec3::new(width * i as Real, -below(i + k), width * k as Real);
                        fixed(world, tile.clone(), at);
                    }
                }
            };
            far::<D3>("sphere", &floor, &Shape3::sphere(0.5 * size), 0.5 * size, (speed, 60), false);
        }
    }
}

/// Tiles 250 times as long as wide: how far a tile goes on across the way says nothing about how much it rises. A sphere lost up to 1 % of its speed.
#[test]
fn long_narrow_boxes_make_one_floor() {
    let (width, size) = (0.015_625, 0.1);
    for speed in [0.51, 2.03, 4.47] {
        let floor = |world: &mut World<D3>| {
            let tile = Shape3::cuboid(width, 0.1, 4.0);
            (-20..(speed / width) as i32 + 20)
                .for_each(|i| fixed(world, tile.clone(), Vec3::new(width * i as Real, -0.05, 0.0)));
        };
        far::<D3>("sphere", &floor, &Shape3::sphere(0.5 * size), 0.5 * size, (speed, 60), false);
    }
}
