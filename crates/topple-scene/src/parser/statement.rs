//! Statements that are not declarations: constants, parameters, repetitions, conditions, events, expectations.

use smol_str::SmolStr;

use super::{Fault, Parsed, Parser};
use crate::ast::{
    Argument, Constant, Declaration, Event, Expectation, If, Item, Moment, Parameter, Range, Repeat,
    Schedule, Window, Word,
};
use crate::diagnostics::Diagnostic;
use crate::lexer::Kind;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<Item> {
        match self.text_at(0) {
            "const" => self.constant(),
            "param" => self.parameter(),
            "repeat" | "for" => self.repeat(),
            "if" => self.condition(),
            "at" => self.at_event(),
            "every" => self.every_event(),
            "when" => self.when_event(),
            _ => self.expectation(),
        }
    }

    fn constant(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.word("the name of the constant")?;
        self.assign()?;
        Ok(Item::Constant(Constant { name, value: self.value()? }))
    }

    fn assign(&mut self) -> Parsed<()> {
        if self.eat(Kind::Assign) { Ok(()) } else { Err(self.unexpected("'='")) }
    }

    fn parameter(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.word("the name of the parameter")?;
        self.assign()?;
        let value = self.value()?;
        let mut range = None;
        if self.eat_word("in") {
            let from = self.sum()?;
            if !self.eat(Kind::Range) && !self.eat(Kind::RangeInclusive) {
                return Err(self.unexpected("'..'"));
            }
            range = Some((from, self.sum()?));
        }
        let about = self.optional_text();
        Ok(Item::Parameter(Parameter { name, value, range, about }))
    }

    fn optional_text(&mut self) -> Option<SmolStr> {
        if self.peek() != Kind::Text {
            return None;
        }
        let text = SmolStr::new(self.text_at(0).trim_matches('"'));
        self.advance();
        Some(text)
    }

    fn repeat(&mut self) -> Parsed<Item> {
        let span = self.span();
        self.advance();
        let mut variable = None;
        if self.peek() == Kind::Name && self.peek_at(1) == Kind::Name && self.text_at(1) == "in" {
            variable = Some(self.word("the loop variable")?);
            self.advance();
        }
        let range = self.range(variable.is_some())?;
        let span = span.to(self.previous_span());
        Ok(Item::Repeat(Repeat { variable, range, items: self.block()?, span }))
    }

    /// `a..b`, `a..=b`, with `step c`; a bare count where there is no variable.
    pub(super) fn range(&mut self, named: bool) -> Parsed<Range> {
        let from = self.sum()?;
        let inclusive = self.peek() == Kind::RangeInclusive;
        if !self.eat(Kind::Range) && !self.eat(Kind::RangeInclusive) {
            if named {
                let span = from.span;
                self.report(
                    Diagnostic::error("syntax", span, "a range is expected")
                        .help("write it as 0..10, without 10"),
                );
                return Err(Fault);
            }
            let zero = crate::ast::Expr::number(0.0, from.span.head());
            return Ok(Range { from: zero, to: from, inclusive: false, step: None });
        }
        let to = self.sum()?;
        let step = if self.eat_word("step") { Some(self.sum()?) } else { None };
        Ok(Range { from, to, inclusive, step })
    }

    fn condition(&mut self) -> Parsed<Item> {
        self.advance();
        let condition = self.expression()?;
        let then = self.block()?;
        let mut otherwise = Vec::new();
        if self.eat_word("else") {
            otherwise = if self.at_word("if") {
                // `else if` chains nest: bounded like blocks.
                vec![self.nested(Self::condition)?]
            } else {
                self.block()?
            };
        }
        Ok(Item::If(If { condition, then, otherwise }))
    }

    /// `5s`, `5 s`, `300 steps`, `step 300`.
    fn moment(&mut self) -> Parsed<Moment> {
        let prefixed = self.eat_word("step");
        let value = self.sum()?;
        let counted = self.eat_word("steps") || self.eat_word("step");
        if !counted {
            let _ = self.eat_word("s") || self.eat_word("seconds");
        }
        Ok(Moment { value, steps: prefixed || counted })
    }

    fn at_event(&mut self) -> Parsed<Item> {
        let span = self.span();
        self.advance();
        let schedule = Schedule::At(self.moment()?);
        self.event(schedule, None, span)
    }

    /// In braces that hold parameters and declarations, `at` may be either: a place, or a moment with a block.
    pub(super) fn at_entry(&mut self, declaration: &mut Declaration) -> Parsed<()> {
        let name = self.word("a parameter name")?;
        self.eat(Kind::Colon);
        let prefixed = self.eat_word("step");
        let value = self.value()?;
        let steps = prefixed || self.eat_word("steps") || self.eat_word("step");
        if steps || self.peek() == Kind::OpenBrace || self.at_word("stream") {
            let schedule = Schedule::At(Moment { value, steps });
            let item = self.event(schedule, None, name.span)?;
            declaration.items.push(item);
        } else {
            declaration.parameters.push(Argument { name, value: Some(value) });
        }
        Ok(())
    }

    fn every_event(&mut self) -> Parsed<Item> {
        let span = self.span();
        self.advance();
        let period = self.moment()?;
        let (mut from, mut until, mut variable) = (None, None, None);
        loop {
            if self.eat_word("from") {
                from = Some(self.moment()?);
            } else if self.eat_word("until") {
                until = Some(self.moment()?);
            } else if self.eat_word("as") {
                variable = Some(self.word("a name for the number of the occurrence")?);
            } else {
                break;
            }
        }
        self.event(Schedule::Every { period, from, until }, variable, span)
    }

    fn when_event(&mut self) -> Parsed<Item> {
        let span = self.span();
        self.advance();
        let schedule = Schedule::When(self.expression()?);
        self.event(schedule, None, span)
    }

    fn event(
        &mut self,
        schedule: Schedule,
        variable: Option<Word>,
        start: crate::span::Span,
    ) -> Parsed<Item> {
        let stream = if self.eat_word("stream") { Some(self.sum()?) } else { None };
        let span = start.to(self.previous_span());
        Ok(Item::Event(Event { schedule, variable, stream, items: self.block()?, span }))
    }

    fn expectation(&mut self) -> Parsed<Item> {
        let start = self.span();
        self.advance();
        let window = if self.eat_word("always") {
            Window::Always
        } else if self.eat_word("finally") {
            Window::Finally
        } else if self.eat_word("after") || self.eat_word("at") {
            Window::After(self.moment()?)
        } else if self.eat_word("by") {
            Window::By(self.moment()?)
        } else if self.eat_word("from") {
            let from = self.moment()?;
            let until = if self.eat_word("until") { Some(self.moment()?) } else { None };
            Window::From(from, until)
        } else {
            return Err(self.unexpected("'after', 'always', 'from', 'by' or 'finally'"));
        };
        let about = self.optional_text();
        let open = self.span();
        if !self.eat(Kind::OpenBrace) {
            return Err(self.unexpected("'{'"));
        }
        let mut conditions = Vec::new();
        while !self.eat(Kind::CloseBrace) {
            if self.peek() == Kind::End {
                return Err(self.unclosed(open));
            }
            if self.eat(Kind::Semicolon) {
                continue;
            }
            conditions.push(self.expression()?);
        }
        let span = start.to(self.previous_span());
        Ok(Item::Expectation(Expectation { window, about, conditions, span }))
    }
}
