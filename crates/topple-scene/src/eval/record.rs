//! The checker: parameters as written against the rows of a table. Lists every fault of a declaration.

use smol_str::SmolStr;

use super::names::{BODIES, Reference, TargetRef};
use super::scene::faulty_material;
use super::{Evaluator, Reported};
use crate::ast::{Argument, Declaration, Expr, ExprKind, Word};
use crate::diagnostics::{Diagnostic, nearest};
use crate::lower::check_setting;
use crate::model::{Setting, Vec3};
use crate::schema::{Default, Dims, Family, KindInfo, Param, Range, Type, functions};
use crate::span::Span;
use crate::units::Dimension;
use crate::value::Value;

/// Pairs of parameters of which only one can be meant, in whatever has both.
const EXCLUSIVE: &[(&str, &str)] = &[
    ("motorSpeed", "motorTarget"),
    ("breakForce", "alarmForce"),
    ("breakForce", "alarmTorque"),
    ("breakTorque", "alarmForce"),
    ("breakTorque", "alarmTorque"),
];

/// Ways to give a rotation in 3D.
const ROTATIONS: [&str; 3] = ["angle", "angles", "orientation"];

/// A value that fits its row.
#[derive(Clone, Debug)]
pub(crate) enum Checked {
    Number(f64),
    Vector(Vec3),
    Pair([f64; 2]),
    Quaternion([f64; 4]),
    Flag(bool),
    Text(SmolStr),
    Body(Reference),
    Targets(Vec<TargetRef>),
    Material(SmolStr),
    Points(Vec<Vec3>),
    Numbers(Vec<f64>),
    Rows(Vec<Vec<f64>>),
    Any(Value),
}

/// The checked parameters of a declaration.
pub(crate) struct Record {
    pub kind: &'static KindInfo,
    given: Vec<(&'static Param, Checked, Span)>,
}

impl Record {
    fn find(&self, name: &str) -> Option<&Checked> {
        self.given.iter().find(|(param, _, _)| param.name == name).map(|(_, value, _)| value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Place of a parameter that was given.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        self.given.iter().find(|(param, _, _)| param.name == name).map(|(_, _, span)| *span)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Param, &Checked)> {
        self.given.iter().map(|(param, value, _)| (*param, value))
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Checked> {
        let index = self.given.iter().position(|(param, _, _)| param.name == name)?;
        Some(self.given.swap_remove(index).1)
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        match self.find(name) {
            Some(Checked::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn vector(&self, name: &str) -> Option<Vec3> {
        match self.find(name) {
            Some(Checked::Vector(vector)) => Some(*vector),
            _ => None,
        }
    }

    pub(crate) fn pair(&self, name: &str) -> Option<[f64; 2]> {
        match self.find(name) {
            Some(Checked::Pair(pair)) => Some(*pair),
            _ => None,
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<SmolStr> {
        match self.find(name) {
            Some(Checked::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn row(&self, name: &str) -> &'static Param {
        // Builders name rows of their own tables; a test builds every kind.
        self.kind.param(name).unwrap_or_else(|| unreachable!("no row '{name}' in '{}'", self.kind.name))
    }

    /// Given, or the default of the table.
    pub(crate) fn number_or(&self, name: &str) -> f64 {
        self.number(name).unwrap_or_else(|| match self.row(name).default {
            Default::Number(number) => number,
            _ => 0.0,
        })
    }

    /// Given, or the default of the table.
    pub(crate) fn vector_or(&self, name: &str) -> Vec3 {
        self.vector(name).unwrap_or_else(|| match self.row(name).default {
            Default::Vector(vector) => vector,
            _ => [0.0; 3],
        })
    }

    /// Given, or the default of the table.
    pub(crate) fn flag(&self, name: &str) -> bool {
        match self.find(name) {
            Some(Checked::Flag(flag)) => *flag,
            Some(_) => false,
            None => matches!(self.row(name).default, Default::Flag(true)),
        }
    }

    /// A flag that was written.
    pub(crate) fn flag_given(&self, name: &str) -> Option<bool> {
        match self.find(name) {
            Some(Checked::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }
}

impl Checked {
    /// As a setting that is passed on by key.
    pub(crate) fn setting(&self, dimension: u8) -> Option<Setting> {
        Some(match self {
            Self::Number(number) => Setting::Number(*number),
            Self::Flag(flag) => Setting::Flag(*flag),
            Self::Text(text) => Setting::Text(text.clone()),
            Self::Vector(vector) => Setting::Vector(vector[..usize::from(dimension)].to_vec()),
            Self::Any(Value::Number(number, _)) => Setting::Number(*number),
            Self::Any(Value::Flag(flag)) => Setting::Flag(*flag),
            Self::Any(Value::Text(text)) => Setting::Text(text.clone()),
            Self::Any(Value::Vector(parts, _)) => Setting::Vector(parts.clone()),
            _ => return None,
        })
    }
}

impl Evaluator<'_> {
    /// Checks all parameters of a declaration; every fault is reported.
    pub(crate) fn record(
        &mut self,
        kind: &'static KindInfo,
        declaration: &Declaration,
    ) -> Result<Record, Reported> {
        self.record_of(kind, &declaration.kind, &declaration.parameters, declaration.broken)
    }

    /// The same for some of its parameters. What is missing from a broken declaration may be in what was not read.
    pub(crate) fn record_of(
        &mut self,
        kind: &'static KindInfo,
        name: &Word,
        arguments: &[Argument],
        broken: bool,
    ) -> Result<Record, Reported> {
        let mut record = Record { kind, given: Vec::with_capacity(arguments.len()) };
        let mut sound = !broken;
        for (index, argument) in arguments.iter().enumerate() {
            match self.argument(kind, argument, &arguments[..index]) {
                Ok((param, value)) => record.given.push((param, value, argument.span())),
                Err(Reported) => sound = false,
            }
        }
        if !broken {
            for param in kind.params().filter(|param| param.required) {
                sound &= self.is_there(kind, param, name, arguments);
            }
        }
        if !broken && !self.world.declared {
            for param in kind.seed_required.iter().filter_map(|name| kind.param(name)) {
                sound &= param.required || self.is_there(kind, param, name, arguments);
            }
        }
        sound &= self.check_together(&record).is_ok();
        if sound {
            return Ok(record);
        }
        // The names in it are still looked up, once all are known.
        for (_, value, _) in record.given {
            match value {
                Checked::Body(reference) => self.pending.lost_bodies.push(reference),
                Checked::Targets(targets) => self.pending.lost_targets.push((targets, BODIES)),
                _ => {}
            }
        }
        Err(Reported)
    }

    /// Parameters that are fine one by one but not together.
    fn check_together(&mut self, record: &Record) -> Result<(), Reported> {
        let mut sound = true;
        let mut fail = |this: &mut Self, code: &'static str, span: Span, message: String| {
            this.fail(Diagnostic::error(code, span, message));
            sound = false;
        };
        for (one, other) in EXCLUSIVE {
            if record.has(one)
                && let Some(span) = record.span(other)
            {
                fail(self, "value", span, format!("'{one}' and '{other}' cannot both be given"));
            }
        }
        let is_body = matches!(record.kind.family, Family::Shape | Family::Compound);
        let is_static = record.kind.name == "wall" || record.flag_given("static") == Some(true);
        if is_body
            && is_static
            && record.flag_given("kinematic") == Some(true)
            && let Some(span) = record.span("kinematic")
        {
            fail(self, "value", span, String::from("a body is 'static' or 'kinematic', not both"));
        }
        if self.dimension() == 3 && record.kind.param("orientation").is_some() {
            let mut given = ROTATIONS.iter().filter_map(|name| record.span(name));
            let (first, second) = (given.next(), given.next());
            if let Some(second) = second {
                let message = "the rotation is given twice: one of 'angle', 'angles', 'orientation'";
                fail(self, "duplicate-parameter", second, message.into());
            }
            if is_body
                && record.has("axis")
                && let Some(first) = first
            {
                let message = "the rotation is given twice: by 'axis' and by this";
                fail(self, "duplicate-parameter", first, message.into());
            }
        }
        if sound { Ok(()) } else { Err(Reported) }
    }

    /// Whether a parameter that must be given is; reports it if not.
    fn is_there(
        &mut self,
        kind: &'static KindInfo,
        param: &'static Param,
        name: &Word,
        arguments: &[Argument],
    ) -> bool {
        let there = arguments.iter().any(|argument| param.is(&argument.name.text));
        if there || !param.dims.has(self.dimension()) {
            return true;
        }
        if !self.is_misspelt(kind, param, arguments) {
            let shown = match kind.family {
                Family::Joint | Family::Force => format!("{} {}", name.text, kind.name),
                _ => name.text.to_string(),
            };
            let message = format!("'{shown}' needs '{}'", param.name);
            self.fail(
                Diagnostic::error("missing-parameter", name.span, message)
                    .detail(param.name)
                    .label(format!("no '{}' here", param.name)),
            );
        }
        false
    }

    /// Whether a parameter is missing only because its name is misspelt, which has been reported.
    fn is_misspelt(&mut self, kind: &'static KindInfo, param: &Param, arguments: &[Argument]) -> bool {
        arguments
            .iter()
            .filter(|argument| kind.param(&argument.name.text).is_none())
            .any(|argument| self.nearest_parameter(kind, &argument.name.text) == Some(param.name))
    }

    fn nearest_parameter(&mut self, kind: &'static KindInfo, name: &SmolStr) -> Option<&'static str> {
        if let Some(found) = self.meant.get(&(kind.name, name.clone())) {
            return *found;
        }
        let dimension = self.world.dimension;
        let known = kind.params().filter(|param| param.dims.has(dimension)).map(|param| param.name);
        let found = nearest(name, known);
        self.meant.insert((kind.name, name.clone()), found);
        found
    }

    fn argument(
        &mut self,
        kind: &'static KindInfo,
        argument: &Argument,
        before: &[Argument],
    ) -> Result<(&'static Param, Checked), Reported> {
        let name = &argument.name;
        let Some(param) = kind.param(&name.text) else {
            let message = format!("'{}' has no parameter '{}'", kind.name, name.text);
            let error = Diagnostic::error("unknown-parameter", name.span, message)
                .suggest(self.nearest_parameter(kind, &name.text));
            // The value is still looked at, so that its own faults are listed too.
            if let Some(value) = &argument.value {
                self.look_at(value);
            }
            return Err(self.fail(error));
        };
        if !param.dims.has(self.dimension()) {
            let only = if param.dims == Dims::Two { "2D" } else { "3D" };
            let message = format!("'{}' exists in {only} only", name.text);
            if let Some(value) = &argument.value {
                self.look_at(value);
            }
            return Err(self.fail(Diagnostic::error("dimension", name.span, message)));
        }
        let first = before.iter().find(|earlier| param.is(&earlier.name.text));
        if let Some(first) = first {
            let message = format!("'{}' is given twice", param.name);
            let error = Diagnostic::error("duplicate-parameter", name.span, message);
            self.fail(error.related(first.span(), "first here"));
        }
        self.at_parameter(param.name);
        let checked = match &argument.value {
            None => Checked::Flag(true),
            Some(value) => self.typed(param, value)?,
        };
        if first.is_some() { Err(Reported) } else { Ok((param, checked)) }
    }

    fn typed(&mut self, param: &'static Param, expr: &Expr) -> Result<Checked, Reported> {
        let mut unit = Ok(());
        let checked = match param.kind {
            Type::Flag => self.flag(expr).map(Checked::Flag),
            Type::Word(choices) => self.choice(param, expr, choices).map(Checked::Text),
            Type::Words(choices) => self.choices(param, expr, choices).map(Checked::Text),
            Type::Body => self.reference(expr).map(Checked::Body),
            Type::Targets => self.target_refs(expr).map(Checked::Targets),
            Type::Material => match expr.as_word() {
                Some(word) => self.material_name(word, expr.span).map(Checked::Material),
                None => {
                    Err(self.fail(Diagnostic::error("type", expr.span, "expected the name of a material")))
                }
            },
            Type::Colour => self.colour(expr).map(Checked::Vector),
            _ => {
                let value = self.eval(expr)?;
                unit = self.check_unit(param, &value, expr.span);
                self.shaped(param, value, expr.span)
            }
        }?;
        self.check_range(param, &checked, expr.span)?;
        unit.map(|()| checked)
    }

    /// Values whose type does not depend on names.
    fn shaped(&mut self, param: &'static Param, value: Value, span: Span) -> Result<Checked, Reported> {
        let dimension = usize::from(self.dimension());
        let pad = |parts: &[f64]| [parts[0], parts[1], parts.get(2).copied().unwrap_or(0.0)];
        match (param.kind, value) {
            (Type::Number, Value::Number(number, _)) => Ok(Checked::Number(number)),
            (Type::Integer, Value::Number(number, _)) => {
                if number != libm::round(number) {
                    let message = format!("'{}' must be a whole number, found {number}", param.name);
                    return Err(self.fail(Diagnostic::error("value", span, message)));
                }
                Ok(Checked::Number(number))
            }
            (Type::Vector, Value::Vector(parts, _)) if parts.len() == dimension => {
                Ok(Checked::Vector(pad(&parts)))
            }
            (Type::Spin, Value::Number(number, _)) if dimension == 2 => {
                Ok(Checked::Vector([0.0, 0.0, number]))
            }
            (Type::Spin, Value::Vector(parts, _)) if dimension == 3 && parts.len() == 3 => {
                Ok(Checked::Vector(pad(&parts)))
            }
            (Type::Pair, Value::Vector(parts, _)) if parts.len() == 2 => {
                Ok(Checked::Pair([parts[0], parts[1]]))
            }
            (Type::Quaternion, Value::Vector(parts, _)) if parts.len() == 4 => {
                Ok(Checked::Quaternion([parts[0], parts[1], parts[2], parts[3]]))
            }
            (Type::Text, Value::Text(text)) => Ok(Checked::Text(text)),
            (Type::Points, Value::List(list)) => {
                let mut points = Vec::with_capacity(list.len());
                for (index, point) in list.iter().enumerate() {
                    match point {
                        Value::Vector(parts, _) if parts.len() == dimension => points.push(pad(parts)),
                        other => {
                            let message = format!(
                                "point {index} of '{}' must be {dimension} numbers, found {}",
                                param.name,
                                other.describe()
                            );
                            return Err(self.fail(Diagnostic::error("type", span, message)));
                        }
                    }
                }
                Ok(Checked::Points(points))
            }
            (Type::Numbers, Value::Number(number, _)) => Ok(Checked::Numbers(vec![number])),
            (Type::Numbers, Value::Vector(parts, _)) => Ok(Checked::Numbers(parts)),
            (Type::Rows, Value::Vector(parts, _)) => {
                Ok(Checked::Rows(parts.into_iter().map(|part| vec![part]).collect()))
            }
            (Type::Rows, Value::List(list)) => {
                let mut rows = Vec::with_capacity(list.len());
                for entry in list {
                    match entry {
                        Value::Number(number, _) => rows.push(vec![number]),
                        Value::Vector(parts, _) => rows.push(parts),
                        other => {
                            let message =
                                format!("'{}' holds numbers, found {}", param.name, other.describe());
                            return Err(self.fail(Diagnostic::error("type", span, message)));
                        }
                    }
                }
                Ok(Checked::Rows(rows))
            }
            (Type::Numbers, Value::List(list)) => {
                let mut numbers = Vec::with_capacity(list.len());
                for entry in &list {
                    match entry {
                        Value::Number(number, _) => numbers.push(*number),
                        Value::Vector(parts, _) => numbers.extend(parts),
                        other => {
                            let message =
                                format!("'{}' holds numbers, found {}", param.name, other.describe());
                            return Err(self.fail(Diagnostic::error("type", span, message)));
                        }
                    }
                }
                Ok(Checked::Numbers(numbers))
            }
            (Type::Any, value) => Ok(Checked::Any(value)),
            (kind, value) => {
                let wanted = describe(kind, dimension);
                let message = format!("'{}' must be {wanted}, found {}", param.name, value.describe());
                let mut error = Diagnostic::error("type", span, message).label(format!("expected {wanted}"));
                if matches!(value, Value::Vector(..)) && matches!(kind, Type::Points) {
                    error = error.help("points are a list: [0,0; 1,0; 0,1]");
                }
                Err(self.fail(error))
            }
        }
    }

    /// A word out of several.
    fn choice(&mut self, param: &Param, expr: &Expr, choices: &[&'static str]) -> Result<SmolStr, Reported> {
        let listed = || format!("one of {}", choices.join(", "));
        let Some(word) = expr.as_word() else {
            if matches!(expr.kind, ExprKind::Bad) {
                return Err(Reported);
            }
            let written: String =
                self.sources.text(expr.span).chars().filter(|letter| !letter.is_whitespace()).collect();
            let message = format!("'{}' must be a word", param.name);
            let error = Diagnostic::error("type", expr.span, message);
            return Err(self.fail(if choices.contains(&written.as_str()) {
                error.help(format!("write it without spaces: {written}"))
            } else {
                error.help(listed())
            }));
        };
        // A constant may hold the word: `param method = "rk4"`.
        let mut word = word.clone();
        if matches!(expr.kind, ExprKind::Name(_)) && !choices.contains(&word.as_str()) {
            match self.lookup(&word, expr.span) {
                Some(Ok(Value::Text(text))) => word = text,
                Some(Err(Reported)) => return Err(Reported),
                _ => {}
            }
        }
        if choices.contains(&word.as_str()) {
            return Ok(word);
        }
        let message = format!("'{}' cannot be '{word}'", param.name);
        let near = nearest(&word, choices.iter().copied());
        let error = Diagnostic::error("value", expr.span, message).help(listed());
        Err(self.fail(if near.is_some() { error.suggest(near) } else { error }))
    }

    fn choices(&mut self, param: &Param, expr: &Expr, choices: &[&'static str]) -> Result<SmolStr, Reported> {
        let Some(text) = expr.as_word() else {
            let message = format!("'{}' must be words in quotes", param.name);
            return Err(self.fail(Diagnostic::error("type", expr.span, message)));
        };
        for word in text.split_whitespace() {
            if !choices.contains(&word) {
                let message = format!("'{}' cannot be '{word}'", param.name);
                let help = format!("some of {}", choices.join(", "));
                return Err(self.fail(Diagnostic::error("value", expr.span, message).help(help)));
            }
        }
        Ok(text.clone())
    }

    fn material_name(&mut self, word: &SmolStr, span: Span) -> Result<SmolStr, Reported> {
        if self.scene.materials.iter().any(|known| known.name == *word) {
            return Ok(word.clone());
        }
        if self.names.is_faulty(&faulty_material(word)) {
            return Err(Reported);
        }
        let known = self.scene.materials.iter().map(|known| known.name.as_str());
        let error = Diagnostic::error("unknown-material", span, format!("there is no material '{word}'"))
            .suggest(self.near((span, "unknown-material"), word, known));
        Err(self.fail(error))
    }

    fn colour(&mut self, expr: &Expr) -> Result<Vec3, Reported> {
        if let Some(word) = expr.as_word() {
            let bound = match expr.kind {
                ExprKind::Name(_) => self.lookup(word, expr.span),
                _ => None,
            };
            if bound.is_none() {
                return self.colour_word(word, expr.span);
            }
        }
        match self.eval(expr)? {
            Value::Vector(parts, _) if parts.len() == 3 => Ok([parts[0], parts[1], parts[2]]),
            Value::Text(text) => self.colour_word(&text, expr.span),
            other => {
                Err(self.wrong_type(expr.span, "a colour: three numbers from 0 to 1, or a name", &other))
            }
        }
    }

    fn colour_word(&mut self, word: &str, span: Span) -> Result<Vec3, Reported> {
        if let Some(colour) = functions::colour(word) {
            return Ok(colour);
        }
        if let Some(hex) = word.strip_prefix('#')
            && hex.len() == 6
            && let Ok(bits) = u32::from_str_radix(hex, 16)
        {
            let part = |shift: u32| f64::from((bits >> shift) & 0xff) / 255.0;
            return Ok([part(16), part(8), part(0)]);
        }
        let known = functions::COLOURS.iter().map(|(name, _)| *name);
        let error = Diagnostic::error("value", span, format!("there is no colour '{word}'"))
            .help("three numbers from 0 to 1, a name, or \"#rrggbb\"");
        let near = self.near((span, "value"), word, known);
        Err(self.fail(if near.is_some() { error.suggest(near) } else { error }))
    }

    fn check_unit(&mut self, param: &Param, value: &Value, span: Span) -> Result<(), Reported> {
        let Some(found) = value.dimension() else { return Ok(()) };
        let direction = param.unit == Dimension::NONE && param.range == Range::NonZero;
        // In 2D a density is per area.
        let flat = self.dimension() == 2 && param.unit.m == -3 && found == Dimension { m: -2, ..param.unit };
        let other = param.other_unit.is_some_and(|unit| unit.accepts(found));
        if direction || flat || other || param.unit.accepts(found) || param.kind == Type::Any {
            return Ok(());
        }
        let wanted = match param.other_unit {
            Some(other) => format!("{} or {}", param.unit.describe(), other.describe()),
            None => param.unit.describe(),
        };
        let message = format!("'{}' is {wanted}, found {}", param.name, found.describe());
        Err(self.fail(Diagnostic::error("unit", span, message)))
    }

    fn check_range(&mut self, param: &'static Param, value: &Checked, span: Span) -> Result<(), Reported> {
        let numbers: &[f64] = match value {
            Checked::Number(number) => std::slice::from_ref(number),
            Checked::Vector(vector) if param.kind == Type::Spin && self.world.dimension == 2 => &vector[2..],
            Checked::Vector(vector) if param.kind == Type::Colour => vector,
            Checked::Vector(vector) => &vector[..usize::from(self.world.dimension)],
            Checked::Pair(pair) => pair,
            Checked::Numbers(numbers) => numbers,
            _ => &[],
        };
        let problem = match param.range {
            Range::Any => None,
            Range::Positive => numbers.iter().any(|x| *x <= 0.0).then(|| String::from("must be positive")),
            Range::NotNegative => {
                numbers.iter().any(|x| *x < 0.0).then(|| String::from("must not be negative"))
            }
            Range::Fraction => numbers
                .iter()
                .any(|x| !(0.0..=1.0).contains(x))
                .then(|| String::from("must be between 0 and 1")),
            Range::NonZero => numbers.iter().all(|x| *x == 0.0).then(|| String::from("must not be zero")),
            Range::Between(low, high) => numbers
                .iter()
                .any(|x| !(low..=high).contains(x))
                .then(|| format!("must be between {low} and {high}")),
            Range::Ordered => match value {
                Checked::Pair([low, high]) if low > high => {
                    Some(String::from("must have the smaller value first"))
                }
                _ => None,
            },
            Range::Engine(allowed) => {
                let setting = value.setting(self.world.dimension);
                let refused = setting.and_then(|setting| check_setting(param.name, &setting).err());
                refused.map(|_| format!("must be {allowed}"))
            }
            Range::AtLeast(count) => match value {
                Checked::Points(points) if points.len() < count => {
                    Some(format!("needs at least {count} points"))
                }
                _ => None,
            },
        };
        if let Some(problem) = problem {
            let found = match numbers {
                [number] => format!(", found {number}"),
                _ => String::new(),
            };
            let message = format!("'{}' {problem}{found}", param.name);
            return Err(self.fail(Diagnostic::error("value", span, message)));
        }
        if param.name == "elastic" && numbers.iter().any(|x| *x > 1.0) {
            self.note(Diagnostic::warning("elastic", span, "'elastic' above 1: every bounce gains energy"));
        }
        Ok(())
    }
}

fn describe(kind: Type, dimension: usize) -> String {
    match kind {
        Type::Number => String::from("a number"),
        Type::Integer => String::from("a whole number"),
        Type::Vector => format!("a vector of {dimension} numbers"),
        Type::Spin if dimension == 2 => String::from("a number"),
        Type::Spin => String::from("a vector of 3 numbers"),
        Type::Pair => String::from("two numbers"),
        Type::Quaternion => String::from("four numbers"),
        Type::Text => String::from("a text in quotes"),
        Type::Points => String::from("a list of points"),
        Type::Numbers | Type::Rows => String::from("a list of numbers"),
        _ => String::from("something else"),
    }
}
