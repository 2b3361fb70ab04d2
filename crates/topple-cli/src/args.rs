//! Every subcommand and flag. The contract of names is stable: scripts and other tools rely on it.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use topple::{D3, Methods};

/// Below the list of commands.
const AFTER_HELP: &str = "\
First steps:
  topple list scenes                             what there is to run
  topple run scenes/stokes/pool_break.scene      simulate one, and say how it went
  topple render scenes/stokes/pool_break.scene -o break.png --frames 120

Completions for your shell: topple completions bash (or zsh, fish, elvish, powershell)
Manual pages: topple man | man -l -, or topple man FOLDER for all of them
Exit codes: 0 fine, 1 could not do it, 2 wrong usage, 3 the scene has errors";

/// Simulate, check, test and picture scenes of rigid bodies, in the plane and in space.
#[derive(Parser)]
#[command(name = "topple", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene without a window and say how it went
    Run(RunArgs),
    /// Look for errors in scenes without running them
    Check(CheckArgs),
    /// Run the expectations written in scene files
    Test(TestArgs),
    /// Draw a scene: one picture, or a folder of frames
    Render(RenderArgs),
    /// Write a scalable scene to standard output
    Generate(GenerateArgs),
    /// List scenes, methods and settings
    List(ListArgs),
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them into a folder
    #[command(hide = true)]
    Man {
        /// Where to write them
        folder: Option<PathBuf>,
    },
}

/// What is simulated, and how: shared by `run` and `render`.
#[derive(Args, Default)]
pub(crate) struct SceneArgs {
    /// Scene file, or a world saved by `run --save`; - or nothing: standard input
    pub scene: Option<PathBuf>,
    /// Give a value to a `param` of the scene, or else to a setting of the world (`topple list settings`); may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Seed of the scene's random numbers [default: the scene's, or 0]
    #[arg(long, value_name = "U", value_parser = whole, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Time of one step in seconds, also as 1/60 [default: the scene's, or 1/60]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Threads to work on; the result does not depend on them [default: one per core]
    #[arg(long, value_name = "K", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Stop if the scene has errors, instead of leaving out what is faulty
    #[arg(long)]
    pub strict: bool,
    /// How motion is computed from forces [default: the scene's, or semi-implicit-euler]
    #[arg(long, value_name = "M", value_parser = methods("integrator"), help_heading = "Methods")]
    pub integrator: Option<String>,
    /// How candidate pairs are found [default: the scene's, or bvh]
    #[arg(long, value_name = "M", value_parser = methods("broad phase"), help_heading = "Methods")]
    pub broad_phase: Option<String>,
    /// How contact points are found [default: the scene's, or auto]
    #[arg(long, value_name = "M", value_parser = methods("narrow phase"), help_heading = "Methods")]
    pub narrow_phase: Option<String>,
    /// How contacts and joints are solved [default: the scene's, or soft-step]
    #[arg(long, value_name = "M", value_parser = methods("solver"), help_heading = "Methods")]
    pub solver: Option<String>,
    /// Sub-steps per step [default: the scene's, or 4]
    #[arg(long, value_name = "K", value_parser = substeps, allow_negative_numbers = true, help_heading = "Methods")]
    pub substeps: Option<u32>,
    /// Never let bodies fall asleep
    #[arg(long, help_heading = "Methods")]
    pub no_sleeping: bool,
}

#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Steps to take [default: what the scene says, or 10 s]
    #[arg(short = 'n', long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub frames: Option<u64>,
    /// No progress bar, no summary
    #[arg(long)]
    pub quiet: bool,
    /// Time of every stage and counts, step by step
    #[arg(long, value_name = "FILE.csv|.json", help_heading = "Output")]
    pub profile: Option<PathBuf>,
    /// Times, energy, contacts and overlap as curves
    #[arg(long, value_name = "FILE.svg|.png", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Place and velocity of every body at every step
    #[arg(long, value_name = "FILE.csv|.jsonl", help_heading = "Output")]
    pub trajectory: Option<PathBuf>,
    /// The whole state at the end, from which another run goes on exactly
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Print the outcome as one JSON object instead of a summary
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// Scene files, or folders to search for them; - for standard input
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Give a value to a `param` of the scenes, or else to a setting of the world; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Say nothing about scenes without findings
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Scene files, or folders to search for them
    #[arg(required = true)]
    pub scenes: Vec<PathBuf>,
    /// Give a value to a `param` of the scenes, or else to a setting of the world; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Scenes to run at the same time [default: one per core]
    #[arg(long, value_name = "K", value_parser = threads, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Print the outcomes as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say nothing about scenes that pass
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Where the picture goes: a .png file, or a folder for frames (ends in /)
    #[arg(short, long, value_name = "FILE.png|DIR/")]
    pub output: PathBuf,
    /// Steps to show, A..B or one number; a picture shows A [default: 0, or the whole scene for a folder]
    #[arg(long, value_name = "A..B", value_parser = frame_range, allow_negative_numbers = true)]
    pub frames: Option<(u64, Option<u64>)>,
    /// Size in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "960x540")]
    pub size: (u32, u32),
    /// Pictures per second of simulated time, for a folder
    #[arg(long, value_name = "N", value_parser = fps, default_value = "30", allow_negative_numbers = true)]
    pub fps: f64,
    /// What makes a picture prettier and slower
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "shadows,occlusion,smooth")]
    pub effects: Vec<Effect>,
    /// No progress bar, no summary
    #[arg(long)]
    pub quiet: bool,
}

/// An effect of `render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Effect {
    /// Shadows with soft borders
    Shadows,
    /// Corners and gaps get less light
    Occlusion,
    /// Edges without steps
    Smooth,
    /// None of them
    None,
}

#[derive(Args)]
#[command(after_help = crate::generate::help(), arg_required_else_help = true)]
pub(crate) struct GenerateArgs {
    /// Which scene
    #[arg(value_parser = PossibleValuesParser::new(crate::generate::names()), hide_possible_values = true)]
    pub name: String,
    /// How many: the parameter `n` of the scene, see below
    #[arg(short, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub n: Option<u64>,
    /// Seed of the random numbers that the scene draws
    #[arg(long, value_name = "S", value_parser = whole, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Another value for a parameter of the scene; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
}

#[derive(Args)]
pub(crate) struct ListArgs {
    /// What to list [default: everything]
    pub topic: Option<Topic>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Folder in which scenes are looked for [default: scenes]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// What `list` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// Scene files and generators
    Scenes,
    /// The methods of every stage
    Methods,
    /// The settings of a world
    Settings,
}

/// The methods of a stage, for help and suggestions.
fn methods(stage: &'static str) -> PossibleValuesParser {
    let of_stage = Methods::<D3>::all().into_iter().filter(move |method| method.stage == stage);
    PossibleValuesParser::new(of_stage.map(|method| PossibleValue::new(method.name).help(method.summary)))
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().into(), value.trim().into()))
        }
        _ => Err("must be a name, =, and a value".into()),
    }
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "must be a whole number, at least 0".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || "must be a number of seconds from 0.000001 to 1".to_string();
    // A fraction is how most people think of a step.
    let value = match text.split_once('/') {
        Some((a, b)) => {
            a.trim().parse::<f64>().map_err(|_| wrong())? / b.trim().parse::<f64>().map_err(|_| wrong())?
        }
        None => text.parse::<f64>().map_err(|_| wrong())?,
    };
    if (1e-6..=1.0).contains(&value) { Ok(value) } else { Err(wrong()) }
}

fn threads(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1024).contains(count));
    count.ok_or_else(|| "must be a whole number from 1 to 1024".into())
}

fn substeps(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=1000).contains(count));
    count.ok_or_else(|| "must be a whole number from 1 to 1000".into())
}

fn fps(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.001..=1e6).contains(rate));
    rate.ok_or_else(|| "must be a number above 0".into())
}

fn frame_range(text: &str) -> Result<(u64, Option<u64>), String> {
    let wrong = || "must be A..B or one number, whole and at least 0, A not above B".to_string();
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    match text.split_once("..") {
        None => Ok((number(text)?, None)),
        Some((first, last)) => {
            let first = if first.trim().is_empty() { 0 } else { number(first)? };
            let last = number(last.trim_start_matches('='))?;
            if first <= last { Ok((first, Some(last))) } else { Err(wrong()) }
        }
    }
}

/// Largest side of a picture [pixels].
const MAX_SIDE: u32 = 16_384;

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let sides = text.split_once(['x', 'X']).map(|(width, height)| (side(width), side(height)));
    match sides {
        Some((Some(width), Some(height))) => Ok((width, height)),
        _ => Err(format!("must be WIDTHxHEIGHT, each from 1 to {MAX_SIDE}")),
    }
}
