//! Expands events while the scene runs.

use std::sync::Arc;

use super::names::{Named, Names};
use super::{Evaluator, Output};
use crate::NoIncludes;
use crate::diagnostics::Diagnostics;
use crate::limits::Limits;
use crate::model::{Action, Event, MeshFile, NamedMaterial, Scene, World};
use crate::span::Sources;

/// What an event did, and what was wrong with it.
#[derive(Debug)]
pub struct Fired {
    /// In the order written.
    pub actions: Vec<Action>,
    /// Faults; the declarations they belong to were skipped.
    pub diagnostics: Diagnostics,
}

/// Turns events into actions. Keeps the names of everything that was ever added, so that later events can refer to it.
pub struct Expander {
    world: World,
    materials: Vec<NamedMaterial>,
    templates: Vec<(smol_str::SmolStr, Arc<crate::ast::Declaration>)>,
    meshes: Vec<MeshFile>,
    names: Names,
    limits: Limits,
}

impl Expander {
    /// For the events of a scene.
    #[must_use]
    pub fn new(scene: &Scene, limits: Limits) -> Self {
        let mut names = Names::default();
        for body in &scene.bodies {
            if let Some(name) = &body.name {
                let _ = names.add(name, Named::Body, body.span);
            }
            if let Some(group) = &body.group {
                names.add_group(group);
            }
        }
        for joint in &scene.joints {
            if let Some(name) = &joint.name {
                let _ = names.add(name, Named::Joint, joint.span);
            }
        }
        for force in &scene.forces {
            if let Some(name) = &force.name {
                let _ = names.add(name, Named::Force, force.span);
            }
        }
        for name in &scene.faulty {
            names.add_faulty(name);
        }
        let template = |template: &crate::ast::Declaration| {
            let name = template.head.first()?.as_word()?.clone();
            Some((name, Arc::new(template.clone())))
        };
        Self {
            world: scene.world.clone(),
            materials: scene.materials.clone(),
            templates: scene.templates.iter().filter_map(template).collect(),
            meshes: scene.meshes.clone(),
            names,
            limits,
        }
    }

    /// The actions of one occurrence of an event, numbered from 0.
    pub fn fire(&mut self, event: &Event, occurrence: u64) -> Fired {
        let mut diagnostics = Diagnostics::new(self.limits.diagnostics);
        let mut sources = Sources::default();
        let mut loader = NoIncludes;
        let mut evaluator = Evaluator::new(&self.limits, &mut sources, &mut diagnostics, &mut loader);
        evaluator.world = self.world.clone();
        evaluator.scene.materials.clone_from(&self.materials);
        evaluator.templates = self.templates.iter().cloned().collect();
        for mesh in &self.meshes {
            evaluator.meshes.insert((mesh.from, mesh.path.clone()), Ok(Arc::clone(&mesh.surface)));
        }
        evaluator.names = std::mem::take(&mut self.names);
        evaluator.output = Output::Event(Vec::new());
        evaluator.run_event(event, &event.items, occurrence);
        let late = evaluator.resolve_pending();
        let targets = std::mem::take(&mut evaluator.pending.actions);
        let mut actions = match std::mem::replace(&mut evaluator.output, Output::Scene) {
            Output::Event(actions) => actions,
            Output::Scene => Vec::new(),
        };
        let mut lost = Vec::new();
        for target in targets {
            let resolved = evaluator.resolve_targets(&target.on, target.kinds);
            match (resolved, actions.get_mut(target.action)) {
                (Ok(resolved), Some(action)) => set_targets(action, resolved),
                _ => lost.push(target.action),
            }
        }
        self.names = std::mem::take(&mut evaluator.names);
        lost.sort_unstable();
        for index in lost.into_iter().rev() {
            actions.remove(index);
        }
        actions.extend(late);
        Fired { actions, diagnostics }
    }
}

fn set_targets(action: &mut Action, targets: Vec<crate::model::Target>) {
    match action {
        Action::Push { on, .. }
        | Action::Change { on, .. }
        | Action::Remove(on)
        | Action::Wake(on)
        | Action::Merge(on, _)
        | Action::Unmerge(on, _) => *on = targets,
        _ => {}
    }
}
