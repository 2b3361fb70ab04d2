//! Expectations: looked at after every step, told at the end with what was expected and what was found.

use super::Run;
use super::query::Value;
use crate::ast::Binary;
use crate::lower::Space;
use crate::model::{Expectation, Query, Window};
use crate::print;
use crate::span::Span;
use crate::value::number_text;

/// Digits of a number that a person reads.
const FEW_DIGITS: usize = 6;
/// Digits that tell all numbers apart.
const ALL_DIGITS: usize = 17;

/// A number of so many digits.
fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

/// How an expectation came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// In words, if the scene gives them.
    pub about: Option<String>,
    /// The condition, as text of the language.
    pub condition: String,
    /// Whether it was fulfilled; `None` if the run ended before it could be told.
    pub passed: Option<bool>,
    /// The step at which it was decided.
    pub step: u64,
    /// What was found then, for a condition that failed.
    pub found: String,
    /// Where the expectation was written.
    pub span: Span,
    /// Where the condition was written.
    pub place: Span,
}

/// A condition being watched.
pub(super) struct Watch {
    window: Window,
    query: Query,
    outcome: Outcome,
}

impl<D: Space> Run<D> {
    pub(super) fn watch(&mut self, expectations: &[Expectation]) {
        for expectation in expectations {
            for (index, condition) in expectation.conditions.iter().enumerate() {
                let outcome = Outcome {
                    about: expectation.about.as_ref().map(ToString::to_string),
                    condition: print::query(condition),
                    passed: None,
                    step: 0,
                    found: String::new(),
                    span: expectation.span,
                    place: expectation.places.get(index).copied().unwrap_or_default(),
                };
                let query = self.freeze(condition);
                self.expectations.push(Watch { window: expectation.window, query, outcome });
            }
        }
    }

    /// After a step.
    pub(super) fn check_expectations(&mut self) {
        let dt = f64::from(self.world.settings().dt);
        let now = self.steps;
        let mut watches = std::mem::take(&mut self.expectations);
        for watch in &mut watches {
            if watch.outcome.passed.is_some() {
                continue;
            }
            let decide = match watch.window {
                Window::Finally => continue,
                Window::After(moment) if moment.step(dt) == now => Some(true),
                Window::After(_) => continue,
                Window::Always => None,
                Window::From(from, _) if now < from.step(dt) => continue,
                Window::From(_, Some(until)) if now >= until.step(dt) => Some(true),
                Window::From(..) => None,
                Window::By(moment) => {
                    let last = now >= moment.step(dt);
                    match (self.evaluate(&watch.query).holds(), last) {
                        (true, _) => self.decide(watch, true),
                        (false, true) => self.decide(watch, false),
                        (false, false) => {}
                    }
                    continue;
                }
            };
            let holds = self.evaluate(&watch.query).holds();
            if !holds {
                self.decide(watch, false);
            } else if decide.is_some() {
                self.decide(watch, true);
            }
        }
        self.expectations = watches;
    }

    fn decide(&self, watch: &mut Watch, passed: bool) {
        watch.outcome.passed = Some(passed);
        watch.outcome.step = self.steps;
        if !passed {
            watch.outcome.found = self.explain(&watch.query);
        }
    }

    /// The two sides of a condition that fails, for the bodies where it fails.
    fn explain(&self, query: &Query) -> String {
        let (operator, sides) = match query {
            Query::Binary(operator, sides) => (*operator, sides),
            Query::Within { sides, .. } => (Binary::Equal, sides),
            _ => return String::from("it does not hold"),
        };
        if matches!(operator, Binary::And | Binary::Or) {
            let failing = [&sides.0, &sides.1].into_iter().filter(|side| !self.evaluate(side).holds());
            return failing.map(|side| self.explain(side)).collect::<Vec<_>>().join("; ");
        }
        let fails = self.evaluate(query).numbers();
        if fails.is_empty() {
            return String::from("there is nothing that it speaks of");
        }
        let side = |query: &Query, digits: usize| {
            let names = self.names_of(query, fails.len());
            let shown = |index: usize, number: f64| {
                let of = names.get(index).map_or_else(String::new, |name| format!(" ({name})"));
                format!("{}{of}", number_text(rounded(number, digits)))
            };
            let shown: Vec<_> = match self.evaluate(query) {
                Value::Text(text) => return format!("\"{text}\""),
                Value::Numbers(numbers) if numbers.len() == fails.len() => {
                    let failing = numbers.iter().enumerate().filter(|(index, _)| fails[*index] == 0.0);
                    failing.map(|(index, number)| shown(index, *number)).collect()
                }
                Value::Numbers(numbers) => {
                    numbers.iter().enumerate().map(|(index, number)| shown(index, *number)).collect()
                }
            };
            match shown.len() {
                0..=3 => shown.join(", "),
                count => format!("{}, … ({count} of them)", shown[..3].join(", ")),
            }
        };
        // A difference that is too small to be seen in a few digits is shown in all of them.
        let both = [FEW_DIGITS, ALL_DIGITS].map(|digits| [side(&sides.0, digits), side(&sides.1, digits)]);
        let [[few, other_few], [all, other_all]] = both;
        if few == other_few {
            format!("{all} against {other_all}")
        } else {
            format!("{few} against {other_few}")
        }
    }

    /// The names of the bodies that the values of a quantity belong to, if it speaks of several.
    fn names_of(&self, query: &Query, count: usize) -> Vec<&str> {
        let Query::Quantity(_, targets) = query else { return Vec::new() };
        let [target] = targets.as_slice() else { return Vec::new() };
        let bodies = self.find(target);
        if count < 2 || bodies.len() != count {
            return Vec::new();
        }
        bodies
            .iter()
            .map(|index| self.bodies[*index].name.as_deref().unwrap_or("a body without a name"))
            .collect()
    }

    pub(super) fn outcomes(&mut self, over: bool) -> Vec<Outcome> {
        let mut watches = std::mem::take(&mut self.expectations);
        if over {
            for watch in &mut watches {
                if watch.outcome.passed.is_none() {
                    match watch.window {
                        Window::Finally => {
                            let holds = self.evaluate(&watch.query).holds();
                            self.decide(watch, holds);
                        }
                        // It held all the time there was.
                        Window::Always => self.decide(watch, true),
                        Window::From(from, None)
                            if self.steps >= from.step(f64::from(self.world.settings().dt)) =>
                        {
                            self.decide(watch, true);
                        }
                        _ => {}
                    }
                }
            }
        }
        let outcomes = watches.iter().map(|watch| watch.outcome.clone()).collect();
        self.expectations = watches;
        outcomes
    }
}
