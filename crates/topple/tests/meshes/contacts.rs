//! Contacts: every convex shape on every kind of ground, meshes on meshes.

use crate::support::{Random, box_surface, flat_chain, flat_field, flat_mesh, hills, mesh};
use topple::distance::closest_points;
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef, BodyId, Shape2, Shape3, ShapeDef, World};

fn manifold<D: Dim>(a: &D::Shape, b: &D::Shape, b_in_a: Pose<D>, margin: Real) -> LocalManifold<D> {
    let job = CollideJob { a, b, b_in_a, margin, slop: 0.002, algorithm: Algorithm::Auto };
    let mut out = LocalManifold::default();
    D::Shape::collide(&job, &mut PairCache::default(), &mut NarrowCounters::default(), &mut out);
    out
}

fn solids() -> Vec<(Shape3, Real)> {
    let rock: Vec<Vec3> = {
        let mut random = Random(2);
        (0..24).map(|_| random.vector::<D3>(0.8)).collect()
    };
    let hull = Shape3::hull(&rock).unwrap();
    vec![
        (Shape3::sphere(0.3), 0.3),
        (Shape3::cuboid(0.6, 0.4, 0.5), 0.2),
        (Shape3::rounded_cuboid(0.6, 0.4, 0.5, 0.05), 0.2),
        (Shape3::capsule(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.0, 0.0), 0.2), 0.2),
        (Shape3::capsule_y(0.4, 0.2), 0.4),
        (Shape3::cylinder(0.6, 0.25), 0.3),
        (Shape3::cone(0.6, 0.3), 0.3),
        (hull, Real::NAN),
    ]
}

#[test]
fn a_flat_mesh_pushes_like_a_plane() {
    // At random places over the triangles: normal, depth and support are those of a half-space.
    let plane = Shape3::plane(Vec3::Y, 0.0);
    let mut random = Random(7);
    for ground in [flat_mesh(8, 0.37), flat_field(8, 0.37)] {
        for (shape, _) in solids() {
            for _ in 0..40 {
                let mut pose = random.pose::<D3>(1.2);
                // So high that the lowest point is a little above or below the ground.
                let low = -shape.aabb(&pose).min.y + pose.position.y;
                pose.position = (pose.position.to_vec() * Vec3::new(1.0, 0.0, 1.0)
                    + Vec3::Y * (low + (random.next() - 0.6) * 0.02))
                    .into();
                let on_mesh = manifold::<D3>(&ground, &shape, pose, 0.01);
                let on_plane = manifold::<D3>(&plane, &shape, pose, 0.01);
                assert_eq!(on_mesh.is_empty(), on_plane.is_empty(), "{} {pose:?}", shape.kind());
                if on_plane.is_empty() {
                    continue;
                }
                assert!((on_mesh.normal - Vec3::Y).length() < 1e-4, "{}: {}", shape.kind(), on_mesh.normal);
                let deepest = |m: &LocalManifold<D3>| {
                    m.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation))
                };
                // Round rims are polygons against triangles and circles against planes.
                assert!(
                    (deepest(&on_mesh) - deepest(&on_plane)).abs() < 2e-3,
                    "{}: {} and {}",
                    shape.kind(),
                    deepest(&on_mesh),
                    deepest(&on_plane)
                );
                let flipped = manifold::<D3>(&shape, &ground, pose_inverse(pose), 0.01);
                assert!(
                    (deepest(&flipped) - deepest(&on_mesh)).abs() < 2.5e-3,
                    "the same in the other order"
                );
            }
        }
    }
}

fn pose_inverse<D: Dim>(pose: Pose<D>) -> Pose<D> {
    pose.relative(Pose::IDENTITY)
}

#[test]
fn contacts_of_hills_agree_with_distances() {
    let ground = mesh(&hills(6.0, 14));
    let mut random = Random(13);
    let mut touching = 0;
    for (shape, _) in solids() {
        for _ in 0..150 {
            let mut pose = random.pose::<D3>(3.0);
            pose.position.y = 0.5 + 0.8 * random.next();
            // Down to a centimetre or so above the ground.
            let far = closest_points::<D3>(&ground, &Pose::IDENTITY, &shape, &pose).unwrap();
            pose.position.y -= far.distance - 0.02 * random.next();
            let found = closest_points::<D3>(&ground, &Pose::IDENTITY, &shape, &pose).unwrap();
            let got = manifold::<D3>(&ground, &shape, pose, 0.02);
            if found.distance > 0.021 {
                assert!(
                    got.is_empty(),
                    "{} {} m apart has {} points",
                    shape.kind(),
                    found.distance,
                    got.points().len()
                );
            } else if found.distance > 1e-3 && found.distance < 0.018 && found.normal.y > 0.0 {
                touching += 1;
                assert!(!got.is_empty(), "{} {} m apart has no contact", shape.kind(), found.distance);
                let nearest = got.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
                assert!(
                    (nearest - found.distance).abs() < 4e-3,
                    "{}: {nearest} and {}",
                    shape.kind(),
                    found.distance
                );
                assert!(
                    (nearest - found.distance).abs() > 5e-4 || got.normal.dot(found.normal) > 0.9,
                    "{}: {} and {}",
                    shape.kind(),
                    got.normal,
                    found.normal
                );
            }
        }
    }
    assert!(touching > 30, "{touching} near misses looked at");
}

fn settle<D: Dim>(ground: D::Shape, shape: &D::Shape, start: D::Vec, steps: usize) -> (World<D>, BodyId) {
    let mut world = World::<D>::new();
    world.create_body_with(BodyDef::<D>::fixed(D::Vec::ZERO), [ShapeDef::<D>::new(ground)]).unwrap();
    let body =
        world.create_body_with(BodyDef::<D>::dynamic(start), [ShapeDef::<D>::new(shape.clone())]).unwrap();
    (0..steps).for_each(|_| world.step());
    (world, body)
}

#[test]
fn everything_comes_to_rest_on_a_mesh_at_its_own_height() {
    for ground in [flat_mesh(20, 0.41), flat_field(20, 0.41)] {
        for (shape, rest) in solids() {
            let (world, body) = settle::<D3>(ground.clone(), &shape, Vec3::new(0.13, 1.0, 0.07), 300);
            let view = world.body(body).unwrap();
            let y = view.position().y;
            if rest.is_finite() && !matches!(shape, Shape3::Capsule { .. }) {
                assert!((y - rest).abs() < 0.006, "{}: {y} m, expected {rest} m", shape.kind());
            }
            assert!(view.linear_velocity().length() < 0.02, "{} {:?}", shape.kind(), view.linear_velocity());
            let lowest = world.shape(view.shapes().next().unwrap()).unwrap().aabb().min.y;
            assert!(lowest > -0.012, "{}: sunk to {lowest} m", shape.kind());
        }
    }
}

#[test]
fn everything_comes_to_rest_on_a_chain() {
    let shapes = [
        (Shape2::circle(0.3), 0.3),
        (Shape2::rectangle(0.6, 0.4), 0.2),
        (Shape2::rounded_rectangle(0.6, 0.4, 0.1), 0.2),
        (Shape2::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.2), 0.2),
    ];
    for ground in [flat_chain(20, 0.41), Shape2::height_field(8.2, &[0.0; 21]).unwrap()] {
        for (shape, rest) in &shapes {
            let (world, body) = settle::<D2>(ground.clone(), shape, Vec2::new(0.13, 1.0), 300);
            let y = world.body(body).unwrap().position().y;
            assert!((y - rest).abs() < 0.006, "{}: {y} m, expected {rest} m", shape.kind());
        }
    }
}

#[test]
fn a_chain_lets_bodies_through_from_behind() {
    // From below: up through the floor, and down onto it again.
    let mut world = World::<D2>::new();
    world.create_body_with(BodyDef::<D2>::fixed([0.0; 2]), [flat_chain(10, 1.0)]).unwrap();
    let mut def = BodyDef::<D2>::dynamic([0.2, -2.0]);
    def.linear_velocity = Vec2::new(0.0, 9.0);
    let ball = world.create_body_with(def, [Shape2::circle(0.3)]).unwrap();
    let mut highest = Real::NEG_INFINITY;
    for _ in 0..240 {
        world.step();
        highest = highest.max(world.body(ball).unwrap().position().y);
    }
    assert!(highest > 1.0, "{highest}");
    assert!((world.body(ball).unwrap().position().y - 0.3).abs() < 0.01);
}

#[test]
fn a_valley_holds_a_box_from_both_sides() {
    // A groove of two slopes: one contact for each side, and the box stays in the middle.
    let groove = generate::terrain(Vec2::splat(8.0), [8, 4], |x, _| 0.8 * x.abs()).unwrap();
    let (world, body) =
        settle::<D3>(mesh(&groove), &Shape3::cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 2.0, 0.0), 300);
    let view = world.body(body).unwrap();
    assert!(view.position().x.abs() < 0.05, "{:?}", view.position());
    let normals: Vec<Vec3> =
        world.contacts_of(body).unwrap().filter(|c| c.is_touching()).map(|c| c.normal()).collect();
    assert!(normals.len() >= 2, "{normals:?}");
    assert!(normals.iter().any(|n| n.x > 0.3) && normals.iter().any(|n| n.x < -0.3), "{normals:?}");
    assert_eq!(world.profile().counters.pairs, 1, "one pair all the same");
}

#[test]
fn meshes_rest_on_planes_meshes_and_each_other() {
    let cube = mesh(&box_surface(Vec3::ONE, Vec3::ZERO));
    for ground in
        [Shape3::plane(Vec3::Y, 0.0), flat_mesh(10, 0.7), flat_field(10, 0.7), Shape3::cuboid(9.0, 1.0, 9.0)]
    {
        let mut world = World::<D3>::new();
        let top = if matches!(ground, Shape3::Box { .. }) { -0.5 } else { 0.0 };
        world.create_body_with(BodyDef::<D3>::fixed([0.0, top, 0.0]), [ground.clone()]).unwrap();
        let mut bodies = Vec::new();
        for i in 0..3 {
            let at = [0.05 * i as Real, 0.52 + 1.02 * i as Real, 0.03];
            bodies.push(world.create_body_with(BodyDef::<D3>::dynamic(at), [cube.clone()]).unwrap());
        }
        (0..300).for_each(|_| world.step());
        for (i, &body) in bodies.iter().enumerate() {
            let y = world.body(body).unwrap().position().y;
            let rest = 0.5 + i as Real;
            assert!((y - rest).abs() < 0.02, "cube {i} on {}: {y} m, expected {rest} m", ground.kind());
        }
    }
}

#[test]
fn a_ring_of_triangles_hangs_on_a_ring_of_triangles() {
    // Two links of a chain: only a mesh that is not convex can do that.
    let ring = mesh(&generate::torus(1.0, 0.2, 32, 12).unwrap());
    let mut world = World::<D3>::new();
    let upright = Quat::from_xyzw(0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
    let mut fixed = BodyDef::<D3>::fixed([0.0, 0.0, 0.0]);
    fixed.rotation = upright;
    world.create_body_with(fixed, [ring.clone()]).unwrap();
    let mut def = BodyDef::<D3>::dynamic([0.0, -1.2, 0.0]);
    // Square to the other one, through its hole.
    def.rotation = Quat::from_xyzw(0.0, 0.0, -(0.5_f32.sqrt()), 0.5_f32.sqrt());
    let link = world.create_body_with(def, [ring]).unwrap();
    for _ in 0..400 {
        world.step();
    }
    let y = world.body(link).unwrap().position().y;
    // The tubes touch: centres 2 (R − r) apart.
    assert!((y + 1.6).abs() < 0.05, "hangs at {y} m");
}

/// A small, finely meshed ball that dips into a corner or an edge of a large box is pushed out the short way: no triangle takes
/// the way through the box.
#[test]
fn small_solids_leave_large_boxes_the_short_way() {
    let ball = mesh(&generate::icosphere(0.3, 3).unwrap());
    let half = Vec3::new(1.5, 1.2, 1.3);
    let block = Shape3::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
    let mut random = Random(11);
    let mut met = 0;
    for _ in 0..400 {
        // The middle of the ball near a corner, an edge or a face, mostly outside.
        let corner = half * random.vector::<D3>(1.0).signum();
        let mut center = corner;
        for axis in 0..3 {
            if random.next() < 0.4 {
                center[axis] *= random.next();
            }
        }
        center += center.normalize() * (0.3 * random.next());
        let beyond = center.abs() - half;
        let outside = beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0);
        let depth = 0.3 - outside;
        let turn = random.pose::<D3>(0.0).rotation;
        let pose = Pose { position: center.into(), rotation: turn };
        let found = manifold::<D3>(&ball, &block, pose_inverse::<D3>(pose), 0.01);
        let deepest = found.points().iter().fold(0.0, |d: Real, p| d.max(-p.separation));
        met += usize::from(deepest > 0.0);
        assert!(deepest < depth.max(0.0) * 2.0 + 0.02, "{deepest} m deep, but {depth} m at {center}");
    }
    assert!(met > 100, "most of them touch: {met}");
}
