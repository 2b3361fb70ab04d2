//! Gives every build a fingerprint of the harness's sources, so that contenders from different builds are known to have
//! run the same scenes.

use std::path::{Path, PathBuf};

/// Sources that decide what a contender runs and how it is timed. What only gathers and prints is left out, so that a change
/// there does not make every variant build stale.
const SOURCES: &[&str] = &[
    "src/engine.rs",
    "src/engines/rapier2.rs",
    "src/engines/rapier3.rs",
    "src/hull.rs",
    "src/overlap.rs",
    "src/quality.rs",
    "src/scenes",
    "src/worker.rs",
    "src/world.rs",
];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        collect(Path::new(source), &mut files);
    }
    files.sort();
    // FNV-1a: no dependency, and nobody attacks it here.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in &files {
        for byte in std::fs::read(file).expect("a source file") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=VERSUS_SOURCES={hash:016x}");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).expect("a source folder") {
        collect(&entry.expect("an entry").path(), files);
    }
}
