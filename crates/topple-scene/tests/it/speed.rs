//! 100 000 declarations are read and expanded in well under a second on a free core; the bounds here leave room for debug
//! builds and busy machines. `cargo test --release -p topple-scene speed -- --nocapture` prints the times.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use topple_scene::{Options, load};

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

/// The same fault in every round of a repetition is told once, and costs no more than a round without one: advice is not
/// looked for again.
#[test]
fn faults_in_repetitions_are_not_slow() {
    let rows = "world { } repeat i in 0..10000 { sphere ball { radius 0.5 } }";
    for fault in [
        "sphere { raduis 1  mas 2  kolour 3 }",
        "sphere { radius rdius }",
        "sphere { radius snie(1)  colour purpel  material wod }",
        "shpere { radius 1 }",
        "joint hing { a ball[0] }",
        "joint fixed { a bal  b bell }",
        "place pots;",
        "force wind { on nobodi  velocity 1,0,0 }",
        "expect finally { yy(ball) > 0; y(boll) > 0 }",
    ] {
        let text = format!("{rows} repeat i in 0..10000 {{ {fault} }}");
        let start = Instant::now();
        let loaded = load(&text, Options::default());
        let time = start.elapsed();
        assert!((1..=3).contains(&loaded.diagnostics.errors()), "{}", loaded.report(false));
        let limit = if cfg!(debug_assertions) { Duration::from_secs(10) } else { Duration::from_secs(2) };
        println!("{fault}: {:.0} ms", time.as_secs_f64() * 1e3);
        assert!(time < limit, "{fault}: {time:?}");
    }
}
