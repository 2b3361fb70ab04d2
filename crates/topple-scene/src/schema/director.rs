//! What the director can do, besides adding: any body, joint or force in an event is added when it happens.

use super::Type::{Body, Number, Spin, Vector};
use super::{Family, KindInfo, Param, Type, bodies, k, p, world};
use crate::units::{Dimension, dim};

const NONE: Dimension = Dimension::NONE;

const PUSH: &[Param] = &[
    p("impulse", Vector, dim(1, 1, -1, 0), "Impulse."),
    p("force", Vector, dim(1, 1, -2, 0), "Force during the next step."),
    p("torque", Spin, dim(2, 1, -2, 0), "Torque during the next step."),
    p("angularImpulse", Spin, dim(2, 1, -1, 0), "Angular impulse."),
    p("at", Vector, Dimension::LENGTH, "Point of attack in the world.")
        .or(super::Default::None("the centre of mass")),
];
const CHANGE: &[Param] = &[
    bodies::MOTION[0],
    bodies::MOTION[1],
    p("static", Type::Flag, NONE, "Becomes static."),
    p("kinematic", Type::Flag, NONE, "Becomes kinematic."),
    p("dynamic", Type::Flag, NONE, "Becomes dynamic."),
    p("gravityScale", Number, NONE, "Share of the world's gravity it feels."),
    p("elastic", Number, NONE, "Restitution of its shapes.")
        .alias(&["restitution"])
        .range(super::Range::NotNegative),
    p("friction", Number, NONE, "Friction of its shapes.").range(super::Range::NotNegative),
    p("colour", Type::Colour, NONE, "Colour.").alias(&["color"]).range(super::Range::Fraction),
    p("centre", Vector, Dimension::LENGTH, "Moved here.").alias(&["center", "at"]),
    p("angle", Number, Dimension::ANGLE, "Turned to this.").only(super::Dims::Two),
];
const MERGE: &[Param] =
    &[p("part", Type::Targets, NONE, "The bodies that become part of it.").alias(&["parts"]).required()];
const ANGLE: Dimension = Dimension::ANGLE;
const LENGTH: Dimension = Dimension::LENGTH;
const CHANGE_JOINT: &[Param] = &[
    p("motorSpeed", Number, dim(0, 0, -1, 1), "Speed that the motor of a hinge, slider or wheel holds.")
        .or_unit(dim(1, 0, -1, 0)),
    p("motorTarget", Number, ANGLE, "Angle or displacement that it holds.").or_unit(LENGTH),
    p("motorOff", Type::Flag, NONE, "Takes the motor away."),
    p("maxTorque", Number, dim(2, 1, -2, 0), "Strength of the motor.").range(super::Range::NotNegative),
    p("maxForce", Number, dim(1, 1, -2, 0), "Strength of the motor, or of a mouse.")
        .range(super::Range::NotNegative),
    p("limits", Type::Pair, ANGLE, "Limits of a hinge, slider, wheel or distance.")
        .or_unit(LENGTH)
        .range(super::Range::Ordered),
    p("steering", Number, ANGLE, "Angle of the axle of a wheel.").only(super::Dims::Three),
    p("target", Vector, LENGTH, "Place that a mouse draws to."),
    p("length", Number, LENGTH, "Length of a rope, rod or spring.").range(super::Range::NotNegative),
    p("frequency", Number, dim(0, 0, -1, 0), "Spring of a hinge, slider, wheel, distance or mouse.")
        .range(super::Range::Positive),
];

const fn act(
    name: &'static str,
    tables: &'static [&'static [Param]],
    doc: &'static str,
    example: &'static str,
) -> KindInfo {
    k(name, Family::Action, tables, doc, example)
}

/// All actions.
pub const KINDS: &[KindInfo] = &[
    act("push", &[PUSH], "Pushes bodies.", "at 5s { push ball { impulse 0,10,0 } }"),
    act("remove", &[], "Removes bodies, or a joint or force by its name.", "at 8s { remove ball; }"),
    act(
        "change",
        &[CHANGE, CHANGE_JOINT],
        "Changes bodies or joints. `vel` and `angvel` are for bodies and for joints of the kind `motor`.",
        "at 2s { change door { dynamic  colour red } }",
    ),
    act("wake", &[], "Wakes bodies.", "at 2s { wake all; }"),
    act(
        "merge",
        &[MERGE],
        "Makes other bodies part of one: their shapes go over with their momentum, and they are no more. Both must be \
         dynamic, and those that go over without joints.",
        "at 2s { merge chassis { part box1 } }",
    ),
    act(
        "unmerge",
        &[],
        "Takes a body off again that was merged: it is back under its name, and moves as the whole moved.",
        "at 2s { merge chassis { part box1 } } at 4s { unmerge box1 }",
    ),
    KindInfo {
        takes_settings: true,
        ..act("set", &[world::WORLD], "Changes settings of the world.", "at 3s { set { gravity 0,0,0 } }")
    },
    act("stop", &[], "Ends the run.", "at 10000 steps { stop; }"),
];

/// What a quantity is a quantity of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The whole world.
    World,
    /// A body.
    Body,
    /// Two bodies.
    Pair,
    /// A joint.
    Joint,
    /// A body or a joint.
    Either,
}

impl Of {
    /// Number of arguments.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::World => 0,
            Self::Body | Self::Joint | Self::Either => 1,
            Self::Pair => 2,
        }
    }

    /// `(body)` and so on, for the reference.
    #[must_use]
    pub const fn arguments(self) -> &'static str {
        match self {
            Self::World => "",
            Self::Body => "(body)",
            Self::Joint => "(joint)",
            Self::Either => "(body or joint)",
            Self::Pair => "(body, body)",
        }
    }
}

/// A quantity of the running world, for `expect` and `when`.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name.
    pub name: &'static str,
    /// What it is a quantity of.
    pub of: Of,
    /// Unit.
    pub unit: &'static str,
    /// One line.
    pub doc: &'static str,
}

const fn q(name: &'static str, of: Of, unit: &'static str, doc: &'static str) -> Quantity {
    Quantity { name, of, unit, doc }
}

/// All quantities.
pub const QUANTITIES: &[Quantity] = &[
    q("x", Of::Body, "m", "Position along x."),
    q("y", Of::Body, "m", "Position along y."),
    q("z", Of::Body, "m", "Position along z."),
    q("vx", Of::Body, "m/s", "Velocity along x."),
    q("vy", Of::Body, "m/s", "Velocity along y."),
    q("vz", Of::Body, "m/s", "Velocity along z."),
    q("speed", Of::Body, "m/s", "Speed."),
    q(
        "spin",
        Of::Either,
        "rad/s",
        "Angular speed; in 2D with its sign. Of a joint about its axis, `a` against `b`.",
    ),
    q(
        "angle",
        Of::Either,
        "rad",
        "Angle in 2D; angle of the whole rotation from the start in 3D. Of a joint about its axis, `a` in `b`.",
    ),
    q("tilt", Of::Body, "rad", "Angle between the body's own up and the world's."),
    q("moved", Of::Body, "m", "Distance from where it started."),
    q("kinetic", Of::Body, "J", "Kinetic energy of a body."),
    q("mass", Of::Body, "kg", "Mass."),
    q("asleep", Of::Body, "", "1 if it sleeps, else 0."),
    q("exists", Of::Either, "", "1 if it is still there, else 0: bodies can be removed, joints can break."),
    q("distance", Of::Pair, "m", "Distance of the centres of mass of two bodies."),
    q("touching", Of::Pair, "", "1 if two bodies touch, else 0."),
    q(
        "turns",
        Of::Joint,
        "",
        "Whole turns of `a` in `b` about the axis since the joint was made, with their sign.",
    ),
    q("slide", Of::Joint, "m", "Displacement of `a` along the axis of a slider or wheel."),
    q("gap", Of::Joint, "m", "Distance of its two places."),
    q(
        "stretch",
        Of::Joint,
        "m",
        "How far the joint is from what it should hold; of a spring, from its length.",
    ),
    q("force", Of::Joint, "N", "Force it carries."),
    q("forceX", Of::Joint, "N", "Force it exerts on `a` along x."),
    q("forceY", Of::Joint, "N", "Force it exerts on `a` along y."),
    q("forceZ", Of::Joint, "N", "Force it exerts on `a` along z."),
    q("torque", Of::Joint, "N m", "Torque it exerts on `a`; in 2D with its sign."),
    q("overloads", Of::Joint, "", "Steps in which it carried more than `alarmForce` or `alarmTorque`."),
    q("time", Of::World, "s", "Time since the start."),
    q("steps", Of::World, "", "Steps since the start."),
    q("energy", Of::World, "J", "Total energy, kinetic and potential."),
    q("kineticEnergy", Of::World, "J", "Kinetic energy of all bodies."),
    q(
        "potentialEnergy",
        Of::World,
        "J",
        "Potential energy of all bodies: in gravity, and under forces that have one.",
    ),
    q("momentumX", Of::World, "N s", "Momentum along x."),
    q("momentumY", Of::World, "N s", "Momentum along y."),
    q("momentumZ", Of::World, "N s", "Momentum along z."),
    q(
        "angularMomentum",
        Of::World,
        "N m s",
        "Length of the angular momentum about the origin; in 2D with its sign.",
    ),
    q("bodies", Of::World, "", "Number of bodies."),
    q("awake", Of::World, "", "Number of awake bodies."),
    q("contacts", Of::World, "", "Number of touching contacts."),
    q("joints", Of::World, "", "Number of joints."),
    q("penetration", Of::World, "m", "Deepest overlap of the last step."),
    q("hash", Of::World, "", "Hash of the exact state, compared with a text."),
];

/// The quantity of a word.
#[must_use]
pub fn quantity(word: &str) -> Option<&'static Quantity> {
    QUANTITIES.iter().find(|quantity| quantity.name == word)
}

/// Functions that make one number of a list of them.
pub const REDUCTIONS: &[(&str, &str)] = &[
    ("min", "The smallest."),
    ("max", "The largest."),
    ("mean", "The average."),
    ("sum", "The sum."),
    ("count", "How many fulfil a condition: `count(y(all) < 0)`."),
    ("start", "The value at the start of the run: `start(energy)`."),
];

/// Type used by tools that list targets.
pub const TARGET_TYPES: &[Type] = &[Body, Type::Targets];
