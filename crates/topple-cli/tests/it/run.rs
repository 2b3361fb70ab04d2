//! `run`: the summary, the JSON object, flags, determinism.

use crate::support::{Bench, DIRECTED, HEAP, STACK, code, stderr, stdout};
use std::io::Write;
use std::process::Stdio;

#[test]
fn the_json_object_has_the_fields_of_the_contract() {
    let bench = Bench::new();
    bench.write("stack.scene", STACK);
    let json = bench.json("run stack.scene -n 50 --json --threads 2");
    let fields: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let contract = "scene dimension frames dt threads bodies awake methods wall_s step_ms stage_ms pairs contacts \
                    islands energy momentum angular_momentum max_penetration scene_errors hash";
    assert_eq!(fields, contract.split_whitespace().collect::<Vec<_>>());
    let keys = |field: &str| json[field].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys("methods"), ["integrator", "broad_phase", "narrow_phase", "solver"]);
    assert_eq!(keys("step_ms"), ["mean", "p50", "p99", "max"]);
    assert_eq!(keys("energy"), ["kinetic", "potential", "total", "initial_total"]);
    assert_eq!(json["frames"], 50);
    assert_eq!(json["bodies"], 7);
    assert_eq!(json["threads"], 2);
    assert_eq!(json["dt"], 1.0 / 60.0);
    assert_eq!(json["momentum"].as_array().unwrap().len(), 2);
    assert_eq!(json["angular_momentum"].as_array().unwrap().len(), 1);
    assert_eq!(json["hash"].as_str().unwrap().len(), 16);
}

#[test]
fn energy_of_a_falling_ball_is_what_it_should_be() {
    let bench = Bench::new();
    bench.write("ball.scene", "world { }\nsphere { radius 0.5  mass 2  centre 1,10,0  vel 3,0,0 }");
    let json = bench.json("run ball.scene -n 0 --json");
    assert_eq!(json["energy"]["kinetic"], 9.0);
    assert!((json["energy"]["potential"].as_f64().unwrap() - 196.0).abs() < 1e-4);
    assert_eq!(json["momentum"], serde_json::json!([6.0, 0.0, 0.0]));
    // r × p = (1, 10, 0) × (6, 0, 0).
    assert_eq!(json["angular_momentum"], serde_json::json!([0.0, 0.0, -60.0]));
}

#[test]
fn the_hash_is_the_same_with_any_number_of_threads_and_every_time() {
    let bench = Bench::new();
    bench.write("heap.scene", HEAP);
    let hash = |threads: u32| {
        bench.json(&format!("run heap.scene -n 60 --json --threads {threads}"))["hash"].clone()
    };
    let first = hash(1);
    for threads in [1, 2, 3, 8] {
        assert_eq!(hash(threads), first, "{threads} threads");
    }
}

#[test]
fn flags_reach_the_world() {
    let bench = Bench::new();
    bench.write("stack.scene", STACK);
    let flags = "--solver baumgarte --broad-phase all-pairs --dt 1/120 --substeps 2 --no-sleeping";
    let json = bench.json(&format!("run stack.scene -n 10 --json {flags}"));
    assert_eq!(json["methods"]["solver"], "baumgarte");
    assert_eq!(json["methods"]["broad_phase"], "all-pairs");
    assert_eq!(json["dt"], 1.0 / 120.0);
    let json = bench.json("run stack.scene -n 1 --json --set n=9");
    assert_eq!(json["bodies"], 11, "a parameter of the scene");
    let json = bench.json("run stack.scene -n 1 --json --set dt=0.01");
    assert_eq!(json["dt"], 0.01, "a setting of the language");
    bench.good("run stack.scene -n 1 --set contact_hertz=20 --set pushSpeed=2");
}

#[test]
fn seed_changes_what_is_drawn() {
    let bench = Bench::new();
    bench.write("x.scene", "world { seed 1 }\nsphere { radius 1  centre uniform(-1,1),0,0 }");
    let hash = |flags: &str| bench.json(&format!("run x.scene -n 1 --json {flags}"))["hash"].clone();
    assert_eq!(hash(""), hash("--seed 1"));
    assert_ne!(hash(""), hash("--seed 2"));
}

#[test]
fn a_scene_comes_from_standard_input_too() {
    let bench = Bench::new();
    for arguments in [vec!["run", "-n", "5", "--json"], vec!["run", "-", "-n", "5", "--json"]] {
        let mut command = bench.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(STACK.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains("\"scene\": \"standard input\""));
    }
}

#[test]
fn files_of_a_scene_from_standard_input_are_beside_the_working_directory() {
    let bench = Bench::new();
    bench.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mut command = bench.command();
    command.args(["run", "-", "-n", "1", "--strict"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"world { }\nmesh { file \"m.obj\"  static }\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn the_summary_speaks_to_a_person() {
    let bench = Bench::new();
    bench.write("stack.scene", STACK);
    let text = bench.good("run stack.scene");
    for word in ["Stack: 2D, 7 bodies", "60 steps", "steps/s", "times real time", "energy", "momentum"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
    for word in ["overlap", "hash", "1 of 1 hold"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
    let output = bench.topple("run stack.scene --quiet");
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("", ""));
}

#[test]
fn faulty_declarations_are_left_out_or_refused() {
    let bench = Bench::new();
    bench.write("bad.scene", "world { }\nsphere { radius -1 }\nsphere { radius 1 }\nbxo { }");
    let output = bench.topple("run bad.scene -n 1 --json");
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("bad.scene:2"));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((json["scene_errors"].as_u64(), json["bodies"].as_u64()), (Some(2), Some(1)));
    let output = bench.topple("run bad.scene -n 1 --json --strict");
    assert_eq!(code(&output), 3);
    assert!(stdout(&output).is_empty());
}

#[test]
fn an_empty_file_is_an_empty_world() {
    let bench = Bench::new();
    bench.write("empty.scene", "");
    assert_eq!(bench.json("run empty.scene -n 3 --json")["bodies"], 0);
}

#[test]
fn a_scene_that_stops_itself_ends_early() {
    let bench = Bench::new();
    bench.write("stop.scene", "world { dimension 2 }\nat 20 steps { stop }");
    assert_eq!(bench.json("run stop.scene -n 100 --json")["frames"], 20);
}

#[test]
fn profiles_and_plots_are_written() {
    let bench = Bench::new();
    bench.write("x.scene", DIRECTED);
    bench.good("run x.scene -n 30 --profile p.csv --plot p.svg");
    bench.good("run x.scene -n 30 --profile p.json --plot p.png");
    let csv = bench.read("p.csv");
    assert!(csv.starts_with("frame,time,step_ms,pairs_ms,contacts_ms"));
    assert_eq!(csv.lines().count(), 31);
    let json: serde_json::Value = serde_json::from_str(&bench.read("p.json")).unwrap();
    assert_eq!(json["steps"].as_array().unwrap().len(), 30);
    assert!(bench.read("p.svg").contains("</svg>"));
    assert!(std::fs::read(bench.path("p.png")).unwrap().starts_with(b"\x89PNG"));
}

/// What the methods counted is in the file, under the same names in both formats and with as many columns in every row.
#[test]
fn profiles_tell_what_the_methods_did() {
    let bench = Bench::new();
    bench.write("heap.scene", HEAP);
    let cases = [
        ("sort-and-sweep", "sat", vec!["swaps", "boxes_tested", "axes"], vec!["gjk_iterations"]),
        ("grid", "gjk", vec!["cells_visited", "cells_laid_out", "gjk_iterations"], vec![]),
    ];
    for (broad, narrow, counted, not) in cases {
        let methods = format!("--broad-phase {broad} --narrow-phase {narrow}");
        bench.good(&format!("run heap.scene -n 40 {methods} --profile p.csv"));
        bench.good(&format!("run heap.scene -n 40 {methods} --profile p.json"));
        let csv = bench.read("p.csv");
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{methods}");
        let json: serde_json::Value = serde_json::from_str(&bench.read("p.json")).unwrap();
        let total = |name: &str| {
            let column = rows[0].iter().position(|&known| known == name);
            let column = column.unwrap_or_else(|| panic!("{methods}: no column {name}"));
            let sum = rows[1..].iter().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>();
            let steps = json["steps"].as_array().unwrap().iter();
            let again = steps.map(|step| step["methods"][name].as_u64().unwrap()).sum::<u64>();
            assert_eq!(sum, again, "{methods}: {name}");
            sum
        };
        counted.iter().for_each(|name| assert!(total(name) > 0, "{methods}: no {name}"));
        not.iter().for_each(|name| assert_eq!(total(name), 0, "{methods}: {name}"));
        assert!(total("computed") + total("recycled") > 0);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_the_summary_so_far() {
    let bench = Bench::new();
    bench.write("heap.scene", HEAP);
    let mut command = bench.command();
    command.args([
        "run",
        "heap.scene",
        "-n",
        "100000000",
        "--json",
        "--trajectory",
        "t.csv",
        "--no-sleeping",
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while bench.path("t.csv").metadata().map_or(0, |found| found.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let frames = json["frames"].as_u64().unwrap();
    assert!(frames > 0);
    let rows = bench.read("t.csv").lines().count() as u64;
    assert_eq!(rows, 1 + (frames + 1) * 217, "whole frames only");
}
