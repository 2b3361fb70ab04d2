//! The blow on one train: its bodies, its contacts, and the impulses that let it go on together. What a train is, and why, says `trains.rs`.
//!
//! With the rows J of all its contacts (points, then tangents), velocities V (linear, then whitened spins) and inverse masses W, impulses x ≥ 0 of the
//! points are wanted such that no point approaches faster than its gap allows, and none that parts is pushed:
//!
//! ```text
//! V' = V + W·Jᵀ·x,   0 ≤ x ⊥ J·V' − w ≥ 0,   w = −max(gap, 0)/reach
//! ```
//!
//! That is the blow without restitution: of all velocities that no surface forbids, the nearest to V in the measure of the kinetic
//! energy. Friction of a contact stays in the disc μ·Σx, with w the speed of its belt. Projected Gauss–Seidel from end to end and
//! back, in double precision, until nothing changes: a train is short, and half a blow would be felt by the body that is not reached.

use super::joined::{ContactRow, MOST_ROWS, WIDE, dot};
use super::pack::Packed;
use super::trains::{Touch, TrainScene};
use crate::body::{BodyProps, BodyState};
use crate::math::*;

/// Turns of all contacts together at most, some 0.1 µs each; they end when none changes its speed by more than the share `CONVERGED` of the
/// blow (no unit). A row of ten needs 2 000.
const TURNS: usize = 8192;
const CONVERGED: f64 = 1e-6;
/// The same for ordinary groups that lean on something: friction there takes more of the common speed, and several points of every contact are slow to agree.
const NEARLY: f64 = 1e-4;
/// The same for ordinary groups that something stops which does not move: the sub-steps do the rest, and a heap has many such blows.
const ROUGH_TURNS: usize = 512;
const ROUGHLY: f64 = 0.01;
/// Changes of a speed that are rounding, as a share of the blow (no unit).
const ROUNDING: f64 = 1e-12;
/// Points of a manifold at most; tangents follow them in the rows of a contact.
pub(super) const POINTS: usize = 4;

/// Orders in which the points of a manifold are solved; the mean is applied, so that what is its own mirror image stays so (`normals.rs`).
const MIRRORS: [[usize; POINTS]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1]];

/// One train.
#[derive(Debug, Default)]
pub(super) struct Train {
    pub(super) bodies: Vec<Member>,
    pub(super) links: Vec<Link>,
}

/// A body of a train, or one that it leans on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) slot: u32,
    /// Velocity: linear, then angular and whitened [m/s].
    v: [f64; WIDE],
    /// 1/m along the axes that are free, then 1; all 0 for what does not answer.
    inverse: [f64; WIDE],
    /// Way of the blow through it, out of it. None for what a train leans on.
    pub(super) way: Option<[Real; 3]>,
}

/// A contact of a train: its points, then its tangents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    ends: [usize; 2],
    rows: [ContactRow; MOST_ROWS],
    /// 1/K of each row [kg]; 0 for those that are not there.
    mass: [f64; MOST_ROWS],
    /// Speed at one point per impulse at another [1/kg].
    k: [[f64; POINTS]; POINTS],
    /// Speed that each row wants: of points at least this [m/s].
    wanted: [f64; MOST_ROWS],
    given: [f64; MOST_ROWS],
    friction: f64,
}

/// Linear, then angular and whitened [m/s].
pub(super) fn velocity<const N: usize, const A: usize, const S: usize>(body: &Packed<S>) -> [f64; WIDE] {
    let mut out = [0.0; WIDE];
    (0..N + A).for_each(|i| out[i] = f64::from(body.0[i]));
    out
}

impl Train {
    /// Takes a body in, if it is not there yet.
    pub(super) fn add_body<D: Dim, const N: usize, const A: usize, const S: usize>(
        &mut self,
        props: &[BodyProps<D>],
        bodies: &[Packed<S>],
        slot: u32,
        way: Option<[Real; 3]>,
    ) {
        if self.bodies.iter().any(|member| member.slot == slot) {
            return;
        }
        let mut inverse = [0.0; WIDE];
        if let Some(props) = props.get(slot as usize).filter(|props| props.is_dynamic) {
            for (i, inverse) in inverse.iter_mut().take(N + A).enumerate() {
                let is_free = i >= N || props.locks >> i & 1 == 0;
                let share = if i < N { f64::from(props.inv_mass) } else { 1.0 };
                *inverse = if is_free { share } else { 0.0 };
            }
        }
        let v = velocity::<N, A, S>(&bodies[slot as usize]);
        self.bodies.push(Member { slot, v, inverse, way });
    }

    /// Takes a contact in, whose bodies are there. Its surfaces may meet within `reach` [s], no sooner.
    pub(super) fn add_link<
        D: Dim,
        const N: usize,
        const A: usize,
        const P: usize,
        const T: usize,
        const K: usize,
    >(
        &mut self,
        scene: &TrainScene<'_, D, N, A, P, T, K>,
        touch: Touch,
        reach: Real,
    ) {
        let ends = scene
            .slots(touch)
            .map(|slot| self.bodies.iter().position(|member| member.slot == slot).unwrap_or(0));
        let rows = scene.rows_of(touch);
        let (at, lane) = (touch.0 as usize, touch.1 as usize);
        let friction = &scene.friction[at];
        let mut link = Link {
            ends,
            rows,
            mass: [0.0; MOST_ROWS],
            k: [[0.0; POINTS]; POINTS],
            wanted: [0.0; MOST_ROWS],
            given: [0.0; MOST_ROWS],
            friction: f64::from(friction.mu.0[lane]),
        };
        let response = |i: usize, j: usize| -> f64 {
            let of = |side: usize| -> f64 {
                let inverse = &self.bodies[ends[side]].inverse;
                (0..WIDE).map(|k| rows[i].sides[side][k] * rows[j].sides[side][k] * inverse[k]).sum()
            };
            of(0) + of(1)
        };
        for i in 0..MOST_ROWS {
            let k = response(i, i);
            link.mass[i] = if k > 0.0 { 1.0 / k } else { 0.0 };
        }
        link.k = core::array::from_fn(|i| core::array::from_fn(|j| response(i, j)));
        for i in scene.points(touch) {
            link.wanted[i] = f64::from(-scene.rows[at].points[i].s0.0[lane].max(0.0) / reach);
        }
        for k in 0..T {
            link.wanted[POINTS + k] = -f64::from(friction.target[k].0[lane]);
        }
        self.links.push(link);
    }

    /// Finds the impulses of a blow with `speed` [m/s], and the velocities after it. If the group is an ordinary one (`is_light`), some of it may be left: of a blow that is stopped
    /// (`is_stopped`) most.
    pub(super) fn strike(&mut self, speed: f64, is_light: bool, is_stopped: bool) {
        let leans = || self.bodies.iter().any(|member| member.way.is_none());
        let (turns, converged) = if is_light && is_stopped {
            (ROUGH_TURNS, ROUGHLY)
        } else if is_light && leans() {
            (TURNS, NEARLY)
        } else {
            (TURNS, CONVERGED)
        };
        let Self { bodies, links } = self;
        let energy = |bodies: &[Member]| -> f64 {
            let of = |m: &Member| -> f64 {
                let axes = (0..WIDE).filter(|&i| m.inverse[i] > 0.0);
                axes.map(|i| m.v[i] * m.v[i] / m.inverse[i]).sum()
            };
            bodies.iter().map(of).sum()
        };
        let before = energy(bodies);
        for round in 0..turns / links.len().max(1) {
            let mut most = 0.0_f64;
            for i in 0..links.len() {
                // There and back again: impulses travel both ways.
                let i = if round % 2 == 0 { i } else { links.len() - 1 - i };
                most = most.max(links[i].solve(bodies));
            }
            if most <= converged * speed {
                break;
            }
        }
        // Friction that was cut off may have done work: then it is left to the sub-steps. What drives a train may do so anyway.
        let drives = |m: &Member| m.inverse == [0.0; WIDE] && m.v != [0.0; WIDE];
        if energy(bodies) > before && !bodies.iter().any(drives) {
            bodies.clear();
        }
    }

    /// Hands the velocities back. Since the blow, of `speed` [m/s], came `late` [s], the bodies have gone too far by what it changes in that time. What
    /// changes by no more than rounding stays: what is its own mirror image stays so to the last bit.
    pub(super) fn leave<D: Dim, const N: usize, const A: usize, const S: usize>(
        &self,
        bodies: &mut [Packed<S>],
        states: &mut [BodyState<D>],
        (speed, late): (Real, Real),
    ) {
        let least = ROUNDING * f64::from(speed);
        for member in self.bodies.iter().filter(|member| member.way.is_some()) {
            let Some(state) = states.get_mut(member.slot as usize) else { continue };
            let body = &mut bodies[member.slot as usize];
            let mut back = D::Vec::ZERO;
            // Whitened spins compare with speeds times the root of the mass.
            let inv_mass = member.inverse[..N].iter().copied().fold(0.0, f64::max);
            let is_changed = core::array::from_fn::<bool, WIDE, _>(|i| {
                let change = member.v[i] - f64::from(body.0[i]);
                let share = if i < N { 1.0 } else { inv_mass };
                member.inverse[i] > 0.0 && change * change * share > least * least
            });
            for i in (0..N).filter(|&i| is_changed[i]) {
                back.set(i, (member.v[i] as Real - body.0[i]) * late);
            }
            state.dp += back;
            body.shift::<D>(back);
            let floats = &mut body.0;
            for i in (0..N + A).filter(|&i| is_changed[i]) {
                floats[i] = member.v[i] as Real;
            }
        }
    }
}

impl Link {
    fn speed(&self, bodies: &[Member], row: usize) -> f64 {
        (0..2).map(|side| dot(&self.rows[row].sides[side], &bodies[self.ends[side]].v)).sum()
    }

    fn push(&self, bodies: &mut [Member], row: usize, impulse: f64) {
        for side in 0..2 {
            let Member { v, inverse, .. } = &mut bodies[self.ends[side]];
            (0..WIDE).for_each(|i| v[i] += self.rows[row].sides[side][i] * inverse[i] * impulse);
        }
    }

    /// Changes of the impulses of the points that approach by `speeds`, solved one after the other in the order `order`.
    fn sweep(&self, speeds: &[f64; POINTS], order: [usize; POINTS]) -> [f64; POINTS] {
        let mut change = [0.0; POINTS];
        for i in order.into_iter().filter(|&i| self.mass[i] > 0.0) {
            let speed = speeds[i] + (0..POINTS).map(|j| self.k[i][j] * change[j]).sum::<f64>();
            change[i] = (self.mass[i] * (self.wanted[i] - speed)).max(-self.given[i]);
        }
        change
    }

    /// One turn: the points, then friction. Returns the largest change of a speed [m/s].
    fn solve(&mut self, bodies: &mut [Member]) -> f64 {
        let speeds = core::array::from_fn(|i| if self.mass[i] > 0.0 { self.speed(bodies, i) } else { 0.0 });
        let change: [f64; POINTS] = if self.mass[1..POINTS] == [0.0; POINTS - 1] {
            // PERF: one point is solved first in any order.
            self.sweep(&speeds, MIRRORS[0])
        } else {
            let sweeps = MIRRORS.map(|order| self.sweep(&speeds, order));
            let share = 1.0 / MIRRORS.len() as f64;
            core::array::from_fn(|i| share * ((sweeps[0][i] + sweeps[1][i]) + (sweeps[2][i] + sweeps[3][i])))
        };
        for side in 0..2 {
            let Member { v, inverse, .. } = &mut bodies[self.ends[side]];
            for axis in 0..WIDE {
                let of = |i: usize| self.rows[i].sides[side][axis] * change[i];
                v[axis] += inverse[axis] * ((of(0) + of(1)) + (of(2) + of(3)));
            }
        }
        let mut most = 0.0_f64;
        for i in (0..POINTS).filter(|&i| self.mass[i] > 0.0) {
            self.given[i] += change[i];
            most = most.max(change[i].abs() / self.mass[i]);
        }
        let limit = self.friction * self.given[..POINTS].iter().sum::<f64>();
        let mut new: [f64; MOST_ROWS - POINTS] = core::array::from_fn(|k| {
            let i = POINTS + k;
            self.given[i] + self.mass[i] * (self.wanted[i] - self.speed(bodies, i))
        });
        let length = new.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > limit {
            new = new.map(|x| x * (limit / length));
        }
        for (k, new) in new.into_iter().enumerate() {
            let i = POINTS + k;
            self.push(bodies, i, new - self.given[i]);
            self.given[i] = new;
        }
        most
    }
}
