//! Helpers of the tests.

use std::path::{Path, PathBuf};

use topple_scene::model::{Query, Scene, Target};
use topple_scene::run::Simulation;
use topple_scene::{FileLoader, Loaded, Options, load};

/// The folder of this crate.
pub(crate) fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Loads text that must be faultless.
pub(crate) fn good(text: &str) -> Scene {
    let loaded = load(text, Options::default());
    assert!(loaded.diagnostics.is_empty(), "{text}\n{}", loaded.report(false));
    loaded.scene
}

/// Loads text; the short form of what is wrong.
pub(crate) fn faults(text: &str) -> String {
    let loaded = load(text, Options::default());
    loaded.diagnostics.render_short(&loaded.sources)
}

/// Loads a file the way the program does; names in messages are relative to its folder.
pub(crate) fn load_file(path: &Path) -> Loaded {
    let text = std::fs::read_to_string(path).expect("test scene is readable");
    let mut loader = Beside { folder: path.parent().expect("has a folder").to_path_buf() };
    let name = path.file_name().expect("has a name").to_string_lossy().into_owned();
    load(&text, Options { name, loader: Some(&mut loader), ..Options::default() })
}

/// Reads includes beside the scene, under short names, so that snapshots hold no machine's paths.
struct Beside {
    folder: PathBuf,
}

impl topple_scene::Loader for Beside {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        let from = self.folder.join("x").display().to_string();
        FileLoader::default()
            .load(path, &from)
            .map(|(_, text)| (path.to_string(), text))
            .map_err(|_| String::from("no such file"))
    }

    fn mesh(
        &mut self,
        path: &str,
        _: &str,
        limits: &topple_mesh::Limits,
    ) -> Result<topple_scene::Surface, String> {
        let from = self.folder.join("x").display().to_string();
        let beside = format!("{}/", self.folder.display());
        FileLoader::default().mesh(path, &from, limits).map_err(|reason| reason.replace(&beside, ""))
    }
}

/// Compares with a file; `UPDATE_EXPECT=1` rewrites it.
pub(crate) fn expect_file(path: &Path, found: &str) {
    let wanted = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    if wanted == found {
        return;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, found).expect("snapshot is writable");
        return;
    }
    let line = wanted.lines().zip(found.lines()).position(|(a, b)| a != b).unwrap_or(wanted.lines().count());
    panic!(
        "{} differs from line {}; UPDATE_EXPECT=1 rewrites it\n--- found ---\n{found}",
        path.display(),
        line + 1
    );
}

/// All scenes of a folder of `tests/data`.
pub(crate) fn scenes(folder: &str) -> Vec<PathBuf> {
    let folder = crate_root().join("tests/data").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("data folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "scene"))
        .collect();
    paths.sort();
    paths
}

/// Runs a faultless scene for the steps it asks for.
pub(crate) fn run(text: &str) -> Simulation {
    let scene = good(text);
    let mut simulation = Simulation::new(&scene);
    let report = simulation.diagnostics().iter().map(|found| found.message.clone()).collect::<Vec<_>>();
    assert!(report.is_empty(), "{report:?}");
    simulation.run(scene.frames().unwrap_or(60));
    simulation
}

pub(crate) fn of(simulation: &Simulation, quantity: &'static str, name: &str) -> f64 {
    simulation.value(&Query::Quantity(quantity, vec![Target::Named(name.into())]))[0]
}
