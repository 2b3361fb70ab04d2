//! Continuous collision: what the guide promises.

// Bullets against what moves, and each other.
mod bullets;
// Sharp bodies in corners.
mod corners;
// What lies on the edges of a gap.
mod edges;
// What has no thickness and lands flat.
mod flat;
// What is deep comes out.
mod deep;
// Plates that are thrown down hard.
mod hard_landing;
// The moment of impact against brute force.
mod impact;
// Plates that land on an edge.
mod landing;
// What must not be stopped.
mod sliding;
// Bullets against each other and sleepers: how deep.
mod pairs;
// Bullets against what spins.
mod spinning;
// Bullets that are taken along.
mod squeezed;
// Nothing gets through walls.
mod walls;

mod support;
