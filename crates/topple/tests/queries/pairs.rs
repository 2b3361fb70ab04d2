//! What can be asked of which pair of shapes: every cell of the printed matrix is tried against brute force, and the page in the
//! docs must say the same. `UPDATE_EXPECT=1` writes it.

use crate::Random;
use std::fmt::Write;
use topple::distance::{closest_points, point_shape, shape_cast};
use topple::math::*;
use topple::narrow_phase::{Algorithm, CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::d3::mesh::generate;
use topple::shape::{LocalRay, ShapeOps};
use topple::{Shape2, Shape3};

/// Rounding of distances of a few metres [m].
const ROUNDING: Real = 3e-4;
/// Poses tried for every pair.
const CASES: usize = 12;
/// Steps of the march that looks for what a cast should have met.
const MARCH: usize = 40;
/// Every way to compute a contact.
pub(crate) const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Auto, Algorithm::Sat, Algorithm::SeparatingPlanes, Algorithm::Gjk];
/// Where the page is.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/narrow-phases/pairs.md");

/// One shape of every kind.
trait Kinds: Dim {
    fn kinds() -> Vec<Self::Shape>;
}

impl Kinds for D2 {
    fn kinds() -> Vec<Shape2> {
        let corners = [(-0.4, -0.3), (0.5, -0.2), (0.3, 0.4), (-0.2, 0.5)].map(|(x, y)| Vec2::new(x, y));
        let line: Vec<Vec2> =
            (0..13).map(|i| Vec2::new(1.8 - 0.3 * i as Real, 0.2 * (i % 3) as Real)).collect();
        vec![
            Shape2::circle(0.4),
            Shape2::rounded_rectangle(0.9, 0.6, 0.1),
            Shape2::polygon(&corners).unwrap(),
            Shape2::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.1), 0.2),
            Shape2::segment(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.2)),
            Shape2::half_plane(Vec2::new(0.2, 1.0), 0.1),
            Shape2::chain(&line).unwrap(),
            Shape2::height_field(4.0, &[0.0, 0.3, 0.1, 0.4, 0.2, 0.0]).unwrap(),
        ]
    }
}

impl Kinds for D3 {
    fn kinds() -> Vec<Shape3> {
        let points: Vec<Vec3> = (0..14_u8)
            .map(|i| {
                let (s, c) = sin_cos(2.4 * Real::from(i));
                let y = Real::from(i) / 7.0 - 0.93;
                Vec3::new(c, 0.0, s) * (0.5 * (1.0 - y * y).sqrt()) + Vec3::Y * (0.5 * y)
            })
            .collect();
        let torus = generate::torus(0.6, 0.25, 10, 6).unwrap();
        let heights: Vec<Real> = (0..30).map(|i| 0.1 * (i % 4) as Real).collect();
        vec![
            Shape3::sphere(0.4),
            Shape3::cuboid(0.9, 0.6, 0.7),
            Shape3::capsule(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.3, 0.1, 0.2), 0.2),
            Shape3::rounded_cylinder(0.8, 0.4, 0.05),
            Shape3::cone(0.9, 0.4),
            Shape3::hull(&points).unwrap(),
            Shape3::triangle(Vec3::new(-0.5, 0.0, -0.4), Vec3::new(0.5, 0.1, -0.4), Vec3::new(0.0, 0.2, 0.5)),
            Shape3::plane(Vec3::new(0.2, 1.0, -0.1), 0.1),
            Shape3::mesh(&torus.vertices, &torus.triangles).unwrap(),
            Shape3::height_field(Vec2::new(3.0, 3.0), 5, &heights).unwrap(),
        ]
    }
}

/// The convex shapes that a shape is made of: itself, or its children.
fn pieces<D: Dim>(shape: &D::Shape) -> Vec<D::Shape> {
    match shape.composite() {
        Some(composite) => (0..composite.child_count()).map(|i| composite.child(i)).collect(),
        None => vec![shape.clone()],
    }
}

/// Signed distance of two convex shapes, the larger of what their own normal proves and what random directions do; each is
/// less than or equal to the distance, and for shapes that are apart the points themselves bound it from above.
fn checked_distance<D: Dim>(a: &D::Shape, pa: &Pose<D>, b: &D::Shape, pb: &Pose<D>) -> Real {
    let c = closest_points::<D>(a, pa, b, pb).expect("bounded on one side at least");
    // How far a shape reaches along n, in the world.
    let reach = |shape: &D::Shape, pose: &Pose<D>, n: D::Vec| match shape.half_space() {
        Some((normal, offset)) => {
            let up = pose.rotation.rotate(normal);
            if up.dot(n) > 0.999_999 { offset + up.dot(pose.position.to_vec()) } else { Real::INFINITY }
        }
        None => {
            let core = shape.support(pose.rotation.rotate_inv(n)).expect("convex");
            pose.transform(core).to_vec().dot(n) + shape.rounding()
        }
    };
    let gap = |n: D::Vec| -reach(b, pb, -n) - reach(a, pa, n);
    let what = || format!("{} {}: {c:?}", a.kind(), b.kind());
    assert!((gap(c.normal) - c.distance).abs() < ROUNDING, "{}: gap {}", what(), gap(c.normal));
    if c.distance > 0.0 {
        assert!(((c.point_b - c.point_a).length() - c.distance).abs() < ROUNDING, "{}", what());
    } else {
        let mut random = Random(9);
        for _ in 0..30 {
            let n = random.vector::<D>(2.0).normalize_or(D::Vec::axis(0));
            assert!(gap(n) <= c.distance + ROUNDING, "{}: {} along {n:?}", what(), gap(n));
        }
    }
    c.distance
}

/// Signed distance by looking at all pieces; None for two half-spaces.
fn brute_distance<D: Dim>(a: &D::Shape, pa: &Pose<D>, b: &D::Shape, pb: &Pose<D>) -> Option<Real> {
    if a.half_space().is_some() && b.half_space().is_some() {
        return None;
    }
    let mut least = Real::INFINITY;
    for x in pieces::<D>(a) {
        for y in pieces::<D>(b) {
            least = least.min(checked_distance::<D>(&x, pa, &y, pb));
        }
    }
    Some(least)
}

/// What the pieces do not know: solid ground and closed meshes have an inside.
fn has_inside<D: Dim>(shape: &D::Shape) -> bool {
    shape.composite().is_some_and(|c| c.is_closed() || c.is_ground())
}

/// The cells of one pair: contacts, distance, cast; false if the pair cannot be asked.
fn try_pair<D: Dim>(a: &D::Shape, b: &D::Shape, random: &mut Random) -> [bool; 3] {
    let mut cells = [a.collides_with(b), true, true];
    for case in 0..CASES {
        let (pa, pb) = (random.pose::<D>(0.5), random.pose::<D>([0.6, 2.5][case % 2]));
        let what = format!("{} {} {pa:?} {pb:?}", a.kind(), b.kind());
        let got = closest_points::<D>(a, &pa, b, &pb);
        let Some(expected) = brute_distance::<D>(a, &pa, b, &pb) else {
            assert!(got.is_none(), "{what}");
            cells[1] = false;
            cells[2] = false;
            continue;
        };
        let got = got.unwrap_or_else(|| panic!("{what}: no distance"));
        // Deeper inside of something solid than its surface knows.
        let inside = got.distance < expected.min(0.0) && (has_inside::<D>(a) || has_inside::<D>(b));
        assert!(inside || (got.distance - expected).abs() < ROUNDING, "{what}: {got:?}, {expected} expected");
        if cells[0] {
            contacts::<D>(a, b, &pa.relative(pb), got.distance, expected, &what);
        }
        cast::<D>(a, &pa, b, &pb, random.vector::<D>(6.0), &what);
    }
    cells
}

/// Contacts by every algorithm against the signed distance.
fn contacts<D: Dim>(
    a: &D::Shape,
    b: &D::Shape,
    b_in_a: &Pose<D>,
    distance: Real,
    of_pieces: Real,
    what: &str,
) {
    let margin = 0.05;
    for algorithm in ALGORITHMS {
        let job = CollideJob { a, b, b_in_a: *b_in_a, margin, slop: 1e-5, algorithm };
        let mut out = LocalManifold::<D>::default();
        D::Shape::collide(&job, &mut PairCache::default(), &mut NarrowCounters::default(), &mut out);
        let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
        let what = format!("{algorithm:?} {what}: {distance} m, {out:?}");
        assert!(out.is_empty() || (out.normal.length() - 1.0).abs() < 1e-4, "{what}");
        // Ground pushes up what is below it, however deep; for distances it ends at its lowest point.
        let is_ground = [a, b].iter().any(|shape| shape.composite().is_some_and(|c| c.is_ground()));
        if is_ground && deepest < 0.0 {
            continue;
        }
        if distance > margin + ROUNDING {
            assert!(out.is_empty(), "{what}: contact without closeness");
        } else if a.composite().is_none() && b.composite().is_none() {
            // Sharp polyhedra that are apart report the gap of an axis, which may be less than the distance, or nothing.
            if distance <= 0.0 {
                assert!((deepest - distance).abs() < ROUNDING, "{what}: {deepest}");
            } else {
                assert!(deepest > -ROUNDING, "{what}: {deepest}");
            }
        } else if distance > 0.0 {
            // Children touch with their front sides only; nobody is deeper than its nearest child is near.
            assert!(deepest >= of_pieces.min(0.0) - ROUNDING, "{what}: {deepest}");
        }
    }
}

/// A cast against marching along the way; of shapes with children, against the casts of all of them.
fn cast<D: Dim>(a: &D::Shape, pa: &Pose<D>, b: &D::Shape, pb: &Pose<D>, way: D::Vec, what: &str) {
    let at = |t: Real| Pose::<D> { position: pa.position + way * t, rotation: pa.rotation };
    let hit = shape_cast::<D>(a, pa, way, b, pb, 1.0, 0.0);
    let what = format!("{what} along {way:?}: {hit:?}");
    assert!(hit.is_none_or(|hit| (hit.normal.length() - 1.0).abs() < 1e-4), "{what}");
    if a.composite().is_some() || b.composite().is_some() {
        let mut first = Real::INFINITY;
        for x in pieces::<D>(a) {
            for y in pieces::<D>(b) {
                let hit = shape_cast::<D>(&x, pa, way, &y, pb, 1.0, 0.0);
                first = first.min(hit.map_or(Real::INFINITY, |hit| hit.t));
            }
        }
        let got = hit.map_or(Real::INFINITY, |hit| hit.t);
        assert!(got == first || (got - first).abs() * way.length() < ROUNDING, "{what}: {first} by pieces");
        return;
    }
    let distance = |t: Real| closest_points::<D>(a, &at(t), b, pb).map_or(Real::INFINITY, |c| c.distance);
    let end = hit.map_or(1.0, |hit| hit.t);
    if let Some(hit) = hit {
        assert!(hit.t == 0.0 || distance(hit.t).abs() < ROUNDING, "{what}: {} m", distance(hit.t));
    }
    for k in 0..MARCH {
        let t = end * k as Real / MARCH as Real;
        assert!(end == 0.0 || distance(t) > -ROUNDING, "{what}: overlap of {} m at {t}", distance(t));
    }
}

/// Rays against marching along them; of shapes with children, against the rays at all of them.
fn rays<D: Dim>(shape: &D::Shape, random: &mut Random) {
    let mut hits = 0;
    for _ in 0..CASES * 4 {
        let origin = random.vector::<D>(5.0);
        let ray = LocalRay::<D> { origin, direction: random.vector::<D>(0.6) - origin, max: 2.0 };
        let hit = shape.ray_cast(&ray);
        let what = format!("{} {ray:?}: {hit:?}", shape.kind());
        if shape.contains(origin) {
            assert!(hit.is_some_and(|hit| hit.t == 0.0 && hit.normal == D::Vec::ZERO), "{what}");
            continue;
        }
        hits += u32::from(hit.is_some());
        assert!(hit.is_none_or(|hit| (hit.normal.length() - 1.0).abs() < 1e-4), "{what}");
        if shape.composite().is_some() {
            let of_pieces = pieces::<D>(shape).into_iter().filter_map(|piece| piece.ray_cast(&ray));
            let first = of_pieces.fold(Real::INFINITY, |t, hit| t.min(hit.t));
            let got = hit.map_or(Real::INFINITY, |hit| hit.t);
            let length = ray.direction.length();
            assert!(got == first || (got - first).abs() * length < ROUNDING, "{what}: {first} by pieces");
            continue;
        }
        let distance = |t: Real| {
            let p = D::Point::from_vec(origin + ray.direction * t);
            point_shape::<D>(p, shape, &Pose::IDENTITY).map_or(Real::INFINITY, |c| c.distance)
        };
        let end = hit.map_or(ray.max, |hit| hit.t);
        assert!(hit.is_none() || distance(end).abs() < ROUNDING, "{what}: {} m", distance(end));
        for k in 0..MARCH {
            let t = end * k as Real / MARCH as Real;
            assert!(distance(t) > -ROUNDING, "{what}: inside at {t}");
        }
    }
    assert!(hits > 5, "{}: {hits} hits", shape.kind());
}

fn tables<D: Kinds>(title: &str) -> String {
    let kinds = D::kinds();
    let mut random = Random(77);
    kinds.iter().for_each(|shape| rays::<D>(shape, &mut random));
    let cells: Vec<Vec<[bool; 3]>> =
        kinds.iter().map(|a| kinds.iter().map(|b| try_pair::<D>(a, b, &mut random)).collect()).collect();
    let mut out = format!("## {title}\n");
    let head: String = kinds.iter().map(|shape| format!(" {} |", shape.kind())).collect();
    let rule = "---|".repeat(kinds.len() + 1);
    for (which, name) in ["contacts", "distance", "shape cast"].iter().enumerate() {
        let _ = writeln!(out, "\n**{name}**\n\n| |{head}\n|{rule}");
        for (row, shape) in kinds.iter().enumerate() {
            let cells: String =
                cells[row].iter().map(|cell| if cell[which] { " ✓ |" } else { " – |" }).collect();
            let _ = writeln!(out, "| {} |{cells}", shape.kind());
        }
    }
    let list: Vec<_> = kinds.iter().map(|shape| shape.kind()).collect();
    let _ = writeln!(out, "\n**ray**: {}.\n", list.join(", "));
    out
}

#[test]
fn every_cell_of_the_matrix_holds_and_the_page_says_so() {
    let mut page = String::from(
        "# What can be asked of which pair\n\nWritten by a test that tries every cell against brute force (`crates/topple/tests/queries/pairs.rs`; `UPDATE_EXPECT=1`\nwrites it anew). Meshes, height fields and chains are compared with all their\nchildren in f64 besides (`crates/topple/tests/queries/composites.rs`). ✓: tested, in this order of the pair; under contacts by every narrow phase. –: no question, because neither of the two\ncan move (contacts), or because both are half-spaces, which are nowhere apart or everywhere (distance, shape cast).\n\n",
    );
    page += &tables::<D2>("The plane");
    page += &tables::<D3>("Space");
    let page = page.trim_end().to_owned() + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert_eq!(
        written, page,
        "docs/narrow-phases/pairs.md is out of date: run this test with UPDATE_EXPECT=1"
    );
}
