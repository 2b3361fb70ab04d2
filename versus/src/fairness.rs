//! Is it the same scene? Reads bodies back from every engine, holds them against the scene's own numbers and against free
//! fall, and draws what each engine made of the scene.

use crate::measure::{Entry, Worker};
use crate::picture;
use crate::scenes::{Scene, Workload};
use crate::worker::{Block, Ready};
use crate::world::{self, Pose, ReadBack};
use glam::{Quat, Vec3};
use std::fmt::Write;
use std::path::Path;

/// What was found about one contender in one scene.
#[derive(Debug)]
pub struct Finding {
    /// Scene.
    pub scene: String,
    /// Contender.
    pub engine: String,
    /// Differences; empty if all is well.
    pub faults: Vec<String>,
    /// The engine lacks a feature of the scene.
    pub missing: bool,
}

/// Allowed error of a position [m], relative to its size.
const POSITION: f32 = 1e-5;
/// Allowed error of a component of an orientation.
const ROTATION: f32 = 1e-4;
/// Allowed relative error of a mass. Box3D rounds the inertia of nothing, but hulls are built by different algorithms.
const MASS: f32 = 2e-3;

/// Compares what an engine answered with what it was told; poses only if the scene has not been stepped yet.
pub fn compare(told: &ReadBack, answered: &ReadBack, at_start: bool) -> Vec<String> {
    let mut faults = Vec::new();
    if told.poses.len() != answered.poses.len() {
        return vec![format!("{} bodies instead of {}", answered.poses.len(), told.poses.len())];
    }
    let far = |a: [f32; 3], b: [f32; 3]| {
        let (a, b) = (Vec3::from_array(a), Vec3::from_array(b));
        let distance = a.distance(b);
        distance.is_nan() || distance > POSITION * (1.0 + a.length())
    };
    if far(told.gravity, answered.gravity) {
        faults.push(format!("gravity {:?} instead of {:?}", answered.gravity, told.gravity));
    }
    let mut count = 0;
    let mut note = |faults: &mut Vec<String>, text: String| {
        // The first few say it all.
        count += 1;
        if count <= 3 {
            faults.push(text);
        }
    };
    for (i, (a, b)) in told.poses.iter().zip(&answered.poses).enumerate() {
        if at_start && far(a.position, b.position) {
            note(&mut faults, format!("body {i} at {:?} instead of {:?}", b.position, a.position));
        }
        if at_start && far(a.velocity, b.velocity) {
            note(&mut faults, format!("body {i} moves with {:?} instead of {:?}", b.velocity, a.velocity));
        }
        // q and −q are the same orientation.
        let turned = 1.0 - Quat::from_array(a.rotation).dot(Quat::from_array(b.rotation)).abs();
        if at_start && (turned.is_nan() || turned > ROTATION) {
            note(&mut faults, format!("body {i} turned by {:?} instead of {:?}", b.rotation, a.rotation));
        }
        let (mass, found) = (told.masses[i], answered.masses[i]);
        if (mass - found).abs() > MASS * mass || found.is_nan() {
            note(&mut faults, format!("body {i} has {found} kg instead of {mass} kg"));
        }
        if told.materials[i] != answered.materials[i] {
            note(
                &mut faults,
                format!(
                    "body {i} has material {:?} instead of {:?}",
                    answered.materials[i], told.materials[i]
                ),
            );
        }
    }
    if count > 3 {
        faults.push(format!("… and {} more", count - 3));
    }
    faults
}

/// Checks a body after a second of free flight from `start`.
pub fn compare_flight(
    start: &Pose,
    end: &Pose,
    steps_per_second: usize,
    gravity: f32,
    spin: f32,
) -> Vec<String> {
    let mut faults = Vec::new();
    let (v, p) = (Vec3::from_array(start.velocity), Vec3::from_array(start.position));
    let fall = Vec3::new(0.0, -gravity, 0.0);
    // Velocity is exact in any scheme without drag: it tells dt, gravity and damping at once.
    let velocity = Vec3::from_array(end.velocity);
    if velocity.distance(v + fall) > 1e-3 * gravity || velocity.is_nan() {
        faults.push(format!("after 1 s it moves with {velocity} instead of {}", v + fall));
    }
    // A scheme of first order may be off by half a step times the change of velocity, not more.
    let exact = p + v + fall * 0.5;
    let allowed = 0.5 * gravity / steps_per_second as f32 * 1.05 + 1e-3;
    let position = Vec3::from_array(end.position);
    if position.distance(exact) > allowed || position.is_nan() {
        faults.push(format!("after 1 s it is at {position} instead of {exact} ± {allowed} m"));
    }
    let turn = Quat::from_array(start.rotation).angle_between(Quat::from_array(end.rotation));
    if (turn - spin).abs() > 0.01 || turn.is_nan() {
        faults.push(format!("after 1 s it has turned by {turn} rad instead of {spin}"));
    }
    faults
}

/// Starts a worker and waits until it is loaded; `None` if the engine lacks a feature.
fn loaded(entry: &Entry, label: &str, threads: usize) -> anyhow::Result<Option<Worker>> {
    let mut worker = Worker::start(entry, label, threads)?;
    match worker.receive()? {
        Ready::Loaded { .. } => Ok(Some(worker)),
        Ready::Unsupported(_) => Ok(None),
    }
}

/// Free fall at 60 and at 30 steps per second.
///
/// # Errors
/// If a worker cannot be started.
pub fn check_flight(entry: &Entry, dimension: u32, threads: usize) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for rate in [60_usize, 30] {
        let label = format!("{dimension}d-free-fall@{rate}");
        let Some(mut worker) = loaded(entry, &label, threads)? else { continue };
        let start = worker.ask::<Vec<Pose>>("poses")?[0];
        worker.ask::<Block>(&format!("run {rate}"))?;
        let end = worker.ask::<Vec<Pose>>("poses")?[0];
        let faults = compare_flight(&start, &end, rate, 9.8, 1.0);
        findings.push(Finding {
            scene: label,
            engine: format!("{} × {threads}", entry.name),
            faults,
            missing: false,
        });
    }
    Ok(findings)
}

/// Reads a scene back from every contender, runs it, writes trajectories and a sheet of pictures.
///
/// # Errors
/// If a worker cannot be started or a file cannot be written.
pub fn check_scene(
    scene: &Scene,
    entries: &[Entry],
    steps: u32,
    folder: &Path,
) -> anyhow::Result<Vec<Finding>> {
    let told = world::intended(scene);
    let mut findings = Vec::new();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for entry in entries {
        let mut finding = Finding {
            scene: scene.name.into(),
            engine: entry.name.clone(),
            faults: Vec::new(),
            missing: false,
        };
        match run(scene, entry, steps, folder, &told, &mut finding.faults) {
            Ok(Some((start, end))) => {
                starts.push(Some(start));
                ends.push(Some(end));
            }
            outcome => {
                match outcome {
                    Err(error) => finding.faults.push(format!("{error}")),
                    Ok(_) => finding.missing = true,
                }
                starts.push(None);
                ends.push(None);
            }
        }
        findings.push(finding);
    }
    let states = starts.iter().chain(&ends).flatten().map(|poses| {
        // Floors are not what the picture is about.
        &poses[1.min(poses.len())..]
    });
    let view = picture::View::around(states);
    let sheet = picture::sheet(&picture::outlines(scene), &[starts, ends], view);
    sheet.save(&folder.join(format!("{}.png", scene.name)))?;
    Ok(findings)
}

type StartAndEnd = (Vec<Pose>, Vec<Pose>);

fn run(
    scene: &Scene,
    entry: &Entry,
    steps: u32,
    folder: &Path,
    told: &ReadBack,
    faults: &mut Vec<String>,
) -> anyhow::Result<Option<StartAndEnd>> {
    let Some(mut worker) = loaded(entry, scene.name, 1)? else { return Ok(None) };
    let answered: ReadBack = worker.ask("read-back")?;
    // Scenes about sleep and rays have settled before they are handed over.
    let at_start = matches!(scene.workload, Workload::Step | Workload::CreateDestroy);
    faults.extend(compare(told, &answered, at_start));
    let start = answered.poses;
    let mut csv = String::from("step,body,x,y,z,qx,qy,qz,qw\n");
    let every = (steps / 20).max(1);
    let mut poses = start.clone();
    for step in (0..=steps).step_by(every as usize) {
        if step > 0 {
            worker.ask::<Block>(&format!("run {every}"))?;
            poses = worker.ask("poses")?;
        }
        // At most a hundred bodies, spread over the scene.
        let stride = poses.len().div_ceil(100).max(1);
        for (i, pose) in poses.iter().enumerate().step_by(stride) {
            let numbers: Vec<String> =
                pose.position.iter().chain(&pose.rotation).map(|x| format!("{x:.5}")).collect();
            let _ = writeln!(csv, "{step},{i},{}", numbers.join(","));
        }
        if scene.workload == Workload::CreateDestroy {
            break;
        }
    }
    std::fs::write(folder.join(format!("{}-{}.csv", scene.name, entry.name)), csv)?;
    Ok(Some((start, poses)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> ReadBack {
        let pose = Pose { position: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 0.0, 1.0], velocity: [0.0; 3] };
        ReadBack {
            gravity: [0.0, -9.8, 0.0],
            poses: vec![pose],
            masses: vec![8.0],
            materials: vec![(0.5, 0.0)],
        }
    }

    #[test]
    fn the_same_answer_has_no_faults_and_each_difference_is_named() {
        assert_eq!(compare(&told(), &told(), true), Vec::<String>::new());
        let mut other = told();
        other.poses[0].rotation = [0.0, 0.0, 0.0, -1.0];
        assert_eq!(compare(&told(), &other, true), Vec::<String>::new(), "q and −q are one orientation");
        for (word, change) in [
            ("gravity", (|b| b.gravity[1] = -10.0) as fn(&mut ReadBack)),
            ("at", |b| b.poses[0].position[0] = 1.001),
            ("turned", |b| b.poses[0].rotation = [0.1, 0.0, 0.0, 0.995]),
            ("kg", |b| b.masses[0] = 8.1),
            ("material", |b| b.materials[0].0 = 0.4),
            ("moves", |b| b.poses[0].velocity[2] = f32::NAN),
        ] {
            let mut answered = told();
            change(&mut answered);
            let faults = compare(&told(), &answered, true);
            assert!(faults.len() == 1 && faults[0].contains(word), "{word}: {faults:?}");
        }
    }

    #[test]
    fn damping_and_a_wrong_step_show_in_free_flight() {
        let start =
            Pose { position: [0.0, 50.0, 0.0], rotation: [0.0, 0.0, 0.0, 1.0], velocity: [3.0, 4.0, 0.0] };
        let turn = Quat::from_rotation_y(1.0).to_array();
        let good = Pose { position: [3.0, 49.1, 0.0], rotation: turn, velocity: [3.0, -5.8, 0.0] };
        assert_eq!(compare_flight(&start, &good, 60, 9.8, 1.0), Vec::<String>::new());
        let damped = Pose { velocity: [2.85, -5.6, 0.0], ..good };
        assert_eq!(compare_flight(&start, &damped, 60, 9.8, 1.0).len(), 1);
        let half = Pose { position: [1.5, 50.8, 0.0], velocity: [3.0, -0.9, 0.0], ..start };
        assert_eq!(compare_flight(&start, &half, 60, 9.8, 1.0).len(), 3);
    }
}
