//! The hot arrays: awake bodies in list order, as solvers and integrators see them.

use crate::Settings;
use crate::integrator::Track;
use crate::math::*;
use crate::store::room;

/// Slot of a body that solvers do not move: static, asleep, or not there.
pub const NO_SLOT: u32 = u32::MAX;

/// What changes in every sub-step. In 3D 48 bytes, in 2D 24.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct BodyState<D: Dim> {
    /// Velocity of the centre of mass [m/s].
    pub v: D::Vec,
    /// Angular velocity, world frame [rad/s].
    pub w: D::Ang,
    /// Motion of the centre of mass since the start of the step [m].
    pub dp: D::Vec,
    /// Rotation since the start of the step, Σ h·w [rad].
    pub dr: D::Ang,
}

/// What stays constant over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyProps<D: Dim> {
    /// Stable index of the body.
    pub body: u32,
    /// True if impulses move it; false for kinematic bodies.
    pub is_dynamic: bool,
    /// True if its inertia differs between axes, so that its spin precesses.
    pub is_gyroscopic: bool,
    /// True if joints hold it.
    pub is_joined: bool,
    /// True if it may bounce and no joint holds it: its spin is limited by `Settings::max_elastic_spin`.
    pub is_elastic: bool,
    /// True if it may bounce and joints hold it.
    pub is_sprung: bool,
    /// Locked axes as bits, translation in the low three, rotation in the next three.
    pub locks: u8,
    /// 1 / mass [1/kg].
    pub inv_mass: Real,
    /// Loads of its constraints above this, in weights of the lighter body, are reported by solvers that can refine (no unit).
    pub load_limit: Real,
    /// Inverse inertia at the start of the step (the default solver may turn it on for bodies with joints), world frame, locked axes removed [1/(kg·m²)].
    pub inv_inertia: D::Inertia,
    /// Inertia in the body's frame [kg·m²].
    pub inertia: D::Inertia,
    /// Acceleration by gravity and accumulated force [m/s²].
    pub acceleration: D::Vec,
    /// Angular acceleration by accumulated torque [rad/s²].
    pub angular_acceleration: D::Ang,
    /// Air resistance.
    pub drag: crate::body::Drag,
    /// Wants continuous collision against everything.
    pub is_bullet: bool,
    /// Distance from the centre of mass to the farthest point of a shape [m].
    pub extent: Real,
    /// Inner radius of the thinnest shape that touches things [m]; infinity without any.
    pub thickness: Real,
}

/// Limits the spins of bodies that turn too fast for sub-steps of length `h` [s]: what motors, springs and contacts have given. `done` is told of each
/// with its number.
#[inline]
pub(crate) fn clamp_spins<D: Dim>(
    states: &mut [BodyState<D>],
    props: &[BodyProps<D>],
    settings: &crate::Settings<D>,
    h: Real,
    mut done: impl FnMut(usize, &BodyState<D>),
) {
    // PERF: few come near any limit, and the constants of the others are not looked at.
    let least = settings.max_spin / h;
    for (i, state) in states.iter_mut().enumerate() {
        if state.w.dot(state.w) > least * least
            && let Some(w) = props[i].clamped_spin(state.w, settings, h)
        {
            state.w = w;
            done(i, state);
        }
    }
}

impl<D: Dim> BodyProps<D> {
    /// Largest rotation per sub-step [rad].
    #[inline]
    pub(crate) fn max_spin(&self, settings: &crate::Settings<D>) -> Real {
        if self.is_elastic { settings.max_spin.max(settings.max_elastic_spin) } else { settings.max_spin }
    }

    /// What is left of a spin [rad/s] that is too fast for sub-steps of length `h` [s]; None for those that are not, and for bodies that
    /// nothing but their user turns.
    #[inline]
    pub(crate) fn clamped_spin(&self, w: D::Ang, settings: &crate::Settings<D>, h: Real) -> Option<D::Ang> {
        let most = self.max_spin(settings) / h;
        if !self.is_dynamic || w.dot(w) <= most * most {
            return None;
        }
        // Scaled first: the square of an absurd spin leaves the range of f32.
        let largest = (0..D::ANGULAR).fold(0.0, |m: Real, i| m.max(w.get(i).abs()));
        let unit = w * (1.0 / largest);
        Some(unit * (most / unit.length()))
    }

    /// Velocity change [m/s] of an impulse [N·s] on the centre of mass; locked axes do not answer.
    #[inline]
    pub fn linear_response(&self, impulse: D::Vec) -> D::Vec {
        let mut dv = impulse * self.inv_mass;
        if self.locks & 7 != 0 {
            (0..D::N).filter(|i| self.locks >> i & 1 == 1).for_each(|i| dv.set(i, 0.0));
        }
        dv
    }

    /// True if the body is locked along some axes but not all: its response depends on the direction.
    #[inline]
    pub fn is_partly_locked(&self) -> bool {
        let all = if D::N == 2 { 3 } else { 7 };
        let locked = self.locks & all;
        locked != 0 && locked != all
    }
}

/// Awake bodies, dense.
#[derive(Clone, Debug, Default)]
pub struct AwakeBodies<D: Dim> {
    /// Velocities and displacements.
    pub states: Vec<BodyState<D>>,
    /// Current orientations.
    pub rotations: Vec<D::Rot>,
    /// Constants of the step.
    pub props: Vec<BodyProps<D>>,
    /// Centres of mass at the start of the step [m].
    pub centers: Vec<D::Point>,
    /// Motions in double precision, for integrators that work with them; else empty.
    pub(crate) tracks: Vec<Track<D>>,
    /// Slot in these arrays of each body index; [`NO_SLOT`] for bodies that are not awake.
    pub(crate) slots: Vec<u32>,
}

impl<D: Dim> AwakeBodies<D> {
    /// Makes room for `count` bodies in all, and touches it.
    pub(crate) fn warm(&mut self, count: usize) {
        room::warm(&mut self.states, count);
        room::warm(&mut self.rotations, count);
        room::warm(&mut self.props, count);
        room::warm(&mut self.centers, count);
        room::warm(&mut self.slots, count);
    }

    /// Becomes the given slots of another set, in that order.
    pub(crate) fn copy_members(&mut self, from: &Self, slots: impl Iterator<Item = u32>) {
        self.states.clear();
        self.rotations.clear();
        self.props.clear();
        self.centers.clear();
        for slot in slots {
            self.push_member(from, slot as usize);
        }
    }

    /// Adds the bodies that move but do not answer: every group meets them.
    pub(crate) fn add_kinematic(&mut self, from: &Self) {
        for slot in (0..from.len()).filter(|&slot| !from.props[slot].is_dynamic) {
            self.push_member(from, slot);
        }
    }

    fn push_member(&mut self, from: &Self, slot: usize) {
        self.states.push(from.states[slot]);
        self.rotations.push(from.rotations[slot]);
        self.props.push(from.props[slot]);
        self.centers.push(from.centers[slot]);
    }

    /// Finds the slot of every one of `count` body indices anew.
    pub(crate) fn find_slots(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize(count, NO_SLOT);
        for (slot, props) in self.props.iter().enumerate() {
            self.slots[props.body as usize] = slot as u32;
        }
    }

    /// Number of awake bodies.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// True if nothing is awake.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Slot of the body with stable index `body`, or [`NO_SLOT`].
    #[inline]
    pub fn slot(&self, body: u32) -> u32 {
        self.slots.get(body as usize).copied().unwrap_or(NO_SLOT)
    }

    /// Current place of the centre of mass of slot `slot` [m].
    pub fn center(&self, slot: usize) -> D::Point {
        self.centers[slot] + self.states[slot].dp
    }

    /// All bodies as one block.
    pub fn block<'a>(&'a mut self, settings: &'a Settings<D>) -> BodyBlock<'a, D> {
        BodyBlock {
            settings,
            states: &mut self.states,
            rotations: &mut self.rotations,
            props: &self.props,
            tracks: &mut self.tracks,
        }
    }
}

/// A run of awake bodies, for integrators.
#[derive(Debug)]
pub struct BodyBlock<'a, D: Dim> {
    /// Settings of the world.
    pub settings: &'a Settings<D>,
    /// Velocities and displacements.
    pub states: &'a mut [BodyState<D>],
    /// Orientations.
    pub rotations: &'a mut [D::Rot],
    /// Constants of the step.
    pub props: &'a [BodyProps<D>],
    /// Motions in double precision, for integrators that work with them; else empty.
    pub(crate) tracks: &'a mut [Track<D>],
}
