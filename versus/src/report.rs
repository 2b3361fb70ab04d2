//! Results as text: the table for people, Markdown for the documents, JSON for programs.

use crate::machine::Machine;
use crate::measure::{Cell, Clock, Row};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The contender all rows are about.
pub const OURS: &str = "topple";

/// Everything one run brought.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// Rounds per row.
    pub rounds: u32,
    /// Samples were divided by this; 1 is the full length.
    pub shortened: u32,
    /// Rows, as measured.
    pub rows: Vec<Row>,
}

impl Report {
    /// Rows with our ratio to the best of the others, worst first; rows without one at the end, in the order measured.
    pub fn ranked(&self) -> Vec<(&Row, Option<f64>)> {
        let mut rows: Vec<(&Row, Option<f64>)> = self.rows.iter().map(|row| (row, row.ratio())).collect();
        rows.sort_by(|a, b| match (a.1, b.1) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        rows
    }

    /// The whole report as Markdown, which also reads well on a terminal.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let m = &self.machine;
        let _ = writeln!(
            text,
            "{} UTC · {} × {} · load {:.2} before, {:.2} after · {} · commit {} · {} rounds{}\n",
            m.date,
            m.cores,
            m.cpu,
            m.load_before,
            m.load_after,
            m.rustc,
            m.commit,
            self.rounds,
            if self.shortened > 1 {
                format!(" · samples cut to 1/{}", self.shortened)
            } else {
                String::new()
            },
        );
        for cell in self.versions() {
            let _ = writeln!(text, "- **{}**: {}", cell.name, cell.version);
        }
        text += "\n## Time per sample\n\n";
        text += &self.time_table();
        text += "\n## Details\n\n";
        text += &self.detail_table();
        text += "\n## Quality (closer to 0 is better)\n\n";
        text += &self.quality_table();
        let speed_up = self.speed_up_table();
        if !speed_up.is_empty() {
            text += "\n## Each engine's own speed-up (wall clock)\n\n";
            text += &speed_up;
        }
        text
    }

    /// One cell per contender, for the list of versions.
    fn versions(&self) -> Vec<&Cell> {
        let mut seen: Vec<&Cell> = Vec::new();
        for cell in self.rows.iter().flat_map(|row| &row.cells) {
            if !cell.version.is_empty() && !seen.iter().any(|other| other.name == cell.name) {
                seen.push(cell);
            }
        }
        seen
    }

    /// Columns of the tables: contenders that appear, variants for several threads in the column of the plain engine.
    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for contender in crate::engines::CONTENDERS {
            columns.push(column(contender.name).to_owned());
        }
        for cell in self.rows.iter().flat_map(|row| &row.cells) {
            columns.push(column(&cell.name).to_owned());
        }
        let used = |name: &String| self.rows.iter().any(|row| row.in_column(name).is_some());
        let mut kept: Vec<String> = Vec::new();
        for name in columns {
            if used(&name) && !kept.contains(&name) {
                kept.push(name);
            }
        }
        kept
    }

    fn time_table(&self) -> String {
        let columns = self.columns();
        let mut head = vec!["scene".to_owned(), "threads".into(), "bodies".into()];
        head.extend(columns.iter().cloned());
        head.push(format!("{OURS} / best other"));
        let lines = self.ranked().into_iter().map(|(row, ratio)| {
            let bodies = row.cells.iter().map(|cell| cell.bodies.max(cell.counts.bodies)).max().unwrap_or(0);
            let mut line = vec![row.scene.clone(), row.threads.to_string(), bodies.to_string()];
            let best = row.best(|_| true).map(|cell| cell.name.clone());
            let marked = |cell: &Cell| time(cell, &best) + if row.is_suspect(cell) { " !" } else { "" };
            line.extend(columns.iter().map(|name| row.in_column(name).map_or("–".into(), marked)));
            let ours = row.in_column(OURS).is_some_and(|cell| row.is_suspect(cell));
            let mark = if ours { " !" } else { "" };
            line.push(ratio.map_or("–".into(), |ratio| format!("**{ratio:.2}**{mark}")));
            line
        });
        let note = "Mean per sample without the first: median of the rounds, ± half the spread between them; the fastest is \
                    bold. One thread: processor time; several: wall clock. `!`: a quality figure is far worse than every \
                    other engine's, so the time does not count for much.\n";
        table(&head, lines) + "\n" + note
    }

    fn detail_table(&self) -> String {
        let head =
            ["scene", "threads", "engine", "mean", "p50", "p99", "first", "create", "memory MiB", "parts"];
        let lines = self.rows.iter().flat_map(|row| {
            row.cells.iter().map(move |cell| {
                let mut line = vec![row.scene.clone(), row.threads.to_string(), cell.name.clone()];
                if let Some(reason) = &cell.missing {
                    line.extend([reason.clone(), String::new(), String::new(), String::new()]);
                    line.extend([String::new(), String::new(), String::new()]);
                    return line;
                }
                line.extend(
                    [cell.ms[0], cell.p50_ms, cell.p99_ms, cell.first_ms, cell.create_ms].map(format_ms),
                );
                line.push(format!("{:.1}", cell.memory_mib));
                let parts: Vec<String> =
                    cell.parts.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
                line.push(parts.join(", "));
                line
            })
        });
        table(&head.map(str::to_owned), lines)
    }

    fn quality_table(&self) -> String {
        let columns = self.columns();
        let mut head = vec!["scene".to_owned(), "threads".into(), "figure".into()];
        head.extend(columns.iter().cloned());
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut figures: Vec<&String> = row.cells.iter().flat_map(|cell| cell.quality.keys()).collect();
            figures.sort();
            figures.dedup();
            for figure in figures {
                let mut line = vec![row.scene.clone(), row.threads.to_string(), figure.clone()];
                let value = |name: &String| row.in_column(name).and_then(|cell| cell.quality.get(figure));
                line.extend(
                    columns
                        .iter()
                        .map(|name| value(name).map_or("–".into(), |value| format_figure(*value))),
                );
                lines.push(line);
            }
        }
        table(&head, lines.into_iter())
    }

    fn speed_up_table(&self) -> String {
        let columns = self.columns();
        let mut head = vec!["scene".to_owned(), "threads".into()];
        head.extend(columns.iter().cloned());
        let mut lines = Vec::new();
        for row in self.rows.iter().filter(|row| row.threads > 1) {
            let Some(single) = self.rows.iter().find(|other| other.threads == 1 && other.scene == row.scene)
            else {
                continue;
            };
            let mut line = vec![row.scene.clone(), row.threads.to_string()];
            line.extend(columns.iter().map(|name| match (single.in_column(name), row.in_column(name)) {
                (Some(one), Some(many)) if one.missing.is_none() && many.missing.is_none() => {
                    format!("{:.2}×", one.wall_ms / many.wall_ms)
                }
                _ => "–".into(),
            }));
            lines.push(line);
        }
        if lines.is_empty() { String::new() } else { table(&head, lines.into_iter()) }
    }

    /// Writes Markdown, JSON and plots under `folder`, named by the date.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path, kind: &str) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let base = folder.join(format!("{}-{kind}", self.machine.stamp()));
        std::fs::write(base.with_extension("md"), self.markdown())?;
        std::fs::write(base.with_extension("json"), serde_json::to_string(self)?)?;
        crate::plot::save_all(self, &base)?;
        Ok(base)
    }
}

impl Row {
    fn in_column(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| column(&cell.name) == name)
    }

    /// The fastest contender that passes the filter.
    pub fn best(&self, wanted: impl Fn(&Cell) -> bool) -> Option<&Cell> {
        let there = self.cells.iter().filter(|cell| cell.missing.is_none() && wanted(cell));
        there.min_by(|a, b| a.ms[0].total_cmp(&b.ms[0]))
    }

    /// Is one of the cell's quality figures more than twice as bad as that of every other engine. Speed at that price is none.
    pub fn is_suspect(&self, cell: &Cell) -> bool {
        cell.quality.iter().any(|(figure, value)| {
            // Below this a difference is noise: a millimetre, one body, a percent of the energy.
            let noise = match figure.rsplit(' ').next() {
                Some("m") => 0.001,
                Some("change") => 0.01,
                _ => 1.0,
            };
            let others = self.cells.iter().filter(|other| column(&other.name) != column(&cell.name));
            let worst =
                others.filter_map(|other| other.quality.get(figure)).map(|v| v.abs()).reduce(f64::max);
            worst.is_some_and(|worst| value.abs() > 2.0 * worst + noise)
        })
    }

    /// Our time over that of the best of the others.
    pub fn ratio(&self) -> Option<f64> {
        let ours = self.best(|cell| cell.name == OURS)?;
        let other = self.best(|cell| cell.name != OURS)?;
        Some(ours.ms[0] / other.ms[0])
    }

    /// Unit of the row's clock in words.
    pub fn clock_name(&self) -> &'static str {
        match self.clock {
            Clock::Cpu => "processor time",
            Clock::Wall => "wall clock",
        }
    }
}

fn column(name: &str) -> &str {
    name.strip_suffix("-parallel").unwrap_or(name)
}

fn time(cell: &Cell, best: &Option<String>) -> String {
    if let Some(reason) = &cell.missing {
        return if reason.starts_with("n/a") { "n/a".into() } else { "failed".into() };
    }
    let [middle, low, high] = cell.ms;
    let text = format!("{} ± {:.0} %", format_ms(middle), (high - low) / middle * 50.0);
    if best.as_ref() == Some(&cell.name) { format!("**{text}**") } else { text }
}

/// Three significant digits, in milliseconds or microseconds.
pub fn format_ms(ms: f64) -> String {
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms if ms >= 0.1 => format!("{ms:.2}"),
        ms if ms >= 0.01 => format!("{:.1} µs", ms * 1e3),
        ms => format!("{:.2} µs", ms * 1e3),
    }
}

fn format_figure(value: f64) -> String {
    match value.abs() {
        _ if value == 0.0 => "0".into(),
        size if (1.0..1e6).contains(&size) && value.fract() == 0.0 => format!("{value:.0}"),
        1e30.. => "blew up".into(),
        1e6.. => format!("{value:.1e}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// Two versions side by side: time of the second over that of the first, worst first.
pub fn ab_table(rows: &[Row]) -> String {
    let head = ["scene", "threads", "a", "b", "b / a"].map(str::to_owned);
    let ratio = |row: &Row| match &row.cells[..] {
        [a, b] if a.missing.is_none() && b.missing.is_none() => Some(b.ms[0] / a.ms[0]),
        _ => None,
    };
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by(|x, y| ratio(y).unwrap_or(f64::INFINITY).total_cmp(&ratio(x).unwrap_or(f64::INFINITY)));
    let lines = rows.into_iter().map(|row| {
        let mut line = vec![row.scene.clone(), row.threads.to_string()];
        line.extend(row.cells.iter().map(|cell| time(cell, &None)));
        line.push(ratio(row).map_or("–".into(), |ratio| format!("{ratio:.3}")));
        line
    });
    table(&head, lines)
}

/// A Markdown table, padded so that it also reads as text.
pub fn table(head: &[String], lines: impl Iterator<Item = Vec<String>>) -> String {
    let lines: Vec<Vec<String>> = lines.collect();
    let width = |i: usize| {
        let cells = lines.iter().map(|line| line[i].chars().count());
        cells.chain([head[i].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let format = |line: &[String]| {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let body: String = lines.iter().map(|line| format(line)).collect();
    format(head) + &format(&rule) + &body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(name: &str, ms: f64, missing: Option<&str>) -> Cell {
        let text = format!(
            r#"{{"name":"{name}","missing":null,"version":"v","bodies":1,"ms":[{ms},{ms},{ms}],"wall_ms":{ms},
            "p50_ms":1,"p99_ms":1,"first_ms":1,"create_ms":1,"memory_mib":1,"counts":{{"bodies":1,"awake":null,"contacts":null}},
            "quality":{{}},"parts":{{}},"series_ms":[]}}"#
        );
        let cell: Cell = serde_json::from_str(&text).expect("valid");
        Cell { missing: missing.map(str::to_owned), ..cell }
    }

    fn row(scene: &str, cells: Vec<Cell>) -> Row {
        Row { scene: scene.into(), dimension: 3, threads: 1, clock: Clock::Cpu, cells }
    }

    #[test]
    fn worst_ratio_comes_first_and_missing_engines_do_not_count() {
        let machine = Machine {
            date: "2026-01-01 00:00".into(),
            cpu: "x".into(),
            cores: 2,
            load_before: 0.0,
            load_after: 0.0,
            rustc: "r".into(),
            commit: "c".into(),
        };
        let rows = vec![
            row("good", vec![cell(OURS, 1.0, None), cell("box3d", 2.0, None)]),
            row(
                "bad",
                vec![cell(OURS, 3.0, None), cell("box3d", 2.0, None), cell("jolt", 0.0, Some("failed: x"))],
            ),
            row("alone", vec![cell("box3d", 2.0, None)]),
        ];
        let report = Report { machine, rounds: 1, shortened: 1, rows };
        let ranked: Vec<(String, Option<f64>)> =
            report.ranked().into_iter().map(|(row, ratio)| (row.scene.clone(), ratio)).collect();
        assert_eq!(ranked, [("bad".into(), Some(1.5)), ("good".into(), Some(0.5)), ("alone".into(), None)]);
        assert!(report.markdown().contains("failed"));
    }

    #[test]
    fn a_fast_engine_that_lets_bodies_through_is_marked() {
        let with = |name: &str, tunnelled: f64| {
            let mut cell = cell(name, 1.0, None);
            cell.quality.insert("tunnelled".into(), tunnelled);
            cell
        };
        let row = row("bullets", vec![with(OURS, 40.0), with("box3d", 1.0), with("jolt", 0.0)]);
        assert_eq!(
            row.cells.iter().map(|cell| row.is_suspect(cell)).collect::<Vec<_>>(),
            [true, false, false]
        );
    }

    #[test]
    fn times_are_written_with_their_unit() {
        assert_eq!(format_ms(123.4), "123");
        assert_eq!(format_ms(1.234), "1.23");
        assert_eq!(format_ms(0.000_34), "0.34 µs");
    }
}
