//! Shapes of the space in wind and water: pieces of the surface, and the part below a plane.
//!
//! Spheres, boxes, hulls and solid meshes are cut exactly. A polyhedron is the sum of the tetrahedra from a point to its faces; with the
//! point on the plane of the cut, the cut itself adds nothing, so clipping the faces is all there is to do. Capsules, cylinders
//! and cones are integrated slice by slice along their axis, each slice a disc cut by a line, in closed form: good to 1e-6
//! of the volume. Rounded boxes and hulls are taken as sharp ones of the same volume: exact when all of it is under water.

use super::revolved::{Arc, NODES, cone_arcs, cylinder_arcs};
use super::{BoxHull, HullView, Shape3};
use crate::distance::Wide;
use crate::math::*;
use crate::shape::{Facet, ShapeOps, Submerged};
use core::f64::consts::PI;

/// Strips that the side of a body of revolution is cut into, for wind: the area they show varies by 0.7 % as it turns.
const STRIPS: usize = 16;

/// Adds what the wind sees.
pub(super) fn facets(shape: &Shape3, out: &mut Vec<Facet<D3>>) {
    let ball = |center: Vec3, radius: Real, share: Real| Facet {
        center,
        normal: Vec3::ZERO,
        area: share * core::f32::consts::PI * radius * radius,
    };
    match shape {
        Shape3::Sphere { radius } => out.push(ball(Vec3::ZERO, *radius, 1.0)),
        Shape3::Box { half, radius } => {
            let half = *half + Vec3::splat(*radius);
            for i in 0..6 {
                let normal = BoxHull::normal(i);
                let area = 4.0 * half[(i / 2 + 1) % 3] * half[(i / 2 + 2) % 3];
                out.push(Facet { center: normal * half, normal, area });
            }
        }
        Shape3::Hull { data, radius } => {
            let growth = if *radius > 0.0 { growth(shape, data.mass(1.0).mass) } else { 1.0 };
            let view = data.view();
            for face in view.faces {
                let mut corners = view.corners(face).map(|i| view.vertices[i]);
                let (Some(first), Some(mut last)) = (corners.next(), corners.next()) else { continue };
                let (mut area, mut center) = (0.0, Vec3::ZERO);
                for corner in corners {
                    let part = 0.5 * (last - first).cross(corner - first).dot(face.normal);
                    area += part;
                    center += (first + last + corner) * (part / 3.0);
                    last = corner;
                }
                if area > 0.0 {
                    let center = center * (1.0 / area) + face.normal * *radius;
                    out.push(Facet { center, normal: face.normal, area: area * growth * growth });
                }
            }
        }
        Shape3::Capsule { a, b, radius } => {
            // Seen from anywhere: the side of the cylinder, and one disc from both ends together.
            strips(out, (*a, *radius), (*b, *radius));
            out.push(ball(*a, *radius, 0.5));
            out.push(ball(*b, *radius, 0.5));
        }
        Shape3::Cylinder { half_height, radius, rounding } => {
            let (top, r) = (Vec3::Y * (half_height + rounding), radius + rounding);
            strips(out, (-top, r), (top, r));
            for end in [top, -top] {
                let normal = end.normalize_or(Vec3::Y);
                out.push(Facet { center: end, normal, area: core::f32::consts::PI * r * r });
            }
        }
        Shape3::Cone { half_height, radius, rounding } => {
            let (top, r) = (Vec3::Y * (half_height + rounding), radius + rounding);
            strips(out, (-top, r), (top, 0.0));
            out.push(Facet { center: -top, normal: -Vec3::Y, area: core::f32::consts::PI * r * r });
        }
        // Triangle by triangle; what is not solid catches no wind, as planes do not.
        Shape3::Mesh { data } if data.is_solid() => {
            for index in 0..data.triangles().len() as u32 {
                let [a, b, c] = data.corners(index);
                let normal = data.normals()[index as usize];
                let area = 0.5 * (b - a).cross(c - a).length();
                out.push(Facet { center: (a + b + c) * (1.0 / 3.0), normal, area });
            }
        }
        Shape3::Plane { .. } | Shape3::Triangle { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => {
        }
    }
}

/// The side of a cylinder or cone between two circles, in strips.
fn strips(out: &mut Vec<Facet<D3>>, (a, r_a): (Vec3, Real), (b, r_b): (Vec3, Real)) {
    let length = (b - a).length();
    if length <= 0.0 {
        return;
    }
    let axis = (b - a) / length;
    let [x, y] = D3::tangent_basis(axis);
    let fall = r_a - r_b;
    let slant = (length * length + fall * fall).sqrt();
    let area = core::f32::consts::PI * (r_a + r_b) * slant / STRIPS as Real;
    // Centroid of the trapezoid between the two circles.
    let share = (r_a + 2.0 * r_b) / (3.0 * (r_a + r_b));
    let (radius, middle) = (r_a - fall * share, a + axis * (length * share));
    for k in 0..STRIPS {
        let (s, c) = sin_cos(core::f32::consts::TAU * (k as Real + 0.5) / STRIPS as Real);
        let out_of = x * c + y * s;
        let normal = (out_of * length + axis * fall) / slant;
        out.push(Facet { center: middle + out_of * radius, normal, area });
    }
}

/// Factor on lengths by which a sharp core of the given volume grows to the volume of the rounded shape.
fn growth(shape: &Shape3, core: Real) -> Real {
    let ratio = f64::from(shape.mass(1.0).mass / core);
    // Cube root by Newton: the ratio is at least 1 and hardly above.
    let root = (0..40).fold(ratio.sqrt(), |x, _| (2.0 * x + ratio / (x * x)) / 3.0);
    if root.is_finite() { root as Real } else { 1.0 }
}

/// The part of a shape with normal·x ≤ offset.
pub(super) fn submerged(shape: &Shape3, normal: Vec3, offset: Real) -> Submerged<D3> {
    let (n, d) = (Wide::of(normal), f64::from(offset));
    match shape {
        Shape3::Sphere { radius } => {
            let r = f64::from(*radius);
            let s = (d / r).clamp(-1.0, 1.0);
            let volume = PI * r * r * r * (s + 1.0) * (s + 1.0) * (2.0 - s) / 3.0;
            let rest = r * r * (1.0 - s * s);
            finish(volume, n * (-PI * rest * rest / 4.0), Wide::ZERO)
        }
        Shape3::Box { half, radius } => {
            let core = 8.0 * half.x * half.y * half.z;
            let half = if *radius > 0.0 { *half * growth(shape, core) } else { *half };
            let middle = Wide::ZERO;
            let mut cut = Cut::new(n, d, middle);
            for i in 0..6 {
                cut.face(BoxHull::corners(half, i).into_iter().map(Wide::of));
            }
            finish(cut.volume, cut.moment, cut.origin)
        }
        Shape3::Hull { data, radius } => {
            let growth = if *radius > 0.0 { growth(shape, data.mass(1.0).mass) } else { 1.0 };
            polyhedron(&data.view(), data.center(), f64::from(growth), n, d)
        }
        Shape3::Capsule { a, b, radius } => {
            let axis = *b - *a;
            let length = axis.length();
            let up = if length > 0.0 { axis / length } else { Vec3::Y };
            let arcs = cylinder_arcs(0.5 * length, 0.0);
            revolved(&arcs, f64::from(*radius), Wide::of(up), Wide::of((*a + *b) * 0.5), n, d)
        }
        Shape3::Cylinder { half_height, radius, rounding } => {
            let arcs = cylinder_arcs(*half_height, *radius);
            revolved(&arcs, f64::from(*rounding), Wide::of(Vec3::Y), Wide::ZERO, n, d)
        }
        Shape3::Cone { half_height, radius, rounding } => {
            let arcs = cone_arcs(*half_height, *radius);
            revolved(&arcs, f64::from(*rounding), Wide::of(Vec3::Y), Wide::ZERO, n, d)
        }
        Shape3::Mesh { data } if data.is_solid() => {
            let mut cut = Cut::new(n, d, Wide::of(data.mass(1.0).center));
            for index in 0..data.triangles().len() as u32 {
                cut.face(data.corners(index).into_iter().map(Wide::of));
            }
            finish(cut.volume, cut.moment, cut.origin)
        }
        Shape3::Plane { .. } | Shape3::Triangle { .. } | Shape3::Mesh { .. } | Shape3::HeightField { .. } => {
            Submerged::default()
        }
    }
}

fn finish(volume: f64, moment: Wide, origin: Wide) -> Submerged<D3> {
    if volume.is_nan() || volume <= 0.0 {
        return Submerged::default();
    }
    Submerged { volume: volume as Real, center: (origin + moment * (1.0 / volume)).narrow() }
}

fn polyhedron(view: &HullView<'_>, center: Vec3, growth: f64, n: Wide, d: f64) -> Submerged<D3> {
    let middle = Wide::of(center);
    let mut cut = Cut::new(n, d, middle);
    for face in view.faces {
        let corner = |i: usize| middle + (Wide::of(view.vertices[i]) - middle) * growth;
        cut.face(view.corners(face).map(corner));
    }
    finish(cut.volume, cut.moment, cut.origin)
}

/// Volume and first moment of what is below a plane, about a point of that plane.
pub(crate) struct Cut {
    normal: Wide,
    origin: Wide,
    volume: f64,
    moment: Wide,
}

impl Cut {
    /// The plane n·x = d, with the moments taken about its point nearest to `middle`: far away the sums would cancel.
    pub(crate) fn new(normal: Wide, d: f64, middle: Wide) -> Self {
        let origin = middle + normal * (d - normal.dot(middle));
        Self { normal, origin, volume: 0.0, moment: Wide::ZERO }
    }

    /// Adds a flat face, counter-clockwise from outside, as far as it is below.
    pub(crate) fn face(&mut self, corners: impl Iterator<Item = Wide> + Clone) {
        let origin = self.origin;
        let corners = corners.map(move |c| c - origin);
        let Some(mut last) = corners.clone().last() else { return };
        let mut last_height = self.normal.dot(last);
        let (mut first, mut previous): (Option<Wide>, Option<Wide>) = (None, None);
        let mut give = |sum: &mut Self, p: Wide| match (first, previous) {
            (Some(a), Some(b)) => {
                let volume = a.dot(b.cross(p)) / 6.0;
                sum.volume += volume;
                sum.moment = sum.moment + (a + b + p) * (volume / 4.0);
                previous = Some(p);
            }
            (Some(_), None) => previous = Some(p),
            _ => first = Some(p),
        };
        for corner in corners {
            let height = self.normal.dot(corner);
            if (height > 0.0) != (last_height > 0.0) {
                give(self, last + (corner - last) * (last_height / (last_height - height)));
            }
            if height <= 0.0 {
                give(self, corner);
            }
            (last, last_height) = (corner, height);
        }
    }
}

/// A body of revolution about `up` through `middle`, given by the corners of its outline and their rounding.
fn revolved(arcs: &[Arc], r: f64, up: Wide, middle: Wide, n: Wide, d: f64) -> Submerged<D3> {
    let along = n.dot(up);
    let side = n - up * along;
    let across = side.length();
    let outward = side.unit().unwrap_or(Wide::ZERO);
    let mut slices = Slices { along, across, depth: d - n.dot(middle), sums: [0.0; 3] };
    let end = |c: [f64; 2], m: [f64; 2]| [c[0] + r * m[0], c[1] + r * m[1]];
    for (k, arc) in arcs.iter().enumerate() {
        if r > 0.0 {
            slices.add(|t| {
                let v = [0, 1].map(|i| arc.from[i] + t * (arc.to[i] - arc.from[i]));
                let l = (v[0] * v[0] + v[1] * v[1]).sqrt();
                let m = [v[0] / l, v[1] / l];
                let turn = [arc.to[0] - arc.from[0], arc.to[1] - arc.from[1]];
                let p = end(arc.center, m);
                (p[0], p[1], r * (turn[1] - m[1] * (m[0] * turn[0] + m[1] * turn[1])) / l)
            });
        }
        if let Some(next) = arcs.get(k + 1) {
            let (p, q) = (end(arc.center, arc.to), end(next.center, next.from));
            slices.add(|t| (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), q[1] - p[1]));
        }
    }
    let [volume, lift, shift] = slices.sums;
    finish(volume, up * lift + outward * shift, middle)
}

/// Sums over the slices of a body of revolution: volume, ∫y dV along the axis, ∫x dV across it.
struct Slices {
    /// Parts of the water's normal along and across the axis.
    along: f64,
    across: f64,
    /// Height of the water over the middle.
    depth: f64,
    sums: [f64; 3],
}

impl Slices {
    /// How far out the water cuts the slice at height y, in units of 1/across: positive is the wet side.
    fn reach(&self, y: f64) -> f64 {
        self.depth - self.along * y
    }

    /// Adds a smooth piece of the outline, t in [0, 1] ↦ (radius, height, d height/dt).
    fn add(&mut self, curve: impl Fn(f64) -> (f64, f64, f64)) {
        // Where the surface of the water enters or leaves the slices, the sums have a kink.
        const PANELS: usize = 8;
        let mut knots = [0.0; 2 + 2 * PANELS];
        (knots[0], knots[1]) = (0.0, 1.0);
        let mut count = 2;
        for sign in [-1.0, 1.0] {
            let gap = |t: f64| {
                let (rho, y, _) = curve(t);
                self.reach(y) + sign * self.across * rho
            };
            for panel in 0..PANELS {
                let (mut low, mut high) = (panel as f64 / PANELS as f64, (panel + 1) as f64 / PANELS as f64);
                let below = gap(low) <= 0.0;
                if below == (gap(high) <= 0.0) {
                    continue;
                }
                for _ in 0..50 {
                    let middle = 0.5 * (low + high);
                    if (gap(middle) <= 0.0) == below { low = middle } else { high = middle }
                }
                knots[count] = 0.5 * (low + high);
                count += 1;
            }
        }
        knots[..count].sort_unstable_by(f64::total_cmp);
        for pair in 1..count {
            self.span(&curve, knots[pair - 1], knots[pair]);
        }
    }

    /// Gauss' rule between two knots. The parameter runs slowly at both ends, where the slices change like a root.
    fn span(&mut self, curve: &impl Fn(f64) -> (f64, f64, f64), from: f64, to: f64) {
        const PANELS: u32 = 4;
        for panel in 0..PANELS {
            for (node, weight) in NODES {
                let s = (f64::from(panel) + 0.5 + 0.5 * node) / f64::from(PANELS);
                let t = from + (to - from) * s * s * (3.0 - 2.0 * s);
                let rate = (to - from) * 6.0 * s * (1.0 - s);
                let (rho, y, dy) = curve(t);
                let (area, moment) = self.slice(rho, y);
                let step = 0.5 * weight / f64::from(PANELS) * rate * dy;
                self.sums[0] += area * step;
                self.sums[1] += area * y * step;
                self.sums[2] += moment * step;
            }
        }
    }

    /// Wet area of the disc of radius `rho` at height y, and its first moment across the axis.
    fn slice(&self, rho: f64, y: f64) -> (f64, f64) {
        let reach = self.reach(y);
        if reach >= self.across * rho {
            return (PI * rho * rho, 0.0);
        }
        if reach <= -self.across * rho || rho <= 0.0 {
            return (0.0, 0.0);
        }
        let s = (reach / (self.across * rho)).clamp(-1.0, 1.0);
        let half_chord = (1.0 - s * s).sqrt();
        let area = rho * rho * (PI - atan2_f64(half_chord, s) + s * half_chord);
        (area, -2.0 / 3.0 * rho * rho * rho * half_chord * half_chord * half_chord)
    }
}
