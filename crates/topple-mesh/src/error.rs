//! What is wrong with a file: which file, where, and why.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of text, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
}

/// Why a mesh file was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError {
    /// The file; None for a mesh read from memory.
    pub path: Option<PathBuf>,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub reason: String,
}

impl MeshError {
    pub(crate) fn new(place: Place, reason: impl Into<String>) -> Self {
        Self { path: None, place, reason: reason.into() }
    }

    pub(crate) fn whole(reason: impl Into<String>) -> Self {
        Self::new(Place::Whole, reason)
    }

    pub(crate) fn line(line: u64, reason: impl Into<String>) -> Self {
        Self::new(Place::Line(line), reason)
    }

    pub(crate) fn byte(byte: u64, reason: impl Into<String>) -> Self {
        Self::new(Place::Byte(byte), reason)
    }

    /// The same, in this file.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self { path: Some(self.path.unwrap_or_else(|| path.to_path_buf())), ..self }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
        } else {
            write!(f, "mesh")?;
        }
        match self.place {
            Place::Whole => {}
            Place::Line(line) => write!(f, ":{line}")?,
            Place::Byte(byte) => write!(f, ", byte {byte}")?,
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for MeshError {}
