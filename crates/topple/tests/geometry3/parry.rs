//! Parry as a second oracle: other people's code, same answers.

use crate::shapes::samples;
use crate::support::*;
use parry3d::math::{Pose as ParryPose, Rotation, Vector};
use parry3d::query::{Ray, contact};
use parry3d::shape::SharedShape;
use topple::Shape3;
use topple::distance::closest_points;
use topple::math::*;
use topple::shape::{LocalRay, ShapeOps};

/// Its iterations stop at about this error [m], for shapes of 1 m.
const TOLERANCE: f32 = 1e-3;

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn parry_pose(pose: &Pose<D3>) -> ParryPose {
    let q = pose.rotation;
    ParryPose::from_parts(vector(pose.position.to_vec()), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

fn translate(shape: &Shape3) -> Option<SharedShape> {
    Some(match shape {
        Shape3::Sphere { radius } => SharedShape::ball(*radius),
        Shape3::Box { half, radius: 0.0 } => SharedShape::cuboid(half.x, half.y, half.z),
        Shape3::Box { half, radius } => SharedShape::round_cuboid(half.x, half.y, half.z, *radius),
        // It has no answer for a capsule without length.
        Shape3::Capsule { a, b, radius } if a != b => SharedShape::capsule(vector(*a), vector(*b), *radius),
        Shape3::Cylinder { half_height, radius, rounding: 0.0 } => {
            SharedShape::cylinder(*half_height, *radius)
        }
        Shape3::Cone { half_height, radius, rounding: 0.0 } => SharedShape::cone(*half_height, *radius),
        Shape3::Hull { data, radius: 0.0 } => {
            let points: Vec<Vector> = data.vertices().iter().map(|v| vector(*v)).collect();
            SharedShape::convex_hull(&points)?
        }
        // Its other rounded shapes are inflated the same way, but measured less exactly.
        _ => return None,
    })
}

#[test]
fn separations_agree_with_parry() {
    let mut random = Random::new(61);
    let shapes: Vec<(Shape3, SharedShape)> =
        samples().into_iter().filter_map(|s| translate(&s).map(|p| (s, p))).collect();
    let (mut compared, mut worse) = (0, 0);
    for case in 0..10_000 {
        let (a, pa) = &shapes[random.bits() as usize % shapes.len()];
        let (b, pb) = &shapes[random.bits() as usize % shapes.len()];
        let pose = random.pose(1.1);
        let theirs = contact(&ParryPose::identity(), &**pa, &parry_pose(&pose), &**pb, 0.1).ok().flatten();
        let ours = collide(a, b, pose, 0.1, 1e-6);
        let what = format!("case {case}: {} {} {ours:?} {theirs:?}", a.kind(), b.kind());
        let Some(theirs) = theirs else {
            assert!(ours.is_empty() || deepest(&ours) > 0.1 - TOLERANCE, "{what}");
            continue;
        };
        compared += 1;
        let exact = closest_points::<D3>(a, &Pose::IDENTITY, b, &pose).unwrap().distance;
        if (theirs.dist - exact).abs() > TOLERANCE {
            // Ours carries its own proof (see `distance.rs`); theirs stops early now and then.
            worse += 1;
        } else if exact < 0.0 {
            assert!((deepest(&ours) - theirs.dist).abs() < TOLERANCE, "{what}");
        }
    }
    assert!(compared > 4_000 && worse < compared / 20, "{compared} compared, {worse} of theirs off");
}

#[test]
fn rays_agree_with_parry() {
    let mut random = Random::new(62);
    let mut hits = 0;
    for shape in samples() {
        let Some(theirs) = translate(&shape) else { continue };
        for case in 0..1_000 {
            let origin = random.vec(3.0);
            if shape.contains(origin) {
                continue;
            }
            let direction = random.vec(0.8) - origin;
            let ours = shape.ray_cast(&LocalRay { origin, direction, max: 2.0 });
            let ray = Ray::new(vector(origin), vector(direction));
            let other = theirs.cast_local_ray_and_get_normal(&ray, 2.0, true);
            let what = format!("{shape:?} case {case}: {ours:?} {other:?} {origin:?} {direction:?}");
            match (ours, other) {
                (Some(x), Some(y)) => {
                    hits += 1;
                    let error = (x.t - y.time_of_impact).abs() * direction.length();
                    // Near grazing incidence a small error of the surface is a large one along the ray.
                    let slant = (x.normal.dot(direction) / direction.length()).abs().max(1e-2);
                    assert!(error * slant < 5.0 * TOLERANCE, "{what}");
                }
                (None, None) => {}
                // Only rays that graze are a matter of opinion: a little further on they are outside again.
                (Some(x), None) => {
                    let on = origin + direction * (x.t + 0.02 / direction.length());
                    assert!(!shape.contains(on), "{what}");
                }
                (None, Some(y)) => {
                    let on = origin + direction * (y.time_of_impact + 0.02 / direction.length());
                    assert!(!shape.contains(on), "{what}");
                }
            }
        }
    }
    assert!(hits > 3_000, "{hits}");
}
