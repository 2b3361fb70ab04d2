//! The stages of a solve, cut into pieces and run with a barrier between them.

use super::joints::{JointPass, JointRange, JointRows, JointScene, WideDim};
use super::kernel::{self, PassParams};
use super::lanes::{Lanes, Scalar, SimdWidth};
use super::pack::{Packed, Whiten, Whitening, plain_spin, whiten_spin, whitening};
use super::prepare::{Flat, PrepareParams, Softness, body_line, fill_rows, prepare_row, store_lane};
use super::rolling::Rolling;
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use crate::body::{BodyBlock, BodyState, NO_SLOT};
use crate::contact::{Contact, Grain};
use crate::math::*;
use crate::solver::SolverContext;
use crate::store::Disjoint;
use core::ops::Range;

/// Bodies per piece. Constants: the cut must not depend on the number of threads.
const BODIES_PER_PIECE: usize = 128;
/// Rows per piece.
const ROWS_PER_PIECE: usize = 8;
/// Cycles of a soft contact per sub-step, at most (no unit): stiffer ones would ring.
const MAX_CONTACT_RATE: Real = 0.125;

/// What a dimension gives to this solver.
pub trait SoftDim: WideDim + Sized {
    /// Rows and packed bodies.
    #[doc(hidden)]
    type Core: Default + core::fmt::Debug + Send + Sync;
    #[doc(hidden)]
    fn soft_solve(
        core: &mut Self::Core,
        joints: &mut JointRows<Self>,
        context: &mut SolverContext<'_, Self>,
        width: SimdWidth,
    ) where
        Self: Dim;
}

impl SoftDim for D2 {
    type Core = Core<2, 1, 2, 1, 0, 8>;
    fn soft_solve(
        core: &mut Self::Core,
        joints: &mut JointRows<Self>,
        context: &mut SolverContext<'_, Self>,
        width: SimdWidth,
    ) {
        core.solve(joints, context, width);
    }
}

impl SoftDim for D3 {
    type Core = Core<3, 3, 4, 2, 1, 16>;
    fn soft_solve(
        core: &mut Self::Core,
        joints: &mut JointRows<Self>,
        context: &mut SolverContext<'_, Self>,
        width: SimdWidth,
    ) {
        core.solve(joints, context, width);
    }
}

/// Rows and packed bodies; lives from step to step to keep its memory. For the parameters see `rows.rs`.
#[derive(Debug, Default)]
pub struct Core<
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    packed: Vec<Packed<S>>,
    /// What preparation reads of each body.
    lines: Vec<Packed<S>>,
    whitenings: Vec<Whitening>,
    /// Velocities (v, u) right after the last integration, for the extrapolated warm start.
    after: Vec<[f32; 6]>,
    rows: Vec<Row<N, A, P>>,
    friction: Vec<FrictionRow<A, T, K, P>>,
    cold: Vec<ColdRow<P>>,
    stages: Vec<Stage>,
    pieces: Vec<usize>,
    /// Joints of the overflow, then of each colour in use.
    joint_ranges: Vec<JointRange>,
}

/// One stage: rows or bodies cut into pieces.
#[derive(Clone, Copy, Debug)]
enum Stage {
    PrepareRows,
    IntegrateVelocities {
        first: bool,
    },
    /// The same with force generators, all bodies in one piece.
    IntegrateForced {
        first: bool,
    },
    IntegratePositions,
    Rows {
        pass: Pass,
        is_odd: bool,
        from: u32,
        to: u32,
    },
    /// Rows of one contact each, one after the other.
    Overflow {
        pass: Pass,
        is_odd: bool,
        to: u32,
    },
    Store,
    PrepareJoints,
    /// Index in `joint_ranges`.
    Joints {
        pass: JointPass,
        range: u32,
    },
    StoreJoints,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    WarmStart,
    Solve,
    Relax,
    Restitution,
}

/// A run of rows with the packed bodies they act on.
struct RowRun<
    'a,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
> {
    rows: &'a mut [Row<N, A, P>],
    friction: &'a mut [FrictionRow<A, T, K, P>],
    cold: &'a mut [ColdRow<P>],
    bodies: *mut Packed<S>,
    params: PassParams,
}

/// One pass over a run of rows.
///
/// # Safety
/// `bodies` holds all slots of the rows. Within a colour no two lanes share a dynamic body, and no other thread works on
/// the dynamic bodies of these rows.
#[inline(always)]
unsafe fn pass<
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
    for ((row, friction), cold) in run.rows.iter_mut().zip(run.friction).zip(run.cold) {
        if matches!(which, Pass::Restitution) && !row.bounces {
            continue;
        }
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
            Pass::Solve => kernel::solve_normals::<L, N, A, P, true>(row, &mut a, &mut b, run.params),
            Pass::Relax => {
                kernel::solve_friction(row, friction, &mut a, &mut b);
                kernel::solve_normals::<L, N, A, P, false>(row, &mut a, &mut b, run.params);
            }
            Pass::Restitution => kernel::apply_restitution(row, &cold.rebound, &cold.peak, &mut a, &mut b),
        }
        if row.bounces && matches!(which, Pass::Solve | Pass::Relax) {
            for (peak, point) in cold.peak.iter_mut().zip(&row.points) {
                L::load(peak).max(L::load(&point.lambda)).store(peak);
            }
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
unsafe fn pass_avx2<
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
            Pass::Restitution => pass::<super::lanes::Eight, N, A, P, T, K, S>(run, Pass::Restitution),
        }
    }
}

/// What preparation reads; shared by all threads.
struct Scene<'a, D: Dim, const S: usize> {
    lines: &'a [Packed<S>],
    slots: &'a [u32],
    places: &'a [Pose<D>],
    grains: &'a [Grain<D>],
    params: PrepareParams,
}

/// Fills one row from its contacts.
///
/// # Safety
/// The contacts of the row are used by nobody else; a width is only chosen if the processor has it.
unsafe fn prepare<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    (row, friction, cold): (&mut Row<N, A, P>, &mut FrictionRow<A, T, K, P>, &mut ColdRow<P>),
    contacts: Disjoint<'_, Contact<D>>,
    packed: &[Packed<S>],
    scene: &Scene<'_, D, S>,
    width: SimdWidth,
) {
    let ground = scene.lines.len() as u32;
    // Lanes without a contact act on the ground.
    (row.a, row.b, row.write_a, row.write_b) = ([ground; WIDTH], [ground; WIDTH], 0, 0);
    row.bounces = false;
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
            cold.grains |= 1 << lane;
            contact.manifold.friction_impulse = contact.manifold.friction_impulse * scene.params.warm;
            flat.leave_friction(lane, contact, scene.grains[cold.contacts[lane] as usize].factor);
        }
        if contact.rolling > 0.0 && scene.params.friction > 0.0 {
            cold.rolls |= 1 << lane;
            cold.rolling.0[lane] = contact.rolling;
            for i in 0..A {
                cold.rolling_lambda[i].0[lane] = scene.params.warm * contact.manifold.rolling_impulse.get(i);
            }
        }
        for side in 0..2 {
            let body = contact.bodies[side];
            let slot = scene.slots.get(body as usize).copied().unwrap_or(NO_SLOT);
            if slot == NO_SLOT {
                still[side][lane] = body_line::<D, S>(&scene.places[body as usize], 0.0, &[0.0; 6], false);
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
            SimdWidth::Four => {
                prepare_row::<super::lanes::Four, N, A, P, T, K, S>(
                    &flat, lines, states, params, row, friction, cold,
                );
            }
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
unsafe fn prepare_avx2<
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
    cold: &mut ColdRow<P>,
) {
    prepare_row::<super::lanes::Eight, N, A, P, T, K, S>(flat, lines, states, params, row, friction, cold);
}

/// One pass with the given width.
///
/// # Safety
/// As [`pass`].
unsafe fn run_pass<
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

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize>
    Core<N, A, P, T, K, S>
{
    /// Cuts the colours into rows and lists the stages.
    fn plan<D: Dim>(
        &mut self,
        joints: &mut JointRows<D>,
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
    ) {
        self.cold.clear();
        joints.clear();
        self.joint_ranges.clear();
        let overflow = context.graph.overflow();
        // One contact per row: overflow contacts may share bodies and are solved one after the other.
        fill_rows(&overflow.contacts, &mut self.cold, 1);
        let serial = self.cold.len() as u32;
        self.joint_ranges.push(joints.add(&overflow.joints, context, scene, true));
        // Rows of each colour in use.
        let mut ranges: [Range<u32>; 32] = core::array::from_fn(|_| 0..0);
        let mut count = 0;
        let in_use = |color: &&crate::contact::Color| !color.contacts.is_empty() || !color.joints.is_empty();
        for color in context.graph.colors().iter().filter(in_use) {
            let from = self.cold.len() as u32;
            fill_rows(&color.contacts, &mut self.cold, WIDTH);
            ranges[count] = from..self.cold.len() as u32;
            self.joint_ranges.push(joints.add(&color.joints, context, scene, false));
            count += 1;
        }
        let total = self.cold.len();
        // Preparation writes every lane that the passes read: no need to clear what is left of the last step.
        self.rows.resize(total, Row::default());
        self.friction.resize(total, FrictionRow::default());

        let body_pieces = context.bodies.len().div_ceil(BODIES_PER_PIECE);
        let row_pieces = total.div_ceil(ROWS_PER_PIECE);
        let Self { stages, pieces, joint_ranges, .. } = self;
        stages.clear();
        pieces.clear();
        let mut add = |stage: Stage, count: usize| {
            if count > 0 {
                stages.push(stage);
                pieces.push(count);
            }
        };
        let sweep = |pass: Pass, is_odd: bool, add: &mut dyn FnMut(Stage, usize)| {
            let joint_pass = match pass {
                Pass::WarmStart => Some(JointPass::WarmStart),
                Pass::Solve => Some(JointPass::Solve),
                Pass::Relax => Some(JointPass::Relax),
                Pass::Restitution => None,
            };
            let joints = |range: usize, pieces: usize, add: &mut dyn FnMut(Stage, usize)| {
                if let Some(pass) = joint_pass {
                    add(Stage::Joints { pass, range: range as u32 }, pieces);
                }
            };
            joints(0, joint_ranges[0].pieces().min(1), add);
            add(Stage::Overflow { pass, is_odd, to: serial }, usize::from(serial > 0));
            for (color, range) in ranges[..count].iter().enumerate() {
                joints(color + 1, joint_ranges[color + 1].pieces(), add);
                let pieces = (range.end - range.start).div_ceil(ROWS_PER_PIECE as u32);
                add(Stage::Rows { pass, is_odd, from: range.start, to: range.end }, pieces as usize);
            }
        };
        let joint_pieces = joints.all().pieces();
        add(Stage::PrepareRows, row_pieces);
        add(Stage::PrepareJoints, joint_pieces);
        for substep in 0..context.settings.substeps {
            let first = substep == 0;
            if context.forces.is_some() {
                add(Stage::IntegrateForced { first }, body_pieces.min(1));
            } else {
                add(Stage::IntegrateVelocities { first }, body_pieces);
            }
            if substep == 0 && context.settings.warm_starting {
                sweep(Pass::WarmStart, false, &mut add);
            }
            sweep(Pass::Solve, substep % 2 == 1, &mut add);
            add(Stage::IntegratePositions, body_pieces);
            sweep(Pass::Relax, substep % 2 == 1, &mut add);
        }
        if context.settings.restitution {
            sweep(Pass::Restitution, false, &mut add);
        }
        add(Stage::Store, row_pieces);
        add(Stage::StoreJoints, joint_pieces);
    }

    /// One whole step.
    fn solve<D: Whiten>(
        &mut self,
        joint_rows: &mut JointRows<D>,
        context: &mut SolverContext<'_, D>,
        width: SimdWidth,
    ) {
        debug_assert_eq!((D::N, D::ANGULAR, D::MAX_POINTS), (N, A, P));
        let settings = context.settings;
        let h = context.dt / settings.substeps as Real;
        context.impulse_time = h;
        let count = context.bodies.len();
        self.whitenings.clear();
        self.whitenings.extend(context.bodies.props.iter().map(whitening::<D>));
        self.after.clear();
        self.after.resize(count, [0.0; 6]);
        self.packed.clear();
        let bodies = &*context.bodies;
        for ((state, &rotation), l) in bodies.states.iter().zip(&bodies.rotations).zip(&self.whitenings) {
            let mut packed = Packed::ZERO;
            packed.set_velocity::<D>(state.v, whiten_spin::<D>(l, state.w));
            packed.set_rotation::<D>(rotation);
            self.packed.push(packed);
        }
        // The ground, read by static lanes and never written.
        let mut ground = Packed::ZERO;
        ground.set_rotation::<D>(D::Rot::IDENTITY);
        self.packed.push(ground);
        let whitenings = core::mem::take(&mut self.whitenings);
        let joint_scene = JointScene {
            settings,
            props: &context.bodies.props,
            slots: &context.bodies.slots,
            whitenings: &whitenings,
            places: context.places,
            h,
        };
        self.plan(joint_rows, context, &joint_scene);
        self.whitenings = whitenings;

        let hertz = settings.contact_hertz.min(MAX_CONTACT_RATE / h);
        let soft = [
            Softness::new(hertz, settings.contact_damping, h),
            Softness::new(2.0 * hertz, settings.contact_damping, h),
        ];
        let params = PrepareParams {
            soft,
            warm: if settings.warm_starting { 1.0 } else { 0.0 },
            friction: if settings.friction { 1.0 } else { 0.0 },
            speculative: settings.speculative,
            bounce_speed: if settings.restitution { settings.restitution_threshold } else { Real::INFINITY },
        };
        self.lines.clear();
        let bodies = &*context.bodies;
        for slot in 0..count {
            let place = Pose::<D> { position: bodies.centers[slot], rotation: bodies.rotations[slot] };
            let props = &bodies.props[slot];
            let line = body_line::<D, S>(&place, props.inv_mass, &self.whitenings[slot], props.is_dynamic);
            self.lines.push(Packed(line));
        }
        let Self { packed, lines, whitenings, after, rows, friction, cold, stages, pieces, joint_ranges } =
            self;
        let bodies = &mut *context.bodies;
        // Preparation looks at the velocities of the start; the integrator changes them afterwards.
        let props = &bodies.props[..];
        let (slots, places, grains) = (&bodies.slots[..], context.places, context.grains);
        let scene = Scene { lines: &lines[..], slots, places, grains, params };
        let states = Disjoint::new(&mut bodies.states);
        let rotations = Disjoint::new(&mut bodies.rotations);
        let tracked = bodies.tracks.len();
        let tracks = Disjoint::new(&mut bodies.tracks);
        let packed = Disjoint::new(packed);
        let after = Disjoint::new(after);
        let rows = Disjoint::new(rows);
        let friction = Disjoint::new(friction);
        let row_count = cold.len();
        let cold = Disjoint::new(cold);
        let contacts = Disjoint::new(context.contacts);
        let all_joints = joint_rows.all();
        let joint_rows = joint_rows.share();
        let joint_ranges = &joint_ranges[..];
        let joints = Disjoint::new(context.joints);
        let integrator = context.integrator;
        let forces = Disjoint::new(core::slice::from_mut(&mut context.forces));
        let whitenings = &whitenings[..];
        let stages = &stages[..];
        let params = PassParams { inv_h: 1.0 / h, push_speed: settings.push_speed, is_odd: false };
        let joint_scene =
            JointScene { settings, props, slots: scene.slots, whitenings, places: scene.places, h };
        let rolling = Rolling { props, whitenings, contacts, places, grains };
        let partly_locked = |slot: u32| (slot as usize) < count && props[slot as usize].is_partly_locked();
        let piece_range =
            |piece: usize, size: usize, count: usize| (piece * size, count.min((piece + 1) * size));
        let work = |stage: usize, piece: usize| match stages[stage] {
            Stage::PrepareRows => {
                let (from, to) = piece_range(piece, ROWS_PER_PIECE, row_count);
                for index in from..to {
                    // SAFETY: pieces do not overlap; contacts are in one row only and only read in this stage, as are
                    // the packed bodies.
                    unsafe {
                        let rows = (rows.get(index), friction.get(index), cold.get(index));
                        prepare(rows, contacts, packed.range(0, count + 1), &scene, width);
                    }
                }
            }
            Stage::IntegrateVelocities { first } => {
                let (from, to) = piece_range(piece, BODIES_PER_PIECE, count);
                // SAFETY: pieces do not overlap.
                let (states, rotations, packed, after) = unsafe {
                    (
                        states.range(from, to),
                        rotations.range(from, to),
                        packed.range(from, to),
                        after.range(from, to),
                    )
                };
                if tracked == 0 {
                    unpack::<D, S>(states, packed, &whitenings[from..to]);
                } else if !first {
                    unpack_changed::<D, S>(states, packed, after, &whitenings[from..to]);
                }
                // SAFETY: as above.
                let tracks = unsafe { tracks.range(from.min(tracked), to.min(tracked)) };
                let mut block = BodyBlock { settings, states, rotations, props: &props[from..to], tracks };
                integrator.integrate_velocities(&mut block, h);
                for (i, state) in block.states.iter().enumerate() {
                    extrapolate::<D, S>(&mut packed[i], &mut after[i], state, &whitenings[from + i], first);
                }
            }
            Stage::IntegrateForced { first } => {
                // SAFETY: one piece.
                let (states, rotations, packed, after, forces) = unsafe {
                    (
                        states.range(0, count),
                        rotations.range(0, count),
                        packed.range(0, count),
                        after.range(0, count),
                        forces.get(0),
                    )
                };
                if !first {
                    unpack_changed::<D, S>(states, packed, after, whitenings);
                }
                // SAFETY: as above.
                let tracks = unsafe { tracks.range(0, tracked) };
                let mut block = BodyBlock { settings, states, rotations, props, tracks };
                if let Some(forces) = forces {
                    integrator.integrate_velocities_under(&mut block, forces, h);
                    forces.advance(h);
                }
                for (i, state) in block.states.iter().enumerate() {
                    extrapolate::<D, S>(&mut packed[i], &mut after[i], state, &whitenings[i], first);
                }
            }
            Stage::IntegratePositions => {
                let (from, to) = piece_range(piece, BODIES_PER_PIECE, count);
                // SAFETY: pieces do not overlap.
                let (states, rotations, packed) =
                    unsafe { (states.range(from, to), rotations.range(from, to), packed.range(from, to)) };
                if tracked == 0 {
                    unpack::<D, S>(states, packed, &whitenings[from..to]);
                } else {
                    // SAFETY: as above.
                    let after = unsafe { after.range(from, to) };
                    unpack_changed::<D, S>(states, packed, after, &whitenings[from..to]);
                }
                // SAFETY: as above.
                let tracks = unsafe { tracks.range(from.min(tracked), to.min(tracked)) };
                let mut block = BodyBlock { settings, states, rotations, props: &props[from..to], tracks };
                integrator.integrate_positions(&mut block, h);
                for ((state, &rotation), packed) in
                    block.states.iter().zip(block.rotations.iter()).zip(packed)
                {
                    packed.advance::<D>(state, h);
                    packed.set_rotation::<D>(rotation);
                }
            }
            Stage::Rows { pass, is_odd, from, to } => {
                let params = PassParams { is_odd, ..params };
                let first = from as usize + piece * ROWS_PER_PIECE;
                let last = (to as usize).min(first + ROWS_PER_PIECE);
                // SAFETY: pieces do not overlap; lanes of one colour share no dynamic body.
                unsafe {
                    let run = RowRun {
                        rows: rows.range(first, last),
                        friction: friction.range(first, last),
                        cold: cold.range(first, last),
                        bodies: packed.get(0),
                        params,
                    };
                    run_pass(run, pass, width);
                    rolling.pass(rows.range(first, last), cold.range(first, last), packed, pass);
                }
            }
            Stage::Overflow { pass, is_odd, to } => {
                let params = PassParams { is_odd, ..params };
                for index in 0..to as usize {
                    // SAFETY: one piece, row after row.
                    unsafe {
                        let row = rows.range(index, index + 1);
                        let slots = [row[0].a[0], row[0].b[0]];
                        let run = RowRun {
                            rows: row,
                            friction: friction.range(index, index + 1),
                            cold: cold.range(index, index + 1),
                            bodies: packed.get(0),
                            params,
                        };
                        run_pass(run, pass, width);
                        rolling.pass(
                            rows.range(index, index + 1),
                            cold.range(index, index + 1),
                            packed,
                            pass,
                        );
                        for slot in slots.into_iter().filter(|&slot| partly_locked(slot)) {
                            let locks = props[slot as usize].locks;
                            let body = packed.get(slot as usize);
                            (0..N).filter(|axis| locks >> axis & 1 == 1).for_each(|axis| body.0[axis] = 0.0);
                        }
                    }
                }
            }
            Stage::Store => {
                let (from, to) = piece_range(piece, ROWS_PER_PIECE, row_count);
                for index in from..to {
                    // SAFETY: pieces do not overlap; contacts are in one row only.
                    unsafe {
                        let (row, friction, cold) = (rows.get(index), friction.get(index), cold.get(index));
                        for lane in (0..WIDTH).filter(|&lane| cold.contacts[lane] != NO_CONTACT) {
                            let contact = contacts.get(cold.contacts[lane] as usize);
                            store_lane(contact, lane, row, friction, cold);
                        }
                    }
                }
            }
            Stage::PrepareJoints => {
                // SAFETY: pieces do not overlap; joints are only read in this stage.
                unsafe {
                    joint_rows.prepare(&all_joints, (piece, pieces[stage]), &joint_scene, joints.all());
                }
            }
            Stage::Joints { pass, range } => {
                let at = (piece, pieces[stage]);
                let range = &joint_ranges[range as usize];
                // SAFETY: pieces do not overlap; joints of one colour share no dynamic body, nobody writes the others;
                // overflow joints run in order.
                unsafe { joint_rows.run(range, at, (packed, rotations), &joint_scene, pass, width) };
            }
            Stage::StoreJoints => {
                // SAFETY: pieces do not overlap; each joint is in one of them.
                unsafe { joint_rows.store(&all_joints, (piece, pieces[stage]), joints) };
            }
        };
        context.executor.run_stages(pieces, &work);
        if tracked == 0 {
            unpack::<D, S>(&mut bodies.states, &self.packed, whitenings);
        } else {
            unpack_changed::<D, S>(&mut bodies.states, &self.packed, &self.after, whitenings);
        }
    }
}

/// Velocities back from the kernels.
#[inline]
fn unpack<D: Dim, const S: usize>(
    states: &mut [BodyState<D>],
    packed: &[Packed<S>],
    whitenings: &[Whitening],
) {
    for ((state, packed), l) in states.iter_mut().zip(packed).zip(whitenings) {
        let (v, u) = packed.velocity::<D>();
        (state.v, state.w) = (v, plain_spin::<D>(l, u));
    }
}

/// The same, but bodies that nothing has pushed since they were packed keep the bits that the integrator gave them: its
/// double precision counts on that.
fn unpack_changed<D: Dim, const S: usize>(
    states: &mut [BodyState<D>],
    packed: &[Packed<S>],
    after: &[[f32; 6]],
    whitenings: &[Whitening],
) {
    for (((state, packed), after), l) in states.iter_mut().zip(packed).zip(after).zip(whitenings) {
        let (v, u) = packed.velocity::<D>();
        let same = (0..D::N).all(|i| v.get(i) == after[i]) && (0..D::ANGULAR).all(|i| u[i] == after[3 + i]);
        if !same {
            (state.v, state.w) = (v, plain_spin::<D>(l, u));
        }
    }
}

/// Takes the integrated velocity over, and adds what the impulses of the last sub-step did: the warm start.
#[inline]
fn extrapolate<D: Dim, const S: usize>(
    packed: &mut Packed<S>,
    after: &mut [f32; 6],
    state: &crate::body::BodyState<D>,
    l: &Whitening,
    first: bool,
) {
    let (end_v, end_u) = packed.velocity::<D>();
    let mut v = state.v;
    let mut u = whiten_spin::<D>(l, state.w);
    let fresh = [0, 1, 2].map(|i| if i < D::N { v.get(i) } else { 0.0 });
    let fresh_u = u;
    if !first {
        for i in 0..D::N {
            v.set(i, v.get(i) + (end_v.get(i) - after[i]));
        }
        for i in 0..D::ANGULAR {
            u[i] += end_u[i] - after[3 + i];
        }
    }
    after[..3].copy_from_slice(&fresh);
    after[3..].copy_from_slice(&fresh_u);
    packed.set_velocity::<D>(v, u);
}
