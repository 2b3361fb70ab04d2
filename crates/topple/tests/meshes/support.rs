//! Grounds to slide and rest on.

use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::{Shape2, Shape3};

/// A flat mesh at height 0, `cells` by `cells` squares of `cell` metres.
pub fn flat_mesh(cells: u32, cell: Real) -> Shape3 {
    let size = Vec2::splat(cells as Real * cell);
    let ground = generate::terrain(size, [cells; 2], |_, _| 0.0).unwrap();
    Shape3::mesh(&ground.vertices, &ground.triangles).unwrap()
}

/// A flat height field at height 0.
pub fn flat_field(cells: u32, cell: Real) -> Shape3 {
    let count = (cells + 1) * (cells + 1);
    Shape3::height_field(Vec2::splat(cells as Real * cell), cells + 1, &vec![0.0; count as usize]).unwrap()
}

/// A flat chain at height 0, from right to left.
pub fn flat_chain(cells: u32, cell: Real) -> Shape2 {
    let half = 0.5 * cells as Real * cell;
    let vertices: Vec<Vec2> = (0..=cells).map(|i| Vec2::new(half - i as Real * cell, 0.0)).collect();
    Shape2::chain(&vertices).unwrap()
}
