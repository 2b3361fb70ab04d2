//! Loads that are many times the weight of the body that bears them: what `world/refine.rs` and settling go by.
//!
//! A contact that pushes with the impulse Σλ per sub-step of length h bears Σλ/(m·g·h) weights of its lighter body m. That is what
//! the sweeps have found so far, and they find a load late: each carries it one contact further. So the ratio of the masses counts as well
//! where a heavy body stands on a light one (the normal within 60° of the vertical): that weight will come to bear.

use super::rows::Row;
use crate::contact::Contact;
use crate::math::*;
use crate::solver::HeavyLoad;

/// Load in weights of the lighter body from which on contacts settle; at twice of it they do in full.
const SETTLING_LOAD: Real = 4.0;
/// Loads that a list has room for, to begin with: all contacts of a piece.
const LOADS: usize = 64;
/// Cosine between the normal and the vertical up to which the upper body counts as standing on the lower one.
const ON_TOP: Real = 0.5;

/// Finds contacts that carry many times the weight of the lighter body.
pub(crate) struct Heavy {
    /// 1/(g·h) [s/m].
    pub(crate) per_weight: Real,
    /// Ratio of masses above which the heavier one counts as a load.
    pub(crate) limit: Real,
    /// Load of a joint above which its chain may be worth solving all at once.
    pub(crate) chain: Real,
    /// Share of the load that settles.
    pub(crate) settled: Real,
    /// Unit vector against gravity; zero without.
    pub(crate) up: [Real; 3],
}

impl Heavy {
    /// Notes what is above the limit.
    pub(crate) fn report(
        &self,
        (bodies, is_joint): ([u32; 2], bool),
        (ratio, weight): (Real, Real),
        limit: Real,
        list: &mut Vec<HeavyLoad>,
    ) {
        // Once, and for all that may come: a settled step allocates nothing.
        let least = if is_joint { self.chain.max(limit) } else { limit };
        if list.capacity() == 0 && (ratio > least || weight > self.limit.max(limit)) {
            list.reserve(LOADS);
        }
        // What a joint was found to bear counts for chains alone: joints that contradict each other pull without end.
        if ratio > least {
            list.push(HeavyLoad { bodies, ratio, is_weight: false, is_joint });
        }
        if weight > self.limit.max(limit) {
            list.push(HeavyLoad { bodies, ratio: weight, is_weight: true, is_joint });
        }
    }

    /// Share of a load, in weights of the lighter body, that a contact takes for granted in time.
    #[inline]
    pub(crate) fn settled_share(&self, ratio: Real) -> Real {
        self.settled * (ratio / SETTLING_LOAD - 1.0).clamp(0.0, 1.0)
    }

    /// Load of a joint with impulse `push`, and the weight of a heavy body on a light one.
    pub(super) fn of_joint(&self, push: Real, [inv_ma, inv_mb]: [Real; 2]) -> (Real, Real) {
        let (light, heavy) = (inv_ma.max(inv_mb), inv_ma.min(inv_mb));
        (push * light * self.per_weight, if heavy > 0.0 { light / heavy } else { 0.0 })
    }

    /// Load of a contact in a row.
    #[inline]
    pub(super) fn of<D: Dim, const N: usize, const A: usize, const P: usize>(
        &self,
        contact: &Contact<D>,
        lane: usize,
        row: &Row<N, A, P>,
    ) -> (Real, Real) {
        let sum: Real = row.points[..contact.manifold.count as usize].iter().map(|p| p.lambda.0[lane]).sum();
        let inv_masses = [row.inv_ma.0[lane], row.inv_mb.0[lane]];
        self.of_contact(sum, inv_masses, || (0..N).map(|i| row.n[i].0[lane] * self.up[i]).sum())
    }

    /// Load of a contact with the impulse `push`, and the weight of a heavy body that stands on a light one: it will come to bear, even
    /// if the sweeps have not yet found it out. `rise` tells how far the normal from a to b points up (cosine).
    #[inline]
    pub(crate) fn of_contact(
        &self,
        push: Real,
        [inv_ma, inv_mb]: [Real; 2],
        rise: impl Fn() -> Real,
    ) -> (Real, Real) {
        let (light, heavy) = (inv_ma.max(inv_mb), inv_ma.min(inv_mb));
        let mut weight = 0.0;
        if heavy > 0.0 && light > self.limit * heavy && push > 0.0 {
            let up = rise();
            if (if inv_mb < inv_ma { up } else { -up }) > ON_TOP {
                weight = light / heavy;
            }
        }
        (push * light * self.per_weight, weight)
    }
}
