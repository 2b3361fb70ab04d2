//! Creation input of a body.

use crate::Error;
use crate::error::{finite, not_negative};
use crate::math::*;
use crate::shape::Mass;

/// How a body takes part in the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Does not move, whatever pushes it.
    #[default]
    Static,
    /// Moves with the velocity the user gives it; is not pushed.
    Kinematic,
    /// Moves by forces, contacts and joints.
    Dynamic,
}

impl BodyKind {
    /// Every kind with its name in scene files.
    pub const NAMES: [(&'static str, Self); 3] =
        [("static", Self::Static), ("kinematic", Self::Kinematic), ("dynamic", Self::Dynamic)];
}

/// Degrees of freedom taken away, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// No motion of the centre of mass along axis i (x, y, z; in 2D the first two count).
    pub translation: [bool; 3],
    /// No rotation about axis i (in 2D only the first counts).
    pub rotation: [bool; 3],
}

impl Locks {
    /// Nothing locked.
    pub const NONE: Self = Self { translation: [false; 3], rotation: [false; 3] };
    /// Position fixed, free to rotate.
    pub const PINNED: Self = Self { translation: [true; 3], rotation: [false; 3] };
    /// Free to move, orientation fixed.
    pub const ROTATION: Self = Self { translation: [false; 3], rotation: [true; 3] };

    /// One bit per lock: translation in the low three, rotation in the next three.
    pub(crate) fn to_bits(self) -> u8 {
        let flags = self.translation.into_iter().chain(self.rotation);
        flags.enumerate().fold(0, |bits, (i, locked)| bits | u8::from(locked) << i)
    }

    pub(crate) fn from_bits(bits: u8) -> Self {
        let bit = |i: usize| bits >> i & 1 == 1;
        Self { translation: [bit(0), bit(1), bit(2)], rotation: [bit(3), bit(4), bit(5)] }
    }
}

/// Air resistance per unit of mass and inertia: dv/dt = −(linear + quadratic·|v|)·v, the same for the spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Share of the velocity lost per second [1/s]. Default 0.
    pub linear: Real,
    /// The part that grows with speed [1/m]. Default 0.
    pub quadratic: Real,
    /// Share of the spin lost per second [1/s]. Default 0.
    pub angular_linear: Real,
    /// The part that grows with spin [1/rad]. Default 0.
    pub angular_quadratic: Real,
}

impl Drag {
    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        not_negative("Drag.linear", self.linear)?;
        not_negative("Drag.quadratic", self.quadratic)?;
        not_negative("Drag.angular_linear", self.angular_linear)?;
        not_negative("Drag.angular_quadratic", self.angular_quadratic)
    }
}

/// Everything needed to create a body. Fill in what differs from the default:
///
/// ```
/// use topple::{BodyDef2, Locks};
/// let spinner = BodyDef2 { locks: Locks::PINNED, angular_velocity: 3.0, ..BodyDef2::dynamic([0.0, 2.0]) };
/// assert_eq!(spinner.gravity_scale, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef<D: Dim> {
    /// How it moves. Default static.
    pub kind: BodyKind,
    /// Where its frame stands [m]. Default the origin.
    pub position: D::Point,
    /// How its frame is turned. Default not at all.
    pub rotation: D::Rot,
    /// Velocity of the point of the body at `position`, the origin of its frame [m/s]. Default 0. Where shapes or a mass of its own put
    /// the centre of mass elsewhere, that moves with this + spin × offset, which is what `Body::linear_velocity` tells; so the
    /// velocity given does not depend on the shapes, nor on when they are attached.
    pub linear_velocity: D::Vec,
    /// Angular velocity, world frame [rad/s]. Default 0.
    pub angular_velocity: D::Ang,
    /// Mass, centre and inertia in the body's frame. None: from the shapes and their densities.
    pub mass: Option<Mass<D>>,
    /// Degrees of freedom taken away.
    pub locks: Locks,
    /// Factor on the world's gravity (no unit). Default 1.
    pub gravity_scale: Real,
    /// Air resistance. Default none.
    pub drag: Drag,
    /// May fall asleep. Default true.
    pub can_sleep: bool,
    /// Own sleep threshold [m/s]; None: the world's. Default None.
    pub sleep_speed: Option<Real>,
    /// Starts awake. Default true. A body that starts asleep is woken like any other.
    pub is_awake: bool,
    /// Takes part at all. Default true. A disabled body keeps its place and its shapes, and nothing meets it.
    pub is_enabled: bool,
    /// Wants continuous collision against moving bodies too; against static ones every fast body has it. Default false.
    pub is_bullet: bool,
    /// A name to find it by. Default empty: none. Names need not be unique; the first one is found.
    pub name: String,
    /// For the user alone; kept in snapshots. Default 0.
    pub user_data: u64,
}

impl<D: Dim> Default for BodyDef<D> {
    fn default() -> Self {
        Self {
            kind: BodyKind::Static,
            position: D::Point::ORIGIN,
            rotation: D::Rot::IDENTITY,
            linear_velocity: D::Vec::ZERO,
            angular_velocity: D::Ang::ZERO,
            mass: None,
            locks: Locks::NONE,
            gravity_scale: 1.0,
            drag: Drag::default(),
            can_sleep: true,
            sleep_speed: None,
            is_awake: true,
            is_enabled: true,
            is_bullet: false,
            name: String::new(),
            user_data: 0,
        }
    }
}

impl<D: Dim> BodyDef<D> {
    /// A dynamic body at `position` [m].
    pub fn dynamic(position: impl Into<D::Point>) -> Self {
        Self { kind: BodyKind::Dynamic, position: position.into(), ..Self::default() }
    }

    /// A kinematic body at `position` [m].
    pub fn kinematic(position: impl Into<D::Point>) -> Self {
        Self { kind: BodyKind::Kinematic, position: position.into(), ..Self::default() }
    }

    /// A static body at `position` [m].
    pub fn fixed(position: impl Into<D::Point>) -> Self {
        Self { position: position.into(), ..Self::default() }
    }

    /// Ok, or the first field with an impossible value.
    pub fn validate(&self) -> Result<(), Error> {
        if !is_within_reach::<D>(self.position.to_vec()) {
            return Err(Error::invalid(
                "BodyDef.position",
                self.position,
                "finite, within 1e18 m of the origin",
            ));
        }
        if !self.rotation.is_valid() {
            return Err(Error::invalid("BodyDef.rotation", self.rotation, "finite and of unit length"));
        }
        if !self.linear_velocity.is_finite() {
            return Err(Error::invalid("BodyDef.linear_velocity", self.linear_velocity, "finite"));
        }
        if !self.angular_velocity.is_finite() {
            return Err(Error::invalid("BodyDef.angular_velocity", self.angular_velocity, "finite"));
        }
        finite("BodyDef.gravity_scale", self.gravity_scale)?;
        if let Some(speed) = self.sleep_speed {
            not_negative("BodyDef.sleep_speed", speed)?;
        }
        if let Some(mass) = &self.mass {
            mass.validate()?;
            self.check_center(mass.center)?;
        }
        self.drag.validate()
    }

    /// Ok if the centre of mass is a finite point with a finite velocity when it stands at `center` in the body's frame.
    pub(crate) fn check_center(&self, center: D::Vec) -> Result<(), Error> {
        let arm = self.rotation.rotate(center);
        if !(self.position + arm).is_finite() {
            let allowed = "such that the centre of mass is finite";
            return Err(Error::invalid("BodyDef.position", self.position, allowed));
        }
        let motion = super::Motion::<D> { linear: self.linear_velocity, angular: self.angular_velocity };
        if self.kind != BodyKind::Static && !motion.seen_from(arm).is_finite() {
            let allowed = "such that the velocity of the centre of mass is finite";
            return Err(Error::invalid("BodyDef.angular_velocity", self.angular_velocity, allowed));
        }
        Ok(())
    }
}
