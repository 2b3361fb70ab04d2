//! Writing: to standard output that may close, to standard error that must not matter, to files that are whole or absent.

use crate::failure::{Failure, Outcome};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    result.map_err(|error| Failure::file("write to", Path::new("standard output"), &error))
}

/// Prints a line to standard error; if nobody listens there, nothing can be done about it.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether diagnostics and progress go to a person at a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether diagnostics may have colours: on a terminal, unless the person asked for none.
pub(crate) fn colour() -> bool {
    is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Opens a file to be filled while the simulation runs.
pub(crate) fn create(path: &Path) -> Outcome<File> {
    File::create(path).map_err(|error| Failure::file("write", path, &error))
}

/// Refuses early what would fail after a long simulation: a folder that is not there.
pub(crate) fn expect_folder(path: &Path) -> Outcome {
    let folder = parent(path);
    if path.is_dir() {
        return Err(Failure::cannot(format_args!("cannot write {}: it is a folder", path.display())));
    }
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::cannot(format_args!(
        "cannot write {}: there is no folder {}",
        path.display(),
        folder.display()
    )))
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Writes a file so that it is whole or, after a failure, what it was before: beside it first, then renamed.
/// Devices and pipes are written to directly.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Outcome {
    let fail = |error: io::Error| Failure::file("write", path, &error);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let mut file = File::options().write(true).open(path).map_err(fail)?;
        return file.write_all(bytes).and_then(|()| file.flush()).map_err(fail);
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".part{}", std::process::id()));
    let beside = parent(path).join(name);
    let result = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.flush()))
        .and_then(|()| fs::rename(&beside, path));
    result.map_err(|error| {
        let _ = fs::remove_file(&beside);
        fail(error)
    })
}
