//! `topple check`: what is wrong with scenes, without running them.

use crate::args::CheckArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Input};
use crate::run::count;
use crate::saved::{self, Origin};
use crate::{output, session};
use std::path::Path;
use topple_scene::run::Simulation;

/// Checks every scene, then fails if one has errors.
pub(crate) fn check(args: &CheckArgs) -> Outcome {
    let mut faulty = 0;
    let mut unreadable = false;
    let scenes = input::scene_files(&args.scenes)?;
    for path in &scenes {
        match check_one(path, args) {
            Ok(errors) => faulty += usize::from(errors > 0),
            // The others are still worth a look.
            Err(Failure::Cannot(message)) => {
                output::say(format_args!("error: {message}"));
                unreadable = true;
            }
            Err(failure) => return Err(failure),
        }
    }
    if faulty > 0 {
        return Err(Failure::Scene(format!(
            "{} of {} with errors",
            faulty,
            count(scenes.len(), "scene", "scenes")
        )));
    }
    if unreadable { Err(Failure::Said) } else { Ok(()) }
}

/// Number of errors in a scene.
fn check_one(path: &Path, args: &CheckArgs) -> Outcome<usize> {
    let origin = match input::read(Some(path))? {
        Input::Text { name, text } => Origin { name, text, overrides: args.set.clone(), ..Origin::default() },
        Input::Saved { name, bytes } => saved::decode(&name, &bytes)?.header.origin,
    };
    let opened = session::load(origin)?;
    let loaded = &opened.loaded;
    session::tell(loaded);
    let simulation = Simulation::new(&loaded.scene);
    let refused = simulation.diagnostics();
    if !refused.is_empty() {
        output::say(refused.render(&loaded.sources, output::colour()).trim_end());
    }
    let errors = loaded.diagnostics.errors() + refused.errors();
    let warnings = loaded.diagnostics.warnings() + refused.warnings();
    if !args.quiet || errors + warnings > 0 {
        let scene = &loaded.scene;
        let verdict = match (errors, warnings) {
            (0, 0) => String::from("fine"),
            (0, warnings) => count(warnings, "warning", "warnings"),
            (errors, 0) => count(errors, "error", "errors"),
            (errors, warnings) => {
                format!("{}, {}", count(errors, "error", "errors"), count(warnings, "warning", "warnings"))
            }
        };
        output::print(&format!(
            "{}: {verdict} ({}D, {}, {})\n",
            opened.origin.name,
            scene.dimension(),
            count(scene.bodies.len(), "body", "bodies"),
            count(scene.expectations.len(), "expectation", "expectations")
        ))?;
    }
    Ok(errors)
}
