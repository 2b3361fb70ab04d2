//! A refined group takes its step in small ones: each with the usual number of sub-steps, and with contacts that are brought up
//! to date in between.
//!
//! Finer sub-steps alone, with the normals and lever arms of the start of the step, would be stiff about a geometry that is no
//! longer there, and take the motion out of whatever turns: a row of dominoes ran at half its speed. Pairs are those that
//! touched at the start; what begins to touch on the way has to wait for the next step, as everywhere.

use super::World;
use super::contacts::algorithm;
use super::refine::is_calm;
use super::step::{StepPart, solve_part};
use crate::body::{AwakeBodies, NO_SLOT, NONE};
use crate::contact::{Contact, flags};
use crate::joint::{Joint, JointKind, OCTAVE};
use crate::math::*;
use crate::narrow_phase::{ContactBatch, PairSource};
use crate::solver::Softness;
use crate::trusted::Mine;

/// Joints that bear less than this many weights of their lighter body can be stiffened at once (no unit).
const SLACK: Real = 2.0;

/// Joints that gape by less than this share of the size of their lighter body can be stiffened by an octave per step: closing
/// the gap under load lifts it, by no more than that (no unit).
const TIGHT: Real = 0.005;

/// Overlaps beyond what the load explains are let out in this time, e-fold [s]. What sank into each other while contacts were softer is
/// compressed like a spring, and along a column it would all be let off at once.
const LET_OUT: Real = 0.5;

/// An overlap is explained by its load up to this many times what a point gives way without turning (no unit): a corner of a box gives way
/// 4 times as much, and the load must be balanced while it grows.
const EXPLAINED: Real = 8.0;
/// Cosine of the angle between gravity and the normal up to which a contact bears weight (no unit; 26°). What leans against something is not eased: the tip of a domino that
/// pushes a ball away would hold it.
const UPRIGHT: Real = 0.9;

/// Octaves of frequency per second by which loaded joints get stiffer [1/s].
const PACE: Real = 4.0;

/// What turns by more than this in a step whirls, and keeps the usual sub-steps [rad]: in half as many it turns by more than the 0.04 rad up to
/// which joints foresee its arc (`joint/sight.rs`). A pair at 15 rad/s, in two sub-steps, gaped by 18 mm and lost a third of its energy in 10 s.
const WHIRLS: Real = 0.08;
/// What turns by less than this in a step hardly turns [rad]: levers change by half its square, in relation to their length.
const STILL: Real = 0.005;

/// A body of the group: where it was at the start of the step, and how far it has come since.
#[derive(Clone, Copy, Debug)]
struct Start<D: Dim> {
    place: Pose<D>,
    way: D::Vec,
    turn: D::Ang,
}

/// What a joint did.
#[derive(Clone, Copy, Debug, Default)]
struct Reaction<D: Dim> {
    push: D::Vec,
    turn: D::Ang,
}

/// Memory that lives from step to step.
#[derive(Debug)]
pub(super) struct Scratch<D: Dim> {
    starts: Vec<Start<D>>,
    /// First contacts of the pairs that touch.
    pairs: Vec<u32>,
    /// Joints of the group, with the sums of what they did over the small steps: push and turn.
    joints: Vec<(u32, Reaction<D>)>,
    /// Points whose overlap counts as less for one small step: contact, point, base separation.
    eased: Vec<(u32, usize, Real)>,
    /// All contacts of these pairs, as they were before they were brought up to date.
    before: Vec<(u32, Contact<D>)>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            pairs: Vec::new(),
            joints: Vec::new(),
            eased: Vec::new(),
            before: Vec::new(),
        }
    }
}

/// How often the number of sub-steps can be halved for a group that is solved all at once and touches nothing: more would gain nothing.
///
/// Once, unless something whirls: levers turn too far in sub-steps of twice the usual length, and a heavy body near `max_spin`, which is a rotation
/// per sub-step, would be slowed down. Twice if hardly anything turns: what is exact for the
/// levers of the start of a sub-step stays so while they point where they did. But not where forces are generated: stiff ones are stable in short
/// sub-steps only. Rods and ropes turn too, whatever the spin of the bodies at their ends. Springs and motors keep the usual sub-steps.
fn find_halvings<D: Dim>(world: &World<D>, group: &AwakeBodies<D>, joints: &[(u32, Reaction<D>)]) -> u32 {
    let settings = &world.settings;
    let moving = || group.states.iter().zip(&group.props).filter(|(_, props)| props.is_dynamic);
    let (mut is_whirling, mut is_still) = (false, world.generator_count() == 0);
    for (state, _) in moving() {
        let turn2 = state.w.dot(state.w) * settings.dt * settings.dt;
        is_whirling |= turn2 > WHIRLS * WHIRLS;
        is_still &= turn2 < STILL * STILL;
    }
    for &(index, _) in joints {
        let joint = &world.joints.hot[index as usize];
        is_whirling |= joint.drives();
        if let JointKind::Distance(_) = joint.kind {
            let [a, b] = joint.bodies.map(|body| world.bodies.cores[body as usize].motion.linear);
            let line = between_anchors(joint, &world.bodies.places);
            let (along, length2) = (line.dot(b - a), line.length_squared().max(Real::MIN_POSITIVE));
            let across2 = ((b - a).length_squared() - along * along / length2).max(0.0);
            let turn2 = across2 * settings.dt * settings.dt / length2;
            is_whirling |= turn2 > WHIRLS * WHIRLS;
            is_still &= turn2 < STILL * STILL;
        }
    }
    match (is_whirling, is_still) {
        (true, _) => 0,
        (_, false) => 1,
        (_, true) => 2,
    }
}

/// Solves a group in `count` small steps, its joints all at once if `is_direct`. Returns how often the number of sub-steps was halved.
pub(super) fn solve<D: Dim>(
    world: &mut World<D>,
    group: &mut AwakeBodies<D>,
    (count, is_direct): (u32, bool),
    scratch: &mut Scratch<D>,
) -> u32 {
    let Scratch { starts, pairs, joints, eased, before } = scratch;
    starts.clear();
    starts.extend(group.props.iter().map(|props| {
        let place = world.bodies.places[props.body as usize];
        Start { place, way: D::Vec::ZERO, turn: D::Ang::ZERO }
    }));
    find_pairs(world, group, pairs);
    find_joints(world, group, joints);
    let least_push = blow_on(world, pairs).min(world.settings.push_speed);
    if is_direct {
        world.profile.counters.at_once += joints.len() as u32;
    }
    let halvings =
        if is_direct && count == 1 && pairs.is_empty() { find_halvings(world, group, joints) } else { 0 };
    let halvings = halvings.min(world.settings.substeps.trailing_zeros());
    let reported = world.scratch.refine.loads.len();
    let has_graph = count > 1;
    if has_graph {
        take_part(world, group);
    }
    for index in 0..count {
        if index > 0 {
            refresh(world, pairs, before);
        }
        ease(world, pairs, count, eased);
        // The loads of the last small step count: the others are the way there.
        world.scratch.refine.loads.truncate(reported);
        solve_part(
            world,
            group,
            StepPart {
                refinement: count,
                of: count,
                index,
                is_direct,
                halvings,
                is_partial: true,
                has_graph,
                least_push,
            },
        );
        for &(index, point, separation) in eased.iter() {
            world.contacts.hot[index as usize].manifold.points_mut()[point].base_separation = separation;
        }
        for (index, sum) in joints.iter_mut() {
            let joint = &world.joints.hot[*index as usize];
            sum.push += joint.push;
            sum.turn += joint.turn;
        }
        for (slot, start) in starts.iter_mut().enumerate() {
            let body = group.props[slot].body as usize;
            let place = Pose { position: group.center(slot), rotation: group.rotations[slot] };
            world.bodies.places[body] = place;
            group.centers[slot] = place.position;
            let state = &mut group.states[slot];
            start.way += core::mem::take(&mut state.dp);
            start.turn += core::mem::take(&mut state.dr);
            if group.props[slot].is_dynamic {
                let core = &world.bodies.cores[body];
                let locks = crate::Locks::from_bits(core.locks);
                let turned = core.inv_inertia.rotated(place.rotation);
                group.props[slot].inv_inertia = turned.without_axes(locks.rotation);
            }
        }
    }
    // Reactions are means over the step: those of so short a time would be no measure of strength.
    let share = 1.0 / count as Real;
    for (index, sum) in joints.iter() {
        let joint = &mut world.joints.hot[*index as usize];
        (joint.push, joint.turn) = (sum.push * share, sum.turn * share);
    }
    stiffen(world, joints, |level| level.saturating_sub(1));
    // The rest of the world sees one step from where it began.
    for (slot, start) in starts.iter().enumerate() {
        world.bodies.places[group.props[slot].body as usize] = start.place;
        group.centers[slot] = start.place.position;
        (group.states[slot].dp, group.states[slot].dr) = (start.way, start.turn);
    }
    halvings
}

/// The constraints of a group, colours and order as in the graph of the world.
///
/// PERF: solvers look at all constraints of the graph for those of the group, in every small step. Where eleven bricks of a wall of 1 000 take 16 of them, that
/// was a tenth of the step.
fn take_part<D: Dim>(world: &mut World<D>, group: &AwakeBodies<D>) {
    let World { graph, contacts, joints, scratch, .. } = world;
    let is_member = |bodies: [u32; 2]| {
        bodies.into_iter().any(|body| {
            let slot = group.slot(body);
            slot != NO_SLOT && group.props[slot as usize].is_dynamic
        })
    };
    let takes_contact = |&&index: &&u32| is_member(contacts.hot[index as usize].bodies);
    let takes_joint = |&&index: &&u32| is_member(joints.hot[index as usize].bodies);
    for (color, part) in graph.colors.iter().zip(&mut scratch.part.colors) {
        part.contacts.clear();
        part.contacts.extend(color.contacts.iter().filter(takes_contact));
        part.joints.clear();
        part.joints.extend(color.joints.iter().filter(takes_joint));
    }
}

/// The first contacts of the pairs of a group that touch, each once.
fn find_pairs<D: Dim>(world: &World<D>, group: &AwakeBodies<D>, pairs: &mut Vec<u32>) {
    pairs.clear();
    for props in group.props.iter().filter(|props| props.is_dynamic) {
        let first = world.bodies.records[props.body].first_contact;
        for (index, side) in world.contacts.of_body(first) {
            let contact = &world.contacts.hot[index as usize];
            let other = contact.bodies[1 - side];
            let is_seen = other < props.body && world.bodies.cores[other as usize].inv_mass > 0.0;
            let touches = contact.is_solid() || contact.next_part != NONE;
            if !is_seen && touches && contact.flags & (flags::PART | flags::SENSOR) == 0 {
                pairs.push(index);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
}

/// How fast two bodies of a group meet that begin to touch in this step, side by side [m/s]; 0 if none do. They have met within the last step and gone on since, into each other. If the
/// one that was struck is not brought to where it would be, but let out slowly, a row of dominoes takes whole steps for each of them.
fn blow_on<D: Dim>(world: &World<D>, pairs: &[u32]) -> Real {
    let down = world.settings.gravity.normalize_or(D::Vec::ZERO);
    let is_new = |&&pair: &&u32| {
        let contact = &world.contacts.hot[pair as usize];
        let rotation = world.bodies.places[contact.bodies[0] as usize].rotation;
        contact.is_solid()
            && contact.flags & flags::WAS_SOLID == 0
            && contact.bodies.iter().all(|&body| world.bodies.cores[body as usize].inv_mass > 0.0)
            && contact.normal(rotation).dot(down).abs() < UPRIGHT
    };
    pairs.iter().filter(is_new).map(|&pair| world.approach_speed(pair)).fold(0.0, Real::max)
}

/// The joints of a group, each once.
fn find_joints<D: Dim>(world: &World<D>, group: &AwakeBodies<D>, joints: &mut Vec<(u32, Reaction<D>)>) {
    joints.clear();
    for props in group.props.iter().filter(|props| props.is_dynamic) {
        let first = world.bodies.records[props.body].first_joint;
        joints.extend(world.joints.of_body(first).map(|(index, _)| (index, Reaction::default())));
    }
    joints.sort_unstable_by_key(|joint| joint.0);
    joints.dedup_by_key(|joint| joint.0);
}

/// Lets the stiffness of joints follow the level of their island, slowly where they bear something: a bridge whose ropes
/// became four times as stiff from one step to the next would leap. Joints that bear next to nothing follow at once.
///
/// `octaves`: how much stiffer joints of an island of that level get.
fn stiffen<D: Dim>(world: &mut World<D>, joints: &[(u32, Reaction<D>)], octaves: impl Fn(u8) -> u8) {
    let pace = (PACE * Real::from(OCTAVE) * world.settings.dt).clamp(1.0, Real::from(OCTAVE)) as u16;
    let World { joints: store, bodies, islands, settings, impulse_time, .. } = world;
    for &(index, _) in joints {
        let joint = &mut store.hot[index as usize];
        let island = joint.bodies.map(|body| bodies.records[body].island).into_iter().find(|&i| i != NONE);
        let Some(island) = island.map(|island| &islands.slots[island]) else { continue };
        // On the way down it has to be there before the level is given up.
        let level = island.level - u8::from(island.level > 0 && is_calm(island.calm, settings));
        let wanted = u16::from(octaves(level)) * OCTAVE;
        let inv_mass = joint.bodies.map(|body| bodies.cores[body as usize].inv_mass);
        let weight = settings.weight_scale() / inv_mass[0].max(inv_mass[1]).max(Real::MIN_POSITIVE);
        let is_slack = joint.push.length() < SLACK * weight * *impulse_time;
        let extent = joint.bodies.map(|body| bodies.cores[body as usize].extent);
        let extent = if inv_mass[0] > inv_mass[1] { extent[0] } else { extent[1] };
        let is_tight = gap_of(joint, &bodies.places).is_some_and(|gap| gap < TIGHT * extent);
        let pace = if is_tight { OCTAVE } else { pace };
        joint.stiffness = match wanted.cmp(&joint.stiffness) {
            core::cmp::Ordering::Greater if is_slack => wanted,
            core::cmp::Ordering::Greater => wanted.min(joint.stiffness + pace),
            core::cmp::Ordering::Equal => wanted,
            core::cmp::Ordering::Less => wanted.max(joint.stiffness.saturating_sub(pace)),
        };
    }
}

/// How far the anchors of a joint that holds a point or a distance are from there [m]; none for joints that let them part.
pub(super) fn gap_of<D: Dim>(joint: &Joint<D>, places: &[Pose<D>]) -> Option<Real> {
    let length = || between_anchors(joint, places).length();
    match &joint.kind {
        JointKind::Ball(_) | JointKind::Hinge(_) | JointKind::Fixed => Some(length()),
        JointKind::Distance(distance) => {
            let length = length();
            Some((length - distance.max).max(distance.min - length).max(0.0))
        }
        _ => None,
    }
}

/// From anchor a to anchor b [m].
fn between_anchors<D: Dim>(joint: &Joint<D>, places: &[Pose<D>]) -> D::Vec {
    let [a, b] = [0, 1].map(|side| {
        let place = &places[joint.bodies[side] as usize];
        (place.position, place.rotation.rotate(joint.frames[side].position.to_vec()))
    });
    b.0 - a.0 + b.1 - a.1
}

/// The same where everything is solved together, `count` times as fine as usual: whatever is refined gets as stiff as that allows.
pub(super) fn stiffen_whole<D: Dim>(
    world: &mut World<D>,
    whole: &AwakeBodies<D>,
    count: u32,
    scratch: &mut Scratch<D>,
) {
    find_joints(world, whole, &mut scratch.joints);
    stiffen(world, &scratch.joints, |level| if level > 0 { count.ilog2() as u8 } else { 0 });
}

/// Makes less of overlaps that the load of their points does not explain, so that they are let out slowly. `eased` gets what they were.
fn ease<D: Dim>(world: &mut World<D>, pairs: &[u32], count: u32, eased: &mut Vec<(u32, usize, Real)>) {
    eased.clear();
    if count == 1 {
        return;
    }
    let World { contacts, bodies, settings, .. } = world;
    let (refinement, h) = (count as Real, settings.dt / (count * settings.substeps) as Real);
    let softness = Softness::of_contacts(settings, refinement, h);
    let down = settings.gravity.normalize_or(D::Vec::ZERO);
    for &pair in pairs {
        let mut at = pair;
        while at != NONE {
            let contact = &mut contacts.hot[at as usize];
            let [a, b] = contact.bodies.map(|body| &bodies.places[body as usize]);
            if contact.normal(a.rotation).dot(down).abs() < UPRIGHT {
                at = contact.next_part;
                continue;
            }
            let inv_masses = contact.bodies.map(|body| bodies.cores[body as usize].inv_mass);
            let soft = softness[usize::from(inv_masses[0] == 0.0 || inv_masses[1] == 0.0)];
            // Share of an overlap that is pushed out at the wanted pace.
            let pace = soft.mass_scale / (soft.rate * LET_OUT);
            for i in 0..contact.manifold.count as usize {
                let overlap = -contact.row(i, a, b).separation;
                let point = &mut contact.manifold.points_mut()[i];
                let sag = soft.sag(point.normal_impulse / refinement, inv_masses[0] + inv_masses[1]);
                let most = EXPLAINED * sag + pace * overlap;
                if overlap > most {
                    eased.push((at, i, point.base_separation));
                    point.base_separation += overlap - most;
                }
            }
            at = contact.next_part;
        }
    }
}

/// Brings contacts up to date with where the bodies are now. What no longer touches stays as it was: its anchors are apart, so
/// nothing acts, and what it is said to be stays true until the next step looks at it.
fn refresh<D: Dim>(world: &mut World<D>, pairs: &[u32], before: &mut Vec<(u32, Contact<D>)>) {
    before.clear();
    for &pair in pairs {
        let mut at = pair;
        while at != NONE {
            let contact = &world.contacts.hot[at as usize];
            before.push((at, *contact));
            at = contact.next_part;
        }
    }
    let source = PairSource {
        settings: &world.settings,
        bodies: &world.bodies,
        shapes: &world.shapes,
        proxies: &world.proxies,
        algorithm: algorithm(world),
        log: world.query_log.as_ref(),
        are_new: false,
    };
    let mut extra = core::mem::take(&mut world.scratch.extra);
    extra.clear();
    let mut batch = ContactBatch::new(&source, Mine::all(&mut world.contacts.hot), pairs, &mut extra);
    world.methods.narrow_phase.update(&mut batch);
    world.scratch.extra = extra;
    for (index, old) in before.iter() {
        let contact = &mut world.contacts.hot[*index as usize];
        if contact.manifold.count == 0 || !old.is_touching() {
            *contact = *old;
        }
        contact.flags = old.flags;
    }
}
