//! The project's own commands. `cargo xtask ci` is what continuous integration runs.

mod docs;
mod quality;
mod tidy;

use std::process::{Command, ExitCode};
use std::time::Instant;

const HELP: &str = "usage: cargo xtask <command>

  ci        format, clippy, docs (warnings are errors), tidy, all tests, hashes in a release build
  docs      builds the reference: warnings are errors, and so are links that lead nowhere
  quality   long runs at default settings (towers, chains, energy, arches), table into docs/quality.md; minutes
  tidy      the checks of the tree itself: paths named in ARCHITECTURE.md exist, files stay readable, ...
";

/// One gate of `ci`: a title and the cargo call behind it.
struct Gate {
    title: &'static str,
    args: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
}

const GATES: &[Gate] = &[
    Gate { title: "format", args: &["fmt", "--all", "--check"], env: &[] },
    Gate {
        title: "clippy",
        args: &["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"],
        env: &[],
    },
    Gate { title: "tests", args: &["test", "--workspace", "--locked", "--no-fail-fast"], env: &[] },
    Gate { title: "scenes", args: &["run", "--locked", "--quiet", "--", "test", "scenes"], env: &[] },
    Gate {
        title: "same hashes in a release build",
        args: &["test", "--release", "-p", "topple", "--locked", "--test", "it", "--", "determinism"],
        env: &[],
    },
];

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let result = match task.as_str() {
        "ci" => ci(),
        "docs" => docs::check(),
        "quality" => quality::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        "tidy" => tidy::check(),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "" => Err(format!("no command given\n\n{HELP}")),
        other => Err(format!("unknown command '{other}'\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every gate in order and stops at the first that fails.
fn ci() -> Result<(), String> {
    let start = Instant::now();
    tidy::check()?;
    println!("== docs ==");
    docs::check()?;
    for gate in GATES {
        println!("== {} ==", gate.title);
        run(gate)?;
    }
    println!("ci: all gates passed in {:.0} s", start.elapsed().as_secs_f32());
    Ok(())
}

fn run(gate: &Gate) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(gate.args).current_dir(tidy::root());
    for (key, value) in gate.env {
        command.env(key, value);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: cargo {} failed ({status})", gate.title, gate.args.join(" "))),
        Err(error) => Err(format!("{}: cannot start cargo: {error}", gate.title)),
    }
}
