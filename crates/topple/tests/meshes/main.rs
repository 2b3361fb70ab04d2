//! Meshes, height fields and chains: geometry, mass, queries, contacts, sliding without ghosts.

mod askew;
mod compounds;
mod contacts;
mod corners;
mod flat_ground;
mod floors;
mod landing;
mod life;
mod log;
mod mass;
mod oracle;
mod planes;
mod queries;
mod random_slides;
mod resting;
mod seams;
mod shapes;
mod sliding;
mod small_slides;
mod solid_tiles;
mod solids;
mod support;
mod thin_walls;
mod wall_kinds;
