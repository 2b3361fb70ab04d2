//! A 3-vector in f64 for the iterative algorithms: their simplices get thin long before their answer is good, and
//! f32 runs out of digits first. The plane is z = 0.

use crate::math::*;
use core::ops::{Add, Mul, Neg, Sub};

/// Largest component below which a vector has no direction: its inverse would leave the range of f64.
const NO_DIRECTION: f64 = 1e-300;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wide {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

impl Wide {
    pub(crate) const ZERO: Self = Self { x: 0.0, y: 0.0, z: 0.0 };

    #[inline]
    pub(crate) const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    #[inline]
    pub(crate) fn of<V: VecOps>(v: V) -> Self {
        let z = if V::N == 3 { f64::from(v.get(2)) } else { 0.0 };
        Self { x: f64::from(v.get(0)), y: f64::from(v.get(1)), z }
    }

    /// Rounded to the engine's vectors.
    #[inline]
    pub(crate) fn narrow<V: VecOps>(self) -> V {
        let mut v = V::ZERO;
        v.set(0, self.x as Real);
        v.set(1, self.y as Real);
        if V::N == 3 {
            v.set(2, self.z as Real);
        }
        v
    }

    #[inline]
    pub(crate) fn dot(self, o: Self) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline]
    pub(crate) fn cross(self, o: Self) -> Self {
        Self {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }

    #[inline]
    pub(crate) fn length_squared(self) -> f64 {
        self.dot(self)
    }

    #[inline]
    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Largest absolute component.
    #[inline]
    pub(crate) fn reach(self) -> f64 {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// Unit vector along `self`; None where that has no direction.
    #[inline]
    pub(crate) fn unit(self) -> Option<Self> {
        // Scaled first, so that tiny and huge vectors neither underflow nor overflow when squared.
        let reach = self.reach();
        if !(reach > NO_DIRECTION && reach.is_finite()) {
            return None;
        }
        let v = self * (1.0 / reach);
        Some(v * (1.0 / v.length()))
    }

    /// A vector at right angles, of similar length.
    #[inline]
    pub(crate) fn across(self) -> Self {
        let (x, y, z) = (self.x.abs(), self.y.abs(), self.z.abs());
        if x <= y && x <= z {
            Self::new(0.0, self.z, -self.y)
        } else if y <= z {
            Self::new(-self.z, 0.0, self.x)
        } else {
            Self::new(self.y, -self.x, 0.0)
        }
    }
}

impl From<[f64; 3]> for Wide {
    #[inline]
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Neg for Wide {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl Mul<f64> for Wide {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}
