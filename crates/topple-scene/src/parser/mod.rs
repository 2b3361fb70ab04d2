//! Tokens to syntax tree. Recursive descent with bounded depth; a syntax error drops its declaration and parsing
//! goes on at the next one.
//!
//! The grammar of the seed needs no look-ahead. Ours has parameters and declarations in the same braces, so the
//! parser asks the schema two questions: is this word a flag (takes no value), and is it a kind of declaration.

mod expr;
mod statement;

use smol_str::SmolStr;

use crate::ast::{Argument, Declaration, Expr, ExprKind, Item, Word};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::lexer::{self, Kind, Token};
use crate::limits::Limits;
use crate::schema::{self, Param, Type};
use crate::span::{FileId, Span};

/// Parses one file. Faulty declarations are reported and left out.
pub(crate) fn parse(text: &str, file: FileId, limits: &Limits, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let tokens = lexer::lex(text, file, diagnostics);
    let mut parser = Parser { text, tokens, at: 0, file, limits, diagnostics, depth: 0 };
    parser.file_items()
}

/// Parses a single value, as given by `--set`.
pub(crate) fn parse_value(
    text: &str,
    file: FileId,
    limits: &Limits,
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    let tokens = lexer::lex(text, file, diagnostics);
    let mut parser = Parser { text, tokens, at: 0, file, limits, diagnostics, depth: 0 };
    let value = parser.value().ok()?;
    if parser.peek() != Kind::End {
        let span = parser.span();
        parser.report(Diagnostic::error("syntax", span, "a single value is expected"));
        return None;
    }
    Some(value)
}

/// The error has been reported; the declaration is lost.
pub(crate) struct Fault;

type Parsed<T> = Result<T, Fault>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    file: FileId,
    limits: &'a Limits,
    diagnostics: &'a mut Diagnostics,
    depth: usize,
}

/// Words that start a statement which is not a declaration.
pub(crate) const STATEMENTS: &[&str] =
    &["const", "param", "repeat", "for", "if", "at", "every", "when", "expect"];

/// Most words between a kind and its brace: `include "file" as name`.
const MAX_HEAD: usize = 3;

impl Parser<'_> {
    // ---- tokens -------------------------------------------------------------------------------------------

    fn peek(&self) -> Kind {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn token_span(&self, index: usize) -> Span {
        let token = self.tokens[index.min(self.tokens.len() - 1)];
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn span(&self) -> Span {
        self.token_span(self.at)
    }

    fn previous_span(&self) -> Span {
        self.token_span(self.at.saturating_sub(1))
    }

    fn text_at(&self, ahead: usize) -> &str {
        let span = self.token_span(self.at + ahead);
        &self.text[span.start as usize..span.end as usize]
    }

    fn advance(&mut self) {
        if self.peek() != Kind::End {
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek() == Kind::Name && self.text_at(0) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, what: &str) -> Parsed<Word> {
        if self.peek() != Kind::Name {
            return Err(self.unexpected(what));
        }
        let word = Word { text: SmolStr::new(self.text_at(0)), span: self.span() };
        self.advance();
        Ok(word)
    }

    // ---- errors -------------------------------------------------------------------------------------------

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that something else was wanted here. A `Bad` token has been reported by the lexer.
    fn unexpected(&mut self, wanted: &str) -> Fault {
        let span = self.span();
        let found = match self.peek() {
            Kind::Bad => return Fault,
            Kind::End => String::from("the end of the file"),
            _ => format!("'{}'", self.text_at(0)),
        };
        let mut error = Diagnostic::error("syntax", span, format!("expected {wanted}, found {found}"))
            .label(format!("expected {wanted}"));
        if self.peek() == Kind::Assign {
            error = error.help("there is no '=' between a parameter and its value");
        }
        self.report(error);
        Fault
    }

    /// Runs `inside` one block deeper; too deep is an error.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.block_depth {
            let span = self.span();
            self.report(Diagnostic::error(
                "too-deep",
                span,
                format!("blocks are nested more than {} deep", self.limits.block_depth),
            ));
            self.skip_block();
            return Err(Fault);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Skips to the end of the block whose `{` is next or has been read.
    fn skip_block(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::OpenBrace => open += 1,
                Kind::CloseBrace if open <= 1 => {
                    self.advance();
                    return;
                }
                Kind::CloseBrace => open -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// After an error: goes to the end of the current block, to the next thing that starts a declaration, or to the
    /// next parameter of the declaration around. One at the left margin counts inside deeper braces too: a brace is
    /// missing there, and all open blocks end.
    fn synchronise(&mut self, around: Option<&schema::KindInfo>) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::OpenBrace => open += 1,
                Kind::CloseBrace if open == 0 => return,
                Kind::CloseBrace => open -= 1,
                Kind::Semicolon if open == 0 => {
                    self.advance();
                    return;
                }
                Kind::Name if (open == 0 || self.at_margin()) && self.starts_known() => return,
                // A misspelt one ends the search too, if its line starts with it.
                Kind::Name
                    if open == 0
                        && around.is_some_and(|kind| {
                            kind.param(self.text_at(0)).is_some()
                                || self.starts_line() && self.peek_at(1) != Kind::End
                        }) =>
                {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether the next token is the first of its line.
    fn starts_line(&self) -> bool {
        let between = self.previous_span().end as usize..self.span().start as usize;
        self.text.get(between).is_some_and(|text| text.contains('\n'))
    }

    /// Whether the next token is the first of its line, at column one.
    fn at_margin(&self) -> bool {
        let start = self.span().start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    // ---- what comes next ----------------------------------------------------------------------------------

    /// A known kind with its brace in sight, or a statement word.
    fn starts_known(&self) -> bool {
        let word = self.text_at(0);
        if STATEMENTS.contains(&word) {
            let next = self.peek_at(1);
            return word != "at"
                && word != "for"
                && matches!(next, Kind::Name | Kind::Number | Kind::OpenParen);
        }
        schema::kind(word).is_some() && self.head_end().is_some()
    }

    /// Index of the `{` or `;` that ends the head of a declaration starting here, counted from here.
    fn head_end(&self) -> Option<usize> {
        let most = match self.text_at(0) {
            "joint" | "force" | "place" => 2,
            "include" => 3,
            _ => 1,
        };
        let mut ahead = 1;
        let mut words = 0;
        loop {
            match self.peek_at(ahead) {
                Kind::OpenBrace | Kind::Semicolon => return Some(ahead),
                Kind::Name | Kind::Text if words < most => words += 1,
                Kind::OpenBracket if words > 0 => {
                    // Indices of a reference: short, no braces inside.
                    let close = (1..24).find(|more| self.peek_at(ahead + more) == Kind::CloseBracket)?;
                    ahead += close;
                }
                Kind::Dot if words > 0 && self.peek_at(ahead + 1) == Kind::Name => ahead += 1,
                _ => return None,
            }
            ahead += 1;
        }
    }

    /// Whether the name here starts a declaration rather than a parameter, in braces that may hold both.
    fn starts_declaration(&self) -> bool {
        let word = self.text_at(0);
        match self.peek_at(1) {
            Kind::OpenBrace => true,
            Kind::Semicolon => !schema::is_flag(word),
            Kind::Name | Kind::Text => {
                !schema::is_flag(word) && schema::kind(word).is_some() && self.head_end().is_some()
            }
            _ => false,
        }
    }

    // ---- blocks -------------------------------------------------------------------------------------------

    fn file_items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Kind::End => return items,
                Kind::CloseBrace => {
                    let span = self.span();
                    self.report(
                        Diagnostic::error("stray-brace", span, "this '}' closes nothing")
                            .help("remove it, or look for a missing '{' above"),
                    );
                    self.advance();
                }
                _ => self.item_or_sync(&mut items),
            }
        }
    }

    /// `{ items }`; the brace is next.
    fn block(&mut self) -> Parsed<Vec<Item>> {
        let open = self.span();
        if self.peek() != Kind::OpenBrace {
            return Err(self.unexpected("'{'"));
        }
        self.nested(|parser| {
            parser.advance();
            let mut items = Vec::new();
            loop {
                match parser.peek() {
                    Kind::CloseBrace => {
                        parser.advance();
                        return Ok(items);
                    }
                    Kind::End => return Err(parser.unclosed(open)),
                    _ => parser.item_or_sync(&mut items),
                }
            }
        })
    }

    fn unclosed(&mut self, open: Span) -> Fault {
        self.report(Diagnostic::error("open-brace", open, "this '{' is never closed"));
        Fault
    }

    fn item_or_sync(&mut self, items: &mut Vec<Item>) {
        let before = self.at;
        match self.item() {
            Ok(Some(item)) => items.push(item),
            Ok(None) => {}
            Err(Fault) => {
                // A fault at the very first token: step over it, or the loop would not end.
                if self.at == before {
                    if self.peek() == Kind::OpenBrace {
                        self.skip_block();
                        return;
                    }
                    self.advance();
                }
                self.synchronise(None);
            }
        }
    }

    /// One statement of a block that has no parameters of its own.
    fn item(&mut self) -> Parsed<Option<Item>> {
        if self.eat(Kind::Semicolon) {
            // Tolerated after `}`.
            return Ok(None);
        }
        if self.peek() != Kind::Name {
            return Err(self.unexpected("a declaration"));
        }
        let word = self.text_at(0);
        if STATEMENTS.contains(&word) && !matches!(self.peek_at(1), Kind::OpenBrace | Kind::Semicolon) {
            return self.statement().map(Some);
        }
        self.declaration().map(|found| Some(Item::Declaration(found)))
    }

    // ---- declarations -------------------------------------------------------------------------------------

    /// `kind head… { … }`, `kind head…;`. Marked as broken if it was faulty inside but its end is known.
    fn declaration(&mut self) -> Parsed<Declaration> {
        let kind = self.word("a declaration")?;
        let head = self.head(&kind)?;
        let (span, parameters, items) = (kind.span, Vec::new(), Vec::new());
        let mut declaration = Declaration { kind, head, parameters, items, broken: false, span };
        let bare = matches!(schema::kind(&declaration.kind.text), Some(kind) if kind.may_be_bare());
        match self.peek() {
            Kind::Semicolon => self.advance(),
            Kind::OpenBrace => declaration.broken = !self.body(&mut declaration)?,
            _ if bare => {}
            _ => {
                let what = format!("'{{' or ';' after '{}'", declaration.kind.text);
                return Err(self.unexpected(&what));
            }
        }
        declaration.span = declaration.span.to(self.previous_span());
        Ok(declaration)
    }

    fn head(&mut self, kind: &Word) -> Parsed<Vec<Expr>> {
        let mut head = Vec::new();
        while matches!(self.peek(), Kind::Name | Kind::Text) {
            // `joint hinge stop { … }`: the second word is a name, whatever else it may mean.
            let is_name = head.len() == 1
                && matches!(kind.text.as_str(), "joint" | "force" | "place")
                && matches!(self.peek_at(1), Kind::OpenBrace | Kind::Semicolon);
            // `stop` and `remove x` need no `;` when the next declaration follows.
            if !head.is_empty() && !is_name && self.peek() == Kind::Name && self.starts_known() {
                break;
            }
            // Nor when the next one is as short: `remove a remove b`, `remove a stop`.
            let may_end = !head.is_empty() || kind.text == "stop";
            let is_bare = |word: &str| schema::kind(word).is_some_and(schema::KindInfo::may_be_bare);
            if may_end && is_bare(&kind.text) && self.peek() == Kind::Name && is_bare(self.text_at(0)) {
                break;
            }
            if head.len() == MAX_HEAD {
                let what = format!("'{{' or ';' after '{}'", kind.text);
                return Err(self.unexpected(&what));
            }
            head.push(self.reference()?);
        }
        Ok(head)
    }

    /// Parameters and items in braces. `Ok(false)`: faulty, already reported, but its end was found.
    fn body(&mut self, declaration: &mut Declaration) -> Parsed<bool> {
        let open = self.span();
        let holds_items = schema::kind(&declaration.kind.text).is_none_or(schema::KindInfo::holds_items);
        self.nested(|parser| {
            parser.advance();
            let mut sound = true;
            loop {
                match parser.peek() {
                    Kind::CloseBrace => {
                        parser.advance();
                        return Ok(sound);
                    }
                    Kind::End => return Err(parser.unclosed(open)),
                    Kind::Name if !holds_items && parser.starts_known_declaration() => {
                        if sound {
                            let span = parser.span();
                            let kind = &declaration.kind.text;
                            let message = format!("'{kind}' cannot hold a declaration; is a '}}' missing?");
                            parser.report(
                                Diagnostic::error("open-brace", span, message)
                                    .label("a new declaration starts here")
                                    .related(open, "this '{' is still open"),
                            );
                        }
                        return Ok(false);
                    }
                    _ => {
                        if parser.entry(declaration).is_err() {
                            sound = false;
                            parser.synchronise(schema::kind(&declaration.kind.text));
                        }
                    }
                }
            }
        })
    }

    fn starts_known_declaration(&self) -> bool {
        let word = self.text_at(0);
        schema::kind(word).is_some() && self.starts_declaration()
    }

    /// A parameter, or a declaration inside another.
    fn entry(&mut self, declaration: &mut Declaration) -> Parsed<()> {
        if self.eat(Kind::Semicolon) {
            return Ok(());
        }
        if self.peek() != Kind::Name {
            let before = self.at;
            let fault = self.unexpected("a parameter name");
            if self.at == before && self.peek() != Kind::OpenBrace {
                self.advance();
            }
            return Err(fault);
        }
        let word = self.text_at(0);
        if word == "at" && self.peek_at(1) != Kind::OpenBrace {
            return self.at_entry(declaration);
        }
        if STATEMENTS.contains(&word) && !matches!(self.peek_at(1), Kind::OpenBrace | Kind::Semicolon) {
            let item = self.statement()?;
            declaration.items.push(item);
            return Ok(());
        }
        if self.starts_declaration() {
            let holds_items = schema::kind(&declaration.kind.text).is_none_or(schema::KindInfo::holds_items);
            let inner = self.declaration()?;
            // A fault in something that should not be there at all.
            if inner.broken && !holds_items {
                return Err(Fault);
            }
            declaration.items.push(Item::Declaration(inner));
            return Ok(());
        }
        let argument = self.argument(&declaration.kind)?;
        declaration.parameters.push(argument);
        Ok(())
    }

    /// `name value`, `name: value`, or a flag.
    fn argument(&mut self, kind: &Word) -> Parsed<Argument> {
        let name = self.word("a parameter name")?;
        self.eat(Kind::Colon);
        let row = schema::kind(&kind.text).and_then(|kind| kind.param(&name.text));
        if let Some(Param { kind: Type::Word(_), .. }) = row
            && let Some(word) = self.hyphenated()
        {
            return Ok(Argument { name, value: Some(word) });
        }
        let value = if schema::is_flag(&name.text) { self.flag_value()? } else { Some(self.value()?) };
        Ok(Argument { name, value })
    }

    /// `soft-step`: where one of a few words is wanted there is nothing to subtract, so words that are joined by
    /// hyphens without a space are one word.
    fn hyphenated(&mut self) -> Option<Expr> {
        if self.peek() != Kind::Name {
            return None;
        }
        let touches = |this: &Self, ahead: usize| {
            this.token_span(this.at + ahead).start == this.token_span(this.at + ahead - 1).end
        };
        let mut words = 1;
        while self.peek_at(words) == Kind::Minus
            && self.peek_at(words + 1) == Kind::Name
            && touches(self, words)
            && touches(self, words + 1)
        {
            words += 2;
        }
        if words == 1 {
            return None;
        }
        let span = self.span().to(self.token_span(self.at + words - 1));
        self.at += words;
        let text = SmolStr::new(&self.text[span.start as usize..span.end as usize]);
        Some(Expr::leaf(ExprKind::Text(text), span))
    }

    /// A flag may be followed by `on`, `off` or a condition in parentheses.
    fn flag_value(&mut self) -> Parsed<Option<Expr>> {
        match self.peek() {
            Kind::OpenParen => self.value().map(Some),
            Kind::Name if matches!(self.text_at(0), "on" | "off" | "yes" | "no" | "true" | "false") => {
                let expr = Expr::leaf(ExprKind::Name(SmolStr::new(self.text_at(0))), self.span());
                self.advance();
                Ok(Some(expr))
            }
            _ => Ok(None),
        }
    }
}
