//! Force generators.

use smol_str::SmolStr;

use super::joint::body_reference;
use super::names::{Named, Reference, TargetRef};
use super::record::{Checked, Record};
use super::{Evaluator, Reported};
use crate::ast::Declaration;
use crate::model::geometry;
use crate::model::{Force, ForceKind};
use crate::schema::forces;

/// A generator whose bodies are looked up when all names are known.
pub(crate) struct PendingForce {
    pub force: Force,
    pub on: Vec<TargetRef>,
    pub a: Option<Reference>,
    pub b: Option<Reference>,
}

impl Evaluator<'_> {
    pub(crate) fn force(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let (kind, name) = self.second_word(declaration, forces::find, forces::KINDS)?;
        let mut record = self.record(kind, &declaration.kind, &declaration.parameters)?;
        let force_kind = self.force_kind(&record);
        let (a, b) = (body_reference(&mut record, "a"), body_reference(&mut record, "b"));
        let on = match record.take("on") {
            Some(Checked::Targets(targets)) => targets,
            _ if kind.name == "spring" => Vec::new(),
            _ => vec![TargetRef::All],
        };
        let name = name.map(|name| self.full_name(&name));
        if let Some(name) = &name {
            self.declare(name, Named::Force, declaration.kind.span)?;
        }
        let force = Force { name, on: Vec::new(), kind: force_kind, span: declaration.span };
        self.pending.push_force(PendingForce { force, on, a, b });
        Ok(())
    }

    fn force_kind(&self, record: &Record) -> ForceKind {
        let number = |name: &str| record.number_or(name);
        let point = |name: &str| self.pose.point(record.vector_or(name));
        let turn = |name: &str| self.pose.turn(record.vector_or(name));
        match record.kind.name {
            "gravity" => ForceKind::Gravity { acceleration: turn("acceleration") },
            "point" => ForceKind::Point {
                at: point("at"),
                strength: number("strength"),
                softening: number("softening"),
            },
            "spring" => ForceKind::Spring {
                a: SmolStr::default(),
                b: None,
                at_a: record.vector("atA").map(|at| self.pose.point(at)),
                at_b: record.vector("atB").map(|at| self.pose.point(at)),
                length: record.number("length"),
                stiffness: number("stiffness"),
                damping: number("damping"),
                bungee: record.flag("bungee"),
            },
            "attraction" => ForceKind::Attraction {
                strength: number("strength"),
                exponent: number("exponent"),
                softening: number("softening"),
            },
            "motor" => ForceKind::Motor { torque: turn("torque"), max_speed: record.number("maxSpeed") },
            "thrust" => ForceKind::Thrust { force: record.vector_or("force"), at: record.vector_or("at") },
            "wind" => ForceKind::Wind {
                velocity: turn("velocity"),
                drag: number("drag"),
                gusts: number("gusts"),
                period: number("period"),
            },
            "drag" => ForceKind::Drag {
                linear: number("linear"),
                quadratic: number("quadratic"),
                angular: number("angular"),
            },
            "buoyancy" => ForceKind::Buoyancy {
                level: number("level"),
                density: number("density"),
                linear_drag: number("linearDrag"),
                angular_drag: number("angularDrag"),
                flow: turn("flow"),
            },
            "explosion" => {
                ForceKind::Explosion { at: point("at"), radius: number("radius"), impulse: number("impulse") }
            }
            _ => ForceKind::Vortex {
                at: point("at"),
                axis: if self.dimension() == 2 { [0.0, 0.0, 1.0] } else { geometry::normalize(turn("axis")) },
                radius: number("radius"),
                speed: number("speed"),
                pull: number("pull"),
                drag: number("drag"),
            },
        }
    }
}
