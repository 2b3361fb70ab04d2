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
use super::algebra::{Factor, LaneDim, V, X};
use super::layout::{Class, Cold, Extra, LIMITS, MOTOR, SPRING, WideRow};
use super::motion::{Acting, Hard, HardLaw, Line, Motion};
use super::prepare::has_extra;
use super::sight::{Drift, Free, Sight};
use crate::solver::soft_step::lanes::{F8, Kernel, Lanes, SimdWidth};
use crate::solver::soft_step::pack::Packed;
use crate::solver::soft_step::rows::WIDTH;
use crate::trusted::Crowd;
use core::marker::PhantomData;

/// Class numbers for const parameters.
const POINT: u8 = Class::Point as u8;
pub(super) const BALL: u8 = Class::Ball as u8;
pub(super) const HINGE: u8 = Class::Hinge as u8;
pub(super) const WELD: u8 = Class::Weld as u8;
pub(super) const SLIDER: u8 = Class::Slider as u8;
pub(super) const ROD: u8 = Class::Rod as u8;
pub(super) const ROPE: u8 = Class::Rope as u8;

/// The bodies of one side, in lanes. See `kernel.rs` of the contacts for the order of the floats.
pub(super) struct Side<L, const N: usize, const A: usize, const R: usize> {
    pub v: V<L, N>,
    pub u: V<L, A>,
    /// Motion of the centre since the start of the step.
    pub p: V<L, N>,
    /// Current orientation.
    pub q: V<L, R>,
    /// The float after the spins of the plane: written back as it was.
    rest: X<L>,
}

#[inline(always)]
fn gather<L: Lanes, const N: usize, const A: usize, const R: usize, const S: usize>(
    rows: [&[f32; S]; WIDTH],
) -> Side<L, N, A, R> {
    let zero = X::splat(0.0);
    let (mut v, mut u, mut p, mut q) = (V::zero(), V::zero(), V::zero(), V::zero());
    let (first, second) = (L::gather4(rows, 0).map(X), L::gather4(rows, 4).map(X));
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

/// Writes the velocities of a row back to the bodies of a side that answer to impulses.
#[inline(always)]
fn scatter<L: Lanes, const N: usize, const A: usize, const R: usize, const S: usize>(
    side: &Side<L, N, A, R>,
    crowd: &mut Crowd<'_, Packed<S>>,
    (row, which): (usize, usize),
) {
    let Side { v, u, p, rest, .. } = side;
    if N == 2 {
        crowd.put(row, which, 0, L::rows([v.0[0].0, v.0[1].0, u.0[0].0, rest.0]));
    } else {
        crowd.put(row, which, 0, L::rows([v.0[0].0, v.0[1].0, v.0[2].0, u.0[0].0]));
        crowd.put(row, which, 4, L::rows([u.0[1].0, u.0[2].0, p.0[0].0, p.0[1].0]));
    }
}

/// Numbers that are the same for all rows of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassParams {
    /// Length of the sub-step [s].
    pub h: f32,
    /// 1/h [1/s].
    pub inv_h: f32,
    /// Largest speed at which gaps are closed [m/s].
    pub push_speed: f32,
}

/// The same angle in [−π, π], for differences of angles in that range.
#[inline(always)]
fn wrap<L: Lanes>(angle: X<L>) -> X<L> {
    use core::f32::consts::PI;
    let (half, turn) = (X::splat(PI), X::splat(2.0 * PI));
    let angle = angle.if_above(half, angle - turn, angle);
    (-angle).if_above(half, angle + turn, angle)
}

/// True for classes whose free degree of freedom is a translation.
#[inline(always)]
fn is_linear(class: u8) -> bool {
    matches!(class, SLIDER | ROD | ROPE)
}

/// An impulse times the share that is kept, written back.
#[inline(always)]
fn kept<L: Lanes>(at: &mut F8, keep: X<L>) -> X<L> {
    let value = X::<L>::load(at) * keep;
    value.store(at);
    value
}

/// Angle that no limit is asked beyond, twice the turn of the sub-step aside [rad]: what the hard rows add to a spin, 24 rad/s at 240
/// sub-steps per second, is rarely more, and a limit that was missed pushes back in the next sub-step.
const FAR_GAP: f32 = 0.1;

/// True if in no lane the limit of an angle has anything to do: it bears nothing, and the gap is wide.
#[inline(always)]
fn is_idle<L: Lanes, const N: usize, const A: usize>(
    motion: &Motion<L, N, A>,
    line: &Line<L, N, A>,
    gap: X<L>,
    load: X<L>,
    params: PassParams,
) -> bool {
    let speed = line.j[1].dot(motion.u[1]) - line.j[0].dot(motion.u[0]);
    let turn = speed.max(-speed) * X::splat(2.0 * params.h);
    !((turn + X::splat(FAR_GAP)).any_above(gap) || load.any_above(X::splat(0.0)))
}

/// What is left of a row that acts when the hard rows hold. A rod holds the line along which its spring acts, and nothing else. Cones and twists of limbs
/// act alone too: beside the point they are stiffer, and dolls that hit a staircase with bent hips came apart by 4 cm instead of 3. Those of compact bodies on
/// arms would turn these without moving them, and tear the point.
#[inline(always)]
fn beside<L: Lanes, const N: usize, const A: usize, const M: usize, const P: usize, const CLASS: u8>(
    hard: &Hard<L, N, A, M>,
    factor: &Factor<L, M>,
    line: &Line<L, N, A>,
    inv_mass: X<L>,
) -> Acting<L, N, A, M> {
    match CLASS {
        ROD | ROPE => Acting::alone(*line, inv_mass),
        BALL => hard.lean::<P>(factor, line, inv_mass),
        _ => hard.leave::<P>(factor, line, inv_mass),
    }
}

/// Spring, motor and limits of the free degree of freedom of the given value.
#[inline(always)]
fn act_along<L: Lanes, const N: usize, const A: usize, const R: usize, const M: usize, const LINEAR: bool>(
    motion: &mut Motion<L, N, A>,
    extra: &mut Extra<R>,
    (acting, value): (&Acting<L, N, A, M>, X<L>),
    has: u8,
    law: &HardLaw<L>,
) {
    let zero = X::splat(0.0);
    let gaps = [value - X::load(&extra.bounds[0]), X::load(&extra.bounds[1]) - value];
    // Springs have no part in the relaxing pass.
    if has & SPRING != 0 && law.is_biased {
        let error = value - X::load(&extra.spring.target);
        let error = if LINEAR { error } else { wrap(error) };
        motion.act::<LINEAR, M>(&mut extra.spring, acting, (error, zero), law.is_biased);
    }
    if has & MOTOR != 0 {
        let error = value - X::load(&extra.motor.target);
        let error = if LINEAR { error } else { wrap(error) };
        let mut drift = X::load(&extra.motor.drift);
        if has & LIMITS != 0 {
            // A servo, which has a stiffness, wants no speed.
            let wanted = law.closing::<LINEAR>(gaps[1]).min(-drift).max(-law.closing::<LINEAR>(gaps[0]));
            drift = X::load(&extra.motor.k).if_above(zero, drift, -wanted);
        }
        motion.act::<LINEAR, M>(&mut extra.motor, acting, (error, drift), law.is_biased);
    }
    if has & LIMITS != 0 {
        let [lower, upper] = &mut extra.bound_lambda;
        motion.bound::<LINEAR, M>(lower, acting, (gaps[0], X::splat(1.0)), law);
        motion.bound::<LINEAR, M>(upper, acting, (gaps[1], X::splat(-1.0)), law);
    }
}

/// One pass over one row of class `CLASS` with `M` hard rows, `P` of them linear. `is_biased` follows from `which`; it is an
/// argument so that it can be a constant where that pays.
#[inline(always)]
fn pass<
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
>(
    run: RowPass<'_, '_, N, A, R, W, F, S, M, P, CLASS>,
    is_biased: bool,
) {
    let RowPass { row, extra, cold, crowd, at, params, pass: which } = run;
    let mut sides: [Side<L, N, A, R>; 2] =
        [gather(crowd.side(at, 0).map(|body| &body.0)), gather(crowd.side(at, 1).map(|body| &body.0))];
    let inv_masses = [X::<L>::load(&row.inv_masses[0]), X::<L>::load(&row.inv_masses[1])];
    let start = [sides[0].u, sides[1].u];
    let mut motion = Motion {
        rel: sides[1].v - sides[0].v,
        u: start,
        inv_mass: inv_masses[0] + inv_masses[1],
        push: V::zero(),
    };
    let sight = Sight::<L, D, N, A, R, W>::new::<F, CLASS>(row, extra.as_deref(), &sides);
    let drift = if is_biased { sight.drift(motion.rel, &start, params) } else { Drift::none() };
    let hard = sight.hard::<M, P, CLASS>(&drift, extra.as_deref());
    let mut free = sight.free::<CLASS>(row.has);
    let mut cone = sight.cone::<CLASS>(row.has);
    if let (BALL | HINGE, Some(extra)) = (CLASS, extra.as_deref()) {
        if let Some(Free { line, value, .. }) = &mut free {
            let middle = X::load(&extra.middle);
            *value = middle + wrap(*value - middle);
            let gap = (*value - X::load(&extra.bounds[0])).min(X::load(&extra.bounds[1]) - *value);
            let load = X::load(&extra.bound_lambda[0]).max(X::load(&extra.bound_lambda[1]));
            if row.has & (SPRING | MOTOR) == 0 && is_idle(&motion, line, gap, load, params) {
                free = None;
            }
        }
        if let Some(Free { line, value, .. }) = &cone {
            let gap = X::load(&extra.cone) - *value;
            if is_idle(&motion, line, gap, X::load(&extra.cone_lambda), params) {
                cone = None;
            }
        }
    }
    let mut lambda = [X::<L>::splat(0.0); M];
    for i in 0..M {
        lambda[i] = X::load(&row.lambda[i]) * drift.keep;
    }
    let mut extra = extra;
    let solves = which != JointPass::WarmStart;
    let (mut factor, mut acting, mut leaning) = (None, None, None);
    if solves || row.has != 0 {
        let all = hard.factor::<P>(motion.inv_mass);
        if let Some(Free { line, .. }) = &free {
            acting = Some(beside::<L, N, A, M, P, CLASS>(&hard, &all, line, motion.inv_mass));
        }
        if let Some(Free { line, .. }) = &cone {
            leaning = Some(beside::<L, N, A, M, P, CLASS>(&hard, &all, line, motion.inv_mass));
        }
        factor = Some(all);
    }
    if is_biased {
        // What the impulses do with today's lever arms, minus what is in the velocities already.
        let (mut push, mut turn) = hard.effect::<P>(&lambda);
        if let (Some(extra), Some(Acting { line, .. })) = (extra.as_deref_mut(), &acting) {
            let sum = kept(&mut extra.spring.lambda, drift.keep) + kept(&mut extra.motor.lambda, drift.keep);
            let [lower, upper] = &mut extra.bound_lambda;
            let sum = sum + kept(lower, drift.keep) - kept(upper, drift.keep);
            push += line.d * sum;
            turn[0] -= line.j[0] * sum;
            turn[1] += line.j[1] * sum;
        }
        if let (Some(extra), Some(Acting { line, .. })) = (extra.as_deref_mut(), &leaning) {
            let back = kept(&mut extra.cone_lambda, drift.keep);
            push -= line.d * back;
            turn[0] += line.j[0] * back;
            turn[1] -= line.j[1] * back;
        }
        let missing = push - V::load(&row.pushed);
        motion.rel += missing * motion.inv_mass;
        motion.push = missing;
        motion.u[0] += turn[0] - V::load(&row.turned[0]);
        motion.u[1] += turn[1] - V::load(&row.turned[1]);
    }
    if let (true, Some(factor)) = (solves, &factor) {
        let law = HardLaw {
            rate: X::load(&row.rate),
            scale: X::load(&row.scale),
            push: X::load(&row.scale) * X::splat(params.push_speed),
            inv_h: X::splat(params.inv_h),
            is_biased,
        };
        // What acts first, what holds last.
        if let (Some(extra), Some(acting), Some(Free { value, .. })) = (extra.as_deref_mut(), &acting, &free)
        {
            if is_linear(CLASS) {
                act_along::<L, N, A, R, M, true>(&mut motion, extra, (acting, *value), row.has, &law);
            } else {
                act_along::<L, N, A, R, M, false>(&mut motion, extra, (acting, *value), row.has, &law);
            }
        }
        if let (Some(extra), Some(leaning), Some(Free { value, .. })) =
            (extra.as_deref_mut(), &leaning, &cone)
        {
            let gap = (X::load(&extra.cone) - *value, X::splat(-1.0));
            motion.bound::<false, M>(&mut extra.cone_lambda, leaning, gap, &law);
        }
        hard.solve::<P>(factor, &mut motion, &mut lambda, &law);
    }
    for i in 0..M {
        lambda[i].store(&mut row.lambda[i]);
    }
    let pushed = V::load(&row.pushed) + motion.push;
    pushed.store(&mut row.pushed);
    (V::load(&row.turned[0]) + (motion.u[0] - start[0])).store(&mut row.turned[0]);
    (V::load(&row.turned[1]) + (motion.u[1] - start[1])).store(&mut row.turned[1]);
    if !is_biased {
        for i in 0..N {
            (X::load(&cold.push[i]) + pushed.0[i]).store(&mut cold.push[i]);
        }
        // Rows through the anchor have no moment about it: the angular ones are all.
        if !matches!(CLASS, POINT | ROD | ROPE) {
            let mut turn = V::<L, A>::zero();
            let mut held = lambda;
            if let (Some(extra), Some(Free { axis, .. }), Some(Acting { share, .. })) =
                (&extra, &free, &acting)
            {
                let sum = X::load(&extra.spring.lambda) + X::load(&extra.motor.lambda);
                let sum = sum + X::load(&extra.bound_lambda[0]) - X::load(&extra.bound_lambda[1]);
                turn += *axis * sum;
                for i in P..M {
                    held[i] = held[i] - share[i] * sum;
                }
            }
            if let (Some(extra), Some(Free { axis, .. })) = (&extra, &cone) {
                // All hard rows of a ball joint go through the anchor.
                turn -= *axis * X::load(&extra.cone_lambda);
            }
            for i in P..M {
                match CLASS {
                    HINGE => turn += sight.tilt_axis(i - P) * held[i],
                    _ => turn.0[i - P] = turn.0[i - P] + held[i],
                }
            }
            for i in 0..A {
                (X::load(&cold.turn[i]) + turn.0[i]).store(&mut cold.turn[i]);
            }
        }
    }
    let [a, b] = &mut sides;
    a.v -= motion.push * inv_masses[0];
    b.v += motion.push * inv_masses[1];
    (a.u, b.u) = (motion.u[0], motion.u[1]);
    scatter(a, crowd, (at, 0));
    scatter(b, crowd, (at, 1));
}

/// One pass over rows of one colour. `H`, `F` and `G`: hard rows of a hinge, a weld and a slider; `Q` = N − 1.
pub(super) fn run<
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
    (rows, extras, cold): (&mut [WideRow<N, A, W, F>], &mut [Extra<R>], &mut [Cold]),
    mut crowd: Crowd<'_, Packed<S>>,
    params: PassParams,
    pass: JointPass,
    width: SimdWidth,
) {
    for (at, ((row, extra), cold)) in rows.iter_mut().zip(extras).zip(cold).enumerate() {
        let extra = has_extra(row.class).then_some(extra);
        macro_rules! class {
            ($m:ident, $p:ident, $class:ident) => {
                width.run_wide(Of::<D, _>(
                    RowPass::<N, A, R, W, F, S, $m, $p, $class> {
                        row,
                        extra,
                        cold,
                        crowd: &mut crowd,
                        at,
                        params,
                        pass,
                    },
                    PhantomData,
                ))
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

/// What [`pass`] works on: row `at` of the crowd.
struct RowPass<
    'a,
    'p,
    const N: usize,
    const A: usize,
    const R: usize,
    const W: usize,
    const F: usize,
    const S: usize,
    const M: usize,
    const P: usize,
    const CLASS: u8,
> {
    row: &'a mut WideRow<N, A, W, F>,
    extra: Option<&'a mut Extra<R>>,
    cold: &'a mut Cold,
    crowd: &'a mut Crowd<'p, Packed<S>>,
    at: usize,
    params: PassParams,
    pass: JointPass,
}

/// A pass in dimension `D`.
struct Of<D, T>(T, PhantomData<D>);

/// Every kernel costs time to build, so there are two sets: for the widest, and for all others. The scalar reference is `single.rs`.
impl<
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
> Kernel for Of<D, RowPass<'_, '_, N, A, R, W, F, S, M, P, CLASS>>
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let is_biased = self.0.pass != JointPass::Relax;
        if !L::IS_WIDEST {
            pass::<L, D, N, A, R, W, F, S, M, P, CLASS>(self.0, is_biased);
        } else if is_biased {
            pass::<L, D, N, A, R, W, F, S, M, P, CLASS>(self.0, true);
        } else {
            pass::<L, D, N, A, R, W, F, S, M, P, CLASS>(self.0, false);
        }
    }
}
