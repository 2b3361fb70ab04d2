//! Elastic bodies on joints keep their energy: what a step took from an island that nothing can take energy from is given back, and what it gave is taken.
//!
//! Impacts with restitution 1 keep the energy of free bodies. On joints it is lost in other ways: joints are damped springs, so that a whirl fades; what continuous collision
//! stops waits at an earlier moment with the velocities of a later one, which joints take for a fault; and of several blows within a step all but the first are
//! stopped without a bounce. Two balls on a joint at 10 m/s lost 80 % in ten seconds. Instead of following each of these, the energy of such an island is
//! counted before the step and after it, and its velocities are set right by the difference. Places are left alone: nothing gets anywhere that continuous collision has not seen.
//!
//! Only that part of the motion is scaled that can have changed. Where nothing else touches the island its momentum stays, its angular momentum is brought back to what it was, and what is scaled is the motion of its bodies
//! against each other. What a wall has struck may differ along the blow, and in its turn; what is missing beyond that is a bounce that did not come, and is given along the blow. Velocities that joints
//! allow stay so: joints are linear in them, and a motion of the whole is allowed by all.
//!
//! Nothing is given where something may take energy by right: friction, restitution below 1, drag, limits of joints (which are not elastic). Nothing is given or taken where something else may
//! give it: restitution above 1, springs, motors, joints to what is not part of the island, moving surfaces, torques, generators of forces.

use super::World;
use crate::body::{AwakeBodies, BodyKind, NONE};
use crate::contact::flags;
use crate::island::small_steps;
use crate::joint::{Joint, JointKind};
use crate::math::*;

/// Restitution from which on impacts take nothing (no unit).
const ELASTIC: Real = 0.9999;
/// Restitution from which on they give energy (no unit).
const MOST_ELASTIC: Real = 1.0001;

/// Most bodies of an island that is looked at. More of them are a heap.
const MOST_BODIES: u32 = 64;

/// What touches something and is slower than this many steps of gravity, root of the mean square, comes to rest: it gets nothing (no unit).
const RESTING: f64 = 4.0;

/// A push of less than this share of the momentum at the mean speed is rounding (no unit).
const PUSHED: f64 = 1e-3;

/// A push of more than this many steps of gravity is a blow (no unit); what lies is borne by one.
const BLOW: f64 = 2.0;
/// A push of less than this many does not bear anything (no unit).
const BEARING: f64 = 0.5;

/// The squares of speeds are scaled by no more than this in a step (no unit).
const MOST_GIVEN: f64 = 64.0;
/// The same after a blow. The rest is given along the blow.
const MOST_AFTER_BLOW: f64 = 2.0;

/// Differences below this share of the energy are rounding (no unit).
const ROUNDING: f64 = 1e-7;

/// Passes over an island that has got many times its energy: each leaves some by rounding.
const PASSES: usize = 3;
/// Such a one has this many times its energy (no unit).
const BURST: f64 = 100.0;

/// An island before the step.
#[derive(Clone, Copy, Debug)]
struct Account<D: Dim> {
    island: u32,
    /// Kinetic energy [J].
    energy: f64,
    /// [kg].
    mass: f64,
    /// [kg·m/s].
    momentum: D::Vec,
    /// About the centre of mass [kg·m²/s]; None if something may change it.
    turning: Option<D::Ang>,
    /// What it loses is given back.
    gives: bool,
    /// Something else is near enough to push it.
    is_touched: bool,
}

/// Accounts of one step. Lives from step to step to keep its memory.
#[derive(Debug)]
pub(crate) struct Ledger<D: Dim> {
    islands: Vec<u32>,
    accounts: Vec<Account<D>>,
}

impl<D: Dim> Default for Ledger<D> {
    fn default() -> Self {
        Self { islands: Vec::new(), accounts: Vec::new() }
    }
}

/// How an island moves: as a whole, and its bodies against each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<D: Dim> {
    /// [kg].
    pub mass: f64,
    /// Centre of the first body, and from there to the centre of mass [m]: far from the origin of the world arms would be rounded.
    origin: D::Point,
    center: D::Vec,
    pub v: D::Vec,
    /// Angular momentum about the centre [kg·m²/s], inertia, and the spin they give [rad/s].
    turning: D::Ang,
    inv_inertia: D::Inertia,
    pub spin: D::Ang,
    /// Kinetic energy of all [J].
    energy: f64,
    /// Of the spin of the whole [J].
    pub spinning: f64,
    /// Of what is left without the motion of the whole [J].
    pub inner: f64,
}

/// What the outside did to an island in a step.
struct Outside<D: Dim> {
    /// Work of gravity and forces [J].
    work: f64,
    /// Their impulse [N·s].
    pull: D::Vec,
}

/// How the motion of an island is changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<D: Dim> {
    /// The velocity and spin of the whole that are left alone.
    pub kept: D::Vec,
    pub kept_spin: D::Ang,
    /// By this the velocities beside that are scaled (no unit).
    pub factor: Real,
    /// What is added to the spin and the velocity of the whole.
    pub turn: D::Ang,
    pub bounce: D::Vec,
}

impl<D: Dim> World<D> {
    /// Counts the energy of the islands that should keep it, before the step.
    pub(super) fn open_accounts(&mut self, awake: &AwakeBodies<D>) {
        let mut ledger = core::mem::take(&mut self.scratch.ledger);
        ledger.islands.clear();
        ledger.accounts.clear();
        let may_bounce = self.scratch.has_sprung && self.settings.restitution;
        if self.settings.keep_energy && may_bounce && self.has_usual_energy(awake) {
            let sprung = awake.props.iter().filter(|props| props.is_sprung);
            ledger.islands.extend(sprung.map(|props| self.bodies.records[props.body].island));
            ledger.islands.sort_unstable();
            ledger.islands.dedup();
            for &island in ledger.islands.iter().filter(|&&island| island != NONE) {
                ledger.accounts.extend(self.account(awake, island));
            }
        }
        self.scratch.ledger = ledger;
    }

    /// True if energy is what `outside` counts.
    pub(super) fn has_usual_energy(&self, awake: &AwakeBodies<D>) -> bool {
        // Other integrators keep another energy.
        self.methods.integrator.name() == "semi-implicit-euler"
            && awake.tracks.is_empty()
            && self.methods.solver.leaves_standing()
            && self.generator_count() == 0
    }

    /// The account of an island; None if something in it may give energy.
    fn account(&self, awake: &AwakeBodies<D>, island: u32) -> Option<Account<D>> {
        let first = self.members(island).next()?;
        let common = awake.props[awake.slot(first) as usize].acceleration;
        if !(2..=MOST_BODIES).contains(&self.islands.slots[island].count) {
            return None;
        }
        let (mut gives, mut is_touched, mut is_even) = (true, false, true);
        for body in self.members(island) {
            let props = &awake.props[awake.slot(body) as usize];
            if props.locks != 0 || props.inv_mass <= 0.0 || props.angular_acceleration != D::Ang::ZERO {
                return None;
            }
            gives &= props.drag == crate::Drag::default();
            is_even &= props.acceleration == common;
            let record = &self.bodies.records[body];
            // In flight nothing touches what is not elastic, but what somebody kicks is shared out by the joints, at the expense of its energy: only those get it back that are meant to keep it whatever happens.
            gives &= record.shapes.iter().all(|&shape| self.keeps_energy(shape));
            for (index, side) in self.joints.of_body(record.first_joint) {
                let joint = &self.joints.hot[index as usize];
                let other = self.bodies.records[joint.bodies[1 - side]].island;
                if joint.drives() || joint.softness.is_some() || other != island {
                    return None;
                }
                gives &= takes_nothing(joint);
            }
            for (index, side) in self.contacts.of_body(record.first_contact) {
                let contact = &self.contacts.hot[index as usize];
                if !contact.is_solid() {
                    continue;
                }
                let other = contact.bodies[1 - side];
                let is_inside = self.bodies.records[other].island == island;
                let stands = self.bodies.records[other].kind != BodyKind::Dynamic
                    && self.bodies.cores[other as usize].motion == crate::Motion::ZERO;
                let is_driven = contact.flags & flags::SURFACE != 0 || contact.restitution > MOST_ELASTIC;
                if !is_inside && !stands || is_driven {
                    return None;
                }
                let is_smooth = !self.settings.friction
                    || contact.friction == 0.0
                        && contact.static_friction == 0.0
                        && contact.rolling == 0.0
                        && contact.spinning == 0.0;
                gives &= is_smooth && contact.restitution >= ELASTIC;
                is_touched |= !is_inside;
            }
        }
        let whole = self.whole(island, awake);
        Some(Account {
            island,
            energy: whole.energy,
            mass: whole.mass,
            momentum: whole.v * whole.mass as Real,
            // Unequal forces turn the whole.
            turning: (is_even && !is_touched).then_some(whole.turning),
            gives,
            is_touched,
        })
    }

    /// True if a shape is made of something that takes no energy.
    fn keeps_energy(&self, shape: u32) -> bool {
        let shape = &self.shapes[shape];
        let material = &shape.material;
        shape.is_sensor
            || material.restitution >= ELASTIC && (material.friction == 0.0 || !self.settings.friction)
    }

    /// Sets the energy of these islands right, after the step.
    pub(super) fn settle_accounts(&mut self) {
        if self.scratch.ledger.accounts.is_empty() {
            return;
        }
        let ledger = core::mem::take(&mut self.scratch.ledger);
        let mut awake = core::mem::take(&mut self.scratch.awake);
        for account in &ledger.accounts {
            for _ in 0..PASSES {
                if !self.settle(account, &mut awake) {
                    break;
                }
            }
        }
        self.scratch.awake = awake;
        self.scratch.ledger = ledger;
    }

    /// Sets the energy of an island right. True if it had many times what it should have: then some is left.
    fn settle(&self, account: &Account<D>, awake: &mut AwakeBodies<D>) -> bool {
        let whole = self.whole(account.island, awake);
        if !whole.energy.is_finite() || account.energy <= 0.0 {
            return false;
        }
        let h = self.substep(account.island);
        let Outside { work, pull } = self.outside(account.island, awake, h);
        let due = account.energy + work;
        let mut missing = due - whole.energy;
        if missing.abs() <= ROUNDING * account.energy {
            return false;
        }
        let usual = (2.0 * account.energy * account.mass).sqrt();
        let weight = f64::from(pull.length());
        let push = whole.v * whole.mass as Real - account.momentum - pull;
        let strength = f64::from(push.length()) - PUSHED * usual;
        let is_struck = account.is_touched && strength > BLOW * weight;
        if missing > 0.0 {
            let is_borne = strength > BEARING * weight && !is_struck;
            // What slides along is at rest in itself.
            let own = if is_borne { (2.0 * whole.inner * whole.mass).sqrt() } else { usual };
            let may_rest = account.is_touched && own < RESTING * weight;
            if !account.gives || may_rest {
                return false;
            }
        }
        // Back to its angular momentum; energy comes first: b·t + a·t² of it for the share t of the turn, and no more than there is.
        let (mut turn, mut spinning) = (D::Ang::ZERO, whole.spinning);
        if let Some(before) = account.turning {
            let gap = before - whole.turning;
            turn = whole.inv_inertia.apply(gap);
            let (a, b) = (0.5 * f64::from(turn.dot(gap)), f64::from(turn.dot(whole.turning)));
            let share = largest_share(a, b, missing + whole.inner);
            turn = turn * share as Real;
            let given = share * (b + share * a);
            (missing, spinning) = (missing - given, spinning + given);
        }
        // What is kept, and what is scaled.
        let (mut kept, mut kept_spin, mut part) = (whole.v, whole.spin, whole.inner);
        let (along, mut speed) = (push.normalize_or(D::Vec::ZERO), 0.0);
        if is_struck {
            speed = whole.v.dot(along);
            (kept, kept_spin) = (whole.v - along * speed, D::Ang::ZERO);
            part += spinning + 0.5 * whole.mass * f64::from(speed * speed);
        }
        let most = if is_struck { MOST_AFTER_BLOW } else { MOST_GIVEN };
        let square = if part > 0.0 { (1.0 + missing / part).clamp(0.0, most) } else { 1.0 };
        let factor = square.sqrt() as Real;
        missing -= part * (square - 1.0);
        let mut bounce = D::Vec::ZERO;
        if is_struck && missing > 0.0 {
            // Of h·a·v/2 for the velocity along the blow (see `outside`), with what has been scaled already.
            let lead = 0.5 * h * along.dot(pull) / (self.settings.dt * whole.mass as Real);
            let left = 2.0 * (missing / whole.mass - f64::from(lead * speed * (factor - 1.0))).max(0.0);
            let sum = f64::from(speed * factor + lead);
            bounce = along * ((sum * sum + left).sqrt() - sum).max(0.0) as Real;
        } else if !is_struck && missing < 0.0 && spinning > 0.0 {
            // Energy comes before angular momentum. Joints that give way store some; without this, what turns would gain it whenever they come back.
            let left = (1.0 + missing / spinning).max(0.0).sqrt() as Real;
            turn -= (whole.spin + turn) * (1.0 - left);
        }
        self.change(account.island, awake, &whole, Change { kept, kept_spin, factor, turn, bounce });
        whole.energy > BURST * due.max(account.energy)
    }

    /// Changes the velocities of an island that moves as `whole`.
    pub(super) fn change(
        &self,
        island: u32,
        awake: &mut AwakeBodies<D>,
        whole: &Whole<D>,
        Change { kept, kept_spin, factor, turn, bounce }: Change<D>,
    ) {
        for body in self.members(island) {
            let slot = awake.slot(body) as usize;
            let arm = awake.center(slot) - whole.origin - whole.center;
            let state = &mut awake.states[slot];
            let base = kept + D::cross_ang(kept_spin, arm);
            let v = base + (state.v - base) * factor + D::cross_ang(turn, arm) + bounce;
            // The integrator has had its say.
            let speed = v.length();
            state.v = if speed > self.settings.max_speed { v * (self.settings.max_speed / speed) } else { v };
            state.w = kept_spin + (state.w - kept_spin) * factor + turn;
        }
    }

    /// What gravity and forces did to an island, whose sub-steps have the length `h` [s].
    fn outside(&self, island: u32, awake: &AwakeBodies<D>, h: Real) -> Outside<D> {
        let mut outside = Outside { work: 0.0, pull: D::Vec::ZERO };
        for body in self.members(island) {
            let slot = awake.slot(body) as usize;
            let (state, props) = (&awake.states[slot], &awake.props[slot]);
            let mass = 1.0 / props.inv_mass;
            // What semi-implicit Euler keeps in flight is v²/2 − a·x + h·a·v/2: of v²/2 − a·x it loses h·a²/2 per second, and impacts give it back.
            let change = state.v - self.bodies.cores[body as usize].motion.linear;
            outside.work += f64::from(mass * props.acceleration.dot(state.dp - change * (0.5 * h)));
            outside.pull += props.acceleration * (mass * self.settings.dt);
        }
        outside
    }

    /// Length of the sub-steps of an island [s].
    fn substep(&self, island: u32) -> Real {
        let level = self.islands.slots[island].level;
        let usual = self.settings.dt / (self.settings.substeps * small_steps(level)) as Real;
        usual * self.scratch.refine.longer(island, level)
    }

    /// The bodies of an island.
    pub(super) fn members(&self, island: u32) -> impl Iterator<Item = u32> + '_ {
        let head = self.islands.slots[island].head;
        let known = |body: u32| (body != NONE).then_some(body);
        core::iter::successors(known(head), move |&body| known(self.bodies.records[body].island_next))
    }

    /// How an island moves.
    pub(super) fn whole(&self, island: u32, awake: &AwakeBodies<D>) -> Whole<D> {
        let slots = || self.members(island).map(|body| awake.slot(body) as usize);
        let origin = slots().next().map_or(D::Point::ORIGIN, |slot| awake.center(slot));
        let (mut mass, mut center, mut v) = (0.0, D::Vec::ZERO, D::Vec::ZERO);
        for slot in slots() {
            let m = 1.0 / awake.props[slot].inv_mass;
            mass += m;
            center += (awake.center(slot) - origin) * m;
            v += awake.states[slot].v * m;
        }
        (center, v) = (center * (1.0 / mass), v * (1.0 / mass));
        let (mut inertia, mut turning) = (D::Inertia::ZERO, D::Ang::ZERO);
        for slot in slots() {
            let (m, arm) = (1.0 / awake.props[slot].inv_mass, awake.center(slot) - origin - center);
            let own = awake.props[slot].inertia.rotated(awake.rotations[slot]);
            inertia = inertia.plus(own).plus(D::Inertia::of_point(m, arm));
            turning += own.apply(awake.states[slot].w) + D::cross(arm, awake.states[slot].v - v) * m;
        }
        let inv_inertia = inertia.inverse();
        let spin = inv_inertia.apply(turning);
        let (mut energy, mut inner) = (0.0, 0.0);
        for slot in slots() {
            let (state, arm) = (&awake.states[slot], awake.center(slot) - origin - center);
            energy += kinetic(awake, slot, state.v, state.w);
            inner += kinetic(awake, slot, state.v - v - D::cross_ang(spin, arm), state.w - spin);
        }
        let spinning = 0.5 * f64::from(spin.dot(turning));
        let mass = f64::from(mass);
        Whole { mass, origin, center, v, turning, inv_inertia, spin, energy, spinning, inner }
    }
}

/// Kinetic energy of a body that moves so [J].
pub(super) fn kinetic<D: Dim>(awake: &AwakeBodies<D>, slot: usize, v: D::Vec, w: D::Ang) -> f64 {
    let (w, props) = (awake.rotations[slot].rotate_ang_inv(w), &awake.props[slot]);
    0.5 * f64::from(v.length_squared() / props.inv_mass + w.dot(props.inertia.apply(w)))
}

/// True if a joint cannot take energy by right: what it does not hold is free, without limits.
fn takes_nothing<D: Dim>(joint: &Joint<D>) -> bool {
    joint.only_holds() || matches!(&joint.kind, JointKind::Distance(line) if line.min == line.max)
}

/// The largest share t of [0, 1] for which b·t + a·t² is at most `most`, or the one for which it is least if there is none; a ≥ 0 (no unit).
fn largest_share(a: f64, b: f64, most: f64) -> f64 {
    if a + b <= most {
        return 1.0;
    }
    let root = (b * b + 4.0 * a * most).max(0.0).sqrt();
    // Without a difference of like numbers.
    let t = if b > 0.0 { 2.0 * most / (b + root) } else { (root - b) / (2.0 * a) };
    if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_is_found() {
        for (a, b, most, t) in [
            (1.0, 1.0, 2.0, 1.0),
            (1.0, 1.0, 0.75, 0.5),
            (1.0, 1.0, 0.0, 0.0),
            (1.0, 1.0, -1.0, 0.0),
            (1.0, -1.0, 0.0, 1.0),
            (1.0, -1.0, -0.25, 0.5),
            // None: the one for which it is least.
            (1.0, -1.0, -1.0, 0.5),
            (0.0, 0.0, -1.0, 0.0),
        ] {
            assert!((largest_share(a, b, most) - t).abs() < 1e-12, "{a} {b} {most}");
        }
    }
}
