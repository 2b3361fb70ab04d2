//! The world: settings, methods, materials.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3, Word as Is};
use super::Range::{Between, NotNegative, Positive};
use super::Type::{Integer, Number, Text, Vector, Word};
use super::{Family, KindInfo, Param, Type, bodies, k, p};
use crate::units::{Dimension, dim};

const NONE: Dimension = Dimension::NONE;
const RATE: Dimension = dim(0, 0, -1, 0);

/// Names of integrators.
pub const INTEGRATORS: &[&str] = &["explicit-euler", "semi-implicit-euler", "verlet", "rk4", "midpoint"];
/// Names of broad phases.
pub const BROAD_PHASES: &[&str] = &[
    "all-pairs",
    "spheres",
    "sort-and-sweep",
    "sort-and-sweep-insertion",
    "grid",
    "hash",
    "tree",
    "bvh",
    "bsp",
];
/// Names of narrow phases.
pub const NARROW_PHASES: &[&str] = &["auto", "sat", "gjk", "v-clip"];
/// Names of solvers.
pub const SOLVERS: &[&str] = &[
    "micro-collisions",
    "severest-first",
    "simultaneous",
    "baumgarte",
    "split-impulse",
    "shock-propagation",
    "soft-step",
    "xpbd",
    "avbd",
    "nncg",
    "penalty",
];
/// Whether a text is the name of a method: it may come from outside without quotes.
#[must_use]
pub fn is_method(name: &str) -> bool {
    [INTEGRATORS, BROAD_PHASES, NARROW_PHASES, SOLVERS].iter().any(|names| names.contains(&name))
}

/// Ways to combine the values of two surfaces.
pub const MIXING: &[&str] = &["mean", "geometric", "min", "product", "max"];

/// Settings of the world.
pub const WORLD: &[Param] = &[
    p("title", Text, NONE, "What the scene is, for lists and pictures."),
    p("dimension", Integer, NONE, "2 or 3.").range(Between(2.0, 3.0)).or(Num(3.0)),
    p("defaults", Word(&["library", "seed"]), NONE, "Which defaults hold: the library's or the seed's.")
        .or(Is("library")),
    p("gravity", Vector, dim(1, 0, -2, 0), "Acceleration of every body.").or(Vec3([0.0, -9.8, 0.0])),
    p("dt", Number, Dimension::TIME, "Time of one step.").range(Positive).or(Num(1.0 / 60.0)),
    p("substeps", Integer, NONE, "Sub-steps of one step.").range(Between(1.0, 1000.0)).or(Num(4.0)),
    p("iterations", Integer, NONE, "Iterations of the solver.")
        .range(Between(1.0, 10000.0))
        .or(Without("the solver's own")),
    p("frames", Integer, NONE, "Steps of a run.").range(Between(0.0, 1e9)).or(Without("the caller's")),
    p("duration", Number, Dimension::TIME, "Time of a run; instead of `frames`.").range(NotNegative),
    p("seed", Integer, NONE, "Seed of the random numbers.")
        .range(Between(0.0, 9007199254740991.0))
        .or(Num(0.0)),
    p("integrator", Word(INTEGRATORS), NONE, "How motion is computed from forces.")
        .or(Is("semi-implicit-euler")),
    p("broadPhase", Word(BROAD_PHASES), NONE, "How candidate pairs are found.").or(Is("bvh")),
    p("narrowPhase", Word(NARROW_PHASES), NONE, "How contacts of a pair are found.").or(Is("auto")),
    p("solver", Word(SOLVERS), NONE, "How contacts and joints are solved.").or(Is("soft-step")),
    p("density", Number, dim(-3, 1, 0, 0), "Density where a shape gives none.").range(Positive).or(Num(1.0)),
    p("elastic", Number, NONE, "Restitution where a shape gives none.")
        .alias(&["restitution"])
        .range(NotNegative)
        .or(Without("0; with seed defaults 1")),
    p("friction", Number, NONE, "Friction where a shape gives none.")
        .range(NotNegative)
        .or(Without("0.5; with seed defaults 0")),
    p("elasticMixing", Word(MIXING), NONE, "Restitution of a pair from its two values.")
        .or(Without("the library's; with seed defaults product")),
    p("frictionMixing", Word(MIXING), NONE, "Friction of a pair from its two values.")
        .or(Without("the library's; with seed defaults product")),
    p("restitutionEnabled", Type::Flag, NONE, "Whether bodies bounce at all.").or(Flag(true)),
    p("restitutionThreshold", Number, dim(1, 0, -1, 0), "Below this speed nothing bounces.")
        .range(NotNegative)
        .or(Without("the library's; with seed defaults 0")),
    p("sleeping", Type::Flag, NONE, "Bodies at rest fall asleep.").or(Without("on; with seed defaults off")),
    p("sleepSpeed", Number, dim(1, 0, -1, 0), "Speed below which a body may sleep.")
        .range(NotNegative)
        .or(Without("the library's")),
    p("sleepAngularSpeed", Number, dim(0, 0, -1, 1), "Angular speed below which a body may sleep.")
        .range(NotNegative)
        .or(Without("the library's")),
    p("sleepTime", Number, Dimension::TIME, "Time at rest before sleep.").range(NotNegative).or(Num(0.5)),
    p("sleepBias", Number, NONE, "Weight of the past in the average motion.")
        .range(super::Range::Fraction)
        .or(Num(0.5)),
    p("linearDrag", Number, RATE, "Rate at which every body loses speed.").range(NotNegative).or(Num(0.0)),
    p("quadraticDrag", Number, dim(-1, 0, 0, 0), "The same, growing with speed.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("angularDrag", Number, RATE, "Rate at which every body loses spin.").range(NotNegative).or(Num(0.0)),
    p("penetrationSlop", Number, Dimension::LENGTH, "Overlap that is left alone.")
        .range(NotNegative)
        .or(Without("scaled with the shapes")),
    p("maxSpeed", Number, dim(1, 0, -1, 0), "Speeds are clamped to this.")
        .range(Positive)
        .or(Without("the library's")),
    p("maxAngularSpeed", Number, dim(0, 0, -1, 1), "Angular speeds are clamped to this.")
        .range(Positive)
        .or(Without("the library's")),
    p("contactCaching", Type::Flag, NONE, "Contacts are kept from step to step.").or(Flag(true)),
    p("multipleContacts", Type::Flag, NONE, "Several contact points per pair.").or(Flag(true)),
    p("sleepingContacts", Type::Flag, NONE, "Contacts between sleeping bodies too.").or(Flag(false)),
    p("warmStarting", Type::Flag, NONE, "The solver starts from the last step's impulses.").or(Flag(true)),
    p(
        "continuous",
        Type::Flag,
        NONE,
        "Fast bodies do not pass through static ones, bullets through nothing.",
    )
    .or(Flag(false)),
    p("gyroscopic", Type::Flag, NONE, "Gyroscopic torque.").or(Flag(true)),
];

/// `world`, `settings`, `material`.
pub const KINDS: &[KindInfo] = &[
    k(
        "world",
        Family::World,
        &[WORLD],
        "The world, at most once in a scene and anywhere in the file. A file without it is a seed scene: 3D, \
         elastic 1, frictionless, restitution of a pair the product of its two values, no drag, no sleeping.",
        "world { dimension 2  gravity 0,-9.8  dt 1/60  solver \"soft-step\" }",
    ),
    k(
        "settings",
        Family::World,
        &[],
        "Inside `world`: any documented setting of the library by its key, in camel case.",
        "world { settings { contactHertz 30  jointDampingRatio 2 } }",
    ),
    k(
        "material",
        Family::World,
        &[MATERIAL_ROWS, bodies::LOOK],
        "A material that shapes refer to by name.",
        "material ice { friction 0.02  density 900  colour 0.8,0.9,1 }",
    ),
];

const MATERIAL_ROWS: &[Param] = &[
    bodies::MATERIAL[1],
    bodies::MATERIAL[2],
    bodies::MATERIAL[3],
    bodies::MATERIAL[4],
    bodies::MATERIAL[5],
    bodies::MATERIAL[6],
    bodies::MATERIAL[7],
];
