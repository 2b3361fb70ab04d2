//! Meshes from files: OBJ, STL (text and binary), glTF and GLB; and their decomposition into convex hulls.
//!
//! ```no_run
//! let ring = topple_mesh::load("ring.obj")?;
//! let shape = topple::Shape3::mesh(&ring.vertices, &ring.triangles)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file becomes a [`Surface`]: vertices and triangles, all objects of the file together, in the units and axes of the
//! file. What a file gets wrong is told with its path, the line or byte, and the reason; sizes are limited
//! ([`Limits`]), so that no file can take all memory. Nothing here is needed to simulate: the engine takes any triangles.

mod decompose;
mod error;
mod gltf_file;
mod lines;
mod obj;
mod stl;

pub use decompose::{DecomposeOptions, decompose};
pub use error::{MeshError, Place};
pub use obj::write as to_obj;
pub use topple::shape::d3::mesh::generate::Surface;

use std::io::Read;
use std::path::Path;

/// How large a file and its mesh may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file, and of everything it refers to, together. Default 256 MiB.
    pub bytes: u64,
    /// Vertices, counted as often as they are used by objects of a scene. Default 16 million.
    pub vertices: usize,
    /// Triangles. Default 16 million.
    pub triangles: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, vertices: 16_000_000, triangles: 16_000_000 }
    }
}

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary: told apart by content.
    Stl,
    /// glTF 2.0 as JSON or binary (GLB): told apart by content.
    Gltf,
}

impl Format {
    /// The format that the ending of a path stands for: `obj`, `stl`, `gltf` or `glb`, in any case.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }
}

/// Loads a mesh file, with default limits.
pub fn load(path: impl AsRef<Path>) -> Result<Surface, MeshError> {
    load_with(path, &Limits::default())
}

/// Loads a mesh file.
pub fn load_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Surface, MeshError> {
    let path = path.as_ref();
    let named = |error: MeshError| error.in_file(path);
    let Some(format) = Format::of_path(path) else {
        return Err(named(MeshError::whole("has none of the endings .obj, .stl, .gltf, .glb")));
    };
    let bytes = read_file(path, limits.bytes).map_err(named)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut left = limits.bytes.saturating_sub(bytes.len() as u64);
    let mut fetch = |name: &str| {
        let found = read_file(&folder.join(name), left)?;
        left -= found.len() as u64;
        Ok(found)
    };
    parse(&bytes, format, limits, &mut fetch).map_err(named)
}

/// Reads a mesh from memory. A glTF that refers to other files is refused: use [`load`].
pub fn read(bytes: &[u8], format: Format, limits: &Limits) -> Result<Surface, MeshError> {
    if bytes.len() as u64 > limits.bytes {
        return Err(too_large(bytes.len() as u64, limits.bytes));
    }
    parse(bytes, format, limits, &mut |_| Err(MeshError::whole("other files are not at hand")))
}

fn parse(
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>, MeshError>,
) -> Result<Surface, MeshError> {
    let surface = match format {
        Format::Obj => obj::read(bytes, limits)?,
        Format::Stl => stl::read(bytes, limits)?,
        Format::Gltf => gltf_file::read(bytes, limits, fetch)?,
    };
    if surface.triangles.is_empty() {
        return Err(MeshError::whole("has no triangles"));
    }
    Ok(surface)
}

fn too_large(size: u64, limit: u64) -> MeshError {
    MeshError::whole(format!("takes {size} bytes, but at most {limit} are read"))
}

/// A whole file, unless it is larger than `limit` bytes.
fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, MeshError> {
    let failed = |error: std::io::Error| MeshError::whole(format!("cannot be read: {error}"));
    let file = std::fs::File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size > limit {
        return Err(too_large(size, limit));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed: the file may grow, or not know its size.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64, limit)) } else { Ok(bytes) }
}
