//! Runs the same scenes in Topple and in other engines, side by side. See README.md.

mod engine;
mod engines;
mod hull;
mod measure;
mod overlap;
mod quality;
mod scenes;
mod worker;
mod world;

use anyhow::Context;
use clap::{Parser, Subcommand};

/// The same scenes in Topple and in other engines, side by side.
#[derive(Parser)]
#[command(name = "versus", version)]
struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Measure and print the table.
    Table {
        /// Only scenes whose name contains this; may be repeated.
        #[arg(long)]
        scene: Vec<String>,
    },
    /// One contender in its own process; started by the others.
    #[command(hide = true)]
    Worker {
        /// Engine.
        engine: String,
        /// Scene, or scene@size.
        scene: String,
        /// Threads.
        threads: usize,
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Action::Table { scene } => {
            for s in scenes::all() {
                if !scene.is_empty() && !scene.iter().any(|f| s.name.contains(f.as_str())) {
                    continue;
                }
                let e = measure::entries(&s, 1, &|_| true)?;
                let row =
                    measure::run_row(&s, s.name, 1, &e, measure::Effort { rounds: 1, shorten: 4, turns: 4 })?;
                for c in row.cells {
                    println!(
                        "{:20} {:10} {:8.3} ms first {:8.3} mem {:6.1} {:?} {:?} {:?} {:?}",
                        row.scene,
                        c.name,
                        c.ms[0],
                        c.first_ms,
                        c.memory_mib,
                        c.quality,
                        c.parts,
                        c.counts,
                        c.missing
                    );
                }
            }
            Ok(())
        }
        Action::Worker { engine, scene, threads } => {
            let scene = scenes::find(&scene).with_context(|| format!("no scene {scene:?}"))?;
            worker::serve(&scene, &engine, threads)
        }
    }
}
