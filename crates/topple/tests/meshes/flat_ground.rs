//! Solids of triangles on ground that is flat and open: its box has no height, so that what had sunk below it was not looked at any more. Half a ball
//! could be below a flat mesh without a contact, and the rest followed.

use crate::support::{Random, flat_field, flat_mesh, mesh};
use topple::math::*;
use topple::shape::d3::mesh::generate::{self, Surface};
use topple::{BodyDef3, Settings3, Shape3, World3};

/// Size of the ground [m].
const SIZE: Real = 20.0;
/// Speeds at which bodies fall [m/s].
const SPEEDS: [Real; 5] = [1.0, 3.0, 5.0, 8.0, 15.0];
/// Tilts of bodies [rad].
const TILTS: [Real; 4] = [0.0, 0.001, 0.02, 0.9];
/// How far the points of a contact may all be above the lowest point [m]: a slop; and rounding [m].
const SLOP: Real = 0.005;
const EXACT: Real = 1e-4;
/// Steps of a fall.
const STEPS: usize = 60;

/// Flat grounds at height 0 that enclose nothing.
fn grounds() -> Vec<(String, Shape3)> {
    let cells = [1_u32, 7, 20, 80]
        .map(|cells| (format!("mesh of {cells} x {cells} cells"), flat_mesh(cells, SIZE / cells as Real)));
    cells.into_iter().chain([("height field".to_owned(), flat_field(20, SIZE / 20.0))]).collect()
}

fn between(random: &mut Random, low: Real, high: Real) -> Real {
    low + (high - low) * random.next()
}

fn random_tilt(random: &mut Random, tilt: Real) -> Quat {
    let axis = Vec3::new(random.next() - 0.5, 0.0, random.next() - 0.5);
    Quat::from_axis_angle(axis.normalize_or(Vec3::X), tilt)
}

/// Drops bodies of the given shape, made for a radius, on all grounds. `low`: the least height of their middle at any time, as a share of the radius (no unit).
fn drop_all(name: &str, make: &dyn Fn(Real) -> Surface, low: Real) {
    let mut wrong = Vec::new();
    let mut trial = 0;
    for (ground_name, ground) in grounds() {
        for tilt in TILTS {
            for speed in SPEEDS {
                trial += 1;
                let mut random = Random(trial);
                let radius = between(&mut random, 0.1, 0.8);
                let body = mesh(&make(radius));
                let mut def = BodyDef3::dynamic([
                    between(&mut random, -2.0, 2.0),
                    1.5 * radius + between(&mut random, 0.0, 0.3),
                    between(&mut random, -2.0, 2.0),
                ]);
                def.rotation = random_tilt(&mut random, tilt);
                def.linear_velocity = Vec3::Y * -speed;
                let mut world = World3::new();
                // Whichever is there first.
                if trial % 2 == 0 {
                    world.create_body_with(BodyDef3::fixed([0.0; 3]), [ground.clone()]).unwrap();
                }
                let id = world.create_body_with(def, [body]).unwrap();
                if trial % 2 == 1 {
                    world.create_body_with(BodyDef3::fixed([0.0; 3]), [ground.clone()]).unwrap();
                }
                let mut lowest = Real::INFINITY;
                for _ in 0..STEPS {
                    world.step();
                    lowest = lowest.min(world.body(id).unwrap().position().y);
                }
                if lowest < low * radius {
                    wrong.push(format!(
                        "{ground_name}, tilt {tilt}, {speed} m/s, radius {radius}: down to {lowest}"
                    ));
                }
            }
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{name}: {count} of {trial} got too low [m]:\n{}", wrong.join("\n"));
}

#[test]
fn balls_of_triangles_do_not_fall_through_flat_open_ground() {
    for rounds in 1..4 {
        let name = format!("balls of {} triangles", 20 << (2 * rounds));
        drop_all(&name, &|radius| generate::icosphere(radius, rounds).unwrap(), 0.5);
    }
}

#[test]
fn rings_of_triangles_do_not_fall_through_flat_open_ground() {
    let ring = |radius| generate::torus(radius, 0.4 * radius, 16, 10).unwrap();
    drop_all("rings", &ring, 0.0);
}

#[test]
fn balls_of_triangles_deep_in_flat_open_ground_are_pushed_out() {
    for (name, ground) in grounds() {
        for rounds in 1..4 {
            let surface = generate::icosphere(0.5, rounds).unwrap();
            let ball = mesh(&surface);
            for tilt in TILTS {
                for share in [0.002, 0.02, 0.06, 0.11, 0.2, 0.3, 0.4, 0.5] {
                    let mut random = Random(rounds.into());
                    let rotation = random_tilt(&mut random, tilt);
                    let heights = surface.vertices.iter().map(|&vertex| (rotation * vertex).y);
                    let lowest = heights.fold(Real::INFINITY, Real::min);
                    let depth = 0.5 * share;
                    let mut settings = Settings3::default();
                    (settings.gravity, settings.dt) = (Vec3::ZERO, 1e-6);
                    let mut world = World3::with_settings(settings).unwrap();
                    world.create_body_with(BodyDef3::fixed([0.0; 3]), [ground.clone()]).unwrap();
                    let mut def = BodyDef3::dynamic([1.99, -lowest - depth, -0.889]);
                    def.rotation = rotation;
                    let id = world.create_body_with(def, [ball.clone()]).unwrap();
                    world.step();
                    let mut deepest = Real::INFINITY;
                    for contact in world.contacts_of(id).unwrap().filter(|contact| contact.is_touching()) {
                        let up = contact.normal().y;
                        let case = format!("{name}, {rounds} rounds, tilt {tilt}, {depth} m deep");
                        assert!(up > 0.999, "{case}: expected a push up, got {up}");
                        contact.points().for_each(|point| deepest = deepest.min(point.1));
                    }
                    let case = format!("{name}, {rounds} rounds, tilt {tilt}");
                    let error = deepest + depth;
                    let allowed = -EXACT..SLOP + EXACT;
                    assert!(allowed.contains(&error), "{case}: expected {depth} m deep, got {}", -deepest);
                }
            }
        }
    }
}
