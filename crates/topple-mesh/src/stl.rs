//! STL through `stl_io`: text or binary, told apart by content.
//!
//! Binary files may begin with the word that text files begin with, so the length decides: 84 bytes and 50 for each triangle.

use crate::lines::Lines;
use crate::obj::too_many;
use crate::{Limits, MeshError, Surface};
use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom};
use topple::Vec3;

/// Bytes before the first triangle of a binary file: a free text and the number of triangles.
const HEAD: usize = 84;
/// Bytes of a triangle: normal, three corners, two bytes for anything.
const TRIANGLE: usize = 50;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Surface, MeshError> {
    let count = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let expected = count.and_then(|n| n.checked_mul(TRIANGLE)).and_then(|n| n.checked_add(HEAD));
    let begins_as_text = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    if expected == Some(bytes.len()) || !begins_as_text {
        let Some((count, expected)) = count.zip(expected) else {
            return Err(MeshError::byte(
                bytes.len() as u64,
                "ends here, but a binary STL has a head of 84 bytes and a text STL begins with 'solid'",
            ));
        };
        binary(bytes, count, expected, limits)
    } else {
        text(bytes, limits)
    }
}

fn binary(bytes: &[u8], count: usize, expected: usize, limits: &Limits) -> Result<Surface, MeshError> {
    if bytes.len() < expected {
        let reason = format!("ends here, but {count} triangles take {expected} bytes");
        return Err(MeshError::byte(bytes.len() as u64, reason));
    }
    if count > limits.triangles {
        return Err(too_many("triangles", limits.triangles));
    }
    let place = |index: usize, reason: String| MeshError::byte((HEAD + TRIANGLE * index) as u64, reason);
    let mut source = Binary { bytes, at: 0 };
    let triangles = stl_io::create_stl_reader(&mut source).map_err(|error| place(0, error.to_string()))?;
    let mut surface = Surface::default();
    for (index, triangle) in triangles.enumerate() {
        let triangle = triangle.map_err(|error| place(index, error.to_string()))?;
        push(&mut surface, &triangle, limits, |reason| place(index, reason))?;
    }
    Ok(surface)
}

/// A binary file whose first byte is a blank, so that nobody takes it for text.
struct Binary<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Read for Binary<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, std::io::Error> {
        let rest = &self.bytes[self.at..];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        if self.at == 0 && count > 0 {
            out[0] = b' ';
        }
        self.at += count;
        Ok(count)
    }
}

impl Seek for Binary<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, std::io::Error> {
        if to != SeekFrom::Start(0) {
            return Err(std::io::ErrorKind::Unsupported.into());
        }
        self.at = 0;
        Ok(0)
    }
}

fn text(bytes: &[u8], limits: &Limits) -> Result<Surface, MeshError> {
    // `stl_io` wants a lower-case word and a name after it; many files have neither. The number of lines stays.
    let body = bytes.trim_ascii_start();
    let before = bytes[..bytes.len() - body.len()].iter().filter(|&&b| b == b'\n').count() as u64;
    let end = body.iter().position(|&b| b == b'\n').unwrap_or(body.len());
    let mut source = b"solid mesh".to_vec();
    source.extend_from_slice(&body[end..]);
    let line = Cell::new(0);
    let place = |reason: String| MeshError::line(before + line.get().max(1), reason);
    let mut reader = Lines::new(&source, &line);
    let triangles = stl_io::create_stl_reader(&mut reader).map_err(|error| place(error.to_string()))?;
    let mut surface = Surface::default();
    for triangle in triangles {
        let triangle = triangle.map_err(|error| place(error.to_string()))?;
        push(&mut surface, &triangle, limits, place)?;
    }
    Ok(surface)
}

fn push(
    surface: &mut Surface,
    triangle: &stl_io::Triangle,
    limits: &Limits,
    place: impl Fn(String) -> MeshError,
) -> Result<(), MeshError> {
    if surface.triangles.len() >= limits.triangles {
        return Err(too_many("triangles", limits.triangles));
    }
    if surface.vertices.len() + 3 > limits.vertices {
        return Err(too_many("vertices", limits.vertices));
    }
    let first = surface.vertices.len() as u32;
    for corner in triangle.vertices {
        let corner = Vec3::from_array(corner.0);
        if !corner.is_finite() {
            return Err(place(format!("corner {corner} is not finite")));
        }
        surface.vertices.push(corner);
    }
    surface.triangles.push([first, first + 1, first + 2]);
    Ok(())
}
