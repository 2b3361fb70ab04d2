//! Values of expressions.

use smol_str::SmolStr;

use crate::units::Dimension;

/// What an expression gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number in SI; what it measures, as far as that is certain.
    Number(f64, Option<Dimension>),
    /// A condition.
    Flag(bool),
    /// A text.
    Text(SmolStr),
    /// Numbers joined by commas.
    Vector(Vec<f64>, Option<Dimension>),
    /// A list in brackets.
    List(Vec<Value>),
}

impl Value {
    /// A number that measures nothing in particular.
    #[must_use]
    pub fn plain(number: f64) -> Self {
        Self::Number(number, None)
    }

    /// For messages: `a number`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Number(..) => String::from("a number"),
            Self::Flag(_) => String::from("a condition"),
            Self::Text(_) => String::from("a text"),
            Self::Vector(parts, _) => format!("{} numbers", parts.len()),
            Self::List(_) => String::from("a list"),
        }
    }

    /// How many numbers it holds.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Vector(parts, _) => parts.len() as u64,
            Self::List(list) => list.iter().map(|value| value.size().max(1)).sum(),
            _ => 0,
        }
    }

    /// What it measures.
    #[must_use]
    pub fn dimension(&self) -> Option<Dimension> {
        match self {
            Self::Number(_, dimension) | Self::Vector(_, dimension) => *dimension,
            _ => None,
        }
    }
}

/// A number as the language writes it: shortest text that reads back to the same bits.
#[must_use]
pub fn number_text(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}

/// The value as text of the language.
#[must_use]
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Number(number, _) => number_text(*number),
        Value::Flag(flag) => String::from(if *flag { "on" } else { "off" }),
        Value::Text(text) => format!("\"{text}\""),
        Value::Vector(parts, _) => parts.iter().map(|part| number_text(*part)).collect::<Vec<_>>().join(", "),
        Value::List(list) => format!("[{}]", list.iter().map(value_text).collect::<Vec<_>>().join("; ")),
    }
}
