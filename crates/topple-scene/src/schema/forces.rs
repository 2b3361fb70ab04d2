//! Force generators: `force wind name { … }`. Each is one of the engine's, and its defaults are the engine's.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3, Word as Is};
use super::Range::{Between, NonZero, NotNegative, Positive};
use super::Type::{Body, Integer, Number, Spin, Targets, Vector, Word};
use super::{Dims, Family, KindInfo, Param, Type, k, p};
use crate::units::{Dimension, dim};

const NONE: Dimension = Dimension::NONE;
const LENGTH: Dimension = Dimension::LENGTH;
const SPEED: Dimension = dim(1, 0, -1, 0);
const ACCELERATION: Dimension = dim(1, 0, -2, 0);
const RATE: Dimension = dim(0, 0, -1, 0);
const UP: super::Default = Vec3([0.0, 1.0, 0.0]);

/// Which bodies.
const ON: Param = p("on", Targets, NONE, "Bodies it acts on, those added later too.").or(Is("all"));
const SCOPE: &[Param] = &[
    ON,
    p("low", Vector, LENGTH, "Only bodies whose centre of mass is in a box: its lowest corner.")
        .or(Without("everywhere")),
    p("high", Vector, LENGTH, "The highest corner of that box.").or(Without("everywhere")),
];
const AT: Param = p("at", Vector, LENGTH, "Its centre.").or(Vec3([0.0; 3]));
const SOFTENING: Param = p(
    "softening",
    Number,
    LENGTH,
    "Keeps the force finite: the distance counts as √(distance² + softening²).",
)
.range(NotNegative)
.or(Num(0.0));
const EXPONENT: Param =
    p("exponent", Integer, NONE, "Power of the distance.").range(Between(-8.0, 8.0)).or(Num(-2.0));

const fn force(
    name: &'static str,
    tables: &'static [&'static [Param]],
    doc: &'static str,
    example: &'static str,
) -> KindInfo {
    k(name, Family::Force, tables, doc, example)
}

/// All generators.
pub const KINDS: &[KindInfo] = &[
    force(
        "gravity",
        &[SCOPE, &[p("acceleration", Vector, ACCELERATION, "Acceleration.").required()]],
        "Uniform gravity for some bodies, besides the world's.",
        "force gravity { on balloons  acceleration 0,12,0 }",
    ),
    force(
        "point",
        &[
            SCOPE,
            &[
                AT,
                p("from", Body, NONE, "A body that pulls and is pulled back; `at` is then a place on it, in the world.")
                    .or(Without("the place `at`")),
                p(
                    "strength",
                    Number,
                    NONE,
                    "Acceleration at a distance of 1 m; for gravity, G times the mass. Negative pushes away.",
                )
                .required(),
                EXPONENT,
                SOFTENING,
            ],
        ],
        "A pull towards a point or a body.",
        "force point { at 0,0,0  strength 10 }",
    ),
    force(
        "spring",
        &[&[
            p("a", Body, NONE, "First body.").required(),
            p("b", Body, NONE, "Second body.").or(Without("the world")),
            p("atA", Vector, LENGTH, "Place on the first body, in the world.").or(Without("its centre of mass")),
            p("atB", Vector, LENGTH, "Place on the second body, or the anchor, in the world.")
                .or(Without("its centre of mass; the origin for the world")),
            p("length", Number, LENGTH, "Length at rest.").range(NotNegative).or(Without("as placed")),
            p("stiffness", Number, dim(0, 1, -2, 0), "Force per length.").range(NotNegative).or(Num(100.0)),
            p("damping", Number, dim(0, 1, -1, 0), "Force per speed along the spring.")
                .range(NotNegative)
                .or(Num(0.0)),
            p("bungee", Type::Flag, NONE, "Pulls only.").or(Flag(false)),
        ]],
        "A spring as a plain force, between two bodies or a body and an anchor.",
        "force spring { a bob  atB 0,4,0  stiffness 20  damping 0.5 }",
    ),
    force(
        "attraction",
        &[
            SCOPE,
            &[
                p("strength", Number, NONE, "Force between unit charges at 1 m; negative repels. For gravity, G.")
                    .or(Without("from `depth` and `distance`")),
                EXPONENT,
                p("depth", Number, dim(2, 1, -2, 0), "Depth of the well of a Lennard-Jones law instead.")
                    .range(NotNegative),
                p("distance", Number, LENGTH, "Distance at which the energy of that law is zero.").range(Positive),
                p("charge", Word(&["mass", "one"]), NONE, "What each body brings: its mass, or 1.").or(Is("mass")),
                SOFTENING,
                p("range", Number, LENGTH, "No force beyond this distance.")
                    .range(NotNegative)
                    .or(Without("unlimited")),
            ],
        ],
        "Every pair of the bodies attracts or repels. Give `strength`, or `depth` and `distance`.",
        "force attraction { on planets  strength 3 }",
    ),
    force(
        "motor",
        &[&[
            ON,
            p("torque", Spin, dim(2, 1, -2, 0), "Torque, at rest if there is a free speed.").required(),
            p("local", Type::Flag, NONE, "The torque is in the body's frame and turns with it.").or(Flag(false)),
            p("carrier", Body, NONE, "The body that carries the motor and is turned back.").or(Without("the world")),
            p("freeSpeed", Number, dim(0, 0, -1, 1), "Speed at which nothing is left of the torque; beyond, it brakes.")
                .range(Positive)
                .or(Without("constant torque")),
        ]],
        "A torque.",
        "force motor { on rotor  torque 0,5,0 }",
    ),
    force(
        "thrust",
        &[&[
            ON,
            p("force", Vector, dim(1, 1, -2, 0), "Force.").required(),
            p("at", Vector, LENGTH, "Point of attack, in the body's frame.").or(Vec3([0.0; 3])),
            p("local", Type::Flag, NONE, "The force is in the body's frame and turns with it.").or(Flag(true)),
        ]],
        "A constant force on a point of a body, such as a rocket.",
        "force thrust { on rocket  force 0,20,0  at 0,-1,0 }",
    ),
    force(
        "wind",
        &[
            SCOPE,
            &[
                p("velocity", Vector, SPEED, "Velocity of the air; zero for still air that only resists.").required(),
                p("density", Number, dim(-3, 1, 0, 0), "Density of the air; in 2D kg/m^2.")
                    .range(NotNegative)
                    .or(Num(1.2)),
                p("drag", Number, NONE, "Drag coefficient.").range(NotNegative).or(Num(1.0)),
                p("lift", Number, NONE, "Lift coefficient.").or(Num(1.0)),
            ],
        ],
        "Moving air: every piece of surface that faces it is dragged along and lifted across, so plates turn and wings fly.",
        "force wind { velocity 3,0,0  drag 0.5 }",
    ),
    force(
        "drag",
        &[&[
            ON,
            p("linear", Number, dim(0, 1, -1, 0), "Force per speed.").range(NotNegative).or(Num(0.0)),
            p("quadratic", Number, dim(-1, 1, 0, 0), "Force per speed squared.").range(NotNegative).or(Num(0.0)),
            p("angular", Number, dim(2, 1, -1, 0), "Torque per angular speed.").range(NotNegative).or(Num(0.0)),
        ]],
        "Resistance by numbers, the same for bodies of any shape.",
        "force drag { linear 0.01  quadratic 0.01 }",
    ),
    force(
        "buoyancy",
        &[
            SCOPE,
            &[
                p("level", Number, LENGTH, "Height of the surface along `normal`.").or(Num(0.0)),
                p("normal", Vector, NONE, "Out of the water.").range(NonZero).or(UP),
                p("density", Number, dim(-3, 1, 0, 0), "Density of the fluid; in 2D kg/m^2.")
                    .range(NotNegative)
                    .or(Num(1000.0)),
                p("drag", Number, RATE, "Share of its velocity that a body as dense as the fluid loses per time.")
                    .range(NotNegative)
                    .or(Num(0.5)),
                p("spinDrag", Number, RATE, "Share of its spin that a sunken body loses per time.")
                    .range(NotNegative)
                    .or(Num(0.5)),
                p("flow", Vector, SPEED, "Velocity of the fluid.").or(Vec3([0.0; 3])),
            ],
        ],
        "Water below a plane: shapes are lifted by what they displace, at the middle of the part under water.",
        "force buoyancy { level 0  density 1000 }",
    ),
    force(
        "explosion",
        &[
            SCOPE,
            &[
                AT,
                p("radius", Number, LENGTH, "Reach.").range(Positive).required(),
                p(
                    "pressure",
                    Number,
                    dim(-1, 1, -2, 0),
                    "Pressure at the centre, on surfaces that face it; falls to nothing at the radius. In 2D N/m.",
                )
                .or_unit(dim(0, 1, -2, 0))
                .required(),
                p("duration", Number, Dimension::TIME, "How long it lasts.").range(Positive).or(Num(1.0 / 60.0)),
            ],
        ],
        "A blast, at the start or when an event adds it. It removes itself.",
        "force explosion { at 0,0,0  radius 5  pressure 20kPa }",
    ),
    force(
        "vortex",
        &[
            SCOPE,
            &[
                AT,
                p("axis", Vector, NONE, "Axis it turns about.").range(NonZero).or(UP).only(Dims::Three),
                p("radius", Number, LENGTH, "Reach.").range(Positive).required(),
                p("swirl", Number, ACCELERATION, "Acceleration round the axis, counter-clockwise seen from its tip.")
                    .required(),
                p("pull", Number, ACCELERATION, "Acceleration towards the axis.").or(Num(0.0)),
                p("lift", Number, ACCELERATION, "Acceleration along the axis.").or(Num(0.0)).only(Dims::Three),
            ],
        ],
        "A whirl: strongest at the axis, nothing at the radius.",
        "force vortex { at 0,0,0  radius 4  swirl 6 }",
    ),
];

/// The generator of a word.
#[must_use]
pub fn find(word: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|kind| kind.name == word || kind.aliases.contains(&word))
}
