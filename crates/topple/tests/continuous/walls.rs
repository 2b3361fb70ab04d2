//! Nothing gets through a wall, however thin, at whatever speed and angle.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, World};

/// Bodies per wall.
const BODIES: usize = 1000;
const STEPS: usize = 40;

/// Fastest bodies [m/s]: the speed of a rifle bullet, and of the settings' own limit.
const SPEEDS: [Real; 2] = [1.0, 1000.0];

/// A wall at a random place and angle, and `BODIES` bodies of all shapes on the side that its y axis points to, fast and
/// spinning, towards it. Returns the world, the wall's place and its direction.
pub fn shooting_range<D: Kit>(kind: usize, seed: u64) -> (World<D>, D::Vec, D::Vec) {
    let mut random = Random(seed);
    let (_, wall) = D::wall(kind);
    let mut world = World::<D>::new();
    let facing = D::facing(random.range(-3.0, 3.0));
    let (place, normal) = (random.direction::<D>(20.0), facing.rotate(D::Vec::axis(1)));
    let pose = Pose::<D> { position: D::Point::from_vec(place), rotation: facing };
    let def = BodyDef { rotation: pose.rotation, ..BodyDef::fixed(pose.position) };
    world.create_body_with(def, [topple::ShapeDef::new(wall)]).unwrap();
    for i in 0..BODIES {
        let size = random.scale(0.02, 1.5);
        let mut aside = random.direction::<D>(random_length(i));
        aside = aside - normal * aside.dot(normal);
        let height = size + random.range(0.0, 8.0);
        let speed = random.scale(SPEEDS[0], SPEEDS[1]);
        // From head-on to two degrees from parallel.
        let mut along = random.direction::<D>(1.0);
        along = (along - normal * along.dot(normal)).normalize_or(D::Vec::axis(0));
        let down = random.range(0.03, 1.0);
        let velocity = (along * (1.0 - down * down).sqrt() - normal * down) * speed;
        let mut def = thrown::<D>(place + normal * height + aside, velocity);
        def.rotation = D::Rot::from_ang(random.turn::<D>(3.0));
        def.angular_velocity = random.turn::<D>(1.0) * random.range(0.0, 40.0);
        def.is_bullet = i % 7 == 0;
        let shapes = D::body(i % D::BODIES, size);
        world.create_body_with(def, only_walls(shapes)).unwrap();
    }
    (world, place, normal)
}

/// How far to the side the body with this number begins [m].
fn random_length(i: usize) -> Real {
    (i % 50) as Real
}

fn nothing_passes_walls<D: Kit>() {
    let mut stopped = 0;
    for kind in 0..D::WALLS {
        let name = D::wall(kind).0;
        let (mut world, place, normal) = shooting_range::<D>(kind, 77 + kind as u64);
        for step in 0..STEPS {
            world.step();
            stopped += world.profile().counters.stopped;
            for id in world.body_ids().skip(1).collect::<Vec<_>>() {
                let body = world.body(id).unwrap();
                let height = (body.center().to_vec() - place).dot(normal);
                assert!(
                    height > 0.0,
                    "{name}: {id:?} is {height} m behind after step {step}: {:?}",
                    body.pose()
                );
            }
        }
        assert!(world.events().fault.is_empty());
    }
    let bodies = (D::WALLS * BODIES) as u32;
    assert!(stopped > bodies / 4, "{stopped} stops of {bodies} bodies: the range shoots past the walls");
}

#[test]
fn nothing_passes_walls_2d() {
    nothing_passes_walls::<D2>();
}
#[test]
fn nothing_passes_walls_3d() {
    nothing_passes_walls::<D3>();
}

/// The same without continuous collision, to see that the test can fail.
fn without_it_they_pass<D: Kit>() {
    let (mut world, place, normal) = shooting_range::<D>(D::WALLS - 1, 5);
    let mut settings = world.settings().clone();
    settings.continuous = false;
    world.set_settings(settings).unwrap();
    for _ in 0..STEPS {
        world.step();
    }
    let behind = |id| (world.body(id).unwrap().center().to_vec() - place).dot(normal) < 0.0;
    let passed = world.body_ids().skip(1).filter(|&id| behind(id)).count();
    assert!(passed > BODIES / 4, "{passed}");
}

#[test]
fn without_it_they_pass_2d() {
    without_it_they_pass::<D2>();
}
#[test]
fn without_it_they_pass_3d() {
    without_it_they_pass::<D3>();
}
