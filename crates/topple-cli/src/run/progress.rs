//! A bar with speed and time left, on a terminal only.

use crate::failure::Outcome;
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;

/// Progress of a long command.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for `total` of `unit`; invisible if nobody looks.
    pub(crate) fn new(total: u64, unit: &str, quiet: bool) -> Self {
        if quiet || !output::is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{rate}} {unit}/s, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let rate = |state: &ProgressState, out: &mut dyn Write| {
                let digits = if state.per_sec() < 10.0 { 1 } else { 0 };
                let _ = write!(out, "{:.digits$}", state.per_sec());
            };
            bar.set_style(style.progress_chars("━╸ ").with_key("rate", rate));
        }
        Self { bar }
    }

    /// So many are done.
    pub(crate) fn advance(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// One more is done.
    pub(crate) fn one_more(&self) {
        self.bar.inc(1);
    }

    /// Prints to standard output without disturbing the bar.
    pub(crate) fn print(&self, text: &str) -> Outcome {
        self.bar.suspend(|| output::print(text))
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
