//! From manifolds to rows, eight contacts at a time: everything that stays the same over the sub-steps.
//!
//! Per point, with the normal n, the arms r from the centres of mass to the point, and 1/m and I⁻¹ = L·Lᵀ of the bodies:
//!
//! - The whitened Jacobians j = Lᵀ(r × n), and the effective mass 1/K with K = 1/m_a + 1/m_b + j_a·j_a + j_b·j_b: in whitened
//!   variables (`pack.rs`) the inertia is 1, so the angular part is a plain square. Kinematic bodies have a Jacobian, because they move
//!   the point, but do not answer: their square does not count (`turn` = 0).
//! - The separation at the start of the step: s0 = s + n·(c_b + r_b − c_a − r_a), where s is that of the time when the manifold was computed.
//!   Anchors are kept on body a; the one on b coincided with it then.
//!
//! Per manifold, one block of friction at the mean of its points: tangents t, Jacobians Lᵀ(c × t), and the inverse of the symmetric 2 × 2
//! matrix K_ij = (1/m_a + 1/m_b)·δ_ij + j_a,i·j_a,j + j_b,i·j_b,j; about the normal, Jacobian Lᵀn and the lever arms |r_i − c| with which
//! the loads of the points resist a twist. Points far apart count less for the mean, so that it moves smoothly as points come and go.
//!
//! Each contact is first flattened to blocks of floats (`flat.rs`), each body has one line of them ([`body_line`]); transposing those
//! gives lanes, and all the mathematics is done wide. Preparation happens once per step but touches more memory than any
//! sweep, so it is worth as much care as the sweeps.

use super::flat::Flat;
use super::kernel::{Side, add_scaled, dot, gather, load, minus, tangents};
use super::lanes::{F8, Lanes};
use super::pack::Whitening;
use super::rows::{ColdRow, FrictionRow, Row, WIDTH};
use crate::math::*;

/// Speculative distance, at least [m]: it is divided by, and may be set to 0.
const LEAST_REACH: Real = 1e-9;
/// Weight of a point at the far end of the speculative distance (no unit): above 0, so that some point always counts.
const LEAST_WEIGHT: Real = 1e-3;
/// Share of the slop beyond which an overlap with what does not move is left over from a landing (no unit): pushing out what is less deep leaves below 1 cm/s.
const DEEP: Real = 0.5;
/// How much earlier a settled contact begins, at most, as a share of the slop (no unit): nobody sees that much of a gap.
const MOST_SUNK: Real = 0.5;

/// A body as preparation reads it. In the plane: cos sin c0 c1 | 1/m L turn limit; in space: q | c0 c1 c2 1/m | L11 L21 L22
/// L31 | L32 L33 turn limit. The limit is that of `BodyProps::load_limit`. `turn` is 1 for bodies that impulses act on, 0 for the others.
pub(crate) fn body_line<D: Dim, const S: usize>(
    place: &Pose<D>,
    inv_mass: Real,
    l: &Whitening,
    is_dynamic: bool,
    load_limit: Real,
) -> [f32; S] {
    let mut line = [0.0; S];
    let c = place.position.to_vec();
    let turn = if is_dynamic { 1.0 } else { 0.0 };
    let q = D::rotation_floats(place.rotation);
    if D::N == 2 {
        (line[0], line[1], line[2], line[3]) = (q[0], q[1], c.get(0), c.get(1));
        (line[4], line[5], line[6], line[7]) = (inv_mass, l[0], turn, load_limit);
    } else {
        line[..4].copy_from_slice(&q);
        (0..3).for_each(|i| line[4 + i] = c.get(i));
        line[7] = inv_mass;
        line[8..14].copy_from_slice(l);
        (line[14], line[15]) = (turn, load_limit);
    }
    line
}

/// Replaces L in the line of a body; in space.
pub(super) fn set_whitening<const S: usize>(line: &mut [f32; S], l: &Whitening) {
    if let Some(to) = line.get_mut(8..14) {
        to.copy_from_slice(l);
    }
}

/// Lanes of a body line.
struct Half<L, const N: usize> {
    q: [L; 4],
    c: [L; N],
    inv_m: L,
    l: [L; 6],
    turn: L,
}

#[inline(always)]
fn gather_half<L: Lanes, const N: usize, const S: usize>(lines: [&[f32; S]; WIDTH]) -> Half<L, N> {
    let zero = L::splat(0.0);
    let b0 = L::gather4(lines, 0);
    let b1 = L::gather4(lines, 4);
    let mut c = [zero; N];
    if N == 2 {
        (c[0], c[1]) = (b0[2], b0[3]);
        return Half { q: b0, c, inv_m: b1[0], l: [b1[1], zero, zero, zero, zero, zero], turn: b1[2] };
    }
    let b2 = L::gather4(lines, 8);
    let b3 = L::gather4(lines, 12);
    (0..3).for_each(|i| c[i] = b1[i]);
    Half { q: b0, c, inv_m: b1[3], l: [b2[0], b2[1], b2[2], b2[3], b3[0], b3[1]], turn: b3[2] }
}

/// Local to world, or `BACK`: the formulas of `RotOps::rotate` and `rotate_inv`, bit by bit, so that anchors on b are those of
/// `Contact::local_b`.
#[inline(always)]
fn rotate<L: Lanes, const N: usize, const BACK: bool>(q: &[L; 4], v: &[L; N]) -> [L; N] {
    let plus = |x: L, y: L| if BACK { x.sub(y) } else { x.add(y) };
    let minus = |x: L, y: L| if BACK { x.add(y) } else { x.sub(y) };
    if N == 2 {
        let x = minus(q[0].mul(v[0]), q[1].mul(v[1]));
        let y = plus(q[0].mul(v[1]), q[1].mul(v[0]));
        return core::array::from_fn(|i| if i == 0 { x } else { y });
    }
    let two = L::splat(2.0);
    let u = [q[0], q[1], q[2]];
    let v3 = core::array::from_fn(|i| v[i]);
    let t = cross3(&u, &v3).map(|x| x.mul(two));
    let s = cross3(&u, &t);
    core::array::from_fn(|i| plus(v[i], t[i].mul(q[3])).add(s[i]))
}

#[inline(always)]
fn cross3<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

/// Lᵀ(r × d): whitened angular Jacobian of the direction d at r.
#[inline(always)]
fn jacobian<L: Lanes, const N: usize, const A: usize>(l: &[L; 6], r: &[L; N], d: &[L; N]) -> [L; A] {
    if N == 2 {
        let arm = r[0].mul(d[1]).sub(r[1].mul(d[0]));
        return [l[0].mul(arm); A];
    }
    let r3 = core::array::from_fn(|i| r[i]);
    let d3 = core::array::from_fn(|i| d[i]);
    whiten(l, &cross3(&r3, &d3))
}

/// Lᵀ·j in space.
#[inline(always)]
fn whiten<L: Lanes, const A: usize>(l: &[L; 6], j: &[L; 3]) -> [L; A] {
    core::array::from_fn(|i| match i {
        0 => l[0].mul(j[0]).add(l[1].mul(j[1])).add(l[3].mul(j[2])),
        1 => l[2].mul(j[1]).add(l[4].mul(j[2])),
        _ => l[5].mul(j[2]),
    })
}

/// Angular part of K between two directions. Kinematic bodies have a Jacobian (they move the contact) but do not answer.
#[inline(always)]
fn angular<L: Lanes, const A: usize>(turn: (L, L), j: (&[L; A], &[L; A]), k: (&[L; A], &[L; A])) -> L {
    dot(j.0, k.0).mul(turn.0).add(dot(j.1, k.1).mul(turn.1))
}

/// 1/k where k is positive, else 0.
#[inline(always)]
fn invert<L: Lanes>(k: L) -> L {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let good = k.greater(zero);
    L::select(good, one.div(L::select(good, k, one)), zero)
}

/// Numbers that are the same for all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrepareParams {
    /// Factor on stored impulses (no unit): length of a sub-step over the usual length with warm starting, else 0.
    pub warm: f32,
    /// Factor on settled loads (no unit): 1 for ordinary groups, 0 for refined ones, which are stiff enough.
    pub settled: f32,
    /// How far a contact of two moving bodies, and one with the ground, gives way at rest per impulse and effective inverse mass [s].
    pub give: [f32; 2],
    /// Factor on friction (no unit): 1 or 0.
    pub friction: f32,
    /// Speculative distance [slops].
    pub speculative: f32,
    /// Approach speed above which contacts bounce [m/s]; infinite without restitution.
    pub bounce_speed: f32,
    /// Approach speed above which contacts may strike a train [m/s].
    pub train_speed: f32,
    /// Approach speed above which contacts with what does not move are struck rather than leaned on [m/s].
    pub landing_speed: f32,
    /// Bodies of islands so large that their loads are reported from here on are in no train (no unit).
    pub train_load: f32,
}

/// Fills a row and its friction. True if some lane with restitution approaches fast enough to bounce. `states` are the packed velocities at the start of the step.
#[inline(always)]
pub(crate) fn prepare_row<
    L: Lanes,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    flat: &Flat<P>,
    lines: [[&[f32; S]; WIDTH]; 2],
    states: [[&[f32; S]; WIDTH]; 2],
    params: &PrepareParams,
    row: &mut Row<N, A, P>,
    friction: &mut FrictionRow<A, T, K, P>,
    cold: &mut ColdRow,
) -> bool {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let a: Half<L, N> = gather_half(lines[0]);
    let b: Half<L, N> = gather_half(lines[1]);
    let head = flat.head.each_ref();
    let [h0, h1, h2, h3, kept] = [0, 4, 8, 12, 16].map(|offset| L::gather4(head, offset));
    let kept_at: [L; N] = if N == 2 {
        core::array::from_fn(|k| kept[2 + k])
    } else {
        let place = L::gather4(head, 20);
        core::array::from_fn(|k| place[k])
    };
    let local_normal: [L; N] = core::array::from_fn(|i| h0[i]);
    let n = rotate::<L, N, false>(&a.q, &local_normal);
    (0..N).for_each(|i| n[i].store(&mut row.n[i]));
    a.inv_m.store(&mut row.inv_ma);
    b.inv_m.store(&mut row.inv_mb);
    row.count = flat.most as u8;
    row.bounces = flat.bounces;

    let linear = a.inv_m.add(b.inv_m);
    let turn = (a.turn, b.turn);
    let warm = L::splat(params.warm);
    let between = minus(&b.c, &a.c);
    let start: Option<[Side<L, N, A>; 2]> = flat.bounces.then(|| states.map(gather));
    let reach = h1[3].mul(L::splat(params.speculative)).max(L::splat(LEAST_REACH));
    let most_sunk = h1[3].mul(L::splat(MOST_SUNK));
    let both_move = L::mask(row.write_a & row.write_b);
    let of_pair = |[free, ground]: [f32; 2]| L::select(both_move, L::splat(free), L::splat(ground));
    let give = of_pair(params.give);
    let inv_give = of_pair(params.give.map(|give| if give > 0.0 { 1.0 / give } else { 0.0 }));
    let mut deepest = zero;
    let (mut center_a, mut center_b, mut weights) = ([zero; N], [zero; N], zero);
    let (mut pair_a, mut pair_b, mut pair) = ([zero; N], [zero; N], zero);
    let mut anchors = [[zero; N]; P];
    let mut strikes = false;
    for i in 0..flat.most {
        let lines = flat.points[i].each_ref();
        let (p0, p1) = (L::gather4(lines, 0), L::gather4(lines, 4));
        let local_a: [L; N] = core::array::from_fn(|k| p0[k]);
        // The anchor on b coincided with the one on a when the contact was computed.
        let local_b = rotate::<L, N, true>(&kept, &minus(&local_a, &kept_at));
        let (base, impulse, load) = (p0[3], p1[0], p1[1]);
        let is_used = h3[3].greater(L::splat(i as f32));
        let r_a = rotate::<L, N, false>(&a.q, &local_a);
        let r_b = rotate::<L, N, false>(&b.q, &local_b);
        let parted: [L; N] = core::array::from_fn(|k| between[k].add(r_b[k].sub(r_a[k])));
        let separation = base.add(dot(&parted, &n));
        let ja: [L; A] = jacobian(&a.l, &r_a, &n);
        let jb: [L; A] = jacobian(&b.l, &r_b, &n);
        let k = linear.add(angular(turn, (&ja, &jb), (&ja, &jb)));
        let mass = invert(k);
        // By so much of the sag under the settled load the spring begins earlier; what is left of that load only counts in overlaps.
        let load = load.mul(L::splat(params.settled));
        let sunk = load.mul(give).mul(k).min(most_sunk);
        let load = load.sub(sunk.mul(mass).mul(inv_give)).max(zero);
        let point = &mut row.points[i];
        (0..A).for_each(|k| ja[k].store(&mut point.ja[k]));
        (0..A).for_each(|k| jb[k].store(&mut point.jb[k]));
        let mass = L::select(is_used, mass, zero);
        mass.store(&mut point.mass);
        deepest = deepest.max(L::select(mass.greater(zero), zero.sub(separation), zero));
        separation.sub(sunk).store(&mut point.s0);
        impulse.mul(warm).store(&mut point.lambda);
        load.store(&mut point.load);
        if let Some([side_a, side_b]) = &start {
            let turning = dot(&ja, &side_a.u).sub(dot(&jb, &side_b.u));
            let approach = dot(&n, &minus(&side_a.v, &side_b.v)).add(turning);
            let is_fast = approach.greater(L::splat(params.bounce_speed));
            let fast = L::select(is_fast, h1[1], zero);
            let mut found = F8::default();
            L::select(is_used, fast, zero).store(&mut found);
            strikes |= found.0.iter().any(|&x| x > 0.0);
        }
        // The centre of friction moves smoothly as points come and go: a point counts fully up to the speculative
        // distance and hardly at twice of it.
        let weight = L::splat(2.0).sub(separation.div(reach)).max(L::splat(LEAST_WEIGHT)).min(one);
        let weight = L::select(is_used, weight, zero);
        // In pairs, as in `normals.rs`: what is its own mirror image stays so to the last bit.
        if i % 2 == 0 {
            (pair_a, pair_b, pair) = ([zero; N], [zero; N], zero);
        }
        add_scaled(&mut pair_a, &r_a, weight);
        add_scaled(&mut pair_b, &r_b, weight);
        pair = pair.add(weight);
        if i % 2 == 1 || i + 1 == flat.most {
            center_a = core::array::from_fn(|k| center_a[k].add(pair_a[k]));
            center_b = core::array::from_fn(|k| center_b[k].add(pair_b[k]));
            weights = weights.add(pair);
        }
        anchors[i] = r_a;
    }

    h1[1].store(&mut cold.restitution);
    (row.meets, row.lands, row.settles) = (0, 0, 0);
    if flat.meets | flat.lands != 0 {
        let most = fastest::<L, N, A, P, S>(row, states);
        row.meets = flat.meets & above(&most, params.train_speed);
        row.lands = flat.lands & above(&most, params.landing_speed);
        let mut too_deep = F8::default();
        deepest.sub(h1[3].mul(L::splat(DEEP))).store(&mut too_deep);
        row.settles = row.lands | flat.lands & above(&too_deep, 0.0);
    }

    let inv = invert(weights);
    let center_a = center_a.map(|x| x.mul(inv));
    let center_b = center_b.map(|x| x.mul(inv));
    let on = L::splat(params.friction);
    let warm = warm.mul(on);
    let t: [[L; N]; T] = tangents(&n);
    let impulse: [L; N] = core::array::from_fn(|k| h2[k]);
    let surface: [L; N] = core::array::from_fn(|k| h3[k]);
    let (mut ja, mut jb) = ([[zero; A]; T], [[zero; A]; T]);
    for k in 0..T {
        ja[k] = jacobian(&a.l, &center_a, &t[k]);
        jb[k] = jacobian(&b.l, &center_b, &t[k]);
        (0..A).for_each(|x| ja[k][x].store(&mut friction.ja[k][x]));
        (0..A).for_each(|x| jb[k][x].store(&mut friction.jb[k][x]));
        dot(&impulse, &t[k]).mul(warm).store(&mut friction.lambda[k]);
        dot(&surface, &t[k]).store(&mut friction.target[k]);
    }
    let k11 = linear.add(angular(turn, (&ja[0], &jb[0]), (&ja[0], &jb[0])));
    if T == 1 {
        invert(k11).store(&mut friction.mass[0]);
    } else {
        let last = T - 1;
        let k22 = linear.add(angular(turn, (&ja[last], &jb[last]), (&ja[last], &jb[last])));
        let k12 = angular(turn, (&ja[0], &jb[0]), (&ja[last], &jb[last]));
        let inv = invert(k11.mul(k22).sub(k12.mul(k12)));
        k22.mul(inv).store(&mut friction.mass[0]);
        zero.sub(k12.mul(inv)).store(&mut friction.mass[1]);
        k11.mul(inv).store(&mut friction.mass[2]);
    }
    h0[3].mul(on).store(&mut friction.mu);
    h1[0].mul(on).store(&mut friction.mu_static);
    for twist in &mut friction.twist {
        let axis = core::array::from_fn(|i| n[i.min(N - 1)]);
        let ja: [L; A] = whiten(&a.l, &axis);
        let jb: [L; A] = whiten(&b.l, &axis);
        (0..A).for_each(|x| ja[x].store(&mut twist.ja[x]));
        (0..A).for_each(|x| jb[x].store(&mut twist.jb[x]));
        invert(angular(turn, (&ja, &jb), (&ja, &jb))).store(&mut twist.mass);
        h2[3].mul(warm).store(&mut twist.lambda);
        for i in 0..flat.most {
            let arm = minus(&anchors[i], &center_a);
            let lever = h0[3].mul(dot(&arm, &arm).sqrt()).add(h1[2]);
            lever.mul(on).store(&mut twist.lever[i]);
        }
    }
    strikes
}

/// How fast the lanes of a prepared row approach at the point that does so fastest [m/s].
#[inline(always)]
fn fastest<L: Lanes, const N: usize, const A: usize, const P: usize, const S: usize>(
    row: &Row<N, A, P>,
    states: [[&[f32; S]; WIDTH]; 2],
) -> F8 {
    let [a, b]: [Side<L, N, A>; 2] = [gather(states[0]), gather(states[1])];
    let n: [L; N] = load(&row.n);
    let linear = dot(&n, &minus(&a.v, &b.v));
    let mut most = linear;
    for (i, point) in row.points[..row.count as usize].iter().enumerate() {
        let (ja, jb): ([L; A], [L; A]) = (load(&point.ja), load(&point.jb));
        let approach = linear.add(dot(&ja, &a.u).sub(dot(&jb, &b.u)));
        most = if i == 0 { approach } else { most.max(approach) };
    }
    let mut found = F8::default();
    most.store(&mut found);
    found
}

/// Lanes above a limit.
#[inline(always)]
fn above(lanes: &F8, limit: f32) -> u8 {
    (0..WIDTH).fold(0, |found, lane| found | u8::from(lanes.0[lane] > limit) << lane)
}
