//! How the rows of eight joints are solved: one by one with a law of its own each, or all hard ones together.

use super::algebra::{Factor, V, X};
use super::layout::Act;
use crate::solver::soft_step::lanes::{F8, Lanes};

/// Velocities while the rows of eight joints are solved: b relative to a, spins whitened.
pub(super) struct Motion<L, const N: usize, const A: usize> {
    pub rel: V<L, N>,
    pub u: [V<L, A>; 2],
    /// 1/m_a + 1/m_b.
    pub inv_mass: X<L>,
    /// Impulse on b so far.
    pub push: V<L, N>,
}

/// One row by itself: `d` does not count for angular ones.
#[derive(Clone, Copy)]
pub(super) struct Line<L, const N: usize, const A: usize> {
    pub d: V<L, N>,
    pub j: [V<L, A>; 2],
    /// 1/K.
    pub mass: X<L>,
}

impl<L: Lanes, const N: usize, const A: usize> Line<L, N, A> {
    /// `LINEAR`: along the unit vector `d`; otherwise `d` is not used.
    #[inline(always)]
    pub(super) fn new<const LINEAR: bool>(d: V<L, N>, j: [V<L, A>; 2], inv_mass: X<L>) -> Self {
        let turn = j[0].dot(j[0]) + j[1].dot(j[1]);
        let k = if LINEAR { inv_mass + turn } else { turn };
        let zero = X::splat(0.0);
        Self { d, j, mass: k.if_above(zero, X::splat(1.0).over(k), zero) }
    }
}

impl<L: Lanes, const N: usize, const A: usize> Motion<L, N, A> {
    #[inline(always)]
    fn speed<const LINEAR: bool>(&self, line: &Line<L, N, A>) -> X<L> {
        let turn = line.j[1].dot(self.u[1]) - line.j[0].dot(self.u[0]);
        if LINEAR { line.d.dot(self.rel) + turn } else { turn }
    }

    #[inline(always)]
    fn apply<const LINEAR: bool>(&mut self, line: &Line<L, N, A>, impulse: X<L>) {
        if LINEAR {
            let push = line.d * impulse;
            self.push += push;
            self.rel += push * self.inv_mass;
        }
        self.u[0] -= line.j[0] * impulse;
        self.u[1] += line.j[1] * impulse;
    }

    /// Spring or motor: see [`Act`].
    #[inline(always)]
    pub(super) fn act<const LINEAR: bool>(
        &mut self,
        act: &mut Act,
        line: &Line<L, N, A>,
        error: X<L>,
        is_biased: bool,
    ) {
        let old = X::<L>::load(&act.lambda);
        let gain = X::load(&act.gain[usize::from(!is_biased)]);
        let speed = self.speed::<LINEAR>(line) + X::load(&act.drift);
        let want = X::load(&act.s) * speed + X::load(&act.k) * error;
        let max = X::load(&act.max);
        let new = old - (want * line.mass + X::load(&act.leak) * old) * gain;
        let new = new.min(max).max(-max);
        new.store(&mut act.lambda);
        self.apply::<LINEAR>(line, new - old);
    }

    /// Limit: `gap` ≥ 0, whose rate is `sign` times the speed of the line.
    #[inline(always)]
    pub(super) fn bound<const LINEAR: bool>(
        &mut self,
        lambda: &mut F8,
        line: &Line<L, N, A>,
        gap: X<L>,
        sign: X<L>,
        law: &HardLaw<L>,
    ) {
        let (zero, old) = (X::splat(0.0), X::<L>::load(lambda));
        let speed = sign * self.speed::<LINEAR>(line);
        let pushed_back = if law.is_biased {
            old * law.scale - (law.scale * speed + law.pull::<LINEAR>(gap)) * line.mass
        } else {
            old - speed * line.mass
        };
        let stopped = old - (speed + gap * law.inv_h) * line.mass;
        let new = gap.if_above(zero, stopped, pushed_back).max(zero);
        new.store(lambda);
        self.apply::<LINEAR>(line, sign * (new - old));
    }
}

/// How hard rows are held.
pub(super) struct HardLaw<L> {
    pub rate: X<L>,
    pub scale: X<L>,
    /// s times the largest speed at which gaps are closed [m/s].
    pub push: X<L>,
    pub inv_h: X<L>,
    pub is_biased: bool,
}

impl<L: Lanes> HardLaw<L> {
    /// Bias speed of a row with the given error, times s [m/s or rad/s].
    #[inline(always)]
    fn pull<const LINEAR: bool>(&self, error: X<L>) -> X<L> {
        let pull = self.rate * error;
        if LINEAR { pull.min(self.push).max(-self.push) } else { pull }
    }
}

/// The hard rows of a class: the first `P` are linear, along the axes of the world if there are `N` of them, the others
/// angular.
pub(super) struct Hard<L, const N: usize, const A: usize, const M: usize> {
    pub d: [V<L, N>; M],
    pub j: [[V<L, A>; M]; 2],
    pub error: [X<L>; M],
    pub drift: [X<L>; M],
}

impl<L: Lanes, const N: usize, const A: usize, const M: usize> Hard<L, N, A, M> {
    /// What the impulses `lambda` do: impulse on b, changes of the whitened spins.
    #[inline(always)]
    pub(super) fn effect<const P: usize>(&self, lambda: &[X<L>; M]) -> (V<L, N>, [V<L, A>; 2]) {
        let (mut push, mut turn) = (V::zero(), [V::zero(); 2]);
        for i in 0..M {
            if P == N && i < P {
                push.0[i] = lambda[i];
            } else if i < P {
                push += self.d[i] * lambda[i];
            }
            turn[0] -= self.j[0][i] * lambda[i];
            turn[1] += self.j[1][i] * lambda[i];
        }
        (push, turn)
    }

    /// Solves all rows together.
    #[inline(always)]
    pub(super) fn solve<const P: usize>(
        &self,
        motion: &mut Motion<L, N, A>,
        lambda: &mut [X<L>; M],
        law: &HardLaw<L>,
    ) {
        let zero = X::splat(0.0);
        let mut k = [[zero; M]; M];
        let mut want = [zero; M];
        for i in 0..M {
            for j in 0..=i {
                let turn = self.j[0][i].dot(self.j[0][j]) + self.j[1][i].dot(self.j[1][j]);
                k[i][j] = if i == j && i < P { turn + motion.inv_mass } else { turn };
            }
            let turn = self.j[1][i].dot(motion.u[1]) - self.j[0][i].dot(motion.u[0]);
            let speed = match i < P {
                true if P == N => motion.rel.0[i] + turn,
                true => self.d[i].dot(motion.rel) + turn,
                false => turn,
            };
            want[i] = if law.is_biased {
                let pull =
                    if i < P { law.pull::<true>(self.error[i]) } else { law.pull::<false>(self.error[i]) };
                law.scale * (speed + self.drift[i]) + pull
            } else {
                speed
            };
        }
        let x = Factor::new(&k).solve(want);
        let leak = X::splat(1.0) - law.scale;
        let mut change = [zero; M];
        for i in 0..M {
            change[i] = if law.is_biased { -x[i] - leak * lambda[i] } else { -x[i] };
            lambda[i] = lambda[i] + change[i];
        }
        let (push, turn) = self.effect::<P>(&change);
        motion.push += push;
        motion.rel += push * motion.inv_mass;
        motion.u[0] += turn[0];
        motion.u[1] += turn[1];
    }
}
