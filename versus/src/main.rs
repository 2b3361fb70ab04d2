//! Runs the same scenes in Topple and in other engines, side by side.
pub mod engine;
pub mod engines;
pub mod hull;
fn main() {}
