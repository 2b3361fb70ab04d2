//! Events, their actions, and expectations.

use smol_str::SmolStr;

use super::names::{BODIES, Named, TargetRef};
use super::query::PendingQuery;
use super::record::{Checked, Record};
use super::{Evaluator, Output, Reported, random};
use crate::ast::{self, Declaration};
use crate::diagnostics::Diagnostic;
use crate::model::director::{Change, JointChange};
use crate::model::{Action, BodyKind, Event, Expectation, Moment, Query, Schedule, Scope, Window};
use crate::schema::KindInfo;
use crate::schema::world::{METHODS, engine_setting};
use crate::units::Dimension;
use crate::value::Value;

/// An event; its condition waits for the names.
pub(crate) struct PendingEvent {
    pub event: Event,
    /// Its block with the units in it, to be tried once.
    pub trial: Vec<ast::Item>,
    pub when: Option<PendingQuery>,
    /// Its moment is faulty: its block is tried, but it never happens.
    pub lost: bool,
}

/// An expectation, likewise.
pub(crate) struct PendingExpectation {
    pub expectation: Expectation,
    pub conditions: Vec<PendingQuery>,
}

/// What an action acts on, likewise.
pub(crate) struct PendingTargets {
    pub on: Vec<TargetRef>,
    /// What it may be.
    pub kinds: &'static [Named],
    /// Index of the action.
    pub action: usize,
}

impl Evaluator<'_> {
    fn moment(&mut self, moment: &ast::Moment) -> Result<Moment, Reported> {
        let value = self.eval(&moment.value)?;
        let span = moment.value.span;
        let Value::Number(number, dimension) = value else {
            return Err(self.wrong_type(span, "a time", &value));
        };
        if let Some(found) = dimension {
            let wanted = if moment.steps { Dimension::NONE } else { Dimension::TIME };
            if !wanted.accepts(found) {
                let message = format!("expected {}, found {}", wanted.describe(), found.describe());
                return Err(self.fail(Diagnostic::error("unit", span, message)));
            }
        }
        let whole = number == libm::round(number);
        if number < 0.0 || (moment.steps && !whole) || number > 1e15 {
            let what = if moment.steps { "a number of steps is whole and" } else { "a time is" };
            return Err(self.fail(Diagnostic::error("value", span, format!("{what} not negative"))));
        }
        Ok(if moment.steps { Moment::Steps(number as u64) } else { Moment::Time(number) })
    }

    pub(crate) fn event(&mut self, event: &ast::Event) -> Result<(), Reported> {
        self.count_declaration(event.span)?;
        if matches!(self.output, Output::Event(_)) {
            let message = "an event cannot hold another event";
            return Err(self.fail(Diagnostic::error("structure", event.span, message)));
        }
        self.at_site(event.span);
        let stream = match &event.stream {
            None => self.site_key(),
            Some(given) => match given.as_word().and_then(|text| u64::from_str_radix(text, 16).ok()) {
                Some(stream) => stream,
                None => {
                    let message = "a stream is a hexadecimal number in quotes";
                    return Err(self.fail(Diagnostic::error("value", given.span, message)));
                }
            },
        };
        let mut when = None;
        let schedule = match &event.schedule {
            ast::Schedule::At(moment) => self.moment(moment).map(Schedule::At),
            ast::Schedule::Every { period, from, until } => self.every(period, from.as_ref(), until.as_ref()),
            ast::Schedule::When(condition) => self.query(condition).map(|condition| {
                when = Some(condition);
                Schedule::When(Query::Number(0.0))
            }),
        };
        let sound = schedule.is_ok();
        let schedule = schedule.unwrap_or(Schedule::At(Moment::Steps(0)));
        let level = self.levels.last().cloned().unwrap_or_default();
        let scope =
            Scope { group: self.group_name().unwrap_or_default(), pose: self.pose, loops: level.loops };
        let variable = event.variable.as_ref().map(|word| word.text.clone());
        self.keeps_units = true;
        let trial = self.close_items(&event.items, variable.as_ref());
        self.keeps_units = false;
        let trial = trial?;
        let items = self.close_items(&event.items, variable.as_ref());
        let lost = !sound || items.is_err() || self.is_lost();
        let items = items.unwrap_or_default();
        let event = Event { schedule, variable, stream, scope, items, span: event.span };
        self.pending.events.push(PendingEvent { event, trial, when, lost });
        Ok(())
    }

    fn every(
        &mut self,
        period: &ast::Moment,
        from: Option<&ast::Moment>,
        until: Option<&ast::Moment>,
    ) -> Result<Schedule, Reported> {
        let span = period.value.span;
        let period = self.moment(period).and_then(|period| {
            if matches!(period, Moment::Steps(0)) || period == Moment::Time(0.0) {
                return Err(self.fail(Diagnostic::error("value", span, "a period is not zero")));
            }
            Ok(period)
        });
        let from = from.map_or(period, |from| self.moment(from));
        let until = until.map(|until| self.moment(until)).transpose();
        Ok(Schedule::Every { period: period?, from: from?, until: until? })
    }

    /// Expands the block of an event for one of its occurrences; the actions stay in the output.
    pub(crate) fn run_event(&mut self, event: &Event, items: &[ast::Item], occurrence: u64) {
        let mut prefix = event.scope.group.to_string();
        if !prefix.is_empty() {
            prefix.push('.');
        }
        let mut loops = event.scope.loops.clone();
        if matches!(event.schedule, Schedule::Every { .. }) {
            // What is added again and again gets its number as an index.
            loops.push(occurrence as f64);
        }
        let mut levels = vec![super::names::Level::default()];
        if prefix.is_empty() {
            levels[0].loops = loops;
        } else {
            levels.push(super::names::Level { prefix, loops });
        }
        self.levels = levels;
        self.pose = event.scope.pose;
        self.place.context = random::mix(event.stream, occurrence);
        self.locals.clear();
        if let Some(variable) = &event.variable {
            self.push_local(variable, Value::plain(occurrence as f64));
        }
        self.sites.clear();
        random::find_sites(items, &mut self.sites);
        // Not the top of a file: constants in an event are its own.
        self.depth += 1;
        self.items(items);
        self.depth -= 1;
        self.locals.clear();
    }

    pub(crate) fn expectation(&mut self, expectation: &ast::Expectation) -> Result<(), Reported> {
        self.count_declaration(expectation.span)?;
        if matches!(self.output, Output::Event(_)) {
            let message = "expectations stand outside of events";
            return Err(self.fail(Diagnostic::error("structure", expectation.span, message)));
        }
        self.at_site(expectation.span);
        let window = match &expectation.window {
            ast::Window::Always => Ok(Window::Always),
            ast::Window::Finally => Ok(Window::Finally),
            ast::Window::After(moment) => self.moment(moment).map(Window::After),
            ast::Window::By(moment) => self.moment(moment).map(Window::By),
            ast::Window::From(from, until) => {
                let from = self.moment(from);
                let until = until.as_ref().map(|until| self.moment(until)).transpose();
                from.and_then(|from| Ok(Window::From(from, until?)))
            }
        };
        let mut conditions = Vec::new();
        let mut sound = true;
        for condition in &expectation.conditions {
            match self.query(condition) {
                Ok(query) => conditions.push(query),
                Err(Reported) => sound = false,
            }
        }
        if expectation.conditions.is_empty() {
            return Err(self.fail(Diagnostic::error(
                "structure",
                expectation.span,
                "nothing is expected here",
            )));
        }
        let Some(window) = window.ok().filter(|_| sound && !self.is_lost()) else {
            // Names in the sound ones are still looked up, so that all faults are listed.
            self.pending.checks.append(&mut conditions);
            return Err(Reported);
        };
        let expectation = Expectation {
            window,
            about: expectation.about.clone(),
            conditions: Vec::new(),
            places: expectation.conditions.iter().map(|condition| condition.span).collect(),
            span: expectation.span,
        };
        self.pending.expectations.push(PendingExpectation { expectation, conditions });
        Ok(())
    }

    // ---- actions ------------------------------------------------------------------------------------------

    pub(crate) fn action(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<(), Reported> {
        if matches!(self.output, Output::Scene) {
            let message = format!("'{}' is something that happens", declaration.kind.text);
            let help = format!("write it in an event: at 5s {{ {} … }}", declaration.kind.text);
            return Err(self.fail(Diagnostic::error("structure", declaration.kind.span, message).help(help)));
        }
        let record = self.record(kind, declaration);
        let takes_bodies = !matches!(kind.name, "set" | "stop");
        let mut sound = true;
        if takes_bodies == declaration.head.is_empty() {
            let message = if takes_bodies {
                format!("'{}' needs a name", kind.name)
            } else {
                format!("'{}' takes no name", kind.name)
            };
            self.fail(Diagnostic::error("name", declaration.kind.span, message));
            sound = false;
        }
        let kinds: &[Named] = match kind.name {
            "remove" => &[Named::Body, Named::Joint, Named::Force],
            "change" => &[Named::Body, Named::Joint],
            _ => BODIES,
        };
        let mut on = Vec::new();
        for word in declaration.head.iter().filter(|_| takes_bodies) {
            match self.target_ref(word) {
                Ok(target) => on.push(target),
                Err(Reported) => sound = false,
            }
        }
        let Some(mut record) = record.ok().filter(|_| sound && !self.is_lost()) else {
            self.pending.lost_targets.push((on, kinds));
            return Err(Reported);
        };
        let dimension = self.dimension();
        let turned = |name: &str| record.vector(name).map(|v| self.pose.turn(v));
        let action = match kind.name {
            "push" => {
                if record.iter().next().is_none() || (record.has("at") && record.iter().count() == 1) {
                    let message = "'push' needs 'impulse', 'force', 'torque' or 'angularImpulse'";
                    return Err(self.fail(Diagnostic::error(
                        "missing-parameter",
                        declaration.kind.span,
                        message,
                    )));
                }
                Action::Push {
                    on: Vec::new(),
                    impulse: turned("impulse"),
                    force: turned("force"),
                    torque: turned("torque"),
                    angular_impulse: turned("angularImpulse"),
                    at: record.vector("at").map(|at| self.pose.point(at)),
                }
            }
            "change" => {
                let kinds = [
                    ("static", BodyKind::Static),
                    ("kinematic", BodyKind::Kinematic),
                    ("dynamic", BodyKind::Dynamic),
                ];
                let change = Change {
                    velocity: turned("vel"),
                    angular_velocity: turned("angvel"),
                    kind: kinds.iter().find(|(name, _)| record.has(name)).map(|(_, kind)| *kind),
                    gravity_scale: record.number("gravityScale"),
                    elastic: record.number("elastic"),
                    friction: record.number("friction"),
                    colour: record.vector("colour"),
                    position: record.vector("centre").map(|at| self.pose.point(at)),
                    angle: record.number("angle").map(|angle| self.pose.angle + angle),
                    joint: JointChange {
                        speed: record.number("motorSpeed"),
                        target: record.number("motorTarget"),
                        motor_off: record.flag("motorOff"),
                        max_torque: record.number("maxTorque"),
                        max_force: record.number("maxForce"),
                        limits: record.pair("limits"),
                        steering: record.number("steering"),
                        place: record.vector("target").map(|at| self.pose.point(at)),
                        length: record.number("length"),
                        frequency: record.number("frequency"),
                    },
                };
                Action::Change { on: Vec::new(), change: Box::new(change), span: declaration.span }
            }
            "remove" => Action::Remove(Vec::new()),
            "wake" => Action::Wake(Vec::new()),
            "merge" => {
                if let (1, Some(Checked::Targets(parts))) = (on.len(), record.take("part")) {
                    on.extend(parts);
                } else {
                    let message = "'merge' takes the name of one body";
                    return Err(self.fail(Diagnostic::error("name", declaration.kind.span, message)));
                }
                Action::Merge(Vec::new(), declaration.span)
            }
            "unmerge" => Action::Unmerge(Vec::new(), declaration.span),
            "stop" => Action::Stop,
            _ => {
                self.check_changeable(&record)?;
                let given = record.iter().filter_map(|(param, value): (_, &Checked)| {
                    Some((SmolStr::new_static(param.name), value.setting(dimension)?))
                });
                Action::Set(given.collect(), declaration.span)
            }
        };
        let index = self.emit_action(action);
        if !on.is_empty() {
            self.pending.actions.push(PendingTargets { on, kinds, action: index });
        }
        Ok(())
    }

    /// Settings that count only while the scene is read cannot be set later.
    fn check_changeable(&mut self, record: &Record) -> Result<(), Reported> {
        let mut sound = true;
        for (param, _) in record.iter() {
            if engine_setting(param.name).is_none() && !METHODS.contains(&param.name) {
                let message = format!("'{}' cannot be changed during the run", param.name);
                let span = record.span(param.name).unwrap_or_default();
                self.fail(Diagnostic::error("structure", span, message));
                sound = false;
            }
        }
        if sound { Ok(()) } else { Err(Reported) }
    }

    /// Adds an action; its index.
    pub(crate) fn emit_action(&mut self, action: Action) -> usize {
        match &mut self.output {
            Output::Event(actions) => {
                actions.push(action);
                actions.len() - 1
            }
            Output::Scene => 0,
        }
    }
}
