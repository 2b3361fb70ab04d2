//! `world` and `material`: read before everything else, because they decide how the rest is read.

use smol_str::SmolStr;

use super::record::Record;
use super::{Evaluator, Reported};
use crate::ast::{Argument, Declaration, Word};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{Defaults, NamedMaterial, World};
use crate::schema;

/// Rows with a field of their own in [`World`]; the others are passed on by key.
const TYPED: &[&str] = &[
    "title",
    "dimension",
    "defaults",
    "gravity",
    "dt",
    "substeps",
    "frames",
    "duration",
    "seed",
    "integrator",
    "broadPhase",
    "narrowPhase",
    "solver",
    "density",
    "elastic",
    "friction",
    "sleeping",
];

impl Evaluator<'_> {
    /// Reads the world: the declaration if there is one, then values given from outside.
    pub(crate) fn read_world(&mut self, declaration: Option<&Declaration>) {
        let Some(kind) = schema::kind("world") else { return };
        let name = declaration.map_or_else(
            || Word { text: SmolStr::new_static("world"), span: Default::default() },
            |found| found.kind.clone(),
        );
        let mut arguments = declaration.map_or_else(Vec::new, |found| found.parameters.clone());
        self.override_settings(&mut arguments);
        self.world =
            if declaration.is_some() { World { declared: true, ..World::default() } } else { World::seed() };
        if let Some(found) = declaration {
            self.at_site(found.span);
        }
        // These decide how the others are read, so they count even if another parameter is faulty.
        let first = |wanted: &str| arguments.iter().find(|argument| argument.name.text == wanted).cloned();
        if let Some(argument) = first("dimension")
            && let Ok(record) = self.record_of(kind, &name, &[argument], false)
        {
            self.world.dimension = if record.number("dimension") == Some(2.0) { 2 } else { 3 };
        }
        if let Some(argument) = first("defaults")
            && let Ok(record) = self.record_of(kind, &name, &[argument], false)
            && record.text("defaults").as_deref() == Some("seed")
        {
            self.world =
                World { declared: self.world.declared, dimension: self.world.dimension, ..World::seed() };
        }
        if let Some(argument) = first("seed")
            && let Ok(record) = self.record_of(kind, &name, &[argument], false)
        {
            self.world.seed = record.number_or("seed") as u64;
        }
        self.place.context = self.seed_context();
        let broken = declaration.is_some_and(|found| found.broken);
        if let Ok(record) = self.record_of(kind, &name, &arguments, broken) {
            self.apply_world(&record);
        }
    }

    fn apply_world(&mut self, record: &Record) {
        let dimension = self.dimension();
        let world = &mut self.world;
        world.title = record.text("title");
        if let Some(gravity) = record.vector("gravity") {
            world.gravity = gravity;
        }
        if let Some(dt) = record.number("dt") {
            world.dt = dt;
        }
        if let Some(substeps) = record.number("substeps") {
            world.substeps = substeps as u32;
        }
        world.frames = record.number("frames").map(|frames| frames as u64);
        world.duration = record.number("duration");
        world.integrator = record.text("integrator");
        world.broad_phase = record.text("broadPhase");
        world.narrow_phase = record.text("narrowPhase");
        world.solver = record.text("solver");
        if let Some(density) = record.number("density") {
            world.density = density;
        }
        if let Some(elastic) = record.number("elastic") {
            world.elastic = elastic;
        }
        if let Some(friction) = record.number("friction") {
            world.friction = friction;
        }
        if let Some(sleeping) = record.flag_given("sleeping") {
            world.sleeping = sleeping;
        }
        for (param, value) in record.iter() {
            if let Some(span) = record.span(param.name) {
                world.places.set(param.name, span);
            }
            if !TYPED.contains(&param.name)
                && let Some(setting) = value.setting(dimension)
            {
                world.settings.insert(SmolStr::new_static(param.name), setting);
            }
        }
        debug_assert!(world.defaults == Defaults::Seed || !world.settings.contains_key("defaults"));
    }

    /// Values given from outside replace those in the file.
    fn override_settings(&mut self, arguments: &mut Vec<Argument>) {
        let Some(kind) = schema::kind("world") else { return };
        for index in 0..self.overrides.len() {
            let given = &self.overrides[index];
            let key = given.name.strip_prefix("world.").unwrap_or(&given.name);
            if given.used {
                continue;
            }
            let Some(param) = kind.param(key) else { continue };
            arguments.retain(|argument| !param.is(&argument.name.text));
            let name = Word { text: SmolStr::new_static(param.name), span: given.span };
            arguments.push(Argument { name, value: Some((*given.value).clone()) });
            self.overrides[index].used = true;
        }
    }

    /// What was given from outside and is neither a parameter nor a setting.
    pub(crate) fn report_unused_overrides(&mut self) {
        let Some(kind) = schema::kind("world") else { return };
        let mut known: Vec<String> =
            self.scene.parameters.iter().map(|known| known.name.to_string()).collect();
        known.sort();
        known.extend(kind.params().map(|param| param.name.to_string()));
        for given in &self.overrides {
            if !given.used {
                let message = format!("the scene has no parameter or setting '{}'", given.name);
                let near = nearest(&given.name, known.iter().map(String::as_str));
                self.diagnostics.push(Diagnostic::error("unknown-set", given.span, message).suggest(near));
            }
        }
    }

    /// `material name { … }`.
    pub(crate) fn read_material(&mut self, declaration: &Declaration) -> Result<(), Reported> {
        let Some(kind) = schema::kind("material") else { return Ok(()) };
        let span = declaration.kind.span;
        self.count_declaration(span)?;
        self.at_site(declaration.span);
        let name = self.own_name(&declaration.head);
        let record = self.record(kind, declaration);
        let Some(name) = name? else {
            let error = Diagnostic::error("name", span, "a material needs a name");
            return Err(self.fail(error.help("write 'material ice { friction 0.02 }'")));
        };
        if self.scene.materials.iter().any(|known| known.name == name) {
            let message = format!("'{name}' is declared twice");
            return Err(self.fail(Diagnostic::error("duplicate-name", span, message)));
        }
        let record = record?;
        self.scene.materials.push(NamedMaterial {
            name,
            density: record.number("density"),
            elastic: record.number("elastic"),
            friction: record.number("friction"),
            static_friction: record.number("staticFriction"),
            rolling_friction: record.number("rollingFriction"),
            spinning_friction: record.number("spinningFriction"),
            surface_velocity: record.vector("surfaceVelocity"),
            grain: record.vector("grain"),
            grain_friction: record.number("grainFriction"),
            friction_mixing: record.text("frictionMixing"),
            elastic_mixing: record.text("elasticMixing"),
            colour: record.vector("colour"),
            texture: record.text("texture"),
            hidden: record.flag("hidden"),
        });
        Ok(())
    }
}
