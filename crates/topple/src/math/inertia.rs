//! Symmetric 3×3 matrices: inertia tensors of 3D bodies.

use super::{InertiaOps, Quat, Real, RotOps, Vec3};
use crate::D3;

/// How far moments may miss the triangle inequality (no unit): rounding of what users type.
const TRIANGLE_SLACK: Real = 1e-4;
/// Differences of the moments, as a share of the largest, that give no gyroscopic torque worth computing (no unit).
const ISOTROPIC: Real = 1e-6;
/// Turn per step below which precession is lost in the rounding of the spin [rad].
const NO_SPIN: Real = 1e-8;

/// A symmetric 3×3 matrix, stored as its diagonal and its upper off-diagonal entries. As an inertia tensor in [kg·m²].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymMat3 {
    /// Entries xx, yy, zz [kg·m²].
    pub diagonal: Vec3,
    /// Entries xy, xz, yz [kg·m²].
    pub off: Vec3,
}

impl SymMat3 {
    /// A diagonal matrix: a tensor about its principal axes [kg·m²].
    pub const fn from_diagonal(diagonal: Vec3) -> Self {
        Self { diagonal, off: Vec3::ZERO }
    }

    /// From the three columns of a matrix that is symmetric.
    fn from_columns(x: Vec3, y: Vec3, z: Vec3) -> Self {
        Self { diagonal: Vec3::new(x.x, y.y, z.z), off: Vec3::new(y.x, z.x, z.y) }
    }

    /// The three columns (= rows) [kg·m²].
    pub fn columns(self) -> [Vec3; 3] {
        let (d, o) = (self.diagonal, self.off);
        [Vec3::new(d.x, o.x, o.y), Vec3::new(o.x, d.y, o.z), Vec3::new(o.y, o.z, d.z)]
    }

    /// Matrix times vector: with w [rad/s] the angular momentum [N·m·s].
    #[inline]
    pub fn mul_vec(self, v: Vec3) -> Vec3 {
        let (d, o) = (self.diagonal, self.off);
        Vec3::new(
            d.x * v.x + o.x * v.y + o.y * v.z,
            o.x * v.x + d.y * v.y + o.z * v.z,
            o.y * v.x + o.z * v.y + d.z * v.z,
        )
    }

    /// Determinant, in the third power of the unit of the entries [kg³·m⁶].
    pub fn determinant(self) -> Real {
        let [x, y, z] = self.columns();
        x.dot(y.cross(z))
    }
}

impl InertiaOps<D3> for SymMat3 {
    const ZERO: Self = Self { diagonal: Vec3::ZERO, off: Vec3::ZERO };

    #[inline]
    fn apply(self, w: Vec3) -> Vec3 {
        self.mul_vec(w)
    }

    fn plus(self, other: Self) -> Self {
        Self { diagonal: self.diagonal + other.diagonal, off: self.off + other.off }
    }

    fn scaled(self, factor: Real) -> Self {
        Self { diagonal: self.diagonal * factor, off: self.off * factor }
    }

    fn inverse(self) -> Self {
        // In f64: the cofactors of a small body (mm, grams) would underflow in f32.
        let [x, y, z] = self.columns().map(|c| [f64::from(c.x), f64::from(c.y), f64::from(c.z)]);
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let (yz, zx, xy) = (cross(y, z), cross(z, x), cross(x, y));
        let det = x[0] * yz[0] + x[1] * yz[1] + x[2] * yz[2];
        if det <= 0.0 || !det.is_finite() {
            return Self::ZERO;
        }
        let inv = 1.0 / det;
        let row = |c: [f64; 3]| Vec3::new((c[0] * inv) as Real, (c[1] * inv) as Real, (c[2] * inv) as Real);
        Self::from_columns(row(yz), row(zx), row(xy))
    }

    #[inline]
    fn rotated(self, rot: Quat) -> Self {
        // Columns of R, then R I Rᵀ = Σ_ij I_ij r_i r_jᵀ, only the six distinct entries.
        let r = crate::math::Mat3::from_quat(rot);
        let (a, b, c) = (r.x_axis, r.y_axis, r.z_axis);
        let (d, o) = (self.diagonal, self.off);
        let ia = a * d.x + b * o.x + c * o.y;
        let ib = a * o.x + b * d.y + c * o.z;
        let ic = a * o.y + b * o.z + c * d.z;
        Self {
            diagonal: ia * a + ib * b + ic * c,
            off: Vec3::new(
                ia.x * a.y + ib.x * b.y + ic.x * c.y,
                ia.x * a.z + ib.x * b.z + ic.x * c.z,
                ia.y * a.z + ib.y * b.z + ic.y * c.z,
            ),
        }
    }

    fn of_point(mass: Real, r: Vec3) -> Self {
        let s = r.length_squared();
        Self {
            diagonal: (Vec3::splat(s) - r * r) * mass,
            off: Vec3::new(r.x * r.y, r.x * r.z, r.y * r.z) * -mass,
        }
    }

    fn without_axes(self, locked: [bool; 3]) -> Self {
        let keep = |i: usize| if locked[i] { 0.0 } else { 1.0 };
        let (x, y, z) = (keep(0), keep(1), keep(2));
        Self { diagonal: self.diagonal * Vec3::new(x, y, z), off: self.off * Vec3::new(x * y, x * z, y * z) }
    }

    fn is_valid(self) -> bool {
        let d = self.diagonal;
        let finite = d.is_finite() && self.off.is_finite();
        // The triangle inequality holds for the moments of every real mass distribution; a little slack for rounding.
        let slack = 1.0 + TRIANGLE_SLACK;
        finite
            && d.min_element() > 0.0
            && self.determinant() > 0.0
            && d.x <= (d.y + d.z) * slack
            && d.y <= (d.z + d.x) * slack
            && d.z <= (d.x + d.y) * slack
    }

    fn is_isotropic(self) -> bool {
        let d = self.diagonal;
        let tolerance = ISOTROPIC * d.max_element();
        d.max_element() - d.min_element() <= tolerance && self.off.abs().max_element() <= tolerance
    }

    fn gyroscopic(self, rot: Quat, w: Vec3, h: Real) -> Vec3 {
        // PERF: the products of such spins are numbers too small for the processor to be quick with.
        if w.length_squared() * h * h < NO_SPIN * NO_SPIN {
            return w;
        }
        let w0 = RotOps::<D3>::rotate_inv(rot, w);
        let l = self.mul_vec(w0);
        // The mean x of old and new spin obeys I(x − w) + h/2·x × I x = 0: an implicit step of half the length.
        let half = 0.5 * h;
        let f = w0.cross(l) * half;
        if f == Vec3::ZERO {
            return w;
        }
        // J = I + h/2 ([w]× I − [I w]×), column by column; solved by Cramer's rule.
        let [ix, iy, iz] = self.columns();
        let jx = ix + (w0.cross(ix) - l.cross(Vec3::X)) * half;
        let jy = iy + (w0.cross(iy) - l.cross(Vec3::Y)) * half;
        let jz = iz + (w0.cross(iz) - l.cross(Vec3::Z)) * half;
        let (yz, zx, xy) = (jy.cross(jz), jz.cross(jx), jx.cross(jy));
        let det = jx.dot(yz);
        if det == 0.0 || !det.is_finite() {
            return w;
        }
        let w1 = w0 - Vec3::new(f.dot(yz), f.dot(zx), f.dot(xy)) * (2.0 / det);
        // One Newton step leaves an error of second order, exactly none for symmetric bodies. It must not feed the spin.
        let (before, after) = (w0.dot(l), w1.dot(self.mul_vec(w1)));
        let w1 = if after > 0.0 { w1 * (before / after).sqrt() } else { w1 };
        // Beyond the range of f32 the torque is left out; the integrator clamps such a spin anyway.
        if w1.is_finite() { RotOps::<D3>::rotate(rot, w1) } else { w }
    }
}
