//! `topple test`: scenes as tests. Each runs on one thread, many at the same time.

use crate::args::TestArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Input};
use crate::run::{Progress, count, seconds};
use crate::saved::Origin;
use crate::{output, session, stop};
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use topple_scene::model::steps;
use topple_scene::run::Simulation;
use topple_scene::span::Sources;

/// Simulated time of a scene that neither says how long it is nor expects anything by a time [s].
const DEFAULT_TIME: f64 = 10.0;

/// How a scene did.
struct Verdict {
    path: PathBuf,
    /// What it was asked and how it answered.
    answers: Vec<Answer>,
    /// Why it could not be asked.
    broken: Option<String>,
    steps: u64,
    seconds: f64,
    hash: u64,
}

/// One expectation.
struct Answer {
    place: String,
    about: Option<String>,
    condition: String,
    passed: bool,
    step: u64,
    found: String,
}

impl Verdict {
    fn passed(&self) -> bool {
        self.broken.is_none() && self.answers.iter().all(|answer| answer.passed)
    }
}

/// Runs the expectations of every scene.
pub(crate) fn test(args: &TestArgs) -> Outcome {
    let files = input::scene_files(&args.scenes)?;
    stop::listen();
    let start = Instant::now();
    let progress = Progress::new(files.len() as u64, "scenes", args.quiet);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or_else(session::cores))
        .build()
        .map_err(|error| Failure::cannot(format_args!("cannot start threads: {error}")))?;
    let verdicts: Vec<Option<Verdict>> = pool.install(|| {
        let one = |path: &PathBuf| {
            if stop::is_asked() {
                return None;
            }
            let verdict = ask(path, &args.set);
            if !args.json && (!args.quiet || !verdict.passed()) {
                // A reader that has gone away is noticed with the last line.
                let _ = progress.print(&verdict_text(&verdict));
            }
            progress.one_more();
            Some(verdict)
        };
        files.par_iter().with_max_len(1).map(one).collect()
    });
    progress.end();
    let verdicts: Vec<_> = verdicts.into_iter().flatten().collect();
    let failed = verdicts.iter().filter(|verdict| !verdict.passed()).count();
    let skipped = files.len() - verdicts.len();
    if args.json {
        output::print(&json(&verdicts))?;
    } else if !args.quiet {
        let expectations: usize = verdicts.iter().map(|verdict| verdict.answers.len()).sum();
        let mut text = format!(
            "{} with {} in {}: ",
            count(verdicts.len(), "scene", "scenes"),
            count(expectations, "expectation", "expectations"),
            seconds(start.elapsed().as_secs_f64())
        );
        let _ = match failed {
            0 => write!(text, "all as expected"),
            failed => write!(text, "{failed} failed"),
        };
        if skipped > 0 {
            let _ = write!(text, ", interrupted before {}", count(skipped, "other", "others"));
        }
        output::print(&(text + "\n"))?;
    }
    if failed > 0 || skipped > 0 { Err(Failure::Said) } else { Ok(()) }
}

/// Runs a scene for as long as its expectations need.
fn ask(path: &Path, set: &[(String, String)]) -> Verdict {
    let start = Instant::now();
    let mut verdict =
        Verdict { path: path.into(), answers: Vec::new(), broken: None, steps: 0, seconds: 0.0, hash: 0 };
    match ask_scene(path, set, &mut verdict) {
        Ok(()) => {}
        Err(Failure::Cannot(reason) | Failure::Usage(reason) | Failure::Scene(reason)) => {
            verdict.broken = Some(reason);
        }
        Err(Failure::Said | Failure::PipeClosed) => verdict.broken = Some("it could not be run".into()),
    }
    verdict.seconds = start.elapsed().as_secs_f64();
    verdict
}

fn ask_scene(path: &Path, set: &[(String, String)], verdict: &mut Verdict) -> Outcome {
    let Input::Text { name, text } = input::read(Some(path))? else {
        return Err(Failure::cannot("a saved world has no expectations"));
    };
    let opened = session::load(Origin { name, text, overrides: set.to_vec(), ..Origin::default() })?;
    let loaded = opened.loaded;
    if loaded.diagnostics.errors() > 0 {
        return Err(Failure::Scene(format!("the scene has errors\n{}", loaded.report(false).trim_end())));
    }
    let mut simulation = Simulation::new(&loaded.scene);
    session::apply(&mut simulation, &opened.engine)?;
    refusals(&simulation, &loaded.sources)?;
    let frames = loaded.scene.frames().unwrap_or_else(|| steps(DEFAULT_TIME, loaded.scene.world.dt));
    while simulation.steps() < frames && !stop::is_asked() {
        let before = simulation.steps();
        simulation.step();
        if simulation.steps() == before {
            break;
        }
    }
    if stop::is_asked() {
        return Err(Failure::cannot("interrupted"));
    }
    refusals(&simulation, &loaded.sources)?;
    verdict.steps = simulation.steps();
    verdict.hash = simulation.hash();
    for outcome in simulation.outcomes(true) {
        let (line, _) = loaded.sources.line_column(outcome.span);
        let file = loaded.sources.get(outcome.span.file).map_or("?", |file| file.name.as_str());
        verdict.answers.push(Answer {
            place: format!("{file}:{line}"),
            condition: written(&outcome, &loaded.sources),
            about: outcome.about,
            passed: outcome.passed == Some(true),
            step: outcome.step,
            found: match outcome.passed {
                None => format!("the run ended after {} steps, before it could be told", simulation.steps()),
                Some(_) => outcome.found,
            },
        });
    }
    Ok(())
}

/// What the engine refused fails the test: the scene is not what it says.
fn refusals(simulation: &Simulation, sources: &Sources) -> Outcome {
    let found = simulation.diagnostics();
    if found.errors() == 0 {
        return Ok(());
    }
    Err(Failure::cannot(format_args!("the engine refused it\n{}", found.render(sources, false).trim_end())))
}

/// A condition as it was written, on one line; as it was read if it is from nowhere.
fn written(outcome: &topple_scene::run::Outcome, sources: &Sources) -> String {
    let words: Vec<_> = sources.text(outcome.place).split_whitespace().collect();
    if words.is_empty() { outcome.condition.clone() } else { words.join(" ") }
}

fn verdict_text(verdict: &Verdict) -> String {
    let word = if verdict.passed() { "ok    " } else { "FAILED" };
    let mut text = format!(
        "{word} {} ({}, {}, {})\n",
        verdict.path.display(),
        count(verdict.answers.len(), "expectation", "expectations"),
        count(verdict.steps as usize, "step", "steps"),
        seconds(verdict.seconds)
    );
    // Writing to a string cannot fail.
    if let Some(reason) = &verdict.broken {
        let _ = writeln!(text, "       {}", reason.replace('\n', "\n       "));
    }
    for answer in verdict.answers.iter().filter(|answer| !answer.passed) {
        let about = answer.about.as_ref().map_or_else(String::new, |about| format!(" {about}"));
        let _ = writeln!(text, "       {}:{about}", answer.place);
        let _ = writeln!(text, "         expected  {}", answer.condition);
        let _ = writeln!(text, "         found     {} (step {})", answer.found, answer.step);
    }
    text
}

fn json(verdicts: &[Verdict]) -> String {
    let scenes = verdicts.iter().map(|verdict| {
        let answers = verdict.answers.iter().map(|answer| {
            json!({
                "place": answer.place,
                "about": answer.about,
                "condition": answer.condition,
                "passed": answer.passed,
                "step": answer.step,
                "found": answer.found,
            })
        });
        json!({
            "scene": verdict.path.display().to_string(),
            "passed": verdict.passed(),
            "error": verdict.broken,
            "steps": verdict.steps,
            "wall_s": verdict.seconds,
            "hash": format!("{:016x}", verdict.hash),
            "expectations": answers.collect::<Vec<_>>(),
        })
    });
    let object = json!({
        "scenes": scenes.collect::<Vec<_>>(),
        "failed": verdicts.iter().filter(|verdict| !verdict.passed()).count(),
    });
    format!("{object:#}\n")
}
