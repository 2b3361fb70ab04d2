//! One plot per row: time of every sample, a line per contender. And scaling: time against the number of bodies.

use crate::measure::{Cell, Row};
use crate::report::Report;
use kuva::backend::svg::SvgBackend;
use kuva::plot::LinePlot;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;
use std::path::Path;

/// The same colour for an engine in every plot.
fn color(name: &str) -> &'static str {
    match name {
        "topple" => "crimson",
        "box2d" | "box3d" => "steelblue",
        "jolt" => "darkorange",
        "rapier" | "rapier-parallel" => "seagreen",
        "rapier-native" | "rapier-native-parallel" => "darkseagreen",
        name if name.starts_with("a ") => "steelblue",
        _ => "black",
    }
}

/// Writes the plots of a report next to `base`.
///
/// # Errors
/// If a file cannot be written.
pub fn save_all(report: &Report, base: &Path) -> anyhow::Result<()> {
    let folder = base.with_extension("plots");
    std::fs::create_dir_all(&folder)?;
    for row in &report.rows {
        let name = format!("{}-{}t.svg", row.scene.replace('@', "-"), row.threads);
        if let Some(svg) = row_plot(row) {
            std::fs::write(folder.join(name), svg)?;
        }
    }
    Ok(())
}

fn there(row: &Row) -> impl Iterator<Item = &Cell> {
    row.cells.iter().filter(|cell| cell.missing.is_none() && cell.series_ms.len() > 1)
}

fn row_plot(row: &Row) -> Option<String> {
    let line = |cell: &Cell| {
        let points = cell.series_ms.iter().enumerate().skip(1).map(|(i, &ms)| (i as f64, f64::from(ms)));
        let plot = LinePlot::new().with_data(points.collect::<Vec<_>>()).with_color(color(&cell.name));
        Plot::Line(plot.with_stroke_width(1.5).with_legend(cell.name.clone()))
    };
    let plots: Vec<Plot> = there(row).map(line).collect();
    if plots.is_empty() {
        return None;
    }
    let layout = Layout::auto_from_plots(&plots)
        .with_title(format!("{}, {} thread(s)", row.scene, row.threads))
        .with_x_label("sample")
        .with_y_label(format!("ms, {}", row.clock_name()))
        .with_y_axis_min(0.0);
    Some(SvgBackend.render_scene(&render_multiple(plots, layout)))
}

/// Time against bodies for rows of one scene at several sizes.
///
/// # Errors
/// If the file cannot be written.
pub fn scaling(rows: &[&Row], title: &str, path: &Path) -> anyhow::Result<()> {
    let mut names: Vec<&str> =
        rows.iter().flat_map(|row| there(row)).map(|cell| cell.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &&str| {
        let cells = rows.iter().flat_map(|row| there(row)).filter(|cell| cell.name == *name);
        let points: Vec<(f64, f64)> = cells.map(|cell| (cell.bodies as f64, cell.ms[0])).collect();
        Plot::Line(LinePlot::new().with_data(points).with_color(color(name)).with_legend(name.to_string()))
    };
    let plots: Vec<Plot> = names.iter().map(line).collect();
    if plots.is_empty() {
        return Ok(());
    }
    let layout = Layout::auto_from_plots(&plots)
        .with_title(title)
        .with_x_label("bodies")
        .with_y_label("ms per step")
        .with_log_scale();
    std::fs::write(path, SvgBackend.render_scene(&render_multiple(plots, layout)))?;
    Ok(())
}
