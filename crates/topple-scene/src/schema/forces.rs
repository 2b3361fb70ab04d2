//! Force generators: `force wind name { … }`.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3};
use super::Range::{NonZero, NotNegative, Positive};
use super::Type::{Body, Number, Spin, Targets, Vector};
use super::{Dims, Family, KindInfo, Param, Type, k, p};
use crate::units::{Dimension, dim};

const NONE: Dimension = Dimension::NONE;
const LENGTH: Dimension = Dimension::LENGTH;
const SPEED: Dimension = dim(1, 0, -1, 0);

const ON: &[Param] = &[p("on", Targets, NONE, "Bodies it acts on.").or(super::Default::Word("all"))];
const AT: Param = p("at", Vector, LENGTH, "Its centre.").or(Vec3([0.0; 3]));
const SPRING: &[Param] = &[
    p("length", Number, LENGTH, "Length at rest.").range(NotNegative).or(Without("as placed")),
    p("stiffness", Number, dim(0, 1, -2, 0), "Force per length.").range(NotNegative).or(Num(100.0)),
    p("damping", Number, dim(0, 1, -1, 0), "Force per speed.").range(NotNegative).or(Num(0.0)),
];

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
        &[ON, &[p("acceleration", Vector, dim(1, 0, -2, 0), "Acceleration.").required()]],
        "Uniform gravity for some bodies, besides the world's.",
        "force gravity { on balloons  acceleration 0,12,0 }",
    ),
    force(
        "point",
        &[
            ON,
            &[
                AT,
                p(
                    "strength",
                    Number,
                    dim(3, 0, -2, 0),
                    "Gravitational parameter: acceleration times distance squared.",
                )
                .required(),
                p("softening", Number, LENGTH, "Distance below which it grows no further.")
                    .range(NotNegative)
                    .or(Num(0.01)),
            ],
        ],
        "Gravity of a point.",
        "force point { at 0,0,0  strength 10 }",
    ),
    force(
        "spring",
        &[
            &[
                p("a", Body, NONE, "First body.").required(),
                p("b", Body, NONE, "Second body.").or(Without("the world")),
                p("atA", Vector, LENGTH, "Place on the first body, in the world.").or(Without("its centre")),
                p("atB", Vector, LENGTH, "Place on the second body, or the anchor, in the world.")
                    .or(Without("its centre")),
                p("bungee", Type::Flag, NONE, "Pulls only.").or(Flag(false)),
            ],
            SPRING,
        ],
        "A spring as a plain force, between two bodies or a body and an anchor.",
        "force spring { a bob  atB 0,4,0  stiffness 20  damping 0.5 }",
    ),
    force(
        "attraction",
        &[
            ON,
            &[
                p("strength", Number, NONE, "Force at distance 1; negative repels.").required(),
                p("exponent", Number, NONE, "Power of the distance in the force.").or(Num(-2.0)),
                p("softening", Number, LENGTH, "Distance below which it grows no further.")
                    .range(NotNegative)
                    .or(Num(0.01)),
            ],
        ],
        "Every pair of the bodies attracts or repels.",
        "force attraction { on planets  strength 3 }",
    ),
    force(
        "motor",
        &[
            ON,
            &[
                p("torque", Spin, dim(2, 1, -2, 0), "Torque.").required(),
                p("maxSpeed", Number, dim(0, 0, -1, 1), "No torque above this angular speed.")
                    .range(Positive)
                    .or(Without("unlimited")),
            ],
        ],
        "A constant torque.",
        "force motor { on rotor  torque 0,5,0 }",
    ),
    force(
        "thrust",
        &[
            ON,
            &[
                p("force", Vector, dim(1, 1, -2, 0), "Force, in the body's frame.").required(),
                p("at", Vector, LENGTH, "Point of attack, in the body's frame.").or(Vec3([0.0; 3])),
            ],
        ],
        "A constant force that turns with its body.",
        "force thrust { on rocket  force 0,20,0  at 0,-1,0 }",
    ),
    force(
        "wind",
        &[
            ON,
            &[
                p("velocity", Vector, SPEED, "Velocity of the air.").required(),
                p("drag", Number, dim(0, 1, -1, 0), "Force per speed against the air.")
                    .range(NotNegative)
                    .or(Num(1.0)),
                p("gusts", Number, NONE, "Share by which it swells and fades.")
                    .range(NotNegative)
                    .or(Num(0.0)),
                p("period", Number, Dimension::TIME, "Time from gust to gust.").range(Positive).or(Num(2.0)),
            ],
        ],
        "Moving air.",
        "force wind { velocity 3,0,0  drag 0.2  gusts 30% }",
    ),
    force(
        "drag",
        &[
            ON,
            &[
                p("linear", Number, dim(0, 1, -1, 0), "Force per speed.").range(NotNegative).or(Num(0.0)),
                p("quadratic", Number, dim(-1, 1, 0, 0), "Force per speed squared.")
                    .range(NotNegative)
                    .or(Num(0.0)),
                p("angular", Number, dim(2, 1, -1, 0), "Torque per angular speed.")
                    .range(NotNegative)
                    .or(Num(0.0)),
            ],
        ],
        "Air resistance.",
        "force drag { linear 0.01  quadratic 0.01 }",
    ),
    force(
        "buoyancy",
        &[
            ON,
            &[
                p("level", Number, LENGTH, "Height of the surface.").or(Num(0.0)),
                p("density", Number, dim(-3, 1, 0, 0), "Density of the fluid; in 2D kg/m^2.")
                    .range(Positive)
                    .or(Num(1000.0)),
                p("linearDrag", Number, dim(0, 0, -1, 0), "Rate at which it slows a sunken body.")
                    .range(NotNegative)
                    .or(Num(1.0)),
                p("angularDrag", Number, dim(0, 0, -1, 0), "Rate at which it slows rotation.")
                    .range(NotNegative)
                    .or(Num(1.0)),
                p("flow", Vector, SPEED, "Velocity of the fluid.").or(Vec3([0.0; 3])),
            ],
        ],
        "Water up to a level.",
        "force buoyancy { level 0  density 1000 }",
    ),
    force(
        "explosion",
        &[
            ON,
            &[
                AT,
                p("radius", Number, LENGTH, "Reach.").range(Positive).required(),
                p(
                    "impulse",
                    Number,
                    dim(1, 1, -1, 0),
                    "Impulse at the centre; falls to nothing at the radius.",
                )
                .required(),
            ],
        ],
        "One blow, at the start or when an event adds it.",
        "force explosion { at 0,0,0  radius 5  impulse 20 }",
    ),
    force(
        "vortex",
        &[
            ON,
            &[
                AT,
                p("axis", Vector, NONE, "Axis it turns about.")
                    .range(NonZero)
                    .or(Vec3([0.0, 1.0, 0.0]))
                    .only(Dims::Three),
                p("radius", Number, LENGTH, "Reach.").range(Positive).required(),
                p("speed", Number, SPEED, "Speed of the swirl at the radius.").required(),
                p("pull", Number, dim(1, 0, -2, 0), "Acceleration towards the axis.").or(Num(0.0)),
                p("drag", Number, dim(0, 0, -1, 0), "Rate at which bodies take its speed.")
                    .range(NotNegative)
                    .or(Num(1.0)),
            ],
        ],
        "A swirl that carries bodies round.",
        "force vortex { at 0,0,0  radius 4  speed 6 }",
    ),
];

/// The generator of a word.
#[must_use]
pub fn find(word: &str) -> Option<&'static KindInfo> {
    KINDS.iter().find(|kind| kind.name == word || kind.aliases.contains(&word))
}
