//! Shell completions and manual pages, made from the same table as the help.

use crate::args::Cli;
use crate::failure::{Failure, Outcome};
use crate::output;
use clap::CommandFactory;
use std::path::Path;

/// Prints completions.
pub(crate) fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "topple", &mut text);
    output::print(&String::from_utf8_lossy(&text))
}

/// Prints the main page, or writes one page per subcommand.
pub(crate) fn man(folder: Option<&Path>) -> Outcome {
    let command = Cli::command();
    match folder {
        None => {
            let mut page = Vec::new();
            let written = clap_mangen::Man::new(command).render(&mut page);
            written.map_err(|error| Failure::file("write", Path::new("the page"), &error))?;
            output::print(&String::from_utf8_lossy(&page))
        }
        Some(folder) => clap_mangen::generate_to(command, folder)
            .map_err(|error| Failure::file("write manual pages to", folder, &error)),
    }
}
