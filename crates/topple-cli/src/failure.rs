//! Why a command ended early, and the exit code that says so: 0 fine, 1 could not do it, 2 wrong usage, 3 faulty scene.

use crate::output;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be done: files, disks, a fault of the simulation.
    Cannot(String),
    /// It was asked for in the wrong way.
    Usage(String),
    /// The scene has errors, which have been shown.
    Scene(String),
    /// Everything has been said already; 1.
    Said,
    /// Who reads our output has gone away. Not a fault: `topple list | head`.
    PipeClosed,
}

/// What every step of a command gives back.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// An operation on a file failed: `cannot read x.scene: no such file`.
    pub(crate) fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::Cannot(format!("cannot {what} {}: {}", path.display(), reason(error)))
    }

    /// Anything else that could not be done.
    pub(crate) fn cannot(what: impl Display) -> Self {
        Self::Cannot(what.to_string())
    }

    /// Wrong usage.
    pub(crate) fn usage(what: impl Display) -> Self {
        Self::Usage(what.to_string())
    }
}

/// The system's reason in plain words, without its error number.
fn reason(error: &io::Error) -> String {
    use io::ErrorKind::*;
    match error.kind() {
        NotFound => "no such file or folder".into(),
        PermissionDenied => "no permission".into(),
        IsADirectory => "it is a folder".into(),
        NotADirectory => "a part of the path is not a folder".into(),
        StorageFull => "no space left on the disk".into(),
        ReadOnlyFilesystem => "the disk is read-only".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// Tells the failure on standard error and turns it into an exit code.
pub(crate) fn report(result: Outcome) -> ExitCode {
    let (code, message) = match result {
        Ok(()) | Err(Failure::PipeClosed) => return ExitCode::SUCCESS,
        Err(Failure::Said) => return ExitCode::from(1),
        Err(Failure::Cannot(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, message),
        Err(Failure::Scene(message)) => (3, message),
    };
    output::say(format_args!("error: {message}"));
    ExitCode::from(code)
}
