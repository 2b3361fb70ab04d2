//! Contact functions of the plane.
