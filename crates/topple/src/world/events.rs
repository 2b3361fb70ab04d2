//! What happened in a step: arrays, filled while it runs, read afterwards, in an order that never depends on threads.

use crate::math::*;
use crate::store::{BodyId, ContactId, JointId, ShapeId};

/// Lists of more pairs that began to touch are not kept for later steps: so many come when a world begins, and not again.
const KEPT_EVENTS: usize = 16_384;

/// Two shapes began to touch, go on touching, or parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEvent {
    /// The contact; stale in end events when the pair came apart for good.
    pub contact: ContactId,
    /// The two shapes; in end events possibly removed ones.
    pub shapes: [ShapeId; 2],
    /// Their bodies; in end events possibly removed ones.
    pub bodies: [BodyId; 2],
}

/// Something entered or left a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorEvent {
    /// The sensor; in end events possibly removed.
    pub sensor: ShapeId,
    /// The other shape; in end events possibly removed.
    pub visitor: ShapeId,
    /// Bodies of sensor and visitor.
    pub bodies: [BodyId; 2],
}

/// Two shapes met faster than `Settings::hit_speed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitEvent<D: Dim> {
    /// The two shapes.
    pub shapes: [ShapeId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// Where: the middle of the points that touch, world frame [m].
    pub point: D::Point,
    /// Unit vector from the first to the second shape.
    pub normal: D::Vec,
    /// How fast they approached [m/s].
    pub speed: Real,
    /// Impulse along the normal that slowed them down as much as they were slowed down in this step [N·s].
    pub impulse: Real,
}

/// A body was taken out of the simulation because its state was no longer finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyFault {
    /// The body, disabled at its last finite place, at rest.
    pub body: BodyId,
}

/// A joint carried more than its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointEvent {
    /// The joint; stale if it broke.
    pub joint: JointId,
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Reaction force, the mean over the step [N].
    pub force: Real,
    /// Reaction torque, the mean over the step [N·m].
    pub torque: Real,
    /// It was removed.
    pub is_broken: bool,
    /// The user's number of the joint.
    pub user_data: u64,
}

/// Events of the last step, each list sorted by the pair of shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events<D: Dim> {
    /// Pairs that began to touch.
    pub begin: Vec<ContactEvent>,
    /// Pairs that went on touching, for shapes with `persist_events`. Pairs at rest in sleep are not listed.
    pub persist: Vec<ContactEvent>,
    /// Pairs that stopped touching, also because a shape was removed since the last step.
    pub end: Vec<ContactEvent>,
    /// Hits, for shapes with `hit_events`.
    pub hit: Vec<HitEvent<D>>,
    /// What entered sensors.
    pub sensor_begin: Vec<SensorEvent>,
    /// What left sensors.
    pub sensor_end: Vec<SensorEvent>,
    /// Bodies taken out because their state was not finite.
    pub fault: Vec<BodyFault>,
    /// Joints over their limits of force or torque, sorted by joint.
    pub joint: Vec<JointEvent>,
    /// End events of changes made between steps, moved to `end` by the next step.
    pub(crate) pending_end: Vec<ContactEvent>,
    /// The same for sensors.
    pub(crate) pending_sensor_end: Vec<SensorEvent>,
}

impl<D: Dim> Events<D> {
    /// True if nothing happened.
    pub fn is_empty(&self) -> bool {
        self.begin.is_empty()
            && self.persist.is_empty()
            && self.end.is_empty()
            && self.hit.is_empty()
            && self.sensor_begin.is_empty()
            && self.sensor_end.is_empty()
            && self.fault.is_empty()
            && self.joint.is_empty()
    }

    /// Starts a new step.
    pub(crate) fn begin_step(&mut self) {
        if self.begin.len() > KEPT_EVENTS {
            self.begin = Vec::new();
        }
        self.begin.clear();
        self.persist.clear();
        self.hit.clear();
        self.sensor_begin.clear();
        self.fault.clear();
        self.joint.clear();
        self.end.clear();
        self.sensor_end.clear();
        self.end.append(&mut self.pending_end);
        self.sensor_end.append(&mut self.pending_sensor_end);
    }

    /// Sorts each list by pair.
    pub(crate) fn finish_step(&mut self) {
        for list in [&mut self.begin, &mut self.persist, &mut self.end] {
            list.sort_unstable_by_key(|e| (e.shapes, e.contact));
        }
        for list in [&mut self.sensor_begin, &mut self.sensor_end] {
            list.sort_unstable_by_key(|e| (e.sensor, e.visitor));
        }
        self.hit.sort_unstable_by_key(|e| e.shapes);
        self.fault.sort_unstable_by_key(|e| e.body);
        self.joint.sort_unstable_by_key(|e| e.joint);
    }
}
