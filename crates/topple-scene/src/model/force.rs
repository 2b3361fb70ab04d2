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
    /// Box in which it acts: lowest and highest corner [m], infinite where open.
    pub region: Option<[Vec3; 2]>,
    /// What it does.
    pub kind: ForceKind,
    /// Where it was written.
    pub span: Span,
}

/// How the force of a pair depends on its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// A power.
    Power {
        /// Force between unit charges at 1 m [N].
        strength: f64,
        /// Power of the distance.
        exponent: i32,
    },
    /// Repulsion near by, attraction farther out.
    LennardJones {
        /// Depth of the well [J].
        depth: f64,
        /// Where its energy is zero [m].
        distance: f64,
    },
}

/// What a generator does. SI units, world frame unless said.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceKind {
    /// Uniform gravity.
    Gravity {
        /// [m/s²].
        acceleration: Vec3,
    },
    /// A pull towards a point or a body.
    Point {
        /// Place; on a body its centre of mass if absent, else the origin.
        at: Option<Vec3>,
        /// The body that pulls.
        from: Option<SmolStr>,
        /// Acceleration at 1 m.
        strength: f64,
        /// Power of the distance.
        exponent: i32,
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
        /// Force over distance.
        law: Law,
        /// Each body brings its mass, else 1.
        by_mass: bool,
        /// [m].
        softening: f64,
        /// [m]; unlimited if absent.
        range: Option<f64>,
    },
    /// A torque.
    Motor {
        /// [N m].
        torque: Vec3,
        /// In the body's frame.
        local: bool,
        /// The body that is turned back.
        carrier: Option<SmolStr>,
        /// [rad/s].
        free_speed: Option<f64>,
    },
    /// A force at a point of a body.
    Thrust {
        /// [N].
        force: Vec3,
        /// Point of attack in the body's frame [m].
        at: Vec3,
        /// The force is in the body's frame.
        local: bool,
    },
    /// Moving air.
    Wind {
        /// [m/s].
        velocity: Vec3,
        /// [kg/m³, kg/m²].
        density: f64,
        /// Coefficient.
        drag: f64,
        /// Coefficient.
        lift: f64,
    },
    /// Resistance by numbers.
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
        /// Height of the surface along the normal [m].
        level: f64,
        /// Unit vector out of the water.
        normal: Vec3,
        /// [kg/m³, kg/m²].
        density: f64,
        /// [1/s].
        drag: f64,
        /// [1/s].
        spin_drag: f64,
        /// [m/s].
        flow: Vec3,
    },
    /// A blast.
    Explosion {
        /// Place [m].
        at: Vec3,
        /// Reach [m].
        radius: f64,
        /// [Pa, N/m].
        pressure: f64,
        /// [s].
        duration: f64,
    },
    /// A whirl.
    Vortex {
        /// Place [m].
        at: Vec3,
        /// Unit axis.
        axis: Vec3,
        /// Reach [m].
        radius: f64,
        /// [m/s²].
        swirl: f64,
        /// [m/s²].
        pull: f64,
        /// [m/s²].
        lift: f64,
    },
}

impl ForceKind {
    /// The body that it needs besides those it acts on.
    pub(crate) fn other_body_mut(&mut self) -> Option<&mut Option<SmolStr>> {
        match self {
            Self::Point { from: other, .. }
            | Self::Motor { carrier: other, .. }
            | Self::Spring { b: other, .. } => Some(other),
            _ => None,
        }
    }
}
