//! What tension does in a group: the inertia and the mass that it adds to light links, and how their vibration is damped. Why they are needed, and what κ is,
//! says the head of `direct/mod.rs`.
//!
//! A joint that pulls with p at the lever r adds κ·h·p·|r| across the lever to the inertia of its body; a rod or rope of length l adds the mass κ·h·p/l between
//! its two bodies, across the line. The pulls are those of the last pass: if this one finds much larger ones, what was counted on was too little, and the pass is repeated.

use super::factor::{inverse, times};
use super::group::Group;
use super::link::{Body, Link, WIDE, narrow};
use super::order::{GROUND, Order};
use crate::joint::NO_LENGTH;
use crate::math::*;
use crate::solver::soft_step::joints::JointScene;
use crate::solver::soft_step::joints::single::SingleRow;

/// Share of the vibration between two links that a sub-step takes, at most (no unit).
const TENSION_DAMPING: Real = 0.4;
/// Pulls that grow by more than this within a pass are looked at again (no unit).
const JERK: Real = 2.0;
/// But only where tension is more than this share of a body's own inertia (no unit).
const LIGHT: Real = 0.25;

impl<D: Dim, const M: usize> Group<D, M> {
    /// How the bodies answer, with the inertia of tension: see the head of `direct/mod.rs`.
    #[inline(always)]
    pub(super) fn weigh(&mut self, rows: &[SingleRow<D>], scene: &JointScene<'_, D>) {
        let Self { bodies, links, pulls, kappa, .. } = self;
        for body in bodies.iter_mut() {
            (body.tension, body.turning) = (0.0, [[0.0; 3]; 3]);
        }
        for ((row, link), pull) in rows.iter().zip(links).zip(pulls.iter()) {
            let strength = *kappa * scene.h * pull;
            link.tension = Real::INFINITY;
            if link.line < Real::INFINITY {
                link.across = strength / link.line.max(NO_LENGTH);
                for i in link.count + 1 - D::N..link.count {
                    link.is_active[i] = link.across > 0.0;
                    link.compliance[i] = if link.across > 0.0 { 1.0 / f64::from(link.across) } else { 0.0 };
                }
            }
            for (side, r) in row.levers.into_iter().enumerate() {
                let length = r.length();
                link.tension = link.tension.min(strength * length);
                if link.ends[side] != GROUND && length > NO_LENGTH {
                    let body = &mut bodies[link.ends[side] as usize];
                    add_point::<D>(&mut body.turning, f64::from(strength / length), r);
                    body.tension += strength * length;
                }
            }
        }
        for (slot, body) in bodies.iter_mut().enumerate().filter(|(_, body)| body.is_end) {
            if scene.props[slot].locks >> 3 != 0 {
                // What turns about some axes only is left as it is.
                (body.tension, body.turning) = (0.0, [[0.0; 3]; 3]);
            }
            body.inv_inertia = if body.tension > 0.0 {
                // In double precision: about the lever there is none of tension, however much there is across.
                inverse(&core::array::from_fn(|i| {
                    core::array::from_fn(|j| body.turning[i][j] + body.own[i][j])
                }))
            } else {
                body.own_inverse
            };
        }
    }

    /// Spins under a tension that has grown: what turns with the inertia of tension keeps its momentum. With its speed it would
    /// gain energy from nothing, and pull the more the more it gains.
    pub(super) fn carry(&mut self) {
        for link in self.links.iter_mut().filter(|link| link.line < Real::INFINITY) {
            let kept = match link.across > link.carried && link.across * lightness(link, &self.bodies) > LIGHT
            {
                true => f64::from(link.carried / link.across),
                false => 1.0,
            };
            for i in link.count + 1 - D::N..link.count {
                link.target[i] = kept * link.before[i];
            }
        }
        for body in self.bodies.iter_mut().filter(|body| body.is_end && body.tension > body.carried) {
            let lost = f64::from(1.0 - body.carried / body.tension);
            let spin: [f64; 3] =
                core::array::from_fn(|i| if i < D::ANGULAR { body.v[D::N + i] } else { 0.0 });
            let excess = times(&body.turning, &spin.map(|w| lost * w));
            let turned = times(&body.inv_inertia, &excess);
            let mut change = [0.0; WIDE];
            (0..D::ANGULAR).for_each(|i| change[D::N + i] = -turned[i]);
            body.push(&change);
        }
    }

    /// Takes some of the vibration of light links that the sub-steps do not resolve: see the head of `direct/mod.rs`.
    #[inline(always)]
    pub(super) fn damp(&mut self, rows: &[SingleRow<D>]) {
        for (row, link) in rows.iter().zip(&self.links) {
            let length2 = row.levers[1].length_squared();
            let is_line = link.line < Real::INFINITY;
            if is_line
                || link.tension <= 0.0
                || link.ends.contains(&GROUND)
                || length2 <= NO_LENGTH * NO_LENGTH
            {
                continue;
            }
            let [a, b] = link.ends.map(|end| end as usize);
            // Next to nothing for what the sub-steps resolve.
            let fast = link.tension * self.bodies[a].lightness.max(self.bodies[b].lightness);
            let share = TENSION_DAMPING * link.tension * fast / (1.0 + fast);
            let spin = narrow::<D>(&self.bodies[b].v).1 - narrow::<D>(&self.bodies[a].v).1;
            let mut turn = D::Inertia::of_point(share / length2, row.levers[1]).apply(spin);
            // No more than what takes the most energy: about the lever of the other one nothing of tension resists.
            let (taken, mut given) = (f64::from(turn.dot(spin)), 0.0);
            let mut wide = [0.0; 3];
            (0..D::ANGULAR).for_each(|i| wide[i] = f64::from(turn.get(i)));
            for slot in [a, b] {
                let answer = times(&self.bodies[slot].inv_inertia, &wide);
                given += wide[0] * answer[0] + wide[1] * answer[1] + wide[2] * answer[2];
            }
            if given > taken {
                turn = turn * ((taken / given) as Real);
            }
            for (slot, sign) in [(a, 1.0), (b, -1.0)] {
                let body = &mut self.bodies[slot];
                let mut change = [0.0; WIDE];
                for axis in 0..D::ANGULAR {
                    let turned = (0..D::ANGULAR).map(|k| body.inv_inertia[axis][k] * f64::from(turn.get(k)));
                    change[D::N + axis] = sign * turned.sum::<f64>();
                }
                body.push(&change);
            }
        }
    }

    /// Notes the pulls that were found. True if they are much more than the inertia counted on.
    #[inline(always)]
    pub(super) fn is_jerked(&mut self, rows: &[SingleRow<D>], order: &Order, h: Real) -> bool {
        let Self { links, factor, bodies, pulls, kappa, .. } = self;
        bodies.iter_mut().for_each(|body| body.found = 0.0);
        let mut is_snapping = false;
        for (column, &index) in order.links.iter().enumerate() {
            let (link, row, x) = (&links[index as usize], &rows[index as usize], &factor.values[column]);
            let pull = (row.pushed + link.effect::<D>(1, x).0).length();
            pulls[index as usize] = pull;
            let strength = *kappa * h * pull;
            let across = strength / link.line.max(NO_LENGTH);
            is_snapping |= across > JERK * link.across && across * lightness(link, bodies) > LIGHT;
            for side in (0..2).filter(|&side| link.ends[side] != GROUND) {
                bodies[link.ends[side] as usize].found += strength * row.levers[side].length();
            }
        }
        let is_jerked = |body: &Body| body.found > JERK * body.tension && body.found * body.lightness > LIGHT;
        is_snapping || bodies.iter().any(is_jerked)
    }
}

/// 1/m of the lighter body of a link [1/kg].
fn lightness<const M: usize>(link: &Link<M>, bodies: &[Body]) -> Real {
    let ends = link.ends.iter().filter(|&&end| end != GROUND);
    let inv_masses = ends.flat_map(|&end| bodies[end as usize].inv_mass);
    inv_masses.fold(0.0, f64::max) as Real
}

/// Adds the inertia of a mass at r.
#[inline(always)]
fn add_point<D: Dim>(to: &mut [[f64; 3]; 3], mass: f64, r: D::Vec) {
    let r: [f64; 3] = core::array::from_fn(|i| if i < D::N { f64::from(r.get(i)) } else { 0.0 });
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if D::ANGULAR == 1 {
        to[0][0] += mass * square;
        return;
    }
    for i in 0..3 {
        for j in 0..3 {
            to[i][j] += mass * (if i == j { square } else { 0.0 } - r[i] * r[j]);
        }
    }
}
