//! What is written from the tables is up to date, and every example in the tables works.

use topple::{SettingInfo, SettingValue};
use topple_scene::run::Simulation;
use topple_scene::schema::world::setting_key;
use topple_scene::schema::{self, Default, Dims, Family, KindInfo, forces, grammar, joints, reference};
use topple_scene::{Options, load};

use crate::support::{crate_root, expect_file, good};

#[test]
fn the_reference_page_is_up_to_date() {
    expect_file(&crate_root().join("../../docs/guide/scene-reference.md"), &reference::page());
}

#[test]
fn the_editor_grammar_is_up_to_date() {
    expect_file(&crate_root().join("editors/scene.tmLanguage.json"), &grammar::textmate());
}

/// Bodies that examples refer to.
const CAST: [&str; 24] = [
    "door", "frame", "hand", "sleeve", "arm", "body", "seesaw", "floor", "lift", "head", "handle", "bob",
    "tyre", "chassis", "small", "large", "fan", "box1", "balloons", "planets", "rotor", "rocket", "ball",
    "wall",
];

fn try_example(kind: &KindInfo, dimension: u8) -> Result<(), String> {
    let mut text = String::new();
    if !kind.example.contains("world {") {
        text.push_str(&format!("world {{ dimension {dimension} }}\n"));
    }
    if kind.name == "place" {
        text.push_str("template post { param h = 2 }\n");
    }
    if kind.name != "world" {
        for name in CAST {
            let shape = if dimension == 2 { "circle" } else { "sphere" };
            text.push_str(&format!("{shape} {name} {{ radius 1 }}\n"));
        }
    }
    text.push_str(kind.example);
    let mut loader = Anything;
    let loaded = load(&text, Options { loader: Some(&mut loader), ..Options::default() });
    if loaded.diagnostics.is_empty() { Ok(()) } else { Err(loaded.report(false)) }
}

struct Anything;

impl topple_scene::Loader for Anything {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        Ok((path.to_string(), String::from("sphere s { radius 1 }")))
    }

    fn mesh(&mut self, _: &str, _: &str, _: &topple_mesh::Limits) -> Result<topple_scene::Surface, String> {
        Ok(topple_scene::Surface::default())
    }
}

#[test]
fn every_example_works() {
    for kind in schema::kinds().into_iter().chain(joints::KINDS).chain(forces::KINDS) {
        let tried: Vec<_> = [2, 3].into_iter().map(|dimension| try_example(kind, dimension)).collect();
        assert!(tried.iter().any(Result::is_ok), "{}: {}\n{:?}", kind.name, kind.example, tried);
        if kind.dims != Dims::Both && kind.family == Family::Shape {
            assert!(tried.iter().any(Result::is_err), "{} exists in both dimensions", kind.name);
        }
    }
}

/// Another value than the default, as text of the language and of the engine.
fn other_value(setting: &SettingInfo) -> (String, String) {
    let number = || setting.default.parse::<f32>().expect("a number");
    match setting.value {
        SettingValue::Flag => {
            let on = setting.default == "true";
            (String::from(if on { "off" } else { "on" }), (!on).to_string())
        }
        SettingValue::Mixing => (String::from("min"), String::from("min")),
        SettingValue::Vector => (String::from("1,2,3"), String::from("1,2,3")),
        SettingValue::Count => ((number() + 1.0).to_string(), (number() + 1.0).to_string()),
        SettingValue::Number => {
            // As the engine holds it; nothing by halves stays nothing.
            let half = if number() == 0.0 { 0.5 } else { 0.5 * number() };
            (half.to_string(), half.to_string())
        }
    }
}

/// Every setting of the engine is a parameter of `world`, with the engine's default, and gets there. A setting that is
/// added to the engine is in the table by itself; this fails if its name or type cannot be written.
#[test]
fn every_setting_of_the_engine_is_a_parameter_of_the_world() {
    let world = schema::kind("world").expect("a kind");
    let plain = topple::Settings3::default();
    for setting in topple::Settings3::info() {
        let key = setting_key(setting.name);
        let row = world.param(&key).unwrap_or_else(|| panic!("'world' has no '{key}'"));
        let documented = match row.default {
            Default::Number(number) => (number as f32).to_string(),
            Default::Vector(vector) => vector.map(|part| (part as f32).to_string()).join(","),
            Default::None(text) => match text.split(';').next().unwrap_or_default() {
                "on" => String::from("true"),
                "off" => String::from("false"),
                text => text.to_string(),
            },
            other => panic!("{key}: {other:?}"),
        };
        assert_eq!(documented, setting.default, "default of {key}");
        let (written, wanted) = other_value(&setting);
        let simulation = Simulation::new(&good(&format!("world {{ {key} {written} }}")));
        let Simulation::Three(run) = &simulation else { panic!("3D") };
        assert_eq!(run.world.settings().get_by_name(setting.name).as_ref(), Ok(&wanted), "{key}");
        assert_ne!(plain.get_by_name(setting.name).as_ref(), Ok(&wanted), "{key}");
        // And while it runs.
        let text = format!("world {{ }} at 0s {{ set {{ {key} {written} }} }}");
        let mut simulation = Simulation::new(&good(&text));
        simulation.step();
        let Simulation::Three(run) = &simulation else { panic!("3D") };
        assert_eq!(run.world.settings().get_by_name(setting.name).as_ref(), Ok(&wanted), "set {{ {key} }}");
    }
}

#[test]
fn the_rules_of_mixing_are_the_engines() {
    let engine = topple::Mixing::NAMES.map(|(name, _)| name);
    assert_eq!(schema::world::MIXING, engine);
}

/// The methods that scenes may name are those of the engine.
#[test]
fn methods_are_those_of_the_engine() {
    use topple_scene::schema::world::{BROAD_PHASES, INTEGRATORS, NARROW_PHASES, SOLVERS};
    for (stage, named) in [
        ("integrator", INTEGRATORS),
        ("broad phase", BROAD_PHASES),
        ("narrow phase", NARROW_PHASES),
        ("solver", SOLVERS),
    ] {
        let all = topple::Methods::<topple::D3>::all();
        let mut engine: Vec<_> = all.iter().filter(|m| m.stage == stage).map(|m| m.name).collect();
        let mut scene = named.to_vec();
        engine.sort_unstable();
        scene.sort_unstable();
        assert_eq!(scene, engine, "{stage}");
    }
}
