//! Text to tokens. Runs over the bytes once; a fault becomes a `Bad` token and a diagnostic, never a stop.

use crate::diagnostics::{Diagnostic, Diagnostics, nearest};
use crate::span::{FileId, Span};
use crate::units;

/// What a token is. Its text is found through its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Letters and digits, starting with a letter.
    Name,
    /// A number with an optional glued unit.
    Number,
    /// Text in double quotes.
    Text,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `..`
    Range,
    /// `..=`
    RangeInclusive,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `^`
    Caret,
    /// `=`
    Assign,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// Already reported.
    Bad,
    /// End of the text.
    End,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// All tokens of a text, closed by [`Kind::End`].
pub fn lex(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, file, diagnostics };
    // About one token per four bytes in real scenes.
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        lexer.skip_blank();
        let start = lexer.at;
        let kind = lexer.token();
        tokens.push(Token { kind, start: start as u32, end: lexer.at as u32 });
        if kind == Kind::End {
            return tokens;
        }
    }
}

/// Splits the text of a number token into digits and unit suffix.
#[must_use]
pub fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let end = digits_end(bytes, 0);
    text.split_at(end)
}

/// Where the digits, the point and the exponent of a number end.
fn digits_end(bytes: &[u8], start: usize) -> usize {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = start;
    while digit(at) {
        at += 1;
    }
    // `0..n` is a range, not `0.` and `.n`.
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1) != Some(&b'.') {
        at += 1;
        while digit(at) {
            at += 1;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digit(at + 1 + sign) {
            at += 1 + sign;
            while digit(at) {
                at += 1;
            }
        }
    }
    at
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    file: FileId,
    diagnostics: &'a mut Diagnostics,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0c => self.at += 1,
                b'#' => self.skip_line(),
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                0xef if self.at == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") => self.at = 3,
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    fn token(&mut self) -> Kind {
        if self.at >= self.bytes.len() {
            return Kind::End;
        }
        let byte = self.peek(0);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => self.name(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' => self.string(),
            _ => self.punctuation(byte),
        }
    }

    fn punctuation(&mut self, byte: u8) -> Kind {
        let two = self.peek(1);
        let (kind, length) = match (byte, two) {
            (b'{', _) => (Kind::OpenBrace, 1),
            (b'}', _) => (Kind::CloseBrace, 1),
            (b'(', _) => (Kind::OpenParen, 1),
            (b')', _) => (Kind::CloseParen, 1),
            (b'[', _) => (Kind::OpenBracket, 1),
            (b']', _) => (Kind::CloseBracket, 1),
            (b';', _) => (Kind::Semicolon, 1),
            (b':', _) => (Kind::Colon, 1),
            (b',', _) => (Kind::Comma, 1),
            (b'.', b'.') if self.peek(2) == b'=' => (Kind::RangeInclusive, 3),
            (b'.', b'.') => (Kind::Range, 2),
            (b'.', _) => (Kind::Dot, 1),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/', _) => (Kind::Slash, 1),
            (b'^', _) => (Kind::Caret, 1),
            (b'=', b'=') => (Kind::Equal, 2),
            (b'=', _) => (Kind::Assign, 1),
            (b'!', b'=') => (Kind::NotEqual, 2),
            (b'<', b'=') => (Kind::LessEqual, 2),
            (b'<', _) => (Kind::Less, 1),
            (b'>', b'=') => (Kind::GreaterEqual, 2),
            (b'>', _) => (Kind::Greater, 1),
            _ => return self.stray(),
        };
        self.at += length;
        kind
    }

    /// A character that starts no token. A run of them is one fault.
    fn stray(&mut self) -> Kind {
        let start = self.at;
        let known =
            |byte: u8| byte.is_ascii_alphanumeric() || b" \t\r\n{}()[];:,.+-*/^=<>\"#".contains(&byte);
        while self.at < self.bytes.len() && !known(self.bytes[self.at]) {
            self.at += 1;
        }
        // The run may start at a known byte (a lone `!` before `=`): always advance.
        if self.at == start {
            self.at += 1;
        }
        let found = self.text.get(start..self.at).unwrap_or_default();
        let shown: String = found.chars().take(8).collect();
        let help = match self.bytes[start] {
            b'_' => Some("names are letters and digits: write 'bigBall', not 'big_ball'"),
            b'%' => Some("the remainder is mod(a, b); a percentage is glued to its number: 5%"),
            b'\'' => Some("texts are in double quotes"),
            _ => None,
        };
        let mut found = Diagnostic::error(
            "stray-character",
            self.span(start, self.at),
            format!("unexpected character '{}'", shown.escape_debug()),
        );
        if let Some(help) = help {
            found = found.help(help);
        }
        self.diagnostics.push(found);
        Kind::Bad
    }

    fn name(&mut self) -> Kind {
        while self.peek(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
        Kind::Name
    }

    fn string(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Kind::Text;
                }
                Some(b'\n') | None => {
                    self.diagnostics.push(
                        Diagnostic::error("open-text", self.span(start, self.at), "this text is not closed")
                            .help("a text ends with '\"' on the same line"),
                    );
                    return Kind::Bad;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        self.at = digits_end(self.bytes, start);
        let suffix = self.at;
        if self.peek(0) == b'%' {
            self.at += 1;
            return Kind::Number;
        }
        if !(self.peek(0).is_ascii_alphabetic() || self.peek(0) == b'_') {
            return Kind::Number;
        }
        let name = self.word();
        if units::find(name).is_none() {
            self.bad_suffix(start, suffix);
            return Kind::Bad;
        }
        self.unit_power();
        // `m/s^2`: a glued slash and a known unit continue the suffix.
        while self.peek(0) == b'/' && self.peek(1).is_ascii_alphabetic() {
            let before = self.at;
            self.at += 1;
            let name = self.word();
            if units::find(name).is_none() || self.peek(0) == b'(' {
                self.at = before;
                break;
            }
            self.unit_power();
        }
        Kind::Number
    }

    fn word(&mut self) -> &str {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// `^2` glued to a unit belongs to the unit; one digit is enough for physics.
    fn unit_power(&mut self) {
        if self.peek(0) == b'^' && self.peek(1).is_ascii_digit() && !self.peek(2).is_ascii_alphanumeric() {
            self.at += 2;
        }
    }

    fn bad_suffix(&mut self, start: usize, suffix: usize) {
        let name = &self.text[suffix..self.at];
        let number = &self.text[start..suffix];
        let mut found =
            Diagnostic::error("unknown-unit", self.span(suffix, self.at), format!("'{name}' is not a unit"))
                .label("glued to a number, so read as its unit");
        found = match nearest(name, units::UNITS.iter().map(|unit| unit.name)) {
            Some(unit) if name.len() > 1 => found.suggest(Some(unit)),
            _ => found.help(format!("to multiply write '{number} * {name}'; a new parameter needs a space")),
        };
        self.diagnostics.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut diagnostics = Diagnostics::new(10);
        lex(text, 0, &mut diagnostics).iter().map(|token| token.kind).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        let mut diagnostics = Diagnostics::new(10);
        let tokens = lex(text, 0, &mut diagnostics);
        tokens.iter().map(|token| &text[token.start as usize..token.end as usize]).collect()
    }

    #[test]
    fn numbers_take_their_units_and_leave_ranges() {
        assert_eq!(
            texts("0..n 5. .5 1e3 5cm 9.8m/s^2 2m/x 30%"),
            ["0", "..", "n", "5.", ".5", "1e3", "5cm", "9.8m/s^2", "2m", "/", "x", "30%", ""]
        );
    }

    #[test]
    fn comments_end_with_the_line() {
        assert_eq!(kinds("a // b\n# c\nd"), [Kind::Name, Kind::Name, Kind::End]);
    }

    #[test]
    fn a_name_glued_to_a_number_is_a_fault() {
        assert_eq!(kinds("5apples"), [Kind::Bad, Kind::End]);
    }

    #[test]
    fn number_text_splits_at_the_unit() {
        assert_eq!(split_number("1.5e-3mm"), ("1.5e-3", "mm"));
        assert_eq!(split_number("5e"), ("5", "e"));
    }
}
