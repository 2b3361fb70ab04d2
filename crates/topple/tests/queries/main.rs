//! Queries of the world: the tree must find exactly what looking at every shape finds.

mod brute;
mod composites;
mod pairs;

use topple::distance::closest_points;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, Shape2, Shape3, World};

/// A seeded stream of numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn vector<D: Dim>(&mut self, size: f32) -> D::Vec {
        let mut v = D::Vec::ZERO;
        (0..D::N).for_each(|i| v.set(i, (self.next() - 0.5) * size));
        v
    }

    fn pose<D: Dim>(&mut self, size: f32) -> Pose<D> {
        let mut turn = D::Ang::ZERO;
        (0..D::ANGULAR).for_each(|i| turn.set(i, self.next() * 3.0));
        Pose { position: D::Point::from_vec(self.vector::<D>(size)), rotation: D::Rot::from_ang(turn) }
    }
}

/// Shapes of both dimensions by number.
trait Shapes: Dim {
    fn shape(random: &mut Random) -> Self::Shape;
}

impl Shapes for D2 {
    fn shape(random: &mut Random) -> Shape2 {
        let size = 0.2 + random.next();
        match (random.next() * 3.0) as u32 {
            0 => Shape2::circle(size),
            1 => Shape2::rectangle(size, 2.0 * size),
            _ => Shape2::capsule(Vec2::ZERO, Vec2::new(size, 0.3), 0.3 * size),
        }
    }
}

impl Shapes for D3 {
    fn shape(random: &mut Random) -> Shape3 {
        let size = 0.2 + random.next();
        match (random.next() * 3.0) as u32 {
            0 => Shape3::sphere(size),
            1 => Shape3::cuboid(size, 2.0 * size, 0.5 * size),
            _ => Shape3::capsule(Vec3::ZERO, Vec3::new(size, 0.3, 0.1), 0.3 * size),
        }
    }
}

fn scatter<D: Shapes>(random: &mut Random, count: usize) -> World<D> {
    let mut world = World::<D>::new();
    for _ in 0..count {
        let pose = random.pose::<D>(20.0);
        let def = BodyDef { rotation: pose.rotation, ..BodyDef::<D>::dynamic(pose.position) };
        let body = world.create_body(def).unwrap();
        world.add_shape(body, topple::ShapeDef::new(D::shape(random))).unwrap();
    }
    world
}

fn tree_equals_brute_force<D: Shapes>() {
    let mut random = Random(7);
    for round in 0..4 {
        let tree = scatter::<D>(&mut random, 150);
        let mut brute = World::<D>::restore(&tree.snapshot()).unwrap();
        brute.set_broad_phase_by_name("all-pairs").unwrap();
        let filter = QueryFilter::default();
        let mut found = 0;
        for _ in 0..100 {
            let (shape, pose) = (D::shape(&mut random), random.pose::<D>(20.0));
            let way = random.vector::<D>(20.0);
            let hit = tree.cast_shape(&shape, &pose, way, &filter).unwrap();
            assert_eq!(hit, brute.cast_shape(&shape, &pose, way, &filter).unwrap(), "cast, round {round}");
            let overlaps = tree.overlap_shape(&shape, &pose, &filter).unwrap();
            assert_eq!(
                overlaps,
                brute.overlap_shape(&shape, &pose, &filter).unwrap(),
                "overlap, round {round}"
            );
            let nearest = tree.closest_shape(&shape, &pose, 3.0, &filter).unwrap();
            assert_eq!(nearest, brute.closest_shape(&shape, &pose, 3.0, &filter).unwrap(), "closest");
            if let Some((_, closest)) = nearest {
                assert_eq!(overlaps.is_empty(), closest.distance > 0.0, "nearest and overlap agree");
            }
            found += usize::from(hit.is_some()) + overlaps.len();
            let ray = Ray { origin: pose.position, direction: way, max: 1.0 };
            assert_eq!(tree.cast_ray(&ray, &filter), brute.cast_ray(&ray, &filter), "ray");
            let all = tree.cast_ray_all(&ray, &filter).unwrap();
            assert_eq!(all, brute.cast_ray_all(&ray, &filter).unwrap(), "all hits of a ray");
            assert_eq!(
                all.first().copied(),
                tree.cast_ray(&ray, &filter).unwrap(),
                "first of all is the first"
            );
            assert_eq!(!all.is_empty(), tree.cast_ray_any(&ray, &filter).unwrap(), "any");
        }
        assert!(found > 30, "the queries met something: {found}");
    }
}

#[test]
fn tree_equals_brute_force_2d() {
    tree_equals_brute_force::<D2>();
}

#[test]
fn tree_equals_brute_force_3d() {
    tree_equals_brute_force::<D3>();
}

/// A cast stops where the shapes touch: there the distance is zero, and before it is not.
fn cast_stops_at_the_surface<D: Shapes>() {
    let mut random = Random(11);
    let world = scatter::<D>(&mut random, 100);
    let filter = QueryFilter::default();
    let mut checked = 0;
    for _ in 0..1000 {
        let (shape, pose) = (D::shape(&mut random), random.pose::<D>(24.0));
        let way = random.vector::<D>(24.0);
        let Some(hit) = world.cast_shape(&shape, &pose, way, &filter).unwrap() else { continue };
        if hit.t == 0.0 {
            continue;
        }
        let at = |t: f32| Pose::<D> { position: pose.position + way * t, rotation: pose.rotation };
        let met = world.shape(hit.shape).unwrap();
        let gap = |t: f32| closest_points::<D>(&shape, &at(t), met.geometry(), &met.pose()).unwrap().distance;
        assert!(gap(hit.t).abs() < 2e-3, "touching at the hit: {}", gap(hit.t));
        assert!(gap(hit.t * 0.5) > 0.0, "apart half-way");
        checked += 1;
    }
    assert!(checked > 50, "{checked} casts were checked");
}

#[test]
fn cast_stops_at_the_surface_2d() {
    cast_stops_at_the_surface::<D2>();
}

#[test]
fn cast_stops_at_the_surface_3d() {
    cast_stops_at_the_surface::<D3>();
}

#[test]
fn impossible_queries_are_refused() {
    let world = World::<D3>::new();
    let filter = QueryFilter::default();
    let ball = Shape3::sphere(1.0);
    let nowhere = Pose::<D3>::at([f32::NAN, 0.0, 0.0]);
    assert!(world.overlap_shape(&ball, &nowhere, &filter).is_err());
    assert!(world.overlap_shape(&Shape3::sphere(-1.0), &Pose::IDENTITY, &filter).is_err());
    assert!(world.overlap_shape(&Shape3::plane(Vec3::Y, 0.0), &Pose::IDENTITY, &filter).is_err());
    assert!(world.cast_shape(&ball, &Pose::IDENTITY, Vec3::splat(f32::INFINITY), &filter).is_err());
    assert!(world.closest_shape(&ball, &Pose::IDENTITY, -1.0, &filter).is_err());
    let bad = Ray::<D3> { origin: Point3::new(0.0, 0.0, 0.0), direction: Vec3::ZERO, max: 1.0 };
    assert!(world.cast_rays(&[bad], &filter).is_err());
}
