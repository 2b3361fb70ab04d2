//! What becomes of the energy of elastic bodies on joints that fly, fall and bounce: change in ten seconds, the largest on the way, and in which steps it was lost or gained.
//! `cargo run --release --example elastic_joints -- [part of a name] [seeds] [substeps]`.

use topple::joint::{Ball, Hinge, JointDim, Limits};
use topple::math::*;
use topple::{
    BodyDef, BodyId, D2, D3, Dim, JointDef, JointKind, Pose, Settings, Shape2, Shape3, ShapeDef, World,
};

/// Gravity where there is any [m/s²].
const GRAVITY: f32 = 9.8;

trait Shapes: Dim + JointDim {
    fn ball(radius: f32) -> Self::Shape;
    fn block(width: f32, height: f32) -> Self::Shape;
}

impl Shapes for D2 {
    fn ball(radius: f32) -> Shape2 {
        Shape2::circle(radius)
    }
    fn block(width: f32, height: f32) -> Shape2 {
        Shape2::rectangle(width, height)
    }
}

impl Shapes for D3 {
    fn ball(radius: f32) -> Shape3 {
        Shape3::sphere(radius)
    }
    fn block(width: f32, height: f32) -> Shape3 {
        Shape3::cuboid(width, height, height)
    }
}

/// Pseudo-random numbers, the same everywhere.
struct Random(u64);

impl Random {
    /// In [low, high).
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 40) as f32 / (1_u64 << 24) as f32)
    }

    fn vec<D: Dim>(&mut self, most: f32) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, self.between(-most, most)));
        v
    }

    fn ang<D: Dim>(&mut self, most: f32) -> D::Ang {
        let mut v = D::Ang::ZERO;
        (0..D::ANGULAR).for_each(|i| v.set(i, self.between(-most, most)));
        v
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Thing {
    /// Two balls on a ball joint between them.
    Pair,
    /// Three rods on ball joints.
    Rods,
    /// The same on hinges with limits.
    Hinged,
    /// A cube with a limb: a hinge with limits in the plane, a ball joint with a cone in space.
    Limb,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Falls from 2 m.
    Floor,
    /// Four in a closed room without gravity.
    Room,
    /// One alone in the room.
    Cell,
    /// Nothing anywhere.
    Free,
}

fn elastic<D: Dim>(shape: D::Shape) -> ShapeDef<D> {
    ShapeDef::new(shape).restitution(1.0).friction(0.0)
}

/// Adds a thing with its middle at `at`, all of it turned by `turn`.
fn add<D: Shapes>(world: &mut World<D>, thing: Thing, at: D::Vec, turn: D::Rot, out: &mut Vec<BodyId>) {
    let from = out.len();
    let place = |x: f32| D::Point::from_vec(at + turn.rotate(D::Vec::axis(0) * x));
    let mut body = |x: f32, shape: D::Shape| {
        let mut def = BodyDef::dynamic(place(x));
        def.rotation = turn;
        out.push(world.create_body_with(def, [elastic::<D>(shape)]).unwrap());
    };
    let joints: &[f32] = match thing {
        Thing::Pair => {
            body(-0.16, D::ball(0.15));
            body(0.16, D::ball(0.15));
            &[0.0]
        }
        Thing::Rods | Thing::Hinged => {
            [-0.45, 0.0, 0.45].into_iter().for_each(|x| body(x, D::block(0.4, 0.1)));
            &[-0.225, 0.225]
        }
        Thing::Limb => {
            body(-0.2, D::block(0.4, 0.4));
            body(0.2, D::block(0.35, 0.1));
            &[0.02]
        }
    };
    for (i, &x) in joints.iter().enumerate() {
        let hinge = |width: f32| Hinge { limits: Some(Limits::new(-width, width)), ..Hinge::default() };
        let kind = match thing {
            Thing::Pair | Thing::Rods => JointKind::Ball(Ball::default()),
            Thing::Hinged => JointKind::Hinge(hinge(0.8)),
            Thing::Limb if D::N == 2 => JointKind::Hinge(hinge(0.8)),
            Thing::Limb => JointKind::Ball(Ball { cone: Some(0.8), twist: Some(Limits::new(-0.5, 0.5)) }),
        };
        let about_z = thing == Thing::Hinged && D::N == 3;
        let frame = if about_z { D::frame_along(D::Vec::axis(D::N - 1)) } else { D::Rot::IDENTITY };
        let frame = Pose { position: place(x), rotation: turn.then_after(frame) };
        let def = JointDef::at(world, out[from + i], out[from + i + 1], kind, frame).unwrap();
        world.create_joint(def).unwrap();
    }
}

fn energy<D: Dim>(world: &World<D>, bodies: &[BodyId]) -> f64 {
    let down = f64::from(-world.settings().gravity.get(1));
    let of = |&body: &BodyId| {
        let body = world.body(body).unwrap();
        let height = f64::from(body.center().to_vec().get(1));
        f64::from(body.kinetic_energy()) + down * f64::from(body.mass()) * height
    };
    bodies.iter().map(of).sum()
}

#[derive(Default)]
struct Ledger {
    /// Last and largest energy, shares of the first.
    end: f64,
    most: f64,
    /// Change in steps in flight, with contacts, with bodies that continuous collision stops.
    flight: f64,
    touch: f64,
    stop: f64,
}

fn run<D: Shapes>(thing: Thing, place: Place, speed: f32, seed: u64, substeps: u32) -> Ledger {
    let mut random = Random(seed * 7919 + 13);
    random.between(0.0, 1.0);
    let mut gravity = D::Vec::ZERO;
    gravity.set(1, if place == Place::Floor { -GRAVITY } else { 0.0 });
    let settings = Settings { sleeping: false, gravity, substeps, ..Settings::default() };
    let mut world = World::<D>::with_settings(settings).unwrap();
    let mut bodies = Vec::new();
    if place != Place::Free {
        let half = 2.0;
        for side in 0..2 * D::N {
            if place == Place::Floor && side != 2 {
                continue;
            }
            let mut at = D::Vec::ZERO;
            at.set(side / 2, if side % 2 == 0 { -half - 10.0 } else { half + 10.0 });
            let wall = elastic::<D>(D::block(if place == Place::Floor { 400.0 } else { 20.0 }, 20.0));
            world.create_body_with(BodyDef::fixed(D::Point::from_vec(at)), [wall]).unwrap();
        }
    }
    let (count, spread) = match place {
        Place::Room => (4, 1.0),
        _ => (1, 0.0),
    };
    for i in 0..count {
        let mut at = D::Vec::ZERO;
        at.set(0, spread * ((i % 2) as f32 * 2.0 - 1.0));
        at.set(1, spread * ((i / 2) as f32 * 2.0 - 1.0));
        let turn = D::Rot::from_ang(random.ang::<D>(2.0));
        let from = bodies.len();
        add(&mut world, thing, at, turn, &mut bodies);
        let v = match place {
            Place::Floor => D::Vec::ZERO,
            _ => random.vec::<D>(1.0).normalize_or(D::Vec::axis(0)) * speed,
        };
        // Free things turn all in one piece; the last body besides.
        let spin = if place == Place::Free { random.ang::<D>(1.0) * (speed / 0.3) } else { D::Ang::ZERO };
        for &body in &bodies[from..] {
            let lever = world.body(body).unwrap().center().to_vec() - at;
            let mut body = world.body_mut(body).unwrap();
            body.set_linear_velocity(v + D::cross_ang(spin, lever)).unwrap();
            body.set_angular_velocity(spin).unwrap();
        }
    }
    let floor = if place == Place::Floor {
        // Height above where it would lie.
        GRAVITY * 2.0 * bodies.iter().map(|&body| world.body(body).unwrap().mass()).sum::<f32>()
    } else {
        0.0
    };
    let first = energy(&world, &bodies) + f64::from(floor);
    let (mut ledger, mut last) = (Ledger::default(), 1.0);
    for _ in 0..600 {
        world.step();
        let now = (energy(&world, &bodies) + f64::from(floor)) / first;
        let counters = world.profile().counters;
        let change = now - last;
        if counters.stopped > 0 {
            ledger.stop += change;
        } else if counters.contacts > 0 {
            ledger.touch += change;
        } else {
            ledger.flight += change;
        }
        last = now;
        ledger.most = ledger.most.max(now - 1.0);
    }
    ledger.end = last - 1.0;
    ledger
}

fn measure<D: Shapes>(filter: &str, seeds: u64, substeps: u32) {
    for thing in [Thing::Pair, Thing::Rods, Thing::Hinged, Thing::Limb] {
        for (place, speed) in [
            (Place::Floor, 0.0),
            (Place::Room, 0.5),
            (Place::Room, 2.0),
            (Place::Room, 10.0),
            (Place::Cell, 0.5),
            (Place::Cell, 2.0),
            (Place::Cell, 10.0),
            (Place::Free, 0.5),
            (Place::Free, 2.0),
            (Place::Free, 10.0),
        ] {
            let name = format!("{thing:?}-{place:?}-{speed}-{}D", D::N);
            if !name.contains(filter) {
                continue;
            }
            let all: Vec<Ledger> =
                (0..seeds).map(|seed| run::<D>(thing, place, speed, seed, substeps)).collect();
            let mean = |of: fn(&Ledger) -> f64| 100.0 * all.iter().map(of).sum::<f64>() / seeds as f64;
            let least = 100.0 * all.iter().map(|l| l.end).fold(f64::MAX, f64::min);
            let end = 100.0 * all.iter().map(|l| l.end).fold(f64::MIN, f64::max);
            let most = 100.0 * all.iter().map(|l| l.most).fold(0.0, f64::max);
            println!(
                "{name:22} end {least:+8.2} .. {end:+8.2} %  most {most:+9.2} %  mean: flight {:+8.2} touch {:+8.2} stop {:+8.2} %",
                mean(|l| l.flight),
                mean(|l| l.touch),
                mean(|l| l.stop)
            );
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let filter = args.next().unwrap_or_default();
    let seeds = args.next().and_then(|s| s.parse().ok()).unwrap_or(6);
    let substeps = args.next().and_then(|s| s.parse().ok()).unwrap_or(Settings::<D2>::default().substeps);
    measure::<D2>(&filter, seeds, substeps);
    measure::<D3>(&filter, seeds, substeps);
}
