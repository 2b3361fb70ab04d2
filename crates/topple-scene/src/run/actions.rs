//! What the director does to the world.

use topple::{BodyKind, Real};

use super::{BodyInfo, Run};
use crate::diagnostics::Diagnostic;
use crate::lower::{self, Space};
use crate::model::director::Change;
use crate::model::geometry::{Pose, rotate};
use crate::model::{self, Action, Target, Vec3};
use crate::span::Span;

impl<D: Space> Run<D> {
    pub(super) fn add_body(&mut self, body: &model::Body) {
        let index = self.bodies.len();
        match lower::body(&mut self.world, &mut self.meshes, body, self.drag, index as u64) {
            Ok((id, parts)) => {
                let Pose { position, rotation, angle } = body.pose;
                let inverse = [-rotation[0], -rotation[1], -rotation[2], rotation[3]];
                let up = if D::N == 2 {
                    [libm::sin(angle), libm::cos(angle), 0.0]
                } else {
                    rotate(inverse, [0.0, 1.0, 0.0])
                };
                let start = self.world.body(id).map_or(position, |body| D::point_out(body.center()));
                self.bodies.push(BodyInfo {
                    id,
                    name: body.name.clone(),
                    group: body.group.clone(),
                    looks: parts.iter().map(|part| body.parts[*part].look.clone()).collect(),
                    exists: true,
                    dynamic: body.kind == model::BodyKind::Dynamic,
                    start,
                    up,
                    frame: body.pose,
                });
                if let Some(name) = &body.name {
                    self.names.insert(name.clone(), index);
                }
                self.widen_forces(index);
            }
            Err(reason) => self.refuse(body.span, reason),
        }
    }

    pub(super) fn refuse(&mut self, span: Span, reason: String) {
        self.diagnostics.push(Diagnostic::error("engine", span, reason));
    }

    /// Two bodies pass through each other from now on.
    pub(super) fn ignore(&mut self, a: &str, b: &str) {
        let (Some(a), Some(b)) = (self.names.get(a), self.names.get(b)) else { return };
        let (a, b) = (self.bodies[*a].id, self.bodies[*b].id);
        if let Ok(mut pairs) = self.ignored.write() {
            pairs.insert((a, b));
            pairs.insert((b, a));
        }
        let pairs = std::sync::Arc::clone(&self.ignored);
        self.world.set_pair_filter(Some(std::sync::Arc::new(move |bodies, _| {
            pairs.read().is_ok_and(|pairs| !pairs.contains(&(bodies[0], bodies[1])))
        })));
    }

    pub(super) fn act(&mut self, action: Action) {
        let adds = matches!(action, Action::AddBody(_) | Action::AddJoint(_) | Action::AddForce(_));
        let most = self.limits.declarations;
        if adds && self.bodies.len() + self.joints.len() + self.forces.len() >= most {
            let reason =
                format!("a scene has at most {most} bodies, joints and forces, those of its events included");
            if !self.is_full {
                self.diagnostics.push(Diagnostic::error("limit", self.here, reason));
            }
            self.is_full = true;
            return;
        }
        match action {
            Action::AddBody(body) => self.add_body(&body),
            Action::AddJoint(joint) => self.add_joint(&joint),
            Action::AddForce(force) => self.add_force(&force),
            Action::Ignore(ignore) => self.ignore(&ignore.a, &ignore.b),
            Action::Remove(targets) => self.remove(&targets),
            Action::Push { on, impulse, force, torque, angular_impulse, at } => {
                for index in self.find_all(&on) {
                    self.push(index, [impulse, force], [angular_impulse, torque], at);
                }
            }
            Action::Change { on, change, span } => {
                self.here = span;
                for index in self.find_all(&on) {
                    self.change(index, &change);
                }
                self.change_joints(&on, &change);
            }
            Action::Wake(on) => {
                for index in self.find_all(&on) {
                    let _ = self.world.wake(self.bodies[index].id);
                }
            }
            Action::Merge(on, span) => {
                self.here = span;
                self.merge(&on);
            }
            Action::Unmerge(on, span) => {
                self.here = span;
                self.unmerge(&on);
            }
            Action::Set(settings, span) => {
                self.here = span;
                for (key, value) in &settings {
                    if let Err(reason) = lower::apply_setting(&mut self.world, key, value) {
                        self.refuse(self.here, reason);
                    }
                }
            }
            Action::Stop => self.stopped = true,
        }
    }

    fn remove(&mut self, targets: &[Target]) {
        for index in self.find_all(targets) {
            // The id is ours and the body exists: it cannot fail.
            let _ = self.world.remove_body(self.bodies[index].id);
            self.bodies[index].exists = false;
        }
        self.remove_joints(targets);
        self.remove_forces(targets);
    }

    /// Impulse and force; angular impulse and torque.
    fn push(
        &mut self,
        index: usize,
        linear: [Option<Vec3>; 2],
        angular: [Option<Vec3>; 2],
        at: Option<Vec3>,
    ) {
        // Only dynamic bodies can be pushed: of a group, the others stay where they are.
        if !self.bodies[index].dynamic {
            return;
        }
        let Ok(mut body) = self.world.body_mut(self.bodies[index].id) else { return };
        let mut done = Ok(());
        if let Some(impulse) = linear[0] {
            done = done.and(match at {
                Some(at) => body.apply_impulse_at(D::vec(impulse), D::point(at)),
                None => body.apply_impulse(D::vec(impulse)),
            });
        }
        if let Some(force) = linear[1] {
            done = done.and(match at {
                Some(at) => body.apply_force_at(D::vec(force), D::point(at)),
                None => body.apply_force(D::vec(force)),
            });
        }
        if let Some(impulse) = angular[0] {
            done = done.and(body.apply_angular_impulse(D::ang(impulse)));
        }
        if let Some(torque) = angular[1] {
            done = done.and(body.apply_torque(D::ang(torque)));
        }
        if let Err(error) = done {
            self.refuse(self.here, error.to_string());
        }
    }

    fn change(&mut self, index: usize, change: &Change) {
        let id = self.bodies[index].id;
        if let Some(kind) = change.kind {
            let kind = match kind {
                model::BodyKind::Dynamic => BodyKind::Dynamic,
                model::BodyKind::Kinematic => BodyKind::Kinematic,
                model::BodyKind::Static => BodyKind::Static,
            };
            match self.world.set_kind(id, kind) {
                Ok(()) => self.bodies[index].dynamic = kind == BodyKind::Dynamic,
                Err(error) => self.refuse(self.here, error.to_string()),
            }
        }
        if let Some(colour) = change.colour {
            for look in &mut self.bodies[index].looks {
                look.colour = Some(colour);
            }
        }
        let shapes: Vec<_> = self.world.body(id).map_or_else(|_| Vec::new(), |body| body.shapes().collect());
        for shape in shapes {
            let Ok(mut material) = self.world.shape(shape).map(|shape| shape.material()) else { continue };
            if let Some(elastic) = change.elastic {
                material.restitution = elastic as Real;
            }
            if let Some(friction) = change.friction {
                material.friction = friction as Real;
            }
            if let Err(error) = self.world.set_material(shape, material) {
                self.refuse(self.here, error.to_string());
            }
        }
        let Ok(mut body) = self.world.body_mut(id) else { return };
        let mut done = Ok(());
        if let Some(scale) = change.gravity_scale {
            done = done.and(body.set_gravity_scale(scale as Real));
        }
        if let Some(position) = change.position {
            done = done.and(body.set_position(D::point(position)));
        }
        if let Some(angle) = change.angle {
            done = done.and(body.set_rotation(D::rot(&Pose { angle, ..Pose::IDENTITY })));
        }
        if let Some(velocity) = change.velocity {
            done = done.and(body.set_linear_velocity(D::vec(velocity)));
        }
        if let Some(velocity) = change.angular_velocity {
            done = done.and(body.set_angular_velocity(D::ang(velocity)));
        }
        if let Err(error) = done {
            self.refuse(self.here, error.to_string());
        }
    }
}
