//! Pages of tables in `docs/benchmarks`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// A page that is shown while it grows and written at the end.
pub(crate) struct Page {
    name: &'static str,
    text: String,
}

impl Page {
    /// A page with its title, what it shows, and how it came about.
    pub(crate) fn new(name: &'static str, title: &str, about: &str) -> Self {
        let mut page = Self { name, text: String::new() };
        page.line(&format!("# {title}\n\n{about}\n"));
        page.line(&format!(
            "Written by `cargo run --release -p topple-bench -- {name}` on {}, {}, one thread where nothing else is said.",
            today(),
            processor(),
        ));
        page
    }

    /// A line of text.
    pub(crate) fn line(&mut self, text: &str) {
        println!("{text}");
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The head of a table, the first column to the left, the others to the right.
    pub(crate) fn head(&mut self, title: &str, columns: &[&str]) {
        self.line(&format!("\n## {title}\n"));
        self.line(&format!("| {} |", columns.join(" | ")));
        self.line(&format!("|---{}|", "|--:".repeat(columns.len() - 1)));
    }

    /// A row of a table.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        let mut line = String::from("|");
        for cell in cells {
            let _ = write!(line, " {} |", cell.as_ref());
        }
        self.line(&line);
    }

    /// Writes the page to where it belongs, unless only a part of it was asked for.
    pub(crate) fn write(self) -> std::io::Result<()> {
        if filter().is_some() {
            return Ok(());
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{}.md", self.name)), self.text)
    }
}

/// The second word of the command: only what has it in its name is measured.
fn filter() -> Option<String> {
    std::env::args().nth(2)
}

/// True if this is to be measured.
pub(crate) fn is_wanted(name: &str) -> bool {
    filter().is_none_or(|filter| name.contains(&filter))
}

/// A number with three digits that count.
pub(crate) fn number(value: f64) -> String {
    match value {
        v if v >= 99.95 => group(v),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A whole number in groups of three digits.
pub(crate) fn group(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// What the processor calls itself.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    name.map_or_else(|| "unnamed processor".into(), |name| name.trim().into())
}

/// The date of today (UTC), by the civil calendar: years begin in March, so that leap days come last.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}
