//! What a fork and a barrier of the thread pool cost: `cargo run --release --example pool_latency -- [threads]`.
//! Prints the minimum and the median of many repetitions; on a machine that does other things, trust the minimum.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use topple::exec::{Executor, Pool, Serial};

/// Nanoseconds of one call, minimum and median.
fn measure(repetitions: usize, mut call: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[repetitions / 2])
}

fn print(title: &str, (minimum, median): (f64, f64), per: f64) {
    println!("{title:52} {:9.0} ns {:9.0} ns", minimum / per, median / per);
}

/// About `microseconds` of arithmetic.
fn burn(microseconds: usize) {
    let mut x = 1_u64;
    for _ in 0..microseconds * 830 {
        x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2);
    let pool = Pool::new(threads);
    println!("{threads} threads{:42} {:>12} {:>12}", "", "minimum", "median");
    print("fork, 2 empty pieces", measure(20_000, || pool.run(2, &|_| {})), 1.0);
    print("fork, 16 empty pieces", measure(20_000, || pool.run(16, &|_| {})), 1.0);
    let stages = [16; 150];
    print("barrier, 16 empty pieces", measure(500, || pool.run_stages(&stages, &|_, _| {})), 150.0);
    print("barrier, 2 empty pieces", measure(500, || pool.run_stages(&[2; 150], &|_, _| {})), 150.0);
    print("stage of one empty piece", measure(500, || pool.run_stages(&[1; 150], &|_, _| {})), 150.0);

    println!();
    let me = std::thread::current().id();
    for (microseconds, pieces) in [(1, 2), (1, 16), (5, 16), (20, 16)] {
        let helped = AtomicUsize::new(0);
        let work = |_: usize, range: Range<usize>| {
            range.clone().for_each(|_| burn(microseconds));
            let is_helper = std::thread::current().id() != me;
            helped.fetch_add(if is_helper { range.len() } else { 0 }, Ordering::Relaxed);
        };
        let stages = [pieces; 20];
        let (serial, _) = measure(100, || Serial.run_stages(&stages, &work));
        let (parallel, _) = measure(100, || pool.run_stages(&stages, &work));
        let ideal = serial / threads.min(pieces) as f64;
        println!(
            "20 stages of {pieces:2} pieces of {microseconds:2} us: {:5.0} us alone, {:5.0} us together, {:.2} times as fast, \
             {:4.0} ns lost per barrier, {:.0} % by helpers",
            serial * 1e-3,
            parallel * 1e-3,
            serial / parallel,
            (parallel - ideal) / 20.0,
            helped.load(Ordering::Relaxed) as f64 / (pieces * 20) as f64,
        );
    }
}
