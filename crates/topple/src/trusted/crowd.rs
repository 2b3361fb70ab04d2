//! Bodies on which many rows of constraints act, each row in its own thread.
//!
//! A row acts on the bodies of its lanes, two per lane, and writes some of them. Rows of one *batch* run at the same time.
//!
//! **Why it is sound.** [`Checks::prove`] walks over every lane of every row and marks its body: it refuses a batch in which a body
//! is written by one lane and touched by another one, and slots that no body has. What it has seen is borrowed from then on, and cannot
//! change. So among rows of a proven batch, a body that is written belongs to one lane, and all others are only read. A
//! [`Crowd`] lets a thread touch the bodies of its own rows, read while it is borrowed and write while it is borrowed alone.

use super::four::F4;
use super::pieces::{Each, Shared, in_pieces};
use crate::exec::Executor;
use core::ops::Range;

/// Lanes of a row.
const WIDTH: usize = 8;

/// The bodies of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Ends {
    /// Where the bodies of sides a and b are in the list of bodies.
    pub(crate) slots: [[u32; WIDTH]; 2],
    /// Lanes whose body answers to impulses and is written.
    pub(crate) writes: [u8; 2],
}

impl Ends {
    /// All lanes act on `slot`, and write nothing.
    pub(crate) fn on(slot: u32) -> Self {
        Self { slots: [[slot; WIDTH]; 2], writes: [0; 2] }
    }

    /// True if a lane writes its body.
    pub(crate) fn writes(&self, side: usize, lane: usize) -> bool {
        self.writes[side] >> lane & 1 == 1
    }
}

/// Rows that run at the same time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// Their numbers.
    pub(crate) rows: Range<u32>,
    /// More of them.
    pub(crate) more: Range<u32>,
    /// Or rather one after the other, as one piece: they may have bodies in common. Then `more` does not count if there are `rows`.
    pub(crate) is_serial: bool,
}

/// Which bodies the rows of each batch act on, with the proof that they do not disturb each other.
pub(crate) struct Proven<'a> {
    ends: &'a [Ends],
    batches: &'a [Batch],
    /// All slots are below.
    bodies: usize,
}

/// What checking takes, batch by batch; keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    batches: Vec<Check>,
    /// Number of the check.
    stamp: u8,
}

#[derive(Debug, Default)]
struct Check {
    /// Who touched each body last: 2·stamp for a reader, 2·stamp + 1 for a writer.
    marks: Vec<u8>,
    /// What was proven last, with so many bodies. PERF: most batches are the same as in the step before, and to see that takes a tenth of
    /// the time of another proof.
    rows: Vec<Ends>,
    more: Vec<Ends>,
    bodies: usize,
    is_serial: bool,
}

/// Checks until the numbers begin again.
const STAMPS: u8 = 127;

impl Checks {
    /// Sees to it that the rows of a batch can run at the same time.
    ///
    /// # Panics
    /// If they cannot: if one of them writes what another one touches.
    pub(crate) fn prove<'a>(
        &mut self,
        executor: &dyn Executor,
        ends: &'a [Ends],
        batches: &'a [Batch],
        bodies: usize,
    ) -> Proven<'a> {
        self.stamp += 1;
        if self.stamp > STAMPS {
            self.batches.iter_mut().for_each(|check| check.marks.fill(0));
            self.stamp = 1;
        }
        if self.batches.len() < batches.len() {
            self.batches.resize_with(batches.len(), Check::default);
        }
        let stamp = 2 * self.stamp;
        in_pieces(executor, 1, Each::of(&mut self.batches[..batches.len()]), |number, check| {
            let Batch { rows, more, is_serial } = &batches[number];
            let [rows, more] = [rows, more].map(|range| &ends[range.start as usize..range.end as usize]);
            check.prove(rows, more, *is_serial, bodies, stamp);
        });
        Proven { ends, batches, bodies }
    }
}

impl Check {
    fn prove(&mut self, rows: &[Ends], more: &[Ends], is_serial: bool, bodies: usize, stamp: u8) {
        if (rows.is_empty() && more.is_empty())
            || (self.bodies <= bodies
                && self.is_serial == is_serial
                && self.rows == rows
                && self.more == more)
        {
            return;
        }
        if self.marks.len() < bodies {
            self.marks.resize(bodies, 0);
        }
        // Nothing is proven if this panics.
        self.rows.clear();
        self.more.clear();
        for ends in rows.iter().chain(more) {
            let fits = mark(ends, &mut self.marks[..bodies], stamp) || is_serial;
            assert!(fits, "rows of one batch share no body that they write");
        }
        self.rows.extend_from_slice(rows);
        self.more.extend_from_slice(more);
        (self.bodies, self.is_serial) = (bodies, is_serial);
    }
}

/// Marks the bodies of a row. False if it writes what another row touched, or touches what another row writes.
///
/// # Panics
/// If there is no such body.
#[inline]
fn mark(ends: &Ends, marks: &mut [u8], stamp: u8) -> bool {
    let last = ends.slots.as_flattened().iter().fold(0, |last, &slot| slot.max(last));
    assert!((last as usize) < marks.len(), "slot {last} of {}", marks.len());
    let mut fits = true;
    for side in 0..2 {
        let (slots, writes) = (&ends.slots[side], ends.writes[side]);
        for lane in 0..WIDTH {
            let is_writer = writes >> lane & 1;
            // SAFETY: no slot of the row is above `last`.
            let at = unsafe { marks.get_unchecked_mut(slots[lane] as usize) };
            // Another writer, or a reader while this is a writer. Older marks are smaller.
            fits &= *at < stamp + 1 - is_writer;
            *at = stamp | is_writer;
        }
    }
    fits
}

impl<'a> Proven<'a> {
    /// The batch with this number.
    pub(super) fn batch(&self, batch: usize) -> &'a Batch {
        &self.batches[batch]
    }

    /// The bodies on which rows `from..to` act.
    ///
    /// # Safety
    /// While the result lives, nobody touches the bodies but rows of the same batch, each number once; of a serial batch, none but these.
    pub(super) unsafe fn crowd<'p, T>(
        &self,
        bodies: &'p Shared<'_, T>,
        from: usize,
        to: usize,
    ) -> Crowd<'p, T>
    where
        'a: 'p,
    {
        assert!(bodies.len() >= self.bodies, "as many bodies as there were");
        Crowd { bodies: *bodies, ends: &self.ends[from..to] }
    }
}

/// Bodies that are made of floats.
pub(crate) trait Floats {
    /// Replaces the four at `offset`.
    fn put(&mut self, offset: usize, four: F4);
}

/// The bodies of some rows.
pub(crate) struct Crowd<'p, T> {
    bodies: Shared<'p, T>,
    ends: &'p [Ends],
}

impl<'p, T> Crowd<'p, T> {
    /// All bodies, for who has them anyway.
    ///
    /// # Panics
    /// If a row acts on a body that is not there.
    #[cfg(test)]
    pub(crate) fn all(bodies: &'p mut [T], ends: &'p [Ends]) -> Self {
        let most =
            ends.iter().flat_map(|ends| ends.slots.as_flattened()).fold(0, |most, &slot| slot.max(most));
        assert!(ends.is_empty() || (most as usize) < bodies.len(), "slot {most} of {}", bodies.len());
        Self { bodies: Shared::new(bodies), ends }
    }

    /// The rows.
    #[inline(always)]
    pub(crate) fn ends(&self) -> &'p [Ends] {
        self.ends
    }

    /// The bodies of one side of a row.
    #[inline(always)]
    pub(crate) fn side(&self, row: usize, side: usize) -> [&T; WIDTH] {
        // SAFETY: slots are below the number of bodies, which was checked; they are ours to read, and not written while we are borrowed.
        self.ends[row].slots[side].map(|slot| unsafe { self.bodies.shared(slot as usize) })
    }

    /// Replaces four floats of the bodies of a side, lane by lane, where the lane writes its body.
    ///
    /// PERF: no closure in here: one that the compiler does not inline loses the wide instructions of its caller.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, side: usize, offset: usize, fours: [F4; WIDTH])
    where
        T: Floats,
    {
        let (slots, writes) = (&self.ends[row].slots[side], self.ends[row].writes[side]);
        for lane in 0..WIDTH {
            if writes >> lane & 1 == 1 {
                // SAFETY: as above; ours to write, and no other reference is alive.
                unsafe { self.bodies.exclusive(slots[lane] as usize) }.put(offset, fours[lane]);
            }
        }
    }

    /// The body of a lane.
    #[inline]
    pub(crate) fn get(&self, row: usize, side: usize, lane: usize) -> &T {
        // SAFETY: as in `side`.
        unsafe { self.bodies.shared(self.ends[row].slots[side][lane] as usize) }
    }

    /// The same to write, if the lane does.
    #[inline]
    pub(crate) fn get_mut(&mut self, row: usize, side: usize, lane: usize) -> Option<&mut T> {
        let ends = &self.ends[row];
        // SAFETY: as in `write`.
        ends.writes(side, lane).then(|| unsafe { self.bodies.exclusive(ends.slots[side][lane] as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{Pool, Serial};

    /// A row in which lane i acts on slots a[i] and b[i]; slots below 10 are written.
    fn row(a: [u32; WIDTH], b: [u32; WIDTH]) -> Ends {
        let writes = |slots: [u32; WIDTH]| (0..WIDTH).fold(0, |bits, i| bits | u8::from(slots[i] < 10) << i);
        Ends { slots: [a, b], writes: [writes(a), writes(b)] }
    }

    fn is_refused(ends: &[Ends], batch: Batch) -> bool {
        let attempt = || _ = Checks::default().prove(&Serial, ends, &[batch], 12);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt)).is_err()
    }

    #[test]
    fn what_could_disturb_is_refused() {
        let first = row([0, 1, 2, 3, 11, 11, 11, 11], [4, 5, 11, 11, 11, 10, 11, 11]);
        let second = row([6, 7, 11, 11, 11, 11, 11, 11], [8, 10, 11, 11, 11, 11, 11, 11]);
        let both = |rows: &[Ends]| is_refused(rows, Batch { rows: 0..rows.len() as u32, ..Batch::default() });
        assert!(!both(&[first, second]), "bodies that nobody writes may be shared");
        assert!(both(&[first, first]), "written twice");
        assert!(!is_refused(&[first, first], Batch { rows: 0..1, ..Batch::default() }), "not in the batch");
        assert!(is_refused(&[first, second, first], Batch { rows: 0..1, more: 2..3, ..Batch::default() }));
        assert!(!is_refused(&[first, first], Batch { rows: 0..2, is_serial: true, ..Batch::default() }));
        let reader = Ends { writes: [0; 2], ..Ends::on(5) };
        assert!(both(&[first, reader]) && both(&[reader, first]), "written and read");
        assert!(both(&[row([0, 0, 11, 11, 11, 11, 11, 11], [11; 8])]), "in one row");
        assert!(
            both(&[row([0, 11, 11, 11, 11, 11, 11, 11], [0, 11, 11, 11, 11, 11, 11, 11])]),
            "on both sides"
        );
        for is_serial in [false, true] {
            assert!(
                is_refused(&[Ends::on(12)], Batch { rows: 0..1, is_serial, ..Batch::default() }),
                "no such body"
            );
        }
    }

    #[test]
    fn what_changed_is_checked_again() {
        let first = row([0, 1, 2, 3, 11, 11, 11, 11], [4, 5, 11, 11, 11, 10, 11, 11]);
        let second = row([6, 7, 11, 11, 11, 11, 11, 11], [8, 10, 11, 11, 11, 11, 11, 11]);
        let mut checks = Checks::default();
        let mut is_refused = |rows: [Ends; 2], bodies: usize| {
            let batch = [Batch { rows: 0..2, ..Batch::default() }];
            let attempt = || _ = checks.prove(&Serial, &rows, &batch, bodies);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt)).is_err()
        };
        for _ in 0..2 {
            assert!(!is_refused([first, second], 12) && !is_refused([first, second], 12));
            assert!(is_refused([first, first], 12), "other rows");
            assert!(is_refused([first, first], 12), "and again");
            assert!(!is_refused([second, first], 12) && !is_refused([second, first], 13));
            assert!(is_refused([second, first], 11), "fewer bodies");
        }
    }

    #[test]
    fn checks_can_go_on_for_ever() {
        let mut checks = Checks::default();
        let ends = [row([0, 1, 2, 3, 4, 5, 6, 7], [10; 8]), row([8, 9, 11, 11, 11, 11, 11, 11], [11; 8])];
        let batches = [0..2, 1..2, 0..0].map(|rows| Batch { rows, ..Batch::default() });
        let pool = Pool::new(2);
        let mut other = ends;
        other.reverse();
        for _ in 0..500 {
            checks.prove(&pool, &ends, &batches, 12);
            checks.prove(&pool, &other, &batches, 12);
        }
    }

    impl Floats for [f32; 4] {
        fn put(&mut self, offset: usize, four: F4) {
            assert_eq!(offset, 0);
            four.store(self);
        }
    }

    #[test]
    fn crowds_reach_their_bodies() {
        let mut bodies: [[f32; 4]; 12] = core::array::from_fn(|i| [i as f32; 4]);
        let ends = [row([3, 11, 11, 11, 11, 11, 11, 11], [11, 11, 11, 11, 11, 11, 11, 7])];
        let mut crowd = Crowd::all(&mut bodies, &ends);
        assert_eq!(crowd.side(0, 1).map(|body| body[0]), [11.0, 11.0, 11.0, 11.0, 11.0, 11.0, 11.0, 7.0]);
        for side in 0..2 {
            crowd.put(0, side, 0, core::array::from_fn(|lane| F4::splat(100.0 + lane as f32)));
        }
        assert_eq!(crowd.get_mut(0, 1, 0), None, "not written");
        crowd.get_mut(0, 0, 0).expect("written")[1] = 0.5;
        assert_eq!((*crowd.get(0, 0, 0), *crowd.get(0, 1, 7)), ([100.0, 0.5, 100.0, 100.0], [107.0; 4]));
        assert!((0..12).all(|i| i == 3 || i == 7 || bodies[i] == [i as f32; 4]), "nothing else");
    }
}
