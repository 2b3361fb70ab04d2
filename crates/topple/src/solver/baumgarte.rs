//! `baumgarte`: plain sequential impulses at full step, the reference that every faster solver is compared with.
//!
//! One velocity integration, then `iterations` sweeps over all rows in a fixed order (friction first, so that the normal
//! row has the last word), each row projected on its cone at once, then one position integration [Catto2005]. Overlap
//! beyond the slop is turned into a bias velocity, β/dt times the overlap. Impulses of the last step are the start values.
//! Joints are swept before the contacts, with the same bias, at the poses of the start of the step.
//! Known faults, kept because they are the method's: the bias adds energy, and stacks above about twenty boxes sag.

use super::{ContactRow, Solver, SolverContext, prepare_contact};
use crate::body::NO_SLOT;
use crate::joint::{Answer, MAX_ROWS, Pair, PassLaw, Sight};
use crate::math::*;
use crate::solver::grain::GrainRows;

/// Slower approaches do not bounce [m/s]: this solver cannot tell a slow impact from a body at rest.
const REST_SPEED: Real = 1.0;

/// Sequential impulses with position bias.
#[derive(Clone, Debug, Default)]
pub struct SolverBaumgarte<D: Dim> {
    rows: Vec<ContactRow<D>>,
    joints: Vec<JointWork<D>>,
}

/// A joint at the start of the step.
#[derive(Clone, Copy, Debug)]
struct JointWork<D: Dim> {
    index: u32,
    slots: [u32; 2],
    answer: [Answer<D>; 2],
    sight: Sight<D>,
}

impl<D: Dim> Solver<D> for SolverBaumgarte<D> {
    fn name(&self) -> &'static str {
        "baumgarte"
    }

    fn leaves_finite(&self) -> bool {
        true
    }

    fn solve(&mut self, context: &mut SolverContext<'_, D>) {
        let mut rows = core::mem::take(&mut self.rows);
        rows.clear();
        rows.extend(context.contact_order().map(|index| prepare_contact(context, index)));
        // In the order of the pairs rather than of the colours: what was built from the ground up converges from the
        // ground up, in a third of the sweeps that alternating colours need.
        rows.sort_unstable_by_key(|row| context.contacts[row.contact as usize].key());
        let mut joints = core::mem::take(&mut self.joints);
        joints.clear();
        joints.extend(context.joint_order().map(|index| prepare_joint(context, index)));
        joints.sort_unstable_by_key(|work| work.index);
        context.integrate_velocities(context.dt);
        joints.iter().for_each(|work| warm_start_joint(context, work));
        if context.settings.warm_starting {
            rows.iter_mut().for_each(|row| warm_start(context, row));
        } else {
            for row in &mut rows {
                row.points.as_mut().iter_mut().for_each(|p| p.impulse = 0.0);
                (row.rolling_impulse, row.twist_impulse) = (D::Ang::ZERO, 0.0);
            }
        }
        for sweep in 0..context.settings.iterations {
            // Every other sweep takes the points of a contact from the last to the first: always the same one first would
            // tip symmetric towers over to its side.
            let back = sweep % 2 == 1;
            joints.iter().for_each(|work| solve_joint(context, work));
            for row in &mut rows {
                solve_friction(context, row, back);
                solve_turning(context, row);
                solve_normals(context, row, back);
            }
        }
        context.integrate_positions(context.dt);
        rows.iter().for_each(|row| store(context, row));
        joints.iter().for_each(|work| store_joint(context, work));
        self.rows = rows;
        self.joints = joints;
    }
}

/// Applies the impulses of the last step. The friction impulse is kept per contact as a world vector and shared out
/// over the points in proportion to what they carry: equal shares would exceed the cone of the lighter ones.
fn warm_start<D: Dim>(context: &mut SolverContext<'_, D>, row: &mut ContactRow<D>) {
    let total: Real = row.points.as_ref()[..row.count].iter().map(|point| point.impulse).sum();
    let inv_total = if total > 0.0 { 1.0 / total } else { 0.0 };
    let friction = context.contacts[row.contact as usize].manifold.friction_impulse * inv_total;
    for i in 0..row.count {
        let point = &mut row.points.as_mut()[i];
        point.tangent_impulse = row.tangents.map(|t| friction.dot(t) * point.impulse);
        let impulse = row.normal * point.impulse
            + row.tangents[0] * point.tangent_impulse[0]
            + row.tangents[1] * point.tangent_impulse[1];
        apply(context, row.slots, point.r_a, point.r_b, impulse);
    }
    let turn = row.rolling_impulse + about::<D>(row.normal) * row.twist_impulse;
    context.push(row.slots[0], D::Vec::ZERO, -turn);
    context.push(row.slots[1], D::Vec::ZERO, turn);
}

/// The axis of a turn about `n` (3D; nothing in 2D, where all turns are in the plane).
fn about<D: Dim>(n: D::Vec) -> D::Ang {
    let mut axis = D::Ang::ZERO;
    if D::N == 3 {
        (0..3).for_each(|i| axis.set(i, n.get(i)));
    }
    axis
}

/// Rolling resistance and friction about the normal: torques against the relative spin, at most their lever arm times the load.
fn solve_turning<D: Dim>(context: &mut SolverContext<'_, D>, row: &mut ContactRow<D>) {
    let contact = &context.contacts[row.contact as usize];
    let (rolling, spinning) = (contact.rolling, contact.spinning);
    if !context.settings.friction || (rolling <= 0.0 && spinning <= 0.0) {
        return;
    }
    let load: Real = row.points.as_ref()[..row.count].iter().map(|point| point.impulse).sum();
    let [(a, props_a), (b, props_b)] = row.slots.map(|slot| context.body(slot));
    let zero_unless = |props: &crate::body::BodyProps<D>| {
        if props.is_dynamic { props.inv_inertia } else { D::Inertia::ZERO }
    };
    let inv = zero_unless(&props_a).plus(zero_unless(&props_b));
    let axis = about::<D>(row.normal);
    let answer = axis.dot(inv.apply(axis));
    let mut spin = b.w - a.w;
    let mut turn = D::Ang::ZERO;
    if spinning > 0.0 && answer > 0.0 {
        let limit = spinning * load;
        let new = (row.twist_impulse - spin.dot(axis) / answer).clamp(-limit, limit);
        turn = axis * (new - row.twist_impulse);
        row.twist_impulse = new;
        spin += inv.apply(turn);
    }
    if rolling > 0.0 {
        let limit = rolling * load;
        let mut new = row.rolling_impulse - inv.inverse().apply(spin);
        let length = new.length();
        if length > limit {
            new = new * (limit / length);
        }
        turn += new - row.rolling_impulse;
        row.rolling_impulse = new;
    }
    context.push(row.slots[0], D::Vec::ZERO, -turn);
    context.push(row.slots[1], D::Vec::ZERO, turn);
}

/// Pushes a back and b forward at their anchors.
fn apply<D: Dim>(
    context: &mut SolverContext<'_, D>,
    slots: [u32; 2],
    r_a: D::Vec,
    r_b: D::Vec,
    impulse: D::Vec,
) {
    context.push(slots[0], -impulse, -D::cross(r_a, impulse));
    context.push(slots[1], impulse, D::cross(r_b, impulse));
}

/// Velocity of anchor b relative to anchor a [m/s].
fn relative_velocity<D: Dim>(
    context: &SolverContext<'_, D>,
    slots: [u32; 2],
    r_a: D::Vec,
    r_b: D::Vec,
) -> D::Vec {
    let at = |slot: u32, r: D::Vec| {
        if slot == NO_SLOT {
            return D::Vec::ZERO;
        }
        let state = &context.bodies.states[slot as usize];
        state.v + D::cross_ang(state.w, r)
    };
    at(slots[1], r_b) - at(slots[0], r_a)
}

fn solve_normals<D: Dim>(context: &mut SolverContext<'_, D>, row: &mut ContactRow<D>, back: bool) {
    let settings = context.settings;
    let contact = &context.contacts[row.contact as usize];
    let (slop, restitution) = (contact.slop, contact.restitution);
    for i in 0..row.count {
        let i = if back { row.count - 1 - i } else { i };
        let point = row.points.as_ref()[i];
        let speed = relative_velocity(context, row.slots, point.r_a, point.r_b).dot(row.normal);
        let mut target = if point.separation > 0.0 {
            // Not touching yet: the gap may close within the step, no more.
            -point.separation / context.dt
        } else {
            (settings.baumgarte / context.dt * (-point.separation - slop).max(0.0)).min(settings.push_speed)
        };
        let rest = settings.restitution_threshold.max(REST_SPEED);
        if settings.restitution && point.start_speed < -rest {
            target = target.max(-restitution * point.start_speed);
        }
        let impulse = (point.impulse + point.normal_mass * (target - speed)).max(0.0);
        let change = impulse - point.impulse;
        row.points.as_mut()[i].impulse = impulse;
        apply(context, row.slots, point.r_a, point.r_b, row.normal * change);
    }
}

fn solve_friction<D: Dim>(context: &mut SolverContext<'_, D>, row: &mut ContactRow<D>, back: bool) {
    if !context.settings.friction {
        return;
    }
    let contact = &context.contacts[row.contact as usize];
    if contact.has_grain() {
        solve_grain(context, row, back);
        return;
    }
    let (friction, sticking) = (contact.friction, contact.static_friction);
    let surface = contact.surface_velocity;
    for i in 0..row.count {
        let i = if back { row.count - 1 - i } else { i };
        let point = row.points.as_ref()[i];
        let slip = relative_velocity(context, row.slots, point.r_a, point.r_b) + surface;
        // One mass for both directions: with two, sliding friction would not point against the slip.
        let mass =
            if D::N == 2 { point.tangent_mass[0] } else { point.tangent_mass[0].min(point.tangent_mass[1]) };
        let mut impulse = [0, 1].map(|k| point.tangent_impulse[k] - mass * slip.dot(row.tangents[k]));
        // The friction disc: both directions are scaled back together. It sticks up to the static limit, and slides at the
        // dynamic one.
        let length = (impulse[0] * impulse[0] + impulse[1] * impulse[1]).sqrt();
        if length > sticking * point.impulse {
            impulse = impulse.map(|x| x * (friction * point.impulse / length));
        }
        let change = row.tangents[0] * (impulse[0] - point.tangent_impulse[0])
            + row.tangents[1] * (impulse[1] - point.tangent_impulse[1]);
        row.points.as_mut()[i].tangent_impulse = impulse;
        apply(context, row.slots, point.r_a, point.r_b, change);
    }
}

/// Friction of a contact with a grain, point by point.
fn solve_grain<D: Dim>(context: &mut SolverContext<'_, D>, row: &mut ContactRow<D>, back: bool) {
    let contact = context.contacts[row.contact as usize];
    let grain = context.grains[row.contact as usize];
    let props = row.slots.map(|slot| context.body(slot).1);
    for i in 0..row.count {
        let i = if back { row.count - 1 - i } else { i };
        let point = row.points.as_ref()[i];
        let rows = GrainRows::new(&contact, &grain, row.normal, [point.r_a, point.r_b], &props);
        let motions = row.slots.map(|slot| context.body(slot).0).map(|state| (state.v, state.w));
        let [t, u] = row.tangents;
        let old = t * point.tangent_impulse[0] + u * point.tangent_impulse[1];
        let new = rows.solve(&contact, old, motions, point.impulse);
        row.points.as_mut()[i].tangent_impulse = row.tangents.map(|t| new.dot(t));
        apply(context, row.slots, point.r_a, point.r_b, new - old);
    }
}

/// Writes the impulses back for the next step.
fn store<D: Dim>(context: &mut SolverContext<'_, D>, row: &ContactRow<D>) {
    let manifold = &mut context.contacts[row.contact as usize].manifold;
    let mut friction = D::Vec::ZERO;
    for (i, point) in row.points.as_ref()[..row.count].iter().enumerate() {
        manifold.points_mut()[i].normal_impulse = point.impulse;
        friction += row.tangents[0] * point.tangent_impulse[0] + row.tangents[1] * point.tangent_impulse[1];
    }
    manifold.friction_impulse = friction;
    (manifold.rolling_impulse, manifold.twist_impulse) = (row.rolling_impulse, row.twist_impulse);
}

fn prepare_joint<D: Dim>(context: &SolverContext<'_, D>, index: u32) -> JointWork<D> {
    let joint = &context.joints[index as usize];
    let slots = joint.bodies.map(|body| context.bodies.slot(body));
    let [a, b] = joint.bodies.map(|body| *context.place(body));
    let answer = slots.map(|slot| Answer::of(&context.body(slot).1));
    // No sub-step: the plain method knows no second-order motion.
    let still = ([D::Vec::ZERO; 2], [D::Ang::ZERO; 2]);
    let between = b.position - a.position;
    let sight = joint.sight([a.rotation, b.rotation], b.position, between, still.0, still.1, 0.0);
    JointWork { index, slots, answer, sight }
}

fn warm_start_joint<D: Dim>(context: &mut SolverContext<'_, D>, work: &JointWork<D>) {
    let joint = &mut context.joints[work.index as usize];
    if !context.settings.warm_starting {
        joint.impulses = [0.0; MAX_ROWS];
    }
    let (push, [turn_a, turn_b]) = joint.effect(&work.sight, &work.answer);
    context.push(work.slots[0], -push, -turn_a);
    context.push(work.slots[1], push, turn_b);
}

fn solve_joint<D: Dim>(context: &mut SolverContext<'_, D>, work: &JointWork<D>) {
    let states = work.slots.map(|slot| context.body(slot).0);
    let mut pair = Pair::new(states.map(|state| state.v), states.map(|state| state.w), work.answer);
    let pass = PassLaw {
        h: context.dt,
        rate: context.settings.baumgarte / context.dt,
        scale: 1.0,
        push_speed: context.settings.joint_push_speed,
        max_speed: context.settings.max_speed,
        // All joints are swept many times, so springs need not know of each other.
        beside: 0.0,
        is_biased: true,
    };
    context.joints[work.index as usize].solve(&work.sight, &mut pair, &pass);
    context.push(work.slots[0], -pair.pushed, -pair.turned[0]);
    context.push(work.slots[1], pair.pushed, pair.turned[1]);
}

fn store_joint<D: Dim>(context: &mut SolverContext<'_, D>, work: &JointWork<D>) {
    let joint = &mut context.joints[work.index as usize];
    let (push, turn) = joint.effect(&work.sight, &work.answer);
    (joint.push, joint.turn) = (push, turn[1] - D::cross(work.sight.r[1], push));
}
