//! Threads: the engine has none of its own. A host hands an [`Executor`] to the world; the default runs everything on
//! the calling thread.
//!
//! DETERMINISM: work is cut into pieces whose boundaries depend on the amount of work alone, and pieces write to places
//! of their own. Which thread runs a piece, and how many there are, cannot be seen in the result.

mod pool;

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

    /// Runs a sequence of stages with a barrier between them: `work(s, i)` for every i in 0..`pieces[s]`, each exactly
    /// once; no call of a stage begins before all calls of the stages before it have returned, and each sees what they
    /// wrote. Solvers have a hundred such stages per step, many of them too small for a fork of their own: an executor
    /// with threads should keep them together from the first stage to the last, as [`Pool`] does.
    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, usize) + Sync)) {
        for (stage, &count) in pieces.iter().enumerate() {
            self.run(count, &|piece| work(stage, piece));
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

    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, usize) + Sync)) {
        serial(pieces, work);
    }
}

/// Every stage in order on the calling thread.
fn serial(pieces: &[usize], work: &(dyn Fn(usize, usize) + Sync)) {
    for (stage, &count) in pieces.iter().enumerate() {
        (0..count).for_each(|piece| work(stage, piece));
    }
}
