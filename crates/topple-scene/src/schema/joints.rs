//! Joints: `joint hinge name { … }`.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3};
use super::Range::{NonZero, NotNegative, Ordered, Positive};
use super::Type::{Body, Number, Pair, Spin, Vector};
use super::{Dims, Family, KindInfo, Param, Type, k, p};
use crate::units::{Dimension, dim};

const NONE: Dimension = Dimension::NONE;
const LENGTH: Dimension = Dimension::LENGTH;
const ANGLE: Dimension = Dimension::ANGLE;
const FORCE: Dimension = dim(1, 1, -2, 0);
const TORQUE: Dimension = dim(2, 1, -2, 0);
const HERTZ: Dimension = dim(0, 0, -1, 0);

const ENDS: &[Param] = &[
    p("a", Body, NONE, "First body.").required(),
    p("b", Body, NONE, "Second body.").or(Without("the world")),
    p("at", Vector, LENGTH, "Place of the joint in the world.").or(Without("the centre of `a`")),
    p("atA", Vector, LENGTH, "Place on the first body, in the world.").or(Without("`at`")),
    p("atB", Vector, LENGTH, "Place on the second body, in the world.")
        .or(Without("`at`, or the centre of `b`")),
];
const COMMON: &[Param] = &[
    p("collide", Type::Flag, NONE, "The two bodies still collide with each other.").or(Flag(false)),
    p("breakForce", Number, FORCE, "Breaks above this force.").range(Positive).or(Without("never")),
    p("breakTorque", Number, TORQUE, "Breaks above this torque.").range(Positive).or(Without("never")),
];
const AXIS: Param = p("axis", Vector, NONE, "Axis in the world.").range(NonZero);
const SOFT: &[Param] = &[
    p("frequency", Number, HERTZ, "Stiffness as a frequency; rigid if absent.")
        .range(Positive)
        .or(Without("rigid")),
    p("dampingRatio", Number, NONE, "1 is critical damping.").range(NotNegative).or(Num(0.7)),
];
const TURN_AXIS: &[Param] = &[AXIS.only(Dims::Three).or(Vec3([0.0, 0.0, 1.0]))];
const TURN: &[Param] = &[
    p("limits", Pair, ANGLE, "Smallest and largest angle.").range(Ordered),
    p("motorSpeed", Number, dim(0, 0, -1, 1), "Speed the motor wants."),
    p("maxTorque", Number, TORQUE, "Strength of the motor.").range(NotNegative).or(Without("unlimited")),
];
const SLIDE: &[Param] = &[
    AXIS.or(Vec3([1.0, 0.0, 0.0])),
    p("limits", Pair, LENGTH, "Smallest and largest displacement.").range(Ordered),
    p("motorSpeed", Number, dim(1, 0, -1, 0), "Speed the motor wants."),
    p("maxForce", Number, FORCE, "Strength of the motor.").range(NotNegative).or(Without("unlimited")),
];
const BALL: &[Param] = &[
    p("coneLimit", Number, ANGLE, "Largest angle from the starting direction.")
        .range(NotNegative)
        .only(Dims::Three),
    p("twistLimits", Pair, ANGLE, "Smallest and largest twist about `axis`.")
        .range(Ordered)
        .only(Dims::Three),
    AXIS.only(Dims::Three).or(Vec3([0.0, 1.0, 0.0])),
];
const REST: Param = p("length", Number, LENGTH, "Length.").range(NotNegative).or(Without("as placed"));
const DISTANCE: &[Param] = &[REST, p("limits", Pair, LENGTH, "Shortest and longest length.").range(Ordered)];
const SPRING: &[Param] = &[
    REST,
    p("stiffness", Number, dim(0, 1, -2, 0), "Force per length.").range(NotNegative).or(Num(100.0)),
    p("damping", Number, dim(0, 1, -1, 0), "Force per speed.").range(NotNegative).or(Num(0.0)),
];
const WHEEL: &[Param] = &[
    p("axis", Vector, NONE, "Direction of the suspension in the world.")
        .range(NonZero)
        .or(Vec3([0.0, 1.0, 0.0])),
    p("axle", Vector, NONE, "Axis the wheel turns about.")
        .range(NonZero)
        .or(Vec3([0.0, 0.0, 1.0]))
        .only(Dims::Three),
    p("limits", Pair, LENGTH, "Lowest and highest travel of the suspension.").range(Ordered),
    p("motorSpeed", Number, dim(0, 0, -1, 1), "Speed the motor wants."),
    p("maxTorque", Number, TORQUE, "Strength of the motor.").range(NotNegative).or(Without("unlimited")),
];
const GEAR: &[Param] = &[
    p("ratio", Number, NONE, "Turns of `b` for one turn of `a`, with its sign.").range(NonZero).or(Num(-1.0)),
    p("axis", Vector, NONE, "Axis of `a` in the world.")
        .range(NonZero)
        .or(Vec3([0.0, 0.0, 1.0]))
        .only(Dims::Three),
    p("axisB", Vector, NONE, "Axis of `b` in the world.")
        .range(NonZero)
        .or(Without("`axis`"))
        .only(Dims::Three),
];
const MOTOR: &[Param] = &[
    p("vel", Vector, dim(1, 0, -1, 0), "Velocity of `a` against `b` it wants."),
    p("angvel", Spin, dim(0, 0, -1, 1), "Angular velocity of `a` against `b` it wants."),
    p("maxForce", Number, FORCE, "Strength.").range(NotNegative).or(Without("unlimited")),
    p("maxTorque", Number, TORQUE, "Strength in rotation.").range(NotNegative).or(Without("unlimited")),
];
const MOUSE: &[Param] = &[
    p("target", Vector, LENGTH, "Place it is drawn to.").required(),
    p("maxForce", Number, FORCE, "Strength.").range(NotNegative).or(Without("unlimited")),
];

const fn joint(
    name: &'static str,
    tables: &'static [&'static [Param]],
    doc: &'static str,
    example: &'static str,
) -> KindInfo {
    k(name, Family::Joint, tables, doc, example)
}

/// All joints.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        aliases: &["pivot"],
        ..joint(
            "ball",
            &[ENDS, BALL, COMMON],
            "One point in common, free to turn every way.",
            "joint ball { a arm  b body  at 0,1,0 }",
        )
    },
    joint(
        "hinge",
        &[ENDS, TURN_AXIS, TURN, SOFT, COMMON],
        "Turns about one axis.",
        "joint hinge { a seesaw  b floor  at 0,1  limits -30deg,30deg }",
    ),
    joint(
        "slider",
        &[ENDS, SLIDE, SOFT, COMMON],
        "Moves along one axis and does not turn.",
        "joint slider { a lift  axis 0,1  limits 0,3  motorSpeed 1  maxForce 1kN }",
    ),
    KindInfo {
        aliases: &["weld"],
        ..joint(
            "fixed",
            &[ENDS, SOFT, COMMON],
            "Holds two bodies together.",
            "joint fixed { a head  b handle }",
        )
    },
    joint(
        "distance",
        &[ENDS, DISTANCE, SOFT, COMMON],
        "Keeps two points at a distance, as a rod does.",
        "joint distance { a bob  atB 0,3  length 2 }",
    ),
    joint(
        "spring",
        &[ENDS, SPRING, COMMON],
        "A damped spring between two points, solved as a constraint: stable however stiff.",
        "joint spring { a bob  atB 0,3  length 1  stiffness 50  damping 1 }",
    ),
    joint(
        "rope",
        &[ENDS, &[REST], COMMON],
        "Keeps two points within a length.",
        "joint rope { a bob  atB 0,3  length 2 }",
    ),
    joint(
        "wheel",
        &[ENDS, WHEEL, SOFT, COMMON],
        "A sprung wheel: `a` is the wheel, `b` the chassis.",
        "joint wheel { a tyre  b chassis  at -1,0.5  frequency 4  motorSpeed -20  maxTorque 30 }",
    ),
    joint(
        "gear",
        &[ENDS, GEAR, COMMON],
        "Couples the rotation of two bodies.",
        "joint gear { a small  b large  ratio -0.5 }",
    ),
    joint(
        "motor",
        &[ENDS, MOTOR, COMMON],
        "Drives the velocity of one body against another.",
        "joint motor { a fan  angvel 10  maxTorque 5 }",
    ),
    joint(
        "mouse",
        &[ENDS, MOUSE, SOFT, COMMON],
        "Draws a point of a body to a place.",
        "joint mouse { a box1  target 2,3 }",
    ),
];

/// The joint of a word.
#[must_use]
pub fn find(word: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|kind| kind.name == word || kind.aliases.contains(&word))
}
