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
//! Overlaps and tilts within the slop are worked off on the side, contact by contact from the ground up, without
//! making speed of it, and never faster than gravity moves things from rest.

use super::World;
use super::refine::load_limit;
use crate::body::{AwakeBodies, BodyState, NO_SLOT, NONE};
use crate::contact::{Contact, flags};
use crate::math::*;
use crate::solver::{HeavyLoad, ON_TOP};

/// Points of a contact lie in a line if the smaller of their two extents is less than this share of the larger, squared (no unit).
const FLAT: Real = 1e-4;

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

/// Memory that lives from step to step.
#[derive(Debug)]
pub(super) struct Scratch<D: Dim> {
    /// Bodies below come before those above.
    nodes: Vec<Node<D>>,
    /// Points of each node's contact.
    spreads: Vec<Spread<D>>,
    /// The bodies, in the same order.
    bodies: AwakeBodies<D>,
    /// Node of each slot of the step, or NONE.
    node_of: Vec<u32>,
    /// Where the bodies of all groups that stand end up, by slot.
    done: Vec<(u32, BodyState<D>, D::Rot)>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            spreads: Vec::new(),
            bodies: AwakeBodies::default(),
            node_of: Vec::new(),
            done: Vec::new(),
        }
    }
}

impl<D: Dim> Scratch<D> {
    /// Before the first group of a step.
    pub(super) fn begin(&mut self) {
        self.done.clear();
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

    /// Solves an island if it stands. False, and nothing touched, if it does not.
    pub(super) fn solve(&mut self, world: &mut World<D>, whole: &AwakeBodies<D>, island: u32) -> bool {
        self.node_of.resize(whole.len(), NONE);
        let is_tree = self.find_nodes(world, whole, island);
        for node in &self.nodes {
            self.node_of[node.slot as usize] = NONE;
        }
        let Some(velocity) = (if is_tree { self.ground_velocity(world, whole) } else { None }) else {
            return false;
        };
        let dt = world.settings.dt;
        self.bodies.copy_members(whole, self.nodes.iter().map(|node| node.slot));
        if !self.is_quiet(world, velocity) {
            return false;
        }
        world.methods.integrator.integrate_velocities(&mut self.bodies.block(&world.settings), dt);
        if !(self.find_shifts(world) && self.find_forces(world, velocity)) {
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

    /// Finds out who stands on whom. False if some body does not stand on exactly one other.
    fn find_nodes(&mut self, world: &World<D>, whole: &AwakeBodies<D>, island: u32) -> bool {
        self.nodes.clear();
        let mut body = world.islands.slots[island].head;
        // The one that stands on the ground.
        while body != NONE && self.nodes.is_empty() {
            for (contact, side) in world.contacts.of_body(world.bodies.records[body].first_contact) {
                let hot = &world.contacts.hot[contact as usize];
                let is_ground = world.bodies.cores[hot.bodies[1 - side] as usize].inv_mass == 0.0;
                if hot.is_solid() && is_ground && !self.add(world, whole, (contact, side), NONE) {
                    return false;
                }
            }
            body = world.bodies.records[body].island_next;
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
        self.nodes.len() == world.islands.slots[island].count as usize
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
        let is_plain =
            hot.flags & (flags::PART | flags::SURFACE | flags::GRAIN) == 0 && hot.next_part == NONE;
        if slot == NO_SLOT || self.node_of[slot as usize] != NONE || !is_plain || hot.restitution > 0.0 {
            return false;
        }
        let props = &whole.props[slot as usize];
        if !props.is_dynamic || props.locks != 0 || hot.manifold.count < D::N as u32 {
            return false;
        }
        self.node_of[slot as usize] = self.nodes.len() as u32;
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

    /// Where the points are, and how far errors are worked off. False if something is not quite where it would rest.
    fn find_shifts(&mut self, world: &World<D>) -> bool {
        let settings = &world.settings;
        // As fast as a soft contact does.
        let omega = 2.0 * core::f32::consts::PI * settings.contact_hertz;
        let share = settings.dt * omega / (2.0 * settings.contact_damping + settings.dt * omega);
        let mut farthest: Real = 0.0;
        self.spreads.clear();
        for i in 0..self.nodes.len() {
            let node = &self.nodes[i];
            let contact = &world.contacts.hot[node.contact as usize];
            let Some(spread) = Spread::of(contact, world, node.side) else { return false };
            let under = if node.below == NONE {
                (D::Vec::ZERO, D::Ang::ZERO)
            } else {
                let under = &self.nodes[node.below as usize];
                (under.shift, under.turn)
            };
            let errors = spread.separations.map(|separation| -share * separation);
            let (rise, tilt) = spread.fit(&errors);
            let node = &mut self.nodes[i];
            node.turn = under.1 + tilt;
            let middle = under.0 + D::cross_ang(under.1, spread.levers[1]) + spread.normal * rise;
            node.shift = middle - D::cross_ang(node.turn, spread.levers[0]);
            farthest = farthest.max(node.shift.length());
            self.spreads.push(spread);
        }
        let most = 0.5 * settings.gravity.length() * settings.dt * settings.dt;
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
            if !spread.bears(contact, world.settings.friction, node) {
                return false;
            }
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
        let weight = settings.weight_scale();
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
            let inv = pair.map(|body| bodies.cores[body as usize].inv_mass);
            let (light, heavy) = (inv[0].max(inv[1]), inv[0].min(inv[1]));
            let limit = load_limit(settings, islands, bodies.records[node.body].island);
            let ratio = sum * light / (weight * settings.dt);
            if ratio > limit {
                scratch.refine.loads.push(HeavyLoad {
                    bodies: pair,
                    ratio,
                    is_weight: false,
                    is_joint: false,
                });
            }
            let is_on_top = -spread.normal.dot(settings.gravity) > ON_TOP * weight && inv[node.side] == heavy;
            if heavy > 0.0 && is_on_top && light > settings.refine_load.max(limit) * heavy {
                let ratio = light / heavy;
                scratch.refine.loads.push(HeavyLoad {
                    bodies: pair,
                    ratio,
                    is_weight: true,
                    is_joint: false,
                });
            }
        }
    }
}

/// Part of a turn about the axis `n`; none in the plane, where contacts do not twist.
fn about<D: Dim>(turn: D::Ang, n: D::Vec) -> Real {
    if D::N == 2 { 0.0 } else { (0..3).map(|k| turn.get(k) * n.get(k)).sum() }
}

/// The points of a contact, seen from its middle.
#[derive(Debug)]
struct Spread<D: Dim> {
    /// From below to the body, unit vector.
    normal: D::Vec,
    /// From the centres of mass of the body and of the one below to the middle of the points [m].
    levers: [D::Vec; 2],
    count: usize,
    /// Along the two tangents [m]; the second is zero in the plane.
    places: [[Real; 2]; 4],
    separations: [Real; 4],
    tangents: [D::Vec; 2],
    /// Inverse of Σ p·pᵀ over the places: entries 11, 12, 22 [1/m²].
    inverse: [Real; 3],
}

impl<D: Dim> Spread<D> {
    /// None if the points are in a line (one point in the plane), or not quite where they would rest.
    fn of(contact: &Contact<D>, world: &World<D>, side: usize) -> Option<Self> {
        let [a, b] = contact.bodies.map(|body| &world.bodies.places[body as usize]);
        let count = contact.manifold.count as usize;
        let share = 1.0 / count as Real;
        let sign = if side == 1 { 1.0 } else { -1.0 };
        let normal = contact.normal(a.rotation) * sign;
        let tangents = D::tangent_basis(normal);
        let mut spread = Self {
            normal,
            levers: [D::Vec::ZERO; 2],
            count,
            places: [[0.0; 2]; 4],
            separations: [0.0; 4],
            tangents,
            inverse: [0.0; 3],
        };
        let mut anchors = [D::Vec::ZERO; 4];
        for i in 0..count {
            let row = contact.row(i, a, b);
            let own = if side == 1 { [row.r_b, row.r_a] } else { [row.r_a, row.r_b] };
            (0..2).for_each(|k| spread.levers[k] += own[k] * share);
            anchors[i] = own[0];
            spread.separations[i] = row.separation;
            if row.separation.abs() > contact.slop {
                return None;
            }
        }
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for i in 0..count {
            let [x, y] = tangents.map(|tangent| (anchors[i] - spread.levers[0]).dot(tangent));
            spread.places[i] = [x, y];
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        spread.inverse = if D::N == 2 {
            if xx <= 0.0 {
                return None;
            }
            [1.0 / xx, 0.0, 0.0]
        } else {
            let determinant = xx * yy - xy * xy;
            if determinant <= FLAT * (xx + yy) * (xx + yy) {
                return None;
            }
            [yy / determinant, -xy / determinant, xx / determinant]
        };
        Some(spread)
    }

    /// Slopes of the straight line whose moments about the middle are `moments`.
    fn slopes(&self, [x, y]: [Real; 2]) -> [Real; 2] {
        let [a, b, c] = self.inverse;
        [a * x + b * y, b * x + c * y]
    }

    /// The motion along the normal that comes nearest to `wanted` at the points: of the middle, and turn.
    fn fit(&self, wanted: &[Real; 4]) -> (Real, D::Ang) {
        let (mut rise, mut moments) = (0.0, [0.0; 2]);
        for (value, place) in wanted[..self.count].iter().zip(&self.places) {
            rise += value / self.count as Real;
            (0..2).for_each(|k| moments[k] += value * place[k]);
        }
        let slopes = self.slopes(moments);
        let [x, y] = self.tangents.map(|tangent| D::cross(tangent, self.normal));
        (rise, x * slopes[0] + y * slopes[1])
    }

    /// Spreads what a contact has to do over its points. False if it cannot do it.
    fn bears(&self, contact: &Contact<D>, has_friction: bool, node: &mut Node<D>) -> bool {
        let push = node.force.dot(self.normal);
        let along = node.force - self.normal * push;
        let moments = self.tangents.map(|tangent| node.couple.dot(D::cross(tangent, self.normal)));
        let slopes = self.slopes(moments);
        let friction = if has_friction { contact.friction } else { 0.0 };
        let mut most_twist = contact.spinning * push;
        for i in 0..self.count {
            let [x, y] = self.places[i];
            let press = push / self.count as Real + slopes[0] * x + slopes[1] * y;
            if press.is_nan() || press < 0.0 {
                return false;
            }
            most_twist += friction * press * (x * x + y * y).sqrt();
            node.press[i] = press;
        }
        let twist = about::<D>(node.couple, self.normal).abs();
        along.length_squared() <= friction * friction * push * push && twist <= most_twist
    }
}
