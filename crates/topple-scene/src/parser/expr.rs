//! Expressions. Loosest first: `or`, `and`, `not`, comparison, sum, product, sign, power; the comma that builds
//! vectors is looser than all of them, as in the seed.

use smol_str::SmolStr;

use super::{Fault, Parsed, Parser};
use crate::ast::{Binary, Element, Expr, ExprKind, Segment, Unary, Word};
use crate::diagnostics::Diagnostic;
use crate::lexer::{self, Kind};
use crate::units;

impl Parser<'_> {
    /// `a`, or `a, b, c`.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if self.peek() != Kind::Comma {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat(Kind::Comma) {
            parts.push(self.expression()?);
        }
        let span = start.to(self.previous_span());
        self.build(ExprKind::Vector(parts), span)
    }

    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.conjunction()?;
        while self.eat_word("or") {
            let right = self.conjunction()?;
            left = self.binary(Binary::Or, left, right)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.eat_word("and") {
            let right = self.negation()?;
            left = self.binary(Binary::And, left, right)?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut count = 0usize;
        while self.at_word("not") && self.peek_at(1) != Kind::OpenBrace {
            self.advance();
            count += 1;
        }
        let mut expr = self.comparison()?;
        for _ in 0..count {
            let span = start.to(expr.span);
            expr = self.build(ExprKind::Unary(Unary::Not, Box::new(expr)), span)?;
        }
        Ok(expr)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        let operator = match self.peek() {
            Kind::Less => Binary::Less,
            Kind::LessEqual => Binary::LessEqual,
            Kind::Greater => Binary::Greater,
            Kind::GreaterEqual => Binary::GreaterEqual,
            Kind::Equal => Binary::Equal,
            Kind::NotEqual => Binary::NotEqual,
            _ => return Ok(left),
        };
        self.advance();
        let right = self.sum()?;
        if operator == Binary::Equal && self.eat_word("within") {
            let tolerance = self.sum()?;
            let span = left.span.to(tolerance.span);
            return self.build(ExprKind::Within(Box::new((left, right, tolerance))), span);
        }
        self.binary(operator, left, right)
    }

    /// Sums and everything tighter: what a range, a moment or an index is made of.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Kind::Plus => Binary::Add,
                Kind::Minus => Binary::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.product()?;
            left = self.binary(operator, left, right)?;
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.peek() {
                Kind::Star => Binary::Multiply,
                Kind::Slash => Binary::Divide,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.signed()?;
            left = self.binary(operator, left, right)?;
        }
    }

    /// Signs are counted in a loop: a thousand of them must not be a thousand calls.
    fn signed(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut negative = false;
        loop {
            match self.peek() {
                Kind::Minus => negative = !negative,
                Kind::Plus => {}
                _ => break,
            }
            self.advance();
        }
        let expr = self.power()?;
        if !negative {
            return Ok(expr);
        }
        let span = start.to(expr.span);
        if let ExprKind::Number(value, dimension) = expr.kind {
            return Ok(Expr::leaf(ExprKind::Number(-value, dimension), span));
        }
        self.build(ExprKind::Unary(Unary::Minus, Box::new(expr)), span)
    }

    fn power(&mut self) -> Parsed<Expr> {
        let base = self.primary()?;
        if !self.eat(Kind::Caret) {
            return Ok(base);
        }
        // Right associative; the recursion is bounded like brackets.
        let exponent = self.deeper(Self::signed)?;
        self.binary(Binary::Power, base, exponent)
    }

    /// Recursion of expressions counts against their depth.
    fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        // Blocks are far shallower than this bound, so one counter serves both.
        if self.depth >= usize::from(self.limits.expression_depth) {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: crate::span::Span) -> Fault {
        let message = format!("this expression is nested more than {} deep", self.limits.expression_depth);
        self.report(Diagnostic::error("too-deep", span, message).help("split it with constants"));
        Fault
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.peek() {
            Kind::Number => self.number(),
            Kind::Bad => {
                // A bad unit or character inside a value: reported; the rest of the declaration is still read.
                self.advance();
                Ok(Expr::leaf(ExprKind::Bad, span))
            }
            Kind::Name if self.peek_at(1) == Kind::OpenParen => self.call(),
            Kind::Name | Kind::Text => self.reference(),
            Kind::OpenParen => {
                self.advance();
                let inner = self.deeper(Self::value)?;
                if !self.eat(Kind::CloseParen) {
                    return Err(self.unexpected("')'"));
                }
                Ok(Expr { span: span.to(self.previous_span()), ..inner })
            }
            Kind::OpenBracket => self.deeper(Self::list),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn number(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let (digits, suffix) = lexer::split_number(self.text_at(0));
        let parsed = digits.parse::<f64>().ok().filter(|value| value.is_finite());
        let unit = if suffix.is_empty() { None } else { units::parse_suffix(suffix).ok() };
        let percent = suffix == "%";
        self.advance();
        let Some(value) = parsed else {
            self.report(Diagnostic::error("number-range", span, "this number is out of range"));
            return Ok(Expr::leaf(ExprKind::Bad, span));
        };
        let kind = match unit {
            _ if percent => ExprKind::Percent(value),
            Some((factor, dimension)) => ExprKind::Number(value * factor, Some(dimension)),
            None => ExprKind::Number(value, None),
        };
        Ok(Expr::leaf(kind, span))
    }

    fn call(&mut self) -> Parsed<Expr> {
        let name = self.word("a function")?;
        self.advance();
        let mut arguments = Vec::new();
        if self.peek() != Kind::CloseParen {
            loop {
                arguments.push(self.deeper(Self::expression)?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        if !self.eat(Kind::CloseParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        let span = name.span.to(self.previous_span());
        self.build(ExprKind::Call(name, arguments), span)
    }

    /// `name`, `"name"`, `group.name`, `name[i, j]`.
    pub(super) fn reference(&mut self) -> Parsed<Expr> {
        let span = self.span();
        if self.peek() == Kind::Text {
            let text = self.text_at(0);
            let text = SmolStr::new(&text[1..text.len() - 1]);
            self.advance();
            return Ok(Expr::leaf(ExprKind::Text(text), span));
        }
        let first = self.segment()?;
        if first.indices.is_empty() && self.peek() != Kind::Dot {
            return Ok(Expr::leaf(ExprKind::Name(first.name.text), span));
        }
        let mut segments = vec![first];
        while self.eat(Kind::Dot) {
            segments.push(self.segment()?);
        }
        let span = span.to(self.previous_span());
        self.build(ExprKind::Path(segments), span)
    }

    fn segment(&mut self) -> Parsed<Segment> {
        let name: Word = self.word("a name")?;
        let mut indices = Vec::new();
        if self.eat(Kind::OpenBracket) {
            loop {
                indices.push(self.deeper(Self::sum)?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            if !self.eat(Kind::CloseBracket) {
                return Err(self.unexpected("']'"));
            }
        }
        Ok(Segment { name, indices })
    }

    /// `[a; b; for i in 0..n: c]`; the bracket is next.
    fn list(&mut self) -> Parsed<Expr> {
        let open = self.span();
        self.advance();
        let mut elements = Vec::new();
        loop {
            if self.eat(Kind::CloseBracket) {
                break;
            }
            elements.push(self.element()?);
            if self.peek() != Kind::CloseBracket && !self.eat(Kind::Semicolon) {
                return Err(self.unexpected("';' between the elements of the list, or ']'"));
            }
        }
        let span = open.to(self.previous_span());
        self.build(ExprKind::List(elements), span)
    }

    fn element(&mut self) -> Parsed<Element> {
        if !(self.at_word("for") && self.peek_at(1) == Kind::Name) {
            return self.value().map(Element::One);
        }
        if self.depth >= usize::from(self.limits.expression_depth) {
            return Err(self.too_deep(self.span()));
        }
        self.advance();
        let variable = self.word("a variable")?;
        if !self.eat_word("in") {
            return Err(self.unexpected("'in'"));
        }
        let range = self.range(true)?;
        if !self.eat(Kind::Colon) {
            return Err(self.unexpected("':'"));
        }
        self.depth += 1;
        let inner = self.element();
        self.depth -= 1;
        Ok(Element::For(variable, Box::new(range), Box::new(inner?)))
    }

    fn binary(&mut self, operator: Binary, left: Expr, right: Expr) -> Parsed<Expr> {
        let span = left.span.to(right.span);
        self.build(ExprKind::Binary(operator, Box::new((left, right))), span)
    }

    /// Makes a node unless it would be too deep.
    fn build(&mut self, kind: ExprKind, span: crate::span::Span) -> Parsed<Expr> {
        let expr = Expr::node(kind, span);
        if expr.depth > self.limits.expression_depth {
            return Err(self.too_deep(span));
        }
        Ok(expr)
    }
}
