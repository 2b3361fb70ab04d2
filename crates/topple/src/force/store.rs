//! All generators of a world, and their evaluation.

use super::field::Room;
use super::{ForceField, GeneratorKind, Varies};
use crate::Settings;
use crate::body::{AwakeBodies, Bodies, BodyBlock, BodyProps, BodySet, BodyState, Load, NO_SLOT};
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::store::{BodyId, RawId, Slots};

/// A generator as the world keeps it.
#[derive(Debug)]
pub(crate) struct GeneratorRecord<D: Dim> {
    /// What it does.
    pub kind: GeneratorKind<D>,
    /// Acts at all.
    pub is_enabled: bool,
    /// Name; empty: none.
    pub name: String,
    /// The user's.
    pub user_data: u64,
}

/// Generators of a world.
#[derive(Debug, Default)]
pub(crate) struct Generators<D: Dim> {
    pub slots: Slots<GeneratorRecord<D>>,
    /// What the generators did to each sleeping body when it was first seen asleep, by stable index. Only generators
    /// whose forces can change without the body are in it.
    pub rest: Vec<Option<Load<D>>>,
    pub work: ForceWork<D>,
    /// Where generators name a body, by its index: only these are asked when it goes. Follows from `slots`.
    named_by: Vec<Vec<Naming>>,
    /// The user's own: nobody knows whom they act on, so each is told of every body that goes.
    own: Vec<u32>,
}

/// Where a generator names a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Naming {
    generator: u32,
    /// Place on the list of its scope, or [`NEEDED`].
    place: u32,
}

/// The generator is about the body, and goes with it.
const NEEDED: u32 = u32::MAX;

impl<D: Dim> Generators<D> {
    /// Adds a generator.
    pub(crate) fn insert(&mut self, record: GeneratorRecord<D>) -> RawId {
        let id = self.slots.insert(record);
        self.enlist(id.index);
        id
    }

    /// Removes a generator.
    pub(crate) fn remove(&mut self, index: u32) {
        self.delist(index);
        self.slots.remove(index);
    }

    /// Replaces what a generator does.
    pub(crate) fn replace(&mut self, index: u32, kind: GeneratorKind<D>) {
        self.delist(index);
        self.slots[index].kind = kind;
        self.enlist(index);
    }

    /// Notes whom a generator names.
    pub(crate) fn enlist(&mut self, index: u32) {
        let kind = &self.slots[index].kind;
        if matches!(kind, GeneratorKind::Own(_)) {
            self.own.push(index);
        }
        let needed = kind.named().into_iter().flatten().map(|body| (body, NEEDED));
        let listed = kind.listed().iter().zip(0..).map(|(&body, place)| (body, place));
        for (body, place) in needed.chain(listed) {
            let at = body.index() as usize;
            if self.named_by.len() <= at {
                self.named_by.resize(at + 1, Vec::new());
            }
            self.named_by[at].push(Naming { generator: index, place });
        }
    }

    /// The reverse.
    fn delist(&mut self, index: u32) {
        self.own.retain(|&own| own != index);
        for body in self.slots[index].kind.bodies() {
            if let Some(list) = self.named_by.get_mut(body.index() as usize) {
                list.retain(|naming| naming.generator != index);
            }
        }
    }

    /// A body goes: lists lose it. Returns the generators that have to go with it, in order of index.
    pub(crate) fn forget(&mut self, body: BodyId) -> Vec<u32> {
        let namings = self.named_by.get_mut(body.index() as usize);
        let mut namings = namings.map_or_else(Vec::new, core::mem::take);
        // From the back: what takes the place of the body is then never the body itself.
        namings.sort_unstable_by_key(|&naming| core::cmp::Reverse(naming));
        for naming in namings.iter().filter(|naming| naming.place != NEEDED) {
            let Naming { generator, place } = *naming;
            let Some((moved, old)) = self.slots[generator].kind.strike(place) else { continue };
            let places = &mut self.named_by[moved.index() as usize];
            if let Some(found) = places.iter_mut().find(|n| **n == Naming { generator, place: old }) {
                found.place = place;
            }
        }
        let mut concerned: Vec<u32> = namings.iter().map(|naming| naming.generator).collect();
        concerned.extend_from_slice(&self.own);
        concerned.sort_unstable();
        concerned.dedup();
        concerned.retain(|&index| !self.slots[index].kind.forget(body));
        concerned
    }

    /// Before groups of bodies are solved one after the other, with the state of all awake bodies.
    pub(crate) fn begin_parts(&mut self, whole: &AwakeBodies<D>) {
        if self.slots.is_empty() {
            return;
        }
        let part = &mut self.work.part;
        part.is_split = true;
        part.start.0.clone_from(&whole.states);
        part.start.1.clone_from(&whole.rotations);
    }

    /// After the last group.
    pub(crate) fn end_parts(&mut self) {
        self.work.part.is_split = false;
    }

    /// The given bodies are solved next: all, or those that have a slot.
    pub(crate) fn choose_part(
        &mut self,
        bodies: &AwakeBodies<D>,
        all: &Bodies<D>,
        is_chosen: impl Fn(usize) -> bool,
    ) {
        let part = &mut self.work.part;
        if !part.is_split {
            return;
        }
        part.targets.iter().for_each(|&body| part.is_target[body as usize] = false);
        part.is_target.resize(all.records.slot_count(), false);
        part.block.clear();
        part.places.clear();
        part.targets.clear();
        let positions = all.set(BodySet::Awake).positions();
        for (slot, props) in bodies.props.iter().enumerate() {
            part.block.push(props.body);
            if is_chosen(slot) {
                part.places.push(positions[props.body as usize]);
                part.targets.push(props.body);
                part.is_target[props.body as usize] = true;
            } else {
                part.places.push(NO_SLOT);
            }
        }
    }

    /// The strongest reason why forces on a sleeping body could change.
    pub(crate) fn varies(&self) -> Varies {
        let enabled = self.slots.iter().filter(|(_, record)| record.is_enabled);
        enabled.map(|(_, record)| record.kind.varies()).max().unwrap_or(Varies::Never)
    }
}

/// Buffers of the evaluation. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForceWork<D: Dim> {
    /// Forces by stable index of the body.
    pub loads: Vec<Load<D>>,
    /// Constants of the step with the forces of the moment in the accelerations, by slot.
    pub props: Vec<BodyProps<D>>,
    /// Bodies whose force was not finite.
    pub faults: Vec<u32>,
    pub room: Room<D>,
    /// States of the awake bodies at a stage of a scheme.
    pub stage: (Vec<BodyState<D>>, Vec<D::Rot>),
    part: Part<D>,
}

/// Which of the awake bodies are solved now, where groups are solved one after the other. They see the others where those were at
/// the start of the step.
#[derive(Clone, Debug, Default)]
struct Part<D: Dim> {
    /// Groups are solved one after the other.
    is_split: bool,
    /// All awake bodies at the start of the step, in the order of their list.
    start: (Vec<BodyState<D>>, Vec<D::Rot>),
    /// The bodies in the arrays of the solver, and the place of each in the list of the awake; [`NO_SLOT`] for those that take no part.
    block: Vec<u32>,
    places: Vec<u32>,
    /// Those that take part, and a flag for each index.
    targets: Vec<u32>,
    is_target: Vec<bool>,
    /// What was put aside of `start` during an evaluation.
    aside: Vec<(BodyState<D>, D::Rot)>,
}

impl<D: Dim> Part<D> {
    /// Puts the bodies of the part where they are, or back to where they were.
    fn show(&mut self, states: &[BodyState<D>], rotations: &[D::Rot]) {
        self.aside.clear();
        for (i, &place) in self.places.iter().enumerate().filter(|(_, place)| **place != NO_SLOT) {
            let at = place as usize;
            self.aside.push((self.start.0[at], self.start.1[at]));
            (self.start.0[at], self.start.1[at]) = (states[i], rotations[i]);
        }
    }

    fn hide(&mut self) {
        let places = self.places.iter().filter(|place| **place != NO_SLOT);
        for (&place, &(state, rotation)) in places.zip(&self.aside) {
            (self.start.0[place as usize], self.start.1[place as usize]) = (state, rotation);
        }
    }
}

/// The generators at work in a solve: integrators ask them for the forces at any state of the awake bodies.
pub struct Forces<'a, D: Dim> {
    pub(crate) generators: &'a Slots<GeneratorRecord<D>>,
    pub(crate) bodies: &'a Bodies<D>,
    pub(crate) shapes: &'a Slots<ShapeRecord<D>>,
    pub(crate) settings: &'a Settings<D>,
    /// Time at the start of the sub-step [s].
    pub(crate) time: f64,
    pub(crate) work: &'a mut ForceWork<D>,
}

impl<D: Dim> Forces<'_, D> {
    /// Evaluates all generators for the awake bodies in the given states, `ahead` [s] after the start of the sub-step.
    /// The slices are those of a [`BodyBlock`] with all awake bodies, or with those of a group that is solved by itself. [`Self::force`] and [`Self::torque`] tell the result.
    pub fn evaluate(&mut self, states: &[BodyState<D>], rotations: &[D::Rot], ahead: Real) {
        let ForceWork { loads, room, faults, part, .. } = &mut *self.work;
        let awake = self.bodies.set(BodySet::Awake).as_slice();
        loads.resize(self.bodies.records.slot_count(), Load::ZERO);
        let block = if part.is_split { &part.block[..] } else { awake };
        block.iter().for_each(|&body| loads[body as usize] = Load::ZERO);
        if part.is_split {
            part.show(states, rotations);
        }
        let chosen = part.is_split.then_some((&part.targets[..], &part.is_target[..]));
        let mut field = ForceField {
            bodies: self.bodies,
            shapes: self.shapes,
            settings: self.settings,
            now: if part.is_split { (&part.start.0, &part.start.1) } else { (states, rotations) },
            part: chosen,
            set: BodySet::Awake,
            loads,
            time: self.time + f64::from(ahead),
            room,
        };
        for (_, record) in self.generators.iter().filter(|(_, record)| record.is_enabled) {
            // The user's own may take the targets for all there are.
            field.part = if matches!(record.kind, GeneratorKind::Own(_)) { None } else { chosen };
            record.kind.apply(&mut field);
        }
        let pushed = if part.is_split { &part.targets[..] } else { awake };
        for &body in pushed {
            let load = &mut loads[body as usize];
            if !load.force.is_finite() || !load.torque.is_finite() {
                // Not spread: the body goes on without it to the end of the step, then leaves the simulation.
                *load = Load::ZERO;
                if !faults.contains(&body) {
                    faults.push(body);
                }
                continue;
            }
            // The limits hold for the sum with what the user gave, whose part is in the accelerations of the step already.
            let given = self.bodies.cores[body as usize].load;
            let sum = Load { force: given.force + load.force, torque: given.torque + load.torque };
            let (within, known) = (sum.clamped(self.settings), given.clamped(self.settings));
            if within != sum || known != given {
                *load = Load { force: within.force - known.force, torque: within.torque - known.torque };
            }
        }
        if part.is_split {
            part.hide();
        }
    }

    /// Room for states and orientations of all awake bodies, to be given back.
    pub(crate) fn take_room(&mut self) -> (Vec<BodyState<D>>, Vec<D::Rot>) {
        core::mem::take(&mut self.work.stage)
    }

    pub(crate) fn give_room(&mut self, states: Vec<BodyState<D>>, rotations: Vec<D::Rot>) {
        self.work.stage = (states, rotations);
    }

    /// Force on the body with stable index `body` at the last evaluation [N].
    #[inline]
    pub fn force(&self, body: u32) -> D::Vec {
        self.work.loads[body as usize].force
    }

    /// Torque about its centre of mass at the last evaluation [N·m].
    #[inline]
    pub fn torque(&self, body: u32) -> D::Ang {
        self.work.loads[body as usize].torque
    }

    /// Evaluates at the states of the block and calls `act` with a block whose accelerations include the result.
    pub fn with_accelerations(
        &mut self,
        block: &mut BodyBlock<'_, D>,
        act: impl FnOnce(&mut BodyBlock<'_, D>),
    ) {
        self.evaluate(block.states, block.rotations, 0.0);
        let mut props = core::mem::take(&mut self.work.props);
        props.clear();
        props.extend(block.props.iter().map(|constant| {
            let mut props = *constant;
            if props.is_dynamic {
                props.acceleration += props.linear_response(self.force(props.body));
                props.angular_acceleration += props.inv_inertia.apply(self.torque(props.body));
            }
            props
        }));
        act(&mut BodyBlock {
            settings: block.settings,
            states: &mut *block.states,
            rotations: &mut *block.rotations,
            props: &props,
            tracks: &mut *block.tracks,
        });
        self.work.props = props;
    }

    /// The next sub-step begins `h` [s] later.
    pub fn advance(&mut self, h: Real) {
        self.time += f64::from(h);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::{Anchor, PointGravity, Scope, Spring};

    type Plane = Generators<D2>;

    /// The lists are those that follow from the generators.
    fn check(generators: &Plane) {
        let mut expected = vec![Vec::new(); generators.named_by.len()];
        for (generator, record) in generators.slots.iter() {
            for body in record.kind.named().into_iter().flatten() {
                expected[body.index() as usize].push(Naming { generator, place: NEEDED });
            }
            for (place, body) in (0..).zip(record.kind.listed()) {
                expected[body.index() as usize].push(Naming { generator, place });
            }
        }
        let mut known = generators.named_by.clone();
        known.iter_mut().chain(&mut expected).for_each(|list| list.sort_unstable());
        assert_eq!(known, expected);
    }

    fn record(kind: impl Into<GeneratorKind<D2>>) -> GeneratorRecord<D2> {
        GeneratorRecord { kind: kind.into(), is_enabled: true, name: String::new(), user_data: 0 }
    }

    #[test]
    fn a_body_knows_the_generators_that_name_it() {
        let body = |i: u64| BodyId::from_bits(i % 7);
        let spring = |i: u64| Spring::new(Anchor::body(body(i)), Anchor::body(body(3 * i + 1)), 20.0, 1.0);
        let field = |i: u64| {
            // One of them twice.
            let bodies = Some(vec![body(i), body(i + 2), body(i + 5), body(i + 2)]);
            let center = Anchor::World(Point2::new(0.0, 0.0));
            PointGravity { scope: Scope { bodies, ..Scope::default() }, ..PointGravity::new(center, 1.0) }
        };
        let mut generators = Plane::default();
        let mut ids = Vec::new();
        for i in 0..20 {
            ids.push(generators.insert(if i % 3 == 0 { record(field(i)) } else { record(spring(i)) }).index);
            check(&generators);
        }
        for (i, &id) in ids.iter().enumerate().step_by(4) {
            generators.replace(id, spring(i as u64 + 3).into());
            check(&generators);
        }
        generators.remove(ids[5]);
        check(&generators);
        let before = generators.slots.len();
        let gone = generators.forget(body(2));
        assert!(!gone.is_empty() && gone.is_sorted());
        gone.iter().for_each(|&index| generators.remove(index));
        check(&generators);
        assert_eq!(generators.slots.len(), before - gone.len());
        let names_it =
            generators.slots.iter().any(|(_, record)| record.kind.bodies().any(|id| id == body(2)));
        assert!(!names_it, "nobody names a body that is gone");
    }
}
