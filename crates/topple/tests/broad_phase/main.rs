//! Every broad phase against the definition: all pairs, all boxes, one by one. Whatever is registered is tested.

mod counters;
mod harness;
mod histories;
mod own_algorithm;
mod random_ops;
mod scale;
mod shapes;
mod worlds;

use harness::Method;
use topple::Dim;

/// The methods under test, with their variants. The reference is among them, to test the tests.
fn methods<D: Dim>() -> Vec<Method<D>> {
    topple::broad_phase::all::<D>().iter().map(|entry| entry.2).collect()
}
