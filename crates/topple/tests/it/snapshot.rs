//! The whole state as bytes. Whatever is wrong with the bytes, restore says so and never panics.

use crate::support::*;
use topple::math::*;
use topple::store::StateHasher;
use topple::{BodyDef, Drag, Error, Filter, Locks, Mass, Material, Mixing, ShapeDef, World};

/// A small world in which every optional part of a snapshot is present.
fn varied<D: TestDim>() -> World<D> {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.substeps = 3);
    add_floor(&mut world, 0.5);
    let named = BodyDef {
        name: "first".into(),
        user_data: 42,
        gravity_scale: 0.5,
        drag: Drag { linear: 0.1, quadratic: 0.2, angular_linear: 0.3, angular_quadratic: 0.4 },
        locks: Locks { translation: [false; 3], rotation: [true; 3] },
        sleep_speed: Some(0.02),
        is_bullet: true,
        ..BodyDef::dynamic(D::point(0.0, 0.5))
    };
    let material = Material {
        restitution: 0.2,
        surface_velocity: D::vec(0.1, 0.0),
        friction_mixing: Some(Mixing::Min),
        ..Material::default()
    };
    let shape = ShapeDef {
        material,
        filter: Filter { category: 2, mask: !4, group: 3 },
        hit_events: true,
        persist_events: true,
        user_data: 9,
        ..ShapeDef::new(D::cube(1.0))
    };
    world
        .create_body_with(
            named,
            [shape.clone(), ShapeDef::new(D::ball(0.6)).at(Pose::at(D::point(0.2, 0.1)))],
        )
        .unwrap();
    let mut mass = ShapeDef::<D>::new(D::cube(1.0));
    mass.density = 2.0;
    let heavy = add_shaped(&mut world, 0.3, 1.6, mass);
    let own = Mass { mass: 3.0, ..world.body(heavy).unwrap().mass_properties() };
    world.body_mut(heavy).unwrap().set_mass(Some(own)).unwrap();
    let sensor = ShapeDef { is_sensor: true, ..ShapeDef::new(D::ball(2.0)) };
    world.create_body_with(BodyDef::fixed(D::point(0.0, 1.0)), [sensor]).unwrap();
    let gone = add_body(&mut world, 4.0, 0.5, D::capsule(0.5, 0.2));
    let def = BodyDef { linear_velocity: D::vec(0.2, 0.0), ..BodyDef::kinematic(D::point(-3.0, 0.5)) };
    world.create_body_with(def, [shape]).unwrap();
    let off = BodyDef { is_enabled: false, ..BodyDef::dynamic(D::point(0.0, 9.0)) };
    world.create_body_with(off, [ShapeDef::new(D::ball(0.5))]).unwrap();
    for _ in 0..20 {
        world.step();
    }
    // Touches that end between two steps wait as events.
    world.remove_body(gone).unwrap();
    world.body_mut(heavy).unwrap().apply_force(D::vec(1.0, 0.0)).unwrap();
    world
}

fn everything_comes_back<D: TestDim>() {
    let mut world = varied::<D>();
    let bytes = world.snapshot();
    let mut copy = World::<D>::restore(&bytes).unwrap();
    assert_eq!(copy.snapshot(), bytes, "what was restored is saved as the same bytes");
    assert_eq!(copy.settings(), world.settings());
    let first = copy.find_body("first").unwrap();
    let [a, b] = [&world, &copy].map(|w| {
        let body = w.body(first).unwrap();
        (
            body.user_data(),
            body.locks(),
            body.drag(),
            body.gravity_scale(),
            body.is_bullet(),
            body.mass_properties(),
        )
    });
    assert_eq!(a, b);
    for (id, other) in world.shape_ids().zip(copy.shape_ids()) {
        let (x, y) = (world.shape(id).unwrap(), copy.shape(other).unwrap());
        assert_eq!(
            (id, x.material(), x.filter(), x.geometry()),
            (other, y.material(), y.filter(), y.geometry())
        );
        assert_eq!((x.local(), x.density(), x.is_sensor()), (y.local(), y.density(), y.is_sensor()));
    }
    for step in 0..120 {
        world.step();
        copy.step();
        assert_eq!(world.state_hash(), copy.state_hash(), "step {step}");
        assert_eq!(world.events(), copy.events(), "step {step}");
    }
}

#[test]
fn everything_comes_back_2d() {
    everything_comes_back::<D2>();
}
#[test]
fn everything_comes_back_3d() {
    everything_comes_back::<D3>();
}

fn refusal<D: Dim>(bytes: &[u8]) -> String {
    match World::<D>::restore(bytes) {
        Ok(_) => panic!("damaged bytes were taken"),
        Err(Error::Snapshot { reason }) => reason,
        Err(other) => panic!("not a snapshot error: {other}"),
    }
}

/// Cut off anywhere, one byte changed anywhere, the other dimension, another version, not a snapshot at all.
fn damage_is_refused<D: TestDim>() {
    let bytes = varied::<D>().snapshot();
    for length in 0..bytes.len() {
        refusal::<D>(&bytes[..length]);
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            refusal::<D>(&damaged);
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(refusal::<D>(&longer).contains("checksum"));
    assert!(refusal::<D>(b"hello").contains("not a topple snapshot"));
    assert!(refusal::<D>(b"").contains("not a topple snapshot"));
    let mut newer = bytes.clone();
    newer[8] = 77;
    assert!(refusal::<D>(&newer).contains("version 77"), "{}", refusal::<D>(&newer));
    let other = if D::N == 2 { refusal::<D3>(&bytes) } else { refusal::<D2>(&bytes) };
    assert!(other.contains("2D") && other.contains("3D"), "{other}");
}

#[test]
fn damage_is_refused_2d() {
    damage_is_refused::<D2>();
}
#[test]
fn damage_is_refused_3d() {
    damage_is_refused::<D3>();
}

/// Puts the right checksum under changed bytes.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let content = bytes.len() - 8;
    let mut hasher = StateHasher::default();
    hasher.bytes(&bytes[..content]);
    bytes[content..].copy_from_slice(&hasher.finish().to_le_bytes());
    bytes
}

/// Bytes that were changed by somebody who knows the checksum are either refused or give a world that steps: no byte is
/// trusted as an index, a length or a link.
fn nothing_is_trusted<D: TestDim>() {
    let bytes = varied::<D>().snapshot();
    let (mut taken, mut refused) = (0, 0);
    for at in 11..bytes.len() - 8 {
        for change in [1_u8, 0x40, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            match World::<D>::restore(&resealed(damaged)) {
                Ok(mut world) => {
                    taken += 1;
                    for _ in 0..2 {
                        world.step();
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
    for length in 11..bytes.len() - 8 {
        let mut cut = bytes[..length].to_vec();
        cut.extend([0; 8]);
        assert!(World::<D>::restore(&resealed(cut)).is_err(), "cut at {length}");
    }
}

#[test]
fn nothing_is_trusted_2d() {
    nothing_is_trusted::<D2>();
}
#[test]
fn nothing_is_trusted_3d() {
    nothing_is_trusted::<D3>();
}

/// A method the library does not know is named in the snapshot; the default takes its place until the caller puts it in.
#[test]
fn unknown_methods_leave_the_default() {
    use topple::broad_phase::{BroadPhase, PairKey, Proxies};
    use topple::exec::Executor;
    struct Mine;
    impl<D: Dim> BroadPhase<D> for Mine {
        fn name(&self) -> &'static str {
            "mine"
        }
        fn attach(&mut self, _: &Proxies<D>) {}
        fn insert(&mut self, _: &Proxies<D>, _: u32) {}
        fn remove(&mut self, _: &Proxies<D>, _: u32) {}
        fn update(&mut self, _: &Proxies<D>, _: &[u32], _: &dyn Executor) {}
        fn find_pairs(&mut self, proxies: &Proxies<D>, _: &[u32], _: &dyn Executor, out: &mut Vec<PairKey>) {
            let count = proxies.slots().len() as u32;
            for a in 0..count {
                out.extend(
                    (a + 1..count).filter(|&b| proxies.is_pair(a, b)).map(|b| Proxies::<D>::key(a, b)),
                );
            }
        }
    }
    let mut world = World::<D2>::new();
    world.set_broad_phase(Mine);
    heap(&mut world, 3);
    (0..30).for_each(|_| world.step());
    let mut copy = World::<D2>::restore(&world.snapshot()).unwrap();
    assert_eq!(
        (world.methods().broad_phase(), copy.methods().broad_phase()),
        ("mine", methods::<D2>("broad phase")[0])
    );
    for _ in 0..60 {
        world.step();
        copy.step();
    }
    assert_eq!(world.state_hash(), copy.state_hash());
}

/// What carries something along goes on as before even if it is woken in the middle of a step, before anybody has looked at it
/// again: the state alone says how.
fn woken_belts_go_on<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let material = Material { surface_velocity: D::vec(2.0, 0.0), ..Material::default() };
    let belt = ShapeDef { material, ..ShapeDef::new(D::cube(1.0)) };
    let locks = Locks { translation: [true, false, true], rotation: [true; 3] };
    let def = BodyDef { locks, ..BodyDef::dynamic(D::point(0.0, 0.5)) };
    world.create_body_with(def, [belt]).unwrap();
    run(&mut world, 2.0);
    assert_eq!(world.awake_count(), 0, "the belt sleeps");
    add_body(&mut world, 0.1, 4.0, D::ball(0.3));
    let mut was_woken = false;
    for step in 0..120 {
        let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
        world.step();
        copy.step();
        assert_eq!(world.state_hash(), copy.state_hash(), "step {step}");
        was_woken |= world.awake_count() == 2;
    }
    assert!(was_woken, "the ball wakes the belt");
}

#[test]
fn woken_belts_go_on_2d() {
    woken_belts_go_on::<D2>();
}
#[test]
fn woken_belts_go_on_3d() {
    woken_belts_go_on::<D3>();
}

/// At most 100 bytes per body, and per pair that touches 120 (in the plane) or 280 (in space), beside what an empty world takes. Manifolds
/// are full: two points in the plane, four in space; half of the bodies are turned, and what is at the bottom bears a settled load.
fn takes_few_bytes<D: TestDim>(per_manifold: usize, points: u32) {
    const COLUMNS: usize = 300;
    const HIGH: usize = 6;
    let empty = World::<D>::new().snapshot().len();
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let floor = [ShapeDef::new(D::block(2000.0, 2.0))];
    world.create_body_with(BodyDef::fixed(D::point(900.0, -1.0)), floor).unwrap();
    for i in 0..COLUMNS * HIGH {
        let turned = BodyDef {
            rotation: D::turn(if i % 2 == 0 { 0.0 } else { core::f32::consts::FRAC_PI_2 }),
            ..BodyDef::dynamic(D::point(3.0 * (i % COLUMNS) as Real, 1.0 + 1.5 * (i / COLUMNS) as Real))
        };
        world.create_body_with(turned, [ShapeDef::new(D::cube(1.0))]).unwrap();
    }
    let count = |world: &World<D>| {
        let counters = world.profile().counters;
        (counters.bodies as usize, counters.contacts as usize, counters.points)
    };
    world.step();
    let flying = world.snapshot().len() - empty;
    let (bodies, manifolds, _) = count(&world);
    println!("in flight {:.1} bytes per body", flying as f64 / bodies as f64);
    assert_eq!((manifolds, world.profile().counters.pairs), (0, 0));
    assert!(flying <= 100 * bodies, "{flying} bytes for {bodies} bodies in flight");
    (0..90).for_each(|_| world.step());
    let (bodies, manifolds, found) = count(&world);
    assert_eq!((manifolds, found), (COLUMNS * HIGH, points * manifolds as u32));
    let all = world.snapshot().len() - empty;
    let rest = (all as f64 - flying as f64) / manifolds as f64;
    println!("per manifold {rest:.1} bytes more");
    let allowed = 100 * bodies + per_manifold * manifolds;
    assert!(all <= allowed, "{all} bytes for {bodies} bodies and {manifolds} manifolds, {allowed} allowed");
}

#[test]
fn takes_few_bytes_2d() {
    takes_few_bytes::<D2>(120, 2);
}
#[test]
fn takes_few_bytes_3d() {
    takes_few_bytes::<D3>(280, 4);
}

/// A shape with a thousand triangles, or segments, on a hundred bodies adds a few bytes per body and its geometry once.
#[test]
fn geometry_is_written_once() {
    let size = |bodies: usize| {
        let mut world = World::<D2>::new();
        let points: Vec<Vec2> = (0..1000).map(|i| Vec2::new(i as Real, (i % 7) as Real)).collect();
        let chain = topple::Shape2::chain(&points).unwrap();
        for i in 0..bodies {
            let at = D2::point(0.0, 20.0 * i as Real);
            world.create_body_with(BodyDef::fixed(at), [ShapeDef::new(chain.clone())]).unwrap();
        }
        world.snapshot().len()
    };
    let (one, many) = (size(1), size(101));
    assert!(one > 8000, "the points are there: {one} bytes");
    assert!(many - one < 100 * 200, "{} bytes for a hundred more bodies", many - one);
}
