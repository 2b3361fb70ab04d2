//! Pieces are convex, hold the solid, and add little.

use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::MeshData;
use topple::shape::d3::mesh::generate;
use topple::{BodyDef3, Shape3, World3};
use topple_mesh::{DecomposeOptions, Surface, decompose};

fn volume(parts: &[Shape3]) -> Real {
    parts.iter().map(|part| part.mass(1.0).mass).sum()
}

/// A U of three boxes, drawn up along z.
fn horseshoe() -> Surface {
    let outline =
        [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (2.0, 2.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let mut surface = Surface::default();
    for z in [0.0, 1.0] {
        surface.vertices.extend(outline.map(|(x, y)| Vec3::new(x, y, z)));
    }
    let cap = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
    surface.triangles.extend(cap.map(|[a, b, c]| [a, c, b]));
    surface.triangles.extend(cap.map(|t: [u32; 3]| t.map(|i| i + 8)));
    for i in 0..8 {
        let j = (i + 1) % 8;
        surface.triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    surface
}

#[test]
fn a_convex_solid_stays_whole() {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let options = DecomposeOptions { max_vertices: 200, tolerance: 0.03, ..DecomposeOptions::default() };
    let parts = decompose(&ball, &options).unwrap();
    assert_eq!(parts.len(), 1);
    let exact = Shape3::mesh(&ball.vertices, &ball.triangles).unwrap().mass(1.0).mass;
    assert!((volume(&parts) / exact - 1.0).abs() < 0.03);
}

#[test]
fn a_horseshoe_is_three_boxes_and_its_gap_stays_open() {
    let parts = decompose(&horseshoe(), &DecomposeOptions::default()).unwrap();
    assert!((2..=5).contains(&parts.len()), "{} parts", parts.len());
    let total = volume(&parts);
    assert!((total - 5.0).abs() < 0.25, "{total} m³, the solid has 5");
    assert!(parts.iter().all(|part| !part.contains(Vec3::new(1.5, 1.7, 0.5))), "the gap");
    for p in [Vec3::new(0.5, 1.5, 0.5), Vec3::new(1.5, 0.5, 0.5), Vec3::new(2.5, 1.5, 0.5)] {
        assert!(parts.iter().any(|part| part.contains(p)), "{p}");
    }
}

#[test]
fn pieces_hold_the_solid_and_the_hole_of_a_ring_stays_open() {
    for (name, surface, limit) in [
        ("ring", generate::torus(1.0, 0.3, 24, 12).unwrap(), 0.35),
        ("animal", generate::animal(16).unwrap(), 0.35),
    ] {
        let data = MeshData::new(&surface.vertices, &surface.triangles).unwrap();
        let options = DecomposeOptions {
            samples: 4000,
            max_parts: 12,
            max_vertices: 120,
            ..DecomposeOptions::default()
        };
        let parts = decompose(&surface, &options).unwrap();
        assert!(parts.len() > 3 && parts.len() <= 12, "{name}: {} parts", parts.len());
        let share = volume(&parts) / data.mass(1.0).mass;
        assert!(share > 0.95 && share < 1.0 + limit, "{name}: {share} of the volume");
        // Hulls of few vertices cut a little off round surfaces.
        let (mut inside, mut held) = (0, 0);
        for i in 0..20 {
            for j in 0..20 {
                for k in 0..20 {
                    let p = Vec3::new(i as Real, j as Real, k as Real) * 0.14 - Vec3::new(1.4, 0.6, 1.4);
                    if data.contains(p) {
                        inside += 1;
                        held += usize::from(parts.iter().any(|part| part.contains(p)));
                    }
                }
            }
        }
        assert!(held * 100 >= inside * 95, "{name}: {held} of {inside} points are held");
        if name == "ring" {
            assert!(parts.iter().all(|part| !part.contains(Vec3::ZERO)), "the hole");
        }
        // And the engine takes them as one body.
        let mut world = World3::new();
        world.create_body_with(BodyDef3::dynamic([0.0, 3.0, 0.0]), parts).unwrap();
        world.step();
    }
}

#[test]
fn what_cannot_be_decomposed_is_refused() {
    let open = generate::terrain(Vec2::ONE, [2, 2], |_, _| 0.0).unwrap();
    let refused = decompose(&open, &DecomposeOptions::default()).unwrap_err().to_string();
    assert_eq!(refused, "mesh: encloses no volume: only a solid can be decomposed");
    let none = DecomposeOptions { max_parts: 0, ..DecomposeOptions::default() };
    assert!(decompose(&horseshoe(), &none).unwrap_err().to_string().contains("max_parts"));
    let wild = DecomposeOptions { tolerance: Real::NAN, ..DecomposeOptions::default() };
    assert!(decompose(&horseshoe(), &wild).unwrap_err().to_string().contains("tolerance"));
}
