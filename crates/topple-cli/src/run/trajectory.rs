//! Place and velocity of every body at every frame, written while the simulation runs.
//!
//! Columns: `frame, time, id, name, x, y[, z], angle | qx, qy, qz, qw, vx, vy[, vz], w | wx, wy, wz`. Numbers have the
//! shortest digits that give the same number back. The id counts the bodies of a scene as they come into the world.

use super::format;
use crate::failure::{Failure, Outcome};
use crate::output;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use topple_scene::lower::Space;
use topple_scene::run::Run;

/// Formats by extension.
pub(super) const FORMATS: [&str; 2] = ["csv", "jsonl"];

const COLUMNS_2D: [&str; 6] = ["x", "y", "angle", "vx", "vy", "w"];
const COLUMNS_3D: [&str; 13] = ["x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz"];

/// An open trajectory.
pub(super) struct Trajectory {
    path: PathBuf,
    file: BufWriter<File>,
    is_csv: bool,
    columns: &'static [&'static str],
    line: String,
}

impl Trajectory {
    /// Opens the file and writes its head.
    pub(super) fn create(path: &Path, dimension: u8) -> Outcome<Self> {
        let is_csv = format(path, "--trajectory", &FORMATS)? == "csv";
        let columns = if dimension == 2 { &COLUMNS_2D[..] } else { &COLUMNS_3D[..] };
        let file = BufWriter::with_capacity(1 << 16, output::create(path)?);
        let mut trajectory = Self { path: path.into(), file, is_csv, columns, line: String::new() };
        if is_csv {
            trajectory.line = format!("frame,time,id,name,{}\n", columns.join(","));
            trajectory.flush_line()?;
        }
        Ok(trajectory)
    }

    fn flush_line(&mut self) -> Outcome {
        let written = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(|error| Failure::file("write", &self.path, &error))
    }

    /// One row per body.
    pub(super) fn add<D: Space>(&mut self, run: &Run<D>, frame: u64) -> Outcome {
        let time = run.world.time();
        for id in run.world.body_ids().filter(|id| !run.is_ground(*id)) {
            let Ok(body) = run.world.body(id) else { continue };
            let values = values(&body);
            self.row(frame, time, body.user_data(), body.name(), &values[..self.columns.len()]);
            self.flush_line()?;
        }
        Ok(())
    }

    /// Writing to a string cannot fail.
    fn row(&mut self, frame: u64, time: f64, id: u64, name: &str, values: &[f32]) {
        let line = &mut self.line;
        if self.is_csv {
            let _ = write!(line, "{frame},{time},{id},{}", csv_text(name));
            values.iter().for_each(|value| {
                let _ = write!(line, ",{value}");
            });
            line.push('\n');
            return;
        }
        let name = serde_json::Value::from(name);
        let _ = write!(line, "{{\"frame\":{frame},\"time\":{time},\"id\":{id},\"name\":{name}");
        for (column, value) in self.columns.iter().zip(values) {
            let _ = write!(line, ",\"{column}\":{value}");
        }
        line.push_str("}\n");
    }

    /// Writes what is left.
    pub(super) fn close(mut self) -> Outcome {
        self.file.flush().map_err(|error| Failure::file("write", &self.path, &error))
    }
}

/// The numbers of a row, in order of the columns.
fn values<D: Space>(body: &topple::Body<'_, D>) -> [f32; 13] {
    let place = D::point_out(body.position());
    let velocity = D::vec_out(body.linear_velocity());
    let spin = D::ang_out(body.angular_velocity());
    let rotation = D::rotation_floats(body.rotation());
    let mut values = [0.0; 13];
    let mut next = 0;
    let mut put = |value: f32| {
        values[next] = value;
        next += 1;
    };
    (0..D::N).for_each(|axis| put(place[axis] as f32));
    if D::N == 2 {
        put(D::angle(body.rotation()) as f32);
    } else {
        rotation.into_iter().for_each(&mut put);
    }
    (0..D::N).for_each(|axis| put(velocity[axis] as f32));
    if D::N == 2 {
        put(spin[2] as f32);
    } else {
        spin.into_iter().for_each(|value| put(value as f32));
    }
    values
}

/// A text as a field of CSV.
pub(super) fn csv_text(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
