//! What is written from the tables is up to date, and every example in the tables works.

use topple_scene::schema::{self, Dims, Family, KindInfo, forces, grammar, joints, reference};
use topple_scene::{Options, load};

use crate::support::{crate_root, expect_file};

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
    if kind.name != "world" && kind.name != "settings" {
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

#[test]
fn documented_defaults_are_the_engines() {
    use topple_scene::schema::{Default, world::WORLD};
    let engine = topple::Settings3::default();
    let mut compared = 0;
    for row in WORLD {
        // Rows without a fixed number leave the value to the engine.
        let documented = match row.default {
            Default::Number(number) => (number as f32).to_string(),
            Default::Flag(flag) => flag.to_string(),
            _ => continue,
        };
        let snake: String = row.name.chars().fold(String::new(), |mut name, letter| {
            if letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
            name
        });
        if let Ok(found) = engine.get_by_name(&snake) {
            assert_eq!(found, documented, "{}", row.name);
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
}
