//! A joint as it stands at this moment: frames, anchors, and the motion between them.

use super::{Law, RowSink};
use crate::math::*;

/// Geometry and velocities of a joint, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight<D: Dim> {
    /// Orientations of the two frames.
    pub frames: [D::Rot; 2],
    /// From the centres of mass to the anchors [m].
    pub r: [D::Vec; 2],
    /// From anchor a to anchor b [m].
    pub d: D::Vec,
    /// Centre of mass of b [m].
    pub center_b: D::Point,
    /// From the centre of mass of a to that of b [m].
    pub between: D::Vec,
    /// Velocity of anchor b relative to anchor a [m/s].
    pub d_dot: D::Vec,
    /// Angular velocities [rad/s].
    pub w: [D::Ang; 2],
    /// The sub-step [s].
    pub h: Real,
    /// Half of the sub-step [s], less where it turns so far that second-order motion means nothing.
    pub half: Real,
}

/// Turn per sub-step at which second-order motion counts half [rad].
pub(crate) const TRUSTED_TURN: Real = 0.1;
/// Square of the turn per sub-step at which half of the last impulses is worth starting from [rad²].
pub(crate) const FORGOTTEN_TURN2: Real = 0.1;
/// Above this share all impulses are kept: a leak of a percent per sub-step would make slow joints soft.
pub(crate) const KEPT_MEMORY: Real = 0.99;
/// Square of a lever arm that is none [m²]: a thousandth of a millimetre, where the direction of the arm is rounding noise.
pub(crate) const SHORT_ARM2: Real = 1e-12;
/// Anchors closer than this have no line between them [m].
pub(crate) const NO_LENGTH: Real = 1e-6;

/// How far second-order motion is taken into account when a sub-step turns by `turn` [rad]: fully up to some hundredths of
/// a radian, hardly beyond a tenth. Where a sub-step does not resolve the rotation, it would feed fast spins instead of
/// keeping their energy: joints that contradict each other exploded without this bound.
#[inline]
pub(super) fn trust(turn: Real) -> Real {
    let x = (turn / TRUSTED_TURN) * (turn / TRUSTED_TURN);
    1.0 / (1.0 + x * x)
}

impl<D: Dim> Sight<D> {
    /// Velocity by which the straight motion of one sub-step misses the anchors: half a sub-step of the centripetal
    /// acceleration w × (w × r) of b minus that of a. With it as drift, the sub-step ends where the anchors meet to second
    /// order, and the relaxing pass, which stands at the end of the arc, gives back exactly what the biased one took: a
    /// pendulum keeps its energy. Without it each sub-step would lose the share (w·h)² [Andersen1983].
    #[inline]
    pub fn point_drift(&self) -> D::Vec {
        let around = |side: usize| D::cross_ang(self.w[side], D::cross_ang(self.w[side], self.r[side]));
        (around(1) - around(0)) * self.half
    }

    /// The same for C = n·d with n fixed to a: half a sub-step of n̈·d + 2·ṅ·ḋ + n·d̈.
    #[inline]
    pub fn line_drift(&self, n: D::Vec) -> Real {
        let n_dot = D::cross_ang(self.w[0], n);
        let n_ddot = D::cross_ang(self.w[0], n_dot);
        self.half * (n_ddot.dot(self.d) + 2.0 * n_dot.dot(self.d_dot)) + n.dot(self.point_drift())
    }

    /// Share of the last impulses worth starting from: next to none when the lever arms turn by a radian per sub-step,
    /// because what held the bodies then would push them somewhere else now.
    #[inline]
    pub fn memory(&self) -> Real {
        let swing = |side: usize| {
            let (r, u) = (self.r[side], D::cross_ang(self.w[side], self.r[side]));
            u.dot(u) / r.dot(r).max(SHORT_ARM2)
        };
        let turn2 = swing(0).max(swing(1)) * self.h * self.h / FORGOTTEN_TURN2;
        1.0 / (1.0 + turn2 * turn2)
    }

    /// Axis `axis` of frame a, a unit vector.
    #[inline]
    pub fn axis(&self, axis: usize) -> D::Vec {
        self.frames[0].rotate(D::Vec::axis(axis))
    }

    /// Translation along x of frame a [m].
    #[inline]
    pub fn translation(&self) -> Real {
        self.d.dot(self.axis(0))
    }
}

/// What a dimension gives to joints; compare `d2.rs` and `d3.rs`.
pub trait JointDim: Sized {
    /// A frame whose x axis points along the unit vector `axis`.
    #[doc(hidden)]
    fn frame_along(axis: Self::Vec) -> Self::Rot
    where
        Self: Dim;

    /// Angle of frame b in frame a about axis `axis` of the frames [rad], in (−π, π].
    #[doc(hidden)]
    fn angle_about(frames: [Self::Rot; 2], axis: usize) -> Real
    where
        Self: Dim;

    /// Axis `axis` of the frame as an axis of rotation; in the plane there is only one.
    #[doc(hidden)]
    fn turning_axis(frame: Self::Rot, axis: usize) -> Self::Ang
    where
        Self: Dim;

    /// Rotation vector from frame a to frame b, world frame [rad]; of small ones.
    #[doc(hidden)]
    fn turn_error(frames: [Self::Rot; 2]) -> Self::Ang
    where
        Self: Dim;

    /// `frame` turned by `angle` about its own x axis; the plane has none.
    #[doc(hidden)]
    fn steered(frame: Self::Rot, angle: Real) -> Self::Rot
    where
        Self: Dim;

    /// One row along each axis of the world, at the anchors `r`.
    #[doc(hidden)]
    fn point_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        law: Law,
        r: [Self::Vec; 2],
        error: Self::Vec,
        drift: Self::Vec,
    ) where
        Self: Dim;

    /// One row about each axis of the world.
    #[doc(hidden)]
    fn turn_block<S: RowSink<Self>>(sink: &mut S, at: usize, law: Law, error: Self::Ang, drift: Self::Ang)
    where
        Self: Dim;

    /// Hard rows that hold the anchors together and all rotation: point and turn, solved as one.
    #[doc(hidden)]
    fn weld_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>)
    where
        Self: Dim;

    /// Hard rows that hold the anchors together and, in space, the x axes: point and tilt. `act` gives the rows that act, which come first.
    #[doc(hidden)]
    fn hinge_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>, act: impl FnOnce(&mut S))
    where
        Self: Dim;

    /// Hard rows that keep anchor b on the x axis of frame a and hold all rotation: line and turn.
    #[doc(hidden)]
    fn slider_block<S: RowSink<Self>>(sink: &mut S, at: usize, sight: &Sight<Self>, act: impl FnOnce(&mut S))
    where
        Self: Dim;

    /// Hard rows that keep anchor b on the x axis of frame a and, in space, the z axes of `frames` parallel: line and tilt.
    #[doc(hidden)]
    fn wheel_block<S: RowSink<Self>>(
        sink: &mut S,
        at: usize,
        sight: &Sight<Self>,
        frames: [Self::Rot; 2],
        act: impl FnOnce(&mut S),
    ) where
        Self: Dim;

    /// Rows of cone and twist limits, from impulse `at` on. The plane has none.
    #[doc(hidden)]
    fn ball_limits<S: RowSink<Self>>(sink: &mut S, at: usize, ball: &super::Ball, sight: &Sight<Self>)
    where
        Self: Dim;
}
