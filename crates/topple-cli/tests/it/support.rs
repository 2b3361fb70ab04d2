//! A folder for each test, and the binary in it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary folder in which commands run.
pub(crate) struct Bench {
    folder: TempDir,
}

/// Six boxes and a ball, in the plane.
pub(crate) const STACK: &str = "world { dimension 2  title \"Stack\" }
param n = 5
box floor { static  size 20,1  centre 0,-0.5 }
repeat i in 0..n { box brick { size 0.5,0.5  centre 0, 0.25 + i*0.5 } }
circle ball { radius 0.2  centre -5,1  vel 10,0 }
expect after 1s { y(brick) > 0 }
";

/// Enough bodies that threads share the work.
pub(crate) const HEAP: &str = "world { title \"Heap\" }
plane { normal 0,1,0  toOrig 0 }
repeat i in 0..6 { repeat j in 0..6 { repeat k in 0..6 {
  box cube { size 0.9,0.9,0.9  centre j*1.1 + i*0.1, 1 + i*1.1, k*1.1  angles 0.3,0,0.2 }
} } }
";

/// Bodies that come and go while the scene runs.
pub(crate) const DIRECTED: &str = "world { dimension 2  seed 3 }
box floor { static  size 40,1  centre 0,-0.5 }
every 10 steps as k until 100 steps { circle drop { radius 0.2  centre uniform(-3,3), 5 } }
at 60 steps { push drop { impulse 0.1,0.2 } }
";

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into the folder.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The text of a file in the folder.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary, to be started in the folder.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("topple"));
        command.current_dir(self.folder.path()).env("NO_COLOR", "1");
        command
    }

    /// Runs the binary with arguments separated by spaces.
    pub(crate) fn topple(&self, arguments: &str) -> Output {
        self.command().args(arguments.split_whitespace()).output().unwrap()
    }

    /// Runs the binary, which must succeed; its standard output.
    pub(crate) fn good(&self, arguments: &str) -> String {
        let output = self.topple(arguments);
        assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
        stdout(&output)
    }

    /// Runs the binary, which must print one JSON object.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.good(arguments)).unwrap()
    }
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compares with a file in `tests/expected`; `UPDATE_EXPECT=1` rewrites it.
pub(crate) fn expect_file(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{name} differs; UPDATE_EXPECT=1 accepts:\n{found}");
}
