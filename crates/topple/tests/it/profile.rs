//! Timers and counters.

use crate::support::*;
use topple::World;
use topple::math::*;
use topple::world::STAGES;

/// Stages add up to the step, counters to what is there.
fn counts_and_times<D: TestDim>() {
    let mut world = World::<D>::new();
    heap(&mut world, 6);
    adjust(&mut world, |s| s.sleeping = false);
    for _ in 0..60 {
        world.step();
        let profile = world.profile();
        let sum: std::time::Duration = STAGES.iter().map(|&(stage, _)| profile.stage(stage)).sum();
        assert!(sum <= profile.total, "stages {sum:?}, step {:?}", profile.total);
        let counters = profile.counters;
        assert_eq!(counters.bodies as usize, world.body_count());
        assert_eq!(counters.awake as usize, world.awake_count());
        assert_eq!(counters.shapes as usize, world.shape_ids().count());
        assert_eq!(counters.pairs as usize, world.contacts().count());
        assert!(counters.contacts <= counters.pairs && counters.constraints >= counters.contacts);
        assert!(counters.points >= counters.contacts, "{counters:?}");
        let awake_pairs = profile.narrow.computed + profile.narrow.recycled + profile.narrow.cache_hits;
        assert!(awake_pairs > 0 || counters.awake == 0 || counters.pairs == 0, "{:?}", profile.narrow);
    }
    assert!(world.profile().counters.islands > 0 && world.profile().counters.colors > 0);
}

#[test]
fn counts_and_times_2d() {
    counts_and_times::<D2>();
}
#[test]
fn counts_and_times_3d() {
    counts_and_times::<D3>();
}

/// The user's own timers and values stand beside the others until the next step; the same name adds up.
#[test]
fn user_timers() {
    let mut world = World::<D2>::new();
    let profile = world.profile_mut();
    assert_eq!(profile.time("ai", || 6 * 7), 42);
    profile.add_value("targets", 2.0);
    profile.add_value("targets", 3.0);
    let names: Vec<_> = world.profile().user().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ai", "targets"]);
    assert_eq!(world.profile().user()[1].1, 5.0);
    assert!(world.profile().user()[0].1 >= 0.0);
    world.step();
    assert!(world.profile().user().is_empty());
}
