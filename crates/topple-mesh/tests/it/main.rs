//! Loading, refusing and decomposing meshes.

mod decompose;
mod files;
