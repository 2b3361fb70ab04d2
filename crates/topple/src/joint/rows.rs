//! Rows, laws, and the solution of one block.
//!
//! A row says Ċ = d·(v_b − v_a) + j_b·w_b − j_a·w_a; an impulse λ along it pushes b forward and a back. All hard rows of a
//! joint, up to six, are solved together: K = J M⁻¹ Jᵀ, a small symmetric matrix, factored as L·D·Lᵀ. Blocks rather than
//! row after row are what makes chains stiff.
//!
//! **Laws.** With the error C, the sub-step h and a known drift e of Ċ (second-order motion, or minus a motor's speed):
//! - *hard* [Catto2011]: δ = −K⁻¹(s·(Ċ + e) + s·r·C) − (1 − s)·λ in the biased pass, δ = −K⁻¹Ċ in the relaxing one;
//! - *spring* of stiffness k and damping c: λ = −h·(k·(C + θ·h·Ċ) + c·(Ċ + e)), implicit in the new Ċ. With
//!   a = h²·k/m: θ = 0 is symplectic and keeps the energy, but explodes above a = 4; θ = 1 is stable for every a, but loses
//!   energy: one step multiplies the phase volume by 1/(1 + θ·a). So θ is 0 up to a = 0.1, where the motion is resolved, and rises
//!   to 1 at a = 1, where it is not. *Springs that meet at a body* count with their sum: forty of a = 0.1 side by side are one of 4. One sweep leaves
//!   errors in their impulses, of which the next sub-step starts, and which it takes back along with the way that went wrong: nets of stiff
//!   springs, or stars of strong dampers, explode. So where a spring and those beside it are both stronger than 1 ((h²·k + h·c)/m), it acts with the share of
//!   its stiffness and damping that brings it down to 1, and all that meet with less if they are many;
//! - *tuned* spring: the same with k = m·ω², c = 2·m·ζ·ω, where m is the mass that the block feels, K⁻¹;
//! - *motor*: Ċ = −e with |λ| ≤ h·max. Where it has limits it wants no more than they allow in the sub-step: at a limit it is a
//!   brake. Two rows that want opposite speeds without bound would raise each other's impulse for ever;
//! - *limit*: C ≥ 0, λ ≥ 0: a gap may close within the sub-step, no more; a violation is pushed back softly.
//!
//! **What acts, beside what holds.** A row that acts is solved before the hard rows of its joint, which take back part of what it
//! did: of a ball on an arm all but the thousandth part. So it is solved as the row J' = J − cᵀ·J_h that is left when they hold, with
//! K_hh·c = K_hr: nothing along J' moves the hard rows, and J' M⁻¹ J'ᵀ = K_rr − K_rh·K_hh⁻¹·K_hr is the true answer of the bodies
//! along the freedom. Its impulse counts along J', not along J: the hard rows, which give way, would have to bear what J does
//! to them, on a long arm many times the load.

use super::MAX_ROWS;
use crate::math::*;

/// One row of a Jacobian.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row<D: Dim> {
    /// Direction of the linear part, d·(v_b − v_a): a unit vector, zero for rows that only turn.
    pub d: D::Vec,
    /// Angular part of a, −j_a·w_a: a lever [m], or an axis without unit for rows that only turn.
    pub a: D::Ang,
    /// Angular part of b, j_b·w_b: as `a`, no unit for rows that only turn, else [m].
    pub b: D::Ang,
}

impl<D: Dim> Row<D> {
    /// A row along the unit vector `d` at anchors `r_a`, `r_b` [m].
    #[inline]
    pub fn linear(d: D::Vec, r_a: D::Vec, r_b: D::Vec) -> Self {
        Self { d, a: D::cross(r_a, d), b: D::cross(r_b, d) }
    }

    /// A row about `axis`, a unit vector.
    #[inline]
    pub fn angular(axis: D::Ang) -> Self {
        Self { d: D::Vec::ZERO, a: axis, b: axis }
    }

    /// M⁻¹·Jᵀ: how the bodies answer to a unit impulse along the row, as far as other rows of the joint see it. Not at all if locks hold
    /// their centres and the levers are too short to turn them: what is left of the latter is rounding, and would have to turn a body without end.
    #[inline]
    pub(crate) fn answers(&self, [a, b]: &[Answer<D>; 2]) -> Self {
        let d = a.linear(self.d) + b.linear(self.d);
        let turn = [a.inv_inertia.apply(self.a), b.inv_inertia.apply(self.b)];
        if a.locks | b.locks != 0 && self.d != D::Vec::ZERO {
            let lever2 =
                |lever: D::Ang, turn: D::Ang| if turn == D::Ang::ZERO { 0.0 } else { lever.dot(lever) };
            let is_held = d.dot(self.d) <= NO_PIVOT * (a.inv_mass + b.inv_mass);
            if is_held && lever2(self.a, turn[0]).max(lever2(self.b, turn[1])) < NO_LEVER * NO_LEVER {
                return Self::default();
            }
        }
        Self { d, a: turn[0], b: turn[1] }
    }

    /// J·x for x = M⁻¹·Jᵀ of a row of the same joint: an entry of K.
    #[inline]
    pub(crate) fn along(&self, answers: &Self) -> Real {
        self.d.dot(answers.d) + self.a.dot(answers.a) + self.b.dot(answers.b)
    }

    /// The same row the other way round.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { d: -self.d, a: -self.a, b: -self.b }
    }
}

/// What the impulse of a block obeys; see the head of `joint/rows.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// C = 0.
    Hard,
    /// A spring given by frequency [Hz] and damping ratio, with a bound of its force [N or N·m].
    Tuned {
        /// Frequency [Hz].
        hertz: Real,
        /// Damping ratio (no unit).
        damping: Real,
        /// Largest force [N] or torque [N·m].
        max: Real,
    },
    /// A spring given by stiffness [N/m] and damping [N·s/m].
    Spring {
        /// Stiffness [N/m], of angles [N·m/rad].
        k: Real,
        /// Damping [N·s/m], of angles [N·m·s/rad].
        c: Real,
    },
    /// Ċ = −drift, with a bound of force or torque.
    Motor {
        /// Largest force [N] or torque [N·m].
        max: Real,
        /// How far the value may still fall, and rise [m or rad]; infinite without limits, negative beyond them.
        room: [Real; 2],
    },
    /// C ≥ 0.
    Limit,
}

/// Receives the blocks of a joint. `at` is the first of the joint's impulses that belong to the block.
pub trait RowSink<D: Dim> {
    /// The hard rows that will come as the last block, told before those that act.
    #[inline]
    fn hold<const M: usize>(&mut self, at: usize, rows: &[Row<D>; M]) {
        let _ = (at, rows);
    }

    /// One block of `M` rows with their errors C [m or rad] and drifts of Ċ [m/s or rad/s].
    fn block<const M: usize>(
        &mut self,
        at: usize,
        law: Law,
        rows: [Row<D>; M],
        error: [Real; M],
        drift: [Real; M],
    );
}

/// How a body answers to impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer<D: Dim> {
    /// 1/m [1/kg].
    pub inv_mass: Real,
    /// Locked axes of translation, as bits.
    pub locks: u8,
    /// Inverse inertia, world frame [1/(kg·m²)].
    pub inv_inertia: D::Inertia,
}

impl<D: Dim> Answer<D> {
    /// Of an awake body; bodies that are not dynamic do not answer.
    pub fn of(props: &crate::body::BodyProps<D>) -> Self {
        if !props.is_dynamic {
            return Self::default();
        }
        Self { inv_mass: props.inv_mass, locks: props.locks & 7, inv_inertia: props.inv_inertia }
    }

    /// Velocity change of an impulse on the centre of mass.
    #[inline]
    fn linear(&self, impulse: D::Vec) -> D::Vec {
        let mut dv = impulse * self.inv_mass;
        if self.locks != 0 {
            (0..D::N).filter(|i| self.locks >> i & 1 == 1).for_each(|i| dv.set(i, 0.0));
        }
        dv
    }
}

/// Numbers of a pass that are the same for all blocks of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassLaw {
    /// Length of the sub-step [s].
    pub h: Real,
    /// s·r of hard rows [1/s]: share of the error removed per second.
    pub rate: Real,
    /// s of hard rows (no unit): 1 is rigid.
    pub scale: Real,
    /// Largest speed at which gaps are closed [m/s].
    pub push_speed: Real,
    /// Largest speed that motors and springs along a line want [m/s].
    pub max_speed: Real,
    /// (h²·k + h·c)/m of the other springs at its bodies, summed up (no unit).
    pub beside: Real,
    /// False: the relaxing pass, without bias and springs.
    pub is_biased: bool,
}

impl PassLaw {
    /// Bias speed of a row with the given error, times s [m/s or rad/s].
    #[inline]
    pub(crate) fn pull(&self, is_linear: bool, error: Real) -> Real {
        let (pull, most) = (self.rate * error, self.scale * self.push_speed);
        if is_linear { pull.min(most).max(-most) } else { pull }
    }

    /// How fast a gap may close [m/s or rad/s]; a violation has to open, as fast as a limit would push it.
    #[inline]
    fn closing(&self, is_linear: bool, gap: Real) -> Real {
        match gap > 0.0 {
            true => gap / self.h,
            false if self.is_biased => self.pull(is_linear, gap) / self.scale,
            false => 0.0,
        }
    }

    /// The speed that a motor wants, within what its limits allow [m/s or rad/s].
    #[inline]
    pub(crate) fn motor_speed(&self, is_linear: bool, speed: Real, room: [Real; 2]) -> Real {
        let speed = if is_linear { speed.min(self.max_speed).max(-self.max_speed) } else { speed };
        let [below, above] = room.map(|gap| self.closing(is_linear, gap));
        speed.min(above).max(-below)
    }
}

/// Two bodies while the blocks of their joint are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<D: Dim> {
    /// Velocities of the centres [m/s].
    pub v: [D::Vec; 2],
    /// Angular velocities [rad/s].
    pub w: [D::Ang; 2],
    /// How they answer.
    pub answer: [Answer<D>; 2],
    /// Impulse given to b so far in this pass, and taken from a [N·s].
    pub pushed: D::Vec,
    /// Angular impulse taken from a and given to b [N·m·s].
    pub turned: [D::Ang; 2],
}

impl<D: Dim> Pair<D> {
    /// Bodies with the given velocities [m/s, rad/s].
    #[inline]
    pub fn new(v: [D::Vec; 2], w: [D::Ang; 2], answer: [Answer<D>; 2]) -> Self {
        Self { v, w, answer, pushed: D::Vec::ZERO, turned: [D::Ang::ZERO; 2] }
    }

    /// Ċ of a row [m/s or rad/s].
    #[inline]
    pub(crate) fn speed(&self, row: &Row<D>) -> Real {
        row.d.dot(self.v[1] - self.v[0]) + row.b.dot(self.w[1]) - row.a.dot(self.w[0])
    }

    /// Applies a general impulse: `push` along the line [N·s], `turn` about the centres [N·m·s].
    #[inline]
    pub fn apply(&mut self, push: D::Vec, turn: [D::Ang; 2]) {
        let [a, b] = &self.answer;
        self.v[0] -= a.linear(push);
        self.v[1] += b.linear(push);
        self.w[0] -= a.inv_inertia.apply(turn[0]);
        self.w[1] += b.inv_inertia.apply(turn[1]);
        self.pushed += push;
        self.turned[0] += turn[0];
        self.turned[1] += turn[1];
    }

    /// Solves one block and adds to its accumulated impulses `lambda` [N·s, of angles N·m·s].
    #[inline]
    pub fn solve<const M: usize>(
        &mut self,
        pass: &PassLaw,
        law: Law,
        rows: &[Row<D>; M],
        error: &[Real; M],
        drift: &[Real; M],
        lambda: &mut [Real; MAX_ROWS],
        at: usize,
    ) {
        let is_linear = rows[0].d != D::Vec::ZERO;
        self.solve_block(pass, law, rows, error, drift, lambda, (at, is_linear));
    }

    /// The same; `is_linear`: the first row is one of translation, whatever is left of it.
    #[inline]
    pub(super) fn solve_block<const M: usize>(
        &mut self,
        pass: &PassLaw,
        law: Law,
        rows: &[Row<D>; M],
        error: &[Real; M],
        drift: &[Real; M],
        lambda: &mut [Real; MAX_ROWS],
        (at, is_linear): (usize, bool),
    ) {
        let h = pass.h;
        if !pass.is_biased && matches!(law, Law::Spring { .. } | Law::Tuned { .. }) {
            return;
        }
        let mut k = [[0.0; M]; M];
        for j in 0..M {
            let answers = rows[j].answers(&self.answer);
            (j..M).for_each(|i| k[i][j] = rows[i].along(&answers));
        }
        let speed: [Real; M] = core::array::from_fn(|i| self.speed(&rows[i]));
        let old: [Real; M] = core::array::from_fn(|i| lambda[at + i]);
        let mut new = old;
        let mut max = Real::INFINITY;
        match law {
            Law::Hard if pass.is_biased => {
                let want = core::array::from_fn(|i| {
                    let is_linear = rows[i].d != D::Vec::ZERO;
                    pass.scale * (speed[i] + drift[i]) + pass.pull(is_linear, error[i])
                });
                let x = solve_symmetric(&k, want);
                (0..M).for_each(|i| new[i] = old[i] - x[i] - (1.0 - pass.scale) * old[i]);
            }
            Law::Hard => {
                let x = solve_symmetric(&k, speed);
                (0..M).for_each(|i| new[i] = old[i] - x[i]);
            }
            Law::Motor { max: bound, room } => {
                let want = |i: usize| pass.motor_speed(is_linear, -drift[i], room);
                let x = solve_symmetric(&k, core::array::from_fn(|i| speed[i] - want(i)));
                (0..M).for_each(|i| new[i] = old[i] - x[i]);
                max = bound * h;
            }
            Law::Tuned { hertz, damping, max: bound } => {
                let (s, stiff) = tuned_law(hertz, damping, h, pass.beside);
                let stiff = match is_linear {
                    true => stiff * shortened(error, tuned_reach(hertz, pass.max_speed)),
                    false => stiff,
                };
                let x = solve_symmetric(
                    &k,
                    core::array::from_fn(|i| s * (speed[i] + drift[i]) + stiff * error[i]),
                );
                (0..M).for_each(|i| new[i] = old[i] - (x[i] + old[i]) / (1.0 + s));
                max = bound * h;
            }
            Law::Spring { k: stiffness, c } => {
                for i in 0..M {
                    let (share, theta) = tempered(h * (h * stiffness + c) * k[i][i], pass.beside);
                    let stiff = h * share * stiffness;
                    let s = h * (share * c + theta * stiff);
                    let want = s * (speed[i] + drift[i]) + stiff * error[i] + old[i];
                    new[i] = old[i] - want / (1.0 + s * k[i][i]);
                }
            }
            Law::Limit => {
                for i in 0..M {
                    let mass = if k[i][i] > 0.0 { 1.0 / k[i][i] } else { 0.0 };
                    let change = if error[i] > 0.0 {
                        -mass * (speed[i] + error[i] / h)
                    } else if pass.is_biased {
                        -mass * (pass.scale * speed[i] + pass.pull(is_linear, error[i]))
                            - (1.0 - pass.scale) * old[i]
                    } else {
                        -mass * speed[i]
                    };
                    new[i] = (old[i] + change).max(0.0);
                }
            }
        }
        if max < Real::INFINITY {
            let length = new.iter().map(|x| x * x).sum::<Real>().sqrt();
            if length > max {
                new = new.map(|x| x * (max / length));
            }
        }
        let (mut push, mut turn) = (D::Vec::ZERO, [D::Ang::ZERO; 2]);
        for i in 0..M {
            let change = new[i] - old[i];
            lambda[at + i] = new[i];
            push += rows[i].d * change;
            turn[0] += rows[i].a * change;
            turn[1] += rows[i].b * change;
        }
        self.apply(push, turn);
    }
}

/// Share of its stiffness and damping with which a spring acts, and how implicit it is: see the head of the file. `strength` = (h²·k + h·c)/m of
/// the spring, `beside` that of all others at its bodies.
#[inline]
fn tempered(strength: Real, beside: Real) -> (Real, Real) {
    let product = strength * beside.min(1.0);
    let mut share = if product > 1.0 { 1.0 / product } else { 1.0 };
    let all = share * strength + beside;
    if beside > 1.0 && all > MOST {
        share *= MOST / all;
    }
    (share, ((all - RESOLVED) / (1.0 - RESOLVED)).clamp(0.0, 1.0))
}

/// Springs that meet act with shares of their strength that bring the sum down to this (no unit): stars of thirty rays are stable at 6, not at 10.
const MOST: Real = 6.0;

/// Up to this sum of strengths springs are symplectic (no unit): a lone one of 12 Hz at 240 sub-steps per second.
const RESOLVED: Real = 0.1;

/// A pivot below this share of its diagonal entry is rounding noise: nothing can move in that direction.
pub(crate) const NO_PIVOT: Real = 1e-6;

/// Levers below this turn nothing, where it is they alone that could answer [m].
const NO_LEVER: Real = 1e-4;

/// A row whose answer falls below this share when the hard rows hold is one of them, and the rest rounding noise: a ball of radius 0.01 m
/// on an arm of 100 m is still above it.
pub(crate) const NO_FREEDOM: Real = 1e-9;

/// Error at which a tuned spring along a line stops growing [m]: let go there without damping, it reaches the largest speed.
#[inline]
pub(crate) fn tuned_reach(hertz: Real, max_speed: Real) -> Real {
    max_speed / (2.0 * core::f32::consts::PI * hertz)
}

/// Factor that brings the vector `error` down to the length `most`.
#[inline]
fn shortened<const M: usize>(error: &[Real; M], most: Real) -> Real {
    let largest = error.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
    // The largest component first: squares of huge errors are not finite.
    if largest * M as Real <= most {
        return 1.0;
    }
    let length = largest * error.iter().map(|x| (x / largest) * (x / largest)).sum::<Real>().sqrt();
    if length > most { most / length } else { 1.0 }
}

/// s and k of a tuned spring with sub-steps of length h, see the head of the file: it wants
/// λ = −K⁻¹(s·(Ċ + e) + k·C) and gets there by the share 1/(1 + s).
#[inline]
pub(crate) fn tuned_law(hertz: Real, damping: Real, h: Real, beside: Real) -> (Real, Real) {
    let omega = 2.0 * core::f32::consts::PI * hertz;
    let a = (h * omega) * (h * omega);
    let (share, theta) = tempered(a + 2.0 * damping * h * omega, beside);
    (share * (2.0 * damping * h * omega + theta * a), h * share * omega * omega)
}

/// The same along one freedom, with the error that it has: see [`tuned_reach`].
#[inline]
pub(crate) fn tuned_along(
    is_linear: bool,
    hertz: Real,
    damping: Real,
    error: Real,
    pass: &PassLaw,
) -> (Real, Real) {
    let (s, stiff) = tuned_law(hertz, damping, pass.h, pass.beside);
    let share = if is_linear { shortened(&[error], tuned_reach(hertz, pass.max_speed)) } else { 1.0 };
    (s, stiff * share)
}

/// x with K·x = y for a symmetric positive semi-definite K, of which the lower triangle is given. Directions in which
/// nothing can move (a zero pivot) get no impulse.
#[inline]
pub(crate) fn solve_symmetric<const M: usize>(k: &[[Real; M]; M], y: [Real; M]) -> [Real; M] {
    let mut l = [[0.0; M]; M];
    let (mut pivots, mut inverses) = ([0.0; M], [0.0; M]);
    let mut x = y;
    for j in 0..M {
        let pivot = (0..j).fold(k[j][j], |sum, i| sum - l[j][i] * l[j][i] * pivots[i]);
        if pivot > NO_PIVOT * k[j][j] {
            (pivots[j], inverses[j]) = (pivot, 1.0 / pivot);
        }
        for r in j + 1..M {
            let entry = (0..j).fold(k[r][j], |sum, i| sum - l[r][i] * l[j][i] * pivots[i]);
            l[r][j] = entry * inverses[j];
        }
    }
    for j in 0..M {
        for i in 0..j {
            x[j] -= l[j][i] * x[i];
        }
    }
    for j in 0..M {
        x[j] *= inverses[j];
    }
    for j in (0..M).rev() {
        for r in j + 1..M {
            x[j] -= l[r][j] * x[r];
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_systems_are_solved_and_singular_ones_leave_the_locked_axis() {
        let k = [[4.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.5, -1.0, 2.0]];
        let x = [1.0, -2.0, 0.5];
        let full = |i: usize, j: usize| if i >= j { k[i][j] } else { k[j][i] };
        let y = core::array::from_fn(|i| (0..3).map(|j| full(i, j) * x[j]).sum());
        let found = solve_symmetric(&k, y);
        assert!((0..3).all(|i| (found[i] - x[i]).abs() < 1e-5), "{found:?}");
        let locked = solve_symmetric(&[[2.0, 0.0], [0.0, 0.0]], [1.0, 5.0]);
        assert_eq!(locked, [0.5, 0.0]);
        let line = solve_symmetric(&[[1.0, 0.0], [1.0, 1.0]], [1.0, 1.0]);
        assert!((line[0] + line[1] - 1.0).abs() < 1e-6, "{line:?}");
    }
}
