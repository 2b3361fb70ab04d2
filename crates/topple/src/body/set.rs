//! All bodies, and the sets they are in.

use super::{BodyCore, BodyRecord};
use crate::math::*;
use crate::store::{IndexList, Slots, room};

/// The list of the world that a body is in. Exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodySet {
    /// Static bodies, and kinematic ones that stand still.
    Static,
    /// Dynamic bodies in motion, and kinematic ones that move.
    Awake,
    /// Dynamic bodies at rest, skipped until something wakes them.
    Sleeping,
    /// Out of the simulation.
    Disabled,
}

impl BodySet {
    pub(crate) const ALL: [Self; 4] = [Self::Static, Self::Awake, Self::Sleeping, Self::Disabled];
}

/// No smoothed speed yet: see [`Bodies::rest_speeds`].
pub(crate) const NO_SPEED: Real = -1.0;

/// Columns at the body's index, and the sets as index lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies<D: Dim> {
    /// Cold records.
    pub records: Slots<BodyRecord<D>>,
    /// Centre of mass and orientation.
    pub places: Vec<Pose<D>>,
    /// Everything else that a step reads.
    pub cores: Vec<BodyCore<D>>,
    /// Speeds smoothed over time by which bodies are judged for sleep [m/s], or [`NO_SPEED`]. A column of its own, empty while
    /// `Settings::sleep_bias` is 0; it may be shorter than the others.
    pub rest_speeds: Vec<Real>,
    /// The indices of each set: see [`Bodies::set`].
    pub(crate) sets: [IndexList; 4],
}

impl<D: Dim> Bodies<D> {
    /// Adds the columns of a new body. It is in no set yet.
    pub(crate) fn insert(&mut self, record: BodyRecord<D>, place: Pose<D>, core: BodyCore<D>) -> u32 {
        let set = record.set;
        let index = self.records.insert(record).index;
        let at = index as usize;
        if at == self.places.len() {
            room::push(&mut self.places, place);
            room::push(&mut self.cores, core);
        } else {
            self.places[at] = place;
            self.cores[at] = core;
        }
        self.forget_speed(index);
        self.sets[set as usize].insert(index);
        index
    }

    /// Takes the body out of its set and frees its slot.
    pub(crate) fn remove(&mut self, index: u32) {
        if let Some(record) = self.records.remove(index) {
            self.sets[record.set as usize].remove(index);
        }
    }

    /// The body begins anew, as far as falling asleep is concerned.
    pub(crate) fn forget_speed(&mut self, index: u32) {
        if let Some(speed) = self.rest_speeds.get_mut(index as usize) {
            *speed = NO_SPEED;
        }
    }

    /// The indices of one set, in list order.
    #[inline]
    pub(crate) fn set(&self, set: BodySet) -> &IndexList {
        &self.sets[set as usize]
    }

    /// Replaces the lists; used by restore. Sets of the records must agree.
    pub(crate) fn set_lists(&mut self, sets: [IndexList; 4]) {
        self.sets = sets;
    }

    /// Moves the body to another set.
    pub(crate) fn move_to(&mut self, index: u32, set: BodySet) {
        let record = &mut self.records[index];
        if record.set != set {
            self.sets[record.set as usize].remove(index);
            record.set = set;
            self.sets[set as usize].insert(index);
        }
    }

    /// True if the body is in the awake set.
    #[inline]
    pub(crate) fn is_awake(&self, index: u32) -> bool {
        self.sets[BodySet::Awake as usize].contains(index)
    }

    /// Frame of the body, from the place of its centre of mass.
    pub(crate) fn pose(&self, index: u32) -> Pose<D> {
        let place = self.places[index as usize];
        let offset = place.rotation.rotate(self.cores[index as usize].local_center);
        Pose { position: place.position - offset, rotation: place.rotation }
    }
}
