//! What every step cost, row by row: times of the stages, counts, energy, overlap, and what the methods counted.

use super::format;
use crate::failure::{Failure, Outcome};
use crate::measure::Energy;
use crate::output;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use topple::Profile;
use topple::world::STAGES;

/// Formats by extension.
pub(super) const FORMATS: [&str; 2] = ["csv", "json"];

/// An open profile.
pub(super) struct ProfileFile {
    path: PathBuf,
    file: BufWriter<File>,
    is_csv: bool,
    rows: u64,
    /// Counters of the broad phase, in the order of the first row: the same columns for the whole run.
    broad: Vec<&'static str>,
}

impl ProfileFile {
    pub(super) fn create(path: &Path) -> Outcome<Self> {
        let is_csv = format(path, "--profile", &FORMATS)? == "csv";
        let mut profile = Self {
            path: path.into(),
            file: BufWriter::new(output::create(path)?),
            is_csv,
            rows: 0,
            broad: Vec::new(),
        };
        if !is_csv {
            profile.write("{\"steps\":[")?;
        }
        Ok(profile)
    }

    fn write(&mut self, text: &str) -> Outcome {
        self.file.write_all(text.as_bytes()).map_err(|error| Failure::file("write", &self.path, &error))
    }

    /// One row.
    pub(super) fn add(
        &mut self,
        frame: u64,
        time: f64,
        profile: &Profile,
        energy: Energy,
        overlap: f32,
    ) -> Outcome {
        if self.rows == 0 {
            self.broad = profile.broad.iter().map(|&(name, _)| name).collect();
        }
        let row = row(frame, time, profile, energy, overlap);
        let methods = self.methods(profile);
        let text = if self.is_csv {
            let all = || row.iter().chain(&methods);
            let values = all().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",");
            if self.rows == 0 {
                let names = all().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
                format!("{names}\n{values}\n")
            } else {
                format!("{values}\n")
            }
        } else {
            let fields = |row: &[(String, String)]| {
                row.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect::<Vec<_>>().join(",")
            };
            let comma = if self.rows == 0 { "" } else { "," };
            format!("{comma}\n{{{},\"methods\":{{{}}}}}", fields(&row), fields(&methods))
        };
        self.rows += 1;
        self.write(&text)
    }

    /// What broad phase and narrow phase counted. Columns stay what they were in the first row.
    fn methods(&self, profile: &Profile) -> Vec<(String, String)> {
        let broad = self.broad.iter().map(|&name| {
            let found = profile.broad.iter().find(|&&(known, _)| known == name);
            (name.replace(' ', "_"), found.map_or(0, |&(_, count)| count))
        });
        let narrow = &profile.narrow;
        let narrow = [
            ("computed", narrow.computed),
            ("recycled", narrow.recycled),
            ("cache_hits", narrow.cache_hits),
            ("axes", narrow.axes),
            ("gjk_iterations", narrow.gjk_iterations),
            ("epa_iterations", narrow.epa_iterations),
        ];
        let narrow = narrow.into_iter().map(|(name, count)| (name.to_string(), count));
        broad.chain(narrow).map(|(name, count)| (name, count.to_string())).collect()
    }

    /// Writes what is left.
    pub(super) fn close(mut self) -> Outcome {
        if !self.is_csv {
            self.write("\n]}\n")?;
        }
        self.file.flush().map_err(|error| Failure::file("write", &self.path, &error))
    }
}

fn row(frame: u64, time: f64, profile: &Profile, energy: Energy, overlap: f32) -> Vec<(String, String)> {
    let mut row = Vec::with_capacity(40);
    let mut put = |name: &str, value: String| row.push((name.to_string(), value));
    put("frame", frame.to_string());
    put("time", time.to_string());
    put("step_ms", milliseconds(profile.total));
    for (stage, name) in STAGES {
        put(&format!("{name}_ms"), milliseconds(profile.stage(stage)));
    }
    put("refinement_ms", milliseconds(profile.refinement));
    let counters = &profile.counters;
    let counts = [
        ("bodies", counters.bodies),
        ("awake", counters.awake),
        ("shapes", counters.shapes),
        ("pairs", counters.pairs),
        ("new_pairs", counters.new_pairs),
        ("contacts", counters.contacts),
        ("points", counters.points),
        ("joints", counters.joints),
        ("constraints", counters.constraints),
        ("colors", counters.colors),
        ("overflow", counters.overflow),
        ("islands", counters.islands),
        ("fast", counters.fast),
        ("stopped", counters.stopped),
        ("moved", counters.moved),
        ("refined", counters.refined),
        ("standing", counters.standing),
        ("refinement", counters.refinement),
        ("at_once", counters.at_once),
        ("slowed", counters.slowed),
    ];
    for (name, count) in counts {
        put(name, count.to_string());
    }
    put("kinetic", finite(energy.kinetic));
    put("potential", finite(energy.potential));
    put("max_penetration", finite(f64::from(overlap)));
    row
}

fn milliseconds(time: std::time::Duration) -> String {
    format!("{:.6}", time.as_secs_f64() * 1e3)
}

/// JSON knows no infinity.
fn finite(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "null".into() }
}
