//! Names and references.
//!
//! A full name is the path of groups, each step with the values of the repetitions it was made in:
//! `tower[2].brick[0,3]`. A reference is looked up from the inside out: in the group and repetition it is written in,
//! then in what is around. Names may be used before they are declared, so look-up waits until everything is known.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use smol_str::SmolStr;

use super::{Evaluator, Reported};
use crate::ast::{Expr, ExprKind};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::Target;
use crate::span::Span;
use crate::value::number_text;

/// Longest full name [bytes].
const MAX_NAME: usize = 500;

/// Most names that are searched for a similar one: with more of them advice takes too long.
const MAX_ADVICE: usize = 20_000;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Body,
    Joint,
    Force,
    Camera,
}

impl Named {
    /// For messages.
    fn word(self) -> &'static str {
        match self {
            Self::Body => "a body",
            Self::Joint => "a joint",
            Self::Force => "a force",
            Self::Camera => "a camera",
        }
    }
}

/// What most references mean.
pub(crate) const BODIES: &[Named] = &[Named::Body];

/// A group being written, or the scene itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    /// Full name of the group with a final dot; empty for the scene.
    pub prefix: String,
    /// Values of the repetitions since the group began.
    pub loops: Vec<f64>,
}

/// A reference: the full names it may mean, best first.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub candidates: Vec<SmolStr>,
    pub span: Span,
}

/// Some bodies.
#[derive(Clone, Debug)]
pub(crate) enum TargetRef {
    All,
    Some(Reference),
}

/// All names so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    known: HashMap<SmolStr, (Named, Span)>,
    /// Names of groups, and of repeated things without their indices.
    sets: HashSet<SmolStr>,
    /// Names of faulty declarations and their shortenings: what refers to them is skipped without another word.
    faulty: HashSet<SmolStr>,
    /// The places of faulty declarations that have a name.
    lost: HashMap<SmolStr, Span>,
}

/// A name without its last indices or step, and so on to the first word.
fn shortenings(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(['[', '.']).map(move |(at, _)| &name[..at])
}

impl Names {
    /// Registers a name; the place of the first if it is taken.
    pub(crate) fn add(&mut self, name: &SmolStr, kind: Named, span: Span) -> Result<(), Span> {
        if let Some((_, first)) = self.known.get(name) {
            return Err(*first);
        }
        self.add_set(name);
        self.known.insert(name.clone(), (kind, span));
        Ok(())
    }

    /// Registers every shortening of a name, and a group's name itself.
    pub(crate) fn add_set(&mut self, name: &str) {
        for shorter in shortenings(name) {
            if !self.sets.contains(shorter) {
                self.sets.insert(SmolStr::new(shorter));
            }
        }
    }

    pub(crate) fn add_group(&mut self, name: &str) {
        self.add_set(name);
        self.sets.insert(SmolStr::new(name));
    }

    /// Registers a name whose declaration is faulty.
    pub(crate) fn add_faulty(&mut self, name: &str) {
        self.faulty.extend(shortenings(name).chain([name]).map(SmolStr::new));
    }

    /// All of them, in order.
    pub(crate) fn faulty(&self) -> Vec<SmolStr> {
        let mut names: Vec<_> = self.faulty.iter().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether this is the name of a faulty declaration.
    pub(crate) fn is_faulty(&self, name: &str) -> bool {
        self.faulty.contains(name)
    }

    /// Whether a reference could mean something that was declared, but faultily.
    fn is_lost(&self, reference: &Reference) -> bool {
        !self.faulty.is_empty()
            && reference.candidates.iter().any(|name| {
                self.faulty.contains(name) || shortenings(name).any(|group| self.faulty.contains(group))
            })
    }

    fn find(&self, name: &str) -> Option<Named> {
        self.known.get(name).map(|(kind, _)| *kind)
    }

    fn nearest(&self, name: &str, kinds: &[Named]) -> Option<&str> {
        if self.known.len() + self.sets.len() > MAX_ADVICE {
            return None;
        }
        // The map has no order: sort, so that the same scene gives the same advice.
        let mut known: Vec<&str> = self
            .known
            .iter()
            .filter(|(_, (kind, _))| kinds.contains(kind))
            .map(|(name, _)| name.as_str())
            .chain(self.sets.iter().map(SmolStr::as_str))
            .collect();
        known.sort_unstable();
        nearest(name, known)
    }
}

fn taken(name: &str, first: Span, span: Span) -> Diagnostic {
    let error = Diagnostic::error("duplicate-name", span, format!("'{name}' is declared twice"));
    if first.key() == span.key() { error } else { error.related(first, "first here") }
}

/// `[1,2]`, or nothing.
pub(crate) fn write_indices(name: &mut String, first: &[f64], second: &[f64]) {
    if first.is_empty() && second.is_empty() {
        return;
    }
    for (index, value) in first.iter().chain(second).enumerate() {
        let _ = write!(name, "{}{}", if index == 0 { '[' } else { ',' }, number_text(*value));
    }
    name.push(']');
}

impl Evaluator<'_> {
    /// The full name of something declared here.
    pub(crate) fn full_name(&self, name: &str) -> SmolStr {
        let Some(level) = self.levels.last() else { return SmolStr::new(name) };
        if level.prefix.is_empty() && level.loops.is_empty() {
            return SmolStr::new(name);
        }
        let mut full = level.prefix.clone();
        full.push_str(name);
        write_indices(&mut full, &level.loops, &[]);
        SmolStr::from(full)
    }

    /// The full name of the group being written.
    pub(crate) fn group_name(&self) -> Option<SmolStr> {
        let prefix = self.levels.last().map_or("", |level| level.prefix.as_str());
        prefix.strip_suffix('.').map(SmolStr::new)
    }

    /// Registers a name, or reports that it is taken.
    pub(crate) fn declare(&mut self, name: &SmolStr, kind: Named, span: Span) -> Result<(), Reported> {
        if name.as_str() == "all" {
            return Err(self.fail(Diagnostic::error(
                "name",
                span,
                "'all' means all bodies; choose another name",
            )));
        }
        self.check_length(name, span)?;
        if self.is_lost() {
            self.lose_declared(name, span);
            return Ok(());
        }
        // The first may be faulty itself: this one stays then.
        self.check_taken(name, span);
        match self.names.add(name, kind, span) {
            Ok(()) => Ok(()),
            Err(first) => Err(self.fail(taken(name, first, span))),
        }
    }

    /// Reports a name that a faulty declaration has already.
    fn check_taken(&mut self, name: &str, span: Span) {
        let first = self.names.lost.get(name).copied();
        if let Some(first) = first.filter(|first| first.key() != span.key()) {
            self.diagnostics.push(taken(name, first, span));
        }
    }

    /// Keeps the name of a faulty declaration, so that nobody is told that it does not exist; two of the same name are
    /// told all the same.
    pub(crate) fn lose_declared(&mut self, name: &str, span: Span) {
        let known = self.names.known.get(name).map(|(_, first)| *first);
        match known.filter(|first| first.key() != span.key()) {
            Some(first) => self.diagnostics.push(taken(name, first, span)),
            None => self.check_taken(name, span),
        }
        self.names.add_faulty(name);
        self.names.lost.entry(SmolStr::new(name)).or_insert(span);
    }

    /// Full names grow with every group around them; a scene may have a million of them.
    pub(crate) fn check_length(&mut self, name: &str, span: Span) -> Result<(), Reported> {
        if name.len() > MAX_NAME {
            let message = format!("the full name has more than {MAX_NAME} characters");
            return Err(self.fail(Diagnostic::error("name", span, message)));
        }
        Ok(())
    }

    /// A reference as written, with its indices computed.
    pub(crate) fn reference(&mut self, expr: &Expr) -> Result<Reference, Reported> {
        let mut candidates = Vec::new();
        match &expr.kind {
            ExprKind::Text(text) => {
                // A quoted name is full, or relative to the groups around.
                for level in self.levels.iter().rev() {
                    candidates.push(SmolStr::from(format!("{}{text}", level.prefix)));
                }
            }
            ExprKind::Name(name) => self.candidates(name, &[], "", &mut candidates),
            ExprKind::Path(segments) => {
                let mut first = Vec::new();
                for index in &segments[0].indices {
                    first.push(self.number(index)?);
                }
                let mut rest = String::new();
                for segment in &segments[1..] {
                    rest.push('.');
                    rest.push_str(&segment.name.text);
                    let mut indices = Vec::new();
                    for index in &segment.indices {
                        indices.push(self.number(index)?);
                    }
                    write_indices(&mut rest, &indices, &[]);
                }
                self.candidates(&segments[0].name.text, &first, &rest, &mut candidates);
            }
            ExprKind::Bad => return Err(Reported),
            _ => {
                return Err(self.fail(Diagnostic::error("type", expr.span, "expected the name of a body")));
            }
        }
        Ok(Reference { candidates, span: expr.span })
    }

    fn candidates(&self, name: &str, indices: &[f64], rest: &str, out: &mut Vec<SmolStr>) {
        for level in self.levels.iter().rev() {
            for count in (0..=level.loops.len()).rev() {
                let mut full = level.prefix.clone();
                full.push_str(name);
                write_indices(&mut full, &level.loops[..count], indices);
                full.push_str(rest);
                out.push(SmolStr::from(full));
            }
        }
    }

    /// One name or several, or `all`.
    pub(crate) fn target_refs(&mut self, expr: &Expr) -> Result<Vec<TargetRef>, Reported> {
        let parts = match &expr.kind {
            ExprKind::Vector(parts) => parts.as_slice(),
            _ => std::slice::from_ref(expr),
        };
        let found: Vec<_> = parts.iter().map(|part| self.target_ref(part)).collect();
        found.into_iter().collect()
    }

    pub(crate) fn target_ref(&mut self, expr: &Expr) -> Result<TargetRef, Reported> {
        match expr.as_word() {
            Some(word) if word == "all" => Ok(TargetRef::All),
            _ => self.reference(expr).map(TargetRef::Some),
        }
    }

    /// The full name of the body that a reference means.
    pub(crate) fn resolve_body(&mut self, reference: &Reference) -> Result<SmolStr, Reported> {
        for candidate in &reference.candidates {
            if self.names.find(candidate) == Some(Named::Body) {
                return Ok(candidate.clone());
            }
        }
        if self.names.is_lost(reference) {
            return Err(Reported);
        }
        let shown = reference.candidates.last().map_or("", SmolStr::as_str);
        let mut error =
            Diagnostic::error("unknown-body", reference.span, format!("there is no body '{shown}'"));
        if let Some(set) = reference.candidates.iter().find(|candidate| self.names.sets.contains(*candidate))
        {
            error.message = format!("'{set}' is not one body but several");
            error = error.help(format!("name one of them, such as {set}[0] or a body of the group"));
        } else {
            let is_new = self.diagnostics.wants(reference.span, "unknown-body");
            let near = if is_new { self.names.nearest(shown, BODIES) } else { None };
            error = error.suggest(near);
        }
        Err(self.fail(error))
    }

    /// The bodies (or joints, or generators) that a reference means. A single name must be of one of these kinds; a
    /// group may hold anything.
    pub(crate) fn resolve_target(
        &mut self,
        target: &TargetRef,
        kinds: &'static [Named],
    ) -> Result<Target, Reported> {
        let TargetRef::Some(reference) = target else { return Ok(Target::All) };
        let mut wrong = None;
        for candidate in &reference.candidates {
            match self.names.find(candidate) {
                Some(kind) if kinds.contains(&kind) => return Ok(Target::Named(candidate.clone())),
                Some(kind) if wrong.is_none() => wrong = Some((candidate.clone(), kind)),
                _ => {}
            }
            if self.names.sets.contains(candidate) {
                return Ok(Target::Named(candidate.clone()));
            }
        }
        if wrong.is_none() && self.names.is_lost(reference) {
            return Err(Reported);
        }
        let shown = reference.candidates.last().map_or("", SmolStr::as_str);
        let error = match wrong {
            Some((name, kind)) => {
                let wanted: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
                let message = format!("'{name}' is {}, not {}", kind.word(), wanted.join(" or "));
                Diagnostic::error("type", reference.span, message)
            }
            None => {
                let is_new = self.diagnostics.wants(reference.span, "unknown-body");
                let near = if is_new { self.names.nearest(shown, kinds) } else { None };
                let message = format!("there is nothing called '{shown}'");
                Diagnostic::error("unknown-body", reference.span, message).suggest(near)
            }
        };
        Err(self.fail(error))
    }

    pub(crate) fn resolve_targets(
        &mut self,
        targets: &[TargetRef],
        kinds: &'static [Named],
    ) -> Result<Vec<Target>, Reported> {
        let found: Vec<_> = targets.iter().map(|target| self.resolve_target(target, kinds)).collect();
        found.into_iter().collect()
    }
}
