//! Towers at rest are left to statics: exact as long as nothing slides or tips, and never when something does.

use crate::support::*;
use topple::math::*;
use topple::{BodyDef, BodyId, BodyKind, ShapeDef, World};

/// A tower of `count` slabs, 1 m wide and 0.5 m high, each `offset` [m] to the right of the one below from `from` on.
fn tower<D: TestDim>(world: &mut World<D>, count: usize, (from, offset): (usize, Real)) -> Vec<BodyId> {
    adjust(world, |s| (s.sleeping, s.gravity) = (false, D::vec(0.0, -10.0)));
    (0..count)
        .map(|i| {
            let x = i.saturating_sub(from) as Real * offset;
            let shape = ShapeDef::new(D::block(1.0, 0.5)).friction(0.6);
            add_shaped(world, x, 0.25 + 0.5 * i as Real, shape)
        })
        .collect()
}

fn standing<D: Dim>(world: &World<D>) -> u32 {
    world.profile().counters.standing
}

fn place<D: Dim>(world: &World<D>, id: BodyId) -> D::Vec {
    world.body(id).unwrap().position().to_vec()
}

/// Normal force [N] of the contact between two bodies.
fn force_between<D: Dim>(world: &World<D>, a: BodyId, b: BodyId) -> Real {
    let is_pair = |bodies: [BodyId; 2]| bodies == [a, b] || bodies == [b, a];
    world.contacts().filter(|c| is_pair(c.bodies())).map(|c| c.normal_force()).sum()
}

/// Every contact of a tower with a heavy top bears exactly what is above it, from the first step on, and nothing sinks.
fn contacts_bear_what_is_above<D: TestDim>() {
    for top in [1.0, 1e3, 1e6] {
        let mut world = World::<D>::new();
        let mut ids = vec![add_floor(&mut world, 0.6)];
        ids.extend(tower(&mut world, 30, (0, 0.0)));
        let shape = ShapeDef::new(D::block(1.0, 0.5)).density(top);
        ids.push(add_shaped(&mut world, 0.0, 15.25, shape));
        world.step();
        world.step();
        for seconds in [0.0, 10.0] {
            run(&mut world, seconds);
            assert_eq!(standing(&world), 31, "top of {top} after {seconds} s");
            let mut above = 0.0;
            for i in (1..ids.len()).rev() {
                above += world.body(ids[i]).unwrap().mass() * 10.0;
                let found = force_between(&world, ids[i - 1], ids[i]);
                assert_close(format!("contact {i}, top of {top}"), found, above, 1e-4 * above, "N");
            }
        }
        assert_near("top", place(&world, ids[31]), D::vec(0.0, 15.25), 1e-4, "m");
    }
}

/// A tower whose upper slabs stand over the edge of the one below by 98 % of the limit stands, at 102 % it falls.
fn overhang_decides<D: TestDim>() {
    for (share, stands) in [(0.98, true), (1.02, false)] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        // The upper ten as one block that is shifted: its middle is over the edge at half the width.
        let mut ids = tower(&mut world, 10, (0, 0.0));
        for i in 10..20 {
            let shape = ShapeDef::new(D::block(1.0, 0.5)).friction(0.6);
            ids.push(add_shaped(&mut world, 0.5 * share, 0.25 + 0.5 * i as Real, shape));
        }
        world.step();
        world.step();
        assert_eq!(standing(&world) > 0, stands, "share {share}");
        run(&mut world, 8.0);
        let fell = place(&world, ids[19]).get(1) < 9.0;
        assert_eq!(fell, !stands, "share {share}: top at {:?}", place(&world, ids[19]));
    }
}

/// Gravity at an angle: a stack of flat slabs stands short of the angle of friction and slides beyond it.
fn friction_decides<D: TestDim>() {
    for (share, stands) in [(0.98, true), (1.02, false)] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.3);
        adjust(&mut world, |s| (s.sleeping, s.gravity) = (false, D::vec(10.0 * 0.3 * share, -10.0)));
        let slab = |density: Real| ShapeDef::new(D::block(4.0, 0.1)).friction(0.3).density(density);
        // Heavy on light, so that it is looked at as a tower.
        let ids: Vec<BodyId> = (0..4)
            .map(|i| add_shaped(&mut world, 0.0, 0.05 + 0.1 * i as Real, slab([1.0, 1.0, 1.0, 100.0][i])))
            .collect();
        run(&mut world, 3.0);
        let slid = place(&world, ids[3]).get(0);
        assert_eq!(standing(&world) == 4, stands, "share {share}");
        if stands {
            assert!(slid.abs() < 1e-4, "share {share}: slid {slid} m");
        } else {
            // Half of the surplus 0.06·g·t²/2 at least.
            assert!(slid > 0.1, "share {share}: slid {slid} m");
        }
    }
}

/// What was pulled away, hit, pushed or lifted is no longer left to statics, in the same step.
fn changes_end_it<D: TestDim>() {
    type Change<D> = fn(&mut World<D>, &[BodyId]);
    let cases: Vec<(&str, Change<D>, bool)> = vec![
        ("nothing", |_, _| {}, true),
        ("small push", |w, ids| w.body_mut(ids[0]).unwrap().apply_force(D::vec(2.0, 0.0)).unwrap(), true),
        ("large push", |w, ids| w.body_mut(ids[19]).unwrap().apply_force(D::vec(4.0, 0.0)).unwrap(), false),
        ("lift", |w, ids| w.body_mut(ids[19]).unwrap().apply_force(D::vec(0.0, 6.0)).unwrap(), false),
        ("bottom removed", |w, ids| w.remove_body(ids[0]).unwrap(), false),
        ("middle removed", |w, ids| w.remove_body(ids[9]).unwrap(), false),
        ("hit", |w, ids| w.body_mut(ids[12]).unwrap().set_linear_velocity(D::vec(3.0, 0.0)).unwrap(), false),
        ("less gravity", |w, _| adjust(w, |s| s.gravity = D::vec(0.0, -1.0)), true),
        ("gravity up", |w, _| adjust(w, |s| s.gravity = D::vec(0.0, 1.0)), false),
        ("turned gravity", |w, _| adjust(w, |s| s.gravity = D::vec(10.0, -1.0)), false),
        ("torque", |w, ids| w.body_mut(ids[19]).unwrap().apply_torque(D::spin(10.0)).unwrap(), false),
        (
            "joint",
            |w, ids| {
                let kind = topple::JointKind::Fixed;
                let pivot = topple::Pose::at(D::point(0.0, 5.0));
                let joint = topple::JointDef::at(w, ids[9], ids[10], kind, pivot).unwrap();
                w.create_joint(joint).unwrap();
            },
            false,
        ),
    ];
    for (name, change, stands) in cases {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        let ids = tower(&mut world, 20, (0, 0.0));
        run(&mut world, 0.5);
        assert_eq!(standing(&world), 20, "{name}: before");
        change(&mut world, &ids);
        world.step();
        assert_eq!(standing(&world) == 20, stands, "{name}");
    }
}

/// A removed slab lets everything above it fall freely from that step on.
fn nothing_hangs_in_the_air<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let ids = tower(&mut world, 20, (0, 0.0));
    run(&mut world, 0.5);
    let before = place(&world, ids[19]).get(1);
    world.remove_body(ids[0]).unwrap();
    run(&mut world, 0.2);
    let fallen = before - place(&world, ids[19]).get(1);
    // 0.5·g·t² = 0.2 m, and up to g·t·dt more by the way of counting of a step in sub-steps.
    assert_close("fall", fallen, 0.2, 0.02, "m");
}

/// A lift: the tower goes with it, and its contacts bear m·(g + a).
fn lifts_carry_towers<D: TestDim>() {
    let mut world = World::<D>::new();
    let def = BodyDef { kind: BodyKind::Kinematic, ..BodyDef::fixed(D::point(0.0, -0.5)) };
    let lift = world.create_body_with(def, [ShapeDef::new(D::block(4.0, 1.0)).friction(0.6)]).unwrap();
    let ids = tower(&mut world, 20, (0, 0.0));
    run(&mut world, 0.2);
    let (mut speed, dt, mut stood) = (0.0, world.settings().dt, 0);
    for _ in 0..60 {
        speed += 3.0 * dt;
        world.body_mut(lift).unwrap().set_linear_velocity(D::vec(0.0, speed)).unwrap();
        world.step();
        stood += u32::from(standing(&world) == 20);
        let weight = world.body(ids[0]).unwrap().mass() * 20.0 * 13.0;
        if standing(&world) == 20 {
            assert_close(
                "force on the lift",
                force_between(&world, lift, ids[0]),
                weight,
                0.01 * weight,
                "N",
            );
        }
    }
    assert!(stood >= 55, "stood in {stood} of 60 steps");
    let rise = place(&world, lift).get(1) + 0.5;
    assert_close("top", place(&world, ids[19]).get(1) - rise, 9.75, 2e-3, "m");
    // Pulled away from under them faster than they fall.
    world.body_mut(lift).unwrap().set_linear_velocity(D::vec(0.0, speed - 1.0)).unwrap();
    world.step();
    assert_eq!(standing(&world), 0, "nobody pulls them down");
}

/// Statics and small steps agree on where a thrown ball leaves a tower, as far as a collapse can be compared: same survivors. At 30 m/s steps of 1/240 to 1/1920 s disagree,
/// at 40 m/s the tower falls with all of them.
fn a_gentle_throw_is_survived<D: TestDim>() {
    for (speed, stands) in [(0.5, true), (40.0, false)] {
        for statics in [true, false] {
            let mut world = World::<D>::new();
            adjust(&mut world, |s| s.statics = statics);
            add_floor(&mut world, 0.6);
            let ids = tower(&mut world, 20, (0, 0.0));
            run(&mut world, 0.5);
            let ball = add_shaped(&mut world, -1.0, 8.1, ShapeDef::new(D::ball(0.2)).density(2.0));
            world.body_mut(ball).unwrap().set_linear_velocity(D::vec(speed, 2.0)).unwrap();
            run(&mut world, 6.0);
            let top = place(&world, ids[19]);
            let is_up = top.get(1) > 9.7;
            assert_eq!(is_up, stands, "{speed} m/s, statics {statics}: top at {top:?}");
        }
    }
}

/// What bounced off a tower and flies on does not keep it from standing, though it may still be counted with its island.
fn what_flew_off_does_not_matter<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    tower(&mut world, 20, (0, 0.0));
    run(&mut world, 0.5);
    let shape = ShapeDef::new(D::ball(0.2)).density(0.1).restitution(1.0);
    let ball = add_shaped(&mut world, -1.0, 8.1, shape);
    world.body_mut(ball).unwrap().set_linear_velocity(D::vec(2.0, 1.0)).unwrap();
    let mut touched = false;
    for _ in 0..60 {
        world.step();
        touched |= world.contacts_of(ball).unwrap().any(|contact| contact.is_touching());
    }
    let speed = world.body(ball).unwrap().linear_velocity();
    assert!(touched && speed.get(0) < 0.0, "it bounced off: {speed:?}");
    assert_eq!(standing(&world), 20);
}

/// Small gaps are no support: whatever stands over them comes down, at any length of a step, before it sleeps.
fn nothing_hovers<D: TestDim>() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        let gap = 0.0024;
        let mut top = None;
        for i in 0..40 {
            let y = 0.25 + gap + (0.5 + gap) * i as Real;
            top = Some(add_shaped(&mut world, 0.0, y, ShapeDef::new(D::block(1.0, 0.5)).friction(0.6)));
        }
        adjust(&mut world, |s| s.dt = dt);
        let before = place(&world, top.unwrap()).get(1);
        run(&mut world, 4.0);
        let fallen = before - place(&world, top.unwrap()).get(1);
        assert_close(format!("fall at dt {dt}"), fallen, 40.0 * gap, 5e-3, "m");
    }
}

/// Short pushes that make a tower change between statics and small steps neither shake nor move it more than small steps alone.
fn changing_over_is_quiet<D: TestDim>() {
    let found = [true, false].map(|statics| {
        let mut world = World::<D>::new();
        adjust(&mut world, |s| s.statics = statics);
        add_floor(&mut world, 0.6);
        adjust(&mut world, |s| s.sleeping = false);
        let cube = || ShapeDef::new(D::cube(1.0)).friction(0.6);
        let ids: Vec<BodyId> =
            (0..40).map(|i| add_shaped(&mut world, 0.0, 0.5 + i as Real, cube())).collect();
        let weight = world.body(ids[0]).unwrap().mass() * 10.0;
        let (mut energy, mut low, mut high, mut stood): (Real, Real, Real, _) = (0.0, Real::MAX, 0.0, 0);
        for step in 0..600 {
            if step % 30 < 2 {
                let push = if step % 60 < 30 { 0.8 } else { -0.8 } * weight;
                world.body_mut(ids[39]).unwrap().apply_force(D::vec(push, 0.0)).unwrap();
            }
            world.step();
            if step > 200 {
                energy = energy.max(kinetic_energy(&world));
                let y = place(&world, ids[39]).get(1);
                (low, high) = (low.min(y), high.max(y));
                stood += u32::from(standing(&world) > 0);
            }
        }
        (energy, high - low, place(&world, ids[39]).get(0).abs(), stood)
    });
    let [on, off] = found;
    assert!(on.3 > 80 && on.3 < 395, "both ways are taken: {} of 399 steps by statics", on.3);
    assert!(on.0 < 2.0 * off.0 + 0.01, "kinetic energy {} J, with small steps alone {} J", on.0, off.0);
    assert!(on.1 < off.1 + 1e-3, "up and down by {} m, with small steps alone {} m", on.1, off.1);
    assert!(on.2 < off.2 + 0.01, "aside by {} m, with small steps alone {} m", on.2, off.2);
}

/// Forces and points of contacts of a crooked tower under a push and a torque, whichever body of a pair was made first: as small
/// steps find them.
fn forces_are_those_of_small_steps<D: TestDim>() {
    for reversed in [false, true] {
        let found = [true, false].map(|statics| {
            let mut world = World::<D>::new();
            adjust(&mut world, |s| {
                (s.sleeping, s.statics, s.gravity) = (false, statics, D::vec(0.0, -10.0));
            });
            let floor = (!reversed).then(|| add_floor(&mut world, 0.6));
            let mut ids = vec![None; 20];
            for k in 0..20 {
                let i = if reversed { 19 - k } else { k };
                let x = 0.02 * (i % 5) as Real;
                let shape = ShapeDef::new(D::block(1.0, 0.5)).friction(0.6);
                ids[i] = Some(add_shaped(&mut world, x, 0.25 + 0.5 * i as Real, shape));
            }
            floor.unwrap_or_else(|| add_floor(&mut world, 0.6));
            for _ in 0..240 {
                let mut body = world.body_mut(ids[14].unwrap()).unwrap();
                body.apply_force(D::vec(1.5, -2.0)).unwrap();
                body.apply_torque(D::spin(0.7)).unwrap();
                world.step();
            }
            assert_eq!(standing(&world) == 20, statics);
            let mut forces = Vec::new();
            for contact in world.contacts().filter(|contact| contact.is_touching()) {
                let mut presses: Vec<(u32, Real)> =
                    contact.points().map(|point| (point.3, point.2)).collect();
                presses.sort_unstable_by_key(|press| press.0);
                forces.push((contact.normal_force(), contact.friction_force(), presses));
            }
            forces
        });
        assert_eq!((found[0].len(), found[1].len()), (20, 20));
        for (on, off) in found[0].iter().zip(&found[1]) {
            assert_close("normal force", on.0, off.0, 0.03 * off.0, "N");
            assert_near("friction", on.1, off.1, 0.05, "N");
            let whole: Real = off.2.iter().map(|press| press.1).sum();
            for (a, b) in on.2.iter().zip(&off.2) {
                assert_eq!(a.0, b.0, "the same points");
                assert_close("point", a.1, b.1, 0.04 * whole, "N·s");
            }
        }
    }
}

/// What statics has no word for is left to small steps.
fn some_things_are_not_for_statics<D: TestDim>() {
    type Change<D> = fn(&mut World<D>, &[BodyId], BodyId);
    let cases: Vec<(&str, Change<D>)> = vec![
        ("locks", |w, ids, _| w.body_mut(ids[7]).unwrap().set_locks(topple::Locks::ROTATION)),
        ("conveyor", |w, ids, _| {
            let shape = w.body(ids[7]).unwrap().shapes().next().unwrap();
            let material =
                topple::Material { friction: 0.6, surface_velocity: D::vec(0.1, 0.0), ..Default::default() };
            w.set_material(shape, material).unwrap();
        }),
        ("belt by a hook", |w, _, _| {
            w.set_pre_solve(Some(std::sync::Arc::new(|contact| {
                *contact.surface_velocity = D::vec(0.1, 0.0);
                true
            })));
        }),
        ("turning ground", |w, _, floor| {
            w.set_kind(floor, BodyKind::Kinematic).unwrap();
            w.body_mut(floor).unwrap().set_angular_velocity(D::spin(0.01)).unwrap();
        }),
        ("too fast", |w, ids, _| w.body_mut(ids[3]).unwrap().set_linear_velocity(D::vec(0.0, 3.0)).unwrap()),
    ];
    for (name, change) in cases {
        let mut world = World::<D>::new();
        let shape = ShapeDef { pre_solve: true, ..ShapeDef::new(D::block(8.0, 1.0)).friction(0.6) };
        let floor = world.create_body_with(BodyDef::fixed(D::point(0.0, -0.5)), [shape]).unwrap();
        let ids = tower(&mut world, 20, (0, 0.0));
        run(&mut world, 0.3);
        assert_eq!(standing(&world), 20, "{name}: before");
        change(&mut world, &ids, floor);
        world.step();
        world.step();
        assert_eq!(standing(&world), 0, "{name}");
    }
}

/// What rests does not bounce: towers with restitution stand as those without, from the first step on.
fn restitution_at_rest_is_none<D: TestDim>() {
    for restitution in [0.1, 0.5, 1.0] {
        for (count, density) in [(40, 1.0), (10, 1e3)] {
            let mut world = World::<D>::new();
            add_floor(&mut world, 0.6);
            adjust(&mut world, |s| s.sleeping = false);
            let block =
                |density: Real| ShapeDef::new(D::block(1.0, 0.5)).restitution(restitution).density(density);
            for i in 0..count {
                add_shaped(&mut world, 0.0, 0.25 + 0.5 * i as Real, block(1.0));
            }
            let height = 0.25 + 0.5 * count as Real;
            let top = add_shaped(&mut world, 0.0, height, block(density));
            world.step();
            world.step();
            for seconds in [0.0, 5.0] {
                run(&mut world, seconds);
                assert_eq!(standing(&world), count + 1, "e = {restitution}, top of {density}");
            }
            assert_near("top", place(&world, top), D::vec(0.0, height), 1e-4, "m");
        }
    }
}

/// A tower with restitution that is dropped comes to rest as high as it is, and gains nothing on the way.
fn dropped_towers_bounce_and_rest<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    adjust(&mut world, |s| s.sleeping = false);
    let block = || ShapeDef::new(D::block(1.0, 0.5)).restitution(0.5).density(1.0);
    let ids: Vec<BodyId> =
        (0..20).map(|i| add_shaped(&mut world, 0.0, 0.55 + 0.5 * i as Real, block())).collect();
    let energy = |world: &World<D>| -> Real {
        let of = |id: &BodyId| {
            let body = world.body(*id).unwrap();
            body.kinetic_energy() + body.mass() * 9.8 * body.position().to_vec().get(1)
        };
        ids.iter().map(of).sum()
    };
    let start = energy(&world);
    let mut bounced: Real = 0.0;
    for _ in 0..600 {
        world.step();
        let now = energy(&world);
        assert!(now < start * 1.0001, "{now} J of {start} J");
        let rises = ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().get(1));
        bounced = rises.fold(bounced, Real::max);
    }
    assert!(bounced > 0.3, "left at {bounced} m/s at most");
    assert_eq!(standing(&world), 20);
    assert_near("top", place(&world, ids[19]), D::vec(0.0, 9.75), 0.01, "m");
}

/// A block put beyond the limit of its support falls, though nothing has moved enough for its contact to be computed anew.
fn moved_by_hand_is_looked_at_again<D: TestDim>() {
    for (x, stands) in [(0.482, true), (0.502, false)] {
        let mut world = World::<D>::new();
        add_floor(&mut world, 0.6);
        let mut ids = tower(&mut world, 20, (0, 0.0));
        for &id in &ids[10..] {
            let y = place(&world, id).get(1);
            world.body_mut(id).unwrap().set_position(D::point(0.48, y)).unwrap();
        }
        run(&mut world, 0.5);
        assert_eq!(standing(&world), 20);
        for id in ids.split_off(10) {
            let y = place(&world, id).get(1);
            world.body_mut(id).unwrap().set_position(D::point(x, y)).unwrap();
            ids.push(id);
        }
        run(&mut world, 15.0);
        let top = place(&world, ids[19]).get(1);
        assert_eq!(top > 9.0, stands, "{x}: top at {top}");
    }
}

/// A tower and a heap that a light ball once joined to one island part again, with sleeping off too, and the tower stands.
fn islands_part_again<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let ids = tower(&mut world, 20, (0, 0.0));
    for row in 0..12 {
        for column in 0..12 - row {
            let x = 1.9 + column as Real + 0.5 * row as Real;
            add_body(&mut world, x, 0.5 + row as Real, D::cube(0.99));
        }
    }
    let ball = add_shaped(&mut world, 0.95, 0.45, ShapeDef::new(D::ball(0.46)).density(0.01));
    world.step();
    world.step();
    let joined = world.profile().counters.islands;
    world.body_mut(ball).unwrap().set_position(D::point(-30.0, 0.45)).unwrap();
    run(&mut world, 2.0);
    assert_eq!((joined, world.profile().counters.islands), (1, 3));
    run(&mut world, 4.0);
    assert_eq!(standing(&world), 20, "top at {:?}", place(&world, ids[19]));
}

/// Errors within the slop are worked off without making speed of it.
fn errors_are_worked_off<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    adjust(&mut world, |s| s.sleeping = false);
    let ids: Vec<BodyId> = (0..20)
        .map(|i| {
            let gap = [0.0005, -0.0005, 0.0003, -0.0003][i % 4];
            let shape = ShapeDef::new(D::block(1.0, 0.5)).friction(0.6);
            add_shaped(&mut world, 0.0, 0.25 + 0.5 * i as Real + gap, shape)
        })
        .collect();
    let mut fastest: Real = 0.0;
    for _ in 0..240 {
        world.step();
        let speed = ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().length());
        fastest = fastest.max(speed.fold(0.0, Real::max));
    }
    assert_eq!(standing(&world), 20);
    assert!(fastest < 0.1, "{fastest} m/s");
    assert!(deepest_overlap(&world) < 5e-4, "{} m", deepest_overlap(&world));
    assert_close("top", place(&world, ids[19]).get(1), 9.75, 1e-3, "m");
}

/// Bits are the same after a restore while towers stand, and while one falls.
fn standing_is_deterministic<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let ids = tower(&mut world, 20, (0, 0.0));
    let mut restored: Option<World<D>> = None;
    for step in 0..120 {
        if step == 60 {
            for world in core::iter::once(&mut world).chain(&mut restored) {
                world.body_mut(ids[12]).unwrap().set_linear_velocity(D::vec(3.0, 0.0)).unwrap();
            }
        }
        world.step();
        if let Some(other) = &mut restored {
            other.step();
            assert_eq!(world.state_hash(), other.state_hash(), "step {step}");
        }
        if step % 25 == 7 {
            restored = Some(World::restore(&world.snapshot()).unwrap());
        }
    }
}

/// About the normal friction holds a twist up to μ times the loads at their levers.
#[test]
fn twist_decides_3d() {
    for (share, stands) in [(0.95, true), (1.05, false)] {
        let mut world = World::<D3>::new();
        add_floor(&mut world, 0.6);
        let ids = tower(&mut world, 20, (0, 0.0));
        run(&mut world, 0.3);
        let weight = world.body(ids[19]).unwrap().mass() * 10.0;
        // Corners of a face of 1 m by 0.5 m.
        let limit = 0.6 * weight * (0.25_f32 + 0.0625).sqrt();
        for _ in 0..20 {
            world.body_mut(ids[19]).unwrap().apply_torque(Vec3::new(0.0, share * limit, 0.0)).unwrap();
            world.step();
        }
        assert_eq!(standing(&world) == 20, stands, "share {share}");
        let spin = world.body(ids[19]).unwrap().angular_velocity().y;
        assert_eq!(spin < 1e-3, stands, "share {share}: {spin} rad/s");
    }
}

/// Towers of `height` slabs, 1 m wide and 0.5 m high, 2 m apart on one long slab whose top is at `y`. The long one first, then tower by tower.
fn towers_on_a_slab<D: TestDim>(world: &mut World<D>, towers: usize, height: usize, y: Real) -> Vec<BodyId> {
    adjust(world, |s| (s.sleeping, s.gravity) = (false, D::vec(0.0, -10.0)));
    let width = 2.0 * towers as Real;
    let slab = ShapeDef::new(D::block(width, 1.0)).friction(0.6);
    let mut ids = vec![add_shaped(world, 0.0, y - 0.5, slab)];
    for tower in 0..towers {
        let x = 2.0 * tower as Real + 1.0 - 0.5 * width;
        for i in 0..height {
            let shape = ShapeDef::new(D::block(1.0, 0.5)).friction(0.6);
            ids.push(add_shaped(world, x, y + 0.25 + 0.5 * i as Real, shape));
        }
    }
    ids
}

/// Weight of some bodies [N], g = 10 m/s².
fn weight_of<D: Dim>(world: &World<D>, ids: &[BodyId]) -> Real {
    ids.iter().map(|&id| 10.0 * world.body(id).unwrap().mass()).sum()
}

/// Any number of towers on one slab that lies on the ground or stands on legs: all stand, and the ground bears the weight of all.
fn towers_share_a_slab<D: TestDim>() {
    for (towers, height, legs) in [(2, 60, 0), (8, 60, 0), (30, 20, 0), (2, 20, 2), (8, 20, 3), (8, 20, 5)] {
        let name = format!("{towers} towers of {height}, {legs} legs");
        let mut world = World::<D>::new();
        let ground = add_floor(&mut world, 0.6);
        let y = if legs == 0 { 1.0 } else { 2.0 };
        let mut ids = towers_on_a_slab(&mut world, towers, height, y);
        let starts: Vec<D::Vec> = ids.iter().map(|&id| place(&world, id)).collect();
        let mut feet = vec![ids[0]];
        if legs > 0 {
            feet = (0..legs)
                .map(|i| {
                    let x = (i as Real / (legs - 1) as Real - 0.5) * (2.0 * towers as Real - 1.0);
                    add_shaped(&mut world, x, 0.5, ShapeDef::new(D::cube(1.0)).friction(0.6))
                })
                .collect();
            ids.extend(&feet);
        }
        world.step();
        world.step();
        assert_eq!(standing(&world) as usize, ids.len(), "{name}");
        run(&mut world, 6.0);
        assert_eq!(standing(&world) as usize, ids.len(), "{name}: later");
        for (&id, &start) in ids.iter().zip(&starts) {
            assert_near(format!("{name}: a body"), place(&world, id), start, 1e-3, "m");
        }
        let borne: Real = feet.iter().map(|&foot| force_between(&world, ground, foot)).sum();
        let weight = weight_of(&world, &ids);
        assert_close(format!("{name}: on the ground"), borne, weight, 1e-3 * weight, "N");
        let on_slab: Real = (0..towers).map(|i| force_between(&world, ids[0], ids[1 + i * height])).sum();
        let above = weight_of(&world, &ids[1..=towers * height]);
        assert_close(format!("{name}: on the slab"), on_slab, above, 1e-3 * above, "N");
    }
}

/// One of several towers on a slab is pushed over; the others go on standing.
fn one_tower_falls<D: TestDim>() {
    let mut world = World::<D>::new();
    add_floor(&mut world, 0.6);
    let (towers, height) = (5, 14);
    let ids = towers_on_a_slab(&mut world, towers, height, 1.0);
    run(&mut world, 0.5);
    assert_eq!(standing(&world) as usize, ids.len());
    let last = &ids[1 + (towers - 1) * height..];
    for &id in &last[7..] {
        world.body_mut(id).unwrap().set_linear_velocity(D::vec(4.0, 0.0)).unwrap();
    }
    world.step();
    run(&mut world, 5.0);
    let top = place(&world, last[height - 1]);
    assert!(top.get(1) < 5.0, "the pushed one fell: {top:?}");
    for tower in 0..towers - 1 {
        let top = place(&world, ids[(tower + 1) * height]);
        let x = 2.0 * tower as Real + 1.0 - towers as Real;
        assert_near(format!("tower {tower}"), top, D::vec(x, 0.75 + 0.5 * height as Real), 0.05, "m");
    }
}

/// Heavy bodies on several light ones: a bridge of two posts, boxes that touch side by side, a small pyramid.
fn heavy_on_several<D: TestDim>() {
    for ratio in [1e3, 1e5] {
        type Rows = Vec<(Real, Vec<Real>)>;
        let cases: [(&str, Rows); 5] = [
            ("two posts", vec![(0.5, vec![-1.0, 1.0])]),
            ("side by side", vec![(0.5, vec![-0.5, 0.5])]),
            ("three", vec![(0.5, vec![-1.0, 0.0, 1.0])]),
            ("pyramid", vec![(0.5, vec![-1.0, 0.0, 1.0]), (1.5, vec![-0.5, 0.5])]),
            (
                "larger pyramid",
                vec![(0.5, vec![-1.5, -0.5, 0.5, 1.5]), (1.5, vec![-1.0, 0.0, 1.0]), (2.5, vec![-0.5, 0.5])],
            ),
        ];
        for (name, rows) in cases {
            if rows.len() > 2 && ratio > 1e3 {
                // There the straight line puts the whole load on the edge of the lowest row, and rounding decides.
                continue;
            }
            let mut world = World::<D>::new();
            let ground = add_floor(&mut world, 0.6);
            adjust(&mut world, |s| (s.sleeping, s.gravity) = (false, D::vec(0.0, -10.0)));
            let mut ids = Vec::new();
            for (y, places) in &rows {
                for &x in places {
                    ids.push(add_body(&mut world, x, *y, D::cube(1.0)));
                }
            }
            let width = if rows.len() > 1 { 2.0 } else { 3.0 };
            let (y, shape) = (rows.len() as Real + 0.5, D::block(width, 1.0));
            let density = ratio / width;
            let top = add_shaped(&mut world, 0.0, y, ShapeDef::new(shape).density(density).friction(0.6));
            ids.push(top);
            run(&mut world, 5.0);
            assert_near(format!("{name}, 1:{ratio}"), place(&world, top), D::vec(0.0, y), 1e-3, "m");
            assert_eq!(standing(&world) as usize, ids.len(), "{name}, 1:{ratio}");
            let borne: Real = ids.iter().map(|&id| force_between(&world, ground, id)).sum();
            let weight = weight_of(&world, &ids);
            assert_close(format!("{name}, 1:{ratio}: on the ground"), borne, weight, 1e-3 * weight, "N");
        }
    }
}

/// A leg that is too short bears nothing, and a slab over a single post in its middle needs no other.
fn short_legs_bear_nothing<D: TestDim>() {
    let mut world = World::<D>::new();
    let ground = add_floor(&mut world, 0.6);
    adjust(&mut world, |s| (s.sleeping, s.gravity) = (false, D::vec(0.0, -10.0)));
    let legs: Vec<BodyId> = [(-2.0, 1.0), (0.0, 0.996), (2.0, 1.0)]
        .iter()
        .map(|&(x, height)| add_body(&mut world, x, 0.5 * height, D::block(0.5, height)))
        .collect();
    let slab = add_shaped(&mut world, 0.0, 1.5, ShapeDef::new(D::block(5.0, 1.0)).density(1000.0));
    run(&mut world, 3.0);
    let [left, middle, right] = [0, 1, 2].map(|i| force_between(&world, legs[i], slab));
    let weight = weight_of(&world, &[slab]);
    assert!(middle < 0.1 * weight, "the short leg bears {middle} of {weight} N");
    assert_close("long legs", left + right + middle, weight, 0.02 * weight, "N");
    assert!(force_between(&world, ground, legs[1]) < 0.1 * weight);
}

both! {
    contacts_bear_what_is_above, contacts_bear_what_is_above_2d, contacts_bear_what_is_above_3d;
    overhang_decides, overhang_decides_2d, overhang_decides_3d;
    friction_decides, friction_decides_2d, friction_decides_3d;
    changes_end_it, changes_end_it_2d, changes_end_it_3d;
    nothing_hangs_in_the_air, nothing_hangs_in_the_air_2d, nothing_hangs_in_the_air_3d;
    lifts_carry_towers, lifts_carry_towers_2d, lifts_carry_towers_3d;
    a_gentle_throw_is_survived, a_gentle_throw_is_survived_2d, a_gentle_throw_is_survived_3d;
    what_flew_off_does_not_matter, what_flew_off_does_not_matter_2d, what_flew_off_does_not_matter_3d;
    nothing_hovers, nothing_hovers_2d, nothing_hovers_3d;
    changing_over_is_quiet, changing_over_is_quiet_2d, changing_over_is_quiet_3d;
    forces_are_those_of_small_steps, forces_are_those_of_small_steps_2d, forces_are_those_of_small_steps_3d;
    some_things_are_not_for_statics, some_things_are_not_for_statics_2d, some_things_are_not_for_statics_3d;
    restitution_at_rest_is_none, restitution_at_rest_is_none_2d, restitution_at_rest_is_none_3d;
    dropped_towers_bounce_and_rest, dropped_towers_bounce_and_rest_2d, dropped_towers_bounce_and_rest_3d;
    moved_by_hand_is_looked_at_again, moved_by_hand_is_looked_at_again_2d, moved_by_hand_is_looked_at_again_3d;
    islands_part_again, islands_part_again_2d, islands_part_again_3d;
    errors_are_worked_off, errors_are_worked_off_2d, errors_are_worked_off_3d;
    towers_share_a_slab, towers_share_a_slab_2d, towers_share_a_slab_3d;
    one_tower_falls, one_tower_falls_2d, one_tower_falls_3d;
    heavy_on_several, heavy_on_several_2d, heavy_on_several_3d;
    short_legs_bear_nothing, short_legs_bear_nothing_2d, short_legs_bear_nothing_3d;
    standing_is_deterministic, standing_is_deterministic_2d, standing_is_deterministic_3d;
}
