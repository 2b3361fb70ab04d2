//! Contact points are where both shapes are: what hangs over an edge has no point under its free end, and tips.

use crate::reference::separation;
use crate::support::{Random, cases, collide, scale};
use topple::distance::point_shape;
use topple::math::*;
use topple::shape::ShapeOps;
use topple::{BodyDef3, Shape3, World3};

/// Slop of bodies of a metre in a world [m].
const SLOP: f32 = 5e-3;
/// How far beside a shape its point may be, in slops: faces count as longer by one, a leaning face moves its points by some more.
const BESIDE: f32 = 8.0;

/// One of each kind, about a metre large.
fn any(random: &mut Random, kind: usize) -> Shape3 {
    let [x, y, z] = [0; 3].map(|_| random.range(0.5, 1.5));
    let small = 0.1 * x.min(y).min(z);
    let mut cloud = |count: usize| -> Vec<Vec3> {
        (0..count).map(|_| random.direction() * 0.5 * Vec3::new(x, y, z)).collect()
    };
    match kind {
        0 => Shape3::cuboid(x, y, z),
        1 => Shape3::rounded_cuboid(x, y, z, small),
        2 => Shape3::capsule_y(x, 0.5 * y),
        3 => Shape3::cylinder(x, 0.5 * y),
        4 => Shape3::rounded_cylinder(x, 0.5 * y, small),
        5 => Shape3::cone(x, 0.5 * y),
        6 => Shape3::hull(&cloud(24)).unwrap(),
        7 => Shape3::rounded_hull(&cloud(16), small).unwrap(),
        _ => brick(&Shape3::cuboid(x, y, z)),
    }
}

/// The box as a hull.
fn brick(cuboid: &Shape3) -> Shape3 {
    Shape3::hull(&cuboid.vertices()).unwrap()
}

#[test]
fn points_are_on_both_shapes() {
    const KINDS: usize = 9;
    let mut random = Random::new(78);
    let (mut looked, mut worst) = (0_usize, Vec::new());
    for i in 0..KINDS * KINDS * cases(12) {
        let (a, b) = (any(&mut random, i % KINDS), any(&mut random, i / KINDS % KINDS));
        let mut pose = Pose::new(random.direction() * 0.6, random.rotation());
        let target = -0.01 * f64::from(random.unit());
        for _ in 0..3 {
            let found = separation(&a, &b, &pose);
            let [x, y, z] = scale(found.normal, target - found.separation).map(|c| c as f32);
            pose = Pose::new(pose.position.to_vec() + Vec3::new(x, y, z), pose.rotation);
        }
        if separation(&a, &b, &pose).separation > 0.0 {
            continue;
        }
        looked += 1;
        let m = collide(&a, &b, pose, 0.02, SLOP);
        for point in m.points() {
            let to_b = m.normal * (0.5 * point.separation);
            let beside = |p: Vec3, shape: &Shape3, pose: &Pose<D3>| {
                point_shape::<D3>(Point3::from_vec(p), shape, pose).unwrap().distance
            };
            let off = beside(point.position - to_b, &a, &Pose::IDENTITY).max(beside(
                point.position + to_b,
                &b,
                &pose,
            ));
            if off > BESIDE * SLOP {
                worst.push((off, a.kind(), b.kind()));
            }
        }
    }
    worst.sort_by(|x, y| y.0.total_cmp(&x.0));
    assert!(looked > 500, "{looked}");
    // Where clipping leaves nothing, the crossing of two edges stays though it may lie beyond the end of one: two in a thousand.
    assert!(
        worst.len() * 500 <= looked,
        "{} of {looked} pairs: {:?}",
        worst.len(),
        &worst[..worst.len().min(12)]
    );
}

/// Long things that lie on an edge with their middle beyond it tip over.
#[test]
fn what_hangs_over_falls() {
    let bar = Shape3::cuboid(4.0, 0.2, 0.2);
    let upright = Quat::from_ang(Vec3::Z * core::f32::consts::FRAC_PI_2);
    let things = [
        (Shape3::capsule(Vec3::X * -2.0, Vec3::X * 2.0, 0.1), Quat::IDENTITY),
        (Shape3::cylinder(4.0, 0.1), upright),
        (Shape3::rounded_cylinder(4.0, 0.1, 0.02), upright),
        (brick(&bar), Quat::IDENTITY),
        (bar, Quat::IDENTITY),
    ];
    let cube = Shape3::cuboid(1.0, 1.0, 1.0);
    let grounds = [
        brick(&cube),
        cube,
        Shape3::cylinder(1.0, 0.5),
        Shape3::rounded_cuboid(1.0, 1.0, 1.0, 0.05),
        Shape3::rounded_cylinder(1.0, 0.5, 0.02),
    ];
    for (thing, rotation) in &things {
        for ground in &grounds {
            for (x, turn) in [(0.55, 0.0), (0.7, 0.3)] {
                let mut world = World3::new();
                world.create_body_with(BodyDef3::fixed([0.0, 0.5, 0.0]), [ground.clone()]).unwrap();
                let rotation = Quat::from_ang(Vec3::Y * turn) * *rotation;
                let def = BodyDef3 { rotation, ..BodyDef3::dynamic([x, 1.1, 0.0]) };
                let id = world.create_body_with(def, [thing.clone()]).unwrap();
                (0..240).for_each(|_| world.step());
                let height = world.body(id).unwrap().position().y;
                assert!(height < 0.9, "{} on {}, {x} m: still at {height} m", thing.kind(), ground.kind());
            }
        }
    }
}
