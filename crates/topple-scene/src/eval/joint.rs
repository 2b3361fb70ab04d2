//! Joints, and pairs that pass through each other.

use smol_str::SmolStr;

use super::names::{Named, Reference};
use super::record::{Checked, Record};
use super::{Evaluator, Reported};
use crate::ast::Declaration;
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::geometry;
use crate::model::{Ignore, Joint, JointKind, Motor, Soft, Vec3};
use crate::schema::{KindInfo, joints};

/// A joint whose bodies are looked up when all names are known.
pub(crate) struct PendingJoint {
    pub joint: Joint,
    pub a: Reference,
    pub b: Option<Reference>,
}

/// A pair, likewise.
pub(crate) struct PendingIgnore {
    pub ignore: Ignore,
    pub a: Reference,
    pub b: Reference,
}

/// A body reference of a record.
pub(crate) fn body_reference(record: &mut Record, name: &str) -> Option<Reference> {
    match record.take(name) {
        Some(Checked::Body(reference)) => Some(reference),
        _ => None,
    }
}

fn soft(record: &Record) -> Option<Soft> {
    record
        .number("frequency")
        .map(|frequency| Soft { frequency, damping_ratio: record.number_or("dampingRatio") })
}

fn motor(record: &Record, strength: &str) -> Option<Motor> {
    record.number("motorSpeed").map(|speed| Motor { speed, strength: record.number(strength) })
}

impl Evaluator<'_> {
    /// The table of `joint kind` or `force kind`, and the name after it.
    pub(crate) fn second_word(
        &mut self,
        declaration: &Declaration,
        find: fn(&str) -> Option<&'static KindInfo>,
        known: &'static [KindInfo],
    ) -> Result<(&'static KindInfo, Option<SmolStr>), Reported> {
        let what = &declaration.kind.text;
        let Some((first, rest)) = declaration.head.split_first() else {
            let names: Vec<_> = known.iter().map(|kind| kind.name).collect();
            let error = Diagnostic::error("syntax", declaration.kind.span, format!("which {what}?"));
            return Err(self.fail(error.help(format!("one of {}", names.join(", ")))));
        };
        let word = first.as_word().cloned().unwrap_or_default();
        let Some(kind) = find(&word) else {
            let message = format!("there is no {what} '{word}'");
            let names =
                known.iter().flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()));
            let error = Diagnostic::error("unknown-declaration", first.span, message);
            return Err(self.fail(error.suggest(nearest(&word, names))));
        };
        let name = self.own_name(rest)?;
        Ok((kind, name))
    }

    pub(crate) fn joint(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let (kind, name) = self.second_word(declaration, joints::find, joints::KINDS)?;
        let mut record = self.record(kind, &declaration.kind, &declaration.parameters)?;
        let joint_kind = self.joint_kind(&record);
        let place = |this: &Self, own: &str| {
            record.vector(own).or_else(|| record.vector("at")).map(|point| this.pose.point(point))
        };
        let (at_a, at_b) = (place(self, "atA"), place(self, "atB"));
        let (Some(a), b) = (body_reference(&mut record, "a"), body_reference(&mut record, "b")) else {
            return Err(Reported);
        };
        let name = name.map(|name| self.full_name(&name));
        if let Some(name) = &name {
            self.declare(name, Named::Joint, declaration.kind.span)?;
        }
        let joint = Joint {
            name,
            a: SmolStr::default(),
            b: None,
            at_a,
            at_b,
            collide: record.flag("collide"),
            break_force: record.number("breakForce"),
            break_torque: record.number("breakTorque"),
            kind: joint_kind,
            span: declaration.span,
        };
        self.pending.push_joint(PendingJoint { joint, a, b });
        Ok(())
    }

    /// A direction of a record in the world.
    fn direction(&self, record: &Record, name: &str) -> Vec3 {
        // Rows of the other dimension have no meaning; the plane's normal stands for them.
        match record.kind.param(name) {
            Some(param) if param.dims.has(self.dimension()) => {
                geometry::normalize(self.pose.turn(record.vector_or(name)))
            }
            _ => [0.0, 0.0, 1.0],
        }
    }

    fn joint_kind(&self, record: &Record) -> JointKind {
        let axis = || self.direction(record, "axis");
        let length = record.number("length");
        match record.kind.name {
            "ball" => JointKind::Ball {
                axis: axis(),
                cone_limit: record.number("coneLimit"),
                twist_limits: record.pair("twistLimits"),
            },
            "hinge" => JointKind::Hinge {
                axis: axis(),
                limits: record.pair("limits"),
                motor: motor(record, "maxTorque"),
                soft: soft(record),
            },
            "slider" => JointKind::Slider {
                axis: axis(),
                limits: record.pair("limits"),
                motor: motor(record, "maxForce"),
                soft: soft(record),
            },
            "fixed" => JointKind::Fixed { soft: soft(record) },
            "distance" => JointKind::Distance { length, limits: record.pair("limits"), soft: soft(record) },
            "spring" => JointKind::Spring {
                length,
                stiffness: record.number_or("stiffness"),
                damping: record.number_or("damping"),
            },
            "rope" => JointKind::Rope { length },
            "wheel" => JointKind::Wheel {
                axis: axis(),
                axle: self.direction(record, "axle"),
                limits: record.pair("limits"),
                motor: motor(record, "maxTorque"),
                soft: soft(record),
            },
            "gear" => {
                let axis_a = axis();
                let axis_b = if record.has("axisB") { self.direction(record, "axisB") } else { axis_a };
                JointKind::Gear { ratio: record.number_or("ratio"), axis_a, axis_b }
            }
            "motor" => JointKind::Motor {
                velocity: record.vector("vel").map(|v| self.pose.turn(v)),
                angular_velocity: record.vector("angvel").map(|v| self.pose.turn(v)),
                max_force: record.number("maxForce"),
                max_torque: record.number("maxTorque"),
            },
            _ => JointKind::Mouse {
                target: self.pose.point(record.vector_or("target")),
                max_force: record.number("maxForce"),
                soft: soft(record),
            },
        }
    }

    pub(crate) fn ignore(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        let mut record = self.record(kind, &declaration.kind, &declaration.parameters)?;
        let (Some(a), Some(b)) = (body_reference(&mut record, "a"), body_reference(&mut record, "b")) else {
            return Err(Reported);
        };
        let ignore = Ignore { a: SmolStr::default(), b: SmolStr::default(), span: declaration.span };
        self.pending.push_ignore(PendingIgnore { ignore, a, b });
        Ok(())
    }
}
