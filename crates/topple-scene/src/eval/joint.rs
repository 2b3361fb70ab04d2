//! Joints, and pairs that pass through each other.

use smol_str::SmolStr;

use super::names::{Named, Reference};
use super::record::{Checked, Record};
use super::{Evaluator, Reported};
use crate::ast::Declaration;
use crate::diagnostics::Diagnostic;
use crate::model::geometry;
use crate::model::{Drive, Ignore, Joint, JointKind, Motor, Overload, Soft, Spring, Vec3};
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

fn soft_of(record: &Record, frequency: &str, damping: &str) -> Option<Soft> {
    record.number(frequency).map(|frequency| Soft { frequency, damping_ratio: record.number_or(damping) })
}

fn soft(record: &Record) -> Option<Soft> {
    soft_of(record, "frequency", "dampingRatio")
}

/// With the default of the table where none is given.
fn soft_or(record: &Record) -> Soft {
    Soft { frequency: record.number_or("frequency"), damping_ratio: record.number_or("dampingRatio") }
}

fn spring(record: &Record) -> Option<Spring> {
    soft(record).map(|soft| Spring { rest: record.number_or("rest"), soft })
}

fn motor(record: &Record, strength: &str) -> Option<Motor> {
    let servo = || Soft {
        frequency: record.number_or("motorFrequency"),
        damping_ratio: record.number_or("motorDamping"),
    };
    let target = record.number("motorTarget").map(|target| Drive::Target(target, servo()));
    let drive = record.number("motorSpeed").map(Drive::Speed).or(target);
    drive.map(|drive| Motor { drive, strength: record.number(strength) })
}

/// Stiffness of a motor joint that has a place or a rotation to hold and says nothing else [Hz].
const MOTOR_FREQUENCY: f64 = 5.0;

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
            let near = self.near((first.span, "unknown-declaration"), &word, names);
            return Err(self.fail(error.suggest(near)));
        };
        // A wrong name does not keep the rest from being checked.
        match self.own_name(rest) {
            Ok(name) => Ok((kind, name)),
            Err(Reported) => {
                let _ = self.record(kind, declaration);
                Err(Reported)
            }
        }
    }

    pub(crate) fn joint(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let (kind, name) = self.second_word(declaration, joints::find, joints::KINDS)?;
        let mut record = self.record(kind, declaration)?;
        let checked = self.check_joint(&record);
        let joint_kind = self.joint_kind(&record);
        let place = |this: &Self, own: &str| {
            record.vector(own).or_else(|| record.vector("at")).map(|point| this.pose.point(point))
        };
        let (at_a, at_b) = (place(self, "atA"), place(self, "atB"));
        let (Some(a), b) = (body_reference(&mut record, "a"), body_reference(&mut record, "b")) else {
            return Err(Reported);
        };
        let name = name.map(|name| self.full_name(&name));
        let declared =
            name.as_ref().map_or(Ok(()), |name| self.declare(name, Named::Joint, declaration.kind.span));
        if checked.is_err() || declared.is_err() || self.is_lost() {
            self.pending.lost_bodies.extend(std::iter::once(a).chain(b));
            return checked.and(declared);
        }
        let joint = Joint {
            name,
            a: SmolStr::default(),
            b: None,
            at_a,
            at_b,
            collide: record.flag("collide"),
            hold: soft_of(&record, "holdFrequency", "holdDamping"),
            overload: Overload {
                force: record.number("breakForce").or_else(|| record.number("alarmForce")),
                torque: record.number("breakTorque").or_else(|| record.number("alarmTorque")),
                breaks: record.has("breakForce") || record.has("breakTorque"),
            },
            kind: joint_kind,
            span: declaration.span,
        };
        self.pending.push_joint(PendingJoint { joint, a, b });
        Ok(())
    }

    /// What only some joints ask of their parameters together.
    fn check_joint(&mut self, record: &Record) -> Result<(), Reported> {
        let mut sound = true;
        let mut fail = |this: &mut Self, name: &str, message: String| {
            let span = record.span(name).unwrap_or_default();
            this.fail(Diagnostic::error("value", span, message));
            sound = false;
        };
        if record.kind.name == "distance"
            && record.has("length")
            && record.has("limits")
            && !record.has("frequency")
        {
            let message =
                "with 'limits' a 'length' has no meaning but as the rest of a spring: give 'frequency'";
            fail(self, "length", message.into());
        }
        if matches!(record.kind.name, "distance" | "spring" | "rope")
            && !record.has("b")
            && !record.has("atB")
        {
            let message = format!("a {} to the world needs 'atB'", record.kind.name);
            fail(self, "a", message);
        }
        if record.kind.name == "wheel" && self.dimension() == 3 {
            let (axis, axle) = (record.vector_or("axis"), record.vector_or("axle"));
            let across = geometry::cross(geometry::normalize(axis), geometry::normalize(axle));
            if geometry::length(across) < 1e-3 {
                let name = if record.has("axle") { "axle" } else { "axis" };
                fail(self, name, String::from("the axle cannot point along the suspension"));
            }
        }
        if sound { Ok(()) } else { Err(Reported) }
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
                spring: spring(record),
            },
            "slider" => JointKind::Slider {
                axis: axis(),
                limits: record.pair("limits"),
                motor: motor(record, "maxForce"),
                spring: spring(record),
            },
            "fixed" => JointKind::Fixed,
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
                spring: Some(Spring { rest: record.number_or("rest"), soft: soft_or(record) })
                    .filter(|spring| spring.soft.frequency > 0.0),
                steering: if self.dimension() == 3 { record.number_or("steering") } else { 0.0 },
            },
            "gear" => {
                let axis_a = axis();
                let axis_b = if record.has("axisB") { self.direction(record, "axisB") } else { axis_a };
                JointKind::Gear { ratio: record.number_or("ratio"), axis_a, axis_b }
            }
            "motor" => JointKind::Motor {
                velocity: record.vector("vel").map(|v| self.pose.turn(v)),
                angular_velocity: record.vector("angvel").map(|v| self.pose.turn(v)),
                offset: record.vector("offset").map(|v| self.pose.turn(v)),
                turn: record.vector("turn").map(|v| self.pose.turn(v)),
                soft: soft(record).or_else(|| {
                    let holds = record.has("offset") || record.has("turn");
                    let damping_ratio = record.number_or("dampingRatio");
                    holds.then_some(Soft { frequency: MOTOR_FREQUENCY, damping_ratio })
                }),
                max_force: record.number("maxForce"),
                max_torque: record.number("maxTorque"),
            },
            _ => JointKind::Mouse {
                target: self.pose.point(record.vector_or("target")),
                max_force: record.number("maxForce"),
                soft: soft_or(record),
            },
        }
    }

    pub(crate) fn ignore(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        let mut record = self.record(kind, declaration)?;
        let (Some(a), Some(b)) = (body_reference(&mut record, "a"), body_reference(&mut record, "b")) else {
            return Err(Reported);
        };
        let ignore = Ignore { a: SmolStr::default(), b: SmolStr::default(), span: declaration.span };
        if self.is_lost() {
            self.pending.lost_bodies.extend([a, b]);
            return Ok(());
        }
        self.pending.push_ignore(PendingIgnore { ignore, a, b });
        Ok(())
    }
}
