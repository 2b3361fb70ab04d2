//! Scenes: generator functions that fill plain records, the same numbers for every engine.
//!
//! A scene is data (`Spec`) plus what to do with it (`Workload`), how long, and which quality figures make sense. To add one,
//! write a generator in the file of its group and list it in that file's `SCENES`.

mod check;
mod energy;
mod joints;
mod moving;
mod piles;
pub mod ratios;
mod special;
mod stacks;
mod support;

use crate::engine::{BodyDef, D2, D3, Dim, JointDef};
use glam::Vec3;

/// Everything an engine is told about a scene.
#[derive(Clone, Debug)]
pub struct Spec<D: Dim> {
    /// Gravity [m/s²].
    pub gravity: D::Vec,
    /// Time step [s].
    pub dt: f32,
    /// May bodies sleep; off wherever the solver is measured.
    pub sleeping: bool,
    /// Bodies, in order of creation.
    pub bodies: Vec<BodyDef<D>>,
    /// Joints between them.
    pub joints: Vec<JointDef<D>>,
    /// Lowest and highest place a body's centre may be [m]; outside it has gone through something.
    pub bounds: [Vec3; 2],
}

/// Fills a spec; the number is the scene's size, whatever that counts.
#[derive(Clone, Copy)]
pub enum Generator {
    /// A scene of the plane.
    Two(fn(usize) -> Spec<D2>),
    /// A scene of space.
    Three(fn(usize) -> Spec<D3>),
}

/// What one timed sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// One step.
    Step,
    /// Steps of a world whose bodies have all fallen asleep before timing starts.
    Asleep,
    /// Casting this many rays into the scene after it has settled for a second.
    Rays(u32),
    /// Creating the scene, one step, destroying every body again.
    CreateDestroy,
}

/// A quality figure; all of them are better when closer to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Mean horizontal distance from the start, of bodies that should stay [m].
    Drift,
    /// How far the highest body has come down [m].
    Drop,
    /// Deepest and mean overlap between two bodies [m].
    Penetration,
    /// E(end) / E(start) − 1, dimensionless.
    Energy,
    /// Largest and mean gap in a joint [m].
    Stretch,
    /// Mean and largest sideways motion in a scene that is a mirror image of itself [m].
    Asymmetry,
    /// Bodies that went through a wall or the floor.
    Tunnelled,
    /// Bodies that lost more than half their height above the floor, of those that should stand.
    Fallen,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Name, starting with the dimension.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// Size handed to the generator.
    pub size: usize,
    /// Samples that are timed.
    pub samples: u32,
    /// What a sample is.
    pub workload: Workload,
    /// Figures besides time.
    pub metrics: &'static [Metric],
    /// The scene.
    pub generator: Generator,
}

impl Scene {
    /// 2 or 3.
    pub fn dimension(&self) -> u32 {
        match self.generator {
            Generator::Two(_) => 2,
            Generator::Three(_) => 3,
        }
    }
}

/// Every scene, 2D first.
pub fn all() -> Vec<Scene> {
    let groups: [&[Scene]; 6] =
        [stacks::SCENES, piles::SCENES, moving::SCENES, joints::SCENES, energy::SCENES, special::SCENES];
    let mut scenes: Vec<Scene> = groups.into_iter().flatten().copied().collect();
    scenes.sort_by_key(Scene::dimension);
    scenes
}

/// The scene of that name; `name@size` gives it another size, for scaling.
pub fn find(name: &str) -> Option<Scene> {
    let (base, size) = match name.split_once('@') {
        Some((base, size)) => (base, Some(size.parse().ok()?)),
        None => (name, None),
    };
    let hidden = check::SCENES.iter().chain(ratios::SCENES).chain(moving::FINE);
    let scene = all().into_iter().chain(hidden.copied()).find(|scene| scene.name == base)?;
    Some(Scene { size: size.unwrap_or(scene.size), ..scene })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Kind;

    /// Engines mix the materials of a pair differently, so a scene may have one material only.
    fn check<D: Dim>(name: &str, spec: &Spec<D>) {
        let first = &spec.bodies[0];
        for (i, body) in spec.bodies.iter().enumerate() {
            assert_eq!(body.friction, first.friction, "{name}: friction of body {i}");
            assert_eq!(body.restitution, first.restitution, "{name}: restitution of body {i}");
            assert!(!body.parts.is_empty(), "{name}: body {i} has no shape");
            assert!(body.kind != Kind::Dynamic || body.mass() > 0.0, "{name}: body {i} has no mass");
        }
        for joint in &spec.joints {
            assert!(joint.a < spec.bodies.len() && joint.b < spec.bodies.len(), "{name}: joint to nowhere");
            let world = |i: usize, anchor| {
                D::vec3(spec.bodies[i].position) + D::quat(spec.bodies[i].rotation) * anchor
            };
            let gap =
                world(joint.a, D::vec3(joint.anchor_a)).distance(world(joint.b, D::vec3(joint.anchor_b)));
            assert!(gap < 1e-3, "{name}: joint {} – {} starts {gap} m open", joint.a, joint.b);
        }
    }

    #[test]
    fn every_scene_is_well_formed() {
        for scene in all().into_iter().chain(ratios::SCENES.iter().chain(moving::FINE).copied()) {
            match scene.generator {
                Generator::Two(make) => check(scene.name, &make(scene.size)),
                Generator::Three(make) => check(scene.name, &make(scene.size)),
            }
        }
    }

    #[test]
    fn names_are_unique_and_tell_the_dimension() {
        let scenes = all();
        for (i, scene) in scenes.iter().enumerate() {
            assert!(scene.name.starts_with(&format!("{}d-", scene.dimension())), "{}", scene.name);
            assert!(!scenes[..i].iter().any(|other| other.name == scene.name), "{} twice", scene.name);
        }
    }

    #[test]
    fn generators_repeat_themselves() {
        for scene in all() {
            let text = |scene: &Scene| match scene.generator {
                Generator::Two(make) => format!("{:?}", make(scene.size)),
                Generator::Three(make) => format!("{:?}", make(scene.size)),
            };
            assert!(text(&scene) == text(&scene), "{} differs between two calls", scene.name);
        }
    }
}
