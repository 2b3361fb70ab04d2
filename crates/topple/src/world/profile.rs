//! What a step cost: one timer per stage, counters, and the user's own.

use crate::narrow_phase::NarrowCounters;
use std::time::{Duration, Instant};

/// Milliseconds in a second [ms/s].
const MS_PER_S: f64 = 1000.0;

/// The stages of a step, in order. The same words name folders, timers and pages of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding new pairs of overlapping boxes.
    Pairs,
    /// Contact points of all awake pairs.
    Contacts,
    /// Touches that began and ended: islands, colours.
    Islands,
    /// Forces, contacts, joints, motion.
    Solve,
    /// Fast bodies that would pass through something.
    Continuous,
    /// New places, bounds, rest times.
    Finalize,
    /// Islands that fall asleep or wake.
    Sleep,
    /// Sorting of events, end of the step.
    Events,
}

/// Stages with their names, in order.
pub const STAGES: [(Stage, &str); 8] = [
    (Stage::Pairs, "pairs"),
    (Stage::Contacts, "contacts"),
    (Stage::Islands, "islands"),
    (Stage::Solve, "solve"),
    (Stage::Continuous, "continuous"),
    (Stage::Finalize, "finalize"),
    (Stage::Sleep, "sleep"),
    (Stage::Events, "events"),
];

/// How much there was, at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bodies that exist.
    pub bodies: u32,
    /// Bodies awake.
    pub awake: u32,
    /// Shapes that exist.
    pub shapes: u32,
    /// Pairs of overlapping fat boxes.
    pub pairs: u32,
    /// Pairs found in this step.
    pub new_pairs: u32,
    /// Touching contacts that were solved.
    pub contacts: u32,
    /// Points of the contacts that the narrow phase computed or kept. Contacts of bodies that were woken later in the step
    /// are solved too, but counted from the next step on.
    pub points: u32,
    /// Joints that were solved.
    pub joints: u32,
    /// Contacts and joints that were solved.
    pub constraints: u32,
    /// Colours in use.
    pub colors: u32,
    /// Constraints solved serially because no colour was free.
    pub overflow: u32,
    /// Islands of dynamic bodies.
    pub islands: u32,
    /// Bodies fast enough to be swept against what is in their way.
    pub fast: u32,
    /// Of these, bodies that were stopped before the end of the step.
    pub stopped: u32,
    /// Proxies whose fat box changed.
    pub moved: u32,
    /// Bodies in groups that bear much: with finer sub-steps, solved at once, or standing.
    pub refined: u32,
    /// Of these, bodies of groups that stand, solved by statics.
    pub standing: u32,
    /// Finest sub-steps of any group: how many times finer than the settings say; 1 if none is.
    pub refinement: u32,
    /// Joints of heavy chains that were solved all at once.
    pub at_once: u32,
    /// Groups that bear much from which energy was taken that the step had given them.
    pub slowed: u32,
}

/// Times and counts of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    stage_times: [Duration; STAGES.len()],
    /// Time of the whole step (a [`Duration`], exact to [ns]).
    pub total: Duration,
    /// Part of the stage `solve` that went to groups which bear much (a [`Duration`], exact to [ns]): choosing how they are solved, statics,
    /// small steps, chains at once. Zero if there are none.
    pub refinement: Duration,
    /// How much there was.
    pub counters: Counters,
    /// Work of the narrow phase.
    pub narrow: NarrowCounters,
    /// Work of the broad phase, in its own words.
    pub broad: Vec<(&'static str, u64)>,
    user: Vec<(String, f64)>,
}

impl Profile {
    /// Time spent in one stage (a [`Duration`], exact to [ns]).
    pub fn stage(&self, stage: Stage) -> Duration {
        self.stage_times[stage as usize]
    }

    /// Records a value, in a unit of your own, under a name, until the next step; the same name adds up.
    pub fn add_value(&mut self, name: &str, value: f64) {
        match self.user.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += value,
            None => self.user.push((name.into(), value)),
        }
    }

    /// Runs `work` and records its time in ms under a name.
    pub fn time<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.add_value(name, start.elapsed().as_secs_f64() * MS_PER_S);
        result
    }

    /// The user's own timers [ms] and values, in order of first use.
    pub fn user(&self) -> &[(String, f64)] {
        &self.user
    }

    /// Starts a new step; keeps the memory.
    pub(crate) fn begin(&mut self) {
        self.stage_times = Default::default();
        self.refinement = Duration::ZERO;
        self.counters = Counters::default();
        self.narrow = NarrowCounters::default();
        self.broad.clear();
        self.user.clear();
    }

    /// Books the time since `start` to a stage and returns now.
    pub(crate) fn lap(&mut self, stage: Stage, start: Instant) -> Instant {
        let now = Instant::now();
        self.stage_times[stage as usize] += now - start;
        now
    }
}
