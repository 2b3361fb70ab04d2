//! Meshes, height fields and chains: geometry, mass, contacts, sliding without ghosts.

mod sliding;
mod support;
