//! `all-pairs`: every proxy against every other. Quadratic; the reference that all other methods must equal.

use super::{BroadPhase, PairKey, Proxies};
use crate::exec::Executor;
use crate::math::*;

/// Tests every pair of boxes. Right by inspection.
#[derive(Clone, Debug, Default)]
pub struct BroadPhaseAllPairs {
    tested: u64,
}

impl<D: Dim> BroadPhase<D> for BroadPhaseAllPairs {
    fn name(&self) -> &'static str {
        "all-pairs"
    }

    fn attach(&mut self, _proxies: &Proxies<D>) {}

    fn insert(&mut self, _proxies: &Proxies<D>, _proxy: u32) {}

    fn remove(&mut self, _proxies: &Proxies<D>, _proxy: u32) {}

    fn update(&mut self, _proxies: &Proxies<D>, _moved: &[u32], _executor: &dyn Executor) {}

    fn find_pairs(
        &mut self,
        proxies: &Proxies<D>,
        moved: &[u32],
        _executor: &dyn Executor,
        out: &mut Vec<PairKey>,
    ) {
        if moved.is_empty() {
            return;
        }
        let count = proxies.slots().len() as u32;
        for a in 0..count {
            for b in a + 1..count {
                self.tested += 1;
                if proxies.is_pair(a, b) {
                    out.push(Proxies::<D>::key(a, b));
                }
            }
        }
    }

    fn counters(&mut self, out: &mut Vec<(&'static str, u64)>) {
        out.push(("boxes tested", core::mem::take(&mut self.tested)));
    }
}
