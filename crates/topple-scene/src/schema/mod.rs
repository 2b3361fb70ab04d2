//! The tables of the language: every kind of declaration with its parameters, every function and quantity.
//!
//! The checker, the reference page and the editor grammar are all derived from these tables, so that none of them
//! can say something else than the others. To add a parameter, add a row; to add a kind, add a table.

pub mod bodies;
pub mod director;
pub mod forces;
pub mod functions;
pub mod grammar;
pub mod joints;
pub mod reference;
pub mod view;
pub mod world;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::units::Dimension;

/// In which worlds something exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// Two-dimensional only.
    Two,
    /// Three-dimensional only.
    Three,
    /// Both.
    Both,
}

impl Dims {
    /// Whether it exists in a world of this many dimensions.
    #[must_use]
    pub fn has(self, dimension: u8) -> bool {
        match self {
            Self::Two => dimension == 2,
            Self::Three => dimension == 3,
            Self::Both => true,
        }
    }
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Two numbers in 2D, three in 3D.
    Vector,
    /// A rotation vector: one number in 2D, three in 3D.
    Spin,
    /// Two numbers, lower and upper.
    Pair,
    /// Four numbers x, y, z, w.
    Quaternion,
    /// On if present; `on`, `off` or a condition in parentheses may follow.
    Flag,
    /// Text in double quotes.
    Text,
    /// One of these words, with or without quotes.
    Word(&'static [&'static str]),
    /// Several of these words, in quotes, separated by spaces.
    Words(&'static [&'static str]),
    /// Three numbers from 0 to 1, a colour name, or `"#rrggbb"`.
    Colour,
    /// The name of a body.
    Body,
    /// Names of bodies, groups or repeated bodies; `all`.
    Targets,
    /// The name of a material.
    Material,
    /// A list of points.
    Points,
    /// A list of numbers.
    Numbers,
    /// A list of numbers, or of rows of them.
    Rows,
    /// Any value.
    Any,
}

/// Which values are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Every finite value.
    Any,
    /// Above 0 (every component).
    Positive,
    /// 0 or above (every component).
    NotNegative,
    /// From 0 to 1, both included (every component).
    Fraction,
    /// Not the zero vector.
    NonZero,
    /// Between two numbers, both included.
    Between(f64, f64),
    /// Lower not above upper.
    Ordered,
    /// At least so many elements.
    AtLeast(usize),
    /// As the engine says, in its words; it checks the value itself.
    Engine(&'static str),
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// There is none; the text says what happens, empty for a required parameter.
    None(&'static str),
    /// A number.
    Number(f64),
    /// A vector; the first two components in 2D.
    Vector([f64; 3]),
    /// A word.
    Word(&'static str),
    /// A flag.
    Flag(bool),
}

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it holds.
    pub kind: Type,
    /// Whether a declaration without it is faulty.
    pub required: bool,
    /// Allowed values.
    pub range: Range,
    /// Value when absent.
    pub default: Default,
    /// Physical dimension.
    pub unit: Dimension,
    /// The other dimension it may have: what turns in one case slides in the other.
    pub other_unit: Option<Dimension>,
    /// In which worlds.
    pub dims: Dims,
    /// One line.
    pub doc: &'static str,
}

/// A row; the `const fn` methods below refine it.
pub(crate) const fn p(name: &'static str, kind: Type, unit: Dimension, doc: &'static str) -> Param {
    Param {
        name,
        aliases: &[],
        kind,
        required: false,
        range: Range::Any,
        default: Default::None("none"),
        unit,
        other_unit: None,
        dims: Dims::Both,
        doc,
    }
}

impl Param {
    pub(crate) const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(crate) const fn range(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self.default = Default::None("");
        self
    }

    pub(crate) const fn or(mut self, default: Default) -> Self {
        self.default = default;
        self
    }

    pub(crate) const fn or_unit(mut self, unit: Dimension) -> Self {
        self.other_unit = Some(unit);
        self
    }

    pub(crate) const fn only(mut self, dims: Dims) -> Self {
        self.dims = dims;
        self
    }

    /// Whether the name is this row's.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Which part of the language a kind belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The world and materials.
    World,
    /// A shape that is a body of its own, or a part of a compound.
    Shape,
    /// A compound body.
    Compound,
    /// `joint …`.
    Joint,
    /// `force …`.
    Force,
    /// Camera, light, background.
    View,
    /// Groups, templates, includes.
    Structure,
    /// What the director does.
    Action,
}

/// A kind of declaration.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The word.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// Which part of the language.
    pub family: Family,
    /// In which worlds.
    pub dims: Dims,
    /// Rows, in groups that several kinds share.
    pub tables: &'static [&'static [Param]],
    /// Whether the settings of the engine are parameters of it too.
    pub takes_settings: bool,
    /// Parameters that a scene without a `world` declaration must give, as in the seed.
    pub seed_required: &'static [&'static str],
    /// One or two sentences.
    pub doc: &'static str,
    /// A line that works.
    pub example: &'static str,
}

/// A kind; refined by struct update in the tables.
pub(crate) const fn k(
    name: &'static str,
    family: Family,
    tables: &'static [&'static [Param]],
    doc: &'static str,
    example: &'static str,
) -> KindInfo {
    KindInfo {
        name,
        aliases: &[],
        family,
        dims: Dims::Both,
        tables,
        takes_settings: false,
        seed_required: &[],
        doc,
        example,
    }
}

impl KindInfo {
    /// All rows.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> + use<> {
        let settings = if self.takes_settings { world::settings() } else { &[] };
        self.tables.iter().flat_map(|table| table.iter()).chain(settings)
    }

    /// The row of a name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params().find(|param| param.is(name))
    }

    /// Whether declarations may stand in its braces.
    #[must_use]
    pub fn holds_items(&self) -> bool {
        matches!(self.family, Family::Compound | Family::Structure)
    }

    /// Whether it may stand without braces or `;`.
    #[must_use]
    pub fn may_be_bare(&self) -> bool {
        matches!(self.name, "include" | "stop" | "remove" | "wake" | "unmerge")
    }
}

/// Every list of kinds that can start a declaration.
#[must_use]
pub fn kinds() -> Vec<&'static KindInfo> {
    [world::KINDS, bodies::KINDS, HEADS, view::KINDS, STRUCTURE, director::KINDS]
        .into_iter()
        .flatten()
        .collect()
}

/// `joint` and `force`: the second word says which table holds.
const HEADS: &[KindInfo] = &[
    k(
        "joint",
        Family::Joint,
        &[],
        "A joint; the next word says which.",
        "joint hinge { a door  b frame  at 0,1 }",
    ),
    k(
        "force",
        Family::Force,
        &[],
        "A force generator; the next word says which.",
        "force wind { velocity 3,0,0 }",
    ),
];

/// Groups, templates, includes.
const STRUCTURE: &[KindInfo] = &[
    k(
        "group",
        Family::Structure,
        &[bodies::PLACE],
        "Declarations placed together: the pose moves all of them, the name is a prefix of theirs.",
        "group left { at -3,0,0  angle 20deg  sphere ball { radius 1  mass 1  centre 0,0,0 } }",
    ),
    k(
        "template",
        Family::Structure,
        &[],
        "A named block that is used by `place`. Its `param` lines can be set at each use.",
        "template post { param h = 2  box { size 0.2, h, 0.2  centre 0, h/2, 0 } }",
    ),
    k(
        "place",
        Family::Structure,
        &[bodies::PLACE],
        "Uses a template: `place template name`, with a pose and values for its parameters.",
        "place post first { at 1,0,0  h 3 }",
    ),
    k(
        "include",
        Family::Structure,
        &[bodies::PLACE],
        "Reads another file here, placed by a pose; with `as name` it is a group.",
        "include \"car.scene\" as car { at 0,1,0 }",
    ),
];

static KIND_INDEX: LazyLock<HashMap<&'static str, &'static KindInfo>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for kind in kinds() {
        for name in std::iter::once(&kind.name).chain(kind.aliases) {
            index.insert(*name, kind);
        }
    }
    index
});

static FLAGS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let all = kinds().into_iter().chain(joints::KINDS).chain(forces::KINDS);
    let flags = all.flat_map(KindInfo::params).filter(|param| param.kind == Type::Flag);
    flags.flat_map(|param| std::iter::once(param.name).chain(param.aliases.iter().copied())).collect()
});

/// The kind of a word.
#[must_use]
pub fn kind(word: &str) -> Option<&'static KindInfo> {
    KIND_INDEX.get(word).copied()
}

/// The names of all kinds, for suggestions.
pub fn kind_names() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()))
}

/// Whether a word is a flag wherever it is a parameter.
#[must_use]
pub fn is_flag(word: &str) -> bool {
    FLAGS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_kind() -> Vec<&'static KindInfo> {
        kinds().into_iter().chain(joints::KINDS).chain(forces::KINDS).collect()
    }

    #[test]
    fn a_flag_is_a_flag_in_every_table() {
        for kind in every_kind() {
            for param in kind.params() {
                assert_eq!(param.kind == Type::Flag, is_flag(param.name), "{} of {}", param.name, kind.name);
            }
        }
    }

    #[test]
    fn names_in_one_kind_are_unique_and_lexable() {
        for kind in every_kind() {
            let mut seen = HashSet::new();
            for param in kind.params() {
                for name in std::iter::once(&param.name).chain(param.aliases) {
                    assert!(seen.insert(*name), "{name} twice in {}", kind.name);
                    assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
                }
                assert!(param.doc.ends_with('.'), "{} of {}: {}", param.name, kind.name, param.doc);
            }
        }
    }

    #[test]
    fn seed_requirements_name_rows() {
        for kind in every_kind() {
            for name in kind.seed_required {
                assert!(kind.param(name).is_some(), "{name} of {}", kind.name);
            }
        }
    }
}
