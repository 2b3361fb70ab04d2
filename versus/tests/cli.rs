//! The program as a user runs it, on scenes small enough for a test.

use std::path::PathBuf;
use std::process::{Command, Output};

fn versus(arguments: &[&str]) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_versus")).args(arguments).output().expect("the program starts");
    assert!(
        output.status.success(),
        "versus {}: {}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("versus-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Contenders inside the executable; variants may be missing or older.
const BUILT_IN: &str = "topple,rapier,box2d,box3d,jolt";

#[test]
fn table_writes_a_row_per_scene_with_figures_for_every_engine() {
    let out = folder("table");
    let path = out.to_string_lossy().into_owned();
    versus(&[
        "table",
        "--scene",
        "3d-tall",
        "--engine",
        BUILT_IN,
        "--rounds",
        "2",
        "--shorten",
        "30",
        "--out",
        &path,
    ]);
    let file = std::fs::read_dir(&out)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "json"))
        .expect("a JSON file");
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("readable")).expect("valid JSON");
    let row = &report["rows"][0];
    assert_eq!(row["scene"], "3d-tall-stack");
    assert_eq!(row["clock"], "cpu");
    let cells = row["cells"].as_array().expect("cells");
    assert!(!cells.is_empty());
    for cell in cells {
        assert!(cell["missing"].is_null(), "{cell}");
        assert_eq!(cell["bodies"], 61, "{}", cell["name"]);
        assert!(cell["ms"][0].as_f64().expect("a time") > 0.0, "{}", cell["name"]);
        assert!(cell["quality"]["drop m"].is_number(), "{}", cell["name"]);
        // 600 samples cut to a thirtieth.
        assert_eq!(cell["series_ms"].as_array().expect("a series").len(), 20, "{}", cell["name"]);
    }
    let shown = versus(&["show", &file.to_string_lossy()]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("3d-tall-stack"));
    assert!(file.with_extension("md").is_file());
    assert!(file.with_extension("plots").join("3d-tall-stack-1t.svg").is_file());
    std::fs::remove_dir_all(&out).expect("ours to remove");
}

#[test]
fn an_engine_without_the_feature_is_not_available_and_the_others_run() {
    let arguments = [
        "table",
        "--scene",
        "cylinders",
        "--engine",
        "box3d,jolt",
        "--rounds",
        "1",
        "--shorten",
        "100",
        "--dry",
    ];
    let text = String::from_utf8(versus(&arguments).stdout).expect("text");
    if text.contains("**box3d**") || text.contains("n/a: Box3D") {
        assert!(text.contains("n/a: Box3D has no cylinder"), "{text}");
    }
}

#[test]
fn fairness_finds_the_same_scene_everywhere_and_draws_it() {
    let out = folder("fairness");
    let path = out.to_string_lossy().into_owned();
    let output = versus(&[
        "fairness",
        "--scene",
        "2d-tumbler,3d-bullets",
        "--engine",
        BUILT_IN,
        "--steps",
        "20",
        "--out",
        &path,
    ]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("same"));
    assert!(out.join("fairness/3d-bullets.png").is_file());
    std::fs::remove_dir_all(&out).expect("ours to remove");
}

#[test]
fn a_worker_from_another_harness_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_versus"))
        .args(["worker", "rapier", "3d-pyramid-10", "1"])
        .env("VERSUS_EXPECTED_SOURCES", "something else")
        .output()
        .expect("the program starts");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("versus build"));
}

#[test]
fn unknown_scenes_and_commands_are_errors() {
    for arguments in [&["worker", "rapier", "no-such-scene", "1"][..], &["no-such-command"][..]] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_versus")).args(arguments).output().expect("the program starts");
        assert!(!output.status.success(), "{arguments:?}");
    }
}
