//! The same bits: again, in debug and release builds, on threads, after a restore, with stages swapped out and in.

use crate::examples::custom_broad_phase::SweepX;
use crate::examples::custom_integrator::Windy;
use crate::examples::custom_solver::Penalty;
use crate::support::*;
use std::sync::Arc;
use topple::exec::{Pool, Serial};
use topple::math::*;
use topple::narrow_phase::{ContactBatch, LocalManifold, NarrowPhase};
use topple::shape::ShapeOps;
use topple::{BodyDef, ShapeDef, World};

/// State hashes of the heap after 0, 60, 120, 180 and 240 steps, in the plane and in space. They are the same in every
/// build and on every platform. A change that alters them must say why in its message, and write the new ones here
/// (the failing test prints them).
const GOLDEN: [(&str, [[u64; 5]; 2]); 2] = [
    (
        "baumgarte",
        [
            [
                0x038ed0a26564ea45,
                0x9061680b25c790f5,
                0x6e1df3876f0fbc61,
                0x6b3ae5896c235fb9,
                0x348e84cc8b1fbbf4,
            ],
            [
                0x3308fb8e7220576f,
                0xfb0563933fc44891,
                0x392ecff6309b5213,
                0xa459f53aa1c6a262,
                0xf1bc1a502798195c,
            ],
        ],
    ),
    (
        "soft-step",
        [
            [
                0x038ed0a26564ea45,
                0xf15519759ead3247,
                0x2d4d86cc8156a977,
                0xad821fd566f5db94,
                0x954880dac5c33cd6,
            ],
            [
                0x3308fb8e7220576f,
                0xa5ad64c16a54c276,
                0x08e511fc96b7428e,
                0x3f066d8f20c5a50b,
                0x0182ff34fbd5b915,
            ],
        ],
    ),
];

fn heap_world<D: TestDim>() -> World<D> {
    let mut world = world_with_solver::<D>("baumgarte");
    heap(&mut world, 7);
    // Something that moves by itself, and something that spins off the axes.
    let def = BodyDef { linear_velocity: D::vec(-0.8, 0.0), ..BodyDef::kinematic(D::point(9.0, 0.6)) };
    world.create_body_with(def, [ShapeDef::new(D::cube(1.0))]).unwrap();
    let mut spin = D::spin(2.0);
    spin.set(0, 3.0);
    let def = BodyDef { angular_velocity: spin, ..BodyDef::dynamic(D::point(2.0, 14.0)) };
    world.create_body_with(def, [ShapeDef::new(D::block(1.6, 0.5))]).unwrap();
    world
}

fn hashes<D: Dim>(world: &mut World<D>, parts: usize) -> Vec<u64> {
    let mut out = vec![world.state_hash()];
    for _ in 1..parts {
        (0..60).for_each(|_| world.step());
        out.push(world.state_hash());
    }
    out
}

/// Golden hashes, of the reference solver, which changes least, and of the default one.
fn golden<D: TestDim>() {
    let mut changed = String::new();
    for (solver, expected) in GOLDEN {
        let mut world = heap_world::<D>();
        world.set_solver_by_name(solver).unwrap();
        let got = hashes(&mut world, 5);
        if got != D::pick(expected[0], expected[1]) {
            let text = got.iter().map(|hash| format!("{hash:#018x}")).collect::<Vec<_>>().join(", ");
            changed += &format!("\n{solver}, {}D: [{text}]", D::N);
        }
    }
    assert!(changed.is_empty(), "new hashes for GOLDEN:{changed}");
}

#[test]
fn golden_2d() {
    golden::<D2>();
}
#[test]
fn golden_3d() {
    golden::<D3>();
}

/// Every solver: the same run twice is the same.
fn repeat<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let run = || {
            let mut world = heap_world::<D>();
            world.set_solver_by_name(solver).unwrap();
            hashes(&mut world, 4)
        };
        let first = run();
        assert_eq!(first, run(), "{solver}");
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{solver}: something moves");
    }
}

#[test]
fn repeat_2d() {
    repeat::<D2>();
}
#[test]
fn repeat_3d() {
    repeat::<D3>();
}

/// One, two, four and eight threads; and threads that change during the run.
fn threads<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let run = |threads: usize| {
            let mut world = heap_world::<D>();
            world.set_solver_by_name(solver).unwrap();
            if threads > 0 {
                world.set_executor(Arc::new(Pool::new(threads)));
            }
            hashes(&mut world, 3)
        };
        let serial = run(0);
        for count in [1, 2, 4, 8] {
            assert_eq!(run(count), serial, "{solver} on {count} threads");
        }
        let mut world = heap_world::<D>();
        world.set_solver_by_name(solver).unwrap();
        for step in 0..120 {
            match step % 3 {
                0 => world.set_executor(Arc::new(Pool::new(1 + step % 4))),
                _ => world.set_executor(Arc::new(Serial)),
            }
            world.step();
        }
        assert_eq!(world.state_hash(), serial[2], "{solver}: changing threads");
    }
}

#[test]
fn threads_2d() {
    threads::<D2>();
}
#[test]
fn threads_3d() {
    threads::<D3>();
}

/// Saved and restored after any step, a world goes on as if nothing had been.
fn restore_at_any_step<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let build = || {
            let mut world = heap_world::<D>();
            world.set_solver_by_name(solver).unwrap();
            world
        };
        // A chain of restores, one after each step, ...
        let (mut straight, mut chain) = (build(), build());
        for step in 0..150 {
            straight.step();
            chain = World::restore(&chain.snapshot()).unwrap();
            chain.step();
            assert_eq!(chain.state_hash(), straight.state_hash(), "{solver}: after step {step}");
            assert_eq!(chain.events(), straight.events(), "{solver}: events of step {step}");
        }
        assert_eq!(chain.snapshot(), straight.snapshot(), "{solver}: all of the state");
        // ... and one restore that runs for long, through sleep.
        let mut copy = World::<D>::restore(&straight.snapshot()).unwrap();
        for step in 150..400 {
            straight.step();
            copy.step();
            assert_eq!(copy.state_hash(), straight.state_hash(), "{solver}: after step {step}");
        }
        assert_eq!((copy.step_count(), copy.time()), (straight.step_count(), straight.time()));
    }
}

#[test]
fn restore_at_any_step_2d() {
    restore_at_any_step::<D2>();
}
#[test]
fn restore_at_any_step_3d() {
    restore_at_any_step::<D3>();
}

/// Broad phases give the same pairs: swapping them every step changes nothing. Other stages do change the motion, but
/// swapped out and back in between steps they leave no trace either.
fn swapped_stages<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let [mut straight, mut swapped] = [heap_world::<D>(), heap_world::<D>()];
        straight.set_solver_by_name(solver).unwrap();
        swapped.set_solver_by_name(solver).unwrap();
        swap_stages_while_stepping(&mut straight, &mut swapped);
    }
}

fn swap_stages_while_stepping<D: TestDim>(straight: &mut World<D>, swapped: &mut World<D>) {
    let broad = methods::<D>("broad phase");
    let (solvers, integrators) = (methods::<D>("solver"), methods::<D>("integrator"));
    let narrow = methods::<D>("narrow phase");
    for step in 0..150 {
        swapped.set_broad_phase_by_name(broad[step % broad.len()]).unwrap();
        let names =
            [swapped.methods().solver(), swapped.methods().integrator(), swapped.methods().narrow_phase()];
        swapped.set_solver_by_name(solvers[step % solvers.len()]).unwrap();
        swapped.set_integrator_by_name(integrators[step % integrators.len()]).unwrap();
        swapped.set_narrow_phase_by_name(narrow[step % narrow.len()]).unwrap();
        swapped.set_solver_by_name(names[0]).unwrap();
        swapped.set_integrator_by_name(names[1]).unwrap();
        swapped.set_narrow_phase_by_name(names[2]).unwrap();
        straight.step();
        swapped.step();
        assert_eq!(swapped.state_hash(), straight.state_hash(), "after step {step}");
    }
}

#[test]
fn swapped_stages_2d() {
    swapped_stages::<D2>();
}
#[test]
fn swapped_stages_3d() {
    swapped_stages::<D3>();
}

/// The library's contacts, asked for one by one by a narrow phase of the user's own, none of them kept.
struct NothingKept;

impl<D: Dim> NarrowPhase<D> for NothingKept {
    fn name(&self) -> &'static str {
        "nothing-kept"
    }

    fn update(&self, batch: &mut ContactBatch<'_, D>) {
        let mut found = LocalManifold::default();
        while let Some(mut task) = batch.next_task() {
            let (job, cache, counters) = task.job();
            D::Shape::collide(&job, cache, counters, &mut found);
            task.finish(&found);
        }
    }
}

/// Puts methods of the user's own in all four places: none of them moves bodies as the library's do.
fn put_in_own_stages<D: TestDim>(world: &mut World<D>) {
    world.set_broad_phase(SweepX::default());
    world.set_narrow_phase(NothingKept);
    world.set_solver(Penalty::default());
    world.set_integrator(Windy::<D> { wind: D::Vec::axis(0) * 6.0, rate: 0.5 });
    let methods = world.methods();
    let names = [methods.broad_phase(), methods.narrow_phase(), methods.solver(), methods.integrator()];
    assert_eq!(names, ["sweep-x", "nothing-kept", "my-penalty", "windy"]);
}

/// The library's own methods, new ones, by name.
fn put_back<D: TestDim>(world: &mut World<D>, solver: &str) {
    world.set_broad_phase_by_name("bvh").unwrap();
    world.set_narrow_phase_by_name("auto").unwrap();
    world.set_solver_by_name(solver).unwrap();
    world.set_integrator_by_name("semi-implicit-euler").unwrap();
}

/// Contacts with their ids and impulses: they belong to the world and not to a stage.
fn impulses<D: TestDim>(world: &World<D>) -> Vec<(topple::ContactId, Vec<u32>)> {
    let points = |c: topple::world::ContactView<'_, D>| {
        c.points().map(|(_, _, impulse, _)| impulse.to_bits()).collect::<Vec<_>>()
    };
    world.contacts().map(|contact| (contact.id(), points(contact))).collect()
}

/// Users' own stages that are put in and taken out again between steps leave no trace, in no bit.
fn own_stages_leave_no_trace<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let [mut straight, mut swapped] = [heap_world::<D>(), heap_world::<D>()];
        straight.set_solver_by_name(solver).unwrap();
        for step in 0..100 {
            let before = impulses(&swapped);
            put_in_own_stages(&mut swapped);
            put_back(&mut swapped, solver);
            assert_eq!(impulses(&swapped), before, "before step {step}");
            straight.step();
            swapped.step();
            assert_eq!(swapped.state_hash(), straight.state_hash(), "{solver}, after step {step}");
        }
    }
}

#[test]
fn own_stages_leave_no_trace_2d() {
    own_stages_leave_no_trace::<D2>();
}
#[test]
fn own_stages_leave_no_trace_3d() {
    own_stages_leave_no_trace::<D3>();
}

/// Steps taken by other stages change the motion, but a stage that comes back finds all it needs in the world: the
/// world goes on as a restored copy does, whose stages have never seen the steps before.
fn stages_hide_no_state<D: TestDim>() {
    for solver in methods::<D>("solver") {
        let mut world = heap_world::<D>();
        world.set_solver_by_name(solver).unwrap();
        let mut straight = heap_world::<D>();
        straight.set_solver_by_name(solver).unwrap();
        let steps = |world: &mut World<D>, count: usize| (0..count).for_each(|_| world.step());
        for round in 0..4 {
            steps(&mut world, 20);
            put_in_own_stages(&mut world);
            steps(&mut world, 10);
            put_back(&mut world, solver);
            let mut copy = World::<D>::restore(&world.snapshot()).unwrap();
            assert_eq!(impulses(&copy), impulses(&world));
            for step in 0..20 {
                world.step();
                copy.step();
                assert_eq!(copy.state_hash(), world.state_hash(), "{solver}, round {round}, step {step}");
            }
        }
        steps(&mut straight, 200);
        assert_ne!(straight.state_hash(), world.state_hash(), "the stages in between were others");
    }
}

#[test]
fn stages_hide_no_state_2d() {
    stages_hide_no_state::<D2>();
}
#[test]
fn stages_hide_no_state_3d() {
    stages_hide_no_state::<D3>();
}

/// The order in which independent things are created matters only through their ids: creation that was undone leaves the
/// places and velocities of the rest alone.
fn undone_creation<D: TestDim>() {
    let mut plain = heap_world::<D>();
    let mut busy = heap_world::<D>();
    let extra = add_body(&mut busy, 50.0, 50.0, D::ball(0.5));
    busy.remove_body(extra).unwrap();
    for _ in 0..120 {
        plain.step();
        busy.step();
    }
    assert_eq!(plain.state_hash(), busy.state_hash());
}

#[test]
fn undone_creation_2d() {
    undone_creation::<D2>();
}
#[test]
fn undone_creation_3d() {
    undone_creation::<D3>();
}
