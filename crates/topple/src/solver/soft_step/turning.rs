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
//! Joints are pickier than contacts: what they hold turns with the body, so a lag has one sign and adds up. Bodies on joints without limits
//! follow from a much smaller turn on, and others on joints get the inertia of the middle of the step ([`turn_halfway`]).
//!
//! The levers r stay those of the start of the step, as for all contacts: what rolls keeps its contact point where it is. All others
//! keep the inertia of the start. In the plane the inertia is a number, and there is nothing to follow.

use super::pack::{Packed, Whiten, Whitening, plain_impulse, plain_spin, whiten_impulse, whiten_spin};
use super::plan::BODIES_PER_PIECE;
use crate::body::{BodyProps, BodyState};
use crate::math::*;
use crate::solver::SolverContext;
use crate::store::room;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

/// A body turns far if it turns by more than this in a step [rad]: below, its inertia is that of the start of the step to within a
/// tenth. Ordinary heaps stay below.
const FAR: Real = 0.3;

/// The same for bodies that hang on joints without limits and touch nothing [rad]. What a joint has to hold turns with its body, so answers with an inertia
/// of another orientation add up, turn after turn: at 0.08 rad a rod on a hinge became twice as fast in ten seconds.
const FAR_ON_JOINTS: Real = 0.02;

/// What turns by less than this in a step has the inertia of its start, joints or not [rad]: the difference is rounding.
const HARDLY: Real = 1e-4;

/// Half of the turn of a sub-step, at most [rad]: its tangent has a pole at a right angle.
const MOST_HALF_TURN: Real = 1.4;

/// Whitenings of a piece in which some bodies turn far; see [`Turning::of_piece`].
pub(super) type PieceCopy = Option<[Whitening; BODIES_PER_PIECE]>;

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
    /// The same, or that of a body that turns far whatever holds it, in a step of length `dt` [s].
    #[inline]
    pub(super) fn or_far<D: Dim>(self, props: &BodyProps<D>, spin: D::Ang, dt: Real) -> Self {
        if turns_by(FAR, props, spin, dt) { Self::Follows } else { self }
    }
}

/// True if a body is not alike about its axes and turns by more than an angle [rad] in a step of length `dt` [s].
#[inline]
fn turns_by<D: Dim>(angle: Real, props: &BodyProps<D>, spin: D::Ang, dt: Real) -> bool {
    let is_uneven = D::ANGULAR == 3 && props.is_gyroscopic && props.is_dynamic;
    is_uneven && spin.dot(spin) * (dt * dt) > angle * angle
}

/// Gives a body that hangs on joints, and whose inertia does not follow it, that of the orientation in the middle of its kicks: they stand at
/// the starts of the sub-steps, the last of them one sub-step `h` [s] before the end of the step `dt` [s]. With the inertia of the first
/// of them all errors would have the same sign.
#[inline]
pub(super) fn turn_halfway<D: Dim>(
    props: &mut BodyProps<D>,
    rotation: D::Rot,
    spin: D::Ang,
    (h, dt): (Real, Real),
) {
    if props.is_joined && turns_by(HARDLY, props, spin, dt - h) {
        let locks = crate::Locks::from_bits(props.locks);
        let halfway = rotation.integrate(spin * (0.5 * (dt - h)));
        props.inv_inertia = props.inertia.inverse().rotated(halfway).without_axes(locks.rotation);
    }
}

/// True if the body in a slot turns far; `flags` are empty if none does.
#[inline]
pub(super) fn is_far(flags: &[Turn], slot: u32) -> bool {
    flags.get(slot as usize).is_some_and(|&turn| turn != Turn::Little)
}

/// The bodies that turn far in a step; lives from step to step to keep its memory.
#[derive(Debug, Default)]
pub(super) struct Turners {
    /// What each body does.
    pub(super) flags: Vec<Turn>,
    /// Slots of those that turn far, in ascending order.
    slots: Vec<u32>,
    /// Their whitenings as they are turned now.
    now: Vec<Now>,
}

impl Turners {
    /// Finds those that hang on a joint without limits, touch nothing and turn by more than [`FAR_ON_JOINTS`].
    pub(super) fn find<D: Dim>(&mut self, context: &SolverContext<'_, D>) {
        let bodies = &*context.bodies;
        let flags = &mut self.flags;
        flags.clear();
        room::fit(flags, bodies.len(), Turn::Little);
        let turns = |slot: usize| {
            let props = &bodies.props[slot];
            props.is_joined && turns_by(FAR_ON_JOINTS, props, bodies.states[slot].w, context.dt)
        };
        // Not for what is solved at once: see `JointRows::leave_links`.
        if D::ANGULAR != 3 || context.is_direct || !(0..bodies.len()).any(turns) {
            return;
        }
        // PERF: what has limits is held by them before long. Ragdolls that fall would all follow, at an eighth of the step.
        for joint in context.joint_order().map(|joint| &context.joints[joint as usize]) {
            for slot in joint.bodies.map(|body| bodies.slot(body) as usize) {
                if slot < flags.len() && !joint.has_limits() && turns(slot) {
                    flags[slot] = Turn::Follows;
                }
            }
        }
        // PERF: contacts of what turns far are prepared again in every sub-step, and what touches loses more than it could gain.
        for contact in context.contact_order() {
            for slot in context.slots(&context.contacts[contact as usize]) {
                if let Some(flag) = flags.get_mut(slot as usize) {
                    *flag = Turn::Little;
                }
            }
        }
    }

    /// Lists those that have a flag: `is_any` says whether there may be any.
    pub(super) fn list(&mut self, is_any: bool, whitenings: &[Whitening]) {
        self.slots.clear();
        if !is_any {
            return;
        }
        let flags = self.flags.iter().enumerate();
        for slot in flags.filter(|&(_, &turn)| turn != Turn::Little).map(|(slot, _)| slot) {
            room::push(&mut self.slots, slot as u32);
            if self.now.len() < self.slots.len() {
                room::push(&mut self.now, Now::default());
            }
            let now = &self.now[self.slots.len() - 1];
            now.set(&whitenings[slot]);
            write(&now.lead, &[0.0; 3]);
        }
    }

    /// What each body does; empty if none turns far.
    pub(super) fn flags(&self) -> &[Turn] {
        if self.slots.is_empty() { &[] } else { &self.flags }
    }

    /// Slots of those that turn far, in ascending order, and what all do.
    pub(super) fn split(&mut self) -> (&[u32], &mut [Turn]) {
        (&self.slots, &mut self.flags)
    }
}

/// L of a body that turns far, as it is now. Written by the piece that turns the body, read by rows after the barrier of that stage: no
/// two threads meet here, the words are atomic only to be shared.
#[derive(Debug, Default)]
struct Now {
    whitening: [AtomicU32; 6],
    /// How much its spin is that of the middle of its free turn, for the joints that hold it [rad/s].
    lead: [AtomicU32; 3],
}

fn read<const N: usize>(words: &[AtomicU32; N]) -> [f32; N] {
    words.each_ref().map(|word| f32::from_bits(word.load(Ordering::Relaxed)))
}

fn write<const N: usize>(words: &[AtomicU32; N], values: &[f32; N]) {
    words.iter().zip(values).for_each(|(word, x)| word.store(x.to_bits(), Ordering::Relaxed));
}

impl Now {
    #[inline]
    fn get(&self) -> Whitening {
        read(&self.whitening)
    }

    #[inline]
    fn set(&self, l: &Whitening) {
        write(&self.whitening, l);
    }
}

/// The whitenings of all bodies, with those that follow their bodies.
#[derive(Debug)]
pub(crate) struct Turning<'a, D: Dim> {
    /// Which bodies turn far; empty if none does.
    flags: &'a [Turn],
    /// Those bodies, in ascending order.
    slots: &'a [u32],
    /// Their whitenings.
    now: &'a [Now],
    props: &'a [BodyProps<D>],
    /// Of the start of the step.
    whitenings: &'a [Whitening],
    cholesky: fn(D::Inertia) -> Whitening,
}

impl<'a, D: Dim> Turning<'a, D> {
    pub(super) fn new(turners: &'a Turners, props: &'a [BodyProps<D>], whitenings: &'a [Whitening]) -> Self
    where
        D: Whiten,
    {
        let (flags, slots, now) = (turners.flags(), &turners.slots[..], &turners.now[..]);
        Self { flags, slots, now, props, whitenings, cholesky: D::cholesky }
    }

    /// Number of bodies.
    pub(super) fn len(&self) -> usize {
        self.whitenings.len()
    }

    /// True if some body turns far.
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        !self.slots.is_empty()
    }

    /// True if the body in a slot turns far.
    #[inline]
    pub(super) fn has(&self, slot: usize) -> bool {
        is_far(self.flags, slot as u32)
    }

    /// Those of some bodies that turn far: their places in the list.
    #[inline]
    fn among(&self, slots: Range<usize>) -> Range<usize> {
        if self.slots.is_empty() {
            return 0..0;
        }
        let below = |end: usize| self.slots.partition_point(|&slot| (slot as usize) < end);
        below(slots.start)..below(slots.end)
    }

    /// L of a body as it is turned now.
    #[inline]
    pub(super) fn whitening(&self, slot: usize) -> Whitening {
        if self.has(slot) { self.listed(slot) } else { self.whitenings[slot] }
    }

    #[cold]
    #[inline(never)]
    fn listed(&self, slot: usize) -> Whitening {
        self.slots.binary_search(&(slot as u32)).map_or(self.whitenings[slot], |at| self.now[at].get())
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

    /// L of the bodies of a piece as they are turned now; `copy` is for pieces in which some turn far.
    ///
    /// PERF: loops over bodies must not ask each whether it turns far: asking cost 6 % of a step of a thousand planks.
    #[inline]
    pub(super) fn of_piece<'s>(&'s self, slots: Range<usize>, copy: &'s mut PieceCopy) -> &'s [Whitening] {
        let far = self.among(slots.clone());
        let first = &self.whitenings[slots.clone()];
        if far.is_empty() {
            return first;
        }
        let copy = &mut copy.insert([[0.0; 6]; BODIES_PER_PIECE])[..first.len()];
        copy.copy_from_slice(first);
        for at in far {
            copy[self.slots[at] as usize - slots.start] = self.now[at].get();
        }
        copy
    }

    /// Velocities back from the kernels, with the whitenings of the piece.
    #[inline(always)]
    pub(super) fn unpack<const S: usize>(
        states: &mut [BodyState<D>],
        packed: &[Packed<S>],
        whitenings: &[Whitening],
    ) {
        for ((state, packed), l) in states.iter_mut().zip(packed).zip(whitenings) {
            let (v, u) = packed.velocity::<D>();
            (state.v, state.w) = (v, plain_spin::<D>(l, u));
        }
    }

    /// The same, but bodies that nothing has pushed since they were packed keep the bits that the integrator gave them: its
    /// double precision counts on that.
    pub(super) fn unpack_changed<const S: usize>(
        &self,
        from: usize,
        states: &mut [BodyState<D>],
        (packed, after): (&[Packed<S>], &[[f32; 6]]),
    ) {
        for (i, ((state, packed), after)) in states.iter_mut().zip(packed).zip(after).enumerate() {
            let (v, u) = packed.velocity::<D>();
            let same =
                (0..D::N).all(|i| v.get(i) == after[i]) && (0..D::ANGULAR).all(|i| u[i] == after[3 + i]);
            if !same {
                (state.v, state.w) = (v, plain_spin::<D>(&self.whitening(from + i), u));
            }
        }
    }

    /// What the spin of a body that tumbles will be after a sub-step without impulses, in its own frame, and what it is now.
    fn tumbled(&self, slot: usize, rotation: D::Rot, w: D::Ang, h: Real) -> (D::Ang, D::Ang) {
        let own = rotation.inverse().rotate_ang(w);
        let (sin, cos) = sin_cos((0.5 * h * w.length()).min(MOST_HALF_TURN));
        let stretched = if w == D::Ang::ZERO { h } else { 2.0 * sin / (cos * w.length()) };
        (self.props[slot].inertia.gyroscopic(D::Rot::IDENTITY, own, stretched), own)
    }

    /// At the start of a sub-step, bodies that tumble and hang on joints get the spin of the middle of their free turn, with which they will
    /// turn: joints see where they will be. `lift` takes it back. Else anchors beside the centre of mass would miss each other by half a
    /// sub-step of that acceleration, and closing the gap would take energy.
    pub(super) fn lead<const S: usize>(
        &self,
        from: usize,
        (packed, after): (&mut [Packed<S>], &mut [[f32; 6]]),
        rotations: &[D::Rot],
        h: Real,
    ) {
        for at in self.among(from..from + packed.len()) {
            let slot = self.slots[at] as usize;
            if self.flags[slot] == Turn::Tumbles && self.props[slot].is_joined {
                let i = slot - from;
                self.lead_one(at, (&mut packed[i], &mut after[i]), rotations[i], h);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn lead_one<const S: usize>(
        &self,
        at: usize,
        (packed, after): (&mut Packed<S>, &mut [f32; 6]),
        rotation: D::Rot,
        h: Real,
    ) {
        let (slot, l) = (self.slots[at] as usize, self.now[at].get());
        let (v, u) = packed.velocity::<D>();
        let w = plain_spin::<D>(&l, u);
        let (then, own) = self.tumbled(slot, rotation, w, h);
        let lead = rotation.rotate_ang((then - own) * 0.5);
        write(&self.now[at].lead, &[0, 1, 2].map(|i| lead.get(i)));
        let more = whiten_spin::<D>(&l, lead);
        packed.set_velocity::<D>(v, [0, 1, 2].map(|i| u[i] + more[i]));
        (0..3).for_each(|i| after[3 + i] += more[i]);
    }

    /// Before the bodies of a piece turn: those that turn far get their spin in place of the whitened one, and what impulses did to it as an
    /// angular impulse in place of the spin after the last integration. If one tumbles, the spin that it will have at the end, in its own
    /// frame, and its state gets that of the middle, with which it turns.
    #[inline]
    pub(super) fn lift<const S: usize>(
        &self,
        from: usize,
        (packed, after): (&mut [Packed<S>], &mut [[f32; 6]]),
        (states, rotations): (&mut [BodyState<D>], &[D::Rot]),
        h: Real,
    ) {
        for at in self.among(from..from + states.len()) {
            let slot = self.slots[at] as usize;
            let i = slot - from;
            self.lift_one(at, (&mut packed[i], &mut after[i]), (&mut states[i], rotations[i]), h);
        }
    }

    #[cold]
    #[inline(never)]
    fn lift_one<const S: usize>(
        &self,
        at: usize,
        (packed, after): (&mut Packed<S>, &mut [f32; 6]),
        (state, rotation): (&mut BodyState<D>, D::Rot),
        h: Real,
    ) {
        let (slot, l) = (self.slots[at] as usize, self.now[at].get());
        let (v, u) = packed.velocity::<D>();
        let impulse = plain_impulse(&l, [u[0] - after[3], u[1] - after[4], u[2] - after[5]]);
        let mut w = plain_spin::<D>(&l, u);
        if self.flags[slot] == Turn::Tumbles {
            let lead = read(&self.now[at].lead);
            (0..D::ANGULAR).for_each(|i| w.set(i, w.get(i) - lead[i]));
            let (then, own) = self.tumbled(slot, rotation, w, h);
            w = then;
            state.w = rotation.rotate_ang((own + w) * 0.5);
        }
        packed.set_velocity::<D>(v, [0, 1, 2].map(|i| w.get(i)));
        after[3..].copy_from_slice(&impulse);
    }

    /// After they have turned: back, with the inertia of their new orientations.
    #[inline]
    pub(super) fn land<const S: usize>(
        &self,
        from: usize,
        (packed, after): (&mut [Packed<S>], &mut [[f32; 6]]),
        (states, rotations): (&[BodyState<D>], &[D::Rot]),
    ) {
        for at in self.among(from..from + states.len()) {
            let slot = self.slots[at] as usize;
            let i = slot - from;
            self.land_one(at, (&mut packed[i], &mut after[i]), (&states[i], rotations[i]));
        }
    }

    #[cold]
    #[inline(never)]
    fn land_one<const S: usize>(
        &self,
        at: usize,
        (packed, after): (&mut Packed<S>, &mut [f32; 6]),
        (state, rotation): (&BodyState<D>, D::Rot),
    ) {
        let slot = self.slots[at] as usize;
        let l = (self.cholesky)(self.inv_inertia(slot, rotation));
        self.now[at].set(&l);
        let (v, spin) = packed.velocity::<D>();
        let (mut w, mut impulse) = (D::Ang::ZERO, D::Ang::ZERO);
        for i in 0..D::ANGULAR {
            w.set(i, spin[i]);
            impulse.set(i, after[3 + i]);
        }
        if self.flags[slot] == Turn::Tumbles {
            w = rotation.rotate_ang(w);
        }
        let (u, done) = (whiten_spin::<D>(&l, w), whiten_impulse::<D>(&l, impulse));
        packed.set_velocity::<D>(v, u);
        packed.set_turn::<D>(whiten_spin::<D>(&l, state.dr));
        (0..3).for_each(|i| after[3 + i] = u[i] - done[i]);
    }
}
