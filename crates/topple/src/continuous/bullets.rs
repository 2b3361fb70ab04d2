//! Bullets against everything that moves or could: other bullets, other fast bodies, slow ones, sleeping ones.
//!
//! Whoever is stopped changes what the others meet, so the meetings are worked off in order of time, on one thread; finding
//! them is parallel. A bullet that meets something slow or driven goes on with it, like a fly on a windscreen: stopped in the
//! air it would be run over in the rest of the step. Of two fast bodies both stop.

use super::impact::Stop;
use super::parts::stop_shapes;
use super::{FastBody, Scene, Sweep, first_static, margins, sweep_of, swept_bounds};
use crate::body::{AwakeBodies, NO_SLOT};
use crate::broad_phase::ProxyKind;
use crate::math::*;
use crate::trusted::in_pieces;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// Meetings per block when they are timed. A constant: the cut must not depend on the number of threads.
const BLOCK: usize = 8;

/// Ends of boxes that go on for ever [m].
const FAR: Real = 1e9;

/// "Not in the list of fast bodies."
const NONE: u32 = u32::MAX;

/// Two shapes that may meet. The first belongs to a bullet.
#[derive(Clone, Copy, Debug)]
struct Meeting<D: Dim> {
    /// Place of the bullet in the list of fast bodies.
    a: u32,
    /// Place of the other body there, or [`NONE`].
    b: u32,
    shapes: [u32; 2],
    /// When (in steps, no unit); infinity: not.
    t: Real,
    /// Unit vector to the other shape, if the two are close from the start: the bullet may slide on across it.
    slide: Option<D::Vec>,
    /// How often it was timed: older entries of the queue are void.
    version: u32,
}

impl<D: Dim> Meeting<D> {
    fn new(a: u32, b: u32, shapes: [u32; 2]) -> Self {
        Self { a, b, shapes, t: Real::INFINITY, slide: None, version: 0 }
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
    /// (fast body, meeting), sorted.
    links: Vec<(u32, u32)>,
    /// (bits of the time, meeting, version), least first. Times are not negative, so their bits are in order.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            meetings: Vec::new(),
            order: Vec::new(),
            bullets: Vec::new(),
            links: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }
}

/// Shortens the motion of bullets, and of fast bodies that meet them. `slow_way` is the largest way of a body that is not
/// listed [m].
pub(super) fn stop_bullets<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &mut [FastBody<D>],
    slow_way: Real,
    scratch: &mut Scratch<D>,
) {
    let Scratch { meetings, order, bullets, links, queue } = scratch;
    meetings.clear();
    meet_slow_bodies(scene, awake, fast, slow_way, meetings);
    meet_fast_bodies(scene, fast, order, bullets, meetings);
    let bodies = &*fast;
    in_pieces(scene.executor, BLOCK, &mut *meetings, |_, meetings| {
        for meeting in meetings {
            meeting.set(time(scene, awake, bodies, meeting, 0.0));
        }
    });
    links.clear();
    queue.clear();
    for (i, meeting) in meetings.iter().enumerate() {
        let i = i as u32;
        links.push((meeting.a, i));
        if meeting.b != NONE {
            links.push((meeting.b, i));
        }
        if meeting.t < 1.0 {
            queue.push(Reverse((meeting.t.to_bits(), i, 0)));
        }
    }
    links.sort_unstable();
    while let Some(Reverse((bits, index, version))) = queue.pop() {
        let meeting = meetings[index as usize];
        if meeting.version != version {
            continue;
        }
        // Over and done with: the pair stays together for the rest of the step.
        meetings[index as usize].version = u32::MAX;
        let t = Real::from_bits(bits);
        for changed in stop_pair(scene, awake, fast, &meeting, t).into_iter().filter(|&body| body != NONE) {
            let first = links.partition_point(|&(body, _)| body < changed);
            for &(_, other) in links[first..].iter().take_while(|&&(body, _)| body == changed) {
                let entry = &mut meetings[other as usize];
                // What happened before is history; what would have come later may come otherwise.
                if entry.version == u32::MAX || entry.t < t {
                    continue;
                }
                entry.version += 1;
                entry.set(time(scene, awake, fast, entry, t));
                if entry.t < 1.0 {
                    queue.push(Reverse((entry.t.to_bits(), other, entry.version)));
                }
            }
        }
    }
}

/// When and how two shapes meet, from time `from` on.
fn time<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &[FastBody<D>],
    meeting: &Meeting<D>,
    from: Real,
) -> Option<Stop<D>> {
    let [a, b] = meeting.shapes.map(|shape| &scene.shapes[shape]);
    let sweep_a = &fast[meeting.a as usize].sweep;
    let sweep_b = other_sweep(scene, awake, fast, meeting);
    let margins = margins(scene, a, b, sweep_a);
    stop_shapes([a, b], [sweep_a, &sweep_b], margins, [from, 1.0])
}

fn other_sweep<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &[FastBody<D>],
    meeting: &Meeting<D>,
) -> Sweep<D> {
    if meeting.b != NONE {
        return fast[meeting.b as usize].sweep;
    }
    let body = scene.shapes[meeting.shapes[1]].body;
    match awake.slot(body) {
        NO_SLOT => Sweep::still(scene.bodies.places[body as usize]),
        slot => sweep_of(scene, awake, slot),
    }
}

/// Stops the bodies of a meeting at time `t`. Returns those whose motion changed.
fn stop_pair<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &mut [FastBody<D>],
    meeting: &Meeting<D>,
    t: Real,
) -> [u32; 2] {
    let mut changed = [NONE; 2];
    let stops_too = meeting.b != NONE && {
        let b = &fast[meeting.b as usize];
        b.is_stoppable && (b.is_fast || b.is_bullet)
    };
    let other = other_sweep(scene, awake, fast, meeting);
    let mut a = fast[meeting.a as usize];
    if t < a.sweep.stop {
        let (here, there) = (a.sweep.at(t), other.at(t));
        a.sweep.stop = t;
        a.slides = false;
        (a.sweep.translation_after, a.sweep.turn_after) = (D::Vec::ZERO, D::Ang::ZERO);
        if !stops_too && t < 1.0 {
            if let Some(normal) = meeting.slide {
                // What goes into the other one is lost, the rest is not, unless it leads into something else.
                let (v, w) = other.rates(t);
                let against = v + D::cross_ang(w, here.position - there.position);
                let into = (a.sweep.translation - against).dot(normal).max(0.0);
                a.sweep.translation_after = a.sweep.translation - normal * into;
                fast[meeting.a as usize] = a;
                let is_free = time(scene, awake, fast, meeting, t).is_none();
                a.slides = is_free && first_static(scene, awake, &a, t).is_none();
            }
            if !a.slides {
                // Along with the other one, as if stuck to it.
                let end = other.at(1.0).compose(there.relative(here));
                a.sweep.translation_after = (end.position - here.position) * (1.0 / (1.0 - t));
                a.sweep.turn_after = other.rates(t).1;
            }
        }
        fast[meeting.a as usize] = a;
        changed[0] = meeting.a;
    } else if a.slides && fast[meeting.a as usize].no_longer_slides() {
        changed[0] = meeting.a;
    }
    if stops_too {
        let b = &mut fast[meeting.b as usize];
        if t < b.sweep.stop {
            b.sweep.stop = t;
            b.slides = true;
        }
        if b.slides && b.no_longer_slides() {
            changed[1] = meeting.b;
        }
    }
    changed
}

/// Meetings of fast bullets with bodies that are not listed.
fn meet_slow_bodies<D: Dim>(
    scene: &Scene<'_, D>,
    awake: &AwakeBodies<D>,
    fast: &[FastBody<D>],
    slow_way: Real,
    meetings: &mut Vec<Meeting<D>>,
) {
    for (i, bullet) in fast.iter().enumerate().filter(|(_, body)| body.is_bullet && body.is_fast) {
        let extent = scene.bodies.cores[bullet.body as usize].extent;
        for &index in &scene.bodies.records[bullet.body].shapes {
            let shape = &scene.shapes[index];
            if shape.is_sensor {
                continue;
            }
            // Boxes of the others are those of the start.
            let bounds = swept_bounds(shape, &bullet.sweep, extent).grown(slow_way);
            let first = meetings.len();
            scene.broad_phase.query(scene.proxies, &bounds, &mut |other| {
                let proxy = scene.proxies.get(other);
                let slot = awake.slot(proxy.body);
                let moves = proxy.kind == ProxyKind::Dynamic || slot != NO_SLOT;
                let is_listed = slot != NO_SLOT && fast.binary_search_by_key(&slot, |body| body.slot).is_ok();
                if moves && !is_listed && !proxy.is_sensor && (scene.may_touch)(index, other) {
                    meetings.push(Meeting::new(i as u32, NONE, [index, other]));
                }
                true
            });
            // DETERMINISM: the order of the method does not matter from here on.
            meetings[first..].sort_unstable_by_key(|meeting| meeting.shapes[1]);
        }
    }
}

/// Meetings of listed bodies with each other: at least one a bullet, at least one fast. Sweep and prune: every pair is looked at
/// from the one that begins farther to the left; from one that is no bullet only bullets are looked at.
fn meet_fast_bodies<D: Dim>(
    scene: &Scene<'_, D>,
    fast: &[FastBody<D>],
    order: &mut Vec<(Real, u32)>,
    bullets: &mut Vec<(Real, u32)>,
    meetings: &mut Vec<Meeting<D>>,
) {
    let axis = widest_axis(fast);
    order.clear();
    order.extend(fast.iter().zip(0..).map(|(body, i)| (body.bounds.min.to_vec().get(axis), i)));
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    bullets.clear();
    bullets.extend(order.iter().filter(|entry| fast[entry.1 as usize].is_bullet));
    let mut bullets_so_far = 0;
    let first = meetings.len();
    for (k, &(_, i)) in order.iter().enumerate() {
        let left = &fast[i as usize];
        bullets_so_far += usize::from(left.is_bullet);
        let others = if left.is_bullet { &order[k + 1..] } else { &bullets[bullets_so_far..] };
        let right_end = left.bounds.max.to_vec().get(axis);
        for &(_, j) in others.iter().take_while(|other| other.0 <= right_end) {
            let right = &fast[j as usize];
            if !((left.is_fast || right.is_fast) && left.bounds.overlaps(&right.bounds)) {
                continue;
            }
            // Of two bullets the first in the list takes care.
            if left.is_bullet && !(right.is_bullet && j < i) {
                meet_shapes(scene, [i, j], [left, right], meetings);
            } else {
                meet_shapes(scene, [j, i], [right, left], meetings);
            }
        }
    }
    // DETERMINISM: in the order of the list, whatever the axis.
    meetings[first..].sort_unstable_by_key(|meeting| (meeting.a, meeting.b, meeting.shapes));
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

/// Meetings of the shapes of two listed bodies.
fn meet_shapes<D: Dim>(
    scene: &Scene<'_, D>,
    [a, b]: [u32; 2],
    bodies: [&FastBody<D>; 2],
    meetings: &mut Vec<Meeting<D>>,
) {
    let [shapes_a, shapes_b] = bodies.map(|body| &scene.bodies.records[body.body].shapes);
    for &i in shapes_a {
        for &j in shapes_b {
            let solid = !scene.shapes[i].is_sensor && !scene.shapes[j].is_sensor;
            if solid && (scene.may_touch)(i, j) {
                meetings.push(Meeting::new(a, b, [i, j]));
            }
        }
    }
}
