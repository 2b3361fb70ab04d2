//! Joints coming and going: creation, colours, islands, breaking, removal.

use super::World;
use super::events::JointEvent;
use crate::Error;
use crate::body::{BodyKind, BodySet, NONE};
use crate::broad_phase::ProxyKind;
use crate::contact::NO_COLOR;
use crate::joint::{Joint, JointDef, JointRecord, MAX_ROWS};
use crate::math::*;
use crate::store::{BodyId, IdText, JointId};

impl<D: Dim> World<D> {
    /// Joins two bodies, at least one of them dynamic. Both wake. Unless the joint says otherwise, they no longer collide.
    ///
    /// A body that is taken out, or changed so that neither is dynamic any more, leaves the joint without effect until
    /// that is undone.
    pub fn create_joint(&mut self, def: JointDef<D>) -> Result<JointId, Error> {
        let bodies = [self.body_index(def.a)?, self.body_index(def.b)?];
        def.validate()?;
        if bodies.iter().all(|&body| self.bodies.records[body].kind != BodyKind::Dynamic) {
            return Err(Error::NotPossible { what: "a joint", reason: "neither body is dynamic" });
        }
        let local = [def.local_a, def.local_b]
            .map(|frame| Pose { position: frame.position, rotation: frame.rotation.normalized() });
        let record = JointRecord {
            edges: [[NONE; 2]; 2],
            color: NO_COLOR,
            color_slot: NONE,
            colored: [false; 2],
            is_linked: false,
            local,
            collide_connected: def.collide_connected,
            max_force: def.max_force,
            max_torque: def.max_torque,
            breaks: def.breaks,
            name: def.name,
            user_data: def.user_data,
        };
        let joint = Joint {
            bodies,
            frames: local,
            kind: def.kind,
            softness: def.softness,
            impulses: [0.0; MAX_ROWS],
            push: D::Vec::ZERO,
            turn: D::Ang::ZERO,
            stiffness: 0,
        };
        bodies.iter().for_each(|&body| self.wake_index(body));
        let index = self.joints.insert(record, joint, &mut self.bodies);
        self.refresh_joint_frames(bodies[0]);
        self.refresh_joint_frames(bodies[1]);
        if !self.joints.records[index].collide_connected {
            self.remove_contacts_between(bodies);
        }
        self.link_joint(index);
        self.color_joint(index);
        Ok(self.joint_id(index))
    }

    /// Removes a joint. Both bodies wake, and collide again if nothing else forbids it.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), Error> {
        let index = self.joint_index(id)?;
        self.drop_joint(index);
        Ok(())
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.joints.records.len()
    }

    /// All joints, in order of index.
    pub fn joint_ids(&self) -> impl Iterator<Item = JointId> + '_ {
        self.joints.records.iter().map(|(index, _)| self.joint_id(index))
    }

    /// Joints of one body, newest first.
    pub fn joints_of(&self, body: BodyId) -> Result<impl Iterator<Item = JointId> + '_, Error> {
        let index = self.body_index(body)?;
        let joints = self.joints.of_body(self.bodies.records[index].first_joint);
        Ok(joints.map(|(joint, _)| self.joint_id(joint)))
    }

    /// The first joint with this name, by index. Looks at every joint.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        if name.is_empty() {
            return None;
        }
        let found = self.joints.records.iter().find(|(_, record)| record.name == name)?;
        Some(self.joint_id(found.0))
    }

    /// True if the id names a joint.
    pub fn contains_joint(&self, id: JointId) -> bool {
        self.joints.records.resolve(id.0).is_some()
    }

    /// Slot of a live id.
    pub(crate) fn joint_index(&self, id: JointId) -> Result<u32, Error> {
        let stale = || Error::StaleId { kind: JointId::KIND, id: IdText(id.0) };
        self.joints.records.resolve(id.0).ok_or_else(stale)
    }

    pub(crate) fn joint_id(&self, index: u32) -> JointId {
        JointId(self.joints.records.id_at(index).unwrap_or_default())
    }

    fn drop_joint(&mut self, index: u32) {
        let bodies = self.joints.hot[index as usize].bodies;
        for body in bodies {
            self.wake_index(body);
            self.note_release(body);
        }
        self.uncolor_joint(index);
        self.unlink_joint(index);
        let collided = self.joints.records[index].collide_connected;
        self.joints.remove(index, &mut self.bodies);
        if !collided {
            self.find_pairs_again(bodies);
        }
    }

    /// Ends the contacts between two bodies.
    pub(crate) fn remove_contacts_between(&mut self, [a, b]: [u32; 2]) {
        let mut edge = self.bodies.records[a].first_contact;
        while edge != NONE {
            let (index, side) = (edge / 2, (edge & 1) as usize);
            edge = self.contacts.next_edge(edge);
            if self.contacts.hot[index as usize].bodies[1 - side] == b {
                self.remove_contact(index, true);
                // The next one may have been a part of the same pair.
                edge = self.bodies.records[a].first_contact;
            }
        }
    }

    /// Has the broad phase look at two bodies again that were kept apart.
    pub(crate) fn find_pairs_again(&mut self, bodies: [u32; 2]) {
        for body in bodies {
            for i in 0..self.bodies.records[body].shapes.len() {
                let shape = self.bodies.records[body].shapes[i];
                if self.proxies.get(shape).kind != ProxyKind::None {
                    self.moved.insert(shape);
                }
            }
        }
    }

    /// Removes all joints of a body.
    pub(crate) fn remove_joints_of(&mut self, body: u32) {
        while self.bodies.records[body].first_joint != NONE {
            self.drop_joint(self.bodies.records[body].first_joint / 2);
        }
    }

    /// Frames relative to the centre of mass, after that moved in the body.
    pub(crate) fn refresh_joint_frames(&mut self, body: u32) {
        let mut edge = self.bodies.records[body].first_joint;
        let center = self.bodies.cores[body as usize].local_center;
        while edge != NONE {
            let (index, side) = (edge / 2, (edge & 1) as usize);
            edge = self.joints.next_edge(edge);
            let local = self.joints.records[index].local[side];
            self.joints.hot[index as usize].frames[side] =
                Pose { position: local.position - center, rotation: local.rotation };
        }
    }

    /// Calls `work` for each joint of a body.
    fn for_joints_of(&mut self, body: u32, mut work: impl FnMut(&mut Self, u32)) {
        let mut edge = self.bodies.records[body].first_joint;
        while edge != NONE {
            let index = edge / 2;
            edge = self.joints.next_edge(edge);
            work(self, index);
        }
    }

    /// A body leaves the simulation: its joints have no effect.
    pub(crate) fn uncolor_joints_of(&mut self, body: u32) {
        self.for_joints_of(body, |world, joint| {
            world.uncolor_joint(joint);
            world.unlink_joint(joint);
            world.joints.hot[joint as usize].clear_impulses();
        });
    }

    /// A body takes part again: so do its joints.
    pub(crate) fn color_joints_of(&mut self, body: u32) {
        self.for_joints_of(body, |world, joint| {
            let bodies = world.joints.hot[joint as usize].bodies;
            bodies.iter().for_each(|&body| world.wake_index(body));
            world.link_joint(joint);
            world.color_joint(joint);
        });
    }

    /// Joints of a body that has just come awake are solved again.
    pub(crate) fn wake_joints_of(&mut self, body: u32) {
        self.for_joints_of(body, |world, joint| {
            world.uncolor_joint(joint);
            world.link_joint(joint);
            world.color_joint(joint);
        });
    }

    /// Joints of a body that has just fallen asleep leave the step.
    pub(crate) fn sleep_joints_of(&mut self, body: u32) {
        self.for_joints_of(body, |world, joint| {
            world.uncolor_joint(joint);
            world.color_joint(joint);
        });
    }

    /// Puts a joint into a colour. Does nothing if it is there already, a body is out or no body of it can be moved.
    pub(crate) fn color_joint(&mut self, index: u32) {
        if self.joints.records[index].color != NO_COLOR {
            return;
        }
        let bodies = self.joints.hot[index as usize].bodies;
        let sets = bodies.map(|body| self.bodies.records[body].set);
        let colored = [0, 1].map(|side| {
            self.bodies.records[bodies[side]].kind == BodyKind::Dynamic && sets[side] == BodySet::Awake
        });
        if colored == [false; 2] || sets.contains(&BodySet::Disabled) {
            return;
        }
        let [a, b] = [0, 1].map(|side| colored[side].then_some(bodies[side]));
        let color = self.graph.pick_color(a, b, false);
        let list = &mut self.graph.colors[color as usize].joints;
        let record = &mut self.joints.records[index];
        (record.color, record.colored, record.color_slot) = (color, colored, list.len() as u32);
        list.push(index);
    }

    /// Takes a joint out of its colour.
    pub(crate) fn uncolor_joint(&mut self, index: u32) {
        let record = &self.joints.records[index];
        let (color, slot, colored) = (record.color, record.color_slot, record.colored);
        if color == NO_COLOR {
            return;
        }
        let bodies = self.joints.hot[index as usize].bodies;
        let [a, b] = [0, 1].map(|side| colored[side].then_some(bodies[side]));
        self.graph.release(color, a, b);
        let list = &mut self.graph.colors[color as usize].joints;
        list.swap_remove(slot as usize);
        if let Some(&moved) = list.get(slot as usize) {
            self.joints.records[moved].color_slot = slot;
        }
        self.joints.records[index].color = NO_COLOR;
    }

    /// Merges the islands of two dynamic bodies that are joined.
    fn link_joint(&mut self, index: u32) {
        let [a, b] = self.joints.hot[index as usize].bodies;
        let has_island = |body: u32| self.bodies.records[body].island != NONE;
        if !self.joints.records[index].is_linked && has_island(a) && has_island(b) {
            self.joints.records[index].is_linked = true;
            self.islands.link(&mut self.bodies, a, b);
        }
    }

    /// Notes in the island that this link is gone.
    fn unlink_joint(&mut self, index: u32) {
        if core::mem::replace(&mut self.joints.records[index].is_linked, false) {
            let [a, _] = self.joints.hot[index as usize].bodies;
            self.islands.unlink(&self.bodies, a);
        }
    }

    /// Reaction force [N] on b at its anchor, and torque [N·m] about it.
    pub(crate) fn joint_reaction(&self, index: u32) -> (D::Vec, D::Ang) {
        let joint = &self.joints.hot[index as usize];
        let per_time = if self.impulse_time > 0.0 { 1.0 / self.impulse_time } else { 0.0 };
        (joint.push * per_time, joint.turn * per_time)
    }

    /// Events of joints over their limits; those that break are removed. Bodies on moving platforms are kept awake.
    pub(crate) fn check_joints(&mut self) {
        if !self.joints.watched.is_empty() {
            // DETERMINISM: in order of index, whatever the order of the list.
            let mut watched = core::mem::take(&mut self.scratch.parts);
            watched.clear();
            watched.extend_from_slice(self.joints.watched.as_slice());
            watched.sort_unstable();
            watched.iter().for_each(|&index| self.check_joint(index));
            self.scratch.parts = watched;
        }
        if self.joints.records.is_empty() {
            return;
        }
        for i in 0..self.bodies.set(BodySet::Awake).len() {
            let body = self.bodies.set(BodySet::Awake).as_slice()[i];
            let record = &self.bodies.records[body];
            if record.kind == BodyKind::Kinematic && record.first_joint != NONE {
                let Self { joints, bodies, .. } = self;
                for (joint, side) in joints.of_body(bodies.records[body].first_joint) {
                    bodies.cores[joints.hot[joint as usize].bodies[1 - side] as usize].sleep_time = 0.0;
                }
            }
        }
    }

    fn check_joint(&mut self, index: u32) {
        let record = &self.joints.records[index];
        if record.color == NO_COLOR {
            return;
        }
        let (force, torque) = self.joint_reaction(index);
        let (force, torque) = (force.length(), torque.length());
        if force <= record.max_force && torque <= record.max_torque {
            return;
        }
        let id = |body: u32| BodyId(self.bodies.records.id_at(body).unwrap_or_default());
        let event = JointEvent {
            joint: self.joint_id(index),
            bodies: self.joints.hot[index as usize].bodies.map(id),
            force,
            torque,
            is_broken: record.breaks,
            user_data: record.user_data,
        };
        self.events.joint.push(event);
        if event.is_broken {
            self.drop_joint(index);
        }
    }
}
