//! Solids made of triangles, thrown on thin walls of every convex kind, one wall for each: none gets through.

use crate::support::{Random, box_surface, mesh};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef, BodyId, Filter, Settings, Shape3, ShapeDef, World};

/// Throws of each body on each wall.
const THROWS: usize = 30;
/// Three seconds: long enough for a body to land, to fall over and to be pushed through, if it ever is.
const STEPS: usize = 180;
/// Distance between two walls [m].
const APART: Real = 4.0;
/// Greatest speed downwards [m/s], speed in any direction [m/s] and spin [rad/s] of a throw.
const DOWN: Real = 5.0;
const ASIDE: Real = 0.3;
const SPIN: Real = 20.0;
/// How near the middle of a body may come to a wall, in inner radii (no unit). To get through it would have to be in the wall.
const NEAREST: Real = 0.2;
/// Most energy, as a share of that at the start (no unit).
const MOST_ENERGY: Real = 1.02;
/// Number of kinds that are flat; the others are rods.
const FLAT: usize = 14;

/// Kinds of walls: flat ones about y = 0, and rods along z.
fn walls() -> Vec<(&'static str, Shape3, Quat)> {
    let (wide, long) = (1.0, 1.6);
    let ring = |count: usize, radius: Real, y: Real| {
        (0..count).map(move |k| {
            let (sin, cos) = sin_cos(TAU * k as Real / count as Real);
            Vec3::new(radius * cos, y, radius * sin)
        })
    };
    let plate = |half: Real| -> Vec<Vec3> { ring(6, wide, half).chain(ring(6, wide, -half)).collect() };
    let lens = |half: Real| -> Vec<Vec3> {
        ring(7, wide, 0.0).chain([Vec3::new(0.1, half, 0.0), Vec3::new(-0.1, -half, 0.0)]).collect()
    };
    let bar: Vec<Vec3> = ring(5, 0.004, -long).chain(ring(5, 0.003, long)).collect();
    let (flat, lying) = (Quat::IDENTITY, Quat::from_rotation_x(FRAC_PI_2));
    vec![
        ("box of 1 mm", Shape3::cuboid(2.0 * wide, 0.001, 2.0 * wide), flat),
        ("rounded box of 4 mm", Shape3::rounded_cuboid(2.0 * wide, 0.004, 2.0 * wide, 0.001), flat),
        (
            "triangle",
            Shape3::triangle(
                ring(3, 2.0, 0.0).nth(2).unwrap(),
                ring(3, 2.0, 0.0).nth(1).unwrap(),
                ring(3, 2.0, 0.0).next().unwrap(),
            ),
            flat,
        ),
        ("disc of 10 mm", Shape3::cylinder(0.01, wide), flat),
        ("disc of 1 mm", Shape3::cylinder(0.001, wide), flat),
        ("disc of 0.1 mm", Shape3::cylinder(0.0001, wide), flat),
        ("rounded disc of 3 mm", Shape3::rounded_cylinder(0.003, wide, 0.001), flat),
        ("hexagon of 10 mm", Shape3::hull(&plate(0.005)).unwrap(), flat),
        ("hexagon of 1 mm", Shape3::hull(&plate(0.0005)).unwrap(), flat),
        ("rounded hexagon of 3 mm", Shape3::rounded_hull(&plate(0.0005), 0.001).unwrap(), flat),
        ("lens of 6 mm", Shape3::hull(&lens(0.003)).unwrap(), flat),
        ("cone of 4 mm", Shape3::cone(0.004, wide), flat),
        ("cone of 4 mm upside down", Shape3::cone(0.004, wide), Quat::from_rotation_x(PI)),
        ("rounded cone of 4 mm", Shape3::rounded_cone(0.002, wide, 0.001), flat),
        ("capsule of 4 mm", Shape3::capsule_y(2.0 * long, 0.002), lying),
        ("cylinder of 6 mm", Shape3::cylinder(2.0 * long, 0.003), lying),
        ("needle of 6 mm", Shape3::cone(2.0 * long, 0.003), lying),
        ("bar of 8 mm", Shape3::hull(&bar).unwrap(), lying),
        ("beam of 4 mm", Shape3::cuboid(0.004, 2.0 * long, 0.004), lying),
    ]
}

/// Bodies of triangles about the origin, with inner radius [m].
fn bodies() -> Vec<(&'static str, Shape3, Real)> {
    let plate = |thickness: Real| mesh(&box_surface(Vec3::new(0.3, thickness, 0.2), Vec3::ZERO));
    let corners = [[1.0; 3], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];
    let tetrahedron = generate::Surface {
        vertices: corners.map(|v| Vec3::from_array(v) * 0.08).into(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    vec![
        ("plate of 5 mm", plate(0.005), 0.0025),
        ("plate of 2 cm", plate(0.02), 0.01),
        ("block", plate(0.15), 0.075),
        ("ball", mesh(&generate::icosphere(0.1, 1).unwrap()), 0.08),
        ("tetrahedron", mesh(&tetrahedron), 0.08 / 1.732),
    ]
}

/// Bodies that came too near to a wall, or ever had more energy than they were thrown with: name of the pair, throw, and how near [inner radii].
fn failures(walls: impl Iterator<Item = (&'static str, Shape3, Quat)>) -> Vec<String> {
    let mut failed = Vec::new();
    for (wall_name, wall, turn) in walls {
        for (name, shape, inner) in bodies() {
            let thrown = throw(&wall, turn, &shape, inner);
            for (i, (nearest, energy)) in thrown.into_iter().enumerate() {
                if nearest < NEAREST || energy > MOST_ENERGY {
                    failed.push(format!(
                        "{name} {i} on {wall_name}: {nearest} of {NEAREST} inner radii, {energy} of {MOST_ENERGY} times its energy"
                    ));
                }
            }
        }
    }
    failed
}

/// Throws a body on many walls of its own. How near the middle of each comes to its wall, in inner radii (no unit), and the most energy that it has, as a share of
/// what it was thrown with (no unit).
fn throw(wall: &Shape3, turn: Quat, shape: &Shape3, inner: Real) -> Vec<(Real, Real)> {
    let mut random = Random(0x5EED_0003);
    let settings = Settings { sleeping: false, ..Settings::default() };
    let mut world = World::<D3>::with_settings(settings).unwrap();
    let only = |shape: &Shape3, category, mask| {
        let mut def = ShapeDef::<D3>::new(shape.clone());
        def.filter = Filter { category, mask, ..Filter::default() };
        def
    };
    let ids: Vec<(BodyId, Pose<D3>)> = (0..THROWS)
        .map(|i| {
            let place = Vec3::new((i % 10) as Real * APART, 0.0, (i / 10) as Real * APART);
            let def = BodyDef { rotation: turn, ..BodyDef::<D3>::fixed(place) };
            world.create_body_with(def, [only(wall, 1, 2)]).unwrap();
            let mut def = BodyDef::<D3>::dynamic(place + Vec3::Y);
            let aside = random.vector::<D3>(2.0).normalize_or(Vec3::X) * ASIDE;
            def.linear_velocity = aside - Vec3::Y * (DOWN * random.next());
            def.rotation = random.pose::<D3>(0.0).rotation;
            def.angular_velocity = random.vector::<D3>(2.0).normalize_or(Vec3::X) * (SPIN * random.next());
            let id = world.create_body_with(def, [only(shape, 2, 1)]).unwrap();
            (id, Pose { position: place.into(), rotation: turn })
        })
        .collect();
    let energy = |world: &World<D3>, id: BodyId| {
        let view = world.body(id).unwrap();
        view.kinetic_energy() + 9.81 * view.mass() * view.position().y
    };
    let start: Vec<Real> = ids.iter().map(|(id, _)| energy(&world, *id)).collect();
    let mut out = vec![(Real::INFINITY, 0.0); THROWS];
    for _ in 0..STEPS {
        world.step();
        for (i, (id, pose)) in ids.iter().enumerate() {
            let at = Pose::at(world.body(*id).unwrap().position());
            let point = Shape3::sphere(0.0);
            let closest = topple::distance::closest_points::<D3>(&point, &at, wall, pose).unwrap();
            out[i].0 = closest.distance.min(out[i].0 * inner) / inner;
            out[i].1 = (energy(&world, *id) / start[i]).max(out[i].1);
        }
    }
    out
}

/// Each half of the kinds is a test of its own, to run side by side.
#[test]
fn solids_do_not_get_through_thin_plates_of_any_kind() {
    let failed = failures(walls().into_iter().take(FLAT));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
#[test]
fn solids_do_not_get_through_thin_rods_of_any_kind() {
    let failed = failures(walls().into_iter().skip(FLAT));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
