//! Continuous collision: what the guide promises.

// Nothing gets through walls.
mod walls;

mod debug;
mod support;
