//! Times of many steps in bounded memory: means exactly, percentiles within a percent.

use std::time::Duration;
use topple::Profile;
use topple::world::STAGES;

/// Bins per doubling of the time.
const FINENESS: f64 = 64.0;
/// From a nanosecond to about a thousand seconds.
const BINS: usize = 40 * FINENESS as usize;

/// Times of all steps of a run.
pub(crate) struct Statistics {
    count: u64,
    sum: f64,
    max: f64,
    bins: Vec<u64>,
    stages: [f64; STAGES.len()],
}

impl Default for Statistics {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, max: 0.0, bins: vec![0; BINS], stages: [0.0; STAGES.len()] }
    }
}

impl Statistics {
    /// Adds a step that took `time`, of which the engine says how it spent it.
    pub(crate) fn add(&mut self, time: Duration, profile: &Profile) {
        let ms = time.as_secs_f64() * 1e3;
        self.count += 1;
        self.sum += ms;
        self.max = self.max.max(ms);
        let bin = ((time.as_nanos().max(1) as f64).log2() * FINENESS) as usize;
        self.bins[bin.min(BINS - 1)] += 1;
        for (sum, (stage, _)) in self.stages.iter_mut().zip(STAGES) {
            *sum += profile.stage(stage).as_secs_f64() * 1e3;
        }
    }

    /// All steps together [s].
    pub(crate) fn total(&self) -> f64 {
        self.sum * 1e-3
    }

    /// Longest step [ms].
    pub(crate) fn max(&self) -> f64 {
        self.max
    }

    /// Mean [ms].
    pub(crate) fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The time that a share of the steps does not exceed [ms].
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return (((bin as f64 + 0.5) / FINENESS).exp2() * 1e-6).min(self.max);
            }
        }
        self.max
    }

    /// Mean time per stage [ms].
    pub(crate) fn stages(&self) -> Vec<(&'static str, f64)> {
        let count = self.count.max(1) as f64;
        self.stages.iter().zip(STAGES).map(|(sum, (_, name))| (name, sum / count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_near() {
        let mut statistics = Statistics::default();
        for us in 1..=1000 {
            statistics.add(Duration::from_micros(us), &Profile::default());
        }
        for (share, wanted) in [(0.5, 0.5), (0.99, 0.99), (1.0, 1.0)] {
            let found = statistics.percentile(share);
            assert!((found / wanted - 1.0).abs() < 0.011, "{share}: {found} ms instead of {wanted} ms");
        }
        assert!((statistics.mean() - 0.5005).abs() < 1e-9);
        assert_eq!(statistics.max(), 1.0);
    }
}
