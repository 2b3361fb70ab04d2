//! Eight joints as they stand at this moment: anchors, frames, second-order motion, and the rows that follow from them. The
//! formulas are derived in `joint/sight.rs` and at the head of each kind there.

use super::algebra::{LaneDim, V, X, upper_angle};
use super::kernel::{BALL, HINGE, PassParams, ROD, ROPE, SLIDER, Side, WELD};
use super::layout::{CONE, Extra, LIMITS, WideRow};
use super::motion::{Hard, Line};
use crate::joint::{FORGOTTEN_TURN2, KEPT_MEMORY, NO_LENGTH, NO_TILT, SHORT_ARM2, TRUSTED_TURN, TWIST_FLOOR};
use crate::solver::soft_step::lanes::Lanes;
use core::marker::PhantomData;

/// 1/TRUSTED_TURN² [1/rad²].
const PER_TRUSTED_TURN2: f32 = 1.0 / (TRUSTED_TURN * TRUSTED_TURN);
/// Below this square of the turn per sub-step all impulses are kept: there 1/(1 + (x/FORGOTTEN_TURN2)²) is KEPT_MEMORY [rad²].
const SLOW_TURN2: f32 = FORGOTTEN_TURN2 * 0.1;

/// Geometry and velocities of eight joints, in the world frame.
pub(super) struct Sight<L, D, const N: usize, const A: usize, const R: usize, const W: usize> {
    whitenings: [V<L, W>; 2],
    /// From the centres of mass to the anchors [m].
    r: [V<L, N>; 2],
    /// From anchor a to anchor b [m].
    d: V<L, N>,
    frames: [V<L, R>; 2],
    /// Axes of frame a.
    axes: [V<L, N>; N],
    /// x axis of frame b.
    other: V<L, N>,
    /// Direction and length of d, for classes that hold it.
    along: V<L, N>,
    length: X<L>,
    dim: PhantomData<D>,
}

/// What the biased pass knows besides: where straight motion misses the arc, and what is left of the last impulses.
pub(super) struct Drift<L, const N: usize, const A: usize> {
    /// Angular velocity of a [rad/s].
    w_a: V<L, A>,
    /// Velocity of anchor b relative to anchor a [m/s].
    d_dot: V<L, N>,
    /// Half of the sub-step, less where it turns far [s].
    half: X<L>,
    /// Of the point between the anchors [m/s].
    point: V<L, N>,
    /// Share of the impulses worth starting from.
    pub keep: X<L>,
}

/// A degree of freedom with its value and, if it is a rotation, its axis.
pub(super) struct Free<L, const N: usize, const A: usize> {
    pub line: Line<L, N, A>,
    pub value: X<L>,
    pub axis: V<L, A>,
}

impl<L: Lanes, const N: usize, const A: usize> Drift<L, N, A> {
    /// For a pass without bias.
    #[inline(always)]
    pub(super) fn none() -> Self {
        let zero = X::splat(0.0);
        Self { w_a: V::zero(), d_dot: V::zero(), half: zero, point: V::zero(), keep: X::splat(1.0) }
    }
}

impl<L, D, const N: usize, const A: usize, const R: usize, const W: usize> Sight<L, D, N, A, R, W>
where
    L: Lanes,
    D: LaneDim<N, A, R, W>,
{
    /// The joints of `row` between `sides`.
    #[inline(always)]
    pub(super) fn new<const F: usize, const CLASS: u8>(
        row: &WideRow<N, A, W, F>,
        extra: Option<&Extra<R>>,
        sides: &[Side<L, N, A, R>; 2],
    ) -> Self {
        let [a, b] = sides;
        let (zero, one) = (X::splat(0.0), X::splat(1.0));
        let whitenings = [V::load(&row.whitenings[0]), V::load(&row.whitenings[1])];
        let r = [D::rotate(a.q, V::load(&row.anchors[0])), D::rotate(b.q, V::load(&row.anchors[1]))];
        let d = V::load(&row.between) + (b.p - a.p) + (r[1] - r[0]);
        let (mut frames, mut axes, mut other) = ([V::zero(); 2], [V::zero(); N], V::zero());
        if let (BALL | HINGE | WELD | SLIDER, Some(extra)) = (CLASS, extra) {
            frames = [
                D::then_after(a.q, V::load(&extra.frames[0])),
                D::then_after(b.q, V::load(&extra.frames[1])),
            ];
            axes = D::axes(frames[0]);
            other = D::axes(frames[1])[0];
        }
        let (mut along, mut length) = (V::zero(), zero);
        if CLASS == ROD || CLASS == ROPE {
            // Anchors that coincide have no line: any direction serves.
            length = d.dot(d).sqrt();
            along = d * length.if_above(zero, one.over(length), zero);
            along.0[0] = length.if_above(zero, along.0[0], one);
        }
        Self { whitenings, r, d, frames, axes, other, along, length, dim: PhantomData }
    }

    /// Second-order motion from the velocities: b relative to a, and the whitened spins.
    #[inline(always)]
    pub(super) fn drift(&self, rel: V<L, N>, u: &[V<L, A>; 2], params: PassParams) -> Drift<L, N, A> {
        let one = X::splat(1.0);
        let w = [D::plain(&self.whitenings[0], u[0]), D::plain(&self.whitenings[1], u[1])];
        let swing = [D::cross_ang(w[0], self.r[0]), D::cross_ang(w[1], self.r[1])];
        let h2 = X::splat(params.h * params.h);
        let turn2 = w[0].dot(w[0]).max(w[1].dot(w[1])) * h2;
        let far = turn2 * X::splat(PER_TRUSTED_TURN2);
        let half = X::splat(0.5 * params.h).over(one + far * far);
        let point = (D::cross_ang(w[1], swing[1]) - D::cross_ang(w[0], swing[0])) * half;
        // The arm of a lever turns by no more than its body: most rows need not look closer.
        let mut keep = one;
        if turn2.any_above(X::splat(SLOW_TURN2)) {
            let short = X::splat(SHORT_ARM2);
            let a = swing[0].dot(swing[0]).over(self.r[0].dot(self.r[0]).max(short));
            let b = swing[1].dot(swing[1]).over(self.r[1].dot(self.r[1]).max(short));
            let turn2 = a.max(b) * h2 * X::splat(1.0 / FORGOTTEN_TURN2);
            let memory = one.over(one + turn2 * turn2);
            keep = X::splat(KEPT_MEMORY).if_above(memory, memory, one);
        }
        Drift { w_a: w[0], d_dot: rel + (swing[1] - swing[0]), half, point, keep }
    }

    /// Whitened Jacobians of a row about `axis`.
    #[inline(always)]
    fn angular(&self, axis: V<L, A>) -> [V<L, A>; 2] {
        [D::whiten(&self.whitenings[0], axis), D::whiten(&self.whitenings[1], axis)]
    }

    /// Whitened Jacobians of a row along `n` at `arm` and the anchor of b.
    #[inline(always)]
    fn linear(&self, n: V<L, N>, arm: V<L, N>) -> [V<L, A>; 2] {
        [
            D::whiten(&self.whitenings[0], D::cross(arm, n)),
            D::whiten(&self.whitenings[1], D::cross(self.r[1], n)),
        ]
    }

    /// Axis i of the angular rows of a hinge.
    #[inline(always)]
    pub(super) fn tilt_axis(&self, i: usize) -> V<L, A> {
        D::turning_axis(&self.axes, 1 + i)
    }

    /// The hard rows of the class.
    #[inline(always)]
    pub(super) fn hard<const M: usize, const P: usize, const CLASS: u8>(
        &self,
        drift: &Drift<L, N, A>,
        extra: Option<&Extra<R>>,
    ) -> Hard<L, N, A, M> {
        let zero = X::splat(0.0);
        let mut hard = Hard { d: [V::zero(); M], j: [[V::zero(); M]; 2], error: [zero; M], drift: [zero; M] };
        if P == N {
            let j_a = D::point_rows(&self.whitenings[0], self.r[0]);
            let j_b = D::point_rows(&self.whitenings[1], self.r[1]);
            for i in 0..P {
                (hard.j[0][i], hard.j[1][i]) = (j_a[i], j_b[i]);
                (hard.error[i], hard.drift[i]) = (self.d.0[i], drift.point.0[i]);
            }
        }
        if CLASS == HINGE {
            let tilt = D::cross(self.axes[0], self.other);
            for i in P..M {
                let axis = self.tilt_axis(i - P);
                [hard.j[0][i], hard.j[1][i]] = self.angular(axis);
                hard.error[i] = axis.dot(tilt);
            }
        }
        if CLASS == SLIDER {
            for i in 0..P {
                let n = self.axes[1 + i];
                hard.d[i] = n;
                [hard.j[0][i], hard.j[1][i]] = self.linear(n, self.r[0] + self.d);
                hard.error[i] = n.dot(self.d);
                let n_dot = D::cross_ang(drift.w_a, n);
                let n_ddot = D::cross_ang(drift.w_a, n_dot);
                let once = n_dot.dot(drift.d_dot);
                hard.drift[i] = drift.half * (n_ddot.dot(self.d) + once + once) + n.dot(drift.point);
            }
        }
        if CLASS == SLIDER || CLASS == WELD {
            let (j_a, j_b) = (D::turn_rows(&self.whitenings[0]), D::turn_rows(&self.whitenings[1]));
            let error = D::turn_error(self.frames[0], self.frames[1]);
            for i in P..M {
                (hard.j[0][i], hard.j[1][i]) = (j_a[i - P], j_b[i - P]);
                hard.error[i] = error.0[i - P];
            }
        }
        if let (ROD, Some(extra)) = (CLASS, extra) {
            hard.d[0] = self.along;
            [hard.j[0][0], hard.j[1][0]] = self.linear(self.along, self.r[0]);
            hard.error[0] = self.length - X::load(&extra.bounds[0]);
            hard.drift[0] = self.rod_drift(drift);
        }
        hard
    }

    /// Half a sub-step of the turning of the line between the anchors, trusted as far as it is resolved.
    #[inline(always)]
    fn rod_drift(&self, drift: &Drift<L, N, A>) -> X<L> {
        let (zero, one) = (X::splat(0.0), X::splat(1.0));
        let radial = self.along.dot(drift.d_dot);
        let across = (drift.d_dot.dot(drift.d_dot) - radial * radial).max(zero);
        let inverse = self.length.if_above(X::splat(NO_LENGTH), one.over(self.length), zero);
        let step = (drift.half + drift.half) * inverse;
        let turn2 = across * step * step;
        let far = turn2 * X::splat(PER_TRUSTED_TURN2);
        let turning = (drift.half * across * inverse).over(one + far * far);
        one.if_above(turn2, turning, zero) + self.along.dot(drift.point)
    }

    /// The degree of freedom on which spring, motor and limits act; of a ball joint the twist.
    #[inline(always)]
    pub(super) fn free<const CLASS: u8>(&self, has: u8) -> Option<Free<L, N, A>> {
        let none = V::zero();
        match CLASS {
            HINGE if has != 0 => {
                let axis = D::turning_axis(&self.axes, 0);
                let line = Line { d: V::zero(), j: self.angular(axis) };
                Some(Free { line, value: D::angle(self.frames[0], self.frames[1]), axis })
            }
            SLIDER if has != 0 => {
                let j = self.linear(self.axes[0], self.r[0] + self.d);
                let line = Line { d: self.axes[0], j };
                Some(Free { line, value: self.d.dot(self.axes[0]), axis: none })
            }
            ROD | ROPE if has != 0 => {
                let line = Line { d: self.along, j: self.linear(self.along, self.r[0]) };
                Some(Free { line, value: self.length, axis: none })
            }
            BALL if has & LIMITS != 0 => {
                // At a swing of half a turn the twist is undefined; short of it the row grows, so it is held back.
                let one = X::splat(1.0);
                let bent = one.over((one + self.axes[0].dot(self.other)).max(X::splat(TWIST_FLOOR)));
                let axis = self.both_axes() * bent;
                let line = Line { d: V::zero(), j: self.angular(axis) };
                Some(Free { line, value: D::angle(self.frames[0], self.frames[1]), axis })
            }
            _ => None,
        }
    }

    /// Sum of the x axes as an axis of rotation.
    #[inline(always)]
    fn both_axes(&self) -> V<L, A> {
        let mut other = self.axes;
        other[0] = self.other;
        D::turning_axis(&self.axes, 0) + D::turning_axis(&other, 0)
    }

    /// The angle between the x axes of a ball joint with a cone.
    #[inline(always)]
    pub(super) fn cone<const CLASS: u8>(&self, has: u8) -> Option<Free<L, N, A>> {
        if CLASS != BALL || has & CONE == 0 {
            return None;
        }
        let (zero, one, flat) = (X::splat(0.0), X::splat(1.0), X::splat(NO_TILT));
        let tilt = D::cross(self.axes[0], self.other);
        let sin = tilt.dot(tilt).sqrt();
        let mut axis = tilt * sin.if_above(flat, one.over(sin), zero);
        // Parallel axes: any direction across them serves.
        let any = self.tilt_axis(0);
        for i in 0..A {
            axis.0[i] = sin.if_above(flat, axis.0[i], any.0[i]);
        }
        let line = Line { d: V::zero(), j: self.angular(axis) };
        Some(Free { line, value: upper_angle(sin, self.axes[0].dot(self.other)), axis })
    }
}
