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
//! **Low bounces** have no energy left at the gap, e²w² < 2αs, or so little that they would be over their top within the step. Their bodies are brought together
//! first, where they would have met within the step or soon after, and leave the surface with e·w: as high as they should, up to [`REACH_STEPS`] steps too early. Where they cannot be
//! moved (locks, joints, integrators with tracks) they stay at the gap with what is left, none if that is less than nothing.
//!
//! **What was found too late** overlaps: contacts are made some slops ahead, and a fast body goes further in a step. Pushing it out would part a row
//! that should rest: the middle balls of a cradle kept 3 % of the speed. So both bodies are put where they would be if they had bounced in time, each by the
//! change of its velocity over the time since then. That leaves the centre of mass where it is, and energy as long as nothing accelerates them against each
//! other; else they stay where they are, with the energy that belongs to that place. So do those that pass each other aslant, or are turned by the blow,
//! [`HEAD_ON`]: their levers are those of now, and the angular momentum would change. Balls whose levers are those of when they met
//! (`narrow_phase/way_in.rs`) are put there however they meet, since otherwise it would change. And whoever was put elsewhere and passes the blow on, aslant or not,
//! does so as late, and takes whom it strikes along: the first ball of a rack would else be put into those behind it. Again not where something accelerates
//! them against each other: balls that were put elsewhere and bounced off the floor in the same step gained a third of their energy in ten seconds.
//!
//! **What is joined to others** answers together with them (`joined.rs`).
//!
//! **What bounces.** If w is less than what load and acceleration bring up within [`REST_STEPS`] steps, the bodies rest on each
//! other and are left to the soft contact. It has to be w: v of what is about to land from a low bounce is much less.

use super::joined::{ContactRow, Joined, MOST_ROWS, wide};
use super::joints::JointScene;
use super::lanes::F8;
use super::pack::Packed;
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use crate::body::BodyState;
use crate::joint::Joint;
use crate::math::*;
use crate::trusted::Ends;

/// Rounds over all contacts at most: in a long row of balls a round carries the impulse through many of them.
const ROUNDS: usize = 32;
/// Rounds within a manifold whose points strike together.
const POINT_ROUNDS: usize = 8;
/// Surfaces have to meet faster than what load and acceleration make in this many steps. With 1, a tower of 30 that lands with restitution
/// rocks, and its top ends 19 mm aside.
pub(crate) const REST_STEPS: Real = 2.0;
/// Contacts that would be reached in this many steps count as reached: gravity, another impact, or the turn of a corner, may speed
/// them up. What is left out and reached all the same loses its bounce: boxes lost 2 to 9 % of their energy in 50 s with 1.1,
/// 10⁻⁵ with 1.5.
const REACH_STEPS: Real = 1.5;

/// Speed aside, and that of their turn, as a share of the approach, up to which bodies meet head-on (no unit).
pub(super) const HEAD_ON: Real = 0.1;

/// What the impacts of a step need to know.
pub(crate) struct Impacts<'a, D: Dim, const S: usize> {
    pub(crate) scene: &'a JointScene<'a, D>,
    pub(crate) joints: &'a [Joint<D>],
    pub(crate) joined: &'a mut Joined,
    pub(crate) bodies: &'a mut [Packed<S>],
    /// Empty for integrators with tracks of their own: their bodies stay where they are.
    pub(crate) states: &'a mut [BodyState<D>],
    /// How long ago the surfaces met that struck each body first [s]; 0 if none did yet.
    pub(crate) late: &'a mut [Real],
    /// Length of the step [s].
    pub(crate) dt: Real,
    /// Slower approaches never bounce [m/s].
    pub(crate) threshold: Real,
}

/// How surfaces meet.
#[derive(Clone, Copy)]
struct Met {
    /// Square of the speed at which they do [m²/s²].
    square: Real,
    /// When, from the start of the step [s].
    time: Real,
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

/// True if bodies whose centres of mass have this velocity against each other meet head-on along n.
pub(super) fn is_head_on<const N: usize>(n: &[Real; N], v: &[Real; N]) -> bool {
    let (along, square) = (dot(n, v), dot(v, v));
    square <= (1.0 + HEAD_ON * HEAD_ON) * along * along
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
            let rows = rows.iter().zip(friction).zip(cold).zip(ends).enumerate();
            for (at, (((row, friction), cold), ends)) in rows.filter(|(_, (((row, ..), ..), _))| row.bounces)
            {
                for lane in 0..WIDTH {
                    if cold.contacts[lane] == NO_CONTACT || cold.restitution.0[lane] <= 0.0 {
                        continue;
                    }
                    is_struck |= if self.joined.has(ends.slots.map(|slots| slots[lane])) {
                        self.strike_joined(row, friction, cold, ends, (at, lane))
                    } else {
                        self.strike(row, friction, cold, ends, lane)
                    };
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
            self.scene.props.get(slot).map_or(0.0, |p| (0..N).map(|i| n[i] * p.acceleration.get(i)).sum())
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
        // What an earlier blow of this step has moved.
        let [at_a, at_b] = [a.slot, b.slot].map(|slot| self.bodies[slot].moved::<N>());
        let parted = dot(&n, &at_b) - dot(&n, &at_a);
        let (mut wanted, mut before, mut late) = ([None; P], [0.0; P], 0.0_f32);
        let (mut gaps, mut met) = ([Real::INFINITY; P], [None; P]);
        for i in 0..row.count as usize {
            let point = &row.points[i];
            let mass = point.mass.0[lane];
            if mass <= 0.0 {
                continue;
            }
            gaps[i] = point.s0.0[lane] + parted;
            let (ja, jb) = jacobians(i);
            before[i] = parting(&a, &b, &ja, &jb);
            let approach = 0.5 * alpha * self.scene.h - before[i];
            let load = point.lambda.0[lane] / (mass * self.scene.h);
            let rest = self.threshold + REST_STEPS * self.dt * (alpha.max(0.0) + load);
            met[i] = self.met(approach, gaps[i], alpha, rest);
            late = late.max(met[i].map_or(0.0, |_| (-gaps[i] / approach).min(self.dt)));
        }
        let sunk = match a.inv_m + b.inv_m > 0.0 && self.may_sink([a.slot, b.slot], restitution) {
            true => self.sunk(&met, &gaps, alpha, restitution),
            false => 0.0,
        };
        for (i, met) in met.iter().enumerate() {
            let left = met.and_then(|met| self.left(met, gaps[i] - sunk, alpha, restitution));
            wanted[i] = left.map(|left| left + 0.5 * alpha * self.scene.h);
        }
        let count = wanted.iter().flatten().count();
        if count == 0 {
            return false;
        }
        let linear = dot(&n, &b.v) - dot(&n, &a.v);
        let mut turns = (0..P).filter(|&i| wanted[i].is_some()).map(|i| (before[i] - linear).abs());
        let is_head_on = turns.all(|turn| turn <= HEAD_ON * linear.abs())
            && is_head_on(&n, &core::array::from_fn(|i| a.v[i] - b.v[i]));
        let spins = [a.u, b.u];
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
        // What is passed on came as late as the blow that is passed on.
        let known = ends.slots.map(|slots| self.late.get(slots[lane] as usize).copied().unwrap_or(0.0));
        let known = known[0].max(known[1]);
        // Spins are whitened: their squares compare with those of the momentum over the mass.
        let is_turned = [&a, &b].into_iter().zip(&spins).any(|(side, spin)| {
            let change: [Real; A] = core::array::from_fn(|i| side.u[i] - spin[i]);
            dot(&change, &change) > HEAD_ON * HEAD_ON * total * total * side.inv_m
        });
        // The levers of balls that passed each other aslant are those of when they met: so should their places be.
        let is_in_time = cold.in_time >> lane & 1 == 1;
        let late = match alpha == 0.0 && (is_head_on || is_in_time) && !is_turned {
            // Whoever was put where it would be must not stay where others are. Not where the place counts as energy.
            _ if known > 0.0 && alpha == 0.0 => known,
            true => late,
            false => 0.0,
        };
        let per_mass = if sunk > 0.0 { sunk / (a.inv_m + b.inv_m) } else { 0.0 };
        for (which, side) in [a, b].into_iter().enumerate() {
            if ends.writes(which, lane) {
                let body = &mut self.bodies[side.slot];
                let locks = self.scene.props[side.slot].locks;
                let mut back = D::Vec::ZERO;
                for axis in (0..N).filter(|axis| locks >> axis & 1 == 0) {
                    let sink = n[axis] * [per_mass, -per_mass][which] * side.inv_m;
                    back.set(axis, (side.v[axis] - body.0[axis]) * late + sink);
                    body.0[axis] = side.v[axis];
                }
                body.0[N..N + A].copy_from_slice(&side.u);
                if let Some(state) = self.states.get_mut(side.slot).filter(|_| late > 0.0 || sunk > 0.0) {
                    state.dp += back;
                    body.shift::<D>(back);
                    self.late[side.slot] = self.late[side.slot].max(late);
                }
            }
        }
        true
    }

    /// The same for bodies that are joined to others: what the joints hold answers too, see `joined.rs`. In the speeds along the rows of the
    /// contact, which is all that an impulse needs to know.
    fn strike_joined<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        &mut self,
        row: &Row<N, A, P>,
        friction: &FrictionRow<A, T, K, P>,
        cold: &ColdRow,
        ends: &Ends,
        (at, lane): (usize, usize),
    ) -> bool {
        let n: [Real; N] = core::array::from_fn(|i| row.n[i].0[lane]);
        let slots = ends.slots.map(|slots| slots[lane]);
        let floats = |from: &[F8; A]| -> [Real; A] { core::array::from_fn(|i| from[i].0[lane]) };
        let along = |d: &[Real; N], ja: &[F8; A], jb: &[F8; A]| ContactRow {
            sides: [wide(d, &floats(ja), -1.0), wide(d, &floats(jb), 1.0)],
        };
        let mut rows = [ContactRow::default(); MOST_ROWS];
        for (to, point) in rows.iter_mut().zip(&row.points[..row.count as usize]) {
            if point.mass.0[lane] > 0.0 {
                *to = along(&n, &point.ja, &point.jb);
            }
        }
        let velocities = slots.map(|slot| self.bodies[slot as usize].0);
        let speed = |row: &ContactRow| -> f64 {
            let of = |side: usize| -> f64 {
                (0..N + A).map(|i| row.sides[side][i] * f64::from(velocities[side][i])).sum()
            };
            of(0) + of(1)
        };
        // Whatever the joints make of gravity, it is no more than this.
        let pulls =
            slots.map(|slot| self.scene.props.get(slot as usize).map_or(0.0, |p| p.acceleration.length()));
        let pull = pulls[0] + pulls[1];
        let before = rows.map(|row| speed(&row) as Real);
        let may_strike = |i: usize| {
            let approach = pull * self.scene.h - before[i];
            let is_near = row.points[i].s0.0[lane] < REACH_STEPS * self.dt * (approach + pull * self.dt);
            row.points[i].mass.0[lane] > 0.0 && approach > self.threshold && is_near
        };
        if !(0..row.count as usize).any(may_strike) {
            return false;
        }
        let is_rough = friction.mu.0[lane] > 0.0;
        if is_rough {
            let mut normal = D::Vec::ZERO;
            (0..N).for_each(|i| normal.set(i, n[i]));
            let basis = D::tangent_basis(normal);
            for k in 0..T {
                let tangent: [Real; N] = core::array::from_fn(|i| basis[k].get(i));
                rows[P + k] = along(&tangent, &friction.ja[k], &friction.jb[k]);
            }
        }
        let before = rows.map(|row| speed(&row) as Real);
        let place = at * WIDTH + lane;
        let answer = self.joined.answer(place, slots, (&rows, P), self.scene, self.joints);
        let (k, accelerations) = (answer.k, answer.acceleration);
        let (mut wanted, mut count) = ([None; P], 0);
        for (i, point) in row.points[..row.count as usize].iter().enumerate().filter(|(i, _)| k[*i][*i] > 0.0)
        {
            let alpha = -accelerations[i] as Real;
            let approach = 0.5 * alpha * self.scene.h - before[i];
            let load = point.lambda.0[lane] * k[i][i] as Real / self.scene.h;
            let rest = self.threshold + REST_STEPS * self.dt * (alpha.max(0.0) + load);
            let gap = point.s0.0[lane];
            let met = self.met(approach, gap, alpha, rest);
            let left = met.and_then(|met| self.left(met, gap, alpha, cold.restitution.0[lane]));
            wanted[i] = left.map(|left| f64::from(left + 0.5 * alpha * self.scene.h - before[i]));
            count += usize::from(left.is_some());
        }
        if count == 0 {
            return false;
        }
        // Changes of the speeds from here on.
        let mut given = [0.0_f64; MOST_ROWS];
        let change = |given: &[f64; MOST_ROWS], i: usize| -> f64 { (0..P).map(|j| k[i][j] * given[j]).sum() };
        for _ in 0..if count == 1 { 1 } else { POINT_ROUNDS } {
            for i in 0..P {
                if let Some(wanted) = wanted[i] {
                    given[i] = (given[i] + (wanted - change(&given, i)) / k[i][i]).max(0.0);
                }
            }
        }
        let asked: f64 = (0..P).map(|i| given[i] * wanted[i].unwrap_or(0.0)).sum();
        let found: f64 = (0..P).map(|i| given[i] * change(&given, i)).sum();
        if count > 1 && asked > 0.0 && found > 0.0 {
            given = given.map(|impulse| impulse * (asked / found));
        }
        if is_rough {
            let limit = f64::from(friction.mu.0[lane]) * given.iter().sum::<f64>();
            let slip =
                |t: usize| f64::from(before[P + t] + friction.target[t].0[lane]) + change(&given, P + t);
            let (first, last) = (P, P + T - 1);
            let det = k[first][first] * k[last][last] - k[first][last] * k[last][first];
            let mut impulse = [0.0; T];
            if T == 1 && k[first][first] > 0.0 {
                impulse[0] = -slip(0) / k[first][first];
            } else if T > 1 && det > 0.0 {
                impulse[0] = -(k[last][last] * slip(0) - k[first][last] * slip(T - 1)) / det;
                impulse[T - 1] = -(k[first][first] * slip(T - 1) - k[last][first] * slip(0)) / det;
            }
            let length = impulse.iter().map(|x| x * x).sum::<f64>().sqrt();
            let share = if length > limit { limit / length } else { 1.0 };
            (0..T).for_each(|t| given[P + t] = share * impulse[t]);
        }
        for (slot, change) in self.joined.changes(place, given) {
            let floats = &mut self.bodies[slot].0;
            (0..N + A).for_each(|i| floats[i] += change[i] as Real);
        }
        true
    }

    /// How surfaces meet that approach with `approach` at the gap `gap` and accelerate towards each other by `alpha`. None if they do not strike now, or
    /// no faster than `rest`.
    fn met(&self, approach: Real, gap: Real, alpha: Real, rest: Real) -> Option<Met> {
        let square = approach * approach + 2.0 * alpha * gap;
        if approach <= self.threshold || square <= rest * rest {
            return None;
        }
        // s = (v + w)/2·t.
        let time = 2.0 * gap / (approach + square.sqrt());
        (time < REACH_STEPS * self.dt).then_some(Met { square, time })
    }

    /// With which speed they part at the gap `gap`.
    fn left(&self, met: Met, gap: Real, alpha: Real, restitution: Real) -> Option<Real> {
        let square = restitution * restitution * met.square - 2.0 * alpha * gap;
        // A bounce lower than the gap is not to be had here: later, if it is not reached within this step.
        (square >= 0.0 || met.time < self.dt).then(|| square.max(0.0).sqrt())
    }

    /// True if the bodies may be brought together before they bounce. What is elastic has the energy for any gap; locks may hold a body back.
    fn may_sink(&self, slots: [usize; 2], restitution: Real) -> bool {
        let is_free = |slot: usize| {
            self.scene.props.get(slot).is_none_or(|p| (0..D::N).all(|axis| p.locks >> axis & 1 == 0))
        };
        restitution < 1.0 && !self.states.is_empty() && slots.into_iter().all(is_free)
    }

    /// By how much the gap is closed before the bounce [m]: to where the first point touches, if what is left of a rebound at its gap would not
    /// last for the step. From the surface it rises as high as it should, up to [`REACH_STEPS`] steps too early.
    fn sunk<const P: usize>(
        &self,
        met: &[Option<Met>; P],
        gaps: &[Real; P],
        alpha: Real,
        restitution: Real,
    ) -> Real {
        let least = alpha * self.dt;
        let is_low = |(i, met): (usize, &Option<Met>)| {
            met.is_some_and(|met| {
                restitution * restitution * met.square - 2.0 * alpha * gaps[i] < least * least
            })
        };
        if alpha <= 0.0 || !met.iter().enumerate().any(is_low) {
            return 0.0;
        }
        gaps.iter().copied().fold(Real::INFINITY, Real::min).max(0.0)
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
        let jacobian =
            |rows: &[[F8; A]; T], k: usize| -> [Real; A] { core::array::from_fn(|i| rows[k][i].0[lane]) };
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
