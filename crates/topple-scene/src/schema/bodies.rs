//! Shapes, which are bodies when they stand alone and parts inside `body`.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3};
use super::Range::{AtLeast, NonZero, NotNegative, Positive};
use super::Type::{
    Body, Colour, Integer, Material, Number, Numbers, Points, Quaternion, Spin, Text, Vector, Words,
};
use super::{Dims, Family, KindInfo, Param, Type, k, p};
use crate::units::{Dimension, dim};

const LENGTH: Dimension = Dimension::LENGTH;
const NONE: Dimension = Dimension::NONE;
const SPEED: Dimension = dim(1, 0, -1, 0);
const TURN: Dimension = dim(0, 0, -1, 1);
const DENSITY: Dimension = dim(-3, 1, 0, 0);
const ZERO: super::Default = Vec3([0.0; 3]);

/// How something is turned.
pub const ROTATION: &[Param] = &[
    p("angle", Number, Dimension::ANGLE, "Rotation, counter-clockwise about `about`.").or(Num(0.0)),
    p("about", Vector, NONE, "Axis of `angle`.").range(NonZero).or(Vec3([0.0, 0.0, 1.0])).only(Dims::Three),
    p("angles", Vector, Dimension::ANGLE, "Rotations about x, then y, then z of the world.")
        .only(Dims::Three),
    p("orientation", Quaternion, NONE, "Rotation as a quaternion x, y, z, w.").only(Dims::Three),
];

/// Where a body or part is.
pub const POSE: &[Param] = &[
    p("centre", Vector, LENGTH, "Position: of the body, or of the part in its body.")
        .alias(&["center", "at"])
        .or(ZERO),
    ROTATION[0],
    ROTATION[1],
    ROTATION[2],
    ROTATION[3],
];

/// Where a group is.
pub const PLACE: &[Param] = &[
    p("at", Vector, LENGTH, "Where its origin goes.").or(ZERO),
    ROTATION[0],
    ROTATION[1],
    ROTATION[2],
    ROTATION[3],
];

/// Where a cylinder, cone or capsule is: turned by its axis, or like the others.
const AXIS: &[Param] = &[p("axis", Vector, NONE, "Direction of the axis, of any length.")
    .range(NonZero)
    .or(Vec3([0.0, 1.0, 0.0]))
    .only(Dims::Three)];

/// How a body moves.
pub const MOTION: &[Param] = &[
    p("vel", Vector, SPEED, "Velocity of the centre of mass.").alias(&["velocity"]).or(ZERO),
    p("angvel", Spin, TURN, "Angular velocity in the world frame.").alias(&["angularVelocity"]).or(ZERO),
    p("mass", Number, Dimension::MASS, "Mass; `density` does not matter then.")
        .range(Positive)
        .or(Without("from density and volume")),
    p("inertia", Spin, dim(2, 1, 0, 0), "Moments of inertia about the body's axes at its centre of mass.")
        .range(Positive)
        .or(Without("from the shapes")),
    p("massCentre", Vector, LENGTH, "Centre of mass in the body's frame.").or(Without("from the shapes")),
    p(
        "massFrom",
        Type::Word(&["shapes", "bounds"]),
        NONE,
        "Inertia from the shapes, or from the bounding box; of a mesh also its mass and centre.",
    )
    .or(super::Default::Word("shapes")),
    p("static", Type::Flag, NONE, "Never moves.").or(Flag(false)),
    p("kinematic", Type::Flag, NONE, "Moves by its velocity only; nothing pushes it.").or(Flag(false)),
    p("pinned", Type::Flag, NONE, "The position is fixed; it may rotate.").or(Flag(false)),
    p("lockRotation", Type::Flag, NONE, "It never rotates.").or(Flag(false)),
    p(
        "lock",
        Words(&["x", "y", "z", "rx", "ry", "rz"]),
        NONE,
        "Axes along or about which it cannot move: \"x rz\".",
    ),
    p("gravityScale", Number, NONE, "Share of the world's gravity it feels.").or(Num(1.0)),
    p("linearDrag", Number, dim(0, 0, -1, 0), "Rate at which it loses speed.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("angularDrag", Number, dim(0, 0, -1, 0), "Rate at which it loses spin.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("bullet", Type::Flag, NONE, "Continuous collision also against moving bodies.").or(Flag(false)),
    p("asleep", Type::Flag, NONE, "Starts asleep.").or(Flag(false)),
    p("sleepless", Type::Flag, NONE, "Never falls asleep.").or(Flag(false)),
    p("memberOf", Text, NONE, "Group it belongs to, besides the one it is written in."),
];

/// Which material it is made of.
pub const MATERIAL: &[Param] = &[p("material", Material, NONE, "A `material`; the rows below override it.")];

/// What it is made of.
pub const SURFACE: &[Param] = &[
    p("density", Number, DENSITY, "Density; in 2D kg/m^2.")
        .range(Positive)
        .or(Without("the world's `density`, 1")),
    p("elastic", Number, NONE, "Restitution: 0 sticky, 1 elastic; above 1 it gains energy.")
        .alias(&["restitution"])
        .range(NotNegative)
        .or(Without("the world's `elastic`: 0, in seed scenes 1")),
    p("friction", Number, NONE, "Coulomb friction, sliding.")
        .range(NotNegative)
        .or(Without("the world's `friction`: 0.5, in seed scenes 0")),
    p("staticFriction", Number, NONE, "Coulomb friction, sticking.")
        .range(NotNegative)
        .or(Without("same as `friction`")),
    p("rollingFriction", Number, NONE, "Resistance to rolling, as a lever arm in radii of the shape.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("spinningFriction", Number, LENGTH, "Resistance to spinning on the spot, as a lever arm.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("surfaceVelocity", Vector, SPEED, "Speed of the surface in the shape's frame, as of a conveyor belt.")
        .or(ZERO),
    p("grain", Vector, NONE, "Direction of the grain of the surface in the shape's frame, of any length.")
        .or(Without("none"))
        .only(Dims::Three),
    p("grainFriction", Number, NONE, "Factor on friction along the grain.")
        .range(NotNegative)
        .or(Num(1.0))
        .only(Dims::Three),
    p(
        "frictionMixing",
        Type::Word(super::world::MIXING),
        NONE,
        "Friction of a pair from its two values; of two rules the later in the list counts.",
    )
    .or(Without("the world's `frictionMixing`")),
    p("elasticMixing", Type::Word(super::world::MIXING), NONE, "The same for restitution.")
        .alias(&["restitutionMixing"])
        .or(Without("the world's `elasticMixing`")),
];

/// What it collides with.
pub const FILTER: &[Param] = &[
    p("category", Integer, NONE, "Bits of the groups it is in.")
        .range(super::Range::Between(0.0, 4294967295.0))
        .or(Num(1.0)),
    p("mask", Integer, NONE, "Bits of the groups it collides with.")
        .range(super::Range::Between(0.0, 4294967295.0))
        .or(Num(4294967295.0)),
    p("filterGroup", Integer, NONE, "Same positive number: always collide; same negative: never.")
        .range(super::Range::Between(-32768.0, 32767.0))
        .or(Num(0.0)),
    p("sensor", Type::Flag, NONE, "Reports what it touches and pushes nothing.").or(Flag(false)),
];

/// How it looks.
pub const LOOK: &[Param] = &[
    p("colour", Colour, NONE, "Colour.").alias(&["color"]).range(super::Range::Fraction).or(Vec3([1.0; 3])),
    p("texture", Text, NONE, "Image file."),
    p("hidden", Type::Flag, NONE, "Not drawn.").or(Flag(false)),
];

const RADIUS: Param = p("radius", Number, LENGTH, "Radius.").range(Positive).required();
const HEIGHT: Param = p("height", Number, LENGTH, "Full height.").range(Positive).required();

const SPHERE: &[Param] = &[RADIUS];
const BOX: &[Param] = &[p("size", Vector, LENGTH, "Full widths.").range(Positive).required(), ROUNDING];
const CAPSULE: &[Param] = &[
    RADIUS,
    p("height", Number, LENGTH, "Distance of the centres of the two ends, along y or `axis`.")
        .range(Positive)
        .or(Without("from `from` and `to`")),
    p("from", Vector, LENGTH, "Centre of one end."),
    p("to", Vector, LENGTH, "Centre of the other end."),
];
const ROUNDING: Param =
    p("rounding", Number, LENGTH, "Radius of rounded edges, added outside.").range(NotNegative).or(Num(0.0));
const CYLINDER: &[Param] = &[RADIUS, HEIGHT, ROUNDING];
const POINTS: Param = p("points", Points, LENGTH, "Corners; their convex hull is taken.");
const HULL: &[Param] = &[POINTS.range(AtLeast(4)).required(), ROUNDING];
const TRIANGLE: &[Param] = &[p("points", Points, LENGTH, "Its three corners.").range(AtLeast(3)).required()];
const POLYGON: &[Param] = &[
    POINTS.range(AtLeast(3)).or(Without("from `sides` and `radius`")),
    p("sides", Integer, NONE, "Number of corners of a regular polygon.")
        .range(super::Range::Between(3.0, 64.0)),
    p("radius", Number, LENGTH, "Radius of the corners of a regular polygon.").range(Positive),
    p("rounding", Number, LENGTH, "Radius of rounded corners, added outside.")
        .range(NotNegative)
        .or(Num(0.0)),
];
const SEGMENT: &[Param] =
    &[p("from", Vector, LENGTH, "One end.").required(), p("to", Vector, LENGTH, "The other end.").required()];
const CHAIN: &[Param] = &[
    p(
        "points",
        Points,
        LENGTH,
        "Corners in order; the side that touches is on the right, so a floor goes from right to left.",
    )
    .range(AtLeast(2))
    .required(),
    p(
        "loop",
        Type::Flag,
        NONE,
        "The last corner is joined to the first; counter-clockwise it keeps bodies out.",
    )
    .or(Flag(false)),
    p(
        "before",
        Vector,
        LENGTH,
        "Where an open chain comes from, so that nothing trips over its end; with `after`.",
    ),
    p("after", Vector, LENGTH, "Where it goes on."),
];
const WALL: &[Param] = &[
    p("normal", Vector, NONE, "Points to the free side; of any length.").range(NonZero).required(),
    p("toOrig", Number, LENGTH, "Signed distance of the plane from the origin along the normal.").required(),
    p("static", Type::Flag, NONE, "It always is.").or(Flag(true)),
    p("memberOf", Text, NONE, "Group it belongs to, besides the one it is written in."),
];
const MESH: &[Param] = &[
    p("file", Text, NONE, "OBJ, STL, glTF or GLB file, relative to the file it is written in.").required(),
    p("scale", Number, NONE, "Factor on all coordinates.").range(Positive).or(Num(1.0)),
    p("convex", Type::Flag, NONE, "Use the convex hull.").or(Flag(false)),
    p("decompose", Type::Flag, NONE, "Split a closed mesh into convex pieces.").or(Flag(false)),
    p("maxPieces", Integer, NONE, "Most pieces of `decompose`.")
        .range(super::Range::Between(1.0, 256.0))
        .or(Num(16.0)),
];
const HEIGHTFIELD: &[Param] = &[
    p(
        "heights",
        super::Type::Rows,
        LENGTH,
        "Heights along x, row by row along z: `[0,1,0; 1,2,1]`, or one long list; in 2D one row.",
    )
    .required(),
    p("columns", Integer, NONE, "Heights in a row, for one long list.")
        .range(super::Range::Between(2.0, 1e6))
        .or(Without("as written"))
        .only(Dims::Three),
    p("size", Numbers, LENGTH, "Extent along x and z; in 2D the width.").range(Positive).required(),
];

/// All of them.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        dims: Dims::Three,
        seed_required: &["radius", "mass", "centre"],
        ..k(
            "sphere",
            Family::Shape,
            &[SPHERE, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A ball.",
            "sphere { radius 0.5  mass 1  centre 0,2,0  vel 1,0,0 }",
        )
    },
    KindInfo {
        dims: Dims::Three,
        seed_required: &["radius", "height", "mass", "centre", "axis"],
        ..k(
            "cylinder",
            Family::Shape,
            &[CYLINDER, AXIS, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A cylinder; `centre` is its middle.",
            "cylinder { radius 0.5  height 2  mass 3  centre 0,1,0  axis 0,1,0 }",
        )
    },
    KindInfo {
        aliases: &["plane", "halfplane"],
        ..k(
            "wall",
            Family::Shape,
            &[WALL, MATERIAL, SURFACE, FILTER, LOOK],
            "An immobile, infinite plane: the points x with n·x = toOrig, n being the normal at unit length. \
             In 2D a line. The free side is the one the normal points to.",
            "wall { normal 0,1,0  toOrig 0 }",
        )
    },
    KindInfo {
        aliases: &["rectangle"],
        ..k(
            "box",
            Family::Shape,
            &[BOX, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A box; a rectangle in 2D.",
            "box crate { size 1,2,1  centre 0,1,0 }",
        )
    },
    k(
        "capsule",
        Family::Shape,
        &[CAPSULE, AXIS, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
        "All points near a segment. Give `height`, or `from` and `to`.",
        "capsule { radius 0.2  from 0,0,0  to 1,0,0 }",
    ),
    KindInfo {
        dims: Dims::Three,
        ..k(
            "cone",
            Family::Shape,
            &[CYLINDER, AXIS, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A cone with its tip along the axis; `centre` is halfway between base and tip.",
            "cone { radius 1  height 2  centre 0,1,0 }",
        )
    },
    KindInfo {
        dims: Dims::Three,
        ..k(
            "hull",
            Family::Shape,
            &[HULL, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "The convex hull of points.",
            "hull { points [0,0,0; 1,0,0; 0,1,0; 0,0,1] }",
        )
    },
    KindInfo {
        dims: Dims::Three,
        ..k(
            "mesh",
            Family::Shape,
            &[MESH, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "Triangles from a file. A closed mesh may move: its mass, centre and inertia are integrated exactly, or come from \
             its bounding box by `massFrom bounds`, or are given. One that is not closed must be `static` or `kinematic`.",
            "mesh { file \"teapot.obj\"  static }",
        )
    },
    k(
        "heightfield",
        Family::Shape,
        &[HEIGHTFIELD, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
        "Ground given by heights on a grid, centred; everything below is solid. Immobile.",
        "heightfield { size 9,9  columns 10  heights [for z in 0..10: for x in 0..10: sin(x)*cos(z)] }",
    ),
    KindInfo {
        dims: Dims::Three,
        ..k(
            "triangle",
            Family::Shape,
            &[TRIANGLE, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A flat triangle, solid from both sides, without a mass of its own.",
            "triangle { static  points [-2,0,-2; 2,0,-2; 0,1,2] }",
        )
    },
    KindInfo {
        dims: Dims::Two,
        ..k(
            "circle",
            Family::Shape,
            &[SPHERE, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A disc.",
            "circle { radius 0.5  centre 0,2 }",
        )
    },
    KindInfo {
        dims: Dims::Two,
        ..k(
            "polygon",
            Family::Shape,
            &[POLYGON, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A convex polygon: the hull of `points`, or a regular one by `sides` and `radius`.",
            "polygon { points [0,0; 1,0; 0.5,1]  centre 0,3 }",
        )
    },
    KindInfo {
        dims: Dims::Two,
        ..k(
            "segment",
            Family::Shape,
            &[SEGMENT, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "A line segment, solid on both sides.",
            "segment { static  from -5,0  to 5,1 }",
        )
    },
    KindInfo {
        dims: Dims::Two,
        ..k(
            "chain",
            Family::Shape,
            &[CHAIN, POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
            "Segments joined end to end, for ground. Immobile.",
            "chain { points [for x in -10..=10: x, sin(x)] }",
        )
    },
    k(
        "body",
        Family::Compound,
        &[POSE, MOTION, MATERIAL, SURFACE, FILTER, LOOK],
        "One body of several shapes, each written inside with its own pose and material.",
        "body hammer { centre 0,2,0  box { size 0.1,1,0.1 }  box { size 0.4,0.2,0.2  centre 0,0.6,0  density 7 } }",
    ),
    k(
        "ignore",
        Family::Structure,
        &[&[p("a", Body, NONE, "One body.").required(), p("b", Body, NONE, "The other.").required()]],
        "Two bodies that pass through each other.",
        "ignore { a hand  b sleeve }",
    ),
];
