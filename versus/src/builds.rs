//! Builds of this program other than the running one: Rapier's variants, and two versions of Topple for `ab`.

use crate::engines::Build;
use crate::measure::variant_dir;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds one variant into its own target folder.
///
/// # Errors
/// If cargo fails.
pub fn build_variant(build: &Build) -> anyhow::Result<()> {
    println!("building {} ({} {})", build.name, build.features, build.rustflags);
    cargo_build(
        Path::new(env!("CARGO_MANIFEST_DIR")),
        build.features,
        build.rustflags,
        &variant_dir(build.name),
    )
}

fn cargo_build(workspace: &Path, features: &str, rustflags: &str, target: &Path) -> anyhow::Result<()> {
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--no-default-features", "--features", features, "--target-dir"]);
    command.arg(target).current_dir(workspace);
    // Set in every case: flags of the surrounding shell must not reach only one of two builds.
    command.env("RUSTFLAGS", rustflags);
    let status = command.status().context("cannot run cargo")?;
    anyhow::ensure!(status.success(), "cargo build failed in {}", workspace.display());
    Ok(())
}

/// A version of the repository, built with today's harness.
pub struct Version {
    /// What was asked for.
    pub name: String,
    /// The program.
    pub program: PathBuf,
}

/// Builds Topple at a revision; `.` is the working tree as it is.
///
/// The harness is the one that is running, copied over the revision's own: scenes and measuring are then the same on both
/// sides. If Topple's interface has changed in between, `own_harness` uses the revision's own.
///
/// # Errors
/// If git or cargo fails.
pub fn build_version(revision: &str, engine: &str, own_harness: bool) -> anyhow::Result<Version> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    if revision == "." {
        let program = build_and_keep(here, engine, "worktree")?;
        return Ok(Version { name: "worktree".into(), program });
    }
    let commit = git(here, &["rev-parse", "--verify", "--short=12", &format!("{revision}^{{commit}}")])?;
    let tree = std::env::temp_dir().join(format!("versus-ab-{}-{commit}", std::process::id()));
    git(here, &["worktree", "add", "--force", "--detach", &tree.to_string_lossy(), &commit])?;
    let built = (|| {
        if !own_harness {
            copy_harness(here, &tree.join("versus"))?;
        }
        build_and_keep(&tree.join("versus"), engine, &commit)
    })();
    // The tree goes in any case.
    git(here, &["worktree", "remove", "--force", &tree.to_string_lossy()])?;
    Ok(Version { name: format!("{revision} ({commit})"), program: built? })
}

/// Builds a tree and keeps the program under `name`. All trees share one target folder, so that what they have in common
/// is built once; Topple and the harness are built anew, because cargo tells packages apart by their path.
fn build_and_keep(workspace: &Path, engine: &str, name: &str) -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ab");
    cargo_build(workspace, engine, "", &folder.join("build"))?;
    // Not the name of the running file: that may have been replaced meanwhile.
    let program = env!("CARGO_PKG_NAME");
    let kept = folder.join(name).join(program);
    std::fs::create_dir_all(folder.join(name))?;
    std::fs::copy(folder.join("build/release").join(program), &kept)?;
    Ok(kept)
}

fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output =
        Command::new("git").args(arguments).current_dir(folder).output().context("cannot run git")?;
    let words = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "git {}: {}", arguments.join(" "), words.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Copies the sources of this workspace, without what builds and runs leave behind.
fn copy_harness(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if ["target", "results"].iter().any(|skip| name == *skip) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_harness(&entry.path(), &to.join(&name))?;
        } else {
            std::fs::copy(entry.path(), to.join(&name))?;
        }
    }
    Ok(())
}
