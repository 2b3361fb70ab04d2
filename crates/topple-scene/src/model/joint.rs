//! Joints.

use smol_str::SmolStr;

use super::Vec3;
use crate::span::Span;

/// A joint between two bodies, or a body and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Full name.
    pub name: Option<SmolStr>,
    /// First body, by full name.
    pub a: SmolStr,
    /// Second body; the world if absent.
    pub b: Option<SmolStr>,
    /// Place on the first body in the world [m]; its centre if absent.
    pub at_a: Option<Vec3>,
    /// Place on the second body in the world [m]; where absent, `at_a` for joints that hold a point, the centre
    /// of `b` for those that hold a length.
    pub at_b: Option<Vec3>,
    /// Whether the two bodies still collide.
    pub collide: bool,
    /// Stiffness of what it holds; the world's if absent.
    pub hold: Option<Soft>,
    /// What happens when it carries too much.
    pub overload: Overload,
    /// What it does.
    pub kind: JointKind,
    /// Where it was written.
    pub span: Span,
}

/// What a motor wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// A speed [rad/s or m/s].
    Speed(f64),
    /// An angle [rad] or a displacement [m], pulled to with this stiffness: a servo.
    Target(f64, Soft),
}

/// A motor: what it wants and its strength [N m or N], unlimited if absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// What it wants.
    pub drive: Drive,
    /// Strength.
    pub strength: Option<f64>,
}

/// Softness of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft {
    /// Frequency [Hz].
    pub frequency: f64,
    /// 1 is critical.
    pub damping_ratio: f64,
}

/// A spring about or along the axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Angle [rad] or displacement [m] without force.
    pub rest: f64,
    /// Its stiffness.
    pub soft: Soft,
}

/// Forces and torques that are too much for a joint.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Overload {
    /// Force [N].
    pub force: Option<f64>,
    /// Torque [N m].
    pub torque: Option<f64>,
    /// The joint breaks; otherwise it is only counted.
    pub breaks: bool,
}

/// What a joint does. Axes are unit vectors in the world.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// A point in common.
    Ball {
        /// Axis of the twist.
        axis: Vec3,
        /// Largest angle from the start [rad].
        cone_limit: Option<f64>,
        /// Smallest and largest twist [rad].
        twist_limits: Option<[f64; 2]>,
    },
    /// Turns about an axis.
    Hinge {
        /// Axis.
        axis: Vec3,
        /// Smallest and largest angle [rad].
        limits: Option<[f64; 2]>,
        /// Motor.
        motor: Option<Motor>,
        /// Spring.
        spring: Option<Spring>,
    },
    /// Slides along an axis.
    Slider {
        /// Axis.
        axis: Vec3,
        /// Smallest and largest displacement [m].
        limits: Option<[f64; 2]>,
        /// Motor.
        motor: Option<Motor>,
        /// Spring.
        spring: Option<Spring>,
    },
    /// No relative motion.
    Fixed,
    /// Two points at a distance.
    Distance {
        /// Length [m]; as placed if absent.
        length: Option<f64>,
        /// Shortest and longest [m].
        limits: Option<[f64; 2]>,
        /// Softness.
        soft: Option<Soft>,
    },
    /// A damped spring.
    Spring {
        /// Length at rest [m]; as placed if absent.
        length: Option<f64>,
        /// [N/m].
        stiffness: f64,
        /// [N s/m].
        damping: f64,
    },
    /// Two points within a length.
    Rope {
        /// Length [m]; as placed if absent.
        length: Option<f64>,
    },
    /// A sprung wheel.
    Wheel {
        /// Direction of the suspension.
        axis: Vec3,
        /// Axis the wheel turns about.
        axle: Vec3,
        /// Travel [m].
        limits: Option<[f64; 2]>,
        /// Motor.
        motor: Option<Motor>,
        /// Suspension; none: it slides freely.
        spring: Option<Spring>,
        /// Angle by which the axle is turned about the suspension [rad].
        steering: f64,
    },
    /// Coupled rotation.
    Gear {
        /// Turns of b for one of a.
        ratio: f64,
        /// Axis of a.
        axis_a: Vec3,
        /// Axis of b.
        axis_b: Vec3,
    },
    /// Wanted velocity, or place and rotation, of a against b. Rows about which nothing is said stay free.
    Motor {
        /// [m/s].
        velocity: Option<Vec3>,
        /// [rad/s].
        angular_velocity: Option<Vec3>,
        /// Displacement from where it was placed [m].
        offset: Option<Vec3>,
        /// Rotation vector from how it was placed [rad].
        turn: Option<Vec3>,
        /// Stiffness towards offset and turn; without it only the velocities are held.
        soft: Option<Soft>,
        /// [N].
        max_force: Option<f64>,
        /// [N m].
        max_torque: Option<f64>,
    },
    /// A point drawn to a place.
    Mouse {
        /// Place [m].
        target: Vec3,
        /// [N].
        max_force: Option<f64>,
        /// Stiffness.
        soft: Soft,
    },
}
