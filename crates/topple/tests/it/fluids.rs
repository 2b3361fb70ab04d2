//! Shapes in water and wind: the part below a plane against closed forms and counting, areas against what is seen.

use topple::math::*;
use topple::shape::{Facet, ShapeOps};
use topple::{Shape2, Shape3};

/// A stream of numbers in [0, 1): the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as Real / (1_u64 << 24) as Real
    }

    fn direction<D: Dim>(&mut self) -> D::Vec {
        loop {
            let mut v = D::Vec::ZERO;
            (0..D::N).for_each(|i| v.set(i, 2.0 * self.next() - 1.0));
            if v.length() > 0.1 && v.length() <= 1.0 {
                return v.normalize_or(v);
            }
        }
    }
}

fn flat_shapes() -> Vec<Shape2> {
    let points = [(0.0, 0.0), (1.2, -0.3), (1.5, 0.8), (0.4, 1.4), (-0.5, 0.7)].map(|(x, y)| Vec2::new(x, y));
    vec![
        Shape2::circle(0.7),
        Shape2::rectangle(1.4, 0.6),
        Shape2::rounded_rectangle(1.4, 0.9, 0.2),
        Shape2::polygon(&points).unwrap(),
        Shape2::rounded_polygon(&points, 0.25).unwrap(),
        Shape2::capsule(Vec2::new(-0.4, 0.1), Vec2::new(0.6, 0.5), 0.3),
    ]
}

fn solid_shapes() -> Vec<Shape3> {
    let mut random = Random(11);
    let points: Vec<Vec3> =
        (0..24).map(|_| random.direction::<D3>() * 0.8 + Vec3::new(0.2, -0.1, 0.3)).collect();
    vec![
        Shape3::sphere(0.7),
        Shape3::cuboid(1.4, 0.6, 0.9),
        Shape3::hull(&points).unwrap(),
        Shape3::capsule(Vec3::new(-0.4, 0.1, 0.0), Vec3::new(0.6, 0.5, -0.2), 0.3),
        Shape3::cylinder(1.1, 0.4),
        Shape3::rounded_cylinder(1.1, 0.5, 0.15),
        Shape3::cone(1.2, 0.6),
        Shape3::rounded_cone(1.0, 0.5, 0.1),
    ]
}

/// Counts points of a fine grid: volume and centroid of the part below the plane.
fn count<D: Dim>(shape: &D::Shape, normal: D::Vec, offset: Real, cells: usize) -> (f64, [f64; 3]) {
    let bounds = shape.aabb(&Pose::IDENTITY);
    let (low, size) = (bounds.min.to_vec(), bounds.max - bounds.min);
    let (mut hits, mut sum) = (0_u64, [0.0_f64; 3]);
    let total = cells.pow(D::N as u32);
    for cell in 0..total {
        let mut p = low;
        let mut rest = cell;
        for axis in 0..D::N {
            let t = ((rest % cells) as Real + 0.5) / cells as Real;
            p.set(axis, low.get(axis) + size.get(axis) * t);
            rest /= cells;
        }
        if normal.dot(p) <= offset && shape.contains(p) {
            hits += 1;
            (0..D::N).for_each(|axis| sum[axis] += f64::from(p.get(axis)));
        }
    }
    let cell = (0..D::N).map(|axis| f64::from(size.get(axis))).product::<f64>() / total as f64;
    (hits as f64 * cell, sum.map(|s| s / hits.max(1) as f64))
}

fn the_part_below_a_plane_is_what_counting_gives<D: Dim>(shapes: &[D::Shape], cells: usize, allowed: Real) {
    let mut random = Random(5);
    for shape in shapes {
        let whole = shape.mass(1.0);
        let size = shape.farthest_from(whole.center);
        for _ in 0..6 {
            let normal = random.direction::<D>();
            let offset = normal.dot(whole.center) + (1.6 * random.next() - 0.8) * size * 0.6;
            let part = shape.submerged(normal, offset);
            let (volume, center) = count::<D>(shape, normal, offset, cells);
            let error = (f64::from(part.volume) - volume).abs() as Real / whole.mass;
            assert!(error < allowed, "{shape:?} {normal:?} {offset}: {} and counted {volume}", part.volume);
            for axis in 0..D::N {
                let first = part.center.get(axis) * part.volume - (center[axis] * volume) as Real;
                assert!(
                    first.abs() < allowed * whole.mass * size,
                    "{shape:?} {normal:?} {offset}: centre {:?} and counted {center:?}",
                    part.center
                );
            }
        }
    }
}

/// The grid decides the tolerance: half a cell along the surface.
#[test]
fn the_part_below_a_plane_is_what_counting_gives_2d() {
    the_part_below_a_plane_is_what_counting_gives::<D2>(&flat_shapes(), 500, 3e-3);
}
#[test]
fn the_part_below_a_plane_is_what_counting_gives_3d() {
    the_part_below_a_plane_is_what_counting_gives::<D3>(&solid_shapes(), 60, 4e-3);
}

/// Both sides of a plane together are the whole shape, to the accuracy that each shape promises.
fn both_sides_make_the_whole<D: Dim>(shapes: &[D::Shape], allowed: Real) {
    let mut random = Random(9);
    for shape in shapes {
        let whole = shape.mass(1.0);
        let size = shape.farthest_from(whole.center);
        for i in 0..60 {
            // Planes along the axes too: there slices are cut all at once.
            let normal = if i % 4 == 0 { D::Vec::axis(i / 4 % D::N) } else { random.direction::<D>() };
            let offset = normal.dot(whole.center) + (2.0 * random.next() - 1.0) * size;
            let (low, high) = (shape.submerged(normal, offset), shape.submerged(-normal, -offset));
            let sum = low.volume + high.volume;
            assert!((sum - whole.mass).abs() < allowed * whole.mass, "{shape:?} {normal:?} {offset}: {sum}");
            let center = low.center * (low.volume / sum) + high.center * (high.volume / sum);
            assert!(
                (center - whole.center).length() < allowed * 2.0 * size,
                "{shape:?} {normal:?} {offset}: centre {center:?}, not {:?}",
                whole.center
            );
        }
        let (normal, far) = (D::Vec::axis(1), 4.0 * size + whole.center.length());
        assert!((shape.submerged(normal, far).volume - whole.mass).abs() < 2e-6 * whole.mass, "{shape:?}");
        assert_eq!(shape.submerged(normal, -far).volume, 0.0, "{shape:?}");
    }
}

#[test]
fn both_sides_make_the_whole_2d() {
    both_sides_make_the_whole::<D2>(&flat_shapes(), 2e-6);
}
#[test]
fn both_sides_make_the_whole_3d() {
    both_sides_make_the_whole::<D3>(&solid_shapes(), 1e-5);
}

#[test]
fn rounded_boxes_and_hulls_have_their_volume_when_they_are_under_water() {
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real)).collect();
    for shape in [Shape3::rounded_cuboid(1.0, 0.8, 0.6, 0.1), Shape3::rounded_hull(&corners, 0.2).unwrap()] {
        let whole = shape.mass(1.0);
        let part = shape.submerged(Vec3::Y, 10.0);
        assert!(
            (part.volume / whole.mass - 1.0).abs() < 1e-5 && (part.center - whole.center).length() < 1e-5
        );
        // Half way up it is half by symmetry.
        let half = shape.submerged(Vec3::Y, whole.center.y);
        assert!((half.volume / whole.mass - 0.5).abs() < 1e-5, "{}", half.volume);
    }
}

/// Area that the pieces show to a wind along `direction`.
fn shown<D: Dim>(shape: &D::Shape, direction: D::Vec) -> Real {
    let mut facets: Vec<Facet<D>> = Vec::new();
    shape.facets(&mut facets);
    let part =
        |f: &Facet<D>| if f.normal == D::Vec::ZERO { 1.0 } else { (-f.normal.dot(direction)).max(0.0) };
    facets.iter().map(|facet| facet.area * part(facet)).sum()
}

#[test]
fn flat_shapes_show_the_wind_their_exact_width() {
    let mut random = Random(3);
    for shape in flat_shapes() {
        for _ in 0..20 {
            let d = random.direction::<D2>();
            let across = Vec2::new(-d.y, d.x);
            let reach = |t: Vec2| t.dot(shape.support(t).unwrap()) + shape.rounding();
            let width = if let Shape2::Circle { radius } = shape {
                2.0 * radius
            } else {
                reach(across) + reach(-across)
            };
            let seen = shown::<D2>(&shape, d);
            assert!((seen - width).abs() < 1e-5, "{shape:?} along {d}: {seen} m and {width} m");
        }
    }
}

/// Silhouette by counting rays that hit.
fn silhouette(shape: &Shape3, d: Vec3) -> Real {
    let reach = shape.farthest_from(Vec3::ZERO) * 1.01;
    let [x, y] = D3::tangent_basis(d);
    let cells = 160;
    let step = 2.0 * reach / cells as Real;
    let mut hits = 0;
    for i in 0..cells * cells {
        let (u, v) = (((i % cells) as Real + 0.5) * step - reach, ((i / cells) as Real + 0.5) * step - reach);
        let origin = x * u + y * v - d * (2.0 * reach);
        let ray = topple::shape::LocalRay { origin, direction: d, max: 5.0 * reach };
        hits += usize::from(shape.ray_cast(&ray).is_some());
    }
    hits as Real * step * step
}

/// Sharp shapes exactly, strips within one percent; rounded ones count as sharp and are left out.
#[test]
fn solid_shapes_show_the_wind_their_silhouette() {
    let mut random = Random(4);
    let rounded = |shape: &Shape3| matches!(shape, Shape3::Cylinder { rounding, .. } | Shape3::Cone { rounding, .. } if *rounding > 0.0);
    for shape in solid_shapes().into_iter().filter(|shape| !rounded(shape)) {
        for _ in 0..4 {
            let d = random.direction::<D3>();
            let (seen, counted) = (shown::<D3>(&shape, d), silhouette(&shape, d));
            assert!((seen / counted - 1.0).abs() < 0.02, "{shape:?} along {d}: {seen} m² and {counted} m²");
        }
    }
    assert!((shown::<D3>(&Shape3::cuboid(1.0, 2.0, 3.0), Vec3::X) - 6.0).abs() < 1e-6);
}

/// Facets of a closed surface without round pieces cancel, and their moments give three times the volume.
#[test]
fn facets_close_the_surface() {
    let points: Vec<Vec3> = (0..20).map(|i| Random(i + 50).direction::<D3>() * 0.7).collect();
    for shape in [Shape3::cuboid(1.0, 2.0, 0.5), Shape3::hull(&points).unwrap()] {
        let mut facets: Vec<Facet<D3>> = Vec::new();
        shape.facets(&mut facets);
        let sum = facets.iter().fold(Vec3::ZERO, |sum, f| sum + f.normal * f.area);
        let volume: Real = facets.iter().map(|f| f.normal.dot(f.center) * f.area).sum::<Real>() / 3.0;
        assert!(sum.length() < 1e-5, "{shape:?}: {sum}");
        assert!((volume / shape.mass(1.0).mass - 1.0).abs() < 1e-5, "{shape:?}: {volume} m³");
    }
}
