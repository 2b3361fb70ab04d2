//! Cameras, lights, the background.

use super::joint::body_reference;
use super::names::{Named, Reference};
use super::{Evaluator, Output, Reported};
use crate::ast::Declaration;
use crate::diagnostics::Diagnostic;
use crate::model::{Background, Camera, Light};
use crate::schema::KindInfo;

/// A camera whose body is looked up when all names are known.
pub(crate) struct PendingCamera {
    pub camera: Camera,
    pub follow: Option<Reference>,
}

impl Evaluator<'_> {
    pub(crate) fn view(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        if matches!(self.output, Output::Event(_)) {
            let message = format!("'{}' cannot be added during the run", kind.name);
            return Err(self.fail(Diagnostic::error("structure", declaration.kind.span, message)));
        }
        let name = self.own_name(&declaration.head);
        let record = self.record(kind, declaration);
        let (name, mut record) = (name?, record?);
        if self.is_lost() {
            return Ok(());
        }
        let three = self.dimension() == 3;
        match kind.name {
            "camera" => {
                let name = name.map(|name| self.full_name(&name));
                if let Some(name) = &name {
                    self.declare(name, Named::Camera, declaration.kind.span)?;
                }
                let follow = body_reference(&mut record, "follow");
                let camera = Camera {
                    name,
                    at: record.vector("at").map(|at| self.pose.point(at)),
                    target: record.vector("target").map(|at| self.pose.point(at)),
                    up: self.pose.turn(record.vector_or("up")),
                    fov: record.number_or("fov"),
                    height: record.number("height"),
                    orthographic: three && record.flag("orthographic"),
                    follow: None,
                };
                self.pending.cameras.push(PendingCamera { camera, follow });
            }
            "light" => {
                if record.has("direction") == record.has("at") {
                    let message = "a light has either a 'direction' or a place 'at'";
                    return Err(self.fail(Diagnostic::error("value", declaration.kind.span, message)));
                }
                self.scene.lights.push(Light {
                    direction: record.vector("direction").map(|direction| self.pose.turn(direction)),
                    at: record.vector("at").map(|at| self.pose.point(at)),
                    colour: record.vector_or("colour"),
                    intensity: record.number_or("intensity"),
                    shadows: record.flag("shadows"),
                });
            }
            _ => {
                if self.scene.background.is_some() {
                    let message = "the background is declared twice";
                    return Err(self.fail(Diagnostic::error(
                        "duplicate-name",
                        declaration.kind.span,
                        message,
                    )));
                }
                self.scene.background = Some(Background {
                    colour: record.vector_or("colour"),
                    ambient: record.number_or("ambient"),
                });
            }
        }
        Ok(())
    }
}
