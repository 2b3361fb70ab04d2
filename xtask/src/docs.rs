//! The reference manual builds without warnings, and its links lead somewhere.
//!
//! Units and papers stand in square brackets in our comments, `[m]` and `[Catto2011]`, which rustdoc takes for links. So
//! its check is off in the library and done here, for all other brackets.

use crate::tidy;
use std::fs;
use std::process::{Command, Stdio};

/// Units that stand alone in square brackets. Others (`[m/s]`, `[N·s]`) do not look like links.
const UNITS: [&str; 13] = ["m", "m²", "m³", "kg", "s", "ms", "ns", "rad", "N", "J", "Hz", "bytes", "°"];

/// Builds the reference of all crates.
pub(crate) fn check() -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["doc", "--workspace", "--no-deps", "--locked", "--quiet", "--message-format=json"])
        .current_dir(tidy::root())
        .env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("docs: cannot start cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let papers = fs::read_to_string(tidy::root().join("docs/papers.md")).unwrap_or_default();
    let mut findings = Vec::new();
    for line in text.lines().filter(|line| line.contains("\"reason\":\"compiler-message\"")) {
        let what = between(line, "\"message\":{\"rendered\":\"", "\\n");
        match between(line, "unresolved link to `", "`") {
            Some(name) if UNITS.contains(&name) || papers.contains(&format!("[{name}]")) => {}
            _ => {
                let file = between(line, "\"file_name\":\"", "\"").unwrap_or("?");
                let number = between(line, "\"line_start\":", ",").unwrap_or("?");
                findings.push(format!("  {file}:{number}: {}", what.unwrap_or(line)));
            }
        }
    }
    if output.status.success() && findings.is_empty() {
        println!("docs: no findings");
        Ok(())
    } else {
        Err(format!("docs:\n{}", findings.join("\n")))
    }
}

/// What stands between two pieces of text, the first time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}
