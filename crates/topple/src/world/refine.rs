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
//! √(c·r·n²/14³); c = 2.5 covers the load on top, which bends more than the column's own weight [Timoshenko1961]. That is for boxes
//! of 1 m. What a contact gives way is a length, g/ω² for each weight that it bears, so smaller boxes sink by more for their size:
//! a column counts as if it were higher by the root of that ratio, and has to be stiffer by the ratio.
//!
//! Low columns are refined as well if they stand so near to tipping that the tilt of soft contacts could decide (`lean.rs`).

use super::World;
use super::lean::Lean;
use super::sleep::LOOK_STEPS;
use super::small_steps;
use super::statics;
use super::step::{StepPart, solve_part};
use super::structure::{Size, Structure, Tower};
use crate::Settings;
use crate::body::{AwakeBodies, BodySet, NO_SLOT, NONE};
use crate::island::{Island, Islands, small_steps as small_steps_of};
use crate::joint::OCTAVE;
use crate::math::*;
use crate::solver::{HeavyLoad, Softness};
use std::time::{Duration, Instant};

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
pub(super) const SWING: Real = 1.4;
/// Joints bear this many times as much as contacts before they need finer sub-steps: they pull straight, not over, and a joint of
/// 60 Hz that bears 40 weights gives way by 2.8 mm.
pub(super) const JOINT_EASE: Real = 5.0;
/// From there on they need what a contact with this share of the load needs.
const JOINT_SHARE: Real = 1.0 / 3.0;
/// What bears this many times the weight of the whole island is pressed by something else, such as joints that contradict each
/// other (no unit).
const CONTRADICTION: Real = 4.0;
/// Nothing of more bodies is looked at as a column.
const HIGHEST: u32 = 1024;
/// Nothing of more bodies is looked at as towers that stand on something together.
const MOST: u32 = 8192;
/// Columns that stand straight bear this many times `refine_load` before they need it (no unit): a balance near its limit
/// forgives less.
const STRAIGHT: Real = 1.5;
/// Bodies of a heap on its way that happen to lean on each other in a row are fewer than this many times `refine_load` (no unit).
const BY_CHANCE: Real = 1.2;
/// Inner radius of a body over what a contact gives way under its weight, for a box of 1 m at the usual frequency (no unit). What is
/// larger counts as that: it needs less, but towers of it are no rarer.
const FIRM: Real = 1800.0;
/// The same for its extent.
const STOUT: Real = 2500.0;
/// Bodies of a low column that may be in motion when it is looked at: the one that lands.
const LANDING: u32 = 1;
/// Loads are reported from this share of `refine_load` on.
const REPORT: Real = 0.75;
/// Time that a load has to last [s]: longer than an impact.
const WINDOW: Real = 0.13;
/// The same in steps, at least.
const LEAST_WINDOW: Real = 8.0;
/// Time without need before a level is given up, one at a time [s]. Not too short: what bounces about with its level going up and
/// down gains energy, because contacts and joints give way under a load while they are soft and lift it when they get stiff.
const CALM: Real = 1.0;

/// Memory that refinement keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Groups<D: Dim> {
    /// What the solver reported in this step.
    pub loads: Vec<HeavyLoad>,
    /// The bodies of one group.
    bodies: AwakeBodies<D>,
    /// The bodies of all refined groups, at the start of the step.
    saved: AwakeBodies<D>,
    /// For the small steps of one group.
    small_steps: small_steps::Scratch<D>,
    /// Refined islands that are heavy chains, ascending.
    chains: Vec<u32>,
    /// How often the sub-steps of those that are solved in one small step were halved.
    halvings: u32,
    /// For what stands.
    statics: statics::Scratch<D>,
    /// How each body of a refined island is solved, and its slot in the whole.
    members: Vec<(Way, u32)>,
    /// Bodies whose island has got a new contact in this step, and whether that is one of a heavy body with a light one.
    pub grown: Vec<(u32, bool)>,
    worst: Vec<Worst>,
}

/// How a refined island is solved: its level, and whether its joints are solved all at once.
type Way = (u8, bool);

/// Kinds of loads: of contacts and of joints, each measured and by weight.
const KINDS: usize = 4;

/// The largest loads of an island in a step, in weights of the lighter body (no unit).
#[derive(Clone, Copy, Debug)]
struct Worst {
    island: u32,
    ratios: [Real; KINDS],
}

impl<D: Dim> Groups<D> {
    /// How many times longer than those of its level the sub-steps of a refined island were (no unit).
    pub(super) fn longer(&self, island: u32, level: u8) -> Real {
        let is_halved = level == 1 && self.chains.binary_search(&island).is_ok();
        if is_halved { (1_u32 << self.halvings) as Real } else { 1.0 }
    }
}

impl Worst {
    /// One load among the kinds.
    fn of(load: &HeavyLoad) -> [Real; KINDS] {
        let mut ratios = [0.0; KINDS];
        ratios[2 * usize::from(load.is_joint) + usize::from(load.is_weight)] = load.ratio;
        ratios
    }
}

/// What an island needs.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    /// Load of a contact, as measured, in weights of the lighter body (no unit).
    measured: Real,
    /// The same, to be expected by weight.
    weight: Real,
    /// Pull of a joint of a chain that flies, in weights of the lighter body (no unit): if it lasts, its joints should be solved all at once.
    pull: Real,
    /// That is one of something that hangs by joints.
    hangs: bool,
    /// Its joints should be solved all at once.
    joints: bool,
    /// If it is refined for its towers, the highest one: its size counts, not that of the whole.
    tower: Option<Tower>,
}

/// Loads above this are worth a report for a body of this island: heaps share theirs. What is refined is asked for all it bears.
pub(super) fn load_limit<D: Dim>(settings: &Settings<D>, islands: &Islands, island: u32) -> Real {
    let count =
        if island == NONE || islands.slots[island].level > 0 { 1 } else { islands.slots[island].count };
    (REPORT * settings.refine_load).max(count as Real / (SWING * SLENDER))
}

/// True if a level has not been needed for long enough to be given up.
pub(super) fn is_calm<D: Dim>(calm: u16, settings: &Settings<D>) -> bool {
    Real::from(calm) * settings.dt >= CALM || calm == u16::MAX
}

/// Solves everything, with finer sub-steps where they are needed.
pub(super) fn solve<D: Dim>(world: &mut World<D>, whole: &mut AwakeBodies<D>) {
    world.profile.counters.refinement = 1;
    if world.islands.refined == 0 {
        solve_part(world, whole, StepPart::WHOLE);
        return;
    }
    let start = Instant::now();
    let mut ordinary = Duration::ZERO;
    if whole.tracks.is_empty() {
        world.generators.begin_parts(whole);
        ordinary = solve_groups(world, whole);
        world.generators.end_parts();
    } else {
        // Integrators with a memory of their own know all bodies or none: the finest level for everything.
        let islands = whole.props.iter().map(|props| world.bodies.records[props.body].island);
        let levels = islands.filter(|&island| island != NONE).map(|island| world.islands.slots[island].level);
        let finest = levels.max().unwrap_or(0);
        world.profile.counters.refined = whole.len() as u32;
        // Joints are not solved all at once here, so chains get all there is instead.
        let count = match finest {
            1 => 1 << world.settings.max_refinement.ilog2(),
            _ => small_steps_of(finest),
        };
        world.profile.counters.refinement = count;
        solve_part(world, whole, StepPart { refinement: count, ..StepPart::WHOLE });
        let mut groups = core::mem::take(&mut world.scratch.refine);
        small_steps::stiffen_whole(world, whole, count, &mut groups.small_steps);
        world.scratch.refine = groups;
    }
    world.profile.refinement = start.elapsed() - ordinary;
}

/// Solves the ordinary islands together, then those of each level. Returns the time that went to the ordinary ones.
fn solve_groups<D: Dim>(world: &mut World<D>, whole: &mut AwakeBodies<D>) -> Duration {
    let mut groups = core::mem::take(&mut world.scratch.refine);
    groups.members.clear();
    groups.chains.clear();
    groups.statics.begin(whole);
    world.scratch.refine.loads = core::mem::take(&mut groups.loads);
    let leaves_standing = world.settings.statics && world.methods.solver.leaves_standing();
    for props in &whole.props {
        let island = world.bodies.records[props.body].island;
        let is_first = island != NONE && world.islands.slots[island].head == props.body;
        if !is_first || world.islands.slots[island].level == 0 {
            continue;
        }
        if world.is_direct_chain(island) {
            groups.chains.push(island);
        } else if leaves_standing {
            groups.statics.solve(world, whole, island);
        }
    }
    groups.chains.sort_unstable();
    for (slot, props) in whole.props.iter().enumerate() {
        let island = world.bodies.records[props.body].island;
        let level = if island == NONE { 0 } else { world.islands.slots[island].level };
        if groups.statics.stands(slot) {
            whole.slots[props.body as usize] = NO_SLOT;
        } else if level > 0 {
            let is_chain = groups.chains.binary_search(&island).is_ok();
            groups.members.push(((level, is_chain), slot as u32));
        }
    }
    // Stable: the slots of a level stay in order.
    groups.members.sort_unstable();
    let finest = groups.members.last().map_or(0, |&((level, _), _)| level);
    let standing = groups.statics.len();
    world.profile.counters.refined = (groups.members.len() + standing) as u32;
    world.profile.counters.standing = standing as u32;
    world.profile.counters.refinement = small_steps_of(finest);
    // The ordinary ones are solved in the arrays of the whole. Refined bodies are there too, but nothing acts on them; what
    // they should start from is put aside.
    let mut saved = core::mem::take(&mut groups.saved);
    saved.copy_members(whole, groups.members.iter().map(|&(_, slot)| slot));
    saved.add_kinematic(whole);
    for &(_, slot) in &groups.members {
        whole.slots[whole.props[slot as usize].body as usize] = NO_SLOT;
    }
    let start = Instant::now();
    if groups.members.len() + standing < whole.len() {
        solve_part(world, whole, StepPart { is_partial: true, ..StepPart::WHOLE });
    } else {
        world.impulse_time = world.settings.dt / world.settings.substeps as Real;
    }
    let ordinary = start.elapsed();
    groups.statics.hand_back(whole);
    let mut from = 0;
    while from < groups.members.len() {
        let way = groups.members[from].0;
        let to = from + groups.members[from..].iter().take_while(|member| member.0 == way).count();
        let part = &mut groups.bodies;
        // Kinematic bodies stand behind the members: every group meets them.
        let kinematic = groups.members.len()..saved.len();
        part.copy_members(&saved, (from..to).chain(kinematic).map(|slot| slot as u32));
        part.find_slots(whole.slots.len());
        let halvings =
            small_steps::solve(world, part, (small_steps_of(way.0), way.1), &mut groups.small_steps);
        if way == (1, true) {
            groups.halvings = halvings;
        }
        for (i, &(_, slot)) in groups.members[from..to].iter().enumerate() {
            whole.states[slot as usize] = part.states[i];
            whole.rotations[slot as usize] = part.rotations[i];
        }
        from = to;
    }
    // Continuous collision looks bodies up: without a slot they would count as asleep.
    for &(_, slot) in &groups.members {
        whole.slots[whole.props[slot as usize].body as usize] = slot;
    }
    groups.saved = saved;
    groups.loads = core::mem::take(&mut world.scratch.refine.loads);
    world.scratch.refine = groups;
    ordinary
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
                groups.worst.push(Worst { island, ratios: Worst::of(load) });
            }
        }
        groups.worst.sort_unstable_by_key(|entry| entry.island);
        groups.worst.dedup_by(|next, kept| {
            let is_same = next.island == kept.island;
            if is_same {
                (0..KINDS).for_each(|i| kept.ratios[i] = kept.ratios[i].max(next.ratios[i]));
            }
            is_same
        });
        for i in 0..groups.worst.len() {
            let Worst { island, ratios } = groups.worst[i];
            let need = self.need(island, ratios);
            self.raise_or_calm(island, need);
        }
        if self.islands.refined > 0 {
            for i in 0..self.bodies.set(BodySet::Awake).len() {
                let body = self.bodies.set(BodySet::Awake).as_slice()[i];
                let island = self.bodies.records[body].island;
                // Each island once: at its first body.
                if island == NONE || self.islands.slots[island].head != body {
                    continue;
                }
                let is_loaded = groups.worst.binary_search_by_key(&island, |entry| entry.island).is_ok();
                if self.islands.slots[island].level > 0 && !is_loaded {
                    self.raise_or_calm(island, Need::default());
                }
            }
        }
        self.scratch.refine = groups;
    }

    /// What an island's largest loads mean for it.
    fn need(&self, island: u32, [contact, contact_weight, joint, joint_weight]: [Real; KINDS]) -> Need {
        let limit = self.settings.refine_load;
        // At rest nothing bears more than the whole weighs, on a swing three times that. Contacts that contradict each other
        // press without end, and finer sub-steps make that worse.
        let size = self.size_of(island);
        let Size { weight: whole, is_uneven, .. } = size;
        let is_pressed = contact > CONTRADICTION * whole;
        let mut tower = None;
        let is_refined = self.islands.slots[island].level > 0;
        let bears = contact > 0.0 || contact_weight > 0.0;
        let structure = if bears { self.structure_of(island) } else { Structure::Heap };
        let counts = bears
            && match structure {
                Structure::Column => is_uneven || contact > STRAIGHT * limit || is_refined,
                Structure::Balance | Structure::Row => true,
                Structure::Towers => {
                    tower = (!is_uneven).then(|| self.highest_tower(island));
                    true
                }
                Structure::Joined | Structure::Heap => self.is_laden(island, &size),
            };
        let measured = if counts && !is_pressed { contact.min(SWING * whole) } else { 0.0 };
        let weight = if counts && is_uneven { contact_weight } else { 0.0 };
        let mut need = Need { measured, weight, pull: 0.0, hangs: false, joints: false, tower };
        if joint > self.settings.direct_load && whole > self.settings.direct_load {
            // Long chains bear as much as those with a heavy end. Short ones do for moments only, when they snap or whirl.
            let touches = self.touches(island);
            need.joints = self.chain_of(island).is_some_and(|chain| self.is_long_chain(&chain, touches));
        }
        if joint_weight > limit {
            let count = self.islands.slots[island].count;
            let is_slender = count as Real <= SLENDER * joint_weight;
            // A chain by itself costs the same solved at once; a heap with one in it does not need it.
            let touches = self.touches(island);
            let chain = self.chain_of(island).filter(|_| is_slender || count <= HIGHEST && !touches);
            if let Some(chain) = chain {
                need.joints |= self.is_heavy_chain(&chain, touches, is_refined);
                need.pull = self.pull_of(&chain, touches);
            }
            // Solved all at once, joints need nothing else, unless something touches them.
            if joint_weight > JOINT_EASE * limit && is_slender && (!need.joints || touches) {
                let load = joint_weight.min(SWING * whole) * JOINT_SHARE;
                (need.hangs, need.weight) = (load > need.weight, need.weight.max(load));
            }
        }
        need
    }

    /// Columns that have grown in this step: their lowest contact will bear the whole, so they are refined before they are
    /// compressed.
    pub(super) fn refine_columns(&mut self) {
        let mut groups = core::mem::take(&mut self.scratch.refine);
        for (body, _) in &mut groups.grown {
            *body = self.bodies.records.get(*body).map_or(NONE, |record| record.island);
        }
        groups.grown.sort_unstable();
        self.note_built(&groups.grown);
        // What is uneven comes last.
        groups.grown.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 |= is_same && next.1;
            is_same
        });
        for &(island, is_uneven) in &groups.grown {
            self.refine_grown(island, is_uneven);
        }
        groups.grown.clear();
        self.scratch.refine = groups;
    }

    /// Looks at an island that has got a new contact, one of a heavy body with a light one if `is_uneven`, or has come awake.
    pub(super) fn refine_grown(&mut self, island: u32, is_uneven: bool) {
        if island == NONE || self.settings.max_refinement == 1 {
            return;
        }
        let Island { count, level, .. } = self.islands.slots[island];
        let limit = self.settings.refine_load;
        let structure = if count <= MOST { self.structure_of(island) } else { Structure::Heap };
        let least = match structure {
            Structure::Balance if count <= HIGHEST => BY_CHANCE * limit,
            Structure::Column if count <= HIGHEST => STRAIGHT * limit,
            _ => Real::INFINITY,
        };
        if level > 0 {
            // What has become part of a heap needs it no longer.
            if structure == Structure::Heap && !self.may_be_laden(island, &self.size_of(island)) {
                self.islands.set_level(island, 0, 0);
                return;
            }
            // What comes down onto a column is borne by all of it from now on.
            let mut wanted = self.level_by_weight(island, structure);
            if count as Real > least {
                wanted = wanted.max(self.level_for(island, self.size_of(island).weight, None));
            }
            if wanted > level {
                self.islands.set_level(island, level + 1, 0);
            }
        } else if structure == Structure::Heap && is_uneven && count <= HIGHEST && self.is_still(island) {
            // Something heavy was put on a few light ones.
            if self.is_laden(island, &self.size_of(island)) {
                let level = self.level_for(island, self.heaviest_on_light(island), None);
                self.islands.set_level(island, level, 0);
            }
        } else if structure == Structure::Towers || least.is_finite() {
            // What is high bears the whole, what is not bears what is heavy.
            let mut wanted = self.level_by_weight(island, structure);
            if structure == Structure::Towers {
                let tower = self.highest_tower(island);
                wanted = wanted.max(self.level_for(island, tower.weight, Some(tower)));
            } else {
                let Size { weight, is_uneven, .. } = self.size_of(island);
                let load = match count as Real > least {
                    true => weight,
                    false if is_uneven => self.heaviest_on_light(island),
                    false => 0.0,
                };
                wanted = wanted.max(self.level_for(island, load, None));
            }
            // At once, before it is compressed; what is already is let out slowly.
            self.islands.set_level(island, wanted, 0);
        }
    }

    /// Looks at an island that nothing has happened to: what has landed as a column may rest now.
    pub(super) fn look_again(&mut self, island: u32) {
        let level = self.level_by_weight(island, self.structure_of(island));
        if level > self.islands.slots[island].level {
            self.islands.set_level(island, level, 0);
        }
    }

    /// The level that a column needs by its weight: whoever sinks by much for its size, or stands so near to tipping that soft
    /// contacts could decide.
    fn level_by_weight(&self, island: u32, structure: Structure) -> u8 {
        let Island { count, level, .. } = self.islands.slots[island];
        // Other solvers take their impulses for those of whole steps.
        if self.settings.max_refinement == 1 || !self.methods.solver.leaves_standing() {
            return 0;
        }
        let height = match structure {
            Structure::Towers => {
                let tower = self.highest_tower(island);
                let is_low = tower.count as Real <= STRAIGHT * self.settings.refine_load;
                if level == 0 && is_low && self.moving_of(island) > LANDING {
                    return 0;
                }
                return self.level_at(tower.weight, tower.count as Real, self.slenderness(tower.extent));
            }
            Structure::Column => STRAIGHT * self.settings.refine_load,
            Structure::Balance => BY_CHANCE * self.settings.refine_load,
            _ => return 0,
        };
        let is_known = level > 0;
        if !(2..=HIGHEST).contains(&count) || !is_known && self.moving_of(island) > LANDING {
            return 0;
        }
        let Some(lean) = Lean::of(self, island) else { return 0 };
        let size = self.size_of(island);
        let sinks = self.height_by_sag(count as Real * size.weight, size.thickness) > height;
        if sinks || lean.is_tight(contact_give(&self.settings), if is_known { SWING } else { 1.0 }) {
            self.level_at(size.weight, size.height.min(count as Real), self.slenderness(size.extent))
        } else {
            0
        }
    }

    /// Height of the column of boxes of 1 m that would sink as much for its size as one whose contacts bear `square` weights, twice
    /// their sum (no unit).
    pub(super) fn height_by_sag(&self, square: Real, thickness: Real) -> Real {
        (square * (FIRM * contact_give(&self.settings) / thickness).max(1.0)).sqrt()
    }

    /// True if a tower among others sinks by more than they may.
    pub(super) fn is_high(&self, tower: &Tower) -> bool {
        let height = self.height_by_sag((tower.count * tower.count) as Real, tower.thickness);
        height > STRAIGHT * self.settings.refine_load
    }

    /// How many times stiffer against tipping contacts have to be for bodies of this extent [m] than for boxes of 1 m (no unit).
    fn slenderness(&self, extent: Real) -> Real {
        (STOUT * contact_give(&self.settings) / extent).max(1.0)
    }

    /// Raises the level when a load has lasted, or is to be expected by weight; lowers it when less was enough for a while.
    fn raise_or_calm(&mut self, island: u32, need: Need) {
        let Need { measured, weight, pull, hangs, joints, tower } = need;
        let limit = self.settings.refine_load;
        let slot = &mut self.islands.slots[island];
        // An impact is heavy too, but over in a step or two: what counts is the least load of a window.
        let load = measured.max(pull);
        let least = if slot.window == 0 { load } else { slot.least.min(load) };
        (slot.window, slot.least) =
            if load > limit { (slot.window.saturating_add(1), least) } else { (0, 0.0) };
        let (mut lasting, mut pulls) = (0.0, false);
        if Real::from(slot.window) >= (WINDOW / self.settings.dt).max(LEAST_WINDOW) {
            // What flies and pulls bears nothing in contacts.
            pulls = pull > 0.0;
            lasting = if pulls { 0.0 } else { slot.least };
            (slot.window, slot.least) = (0, 0.0);
        }
        let (level, calm) = (slot.level, slot.calm);
        let wanted = |load: Real| if load > limit { self.level_for(island, load, tower) } else { 0 };
        let by_joints = u8::from((joints || pulls) && self.settings.max_refinement > 1);
        if wanted(lasting).max(wanted(weight)).max(by_joints) > level {
            // One at a time: what is compressed or stretched already must not be let off like a spring. What has just been hung up is not yet,
            // nor is what was solved at once (level 1) and begins to touch something.
            let at_once = if hangs && (level == 1 || self.is_fresh(island)) { wanted(weight) } else { 0 };
            if at_once > level + 1 {
                self.stiffen_at_once(island, at_once);
            }
            self.islands.set_level(island, at_once.max(level + 1), 0);
        } else if level > 0 {
            // Loads near a limit must not make the level swing.
            let held = self.level_for(island, measured.max(weight) * SWING, tower);
            let mut held = held.max(by_joints) >= level;
            // What is low is not reported. PERF: nothing is given up before it is calm, so that is when to ask.
            if !held && is_calm(calm, &self.settings) || self.step_count.is_multiple_of(LOOK_STEPS) {
                let by_weight = self.level_by_weight(island, self.structure_of(island));
                if by_weight > level {
                    self.islands.set_level(island, level + 1, 0);
                    return;
                }
                held |= by_weight == level;
            }
            if !held && joints && is_calm(calm, &self.settings) {
                // Back to what is solved at once: it needs no stiffness.
                self.islands.set_level(island, 1, 0);
                return;
            }
            match (held, is_calm(calm, &self.settings) && self.is_slack(island, level - 1)) {
                (true, _) => self.islands.set_level(island, level, 0),
                (false, true) => self.islands.set_level(island, level - 1, 0),
                (false, false) => self.islands.set_level(island, level, calm.saturating_add(1)),
            }
        }
    }

    /// True if no joint of an island gapes by more than what falls freely falls within its first step.
    fn is_fresh(&self, island: u32) -> bool {
        let most = self.settings.weight_scale() * self.settings.dt * self.settings.dt;
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let mut joints = self.joints.of_body(self.bodies.records[body].first_joint);
            if joints.any(|(joint, _)| {
                let gap = small_steps::gap_of(&self.joints.hot[joint as usize], &self.bodies.places);
                gap.is_none_or(|gap| gap > most)
            }) {
                return false;
            }
            body = self.bodies.records[body].island_next;
        }
        true
    }

    /// Makes all joints of an island as stiff as a level allows, before they bear anything.
    fn stiffen_at_once(&mut self, island: u32, level: u8) {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let mut edge = self.bodies.records[body].first_joint;
            while edge != NONE {
                let joint = &mut self.joints.hot[edge as usize / 2];
                joint.stiffness = joint.stiffness.max(u16::from(level.saturating_sub(1)) * OCTAVE);
                edge = self.joints.next_edge(edge);
            }
            body = self.bodies.records[body].island_next;
        }
    }

    /// True if no joint of an island is stiffer than a level has use for.
    fn is_slack(&self, island: u32, level: u8) -> bool {
        let mut body = self.islands.slots[island].head;
        while body != NONE {
            let mut joints = self.joints.of_body(self.bodies.records[body].first_joint);
            if joints.any(|(joint, _)| {
                self.joints.hot[joint as usize].stiffness > u16::from(level.saturating_sub(1)) * OCTAVE
            }) {
                return false;
            }
            body = self.bodies.records[body].island_next;
        }
        true
    }

    /// The level that an island with the given load needs; by the size of a tower in it, if one is given.
    fn level_for(&self, island: u32, load: Real, tower: Option<Tower>) -> u8 {
        let count = tower.map_or(self.islands.slots[island].count, |tower| tower.count) as Real;
        if count > SLENDER * load || load <= self.settings.refine_load {
            return 0;
        }
        let (height, weight) = match tower {
            Some(tower) => (count, tower.weight),
            None => {
                let Size { height, weight, .. } = self.size_of(island);
                (height.min(count), weight)
            }
        };
        // At rest nothing bears more than the whole weighs.
        let load = load.min(weight);
        if load <= self.settings.refine_load { 0 } else { self.level_at(load, height, 1.0) }
    }

    /// The level that holds a load on a column of a height, both in bodies, if contacts have to be `stiffer` times as stiff as for boxes of 1 m.
    fn level_at(&self, load: Real, height: Real, stiffer: Real) -> u8 {
        let steady = STEADY_HEIGHT * STEADY_HEIGHT * STEADY_HEIGHT;
        let needed = (stiffer * TOP_LOAD * load * height * height / steady).max(LEAST_GAIN);
        // ω grows by 2 per level: 4^level ≥ needed.
        let mut level = 0;
        while (1_u64 << (2 * level)) as Real <= needed && 2_u32 << level <= self.settings.max_refinement {
            level += 1;
        }
        if level == 0 { 0 } else { level as u8 + 1 }
    }
}

/// How far a contact gives way under the weight of the lighter body with the usual sub-steps, g/ω² [m].
pub(super) fn contact_give<D: Dim>(settings: &Settings<D>) -> Real {
    let omega = Softness::usual_omega(settings);
    settings.weight_scale() / (omega * omega)
}
