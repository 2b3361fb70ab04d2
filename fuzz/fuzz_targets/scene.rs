//! Any text through the scene language: load, report, print, load again, fire every event.
#![no_main]

use libfuzzer_sys::fuzz_target;
use topple_scene::limits::Limits;
use topple_scene::{Expander, Options, load, print};

fuzz_target!(|text: &str| {
    // Small bounds: the fuzzer should look for faults, not wait for large scenes.
    let limits = Limits {
        repetitions: 2_000,
        declarations: 1_000,
        work: 100_000,
        list_elements: 5_000,
        ..Limits::default()
    };
    let loaded = load(text, Options { limits: limits.clone(), ..Options::default() });
    let _ = loaded.report(false);
    let printed = print::scene(&loaded.scene);
    if loaded.diagnostics.errors() == 0 {
        let mut again = load(&printed, Options::default());
        assert_eq!(again.diagnostics.errors(), 0, "{printed}\n{}", again.report(false));
        again.scene.world.declared = loaded.scene.world.declared;
        assert_eq!(again.scene, loaded.scene, "{printed}");
    }
    let mut expander = Expander::new(&loaded.scene, limits);
    for event in loaded.scene.events.iter().take(10) {
        let _ = expander.fire(event, 0);
        let _ = expander.fire(event, 1);
    }
});
