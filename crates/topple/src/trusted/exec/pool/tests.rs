//! The pool against the plain loop, and in the situations that stop pools: panics, nesting, sharing, sleeping.

use crate::exec::{Executor, Pool, Serial};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::time::Duration;

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Counts the calls of every piece.
fn calls(pool: &dyn Executor, pieces: usize) -> Vec<usize> {
    let counts: Vec<_> = (0..pieces).map(|_| AtomicUsize::new(0)).collect();
    pool.run(pieces, &|i| {
        counts[i].fetch_add(1, Relaxed);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Each stage folds the results of the one before: wrong unless the barriers hold.
fn chain(executor: &dyn Executor, pieces: &[usize], width: usize) -> Vec<u64> {
    let cells: Vec<Vec<AtomicU64>> =
        (0..2).map(|k| (0..width).map(|i| AtomicU64::new((i * 3 + k) as u64)).collect()).collect();
    executor.run_stages(pieces, &|stage, range| {
        let (from, to) = (&cells[stage % 2], &cells[(stage + 1) % 2]);
        for piece in range {
            let mut state = from[piece].load(Relaxed) ^ from[(piece * 7 + stage) % width].load(Relaxed);
            to[piece].store(random(&mut state), Relaxed);
        }
    });
    cells.into_iter().flatten().map(AtomicU64::into_inner).collect()
}

#[test]
fn every_piece_runs_once_for_any_count_and_thread_number() {
    let mut seed = 1;
    for threads in [1, 2, 3, 8] {
        let pool = Pool::new(threads);
        assert_eq!(pool.threads(), threads);
        for _ in 0..300 {
            let pieces = (random(&mut seed) % 70) as usize;
            assert!(calls(&pool, pieces).iter().all(|&n| n == 1), "{pieces} pieces, {threads} threads");
        }
        assert!(calls(&pool, 50_000).iter().all(|&n| n == 1));
    }
}

#[test]
fn stages_equal_the_serial_result() {
    let mut seed = 2;
    for threads in [2, 4] {
        let pool = Pool::new(threads);
        for _ in 0..60 {
            let width = 1 + (random(&mut seed) % 40) as usize;
            let stages = (random(&mut seed) % 150) as usize;
            let pieces: Vec<_> =
                (0..stages).map(|_| (random(&mut seed) as usize % (width + 1)) % width.max(2)).collect();
            assert_eq!(chain(&pool, &pieces, width), chain(&Serial, &pieces, width));
        }
    }
}

#[test]
fn more_stages_than_a_ticket_can_number() {
    let pieces = vec![2; 70_000];
    assert_eq!(chain(&Pool::new(2), &pieces, 2), chain(&Serial, &pieces, 2));
}

#[test]
fn panics_reach_the_caller_and_leave_the_pool_usable() {
    let pool = Pool::new(3);
    let mut seed = 3;
    for round in 0..200 {
        let bad = (random(&mut seed) % 20) as usize;
        let running = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.run(20, &|i| {
                running.fetch_add(1, SeqCst);
                if i != bad {
                    std::hint::spin_loop();
                }
                running.fetch_sub(1, SeqCst);
                // No message on standard error for an expected panic.
                if i == bad {
                    std::panic::resume_unwind(Box::new(bad));
                }
            });
        }));
        assert_eq!(running.load(SeqCst), 0, "a piece outlived the call");
        assert_eq!(*result.expect_err("a panic").downcast::<usize>().expect("our payload"), bad);
        assert!(calls(&pool, round % 9).iter().all(|&n| n == 1));
    }
}

#[test]
fn no_stage_begins_after_a_panic() {
    let pool = Pool::new(2);
    let late = AtomicUsize::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.run_stages(&[4, 4, 4], &|stage, range| {
            if stage == 1 && range.contains(&2) {
                std::panic::resume_unwind(Box::new(()));
            }
            late.fetch_add(usize::from(stage == 2), SeqCst);
        });
    }));
    assert!(result.is_err());
    assert_eq!(late.load(SeqCst), 0);
}

#[test]
fn nested_runs_are_serial() {
    let pool = Pool::new(4);
    let sum = AtomicUsize::new(0);
    pool.run(8, &|_| {
        pool.run(8, &|_| {
            pool.run_stages(&[2, 2], &|_, range| {
                sum.fetch_add(range.len(), Relaxed);
            });
        });
    });
    assert_eq!(sum.into_inner(), 8 * 8 * 4);
}

#[test]
fn several_callers_share_a_pool() {
    let pool = Pool::new(3);
    std::thread::scope(|scope| {
        for caller in 0..4_u64 {
            let pool = &pool;
            scope.spawn(move || {
                let mut seed = caller;
                for _ in 0..300 {
                    let pieces: Vec<_> = (0..5).map(|_| random(&mut seed) as usize % 12).collect();
                    assert_eq!(chain(pool, &pieces, 12), chain(&Serial, &pieces, 12));
                }
            });
        }
    });
}

#[test]
fn parked_workers_wake() {
    let pool = Pool::new(2);
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(3));
        let me = std::thread::current().id();
        let others = AtomicUsize::new(0);
        // Long enough for a worker to wake up and take a piece, whatever else the machine does.
        for _ in 0..1000 {
            pool.run(2, &|_| {
                std::thread::sleep(Duration::from_millis(1));
                others.fetch_add(usize::from(std::thread::current().id() != me), Relaxed);
            });
            if others.load(Relaxed) > 0 {
                break;
            }
        }
        assert!(others.load(Relaxed) > 0, "the worker never came");
    }
}

#[test]
fn pools_come_and_go() {
    for round in 0..100 {
        let pool = Pool::new(1 + round % 5);
        assert!(calls(&pool, round % 4).iter().all(|&n| n == 1));
    }
    // The last owner is a piece, on whichever thread runs it.
    let pool = Arc::new(Pool::new(2));
    pool.run(2, &|_| drop(Arc::clone(&pool)));
}

#[test]
fn stress() {
    let pool = Pool::new(5);
    let mut seed = 9;
    for round in 0..3000 {
        if round % 500 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let count = random(&mut seed) as usize % 6;
        let pieces: Vec<_> = (0..count).map(|_| random(&mut seed) as usize % 8).collect();
        assert_eq!(chain(&pool, &pieces, 8), chain(&Serial, &pieces, 8), "round {round}");
    }
}
