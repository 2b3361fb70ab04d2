//! Rays against many bodies, beside Parry's hierarchy: the first hit, on one thread.

use crate::clock::cpu;
use crate::random::Random;
use crate::report::{Page, group, is_wanted, number};
use parry2d::math as parry2;
use parry3d::math as parry3;
use topple::math::*;
use topple::world::{QueryFilter, Ray};
use topple::{BodyDef, Shape2, Shape3, ShapeDef, World};

const RAYS: usize = 4000;
const ROUNDS: usize = 15;
/// Space per body, as the side of a cube [m]; bodies are about 1 m in size.
const SPACING: Real = 2.0;

/// A hierarchy of Parry with the same bodies.
trait Parry: Dim {
    type Scene;
    fn shape(random: &mut Random, mixed: bool) -> Self::Shape;
    fn scene(bodies: &[(Self::Shape, Pose<Self>)]) -> Self::Scene;
    fn cast(scene: &Self::Scene, ray: &Ray<Self>) -> Option<(u32, Real)>;
}

/// Everything below is the same text for both of Parry's crates.
macro_rules! parry_scene {
    ($d:ty, $parry:ident, $convert:expr, $shape:expr, $vector:expr) => {
        type Scene = ($parry::partitioning::Bvh, Vec<($parry::shape::SharedShape, $parry::math::Pose)>);

        fn scene(bodies: &[(Self::Shape, Pose<Self>)]) -> Self::Scene {
            let shapes: Vec<_> = bodies.iter().map(|(shape, pose)| ($shape(shape), $convert(pose))).collect();
            let bounds: Vec<_> = shapes.iter().map(|(shape, pose)| shape.compute_aabb(pose)).collect();
            let strategy = $parry::partitioning::BvhBuildStrategy::default();
            ($parry::partitioning::Bvh::from_leaves(strategy, &bounds), shapes)
        }

        fn cast((bvh, shapes): &Self::Scene, ray: &Ray<Self>) -> Option<(u32, Real)> {
            let ray = $parry::query::Ray::new($vector(ray.origin.to_vec()), $vector(ray.direction));
            bvh.cast_ray(&ray, 1.0, |leaf, max| {
                let (shape, pose) = &shapes[leaf as usize];
                shape.cast_ray(pose, &ray, max, true)
            })
        }
    };
}

impl Parry for D2 {
    fn shape(random: &mut Random, mixed: bool) -> Shape2 {
        match random.below(if mixed { 3 } else { 1 }) {
            0 => Shape2::rectangle(1.0, 1.0),
            1 => Shape2::circle(0.5),
            _ => Shape2::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.25),
        }
    }

    parry_scene!(
        D2,
        parry2d,
        |pose: &Pose<D2>| {
            let p = pose.position.to_vec();
            parry2::Pose::new(parry2::Vector::new(p.x, p.y), pose.rotation.to_ang())
        },
        |shape: &Shape2| match shape {
            Shape2::Rectangle { half, .. } => parry2d::shape::SharedShape::cuboid(half.x, half.y),
            Shape2::Circle { radius } => parry2d::shape::SharedShape::ball(*radius),
            _ => parry2d::shape::SharedShape::capsule_x(0.3, 0.25),
        },
        |v: Vec2| parry2::Vector::new(v.x, v.y)
    );
}

impl Parry for D3 {
    fn shape(random: &mut Random, mixed: bool) -> Shape3 {
        match random.below(if mixed { 3 } else { 1 }) {
            0 => Shape3::cuboid(1.0, 1.0, 1.0),
            1 => Shape3::sphere(0.5),
            _ => Shape3::capsule(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.0, 0.0), 0.25),
        }
    }

    parry_scene!(
        D3,
        parry3d,
        |pose: &Pose<D3>| {
            let (p, q) = (pose.position.to_vec(), pose.rotation);
            let rotation = parry3::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
            parry3::Pose::from_parts(parry3::Vector::new(p.x, p.y, p.z), rotation)
        },
        |shape: &Shape3| match shape {
            Shape3::Box { half, .. } => parry3d::shape::SharedShape::cuboid(half.x, half.y, half.z),
            Shape3::Sphere { radius } => parry3d::shape::SharedShape::ball(*radius),
            _ => parry3d::shape::SharedShape::capsule_x(0.3, 0.25),
        },
        |v: Vec3| parry3::Vector::new(v.x, v.y, v.z)
    );
}

fn measure<D: Parry>(page: &mut Page, what: &str, count: usize, mixed: bool, reach: Real) {
    if !is_wanted(&format!("{what}, {count}, {}D", D::N)) {
        return;
    }
    let mut random = Random(17);
    let room = SPACING * (count as f64).powf(1.0 / D::N as f64) as Real;
    let bodies: Vec<(D::Shape, Pose<D>)> = (0..count)
        .map(|_| {
            let position = D::Point::from_vec(random.vector::<D>(0.0, room));
            (D::shape(&mut random, mixed), Pose { position, rotation: random.rotation::<D>() })
        })
        .collect();
    let mut world = World::<D>::new();
    for (shape, pose) in &bodies {
        let def = BodyDef { rotation: pose.rotation, ..BodyDef::<D>::dynamic(pose.position) };
        world.create_body_with(def, [ShapeDef::new(shape.clone())]).expect("sound bodies");
    }
    // Bodies wait for the first step in a list; a new method takes them all in at once.
    world.set_broad_phase_by_name("bvh").expect("registered");
    let scene = D::scene(&bodies);
    let rays: Vec<_> = (0..RAYS)
        .map(|_| {
            let direction = random.vector::<D>(-1.0, 1.0).normalize_or(D::Vec::axis(0)) * (reach * room);
            Ray::<D> { origin: D::Point::from_vec(random.vector::<D>(0.0, room)), direction, max: 1.0 }
        })
        .collect();
    let filter = QueryFilter::default();
    let ours = || rays.iter().map(|ray| world.cast_ray(ray, &filter).ok().flatten().map(|hit| hit.t));
    let theirs = || rays.iter().map(|ray| D::cast(&scene, ray).map(|(_, t)| t));

    let tolerance = 1e-4;
    let differ = |a: Option<Real>, b: Option<Real>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() > tolerance,
        (a, b) => a.is_some() != b.is_some(),
    };
    let differing = ours().zip(theirs()).filter(|&(a, b)| differ(a, b)).count();
    let hits = ours().flatten().count();
    let (mut best_ours, mut best_theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        best_ours = best_ours.min(cpu(|| ours().flatten().sum::<Real>()).1);
        best_theirs = best_theirs.min(cpu(|| theirs().flatten().sum::<Real>()).1);
    }
    page.row(&[
        what.into(),
        group(count as f64),
        format!("{} %", hits * 100 / RAYS),
        differing.to_string(),
        number(best_ours / RAYS as f64),
        number(best_theirs / RAYS as f64),
        format!("{:.2}", best_theirs / best_ours),
    ]);
}

/// Prints and writes the tables.
pub(crate) fn run() -> std::io::Result<()> {
    let mut page = Page::new(
        "rays",
        "Rays",
        "First hits of random rays in a world of random bodies, with `World::cast_ray` (hit with ids, point and normal) and with a
hierarchy of Parry 0.31 over the same shapes (parameter of the hit alone). *Length* is in sides of the room. Both see the same hits;
*differ* counts rays that graze a shape so closely that rounding decides.",
    );
    let columns =
        ["bodies, length of the ray", "bodies", "hit", "differ", "Topple [ns]", "Parry [ns]", "speed ratio"];
    page.head("In the plane", &columns);
    for (mixed, name) in [(false, "squares"), (true, "squares, circles, capsules")] {
        for count in [1_000, 10_000, 100_000] {
            measure::<D2>(&mut page, &format!("{name}, 1"), count, mixed, 1.0);
        }
        measure::<D2>(&mut page, &format!("{name}, 0.1"), 10_000, mixed, 0.1);
    }
    page.head("In space", &columns);
    for (mixed, name) in [(false, "cubes"), (true, "cubes, spheres, capsules")] {
        for count in [1_000, 10_000, 100_000] {
            measure::<D3>(&mut page, &format!("{name}, 1"), count, mixed, 1.0);
        }
        measure::<D3>(&mut page, &format!("{name}, 0.1"), 10_000, mixed, 0.1);
    }
    page.write()
}
