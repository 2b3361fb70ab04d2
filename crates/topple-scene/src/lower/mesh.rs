//! Meshes of a scene as shapes of the engine. One file is often used by many bodies: each shape is made once.

use std::collections::HashMap;
use std::sync::Arc;

use topple::shape::d3::MeshData;
use topple::shape::d3::mesh::{MeshMass, MeshOptions};
use topple::{Real, Shape3};
use topple_mesh::{DecomposeOptions, Surface, decompose};

use crate::model::MeshForm;

/// What a shape depends on: the surface by its address, the scale by its bits, the form, where the mass comes from.
type Key = (usize, u64, MeshForm, bool);

/// Shapes made so far.
#[derive(Debug, Default)]
pub struct Meshes {
    /// With their surface, so that no other can get its address.
    made: HashMap<Key, Made>,
}

/// A surface and the shapes made of it, or why there are none.
type Made = (Arc<Surface>, Result<Vec<Shape3>, String>);

impl Meshes {
    /// The shapes of a surface, or why the engine has none.
    pub fn shapes(
        &mut self,
        surface: &Arc<Surface>,
        scale: f64,
        form: MeshForm,
        by_bounds: bool,
    ) -> Result<Vec<Shape3>, String> {
        let key = (Arc::as_ptr(surface) as usize, scale.to_bits(), form, by_bounds);
        let made = self.made.entry(key).or_insert_with(|| {
            let shapes = make(surface, scale as Real, form, by_bounds).map_err(|error| error.to_string());
            (Arc::clone(surface), shapes)
        });
        made.1.clone()
    }
}

fn make(
    surface: &Surface,
    scale: Real,
    form: MeshForm,
    by_bounds: bool,
) -> Result<Vec<Shape3>, topple::Error> {
    let vertices: Vec<_> = surface.vertices.iter().map(|vertex| *vertex * scale).collect();
    match form {
        MeshForm::Triangles => {
            let mass = if by_bounds { MeshMass::BoundingBox } else { MeshMass::Exact };
            let options = MeshOptions { mass, ..MeshOptions::default() };
            let data = MeshData::with_options(&vertices, &surface.triangles, options)?;
            Ok(vec![Shape3::Mesh { data: Arc::new(data) }])
        }
        MeshForm::Hull => Ok(vec![Shape3::hull(&vertices)?]),
        MeshForm::Pieces(most) => {
            let options = DecomposeOptions { max_parts: most as usize, ..DecomposeOptions::default() };
            decompose(&Surface { vertices, triangles: surface.triangles.clone() }, &options)
        }
    }
}
