//! Exact area, centre and moment of inertia of rounded polygons.
//!
//! The inflated shape is the core, a strip of the width of the radius along every edge, and a sector of a circle at
//! every corner. Moments are taken about the frame's origin and summed in f64, then moved to the centre.

use super::outline::Outline;
use crate::math::*;
use crate::shape::Mass;

/// Area [m²], first moment [m³] and polar second moment [m⁴] about the origin.
#[derive(Clone, Copy, Default)]
struct Moments {
    area: f64,
    first: [f64; 2],
    second: f64,
}

impl Moments {
    /// Adds a part with the given moments about its own point `p`.
    fn add(&mut self, p: [f64; 2], area: f64, first: [f64; 2], second: f64) {
        self.area += area;
        self.first[0] += first[0] + area * p[0];
        self.first[1] += first[1] + area * p[1];
        // |p + x|² = |p|² + 2 p·x + |x|².
        self.second += area * dot(p, p) + 2.0 * dot(p, first) + second;
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Outline<'_> {
    /// Mass for `density` [kg/m²], about the centre of mass.
    pub(crate) fn mass(&self, density: Real) -> Mass<D2> {
        let wide = |v: Vec2| [f64::from(v.x), f64::from(v.y)];
        let r = f64::from(self.radius);
        let mut sum = Moments::default();
        // Triangles fan out from the first corner: no cancellation for shapes far from their origin.
        let base = wide(self.vertices[0]);
        for i in 0..self.len() {
            let (p, q) = (wide(self.vertices[i]), wide(self.vertices[self.next(i)]));
            let (u, v) = ([p[0] - base[0], p[1] - base[1]], [q[0] - base[0], q[1] - base[1]]);
            let area = 0.5 * cross(u, v);
            let third = area / 3.0;
            let first = [third * (u[0] + v[0]), third * (u[1] + v[1])];
            // ∫|x|² over the triangle (0, u, v) is its area times (u² + u·v + v²) / 6.
            sum.add(base, area, first, area * (dot(u, u) + dot(u, v) + dot(v, v)) / 6.0);
            if r == 0.0 {
                continue;
            }
            let edge = [q[0] - p[0], q[1] - p[1]];
            let length = dot(edge, edge).sqrt();
            let n = wide(self.normals[i]);
            // Strip: rectangle length × r, centred half a radius outside the middle of the edge.
            let center = [0.5 * (p[0] + q[0]) + 0.5 * r * n[0], 0.5 * (p[1] + q[1]) + 0.5 * r * n[1]];
            let strip = length * r;
            sum.add(center, strip, [0.0; 2], strip * (length * length + r * r) / 12.0);
            // Sector at q, from this edge's normal to the next one's. ∫(cos, sin)dφ gives the first moment without
            // the angle itself.
            let m = wide(self.normals[self.next(i)]);
            let angle = f64::from(atan2(cross(n, m) as Real, dot(n, m) as Real));
            let r3 = r * r * r / 3.0;
            sum.add(
                q,
                0.5 * r * r * angle,
                [r3 * (m[1] - n[1]), r3 * (n[0] - m[0])],
                0.25 * r * r * r * r * angle,
            );
        }
        if sum.area <= 0.0 {
            return Mass::ZERO;
        }
        let center = [sum.first[0] / sum.area, sum.first[1] / sum.area];
        let about_center = sum.second - sum.area * dot(center, center);
        let density = f64::from(density);
        Mass {
            mass: (density * sum.area) as Real,
            center: Vec2::new(center[0] as Real, center[1] as Real),
            inertia: (density * about_center) as Real,
        }
    }
}
