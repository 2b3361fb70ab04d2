//! Friction that depends on the direction.
//!
//! Two rows along the grain g and across it, c. The friction impulse λ stays in the ellipse (λ_g/a)² + (λ_c/b)² ≤ 1 with
//! a = factor·μ·N and b = μ·N, and while it slides it takes as much energy out as the ellipse allows [Goyal1991]: a skate glides along
//! and holds across. With s the slip that is left without friction and K the answer of the pair, that is the minimum of
//! ½λ·Kλ + λ·s over the ellipse: λ = −(K + η·E)⁻¹s, E = diag(1/a², 1/b²), with the η ≥ 0 that puts it on the edge.

use super::prepare::answer_to;
use crate::body::BodyProps;
use crate::contact::{Contact, Grain};
use crate::math::*;

/// Smallest axis of the ellipse relative to the other [1]: a perfect skate is still a well-posed problem.
const THINNEST: f64 = 1e-4;
/// Halvings that find η: to the rounding of f32.
const HALVINGS: usize = 40;

/// Middle of the contact points, from the centres of mass of both bodies.
pub(super) fn middle<D: Dim>(contact: &Contact<D>, places: [&Pose<D>; 2]) -> [D::Vec; 2] {
    let points = contact.manifold.points();
    let share = 1.0 / points.len().max(1) as Real;
    let on_a = points.iter().fold(D::Vec::ZERO, |sum, point| sum + point.local_a) * share;
    let on_b = points.iter().fold(D::Vec::ZERO, |sum, point| sum + contact.local_b(point)) * share;
    [places[0].rotation.rotate(on_a), places[1].rotation.rotate(on_b)]
}

/// The two rows of friction at one place.
pub(super) struct GrainRows<D: Dim> {
    /// Along the grain and across, in the plane of the contact.
    tangents: [D::Vec; 2],
    factor: Real,
    arms: [D::Vec; 2],
    /// K: entries 11, 12, 22.
    answer: [f64; 3],
}

impl<D: Dim> GrainRows<D> {
    pub(super) fn new(
        contact: &Contact<D>,
        grain: &Grain<D>,
        normal: D::Vec,
        arms: [D::Vec; 2],
        props: &[BodyProps<D>; 2],
    ) -> Self {
        debug_assert!(contact.has_grain());
        let mut tangents = D::tangent_basis(normal);
        let along = grain.direction - normal * grain.direction.dot(normal);
        let length = along.length();
        // A grain that stands on the surface shows no direction in it.
        let factor = if length > NO_DIRECTION { grain.factor } else { 1.0 };
        if length > NO_DIRECTION {
            let g = along * (1.0 / length);
            // The second of the basis, less its part along g: what is left of the larger one is across.
            let rest = tangents.map(|t| t - g * t.dot(g));
            let across = if rest[0].length_squared() > rest[1].length_squared() { rest[0] } else { rest[1] };
            tangents = [g, across.normalize_or(D::Vec::ZERO)];
        }
        let [g, c] = tangents;
        let entry = |d: D::Vec, e: D::Vec| {
            (0..2).map(|side| f64::from(answer_to(&props[side], arms[side], d, e))).sum::<f64>()
        };
        Self { tangents, factor, arms, answer: [entry(g, g), entry(g, c), entry(c, c)] }
    }

    /// The new impulse on b, for the old one, the motions of the bodies and the load along the normal [N·s].
    pub(super) fn solve(
        &self,
        contact: &Contact<D>,
        old: D::Vec,
        motions: [(D::Vec, D::Ang); 2],
        load: Real,
    ) -> D::Vec {
        let at = |side: usize| motions[side].0 + D::cross_ang(motions[side].1, self.arms[side]);
        let slip = at(1) - at(0) + contact.surface_velocity;
        let [k11, k12, k22] = self.answer;
        let old = self.tangents.map(|t| f64::from(old.dot(t)));
        let slip = self.tangents.map(|t| f64::from(slip.dot(t)));
        let free = [slip[0] - k11 * old[0] - k12 * old[1], slip[1] - k12 * old[0] - k22 * old[1]];
        let axes = |friction: Real| {
            let across = f64::from(friction) * f64::from(load);
            let along = across * f64::from(self.factor);
            let least = THINNEST * along.max(across);
            [along.max(least), across.max(least)]
        };
        let new = friction_impulse(self.answer, free, axes(contact.static_friction), axes(contact.friction));
        self.tangents[0] * new[0] as Real + self.tangents[1] * new[1] as Real
    }
}

/// Sticks if that takes no more than the ellipse `stick`; else the impulse on the edge of `slide` that takes most energy.
fn friction_impulse(k: [f64; 3], free: [f64; 2], stick: [f64; 2], slide: [f64; 2]) -> [f64; 2] {
    // λ for a given η; the ellipse is E = 1/axes².
    let solve = |eta: f64, axes: [f64; 2]| {
        let (a, b, c) = (k[0] + eta / (axes[0] * axes[0]), k[1], k[2] + eta / (axes[1] * axes[1]));
        let det = a * c - b * b;
        if det.is_nan() || det <= 0.0 {
            return [0.0; 2];
        }
        [(b * free[1] - c * free[0]) / det, (b * free[0] - a * free[1]) / det]
    };
    let fill = |l: [f64; 2], axes: [f64; 2]| {
        (l[0] / axes[0]) * (l[0] / axes[0]) + (l[1] / axes[1]) * (l[1] / axes[1])
    };
    if stick[1] <= 0.0 || slide[1] <= 0.0 {
        return [0.0; 2];
    }
    let whole = solve(0.0, stick);
    if fill(whole, stick) <= 1.0 {
        return whole;
    }
    // On the edge |E·λ| is at most 1/least axis, so that η ≤ |s|·largest axis puts λ inside.
    let (mut low, mut high) = (0.0, (free[0].abs() + free[1].abs()) * slide[0].max(slide[1]));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if fill(solve(middle, slide), slide) > 1.0 { low = middle } else { high = middle }
    }
    let edge = solve(high, slide);
    // Between the static and the dynamic limit there may be nothing to shrink.
    let scale = 1.0 / fill(edge, slide).max(1.0).sqrt();
    edge.map(|x| x * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_the_ellipse_takes_most_energy_out() {
        let k = [2.0, 0.3, 1.5];
        for (free, axes) in [([3.0, -1.0], [0.2, 1.0]), ([0.5, 4.0], [1.0, 0.3]), ([2.0, 2.0], [1e-4, 1.0])] {
            let l = friction_impulse(k, free, axes, axes);
            let cost = |l: [f64; 2]| {
                0.5 * (k[0] * l[0] * l[0] + 2.0 * k[1] * l[0] * l[1] + k[2] * l[1] * l[1])
                    + l[0] * free[0]
                    + l[1] * free[1]
            };
            let mut best: f64 = 0.0;
            for i in 0..3600 {
                let (s, c) = sin_cos_f64(f64::from(i) * core::f64::consts::TAU / 3600.0);
                best = best.min(cost([axes[0] * c, axes[1] * s]));
            }
            assert!(cost(l) < best + 1e-4 * best.abs(), "{l:?}: {} and {best}", cost(l));
            let fill = (l[0] / axes[0]).powi(2) + (l[1] / axes[1]).powi(2);
            assert!((fill - 1.0).abs() < 1e-5, "{fill}");
        }
        // Weak enough to stick: nothing is left of the slip.
        let l = friction_impulse(k, [0.1, 0.1], [1.0, 1.0], [0.5, 0.5]);
        assert!((0.1 + k[0] * l[0] + k[1] * l[1]).abs() < 1e-12);
    }
}
