//! Eight joints of one class and colour side by side.
//!
//! Sizes as in `algebra.rs`, and `F` rows of a weld, the most that any class holds. A row carries what every pass of every
//! class reads, beside it an [`Extra`] for classes with frames, limits, springs or motors, and a [`Cold`] part for what
//! only storing reads.

use crate::solver::soft_step::lanes::F8;
use crate::solver::soft_step::rows::WIDTH;

/// Lanes without a joint.
pub(super) const NO_JOINT: u32 = u32::MAX;

/// What a row of lanes holds together; a kernel for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The anchors stay together: ball joints without limits, in the plane hinges without extras.
    Point,
    /// A ball joint with limits of cone or twist. 3D only.
    Ball,
    /// The anchors, in space the x axes too; about x may act a spring, a motor and limits.
    Hinge,
    /// Nothing moves.
    Weld,
    /// Anchor b stays on the x axis of frame a, nothing turns; along x may act a spring, a motor and limits.
    Slider,
    /// The distance of the anchors is fixed; a spring may act along their line.
    Rod,
    /// The distance of the anchors has bounds; a spring may act along their line.
    Rope,
}

impl Class {
    /// How many there are.
    pub(super) const COUNT: usize = 7;
}

/// Some lane has a spring.
pub(super) const SPRING: u8 = 1;
/// Some lane has a motor.
pub(super) const MOTOR: u8 = 2;
/// Some lane has limits of the free axis; of a ball joint: of its twist.
pub(super) const LIMITS: u8 = 4;
/// Some lane has a cone.
pub(super) const CONE: u8 = 8;

/// Eight joints.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WideRow<const N: usize, const A: usize, const W: usize, const F: usize> {
    /// What the lanes hold together.
    pub(super) class: Class,
    /// SPRING, MOTOR, LIMITS, CONE.
    pub(super) has: u8,
    /// Lanes whose body a, or b, turns far in the step; see `turning.rs` of the solver.
    pub(super) turns: [u8; 2],
    /// Anchors relative to the centres of mass, in the bodies' axes; of the ground in those of the world [m].
    pub(super) anchors: [[F8; N]; 2],
    /// From the centre of a to that of b at the start of the step [m].
    pub(super) between: [F8; N],
    /// Whitenings; 0 for the ground.
    pub(super) whitenings: [[F8; W]; 2],
    /// 1/m; 0 for the ground [1/kg].
    pub(super) inv_masses: [F8; 2],
    /// s·r of hard rows [1/s].
    pub(super) rate: F8,
    /// s of hard rows.
    pub(super) scale: F8,
    /// Accumulated impulses of the hard rows [N·s or N·m·s].
    pub(super) lambda: [F8; F],
    /// Impulse on b in this sub-step [N·s].
    pub(super) pushed: [F8; N],
    /// Change of the whitened spins by this joint in this sub-step.
    pub(super) turned: [[F8; A]; 2],
}

impl<const N: usize, const A: usize, const W: usize, const F: usize> Default for WideRow<N, A, W, F> {
    fn default() -> Self {
        let zero = F8::default();
        Self {
            class: Class::Point,
            has: 0,
            turns: [0; 2],
            anchors: [[zero; N]; 2],
            between: [zero; N],
            whitenings: [[zero; W]; 2],
            inv_masses: [zero; 2],
            rate: zero,
            scale: zero,
            lambda: [zero; F],
            pushed: [zero; N],
            turned: [[zero; A]; 2],
        }
    }
}

/// A spring or a motor along one degree of freedom of value x: the impulse goes from λ to
/// λ − ((s·(ẋ + drift) + k·(x − target))/K + leak·λ)·gain, bounded by ± max. See the laws in `joint/rows.rs`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Act {
    pub(super) s: F8,
    pub(super) k: F8,
    pub(super) target: F8,
    pub(super) drift: F8,
    pub(super) leak: F8,
    /// In the biased and in the relaxing pass; 0 where nothing acts.
    pub(super) gain: [F8; 2],
    /// Largest impulse [N·s or N·m·s].
    pub(super) max: F8,
    /// Error along a line beyond which a spring pulls no more [m].
    pub(super) reach: F8,
    /// Accumulated impulse.
    pub(super) lambda: F8,
}

/// What some classes need besides.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Extra<const R: usize> {
    /// Orientations of the frames in the bodies' axes; of the ground in those of the world.
    pub(super) frames: [[F8; R]; 2],
    /// Spring.
    pub(super) spring: Act,
    /// Motor.
    pub(super) motor: Act,
    /// Lower and upper bound of the free axis, infinite for none.
    pub(super) bounds: [F8; 2],
    /// Half-way between bounds of an angle [rad]: it counts within half a turn of that.
    pub(super) middle: F8,
    /// Impulses of the bounds.
    pub(super) bound_lambda: [F8; 2],
    /// Largest angle between the x axes [rad], infinite for none.
    pub(super) cone: F8,
    /// Its impulse [N·m·s].
    pub(super) cone_lambda: F8,
}

impl<const R: usize> Default for Extra<R> {
    fn default() -> Self {
        let zero = F8::default();
        Self {
            frames: [[zero; R]; 2],
            spring: Act::default(),
            motor: Act::default(),
            bounds: [F8([f32::NEG_INFINITY; WIDTH]), F8([f32::INFINITY; WIDTH])],
            middle: zero,
            bound_lambda: [zero; 2],
            cone: F8([f32::INFINITY; WIDTH]),
            cone_lambda: zero,
        }
    }
}

/// What goes into a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub(super) class: Class,
    /// The joints, or NO_JOINT.
    pub(super) joints: [u32; WIDTH],
}

/// What only storing reads.
#[derive(Clone, Copy, Debug)]
pub struct Cold {
    /// The joints, or NO_JOINT.
    pub(super) joints: [u32; WIDTH],
    /// Impulse on b, the sum over the sub-steps [N·s].
    pub(super) push: [F8; 3],
    /// Angular impulse on b about its anchor, the sum over the sub-steps [N·m·s].
    pub(super) turn: [F8; 3],
}

impl Default for Cold {
    fn default() -> Self {
        let zero = F8::default();
        Self { joints: [NO_JOINT; WIDTH], push: [zero; 3], turn: [zero; 3] }
    }
}
