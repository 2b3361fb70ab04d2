//! Groups that bear much take their step in small ones, by themselves; everything else does not.

use crate::support::*;
use std::sync::Arc;
use topple::exec::Pool;
use topple::force::{Anchor, Attraction, Scope, Spring, UniformGravity};
use topple::joint::{Ball, Hinge};
use topple::math::*;
use topple::world::Stage;
use topple::{BodyDef, BodyId, JointDef, JointKind, Pose, ShapeDef, World};

/// A thousand boxes' weight on ten boxes.
fn heavy_on_light<D: TestDim>(world: &mut World<D>) -> BodyId {
    add_floor(world, 0.6);
    for i in 0..10 {
        add_body(world, 0.0, 0.5 + i as Real, D::cube(1.0));
    }
    add_shaped(world, 0.0, 10.5, ShapeDef::new(D::cube(1.0)).density(1000.0))
}

/// A chain of twenty balls that hangs from the sky, with a heavy one at its end.
fn heavy_chain<D: TestDim>(world: &mut World<D>, x: Real, ratio: Real) -> BodyId {
    let mut last = world.create_body(BodyDef::fixed(D::point(x, 40.0))).unwrap();
    for i in 0..20 {
        let density = if i == 19 { ratio } else { 1.0 };
        let shape = ShapeDef::new(D::ball(0.2)).density(density);
        let next = add_shaped(world, x + 0.5 * (i + 1) as Real, 40.0, shape);
        let pivot = Pose::at(D::point(x + 0.5 * i as Real, 40.0));
        let joint = JointDef::at(world, last, next, JointKind::Ball(Ball::default()), pivot).unwrap();
        world.create_joint(joint).unwrap();
        last = next;
    }
    last
}

/// With small steps the stack stands within 2 %, without them it is pressed flat.
fn heavy_body_stands_on_light_ones<D: TestDim>() {
    for (max_refinement, stands) in [(64, true), (1, false)] {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| {
            (s.sleeping, s.statics, s.max_refinement) = (false, false, max_refinement);
        });
        let top = heavy_on_light(&mut world);
        run(&mut world, 5.0);
        let height = world.body(top).unwrap().position().to_vec().get(1);
        let found = (height - 10.5).abs() < 0.02 * 10.5;
        assert_eq!(found, stands, "max_refinement {max_refinement}: height {height} m");
        let profile = world.profile();
        assert_eq!(profile.counters.refined, if stands { 11 } else { 0 }, "bodies in small steps");
        assert_eq!(profile.counters.refinement > 1, stands);
        assert_eq!(!profile.refinement.is_zero(), stands, "time of small steps");
        assert!(profile.refinement <= profile.stage(Stage::Solve));
    }
}

#[test]
fn heavy_body_stands_on_light_ones_2d() {
    heavy_body_stands_on_light_ones::<D2>();
}
#[test]
fn heavy_body_stands_on_light_ones_3d() {
    heavy_body_stands_on_light_ones::<D3>();
}

/// Heaps of like bodies, those that fall together and those that stand, share their loads and pay nothing; a stack of ten is left to
/// statics.
fn ordinary_piles_pay_nothing<D: TestDim>() {
    let mut rain = World::<D>::new();
    add_floor(&mut rain, 0.6);
    for side in [-1.0, 1.0] {
        let wall = ShapeDef::new(D::half_space(-side, 0.0, -6.0));
        rain.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), [wall]).unwrap();
    }
    let mut random = Random(7);
    for i in 0..150 {
        let (x, y) = (random.between(-5.0, 5.0), 1.0 + 0.4 * i as Real);
        let size = random.between(0.6, 1.0);
        let shape = if i % 2 == 0 { D::cube(size) } else { D::ball(0.5 * size) };
        add_body(&mut rain, x, y, shape);
    }
    let mut pyramid = World::<D>::new();
    heap(&mut pyramid, 12);
    let mut stack = World::<D>::new();
    add_floor(&mut stack, 0.6);
    for i in 0..10 {
        add_body(&mut stack, 0.0, 0.5 + i as Real, D::cube(1.0));
    }
    for (name, mut world) in [("rain", rain), ("pyramid", pyramid), ("stack of ten", stack)] {
        for step in 0..480 {
            world.step();
            let counters = world.profile().counters;
            let small = counters.refined - counters.standing;
            assert_eq!(small, 0, "{name}, step {step}: {small} bodies in small steps");
            // It sleeps later.
            let standing = if name == "stack of ten" && step < 20 { 10 } else { 0 };
            assert!(counters.standing >= standing, "{name}, step {step}: left to statics");
        }
    }
}

#[test]
fn ordinary_piles_pay_nothing_2d() {
    ordinary_piles_pay_nothing::<D2>();
}
#[test]
fn ordinary_piles_pay_nothing_3d() {
    ordinary_piles_pay_nothing::<D3>();
}

/// A column that is swallowed by a heap goes back to the usual steps at once.
fn column_in_a_heap_is_given_up<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    for i in 0..20 {
        add_body(&mut world, 0.0, 0.5 + i as Real, D::cube(1.0));
    }
    world.step();
    world.step();
    assert_eq!(world.profile().counters.refined, 20, "a tower of twenty needs small steps");
    // Walls of boxes on both sides, which touch it.
    for i in 0..19 {
        for x in [-2.0, -1.0, 1.0, 2.0] {
            add_body(&mut world, x, 0.5 + i as Real, D::cube(1.0));
        }
    }
    run(&mut world, 0.5);
    assert_eq!(world.profile().counters.refined, 0);
}

#[test]
fn column_in_a_heap_is_given_up_2d() {
    column_in_a_heap_is_given_up::<D2>();
}
#[test]
fn column_in_a_heap_is_given_up_3d() {
    column_in_a_heap_is_given_up::<D3>();
}

/// The bits are the same on threads and after a restore, in the middle of it too, with levels on their way up.
fn small_steps_are_deterministic<D: TestDim>() {
    let scene = || {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| s.sleeping = false);
        heavy_on_light(&mut world);
        heavy_chain(&mut world, 30.0, 1000.0);
        heavy_chain(&mut world, 60.0, 30.0);
        world
    };
    let mut serial = scene();
    let mut parallel = scene();
    parallel.set_executor(Arc::new(Pool::new(3)));
    let mut restored: Option<World<D>> = None;
    let mut most = 0;
    for step in 0..150 {
        serial.step();
        parallel.step();
        most = most.max(serial.profile().counters.refined);
        assert_eq!(serial.state_hash(), parallel.state_hash(), "three threads, step {step}");
        if let Some(world) = &mut restored {
            world.step();
            assert_eq!(serial.state_hash(), world.state_hash(), "restored, step {step}");
        }
        if step % 30 == 7 {
            restored = Some(World::restore(&serial.snapshot()).unwrap());
        }
    }
    assert!(most >= 31, "the stack and a chain take small steps: {most} bodies");
}

#[test]
fn small_steps_are_deterministic_2d() {
    small_steps_are_deterministic::<D2>();
}
#[test]
fn small_steps_are_deterministic_3d() {
    small_steps_are_deterministic::<D3>();
}

/// Wave speed of hinged dominoes [m/s] 0.48 m high, 0.07 m thick, 0.18 m apart, all times `scale`, without friction.
fn domino_wave<D: TestDim>(scale: Real, is_sleeping: bool) -> Real {
    let (height, thickness, pitch) = (0.48 * scale, 0.07 * scale, 0.25 * scale);
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = is_sleeping);
    let ground = add_floor(&mut world, 0.0);
    let ids: Vec<BodyId> = (0..52)
        .map(|i| {
            let x = i as Real * pitch;
            let spin = if i == 0 { -8.0 / scale.sqrt() } else { 0.0 };
            let def = BodyDef {
                angular_velocity: D::spin(spin),
                ..BodyDef::dynamic(D::point(x - 0.5 * thickness, 0.5 * height))
            };
            let shape = ShapeDef::new(D::block(thickness, height)).friction(0.0);
            let id = world.create_body_with(def, [shape]).unwrap();
            let pivot = Pose::at(D::point(x, 0.0));
            let mut joint =
                JointDef::at(&world, ground, id, JointKind::Ball(Ball::default()), pivot).unwrap();
            joint.collide_connected = true;
            world.create_joint(joint).unwrap();
            id
        })
        .collect();
    // Between two steps too: 20 small ones fall within 25 steps.
    let mut time_of = |i: usize| {
        let mut leans = 0.0;
        loop {
            let before = leans;
            world.step();
            leans = -D::about_z(world.body(ids[i]).unwrap().rotation().to_ang());
            if leans > 0.05 {
                return world.time() as Real - world.settings().dt * (leans - 0.05) / (leans - before);
            }
            assert!(world.time() < 20.0, "domino {i} falls");
        }
    };
    let (first, last) = (time_of(30), time_of(50));
    20.0 * pitch / (last - first)
}

/// The energy of the leaning chain and the momentum of each hit give 3.859 m/s [`crates/topple/examples/quality` derives it], times the root of the scale. Whether
/// they sleep before they are hit or not: when the hinge of a woken one had the word before the ground, small ones were 9 % slower.
fn dominoes_fall_as_fast_as_they_should<D: TestDim>() {
    for scale in [0.1, 0.25, 0.5, 1.0_f32] {
        for is_sleeping in [false, true] {
            let right = 3.859 * scale.sqrt();
            let what = format!("speed of the wave, {scale} times as large, sleeping {is_sleeping}");
            assert_close(what, domino_wave::<D>(scale, is_sleeping), right, 0.05 * right, "m/s");
        }
    }
}
#[test]
fn dominoes_fall_as_fast_as_they_should_2d() {
    dominoes_fall_as_fast_as_they_should::<D2>();
}
#[test]
fn dominoes_fall_as_fast_as_they_should_3d() {
    dominoes_fall_as_fast_as_they_should::<D3>();
}

/// A chain of twenty links let go from the side, its end `ratio` times as heavy: the sum of all gaps over its length.
fn stretch_of_swing<D: TestDim>(world: &mut World<D>, ratio: Real, kinds: [JointKind<D>; 2]) -> Real {
    adjust(world, |s| s.sleeping = false);
    let mut last = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
    let mut joints = Vec::new();
    for i in 0..20 {
        let mut shape = ShapeDef::new(D::cube(0.3)).density(if i == 19 { ratio } else { 1.0 });
        shape.filter.mask = 0;
        let next = add_shaped(world, 0.5 * i as Real + 0.25, 0.0, shape);
        let pivot = Pose::at(D::point(0.5 * i as Real, 0.0));
        let joint = JointDef::at(world, last, next, kinds[i % 2], pivot).unwrap();
        joints.push(world.create_joint(joint).unwrap());
        last = next;
    }
    let mut worst: Real = 0.0;
    for _ in 0..300 {
        world.step();
        let gap = |id| {
            let [a, b] = world.joint(id).unwrap().anchors();
            (b - a).length()
        };
        worst = worst.max(joints.iter().map(|&id| gap(id)).sum::<Real>() / 10.0);
    }
    worst
}

/// The same in a world by itself, where it is solved at once.
fn stretch_at_once<D: TestDim>(ratio: Real, kinds: [JointKind<D>; 2]) -> Real {
    let mut world = World::new();
    let stretch = stretch_of_swing(&mut world, ratio, kinds);
    let counters = world.profile().counters;
    assert_eq!((counters.refined, counters.refinement), (20, 1), "solved at once, in one step");
    stretch
}

/// Heavy ends do not stretch chains, of balls and, in space, of hinges and welds in turns, which take blocks of six rows.
fn chains_hold_any_load<D: TestDim>() {
    let ball = JointKind::Ball(Ball::default());
    for ratio in [10.0, 1e3, 1e5] {
        let stretch = stretch_at_once::<D>(ratio, [ball, ball]);
        assert!(stretch < 0.005, "balls, 1:{ratio}: {stretch}");
        let stretch = stretch_at_once::<D>(ratio, [JointKind::Hinge(Hinge::default()), JointKind::Fixed]);
        assert!(stretch < 0.005, "hinges and welds, 1:{ratio}: {stretch}");
    }
}

#[test]
fn chains_hold_any_load_2d() {
    chains_hold_any_load::<D2>();
}
#[test]
fn chains_hold_any_load_3d() {
    chains_hold_any_load::<D3>();
}

/// Under a force generator chains are solved at once as without: it is asked for their bodies in their own sub-steps.
fn chains_hold_under_generators<D: TestDim>() {
    let ball = JointKind::Ball(Ball::default());
    let swing = |by_generator: bool| {
        let mut world = World::<D>::new();
        let gravity = D::vec(0.0, -9.8);
        if by_generator {
            adjust(&mut world, |s| s.gravity = D::Vec::ZERO);
            world.add_generator(UniformGravity::<D>::new(gravity)).unwrap();
        }
        let stretch = stretch_of_swing(&mut world, 1e3, [ball, ball]);
        assert!(stretch < 0.005, "1:1000 stretches by {stretch}, generator: {by_generator}");
        let counters = world.profile().counters;
        assert_eq!((counters.refined, counters.refinement, counters.at_once), (20, 1, 20));
        let end = world.body_ids().last().unwrap();
        world.body(end).unwrap().position().to_vec()
    };
    let [plain, generated] = [false, true].map(swing);
    assert_near("end of the chain after 5 s", generated, plain, 0.05, "m");
}

#[test]
fn chains_hold_under_generators_2d() {
    chains_hold_under_generators::<D2>();
}
#[test]
fn chains_hold_under_generators_3d() {
    chains_hold_under_generators::<D3>();
}

/// Force generators drag nothing into small steps: what is refined stays so, by statics too, and everything else goes its way to the bit as
/// if the refined group were not there.
fn generators_leave_others_alone<D: TestDim>() {
    let scene = |has_stack: bool, statics: bool| {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| (s.sleeping, s.statics) = (false, statics));
        world.add_generator(UniformGravity::<D>::new(D::vec(0.3, -0.1))).unwrap();
        let bob = add_body(&mut world, -30.0, 8.0, D::ball(0.3));
        let hook = Anchor::World(D::point(-32.0, 10.0));
        world.add_generator(Spring::new(hook, Anchor::body(bob), 200.0, 1.0)).unwrap();
        let mut others = vec![bob];
        for i in 0..40 {
            others.push(add_body(&mut world, 20.0 + 3.0 * i as Real, 4.0, D::cube(1.0)));
        }
        if has_stack {
            heavy_on_light(&mut world);
        } else {
            add_floor(&mut world, 0.6);
        }
        (world, others)
    };
    let (mut alone, ids) = scene(false, true);
    for statics in [true, false] {
        let (mut world, others) = scene(true, statics);
        for step in 0..120 {
            if statics {
                alone.step();
            }
            world.step();
            let counters = world.profile().counters;
            assert!(counters.refined <= 11, "step {step}: {} bodies in small steps", counters.refined);
        }
        let counters = world.profile().counters;
        assert_eq!((counters.refined, counters.standing), (11, if statics { 11 } else { 0 }));
        for (&a, &b) in others.iter().zip(&ids) {
            let [one, other] = [world.body(a).unwrap(), alone.body(b).unwrap()];
            assert_eq!(one.position().to_vec(), other.position().to_vec(), "statics {statics}");
            assert_eq!(one.linear_velocity(), other.linear_velocity(), "statics {statics}");
        }
    }
}

#[test]
fn generators_leave_others_alone_2d() {
    generators_leave_others_alone::<D2>();
}
#[test]
fn generators_leave_others_alone_3d() {
    generators_leave_others_alone::<D3>();
}

/// Generators that connect a refined group with something else: two stacks pull at each other by a spring as strongly as it says, and
/// bodies that attract each other do so across groups.
fn generators_reach_across_groups<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| (s.sleeping, s.statics, s.gravity) = (false, false, D::vec(0.0, -10.0)));
    let top = heavy_on_light(&mut world);
    let other = add_shaped(&mut world, 8.0, 0.5, ShapeDef::new(D::cube(1.0)).friction(0.6));
    // Aside of the heavy one by 8 m, below by 10 m: 12.8 m, of which 12 m are slack.
    let spring = Spring::new(Anchor::body(top), Anchor::body(other), 5.0, 12.0);
    world.add_generator(spring).unwrap();
    let scope = Scope { bodies: Some(vec![top, other]), ..Scope::default() };
    world.add_generator(Attraction { scope, ..Attraction::<D>::gravity(0.1) }).unwrap();
    run(&mut world, 3.0);
    assert_eq!(world.profile().counters.refined, 11);
    let length = (64.0_f32 + 100.0).sqrt();
    let pull = 5.0 * (length - 12.0);
    let lift = pull * 10.0 / length;
    let mass = world.body(other).unwrap().mass();
    let contact = world.contacts_of(other).unwrap().find(|contact| contact.is_touching()).unwrap();
    // The heavy one attracts it too, by 0.1·m·M/r² along the same line.
    let heavy = world.body(top).unwrap().mass();
    let attracted = 0.1 * mass * heavy / (length * length) * 10.0 / length;
    let expected = 10.0 * mass - lift - attracted;
    assert_close("what the ground bears", contact.normal_force(), expected, 0.02 * 10.0 * mass, "N");
}

#[test]
fn generators_reach_across_groups_2d() {
    generators_reach_across_groups::<D2>();
}
#[test]
fn generators_reach_across_groups_3d() {
    generators_reach_across_groups::<D3>();
}

/// Long chains of like links are solved at once while nothing touches them, and hardly stretch; without `direct_joints` they do.
fn long_chains_hold_themselves<D: TestDim>() {
    for (direct, least, most) in [(true, 0.0, 0.001), (false, 0.005, 0.02)] {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| (s.sleeping, s.direct_joints) = (false, direct));
        let mut last = world.create_body(BodyDef::fixed(D::point(0.0, 0.0))).unwrap();
        let mut joints = Vec::new();
        for i in 0..100 {
            let mut shape = ShapeDef::new(D::block(0.2, 0.4));
            shape.filter.mask = 0;
            let next = add_shaped(&mut world, 0.0, -0.5 * i as Real - 0.25, shape);
            let pivot = Pose::at(D::point(0.0, -0.5 * i as Real));
            let kind = JointKind::Ball(Ball::default());
            let joint = JointDef::at(&world, last, next, kind, pivot).unwrap();
            joints.push(world.create_joint(joint).unwrap());
            last = next;
        }
        run(&mut world, 5.0);
        let gap = |&id| {
            let [a, b] = world.joint(id).unwrap().anchors();
            (b - a).length()
        };
        let stretch = joints.iter().map(gap).sum::<Real>() / 50.0;
        assert!(stretch >= least && stretch < most, "direct_joints {direct}: {stretch}");
        assert_eq!(world.profile().counters.at_once, if direct { 100 } else { 0 });
    }
}

#[test]
fn long_chains_hold_themselves_2d() {
    long_chains_hold_themselves::<D2>();
}
#[test]
fn long_chains_hold_themselves_3d() {
    long_chains_hold_themselves::<D3>();
}

/// A swing of the whole is hardly damped: in 20 s, three periods, a heavy pendulum on a light chain loses some hundredths. It is let go
/// from the side, so its links go slack and snap tight twice in each.
fn heavy_pendulums_keep_their_energy<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let end = heavy_chain(&mut world, 0.0, 1000.0);
    let energy = |world: &World<D>| {
        let body = world.body(end).unwrap();
        let v = body.linear_velocity();
        0.5 * v.dot(v) + world.settings().gravity.length() * (body.position().to_vec().get(1) - 30.0)
    };
    let before = energy(&world);
    run(&mut world, 20.0);
    let after = energy(&world);
    assert!((after - before).abs() < 0.06 * before, "{before} J/kg became {after} J/kg");
}

#[test]
fn heavy_pendulums_keep_their_energy_2d() {
    heavy_pendulums_keep_their_energy::<D2>();
}
#[test]
fn heavy_pendulums_keep_their_energy_3d() {
    heavy_pendulums_keep_their_energy::<D3>();
}

/// A heavy ball on a light chain that swings against a wall: contacts and joints have to agree.
fn wrecking_ball<D: TestDim>() {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let end = heavy_chain(&mut world, 0.0, 200.0);
    let wall = BodyDef::fixed(D::point(-1.0, 30.0));
    world.create_body_with(wall, [ShapeDef::new(D::cube(1.0))]).unwrap();
    let mut farthest: Real = 0.0;
    for _ in 0..600 {
        world.step();
        let at = world.body(end).unwrap().position() - D::point(0.0, 40.0);
        assert!(at.is_finite());
        farthest = farthest.max(at.length());
    }
    assert!(farthest < 10.0 * 1.03, "10 m of chain and the ball reached {farthest} m");
}

#[test]
fn wrecking_ball_2d() {
    wrecking_ball::<D2>();
}
#[test]
fn wrecking_ball_3d() {
    wrecking_ball::<D3>();
}
