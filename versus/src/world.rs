//! A scene inside an engine: loads a spec through the trait, keeps track of which body is which, and forgets the dimension.

use crate::engine::{BodyKey, Counts, Dim, Engine, Kind, State, Unsupported, WorldDef};
use crate::engines;
use crate::quality::Run;
use crate::scenes::{Generator, Metric, Scene, Spec};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;

/// A body as pictures and checks see it.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Pose {
    /// Position [m].
    pub position: [f32; 3],
    /// Orientation, x y z w.
    pub rotation: [f32; 4],
    /// Velocity [m/s].
    pub velocity: [f32; 3],
}

/// What an engine says about a body and about the world, to be held against the scene's own numbers.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct ReadBack {
    /// Gravity [m/s²].
    pub gravity: [f32; 3],
    /// Poses at the start.
    pub poses: Vec<Pose>,
    /// Masses [kg].
    pub masses: Vec<f32>,
    /// Friction and restitution.
    pub materials: Vec<(f32, f32)>,
}

/// A loaded scene; what workers and checks work with.
pub trait World {
    /// Creates the bodies that are due before the next step.
    fn spawn(&mut self);
    /// One step.
    fn step(&mut self);
    /// Casts `count` rays, a fixed set; returns the sum of the hit fractions (1 for a miss), to compare engines by.
    fn cast_rays(&mut self, count: u32) -> f64;
    /// Removes every body.
    fn clear(&mut self);
    /// Replaces the world by a new, empty one.
    fn renew(&mut self);
    /// Creates the bodies of the start, in an empty world.
    fn fill(&mut self);
    /// How long loading took, without making up the scene's numbers [ms].
    fn load_ms(&self) -> f64;
    /// Numbers about the world.
    fn counts(&self) -> Counts;
    /// Quality figures so far.
    fn quality(&self, metrics: &[Metric]) -> BTreeMap<String, f64>;
    /// Poses of all bodies created so far.
    fn poses(&self) -> Vec<Pose>;
    /// What the engine says about its bodies.
    fn read_back(&self) -> ReadBack;
}

/// Loads a scene into an engine.
///
/// # Errors
/// If the engine is not in this build or lacks a feature.
pub fn load(scene: &Scene, engine: &str, threads: usize) -> Result<Box<dyn World>, Unsupported> {
    match scene.generator {
        Generator::Two(make) => {
            let spec = make(scene.size);
            let (name, def) = (engine.to_owned(), definition(&spec, threads));
            Ok(Box::new(Loaded::new(Box::new(move || engines::make2(&name, &def)), spec)?))
        }
        Generator::Three(make) => {
            let spec = make(scene.size);
            let (name, def) = (engine.to_owned(), definition(&spec, threads));
            Ok(Box::new(Loaded::new(Box::new(move || engines::make3(&name, &def)), spec)?))
        }
    }
}

/// Makes an empty world; `None` if the engine is not in this build.
type Make<D> = Box<dyn Fn() -> Option<Box<dyn Engine<D>>>>;

fn definition<D: Dim>(spec: &Spec<D>, threads: usize) -> WorldDef<D> {
    WorldDef { gravity: spec.gravity, sleeping: spec.sleeping, threads, body_count: spec.bodies.len() }
}

struct Loaded<D: Dim> {
    make: Make<D>,
    engine: Box<dyn Engine<D>>,
    spec: Spec<D>,
    keys: Vec<Option<BodyKey>>,
    start: Vec<Option<State<D>>>,
    next_step: u32,
    /// Bodies are created in order of their step; this is the first that is not there yet.
    next_body: usize,
    load_ms: f64,
}

impl<D: Dim> Loaded<D> {
    fn new(make: Make<D>, spec: Spec<D>) -> Result<Self, Unsupported> {
        let engine = make().ok_or_else(|| Unsupported("not in this build".into()))?;
        let (keys, start) = (vec![None; spec.bodies.len()], vec![None; spec.bodies.len()]);
        let mut loaded = Self { make, engine, spec, keys, start, next_step: 0, next_body: 0, load_ms: 0.0 };
        let clock = std::time::Instant::now();
        loaded.create_due()?;
        for joint in &loaded.spec.joints {
            let key = |i: usize| loaded.keys[i].expect("jointed bodies are there at the start");
            loaded.engine.add_joint(joint, key(joint.a), key(joint.b))?;
        }
        loaded.engine.built();
        loaded.load_ms = clock.elapsed().as_secs_f64() * 1e3;
        Ok(loaded)
    }

    fn create_due(&mut self) -> Result<(), Unsupported> {
        while let Some(def) = self.spec.bodies.get(self.next_body) {
            if def.spawn_step > self.next_step {
                break;
            }
            let key = self.engine.add_body(def)?;
            self.keys[self.next_body] = Some(key);
            self.start[self.next_body] = Some(State {
                position: def.position,
                rotation: def.rotation,
                velocity: def.velocity,
                spin: def.spin,
            });
            self.next_body += 1;
        }
        Ok(())
    }

    fn now(&self) -> Vec<Option<State<D>>> {
        self.keys.iter().map(|key| key.map(|key| self.engine.state(key))).collect()
    }
}

impl<D: Dim> World for Loaded<D>
where
    D::Vec: FromVec3,
{
    fn spawn(&mut self) {
        self.create_due().expect("shapes of later bodies were seen at the start");
    }

    fn step(&mut self) {
        self.engine.step(self.spec.dt);
        self.next_step += 1;
    }

    fn cast_rays(&mut self, count: u32) -> f64 {
        // Half of the rays fall as a fan from above the middle, half cross the field low over the floor: some hit near, some
        // far, some pass many boxes and hit none.
        let half = (self.spec.bodies.len() as f32).sqrt();
        let mut sum = 0.0;
        for i in 0..count {
            let (u, v) = ((i as f32 * 0.618_034).fract() - 0.5, (i as f32 * 0.754_878).fract() - 0.5);
            let (from, to) = match i % 2 {
                0 => (
                    Vec3::new(u, 8.0, v) * Vec3::new(half * 0.3, 1.0, half * 0.3),
                    Vec3::new(u * half * 2.0, -0.5, v * half * 2.0),
                ),
                _ => (
                    Vec3::new(-half, 0.3 + 1.2 * (u + 0.5), v * half * 2.0),
                    Vec3::new(half, 0.3 + 1.2 * (v + 0.5), u * half * 2.0),
                ),
            };
            let hit = self.engine.cast_ray(D::Vec::from_vec3(from), D::Vec::from_vec3(to - from));
            sum += f64::from(hit.unwrap_or(1.0));
        }
        sum
    }

    fn renew(&mut self) {
        self.engine = (self.make)().expect("it was made before");
        (self.next_body, self.next_step) = (0, 0);
        self.keys.fill(None);
    }

    fn fill(&mut self) {
        self.spawn();
        self.engine.built();
    }

    fn load_ms(&self) -> f64 {
        self.load_ms
    }

    fn clear(&mut self) {
        for key in self.keys.iter_mut().filter_map(Option::take) {
            self.engine.remove_body(key);
        }
    }

    fn counts(&self) -> Counts {
        self.engine.counts()
    }

    fn quality(&self, metrics: &[Metric]) -> BTreeMap<String, f64> {
        Run { spec: &self.spec, start: &self.start, end: &self.now() }.evaluate(metrics)
    }

    fn poses(&self) -> Vec<Pose> {
        self.now().into_iter().flatten().map(|state| pose(&state)).collect()
    }

    fn read_back(&self) -> ReadBack {
        let keys: Vec<BodyKey> = self.keys.iter().flatten().copied().collect();
        ReadBack {
            gravity: D::vec3(self.engine.gravity()).to_array(),
            poses: self.poses(),
            masses: keys.iter().map(|&key| self.engine.mass(key)).collect(),
            materials: keys.iter().map(|&key| self.engine.material(key)).collect(),
        }
    }
}

/// The scene's own numbers in the form of a read-back: what every engine should answer.
pub fn intended(scene: &Scene) -> ReadBack {
    fn of<D: Dim>(spec: &Spec<D>) -> ReadBack {
        let there = || spec.bodies.iter().filter(|def| def.spawn_step == 0);
        let poses = there().map(|def| {
            // A static body's velocity means nothing.
            let velocity = if def.kind == Kind::Static { Vec3::ZERO } else { D::vec3(def.velocity) };
            Pose {
                position: D::vec3(def.position).to_array(),
                rotation: D::quat(def.rotation).to_array(),
                velocity: velocity.to_array(),
            }
        });
        ReadBack {
            gravity: D::vec3(spec.gravity).to_array(),
            poses: poses.collect(),
            masses: there().map(|def| def.mass()).collect(),
            materials: there().map(|def| (def.friction, def.restitution)).collect(),
        }
    }
    match scene.generator {
        Generator::Two(make) => of(&make(scene.size)),
        Generator::Three(make) => of(&make(scene.size)),
    }
}

fn pose<D: Dim>(state: &State<D>) -> Pose {
    let rotation: Quat = D::quat(state.rotation);
    Pose {
        position: D::vec3(state.position).to_array(),
        rotation: rotation.to_array(),
        velocity: D::vec3(state.velocity).to_array(),
    }
}

/// Drops z in the plane.
pub trait FromVec3 {
    /// The vector in its own dimension.
    fn from_vec3(v: Vec3) -> Self;
}

impl FromVec3 for glam::Vec2 {
    fn from_vec3(v: Vec3) -> Self {
        v.truncate()
    }
}

impl FromVec3 for Vec3 {
    fn from_vec3(v: Vec3) -> Self {
        v
    }
}
