//! Bodies made of bodies: merging two into one, and taking a part off again.
//!
//! Shapes keep their ids, materials and places in the world. Momentum, angular momentum and centre of mass of the whole are
//! those of the parts; energy is not, where the parts moved against each other: that is an inelastic impact. On the way back
//! every part moves on as the rigid body moved at its place, which keeps all of them.

use super::World;
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
    /// those of `body`. Gathered forces add up.
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
        whole.check_usable()?;
        self.check_center(host, whole.center)?;
        let has_own_mass = [host, guest].iter().any(|&index| {
            let record = &self.bodies.records[index];
            record.has_own_mass || record.shapes.is_empty()
        });
        self.wake_neighbors(host);
        self.wake_neighbors(guest);

        // Momentum and angular momentum about the common centre, in f32 like everything that bodies store.
        let parts = [host, guest].map(|index| {
            let (place, core) = (self.bodies.places[index as usize], &self.bodies.cores[index as usize]);
            let record = &self.bodies.records[index];
            (place, core.motion, record.mass.mass, record.mass.inertia.rotated(place.rotation), core.load)
        });
        let part = self.describe(guest, local);
        let center = self.bodies.pose(host).transform(whole.center);
        let (mut momentum, mut angular) = (D::Vec::ZERO, D::Ang::ZERO);
        let mut load = crate::body::Load::ZERO;
        for (place, motion, mass, inertia, part_load) in parts {
            let arm = place.position - center;
            momentum += motion.linear * mass;
            angular += D::cross(arm, motion.linear * mass) + inertia.apply(motion.angular);
            load.force += part_load.force;
            load.torque += part_load.torque + D::cross(arm, part_load.force);
        }
        self.remove_contacts_of(host);
        self.remove_contacts_of(guest);
        let shapes = core::mem::take(&mut self.bodies.records[guest].shapes);
        for &shape in &shapes {
            self.remove_proxy(shape);
        }
        self.remove_body(other)?;
        for &shape in &shapes {
            let record = &mut self.shapes[shape];
            (record.body, record.local) = (host, local.compose(record.local));
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
        let (place, record) = (self.bodies.places[host as usize], &self.bodies.records[host]);
        let spin = record.mass.inertia.rotated(place.rotation).inverse().apply(angular);
        let motion = Motion { linear: momentum * (1.0 / record.mass.mass), angular: spin };
        let locks = record.locks;
        let core = &mut self.bodies.cores[host as usize];
        (core.motion, core.load) = (motion.without_locked(locks), load);
        Ok(part)
    }

    /// Takes a part off that was merged into `body`: a new body with its shapes, at the place where they are. Both move on as
    /// the whole moved. The part may come from another order of merging, as long as its shapes are on `body`.
    pub fn unmerge(&mut self, body: BodyId, part: Part<D>) -> Result<BodyId, Error> {
        let host = self.body_index(body)?;
        part.def.validate()?;
        part.mass.check_usable()?;
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
            Some(rest)
        } else if indices.len() == record.shapes.len() {
            return Err(Error::NotPossible {
                what: "unmerging",
                reason: "nothing would be left of the body",
            });
        } else {
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
            ..part.def
        };
        def.validate()?;
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
        let id = self.create_body(def)?;
        let guest = id.index();
        let undo = Pose::<D> {
            position: D::Point::from_vec(part.local.inverse_transform(D::Point::ORIGIN)),
            rotation: part.local.rotation.inverse(),
        };
        for &shape in &indices {
            let record = &mut self.shapes[shape];
            (record.body, record.local) = (guest, undo.compose(record.local));
        }
        self.bodies.records[guest].shapes.extend_from_slice(&indices);
        self.update_mass(guest);
        indices.iter().for_each(|&shape| self.insert_proxy(shape));
        for index in [host, guest] {
            let arm = self.bodies.places[index as usize].position - place.position;
            let linear = motion.linear + D::cross_ang(motion.angular, arm);
            let locks = self.bodies.records[index].locks;
            self.bodies.cores[index as usize].motion =
                Motion { linear, angular: motion.angular }.without_locked(locks);
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
