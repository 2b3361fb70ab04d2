//! A shape as the world keeps it.

use super::{Filter, Material, ShapeDef, ShapeOps};
use crate::Settings;
use crate::math::*;

/// What stands for the inner radius of a shape without thickness that can be pushed, as a share of its reach (no unit): margins of its contacts scale with that.
const FLAT: Real = 0.25;
/// How far a shape without thickness that can be pushed stays away from what it touches, in slops (no unit): where it rests it is less than that closer, and so has a side to keep to.
const SKIN: Real = 2.0;

/// A shape on a body. Its fat box and filter also stand in the proxy of the same index, where broad phases read them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeRecord<D: Dim> {
    /// Geometry.
    pub shape: D::Shape,
    /// Place on the body.
    pub local: Pose<D>,
    /// Place relative to the body's centre of mass; follows when the mass changes.
    pub from_center: Pose<D>,
    /// Inner radius of the shape [m], the size its margins scale with.
    pub size: Real,
    /// Middle of the shape in its own frame [m], and the radius of the ball about it that holds the shape in any
    /// orientation [m]; infinite for planes.
    pub middle: D::Vec,
    pub reach: Real,
    /// Slot of the body.
    pub body: u32,
    /// Density [kg/m³, in 2D kg/m²].
    pub density: Real,
    /// Surface.
    pub material: Material<D>,
    /// What it collides with.
    pub filter: Filter,
    /// Reports overlaps, is never pushed.
    pub is_sensor: bool,
    /// Wants persist events.
    pub persist_events: bool,
    /// Wants hit events.
    pub hit_events: bool,
    /// Wants the pre-solve hook.
    pub pre_solve: bool,
    /// The user's.
    pub user_data: u64,
}

impl<D: Dim> ShapeRecord<D> {
    /// Mass in the shape's own frame.
    pub(crate) fn mass(&self) -> super::Mass<D> {
        self.shape.mass(self.density)
    }

    pub(crate) fn new(def: &ShapeDef<D>, body: u32) -> Self {
        let upright = def.shape.aabb(&Pose::IDENTITY);
        let middle = if upright.is_finite() { upright.center().to_vec() } else { D::Vec::ZERO };
        Self {
            middle,
            reach: def.shape.farthest_from(middle),
            shape: def.shape.clone(),
            local: def.local,
            from_center: def.local,
            size: def.shape.inner_radius(),
            body,
            density: def.density,
            material: def.material,
            filter: def.filter,
            is_sensor: def.is_sensor,
            persist_events: def.persist_events,
            hit_events: def.hit_events,
            pre_solve: def.pre_solve,
            user_data: def.user_data,
        }
    }

    /// The size that margins of contacts scale with if the shape can be pushed [m]; 0 for planes.
    pub(crate) fn margin_size(&self) -> Real {
        if self.size.is_finite() {
            self.size
        } else if self.reach.is_finite() {
            FLAT * self.reach
        } else {
            0.0
        }
    }

    /// How far the shape stays away from what it touches if it can be pushed [m]: 0 for all but those without thickness.
    #[inline]
    pub(crate) fn skin(&self, settings: &Settings<D>) -> Real {
        if self.size.is_finite() { 0.0 } else { SKIN * settings.slop_for(self.margin_size()) }
    }

    /// Place of the shape in the world if its body's centre of mass is at `place`.
    #[inline]
    pub(crate) fn place_on(&self, place: Pose<D>) -> Pose<D> {
        // PERF: most shapes sit on the centre, and a comparison costs less than the product.
        if self.from_center == Pose::IDENTITY { place } else { place.compose(self.from_center) }
    }

    /// Bounds of the shape at `pose`: tight, or `invariant`, so that they hold it however it is turned about its middle.
    #[inline]
    pub(crate) fn bounds(&self, pose: &Pose<D>, invariant: bool) -> Aabb<D> {
        if invariant && self.reach.is_finite() {
            Aabb::around(pose.transform(self.middle), D::Vec::splat(self.reach))
        } else {
            self.shape.aabb(pose)
        }
    }
}
