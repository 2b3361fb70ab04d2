//! The hard rows of one joint at the moment, in double precision.
//!
//! A row is Ċ = J_a·V_a + J_b·V_b with V = (v, w), not whitened; M⁻¹·Jᵀ is kept beside J, because every entry of A = J·M⁻¹·Jᵀ needs it: A of a joint with itself, Σ over its bodies, and with a
//! neighbour, over the body they share. Double precision is for the ratio of masses: with an end 10⁶ times heavier the entries of A differ by as much, and
//! single precision would leave a tenth of the load.

use super::axis::Axes;
use super::factor::Block;
use super::order::GROUND;
use crate::joint::Row;
use crate::math::*;

/// The number of no impulse of a joint.
pub(super) const NO_IMPULSE: usize = u8::MAX as usize;
/// Numbers of a body's velocity: linear, then angular; the plane uses three.
pub(super) const WIDE: usize = 6;

/// A body of the group. PERF: what every loop reads comes first, in three cache lines.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub v: [f64; WIDE],
    /// What the joints did to it in this sub-step.
    pub done: [f64; WIDE],
    /// What closing gaps does to it; zero but for then.
    pub closing: [f64; WIDE],
    pub inv_mass: [f64; 3],
    /// Sum of the inertias of tension that are counted on, and those found [kg·m²].
    pub tension: Real,
    pub found: Real,
    /// The sum with which its velocity was found: infinite before the first pass.
    pub carried: Real,
    /// Largest entry of the inverse of its own inertia [1/(kg·m²)].
    pub lightness: Real,
    /// Some joint holds it.
    pub is_end: bool,
    /// Inverse inertia with tension.
    pub inv_inertia: [[f64; 3]; 3],
    /// Its own inertia and the inverse of that, of this step.
    pub own: [[f64; 3]; 3],
    pub own_inverse: [[f64; 3]; 3],
    /// The inertia of tension [kg·m²].
    pub turning: [[f64; 3]; 3],
}

impl Body {
    pub(super) const NONE: Self = Self {
        v: [0.0; WIDE],
        done: [0.0; WIDE],
        inv_mass: [0.0; 3],
        own: [[0.0; 3]; 3],
        own_inverse: [[0.0; 3]; 3],
        inv_inertia: [[0.0; 3]; 3],
        closing: [0.0; WIDE],
        is_end: false,
        tension: Real::INFINITY,
        found: 0.0,
        carried: Real::INFINITY,
        turning: [[0.0; 3]; 3],
        lightness: 0.0,
    };

    /// Changes its velocity on behalf of a joint.
    #[inline(always)]
    pub(super) fn push(&mut self, change: &[f64; WIDE]) {
        for i in 0..WIDE {
            self.v[i] += change[i];
            self.done[i] += change[i];
        }
    }
}

/// Up to `M` hard rows. Rows that a joint does not have are zero.
#[derive(Clone, Debug)]
pub(super) struct Link<const M: usize> {
    /// Slots of the bodies that answer, or GROUND.
    pub ends: [u32; 2],
    pub count: usize,
    /// Which of the joint's impulses.
    pub at: [u8; M],
    /// Is a row along a line, not about an axis.
    pub is_linear: [bool; M],
    /// Holds a point of space and nothing else: row i of the Jacobian is along axis i, so that only the angular numbers of two rows meet.
    pub is_point: bool,
    /// Jacobian of each side and row, with signs.
    pub jacobian: [[[f32; WIDE]; M]; 2],
    /// M⁻¹·Jᵀ of each side and row.
    pub answer: [[[f64; WIDE]; M]; 2],
    /// Error C [m or rad] and drift of Ċ [m/s or rad/s].
    pub error: [f64; M],
    pub drift: [f64; M],
    /// (1 − s)/s of joints that are soft by themselves.
    pub softness: f64,
    /// What tension adds to the inertia of either body, at least [kg·m²].
    pub tension: Real,
    /// Ċ by what moves but does not answer [m/s or rad/s].
    pub ground_speed: [f64; M],
    /// Rows that are solved; others have a known impulse.
    pub is_active: [bool; M],
    /// Ċ + compliance·λ = target: zero and zero of rows that hold.
    pub compliance: [f64; M],
    pub target: [f64; M],
    /// Impulses of rows that are not solved.
    pub known: [f64; M],
    /// Something acts along freedoms of the joint.
    pub acts: bool,
    /// Length of the line that it holds, the first row; infinite if it holds none [m]. The rows after that are across it.
    pub line: Real,
    /// Mass of tension across the line, and that with which the velocities were found [kg].
    pub across: Real,
    pub carried: Real,
    /// Ċ before the pass, of a line [m/s].
    pub before: [f64; M],
}

impl<const M: usize> Link<M> {
    pub(super) fn new(ends: [u32; 2], softness: f64) -> Self {
        Self {
            ends,
            count: 0,
            at: [0; M],
            is_linear: [false; M],
            is_point: false,
            jacobian: [[[0.0; WIDE]; M]; 2],
            answer: [[[0.0; WIDE]; M]; 2],
            error: [0.0; M],
            drift: [0.0; M],
            softness,
            tension: 0.0,
            ground_speed: [0.0; M],
            is_active: [true; M],
            compliance: [0.0; M],
            target: [0.0; M],
            known: [0.0; M],
            acts: false,
            line: Real::INFINITY,
            across: 0.0,
            carried: Real::INFINITY,
            before: [0.0; M],
        }
    }

    /// Adds a row with the given Jacobian.
    pub(super) fn add_row(&mut self, jacobian: [[f32; WIDE]; 2], at: usize, is_linear: bool) {
        let to = self.count;
        self.at[to] = at as u8;
        self.is_linear[to] = is_linear;
        (self.jacobian[0][to], self.jacobian[1][to]) = (jacobian[0], jacobian[1]);
        (self.error[to], self.drift[to]) = (0.0, 0.0);
        self.count += 1;
    }

    /// Adds the rows of what acts, after those that hold.
    pub(super) fn add_axes(&mut self, axes: &mut Axes) {
        self.acts = axes[0].is_some();
        for axis in axes.iter_mut().flatten() {
            axis.row = self.count;
            self.add_row(axis.jacobian, NO_IMPULSE, axis.is_linear);
        }
    }

    /// Adds the rows across a line from anchor to anchor, `d`, at the levers `r`: those of the mass of tension.
    pub(super) fn add_across<D: Dim>(&mut self, d: D::Vec, r: [D::Vec; 2]) {
        self.line = d.length();
        let n = d.normalize_or(D::Vec::axis(0));
        for across in D::tangent_basis(n).into_iter().take(D::N - 1) {
            let row = Row::<D>::linear(across, r[0], r[1]);
            self.add_row(jacobian_of(&row), NO_IMPULSE, true);
        }
    }

    /// Takes rows and columns that are not solved out of a block between this link and another one.
    pub(super) fn mask(&self, other: &Self, block: &mut Block<M>) {
        for r in 0..M {
            for c in 0..M {
                if !self.is_active[r] || !other.is_active[c] {
                    block[r][c] = 0.0;
                }
            }
        }
    }

    /// The rows of a ball that is a point and nothing else: levers `r`, error and drift of the point.
    #[inline(always)]
    pub(super) fn set_point<D: Dim>(&mut self, r: [D::Vec; 2], error: D::Vec, drift: D::Vec) {
        for i in 0..D::N {
            let axis = D::Vec::axis(i);
            self.at[i] = i as u8;
            self.is_linear[i] = true;
            self.jacobian[0][i] = row_of::<D>(-axis, -D::cross(r[0], axis));
            self.jacobian[1][i] = row_of::<D>(axis, D::cross(r[1], axis));
            (self.error[i], self.drift[i]) = (f64::from(error.get(i)), f64::from(drift.get(i)));
        }
        (self.count, self.is_point) = (D::N, D::N == M);
    }

    /// Ċ of each row.
    #[inline(always)]
    pub(super) fn speed(&self, bodies: &[Body]) -> [f64; M] {
        let mut speed = self.ground_speed;
        for side in (0..2).filter(|&side| self.ends[side] != GROUND) {
            let v = &bodies[self.ends[side] as usize].v;
            for i in 0..M {
                speed[i] += dot(&self.jacobian[side][i], v);
            }
        }
        speed
    }

    /// What impulses of the rows do to the velocity of one side.
    #[inline]
    pub(super) fn change(&self, side: usize, x: &[f64; M]) -> [f64; WIDE] {
        let answer = &self.answer[side];
        let mut change = [0.0; WIDE];
        if self.is_point {
            for i in 0..M {
                change[i] = answer[i][i] * x[i];
                for k in WIDE - 3..WIDE {
                    change[k] += answer[i][k] * x[i];
                }
            }
            return change;
        }
        for i in 0..M {
            for k in 0..WIDE {
                change[k] += answer[i][k] * x[i];
            }
        }
        change
    }

    /// What impulses of the rows do to one side: impulse [N·s] and angular impulse [N·m·s].
    #[inline(always)]
    pub(super) fn effect<D: Dim>(&self, side: usize, x: &[f64; M]) -> (D::Vec, D::Ang) {
        let j = &self.jacobian[side];
        narrow::<D>(&core::array::from_fn(|k| (0..M).map(|i| f64::from(j[i][k]) * x[i]).sum()))
    }

    /// J·M⁻¹·Jᵀ with the rows of another one, over the bodies that both have.
    #[inline(always)]
    pub(super) fn coupling(&self, other: &Self) -> Block<M> {
        let mut block = [[0.0; M]; M];
        for a in 0..2 {
            for b in 0..2 {
                if self.ends[a] == GROUND || self.ends[a] != other.ends[b] {
                    continue;
                }
                for r in 0..M {
                    for c in 0..M {
                        block[r][c] += if self.is_point && other.is_point {
                            let (j, answer) = (&self.jacobian[a][r], &other.answer[b][c]);
                            let turn = dot3(j, answer);
                            if r == c { f64::from(j[r]) * answer[r] + turn } else { turn }
                        } else {
                            dot(&self.jacobian[a][r], &other.answer[b][c])
                        };
                    }
                }
            }
        }
        block
    }
}

#[inline(always)]
pub(super) fn dot(a: &[f32; WIDE], b: &[f64; WIDE]) -> f64 {
    let a = a.map(f64::from);
    // Two sums side by side, and then their sum: half the waiting.
    let low = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let high = a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    low + high
}

/// The angular numbers alone, in space.
#[inline(always)]
fn dot3(a: &[f32; WIDE], b: &[f64; WIDE]) -> f64 {
    f64::from(a[3]) * b[3] + f64::from(a[4]) * b[4] + f64::from(a[5]) * b[5]
}

/// Linear, then angular numbers.
#[inline(always)]
fn row_of<D: Dim>(linear: D::Vec, angular: D::Ang) -> [f32; WIDE] {
    let mut out = [0.0; WIDE];
    (0..D::N).for_each(|i| out[i] = linear.get(i));
    (0..D::ANGULAR).for_each(|i| out[D::N + i] = angular.get(i));
    out
}

/// The same in double precision.
#[inline(always)]
pub(super) fn wide<D: Dim>(linear: D::Vec, angular: D::Ang) -> [f64; WIDE] {
    row_of::<D>(linear, angular).map(f64::from)
}

/// The reverse of [`wide`].
#[inline(always)]
pub(super) fn narrow<D: Dim>(v: &[f64; WIDE]) -> (D::Vec, D::Ang) {
    let (mut linear, mut angular) = (D::Vec::ZERO, D::Ang::ZERO);
    (0..D::N).for_each(|i| linear.set(i, v[i] as Real));
    (0..D::ANGULAR).for_each(|i| angular.set(i, v[D::N + i] as Real));
    (linear, angular)
}

/// Jacobian of both sides, with signs.
#[inline(always)]
pub(super) fn jacobian_of<D: Dim>(row: &Row<D>) -> [[f32; WIDE]; 2] {
    [row_of::<D>(-row.d, -row.a), row_of::<D>(row.d, row.b)]
}
