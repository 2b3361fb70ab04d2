//! One step, from top to bottom. Every block is a stage: its comment, its timer, its folder and its page in the manual
//! carry the same word.

use super::contacts::{link_changes, update_contacts};
use super::pairs::find_pairs;
use super::{Stage, World, finalize, gather, hits};
use crate::body::{AwakeBodies, BodySet};
use crate::continuous;
use crate::math::*;
use crate::solver::SolverContext;
use std::time::Instant;

/// Advances the world by `Settings::dt`.
pub(super) fn step<D: Dim>(world: &mut World<D>) {
    let start = Instant::now();
    world.profile.begin();
    world.events.begin_step();
    world.step_count += 1;
    world.time += f64::from(world.settings.dt);

    let mut lap = start;
    if world.bodies.set(BodySet::Awake).is_empty() && world.moved.is_empty() && !world.has_clockwork() {
        // Nothing moves and nothing new: no stage has anything to do.
        world.events.finish_step();
        finish_profile(world, start);
        return;
    }

    // Forces on sleepers may have changed.
    world.wake_by_generators();

    // pairs: which fat boxes overlap that did not before
    find_pairs(world);
    lap = world.profile.lap(Stage::Pairs, lap);

    // contacts: points, normals and separations of all awake pairs
    update_contacts(world);
    lap = world.profile.lap(Stage::Contacts, lap);

    // islands: touches that began and ended, in order of pairs
    link_changes(world);
    world.leave_asleep();
    world.release_groups();
    world.refine_columns();
    world.arrange();
    lap = world.profile.lap(Stage::Islands, lap);

    // solve: forces, contacts, joints, motion, in sub-steps of the solver's own
    hits::note_approach(world);
    while !gather::gather(world) {}
    solve(world);
    lap = world.profile.lap(Stage::Solve, lap);

    // continuous: fast bodies stop where they first meet something
    if world.settings.continuous {
        stop_fast_bodies(world);
    }
    world.settle_accounts();
    world.take_gains();
    lap = world.profile.lap(Stage::Continuous, lap);

    // finalize: new places, bounds and rest times
    finalize::finalize(world);
    lap = world.profile.lap(Stage::Finalize, lap);

    world.finish_generators();

    // sleep: wake what was leaned on, put to sleep what has come to rest
    world.check_joints();
    world.refine_islands();
    world.wake_by_load();
    if world.settings.sleeping {
        world.put_to_sleep();
    }
    world.split_islands();
    lap = world.profile.lap(Stage::Sleep, lap);

    // events: hits, persisting touches, sorting
    hits::report(world);
    world.report_persisting();
    world.events.finish_step();
    world.profile.lap(Stage::Events, lap);

    finish_profile(world, start);
    #[cfg(debug_assertions)]
    world.validate();
}

/// Hands everything to the solver.
fn solve<D: Dim>(world: &mut World<D>) {
    world.scratch.refine.loads.clear();
    world.methods.integrator.begin_step(&mut world.scratch.awake, &world.settings);
    let mut awake = core::mem::take(&mut world.scratch.awake);
    world.open_accounts(&awake);
    world.count_refined(&awake);
    world.foresee_loads(&mut awake);
    super::refine::solve(world, &mut awake);
    world.methods.integrator.end_step(&mut awake);
    world.scratch.awake = awake;
}

/// What is solved in one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepPart {
    /// How many times shorter the sub-steps are.
    pub refinement: u32,
    /// The part of the step: one of this many equal ones, and which.
    pub of: u32,
    pub index: u32,
    /// Joints are solved all at once.
    pub is_direct: bool,
    /// How often the sub-steps are halved: what is solved all at once gains nothing by more.
    pub halvings: u32,
    /// Only constraints of the given bodies.
    pub is_partial: bool,
    /// They are listed in `Scratch::part`.
    pub has_graph: bool,
    /// How fast overlaps may be pushed out at least, however fine the sub-steps are [m/s].
    pub least_push: Real,
}

impl StepPart {
    /// The whole step with the usual sub-steps.
    pub(super) const WHOLE: Self = Self {
        refinement: 1,
        of: 1,
        index: 0,
        is_direct: false,
        halvings: 0,
        is_partial: false,
        has_graph: false,
        least_push: 0.0,
    };
}

/// Hands some bodies to the solver: all of them, or a group that nothing connects with the others.
pub(super) fn solve_part<D: Dim>(world: &mut World<D>, bodies: &mut AwakeBodies<D>, part: StepPart) {
    let usual = world.settings.substeps * part.refinement / part.of;
    // Impulses are kept per sub-step of usual length: the factor has to be a power of two.
    let substeps = usual >> part.halvings.min(usual.trailing_zeros());
    let start = world.time - f64::from(world.settings.dt);
    let time = start + f64::from(world.settings.dt) * f64::from(part.index) / f64::from(part.of);
    world
        .generators
        .choose_part(bodies, &world.bodies, |slot| bodies.slot(bodies.props[slot].body) == slot as u32);
    let mut context = SolverContext {
        settings: &world.settings,
        dt: world.settings.dt / part.of as Real,
        substeps,
        impulse_time: world.settings.dt,
        refinement: (substeps * part.of) as Real / world.settings.substeps as Real,
        is_direct: part.is_direct,
        is_partial: part.is_partial,
        least_push: part.least_push,
        loads: &mut world.scratch.refine.loads,
        bodies,
        contacts: &mut world.contacts.hot,
        grains: &world.contacts.grains,
        joints: &mut world.joints.hot,
        graph: if part.has_graph { &world.scratch.part } else { &world.graph },
        places: &world.bodies.places,
        forces: super::generators::forces(
            &mut world.generators,
            &world.bodies,
            &world.shapes,
            &world.settings,
            time,
        ),
        integrator: &*world.methods.integrator,
        executor: &*world.executor,
    };
    world.methods.solver.solve(&mut context);
    let time = context.impulse_time;
    world.impulse_time = if time.is_finite() && time >= 0.0 { time } else { world.settings.dt };
    if !world.methods.solver.leaves_finite() {
        world.clear_impossible_impulses();
    }
}

/// Shortens the motion of bodies that would get through something.
fn stop_fast_bodies<D: Dim>(world: &mut World<D>) {
    let mut awake = core::mem::take(&mut world.scratch.awake);
    let mut scratch = core::mem::take(&mut world.scratch.continuous);
    let kinematic = world.proxies.kinematic_count() as usize;
    let has_still_kinematic = kinematic > 0 && {
        let moving = awake.props.iter().filter(|props| !props.is_dynamic);
        moving.map(|props| world.bodies.records[props.body].shapes.len()).sum::<usize>() < kinematic
    };
    let scene = continuous::Scene {
        settings: &world.settings,
        bodies: &world.bodies,
        shapes: &world.shapes,
        joints: &world.joints,
        proxies: &world.proxies,
        broad_phase: &*world.methods.broad_phase,
        executor: &*world.executor,
        has_still_kinematic,
        deep: &world.scratch.deep,
        may_touch: &|a, b| world.may_touch(a, b),
    };
    let counts = continuous::stop_fast_bodies(&scene, &mut awake, &mut scratch);
    (world.profile.counters.fast, world.profile.counters.stopped) = (counts.fast, counts.stopped);
    world.scratch.awake = awake;
    world.scratch.continuous = scratch;
}

fn finish_profile<D: Dim>(world: &mut World<D>, start: Instant) {
    let counters = &mut world.profile.counters;
    counters.bodies = world.bodies.records.len() as u32;
    counters.awake = world.bodies.set(BodySet::Awake).len() as u32;
    counters.shapes = world.shapes.len() as u32;
    counters.pairs = world.contacts.pair_count() as u32;
    counters.contacts = world.graph.contact_count() as u32;
    counters.joints = world.graph.joint_count() as u32;
    counters.constraints = counters.contacts + counters.joints;
    let used = |c: &&crate::contact::Color| !c.contacts.is_empty() || !c.joints.is_empty();
    counters.colors = world.graph.colors().iter().filter(used).count() as u32;
    counters.overflow = (world.graph.overflow().contacts.len() + world.graph.overflow().joints.len()) as u32;
    counters.islands = world.islands.slots.len() as u32;
    world.methods.broad_phase.counters(&mut world.profile.broad);
    world.profile.total = start.elapsed();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDef, Shape2};

    /// All that profiling adds to a step, done again and again on a world of 5 000 bodies at work: the laps of the stages, the
    /// counters, and four timers of the user's own. The best of many short runs counts, for machines that do other things.
    /// A pass over the bodies or contacts in it would cost more than this allows.
    #[test]
    fn profiling_costs_less_than_one_percent_of_200_us() {
        const REPEATS: u32 = 50;
        const RUNS: usize = 40;
        let mut world = World::<D2>::new();
        for i in 0..5000 {
            let place = [(i % 100) as Real, (i / 100) as Real * 0.99];
            world.create_body_with(BodyDef::dynamic(place), [Shape2::rectangle(1.0, 1.0)]).unwrap();
        }
        for _ in 0..3 {
            step(&mut world);
        }
        assert!(world.profile.counters.constraints > 9000, "{:?}", world.profile.counters);
        let expected = world.profile.counters;
        let profile_once = |world: &mut World<D2>| {
            let start = Instant::now();
            world.profile.begin();
            let mut lap = start;
            for (stage, _) in super::super::STAGES {
                lap = world.profile.lap(stage, lap);
            }
            finish_profile(world, start);
            for name in ["planning", "animation", "sound", "targets"] {
                world.profile.time(name, || std::hint::black_box(1));
            }
        };
        let best = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                (0..REPEATS).for_each(|_| profile_once(&mut world));
                start.elapsed().as_secs_f64() / f64::from(REPEATS)
            })
            .fold(f64::MAX, f64::min);
        assert_eq!(world.profile.counters.constraints, expected.constraints, "it was the real work");
        let share = best / 200e-6;
        println!("profiling: {:.0} ns per step, {:.2} % of 200 µs", best * 1e9, share * 100.0);
        assert!(share < 0.01, "profiling costs {:.0} ns per step", best * 1e9);
    }
}
