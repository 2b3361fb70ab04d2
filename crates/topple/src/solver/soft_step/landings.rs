//! Landings: what strikes something that does not move, without restitution, and stays there.
//!
//! The warm start of a sub-step repeats the impulses of the one before (`velocities.rs`). That is right for a load, which comes again, and
//! wrong for a blow, which does not. A contact of one point takes the repetition back, to the last digit. With several points a
//! sweep leaves a tenth of it (`normals.rs`), two sweeps a hundredth; and what is left when no impulse is left points outwards, where
//! nothing pulls: boxes without restitution left a floor with 2 % of the speed they came with, plates with 10 %, for good. The same is true of the speed
//! with which an overlap is pushed out and which the relaxing pass takes back: an eighth of it stayed.
//!
//! So contacts with what does not move are relaxed until nothing changes while they land, and after it while they overlap ([`settle`]). While they land they keep no
//! more than what they bore before the step, which is a load. What they have on top of it when a sub-step ends is a blow: it is
//! taken out of the velocities that the next one begins with ([`forget`]), and is not stored. Friction and twist are taken out in proportion.
//!
//! Only lanes that preparation has found come here, one by one, so all widths of instructions do the same. Each manifold is settled by itself: of a body that lands on several
//! others at once (the seam of two tiles) some per cent of the blow may be left.

use super::pack::Packed;
use super::rows::{ColdRow, FrictionRow, Row, WIDTH};
use crate::contact::Contact;
use crate::math::*;
use crate::trusted::{Crowd, Mine};

/// Rounds of the relaxing pass at most. Long plates need 20.
const ROUNDS: usize = 64;
/// What is left of a speed when the rounds end [m/s].
const SETTLED: Real = 1e-3;

/// The lanes of a mask.
fn lanes(mask: u8) -> impl Iterator<Item = usize> {
    (0..WIDTH).filter(move |lane| mask >> lane & 1 == 1)
}

/// Takes the blows of the last sub-step out of rows `first..` of the crowd, before the next one is solved. `warm` is the factor on stored impulses.
pub(super) fn forget<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    (rows, friction, cold, first): (&mut [Row<N, A, P>], &mut [FrictionRow<A, T, K, P>], &[ColdRow], usize),
    crowd: &mut Crowd<'_, Packed<S>>,
    contacts: &mut Mine<'_, Contact<D>>,
    warm: Real,
) {
    for (i, ((row, friction), cold)) in rows.iter_mut().zip(friction).zip(cold).enumerate() {
        for lane in lanes(row.lands) {
            let stored = contacts.get(cold.contacts[lane] as usize).manifold.points();
            let mut bore = [0.0; P];
            bore.iter_mut().zip(stored).for_each(|(bore, point)| *bore = point.normal_impulse * warm);
            forget_lane::<D, N, A, P, T, K, S>(row, friction, (first + i, lane), &bore, crowd);
        }
    }
}

/// Sum over the points in pairs, (0 + 1) + (2 + 3), as in `normals.rs`: what is its own mirror image stays so to the last bit.
#[inline(always)]
fn pairs<const P: usize>(of: impl Fn(usize) -> Real) -> Real {
    (0..P).step_by(2).map(|i| of(i) + if i + 1 < P { of(i + 1) } else { 0.0 }).sum()
}

fn dot<const C: usize>(x: &[Real; C], y: &[Real; C]) -> Real {
    (0..C).map(|i| x[i] * y[i]).sum()
}

/// Share of friction that is kept if the points keep `kept` of `all` [N·s].
pub(super) fn share(kept: Real, all: Real) -> Real {
    if kept < all { kept / all } else { 1.0 }
}

/// The same for one lane, whose points bore the impulses `bore` [N·s] before the step.
#[cold]
#[inline(never)]
fn forget_lane<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    row: &mut Row<N, A, P>,
    friction: &mut FrictionRow<A, T, K, P>,
    (at, lane): (usize, usize),
    bore: &[Real; P],
    crowd: &mut Crowd<'_, Packed<S>>,
) {
    let n: [Real; N] = core::array::from_fn(|i| row.n[i].0[lane]);
    let (mut blow, mut all, mut kept) = ([0.0; P], 0.0, 0.0);
    for (i, point) in row.points[..row.count as usize].iter_mut().enumerate() {
        let lambda = &mut point.lambda.0[lane];
        all += *lambda;
        blow[i] = (*lambda - bore[i]).max(0.0);
        *lambda -= blow[i];
        kept += *lambda;
    }
    if all <= kept {
        return;
    }
    let lost = 1.0 - share(kept, all);
    let mut rubbed = [0.0; T];
    for (rubbed, lambda) in rubbed.iter_mut().zip(&mut friction.lambda) {
        *rubbed = lambda.0[lane] * lost;
        lambda.0[lane] -= *rubbed;
    }
    let mut twisted = [0.0; K];
    for (twisted, twist) in twisted.iter_mut().zip(&mut friction.twist) {
        *twisted = twist.lambda.0[lane] * lost;
        twist.lambda.0[lane] -= *twisted;
    }
    let mut normal = D::Vec::ZERO;
    (0..N).for_each(|i| normal.set(i, n[i]));
    let tangents = D::tangent_basis(normal);
    let total = pairs::<P>(|i| blow[i]);
    let count = row.count as usize;
    for side in 0..2 {
        // Impulses act on b; on a against it.
        let (sign, inv_m) = if side == 0 { (-1.0, row.inv_ma.0[lane]) } else { (1.0, row.inv_mb.0[lane]) };
        let Some(body) = crowd.get_mut(at, side, lane) else { continue };
        for axis in 0..N {
            let rub: Real = (0..T).map(|k| tangents[k].get(axis) * rubbed[k]).sum();
            body.0[axis] -= sign * inv_m * (n[axis] * total + rub);
        }
        for axis in 0..A {
            let lever = |i: usize| match &row.points[i] {
                _ if i >= count => 0.0,
                point if side == 0 => point.ja[axis].0[lane] * blow[i],
                point => point.jb[axis].0[lane] * blow[i],
            };
            let arms = if side == 0 { &friction.ja } else { &friction.jb };
            let rub: Real = (0..T).map(|k| arms[k][axis].0[lane] * rubbed[k]).sum();
            let twist = friction.twist.iter().zip(&twisted).map(|(twist, twisted)| {
                let arm = if side == 0 { &twist.ja } else { &twist.jb };
                arm[axis].0[lane] * twisted
            });
            body.0[N + axis] -= sign * (pairs::<P>(lever) + rub + twist.sum::<Real>());
        }
    }
}

/// Relaxes the lanes that land, or are pushed out after it, of rows `first..` of the crowd until nothing changes.
pub(super) fn settle<const N: usize, const A: usize, const P: usize, const S: usize>(
    (rows, first): (&mut [Row<N, A, P>], usize),
    crowd: &mut Crowd<'_, Packed<S>>,
    inv_h: Real,
) {
    for (i, row) in rows.iter_mut().enumerate() {
        for lane in lanes(row.settles) {
            settle_lane(row, (first + i, lane), crowd, inv_h);
        }
    }
}

/// The same for one lane, of whose bodies one moves: the formulas of `normals.rs` without bias.
#[inline(never)]
fn settle_lane<const N: usize, const A: usize, const P: usize, const S: usize>(
    row: &mut Row<N, A, P>,
    (at, lane): (usize, usize),
    crowd: &mut Crowd<'_, Packed<S>>,
    inv_h: Real,
) {
    let count = row.count as usize;
    let n: [Real; N] = core::array::from_fn(|i| row.n[i].0[lane]);
    let arm = |i: usize, side: usize| -> [Real; A] {
        let point = &row.points[i];
        core::array::from_fn(|axis| if side == 0 { point.ja[axis].0[lane] } else { point.jb[axis].0[lane] })
    };
    let bodies = [0, 1].map(|side| crowd.get(at, side, lane));
    let along = bodies.map(|body| dot(&n, &core::array::from_fn(|axis| body.0[axis])));
    let gone = bodies.map(|body| dot(&n, &body.moved::<N>()));
    let (mut speeds, mut mass, mut lambda) = ([0.0; P], [0.0; P], [0.0; P]);
    for i in (0..count).filter(|&i| row.points[i].mass.0[lane] > 0.0) {
        let spin =
            [0, 1].map(|side| dot(&arm(i, side), &core::array::from_fn(|axis| bodies[side].0[N + axis])));
        let turned = [0, 1].map(|side| dot(&arm(i, side), &bodies[side].turned::<N, A>()));
        let s = row.points[i].s0.0[lane] + (gone[1] - gone[0]) + (turned[1] - turned[0]);
        speeds[i] = (along[1] - along[0]) + (spin[1] - spin[0]) + s.max(0.0) * inv_h;
        (mass[i], lambda[i]) = (row.points[i].mass.0[lane], row.points[i].lambda.0[lane]);
    }
    let is_settled = |speeds: &[Real; P], lambda: &[Real; P]| {
        (0..P).all(|i| (-mass[i] * speeds[i]).max(-lambda[i]).abs() <= SETTLED * mass[i])
    };
    if is_settled(&speeds, &lambda) {
        return;
    }
    let side = usize::from(!crowd.ends()[at].writes(0, lane));
    let (sign, inv_m) = if side == 0 { (-1.0, row.inv_ma.0[lane]) } else { (1.0, row.inv_mb.0[lane]) };
    let arms: [[Real; A]; P] = core::array::from_fn(|i| arm(i, side));
    let k: [[Real; P]; P] =
        core::array::from_fn(|i| core::array::from_fn(|j| inv_m + dot(&arms[i], &arms[j])));
    let mut given = [0.0; P];
    for _ in 0..ROUNDS {
        let change = changes(count, |i, so_far| (-mass[i] * (speeds[i] + so_far)).max(-lambda[i]), &k);
        for i in 0..P {
            given[i] += change[i];
            lambda[i] += change[i];
            speeds[i] += pairs::<P>(|j| k[i][j] * change[j]);
        }
        if is_settled(&speeds, &lambda) {
            break;
        }
    }
    for i in (0..count).filter(|&i| mass[i] > 0.0) {
        row.points[i].lambda.0[lane] = lambda[i];
    }
    let Some(body) = crowd.get_mut(at, side, lane) else { return };
    let total = pairs::<P>(|i| given[i]);
    (0..N).for_each(|axis| body.0[axis] += sign * inv_m * n[axis] * total);
    (0..A).for_each(|axis| body.0[N + axis] += sign * pairs::<P>(|i| arms[i][axis] * given[i]));
}

/// What a sweep over `count` points changes, the mean of every order that a mirror could make of it, as in `normals.rs`. `wanted` is the change that a point
/// wants if those before it have changed its speed by so much.
#[inline(always)]
fn changes<const P: usize>(
    count: usize,
    wanted: impl Fn(usize, Real) -> Real,
    k: &[[Real; P]; P],
) -> [Real; P] {
    let sweep = |order: &[usize]| {
        let mut change = [0.0; P];
        for (x, &i) in order.iter().enumerate() {
            change[i] = wanted(i, order[..x].iter().map(|&j| k[i][j] * change[j]).sum());
        }
        change
    };
    let mean = |x: [Real; P], y: [Real; P]| -> [Real; P] { core::array::from_fn(|i| 0.5 * (x[i] + y[i])) };
    match count {
        2 => mean(sweep(&[0, 1]), sweep(&[1, 0])),
        3 => mean(mean(sweep(&[0, 1, 2]), sweep(&[2, 1, 0])), mean(sweep(&[1, 0, 2]), sweep(&[2, 0, 1]))),
        _ => {
            let near = mean(sweep(&[0, 1, 2, 3]), sweep(&[1, 0, 3, 2]));
            mean(near, mean(sweep(&[3, 2, 1, 0]), sweep(&[2, 3, 0, 1])))
        }
    }
}
