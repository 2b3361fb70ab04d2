//! One step, from top to bottom. Every block is a stage: its comment, its timer, its folder and its page in the manual
//! carry the same word.

use super::{Stage, World, finalize, gather, hits};
use crate::body::{AwakeBodies, BodySet, NONE};
use crate::broad_phase::PairKey;
use crate::contact::{Contact, flags};
use crate::continuous;
use crate::exec::Executor;
use crate::math::*;
use crate::narrow_phase::{Algorithm, ContactBatch, PairSource};
use crate::shape::ShapeOps;
use crate::solver::SolverContext;
use crate::store::room;
use crate::trusted::{Each, Owned, Owners, extend_in_pieces, in_pieces};
use std::time::Instant;

/// Lists of more new pairs than this are not kept for the next step: so many come when a world begins, and not again.
const KEPT_PAIRS: usize = 16_384;

/// Pairs per piece when those that get no contact are left out; a constant, as [`BATCH`].
const PAIRS: usize = 1024;

/// Contacts per piece when many are made at once; a constant, as [`BATCH`].
const DRAFTS: usize = 256;

/// How many pairs ahead memory is asked for the place of a new one.
const AHEAD: usize = 8;

/// Contacts per batch of the narrow phase. A constant: the cut must not depend on the number of threads.
const BATCH: usize = 64;

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

/// Asks the broad phase and creates contacts for the pairs that are new.
fn find_pairs<D: Dim>(world: &mut World<D>) {
    let mut moved = core::mem::take(&mut world.scratch.moved);
    let mut pairs = core::mem::take(&mut world.scratch.pairs);
    moved.clear();
    moved.extend_from_slice(world.moved.as_slice());
    moved.sort_unstable();
    world.moved.clear();
    pairs.clear();
    let broad_phase = &mut world.methods.broad_phase;
    broad_phase.find_pairs(&world.proxies, &moved, &*world.executor, &mut pairs);
    let mut kept = core::mem::take(&mut world.scratch.kept);
    // Most pairs of a moving world are old acquaintances.
    if world.contacts.pair_count() > 0 {
        keep(&*world.executor, &mut pairs, &mut kept, |key| world.contacts.find(key).is_none());
    }
    // DETERMINISM: the order of the method does not matter from here on.
    pairs.sort_unstable();
    pairs.dedup();
    // PERF: in order, so that what is asked about a shape is asked at once.
    keep(&*world.executor, &mut pairs, &mut kept, |key| world.is_contact(key));
    world.scratch.kept = kept;
    world.contacts.reserve(pairs.len());
    let is_drafted = world.contacts.is_packed() && pairs.len() >= DRAFTS;
    world.scratch.drafted_alone = if is_drafted && world.contacts.hot.is_empty() { pairs.len() } else { 0 };
    if is_drafted {
        let mut contacts = core::mem::take(&mut world.contacts.hot);
        let draft = |i: usize| world.blank_contact(pairs[i]);
        let mix = |contact: &mut Contact<D>| world.mix_contact(contact);
        extend_in_pieces(&*world.executor, DRAFTS, &mut contacts, pairs.len(), draft, mix);
        world.contacts.hot = contacts;
    }
    let has_sleepers = !world.bodies.set(BodySet::Sleeping).is_empty();
    for (i, &key) in pairs.iter().enumerate() {
        // PERF: pairs come in order, but their places in the table do not.
        if let Some(&ahead) = pairs.get(i + AHEAD) {
            world.contacts.pairs.prefetch(ahead);
        }
        let index = if is_drafted {
            world.contacts.adopt(&mut world.bodies)
        } else {
            let contact = world.draft_contact(key);
            world.contacts.insert(contact, &mut world.bodies)
        };
        let bodies = world.contacts.hot[index as usize].bodies;
        if bodies.iter().any(|&body| world.bodies.is_awake(body)) {
            world.contacts.awake.insert(index);
        }
        if has_sleepers {
            world.wake_by_arrival(key, &moved);
        }
        if world.settings.sleeping_contacts {
            world.scratch.asleep.push(index);
        }
    }
    world.profile.counters.new_pairs += pairs.len() as u32;
    world.look_at_sleepers();
    world.profile.counters.moved = moved.len() as u32;
    world.scratch.moved = moved;
    if pairs.len() < KEPT_PAIRS {
        world.scratch.pairs = pairs;
    }
}

/// Leaves the pairs for which `is_kept` holds, in their order.
fn keep(
    executor: &dyn Executor,
    pairs: &mut Vec<PairKey>,
    kept: &mut Vec<usize>,
    is_kept: impl Fn(PairKey) -> bool + Sync,
) {
    kept.clear();
    kept.resize(pairs.len().div_ceil(PAIRS), 0);
    in_pieces(executor, PAIRS, (&mut *pairs, Each::of(kept)), |_, (part, kept)| {
        for i in 0..part.len() {
            if is_kept(part[i]) {
                part[*kept] = part[i];
                *kept += 1;
            }
        }
    });
    let mut end = 0;
    for (piece, &kept) in kept.iter().enumerate() {
        pairs.copy_within(piece * PAIRS..piece * PAIRS + kept, end);
        end += kept;
    }
    pairs.truncate(end);
}

/// What a batch of the narrow phase found.
pub(crate) struct BatchResult<D: Dim> {
    /// Contacts whose state changed.
    changed: Vec<u32>,
    /// New contacts of dynamic bodies: perhaps not there.
    suspects: Vec<u32>,
    /// Parts of pairs for which there is no contact yet.
    extra: Vec<(u32, crate::narrow_phase::LocalManifold<D>)>,
}

impl<D: Dim> Default for BatchResult<D> {
    fn default() -> Self {
        Self { changed: Vec::new(), suspects: Vec::new(), extra: Vec::new() }
    }
}

/// The algorithm of the narrow phase, with the settings taken into account.
pub(super) fn algorithm<D: Dim>(world: &World<D>) -> Algorithm {
    match world.methods.narrow_phase.algorithm() {
        Algorithm::Sat if world.settings.separating_planes => Algorithm::SeparatingPlanes,
        algorithm => algorithm,
    }
}

/// Runs the narrow phase over all awake contacts and collects those whose state changed.
fn update_contacts<D: Dim>(world: &mut World<D>) {
    let algorithm = algorithm(world);
    // Bodies that touched nothing before push all that they meet: see `ghosts.rs`.
    let is_first = world.are_all_pairs_new();
    let indices = world.contacts.awake.as_slice();
    let pieces = indices.len().div_ceil(BATCH);
    let changes = &mut world.scratch.changes;
    if changes.len() < pieces {
        changes.resize_with(pieces, BatchResult::default);
    }
    let source = PairSource {
        settings: &world.settings,
        bodies: &world.bodies,
        shapes: &world.shapes,
        proxies: &world.proxies,
        algorithm,
        log: world.query_log.as_ref(),
        are_new: is_first,
    };
    let hook = world.hooks.pre_solve.as_ref();
    let scene = hook.map(|hook| super::hooks::HookScene {
        hook,
        bodies: &world.bodies,
        shapes: &world.shapes,
        settings: &world.settings,
    });
    if world.contacts.has_grain {
        world.contacts.grains.resize(world.contacts.hot.len(), crate::contact::Grain::default());
    }
    // A contact belongs to its place in the awake list; the further parts of a pair to that of their head.
    let owners = Owners::new(world.contacts.awake.positions(), &world.contacts.heads);
    let arrays = (
        Each::of(&mut changes[..pieces]),
        Owned::new(&mut world.contacts.hot, owners),
        Owned::new(&mut world.contacts.grains, owners),
    );
    let narrow_phase = &*world.methods.narrow_phase;
    let total = std::sync::Mutex::new((crate::narrow_phase::NarrowCounters::default(), 0));
    in_pieces(&*world.executor, BATCH, arrays, |piece, (result, mut contacts, mut grains)| {
        let part = &indices[piece * BATCH..indices.len().min((piece + 1) * BATCH)];
        result.changed.clear();
        result.suspects.clear();
        result.extra.clear();
        // All of them change in the first step of a world: not one by one.
        room::make_room(&mut result.changed, part.len());
        for &index in part {
            let mut at = index;
            while at != NONE {
                let contact = contacts.get(at as usize);
                let was = if contact.is_touching() { flags::WAS_TOUCHING } else { 0 }
                    | if contact.is_solid() { flags::WAS_SOLID } else { 0 };
                let kept = contact.flags & !(flags::WAS_TOUCHING | flags::WAS_SOLID | flags::FRESH);
                contact.flags = kept | was;
                at = contact.next_part;
            }
        }
        let mut batch = ContactBatch::new(&source, contacts, part, &mut result.extra);
        narrow_phase.update(&mut batch);
        let (mut contacts, counters) = batch.finish();
        let mut points = 0;
        for &index in part {
            let mut at = index;
            while at != NONE {
                let contact = contacts.get(at as usize);
                if contact.flags & (flags::SURFACE | flags::GRAIN) != 0 {
                    let [a, b] = contact.shapes.map(|shape| &source.shapes[shape]);
                    contact.surface_velocity = super::links::surface_velocity(source.bodies, a, b);
                    if contact.has_grain() {
                        *grains.get(at as usize) = super::links::grain(source.bodies, a, b);
                    }
                }
                match &scene {
                    Some(scene) if contact.flags & flags::PRE_SOLVE != 0 && contact.is_touching() => {
                        scene.ask(contact)
                    }
                    _ => contact.flags &= !flags::REFUSED,
                }
                if contact.flags & flags::FRESH != 0 && contact.is_solid() {
                    let moves = |body: u32| source.bodies.records[body].kind == crate::BodyKind::Dynamic;
                    let has_edges = |shape: u32| source.shapes[shape].shape.keeps_contacts();
                    let is_suspect = if !contact.bodies.into_iter().all(moves) {
                        true
                    } else if is_first {
                        false
                    } else {
                        // Of two that can be pushed, one must have edges, and what rests on each other is left alone.
                        match contact.shapes.map(has_edges) {
                            [true, true] => contact.flags & flags::WAS_SOLID == 0,
                            edges => edges[0] != edges[1],
                        }
                    };
                    if is_suspect {
                        if result.suspects.is_empty() {
                            room::make_room(&mut result.suspects, part.len());
                        }
                        result.suspects.push(at);
                    }
                }
                points += if contact.is_solid() { contact.manifold.count } else { 0 };
                let was_touching = contact.flags & flags::WAS_TOUCHING != 0;
                let was_solid = contact.flags & flags::WAS_SOLID != 0;
                let apart = contact.flags & flags::APART != 0;
                let is_new_awake = core::mem::take(&mut contact.is_found_asleep);
                let is_changed = contact.is_touching() != was_touching || contact.is_solid() != was_solid;
                if apart || is_changed || is_new_awake {
                    result.changed.push(at);
                }
                // The parts of a pair that ends go with its head.
                at = if apart { NONE } else { contact.next_part };
            }
        }
        if let Ok(mut sum) = total.lock() {
            sum.0.add(&counters);
            sum.1 += points;
        }
    });
    (world.profile.narrow, world.profile.counters.points) = total.into_inner().unwrap_or_default();
    let changed = &mut world.scratch.changed;
    changed.clear();
    room::make_room(changed, changes[..pieces].iter().map(|result| result.changed.len()).sum());
    changes[..pieces].iter().for_each(|result| changed.extend_from_slice(&result.changed));
    make_parts(world, pieces);
    grow_grains(world);
    find_ghosts(world, pieces);
    let (changed, hot) = (&mut world.scratch.changed, &world.contacts.hot);
    // PERF: contacts that were made in one go, all that there are, have the order of their keys.
    if world.scratch.drafted_alone == hot.len() {
        changed.sort_unstable();
    } else {
        changed.sort_unstable_by_key(|&index| (hot[index as usize].key(), index));
    }
    changed.dedup();
}

/// Grains of the parts that are new in this step: they were in no batch.
fn grow_grains<D: Dim>(world: &mut World<D>) {
    if !world.contacts.has_grain {
        return;
    }
    world.contacts.grains.resize(world.contacts.hot.len(), crate::contact::Grain::default());
    for &index in &world.scratch.new_parts {
        let contact = &world.contacts.hot[index as usize];
        if contact.has_grain() {
            let [a, b] = contact.shapes.map(|shape| &world.shapes[shape]);
            world.contacts.grains[index as usize] = super::links::grain(&world.bodies, a, b);
        }
    }
}

/// Drops new contacts that are not there; see `ghosts.rs`.
fn find_ghosts<D: Dim>(world: &mut World<D>, pieces: usize) {
    // Parts that are new in this step were in no batch.
    let mut suspects = core::mem::take(&mut world.scratch.new_parts);
    for result in &world.scratch.changes[..pieces] {
        suspects.extend_from_slice(&result.suspects);
    }
    world.drop_ghosts(&suspects);
    world.scratch.new_parts = suspects;
}

/// Makes contacts for the parts of pairs that have none yet, in order of pairs.
fn make_parts<D: Dim>(world: &mut World<D>, pieces: usize) {
    let mut extra = core::mem::take(&mut world.scratch.extra);
    extra.clear();
    for result in &world.scratch.changes[..pieces] {
        extra.extend_from_slice(&result.extra);
    }
    // DETERMINISM: the batches follow the awake list, whose order is part of the state; a stable sort keeps the order of the
    // parts of one pair.
    extra.sort_by_key(|(head, _)| world.contacts.hot[*head as usize].key());
    world.scratch.new_parts.clear();
    for (head, local) in &extra {
        if let Some(index) = world.add_part(*head, local) {
            world.scratch.changed.push(index);
            world.scratch.new_parts.push(index);
        }
    }
    world.scratch.extra = extra;
}

/// Contacts that began or ended: events, islands, colours.
fn link_changes<D: Dim>(world: &mut World<D>) {
    let changed = core::mem::take(&mut world.scratch.changed);
    if changed.len() > world.events.begin.capacity() {
        let is_event = |&&index: &&u32| {
            let contact = &world.contacts.hot[index as usize];
            contact.is_touching() && contact.flags & (flags::SENSOR | flags::PART) == 0
        };
        let count = changed.iter().filter(is_event).count();
        room::make_room(&mut world.events.begin, count);
    }
    for &index in &changed {
        let contact = &world.contacts.hot[index as usize];
        if contact.flags & flags::APART != 0 {
            world.remove_contact(index, false);
            continue;
        }
        let (touching, solid, bits) = (contact.is_touching(), contact.is_solid(), contact.flags);
        if bits & flags::PART != 0 {
            // The head speaks for the pair, but for hits, which are told by the points.
            if touching && bits & flags::HIT_EVENTS != 0 {
                world.watched.insert(index);
            } else {
                world.watched.remove(index);
            }
        } else if touching {
            world.report_begin(index);
            if bits & (flags::PERSIST_EVENTS | flags::HIT_EVENTS) != 0 {
                world.watched.insert(index);
            }
        } else {
            world.report_end(index, false);
            world.watched.remove(index);
        }
        if solid {
            world.wake_by_touch(index);
            world.link_contact(index);
            let bodies = world.contacts.hot[index as usize].bodies;
            let inv_masses = bodies.map(|body| world.bodies.cores[body as usize].inv_mass);
            let (light, heavy) = (inv_masses[0].max(inv_masses[1]), inv_masses[0].min(inv_masses[1]));
            let is_uneven = heavy > 0.0 && light > world.settings.refine_load * heavy;
            // The one that has an island.
            let body = bodies[usize::from(inv_masses[0] == 0.0)];
            room::push(&mut world.scratch.refine.grown, (body, is_uneven));
            world.color_contact(index);
            world.watch_leaning(index);
        } else {
            world.uncolor_contact(index);
            world.unlink_contact(index);
            world.leaning.remove(index);
        }
    }
    world.scratch.changed = changed;
}

/// Hands everything to the solver.
fn solve<D: Dim>(world: &mut World<D>) {
    world.scratch.refine.loads.clear();
    world.methods.integrator.begin_step(&mut world.scratch.awake, &world.settings);
    let mut awake = core::mem::take(&mut world.scratch.awake);
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
    /// Half as many sub-steps are enough: what is solved all at once gains nothing by more.
    pub is_halved: bool,
    /// Only constraints of the given bodies.
    pub is_partial: bool,
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
        is_halved: false,
        is_partial: false,
        least_push: 0.0,
    };
}

/// Hands some bodies to the solver: all of them, or a group that nothing connects with the others.
pub(super) fn solve_part<D: Dim>(world: &mut World<D>, bodies: &mut AwakeBodies<D>, part: StepPart) {
    let usual = world.settings.substeps * part.refinement / part.of;
    // Impulses are kept per sub-step of usual length: the factor has to be a power of two.
    let substeps = if part.is_halved && usual.is_multiple_of(2) { usual / 2 } else { usual };
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
        graph: &world.graph,
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
        proxies: &world.proxies,
        broad_phase: &*world.methods.broad_phase,
        executor: &*world.executor,
        has_still_kinematic,
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
