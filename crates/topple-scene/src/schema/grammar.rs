//! The editor grammar (TextMate), written from the tables. `editors/scene.tmLanguage.json` is its output.

use std::fmt::Write as _;

use super::functions::{CONSTANTS, FUNCTIONS};
use super::world::{BROAD_PHASES, INTEGRATORS, NARROW_PHASES, SOLVERS};
use super::{director, forces, joints, kinds};
use crate::units::UNITS;

/// The grammar, as JSON.
#[must_use]
pub fn textmate() -> String {
    let all = || kinds().into_iter().chain(joints::KINDS).chain(forces::KINDS);
    let names = || all().flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()));
    let parameters = all()
        .flat_map(|kind| kind.params())
        .flat_map(|param| std::iter::once(param.name).chain(param.aliases.iter().copied()));
    let functions = FUNCTIONS.iter().map(|function| function.name);
    let quantities = director::QUANTITIES.iter().map(|quantity| quantity.name);
    let reductions = director::REDUCTIONS.iter().map(|(name, _)| *name);
    let constants =
        CONSTANTS.iter().map(|(name, _, _)| *name).chain(["on", "off", "yes", "no", "true", "false", "all"]);
    let statements = crate::parser::STATEMENTS.iter().copied().chain([
        "else", "in", "step", "steps", "as", "from", "until", "after", "always", "by", "finally", "within",
        "and", "or", "not",
    ]);
    let hyphenated = [INTEGRATORS, BROAD_PHASES, NARROW_PHASES, SOLVERS]
        .into_iter()
        .flatten()
        .copied()
        .filter(|name| name.contains('-'));
    let units = UNITS.iter().map(|unit| unit.name).filter(|name| *name != "%");
    let number = format!(
        r"(?<![A-Za-z0-9])(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:%|(?:{0})(?:\\^[0-9])?(?:/(?:{0})(?:\\^[0-9])?)*)?(?![A-Za-z0-9])",
        words(units)
    );
    let rules = [
        ("comment.line.scene", r"(?://|#).*$".to_string()),
        ("string.quoted.double.scene", r#"\"[^\"\\n]*\""#.to_string()),
        ("constant.numeric.scene", number),
        // Before the keywords: there is an 'and' in one of them.
        ("support.constant.scene", format!(r"\\b(?:{})\\b", words(hyphenated))),
        ("keyword.control.scene", format!(r"\\b(?:{})\\b", words(statements))),
        ("entity.name.type.scene", format!(r"\\b(?:{})\\b(?=[^{{}};]*[{{;]|\\s*$)", words(names()))),
        (
            "support.function.scene",
            format!(r"\\b(?:{})\\b(?=\\()", words(functions.chain(quantities).chain(reductions))),
        ),
        ("constant.language.scene", format!(r"\\b(?:{})\\b", words(constants))),
        ("variable.parameter.scene", format!(r"\\b(?:{})\\b", words(parameters))),
        ("keyword.operator.scene", r"[-+*/^=<>!]|\\.\\.=?".to_string()),
    ];
    let mut out =
        String::from("{\n  \"name\": \"Topple scene\",\n  \"scopeName\": \"source.topple-scene\",\n");
    out.push_str("  \"fileTypes\": [\"scene\"],\n  \"patterns\": [\n");
    for (index, (scope, pattern)) in rules.iter().enumerate() {
        let comma = if index + 1 < rules.len() { "," } else { "" };
        let _ = writeln!(out, "    {{ \"name\": \"{scope}\", \"match\": \"{pattern}\" }}{comma}");
    }
    out.push_str("  ]\n}\n");
    out
}

/// Alternatives, longest first, so that `min` does not hide `minus`.
fn words<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    names.dedup();
    names.join("|")
}
