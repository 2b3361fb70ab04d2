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
//! one joint of any kind, `direct/` all joints of a group at once.

mod algebra;
mod direct;
mod kernel;
mod layout;
mod motion;
mod prepare;
mod sight;
mod single;

use super::lanes::SimdWidth;
use super::pack::{Packed, Whitening};
use super::rows::WIDTH;
use crate::body::{BodyProps, NO_SLOT};
use crate::joint::Joint;
use crate::math::*;
use crate::solver::SolverContext;
use crate::store::Disjoint;
use core::ops::Range;
use direct::{Direct, DirectRun};
use kernel::PassParams;
use layout::{Class, Cold, Extra, NO_EXTRA, NO_JOINT, WideRow};
use single::{SingleRow, SingleRun};

/// Joints per piece that go one by one. A constant: the cut must not depend on the number of threads.
const SINGLES_PER_PIECE: usize = 16;
/// Rows of eight per piece.
const ROWS_PER_PIECE: usize = 4;

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
    pub(super) places: &'a [Pose<D>],
    pub(super) h: Real,
    /// Factor on stored impulses: see `PrepareParams::warm`.
    pub(super) warm: Real,
    /// How many times finer the sub-steps are than usual.
    pub(super) refinement: Real,
}

impl<D: Dim> JointScene<'_, D> {
    /// Slot of a body, or NO_SLOT.
    fn slot(&self, body: u32) -> u32 {
        self.slots.get(body as usize).copied().unwrap_or(NO_SLOT)
    }
}

/// One row with what belongs to it.
#[derive(Debug)]
pub struct RowParts<'a, D: WideDim> {
    row: &'a mut D::JointRow,
    extra: Option<&'a mut D::JointExtra>,
    cold: &'a mut Cold,
}

/// Some rows of a pass, one after the other.
#[derive(Debug)]
pub struct RowRun<'a, D: WideDim> {
    rows: &'a mut [D::JointRow],
    cold: &'a mut [Cold],
    extras: *mut D::JointExtra,
    /// Packed bodies, as floats.
    bodies: *mut f32,
    h: Real,
    push_speed: Real,
    pass: JointPass,
    width: SimdWidth,
}

/// What a dimension gives to the wide rows: their sizes.
pub trait WideDim: Sized {
    #[doc(hidden)]
    type JointRow: Clone + Default + core::fmt::Debug + Send + Sync;
    #[doc(hidden)]
    type JointExtra: Clone + Default + core::fmt::Debug + Send + Sync;
    #[doc(hidden)]
    fn new_joint_row(class: Class, extra: u32) -> Self::JointRow;
    #[doc(hidden)]
    fn joint_extra_of(row: &Self::JointRow) -> u32;
    #[doc(hidden)]
    fn fill_joint_row(parts: RowParts<'_, Self>, scene: &JointScene<'_, Self>, joints: &[Joint<Self>])
    where
        Self: Dim;
    #[doc(hidden)]
    fn store_joint_lane(parts: &RowParts<'_, Self>, lane: usize, joint: &mut Joint<Self>)
    where
        Self: Dim;
    /// # Safety
    /// The lanes of a row share no dynamic body and no other thread works on those; `bodies` holds all slots, `extras` all
    /// extras, each of which belongs to one row; a width is only chosen if the processor has it.
    #[doc(hidden)]
    unsafe fn run_joint_rows(run: RowRun<'_, Self>);
}

/// Sizes as in `kernel::run`.
macro_rules! wide_dim {
    ($dim:ty, $n:literal, $a:literal, $r:literal, $w:literal, $f:literal, $s:literal, $h:literal, $g:literal, $q:literal) => {
        impl WideDim for $dim {
            type JointRow = WideRow<$n, $a, $w, $f>;
            type JointExtra = Extra<$r>;
            fn new_joint_row(class: Class, extra: u32) -> Self::JointRow {
                WideRow { class, extra, ..WideRow::default() }
            }
            fn joint_extra_of(row: &Self::JointRow) -> u32 {
                row.extra
            }
            fn fill_joint_row(
                parts: RowParts<'_, Self>,
                scene: &JointScene<'_, Self>,
                joints: &[Joint<Self>],
            ) {
                prepare::fill::<Self, $n, $a, $r, $w, $f>(
                    (parts.row, parts.extra, parts.cold),
                    scene,
                    joints,
                    [$n, $h, $f, $g],
                );
            }
            fn store_joint_lane(parts: &RowParts<'_, Self>, lane: usize, joint: &mut Joint<Self>) {
                prepare::store::<Self, $n, $a, $r, $w, $f>(
                    parts.row,
                    parts.extra.as_deref(),
                    parts.cold,
                    lane,
                    joint,
                    [$n, $h, $f, $g],
                );
            }
            unsafe fn run_joint_rows(run: RowRun<'_, Self>) {
                // SAFETY: by the caller; the bodies are packed in arrays of this many floats.
                unsafe {
                    kernel::run::<Self, $n, $a, $r, $w, $f, $s, $h, $g, $q>(
                        run.rows,
                        run.cold,
                        run.extras,
                        run.bodies.cast(),
                        PassParams { h: run.h, inv_h: 1.0 / run.h, push_speed: run.push_speed },
                        run.pass,
                        run.width,
                    );
                }
            }
        }
    };
}

wide_dim!(D2, 2, 1, 2, 1, 3, 8, 2, 2, 1);
wide_dim!(D3, 3, 3, 4, 6, 6, 16, 5, 5, 2);

/// Lives from step to step to keep its memory.
#[derive(Debug)]
pub struct JointRows<D: Dim> {
    rows: Vec<D::JointRow>,
    extras: Vec<D::JointExtra>,
    cold: Vec<Cold>,
    singles: Vec<SingleRow<D>>,
    direct: Direct<D>,
}

impl<D: Dim> Default for JointRows<D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            extras: Vec::new(),
            cold: Vec::new(),
            singles: Vec::new(),
            direct: Direct::default(),
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

    /// The part of piece `piece`; all of it if there is but one.
    fn piece(&self, piece: usize, count: usize) -> Self {
        if count == 1 {
            return self.clone();
        }
        let row_pieces = self.rows.len().div_ceil(ROWS_PER_PIECE);
        let cut = |range: &Range<u32>, piece: usize, size: usize| {
            let from = range.start as usize + piece * size;
            from as u32..range.end.min((from + size) as u32)
        };
        let none = self.rows.end..self.rows.end;
        match piece.checked_sub(row_pieces) {
            None => Self { rows: cut(&self.rows, piece, ROWS_PER_PIECE), singles: 0..0 },
            Some(piece) => Self { rows: none, singles: cut(&self.singles, piece, SINGLES_PER_PIECE) },
        }
    }
}

impl<D: Dim> JointRows<D> {
    /// Forgets the joints of the last step.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.extras.clear();
        self.cold.clear();
        self.singles.clear();
        self.direct.clear();
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

    /// Adds the joints of a colour. `serial`: they may share bodies, so each gets a row of its own.
    pub(super) fn add(
        &mut self,
        indices: &[u32],
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
        serial: bool,
    ) -> JointRange {
        let (first_row, first_single) = (self.rows.len() as u32, self.singles.len() as u32);
        // The row of each class that still has room, and its next lane.
        let mut open = [(0, WIDTH); Class::COUNT];
        for &index in indices {
            let joint = &context.joints[index as usize];
            if !context.takes(joint.bodies) {
                continue;
            }
            let Some(class) = prepare::class_of(joint, scene) else {
                self.singles.push(SingleRow::blank(index, joint));
                continue;
            };
            let (row, lane) = &mut open[class as usize];
            if *lane == WIDTH || serial {
                (*row, *lane) = (self.rows.len(), 0);
                let extra = if prepare::has_extra(class) { self.extras.len() as u32 } else { NO_EXTRA };
                if extra != NO_EXTRA {
                    self.extras.push(D::JointExtra::default());
                }
                self.rows.push(D::new_joint_row(class, extra));
                self.cold.push(Cold::default());
            }
            self.cold[*row].joints[*lane] = index;
            *lane += 1;
        }
        JointRange {
            rows: first_row..self.rows.len() as u32,
            singles: first_single..self.singles.len() as u32,
        }
    }

    /// All joints.
    pub(super) fn all(&self) -> JointRange {
        JointRange { rows: 0..self.rows.len() as u32, singles: 0..self.singles.len() as u32 }
    }

    /// For many threads.
    pub(super) fn share(&mut self) -> SharedJoints<'_, D> {
        SharedJoints {
            rows: Disjoint::new(&mut self.rows),
            extras: Disjoint::new(&mut self.extras),
            cold: Disjoint::new(&mut self.cold),
            singles: Disjoint::new(&mut self.singles),
            direct: Disjoint::new(core::slice::from_mut(&mut self.direct)),
        }
    }
}

/// The joints while many threads work on them, each on its pieces.
#[derive(Clone, Copy)]
pub(super) struct SharedJoints<'a, D: Dim> {
    rows: Disjoint<'a, D::JointRow>,
    extras: Disjoint<'a, D::JointExtra>,
    cold: Disjoint<'a, Cold>,
    singles: Disjoint<'a, SingleRow<D>>,
    direct: Disjoint<'a, Direct<D>>,
}

impl<'a, D: Dim> SharedJoints<'a, D> {
    /// The parts of a row.
    ///
    /// # Safety
    /// Nobody else uses the row.
    unsafe fn parts(&self, row: u32) -> RowParts<'a, D> {
        // SAFETY: by the caller; each row has its own extra.
        unsafe {
            let parts = self.rows.get(row as usize);
            let extra = D::joint_extra_of(parts);
            let extra = (extra != NO_EXTRA).then(|| self.extras.get(extra as usize));
            RowParts { row: parts, extra, cold: self.cold.get(row as usize) }
        }
    }

    /// Fills the rows of a piece at the start of the step.
    ///
    /// # Safety
    /// Nobody else works on the piece, nobody writes the joints.
    pub(super) unsafe fn prepare(
        &self,
        range: &JointRange,
        (piece, count): (usize, usize),
        scene: &JointScene<'_, D>,
        joints: &[Joint<D>],
    ) {
        let part = range.piece(piece, count);
        // SAFETY: by the caller.
        unsafe {
            part.rows.for_each(|row| D::fill_joint_row(self.parts(row), scene, joints));
            let singles = self.singles.range(part.singles.start as usize, part.singles.end as usize);
            singles.iter_mut().for_each(|single| single.prepare(scene));
        }
    }

    /// One pass over a piece.
    ///
    /// # Safety
    /// No other thread works on the dynamic bodies of these joints, and nobody writes the others.
    pub(super) unsafe fn run<const S: usize>(
        &self,
        range: &JointRange,
        (piece, count): (usize, usize),
        (bodies, rotations): (Disjoint<'_, Packed<S>>, Disjoint<'_, D::Rot>),
        scene: &JointScene<'_, D>,
        pass: JointPass,
        width: SimdWidth,
    ) {
        let JointRange { rows, singles } = range.piece(piece, count);
        // SAFETY: by the caller.
        unsafe {
            if !rows.is_empty() {
                D::run_joint_rows(RowRun {
                    rows: self.rows.range(rows.start as usize, rows.end as usize),
                    cold: self.cold.range(rows.start as usize, rows.end as usize),
                    extras: self.extras.as_ptr(),
                    bodies: bodies.as_ptr().cast(),
                    h: scene.h,
                    push_speed: scene.settings.joint_push_speed,
                    pass,
                    width,
                });
            }
            let rows = self.singles.range(singles.start as usize, singles.end as usize);
            SingleRun { rows, bodies, rotations, whitenings: scene.whitenings, h: scene.h }.run(pass);
        }
    }

    /// One pass over the joints that are solved at once.
    ///
    /// # Safety
    /// No other thread works on joints or bodies.
    pub(super) unsafe fn run_direct<const S: usize>(
        &self,
        (bodies, rotations): (Disjoint<'_, Packed<S>>, Disjoint<'_, D::Rot>),
        scene: &JointScene<'_, D>,
        pass: JointPass,
        width: SimdWidth,
    ) {
        let count = scene.whitenings.len();
        // SAFETY: by the caller.
        let (direct, bodies, rotations) =
            unsafe { (self.direct.get(0), bodies.range(0, count), rotations.range(0, count)) };
        direct.run(DirectRun { bodies, rotations, whitenings: scene.whitenings, scene }, pass, width);
    }

    /// Hands back the impulses of those that were solved at once, and each joint to `done`.
    ///
    /// # Safety
    /// Nobody else works on joints.
    pub(super) unsafe fn store_direct(
        &self,
        joints: Disjoint<'_, Joint<D>>,
        done: &mut dyn FnMut(&mut Joint<D>),
    ) {
        // SAFETY: by the caller.
        for row in unsafe { self.direct.get(0) }.rows() {
            // SAFETY: by the caller.
            let joint = unsafe { joints.get(row.index as usize) };
            row.store(joint);
            done(joint);
        }
    }

    /// Hands the impulses of a piece back, and each joint to `done`.
    ///
    /// # Safety
    /// Nobody else works on the piece and its joints.
    pub(super) unsafe fn store(
        &self,
        range: &JointRange,
        (piece, count): (usize, usize),
        joints: Disjoint<'_, Joint<D>>,
        done: &mut dyn FnMut(&mut Joint<D>),
    ) {
        let part = range.piece(piece, count);
        // SAFETY: by the caller; each joint is in one lane or one single.
        unsafe {
            for row in part.rows {
                let parts = self.parts(row);
                for lane in (0..WIDTH).filter(|&lane| parts.cold.joints[lane] != NO_JOINT) {
                    let joint = joints.get(parts.cold.joints[lane] as usize);
                    D::store_joint_lane(&parts, lane, joint);
                    done(joint);
                }
            }
            for single in self.singles.range(part.singles.start as usize, part.singles.end as usize) {
                let joint = joints.get(single.index as usize);
                single.store(joint);
                done(joint);
            }
        }
    }
}
