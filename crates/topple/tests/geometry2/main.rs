//! Shapes of the plane and their contacts, against references that share no code with the library.

mod contacts; // separation, normal, symmetry against the f64 reference
mod degenerate; // coincident, nested, tiny, huge, flat
mod mass; // f64 sums over triangles
mod parry; // a second oracle
mod persistence; // ids and axes over time
mod rays;
mod reference; // f64 brute force
mod shapes; // construction, mass, bounds, points, byte form
mod support;
