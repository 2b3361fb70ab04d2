//! Parry as a second oracle: other people's code, other methods (GJK, EPA), same answers.

use super::reference;
use super::support::*;
use parry2d::math::{Pose as ParryPose, Vector};
use parry2d::query::{Ray, contact};
use parry2d::shape::SharedShape;
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};
use topple::{D2, Shape2};

/// Its iterations stop at about this error [m], for shapes of 1 m.
const TOLERANCE: Real = 1e-3;

fn vector(v: Vec2) -> Vector {
    Vector::new(v.x, v.y)
}

/// The shape in Parry; None for half-planes, which it compares by other means.
fn translate(shape: &Shape2) -> Option<SharedShape> {
    Some(match shape {
        Shape2::Circle { radius } => SharedShape::ball(*radius),
        Shape2::Rectangle { half, radius } if *radius == 0.0 => SharedShape::cuboid(half.x, half.y),
        Shape2::Rectangle { half, radius } => SharedShape::round_cuboid(half.x, half.y, *radius),
        Shape2::Polygon { data, radius } => {
            let points: Vec<Vector> = data.vertices().iter().map(|v| vector(*v)).collect();
            if *radius == 0.0 {
                SharedShape::convex_hull(&points)?
            } else {
                SharedShape::round_convex_hull(&points, *radius)?
            }
        }
        Shape2::Capsule { a, b, radius } => SharedShape::capsule(vector(*a), vector(*b), *radius),
        Shape2::Segment { a, b } => SharedShape::segment(vector(*a), vector(*b)),
        _ => return None,
    })
}

#[test]
fn separations_and_normals_agree_with_parry() {
    let mut random = Random::new(51);
    let (mut compared, mut empty) = (0, 0);
    let mut doubtful = Vec::new();
    for i in 0..20_000 {
        let a = random_shape(&mut random, i % 7, 1.0);
        let b = random_shape(&mut random, i / 7 % 7, 1.0);
        let angle = random.range(-3.2, 3.2);
        let pose = Pose::<D2>::new(random.vec(1.2), Rot2::from_angle(angle));
        let (Some(pa), Some(pb)) = (translate(&a), translate(&b)) else { continue };
        let margin = 0.1;
        let there = ParryPose::new(vector(pose.position.to_vec()), angle);
        let theirs = contact(&ParryPose::identity(), &*pa, &there, &*pb, margin).ok().flatten();
        let ours = collide(&a, &b, pose, margin);
        let what = format!("{a:?}\n{b:?}\n{pose:?}\n{ours:?}\n{theirs:?}");
        match theirs {
            None => {
                empty += 1;
                assert!(ours.is_empty() || deepest(&ours) > margin - TOLERANCE, "{what}");
            }
            Some(theirs) => {
                compared += 1;
                let separation = deepest(&ours);
                let normal = Vec2::new(theirs.normal1.x, theirs.normal1.y);
                let answer = reference::separation(&a, &b, &pose);
                let same_depth = (separation - theirs.dist).abs() < TOLERANCE
                    || ours.is_empty() && theirs.dist > margin - TOLERANCE;
                let same_normal =
                    answer.lead < 0.01 || ours.is_empty() || normal.distance(ours.normal) < 0.02;
                if !same_depth || !same_normal {
                    // Where the two differ, the exact answer decides.
                    let error = (f64::from(theirs.dist) - answer.separation).abs();
                    assert!(error > f64::from(TOLERANCE) || !same_normal, "{what}\n{answer:?}");
                    assert!((f64::from(separation) - answer.separation).abs() < 1e-4, "{what}\n{answer:?}");
                    doubtful.push(what);
                }
            }
        }
    }
    assert!(compared > 5000 && empty > 1000, "{compared} compared, {empty} empty");
    assert!(
        doubtful.len() * 50 < compared,
        "{} of {compared} differ, first:\n{}",
        doubtful.len(),
        doubtful[0]
    );
}

#[test]
fn ray_hits_agree_with_parry() {
    let mut random = Random::new(52);
    let mut hits = 0;
    for i in 0..10_000 {
        // Rounded shapes and polygons are cast iteratively there, to 1e-3 at best; the march in `rays.rs` covers them.
        let shape = random_shape(&mut random, i % 2, 1.0);
        let Some(theirs) = translate(&shape) else { continue };
        let origin = random.vec(3.0);
        let direction = random.vec(0.8) - origin;
        let ours = shape.ray_cast(&LocalRay { origin, direction, max: 2.0 });
        let ray = Ray::new(vector(origin), vector(direction));
        let other = theirs.cast_local_ray_and_get_normal(&ray, 2.0, true);
        let what = format!("{shape:?}\n{origin} {direction}\n{ours:?}\n{other:?}");
        match (ours, other) {
            (Some(hit), Some(other)) => {
                hits += 1;
                assert!((hit.t - other.time_of_impact).abs() < 1e-4, "{what}");
                if hit.t > 0.0 {
                    assert!(hit.normal.distance(Vec2::new(other.normal.x, other.normal.y)) < 1e-2, "{what}");
                }
            }
            (None, None) => {}
            // A graze.
            _ => {
                let closest = (0..2000)
                    .map(|k| origin + direction * (k as Real / 1000.0))
                    .map(|p| reference::separation(&shape, &Shape2::circle(1e-15), &Pose::at(p)).separation)
                    .fold(f64::INFINITY, f64::min);
                assert!(closest.abs() < 1e-3, "{what}\n{closest}");
            }
        }
    }
    assert!(hits > 3000, "{hits}");
}
