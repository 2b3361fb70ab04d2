//! Where and when: what a reader needs to judge or repeat a measurement.

use serde::{Deserialize, Serialize};
use std::process::Command;

/// The circumstances of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Coordinated universal time, `YYYY-MM-DD HH:MM`.
    pub date: String,
    /// Processor.
    pub cpu: String,
    /// Hardware threads.
    pub cores: usize,
    /// Load average of the last minute before the run; above about 0.3 something else was running.
    pub load_before: f64,
    /// The same after the run, our own processes included.
    pub load_after: f64,
    /// Compiler.
    pub rustc: String,
    /// Commit of the repository, with `+` if files were changed.
    pub commit: String,
}

impl Machine {
    /// Looks around.
    pub fn look() -> Self {
        let cpu_info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpu_info.lines().find(|line| line.starts_with("model name"));
        let cpu = cpu.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown").to_owned();
        let changed = !output("git", &["status", "--porcelain", "--untracked-files=no"]).is_empty();
        let commit = output("git", &["rev-parse", "--short", "HEAD"]) + if changed { "+" } else { "" };
        Self {
            date: date(std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())),
            cpu,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load_before: load(),
            load_after: 0.0,
            rustc: output("rustc", &["--version"]),
            commit,
        }
    }

    /// Notes the load at the end.
    pub fn finish(&mut self) {
        self.load_after = load();
    }

    /// The date in a form for file names.
    pub fn stamp(&self) -> String {
        self.date.replace(':', "").replace(' ', "-")
    }
}

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}

fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    run.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

/// Calendar date and time of a number of seconds since 1970 (proleptic Gregorian, years of 400-year eras).
fn date(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // March is month 0, so that the leap day is the last of the year.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year_of_era + era * 400 + carry;
    let minutes = seconds / 60;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn known_dates() {
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
        assert_eq!(date(1_794_614_399), "2026-11-13 23:59");
    }
}
