//! Closest points of the elements that shapes are made of: points, segments, planes, triangles.
//!
//! Everything is measured in f64 and by cases whose minimum is the answer, so that elements without length or area are nothing
//! special: a segment of equal ends is a point, a triangle with its corners on a line is a segment. Written once for both
//! dimensions; in the plane a triangle has an inside at distance 0.

use super::wide::Wide;
use crate::math::*;

/// Closest points of two elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<D: Dim> {
    /// Distance [m], never negative.
    pub distance: Real,
    /// Point of the first element [m].
    pub on_a: D::Vec,
    /// Point of the second element [m].
    pub on_b: D::Vec,
}

/// Closest points in f64.
type Pair = (f64, Wide, Wide);

impl<D: Dim> Nearest<D> {
    fn of((squared, a, b): Pair) -> Self {
        Self { distance: squared.sqrt() as Real, on_a: a.narrow(), on_b: b.narrow() }
    }
}

fn pair(a: Wide, b: Wide) -> Pair {
    ((b - a).length_squared(), a, b)
}

fn nearer(x: Pair, y: Pair) -> Pair {
    if y.0 < x.0 { y } else { x }
}

fn swapped((d, a, b): Pair) -> Pair {
    (d, b, a)
}

/// Fraction of the point of the segment `s` closest to `p`, in [0, 1].
fn fraction(p: Wide, s: [Wide; 2]) -> f64 {
    let along = s[1] - s[0];
    let squared = along.length_squared();
    if squared > 0.0 { ((p - s[0]).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

fn at(s: [Wide; 2], t: f64) -> Wide {
    // From the nearer end, so that both ends are met exactly.
    if t < 0.5 { s[0] + (s[1] - s[0]) * t } else { s[1] + (s[0] - s[1]) * (1.0 - t) }
}

fn to_segment(p: Wide, s: [Wide; 2]) -> Pair {
    pair(p, at(s, fraction(p, s)))
}

/// Fractions of the closest points of two segments.
pub(crate) fn closest_lines(a: [Wide; 2], b: [Wide; 2]) -> [f64; 2] {
    let (u, v, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    // Ends first: one of them is in the closest pair unless both points are inside.
    let mut best = (f64::INFINITY, [0.0; 2]);
    let mut offer = |s: f64, t: f64| {
        let squared = (at(a, s) - at(b, t)).length_squared();
        if squared < best.0 {
            best = (squared, [s, t]);
        }
    };
    offer(0.0, fraction(a[0], b));
    offer(1.0, fraction(a[1], b));
    offer(fraction(b[0], a), 0.0);
    offer(fraction(b[1], a), 1.0);
    // |u × v|² from the cross product: the difference of products would cancel for nearly parallel segments.
    let determinant = u.cross(v).length_squared();
    if determinant > 0.0 {
        let (uv, ur, vr) = (u.dot(v), u.dot(r), v.dot(r));
        let s = (uv * vr - ur * v.length_squared()) / determinant;
        let t = (u.length_squared() * vr - uv * ur) / determinant;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            offer(s, t);
        }
    }
    best.1
}

fn segments(a: [Wide; 2], b: [Wide; 2]) -> Pair {
    let [s, t] = closest_lines(a, b);
    pair(at(a, s), at(b, t))
}

fn edges(t: [Wide; 3]) -> [[Wide; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// Foot of `p` in the plane of the triangle, if it lies in the inside.
fn foot_inside(p: Wide, t: [Wide; 3]) -> Option<Wide> {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let squared = n.length_squared();
    let is_in = |s: [Wide; 2]| (s[1] - s[0]).cross(p - s[0]).dot(n) >= 0.0;
    (squared > 0.0 && edges(t).into_iter().all(is_in)).then(|| p - n * ((p - t[0]).dot(n) / squared))
}

fn to_triangle(p: Wide, t: [Wide; 3]) -> Pair {
    if let Some(foot) = foot_inside(p, t) {
        return pair(p, foot);
    }
    let [first, second, third] = edges(t).map(|edge| to_segment(p, edge));
    nearer(nearer(first, second), third)
}

fn segment_to_triangle(s: [Wide; 2], t: [Wide; 3]) -> Pair {
    if let Some(crossing) = crossing(s, t) {
        return (0.0, crossing, crossing);
    }
    let ends = nearer(to_triangle(s[0], t), to_triangle(s[1], t));
    edges(t).into_iter().fold(ends, |best, edge| nearer(best, segments(s, edge)))
}

/// Where a segment passes through a triangle from one side to the other.
fn crossing(s: [Wide; 2], t: [Wide; 3]) -> Option<Wide> {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let heights = s.map(|p| (p - t[0]).dot(n));
    if heights[0] * heights[1] >= 0.0 {
        return None;
    }
    let p = at(s, heights[0] / (heights[0] - heights[1]));
    foot_inside(p, t).map(|_| p)
}

fn triangles(a: [Wide; 3], b: [Wide; 3]) -> Pair {
    let from_a = edges(a).map(|edge| segment_to_triangle(edge, b));
    let from_b = edges(b).map(|edge| swapped(segment_to_triangle(edge, a)));
    from_a.into_iter().chain(from_b).fold((f64::INFINITY, a[0], b[0]), nearer)
}

/// Distance of a point `p` from the segment with ends `segment` [m].
///
/// ```
/// use topple::math::*;
/// use topple::{D2, distance::point_segment};
/// let c = point_segment::<D2>(Vec2::new(3.0, 2.0), [Vec2::ZERO, Vec2::X]);
/// assert_eq!((c.on_b, c.distance), (Vec2::X, 8.0_f32.sqrt()));
/// ```
pub fn point_segment<D: Dim>(p: D::Vec, segment: [D::Vec; 2]) -> Nearest<D> {
    Nearest::of(to_segment(Wide::of(p), segment.map(Wide::of)))
}

/// Distance of a point `p` from the plane (in 2D: line) normal·x = `offset` [m]; the normal has any length above zero, and
/// `offset` is in units of it. Positive on the side the normal points to. The second value is the foot of the point [m].
/// A normal without direction gives distance 0 at `p` itself.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, distance::point_plane};
/// assert_eq!(point_plane::<D3>(Vec3::splat(3.0), Vec3::Y * 2.0, 2.0), (2.0, Vec3::new(3.0, 1.0, 3.0)));
/// ```
pub fn point_plane<D: Dim>(p: D::Vec, normal: D::Vec, offset: Real) -> (Real, D::Vec) {
    let (point, n) = (Wide::of(p), Wide::of(normal));
    let length = n.length();
    let Some(unit) = n.unit() else { return (0.0, p) };
    let distance = point.dot(unit) - f64::from(offset) / length;
    (distance as Real, (point - unit * distance).narrow())
}

/// Distance of a point `p` from a triangle [m]: face, edges or corners, whichever is nearest.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, distance::point_triangle};
/// let c = point_triangle::<D3>(Vec3::new(0.2, 5.0, 0.2), [Vec3::ZERO, Vec3::X, Vec3::Z]);
/// assert_eq!((c.on_b, c.distance), (Vec3::new(0.2, 0.0, 0.2), 5.0));
/// ```
pub fn point_triangle<D: Dim>(p: D::Vec, triangle: [D::Vec; 3]) -> Nearest<D> {
    Nearest::of(to_triangle(Wide::of(p), triangle.map(Wide::of)))
}

/// Distance of two segments [m]. Of parallel ones any of the closest points are given.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, distance::segment_segment};
/// let c = segment_segment::<D3>([-Vec3::X, Vec3::X], [Vec3::new(0.0, 2.0, -1.0), Vec3::new(0.0, 2.0, 1.0)]);
/// assert_eq!((c.on_a, c.distance), (Vec3::ZERO, 2.0));
/// ```
pub fn segment_segment<D: Dim>(a: [D::Vec; 2], b: [D::Vec; 2]) -> Nearest<D> {
    Nearest::of(segments(a.map(Wide::of), b.map(Wide::of)))
}

/// Distance of a segment from a triangle [m]; 0 where it passes through.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, distance::segment_triangle};
/// let floor = [Vec3::ZERO, Vec3::X, Vec3::Z];
/// let c = segment_triangle::<D3>([Vec3::new(0.2, 1.0, 0.2), Vec3::new(0.2, -1.0, 0.2)], floor);
/// assert_eq!((c.on_a, c.distance), (Vec3::new(0.2, 0.0, 0.2), 0.0));
/// ```
pub fn segment_triangle<D: Dim>(segment: [D::Vec; 2], triangle: [D::Vec; 3]) -> Nearest<D> {
    Nearest::of(segment_to_triangle(segment.map(Wide::of), triangle.map(Wide::of)))
}

/// Distance of two triangles [m]; 0 where they meet. See [`triangle_intersection`] for all of what they have in common.
///
/// ```
/// use topple::math::*;
/// use topple::{D3, distance::triangle_triangle};
/// let (a, up) = ([Vec3::ZERO, Vec3::X, Vec3::Z], Vec3::Y * 0.5);
/// assert_eq!(triangle_triangle::<D3>(a, a.map(|p| p + up)).distance, 0.5);
/// ```
pub fn triangle_triangle<D: Dim>(a: [D::Vec; 3], b: [D::Vec; 3]) -> Nearest<D> {
    Nearest::of(triangles(a.map(Wide::of), b.map(Wide::of)))
}

/// Corners that the common part of two triangles in one plane can have.
pub const MAX_COMMON_CORNERS: usize = 6;

/// Height over a plane that counts as in it, as a share of the size (no unit): rounding of f64 on coordinates of f32.
const IN_PLANE: f64 = 1e-12;

/// What two triangles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TriangleIntersection {
    /// They cross: a segment [m], of equal ends where they merely touch in a point.
    Segment([Vec3; 2]),
    /// They lie in one plane: the corners of the common part [m], in order, the first `count` of them. One or two corners where
    /// they touch in a point or along a line.
    Region {
        /// Corners [m]; those beyond `count` mean nothing.
        corners: [Vec3; MAX_COMMON_CORNERS],
        /// Number of corners.
        count: usize,
    },
}

/// The common part of two triangles [m]; None if they do not meet. Triangles without area count as the segments or points they
/// are. After [Moller1997]: one triangle is cut by the plane of the other, and the stretch that is left by its edges.
///
/// ```
/// use topple::math::*;
/// use topple::distance::{TriangleIntersection, triangle_intersection};
/// let floor = [Vec3::new(-2.0, 0.0, -2.0), Vec3::new(2.0, 0.0, -2.0), Vec3::new(0.0, 0.0, 2.0)];
/// let wall = [Vec3::new(-0.5, -1.0, 0.0), Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
/// let Some(TriangleIntersection::Segment([p, q])) = triangle_intersection(floor, wall) else { panic!() };
/// assert!((p.distance(q) - 0.5).abs() < 1e-6 && p.y == 0.0 && p.z == 0.0);
/// ```
pub fn triangle_intersection(a: [Vec3; 3], b: [Vec3; 3]) -> Option<TriangleIntersection> {
    let (a, b) = (a.map(Wide::of), b.map(Wide::of));
    let size = a.iter().chain(&b).fold(0.0_f64, |m, p| m.max((*p - a[0]).reach()));
    let normal = |t: [Wide; 3]| {
        let n = (t[1] - t[0]).cross(t[2] - t[0]);
        (n.length() > IN_PLANE * size * size).then_some(n).and_then(Wide::unit)
    };
    let segment = |[p, q]: [Wide; 2]| Some(TriangleIntersection::Segment([p.narrow(), q.narrow()]));
    let slack = IN_PLANE * size;
    match (normal(a), normal(b)) {
        (_, Some(n)) => {
            let heights = a.map(|p| (p - b[0]).dot(n)).map(|h| if h.abs() <= slack { 0.0 } else { h });
            if heights == [0.0; 3] {
                return if normal(a).is_some() {
                    common_region(a, b, n, slack)
                } else {
                    clip_to(longest_side(a), b, n, slack).and_then(segment)
                };
            }
            segment(clip_to(cut(a, heights)?, b, n, slack)?)
        }
        (Some(n), None) => {
            let side = longest_side(b);
            let heights = side.map(|p| (p - a[0]).dot(n)).map(|h| if h.abs() <= slack { 0.0 } else { h });
            let part = match heights {
                [0.0, 0.0] => side,
                [x, y] if x * y <= 0.0 => [at(side, x / (x - y)); 2],
                _ => return None,
            };
            segment(clip_to(part, a, n, slack)?)
        }
        (None, None) => {
            let (side, other) = (longest_side(a), longest_side(b));
            let (squared, p, _) = segments(side, other);
            if squared > slack * slack {
                return None;
            }
            segment(common_stretch(side, other, slack).unwrap_or([p, p]))
        }
    }
}

/// What two segments that meet have in common if both are on one line.
fn common_stretch(side: [Wide; 2], other: [Wide; 2], slack: f64) -> Option<[Wide; 2]> {
    let way = side[1] - side[0];
    let unit = way.unit()?;
    let along = other.map(|p| (p - side[0]).dot(unit));
    let is_off = |k: usize| (other[k] - side[0] - unit * along[k]).length() > slack;
    if is_off(0) || is_off(1) {
        return None;
    }
    let from = along[0].min(along[1]).max(0.0);
    let to = along[0].max(along[1]).min(way.length());
    (from < to).then(|| [side[0] + unit * from, side[0] + unit * to])
}

/// The longest side of a triangle without area: all of it.
fn longest_side(t: [Wide; 3]) -> [Wide; 2] {
    let length = |s: &[Wide; 2]| (s[1] - s[0]).length_squared();
    let [first, second, third] = edges(t);
    [second, third]
        .into_iter()
        .fold(first, |best, side| if length(&side) > length(&best) { side } else { best })
}

/// The part of a triangle that is in a plane, given the heights of its corners over it; None if there is none.
fn cut(t: [Wide; 3], heights: [f64; 3]) -> Option<[Wide; 2]> {
    let mut found = [Wide::ZERO; 2];
    let mut count = 0;
    for k in 0..3 {
        let next = (k + 1) % 3;
        let (x, y) = (heights[k], heights[next]);
        let point = if x == 0.0 {
            t[k]
        } else if x * y < 0.0 {
            at([t[k], t[next]], x / (x - y))
        } else {
            continue;
        };
        if count < 2 {
            found[count] = point;
            count += 1;
        }
    }
    match count {
        0 => None,
        1 => Some([found[0]; 2]),
        _ => Some(found),
    }
}

/// The part of a segment in the plane of a triangle, with unit normal `n`, that lies in it.
fn clip_to(s: [Wide; 2], t: [Wide; 3], n: Wide, slack: f64) -> Option<[Wide; 2]> {
    let (mut start, mut end) = (0.0, 1.0);
    for [p, q] in edges(t) {
        let out = (q - p).cross(n).unit()?;
        let x = s.map(|e| out.dot(e - p));
        if x[0] > slack && x[1] > slack {
            return None;
        }
        if x[0] > slack {
            start = (x[0] / (x[0] - x[1])).max(start);
        } else if x[1] > slack {
            end = (x[0] / (x[0] - x[1])).min(end);
        }
    }
    if start > end {
        // A corner of the triangle that the segment merely touches, within rounding.
        let gap = (s[1] - s[0]).length() * (start - end);
        if gap > slack {
            return None;
        }
        end = start;
    }
    Some([at(s, start), at(s, end)])
}

/// The common part of two triangles in one plane with unit normal `n`.
fn common_region(a: [Wide; 3], b: [Wide; 3], n: Wide, slack: f64) -> Option<TriangleIntersection> {
    // A triangle cut by three lines has at most six corners; slack may add doubles, which are left out at the end.
    let mut polygon = [Wide::ZERO; 2 * MAX_COMMON_CORNERS];
    polygon[..3].copy_from_slice(&a);
    let mut count = 3;
    for [p, q] in edges(b) {
        let out = (q - p).cross(n).unit()?;
        let outside = |v: Wide| out.dot(v - p);
        let mut kept = [Wide::ZERO; 2 * MAX_COMMON_CORNERS];
        let mut number = 0;
        for k in 0..count {
            let (v, w) = (polygon[k], polygon[(k + 1) % count]);
            let (x, y) = (outside(v), outside(w));
            if x <= slack && number < kept.len() {
                kept[number] = v;
                number += 1;
            }
            if (x > slack && y < -slack || x < -slack && y > slack) && number < kept.len() {
                kept[number] = at([v, w], x / (x - y));
                number += 1;
            }
        }
        (polygon, count) = (kept, number);
    }
    let mut corners = [Vec3::ZERO; MAX_COMMON_CORNERS];
    let mut number = 0;
    for v in &polygon[..count] {
        let corner: Vec3 = v.narrow();
        if number < corners.len() && !corners[..number].contains(&corner) {
            corners[number] = corner;
            number += 1;
        }
    }
    (number > 0).then_some(TriangleIntersection::Region { corners, count: number })
}
