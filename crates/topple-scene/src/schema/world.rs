//! The world: settings, methods, materials.

use std::sync::LazyLock;

use topple::{D3, SettingInfo, SettingValue, Settings};

use super::Default::{None as Without, Number as Num, Vector as Vec3, Word as Is};
use super::Range::{Between, NotNegative, Positive};
use super::Type::{Integer, Number, Text, Vector, Word};
use super::{Family, KindInfo, Param, Range, Type, bodies, k, p};
use crate::model::{Setting, World};
use crate::units::{Dimension, dim, parse_suffix};
use crate::value::number_text;

const NONE: Dimension = Dimension::NONE;
const RATE: Dimension = dim(0, 0, -1, 0);

/// Names of integrators.
pub const INTEGRATORS: &[&str] = &["explicit-euler", "semi-implicit-euler", "verlet", "rk4", "midpoint"];
/// Names of broad phases.
pub const BROAD_PHASES: &[&str] = &[
    "all-pairs",
    "spheres",
    "sort-and-sweep",
    "sort-and-sweep-insertion",
    "grid",
    "hash",
    "tree",
    "bvh",
    "bsp",
];
/// Names of narrow phases.
pub const NARROW_PHASES: &[&str] = &["auto", "sat", "gjk"];
/// Names of solvers.
pub const SOLVERS: &[&str] = &["soft-step", "baumgarte"];
/// Keys of the methods.
pub const METHODS: [&str; 4] = ["integrator", "broadPhase", "narrowPhase", "solver"];
/// Whether a text is the name of a method: it may come from outside without quotes.
#[must_use]
pub fn is_method(name: &str) -> bool {
    [INTEGRATORS, BROAD_PHASES, NARROW_PHASES, SOLVERS].iter().any(|names| names.contains(&name))
}

/// Ways to combine the values of two surfaces.
pub const MIXING: &[&str] = &["mean", "geometric", "min", "product", "max"];

/// Settings of the engine that are called otherwise in scene files than by their name in camel case, with other
/// spellings: `friction` and `elastic` are coefficients there.
const RENAMED: &[(&str, &str, &[&str])] = &[
    ("friction", "frictionEnabled", &[]),
    ("restitution", "restitutionEnabled", &[]),
    ("restitution_mixing", "elasticMixing", &["restitutionMixing"]),
    ("warm_starting", "warmStarting", &["contactCaching"]),
    ("max_slop", "maxSlop", &["penetrationSlop"]),
    ("default_density", "density", &[]),
    ("default_friction", "friction", &[]),
    ("default_restitution", "elastic", &["restitution"]),
];

/// The key in scene files of a setting of the engine: `contact_hertz` is `contactHertz`.
#[must_use]
pub fn setting_key(engine: &str) -> String {
    if let Some((_, key, _)) = RENAMED.iter().find(|(name, ..)| *name == engine) {
        return (*key).to_string();
    }
    let mut key = String::new();
    for (index, part) in engine.split('_').enumerate() {
        let mut letters = part.chars();
        let first = letters.next().map(|first| if index == 0 { first } else { first.to_ascii_uppercase() });
        key.extend(first);
        key.push_str(letters.as_str());
    }
    key
}

/// What a setting of the engine does, with the other settings called as in scene files.
#[must_use]
pub fn setting_doc(setting: &SettingInfo) -> String {
    let names = Settings::<D3>::info().into_iter().map(|other| other.name).filter(|name| name.contains('_'));
    names.fold(setting.doc.clone(), |doc, name| {
        doc.replace(&format!("`{name}`"), &format!("`{}`", setting_key(name)))
    })
}

/// The setting of the engine that a key of scene files means.
#[must_use]
pub fn engine_setting(key: &str) -> Option<&'static str> {
    ENGINE.iter().find(|(known, _)| known == key).map(|(_, engine)| *engine)
}

/// Key and name of every setting of the engine.
static ENGINE: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    Settings::<D3>::info().iter().map(|setting| (setting_key(setting.name), setting.name)).collect()
});

/// Rows for the settings of the engine, all that are not in [`WORLD`], from the engine's own table: made once and kept.
pub fn settings() -> &'static [Param] {
    static ROWS: LazyLock<&'static [Param]> = LazyLock::new(|| {
        let info = Settings::<D3>::info();
        let keys = info.iter().map(|setting| (setting, setting_key(setting.name)));
        // Before the rows are made: what is kept for them is never given back.
        let keys = keys.filter(|(_, key)| WORLD.iter().all(|known| known.name != key.as_str()));
        let rows = keys.map(|(setting, key)| setting_row(setting, key));
        Box::leak(rows.collect::<Vec<_>>().into_boxed_slice())
    });
    *ROWS
}

fn setting_row(setting: &SettingInfo, key: String) -> Param {
    let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let kind = match setting.value {
        SettingValue::Number => Number,
        SettingValue::Count => Integer,
        SettingValue::Flag => Type::Flag,
        SettingValue::Mixing => Word(MIXING),
        SettingValue::Vector => Vector,
    };
    let mut default = match setting.default.as_str() {
        "true" => String::from("on"),
        "false" => String::from("off"),
        text => text.to_string(),
    };
    if let Some(value) = World::seed().settings.get(key.as_str()) {
        let value = match value {
            Setting::Number(number) => number_text(*number),
            Setting::Text(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        default.push_str(&format!("; with seed defaults {value}"));
    }
    let aliases = RENAMED.iter().find(|(name, ..)| *name == setting.name).map_or(&[][..], |found| found.2);
    let range =
        if setting.allowed.is_empty() { Range::Any } else { Range::Engine(keep(setting.allowed.clone())) };
    p(keep(key), kind, unit(setting.unit), keep(setting_doc(setting)))
        .alias(aliases)
        .range(range)
        .or(Without(keep(default)))
}

/// The dimension of a unit as the engine writes it, `N·m` being `Nm`; `1` and multiples of other settings are plain numbers.
fn unit(text: &str) -> Dimension {
    match text {
        "1/s" => RATE,
        text => {
            parse_suffix(&text.replace('²', "^2").replace('·', "")).map_or(NONE, |(_, dimension)| dimension)
        }
    }
}

/// Settings of the world that are not the engine's alone.
pub const WORLD: &[Param] = &[
    p("title", Text, NONE, "What the scene is, for lists and pictures."),
    p("dimension", Integer, NONE, "2 or 3.").range(Between(2.0, 3.0)).or(Num(3.0)),
    p("defaults", Word(&["library", "seed"]), NONE, "Which defaults hold: the library's or the seed's.")
        .or(Is("library")),
    p("gravity", Vector, dim(1, 0, -2, 0), "Acceleration of every body.").or(Vec3([0.0, -9.8, 0.0])),
    p("dt", Number, Dimension::TIME, "Time of one step.").range(Between(1e-6, 1.0)).or(Num(1.0 / 60.0)),
    p("substeps", Integer, NONE, "Sub-steps of one step.").range(Between(1.0, 1000.0)).or(Num(4.0)),
    p("frames", Integer, NONE, "Steps of a run.").range(Between(0.0, 1e9)).or(Without("the caller's")),
    p("duration", Number, Dimension::TIME, "Time of a run; instead of `frames`.").range(NotNegative),
    p("seed", Integer, NONE, "Seed of the random numbers.")
        .range(Between(0.0, 9007199254740991.0))
        .or(Num(0.0)),
    p("integrator", Word(INTEGRATORS), NONE, "How motion is computed from forces.")
        .or(Is("semi-implicit-euler")),
    p("broadPhase", Word(BROAD_PHASES), NONE, "How candidate pairs are found.").or(Is("bvh")),
    p("narrowPhase", Word(NARROW_PHASES), NONE, "How contacts of a pair are found.").or(Is("auto")),
    p("solver", Word(SOLVERS), NONE, "How contacts and joints are solved.").or(Is("soft-step")),
    p("density", Number, dim(-3, 1, 0, 0), "Density where a shape gives none.").range(Positive).or(Num(1.0)),
    p("elastic", Number, NONE, "Restitution where a shape gives none.")
        .alias(&["restitution"])
        .range(NotNegative)
        .or(Without("0; with seed defaults 1")),
    p("friction", Number, NONE, "Friction where a shape gives none.")
        .range(NotNegative)
        .or(Without("0.5; with seed defaults 0")),
    p("sleeping", Type::Flag, NONE, "Bodies at rest fall asleep.").or(Without("on; with seed defaults off")),
    p("linearDrag", Number, RATE, "Rate at which every body loses speed.").range(NotNegative).or(Num(0.0)),
    p("quadraticDrag", Number, dim(-1, 0, 0, 0), "The same, growing with speed.")
        .range(NotNegative)
        .or(Num(0.0)),
    p("angularDrag", Number, RATE, "Rate at which every body loses spin.").range(NotNegative).or(Num(0.0)),
];

/// `world`, `material`.
pub const KINDS: &[KindInfo] = &[
    KindInfo {
        takes_settings: true,
        ..k(
            "world",
            Family::World,
            &[WORLD],
            "The world, at most once in a scene and anywhere in the file. A file without it is a seed scene: 3D, \
             elastic 1, frictionless, restitution of a pair the product of its two values, no drag, no sleeping.",
            "world { dimension 2  gravity 0,-9.8  dt 1/60  solver soft-step  contactHertz 30 }",
        )
    },
    k(
        "material",
        Family::World,
        &[MATERIAL_ROWS, bodies::LOOK],
        "A material that shapes refer to by name.",
        "material ice { friction 0.02  density 900  colour 0.8,0.9,1 }",
    ),
];

/// Those of a shape but the first, which refers to a material.
const MATERIAL_ROWS: &[Param] = bodies::SURFACE;
