//! Meshes, height fields and chains: geometry, mass, queries, contacts, sliding without ghosts.

mod contacts;
mod life;
mod mass;
mod queries;
mod resting;
mod shapes;
mod sliding;
mod support;
