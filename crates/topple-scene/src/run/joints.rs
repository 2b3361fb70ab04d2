//! Joints of a running scene: made, changed, removed, broken, measured.

use smol_str::SmolStr;
use topple::math::{RotOps, VecOps};
use topple::{BodyDef, BodyId, JointId, JointKind, JointView};

use super::Run;
use crate::lower::{self, Space};
use crate::model::director::Change;
use crate::model::geometry::{dot, length, scale, sub};
use crate::model::{Joint, Target, Vec3};

/// What the scene knows of a joint that the engine does not.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// Its id in the engine; stale once it is broken or removed.
    pub id: JointId,
    /// Full name.
    pub name: Option<SmolStr>,
    /// Steps in which it carried too much.
    pub overloads: u64,
}

impl<D: Space> Run<D> {
    pub(super) fn add_joint(&mut self, joint: &Joint) {
        let find = |name: &SmolStr| {
            let info = self.names.get(name).map(|index| &self.bodies[*index]).filter(|info| info.exists);
            info.map(|info| info.id).ok_or_else(|| format!("'{name}' is no longer there"))
        };
        let ends = find(&joint.a).and_then(|a| Ok((a, joint.b.as_ref().map(find).transpose()?)));
        let made = ends.and_then(|(a, b)| {
            let b = b.map_or_else(|| self.ground(), Ok)?;
            lower::joint(&mut self.world, joint, [a, b], self.joints.len() as u64)
        });
        match made {
            Ok(id) => self.joints.push(JointInfo { id, name: joint.name.clone(), overloads: 0 }),
            Err(reason) => self.refuse(joint.span, reason),
        }
    }

    /// The body that stands for the world.
    fn ground(&mut self) -> Result<BodyId, String> {
        if let Some(id) = self.ground {
            return Ok(id);
        }
        // No index: it is no body of the scene.
        let def = BodyDef { user_data: u64::MAX, ..BodyDef::fixed(D::point([0.0; 3])) };
        let id = self.world.create_body(def).map_err(|error| error.to_string())?;
        self.ground = Some(id);
        Ok(id)
    }

    /// Indices of the joints that a target means and that still exist; `all` means all of them.
    pub(super) fn find_joints(&self, target: &Target) -> Vec<usize> {
        let meant = |joint: &JointInfo| {
            *target == Target::All || joint.name.is_some() && target.matches(joint.name.as_deref(), None)
        };
        let joints = self.joints.iter().enumerate();
        joints.filter(|(_, joint)| meant(joint) && self.exists(joint)).map(|(index, _)| index).collect()
    }

    fn exists(&self, joint: &JointInfo) -> bool {
        self.world.contains_joint(joint.id)
    }

    /// Removes joints by name; `all` means bodies.
    pub(super) fn remove_joints(&mut self, targets: &[Target]) {
        for target in targets.iter().filter(|target| **target != Target::All) {
            for index in self.find_joints(target) {
                // The id is ours and the joint exists: it cannot fail.
                let _ = self.world.remove_joint(self.joints[index].id);
            }
        }
    }

    pub(super) fn change_joints(&mut self, targets: &[Target], change: &Change) {
        let mut found = false;
        for target in targets.iter().filter(|target| **target != Target::All) {
            for index in self.find_joints(target) {
                found = true;
                if let Err(reason) = lower::change_joint(&mut self.world, self.joints[index].id, change) {
                    self.refuse(self.here, reason);
                }
            }
        }
        let for_joints = change.joint != Default::default();
        if for_joints && !found {
            self.refuse(self.here, String::from("there is no such joint to change"));
        }
    }

    /// Joints that the last step asked too much of.
    pub(super) fn count_overloads(&mut self) {
        for event in &self.world.events().joint {
            if let Some(info) = self.joints.get_mut(event.user_data as usize) {
                info.overloads += 1;
            }
        }
    }

    pub(super) fn joint_quantity(&self, name: &str, info: &JointInfo) -> f64 {
        let Ok(joint) = self.world.joint(info.id) else { return f64::NAN };
        let force = || D::vec_out(joint.force());
        match name {
            "angle" => f64::from(joint.angle()),
            "spin" => f64::from(joint.angular_speed()),
            "slide" => f64::from(joint.translation()),
            "gap" => f64::from(joint.length()),
            "stretch" => stretch(&joint),
            "force" => length(force()),
            "forceX" => force()[0],
            "forceY" => force()[1],
            "forceZ" => force()[2],
            "torque" if D::N == 2 => D::ang_out(joint.torque())[2],
            "torque" => length(D::ang_out(joint.torque())),
            "overloads" => info.overloads as f64,
            _ => f64::NAN,
        }
    }
}

/// How far a joint is from what it should hold [m].
fn stretch<D: Space>(joint: &JointView<'_, D>) -> f64 {
    let length_now = f64::from(joint.length());
    match *joint.kind() {
        JointKind::Distance(distance) => {
            let (min, max) = (f64::from(distance.min), f64::from(distance.max));
            (length_now - max).max(0.0) - (min - length_now).max(0.0)
        }
        JointKind::Spring(spring) => length_now - f64::from(spring.rest_length),
        JointKind::Slider(_) | JointKind::Wheel(_) => length(off_axis(joint)),
        JointKind::Mouse(mouse) => {
            let grip = D::point_out(joint.anchors()[1]);
            length(sub(D::point_out(mouse.target), grip))
        }
        JointKind::Motor(drive) => {
            let [a, b] = joint.frames();
            length(D::vec_out(a.compose(drive.target).position - b.position))
        }
        _ => length_now,
    }
}

/// From the axis of a slider to its other place.
fn off_axis<D: Space>(joint: &JointView<'_, D>) -> Vec3 {
    let [a, b] = joint.frames();
    let between = D::vec_out(b.position - a.position);
    let axis = D::vec_out(a.rotation.rotate(D::Vec::axis(0)));
    sub(between, scale(axis, dot(between, axis)))
}
