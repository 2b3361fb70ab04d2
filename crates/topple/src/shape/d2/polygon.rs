//! Convex polygons: the hull of a set of points, checked and brought into a fixed order once, then shared.

use super::outline::Outline;
use crate::Error;
use crate::math::*;

/// Largest number of corners of a polygon. Contacts cost time linear in the corners; a circle is cheaper than 256.
pub const MAX_POLYGON_VERTICES: usize = 256;

/// Points closer than this to the hull without them are dropped (dimensionless, relative to the size of the hull).
/// A few times the rounding of f32 coordinates, so that points computed to lie on a straight edge do.
const COLLINEAR: f64 = 1e-6;

/// A convex polygon, counter-clockwise, no three corners on a line. Shared between shapes by `Arc`.
#[derive(Clone, Debug, PartialEq)]
pub struct PolygonData {
    vertices: Box<[Vec2]>,
    /// Outward unit normals; number i belongs to the edge from vertex i to vertex i + 1.
    normals: Box<[Vec2]>,
    /// Centroid [m].
    center: Vec2,
    /// Distance from the centroid to the nearest edge [m].
    inner_radius: Real,
}

impl PolygonData {
    /// The convex hull of `points` [m]. Inner, double and collinear points are dropped.
    pub fn hull(points: &[Vec2]) -> Result<Self, Error> {
        if points.len() < 3 {
            let reason = format!("needs at least 3 points, got {}", points.len());
            return Err(Error::degenerate("polygon", reason));
        }
        if let Some(&bad) = points.iter().find(|p| !p.is_finite()) {
            return Err(Error::invalid("Polygon.points", bad, "finite"));
        }
        let chain = simplified(&convex_chain(points));
        if chain.len() < 3 {
            return Err(Error::degenerate("polygon", "all points lie on one line (or in one place)"));
        }
        if chain.len() > MAX_POLYGON_VERTICES {
            let reason = format!("the hull has {} corners, at most {MAX_POLYGON_VERTICES}", chain.len());
            return Err(Error::degenerate("polygon", reason));
        }
        Ok(Self::from_corners(chain))
    }

    /// From corners that a hull left behind, in their order: gives the same bits as the hull did. None if they are not
    /// the corners of a convex polygon in counter-clockwise order.
    pub(super) fn from_saved(corners: Vec<Vec2>) -> Option<Self> {
        let n = corners.len();
        if !(3..=MAX_POLYGON_VERTICES).contains(&n) || corners.iter().any(|p| !p.is_finite()) {
            return None;
        }
        // Every corner to the left of every edge: convex, counter-clockwise, wound once.
        let is_convex = (0..n).all(|i| {
            let (p, q) = (corners[i], corners[(i + 1) % n]);
            (2..n).all(|k| turn(p, q, corners[(i + k) % n]) > 0.0)
        });
        is_convex.then(|| Self::from_corners(corners))
    }

    fn from_corners(corners: Vec<Vec2>) -> Self {
        let n = corners.len();
        let normals: Box<[Vec2]> = (0..n).map(|i| edge_normal(corners[i], corners[(i + 1) % n])).collect();
        let mut data = Self { vertices: corners.into(), normals, center: Vec2::ZERO, inner_radius: 0.0 };
        let center = data.outline(0.0).mass(1.0).center;
        data.center = center;
        data.inner_radius = data
            .normals
            .iter()
            .zip(&data.vertices)
            .fold(Real::INFINITY, |r, (n, v)| r.min(n.dot(*v - center)));
        data
    }

    /// Corners, counter-clockwise [m].
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices
    }

    /// Outward unit normals; number i belongs to the edge from vertex i to vertex i + 1.
    pub fn normals(&self) -> &[Vec2] {
        &self.normals
    }

    /// Centroid [m]: no edge is closer to it than the inner radius.
    pub(super) fn center(&self) -> Vec2 {
        self.center
    }

    /// Distance from the centroid to the nearest edge [m].
    pub fn inner_radius(&self) -> Real {
        self.inner_radius
    }

    pub(super) fn outline(&self, radius: Real) -> Outline<'_> {
        Outline { vertices: &self.vertices, normals: &self.normals, radius }
    }
}

/// Outward unit normal of the edge from `p` to `q` of a counter-clockwise polygon; the y axis if the points coincide.
pub(super) fn edge_normal(p: Vec2, q: Vec2) -> Vec2 {
    // In f64, so that edges of 1e-30 m and 1e+30 m have exact normals too.
    let (x, y) = (f64::from(q.x) - f64::from(p.x), f64::from(q.y) - f64::from(p.y));
    let length = (x * x + y * y).sqrt();
    if length > 0.0 { Vec2::new((y / length) as Real, (-x / length) as Real) } else { Vec2::Y }
}

/// Twice the area of the triangle p, q, r [m²]; positive if it turns left.
fn turn(p: Vec2, q: Vec2, r: Vec2) -> f64 {
    let d = |a: Real, b: Real| f64::from(a) - f64::from(b);
    d(q.x, p.x) * d(r.y, p.y) - d(q.y, p.y) * d(r.x, p.x)
}

/// Strict convex hull by Andrew's monotone chain, counter-clockwise from the leftmost point.
fn convex_chain(points: &[Vec2]) -> Vec<Vec2> {
    // −0 becomes +0: equal points must have equal bits.
    let mut sorted: Vec<Vec2> = points.iter().map(|p| *p + Vec2::ZERO).collect();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut chain: Vec<Vec2> = Vec::new();
    // Lower side from left to right, then upper side back.
    for pass in 0..2 {
        let start = chain.len();
        for k in 0..sorted.len() {
            let p = if pass == 0 { sorted[k] } else { sorted[sorted.len() - 1 - k] };
            while chain.len() >= start + 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        // The last point opens the other side.
        chain.pop();
    }
    chain
}

/// The chain without corners that stand out by rounding only: every corner left out is within the tolerance of the
/// new outline, so the shape does not drift however many go.
fn simplified(chain: &[Vec2]) -> Vec<Vec2> {
    let n = chain.len();
    if n < 3 {
        return chain.to_vec();
    }
    let (low, high) = chain.iter().fold((chain[0], chain[0]), |(l, h), p| (l.min(*p), h.max(*p)));
    let length = |d: Vec2| (f64::from(d.x) * f64::from(d.x) + f64::from(d.y) * f64::from(d.y)).sqrt();
    let tolerance = COLLINEAR * length(high - low);
    // The corner farthest from the middle is a real one; the walk around starts there.
    let middle = (low + high) * 0.5;
    let distance = |i: usize| length(chain[i] - middle);
    let first = (0..n).fold(0, |best, i| if distance(i) > distance(best) { i } else { best });
    let at = |i: usize| chain[(first + i) % n];
    let is_flat = |from: usize, to: usize| {
        let base = length(at(to) - at(from));
        (from + 1..to).all(|k| {
            if base <= tolerance {
                length(at(k) - at(from)) <= tolerance
            } else {
                -turn(at(from), at(to), at(k)) <= tolerance * base
            }
        })
    };
    let mut kept = vec![at(0)];
    let mut from = 0;
    while from < n {
        let mut to = from + 1;
        while to < n && is_flat(from, to + 1) {
            to += 1;
        }
        if to < n {
            kept.push(at(to));
        }
        from = to;
    }
    kept
}
