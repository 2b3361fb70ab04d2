//! Gives every build a fingerprint of the harness's sources, so that contenders from different builds are known to have
//! run the same scenes.

use std::path::{Path, PathBuf};

fn main() {
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
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
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
