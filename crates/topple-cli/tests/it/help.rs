//! Help texts are part of the contract: a changed one is seen in review.

use crate::support::{Bench, code, expect_file, stderr, stdout};

#[test]
fn help_texts_are_as_reviewed() {
    let bench = Bench::new();
    for name in ["run", "check", "test", "render", "generate", "list"] {
        let output = bench.command().args([name, "--help"]).env("COLUMNS", "100").output().unwrap();
        assert_eq!(code(&output), 0);
        expect_file(&format!("help-{name}.txt"), &stdout(&output));
    }
    expect_file("help.txt", &bench.good("--help"));
}

#[test]
fn later_commands_do_not_appear() {
    let help = Bench::new().good("--help");
    for name in ["view", "sandbox", "compare", "bench", "completions", "man "] {
        assert!(!help.lines().any(|line| line.trim_start().starts_with(name)), "{name} in {help}");
    }
}

#[test]
fn no_command_is_wrong_usage_with_help() {
    let output = Bench::new().topple("");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("Usage"));
}

#[test]
fn completions_and_manual_are_there() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(bench.good(&format!("completions {shell}")).contains("broad-phase"));
    }
    assert!(bench.good("man").contains(".TH topple"));
    std::fs::create_dir(bench.path("pages")).unwrap();
    bench.good("man pages");
    assert!(bench.path("pages/topple-run.1").exists());
}
