//! The passes over one row: warm start, biased solve, relax.
//!
//! With whitened spins u = L⁻¹w (I⁻¹ = L·Lᵀ, frozen for the step) the angular Jacobian of a point, j = Lᵀ(r × n), serves
//! both ways: the point's velocity along the normal is n·(v_b − v_a) + j_b·u_b − j_a·u_a, and an impulse λ changes u_b by
//! j_b·λ. All points of a manifold share n, so the linear part is carried as one number and applied to v once per row.
//!
//! Separation follows from the motion within the step by the same Jacobians: s = s0 + n·(Δp_b − Δp_a) + j_b·θ_b − j_a·θ_a
//! with θ = Σ h·u. That is exact in the translation and first order in the rotation, and right for rolling balls, where
//! r × n = 0.
//!
//! A soft contact is a damped spring of frequency ω and damping ratio ζ, stepped implicitly [Catto2011]: with
//! a1 = 2ζ + hω, a2 = hω·a1: biasRate = ω/a1, massScale = a2/(1 + a2), impulseScale = 1/(1 + a2). The biased pass solves
//! δ = −m(massScale·ċ + bias) − impulseScale·λ with bias = massScale·biasRate·s for overlaps, s/h for gaps; the relaxing
//! pass takes back the velocity that the bias put in.
//!
//! **Settled loads.** Such a spring sags by λ/(m·h·ω²), so a heap sinks into itself. Softness is there to swallow what the
//! sweeps have not found out yet, not to give way to a load that has been the same for seconds. So it acts on λ − λ₀ only,
//! where λ₀ follows the load slowly, up to a share of it: the sag falls to 1 − share. It has to be slow, as an integral in
//! a control loop: faster than the slowest swing of the heap it would feed that swing. Slender groups get finer sub-steps
//! instead (`world/refine.rs`), because for them even a slow integral feeds the lean.
//!
//! With λ₀ the spring is bent where nothing overlaps: its force would fall from λ₀ to 0 there, and a heap that rocks, with hardly any
//! overlap left, would rattle from one side of the bend to the other. So preparation counts separations from where the spring would be empty, the sag that
//! belongs to λ₀, up to half the slop (`prepare.rs`): both ways it is one spring. What is beyond that half remains as λ₀ here.

use super::lanes::{F8, Lanes};
use super::pack::Packed;
use super::rows::{FrictionRow, Row, WIDTH};
use super::softness::Softness;
use crate::math::LEVEL_NORMAL;
use crate::trusted::Crowd;

/// Packed state of a body: block 0 holds v and the first spins, and so on; see `pack.rs`.
pub(crate) struct Side<L, const N: usize, const A: usize> {
    pub v: [L; N],
    pub u: [L; A],
    pub p: [L; N],
    pub t: [L; A],
}

/// How the floats of a body are laid out. In the plane: v0 v1 u t | p0 p1 · ·; in space: v0 v1 v2 u0 | u1 u2 p0 p1 |
/// p2 t0 t1 t2 | · · · ·. Velocities come first: the passes write back only them.
#[inline(always)]
pub(crate) fn gather<L: Lanes, const N: usize, const A: usize, const S: usize>(
    rows: [&[f32; S]; WIDTH],
) -> Side<L, N, A> {
    let first = L::gather4(rows, 0);
    let second = L::gather4(rows, 4);
    let zero = L::splat(0.0);
    let (mut v, mut u, mut p, mut t) = ([zero; N], [zero; A], [zero; N], [zero; A]);
    if N == 2 {
        (v[0], v[1], u[0], t[0]) = (first[0], first[1], first[2], first[3]);
        (p[0], p[1]) = (second[0], second[1]);
    } else {
        let third = L::gather4(rows, 8);
        (v[0], v[1], v[2], u[0]) = (first[0], first[1], first[2], first[3]);
        (u[1], u[2], p[0], p[1]) = (second[0], second[1], second[2], second[3]);
        (p[2], t[0], t[1], t[2]) = (third[0], third[1], third[2], third[3]);
    }
    Side { v, u, p, t }
}

/// Writes the velocities of a row back to the bodies of a side that answer to impulses.
#[inline(always)]
pub(crate) fn scatter<L: Lanes, const N: usize, const A: usize, const S: usize>(
    side: &Side<L, N, A>,
    crowd: &mut Crowd<'_, Packed<S>>,
    (row, which): (usize, usize),
) {
    let Side { v, u, p, t } = side;
    // Against the ground nothing is to be written on one side.
    if crowd.ends()[row].writes[which] == 0 {
        return;
    }
    if N == 2 {
        crowd.put(row, which, 0, L::rows([v[0], v[1], u[0], t[0]]));
    } else {
        crowd.put(row, which, 0, L::rows([v[0], v[1], v[2], u[0]]));
        crowd.put(row, which, 4, L::rows([u[1], u[2], p[0], p[1]]));
    }
}

#[inline(always)]
pub(crate) fn dot<L: Lanes, const M: usize>(a: &[L; M], b: &[L; M]) -> L {
    let mut sum = a[0].mul(b[0]);
    for i in 1..M {
        sum = sum.add(a[i].mul(b[i]));
    }
    sum
}

#[inline(always)]
pub(crate) fn minus<L: Lanes, const M: usize>(a: &[L; M], b: &[L; M]) -> [L; M] {
    core::array::from_fn(|i| a[i].sub(b[i]))
}

#[inline(always)]
pub(crate) fn load<L: Lanes, const M: usize>(from: &[F8; M]) -> [L; M] {
    core::array::from_fn(|i| L::load(&from[i]))
}

/// target += direction · amount
#[inline(always)]
pub(crate) fn add_scaled<L: Lanes, const M: usize>(target: &mut [L; M], direction: &[L; M], amount: L) {
    for i in 0..M {
        target[i] = target[i].add(direction[i].mul(amount));
    }
}

/// target −= direction · amount
#[inline(always)]
fn sub_scaled<L: Lanes, const M: usize>(target: &mut [L; M], direction: &[L; M], amount: L) {
    for i in 0..M {
        target[i] = target[i].sub(direction[i].mul(amount));
    }
}

/// Numbers that are the same for all rows of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassParams {
    /// Softness between two bodies that move, and against the ground: what stands on it is held twice as stiffly, a mild form
    /// of shock propagation.
    pub soft: [Softness; 2],
    /// 1/h [1/s].
    pub inv_h: f32,
    /// Largest speed of pushing overlaps out [m/s].
    pub push_speed: f32,
}

/// Unit tangents of the normal, lane by lane; the same formulas as `Dim::tangent_basis`.
#[inline(always)]
pub(crate) fn tangents<L: Lanes, const N: usize, const T: usize>(n: &[L; N]) -> [[L; N]; T] {
    let zero = L::splat(0.0);
    let mut out = [[zero; N]; T];
    if N == 2 {
        out[0][0] = n[1];
        out[0][1] = zero.sub(n[0]);
        return out;
    }
    let one = L::splat(1.0);
    let sign = L::select(zero.greater(n[2]), L::splat(-1.0), one);
    let a = L::splat(-1.0).div(sign.add(n[2]));
    let b = n[0].mul(n[1]).mul(a);
    out[0] = core::array::from_fn(|i| match i {
        0 => one.add(sign.mul(n[0]).mul(n[0]).mul(a)),
        1 => sign.mul(b),
        _ => zero.sub(sign.mul(n[0])),
    });
    out[T - 1] = core::array::from_fn(|i| match i {
        0 => b,
        1 => sign.add(n[1].mul(n[1]).mul(a)),
        _ => zero.sub(n[1]),
    });
    let is_level = b.mul(b).greater(n[2].mul(n[2]).mul(L::splat(LEVEL_NORMAL)));
    if L::any(is_level) {
        let level = [[n[1], zero.sub(n[0]), zero], [zero, zero, L::splat(-1.0)]];
        for (t, level) in out.iter_mut().zip(level) {
            *t = core::array::from_fn(|i| L::select(is_level, level[i], t[i]));
        }
    }
    out
}

/// The friction block of a row: the twist, then the tangents together on the friction disc; if they ask for more than both can have,
/// see [`slide`].
#[inline(always)]
pub(crate) fn solve_friction<
    L: Lanes,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
>(
    row: &Row<N, A, P>,
    friction: &mut FrictionRow<A, T, K, P>,
    a: &mut Side<L, N, A>,
    b: &mut Side<L, N, A>,
) {
    let zero = L::splat(0.0);
    let n: [L; N] = load(&row.n);
    let (inv_ma, inv_mb) = (L::load(&row.inv_ma), L::load(&row.inv_mb));
    let (turn_a, turn_b) = (L::mask(row.write_a), L::mask(row.write_b));
    let mut load_sum = zero;
    for point in &row.points[..row.count as usize] {
        load_sum = load_sum.add(L::load(&point.lambda));
    }
    let mut twisted = Twisted { limit: zero, speed: zero, old: zero, new: zero };
    for (k, twist) in friction.twist.iter().enumerate() {
        debug_assert_eq!(k, 0);
        let (ja, jb): ([L; A], [L; A]) = (load(&twist.ja), load(&twist.jb));
        let speed = dot(&jb, &b.u).sub(dot(&ja, &a.u));
        let mut limit = zero;
        for (point, lever) in row.points[..row.count as usize].iter().zip(&twist.lever) {
            limit = limit.add(L::load(&point.lambda).mul(L::load(lever)));
        }
        let old = L::load(&twist.lambda);
        let new = old.sub(L::load(&twist.mass).mul(speed)).min(limit).max(zero.sub(limit));
        let change = new.sub(old);
        sub_scaled(&mut a.u, &ja, L::select(turn_a, change, zero));
        add_scaled(&mut b.u, &jb, L::select(turn_b, change, zero));
        twisted = Twisted { limit, speed, old, new };
    }
    let t: [[L; N]; T] = tangents(&n);
    let relative = minus(&b.v, &a.v);
    let (mut ja, mut jb) = ([[zero; A]; T], [[zero; A]; T]);
    let (mut slip, mut old) = ([zero; T], [zero; T]);
    for k in 0..T {
        ja[k] = load(&friction.ja[k]);
        jb[k] = load(&friction.jb[k]);
        let turn = dot(&jb[k], &b.u).sub(dot(&ja[k], &a.u));
        slip[k] = dot(&t[k], &relative).add(turn).add(L::load(&friction.target[k]));
        old[k] = L::load(&friction.lambda[k]);
    }
    let mass: [L; 3] = load(&friction.mass);
    let mut new = old;
    let length = if T == 1 {
        new[0] = old[0].sub(mass[0].mul(slip[0]));
        new[0].max(zero.sub(new[0]))
    } else {
        let last = T - 1;
        new[0] = old[0].sub(mass[0].mul(slip[0]).add(mass[1].mul(slip[last])));
        new[last] = old[last].sub(mass[1].mul(slip[0]).add(mass[2].mul(slip[last])));
        new[0].mul(new[0]).add(new[last].mul(new[last])).sqrt()
    };
    // Sticks up to the static limit, slides at the dynamic one.
    let sticks = L::load(&friction.mu_static).mul(load_sum);
    let slides = L::load(&friction.mu).mul(load_sum);
    let tiny = L::splat(f32::MIN_POSITIVE);
    let is_sliding = length.greater(sticks);
    let scale = L::select(is_sliding, slides.div(length.max(tiny)), L::splat(1.0));
    new = new.map(|x| x.mul(scale));
    for twist in &mut friction.twist {
        let less = L::splat(BOTH_SHARE);
        let most_turn = twisted.new.max(zero.sub(twisted.new));
        let excess = length.sub(sticks.mul(less)).max(most_turn.sub(twisted.limit.mul(less)));
        if L::any(excess.greater(zero)) {
            // Smooth surfaces may still resist spinning.
            let push_share = L::select(slides.greater(zero), length.div(sticks.max(tiny)), zero);
            let turn_share = most_turn.div(twisted.limit.max(tiny));
            let is_over = push_share.mul(push_share).add(turn_share.mul(turn_share)).greater(L::splat(1.0));
            // Slips of the start: those above are without what the twist has changed.
            let (wja, wjb): ([L; A], [L; A]) = (load(&twist.ja), load(&twist.jb));
            let change = twisted.new.sub(twisted.old);
            let (change_a, change_b) = (L::select(turn_a, change, zero), L::select(turn_b, change, zero));
            for k in 0..T {
                let turn = dot(&jb[k], &wjb).mul(change_b).add(dot(&ja[k], &wja).mul(change_a));
                slip[k] = slip[k].sub(turn);
            }
            // 1/(K₁₁ + K₂₂): a plate that stands on its rim answers to one direction many times as much as to the other.
            let determinant = mass[0].mul(mass[2]).sub(mass[1].mul(mass[1])).max(zero);
            let masses = [determinant.div(mass[0].add(mass[2]).max(tiny)), L::load(&twist.mass)];
            let (pushes, turn) = slide(&old, &slip, twisted, masses, slides);
            new = core::array::from_fn(|k| L::select(is_over, pushes[k], new[k]));
            let given = L::select(is_over, turn, twisted.new);
            let back = twisted.new.sub(given);
            add_scaled(&mut a.u, &wja, L::select(turn_a, back, zero));
            sub_scaled(&mut b.u, &wjb, L::select(turn_b, back, zero));
            twisted.new = given;
        }
        twisted.new.store(&mut twist.lambda);
    }
    for k in 0..T {
        let change = new[k].sub(old[k]);
        new[k].store(&mut friction.lambda[k]);
        sub_scaled(&mut a.v, &t[k], change.mul(inv_ma));
        add_scaled(&mut b.v, &t[k], change.mul(inv_mb));
        sub_scaled(&mut a.u, &ja[k], L::select(turn_a, change, zero));
        add_scaled(&mut b.u, &jb[k], L::select(turn_b, change, zero));
    }
}

/// PERF: what uses less than this share of push and twist uses less than all of both (no unit): nobody has to look closer. At most √½.
const BOTH_SHARE: f32 = 0.7;
/// Coefficients of [`share_of_ring`] (no unit).
const RING: [f32; 3] = [0.5, 1.101, 0.601];

/// Friction about the normal in a pass.
#[derive(Clone, Copy)]
struct Twisted<L> {
    /// Largest impulse when nothing slides [N·m·s].
    limit: L,
    /// Spin about the normal at the start [rad/s].
    speed: L,
    /// Impulse so far, and the one that would stop it, within the limit [N·m·s].
    old: L,
    new: L,
}

/// Impulses along the tangents and about the normal of a contact that slides. What rubs in one direction cannot hold in
/// another: while a plate spins fast, hardly anything stops it from sliding [Goyal1991]. With ρ = τ_max/F_max, the radius at which the
/// load rests, the pair q = (f, τ/ρ) points against (slip, ρ·spin). How long it is, a ring of points tells: with s the share of the slip in
/// the square of both, it is F_max·(√s·c(s), √(1 − s)·c(1 − s)), c from ½ (what spins fast hardly feels a slip) to 1
/// ([`share_of_ring`]).
///
/// One step against the slips, and back onto that surface. Its length is 1 over the sum of all answers, so it never overshoots: `mass` is 1/(K₁₁ + K₂₂) of
/// the tangents, `turn_mass` 1/K of the twist.
#[inline(always)]
fn slide<L: Lanes, const T: usize>(
    old: &[L; T],
    slip: &[L; T],
    twisted: Twisted<L>,
    [mass, turn_mass]: [L; 2],
    slides: L,
) -> ([L; T], L) {
    let (zero, one, tiny) = (L::splat(0.0), L::splat(1.0), L::splat(f32::MIN_POSITIVE));
    // What cannot turn about the normal has no share in it.
    let lever = L::select(turn_mass.greater(zero), twisted.limit.div(slides.max(tiny)), zero);
    let by_lever = one.div(lever.max(tiny));
    // 1/(1/m + ρ²/I).
    let eased = mass.mul(turn_mass).div(turn_mass.add(mass.mul(lever).mul(lever)).max(tiny));
    let eased = L::select(lever.greater(zero), eased, mass);
    let push: [L; T] = core::array::from_fn(|k| old[k].sub(eased.mul(slip[k])));
    let old_turn = twisted.old.min(twisted.limit).max(zero.sub(twisted.limit));
    let turn = old_turn.mul(by_lever).sub(eased.mul(lever).mul(twisted.speed));
    let pushes = push.iter().fold(zero, |sum, x| sum.add(x.mul(*x)));
    let square = pushes.add(turn.mul(turn));
    let scale = slides.div(square.sqrt().max(tiny)).min(one);
    let share = pushes.div(square.max(tiny));
    let (push_scale, turn_scale) =
        (scale.mul(share_of_ring(share)), scale.mul(share_of_ring(one.sub(share))));
    (push.map(|x| x.mul(push_scale)), turn.mul(lever).mul(turn_scale))
}

/// Friction of a ring of points that slides and spins, as a share of √s·F_max: for s = 0, ½ and 1 it is ½, 2√2/π and 1; between them a
/// parabola, at most a fifth off. Plates that slide and spin stop within 3 % of where points with friction would.
#[inline(always)]
fn share_of_ring<L: Lanes>(s: L) -> L {
    let [none, linear, square] = RING.map(L::splat);
    none.add(s.mul(linear.sub(s.mul(square))))
}

/// Applies the impulses of the last step.
#[inline(always)]
pub(crate) fn warm_start<
    L: Lanes,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
>(
    row: &Row<N, A, P>,
    friction: &FrictionRow<A, T, K, P>,
    a: &mut Side<L, N, A>,
    b: &mut Side<L, N, A>,
) {
    let n: [L; N] = load(&row.n);
    let (inv_ma, inv_mb) = (L::load(&row.inv_ma), L::load(&row.inv_mb));
    let (turn_a, turn_b) = (L::mask(row.write_a), L::mask(row.write_b));
    let zero = L::splat(0.0);
    let (mut total, mut spin_a, mut spin_b) = (zero, [zero; A], [zero; A]);
    // In pairs, as in `normals.rs`: what is its own mirror image stays so to the last bit.
    for pair in row.points[..row.count as usize].chunks(2) {
        let (mut load_sum, mut pair_a, mut pair_b) = (zero, [zero; A], [zero; A]);
        for point in pair {
            let lambda = L::load(&point.lambda);
            load_sum = load_sum.add(lambda);
            add_scaled(&mut pair_a, &load(&point.ja), lambda);
            add_scaled(&mut pair_b, &load(&point.jb), lambda);
        }
        total = total.add(load_sum);
        spin_a = core::array::from_fn(|d| spin_a[d].add(pair_a[d]));
        spin_b = core::array::from_fn(|d| spin_b[d].add(pair_b[d]));
    }
    for d in 0..A {
        a.u[d] = a.u[d].sub(L::select(turn_a, spin_a[d], zero));
        b.u[d] = b.u[d].add(L::select(turn_b, spin_b[d], zero));
    }
    sub_scaled(&mut a.v, &n, total.mul(inv_ma));
    add_scaled(&mut b.v, &n, total.mul(inv_mb));
    let t: [[L; N]; T] = tangents(&n);
    for k in 0..T {
        let lambda = L::load(&friction.lambda[k]);
        sub_scaled(&mut a.v, &t[k], lambda.mul(inv_ma));
        add_scaled(&mut b.v, &t[k], lambda.mul(inv_mb));
        sub_scaled(&mut a.u, &load(&friction.ja[k]), L::select(turn_a, lambda, zero));
        add_scaled(&mut b.u, &load(&friction.jb[k]), L::select(turn_b, lambda, zero));
    }
    for twist in &friction.twist {
        let lambda = L::load(&twist.lambda);
        sub_scaled(&mut a.u, &load(&twist.ja), L::select(turn_a, lambda, zero));
        add_scaled(&mut b.u, &load(&twist.jb), L::select(turn_b, lambda, zero));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{D3, Dim, Vec3};
    use crate::solver::soft_step::lanes::Scalar;

    /// The passes and what is made ready before them speak of the same directions.
    #[test]
    fn lanes_have_the_tangents_of_the_dimension() {
        let normals = [
            [0.0, 1.0, 0.0],
            [0.6, 0.8, 0.0],
            [-0.6, 0.8, 0.0],
            [0.8, 0.0, -0.6],
            [0.0, -0.8, 0.6],
            [0.36, 0.48, 0.8],
            [0.36, -0.48, -0.8],
            [0.6, 0.8, 1e-30],
        ]
        .map(Vec3::from);
        let n = [0, 1, 2].map(|axis| Scalar::load(&F8(normals.map(|n| n[axis]))));
        let t: [[Scalar; 3]; 2] = tangents(&n);
        let t = t.map(|t| {
            t.map(|lanes| {
                let mut numbers = F8([0.0; 8]);
                lanes.store(&mut numbers);
                numbers.0
            })
        });
        for (lane, &normal) in normals.iter().enumerate() {
            let of_lane = t.map(|t| Vec3::from(t.map(|numbers| numbers[lane])));
            assert_eq!(of_lane, D3::tangent_basis(normal), "{normal}");
        }
    }
}
