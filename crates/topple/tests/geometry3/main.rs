//! Geometry of the space: masses, rays, contacts and distances against references in f64.

mod boxes;
mod convex;
mod degenerate;
mod distance;
mod elements;
mod hulls;
mod mass;
mod nearest;
mod normals;
mod overhang;
mod parry;
mod persistence;
mod pressed;
mod reference;
mod round;
mod shapes;
mod speculative;
mod support;
mod symmetry;
mod tracking;
