//! Exact mass, centre and inertia of the shapes of the space.
//!
//! All in f64 and rounded once at the end. Hulls are in `hull/mass.rs`, cylinders and cones in `revolved.rs`; rounded boxes are sums of a core, six slabs, twelve quarter
//! cylinders and eight eighths of a sphere.

use super::{Shape3, hull, revolved};
use crate::math::*;
use crate::shape::Mass;
use core::f64::consts::PI;

pub(super) fn mass(shape: &Shape3, density: Real) -> Mass<D3> {
    match shape {
        Shape3::Sphere { radius } => {
            let r = f64::from(*radius);
            let volume = 4.0 / 3.0 * PI * r * r * r;
            let moment = 2.0 / 5.0 * volume * r * r;
            diagonal(density, volume, [moment; 3])
        }
        Shape3::Box { half, radius } => rounded_box(density, *half, *radius),
        Shape3::Capsule { a, b, radius } => capsule(density, *a, *b, *radius),
        Shape3::Plane { .. } | Shape3::Triangle { .. } | Shape3::HeightField { .. } => Mass::ZERO,
        Shape3::Mesh { data } => data.mass(density),
        Shape3::Cylinder { half_height, radius, rounding } => {
            revolved::cylinder_mass(*half_height, *radius, *rounding, density)
        }
        Shape3::Cone { half_height, radius, rounding } => {
            revolved::cone_mass(*half_height, *radius, *rounding, density)
        }
        Shape3::Hull { data, radius } => hull::rounded_mass(data, *radius, density),
    }
}

/// Mass about the origin with the moments along the axes given for density 1.
fn diagonal(density: Real, volume: f64, moments: [f64; 3]) -> Mass<D3> {
    let density = f64::from(density);
    let [x, y, z] = moments.map(|m| (m * density) as Real);
    Mass {
        mass: (volume * density) as Real,
        center: Vec3::ZERO,
        inertia: SymMat3::from_diagonal(Vec3::new(x, y, z)),
    }
}

/// A box with half sizes h, inflated by r. The second moment along one axis, ∫x² dV, is the sum over the parts
/// that have the same spread in x; with V₀ = 8 h₀h₁h₂:
/// core and the slabs on the other two sides reach ±h, the slabs at the ends fill [h, h + r], and so on.
fn rounded_box(density: Real, half: Vec3, radius: Real) -> Mass<D3> {
    let h = [f64::from(half.x), f64::from(half.y), f64::from(half.z)];
    let r = f64::from(radius);
    let mut second = [0.0; 3];
    for i in 0..3 {
        let (hi, hj, hk) = (h[i], h[(i + 1) % 3], h[(i + 2) % 3]);
        // Cross-section that runs the whole length 2hi: rectangle, four strips, a disc in four quarters.
        let section = 4.0 * hj * hk + 4.0 * (hj + hk) * r + PI * r * r;
        second[i] += section * (2.0 * hi * hi * hi / 3.0);
        // The two end slabs, x in [hi, hi + r].
        let end = ((hi + r) * (hi + r) * (hi + r) - hi * hi * hi) / 3.0;
        second[i] += 2.0 * 4.0 * hj * hk * end;
        // Half cylinders along the edges of the ends: two of length 2hj and two of length 2hk at each end, quarter
        // discs of area πr²/4, centroid hi + 4r/(3π) and ∫u² = πr⁴/16 about the edge.
        let quarter = hi * hi * PI * r * r / 4.0 + 2.0 * hi * r * r * r / 3.0 + PI * r * r * r * r / 16.0;
        second[i] += 2.0 * (2.0 * 2.0 * hj + 2.0 * 2.0 * hk) * quarter;
        // Half balls at the ends: volume 2πr³/3, ∫u = πr⁴/4, ∫u² = 2πr⁵/15.
        let (r3, r4, r5) = (r * r * r, r * r * r * r, r * r * r * r * r);
        let ball = hi * hi * 2.0 * PI * r3 / 3.0 + 2.0 * hi * PI * r4 / 4.0 + 2.0 * PI * r5 / 15.0;
        second[i] += 2.0 * ball;
    }
    let [x, y, z] = h;
    let volume = 8.0 * x * y * z
        + 8.0 * r * (x * y + y * z + z * x)
        + 2.0 * PI * r * r * (x + y + z)
        + 4.0 / 3.0 * PI * r * r * r;
    let [sx, sy, sz] = second;
    diagonal(density, volume, [sy + sz, sz + sx, sx + sy])
}

fn capsule(density: Real, a: Vec3, b: Vec3, radius: Real) -> Mass<D3> {
    let r = f64::from(radius);
    let axis = b - a;
    let length = f64::from(axis.length());
    let unit = axis.normalize_or(Vec3::Y);
    let cylinder = PI * r * r * length;
    let ball = 4.0 / 3.0 * PI * r * r * r;
    let along = (0.5 * cylinder + 2.0 / 5.0 * ball) * r * r;
    // Half balls sit at ±length/2, their centroid 3r/8 further out.
    let across = cylinder * (length * length / 12.0 + r * r / 4.0)
        + ball * (2.0 / 5.0 * r * r + length * length / 4.0 + 3.0 / 8.0 * length * r);
    let density = f64::from(density);
    let (along, across) = ((along * density) as Real, (across * density) as Real);
    // I = across·1 + (along − across)·u uᵀ.
    let u = unit;
    let d = along - across;
    Mass {
        mass: ((cylinder + ball) * density) as Real,
        center: (a + b) * 0.5,
        inertia: SymMat3 {
            diagonal: Vec3::splat(across) + u * u * d,
            off: Vec3::new(u.x * u.y, u.x * u.z, u.y * u.z) * d,
        },
    }
}
