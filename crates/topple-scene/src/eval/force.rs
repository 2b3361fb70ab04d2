//! Force generators.

use smol_str::SmolStr;

use super::joint::body_reference;
use super::names::{BODIES, Named, Reference, TargetRef};
use super::record::{Checked, Record};
use super::{Evaluator, Reported};
use crate::ast::Declaration;
use crate::diagnostics::Diagnostic;
use crate::model::force::Law;
use crate::model::geometry::{self, dot};
use crate::model::{Force, ForceKind, Vec3};
use crate::schema::forces;

/// A generator whose bodies are looked up when all names are known.
pub(crate) struct PendingForce {
    pub force: Force,
    pub on: Vec<TargetRef>,
    /// First body of a spring.
    pub a: Option<Reference>,
    /// Second body of a spring, centre of a point, carrier of a motor.
    pub b: Option<Reference>,
}

impl Evaluator<'_> {
    pub(crate) fn force(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let (kind, name) = self.second_word(declaration, forces::find, forces::KINDS)?;
        let mut record = self.record(kind, declaration)?;
        let region = self.region(&record);
        let force_kind = self.force_kind(&record, declaration);
        let a = body_reference(&mut record, "a");
        let b = ["b", "from", "carrier"].iter().find_map(|name| body_reference(&mut record, name));
        let on = match record.take("on") {
            Some(Checked::Targets(targets)) => targets,
            _ if kind.name == "spring" => Vec::new(),
            _ => vec![TargetRef::All],
        };
        let name = name.map(|name| self.full_name(&name));
        let declared =
            name.as_ref().map_or(Ok(()), |name| self.declare(name, Named::Force, declaration.kind.span));
        if region.is_err() || force_kind.is_err() || declared.is_err() || self.is_lost() {
            self.pending.lost_bodies.extend(a.into_iter().chain(b));
            self.pending.lost_targets.push((on, BODIES));
            return region.and(force_kind).and(declared);
        }
        let (region, force_kind) = (region?, force_kind?);
        let force = Force { name, on: Vec::new(), region, kind: force_kind, span: declaration.span };
        self.pending.push_force(PendingForce { force, on, a, b });
        Ok(())
    }

    /// The box in which a generator acts.
    fn region(&mut self, record: &Record) -> Result<Option<[Vec3; 2]>, Reported> {
        let (low, high) = (record.vector("low"), record.vector("high"));
        let Some(span) = record.span("high").or_else(|| record.span("low")) else { return Ok(None) };
        if !self.pose.is_unrotated() {
            let message = "a box in which a force acts cannot be turned, but the group around it is";
            return Err(self.fail(Diagnostic::error("value", span, message)));
        }
        let place = |corner: Option<Vec3>, open: f64| match corner {
            Some(corner) => self.pose.point(corner),
            None => [open; 3],
        };
        let region = [place(low, f64::NEG_INFINITY), place(high, f64::INFINITY)];
        if (0..3).any(|axis| region[0][axis] > region[1][axis]) {
            let message = "'low' must not be above 'high'";
            return Err(self.fail(Diagnostic::error("value", span, message)));
        }
        Ok(Some(region))
    }

    fn law(&mut self, record: &Record, declaration: &Declaration) -> Result<Law, Reported> {
        match (record.number("strength"), record.number("depth"), record.number("distance")) {
            (Some(strength), None, None) => {
                Ok(Law::Power { strength, exponent: record.number_or("exponent") as i32 })
            }
            (None, Some(depth), Some(distance)) if !record.has("exponent") => {
                Ok(Law::LennardJones { depth, distance })
            }
            _ => {
                let message = "'force attraction' needs 'strength', or 'depth' and 'distance'";
                Err(self.fail(Diagnostic::error("missing-parameter", declaration.kind.span, message)))
            }
        }
    }

    fn force_kind(&mut self, record: &Record, declaration: &Declaration) -> Result<ForceKind, Reported> {
        let law = if record.kind.name == "attraction" { Some(self.law(record, declaration)?) } else { None };
        let number = |name: &str| record.number_or(name);
        let point = |name: &str| self.pose.point(record.vector_or(name));
        let placed = |name: &str| record.vector(name).map(|at| self.pose.point(at));
        let turn = |name: &str| self.pose.turn(record.vector_or(name));
        Ok(match (record.kind.name, law) {
            (_, Some(law)) => ForceKind::Attraction {
                law,
                by_mass: record.text("charge").as_deref() != Some("one"),
                softening: number("softening"),
                range: record.number("range"),
            },
            ("gravity", _) => ForceKind::Gravity { acceleration: turn("acceleration") },
            ("point", _) => ForceKind::Point {
                at: if record.has("from") { placed("at") } else { Some(point("at")) },
                from: None,
                strength: number("strength"),
                exponent: number("exponent") as i32,
                softening: number("softening"),
            },
            ("spring", _) => ForceKind::Spring {
                a: SmolStr::default(),
                b: None,
                at_a: placed("atA"),
                at_b: placed("atB"),
                length: record.number("length"),
                stiffness: number("stiffness"),
                damping: number("damping"),
                bungee: record.flag("bungee"),
            },
            ("motor", _) => {
                let local = record.flag("local");
                ForceKind::Motor {
                    torque: if local { record.vector_or("torque") } else { turn("torque") },
                    local,
                    carrier: None,
                    free_speed: record.number("freeSpeed"),
                }
            }
            ("thrust", _) => {
                let local = record.flag("local");
                let force = if local { record.vector_or("force") } else { turn("force") };
                ForceKind::Thrust { force, at: record.vector_or("at"), local }
            }
            ("wind", _) => ForceKind::Wind {
                velocity: turn("velocity"),
                density: number("density"),
                drag: number("drag"),
                lift: number("lift"),
            },
            ("drag", _) => ForceKind::Drag {
                linear: number("linear"),
                quadratic: number("quadratic"),
                angular: number("angular"),
            },
            ("buoyancy", _) => {
                let normal = geometry::normalize(turn("normal"));
                ForceKind::Buoyancy {
                    level: number("level") + dot(normal, self.pose.position),
                    normal,
                    density: number("density"),
                    drag: number("drag"),
                    spin_drag: number("spinDrag"),
                    flow: turn("flow"),
                }
            }
            ("explosion", _) => ForceKind::Explosion {
                at: point("at"),
                radius: number("radius"),
                pressure: number("pressure"),
                duration: number("duration"),
            },
            _ => ForceKind::Vortex {
                at: point("at"),
                axis: if self.dimension() == 2 { [0.0, 0.0, 1.0] } else { geometry::normalize(turn("axis")) },
                radius: number("radius"),
                swirl: number("swirl"),
                pull: number("pull"),
                lift: if self.dimension() == 2 { 0.0 } else { number("lift") },
            },
        })
    }
}
