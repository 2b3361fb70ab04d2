//! Wavefront OBJ through `tobj`: positions and faces; polygons become triangles, points and lines are passed over.
//!
//! `tobj` does not say where a file is wrong. Most faults stop it in the line they are in, which `lines.rs` knows; faces that name
//! vertices beyond the end are found by it later, and here by looking again.

use crate::lines::Lines;
use crate::{Limits, MeshError, Surface};
use std::cell::Cell;
use topple::Vec3;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Surface, MeshError> {
    let line = Cell::new(0);
    let mut reader = Lines::new(bytes, &line);
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    // Materials are of no use to physics.
    let no_materials = |_: &std::path::Path| Ok((Vec::new(), Default::default()));
    let (models, _) = tobj::load_obj_buf(&mut reader, &options, no_materials)
        .map_err(|error| locate(bytes, error, line.get()))?;
    let mut surface = Surface::default();
    for model in models {
        let mesh = model.mesh;
        let first = surface.vertices.len();
        let count = mesh.positions.len() / 3;
        if first + count > limits.vertices {
            return Err(too_many("vertices", limits.vertices));
        }
        if surface.triangles.len() + mesh.indices.len() / 3 > limits.triangles {
            return Err(too_many("triangles", limits.triangles));
        }
        surface.vertices.extend(mesh.positions.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])));
        for corners in mesh.indices.chunks_exact(3) {
            if corners.iter().any(|&i| i as usize >= count) {
                return Err(locate(bytes, tobj::LoadError::FaceVertexOutOfBounds, line.get()));
            }
            surface.triangles.push([0, 1, 2].map(|k| first as u32 + corners[k]));
        }
    }
    if surface.vertices.iter().any(|v| !v.is_finite()) {
        return Err(not_finite(bytes));
    }
    Ok(surface)
}

pub(crate) fn too_many(what: &str, limit: usize) -> MeshError {
    MeshError::whole(format!("has more than {limit} {what}"))
}

/// Lines with their number, without comments, split into words.
fn words(bytes: &[u8]) -> impl Iterator<Item = (u64, Vec<&str>)> {
    bytes.split(|&b| b == b'\n').enumerate().map(|(i, line)| {
        let text = core::str::from_utf8(line).unwrap_or("");
        let text = text.split('#').next().unwrap_or("");
        (i as u64 + 1, text.split_whitespace().collect())
    })
}

fn not_finite(bytes: &[u8]) -> MeshError {
    let is_wild = |word: &&str| word.parse::<f32>().is_ok_and(|x| !x.is_finite());
    for (line, words) in words(bytes) {
        if words.first() == Some(&"v")
            && let Some(word) = words[1..].iter().find(|w| is_wild(w))
        {
            return MeshError::line(line, format!("coordinate {word} is not finite"));
        }
    }
    MeshError::whole("has a coordinate that is not finite")
}

/// The error of `tobj` in our words, and the line: where it stopped, or found by looking again.
fn locate(bytes: &[u8], error: tobj::LoadError, stopped: u64) -> MeshError {
    use tobj::LoadError as E;
    let reason = match error {
        E::FaceVertexOutOfBounds => return out_of_bounds(bytes),
        E::FaceTexCoordOutOfBounds | E::FaceNormalOutOfBounds | E::FaceColorOutOfBounds => {
            return MeshError::whole(
                "a face names a texture coordinate, normal or colour that does not exist",
            );
        }
        E::ReadError => "is not UTF-8 text",
        E::PositionParseError => "a vertex needs three numbers",
        E::ScalingByZeroError => "a vertex with weight 0 is infinitely far away",
        E::ColorParseError => "a vertex has three numbers, or six with a colour",
        E::NormalParseError => "a normal needs three numbers",
        E::TexcoordParseError => "a texture coordinate needs numbers",
        E::FaceParseError => {
            "a face needs numbers of vertices, such as 1, 1/2, 1/2/3 or 1//3, from 1 or from -1 backwards"
        }
        E::InvalidPolygon => "a face needs at least three vertices",
        E::InvalidObjectName => "an object needs a name",
        E::MaterialParseError => "a material needs a name",
        other => return MeshError::line(stopped, other.to_string()),
    };
    MeshError::line(stopped, reason)
}

fn out_of_bounds(bytes: &[u8]) -> MeshError {
    let mut count = 0_i64;
    for (line, words) in words(bytes) {
        match words.first() {
            Some(&"v") => count += 1,
            Some(&"f") => {
                for word in &words[1..] {
                    let number = word.split('/').next().and_then(|w| w.parse::<i64>().ok());
                    if number == Some(0) {
                        return MeshError::line(line, "a face names vertex 0, but numbers begin with 1");
                    }
                    if let Some(number) = number.filter(|n| n.unsigned_abs() > count as u64) {
                        let reason =
                            format!("a face names vertex {number}, but {count} vertices come before it");
                        return MeshError::line(line, reason);
                    }
                }
            }
            _ => {}
        }
    }
    MeshError::whole("a face names a vertex that does not exist")
}

/// The text of an OBJ file with these triangles. Reading it gives the same triangles, bit for bit.
pub fn write(surface: &Surface) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    // Writing to a string cannot fail.
    for v in &surface.vertices {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in &surface.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}
