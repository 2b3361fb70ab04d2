//! Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi.
//!
//! The closest point of B − A to the origin is found by a sequence of simplices, each spanned by support points. Here the
//! simplex is solved by Voronoi regions in f64. If the origin is inside, `epa.rs` takes over from the last simplex.

use super::cores::{CoreDistance, Cores, Vertex};
use super::wide::Wide;
use super::{epa, epa_flat};
use crate::math::*;

/// Polytopes take 3 to 8 iterations, round cores up to 25.
const MAX_ITERATIONS: u32 = 48;
/// Relative gap between upper and lower bound of the squared distance at which the search ends.
const TOLERANCE: f64 = 1e-9;
/// Distance, relative to the size of B − A, that counts as touching.
const TOUCHING: f64 = 1e-10;

/// Up to four support points and the weights of the point closest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub vertices: [Vertex; 4],
    pub weights: [f64; 4],
    pub count: usize,
    /// The closest point itself: more accurate than the weighted sum when the simplex is long and thin.
    closest: Wide,
}

impl Simplex {
    fn points(&self) -> (Wide, Wide) {
        (0..self.count).fold((Wide::ZERO, Wide::ZERO), |(a, b), i| {
            let (v, s) = (&self.vertices[i], self.weights[i]);
            (a + v.a * s, b + v.b * s)
        })
    }

    fn of(parts: &[(Vertex, f64)], closest: Wide) -> Self {
        let mut simplex = Self { closest, ..Self::default() };
        for &(vertex, weight) in parts.iter().filter(|(_, weight)| *weight > 0.0) {
            simplex.vertices[simplex.count] = vertex;
            simplex.weights[simplex.count] = weight;
            simplex.count += 1;
        }
        simplex
    }
}

/// Signed distance of the cores. `guess` is a direction from a to b to start from; any will do.
pub(crate) fn distance<D: Dim>(cores: &Cores<'_, D>, guess: Wide) -> CoreDistance {
    let (apart, simplex, iterations) = separation(cores, guess);
    let mut found = match apart {
        Some(found) => found,
        None if D::N == 2 => epa_flat::depth(cores, &simplex),
        None => epa::depth(cores, &simplex),
    };
    found.iterations[0] = iterations;
    found
}

/// Distance of cores that are apart, None if they overlap or touch; the last simplex; the iterations.
fn separation<D: Dim>(cores: &Cores<'_, D>, guess: Wide) -> (Option<CoreDistance>, Simplex, u32) {
    let mut simplex = corner(cores.support(-guess));
    let mut v = simplex.closest;
    let mut size = v.length_squared();
    let mut iterations = 0;
    loop {
        let vv = v.length_squared();
        if vv <= TOUCHING * TOUCHING * size {
            return (None, simplex, iterations);
        }
        if iterations >= MAX_ITERATIONS {
            break;
        }
        iterations += 1;
        let vertex = cores.support(-v);
        size = size.max(vertex.w.length_squared());
        let known = simplex.vertices[..simplex.count].iter().any(|x| x.w == vertex.w);
        if known || vv - v.dot(vertex.w) <= TOLERANCE * vv {
            break;
        }
        let Some(next) = solve(&simplex, vertex) else {
            // The origin is inside a tetrahedron (in the plane: a triangle).
            simplex.vertices[simplex.count] = vertex;
            simplex.count += 1;
            return (None, simplex, iterations);
        };
        let closer = next.closest;
        // Rounding: when the distance no longer falls, the last answer was the best one.
        if closer.length_squared() >= vv {
            break;
        }
        (simplex, v) = (next, closer);
    }
    let (on_a, on_b) = simplex.points();
    let distance = v.length();
    let normal = v.unit().unwrap_or(Wide::new(0.0, 1.0, 0.0));
    (Some(CoreDistance { distance, normal, on_a, on_b, iterations: [0, 0] }), simplex, iterations)
}

/// The part of the simplex and the new vertex that is closest to the origin; None if the origin is inside.
fn solve(simplex: &Simplex, new: Vertex) -> Option<Simplex> {
    let v = &simplex.vertices;
    Some(match simplex.count {
        1 => segment(v[0], new),
        2 => triangle(v[0], v[1], new),
        _ => return tetrahedron(v[0], v[1], v[2], new),
    })
}

fn corner(a: Vertex) -> Simplex {
    Simplex::of(&[(a, 1.0)], a.w)
}

fn segment(a: Vertex, b: Vertex) -> Simplex {
    let d = b.w - a.w;
    let dd = d.length_squared();
    let t = if dd > 0.0 { -a.w.dot(d) / dd } else { 0.0 };
    if t <= 0.0 {
        corner(a)
    } else if t >= 1.0 {
        corner(b)
    } else {
        Simplex::of(&[(a, 1.0 - t), (b, t)], a.w + d * t)
    }
}

/// Voronoi regions of a triangle by dot products alone, so that it serves the plane too.
fn triangle(a: Vertex, b: Vertex, c: Vertex) -> Simplex {
    let (ab, ac) = (b.w - a.w, c.w - a.w);
    let (d1, d2) = (-ab.dot(a.w), -ac.dot(a.w));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(a);
    }
    let (d3, d4) = (-ab.dot(b.w), -ac.dot(b.w));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(b);
    }
    let (d5, d6) = (-ab.dot(c.w), -ac.dot(c.w));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(c);
    }
    // Barycentric coordinates from the normal: less cancellation than products of the dot products above.
    let n = ab.cross(ac);
    let nn = n.length_squared();
    let wc = a.w.cross(b.w).dot(n);
    let wa = b.w.cross(c.w).dot(n);
    let wb = c.w.cross(a.w).dot(n);
    if nn > 0.0 && wa > 0.0 && wb > 0.0 && wc > 0.0 {
        let sum = 1.0 / (wa + wb + wc);
        return Simplex::of(&[(a, wa * sum), (b, wb * sum), (c, wc * sum)], n * (a.w.dot(n) / nn));
    }
    let length = |s: &Simplex| s.closest.length_squared();
    let mut best = segment(a, b);
    for other in [segment(b, c), segment(a, c)] {
        if length(&other) < length(&best) {
            best = other;
        }
    }
    best
}

/// None if the origin is inside.
fn tetrahedron(a: Vertex, b: Vertex, c: Vertex, d: Vertex) -> Option<Simplex> {
    // Sign of the volume under the origin, one for each face, relative to the opposite corner.
    let outside = |p: &Vertex, q: &Vertex, r: &Vertex, opposite: &Vertex| {
        let n = (q.w - p.w).cross(r.w - p.w);
        let (origin, corner) = (-p.w.dot(n), (opposite.w - p.w).dot(n));
        // A flat tetrahedron has no inside: every face stays a candidate.
        origin * corner <= 0.0 || corner.abs() <= 1e-14 * n.length() * (opposite.w - p.w).length()
    };
    let faces = [(a, b, c, d), (a, b, d, c), (a, c, d, b), (b, c, d, a)];
    let mut best: Option<Simplex> = None;
    for (p, q, r, opposite) in &faces {
        if outside(p, q, r, opposite) {
            let found = triangle(*p, *q, *r);
            let length = found.closest.length_squared();
            if best.as_ref().is_none_or(|s| length < s.closest.length_squared()) {
                best = Some(found);
            }
        }
    }
    best
}
