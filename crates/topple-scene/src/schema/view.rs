//! Camera, light, background. Physics never looks at them.

use super::Default::{Flag, None as Without, Number as Num, Vector as Vec3};
use super::Range::{Between, Fraction, NonZero, NotNegative, Positive};
use super::Type::{Body, Colour, Number, Vector};
use super::{Dims, Family, KindInfo, Type, k, p};
use crate::units::Dimension;

const NONE: Dimension = Dimension::NONE;
const LENGTH: Dimension = Dimension::LENGTH;

/// All of them.
pub const KINDS: &[KindInfo] = &[
    k(
        "camera",
        Family::View,
        &[&[
            p("at", Vector, LENGTH, "Where it stands; in 2D the middle of the picture.")
                .alias(&["centre", "center"])
                .or(Without("so that everything is seen")),
            p("target", Vector, LENGTH, "What it looks at.")
                .only(Dims::Three)
                .or(Without("the middle of the scene")),
            p("up", Vector, NONE, "What is up in the picture.")
                .range(NonZero)
                .or(Vec3([0.0, 1.0, 0.0]))
                .only(Dims::Three),
            p("fov", Number, Dimension::ANGLE, "Vertical field of view.")
                .range(Between(0.01, 3.0))
                .or(Num(std::f64::consts::FRAC_PI_4))
                .only(Dims::Three),
            p("height", Number, LENGTH, "Height of the picture in the world.")
                .range(Positive)
                .or(Without("so that everything is seen")),
            p("orthographic", Type::Flag, NONE, "No perspective.").or(Flag(false)).only(Dims::Three),
            p("follow", Body, NONE, "A body it keeps in the middle, going along with it."),
        ]],
        "Where the scene is seen from. The first is used unless another is asked for by name.",
        "camera { at 0,5,20  target 0,1,0 }",
    ),
    k(
        "light",
        Family::View,
        &[&[
            p("direction", Vector, NONE, "Direction of the light of a sun.")
                .range(NonZero)
                .or(Without("a lamp, if `at` is given")),
            p("at", Vector, LENGTH, "Place of a lamp."),
            p("colour", Colour, NONE, "Colour.").alias(&["color"]).range(Fraction).or(Vec3([1.0; 3])),
            p("intensity", Number, NONE, "Brightness.").range(NotNegative).or(Num(1.0)),
            p("shadows", Type::Flag, NONE, "It casts shadows.").or(Flag(true)),
        ]],
        "A light: a sun with a `direction`, or a lamp `at` a place.",
        "light { direction -1,-2,-1  intensity 0.8 }",
    ),
    k(
        "background",
        Family::View,
        &[&[
            p("colour", Colour, NONE, "Colour.")
                .alias(&["color"])
                .range(Fraction)
                .or(Vec3([0.8, 0.87, 0.95])),
            p("ambient", Number, NONE, "Light that comes from everywhere.").range(NotNegative).or(Num(0.3)),
        ]],
        "What is behind everything.",
        "background { colour 0,0,0 }",
    ),
];
