//! Mass, centre and inertia of closed meshes: closed forms, hulls, and counting points inside.

use crate::support::{Random, box_surface, bumpy, mesh};
use topple::math::*;
use topple::shape::ShapeOps;
use topple::shape::d3::mesh::generate::{self, Surface};
use topple::shape::d3::{MeshData, MeshMass, MeshOptions};
use topple::{Mass, Shape3};

/// Agreement with closed forms, relative.
const EXACT: Real = 1e-5;

fn matrix(inertia: SymMat3) -> [Real; 6] {
    let (d, o) = (inertia.diagonal, inertia.off);
    [d.x, d.y, d.z, o.x, o.y, o.z]
}

fn assert_same(what: &str, got: Mass<D3>, expected: Mass<D3>, tolerance: Real) {
    let size = (expected.inertia.diagonal.max_element() / expected.mass).sqrt();
    let close = |g: Real, e: Real, scale: Real, name: &str| {
        assert!((g - e).abs() <= tolerance * scale, "{what}: {name} is {g}, expected {e} (scale {scale})");
    };
    close(got.mass, expected.mass, expected.mass, "mass [kg]");
    for axis in 0..3 {
        close(
            got.center[axis],
            expected.center[axis],
            size + expected.center.abs().max_element(),
            "centre [m]",
        );
    }
    let scale = expected.inertia.diagonal.max_element();
    for (g, e) in matrix(got.inertia).into_iter().zip(matrix(expected.inertia)) {
        close(g, e, scale, "inertia [kg·m²]");
    }
}

#[test]
fn boxes_and_tetrahedra_have_the_mass_of_the_formula() {
    let size = Vec3::new(1.0, 2.0, 0.5);
    let center = Vec3::new(3.0, -2.0, 7.0);
    let shape = mesh(&box_surface(size, center));
    let expected = Shape3::cuboid(size.x, size.y, size.z).mass(3.0).placed(&Pose::at(center));
    assert_same("box", shape.mass(3.0), expected, EXACT);

    // Corner tetrahedron with legs a: V = a³/6, centre a/4, ∫x² = V a²/10 and ∫xy = V a²/20 about the corner.
    let a = 2.0;
    let corners = [Vec3::ZERO, Vec3::X * a, Vec3::Y * a, Vec3::Z * a];
    let tetrahedron = Shape3::mesh(&corners, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).unwrap();
    let volume = a * a * a / 6.0;
    let c = a / 4.0;
    let moment = 2.0 * (volume * a * a / 10.0 - volume * c * c);
    let product = -(volume * a * a / 20.0 - volume * c * c);
    let expected = Mass {
        mass: volume,
        center: Vec3::splat(c),
        inertia: SymMat3 { diagonal: Vec3::splat(moment), off: Vec3::splat(product) },
    };
    assert_same("tetrahedron", tetrahedron.mass(1.0), expected, EXACT);
}

#[test]
fn a_surface_with_a_dent_has_the_mass_of_its_parts() {
    // A U of three boxes as one surface: the outline of the U, drawn up along z.
    let outline =
        [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (2.0, 2.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let depth = 1.5;
    let mut surface = Surface::default();
    for z in [0.0, depth] {
        surface.vertices.extend(outline.map(|(x, y)| Vec3::new(x, y, z)));
    }
    let cap = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
    surface.triangles.extend(cap.map(|[a, b, c]| [a, c, b]));
    surface.triangles.extend(cap.map(|t: [u32; 3]| t.map(|i| i + 8)));
    for i in 0..8 {
        let j = (i + 1) % 8;
        surface.triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    let part = |w: Real, h: Real, x: Real, y: Real| {
        let center = Vec3::new(x + 0.5 * w, y + 0.5 * h, 0.5 * depth);
        Shape3::cuboid(w, h, depth).mass(1.0).placed(&Pose::at(center))
    };
    let expected = part(3.0, 1.0, 0.0, 0.0).plus(part(1.0, 1.0, 0.0, 1.0)).plus(part(1.0, 1.0, 2.0, 1.0));
    assert_same("U", mesh(&surface).mass(1.0), expected, EXACT);
}

#[test]
fn fine_balls_and_rings_come_near_the_round_ones() {
    let ball = mesh(&generate::icosphere(1.5, 5).unwrap()).mass(1.0);
    assert_same("ball", ball, Shape3::sphere(1.5).mass(1.0), 3e-3);
    // Torus: V = 2π²Rr², about its axis m(R² + ¾r²), across m(½R² + ⅝r²).
    let (big, small) = (1.0, 0.25);
    let ring = mesh(&generate::torus(big, small, 400, 200).unwrap()).mass(1.0);
    let m = 2.0 * core::f32::consts::PI * core::f32::consts::PI * big * small * small;
    let (axis, across) =
        (m * (big * big + 0.75 * small * small), m * (0.5 * big * big + 0.625 * small * small));
    let expected = Mass {
        mass: m,
        center: Vec3::ZERO,
        inertia: SymMat3::from_diagonal(Vec3::new(across, axis, across)),
    };
    assert_same("ring", ring, expected, 5e-4);
}

#[test]
fn random_hulls_weigh_the_same_as_hull_and_as_mesh() {
    let mut random = Random(11);
    for round in 0..30 {
        let offset = random.vector::<D3>(6.0);
        let points: Vec<Vec3> = (0..20).map(|_| offset + random.vector::<D3>(2.0)).collect();
        let hull = Shape3::hull(&points).unwrap();
        let Shape3::Hull { data, .. } = &hull else { panic!("a hull") };
        let mut triangles = Vec::new();
        for face in data.faces() {
            let from = usize::from(face.first);
            let corners: Vec<u32> = data.half_edges()[from..from + usize::from(face.count)]
                .iter()
                .map(|h| u32::from(h.vertex))
                .collect();
            triangles.extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
        }
        let mesh = Shape3::mesh(data.vertices(), &triangles).unwrap();
        assert_same(&format!("hull {round}"), mesh.mass(2.0), hull.mass(2.0), EXACT);
    }
}

/// Mass properties for density 1 by counting random points inside.
fn counted(data: &MeshData, random: &mut Random, count: u32) -> Mass<D3> {
    use topple::shape::Composite;
    let bounds = data.bounds();
    let (low, size) = (bounds.min.to_vec(), bounds.size());
    let share = f64::from(size.x * size.y * size.z) / f64::from(count);
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [0.0; 6]);
    for _ in 0..count {
        let p = low + Vec3::new(random.next(), random.next(), random.next()) * size;
        if data.contains(p) {
            let p = [f64::from(p.x), f64::from(p.y), f64::from(p.z)];
            volume += share;
            (0..3).for_each(|i| first[i] += share * p[i]);
            let products = [p[0] * p[0], p[1] * p[1], p[2] * p[2], p[0] * p[1], p[0] * p[2], p[1] * p[2]];
            (0..6).for_each(|i| second[i] += share * products[i]);
        }
    }
    let c = first.map(|f| f / volume);
    let about = [c[0] * c[0], c[1] * c[1], c[2] * c[2], c[0] * c[1], c[0] * c[2], c[1] * c[2]];
    let s: Vec<f64> = (0..6).map(|i| second[i] - volume * about[i]).collect();
    Mass {
        mass: volume as Real,
        center: Vec3::new(c[0] as Real, c[1] as Real, c[2] as Real),
        inertia: SymMat3 {
            diagonal: Vec3::new((s[1] + s[2]) as Real, (s[2] + s[0]) as Real, (s[0] + s[1]) as Real),
            off: Vec3::new(-s[3] as Real, -s[4] as Real, -s[5] as Real),
        },
    }
}

#[test]
fn random_closed_meshes_agree_with_counting_points() {
    // 40 000 points: the volume is good to a few parts in a thousand.
    let mut random = Random(17);
    let mut surfaces: Vec<(String, Surface)> =
        (0..5).map(|i| (format!("bumpy {i}"), bumpy(&mut random, 3))).collect();
    surfaces.push(("animal".into(), generate::animal(24).unwrap()));
    surfaces.push(("torus".into(), generate::torus(1.0, 0.4, 24, 12).unwrap()));
    for (name, surface) in surfaces {
        let data = MeshData::new(&surface.vertices, &surface.triangles).unwrap();
        let expected = counted(&data, &mut random, 40_000);
        assert_same(&name, data.mass(1.0), expected, 0.02);
    }
}

#[test]
fn mass_can_be_that_of_the_bounding_box_or_given() {
    let surface = generate::icosphere(1.0, 3).unwrap();
    let with = |mass: MeshMass| {
        let options = MeshOptions { mass, ..MeshOptions::default() };
        MeshData::with_options(&surface.vertices, &surface.triangles, options).unwrap()
    };
    use topple::shape::Composite;
    let size = with(MeshMass::Exact).bounds().size();
    let filled = Shape3::cuboid(size.x, size.y, size.z).mass(2.0);
    assert_same("box", with(MeshMass::BoundingBox).mass(2.0), filled, EXACT);
    let given: Mass<D3> =
        Mass { mass: 3.0, center: Vec3::X * 0.1, inertia: SymMat3::from_diagonal(Vec3::new(1.0, 1.1, 1.2)) };
    let doubled = Mass { mass: 6.0, inertia: given.inertia.scaled(2.0), ..given };
    assert_eq!(with(MeshMass::Given(given)).mass(2.0), doubled);
    let wrong = MeshOptions { mass: MeshMass::Given(Mass::ZERO), ..MeshOptions::default() };
    assert!(MeshData::with_options(&surface.vertices, &surface.triangles, wrong).is_err());
}

#[test]
fn a_mesh_displaces_the_water_it_holds() {
    // A box of triangles against the box; a dented surface against counting points.
    let size = Vec3::new(1.0, 2.0, 0.5);
    let (skin, solid) = (mesh(&box_surface(size, Vec3::ZERO)), Shape3::cuboid(size.x, size.y, size.z));
    let surface = bumpy(&mut Random(29), 3);
    let data = MeshData::new(&surface.vertices, &surface.triangles).unwrap();
    let dented = mesh(&surface);
    let mut random = Random(23);
    let whole = data.mass(1.0).mass;
    for _ in 0..20 {
        let normal = random.vector::<D3>(1.0).normalize();
        let offset = random.next() - 0.5;
        let (a, b) = (skin.submerged(normal, offset), solid.submerged(normal, offset));
        assert!((a.volume - b.volume).abs() < EXACT, "{} and {} m³", a.volume, b.volume);
        assert!(b.volume < 1e-3 || (a.center - b.center).length() < 1e-3, "{} and {}", a.center, b.center);
        let wet = dented.submerged(normal, offset);
        use topple::shape::Composite;
        let (low, extent) = (data.bounds().min.to_vec(), data.bounds().size());
        let inside = (0..8000)
            .map(|_| low + Vec3::new(random.next(), random.next(), random.next()) * extent)
            .filter(|&p| normal.dot(p) <= offset && data.contains(p))
            .count();
        let counted = extent.x * extent.y * extent.z * inside as Real / 8000.0;
        assert!((wet.volume - counted).abs() < 0.03 * whole, "{} and {counted} m³", wet.volume);
    }
    assert!((dented.submerged(Vec3::Y, 100.0).volume - whole).abs() < EXACT * whole);
}
