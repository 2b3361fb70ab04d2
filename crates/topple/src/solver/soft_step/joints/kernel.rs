//! The passes over eight joints at once.
//!
//! Formulas and laws are those of `joint/`; here they stand in whitened variables (see `pack.rs`): a row along d at the
//! anchors r has the angular Jacobians j = Lᵀ(r × d), its speed is d·(v_b − v_a) + j_b·u_b − j_a·u_a, an impulse λ changes
//! u_b by j_b·λ. The directions of the linear rows are orthonormal in every class, so
//! K_ij = (1/m_a + 1/m_b)·δ_ij + j_a,i·j_a,j + j_b,i·j_b,j, where δ counts for the linear rows only.
//!
//! Anchors and frames are turned to the current orientations in every pass. The relaxing pass of a sub-step stands at its
//! end, where the biased pass of the next one begins; it needs neither errors nor drifts.

use super::JointPass;
use super::algebra::{Factor, LaneDim, V, X, upper_angle};
use super::layout::{Act, CONE, Class, Cold, Extra, LIMITS, MOTOR, NO_EXTRA, SPRING, WideRow};
use crate::joint::{FORGOTTEN_TURN2, KEPT_MEMORY, NO_LENGTH, NO_TILT, SHORT_ARM2, TRUSTED_TURN, TWIST_FLOOR};
#[cfg(target_arch = "x86_64")]
use crate::solver::soft_step::lanes::{Eight, Four};
use crate::solver::soft_step::lanes::{F8, Lanes, Scalar, SimdWidth};
use crate::solver::soft_step::rows::WIDTH;

/// Class numbers for const parameters.
const POINT: u8 = Class::Point as u8;
const BALL: u8 = Class::Ball as u8;
const HINGE: u8 = Class::Hinge as u8;
const WELD: u8 = Class::Weld as u8;
const SLIDER: u8 = Class::Slider as u8;
const ROD: u8 = Class::Rod as u8;
const ROPE: u8 = Class::Rope as u8;

/// The bodies of one side, in lanes. See `kernel.rs` of the contacts for the order of the floats.
struct Side<L, const N: usize, const A: usize, const R: usize> {
    v: V<L, N>,
    u: V<L, A>,
    /// Motion of the centre since the start of the step.
    p: V<L, N>,
    /// Current orientation.
    q: V<L, R>,
    /// The float after the spins of the plane: written back as it was.
    rest: X<L>,
}

#[inline(always)]
fn gather<L: Lanes, const N: usize, const A: usize, const R: usize, const S: usize>(
    rows: [&[f32; S]; WIDTH],
) -> Side<L, N, A, R> {
    let zero = X::splat(0.0);
    let (mut v, mut u, mut p, mut q) = (V::zero(), V::zero(), V::zero(), V::zero());
    let [first, second] = [L::gather4(rows, 0), L::gather4(rows, 4)].map(|block| block.map(X));
    if N == 2 {
        (v.0[0], v.0[1], u.0[0]) = (first[0], first[1], first[2]);
        (p.0[0], p.0[1], q.0[0], q.0[1]) = (second[0], second[1], second[2], second[3]);
        return Side { v, u, p, q, rest: first[3] };
    }
    (v.0[0], v.0[1], v.0[2], u.0[0]) = (first[0], first[1], first[2], first[3]);
    (u.0[1], u.0[2], p.0[0], p.0[1]) = (second[0], second[1], second[2], second[3]);
    p.0[2] = X(L::gather4(rows, 8)[0]);
    q.0.copy_from_slice(&L::gather4(rows, 12).map(X)[..R]);
    Side { v, u, p, q, rest: zero }
}

/// Writes velocities back for the lanes of `mask`.
///
/// # Safety
/// Rows of set lanes are valid, distinct, and used by nobody else.
#[inline(always)]
unsafe fn scatter<L: Lanes, const N: usize, const A: usize, const R: usize, const S: usize>(
    side: &Side<L, N, A, R>,
    rows: [*mut [f32; S]; WIDTH],
    mask: u8,
) {
    let Side { v, u, p, rest, .. } = side;
    // SAFETY: by the caller.
    unsafe {
        if N == 2 {
            L::scatter4([v.0[0].0, v.0[1].0, u.0[0].0, rest.0], rows, 0, mask);
        } else {
            L::scatter4([v.0[0].0, v.0[1].0, v.0[2].0, u.0[0].0], rows, 0, mask);
            L::scatter4([u.0[1].0, u.0[2].0, p.0[0].0, p.0[1].0], rows, 4, mask);
        }
    }
}

/// Numbers that are the same for all rows of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassParams {
    /// Length of the sub-step [s].
    pub h: f32,
    /// 1/h [1/s].
    pub inv_h: f32,
}

/// Velocities while the rows of eight joints are solved: b relative to a, spins whitened.
struct Motion<L, const N: usize, const A: usize> {
    rel: V<L, N>,
    u: [V<L, A>; 2],
    /// 1/m_a + 1/m_b.
    inv_mass: X<L>,
    /// Impulse on b so far.
    push: V<L, N>,
}

/// One row: `d` is zero for angular ones.
#[derive(Clone, Copy)]
struct Line<L, const N: usize, const A: usize> {
    d: V<L, N>,
    j: [V<L, A>; 2],
    /// 1/K.
    mass: X<L>,
}

impl<L: Lanes, const N: usize, const A: usize> Line<L, N, A> {
    /// `LINEAR`: along the unit vector `d`; otherwise `d` is not used.
    #[inline(always)]
    fn new<const LINEAR: bool>(d: V<L, N>, j: [V<L, A>; 2], inv_mass: X<L>) -> Self {
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
    fn act<const LINEAR: bool>(&mut self, act: &mut Act, line: &Line<L, N, A>, error: X<L>, is_biased: bool) {
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
    fn bound<const LINEAR: bool>(
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
            old * law.scale - (law.scale * speed + law.rate * gap) * line.mass
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
struct HardLaw<L> {
    rate: X<L>,
    scale: X<L>,
    inv_h: X<L>,
    is_biased: bool,
}

/// The hard rows of a class: the first `P` are linear, along the axes of the world if there are `N` of them, the others
/// angular.
struct Hard<L, const N: usize, const A: usize, const M: usize> {
    d: [V<L, N>; M],
    j: [[V<L, A>; M]; 2],
    error: [X<L>; M],
    drift: [X<L>; M],
}

impl<L: Lanes, const N: usize, const A: usize, const M: usize> Hard<L, N, A, M> {
    /// What the impulses `lambda` do: impulse on b, changes of the whitened spins.
    #[inline(always)]
    fn effect<const P: usize>(&self, lambda: &[X<L>; M]) -> (V<L, N>, [V<L, A>; 2]) {
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
    fn solve<const P: usize>(&self, motion: &mut Motion<L, N, A>, lambda: &mut [X<L>; M], law: &HardLaw<L>) {
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
                law.scale * (speed + self.drift[i]) + law.rate * self.error[i]
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

/// The same angle in [−π, π], for differences of angles in that range.
#[inline(always)]
fn wrap<L: Lanes>(angle: X<L>) -> X<L> {
    use core::f32::consts::PI;
    let (half, turn) = (X::splat(PI), X::splat(2.0 * PI));
    let angle = angle.if_above(half, angle - turn, angle);
    (-angle).if_above(half, angle + turn, angle)
}

/// One pass over one row of class `CLASS` with `M` hard rows, `P` of them linear.
///
/// # Safety
/// `bodies` holds all slots of the row; its lanes share no dynamic body, and no other thread works on those.
#[inline(always)]
unsafe fn pass<
    L: Lanes,
    D: LaneDim<N, A, R, W>,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
    const S: usize,
    const M: usize,
    const P: usize,
    const CLASS: u8,
    const BIASED: bool,
>(
    row: &mut WideRow<N, A, W, F>,
    extra: Option<&mut Extra<R>>,
    cold: &mut Cold,
    bodies: *mut [f32; S],
    params: PassParams,
    only_warm: bool,
) {
    // SAFETY: slots are within the array.
    let at = row.slots.map(|slots| slots.map(|slot| unsafe { bodies.add(slot as usize) }));
    // SAFETY: nobody writes these bodies meanwhile; the references end with the gather.
    let mut sides: [Side<L, N, A, R>; 2] = unsafe {
        [
            gather::<L, N, A, R, S>(at[0].map(|p| &*p.cast_const())),
            gather::<L, N, A, R, S>(at[1].map(|p| &*p.cast_const())),
        ]
    };
    let is_biased = BIASED;
    let (zero, one) = (X::<L>::splat(0.0), X::<L>::splat(1.0));
    let whitenings = [V::load(&row.whitenings[0]), V::load(&row.whitenings[1])];
    let inv_masses = [X::load(&row.inv_masses[0]), X::load(&row.inv_masses[1])];
    let r = [0, 1].map(|i| D::rotate(sides[i].q, V::load(&row.anchors[i])));
    let d = V::load(&row.between) + (sides[1].p - sides[0].p) + (r[1] - r[0]);
    let start = [sides[0].u, sides[1].u];
    let mut motion = Motion {
        rel: sides[1].v - sides[0].v,
        u: start,
        inv_mass: inv_masses[0] + inv_masses[1],
        push: V::zero(),
    };
    let law = HardLaw {
        rate: X::load(&row.rate),
        scale: X::load(&row.scale),
        inv_h: X::splat(params.inv_h),
        is_biased,
    };

    // Second-order motion and the share of the last impulses that still counts: `Sight` of `joint/`.
    let (mut drift, mut half, mut d_dot, mut keep) = (V::zero(), zero, V::zero(), one);
    let mut w = [V::zero(); 2];
    if is_biased {
        w = [0, 1].map(|i| D::plain(&whitenings[i], sides[i].u));
        let swing = [0, 1].map(|i| D::cross_ang(w[i], r[i]));
        d_dot = motion.rel + (swing[1] - swing[0]);
        let h2 = X::splat(params.h * params.h);
        let turn2 = w[0].dot(w[0]).max(w[1].dot(w[1])) * h2 * X::splat(1.0 / (TRUSTED_TURN * TRUSTED_TURN));
        half = X::splat(0.5 * params.h).over(one + turn2 * turn2);
        drift = (D::cross_ang(w[1], swing[1]) - D::cross_ang(w[0], swing[0])) * half;
        let swing2 = [0, 1].map(|i| swing[i].dot(swing[i]).over(r[i].dot(r[i]).max(X::splat(SHORT_ARM2))));
        let turn2 = swing2[0].max(swing2[1]) * h2 * X::splat(1.0 / FORGOTTEN_TURN2);
        let memory = one.over(one + turn2 * turn2);
        keep = X::splat(KEPT_MEMORY).if_above(memory, memory, one);
    }

    // Frames: classes without them never look.
    let mut frames = [V::<L, R>::zero(); 2];
    let mut axes = [V::<L, N>::zero(); N];
    let mut tilt = V::<L, A>::zero();
    let mut cos = zero;
    if let (BALL | HINGE | WELD | SLIDER, Some(extra)) = (CLASS, &extra) {
        frames = [0, 1].map(|i| D::then_after(sides[i].q, V::load(&extra.frames[i])));
        axes = D::axes(frames[0]);
        if CLASS == BALL || CLASS == HINGE && M > P {
            let other = D::axes(frames[1]);
            tilt = D::cross(axes[0], other[0]);
            cos = axes[0].dot(other[0]);
        }
    }

    // The hard rows.
    let mut hard = Hard { d: [V::zero(); M], j: [[V::zero(); M]; 2], error: [zero; M], drift: [zero; M] };
    let angular = |axis: V<L, A>| [D::whiten(&whitenings[0], axis), D::whiten(&whitenings[1], axis)];
    let linear = |n: V<L, N>, arm: V<L, N>| {
        [D::whiten(&whitenings[0], D::cross(arm, n)), D::whiten(&whitenings[1], D::cross(r[1], n))]
    };
    if P == N {
        let j = [0, 1].map(|i| D::point_rows(&whitenings[i], r[i]));
        for i in 0..P {
            (hard.j[0][i], hard.j[1][i]) = (j[0][i], j[1][i]);
            (hard.error[i], hard.drift[i]) = (d.0[i], drift.0[i]);
        }
    }
    if CLASS == HINGE {
        for i in P..M {
            let axis = D::turning_axis(&axes, 1 + i - P);
            [hard.j[0][i], hard.j[1][i]] = angular(axis);
            hard.error[i] = axis.dot(tilt);
        }
    }
    if CLASS == SLIDER {
        for i in 0..P {
            let n = axes[1 + i];
            hard.d[i] = n;
            [hard.j[0][i], hard.j[1][i]] = linear(n, r[0] + d);
            hard.error[i] = n.dot(d);
            let n_dot = D::cross_ang(w[0], n);
            let n_ddot = D::cross_ang(w[0], n_dot);
            let twice = n_dot.dot(d_dot);
            hard.drift[i] = half * (n_ddot.dot(d) + twice + twice) + n.dot(drift);
        }
    }
    if CLASS == SLIDER || CLASS == WELD {
        let j = [0, 1].map(|i| D::turn_rows(&whitenings[i]));
        let error = D::turn_error(frames[0], frames[1]);
        for i in P..M {
            (hard.j[0][i], hard.j[1][i]) = (j[0][i - P], j[1][i - P]);
            hard.error[i] = error.0[i - P];
        }
    }
    // Direction of the line between the anchors; any if they coincide.
    let (mut along, mut length) = (V::zero(), zero);
    if CLASS == ROD || CLASS == ROPE {
        length = d.dot(d).sqrt();
        let inverse = length.if_above(zero, one.over(length), zero);
        along = d * inverse;
        along.0[0] = length.if_above(zero, along.0[0], one);
    }
    if CLASS == ROD {
        hard.d[0] = along;
        [hard.j[0][0], hard.j[1][0]] = linear(along, r[0]);
        hard.error[0] = length;
        let radial = along.dot(d_dot);
        let across = (d_dot.dot(d_dot) - radial * radial).max(zero);
        // Half a sub-step of the turning of the line, trusted as above.
        let far = X::splat(NO_LENGTH);
        let over_length = length.if_above(far, one.over(length), zero);
        let turn2 = across * (half + half) * (half + half) * over_length * over_length;
        let x = turn2 * X::splat(1.0 / (TRUSTED_TURN * TRUSTED_TURN));
        let turning = one.if_above(turn2, half * across * over_length.over(one + x * x), zero);
        hard.drift[0] = turning + along.dot(drift);
    }

    // The free axis, with spring, motor and limits.
    let mut free = None;
    let mut cone = None;
    if let Some(extra) = &extra {
        let inv_mass = motion.inv_mass;
        match CLASS {
            HINGE if row.has != 0 => {
                let value = match row.has & (SPRING | LIMITS) != 0 || row.has & MOTOR != 0 {
                    true => D::angle(frames[0], frames[1]),
                    false => zero,
                };
                let axis = D::turning_axis(&axes, 0);
                free = Some((Line::new::<false>(V::zero(), angular(axis), inv_mass), value, axis));
            }
            SLIDER if row.has != 0 => {
                let line = Line::new::<true>(axes[0], linear(axes[0], r[0] + d), inv_mass);
                free = Some((line, d.dot(axes[0]), V::zero()));
            }
            ROD | ROPE => {
                let j = linear(along, r[0]);
                free = Some((Line::new::<true>(along, j, inv_mass), length, V::zero()));
                if CLASS == ROD {
                    hard.error[0] = length - X::load(&extra.bounds[0]);
                }
            }
            BALL => {
                if row.has & LIMITS != 0 {
                    // At a swing of half a turn the twist is undefined; short of it the row grows, so it is held back.
                    let other = D::turning_axis(&D::axes(frames[1]), 0);
                    let bent = one.over((one + cos).max(X::splat(TWIST_FLOOR)));
                    let axis = (D::turning_axis(&axes, 0) + other) * bent;
                    let value = D::angle(frames[0], frames[1]);
                    free = Some((Line::new::<false>(V::zero(), angular(axis), inv_mass), value, axis));
                }
                if row.has & CONE != 0 {
                    let sin = tilt.dot(tilt).sqrt();
                    let flat = X::splat(NO_TILT);
                    let axis = tilt * sin.if_above(flat, one.over(sin), zero);
                    let any = D::turning_axis(&axes, 1);
                    let axis = V(core::array::from_fn(|i| sin.if_above(flat, axis.0[i], any.0[i])));
                    let value = upper_angle(sin, cos);
                    cone = Some((Line::new::<false>(V::zero(), angular(axis), inv_mass), value, axis));
                }
            }
            _ => {}
        }
    }

    let mut lambda: [X<L>; M] = core::array::from_fn(|i| X::load(&row.lambda[i]));
    let mut extra = extra;
    if is_biased {
        // What the impulses do with today's lever arms, minus what is in the velocities already.
        lambda = lambda.map(|x| x * keep);
        let (mut push, mut turn) = hard.effect::<P>(&lambda);
        let mut add = |line: &Line<L, N, A>, impulse: X<L>, is_linear: bool| {
            if is_linear {
                push += line.d * impulse;
            }
            turn[0] -= line.j[0] * impulse;
            turn[1] += line.j[1] * impulse;
        };
        if let Some(extra) = extra.as_deref_mut() {
            let kept = |at: &mut F8| {
                let value = X::<L>::load(at) * keep;
                value.store(at);
                value
            };
            if let Some((line, ..)) = &free {
                let sum = kept(&mut extra.spring.lambda) + kept(&mut extra.motor.lambda);
                let [lower, upper] = &mut extra.bound_lambda;
                add(line, sum + kept(lower) - kept(upper), matches!(CLASS, SLIDER | ROD | ROPE));
            }
            if let Some((line, ..)) = &cone {
                add(line, -kept(&mut extra.cone_lambda), false);
            }
        }
        let missing = push - V::load(&row.pushed);
        motion.rel += missing * motion.inv_mass;
        motion.push = missing;
        for i in 0..2 {
            motion.u[i] += turn[i] - V::load(&row.turned[i]);
        }
    }
    if !only_warm {
        // What acts first, what holds last.
        if let Some(extra) = extra.as_deref_mut() {
            if let Some((line, value, _)) = &free {
                let has = row.has;
                macro_rules! along {
                    ($linear:literal, $wrap:expr) => {
                        if has & SPRING != 0 && is_biased {
                            let error = $wrap(*value - X::load(&extra.spring.target));
                            motion.act::<$linear>(&mut extra.spring, line, error, is_biased);
                        }
                        if has & MOTOR != 0 {
                            let error = $wrap(*value - X::load(&extra.motor.target));
                            motion.act::<$linear>(&mut extra.motor, line, error, is_biased);
                        }
                        if has & LIMITS != 0 {
                            let [lower, upper] = &mut extra.bound_lambda;
                            let gap = *value - X::load(&extra.bounds[0]);
                            motion.bound::<$linear>(lower, line, gap, one, &law);
                            let gap = X::load(&extra.bounds[1]) - *value;
                            motion.bound::<$linear>(upper, line, gap, -one, &law);
                        }
                    };
                }
                if matches!(CLASS, SLIDER | ROD | ROPE) {
                    along!(true, |x: X<L>| x);
                } else {
                    along!(false, wrap);
                }
            }
            if let Some((line, value, _)) = &cone {
                let gap = X::load(&extra.cone) - *value;
                motion.bound::<false>(&mut extra.cone_lambda, line, gap, -one, &law);
            }
        }
        hard.solve::<P>(&mut motion, &mut lambda, &law);
    }
    for i in 0..M {
        lambda[i].store(&mut row.lambda[i]);
    }
    let pushed = V::load(&row.pushed) + motion.push;
    pushed.store(&mut row.pushed);
    for i in 0..2 {
        (V::load(&row.turned[i]) + (motion.u[i] - start[i])).store(&mut row.turned[i]);
    }
    if !BIASED {
        let longest = |at: &mut F8, x: X<L>| X::load(at).max(x).store(at);
        longest(&mut cold.peak[0], pushed.dot(pushed));
        // Rows through the anchor have no moment about it: the angular ones are all.
        if !matches!(CLASS, POINT | ROD | ROPE) {
            let mut turn = V::<L, A>::zero();
            for i in P..M {
                match CLASS {
                    HINGE => turn += D::turning_axis(&axes, 1 + i - P) * lambda[i],
                    _ => turn.0[i - P] = lambda[i],
                }
            }
            if let Some(extra) = &extra {
                if let Some((.., axis)) = free {
                    let sum = X::load(&extra.spring.lambda) + X::load(&extra.motor.lambda);
                    turn += axis * (sum + X::load(&extra.bound_lambda[0]) - X::load(&extra.bound_lambda[1]));
                }
                if let Some((.., axis)) = cone {
                    turn -= axis * X::load(&extra.cone_lambda);
                }
            }
            longest(&mut cold.peak[1], turn.dot(turn));
            (0..A).for_each(|i| turn.0[i].store(&mut cold.turn[i]));
        }
    }
    sides[0].v -= motion.push * inv_masses[0];
    sides[1].v += motion.push * inv_masses[1];
    for i in 0..2 {
        sides[i].u = motion.u[i];
        // SAFETY: only lanes of dynamic bodies are written, which are distinct and ours.
        unsafe { scatter(&sides[i], at[i], row.write[i]) };
    }
}

/// One pass over rows of one colour. `H`, `F` and `G`: hard rows of a hinge, a weld and a slider; `Q` = N − 1.
///
/// # Safety
/// As [`pass`]; each row has its own extra; a width is only chosen if the processor has it.
pub(super) unsafe fn run<
    D: LaneDim<N, A, R, W>,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
    const S: usize,
    const H: usize,
    const G: usize,
    const Q: usize,
>(
    rows: &mut [WideRow<N, A, W, F>],
    cold: &mut [Cold],
    extras: *mut Extra<R>,
    bodies: *mut [f32; S],
    params: PassParams,
    pass: JointPass,
    width: SimdWidth,
) {
    let (is_biased, only_warm) = (pass != JointPass::Relax, pass == JointPass::WarmStart);
    for (row, cold) in rows.iter_mut().zip(cold) {
        // SAFETY: by the caller.
        let extra = (row.extra != NO_EXTRA).then(|| unsafe { &mut *extras.add(row.extra as usize) });
        macro_rules! class {
            ($m:ident, $p:ident, $class:ident) => {
                // SAFETY: by the caller.
                unsafe {
                    if is_biased {
                        with_width::<D, N, A, R, W, F, S, $m, $p, $class, true>(
                            row, extra, cold, bodies, params, only_warm, width,
                        );
                    } else {
                        with_width::<D, N, A, R, W, F, S, $m, $p, $class, false>(
                            row, extra, cold, bodies, params, only_warm, width,
                        );
                    }
                }
            };
        }
        match row.class {
            Class::Point => class!(N, N, POINT),
            Class::Ball => class!(N, N, BALL),
            Class::Hinge => class!(H, N, HINGE),
            Class::Weld => class!(F, N, WELD),
            Class::Slider => class!(G, Q, SLIDER),
            Class::Rod => class!(ONE, ONE, ROD),
            Class::Rope => class!(NONE, NONE, ROPE),
        }
    }
}

const ONE: usize = 1;
const NONE: usize = 0;

/// [`pass`] with the given width.
///
/// # Safety
/// As [`run`].
unsafe fn with_width<
    D: LaneDim<N, A, R, W>,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
    const S: usize,
    const M: usize,
    const P: usize,
    const CLASS: u8,
    const BIASED: bool,
>(
    row: &mut WideRow<N, A, W, F>,
    extra: Option<&mut Extra<R>>,
    cold: &mut Cold,
    bodies: *mut [f32; S],
    params: PassParams,
    only_warm: bool,
    width: SimdWidth,
) {
    // SAFETY: by the caller.
    unsafe {
        match width {
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Eight => {
                pass_avx2::<D, N, A, R, W, F, S, M, P, CLASS, BIASED>(
                    row, extra, cold, bodies, params, only_warm,
                );
            }
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Four => {
                pass::<Four, D, N, A, R, W, F, S, M, P, CLASS, BIASED>(
                    row, extra, cold, bodies, params, only_warm,
                );
            }
            _ => pass::<Scalar, D, N, A, R, W, F, S, M, P, CLASS, BIASED>(
                row, extra, cold, bodies, params, only_warm,
            ),
        }
    }
}

/// [`pass`] with AVX2.
///
/// # Safety
/// As [`pass`], and the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn pass_avx2<
    D: LaneDim<N, A, R, W>,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
    const S: usize,
    const M: usize,
    const P: usize,
    const CLASS: u8,
    const BIASED: bool,
>(
    row: &mut WideRow<N, A, W, F>,
    extra: Option<&mut Extra<R>>,
    cold: &mut Cold,
    bodies: *mut [f32; S],
    params: PassParams,
    only_warm: bool,
) {
    // SAFETY: by the caller.
    unsafe {
        pass::<Eight, D, N, A, R, W, F, S, M, P, CLASS, BIASED>(row, extra, cold, bodies, params, only_warm);
    }
}
