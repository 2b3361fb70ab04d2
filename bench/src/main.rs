//! The benchmarks of collision detection and of the default solver: `cargo run --release -p topple-bench -- [rays|contacts|broad-phase|methods|solver|all] [part]`.
//!
//! Each command prints its tables and writes them to `docs/benchmarks`, unless only a part is asked for. All numbers are minima of repetitions in CPU time,
//! contenders take turns, and the scenes are seeded, so that what else the machine does falls out as far as it can.

mod broad_phase;
mod clock;
mod contacts;
mod methods;
mod random;
mod rays;
mod report;
mod roofline;
mod scenes;

use std::process::ExitCode;

const HELP: &str = "usage: topple-bench [rays|contacts|broad-phase|methods|solver|all] [part]\n\n\
    With a part, only what has it in its name is measured, and nothing is written.";

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_else(|| "all".into());
    let result = match task.as_str() {
        "rays" => rays::run(),
        "contacts" => contacts::run(),
        "broad-phase" => broad_phase::run_all(),
        "methods" => methods::run_all(),
        "solver" | "roofline" => roofline::run(),
        "all" => [rays::run, contacts::run, broad_phase::run_all, methods::run_all, roofline::run]
            .iter()
            .try_for_each(|run| run()),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write the tables: {error}");
            ExitCode::FAILURE
        }
    }
}
