//! Creating and removing costs what there is to create and remove.

use crate::support::*;
use std::time::Instant;
use topple::math::*;
use topple::{BodyDef, ShapeDef, World};

/// Seconds to create and to remove `count` bodies, half of them before the first step. Ids are removed in a scattered order.
fn create_and_remove<D: TestDim>(count: usize) -> f64 {
    let mut world = World::<D>::new();
    adjust(&mut world, |s| s.sleeping = false);
    let start = Instant::now();
    let mut ids: Vec<_> = (0..count)
        .map(|i| {
            let def =
                BodyDef { name: format!("body {i}"), ..BodyDef::dynamic(D::point(2.0 * i as Real, 0.0)) };
            world.create_body_with(def, [ShapeDef::new(D::ball(0.5))]).unwrap()
        })
        .collect();
    let created = start.elapsed();
    world.step();
    let start = Instant::now();
    let mut random = Random(1);
    while !ids.is_empty() {
        let at = (random.unit() * ids.len() as Real) as usize;
        world.remove_body(ids.swap_remove(at.min(ids.len() - 1))).unwrap();
    }
    assert_eq!(world.body_count(), 0);
    (created + start.elapsed()).as_secs_f64()
}

/// Four times the bodies in at most eight times the time: a quadratic cost would be sixteen. The best of a few runs, for
/// machines that do other things.
fn creation_is_linear<D: TestDim>() {
    let mut best = f64::MAX;
    for _ in 0..4 {
        let (small, large) = (create_and_remove::<D>(25_000), create_and_remove::<D>(100_000));
        best = best.min(large / small);
        if best < 6.0 {
            return;
        }
    }
    assert!(best < 8.0, "100 000 bodies took {best:.1} times as long as 25 000");
}

#[test]
fn creation_is_linear_2d() {
    creation_is_linear::<D2>();
}
#[test]
fn creation_is_linear_3d() {
    creation_is_linear::<D3>();
}

/// One body with many shapes, and one under many others, go in linear time too.
fn large_bodies_go_fast<D: TestDim>() {
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
    let best = (0..5).map(|_| time(8000) / time(1000)).fold(f64::MAX, f64::min);
    assert!(best < 24.0, "eight times the shapes took {best:.1} times as long");
}

#[test]
fn large_bodies_go_fast_2d() {
    large_bodies_go_fast::<D2>();
}
#[test]
fn large_bodies_go_fast_3d() {
    large_bodies_go_fast::<D3>();
}
