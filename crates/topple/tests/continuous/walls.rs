//! Nothing gets through a wall, however thin, at whatever speed and angle.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, Settings, World};

/// Bodies per wall: ten thousand and more in all.
const BODIES: usize = 800;
const STEPS: usize = 40;

/// Fastest bodies [m/s]: the speed of a rifle bullet, and of the settings' own limit.
const SPEEDS: [Real; 2] = [1.0, 1000.0];

/// A wall at a random place and angle, and `BODIES` bodies of all shapes on the side that its y axis points to, fast and
/// spinning, towards it. Returns the world, the wall's place and its direction.
pub(crate) fn shooting_range<D: Kit>(kind: usize, seed: u64) -> (World<D>, D::Vec, D::Vec) {
    let mut random = Random(seed);
    let (_, wall) = D::wall(kind);
    let mut world = World::<D>::with_settings(Settings { continuous: true, ..Settings::default() }).unwrap();
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

/// Bodies that hang on each other: chains thrown at a wall.
fn chains_do_not_pass<D: Kit>() {
    let mut random = Random(3);
    let mut world = weightless::<D>();
    let wall = BodyDef::fixed(D::Point::ORIGIN);
    world.create_body_with(wall, [topple::ShapeDef::new(D::wall(1).1)]).unwrap();
    for i in 0..60 {
        let speed = random.scale(5.0, 400.0);
        let mut last = None;
        for link in 0..4 {
            let place = D::Vec::axis(0) * (i as Real * 3.0 + link as Real * 0.3) + D::Vec::axis(1) * 2.0;
            let aside = random.direction::<D>(0.3);
            let mut def = thrown::<D>(place, (aside - D::Vec::axis(1)) * speed);
            def.is_bullet = i % 2 == 0;
            let body = world.create_body_with(def, only_walls(D::body(i % D::CONVEX, 0.2))).unwrap();
            if let Some(last) = last {
                let anchor = D::Point::from_vec(place - D::Vec::axis(0) * 0.15);
                let joint = topple::JointDef::<D>::ball(&world, last, body, anchor).unwrap();
                world.create_joint(joint).unwrap();
            }
            last = Some(body);
        }
    }
    for step in 0..60 {
        world.step();
        for id in world.body_ids().skip(1) {
            let height = world.body(id).unwrap().center().to_vec().get(1);
            assert!(height > 0.0, "{id:?} is at {height} m after step {step}");
        }
    }
}

#[test]
fn chains_do_not_pass_2d() {
    chains_do_not_pass::<D2>();
}
#[test]
fn chains_do_not_pass_3d() {
    chains_do_not_pass::<D3>();
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
