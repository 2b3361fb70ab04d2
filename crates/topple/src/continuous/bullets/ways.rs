//! Where two bodies that meet go from then on.

use super::super::{FastBody, Sweep, first_static};
use super::{Course, MOST_MEETINGS, Meeting, other_sweep, time};
use crate::math::*;

impl<D: Dim> Course<'_, D> {
    /// Changes the ways of two bodies that meet at time `t` so that they do not get deep into each other.
    pub(super) fn part(&mut self, meeting: &Meeting<D>, t: Real) {
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
                if can_a && is_last {
                    // They do not meet again on the way of the other one.
                    self.follow(a, other_sweep(self.scene, self.awake, self.bodies, meeting), true, t);
                } else if can_a {
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
            let here = before.sweep.at(t).position;
            // What goes into the other one is lost, the rest is not, unless it leads into something else.
            let (way, against) = (before.sweep.way_of(here, t), other.way_of(here, t));
            let into = (way - against).dot(normal).max(0.0);
            let bullet = &mut self.bodies[meeting.a as usize];
            bullet.redirect(t, way - normal * into, D::Ang::ZERO);
            bullet.is_driven = is_driven;
            if self.is_free(meeting, t)
                && first_static(scene, awake, &self.bodies[meeting.a as usize], t).is_none()
            {
                return true;
            }
            self.bodies[meeting.a as usize] = before;
        }
        self.follow(meeting.a, other, is_driven, t)
    }

    /// True if no shape of the bullet of a meeting gets deep into one of the other body, from time `t` on. Of compounds one part slides, and another one would swing in.
    fn is_free(&mut self, meeting: &Meeting<D>, t: Real) -> bool {
        let mut is_free = time(self.scene, self.awake, self.bodies, meeting, t).is_none();
        self.for_each_meeting(meeting.a, |course, index| {
            let other = &course.scratch.meetings[index as usize];
            if is_free && other.b == meeting.b && other.a == meeting.a && other.shapes != meeting.shapes {
                is_free = time(course.scene, course.awake, course.bodies, other, t).is_none();
            }
        });
        is_free
    }

    /// Takes a body along with another one from time `t` on, as if stuck to it, up to where a wall is in the way. False if that is at once.
    fn follow(&mut self, body: u32, leader: Sweep<D>, is_driven: bool, t: Real) -> bool {
        let (scene, awake) = (self.scene, self.awake);
        let follower = &mut self.bodies[body as usize];
        let here = follower.sweep.at(t).position;
        let (way, (translation, turn)) = (leader.way_of(here, t), leader.rates(t));
        // About what the leader turns about. On the chord of that arc it would get into the leader within the step.
        follower.redirect_about(t, translation, turn, here - leader.pivot(t));
        follower.is_driven = is_driven;
        let lasts = leader.lasts(t);
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
