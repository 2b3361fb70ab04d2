//! The log of queries: the last n, in both dimensions, from several threads, replayed to the bit.

use std::sync::Arc;
use topple::exec::Pool;
use topple::math::*;
use topple::query_log::{Answer, Query, QueryLog, Recorded};
use topple::shape::LocalRay;
use topple::shape::d3::mesh::generate;
use topple::world::{QueryFilter, Ray};
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
fn replays<D: Dim>(shapes: &[D::Shape], ground: D::Shape, narrow_phase: &str, room: usize) -> World<D> {
    let mut world = World::<D>::new();
    world.set_narrow_phase_by_name(narrow_phase).unwrap();
    world.set_executor(Arc::new(Pool::new(3)));
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(ground)]).unwrap();
    for i in 0..60 {
        let place =
            D::Vec::axis(0) * (0.3 * (i % 10) as Real) + D::Vec::axis(1) * (0.6 + 0.5 * (i / 10) as Real);
        let shape = shapes[i % shapes.len()].clone();
        world.create_body_with(BodyDef::dynamic(D::Point::from_vec(place)), [ShapeDef::new(shape)]).unwrap();
    }
    world.record_queries(room);
    (0..40).for_each(|_| world.step());
    let log = world.query_log().unwrap();
    assert_eq!(log.entries().len(), room);
    let again = Recorded::<D>::parse(&log.dump()).unwrap();
    assert_eq!(again.len(), room);
    for (replay, entry) in again.iter().zip(log.entries()) {
        assert_eq!(replay.query, entry.query);
        assert!(replay.run().1, "{:?}", replay.query);
    }
    world
}

#[test]
fn queries_of_threads_are_replayed() {
    let chain: Vec<_> = (0..21).map(|i| Vec2::new(10.0 - i as Real, 0.1 * (i % 2) as Real)).collect();
    let flat = [Shape2::circle(0.2), Shape2::rectangle(0.4, 0.3), Shape2::rounded_rectangle(0.4, 0.3, 0.05)];
    replays::<D2>(&flat, Shape2::chain(&chain).unwrap(), "auto", 64);
    let spatial = [Shape3::sphere(0.2), Shape3::cuboid(0.4, 0.3, 0.4), Shape3::cylinder(0.4, 0.2)];
    replays::<D3>(&spatial, crate::support::flat_mesh(10, 1.0), "auto", 64);
}

/// Meshes on meshes: which points are chosen depends on those that were in use. Without them some answers are others, which is how it was.
#[test]
fn pairs_of_meshes_are_replayed() {
    let mesh = |surface: &generate::Surface| Shape3::mesh(&surface.vertices, &surface.triangles).unwrap();
    let shapes = [
        mesh(&generate::icosphere(0.25, 1).unwrap()),
        mesh(&crate::support::box_surface(Vec3::new(0.5, 0.3, 0.4), Vec3::ZERO)),
        mesh(&generate::torus(0.2, 0.1, 12, 8).unwrap()),
    ];
    for narrow_phase in ["auto", "sat", "gjk"] {
        let world = replays::<D3>(&shapes, crate::support::flat_mesh(10, 1.0), narrow_phase, 3000);
        let (mut remembered, mut others) = (0, 0);
        for mut entry in world.query_log().unwrap().entries() {
            let Query::Contacts { used, .. } = &mut entry.query else { continue };
            remembered += usize::from(!core::mem::take(used).is_empty());
            others += usize::from(!Recorded::<D3>::parse(&entry.to_text()).unwrap()[0].run().1);
        }
        assert!(
            remembered > 300 && others > 0,
            "{narrow_phase}: {remembered} remembered, {others} without them"
        );
    }
    let square = [Vec2::new(6.0, 6.0), Vec2::new(-6.0, 6.0), Vec2::new(-6.0, 0.0), Vec2::new(6.0, 0.0)];
    let flat = [Shape2::circle(0.2), Shape2::rectangle(0.4, 0.3)];
    replays::<D2>(&flat, Shape2::chain_loop(&square).unwrap(), "auto", 1000);
}

/// Where dumped logs are kept.
const DUMPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/meshes");

/// Queries of every kind in a small world: contacts of a few steps, and a ray, a cast and a distance.
fn log_of<D: Dim>(shapes: &[D::Shape], ground: D::Shape) -> String {
    let mut world = World::<D>::new();
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(ground)]).unwrap();
    for (i, shape) in shapes.iter().enumerate() {
        let place = D::Vec::axis(0) * (0.35 * i as Real) + D::Vec::axis(1) * (0.3 + 0.02 * i as Real);
        let def = BodyDef::dynamic(D::Point::from_vec(place));
        world.create_body_with(def, [ShapeDef::new(shape.clone())]).unwrap();
    }
    world.record_queries(24);
    (0..3).for_each(|_| world.step());
    let filter = QueryFilter::default();
    let start = D::Point::from_vec(D::Vec::axis(1) * 3.0);
    let down = D::Vec::axis(1) * -5.0;
    world.cast_ray(&Ray { origin: start, direction: down, max: 1.0 }, &filter).unwrap();
    world.cast_shape(&shapes[0], &Pose::at(start), down, &filter).unwrap();
    world.closest_shape(&shapes[0], &Pose::at(start), 5.0, &filter).unwrap();
    world.query_log().unwrap().dump()
}

/// A dump from a file, as somebody would take it home: every query gives the bits it gave then. `UPDATE_EXPECT=1` writes it anew, where
/// an algorithm was changed on purpose.
fn dumps_are_replayed<D: Dim>(file: &str, shapes: &[D::Shape], ground: D::Shape) {
    let path = format!("{DUMPS}/{file}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, log_of::<D>(shapes, ground)).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let all = Recorded::<D>::parse(&text).unwrap();
    for (number, replay) in all.iter().enumerate() {
        let (answer, is_same) = replay.run();
        assert!(is_same, "{file}, query {number}: {:?} gives {answer:?} now", replay.query);
    }
    // Every kind is in it, and a changed answer is noticed.
    for word in ["contacts ", "ray ", "cast ", "distance "] {
        assert!(text.lines().any(|line| line.starts_with(word)), "{file}: no {word}");
    }
    let line = text.lines().find(|line| line.starts_with("ray ") && !line.ends_with('-')).unwrap();
    let last = if line.ends_with('0') { '1' } else { '0' };
    let wrong = format!("{}{last}", &line[..line.len() - 1]);
    assert!(!Recorded::<D>::parse(&wrong).unwrap()[0].run().1, "{wrong}");
}

#[test]
fn a_dumped_log_is_replayed() {
    let flat = [Shape2::circle(0.2), Shape2::rectangle(0.4, 0.3), Shape2::circle(0.15)];
    dumps_are_replayed::<D2>("queries2.log", &flat, Shape2::rectangle(6.0, 0.2));
    let spatial = [Shape3::sphere(0.2), Shape3::cuboid(0.4, 0.3, 0.4), Shape3::sphere(0.15)];
    dumps_are_replayed::<D3>("queries3.log", &spatial, crate::support::flat_mesh(4, 1.0));
}
