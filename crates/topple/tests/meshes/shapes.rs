//! What makes a mesh, a height field and a chain, and what is refused.

use crate::support::{Random, box_surface, bumpy, hills, mesh};
use std::collections::BTreeSet;
use std::sync::Arc;
use topple::math::*;
use topple::shape::d2::{ChainData, HeightFieldData2};
use topple::shape::d3::mesh::generate::{self, Surface};
use topple::shape::d3::{Degenerate, HeightFieldData, MeshData, MeshOptions};
use topple::shape::{Composite, ShapeOps};
use topple::{BodyDef2, BodyDef3, Error, Shape2, Shape3, World2, World3};

fn data(surface: &Surface) -> MeshData {
    MeshData::new(&surface.vertices, &surface.triangles).unwrap()
}

fn message<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wrong_meshes_are_refused_with_the_number_of_what_is_wrong() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    assert_eq!(message(MeshData::new(&corners, &[])), "mesh: has no triangles");
    assert_eq!(
        message(MeshData::new(&corners, &[[0, 1, 2], [0, 1, 7]])),
        "mesh: triangle 1 names vertex 7, but there are 3 vertices"
    );
    let broken = [Vec3::ZERO, Vec3::new(0.0, Real::NAN, 0.0), Vec3::Y];
    assert!(message(MeshData::new(&broken, &[[0, 1, 2]])).starts_with("mesh: vertex 1 is "));
    let line = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    assert_eq!(message(MeshData::new(&line, &[[0, 1, 2]])), "mesh: has only triangles without area");
    let strict = MeshOptions { degenerate: Degenerate::Refuse, ..MeshOptions::default() };
    let both = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0];
    assert!(
        message(MeshData::with_options(&both, &[[0, 1, 2], [0, 1, 3]], strict))
            .starts_with("mesh: triangle 1 has no area")
    );
    let lenient = MeshData::new(&both, &[[0, 1, 2], [0, 1, 3]]).unwrap();
    assert_eq!((lenient.triangles().len(), lenient.dropped()), (1, 1));
}

#[test]
fn only_closed_meshes_with_their_front_outside_are_solid_and_can_be_dynamic() {
    let cube = box_surface(Vec3::ONE, Vec3::ZERO);
    assert!(data(&cube).is_solid());
    let mut gap = cube.clone();
    gap.triangles.pop();
    assert!(!data(&gap).is_solid());
    let mut inside_out = cube.clone();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(!data(&inside_out).is_solid(), "a room is no solid");
    let mut world = World3::new();
    let refused = world.create_body_with(BodyDef3::dynamic([0.0; 3]), [mesh(&gap)]);
    assert!(message(refused).contains("meshes that are not closed are static or kinematic only"));
    assert_eq!(world.body_count(), 0);
    assert!(world.create_body_with(BodyDef3::dynamic([0.0; 3]), [mesh(&cube)]).is_ok());
    assert!(world.create_body_with(BodyDef3::fixed([0.0; 3]), [mesh(&gap)]).is_ok());
}

#[test]
fn vertices_at_one_place_become_one() {
    // A cube as loaders give it: every triangle with its own three corners, one of them at −0.
    let cube = box_surface(Vec3::ONE, Vec3::splat(0.5));
    let apart: Vec<Vec3> = cube.triangles.iter().flatten().map(|&i| cube.vertices[i as usize]).collect();
    let apart: Vec<Vec3> =
        apart.iter().enumerate().map(|(i, v)| if i % 2 == 0 { -(-*v) } else { v.abs() * 1.0 }).collect();
    let mut signed = apart.clone();
    signed[0] = Vec3::new(signed[0].x * -0.0 + signed[0].x, signed[0].y, signed[0].z);
    let triangles: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let welded = MeshData::new(&signed, &triangles).unwrap();
    assert_eq!(welded.vertices().len(), 8);
    assert!(welded.is_solid());
    assert!((welded.mass(2.0).mass - 2.0).abs() < 1e-5);
}

/// Vertices − edges + faces, and the number of pieces.
fn topology(surface: &Surface) -> (i64, usize) {
    let edges: BTreeSet<(u32, u32)> = surface
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(p, q)| (p.min(q), p.max(q)))
        .collect();
    let mut group: Vec<usize> = (0..surface.vertices.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    for &(p, q) in &edges {
        let (p, q) = (root(&mut group, p as usize), root(&mut group, q as usize));
        group[p] = q;
    }
    let pieces = (0..group.len()).filter(|&i| group[i] == i).count();
    (surface.vertices.len() as i64 - edges.len() as i64 + surface.triangles.len() as i64, pieces)
}

#[test]
fn generated_surfaces_are_closed_and_what_they_claim_to_be() {
    let torus = generate::torus(1.0, 0.3, 24, 12).unwrap();
    assert_eq!(topology(&torus), (0, 1));
    let ball = generate::icosphere(2.0, 3).unwrap();
    assert_eq!((topology(&ball), ball.triangles.len()), ((2, 1), 20 * 64));
    assert!(ball.vertices.iter().all(|v| (v.length() - 2.0).abs() < 1e-5));
    for cells in [12, 24, 40] {
        let animal = generate::animal(cells).unwrap();
        assert_eq!(topology(&animal), (2, 1), "{cells} cells: one piece without handles");
        assert!(data(&animal).is_solid());
        assert_eq!(data(&animal).dropped(), 0);
    }
    for surface in [torus, ball, bumpy(&mut Random(3), 3)] {
        assert!(data(&surface).is_solid());
    }
    assert!(!data(&hills(10.0, 8)).is_solid());
    assert!(message(generate::torus(0.2, 0.3, 8, 8)).contains("above the radius of the tube"));
    assert!(message(generate::icosphere(1.0, 9)).contains("at most 7"));
    assert!(message(generate::animal(3)).contains("from 8 to 128"));
}

#[test]
fn wrong_height_fields_and_chains_are_refused() {
    let size = Vec2::ONE;
    let field = |columns: u32, heights: &[Real]| message(HeightFieldData::new(size, columns, heights));
    assert!(field(2, &[0.0; 2]).contains("needs at least two rows of two"));
    assert!(field(3, &[0.0; 7]).contains("no multiple of 3"));
    assert!(field(2, &[0.0, 0.0, Real::INFINITY, 0.0]).contains("height 2 is inf"));
    assert!(message(HeightFieldData::new(Vec2::new(0.0, 1.0), 2, &[0.0; 4])).contains("HeightField.size.x"));
    assert!(message(HeightFieldData2::new(1.0, &[0.0])).contains("has 1 heights"));
    assert!(message(HeightFieldData2::new(-1.0, &[0.0; 2])).contains("HeightField.width"));
    assert!(message(ChainData::open(&[Vec2::ONE; 4])).contains("has 1 different vertices"));
    assert!(message(ChainData::closed(&[Vec2::ZERO, Vec2::X, Vec2::ZERO])).contains("needs at least 3"));
    assert!(message(ChainData::open(&[Vec2::ZERO, Vec2::NAN])).contains("vertex 1"));
    let mut world = World2::new();
    for shape in
        [Shape2::chain(&[Vec2::X, Vec2::ZERO]).unwrap(), Shape2::height_field(1.0, &[0.0, 1.0]).unwrap()]
    {
        assert!(!shape.can_move() && !shape.is_solid());
        let refused = world.create_body_with(BodyDef2::dynamic([0.0; 2]), [shape]);
        assert!(message(refused).contains("static or kinematic only"));
    }
}

#[test]
fn the_children_of_a_height_field_lie_on_its_surface() {
    let mut random = Random(9);
    let heights: Vec<Real> = (0..5 * 7).map(|_| random.next()).collect();
    let field = HeightFieldData::new(Vec2::new(4.0, 9.0), 5, &heights).unwrap();
    assert_eq!(field.child_count(), 2 * 4 * 6);
    for index in 0..field.child_count() {
        let [a, b, c] = field.corners(index);
        assert!(field.normal(index).y > 0.0, "front side up");
        for (u, v) in [(0.2, 0.3), (0.6, 0.1), (0.1, 0.8)] {
            let p = a + (b - a) * u + (c - a) * v;
            let y = field.height_at(p.x, p.z).unwrap();
            assert!((p.y - y).abs() < 1e-5, "triangle {index}: {} and {y}", p.y);
        }
    }
    assert!(field.height_at(2.1, 0.0).is_none());
    let line = HeightFieldData2::new(3.0, &[0.0, 1.0, 0.0, 2.0]).unwrap();
    assert!((line.height_at(-1.0).unwrap() - 0.5).abs() < 1e-6);
    assert_eq!(line.height_at(1.5), Some(2.0));
    assert!((0..3).all(|i| line.normal(i).y > 0.0));
}

#[test]
fn geometry_is_shared_and_stored_once() {
    let surface = generate::animal(20).unwrap();
    let shape = mesh(&surface);
    let Shape3::Mesh { data } = &shape else { panic!("a mesh") };
    let mut world = World3::new();
    let before = {
        world.create_body_with(BodyDef3::dynamic([0.0, 5.0, 0.0]), [shape.clone()]).unwrap();
        world.snapshot().len()
    };
    for i in 1..20 {
        // Other places and materials: the geometry is still the same.
        let def = topple::ShapeDef3::new(shape.clone()).friction(0.01 * i as Real);
        world.create_body_with(BodyDef3::dynamic([3.0 * i as Real, 5.0, 0.0]), [def]).unwrap();
    }
    // The same geometry, built again: found by its content.
    world.create_body_with(BodyDef3::fixed([-9.0, 0.0, 0.0]), [mesh(&surface)]).unwrap();
    assert_eq!(Arc::strong_count(data), 21, "ours, and one for each of twenty bodies");
    let bytes = world.snapshot();
    assert!(bytes.len() < before + 20 * 400, "{} bytes, one body took {before}", bytes.len());
    let mut copy = World3::restore(&bytes).unwrap();
    assert_eq!(copy.snapshot(), bytes);
    for _ in 0..30 {
        world.step();
        copy.step();
    }
    assert_eq!(world.state_hash(), copy.state_hash());
}

#[test]
fn damaged_snapshots_of_meshes_are_refused() {
    let mut world = World3::new();
    world.create_body_with(BodyDef3::fixed([0.0; 3]), [mesh(&hills(4.0, 3))]).unwrap();
    world.create_body_with(BodyDef3::dynamic([0.0, 1.5, 0.0]), [Shape3::sphere(0.3)]).unwrap();
    for _ in 0..40 {
        world.step();
    }
    let bytes = world.snapshot();
    let mut random = Random(5);
    for _ in 0..300 {
        let mut broken = bytes.clone();
        let at = (random.next() * (bytes.len() - 8) as Real) as usize;
        broken[at] ^= 1 << (random.next() * 8.0) as u32;
        assert!(World3::restore(&broken).is_err(), "the checksum sees every change");
    }
}
