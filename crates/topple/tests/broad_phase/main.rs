//! Every broad phase against the definition: all pairs, all boxes, one by one.
//!
//! To test another method, add it to `methods` below.

mod harness;
mod histories;
mod random_ops;
mod scale;

use harness::Method;
use topple::Dim;
use topple::broad_phase::{BroadPhaseAllPairs, BroadPhaseBvh};

/// The methods under test. The reference is among them, to test the tests.
fn methods<D: Dim>() -> Vec<Method<D>> {
    vec![|| Box::new(BroadPhaseAllPairs::default()), || Box::new(BroadPhaseBvh::default())]
}
