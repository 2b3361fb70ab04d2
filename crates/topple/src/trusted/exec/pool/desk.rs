//! The desk of a pool: where a caller lays out a job and threads pick up its pieces. All `unsafe` of the pool is here.
//!
//! A job is a list of stages, each a number of pieces, and one closure; it lives on the stack of the caller. One word,
//! the *ticket*, says what can be claimed: {stage, lo, hi}, the pieces lo..hi of the stage. A claim is a compare-and-swap
//! that takes pieces off either end: a share of what is left, so that the word changes hands seldom, and one by one at the end,
//! so that all finish together. Threads that prefer opposite ends meet the same pieces in every stage with the
//! same cut, hence the same memory in their caches; the last pieces go to whoever is free.
//!
//! A thread counts the pieces it ran and *commits* them in one addition to `done`. Who brings `done` to the size of the
//! stage is alone in knowing that the stage is over, and lays out the next one, taking its first piece in the same
//! store: a chain of single pieces therefore runs on one thread without waiting for anyone. After the last stage the
//! ticket becomes `IDLE` and the caller returns.
//!
//! Nobody ever waits for a thread that holds no claim: a worker which the system put aside before its claim will find
//! another ticket when it comes back, and its compare-and-swap fails, or claims a piece of what is then open.
//!
//! Why the pointer to the job is good whenever it is followed:
//! 1. It is followed only between a successful claim and the commit of that claim.
//! 2. A stage ends only when all its pieces are committed; the job ends (ticket `IDLE`) only after its last stage.
//! 3. The caller leaves [`Desk::try_run`] only after it has seen `IDLE`, and nothing in between can unwind: the
//!    closure runs under `catch_unwind`, everything else does not panic.
//! 4. The pointer is stored before the ticket (release); a claim reads the ticket, or a value some other claim made of
//!    it (acquire), so it sees that pointer. That an old and a new ticket may look alike does no harm: the claim is
//!    then one of the new job, and the pointer, read after the claim, is the new one.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Mutex, PoisonError};

/// Most stages of a job, and most pieces of a stage: what the ticket has bits for.
pub(super) const MAX_STAGES: usize = 0x7FFE;
pub(super) const MAX_PIECES: usize = 0xFF_FFFF;

/// Which end of a stage a thread takes its pieces from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Low,
    High,
}

/// Pieces lo..hi of a stage are there to be claimed.
#[derive(Clone, Copy)]
struct Ticket {
    stage: usize,
    /// The only stage of its job.
    is_alone: bool,
    lo: usize,
    hi: usize,
}

/// No job.
const IDLE: u64 = 0xFFFF << 48;

/// Where a ticket says that its stage is the only one.
const ALONE: u64 = 1 << 63;

impl Ticket {
    fn pack(self) -> u64 {
        let stage = (self.stage as u64) << 48;
        let alone = if self.is_alone { ALONE } else { 0 };
        alone | stage | (self.lo as u64) << 24 | self.hi as u64
    }

    fn unpack(word: u64) -> Self {
        let field = |shift: u32| (word >> shift) as usize & MAX_PIECES;
        let (stage, is_alone) = ((word & !ALONE) >> 48, word & ALONE != 0);
        Self { stage: stage as usize, is_alone, lo: field(24), hi: field(0) }
    }

    /// Takes seven parts in `eighths` of what is left off, rounded up, half as much of a stage that is alone; None if there is nothing.
    fn take(mut self, end: End, eighths: usize) -> Option<(Self, Range<usize>)> {
        if self.lo >= self.hi {
            return None;
        }
        let parts = if self.is_alone { 2 * eighths } else { eighths };
        let count = (7 * (self.hi - self.lo)).div_ceil(parts);
        if end == End::Low {
            self.lo += count;
            Some((self, self.lo - count..self.lo))
        } else {
            self.hi -= count;
            Some((self, self.hi..self.hi + count))
        }
    }
}

/// What the caller wants done.
#[derive(Clone, Copy)]
struct Job<'a> {
    pieces: &'a [usize],
    work: &'a (dyn Fn(usize, Range<usize>) + Sync),
}

impl Job<'_> {
    /// The first stage from `stage` on that has pieces.
    fn stage_from(&self, stage: usize) -> Option<usize> {
        (stage..self.pieces.len()).find(|&s| self.pieces[s] > 0)
    }
}

/// A word on cache lines of its own: the neighbours of x86 are fetched in pairs.
#[repr(align(128))]
struct Apart<T>(T);

/// See the module head.
pub(super) struct Desk {
    ticket: Apart<AtomicU64>,
    /// Pieces of the current stage whose calls have returned.
    done: Apart<AtomicUsize>,
    job: AtomicPtr<Job<'static>>,
    /// A caller is at the desk.
    busy: AtomicBool,
    /// A piece panicked: no further stage is laid out.
    failed: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
    /// A claim takes seven of this many equal parts of what is left: seven eighths of what each thread would get. Of a stage that is alone it takes half of that: its pieces may
    /// take very different times, and are long enough for more claims. The rest is shared again, so that all
    /// finish together. At least 8.
    ///
    /// PERF: every claim moves the ticket from core to core. With a quarter of what is left for each of two threads, sub-steps took 3 to 5 % longer.
    eighths: usize,
}

impl Desk {
    /// A desk at which `threads` threads work.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            eighths: 8 * threads.max(1),
            ticket: Apart(AtomicU64::new(IDLE)),
            done: Apart(AtomicUsize::new(0)),
            job: AtomicPtr::new(core::ptr::null_mut()),
            busy: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            payload: Mutex::new(None),
        }
    }

    /// True if there is a piece to claim. Sequentially consistent: see `Pool` on going to sleep.
    pub(super) fn has_work(&self) -> bool {
        let ticket = Ticket::unpack(self.ticket.0.load(SeqCst));
        ticket.lo < ticket.hi
    }

    /// True while a caller is at the desk: more stages may follow at once.
    pub(super) fn is_open(&self) -> bool {
        self.ticket.0.load(Relaxed) != IDLE
    }

    /// Runs all stages, with the help of whoever calls [`Self::help`] meanwhile, and returns when all is done. `wake(n)`
    /// is called when n pieces were laid out for others; `wait(n)` is called for the n-th time in a row that there was
    /// nothing to do; neither may panic. A panic of `work` ends the job and comes back as `Err`. None: another caller
    /// is at the desk, nothing was done.
    pub(super) fn try_run(
        &self,
        pieces: &[usize],
        work: &(dyn Fn(usize, Range<usize>) + Sync),
        wake: &dyn Fn(usize),
        wait: &dyn Fn(u32),
    ) -> Option<Result<(), Box<dyn Any + Send>>> {
        assert!(pieces.len() <= MAX_STAGES && pieces.iter().all(|&count| count <= MAX_PIECES));
        let job = Job { pieces, work };
        let Some(first) = job.stage_from(0) else { return Some(Ok(())) };
        if self.busy.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            return None;
        }
        let job = (&raw const job).cast::<Job<'static>>();
        self.failed.store(false, Relaxed);
        self.job.store(job.cast_mut(), Relaxed);
        let taken = self.lay_out(first, pieces, End::Low, wake);
        // SAFETY: `job` is on our stack, and we hold the pieces that `lay_out` took.
        unsafe { self.work_on(job, first, taken, End::Low, wake) };
        let mut idle = 0;
        while self.ticket.0.load(Acquire) != IDLE {
            if self.help(End::Low, wake) {
                idle = 0;
            } else {
                wait(idle);
                idle = idle.saturating_add(1);
            }
        }
        let payload = self.payload.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.busy.store(false, Release);
        Some(payload.map_or(Ok(()), Err))
    }

    /// Works on the open job, if there is one, until there is nothing to claim. True if it did anything.
    pub(super) fn help(&self, end: End, wake: &dyn Fn(usize)) -> bool {
        let Some((stage, taken)) = self.claim(end) else { return false };
        // SAFETY: we hold a claim, so the job is alive, and the pointer, read after the claim, is its own.
        unsafe { self.work_on(self.job.load(Relaxed), stage, taken, end, wake) };
        true
    }

    /// Takes pieces of the open stage. Who holds an uncommitted claim gets pieces of the same stage only.
    fn claim(&self, end: End) -> Option<(usize, Range<usize>)> {
        let mut seen = self.ticket.0.load(Relaxed);
        loop {
            let (next, taken) = Ticket::unpack(seen).take(end, self.eighths)?;
            match self.ticket.0.compare_exchange_weak(seen, next.pack(), Acquire, Relaxed) {
                Ok(_) => return Some((next.stage, taken)),
                Err(now) => seen = now,
            }
        }
    }

    /// Opens a stage and takes its first pieces.
    fn lay_out(&self, stage: usize, pieces: &[usize], end: End, wake: &dyn Fn(usize)) -> Range<usize> {
        self.done.0.store(0, Relaxed);
        let count = pieces[stage];
        let whole = Ticket { stage, is_alone: pieces.len() == 1, lo: 0, hi: count };
        let (ticket, taken) = whole.take(end, self.eighths).expect("a stage with pieces");
        self.ticket.0.store(ticket.pack(), SeqCst);
        if count > taken.len() {
            wake(count - taken.len());
        }
        taken
    }

    /// Runs the pieces `taken` and all that can be claimed after it; lays out the stages that follow as long as this thread is the
    /// one that ends a stage.
    ///
    /// # Safety
    /// The caller holds the claim of the pieces `taken` in `stage` of the job, and `job` points to that job.
    unsafe fn work_on(
        &self,
        job: *const Job<'static>,
        mut stage: usize,
        mut taken: Range<usize>,
        end: End,
        wake: &dyn Fn(usize),
    ) {
        // SAFETY: alive while we hold a claim. A copy, since the original may be gone after the commit; what it
        // refers to is used only while we hold a claim, or between the end of a stage and the start of the next.
        let job = unsafe { *job };
        loop {
            let mut held = taken.len();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                (job.work)(stage, taken);
                while let Some((_, next)) = self.claim(end) {
                    held += next.len();
                    (job.work)(stage, next);
                }
            }));
            if let Err(payload) = outcome {
                held += self.give_up(payload);
            }
            let count = job.pieces[stage];
            if self.done.0.fetch_add(held, AcqRel) + held < count {
                return;
            }
            // All pieces have returned, and nobody else holds a claim: the job is ours until the next store.
            let next = if self.failed.load(Relaxed) { None } else { job.stage_from(stage + 1) };
            let Some(next) = next else {
                self.ticket.0.store(IDLE, Release);
                return;
            };
            taken = self.lay_out(next, job.pieces, end, wake);
            stage = next;
        }
    }

    /// After a panic: keeps the first payload and claims the rest of the stage, so that nobody runs it. Returns how many
    /// pieces that were.
    #[cold]
    fn give_up(&self, payload: Box<dyn Any + Send>) -> usize {
        self.failed.store(true, Relaxed);
        self.payload.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        std::iter::from_fn(|| self.claim(End::Low)).map(|(_, taken)| taken.len()).sum()
    }
}
