//! Force generators.

use smol_str::SmolStr;

use super::{Target, Vec3};
use crate::span::Span;

/// A generator.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Full name.
    pub name: Option<SmolStr>,
    /// Bodies it acts on; empty for a spring, which names its own.
    pub on: Vec<Target>,
    /// What it does.
    pub kind: ForceKind,
    /// Where it was written.
    pub span: Span,
}

/// What a generator does. SI units, world frame unless said.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceKind {
    /// Uniform gravity.
    Gravity {
        /// [m/s²].
        acceleration: Vec3,
    },
    /// Gravity of a point.
    Point {
        /// Place.
        at: Vec3,
        /// [m³/s²].
        strength: f64,
        /// [m].
        softening: f64,
    },
    /// A spring between two bodies, or a body and an anchor.
    Spring {
        /// First body.
        a: SmolStr,
        /// Second body; the world if absent.
        b: Option<SmolStr>,
        /// Place on a; its centre if absent.
        at_a: Option<Vec3>,
        /// Place on b, or the anchor.
        at_b: Option<Vec3>,
        /// [m]; as placed if absent.
        length: Option<f64>,
        /// [N/m].
        stiffness: f64,
        /// [N s/m].
        damping: f64,
        /// Pulls only.
        bungee: bool,
    },
    /// Every pair attracts.
    Attraction {
        /// Force at distance 1 [N].
        strength: f64,
        /// Power of the distance.
        exponent: f64,
        /// [m].
        softening: f64,
    },
    /// Constant torque.
    Motor {
        /// [N m].
        torque: Vec3,
        /// [rad/s].
        max_speed: Option<f64>,
    },
    /// Constant force in the body's frame.
    Thrust {
        /// [N].
        force: Vec3,
        /// Point of attack in the body's frame [m].
        at: Vec3,
    },
    /// Moving air.
    Wind {
        /// [m/s].
        velocity: Vec3,
        /// [N s/m].
        drag: f64,
        /// Share.
        gusts: f64,
        /// [s].
        period: f64,
    },
    /// Air resistance.
    Drag {
        /// [N s/m].
        linear: f64,
        /// [N s²/m²].
        quadratic: f64,
        /// [N m s].
        angular: f64,
    },
    /// Water.
    Buoyancy {
        /// Height of the surface [m].
        level: f64,
        /// [kg/m³, kg/m²].
        density: f64,
        /// [1/s].
        linear_drag: f64,
        /// [1/s].
        angular_drag: f64,
        /// [m/s].
        flow: Vec3,
    },
    /// One blow.
    Explosion {
        /// Place [m].
        at: Vec3,
        /// Reach [m].
        radius: f64,
        /// [N s].
        impulse: f64,
    },
    /// A swirl.
    Vortex {
        /// Place [m].
        at: Vec3,
        /// Unit axis.
        axis: Vec3,
        /// Reach [m].
        radius: f64,
        /// Speed at the radius [m/s].
        speed: f64,
        /// [m/s²].
        pull: f64,
        /// [1/s].
        drag: f64,
    },
}
