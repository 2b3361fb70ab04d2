//! Syntax trees as text. What is printed parses back to an equal tree.

use std::fmt::Write as _;

use crate::ast::{
    Binary, Declaration, Element, Event, Expectation, Expr, ExprKind, Item, Moment, Range, Schedule, Unary,
    Window,
};
use crate::value::number_text;

/// How tightly an expression binds; a looser one in a tighter place needs parentheses.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Vector(_) => 0,
        ExprKind::Binary(operator, _) => operator_strength(*operator),
        ExprKind::Within(_) => 4,
        ExprKind::Unary(Unary::Not, _) => 3,
        ExprKind::Unary(Unary::Minus, _) => 7,
        ExprKind::Number(value, _) if value.is_sign_negative() => 7,
        _ => 9,
    }
}

pub(super) fn operator_strength(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Add | Binary::Subtract => 5,
        Binary::Multiply | Binary::Divide => 6,
        Binary::Power => 8,
        _ => 4,
    }
}

/// An expression.
#[must_use]
pub fn expression(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr, 0);
    out
}

fn write_expr(out: &mut String, expr: &Expr, least: u8) {
    let own = strength(expr);
    if own < least {
        out.push('(');
    }
    match &expr.kind {
        ExprKind::Number(value, _) => out.push_str(&number_text(*value)),
        ExprKind::Percent(value) => {
            out.push_str(&number_text(*value));
            out.push('%');
        }
        ExprKind::Text(text) => {
            let _ = write!(out, "\"{text}\"");
        }
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Path(segments) => {
            for (index, segment) in segments.iter().enumerate() {
                if index > 0 {
                    out.push('.');
                }
                out.push_str(&segment.name.text);
                if !segment.indices.is_empty() {
                    out.push('[');
                    write_list(out, &segment.indices, ", ", 5);
                    out.push(']');
                }
            }
        }
        ExprKind::Call(name, arguments) => {
            let _ = write!(out, "{}(", name.text);
            write_list(out, arguments, ", ", 1);
            out.push(')');
        }
        ExprKind::Unary(Unary::Minus, operand) => {
            out.push('-');
            // A sign before a sign would be counted as one, and a number would swallow it.
            write_expr(out, operand, if matches!(operand.kind, ExprKind::Number(..)) { 10 } else { 8 });
        }
        ExprKind::Unary(Unary::Not, operand) => {
            out.push_str("not ");
            write_expr(out, operand, 3);
        }
        ExprKind::Binary(operator, operands) => {
            let (left, right) = match operator {
                Binary::Power => (9, 7),
                _ if operator.is_comparison() => (5, 5),
                _ => (own, own + 1),
            };
            write_expr(out, &operands.0, left);
            if *operator == Binary::Power {
                out.push('^');
            } else {
                let _ = write!(out, " {} ", operator.symbol());
            }
            write_expr(out, &operands.1, right);
        }
        ExprKind::Within(three) => {
            write_expr(out, &three.0, 5);
            out.push_str(" == ");
            write_expr(out, &three.1, 5);
            out.push_str(" within ");
            write_expr(out, &three.2, 5);
        }
        ExprKind::Vector(parts) => write_list(out, parts, ", ", 1),
        ExprKind::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str("; ");
                }
                write_element(out, element);
            }
            out.push(']');
        }
        ExprKind::Bad => out.push_str("bad"),
    }
    if own < least {
        out.push(')');
    }
}

fn write_list(out: &mut String, list: &[Expr], separator: &str, least: u8) {
    for (index, expr) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        write_expr(out, expr, least);
    }
}

fn write_element(out: &mut String, element: &Element) {
    match element {
        Element::One(expr) => write_expr(out, expr, 0),
        Element::For(variable, values, inner) => {
            let _ = write!(out, "for {} in {}: ", variable.text, range(values));
            write_element(out, inner);
        }
    }
}

fn range(range: &Range) -> String {
    let mut out = String::new();
    write_expr(&mut out, &range.from, 5);
    out.push_str(if range.inclusive { "..=" } else { ".." });
    write_expr(&mut out, &range.to, 5);
    if let Some(step) = &range.step {
        out.push_str(" step ");
        write_expr(&mut out, step, 5);
    }
    out
}

fn moment(moment: &Moment) -> String {
    let mut out = String::new();
    write_expr(&mut out, &moment.value, 5);
    if moment.steps {
        out.push_str(" steps");
    }
    out
}

/// `at 5`, `every 20 steps until 100`, `when …`.
#[must_use]
pub fn schedule(schedule: &Schedule) -> String {
    match schedule {
        Schedule::At(at) => format!("at {}", moment(at)),
        Schedule::Every { period, from, until } => {
            let mut out = format!("every {}", moment(period));
            if let Some(from) = from {
                let _ = write!(out, " from {}", moment(from));
            }
            if let Some(until) = until {
                let _ = write!(out, " until {}", moment(until));
            }
            out
        }
        Schedule::When(condition) => format!("when {}", expression(condition)),
    }
}

/// Statements, indented.
pub(crate) fn write_items(out: &mut String, items: &[Item], indent: usize) {
    for item in items {
        let pad = "  ".repeat(indent);
        match item {
            Item::Declaration(declaration) => write_declaration(out, declaration, indent),
            Item::Constant(constant) => {
                let _ = writeln!(out, "{pad}const {} = {}", constant.name.text, expression(&constant.value));
            }
            Item::Parameter(parameter) => {
                let _ = write!(out, "{pad}param {} = {}", parameter.name.text, expression(&parameter.value));
                if let Some((low, high)) = &parameter.range {
                    let _ = write!(out, " in {}..{}", expression(low), expression(high));
                }
                if let Some(about) = &parameter.about {
                    let _ = write!(out, " \"{about}\"");
                }
                out.push('\n');
            }
            Item::Repeat(repeat) => {
                let variable =
                    repeat.variable.as_ref().map_or(String::new(), |word| format!("{} in ", word.text));
                let _ = writeln!(out, "{pad}repeat {variable}{} {{", range(&repeat.range));
                write_items(out, &repeat.items, indent + 1);
                let _ = writeln!(out, "{pad}}}");
            }
            Item::If(branch) => {
                let _ = writeln!(out, "{pad}if {} {{", expression(&branch.condition));
                write_items(out, &branch.then, indent + 1);
                if !branch.otherwise.is_empty() {
                    let _ = writeln!(out, "{pad}}} else {{");
                    write_items(out, &branch.otherwise, indent + 1);
                }
                let _ = writeln!(out, "{pad}}}");
            }
            Item::Event(event) => write_event(out, event, indent),
            Item::Expectation(expectation) => write_expectation(out, expectation, indent),
        }
    }
}

/// A declaration, indented.
pub(crate) fn write_declaration(out: &mut String, declaration: &Declaration, indent: usize) {
    let pad = "  ".repeat(indent);
    let _ = write!(out, "{pad}{}", declaration.kind.text);
    for word in &declaration.head {
        out.push(' ');
        write_expr(out, word, 9);
    }
    if declaration.parameters.is_empty() && declaration.items.is_empty() {
        out.push_str(";\n");
        return;
    }
    out.push_str(" {");
    for argument in &declaration.parameters {
        let _ = write!(out, " {}", argument.name.text);
        if let Some(value) = &argument.value {
            out.push(' ');
            let word = matches!(&value.kind, ExprKind::Name(word)
                if matches!(word.as_str(), "on" | "off" | "yes" | "no" | "true" | "false"));
            // A condition of a flag is in parentheses.
            if crate::schema::is_flag(&argument.name.text) && !word {
                let _ = write!(out, "({})", expression(value));
            } else {
                write_expr(out, value, 0);
            }
        }
    }
    if declaration.items.is_empty() {
        out.push_str(" }\n");
        return;
    }
    out.push('\n');
    write_items(out, &declaration.items, indent + 1);
    let _ = writeln!(out, "{pad}}}");
}

fn write_event(out: &mut String, event: &Event, indent: usize) {
    let pad = "  ".repeat(indent);
    let _ = write!(out, "{pad}{}", schedule(&event.schedule));
    if let Some(variable) = &event.variable {
        let _ = write!(out, " as {}", variable.text);
    }
    if let Some(stream) = &event.stream {
        let _ = write!(out, " stream {}", expression(stream));
    }
    out.push_str(" {\n");
    write_items(out, &event.items, indent + 1);
    let _ = writeln!(out, "{pad}}}");
}

fn write_expectation(out: &mut String, expectation: &Expectation, indent: usize) {
    let pad = "  ".repeat(indent);
    let when = match &expectation.window {
        Window::Always => String::from("always"),
        Window::Finally => String::from("finally"),
        Window::After(at) => format!("after {}", moment(at)),
        Window::By(at) => format!("by {}", moment(at)),
        Window::From(from, None) => format!("from {}", moment(from)),
        Window::From(from, Some(until)) => format!("from {} until {}", moment(from), moment(until)),
    };
    let _ = write!(out, "{pad}expect {when}");
    if let Some(about) = &expectation.about {
        let _ = write!(out, " \"{about}\"");
    }
    let conditions: Vec<String> = expectation.conditions.iter().map(expression).collect();
    let _ = writeln!(out, " {{ {} }}", conditions.join("; "));
}
