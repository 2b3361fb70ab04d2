//! Settings of the world.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Vec3;
use crate::span::Span;

/// Whose defaults hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Defaults {
    /// Density 1, friction 0.5, restitution 0, sleeping.
    #[default]
    Library,
    /// Density 1, no friction, restitution 1 (product of a pair), no drag, no sleeping.
    Seed,
}

/// The value of a setting that is passed on by its key.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// On or off.
    Flag(bool),
    /// A number, SI.
    Number(f64),
    /// A word or text.
    Text(SmolStr),
    /// A vector.
    Vector(Vec<f64>),
}

/// Settings of the world. `None` means the library's own.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// Whether the file has a `world` declaration.
    pub declared: bool,
    /// What the scene is.
    pub title: Option<SmolStr>,
    /// 2 or 3.
    pub dimension: u8,
    /// Whose defaults hold.
    pub defaults: Defaults,
    /// Gravity [m/s²].
    pub gravity: Vec3,
    /// Time of a step [s].
    pub dt: f64,
    /// Sub-steps of a step.
    pub substeps: u32,
    /// Steps of a run.
    pub frames: Option<u64>,
    /// Time of a run [s].
    pub duration: Option<f64>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Integrator by name.
    pub integrator: Option<SmolStr>,
    /// Broad phase by name.
    pub broad_phase: Option<SmolStr>,
    /// Narrow phase by name.
    pub narrow_phase: Option<SmolStr>,
    /// Solver by name.
    pub solver: Option<SmolStr>,
    /// Density of shapes that give none [kg/m³, kg/m²].
    pub density: f64,
    /// Restitution of shapes that give none.
    pub elastic: f64,
    /// Friction of shapes that give none.
    pub friction: f64,
    /// Whether bodies fall asleep.
    pub sleeping: bool,
    /// Everything else that was given, by the key of its row in the schema.
    pub settings: BTreeMap<SmolStr, Setting>,
    /// Where settings were written.
    pub places: Places,
}

/// Where the settings of a world were written, by key. Like a [`Span`], it never makes two worlds different.
#[derive(Clone, Debug, Default)]
pub struct Places(BTreeMap<SmolStr, Span>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    /// Keeps a place.
    pub fn set(&mut self, key: &'static str, span: Span) {
        self.0.insert(SmolStr::new_static(key), span);
    }

    /// The place of a setting that was written.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Span> {
        self.0.get(key).copied()
    }
}

impl Default for World {
    fn default() -> Self {
        Self {
            declared: false,
            title: None,
            dimension: 3,
            defaults: Defaults::Library,
            gravity: [0.0, -9.8, 0.0],
            dt: 1.0 / 60.0,
            substeps: 4,
            frames: None,
            duration: None,
            seed: 0,
            integrator: None,
            broad_phase: None,
            narrow_phase: None,
            solver: None,
            density: 1.0,
            elastic: 0.0,
            friction: 0.5,
            sleeping: true,
            settings: BTreeMap::new(),
            places: Places::default(),
        }
    }
}

impl World {
    /// A world with the defaults of the seed: what a file without a `world` declaration means.
    #[must_use]
    pub fn seed() -> Self {
        let product = Setting::Text(SmolStr::new_static("product"));
        let settings = [
            (SmolStr::new_static("elasticMixing"), product.clone()),
            (SmolStr::new_static("frictionMixing"), product),
            (SmolStr::new_static("restitutionThreshold"), Setting::Number(0.0)),
        ];
        Self {
            defaults: Defaults::Seed,
            elastic: 1.0,
            friction: 0.0,
            sleeping: false,
            settings: settings.into_iter().collect(),
            ..Self::default()
        }
    }
}
