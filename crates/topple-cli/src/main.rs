//! `topple`, the command: a table of subcommands. Each has a file of its own; `args.rs` holds their flags.

mod args;
mod check;
mod failure;
mod generate;
mod input;
mod list;
mod manual;
mod measure;
mod output;
mod render;
mod run;
mod saved;
mod session;
mod stop;
mod test;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => test::test(&args),
        Command::Render(args) => render::render(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::List(args) => list::list(&args),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { folder } => manual::man(folder.as_deref()),
    };
    failure::report(result)
}
