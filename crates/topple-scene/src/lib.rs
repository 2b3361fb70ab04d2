//! The scene language of Topple: text in, a checked scene out.
//!
//! ```
//! let loaded = topple_scene::load("sphere { radius 1  mass 2  centre 0,5,0 }", topple_scene::Options::default());
//! assert_eq!(loaded.scene.bodies.len(), 1);
//! assert!(loaded.diagnostics.is_empty());
//! ```
//!
//! The path of a text through the crate, one module per station:
//! `lexer` → `parser` (a tree, [`ast`]) → `eval` (constants, repetition, groups, includes; checked against the tables of
//! [`schema`]) → [`model`], flat and typed. [`print`](mod@print) goes back from the model to text. Faults are collected
//! in [`diagnostics`]; a faulty declaration is left out and the rest stays. [`limits`] bounds time and memory.
//!
//! From the model on: [`lower`] builds the engine's world, [`run`] steps it with the director and the expectations.

// Units are written in brackets: [m], [kg].
#![allow(rustdoc::broken_intra_doc_links)]

pub mod ast;
pub mod diagnostics;
mod eval;
pub mod lexer;
pub mod limits;
pub mod lower;
pub mod model;
mod parser;
pub mod print;
pub mod run;
pub mod schema;
pub mod span;
pub mod units;
pub mod value;

use std::io::Read as _;
use std::sync::Arc;

use diagnostics::{Diagnostic, Diagnostics};
pub use eval::expander::{Expander, Fired};
use eval::{Evaluator, Override};
use limits::Limits;
use model::Scene;
use span::{Sources, Span};
pub use topple_mesh::Surface;

/// Finds the text of an included file.
pub trait Loader {
    /// The text of `path` as written in the file called `from`, with the name to show in diagnostics; or the reason why
    /// there is none. The same file must always get the same name: that is how cycles are found.
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String>;

    /// The triangles of the mesh file `path` as written in the file called `from`, within these limits; or the reason why
    /// there are none, with the place in the mesh file.
    fn mesh(&mut self, _path: &str, _from: &str, _limits: &topple_mesh::Limits) -> Result<Surface, String> {
        Err(String::from("there are no other files here"))
    }
}

/// Refuses every include.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl Loader for NoIncludes {
    fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
        Err(String::from("there are no other files here"))
    }
}

/// Reads includes from disk, relative to the file they are written in.
#[derive(Clone, Copy, Debug)]
pub struct FileLoader {
    /// Largest file that is read [bytes].
    pub max_bytes: u64,
}

impl Default for FileLoader {
    fn default() -> Self {
        Self { max_bytes: Limits::default().source_bytes as u64 }
    }
}

impl Loader for FileLoader {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let path = beside(from, path)?;
        let file = std::fs::File::open(&path).map_err(|error| error.to_string())?;
        let mut text = String::new();
        // One byte more than allowed: a file may grow, or not know its size.
        let read = file.take(self.max_bytes.saturating_add(1)).read_to_string(&mut text);
        if text.len() as u64 > self.max_bytes {
            return Err(format!("it is larger than {} MiB", self.max_bytes >> 20));
        }
        read.map_err(|error| error.to_string())?;
        // One name per file, however it is reached.
        let name = path.canonicalize().map_or_else(
            |_| path.clone(),
            |found| {
                std::env::current_dir()
                    .ok()
                    .and_then(|here| found.strip_prefix(here).map(std::path::Path::to_path_buf).ok())
                    .unwrap_or(found)
            },
        );
        Ok((name.display().to_string(), text))
    }

    fn mesh(&mut self, path: &str, from: &str, limits: &topple_mesh::Limits) -> Result<Surface, String> {
        let place = beside(from, path).map_err(|reason| format!("{path}: cannot be read: {reason}"))?;
        topple_mesh::load_with(place, limits).map_err(|error| error.to_string())
    }
}

/// A path as written in a file; only ordinary files are opened, because others may never end.
fn beside(from: &str, path: &str) -> Result<std::path::PathBuf, String> {
    let folder = std::path::Path::new(from).parent().unwrap_or_else(|| std::path::Path::new(""));
    let path = folder.join(path);
    let found = std::fs::metadata(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => String::from("there is no such file"),
        _ => error.to_string(),
    })?;
    if !found.is_file() {
        return Err(String::from(if found.is_dir() {
            "it is a folder"
        } else {
            "it is not an ordinary file"
        }));
    }
    Ok(path)
}

/// How to load a scene.
#[derive(Default)]
pub struct Options<'a> {
    /// Name of the text in diagnostics, and the place includes are relative to.
    pub name: String,
    /// Values for parameters and settings, as text: `--set name=value`.
    pub overrides: Vec<(String, String)>,
    /// Bounds.
    pub limits: Limits,
    /// Where includes come from; none by default.
    pub loader: Option<&'a mut dyn Loader>,
}

/// A loaded scene with everything that was said about it.
#[derive(Debug)]
pub struct Loaded {
    /// The scene, without what was faulty.
    pub scene: Scene,
    /// What was found, in order of place.
    pub diagnostics: Diagnostics,
    /// The texts, for showing the diagnostics.
    pub sources: Sources,
}

impl Loaded {
    /// The diagnostics as text for a person.
    #[must_use]
    pub fn report(&self, colour: bool) -> String {
        self.diagnostics.render(&self.sources, colour)
    }
}

/// Whether a text is words with hyphens between them.
fn is_hyphenated(text: &str) -> bool {
    let word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.contains('-')
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.split('-').all(|part| !part.is_empty() && word(part))
}

/// Whether a setting of the world takes one of a few words.
fn wants_word(name: &str) -> bool {
    let name = name.strip_prefix("world.").unwrap_or(name);
    let row = schema::kind("world").and_then(|world| world.param(name));
    row.is_some_and(|row| matches!(row.kind, schema::Type::Word(_)))
}

/// Loads a scene from text. Never fails: what is wrong is in the diagnostics, and the scene holds the rest.
#[must_use]
pub fn load(text: &str, options: Options<'_>) -> Loaded {
    let Options { name, overrides, limits, loader } = options;
    let mut diagnostics = Diagnostics::new(limits.diagnostics);
    let mut sources = Sources::default();
    let name = if name.is_empty() { String::from("scene") } else { name };
    if text.len() > limits.source_bytes {
        let file = sources.add(name, "");
        let message = format!("the scene has more than {} MiB of text", limits.source_bytes >> 20);
        diagnostics.push(Diagnostic::error("too-large", Span { file, ..Span::default() }, message));
        return Loaded { scene: Scene::default(), diagnostics, sources };
    }
    let file = sources.add(name, text);
    let items = Arc::new(parser::parse(text, file, &limits, &mut diagnostics));
    let mut given = Vec::new();
    for (name, value) in overrides {
        let file = sources.add(format!("--set {name}"), value.clone());
        let span = Span { file, start: 0, end: value.len() as u32 };
        // Methods have hyphens in their names; on a command line nobody quotes twice.
        let is_word = schema::world::is_method(&value) || is_hyphenated(&value) && wants_word(&name);
        let word = is_word.then(|| ast::Expr::leaf(ast::ExprKind::Text(value.as_str().into()), span));
        if let Some(expr) = word.or_else(|| parser::parse_value(&value, file, &limits, &mut diagnostics)) {
            given.push(Override { name, value: Arc::new(expr), used: false, span });
        }
    }
    let mut nothing = NoIncludes;
    let loader: &mut dyn Loader = match loader {
        Some(loader) => loader,
        None => &mut nothing,
    };
    let mut evaluator = Evaluator::new(&limits, &mut sources, &mut diagnostics, loader);
    evaluator.set_input(given, text.len());
    let scene = evaluator.run(file, &items);
    diagnostics.sort();
    Loaded { scene, diagnostics, sources }
}
