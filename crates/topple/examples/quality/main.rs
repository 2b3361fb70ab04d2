//! How right the default settings are: towers, pyramids, heavy on light, chains, energy, arches, dominoes. Long runs, so
//! not a test; `cargo xtask quality` runs all of it and writes `docs/quality.md`.
//!
//! ```sh
//! cargo run --release -p topple --example quality            # everything
//! cargo run --release -p topple --example quality -- tower   # what has "tower" in its name
//! ```

mod chains;
mod energy;
mod impacts;
mod stacks;
mod statics;

use std::time::Instant;
use topple::*;

/// What one case found, and whether it is what was asked for.
pub(crate) struct Found {
    /// In words, with units.
    pub(crate) text: String,
    /// True if it holds; `None` where nothing was asked.
    pub(crate) holds: Option<bool>,
}

impl Found {
    /// Something that was asked for.
    pub(crate) fn new(text: String, holds: bool) -> Self {
        Self { text, holds: Some(holds) }
    }

    /// A figure to know.
    pub(crate) fn figure(text: String) -> Self {
        Self { text, holds: None }
    }
}

/// One line of the table.
pub(crate) struct Case {
    /// What is simulated.
    pub(crate) name: String,
    /// What has to hold.
    pub(crate) asked: &'static str,
    /// Runs it.
    pub(crate) run: Box<dyn Fn() -> Found>,
}

/// A case.
pub(crate) fn case(name: impl Into<String>, asked: &'static str, run: impl Fn() -> Found + 'static) -> Case {
    Case { name: name.into(), asked, run: Box::new(run) }
}

/// Default settings without sleep: what stands has to stand by itself.
pub(crate) fn awake<D: Dim>() -> World<D> {
    let settings = Settings { sleeping: false, ..Settings::default() };
    World::with_settings(settings).expect("default settings are valid")
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).collect();
    let cases = [stacks::cases(), chains::cases(), energy::cases(), impacts::cases(), statics::cases()];
    println!("| case | asked | found | | time |\n|---|---|---|---|---|");
    let mut failed = 0;
    for case in cases.into_iter().flatten() {
        if !filters.is_empty() && !filters.iter().any(|filter| case.name.contains(filter.as_str())) {
            continue;
        }
        let start = Instant::now();
        let found = (case.run)();
        failed += usize::from(found.holds == Some(false));
        let mark = match found.holds {
            Some(true) => "holds",
            Some(false) => "**fails**",
            None => "",
        };
        let time = start.elapsed().as_secs_f32();
        println!("| {} | {} | {} | {mark} | {time:.0} s |", case.name, case.asked, found.text);
    }
    if failed > 0 {
        eprintln!("{failed} cases do not hold");
        std::process::exit(1);
    }
}
