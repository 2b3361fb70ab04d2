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
    /// See [`Bodies::thinnest_asleep`]; means nothing while none sleeps.
    thinnest: Real,
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
        self.note_size(index);
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
        self.thinnest = Real::INFINITY;
        for at in 0..self.set(BodySet::Sleeping).len() {
            self.note_size(self.set(BodySet::Sleeping).as_slice()[at]);
        }
    }

    /// No sleeping body has a smaller inner radius [m]; infinity if none sleeps. What woke since then may have been the thinnest: a bound that says
    /// what need not be looked at, never what happens.
    pub(crate) fn thinnest_asleep(&self) -> Real {
        if self.set(BodySet::Sleeping).is_empty() { Real::INFINITY } else { self.thinnest }
    }

    /// The inner radius of a body is known or changed, or the body fell asleep.
    pub(crate) fn note_size(&mut self, index: u32) {
        if self.records[index].set == BodySet::Sleeping {
            let first = self.set(BodySet::Sleeping).len() == 1;
            let size = self.cores[index as usize].thickness;
            self.thinnest = if first { size } else { self.thinnest.min(size) };
        }
    }

    /// Moves the body to another set.
    pub(crate) fn move_to(&mut self, index: u32, set: BodySet) {
        let record = &mut self.records[index];
        if record.set != set {
            self.sets[record.set as usize].remove(index);
            record.set = set;
            self.sets[set as usize].insert(index);
            self.note_size(index);
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

#[cfg(test)]
mod tests {
    use crate::math::*;
    use crate::{BodyDef, Shape2, World};

    /// The bound holds for bodies that are created asleep, fall asleep, get another shape or come out of a snapshot; with nothing asleep there is none.
    #[test]
    fn the_thinnest_sleeping_body_is_known() {
        let mut world = World::<D2>::new();
        assert_eq!(world.bodies.thinnest_asleep(), Real::INFINITY);
        let asleep = |x: Real| BodyDef { is_awake: false, ..BodyDef::dynamic([x, 0.0]) };
        let thick = world.create_body_with(asleep(0.0), [Shape2::circle(2.0)]).unwrap();
        assert_eq!(world.bodies.thinnest_asleep(), 2.0);
        let thin = world.create_body_with(asleep(9.0), [Shape2::circle(0.5)]).unwrap();
        assert_eq!(world.bodies.thinnest_asleep(), 0.5);
        assert_eq!(World::<D2>::restore(&world.snapshot()).unwrap().bodies.thinnest_asleep(), 0.5);
        world.create_body_with(BodyDef::fixed([20.0, 0.0]), [Shape2::circle(0.1)]).unwrap();
        assert_eq!(world.bodies.thinnest_asleep(), 0.5, "what stands is not asked for");
        world.remove_body(thin).unwrap();
        assert!(world.bodies.thinnest_asleep() <= 2.0, "a bound");
        world.remove_body(thick).unwrap();
        assert_eq!(world.bodies.thinnest_asleep(), Real::INFINITY);
        world.create_body_with(asleep(0.0), [Shape2::circle(3.0)]).unwrap();
        assert_eq!(world.bodies.thinnest_asleep(), 3.0, "what was is forgotten");
    }
}
