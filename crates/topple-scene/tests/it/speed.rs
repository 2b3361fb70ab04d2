//! 100 000 declarations are read and expanded in well under a second on a free core; the bounds here leave room for debug
//! builds and busy machines. `cargo test --release -p topple-scene speed -- --nocapture` prints the times.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::support::good;

fn timed(what: &str, text: &str, bodies: usize) -> Duration {
    let start = Instant::now();
    let scene = good(text);
    let time = start.elapsed();
    assert_eq!(scene.bodies.len(), bodies);
    println!("{what}: {bodies} bodies from {} kB in {:.0} ms", text.len() / 1000, time.as_secs_f64() * 1e3);
    time
}

#[test]
fn a_hundred_thousand_declarations_are_fast() {
    let count = 100_000;
    let mut flat = String::new();
    for i in 0..count {
        let _ = writeln!(
            flat,
            "sphere {{ radius 0.5 mass 1 centre {}.25,{},-{}.5 vel 0,1,0 colour 1,0.5,0 }}",
            i % 100,
            i / 100,
            i % 7
        );
    }
    let limit = if cfg!(debug_assertions) { Duration::from_secs(20) } else { Duration::from_secs(3) };
    assert!(timed("flat", &flat, count) < limit);
    let loops = "world { } repeat i in 0..100 { repeat j in 0..1000 {
        sphere ball { radius 0.5 mass 1 centre i + uniform(-0.1, 0.1), j*1.1, sin(i/10) vel 0,1,0 } } }";
    assert!(timed("repeated, named, random", loops, count) < limit);
}
