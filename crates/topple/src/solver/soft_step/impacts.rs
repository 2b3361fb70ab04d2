//! Impacts: contacts that strike in this step and bounce, one after the other, before the sub-steps begin.
//!
//! A bounce between two bodies conserves momentum, and energy if restitution is 1, exactly. In a cluster the impulses
//! travel: each contact that approaches gets its own bounce, in turns, until none does [Smith2012]. That is what a row
//! of balls does (the last one leaves, two leave for two), and it keeps the energy of a gas. Giving back the approach
//! speed after the sub-steps, all contacts at once, would do neither.
//!
//! **Where the surfaces really met.** At the start of the step they are a gap s apart (negative: overlapping), and
//! accelerate towards each other by α. They strike with w² = v² + 2αs, leave with e·w, and have e²w² − 2αs left at s. So
//! the height of a bounce does not depend on where in a step it falls. The velocity v that belongs to a place is half a
//! kick behind the stored one, because the integrator kicks before it drifts: v + a·h/2.
//!
//! **What bounces.** Approaches slower than what load and acceleration bring up within [`REST_STEPS`] steps belong to
//! bodies at rest on each other and are left to the soft contact.

use super::pack::Packed;
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use crate::body::BodyProps;
use crate::math::*;
use crate::trusted::Ends;

/// Rounds over all contacts at most: in a long row of balls a round carries the impulse through many of them.
const ROUNDS: usize = 32;
/// Rounds within a manifold whose points strike together.
const POINT_ROUNDS: usize = 8;
/// An approach has to exceed what load and acceleration make in this many steps.
pub(crate) const REST_STEPS: Real = 2.0;
/// Contacts that would be reached in this many steps count as reached: gravity, another impact, or the turn of a corner, may speed
/// them up. What is left out and reached all the same loses its bounce: boxes lost 2 to 9 % of their energy in 50 s with 1.1,
/// 10⁻⁵ with 1.5.
const REACH_STEPS: Real = 1.5;

/// What the impacts of a step need to know.
pub(crate) struct Impacts<'a, D: Dim, const S: usize> {
    pub(crate) props: &'a [BodyProps<D>],
    pub(crate) bodies: &'a mut [Packed<S>],
    /// Length of the step and of a sub-step [s].
    pub(crate) dt: Real,
    pub(crate) h: Real,
    /// Slower approaches never bounce [m/s].
    pub(crate) threshold: Real,
}

/// One body of a contact while it is struck.
struct Struck<const N: usize, const A: usize> {
    slot: usize,
    inv_m: Real,
    turn: Real,
    v: [Real; N],
    u: [Real; A],
}

impl<const N: usize, const A: usize> Struck<N, A> {
    fn read<const S: usize>(slot: u32, inv_m: Real, turn: Real, packed: &Packed<S>) -> Self {
        let floats = &packed.0;
        let v = core::array::from_fn(|i| floats[i]);
        let u = core::array::from_fn(|i| floats[N + i]);
        Self { slot: slot as usize, inv_m, turn, v, u }
    }

    fn push(&mut self, n: &[Real; N], j: &[Real; A], impulse: Real) {
        (0..N).for_each(|i| self.v[i] += n[i] * impulse * self.inv_m);
        (0..A).for_each(|i| self.u[i] += j[i] * impulse * self.turn);
    }
}

fn dot<const M: usize>(a: &[Real; M], b: &[Real; M]) -> Real {
    (0..M).map(|i| a[i] * b[i]).sum()
}

impl<D: Dim, const S: usize> Impacts<'_, D, S> {
    /// Lets everything bounce that strikes. `rows` may bounce if their flag says so.
    pub(crate) fn run<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        mut self,
        rows: &[Row<N, A, P>],
        friction: &[FrictionRow<A, T, K, P>],
        cold: &[ColdRow],
        ends: &[Ends],
    ) {
        for _ in 0..ROUNDS {
            let mut is_struck = false;
            for (((row, friction), cold), ends) in rows.iter().zip(friction).zip(cold).zip(ends) {
                if !row.bounces {
                    continue;
                }
                for lane in 0..WIDTH {
                    if cold.contacts[lane] != NO_CONTACT && cold.restitution.0[lane] > 0.0 {
                        is_struck |= self.strike(row, friction, cold, ends, lane);
                    }
                }
            }
            if !is_struck {
                break;
            }
        }
    }

    /// Lets one contact bounce if it strikes.
    fn strike<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        &mut self,
        row: &Row<N, A, P>,
        friction: &FrictionRow<A, T, K, P>,
        cold: &ColdRow,
        ends: &Ends,
        lane: usize,
    ) -> bool {
        let n: [Real; N] = core::array::from_fn(|i| row.n[i].0[lane]);
        let side = |side: usize, inv_m: Real| {
            let turn = if ends.writes(side, lane) { 1.0 } else { 0.0 };
            let slot = ends.slots[side][lane];
            Struck::<N, A>::read(slot, inv_m, turn, &self.bodies[slot as usize])
        };
        let mut a = side(0, row.inv_ma.0[lane]);
        let mut b = side(1, row.inv_mb.0[lane]);
        let acceleration = |slot: usize| {
            self.props.get(slot).map_or(0.0, |p| (0..N).map(|i| n[i] * p.acceleration.get(i)).sum())
        };
        // Towards each other: positive.
        let alpha: Real = acceleration(a.slot) - acceleration(b.slot);
        let restitution = cold.restitution.0[lane];
        let jacobians = |i: usize| {
            let point = &row.points[i];
            let ja: [Real; A] = core::array::from_fn(|k| point.ja[k].0[lane]);
            let jb: [Real; A] = core::array::from_fn(|k| point.jb[k].0[lane]);
            (ja, jb)
        };
        let parting = |a: &Struck<N, A>, b: &Struck<N, A>, ja: &[Real; A], jb: &[Real; A]| {
            dot(&n, &b.v) - dot(&n, &a.v) + dot(jb, &b.u) - dot(ja, &a.u)
        };
        let (mut wanted, mut before) = ([None; P], [0.0; P]);
        for i in 0..row.count as usize {
            let point = &row.points[i];
            let (mass, gap) = (point.mass.0[lane], point.s0.0[lane]);
            if mass <= 0.0 {
                continue;
            }
            let (ja, jb) = jacobians(i);
            before[i] = parting(&a, &b, &ja, &jb);
            let approach = 0.5 * alpha * self.h - before[i];
            let load = point.lambda.0[lane] / (mass * self.h);
            let rest = REST_STEPS * self.dt * (alpha.max(0.0) + load);
            if approach > self.threshold + rest
                && gap < REACH_STEPS * self.dt * (approach + alpha.max(0.0) * self.dt)
            {
                let met = (approach * approach + 2.0 * alpha * gap).max(0.0);
                let left = (restitution * restitution * met - 2.0 * alpha * gap).max(0.0).sqrt();
                wanted[i] = Some(left + 0.5 * alpha * self.h);
            }
        }
        let count = wanted.iter().flatten().count();
        if count == 0 {
            return false;
        }
        let mut given = [0.0; P];
        for _ in 0..if count == 1 { 1 } else { POINT_ROUNDS } {
            for i in 0..row.count as usize {
                let Some(wanted) = wanted[i] else { continue };
                let (ja, jb) = jacobians(i);
                let change = row.points[i].mass.0[lane] * (wanted - parting(&a, &b, &ja, &jb));
                let new = (given[i] + change).max(0.0);
                a.push(&n, &ja, given[i] - new);
                b.push(&n, &jb, new - given[i]);
                given[i] = new;
            }
        }
        if count > 1 {
            // Rounds end before they have converged. The size of the whole impulse that belongs to its direction: the work it does
            // is that of the speeds that were wanted, to the last digit.
            let (mut asked, mut found) = (0.0, 0.0);
            for i in 0..row.count as usize {
                let Some(wanted) = wanted[i] else { continue };
                let (ja, jb) = jacobians(i);
                asked += given[i] * (wanted - before[i]);
                found += given[i] * (parting(&a, &b, &ja, &jb) - before[i]);
            }
            if asked > 0.0 && found > 0.0 {
                let more = asked / found - 1.0;
                for i in 0..row.count as usize {
                    let (ja, jb) = jacobians(i);
                    a.push(&n, &ja, -more * given[i]);
                    b.push(&n, &jb, more * given[i]);
                    given[i] += more * given[i];
                }
            }
        }
        let total: Real = given.iter().sum();
        self.rub::<N, A, P, T, K>(friction, lane, &n, (&mut a, &mut b), total);
        for (which, side) in [a, b].into_iter().enumerate() {
            if ends.writes(which, lane) {
                let floats = &mut self.bodies[side.slot].0;
                let locks = self.props[side.slot].locks;
                (0..N).filter(|axis| locks >> axis & 1 == 0).for_each(|axis| floats[axis] = side.v[axis]);
                floats[N..N + A].copy_from_slice(&side.u);
            }
        }
        true
    }

    /// Friction of a strike with the normal impulse `total`.
    fn rub<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        &self,
        friction: &FrictionRow<A, T, K, P>,
        lane: usize,
        n: &[Real; N],
        (a, b): (&mut Struck<N, A>, &mut Struck<N, A>),
        total: Real,
    ) {
        let limit = friction.mu.0[lane] * total;
        if limit <= 0.0 {
            return;
        }
        let mut normal = D::Vec::ZERO;
        (0..N).for_each(|i| normal.set(i, n[i]));
        let basis = D::tangent_basis(normal);
        let tangent = |k: usize| -> [Real; N] { core::array::from_fn(|i| basis[k].get(i)) };
        let jacobian = |rows: &[[super::lanes::F8; A]; T], k: usize| -> [Real; A] {
            core::array::from_fn(|i| rows[k][i].0[lane])
        };
        let slip: [Real; T] = core::array::from_fn(|k| {
            let t = tangent(k);
            dot(&t, &b.v) - dot(&t, &a.v) + dot(&jacobian(&friction.jb, k), &b.u)
                - dot(&jacobian(&friction.ja, k), &a.u)
                + friction.target[k].0[lane]
        });
        let m = friction.mass.map(|x| x.0[lane]);
        let mut impulse: [Real; T] = core::array::from_fn(|k| match (T, k) {
            (1, _) => -m[0] * slip[0],
            (_, 0) => -(m[0] * slip[0] + m[1] * slip[T - 1]),
            _ => -(m[1] * slip[0] + m[2] * slip[T - 1]),
        });
        let length = dot(&impulse, &impulse).sqrt();
        if length > limit {
            impulse = impulse.map(|x| x * (limit / length));
        }
        for k in 0..T {
            a.push(&tangent(k), &jacobian(&friction.ja, k), -impulse[k]);
            b.push(&tangent(k), &jacobian(&friction.jb, k), impulse[k]);
        }
    }
}
