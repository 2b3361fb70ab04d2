//! Attaching, changing and removing shapes, and their proxies in the broad phase.

use super::World;
use super::bodies::Change;
use crate::Error;
use crate::body::{BodyKind, BodySet};
use crate::broad_phase::{Proxy, ProxyKind};
use crate::math::*;
use crate::shape::{Filter, Material, ShapeDef, ShapeOps, ShapeRecord};
use crate::store::{BodyId, IdText, ShapeId};

/// A shape, for reading. From [`World::shape`].
pub struct ShapeView<'a, D: Dim> {
    world: &'a World<D>,
    record: &'a ShapeRecord<D>,
}

impl<D: Dim> ShapeView<'_, D> {
    /// The geometry, in its own frame.
    pub fn geometry(&self) -> &D::Shape {
        &self.record.shape
    }

    /// The body it is on.
    pub fn body(&self) -> BodyId {
        BodyId(self.world.bodies.records.id_at(self.record.body).unwrap_or_default())
    }

    /// Place on the body.
    pub fn local(&self) -> Pose<D> {
        self.record.local
    }

    /// Place in the world.
    pub fn pose(&self) -> Pose<D> {
        self.world.bodies.places[self.record.body as usize].compose(self.record.from_center)
    }

    /// Density [kg/m³, in 2D kg/m²].
    pub fn density(&self) -> Real {
        self.record.density
    }

    /// Surface.
    pub fn material(&self) -> Material<D> {
        self.record.material
    }

    /// What it collides with.
    pub fn filter(&self) -> Filter {
        self.record.filter
    }

    /// True for sensors.
    pub fn is_sensor(&self) -> bool {
        self.record.is_sensor
    }

    /// The user's number.
    pub fn user_data(&self) -> u64 {
        self.record.user_data
    }

    /// Corner points in the body's frame [m].
    pub fn local_vertices(&self) -> Vec<D::Vec> {
        let local = self.record.local;
        self.record.shape.vertices().into_iter().map(|v| local.transform(v).to_vec()).collect()
    }

    /// Corner points in the world [m].
    pub fn world_vertices(&self) -> Vec<D::Point> {
        let pose = self.pose();
        self.record.shape.vertices().into_iter().map(|v| pose.transform(v)).collect()
    }

    /// Tight bounds in the world.
    pub fn aabb(&self) -> Aabb<D> {
        self.record.shape.aabb(&self.pose())
    }
}

impl<D: Dim> World<D> {
    /// Attaches a shape to a body; its mass is added unless the body has mass of its own. Takes time in proportion to the shapes
    /// that the body has, because its centre of mass moves under all of them: many at once are for [`World::create_body_with`].
    pub fn add_shape(&mut self, body: BodyId, def: impl Into<ShapeDef<D>>) -> Result<ShapeId, Error> {
        let body = self.body_index(body)?;
        let def = Self::check_shape(def.into(), self.bodies.records[body].kind)?;
        self.check_mass(body, Change::Add(&def))?;
        let mass = self.mass_of_shapes(body, Change::Add(&def));
        self.wake_index(body);
        let index = self.insert_shape(body, &def);
        self.take_mass(body, mass);
        self.show_shape(index);
        self.remake_contacts_of(body);
        Ok(ShapeId(self.shapes.id_at(index).unwrap_or_default()))
    }

    /// Checks a shape for a body of the given kind. A flat rectangle that does not move is taken as the segment it is.
    pub(crate) fn check_shape(def: ShapeDef<D>, kind: BodyKind) -> Result<ShapeDef<D>, Error> {
        let def = match def.shape.flattened() {
            Some(shape) if kind != BodyKind::Dynamic => ShapeDef { shape, ..def },
            _ => def,
        };
        def.validate()?;
        if kind == BodyKind::Dynamic && !def.shape.can_move() {
            return Err(Error::NotPossible {
                what: "this shape on a dynamic body",
                reason: "planes, chains, height fields and meshes that are not closed are static or kinematic only",
            });
        }
        Ok(def)
    }

    /// Adds a checked shape. The caller updates the mass, then shows the shape to the broad phase.
    pub(crate) fn insert_shape(&mut self, body: u32, def: &ShapeDef<D>) -> u32 {
        let index = self.shapes.insert(ShapeRecord::new(def, body)).index;
        self.bodies.records[body].shapes.push(index);
        let center = self.bodies.cores[body as usize].local_center;
        self.shapes[index].from_center =
            Pose { position: def.local.position - center, rotation: def.local.rotation };
        self.proxies.make_room(index as usize + 1);
        index
    }

    /// Gives a new shape its place in the broad phase, unless its body is disabled.
    pub(crate) fn show_shape(&mut self, index: u32) {
        let body = self.shapes[index].body;
        if self.bodies.records[body].set != BodySet::Disabled {
            self.insert_proxy(index);
        }
    }

    /// Removes a shape from its body. Refused if the mass of what is left is none that a body can move with.
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<(), Error> {
        let index = self.shape_index(id)?;
        let body = self.shapes[index].body;
        self.check_mass(body, Change::Remove(&[index]))?;
        self.wake_neighbors(body);
        self.detach_shape(index);
        self.update_mass(body);
        self.remake_contacts_of(body);
        Ok(())
    }

    /// Removes contacts, proxy and record of a shape. The caller updates the mass.
    pub(crate) fn detach_shape(&mut self, index: u32) {
        let body = self.shapes[index].body;
        self.remove_contacts_of_shape(index);
        self.remove_proxy(index);
        self.bodies.records[body].shapes.retain(|&shape| shape != index);
        self.shapes.remove(index);
    }

    /// The shape with this id.
    pub fn shape(&self, id: ShapeId) -> Result<ShapeView<'_, D>, Error> {
        let index = self.shape_index(id)?;
        Ok(ShapeView { world: self, record: &self.shapes[index] })
    }

    /// All shapes, in order of index.
    pub fn shape_ids(&self) -> impl Iterator<Item = ShapeId> + '_ {
        self.shapes.iter().filter_map(|(index, _)| self.shapes.id_at(index)).map(ShapeId)
    }

    pub(crate) fn shape_index(&self, id: ShapeId) -> Result<u32, Error> {
        let stale = || Error::StaleId { kind: ShapeId::KIND, id: IdText(id.0) };
        self.shapes.resolve(id.0).ok_or_else(stale)
    }

    /// Changes the surface of a shape; existing contacts follow.
    pub fn set_material(&mut self, id: ShapeId, material: Material<D>) -> Result<(), Error> {
        let index = self.shape_index(id)?;
        material.validate()?;
        self.shapes[index].material = material;
        let body = self.shapes[index].body;
        let mut shapes = self.bodies.records[body].shapes.iter();
        self.bodies.cores[body as usize].is_elastic =
            shapes.any(|&shape| self.shapes[shape].material.restitution > 0.0);
        self.wake_neighbors(body);
        self.refresh_contacts_of_shape(index);
        Ok(())
    }

    /// Changes the density of a shape [kg/m³, in 2D kg/m²] and the mass of its body.
    pub fn set_density(&mut self, id: ShapeId, density: Real) -> Result<(), Error> {
        let index = self.shape_index(id)?;
        crate::error::not_negative("density", density)?;
        let body = self.shapes[index].body;
        self.check_mass(body, Change::Density(index, density))?;
        self.shapes[index].density = density;
        self.wake_index(body);
        self.update_mass(body);
        self.remake_contacts_of(body);
        Ok(())
    }

    /// Changes what a shape collides with. Its contacts are found anew; what touched it wakes.
    pub fn set_filter(&mut self, id: ShapeId, filter: Filter) -> Result<(), Error> {
        let index = self.shape_index(id)?;
        self.wake_neighbors(self.shapes[index].body);
        self.remove_contacts_of_shape(index);
        self.shapes[index].filter = filter;
        if self.proxies.get(index).kind != ProxyKind::None {
            self.proxies.set_filter(index, filter);
            self.moved.insert(index);
        }
        Ok(())
    }

    /// Sets the user's number of a shape.
    pub fn set_shape_user_data(&mut self, id: ShapeId, data: u64) -> Result<(), Error> {
        let index = self.shape_index(id)?;
        self.shapes[index].user_data = data;
        Ok(())
    }

    /// Bounds of a shape fattened for the broad phase, and the tight ones plus the speculative margin.
    pub(crate) fn fat_bounds(&self, shape: &ShapeRecord<D>) -> (Aabb<D>, Aabb<D>) {
        let settings = &self.settings;
        let body = shape.body as usize;
        let pose = self.bodies.places[body].compose(shape.from_center);
        let tight = shape.bounds(&pose, settings.rotation_invariant_boxes);
        let needed = tight.grown(settings.speculative * settings.slop_for(shape.size));
        let extent = self.bodies.cores[body].extent;
        (needed.grown((settings.box_margin * extent).min(settings.max_box_margin)), needed)
    }

    /// Gives a shape its place in the broad phase.
    pub(crate) fn insert_proxy(&mut self, index: u32) {
        let shape = &self.shapes[index];
        let (fat, _) = self.fat_bounds(shape);
        let proxy = Proxy {
            fat,
            body: shape.body,
            kind: self.proxy_kind(shape.body),
            filter: shape.filter,
            is_sensor: shape.is_sensor,
        };
        self.proxies.set(index, proxy);
        self.methods.broad_phase.insert(&self.proxies, index);
        self.moved.insert(index);
    }

    /// Takes a shape out of the broad phase.
    pub(crate) fn remove_proxy(&mut self, index: u32) {
        if self.proxies.get(index).kind == ProxyKind::None {
            return;
        }
        self.methods.broad_phase.remove(&self.proxies, index);
        self.proxies.set(index, Proxy::default());
        self.moved.remove(index);
    }

    /// New fat boxes for all shapes of a body that was moved by the user.
    pub(crate) fn refresh_proxies(&mut self, body: u32) {
        for i in 0..self.bodies.records[body].shapes.len() {
            let index = self.bodies.records[body].shapes[i];
            if self.proxies.get(index).kind == ProxyKind::None {
                continue;
            }
            let (fat, needed) = self.fat_bounds(&self.shapes[index]);
            // A plane comes near other shapes although its box, which is infinite, stays the same.
            let is_plane = self.shapes[index].shape.half_space().is_some();
            if is_plane || !self.proxies.get(index).fat.contains(&needed) {
                self.proxies.set_box(index, fat);
                self.moved.insert(index);
                self.methods.broad_phase.update(&self.proxies, &[index], &*self.executor);
            }
        }
    }
}
