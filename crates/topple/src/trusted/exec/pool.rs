//! A small pool of threads for stages of 20–50 µs, too short for schedulers with queues.
//!
//! The caller works too. Workers spin for a while after the last work, so that the next stage of the step finds them
//! awake, then park. Read `pool/desk.rs` for how pieces change hands.
//!
//! PERF: `cargo run --release --example pool_latency` on two cores of an AMD EPYC: a fork of 2 (16) empty pieces 40
//! (100) ns when the caller is done before a worker comes, 0.6 µs when they share; a barrier between stages in which
//! both threads work 0.15–0.4 µs; a stage of one piece 2 ns; 20 stages of 16 pieces of 1 µs run 1.9 times as fast as
//! on one thread, of 5 µs 2.0 times. With twice as many threads as cores nothing gets slower.

mod desk;
#[cfg(test)]
mod tests;

use super::{Executor, serial};
use desk::{Desk, End, MAX_PIECES, MAX_STAGES};
use std::hint::spin_loop;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, yield_now};
use std::time::{Duration, Instant};

/// How long a worker looks for work before it parks: longer than the serial stretches of a step, short against the
/// time between the steps of a game.
const IDLE_SPIN: Duration = Duration::from_micros(500);

/// Rounds of waiting with the processor's pause before the core is offered to others in every round. A pause is
/// 10–50 ns; who is waited for may be without a core.
const PAUSES: u32 = 200;

/// Threads that live as long as the pool. Many worlds may share one: a `run` that finds the pool taken by another, or
/// comes from inside a piece, runs on the calling thread alone.
///
/// A panic in a piece ends the call (pieces not yet begun are dropped) and is raised again on the caller, once no piece
/// is running any more; the pool can be used again.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    desk: Desk,
    stop: AtomicBool,
    /// Workers that are parked, or about to, and have not been called yet. Written under the lock of `calls`.
    parked: AtomicUsize,
    /// Parked workers that were called and have not woken yet.
    calls: Mutex<usize>,
    call: Condvar,
}

impl Pool {
    /// A pool in which `threads` threads work, the caller's among them; fewer if the system refuses to start them.
    pub fn new(threads: usize) -> Self {
        let shared = Arc::new(Shared {
            desk: Desk::new(threads),
            stop: AtomicBool::new(false),
            parked: AtomicUsize::new(0),
            calls: Mutex::new(0),
            call: Condvar::new(),
        });
        let spawn = |index: usize| {
            let shared = Arc::clone(&shared);
            let end = if index % 2 == 1 { End::High } else { End::Low };
            let name = format!("topple-{index}");
            thread::Builder::new().name(name).spawn(move || shared.work(end)).ok()
        };
        let workers = (1..threads).map_while(spawn).collect();
        Self { shared, workers }
    }

    /// Runs the stages of a job small enough for the desk.
    fn run_job(&self, pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        let shared = &*self.shared;
        match shared.desk.try_run(pieces, work, &|count| shared.wake(count), &pause) {
            Some(Ok(())) => {}
            Some(Err(payload)) => resume_unwind(payload),
            None => serial(pieces, work),
        }
    }
}

// SAFETY: pieces are handed out by a counter, each number once, and a stage begins when the one before is counted as done.
unsafe impl Executor for Pool {
    fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        if self.workers.is_empty() || pieces < 2 {
            return (0..pieces).for_each(work);
        }
        for start in (0..pieces).step_by(MAX_PIECES) {
            self.run_job(&[MAX_PIECES.min(pieces - start)], &|_, range| {
                range.for_each(|piece| work(start + piece));
            });
        }
    }

    fn run_stages(&self, pieces: &[usize], work: &(dyn Fn(usize, Range<usize>) + Sync)) {
        if self.workers.is_empty() || pieces.iter().all(|&count| count < 2) {
            return serial(pieces, work);
        }
        if pieces.iter().any(|&count| count > MAX_PIECES) {
            for (stage, &count) in pieces.iter().enumerate() {
                self.run(count, &|piece| work(stage, piece..piece + 1));
            }
            return;
        }
        for (part, pieces) in pieces.chunks(MAX_STAGES).enumerate() {
            self.run_job(pieces, &|stage, range| work(part * MAX_STAGES + stage, range));
        }
    }
}

impl Shared {
    /// The life of a worker.
    fn work(&self, end: End) {
        let wake = |count: usize| self.wake(count);
        while !self.stop.load(Relaxed) {
            if self.desk.help(end, &wake) {
                continue;
            }
            self.spin();
            if !self.desk.has_work() && !self.stop.load(Relaxed) {
                self.park();
            }
        }
    }

    /// Returns when there is work, or has been none for long.
    fn spin(&self) {
        let mut start = None;
        for round in 0_u32.. {
            if self.desk.has_work() || self.stop.load(Relaxed) {
                return;
            }
            pause(round);
            // Reading the clock costs as much as a pause, so not every time. While a job is open, its next stage is
            // near.
            if round % 64 == 63 && !self.desk.is_open() {
                let start = *start.get_or_insert_with(Instant::now);
                if start.elapsed() > IDLE_SPIN {
                    return;
                }
            }
        }
    }

    /// Sleeps until called. `parked` is raised before the last look at the desk, and `wake` looks at `parked` after work
    /// was laid out, both sequentially consistent: one of the two sees the other.
    fn park(&self) {
        let mut calls = self.lock();
        self.parked.fetch_add(1, SeqCst);
        if self.desk.has_work() || self.stop.load(SeqCst) {
            self.parked.fetch_sub(1, SeqCst);
            return;
        }
        while *calls == 0 {
            calls = self.call.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
        *calls -= 1;
    }

    /// Calls up to `count` parked workers. Costs one load if there are none.
    fn wake(&self, count: usize) {
        if self.parked.load(SeqCst) == 0 {
            return;
        }
        let mut calls = self.lock();
        let called = count.min(self.parked.load(SeqCst));
        self.parked.fetch_sub(called, SeqCst);
        *calls += called;
        drop(calls);
        (0..called).for_each(|_| self.call.notify_one());
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One round of waiting.
fn pause(round: u32) {
    if round < PAUSES { spin_loop() } else { yield_now() }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, SeqCst);
        self.shared.wake(usize::MAX);
        let me = thread::current().id();
        for worker in self.workers.drain(..) {
            // The last owner may be a piece of work that runs on one of our own workers.
            if worker.thread().id() != me {
                // Workers do not panic: pieces are caught.
                let _ = worker.join();
            }
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads()).finish()
    }
}
