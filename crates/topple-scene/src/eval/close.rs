//! Closing a block: constants and variables are replaced by their values, so that it can be kept, printed, and
//! expanded later without the scene around it. Names that the block defines itself stay.

use std::collections::HashSet;

use smol_str::SmolStr;

use super::{Evaluator, Reported};
use crate::ast::{
    Argument, Constant, Declaration, Element, Expr, ExprKind, If, Item, Parameter, Range, Repeat, Segment,
    Unary, Word,
};
use crate::schema::{self, Type};
use crate::span::{FileId, Span};
use crate::units::Dimension;
use crate::value::Value;

impl Evaluator<'_> {
    /// Closes the block of an event, whose variable stays open.
    pub(crate) fn close_items(
        &mut self,
        items: &[Item],
        variable: Option<&SmolStr>,
    ) -> Result<Vec<Item>, Reported> {
        let mut own: Vec<SmolStr> = variable.cloned().into_iter().collect();
        self.close_block(items, &mut own)
    }

    pub(crate) fn is_bound(&self, name: &SmolStr) -> bool {
        self.locals.iter().any(|(known, _)| known == name)
            || self.failed.contains(name)
            || self.globals.contains_key(name)
    }

    fn close_block(&mut self, items: &[Item], own: &mut Vec<SmolStr>) -> Result<Vec<Item>, Reported> {
        let outer = own.len();
        let mut closed = Vec::with_capacity(items.len());
        for item in items {
            // In a trial everything is looked at; what stays is only what can run.
            let is_broken = matches!(item, Item::Declaration(declaration) if declaration.broken);
            if is_broken && !self.keeps_units {
                continue;
            }
            match self.close_item(item, own) {
                Ok(item) => closed.push(item),
                // Without a constant nothing that uses it can run.
                Err(Reported) if self.exhausted || matches!(item, Item::Constant(_) | Item::Parameter(_)) => {
                    return Err(Reported);
                }
                Err(Reported) => {}
            }
        }
        own.truncate(outer);
        Ok(closed)
    }

    fn close_item(&mut self, item: &Item, own: &mut Vec<SmolStr>) -> Result<Item, Reported> {
        // A copy per event: counted like the elements of a list, which bounds the memory.
        self.elements(1, Span::default())?;
        Ok(match item {
            Item::Declaration(declaration) => Item::Declaration(self.close_declaration(declaration, own)?),
            Item::Constant(constant) => {
                let value = self.close_expr(&constant.value, own)?;
                own.push(constant.name.text.clone());
                Item::Constant(Constant { name: constant.name.clone(), value })
            }
            Item::Parameter(parameter) => {
                let value = self.close_expr(&parameter.value, own)?;
                own.push(parameter.name.text.clone());
                Item::Parameter(Parameter { value, ..parameter.clone() })
            }
            Item::Repeat(repeat) => {
                let range = self.close_range(&repeat.range, own)?;
                let outer = own.len();
                own.extend(repeat.variable.as_ref().map(|word| word.text.clone()));
                let items = self.close_block(&repeat.items, own)?;
                own.truncate(outer);
                Item::Repeat(Repeat { variable: repeat.variable.clone(), range, items, span: repeat.span })
            }
            Item::If(branch) => Item::If(If {
                condition: self.close_expr(&branch.condition, own)?,
                then: self.close_block(&branch.then, own)?,
                otherwise: self.close_block(&branch.otherwise, own)?,
            }),
            // Refused where they are evaluated.
            Item::Event(_) | Item::Expectation(_) => item.clone(),
        })
    }

    pub(crate) fn close_declaration(
        &mut self,
        declaration: &Declaration,
        own: &mut Vec<SmolStr>,
    ) -> Result<Declaration, Reported> {
        let word = &declaration.kind.text;
        let second =
            declaration.head.first().and_then(Expr::as_word).map(SmolStr::as_str).unwrap_or_default();
        let kind = match word.as_str() {
            "joint" => schema::joints::find(second),
            "force" => schema::forces::find(second),
            _ => schema::kind(word),
        };
        let mut head = Vec::with_capacity(declaration.head.len());
        for expr in &declaration.head {
            head.push(self.close_reference(expr, own)?);
        }
        let mut parameters = Vec::with_capacity(declaration.parameters.len());
        for argument in &declaration.parameters {
            let row = kind.and_then(|kind| kind.param(&argument.name.text)).map(|param| param.kind);
            let value = match (&argument.value, row) {
                (None, _) => None,
                (Some(value), Some(Type::Body | Type::Targets | Type::Material)) => {
                    Some(self.close_reference(value, own)?)
                }
                (Some(value), Some(Type::Word(choices)))
                    if value.as_word().is_some_and(|word| choices.contains(&word.as_str())) =>
                {
                    Some(value.clone())
                }
                (Some(value), _) => Some(self.close_expr(value, own)?),
            };
            parameters.push(Argument { name: argument.name.clone(), value });
        }
        let items = self.close_block(&declaration.items, own)?;
        let Declaration { kind, broken, span, .. } = declaration;
        Ok(Declaration { kind: kind.clone(), head, parameters, items, broken: *broken, span: *span })
    }

    /// Names of bodies stay; only their indices are closed.
    fn close_reference(&mut self, expr: &Expr, own: &mut Vec<SmolStr>) -> Result<Expr, Reported> {
        match &expr.kind {
            ExprKind::Path(segments) => {
                let mut closed = Vec::with_capacity(segments.len());
                for segment in segments {
                    let mut indices = Vec::with_capacity(segment.indices.len());
                    for index in &segment.indices {
                        indices.push(self.close_expr(index, own)?);
                    }
                    closed.push(Segment { name: segment.name.clone(), indices });
                }
                Ok(Expr::node(ExprKind::Path(closed), expr.span))
            }
            ExprKind::Vector(parts) => {
                let mut closed = Vec::with_capacity(parts.len());
                for part in parts {
                    closed.push(self.close_reference(part, own)?);
                }
                Ok(Expr::node(ExprKind::Vector(closed), expr.span))
            }
            _ => Ok(expr.clone()),
        }
    }

    fn close_range(&mut self, range: &Range, own: &mut Vec<SmolStr>) -> Result<Range, Reported> {
        Ok(Range {
            from: self.close_expr(&range.from, own)?,
            to: self.close_expr(&range.to, own)?,
            inclusive: range.inclusive,
            step: range.step.as_ref().map(|step| self.close_expr(step, own)).transpose()?,
        })
    }

    fn close_expr(&mut self, expr: &Expr, own: &mut Vec<SmolStr>) -> Result<Expr, Reported> {
        self.work(1, expr.span)?;
        self.elements(1, expr.span)?;
        let kind = match &expr.kind {
            // Units are checked in a trial; the printer writes plain numbers.
            ExprKind::Number(value, unit) => ExprKind::Number(*value, unit.filter(|_| self.keeps_units)),
            ExprKind::Name(name) if !own.contains(name) && self.is_bound(name) => {
                match self.lookup(name, expr.span) {
                    Some(Err(Reported)) if self.keeps_units && !self.exhausted => ExprKind::Bad,
                    Some(value) => return Ok(literal(&value?, expr.span, self.keeps_units)),
                    None => expr.kind.clone(),
                }
            }
            ExprKind::Path(_) => return self.close_reference(expr, own),
            ExprKind::Call(name, list) => {
                ExprKind::Call(Word { text: name.text.clone(), span: name.span }, self.close_list(list, own)?)
            }
            ExprKind::Vector(list) => ExprKind::Vector(self.close_list(list, own)?),
            ExprKind::Unary(operator, operand) => match (operator, self.close_expr(operand, own)?) {
                // As the parser reads it.
                (Unary::Minus, Expr { kind: ExprKind::Number(value, unit), .. }) => {
                    ExprKind::Number(-value, unit)
                }
                (operator, operand) => ExprKind::Unary(*operator, Box::new(operand)),
            },
            ExprKind::Binary(operator, operands) => {
                let (left, right) = (self.close_expr(&operands.0, own)?, self.close_expr(&operands.1, own)?);
                ExprKind::Binary(*operator, Box::new((left, right)))
            }
            ExprKind::Within(three) => ExprKind::Within(Box::new((
                self.close_expr(&three.0, own)?,
                self.close_expr(&three.1, own)?,
                self.close_expr(&three.2, own)?,
            ))),
            ExprKind::List(elements) => {
                let mut closed = Vec::with_capacity(elements.len());
                for element in elements {
                    closed.push(self.close_element(element, own)?);
                }
                ExprKind::List(closed)
            }
            ExprKind::Bad if !self.keeps_units => return Err(Reported),
            other => other.clone(),
        };
        Ok(Expr::node(kind, expr.span))
    }

    fn close_list(&mut self, list: &[Expr], own: &mut Vec<SmolStr>) -> Result<Vec<Expr>, Reported> {
        let mut closed = Vec::with_capacity(list.len());
        for expr in list {
            closed.push(self.close_expr(expr, own)?);
        }
        Ok(closed)
    }

    fn close_element(&mut self, element: &Element, own: &mut Vec<SmolStr>) -> Result<Element, Reported> {
        Ok(match element {
            Element::One(expr) => Element::One(self.close_expr(expr, own)?),
            Element::For(variable, range, inner) => {
                let range = self.close_range(range, own)?;
                own.push(variable.text.clone());
                let inner = self.close_element(inner, own);
                own.pop();
                Element::For(variable.clone(), Box::new(range), Box::new(inner?))
            }
        })
    }
}

/// A value as an expression, with or without its unit.
fn literal(value: &Value, span: Span, keeps_units: bool) -> Expr {
    let number = |number: f64, unit: Option<Dimension>| {
        Expr::leaf(ExprKind::Number(number, unit.filter(|_| keeps_units)), span)
    };
    match value {
        Value::Number(value, unit) => number(*value, *unit),
        Value::Flag(flag) => {
            Expr::leaf(ExprKind::Name(SmolStr::new_static(if *flag { "true" } else { "false" })), span)
        }
        Value::Text(text) => Expr::leaf(ExprKind::Text(text.clone()), span),
        Value::Vector(parts, unit) => {
            let parts = parts.iter().map(|part| number(*part, *unit)).collect();
            Expr::node(ExprKind::Vector(parts), span)
        }
        Value::List(list) => {
            let elements = list.iter().map(|value| Element::One(literal(value, span, keeps_units))).collect();
            Expr::node(ExprKind::List(elements), span)
        }
    }
}

/// Takes the statements at these places out of a block.
pub(crate) fn prune(items: &mut Vec<Item>, faulty: &HashSet<(FileId, u32, u32)>) {
    items.retain(|item| !faulty.contains(&item.span().key()));
    for item in items {
        match item {
            Item::Declaration(declaration) => prune(&mut declaration.items, faulty),
            Item::Repeat(repeat) => prune(&mut repeat.items, faulty),
            Item::If(branch) => {
                prune(&mut branch.then, faulty);
                prune(&mut branch.otherwise, faulty);
            }
            Item::Constant(_) | Item::Parameter(_) | Item::Event(_) | Item::Expectation(_) => {}
        }
    }
}
