//! Bodies: single shapes and compounds.

use smol_str::SmolStr;

use super::names::Named;
use super::record::{Checked, Record};
use super::{Evaluator, Output, Reported};
use crate::ast::{Declaration, Item};
use crate::diagnostics::Diagnostic;
use crate::model::geometry::{self, Pose};
use crate::model::{Action, Body, BodyKind, Filter, Locks, Look, Material, NamedMaterial, Part, Shape, Vec3};
use crate::schema::{self, Family, KindInfo};

impl Evaluator<'_> {
    /// A shape that is a body of its own.
    pub(crate) fn shape_body(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        let name = self.own_name(&declaration.head);
        let mut record = self.record(kind, declaration)?;
        let local = self.turned_pose(&record);
        let shape = self.shape(&mut record, declaration);
        let (local, shape) = (local?, shape?);
        let part = Part {
            shape,
            pose: Pose::IDENTITY,
            material: self.material(&record, None),
            filter: filter(&record, None),
            look: self.look(&record, None),
            span: declaration.span,
        };
        let body = self.body(&record, name?, local, vec![part], declaration)?;
        self.emit_body(body)
    }

    /// `body { … }` with its shapes inside.
    pub(crate) fn compound(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        let name = self.own_name(&declaration.head);
        let record = self.record(kind, declaration);
        let mut parts = Vec::new();
        let mut sound = true;
        self.compound_items(&declaration.items, record.as_ref().ok(), &mut parts, &mut sound)?;
        let (record, name) = (record?, name?);
        if !sound {
            return Err(Reported);
        }
        if parts.is_empty() {
            let error = Diagnostic::error("structure", declaration.kind.span, "this body has no shapes");
            return Err(self.fail(error.help("write shapes inside: body { box { size 1,1,1 } }")));
        }
        let local = self.turned_pose(&record)?;
        let body = self.body(&record, name, local, parts, declaration)?;
        self.emit_body(body)
    }

    /// Shapes inside a compound; repetition and conditions work there too.
    fn compound_items(
        &mut self,
        items: &[Item],
        outer: Option<&Record>,
        parts: &mut Vec<Part>,
        sound: &mut bool,
    ) -> Result<(), Reported> {
        let (locals, failed) = (self.locals.len(), self.failed.len());
        for item in items {
            if self.exhausted {
                return Err(Reported);
            }
            let result = match item {
                Item::Declaration(inner) => self.part(inner, outer, parts),
                Item::Constant(constant) => {
                    self.at_site(constant.name.span);
                    let value = self.eval(&constant.value);
                    self.define_local(&constant.name.text, value)
                }
                Item::If(branch) => match self.flag(&branch.condition) {
                    Ok(holds) => {
                        let chosen = if holds { &branch.then } else { &branch.otherwise };
                        self.compound_items(chosen, outer, parts, sound)
                    }
                    Err(error) => Err(error),
                },
                Item::Repeat(repeat) => {
                    self.at_site(repeat.span);
                    let values = self.range(&repeat.range, repeat.span)?;
                    for value in values {
                        self.work(1, repeat.span)?;
                        if let Some(variable) = &repeat.variable {
                            self.push_local(&variable.text, crate::value::Value::plain(value));
                        }
                        let context = self.enter_loop(value);
                        let result = self.compound_items(&repeat.items, outer, parts, sound);
                        self.leave_loop(context);
                        if repeat.variable.is_some() {
                            self.pop_local();
                        }
                        result?;
                    }
                    Ok(())
                }
                Item::Parameter(_) | Item::Event(_) | Item::Expectation(_) => {
                    let message = "a body holds shapes only";
                    let span = match item {
                        Item::Event(event) => event.span,
                        Item::Expectation(expectation) => expectation.span,
                        Item::Parameter(parameter) => parameter.name.span,
                        _ => Default::default(),
                    };
                    Err(self.fail(Diagnostic::error("structure", span, message)))
                }
            };
            *sound &= result.is_ok();
        }
        self.locals.truncate(locals);
        self.failed.truncate(failed);
        Ok(())
    }

    fn part(
        &mut self,
        inner: &Declaration,
        outer: Option<&Record>,
        parts: &mut Vec<Part>,
    ) -> Result<(), Reported> {
        let word = &inner.kind;
        let kind = match schema::kind(&word.text) {
            Some(kind) if kind.family == Family::Shape && inner.items.is_empty() => kind,
            _ => {
                let known = schema::bodies::KINDS.iter().filter(|kind| kind.family == Family::Shape);
                let message = format!("a body holds shapes, not '{}'", word.text);
                let error = Diagnostic::error("structure", word.span, message).suggest(self.near(
                    (word.span, "structure"),
                    &word.text,
                    known.map(|kind| kind.name),
                ));
                return Err(self.fail(error));
            }
        };
        self.count_declaration(word.span)?;
        self.at_site(inner.span);
        if !kind.dims.has(self.dimension()) {
            let message = format!("'{}' does not exist in {}D", word.text, self.dimension());
            return Err(self.fail(Diagnostic::error("dimension", word.span, message)));
        }
        let mut record = self.record(kind, inner)?;
        let mut sound = true;
        for param in schema::bodies::MOTION {
            if let Some(span) = record.span(param.name) {
                let message = format!("'{}' belongs to the body, not to one of its shapes", param.name);
                self.fail(Diagnostic::error("structure", span, message));
                sound = false;
            }
        }
        let pose = self.turned_pose(&record);
        let shape = self.shape(&mut record, inner);
        let (pose, shape) = (pose?, shape?);
        if !sound {
            return Err(Reported);
        }
        parts.push(Part {
            shape,
            pose,
            material: self.material(&record, outer),
            filter: filter(&record, outer),
            look: self.look(&record, outer),
            span: inner.span,
        });
        Ok(())
    }

    /// The shape of a record.
    fn shape(&mut self, record: &mut Record, declaration: &Declaration) -> Result<Shape, Reported> {
        Ok(match record.kind.name {
            "sphere" | "circle" => Shape::Ball { radius: record.number_or("radius") },
            "box" => Shape::Cuboid { size: record.vector_or("size"), rounding: record.number_or("rounding") },
            "cylinder" => {
                let [radius, height, rounding] =
                    ["radius", "height", "rounding"].map(|name| record.number_or(name));
                Shape::Cylinder { radius, height, rounding }
            }
            "cone" => {
                let [radius, height, rounding] =
                    ["radius", "height", "rounding"].map(|name| record.number_or(name));
                Shape::Cone { radius, height, rounding }
            }
            "capsule" => self.capsule(record, declaration)?,
            "hull" => {
                let rounding = record.number_or("rounding");
                Shape::Hull { points: take_points(record), rounding }
            }
            "triangle" => {
                let span = record.span("points").unwrap_or(declaration.kind.span);
                let Ok(corners) = <[Vec3; 3]>::try_from(take_points(record)) else {
                    let message = "a triangle has three corners";
                    return Err(self.fail(Diagnostic::error("value", span, message)));
                };
                Shape::Triangle { corners }
            }
            "polygon" => self.polygon(record, declaration)?,
            "segment" => {
                let (from, to) = (record.vector_or("from"), record.vector_or("to"));
                if from == to {
                    let message = "a segment has two different ends";
                    return Err(self.fail(Diagnostic::error("value", declaration.kind.span, message)));
                }
                Shape::Segment { from, to }
            }
            "chain" => {
                let closed = record.flag("loop");
                let beyond = match (record.vector("before"), record.vector("after")) {
                    (Some(before), Some(after)) if !closed => Some([before, after]),
                    (None, None) => None,
                    _ => {
                        let message = "'before' and 'after' are given together, for a chain that is no loop";
                        return Err(self.fail(Diagnostic::error("value", declaration.kind.span, message)));
                    }
                };
                Shape::Chain { points: take_points(record), closed, beyond }
            }
            "wall" => Shape::HalfSpace {
                normal: geometry::normalize(record.vector_or("normal")),
                offset: record.number_or("toOrig"),
            },
            "mesh" => self.mesh(record, declaration)?,
            _ => self.height_field(record, declaration)?,
        })
    }

    fn capsule(&mut self, record: &Record, declaration: &Declaration) -> Result<Shape, Reported> {
        let radius = record.number_or("radius");
        let span = declaration.kind.span;
        match (record.number("height"), record.vector("from"), record.vector("to")) {
            (Some(height), None, None) => {
                Ok(Shape::Capsule { from: [0.0, -0.5 * height, 0.0], to: [0.0, 0.5 * height, 0.0], radius })
            }
            (None, Some(from), Some(to)) if from != to => Ok(Shape::Capsule { from, to, radius }),
            (None, Some(_), Some(_)) => {
                Err(self.fail(Diagnostic::error("value", span, "a capsule has two different ends")))
            }
            _ => {
                let error = Diagnostic::error(
                    "missing-parameter",
                    span,
                    "'capsule' needs 'height', or 'from' and 'to'",
                );
                Err(self.fail(error))
            }
        }
    }

    fn polygon(&mut self, record: &mut Record, declaration: &Declaration) -> Result<Shape, Reported> {
        let rounding = record.number_or("rounding");
        let span = declaration.kind.span;
        let points = match (record.has("points"), record.number("sides"), record.number("radius")) {
            (true, None, None) => take_points(record),
            (false, Some(sides), Some(radius)) => {
                let corner = |index: u32| {
                    let angle = std::f64::consts::TAU * f64::from(index) / sides;
                    [radius * libm::cos(angle), radius * libm::sin(angle), 0.0]
                };
                (0..sides as u32).map(corner).collect()
            }
            _ => {
                let message = "'polygon' needs 'points', or 'sides' and 'radius'";
                return Err(self.fail(Diagnostic::error("missing-parameter", span, message)));
            }
        };
        let a = points[0];
        let flat = |p: Vec3, q: Vec3| geometry::cross(geometry::sub(p, a), geometry::sub(q, a))[2] == 0.0;
        if points.windows(2).all(|pair| flat(pair[0], pair[1])) {
            let span = record.span("points").unwrap_or(span);
            return Err(self.fail(Diagnostic::error(
                "value",
                span,
                "the corners of a polygon are not on one line",
            )));
        }
        Ok(Shape::Hull { points, rounding })
    }

    // ---- pose ---------------------------------------------------------------------------------------------

    /// Position and rotation of a record, in the frame of the group.
    pub(crate) fn pose_of(&mut self, record: &Record, position: &str) -> Result<Pose, Reported> {
        let position = record.vector(position).unwrap_or([0.0; 3]);
        if self.dimension() == 2 {
            return Ok(Pose { position, angle: record.number("angle").unwrap_or(0.0), ..Pose::IDENTITY });
        }
        let mut rotation = Pose::IDENTITY.rotation;
        if let Some(angle) = record.number("angle") {
            rotation = geometry::about(record.vector_or("about"), angle);
        } else if let Some([x, y, z]) = record.vector("angles") {
            rotation = geometry::multiply(
                geometry::about([0.0, 0.0, 1.0], z),
                geometry::multiply(geometry::about([0.0, 1.0, 0.0], y), geometry::about([1.0, 0.0, 0.0], x)),
            );
        } else if let Some(span) = record.span("orientation")
            && let Some(Checked::Quaternion(given)) =
                record.iter().find(|(param, _)| param.name == "orientation").map(|(_, value)| value)
        {
            rotation = match geometry::normalize_rotation(*given) {
                Some(rotation) => rotation,
                None => return Err(self.fail(Diagnostic::error("value", span, "this is not a rotation"))),
            };
        }
        Ok(Pose { position, rotation, angle: 0.0 })
    }

    /// The pose of a shape that may be turned by an axis instead.
    fn turned_pose(&mut self, record: &Record) -> Result<Pose, Reported> {
        if record.kind.name == "wall" {
            return Ok(Pose::IDENTITY);
        }
        let pose = self.pose_of(record, "centre")?;
        match record.vector("axis") {
            Some(axis) if self.dimension() == 3 => Ok(Pose { rotation: geometry::from_y(axis), ..pose }),
            _ => Ok(pose),
        }
    }

    // ---- what all bodies have -----------------------------------------------------------------------------

    fn body(
        &mut self,
        record: &Record,
        name: Option<SmolStr>,
        local: Pose,
        parts: Vec<Part>,
        declaration: &Declaration,
    ) -> Result<Body, Reported> {
        let is_wall = record.kind.name == "wall";
        let ground = parts.iter().any(|part| part.shape.is_ground());
        // Off unless given: no look at the table for each of them.
        let flag = |name: &str| record.flag_given(name) == Some(true);
        let number = |name: &str, default: f64| record.number(name).unwrap_or(default);
        // Both at once have been refused.
        let kind = if flag("kinematic") {
            BodyKind::Kinematic
        } else if flag("static") || is_wall || ground {
            BodyKind::Static
        } else {
            BodyKind::Dynamic
        };
        if kind == BodyKind::Static
            && let Some(span) = record.span("vel").or_else(|| record.span("angvel"))
        {
            let warning =
                Diagnostic::warning("static", span, "a static body does not move; this has no effect");
            self.note(warning.help("for a body that moves by itself write 'kinematic'"));
        }
        let mut locks = Locks::default();
        if flag("pinned") {
            locks.linear = [true; 3];
        }
        if flag("lockRotation") {
            locks.angular = [true; 3];
        }
        for word in record.text("lock").unwrap_or_default().split_whitespace() {
            let axis = usize::from(word.as_bytes()[word.len() - 1].saturating_sub(b'x')).min(2);
            if word.starts_with('r') {
                locks.angular[axis] = true;
            } else {
                locks.linear[axis] = true;
            }
        }
        let name = name.map(|name| self.full_name(&name));
        if let Some(name) = &name {
            self.declare(name, Named::Body, declaration.kind.span)?;
        }
        let group = record.text("memberOf").or_else(|| self.group_name());
        if let Some(group) = &group {
            self.names.add_group(group);
        }
        let pose = self.pose.then(&local);
        let spin = record.vector("angvel").unwrap_or([0.0; 3]);
        Ok(Body {
            name,
            group,
            kind,
            pose,
            velocity: self.pose.turn(record.vector("vel").unwrap_or([0.0; 3])),
            angular_velocity: self.pose.turn(spin),
            mass: record.number("mass"),
            inertia: record.vector("inertia"),
            mass_centre: record.vector("massCentre"),
            inertia_from_bounds: record.text("massFrom").as_deref() == Some("bounds"),
            locks,
            gravity_scale: number("gravityScale", 1.0),
            linear_drag: number("linearDrag", 0.0),
            angular_drag: number("angularDrag", 0.0),
            bullet: flag("bullet"),
            asleep: flag("asleep"),
            sleepless: flag("sleepless"),
            parts,
            span: declaration.span,
        })
    }

    fn emit_body(&mut self, body: Body) -> Result<(), Reported> {
        if self.is_lost() {
            return Ok(());
        }
        match &mut self.output {
            Output::Scene => self.scene.bodies.push(body),
            Output::Event(actions) => actions.push(Action::AddBody(Box::new(body))),
        }
        Ok(())
    }

    fn named_material(&self, record: Option<&Record>) -> Option<&NamedMaterial> {
        let name = record?.iter().find_map(|(_, value)| match value {
            Checked::Material(name) => Some(name),
            _ => None,
        })?;
        self.scene.materials.iter().find(|known| known.name == *name)
    }

    /// Own values, then the own material, then those of the compound, then the world's.
    fn material(&self, record: &Record, outer: Option<&Record>) -> Material {
        let own = self.named_material(Some(record));
        let compound = self.named_material(outer);
        let number = |name: &str, from: fn(&NamedMaterial) -> Option<f64>| {
            record
                .number(name)
                .or_else(|| own.and_then(from))
                .or_else(|| outer.and_then(|outer| outer.number(name)))
                .or_else(|| compound.and_then(from))
        };
        let vector = |name: &str, from: fn(&NamedMaterial) -> Option<Vec3>| {
            record
                .vector(name)
                .or_else(|| own.and_then(from))
                .or_else(|| outer.and_then(|outer| outer.vector(name)))
                .or_else(|| compound.and_then(from))
        };
        let word = |name: &str, from: fn(&NamedMaterial) -> Option<SmolStr>| {
            record
                .text(name)
                .or_else(|| own.and_then(from))
                .or_else(|| outer.and_then(|outer| outer.text(name)))
                .or_else(|| compound.and_then(from))
        };
        Material {
            density: number("density", |m| m.density).unwrap_or(self.world.density),
            elastic: number("elastic", |m| m.elastic).unwrap_or(self.world.elastic),
            friction: number("friction", |m| m.friction).unwrap_or(self.world.friction),
            static_friction: number("staticFriction", |m| m.static_friction),
            rolling_friction: number("rollingFriction", |m| m.rolling_friction).unwrap_or(0.0),
            spinning_friction: number("spinningFriction", |m| m.spinning_friction).unwrap_or(0.0),
            surface_velocity: vector("surfaceVelocity", |m| m.surface_velocity).unwrap_or([0.0; 3]),
            grain: vector("grain", |m| m.grain).unwrap_or([0.0; 3]),
            grain_friction: number("grainFriction", |m| m.grain_friction).unwrap_or(1.0),
            friction_mixing: word("frictionMixing", |m| m.friction_mixing.clone()),
            elastic_mixing: word("elasticMixing", |m| m.elastic_mixing.clone()),
        }
    }

    fn look(&self, record: &Record, outer: Option<&Record>) -> Look {
        let own = self.named_material(Some(record));
        let compound = self.named_material(outer);
        let colour = record
            .vector("colour")
            .or_else(|| own.and_then(|own| own.colour))
            .or_else(|| outer.and_then(|outer| outer.vector("colour")))
            .or_else(|| compound.and_then(|compound| compound.colour));
        let texture = record
            .text("texture")
            .or_else(|| own.and_then(|own| own.texture.clone()))
            .or_else(|| outer.and_then(|outer| outer.text("texture")))
            .or_else(|| compound.and_then(|compound| compound.texture.clone()));
        let hidden =
            record.flag_given("hidden").or_else(|| outer.and_then(|outer| outer.flag_given("hidden")));
        let shared = own.is_some_and(|own| own.hidden) || compound.is_some_and(|compound| compound.hidden);
        Look { colour, texture, hidden: hidden.unwrap_or(shared) }
    }
}

fn take_points(record: &mut Record) -> Vec<Vec3> {
    match record.take("points") {
        Some(Checked::Points(points)) => points,
        _ => Vec::new(),
    }
}

fn filter(record: &Record, outer: Option<&Record>) -> Filter {
    let number = |name: &str| record.number(name).or_else(|| outer.and_then(|outer| outer.number(name)));
    let sensor = record.flag_given("sensor").or_else(|| outer.and_then(|outer| outer.flag_given("sensor")));
    Filter {
        category: number("category").map_or(1, |bits| bits as u32),
        mask: number("mask").map_or(u32::MAX, |bits| bits as u32),
        group: number("filterGroup").map_or(0, |group| group as i32),
        sensor: sensor.unwrap_or(false),
    }
}
