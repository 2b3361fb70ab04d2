//! The stages of the sub-steps, one function each. What comes when, and who does which piece, is said in `plan.rs`.
//!
//! **Integration.** Bodies leave their packed form for it: the integrator is any. It kicks before it drifts, so positions move with
//! the velocities that the biased pass has left, and the relaxing pass works on what they are afterwards.
//!
//! **Warm start by extrapolation.** What all impulses of the last sub-step did to a body, v_end − v_(after integration), is added again once
//! its velocity is integrated (`velocities.rs`): the Jacobians are frozen, so that is exactly what the impulses would do.
//!
//! **Spinning tops.** The gyroscopic torque belongs to the spin in the middle of the sub-step: half of what impulses did to the spin
//! is handed to the integrator and taken back afterwards (see `half_of_impulses`).

use super::dispatch::{Pass, Refresh, RowRun};
use super::joints::{
    self, Direct, DirectRun, JointPass, JointScene, SingleRow, SingleRun, StarRun, Stars, WideDim,
};
use super::kernel::PassParams;
use super::landings;
use super::lanes::SimdWidth;
use super::pack::{Packed, half_of_impulses, whiten_spin};
use super::plan::Stage;
use super::rolling::Rolling;
use super::rows::{ColdRow, FrictionRow, Row};
use super::turning::Turning;
use super::velocities::extrapolate;
use crate::Settings;
use crate::body::{BodyBlock, BodyProps, BodyState, clamp_spins};
use crate::contact::Contact;
use crate::force::Forces;
use crate::integrator::{Integrator, Track};
use crate::math::*;
use crate::trusted::{Alike, Crowd, Job, Mine, Part};
use core::marker::PhantomData;

/// What the sub-steps read.
pub(super) struct Substeps<
    'a,
    'f,
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    pub(super) stages: &'a [Stage],
    pub(super) settings: &'a Settings<D>,
    pub(super) integrator: &'a dyn Integrator<D>,
    pub(super) props: &'a [BodyProps<D>],
    pub(super) turning: &'a Turning<'a, D>,
    pub(super) refresh: Refresh<'a, D, S>,
    pub(super) params: PassParams,
    pub(super) joints: &'a JointScene<'a, D>,
    /// Some contacts land or have landed.
    pub(super) lands: bool,
    pub(super) rolling: Rolling<'a, D>,
    /// The integrator has tracks of its own.
    pub(super) is_tracked: bool,
    /// Length of a sub-step [s].
    pub(super) h: Real,
    pub(super) width: SimdWidth,
    /// How long force generators live.
    pub(super) forces: PhantomData<&'f ()>,
}

/// What only stages of one piece write.
pub(super) struct Rest<'a, D: Dim> {
    pub(super) forces: Option<Forces<'a, D>>,
    pub(super) direct: Direct<D>,
    pub(super) stars: Stars<D>,
}

/// State, velocities right after the last integration, and tracks of bodies.
type Bodies<D> = (BodyState<D>, [f32; 6], Track<D>);
type BodiesPart<'p, D> = <Bodies<D> as Alike>::Part<'p>;

impl<
    'f,
    D: WideDim<Packed = Packed<S>> + Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> Job for Substeps<'_, 'f, D, N, A, P, T, K, S>
{
    type Bodies = Bodies<D>;
    type Rotation = D::Rot;
    type Packed = Packed<S>;
    type Rows = (Row<N, A, P>, FrictionRow<A, T, K, P>, ColdRow);
    type Contact = Contact<D>;
    type Joints = (D::JointRow, D::JointExtra, joints::Cold);
    type Single = SingleRow<D>;
    type Rest = Rest<'f, D>;

    fn piece(&self, stage: usize, part: Part<'_, Self>) {
        match (self.stages[stage], part) {
            (Stage::IntegrateVelocities { first }, Part::Bodies { from, bodies, rotations, packed }) => {
                self.integrate_velocities(from, bodies, rotations, packed, first);
            }
            (Stage::IntegratePositions, Part::Bodies { from, bodies, rotations, packed }) => {
                self.integrate_positions(from, bodies, rotations, packed);
            }
            (Stage::IntegrateForced { first }, Part::All { bodies, rotations, packed, rest }) => {
                self.integrate_forced(bodies, rotations, packed, &mut rest.forces, first);
            }
            (Stage::Rows(pass), Part::Rows { rows: (rows, friction, cold), mut crowd, mut contacts }) => {
                self.forget(pass, (rows, friction, cold, 0), &mut crowd, &mut contacts);
                self.refresh(pass, (rows, friction, cold, 0), &crowd, &mut contacts);
                self.pass(pass, (rows, friction, 0), &mut crowd);
                self.settle(pass, (rows, 0), &mut crowd);
                self.rolling.pass((rows, cold, 0), &mut crowd, &mut contacts, pass);
            }
            (Stage::Overflow(pass), Part::Rows { rows: (rows, friction, cold), crowd, contacts }) => {
                self.overflow(pass, (rows, friction, cold), crowd, contacts);
            }
            (Stage::Joints(pass), Part::Joints { rows, crowd, singles, single_crowd, rotations }) => {
                let (rows, extras, cold) = rows;
                let (h, width) = (self.h, self.width);
                if !rows.is_empty() {
                    if pass == JointPass::Relax && self.turning.is_any() {
                        let turning = self.turning;
                        D::turn_joint_rows(joints::TurnRun { rows: &mut *rows, crowd: &crowd, turning });
                    }
                    let push_speed = self.settings.joint_push_speed;
                    D::run_joint_rows(joints::RowRun {
                        rows,
                        extras,
                        cold,
                        crowd,
                        h,
                        push_speed,
                        pass,
                        width,
                    });
                }
                let turning = self.turning;
                SingleRun { rows: singles, crowd: single_crowd, rotations, turning, h }.run(pass);
            }
            (Stage::Direct(pass), Part::All { rotations, packed, rest, .. }) => {
                self.direct(pass, rotations, packed, &mut rest.direct);
            }
            (Stage::Stars(pass), Part::All { rotations, packed, rest, .. }) => {
                let (bodies, turning) = (packed, self.turning);
                rest.stars.run(StarRun { bodies, rotations, turning, h: self.h }, pass);
            }
            _ => {}
        }
    }
}

impl<D: Dim, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize>
    Substeps<'_, '_, D, N, A, P, T, K, S>
{
    fn integrate_velocities(
        &self,
        from: usize,
        (states, after, tracks): BodiesPart<'_, D>,
        rotations: &mut [D::Rot],
        packed: &mut [Packed<S>],
        first: bool,
    ) {
        let (props, turning) = (&self.props[from..from + states.len()], self.turning);
        let mut copy = None;
        let whitenings = turning.of_piece(from..from + states.len(), &mut copy);
        // Not for integrators with tracks of their own: they count on the bits of the spin they gave.
        let is_halved = !self.is_tracked && !first;
        if self.is_tracked {
            turning.unpack_changed(from, states, (packed, after));
        } else {
            Turning::unpack(states, packed, whitenings);
        }
        if is_halved {
            for (i, state) in states.iter_mut().enumerate() {
                if props[i].is_gyroscopic {
                    state.w += half_of_impulses::<D, S>(&packed[i], &after[i], &whitenings[i]);
                }
            }
        }
        let mut block = BodyBlock { settings: self.settings, states, rotations, props, tracks };
        self.integrator.integrate_velocities(&mut block, self.h);
        for (i, state) in block.states.iter_mut().enumerate() {
            let l = &whitenings[i];
            if is_halved && props[i].is_gyroscopic {
                state.w -= half_of_impulses::<D, S>(&packed[i], &after[i], l);
            }
            extrapolate::<D, S>(&mut packed[i], &mut after[i], state, l, first);
        }
        turning.lead(from, (packed, after), block.rotations, self.h);
    }

    /// Force generators see all bodies at once.
    fn integrate_forced(
        &self,
        (states, after, tracks): BodiesPart<'_, D>,
        rotations: &mut [D::Rot],
        packed: &mut [Packed<S>],
        forces: &mut Option<Forces<'_, D>>,
        first: bool,
    ) {
        self.turning.unpack_changed(0, states, (packed, after));
        let mut block = BodyBlock { settings: self.settings, states, rotations, props: self.props, tracks };
        if let Some(forces) = forces {
            self.integrator.integrate_velocities_under(&mut block, forces, self.h);
            forces.advance(self.h);
        }
        for (i, state) in block.states.iter().enumerate() {
            let l = self.turning.whitening(i);
            extrapolate::<D, S>(&mut packed[i], &mut after[i], state, &l, first);
        }
        self.turning.lead(0, (&mut packed[..self.turning.len()], after), block.rotations, self.h);
    }

    fn integrate_positions(
        &self,
        from: usize,
        (states, after, tracks): BodiesPart<'_, D>,
        rotations: &mut [D::Rot],
        packed: &mut [Packed<S>],
    ) {
        let (props, turning) = (&self.props[from..from + states.len()], self.turning);
        if self.is_tracked {
            turning.unpack_changed(from, states, (packed, after));
        } else {
            let mut copy = None;
            Turning::unpack(states, packed, turning.of_piece(from..from + states.len(), &mut copy));
        }
        // Motors, springs and contacts have acted since the integrator limited the spins.
        clamp_spins(states, props, self.settings, self.h, |i, state| {
            packed[i].set_velocity::<D>(state.v, whiten_spin::<D>(&turning.whitening(from + i), state.w));
        });
        turning.lift(from, (packed, after), (states, rotations), self.h);
        let mut block = BodyBlock { settings: self.settings, states, rotations, props, tracks };
        self.integrator.integrate_positions(&mut block, self.h);
        for ((state, &rotation), packed) in block.states.iter().zip(block.rotations.iter()).zip(&mut *packed)
        {
            packed.advance::<D>(state, self.h);
            packed.set_rotation::<D>(rotation);
        }
        turning.land(from, (packed, after), (block.states, block.rotations));
    }

    /// Before the relaxing pass, bodies have turned: rows `first..` of the crowd are brought up to date where that counts.
    #[inline]
    fn refresh(
        &self,
        pass: Pass,
        (rows, friction, cold, first): (
            &mut [Row<N, A, P>],
            &mut [FrictionRow<A, T, K, P>],
            &[ColdRow],
            usize,
        ),
        crowd: &Crowd<'_, Packed<S>>,
        contacts: &mut Mine<'_, Contact<D>>,
    ) {
        if pass != Pass::Relax || !self.turning.is_any() {
            return;
        }
        for (i, ((row, friction), cold)) in rows.iter_mut().zip(friction).zip(cold).enumerate() {
            if row.turns != 0 {
                self.refresh.row((row, friction, cold), (crowd, first + i), contacts);
            }
        }
    }

    /// Before a sub-step is solved: blows of the last one are not repeated in rows `first..` of the crowd.
    #[inline]
    fn forget(
        &self,
        pass: Pass,
        rows: (&mut [Row<N, A, P>], &mut [FrictionRow<A, T, K, P>], &[ColdRow], usize),
        crowd: &mut Crowd<'_, Packed<S>>,
        contacts: &mut Mine<'_, Contact<D>>,
    ) {
        if pass == Pass::Solve && self.lands {
            landings::forget(rows, crowd, contacts, self.joints.warm);
        }
    }

    /// After the relaxing pass: nothing of a blow is left in rows `first..` of the crowd.
    #[inline]
    fn settle(&self, pass: Pass, rows: (&mut [Row<N, A, P>], usize), crowd: &mut Crowd<'_, Packed<S>>) {
        if pass == Pass::Relax && self.lands {
            landings::settle(rows, crowd, self.params.inv_h);
        }
    }

    /// One pass over rows `first..` of the crowd.
    fn pass(
        &self,
        pass: Pass,
        (rows, friction, first): (&mut [Row<N, A, P>], &mut [FrictionRow<A, T, K, P>], usize),
        crowd: &mut Crowd<'_, Packed<S>>,
    ) {
        self.width.run(RowRun { rows, friction, crowd, first, params: self.params, pass });
    }

    /// Rows of one contact, one after the other. Only here bodies may be locked along some axes: the wide rows do not know such masses,
    /// so what they have put into locked axes is taken out again.
    fn overflow(
        &self,
        pass: Pass,
        (rows, friction, cold): (&mut [Row<N, A, P>], &mut [FrictionRow<A, T, K, P>], &[ColdRow]),
        mut crowd: Crowd<'_, Packed<S>>,
        mut contacts: Mine<'_, Contact<D>>,
    ) {
        for i in 0..rows.len() {
            let row = i..i + 1;
            let blows = (&mut rows[row.clone()], &mut friction[row.clone()], &cold[row.clone()], i);
            self.forget(pass, blows, &mut crowd, &mut contacts);
            let up_to_date = (&mut rows[row.clone()], &mut friction[row.clone()], &cold[row.clone()], i);
            self.refresh(pass, up_to_date, &crowd, &mut contacts);
            self.pass(pass, (&mut rows[row.clone()], &mut friction[row.clone()], i), &mut crowd);
            self.settle(pass, (&mut rows[row.clone()], i), &mut crowd);
            self.rolling.pass((&rows[row.clone()], &cold[row], i), &mut crowd, &mut contacts, pass);
            for side in 0..2 {
                let slot = crowd.ends()[i].slots[side][0] as usize;
                let Some(props) = self.props.get(slot).filter(|props| props.is_partly_locked()) else {
                    continue;
                };
                if let Some(body) = crowd.get_mut(i, side, 0) {
                    (0..N).filter(|axis| props.locks >> axis & 1 == 1).for_each(|axis| body.0[axis] = 0.0);
                }
            }
        }
    }

    /// All joints of a group at once.
    fn direct(
        &self,
        pass: JointPass,
        rotations: &[D::Rot],
        packed: &mut [Packed<S>],
        direct: &mut Direct<D>,
    ) {
        let turning = self.turning;
        let bodies = &mut packed[..turning.len()];
        let run = DirectRun { bodies, rotations, turning, scene: self.joints };
        direct.run(run, pass, self.width);
    }
}
