//! Vectors, quaternions and poses of the scene, in f64, with operations that give the same bits everywhere.

/// Three components; z is 0 in 2D.
pub type Vec3 = [f64; 3];

/// Position and rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position [m].
    pub position: Vec3,
    /// Rotation as a unit quaternion x, y, z, w; the identity in 2D.
    pub rotation: [f64; 4],
    /// Angle in 2D [rad]; 0 in 3D.
    pub angle: f64,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// No displacement, no rotation.
    pub const IDENTITY: Self = Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], angle: 0.0 };

    /// Whether nothing is moved or turned.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// Whether nothing is turned.
    #[must_use]
    pub fn is_unrotated(&self) -> bool {
        self.rotation == Self::IDENTITY.rotation && self.angle == 0.0
    }

    /// A vector turned into the outer frame.
    #[must_use]
    pub fn turn(&self, v: Vec3) -> Vec3 {
        if self.angle != 0.0 {
            let (sin, cos) = libm::sincos(self.angle);
            return [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1], v[2]];
        }
        rotate(self.rotation, v)
    }

    /// A point in the outer frame.
    #[must_use]
    pub fn point(&self, v: Vec3) -> Vec3 {
        if self.is_identity() {
            return v;
        }
        add(self.position, self.turn(v))
    }

    /// A point of the outer frame, in this one.
    #[must_use]
    pub fn local(&self, v: Vec3) -> Vec3 {
        let [x, y, z, w] = self.rotation;
        let back = Self { position: [0.0; 3], rotation: [-x, -y, -z, w], angle: -self.angle };
        back.turn(sub(v, self.position))
    }

    /// `inner`, given in this frame, in the outer frame.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        if self.is_identity() {
            return *inner;
        }
        if inner.is_identity() {
            return *self;
        }
        Self {
            position: self.point(inner.position),
            rotation: if self.is_unrotated() {
                inner.rotation
            } else {
                multiply(self.rotation, inner.rotation)
            },
            angle: self.angle + inner.angle,
        }
    }
}

/// Sum.
#[must_use]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference.
#[must_use]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Product with a number.
#[must_use]
pub fn scale(a: Vec3, factor: f64) -> Vec3 {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// Scalar product.
#[must_use]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
#[must_use]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length, without overflow for any finite vector.
#[must_use]
pub fn length(a: Vec3) -> f64 {
    let largest = a[0].abs().max(a[1].abs()).max(a[2].abs());
    if largest == 0.0 {
        return 0.0;
    }
    let b = scale(a, 1.0 / largest);
    libm::sqrt(dot(b, b)) * largest
}

/// At length 1. What has that length already, up to rounding, is left alone, so that doing it twice changes nothing.
#[must_use]
pub fn normalize(a: Vec3) -> Vec3 {
    let l2 = dot(a, a);
    if (l2 - 1.0).abs() < 1e-14 {
        return a;
    }
    let largest = a[0].abs().max(a[1].abs()).max(a[2].abs());
    if largest == 0.0 {
        return a;
    }
    let b = [a[0] / largest, a[1] / largest, a[2] / largest];
    let l = libm::sqrt(dot(b, b));
    [b[0] / l, b[1] / l, b[2] / l]
}

/// Unit quaternion; left alone if it is one up to rounding.
#[must_use]
pub fn normalize_rotation(q: [f64; 4]) -> Option<[f64; 4]> {
    let l2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (l2 - 1.0).abs() < 1e-12 {
        return Some(q);
    }
    if !l2.is_finite() || l2 < 1e-24 {
        return None;
    }
    let l = libm::sqrt(l2);
    Some([q[0] / l, q[1] / l, q[2] / l, q[3] / l])
}

/// Product of two quaternions: first `b`, then `a`.
#[must_use]
pub fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// A vector turned by a unit quaternion.
#[must_use]
pub fn rotate(q: [f64; 4], v: Vec3) -> Vec3 {
    if q == Pose::IDENTITY.rotation {
        return v;
    }
    let u = [q[0], q[1], q[2]];
    let t = scale(cross(u, v), 2.0);
    add(add(v, scale(t, q[3])), cross(u, t))
}

/// Rotation by an angle about an axis of any length.
#[must_use]
pub fn about(axis: Vec3, angle: f64) -> [f64; 4] {
    if angle == 0.0 {
        return Pose::IDENTITY.rotation;
    }
    let axis = normalize(axis);
    let (sin, cos) = libm::sincos(angle * 0.5);
    [axis[0] * sin, axis[1] * sin, axis[2] * sin, cos]
}

/// The shortest rotation that takes +y to a direction.
#[must_use]
pub fn from_y(direction: Vec3) -> [f64; 4] {
    let d = normalize(direction);
    let w = 1.0 + d[1];
    if w < 1e-12 {
        // Straight down: half a turn about x.
        return [1.0, 0.0, 0.0, 0.0];
    }
    // Cross product of y and d, and one plus their cosine, at unit length.
    normalize_rotation([d[2], 0.0, -d[0], w]).unwrap_or(Pose::IDENTITY.rotation)
}

/// A rotation that takes +x to a direction and, if given, +z to `axle` as far as that is at right angles to it.
#[must_use]
pub fn from_x(direction: Vec3, axle: Option<Vec3>) -> [f64; 4] {
    let d = normalize(direction);
    let w = 1.0 + d[0];
    let turned = if w < 1e-12 {
        // Straight back: half a turn about y.
        [0.0, 1.0, 0.0, 0.0]
    } else {
        normalize_rotation([0.0, -d[2], d[1], w]).unwrap_or(Pose::IDENTITY.rotation)
    };
    let Some(axle) = axle else { return turned };
    let [x, y, z, w] = turned;
    let local = rotate([-x, -y, -z, w], axle);
    multiply(turned, about([1.0, 0.0, 0.0], libm::atan2(-local[1], local[2])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_y_takes_y_there() {
        for direction in [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.3, 0.5, -0.7], [0.0, 1.0, 0.0]] {
            let turned = rotate(from_y(direction), [0.0, 1.0, 0.0]);
            let wanted = normalize(direction);
            assert!(length(sub(turned, wanted)) < 1e-12, "{turned:?} for {wanted:?}");
        }
    }

    #[test]
    fn from_x_takes_x_and_z_there() {
        for direction in [[1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.3, 0.5, -0.7], [0.0, 1.0, 0.0]] {
            for axle in [[0.0, 0.0, 1.0], [0.2, -0.4, 0.9], [0.0, 0.1, -1.0]] {
                let turned = from_x(direction, Some(axle));
                let axis = normalize(direction);
                assert!(length(sub(rotate(turned, [1.0, 0.0, 0.0]), axis)) < 1e-12);
                assert!(length(sub(rotate(from_x(direction, None), [1.0, 0.0, 0.0]), axis)) < 1e-12);
                let across = normalize(sub(axle, scale(axis, dot(axle, axis))));
                let z = rotate(turned, [0.0, 0.0, 1.0]);
                assert!(length(sub(z, across)) < 1e-12, "{z:?} for {across:?}");
            }
        }
    }

    #[test]
    fn normalizing_twice_changes_nothing() {
        let once = normalize([0.1, 3e9, -7.0]);
        assert_eq!(once, normalize(once));
    }
}
