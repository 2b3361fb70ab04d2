//! The whole load, from the parsed file to the scene, and the look-up of names at its end.

use std::collections::HashSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::close::prune;
use super::director::{PendingEvent, PendingExpectation, PendingTargets};
use super::force::PendingForce;
use super::joint::{PendingIgnore, PendingJoint};
use super::names::{BODIES, Named, Reference, TargetRef};
use super::query::PendingQuery;
use super::view::PendingCamera;
use super::{Evaluator, Global, Output, Reported, random};
use crate::ast::{Declaration, Expr, Item, Parameter as ParameterItem};
use crate::diagnostics::Diagnostic;
use crate::model::{Action, Event, ForceKind, Parameter, Scene, Schedule};
use crate::span::{FileId, Span};
use crate::value::{Value, value_text};

/// What waits until all names are known.
#[derive(Default)]
pub(crate) struct Pending {
    pub joints: Vec<PendingJoint>,
    pub forces: Vec<PendingForce>,
    pub ignores: Vec<PendingIgnore>,
    pub cameras: Vec<PendingCamera>,
    pub events: Vec<PendingEvent>,
    pub expectations: Vec<PendingExpectation>,
    /// Conditions of faulty expectations, looked up only to list their faults.
    pub checks: Vec<PendingQuery>,
    /// What actions act on.
    pub actions: Vec<PendingTargets>,
    /// Names in faulty declarations, looked up only to list their faults.
    pub lost_bodies: Vec<Reference>,
    /// The same where it may be several, with what it may be.
    pub lost_targets: Vec<(Vec<TargetRef>, &'static [Named])>,
}

impl Pending {
    pub(crate) fn push_joint(&mut self, joint: PendingJoint) {
        self.joints.push(joint);
    }

    pub(crate) fn push_force(&mut self, force: PendingForce) {
        self.forces.push(force);
    }

    pub(crate) fn push_ignore(&mut self, ignore: PendingIgnore) {
        self.ignores.push(ignore);
    }
}

/// How a faulty material is kept among the faulty names; no other name has a space.
pub(crate) fn faulty_material(name: &str) -> String {
    format!("material {name}")
}

/// What the first look at a file finds.
#[derive(Default)]
struct Hoisted {
    world: Option<Declaration>,
    materials: Vec<Declaration>,
    parameters: Vec<ParameterItem>,
}

impl Evaluator<'_> {
    /// Loads a parsed file.
    pub(crate) fn run(mut self, file: FileId, items: &Arc<Vec<Item>>) -> Scene {
        self.include_stack.push(file);
        random::find_sites(items, &mut self.sites);
        let mut hoisted = Hoisted::default();
        self.hoist(items, &mut hoisted);
        self.read_world(hoisted.world.as_ref());
        self.read_parameters(&hoisted.parameters);
        for material in &hoisted.materials {
            if self.read_material(material).is_err()
                && let Some(name) = material.head.first().and_then(Expr::as_word)
            {
                self.names.add_faulty(&faulty_material(name));
            }
        }
        self.items(items);
        self.rehearse_templates();
        self.report_unused_overrides();
        self.resolve_scene();
        self.try_events();
        self.scene.world = self.world;
        self.scene
    }

    /// Finds what may be used before it is written.
    fn hoist(&mut self, items: &[Item], hoisted: &mut Hoisted) {
        for item in items {
            match item {
                Item::Constant(constant) => {
                    let name = &constant.name;
                    let site = (name.span.file, name.span.start);
                    let value = Global::Pending(Arc::new(constant.value.clone()), site);
                    self.hoist_global(&name.text, name.span, value);
                }
                Item::Parameter(parameter) => {
                    let name = &parameter.name;
                    let given = self.overrides.iter_mut().find(|given| given.name == name.text.as_str());
                    let value = match given {
                        Some(given) => {
                            given.used = true;
                            Arc::clone(&given.value)
                        }
                        None => Arc::new(parameter.value.clone()),
                    };
                    let site = (name.span.file, name.span.start);
                    if self.hoist_global(&name.text, name.span, Global::Pending(value, site)) {
                        hoisted.parameters.push(parameter.clone());
                    }
                }
                Item::Declaration(declaration) => match declaration.kind.text.as_str() {
                    "world" => self.hoist_world(declaration, hoisted),
                    "material" => hoisted.materials.push(declaration.clone()),
                    "template" => self.hoist_template(declaration),
                    "include" if Self::is_plain_include(declaration) => {
                        if let Ok((file, items)) = self.load_include(declaration) {
                            self.include_stack.push(file);
                            self.hoist(&items, hoisted);
                            self.include_stack.pop();
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn hoist_global(&mut self, name: &SmolStr, span: Span, value: Global) -> bool {
        if let Some(Global::Pending(_, first)) = self.globals.get(name) {
            let first = Span { file: first.0, start: first.1, end: first.1 + name.len() as u32 };
            // The same file read twice defines the same constants.
            if first.key() != span.key() {
                let error = Diagnostic::error("duplicate-name", span, format!("'{name}' is defined twice"));
                self.fail(error.related(first, "first here"));
            }
            return false;
        }
        self.globals.insert(name.clone(), value);
        true
    }

    fn hoist_world(&mut self, declaration: &Declaration, hoisted: &mut Hoisted) {
        if let Some(first) = &hoisted.world {
            let error =
                Diagnostic::error("duplicate-name", declaration.kind.span, "the world is declared twice");
            let error = error.related(first.kind.span, "first here");
            self.fail(error);
        } else {
            hoisted.world = Some(declaration.clone());
        }
    }

    fn hoist_template(&mut self, declaration: &Declaration) {
        if let Some(argument) = declaration.parameters.first() {
            let message = "a template holds 'param' lines and declarations";
            let error = Diagnostic::error("structure", argument.span(), message);
            self.fail(error.help(format!("write 'param {} = …'", argument.name.text)));
            return;
        }
        match self.own_name(&declaration.head) {
            Ok(Some(name)) => {
                let first = self.templates.get(&name).map(|first| first.kind.span);
                if let Some(first) = first {
                    let message = format!("the template '{name}' is declared twice");
                    let error = Diagnostic::error("duplicate-name", declaration.kind.span, message);
                    self.fail(error.related(first, "first here"));
                    return;
                }
                self.templates.insert(name, Arc::new(declaration.clone()));
            }
            Ok(None) => {
                self.fail(Diagnostic::error("name", declaration.kind.span, "a template needs a name"));
            }
            Err(Reported) => {}
        }
    }

    fn read_parameters(&mut self, parameters: &[ParameterItem]) {
        for parameter in parameters {
            let name = &parameter.name;
            let Some(Ok(value)) = self.lookup(&name.text, name.span) else { continue };
            let range = match &parameter.range {
                None => None,
                Some((low, high)) => match (self.number(low), self.number(high)) {
                    (Ok(low), Ok(high)) => Some((low, high)),
                    _ => continue,
                },
            };
            if let (Some((low, high)), Value::Number(number, _)) = (range, &value)
                && !(low..=high).contains(number)
            {
                let span = self
                    .overrides
                    .iter()
                    .find(|given| given.name == name.text.as_str())
                    .map_or(parameter.value.span, |given| given.span);
                let message = format!("'{}' must be between {low} and {high}, found {number}", name.text);
                self.fail(Diagnostic::error("value", span, message));
                self.globals.insert(name.text.clone(), Global::Failed);
                continue;
            }
            self.scene.parameters.push(Parameter {
                name: name.text.clone(),
                value: value_text(&value),
                range,
                about: parameter.about.clone(),
            });
        }
    }

    // ---- the end ------------------------------------------------------------------------------------------

    /// Joints, forces and pairs of the scene, now that all bodies are known.
    fn resolve_scene(&mut self) {
        // Names that events will add may be meant by expectations only.
        for action in self.resolve_pending() {
            match action {
                Action::AddJoint(joint) => self.scene.joints.push(*joint),
                Action::AddForce(force) => self.scene.forces.push(*force),
                Action::Ignore(ignore) => self.scene.ignores.push(ignore),
                _ => {}
            }
        }
        for mut pending in std::mem::take(&mut self.pending.cameras) {
            if let Some(reference) = &pending.follow {
                match self.resolve_body(reference) {
                    Ok(name) => pending.camera.follow = Some(name),
                    Err(Reported) => continue,
                }
            }
            self.scene.cameras.push(pending.camera);
        }
        self.look_up_lost();
    }

    /// Names in faulty declarations: only to say that there is nothing of that name.
    fn look_up_lost(&mut self) {
        for reference in std::mem::take(&mut self.pending.lost_bodies) {
            let _ = self.resolve_body(&reference);
        }
        for (targets, kinds) in std::mem::take(&mut self.pending.lost_targets) {
            let _ = self.resolve_targets(&targets, kinds);
        }
    }

    /// Looks up the bodies of what was built since the last time.
    pub(crate) fn resolve_pending(&mut self) -> Vec<Action> {
        let mut done = Vec::new();
        for mut pending in std::mem::take(&mut self.pending.joints) {
            let a = self.resolve_body(&pending.a);
            let b = pending.b.as_ref().map(|b| self.resolve_body(b)).transpose();
            let (Ok(a), Ok(b)) = (a, b) else {
                self.lose_name(pending.joint.name.as_ref());
                continue;
            };
            if b.as_ref() == Some(&a) {
                let message = format!("this joins '{a}' to itself");
                self.fail(Diagnostic::error("value", pending.joint.span, message));
                self.lose_name(pending.joint.name.as_ref());
                continue;
            }
            pending.joint.a = a;
            pending.joint.b = b;
            done.push(Action::AddJoint(Box::new(pending.joint)));
        }
        for mut pending in std::mem::take(&mut self.pending.forces) {
            let on = self.resolve_targets(&pending.on, BODIES);
            let a = pending.a.as_ref().map(|a| self.resolve_body(a)).transpose();
            let b = pending.b.as_ref().map(|b| self.resolve_body(b)).transpose();
            let (Ok(on), Ok(a), Ok(b)) = (on, a, b) else {
                self.lose_name(pending.force.name.as_ref());
                continue;
            };
            if matches!(pending.force.kind, ForceKind::Spring { .. }) && a == b {
                let message = format!("this spring joins '{}' to itself", a.unwrap_or_default());
                self.fail(Diagnostic::error("value", pending.force.span, message));
                self.lose_name(pending.force.name.as_ref());
                continue;
            }
            pending.force.on = on;
            if let ForceKind::Spring { a: first, .. } = &mut pending.force.kind {
                *first = a.unwrap_or_default();
            }
            if let Some(other) = pending.force.kind.other_body_mut() {
                *other = b;
            }
            done.push(Action::AddForce(Box::new(pending.force)));
        }
        for mut pending in std::mem::take(&mut self.pending.ignores) {
            let (Ok(a), Ok(b)) = (self.resolve_body(&pending.a), self.resolve_body(&pending.b)) else {
                continue;
            };
            pending.ignore.a = a;
            pending.ignore.b = b;
            done.push(Action::Ignore(pending.ignore));
        }
        done
    }

    fn lose_name(&mut self, name: Option<&SmolStr>) {
        if let Some(name) = name {
            self.names.add_faulty(name);
        }
    }

    /// Runs every event once on trial, so that its faults are known before the run, then looks up conditions.
    fn try_events(&mut self) {
        let pending = std::mem::take(&mut self.pending.events);
        let mut sound = Vec::with_capacity(pending.len());
        let mut joints = super::scene::Pending::default();
        for entry in &pending {
            let before = self.diagnostics.errors();
            self.output = Output::Event(Vec::new());
            self.run_event(&entry.event, &entry.trial, 0);
            sound.push(self.diagnostics.errors() == before);
            joints.joints.append(&mut self.pending.joints);
            joints.forces.append(&mut self.pending.forces);
            joints.ignores.append(&mut self.pending.ignores);
            joints.actions.append(&mut self.pending.actions);
        }
        // References may mean what another event adds.
        self.pending.joints = joints.joints;
        self.pending.forces = joints.forces;
        self.pending.ignores = joints.ignores;
        drop(self.resolve_pending());
        for target in joints.actions {
            let _ = self.resolve_targets(&target.on, target.kinds);
        }
        self.look_up_lost();
        self.output = Output::Scene;
        // Without their units these would run: skip them like everything that is faulty.
        let faulty: HashSet<_> = self.unit_faults.drain(..).map(|span| span.key()).collect();
        let mut events = Vec::new();
        for (entry, _) in pending.into_iter().zip(sound) {
            if entry.lost {
                self.pending.checks.extend(entry.when);
                continue;
            }
            // A faulty declaration in the block is skipped each time; the event itself stays.
            let mut event: Event = entry.event;
            if !faulty.is_empty() {
                prune(&mut event.items, &faulty);
            }
            if let Some(when) = entry.when {
                match self.resolve_query(when) {
                    Ok(query) => event.schedule = Schedule::When(query),
                    Err(Reported) => continue,
                }
            }
            events.push(event);
        }
        self.scene.events = events;
        for entry in std::mem::take(&mut self.pending.expectations) {
            let mut expectation = entry.expectation;
            let mut sound = true;
            for condition in entry.conditions {
                match self.resolve_query(condition) {
                    Ok(query) => expectation.conditions.push(query),
                    Err(Reported) => sound = false,
                }
            }
            if sound {
                self.scene.expectations.push(expectation);
            }
        }
        for check in std::mem::take(&mut self.pending.checks) {
            let _ = self.resolve_query(check);
        }
        self.close_templates(&faulty);
        self.keep_meshes();
        self.scene.faulty = self.names.faulty();
    }

    /// Events may place templates, so they are kept if there are events.
    fn close_templates(&mut self, faulty: &HashSet<(FileId, u32, u32)>) {
        if self.scene.events.is_empty() {
            return;
        }
        let mut templates: Vec<_> = self.templates.values().cloned().collect();
        templates.sort_by_key(|template| template.span.key());
        for template in templates {
            if let Ok(mut closed) = self.close_declaration(&template, &mut Vec::new()) {
                prune(&mut closed.items, faulty);
                self.scene.templates.push(closed);
            }
        }
    }
}
