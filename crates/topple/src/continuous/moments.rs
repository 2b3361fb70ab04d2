//! Where bodies that whirl on joints were, and how fast, on their way through a step.
//!
//! What is stopped before the end of its step goes back to an earlier moment. Its velocity is that of the end: for what flies straight that is the same, but a tree of joints that whirls
//! by a radian per step has turned by then. Its joints would find velocities that they do not allow, and take the difference out: two elastic balls on a joint that bounce about at 10 m/s lost half of their
//! energy in ten seconds. Such groups take small steps (`world/whirling.rs`), and go back to the end of one of them, with the velocities that they had there.

use crate::body::BodyState;
use crate::math::*;
use crate::store::room;

/// A body at the end of a small step, as seen from the start of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<D: Dim> {
    pub state: BodyState<D>,
    pub rotation: D::Rot,
}

/// The moments of one body: each `stride` after the last.
#[derive(Clone, Copy, Debug)]
struct Course {
    body: u32,
    first: u32,
    stride: u32,
    count: u32,
}

/// All of a step; lives from step to step to keep its memory.
#[derive(Debug)]
pub(crate) struct Moments<D: Dim> {
    courses: Vec<Course>,
    moments: Vec<Moment<D>>,
}

impl<D: Dim> Default for Moments<D> {
    fn default() -> Self {
        Self { courses: Vec::new(), moments: Vec::new() }
    }
}

impl<D: Dim> Moments<D> {
    pub(crate) fn clear(&mut self) {
        self.courses.clear();
        self.moments.clear();
    }

    /// Begins with a group of bodies that take `count` small steps, after each of which all of them are noted in this order.
    pub(crate) fn begin(&mut self, bodies: impl ExactSizeIterator<Item = u32>, count: u32) {
        let (from, stride) = (self.moments.len() as u32, bodies.len() as u32);
        room::make_room(&mut self.courses, bodies.len());
        room::make_room(&mut self.moments, bodies.len() * count as usize);
        let courses =
            bodies.enumerate().map(|(i, body)| Course { body, first: from + i as u32, stride, count });
        self.courses.extend(courses);
    }

    pub(crate) fn note(&mut self, moment: Moment<D>) {
        self.moments.push(moment);
    }

    /// All groups are through.
    pub(crate) fn finish(&mut self) {
        self.courses.sort_unstable_by_key(|course| course.body);
    }

    /// True if a body took small steps that were noted.
    pub(super) fn has(&self, body: u32) -> bool {
        self.find(body).is_some()
    }

    /// The bodies that did, ascending.
    pub(super) fn bodies(&self) -> impl Iterator<Item = u32> + '_ {
        self.courses.iter().map(|course| course.body)
    }

    fn find(&self, body: u32) -> Option<Course> {
        let at = self.courses.binary_search_by_key(&body, |course| course.body).ok()?;
        Some(self.courses[at])
    }

    /// The end of the last small step of a body that is over at time `t`, in steps. Within the first one, the way of that up to `t`: what went back to where it began would do so again and
    /// again. Then the second number is how much later its velocities are, in steps (no unit).
    /// `start`: its orientation at the start of the step.
    pub(super) fn before(&self, body: u32, t: Real, start: D::Rot) -> Option<(Moment<D>, Real)> {
        let Course { first, stride, count, .. } = self.find(body)?;
        let over = ((t * count as Real) as u32).min(count);
        let mut moment = *self.moments.get((first + stride * over.saturating_sub(1)) as usize)?;
        if over > 0 {
            return Some((moment, 0.0));
        }
        let share = (t * count as Real).clamp(0.0, 1.0);
        moment.state.dp = moment.state.dp * share;
        moment.state.dr = moment.state.dr * share;
        moment.rotation = D::Rot::from_ang(moment.state.dr).then_after(start);
        Some((moment, (1.0 - share) / count as Real))
    }
}
