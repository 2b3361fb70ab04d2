//! What stands: a tower at rest, by statics instead of sweeps.
//!
//! Sweeps carry a load down a tower one contact at a time, so a high or unevenly loaded one needs many of them. But as long as every
//! body stands on exactly one other, and none slides or tips, nothing has to be searched for: all move with the ground,
//! and what each contact bears follows from the top down, from the momentum that gravity and whatever else acts would
//! give to what is above it. With P and L the changes of momentum that keep body i with the ground, r its lever to the contact
//! below and r' that of a contact above:
//!
//! ```text
//! F_i = P_i + Σ F_above
//! T_i = L_i − r × F_i + Σ (T_above + r' × F_above)
//! ```
//!
//! That is the exact answer if each contact can bear its share: if the points, on which F·n and T are spread as a straight
//! line over their places, all press, and friction holds F and T·n. If one cannot, something is about to slide, tip or
//! part, and the group is solved in small steps as any other (`small_steps.rs`); nothing has been touched.
//!
//! Overlaps and tilts that are more than a soft contact would have, but within the slop, are worked off on the side, contact by
//! contact from the ground up, without making speed of it, and never faster than gravity moves things from rest. What
//! would have to come down by more than that falls: small steps let it.

use super::World;
use super::refine::load_limit;
use super::spread::{Spread, about};
use crate::body::{AwakeBodies, BodyState, NO_SLOT, NONE};
use crate::contact::flags;
use crate::island::small_steps as small_steps_of;
use crate::math::*;
use crate::solver::{Heavy, Softness};

/// A body of the group and the contact it stands on.
#[derive(Clone, Copy, Debug)]
struct Node<D: Dim> {
    body: u32,
    /// Slot in the arrays of the step.
    slot: u32,
    contact: u32,
    /// Side of the contact that the body is on.
    side: usize,
    /// Node of the body below, NONE for the ground.
    below: u32,
    /// What the contact does to the body: impulse [N·s] and, about the middle of the points, turn [N·m·s].
    force: D::Vec,
    couple: D::Ang,
    /// How far the body is moved to work errors off: at its centre of mass [m], and turned [rad].
    shift: D::Vec,
    turn: D::Ang,
    /// Impulse at each point [N·s].
    press: [Real; 4],
}

/// What is known of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Unseen,
    /// Met from some foot; twice means a loop.
    Seen,
    Stands,
}

/// Memory that lives from step to step.
#[derive(Debug)]
pub(super) struct Scratch<D: Dim> {
    /// Bodies below come before those above.
    nodes: Vec<Node<D>>,
    /// Points of each node's contact.
    spreads: Vec<Spread<D>>,
    /// The bodies, in the same order.
    bodies: AwakeBodies<D>,
    /// What is known of each slot of the step.
    marks: Vec<Mark>,
    /// Where the bodies of all groups that stand end up, by slot.
    done: Vec<(u32, BodyState<D>, D::Rot)>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            spreads: Vec::new(),
            bodies: AwakeBodies::default(),
            marks: Vec::new(),
            done: Vec::new(),
        }
    }
}

impl<D: Dim> Scratch<D> {
    /// Before the first island of a step.
    pub(super) fn begin(&mut self, whole: &AwakeBodies<D>) {
        self.done.clear();
        self.marks.clear();
        self.marks.resize(whole.len(), Mark::Unseen);
    }

    /// True if the body in a slot stands.
    pub(super) fn stands(&self, slot: usize) -> bool {
        self.marks[slot] == Mark::Stands
    }

    /// Number of bodies that stand.
    pub(super) fn len(&self) -> usize {
        self.done.len()
    }

    /// Puts the bodies that stand where they are.
    pub(super) fn hand_back(&self, whole: &mut AwakeBodies<D>) {
        for &(slot, state, rotation) in &self.done {
            whole.states[slot as usize] = state;
            whole.rotations[slot as usize] = rotation;
        }
    }

    /// Solves what stands of an island: all of it, most times; what was hit and flew off may still be counted with it.
    pub(super) fn solve(&mut self, world: &mut World<D>, whole: &AwakeBodies<D>, island: u32) {
        let mut body = world.islands.slots[island].head;
        while body != NONE {
            let slot = whole.slot(body);
            if slot != NO_SLOT && self.marks[slot as usize] == Mark::Unseen {
                let foot = world.contacts.of_body(world.bodies.records[body].first_contact).find(
                    |&(contact, side)| {
                        let hot = &world.contacts.hot[contact as usize];
                        hot.is_solid() && world.bodies.cores[hot.bodies[1 - side] as usize].inv_mass == 0.0
                    },
                );
                if let Some(foot) = foot
                    && self.solve_tree(world, whole, foot)
                {
                    self.nodes.iter().for_each(|node| self.marks[node.slot as usize] = Mark::Stands);
                }
            }
            body = world.bodies.records[body].island_next;
        }
    }

    /// Solves what stands on a contact with the ground. False, and nothing touched, if it does not.
    fn solve_tree(&mut self, world: &mut World<D>, whole: &AwakeBodies<D>, foot: (u32, usize)) -> bool {
        let is_tree = self.find_nodes(world, whole, foot);
        let Some(velocity) = (if is_tree { self.ground_velocity(world, whole) } else { None }) else {
            return false;
        };
        let dt = world.settings.dt;
        self.bodies.copy_members(whole, self.nodes.iter().map(|node| node.slot));
        if !self.is_quiet(world, velocity) {
            return false;
        }
        world.methods.integrator.integrate_velocities(&mut self.bodies.block(&world.settings), dt);
        if !(self.find_spreads(world) && self.find_forces(world, velocity) && self.find_shifts(world)) {
            return false;
        }
        self.store(world);
        for (node, state) in self.nodes.iter().zip(&mut self.bodies.states) {
            (state.v, state.w) = (velocity + node.shift * (1.0 / dt), node.turn * (1.0 / dt));
        }
        world.methods.integrator.integrate_positions(&mut self.bodies.block(&world.settings), dt);
        for (i, node) in self.nodes.iter().enumerate() {
            let state = BodyState { v: velocity, w: D::Ang::ZERO, ..self.bodies.states[i] };
            self.done.push((node.slot, state, self.bodies.rotations[i]));
        }
        true
    }

    /// Finds out who stands on whom, from the ground up. False if some body does not stand on exactly one other.
    fn find_nodes(&mut self, world: &World<D>, whole: &AwakeBodies<D>, foot: (u32, usize)) -> bool {
        self.nodes.clear();
        if !self.add(world, whole, foot, NONE) {
            return false;
        }
        let mut at = 0;
        while at < self.nodes.len() {
            let Node { body, contact: own, .. } = self.nodes[at];
            if world.bodies.records[body].first_joint != NONE {
                return false;
            }
            for (contact, side) in world.contacts.of_body(world.bodies.records[body].first_contact) {
                let is_other = contact != own && world.contacts.hot[contact as usize].is_solid();
                if is_other && !self.add(world, whole, (contact, 1 - side), at as u32) {
                    return false;
                }
            }
            at += 1;
        }
        true
    }

    /// Adds the body on the given side of a contact. False if it cannot stand.
    fn add(
        &mut self,
        world: &World<D>,
        whole: &AwakeBodies<D>,
        (contact, side): (u32, usize),
        below: u32,
    ) -> bool {
        let hot = &world.contacts.hot[contact as usize];
        let body = hot.bodies[side];
        let slot = whole.slot(body);
        let is_plain = hot.flags & (flags::PART | flags::SURFACE | flags::GRAIN) == 0
            && hot.next_part == NONE
            && hot.surface_velocity == D::Vec::ZERO;
        if slot == NO_SLOT || self.marks[slot as usize] != Mark::Unseen || !is_plain || hot.restitution > 0.0
        {
            return false;
        }
        let props = &whole.props[slot as usize];
        if !props.is_dynamic || props.locks != 0 || hot.manifold.count < D::N as u32 {
            return false;
        }
        self.marks[slot as usize] = Mark::Seen;
        self.nodes.push(Node {
            body,
            slot,
            contact,
            side,
            below,
            force: D::Vec::ZERO,
            couple: D::Ang::ZERO,
            shift: D::Vec::ZERO,
            turn: D::Ang::ZERO,
            press: [0.0; 4],
        });
        true
    }

    /// Velocity of what the group stands on [m/s]; None if that turns.
    fn ground_velocity(&self, world: &World<D>, whole: &AwakeBodies<D>) -> Option<D::Vec> {
        let foot = self.nodes.first()?;
        let ground = world.contacts.hot[foot.contact as usize].bodies[1 - foot.side];
        let slot = whole.slot(ground);
        if slot == NO_SLOT {
            return Some(D::Vec::ZERO);
        }
        let state = &whole.states[slot as usize];
        (state.w == D::Ang::ZERO).then_some(state.v)
    }

    /// True if nothing moves faster against the ground than a fall through the slop makes it: what lands or rocks is no matter of
    /// statics.
    fn is_quiet(&self, world: &World<D>, velocity: D::Vec) -> bool {
        let bodies = self.bodies.states.iter().zip(&self.bodies.props);
        self.nodes.iter().zip(bodies).all(|(node, (state, props))| {
            let slop = world.contacts.hot[node.contact as usize].slop;
            let speed = (state.v - velocity).length() + state.w.length() * props.extent;
            speed * speed <= 2.0 * world.settings.weight_scale() * slop
        })
    }

    /// Where the points are. False if something is not quite where it would rest.
    fn find_spreads(&mut self, world: &mut World<D>) -> bool {
        self.spreads.clear();
        for node in &self.nodes {
            let contact = &world.contacts.hot[node.contact as usize];
            let Some(spread) = Spread::of(contact, world, node.side) else { return false };
            if spread.parted > contact.slop {
                // The points are those of another place: nothing moves any more, so nobody would look again.
                world.contacts.hot[node.contact as usize].flags &= !flags::HAS_KEPT;
                return false;
            }
            self.spreads.push(spread);
        }
        true
    }

    /// How far errors are worked off. Between touching and what a contact gives way in small steps under the same load nothing is one:
    /// so a group that changes between the two neither sinks nor is lifted. False if something has to fall.
    fn find_shifts(&mut self, world: &World<D>) -> bool {
        let settings = &world.settings;
        let dt = settings.dt;
        // As fast as a soft contact does.
        let omega = 2.0 * core::f32::consts::PI * settings.contact_hertz;
        let share = dt * omega / (2.0 * settings.contact_damping + dt * omega);
        let level = world.islands.slots[world.bodies.records[self.nodes[0].body].island].level;
        let count = small_steps_of(level) as Real;
        let substeps = count * settings.substeps as Real;
        let soft = Softness::of_contacts(settings, count, dt / substeps);
        let most = 0.5 * settings.gravity.length() * dt * dt;
        let down = settings.gravity * (1.0 / settings.weight_scale());
        let mut farthest: Real = 0.0;
        for i in 0..self.nodes.len() {
            let (node, spread) = (&self.nodes[i], &self.spreads[i]);
            let slop = world.contacts.hot[node.contact as usize].slop;
            let has_below = node.below != NONE;
            let mut wanted = [0.0; 4];
            for point in 0..spread.count {
                let mut k = spread.answer(point, 0, &self.bodies.props[i]);
                if has_below {
                    k += spread.answer(point, 1, &self.bodies.props[node.below as usize]);
                }
                let sag = soft[usize::from(!has_below)].sag(node.press[point] / substeps, k).min(slop);
                let separation = spread.separations[point];
                wanted[point] = -share * (separation.max(0.0) + (separation + sag).min(0.0));
            }
            let under = if has_below {
                let under = &self.nodes[node.below as usize];
                (under.shift, under.turn)
            } else {
                (D::Vec::ZERO, D::Ang::ZERO)
            };
            let (rise, tilt) = spread.fit(&wanted);
            let node = &mut self.nodes[i];
            node.turn = under.1 + tilt;
            let middle = under.0 + D::cross_ang(under.1, spread.levers[1]) + spread.normal * rise;
            node.shift = middle - D::cross_ang(node.turn, spread.levers[0]);
            farthest = farthest.max(node.shift.length());
            if node.shift.dot(down) > share * most {
                return false;
            }
        }
        if farthest > most {
            for node in &mut self.nodes {
                (node.shift, node.turn) = (node.shift * (most / farthest), node.turn * (most / farthest));
            }
        }
        true
    }

    /// What the contacts have to do so that all move with the ground. False if one cannot.
    fn find_forces(&mut self, world: &World<D>, velocity: D::Vec) -> bool {
        for i in (0..self.nodes.len()).rev() {
            let (props, state) = (&self.bodies.props[i], &self.bodies.states[i]);
            let (node, spread) = (&mut self.nodes[i], &self.spreads[i]);
            node.force += (velocity - state.v) * (1.0 / props.inv_mass);
            let spin = props.inertia.rotated(self.bodies.rotations[i]).apply(-state.w);
            node.couple += spin - D::cross(spread.levers[0], node.force);
            let contact = &world.contacts.hot[node.contact as usize];
            let doing = (node.force, node.couple);
            let Some(press) = spread.bear(contact, world.settings.friction, doing) else { return false };
            node.press = press;
            let Node { below, force, couple, .. } = *node;
            if below != NONE {
                let under = &mut self.nodes[below as usize];
                under.force += force;
                under.couple += couple + D::cross(spread.levers[1], force);
            }
        }
        true
    }

    /// Impulses to the contacts, loads to whoever chooses what is refined.
    fn store(&self, world: &mut World<D>) {
        let World { contacts, settings, islands, bodies, scratch, .. } = world;
        // Impulses are kept for sub-steps of the usual length.
        let scale = 1.0 / settings.substeps as Real;
        let gain = (settings.settling_rate * settings.dt).min(1.0);
        let up = settings.gravity * (-1.0 / settings.weight_scale());
        let per_weight = 1.0 / (settings.weight_scale() * settings.dt);
        let heavy = Heavy {
            per_weight,
            limit: settings.refine_load,
            settled: 0.0,
            up: [0, 1, 2].map(|i| if i < D::N { up.get(i) } else { 0.0 }),
        };
        for (node, spread) in self.nodes.iter().zip(&self.spreads) {
            let hot = &mut contacts.hot[node.contact as usize];
            let (mut sum, pair) = (0.0, hot.bodies);
            let manifold = &mut hot.manifold;
            for (point, &press) in manifold.points_mut().iter_mut().zip(&node.press) {
                point.normal_impulse = press * scale;
                point.load -= point.load * gain;
                sum += press;
            }
            let along = node.force - spread.normal * node.force.dot(spread.normal);
            manifold.friction_impulse = along * if node.side == 1 { scale } else { -scale };
            manifold.twist_impulse = about::<D>(node.couple, spread.normal) * scale;
            manifold.rolling_impulse = D::Ang::ZERO;
            let inv_masses = pair.map(|body| bodies.cores[body as usize].inv_mass);
            let rise = spread.normal.dot(up) * if node.side == 1 { 1.0 } else { -1.0 };
            let limit = load_limit(settings, islands, bodies.records[node.body].island);
            let loads = heavy.of_contact(sum, inv_masses, || rise);
            heavy.report((pair, false), loads, limit, &mut scratch.refine.loads);
        }
    }
}
