//! Queries against a loop over all shapes that uses no broad phase and no boxes: what the world finds is all there is. And batches
//! of them against single ones, and filters in all of them.

use super::{Random, Shapes};
use std::sync::Arc;
use topple::distance::{closest_points, point_shape, shape_cast};
use topple::exec::Pool;
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};
use topple::world::{Methods, QueryFilter, Ray};
use topple::{BodyDef, BodyId, Filter, Pose, Shape2, Shape3, ShapeDef, ShapeId, World};

/// Every kind of convex shape, and a plane.
trait AllShapes: Shapes {
    fn any(random: &mut Random) -> Self::Shape;
    fn plane(offset: Real) -> Self::Shape;
}

fn corners<D: Dim>(random: &mut Random, count: usize, size: Real) -> Vec<D::Vec> {
    (0..count).map(|_| random.vector::<D>(2.0 * size)).collect()
}

impl AllShapes for D2 {
    fn any(random: &mut Random) -> Shape2 {
        let size = 0.2 + random.next();
        match (random.next() * 6.0) as u32 {
            0 => Shape2::segment(Vec2::ZERO, Vec2::new(size, 0.5)),
            1 => Shape2::polygon(&corners::<D2>(random, 7, size)).unwrap(),
            2 => Shape2::rounded_rectangle(size, 0.7, 0.1),
            _ => Self::shape(random),
        }
    }
    fn plane(offset: Real) -> Shape2 {
        Shape2::half_plane(Vec2::Y, offset)
    }
}

impl AllShapes for D3 {
    fn any(random: &mut Random) -> Shape3 {
        let size = 0.2 + random.next();
        match (random.next() * 8.0) as u32 {
            0 => Shape3::cylinder(size, 0.5),
            1 => Shape3::cone(size, 0.5),
            2 => Shape3::hull(&corners::<D3>(random, 12, size)).unwrap(),
            3 => Shape3::rounded_cuboid(size, 0.7, 0.9, 0.1),
            _ => Self::shape(random),
        }
    }
    fn plane(offset: Real) -> Shape3 {
        Shape3::plane(Vec3::Y, offset)
    }
}

/// Bodies of one or two shapes that fly about, some fixed, and a plane below.
fn world_of_all<D: AllShapes>(random: &mut Random, count: usize) -> World<D> {
    let mut world = World::<D>::new();
    world
        .create_body_with(BodyDef::fixed(D::Point::from_vec(D::Vec::ZERO)), [ShapeDef::new(D::plane(-9.0))])
        .unwrap();
    for i in 0..count {
        let pose = random.pose::<D>(20.0);
        let mut def = BodyDef { rotation: pose.rotation, ..BodyDef::<D>::dynamic(pose.position) };
        if i % 7 == 0 {
            def = BodyDef { rotation: pose.rotation, ..BodyDef::fixed(pose.position) };
        }
        def.linear_velocity = if i % 7 == 0 { D::Vec::ZERO } else { random.vector::<D>(10.0) };
        let body = world.create_body(def).unwrap();
        for _ in 0..1 + i % 2 {
            let filter = Filter { category: 1 << (i % 3), ..Filter::default() };
            let shape = ShapeDef { filter, is_sensor: i % 11 == 3, ..ShapeDef::new(D::any(random)) };
            world.add_shape(body, shape).unwrap();
        }
    }
    world
}

/// The shapes that a filter lets through, by its definition.
fn seen<D: Dim>(world: &World<D>, filter: &QueryFilter) -> Vec<ShapeId> {
    let mut ids: Vec<ShapeId> = world.shape_ids().collect();
    ids.retain(|&id| {
        let shape = world.shape(id).unwrap();
        (filter.sensors || !shape.is_sensor())
            && filter.ignore != Some(shape.body())
            && filter.filter.allows(&shape.filter())
    });
    ids.sort_unstable();
    ids
}

/// Asks everything at one place, and compares with a loop over all shapes.
fn compare<D: AllShapes>(world: &World<D>, random: &mut Random, filter: &QueryFilter) -> usize {
    let ids = seen(world, filter);
    let (probe, pose, way) = (D::shape(random), random.pose::<D>(20.0), random.vector::<D>(20.0));
    let geometry = |id: ShapeId| {
        let shape = world.shape(id).unwrap();
        (shape.geometry().clone(), shape.pose())
    };
    // Overlaps and the nearest one.
    let gap = |id: ShapeId| {
        let (shape, place) = geometry(id);
        closest_points::<D>(&probe, &pose, &shape, &place).map(|closest| closest.distance)
    };
    let expected: Vec<ShapeId> =
        ids.iter().copied().filter(|&id| gap(id).is_some_and(|gap| gap <= 0.0)).collect();
    let overlaps = world.overlap_shape(&probe, &pose, filter).unwrap();
    assert_eq!(overlaps.iter().map(|hit| hit.shape).collect::<Vec<_>>(), expected, "overlaps");
    let nearest = ids.iter().filter_map(|&id| gap(id).map(|gap| (gap, id))).filter(|found| found.0 <= 3.0);
    let nearest = nearest.min_by(|a, b| a.partial_cmp(b).unwrap());
    let found = world.closest_shape(&probe, &pose, 3.0, filter).unwrap();
    assert_eq!(found.map(|(hit, closest)| (closest.distance, hit.shape)), nearest, "nearest");
    // Casts: a bound on the search may change the last bits of where a shape is met.
    let cast = |id: ShapeId| {
        let (shape, place) = geometry(id);
        shape_cast::<D>(&probe, &pose, way, &shape, &place, 1.0, 0.0).map(|hit| hit.t)
    };
    let first = ids.iter().filter_map(|&id| cast(id)).min_by(Real::total_cmp);
    let hit = world.cast_shape(&probe, &pose, way, filter).unwrap();
    match (hit, first) {
        (Some(hit), Some(t)) => assert!((hit.t - t).abs() < 1e-4, "cast at {} instead of {t}", hit.t),
        (hit, first) => assert!(hit.is_none() && first.is_none(), "cast: {hit:?} instead of {first:?}"),
    }
    // Rays: all, first, any.
    let ray = Ray { origin: pose.position, direction: way, max: 1.0 };
    let ray_hit = |id: ShapeId| {
        let (shape, place) = geometry(id);
        let local = LocalRay {
            origin: place.inverse_transform(ray.origin),
            direction: place.rotation.rotate_inv(ray.direction),
            max: ray.max,
        };
        shape.ray_cast(&local).map(|hit| (hit.t, id))
    };
    let mut expected: Vec<(Real, ShapeId)> = ids.iter().filter_map(|&id| ray_hit(id)).collect();
    expected.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
    let all = world.cast_ray_all(&ray, filter).unwrap();
    assert_eq!(all.iter().map(|hit| (hit.t, hit.shape)).collect::<Vec<_>>(), expected, "all hits of a ray");
    let first = world.cast_ray(&ray, filter).unwrap();
    assert_eq!(first.map(|hit| (hit.t, hit.shape)), expected.first().copied(), "first hit of a ray");
    assert_eq!(world.cast_ray_any(&ray, filter).unwrap(), !expected.is_empty(), "any hit of a ray");
    // A point, and a box around it.
    let point = D::Point::from_vec(random.vector::<D>(20.0));
    let inside = |id: ShapeId| {
        let (shape, place) = geometry(id);
        shape.contains(place.inverse_transform(point))
    };
    let expected: Vec<ShapeId> = ids.iter().copied().filter(|&id| inside(id)).collect();
    let at: Vec<ShapeId> = world.shapes_at(point, filter).unwrap().iter().map(|hit| hit.shape).collect();
    assert_eq!(at, expected, "shapes at a point");
    for &id in &at {
        let (shape, place) = geometry(id);
        assert!(
            point_shape::<D>(point, &shape, &place).is_none_or(|c| c.distance < 1e-4),
            "inside by distance"
        );
    }
    let half = D::Vec::splat(1.5);
    let bounds = Aabb::<D> { min: point - half, max: point + half };
    let touches = |id: ShapeId| {
        let (shape, place) = geometry(id);
        shape.aabb(&place).overlaps(&bounds)
    };
    let expected: Vec<ShapeId> = ids.iter().copied().filter(|&id| touches(id)).collect();
    let in_box = world.shapes_in_box(&bounds, filter).unwrap();
    assert_eq!(in_box.iter().map(|hit| hit.shape).collect::<Vec<_>>(), expected, "shapes in a box");
    overlaps.len() + all.len() + at.len() + usize::from(hit.is_some())
}

/// Before the first step, between steps of a world in motion, and after teleports and removals, for every broad phase.
fn queries_equal_a_loop_over_all_shapes<D: AllShapes>() {
    let mut random = Random(23);
    let all = Methods::<D>::all().into_iter().filter(|method| method.stage == "broad phase");
    let names: Vec<_> = all.map(|method| method.name).collect();
    assert!(names.len() >= 8, "all broad phases take part: {names:?}");
    for name in names {
        let mut world = world_of_all::<D>(&mut random, 90);
        world.set_broad_phase_by_name(name).unwrap();
        let ids: Vec<BodyId> = world.body_ids().collect();
        let filters = [
            QueryFilter::default(),
            QueryFilter { sensors: true, ..QueryFilter::default() },
            QueryFilter { ignore: Some(ids[5]), ..QueryFilter::default() },
            QueryFilter {
                filter: Filter { category: u64::MAX, mask: 0b101, group: 0 },
                ..QueryFilter::default()
            },
        ];
        let mut found = 0;
        for round in 0..12 {
            (0..6).for_each(|i| found += compare(&world, &mut random, &filters[i % 4]));
            match round % 4 {
                0 => world.step(),
                1 => {
                    let place = D::Point::from_vec(random.vector::<D>(20.0));
                    world.body_mut(ids[10 + round]).unwrap().set_position(place).unwrap();
                }
                2 => world.remove_body(ids[40 + round]).unwrap(),
                _ => (0..5).for_each(|_| world.step()),
            }
        }
        assert!(found > 40, "{name}: the queries met something: {found}");
    }
}

/// All kinds of queries asked in a batch, with one and with three threads, as one by one.
fn batches_equal_single_queries<D: AllShapes>() {
    let mut random = Random(5);
    let mut world = world_of_all::<D>(&mut random, 200);
    let probes: Vec<(D::Shape, Pose<D>, D::Vec)> =
        (0..400).map(|_| (D::any(&mut random), random.pose::<D>(20.0), random.vector::<D>(20.0))).collect();
    let filter = QueryFilter::default();
    for threads in [1, 3] {
        world.set_executor(Arc::new(Pool::new(threads)));
        let world = &world;
        macro_rules! same {
            ($what:literal, $ask:expr) => {
                let ask = $ask;
                let batch = world.query_batch(&probes, ask).unwrap();
                let single: Vec<_> = probes.iter().map(|probe| ask(probe).unwrap()).collect();
                assert_eq!(batch, single, "{}, {threads} threads", $what);
            };
        }
        type Probe<D> = (<D as Dim>::Shape, Pose<D>, <D as Dim>::Vec);
        let ray = |(_, pose, way): &Probe<D>| Ray::<D> { origin: pose.position, direction: *way, max: 1.0 };
        same!("overlaps", |(shape, pose, _): &Probe<D>| world.overlap_shape(shape, pose, &filter));
        same!("casts", |(shape, pose, way): &Probe<D>| world.cast_shape(shape, pose, *way, &filter));
        same!("nearest", |(shape, pose, _): &Probe<D>| world.closest_shape(shape, pose, 3.0, &filter));
        same!("points", |(_, pose, _): &Probe<D>| world.shapes_at(pose.position, &filter));
        same!("all hits", |probe: &Probe<D>| world.cast_ray_all(&ray(probe), &filter));
        same!("any hit", |probe: &Probe<D>| world.cast_ray_any(&ray(probe), &filter));
        let rays: Vec<Ray<D>> = probes.iter().map(ray).collect();
        let single: Vec<_> = rays.iter().map(|ray| world.cast_ray(ray, &filter).unwrap()).collect();
        assert_eq!(world.cast_rays(&rays, &filter).unwrap(), single, "rays, {threads} threads");
        assert!(single.iter().flatten().count() > 50);
        // The first question that is refused decides.
        let error = world.query_batch(&[1.0, -1.0, -2.0], |&reach: &Real| {
            world.closest_shape(&probes[0].0, &probes[0].1, reach, &filter)
        });
        assert!(error.unwrap_err().to_string().contains("-1"));
    }
}

#[test]
fn queries_equal_a_loop_over_all_shapes_2d() {
    queries_equal_a_loop_over_all_shapes::<D2>();
}
#[test]
fn queries_equal_a_loop_over_all_shapes_3d() {
    queries_equal_a_loop_over_all_shapes::<D3>();
}
#[test]
fn batches_equal_single_queries_2d() {
    batches_equal_single_queries::<D2>();
}
#[test]
fn batches_equal_single_queries_3d() {
    batches_equal_single_queries::<D3>();
}
