//! The stage of the pairs: asks the broad phase which boxes overlap, and makes contacts for pairs that are new.

use super::World;
use crate::body::BodySet;
use crate::broad_phase::PairKey;
use crate::contact::Contact;
use crate::exec::Executor;
use crate::math::*;
use crate::store::sort_pairs;
use crate::trusted::{Each, extend_in_pieces, in_pieces};

/// Lists of more new pairs than this are not kept for the next step: so many come when a world begins, and not again.
const KEPT_PAIRS: usize = 16_384;

/// Pairs per piece when those that get no contact are left out; a constant: the cut must not depend on the number of threads.
const PAIRS: usize = 1024;

/// Contacts per piece when many are made at once; a constant too.
const DRAFTS: usize = 256;

/// How many pairs ahead memory is asked for the place of a new one.
const AHEAD: usize = 8;

/// Asks the broad phase and creates contacts for the pairs that are new.
pub(super) fn find_pairs<D: Dim>(world: &mut World<D>) {
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
    sort_pairs(&mut pairs, world.shapes.slot_count());
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
