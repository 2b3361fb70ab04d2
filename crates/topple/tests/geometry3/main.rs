//! Geometry of the space: masses, rays, contacts and distances against references in f64.

mod boxes;
mod convex;
mod distance;
mod elements;
mod hulls;
mod normals;
mod parry;
mod pressed;
mod reference;
mod round;
mod shapes;
mod support;
mod tracking;
