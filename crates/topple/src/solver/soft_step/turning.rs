//! Bodies that turn far within a step: their inertia turns with them.
//!
//! The kernels work with the inertia of the start of the step. For a body that turns by a radian until the step is over, and is not alike
//! about its axes, that is the inertia of another orientation: an impulse that should stop a corner then gives the body energy that
//! nobody had (a thin plate at 100 rad/s more than doubled its own on a smooth floor, a gyroscope on a ball joint gained a
//! fifth per second). With the inertia of the moment an impulse that stops an approach takes energy, whatever its lever, and
//! to turn about the own spin costs none. So for these few bodies the whitening follows their orientation, sub-step by sub-step:
//!
//! ```text
//! integrate positions: R → R', L → L' with L'·L'ᵀ = R'·I⁻¹·R'ᵀ
//!     spin                  u' = L'⁻¹·w
//!     motion in the step    θ' = L'⁻¹·Σ h·w
//!     impulses so far       Δu' = L'ᵀ·J with J = L⁻ᵀ·Δu, for the extrapolated warm start
//! relax: rows of such a body get the Jacobians Lᵀ(r × n) and masses that belong to L'
//! ```
//!
//! The levers r stay those of the start of the step, as for all contacts: what rolls keeps its contact point where it is. All others
//! are as they were, bit by bit. In the plane the inertia is a number, and there is nothing to follow.

use super::pack::{Packed, Whiten, Whitening, plain_impulse, plain_spin, whiten_impulse, whiten_spin};
use crate::body::{BodyProps, BodyState};
use crate::math::*;
use core::ops::Range;

/// A body turns far if it turns by more than this in a step [rad]: below, its inertia is that of the start of the step to within a
/// tenth. Ordinary heaps stay below.
const FAR: Real = 0.3;

/// Half of the turn of a sub-step, at most [rad]: its tangent has a pole at a right angle.
const MOST_HALF_TURN: Real = 1.4;

/// What a body does in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Turn {
    /// Turns by little, or is alike about all axes.
    #[default]
    Little,
    /// Its inertia follows it; its spin is that of the integrator, or has precessed already.
    Follows,
    /// And it tumbles freely from one kick to the next.
    Tumbles,
}

impl Turn {
    /// Of a body in a step of length `dt` [s].
    #[inline]
    pub(super) fn of<D: Dim>(props: &BodyProps<D>, spin: D::Ang, dt: Real) -> Self {
        let is_far = D::ANGULAR == 3 && props.is_gyroscopic && props.is_dynamic;
        if is_far && spin.dot(spin) * (dt * dt) > FAR * FAR { Self::Follows } else { Self::Little }
    }
}

/// The whitenings of all bodies, with those that follow their bodies.
#[derive(Debug)]
pub(crate) struct Turning<'a, D: Dim> {
    /// Which bodies turn far; empty if none does.
    flags: &'a [Turn],
    props: &'a [BodyProps<D>],
    /// Of the start of the step.
    whitenings: &'a [Whitening],
    cholesky: fn(D::Inertia) -> Whitening,
}

impl<'a, D: Dim> Turning<'a, D> {
    pub(super) fn new(flags: &'a [Turn], props: &'a [BodyProps<D>], whitenings: &'a [Whitening]) -> Self
    where
        D: Whiten,
    {
        Self { flags, props, whitenings, cholesky: D::cholesky }
    }

    /// Number of bodies.
    pub(super) fn len(&self) -> usize {
        self.whitenings.len()
    }

    /// True if some body turns far.
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        !self.flags.is_empty()
    }

    /// True if the body in a slot turns far.
    #[inline]
    pub(super) fn has(&self, slot: usize) -> bool {
        self.flags.get(slot).is_some_and(|&turn| turn != Turn::Little)
    }

    /// True if the body in a slot tumbles freely between kicks.
    #[inline]
    pub(super) fn tumbles(&self, slot: usize) -> bool {
        self.flags.get(slot) == Some(&Turn::Tumbles)
    }

    /// L of a body with the given orientation.
    #[inline]
    pub(super) fn whitening(&self, slot: usize, rotation: D::Rot) -> Whitening {
        if self.has(slot) { self.turned(slot, rotation) } else { self.whitenings[slot] }
    }

    /// The same as the kernels have it.
    #[inline]
    pub(super) fn whitening_of<const S: usize>(&self, slot: usize, packed: &Packed<S>) -> Whitening {
        if self.has(slot) { self.turned(slot, packed.rotation::<D>()) } else { self.whitenings[slot] }
    }

    #[cold]
    #[inline(never)]
    fn turned(&self, slot: usize, rotation: D::Rot) -> Whitening {
        (self.cholesky)(self.inv_inertia(slot, rotation))
    }

    /// I⁻¹ of a body with the given orientation, world frame [1/(kg·m²)].
    pub(super) fn inv_inertia(&self, slot: usize, rotation: D::Rot) -> D::Inertia {
        let props = &self.props[slot];
        if !self.has(slot) {
            return props.inv_inertia;
        }
        let locks = crate::Locks::from_bits(props.locks);
        props.inertia.inverse().rotated(rotation).without_axes(locks.rotation)
    }

    /// The same as the kernels have it.
    pub(super) fn inv_inertia_of<const S: usize>(&self, slot: usize, packed: &Packed<S>) -> D::Inertia {
        let props = &self.props[slot];
        if self.has(slot) { self.inv_inertia(slot, packed.rotation::<D>()) } else { props.inv_inertia }
    }

    /// L of body `slot`, whose whitening at the start of the step is `first`. `ANY`: as [`Self::is_any`] says.
    ///
    /// PERF: where no body turns far, loops over bodies must not even ask: asking cost 6 % of a step of a thousand planks.
    #[inline(always)]
    pub(super) fn now<const ANY: bool>(&self, slot: usize, first: &Whitening, rotation: D::Rot) -> Whitening {
        if ANY && self.has(slot) { self.turned(slot, rotation) } else { *first }
    }

    /// Those of the start of the step.
    #[inline]
    pub(super) fn first(&self, slots: Range<usize>) -> &'a [Whitening] {
        &self.whitenings[slots]
    }

    /// Velocities back from the kernels.
    #[inline(always)]
    pub(super) fn unpack<const ANY: bool, const S: usize>(
        &self,
        from: usize,
        states: &mut [BodyState<D>],
        packed: &[Packed<S>],
        rotations: &[D::Rot],
    ) {
        let whitenings = self.first(from..from + states.len());
        let bodies = states.iter_mut().zip(packed).zip(whitenings).zip(rotations);
        for (i, (((state, packed), l), &rotation)) in bodies.enumerate() {
            let (v, u) = packed.velocity::<D>();
            (state.v, state.w) = (v, plain_spin::<D>(&self.now::<ANY>(from + i, l, rotation), u));
        }
    }

    /// The same, but bodies that nothing has pushed since they were packed keep the bits that the integrator gave them: its
    /// double precision counts on that.
    pub(super) fn unpack_changed<const S: usize>(
        &self,
        from: usize,
        states: &mut [BodyState<D>],
        (packed, after): (&[Packed<S>], &[[f32; 6]]),
        rotations: &[D::Rot],
    ) {
        for (i, ((state, packed), after)) in states.iter_mut().zip(packed).zip(after).enumerate() {
            let (v, u) = packed.velocity::<D>();
            let same =
                (0..D::N).all(|i| v.get(i) == after[i]) && (0..D::ANGULAR).all(|i| u[i] == after[3 + i]);
            if !same {
                (state.v, state.w) = (v, plain_spin::<D>(&self.whitening(from + i, rotations[i]), u));
            }
        }
    }

    /// Before a body turns: its spin in place of the whitened one, and what impulses did to it as an angular impulse in place of the spin
    /// after the last integration. If it tumbles, the spin that it will have at the end, in its own frame, and `state` gets that of the
    /// middle, with which it turns.
    #[cold]
    #[inline(never)]
    pub(super) fn lift<const S: usize>(
        &self,
        slot: usize,
        packed: &mut Packed<S>,
        after: &mut [f32; 6],
        (state, rotation): (&mut BodyState<D>, D::Rot),
        h: Real,
    ) {
        let l = self.turned(slot, rotation);
        let (v, u) = packed.velocity::<D>();
        let impulse = plain_impulse(&l, [u[0] - after[3], u[1] - after[4], u[2] - after[5]]);
        let mut w = plain_spin::<D>(&l, u);
        if self.tumbles(slot) {
            let own = rotation.inverse().rotate_ang(w);
            let (sin, cos) = sin_cos((0.5 * h * w.length()).min(MOST_HALF_TURN));
            let stretched = if w == D::Ang::ZERO { h } else { 2.0 * sin / (cos * w.length()) };
            w = self.props[slot].inertia.gyroscopic(D::Rot::IDENTITY, own, stretched);
            state.w = rotation.rotate_ang((own + w) * 0.5);
        }
        packed.set_velocity::<D>(v, [0, 1, 2].map(|i| w.get(i)));
        after[3..].copy_from_slice(&impulse);
    }

    /// After it has turned: back, with the inertia of its new orientation.
    #[cold]
    #[inline(never)]
    pub(super) fn land<const S: usize>(
        &self,
        slot: usize,
        packed: &mut Packed<S>,
        after: &mut [f32; 6],
        (state, rotation): (&BodyState<D>, D::Rot),
    ) {
        let l = self.turned(slot, rotation);
        let (v, spin) = packed.velocity::<D>();
        let (mut w, mut impulse) = (D::Ang::ZERO, D::Ang::ZERO);
        for i in 0..D::ANGULAR {
            w.set(i, spin[i]);
            impulse.set(i, after[3 + i]);
        }
        if self.tumbles(slot) {
            w = rotation.rotate_ang(w);
        }
        let (u, done) = (whiten_spin::<D>(&l, w), whiten_impulse::<D>(&l, impulse));
        packed.set_velocity::<D>(v, u);
        packed.set_turn::<D>(whiten_spin::<D>(&l, state.dr));
        (0..3).for_each(|i| after[3 + i] = u[i] - done[i]);
    }
}
