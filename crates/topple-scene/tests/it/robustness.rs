//! Whatever the text: no panic, bounded time and memory, an explanation.

use proptest::prelude::*;
use topple_scene::limits::Limits;
use topple_scene::{Expander, Options, load, print};

use crate::support::faults;

/// Small bounds, so that random programs end soon.
fn tight() -> Limits {
    Limits {
        repetitions: 2_000,
        declarations: 1_000,
        work: 100_000,
        list_elements: 5_000,
        ..Limits::default()
    }
}

/// Loads, renders, prints, fires: every path that a user's text can reach.
fn survive(text: &str) {
    let loaded = load(text, Options { limits: tight(), ..Options::default() });
    let report = loaded.report(false);
    assert_eq!(loaded.diagnostics.is_empty(), report.is_empty());
    let _ = print::scene(&loaded.scene);
    let mut expander = Expander::new(&loaded.scene, tight());
    for event in &loaded.scene.events {
        for occurrence in 0..3 {
            let _ = expander.fire(event, occurrence);
        }
    }
}

/// Words and marks of the language, thrown together.
fn soup() -> impl Strategy<Value = String> {
    let words = [
        "sphere",
        "box",
        "wall",
        "body",
        "group",
        "joint",
        "hinge",
        "force",
        "wind",
        "world",
        "dimension",
        "repeat",
        "for",
        "in",
        "if",
        "else",
        "const",
        "param",
        "at",
        "every",
        "steps",
        "when",
        "expect",
        "after",
        "always",
        "template",
        "place",
        "include",
        "material",
        "static",
        "radius",
        "mass",
        "centre",
        "size",
        "vel",
        "points",
        "a",
        "b",
        "i",
        "n",
        "all",
        "y",
        "uniform",
        "sin",
        "not",
        "and",
        "within",
        "stop",
        "remove",
        "push",
        "{",
        "}",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ":",
        ",",
        ".",
        "..",
        "..=",
        "+",
        "-",
        "*",
        "/",
        "^",
        "=",
        "==",
        "<",
        "0",
        "1",
        "2.5",
        "3cm",
        "5s",
        "30deg",
        "2%",
        "1e9",
        "\"text\"",
        "\"",
        "#c\n",
        "\n",
        "_",
        "é",
        "\u{0}",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..80).prop_map(|words| words.join(" "))
}

/// A good scene with some of its characters changed.
fn damaged() -> impl Strategy<Value = String> {
    let source = include_str!("../data/ok/director.scene");
    prop::collection::vec((0..source.len(), any::<u8>(), 0usize..20), 1..6).prop_map(move |edits| {
        let mut bytes = source.as_bytes().to_vec();
        for (at, byte, removed) in edits {
            let at = at.min(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, [byte]);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}") {
        survive(&text);
    }

    #[test]
    fn any_words_are_survived(text in soup()) {
        survive(&text);
    }

    #[test]
    fn a_damaged_scene_is_survived(text in damaged()) {
        survive(&text);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let blocks = format!("{}{}", "group { ".repeat(5000), "} ".repeat(5000));
    assert!(faults(&blocks).contains("too-deep"));
    let brackets = format!("const a = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(faults(&brackets).contains("too-deep"));
    let sums = format!("const a = 1{}", " + 1".repeat(100_000));
    assert!(faults(&sums).contains("too-deep"));
    let signs = format!("const a = {}1", "-".repeat(100_001));
    assert!(faults(&signs).is_empty());
    let nots = format!("const a = {}1", "not ".repeat(100_000));
    assert!(faults(&nots).contains("too-deep"));
    let lists = format!("const a = {}1{}", "[".repeat(5000), "]".repeat(5000));
    assert!(faults(&lists).contains("too-deep"));
    let powers = format!("const a = 1{}", "^1".repeat(5000));
    assert!(faults(&powers).contains("too-deep"));
    let elses = format!("if 1 == 2 {{ }} {}", "else if 1 == 2 { } ".repeat(5000));
    assert!(faults(&elses).contains("too-deep"));
}

#[test]
fn endless_work_is_refused() {
    assert!(faults("repeat i in 0..1e9 { repeat j in 0..1e9 { } }").contains("too-many-repetitions"));
    assert!(faults("repeat i in 0..3e3 { repeat j in 0..3e3 { } }").contains("too-many-repetitions"));
    assert!(faults("const a = [for i in 0..1e7: i]").contains("too-many-repetitions"));
    let many = "world { } repeat 2000 { repeat 1000 { sphere { radius 1 } } }";
    assert!(faults(many).contains("too-many-declarations"));
    assert!(faults("template t { place t; } place t;").contains("too-deep"));
    let chain: String = (0..5000).map(|i| format!("const a{i} = a{}\n", i + 1)).collect();
    assert!(faults(&chain).contains("too-deep"));
    let copies = "const a = [for i in 0..1e3: i] repeat 1000 { const b = a }";
    let loaded = load(copies, Options { limits: tight(), ..Options::default() });
    assert!(loaded.report(false).contains("too-many-elements"));
    assert!(faults("const a = [1; 2] const b = [a; a]").contains("a list cannot hold a list"));
}

#[test]
fn too_much_text_is_refused() {
    let limits = Limits { source_bytes: 100, ..Limits::default() };
    let text = "sphere { radius 1 mass 1 centre 0,0,0 }\n".repeat(10);
    let loaded = load(&text, Options { limits, ..Options::default() });
    assert!(loaded.report(false).contains("too-large"));
}

#[test]
fn a_thousand_faults_are_counted_not_kept() {
    let text = "nonsense { }\n".repeat(2000);
    let loaded = load(&text, Options::default());
    assert_eq!(loaded.diagnostics.errors(), 2000);
    assert_eq!(loaded.diagnostics.iter().count(), 500);
    assert!(loaded.report(false).contains("and 1500 more"));
}

#[test]
fn an_endless_line_is_not_printed_whole() {
    let text = "nonsense { a 1 } ".repeat(10_000);
    let loaded = load(&text, Options::default());
    let report = loaded.report(false);
    assert!(report.len() < 200_000, "{} bytes", report.len());
    assert!(report.contains("there is no declaration 'nonsense'"));
}
