//! The commands in the guide run as they are written.

use crate::support::Bench;
use std::path::Path;
use std::process::Command;

/// Every line of every shell block of the page, one after the other, in one folder.
#[test]
#[cfg(unix)]
fn the_commands_of_the_guide_run() {
    let bench = Bench::new();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/command-line.md");
    let page = std::fs::read_to_string(page).expect("the page is readable");
    let blocks = page.split("```sh\n").skip(1).filter_map(|part| part.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect();
    assert!(lines.len() >= 10, "{lines:?}");
    let binary = Path::new(env!("CARGO_BIN_EXE_topple")).parent().expect("in a folder");
    let path = std::env::join_paths(
        [binary.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("a search path");
    for home in [".local/share/bash-completion/completions", ".local/share/man/man1"] {
        std::fs::create_dir_all(bench.path(home)).unwrap();
    }
    for line in lines {
        // The long form is for people without an installed binary.
        let line = line.replace("cargo run --release --", "topple");
        // Pictures take long in a test build: fewer of them.
        let line = line.replace("--frames 0..180", "--frames 0..3");
        let output = Command::new("sh")
            .args(["-e", "-c", &line])
            .current_dir(bench.path(""))
            .env("HOME", bench.path(""))
            .env("PATH", &path)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {}\n{errors}", output.status);
    }
}
