//! The stages of a solve, cut into pieces and run with a barrier between them.

use super::cost::{SubstepCost, cost};
use super::dispatch::{Pass, RowRun, Scene, prepare, run_pass};
use super::heavy::{Heavy, SETTLING_LOAD};
use super::impacts::Impacts;
use super::joints::{JointPass, JointRange, JointRows, JointScene, WideDim};
use super::kernel::PassParams;
use super::lanes::SimdWidth;
use super::pack::{Packed, Whiten, Whitening, half_of_impulses, whiten_spin, whitening};
use super::prepare::{PrepareParams, Settle, Softness, body_line, fill_rows, store_lane};
use super::rolling::Rolling;
use super::rows::{ColdRow, FrictionRow, NO_CONTACT, Row, WIDTH};
use super::velocities::{extrapolate, unpack, unpack_changed};
use crate::body::{BodyBlock, NO_SLOT};
use crate::exec::Serial;
use crate::math::*;
use crate::solver::{HeavyLoad, SolverContext};
use crate::store::{Disjoint, room};
use core::ops::Range;

/// Bodies per piece. Constants: the cut must not depend on the number of threads.
const BODIES_PER_PIECE: usize = 128;
/// Rows per piece.
const ROWS_PER_PIECE: usize = 8;
/// A stage of fewer pieces than this is done before anybody has come to help. If most are, one thread does them all.
const SHARED_PIECES: usize = 3;
/// Contacts in less memory than this stay in the caches by themselves [bytes].
const NEAR: usize = 8 << 20;

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
    #[doc(hidden)]
    fn expect(core: &mut Self::Core, bodies: usize);
    #[doc(hidden)]
    fn cost() -> SubstepCost;
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
    fn expect(core: &mut Self::Core, bodies: usize) {
        core.warm(bodies);
    }
    fn cost() -> SubstepCost {
        cost::<Self, 2, 1, 2, 1, 0, 8>()
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
    fn expect(core: &mut Self::Core, bodies: usize) {
        core.warm(bodies);
    }
    fn cost() -> SubstepCost {
        cost::<Self, 3, 3, 4, 2, 1, 16>()
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
    cold: Vec<ColdRow>,
    stages: Vec<Stage>,
    pieces: Vec<usize>,
    /// Contacts that carry much, per piece of rows.
    loads: Vec<Vec<HeavyLoad>>,
    /// The same, per piece of joints.
    joint_loads: Vec<Vec<HeavyLoad>>,
    /// Joints of the overflow, then of each colour in use.
    joint_ranges: Vec<JointRange>,
}

/// One stage: rows or bodies cut into pieces.
#[derive(Clone, Copy, Debug)]
enum Stage {
    PrepareRows,
    /// All rows that may bounce, one after the other.
    Impacts,
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
        from: u32,
        to: u32,
    },
    /// Rows of one contact each, one after the other.
    Overflow {
        pass: Pass,
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
    /// All joints of a group at once.
    Direct {
        pass: JointPass,
    },
    StoreDirect,
    /// Velocities back to the bodies.
    Unpack,
}

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize>
    Core<N, A, P, T, K, S>
{
    /// Makes room for so many bodies, and touches it. Not for rows: they start with a cache line, so allocators cannot let them grow without
    /// copying, and to touch them anew at every size on the way would take more time than it saves.
    fn warm(&mut self, bodies: usize) {
        room::warm(&mut self.packed, bodies + 1);
        room::warm(&mut self.lines, bodies);
        room::warm(&mut self.whitenings, bodies);
        room::warm(&mut self.after, bodies);
    }

    /// Cuts the colours into rows and lists the stages.
    fn plan<D: Dim>(
        &mut self,
        joints: &mut JointRows<D>,
        context: &SolverContext<'_, D>,
        scene: &JointScene<'_, D>,
    ) {
        self.cold.clear();
        let lists = || context.graph.colors().iter().map(|color| color.contacts.len());
        let most: usize = lists().map(|count| count.div_ceil(WIDTH)).sum();
        room::make_room(&mut self.cold, most + context.graph.overflow().contacts.len());
        joints.clear();
        self.joint_ranges.clear();
        let takes = |contact: u32| context.takes(context.contacts[contact as usize].bodies);
        let takes: Option<&dyn Fn(u32) -> bool> = if context.is_partial { Some(&takes) } else { None };
        let overflow = context.graph.overflow();
        // One contact per row: overflow contacts may share bodies and are solved one after the other.
        fill_rows(&overflow.contacts, &mut self.cold, 1, takes);
        let serial = self.cold.len() as u32;
        let is_direct = context.is_direct && joints.add_direct(context, scene);
        let mut add_joints = |indices: &[u32], serial: bool| {
            joints.add(if is_direct { &[] } else { indices }, context, scene, serial)
        };
        self.joint_ranges.push(add_joints(&overflow.joints, true));
        // Rows of each colour in use.
        let mut ranges: [Range<u32>; 32] = core::array::from_fn(|_| 0..0);
        let mut count = 0;
        let in_use = |color: &&crate::contact::Color| !color.contacts.is_empty() || !color.joints.is_empty();
        for color in context.graph.colors().iter().filter(in_use) {
            let from = self.cold.len() as u32;
            fill_rows(&color.contacts, &mut self.cold, WIDTH, takes);
            ranges[count] = from..self.cold.len() as u32;
            self.joint_ranges.push(add_joints(&color.joints, false));
            count += 1;
        }
        let total = self.cold.len();
        // Preparation writes every lane that the passes read: no need to clear what is left of the last step.
        // SAFETY: rows are numbers and flags, for which all bits zero are valid.
        unsafe {
            room::fit_zeroed(&mut self.rows, total);
            room::fit_zeroed(&mut self.friction, total);
        }

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
        let sweep = |pass: Pass, add: &mut dyn FnMut(Stage, usize)| {
            let joint_pass = match pass {
                Pass::WarmStart => JointPass::WarmStart,
                Pass::Solve => JointPass::Solve,
                Pass::Relax => JointPass::Relax,
            };
            let joints = |range: usize, pieces: usize, add: &mut dyn FnMut(Stage, usize)| {
                add(Stage::Joints { pass: joint_pass, range: range as u32 }, pieces);
            };
            add(Stage::Direct { pass: joint_pass }, usize::from(is_direct));
            joints(0, joint_ranges[0].pieces().min(1), add);
            add(Stage::Overflow { pass, to: serial }, usize::from(serial > 0));
            for (color, range) in ranges[..count].iter().enumerate() {
                joints(color + 1, joint_ranges[color + 1].pieces(), add);
                let pieces = (range.end - range.start).div_ceil(ROWS_PER_PIECE as u32);
                add(Stage::Rows { pass, from: range.start, to: range.end }, pieces as usize);
            }
        };
        let joint_pieces = joints.all().pieces();
        add(Stage::PrepareRows, row_pieces);
        add(Stage::Impacts, usize::from(context.settings.restitution && total > 0));
        add(Stage::PrepareJoints, joint_pieces);
        for substep in 0..context.substeps {
            let first = substep == 0;
            if context.forces.is_some() {
                add(Stage::IntegrateForced { first }, body_pieces.min(1));
            } else {
                add(Stage::IntegrateVelocities { first }, body_pieces);
            }
            if substep == 0 && context.settings.warm_starting {
                sweep(Pass::WarmStart, &mut add);
            }
            sweep(Pass::Solve, &mut add);
            add(Stage::IntegratePositions, body_pieces);
            sweep(Pass::Relax, &mut add);
        }
        add(Stage::Store, row_pieces);
        add(Stage::StoreJoints, joint_pieces);
        add(Stage::StoreDirect, usize::from(is_direct));
        add(Stage::Unpack, body_pieces);
    }

    /// Brings the bodies into the forms that preparation and the kernels read.
    fn pack<D: Whiten>(&mut self, context: &SolverContext<'_, D>) {
        let bodies = &*context.bodies;
        let count = bodies.len();
        room::fit(&mut self.whitenings, count, [0.0; 6]);
        room::fit(&mut self.after, count, [0.0; 6]);
        room::fit(&mut self.lines, count, Packed::ZERO);
        room::fit(&mut self.packed, count + 1, Packed::ZERO);
        // The ground, read by static lanes and never written.
        self.packed[count] = Packed::ZERO;
        self.packed[count].set_rotation::<D>(D::Rot::IDENTITY);
        let whitenings = Disjoint::new(&mut self.whitenings);
        let after = Disjoint::new(&mut self.after);
        let lines = Disjoint::new(&mut self.lines);
        let packed = Disjoint::new(&mut self.packed);
        context.executor.run(count.div_ceil(BODIES_PER_PIECE), &|piece| {
            for slot in piece * BODIES_PER_PIECE..count.min((piece + 1) * BODIES_PER_PIECE) {
                let (state, props) = (&bodies.states[slot], &bodies.props[slot]);
                let place = Pose::<D> { position: bodies.centers[slot], rotation: bodies.rotations[slot] };
                let l = whitening::<D>(props);
                let u = whiten_spin::<D>(&l, state.w);
                let v = [0, 1, 2].map(|i| if i < N { state.v.get(i) } else { 0.0 });
                let mut body = Packed::ZERO;
                body.set_velocity::<D>(state.v, u);
                body.set_rotation::<D>(place.rotation);
                let line = body_line(&place, props.inv_mass, &l, props.is_dynamic, props.load_limit);
                // SAFETY: pieces do not overlap.
                unsafe {
                    *packed.get(slot) = body;
                    *lines.get(slot) = Packed(line);
                    *after.get(slot) = [v[0], v[1], v[2], u[0], u[1], u[2]];
                    *whitenings.get(slot) = l;
                }
            }
        });
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
        let h = context.dt / context.substeps as Real;
        // Impulses are kept for sub-steps of the usual length: the factor is a power of two, so nothing is rounded.
        let refinement = context.refinement;
        context.impulse_time = h * refinement;
        let count = context.bodies.len();
        self.pack(context);
        let whitenings = core::mem::take(&mut self.whitenings);
        let joint_scene = JointScene {
            settings,
            props: &context.bodies.props,
            slots: &context.bodies.slots,
            whitenings: &whitenings,
            places: context.places,
            h,
            warm: if settings.warm_starting { 1.0 / refinement } else { 0.0 },
            refinement,
        };
        self.plan(joint_rows, context, &joint_scene);
        self.whitenings = whitenings;

        let soft = Softness::of_contacts(settings, refinement, h);
        let params = PrepareParams {
            warm: if settings.warm_starting { 1.0 / refinement } else { 0.0 },
            settled: if settings.warm_starting && refinement == 1.0 { 1.0 } else { 0.0 },
            friction: if settings.friction { 1.0 } else { 0.0 },
            speculative: settings.speculative,
            bounce_speed: if settings.restitution { settings.restitution_threshold } else { Real::INFINITY },
        };
        let Self { packed, lines, whitenings, after, rows, friction, cold, stages, pieces, .. } = self;
        let Self { joint_ranges, loads, joint_loads, .. } = self;
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
        let is_scattered = size_of_val(context.contacts) > NEAR;
        let contacts = Disjoint::new(context.contacts);
        let all_joints = joint_rows.all();
        let joint_rows = joint_rows.share();
        let joint_ranges = &joint_ranges[..];
        let joints = Disjoint::new(context.joints);
        let integrator = context.integrator;
        let gravity = settings.gravity * (1.0 / settings.weight_scale());
        let up = [0, 1, 2].map(|i| if i < N { -gravity.get(i) } else { 0.0 });
        let heavy = Heavy {
            per_weight: 1.0 / (settings.weight_scale() * h),
            limit: settings.refine_load,
            chain: settings.direct_load,
            settled: if refinement > 1.0 { 0.0 } else { settings.settling },
            up,
        };
        let gain = (settings.settling_rate * context.dt).min(1.0);
        let row_pieces = row_count.div_ceil(ROWS_PER_PIECE);
        if loads.len() < row_pieces {
            loads.resize_with(row_pieces, Vec::new);
        }
        loads[..row_pieces].iter_mut().for_each(Vec::clear);
        // One for those that are solved at once.
        let joint_pieces = all_joints.pieces().max(1);
        if joint_loads.len() < joint_pieces {
            joint_loads.resize_with(joint_pieces, Vec::new);
        }
        joint_loads[..joint_pieces].iter_mut().for_each(Vec::clear);
        let lists = Disjoint::new(loads);
        let joint_lists = Disjoint::new(joint_loads);
        let forces = Disjoint::new(core::slice::from_mut(&mut context.forces));
        let whitenings = &whitenings[..];
        let stages = &stages[..];
        // Stiff groups would throw what they push out: nothing takes the speed back in so short a time.
        let push_speed = settings.push_speed / refinement.sqrt();
        let params = PassParams { soft, inv_h: 1.0 / h, push_speed };
        let joint_scene = JointScene {
            settings,
            props,
            slots: scene.slots,
            whitenings,
            places: scene.places,
            h,
            warm: scene.params.warm,
            refinement,
        };
        let rolling = Rolling { props, whitenings, contacts, places, grains };
        let partly_locked = |slot: u32| (slot as usize) < count && props[slot as usize].is_partly_locked();
        let piece_range =
            |piece: usize, size: usize, count: usize| (piece * size, count.min((piece + 1) * size));
        let store_joint = |joint: &mut crate::joint::Joint<D>, list: &mut Vec<HeavyLoad>| {
            let ends = joint.bodies.map(|body| {
                let slot = scene.slots.get(body as usize).copied().unwrap_or(NO_SLOT);
                props.get(slot as usize).map_or(0.0, |p| p.inv_mass)
            });
            // However large the group: a chain by itself is solved at once whatever its length.
            heavy.report((joint.bodies, true), heavy.of_joint(joint.push.length(), ends), 0.0, list);
            if refinement == 1.0 {
                joint.stiffness = 0;
            } else {
                joint.scale_impulses(refinement);
                // A peak of so short a time would be no measure of strength.
                joint.peak = [joint.push.length(), joint.turn.length()];
            }
        };
        let strikes = core::sync::atomic::AtomicBool::new(false);
        // PERF: the contacts of a row lie anywhere. With 18 MB of them, asking for the next row's ahead saves 4 to 10 % of the solve;
        // with few it costs 3 %.
        let fetch_contacts_of = |index: usize, to: usize| {
            if is_scattered && index < to {
                // SAFETY: rows of this piece; only read.
                let row = unsafe { cold.read(index) };
                row.contacts.iter().for_each(|&contact| contacts.prefetch(contact as usize));
            }
        };
        let work = |stage: usize, piece: usize| match stages[stage] {
            Stage::PrepareRows => {
                let (from, to) = piece_range(piece, ROWS_PER_PIECE, row_count);
                for index in from..to {
                    fetch_contacts_of(index + 1, to);
                    // SAFETY: pieces do not overlap; contacts are in one row only and only read in this stage, as are
                    // the packed bodies.
                    unsafe {
                        let rows = (rows.get(index), friction.get(index), cold.get(index));
                        if prepare(rows, contacts, packed.range(0, count + 1), &scene, width) {
                            // Any of them, whoever comes first: the same in every order.
                            strikes.store(true, core::sync::atomic::Ordering::Relaxed);
                        }
                    }
                }
            }
            Stage::Impacts => {
                if strikes.load(core::sync::atomic::Ordering::Relaxed) {
                    let impacts = Impacts {
                        props,
                        bodies: packed,
                        dt: context.dt,
                        h,
                        threshold: settings.restitution_threshold,
                    };
                    // SAFETY: one piece.
                    unsafe {
                        let rows = rows.range(0, row_count);
                        impacts.run(rows, friction.range(0, row_count), cold.range(0, row_count));
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
                // Not for integrators with tracks of their own: they count on the bits of the spin they gave.
                let is_halved = tracked == 0 && !first;
                if tracked == 0 {
                    unpack::<D, S>(states, packed, &whitenings[from..to]);
                } else {
                    unpack_changed::<D, S>(states, packed, after, &whitenings[from..to]);
                }
                if is_halved {
                    for (i, state) in states.iter_mut().enumerate() {
                        if props[from + i].is_gyroscopic {
                            state.w += half_of_impulses::<D, S>(&packed[i], &after[i], &whitenings[from + i]);
                        }
                    }
                }
                // SAFETY: as above.
                let tracks = unsafe { tracks.range(from.min(tracked), to.min(tracked)) };
                let mut block = BodyBlock { settings, states, rotations, props: &props[from..to], tracks };
                integrator.integrate_velocities(&mut block, h);
                for (i, state) in block.states.iter_mut().enumerate() {
                    let l = &whitenings[from + i];
                    if is_halved && props[from + i].is_gyroscopic {
                        state.w -= half_of_impulses::<D, S>(&packed[i], &after[i], l);
                    }
                    extrapolate::<D, S>(&mut packed[i], &mut after[i], state, l, first);
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
                unpack_changed::<D, S>(states, packed, after, whitenings);
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
            Stage::Rows { pass, from, to } => {
                let first = from as usize + piece * ROWS_PER_PIECE;
                let last = (to as usize).min(first + ROWS_PER_PIECE);
                // SAFETY: pieces do not overlap; lanes of one colour share no dynamic body.
                unsafe {
                    let run = RowRun {
                        rows: rows.range(first, last),
                        friction: friction.range(first, last),
                        bodies: packed.get(0),
                        params,
                    };
                    run_pass(run, pass, width);
                    rolling.pass(rows.range(first, last), cold.range(first, last), packed, pass);
                }
            }
            Stage::Overflow { pass, to } => {
                for index in 0..to as usize {
                    // SAFETY: one piece, row after row.
                    unsafe {
                        let row = rows.range(index, index + 1);
                        let slots = [row[0].a[0], row[0].b[0]];
                        let run = RowRun {
                            rows: row,
                            friction: friction.range(index, index + 1),
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
                    fetch_contacts_of(index + 1, to);
                    // SAFETY: pieces do not overlap; contacts are in one row only.
                    unsafe {
                        let list = lists.get(piece);
                        let (row, friction, cold) = (rows.get(index), friction.get(index), cold.get(index));
                        for lane in (0..WIDTH).filter(|&lane| cold.contacts[lane] != NO_CONTACT) {
                            let contact = contacts.get(cold.contacts[lane] as usize);
                            let bodies = contact.bodies;
                            let (ratio, weight) = heavy.of(contact, lane, row);
                            let limit_of =
                                |slot: u32| scene.lines.get(slot as usize).map_or(0.0, |l| l.0[S - 1]);
                            let limit = limit_of(row.a[lane]).max(limit_of(row.b[lane]));
                            heavy.report((bodies, false), (ratio, weight), limit, list);
                            let share = heavy.settled * (ratio / SETTLING_LOAD - 1.0).clamp(0.0, 1.0);
                            let settle = Settle { share, gain };
                            store_lane(contact, lane, row, friction, (refinement, settle));
                        }
                    }
                }
            }
            Stage::Unpack => {
                let (from, to) = piece_range(piece, BODIES_PER_PIECE, count);
                // SAFETY: pieces do not overlap.
                let (states, packed, after) =
                    unsafe { (states.range(from, to), packed.range(from, to), after.range(from, to)) };
                if tracked == 0 {
                    unpack::<D, S>(states, packed, &whitenings[from..to]);
                } else {
                    unpack_changed::<D, S>(states, packed, after, &whitenings[from..to]);
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
                unsafe {
                    let list = joint_lists.get(piece);
                    joint_rows.store(&all_joints, (piece, pieces[stage]), joints, &mut |joint| {
                        store_joint(joint, list);
                    });
                }
            }
            Stage::Direct { pass } => {
                // SAFETY: one piece.
                unsafe { joint_rows.run_direct((packed, rotations), &joint_scene, pass, width) };
            }
            Stage::StoreDirect => {
                // SAFETY: one piece.
                unsafe {
                    let list = joint_lists.get(0);
                    joint_rows.store_direct(joints, &mut |joint| store_joint(joint, list));
                }
            }
        };
        let is_small = 2 * pieces.iter().filter(|&&count| count >= SHARED_PIECES).count() < pieces.len();
        let executor = if is_small { &Serial } else { context.executor };
        executor.run_stages(pieces, &work);
        let lists = || self.loads[..row_pieces].iter().chain(&self.joint_loads[..joint_pieces]);
        room::make_room(context.loads, lists().map(Vec::len).sum());
        lists().for_each(|list| context.loads.extend_from_slice(list));
    }
}
