//! Saved worlds go on bit for bit; what is not one is refused.

use crate::support::{Bench, DIRECTED, HEAP, STACK, code, stderr};

fn continues(name: &str, scene: &str) {
    let bench = Bench::new();
    bench.write("x.scene", scene);
    let whole = bench.json("run x.scene -n 90 --json --threads 1");
    bench.good("run x.scene -n 40 --save half.topple --trajectory a.csv");
    let rest = bench.json("run half.topple -n 50 --json --threads 2 --trajectory b.csv");
    assert_eq!(rest["hash"], whole["hash"], "{name}");
    assert_eq!(rest["frames"], 50);
    // The row of the moment between is in both.
    let (first, second) = (bench.read("a.csv"), bench.read("b.csv"));
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("40,")).map(String::from).collect()
    };
    assert_eq!(rows(&first), rows(&second));
    // And once more, from a continued one.
    bench.good("run half.topple -n 20 --save later.topple");
    let last = bench.json("run later.topple -n 30 --json");
    assert_eq!(last["hash"], whole["hash"], "{name}, saved twice");
}

#[test]
fn a_stack_continues() {
    continues("stack", STACK);
}

#[test]
fn a_heap_continues() {
    continues("heap", HEAP);
}

#[test]
fn events_and_random_numbers_continue() {
    continues("directed", DIRECTED);
}

#[test]
fn included_files_and_values_travel_along() {
    let bench = Bench::new();
    bench.write("part.inc", "sphere b { radius 0.5  centre 0,3,0 }");
    bench.write("x.scene", "world { }\nparam v = 1\ninclude \"part.inc\"\nsphere { radius 1  vel v,0,0 }");
    let whole = bench.json("run x.scene -n 20 --json --set v=3");
    bench.good("run x.scene -n 10 --save half.topple --set v=3");
    std::fs::remove_file(bench.path("part.inc")).unwrap();
    std::fs::remove_file(bench.path("x.scene")).unwrap();
    assert_eq!(bench.json("run half.topple -n 10 --json")["hash"], whole["hash"]);
}

#[test]
fn meshes_and_generators_travel_along() {
    let bench = Bench::new();
    bench.write("wedge.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    let text = "world { }\nwall { normal 0,1,0  toOrig 0 }\nmesh w { file \"wedge.obj\"  centre 0,2,0 }\n\
                sphere s { radius 0.3  centre 0.3,4,0.2 }\nforce wind { velocity 2,0,0 }\nforce drag { angular 0.01 }\n";
    for director in [
        "",
        "at 15 steps { mesh late { file \"wedge.obj\"  centre 3,1,0 }  force vortex { radius 5  swirl 3 } }\n",
    ] {
        bench.write("wedge.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
        bench.write("x.scene", format!("{text}{director}"));
        let whole = bench.json("run x.scene -n 60 --json");
        bench.good("run x.scene -n 30 --save half.topple");
        std::fs::remove_file(bench.path("wedge.obj")).unwrap();
        assert_eq!(bench.json("run half.topple -n 30 --json")["hash"], whole["hash"], "{director}");
    }
}

#[test]
fn methods_chosen_before_are_kept_and_can_be_changed() {
    let bench = Bench::new();
    bench.write("x.scene", STACK);
    bench.good("run x.scene -n 10 --solver baumgarte --save s.topple");
    assert_eq!(bench.json("run s.topple -n 1 --json")["methods"]["solver"], "baumgarte");
    assert_eq!(bench.json("run s.topple -n 1 --json --solver soft-step")["methods"]["solver"], "soft-step");
}

#[test]
fn damaged_files_are_refused() {
    let bench = Bench::new();
    bench.write("x.scene", STACK);
    bench.good("run x.scene -n 10 --save s.topple");
    let good = std::fs::read(bench.path("s.topple")).unwrap();
    for (length, what) in [(20, "cut off"), (200, "cut off"), (good.len() - 1, "cut off")] {
        bench.write("bad.topple", &good[..length]);
        let output = bench.topple("run bad.topple -n 1");
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains(what), "{}", stderr(&output));
    }
    for at in [30, good.len() / 2, good.len() - 3] {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        bench.write("bad.topple", &bad);
        let output = bench.topple("run bad.topple -n 1");
        assert_eq!(code(&output), 1, "byte {at}: {}", stderr(&output));
    }
    let mut other = good.clone();
    other[16] = 99;
    bench.write("bad.topple", &other);
    assert!(stderr(&bench.topple("run bad.topple")).contains("another version"));
}
