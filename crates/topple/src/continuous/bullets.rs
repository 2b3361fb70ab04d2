//! Bullets against everything that moves or could: other bullets, other fast bodies, slow ones, sleeping ones.
//!
//! Whoever is stopped changes what the others meet, so the meetings are worked off in order of time, on one thread; finding
//! their times is parallel. A bullet that meets something slow or driven goes on with it, like a fly on a windscreen: stopped in the
//! air it would be run over in the rest of the step. Where that leads into a wall the bullet stays, and what pushed it stops as well, unless it
//! is driven. Of two fast bodies both stop. Whatever goes another way than before is looked at again on it: against walls, and against
//! bodies that were not in its way.

use super::impact::Stop;
use super::parts::stop_shapes;
use super::{
    FAST, FastBody, Others, Scene, Sweep, bounds_of, end_of, first_static, margins, swept_bounds, thickness,
    way_of,
};
use crate::BodyKind;
use crate::body::{AwakeBodies, NO_SLOT};
use crate::broad_phase::ProxyKind;
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::trusted::in_pieces;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Meetings per block when they are timed. A constant: the cut must not depend on the number of threads.
const BLOCK: usize = 8;

/// Ends of boxes that go on for ever [m].
const FAR: Real = 1e9;

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
    /// Left ends of the bounds of fast bodies [m], with their places in the list; sorted.
    order: Vec<(Real, u32)>,
    /// The bullets among them.
    bullets: Vec<(Real, u32)>,
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
            guests: Vec::new(),
            found: Vec::new(),
            heads: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }
}

/// True if there is a bullet that something could get deep into within the step, or that could get deep into something.
pub(super) fn are_any_at_risk<D: Dim>(awake: &AwakeBodies<D>, fast: &[FastBody<D>], others: Others) -> bool {
    let listed = |body: &FastBody<D>| Others { way: body.way, thinnest: size(awake, body) };
    fast.iter().any(|body| body.is_bullet) && {
        let all = fast.iter().fold(others, |all, body| all.and(listed(body)));
        fast.iter().any(|body| body.is_bullet && is_at_risk(awake, body, all))
    }
}

/// True if a bullet is fast enough for one of `others` to get deep into it, or it into one of them.
fn is_at_risk<D: Dim>(awake: &AwakeBodies<D>, bullet: &FastBody<D>, others: Others) -> bool {
    // PERF: a slow bullet among bodies as thick as itself is not asked for.
    bullet.is_fast || bullet.way + others.way > FAST * size_that_counts(size(awake, bullet), others.thinnest)
}

/// The least inner radius of the shapes of a body [m].
fn size<D: Dim>(awake: &AwakeBodies<D>, body: &FastBody<D>) -> Real {
    awake.props[body.slot as usize].thickness
}

/// Inner radius that counts for a bullet and another body, of inner radii `bullet` and `other` [m].
fn size_that_counts(bullet: Real, other: Real) -> Real {
    bullet.min(other.max(LEAST_SIZE * bullet))
}

/// True if a bullet moves so far that it has to be watched near walls, slow as it is: what presses it into one does so step by step.
pub(super) fn is_pressed<D: Dim>(awake: &AwakeBodies<D>, body: &FastBody<D>) -> bool {
    body.is_bullet && body.way > FAST * LEAST_SIZE * size(awake, body)
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
    let [size_a, size_b] = [a, b].map(thickness::<D>);
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
    let stop =
        |size: Real| stop_shapes([a, b], [sweep_a, &sweep_b], margins(scene, size, sweep_a), [from, 1.0]);
    let size = size_of(scene, [a, b]);
    stop(size).or_else(|| {
        // Deeper in something thin than that is thick a bullet still has a side to keep to.
        let is_pushed = scene.bodies.records[b.body].kind == BodyKind::Dynamic;
        if is_pushed || size >= thickness::<D>(a) { None } else { stop(thickness::<D>(a)) }
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
    /// Finds all meetings on the ways that the solver found.
    fn meet_all(&mut self) {
        for i in 0..self.listed {
            let bullet = &self.bodies[i];
            if bullet.is_bullet && is_at_risk(self.awake, bullet, self.others) {
                let (is_fast, way) = (bullet.is_fast, bullet.way);
                self.bodies[i].find_sweep(self.scene, self.awake);
                self.find_unlisted(i as u32, 0.0);
                let found = core::mem::take(&mut self.scratch.found);
                for &shapes in &found {
                    if (is_fast || self.is_quick(way, shapes))
                        && let Some(other) = self.guest_of(shapes)
                    {
                        self.scratch.meetings.push(Meeting::new(i as u32, other, shapes));
                    }
                }
                self.scratch.found = found;
            }
        }
        self.meet_listed();
    }

    /// Finds the motion of all bodies that take part in a meeting, from the meeting `first` on.
    fn find_sweeps(&mut self, first: usize) {
        for meeting in &self.scratch.meetings[first..] {
            for body in [meeting.a, meeting.b].into_iter().filter(|&body| body != NONE) {
                self.bodies[body as usize].find_sweep(self.scene, self.awake);
            }
        }
    }

    /// True if the bodies of two shapes move so far that one could get deep into the other. The bullet moves by `way` [m].
    fn is_quick(&self, way: Real, shapes: [u32; 2]) -> bool {
        let [size_a, size_b] = shapes.map(|shape| thickness::<D>(&self.scene.shapes[shape]));
        let slot = self.awake.slot(self.scene.shapes[shapes[1]].body);
        let other = if slot == NO_SLOT { 0.0 } else { way_of(self.awake, slot as usize) };
        way + other > FAST * size_that_counts(size_a, size_b)
    }

    /// Finds pairs of shapes of a bullet, on its way from time `from` on, and of bodies that are not listed.
    fn find_unlisted(&mut self, bullet: u32, from: Real) {
        let (scene, awake) = (self.scene, self.awake);
        let bullet = &self.bodies[bullet as usize];
        let listed = &self.bodies[..self.listed];
        let found = &mut self.scratch.found;
        found.clear();
        let extent = scene.bodies.cores[bullet.body as usize].extent;
        for &index in &scene.bodies.records[bullet.body].shapes {
            let shape = &scene.shapes[index];
            if shape.is_sensor {
                continue;
            }
            // Boxes of the others are those of the start.
            let bounds = swept_bounds(shape, &bullet.sweep, extent, from).grown(self.others.way);
            let first = found.len();
            scene.broad_phase.query(scene.proxies, &bounds, &mut |other| {
                let proxy = scene.proxies.get(other);
                let slot = awake.slot(proxy.body);
                let moves = proxy.kind == ProxyKind::Dynamic || slot != NO_SLOT;
                let is_listed =
                    slot != NO_SLOT && listed.binary_search_by_key(&slot, |body| body.slot).is_ok();
                if moves && !is_listed && !proxy.is_sensor && (scene.may_touch)(index, other) {
                    found.push([index, other]);
                }
                true
            });
            // DETERMINISM: the order of the method does not matter from here on.
            found[first..].sort_unstable();
        }
    }

    /// Place in the list of the body that is not listed yet and owns the second shape of a pair: [`NONE`] if it sleeps, nothing if there is no telling where it goes.
    fn guest_of(&mut self, shapes: [u32; 2]) -> Option<u32> {
        let slot = self.awake.slot(self.scene.shapes[shapes[1]].body);
        if slot == NO_SLOT {
            return Some(NONE);
        }
        let guests = &mut self.scratch.guests;
        match guests.binary_search_by_key(&slot, |guest| guest.0) {
            Ok(at) => Some(guests[at].1),
            Err(at) => {
                if !end_of(self.awake, slot).is_valid() {
                    return None;
                }
                let place = self.bodies.len() as u32;
                guests.insert(at, (slot, place));
                let mut guest = FastBody::new(self.scene, self.awake, slot);
                guest.find_sweep(self.scene, self.awake);
                guest.bounds = bounds_of(self.scene, self.awake, &guest);
                self.bodies.push(guest);
                Some(place)
            }
        }
    }

    /// Meetings of listed bodies with each other: at least one a bullet, at least one fast, be it for the size of the other. Sweep and prune: every pair is looked at
    /// from the one that begins farther to the left; from one that is no bullet only bullets are looked at.
    fn meet_listed(&mut self) {
        let (scene, awake) = (self.scene, self.awake);
        let fast = &self.bodies[..self.listed];
        let Scratch { meetings, order, bullets, .. } = &mut *self.scratch;
        let axis = widest_axis(fast);
        order.clear();
        order.extend(fast.iter().zip(0..).map(|(body, i)| (body.bounds.min.to_vec().get(axis), i)));
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        bullets.clear();
        bullets.extend(order.iter().filter(|entry| fast[entry.1 as usize].is_bullet));
        let size = |body: &FastBody<D>| size(awake, body);
        let mut bullets_so_far = 0;
        let first = meetings.len();
        for (k, &(_, i)) in order.iter().enumerate() {
            let left = &fast[i as usize];
            bullets_so_far += usize::from(left.is_bullet);
            let others = if left.is_bullet { &order[k + 1..] } else { &bullets[bullets_so_far..] };
            let right_end = left.bounds.max.to_vec().get(axis);
            for &(_, j) in others.iter().take_while(|other| other.0 <= right_end) {
                let right = &fast[j as usize];
                let is_quick = left.is_fast
                    || right.is_fast
                    || left.way + right.way > FAST * size(left).min(size(right));
                if is_quick && left.bounds.overlaps(&right.bounds) {
                    meet_shapes(scene, fast, [i, j], meetings);
                }
            }
        }
        // DETERMINISM: in the order of the list, whatever the axis.
        meetings[first..].sort_unstable_by_key(|meeting| (meeting.a, meeting.b, meeting.shapes));
    }

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

    /// Finds what a body meets on a new way from time `t` on, apart from what is known.
    fn search(&mut self, body: u32, t: Real) {
        let moving = self.bodies[body as usize];
        let (scene, sweep) = (self.scene, &moving.sweep);
        if sweep.at(1.0) == sweep.at(t) {
            return;
        }
        let extent = scene.bodies.cores[moving.body as usize].extent;
        let shapes = scene.bodies.records[moving.body].shapes.iter().map(|&shape| &scene.shapes[shape]);
        let bounds = shapes
            .filter(|shape| !shape.is_sensor)
            .fold(Aabb::nothing(), |bounds, shape| bounds.union(&swept_bounds(shape, sweep, extent, t)));
        self.bodies[body as usize].bounds = moving.bounds.union(&bounds);
        let first = self.scratch.meetings.len();
        if moving.is_bullet {
            self.find_unlisted(body, t);
            let found = core::mem::take(&mut self.scratch.found);
            for &shapes in &found {
                if let Some(other) = self.guest_of(shapes) {
                    self.scratch.meetings.push(Meeting::new(body, other, shapes));
                }
            }
            self.scratch.found = found;
        }
        for other in (0..self.bodies.len()).filter(|&other| other != body as usize) {
            let candidate = &self.bodies[other];
            // Slow bodies are found above, where they are if nothing took them along.
            let is_new = other < self.listed || candidate.is_changed || !moving.is_bullet;
            if is_new && (moving.is_bullet || candidate.is_bullet) && bounds.overlaps(&candidate.bounds) {
                meet_shapes(scene, self.bodies, [body, other as u32], &mut self.scratch.meetings);
            }
        }
        self.find_sweeps(first);
        let mut new = self.scratch.meetings.split_off(first);
        new.retain(|meeting| {
            let mut is_known = false;
            self.for_each_meeting(body, |course, known| {
                is_known |= course.scratch.meetings[known as usize].shapes == meeting.shapes;
            });
            !is_known
        });
        // A slow body that was taken along is found twice.
        new.sort_unstable_by_key(|meeting| (meeting.a, meeting.b, meeting.shapes));
        new.dedup_by_key(|meeting| meeting.shapes);
        for mut meeting in new {
            meeting.set(time(scene, self.awake, self.bodies, &meeting, t));
            self.scratch.meetings.push(meeting);
            self.link(self.scratch.meetings.len() as u32 - 1);
        }
    }

    /// Changes the ways of two bodies that meet at time `t` so that they do not get deep into each other.
    fn part(&mut self, meeting: &Meeting<D>, t: Real) {
        let (a, b) = (meeting.a, meeting.b);
        let other = self.bodies.get(b as usize).copied();
        let is_driven = [self.bodies[a as usize].is_driven, other.is_some_and(|body| body.is_driven)];
        let gives_way = |body: &FastBody<D>| body.is_stoppable && !body.is_pinned;
        let can_a = gives_way(&self.bodies[a as usize]);
        let can_b = other.as_ref().is_some_and(gives_way);
        let is_last = meeting.count >= MOST_MEETINGS;
        match is_driven {
            // Between two that do not give way.
            [true, true] if is_last || other.is_some_and(|body| body.is_stoppable) => {}
            [_, true] => {
                if can_a && !is_last {
                    self.yield_to(meeting, t);
                }
            }
            [true, false] => {
                if can_b && !is_last {
                    self.follow(b, self.bodies[a as usize].sweep, true, t);
                } else if !can_b {
                    self.pin(a, t);
                }
            }
            [false, false] => {
                let stops_too = other.is_some_and(|body| body.is_fast || body.is_bullet);
                if is_last || !can_a {
                    self.pin(a, t);
                    self.pin(b, t);
                } else if stops_too {
                    self.stay(a, t);
                    self.stay(b, t);
                } else if !self.yield_to(meeting, t) {
                    self.pin(b, t);
                }
            }
        }
    }

    /// The bullet of a meeting slides on across the other body, or goes along with it. False if it can do neither: it stays where it is then.
    fn yield_to(&mut self, meeting: &Meeting<D>, t: Real) -> bool {
        let (scene, awake) = (self.scene, self.awake);
        let other = other_sweep(scene, awake, self.bodies, meeting);
        let is_driven = self.bodies.get(meeting.b as usize).is_some_and(|body| body.is_driven);
        if let Some(normal) = meeting.slide {
            let before = self.bodies[meeting.a as usize];
            let (here, there) = (before.sweep.at(t), other.at(t));
            // What goes into the other one is lost, the rest is not, unless it leads into something else.
            let (v, w) = other.rates(t);
            let against = v + D::cross_ang(w, here.position - there.position);
            let way = before.sweep.rates(t).0;
            let into = (way - against).dot(normal).max(0.0);
            let bullet = &mut self.bodies[meeting.a as usize];
            bullet.redirect(t, way - normal * into, D::Ang::ZERO);
            bullet.is_driven = is_driven;
            let is_free = time(scene, awake, self.bodies, meeting, t).is_none();
            if is_free && first_static(scene, awake, &self.bodies[meeting.a as usize], t).is_none() {
                return true;
            }
            self.bodies[meeting.a as usize] = before;
        }
        self.follow(meeting.a, other, is_driven, t)
    }

    /// Takes a body along with another one from time `t` on, as if stuck to it, up to where a wall is in the way. False if that is at once.
    fn follow(&mut self, body: u32, leader: Sweep<D>, is_driven: bool, t: Real) -> bool {
        let (scene, awake) = (self.scene, self.awake);
        let follower = &mut self.bodies[body as usize];
        let (here, there, lasts) = (follower.sweep.at(t), leader.at(t), leader.lasts(t));
        let end = leader.at(lasts).compose(there.relative(here));
        let way = (end.position - here.position) * (1.0 / (lasts - t));
        follower.redirect(t, way, leader.rates(t).1);
        follower.is_driven = is_driven;
        if lasts < 1.0 {
            follower.sweep.stop = lasts;
            follower.sweep.translation_after = leader.translation_after;
            follower.sweep.turn_after = leader.turn_after;
        }
        let Some((stop, _)) = first_static(scene, awake, follower, t) else { return true };
        let Some(wall) = stop.slide.or((stop.t <= t).then_some(D::Vec::ZERO)) else {
            let sweep = &mut follower.sweep;
            sweep.stop = sweep.stop.min(stop.t);
            (sweep.translation_after, sweep.turn_after) = (D::Vec::ZERO, D::Ang::ZERO);
            return true;
        };
        // What is at a wall already is not pressed into it. Something driven does not wait: out of its way along the wall, if there is one.
        follower.redirect(t, way - wall * way.dot(wall).max(0.0), D::Ang::ZERO);
        if is_driven && first_static(scene, awake, follower, t).is_none() {
            return true;
        }
        self.pin(body, t);
        false
    }

    /// A body that can be stopped stays where it is at time `t`.
    fn stay(&mut self, body: u32, t: Real) {
        if let Some(body) = self.bodies.get_mut(body as usize)
            && body.is_stoppable
        {
            body.redirect(t, D::Vec::ZERO, D::Ang::ZERO);
            body.is_driven = false;
        }
    }

    /// The same, and nothing takes it along any more.
    fn pin(&mut self, body: u32, t: Real) {
        self.stay(body, t);
        if let Some(body) = self.bodies.get_mut(body as usize) {
            body.is_pinned = body.is_stoppable;
        }
    }
}

/// The axis along which boxes are spread out the most, compared with their widths: a volley flies side by side.
fn widest_axis<D: Dim>(fast: &[FastBody<D>]) -> usize {
    let spread = |axis: usize| {
        let ends = |body: &FastBody<D>| {
            [body.bounds.min, body.bounds.max].map(|end| end.to_vec().get(axis).clamp(-FAR, FAR))
        };
        let (low, high, width) =
            fast.iter().map(ends).fold((FAR, -FAR, 0.0), |(low, high, width), [min, max]| {
                (min.min(low), max.max(high), width + (max - min))
            });
        (high - low) / width
    };
    // NaN, from boxes without width, is never larger.
    (1..D::N).fold(0, |best, axis| if spread(axis) > spread(best) { axis } else { best })
}

/// Adds meetings of the shapes of two bodies, of which one at least is a bullet.
fn meet_shapes<D: Dim>(
    scene: &Scene<'_, D>,
    bodies: &[FastBody<D>],
    [i, j]: [u32; 2],
    meetings: &mut Vec<Meeting<D>>,
) {
    // The bullet takes care; of two the first in the list.
    let is_bullet = |body: u32| bodies[body as usize].is_bullet;
    let [a, b] = if is_bullet(i) && !(is_bullet(j) && j < i) { [i, j] } else { [j, i] };
    let [shapes_a, shapes_b] = [a, b].map(|body| &scene.bodies.records[bodies[body as usize].body].shapes);
    for &i in shapes_a {
        for &j in shapes_b {
            let solid = !scene.shapes[i].is_sensor && !scene.shapes[j].is_sensor;
            if solid && (scene.may_touch)(i, j) {
                meetings.push(Meeting::new(a, b, [i, j]));
            }
        }
    }
}
