//! Pages of `docs/benchmarks` that one command each writes: mass ratios, the tilted grid, standing pyramids, the price of refinement.

use crate::engine::Dim;
use crate::engines::CONTENDERS;
use crate::machine::Machine;
use crate::measure::{self, Entry, Worker};
use crate::report::{Report, ab_table, table};
use crate::scenes::{self, Generator, Scene, Spec, ratios::REACH};
use crate::worker::{Block, Finish, Ready};
use crate::world::Pose;
use anyhow::Context;
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::path::Path;

/// Tells which contenders take part.
pub type Wanted<'a> = dyn Fn(&str) -> bool + 'a;

/// Powers of ten of the page of mass ratios.
const POWERS: std::ops::RangeInclusive<usize> = 1..=6;

/// Sides of the grids.
const SIDES: [usize; 4] = [6, 20, 40, 80];

/// Pyramids of the page of standing, and how long they stand [steps].
const PYRAMIDS: [&str; 2] = ["3d-pyramid-20", "2d-pyramid"];
const STAND_STEPS: [u32; 2] = [300, 3000];

/// A stack that has lost more than this has fallen [m]: half a cube.
const FALLEN: f32 = 0.5;

/// Scenes that count as ordinary piles: nobody in them asks for more than the usual sub-steps.
pub const PILES: &[&str] = &[
    "2d-pyramid",
    "2d-many-pyramids",
    "2d-rain",
    "2d-compounds",
    "2d-tumbler",
    "2d-washer",
    "3d-pyramid-10",
    "3d-pyramid-20",
    "3d-pyramid-30",
    "3d-many-pyramids",
    "3d-pile",
    "3d-hull-pile",
    "3d-terrain",
    "3d-washer",
    "3d-grid45-400",
    "3d-brick-wall",
    "3d-ragdolls",
];

/// Writes a page to `docs/benchmarks`.
///
/// # Errors
/// If the file cannot be written.
pub fn write(name: &str, text: &str) -> anyhow::Result<()> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks").join(name).with_extension("md");
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("written to {}", path.display());
    Ok(())
}

/// Contenders of a scene; without the variants of one engine, which move alike.
fn entries(scene: &Scene, wanted: &Wanted<'_>) -> anyhow::Result<Vec<Entry>> {
    let is_plain = |name: &str| CONTENDERS.iter().any(|c| c.name == name && c.build.is_none());
    measure::entries(scene, 1, &|name| is_plain(name) && wanted(name))
}

/// Columns of engines, filled as they are met.
#[derive(Default)]
struct Columns {
    /// Name and version.
    engines: Vec<(String, String)>,
}

impl Columns {
    fn see(&mut self, name: &str, version: &str) {
        if !self.engines.iter().any(|(known, _)| known == name) {
            self.engines.push((name.into(), version.into()));
        }
    }

    /// Circumstances and versions.
    fn versions(&self, machine: &Machine) -> String {
        let mut text = format!("{} UTC · {} · commit {}\n\n", machine.date, machine.rustc, machine.commit);
        for (name, version) in &self.engines {
            text += &format!("- **{name}**: {version}\n");
        }
        text
    }
}

/// Lines of one table: what the line is about, and a cell per engine.
type Lines = Vec<(String, BTreeMap<String, String>)>;

fn as_table(first: &str, lines: &Lines) -> String {
    let met = |name: &str| lines.iter().any(|(_, cells)| cells.contains_key(name));
    let names: Vec<&str> = CONTENDERS.iter().map(|c| c.name).filter(|name| met(name)).collect();
    let head: Vec<String> = [first].into_iter().chain(names.iter().copied()).map(str::to_owned).collect();
    let body = lines.iter().map(|(what, cells)| {
        let cell = |name: &&str| cells.get(*name).cloned().unwrap_or_else(|| "–".into());
        [what.clone()].into_iter().chain(names.iter().map(cell)).collect()
    });
    table(&head, body)
}

/// The page of mass ratios.
///
/// # Errors
/// If a program cannot be started.
pub fn ratios(wanted: &Wanted<'_>) -> anyhow::Result<String> {
    let machine = Machine::look();
    let mut columns = Columns::default();
    let mut tables = String::new();
    for scene in scenes::ratios::SCENES {
        let entries = entries(scene, wanted)?;
        let mut lines = Lines::new();
        for power in POWERS {
            let label = format!("{}@{power}", scene.name);
            eprintln!("{label}");
            let sized = scenes::find(&label).context("the scenes of the page exist")?;
            let mut cells = BTreeMap::new();
            for entry in &entries {
                let found =
                    follow(entry, &sized, &label, &mut columns).unwrap_or_else(|error| what_failed(&error));
                cells.insert(entry.name.clone(), found);
            }
            lines.push((format!("1 : 10^{power}"), cells));
        }
        tables += &format!(
            "\n## {}: {}\n\n{}",
            &scene.name[..2].to_uppercase(),
            scene.about,
            as_table("ratio", &lines)
        );
    }
    Ok(format!(
        "# Mass ratios\n\n\
        Written by `cargo run --release -- ratios` in `versus/`: every engine at its defaults, 60 Hz, sleeping off. The stack: how much of its\n\
        height the heavy cube lost in the end (10.5 m; it has fallen if that is more than half a cube). The chains: sum of the gaps in the joints\n\
        over the length (50 m), at the end and, in brackets, at its worst while hanging; at its worst while swinging. Links collide with nothing.\n\n\
        {}{tables}",
        columns.versions(&machine),
    ))
}

/// Runs one scene of the page of mass ratios in one engine and says what became of it.
fn follow(entry: &Entry, scene: &Scene, label: &str, columns: &mut Columns) -> anyhow::Result<String> {
    let mut worker = Worker::start(entry, label, 1)?;
    match worker.receive()? {
        Ready::Loaded { version, .. } => columns.see(&entry.name, &version),
        Ready::Unsupported(reason) => return Ok(format!("n/a: {reason}")),
    }
    if scene.name.ends_with("stack") {
        let start = top(&worker.ask::<Vec<Pose>>("poses")?);
        let _: Block = worker.ask(&format!("run {}", scene.samples))?;
        let end = top(&worker.ask::<Vec<Pose>>("poses")?);
        return Ok(sunk(start, end));
    }
    let stretch_of: Box<dyn Fn(&[Pose]) -> f64> = match scene.generator {
        Generator::Two(make) => {
            let spec = make(scene.size);
            Box::new(move |poses| stretch(&spec, poses))
        }
        Generator::Three(make) => {
            let spec = make(scene.size);
            Box::new(move |poses| stretch(&spec, poses))
        }
    };
    let (mut worst, mut last) = (0.0_f64, 0.0);
    for _ in 0..scene.samples {
        let _: Block = worker.ask("run 1")?;
        last = stretch_of(&worker.ask::<Vec<Pose>>("poses")?);
        if !last.is_finite() {
            return Ok("blows up".into());
        }
        worst = worst.max(last);
    }
    Ok(match scene.name.ends_with("hanging") {
        true => format!("{} ({})", percent(last), percent(worst)),
        false => percent(worst),
    })
}

/// JSON has no NaN: a place that is no number makes a reply that cannot be read.
fn what_failed(error: &anyhow::Error) -> String {
    match error.downcast_ref::<serde_json::Error>() {
        Some(_) => "blows up".into(),
        None => format!("failed: {error}"),
    }
}

/// Height of the last body [m].
fn top(poses: &[Pose]) -> f32 {
    poses.last().map_or(f32::NAN, |pose| pose.position[1])
}

fn sunk(start: f32, end: f32) -> String {
    let lost = start - end;
    // NaN is not less than anything.
    if lost.abs() < FALLEN { percent(f64::from(lost / start)) } else { "falls".into() }
}

/// Sum of the gaps of all joints, over the length of the chain.
fn stretch<D: Dim>(spec: &Spec<D>, poses: &[Pose]) -> f64 {
    let at = |body: usize, anchor: Vec3| {
        let pose = &poses[body];
        Vec3::from_array(pose.position).as_dvec3() + (Quat::from_array(pose.rotation) * anchor).as_dvec3()
    };
    let gap = |joint: &crate::engine::JointDef<D>| {
        at(joint.a, D::vec3(joint.anchor_a)).distance(at(joint.b, D::vec3(joint.anchor_b)))
    };
    spec.joints.iter().map(gap).sum::<f64>() / (f64::from(2.0 * REACH) * spec.joints.len() as f64)
}

/// A share with two digits that count.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = if percent.abs() < 1.0 {
        3
    } else if percent.abs() < 10.0 {
        2
    } else {
        usize::from(percent.abs() < 100.0)
    };
    format!("{percent:.digits$} %")
}

/// The page of the tilted grid.
///
/// # Errors
/// If a program cannot be started.
pub fn grid(wanted: &Wanted<'_>) -> anyhow::Result<String> {
    let machine = Machine::look();
    let mut columns = Columns::default();
    let mut tables = String::new();
    let figures = [
        ("sideways mean m", "Mean sideways motion [m]"),
        ("sideways max m", "Largest sideways motion [m]"),
        ("tunnelled", "Cubes lost"),
    ];
    let mut found: [Lines; 3] = Default::default();
    for (name, dt) in [("3d-grid45-400", "1/30"), ("3d-grid45-fine", "1/300")] {
        for side in SIDES {
            let label = format!("{name}@{side}");
            eprintln!("{label}");
            let scene = scenes::find(&label).context("the scenes of the page exist")?;
            let mut cells: [BTreeMap<String, String>; 3] = Default::default();
            for entry in entries(&scene, wanted)? {
                let quality = settle(&entry, scene.samples, &label, &mut columns);
                for (cells, (figure, _)) in cells.iter_mut().zip(figures) {
                    let text = match &quality {
                        Ok(figures) if figure == "tunnelled" => format!("{:.0}", figures[figure]),
                        Ok(figures) => metres(figures[figure]),
                        Err(error) => format!("failed: {error}"),
                    };
                    cells.insert(entry.name.clone(), text);
                }
            }
            for (lines, cells) in found.iter_mut().zip(cells) {
                lines.push((format!("{} cubes, dt {dt}", side * side), cells));
            }
        }
    }
    for (lines, (_, title)) in found.iter().zip(figures) {
        tables += &format!("\n## {title}\n\n{}", as_table("grid", lines));
    }
    Ok(format!(
        "# The grid at 45°\n\n\
        Written by `cargo run --release -- grid` in `versus/`: a sheet of cubes of 1 m, 1.5 m apart, in a plane at 45° to the floor and aligned\n\
        with it [Yuksel2007], 5 s, every engine at its defaults. The scene is its own mirror image, every column for itself, and nothing pushes\n\
        along x: each sideways motion is an error of the engine.\n\n\
        Topple: points of one contact get their impulses in no order of rank, so that what is its own mirror image stays so to the last bit\n\
        (`docs/decisions/006-soft-step.md`). That holds for contacts of boxes that are their own mirror image, in places that binary numbers\n\
        hold exactly; two bodies that are mirror images of each other are still solved one after the other.\n\n\
        {}{tables}",
        columns.versions(&machine),
    ))
}

/// The page of pyramids that stand long.
///
/// # Errors
/// If a program cannot be started.
pub fn stand(wanted: &Wanted<'_>) -> anyhow::Result<String> {
    let machine = Machine::look();
    let mut columns = Columns::default();
    let figures = [
        ("drift m", "Mean sideways motion of the boxes [m]"),
        ("drop m", "How far the top box came down [m]"),
        ("fallen", "Boxes fallen"),
    ];
    let mut found: [Lines; 3] = Default::default();
    for name in PYRAMIDS {
        let scene = scenes::find(name).context("the scenes of the page exist")?;
        for steps in STAND_STEPS {
            eprintln!("{name}, {steps} steps");
            let mut cells: [BTreeMap<String, String>; 3] = Default::default();
            for entry in entries(&scene, wanted)? {
                let quality = settle(&entry, steps, name, &mut columns);
                for (cells, (figure, _)) in cells.iter_mut().zip(figures) {
                    let text = match &quality {
                        Ok(figures) if figure == "fallen" => format!("{:.0}", figures[figure]),
                        Ok(figures) => format!("{:.4}", figures[figure]),
                        Err(error) => format!("failed: {error}"),
                    };
                    cells.insert(entry.name.clone(), text);
                }
            }
            for (lines, cells) in found.iter_mut().zip(cells) {
                lines.push((format!("{name}, {steps} steps"), cells));
            }
        }
    }
    let tables = found.iter().zip(figures).map(|(lines, (_, title))| {
        format!("\n## {title}\n\n{}", as_table("pyramid", lines))
    });
    Ok(format!(
        "# Pyramids that stand\n\n\
        Written by `cargo run --release -- stand` in `versus/`: the 3D pyramid of base 20 and the 2D pyramid of base 100, 60 Hz, every engine at\n\
        its defaults, sleeping off. The boxes start 5 cm apart and touch the row below exactly; all motion is squeezing and creep.\n\n\
        {}{}",
        columns.versions(&machine),
        tables.collect::<String>(),
    ))
}

/// Runs a scene for so many steps; its figures.
fn settle(
    entry: &Entry,
    steps: u32,
    label: &str,
    columns: &mut Columns,
) -> anyhow::Result<BTreeMap<String, f64>> {
    let mut worker = Worker::start(entry, label, 1)?;
    match worker.receive()? {
        Ready::Loaded { version, .. } => columns.see(&entry.name, &version),
        Ready::Unsupported(reason) => anyhow::bail!("n/a: {reason}"),
    }
    let _: Block = worker.ask(&format!("run {steps}"))?;
    Ok(worker.ask::<Finish>("finish")?.quality)
}

fn metres(value: f64) -> String {
    if value == 0.0 || value >= 1e-3 { format!("{value:.3}") } else { format!("{value:.1e}") }
}

/// The page of what refinement costs.
pub fn refinement(report: &Report) -> String {
    let machine = &report.machine;
    format!(
        "# What stiff groups cost ordinary piles\n\n\
        Written by `cargo run --release -- refinement` in `versus/`: Topple with `max_refinement = 1`, which solves all groups of bodies alike\n\
        (a), beside its default settings (b), in turns in one run. Scenes are those where nothing asks for finer sub-steps, but for the brick wall: its\n\
        ball comes to lie on bricks of an eightieth of its weight, and the eleven bodies of that group take sixteen times finer sub-steps. The price where\n\
        more do is in `versus.md`.\n\n\
        {} UTC · {} × {} · load {:.2} before · {} · commit {} · {} rounds{}\n\n{}",
        machine.date,
        machine.cores,
        machine.cpu,
        machine.load_before,
        machine.rustc,
        machine.commit,
        report.rounds,
        if report.shortened > 1 {
            format!(" · samples cut to 1/{}", report.shortened)
        } else {
            String::new()
        },
        ab_table(&report.rows),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_fell_or_blew_up_is_told_from_one_that_sank() {
        assert_eq!(sunk(10.0, 9.99), "0.100 %");
        assert_eq!(sunk(10.0, 9.0), "falls");
        assert_eq!(sunk(10.0, 50.0), "falls");
        assert_eq!(sunk(10.0, f32::NAN), "falls");
    }

    #[test]
    fn a_chain_whose_links_were_moved_apart_is_stretched_by_that() {
        let scene = scenes::find("3d-ratio-hanging@2").expect("exists");
        let Generator::Three(make) = scene.generator else { unreachable!() };
        let spec = make(scene.size);
        let pose = |factor: f32| -> Vec<Pose> {
            let pose = |def: &crate::engine::BodyDef<crate::engine::D3>| Pose {
                position: (def.position * factor).to_array(),
                rotation: Quat::IDENTITY.to_array(),
                velocity: [0.0; 3],
            };
            spec.bodies.iter().map(pose).collect()
        };
        assert!(stretch(&spec, &pose(1.0)) < 1e-6);
        let stretched = stretch(&spec, &pose(1.1));
        assert!((stretched - 0.1).abs() < 1e-5, "got {stretched}");
        let heavy = spec.bodies[100].mass() / spec.bodies[1].mass();
        assert!((heavy - 100.0).abs() < 1e-3, "got {heavy}");
    }

    #[test]
    fn the_piles_of_the_page_exist() {
        for name in PILES {
            assert!(scenes::all().iter().any(|scene| scene.name == *name), "{name}");
        }
    }
}
