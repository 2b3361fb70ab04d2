//! Which shapes a bullet may meet: those of bodies that are listed, by a sweep along an axis, and those of all others, by the broad phase.

use super::super::{FAST, FastBody, Scene, end_of, swept_bounds, thickness, way_of};
use super::{Course, Meeting, NONE, Scratch, is_at_risk, size_that_counts, time};
use crate::body::NO_SLOT;
use crate::broad_phase::{Proxy, ProxyKind};
use crate::math::*;

/// Ends of boxes that go on for ever [m].
const FAR: Real = 1e9;

/// Up to so many bodies that move are compared with each one of the list: less work than to sort the list.
const FEW: usize = 16;

impl<D: Dim> Course<'_, D> {
    /// Finds all meetings on the ways that the solver found.
    pub(super) fn meet_all(&mut self) {
        for i in 0..self.listed {
            let bullet = &self.bodies[i];
            // PERF: most have nothing but listed bodies around, and a sweep costs more than the look.
            if bullet.is_bullet && is_at_risk(bullet, self.others) && self.has_unlisted_in_way(bullet) {
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
        let [size_a, size_b] =
            shapes.map(|shape| thickness::<D>(&self.scene.shapes[shape], self.scene.settings));
        let slot = self.awake.slot(self.scene.shapes[shapes[1]].body);
        let other = if slot == NO_SLOT { 0.0 } else { way_of(self.awake, slot as usize) };
        way + other > FAST * size_that_counts(size_a, size_b)
    }

    /// True if a body that is not listed may be in the way of a bullet, as far as rough bounds tell.
    fn has_unlisted_in_way(&self, bullet: &FastBody<D>) -> bool {
        let mut found = false;
        let bounds = bullet.ball.grown(self.others.way);
        self.scene.broad_phase.query(self.scene.proxies, &bounds, &mut |other| {
            let proxy = self.scene.proxies.get(other);
            found = proxy.body != bullet.body && self.is_unlisted(proxy);
            !found
        });
        found
    }

    /// True if a proxy is one of a body that could be pushed or moves, and is not listed.
    fn is_unlisted(&self, proxy: &Proxy<D>) -> bool {
        let slot = self.awake.slot(proxy.body);
        let moves = proxy.kind == ProxyKind::Dynamic || slot != NO_SLOT;
        let listed = &self.bodies[..self.listed];
        let is_listed = || slot != NO_SLOT && listed.binary_search_by_key(&slot, |body| body.slot).is_ok();
        moves && !proxy.is_sensor && !is_listed()
    }

    /// Finds pairs of shapes of a bullet, on its way from time `from` on, and of bodies that are not listed.
    fn find_unlisted(&mut self, bullet: u32, from: Real) {
        let scene = self.scene;
        let mut found = core::mem::take(&mut self.scratch.found);
        let bullet = &self.bodies[bullet as usize];
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
                if self.is_unlisted(scene.proxies.get(other)) && (scene.may_touch)(index, other) {
                    found.push([index, other]);
                }
                true
            });
            // DETERMINISM: the order of the method does not matter from here on.
            found[first..].sort_unstable();
        }
        self.scratch.found = found;
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
                self.bodies.push(guest);
                Some(place)
            }
        }
    }

    /// Meetings of listed bodies with each other: at least one a bullet, at least one fast, be it for the size of the other.
    fn meet_listed(&mut self) {
        let first = self.scratch.meetings.len();
        self.find_pairs();
        let pairs = core::mem::take(&mut self.scratch.pairs);
        for &[i, j] in &pairs {
            let [a, b] = [i, j].map(|body| {
                let body = &mut self.bodies[body as usize];
                body.find_bounds(self.scene, self.awake);
                body.bounds
            });
            if a.overlaps(&b) {
                meet_shapes(self.scene, self.bodies, [i, j], &mut self.scratch.meetings);
            }
        }
        self.scratch.pairs = pairs;
        // DETERMINISM: in the order of the list, however they were found.
        let new = &mut self.scratch.meetings[first..];
        new.sort_unstable_by_key(|meeting| (meeting.a, meeting.b, meeting.shapes));
    }

    /// Pairs of listed bodies that may meet, in any order, each one once.
    fn find_pairs(&mut self) {
        let fast = &self.bodies[..self.listed];
        let Scratch { pairs, order, bullets, movers, .. } = &mut *self.scratch;
        pairs.clear();
        let may_meet = |left: &FastBody<D>, right: &FastBody<D>| {
            let is_quick = left.is_fast
                || right.is_fast
                || left.way + right.way > FAST * left.thickness.min(right.thickness);
            is_quick && left.ball.overlaps(&right.ball)
        };
        // Two that each move by less than half of what counts for the thinnest of all are no pair.
        let thinnest = fast.iter().fold(Real::INFINITY, |least, body| least.min(body.thickness));
        let moves = |body: &FastBody<D>| body.is_fast || 2.0 * body.way > FAST * thinnest;
        movers.clear();
        movers.extend((0..).zip(fast).filter(|(_, body)| moves(body)).map(|(place, _)| place));
        if movers.len() <= FEW {
            for &i in &*movers {
                let left = &fast[i as usize];
                for (j, right) in (0..).zip(fast) {
                    let is_pair = i != j && (left.is_bullet || right.is_bullet) && may_meet(left, right);
                    // Of two that move the first one finds the other.
                    if is_pair && (i < j || movers.binary_search(&j).is_err()) {
                        pairs.push([i, j]);
                    }
                }
            }
            return;
        }
        // Sweep and prune: every pair is looked at from the one that begins farther to the left; from one that is no bullet only bullets are
        // looked at.
        let axis = widest_axis(fast);
        let left_end = |body: &FastBody<D>| in_order(body.ball.min.to_vec().get(axis));
        order.clear();
        order.extend((0..).zip(fast).map(|(i, body): (u64, _)| u64::from(left_end(body)) << 32 | i));
        order.sort_unstable();
        bullets.clear();
        bullets.extend(order.iter().filter(|&&entry| fast[entry as u32 as usize].is_bullet));
        let mut bullets_so_far = 0;
        for (k, &entry) in order.iter().enumerate() {
            let i = entry as u32;
            let left = &fast[i as usize];
            bullets_so_far += usize::from(left.is_bullet);
            let others = if left.is_bullet { &order[k + 1..] } else { &bullets[bullets_so_far..] };
            let right_end = in_order(left.ball.max.to_vec().get(axis));
            for &other in others.iter().take_while(|&&other| (other >> 32) as u32 <= right_end) {
                let j = other as u32;
                if may_meet(left, &fast[j as usize]) {
                    pairs.push([i, j]);
                }
            }
        }
    }

    /// Finds what a body meets on a new way from time `t` on, apart from what is known.
    pub(super) fn search(&mut self, body: u32, t: Real) {
        let scene = self.scene;
        let sweep = &self.bodies[body as usize].sweep;
        if sweep.at(1.0) == sweep.at(t) {
            return;
        }
        self.bodies[body as usize].find_bounds(scene, self.awake);
        let moving = self.bodies[body as usize];
        let sweep = &moving.sweep;
        let extent = scene.bodies.cores[moving.body as usize].extent;
        let shapes = scene.bodies.records[moving.body].shapes.iter().map(|&shape| &scene.shapes[shape]);
        let bounds = shapes
            .filter(|shape| !shape.is_sensor)
            .fold(Aabb::nothing(), |bounds, shape| bounds.union(&swept_bounds(shape, sweep, extent, t)));
        self.bodies[body as usize].bounds = moving.bounds.union(&bounds);
        self.bodies[body as usize].ball = moving.ball.union(&bounds);
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
            let candidate = &mut self.bodies[other];
            // Slow bodies are found above, where they are if nothing took them along.
            let is_new = other < self.listed || candidate.is_changed || !moving.is_bullet;
            if is_new && (moving.is_bullet || candidate.is_bullet) && bounds.overlaps(&candidate.ball) {
                candidate.find_bounds(scene, self.awake);
                if bounds.overlaps(&candidate.bounds) {
                    meet_shapes(scene, self.bodies, [body, other as u32], &mut self.scratch.meetings);
                }
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

/// A number of the same order as `x`, of which zeros with and without sign are equal.
fn in_order(x: Real) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The axis along which boxes are spread out the most, compared with their widths: a volley flies side by side.
fn widest_axis<D: Dim>(fast: &[FastBody<D>]) -> usize {
    let far = D::Vec::splat(FAR);
    let (mut low, mut high, mut width) = (far, -far, D::Vec::ZERO);
    for body in fast {
        let [min, max] = [body.ball.min, body.ball.max].map(|end| end.to_vec().max(-far).min(far));
        (low, high, width) = (low.min(min), high.max(max), width + (max - min));
    }
    let spread = |axis: usize| (high - low).get(axis) / width.get(axis);
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
