//! The end of a step: impulses from rows back to contacts.
//!
//! What is stored is the impulse of a sub-step of the usual length: refined groups take shorter ones, and their impulses are smaller by the
//! same power of two. Friction is stored as a vector, since the tangents of the next step are others.
//!
//! **Settled loads.** λ₀, the load that softness leaves alone (see the head of `kernel.rs`), follows the impulse by a small part of the
//! way per step: λ₀ ← λ₀ + (share·λ − λ₀)·gain. It does so only where statics gave the contact a load to begin with (`world/foresee.rs`).
//! What fell together is wedged here and there, and bears there what it overlaps by, whatever lies on it: such a load would grow by what
//! it is taken for, twenty times in the end, until something slips. Downwards λ₀ follows at once if the contact as a whole bears much less
//! than it has settled for: what is relieved of a load is not held up by it. Not point by point: one that rocks keeps its share.

use super::heavy::Heavy;
use super::landings::share;
use super::lanes::F8;
use super::pack::Packed;
use super::plan::ROWS_PER_PIECE;
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use super::step::NEAR;
use crate::contact::Contact;
use crate::exec::Executor;
use crate::math::*;
use crate::solver::HeavyLoad;
use crate::trusted::{Each, Ends, Order, Owned, in_order};

/// How much of what it bears a contact takes for granted, at most (no unit): above 1, so that what swings by less keeps all.
const MOST_SETTLED: Real = 1.25;

/// What storing reads.
pub(super) struct StoreScene<'a, const S: usize> {
    pub(super) lines: &'a [Packed<S>],
    pub(super) heavy: &'a Heavy,
    /// Part of the way per step that loads settle.
    pub(super) gain: Real,
    pub(super) refinement: Real,
}

/// Hands the impulses of all rows back to their contacts, and reports those that carry much.
pub(super) fn store_rows<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    (executor, order): (&dyn Executor, &Order),
    (rows, friction, cold, ends): (&[Row<N, A, P>], &[FrictionRow<A, T, K, P>], &[ColdRow], &[Ends]),
    (lists, contacts): (Each<'_, Vec<HeavyLoad>>, Owned<'_, Contact<D>>),
    scene: &StoreScene<'_, S>,
) {
    let StoreScene { lines, heavy, gain, refinement } = scene;
    let is_scattered = contacts.bytes() > NEAR;
    in_order(executor, (ROWS_PER_PIECE, order), (lists, contacts), |piece, (list, mut contacts)| {
        let from = piece * ROWS_PER_PIECE;
        let to = rows.len().min(from + ROWS_PER_PIECE);
        for index in from..to {
            if is_scattered && index + 1 < to {
                cold[index + 1].contacts.iter().for_each(|&contact| contacts.prefetch(contact as usize));
            }
            let (row, friction, cold) = (&rows[index], &friction[index], &cold[index]);
            for lane in (0..WIDTH).filter(|&lane| cold.contacts[lane] != NO_CONTACT) {
                let contact = contacts.get(cold.contacts[lane] as usize);
                let (ratio, weight) = heavy.of(contact, lane, row);
                let limits = ends[index]
                    .slots
                    .map(|slots| lines.get(slots[lane] as usize).map_or(0.0, |l| l.0[S - 1]));
                heavy.report((contact.bodies, false), (ratio, weight), limits[0].max(limits[1]), list);
                let share = heavy.settled_share(ratio);
                store_lane(contact, lane, row, friction, (*refinement, Settle { share, gain: *gain }));
            }
        }
    });
}

/// Writes the impulses of lane `lane` back to its contact, `scale` times as large: for a sub-step of usual length.
#[inline]
fn store_lane<D: Dim, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
    contact: &mut Contact<D>,
    lane: usize,
    row: &Row<N, A, P>,
    friction: &FrictionRow<A, T, K, P>,
    (scale, settle): (Real, Settle),
) {
    let at = |x: &F8| x.0[lane] * scale;
    let mut n = D::Vec::ZERO;
    (0..N).for_each(|i| n.set(i, row.n[i].0[lane]));
    let tangents = D::tangent_basis(n);
    let manifold = &mut contact.manifold;
    let (lands, mut kept, mut all) = (row.lands >> lane & 1 == 1, 0.0, 0.0);
    let (mut bears, mut settled) = (0.0, 0.0);
    let settles = manifold.points().iter().any(|point| point.load > 0.0);
    for (point, stored) in row.points.iter().zip(manifold.points_mut()) {
        let mut new = at(&point.lambda);
        if lands {
            all += new;
            new = new.min(stored.normal_impulse);
            kept += new;
        }
        stored.normal_impulse = new;
        if settles {
            stored.load += (new * settle.share - stored.load) * settle.gain;
        }
        bears += new;
        settled += stored.load;
    }
    let most = MOST_SETTLED * bears;
    if settled > most {
        manifold.points_mut().iter_mut().for_each(|point| point.load *= most / settled);
    }
    // A blow does not come again.
    let scale = if lands { scale * share(kept, all) } else { scale };
    let at = |x: &F8| x.0[lane] * scale;
    // In the plane nothing has a grain.
    if N == 2 || row.grains >> lane & 1 == 0 {
        manifold.friction_impulse = D::Vec::ZERO;
        for k in 0..T {
            manifold.friction_impulse += tangents[k] * at(&friction.lambda[k]);
        }
    } else {
        manifold.friction_impulse = manifold.friction_impulse * scale;
    }
    for twist in &friction.twist {
        manifold.twist_impulse = at(&twist.lambda);
    }
    if row.rolls >> lane & 1 == 1 {
        manifold.rolling_impulse = manifold.rolling_impulse * scale;
    }
}

/// How loads settle: see the head of `kernel.rs`.
#[derive(Clone, Copy, Debug)]
struct Settle {
    /// Share of the present load that the contact gets used to.
    share: Real,
    /// Part of the way per step.
    gain: Real,
}
