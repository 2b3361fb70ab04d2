//! Concave bodies dropped in any pose come to rest on any ground and fall asleep: their contact points do not jump about.

use crate::support::{Random, box_surface, bumpy, flat_chain, flat_field, flat_mesh, mesh};
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate::Surface;
use topple::{BodyDef, BodyId, Shape2, Shape3, ShapeDef, World};

/// Poses of each body on each ground.
const POSES: usize = 20;
/// Time until all have to be asleep [s].
const SECONDS: usize = 20;
const STEPS_PER_SECOND: usize = 60;
/// Distance between the bodies [m]: they never meet.
const ASIDE: Real = 4.0;

/// A tetrahedron with unequal sides.
fn tetrahedron() -> Surface {
    let vertices =
        vec![Vec3::ZERO, Vec3::new(1.1, 0.0, 0.1), Vec3::new(0.2, 0.1, 1.0), Vec3::new(0.3, 0.9, 0.4)];
    Surface { vertices, triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] }
}

/// An angle of two arms: an L of 1.2 m by 1 m, 0.4 m wide and 0.5 m deep, extruded along z.
fn angle() -> Surface {
    let outline = [(0.0, 0.0), (1.2, 0.0), (1.2, 0.4), (0.4, 0.4), (0.4, 1.0), (0.0, 1.0)];
    let n = outline.len() as u32;
    let at = |z: Real| outline.map(|(x, y)| Vec3::new(x - 0.4, y - 0.4, z));
    let vertices = [at(-0.25), at(0.25)].concat();
    // The outline is star-shaped about its inner corner, number 3.
    let fan = [[3, 4, 5], [3, 5, 0], [3, 0, 1], [3, 1, 2]];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in fan {
        triangles.push([a, c, b]);
        triangles.push([a + n, b + n, c + n]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.push([i, j, j + n]);
        triangles.push([i, j + n, i + n]);
    }
    Surface { vertices, triangles }
}

/// Bodies of one kind in [`POSES`] poses over a ground; returns those that are still awake after [`SECONDS`], with the last second at
/// which each moved.
fn awake<D: Dim>(ground: &D::Shape, shapes: &[D::Shape], seed: u64) -> Vec<(usize, String)> {
    let mut world = World::<D>::new();
    let mut random = Random(seed);
    world.create_body_with(BodyDef::fixed(D::Point::ORIGIN), [ShapeDef::new(ground.clone())]).unwrap();
    let ids: Vec<BodyId> = (0..POSES)
        .map(|i| {
            let pose = random.pose::<D>(0.0);
            let x = (i as Real - 0.5 * POSES as Real) * ASIDE;
            let place = D::Vec::axis(0) * x + D::Vec::axis(1) * 1.6;
            let def = BodyDef { rotation: pose.rotation, ..BodyDef::dynamic(D::Point::from_vec(place)) };
            world.create_body_with(def, shapes.iter().map(|s| ShapeDef::new(s.clone()))).unwrap()
        })
        .collect();
    for _ in 0..SECONDS * STEPS_PER_SECOND {
        world.step();
        if world.awake_count() == 0 {
            break;
        }
    }
    let body = |id: BodyId| world.body(id).unwrap();
    ids.iter()
        .enumerate()
        .filter(|(_, id)| body(**id).is_awake())
        .map(|(i, id)| (i, format!("{:?} {:?}", body(*id).linear_velocity(), body(*id).angular_velocity())))
        .collect()
}

#[test]
fn mesh_bodies_come_to_rest_in_any_pose_on_any_ground() {
    let span = ASIDE * POSES as Real;
    let grounds = [
        Shape3::plane(Vec3::Y, 0.0),
        Shape3::Box { half: Vec3::new(span, 0.5, span), radius: 0.0 },
        flat_mesh(60, 2.0),
        flat_field(60, 2.0),
    ];
    let bodies = [
        ("tetrahedron", mesh(&tetrahedron())),
        ("angle", mesh(&angle())),
        ("box", mesh(&box_surface(Vec3::new(1.0, 0.7, 0.5), Vec3::ZERO))),
        ("bumpy", mesh(&bumpy(&mut Random(3), 1))),
    ];
    let mut failures = Vec::new();
    for ground in &grounds {
        for (k, (name, shape)) in bodies.iter().enumerate() {
            for (i, motion) in awake::<D3>(ground, std::slice::from_ref(shape), 900 + k as u64) {
                failures.push(format!("{name} on {}, pose {i}: {motion}", ground.kind()));
            }
        }
    }
    assert!(failures.is_empty(), "{} are still awake:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn flat_bodies_come_to_rest_in_any_pose_on_any_ground() {
    let span = ASIDE * POSES as Real;
    let grounds = [
        Shape2::half_plane(Vec2::Y, 0.0),
        Shape2::Rectangle { half: Vec2::new(span, 0.5), radius: 0.0 },
        flat_chain(60, 2.0),
    ];
    let corner = |x: Real, y: Real| Vec2::new(x, y);
    let triangle = Shape2::polygon(&[corner(0.0, 0.0), corner(1.1, 0.1), corner(0.2, 0.9)]).unwrap();
    let arm = |x: [Real; 2], y: [Real; 2]| {
        let corners = [corner(x[0], y[0]), corner(x[1], y[0]), corner(x[1], y[1]), corner(x[0], y[1])];
        Shape2::polygon(&corners).unwrap()
    };
    let seven: Vec<Vec2> = (0..7).map(|i| Vec2::from_angle(0.9 * i as Real) * 0.6).collect();
    let bodies = [
        ("triangle", vec![triangle]),
        ("angle", vec![arm([-0.4, 0.8], [-0.4, 0.0]), arm([-0.4, 0.0], [0.0, 0.6])]),
        ("heptagon", vec![Shape2::polygon(&seven).unwrap()]),
    ];
    let mut failures = Vec::new();
    for ground in &grounds {
        for (k, (name, shapes)) in bodies.iter().enumerate() {
            for (i, motion) in awake::<D2>(ground, shapes, 950 + k as u64) {
                failures.push(format!("{name} on {}, pose {i}: {motion}", ground.kind()));
            }
        }
    }
    assert!(failures.is_empty(), "{} are still awake:\n{}", failures.len(), failures.join("\n"));
}

/// The contact of a mesh with a level ground reaches as deep as its lowest corner, and pushes it straight up.
#[test]
fn mesh_bodies_meet_level_ground_at_their_lowest_corner() {
    let span = 40.0;
    let grounds = [
        Shape3::plane(Vec3::Y, 0.0),
        Shape3::Box { half: Vec3::new(span, 0.5, span), radius: 0.0 },
        flat_mesh(60, 2.0),
        flat_field(60, 2.0),
    ];
    let surfaces =
        [tetrahedron(), angle(), box_surface(Vec3::new(1.0, 0.7, 0.5), Vec3::ZERO), bumpy(&mut Random(3), 1)];
    let (slop, margin) = (5e-3, 0.02);
    let mut failures = Vec::new();
    let mut random = Random(11);
    for surface in &surfaces {
        let shape = mesh(surface);
        for case in 0..200 {
            let turn = random.pose::<D3>(0.0).rotation;
            let lowest = surface.vertices.iter().fold(Real::INFINITY, |y, v| y.min(turn.rotate(*v).y));
            let depth = 0.06 * random.next();
            for ground in &grounds {
                let top = if matches!(ground, Shape3::Box { .. }) { 0.5 } else { 0.0 };
                let aside = random.vector::<D3>(60.0);
                let at = Vec3::new(aside.x, top - lowest - depth, aside.z);
                let pose = Pose::new(at, turn);
                let job = CollideJob {
                    a: &shape,
                    b: ground,
                    b_in_a: pose.relative(Pose::IDENTITY),
                    margin,
                    slop,
                    algorithm: Algorithm::Auto,
                };
                let mut out = LocalManifold::default();
                Shape3::collide(&job, &mut PairCache::default(), &mut NarrowCounters::default(), &mut out);
                let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
                let up = -turn.rotate(out.normal).y;
                if (deepest + depth).abs() > slop || up < 0.99 {
                    failures.push(format!(
                        "{} corners on {}, case {case}: {deepest} instead of {}, up {up}",
                        surface.vertices.len(),
                        ground.kind(),
                        -depth
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
