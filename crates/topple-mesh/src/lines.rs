//! Text handed out line by line, so that one knows how far a parser got.

use std::cell::Cell;
use std::io::{BufRead, Read, Result, Seek, SeekFrom};

/// Bytes as a reader that never gives more than the rest of one line at a time, and counts lines.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: &'a Cell<u64>,
}

impl<'a> Lines<'a> {
    /// `line` becomes the number of the line that was given last, from 1.
    pub(crate) fn new(bytes: &'a [u8], line: &'a Cell<u64>) -> Self {
        Self { bytes, at: 0, line }
    }
}

impl BufRead for Lines<'_> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
        Ok(&rest[..end])
    }

    fn consume(&mut self, amount: usize) {
        let given = &self.bytes[self.at..self.at + amount];
        let starts_line = self.at == 0 || self.bytes[self.at - 1] == b'\n';
        if starts_line && !given.is_empty() {
            self.line.set(self.line.get() + 1);
        }
        self.at += amount;
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let rest = self.fill_buf()?;
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.consume(count);
        Ok(count)
    }
}

/// Back to the start only, which is all that parsers do who look at the first line twice.
impl Seek for Lines<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(std::io::ErrorKind::Unsupported.into());
        }
        self.at = 0;
        self.line.set(0);
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_they_are_given() {
        let line = Cell::new(0);
        let mut reader = Lines::new(b"one\ntwo\n\nfour", &line);
        let mut text = String::new();
        for number in 1..=4 {
            text.clear();
            reader.read_line(&mut text).unwrap();
            assert_eq!(line.get(), number, "{text:?}");
        }
        let line = Cell::new(0);
        let mut small = [0; 2];
        let mut reader = Lines::new(b"one\ntwo", &line);
        while reader.read(&mut small).unwrap() > 0 {}
        assert_eq!(line.get(), 2, "pieces of a line are one line");
    }
}
