//! Threads: the engine has none of its own. A host hands an [`Executor`] to the world; the default runs everything on
//! the calling thread.
//!
//! DETERMINISM: work is cut into pieces whose boundaries depend on the amount of work alone, and pieces write to places
//! of their own. Which thread runs a piece, and how many there are, cannot be seen in the result.

/// Runs pieces of work, possibly at the same time.
pub trait Executor: Send + Sync {
    /// How many threads may work at once; at least 1.
    fn threads(&self) -> usize;

    /// Calls `work(i)` for every i in 0..`pieces`, each exactly once, in any order, on any thread, and returns when all
    /// calls have returned.
    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync));
}

/// Everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Executor for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..pieces).for_each(work);
    }
}
