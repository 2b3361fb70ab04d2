//! Creating and removing costs what there is to create and remove, however much else there is.

use crate::support::*;
use std::time::Instant;
use topple::force::{Scope, UniformGravity};
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// Bodies in the world when it is full, and per measured piece.
const BODIES: usize = 100_000;
const PIECE: usize = 4_000;

/// How much more a body may cost in a full world than in an almost empty one. A cost that grows with the number of bodies
/// would make it 49 times (the middle of the last of 25 pieces against the middle of the first); memory that no longer fits
/// the caches makes it 1.5 to 3 times.
const MOST: f64 = 12.0;

/// Runs of which the fastest counts, piece by piece, for machines that do other things.
const RUNS: usize = 3;

/// Seconds per piece to create and to remove all bodies; the removals from the almost empty world come first.
fn create_and_remove<D: TestDim>() -> [Vec<f64>; 2] {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let mut ids = Vec::new();
    let mut created = Vec::new();
    for piece in 0..BODIES / PIECE {
        let start = Instant::now();
        for i in piece * PIECE..(piece + 1) * PIECE {
            let def =
                BodyDef { name: format!("body {i}"), ..BodyDef::dynamic(D::point(2.0 * i as Real, 0.0)) };
            ids.push(world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap());
        }
        created.push(start.elapsed().as_secs_f64());
    }
    // A generator that names every body does not make it costlier to take one of them out.
    let scope = Scope { bodies: Some(ids.clone()), region: None };
    world.add_generator(UniformGravity::<D> { scope, ..UniformGravity::new(D::vec(0.0, -1.0)) }).unwrap();
    world.step();
    let mut random = Random(1);
    let mut removed = Vec::new();
    while !ids.is_empty() {
        let start = Instant::now();
        for _ in 0..PIECE {
            // In a scattered order.
            let at = (random.unit() * ids.len() as Real) as usize;
            world.remove_body(ids.swap_remove(at.min(ids.len() - 1))).unwrap();
        }
        removed.push(start.elapsed().as_secs_f64());
    }
    assert_eq!(world.body_count(), 0);
    removed.reverse();
    [created, removed]
}

fn creation_is_linear<D: TestDim>() {
    let runs: Vec<_> = (0..RUNS).map(|_| create_and_remove::<D>()).collect();
    for (kind, what) in ["creating", "removing"].iter().enumerate() {
        let best = |piece: usize| runs.iter().map(|run| run[kind][piece]).fold(f64::MAX, f64::min);
        let pieces = BODIES / PIECE;
        // Two pieces at each end: one of them may hold the growth of an array.
        let (empty, full) = (best(0).min(best(1)), best(pieces - 1).min(best(pieces - 2)));
        let ratio = full / empty;
        assert!(ratio < MOST, "{what} a body takes {ratio:.1} times as long among {BODIES} others");
    }
}

#[test]
fn creation_is_linear_2d() {
    creation_is_linear::<D2>();
}
#[test]
fn creation_is_linear_3d() {
    creation_is_linear::<D3>();
}

/// One body with many shapes, and one under many others, go in linear time too: sixteen times the shapes take about sixteen
/// times as long, not 256 times.
fn large_bodies_go_fast<D: TestDim>() {
    const FEW: usize = 500;
    const MANY: usize = 16 * FEW;
    let time = |count: usize| {
        let mut world = World::<D>::new();
        let shapes = (0..count).map(|i| ShapeDef::new(D::ball(0.4)).at(Pose::at(D::point(i as Real, 0.0))));
        let long = world.create_body_with(BodyDef::fixed(D::point(0.0, 0.0)), shapes).unwrap();
        for i in 0..count {
            add_body(&mut world, i as Real, 0.75, D::cube(0.7));
        }
        world.step();
        assert!(world.contacts().count() >= count);
        let start = Instant::now();
        world.remove_body(long).unwrap();
        start.elapsed().as_secs_f64()
    };
    // The fastest of each, by turns, until that settles it: neighbours on the machine can slow down any one run.
    let (mut few, mut many) = (f64::MAX, f64::MAX);
    for _ in 0..20 {
        few = few.min(time(FEW));
        many = many.min(time(MANY));
        if many < 32.0 * few {
            break;
        }
    }
    let ratio = many / few;
    assert!(ratio < 64.0, "sixteen times the shapes took {ratio:.1} times as long");
}

#[test]
fn large_bodies_go_fast_2d() {
    large_bodies_go_fast::<D2>();
}
#[test]
fn large_bodies_go_fast_3d() {
    large_bodies_go_fast::<D3>();
}
