//! One step of the solver from beginning to end: bodies packed, rows prepared, impacts, sub-steps, impulses stored.
//!
//! Bodies are packed once: the sub-steps work on velocities, on the motion since the start of the step, and on whitened spins
//! (`pack.rs`). Everything that is frozen over the step, Jacobians and effective masses, is computed once per row (`prepare.rs`).
//! Each phase here borrows what it needs: what one phase fills, the next ones can only read. The sub-steps, which work on the same arrays in
//! many ways, are `stages.rs`.

use super::cost::{SubstepCost, cost};
use super::dispatch::{Refresh, RowParts, Scene, prepare};
use super::heavy::Heavy;
use super::impacts::{Impacts, REST_STEPS};
use super::joined::Joined;
use super::joints::{JointRows, JointScene, WideDim};
use super::kernel::PassParams;
use super::lanes::SimdWidth;
use super::pack::{Packed, Whiten, Whitening, whiten_spin, whitening};
use super::plan::{BODIES_PER_PIECE, Plan, ROWS_PER_PIECE};
use super::prepare::{PrepareParams, body_line};
use super::rolling::Rolling;
use super::rows::{ColdRow, FrictionRow, Row, WIDTH};
use super::softness::Softness;
use super::spinners::Spinners;
use super::stages::{Rest, Substeps};
use super::store::{StoreScene, store_rows};
use super::trains::{SLOWEST_BLOW, TrainScene, Trains};
use super::turning::{Turn, Turners, Turning, turn_halfway};
use crate::body::{AwakeBodies, NO_SLOT, clamp_spins};
use crate::contact::Contact;
use crate::exec::{Executor, Serial};
use crate::math::*;
use crate::solver::{HeavyLoad, SolverContext};
use crate::store::room;
use crate::trusted::{
    Arrays, Checks, Each, Ends, Lines, Order, Owned, Owners, in_order, in_pieces, prefetch_whole, run_stages,
};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};

/// If the stages that can be shared have fewer pieces than this on average, they are done before anybody has come to help, and one thread
/// does them all.
const SHARED_PIECES: usize = 3;
/// Contacts in less memory than this stay in the caches by themselves [bytes].
pub(super) const NEAR: usize = 8 << 20;

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
    fn expect(core: &mut Self::Core, bodies: usize, contacts: [usize; 2]);
    #[doc(hidden)]
    fn cost() -> SubstepCost;
}

/// Sizes as in `rows.rs`.
macro_rules! soft_dim {
    ($dim:ty, $n:literal, $a:literal, $p:literal, $t:literal, $k:literal, $s:literal) => {
        impl SoftDim for $dim {
            type Core = Core<$n, $a, $p, $t, $k, $s>;
            fn soft_solve(
                core: &mut Self::Core,
                joints: &mut JointRows<Self>,
                context: &mut SolverContext<'_, Self>,
                width: SimdWidth,
            ) {
                core.solve(joints, context, width);
            }
            fn expect(core: &mut Self::Core, bodies: usize, contacts: [usize; 2]) {
                core.warm(bodies, contacts);
            }
            fn cost() -> SubstepCost {
                cost::<Self, $n, $a, $p, $t, $k, $s>()
            }
        }
    };
}

soft_dim!(D2, 2, 1, 2, 1, 0, 8);
soft_dim!(D3, 3, 3, 4, 2, 1, 16);

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
    packed: Lines<Packed<S>>,
    /// What preparation reads of each body.
    lines: Lines<Packed<S>>,
    whitenings: Vec<Whitening>,
    turners: Turners,
    /// Velocities (v, u) right after the last integration, for the extrapolated warm start.
    after: Vec<[f32; 6]>,
    rows: Lines<Row<N, A, P>>,
    friction: Lines<FrictionRow<A, T, K, P>>,
    /// Bodies of the rows, then of the rows of joints, then of single joints.
    ends: Lines<Ends>,
    plan: Plan,
    checks: Checks,
    /// Contacts that carry much, per piece of rows.
    loads: Vec<Vec<HeavyLoad>>,
    /// The same, per piece of joints.
    joint_loads: Vec<Vec<HeavyLoad>>,
    spinners: Spinners,
    /// How late each body was struck [s].
    late: Vec<f32>,
    joined: Joined,
    trains: Trains,
}

impl<const N: usize, const A: usize, const P: usize, const T: usize, const K: usize, const S: usize>
    Core<N, A, P, T, K, S>
{
    /// Makes room for so many bodies, and so many pairs of which so many touch, and touches it.
    fn warm(&mut self, bodies: usize, [pairs, touching]: [usize; 2]) {
        let rows = touching.div_ceil(WIDTH);
        self.rows.warm(rows);
        self.friction.warm(rows);
        self.ends.warm(rows);
        self.plan.warm(rows, pairs);
        self.packed.warm(bodies + 1);
        self.lines.warm(bodies);
        room::warm(&mut self.whitenings, bodies);
        room::warm(&mut self.turners.flags, bodies);
        room::warm(&mut self.after, bodies);
    }

    /// One whole step.
    fn solve<D: Whiten + WideDim<Packed = Packed<S>>>(
        &mut self,
        joint_rows: &mut JointRows<D>,
        context: &mut SolverContext<'_, D>,
        width: SimdWidth,
    ) {
        debug_assert_eq!((D::N, D::ANGULAR, D::MAX_POINTS), (N, A, P));
        let (settings, refinement) = (context.settings, context.refinement);
        let share = 1.0 / context.substeps as Real;
        let (h, dt) = (context.dt / context.substeps as Real, context.dt);
        // Impulses are kept for sub-steps of the usual length: the factor is a power of two, so nothing is rounded.
        context.impulse_time = h * refinement;
        let warm = if settings.warm_starting { 1.0 / refinement } else { 0.0 };
        self.turners.find(context);
        let may_turn = self.pack(context);
        {
            let bodies = &*context.bodies;
            let (props, slots, whitenings) = (&bodies.props[..], &bodies.slots[..], &self.whitenings[..]);
            let places = context.places;
            let turning = &[];
            let scene =
                JointScene { settings, props, slots, whitenings, turning, places, h, warm, refinement };
            self.plan.make(joint_rows, context, &scene);
            if may_turn {
                joint_rows.leave_links(props, &mut self.turners.flags);
            }
            self.turners.list(may_turn, whitenings);
        }
        // What can be shared, and in how many stages: a stage of one piece goes on with the thread that ended the one before.
        let shared = || self.plan.pieces.iter().filter(|&&count| count > 1);
        let is_small = shared().sum::<usize>() < SHARED_PIECES * shared().count().max(1);
        let executor = context.executor;
        let stage_executor = if is_small { &Serial } else { executor };

        let SolverContext { contacts, joints, places, grains, forces, loads, .. } = context;
        let bodies = &mut *context.bodies;
        let (props, slots) = (&bodies.props[..], &bodies.slots[..]);
        let (whitenings, turning) = (&self.whitenings[..], self.turners.flags());
        let is_turning = !turning.is_empty();
        let joint_scene =
            JointScene { settings, props, slots, whitenings, turning, places, h, warm, refinement };
        let params = PrepareParams {
            warm,
            settled: if settings.warm_starting && refinement == 1.0 { 1.0 } else { 0.0 },
            give: Softness::of_contacts(settings, refinement, h).map(|soft| soft.sag(1.0, 1.0)),
            friction: if settings.friction { 1.0 } else { 0.0 },
            speculative: settings.speculative,
            bounce_speed: if settings.restitution { settings.restitution_threshold } else { Real::INFINITY },
            train_speed: SLOWEST_BLOW * settings.restitution_threshold,
            train_load: settings.refine_load,
            landing_speed: SLOWEST_BLOW * settings.restitution_threshold
                + REST_STEPS * dt * settings.gravity.length(),
        };

        let total = self.plan.cold.len();
        // Preparation writes every lane that the passes read: no need to clear what is left of the last step.
        self.rows.fit(total);
        self.friction.fit(total);
        let starts = [total, total + joint_rows.row_count()];
        self.ends.fit(starts[1] + joint_rows.singles.len());
        let (row_ends, joint_ends) = self.ends.split_at_mut(total);
        let rows = (&mut self.rows[..], &mut self.friction[..], &mut self.plan.cold[..], &mut *row_ends);
        let order = &self.plan.order;
        let (lines, packed) = (&self.lines[..], &self.packed[..]);
        let scene = Scene { lines, packed, contacts, slots, places, grains, turning, params };
        let found = prepare_rows((executor, order), rows, &scene, width);
        joint_rows.prepare(executor, &joint_scene, joints, joint_ends);
        if found.is_rare {
            Rolling::prepare(&self.rows, &self.plan.cold, contacts, warm);
        }
        let mut strikes = found.strikes;
        // Not for integrators with tracks of their own: they count on the bits of the spin they gave.
        if settings.restitution
            && settings.gyroscopic
            && is_turning
            && found.bounces
            && bodies.tracks.is_empty()
        {
            let rows = (&self.rows[..], &self.plan.cold[..], &*row_ends);
            let arrays = (&mut self.packed[..], &self.whitenings[..], self.turners.flags());
            strikes |= self.spinners.precess::<D, N, A, P, S>(rows, bodies, arrays, (h, context.substeps));
        }
        if is_turning && settings.gyroscopic && bodies.tracks.is_empty() {
            self.spinners.tumble(bodies, &mut self.turners);
        }
        let (props, slots) = (&bodies.props[..], &bodies.slots[..]);
        let turning = self.turners.flags();
        let joint_scene =
            JointScene { settings, props, slots, whitenings, turning, places, h, warm, refinement };
        let bounces = settings.restitution && strikes;
        let meets = found.meets && bodies.tracks.is_empty();
        if bounces || meets {
            self.joined.prepare(joint_rows.indices(), &joint_scene, joints, total * WIDTH);
        }
        if bounces {
            let threshold = settings.restitution_threshold;
            let is_tracked = !bodies.tracks.is_empty();
            let states = if is_tracked { &mut [] } else { &mut bodies.states[..] };
            self.late.clear();
            self.late.resize(props.len(), 0.0);
            let (joined, bodies, late) = (&mut self.joined, &mut self.packed[..], &mut self.late[..]);
            let impacts =
                Impacts { scene: &joint_scene, joints, joined, bodies, states, late, dt, threshold };
            impacts.run(&self.rows, &self.friction, &self.plan.cold, row_ends);
        }
        if meets {
            let scene = TrainScene::<'_, D, N, A, P, T, K> {
                rows: &self.rows,
                friction: &self.friction,
                ends: row_ends,
                props,
                joined: &self.joined,
                dt,
                reach: dt + h,
                threshold: SLOWEST_BLOW * settings.restitution_threshold,
                usual_dt: dt * refinement,
            };
            self.trains.run(&scene, &mut self.packed, &mut bodies.states);
        }

        let turning = &Turning::new(&self.turners, props, whitenings);
        let proven = self.checks.prove(executor, &self.ends, &self.plan.batches, self.packed.len());
        // Stiff groups would throw what they push out: nothing takes the speed back in so short a time.
        let push_speed = (settings.push_speed / refinement.sqrt()).max(context.least_push);
        let is_tracked = !bodies.tracks.is_empty();
        let substeps = Substeps::<D, N, A, P, T, K, S> {
            stages: &self.plan.stages,
            settings,
            integrator: context.integrator,
            props,
            turning,
            refresh: Refresh { lines: &self.lines, places, params, turning, width },
            params: PassParams {
                soft: Softness::of_contacts(settings, refinement, h),
                inv_h: 1.0 / h,
                push_speed,
            },
            joints: &joint_scene,
            lands: found.lands,
            rolling: Rolling { props, turning, places, grains },
            is_tracked,
            h,
            width,
            forces: PhantomData,
        };
        let count = joint_rows.row_count();
        let mut rest = Rest {
            forces: forces.take(),
            direct: core::mem::take(&mut joint_rows.direct),
            stars: core::mem::take(&mut joint_rows.stars),
        };
        let arrays = Arrays {
            bodies: (&mut bodies.states[..], &mut self.after[..], &mut bodies.tracks[..]),
            rotations: &mut bodies.rotations,
            packed: &mut self.packed,
            rows: (&mut self.rows[..], &mut self.friction[..], &mut self.plan.cold[..]),
            contacts,
            homes: &self.plan.homes,
            joints: (&mut joint_rows.rows[..], &mut joint_rows.extras[..count], &mut joint_rows.cold[..]),
            singles: &mut joint_rows.singles,
            rest: &mut rest,
            proven: &proven,
            starts,
        };
        run_stages(stage_executor, &substeps, arrays, (&self.plan.cuts, &self.plan.pieces));
        (*forces, joint_rows.direct, joint_rows.stars) = (rest.forces, rest.direct, rest.stars);

        let gravity = settings.gravity * (1.0 / settings.weight_scale());
        let heavy = Heavy {
            per_weight: 1.0 / (settings.weight_scale() * h),
            limit: settings.refine_load,
            chain: settings.direct_load,
            settled: if refinement > 1.0 { 0.0 } else { settings.settling },
            up: [0, 1, 2].map(|i| if i < N { -gravity.get(i) } else { 0.0 }),
        };
        let gain = (settings.settling_rate * dt).min(1.0);
        let row_pieces = total.div_ceil(ROWS_PER_PIECE);
        let rows = (&self.rows[..], &self.friction[..], &self.plan.cold[..], &self.ends[..total]);
        let lists = cleared(&mut self.loads, row_pieces);
        let owned = Owned::new(contacts, Owners::new(&self.plan.homes, &[]));
        let store = StoreScene { lines: &self.lines, heavy: &heavy, gain, refinement };
        store_rows((executor, &self.plan.order), rows, (Each::of(lists), owned), &store);

        // One for those that are solved at once.
        let joint_pieces = joint_rows.pieces().iter().sum::<usize>().max(1);
        let joint_lists = cleared(&mut self.joint_loads, joint_pieces);
        joint_rows.store(share, executor, joints, joint_lists, |joint, list| {
            let ends = joint.bodies.map(|body| {
                let slot = slots.get(body as usize).copied().unwrap_or(NO_SLOT);
                props.get(slot as usize).map_or(0.0, |p| p.inv_mass)
            });
            // However large the group: a chain by itself is solved at once whatever its length.
            heavy.report((joint.bodies, true), heavy.of_joint(joint.push.length(), ends), 0.0, list);
            if refinement == 1.0 {
                joint.stiffness = 0;
            } else {
                joint.scale_impulses(refinement);
            }
        });

        let (packed, after) = (&self.packed[..], &self.after[..]);
        in_pieces(executor, BODIES_PER_PIECE, &mut bodies.states, |piece, states| {
            let from = piece * BODIES_PER_PIECE;
            let range = from..from + states.len();
            let packed = &packed[range.clone()];
            if is_tracked {
                turning.unpack_changed(from, states, (packed, &after[range.clone()]));
            } else {
                Turning::unpack(states, packed, turning.of_piece(range.clone(), &mut None));
            }
            clamp_spins(states, &props[range], settings, h, |_, _| {});
        });

        self.spinners.end(bodies);
        let lists = || self.loads[..row_pieces].iter().chain(&self.joint_loads[..joint_pieces]);
        room::make_room(loads, lists().map(Vec::len).sum());
        lists().for_each(|list| loads.extend_from_slice(list));
    }

    /// Brings the bodies into the forms that preparation and the kernels read. True if some turn far.
    fn pack<D: Whiten>(&mut self, context: &mut SolverContext<'_, D>) -> bool {
        let count = context.bodies.len();
        let (dt, h) = (context.dt, context.dt / context.substeps as Real);
        // What is solved at once keeps the inertia its factors are made of: trees 1 : 10⁶ gaped by more with another one.
        let is_direct = context.is_direct;
        let AwakeBodies { states, props, centers, rotations, .. } = &mut *context.bodies;
        room::fit(&mut self.whitenings, count, [0.0; 6]);
        room::fit(&mut self.after, count, [0.0; 6]);
        self.lines.resize(count, Packed::ZERO);
        self.packed.resize(count + 1, Packed::ZERO);
        // The ground, read by static lanes and never written.
        self.packed[count] = Packed::ZERO;
        self.packed[count].set_rotation::<D>(D::Rot::IDENTITY);
        // Any of them, whoever comes first: the same in every order.
        let is_turning = AtomicBool::new(false);
        let whitenings = (&mut self.whitenings, &mut self.turners.flags);
        let arrays = ((&mut self.packed[..count], &mut self.lines[..]), props, &mut self.after, whitenings);
        in_pieces(context.executor, BODIES_PER_PIECE, arrays, |piece, (packed, props, after, whitenings)| {
            let ((packed, lines), (whitenings, turning)) = (packed, whitenings);
            for (i, packed) in packed.iter_mut().enumerate() {
                let slot = piece * BODIES_PER_PIECE + i;
                let (state, props) = (&states[slot], &mut props[i]);
                let place = Pose::<D> { position: centers[slot], rotation: rotations[slot] };
                turning[i] = turning[i].or_far(props, state.w, dt);
                if turning[i] == Turn::Little && !is_direct {
                    turn_halfway(props, place.rotation, state.w, (h, dt));
                }
                let props = &*props;
                let l = whitening::<D>(props);
                let u = whiten_spin::<D>(&l, state.w);
                let v = [0, 1, 2].map(|i| if i < N { state.v.get(i) } else { 0.0 });
                let mut body = Packed::ZERO;
                body.set_velocity::<D>(state.v, u);
                body.set_rotation::<D>(place.rotation);
                *packed = body;
                let line = body_line(&place, props.inv_mass, &l, props.is_dynamic, props.load_limit);
                (lines[i], whitenings[i]) = (Packed(line), l);
                after[i] = [v[0], v[1], v[2], u[0], u[1], u[2]];
                if turning[i] != Turn::Little {
                    is_turning.store(true, Ordering::Relaxed);
                }
            }
        });
        is_turning.into_inner()
    }
}

/// So many empty lists.
fn cleared<T>(lists: &mut Vec<Vec<T>>, count: usize) -> &mut [Vec<T>] {
    if lists.len() < count {
        lists.resize_with(count, Vec::new);
    }
    lists[..count].iter_mut().for_each(Vec::clear);
    &mut lists[..count]
}

/// What preparation found in the rows.
struct Found {
    /// Contacts that approach fast enough to bounce.
    strikes: bool,
    /// Contacts with restitution.
    bounces: bool,
    /// Lanes with rolling resistance or a grain.
    is_rare: bool,
    /// Contacts that may strike a train.
    meets: bool,
    /// Contacts that land or have landed.
    lands: bool,
}

/// Rows, their friction, their contacts and their bodies.
type RowSlices<'a, const N: usize, const A: usize, const P: usize, const T: usize, const K: usize> =
    (&'a mut [Row<N, A, P>], &'a mut [FrictionRow<A, T, K, P>], &'a mut [ColdRow], &'a mut [Ends]);

/// Fills all rows from their contacts.
fn prepare_rows<
    D: Dim,
    const N: usize,
    const A: usize,
    const P: usize,
    const T: usize,
    const K: usize,
    const S: usize,
>(
    (executor, order): (&dyn Executor, &Order),
    rows: RowSlices<'_, N, A, P, T, K>,
    scene: &Scene<'_, D, S>,
    width: SimdWidth,
) -> Found {
    // Any of them, whoever comes first: the same in every order.
    let [strikes, bounces, is_rare, meets, lands] = [const { AtomicBool::new(false) }; 5];
    let is_scattered = size_of_val(scene.contacts) > NEAR;
    in_order(executor, (ROWS_PER_PIECE, order), rows, |_, (rows, friction, cold, ends)| {
        for i in 0..rows.len() {
            fetch_contacts(is_scattered, cold.get(i + 1), scene.contacts);
            let (row, friction, cold) = (&mut rows[i], &mut friction[i], &mut cold[i]);
            if prepare(RowParts { row, friction, cold, ends: &mut ends[i] }, scene, width) {
                strikes.store(true, Ordering::Relaxed);
            }
            if rows[i].bounces {
                bounces.store(true, Ordering::Relaxed);
            }
            if rows[i].rolls | rows[i].grains != 0 {
                is_rare.store(true, Ordering::Relaxed);
            }
            if rows[i].meets != 0 {
                meets.store(true, Ordering::Relaxed);
            }
            if rows[i].settles != 0 {
                lands.store(true, Ordering::Relaxed);
            }
        }
    });
    let [strikes, bounces, is_rare, meets, lands] =
        [strikes, bounces, is_rare, meets, lands].map(AtomicBool::into_inner);
    Found { strikes, bounces, is_rare, meets, lands }
}

/// PERF: the contacts of a row lie anywhere. With 18 MB of them, asking for the next row's ahead saves 4 to 10 % of the solve;
/// with few it costs 3 %.
#[inline(always)]
fn fetch_contacts<D: Dim>(is_scattered: bool, row: Option<&ColdRow>, contacts: &[Contact<D>]) {
    if let Some(row) = row.filter(|_| is_scattered) {
        row.contacts.iter().for_each(|&contact| prefetch_whole(contacts, contact as usize));
    }
}
