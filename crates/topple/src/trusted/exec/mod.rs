//! Threads: the engine has none of its own. A host hands an [`Executor`] to the world; the default runs everything on
//! the calling thread.
//!
//! DETERMINISM: work is cut into pieces whose boundaries depend on the amount of work alone, and pieces write to places
//! of their own. Which thread runs a piece, and how many there are, cannot be seen in the result.

mod pool;

use core::ops::Range;

pub use pool::Pool;

/// Runs pieces of work, possibly at the same time.
///
/// # Safety
/// The engine lets pieces write to places of their own without locks. So implementations promise what the methods say: every
/// piece exactly once, and stages one after the other.
pub unsafe trait Executor: Send + Sync {
    /// How many threads may work at once; at least 1.
    fn threads(&self) -> usize;

    /// Calls `work(i)` for every i in 0..`pieces`, each exactly once, in any order, on any thread, and returns when all
    /// calls have returned.
    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync));

    /// Runs a sequence of stages with a barrier between them: `work(s, range)` for ranges of 0..`pieces[s]` of any
    /// length, every piece in exactly one of them; no call of a stage begins before all calls of the stages before it have
    /// returned, and each sees what they wrote. Solvers have a hundred such stages per step, many of them too small for a
    /// fork of their own: an executor with threads should keep them together from the first stage to the last, as
    /// [`Pool`] does. Every call costs something, so pieces that one thread does in a row are best given at once.
    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        for (stage, &count) in pieces.iter().enumerate() {
            self.run(count, &|piece| work(stage, piece..piece + 1));
        }
    }
}

/// Everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

// SAFETY: one piece after the other, each once.
unsafe impl Executor for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..pieces).for_each(work);
    }

    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        serial(pieces, work);
    }
}

/// Every stage in order on the calling thread.
fn serial(pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
    for (stage, &count) in pieces.iter().enumerate() {
        if count > 0 {
            work(stage, 0..count);
        }
    }
}
