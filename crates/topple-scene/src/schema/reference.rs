//! The reference page, written from the tables. `docs/guide/scene-reference.md` is its output; a test compares them.

use std::fmt::Write as _;

use super::functions::{COLOURS, CONSTANTS, FUNCTIONS};
use super::{Default, Dims, Family, KindInfo, Param, Range, Type, bodies, director, forces, joints, kinds};
use crate::limits::Limits;
use crate::units::{Dimension, UNITS};
use crate::value::number_text;

/// The whole page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut out = String::from(HEAD);
    let sections: [(&str, &[Family]); 6] = [
        ("World and materials", &[Family::World]),
        ("Bodies", &[Family::Shape, Family::Compound]),
        ("Groups, templates, includes", &[Family::Structure]),
        ("View", &[Family::View]),
        ("Joints", &[Family::Joint]),
        ("Forces", &[Family::Force]),
    ];
    for (title, families) in sections {
        let _ = writeln!(out, "\n## {title}\n");
        if families.contains(&Family::Shape) {
            shared_tables(&mut out);
        }
        let own: Vec<&KindInfo> = match families[0] {
            Family::Joint => joints::KINDS.iter().collect(),
            Family::Force => forces::KINDS.iter().collect(),
            _ => kinds().into_iter().filter(|kind| families.contains(&kind.family)).collect(),
        };
        for kind in own {
            kind_section(&mut out, kind);
        }
    }
    director_section(&mut out);
    expressions(&mut out);
    limits(&mut out);
    out
}

const HEAD: &str = "# Scene reference

<!-- Written from the tables in crates/topple-scene/src/schema. Do not edit: UPDATE_EXPECT=1 cargo test -p topple-scene derived -->

A scene is a list of declarations, `kind name { parameter value … }` or `kind name;`. Names are letters and digits, starting
with a letter; upper and lower case differ. Parameters are separated by white space, a colon may follow their name. Comments go
from `//` or `#` to the end of the line. A vector is numbers with commas: three in 3D, two in 2D. A list is `[a; b; c]`.
A faulty declaration is reported and skipped; the rest is simulated.

Statements besides declarations:

| statement | meaning |
|---|---|
| `const name = value` | A constant. At the top of a file it may be used before it is written. |
| `param name = value in 1..10 \"what it is\"` | A constant that `--set name=value` or `place` can change. Range and text may be left out. |
| `repeat i in 0..n { … }` | Repetition; also `0..=n`, `0..1 step 0.1`, `repeat 5 { … }`. What is named inside is called `name[i]`, in two repetitions `name[i,j]`. |
| `if condition { … } else { … }` | Only one of the two. |
| `at 5s { … }`, `at 300 steps { … }` | Happens once, at a time or step. |
| `every 20 steps as k from 0s until 10s { … }` | Happens again and again; `k` counts from 0. `as`, `from` and `until` may be left out. |
| `when condition { … }` | Happens once, as soon as the condition holds. |
| `expect after 10s \"why\" { condition; condition }` | A statement about the outcome; also `expect always`, `expect from 1s until 2s`, `expect by 3s` (at some time until then), `expect finally` (at the end). |
";

/// Tables that all bodies share, shown once.
const SHARED: &[(&str, &[Param])] = &[
    ("Pose", bodies::POSE),
    ("Motion", bodies::MOTION),
    ("Material", bodies::MATERIAL),
    ("Surface", bodies::SURFACE),
    ("Collision filter", bodies::FILTER),
    ("Look", bodies::LOOK),
];

fn shared_tables(out: &mut String) {
    out.push_str("Every body has these parameters besides its own. A shape inside `body` has all but those of motion.\n");
    for (title, rows) in SHARED {
        let _ = writeln!(out, "\n**{title}**\n");
        table(out, rows.iter(), &[]);
    }
}

fn kind_section(out: &mut String, kind: &KindInfo) {
    let head = match kind.family {
        Family::Joint => "joint ",
        Family::Force => "force ",
        _ => "",
    };
    if matches!((kind.family, kind.name), (Family::Joint, "joint") | (Family::Force, "force")) {
        return;
    }
    let _ = writeln!(out, "\n### `{head}{}`\n", kind.name);
    let _ = write!(out, "{}", kind.doc);
    if !kind.aliases.is_empty() {
        let names: Vec<_> = kind.aliases.iter().map(|name| format!("`{head}{name}`")).collect();
        let _ = write!(out, " Also written {}.", names.join(", "));
    }
    match kind.dims {
        Dims::Two => out.push_str(" 2D only."),
        Dims::Three => out.push_str(" 3D only."),
        Dims::Both => {}
    }
    let _ = write!(out, "\n\n```scene\n{}\n```\n", kind.example);
    let own: Vec<&Param> = kind
        .tables
        .iter()
        .filter(|table| kind.family != Family::Shape && kind.family != Family::Compound || !is_shared(table))
        .flat_map(|table| table.iter())
        .chain(if kind.takes_settings { super::world::settings() } else { &[] })
        .collect();
    if !own.is_empty() {
        out.push('\n');
        table(out, own.into_iter(), kind.seed_required);
    }
    if !kind.seed_required.is_empty() {
        let names: Vec<_> = kind.seed_required.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "\nA scene without `world` must give {}.", names.join(", "));
    }
}

fn is_shared(table: &[Param]) -> bool {
    SHARED.iter().any(|(_, rows)| std::ptr::eq(rows.as_ptr(), table.as_ptr()))
        || SHARED.iter().any(|(_, rows)| rows.len() == table.len() && rows[0].name == table[0].name)
}

fn table<'a>(out: &mut String, rows: impl Iterator<Item = &'a Param>, _seed: &[&str]) {
    out.push_str("| parameter | value | default | meaning |\n|---|---|---|---|\n");
    for row in rows {
        let mut name = format!("`{}`", row.name);
        for alias in row.aliases {
            let _ = write!(name, ", `{alias}`");
        }
        let dims = match row.dims {
            Dims::Two => " 2D only.",
            Dims::Three => " 3D only.",
            Dims::Both => "",
        };
        let _ = writeln!(out, "| {name} | {} | {} | {}{dims} |", value(row), default(row), row.doc);
    }
}

fn value(row: &Param) -> String {
    let mut text = match row.kind {
        Type::Number => String::from("number"),
        Type::Integer => String::from("whole number"),
        Type::Vector => String::from("vector"),
        Type::Spin => String::from("number in 2D, vector in 3D"),
        Type::Pair => String::from("two numbers"),
        Type::Quaternion => String::from("four numbers"),
        Type::Flag => String::from("flag"),
        Type::Text => String::from("text"),
        Type::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Type::Words(words) => format!("words in quotes: {}", words.join(", ")),
        Type::Colour => String::from("colour"),
        Type::Body => String::from("body"),
        Type::Targets => String::from("bodies"),
        Type::Material => String::from("material"),
        Type::Points => String::from("list of points"),
        Type::Numbers => String::from("numbers"),
        Type::Rows => String::from("list of numbers, or of rows of them"),
        Type::Any => String::from("any"),
    };
    if row.unit != Dimension::NONE {
        let other = row.other_unit.map_or_else(String::new, |unit| format!(" or {}", unit.symbol()));
        let _ = write!(text, " [{}{other}]", row.unit.symbol());
    }
    match row.range {
        Range::Any => {}
        Range::Positive => text.push_str(" > 0"),
        Range::NotNegative => text.push_str(" ≥ 0"),
        Range::Fraction => text.push_str(", 0 to 1"),
        Range::NonZero => text.push_str(", not zero"),
        Range::Between(low, high) => {
            let _ = write!(text, ", {} to {}", number_text(low), number_text(high));
        }
        Range::Ordered => text.push_str(", the smaller first"),
        Range::Engine(allowed) => {
            let _ = write!(text, ", {allowed}");
        }
        Range::AtLeast(count) => {
            let _ = write!(text, ", at least {count}");
        }
    }
    text
}

fn default(row: &Param) -> String {
    match row.default {
        Default::None("") => String::from("**required**"),
        Default::None(text) => text.to_string(),
        Default::Number(number) => number_text(number),
        Default::Vector(vector) => vector.map(number_text).join(","),
        Default::Word(word) => format!("`{word}`"),
        Default::Flag(flag) => String::from(if flag { "on" } else { "off" }),
    }
}

fn director_section(out: &mut String) {
    out.push_str("\n## The director\n\n");
    out.push_str(
        "In an event, a body, joint or force is added when it happens. What `every` adds is called `name[k]`. The other actions:\n",
    );
    for kind in director::KINDS {
        if kind.name == "set" {
            let _ = writeln!(
                out,
                "\n### `set`\n\n{} All parameters of `world`.\n\n```scene\n{}\n```",
                kind.doc, kind.example
            );
        } else {
            kind_section(out, kind);
        }
    }
    out.push_str("\n## Quantities of the run\n\n");
    out.push_str(
        "In `expect` and `when`. Of several bodies (a group, a repeated name, `all`) a quantity is a list: a comparison holds if there is \
         an element and it holds for every one. `a == b within 1%` or `within 0.1` allows a difference.\n\n",
    );
    out.push_str("| quantity | unit | meaning |\n|---|---|---|\n");
    for quantity in director::QUANTITIES {
        let arguments = quantity.of.arguments();
        let _ = writeln!(out, "| `{}{arguments}` | {} | {} |", quantity.name, quantity.unit, quantity.doc);
    }
    out.push_str("\n| of a list | meaning |\n|---|---|\n");
    for (name, doc) in director::REDUCTIONS {
        let _ = writeln!(out, "| `{name}(…)` | {doc} |");
    }
}

fn expressions(out: &mut String) {
    out.push_str(
        "\n## Expressions\n\nOperators, loosest first: `or`, `and`, `not`, comparisons, `+ -`, `* /`, sign, `^`. The comma that \
         makes vectors is looser than all of them.\n\n| function | meaning |\n|---|---|\n",
    );
    for function in FUNCTIONS {
        let _ = writeln!(out, "| `{}({})` | {} |", function.name, function.arguments, function.doc);
    }
    out.push_str("\n| constant | value | meaning |\n|---|---|---|\n");
    for (name, value, doc) in CONSTANTS {
        let _ = writeln!(out, "| `{name}` | {} | {doc} |", number_text(*value));
    }
    out.push_str(
        "\nRandom numbers belong to their place: they depend on the scene's `seed`, the declaration, the repetition and the \
         parameter, and on nothing else in the file.\n",
    );
    out.push_str(
        "\n### Units\n\nA unit is glued to its number: `5cm`, `9.8m/s^2`. Everything is SI inside.\n\n",
    );
    out.push_str("| unit | is | measures |\n|---|---|---|\n");
    for unit in UNITS {
        let measures = if unit.name == "%" { String::from("a share") } else { unit.dimension.describe() };
        let _ = writeln!(out, "| `{}` | {} | {measures} |", unit.name, number_text(unit.factor));
    }
    let names: Vec<_> = COLOURS.iter().map(|(name, _)| format!("`{name}`")).collect();
    let _ = writeln!(
        out,
        "\n### Colours\n\nThree numbers from 0 to 1, `\"#rrggbb\"`, or one of {}.",
        names.join(", ")
    );
}

fn limits(out: &mut String) {
    out.push_str(
        "\n## Limits\n\nPassing one is an ordinary error.\n\n| limit | value | of |\n|---|---|---|\n",
    );
    for (name, value, doc) in Limits::default().table() {
        let _ = writeln!(out, "| {name} | {value} | {doc} |");
    }
}
