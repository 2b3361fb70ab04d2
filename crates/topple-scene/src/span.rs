//! Places in source text, and the texts themselves.

/// Which of the loaded files a place is in: 0 is the scene, the others are includes and `--set` values.
pub type FileId = u16;

/// A range of bytes in one file.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Where a thing was written never makes two things different: syntax trees and scenes compare by meaning.
impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Span {
    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty range at the start.
    #[must_use]
    pub fn head(self) -> Self {
        Self { end: self.start, ..self }
    }

    /// Comparable form, for tests and for recognising the same fault twice.
    #[must_use]
    pub fn key(self) -> (FileId, u32, u32) {
        (self.file, self.start, self.end)
    }
}

/// One loaded text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name shown in diagnostics: a path, or `<stdin>`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// All texts of one scene, by [`FileId`].
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Keeps a text and gives its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId::try_from(self.files.len()).unwrap_or(FileId::MAX);
        self.files.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The file of an id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(usize::from(id))
    }

    /// Id of a file loaded before.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.name == name).and_then(|index| FileId::try_from(index).ok())
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether nothing was loaded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The text of a span, empty if it is out of range.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// Line and column of the start of a span, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(before) = self.get(span.file).and_then(|file| file.text.get(..span.start as usize)) else {
            return (1, 1);
        };
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }
}
