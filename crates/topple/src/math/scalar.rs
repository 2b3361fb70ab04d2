//! The scalar type, and trigonometry that gives the same bits on every platform.
//!
//! `std`'s `sin`, `cos`, `atan2` and `acos` call the platform's library, which differs in the last bits between
//! systems. These versions use only +, −, ×, ÷ and square roots in f64, which IEEE 754 fixes exactly, and round once
//! at the end: within one unit in the last place of f32.

use core::f64::consts::{FRAC_PI_2, PI};

/// The scalar of the engine.
pub type Real = f32;

/// How far the length of a vector or rotation given as a unit may be from 1 (no unit). Wide enough for numbers typed
/// with four digits, tight enough that nothing is scaled by more than the contact tolerances.
pub(crate) const UNIT_TOLERANCE: Real = 1e-3;

/// Length below which a vector has no direction (in its own unit): its square is still a normal f32.
pub(crate) const NO_DIRECTION: Real = 1e-12;

/// Angle below which sine and tangent equal the angle in f32 [rad].
pub(crate) const SMALL_ANGLE: Real = 1e-6;

/// An arc is at most this many times its chord, up to a right angle: (π/2)/√2 = 1.111 (no unit).
pub(crate) const ARC_OVER_CHORD: Real = 1.12;

/// Sine and cosine of an angle [rad].
pub fn sin_cos(angle: Real) -> (Real, Real) {
    let (s, c) = sin_cos_f64(f64::from(angle));
    (s as Real, c as Real)
}

/// The same in f64, good to 1e-11.
pub(crate) fn sin_cos_f64(x: f64) -> (f64, f64) {
    // Quarter turns away, then the remainder in [−π/4, π/4], where the series below are exact to f64 noise.
    let quarter = (x / FRAC_PI_2).round();
    let r = x - quarter * FRAC_PI_2;
    let r2 = r * r;
    let s = r
        * (1.0
            + r2 * (-1.0 / 6.0
                + r2 * (1.0 / 120.0
                    + r2 * (-1.0 / 5040.0 + r2 * (1.0 / 362_880.0 - r2 * (1.0 / 39_916_800.0))))));
    let c = 1.0
        + r2 * (-0.5
            + r2 * (1.0 / 24.0
                + r2 * (-1.0 / 720.0
                    + r2 * (1.0 / 40_320.0 - r2 * (1.0 / 3_628_800.0 - r2 / 479_001_600.0)))));
    match quarter.rem_euclid(4.0) as u8 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Angle of the vector (x, y) [rad], in [−π, π]; 0 for the zero vector.
pub fn atan2(y: Real, x: Real) -> Real {
    atan2_f64(f64::from(y), f64::from(x)) as Real
}

/// Angle whose cosine is `x` [rad], in [0, π]. Values outside [−1, 1] are clamped.
pub fn acos(x: Real) -> Real {
    let x = f64::from(x).clamp(-1.0, 1.0);
    atan2_f64(((1.0 - x) * (1.0 + x)).sqrt(), x) as Real
}

/// Angle of the vector (x, y) [rad] in f64.
pub(crate) fn atan2_f64(y: f64, x: f64) -> f64 {
    let (ax, ay) = (x.abs(), y.abs());
    if ax == 0.0 && ay == 0.0 {
        return 0.0;
    }
    let ratio = if ax > ay { ay / ax } else { ax / ay };
    let mut angle = atan_unit(ratio);
    if ay >= ax {
        angle = FRAC_PI_2 - angle;
    }
    if x < 0.0 {
        angle = PI - angle;
    }
    if y < 0.0 { -angle } else { angle }
}

/// Arc tangent of t in [0, 1]: two half-angle reductions bring t below tan(π/16) ≈ 0.2, then the series.
fn atan_unit(t: f64) -> f64 {
    let halve = |t: f64| t / (1.0 + (1.0 + t * t).sqrt());
    let r = halve(halve(t));
    let r2 = r * r;
    let mut sum = 0.0;
    // Alternating series up to r^23 / 23: below 1e-17 for r = 0.2.
    for k in (0..12).rev() {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum = sum * r2 + sign / f64::from(2 * k + 1);
    }
    4.0 * r * sum
}

/// True if `a` and `b` differ by at most `tolerance`, all in the same unit.
pub fn is_near(a: Real, b: Real, tolerance: Real) -> bool {
    (a - b).abs() <= tolerance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units in the last place of f32, 0 near zero.
    fn ulps(a: Real, b: Real) -> u32 {
        if (a - b).abs() < 1e-9 { 0 } else { a.to_bits().abs_diff(b.to_bits()) }
    }

    #[test]
    fn trigonometry_is_within_one_ulp_of_the_f64_functions() {
        for i in -40_000..40_000 {
            let x = i as Real * 0.001_3;
            let (s, c) = sin_cos(x);
            assert!(ulps(s, f64::from(x).sin() as Real) <= 1, "sin {x}");
            assert!(ulps(c, f64::from(x).cos() as Real) <= 1, "cos {x}");
            let y = (i % 997) as Real * 0.37 - 100.0;
            assert!(ulps(atan2(y, x), f64::from(y).atan2(f64::from(x)) as Real) <= 1, "atan2 {y} {x}");
            let u = (i as Real / 40_000.0).clamp(-1.0, 1.0);
            assert!(ulps(acos(u), f64::from(u).acos() as Real) <= 1, "acos {u}");
        }
    }

    #[test]
    fn quarter_turns_are_exact() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(1.0, 0.0), core::f32::consts::FRAC_PI_2);
        assert_eq!(acos(2.0), 0.0);
    }
}
