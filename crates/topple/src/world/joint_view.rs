//! A joint seen from outside: reading, and changing it between steps.

use super::World;
use crate::Error;
use crate::joint::{Joint, JointKind, JointRecord, JointSoftness, Limits, Motor, Spring};
use crate::math::*;
use crate::store::{BodyId, JointId};

/// A joint, for reading. From [`World::joint`].
pub struct JointView<'a, D: Dim> {
    world: &'a World<D>,
    index: u32,
}

/// A joint, for changing. From [`World::joint_mut`]. Every change that could move a body wakes both.
pub struct JointMut<'a, D: Dim> {
    world: &'a mut World<D>,
    index: u32,
}

impl<D: Dim> World<D> {
    /// The joint with this id.
    pub fn joint(&self, id: JointId) -> Result<JointView<'_, D>, Error> {
        Ok(JointView { index: self.joint_index(id)?, world: self })
    }

    /// The joint with this id, for changing.
    pub fn joint_mut(&mut self, id: JointId) -> Result<JointMut<'_, D>, Error> {
        Ok(JointMut { index: self.joint_index(id)?, world: self })
    }
}

impl<D: Dim> JointView<'_, D> {
    fn record(&self) -> &JointRecord<D> {
        &self.world.joints.records[self.index]
    }

    fn joint(&self) -> &Joint<D> {
        &self.world.joints.hot[self.index as usize]
    }

    /// Its id.
    pub fn id(&self) -> JointId {
        self.world.joint_id(self.index)
    }

    /// Its name; empty: none.
    pub fn name(&self) -> &str {
        &self.record().name
    }

    /// The user's number.
    pub fn user_data(&self) -> u64 {
        self.record().user_data
    }

    /// The two bodies.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.joint().bodies.map(|body| BodyId(self.world.bodies.records.id_at(body).unwrap_or_default()))
    }

    /// What is free and what acts.
    pub fn kind(&self) -> &JointKind<D> {
        &self.joint().kind
    }

    /// Own stiffness of the locked degrees of freedom; None: the world's.
    pub fn softness(&self) -> Option<JointSoftness> {
        self.joint().softness
    }

    /// True if the two bodies collide with each other.
    pub fn collide_connected(&self) -> bool {
        self.record().collide_connected
    }

    /// Limits of force [N] and torque [N·m], and whether it breaks above them.
    pub fn break_limits(&self) -> (Real, Real, bool) {
        (self.record().max_force, self.record().max_torque, self.record().breaks)
    }

    /// True if the step solves it: a body of it is awake and both take part.
    pub fn is_active(&self) -> bool {
        self.record().color != crate::contact::NO_COLOR
    }

    /// Frames of the joint on both bodies, in the bodies' frames.
    pub fn local_frames(&self) -> [Pose<D>; 2] {
        self.record().local
    }

    /// Frames of the joint on both bodies, in the world.
    pub fn frames(&self) -> [Pose<D>; 2] {
        let joint = self.joint();
        [0, 1].map(|side| self.world.bodies.places[joint.bodies[side] as usize].compose(joint.frames[side]))
    }

    /// Anchors on both bodies, world [m].
    pub fn anchors(&self) -> [D::Point; 2] {
        self.frames().map(|frame| frame.position)
    }

    /// Angle of frame b in frame a [rad], in (−π, π]: about x for hinges and balls (their twist), about the axle for wheels.
    pub fn angle(&self) -> Real {
        let frames = self.frames().map(|frame| frame.rotation);
        match self.kind() {
            JointKind::Wheel(wheel) => D::angle_about([D::steered(frames[0], wheel.steering), frames[1]], 2),
            _ => D::angle_about(frames, 0),
        }
    }

    /// Angular speed of b against a about the axis of [`Self::angle`] [rad/s].
    pub fn angular_speed(&self) -> Real {
        let frame = self.frames()[0].rotation;
        let axis = match self.kind() {
            JointKind::Wheel(wheel) => D::turning_axis(D::steered(frame, wheel.steering), 2),
            _ => D::turning_axis(frame, 0),
        };
        let [a, b] = self.joint().bodies.map(|body| self.world.bodies.cores[body as usize].motion.angular);
        axis.dot(b - a)
    }

    /// Translation of anchor b along x of frame a [m]: of sliders and suspensions.
    pub fn translation(&self) -> Real {
        let [a, b] = self.frames();
        (b.position - a.position).dot(a.rotation.rotate(D::Vec::axis(0)))
    }

    /// Distance of the anchors [m].
    pub fn length(&self) -> Real {
        let [a, b] = self.anchors();
        (b - a).length()
    }

    /// Force of the joint on b at its anchor, world frame, the mean over the last step [N]; a gets the opposite.
    pub fn force(&self) -> D::Vec {
        self.world.joint_reaction(self.index).0
    }

    /// Torque of the joint on b about its anchor, world frame, the mean over the last step [N·m].
    pub fn torque(&self) -> D::Ang {
        self.world.joint_reaction(self.index).1
    }
}

impl<D: Dim> JointMut<'_, D> {
    /// The same joint for reading.
    pub fn as_ref(&self) -> JointView<'_, D> {
        JointView { world: self.world, index: self.index }
    }

    fn joint(&mut self) -> &mut Joint<D> {
        &mut self.world.joints.hot[self.index as usize]
    }

    fn record(&mut self) -> &mut JointRecord<D> {
        &mut self.world.joints.records[self.index]
    }

    /// Wakes both bodies.
    pub fn wake(&mut self) {
        let bodies = self.joint().bodies;
        bodies.into_iter().for_each(|body| self.world.wake_index(body));
    }

    /// Replaces kind and parameters. Impulses are kept if the kind is the same, except those of parts that are gone.
    pub fn set_kind(&mut self, kind: JointKind<D>) -> Result<(), Error> {
        kind.validate()?;
        if kind == self.joint().kind {
            return Ok(());
        }
        self.wake();
        let joint = self.joint();
        if kind.name() != joint.kind.name() {
            joint.clear_impulses();
        }
        joint.kind = kind;
        joint.clear_unused_impulses();
        Ok(())
    }

    /// Sets the motor of a hinge, slider or wheel.
    pub fn set_motor(&mut self, motor: Option<Motor>) -> Result<(), Error> {
        let mut kind = self.joint().kind;
        match &mut kind {
            JointKind::Hinge(hinge) => hinge.motor = motor,
            JointKind::Slider(slider) => slider.motor = motor,
            JointKind::Wheel(wheel) => wheel.motor = motor,
            _ => return Err(missing("a motor")),
        }
        self.set_kind(kind)
    }

    /// Changes the speed of a velocity motor [rad/s or m/s], or the target of a servo [rad or m].
    pub fn set_motor_target(&mut self, value: Real) -> Result<(), Error> {
        let motor = match self.joint().kind {
            JointKind::Hinge(hinge) => hinge.motor,
            JointKind::Slider(slider) => slider.motor,
            JointKind::Wheel(wheel) => wheel.motor,
            _ => None,
        };
        match motor {
            Some(Motor::Velocity { max, .. }) => self.set_motor(Some(Motor::Velocity { speed: value, max })),
            Some(Motor::Position { hertz, damping, max, .. }) => {
                self.set_motor(Some(Motor::Position { target: value, hertz, damping, max }))
            }
            None => Err(missing("a motor target")),
        }
    }

    /// Sets the limits of a hinge [rad], slider, wheel or distance joint [m].
    pub fn set_limits(&mut self, limits: Option<Limits>) -> Result<(), Error> {
        let mut kind = self.joint().kind;
        match &mut kind {
            JointKind::Hinge(hinge) => hinge.limits = limits,
            JointKind::Slider(slider) => slider.limits = limits,
            JointKind::Wheel(wheel) => wheel.limits = limits,
            JointKind::Distance(distance) => {
                (distance.min, distance.max) = limits.map_or((0.0, Real::INFINITY), |l| (l.lower, l.upper));
            }
            _ => return Err(missing("a limit")),
        }
        self.set_kind(kind)
    }

    /// Sets the spring of a hinge, slider, wheel or distance joint.
    pub fn set_spring(&mut self, spring: Option<Spring>) -> Result<(), Error> {
        let mut kind = self.joint().kind;
        match &mut kind {
            JointKind::Hinge(hinge) => hinge.spring = spring,
            JointKind::Slider(slider) => slider.spring = spring,
            JointKind::Wheel(wheel) => wheel.spring = spring,
            JointKind::Distance(distance) => distance.spring = spring,
            _ => return Err(missing("a spring")),
        }
        self.set_kind(kind)
    }

    /// Moves the point that a mouse joint pulls to, world [m].
    pub fn set_target(&mut self, target: impl Into<D::Point>) -> Result<(), Error> {
        match self.joint().kind {
            JointKind::Mouse(mouse) => {
                self.set_kind(JointKind::Mouse(crate::joint::Mouse { target: target.into(), ..mouse }))
            }
            _ => Err(missing("a target")),
        }
    }

    /// Turns the axle of a wheel about its suspension [rad]. 3D only.
    pub fn set_steering(&mut self, angle: Real) -> Result<(), Error> {
        match self.joint().kind {
            JointKind::Wheel(wheel) => {
                self.set_kind(JointKind::Wheel(crate::joint::Wheel { steering: angle, ..wheel }))
            }
            _ => Err(missing("steering")),
        }
    }

    /// Replaces the frames on both bodies, in the bodies' frames.
    pub fn set_local_frames(&mut self, frames: [Pose<D>; 2]) -> Result<(), Error> {
        for frame in frames {
            frame.check("frame")?;
        }
        self.wake();
        self.record().local =
            frames.map(|frame| Pose { position: frame.position, rotation: frame.rotation.normalized() });
        let bodies = self.joint().bodies;
        bodies.into_iter().for_each(|body| self.world.refresh_joint_frames(body));
        Ok(())
    }

    /// Sets the stiffness of the locked degrees of freedom; None: the world's.
    pub fn set_softness(&mut self, softness: Option<JointSoftness>) -> Result<(), Error> {
        if let Some(softness) = softness {
            softness.validate()?;
        }
        self.wake();
        self.joint().softness = softness;
        Ok(())
    }

    /// Sets the limits of force [N] and torque [N·m] that raise events, and whether the joint breaks above them.
    pub fn set_break_limits(&mut self, max_force: Real, max_torque: Real, breaks: bool) -> Result<(), Error> {
        crate::joint::check_bound("max_force", max_force)?;
        crate::joint::check_bound("max_torque", max_torque)?;
        let record = self.record();
        (record.max_force, record.max_torque, record.breaks) = (max_force, max_torque, breaks);
        if record.is_watched() {
            self.world.joints.watched.insert(self.index);
        } else {
            self.world.joints.watched.remove(self.index);
        }
        // What bears more than that now is told, and breaks, in the next step, asleep or not.
        let (force, torque) = self.world.joint_reaction(self.index);
        if force.length() > max_force || torque.length() > max_torque {
            self.wake();
        }
        Ok(())
    }

    /// Lets the two bodies collide with each other, or not.
    pub fn set_collide_connected(&mut self, collide: bool) {
        if collide == self.record().collide_connected {
            return;
        }
        self.wake();
        self.record().collide_connected = collide;
        let bodies = self.joint().bodies;
        if collide {
            self.world.find_pairs_again(bodies);
        } else {
            self.world.remove_contacts_between(bodies);
        }
    }

    /// Sets its name.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.record().name = name.into();
    }

    /// Sets the user's number.
    pub fn set_user_data(&mut self, data: u64) {
        self.record().user_data = data;
    }
}

fn missing(what: &'static str) -> Error {
    Error::NotPossible { what, reason: "this kind of joint has none" }
}
