//! What acts along one freedom of a joint: spring, motor and limits, as one row among those that hold.
//!
//! They share the Jacobian of the freedom, and the impulse λ of the row is the sum of theirs. At any moment the row is
//! - *held*: Ċ is known (a motor within its strength, a limit that is reached), and λ is whatever that takes;
//! - *soft*: λ = −(s·Ċ + b), springs and servos. Then Ċ + λ/s = −b/s: the row has the compliance 1/s;
//! - *known*: λ is (a motor at its strength, a spring without damping, nothing at all), and the row is left out.
//!
//! Which one is found by trial: solve, see which limit would have to pull and which gives way, and solve again (`group.rs`). The first
//! guess is what the last impulses tell, so hardly anything has to be solved twice.

use super::link::{Link, WIDE};
use crate::math::*;

/// Speeds that differ by less are the same [m/s or rad/s]: rounding.
const SAME_SPEED: f64 = 1e-6;
/// Share of its strength from which on a motor was at its bound (no unit).
const AT_BOUND: f64 = 0.999_99;

/// Which of the four impulses of an axis.
pub(super) const SPRING: usize = 0;
pub(super) const MOTOR: usize = 1;
pub(super) const LOWER: usize = 2;
pub(super) const UPPER: usize = 3;

/// λ = −(s·Ċ + b), as it is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Soft {
    pub s: f64,
    pub b: f64,
}

impl Soft {
    fn at(&self, speed: f64) -> f64 {
        -(self.s * speed + self.b)
    }
}

/// What a motor wants.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    Speed(f64),
    Place(Soft),
}

/// What is known about the row, see the head of the file.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Held(f64),
    Soft(Soft),
    Known(f64),
}

/// What acts in a joint: a ball joint has a cone and a twist, all others one freedom at most.
pub(super) type Axes = [Option<Axis>; 2];

/// Spring, motor and limits of one freedom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Its row among those of the link.
    pub row: usize,
    /// Which of the joint's impulses are its own; none has the number 255.
    pub at: [u8; 4],
    /// Jacobian of each side.
    pub jacobian: [[f32; WIDE]; 2],
    pub is_linear: bool,
    pub spring: Option<Soft>,
    /// What the motor wants, and its strength [N·s or N·m·s].
    pub motor: Option<(Wanted, f64)>,
    /// How far the lower and the upper limit are away; infinite if there is none [m or rad].
    pub gaps: [f64; 2],
    /// Drift of their change [m/s or rad/s].
    pub drifts: [f64; 2],
    /// Impulses before the pass.
    pub before: [f64; 4],
    /// The limit that is reached: LOWER or UPPER, or 0.
    reached: usize,
    /// The motor is at its strength, and which way: −1, 1; or 0.
    bound: f64,
}

impl Axis {
    pub(super) fn new(jacobian: [[f32; WIDE]; 2], is_linear: bool) -> Self {
        Self {
            row: 0,
            at: [u8::MAX; 4],
            jacobian,
            is_linear,
            spring: None,
            motor: None,
            gaps: [f64::INFINITY; 2],
            drifts: [0.0; 2],
            before: [0.0; 4],
            reached: 0,
            bound: 0.0,
        }
    }

    /// Guesses from the last impulses, which are `before` those of this pass unless it starts from nothing.
    pub(super) fn guess(&mut self, impulses: &[Real], is_biased: bool) {
        let old = self.at.map(|at| impulses.get(at as usize).map_or(0.0, |&x| f64::from(x)));
        self.reached = match (old[LOWER] > 0.0, old[UPPER] > 0.0) {
            (true, _) => LOWER,
            (_, true) => UPPER,
            _ => 0,
        };
        self.bound = match self.motor {
            Some((_, most)) if old[MOTOR].abs() >= AT_BOUND * most => old[MOTOR].signum(),
            _ => 0.0,
        };
        self.before = if is_biased { [0.0; 4] } else { old };
        self.leave_to_motor();
    }

    /// A motor that holds its speed goes no farther than its limits: they have nothing to do.
    fn leave_to_motor(&mut self) {
        if self.holds_speed() {
            self.reached = 0;
        }
    }

    fn holds_speed(&self) -> bool {
        self.bound == 0.0 && matches!(self.motor, Some((Wanted::Speed(_), _)))
    }

    /// Springs and servos have no part in the relaxing pass.
    fn softs(&self, is_biased: bool) -> [Option<Soft>; 2] {
        let servo = match self.motor {
            Some((Wanted::Place(soft), _)) if self.bound == 0.0 => Some(soft),
            _ => None,
        };
        [self.spring, servo].map(|soft| soft.filter(|_| is_biased))
    }

    /// Changes by what is known: limits that are not reached, and a motor at its strength.
    fn known(&self) -> f64 {
        let mut sum = 0.0;
        if self.reached != LOWER {
            sum -= self.before[LOWER];
        }
        if self.reached != UPPER {
            sum += self.before[UPPER];
        }
        match self.motor {
            Some((_, most)) if self.bound != 0.0 => sum + self.bound * most - self.before[MOTOR],
            _ => sum,
        }
    }

    fn piece(&self, h: f64, is_biased: bool) -> Piece {
        if let (true, Some((Wanted::Speed(speed), _))) = (self.holds_speed(), self.motor) {
            return Piece::Held(speed);
        }
        match self.reached {
            LOWER => return Piece::Held(-self.gaps[0].max(0.0) / h),
            UPPER => return Piece::Held(self.gaps[1].max(0.0) / h),
            _ => {}
        }
        let known = self.known();
        let all = self.softs(is_biased).into_iter().flatten();
        let Soft { s, b } =
            all.fold(Soft::default(), |sum, soft| Soft { s: sum.s + soft.s, b: sum.b + soft.b });
        if s > 0.0 { Piece::Soft(Soft { s, b: b - known }) } else { Piece::Known(known - b) }
    }

    /// Writes the row into its link. True if the matrix is another one.
    pub(super) fn set<const M: usize>(&self, link: &mut Link<M>, h: f64, is_biased: bool) -> bool {
        let i = self.row;
        let was = (link.is_active[i], link.compliance[i]);
        (link.error[i], link.drift[i], link.known[i]) = (0.0, 0.0, 0.0);
        (link.is_active[i], link.compliance[i], link.target[i]) = match self.piece(h, is_biased) {
            Piece::Held(speed) => (true, 0.0, speed),
            Piece::Soft(Soft { s, b }) => (true, 1.0 / s, -b / s),
            Piece::Known(x) => {
                link.known[i] = x;
                (false, 0.0, 0.0)
            }
        };
        if is_biased && self.reached != 0 {
            let (which, sign) = if self.reached == LOWER { (0, 1.0) } else { (1, -1.0) };
            (link.error[i], link.drift[i]) = (sign * self.gaps[which].min(0.0), sign * self.drifts[which]);
        }
        was != (link.is_active[i], link.compliance[i])
    }

    /// The impulses after a pass that has left the given speed and found the change `x` along the axis.
    pub(super) fn impulses(&self, speed: f64, x: f64, is_biased: bool) -> [f64; 4] {
        let mut new = self.before;
        let mut rest = x - self.known();
        for (which, soft) in self.softs(is_biased).into_iter().enumerate() {
            if let Some(soft) = soft {
                new[which] = soft.at(speed);
                rest -= new[which] - self.before[which];
            }
        }
        if let (Some((_, most)), true) = (self.motor, self.bound != 0.0) {
            new[MOTOR] = self.bound * most;
        }
        for limit in [LOWER, UPPER] {
            if self.reached != limit {
                new[limit] = 0.0;
            }
        }
        if self.holds_speed() {
            new[MOTOR] += rest;
        } else if self.reached == LOWER {
            new[LOWER] += rest;
        } else if self.reached == UPPER {
            new[UPPER] -= rest;
        }
        new
    }

    /// Looks whether what was found is what the axis can do; true if it has to be solved again. `may_add`: limits may be reached that
    /// were not. `opening`: how fast a limit that is violated has to open, per length or angle [1/s], and at most [m/s].
    pub(super) fn correct(
        &mut self,
        (speed, x): (f64, f64),
        h: f64,
        is_biased: bool,
        may_add: bool,
        opening: (f64, f64),
    ) -> bool {
        let was = (self.reached, self.bound);
        let new = self.impulses(speed, x, is_biased);
        if let Some((wanted, most)) = self.motor {
            if self.bound == 0.0 {
                if new[MOTOR].abs() > most {
                    self.bound = new[MOTOR].signum();
                }
            } else if may_add {
                let is_within = match wanted {
                    Wanted::Speed(wanted) => self.bound * (speed - wanted) > SAME_SPEED,
                    Wanted::Place(soft) => is_biased && self.bound * soft.at(speed) < most,
                };
                if is_within {
                    self.bound = 0.0;
                }
            }
        }
        if self.reached != 0 {
            if new[self.reached] < 0.0 {
                self.reached = 0;
            }
        } else if may_add {
            for (which, limit, sign) in [(0, LOWER, 1.0), (1, UPPER, -1.0)] {
                let (gap, closing) = (self.gaps[which], sign * speed);
                let least = if gap > 0.0 {
                    -gap / h - self.drifts[which]
                } else if is_biased {
                    let out = -gap * opening.0;
                    if self.is_linear { out.min(opening.1) } else { out }
                } else {
                    0.0
                };
                if closing < least - SAME_SPEED {
                    self.reached = limit;
                }
            }
        }
        self.leave_to_motor();
        was != (self.reached, self.bound)
    }
}
