//! The log of queries: the last n, in both dimensions, from several threads, replayed to the bit.

use std::sync::Arc;
use topple::exec::Pool;
use topple::math::*;
use topple::query_log::{Answer, Query, QueryLog, Recorded};
use topple::shape::LocalRay;
use topple::{BodyDef, Shape2, Shape3, ShapeDef, World};

/// More queries than there is room for: the last ones are kept, oldest first.
#[test]
fn overflow_keeps_the_last() {
    let log = QueryLog::<D2>::new(3);
    for max in 1..=5 {
        let ray = LocalRay { origin: Vec2::ZERO, direction: Vec2::X, max: max as Real };
        log.record(Query::Ray { shape: Shape2::circle(1.0), ray }, Answer::Ray(None));
    }
    let kept: Vec<Real> = log
        .entries()
        .iter()
        .map(|entry| match &entry.query {
            Query::Ray { ray, .. } => ray.max,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kept, [3.0, 4.0, 5.0]);
}

/// A pile on several threads: as many entries as there is room for, and each gives the same bits again.
fn replays<D: Dim>(shapes: &[D::Shape], ground: D::Shape) {
    const ROOM: usize = 64;
    let mut world = World::<D>::new();
    world.set_executor(Arc::new(Pool::new(3)));
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(ground)]).unwrap();
    for i in 0..60 {
        let place =
            D::Vec::axis(0) * (0.3 * (i % 10) as Real) + D::Vec::axis(1) * (0.6 + 0.5 * (i / 10) as Real);
        let shape = shapes[i % shapes.len()].clone();
        world.create_body_with(BodyDef::dynamic(D::Point::from_vec(place)), [ShapeDef::new(shape)]).unwrap();
    }
    world.record_queries(ROOM);
    (0..40).for_each(|_| world.step());
    let log = world.query_log().unwrap();
    assert_eq!(log.entries().len(), ROOM);
    let again = Recorded::<D>::parse(&log.dump()).unwrap();
    assert_eq!(again.len(), ROOM);
    for (replay, entry) in again.iter().zip(log.entries()) {
        assert_eq!(replay.query, entry.query);
        assert!(replay.run().1, "{:?}", replay.query);
    }
}

#[test]
fn queries_of_threads_are_replayed() {
    let chain: Vec<_> = (0..21).map(|i| Vec2::new(10.0 - i as Real, 0.1 * (i % 2) as Real)).collect();
    let flat = [Shape2::circle(0.2), Shape2::rectangle(0.4, 0.3), Shape2::rounded_rectangle(0.4, 0.3, 0.05)];
    replays::<D2>(&flat, Shape2::chain(&chain).unwrap());
    let spatial = [Shape3::sphere(0.2), Shape3::cuboid(0.4, 0.3, 0.4), Shape3::cylinder(0.4, 0.2)];
    replays::<D3>(&spatial, crate::support::flat_mesh(10, 1.0));
}
