//! Which shapes a bullet may meet: those of bodies that are listed, by a sweep along an axis, and those of all others, by the broad phase.

use super::super::{FAST, FastBody, Scene, bounds_of, end_of, swept_bounds, thickness, way_of};
use super::{Course, Meeting, NONE, Scratch, is_at_risk, size, size_that_counts, time};
use crate::body::NO_SLOT;
use crate::broad_phase::ProxyKind;
use crate::math::*;

/// Ends of boxes that go on for ever [m].
const FAR: Real = 1e9;

impl<D: Dim> Course<'_, D> {
    /// Finds all meetings on the ways that the solver found.
    pub(super) fn meet_all(&mut self) {
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
    pub(super) fn find_sweeps(&mut self, first: usize) {
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

    /// Finds what a body meets on a new way from time `t` on, apart from what is known.
    pub(super) fn search(&mut self, body: u32, t: Real) {
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
