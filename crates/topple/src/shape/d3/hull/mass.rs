//! Exact mass of convex polyhedra, sharp and rounded, in f64.
//!
//! A polyhedron inflated by r is the sum of itself, a slab of thickness r on each face, a sector of a cylinder along each
//! edge, and a sector of a ball at each vertex, whose directions are the spherical polygon spanned by the normals
//! of the faces that meet there. All integrals of 1, x and x xᵀ over these parts have closed forms.

use super::HullData;
use crate::distance::Wide;
use crate::math::*;
use crate::shape::Mass;

/// 1 + cosine of two normals of one vertex, at least (no unit): they are never opposite, but rounding may say so.
const OPPOSITE: f64 = 1e-12;

/// Integrals of 1, x and x xᵀ (entries xx, yy, zz, xy, xz, yz).
#[derive(Clone, Copy, Default)]
pub(in crate::shape::d3) struct Moments {
    volume: f64,
    first: Wide,
    second: [f64; 6],
}

/// The six entries of a symmetrised product ½(u vᵀ + v uᵀ).
fn outer(u: Wide, v: Wide) -> [f64; 6] {
    [
        u.x * v.x,
        u.y * v.y,
        u.z * v.z,
        0.5 * (u.x * v.y + u.y * v.x),
        0.5 * (u.x * v.z + u.z * v.x),
        0.5 * (u.y * v.z + u.z * v.y),
    ]
}

impl Moments {
    fn add_second(&mut self, u: Wide, v: Wide, factor: f64) {
        for (sum, x) in self.second.iter_mut().zip(outer(u, v)) {
            *sum += x * factor;
        }
    }

    /// The tetrahedron from the origin to a triangle, negative if the origin is in front of it:
    /// ∫x = V/4 Σ, ∫xxᵀ = V/20 (Σ vvᵀ + ΣΣᵀ).
    pub(in crate::shape::d3) fn add_cone(&mut self, [a, b, c]: [Wide; 3]) {
        let volume = b.cross(c).dot(a) / 6.0;
        let total = a + b + c;
        self.volume += volume;
        self.first = self.first + total * (volume / 4.0);
        for v in [a, b, c, total] {
            self.add_second(v, v, volume / 20.0);
        }
    }

    /// A body with integrals `volume`, `first`, and second moments `second` about `at`, moved there.
    fn add_at(&mut self, at: Wide, volume: f64, first: Wide) {
        self.volume += volume;
        self.first = self.first + at * volume + first;
        self.add_second(at, at, volume);
        self.add_second(at, first, 2.0);
    }

    /// Mass properties, `origin` being where the moments were taken from.
    pub(in crate::shape::d3) fn finish(&self, origin: Wide, density: Real) -> Mass<D3> {
        let density = f64::from(density);
        if self.volume <= 0.0 {
            return Mass::ZERO;
        }
        let center = self.first * (1.0 / self.volume);
        let mut second = self.second;
        for (s, x) in second.iter_mut().zip(outer(center, center)) {
            *s -= x * self.volume;
        }
        let [xx, yy, zz, xy, xz, yz] = second.map(|s| s * density);
        Mass {
            mass: (self.volume * density) as Real,
            center: (origin + center).narrow(),
            inertia: SymMat3 {
                diagonal: Vec3::new((yy + zz) as Real, (zz + xx) as Real, (xx + yy) as Real),
                off: Vec3::new(-xy as Real, -xz as Real, -yz as Real),
            },
        }
    }
}

impl HullData {
    /// Mass of the sharp hull.
    pub(in crate::shape) fn mass(&self, density: Real) -> Mass<D3> {
        rounded_mass(self, 0.0, density)
    }

    /// A point inside, from which all moments are taken: far from the origin they would cancel.
    fn middle(&self) -> Wide {
        let sum = self.vertices.iter().fold(Wide::ZERO, |s, &v| s + Wide::of(v));
        sum * (1.0 / self.vertices.len() as f64)
    }
}

/// Mass of the hull inflated by `radius`.
pub(in crate::shape::d3) fn rounded_mass(hull: &HullData, radius: Real, density: Real) -> Mass<D3> {
    let r = f64::from(radius);
    let origin = hull.middle();
    let vertices: Vec<Wide> = hull.vertices.iter().map(|&v| Wide::of(v) - origin).collect();
    let mut sum = Moments::default();
    let normals: Vec<Wide> = hull.faces.iter().map(|f| Wide::of(f.normal)).collect();
    for (face, &normal) in hull.faces.iter().zip(&normals) {
        let corners: Vec<Wide> = hull.view().corners(face).map(|i| vertices[i]).collect();
        for pair in corners[1..].windows(2) {
            triangle(&mut sum, [corners[0], pair[0], pair[1]], normal, r);
        }
    }
    if r > 0.0 {
        for edge in &hull.edges {
            let ends = edge.vertices.map(|i| vertices[usize::from(i)]);
            let sides = edge.faces.map(|i| normals[usize::from(i)]);
            sector(&mut sum, ends, sides, r);
        }
        for (i, &at) in vertices.iter().enumerate() {
            ball(&mut sum, at, &around(hull, i, &normals), r);
        }
    }
    sum.finish(origin, density)
}

/// The cone from the origin to a triangle, and the slab of thickness `r` on it.
fn triangle(sum: &mut Moments, [a, b, c]: [Wide; 3], normal: Wide, r: f64) {
    sum.add_cone([a, b, c]);
    let total = a + b + c;
    if r > 0.0 {
        let area = 0.5 * (b - a).cross(c - a).dot(normal);
        let mean = total * (1.0 / 3.0);
        // Slab: x = triangle + s n, s in [0, r].
        sum.volume += area * r;
        sum.first = sum.first + mean * (area * r) + normal * (0.5 * area * r * r);
        for v in [a, b, c, total] {
            sum.add_second(v, v, area * r / 12.0);
        }
        sum.add_second(mean, normal, area * r * r);
        sum.add_second(normal, normal, area * r * r * r / 3.0);
    }
}

/// The part of a cylinder about an edge between the normals of its two faces.
fn sector(sum: &mut Moments, [p, q]: [Wide; 2], [n1, n2]: [Wide; 2], r: f64) {
    let cross = n1.cross(n2);
    let (sin, cos) = (cross.length(), n1.dot(n2));
    let Some(e2) = (n2 - n1 * cos).unit() else { return };
    let angle = f64::from(atan2(sin as Real, cos as Real));
    let length = (q - p).length();
    let middle = (p + q) * 0.5;
    // Integrals over the sector about its tip; e1 = n1, e2 across.
    let s0 = 0.5 * r * r * angle;
    let s1 = (n1 * sin + e2 * (1.0 - cos)) * (r * r * r / 3.0);
    let quart = r * r * r * r / 4.0;
    sum.add_at(middle, length * s0, s1 * length);
    sum.add_second(q - p, q - p, s0 * length / 12.0);
    sum.add_second(n1, n1, length * quart * 0.5 * (angle + sin * cos));
    sum.add_second(e2, e2, length * quart * 0.5 * (angle - sin * cos));
    sum.add_second(n1, e2, length * quart * sin * sin);
}

/// Normals of the faces around a vertex, in order.
fn around(hull: &HullData, vertex: usize, normals: &[Wide]) -> Vec<Wide> {
    let edges = &hull.half_edges;
    let Some(start) = edges.iter().position(|h| usize::from(h.vertex) == vertex) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = start;
    loop {
        found.push(normals[usize::from(edges[at].face)]);
        // To the next face round the vertex: across this edge, then on to the edge that starts at the vertex again.
        at = hull.view().next(usize::from(edges[at].twin));
        if at == start || found.len() > edges.len() {
            return found;
        }
    }
}

/// The part of a ball about a vertex whose directions lie in the spherical polygon of `normals`. By the divergence
/// theorem on the sphere, with θ the length and p = a × b/|a × b| the pole of the arc from a to b:
/// ∫n dΩ = ½ Σ θ p, and ∫n nᵀ dΩ = ⅓ (Ω 1 + Σ p (a + b)ᵀ tan(θ/2)).
fn ball(sum: &mut Moments, at: Wide, normals: &[Wide], r: f64) {
    let n = normals.len();
    let mut solid = 0.0;
    for k in 1..n.max(2) - 1 {
        let (a, b, c) = (normals[0], normals[k], normals[k + 1]);
        let below = 1.0 + a.dot(b) + b.dot(c) + c.dot(a);
        solid += 2.0 * f64::from(atan2(a.dot(b.cross(c)) as Real, below as Real));
    }
    // The walk above may go round either way.
    let turn = if solid < 0.0 { -1.0 } else { 1.0 };
    let solid = solid.abs();
    let mut first = Wide::ZERO;
    let volume = solid * r * r * r / 3.0;
    let fifth = r * r * r * r * r / 5.0;
    for k in 0..n {
        let (a, b) = (normals[k], normals[(k + 1) % n]);
        let cross = a.cross(b) * turn;
        let (sin, cos) = (cross.length(), a.dot(b));
        if let Some(pole) = cross.unit() {
            first = first + pole * (0.5 * f64::from(atan2(sin as Real, cos as Real)));
            sum.add_second(cross, a + b, fifth / 3.0 / (1.0 + cos).max(OPPOSITE));
        }
    }
    for e in [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0)] {
        sum.add_second(e, e, fifth / 3.0 * solid);
    }
    sum.add_at(at, volume, first * (r * r * r * r / 4.0));
}
