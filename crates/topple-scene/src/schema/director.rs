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
    act("change", &[CHANGE], "Changes bodies.", "at 2s { change door { dynamic } }"),
    act("wake", &[], "Wakes bodies.", "at 2s { wake all; }"),
    act("sleep", &[], "Puts bodies to sleep.", "at 2s { sleep wall; }"),
    act("set", &[world::WORLD], "Changes settings of the world.", "at 3s { set { gravity 0,0,0 } }"),
    act("stop", &[], "Ends the run.", "at 10000 steps { stop; }"),
];

/// A quantity of the running world, for `expect` and `when`.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name.
    pub name: &'static str,
    /// How many bodies it takes; none for a quantity of the world.
    pub bodies: usize,
    /// Unit.
    pub unit: &'static str,
    /// One line.
    pub doc: &'static str,
}

const fn q(name: &'static str, bodies: usize, unit: &'static str, doc: &'static str) -> Quantity {
    Quantity { name, bodies, unit, doc }
}

/// All quantities.
pub const QUANTITIES: &[Quantity] = &[
    q("x", 1, "m", "Position along x."),
    q("y", 1, "m", "Position along y."),
    q("z", 1, "m", "Position along z."),
    q("vx", 1, "m/s", "Velocity along x."),
    q("vy", 1, "m/s", "Velocity along y."),
    q("vz", 1, "m/s", "Velocity along z."),
    q("speed", 1, "m/s", "Speed."),
    q("spin", 1, "rad/s", "Angular speed; in 2D with its sign."),
    q("angle", 1, "rad", "Angle in 2D; angle of the whole rotation from the start in 3D."),
    q("tilt", 1, "rad", "Angle between the body's own up and the world's."),
    q("moved", 1, "m", "Distance from where it started."),
    q("kinetic", 1, "J", "Kinetic energy of a body."),
    q("mass", 1, "kg", "Mass."),
    q("asleep", 1, "", "1 if it sleeps, else 0."),
    q("exists", 1, "", "1 if it is still there, else 0."),
    q("distance", 2, "m", "Distance of the centres of mass of two bodies."),
    q("touching", 2, "", "1 if two bodies touch, else 0."),
    q("time", 0, "s", "Time since the start."),
    q("steps", 0, "", "Steps since the start."),
    q("energy", 0, "J", "Total energy, kinetic and potential."),
    q("kineticEnergy", 0, "J", "Kinetic energy of all bodies."),
    q("potentialEnergy", 0, "J", "Potential energy of all bodies."),
    q("momentumX", 0, "N s", "Momentum along x."),
    q("momentumY", 0, "N s", "Momentum along y."),
    q("momentumZ", 0, "N s", "Momentum along z."),
    q("angularMomentum", 0, "N m s", "Length of the angular momentum about the origin; in 2D with its sign."),
    q("bodies", 0, "", "Number of bodies."),
    q("awake", 0, "", "Number of awake bodies."),
    q("contacts", 0, "", "Number of touching contacts."),
    q("joints", 0, "", "Number of joints."),
    q("penetration", 0, "m", "Deepest overlap of the last step."),
    q("hash", 0, "", "Hash of the exact state, compared with a text."),
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
