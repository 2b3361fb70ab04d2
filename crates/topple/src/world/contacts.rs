//! The stage of the contacts: points, normals and separations of all awake pairs; and what follows from touches that began and ended.

use super::World;
use super::landing::landed_body;
use crate::body::NONE;
use crate::contact::{Contact, flags};
use crate::math::*;
use crate::narrow_phase::{Algorithm, ContactBatch, NarrowCounters, PairSource};
use crate::shape::ShapeOps;
use crate::store::room;
use crate::trusted::{Each, Owned, Owners, in_pieces};

/// Contacts per batch of the narrow phase; the larger number where there are so many contacts that threads still find enough batches. Neither depends on the number of
/// threads: the cut must not.
const BATCH: usize = 64;
const LARGE_BATCH: usize = 256;
/// So many large batches are enough.
const MANY_BATCHES: usize = 12;

/// Kinds of contacts; see [`kind_of`].
const KINDS: usize = 64;

/// Overlap of contacts at rest, in slops, with room to spare: what is less is not deep, whatever its size.
const RESTING: Real = 4.0;

/// What makes a contact one to look at after the narrow phase: computed anew, or ended, or depending on more than the places of the bodies.
const UNQUIET: u16 =
    flags::FRESH | flags::APART | flags::SURFACE | flags::GRAIN | flags::PRE_SOLVE | flags::REFUSED;

/// What a batch of the narrow phase found.
pub(crate) struct BatchResult<D: Dim> {
    /// Contacts whose state changed.
    changed: Vec<u32>,
    /// New contacts of dynamic bodies: perhaps not there.
    suspects: Vec<u32>,
    /// Bodies that such a contact found so deep in something that cannot be pushed that they have just landed there.
    landed: Vec<u32>,
    /// Bodies that are deep in something that cannot be pushed.
    deep: Vec<u32>,
    /// Parts of pairs for which there is no contact yet.
    extra: Vec<(u32, crate::narrow_phase::LocalManifold<D>)>,
    counters: NarrowCounters,
    /// Of solid contacts.
    points: u32,
}

impl<D: Dim> Default for BatchResult<D> {
    fn default() -> Self {
        Self {
            changed: Vec::new(),
            suspects: Vec::new(),
            landed: Vec::new(),
            deep: Vec::new(),
            extra: Vec::new(),
            counters: NarrowCounters::default(),
            points: 0,
        }
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
pub(super) fn update_contacts<D: Dim>(world: &mut World<D>) {
    let algorithm = algorithm(world);
    // Bodies that touched nothing before push all that they meet: see `ghosts.rs`.
    let is_first = world.are_all_pairs_new();
    let indices = world.contacts.awake.as_slice();
    let batch = if indices.len() < MANY_BATCHES * LARGE_BATCH { BATCH } else { LARGE_BATCH };
    let pieces = indices.len().div_ceil(batch);
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
    in_pieces(&*world.executor, batch, arrays, |piece, (result, mut contacts, mut grains)| {
        let part = &indices[piece * batch..indices.len().min((piece + 1) * batch)];
        result.changed.clear();
        result.suspects.clear();
        result.landed.clear();
        result.deep.clear();
        result.extra.clear();
        // All of them change in the first step of a world: not one by one.
        room::make_room(&mut result.changed, part.len());
        let mut kinds = [0; LARGE_BATCH];
        for (&index, kind) in part.iter().zip(&mut kinds) {
            let mut contact = contacts.get(index as usize);
            *kind = kind_of(contact);
            loop {
                let was_touching = u16::from(contact.is_touching()) * flags::WAS_TOUCHING;
                let was_solid = u16::from(contact.is_solid()) * flags::WAS_SOLID;
                let kept = contact.flags & !(flags::WAS_TOUCHING | flags::WAS_SOLID | flags::FRESH);
                contact.flags = kept | was_touching | was_solid;
                let next = contact.next_part;
                if next == NONE {
                    break;
                }
                contact = contacts.get(next as usize);
            }
        }
        let part = &by_kind(part, &kinds)[..part.len()];
        let mut batch = ContactBatch::new(&source, contacts, part, &mut result.extra);
        narrow_phase.update(&mut batch);
        let (mut contacts, counters) = batch.finish();
        let mut points = 0;
        for &index in part {
            let mut at = index;
            while at != NONE {
                let contact = contacts.get(at as usize);
                // PERF: most of what was kept ends here. It is what it was.
                if contact.flags & UNQUIET == 0 && contact.next_part == NONE && !contact.is_found_asleep {
                    if contact.is_solid() {
                        points += contact.manifold.count;
                        result.deep.extend(deep_body(&source, contact));
                    }
                    break;
                }
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
                        result.landed.extend(landed_body(source.bodies, contact));
                    }
                }
                if contact.is_solid() {
                    points += contact.manifold.count;
                    result.deep.extend(deep_body(&source, contact));
                }
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
        (result.counters, result.points) = (counters, points);
    });
    let (narrow, points) = (&mut world.profile.narrow, &mut world.profile.counters.points);
    (*narrow, *points) = (NarrowCounters::default(), 0);
    for result in &changes[..pieces] {
        narrow.add(&result.counters);
        *points += result.points;
    }
    let changed = &mut world.scratch.changed;
    changed.clear();
    room::make_room(changed, changes[..pieces].iter().map(|result| result.changed.len()).sum());
    changes[..pieces].iter().for_each(|result| changed.extend_from_slice(&result.changed));
    world.scratch.deep.clear();
    changes[..pieces].iter().for_each(|result| world.scratch.deep.extend_from_slice(&result.deep));
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

/// Which way a contact will probably go, as a number below [`KINDS`]: by whether it may be kept, the points that it had and what its contact function remembers.
#[inline(always)]
fn kind_of<D: Dim>(contact: &Contact<D>) -> u8 {
    let keeps = u8::from(contact.flags & flags::KEEPS != 0);
    (contact.cache.kind as u8 & 7) << 3 | (contact.manifold.count.min(3) as u8) << 1 | keeps
}

/// The contacts of a batch in the order of their kinds. Contacts do not depend on each other, so any order gives the same result.
///
/// PERF: with pairs of all kinds in turns the processor guesses wrong at some five branches of each, by the model of callgrind. In a heap of discs, capsules, boxes and polygons that was an eighth of
/// the time of this stage in batches of 64, and a sixth in large ones. To ask the shapes for their kinds costs as much as it brings.
#[inline(always)]
fn by_kind(part: &[u32], kinds: &[u8; LARGE_BATCH]) -> [u32; LARGE_BATCH] {
    let mut ends = [0_u16; KINDS];
    let kind = |i: usize| usize::from(kinds[i]) % KINDS;
    for i in 0..part.len().min(LARGE_BATCH) {
        ends[kind(i)] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += core::mem::replace(count, end);
    }
    let mut sorted = [NONE; LARGE_BATCH];
    for (i, &index) in part.iter().enumerate().take(LARGE_BATCH) {
        let place = &mut ends[kind(i)];
        sorted[usize::from(*place) % LARGE_BATCH] = index;
        *place += 1;
    }
    sorted
}

/// The body of a contact that is deep in something that cannot be pushed, so that it must be watched however slow it is: see `continuous`.
fn deep_body<D: Dim>(source: &PairSource<'_, D>, contact: &Contact<D>) -> Option<u32> {
    let points = contact.manifold.points();
    let lowest = points.iter().fold(0.0, |lowest: Real, point| lowest.min(point.base_separation));
    // PERF: most contacts end here.
    if lowest >= -RESTING * contact.slop {
        return None;
    }
    let side = match contact.bodies.map(|body| source.bodies.records[body].kind == crate::BodyKind::Dynamic) {
        [true, false] => 0,
        [false, true] => 1,
        _ => return None,
    };
    let size = crate::continuous::thickness::<D>(&source.shapes[contact.shapes[side]], source.settings);
    (lowest < -crate::continuous::WATCHED * size).then_some(contact.bodies[side])
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
    let mut landed = core::mem::take(&mut world.scratch.landed);
    landed.clear();
    let new = suspects.iter().map(|&index| &world.contacts.hot[index as usize]);
    landed.extend(new.filter_map(|contact| landed_body(&world.bodies, contact)));
    for result in &world.scratch.changes[..pieces] {
        suspects.extend_from_slice(&result.suspects);
        landed.extend_from_slice(&result.landed);
    }
    world.scratch.landed = landed;
    world.lift_landed();
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
pub(super) fn link_changes<D: Dim>(world: &mut World<D>) {
    let changed = core::mem::take(&mut world.scratch.changed);
    if changed.len() > world.events.begin.capacity() {
        // Nearly all of so many begin: a world's first step.
        room::make_room(&mut world.events.begin, changed.len());
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
