//! Contact functions of space.
