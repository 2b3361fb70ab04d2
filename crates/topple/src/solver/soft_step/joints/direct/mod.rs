//! The joints of a group that bears much, all at once.
//!
//! Sweeps carry a load through a chain one joint at a time, so a long or heavy chain stretches. Here the impulses x of all hard
//! rows of a group come from one linear system, A·x = −(Ċ + e + r·C) with A = J·M⁻¹·Jᵀ, by elimination along the joints
//! (`order.rs`, `factor.rs`): exact, and linear in their number for chains and trees [Baraff1996]. Springs, motors and limits are rows of
//! the same system (`axis.rs`); which limits are reached is found by trial. Loops may contradict themselves, and are left to sweeps.
//!
//! Nothing is started from the last impulses: what they did, and what extrapolation repeats of it, is taken out first.
//!
//! **Tension turns light links.** The pull p of a joint at the lever r turns its body back to where it points: a torque of
//! stiffness k = p·r about the axes across r. Light links under a heavy end would vibrate faster than the sub-steps can
//! follow, and explode [Andrews2017]. With the inertia I + κ·h²·k in place of I their frequency is at most 1/(√κ·h), and
//! the sub-step h is stable for κ > 1/4, whatever the load. The term is that of light links, and small where they are
//! resolved. What vibrates all the same is damped between neighbours, so that a swing of the whole is not.
//!
//! A rod or rope of length l turns on both ends, and pulls light bodies between heavy ones back like a string: a stiffness p/(h·l) of what its ends move
//! against each other across it. Its mass of tension κ·h·p/l is one between two bodies, μ·J⊥ᵀ·J⊥, and is brought in by rows across the line,
//! Ċ + λ/μ = Ċ of before: what moves as a whole does not feel it.
//!
//! **Files**: `order.rs` what couples with what, `factor.rs` the elimination, `link.rs` rows of a joint, `axis.rs` what acts in it,
//! `collect.rs` both of them from the joint, `group.rs` the passes, `tension.rs` what tension adds.

mod axis;
mod collect;
mod factor;
mod group;
mod link;
mod order;
mod tension;

use super::crowding::Crowding;
use super::single::SingleRow;
use super::{JointPass, JointScene};
use crate::joint::JointKind;
use crate::math::*;
use crate::solver::SimdWidth;
use crate::solver::soft_step::lanes::{Kernel, Lanes};
use crate::solver::soft_step::pack::Packed;
use crate::solver::soft_step::turning::Turning;
use group::Group;
use order::Order;

/// What a pass works on.
pub(crate) struct DirectRun<'a, D: Dim, const S: usize> {
    pub bodies: &'a mut [Packed<S>],
    pub rotations: &'a [D::Rot],
    pub turning: &'a Turning<'a, D>,
    pub scene: &'a JointScene<'a, D>,
}

/// The joints of a group.
#[derive(Debug)]
pub(crate) struct Direct<D: Dim> {
    rows: Vec<SingleRow<D>>,
    order: Order,
    /// Blocks of three rows if no joint has more, of six otherwise.
    three: Group<D, 3>,
    six: Group<D, 6>,
    is_three: bool,
}

impl<D: Dim> Default for Direct<D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            order: Order::default(),
            three: Group::default(),
            six: Group::default(),
            is_three: false,
        }
    }
}

impl<D: Dim> Direct<D> {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn add(&mut self, row: SingleRow<D>) {
        self.rows.push(row);
    }

    /// The joints, with their impulses.
    pub(super) fn rows(&self) -> &[SingleRow<D>] {
        &self.rows
    }

    /// Prepares all joints. False if they cannot be solved this way.
    pub(super) fn prepare(&mut self, scene: &JointScene<'_, D>) -> bool {
        // Springs that meet are solved together: they need not make way for each other.
        let crowding = Crowding::default();
        self.rows.iter_mut().for_each(|row| row.prepare(scene, &crowding));
        self.order.update(self.rows.iter().map(SingleRow::dynamic_ends), scene.props.len());
        if self.order.is_refused || !self.rows.iter().all(|row| row.joint.fits_at_once()) {
            return false;
        }
        let is_point = |row: &SingleRow<D>| {
            row.joint.is_plain_ball() || matches!(row.joint.kind, JointKind::Distance(_))
        };
        self.is_three = D::N == 2 || self.rows.iter().all(is_point);
        if self.is_three {
            self.three.prepare(&self.rows, scene);
        } else {
            self.six.prepare(&self.rows, scene);
        }
        true
    }

    /// One pass over all joints.
    pub(crate) fn run<const S: usize>(
        &mut self,
        run: DirectRun<'_, D, S>,
        pass: JointPass,
        width: SimdWidth,
    ) {
        if pass == JointPass::WarmStart {
            return;
        }
        width.run_wide(DirectPass { direct: self, run, is_biased: pass == JointPass::Solve });
    }

    /// With the instructions of the caller: everything below is inlined.
    #[inline(always)]
    fn run_here<const S: usize>(&mut self, run: DirectRun<'_, D, S>, is_biased: bool) {
        if self.is_three {
            self.three.run(&mut self.rows, &self.order, run, is_biased);
        } else {
            self.six.run(&mut self.rows, &self.order, run, is_biased);
        }
    }
}

/// One pass, compiled for every width: the same operations in the same order, by instructions that take more numbers at once.
struct DirectPass<'a, 'b, D: Dim, const S: usize> {
    direct: &'a mut Direct<D>,
    run: DirectRun<'b, D, S>,
    is_biased: bool,
}

impl<D: Dim, const S: usize> Kernel for DirectPass<'_, '_, D, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.direct.run_here(self.run, self.is_biased);
    }
}
