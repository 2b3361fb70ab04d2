//! One pass, and one preparation, over a run of rows: gathers the bodies, calls the kernel for the chosen width, scatters.
//!
//! ```text
//! warm start   bodies += impulses kept from the last step                       kernel.rs
//! solve        points with bias and softness, then friction                      normals.rs, kernel.rs
//! relax        points without bias: takes out the speed that pushing apart gave  normals.rs
//! ```
//!
//! Rows of one colour share no body that answers, so the eight lanes of a row, and the rows of a run, can be done in any order, or at
//! once. Lanes without a contact act on a body that is never written. All mathematics is in `kernel.rs` and `normals.rs`, for any [`Lanes`]; here is only
//! which bodies they see.

use super::flat::Flat;
use super::kernel::{self, PassParams};
use super::lanes::{F8, Kernel, Lanes, SimdWidth};
use super::normals::solve_normals;
use super::pack::Packed;
use super::prepare::{PrepareParams, body_line, prepare_row, set_whitening};
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use super::turning::{Turn, Turning, is_far};
use crate::body::NO_SLOT;
use crate::contact::{Contact, Grain, flags};
use crate::math::*;
use crate::narrow_phase::PairCache;
use crate::trusted::{Crowd, Ends, Mine};
use core::slice;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    WarmStart,
    Solve,
    Relax,
}

/// One pass over a run of rows: rows `first..` of the crowd.
pub(super) struct RowRun<
    'a,
    'p,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    pub(super) rows: &'a mut [Row<N, A, P>],
    pub(super) friction: &'a mut [FrictionRow<A, T, K, P>],
    pub(super) crowd: &'a mut Crowd<'p, Packed<S>>,
    pub(super) first: usize,
    pub(super) params: PassParams,
    pub(super) pass: Pass,
}

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize> Kernel
    for RowRun<'_, '_, N, A, P, T, K, S>
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        // Each pass is compiled for itself: a branch per row would keep all of them in the loop.
        match self.pass {
            Pass::WarmStart => self.each::<L, WARM_START>(),
            Pass::Solve => self.each::<L, SOLVE>(),
            Pass::Relax => self.each::<L, RELAX>(),
        }
    }
}

/// [`Pass`] as a number that code is made for.
const WARM_START: u8 = Pass::WarmStart as u8;
const SOLVE: u8 = Pass::Solve as u8;
const RELAX: u8 = Pass::Relax as u8;

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize>
    RowRun<'_, '_, N, A, P, T, K, S>
{
    /// PERF: no closure in here. One that the compiler does not inline loses the wide instructions of its caller, and a step takes
    /// fifteen times as long.
    #[inline(always)]
    fn each<L: Lanes, const PASS: u8>(self) {
        for (i, (row, friction)) in self.rows.iter_mut().zip(self.friction).enumerate() {
            let at = self.first + i;
            let mut a = kernel::gather(self.crowd.side(at, 0).map(|body| &body.0));
            let mut b = kernel::gather(self.crowd.side(at, 1).map(|body| &body.0));
            match PASS {
                WARM_START => kernel::warm_start(row, friction, &mut a, &mut b),
                SOLVE => {
                    solve_normals::<L, N, A, P, true>(row, &mut a, &mut b, self.params);
                    kernel::solve_friction(row, friction, &mut a, &mut b);
                }
                _ => solve_normals::<L, N, A, P, false>(row, &mut a, &mut b, self.params),
            }
            kernel::scatter(&a, self.crowd, (at, 0));
            kernel::scatter(&b, self.crowd, (at, 1));
        }
    }
}

/// What preparation reads; shared by all threads.
pub(super) struct Scene<'a, D: Dim, const S: usize> {
    pub(super) lines: &'a [Packed<S>],
    pub(super) packed: &'a [Packed<S>],
    pub(super) contacts: &'a [Contact<D>],
    pub(super) slots: &'a [u32],
    pub(super) places: &'a [Pose<D>],
    pub(super) grains: &'a [Grain<D>],
    /// What each body does; empty if none turns far.
    pub(super) turning: &'a [Turn],
    pub(super) params: PrepareParams,
}

/// A row with what belongs to it.
pub(super) struct RowParts<'a, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>
{
    pub(super) row: &'a mut Row<N, A, P>,
    pub(super) friction: &'a mut FrictionRow<A, T, K, P>,
    pub(super) cold: &'a mut ColdRow,
    pub(super) ends: &'a mut Ends,
}

/// Fills one row from its contacts. True if one of them strikes.
pub(super) fn prepare<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    parts: RowParts<'_, N, A, P, T, K>,
    scene: &Scene<'_, D, S>,
    width: SimdWidth,
) -> bool {
    let RowParts { row, friction, cold, ends } = parts;
    // Lanes without a contact act on the ground.
    *ends = Ends::on(scene.lines.len() as u32);
    (row.bounces, row.rolls, row.grains, row.turns) = (false, 0, 0, 0);
    cold.in_time = 0;
    let mut flat = Flat::<P>::default();
    let blank = [[[0.0; S]; WIDTH]; 2];
    let mut still = blank;
    for lane in 0..WIDTH {
        if cold.contacts[lane] == NO_CONTACT {
            continue;
        }
        let contact = &scene.contacts[cold.contacts[lane] as usize];
        flat.set(lane, contact);
        if contact.has_grain() && scene.params.friction > 0.0 {
            row.grains |= 1 << lane;
            flat.leave_friction(lane, contact, scene.grains[cold.contacts[lane] as usize].factor);
        }
        if contact.rolling > 0.0 && scene.params.friction > 0.0 {
            row.rolls |= 1 << lane;
        }
        if contact.is_held && is_aside(contact, scene.places) {
            cold.in_time |= 1 << lane;
        }
        let mut may_meet = contact.restitution <= 0.0;
        for side in 0..2 {
            let body = contact.bodies[side];
            let slot = scene.slots.get(body as usize).copied().unwrap_or(NO_SLOT);
            if slot == NO_SLOT {
                still[side][lane] =
                    body_line::<D, S>(&scene.places[body as usize], 0.0, &[0.0; 6], false, 0.0);
                may_meet = false;
                continue;
            }
            let line = &scene.lines[slot as usize].0;
            let is_dynamic = line[if N == 2 { 6 } else { 14 }] != 0.0;
            may_meet &= line[S - 1] < scene.params.train_load;
            ends.slots[side][lane] = slot;
            ends.writes[side] |= u8::from(is_dynamic) << lane;
            row.turns |= u8::from(is_far(scene.turning, slot)) << lane;
        }
        flat.meets |= u8::from(may_meet) << lane;
        // With one point the sub-steps are exact. What rolls or has a grain keeps impulses of its own.
        let may_land =
            contact.restitution <= 0.0 && contact.manifold.count > 1 && is_whole(contact, scene.contacts);
        flat.lands |= u8::from(may_land) << lane;
    }
    [row.write_a, row.write_b] = ends.writes;
    flat.lands &= (ends.writes[0] ^ ends.writes[1]) & !(row.rolls | row.grains);
    let lines = core::array::from_fn(|side| {
        core::array::from_fn(|lane| match scene.lines.get(ends.slots[side][lane] as usize) {
            Some(line) => &line.0,
            None => &still[side][lane],
        })
    });
    let states = ends.slots.map(|slots| slots.map(|slot| &scene.packed[slot as usize].0));
    width.run(Prepare { flat: &flat, lines, states, params: &scene.params, row, friction, cold })
}

/// True if a contact bears a blow by itself. Pairs in several parts have other contacts that would have to forget the same blow: by itself each leaves too
/// little, and the body sinks in. So do bodies of triangles, which meet several things at once. What is convex and lands on a flat stretch of a mesh, height field or chain has one part.
#[inline]
fn is_whole<D: Dim>(contact: &Contact<D>, contacts: &[Contact<D>]) -> bool {
    if contact.flags & (flags::COMPOSITE | flags::PART) == 0 {
        return true;
    }
    if contact.flags & flags::PART != 0 || contact.cache.kind & PairCache::ON_SURFACE == 0 {
        return false;
    }
    let mut next = contact.next_part;
    while let Some(part) = contacts.get(next as usize) {
        if part.manifold.count > 0 {
            return false;
        }
        next = part.next_part;
    }
    true
}

/// True if the anchors of a held contact are beside each other: each is on the line through the middle of its own body.
#[cold]
fn is_aside<D: Dim>(contact: &Contact<D>, places: &[Pose<D>]) -> bool {
    let [a, b] = contact.bodies.map(|body| places[body as usize]);
    let parted = a.relative(b).position - contact.kept.position;
    let aside = parted - contact.manifold.local_normal * parted.dot(contact.manifold.local_normal);
    aside.dot(aside) > contact.slop * contact.slop
}

/// What brings rows up to date whose bodies have turned.
pub(super) struct Refresh<'a, D: Dim, const S: usize> {
    pub(super) lines: &'a [Packed<S>],
    pub(super) places: &'a [Pose<D>],
    pub(super) params: PrepareParams,
    pub(super) turning: &'a Turning<'a, D>,
    pub(super) width: SimdWidth,
}

impl<D: Dim, const S: usize> Refresh<'_, D, S> {
    /// Gives row `at` of the crowd the Jacobians and masses that belong to the inertia of its bodies as they are turned now. All else, and
    /// lanes of other bodies, come out as they were.
    #[cold]
    #[inline(never)]
    pub(super) fn row<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize>(
        &self,
        (row, friction, cold): (&mut Row<N, A, P>, &mut FrictionRow<A, T, K, P>, &ColdRow),
        (crowd, at): (&Crowd<'_, Packed<S>>, usize),
        contacts: &mut Mine<'_, Contact<D>>,
    ) {
        let mut flat = Flat::<P>::default();
        let mut lines = [[[0.0; S]; WIDTH]; 2];
        let lanes = || (0..WIDTH).filter(|&lane| row.turns >> lane & 1 == 1);
        for lane in lanes() {
            let contact = contacts.get(cold.contacts[lane] as usize);
            flat.set(lane, contact);
            for side in 0..2 {
                let slot = crowd.ends()[at].slots[side][lane] as usize;
                let Some(line) = self.lines.get(slot) else {
                    let place = &self.places[contact.bodies[side] as usize];
                    lines[side][lane] = body_line::<D, S>(place, 0.0, &[0.0; 6], false, 0.0);
                    continue;
                };
                lines[side][lane] = line.0;
                if self.turning.has(slot) {
                    set_whitening(&mut lines[side][lane], &self.turning.whitening(slot));
                }
            }
        }
        (flat.bounces, flat.meets, flat.lands) = (false, 0, 0);
        let lines = lines.each_ref().map(|lines| lines.each_ref());
        let (mut new, mut rub) = (Row::<N, A, P>::default(), FrictionRow::<A, T, K, P>::default());
        let mut spare = ColdRow::default();
        self.width.run(Prepare {
            flat: &flat,
            lines,
            states: lines,
            params: &self.params,
            row: &mut new,
            friction: &mut rub,
            cold: &mut spare,
        });
        let turns = row.turns;
        let put = |to: &mut [F8], from: &[F8]| {
            for (to, from) in to.iter_mut().zip(from) {
                let lanes = to.0.iter_mut().zip(from.0).enumerate();
                lanes.filter(|(lane, _)| turns >> lane & 1 == 1).for_each(|(_, (to, from))| *to = from);
            }
        };
        for (point, new) in row.points.iter_mut().zip(&new.points).take(flat.most) {
            put(&mut point.ja, &new.ja);
            put(&mut point.jb, &new.jb);
            put(slice::from_mut(&mut point.mass), slice::from_ref(&new.mass));
        }
        put(friction.ja.as_flattened_mut(), rub.ja.as_flattened());
        put(friction.jb.as_flattened_mut(), rub.jb.as_flattened());
        put(&mut friction.mass, &rub.mass);
        for (twist, new) in friction.twist.iter_mut().zip(&rub.twist) {
            put(&mut twist.ja, &new.ja);
            put(&mut twist.jb, &new.jb);
            put(slice::from_mut(&mut twist.mass), slice::from_ref(&new.mass));
        }
    }
}

/// [`prepare_row`].
struct Prepare<
    'a,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    flat: &'a Flat<P>,
    lines: [[&'a [f32; S]; WIDTH]; 2],
    states: [[&'a [f32; S]; WIDTH]; 2],
    params: &'a PrepareParams,
    row: &'a mut Row<N, A, P>,
    friction: &'a mut FrictionRow<A, T, K, P>,
    cold: &'a mut ColdRow,
}

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize> Kernel
    for Prepare<'_, N, A, P, T, K, S>
{
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Self { flat, lines, states, params, row, friction, cold } = self;
        prepare_row::<L, N, A, P, T, K, S>(flat, lines, states, params, row, friction, cold)
    }
}
