//! Creation input of a joint: kinds, parameters, checks.

use crate::Error;
use crate::error::{finite, not_negative, positive};
use crate::math::*;
use crate::store::BodyId;

/// Bounds of an angle [rad], a translation or a length [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Smallest value [m], of angles [rad].
    pub lower: Real,
    /// Largest value [m], of angles [rad].
    pub upper: Real,
}

impl Limits {
    /// From `lower` to `upper` [m], of angles [rad].
    pub const fn new(lower: Real, upper: Real) -> Self {
        Self { lower, upper }
    }

    /// Half-way between the two [m], of angles [rad].
    pub(crate) fn middle(&self) -> Real {
        0.5 * (self.lower + self.upper)
    }
}

/// A spring given by what it does to the joined masses: the same numbers feel the same on light and heavy bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Angle [rad], translation or length [m] at which the spring is at rest.
    pub rest: Real,
    /// Frequency of the free oscillation [Hz].
    pub hertz: Real,
    /// Damping ratio (no unit); 1 is critical.
    pub damping: Real,
}

/// A drive along one degree of freedom. It does not push against limits of its own joint: at a limit it is a brake, and a servo goes
/// no farther than that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motor {
    /// Holds a speed.
    Velocity {
        /// Wanted speed [rad/s or m/s].
        speed: Real,
        /// Largest torque [N·m] or force [N].
        max: Real,
    },
    /// Holds an angle or translation: a servo.
    Position {
        /// Wanted angle [rad] or translation [m].
        target: Real,
        /// Stiffness as a frequency [Hz].
        hertz: Real,
        /// Damping ratio (no unit); 1 is critical.
        damping: Real,
        /// Largest torque [N·m] or force [N].
        max: Real,
    },
}

/// Parameters of a ball joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    /// Largest angle between the x axes of the two frames [rad], in (0, π]. Default none. 3D only.
    pub cone: Option<Real>,
    /// Bounds of the twist about the x axis [rad], within ±π; those of the whole circle hold nothing. Default none. 3D only.
    pub twist: Option<Limits>,
}

/// Parameters of a hinge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hinge {
    /// Bounds of the angle [rad], within ±π; those of the whole circle hold nothing. Default none.
    pub limits: Option<Limits>,
    /// Drive about the axis. Default none.
    pub motor: Option<Motor>,
    /// Spring about the axis. Default none.
    pub spring: Option<Spring>,
}

/// Parameters of a slider.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slider {
    /// Bounds of the translation along the axis [m]. Default none.
    pub limits: Option<Limits>,
    /// Drive along the axis. Default none.
    pub motor: Option<Motor>,
    /// Spring along the axis. Default none.
    pub spring: Option<Spring>,
}

/// Parameters of a distance joint: a rod (`min` = `max`), a rope (`min` = 0) or anything between, with or without a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Shortest distance of the anchors [m]. Default 0.
    pub min: Real,
    /// Longest distance of the anchors [m]; may be infinite. Default infinite.
    pub max: Real,
    /// Spring along the line between the anchors. Default none.
    pub spring: Option<Spring>,
}

impl Default for Distance {
    fn default() -> Self {
        Self { min: 0.0, max: Real::INFINITY, spring: None }
    }
}

/// A real spring with a damper, between the anchors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringDamper {
    /// Stiffness k [N/m].
    pub stiffness: Real,
    /// Damping c [N·s/m].
    pub damping: Real,
    /// Length without force [m].
    pub rest_length: Real,
}

/// Parameters of a wheel on a suspension: it moves along x of frame a, and spins about z of frame a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// Suspension spring along the axis. Default 4 Hz, damping ratio 0.7, at rest where the anchors meet.
    pub spring: Option<Spring>,
    /// Bounds of the travel along the axis [m]. Default none.
    pub limits: Option<Limits>,
    /// Drive of the axle. Default none.
    pub motor: Option<Motor>,
    /// Angle by which the axle is turned about the suspension axis [rad]. Default 0. 3D only.
    pub steering: Real,
}

/// Damping ratio of a suspension unless told otherwise (no unit): swings once and stops.
const SUSPENSION_DAMPING: Real = 0.7;

impl Default for Wheel {
    fn default() -> Self {
        let spring = Some(Spring { rest: 0.0, hertz: 4.0, damping: SUSPENSION_DAMPING });
        Self { spring, limits: None, motor: None, steering: 0.0 }
    }
}

/// Parameters of a motor joint: drives frame b towards a pose or with a velocity in frame a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<D: Dim> {
    /// Wanted pose of frame b in frame a; counts if `hertz` is above 0. Default the identity.
    pub target: Pose<D>,
    /// Wanted velocity of anchor b in frame a [m/s]. Default 0.
    pub velocity: D::Vec,
    /// Wanted angular velocity in frame a [rad/s]. Default 0.
    pub spin: D::Ang,
    /// Stiffness towards `target` as a frequency [Hz]; 0: only the velocities are held. Default 0.
    pub hertz: Real,
    /// Damping ratio of that spring (no unit); 1 is critical. Default 1.
    pub damping: Real,
    /// Largest force [N]. Default 0: none.
    pub max_force: Real,
    /// Largest torque [N·m]. Default 0: none.
    pub max_torque: Real,
}

impl<D: Dim> Default for Drive<D> {
    fn default() -> Self {
        Self {
            target: Pose::IDENTITY,
            velocity: D::Vec::ZERO,
            spin: D::Ang::ZERO,
            hertz: 0.0,
            damping: 1.0,
            max_force: 0.0,
            max_torque: 0.0,
        }
    }
}

/// Parameters of a mouse joint: pulls anchor b to a point of the world. The counter-force acts on body a, usually static.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mouse<D: Dim> {
    /// Where anchor b should be, world [m].
    pub target: D::Point,
    /// Stiffness as a frequency [Hz]. Default 5.
    pub hertz: Real,
    /// Damping ratio (no unit); 1 is critical. Default 1.
    pub damping: Real,
    /// Largest force [N]; infinite: none. Default infinite.
    pub max_force: Real,
}

impl<D: Dim> Mouse<D> {
    /// Pulls to `target` [m], everything else at its default.
    pub fn to(target: impl Into<D::Point>) -> Self {
        Self { target: target.into(), hertz: 5.0, damping: 1.0, max_force: Real::INFINITY }
    }
}

/// What a joint leaves free, and what acts there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind<D: Dim> {
    /// The anchors stay together; every rotation is free. In the plane: a hinge without extras.
    Ball(Ball),
    /// The anchors and the x axes stay together; free to turn about x. In the plane: about the anchor.
    Hinge(Hinge),
    /// Anchor b stays on the x axis of frame a; nothing turns.
    Slider(Slider),
    /// Nothing moves.
    Fixed,
    /// The distance of the anchors has bounds, or a spring.
    Distance(Distance),
    /// A real spring and damper between the anchors.
    Spring(SpringDamper),
    /// A wheel on a suspension.
    Wheel(Wheel),
    /// Drives pose or velocity with bounded force.
    Motor(Drive<D>),
    /// Pulls anchor b to a point.
    Mouse(Mouse<D>),
}

impl<D: Dim> JointKind<D> {
    /// Name in scene files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball(_) => "ball",
            Self::Hinge(_) => "hinge",
            Self::Slider(_) => "slider",
            Self::Fixed => "fixed",
            Self::Distance(_) => "distance",
            Self::Spring(_) => "spring",
            Self::Wheel(_) => "wheel",
            Self::Motor(_) => "motor",
            Self::Mouse(_) => "mouse",
        }
    }

    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Ball(ball) => check_ball::<D>(ball),
            Self::Hinge(hinge) => {
                check_angles("Hinge.limits", hinge.limits)?;
                check_motor(hinge.motor)?;
                check_spring(hinge.spring)
            }
            Self::Slider(slider) => {
                check_limits("Slider.limits", slider.limits)?;
                check_motor(slider.motor)?;
                check_spring(slider.spring)
            }
            Self::Fixed => Ok(()),
            Self::Distance(distance) => {
                not_negative("Distance.min", distance.min)?;
                reachable("Distance.min", distance.min)?;
                if distance.max.is_nan() || distance.max < distance.min {
                    return Err(Error::invalid("Distance.max", distance.max, "at least Distance.min"));
                }
                if distance.max == 0.0 {
                    return Err(Error::invalid(
                        "Distance.max",
                        0.0,
                        "above 0; a ball joint holds anchors together",
                    ));
                }
                check_spring(distance.spring)
            }
            Self::Spring(spring) => {
                not_negative("SpringDamper.stiffness", spring.stiffness)?;
                not_negative("SpringDamper.damping", spring.damping)?;
                not_negative("SpringDamper.rest_length", spring.rest_length)?;
                reachable("SpringDamper.rest_length", spring.rest_length)
            }
            Self::Wheel(wheel) => {
                check_limits("Wheel.limits", wheel.limits)?;
                check_motor(wheel.motor)?;
                finite("Wheel.steering", wheel.steering)?;
                check_spring(wheel.spring)
            }
            Self::Motor(drive) => check_drive(drive),
            Self::Mouse(mouse) => {
                if !is_within_reach::<D>(mouse.target.to_vec()) {
                    let wanted = "finite, within 1e18 m of the origin";
                    return Err(Error::invalid("Mouse.target", mouse.target, wanted));
                }
                positive("Mouse.hertz", mouse.hertz)?;
                not_negative("Mouse.damping", mouse.damping)?;
                bound("Mouse.max_force", mouse.max_force)
            }
        }
    }
}

/// Checks a bound of force or torque: not negative, possibly infinite.
pub(crate) fn bound(field: &'static str, value: Real) -> Result<(), Error> {
    if value >= 0.0 { Ok(()) } else { Err(Error::invalid(field, value, "at least 0, or infinite")) }
}

/// Checks a place, an angle or a speed: numbers as large as those of bodies may be, whose squares are finite.
fn reachable(field: &'static str, value: Real) -> Result<(), Error> {
    match value.abs() <= FARTHEST {
        true => Ok(()),
        false => Err(Error::invalid(field, value, "finite, between −1e18 and 1e18")),
    }
}

fn check_limits(field: &'static str, limits: Option<Limits>) -> Result<(), Error> {
    let Some(limits) = limits else { return Ok(()) };
    reachable(field, limits.lower)?;
    reachable(field, limits.upper)?;
    if limits.lower > limits.upper {
        return Err(Error::invalid(field, limits, "in order: lower at most upper"));
    }
    Ok(())
}

fn check_angles(field: &'static str, limits: Option<Limits>) -> Result<(), Error> {
    check_limits(field, limits)?;
    match limits {
        Some(l) if l.lower < -core::f32::consts::PI || l.upper > core::f32::consts::PI => {
            Err(Error::invalid(field, l, "within ±π"))
        }
        _ => Ok(()),
    }
}

fn check_ball<D: Dim>(ball: &Ball) -> Result<(), Error> {
    if D::N == 2 && (ball.cone.is_some() || ball.twist.is_some()) {
        return Err(Error::NotPossible {
            what: "a cone or twist limit",
            reason: "the plane has none; use a hinge",
        });
    }
    if let Some(cone) = ball.cone {
        positive("Ball.cone", cone)?;
        if cone > core::f32::consts::PI {
            return Err(Error::invalid("Ball.cone", cone, "at most π"));
        }
    }
    check_angles("Ball.twist", ball.twist)
}

fn check_spring(spring: Option<Spring>) -> Result<(), Error> {
    let Some(spring) = spring else { return Ok(()) };
    reachable("Spring.rest", spring.rest)?;
    positive("Spring.hertz", spring.hertz)?;
    not_negative("Spring.damping", spring.damping)
}

fn check_motor(motor: Option<Motor>) -> Result<(), Error> {
    match motor {
        None => Ok(()),
        Some(Motor::Velocity { speed, max }) => {
            reachable("Motor.speed", speed)?;
            bound("Motor.max", max)
        }
        Some(Motor::Position { target, hertz, damping, max }) => {
            reachable("Motor.target", target)?;
            positive("Motor.hertz", hertz)?;
            not_negative("Motor.damping", damping)?;
            bound("Motor.max", max)
        }
    }
}

fn check_drive<D: Dim>(drive: &Drive<D>) -> Result<(), Error> {
    drive.target.check("Drive.target")?;
    if !is_within_reach::<D>(drive.velocity) {
        return Err(Error::invalid("Drive.velocity", drive.velocity, "finite, at most 1e18 m/s"));
    }
    if drive.spin.length().partial_cmp(&FARTHEST) != Some(core::cmp::Ordering::Less) {
        return Err(Error::invalid("Drive.spin", drive.spin, "finite, below 1e18 rad/s"));
    }
    not_negative("Drive.hertz", drive.hertz)?;
    not_negative("Drive.damping", drive.damping)?;
    bound("Drive.max_force", drive.max_force)?;
    bound("Drive.max_torque", drive.max_torque)
}

/// How firmly the locked degrees of freedom of a joint are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSoftness {
    /// Stiffness as a frequency [Hz]; limited to a quarter of the sub-step rate.
    pub hertz: Real,
    /// Damping ratio (no unit); 1 is critical.
    pub damping: Real,
}

impl JointSoftness {
    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        positive("JointSoftness.hertz", self.hertz)?;
        not_negative("JointSoftness.damping", self.damping)
    }
}

/// Everything needed to create a joint. The constructors that take a point of the world compute the local frames:
///
/// ```
/// use topple::{BodyDef2, JointDef2, Shape2, World2};
/// let mut world = World2::new();
/// let wall = world.create_body(BodyDef2::fixed([0.0, 5.0]))?;
/// let bob = world.create_body_with(BodyDef2::dynamic([1.0, 5.0]), [Shape2::circle(0.1)])?;
/// let joint = world.create_joint(JointDef2::hinge(&world, wall, bob, [0.0, 5.0])?)?;
/// world.step();
/// assert!(world.joint(joint)?.angle() < 0.0, "the bob falls");
/// # Ok::<(), topple::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDef<D: Dim> {
    /// First body.
    pub a: BodyId,
    /// Second body. At least one of the two is dynamic.
    pub b: BodyId,
    /// Frame of the joint on body a, in the body's frame.
    pub local_a: Pose<D>,
    /// Frame of the joint on body b, in the body's frame.
    pub local_b: Pose<D>,
    /// What is free and what acts.
    pub kind: JointKind<D>,
    /// Shapes of the two bodies collide with each other. Default false.
    pub collide_connected: bool,
    /// Stiffness of the locked degrees of freedom. Default None: `Settings::joint_hertz` and `joint_damping`.
    pub softness: Option<JointSoftness>,
    /// A reaction force above this raises a joint event [N]. Default infinite: never.
    pub max_force: Real,
    /// A reaction torque above this raises a joint event [N·m]. Default infinite: never.
    pub max_torque: Real,
    /// Above these limits the joint is also removed. Default false.
    pub breaks: bool,
    /// A name to find it by. Default empty: none.
    pub name: String,
    /// For the user alone; kept in snapshots. Default 0.
    pub user_data: u64,
}

impl<D: Dim> JointDef<D> {
    /// A joint between the origins of two bodies, everything else at its default.
    pub fn new(a: BodyId, b: BodyId, kind: JointKind<D>) -> Self {
        Self {
            a,
            b,
            local_a: Pose::IDENTITY,
            local_b: Pose::IDENTITY,
            kind,
            collide_connected: false,
            softness: None,
            max_force: Real::INFINITY,
            max_torque: Real::INFINITY,
            breaks: false,
            name: String::new(),
            user_data: 0,
        }
    }

    /// The same with another kind, for instance a hinge with limits.
    #[must_use]
    pub fn kind(mut self, kind: JointKind<D>) -> Self {
        self.kind = kind;
        self
    }

    /// Ok, or the first field with an impossible value. Whether the bodies exist is seen when the joint is created.
    pub fn validate(&self) -> Result<(), Error> {
        if self.a == self.b {
            return Err(Error::NotPossible { what: "a joint", reason: "both ends are on the same body" });
        }
        for (field, frame) in [("JointDef.local_a", self.local_a), ("JointDef.local_b", self.local_b)] {
            frame.check(field)?;
        }
        if let Some(softness) = self.softness {
            softness.validate()?;
        }
        bound("JointDef.max_force", self.max_force)?;
        bound("JointDef.max_torque", self.max_torque)?;
        self.kind.validate()
    }
}
