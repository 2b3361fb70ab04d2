//! `tests/data/ok/*.scene` with what they mean, `tests/data/err/*.scene` with what is said about them.

use topple_scene::print;

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
        assert!(loaded.diagnostics.errors() > 0, "{} has no errors", path.display());
        let left = print::scene(&loaded.scene);
        let found = format!("{}---- what is left ----\n{left}", loaded.report(false));
        expect_file(&path.with_extension("expected"), &found);
    }
}
