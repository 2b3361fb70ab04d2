//! Orientations advanced as matrices, for `Settings::matrix_rotation`: R + t × R for the turn t, then Gram–Schmidt.
//!
//! R + t × R is no rotation: its columns are too long by √(1 + t²), and no longer at right angles. The first column keeps its
//! direction, the second loses what it has of the first, the third follows. For a turn about a column the angle comes out as
//! atan t, late by t³/3; about any other axis the order of the columns shows, by terms of t²: first order in the step, where the
//! exponential of the default is exact for a constant spin. Worth having to see just that, and to compare with programs and
//! papers that carry matrices.

use super::flight::{product, rotate, unit};
use crate::distance::Wide;
use crate::math::*;

/// `q` turned by the rotation vector `turn` (world frame [rad]) in matrix form.
pub(super) fn turned(q: [f64; 4], turn: Wide) -> [f64; 4] {
    let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0)];
    let [x, y] = axes.map(|axis| {
        let column = rotate(q, axis);
        column + turn.cross(column)
    });
    let x = x * (1.0 / x.length());
    let y = y - x * x.dot(y);
    let y = y * (1.0 / y.length());
    // The determinant, 1 + t², is positive: what is left for the third column is the right-handed direction.
    let z = x.cross(y);
    near(q, of_columns([x, y, z]))
}

/// The quaternion of a rotation matrix, either sign.
fn of_columns([x, y, z]: [Wide; 3]) -> [f64; 4] {
    // 4·q·qᵀ: every row is the quaternion times one of its parts. The row of the largest part is the exact one.
    let (xy, xz, yz) = (x.y + y.x, x.z + z.x, y.z + z.y);
    let (xw, yw, zw) = (y.z - z.y, z.x - x.z, x.y - y.x);
    let rows = [
        [1.0 + x.x - y.y - z.z, xy, xz, xw],
        [xy, 1.0 - x.x + y.y - z.z, yz, yw],
        [xz, yz, 1.0 - x.x - y.y + z.z, zw],
        [xw, yw, zw, 1.0 + x.x + y.y + z.z],
    ];
    let largest = (0..4).fold(0, |best, i| if rows[i][i] > rows[best][best] { i } else { best });
    unit(rows[largest])
}

/// Of q and −q, which are the same rotation, the one on the side of `reference`.
fn near(reference: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let dot = (0..4).map(|i| reference[i] * q[i]).sum::<f64>();
    if dot < 0.0 { q.map(|part| -part) } else { q }
}

/// The rotation vector from `a` to `b`, world frame, the shorter way [rad].
pub(super) fn turn_between(a: [f64; 4], b: [f64; 4]) -> Wide {
    let [x, y, z, w] = near([0.0, 0.0, 0.0, 1.0], product(b, [-a[0], -a[1], -a[2], a[3]]));
    let part = Wide::new(x, y, z);
    let sine = part.length();
    part * if sine > 0.0 { 2.0 * atan2_f64(sine, w) / sine } else { 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILTED: [f64; 4] = [0.5, -0.1, 0.7, -0.5];

    #[test]
    fn matrices_become_quaternions_and_back_for_every_largest_part() {
        let axes = [Wide::new(1.0, 0.0, 0.0), Wide::new(0.0, 1.0, 0.0), Wide::new(0.0, 0.0, 1.0)];
        for q in [[0.9, 0.2, -0.3, 0.1], [0.1, -0.9, 0.2, 0.3], [0.2, 0.1, 0.95, -0.1], TILTED] {
            let q = unit(q);
            let again = near(q, of_columns(axes.map(|axis| rotate(q, axis))));
            assert!((0..4).all(|i| (again[i] - q[i]).abs() < 1e-15), "{q:?} {again:?}");
        }
    }

    #[test]
    fn a_turn_about_a_column_is_its_arc_tangent() {
        let q = unit(TILTED);
        for angle in [1e-3, 0.1, 0.7] {
            let axis = rotate(q, Wide::new(0.0, 0.0, 1.0));
            let turn = turn_between(q, turned(q, axis * angle));
            assert!((turn.length() - angle.atan()).abs() < 1e-12, "{angle}");
            assert!((turn.dot(axis) - turn.length()).abs() < 1e-12);
        }
    }

    #[test]
    fn the_turn_between_two_orientations_leads_from_one_to_the_other() {
        let (q, turn) = (unit(TILTED), Wide::new(0.3, -0.2, 0.4));
        let found = turn_between(q, super::super::flight::turned(q, turn));
        assert!((found - turn).length() < 1e-11, "{found:?}");
        assert_eq!(turn_between(q, q).length(), 0.0);
    }
}
