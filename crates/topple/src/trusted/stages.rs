//! Stages that work on the same arrays one after the other, each cut into pieces.
//!
//! **Why it is sound.** An [`Executor`] runs every piece of a stage once, and no piece of a stage before those of the last one have
//! returned. A stage has one [`Cut`], which says for all of its pieces what they get: blocks of an array, which do not
//! overlap, several in a row for several pieces; the bodies of rows of one batch ([`super::crowd`]); items by their owners ([`super::owned`]), where rows are the owners; or
//! everything for the first piece and nothing for the others. What a piece gets lives no longer than the call: [`Job::piece`] has to
//! take it for any lifetime, and so cannot keep it.

use super::crowd::{Crowd, Proven};
use super::owned::{Mine, Owners};
use super::pieces::Shared;
use crate::exec::Executor;
use core::ops::Range;

/// How the pieces of a stage share the arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    /// Blocks of so many bodies.
    Bodies { size: u32 },
    /// Blocks of so many rows of a batch.
    Rows { batch: u32, size: u32 },
    /// Blocks of so many rows of a batch, and then of so many single ones.
    Joints { batch: u32, size: u32, single_size: u32 },
    /// One piece.
    All,
}

/// Types of several arrays that are cut alike.
pub(crate) trait Alike: 'static {
    /// The arrays.
    type Slices<'a>;
    #[doc(hidden)]
    type Shared<'a>: Sync;
    /// A range of each.
    type Part<'p>;

    #[doc(hidden)]
    fn share(slices: Self::Slices<'_>) -> Self::Shared<'_>;

    /// Items of each, as far as there are that many.
    ///
    /// # Safety
    /// While the result lives, nobody else uses these items.
    #[doc(hidden)]
    unsafe fn range<'p>(arrays: &'p Self::Shared<'_>, range: Range<usize>) -> Self::Part<'p>;
}

macro_rules! alike {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Send + 'static),*> Alike for ($($name,)*) {
            type Slices<'a> = ($(&'a mut [$name],)*);
            type Shared<'a> = ($(Shared<'a, $name>,)*);
            type Part<'p> = ($(&'p mut [$name],)*);

            fn share(slices: Self::Slices<'_>) -> Self::Shared<'_> {
                ($(Shared::new(slices.$index),)*)
            }

            #[inline(always)]
            unsafe fn range<'p>(arrays: &'p Self::Shared<'_>, range: Range<usize>) -> Self::Part<'p> {
                // SAFETY: by the caller.
                unsafe { ($(arrays.$index.range(range.start, range.end),)*) }
            }
        }
    };
}

alike!(A 0, B 1, C 2);

/// The work of all stages, and the types of the arrays.
pub(crate) trait Job: Sync {
    /// Arrays of which a body has one item each.
    type Bodies: Alike;
    /// Orientation of a body: read by single rows.
    type Rotation: Send + Sync;
    /// What rows read and write of a body.
    type Packed: Send + Sync;
    /// Arrays of which a row has one item each.
    type Rows: Alike;
    /// What rows own.
    type Contact: Send;
    /// Arrays of which a row of joints has one item each.
    type Joints: Alike;
    /// A joint that goes by itself.
    type Single: Send;
    /// For stages of one piece.
    type Rest: Send;

    /// Does one piece of a stage.
    fn piece(&self, stage: usize, part: Part<'_, Self>);
}

/// What a piece works on.
pub(crate) enum Part<'p, J: Job + ?Sized> {
    /// Of [`Cut::Bodies`]; the first one has the number `from`.
    Bodies {
        from: usize,
        bodies: <J::Bodies as Alike>::Part<'p>,
        rotations: &'p mut [J::Rotation],
        packed: &'p mut [J::Packed],
    },
    /// Of [`Cut::Rows`].
    Rows { rows: <J::Rows as Alike>::Part<'p>, crowd: Crowd<'p, J::Packed>, contacts: Mine<'p, J::Contact> },
    /// Of [`Cut::Joints`].
    Joints {
        rows: <J::Joints as Alike>::Part<'p>,
        crowd: Crowd<'p, J::Packed>,
        singles: &'p mut [J::Single],
        single_crowd: Crowd<'p, J::Packed>,
        rotations: &'p [J::Rotation],
    },
    /// Of [`Cut::All`].
    All {
        bodies: <J::Bodies as Alike>::Part<'p>,
        rotations: &'p mut [J::Rotation],
        packed: &'p mut [J::Packed],
        rest: &'p mut J::Rest,
    },
    /// Of pieces that there should not be.
    Nothing,
}

/// The arrays of a job.
pub(crate) struct Arrays<'a, J: Job> {
    pub(crate) bodies: <J::Bodies as Alike>::Slices<'a>,
    pub(crate) rotations: &'a mut [J::Rotation],
    pub(crate) packed: &'a mut [J::Packed],
    pub(crate) rows: <J::Rows as Alike>::Slices<'a>,
    pub(crate) contacts: &'a mut [J::Contact],
    /// Which row each contact belongs to.
    pub(crate) homes: &'a [u32],
    pub(crate) joints: <J::Joints as Alike>::Slices<'a>,
    pub(crate) singles: &'a mut [J::Single],
    pub(crate) rest: &'a mut J::Rest,
    /// Bodies of the rows, then of the rows of joints, then of single ones.
    pub(crate) proven: &'a Proven<'a>,
    /// Where rows of joints, and single ones, begin among all.
    pub(crate) starts: [usize; 2],
}

struct SharedArrays<'a, J: Job> {
    bodies: <J::Bodies as Alike>::Shared<'a>,
    rotations: Shared<'a, J::Rotation>,
    packed: Shared<'a, J::Packed>,
    rows: <J::Rows as Alike>::Shared<'a>,
    contacts: Shared<'a, J::Contact>,
    homes: &'a [u32],
    joints: <J::Joints as Alike>::Shared<'a>,
    singles: Shared<'a, J::Single>,
    rest: Shared<'a, J::Rest>,
    proven: &'a Proven<'a>,
    starts: [usize; 2],
}

/// Blocks `pieces` of a range.
fn blocks(range: &Range<u32>, pieces: &Range<usize>, size: u32) -> Range<usize> {
    let (start, end) = (range.start as usize, range.end as usize);
    let edge = |piece: usize| piece.saturating_mul(size as usize).saturating_add(start).min(end);
    edge(pieces.start)..edge(pieces.end)
}

impl<J: Job> SharedArrays<'_, J> {
    /// # Safety
    /// Pieces of a stage are asked for once, with the cut of the stage, and parts of other stages have ended.
    #[inline(always)]
    unsafe fn part(&self, cut: Cut, pieces: Range<usize>) -> Part<'_, J> {
        match cut {
            Cut::Bodies { size } => {
                let count = self.rotations.len();
                let Range { start: from, end: to } = blocks(&(0..count as u32), &pieces, size);
                // SAFETY: blocks do not overlap.
                unsafe {
                    Part::Bodies {
                        from,
                        bodies: J::Bodies::range(&self.bodies, from..to),
                        rotations: self.rotations.range(from, to),
                        packed: self.packed.range(from, to),
                    }
                }
            }
            Cut::Rows { batch, size } => {
                let batch = self.proven.batch(batch as usize);
                let range = match (batch.is_serial, pieces.start) {
                    (false, _) => blocks(&batch.rows, &pieces, size),
                    (true, 0) => batch.rows.start as usize..batch.rows.end as usize,
                    (true, _) => return Part::Nothing,
                };
                if range.is_empty() {
                    return Part::Nothing;
                }
                // SAFETY: blocks do not overlap; rows of a proven batch do not disturb each other, and in this stage there are no others.
                // A serial one has but one piece. Contacts belong to one row each.
                unsafe {
                    Part::Rows {
                        crowd: self.proven.crowd(&self.packed, range.start, range.end),
                        contacts: Mine::of(self.contacts, Owners::new(self.homes, &[]), &range),
                        rows: J::Rows::range(&self.rows, range),
                    }
                }
            }
            Cut::Joints { batch, size, single_size } => {
                let batch = self.proven.batch(batch as usize);
                let whole = |range: &Range<u32>| range.start as usize..range.end as usize;
                let row_pieces = batch.rows.len().div_ceil(size as usize);
                let (rows, singles) = match (batch.is_serial, pieces.start) {
                    // Not both at once: they may act on the same bodies.
                    (true, 0) if batch.rows.is_empty() => (0..0, whole(&batch.more)),
                    (true, 0) => (whole(&batch.rows), 0..0),
                    (true, _) => return Part::Nothing,
                    (false, _) => {
                        let after = |piece: usize| piece.saturating_sub(row_pieces);
                        let of_rows = pieces.start.min(row_pieces)..pieces.end.min(row_pieces);
                        let of_singles = after(pieces.start)..after(pieces.end);
                        (blocks(&batch.rows, &of_rows, size), blocks(&batch.more, &of_singles, single_size))
                    }
                };
                let from = |range: &Range<usize>, start: usize| {
                    range.start.saturating_sub(start)..range.end.saturating_sub(start)
                };
                let (own_rows, own_singles) = (from(&rows, self.starts[0]), from(&singles, self.starts[1]));
                // SAFETY: as above; orientations are only read in such a stage.
                unsafe {
                    Part::Joints {
                        rows: J::Joints::range(&self.joints, own_rows),
                        crowd: self.proven.crowd(&self.packed, rows.start, rows.end),
                        singles: self.singles.range(own_singles.start, own_singles.end),
                        single_crowd: self.proven.crowd(&self.packed, singles.start, singles.end),
                        rotations: self.rotations.all(),
                    }
                }
            }
            // SAFETY: all for one piece.
            Cut::All if pieces.start == 0 => unsafe {
                Part::All {
                    bodies: J::Bodies::range(&self.bodies, 0..usize::MAX),
                    rotations: self.rotations.range(0, usize::MAX),
                    packed: self.packed.range(0, usize::MAX),
                    rest: self.rest.item(0),
                }
            },
            Cut::All => Part::Nothing,
        }
    }
}

/// Runs stages one after the other, each with its cut and so many pieces.
pub(crate) fn run_stages<J: Job>(
    executor: &dyn Executor,
    job: &J,
    arrays: Arrays<'_, J>,
    (cuts, pieces): (&[Cut], &[usize]),
) {
    assert_eq!(cuts.len(), pieces.len(), "a cut for each stage");
    let arrays = SharedArrays::<J> {
        bodies: J::Bodies::share(arrays.bodies),
        rotations: Shared::new(arrays.rotations),
        packed: Shared::new(arrays.packed),
        rows: J::Rows::share(arrays.rows),
        contacts: Shared::new(arrays.contacts),
        homes: arrays.homes,
        joints: J::Joints::share(arrays.joints),
        singles: Shared::new(arrays.singles),
        rest: Shared::new(core::slice::from_mut(arrays.rest)),
        proven: arrays.proven,
        starts: arrays.starts,
    };
    executor.run_stages(pieces, &|stage, range| {
        let cut = cuts[stage];
        // Blocks of bodies stay as they are: what is done to them has room for one at a time.
        let size = if matches!(cut, Cut::Bodies { .. }) { 1 } else { range.len().max(1) };
        for start in range.clone().step_by(size) {
            let pieces = start..(start + size).min(range.end);
            // SAFETY: executors run each piece of a stage once, and stages one after the other; parts end with the call.
            let part = unsafe { arrays.part(cut, pieces) };
            job.piece(stage, part);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Pool;
    use crate::trusted::{Batch, Checks, Ends};

    /// Counts what it is given.
    struct Counting;

    impl Job for Counting {
        type Bodies = (u32, u32, u32);
        type Rotation = u32;
        type Packed = u32;
        type Rows = (u32, u32, u32);
        type Contact = u32;
        type Joints = (u32, u32, u32);
        type Single = u32;
        type Rest = u32;

        fn piece(&self, _: usize, part: Part<'_, Self>) {
            let add = |items: &mut [u32]| items.iter_mut().for_each(|item| *item += 1);
            match part {
                Part::Bodies { bodies: (a, b, c), rotations, packed, .. } => {
                    [a, b, c, rotations, packed].into_iter().for_each(add);
                }
                Part::Rows { rows: (a, b, c), mut crowd, mut contacts } => {
                    for (i, row) in a.iter().enumerate() {
                        *contacts.get(*row as usize) += 1;
                        *crowd.get_mut(i, 0, 0).expect("written") += 1;
                    }
                    [b, c].into_iter().for_each(add);
                }
                Part::Joints { rows: (a, b, c), mut crowd, singles, mut single_crowd, rotations } => {
                    assert_eq!(rotations.len(), 5);
                    (0..a.len()).for_each(|i| *crowd.get_mut(i, 0, 0).expect("written") += 1);
                    (0..singles.len()).for_each(|i| *single_crowd.get_mut(i, 0, 0).expect("written") += 1);
                    [a, b, c, singles].into_iter().for_each(add);
                }
                Part::All { rest, packed, .. } => {
                    *rest += 1;
                    add(packed);
                }
                Part::Nothing => {}
            }
        }
    }

    #[test]
    fn every_piece_gets_its_part_and_needless_ones_nothing() {
        // Three rows, two of joints, one single; row i writes body i of its batch.
        let writes = |slot: u32| Ends { slots: [[slot, 5, 5, 5, 5, 5, 5, 5], [5; 8]], writes: [1, 0] };
        let ends = [0, 1, 2, 0, 1, 2].map(writes);
        let batch = |rows: Range<u32>, more: Range<u32>, is_serial: bool| Batch { rows, more, is_serial };
        let batches = [
            batch(0..3, 0..0, false),
            batch(3..5, 5..6, false),
            batch(0..3, 0..0, true),
            batch(0..0, 5..6, true),
        ];
        let pool = Pool::new(3);
        let mut checks = Checks::default();
        let proven = checks.prove(&pool, &ends, &batches, 6);
        let mut bodies = [[0; 5]; 3];
        let (mut rotations, mut packed) = ([0; 5], [0; 6]);
        let mut rows = [[0, 1, 2], [0; 3], [0; 3]];
        let mut contacts = [0; 3];
        let mut joints = [[0; 2]; 3];
        let (mut singles, mut rest) = ([0], 0);
        let [b0, b1, b2] = &mut bodies;
        let [r0, r1, r2] = &mut rows;
        let [j0, j1, j2] = &mut joints;
        let arrays = Arrays::<Counting> {
            bodies: (b0, b1, b2),
            rotations: &mut rotations,
            packed: &mut packed,
            rows: (r0, r1, r2),
            contacts: &mut contacts,
            homes: &[0, 1, 2],
            joints: (j0, j1, j2),
            singles: &mut singles,
            rest: &mut rest,
            proven: &proven,
            starts: [3, 5],
        };
        let cuts = [
            Cut::Bodies { size: 2 },
            Cut::Rows { batch: 0, size: 1 },
            Cut::Joints { batch: 1, size: 1, single_size: 1 },
            Cut::Rows { batch: 2, size: 1 },
            Cut::Joints { batch: 3, size: 1, single_size: 1 },
            Cut::All,
        ];
        run_stages(&pool, &Counting, arrays, (&cuts, &[9, 9, 9, 9, 9, 9]));
        assert_eq!(bodies, [[1; 5]; 3]);
        assert_eq!((rotations, rest), ([1; 5], 1));
        // By bodies, by rows twice, by joints once, by the single one twice, and all at once; the ground all at once.
        assert_eq!(packed, [5, 5, 6, 2, 2, 1]);
        assert_eq!((rows, contacts), ([[0, 1, 2], [2; 3], [2; 3]], [2; 3]));
        assert_eq!((joints, singles), ([[1; 2]; 3], [2]));
    }
}
