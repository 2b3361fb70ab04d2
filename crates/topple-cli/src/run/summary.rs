//! The end of a run in words.

use super::report::Report;
use std::fmt::Write as _;

/// The summary that a person reads.
pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_head(&mut out, report);
    let _ = write_body(&mut out, report);
    let _ = write_tail(&mut out, report);
    out
}

fn write_head(out: &mut String, report: &Report) -> std::fmt::Result {
    let steps = report.watch.steps;
    let simulated = steps as f64 * report.dt;
    let spent = report.watch.statistics.total();
    writeln!(
        out,
        "{}: {}D, {} ({} dynamic)",
        report.title,
        report.dimension,
        count(report.bodies, "body", "bodies"),
        report.dynamic
    )?;
    write!(
        out,
        "simulated {simulated:.2} s in {} of {} ms",
        count(steps as usize, "step", "steps"),
        short(report.dt * 1e3)
    )?;
    if report.first > 0 {
        write!(out, ", from step {} on", report.first)?;
    }
    match (report.interrupted, report.stopped) {
        (true, _) => write!(out, ", interrupted before {}", report.asked)?,
        (_, true) if steps < report.asked => write!(out, ", then the scene ended itself")?,
        _ => {}
    }
    writeln!(out)?;
    if steps > 0 && spent > 0.0 {
        writeln!(
            out,
            "took {} on {}: {} steps/s, {} times real time",
            seconds(spent),
            count(report.threads, "thread", "threads"),
            short(steps as f64 / spent),
            short(simulated / spent)
        )?;
    }
    writeln!(out)
}

fn write_body(out: &mut String, report: &Report) -> std::fmt::Result {
    let [integrator, broad_phase, narrow_phase, solver] = report.methods.map(|(_, name)| name);
    line(out, "methods", &format!("{integrator}, {broad_phase}, {narrow_phase}, {solver}"))?;
    let statistics = &report.watch.statistics;
    if report.watch.steps > 0 {
        let text = format!(
            "{} ms on average, 50 % under {}, 99 % under {}, longest {}",
            short(statistics.mean()),
            short(statistics.percentile(0.5)),
            short(statistics.percentile(0.99)),
            short(statistics.max())
        );
        line(out, "one step", &text)?;
        line(out, "", &shares(&statistics.stages()))?;
    }
    let counters = &report.counters;
    line(out, "bodies", &format!("{} of {} awake", report.awake, report.bodies))?;
    let text = format!(
        "{} among {}, {}",
        count(counters.contacts as usize, "touching contact", "touching contacts"),
        count(counters.pairs as usize, "close pair", "close pairs"),
        count(counters.islands as usize, "island", "islands")
    );
    line(out, "contacts", &text)?;
    line(out, "energy", &energy(report))?;
    let text = format!(
        "{} kg m/s, angular {} kg m²/s about the origin",
        vector(&report.momentum.linear),
        vector(&report.momentum.angular)
    );
    line(out, "momentum", &text)?;
    let overlap = f64::from(report.watch.max_overlap);
    let text = if overlap > 0.0 {
        format!("{} at most, after step {}", length(overlap), report.first + report.watch.max_overlap_step)
    } else {
        "none".into()
    };
    line(out, "overlap", &text)?;
    line(out, "hash", &format!("{:016x}", report.hash))
}

fn write_tail(out: &mut String, report: &Report) -> std::fmt::Result {
    if !report.expectations.is_empty() {
        let holds = report.expectations.iter().filter(|found| found.passed == Some(true)).count();
        let open = report.expectations.iter().filter(|found| found.passed.is_none()).count();
        let failed = report.expectations.len() - holds - open;
        let mut text = format!("{holds} of {} hold", report.expectations.len());
        if failed > 0 {
            let _ = write!(text, ", {failed} failed (see topple test)");
        }
        if open > 0 {
            let _ = write!(text, ", {open} not decided in this time");
        }
        line(out, "expected", &text)?;
    }
    if report.errors > 0 {
        line(out, "errors", &format!("{} in the scene; what was faulty was left out", report.errors))?;
    }
    if report.warnings > 0 {
        line(out, "warnings", &format!("{} about the scene", report.warnings))?;
    }
    if report.faults > 0 {
        line(
            out,
            "faults",
            &format!("{} taken out, no longer finite", count(report.faults, "body", "bodies")),
        )?;
    }
    Ok(())
}

fn line(out: &mut String, name: &str, text: &str) -> std::fmt::Result {
    writeln!(out, "  {name:<10}{text}")
}

/// Stages that matter, as shares of all of them.
fn shares(stages: &[(&'static str, f64)]) -> String {
    let total: f64 = stages.iter().map(|(_, ms)| ms).sum();
    let mut sorted: Vec<_> = stages.iter().map(|(name, ms)| (*name, 100.0 * ms / total.max(1e-12))).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = sorted.iter().filter(|(_, share)| *share >= 1.0).take(4);
    shown.map(|(name, share)| format!("{name} {share:.0} %")).collect::<Vec<_>>().join(", ")
}

fn energy(report: &Report) -> String {
    let (start, end) = (report.watch.initial.total(), report.energy.total());
    let change = if start.abs() > 1e-9 && report.watch.steps > 0 {
        format!(" ({:+.2} %)", 100.0 * (end - start) / start.abs())
    } else {
        String::new()
    };
    format!(
        "{} J at the start, {} J at the end{change}: {} kinetic, {} potential",
        short(start),
        short(end),
        short(report.energy.kinetic),
        short(report.energy.potential)
    )
}

fn vector(values: &[f64]) -> String {
    let parts = values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(", ");
    if values.len() > 1 { format!("({parts})") } else { parts }
}

fn length(metres: f64) -> String {
    match metres {
        _ if metres >= 1.0 => format!("{} m", short(metres)),
        _ if metres >= 0.01 => format!("{} cm", short(metres * 1e2)),
        _ if metres >= 1e-4 => format!("{} mm", short(metres * 1e3)),
        _ => format!("{} µm", short(metres * 1e6)),
    }
}

/// A duration for a person.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 120.0 => format!("{:.1} min", seconds / 60.0),
        _ if seconds >= 1.0 => format!("{} s", short(seconds)),
        _ => format!("{} ms", short(seconds * 1e3)),
    }
}

/// A number and its unit in singular or plural.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Three digits that count, no more.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if value == 0.0 => "0".into(),
        _ if !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
