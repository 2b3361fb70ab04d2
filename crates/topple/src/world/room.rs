//! Room for the first step, made as bodies are created.
//!
//! PERF: the system hands out memory page by page, when it is first written. In the first step of a large world that is everything at
//! once: a third of its time. Memory that grows with the bodies is touched as they come.

use super::World;
use crate::body::BodySet;
use crate::math::*;
use crate::store::room;

/// Worlds with fewer awake bodies than this have a first step that nobody notices.
const MANY: usize = 1024;
/// Room grows by one part of so many.
const GROWTH: usize = 4;

impl<D: Dim> World<D> {
    /// Makes room for the next step with the bodies that are awake now.
    pub(crate) fn make_room(&mut self) {
        let awake = self.bodies.set(BodySet::Awake).len();
        if awake < MANY || awake <= self.scratch.ready {
            return;
        }
        let bodies = awake + awake / GROWTH;
        // Heaps in the plane have two contacts per body, in space three or four. Bodies in flight have none, and cost their room: 0.5 kB
        // per body in the plane, 1.0 kB in space.
        let contacts = D::N * bodies;
        self.scratch.ready = bodies;
        self.scratch.awake.warm(bodies);
        room::warm(&mut self.scratch.moved, bodies);
        room::warm(&mut self.scratch.changed, contacts);
        room::warm(&mut self.events.begin, contacts);
        self.contacts.warm(contacts);
        self.methods.solver.expect(bodies);
    }
}
