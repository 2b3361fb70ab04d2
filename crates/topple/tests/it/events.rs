//! What a step reports, and the functions of the user that it calls.

use crate::support::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use topple::exec::Pool;
use topple::math::*;
use topple::{BodyDef, BodyId, ShapeDef, ShapeId, World};

fn shape_of<D: Dim>(world: &World<D>, body: BodyId) -> ShapeId {
    world.body(body).unwrap().shapes().next().unwrap()
}

/// A ball that falls on the floor, bounces once and is taken away: begin, hit, persist, end, in the right steps.
fn story_of_a_contact<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let floor = add_floor(&mut world, 0.5);
        let shape = ShapeDef { persist_events: true, hit_events: true, ..ShapeDef::new(D::cube(1.0)) };
        let cube = add_shaped(&mut world, 0.0, 1.5, shape);
        let shapes = [shape_of(&world, floor), shape_of(&world, cube)];
        let mut touching = false;
        let (mut begins, mut persists, mut hits) = (0, 0, 0);
        for step in 0..60 {
            world.step();
            let events = world.events();
            assert!(
                events.end.is_empty() && events.sensor_begin.is_empty() && events.fault.is_empty(),
                "{solver}"
            );
            for event in &events.begin {
                assert!(!touching, "{solver}: began twice");
                assert_eq!((event.shapes, event.bodies), (shapes, [floor, cube]), "{solver}");
                assert!(world.contact(event.contact).unwrap().is_touching());
                begins += 1;
            }
            for event in &events.persist {
                assert!(touching, "{solver}: goes on before it began, step {step}");
                assert_eq!(event.shapes, shapes);
                persists += 1;
            }
            for hit in &events.hit {
                assert_eq!((hit.shapes, hit.bodies), (shapes, [floor, cube]));
                assert_near(format!("{solver}: normal"), hit.normal, D::vec(0.0, 1.0), 1e-3, "");
                // √(2·g·h) for a fall of 1 m.
                assert_close(format!("{solver}: speed of the hit"), hit.speed, 4.427, 0.2, "m/s");
                // All of m·v, and the weight of a step at most.
                let momentum = world.body(cube).unwrap().mass() * 4.427;
                assert_close(
                    format!("{solver}: impulse of the hit"),
                    hit.impulse,
                    momentum,
                    0.08 * momentum,
                    "N·s",
                );
                assert!(
                    hit.point.to_vec().get(1).abs() < 0.1 && hit.point.to_vec().get(0).abs() < 0.6,
                    "{hit:?}"
                );
                hits += 1;
            }
            touching = touching || !events.begin.is_empty();
        }
        assert_eq!((begins, hits), (1, 1), "{solver}");
        assert!(persists > 10, "{solver}: {persists}");
        // Taken away between steps: the end is told by the next step, with the ids that are stale by then.
        let contact = world.contacts().next().unwrap().id();
        world.remove_body(cube).unwrap();
        assert!(world.contact(contact).is_err());
        world.step();
        let end = world.events().end.clone();
        assert_eq!(end.len(), 1, "{solver}");
        assert_eq!((end[0].contact, end[0].shapes, end[0].bodies), (contact, shapes, [floor, cube]));
        assert!(world.shape(shapes[1]).is_err(), "the end event names a removed shape");
        world.step();
        assert!(world.events().is_empty(), "{solver}: events live for one step");
    }
}

#[test]
fn story_of_a_contact_2d() {
    story_of_a_contact::<D2>();
}
#[test]
fn story_of_a_contact_3d() {
    story_of_a_contact::<D3>();
}

/// A body that flies away ends its contact by itself; one that is disabled, or forbidden to collide, too.
fn ends<D: TestDim>() {
    type Act<D> = fn(&mut World<D>, BodyId);
    let cases: [(&str, Act<D>); 4] = [
        ("thrown up", |w, b| w.body_mut(b).unwrap().set_linear_velocity(D::vec(0.0, 8.0)).unwrap()),
        ("moved", |w, b| w.body_mut(b).unwrap().set_position(D::point(0.0, 9.0)).unwrap()),
        ("disabled", |w, b| w.set_enabled(b, false).unwrap()),
        ("filtered", |w, b| {
            let shape = shape_of(w, b);
            w.set_filter(shape, topple::Filter { mask: 0, ..Default::default() }).unwrap();
        }),
    ];
    for (what, act) in cases {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.5);
        let cube = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
        run(&mut world, 2.0);
        assert!(!world.body(cube).unwrap().is_awake());
        act(&mut world, cube);
        let mut ends = 0;
        for _ in 0..20 {
            world.step();
            ends += world.events().end.len();
        }
        assert_eq!(ends, 1, "{what}");
    }
}

#[test]
fn ends_2d() {
    ends::<D2>();
}
#[test]
fn ends_3d() {
    ends::<D3>();
}

/// Things fall through a sensor: begin and end, the sensor first, nothing pushed. Kinematic visitors count; sensors do not
/// see each other; a sensor that is moved away says so although its visitor sleeps.
fn sensors<D: TestDim>() {
    let mut world = World::<D>::new();
    let sensor = ShapeDef { is_sensor: true, ..ShapeDef::new(D::cube(2.0)) };
    let gate = world.create_body_with(BodyDef::fixed(D::point(0.0, 5.0)), [sensor.clone()]).unwrap();
    world.create_body_with(BodyDef::fixed(D::point(0.5, 5.0)), [sensor]).unwrap();
    let gate_shape = shape_of(&world, gate);
    let ball = add_body(&mut world, 0.0, 8.0, D::ball(0.5));
    let def = BodyDef { linear_velocity: D::vec(6.0, 0.0), ..BodyDef::kinematic(D::point(-6.0, 5.0)) };
    let visitor = world.create_body_with(def, [ShapeDef::new(D::ball(0.3))]).unwrap();
    let mut seen = Vec::new();
    for step in 0..120 {
        world.step();
        let events = world.events();
        assert!(events.begin.is_empty() && events.end.is_empty(), "sensors have events of their own");
        for (list, begins) in [(&events.sensor_begin, true), (&events.sensor_end, false)] {
            for event in list.iter().filter(|event| event.sensor == gate_shape) {
                assert_eq!(event.bodies[0], gate);
                seen.push((step, event.bodies[1], begins));
            }
        }
    }
    let of = |body: BodyId| seen.iter().filter(|s| s.1 == body).map(|s| s.2).collect::<Vec<_>>();
    assert_eq!(of(ball), [true, false]);
    assert_eq!(of(visitor), [true, false]);
    assert_eq!(seen.len(), 4);
    // Free fall, untouched: 8 m down to the time.
    let t = world.time() as Real;
    let fall = world.body(ball).unwrap().linear_velocity().get(1);
    assert_close("the sensor pushes nothing", fall, -9.8 * t, 1e-3, "m/s");
}

#[test]
fn sensors_2d() {
    sensors::<D2>();
}
#[test]
fn sensors_3d() {
    sensors::<D3>();
}

fn sensor_over_a_sleeper<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.5);
    let cube = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    run(&mut world, 2.0);
    assert!(!world.body(cube).unwrap().is_awake());
    let sensor = ShapeDef { is_sensor: true, ..ShapeDef::new(D::cube(3.0)) };
    let gate = world.create_body_with(BodyDef::fixed(D::point(0.0, 1.0)), [sensor]).unwrap();
    world.step();
    assert_eq!(world.events().sensor_begin.len(), 1, "a sensor that appears sees the sleeper");
    run(&mut world, 2.0);
    assert!(!world.body(cube).unwrap().is_awake(), "and lets it sleep on");
    world.body_mut(gate).unwrap().set_position(D::point(30.0, 0.0)).unwrap();
    world.step();
    assert_eq!(world.events().sensor_end.len(), 1, "a sensor that goes says so");
}

#[test]
fn sensor_over_a_sleeper_2d() {
    sensor_over_a_sleeper::<D2>();
}
#[test]
fn sensor_over_a_sleeper_3d() {
    sensor_over_a_sleeper::<D3>();
}

/// Events come in the order of the shapes, on any number of threads.
fn sorted_events<D: TestDim>() {
    let mut world = World::<D>::new();
    world.set_executor(Arc::new(Pool::new(4)));
    add_floor(&mut world, 0.5);
    for i in 0..200 {
        let shape = ShapeDef { hit_events: true, persist_events: true, ..ShapeDef::new(D::cube(0.8)) };
        // Whoever was made early may land late: what is watched is noted in the order of the landings.
        add_shaped(&mut world, (i * 37 % 200) as Real, 1.0 + 0.01 * (i * 61 % 200) as Real, shape);
    }
    let (mut most, mut hits) = (0, 0);
    for _ in 0..90 {
        world.step();
        let events = world.events();
        assert!(events.begin.is_sorted_by_key(|event| event.shapes));
        assert!(events.persist.is_sorted_by_key(|event| event.shapes));
        assert!(events.hit.is_sorted_by_key(|event| event.shapes));
        most = most.max(events.persist.len());
        hits = hits.max(events.hit.len());
    }
    assert_eq!(most, 200, "all have landed");
    assert!(hits > 3, "some in the same step: {hits}");
}

#[test]
fn sorted_events_2d() {
    sorted_events::<D2>();
}
#[test]
fn sorted_events_3d() {
    sorted_events::<D3>();
}

/// The pre-solve hook is asked in every step, for recycled contacts too, and may refuse: a one-way platform.
fn pre_solve_refuses<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        let platform = ShapeDef { pre_solve: true, ..ShapeDef::new(D::block(6.0, 0.2)) };
        let platform = world.create_body_with(BodyDef::fixed(D::point(0.0, 2.0)), [platform]).unwrap();
        let cube = add_body(&mut world, 0.0, 4.0, D::cube(0.5));
        let calls = Arc::new(AtomicUsize::new(0));
        let (counter, open) = (Arc::clone(&calls), Arc::new(AtomicUsize::new(0)));
        let door = Arc::clone(&open);
        world.set_pre_solve(Some(Arc::new(move |contact| {
            counter.fetch_add(1, Ordering::Relaxed);
            assert_eq!(contact.bodies, [platform, cube]);
            let closed = door.load(Ordering::Relaxed) == 0;
            assert!(!closed || contact.normal.get(1) > 0.9, "from the platform up to the cube");
            assert!(contact.separation < 0.1);
            closed
        })));
        world.body_mut(cube).unwrap().set_sleep(false, None).unwrap();
        run(&mut world, 2.0);
        assert_close(solver, world.body(cube).unwrap().position().to_vec().get(1), 2.35, 0.02, "m");
        let before = calls.load(Ordering::Relaxed);
        let mut recycled = 0;
        for step in 1..=30 {
            world.step();
            recycled += world.profile().narrow.recycled;
            assert_eq!(calls.load(Ordering::Relaxed), before + step, "{solver}: once per step");
        }
        assert!(recycled >= 1, "{solver}: the contact is a recycled one");
        open.store(1, Ordering::Relaxed);
        run(&mut world, 1.0);
        assert!(world.body(cube).unwrap().position().to_vec().get(1) < 1.0, "{solver}: the door is open");
    }
}

#[test]
fn pre_solve_refuses_2d() {
    pre_solve_refuses::<D2>();
}
#[test]
fn pre_solve_refuses_3d() {
    pre_solve_refuses::<D3>();
}

/// The hook alters friction and surface velocity, every step anew; without it the shapes' own values count again. Numbers
/// that make no sense are made safe.
fn pre_solve_alters<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.5);
        let shape = ShapeDef { pre_solve: true, ..ShapeDef::new(D::cube(1.0)).friction(0.5) };
        let cube = add_shaped(&mut world, 0.0, 0.5, shape);
        world.body_mut(cube).unwrap().set_sleep(false, None).unwrap();
        world.set_pre_solve(Some(Arc::new(|contact| {
            // The floor is the first body: its surface runs to the right, b relative to a to the left.
            *contact.surface_velocity = D::vec(-1.0, 0.0);
            true
        })));
        run(&mut world, 2.0);
        let v = world.body(cube).unwrap().linear_velocity().get(0);
        assert_close(format!("{solver}: carried by the belt"), v, 1.0, 0.02, "m/s");
        world.set_pre_solve(Some(Arc::new(|contact| {
            *contact.friction = Real::NAN;
            *contact.restitution = -3.0;
            *contact.surface_velocity = D::vec(Real::INFINITY, 0.0);
            true
        })));
        run(&mut world, 0.5);
        let v = world.body(cube).unwrap().linear_velocity().get(0);
        assert_close(format!("{solver}: no friction, no belt"), v, 1.0, 0.02, "m/s");
        world.set_pre_solve(None);
        run(&mut world, 1.0);
        let v = world.body(cube).unwrap().linear_velocity().length();
        assert_close(format!("{solver}: its own friction again"), v, 0.0, 0.01, "m/s");
    }
}

#[test]
fn pre_solve_alters_2d() {
    pre_solve_alters::<D2>();
}
#[test]
fn pre_solve_alters_3d() {
    pre_solve_alters::<D3>();
}

/// The pair filter has the last word after categories, masks and groups.
fn pair_filter<D: TestDim>() {
    let mut world = World::<D>::new();
    let floor = add_floor(&mut world, 0.5);
    let (ghost, solid) =
        (add_body(&mut world, 0.0, 1.0, D::cube(1.0)), add_body(&mut world, 3.0, 1.0, D::cube(1.0)));
    world.set_pair_filter(Some(Arc::new(move |bodies, _| bodies != [floor, ghost])));
    run(&mut world, 1.0);
    assert!(world.body(ghost).unwrap().position().to_vec().get(1) < -2.0, "the filter let it through");
    assert_close("the other one", world.body(solid).unwrap().position().to_vec().get(1), 0.5, 0.02, "m");
}

#[test]
fn pair_filter_2d() {
    pair_filter::<D2>();
}
#[test]
fn pair_filter_3d() {
    pair_filter::<D3>();
}

/// A body whose state overflows is taken out, reported, and its neighbours do not feel it.
fn quarantine<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        add_floor(&mut world, 0.5);
        let below = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
        let light = add_shaped(&mut world, 0.0, 1.4, ShapeDef::new(D::cube(0.8)).density(0.5));
        run(&mut world, 0.3);
        let before = world.body(light).unwrap().position();
        // Finite, but not once divided by a mass below one.
        world.body_mut(light).unwrap().apply_force(D::vec(0.0, -3e38)).unwrap();
        world.step();
        let faults: Vec<_> = world.events().fault.iter().map(|fault| fault.body).collect();
        assert_eq!(faults, [light], "{solver}");
        let body = world.body(light).unwrap();
        assert!(body.is_quarantined() && !body.is_enabled() && body.position() == before);
        assert_eq!((body.linear_velocity(), body.force()), (D::Vec::ZERO, D::Vec::ZERO));
        assert_eq!(world.events().end.len(), 1, "{solver}: its contact ended");
        assert!(
            world.body(below).unwrap().linear_velocity().length() < 0.5,
            "{solver}: the neighbour is fine"
        );
        run(&mut world, 1.0);
        assert!(world.events().fault.is_empty());
        let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
        assert!(copy.body(light).unwrap().is_quarantined());
        // It can be used again.
        copy.set_enabled(light, true).unwrap();
        assert!(!copy.body(light).unwrap().is_quarantined());
        run(&mut copy, 1.0);
        let height = copy.body(light).unwrap().position().to_vec().get(1);
        assert_close(format!("{solver}: lies on the other"), height, 1.4, 0.03, "m");
    }
}

#[test]
fn quarantine_2d() {
    quarantine::<D2>();
}
#[test]
fn quarantine_3d() {
    quarantine::<D3>();
}

/// Absurd but finite pushes are clamped to the fastest speed, in their direction, and nothing breaks.
fn absurd_pushes<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = world_with_solver::<D>(solver);
        heap(&mut world, 4);
        run(&mut world, 0.5);
        let ids: Vec<_> = world.body_ids().skip(1).collect();
        for (i, &id) in ids.iter().enumerate() {
            let push = [1e20, 1e30, 1e36, 1e37][i % 4];
            let mut body = world.body_mut(id).unwrap();
            let _ = body.apply_force(D::vec(push, 0.3 * push));
            let _ = body.apply_torque(D::spin(push));
            let _ = body.apply_impulse_at_local(D::vec(push, push), D::vec(0.1, 0.2));
        }
        for _ in 0..30 {
            world.step();
            for &id in &ids {
                let body = world.body(id).unwrap();
                assert!(body.pose().is_valid() && body.motion().is_finite(), "{solver}");
            }
        }
        let free = add_body(&mut world, 0.0, 500.0, D::ball(0.5));
        world.body_mut(free).unwrap().apply_force(D::vec(1e35, 0.0)).unwrap();
        world.step();
        let v = world.body(free).unwrap().linear_velocity();
        assert_close(solver, v.get(0), world.settings().max_speed, 1.0, "m/s");
    }
}

#[test]
fn absurd_pushes_2d() {
    absurd_pushes::<D2>();
}
#[test]
fn absurd_pushes_3d() {
    absurd_pushes::<D3>();
}
