//! Generators of a running scene: made, widened when bodies come, removed, drawn.

use smol_str::SmolStr;
use topple::force::GeneratorKind;
use topple::{Error, GeneratorId, World};

use super::Run;
use crate::lower::Space;
use crate::lower::force::{Bodies, Resistance, anchor_place, generators};
use crate::model::{Force, ForceKind, Target, Vec3};

/// What the scene knows of a generator that the engine does not.
#[derive(Clone, Debug)]
pub struct ForceInfo {
    /// Its ids in the engine; stale once it is removed or over. Motors and thrust have one per body.
    pub ids: Vec<GeneratorId>,
    /// As declared.
    force: Force,
}

impl ForceInfo {
    /// Whether it has one generator for each body.
    fn is_per_body(&self) -> bool {
        matches!(self.force.kind, ForceKind::Motor { .. } | ForceKind::Thrust { .. })
    }
}

impl<D: Space> Run<D> {
    pub(super) fn add_force(&mut self, force: &Force) {
        match self.force_bodies(force) {
            // A body that the engine refused has been reported.
            None => {}
            Some(Err(reason)) => self.refuse(force.span, reason),
            Some(Ok(bodies)) => {
                let made = generators(&self.world, force, &bodies)
                    .and_then(|kinds| kinds.into_iter().map(|kind| self.world.add_generator(kind)).collect());
                match made {
                    Ok(ids) => self.name_generators(force, ids),
                    Err(error) => self.refuse(force.span, error.to_string()),
                }
            }
        }
    }

    fn name_generators(&mut self, force: &Force, ids: Vec<GeneratorId>) {
        for id in &ids {
            // The ids are new: it cannot fail.
            let _ = self.world.set_generator_name(*id, force.name.as_deref().unwrap_or_default());
        }
        self.forces.push(ForceInfo { ids, force: force.clone() });
    }

    /// Ids of the bodies that a generator speaks of; None if one was never there.
    fn force_bodies(&self, force: &Force) -> Option<Result<Bodies, String>> {
        let (a, other) = match &force.kind {
            ForceKind::Spring { a, b, .. } => (Some(a), b.as_ref()),
            ForceKind::Point { from: other, .. } | ForceKind::Motor { carrier: other, .. } => {
                (None, other.as_ref())
            }
            _ => (None, None),
        };
        if ![a, other].into_iter().flatten().all(|name| self.names.contains_key(name)) {
            return None;
        }
        let find = |name: &SmolStr| {
            let info = self.names.get(name).map(|index| &self.bodies[*index]).filter(|info| info.exists);
            info.map(|info| info.id).ok_or_else(|| format!("'{name}' is no longer there"))
        };
        let per_body = matches!(force.kind, ForceKind::Motor { .. } | ForceKind::Thrust { .. });
        let everything = force.on.contains(&Target::All) && !per_body;
        let on = (!everything)
            .then(|| self.find_all(&force.on).iter().map(|index| self.bodies[*index].id).collect::<Vec<_>>());
        let ends = || Ok(Bodies { on, a: a.map(find).transpose()?, other: other.map(find).transpose()? });
        Some(ends())
    }

    /// A body has come: generators that mean it act on it from now on.
    pub(super) fn widen_forces(&mut self, index: usize) {
        let mut forces = std::mem::take(&mut self.forces);
        for info in &mut forces {
            let body = &self.bodies[index];
            let meant = info.force.on.iter().any(|target| match target {
                Target::All => info.is_per_body() && body.dynamic,
                Target::Named(_) => target.matches(body.name.as_deref(), body.group.as_deref()),
            });
            // A blast is over before anybody else comes.
            if !meant || matches!(info.force.kind, ForceKind::Explosion { .. }) {
                continue;
            }
            let Some(Ok(mut bodies)) = self.force_bodies(&info.force) else { continue };
            if info.is_per_body() {
                bodies.on = Some(vec![self.bodies[index].id]);
            }
            let Ok(kinds) = generators(&self.world, &info.force, &bodies) else { continue };
            for kind in kinds {
                // What was accepted once is accepted again; a generator that was removed stays so.
                if info.is_per_body() {
                    if let Ok(id) = self.world.add_generator(kind) {
                        info.ids.push(id);
                    }
                } else if let Some(id) = info.ids.first() {
                    let _ = self.world.set_generator(*id, kind);
                }
            }
        }
        self.forces = forces;
    }

    /// Removes generators by name; `all` means bodies.
    pub(super) fn remove_forces(&mut self, targets: &[Target]) {
        let world = &mut self.world;
        self.forces.retain(|info| {
            let named =
                |target: &Target| *target != Target::All && target.matches(info.force.name.as_deref(), None);
            if !targets.iter().any(named) {
                return true;
            }
            for id in &info.ids {
                // One that is over has removed itself.
                let _ = world.remove_generator(*id);
            }
            false
        });
    }

    /// Places of both ends of all springs that are forces [m].
    #[must_use]
    pub fn springs(&self) -> Vec<[Vec3; 2]> {
        let ids = self.forces.iter().flat_map(|info| &info.ids);
        let springs = ids.filter_map(|id| match self.world.generator(*id) {
            Ok(GeneratorKind::Spring(spring)) => {
                Some([&spring.a, &spring.b].map(|end| anchor_place(&self.world, end)))
            }
            _ => None,
        });
        springs.collect()
    }

    /// Takes over a restored world: generators of the scene's own get their code back.
    pub fn adopt(&mut self, mut world: World<D>) -> Result<(), Error> {
        let ids: Vec<_> = world.generator_ids().collect();
        for id in ids {
            let absent = matches!(world.generator(id)?, GeneratorKind::Absent { name, .. } if name == Resistance::NAME);
            if absent {
                world.attach_generator(id, Resistance::default())?;
            }
        }
        self.world = world;
        Ok(())
    }
}
