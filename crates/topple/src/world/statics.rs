//! What stands: towers and what they stand on at rest, by statics instead of sweeps.
//!
//! Sweeps carry a load down a tower one contact at a time, so a high or unevenly loaded one needs many of them. But as long as every
//! body stands on others, and none slides or tips, nothing has to be searched for: all move with the ground,
//! and what each contact bears follows from the top down, from the momentum that gravity and whatever else acts would
//! give to what is above it. With P and L the changes of momentum that keep body i with the ground, r its lever to the middle of
//! what it stands on and r' that of a contact above:
//!
//! ```text
//! F_i = P_i + Σ F_above
//! T_i = L_i − r × F_i + Σ (T_above + r' × F_above)
//! ```
//!
//! F·n and T are spread as a straight line over the places of all points below the body (`spread.rs`). With one foot per body that is the
//! exact answer; a slab on four legs, a bridge of three boxes or a wall is indeterminate, and this is the one of a firm
//! body on alike supports. Either way it is an equilibrium if all points press and friction holds the rest, and then nothing
//! moves. If a contact cannot bear its share, something is about to slide, tip or part, and the group is solved in small steps as
//! any other (`small_steps.rs`); nothing has been touched.
//!
//! Overlaps and tilts that are more than a soft contact would have, but within the slop, are worked off on the side, body by
//! body from the ground up, without making speed of it, and never faster than gravity moves things from rest. What
//! would have to come down by more than that falls: small steps let it.

use super::World;
use super::refine::load_limit;
use super::spread::{Base, Bearing, Foot, POINTS, about};
use super::structure::UPRIGHT;
use crate::body::{AwakeBodies, BodyState, NO_SLOT, NONE};
use crate::contact::flags;
use crate::island::{Island, small_steps as small_steps_of};
use crate::math::*;
use crate::solver::{Heavy, Softness};
use core::ops::Range;

/// A body of the group.
#[derive(Clone, Copy, Debug)]
struct Node<D: Dim> {
    body: u32,
    /// Slot in the arrays of the step.
    slot: u32,
    /// Its feet.
    feet: [u32; 2],
    /// What the feet do to the body: impulse [N·s] and, about the middle of the points, turn [N·m·s].
    force: D::Vec,
    couple: D::Ang,
    /// How far the body is moved to work errors off: at its centre of mass [m], and turned [rad].
    shift: D::Vec,
    turn: D::Ang,
}

impl<D: Dim> Node<D> {
    fn feet(&self) -> Range<usize> {
        self.feet[0] as usize..self.feet[1] as usize
    }
}

/// What is known of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Unseen,
    /// Met from some foot.
    Seen,
    Stands,
}

/// Memory that lives from step to step.
#[derive(Debug)]
pub(super) struct Scratch<D: Dim> {
    /// Bodies below come before those above.
    nodes: Vec<Node<D>>,
    /// The same in the order in which they were met.
    met: Vec<Node<D>>,
    /// What each stands on; those of a node follow each other.
    feet: Vec<Foot<D>>,
    /// Points under each node.
    bases: Vec<Base<D>>,
    /// Contacts between bodies beside each other, which bear nothing.
    sides: Vec<u32>,
    /// Who is above whom, as met, and how many each still waits for.
    above: Vec<[u32; 2]>,
    waits: Vec<u32>,
    /// Place of each met node in `nodes`.
    order: Vec<u32>,
    /// The bodies, in the order of nodes.
    bodies: AwakeBodies<D>,
    /// What is known of each slot of the step.
    marks: Vec<Mark>,
    /// Place in `met` of each slot that was met.
    places: Vec<u32>,
    /// Where the bodies of all groups that stand end up, by slot.
    done: Vec<(u32, BodyState<D>, D::Rot)>,
}

impl<D: Dim> Default for Scratch<D> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            met: Vec::new(),
            feet: Vec::new(),
            bases: Vec::new(),
            sides: Vec::new(),
            above: Vec::new(),
            waits: Vec::new(),
            order: Vec::new(),
            bodies: AwakeBodies::default(),
            marks: Vec::new(),
            places: Vec::new(),
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
        self.places.resize(whole.len(), NONE);
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
            whole.slots[whole.props[slot as usize].body as usize] = slot;
        }
    }

    /// Solves what stands of an island: all of it, most times; what was hit and flew off may still be counted with it.
    pub(super) fn solve(&mut self, world: &mut World<D>, whole: &AwakeBodies<D>, island: u32) {
        let mut body = world.islands.slots[island].head;
        while body != NONE {
            let slot = whole.slot(body);
            if slot != NO_SLOT && self.marks[slot as usize] == Mark::Unseen {
                let first = world.bodies.records[body].first_contact;
                let has_foot = world.contacts.of_body(first).any(|(contact, side)| {
                    let hot = &world.contacts.hot[contact as usize];
                    hot.is_solid() && world.bodies.cores[hot.bodies[1 - side] as usize].inv_mass == 0.0
                });
                if has_foot && self.solve_connected(world, whole, body) {
                    self.nodes.iter().for_each(|node| self.marks[node.slot as usize] = Mark::Stands);
                }
            }
            body = world.bodies.records[body].island_next;
        }
    }

    /// Solves what is connected with a body. False, and nothing touched, if it does not stand.
    fn solve_connected(&mut self, world: &mut World<D>, whole: &AwakeBodies<D>, first: u32) -> bool {
        let dt = world.settings.dt;
        let Some(velocity) = self.find_ground(world, whole, first) else { return false };
        if !self.is_quiet(world, velocity) {
            return false;
        }
        world.integrate_velocities_of(&mut self.bodies, dt);
        let stands = self.find_bases(world, Bearing::Solved)
            && self.find_forces(world, velocity, Bearing::Solved)
            && self.find_shifts(world);
        if !stands {
            return false;
        }
        self.store(world, Bearing::Solved);
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

    /// Finds who stands on whom, from one body on, and the velocity of the ground [m/s]. None if something is in the way.
    fn find_ground(&mut self, world: &World<D>, whole: &AwakeBodies<D>, first: u32) -> Option<D::Vec> {
        if !(self.find_nodes(world, whole, first) && self.sort_nodes()) {
            return None;
        }
        let velocity = self.ground_velocity(world, whole)?;
        self.bodies.copy_members(whole, self.nodes.iter().map(|node| node.slot));
        Some(velocity)
    }

    /// Gives the contacts of an island that was put together at rest one step ago what they will bear, and takes the speed that
    /// its bodies have got since by falling. Nothing is touched if it does not stand.
    pub(super) fn foresee(&mut self, world: &mut World<D>, whole: &mut AwakeBodies<D>, island: u32) {
        let Island { head, count, .. } = world.islands.slots[island];
        // PERF: all at once; growing would touch twice as much new memory.
        let room = count as usize;
        self.met.reserve(room);
        self.nodes.reserve(room);
        self.bases.reserve(room);
        self.feet.reserve(2 * room);
        let Some(velocity) = self.find_ground(world, whole, head) else { return };
        // Twice a step of free fall: some turn on the way.
        let most = 2.0 * world.settings.weight_scale() * world.settings.dt;
        for (state, props) in self.bodies.states.iter_mut().zip(&self.bodies.props) {
            if (state.v - velocity).length() + state.w.length() * props.extent > most {
                return;
            }
            (state.v, state.w) = (velocity, D::Ang::ZERO);
        }
        world.integrate_velocities_of(&mut self.bodies, world.settings.dt);
        let stands = self.nodes.len() == count as usize
            && self.find_bases(world, Bearing::Foreseen)
            && self.find_forces(world, velocity, Bearing::Foreseen);
        if stands {
            self.store(world, Bearing::Foreseen);
            for node in &self.nodes {
                let state = &mut whole.states[node.slot as usize];
                (state.v, state.w) = (velocity, D::Ang::ZERO);
            }
        }
    }

    /// Finds out who stands on whom. False if some body does not stand, or something is in the way that statics has no word for.
    fn find_nodes(&mut self, world: &World<D>, whole: &AwakeBodies<D>, first: u32) -> bool {
        self.met.clear();
        self.feet.clear();
        self.sides.clear();
        let up = world.settings.gravity * (-1.0 / world.settings.weight_scale());
        if !self.meet(whole, first) {
            return false;
        }
        let mut at = 0;
        while at < self.met.len() {
            let body = self.met[at].body;
            let record = &world.bodies.records[body];
            if record.first_joint != NONE {
                return false;
            }
            let from = self.feet.len() as u32;
            for (contact, side) in world.contacts.of_body(record.first_contact) {
                let hot = &world.contacts.hot[contact as usize];
                if !hot.is_solid() {
                    continue;
                }
                let is_plain = hot.flags & (flags::PART | flags::SURFACE | flags::GRAIN) == 0
                    && hot.next_part == NONE
                    && hot.surface_velocity == D::Vec::ZERO;
                if !is_plain || world.is_bouncing(contact) {
                    return false;
                }
                let other = hot.bodies[1 - side];
                let is_ground = world.bodies.cores[other as usize].inv_mass == 0.0;
                let slot = whole.slot(other);
                let is_new = !is_ground && (slot == NO_SLOT || self.marks[slot as usize] == Mark::Unseen);
                if is_new && !self.meet(whole, other) {
                    return false;
                }
                let is_met = |at: u32| self.met.get(at as usize).is_some_and(|node| node.slot == slot);
                if !is_ground && !is_met(self.places[slot as usize]) {
                    // Part of what was found not to stand.
                    return false;
                }
                let normal = hot.normal(world.bodies.places[hot.bodies[0] as usize].rotation);
                let rise = normal.dot(up) * if side == 1 { 1.0 } else { -1.0 };
                if rise > UPRIGHT {
                    let below = if is_ground { NONE } else { self.places[slot as usize] };
                    self.feet.push(Foot::new(contact, side, below));
                } else if rise >= -UPRIGHT {
                    let deepest =
                        hot.manifold.points().iter().map(|p| p.base_separation).fold(0.0, Real::min);
                    if deepest < -hot.slop {
                        return false;
                    }
                    self.sides.push(contact);
                } else if is_ground {
                    // A ceiling.
                    return false;
                }
            }
            let to = self.feet.len() as u32;
            self.met[at].feet = [from, to];
            if from == to {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Adds a body. False if it cannot stand.
    fn meet(&mut self, whole: &AwakeBodies<D>, body: u32) -> bool {
        let slot = whole.slot(body);
        if slot == NO_SLOT || self.marks[slot as usize] != Mark::Unseen {
            return false;
        }
        let props = &whole.props[slot as usize];
        if !props.is_dynamic || props.locks != 0 {
            return false;
        }
        self.marks[slot as usize] = Mark::Seen;
        self.places[slot as usize] = self.met.len() as u32;
        self.met.push(Node {
            body,
            slot,
            feet: [0; 2],
            force: D::Vec::ZERO,
            couple: D::Ang::ZERO,
            shift: D::Vec::ZERO,
            turn: D::Ang::ZERO,
        });
        true
    }

    /// Puts those below before those above. False if that cannot be.
    fn sort_nodes(&mut self) -> bool {
        let Self { nodes, met, feet, above, waits, order, .. } = self;
        nodes.clear();
        above.clear();
        waits.clear();
        order.clear();
        order.resize(met.len(), NONE);
        for (at, node) in met.iter().enumerate() {
            let below = feet[node.feet()].iter().filter(|foot| foot.below != NONE);
            let before = above.len();
            above.extend(below.map(|foot| [foot.below, at as u32]));
            waits.push((above.len() - before) as u32);
        }
        above.sort_unstable();
        for (at, node) in met.iter().enumerate().filter(|&(at, _)| waits[at] == 0) {
            order[at] = nodes.len() as u32;
            nodes.push(*node);
        }
        let mut next = 0;
        while next < nodes.len() {
            let below = self.places[nodes[next].slot as usize];
            let from = above.partition_point(|pair| pair[0] < below);
            for &[_, at] in above[from..].iter().take_while(|pair| pair[0] == below) {
                waits[at as usize] -= 1;
                if waits[at as usize] == 0 {
                    order[at as usize] = nodes.len() as u32;
                    nodes.push(met[at as usize]);
                }
            }
            next += 1;
        }
        for foot in feet.iter_mut().filter(|foot| foot.below != NONE) {
            foot.below = order[foot.below as usize];
        }
        nodes.len() == met.len()
    }

    /// Velocity of what the group stands on [m/s]; None if that turns, or not all of it moves alike.
    fn ground_velocity(&self, world: &World<D>, whole: &AwakeBodies<D>) -> Option<D::Vec> {
        let mut common = None;
        for foot in self.feet.iter().filter(|foot| foot.below == NONE) {
            let ground = world.contacts.hot[foot.contact as usize].bodies[1 - foot.side];
            let slot = whole.slot(ground);
            let velocity = if slot == NO_SLOT {
                D::Vec::ZERO
            } else {
                let state = &whole.states[slot as usize];
                if state.w != D::Ang::ZERO {
                    return None;
                }
                state.v
            };
            if *common.get_or_insert(velocity) != velocity {
                return None;
            }
        }
        common
    }

    /// True if nothing moves faster against the ground than a fall through the slop makes it: what lands or rocks is no matter of
    /// statics.
    fn is_quiet(&self, world: &World<D>, velocity: D::Vec) -> bool {
        let bodies = self.bodies.states.iter().zip(&self.bodies.props);
        self.nodes.iter().zip(bodies).all(|(node, (state, props))| {
            let foot = &self.feet[node.feet[0] as usize];
            let slop = world.contacts.hot[foot.contact as usize].slop;
            let speed = (state.v - velocity).length() + state.w.length() * props.extent;
            speed * speed <= 2.0 * world.settings.weight_scale() * slop
        })
    }

    /// Where the points are. False if something is not quite where it would rest.
    fn find_bases(&mut self, world: &mut World<D>, bearing: Bearing) -> bool {
        self.bases.clear();
        for node in &self.nodes {
            let feet = &mut self.feet[node.feet()];
            let Some(base) = Base::of(world, feet, bearing) else { return false };
            if base.parted > base.slop {
                // The points are those of another place: nothing moves any more, so nobody would look again.
                for foot in feet {
                    world.contacts.hot[foot.contact as usize].flags &= !flags::HAS_KEPT;
                }
                return false;
            }
            self.bases.push(base);
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
            let (base, feet) = (&self.bases[i], &self.feet[self.nodes[i].feet()]);
            let below = |foot: &Foot<D>| match foot.below {
                NONE => (D::Vec::ZERO, D::Ang::ZERO),
                below => (self.nodes[below as usize].shift, self.nodes[below as usize].turn),
            };
            let own = |foot: &Foot<D>| -> [Real; POINTS] {
                let slop = world.contacts.hot[foot.contact as usize].slop;
                let mut wanted = [0.0; POINTS];
                for point in 0..foot.count {
                    let mut k = base.answer(foot, point, 0, &self.bodies.props[i]);
                    if foot.below != NONE {
                        k += base.answer(foot, point, 1, &self.bodies.props[foot.below as usize]);
                    }
                    let sag =
                        soft[usize::from(foot.below == NONE)].sag(foot.press[point] / substeps, k).min(slop);
                    let separation = foot.separations[point];
                    wanted[point] = -share * (separation.max(0.0) + (separation + sag).min(0.0));
                }
                wanted
            };
            let (middle, turn) = if let [foot] = feet {
                // With what is below, and a little apart from it.
                let under = below(foot);
                let (rise, tilt) = base.fit(feet, own(foot).into_iter().take(foot.count));
                (under.0 + D::cross_ang(under.1, foot.levers[1]) + base.normal * rise, under.1 + tilt)
            } else {
                let points = feet.iter().flat_map(|foot| {
                    let (under, own) = (below(foot), own(foot));
                    (0..foot.count).map(move |point| {
                        let at = under.0 + D::cross_ang(under.1, base.lever(foot, point, 1));
                        own[point] + at.dot(base.normal)
                    })
                });
                let (rise, tilt) = base.fit(feet, points);
                let alike = 1.0 / feet.len() as Real;
                let (mut along, mut twist) = (D::Vec::ZERO, 0.0);
                for foot in feet {
                    let under = below(foot);
                    along += (under.0 + D::cross_ang(under.1, foot.levers[1])) * alike;
                    twist += about::<D>(under.1, base.normal) * alike;
                }
                along -= base.normal * along.dot(base.normal);
                (along + base.normal * rise, tilt + super::spread::along_axis::<D>(base.normal, twist))
            };
            let shift = middle - D::cross_ang(turn, base.lever);
            let node = &mut self.nodes[i];
            (node.shift, node.turn) = (shift, turn);
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
    fn find_forces(&mut self, world: &World<D>, velocity: D::Vec, bearing: Bearing) -> bool {
        for i in (0..self.nodes.len()).rev() {
            let (props, state) = (&self.bodies.props[i], &self.bodies.states[i]);
            let (node, base) = (&mut self.nodes[i], &self.bases[i]);
            node.force += (velocity - state.v) * (1.0 / props.inv_mass);
            let spin = props.inertia.rotated(self.bodies.rotations[i]).apply(-state.w);
            node.couple += spin - D::cross(base.lever, node.force);
            let doing = (node.force, node.couple);
            let feet = &mut self.feet[node.feet()];
            if !base.bear(world, feet, doing, bearing) {
                return false;
            }
            for foot in feet.iter().filter(|foot| foot.below != NONE) {
                let under = &mut self.nodes[foot.below as usize];
                under.force += foot.force;
                under.couple += foot.couple + D::cross(foot.levers[1], foot.force);
            }
        }
        true
    }

    /// Impulses to the contacts, loads to whoever chooses what is refined.
    fn store(&self, world: &mut World<D>, bearing: Bearing) {
        let World { contacts, settings, islands, bodies, scratch, .. } = world;
        // Impulses are kept for sub-steps of the usual length.
        let scale = 1.0 / settings.substeps as Real;
        let gain = (settings.settling_rate * settings.dt).min(1.0);
        let up = settings.gravity * (-1.0 / settings.weight_scale());
        let per_weight = 1.0 / (settings.weight_scale() * settings.dt);
        let heavy = Heavy {
            per_weight,
            limit: settings.refine_load,
            chain: settings.direct_load,
            settled: settings.settling,
            up: [0, 1, 2].map(|i| if i < D::N { up.get(i) } else { 0.0 }),
        };
        for (node, base) in self.nodes.iter().zip(&self.bases) {
            let limit = load_limit(settings, islands, bodies.records[node.body].island);
            for foot in &self.feet[node.feet()] {
                let hot = &mut contacts.hot[foot.contact as usize];
                let (mut sum, pair) = (0.0, hot.bodies);
                let manifold = &mut hot.manifold;
                for (point, &press) in manifold.points_mut().iter_mut().zip(&foot.press) {
                    point.normal_impulse = press * scale;
                    point.load -= point.load * gain;
                    sum += press;
                }
                let along = foot.force - base.normal * foot.force.dot(base.normal);
                manifold.friction_impulse = along * if foot.side == 1 { scale } else { -scale };
                manifold.twist_impulse = about::<D>(foot.couple, base.normal) * scale;
                manifold.rolling_impulse = D::Ang::ZERO;
                let inv_masses = pair.map(|body| bodies.cores[body as usize].inv_mass);
                let rise = base.normal.dot(up) * if foot.side == 1 { 1.0 } else { -1.0 };
                let loads = heavy.of_contact(sum, inv_masses, || rise);
                match bearing {
                    Bearing::Solved => heavy.report((pair, false), loads, limit, &mut scratch.refine.loads),
                    // What the usual sub-steps go on with is settled, as they would have it in time.
                    Bearing::Foreseen => {
                        let share = heavy.settled_share(loads.0);
                        let points = manifold.points_mut().iter_mut();
                        points.for_each(|point| point.load = point.normal_impulse * share);
                    }
                }
            }
        }
        for &side in &self.sides {
            let manifold = &mut contacts.hot[side as usize].manifold;
            manifold.points_mut().iter_mut().for_each(|point| point.normal_impulse = 0.0);
            manifold.friction_impulse = D::Vec::ZERO;
            manifold.twist_impulse = 0.0;
            manifold.rolling_impulse = D::Ang::ZERO;
        }
    }
}
