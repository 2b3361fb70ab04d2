//! Formulas over the running world: what is known now is computed now, the rest stays.

use super::names::{BODIES, Named, TargetRef};
use super::{Evaluator, Reported};
use crate::ast::{Binary, Expr, ExprKind, Unary, Word};
use crate::diagnostics::Diagnostic;
use crate::model::Query;
use crate::schema::director::{Of, QUANTITIES, REDUCTIONS, quantity};
use crate::schema::functions::{self, Body};
use crate::value::Value;

/// A formula whose bodies are looked up when all names are known.
#[derive(Clone, Debug)]
pub(crate) enum PendingQuery {
    Ready(Query),
    Quantity(&'static str, Vec<TargetRef>),
    Call(&'static str, Vec<PendingQuery>),
    Reduce(&'static str, Box<PendingQuery>),
    Start(Box<PendingQuery>),
    Unary(Unary, Box<PendingQuery>),
    Binary(Binary, Box<(PendingQuery, PendingQuery)>),
    Within(Box<(PendingQuery, PendingQuery)>, f64, bool),
}

impl Evaluator<'_> {
    pub(crate) fn query(&mut self, expr: &Expr) -> Result<PendingQuery, Reported> {
        self.work(1, expr.span)?;
        self.elements(1, expr.span)?;
        if !self.is_live(expr) {
            return match self.eval(expr)? {
                Value::Number(number, _) => Ok(PendingQuery::Ready(Query::Number(number))),
                Value::Flag(flag) => Ok(PendingQuery::Ready(Query::Number(f64::from(u8::from(flag))))),
                Value::Text(text) => Ok(PendingQuery::Ready(Query::Text(text))),
                other => Err(self.wrong_type(expr.span, "a number", &other)),
            };
        }
        match &expr.kind {
            ExprKind::Name(name) => match quantity(name) {
                Some(found) => Ok(PendingQuery::Quantity(found.name, Vec::new())),
                None => Err(Reported),
            },
            ExprKind::Call(name, arguments) => self.query_call(name, arguments, expr),
            ExprKind::Unary(operator, operand) => {
                Ok(PendingQuery::Unary(*operator, Box::new(self.query(operand)?)))
            }
            ExprKind::Binary(operator, operands) => {
                let sides = self.query_sides(&operands.0, &operands.1)?;
                Ok(PendingQuery::Binary(*operator, Box::new(sides)))
            }
            ExprKind::Within(three) => {
                let sides = self.query_sides(&three.0, &three.1);
                let (tolerance, relative) = match three.2.kind {
                    ExprKind::Percent(percent) => (percent, true),
                    _ => (self.number(&three.2)?, false),
                };
                if tolerance < 0.0 {
                    let message = "a tolerance is not negative";
                    return Err(self.fail(Diagnostic::error("value", three.2.span, message)));
                }
                Ok(PendingQuery::Within(Box::new(sides?), tolerance, relative))
            }
            _ => Err(self.fail(Diagnostic::error("type", expr.span, "this cannot be part of a condition"))),
        }
    }

    /// Both sides of an operator. If one is faulty the names in the other are still looked up.
    fn query_sides(&mut self, left: &Expr, right: &Expr) -> Result<(PendingQuery, PendingQuery), Reported> {
        match (self.query(left), self.query(right)) {
            (Ok(left), Ok(right)) => Ok((left, right)),
            (left, right) => {
                self.pending.checks.extend(left.into_iter().chain(right));
                Err(Reported)
            }
        }
    }

    /// Whether an expression speaks of the running world.
    fn is_live(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                quantity(name).is_some_and(|quantity| quantity.of == Of::World) && !self.is_bound(name)
            }
            ExprKind::Call(name, arguments) => {
                let component = matches!(name.text.as_str(), "x" | "y" | "z");
                let of_body = quantity(&name.text).is_some_and(|quantity| quantity.of != Of::World)
                    && !(component && arguments.first().is_some_and(|argument| self.is_value(argument)));
                let reduces = matches!(name.text.as_str(), "count" | "mean" | "start" | "sum");
                let unknown = functions::find(&name.text).is_none();
                of_body || reduces || unknown || arguments.iter().any(|argument| self.is_live(argument))
            }
            ExprKind::Unary(_, operand) => self.is_live(operand),
            ExprKind::Binary(_, operands) => self.is_live(&operands.0) || self.is_live(&operands.1),
            ExprKind::Within(three) => self.is_live(&three.0) || self.is_live(&three.1),
            ExprKind::Vector(parts) => parts.iter().any(|part| self.is_live(part)),
            _ => false,
        }
    }

    /// Whether an expression is a value of the scene rather than a body.
    fn is_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.is_bound(name),
            ExprKind::Path(_) | ExprKind::Text(_) => false,
            _ => true,
        }
    }

    fn query_call(&mut self, name: &Word, arguments: &[Expr], expr: &Expr) -> Result<PendingQuery, Reported> {
        if let Some((reduction, _)) = REDUCTIONS.iter().find(|(known, _)| *known == name.text.as_str())
            && arguments.len() == 1
        {
            let inner = Box::new(self.query(&arguments[0])?);
            return Ok(match *reduction {
                "start" => PendingQuery::Start(inner),
                reduction => PendingQuery::Reduce(reduction, inner),
            });
        }
        let component = matches!(name.text.as_str(), "x" | "y" | "z");
        if let Some(found) = quantity(&name.text)
            && found.of != Of::World
            && !(component && arguments.first().is_some_and(|argument| self.is_value(argument)))
        {
            if arguments.len() != found.of.count() {
                let message =
                    format!("'{}' takes {}, found {}", found.name, takes(found.of), arguments.len());
                return Err(self.fail(Diagnostic::error("arguments", expr.span, message)));
            }
            if found.name.ends_with(['z', 'Z']) && self.dimension() == 2 {
                let message = format!("there is no '{}' in 2D", found.name);
                return Err(self.fail(Diagnostic::error("dimension", name.span, message)));
            }
            let mut targets = Vec::new();
            for argument in arguments {
                targets.push(self.target_ref(argument)?);
            }
            return Ok(PendingQuery::Quantity(found.name, targets));
        }
        let Some(function) = functions::find(&name.text) else {
            let known = functions::FUNCTIONS
                .iter()
                .map(|function| function.name)
                .chain(QUANTITIES.iter().map(|quantity| quantity.name));
            let message = format!("there is no function or quantity '{}'", name.text);
            let error = Diagnostic::error("unknown-function", name.span, message);
            let near = self.near((name.span, "unknown-function"), &name.text, known);
            return Err(self.fail(error.suggest(near)));
        };
        let (least, most) = function.count;
        if matches!(function.body, Body::Special) {
            let message = format!("'{}' cannot be used on quantities of the run", function.name);
            return Err(self.fail(Diagnostic::error("type", expr.span, message)));
        }
        if arguments.len() < least || arguments.len() > most {
            let message = format!("{}({}) has {} arguments", name.text, function.arguments, arguments.len());
            return Err(self.fail(Diagnostic::error("arguments", expr.span, message)));
        }
        let mut list = Vec::new();
        for argument in arguments {
            list.push(self.query(argument)?);
        }
        Ok(PendingQuery::Call(function.name, list))
    }

    /// Puts the full names in.
    pub(crate) fn resolve_query(&mut self, query: PendingQuery) -> Result<Query, Reported> {
        Ok(match query {
            PendingQuery::Ready(query) => query,
            PendingQuery::Quantity(name, targets) => {
                let of = quantity(name).map_or(Of::World, |quantity| quantity.of);
                Query::Quantity(name, self.resolve_targets(&targets, names_of(of))?)
            }
            PendingQuery::Call(name, list) => {
                let mut resolved = Vec::with_capacity(list.len());
                for query in list {
                    resolved.push(self.resolve_query(query)?);
                }
                Query::Call(name, resolved)
            }
            PendingQuery::Reduce(name, inner) => Query::Reduce(name, Box::new(self.resolve_query(*inner)?)),
            PendingQuery::Start(inner) => Query::Start(Box::new(self.resolve_query(*inner)?)),
            PendingQuery::Unary(operator, inner) => {
                Query::Unary(operator, Box::new(self.resolve_query(*inner)?))
            }
            PendingQuery::Binary(operator, sides) => {
                let (left, right) = (self.resolve_query(sides.0), self.resolve_query(sides.1));
                Query::Binary(operator, Box::new((left?, right?)))
            }
            PendingQuery::Within(sides, tolerance, relative) => {
                let (left, right) = (self.resolve_query(sides.0), self.resolve_query(sides.1));
                Query::Within { sides: Box::new((left?, right?)), tolerance, relative }
            }
        })
    }
}

/// What the arguments of a quantity may name.
fn names_of(of: Of) -> &'static [Named] {
    match of {
        Of::World | Of::Body | Of::Pair => BODIES,
        Of::Joint => &[Named::Joint],
        Of::Either => &[Named::Body, Named::Joint],
    }
}

fn takes(of: Of) -> &'static str {
    match of {
        Of::World => "nothing",
        Of::Body => "one body",
        Of::Joint => "one joint",
        Of::Either => "one body or joint",
        Of::Pair => "two bodies",
    }
}
