//! One pass, and one preparation, over a run of rows: gathers the bodies, calls the kernel for the chosen width, scatters.

use super::kernel::{self, PassParams};
use super::lanes::{Lanes, Scalar, SimdWidth};
use super::normals::solve_normals;
use super::pack::Packed;
use super::prepare::{Flat, PrepareParams, body_line, prepare_row};
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use crate::body::NO_SLOT;
use crate::contact::{Contact, Grain};
use crate::math::*;
use crate::store::Disjoint;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    WarmStart,
    Solve,
    Relax,
}

/// A run of rows with the packed bodies they act on.
pub(super) struct RowRun<
    'a,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    pub(super) rows: &'a mut [Row<N, A, P>],
    pub(super) friction: &'a mut [FrictionRow<A, T, K, P>],
    pub(super) bodies: *mut Packed<S>,
    pub(super) params: PassParams,
}

/// One pass over a run of rows.
///
/// # Safety
/// `bodies` holds all slots of the rows. Within a colour no two lanes share a dynamic body, and no other thread works on
/// the dynamic bodies of these rows.
#[inline(always)]
pub(super) unsafe fn pass<
    L: Lanes,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    run: RowRun<'_, N, A, P, T, K, S>,
    which: Pass,
) {
    for (row, friction) in run.rows.iter_mut().zip(run.friction) {
        let at = |slots: &[u32; WIDTH]| {
            // SAFETY: slots are within the array.
            slots.map(|slot| unsafe { run.bodies.add(slot as usize).cast::<[f32; S]>() })
        };
        let (rows_a, rows_b) = (at(&row.a), at(&row.b));
        // SAFETY: nobody writes these bodies meanwhile; the references end with the gather.
        let (mut a, mut b) = unsafe {
            (
                kernel::gather::<L, N, A, S>(rows_a.map(|p| &*p.cast_const())),
                kernel::gather::<L, N, A, S>(rows_b.map(|p| &*p.cast_const())),
            )
        };
        match which {
            Pass::WarmStart => kernel::warm_start(row, friction, &mut a, &mut b),
            Pass::Solve => {
                solve_normals::<L, N, A, P, true>(row, &mut a, &mut b, run.params);
                kernel::solve_friction(row, friction, &mut a, &mut b);
            }
            Pass::Relax => solve_normals::<L, N, A, P, false>(row, &mut a, &mut b, run.params),
        }
        // SAFETY: only lanes of dynamic bodies are written, which are distinct and ours.
        unsafe {
            kernel::scatter(&a, rows_a, row.write_a);
            kernel::scatter(&b, rows_b, row.write_b);
        }
    }
}

/// The same with AVX2.
///
/// # Safety
/// As [`pass`], and the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn pass_avx2<
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    run: RowRun<'_, N, A, P, T, K, S>,
    which: Pass,
) {
    // Each pass is compiled for itself: a branch per row would keep all of them in the loop.
    // SAFETY: by the caller.
    unsafe {
        match which {
            Pass::WarmStart => pass::<super::lanes::Eight, N, A, P, T, K, S>(run, Pass::WarmStart),
            Pass::Solve => pass::<super::lanes::Eight, N, A, P, T, K, S>(run, Pass::Solve),
            Pass::Relax => pass::<super::lanes::Eight, N, A, P, T, K, S>(run, Pass::Relax),
        }
    }
}

/// What preparation reads; shared by all threads.
pub(super) struct Scene<'a, D: Dim, const S: usize> {
    pub(super) lines: &'a [Packed<S>],
    pub(super) slots: &'a [u32],
    pub(super) places: &'a [Pose<D>],
    pub(super) grains: &'a [Grain<D>],
    pub(super) params: PrepareParams,
}

/// Fills one row from its contacts. True if one of them strikes.
///
/// # Safety
/// The contacts of the row are used by nobody else; a width is only chosen if the processor has it.
pub(super) unsafe fn prepare<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    (row, friction, cold): (&mut Row<N, A, P>, &mut FrictionRow<A, T, K, P>, &mut ColdRow),
    contacts: Disjoint<'_, Contact<D>>,
    packed: &[Packed<S>],
    scene: &Scene<'_, D, S>,
    width: SimdWidth,
) -> bool {
    let ground = scene.lines.len() as u32;
    // Lanes without a contact act on the ground.
    (row.a, row.b, row.write_a, row.write_b) = ([ground; WIDTH], [ground; WIDTH], 0, 0);
    (row.bounces, row.rolls, row.grains) = (false, 0, 0);
    let mut flat = Flat::<P>::default();
    let blank = [[[0.0; S]; WIDTH]; 2];
    let mut still = blank;
    for lane in 0..WIDTH {
        if cold.contacts[lane] == NO_CONTACT {
            continue;
        }
        // SAFETY: by the caller.
        let contact = unsafe { contacts.get(cold.contacts[lane] as usize) };
        flat.set(lane, contact);
        if contact.has_grain() && scene.params.friction > 0.0 {
            row.grains |= 1 << lane;
            contact.manifold.friction_impulse = contact.manifold.friction_impulse * scene.params.warm;
            flat.leave_friction(lane, contact, scene.grains[cold.contacts[lane] as usize].factor);
        }
        if contact.rolling > 0.0 && scene.params.friction > 0.0 {
            row.rolls |= 1 << lane;
            contact.manifold.rolling_impulse = contact.manifold.rolling_impulse * scene.params.warm;
        }
        for side in 0..2 {
            let body = contact.bodies[side];
            let slot = scene.slots.get(body as usize).copied().unwrap_or(NO_SLOT);
            if slot == NO_SLOT {
                still[side][lane] =
                    body_line::<D, S>(&scene.places[body as usize], 0.0, &[0.0; 6], false, 0.0);
                continue;
            }
            let is_dynamic = scene.lines[slot as usize].0[if N == 2 { 6 } else { 14 }] != 0.0;
            let (slots, write) =
                if side == 0 { (&mut row.a, &mut row.write_a) } else { (&mut row.b, &mut row.write_b) };
            slots[lane] = slot;
            *write |= u8::from(is_dynamic) << lane;
        }
    }
    let lines = [&row.a, &row.b].map(|slots| *slots);
    let lines: [[&[f32; S]; WIDTH]; 2] = core::array::from_fn(|side| {
        core::array::from_fn(|lane| match scene.lines.get(lines[side][lane] as usize) {
            Some(line) => &line.0,
            None => &still[side][lane],
        })
    });
    let states = [&row.a, &row.b].map(|slots| slots.map(|slot| &packed[slot as usize].0));
    let params = &scene.params;
    // SAFETY: the width was checked.
    unsafe {
        match width {
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Eight => prepare_avx2(&flat, lines, states, params, row, friction, cold),
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Four => prepare_row::<super::lanes::Four, N, A, P, T, K, S>(
                &flat, lines, states, params, row, friction, cold,
            ),
            _ => prepare_row::<Scalar, N, A, P, T, K, S>(&flat, lines, states, params, row, friction, cold),
        }
    }
}

/// [`prepare_row`] with AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn prepare_avx2<
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
    prepare_row::<super::lanes::Eight, N, A, P, T, K, S>(flat, lines, states, params, row, friction, cold)
}

/// One pass with the given width.
///
/// # Safety
/// As [`pass`].
pub(super) unsafe fn run_pass<
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    run: RowRun<'_, N, A, P, T, K, S>,
    which: Pass,
    width: SimdWidth,
) {
    // SAFETY: by the caller; a width is only chosen if the processor has it.
    unsafe {
        match width {
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Eight => pass_avx2(run, which),
            #[cfg(target_arch = "x86_64")]
            SimdWidth::Four => pass::<super::lanes::Four, N, A, P, T, K, S>(run, which),
            _ => pass::<Scalar, N, A, P, T, K, S>(run, which),
        }
    }
}
