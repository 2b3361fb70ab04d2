//! `cargo xtask quality`: the long runs of `crates/topple/examples/quality`, with their table into `docs/quality.md`.

use crate::tidy::root;
use std::process::Command;

const PAGE: &str = "docs/quality.md";

const HEAD: &str = "# Quality at default settings

Written by `cargo xtask quality`: 60 Hz, default settings, sleeping off; unless a case says otherwise. Every case is a few lines of
`crates/topple/examples/quality/`. Where a case is random it is the worst of five seeds.
";

/// Runs all cases (or those whose name contains one of `filters`, without writing the page).
pub(crate) fn run(filters: &[String]) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "-q", "-p", "topple", "--example", "quality", "--"]).args(filters);
    let output = command.stderr(std::process::Stdio::inherit()).current_dir(root()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    let table = String::from_utf8_lossy(&output.stdout);
    println!("{table}");
    if filters.is_empty() {
        let page = format!("{HEAD}\nCommit `{}`.\n\n{table}", commit());
        std::fs::write(root().join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))?;
    }
    if output.status.success() { Ok(()) } else { Err("some cases do not hold".into()) }
}

/// Short id of the commit, with a mark if the tree has changes.
fn commit() -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(root()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let id = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
    let changed = git(&["status", "--porcelain", "--", "crates"]).is_some_and(|text| !text.is_empty());
    if changed { format!("{id}, with changes") } else { id }
}
