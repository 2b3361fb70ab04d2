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
    for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        check_named_paths(&root().join(document), &mut findings);
    }
    let mut pages = Vec::new();
    collect(&root().join("docs"), "md", &mut pages);
    for page in &pages {
        check_named_paths(page, &mut findings);
        check_links(page, &mut findings);
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
