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
/// Iterations after which a search that has a shortcut tries it: rims take long to the last digit.
const LONG: u32 = 6;
/// Relative gap between upper and lower bound of the squared distance at which the search ends.
const TOLERANCE: f64 = 1e-9;
/// Distance, relative to the size of B − A, that counts as touching.
const TOUCHING: f64 = 1e-10;
/// Squared sine of the angle between a face and the way to the fourth corner below which a tetrahedron is flat (no unit):
/// its sign is rounding.
const FLAT_SQUARED: f64 = 1e-28;

/// Up to four support points and the weights of the point closest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub vertices: [Vertex; 4],
    pub weights: [f64; 4],
    pub count: usize,
}

impl Simplex {
    /// Keeps only the vertices of `part`, with its weights.
    fn reduce_to(&mut self, part: &Part) {
        // Indices ascend, so nothing is overwritten before it is moved.
        for k in 0..part.count {
            self.vertices[k] = self.vertices[part.index[k]];
            self.weights[k] = part.weights[k];
        }
        self.count = part.count;
    }

    fn points(&self) -> (Wide, Wide) {
        (0..self.count).fold((Wide::ZERO, Wide::ZERO), |(a, b), i| {
            let (v, s) = (&self.vertices[i], self.weights[i]);
            (a + v.a * s, b + v.b * s)
        })
    }
}

/// The part of a simplex that is closest to the origin: which vertices, ascending, with which weights.
#[derive(Clone, Copy, Debug)]
struct Part {
    index: [usize; 3],
    weights: [f64; 3],
    count: usize,
    /// The closest point itself: more accurate than the weighted sum when the simplex is long and thin.
    closest: Wide,
}

/// Signed distance of the cores. `guess` is a direction from a to b to start from; any will do.
pub(crate) fn distance<D: Dim>(cores: &Cores<'_, D>, guess: Wide) -> CoreDistance {
    distance_within(cores, guess, f64::INFINITY)
}

/// The same, if it is at most `limit` [m]; of cores that are farther apart, the gap along any axis that shows it.
pub(crate) fn distance_within<D: Dim>(cores: &Cores<'_, D>, guess: Wide, limit: f64) -> CoreDistance {
    distance_by(cores, guess, limit, None)
}

/// The same with a shortcut for cores that overlap.
pub(crate) fn distance_by<D: Dim>(
    cores: &Cores<'_, D>,
    guess: Wide,
    limit: f64,
    mut shortcut: Option<epa::Shortcut<'_>>,
) -> CoreDistance {
    let (apart, simplex, iterations) = separation(cores, guess, limit, &mut shortcut);
    let mut found = match apart {
        Some(found) => found,
        None if D::N == 2 => epa_flat::depth(cores, &simplex),
        None => epa::depth(cores, &simplex, shortcut),
    };
    found.iterations[0] = iterations;
    found
}

/// Distance of cores that are apart, or a gap that is larger than `limit`; None if they overlap or touch; the last simplex; the
/// iterations.
fn separation<D: Dim>(
    cores: &Cores<'_, D>,
    guess: Wide,
    limit: f64,
    shortcut: &mut Option<epa::Shortcut<'_>>,
) -> (Option<CoreDistance>, Simplex, u32) {
    let mut simplex = Simplex { count: 1, ..Simplex::default() };
    simplex.vertices[0] = cores.support(-guess);
    simplex.weights[0] = 1.0;
    let mut v = simplex.vertices[0].w;
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
        let along = v.dot(vertex.w);
        if along > 0.0 && along * along > limit * limit * vv {
            let (length, normal) = (vv.sqrt(), v.unit().unwrap_or(Wide::new(0.0, 1.0, 0.0)));
            let distance = along / length;
            let found = CoreDistance { distance, normal, on_a: vertex.a, on_b: vertex.b, iterations: [0, 0] };
            return (Some(found), simplex, iterations);
        }
        // Cores that are apart have one axis only.
        if let Some((_, finish)) = shortcut
            && along > 0.0
            && iterations % LONG == 0
            && let Some(found) = v.unit().and_then(finish).filter(|found| found.distance > 0.0)
        {
            return (Some(found), simplex, iterations);
        }
        let known = simplex.vertices[..simplex.count].iter().any(|x| x.w == vertex.w);
        if known || vv - along <= TOLERANCE * vv {
            break;
        }
        simplex.vertices[simplex.count] = vertex;
        let w = simplex.vertices.map(|x| x.w);
        let part = match simplex.count {
            1 => segment(&w, [0, 1]),
            2 => triangle(&w, [0, 1, 2]),
            _ => match tetrahedron(&w) {
                Some(part) => part,
                None => {
                    simplex.count = 4;
                    return (None, simplex, iterations);
                }
            },
        };
        // Rounding: when the distance no longer falls, the last answer was the best one.
        if part.closest.length_squared() >= vv {
            break;
        }
        simplex.reduce_to(&part);
        v = part.closest;
    }
    let (on_a, on_b) = simplex.points();
    let distance = v.length();
    let normal = v.unit().unwrap_or(Wide::new(0.0, 1.0, 0.0));
    (Some(CoreDistance { distance, normal, on_a, on_b, iterations: [0, 0] }), simplex, iterations)
}

#[inline]
fn corner(w: &[Wide; 4], i: usize) -> Part {
    Part { index: [i, 0, 0], weights: [1.0, 0.0, 0.0], count: 1, closest: w[i] }
}

#[inline]
fn segment(w: &[Wide; 4], [i, j]: [usize; 2]) -> Part {
    let d = w[j] - w[i];
    let dd = d.length_squared();
    let t = if dd > 0.0 { -w[i].dot(d) / dd } else { 0.0 };
    if t <= 0.0 {
        corner(w, i)
    } else if t >= 1.0 {
        corner(w, j)
    } else {
        Part { index: [i, j, 0], weights: [1.0 - t, t, 0.0], count: 2, closest: w[i] + d * t }
    }
}

/// Voronoi regions of a triangle by dot products, so that it serves the plane too (where an origin inside comes out as
/// distance 0).
#[inline]
fn triangle(w: &[Wide; 4], [i, j, k]: [usize; 3]) -> Part {
    let (a, b, c) = (w[i], w[j], w[k]);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(w, i);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(w, j);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(w, k);
    }
    // Barycentric coordinates from the normal: less cancellation than products of the dot products above.
    let n = ab.cross(ac);
    let nn = n.length_squared();
    let wc = a.cross(b).dot(n);
    let wa = b.cross(c).dot(n);
    let wb = c.cross(a).dot(n);
    if nn > 0.0 && wa > 0.0 && wb > 0.0 && wc > 0.0 {
        let s = 1.0 / (wa + wb + wc);
        let closest = n * (a.dot(n) / nn);
        return Part { index: [i, j, k], weights: [wa * s, wb * s, wc * s], count: 3, closest };
    }
    let mut best = segment(w, [i, j]);
    for other in [segment(w, [j, k]), segment(w, [i, k])] {
        if other.closest.length_squared() < best.closest.length_squared() {
            best = other;
        }
    }
    best
}

/// None if the origin is inside.
fn tetrahedron(w: &[Wide; 4]) -> Option<Part> {
    let mut best: Option<Part> = None;
    for (face, opposite) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
        let p = w[face[0]];
        let n = (w[face[1]] - p).cross(w[face[2]] - p);
        // Is the origin on the other side of the face than the opposite corner?
        let (origin, corner) = (-p.dot(n), (w[opposite] - p).dot(n));
        // A flat tetrahedron has no inside: every face stays a candidate.
        let is_flat =
            corner * corner <= FLAT_SQUARED * n.length_squared() * (w[opposite] - p).length_squared();
        if origin * corner <= 0.0 || is_flat {
            let found = triangle(w, face);
            if best.is_none_or(|b| found.closest.length_squared() < b.closest.length_squared()) {
                best = Some(found);
            }
        }
    }
    best
}
