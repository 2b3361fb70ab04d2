//! Evaluation of expressions. Every node costs one unit of work, so that time is bounded.

use smol_str::SmolStr;

use super::{Evaluator, Reported};
use crate::ast::{Binary, Element, Expr, ExprKind, Range, Unary, Word};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::geometry;
use crate::schema;
use crate::schema::functions::{self, Body, Function};
use crate::span::Span;
use crate::units::Dimension;
use crate::value::Value;

type Evaluated<T = Value> = Result<T, Reported>;

/// The first operand of a chain of differences, if it is a name.
fn first_name(expr: &Expr) -> Option<&SmolStr> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Binary(Binary::Subtract, operands) => first_name(&operands.0),
        _ => None,
    }
}

impl Evaluator<'_> {
    /// The value of an expression. Non-finite results are errors here, so that nothing behind has to check.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Evaluated {
        self.work(1, expr.span)?;
        let value = match &expr.kind {
            ExprKind::Number(value, dimension) => return Ok(Value::Number(*value, *dimension)),
            ExprKind::Percent(value) => return Ok(Value::plain(value / 100.0)),
            ExprKind::Text(text) => return Ok(Value::Text(text.clone())),
            ExprKind::Name(name) => return self.name(name, expr.span),
            ExprKind::Path(_) => {
                return Err(self.fail(
                    Diagnostic::error("type", expr.span, "a body has no value here")
                        .help("quantities of bodies are for 'expect' and 'when'"),
                ));
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments, expr.span)?,
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand)?,
            ExprKind::Binary(operator, operands) => {
                self.binary(*operator, &operands.0, &operands.1, expr.span)?
            }
            ExprKind::Within(three) => {
                let [left, right, tolerance] = self.numbers([&three.0, &three.1, &three.2])?;
                Value::Flag((left - right).abs() <= tolerance)
            }
            ExprKind::Vector(parts) => self.vector(parts, expr.span)?,
            ExprKind::List(elements) => {
                let mut list = Vec::new();
                let mut sound = true;
                for element in elements {
                    sound &= self.element(element, &mut list).is_ok();
                }
                return if sound { Ok(Value::List(list)) } else { Err(Reported) };
            }
            ExprKind::Bad => return Err(Reported),
        };
        let finite = match &value {
            Value::Number(number, _) => number.is_finite(),
            Value::Vector(parts, _) => parts.iter().all(|part| part.is_finite()),
            _ => true,
        };
        if finite {
            Ok(value)
        } else {
            Err(self.fail(Diagnostic::error("not-finite", expr.span, "the result is not a finite number")))
        }
    }

    /// A number, or an error that says what was found.
    pub(crate) fn number(&mut self, expr: &Expr) -> Evaluated<f64> {
        match self.eval(expr)? {
            Value::Number(number, _) => Ok(number),
            other => Err(self.wrong_type(expr.span, "a number", &other)),
        }
    }

    /// Several numbers; the faults of all of them are listed.
    fn numbers<const N: usize>(&mut self, exprs: [&Expr; N]) -> Evaluated<[f64; N]> {
        let mut numbers = [0.0; N];
        let mut sound = true;
        for (slot, expr) in numbers.iter_mut().zip(exprs) {
            match self.number(expr) {
                Ok(number) => *slot = number,
                Err(Reported) => sound = false,
            }
        }
        if sound { Ok(numbers) } else { Err(Reported) }
    }

    /// Looks at a value that nobody asked for, to list its faults. A word may mean anything there.
    pub(crate) fn look_at(&mut self, expr: &Expr) {
        if expr.as_word().is_none() && !matches!(expr.kind, ExprKind::Path(_)) {
            let _ = self.eval(expr);
        }
    }

    /// A condition; a number other than zero holds.
    pub(crate) fn flag(&mut self, expr: &Expr) -> Evaluated<bool> {
        if let ExprKind::Name(name) = &expr.kind {
            match name.as_str() {
                "on" | "yes" | "true" => return Ok(true),
                "off" | "no" | "false" => return Ok(false),
                _ => {}
            }
        }
        match self.eval(expr)? {
            Value::Flag(flag) => Ok(flag),
            Value::Number(number, _) => Ok(number != 0.0),
            other => Err(self.wrong_type(expr.span, "a condition", &other)),
        }
    }

    pub(crate) fn wrong_type(&mut self, span: Span, wanted: &str, found: &Value) -> Reported {
        let message = format!("expected {wanted}, found {}", found.describe());
        self.fail(Diagnostic::error("type", span, message).label(format!("expected {wanted}")))
    }

    fn name(&mut self, name: &SmolStr, span: Span) -> Evaluated {
        if let Some(value) = self.lookup(name, span) {
            let value = value?;
            // A copy costs what it holds.
            self.work(2 * value.size(), span)?;
            self.elements(value.size(), span)?;
            return Ok(value);
        }
        if let Some((_, value, _)) = functions::CONSTANTS.iter().find(|(known, _, _)| *known == name.as_str())
        {
            return Ok(Value::plain(*value));
        }
        match name.as_str() {
            "true" => return Ok(Value::Flag(true)),
            "false" => return Ok(Value::Flag(false)),
            _ => {}
        }
        let is_new = self.diagnostics.wants(span, "unknown-name");
        let known: Vec<SmolStr> = if is_new { self.visible_names() } else { Vec::new() };
        let mut error = Diagnostic::error("unknown-name", span, format!("there is no constant '{name}'"));
        error = if let Some(near) = nearest(name, known.iter().map(SmolStr::as_str)) {
            error.suggest(Some(near))
        } else if crate::units::find(name).is_some() {
            error.help(format!("'{name}' is a unit: glue it to its number, as in 5{name}"))
        } else if functions::find(name).is_some() {
            error.help(format!("'{name}' is a function: write {name}(…)"))
        } else {
            error.help(format!("define it with 'const {name} = …' or 'param {name} = …'"))
        };
        Err(self.fail(error))
    }

    fn unary(&mut self, operator: Unary, operand: &Expr) -> Evaluated {
        match operator {
            Unary::Not => Ok(Value::Flag(!self.flag(operand)?)),
            Unary::Minus => match self.eval(operand)? {
                Value::Number(number, dimension) => Ok(Value::Number(-number, dimension)),
                Value::Vector(parts, dimension) => {
                    Ok(Value::Vector(parts.iter().map(|x| -x).collect(), dimension))
                }
                other => Err(self.wrong_type(operand.span, "a number or vector", &other)),
            },
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Evaluated {
        match operator {
            Binary::And => return Ok(Value::Flag(self.flag(left)? && self.flag(right)?)),
            Binary::Or => return Ok(Value::Flag(self.flag(left)? || self.flag(right)?)),
            _ => {}
        }
        if operator == Binary::Subtract
            && schema::world::is_method(self.sources.text(span))
            && !first_name(left).is_some_and(|name| self.is_bound(name))
        {
            let name = self.sources.text(span).to_string();
            let message = format!("'{name}' is a text here, not a difference");
            let error = Diagnostic::error("unknown-name", span, message);
            return Err(self.fail(error.help(format!("write it in quotes: \"{name}\""))));
        }
        // Both are looked at before one of them may end it.
        let (a, b) = (self.eval(left), self.eval(right));
        let (a, b) = (a?, b?);
        if operator.is_comparison() {
            return self.compare(operator, &a, &b, span);
        }
        let (da, db) = (a.dimension(), b.dimension());
        let dimension = match operator {
            Binary::Add | Binary::Subtract => match (da, db) {
                (Some(da), Some(db)) if !da.accepts(db) && !db.accepts(da) => {
                    let message = format!("{} and {} cannot be added", da.describe(), db.describe());
                    return Err(self.fail(Diagnostic::error("unit", span, message)));
                }
                (Some(da), _) => Some(da),
                (None, db) => db,
            },
            // Times a plain number is plain again: see `units`.
            Binary::Multiply => da.zip(db).map(|(da, db)| da.times(db)),
            Binary::Divide => da.zip(db).map(|(da, db)| da.per(db)),
            _ => None,
        };
        let dimension = dimension.filter(|found| *found != Dimension::NONE);
        let apply = |x: f64, y: f64| match operator {
            Binary::Add => x + y,
            Binary::Subtract => x - y,
            Binary::Multiply => x * y,
            Binary::Divide => x / y,
            _ => libm::pow(x, y),
        };
        match (&a, &b) {
            (Value::Number(x, _), Value::Number(y, _)) => {
                if operator == Binary::Divide && *y == 0.0 {
                    return Err(self.fail(Diagnostic::error("division", right.span, "division by zero")));
                }
                Ok(Value::Number(apply(*x, *y), dimension))
            }
            (Value::Vector(x, _), Value::Vector(y, _))
                if matches!(operator, Binary::Add | Binary::Subtract) && x.len() == y.len() =>
            {
                Ok(Value::Vector(x.iter().zip(y).map(|(x, y)| apply(*x, *y)).collect(), dimension))
            }
            (Value::Vector(x, _), Value::Number(y, _))
                if matches!(operator, Binary::Multiply | Binary::Divide) =>
            {
                Ok(Value::Vector(x.iter().map(|x| apply(*x, *y)).collect(), dimension))
            }
            (Value::Number(x, _), Value::Vector(y, _)) if operator == Binary::Multiply => {
                Ok(Value::Vector(y.iter().map(|y| apply(*x, *y)).collect(), dimension))
            }
            _ => {
                let message =
                    format!("'{}' does not take {} and {}", operator.symbol(), a.describe(), b.describe());
                Err(self.fail(Diagnostic::error("type", span, message)))
            }
        }
    }

    fn compare(&mut self, operator: Binary, a: &Value, b: &Value, span: Span) -> Evaluated {
        let order = match (a, b) {
            (Value::Number(x, _), Value::Number(y, _)) => x.partial_cmp(y),
            _ if matches!(operator, Binary::Equal | Binary::NotEqual)
                && std::mem::discriminant(a) == std::mem::discriminant(b) =>
            {
                Some(if a == b { std::cmp::Ordering::Equal } else { std::cmp::Ordering::Less })
            }
            _ => {
                let message = format!("{} and {} cannot be compared", a.describe(), b.describe());
                return Err(self.fail(Diagnostic::error("type", span, message)));
            }
        };
        Ok(Value::Flag(order.is_some_and(|order| match operator {
            Binary::Less => order.is_lt(),
            Binary::LessEqual => order.is_le(),
            Binary::Greater => order.is_gt(),
            Binary::GreaterEqual => order.is_ge(),
            Binary::Equal => order.is_eq(),
            _ => order.is_ne(),
        })))
    }

    fn vector(&mut self, parts: &[Expr], span: Span) -> Evaluated {
        self.elements(parts.len() as u64, span)?;
        let mut numbers = Vec::with_capacity(parts.len());
        let mut dimension = None;
        let mut measured = 0;
        let mut sound = true;
        for part in parts {
            let Ok(value) = self.eval(part) else {
                sound = false;
                continue;
            };
            match value {
                Value::Number(number, found) => {
                    numbers.push(number);
                    if let Some(found) = found {
                        measured += 1;
                        if measured > 1 && dimension != Some(found) {
                            // Mixed: reported by whoever wants one of them.
                            dimension = dimension.filter(|known: &Dimension| known.accepts(found));
                        } else {
                            dimension = Some(found);
                        }
                    }
                }
                other => {
                    self.wrong_type(part.span, "a number", &other);
                    sound = false;
                }
            }
        }
        if sound { Ok(Value::Vector(numbers, dimension)) } else { Err(Reported) }
    }

    fn element(&mut self, element: &Element, list: &mut Vec<Value>) -> Evaluated<()> {
        match element {
            Element::One(expr) => {
                self.elements(1, expr.span)?;
                let value = self.eval(expr)?;
                // Lists of lists could double in size with every constant.
                if matches!(value, Value::List(_)) {
                    let message = "a list cannot hold a list";
                    return Err(self.fail(Diagnostic::error("type", expr.span, message)));
                }
                list.push(value);
                Ok(())
            }
            Element::For(variable, range, inner) => {
                let values = self.range(range, variable.span)?;
                for value in values {
                    self.elements(1, variable.span)?;
                    self.push_local(&variable.text, Value::plain(value));
                    let context = self.enter_loop(value);
                    let result = self.element(inner, list);
                    self.leave_loop(context);
                    self.pop_local();
                    result?;
                }
                Ok(())
            }
        }
    }

    /// The values of a range, each counted as a repetition before it is made.
    pub(crate) fn range(
        &mut self,
        range: &Range,
        span: Span,
    ) -> Evaluated<impl Iterator<Item = f64> + use<>> {
        let ends = self.numbers([&range.from, &range.to]);
        let step = range.step.as_ref().map_or(Ok(1.0), |step| self.number(step));
        let ([from, to], step) = (ends?, step?);
        if step == 0.0 {
            let span = range.step.as_ref().map_or(span, |step| step.span);
            return Err(self.fail(Diagnostic::error("range", span, "a step of zero never ends")));
        }
        let exact = (to - from) / step;
        // Rounding must not add or lose a round: 0..1 step 0.1 has ten.
        let near = libm::round(exact);
        let whole = (exact - near).abs() < 1e-9 * near.abs().max(1.0);
        let count = match (whole, range.inclusive) {
            (true, true) => near + 1.0,
            (true, false) => near,
            (false, true) => libm::floor(exact) + 1.0,
            (false, false) => libm::ceil(exact),
        }
        .max(0.0);
        if !count.is_finite() || count > self.repetitions_left() as f64 {
            let limit = self.limits.repetitions;
            let message = format!("more than {limit} repetitions in one scene");
            let span = range.from.span.to(range.to.span);
            return Err(self.fail(Diagnostic::error("too-many-repetitions", span, message)));
        }
        self.use_repetitions(count as u64);
        Ok((0..count as u64).map(move |index| from + index as f64 * step))
    }

    fn call(&mut self, name: &Word, arguments: &[Expr], span: Span) -> Evaluated {
        let Some(function) = functions::find(&name.text) else {
            let known = functions::FUNCTIONS.iter().map(|function| function.name);
            let mut error = Diagnostic::error(
                "unknown-function",
                name.span,
                format!("there is no function '{}'", name.text),
            )
            .suggest(self.near((name.span, "unknown-function"), &name.text, known));
            if crate::schema::director::quantity(&name.text).is_some() {
                error = error.help("quantities of bodies are for 'expect' and 'when'");
            }
            self.fail(error);
            arguments.iter().for_each(|argument| self.look_at(argument));
            return Err(Reported);
        };
        let (least, most) = function.count;
        if arguments.len() < least || arguments.len() > most {
            let message = format!("{}({}) has {} arguments", name.text, function.arguments, arguments.len());
            return Err(self.fail(Diagnostic::error("arguments", span, message).label(format!(
                "takes {}",
                if least == most { least.to_string() } else { format!("{least} to {most}") }
            ))));
        }
        match function.body {
            Body::One(compute) => match self.eval(&arguments[0])? {
                Value::Number(x, dimension) => {
                    let keeps = matches!(function.name, "abs" | "floor" | "ceil" | "round");
                    Ok(Value::Number(compute(x), dimension.filter(|_| keeps)))
                }
                Value::Vector(parts, _) => Ok(Value::Vector(parts.into_iter().map(compute).collect(), None)),
                other => Err(self.wrong_type(arguments[0].span, "a number", &other)),
            },
            Body::Two(compute) => {
                let [x, y] = self.numbers([&arguments[0], &arguments[1]])?;
                Ok(Value::plain(compute(x, y)))
            }
            Body::Three(compute) => {
                let [x, y, z] = self.numbers([&arguments[0], &arguments[1], &arguments[2]])?;
                Ok(Value::plain(compute(x, y, z)))
            }
            Body::Fold(compute) => {
                let mut result = self.number(&arguments[0]);
                for argument in &arguments[1..] {
                    let next = self.number(argument);
                    result = result.and_then(|result| Ok(compute(result, next?)));
                }
                result.map(Value::plain)
            }
            Body::Special => self.special(function, arguments, span),
        }
    }

    fn special(&mut self, function: &Function, arguments: &[Expr], span: Span) -> Evaluated {
        match function.name {
            "if" => {
                let chosen = if self.flag(&arguments[0])? { 1 } else { 2 };
                self.eval(&arguments[chosen])
            }
            "uniform" | "gauss" | "dice" => self.random(function.name, arguments, span),
            "vec" => self.vector(arguments, span),
            "polar" => {
                let [r, a] = self.numbers([&arguments[0], &arguments[1]])?;
                Ok(Value::Vector(vec![r * libm::cos(a), r * libm::sin(a)], None))
            }
            "length" => Ok(Value::plain(geometry::length(self.vector3(&arguments[0])?.0))),
            "unit" => {
                let (v, count) = self.vector3(&arguments[0])?;
                if geometry::length(v) == 0.0 {
                    return Err(self.fail(Diagnostic::error(
                        "zero",
                        span,
                        "the zero vector has no direction",
                    )));
                }
                Ok(Value::Vector(geometry::normalize(v)[..count].to_vec(), None))
            }
            "dot" => {
                let [a, b] = [self.vector3(&arguments[0])?.0, self.vector3(&arguments[1])?.0];
                Ok(Value::plain(geometry::dot(a, b)))
            }
            "cross" => {
                let [(a, n), (b, m)] = [self.vector3(&arguments[0])?, self.vector3(&arguments[1])?];
                let c = geometry::cross(a, b);
                Ok(if n == 2 && m == 2 { Value::plain(c[2]) } else { Value::Vector(c.to_vec(), None) })
            }
            _ => {
                let index = match function.name {
                    "x" => 0,
                    "y" => 1,
                    _ => 2,
                };
                Ok(Value::plain(self.vector3(&arguments[0])?.0[index]))
            }
        }
    }

    /// A vector of two or three numbers, and how many it has.
    fn vector3(&mut self, expr: &Expr) -> Evaluated<(geometry::Vec3, usize)> {
        match self.eval(expr)? {
            Value::Vector(parts, _) if (2..=3).contains(&parts.len()) => {
                Ok(([parts[0], parts[1], parts.get(2).copied().unwrap_or(0.0)], parts.len()))
            }
            other => Err(self.wrong_type(expr.span, "a vector", &other)),
        }
    }

    fn random(&mut self, name: &str, arguments: &[Expr], span: Span) -> Evaluated {
        let mut given = [0.0; 2];
        for (slot, argument) in given.iter_mut().zip(arguments) {
            *slot = self.number(argument)?;
        }
        let (first, second) = self.draw();
        let value = match (name, arguments.len()) {
            ("uniform", 0) => first,
            ("uniform", 1) => first * given[0],
            ("uniform", _) => given[0] + (given[1] - given[0]) * first,
            ("gauss", count) => {
                let (mean, deviation) = match count {
                    0 => (0.0, 1.0),
                    1 => (given[0], 1.0),
                    _ => (given[0], given[1]),
                };
                // Box and Muller's transform; 1 - first is never zero.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - first));
                mean + deviation * radius * libm::cos(std::f64::consts::TAU * second)
            }
            _ => {
                if given[0] < 1.0 {
                    return Err(self.fail(Diagnostic::error("range", span, "a die has at least one side")));
                }
                libm::floor(first * libm::floor(given[0]))
            }
        };
        Ok(Value::plain(value))
    }
}
