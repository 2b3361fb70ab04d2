//! A body seen from outside: reading, and changing it between steps.

use super::World;
use crate::Error;
use crate::body::{BodyKind, BodySet, Drag, Locks, Motion};
use crate::math::*;
use crate::shape::Mass;
use crate::store::{BodyId, ShapeId};

/// A body, for reading. From [`World::body`].
pub struct Body<'a, D: Dim> {
    world: &'a World<D>,
    index: u32,
}

/// A body, for changing. From [`World::body_mut`]. Every change that could move the body wakes it.
pub struct BodyMut<'a, D: Dim> {
    world: &'a mut World<D>,
    index: u32,
}

impl<D: Dim> World<D> {
    /// The body with this id.
    pub fn body(&self, id: BodyId) -> Result<Body<'_, D>, Error> {
        Ok(Body { index: self.body_index(id)?, world: self })
    }

    /// The body with this id, for changing.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_, D>, Error> {
        Ok(BodyMut { index: self.body_index(id)?, world: self })
    }
}

impl<D: Dim> Body<'_, D> {
    fn record(&self) -> &crate::body::BodyRecord<D> {
        &self.world.bodies.records[self.index]
    }

    fn core(&self) -> &crate::body::BodyCore<D> {
        &self.world.bodies.cores[self.index as usize]
    }

    /// Its id.
    pub fn id(&self) -> BodyId {
        BodyId(self.world.bodies.records.id_at(self.index).unwrap_or_default())
    }

    /// Its name; empty: none.
    pub fn name(&self) -> &str {
        &self.record().name
    }

    /// The user's number.
    pub fn user_data(&self) -> u64 {
        self.record().user_data
    }

    /// How it moves.
    pub fn kind(&self) -> BodyKind {
        self.record().kind
    }

    /// Frame of the body in the world.
    pub fn pose(&self) -> Pose<D> {
        self.world.bodies.pose(self.index)
    }

    /// Origin of the body's frame, world [m].
    pub fn position(&self) -> D::Point {
        self.pose().position
    }

    /// Orientation of the body's frame.
    pub fn rotation(&self) -> D::Rot {
        self.world.bodies.places[self.index as usize].rotation
    }

    /// Centre of mass, world [m].
    pub fn center(&self) -> D::Point {
        self.world.bodies.places[self.index as usize].position
    }

    /// Centre of mass in the body's frame [m].
    pub fn local_center(&self) -> D::Vec {
        self.core().local_center
    }

    /// Velocities of the body.
    pub fn motion(&self) -> Motion<D> {
        self.core().motion
    }

    /// Velocity of the centre of mass [m/s].
    pub fn linear_velocity(&self) -> D::Vec {
        self.core().motion.linear
    }

    /// Angular velocity, world frame [rad/s].
    pub fn angular_velocity(&self) -> D::Ang {
        self.core().motion.angular
    }

    /// Velocity of the material point at `point` (world) [m/s].
    pub fn velocity_at(&self, point: D::Point) -> D::Vec {
        let motion = self.core().motion;
        motion.linear + D::cross_ang(motion.angular, point - self.center())
    }

    /// Mass [kg]. Of static and kinematic bodies: what their shapes weigh, which moves nothing.
    pub fn mass(&self) -> Real {
        self.record().mass.mass
    }

    /// Mass, centre and inertia in the body's frame.
    pub fn mass_properties(&self) -> Mass<D> {
        self.record().mass
    }

    /// Inertia about the centre of mass, world axes: R·I·Rᵀ [kg·m²].
    pub fn inertia(&self) -> D::Inertia {
        self.record().mass.inertia.rotated(self.rotation())
    }

    /// Momentum P = m·v [kg·m/s].
    pub fn momentum(&self) -> D::Vec {
        self.linear_velocity() * self.mass()
    }

    /// Angular momentum L = I·w about the centre of mass, world axes [kg·m²/s].
    pub fn angular_momentum(&self) -> D::Ang {
        self.inertia().apply(self.angular_velocity())
    }

    /// Kinetic energy ½·m·v² + ½·w·I·w [J].
    pub fn kinetic_energy(&self) -> Real {
        let v = self.linear_velocity();
        0.5 * (self.mass() * v.dot(v) + self.angular_velocity().dot(self.angular_momentum()))
    }

    /// Force gathered for the next step [N].
    pub fn force(&self) -> D::Vec {
        self.core().load.force
    }

    /// Torque about the centre of mass gathered for the next step [N·m].
    pub fn torque(&self) -> D::Ang {
        self.core().load.torque
    }

    /// Locked axes.
    pub fn locks(&self) -> Locks {
        self.record().locks
    }

    /// Factor on gravity (no unit).
    pub fn gravity_scale(&self) -> Real {
        self.core().gravity_scale
    }

    /// Air resistance.
    pub fn drag(&self) -> Drag {
        self.core().drag
    }

    /// True if the step moves it: dynamic and not asleep, or kinematic and moving.
    pub fn is_awake(&self) -> bool {
        self.record().set == BodySet::Awake
    }

    /// True if it takes part in the simulation.
    pub fn is_enabled(&self) -> bool {
        self.record().set != BodySet::Disabled
    }

    /// True if it was taken out because its state was no longer finite. Enabling it again clears this.
    pub fn is_quarantined(&self) -> bool {
        self.record().is_quarantined
    }

    /// True if it is marked for continuous collision against moving bodies too.
    pub fn is_bullet(&self) -> bool {
        self.record().is_bullet
    }

    /// Its shapes, in order of attachment.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeId> + '_ {
        let shapes = self.record().shapes.iter();
        shapes.filter_map(|&shape| self.world.shapes.id_at(shape)).map(ShapeId)
    }

    /// World position [m] of a point given in the body's frame [m].
    pub fn to_world(&self, local: D::Vec) -> D::Point {
        self.pose().transform(local)
    }

    /// A world point [m] in the body's frame [m].
    pub fn to_local(&self, world: D::Point) -> D::Vec {
        self.pose().inverse_transform(world)
    }
}

impl<D: Dim> BodyMut<'_, D> {
    /// The same body for reading.
    pub fn as_ref(&self) -> Body<'_, D> {
        Body { world: self.world, index: self.index }
    }

    fn core(&mut self) -> &mut crate::body::BodyCore<D> {
        &mut self.world.bodies.cores[self.index as usize]
    }

    /// Moves the body's frame. A teleport: nothing is swept, contacts are found anew.
    pub fn set_pose(&mut self, pose: Pose<D>) -> Result<(), Error> {
        pose.check("pose")?;
        let rotation = pose.rotation.normalized();
        let place = Pose { position: pose.position + rotation.rotate(self.core().local_center), rotation };
        if !place.is_valid() {
            return Err(Error::invalid("pose", pose, "such that the centre of mass is finite"));
        }
        self.world.wake_surroundings(self.index);
        self.world.bodies.places[self.index as usize] = place;
        self.world.refresh_proxies(self.index);
        Ok(())
    }

    /// Moves the origin of the body's frame to `position`; see [`Self::set_pose`].
    pub fn set_position(&mut self, position: impl Into<D::Point>) -> Result<(), Error> {
        let rotation = self.as_ref().rotation();
        self.set_pose(Pose { position: position.into(), rotation })
    }

    /// Turns the body about its origin; see [`Self::set_pose`].
    pub fn set_rotation(&mut self, rotation: D::Rot) -> Result<(), Error> {
        let position = self.as_ref().position();
        self.set_pose(Pose { position, rotation })
    }

    /// Sets the velocity of the centre of mass [m/s]. Not for static bodies.
    pub fn set_linear_velocity(&mut self, velocity: D::Vec) -> Result<(), Error> {
        let angular = self.core().motion.angular;
        self.set_motion(Motion { linear: velocity, angular })
    }

    /// Sets the angular velocity, world frame [rad/s]. Not for static bodies.
    pub fn set_angular_velocity(&mut self, velocity: D::Ang) -> Result<(), Error> {
        let linear = self.core().motion.linear;
        self.set_motion(Motion { linear, angular: velocity })
    }

    /// Sets both velocities. Not for static bodies; a dynamic body keeps still along its locked axes.
    pub fn set_motion(&mut self, motion: Motion<D>) -> Result<(), Error> {
        if !motion.is_finite() {
            return Err(Error::invalid("velocity", motion, "finite"));
        }
        if self.as_ref().kind() == BodyKind::Static {
            return Err(Error::NotPossible { what: "a velocity", reason: "the body is static" });
        }
        let motion = match self.as_ref().kind() {
            BodyKind::Dynamic => motion.without_locked(self.as_ref().locks()),
            _ => motion,
        };
        if motion != self.core().motion {
            self.world.wake_index(self.index);
            self.core().motion = motion;
            self.world.update_kinematic(self.index);
        }
        Ok(())
    }

    /// Adds a force at the centre of mass [N], acting over the next step.
    pub fn apply_force(&mut self, force: D::Vec) -> Result<(), Error> {
        let center = self.as_ref().center();
        self.apply_force_at(force, center)
    }

    /// Adds a force [N] at a world point, acting over the next step.
    pub fn apply_force_at(&mut self, force: D::Vec, point: D::Point) -> Result<(), Error> {
        let arm = self.lever("force", force, point)?;
        self.add_load("force", force, D::cross(arm, force))
    }

    /// Adds a force [N, world frame] at a point of the body's frame, acting over the next step.
    pub fn apply_force_at_local(&mut self, force: D::Vec, point: D::Vec) -> Result<(), Error> {
        let point = self.as_ref().to_world(point);
        self.apply_force_at(force, point)
    }

    /// Adds a torque [N·m], acting over the next step.
    pub fn apply_torque(&mut self, torque: D::Ang) -> Result<(), Error> {
        if !torque.is_finite() {
            return Err(Error::invalid("torque", torque, "finite"));
        }
        self.check_dynamic()?;
        self.add_load("torque", D::Vec::ZERO, torque)
    }

    /// Changes the velocity at once by an impulse at the centre of mass [N·s].
    pub fn apply_impulse(&mut self, impulse: D::Vec) -> Result<(), Error> {
        let center = self.as_ref().center();
        self.apply_impulse_at(impulse, center)
    }

    /// Changes the velocities at once by an impulse [N·s] at a world point.
    pub fn apply_impulse_at(&mut self, impulse: D::Vec, point: D::Point) -> Result<(), Error> {
        let arm = self.lever("impulse", impulse, point)?;
        self.kick("impulse", impulse, D::cross(arm, impulse))
    }

    /// Changes the velocities at once by an impulse [N·s, world frame] at a point of the body's frame.
    pub fn apply_impulse_at_local(&mut self, impulse: D::Vec, point: D::Vec) -> Result<(), Error> {
        let point = self.as_ref().to_world(point);
        self.apply_impulse_at(impulse, point)
    }

    /// Changes the angular velocity at once by an angular impulse [N·m·s].
    pub fn apply_angular_impulse(&mut self, impulse: D::Ang) -> Result<(), Error> {
        if !impulse.is_finite() {
            return Err(Error::invalid("angular impulse", impulse, "finite"));
        }
        self.check_dynamic()?;
        self.kick("angular impulse", D::Vec::ZERO, impulse)
    }

    fn check_dynamic(&self) -> Result<(), Error> {
        match self.as_ref().kind() {
            BodyKind::Dynamic => Ok(()),
            _ => Err(Error::NotPossible { what: "a force", reason: "the body is not dynamic" }),
        }
    }

    /// Vector from the centre of mass to `point`, after checking what acts there.
    fn lever(&self, field: &'static str, force: D::Vec, point: D::Point) -> Result<D::Vec, Error> {
        if !force.is_finite() {
            return Err(Error::invalid(field, force, "finite"));
        }
        if !point.is_finite() {
            return Err(Error::invalid("point", point, "finite"));
        }
        self.check_dynamic()?;
        Ok(point - self.as_ref().center())
    }

    /// Adds to what acts over the next step, unless the sum overflows. Nothing at all wakes nobody.
    fn add_load(&mut self, field: &'static str, force: D::Vec, torque: D::Ang) -> Result<(), Error> {
        if force == D::Vec::ZERO && torque == D::Ang::ZERO {
            return Ok(());
        }
        let load = self.core().load;
        let (force, torque) = (load.force + force, load.torque + torque);
        if !force.is_finite() || !torque.is_finite() {
            return Err(Error::invalid(
                field,
                (force, torque),
                "such that the sum of force and torque is finite",
            ));
        }
        self.world.wake_index(self.index);
        self.core().load = crate::body::Load { force, torque };
        Ok(())
    }

    /// Changes the velocities, unless they overflow. Nothing at all wakes nobody.
    fn kick(&mut self, field: &'static str, impulse: D::Vec, angular: D::Ang) -> Result<(), Error> {
        if impulse == D::Vec::ZERO && angular == D::Ang::ZERO {
            return Ok(());
        }
        let rotation = self.as_ref().rotation();
        let locks = self.as_ref().locks();
        let core = self.core();
        let inv_inertia = core.inv_inertia.rotated(rotation).without_axes(locks.rotation);
        let change = Motion::<D> { linear: impulse * core.inv_mass, angular: inv_inertia.apply(angular) };
        let change = change.without_locked(locks);
        let motion = Motion {
            linear: core.motion.linear + change.linear,
            angular: core.motion.angular + change.angular,
        };
        if !motion.is_finite() {
            return Err(Error::invalid(field, (impulse, angular), "such that the velocity stays finite"));
        }
        self.world.wake_index(self.index);
        self.core().motion = motion;
        Ok(())
    }

    /// Gives the body mass properties of its own, or takes them back (None: from the shapes).
    pub fn set_mass(&mut self, mass: Option<Mass<D>>) -> Result<(), Error> {
        let future = match mass {
            Some(mass) => {
                mass.validate()?;
                mass
            }
            None => self.world.mass_of_shapes(self.index, super::bodies::Change::Nothing),
        };
        self.world.check_new_mass(self.index, future)?;
        self.world.wake_neighbors(self.index);
        let record = &mut self.world.bodies.records[self.index];
        record.has_own_mass = mass.is_some();
        record.mass = mass.unwrap_or(Mass::ZERO);
        self.world.update_mass(self.index);
        self.world.remake_contacts_of(self.index);
        Ok(())
    }

    /// Locks axes of the world.
    pub fn set_locks(&mut self, locks: Locks) {
        self.world.wake_neighbors(self.index);
        self.world.bodies.records[self.index].locks = locks;
        if self.as_ref().kind() == BodyKind::Dynamic {
            self.core().motion = self.core().motion.without_locked(locks);
        }
        self.world.update_mass(self.index);
        self.world.recolor_contacts_of(self.index);
    }

    /// Sets the factor on gravity (no unit).
    pub fn set_gravity_scale(&mut self, scale: Real) -> Result<(), Error> {
        crate::error::finite("gravity_scale", scale)?;
        self.world.wake_index(self.index);
        self.core().gravity_scale = scale;
        Ok(())
    }

    /// Sets the air resistance.
    pub fn set_drag(&mut self, drag: Drag) -> Result<(), Error> {
        drag.validate()?;
        self.world.wake_index(self.index);
        self.core().drag = drag;
        Ok(())
    }

    /// Allows or forbids sleep, and sets the body's own threshold [m/s] (None: the world's).
    pub fn set_sleep(&mut self, can_sleep: bool, speed: Option<Real>) -> Result<(), Error> {
        if let Some(speed) = speed {
            crate::error::not_negative("sleep_speed", speed)?;
        }
        let record = &mut self.world.bodies.records[self.index];
        record.can_sleep = can_sleep;
        record.sleep_speed = speed;
        self.world.update_extent(self.index);
        if !can_sleep {
            self.world.wake_index(self.index);
        }
        Ok(())
    }

    /// Marks it for continuous collision against moving bodies too.
    pub fn set_bullet(&mut self, is_bullet: bool) {
        self.world.bodies.records[self.index].is_bullet = is_bullet;
    }

    /// Sets its name.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.world.bodies.records[self.index].name = name.into();
    }

    /// Sets the user's number.
    pub fn set_user_data(&mut self, data: u64) {
        self.world.bodies.records[self.index].user_data = data;
    }

    /// Wakes the body and its island.
    pub fn wake(&mut self) {
        self.world.wake_index(self.index);
    }
}
