//! Events and expectations.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Body, BodyKind, Force, Ignore, Joint, Pose, Setting, Vec3, steps};
use crate::ast::{Binary, Item, Unary};
use crate::span::Span;

/// A moment of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// Time since the start [s].
    Time(f64),
    /// Steps since the start.
    Steps(u64),
}

impl Moment {
    /// The step after which it has come.
    #[must_use]
    pub fn step(self, dt: f64) -> u64 {
        match self {
            Self::Time(time) => steps(time, dt),
            Self::Steps(steps) => steps,
        }
    }
}

/// When an event happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// Once.
    At(Moment),
    /// Again and again.
    Every {
        /// Time between two.
        period: Moment,
        /// The first.
        from: Moment,
        /// The last, if it ends.
        until: Option<Moment>,
    },
    /// Once, as soon as it holds.
    When(Query),
}

impl Schedule {
    /// The number of the occurrence that falls on a step, for schedules by time.
    #[must_use]
    pub fn occurrence(&self, step: u64, dt: f64) -> Option<u64> {
        match self {
            Self::At(moment) => (moment.step(dt) == step).then_some(0),
            Self::When(_) => None,
            Self::Every { period, from, until } => {
                let first = from.step(dt);
                if step < first || until.is_some_and(|until| step > until.step(dt)) {
                    return None;
                }
                match *period {
                    Moment::Steps(period) => {
                        let since = step - first;
                        since.is_multiple_of(period.max(1)).then(|| since / period.max(1))
                    }
                    Moment::Time(period) => {
                        // A period that is no whole number of steps keeps its average rate.
                        let start = first as f64 * dt;
                        let guess = libm::floor((step - first) as f64 * dt / period + 1e-9).max(0.0) as u64;
                        (guess.saturating_sub(1)..=guess + 1)
                            .find(|count| steps(start + *count as f64 * period, dt) == step)
                    }
                }
            }
        }
    }
}

/// Where an event was written: decides what its names mean and where what it adds is placed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scope {
    /// Full name of the group, empty outside.
    pub group: SmolStr,
    /// Pose of the group.
    pub pose: Pose,
    /// Values of the repetitions around it, since the group.
    pub loops: Vec<f64>,
}

/// Something that happens. Its block is kept as syntax and expanded each time, since it may draw random numbers;
/// all constants of the scene have been put in.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub schedule: Schedule,
    /// Name of the number of the occurrence.
    pub variable: Option<SmolStr>,
    /// Key of its random numbers.
    pub stream: u64,
    /// Where it was written.
    pub scope: Scope,
    /// What.
    pub items: Vec<Item>,
    /// Where it was written.
    pub span: Span,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Adds a body.
    AddBody(Box<Body>),
    /// Adds a joint.
    AddJoint(Box<Joint>),
    /// Adds a generator.
    AddForce(Box<Force>),
    /// Two bodies no longer collide.
    Ignore(Ignore),
    /// Removes bodies, joints or generators.
    Remove(Vec<Target>),
    /// Pushes bodies.
    Push {
        /// Which.
        on: Vec<Target>,
        /// [N s].
        impulse: Option<Vec3>,
        /// [N], during one step.
        force: Option<Vec3>,
        /// [N m], during one step.
        torque: Option<Vec3>,
        /// [N m s].
        angular_impulse: Option<Vec3>,
        /// Point of attack in the world; the centre of mass if absent.
        at: Option<Vec3>,
    },
    /// Changes bodies and joints.
    Change {
        /// Which.
        on: Vec<Target>,
        /// What.
        change: Box<Change>,
        /// Where it was written.
        span: Span,
    },
    /// Wakes bodies.
    Wake(Vec<Target>),
    /// The first takes the others into it.
    Merge(Vec<Target>, Span),
    /// Bodies that were taken in come off again.
    Unmerge(Vec<Target>, Span),
    /// Changes settings, by the keys of the schema.
    Set(BTreeMap<SmolStr, Setting>, Span),
    /// Ends the run.
    Stop,
}

/// New values for a body.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Change {
    /// [m/s].
    pub velocity: Option<Vec3>,
    /// [rad/s].
    pub angular_velocity: Option<Vec3>,
    /// Kind.
    pub kind: Option<BodyKind>,
    /// Share of gravity.
    pub gravity_scale: Option<f64>,
    /// Restitution.
    pub elastic: Option<f64>,
    /// Friction.
    pub friction: Option<f64>,
    /// Colour.
    pub colour: Option<Vec3>,
    /// Position [m].
    pub position: Option<Vec3>,
    /// Angle in 2D [rad].
    pub angle: Option<f64>,
    /// For joints. `velocity` and `angular_velocity` count for them too.
    pub joint: JointChange,
}

/// New values for a joint.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JointChange {
    /// Speed of the motor [rad/s or m/s].
    pub speed: Option<f64>,
    /// Target of the motor [rad or m].
    pub target: Option<f64>,
    /// The motor goes.
    pub motor_off: bool,
    /// Strength [N m].
    pub max_torque: Option<f64>,
    /// Strength [N].
    pub max_force: Option<f64>,
    /// Limits [rad or m].
    pub limits: Option<[f64; 2]>,
    /// Steering of a wheel [rad].
    pub steering: Option<f64>,
    /// Where a mouse draws to [m].
    pub place: Option<Vec3>,
    /// Length [m].
    pub length: Option<f64>,
    /// Spring [Hz].
    pub frequency: Option<f64>,
}

/// Bodies by full name: one, a group, all of a repetition, or all there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Every dynamic body.
    All,
    /// The body of this name, or those whose name or group continues it with `[` or `.`.
    Named(SmolStr),
}

impl Target {
    /// Whether a body with this name and group is meant. `All` is for the caller to decide.
    #[must_use]
    pub fn matches(&self, name: Option<&str>, group: Option<&str>) -> bool {
        let Self::Named(wanted) = self else { return true };
        let covers = |full: &str| {
            full.strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
        };
        name.is_some_and(covers) || group.is_some_and(covers)
    }
}

/// A formula over the running world.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// A number.
    Number(f64),
    /// Numbers known by now: what `start` was, once a run has begun.
    Values(Vec<f64>),
    /// A text.
    Text(SmolStr),
    /// A quantity, of bodies where it takes some. Of several bodies it is a list.
    Quantity(&'static str, Vec<Target>),
    /// A function of numbers; element by element for lists.
    Call(&'static str, Vec<Query>),
    /// `min`, `max`, `mean`, `sum`, `count` of a list.
    Reduce(&'static str, Box<Query>),
    /// The value before the first step.
    Start(Box<Query>),
    /// Operator before.
    Unary(Unary, Box<Query>),
    /// Operator between; a comparison of lists holds if it holds for every element.
    Binary(Binary, Box<(Query, Query)>),
    /// Equal within a tolerance, which may be a percentage of the right side.
    Within {
        /// Left and right.
        sides: Box<(Query, Query)>,
        /// Tolerance; in percent if relative.
        tolerance: f64,
        /// Whether it is relative.
        relative: bool,
    },
}

/// When a statement must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// After every step.
    Always,
    /// At one moment.
    After(Moment),
    /// After every step in between.
    From(Moment, Option<Moment>),
    /// At some moment up to this one.
    By(Moment),
    /// After the last step.
    Finally,
}

impl Window {
    /// The last step that it looks at, if that does not depend on the length of the run.
    #[must_use]
    pub fn last(&self, dt: f64) -> Option<u64> {
        match self {
            Self::Always | Self::Finally => None,
            Self::After(moment) | Self::By(moment) => Some(moment.step(dt)),
            Self::From(from, until) => Some(until.unwrap_or(*from).step(dt)),
        }
    }
}

/// A statement about the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// When.
    pub window: Window,
    /// In words.
    pub about: Option<SmolStr>,
    /// All of these must hold.
    pub conditions: Vec<Query>,
    /// Where each of them was written.
    pub places: Vec<Span>,
    /// Where it was written.
    pub span: Span,
}
