//! Curves of a run: times of the stages, energy, contacts, overlap.

use super::format;
use crate::failure::{Failure, Outcome};
use crate::measure::Energy;
use crate::output;
use kuva::backend::png::PngBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::LinePlot;
use kuva::render::figure::Figure;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use std::path::Path;
use topple::Profile;
use topple::world::STAGES;

/// Formats by extension.
pub(super) const FORMATS: [&str; 2] = ["svg", "png"];

/// Points per curve; beyond, every second one is dropped.
const MAX_POINTS: usize = 2000;

/// Columns of a sample: time, stages, energies, counts, overlap.
const COLUMNS: usize = 1 + STAGES.len() + 3 + 3 + 1;
const ENERGY: usize = 1 + STAGES.len();
const COUNTS: usize = ENERGY + 3;
const OVERLAP: usize = COUNTS + 3;

const COLOURS: [&str; 7] = ["#3b6ea8", "#d1752c", "#4c9a5b", "#b5413f", "#7d5ba6", "#8a6d4b", "#5f6b73"];

/// Samples of a run of any length, in bounded memory: means over ever more steps.
#[derive(Default)]
pub(super) struct Curves {
    samples: Vec<[f64; COLUMNS]>,
    stride: usize,
    sum: [f64; COLUMNS],
    summed: usize,
}

impl Curves {
    /// Adds a step.
    pub(super) fn add(&mut self, time: f64, profile: &Profile, energy: Energy, overlap: f32) {
        let mut row = [0.0; COLUMNS];
        row[0] = time;
        for (index, (stage, _)) in STAGES.iter().enumerate() {
            row[1 + index] = profile.stage(*stage).as_secs_f64() * 1e3;
        }
        row[ENERGY..COUNTS].copy_from_slice(&[energy.kinetic, energy.potential, energy.total()]);
        let counters = &profile.counters;
        let counts = [counters.awake, counters.contacts, counters.pairs].map(f64::from);
        row[COUNTS..OVERLAP].copy_from_slice(&counts);
        row[OVERLAP] = f64::from(overlap) * 1e3;
        for (sum, value) in self.sum.iter_mut().zip(row) {
            *sum += value;
        }
        self.summed += 1;
        if self.summed > self.stride {
            self.samples.push(self.sum.map(|sum| sum / self.summed as f64));
            (self.sum, self.summed) = ([0.0; COLUMNS], 0);
        }
        if self.samples.len() >= MAX_POINTS {
            let pairs = self.samples.chunks(2).map(|pair| {
                let other = pair.get(1).unwrap_or(&pair[0]);
                std::array::from_fn(|column| 0.5 * (pair[0][column] + other[column]))
            });
            self.samples = pairs.collect();
            self.stride = 2 * self.stride + 1;
        }
    }

    fn curve(&self, column: usize, name: &str, colour: usize) -> Plot {
        let finite = self.samples.iter().filter(|row| row[column].is_finite());
        let line = LinePlot::new()
            .with_data(finite.map(|row| (row[0], row[column])))
            .with_color(COLOURS[colour % COLOURS.len()])
            .with_stroke_width(1.5)
            .with_legend(name);
        Plot::Line(line)
    }
}

/// Draws the curves into a file.
pub(super) fn write(path: &Path, title: &str, curves: &Curves) -> Outcome {
    if curves.samples.is_empty() {
        return Err(Failure::cannot("there is nothing to plot: no step was taken"));
    }
    let stages = STAGES.iter().enumerate().map(|(index, (_, name))| curves.curve(1 + index, name, index));
    let named = |first: usize, names: &[&str]| -> Vec<Plot> {
        names.iter().enumerate().map(|(index, name)| curves.curve(first + index, name, index)).collect()
    };
    let plots = vec![
        stages.collect(),
        named(ENERGY, &["kinetic", "potential", "total"]),
        named(COUNTS, &["awake bodies", "contacts", "pairs"]),
        named(OVERLAP, &["deepest overlap"]),
    ];
    let labels =
        [("Time per step", "ms"), ("Energy", "J"), ("How much there is", "number"), ("Overlap", "mm")];
    let layouts = plots.iter().zip(labels).map(|(plots, (title, unit))| {
        Layout::auto_from_plots(plots).with_title(title).with_x_label("simulated time [s]").with_y_label(unit)
    });
    let layouts = layouts.collect();
    let figure = Figure::new(2, 2)
        .with_title(title)
        .with_cell_size(560.0, 360.0)
        .with_plots(plots)
        .with_layouts(layouts)
        .render();
    let bytes = if format(path, "--plot", &FORMATS)? == "svg" {
        SvgBackend.render_scene(&figure).into_bytes()
    } else {
        PngBackend::new()
            .render_scene(&figure)
            .map_err(|error| Failure::cannot(format_args!("cannot draw {}: {error}", path.display())))?
    };
    output::write_whole(path, &bytes)
}
