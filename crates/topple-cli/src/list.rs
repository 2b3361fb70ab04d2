//! `topple list`: scenes, methods, settings.

use crate::args::{ListArgs, Topic};
use crate::failure::{Failure, Outcome};
use crate::saved::Origin;
use crate::{generate, input, output, session};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use topple::{D3, Methods, SettingInfo, Settings};
use topple_scene::schema::world::{setting_doc, setting_key};

/// Where scenes are looked for if nobody says.
const DEFAULT_FOLDER: &str = "scenes";

/// Prints the lists.
pub(crate) fn list(args: &ListArgs) -> Outcome {
    let wants = |topic| args.topic.is_none_or(|wanted| wanted == topic);
    let mut object = Map::new();
    let mut text = String::new();
    if wants(Topic::Scenes) {
        let folder = args.folder.as_deref().unwrap_or(Path::new(DEFAULT_FOLDER));
        // Nobody asked for the default one: it need not be there.
        if args.folder.is_some() && !folder.is_dir() {
            let reason = if folder.exists() { "it is not a folder" } else { "no such folder" };
            return Err(Failure::cannot(format_args!("cannot list {}: {reason}", folder.display())));
        }
        let scenes = scenes(folder)?;
        text.push_str(&scenes_text(folder, &scenes));
        let rows = scenes.iter().map(|scene| {
            json!({ "path": scene.path.display().to_string(), "title": scene.title,
                    "dimension": scene.dimension, "bodies": scene.bodies,
                    "expectations": scene.expectations })
        });
        object.insert("scenes".into(), rows.collect());
        let rows =
            generate::GENERATORS.iter().map(|known| json!({ "name": known.name, "about": known.about }));
        object.insert("generators".into(), rows.collect());
    }
    if wants(Topic::Methods) {
        text.push_str(&methods_text());
        object.insert("methods".into(), methods_json());
    }
    if wants(Topic::Settings) {
        text.push_str(&settings_text());
        let rows = Settings::<D3>::info().into_iter().map(|setting| {
            json!({ "name": setting.name, "key": setting_key(setting.name), "unit": setting.unit,
                    "default": setting.default, "about": setting.doc })
        });
        object.insert("settings".into(), rows.collect());
    }
    if args.json {
        return output::print(&format!("{:#}\n", Value::Object(object)));
    }
    output::print(text.trim_start_matches('\n'))
}

/// A scene file at a glance.
struct Glance {
    path: PathBuf,
    title: Option<String>,
    dimension: u8,
    bodies: usize,
    expectations: usize,
}

/// The scenes in a folder; none if there is no such folder.
fn scenes(folder: &Path) -> Outcome<Vec<Glance>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let Ok(paths) = input::scene_files(&[folder.to_path_buf()]) else { return Ok(Vec::new()) };
    let mut scenes = Vec::new();
    for path in paths {
        let Ok(input::Input::Text { name, text }) = input::read(Some(&path)) else { continue };
        let Ok(opened) = session::load(Origin { name, text, ..Origin::default() }) else { continue };
        let scene = opened.loaded.scene;
        scenes.push(Glance {
            path,
            title: scene.world.title.as_ref().map(ToString::to_string),
            dimension: scene.dimension(),
            bodies: scene.bodies.len(),
            expectations: scene.expectations.len(),
        });
    }
    Ok(scenes)
}

/// Writing to a string cannot fail.
fn scenes_text(folder: &Path, scenes: &[Glance]) -> String {
    let mut text = format!("\nscenes in {}\n", folder.display());
    if scenes.is_empty() {
        text.push_str("  none\n");
    }
    let width = scenes.iter().map(|scene| scene.path.display().to_string().len()).max().unwrap_or(0);
    for scene in scenes {
        let title = scene.title.as_deref().unwrap_or("");
        let path = scene.path.display().to_string();
        let _ = writeln!(text, "  {path:<width$}  {}D {:>6} bodies  {title}", scene.dimension, scene.bodies);
    }
    text.push_str("\nscenes that topple generate writes\n");
    for known in generate::GENERATORS {
        let _ = writeln!(text, "  {:<18}{}", known.name, known.about);
    }
    text
}

/// The key of a stage, as in the output of `run --json`.
fn key(stage: &str) -> String {
    stage.replace(' ', "_")
}

fn methods_text() -> String {
    let mut text = String::new();
    let mut stage = "";
    for method in Methods::<D3>::all() {
        if method.stage != stage {
            stage = method.stage;
            let _ = writeln!(text, "\n{stage}");
        }
        let mark = if method.is_default { "*" } else { " " };
        let _ = writeln!(text, " {mark}{:<26}{}", method.name, method.summary);
    }
    text.push_str("\n(* default)\n");
    text
}

fn methods_json() -> Value {
    let mut stages = Map::new();
    for method in Methods::<D3>::all() {
        let rows = stages.entry(key(method.stage)).or_insert_with(|| json!([]));
        if let Value::Array(rows) = rows {
            rows.push(json!({ "name": method.name, "default": method.is_default, "about": method.summary }));
        }
    }
    Value::Object(stages)
}

fn settings_text() -> String {
    let mut text = String::from("\nsettings of a world, for `world { … }` and --set (name, default, unit)\n");
    let rows: Vec<_> = Settings::<D3>::info().into_iter().map(|row| (setting_key(row.name), row)).collect();
    // Written out: a letter with a sign on top of it is one column wide, not two bytes.
    let width = |of: &dyn Fn(&(String, SettingInfo)) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let unit = |row: &SettingInfo| if row.unit == "1" { "" } else { row.unit };
    let names = width(&|(key, _)| key.len());
    let defaults = width(&|(_, row)| row.default.chars().count());
    let units = width(&|(_, row)| unit(row).chars().count());
    for (key, row) in &rows {
        let _ = writeln!(
            text,
            "  {key:<names$}  {:<defaults$}  {:<units$}  {}",
            row.default,
            unit(row),
            setting_doc(row).split_whitespace().collect::<Vec<_>>().join(" ")
        );
    }
    text
}
