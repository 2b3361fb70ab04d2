//! Shapes of the plane in wind and water: pieces of the outline, and the part below a line.
//!
//! Both are exact. The area below a line and its first moment are integrals over the outline, A = ½∮x × dx and
//! ∫x dA = ⅓∮x (x × dx). With the origin on the line, the cut itself adds nothing, so only what is left of the outline counts:
//! straight pieces and arcs, both in closed form.

use super::outline::{Outline, Scratch};
use super::{Shape2, rectangle_outline};
use crate::math::*;
use crate::shape::{Facet, Submerged};
use core::f64::consts::PI;

/// A whole turn less this is no turn at all: two normals that are the same but for rounding [rad].
const ROUNDING: f64 = 1e-9;

/// Adds what the wind sees: the edges of the core, and the rounding as one round piece in the middle. Together they show
/// any wind the exact width of the shape.
pub(super) fn facets(shape: &Shape2, out: &mut Vec<Facet<D2>>) {
    if let Shape2::Circle { radius } = shape {
        out.push(Facet { center: Vec2::ZERO, normal: Vec2::ZERO, area: 2.0 * radius });
    }
    let mut scratch = Scratch::default();
    let Some(outline) = shape.outline(&mut scratch) else { return };
    let mut sum = Vec2::ZERO;
    for i in 0..outline.len() {
        let (p, q, n) = (outline.vertices[i], outline.vertices[outline.next(i)], outline.normals[i]);
        sum += p;
        let center = (p + q) * 0.5 + n * outline.radius;
        out.push(Facet { center, normal: n, area: (q - p).length() });
    }
    if outline.radius > 0.0 {
        let center = sum * (1.0 / outline.len() as Real);
        out.push(Facet { center, normal: Vec2::ZERO, area: 2.0 * outline.radius });
    }
}

/// The part of a shape with normal·x ≤ offset.
pub(super) fn submerged(shape: &Shape2, normal: Vec2, offset: Real) -> Submerged<D2> {
    let n = wide(normal);
    match shape {
        Shape2::Circle { radius } => {
            let r = f64::from(*radius);
            let s = (f64::from(offset) / r).clamp(-1.0, 1.0);
            let half_chord = (1.0 - s * s).sqrt();
            let area = r * r * (PI - atan2_f64(half_chord, s) + s * half_chord);
            let moment = -2.0 / 3.0 * r * r * r * half_chord * half_chord * half_chord;
            finish(area, [n[0] * moment, n[1] * moment], [0.0; 2])
        }
        Shape2::HalfPlane { .. } | Shape2::Segment { .. } => Submerged::default(),
        Shape2::Rectangle { half, radius } => {
            below(&rectangle_outline(&super::rectangle_corners(*half), *radius), n, offset)
        }
        _ => {
            let mut scratch = Scratch::default();
            shape.outline(&mut scratch).map_or(Submerged::default(), |outline| below(&outline, n, offset))
        }
    }
}

fn finish(area: f64, moment: [f64; 2], origin: [f64; 2]) -> Submerged<D2> {
    if area.is_nan() || area <= 0.0 {
        return Submerged::default();
    }
    let center = [0, 1].map(|i| (origin[i] + moment[i] / area) as Real);
    Submerged { volume: area as Real, center: Vec2::new(center[0], center[1]) }
}

fn wide(v: Vec2) -> [f64; 2] {
    [f64::from(v.x), f64::from(v.y)]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Area and first moment of what lies below the line through the origin.
#[derive(Default)]
struct Sum {
    normal: [f64; 2],
    area: f64,
    moment: [f64; 2],
}

fn below(outline: &Outline<'_>, n: [f64; 2], offset: Real) -> Submerged<D2> {
    // The origin on the line, beside the shape: far away the sums would cancel.
    let middle = outline.vertices.iter().fold([0.0; 2], |m, &v| [m[0] + wide(v)[0], m[1] + wide(v)[1]]);
    let middle = middle.map(|x| x / outline.len() as f64);
    let depth = f64::from(offset) - dot(n, middle);
    let origin = [middle[0] + n[0] * depth, middle[1] + n[1] * depth];
    let r = f64::from(outline.radius);
    let mut sum = Sum { normal: n, ..Sum::default() };
    for i in 0..outline.len() {
        let next = outline.next(i);
        let from = |v: Vec2| [wide(v)[0] - origin[0], wide(v)[1] - origin[1]];
        let (p, q) = (from(outline.vertices[i]), from(outline.vertices[next]));
        let (m, k) = (wide(outline.normals[i]), wide(outline.normals[next]));
        let out = |v: [f64; 2]| [v[0] + r * m[0], v[1] + r * m[1]];
        sum.segment(out(p), out(q));
        if r > 0.0 {
            sum.arc(q, r, m, k);
        }
    }
    finish(sum.area, sum.moment, origin)
}

impl Sum {
    /// A straight piece of the outline, as far as it is below.
    fn segment(&mut self, p: [f64; 2], q: [f64; 2]) {
        let (a, b) = (dot(self.normal, p), dot(self.normal, q));
        if a > 0.0 && b > 0.0 {
            return;
        }
        let cut = |t: f64| [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
        let p1 = if a > 0.0 { cut(a / (a - b)) } else { p };
        let q1 = if b > 0.0 { cut(a / (a - b)) } else { q };
        let cross = p1[0] * q1[1] - p1[1] * q1[0];
        self.area += 0.5 * cross;
        (0..2).for_each(|i| self.moment[i] += cross * (p1[i] + q1[i]) / 6.0);
    }

    /// An arc of radius `r` about `k`, from the direction `from` to the direction `to`, as far as it is below.
    fn arc(&mut self, k: [f64; 2], r: f64, from: [f64; 2], to: [f64; 2]) {
        let sweep = atan2_f64(from[0] * to[1] - from[1] * to[0], dot(from, to));
        // The two edges of a capsule look exactly opposite ways: half a turn, whatever the sign of the rounding.
        let sweep = if sweep < 0.0 { sweep + 2.0 * PI } else { sweep };
        if sweep >= 2.0 * PI - ROUNDING {
            return;
        }
        let start = atan2_f64(from[1], from[0]);
        let limit = -dot(self.normal, k) / r;
        if limit >= 1.0 {
            self.piece(k, r, start, start + sweep);
            return;
        }
        if limit <= -1.0 {
            return;
        }
        // Below are the directions at least `open` away from the normal.
        let open = atan2_f64((1.0 - limit * limit).sqrt(), limit);
        let up = atan2_f64(self.normal[1], self.normal[0]);
        for turn in [-1.0, 0.0, 1.0] {
            let first = (up + open + 2.0 * PI * turn).max(start);
            let last = (up - open + 2.0 * PI * (turn + 1.0)).min(start + sweep);
            if last > first {
                self.piece(k, r, first, last);
            }
        }
    }

    /// An arc between two angles.
    fn piece(&mut self, k: [f64; 2], r: f64, first: f64, last: f64) {
        let ((s1, c1), (s2, c2)) = (sin_cos_f64(first), sin_cos_f64(last));
        let angle = last - first;
        // ∫u and ∫u uᵀ over the directions u.
        let u = [s2 - s1, c1 - c2];
        let double = s2 * c2 - s1 * c1;
        let (xx, yy, xy) = (0.5 * (angle + double), 0.5 * (angle - double), 0.5 * (s2 * s2 - s1 * s1));
        let cross = r * dot(k, u) + r * r * angle;
        self.area += 0.5 * cross;
        let turned = [xx * k[0] + xy * k[1], xy * k[0] + yy * k[1]];
        (0..2).for_each(|i| self.moment[i] += (k[i] * cross + r * r * turned[i] + r * r * r * u[i]) / 3.0);
    }
}
