//! A scene as text: flat, every value explicit where it differs from the default. Loading it gives the same scene.

use std::fmt::Write as _;

use super::syntax::operator_strength;
use super::write_items;
use crate::ast::{Binary, Unary};
use crate::model::{
    Body, BodyKind, Defaults, Drive, Event, Expectation, Filter, Joint, JointKind, Look, Material, MeshForm,
    Moment, Motor, Overload, Part, Pose, Query, Scene, Schedule, Setting, Shape, Soft, Spring, Target, Vec3,
    Window, World,
};
use crate::value::number_text;

/// The whole scene.
#[must_use]
pub fn scene(scene: &Scene) -> String {
    let mut printer =
        Printer { out: String::new(), dimension: usize::from(scene.world.dimension), world: &scene.world };
    printer.scene(scene);
    printer.out
}

pub(super) struct Printer<'a> {
    pub(super) out: String,
    pub(super) dimension: usize,
    world: &'a World,
}

impl Printer<'_> {
    // ---- values -------------------------------------------------------------------------------------------

    pub(super) fn word(&mut self, name: &str) {
        let _ = write!(self.out, " {name}");
    }

    pub(super) fn number(&mut self, name: &str, value: f64) {
        let _ = write!(self.out, " {name} {}", number_text(value));
    }

    pub(super) fn number_unless(&mut self, name: &str, value: f64, default: f64) {
        if value != default {
            self.number(name, value);
        }
    }

    pub(super) fn optional(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    fn numbers(&mut self, name: &str, values: &[f64]) {
        let _ = write!(self.out, " {name} {}", list(values));
    }

    pub(super) fn vector(&mut self, name: &str, value: Vec3) {
        self.numbers(name, &value[..self.dimension]);
    }

    fn vector_unless(&mut self, name: &str, value: Vec3, default: Vec3) {
        if value != default {
            self.vector(name, value);
        }
    }

    pub(super) fn optional_vector(&mut self, name: &str, value: Option<Vec3>) {
        if let Some(value) = value {
            self.vector(name, value);
        }
    }

    /// One number in 2D, three in 3D.
    pub(super) fn spin(&mut self, name: &str, value: Vec3) {
        if self.dimension == 2 {
            self.number(name, value[2]);
        } else {
            self.vector(name, value);
        }
    }

    fn optional_spin(&mut self, name: &str, value: Option<Vec3>) {
        if let Some(value) = value {
            self.spin(name, value);
        }
    }

    pub(super) fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.word(name);
        }
    }

    pub(super) fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let _ = write!(self.out, " {name} \"{value}\"");
        }
    }

    fn pair(&mut self, name: &str, value: Option<[f64; 2]>) {
        if let Some(value) = value {
            self.numbers(name, &value);
        }
    }

    fn points(&mut self, name: &str, points: &[Vec3]) {
        let points: Vec<_> = points.iter().map(|point| list(&point[..self.dimension])).collect();
        let _ = write!(self.out, " {name} [{}]", points.join("; "));
    }

    /// Directions that only exist in 3D.
    pub(super) fn axis(&mut self, name: &str, value: Vec3, flat: bool) {
        if self.dimension == 3 || flat {
            self.vector(name, value);
        }
    }

    // ---- the scene ----------------------------------------------------------------------------------------

    fn scene(&mut self, scene: &Scene) {
        self.world_block(&scene.world);
        for parameter in &scene.parameters {
            let _ = write!(self.out, "param {} = {}", parameter.name, parameter.value);
            if let Some((low, high)) = parameter.range {
                let _ = write!(self.out, " in {}..{}", number_text(low), number_text(high));
            }
            if let Some(about) = &parameter.about {
                let _ = write!(self.out, " \"{about}\"");
            }
            self.out.push('\n');
        }
        for material in &scene.materials {
            let _ = write!(self.out, "material \"{}\" {{", material.name);
            self.optional("density", material.density);
            self.optional("elastic", material.elastic);
            self.optional("friction", material.friction);
            self.optional("staticFriction", material.static_friction);
            self.optional("rollingFriction", material.rolling_friction);
            self.optional("spinningFriction", material.spinning_friction);
            self.optional_vector("surfaceVelocity", material.surface_velocity);
            self.optional_vector("grain", material.grain);
            self.optional("grainFriction", material.grain_friction);
            self.text("frictionMixing", material.friction_mixing.as_deref());
            self.text("elasticMixing", material.elastic_mixing.as_deref());
            if let Some(colour) = material.colour {
                self.numbers("colour", &colour);
            }
            self.text("texture", material.texture.as_deref());
            self.flag("hidden", material.hidden);
            self.out.push_str(" }\n");
        }
        for body in &scene.bodies {
            self.body(body);
        }
        for joint in &scene.joints {
            self.joint(joint);
        }
        for force in &scene.forces {
            self.force(force);
        }
        for ignore in &scene.ignores {
            let _ = writeln!(self.out, "ignore {{ a \"{}\" b \"{}\" }}", ignore.a, ignore.b);
        }
        self.view(scene);
        for template in &scene.templates {
            super::syntax::write_declaration(&mut self.out, template, 0);
        }
        for event in &scene.events {
            self.event(event);
        }
        for expectation in &scene.expectations {
            self.expectation(expectation);
        }
    }

    fn world_block(&mut self, world: &World) {
        self.out.push_str("world {");
        let _ = write!(self.out, " dimension {}", world.dimension);
        if world.defaults == Defaults::Seed {
            self.out.push_str(" defaults seed");
        }
        self.text("title", world.title.as_deref());
        self.vector_unless("gravity", world.gravity, [0.0, -9.8, 0.0]);
        self.number_unless("dt", world.dt, 1.0 / 60.0);
        self.number_unless("substeps", f64::from(world.substeps), 4.0);
        self.optional("frames", world.frames.map(|frames| frames as f64));
        self.optional("duration", world.duration);
        self.number_unless("seed", world.seed as f64, 0.0);
        self.text("integrator", world.integrator.as_deref());
        self.text("broadPhase", world.broad_phase.as_deref());
        self.text("narrowPhase", world.narrow_phase.as_deref());
        self.text("solver", world.solver.as_deref());
        self.number_unless("density", world.density, 1.0);
        let base = if world.defaults == Defaults::Seed { World::seed() } else { World::default() };
        self.number_unless("elastic", world.elastic, base.elastic);
        self.number_unless("friction", world.friction, base.friction);
        if world.sleeping != base.sleeping {
            let _ = write!(self.out, " sleeping {}", if world.sleeping { "on" } else { "off" });
        }
        for (key, value) in &world.settings {
            if base.settings.get(key) != Some(value) {
                self.setting(key, value);
            }
        }
        self.out.push_str(" }\n");
    }

    fn setting(&mut self, key: &str, value: &Setting) {
        match value {
            Setting::Flag(flag) => {
                let _ = write!(self.out, " {key} {}", if *flag { "on" } else { "off" });
            }
            Setting::Number(number) => self.number(key, *number),
            Setting::Text(text) => self.text(key, Some(text)),
            Setting::Vector(values) => self.numbers(key, values),
        }
    }

    // ---- bodies -------------------------------------------------------------------------------------------

    fn body(&mut self, body: &Body) {
        let single = match body.parts.as_slice() {
            [part] if part.pose.is_identity() => match &part.shape {
                // A wall has no pose of its own.
                Shape::HalfSpace { .. } => body.pose.is_identity() && body.kind == BodyKind::Static,
                _ => true,
            },
            _ => false,
        };
        let wall = single && matches!(body.parts[0].shape, Shape::HalfSpace { .. });
        let kind = if single { shape_word(&body.parts[0].shape, self.dimension) } else { "body" };
        self.out.push_str(kind);
        if let Some(name) = &body.name {
            let _ = write!(self.out, " \"{name}\"");
        }
        self.out.push_str(" {");
        if single {
            self.shape(&body.parts[0].shape);
        }
        if !wall {
            self.pose("centre", &body.pose);
            self.motion(body);
        }
        self.text("memberOf", body.group.as_deref());
        if single {
            self.surface(&body.parts[0]);
        } else {
            self.out.push('\n');
            for part in &body.parts {
                let _ = write!(self.out, "  {} {{", shape_word(&part.shape, self.dimension));
                self.shape(&part.shape);
                if !matches!(part.shape, Shape::HalfSpace { .. }) {
                    self.pose("centre", &part.pose);
                }
                self.surface(part);
                self.out.push_str(" }\n");
            }
        }
        self.out.push_str(" }\n");
    }

    fn pose(&mut self, position: &str, pose: &Pose) {
        self.vector_unless(position, pose.position, [0.0; 3]);
        if self.dimension == 2 {
            self.number_unless("angle", pose.angle, 0.0);
        } else if pose.rotation != Pose::IDENTITY.rotation {
            self.numbers("orientation", &pose.rotation);
        }
    }

    fn motion(&mut self, body: &Body) {
        match body.kind {
            BodyKind::Static => self.word("static"),
            BodyKind::Kinematic => self.word("kinematic"),
            BodyKind::Dynamic => {}
        }
        self.vector_unless("vel", body.velocity, [0.0; 3]);
        if body.angular_velocity != [0.0; 3] {
            self.spin("angvel", body.angular_velocity);
        }
        self.optional("mass", body.mass);
        self.optional_spin("inertia", body.inertia);
        self.optional_vector("massCentre", body.mass_centre);
        if body.inertia_from_bounds {
            self.word("massFrom bounds");
        }
        let names = ["x", "y", "z", "rx", "ry", "rz"];
        let locked = body.locks.linear.iter().chain(&body.locks.angular);
        let locks: Vec<_> =
            names.iter().zip(locked).filter(|(_, locked)| **locked).map(|(name, _)| *name).collect();
        if !locks.is_empty() {
            let _ = write!(self.out, " lock \"{}\"", locks.join(" "));
        }
        self.number_unless("gravityScale", body.gravity_scale, 1.0);
        self.number_unless("linearDrag", body.linear_drag, 0.0);
        self.number_unless("angularDrag", body.angular_drag, 0.0);
        self.flag("bullet", body.bullet);
        self.flag("asleep", body.asleep);
        self.flag("sleepless", body.sleepless);
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Ball { radius } => self.number("radius", *radius),
            Shape::Cuboid { size, rounding } => {
                self.vector("size", *size);
                self.number_unless("rounding", *rounding, 0.0);
            }
            Shape::Capsule { from, to, radius } => {
                self.number("radius", *radius);
                self.vector("from", *from);
                self.vector("to", *to);
            }
            Shape::Cylinder { radius, height, rounding } | Shape::Cone { radius, height, rounding } => {
                self.number("radius", *radius);
                self.number("height", *height);
                self.number_unless("rounding", *rounding, 0.0);
            }
            Shape::Hull { points, rounding } => {
                self.points("points", points);
                self.number_unless("rounding", *rounding, 0.0);
            }
            Shape::Segment { from, to } => {
                self.vector("from", *from);
                self.vector("to", *to);
            }
            Shape::Chain { points, closed, beyond } => {
                self.points("points", points);
                self.flag("loop", *closed);
                if let Some([before, after]) = beyond {
                    self.vector("before", *before);
                    self.vector("after", *after);
                }
            }
            Shape::Triangle { corners } => self.points("points", corners),
            Shape::HalfSpace { normal, offset } => {
                self.vector("normal", *normal);
                self.number("toOrig", *offset);
            }
            Shape::Mesh { file, scale, form, .. } => {
                self.text("file", Some(file));
                self.number_unless("scale", *scale, 1.0);
                match form {
                    MeshForm::Triangles => {}
                    MeshForm::Hull => self.word("convex"),
                    MeshForm::Pieces(most) => {
                        self.word("decompose");
                        self.number("maxPieces", f64::from(*most));
                    }
                }
            }
            Shape::HeightField { columns, size, heights } => {
                if self.dimension == 3 {
                    self.number("columns", f64::from(*columns));
                }
                self.numbers("size", &size[..self.dimension - 1]);
                let heights: Vec<_> = heights.iter().map(|height| number_text(*height)).collect();
                let _ = write!(self.out, " heights [{}]", heights.join("; "));
            }
        }
    }

    fn surface(&mut self, part: &Part) {
        let Material {
            density,
            elastic,
            friction,
            static_friction,
            rolling_friction,
            spinning_friction,
            surface_velocity,
            grain,
            grain_friction,
            friction_mixing,
            elastic_mixing,
        } = &part.material;
        self.number_unless("density", *density, self.world.density);
        self.number_unless("elastic", *elastic, self.world.elastic);
        self.number_unless("friction", *friction, self.world.friction);
        self.optional("staticFriction", *static_friction);
        self.number_unless("rollingFriction", *rolling_friction, 0.0);
        self.number_unless("spinningFriction", *spinning_friction, 0.0);
        self.vector_unless("surfaceVelocity", *surface_velocity, [0.0; 3]);
        self.vector_unless("grain", *grain, [0.0; 3]);
        self.number_unless("grainFriction", *grain_friction, 1.0);
        self.text("frictionMixing", friction_mixing.as_deref());
        self.text("elasticMixing", elastic_mixing.as_deref());
        let Filter { category, mask, group, sensor } = part.filter;
        self.number_unless("category", f64::from(category), 1.0);
        self.number_unless("mask", f64::from(mask), f64::from(u32::MAX));
        self.number_unless("filterGroup", f64::from(group), 0.0);
        self.flag("sensor", sensor);
        let Look { colour, texture, hidden } = &part.look;
        if let Some(colour) = colour {
            self.numbers("colour", colour);
        }
        self.text("texture", texture.as_deref());
        self.flag("hidden", *hidden);
    }

    // ---- joints and forces --------------------------------------------------------------------------------

    fn soft(&mut self, soft: Option<Soft>) {
        if let Some(soft) = soft {
            self.number("frequency", soft.frequency);
            self.number("dampingRatio", soft.damping_ratio);
        }
    }

    fn spring(&mut self, spring: Option<Spring>) {
        if let Some(spring) = spring {
            self.soft(Some(spring.soft));
            self.number_unless("rest", spring.rest, 0.0);
        }
    }

    fn motor(&mut self, motor: Option<Motor>, strength: &str) {
        let Some(motor) = motor else { return };
        match motor.drive {
            Drive::Speed(speed) => self.number("motorSpeed", speed),
            Drive::Target(target, soft) => {
                self.number("motorTarget", target);
                self.number("motorFrequency", soft.frequency);
                self.number("motorDamping", soft.damping_ratio);
            }
        }
        self.optional(strength, motor.strength);
    }

    fn joint(&mut self, joint: &Joint) {
        let word = match &joint.kind {
            JointKind::Ball { .. } => "ball",
            JointKind::Hinge { .. } => "hinge",
            JointKind::Slider { .. } => "slider",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
            JointKind::Spring { .. } => "spring",
            JointKind::Rope { .. } => "rope",
            JointKind::Wheel { .. } => "wheel",
            JointKind::Gear { .. } => "gear",
            JointKind::Motor { .. } => "motor",
            JointKind::Mouse { .. } => "mouse",
        };
        let _ = write!(self.out, "joint {word}");
        if let Some(name) = &joint.name {
            let _ = write!(self.out, " \"{name}\"");
        }
        self.out.push_str(" {");
        self.text("a", Some(&joint.a));
        self.text("b", joint.b.as_deref());
        if matches!(joint.kind, JointKind::Mouse { .. }) {
            self.optional_vector("at", joint.at_a);
        } else {
            self.optional_vector("atA", joint.at_a);
            self.optional_vector("atB", joint.at_b);
        }
        match &joint.kind {
            JointKind::Ball { axis, cone_limit, twist_limits } => {
                self.axis("axis", *axis, false);
                self.optional("coneLimit", *cone_limit);
                self.pair("twistLimits", *twist_limits);
            }
            JointKind::Hinge { axis, limits, motor, spring } => {
                self.axis("axis", *axis, false);
                self.pair("limits", *limits);
                self.motor(*motor, "maxTorque");
                self.spring(*spring);
            }
            JointKind::Slider { axis, limits, motor, spring } => {
                self.axis("axis", *axis, true);
                self.pair("limits", *limits);
                self.motor(*motor, "maxForce");
                self.spring(*spring);
            }
            JointKind::Fixed => {}
            JointKind::Distance { length, limits, soft } => {
                self.optional("length", *length);
                self.pair("limits", *limits);
                self.soft(*soft);
            }
            JointKind::Spring { length, stiffness, damping } => {
                self.optional("length", *length);
                self.number("stiffness", *stiffness);
                self.number("damping", *damping);
            }
            JointKind::Rope { length } => self.optional("length", *length),
            JointKind::Wheel { axis, axle, limits, motor, spring, steering } => {
                if spring.is_none() {
                    self.number("frequency", 0.0);
                }
                self.number_unless("steering", *steering, 0.0);
                self.axis("axis", *axis, true);
                self.axis("axle", *axle, false);
                self.pair("limits", *limits);
                self.motor(*motor, "maxTorque");
                self.spring(*spring);
            }
            JointKind::Gear { ratio, axis_a, axis_b } => {
                self.number("ratio", *ratio);
                self.axis("axis", *axis_a, false);
                self.axis("axisB", *axis_b, false);
            }
            JointKind::Motor { velocity, angular_velocity, offset, turn, soft, max_force, max_torque } => {
                self.optional_vector("vel", *velocity);
                self.optional_spin("angvel", *angular_velocity);
                self.optional_vector("offset", *offset);
                self.optional_spin("turn", *turn);
                self.soft(*soft);
                self.optional("maxForce", *max_force);
                self.optional("maxTorque", *max_torque);
            }
            JointKind::Mouse { target, max_force, soft } => {
                self.vector("target", *target);
                self.optional("maxForce", *max_force);
                self.soft(Some(*soft));
            }
        }
        self.flag("collide", joint.collide);
        if let Some(hold) = joint.hold {
            self.number("holdFrequency", hold.frequency);
            self.number("holdDamping", hold.damping_ratio);
        }
        let Overload { force, torque, breaks } = joint.overload;
        self.optional(if breaks { "breakForce" } else { "alarmForce" }, force);
        self.optional(if breaks { "breakTorque" } else { "alarmTorque" }, torque);
        self.out.push_str(" }\n");
    }

    fn view(&mut self, scene: &Scene) {
        for camera in &scene.cameras {
            self.out.push_str("camera");
            if let Some(name) = &camera.name {
                let _ = write!(self.out, " \"{name}\"");
            }
            self.out.push_str(" {");
            self.optional_vector("at", camera.at);
            self.optional_vector("target", camera.target);
            self.axis("up", camera.up, false);
            if self.dimension == 3 {
                self.number("fov", camera.fov);
            }
            self.optional("height", camera.height);
            self.flag("orthographic", camera.orthographic);
            self.text("follow", camera.follow.as_deref());
            self.out.push_str(" }\n");
        }
        for light in &scene.lights {
            self.out.push_str("light {");
            self.optional_vector("direction", light.direction);
            self.optional_vector("at", light.at);
            self.numbers("colour", &light.colour);
            self.number("intensity", light.intensity);
            let _ = writeln!(self.out, " shadows {} }}", if light.shadows { "on" } else { "off" });
        }
        if let Some(background) = &scene.background {
            self.out.push_str("background {");
            self.numbers("colour", &background.colour);
            self.number("ambient", background.ambient);
            self.out.push_str(" }\n");
        }
    }

    // ---- the director -------------------------------------------------------------------------------------

    /// An event stands in the group and the repetitions it was written in: they decide what its names mean.
    fn event(&mut self, event: &Event) {
        let mut depth = 0;
        let scope = &event.scope;
        if !scope.group.is_empty() || !scope.pose.is_identity() {
            self.out.push_str("group");
            if !scope.group.is_empty() {
                let _ = write!(self.out, " \"{}\"", scope.group);
            }
            self.out.push_str(" {");
            self.pose("at", &scope.pose);
            self.out.push('\n');
            depth += 1;
        }
        for value in &scope.loops {
            let value = number_text(*value);
            let _ = writeln!(self.out, "{}repeat {value}..={value} {{", "  ".repeat(depth));
            depth += 1;
        }
        let when = match &event.schedule {
            Schedule::At(at) => format!("at {}", moment(*at)),
            Schedule::Every { period, from, until } => {
                let until = until.map_or(String::new(), |until| format!(" until {}", moment(until)));
                format!("every {} from {}{until}", moment(*period), moment(*from))
            }
            Schedule::When(condition) => format!("when {}", query(condition)),
        };
        let variable = event.variable.as_ref().map_or(String::new(), |name| format!(" as {name}"));
        let pad = "  ".repeat(depth);
        let _ = writeln!(self.out, "{pad}{when}{variable} stream \"{:x}\" {{", event.stream);
        write_items(&mut self.out, &event.items, depth + 1);
        for depth in (0..=depth).rev() {
            let _ = writeln!(self.out, "{}}}", "  ".repeat(depth));
        }
    }

    fn expectation(&mut self, expectation: &Expectation) {
        let when = match expectation.window {
            Window::Always => String::from("always"),
            Window::Finally => String::from("finally"),
            Window::After(at) => format!("after {}", moment(at)),
            Window::By(at) => format!("by {}", moment(at)),
            Window::From(from, None) => format!("from {}", moment(from)),
            Window::From(from, Some(until)) => format!("from {} until {}", moment(from), moment(until)),
        };
        let _ = write!(self.out, "expect {when}");
        if let Some(about) = &expectation.about {
            let _ = write!(self.out, " \"{about}\"");
        }
        let conditions: Vec<String> = expectation.conditions.iter().map(query).collect();
        let _ = writeln!(self.out, " {{ {} }}", conditions.join("; "));
    }
}

fn list(values: &[f64]) -> String {
    values.iter().map(|value| number_text(*value)).collect::<Vec<_>>().join(",")
}

fn moment(moment: Moment) -> String {
    match moment {
        Moment::Time(time) => number_text(time),
        Moment::Steps(steps) => format!("{steps} steps"),
    }
}

pub(super) fn targets(targets: &[Target]) -> String {
    let word = |target: &Target| match target {
        Target::All => String::from("all"),
        Target::Named(name) => format!("\"{name}\""),
    };
    targets.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn shape_word(shape: &Shape, dimension: usize) -> &'static str {
    match shape {
        Shape::Ball { .. } if dimension == 2 => "circle",
        Shape::Ball { .. } => "sphere",
        Shape::Cuboid { .. } => "box",
        Shape::Capsule { .. } => "capsule",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Cone { .. } => "cone",
        Shape::Hull { .. } if dimension == 2 => "polygon",
        Shape::Hull { .. } => "hull",
        Shape::Segment { .. } => "segment",
        Shape::Chain { .. } => "chain",
        Shape::HalfSpace { .. } => "wall",
        Shape::Triangle { .. } => "triangle",
        Shape::Mesh { .. } => "mesh",
        Shape::HeightField { .. } => "heightfield",
    }
}

/// A formula over the running world, as text of the language.
#[must_use]
pub fn query(formula: &Query) -> String {
    query_in(formula, 0)
}

/// The same as an operand: in parentheses if it binds less tightly than `least`.
fn query_in(formula: &Query, least: u8) -> String {
    let list_of = |list: &[Query]| list.iter().map(query).collect::<Vec<_>>().join(", ");
    let (own, text) = match formula {
        Query::Number(number) => (if number.is_sign_negative() { SIGN } else { ATOM }, number_text(*number)),
        Query::Values(numbers) => (ATOM, list(numbers)),
        Query::Text(text) => (ATOM, format!("\"{text}\"")),
        Query::Quantity(name, list) if list.is_empty() => (ATOM, (*name).to_string()),
        Query::Quantity(name, list) => (ATOM, format!("{name}({})", targets(list))),
        Query::Call(name, list) => (ATOM, format!("{name}({})", list_of(list))),
        Query::Reduce(name, of) => (ATOM, format!("{name}({})", query(of))),
        Query::Start(of) => (ATOM, format!("start({})", query(of))),
        Query::Unary(Unary::Minus, of) => (SIGN, format!("-{}", query_in(of, SIGN + 1))),
        Query::Unary(Unary::Not, of) => (NOT, format!("not {}", query_in(of, COMPARISON))),
        Query::Binary(operator, sides) => {
            let own = operator_strength(*operator);
            let (left, right) = match operator {
                Binary::Power => (ATOM, SIGN),
                operator if operator.is_comparison() => (own + 1, own + 1),
                _ => (own, own + 1),
            };
            let (left, right) = (query_in(&sides.0, left), query_in(&sides.1, right));
            (own, format!("{left} {} {right}", operator.symbol()))
        }
        Query::Within { sides, tolerance, relative } => {
            let (left, right) = (query_in(&sides.0, COMPARISON + 1), query_in(&sides.1, COMPARISON + 1));
            let percent = if *relative { "%" } else { "" };
            (COMPARISON, format!("{left} == {right} within {}{percent}", number_text(*tolerance)))
        }
    };
    if own < least { format!("({text})") } else { text }
}

/// How tightly formulas bind, besides the operators between two of them.
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SIGN: u8 = 7;
const ATOM: u8 = 9;
