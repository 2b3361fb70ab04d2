//! What a generator sees and where it puts its forces.

use crate::Settings;
use crate::body::{Bodies, BodyKind, BodySet, BodyState, Load, NO_SLOT};
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::store::{BodyId, Slots};

/// A body at the time of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceBody<D: Dim> {
    /// Which one.
    pub id: BodyId,
    /// Centre of mass [m].
    pub center: D::Point,
    /// Orientation.
    pub rotation: D::Rot,
    /// Velocity of the centre of mass [m/s].
    pub velocity: D::Vec,
    /// Angular velocity, world frame [rad/s].
    pub spin: D::Ang,
    /// Mass [kg]; of static and kinematic bodies what their shapes weigh.
    pub mass: Real,
    /// Centre of mass in the body's frame [m].
    pub local_center: D::Vec,
    /// True for dynamic bodies, which forces can move.
    pub is_dynamic: bool,
}

impl<D: Dim> ForceBody<D> {
    /// World place of a point of the body's frame.
    pub fn to_world(&self, local: D::Vec) -> D::Point {
        self.center + self.rotation.rotate(local - self.local_center)
    }

    /// Velocity of the material point at `point` [m/s].
    pub fn velocity_at(&self, point: D::Point) -> D::Vec {
        self.velocity + D::cross_ang(self.spin, point - self.center)
    }
}

/// Bodies at one moment, and the forces on them so far.
pub struct ForceField<'a, D: Dim> {
    pub(crate) bodies: &'a Bodies<D>,
    pub(crate) shapes: &'a Slots<ShapeRecord<D>>,
    pub(crate) settings: &'a Settings<D>,
    /// States and orientations of the awake bodies, in the order of the awake list. Empty: as at the end of the last step.
    pub(crate) now: (&'a [BodyState<D>], &'a [D::Rot]),
    /// If only some of the awake bodies are pushed: their indices, and a flag for each index.
    pub(crate) part: Option<(&'a [u32], &'a [bool])>,
    /// Which bodies are pushed: the awake ones, or the sleeping ones when they are looked at.
    pub(crate) set: BodySet,
    /// By stable index of the body.
    pub(crate) loads: &'a mut [Load<D>],
    pub(crate) time: f64,
    pub(crate) room: &'a mut Room<D>,
}

/// Buffers of the generators, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room<D: Dim> {
    /// Bodies that attract each other: place, charge, index.
    pub members: Vec<(D::Point, Real, u32)>,
    /// Pieces of a surface.
    pub facets: Vec<crate::shape::Facet<D>>,
}

impl<D: Dim> ForceField<'_, D> {
    /// Simulated time of this evaluation [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Settings of the world; gravity among them.
    pub fn settings(&self) -> &Settings<D> {
        self.settings
    }

    /// Number of bodies that may be pushed now.
    pub fn target_count(&self) -> usize {
        self.targets().len()
    }

    /// Number `i` of the bodies that may be pushed; the order is always the same for the same history. Kinematic bodies
    /// on the move are among them and do not answer.
    ///
    /// # Panics
    /// If `i` is not below [`Self::target_count`].
    pub fn target(&self, i: usize) -> ForceBody<D> {
        self.at(self.targets()[i])
    }

    /// Indices of the bodies that may be pushed.
    fn targets(&self) -> &[u32] {
        self.part.map_or_else(|| self.bodies.set(self.set).as_slice(), |(bodies, _)| bodies)
    }

    /// True if the body with this index may be pushed.
    pub(crate) fn is_target(&self, body: u32) -> bool {
        match self.part {
            Some((_, flags)) => flags.get(body as usize).is_some_and(|&flag| flag),
            None => self.bodies.records[body].set == self.set,
        }
    }

    /// Any body; None for one that was removed or is out of the simulation.
    pub fn body(&self, id: BodyId) -> Option<ForceBody<D>> {
        let index = self.bodies.records.resolve(id.0)?;
        (self.bodies.records[index].set != BodySet::Disabled).then(|| self.at(index))
    }

    /// All bodies in the simulation that are dynamic, asleep or not, in order of index.
    pub fn dynamic_bodies(&self) -> impl Iterator<Item = ForceBody<D>> + '_ {
        let dynamic = self
            .bodies
            .records
            .iter()
            .filter(|(_, record)| record.kind == BodyKind::Dynamic && record.set != BodySet::Disabled);
        dynamic.map(|(index, _)| self.at(index))
    }

    pub(crate) fn at(&self, index: u32) -> ForceBody<D> {
        let at = index as usize;
        let record = &self.bodies.records[index];
        let (place, core) = (&self.bodies.places[at], &self.bodies.cores[at]);
        let mut body = ForceBody {
            id: BodyId(self.bodies.records.id_at(index).unwrap_or_default()),
            center: place.position,
            rotation: place.rotation,
            velocity: core.motion.linear,
            spin: core.motion.angular,
            mass: record.mass.mass,
            local_center: core.local_center,
            is_dynamic: record.kind == BodyKind::Dynamic,
        };
        let slot = self.bodies.set(BodySet::Awake).positions().get(at).copied().unwrap_or(NO_SLOT);
        if let (Some(state), Some(&rotation)) = (self.now.0.get(slot as usize), self.now.1.get(slot as usize))
        {
            body.center += state.dp;
            body.rotation = rotation;
            (body.velocity, body.spin) = (state.v, state.w);
        }
        body
    }

    /// Adds a force on the centre of mass [N].
    pub fn push(&mut self, id: BodyId, force: D::Vec) {
        self.add(id, force, D::Ang::ZERO);
    }

    /// Adds a force [N] at a point of the world.
    pub fn push_at(&mut self, body: &ForceBody<D>, force: D::Vec, point: D::Point) {
        self.add(body.id, force, D::cross(point - body.center, force));
    }

    /// Adds a torque [N·m].
    pub fn turn(&mut self, id: BodyId, torque: D::Ang) {
        self.add(id, D::Vec::ZERO, torque);
    }

    fn add(&mut self, id: BodyId, force: D::Vec, torque: D::Ang) {
        let Some(index) = self.bodies.records.resolve(id.0) else { return };
        let record = &self.bodies.records[index];
        if record.kind == BodyKind::Dynamic && self.is_target(index) {
            let load = &mut self.loads[index as usize];
            load.force += force;
            load.torque += torque;
        }
    }

    /// Solid shapes of a body with their places at this moment; sensors are left out.
    pub fn shapes(&self, body: &ForceBody<D>) -> impl Iterator<Item = (&D::Shape, Pose<D>)> + '_ {
        let index = self.bodies.records.resolve(body.id.0);
        let list = index.map_or(&[][..], |index| &self.bodies.records[index].shapes[..]);
        let place = Pose { position: body.center, rotation: body.rotation };
        let records = list.iter().map(|&shape| &self.shapes[shape]).filter(|shape| !shape.is_sensor);
        records.map(move |record| (&record.shape, place.compose(record.from_center)))
    }
}
