//! Shapes with children against brute force over all of them, computed in f64: contacts, rays and shape casts.
//!
//! The reference knows corners of triangles and segments, and of the other shape the farthest points of its core and its rounding.

use crate::Random;
use topple::math::*;
use topple::narrow_phase::{CollideJob, LocalManifold, NarrowCounters, PairCache};
use topple::shape::d3::mesh::generate;
use topple::shape::{LocalRay, ShapeOps};
use topple::{Shape2, Shape3, distance::shape_cast};

type V = [f64; 3];

/// How far contacts look ahead [m].
const MARGIN: f64 = 0.02;
/// Agreement of distances and depths [m]: 1e-4 of the sizes here, plus the rounding of f32 at coordinates of some metres.
const TOLERANCE: f64 = 2e-4;
/// Where two edges meet askew, or an edge and a corner, a child may push along its own normal instead of the way of the least
/// distance: then separations may differ by this much [m] at the margins and depths here. It is rare.
const ASKEW: f64 = 4e-3;
/// Share of all contacts that must agree to within [`TOLERANCE`].
const USUALLY: f64 = 0.97;
/// Cosine of the angle between a contact's normal and the way of the least distance.
const ALONG: f64 = 0.9;
/// Poses tried for every pair; casts; rays at every shape.
const CASES: usize = 24;
const CASTS: usize = 5;
const RAYS: usize = 300;
/// Distances that are tried, signed [m]. The last four are rarely shallow enough for shapes without rounding.
const WANTED: [f64; 8] = [0.001, 0.012, 0.019, 0.023, 0.1, -0.001, -0.004, -0.01];

fn add(a: V, b: V, s: f64) -> V {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
fn sub(a: V, b: V) -> V {
    add(a, b, -1.0)
}
fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}
fn wide<D: Dim>(v: D::Vec) -> V {
    let mut out = [0.0; 3];
    (0..D::N).for_each(|i| out[i] = f64::from(v.get(i)));
    out
}
fn narrow<D: Dim>(v: V) -> D::Vec {
    let mut out = D::Vec::ZERO;
    (0..D::N).for_each(|i| out.set(i, v[i] as Real));
    out
}

/// The point of the hull of `points` that is closest to the origin, and the points it lies between: by trying all subsets.
fn nearest_of(points: &[V]) -> (V, Vec<V>) {
    let mut best = (f64::INFINITY, [0.0; 3], Vec::new());
    for subset in 1..1_u32 << points.len() {
        let chosen: Vec<V> =
            points.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1).map(|(_, p)| *p).collect();
        let Some(weights) = weights_of(&chosen) else { continue };
        if weights.iter().any(|w| *w < -1e-12) {
            continue;
        }
        let point = chosen.iter().zip(&weights).fold([0.0; 3], |sum, (p, w)| add(sum, *p, *w));
        if dot(point, point) < best.0 {
            best = (dot(point, point), point, chosen);
        }
    }
    (best.1, best.2)
}

/// Weights with sum 1 that bring the points as close to the origin as any do; None if the points depend on each other.
fn weights_of(points: &[V]) -> Option<Vec<f64>> {
    let (first, rest) = points.split_first()?;
    let edges: Vec<V> = rest.iter().map(|p| sub(*p, *first)).collect();
    let n = edges.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = edges.iter().map(|e| dot(*e, edges[i])).collect();
            row.push(-dot(*first, edges[i]));
            row
        })
        .collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        if rows[i][i].abs() < 1e-15 {
            return None;
        }
        for k in 0..n {
            if k != i {
                let factor = rows[k][i] / rows[i][i];
                for j in i..=n {
                    rows[k][j] -= factor * rows[i][j];
                }
            }
        }
    }
    let mut weights: Vec<f64> = (0..n).map(|i| rows[i][n] / rows[i][i]).collect();
    weights.insert(0, 1.0 - weights.iter().sum::<f64>());
    Some(weights)
}

/// From the corners of a child to the core of a convex shape: how far, and which way. Zero if they overlap.
fn gap_of_core(corners: &[V], core: &dyn Fn(V) -> V) -> (f64, V) {
    let farthest = |n: V| {
        let support = corners.iter().max_by(|a, b| dot(**a, n).total_cmp(&dot(**b, n)));
        support.copied().unwrap_or_default()
    };
    let difference = |n: V| sub(core(n), farthest(sub([0.0; 3], n)));
    let mut simplex = vec![difference([1.0, 0.3, 0.2])];
    let mut nearest = simplex[0];
    for _ in 0..200 {
        let distance = length(nearest);
        if distance < 1e-9 {
            return (0.0, [0.0; 3]);
        }
        let next = difference(sub([0.0; 3], nearest));
        if dot(nearest, sub(nearest, next)) < 1e-10 * distance || simplex.contains(&next) {
            break;
        }
        simplex.push(next);
        (nearest, simplex) = nearest_of(&simplex);
    }
    let distance = length(nearest);
    (distance, add([0.0; 3], nearest, 1.0 / distance.max(1e-300)))
}

/// A shape with children, as the reference sees it.
struct Children<D: Dim> {
    shape: D::Shape,
    corners: Vec<Vec<V>>,
    normals: Vec<V>,
    /// All of them are the surface of a convex body.
    is_convex: bool,
}

impl<D: Kinds> Children<D> {
    fn new(shape: D::Shape, is_convex: bool) -> Self {
        let composite = shape.composite().expect("has children");
        let (mut all, mut normals) = (Vec::new(), Vec::new());
        for i in 0..composite.child_count() {
            let corners = D::corners(&composite.child(i));
            normals.push(normal_of(&corners));
            all.push(corners);
        }
        Self { corners: all, normals, shape: shape.clone(), is_convex }
    }

    /// The child nearest to a convex shape: number, signed distance as far as cores are apart, and which way.
    fn nearest(&self, b: &D::Shape, pose: &Pose<D>) -> (usize, f64, V) {
        let core = |n: V| {
            let local = pose.rotation.rotate_inv(narrow::<D>(n));
            wide::<D>(pose.transform(b.support(local).expect("convex")).to_vec())
        };
        // What is farther than something else by its sphere alone is not looked at.
        let bounds = b.aabb(pose);
        let (middle, reach) = (
            wide::<D>((bounds.min.to_vec() + bounds.max.to_vec()) * 0.5),
            0.5 * length(wide::<D>(bounds.max - bounds.min)),
        );
        let mut best = (0, f64::INFINITY, [0.0; 3]);
        for (i, corners) in self.corners.iter().enumerate() {
            let size = corners[1..].iter().map(|c| length(sub(*c, corners[0]))).fold(0.0, f64::max);
            if length(sub(corners[0], middle)) - size - reach > best.1 {
                continue;
            }
            let (gap, way) = gap_of_core(corners, &core);
            if gap < best.1 {
                best = (i, gap, way);
            }
        }
        (best.0, best.1 - f64::from(b.rounding()), best.2)
    }
}

/// Signed distance of two convex polytopes by their corners: the largest gap along any line across two edges, which all
/// connections of two corners are taken for.
fn gap_of_corners<D: Dim>(a: &[Vec<V>], b: &[V]) -> f64 {
    let between = |corners: &[V]| -> Vec<V> {
        let pairs = corners.iter().enumerate().flat_map(|(i, p)| corners[..i].iter().map(|q| sub(*p, *q)));
        pairs.collect()
    };
    let edges_a: Vec<Vec<V>> = a.iter().map(|corners| between(corners)).collect();
    let edges_b = between(b);
    let mut best = f64::NEG_INFINITY;
    let mut test = |axis: V| {
        let size = length(axis);
        if size > 1e-9 {
            for n in [1.0 / size, -1.0 / size].map(|s| add([0.0; 3], axis, s)) {
                let top = a.iter().flatten().map(|p| dot(*p, n)).fold(f64::NEG_INFINITY, f64::max);
                let bottom = b.iter().map(|p| dot(*p, n)).fold(f64::INFINITY, f64::min);
                best = best.max(bottom - top);
            }
        }
    };
    if D::N == 2 {
        edges_a.iter().flatten().chain(&edges_b).for_each(|e| test([e[1], -e[0], 0.0]));
        return best;
    }
    a.iter().for_each(|corners| test(normal_of(corners)));
    for (i, e) in edges_b.iter().enumerate() {
        edges_b[..i].iter().for_each(|f| test(cross(*e, *f)));
        edges_a.iter().flatten().for_each(|f| test(cross(*e, *f)));
    }
    best
}

/// The corners of a polytope, found by looking in many directions.
fn corners_of<D: Dim>(shape: &D::Shape, pose: &Pose<D>) -> Vec<V> {
    let mut random = Random(5);
    let mut out: Vec<V> = Vec::new();
    for _ in 0..500 {
        let local = shape.support(random.vector::<D>(2.0)).expect("convex");
        let corner = wide::<D>(pose.transform(local).to_vec());
        if !out.contains(&corner) {
            out.push(corner);
        }
    }
    out
}

/// The normal to the right of a segment's way, or of a triangle with corners counter-clockwise.
fn normal_of(corners: &[V]) -> V {
    let edge = sub(corners[1], corners[0]);
    let normal = match corners.get(2) {
        None => [edge[1], -edge[0], 0.0],
        Some(third) => cross(edge, sub(*third, corners[0])),
    };
    add([0.0; 3], normal, 1.0 / length(normal))
}

trait Kinds: Dim {
    fn corners(child: &Self::Shape) -> Vec<V>;
    /// Shapes with children, and whether these are the surface of a convex body.
    fn composites() -> Vec<(Self::Shape, bool)>;
    fn convex() -> Vec<Self::Shape>;
}

impl Kinds for D2 {
    fn corners(child: &Shape2) -> Vec<V> {
        let Shape2::Segment { a, b } = child else { panic!("{child:?}") };
        vec![wide::<D2>(*a), wide::<D2>(*b)]
    }
    fn composites() -> Vec<(Shape2, bool)> {
        let line: Vec<Vec2> =
            (0..13).map(|i| Vec2::new(1.8 - 0.3 * i as Real, 0.2 * (i % 3) as Real)).collect();
        let ring: Vec<Vec2> = (0..7).map(|i| Vec2::from_angle(0.9 * i as Real) * 0.8).collect();
        vec![
            (Shape2::chain(&line).unwrap(), false),
            (Shape2::chain_loop(&ring).unwrap(), true),
            (Shape2::height_field(4.0, &[0.0, 0.3, 0.1, 0.4, 0.2, 0.0]).unwrap(), false),
        ]
    }
    fn convex() -> Vec<Shape2> {
        let corners = [(-0.2, -0.15), (0.25, -0.1), (0.15, 0.2), (-0.1, 0.25)].map(|(x, y)| Vec2::new(x, y));
        vec![
            Shape2::circle(0.2),
            Shape2::capsule(Vec2::new(-0.15, 0.0), Vec2::new(0.15, 0.05), 0.1),
            Shape2::rounded_rectangle(0.5, 0.3, 0.05),
            Shape2::rounded_polygon(&corners, 0.05).unwrap(),
            Shape2::rectangle(0.5, 0.3),
            Shape2::polygon(&corners).unwrap(),
            Shape2::segment(Vec2::new(-0.25, 0.0), Vec2::new(0.25, 0.1)),
        ]
    }
}

impl Kinds for D3 {
    fn corners(child: &Shape3) -> Vec<V> {
        let Shape3::Triangle { a, b, c } = child else { panic!("{child:?}") };
        vec![wide::<D3>(*a), wide::<D3>(*b), wide::<D3>(*c)]
    }
    fn composites() -> Vec<(Shape3, bool)> {
        let mesh = |surface: generate::Surface| Shape3::mesh(&surface.vertices, &surface.triangles).unwrap();
        let heights: Vec<Real> = (0..30).map(|i| 0.1 * (i % 4) as Real).collect();
        vec![
            (mesh(generate::torus(0.6, 0.25, 10, 6).unwrap()), false),
            (mesh(generate::icosphere(0.7, 1).unwrap()), true),
            (mesh(generate::terrain(Vec2::splat(3.0), [6, 6], |x, z| 0.2 * (x * x - z)).unwrap()), false),
            (Shape3::height_field(Vec2::splat(3.0), 5, &heights).unwrap(), false),
        ]
    }
    fn convex() -> Vec<Shape3> {
        let points: Vec<Vec3> = (0..14_u8)
            .map(|i| {
                let (s, c) = sin_cos(2.4 * Real::from(i));
                let y = Real::from(i) / 7.0 - 0.93;
                Vec3::new(c, 0.0, s) * (0.25 * (1.0 - y * y).sqrt()) + Vec3::Y * (0.25 * y)
            })
            .collect();
        vec![
            Shape3::sphere(0.2),
            Shape3::capsule(Vec3::new(-0.15, 0.0, 0.0), Vec3::new(0.15, 0.05, 0.1), 0.1),
            Shape3::rounded_cuboid(0.45, 0.3, 0.35, 0.05),
            Shape3::rounded_cylinder(0.4, 0.2, 0.05),
            Shape3::rounded_cone(0.4, 0.2, 0.05),
            Shape3::rounded_hull(&points, 0.05).unwrap(),
            Shape3::cuboid(0.45, 0.3, 0.35),
            Shape3::cylinder(0.4, 0.2),
            Shape3::cone(0.45, 0.2),
            Shape3::hull(&points).unwrap(),
            Shape3::triangle(
                Vec3::new(-0.25, 0.0, -0.2),
                Vec3::new(0.25, 0.05, -0.2),
                Vec3::new(0.0, 0.1, 0.25),
            ),
        ]
    }
}

/// A pose over a random place of a random child, at about the distance wanted from the nearest one; None if it is in the
/// way of others there.
fn place<D: Kinds>(a: &Children<D>, b: &D::Shape, wanted: f64, random: &mut Random) -> Option<Pose<D>> {
    let child = (random.next() * a.corners.len() as f32) as usize % a.corners.len();
    let weights: Vec<f64> = a.corners[child].iter().map(|_| f64::from(random.next()) + 0.01).collect();
    let sum: f64 = weights.iter().sum();
    let at = a.corners[child].iter().zip(&weights).fold([0.0; 3], |at, (c, w)| add(at, *c, w / sum));
    let mut pose = random.pose::<D>(0.0);
    pose.position = D::Point::from_vec(narrow::<D>(add(at, a.normals[child], 0.6)));
    let (_, distance, way) = a.nearest(b, &pose);
    let moved = add(wide::<D>(pose.position.to_vec()), way, wanted - distance);
    pose.position = D::Point::from_vec(narrow::<D>(moved));
    (distance > 0.0).then_some(pose)
}

/// Contacts exist exactly where the distance says so, are as deep, and push to the front.
fn contacts<D: Kinds>() {
    let mut random = Random(3);
    let (mut looked_at, mut exact, mut overlaps) = (0, 0, 0);
    for (shape, is_convex) in D::composites() {
        let a = Children::<D>::new(shape, is_convex);
        for b in D::convex() {
            for case in 0..CASES {
                let Some(pose) = place(&a, &b, WANTED[case % WANTED.len()], &mut random) else { continue };
                let (near, mut distance, way) = a.nearest(&b, &pose);
                let is_round = distance > TOLERANCE - f64::from(b.rounding());
                if !is_round {
                    // The cores overlap: the depth is known of polytopes alone.
                    if !a.is_convex || ["cylinder", "cone"].contains(&b.kind()) {
                        continue;
                    }
                    distance = gap_of_corners::<D>(&a.corners, &corners_of::<D>(&b, &pose));
                    overlaps += 1;
                }
                // Children touch with their front sides only.
                let middle = wide::<D>(pose.transform(b.middle()).to_vec());
                if dot(a.normals[near], sub(middle, a.corners[near][0])) < ASKEW {
                    continue;
                }
                for algorithm in crate::pairs::ALGORITHMS {
                    let margin = MARGIN as Real;
                    let job = CollideJob { a: &a.shape, b: &b, b_in_a: pose, margin, slop: 1e-5, algorithm };
                    let mut out = LocalManifold::<D>::default();
                    let (mut cache, mut counters) = (PairCache::default(), NarrowCounters::default());
                    D::Shape::collide(&job, &mut cache, &mut counters, &mut out);
                    let deepest = out.points().iter().fold(Real::INFINITY, |d, p| d.min(p.separation));
                    let difference = f64::from(deepest) - distance;
                    let what = || {
                        format!(
                            "{algorithm:?} {} {} {pose:?}: {distance} m expected, {out:?}",
                            a.shape.kind(),
                            b.kind()
                        )
                    };
                    looked_at += 1;
                    if distance > MARGIN + TOLERANCE {
                        assert!(out.is_empty(), "{}: contact without closeness", what());
                    }
                    if out.is_empty() {
                        assert!(distance > MARGIN - ASKEW, "{}: no contact", what());
                        exact += usize::from(distance > MARGIN - TOLERANCE);
                        continue;
                    }
                    assert!(difference.abs() < ASKEW, "{}: differs by {difference} m", what());
                    exact += usize::from(difference.abs() < TOLERANCE);
                    let normal = wide::<D>(out.normal);
                    assert!((length(normal) - 1.0).abs() < 1e-4, "{}: normal", what());
                    assert!(dot(normal, a.normals[near]) > -TOLERANCE, "{}: pushes to the back", what());
                    assert!(!is_round || dot(normal, way) > ALONG, "{}: not along {way:?}", what());
                }
            }
        }
    }
    let share = exact as f64 / looked_at as f64;
    assert!(share > USUALLY, "{exact} of {looked_at} contacts agree");
    assert!(looked_at > 500 * D::N && overlaps > 10, "{looked_at} contacts, {overlaps} overlaps");
}

/// Casts stop where the distance from the nearest child is first zero.
fn casts<D: Kinds>() {
    let mut random = Random(4);
    let mut hits = 0;
    for (shape, is_convex) in D::composites() {
        let a = Children::<D>::new(shape, is_convex);
        for b in D::convex() {
            for _ in 0..CASTS {
                let Some(start) = place(&a, &b, 0.4, &mut random) else { continue };
                // About to the middle, mostly.
                let way = random.vector::<D>(2.0) - start.position.to_vec() * 1.3;
                let speed = length(wide::<D>(way));
                let at = |t: f64| Pose::<D> {
                    position: start.position + way * t as Real,
                    rotation: start.rotation,
                };
                let distance = |t: f64| a.nearest(&b, &at(t)).1;
                // No step is longer than the way that is surely free.
                let mut first = 0.0;
                for _ in 0..300 {
                    let free = distance(first);
                    if free < 0.1 * TOLERANCE || first > 1.0 {
                        break;
                    }
                    first += free / speed;
                }
                let hit = shape_cast::<D>(&b, &start, way, &a.shape, &Pose::IDENTITY, 1.0, 0.0);
                let what = || {
                    format!("{} at {} {start:?} {way:?}: {hit:?}, {first} expected", b.kind(), a.shape.kind())
                };
                match hit {
                    Some(hit) => {
                        let t = f64::from(hit.t);
                        assert!((t - first) * speed > -TOLERANCE, "{}: too early", what());
                        assert!(distance(t).abs() < TOLERANCE, "{}: {} m", what(), distance(t));
                        // It may have grazed something, no deeper than rounding.
                        let before = distance(first + 0.5 * (t - first));
                        assert!(before > -TOLERANCE, "{}: {before} m before", what());
                        hits += 1;
                    }
                    None if first < 1.0 => {
                        let deep = (1..20).map(|k| distance(first + 1e-3 * f64::from(k) / speed));
                        let deepest = deep.fold(f64::INFINITY, f64::min);
                        assert!(deepest > -TOLERANCE, "{}: missed, {deepest} m deep", what());
                    }
                    None => {}
                }
            }
        }
    }
    assert!(hits > 40 * D::N, "{hits} hits");
}

/// Where a ray crosses a child, and how far from its border in shares of its size, negative outside.
fn crossing<D: Dim>(corners: &[V], normal: V, origin: V, direction: V) -> Option<(f64, f64)> {
    let slope = dot(normal, direction);
    let t = dot(normal, sub(corners[0], origin)) / slope;
    let p = add(origin, direction, t);
    if D::N == 2 {
        let edge = sub(corners[1], corners[0]);
        let share = dot(sub(p, corners[0]), edge) / dot(edge, edge);
        return t.is_finite().then_some((t, share.min(1.0 - share)));
    }
    let area = |a: V, b: V, c: V| dot(normal, cross(sub(b, a), sub(c, a)));
    let all = area(corners[0], corners[1], corners[2]);
    let inside =
        (0..3).map(|i| area(corners[i], corners[(i + 1) % 3], p) / all).fold(f64::INFINITY, f64::min);
    t.is_finite().then_some((t, inside))
}

/// Rays hit what they cross first.
fn rays<D: Kinds>() {
    /// Closer than this to the border of a child (share of its size), or so flat, rounding decides.
    const GRAZE: f64 = 1e-5;
    let mut random = Random(6);
    for (shape, is_convex) in D::composites() {
        let a = Children::<D>::new(shape, is_convex);
        let mut hits = 0;
        for _ in 0..RAYS {
            let origin = random.vector::<D>(5.0);
            let direction = random.vector::<D>(1.5) - origin;
            if a.shape.contains(origin) {
                continue;
            }
            let (from, along) = (wide::<D>(origin), wide::<D>(direction));
            let (mut first, mut front, mut is_close) = (f64::INFINITY, 0.0, false);
            for (corners, normal) in a.corners.iter().zip(&a.normals) {
                let Some((t, inside)) = crossing::<D>(corners, *normal, from, along) else { continue };
                if !(0.0..=2.0).contains(&t) {
                    continue;
                }
                is_close |= inside.abs() < GRAZE || dot(*normal, along).abs() < GRAZE;
                if inside > 0.0 && t < first {
                    (first, front) = (t, dot(*normal, along));
                }
            }
            let hit = a.shape.ray_cast(&LocalRay::<D> { origin, direction, max: 2.0 });
            let t = hit.map_or(f64::INFINITY, |hit| f64::from(hit.t));
            let what = format!("{} {origin:?} {direction:?}: {hit:?}, {first} expected", a.shape.kind());
            if is_close {
                continue;
            }
            assert!(t == first || (t - first).abs() * length(along) < TOLERANCE, "{what}");
            if let Some(hit) = hit {
                assert!(dot(wide::<D>(hit.normal), along) < 0.0, "{what}: normal along the ray, {front}");
                hits += 1;
            }
        }
        assert!(hits > RAYS / 10, "{}: {hits} hits", a.shape.kind());
    }
}

#[test]
fn contacts_are_those_of_all_children_2d() {
    contacts::<D2>();
}

#[test]
fn contacts_are_those_of_all_children_3d() {
    contacts::<D3>();
}

#[test]
fn casts_stop_at_the_first_child_2d() {
    casts::<D2>();
}

#[test]
fn casts_stop_at_the_first_child_3d() {
    casts::<D3>();
}

#[test]
fn rays_hit_the_first_child_2d() {
    rays::<D2>();
}

#[test]
fn rays_hit_the_first_child_3d() {
    rays::<D3>();
}
