//! Joints in the sub-steps: eight of one class and colour side by side, rare kinds one by one.
//!
//! Blocks and laws are those of `joint/`; this folder knows when they run. In each pass the frames are turned to the
//! current orientations of the bodies: the biased pass stands at the start of the sub-step, the relaxing pass at its end.
//!
//! **Warm start.** The first sub-step starts from the stored impulses. Later ones get the effect of the last sub-step by
//! extrapolation, body by body (see the head of `soft_step/mod.rs`), which repeats the impulse with the lever arms of
//! *then*. For contacts these are frozen; a joint's have turned with its bodies, and repeating old ones would feed a
//! swinging pendulum with a torque h·w·r·F, an anti-damping of the order h·g/l: four percent per second at one metre. So
//! each joint remembers what it did to its bodies in the last sub-step, and before it is solved adds the difference to
//! what its impulses would do now. No extra sweep is needed.
//!
//! **Files**: `layout.rs` rows of lanes, `algebra.rs` vectors in lanes, `prepare.rs` joints to lanes and back, `sight.rs`
//! geometry and Jacobians of the moment, `motion.rs` how rows are solved, `kernel.rs` the passes, `single.rs` the same for
//! one joint of any kind, `crowding.rs` springs that meet, `stars.rs` bodies with many joints, `hub.rs` how those are solved,
//! `direct/` all joints of a group at once.

mod algebra;
mod crowding;
mod direct;
mod hub;
mod kernel;
mod layout;
mod motion;
mod prepare;
mod sight;
mod single;
mod stars;

use super::lanes::SimdWidth;
use super::pack::{Packed, Whitening};
use super::rows::WIDTH;
use super::turning::{Turn, Turning};
use crate::body::{BodyProps, NO_SLOT};
use crate::exec::Executor;
use crate::joint::Joint;
use crate::math::*;
use crate::solver::HeavyLoad;
use crate::solver::SolverContext;
use crate::store::room;
use crate::trusted::{Crowd, Each, Ends, Owned, Owners, in_pieces};
use core::ops::Range;
use crowding::Crowding;
pub(super) use direct::{Direct, DirectRun};
pub(super) use hub::StarRun;
use kernel::PassParams;
pub(super) use layout::Cold;
use layout::{Class, Extra, Lanes, NO_JOINT, WideRow};
pub(super) use single::{SingleRow, SingleRun};
pub(super) use stars::Stars;

/// Joints per piece that go one by one. A constant: the cut must not depend on the number of threads.
pub(super) const SINGLES_PER_PIECE: usize = 16;
/// Rows of eight per piece.
pub(super) const ROWS_PER_PIECE: usize = 4;

/// Which of the passes over the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JointPass {
    /// The stored impulses.
    WarmStart,
    /// With bias.
    Solve,
    /// Without.
    Relax,
}

/// What preparation reads; shared by all threads.
#[derive(Debug)]
pub struct JointScene<'a, D: Dim> {
    pub(super) settings: &'a crate::Settings<D>,
    pub(super) props: &'a [BodyProps<D>],
    pub(super) slots: &'a [u32],
    pub(super) whitenings: &'a [Whitening],
    /// What each body does; empty if none turns far.
    pub(super) turning: &'a [Turn],
    pub(super) places: &'a [Pose<D>],
    pub(super) h: Real,
    /// Factor on stored impulses: see `PrepareParams::warm`.
    pub(super) warm: Real,
    /// How many times finer the sub-steps are than usual.
    pub(super) refinement: Real,
}

impl<D: Dim> JointScene<'_, D> {
    /// Slot of a body, or NO_SLOT.
    pub(super) fn slot(&self, body: u32) -> u32 {
        self.slots.get(body as usize).copied().unwrap_or(NO_SLOT)
    }
}

/// One row with what belongs to it.
#[derive(Debug)]
pub struct RowParts<'a, D: WideDim> {
    lanes: &'a Lanes,
    row: &'a mut D::JointRow,
    extra: &'a mut D::JointExtra,
    cold: &'a mut Cold,
    ends: &'a mut Ends,
    crowding: &'a Crowding,
}

/// Some rows of a pass, one after the other.
pub struct RowRun<'a, D: WideDim> {
    pub(super) rows: &'a mut [D::JointRow],
    pub(super) extras: &'a mut [D::JointExtra],
    pub(super) cold: &'a mut [Cold],
    pub(super) crowd: Crowd<'a, D::Packed>,
    pub(super) h: Real,
    pub(super) push_speed: Real,
    pub(super) pass: JointPass,
    pub(super) width: SimdWidth,
}

/// Some rows before the relaxing pass, where bodies may have turned far.
pub struct TurnRun<'a, D: Dim> {
    pub(super) rows: &'a mut [D::JointRow],
    pub(super) crowd: &'a Crowd<'a, D::Packed>,
    pub(super) turning: &'a Turning<'a, D>,
}

/// What a dimension gives to the wide rows: their sizes.
pub trait WideDim: Sized {
    #[doc(hidden)]
    type JointRow: Clone + Default + core::fmt::Debug + Send + Sync + 'static;
    #[doc(hidden)]
    type JointExtra: Clone + Default + core::fmt::Debug + Send + Sync + 'static;
    #[doc(hidden)]
    type Packed: Send + Sync + 'static;
    #[doc(hidden)]
    fn fill_joint_row(parts: RowParts<'_, Self>, scene: &JointScene<'_, Self>, joints: &[Joint<Self>])
    where
        Self: Dim;
    #[doc(hidden)]
    fn store_joint_lane(
        row: &Self::JointRow,
        extra: &Self::JointExtra,
        lane: (&Cold, usize, Real),
        joint: &mut Joint<Self>,
    ) where
        Self: Dim;
    #[doc(hidden)]
    fn run_joint_rows(run: RowRun<'_, Self>);
    #[doc(hidden)]
    fn turn_joint_rows(run: TurnRun<'_, Self>)
    where
        Self: Dim;
}

/// Sizes as in `kernel::run`.
macro_rules! wide_dim {
    ($dim:ty, $n:literal, $a:literal, $r:literal, $w:literal, $f:literal, $s:literal, $h:literal, $g:literal, $q:literal) => {
        impl WideDim for $dim {
            type JointRow = WideRow<$n, $a, $w, $f>;
            type JointExtra = Extra<$r>;
            type Packed = Packed<$s>;
            fn fill_joint_row(
                parts: RowParts<'_, Self>,
                scene: &JointScene<'_, Self>,
                joints: &[Joint<Self>],
            ) {
                let RowParts { lanes, row, extra, cold, ends, crowding } = parts;
                *row = WideRow { class: lanes.class, ..WideRow::default() };
                *cold = Cold { joints: lanes.joints, ..Cold::default() };
                let extra = prepare::has_extra(row.class).then_some(extra);
                prepare::fill::<Self, $n, $a, $r, $w, $f>(
                    (row, extra, cold),
                    ends,
                    (scene, crowding),
                    joints,
                    [$n, $h, $f, $g],
                );
            }
            fn store_joint_lane(
                row: &Self::JointRow,
                extra: &Self::JointExtra,
                lane: (&Cold, usize, Real),
                joint: &mut Joint<Self>,
            ) {
                let extra = prepare::has_extra(row.class).then_some(extra);
                prepare::store::<Self, $n, $a, $r, $w, $f>(row, extra, lane, joint, [$n, $h, $f, $g]);
            }
            fn run_joint_rows(run: RowRun<'_, Self>) {
                kernel::run::<Self, $n, $a, $r, $w, $f, $s, $h, $g, $q>(
                    (run.rows, run.extras, run.cold),
                    run.crowd,
                    PassParams { h: run.h, inv_h: 1.0 / run.h, push_speed: run.push_speed },
                    run.pass,
                    run.width,
                );
            }
            fn turn_joint_rows(run: TurnRun<'_, Self>) {
                prepare::turn::<Self, $n, $a, $w, $f, $s>(run.rows, run.crowd, run.turning);
            }
        }
    };
}

wide_dim!(D2, 2, 1, 2, 1, 3, 8, 2, 2, 1);
wide_dim!(D3, 3, 3, 4, 6, 6, 16, 5, 5, 2);

/// Lives from step to step to keep its memory.
#[derive(Debug)]
pub struct JointRows<D: Dim> {
    /// What is to go into the rows.
    ///
    /// PERF: rows themselves are written by those who solve them.
    lanes: Vec<Lanes>,
    pub(super) rows: Vec<D::JointRow>,
    /// One for each row, whether it needs it or not.
    pub(super) extras: Vec<D::JointExtra>,
    pub(super) cold: Vec<Cold>,
    pub(super) singles: Vec<SingleRow<D>>,
    pub(super) direct: Direct<D>,
    pub(super) stars: Stars<D>,
    crowding: Crowding,
    /// The row, or the single one, that each joint was put in last.
    homes: [Vec<u32>; 2],
}

impl<D: Dim> Default for JointRows<D> {
    fn default() -> Self {
        Self {
            lanes: Vec::new(),
            rows: Vec::new(),
            extras: Vec::new(),
            cold: Vec::new(),
            singles: Vec::new(),
            direct: Direct::default(),
            stars: Stars::default(),
            crowding: Crowding::default(),
            homes: [Vec::new(), Vec::new()],
        }
    }
}

/// The joints of one colour.
#[derive(Clone, Debug, Default)]
pub(super) struct JointRange {
    pub rows: Range<u32>,
    pub singles: Range<u32>,
}

impl JointRange {
    /// Pieces of work: first the rows, then the singles.
    pub(super) fn pieces(&self) -> usize {
        self.rows.len().div_ceil(ROWS_PER_PIECE) + self.singles.len().div_ceil(SINGLES_PER_PIECE)
    }
}

impl<D: Dim> JointRows<D> {
    /// Forgets the joints of the last step.
    pub(super) fn clear(&mut self) {
        self.lanes.clear();
        self.singles.clear();
        self.direct.clear();
        self.stars.clear();
        self.crowding.clear();
    }

    /// Takes all joints of a group together, if they can be solved at once; true if so. Else they go by colours.
    pub(super) fn add_direct(&mut self, context: &SolverContext<'_, D>, scene: &JointScene<'_, D>) -> bool {
        let colors = context.graph.colors().iter().map(|color| &color.joints);
        for &index in colors.chain([&context.graph.overflow().joints]).flatten() {
            let joint = &context.joints[index as usize];
            if context.takes(joint.bodies) {
                self.direct.add(SingleRow::blank(index, joint));
            }
        }
        let is_direct = !self.direct.is_empty() && self.direct.prepare(scene);
        if !is_direct {
            self.direct.clear();
        }
        is_direct
    }

    /// Takes the joints of bodies that bear many; true if there are any.
    pub(super) fn add_stars(&mut self, context: &SolverContext<'_, D>, scene: &JointScene<'_, D>) -> bool {
        self.stars.find(context, scene);
        let Self { stars, crowding, .. } = self;
        stars.rows().iter().for_each(|row| crowding.note(row.index, &row.joint));
        !stars.is_empty()
    }

    /// Of bodies that are solved at once, only those that are heavier than all they are joined to may turn as `turning.rs` has it: light
    /// links under a pull answer with the inertia of tension, not with their own, and whirl faster than the sub-steps can follow.
    pub(super) fn leave_links(&self, props: &[BodyProps<D>], turning: &mut [Turn]) {
        for row in self.direct.rows() {
            let ends = row.dynamic_ends();
            let [Some(a), Some(b)] = ends.map(|end| props.get(end as usize)) else { continue };
            for (end, is_light) in [(ends[0], a.inv_mass >= b.inv_mass), (ends[1], b.inv_mass >= a.inv_mass)]
            {
                if is_light {
                    turning[end as usize] = Turn::Little;
                }
            }
        }
    }

    /// Adds the joints of a colour. `serial`: they may share bodies, so each gets a row of its own.
    pub(super) fn add(
        &mut self,
        indices: &[u32],
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
        serial: bool,
    ) -> JointRange {
        let (first_row, first_single) = (self.lanes.len() as u32, self.singles.len() as u32);
        // The row of each class that still has room, and its next lane.
        let mut open = [(0, WIDTH); Class::COUNT];
        let [homes, single_homes] = &mut self.homes;
        if homes.len() < context.joints.len() {
            room::fit(homes, context.joints.len(), NO_JOINT);
            room::fit(single_homes, context.joints.len(), NO_JOINT);
        }
        for &index in indices {
            let joint = &context.joints[index as usize];
            if !context.takes(joint.bodies) || self.stars.has(index) {
                continue;
            }
            self.crowding.note(index, joint);
            let Some(class) = prepare::class_of(joint, scene) else {
                single_homes[index as usize] = self.singles.len() as u32;
                self.singles.push(SingleRow::blank(index, joint));
                continue;
            };
            let (row, lane) = &mut open[class as usize];
            if *lane == WIDTH || serial {
                (*row, *lane) = (self.lanes.len(), 0);
                self.lanes.push(Lanes { class, joints: [NO_JOINT; WIDTH] });
            }
            self.lanes[*row].joints[*lane] = index;
            homes[index as usize] = *row as u32;
            *lane += 1;
        }
        JointRange {
            rows: first_row..self.lanes.len() as u32,
            singles: first_single..self.singles.len() as u32,
        }
    }

    /// Indices of all joints of the step.
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let wide = self.lanes.iter().flat_map(|lanes| lanes.joints).filter(|&index| index != NO_JOINT);
        let singles =
            self.singles.iter().chain(self.direct.rows()).chain(self.stars.rows()).map(|row| row.index);
        wide.chain(singles)
    }

    /// Number of rows.
    pub(super) fn row_count(&self) -> usize {
        self.lanes.len()
    }

    /// Pieces of all joints: of the rows, and of the single ones.
    pub(super) fn pieces(&self) -> [usize; 2] {
        [self.lanes.len().div_ceil(ROWS_PER_PIECE), self.singles.len().div_ceil(SINGLES_PER_PIECE)]
    }

    /// Fills the rows at the start of the step, and `ends` with the bodies of the rows and of the single ones.
    pub(super) fn prepare(
        &mut self,
        executor: &dyn Executor,
        scene: &JointScene<'_, D>,
        joints: &[Joint<D>],
        ends: &mut [Ends],
    ) {
        self.crowding.sum_up(scene, joints);
        let crowding = &self.crowding;
        self.stars.prepare(scene, crowding);
        let count = self.lanes.len();
        room::fit(&mut self.rows, count, D::JointRow::default());
        room::fit(&mut self.cold, count, Cold::default());
        self.extras.resize(count.max(self.extras.len()), D::JointExtra::default());
        let (row_ends, single_ends) = ends.split_at_mut(count);
        let (arrays, lanes) =
            ((&mut self.rows, &mut self.extras[..count], &mut self.cold, row_ends), &self.lanes);
        in_pieces(executor, ROWS_PER_PIECE, arrays, |piece, (rows, extras, cold, ends)| {
            let lanes = &lanes[piece * ROWS_PER_PIECE..];
            let parts = lanes.iter().zip(rows).zip(extras).zip(cold).zip(ends);
            for ((((lanes, row), extra), cold), ends) in parts {
                D::fill_joint_row(RowParts { lanes, row, extra, cold, ends, crowding }, scene, joints);
            }
        });
        let ground = scene.props.len() as u32;
        in_pieces(executor, SINGLES_PER_PIECE, (&mut self.singles, single_ends), |_, (singles, ends)| {
            for (single, ends) in singles.iter_mut().zip(ends) {
                single.prepare(scene, crowding);
                *ends = single.ends(ground);
            }
        });
    }

    /// Hands the impulses back, and each joint to `done`, with the list of its piece: those of the rows come first.
    /// `share`: one over the number of sub-steps.
    pub(super) fn store(
        &self,
        share: Real,
        executor: &dyn Executor,
        joints: &mut [Joint<D>],
        lists: &mut [Vec<HeavyLoad>],
        done: impl Fn(&mut Joint<D>, &mut Vec<HeavyLoad>) + Sync,
    ) {
        for row in self.direct.rows().iter().chain(self.stars.rows()) {
            let joint = &mut joints[row.index as usize];
            row.store(joint, share);
            done(joint, &mut lists[0]);
        }
        let [row_pieces, single_pieces] = self.pieces();
        let (row_lists, single_lists) = lists.split_at_mut(row_pieces);
        let owned = Owned::new(joints, Owners::new(&self.homes[0], &[]));
        in_pieces(executor, ROWS_PER_PIECE, (Each::of(row_lists), owned), |piece, (list, mut joints)| {
            let from = piece * ROWS_PER_PIECE;
            for row in from..self.rows.len().min(from + ROWS_PER_PIECE) {
                let (extra, cold) = (&self.extras[row], &self.cold[row]);
                for lane in (0..WIDTH).filter(|&lane| cold.joints[lane] != NO_JOINT) {
                    let joint = joints.get(cold.joints[lane] as usize);
                    D::store_joint_lane(&self.rows[row], extra, (cold, lane, share), joint);
                    done(joint, list);
                }
            }
        });
        let owned = Owned::new(joints, Owners::new(&self.homes[1], &[]));
        let arrays = (Each::of(&mut single_lists[..single_pieces]), owned);
        in_pieces(executor, SINGLES_PER_PIECE, arrays, |piece, (list, mut joints)| {
            for single in self.singles.iter().skip(piece * SINGLES_PER_PIECE).take(SINGLES_PER_PIECE) {
                let joint = joints.get(single.index as usize);
                single.store(joint, share);
                done(joint, list);
            }
        });
    }
}
