//! Rays, points and boxes, under every broad phase.

use crate::support::*;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, Filter, ShapeDef, World};

/// A row of unit balls at x = 2, 4, 6, 8, in a world with the given broad phase.
fn row<D: TestDim>(broad_phase: &str) -> (World<D>, Vec<topple::BodyId>) {
    let mut world = World::<D>::new();
    world.set_broad_phase_by_name(broad_phase).unwrap();
    let ids = (1..5).map(|i| {
        let filter = Filter { category: 1 << i, ..Filter::default() };
        let shape = ShapeDef { filter, is_sensor: i == 4, ..ShapeDef::new(D::ball(0.5)) };
        world.create_body_with(BodyDef::fixed(D::point(2.0 * i as Real, 0.0)), [shape]).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

fn rays<D: TestDim>() {
    for broad_phase in methods::<D>("broad phase") {
        let (mut world, ids) = row::<D>(broad_phase);
        let ray = Ray::<D>::between(D::point(0.0, 0.1), D::point(10.0, 0.1));
        let all = QueryFilter::default();
        // Before and after a step: the first sees proxies that were never in a step.
        for _ in 0..2 {
            let hit = world.cast_ray(&ray, &all).unwrap().unwrap();
            let x = 2.0 - (0.25_f32 - 0.01).sqrt();
            assert_eq!(hit.body, ids[0], "{broad_phase}");
            assert_close(broad_phase, hit.t, x / 10.0, 1e-6, "");
            assert_near(broad_phase, hit.point.to_vec(), D::vec(x, 0.1), 1e-5, "m");
            assert_near(broad_phase, hit.normal, D::vec((x - 2.0) / 0.5, 0.2), 1e-5, "");
            let order: Vec<_> = world.cast_ray_all(&ray, &all).unwrap().iter().map(|hit| hit.body).collect();
            assert_eq!(order, ids[..3], "{broad_phase}: nearest first, no sensors");
            let with_sensors = QueryFilter { sensors: true, ..all };
            assert_eq!(world.cast_ray_all(&ray, &with_sensors).unwrap().len(), 4);
            let without_first = QueryFilter { ignore: Some(ids[0]), ..all };
            assert_eq!(world.cast_ray(&ray, &without_first).unwrap().unwrap().body, ids[1]);
            let third = QueryFilter { filter: Filter { category: u64::MAX, mask: 1 << 3, group: 0 }, ..all };
            assert_eq!(world.cast_ray(&ray, &third).unwrap().unwrap().body, ids[2]);
            let short = Ray { max: 0.1, ..ray };
            assert!(world.cast_ray(&short, &all).unwrap().is_none());
            assert!(!world.cast_ray_any(&short, &all).unwrap() && world.cast_ray_any(&ray, &all).unwrap());
            let inside = Ray::<D>::between(D::point(2.0, 0.0), D::point(3.0, 0.0));
            let hit = world.cast_ray(&inside, &all).unwrap().unwrap();
            assert_eq!((hit.t, hit.normal), (0.0, D::Vec::ZERO), "starts inside");
            world.step();
        }
        // Queries between steps see what was moved, removed and disabled.
        world.body_mut(ids[0]).unwrap().set_position(D::point(2.0, 7.0)).unwrap();
        assert_eq!(world.cast_ray(&ray, &all).unwrap().unwrap().body, ids[1], "{broad_phase}: moved away");
        world.set_enabled(ids[1], false).unwrap();
        assert_eq!(world.cast_ray(&ray, &all).unwrap().unwrap().body, ids[2], "{broad_phase}: disabled");
        world.remove_body(ids[2]).unwrap();
        assert!(world.cast_ray(&ray, &all).unwrap().is_none(), "{broad_phase}: removed");
    }
}

#[test]
fn rays_2d() {
    rays::<D2>();
}
#[test]
fn rays_3d() {
    rays::<D3>();
}

fn points_and_boxes<D: TestDim>() {
    for broad_phase in methods::<D>("broad phase") {
        let (mut world, ids) = row::<D>(broad_phase);
        let floor = add_floor(&mut world, 0.5);
        let all = QueryFilter::default();
        for _ in 0..2 {
            let at = |x: Real, y: Real| -> Vec<_> {
                world.shapes_at(D::point(x, y), &all).unwrap().iter().map(|hit| hit.body).collect()
            };
            assert_eq!(at(2.0, 0.3), [ids[0]], "{broad_phase}");
            assert_eq!(at(4.1, -0.1), [ids[1], floor], "in order of shapes");
            assert!(at(3.0, 0.3).is_empty());
            let bounds = Aabb::<D>::around(D::point(5.0, 0.3), D::Vec::splat(0.6));
            let inside: Vec<_> =
                world.shapes_in_box(&bounds, &all).unwrap().iter().map(|hit| hit.body).collect();
            assert_eq!(inside, [ids[1], ids[2], floor], "{broad_phase}");
            world.step();
        }
    }
}

#[test]
fn points_and_boxes_2d() {
    points_and_boxes::<D2>();
}
#[test]
fn points_and_boxes_3d() {
    points_and_boxes::<D3>();
}

/// Random rays through a random world: the nearest hit is the first of all hits, and every broad phase gives the same.
fn every_broad_phase_sees_the_same<D: TestDim>() {
    let names = methods::<D>("broad phase");
    let mut worlds: Vec<World<D>> = names
        .iter()
        .map(|name| {
            let mut world = World::new();
            world.set_broad_phase_by_name(name).unwrap();
            heap(&mut world, 6);
            (0..40).for_each(|_| world.step());
            world
        })
        .collect();
    let mut random = Random(3);
    for _ in 0..300 {
        let mut point = || D::point(random.between(-8.0, 8.0), random.between(-1.0, 12.0));
        let ray = Ray::<D>::between(point(), point());
        let all: Vec<_> =
            worlds.iter().map(|world| world.cast_ray_all(&ray, &QueryFilter::default()).unwrap()).collect();
        for (world, hits) in worlds.iter().zip(&all) {
            assert_eq!(hits, &all[0]);
            assert_eq!(world.cast_ray(&ray, &QueryFilter::default()).unwrap().as_ref(), hits.first());
        }
    }
    worlds.iter_mut().for_each(World::step);
}

#[test]
fn every_broad_phase_sees_the_same_2d() {
    every_broad_phase_sees_the_same::<D2>();
}
#[test]
fn every_broad_phase_sees_the_same_3d() {
    every_broad_phase_sees_the_same::<D3>();
}

/// World vertices follow the body and the place of the shape on it.
fn world_vertices<D: TestDim>() {
    let mut world = World::<D>::new();
    let def =
        BodyDef { rotation: D::turn(0.5 * core::f32::consts::PI), ..BodyDef::fixed(D::point(3.0, 4.0)) };
    let shape = ShapeDef::new(D::block(2.0, 1.0)).at(Pose::at(D::point(1.0, 0.0)));
    let body = world.create_body_with(def, [shape]).unwrap();
    let shape = world.body(body).unwrap().shapes().next().unwrap();
    let view = world.shape(shape).unwrap();
    let corners = view.world_vertices();
    assert_eq!(corners.len(), 1 << D::N);
    for corner in corners {
        let v = corner.to_vec();
        assert!(is_near((v.get(0) - 3.0).abs(), 0.5, 1e-5), "x of {v:?}");
        assert!(is_near((v.get(1) - 5.0).abs(), 1.0, 1e-5), "y of {v:?}");
    }
    assert_eq!(view.local_vertices().len(), 1 << D::N);
}

#[test]
fn world_vertices_2d() {
    world_vertices::<D2>();
}
#[test]
fn world_vertices_3d() {
    world_vertices::<D3>();
}
