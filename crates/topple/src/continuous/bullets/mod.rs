//! Bullets against everything that moves or could: other bullets, other fast bodies, slow ones, sleeping ones.
//!
//! Whoever is stopped changes what the others meet, so the meetings are worked off in order of time, on one thread; finding
//! their times is parallel. A bullet that meets something slow or driven goes on with it, like a fly on a windscreen: stopped in the
//! air it would be run over in the rest of the step. Where that leads into a wall the bullet stays, and what pushed it stops as well, unless it
//! is driven. Of two fast bodies both stop. Whatever goes another way than before is looked at again on it: against walls, and against
//! bodies that were not in its way.
//!
//! `search.rs`: what may meet; here: when, and in which order; `ways.rs`: what comes of it.

mod search;
mod ways;

use super::impact::Stop;
use super::parts::stop_shapes;
use super::{FAST, FastBody, Others, Scene, Sweep, margins, thickness};
use crate::BodyKind;
use crate::body::{AwakeBodies, NO_SLOT};
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::trusted::in_pieces;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Meetings per block when they are timed. A constant: the cut must not depend on the number of threads.
const BLOCK: usize = 8;

/// "None": not in the list of bodies, or the end of a list of meetings.
const NONE: u32 = u32::MAX;

/// What is thinner than this share of the inner radius of a bullet counts as if it were as thick (no unit), if it cannot be pushed, and for the question
/// whether a slow bullet is looked at. A bullet at rest would be looked at for every grain of dust otherwise.
const LEAST_SIZE: Real = 0.125;

/// How often two shapes may meet in a step before they stay where they are. Twice is common: at first touch, and when a wall is in the way.
const MOST_MEETINGS: u8 = 4;

/// Two shapes that may meet. The first belongs to a bullet.
#[derive(Clone, Copy, Debug)]
struct Meeting<D: Dim> {
    /// Place of the bullet in the list of bodies.
    a: u32,
    /// Place of the other body there, or [`NONE`] if it sleeps.
    b: u32,
    shapes: [u32; 2],
    /// When (in steps, no unit); infinity: not.
    t: Real,
    /// Unit vector to the other shape, if the two are close from the start: the bullet may slide on across it.
    slide: Option<D::Vec>,
    /// How often it was timed: older entries of the queue are void.
    version: u32,
    /// How often they met.
    count: u8,
    /// The next meetings of the two bodies.
    next: [u32; 2],
}

impl<D: Dim> Meeting<D> {
    fn new(a: u32, b: u32, shapes: [u32; 2]) -> Self {
        let next = [NONE; 2];
        Self { a, b, shapes, t: Real::INFINITY, slide: None, version: 0, count: 0, next }
    }

    fn set(&mut self, stop: Option<Stop<D>>) {
        (self.t, self.slide) = stop.map_or((Real::INFINITY, None), |stop| (stop.t, stop.slide));
    }
}

/// Buffers that live from step to step.
pub(super) struct Scratch<D: Dim> {
    meetings: Vec<Meeting<D>>,
    /// Left ends of the bounds of fast bodies, as numbers in the same order, above their places in the list; sorted.
    order: Vec<u64>,
    /// The bullets among them.
    bullets: Vec<u64>,
    /// Places in the list of those that one that hardly moves may meet.
    movers: Vec<u32>,
    /// Pairs of listed bodies that may meet, as far as rough bounds tell.
    pairs: Vec<[u32; 2]>,
    /// Slots of slow bodies that a bullet may meet, and their places in the list; sorted.
    guests: Vec<(u32, u32)>,
    /// Pairs of shapes that were found.
    found: Vec<[u32; 2]>,
    /// First meeting of every body.
    heads: Vec<u32>,
    /// (bits of the time, meeting, version), least first. Times are not negative, so their bits are in order.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            meetings: Vec::new(),
            order: Vec::new(),
            bullets: Vec::new(),
            movers: Vec::new(),
            pairs: Vec::new(),
            guests: Vec::new(),
            found: Vec::new(),
            heads: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }
}

/// True if there is a bullet that something could get deep into within the step, or that could get deep into something.
pub(super) fn are_any_at_risk<D: Dim>(fast: &[FastBody<D>], others: Others) -> bool {
    let listed = |body: &FastBody<D>| Others { way: body.way, thinnest: body.thickness };
    fast.iter().any(|body| body.is_bullet) && {
        let all = fast.iter().fold(others, |all, body| all.and(listed(body)));
        fast.iter().any(|body| body.is_bullet && is_at_risk(body, all))
    }
}

/// True if a bullet is fast enough for one of `others` to get deep into it, or it into one of them.
fn is_at_risk<D: Dim>(bullet: &FastBody<D>, others: Others) -> bool {
    // PERF: a slow bullet among bodies as thick as itself is not asked for.
    bullet.is_fast || bullet.way + others.way > FAST * size_that_counts(bullet.thickness, others.thinnest)
}

/// Inner radius that counts for a bullet and another body, of inner radii `bullet` and `other` [m].
fn size_that_counts(bullet: Real, other: Real) -> Real {
    bullet.min(other.max(LEAST_SIZE * bullet))
}

/// True if a bullet moves so far that it has to be watched near walls, slow as it is: what presses it into one does so step by step.
pub(super) fn is_pressed<D: Dim>(body: &FastBody<D>) -> bool {
    body.is_bullet && body.way > FAST * LEAST_SIZE * body.thickness
}

/// Shortens the motion of bullets, and of bodies that meet them. Bodies that are not listed are added to the list if a bullet may meet them.
pub(super) fn stop_bullets<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &mut Vec<FastBody<D>>,
    others: Others,
    scratch: &mut Scratch<D>,
) {
    scratch.meetings.clear();
    scratch.guests.clear();
    scratch.queue.clear();
    let listed = fast.len();
    let mut course = Course { scene, awake, bodies: fast, listed, others, scratch };
    course.meet_all();
    course.find_sweeps(0);
    let (bodies, meetings) = (&*course.bodies, &mut course.scratch.meetings);
    in_pieces(scene.executor, BLOCK, &mut *meetings, |_, meetings| {
        for meeting in meetings {
            meeting.set(time(scene, awake, bodies, meeting, 0.0));
        }
    });
    course.scratch.heads.clear();
    for index in 0..course.scratch.meetings.len() {
        course.link(index as u32);
    }
    while let Some(Reverse((bits, index, version))) = course.scratch.queue.pop() {
        if course.scratch.meetings[index as usize].version == version {
            course.work_off(index, Real::from_bits(bits));
        }
    }
}

/// Inner radius of the thinner shape of a pair [m], as far as it counts: a is on a bullet.
fn size_of<D: Dim>(scene: &Scene<'_, D>, [a, b]: [&ShapeRecord<D>; 2]) -> Real {
    let [size_a, size_b] = [a, b].map(|shape| thickness::<D>(shape, scene.settings));
    match scene.bodies.records[b.body].kind {
        BodyKind::Dynamic => size_a.min(size_b),
        // Of platforms without thickness none counts, as in contacts.
        _ => size_that_counts(size_a, size_b),
    }
}

/// When and how two shapes meet, from time `from` on.
fn time<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    bodies: &[FastBody<D>],
    meeting: &Meeting<D>,
    from: Real,
) -> Option<Stop<D>> {
    let [a, b] = meeting.shapes.map(|shape| &scene.shapes[shape]);
    let sweep_a = &bodies[meeting.a as usize].sweep;
    let sweep_b = other_sweep(scene, awake, bodies, meeting);
    if sweep_a.goes_with(&sweep_b, from) {
        // The search does not see that: it knows how fast each of them turns, and would find them closer after many small steps.
        return None;
    }
    let stop =
        |size: Real| stop_shapes([a, b], [sweep_a, &sweep_b], margins(scene, size, sweep_a), [from, 1.0]);
    let size = size_of(scene, [a, b]);
    stop(size).or_else(|| {
        // Deeper in something thin than that is thick a bullet still has a side to keep to.
        let is_pushed = scene.bodies.records[b.body].kind == BodyKind::Dynamic;
        let own = thickness::<D>(a, scene.settings);
        if is_pushed || size >= own { None } else { stop(own) }
    })
}

fn other_sweep<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    bodies: &[FastBody<D>],
    meeting: &Meeting<D>,
) -> Sweep<D> {
    if meeting.b != NONE {
        return bodies[meeting.b as usize].sweep;
    }
    let body = scene.shapes[meeting.shapes[1]].body;
    debug_assert_eq!(awake.slot(body), NO_SLOT, "what is awake is in the list");
    Sweep::still(scene.bodies.places[body as usize])
}

/// The meetings of a step.
struct Course<'s, D: Dim> {
    scene: &'s Scene<'s, D>,
    awake: &'s AwakeBodies<D>,
    /// Fast bodies and bullets in order of slots, then slow bodies that a bullet may meet.
    bodies: &'s mut Vec<FastBody<D>>,
    /// Number of the former.
    listed: usize,
    /// All that are not listed.
    others: Others,
    scratch: &'s mut Scratch<D>,
}

impl<D: Dim> Course<'_, D> {
    /// Makes a meeting known to its bodies and to the queue.
    fn link(&mut self, index: u32) {
        let Scratch { meetings, heads, queue, .. } = &mut *self.scratch;
        heads.resize(self.bodies.len(), NONE);
        let meeting = &mut meetings[index as usize];
        for (body, next) in [meeting.a, meeting.b].into_iter().zip(&mut meeting.next) {
            if body != NONE {
                *next = core::mem::replace(&mut heads[body as usize], index);
            }
        }
        if meeting.t < 1.0 {
            queue.push(Reverse((meeting.t.to_bits(), index, meeting.version)));
        }
    }

    /// Calls `visit` for all meetings of a body.
    fn for_each_meeting(&mut self, body: u32, mut visit: impl FnMut(&mut Self, u32)) {
        let mut index = self.scratch.heads.get(body as usize).copied().unwrap_or(NONE);
        while index != NONE {
            visit(self, index);
            let meeting = &self.scratch.meetings[index as usize];
            index = meeting.next[usize::from(meeting.a != body)];
        }
    }

    /// Two bodies meet at time `t`: changes their ways, and looks again at all that they meet on them.
    fn work_off(&mut self, index: u32, t: Real) {
        let meeting = &mut self.scratch.meetings[index as usize];
        meeting.count += 1;
        meeting.version += 1;
        let meeting = *meeting;
        let ways = |course: &Self| {
            [meeting.a, meeting.b].map(|body| course.bodies.get(body as usize).map(|body| body.sweep))
        };
        let before = ways(self);
        self.part(&meeting, t);
        let after = ways(self);
        for (side, body) in [meeting.a, meeting.b].into_iter().enumerate() {
            if before[side] != after[side] {
                self.search(body, t);
                self.for_each_meeting(body, |course, other| course.time_again(other, t));
            }
        }
        // The pair itself, if nothing else did.
        if before == after {
            self.scratch.meetings[index as usize].t = Real::INFINITY;
        }
    }

    fn time_again(&mut self, index: u32, t: Real) {
        let mut meeting = self.scratch.meetings[index as usize];
        if meeting.count >= MOST_MEETINGS {
            return;
        }
        meeting.version += 1;
        meeting.set(time(self.scene, self.awake, self.bodies, &meeting, t));
        self.scratch.meetings[index as usize] = meeting;
        if meeting.t < 1.0 {
            self.scratch.queue.push(Reverse((meeting.t.to_bits(), index, meeting.version)));
        }
    }
}
