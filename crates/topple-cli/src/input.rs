//! Where scenes come from: files, standard input, saved worlds. Everything that is neither is refused here.

use crate::failure::{Failure, Outcome};
use crate::{output, saved};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use topple_scene::limits::Limits;

/// What was found.
pub(crate) enum Input {
    /// Text of the scene language.
    Text {
        /// The scene's name in messages; includes are relative to it.
        name: String,
        /// The text.
        text: String,
    },
    /// A world saved by `run --save`.
    Saved {
        /// The file's name in messages.
        name: String,
        /// The file.
        bytes: Vec<u8>,
    },
}

/// Reads a scene; none or `-` is standard input.
pub(crate) fn read(path: Option<&Path>) -> Outcome<Input> {
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let fail = |error| Failure::file("read", path, &error);
            if path.is_dir() {
                return Err(Failure::cannot(format_args!(
                    "cannot read {}: it is a folder, not a scene",
                    path.display()
                )));
            }
            let file = File::open(path).map_err(fail)?;
            judge(path.display().to_string(), read_all(file).map_err(fail)?)
        }
        None => {
            if io::stdin().is_terminal() {
                output::say("reading a scene from standard input; end it with Ctrl-D");
            }
            let fail = |error| Failure::file("read", Path::new("standard input"), &error);
            judge("standard input".into(), read_all(io::stdin().lock()).map_err(fail)?)
        }
    }
}

/// Reads to the end, but no more text than the language takes: whatever is longer is refused by its beginning.
fn read_all(mut from: impl Read) -> io::Result<Vec<u8>> {
    let limit = Limits::default().source_bytes as u64 + 1;
    let mut bytes = Vec::new();
    from.by_ref().take(limit).read_to_end(&mut bytes)?;
    if saved::is_saved(&bytes) {
        from.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Text, a saved world, or nothing of ours.
fn judge(name: String, bytes: Vec<u8>) -> Outcome<Input> {
    if saved::is_saved(&bytes) {
        return Ok(Input::Saved { name, bytes });
    }
    let refuse =
        || Failure::cannot(format_args!("{name} is neither a scene (it is not text) nor a saved world"));
    // Cut off inside a letter by the limit: still text, and refused by the language for its length.
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.utf8_error().error_len().is_none() => {
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).map_err(|_| refuse())?
        }
        Err(_) => return Err(refuse()),
    };
    if text.contains('\0') {
        return Err(refuse());
    }
    Ok(Input::Text { name, text })
}

/// The scene files meant by a list of files and folders, folders searched to the bottom, in order of name.
pub(crate) fn scene_files(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = found.len();
            search(path, 0, &mut found)?;
            if found.len() == before {
                return Err(Failure::cannot(format_args!("there are no .scene files in {}", path.display())));
            }
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Folders inside folders; links may lead in circles.
const MAX_DEPTH: usize = 32;

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Outcome {
    let fail = |error| Failure::file("read", folder, &error);
    let entries = fs::read_dir(folder).map_err(fail)?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let paths = paths.as_mut().map_err(|error| Failure::file("read", folder, error))?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if depth < MAX_DEPTH {
                search(path, depth + 1, found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "scene") {
            found.push(path.clone());
        }
    }
    Ok(())
}
