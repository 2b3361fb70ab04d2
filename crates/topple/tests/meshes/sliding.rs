//! Bodies that slide over a flat floor made of pieces do not notice the pieces.

use crate::support::{flat_chain, flat_field, flat_mesh};
use topple::math::*;
use topple::world::Methods;
use topple::{BodyDef, Settings, Shape2, Shape3, ShapeDef, World};

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
