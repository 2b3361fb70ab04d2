//! Bodies made of bodies: merging two into one, and taking a part off again.
//!
//! Shapes keep their ids, materials and places in the world. Momentum, angular momentum and centre of mass of the whole are
//! those of the parts; energy is not, where the parts moved against each other: that is an inelastic impact. On the way back
//! every part moves on as the rigid body moved at its place, which keeps all of them.

use super::World;
use super::bodies::Change;
use crate::body::{BodyDef, BodyKind, BodySet, NONE};
use crate::math::*;
use crate::shape::Mass;
use crate::store::{BodyId, ShapeId};
use crate::{Error, Motion};

/// A body that was merged into another: what it takes to make it again. From [`World::merge`].
#[derive(Clone, Debug, PartialEq)]
pub struct Part<D: Dim> {
    /// The body as it was; place and velocities are those of the moment of merging.
    pub def: BodyDef<D>,
    /// Its frame in the frame of the body it was merged into.
    pub local: Pose<D>,
    /// Its shapes.
    pub shapes: Vec<ShapeId>,
    /// Its mass in its own frame, given or from the shapes.
    pub mass: Mass<D>,
}

impl<D: Dim> World<D> {
    /// Merges the body `other` into `body`: its shapes go over, and it is no more. Both must be dynamic and enabled, and `other`
    /// without joints. The result moves with the momentum and the angular momentum of both; locks, drag, name and the like are
    /// those of `body`. Gathered forces add up. Refused if a number of the result is not finite.
    ///
    /// ```
    /// use topple::{BodyDef2, Shape2, Vec2, World2};
    /// let mut world = World2::new();
    /// let truck = world.create_body_with(BodyDef2::dynamic([0.0, 0.0]), [Shape2::rectangle(2.0, 1.0)])?;
    /// let load = world.create_body_with(BodyDef2::dynamic([0.0, 1.0]), [Shape2::rectangle(1.0, 1.0)])?;
    /// world.body_mut(truck)?.set_linear_velocity(Vec2::new(3.0, 0.0))?;
    /// let part = world.merge(truck, load)?;
    /// assert_eq!(world.body(truck)?.mass(), 3.0);
    /// assert!((world.body(truck)?.linear_velocity().x - 2.0).abs() < 1e-6);
    /// let load = world.unmerge(truck, part)?;
    /// assert_eq!(world.body(load)?.mass(), 1.0);
    /// # Ok::<(), topple::Error>(())
    /// ```
    pub fn merge(&mut self, body: BodyId, other: BodyId) -> Result<Part<D>, Error> {
        let (host, guest) = (self.body_index(body)?, self.body_index(other)?);
        if host == guest {
            return Err(Error::NotPossible { what: "merging", reason: "it is one body" });
        }
        for index in [host, guest] {
            let record = &self.bodies.records[index];
            if record.kind != BodyKind::Dynamic || record.set == BodySet::Disabled {
                return Err(Error::NotPossible {
                    what: "merging",
                    reason: "a body is not dynamic and enabled",
                });
            }
        }
        if self.bodies.records[guest].first_joint != NONE {
            return Err(Error::NotPossible { what: "merging", reason: "the body that goes has joints" });
        }
        let local = self.bodies.pose(host).relative(self.bodies.pose(guest));
        let masses = [self.bodies.records[host].mass, self.bodies.records[guest].mass];
        let whole = masses[0].plus(masses[1].placed(&local));
        whole.check_held()?;
        let has_own_mass = [host, guest].iter().any(|&index| {
            let record = &self.bodies.records[index];
            record.has_own_mass || record.shapes.is_empty()
        });
        let mut locals = Vec::new();
        for &shape in &self.bodies.records[guest].shapes {
            locals.push(on_other_body("BodyDef.position", &local, self.shapes[shape].local)?);
        }
        let future = if has_own_mass {
            whole
        } else {
            let shapes = self.bodies.records[guest].shapes.iter().zip(&locals);
            let parts = shapes.map(|(&shape, local)| self.shapes[shape].mass().placed(local));
            parts.fold(self.mass_of_shapes(host, Change::Nothing), Mass::plus).or_a_point()
        };
        self.check_place(host, future)?;

        // Momentum and angular momentum about the common centre, in f32 like everything that bodies store.
        let parts = [host, guest].map(|index| {
            let (place, core) = (self.bodies.places[index as usize], &self.bodies.cores[index as usize]);
            let record = &self.bodies.records[index];
            (place, core.motion, record.mass.mass, record.mass.inertia.rotated(place.rotation), core.load)
        });
        let center = self.bodies.pose(host).transform(whole.center);
        let (mut momentum, mut angular) = (D::Vec::ZERO, D::Ang::ZERO);
        let mut load = crate::body::Load::<D>::ZERO;
        for (place, motion, mass, inertia, part_load) in parts {
            let arm = place.position - center;
            momentum += motion.linear * mass;
            angular += D::cross(arm, motion.linear * mass) + inertia.apply(motion.angular);
            load.force += part_load.force;
            load.torque += part_load.torque + D::cross(arm, part_load.force);
        }
        let record = &self.bodies.records[host];
        let spin = future.inertia.rotated(parts[0].0.rotation).inverse().apply(angular);
        let motion = Motion { linear: momentum * (1.0 / future.mass), angular: spin };
        let motion = motion.without_locked(record.locks);
        if !motion.is_finite() {
            return Err(Error::invalid("motion of the merged body", motion, "finite"));
        }
        if !load.force.is_finite() || !load.torque.is_finite() {
            return Err(Error::invalid("force and torque on the merged body", load, "finite"));
        }

        self.wake_neighbors(host);
        self.wake_neighbors(guest);
        let part = self.describe(guest, local);
        self.remove_contacts_of(host);
        self.remove_contacts_of(guest);
        let shapes = core::mem::take(&mut self.bodies.records[guest].shapes);
        for &shape in &shapes {
            self.remove_proxy(shape);
        }
        self.remove_body(other)?;
        for (&shape, local) in shapes.iter().zip(locals) {
            let record = &mut self.shapes[shape];
            (record.body, record.local) = (host, local);
        }
        let record = &mut self.bodies.records[host];
        record.shapes.extend_from_slice(&shapes);
        if has_own_mass {
            (record.has_own_mass, record.mass) = (true, whole);
        }
        self.update_mass(host);
        shapes.iter().for_each(|&shape| self.insert_proxy(shape));
        self.refresh_proxies(host);
        self.revive(host);
        let core = &mut self.bodies.cores[host as usize];
        (core.motion, core.load) = (motion, load);
        Ok(part)
    }

    /// Takes a part off that was merged into `body`: a new body with its shapes, at the place where they are. Both move on as
    /// the whole moved. The part may come from another order of merging, as long as its shapes are on `body`. A part that was
    /// edited is checked like anything a caller gives; it stays dynamic and enabled.
    pub fn unmerge(&mut self, body: BodyId, part: Part<D>) -> Result<BodyId, Error> {
        let host = self.body_index(body)?;
        let (own_mass, described) = (part.def.mass, BodyDef { mass: None, ..part.def });
        described.validate()?;
        if described.kind != BodyKind::Dynamic || !described.is_enabled {
            return Err(Error::NotPossible {
                what: "unmerging",
                reason: "the part is not dynamic and enabled",
            });
        }
        // Merged bodies come back with the masses that merging made.
        own_mass.iter().try_for_each(Mass::check_held)?;
        part.mass.check_held()?;
        part.local.check("Part.local")?;
        let mut indices = Vec::new();
        for &id in &part.shapes {
            let shape = self.shape_index(id)?;
            if self.shapes[shape].body != host || indices.contains(&shape) {
                return Err(Error::NotPossible {
                    what: "unmerging",
                    reason: "a shape of the part is not on the body, or is named twice",
                });
            }
            indices.push(shape);
        }
        let record = &self.bodies.records[host];
        if record.kind != BodyKind::Dynamic || record.set == BodySet::Disabled {
            return Err(Error::NotPossible {
                what: "unmerging",
                reason: "the body is not dynamic and enabled",
            });
        }
        let rest = if record.has_own_mass {
            let rest = record.mass.minus(part.mass.placed(&part.local));
            rest.validate()?;
            self.check_new_mass(host, rest)?;
            Some(rest)
        } else if indices.len() == record.shapes.len() {
            return Err(Error::NotPossible {
                what: "unmerging",
                reason: "nothing would be left of the body",
            });
        } else {
            self.check_mass(host, Change::Remove(&indices))?;
            None
        };
        let frame = self.bodies.pose(host).compose(part.local);
        let (place, motion) = (self.bodies.places[host as usize], self.bodies.cores[host as usize].motion);
        let def = BodyDef {
            position: frame.position,
            rotation: frame.rotation.normalized(),
            linear_velocity: D::Vec::ZERO,
            angular_velocity: D::Ang::ZERO,
            is_awake: true,
            ..described
        };
        def.validate()?;
        let undo = Pose::<D> {
            position: D::Point::from_vec(part.local.inverse_transform(D::Point::ORIGIN)),
            rotation: part.local.rotation.inverse(),
        };
        let mut locals = Vec::new();
        for &shape in &indices {
            locals.push(on_other_body("Part.local", &undo, self.shapes[shape].local)?);
        }
        let of_shapes = indices.iter().zip(&locals).map(|(&i, local)| self.shapes[i].mass().placed(local));
        let mass = own_mass.unwrap_or_else(|| of_shapes.fold(Mass::ZERO, Mass::plus));
        mass.check_usable()?;
        def.check_center(mass.center)?;
        let center = def.position + def.rotation.rotate(mass.center);
        let part_motion = motion.seen_from(center - place.position);
        if !part_motion.is_finite() {
            return Err(Error::invalid("motion of the part", part_motion, "finite"));
        }
        let def = BodyDef { mass: own_mass, ..def };
        self.wake_neighbors(host);
        self.remove_contacts_of(host);
        indices.iter().for_each(|&shape| self.remove_proxy(shape));
        self.bodies.records[host].shapes.retain(|shape| !indices.contains(shape));
        if let Some(rest) = rest {
            self.bodies.records[host].mass = rest;
        }
        self.update_mass(host);
        self.refresh_proxies(host);
        self.revive(host);
        let id = self.insert_body(&def);
        let guest = id.index();
        for (&shape, local) in indices.iter().zip(locals) {
            let record = &mut self.shapes[shape];
            (record.body, record.local) = (guest, local);
        }
        self.bodies.records[guest].shapes.extend_from_slice(&indices);
        self.update_mass(guest);
        indices.iter().for_each(|&shape| self.insert_proxy(shape));
        for index in [host, guest] {
            let arm = self.bodies.places[index as usize].position - place.position;
            let locks = self.bodies.records[index].locks;
            self.bodies.cores[index as usize].motion = motion.seen_from(arm).without_locked(locks);
        }
        Ok(id)
    }

    /// Contacts of a body are gone: its shapes look for them anew.
    fn revive(&mut self, body: u32) {
        for i in 0..self.bodies.records[body].shapes.len() {
            let shape = self.bodies.records[body].shapes[i];
            self.moved.insert(shape);
        }
    }

    fn describe(&self, index: u32, local: Pose<D>) -> Part<D> {
        let (record, core) = (&self.bodies.records[index], &self.bodies.cores[index as usize]);
        let pose = self.bodies.pose(index);
        let ids = record.shapes.iter().filter_map(|&shape| self.shapes.id_at(shape)).map(ShapeId);
        let def = BodyDef {
            kind: record.kind,
            position: pose.position,
            rotation: pose.rotation,
            linear_velocity: core.motion.linear,
            angular_velocity: core.motion.angular,
            mass: record.has_own_mass.then_some(record.mass),
            locks: record.locks,
            gravity_scale: core.gravity_scale,
            drag: core.drag,
            can_sleep: record.can_sleep,
            sleep_speed: record.sleep_speed,
            is_awake: true,
            is_enabled: true,
            is_bullet: record.is_bullet,
            name: record.name.clone(),
            user_data: record.user_data,
        };
        Part { def, local, shapes: ids.collect(), mass: record.mass }
    }
}

/// The place of a shape on another body, in whose frame its own body stands at `frame`; `field` is to blame if there is none.
fn on_other_body<D: Dim>(field: &'static str, frame: &Pose<D>, local: Pose<D>) -> Result<Pose<D>, Error> {
    let moved = frame.compose(local);
    if moved.is_valid() {
        return Ok(moved);
    }
    Err(Error::invalid(field, frame.position, "such that shapes stand at finite places on their body"))
}
