//! Rays, points, distances and casts against looking at every child.

use crate::support::{Random, box_surface, bumpy, hills, mesh};
use topple::distance::{closest_points, shape_cast};
use topple::math::*;
use topple::shape::d3::mesh::generate;
use topple::shape::{LocalRay, ShapeOps};
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, Shape2, Shape3, World};

/// Rounding of distances of a few metres [m].
const ROUNDING: Real = 2e-4;

fn composites3() -> Vec<Shape3> {
    let mut random = Random(4);
    let heights: Vec<Real> = (0..9 * 13).map(|_| random.next()).collect();
    vec![
        mesh(&hills(6.0, 12)),
        mesh(&bumpy(&mut random, 2)),
        mesh(&generate::torus(1.2, 0.4, 16, 8).unwrap()),
        Shape3::height_field(Vec2::new(4.0, 6.0), 9, &heights).unwrap(),
    ]
}

fn composites2() -> Vec<Shape2> {
    let mut random = Random(5);
    let line: Vec<Vec2> = (0..40).map(|i| Vec2::new(3.0 - 0.15 * i as Real, random.next())).collect();
    let ring: Vec<Vec2> = (0..24)
        .map(|i| {
            let (s, c) = sin_cos(i as Real * core::f32::consts::TAU / 24.0);
            Vec2::new(c, s) * (1.0 + 0.4 * random.next())
        })
        .collect();
    let heights: Vec<Real> = (0..30).map(|_| random.next()).collect();
    vec![
        Shape2::chain(&line).unwrap(),
        Shape2::chain_loop(&ring).unwrap(),
        Shape2::height_field(5.0, &heights).unwrap(),
    ]
}

/// Probes of a dimension.
trait Probes: Dim {
    fn composites() -> Vec<Self::Shape>;
    fn probe(random: &mut Random) -> Self::Shape;
}

impl Probes for D2 {
    fn composites() -> Vec<Shape2> {
        composites2()
    }
    fn probe(random: &mut Random) -> Shape2 {
        match (random.next() * 3.0) as u32 {
            0 => Shape2::circle(0.1 + 0.3 * random.next()),
            1 => Shape2::rounded_rectangle(0.6, 0.4, 0.1 * random.next()),
            _ => Shape2::capsule(Vec2::new(-0.2, 0.0), Vec2::new(0.2, 0.1), 0.1),
        }
    }
}

impl Probes for D3 {
    fn composites() -> Vec<Shape3> {
        composites3()
    }
    fn probe(random: &mut Random) -> Shape3 {
        match (random.next() * 4.0) as u32 {
            0 => Shape3::sphere(0.1 + 0.3 * random.next()),
            1 => Shape3::cuboid(0.5, 0.3, 0.4),
            2 => Shape3::cylinder(0.5, 0.2),
            _ => Shape3::capsule(Vec3::new(-0.2, 0.0, 0.0), Vec3::new(0.2, 0.1, 0.0), 0.1),
        }
    }
}

/// All children as shapes of their own.
fn children<D: Dim>(shape: &D::Shape) -> Vec<D::Shape> {
    let composite = shape.composite().expect("it has children");
    (0..composite.child_count()).map(|i| composite.child(i)).collect()
}

fn rays_meet_the_first_child<D: Probes>() {
    let mut random = Random(21);
    for shape in D::composites() {
        let parts = children::<D>(&shape);
        let mut hits = 0;
        for _ in 0..400 {
            let from = random.vector::<D>(8.0);
            let ray = LocalRay { origin: from, direction: random.vector::<D>(3.0) - from, max: 1.5 };
            let got = shape.ray_cast(&ray);
            if shape.contains(ray.origin) {
                assert_eq!(got.map(|h| (h.t, h.normal)), Some((0.0, D::Vec::ZERO)), "starts inside");
                continue;
            }
            let expected =
                parts.iter().filter_map(|part| part.ray_cast(&ray)).min_by(|x, y| x.t.total_cmp(&y.t));
            hits += usize::from(expected.is_some());
            match (got, expected) {
                (None, None) => {}
                (Some(g), Some(e)) => {
                    assert!((g.t - e.t).abs() < 1e-5, "{}: {} and {}", shape.kind(), g.t, e.t);
                    assert!(g.normal.dot(ray.direction) <= 1e-6, "the normal looks at the ray");
                }
                _ => panic!("{}: {got:?}, but {expected:?} by looking at all", shape.kind()),
            }
        }
        assert!(hits > 50, "{}: {hits} hits", shape.kind());
    }
}

#[test]
fn rays_meet_the_first_child_2d() {
    rays_meet_the_first_child::<D2>();
}

#[test]
fn rays_meet_the_first_child_3d() {
    rays_meet_the_first_child::<D3>();
}

fn distances_are_those_of_the_nearest_child<D: Probes>() {
    let mut random = Random(31);
    for shape in D::composites() {
        let parts = children::<D>(&shape);
        for _ in 0..60 {
            let (pose, probe) = (random.pose::<D>(5.0), D::probe(&mut random));
            let place = random.pose::<D>(2.0);
            let expected = parts
                .iter()
                .filter_map(|part| closest_points::<D>(part, &place, &probe, &pose))
                .map(|c| c.distance)
                .fold(Real::INFINITY, Real::min);
            let got = closest_points::<D>(&shape, &place, &probe, &pose).unwrap();
            let other = closest_points::<D>(&probe, &pose, &shape, &place).unwrap();
            assert!((got.distance - other.distance).abs() < ROUNDING, "the same from both sides");
            assert!((got.normal + other.normal).length() < 0.02 || got.distance.abs() < 1e-3);
            if got.distance < 0.0 && expected > 0.0 {
                assert!(shape.contains(place.inverse_transform(got.point_b)), "wholly inside");
                continue;
            }
            assert!(
                (got.distance - expected).abs() < ROUNDING,
                "{}: {} and {expected}",
                shape.kind(),
                got.distance
            );
            if got.distance > 1e-3 {
                let between = got.point_b - got.point_a;
                assert!((between.length() - got.distance).abs() < ROUNDING);
            }
        }
    }
}

#[test]
fn distances_are_those_of_the_nearest_child_2d() {
    distances_are_those_of_the_nearest_child::<D2>();
}

#[test]
fn distances_are_those_of_the_nearest_child_3d() {
    distances_are_those_of_the_nearest_child::<D3>();
}

fn casts_stop_at_the_first_child<D: Probes>() {
    let mut random = Random(41);
    for shape in D::composites() {
        let parts = children::<D>(&shape);
        let mut hits = 0;
        for _ in 0..60 {
            let (pose, probe) = (random.pose::<D>(6.0), D::probe(&mut random));
            let place = random.pose::<D>(1.0);
            let way = random.vector::<D>(2.0) - pose.position.to_vec();
            let expected = parts
                .iter()
                .filter_map(|part| shape_cast::<D>(&probe, &pose, way, part, &place, 1.0, 0.0))
                .map(|hit| hit.t)
                .fold(Real::INFINITY, Real::min);
            let got = shape_cast::<D>(&probe, &pose, way, &shape, &place, 1.0, 0.0);
            let t = got.map_or(Real::INFINITY, |hit| hit.t);
            hits += usize::from(got.is_some());
            assert!(t == expected || (t - expected).abs() < 1e-4, "{}: {t} and {expected}", shape.kind());
            // The composite moves and the probe stands: the same meeting.
            let back = shape_cast::<D>(&shape, &place, -way, &probe, &pose, 1.0, 0.0);
            let t = back.map_or(Real::INFINITY, |hit| hit.t);
            assert!(t == expected || (t - expected).abs() < 1e-4, "{}: {t} and {expected}", shape.kind());
        }
        assert!(hits > 10, "{}: {hits} hits", shape.kind());
    }
}

#[test]
fn casts_stop_at_the_first_child_2d() {
    casts_stop_at_the_first_child::<D2>();
}

#[test]
fn casts_stop_at_the_first_child_3d() {
    casts_stop_at_the_first_child::<D3>();
}

#[test]
fn a_box_of_triangles_answers_like_a_box() {
    let solid = Shape3::cuboid(1.0, 2.0, 3.0);
    let skin = mesh(&box_surface(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO));
    let mut random = Random(51);
    for _ in 0..500 {
        let p = random.vector::<D3>(4.0);
        assert_eq!(skin.contains(p), solid.contains(p), "{p}");
        let ray = LocalRay { origin: p, direction: random.vector::<D3>(5.0), max: 1.0 };
        let (a, b) = (skin.ray_cast(&ray), solid.ray_cast(&ray));
        assert_eq!(a.is_some(), b.is_some(), "{ray:?}");
        if let (Some(a), Some(b)) = (a, b) {
            assert!((a.t - b.t).abs() < 1e-5 && (a.normal - b.normal).length() < 1e-4);
        }
        let (pose, ball) = (Pose::at(random.vector::<D3>(6.0)), Shape3::sphere(0.2));
        let on_skin = closest_points::<D3>(&skin, &Pose::IDENTITY, &ball, &pose).unwrap();
        let on_solid = closest_points::<D3>(&solid, &Pose::IDENTITY, &ball, &pose).unwrap();
        assert_eq!(on_skin.distance < 0.0, on_solid.distance < 0.0);
        if on_solid.distance > 0.0 {
            assert!((on_skin.distance - on_solid.distance).abs() < ROUNDING);
        }
    }
}

#[test]
fn no_ray_slips_through_the_edges_of_a_closed_mesh() {
    let surface = generate::icosphere(1.0, 3).unwrap();
    let ball = mesh(&surface);
    let mut random = Random(61);
    for triangle in &surface.triangles {
        let [a, b, _] = triangle.map(|i| surface.vertices[i as usize]);
        // Exactly at vertices and edges, from outside and from inside.
        for target in [a, (a + b) * 0.5, a + (b - a) * random.next()] {
            let ray = LocalRay { origin: target * 3.0, direction: -target, max: 10.0 };
            let hit = ball.ray_cast(&ray).expect("a closed mesh");
            assert!(hit.t < 2.1 && hit.normal.dot(target) > 0.0);
            assert!(ball.contains(target * 0.9) && !ball.contains(target * 1.1));
        }
    }
}

#[test]
fn the_world_answers_about_meshes_too() {
    let mut world = World::<D3>::new();
    let ground = world.create_body_with(BodyDef::<D3>::fixed([0.0; 3]), [mesh(&hills(20.0, 40))]).unwrap();
    let ring = mesh(&generate::torus(1.0, 0.3, 24, 12).unwrap());
    let ring = world.create_body_with(BodyDef::<D3>::fixed([0.0, 5.0, 0.0]), [ring]).unwrap();
    let filter = QueryFilter::default();
    let down = Ray::<D3>::between([0.0, 9.0, 0.0], [0.0, -9.0, 0.0]);
    assert_eq!(world.cast_ray(&down, &filter).unwrap().unwrap().body, ground, "through the hole of the ring");
    let through = Ray::<D3>::between([1.0, 9.0, 0.0], [1.0, -9.0, 0.0]);
    assert_eq!(world.cast_ray(&through, &filter).unwrap().unwrap().body, ring);
    assert_eq!(world.shapes_at([1.0, 5.0, 0.0], &filter).unwrap()[0].body, ring);
    assert!(world.shapes_at([0.0, 5.0, 0.0], &filter).unwrap().is_empty());
    let ball = Shape3::sphere(0.5);
    let pose = Pose::at(Vec3::new(0.0, 9.0, 0.0));
    let hit = world.cast_shape(&ball, &pose, Vec3::NEG_Y * 20.0, &filter).unwrap().unwrap();
    assert_eq!(hit.body, ground, "the ball fits through the ring");
    let wide = Shape3::sphere(0.9);
    let hit = world.cast_shape(&wide, &pose, Vec3::NEG_Y * 20.0, &filter).unwrap().unwrap();
    assert_eq!(hit.body, ring);
    assert_eq!(world.overlap_shape(&wide, &Pose::at(Vec3::Y * 5.0), &filter).unwrap()[0].body, ring);
    let near = world.closest_shape(&ball, &Pose::at(Vec3::Y * 5.0), 3.0, &filter).unwrap().unwrap();
    assert_eq!(near.0.body, ring);
    assert!((near.1.distance - 0.2).abs() < 0.02, "{}", near.1.distance);
}
