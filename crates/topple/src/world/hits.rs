//! Hits: pairs that want to hear of them, how fast they approach before the solver sees them, and what slowed them down.

use super::{ContactView, HitEvent, World};
use crate::body::BodyKind;
use crate::contact::flags;
use crate::math::*;

/// A pair that approaches fast, as it was before the solver saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach<D: Dim> {
    /// The contact.
    contact: u32,
    /// Largest speed of a point [m/s].
    speed: Real,
    /// Speed of the middle of the points [m/s].
    middle: Real,
    /// From the centres of mass to that middle [m].
    arms: [D::Vec; 2],
    normal: D::Vec,
    point: D::Point,
    /// Change of that speed per impulse [1/kg].
    answer: Real,
}

/// Notes how fast the pairs approach that want to hear of hits.
pub(super) fn note_approach<D: Dim>(world: &mut World<D>) {
    let mut approach = core::mem::take(&mut world.scratch.approach);
    approach.clear();
    for &index in world.watched.as_slice() {
        let contact = &world.contacts.hot[index as usize];
        if contact.flags & flags::HIT_EVENTS != 0 && contact.is_solid() {
            let speed = world.approach_speed(index);
            if speed > world.settings.hit_speed {
                approach.push(world.approach(index, speed));
            }
        }
    }
    world.scratch.approach = approach;
}

/// Turns noted approaches into hit events where an impulse followed.
pub(super) fn report<D: Dim>(world: &mut World<D>) {
    for i in 0..world.scratch.approach.len() {
        let approach = world.scratch.approach[i];
        // The pair may have gone since: a body left the simulation.
        if world.contacts.records.get(approach.contact).is_some() {
            world.report_hit(&approach);
        }
    }
}

impl<D: Dim> World<D> {
    /// How a pair approaches, about the middle of its points.
    fn approach(&self, index: u32, speed: Real) -> Approach<D> {
        let contact = &self.contacts.hot[index as usize];
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let share = 1.0 / contact.manifold.count.max(1) as Real;
        let mut arms = [D::Vec::ZERO; 2];
        for i in 0..contact.manifold.count as usize {
            let row = contact.row(i, &places[0], &places[1]);
            arms[0] += row.r_a * share;
            arms[1] += row.r_b * share;
        }
        let normal = contact.normal(places[0].rotation);
        let mut answer = 0.0;
        for side in 0..2 {
            let body = contact.bodies[side];
            let core = &self.bodies.cores[body as usize];
            if self.bodies.records[body].kind == BodyKind::Dynamic {
                let locks = crate::Locks::from_bits(core.locks);
                let turned = core.inv_inertia.rotated(places[side].rotation).without_axes(locks.rotation);
                let lever = D::cross(arms[side], normal);
                answer += core.inv_mass + lever.dot(turned.apply(lever));
            }
        }
        let mut found = Approach {
            contact: index,
            speed,
            middle: 0.0,
            arms,
            normal,
            point: places[0].position + arms[0],
            answer,
        };
        found.middle = self.approach_about(&found);
        found
    }

    /// How fast a pair approaches about the middle that was noted [m/s].
    fn approach_about(&self, approach: &Approach<D>) -> Real {
        let bodies = self.contacts.hot[approach.contact as usize].bodies;
        let [a, b] = [0, 1].map(|side| {
            let motion = self.bodies.cores[bodies[side] as usize].motion;
            motion.linear + D::cross_ang(motion.angular, approach.arms[side])
        });
        (a - b).dot(approach.normal)
    }

    /// A hit event, if the pair was slowed down. The impulse is what that takes: the one that solvers leave in the contact is of
    /// their last sub-step, when all is over.
    fn report_hit(&mut self, approach: &Approach<D>) {
        let slowed = approach.middle - self.approach_about(approach);
        if slowed <= 0.0 || approach.answer <= 0.0 {
            return;
        }
        let view = ContactView { world: self, index: approach.contact };
        let (shapes, bodies) = (view.shapes(), view.bodies());
        let &Approach { point, normal, speed, answer, .. } = approach;
        self.events.hit.push(HitEvent { shapes, bodies, point, normal, speed, impulse: slowed / answer });
    }
}
