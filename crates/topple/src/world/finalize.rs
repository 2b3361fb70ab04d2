//! The end of the motion: new places, new bounds, time at rest. Parallel over blocks of bodies.

use super::World;
use super::events::BodyFault;
use crate::body::{BodyCore, BodySet, Load, NO_SPEED, NONE};
use crate::math::*;
use crate::store::BodyId;
use crate::trusted::{Each, Owned, Owners, in_pieces};

/// Bodies per block. A constant: the cut must not depend on the number of threads.
const BLOCK: usize = 64;

/// What a block of bodies reports.
pub(crate) struct BlockResult<D: Dim> {
    /// Shapes that left their fat box, and the new one.
    moved: Vec<(u32, Aabb<D>)>,
    /// Bodies whose state is not finite.
    faults: Vec<u32>,
}

impl<D: Dim> Default for BlockResult<D> {
    fn default() -> Self {
        Self { moved: Vec::new(), faults: Vec::new() }
    }
}

/// Writes the solver's result back to the bodies and refreshes their bounds.
pub(super) fn finalize<D: Dim>(world: &mut World<D>) {
    let count = world.scratch.awake.len();
    let pieces = count.div_ceil(BLOCK);
    let mut results = core::mem::take(&mut world.scratch.finals);
    if results.len() < pieces {
        results.resize_with(pieces, BlockResult::default);
    }
    {
        let World { bodies, shapes, proxies, settings, scratch, executor, .. } = &mut *world;
        let is_smoothed = settings.sleep_bias > 0.0;
        bodies.rest_speeds.resize(if is_smoothed { bodies.cores.len() } else { 0 }, NO_SPEED);
        let awake = &scratch.awake;
        let records = &bodies.records;
        // A body belongs to its place in the awake list.
        let owners = Owners::new(bodies.sets[BodySet::Awake as usize].positions(), &[]);
        let arrays = (
            Each::of(&mut results[..pieces]),
            Owned::new(&mut bodies.places, owners),
            Owned::new(&mut bodies.cores, owners),
            Owned::new(&mut bodies.rest_speeds, owners),
        );
        let (settings, shapes, boxes) = (&*settings, &*shapes, proxies.slots());
        in_pieces(&**executor, BLOCK, arrays, |piece, (result, mut places, mut cores, mut rest_speeds)| {
            result.moved.clear();
            result.faults.clear();
            for slot in piece * BLOCK..count.min((piece + 1) * BLOCK) {
                let body = awake.props[slot].body;
                let state = &awake.states[slot];
                let (place, core) = (places.get(body as usize), cores.get(body as usize));
                core.load = Load::ZERO;
                let new = Pose::<D> { position: awake.center(slot), rotation: awake.rotations[slot] };
                let motion = crate::Motion { linear: state.v, angular: state.w };
                if !new.is_valid() || !motion.is_finite() {
                    result.faults.push(body);
                    continue;
                }
                *place = new;
                let before = core.motion;
                core.motion = motion;
                let mut speed = rest_speed::<D>(state, core.extent, settings.dt);
                if is_smoothed {
                    let known = rest_speeds.get(body as usize);
                    speed = smoothed(*known, speed, core.sleep_speed, settings.sleep_bias);
                    *known = speed;
                }
                let still = speed <= core.sleep_speed;
                core.sleep_time = if still {
                    let record = &records[body];
                    let is_hanging = record.first_contact == NONE && record.first_joint != NONE;
                    rest_time(core, &before, is_hanging, settings)
                } else {
                    0.0
                };
                for &index in &records[body].shapes {
                    let shape = &shapes[index];
                    let pose = shape.place_on(*place);
                    let tight = shape.bounds(&pose, settings.rotation_invariant_boxes);
                    let needed = tight.grown(settings.speculative * settings.slop_for(shape.size));
                    if !boxes[index as usize].fat.contains(&needed) {
                        let margin = (settings.box_margin * core.extent).min(settings.max_box_margin);
                        // PERF: what goes farther than that in a step leaves any box with the next one, and its margin makes pairs alone.
                        let is_fast = state.dp.length_squared() > margin * margin;
                        result.moved.push((index, needed.grown(if is_fast { 0.0 } else { margin })));
                    }
                }
            }
        });
    }
    let boxes = world.proxies.boxes_mut();
    for &(shape, fat) in results[..pieces].iter().flat_map(|result| &result.moved) {
        boxes[shape as usize].fat = fat;
        world.moved.insert(shape);
    }
    let mut moved = core::mem::take(&mut world.scratch.moved);
    moved.clear();
    moved.extend_from_slice(world.moved.as_slice());
    moved.sort_unstable();
    // Between steps, queries see the new boxes.
    world.methods.broad_phase.update(&world.proxies, &moved, &*world.executor);
    world.scratch.moved = moved;
    for i in 0..pieces {
        for j in 0..results[i].faults.len() {
            quarantine(world, results[i].faults[j]);
        }
    }
    world.scratch.finals = results;
}

/// How fast the surface of a body moves at most: by its velocity, and by what it really moved in the step, halved because
/// the correction of overlaps moves bodies that are otherwise at rest [m/s].
fn rest_speed<D: Dim>(state: &crate::body::BodyState<D>, extent: Real, dt: Real) -> Real {
    let velocity = state.v.length() + state.w.length() * extent;
    let displacement = (state.dp.length() + state.dr.length() * extent) * (0.5 / dt);
    velocity.max(displacement)
}

/// What hangs on joints, touches nothing and changes its velocity by this share in that time, in any direction, swings (no unit): nothing else tells the turn
/// of a swing from rest. Contacts shake more than that.
const SWING: Real = 0.5;
/// Share of a step that counts for what swings, in the second half of its time (no unit): not none, because there are chains that sway for
/// ever. They fall asleep after 4.25 s instead of 0.5 s.
const SWING_PACE: Real = 1.0 / 16.0;

/// The time at rest of a body that has been slow for another step [s].
fn rest_time<D: Dim>(
    core: &BodyCore<D>,
    before: &crate::Motion<D>,
    is_hanging: bool,
    settings: &crate::Settings<D>,
) -> Real {
    let (time, end) = (core.sleep_time, settings.sleep_time);
    if !is_hanging || time < 0.5 * end || time >= end {
        return time + settings.dt;
    }
    let (v, w) = (core.motion.linear - before.linear, core.motion.angular - before.angular);
    let change = (v.length() + w.length() * core.extent) * (end / settings.dt);
    time + settings.dt * if change > SWING * core.sleep_speed { SWING_PACE } else { 1.0 }
}

/// A body that wakes has moved at this many times its limit, for all that is known.
const WAKING_SPEED: Real = 2.0;
/// Smoothed speeds are kept below this many limits, so that a fast body does not take for ever to be seen at rest.
const TOP_SPEED: Real = 10.0;

/// The recency-weighted mean of the speed, by which a body with the given limit is judged [m/s].
fn smoothed(known: Real, speed: Real, limit: Real, bias: Real) -> Real {
    if limit <= 0.0 {
        // Never asleep, or only without any motion: there is nothing to weigh.
        return speed;
    }
    let before = if known < 0.0 { WAKING_SPEED * limit } else { known };
    (bias * before + (1.0 - bias) * speed).min(TOP_SPEED * limit)
}

/// Takes a body out whose state is not finite, before it spreads: it stays at its last finite place, at rest.
pub(super) fn quarantine<D: Dim>(world: &mut World<D>, body: u32) {
    world.bodies.cores[body as usize].motion = crate::Motion::ZERO;
    world.take_out(body);
    debug_assert_eq!(world.bodies.records[body].set, BodySet::Disabled);
    world.bodies.records[body].is_quarantined = true;
    // Its contacts end in this step, not in the next one as they would for a body that the user takes out.
    let events = &mut world.events;
    events.end.append(&mut events.pending_end);
    events.sensor_end.append(&mut events.pending_sensor_end);
    let id = BodyId(world.bodies.records.id_at(body).unwrap_or_default());
    world.events.fault.push(BodyFault { body: id });
}
