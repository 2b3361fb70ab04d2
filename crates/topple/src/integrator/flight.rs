//! The motion of one body in double precision, and what acts on it: the common ground of the schemes beyond Euler.
//!
//! The plane is z = 0 of the space: a rotation is a quaternion about z, a moment of inertia the same about all axes. A body
//! that is free to turn carries its angular momentum L = I·w in the world frame, for which dL/dt = torque: the gyroscopic
//! torque needs no term of its own, and without torque L cannot change. With locked axes, or with `Settings::gyroscopic` off,
//! the spin itself is carried.

use crate::Settings;
use crate::body::BodyProps;
use crate::distance::Wide;
use crate::math::*;

/// Place relative to a reference, orientation, velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flight {
    /// Displacement of the centre of mass [m].
    pub p: Wide,
    /// Orientation (x, y, z, w).
    pub q: [f64; 4],
    /// Velocity [m/s].
    pub v: Wide,
    /// Spin, world frame [rad/s].
    pub w: Wide,
}

impl Flight {
    pub(super) const REST: Self =
        Self { p: Wide::ZERO, q: [0.0, 0.0, 0.0, 1.0], v: Wide::ZERO, w: Wide::ZERO };

    pub(super) fn is_finite(&self) -> bool {
        let reach = self.p.reach() + self.v.reach() + self.w.reach();
        reach.is_finite() && self.q.iter().all(|x| x.is_finite())
    }
}

pub(super) fn wide_ang<D: Dim>(w: D::Ang) -> Wide {
    if D::ANGULAR == 1 {
        return Wide::new(0.0, 0.0, f64::from(w.get(0)));
    }
    Wide::new(f64::from(w.get(0)), f64::from(w.get(1)), f64::from(w.get(2)))
}

pub(super) fn narrow_ang<D: Dim>(w: Wide) -> D::Ang {
    let mut out = D::Ang::ZERO;
    if D::ANGULAR == 1 {
        out.set(0, w.z as Real);
    } else {
        [w.x, w.y, w.z].into_iter().enumerate().for_each(|(i, x)| out.set(i, x as Real));
    }
    out
}

/// A rotation as a quaternion in f64.
pub(super) fn wide_rot<D: Dim>(rotation: D::Rot) -> [f64; 4] {
    let f = D::rotation_floats(rotation).map(f64::from);
    if D::N == 3 {
        return unit(f);
    }
    // Half of the angle of (cos, sin), from the larger of its two roots.
    let (c, s) = (f[0], f[1]);
    let length = (c * c + s * s).sqrt();
    let (c, s) = (c / length, s / length);
    if c >= 0.0 {
        let w = (0.5 * (1.0 + c)).sqrt();
        return [0.0, 0.0, 0.5 * s / w, w];
    }
    let z = (0.5 * (1.0 - c)).sqrt() * if s < 0.0 { -1.0 } else { 1.0 };
    [0.0, 0.0, z, 0.5 * s / z]
}

pub(super) fn narrow_rot<D: Dim>(q: [f64; 4]) -> D::Rot {
    if D::N == 3 {
        return D::rotation_from_floats(q.map(|x| x as Real));
    }
    let [.., z, w] = q;
    D::rotation_from_floats([(w * w - z * z) as Real, (2.0 * w * z) as Real, 0.0, 0.0])
}

pub(super) fn unit(q: [f64; 4]) -> [f64; 4] {
    let n = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|x| x / n)
}

/// The rotation `a` after `b`.
pub(super) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Turned by the rotation vector `turn`, given in the world frame.
pub(super) fn turned(q: [f64; 4], turn: Wide) -> [f64; 4] {
    unit(product(exponential(turn), q))
}

fn exponential(turn: Wide) -> [f64; 4] {
    let angle = turn.length();
    let (s, c) = sin_cos_f64(0.5 * angle);
    let rate = if angle > TINY_ANGLE { s / angle } else { 0.5 };
    [turn.x * rate, turn.y * rate, turn.z * rate, c]
}

pub(super) fn rotate(q: [f64; 4], v: Wide) -> Wide {
    let u = Wide::new(q[0], q[1], q[2]);
    let t = u.cross(v) * 2.0;
    v + t * q[3] + u.cross(t)
}

pub(super) fn rotate_inv(q: [f64; 4], v: Wide) -> Wide {
    rotate([-q[0], -q[1], -q[2], q[3]], v)
}

/// A symmetric matrix by its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor(pub [Wide; 3]);

impl Tensor {
    pub(super) fn of<D: Dim>(inertia: D::Inertia) -> Self {
        let mut columns = [Wide::ZERO; 3];
        for (i, column) in columns.iter_mut().enumerate() {
            let mut axis = D::Ang::ZERO;
            axis.set(if D::ANGULAR == 1 { 0 } else { i }, 1.0);
            let image = inertia.apply(axis);
            *column = if D::ANGULAR == 1 {
                let x = f64::from(image.get(0));
                [Wide::new(x, 0.0, 0.0), Wide::new(0.0, x, 0.0), Wide::new(0.0, 0.0, x)][i]
            } else {
                wide_ang::<D>(image)
            };
        }
        Self(columns)
    }

    #[inline]
    pub(super) fn apply(&self, v: Wide) -> Wide {
        self.0[0] * v.x + self.0[1] * v.y + self.0[2] * v.z
    }

    /// The x with `self`·x = `v`, by Cramer's rule; zero where the matrix is singular.
    pub(super) fn solve(&self, v: Wide) -> Wide {
        let [x, y, z] = self.0;
        let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
        let det = x.dot(yz);
        if det == 0.0 || !det.is_finite() {
            return Wide::ZERO;
        }
        Wide::new(v.dot(yz), v.dot(zx), v.dot(xy)) * (1.0 / det)
    }
}

/// What acts on a body beside its constants: force [N] and torque [N·m] of the generators.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Push {
    pub force: Wide,
    pub torque: Wide,
}

/// A body as the schemes see it, for one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    is_dynamic: bool,
    /// Carries angular momentum rather than spin.
    pub is_free: bool,
    inv_mass: f64,
    /// Axes of translation that are locked.
    locked: [bool; 3],
    acceleration: Wide,
    /// Angular acceleration by the accumulated torque where the spin is carried, that torque where momentum is.
    twist: Wide,
    /// linear, quadratic, angular linear, angular quadratic.
    drag: [f64; 4],
    /// In the body's frame.
    inertia: Tensor,
    /// Inverse at the start of the step, world frame, locked axes removed: where the spin is carried.
    inv_inertia: Tensor,
}

impl Frame {
    pub(super) fn of<D: Dim>(props: &BodyProps<D>, rotation: D::Rot, settings: &Settings<D>) -> Self {
        let inertia = Tensor::of::<D>(props.inertia);
        // A point that does not turn has no inertia to divide by.
        let turns = inertia.solve(Wide::new(1.0, 1.0, 1.0)) != Wide::ZERO;
        let is_free = props.is_dynamic
            && props.locks >> 3 == 0
            && turns
            && (settings.gyroscopic || !props.is_gyroscopic || D::N == 2);
        let alpha = wide_ang::<D>(props.angular_acceleration);
        let q = wide_rot::<D>(rotation);
        let twist = if is_free { rotate(q, inertia.apply(rotate_inv(q, alpha))) } else { alpha };
        let d = &props.drag;
        Self {
            is_dynamic: props.is_dynamic,
            is_free,
            inv_mass: f64::from(props.inv_mass),
            locked: [0, 1, 2].map(|i| props.locks >> i & 1 == 1),
            acceleration: Wide::of(props.acceleration),
            twist,
            drag: [d.linear, d.quadratic, d.angular_linear, d.angular_quadratic].map(f64::from),
            inertia,
            inv_inertia: Tensor::of::<D>(props.inv_inertia),
        }
    }

    /// Acceleration at velocity `v` [m/s²].
    pub(super) fn acceleration(&self, v: Wide, push: &Push) -> Wide {
        if !self.is_dynamic {
            return Wide::ZERO;
        }
        let answer = push.force * self.inv_mass;
        let keep = |i: usize, x: f64| if self.locked[i] { 0.0 } else { x };
        let answer = Wide::new(keep(0, answer.x), keep(1, answer.y), keep(2, answer.z));
        let a = self.acceleration + answer;
        if self.drag[0] == 0.0 && self.drag[1] == 0.0 {
            return a;
        }
        a - v * (self.drag[0] + self.drag[1] * v.length())
    }

    /// What the scheme carries for the rotation: angular momentum, or spin.
    pub(super) fn turning(&self, q: [f64; 4], w: Wide) -> Wide {
        if self.is_free { rotate(q, self.inertia.apply(rotate_inv(q, w))) } else { w }
    }

    /// The spin that belongs to it at the orientation `q`.
    pub(super) fn spin(&self, q: [f64; 4], turning: Wide) -> Wide {
        if self.is_free { rotate(q, self.inertia.solve(rotate_inv(q, turning))) } else { turning }
    }

    /// Its rate of change: the torque, or the angular acceleration.
    pub(super) fn turning_rate(&self, turning: Wide, w: Wide, push: &Push) -> Wide {
        if !self.is_dynamic {
            return Wide::ZERO;
        }
        let answer = if self.is_free { push.torque } else { self.inv_inertia.apply(push.torque) };
        let rate = self.twist + answer;
        if self.drag[2] == 0.0 && self.drag[3] == 0.0 {
            return rate;
        }
        rate - turning * (self.drag[2] + self.drag[3] * w.length())
    }

    /// Derivative of the spin at the state, gyroscopic torque included.
    pub(super) fn spin_rate(&self, state: &Flight, push: &Push) -> Wide {
        let turning = self.turning(state.q, state.w);
        let rate = self.turning_rate(turning, state.w, push);
        if !self.is_free {
            return rate;
        }
        let torque = rate - state.w.cross(turning);
        rotate(state.q, self.inertia.solve(rotate_inv(state.q, torque)))
    }

    /// True if the forces on the body do not depend on its state, generators aside.
    pub(super) fn is_steady(&self) -> bool {
        self.drag == [0.0; 4]
    }

    /// Turns by `h` with the given angular momentum (or spin). Returns the orientation at the end, the one half way, and the
    /// spin of the middle.
    ///
    /// For a free body the implicit midpoint rule on the rotation group [Austin1993]: with Π = I·Ω in the body's frame, Π₁ − Π₀ =
    /// s·Π̄ × Ω̄ and R₁ = R₀·cay(s·Ω̄). From the first, Π̄·(Π₁ − Π₀) = 0 and Ω̄·(Π₁ − Π₀) = 0, so |L| and the energy stay; from both,
    /// R₁Π₁ = R₀Π₀, so L itself stays. That holds for any number s; s = 2·tan(h|Ω̄|/2)/|Ω̄| instead of h makes the angle of the
    /// turn exact too.
    pub(super) fn turn(&self, q: [f64; 4], turning: Wide, h: f64) -> ([f64; 4], [f64; 4], Wide) {
        if !self.is_free {
            return (turned(q, turning * h), turned(q, turning * (0.5 * h)), turning);
        }
        let momentum = rotate_inv(q, turning);
        let mut spin = self.inertia.solve(momentum);
        let mut scale = stretch(spin.length(), h);
        for _ in 0..NEWTON_STEPS {
            let l = self.inertia.apply(spin);
            let f = (l - momentum) * 2.0 - l.cross(spin) * scale;
            // J = 2I + s([Ω]×I − [IΩ]×), column by column.
            let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0)];
            let column = |i: usize| {
                let c = self.inertia.0[i];
                c * 2.0 + (spin.cross(c) - l.cross(axes[i])) * scale
            };
            let step = Tensor([column(0), column(1), column(2)]).solve(f);
            spin = spin - step;
            scale = stretch(spin.length(), h);
            if step.reach() <= NEWTON_TOLERANCE * spin.reach() {
                break;
            }
        }
        let half = spin * (0.5 * scale);
        let end = unit(product(q, [half.x, half.y, half.z, 1.0]));
        let middle = unit(product(q, exponential(spin * (0.5 * h))));
        (end, middle, rotate(middle, spin))
    }
}

/// An angle whose sine and tangent are the angle, to f64 [rad].
const TINY_ANGLE: f64 = 1e-8;
/// Half of a turn per sub-step beyond which its tangent grows too fast to be of use [rad].
const STEEP_ANGLE: f64 = 1.2;
/// Most steps of Newton's method; three are usual.
const NEWTON_STEPS: usize = 16;
/// Relative change of the spin below which it has converged: rounding of f64.
const NEWTON_TOLERANCE: f64 = 1e-15;

/// The number s of [`Frame::turn`]. Near half a turn the tangent has a pole; plain h is then as good.
fn stretch(speed: f64, h: f64) -> f64 {
    let half = 0.5 * h * speed;
    if !(TINY_ANGLE..STEEP_ANGLE).contains(&half) {
        return h;
    }
    let (s, c) = sin_cos_f64(half);
    2.0 * s / (c * speed)
}
