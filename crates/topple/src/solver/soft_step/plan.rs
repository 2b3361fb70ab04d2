//! The plan of a step: which contacts and joints go side by side, and the stages of the sub-steps in their order.
//!
//! Constraints of one colour share no dynamic body (`contact/graph.rs`), so they can be solved at once: eight to a row, rows by
//! different threads. What is left over is solved first, one after the other, each in a row of its own. In every colour joints come before contacts:
//! what must not overlap has the last word. Joints that are solved at once come after all contacts of the biased pass and before those of
//! the relaxing one.
//!
//! A sub-step is a list of stages with a barrier after each:
//!
//! ```text
//! integrate velocities                         bodies
//! for each pass of the sub-step:
//!     joints at once (solve: at the end)       one piece
//!     joints of bodies with many of them       one piece
//!     joints of the overflow, its contacts     one piece each
//!     for each colour: joints, contacts        rows
//!     (integrate positions between solve and relax)
//! ```
//!
//! DETERMINISM: pieces are cut by constants, never by the number of threads. A thread may take several pieces of a colour in a row at once: rows of a colour
//! share no body that can move, so it does not matter which of them go together.

use super::dispatch::Pass;
use super::joints::{self, JointPass, JointRange, JointRows, JointScene};
use super::rows::{ColdRow, NO_CONTACT, WIDTH};
use crate::contact::Color;
use crate::math::*;
use crate::solver::SolverContext;
use crate::store::room;
use crate::trusted::{Batch, Cut, Order};

/// Bodies per piece. Constants: the cut must not depend on the number of threads.
pub(super) const BODIES_PER_PIECE: usize = 128;
/// Rows per piece.
pub(super) const ROWS_PER_PIECE: usize = 4;

/// One stage: rows or bodies cut into pieces.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    IntegrateVelocities {
        first: bool,
    },
    /// The same with force generators, all bodies in one piece.
    IntegrateForced {
        first: bool,
    },
    IntegratePositions,
    /// Rows of a colour.
    Rows(Pass),
    /// Rows of one contact each, one after the other.
    Overflow(Pass),
    Joints(JointPass),
    /// All joints of a group at once.
    Direct(JointPass),
    /// All joints of each body that bears many.
    Stars(JointPass),
}

/// Rows and stages of a step; keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The contacts of each row.
    pub(super) cold: Vec<ColdRow>,
    /// The row of each contact that is in one.
    pub(super) homes: Vec<u32>,
    /// The rows are those of all contacts.
    is_whole: bool,
    /// Rows that run at the same time.
    pub(super) batches: Vec<Batch>,
    pub(super) stages: Vec<Stage>,
    pub(super) cuts: Vec<Cut>,
    pub(super) pieces: Vec<usize>,
    /// In which order pieces of all rows are made and stored: whoever solves a row of a colour then also finds it in its cache before and
    /// after.
    ///
    /// PERF: two threads on two cores without a cache in common take a quarter less for a step of a pyramid in the plane, a fifth less in space.
    pub(super) order: Order,
}

/// Batches before those of the colours: contacts, joints and single joints of the overflow.
const SERIAL: u32 = 3;

impl Plan {
    /// Makes room for so many rows, and contacts, and touches it.
    pub(super) fn warm(&mut self, rows: usize, contacts: usize) {
        room::warm(&mut self.cold, rows);
        room::warm(&mut self.homes, contacts);
    }

    /// Cuts the colours into rows and lists the stages.
    pub(super) fn make<D: Dim>(
        &mut self,
        joints: &mut JointRows<D>,
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
    ) {
        self.batches.clear();
        joints.clear();
        let lists = || context.graph.colors().iter().map(|color| color.contacts.len());
        let most: usize = lists().map(|count| count.div_ceil(WIDTH)).sum();
        let overflow = context.graph.overflow();
        room::reserve(&mut self.cold, most + overflow.contacts.len());
        if self.homes.len() < context.contacts.len() {
            room::fit(&mut self.homes, context.contacts.len(), u32::MAX);
        }
        let takes = |contact: u32| context.takes(context.contacts[contact as usize].bodies);
        let takes: Option<&dyn Fn(u32) -> bool> = if context.is_partial { Some(&takes) } else { None };
        let is_direct = context.is_direct && joints.add_direct(context, scene);
        let has_stars = !is_direct && joints.add_stars(context, scene);
        let Self { cold, homes, batches, is_whole, .. } = &mut *self;
        // Rows of a part of the world leave homes that are not those of all.
        let is_known = *is_whole && takes.is_none();
        let mut filling = Filling { cold, homes, count: 0, is_known };
        let mut add = |color: &Color, is_serial: bool| {
            let from = filling.count as u32;
            // One contact per row where they may share bodies.
            let lanes = if is_serial { 1 } else { WIDTH };
            filling.fill(&color.contacts, lanes, takes);
            let indices = if is_direct { &[] } else { &color.joints[..] };
            let JointRange { rows, singles } = joints.add(indices, context, scene, is_serial);
            let contacts = Batch { rows: from..filling.count as u32, more: 0..0, is_serial };
            if is_serial {
                batches.push(contacts);
                batches.push(Batch { rows, more: 0..0, is_serial });
                batches.push(Batch { rows: 0..0, more: singles, is_serial });
            } else {
                batches.push(contacts);
                batches.push(Batch { rows, more: singles, is_serial });
            }
        };
        add(overflow, true);
        let is_used = |color: &&Color| !color.contacts.is_empty() || !color.joints.is_empty();
        context.graph.colors().iter().filter(is_used).for_each(|color| add(color, false));
        let count = filling.count;
        self.cold.truncate(count);
        self.is_whole = takes.is_none();
        if context.executor.threads() > 1 {
            // Contacts of the overflow are few: they come first.
            let colors = self.batches.iter().skip(SERIAL as usize).step_by(2);
            self.order.deal(colors.map(|batch| (batch.rows.end as usize).div_ceil(ROWS_PER_PIECE)));
        } else {
            self.order.forget();
        }
        // Rows of joints are numbered after those of contacts, single ones after those.
        let starts = [self.cold.len() as u32, (self.cold.len() + joints.row_count()) as u32];
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let after = number.checked_sub(SERIAL as usize);
            let is_contacts = number == 0 || after.is_some_and(|after| after.is_multiple_of(2));
            if !is_contacts {
                batch.rows = batch.rows.start + starts[0]..batch.rows.end + starts[0];
                batch.more = batch.more.start + starts[1]..batch.more.end + starts[1];
            }
        }
        self.list_stages(context, is_direct, has_stars);
    }

    fn list_stages<D: Dim>(&mut self, context: &SolverContext<'_, D>, is_direct: bool, has_stars: bool) {
        let Self { stages, cuts, pieces, batches, .. } = self;
        stages.clear();
        cuts.clear();
        pieces.clear();
        let mut add = |stage: Stage, cut: Cut, count: usize| {
            if count > 0 {
                stages.push(stage);
                cuts.push(cut);
                pieces.push(count);
            }
        };
        let body_pieces = context.bodies.len().div_ceil(BODIES_PER_PIECE);
        let bodies = Cut::Bodies { size: BODIES_PER_PIECE as u32 };
        let rows = |batch: u32| Cut::Rows { batch, size: ROWS_PER_PIECE as u32 };
        let joints = |batch: u32| Cut::Joints {
            batch,
            size: joints::ROWS_PER_PIECE as u32,
            single_size: joints::SINGLES_PER_PIECE as u32,
        };
        for substep in 0..context.substeps {
            let first = substep == 0;
            if context.forces.is_some() {
                add(Stage::IntegrateForced { first }, Cut::All, body_pieces.min(1));
            } else {
                add(Stage::IntegrateVelocities { first }, bodies, body_pieces);
            }
            let is_warm = first && context.settings.warm_starting;
            for pass in [Pass::WarmStart, Pass::Solve, Pass::Relax] {
                let joint_pass = match pass {
                    Pass::WarmStart => JointPass::WarmStart,
                    Pass::Solve => JointPass::Solve,
                    Pass::Relax => JointPass::Relax,
                };
                if pass == Pass::WarmStart && !is_warm {
                    continue;
                }
                if pass == Pass::Relax {
                    add(Stage::IntegratePositions, bodies, body_pieces);
                }
                // What is solved at once is exact, so it has the last word before the bodies move; contacts have it after.
                let at_once = usize::from(is_direct);
                if pass != Pass::Solve {
                    add(Stage::Direct(joint_pass), Cut::All, at_once);
                }
                add(Stage::Stars(joint_pass), Cut::All, usize::from(has_stars));
                add(Stage::Joints(joint_pass), joints(1), usize::from(!batches[1].rows.is_empty()));
                add(Stage::Joints(joint_pass), joints(2), usize::from(!batches[2].more.is_empty()));
                add(Stage::Overflow(pass), rows(0), usize::from(!batches[0].rows.is_empty()));
                for batch in (SERIAL..batches.len() as u32).step_by(2) {
                    let at = batch as usize;
                    let own = JointRange {
                        rows: batches[at + 1].rows.clone(),
                        singles: batches[at + 1].more.clone(),
                    };
                    add(Stage::Joints(joint_pass), joints(batch + 1), own.pieces());
                    let count = batches[at].rows.len().div_ceil(ROWS_PER_PIECE);
                    add(Stage::Rows(pass), rows(batch), count);
                }
                if pass == Pass::Solve {
                    add(Stage::Direct(joint_pass), Cut::All, at_once);
                }
            }
        }
    }
}

/// Rows being made, over those of the last step.
struct Filling<'a> {
    cold: &'a mut Vec<ColdRow>,
    homes: &'a mut [u32],
    /// Rows made so far.
    count: usize,
    /// The old rows hold for all contacts: what is in them has its home there.
    is_known: bool,
}

impl Filling<'_> {
    /// Cuts a list of contacts into rows of `lanes`, and notes which row each is in.
    fn fill(&mut self, contacts: &[u32], lanes: usize, takes: Option<&dyn Fn(u32) -> bool>) {
        let Some(takes) = takes else {
            contacts.chunks(lanes).for_each(|chunk| self.add(chunk));
            return;
        };
        let (mut row, mut filled) = ([NO_CONTACT; WIDTH], 0);
        for &contact in contacts.iter().filter(|&&contact| takes(contact)) {
            row[filled] = contact;
            filled += 1;
            if filled == lanes {
                self.add(&row[..filled]);
                filled = 0;
            }
        }
        if filled > 0 {
            self.add(&row[..filled]);
        }
    }

    /// One more row.
    ///
    /// PERF: most rows are those of the last step. What is not written again stays in the caches of those who read it.
    fn add(&mut self, contacts: &[u32]) {
        debug_assert!(contacts.iter().all(|&contact| contact != NO_CONTACT));
        let mut lanes = [NO_CONTACT; WIDTH];
        lanes[..contacts.len()].copy_from_slice(contacts);
        let number = self.count;
        self.count += 1;
        match self.cold.get_mut(number) {
            Some(row) if self.is_known && row.contacts == lanes => return,
            Some(row) => row.contacts = lanes,
            None => self.cold.push(ColdRow { contacts: lanes, ..ColdRow::default() }),
        }
        contacts.iter().for_each(|&contact| self.homes[contact as usize] = number as u32);
    }
}
