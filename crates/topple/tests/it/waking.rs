//! What wakes sleepers, beyond single changes (`sleeping.rs`): whole stacks that lose their support, supports that start to move, joints
//! whose targets change, thresholds of single bodies. And that nothing stays hanging in the air.

use crate::support::*;
use topple::joint::{Ball, Distance, Hinge, Motor, Mouse, Slider, Spring};
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, Drag, JointDef, JointId, JointKind, Settings, ShapeDef, World};

const G: Real = 9.8;

/// Steps until everything sleeps.
#[track_caller]
fn fall_asleep<D: Dim>(world: &mut World<D>) {
    for _ in 0..1200 {
        world.step();
        if world.awake_count() == 0 {
            return;
        }
    }
    panic!("{} bodies do not fall asleep", world.awake_count());
}

/// A stack of `count` cubes asleep on a block of the given kind, whose top is at y = 1.
fn stack<D: TestDim>(kind: BodyKind, count: usize) -> (World<D>, BodyId, Vec<BodyId>) {
    let mut world = World::new();
    let def = BodyDef { kind, ..BodyDef::fixed(D::point(0.0, 0.5)) };
    let support = world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
    let boxes = (0..count).map(|i| add_body(&mut world, 0.0, 1.5 + i as Real, D::cube(1.0))).collect();
    fall_asleep(&mut world);
    (world, support, boxes)
}

/// All of these fall in this very step, each with g·dt: what they bore before does not push them apart. A platform that sinks by itself still
/// touches in that step, so its stack lets go only on the way.
#[track_caller]
fn assert_falls_at_once<D: TestDim>(what: &str, world: &mut World<D>, boxes: &[BodyId]) {
    let height = |world: &World<D>, id: BodyId| world.body(id).unwrap().position().to_vec().get(1);
    let before = boxes.iter().map(|&id| height(world, id)).collect::<Vec<_>>();
    world.step();
    let fall = D::vec(0.0, -G * world.settings().dt);
    let spread = if what == "support drops away" { 0.2 } else { 0.01 };
    let (mut sum, mut lower) = (D::Vec::ZERO, 0.0);
    for (i, &id) in boxes.iter().enumerate() {
        let v = world.body(id).unwrap().linear_velocity();
        assert_near(format!("{what}: velocity of box {i}"), v, fall, spread * fall.length(), "m/s");
        assert!(v.get(1) < 0.1 * fall.get(1), "{what}: box {i} does not fall: {v:?}");
        let down = before[i] - height(world, id);
        assert!(down > -OVERLAP, "{what}: box {i} rises by {} m", -down);
        (sum, lower) = (sum + v, lower + down);
    }
    let share = 1.0 / boxes.len() as Real;
    assert_near(format!("{what}: all together"), sum * share, fall, 0.01 * fall.length(), "m/s");
    assert!(
        lower * share > 0.5 * G * world.settings().dt * world.settings().dt,
        "{what}: by {} m",
        lower * share
    );
}

/// The boxes of a stack overlap by less than this at rest [m].
const OVERLAP: Real = 1.2e-3;

/// However the support goes, the whole sleeping stack drops in the same step, two high and twelve.
fn stacks_drop_at_once<D: TestDim>() {
    type Change<D> = fn(&mut World<D>, BodyId);
    let ways: [(&str, Change<D>); 5] = [
        ("removed", |w, id| w.remove_body(id).unwrap()),
        ("disabled", |w, id| w.set_enabled(id, false).unwrap()),
        ("shape removed", |w, id| {
            let shape = w.body(id).unwrap().shapes().next().unwrap();
            w.remove_shape(shape).unwrap();
        }),
        ("let through", |w, id| {
            let shape = w.body(id).unwrap().shapes().next().unwrap();
            w.set_filter(shape, topple::Filter { mask: 0, ..topple::Filter::default() }).unwrap();
        }),
        ("let fall", |w, id| w.set_kind(id, BodyKind::Dynamic).unwrap()),
    ];
    for (what, change) in ways {
        for count in [2, 12] {
            let (mut world, support, boxes) = stack::<D>(BodyKind::Static, count);
            change(&mut world, support);
            let is_body = what == "let fall";
            assert_eq!(world.awake_count(), count + usize::from(is_body), "{what}");
            let falling = boxes.into_iter().chain(is_body.then_some(support)).collect::<Vec<_>>();
            assert_falls_at_once(what, &mut world, &falling);
        }
    }
    // The lowest box itself goes: what stood on it falls, before anyone has looked at contacts again.
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let boxes = (0..10).map(|i| add_body(&mut world, 0.0, 0.5 + i as Real, D::cube(1.0))).collect::<Vec<_>>();
    fall_asleep(&mut world);
    world.remove_body(boxes[0]).unwrap();
    assert_falls_at_once("lowest box", &mut world, &boxes[1..]);
    // And lands as a stack that is one lower.
    run(&mut world, 3.0);
    let top = world.body(boxes[9]).unwrap().position().to_vec().get(1);
    assert_close("top of the stack that is left", top, 8.5, 0.06, "m");
    // One in the middle goes: the upper part falls, the lower part stays.
    world.remove_body(boxes[4]).unwrap();
    let still = world.body(boxes[3]).unwrap().position();
    assert_falls_at_once("middle box", &mut world, &boxes[5..]);
    let moved = (world.body(boxes[3]).unwrap().position() - still).length();
    // Relieved, it springs back, by less than what counts as nothing.
    assert!(moved < 5e-3, "the lower part moves by {moved} m");
    // One of two supports goes: what it bore is borne by the other from the same step on.
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let feet = [-1.0, 1.0].map(|x| add_body(&mut world, x, 0.5, D::cube(1.0)));
    let plank = add_body(&mut world, 0.0, 1.1, D::block(3.0, 0.2));
    fall_asleep(&mut world);
    world.remove_body(feet[0]).unwrap();
    world.step();
    let spin = D::about_z(world.body(plank).unwrap().angular_velocity());
    assert!(spin > 0.05, "the plank tips to where its support was: {spin} rad/s");
}

#[test]
fn stacks_drop_at_once_2d() {
    stacks_drop_at_once::<D2>();
}
#[test]
fn stacks_drop_at_once_3d() {
    stacks_drop_at_once::<D3>();
}

/// A kinematic support that is given a velocity takes its sleepers along from the first step; one that stops lets them sleep again.
fn platforms_set_off<D: TestDim>() {
    let (mut world, platform, boxes) = stack::<D>(BodyKind::Kinematic, 3);
    let up = D::vec(0.0, 0.5);
    world.body_mut(platform).unwrap().set_linear_velocity(up).unwrap();
    assert_eq!(world.awake_count(), 4, "platform and boxes");
    world.step();
    run(&mut world, 1.0);
    for &id in &boxes {
        assert_near("carried up", world.body(id).unwrap().linear_velocity(), up, 0.01, "m/s");
    }
    world.body_mut(platform).unwrap().set_linear_velocity(D::Vec::ZERO).unwrap();
    fall_asleep(&mut world);
    // Down faster than they can fall: they come loose and are woken all the same.
    world.body_mut(platform).unwrap().set_linear_velocity(D::vec(0.0, -3.0)).unwrap();
    assert_falls_at_once("support drops away", &mut world, &boxes);
    let (mut world, support, boxes) = stack::<D>(BodyKind::Static, 3);
    world.body_mut(support).unwrap().set_position(D::point(50.0, 0.5)).unwrap();
    assert_falls_at_once("support taken away", &mut world, &boxes);

    // Sideways, below the speed at which it could itself count as resting.
    let (mut world, platform, boxes) = stack::<D>(BodyKind::Kinematic, 2);
    let slow = D::vec(0.01, 0.0);
    world.body_mut(platform).unwrap().set_linear_velocity(slow).unwrap();
    run(&mut world, 3.0);
    assert_eq!(world.sleeping_count(), 0, "what is carried does not sleep, however slowly");
    let moved = world.body(boxes[1]).unwrap().position().to_vec().get(0);
    assert_close("carried aside", moved, 0.03, 0.003, "m");

    // A turn counts as well.
    let (mut world, platform, _) = stack::<D>(BodyKind::Kinematic, 2);
    world.body_mut(platform).unwrap().set_angular_velocity(D::spin(0.2)).unwrap();
    assert_eq!(world.awake_count(), 3, "platform and boxes");
}

#[test]
fn platforms_set_off_2d() {
    platforms_set_off::<D2>();
}
#[test]
fn platforms_set_off_3d() {
    platforms_set_off::<D3>();
}

/// A wall that was static and is now to move wakes what leans on it when it moves, also if that is much later.
fn changed_kinds_wake<D: TestDim>() {
    for (from, to) in [(BodyKind::Static, BodyKind::Kinematic), (BodyKind::Kinematic, BodyKind::Static)] {
        let (mut world, support, boxes) = stack::<D>(from, 2);
        world.set_kind(support, to).unwrap();
        assert!(boxes.iter().all(|&id| world.body(id).unwrap().is_awake()), "{from:?} to {to:?}");
        fall_asleep(&mut world);
        let top = world.body(boxes[1]).unwrap().position().to_vec().get(1);
        assert_close("stands as before", top, 2.5, 0.02, "m");
    }
    let (mut world, support, boxes) = stack::<D>(BodyKind::Static, 2);
    world.set_kind(support, BodyKind::Kinematic).unwrap();
    fall_asleep(&mut world);
    world.body_mut(support).unwrap().set_linear_velocity(D::vec(0.0, 0.2)).unwrap();
    run(&mut world, 1.0);
    let top = world.body(boxes[1]).unwrap().position().to_vec().get(1);
    assert_close("lifted", top, 2.7, 0.02, "m");
}

#[test]
fn changed_kinds_wake_2d() {
    changed_kinds_wake::<D2>();
}
#[test]
fn changed_kinds_wake_3d() {
    changed_kinds_wake::<D3>();
}

/// A bob asleep on a joint of this kind to a wall.
fn hung<D: TestDim>(kind: JointKind<D>) -> (World<D>, BodyId, JointId) {
    let mut world = World::<D>::new();
    let wall = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
    let drag = Drag { linear: 2.0, angular_linear: 2.0, ..Drag::default() };
    let def = BodyDef { drag, ..BodyDef::dynamic(D::point(0.0, -1.0)) };
    let bob = world.create_body_with(def, [ShapeDef::new(D::cube(0.5))]).unwrap();
    let mut def = JointDef::new(wall, bob, kind);
    if matches!(kind, JointKind::Hinge(_)) {
        def.local_b.position = D::point(0.0, 1.0);
    }
    let joint = world.create_joint(def).unwrap();
    fall_asleep(&mut world);
    (world, bob, joint)
}

/// Every change of a joint that could move its bodies wakes them, and moves them where it says; limits of force and names do not.
fn joint_changes_wake<D: TestDim>() {
    let hinge = JointKind::Hinge(Hinge {
        motor: Some(Motor::Position { target: 0.0, hertz: 2.0, damping: 1.0, max: 100.0 }),
        ..Hinge::default()
    });
    type Change<D> = fn(topple::JointMut<'_, D>);
    let changes: Vec<(&str, Change<D>)> = vec![
        ("motor target", |mut j| j.set_motor_target(0.5).unwrap()),
        ("motor", |mut j| j.set_motor(Some(Motor::Velocity { speed: 1.0, max: 50.0 })).unwrap()),
        ("spring", |mut j| j.set_spring(Some(Spring { rest: 1.0, hertz: 3.0, damping: 1.0 })).unwrap()),
        ("limits", |mut j| j.set_limits(Some(topple::joint::Limits::new(0.3, 1.0))).unwrap()),
        ("kind", |mut j| j.set_kind(JointKind::Slider(Slider::default())).unwrap()),
        ("frames", |mut j| {
            let [a, b] = j.as_ref().local_frames();
            let up = Pose { position: D::point(0.0, 0.2), ..a };
            j.set_local_frames([up, b]).unwrap();
        }),
    ];
    for (what, change) in changes {
        let (mut world, bob, joint) = hung::<D>(hinge);
        let before = world.body(bob).unwrap().pose();
        change(world.joint_mut(joint).unwrap());
        assert!(world.body(bob).unwrap().is_awake(), "{what} wakes");
        run(&mut world, 1.0);
        let after = world.body(bob).unwrap().pose();
        let moved =
            (after.position - before.position).length() + before.rotation.small_angle_to(after.rotation);
        // Another kind that holds as the first did has no reason to move it.
        assert!(moved > 0.05 || what == "kind", "{what} moves the bob: {moved}");
    }
    for (what, change) in [
        ("name", (|mut j| j.set_name("hook")) as Change<D>),
        ("number", |mut j| j.set_user_data(7)),
        ("limits of force", |mut j| j.set_break_limits(1e6, 1e6, true).unwrap()),
    ] {
        let (mut world, bob, joint) = hung::<D>(hinge);
        change(world.joint_mut(joint).unwrap());
        world.step();
        assert!(!world.body(bob).unwrap().is_awake(), "{what} has no reason to wake");
    }
    // The mouse pulls a sleeper.
    let (mut world, bob, joint) = hung::<D>(JointKind::Mouse(Mouse::to(D::point(0.0, -1.0))));
    world.joint_mut(joint).unwrap().set_target(D::point(1.0, -1.0)).unwrap();
    run(&mut world, 2.0);
    assert_close("dragged to", world.body(bob).unwrap().position().to_vec().get(0), 1.0, 0.01, "m");
    // A rope that is cut.
    let rope = JointKind::Distance(Distance { max: 1.0, ..Distance::default() });
    let (mut world, bob, joint) = hung::<D>(rope);
    world.body_mut(bob).unwrap().set_drag(Drag::default()).unwrap();
    fall_asleep(&mut world);
    world.remove_joint(joint).unwrap();
    assert_falls_at_once("cut rope", &mut world, &[bob]);
}

#[test]
fn joint_changes_wake_2d() {
    joint_changes_wake::<D2>();
}
#[test]
fn joint_changes_wake_3d() {
    joint_changes_wake::<D3>();
}

/// Thresholds and switches, of the world and of single bodies, without gravity: a body sleeps if it is slower than what counts for it.
fn thresholds<D: TestDim>() {
    let drift = |speed: Real, own: Option<Real>, can_sleep: bool, settings: Settings<D>| {
        let mut world = World::<D>::with_settings(Settings { gravity: D::Vec::ZERO, ..settings }).unwrap();
        let def = BodyDef {
            linear_velocity: D::vec(speed, 0.0),
            sleep_speed: own,
            can_sleep,
            ..BodyDef::dynamic(D::point(0.0, 0.0))
        };
        world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
        let mut steps = 0;
        while world.awake_count() > 0 && steps < 120 {
            world.step();
            steps += 1;
        }
        steps
    };
    let standard = Settings::<D>::default;
    let awake = 120;
    // 0.5 s at rest, counted from the first step.
    let asleep = (standard().sleep_time * 60.0).round() as i32;
    let near_asleep = |steps: i32| (steps - asleep).abs() <= 2;
    assert!(near_asleep(drift(0.04, None, true, standard())), "below the world's threshold");
    assert_eq!(drift(0.06, None, true, standard()), awake, "above it");
    assert!(near_asleep(drift(0.06, Some(0.07), true, standard())), "below its own");
    assert_eq!(drift(0.04, Some(0.03), true, standard()), awake, "above its own");
    assert_eq!(drift(0.0, None, false, standard()), awake, "may not sleep");
    assert_eq!(drift(0.0, None, true, Settings { sleeping: false, ..standard() }), awake, "nobody may");
    let fast = Settings { sleep_speed: 0.5, sleep_rate: 10.0, ..standard() };
    assert!(near_asleep(drift(0.4, None, true, fast)), "the world's threshold is higher");
    let late = Settings { sleep_time: 1.5, ..standard() };
    assert!((drift(0.0, None, true, late) - 90).abs() <= 2, "only after 1.5 s");
}

#[test]
fn thresholds_2d() {
    thresholds::<D2>();
}
#[test]
fn thresholds_3d() {
    thresholds::<D3>();
}

/// Boxes and balls on shelves, all asleep. Shelves, boxes and joints go one after the other, at random: whoever sleeps afterwards
/// rests on something, that is, the contacts and joints of every sleeper bear its weight.
fn nothing_hangs_in_the_air<D: TestDim>() {
    for seed in 1..5 {
        let mut random = Random(seed);
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        for level in 0..4 {
            for column in 0..5 {
                let (x, y) = (2.0 * column as Real, 2.5 * level as Real);
                if level > 0 {
                    let def = BodyDef::fixed(D::point(x, y));
                    world.create_body_with(def, [ShapeDef::new(D::block(1.4, 0.2))]).unwrap();
                }
                let mut last = None;
                for i in 0..2 {
                    let shape = if random.unit() < 0.7 { D::cube(0.7) } else { D::block(1.0, 0.5) };
                    let id =
                        add_body(&mut world, x + random.between(-0.1, 0.1), y + 0.5 + 0.8 * i as Real, shape);
                    if let Some(last) = last.filter(|_| random.unit() < 0.2) {
                        let kind = JointKind::Distance(Distance { max: 1.2, ..Distance::default() });
                        world.create_joint(JointDef::new(last, id, kind)).unwrap();
                    }
                    last = Some(id);
                }
            }
        }
        fall_asleep(&mut world);
        for round in 0..25 {
            let ids = world.body_ids().skip(1).collect::<Vec<_>>();
            if ids.is_empty() {
                break;
            }
            let id = ids[(random.unit() * ids.len() as Real) as usize];
            world.remove_body(id).unwrap();
            (0..(random.unit() * 20.0) as usize).for_each(|_| world.step());
            assert_sleepers_rest_on_something(&world, &format!("seed {seed}, round {round}"));
        }
        run(&mut world, 3.0);
        fall_asleep(&mut world);
        assert_sleepers_rest_on_something(&world, &format!("seed {seed}, in the end"));
    }
}

/// A sleeper touches something below its centre, or hangs on a joint.
fn assert_sleepers_rest_on_something<D: TestDim>(world: &World<D>, when: &str) {
    for id in world.body_ids() {
        let body = world.body(id).unwrap();
        if body.kind() != BodyKind::Dynamic || body.is_awake() {
            continue;
        }
        let center = body.position().to_vec().get(1);
        let mut contacts = world.contacts_of(id).unwrap().filter(|contact| contact.is_touching());
        let is_held = contacts
            .any(|contact| contact.points().any(|(point, ..)| point.to_vec().get(1) < center))
            || world.joints_of(id).unwrap().next().is_some();
        assert!(is_held, "{when}: {id:?} sleeps at {:?} and rests on nothing", body.position());
    }
}

#[test]
fn nothing_hangs_in_the_air_2d() {
    nothing_hangs_in_the_air::<D2>();
}
#[test]
fn nothing_hangs_in_the_air_3d() {
    nothing_hangs_in_the_air::<D3>();
}

/// A plank with its centre of mass 0.1 m inside the edge of a table at x = 0, asleep. Boxes that are light each come to lie on its free end.
fn many_light_loads_wake<D: TestDim>() {
    let mut world = World::<D>::new();
    world
        .create_body_with(BodyDef::fixed(D::point(-2.0, -0.5)), [ShapeDef::new(D::block(4.0, 1.0))])
        .unwrap();
    let plank = add_body(&mut world, -0.1, 0.1, D::block(4.0, 0.2));
    fall_asleep(&mut world);
    let weight = world.body(plank).unwrap().mass();
    for i in 0..30 {
        let (column, row) = (i % 6, i / 6);
        let mut shape = ShapeDef::new(D::cube(0.2));
        shape.density *= 0.06 * weight / D::pick(0.04, 0.008);
        add_shaped(&mut world, 1.7 - 0.21 * column as Real, 0.3 + 0.2 * row as Real, shape);
    }
    run(&mut world, 2.0);
    let low = world.body(plank).unwrap().position().to_vec().get(1);
    assert!(low < -0.1, "the plank bears 1.8 times its weight on its free end: {low} m");
}

#[test]
fn many_light_loads_wake_2d() {
    many_light_loads_wake::<D2>();
}
#[test]
fn many_light_loads_wake_3d() {
    many_light_loads_wake::<D3>();
}

/// A seesaw asleep, with boxes at one end that are a sixth of its weight together, or a hundredth: it tips.
fn seesaws_tip<D: TestDim>() {
    for (count, share) in [(12, 0.16), (1, 0.0133)] {
        let mut world = World::<D>::new();
        let wall = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
        let beam = add_body(&mut world, 0.0, 0.0, D::block(6.0, 0.2));
        world.create_joint(JointDef::new(wall, beam, JointKind::Ball(Ball::default()))).unwrap();
        fall_asleep(&mut world);
        let weight = world.body(beam).unwrap().mass();
        for i in 0..count {
            let mut shape = ShapeDef::new(D::cube(0.2));
            shape.density *= share * weight / count as Real / D::pick(0.04, 0.008);
            add_shaped(&mut world, 2.8 - 0.21 * i as Real, 0.2, shape);
        }
        let end = |world: &World<D>| world.body(beam).unwrap().to_world(D::vec(3.0, 0.0)).to_vec().get(1);
        let mut lowest: Real = 0.0;
        for _ in 0..360 {
            world.step();
            lowest = lowest.min(end(&world));
        }
        assert!(lowest < -0.5, "{count} boxes, {share} of its weight: the end goes down to {lowest} m");
    }
}

#[test]
fn seesaws_tip_2d() {
    seesaws_tip::<D2>();
}
#[test]
fn seesaws_tip_3d() {
    seesaws_tip::<D3>();
}

/// A light plate that sticks to a box asleep on ice is pulled aside: the box goes with it.
fn friction_wakes<D: TestDim>() {
    let mut world = World::<D>::new();
    let rough = |shape: ShapeDef<D>, friction: Real, mixing: topple::Mixing| ShapeDef {
        material: topple::Material { friction, friction_mixing: Some(mixing), ..topple::Material::default() },
        ..shape
    };
    let ice = rough(ShapeDef::new(D::half_space(0.0, 1.0, 0.0)), 0.02, topple::Mixing::Min);
    world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [ice]).unwrap();
    let lower = add_body(&mut world, 0.0, 0.5, D::cube(1.0));
    fall_asleep(&mut world);
    let mut plate = rough(ShapeDef::new(D::block(1.0, 0.2)), 4.0, topple::Mixing::Max);
    let weight = world.body(lower).unwrap().mass();
    plate.density *= 0.04 * weight / D::pick(0.2, 0.04);
    let plate = add_shaped(&mut world, 0.0, 1.1, plate);
    let pull = 3.0 * G * world.body(plate).unwrap().mass();
    for _ in 0..120 {
        world.body_mut(plate).unwrap().apply_force(D::vec(pull, 0.0)).unwrap();
        world.step();
    }
    let moved = world.body(lower).unwrap().position().to_vec().get(0);
    assert!(moved > 0.3, "the box goes with the plate: {moved} m");
}

#[test]
fn friction_wakes_2d() {
    friction_wakes::<D2>();
}
#[test]
fn friction_wakes_3d() {
    friction_wakes::<D3>();
}

/// What is accelerated, however slowly, does not fall asleep: in weak gravity, on a slope that hardly holds, on a long rope.
fn slow_starts_stay_awake<D: TestDim>() {
    for g in [0.1, 0.02, 0.005] {
        let settings = Settings { gravity: D::vec(0.0, -g), ..Settings::default() };
        let mut world = World::<D>::with_settings(settings).unwrap();
        let id = add_body(&mut world, 0.0, 0.0, D::cube(1.0));
        run(&mut world, 10.0);
        let down = -world.body(id).unwrap().position().to_vec().get(1);
        assert_close(format!("fall by {g} m/s²"), down, 50.0 * g, 0.5 * g, "m");
    }
    let angle: Real = 0.3;
    let (sin, cos) = sin_cos(angle);
    let mut world = World::<D>::new();
    let def = BodyDef { rotation: D::turn(angle), ..BodyDef::fixed(D::point(0.0, 0.0)) };
    let mut slope = ShapeDef::new(D::block(100.0, 1.0));
    slope.material.friction = sin / cos - 0.002;
    world.create_body_with(def, [slope.clone()]).unwrap();
    let up = D::turn(angle).rotate(D::vec(0.0, 1.0));
    let def = BodyDef { rotation: D::turn(angle), ..BodyDef::dynamic(D::Point::from_vec(up)) };
    let mut shape = ShapeDef::new(D::cube(1.0));
    shape.material.friction = slope.material.friction;
    let id = world.create_body_with(def, [shape]).unwrap();
    let start = world.body(id).unwrap().position();
    run(&mut world, 10.0);
    let way = (world.body(id).unwrap().position() - start).length();
    assert_close("way down the slope", way, 0.5 * G * 0.002 * cos * 100.0, 0.15, "m");

    let mut world = World::<D>::new();
    let wall = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
    let bob = add_body(&mut world, 0.2, -30.0, D::ball(0.5));
    let rod = JointDef::rod(&world, wall, bob, D::point(0.0, 0.0), D::point(0.2, -30.0)).unwrap();
    world.create_joint(rod).unwrap();
    for _ in 0..1800 {
        world.step();
        assert!(world.body(bob).unwrap().is_awake(), "a pendulum swings at {} s", world.time());
    }
}

#[test]
fn slow_starts_stay_awake_2d() {
    slow_starts_stay_awake::<D2>();
}
#[test]
fn slow_starts_stay_awake_3d() {
    slow_starts_stay_awake::<D3>();
}

/// A stack of forty that loses its support falls as one: it does not grow on the way.
fn high_stacks_fall_as_one<D: TestDim>() {
    type Change<D> = fn(&mut World<D>, BodyId);
    let changes: [(&str, Change<D>); 3] = [
        ("removed", |w, id| w.remove_body(id).unwrap()),
        ("let fall", |w, id| w.set_kind(id, BodyKind::Dynamic).unwrap()),
        ("moved away", |w, id| w.body_mut(id).unwrap().set_position(D::point(50.0, 0.5)).unwrap()),
    ];
    for count in [5, 40] {
        for (what, change) in changes {
            let (mut world, support, boxes) = stack::<D>(BodyKind::Static, count);
            let height = |world: &World<D>| {
                let y = |id: BodyId| world.body(id).unwrap().position().to_vec().get(1);
                y(boxes[count - 1]) - y(boxes[0])
            };
            let before = height(&world);
            change(&mut world, support);
            // The state is the same after a snapshot between the change and the step.
            let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
            world.step();
            copy.step();
            assert_eq!(copy.state_hash(), world.state_hash(), "{what}");
            let fall = D::vec(0.0, -G * world.settings().dt);
            for (i, &id) in boxes.iter().enumerate() {
                let v = world.body(id).unwrap().linear_velocity();
                assert_near(format!("{what}: box {i} of {count}"), v, fall, 0.01 * fall.length(), "m/s");
            }
            run(&mut world, 0.8);
            let grown = height(&world) - before;
            assert!(grown < 0.002 * count as Real, "{what}: {count} boxes grow by {grown} m");
        }
    }
}

#[test]
fn high_stacks_fall_as_one_2d() {
    high_stacks_fall_as_one::<D2>();
}
#[test]
fn high_stacks_fall_as_one_3d() {
    high_stacks_fall_as_one::<D3>();
}

/// Settings by which resting bodies move wake them; others do not.
fn settings_wake<D: TestDim>() {
    type Change<D> = fn(&mut Settings<D>);
    let cases: [(&str, bool, Change<D>); 9] = [
        ("friction", true, |s| s.friction = false),
        ("friction mixing", true, |s| s.friction_mixing = topple::Mixing::Product),
        ("joint hertz", true, |s| s.joint_hertz = 1.0),
        ("contact hertz", true, |s| s.contact_hertz = 10.0),
        ("slop", true, |s| s.slop = 0.02),
        ("greatest force", true, |s| s.max_force = 1.0),
        ("restitution", false, |s| s.restitution_mixing = topple::Mixing::Min),
        ("hit speed", false, |s| s.hit_speed = 2.0),
        ("step", false, |s| s.dt = 0.01),
    ];
    for (what, wakes, change) in cases {
        let (mut world, _, _) = stack::<D>(BodyKind::Static, 2);
        adjust(&mut world, change);
        world.step();
        assert_eq!(world.awake_count(), if wakes { 2 } else { 0 }, "{what}");
    }
    // A hook that refuses what rests, and one that has nothing to say to it.
    for asks in [true, false] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        let mut shape = ShapeDef::new(D::cube(1.0));
        shape.pre_solve = asks;
        let id = add_shaped(&mut world, 0.0, 0.5, shape);
        fall_asleep(&mut world);
        world.set_pre_solve(Some(std::sync::Arc::new(|_| false)));
        run(&mut world, 0.5);
        assert_eq!(world.body(id).unwrap().position().to_vec().get(1) < 0.4, asks, "refused: {asks}");
    }
    // A joint asleep that bears more than it may from now on.
    let (mut world, bob, joint) =
        hung::<D>(JointKind::Distance(Distance { max: 1.0, ..Distance::default() }));
    world.joint_mut(joint).unwrap().set_break_limits(0.5, Real::INFINITY, true).unwrap();
    world.step();
    assert!(!world.contains_joint(joint) && world.body(bob).unwrap().is_awake(), "it breaks");
}

#[test]
fn settings_wake_2d() {
    settings_wake::<D2>();
}
#[test]
fn settings_wake_3d() {
    settings_wake::<D3>();
}
