//! How the rows of eight joints are solved: one by one with a law of its own each, or all hard ones together.
//!
//! The laws are derived at the head of `joint/rows.rs`. What is special here: a joint knows the velocity of b relative to a, and the whitened
//! spins u of both. So a row (d, j_a, j_b) has Ċ = d·v_rel + j_b·u_b − j_a·u_a and K = (1/m_a + 1/m_b)·d·d + j_a·j_a + j_b·j_b, and an impulse λ changes
//! v_rel by d·λ·(1/m_a + 1/m_b), u_b by j_b·λ and u_a by −j_a·λ. The bodies themselves are read once before all rows of a joint and written once after
//! them, with the sum of d·λ shared out by their masses.

use super::algebra::{Factor, V, X};
use super::layout::Act;
use crate::joint::NO_FREEDOM;
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

/// One row that acts, by itself.
#[derive(Clone, Copy)]
pub(super) struct Line<L, const N: usize, const A: usize> {
    /// A unit vector; zero for rows that only turn.
    pub d: V<L, N>,
    pub j: [V<L, A>; 2],
}

impl<L: Lanes, const N: usize, const A: usize> Line<L, N, A> {
    /// K of the row.
    #[inline(always)]
    fn answer(&self, inv_mass: X<L>) -> X<L> {
        inv_mass * self.d.dot(self.d) + (self.j[0].dot(self.j[0]) + self.j[1].dot(self.j[1]))
    }
}

/// Share of the answer to a turn that is left when the anchor is held, for a limb (no unit): a rod that is held at its end has a quarter. From there on a limit
/// acts alone.
const LIMB: f32 = 0.2;
/// The same for a compact body on an arm, whose limit acts beside the point: a ball of a third of the arm.
const COMPACT: f32 = 0.1;

/// What is left of a row when the `M` hard rows of its joint hold; see the head of `joint/rows.rs`.
pub(super) struct Acting<L, const N: usize, const A: usize, const M: usize> {
    pub line: Line<L, N, A>,
    /// 1/K.
    mass: X<L>,
    /// c of the head of `joint/rows.rs`: what an impulse takes from those of the hard rows.
    pub share: [X<L>; M],
}

impl<L: Lanes, const N: usize, const A: usize, const M: usize> Acting<L, N, A, M> {
    /// Of a row beside which nothing holds.
    #[inline(always)]
    pub(super) fn alone(line: Line<L, N, A>, inv_mass: X<L>) -> Self {
        let (zero, k) = (X::splat(0.0), line.answer(inv_mass));
        Self { line, mass: k.if_above(zero, X::splat(1.0).over(k), zero), share: [zero; M] }
    }
}

impl<L: Lanes, const N: usize, const A: usize> Motion<L, N, A> {
    #[inline(always)]
    fn speed<const M: usize>(&self, acting: &Acting<L, N, A, M>) -> X<L> {
        let Line { d, j } = &acting.line;
        d.dot(self.rel) + (j[1].dot(self.u[1]) - j[0].dot(self.u[0]))
    }

    #[inline(always)]
    fn apply<const M: usize>(&mut self, acting: &Acting<L, N, A, M>, impulse: X<L>) {
        let Line { d, j } = &acting.line;
        let push = *d * impulse;
        self.push += push;
        self.rel += push * self.inv_mass;
        self.u[0] -= j[0] * impulse;
        self.u[1] += j[1] * impulse;
    }

    /// Spring or motor with the given drift: see [`Act`].
    #[inline(always)]
    pub(super) fn act<const LINEAR: bool, const M: usize>(
        &mut self,
        act: &mut Act,
        acting: &Acting<L, N, A, M>,
        (error, drift): (X<L>, X<L>),
        is_biased: bool,
    ) {
        let old = X::<L>::load(&act.lambda);
        let gain = X::load(&act.gain[usize::from(!is_biased)]);
        let reach = X::load(&act.reach);
        let error = if LINEAR { error.min(reach).max(-reach) } else { error };
        let want = X::load(&act.s) * (self.speed(acting) + drift) + X::load(&act.k) * error;
        let max = X::load(&act.max);
        let new = old - (want * acting.mass + X::load(&act.leak) * old) * gain;
        let new = new.min(max).max(-max);
        new.store(&mut act.lambda);
        self.apply(acting, new - old);
    }

    /// Limit: `gap` ≥ 0, whose rate is `sign` times the speed of the row.
    #[inline(always)]
    pub(super) fn bound<const LINEAR: bool, const M: usize>(
        &mut self,
        lambda: &mut F8,
        acting: &Acting<L, N, A, M>,
        (gap, sign): (X<L>, X<L>),
        law: &HardLaw<L>,
    ) {
        let (zero, old) = (X::splat(0.0), X::<L>::load(lambda));
        let speed = sign * self.speed(acting);
        let pushed_back = if law.is_biased {
            old * law.scale - (law.scale * speed + law.pull::<LINEAR>(gap)) * acting.mass
        } else {
            old - speed * acting.mass
        };
        let stopped = old - (speed + gap * law.inv_h) * acting.mass;
        let new = gap.if_above(zero, stopped, pushed_back).max(zero);
        new.store(lambda);
        self.apply(acting, sign * (new - old));
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

    /// How fast a gap may close [m/s or rad/s]; a violation has to open, as fast as a limit would push it.
    #[inline(always)]
    pub(super) fn closing<const LINEAR: bool>(&self, gap: X<L>) -> X<L> {
        let zero = X::splat(0.0);
        let opens = if self.is_biased { self.pull::<LINEAR>(gap).over(self.scale) } else { zero };
        gap.if_above(zero, gap * self.inv_h, opens)
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

    /// K of the rows, factored.
    #[inline(always)]
    pub(super) fn factor<const P: usize>(&self, inv_mass: X<L>) -> Factor<L, M> {
        let mut k = [[X::splat(0.0); M]; M];
        for i in 0..M {
            for j in 0..=i {
                let turn = self.j[0][i].dot(self.j[0][j]) + self.j[1][i].dot(self.j[1][j]);
                k[i][j] = if i == j && i < P { turn + inv_mass } else { turn };
            }
        }
        Factor::new(&k)
    }

    /// What is left of `line` when the rows hold. Its direction, if it has one, is across theirs.
    #[inline(always)]
    pub(super) fn leave<const P: usize>(
        &self,
        factor: &Factor<L, M>,
        line: &Line<L, N, A>,
        inv_mass: X<L>,
    ) -> Acting<L, N, A, M> {
        let zero = X::splat(0.0);
        let mut both = [zero; M];
        for i in 0..M {
            both[i] = self.j[0][i].dot(line.j[0]) + self.j[1][i].dot(line.j[1]);
        }
        let share = factor.solve(both);
        let (push, turn) = self.effect::<P>(&share);
        let left = Line { d: line.d - push, j: [line.j[0] + turn[0], line.j[1] - turn[1]] };
        let k = left.answer(inv_mass);
        let least = line.answer(inv_mass) * X::splat(NO_FREEDOM);
        Acting { line: left, mass: k.if_above(least, X::splat(1.0).over(k), zero), share }
    }

    /// What is left of `line` for limbs and for compact bodies on arms: nothing is taken from the former, from the latter what the rows hold.
    #[inline(always)]
    pub(super) fn lean<const P: usize>(
        &self,
        factor: &Factor<L, M>,
        line: &Line<L, N, A>,
        inv_mass: X<L>,
    ) -> Acting<L, N, A, M> {
        let zero = X::splat(0.0);
        let Acting { line: left, share, .. } = self.leave::<P>(factor, line, inv_mass);
        let alone = line.answer(inv_mass);
        let freedom = alone.if_above(zero, left.answer(inv_mass).over(alone), zero);
        let taken = (X::splat(LIMB) - freedom) * X::splat(1.0 / (LIMB - COMPACT));
        let taken = taken.min(X::splat(1.0)).max(zero);
        // PERF: no closures: here they were not inlined, and dolls took 5 % longer.
        let mut line = *line;
        line.d = line.d + (left.d - line.d) * taken;
        for side in 0..2 {
            line.j[side] = line.j[side] + (left.j[side] - line.j[side]) * taken;
        }
        let (k, least) = (line.answer(inv_mass), alone * X::splat(NO_FREEDOM));
        let mass = k.if_above(least, X::splat(1.0).over(k), zero);
        let mut lent = share;
        for share in &mut lent {
            *share = *share * taken;
        }
        Acting { line, mass, share: lent }
    }

    /// Solves all rows together.
    #[inline(always)]
    pub(super) fn solve<const P: usize>(
        &self,
        factor: &Factor<L, M>,
        motion: &mut Motion<L, N, A>,
        lambda: &mut [X<L>; M],
        law: &HardLaw<L>,
    ) {
        let zero = X::splat(0.0);
        let mut want = [zero; M];
        for i in 0..M {
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
        let x = factor.solve(want);
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
