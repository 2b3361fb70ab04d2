//! Functions of the user that the step calls: which pairs may meet, and a last word on each contact.

use super::World;
use crate::contact::{Contact, flags};
use crate::math::*;
use crate::shape::ShapeRecord;
use crate::store::{BodyId, ShapeId, Slots};
use std::sync::Arc;

/// Decides whether two shapes may collide, after their filters agreed. Must depend on its arguments alone.
pub type PairFilter = Arc<dyn Fn([BodyId; 2], [ShapeId; 2]) -> bool + Send + Sync>;

/// Sees each touching contact of shapes with `pre_solve` before it is solved, in every step, recycled ones included; may
/// change its surface, and refuses it by returning false. Called from several threads; must depend on its argument alone.
pub type PreSolveHook<D> = Arc<dyn Fn(&mut PreSolve<'_, D>) -> bool + Send + Sync>;

/// Functions of the user.
pub(crate) struct Hooks<D: Dim> {
    pub pair_filter: Option<PairFilter>,
    pub pre_solve: Option<PreSolveHook<D>>,
}

impl<D: Dim> Default for Hooks<D> {
    fn default() -> Self {
        Self { pair_filter: None, pre_solve: None }
    }
}

/// A contact about to be solved.
#[derive(Debug)]
pub struct PreSolve<'a, D: Dim> {
    /// The two shapes.
    pub shapes: [ShapeId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// Unit vector from the first to the second shape, world frame.
    pub normal: D::Vec,
    /// Smallest separation of its points [m]; negative: overlap.
    pub separation: Real,
    /// Coefficient of friction (no unit); may be changed.
    pub friction: &'a mut Real,
    /// Restitution (no unit); may be changed.
    pub restitution: &'a mut Real,
    /// Velocity of surface b relative to a beyond the motion of the bodies, world frame [m/s]; may be changed.
    pub surface_velocity: &'a mut D::Vec,
}

impl<D: Dim> World<D> {
    /// Installs a filter on pairs, or takes it away. Applies to pairs that come into being from now on.
    pub fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.hooks.pair_filter = filter;
    }

    /// Installs the pre-solve hook, or takes it away. What rests on shapes that ask for it wakes.
    pub fn set_pre_solve(&mut self, hook: Option<PreSolveHook<D>>) {
        self.hooks.pre_solve = hook;
        // What the old hook changed goes with it.
        for index in 0..self.contacts.records.slot_count() as u32 {
            let asked = self.contacts.hot[index as usize].flags & flags::PRE_SOLVE != 0;
            if asked && self.contacts.records.get(index).is_some() {
                self.refresh_contact(index);
                for body in self.contacts.hot[index as usize].bodies {
                    self.wake_index(body);
                    self.note_release(body);
                }
            }
        }
    }
}

/// What the hook needs to see of the world, shared by all threads.
pub(crate) struct HookScene<'a, D: Dim> {
    pub hook: &'a PreSolveHook<D>,
    pub bodies: &'a crate::body::Bodies<D>,
    pub shapes: &'a Slots<ShapeRecord<D>>,
    pub settings: &'a crate::Settings<D>,
}

impl<D: Dim> HookScene<'_, D> {
    /// Asks the hook about a touching contact and notes its answer.
    pub(crate) fn ask(&self, contact: &mut Contact<D>) {
        let places = contact.bodies.map(|body| self.bodies.places[body as usize]);
        let separations =
            (0..contact.manifold.count as usize).map(|i| contact.row(i, &places[0], &places[1]).separation);
        let separation = separations.fold(Real::INFINITY, Real::min);
        let normal = contact.normal(places[0].rotation);
        let id = |raw: Option<crate::store::RawId>| raw.unwrap_or_default();
        let shapes = contact.shapes.map(|i| ShapeId(id(self.shapes.id_at(i))));
        let bodies = contact.bodies.map(|i| BodyId(id(self.bodies.records.id_at(i))));
        // Start from the shapes' own values each time: a hook that stops changing them leaves no trace.
        let [a, b] = contact.shapes.map(|shape| &self.shapes[shape]);
        super::links::mix_materials(contact, a, b, self.bodies, self.settings);
        contact.surface_velocity = super::links::surface_velocity(self.bodies, a, b);
        let accepted = (self.hook)(&mut PreSolve {
            shapes,
            bodies,
            normal,
            separation,
            friction: &mut contact.friction,
            restitution: &mut contact.restitution,
            surface_velocity: &mut contact.surface_velocity,
        });
        contact.friction = clean(contact.friction);
        contact.static_friction = contact.static_friction.max(contact.friction);
        contact.restitution = clean(contact.restitution);
        if !contact.surface_velocity.is_finite() {
            contact.surface_velocity = D::Vec::ZERO;
        }
        contact.flags &= !flags::REFUSED;
        if !accepted {
            contact.flags |= flags::REFUSED;
        }
    }
}

/// A hook's number, made safe: never negative, never NaN.
fn clean(value: Real) -> Real {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}
