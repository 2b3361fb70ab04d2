//! Expectations: looked at after every step, told at the end with what was expected and what was found.

use super::Run;
use super::query::Value;
use crate::lower::Space;
use crate::model::{Expectation, Query, Window};
use crate::print;
use crate::span::Span;
use crate::value::number_text;

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
    /// Where it was written.
    pub span: Span,
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
            for condition in &expectation.conditions {
                let outcome = Outcome {
                    about: expectation.about.as_ref().map(ToString::to_string),
                    condition: print::query(condition),
                    passed: None,
                    step: 0,
                    found: String::new(),
                    span: expectation.span,
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
        let (Query::Binary(_, sides) | Query::Within { sides, .. }) = query else {
            return String::from("it does not hold");
        };
        let fails = self.evaluate(query).numbers();
        if fails.is_empty() {
            return String::from("there is nothing that it speaks of");
        }
        let side = |query: &Query| match self.evaluate(query) {
            Value::Text(text) => format!("\"{text}\""),
            Value::Numbers(numbers) if numbers.len() == fails.len() => {
                let failing = numbers.iter().zip(&fails).filter(|(_, holds)| **holds == 0.0);
                let shown: Vec<_> = failing.map(|(number, _)| number_text(*number)).collect();
                if shown.len() > 3 {
                    format!("{}, … ({} of them)", shown[..3].join(", "), shown.len())
                } else {
                    shown.join(", ")
                }
            }
            Value::Numbers(numbers) => {
                numbers.iter().map(|number| number_text(*number)).collect::<Vec<_>>().join(", ")
            }
        };
        format!("{} against {}", side(&sides.0), side(&sides.1))
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
