//! Finer sub-steps for the groups that need them.
//!
//! A soft contact gives way by load/(m·ω²), and ω is bounded by the length of a sub-step. So a tower buckles above some
//! height, and a light box under a heavy one is pressed flat, whatever the rest of the world does. An island in which a
//! contact or joint carries many times the weight of its lighter body is solved with sub-steps 2, 4, … times finer (and
//! contacts as many times stiffer in frequency), apart from all others: islands share no dynamic body, so the split is
//! exact. What decides is the state alone, so repeats, threads and restored snapshots choose alike.
//!
//! How fine: a column of n bodies under the load r (in weights of one body) is as stiff against tipping as n²·r against
//! ω². Boxes of equal weight stand up to n = 14 at the usual ω (`docs/decisions/006-soft-step.md`), so ω has to grow by
//! √(c·r·n²/14³); c = 2.5 covers the load on top, which bends more than the column's own weight [Timoshenko1961].

use super::World;
use super::step::solve_part;
use crate::Settings;
use crate::body::{AwakeBodies, BodySet, NO_SLOT, NONE};
use crate::island::Islands;
use crate::math::*;
use crate::solver::HeavyLoad;

/// Height in bodies that the usual sub-steps hold upright.
const STEADY_HEIGHT: Real = 14.0;
/// How much more a load on top bends a column than its own weight.
const TOP_LOAD: Real = 2.5;
/// A group that is refined at all gets at least this much stiffer: sixteen times finer. It is small, so that costs little,
/// and a balance at its limit (an arch, an overhang) forgives a sag of hundredths of a millimetre at most.
const LEAST_GAIN: Real = 100.0;
/// An island of more bodies than this many times its largest load is a heap, not a column: the load is shared.
const SLENDER: Real = 4.0;
/// A level is kept while a load this many times larger would ask for it.
const SWING: Real = 1.4;
/// Joints bear this many times as much as contacts before they need finer sub-steps: they pull straight, not over.
const JOINT_EASE: Real = 3.0;
/// Cosine to the vertical of a contact that bears.
const UPRIGHT: Real = 0.5;
/// Loads are reported from this share of `refine_load` on.
const REPORT: Real = 0.75;
/// Steps that a load has to last.
const WINDOW: u8 = 8;
/// Steps without need before a level is given up, one at a time.
const CALM_STEPS: u8 = 30;

/// Memory that refinement keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Groups<D: Dim> {
    /// What the solver reported in this step.
    pub loads: Vec<HeavyLoad>,
    /// The bodies of one group.
    bodies: AwakeBodies<D>,
    /// The bodies of all refined groups, at the start of the step.
    saved: AwakeBodies<D>,
    /// Slot in the whole and level of each body in a refined island.
    members: Vec<(u8, u32)>,
    /// Bodies whose island has got a new contact in this step.
    pub grown: Vec<u32>,
    /// Per island: its largest load in this step, measured and by weight.
    worst: Vec<(u32, Real, Real)>,
}

/// Loads above this are worth a report for a body of this island: heaps share theirs.
pub(super) fn load_limit<D: Dim>(settings: &Settings<D>, islands: &Islands, island: u32) -> Real {
    let count = if island == NONE { 1 } else { islands.slots[island].count };
    (REPORT * settings.refine_load).max(count as Real / (SWING * SLENDER))
}

/// Solves everything, with finer sub-steps where they are needed.
pub(super) fn solve<D: Dim>(world: &mut World<D>, whole: &mut AwakeBodies<D>) {
    world.profile.counters.refinement = 1;
    if world.islands.refined == 0 {
        solve_part(world, whole, 1, false);
    } else if world.generators.slots.is_empty() && whole.tracks.is_empty() {
        solve_groups(world, whole);
    } else {
        // Generators and integrators with a memory of their own connect all bodies: the finest level for everything.
        let islands = whole.props.iter().map(|props| world.bodies.records[props.body].island);
        let levels = islands.filter(|&island| island != NONE).map(|island| world.islands.slots[island].level);
        let finest = levels.max().unwrap_or(0);
        world.profile.counters.refined = whole.len() as u32;
        world.profile.counters.refinement = 1 << finest;
        solve_part(world, whole, 1 << finest, false);
    }
}

/// Solves the ordinary islands together, then those of each level.
fn solve_groups<D: Dim>(world: &mut World<D>, whole: &mut AwakeBodies<D>) {
    let mut groups = core::mem::take(&mut world.scratch.refine);
    groups.members.clear();
    for (slot, props) in whole.props.iter().enumerate() {
        let island = world.bodies.records[props.body].island;
        let level = if island == NONE { 0 } else { world.islands.slots[island].level };
        if level > 0 {
            groups.members.push((level, slot as u32));
        }
    }
    // Stable: the slots of a level stay in order.
    groups.members.sort_unstable();
    let finest = groups.members.last().map_or(0, |&(level, _)| level);
    world.profile.counters.refined = groups.members.len() as u32;
    world.profile.counters.refinement = 1 << finest;
    // The ordinary ones are solved in the arrays of the whole. Refined bodies are there too, but nothing acts on them; what
    // they should start from is put aside.
    let mut saved = core::mem::take(&mut groups.saved);
    saved.copy_members(whole, groups.members.iter().map(|&(_, slot)| slot));
    saved.add_kinematic(whole);
    for &(_, slot) in &groups.members {
        whole.slots[whole.props[slot as usize].body as usize] = NO_SLOT;
    }
    world.scratch.refine.loads = core::mem::take(&mut groups.loads);
    solve_part(world, whole, 1, true);
    let mut from = 0;
    while from < groups.members.len() {
        let level = groups.members[from].0;
        let to = from + groups.members[from..].iter().take_while(|member| member.0 == level).count();
        let part = &mut groups.bodies;
        // Kinematic bodies stand behind the members: every group meets them.
        let kinematic = groups.members.len()..saved.len();
        part.copy_members(&saved, (from..to).chain(kinematic).map(|slot| slot as u32));
        part.find_slots(whole.slots.len());
        solve_part(world, part, 1 << level, true);
        for (i, &(_, slot)) in groups.members[from..to].iter().enumerate() {
            whole.states[slot as usize] = part.states[i];
            whole.rotations[slot as usize] = part.rotations[i];
        }
        from = to;
    }
    groups.saved = saved;
    groups.loads = core::mem::take(&mut world.scratch.refine.loads);
    world.scratch.refine = groups;
}

impl<D: Dim> World<D> {
    /// Chooses the levels for the next step from the loads of this one.
    pub(super) fn refine_islands(&mut self) {
        if self.scratch.refine.loads.is_empty() && self.islands.refined == 0 {
            return;
        }
        let mut groups = core::mem::take(&mut self.scratch.refine);
        groups.worst.clear();
        for load in &groups.loads {
            let island = load.bodies.map(|body| self.bodies.records.get(body).map_or(NONE, |r| r.island));
            if let Some(&island) = island.iter().find(|&&island| island != NONE) {
                let mut ratio = load.ratio;
                if load.is_joint {
                    // Joints that contradict each other pull without end, and finer sub-steps make that worse; at rest nothing
                    // bears more than the whole weighs.
                    ratio = ratio.min(SWING * self.build_of(island).1) / JOINT_EASE;
                }
                let (measured, weight) = if load.is_weight { (0.0, ratio) } else { (ratio, 0.0) };
                groups.worst.push((island, measured, weight));
            }
        }
        // One entry per island, with its largest loads of both kinds.
        groups.worst.sort_unstable_by_key(|entry| entry.0);
        groups.worst.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                (kept.1, kept.2) = (kept.1.max(next.1), kept.2.max(next.2));
            }
            is_same
        });
        for &(island, measured, weight) in &groups.worst {
            self.raise_or_calm(island, measured, weight);
        }
        if self.islands.refined > 0 {
            for i in 0..self.bodies.set(BodySet::Awake).len() {
                let body = self.bodies.set(BodySet::Awake).as_slice()[i];
                let island = self.bodies.records[body].island;
                // Each island once: at its first body.
                if island == NONE || self.islands.slots[island].head != body {
                    continue;
                }
                let is_loaded = groups.worst.binary_search_by_key(&island, |entry| entry.0).is_ok();
                if self.islands.slots[island].level > 0 && !is_loaded {
                    self.raise_or_calm(island, 0.0, 0.0);
                }
            }
        }
        self.scratch.refine = groups;
    }

    /// Columns that have grown in this step: their lowest contact will bear the whole, so they are refined before they are
    /// compressed.
    pub(super) fn refine_columns(&mut self) {
        let mut groups = core::mem::take(&mut self.scratch.refine);
        groups.grown.sort_unstable();
        groups.grown.dedup();
        for &body in &groups.grown {
            let island = self.bodies.records.get(body).map_or(NONE, |record| record.island);
            if island == NONE || self.islands.slots[island].level > 0 {
                continue;
            }
            let count = self.islands.slots[island].count as Real;
            if count > self.settings.refine_load && self.is_column(island) {
                let (_, weight) = self.build_of(island);
                let level = self.level_for(island, weight);
                self.islands.set_level(island, level, 0);
            }
        }
        groups.grown.clear();
        self.scratch.refine = groups;
    }

    /// Raises the level when a load has lasted, or is to be expected by weight; lowers it when less was enough for a while.
    fn raise_or_calm(&mut self, island: u32, measured: Real, weight: Real) {
        let limit = self.settings.refine_load;
        let slot = &mut self.islands.slots[island];
        // An impact is heavy too, but over in a step or two: what counts is the least load of a window.
        let least = if slot.window == 0 { measured } else { slot.least.min(measured) };
        (slot.window, slot.least) = if measured > limit { (slot.window + 1, least) } else { (0, 0.0) };
        let mut lasting = 0.0;
        if slot.window == WINDOW {
            (lasting, slot.window, slot.least) = (slot.least, 0, 0.0);
        }
        let (level, calm) = (slot.level, slot.calm);
        let wanted = |load: Real| if load > limit { self.level_for(island, load) } else { 0 };
        let (by_load, by_weight) = (wanted(lasting), wanted(weight));
        if by_weight > level {
            self.islands.set_level(island, by_weight, 0);
        } else if by_load > level {
            // One at a time: what is compressed already must not be let off like a spring.
            self.islands.set_level(island, level + 1, 0);
        } else if level > 0 {
            // Loads near a limit must not make the level swing.
            let held = self.level_for(island, measured.max(weight) * SWING) >= level;
            match (held, calm >= CALM_STEPS) {
                (true, _) => self.islands.set_level(island, level, 0),
                (false, true) => self.islands.set_level(island, level - 1, 0),
                (false, false) => self.islands.set_level(island, level, calm + 1),
            }
        }
    }

    /// True if an island is a column, an arch, a stack: about as many links as bodies, most of them one above the other. Walks
    /// no further than it has to: heaps show at once.
    fn is_column(&self, island: u32) -> bool {
        let up = self.settings.gravity * (-1.0 / self.settings.weight_scale());
        let mut body = self.islands.slots[island].head;
        let (mut bodies, mut ends, mut upright) = (0_u32, 0_u32, 0_u32);
        while body != NONE {
            bodies += 1;
            for (contact, side) in self.contacts.of_body(self.bodies.records[body].first_contact) {
                let hot = &self.contacts.hot[contact as usize];
                let other = hot.bodies[1 - side];
                if !hot.is_solid() || self.bodies.records[other].island != island {
                    continue;
                }
                ends += 1;
                let place = &self.bodies.places[hot.bodies[0] as usize];
                let normal = place.rotation.rotate(hot.manifold.local_normal);
                upright += u32::from(normal.dot(up).abs() > UPRIGHT);
            }
            // Each link has two ends.
            if ends > 2 * bodies + 2 {
                return false;
            }
            body = self.bodies.records[body].island_next;
        }
        2 * upright >= ends
    }

    /// The level that an island with the given load needs.
    fn level_for(&self, island: u32, load: Real) -> u8 {
        let count = self.islands.slots[island].count as Real;
        if count > SLENDER * load {
            return 0;
        }
        let (height, weight) = self.build_of(island);
        // At rest nothing bears more than the whole weighs.
        let load = load.min(SWING * weight);
        if load <= self.settings.refine_load {
            return 0;
        }
        let height = height.min(count);
        let needed = TOP_LOAD * load * height * height / (STEADY_HEIGHT * STEADY_HEIGHT * STEADY_HEIGHT);
        // ω grows by 2 per level: 4^level ≥ needed.
        let mut level = 0;
        let needed = needed.max(LEAST_GAIN);
        while (1_u64 << (2 * level)) as Real <= needed && 2_u32 << level <= self.settings.max_refinement {
            level += 1;
        }
        level as u8
    }

    /// Length of an island in bodies (its longest extent over their mean size) and its mass over that of the lightest.
    fn build_of(&self, island: u32) -> (Real, Real) {
        let mut body = self.islands.slots[island].head;
        let first = self.bodies.places[body as usize].position;
        let (mut low, mut high, mut size, mut count) = (D::Vec::ZERO, D::Vec::ZERO, 0.0, 0.0);
        let (mut mass, mut lightest) = (0.0, Real::INFINITY);
        while body != NONE {
            let from_first = self.bodies.places[body as usize].position - first;
            for i in 0..D::N {
                low.set(i, low.get(i).min(from_first.get(i)));
                high.set(i, high.get(i).max(from_first.get(i)));
            }
            let core = &self.bodies.cores[body as usize];
            size += core.extent;
            if core.inv_mass > 0.0 {
                mass += 1.0 / core.inv_mass;
                lightest = lightest.min(1.0 / core.inv_mass);
            }
            count += 1.0;
            body = self.bodies.records[body].island_next;
        }
        let longest = (0..D::N).map(|i| high.get(i) - low.get(i)).fold(0.0, Real::max);
        let height = if size > 0.0 { 1.0 + longest * count / size } else { count };
        (height, mass / lightest)
    }
}
