//! One test binary: snapshots of good and bad scenes, round trips, robustness, the derived pages, speed.

mod derived;
mod forces;
mod joints;
mod language;
mod meshes;
mod robustness;
mod round_trip;
mod run;
mod snapshots;
mod speed;
mod support;
