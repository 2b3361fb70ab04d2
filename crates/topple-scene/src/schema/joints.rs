//! Joints: `joint hinge name { … }`.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3};
use super::Range::{Between, NonZero, NotNegative, Ordered, Positive};
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
    p("a", Body, NONE, "The body that moves.").required(),
    p("b", Body, NONE, "The body it moves against.").or(Without("the world")),
    p("at", Vector, LENGTH, "Place of the joint in the world.").or(Without("the centre of `a`")),
    p("atA", Vector, LENGTH, "Place on `a`, in the world.").or(Without("`at`")),
    p("atB", Vector, LENGTH, "Place on `b`, in the world.").or(Without("`at`")),
];
const LONG_ENDS: &[Param] = &[
    ENDS[0],
    ENDS[1],
    p("atA", Vector, LENGTH, "Place on `a`, in the world.").or(Without("its centre")),
    p("atB", Vector, LENGTH, "Place on `b`, in the world.").or(Without("its centre; needed without `b`")),
];
const GRIP: &[Param] = &[
    ENDS[0],
    p("b", Body, NONE, "The body that the counter-force acts on.").or(Without("the world")),
    p("at", Vector, LENGTH, "Place on `a` that is drawn, in the world.").or(Without("its centre")),
];
const HOLD: &[Param] = &[
    p("holdFrequency", Number, HERTZ, "Stiffness of what the joint holds.")
        .range(Positive)
        .or(Without("the world's: `jointHertz`")),
    p("holdDamping", Number, NONE, "Its damping ratio; 1 is critical.").range(NotNegative).or(Num(2.0)),
];
const COMMON: &[Param] = &[
    p("collide", Type::Flag, NONE, "The two bodies still collide with each other.").or(Flag(false)),
    p("breakForce", Number, FORCE, "Breaks above this force.").range(Positive).or(Without("never")),
    p("breakTorque", Number, TORQUE, "Breaks above this torque.").range(Positive).or(Without("never")),
    p("alarmForce", Number, FORCE, "Counts as an overload above this force; instead of breaking.")
        .range(Positive)
        .or(Without("never")),
    p("alarmTorque", Number, TORQUE, "Counts as an overload above this torque; instead of breaking.")
        .range(Positive)
        .or(Without("never")),
];
const AXIS: Param = p("axis", Vector, NONE, "Axis in the world.").range(NonZero);
const FREQUENCY: Param = p("frequency", Number, HERTZ, "Spring, as the frequency of the free oscillation.")
    .range(Positive)
    .or(Without("no spring"));
const DAMPING: Param =
    p("dampingRatio", Number, NONE, "Damping of the spring; 1 is critical.").range(NotNegative).or(Num(0.7));
const TURN_AXIS: &[Param] = &[AXIS.only(Dims::Three).or(Vec3([0.0, 0.0, 1.0]))];
const SERVO: &[Param] = &[
    p("motorFrequency", Number, HERTZ, "Stiffness of a motor with a target.").range(Positive).or(Num(5.0)),
    p("motorDamping", Number, NONE, "Damping ratio of a motor with a target.")
        .range(NotNegative)
        .or(Num(1.0)),
];
const TURN_MOTOR: &[Param] = &[
    p("motorSpeed", Number, dim(0, 0, -1, 1), "Speed that a motor holds.").or(Without("no motor")),
    p("motorTarget", Number, ANGLE, "Angle that a motor holds; instead of a speed.").or(Without("no motor")),
    p("maxTorque", Number, TORQUE, "Strength of the motor.").range(NotNegative).or(Without("unlimited")),
];
const TURN: &[Param] = &[
    p("limits", Pair, ANGLE, "Smallest and largest angle.").range(Ordered).or(Without("free")),
    FREQUENCY,
    DAMPING,
    p("rest", Number, ANGLE, "Angle at which the spring is at rest.").or(Num(0.0)),
];
const SLIDE: &[Param] = &[
    AXIS.or(Vec3([1.0, 0.0, 0.0])),
    p("limits", Pair, LENGTH, "Smallest and largest displacement.").range(Ordered).or(Without("free")),
    FREQUENCY,
    DAMPING,
    p("rest", Number, LENGTH, "Displacement at which the spring is at rest.").or(Num(0.0)),
    p("motorSpeed", Number, dim(1, 0, -1, 0), "Speed that a motor holds.").or(Without("no motor")),
    p("motorTarget", Number, LENGTH, "Displacement that a motor holds; instead of a speed.")
        .or(Without("no motor")),
    p("maxForce", Number, FORCE, "Strength of the motor.").range(NotNegative).or(Without("unlimited")),
];
const BALL: &[Param] = &[
    p("coneLimit", Number, ANGLE, "Largest angle of `axis` from where it pointed.")
        .range(Between(0.0, std::f64::consts::PI))
        .or(Without("free"))
        .only(Dims::Three),
    p("twistLimits", Pair, ANGLE, "Smallest and largest twist about `axis`.")
        .range(Ordered)
        .or(Without("free"))
        .only(Dims::Three),
    AXIS.only(Dims::Three).or(Vec3([0.0, 1.0, 0.0])),
];
const REST: Param = p("length", Number, LENGTH, "Length.").range(NotNegative).or(Without("as placed"));
const DISTANCE: &[Param] = &[
    REST,
    p("limits", Pair, LENGTH, "Shortest and longest length; instead of one length.")
        .range(Ordered)
        .or(Without("`length`; free with a spring")),
    p("frequency", Number, HERTZ, "A spring to `length` instead of a rod.")
        .range(Positive)
        .or(Without("a rod")),
    DAMPING,
];
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
    p("steering", Number, ANGLE, "Angle of the axle about the suspension.").or(Num(0.0)).only(Dims::Three),
    p("limits", Pair, LENGTH, "Lowest and highest travel of the suspension.")
        .range(Ordered)
        .or(Without("free")),
    p("frequency", Number, HERTZ, "Suspension as the frequency of the free oscillation; 0: none.")
        .range(NotNegative)
        .or(Num(4.0)),
    DAMPING,
    p("rest", Number, LENGTH, "Travel at which the suspension is at rest.").or(Num(0.0)),
];
const GEAR_ENDS: &[Param] =
    &[p("a", Body, NONE, "First wheel.").required(), p("b", Body, NONE, "Second wheel.").required()];
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
    p("vel", Vector, dim(1, 0, -1, 0), "Velocity of `a` against `b` it wants.").or(Without("free, or 0")),
    p("angvel", Spin, dim(0, 0, -1, 1), "Angular velocity of `a` against `b` it wants.")
        .or(Without("free, or 0")),
    p("offset", Vector, LENGTH, "Displacement from where it was placed that it wants.")
        .or(Without("free, or 0")),
    p("turn", Spin, ANGLE, "Rotation from how it was placed that it wants.").or(Without("free, or 0")),
    p("frequency", Number, HERTZ, "Stiffness towards `offset` and `turn`.")
        .range(Positive)
        .or(Without("5 Hz with `offset` or `turn`, else velocities only")),
    p("dampingRatio", Number, NONE, "Its damping; 1 is critical.").range(NotNegative).or(Num(1.0)),
    p("maxForce", Number, FORCE, "Strength.")
        .range(NotNegative)
        .or(Without("unlimited with `vel` or `offset`")),
    p("maxTorque", Number, TORQUE, "Strength in rotation.")
        .range(NotNegative)
        .or(Without("unlimited with `angvel` or `turn`")),
];
const MOUSE: &[Param] = &[
    p("target", Vector, LENGTH, "Place it is drawn to.").required(),
    p("maxForce", Number, FORCE, "Strength.").range(NotNegative).or(Without("unlimited")),
    p("frequency", Number, HERTZ, "Stiffness as the frequency of the free oscillation.")
        .range(Positive)
        .or(Num(5.0)),
    p("dampingRatio", Number, NONE, "Its damping; 1 is critical.").range(NotNegative).or(Num(1.0)),
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
            &[ENDS, BALL, HOLD, COMMON],
            "One point in common, free to turn every way.",
            "joint ball { a arm  b body  at 0,1,0 }",
        )
    },
    joint(
        "hinge",
        &[ENDS, TURN_AXIS, TURN, TURN_MOTOR, SERVO, HOLD, COMMON],
        "Turns about one axis, counter-clockwise seen against it; angles are those of `a` in `b`.",
        "joint hinge { a seesaw  b floor  at 0,1  limits -30deg,30deg }",
    ),
    joint(
        "slider",
        &[ENDS, SLIDE, SERVO, HOLD, COMMON],
        "`a` moves along one axis of `b` and does not turn.",
        "joint slider { a lift  axis 0,1  limits 0,3  motorSpeed 1  maxForce 1kN }",
    ),
    KindInfo {
        aliases: &["weld"],
        ..joint(
            "fixed",
            &[ENDS, HOLD, COMMON],
            "Holds two bodies together. Something springy is a `motor` with `offset` and `turn`.",
            "joint fixed { a head  b handle }",
        )
    },
    joint(
        "distance",
        &[LONG_ENDS, DISTANCE, HOLD, COMMON],
        "Keeps two points at a distance, as a rod does.",
        "joint distance { a bob  atB 0,3  length 2 }",
    ),
    joint(
        "spring",
        &[LONG_ENDS, SPRING, COMMON],
        "A damped spring between two points, solved as a constraint: stable however stiff.",
        "joint spring { a bob  atB 0,3  length 1  stiffness 50  damping 1 }",
    ),
    joint(
        "rope",
        &[LONG_ENDS, &[REST], HOLD, COMMON],
        "Keeps two points within a length.",
        "joint rope { a bob  atB 0,3  length 2 }",
    ),
    joint(
        "wheel",
        &[ENDS, WHEEL, TURN_MOTOR, SERVO, HOLD, COMMON],
        "A sprung wheel: `a` is the wheel, `b` the chassis.",
        "joint wheel { a tyre  b chassis  at -1,0.5  frequency 4  motorSpeed -20  maxTorque 30 }",
    ),
    joint(
        "gear",
        &[GEAR_ENDS, GEAR, COMMON],
        "Couples the rotation of two bodies.",
        "joint gear { a small  b large  ratio -0.5 }",
    ),
    joint(
        "motor",
        &[ENDS, MOTOR, COMMON],
        "Drives velocity, or place and rotation, of `a` against `b` with bounded force.",
        "joint motor { a fan  angvel 10  maxTorque 5 }",
    ),
    joint(
        "mouse",
        &[GRIP, MOUSE, COMMON],
        "Draws a point of a body to a place.",
        "joint mouse { a box1  target 2,3 }",
    ),
];

/// The joint of a word.
#[must_use]
pub fn find(word: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|kind| kind.name == word || kind.aliases.contains(&word))
}
