//! Distances of points, segments and triangles: each answer is checked by the plane that proves it, in f64.

use crate::support::*;
use proptest::prelude::*;
use topple::D3;
use topple::distance::*;
use topple::math::*;

/// Rounding of f32 answers about things of size 1 [m].
const ROUNDING: f64 = 2e-6;

/// Elements with awkward ones among them: on a grid, flat, without length or area, far apart in size.
fn corners(random: &mut Random, count: usize) -> Vec<Vec3> {
    let kind = random.bits() % 6;
    let mut list: Vec<Vec3> = (0..count).map(|_| random.vec(1.0)).collect();
    match kind {
        0 => list.iter_mut().for_each(|p| *p = (*p * 2.0).round() * 0.5),
        1 => list.iter_mut().for_each(|p| p.y = 0.25),
        2 => (1..count).for_each(|i| list[i] = list[0] + (list[1] - list[0]) * random.range(-1.0, 1.0)),
        3 => list.iter_mut().for_each(|p| *p = random.vec(1.0) * 1e-3),
        4 => list[count - 1] = list[0],
        _ => {}
    }
    list
}

/// True if `p` is on the element, within rounding: the lengths to both ends of a segment add up to its own, the areas of the three
/// triangles with two corners to that of the whole.
fn holds(corners: &[Vec3], p: Vec3) -> bool {
    let way = |q: Vec3| sub(wide(q), wide(p));
    match *corners {
        [q] => length(way(q)) < 1e-6,
        [q, r] => length(way(q)) + length(way(r)) < length(sub(wide(r), wide(q))) + 1e-6,
        [q, r, s] => {
            let edges = [[q, r], [r, s], [s, q]];
            let area = |u: V, v: V| length(cross(u, v));
            let parts: f64 = edges.iter().map(|e| area(way(e[0]), way(e[1]))).sum();
            let whole = area(sub(wide(r), wide(q)), sub(wide(s), wide(q)));
            let size = edges.iter().map(|e| length(sub(wide(e[1]), wide(e[0])))).fold(0.0, f64::max);
            edges.iter().any(|e| holds(e, p)) || (whole > 0.0 && parts < whole + 1e-6 * size)
        }
        _ => false,
    }
}

/// The points lie on the elements, and no two others are closer: the planes across the way between them have one
/// element behind and the other in front.
fn check(a: &[Vec3], b: &[Vec3], got: &Nearest<D3>) {
    let what = format!("{a:?} {b:?} {got:?}");
    assert!(got.on_a.is_finite() && got.on_b.is_finite() && got.distance >= 0.0, "{what}");
    let way = sub(wide(got.on_b), wide(got.on_a));
    let distance = f64::from(got.distance);
    assert!((length(way) - distance).abs() < ROUNDING, "{what}");
    assert!(holds(a, got.on_a) && holds(b, got.on_b), "{what}: not on the elements");
    if distance > 1e-3 {
        let n = scale(way, 1.0 / length(way));
        let highest = a.iter().map(|&p| dot(wide(p), n)).fold(f64::NEG_INFINITY, f64::max);
        let lowest = b.iter().map(|&p| dot(wide(p), n)).fold(f64::INFINITY, f64::min);
        // The direction of two rounded points is off by their rounding over their distance.
        let slack = ROUNDING * (1.0 + 4.0 / distance);
        assert!(lowest - highest > distance - slack, "{what}: {} proven", lowest - highest);
    }
}

#[test]
fn closest_points_of_elements_are_proven_by_planes() {
    let mut random = Random::new(71);
    for _ in 0..4_000 {
        let (p, s, t) = (corners(&mut random, 1), corners(&mut random, 2), corners(&mut random, 2));
        let (x, y) = (corners(&mut random, 3), corners(&mut random, 3));
        let (s2, t2) = ([s[0], s[1]], [t[0], t[1]]);
        let (x3, y3) = ([x[0], x[1], x[2]], [y[0], y[1], y[2]]);
        check(&p, &s, &point_segment::<D3>(p[0], s2));
        check(&p, &x, &point_triangle::<D3>(p[0], x3));
        check(&s, &t, &segment_segment::<D3>(s2, t2));
        check(&s, &x, &segment_triangle::<D3>(s2, x3));
        check(&x, &y, &triangle_triangle::<D3>(x3, y3));
    }
}

#[test]
fn planes_are_as_far_as_the_formula_says() {
    let mut random = Random::new(72);
    for _ in 0..1_000 {
        let (p, n, offset) =
            (random.vec(2.0), random.direction() * random.range(0.1, 5.0), random.range(-2.0, 2.0));
        let (distance, foot) = point_plane::<D3>(p, n, offset);
        let expected = (dot(wide(p), wide(n)) - f64::from(offset)) / length(wide(n));
        assert!((f64::from(distance) - expected).abs() < 1e-5, "{p:?} {n:?} {offset}");
        assert!((f64::from(n.dot(foot)) - f64::from(offset)).abs() < 1e-4 * f64::from(n.length()).max(1.0));
    }
    assert_eq!(point_plane::<D3>(Vec3::ONE, Vec3::ZERO, 1.0), (0.0, Vec3::ONE));
}

/// Points in which the edges of `a` pass through `b`, by signed volumes.
fn crossings(a: [Vec3; 3], b: [Vec3; 3]) -> Vec<V> {
    let [p, q, r] = b.map(wide);
    let n = cross(sub(q, p), sub(r, p));
    let mut found = Vec::new();
    for k in 0..3 {
        let (s, t) = (wide(a[k]), wide(a[(k + 1) % 3]));
        let (x, y) = (dot(sub(s, p), n), dot(sub(t, p), n));
        if x * y >= 0.0 {
            continue;
        }
        let at = add(s, scale(sub(t, s), x / (x - y)));
        let inside =
            [(p, q), (q, r), (r, p)].iter().all(|&(u, v)| dot(cross(sub(v, u), sub(at, u)), n) >= 0.0);
        if inside {
            found.push(at);
        }
    }
    found
}

#[test]
fn triangles_meet_where_their_edges_pass_through_each_other() {
    let mut random = Random::new(73);
    let (mut meeting, mut apart) = (0, 0);
    for _ in 0..20_000 {
        let mut triangle = || [random.vec(1.0), random.vec(1.0), random.vec(1.0)];
        let (a, b) = (triangle(), triangle());
        let mut ends = crossings(a, b);
        ends.extend(crossings(b, a));
        match triangle_intersection(a, b) {
            Some(TriangleIntersection::Segment(got)) => {
                meeting += 1;
                assert_eq!(ends.len(), 2, "{a:?} {b:?} {got:?}");
                let off = |x: Vec3, y: V| length(sub(wide(x), y));
                let error = (off(got[0], ends[0]) + off(got[1], ends[1]))
                    .min(off(got[0], ends[1]) + off(got[1], ends[0]));
                // Nearly parallel planes: a small error of height is a large one along the line.
                assert!(error < 1e-5, "{a:?} {b:?} {got:?} {ends:?}");
                assert!(triangle_triangle::<D3>(a, b).distance < 1e-6);
            }
            None => {
                apart += 1;
                assert!(ends.is_empty(), "{a:?} {b:?} {ends:?}");
                assert!(triangle_triangle::<D3>(a, b).distance > 0.0);
            }
            Some(region) => panic!("{region:?} of {a:?} {b:?}"),
        }
    }
    assert!(meeting > 2_000 && apart > 2_000, "{meeting} {apart}");
}

#[test]
fn triangles_in_one_plane_share_the_part_that_counting_points_finds() {
    let mut random = Random::new(74);
    let side = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(r - p).y;
    let inside = |t: &[Vec3; 3], p: Vec3| {
        let s = [side(t[0], t[1], p), side(t[1], t[2], p), side(t[2], t[0], p)];
        s.iter().all(|&x| x >= 0.0) || s.iter().all(|&x| x <= 0.0)
    };
    let mut shared = 0;
    for _ in 0..200 {
        let mut triangle = || [0; 3].map(|_| random.vec(1.0) * Vec3::new(1.0, 0.0, 1.0));
        let (a, b) = (triangle(), triangle());
        let area = match triangle_intersection(a, b) {
            Some(TriangleIntersection::Region { corners, count }) => {
                assert!(count <= MAX_COMMON_CORNERS);
                shared += 1;
                (2..count).map(|k| 0.5 * side(corners[0], corners[k - 1], corners[k])).sum::<f32>().abs()
            }
            None => 0.0,
            Some(other) => panic!("{other:?}"),
        };
        let n = 100;
        let at = |i: i32| (i as f32 + 0.5) / n as f32 * 2.0 - 1.0;
        let points = (0..n * n).map(|i| Vec3::new(at(i % n), 0.0, at(i / n)));
        let counted =
            points.filter(|&p| inside(&a, p) && inside(&b, p)).count() as f32 * 4.0 / (n * n) as f32;
        assert!((area - counted).abs() < 0.04, "{a:?} {b:?}: {area} instead of {counted}");
    }
    assert!(shared > 50, "{shared}");
    // Side by side along an edge, and in a corner.
    let t = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let mirrored = [Vec3::ZERO, Vec3::X, -Vec3::Z];
    assert!(matches!(
        triangle_intersection(t, mirrored),
        Some(TriangleIntersection::Region { count: 2, .. })
    ));
    let away = [Vec3::ZERO, -Vec3::X, -Vec3::Z];
    assert!(matches!(triangle_intersection(t, away), Some(TriangleIntersection::Region { count: 1, .. })));
}

#[test]
fn points_are_as_far_from_shapes_as_small_balls_are() {
    let mut random = Random::new(75);
    for shape in crate::shapes::samples() {
        for _ in 0..100 {
            let (p, pose) = (random.vec(2.0), random.pose(0.5));
            let got = point_shape::<D3>(p.into(), &shape, &pose).unwrap();
            let inside = shape_contains(&shape, &pose, p);
            assert_eq!(got.distance < 0.0, inside && got.distance != 0.0, "{shape:?} {p:?} {got:?}");
            assert!(
                (got.point_b - Point3::from(p)).length() - got.distance.abs() < 1e-4,
                "{shape:?} {got:?}"
            );
        }
    }
}

fn shape_contains(shape: &topple::Shape3, pose: &Pose<D3>, p: Vec3) -> bool {
    use topple::shape::ShapeOps;
    shape.contains(pose.inverse_transform(p.into()))
}

/// Any numbers, the awkward ones more often than chance would have it.
fn any_vec() -> impl Strategy<Value = Vec3> {
    let number =
        || prop_oneof![Just(0.0_f32), Just(1.0), Just(-1.0), Just(1e-20), Just(1e15), -10.0_f32..10.0];
    (number(), number(), number()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

proptest! {
    #[test]
    fn elements_of_any_kind_give_finite_answers(v in proptest::collection::vec(any_vec(), 6)) {
        let (a, b) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
        for got in [
            point_segment::<D3>(v[0], [v[1], v[2]]),
            point_triangle::<D3>(v[0], b),
            segment_segment::<D3>([v[0], v[1]], [v[2], v[3]]),
            segment_triangle::<D3>([v[0], v[1]], b),
            triangle_triangle::<D3>(a, b),
        ] {
            prop_assert!(got.distance >= 0.0 && got.distance.is_finite(), "{got:?}");
            prop_assert!(got.on_a.is_finite() && got.on_b.is_finite(), "{got:?}");
        }
        match triangle_intersection(a, b) {
            Some(TriangleIntersection::Segment([p, q])) => prop_assert!(p.is_finite() && q.is_finite()),
            Some(TriangleIntersection::Region { corners, count }) => {
                prop_assert!(count >= 1 && corners[..count].iter().all(|c| c.is_finite()));
            }
            None => {}
        }
    }
}

/// Two triangles without area on one line used to have a point in common, wherever they overlapped.
#[test]
fn triangles_without_area_on_one_line_share_a_stretch() {
    // Binary numbers: rounded ones would have some area.
    let (start, way) = (Vec3::new(0.25, -1.0, 2.0), Vec3::new(0.5, 0.25, -0.5));
    let line = |from: f32, middle: f32, to: f32| [from, middle, to].map(|at| start + way * at);
    let found = triangle_intersection(line(0.0, 1.0, 3.0), line(4.5, 1.5, 2.0));
    let Some(TriangleIntersection::Segment([p, q])) = found else { panic!("a stretch, got {found:?}") };
    let mut ends = [p, q].map(|end| (end - start).dot(way) / way.length_squared());
    ends.sort_by(f32::total_cmp);
    let off = (ends[0] - 1.5).abs().max((ends[1] - 3.0).abs());
    assert!(off < 1e-5, "from {} to {}, expected from 1.5 to 3", ends[0], ends[1]);
    assert_eq!(triangle_intersection(line(0.0, 1.0, 2.0), line(3.0, 4.0, 5.0)), None, "apart on the line");
    let across = [Vec3::X, Vec3::ZERO, -Vec3::X].map(|side| start + way + side.cross(way));
    let found = triangle_intersection(line(0.0, 1.0, 2.0), across);
    let Some(TriangleIntersection::Segment([p, q])) = found else { panic!("a point, got {found:?}") };
    assert!(p.distance(q) < 1e-6 && p.distance(start + way) < 1e-6, "crossing at {p}, {q}");
}
