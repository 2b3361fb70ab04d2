//! `topple generate`: scenes of any size. Each is a template of the scene language; the flags change the values of its
//! parameters, and the scene that comes out can be changed further with `run --set`.

use crate::args::GenerateArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::saved::Origin;
use crate::session;
use topple_scene::diagnostics::Severity;

/// A template.
pub(crate) struct Generator {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// The template; it has a parameter `n`.
    text: &'static str,
}

macro_rules! generators {
    ($($name:literal $about:literal;)*) => {
        /// Every template there is.
        pub(crate) const GENERATORS: &[Generator] = &[$(Generator {
            name: $name,
            about: $about,
            text: include_str!(concat!($name, ".scene")),
        }),*];
    };
}

generators! {
    "pool-break" "a cue ball breaks a triangle of n rows";
    "brownian-gas" "two gases of n balls each mix in a box, without loss";
    "cylinder-pyramid" "n spheres fall on a pyramid of lying cylinders";
    "domino-rally" "n dominoes along a winding line; the first one is pushed";
    "dry-stone-wall" "a wall of n courses of stones without mortar, struck by a ball";
    "pyramid-2d" "a pyramid of rectangles, n at its base";
    "pyramid-3d" "a pyramid of boxes, n by n at its base";
    "tower" "n boxes on top of each other";
    "house-of-cards" "a house of cards with n storeys";
    "grid45" "n by n by n cubes, turned by 45 degrees, fall in a heap";
    "rain" "n drops of mixed shapes rain on a bowl of planes, over time";
    "pile" "n bodies of all shapes fall into a box";
}

/// Names for the argument parser.
pub(crate) fn names() -> Vec<&'static str> {
    GENERATORS.iter().map(|known| known.name).collect()
}

/// What can be generated, with the parameters of each.
pub(crate) fn help() -> String {
    let mut text = String::from("For example: topple generate tower -n 30 --set side=0.5 > tower.scene\n\n");
    text.push_str("Scenes, with the parameters of each, their defaults and ranges:\n");
    for known in GENERATORS {
        text.push_str(&format!("  {:<18}{}\n", known.name, known.about));
        for line in known.text.lines() {
            if let Some(parameter) = line.strip_prefix("param ") {
                text.push_str(&format!("                      {}\n", parameter.trim_end()));
            }
        }
    }
    text
}

/// Writes a scene to standard output.
pub(crate) fn generate(args: &GenerateArgs) -> Outcome {
    let known = GENERATORS.iter().find(|known| known.name == args.name);
    let known = known.ok_or_else(|| Failure::usage(format_args!("there is no scene named {}", args.name)))?;
    let mut values = args.set.clone();
    values.extend(args.n.map(|n| (String::from("n"), n.to_string())));
    values.extend(args.seed.map(|seed| (String::from("seed"), seed.to_string())));
    let mut text = known.text.to_string();
    for (key, value) in &values {
        text = replace(&text, key, value).ok_or_else(|| {
            Failure::usage(format_args!("{} has no parameter '{key}'{}", known.name, near(known, key)))
        })?;
    }
    let origin = Origin { name: known.name.into(), text: text.clone(), ..Origin::default() };
    let opened = session::load(origin)?;
    let errors: Vec<_> =
        opened.loaded.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    if !errors.is_empty() {
        let messages: Vec<_> = errors.iter().map(|found| found.message.as_str()).collect();
        return Err(Failure::usage(format_args!("{}: {}", known.name, messages.join("; "))));
    }
    output::print(&text)
}

/// The template with another value for a parameter, or for the seed of the world.
fn replace(text: &str, key: &str, value: &str) -> Option<String> {
    if key == "seed" {
        let (at, _) = text
            .match_indices("seed ")
            .find(|(at, mark)| text[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit()))?;
        let (before, after) = text.split_at(at + "seed ".len());
        return Some(format!("{before}{value}{}", after.trim_start_matches(|c: char| c.is_ascii_digit())));
    }
    let head = format!("param {key} = ");
    let mut found = false;
    let lines = text.lines().map(|line| match line.strip_prefix(&head) {
        Some(rest) => {
            found = true;
            let end = [" in ", " \""].iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
            format!("{head}{value}{}\n", &rest[end..])
        }
        None => format!("{line}\n"),
    });
    let text: String = lines.collect();
    found.then_some(text)
}

fn near(known: &Generator, key: &str) -> String {
    let parameters = known.text.lines().filter_map(|line| line.strip_prefix("param ")?.split(' ').next());
    let near = topple_scene::diagnostics::nearest(key, parameters);
    near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}
