//! `tests/data/ok/*.scene` with what they mean, `tests/data/err/*.scene` with what is said about them.

use topple_scene::print;
use topple_scene::run::Simulation;

use crate::support::{expect_file, load_file, scenes};

#[test]
fn good_scenes_mean_what_they_did() {
    for path in scenes("ok") {
        let loaded = load_file(&path);
        assert_eq!(loaded.diagnostics.errors(), 0, "{}\n{}", path.display(), loaded.report(false));
        expect_file(&path.with_extension("expected"), &print::scene(&loaded.scene));
    }
}

#[test]
fn bad_scenes_are_explained() {
    for path in scenes("err") {
        let loaded = load_file(&path);
        let left = print::scene(&loaded.scene);
        let simulation = Simulation::new(&loaded.scene);
        let refused = simulation.diagnostics();
        assert!(loaded.diagnostics.errors() + refused.errors() > 0, "{} has no errors", path.display());
        let mut found = format!("{}---- what is left ----\n{left}", loaded.report(false));
        if !refused.is_empty() {
            let refused = refused.render(&loaded.sources, false);
            found.push_str(&format!("---- what the engine refuses ----\n{refused}"));
        }
        expect_file(&path.with_extension("expected"), &found);
    }
}
