//! Checks of the tree itself: what a reviewer would otherwise have to repeat.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines a source file may have before it needs to be split.
const MAX_LINES: usize = 800;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs every check; lists all findings at once.
pub(crate) fn check() -> Result<(), String> {
    let mut findings = Vec::new();
    let mut sources = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root().join(folder), "rs", &mut sources);
    }
    for path in &sources {
        check_source(path, &mut findings);
    }
    for path in sources.iter().filter(|path| is_of_the_engine(path)) {
        check_named_numbers(path, &mut findings);
        check_units(path, &mut findings);
    }
    for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        check_named_paths(&root().join(document), &mut findings);
    }
    let mut pages = Vec::new();
    collect(&root().join("docs"), "md", &mut pages);
    for page in &pages {
        check_named_paths(page, &mut findings);
        check_links(page, &mut findings);
        check_code_runs(page, &mut findings);
    }
    check_papers(&sources, &mut findings);
    if findings.is_empty() {
        println!("tidy: {} source files, no findings", sources.len());
        Ok(())
    } else {
        Err(format!("tidy:\n  {}", findings.join("\n  ")))
    }
}

fn collect(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                collect(&path, extension, out);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            out.push(path);
        }
    }
}

fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn check_source(path: &Path, findings: &mut Vec<String>) {
    let Ok(text) = fs::read_to_string(path) else {
        findings.push(format!("{}: not readable as text", short(path)));
        return;
    };
    let lines = text.lines().count();
    if lines > MAX_LINES {
        findings.push(format!("{}: {lines} lines, split it (limit {MAX_LINES})", short(path)));
    }
    let in_library = path.components().any(|part| part.as_os_str() == "src");
    if in_library && !text.trim_start().starts_with("//!") && !text.contains("include!") {
        findings.push(format!("{}: no module head (//! purpose, place in the step)", short(path)));
    }
    for (number, line) in text.lines().enumerate() {
        let stub = ["todo!(", "unimplemented!(", "dbg!("].iter().find(|stub| line.contains(**stub));
        if let Some(stub) = stub
            && !line.contains("\"todo!(")
        {
            findings.push(format!("{}:{}: {stub}...)", short(path), number + 1));
        }
    }
}

/// Types of numbers that measure something.
const MEASURES: [&str; 14] = [
    "Real",
    "f32",
    "f64",
    "D::Vec",
    "D::Point",
    "D::Ang",
    "D::Inertia",
    "Vec2",
    "Vec3",
    "Point2",
    "Point3",
    "SymMat3",
    "Duration",
    "D::PerPoint<Real>",
];

/// Every public field that measures something says in which unit: in square brackets, as a unit vector, or that it has none.
fn check_units(path: &Path, findings: &mut Vec<String>) {
    let Ok(text) = fs::read_to_string(path) else { return };
    let mut doc = String::new();
    let (mut in_struct, mut in_enum) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let code = line.trim();
        if code == "#[cfg(test)]" {
            break;
        } else if let Some(words) = code.strip_prefix("///") {
            doc.push_str(words);
            continue;
        } else if code.starts_with("#[") {
            continue;
        }
        in_struct = (in_struct || line.starts_with("pub struct ")) && line != "}";
        in_enum = (in_enum || line.starts_with("pub enum ")) && line != "}";
        let field = if in_enum { Some(code) } else { code.strip_prefix("pub ").filter(|_| in_struct) };
        if let Some((name, kind)) = field.and_then(|field| field.split_once(": "))
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            let words: Vec<&str> = kind.split(|c: char| !(c.is_alphanumeric() || c == ':')).collect();
            let measures = MEASURES.iter().any(|measure| words.contains(measure));
            let in_brackets =
                doc.split('[').skip(1).any(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '1'));
            let says = in_brackets
                || ["no unit", "nit vector", "nit normal"].iter().any(|words| doc.contains(words));
            if measures && !says {
                findings.push(format!("{}:{}: field {name} does not name its unit", short(path), number + 1));
            }
        }
        doc.clear();
    }
}

/// True for the sources of the engine itself.
fn is_of_the_engine(path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root().join("crates/topple/src")) else { return false };
    !inside.ends_with("tests.rs")
}

/// No magic numbers: a number that is not made of quarters (0.1, 1e-6; formulas have 0.5 and 120.0) has a name, in a `const` with its unit and
/// reason, or is a setting. Tests at the foot of a file are free.
fn check_named_numbers(path: &Path, findings: &mut Vec<String>) {
    let Ok(text) = fs::read_to_string(path) else { return };
    // Where numbers may stand: inside a `const` or the table of the settings, up to what closes it.
    let mut closes: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default().trim();
        if code == "#[cfg(test)]" {
            break;
        }
        if closes.is_none() && code == "settings! {" {
            closes = Some("}");
        } else if closes.is_none() {
            let item = code.strip_prefix("pub ").unwrap_or(code);
            let item = item.strip_prefix("pub(crate) ").or(item.strip_prefix("pub(super) ")).unwrap_or(item);
            if item.starts_with("const ") && !item.starts_with("const fn") {
                closes = Some(";");
            }
        }
        match closes {
            Some(end) if code.ends_with(end) => closes = None,
            Some(_) => {}
            None => {
                for literal in float_literals(code) {
                    findings.push(format!(
                        "{}:{}: {literal} needs a name (const) or to be a setting",
                        short(path),
                        number + 1
                    ));
                }
            }
        }
    }
}

/// Literals of floating point in a line of code that are not made of quarters.
fn float_literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    let mut in_string = false;
    while at < bytes.len() {
        let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
        if bytes[at] == b'"' && before != b'\\' {
            in_string = !in_string;
        }
        // Not the tail of a name (`vec3`) nor of a field (`pair.0`).
        let starts =
            bytes[at].is_ascii_digit() && !before.is_ascii_alphanumeric() && before != b'_' && before != b'.';
        if in_string || !starts {
            at += 1;
            continue;
        }
        let mut end = at;
        while end < bytes.len() {
            let c = bytes[end];
            let point = c == b'.' && bytes.get(end + 1).is_none_or(u8::is_ascii_digit);
            let sign = c == b'-' && bytes[end - 1] == b'e';
            if !(c.is_ascii_alphanumeric() || c == b'_' || point || sign) {
                break;
            }
            end += 1;
        }
        let literal = &code[at..end];
        let plain = literal.replace('_', "");
        let plain = plain.trim_end_matches("f32").trim_end_matches("f64");
        let is_float = !plain.starts_with("0x") && plain.contains(['.', 'e']);
        if let (true, Ok(value)) = (is_float, plain.parse::<f64>())
            && (plain.contains('e') || (value * 4.0).fract() != 0.0)
        {
            found.push(literal.to_string());
        }
        at = end;
    }
    found
}

/// Every path in back ticks that looks like one of ours must exist.
fn check_named_paths(document: &Path, findings: &mut Vec<String>) {
    let name_of_document = short(document);
    let Ok(text) = fs::read_to_string(document) else {
        findings.push(format!("{name_of_document}: missing"));
        return;
    };
    for name in text.split('`').skip(1).step_by(2) {
        let ours = ["crates/", "xtask/", "docs/", "scenes/", "versus/", "fuzz/", ".ci/"];
        if ours.iter().any(|start| name.starts_with(start))
            && !name.contains([' ', '*', '<', '{', '\n'])
            && !root().join(name).exists()
        {
            findings.push(format!("{name_of_document}: names `{name}`, which does not exist"));
        }
    }
}

/// Every link of a page to another page of ours must lead somewhere.
fn check_links(page: &Path, findings: &mut Vec<String>) {
    let Ok(text) = fs::read_to_string(page) else { return };
    for part in text.split("](").skip(1) {
        let Some((target, _)) = part.split_once(')') else { continue };
        let file = target.split('#').next().unwrap_or_default();
        let folder = page.parent().unwrap_or(page);
        if file.ends_with(".md") && !file.contains("://") && !folder.join(file).exists() {
            findings.push(format!("{}: links to {file}, which does not exist", short(page)));
        }
    }
}

/// Code on a page runs as a test: the page is included in the library's `mod written`.
fn check_code_runs(page: &Path, findings: &mut Vec<String>) {
    let library = fs::read_to_string(root().join("crates/topple/src/lib.rs")).unwrap_or_default();
    let Ok(text) = fs::read_to_string(page) else { return };
    let name = short(page);
    if text.contains("```rust") && !library.contains(&format!("include_str!(\"../../../{name}\")")) {
        findings.push(format!(
            "{name}: has code that no test runs; include it in `written` of crates/topple/src/lib.rs"
        ));
    }
    if let Some(rest) = text.split("```rust,").nth(1) {
        findings.push(format!(
            "{name}: code that is not run as it stands: ```rust,{}",
            rest.lines().next().unwrap_or_default()
        ));
    }
}

/// Every key cited as a name and a year in square brackets in the sources is listed in docs/papers.md.
fn check_papers(sources: &[PathBuf], findings: &mut Vec<String>) {
    let papers = fs::read_to_string(root().join("docs/papers.md")).unwrap_or_default();
    for path in sources {
        let Ok(text) = fs::read_to_string(path) else { continue };
        for key in cited_keys(&text) {
            if !papers.contains(&format!("[{key}]")) {
                findings.push(format!("{}: cites [{key}], not in docs/papers.md", short(path)));
            }
        }
    }
}

/// Keys such as `Catto2011`: a capital, letters, and a four digit year, in square brackets.
fn cited_keys(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for part in text.split('[').skip(1) {
        let key: String = part.chars().take_while(char::is_ascii_alphanumeric).collect();
        let year = key.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let named = key.starts_with(|c: char| c.is_ascii_uppercase()) && key.len() >= year.len() + 3;
        if named
            && year.len() == 4
            && year.starts_with(['1', '2'])
            && year.bytes().all(|b| b.is_ascii_digit())
        {
            keys.push(key);
        }
    }
    keys
}
