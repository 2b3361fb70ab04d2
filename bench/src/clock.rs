//! Time that other programs do not disturb much: CPU time of this thread, and minima of repetitions.

use cpu_time::ThreadTime;
use std::time::{Duration, Instant};

/// Runs `work` and returns what it returns with the CPU time of this thread [ns].
pub(crate) fn cpu<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = ThreadTime::now();
    let result = work();
    (result, ns(start.elapsed()))
}

/// Runs `work` and returns what it returns with the time on the wall [ns]: for work on several threads.
pub(crate) fn wall<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, ns(start.elapsed()))
}

fn ns(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}
