//! What is wrong with a scene: collected, never thrown, so that one run lists everything.

use std::collections::HashMap;
use std::fmt::Write as _;

use ariadne::{CharSet, Config, IndexType, Label, Report, ReportKind, Source as Indexed};

use crate::span::{FileId, Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The declaration stands.
    Warning,
    /// The declaration is skipped.
    Error,
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable short name of the kind of fault, for tools: `unknown-parameter`.
    pub code: &'static str,
    /// What is wrong, one sentence.
    pub message: String,
    /// The text to underline.
    pub span: Span,
    /// Said under the underline.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// A second place that matters, such as the first of two definitions.
    pub related: Option<(Span, String)>,
    /// How many more times the same place failed the same way, in repetitions.
    pub repeats: usize,
    /// Tells apart several faults of one kind at one place: the name of the parameter that is missing.
    pub detail: &'static str,
}

impl Diagnostic {
    /// An error; the declaration it belongs to is skipped.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
            related: None,
            repeats: 0,
            detail: "",
        }
    }

    /// A warning; the declaration stands.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Adds the text under the underline.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean" when a known name is near.
    #[must_use]
    pub fn suggest(mut self, nearest: Option<&str>) -> Self {
        if let Some(name) = nearest {
            self.help = Some(format!("did you mean '{name}'?"));
        }
        self
    }

    /// Says which of several faults at one place this is.
    #[must_use]
    pub fn detail(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related = Some((span, text.into()));
        self
    }
}

/// All findings of one load, in order of appearance.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    seen: HashMap<(FileId, u32, u32, &'static str, &'static str), usize>,
    limit: usize,
    dropped: usize,
    errors: usize,
}

impl Diagnostics {
    /// Keeps at most `limit` findings.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds a finding, once per place and kind.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.push_from(diagnostic, false);
    }

    /// Adds a finding, saying whether it comes from a repetition: the same fault at the same place is then counted.
    pub fn push_from(&mut self, diagnostic: Diagnostic, repeated: bool) {
        let (file, start, end) = diagnostic.span.key();
        let key = (file, start, end, diagnostic.code, diagnostic.detail);
        if let Some(&index) = self.seen.get(&key) {
            self.list[index].repeats += usize::from(repeated);
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if self.list.len() >= self.limit {
            self.dropped += 1;
            return;
        }
        self.seen.insert(key, self.list.len());
        self.list.push(diagnostic);
    }

    /// Whether a finding at this place would be shown: not if it is there already, nor beyond the limit. Advice that takes
    /// time is only worth it then.
    #[must_use]
    pub fn wants(&self, span: Span, code: &'static str) -> bool {
        let (file, start, end) = span.key();
        self.list.len() < self.limit && !self.seen.contains_key(&(file, start, end, code, ""))
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Number of distinct errors, those beyond the limit included.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of distinct warnings kept.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.list.iter().filter(|found| found.severity == Severity::Warning).count()
    }

    /// Findings beyond the limit.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.dropped == 0
    }

    /// Orders the findings by place, as a reader goes through the file.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|found| found.span.key());
        self.seen.clear();
    }

    /// The findings as text for a person: file, line, the underlined text, the reason, the advice.
    #[must_use]
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        self.render_from(0, sources, colour)
    }

    /// The same without the first findings, which have been told before.
    #[must_use]
    pub fn render_from(&self, first: usize, sources: &Sources, colour: bool) -> String {
        let mut cache = Cache::new(sources);
        let mut out = Vec::new();
        for found in self.list.iter().skip(first) {
            if fits(found, sources) {
                write_one(found, &mut cache, colour, &mut out);
            } else {
                write_plain(found, sources, &mut out);
            }
        }
        let mut text = String::from_utf8_lossy(&out).into_owned();
        if self.dropped > 0 {
            let _ = writeln!(text, "... and {} more", self.dropped);
        }
        text
    }

    /// One line each, `file:line:column: error[code]: message`, for tools.
    #[must_use]
    pub fn render_short(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for found in &self.list {
            let (line, column) = sources.line_column(found.span);
            let name = sources.get(found.span.file).map_or("?", |file| file.name.as_str());
            let severity = if found.severity == Severity::Error { "error" } else { "warning" };
            let _ = writeln!(text, "{name}:{line}:{column}: {severity}[{}]: {}", found.code, found.message);
        }
        text
    }
}

/// Files indexed on first use.
struct Cache<'a> {
    sources: &'a Sources,
    indexed: HashMap<FileId, Indexed<&'a str>>,
    empty: Indexed<&'a str>,
}

impl<'a> Cache<'a> {
    fn new(sources: &'a Sources) -> Self {
        Self { sources, indexed: HashMap::new(), empty: Indexed::from("") }
    }
}

impl<'a> ariadne::Cache<FileId> for &mut Cache<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, id: &FileId) -> Result<&Indexed<&'a str>, impl std::fmt::Debug> {
        let Some(file) = self.sources.get(*id) else { return Ok::<_, String>(&self.empty) };
        Ok(self.indexed.entry(*id).or_insert_with(|| Indexed::from(file.text.as_str())))
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl std::fmt::Display + 'b> {
        Some(self.sources.get(*id).map_or_else(|| String::from("?"), |file| file.name.clone()))
    }
}

fn write_one(found: &Diagnostic, cache: &mut Cache<'_>, colour: bool, out: &mut Vec<u8>) {
    let sources = cache.sources;
    let range = |span: Span| {
        let span = first_line(span, sources);
        (span.file, span.start as usize..span.end.max(span.start) as usize)
    };
    let kind = match found.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config =
        Config::default().with_color(colour).with_index_type(IndexType::Byte).with_char_set(CharSet::Unicode);
    let mut message = found.message.clone();
    if found.repeats > 0 {
        let _ = write!(message, " (and {} more times in repetitions)", found.repeats);
    }
    // Without a text there would be no underline.
    let text = if found.label.is_empty() { "here" } else { found.label.as_str() };
    let label = Label::new(range(found.span)).with_message(text);
    let mut report = Report::build(kind, range(found.span))
        .with_config(config)
        .with_code(found.code)
        .with_message(message)
        .with_label(label);
    if let Some((span, text)) = &found.related {
        report = report.with_label(Label::new(range(*span)).with_message(text));
    }
    if let Some(help) = &found.help {
        report = report.with_help(help);
    }
    // Writing to a vector cannot fail; the cache answers for every id.
    let _ = report.finish().write(cache, &mut *out);
    out.push(b'\n');
}

/// Of a place of several lines the first: a whole declaration need not be repeated to say which it is.
fn first_line(span: Span, sources: &Sources) -> Span {
    let text = sources.text(span);
    let end = text.find(['\n', '\r']).unwrap_or(text.len());
    Span { end: span.start + end as u32, ..span }
}

/// Longest line that is shown whole [bytes].
const MAX_LINE: usize = 400;

/// Whether the lines to show are short: a file of one endless line must not be printed once per fault.
fn fits(found: &Diagnostic, sources: &Sources) -> bool {
    let short = |span: Span| {
        let Some(file) = sources.get(span.file) else { return true };
        let text = file.text.as_bytes();
        let is_short = |at: u32| {
            let at = (at as usize).min(text.len());
            let before = &text[at.saturating_sub(MAX_LINE)..at];
            let after = &text[at..(at + MAX_LINE).min(text.len())];
            let open = |part: &[u8]| part.len() == MAX_LINE && !part.contains(&b'\n');
            !open(before) && !open(after)
        };
        is_short(span.start) && is_short(span.end)
    };
    short(found.span) && found.related.as_ref().is_none_or(|(span, _)| short(*span))
}

/// The same without the source line.
fn write_plain(found: &Diagnostic, sources: &Sources, out: &mut Vec<u8>) {
    let (line, column) = sources.line_column(found.span);
    let name = sources.get(found.span.file).map_or("?", |file| file.name.as_str());
    let severity = if found.severity == Severity::Error { "Error" } else { "Warning" };
    let excerpt: String = sources.text(found.span).chars().take(60).collect();
    let text =
        format!("[{}] {severity}: {}\n   at {name}:{line}:{column}: {excerpt}\n", found.code, found.message);
    out.extend_from_slice(text.as_bytes());
    if let Some(help) = &found.help {
        out.extend_from_slice(format!("   Help: {help}\n").as_bytes());
    }
    out.push(b'\n');
}

/// The known name nearest to a misspelt one, if it is near enough to be meant.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = match length {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .filter(|candidate| *candidate != name && candidate.chars().count().abs_diff(length) <= allowed)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Longer words are not compared [bytes].
const LONGEST: usize = 64;

/// Edit distance with swaps of neighbours counted once; letters that differ only in case cost nothing extra
/// beyond one for the whole word.
fn distance(left: &str, right: &str) -> usize {
    if left.len() > LONGEST || right.len() > LONGEST {
        return usize::MAX;
    }
    if left.eq_ignore_ascii_case(right) {
        return 1;
    }
    let (mut before, mut above, mut row) = ([0; LONGEST + 1], [0; LONGEST + 1], [0; LONGEST + 1]);
    above.iter_mut().enumerate().for_each(|(column, slot)| *slot = column);
    let mut l_before = None;
    for (i, l) in left.chars().enumerate() {
        row[0] = i + 1;
        let mut r_before = None;
        for (j, r) in right.chars().enumerate() {
            row[j + 1] = (above[j] + usize::from(l != r)).min(above[j + 1] + 1).min(row[j] + 1);
            if j > 0 && Some(l) == r_before && l_before == Some(r) {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
            r_before = Some(r);
        }
        l_before = Some(l);
        (before, above, row) = (above, row, before);
    }
    above[right.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_swaps_case_and_slips() {
        let known = ["radius", "mass", "centre", "toOrig"];
        assert_eq!(nearest("raduis", known), Some("radius"));
        assert_eq!(nearest("toorig", known), Some("toOrig"));
        assert_eq!(nearest("center", known), Some("centre"));
        assert_eq!(nearest("elephant", known), None);
    }
}
