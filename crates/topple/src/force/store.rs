//! All generators of a world, and their evaluation.

use super::field::Room;
use super::{ForceField, GeneratorKind, Varies};
use crate::Settings;
use crate::body::{Bodies, BodyBlock, BodyProps, BodySet, BodyState, Load};
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::store::Slots;

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
}

impl<D: Dim> Generators<D> {
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
    /// The slices are those of a [`BodyBlock`] with all awake bodies. [`Self::force`] and [`Self::torque`] tell the result.
    pub fn evaluate(&mut self, states: &[BodyState<D>], rotations: &[D::Rot], ahead: Real) {
        let ForceWork { loads, room, faults, .. } = &mut *self.work;
        let awake = self.bodies.set(BodySet::Awake).as_slice();
        loads.resize(self.bodies.records.slot_count(), Load::ZERO);
        awake.iter().for_each(|&body| loads[body as usize] = Load::ZERO);
        let mut field = ForceField {
            bodies: self.bodies,
            shapes: self.shapes,
            settings: self.settings,
            now: (states, rotations),
            set: BodySet::Awake,
            loads,
            time: self.time + f64::from(ahead),
            room,
        };
        for (_, record) in self.generators.iter().filter(|(_, record)| record.is_enabled) {
            record.kind.apply(&mut field);
        }
        for &body in awake {
            let load = &mut loads[body as usize];
            if !load.force.is_finite() || !load.torque.is_finite() {
                // Not spread: the body goes on without it to the end of the step, then leaves the simulation.
                *load = Load::ZERO;
                if !faults.contains(&body) {
                    faults.push(body);
                }
            }
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
