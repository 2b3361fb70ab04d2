//! Random numbers that belong to their place.
//!
//! A draw is a pure function of: the scene's seed; the place of the declaration (its groups, kind and name; for an
//! unnamed one its own random parameters and, among equals, its number); the values of the repetitions around it; the
//! name of the parameter; and how many draws that parameter has made before. So nothing changes when something else in
//! the file does, when parameters are re-ordered, or when a repetition gets longer.

use std::collections::HashMap;

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::ast::{Argument, Declaration, Element, Event, Expr, ExprKind, Item, Range};
use crate::print;
use crate::schema::functions;
use crate::span::{FileId, Span};

/// Keys of the places that draw, by file and first byte.
pub(crate) type Sites = HashMap<(FileId, u32), u64>;

/// Mixes a number into a key: one round of the SplitMix64 finaliser over their combination.
#[must_use]
pub(crate) fn mix(key: u64, value: u64) -> u64 {
    let mut z = key.rotate_left(23) ^ value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Mixes a text into a key (FNV-1a, then [`mix`]).
#[must_use]
pub(crate) fn mix_text(key: u64, text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(key, hash)
}

/// Two numbers in [0, 1) for a key.
#[must_use]
pub(crate) fn pair(key: u64) -> (f64, f64) {
    let mut generator = Pcg64Mcg::seed_from_u64(key);
    let mut next = || (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (next(), next())
}

/// Where the evaluator is, for draws.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Seed, templates, includes and repetitions around.
    pub context: u64,
    /// The statement.
    pub site: (FileId, u32),
    /// The parameter.
    pub parameter: u64,
    /// Draws of that parameter so far.
    pub calls: u64,
}

/// Finds the keys of all places in a file that draw, and of all that open a new context.
pub(crate) fn find_sites(items: &[Item], sites: &mut Sites) {
    let mut finder = Finder { sites, seen: HashMap::new() };
    finder.items(items, 0);
}

struct Finder<'a> {
    sites: &'a mut Sites,
    seen: HashMap<u64, u64>,
}

impl Finder<'_> {
    fn items(&mut self, items: &[Item], path: u64) {
        for item in items {
            self.item(item, path);
        }
    }

    fn item(&mut self, item: &Item, path: u64) {
        match item {
            Item::Declaration(declaration) => self.declaration(declaration, path),
            Item::Constant(constant) => {
                if draws(&constant.value) {
                    self.add(constant.name.span, mix_text(mix(path, 1), &constant.name.text));
                }
            }
            Item::Parameter(parameter) => {
                if draws(&parameter.value) {
                    self.add(parameter.name.span, mix_text(mix(path, 1), &parameter.name.text));
                }
            }
            Item::Repeat(repeat) => {
                let variable = repeat.variable.as_ref().map_or("", |word| word.text.as_str());
                let inner = mix_text(mix(path, 2), variable);
                if range_draws(&repeat.range) {
                    self.add(repeat.span, inner);
                }
                self.items(&repeat.items, inner);
            }
            Item::If(branch) => {
                if draws(&branch.condition) {
                    self.add(
                        branch.condition.span,
                        mix_text(mix(path, 3), &print::expression(&branch.condition)),
                    );
                }
                self.items(&branch.then, path);
                self.items(&branch.otherwise, mix(path, 4));
            }
            Item::Event(event) => self.event(event, path),
            Item::Expectation(_) => {}
        }
    }

    fn event(&mut self, event: &Event, path: u64) {
        let text = print::schedule(&event.schedule);
        let key = mix_text(mix(path, 5), &text);
        self.add(event.span, key);
        self.items(&event.items, key);
    }

    fn declaration(&mut self, declaration: &Declaration, path: u64) {
        let kind = declaration.kind.text.as_str();
        let mut own = mix_text(path, kind);
        for word in &declaration.head {
            own = mix_text(own, &print::expression(word));
        }
        let named = !declaration.head.is_empty();
        let opens = matches!(kind, "place" | "include");
        let random = |argument: &&Argument| argument.value.as_ref().is_some_and(draws);
        let drawing = declaration.parameters.iter().any(|argument| random(&argument));
        if drawing || opens {
            let mut key = own;
            if !named || opens {
                let parameters = declaration.parameters.iter().filter(|argument| opens || random(argument));
                for argument in parameters {
                    key = mix_text(key, &argument.name.text);
                    if let Some(value) = &argument.value {
                        key = mix_text(key, &print::expression(value));
                    }
                }
            }
            self.add(declaration.span, key);
        }
        if !declaration.items.is_empty() {
            self.items(&declaration.items, own);
        }
    }

    /// Equal places are told apart by their number.
    fn add(&mut self, span: Span, key: u64) {
        let count = self.seen.entry(key).or_insert(0);
        let key = mix(key, *count);
        *count += 1;
        self.sites.insert((span.file, span.start), key);
    }
}

fn range_draws(range: &Range) -> bool {
    draws(&range.from) || draws(&range.to) || range.step.as_ref().is_some_and(draws)
}

/// Whether an expression draws random numbers.
pub(crate) fn draws(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(name, arguments) => functions::is_random(&name.text) || arguments.iter().any(draws),
        ExprKind::Unary(_, operand) => draws(operand),
        ExprKind::Binary(_, operands) => draws(&operands.0) || draws(&operands.1),
        ExprKind::Within(three) => draws(&three.0) || draws(&three.1) || draws(&three.2),
        ExprKind::Vector(parts) => parts.iter().any(draws),
        ExprKind::List(elements) => elements.iter().any(element_draws),
        ExprKind::Path(segments) => segments.iter().flat_map(|segment| &segment.indices).any(draws),
        _ => false,
    }
}

fn element_draws(element: &Element) -> bool {
    match element {
        Element::One(expr) => draws(expr),
        Element::For(_, range, inner) => range_draws(range) || element_draws(inner),
    }
}
